"""The zoo: every inhabitant compiles, survives its own file, and has the numbers of its source."""

from __future__ import annotations

import math

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.errors import UsageError
from zoophyte.zoo.mechanisms import BEAM_BENDING, BEAM_FREQUENCY

G = 9.81


@pytest.mark.parametrize("name", zp.zoo.names())
def test_inhabitant_compiles_and_survives_its_file(name: str) -> None:
    description = zp.zoo.get(name)
    model = zp.compile(description)
    assert model.nv > 0
    assert model.total_mass > 0.0
    assert zp.Description.from_yaml(description.to_yaml()) == description


@pytest.mark.parametrize("name", zp.zoo.names())
def test_inhabitant_is_public_and_described_in_one_line(name: str) -> None:
    assert name in zp.zoo.__all__
    assert callable(getattr(zp.zoo, name))
    line = zp.zoo.describe(name)
    assert line.endswith(".")
    assert 10 < len(line) < 130


def test_every_public_function_that_makes_a_description_is_listed() -> None:
    others = {"describe", "get", "names", "scene"}
    assert set(zp.zoo.__all__) - others == set(zp.zoo.names())


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(
        UsageError, match=r"no 'dubble_pendulum'.*Did you mean 'double_pendulum'\?.*It has: pendulum"
    ):
        zp.zoo.get("dubble_pendulum")


def test_the_same_seed_gives_the_same_tree_and_another_seed_another() -> None:
    assert zp.zoo.tree12(3) == zp.zoo.tree12(3)
    assert zp.zoo.tree12(3) != zp.zoo.tree12(4)
    parents = [int(body.parent.removeprefix("body")) for body in zp.zoo.tree12().bodies[3:]]
    assert parents == list(range(1, 10))
    assert [b.parent for b in zp.zoo.tree12(1, mixed=True).bodies] != [
        b.parent for b in zp.zoo.tree12(1).bodies
    ]


@pytest.mark.parametrize("make", [zp.zoo.cantilever, zp.zoo.chain, zp.zoo.ball_chain])
@pytest.mark.parametrize("count", [0, -1, 2.5, True])
def test_counts_of_bodies_are_whole_and_positive(make: object, count: object) -> None:
    with pytest.raises(UsageError, match=r"bodies is .*, must be a whole number"):
        make(count)  # type: ignore[operator]


def test_rod_accelerates_as_in_wil_c1() -> None:
    """WIL-C1: θ = 0.5 gives θ̈ = −7.054746801 rad/s²; printed to ten digits."""
    model = zp.compile(zp.zoo.rod())
    assert zp.forward_dynamics(model, zp.State.neutral(model))[0] == pytest.approx(-7.054746801, rel=1e-9)


def test_two_rods_accelerate_as_in_wil_c2() -> None:
    """WIL-C2: c = (0.4, −0.9), ċ = (1.1, −0.6); printed to ten digits."""
    model = zp.compile(zp.zoo.two_rods())
    state = zp.State.neutral(model).at([0.4, -0.9], [1.1, -0.6])
    assert zp.forward_dynamics(model, state) == pytest.approx([-8.109692293, 24.147775787], rel=1e-9)


def test_double_pendulum_starts_as_in_gar_c3() -> None:
    """GAR-C3: θ̈₁ = −(9/7) g/l and relative θ̈₂ = (12/7) g/l, to rounding."""
    model = zp.compile(zp.zoo.double_pendulum())
    expected = [-9.0 / 7.0 * G / 0.1, 12.0 / 7.0 * G / 0.1]
    assert zp.forward_dynamics(model, zp.State.neutral(model)) == pytest.approx(expected, rel=1e-12)


def test_pendulum_accelerates_as_its_formula() -> None:
    """θ̈ = −(m g l/I) sin θ with ball and rod summed by hand, to rounding."""
    model = zp.compile(zp.zoo.pendulum(length=0.8, angle=0.3))
    inertia = 0.4 * 0.05**2 + 0.8**2 + 0.1 * ((3 * 0.01**2 + 0.8**2) / 12 + 0.4**2)
    expected = -(1.0 * 0.8 + 0.1 * 0.4) * G / inertia * math.sin(0.3)
    assert zp.forward_dynamics(model, zp.State.neutral(model))[0] == pytest.approx(expected, rel=1e-12)


def test_block_feels_the_gantry_in_one_direction_only() -> None:
    """MCK-11: a_x = f/(m₁ + m₂), a_y = f/m₁, to rounding."""
    model = zp.compile(zp.zoo.block_and_gantry(block=2.0, gantry=5.0))
    push = {"block": zp.Force.at_com((14.0, 6.0, 0.0))}
    a = zp.forward_dynamics(model, zp.State.neutral(model), forces=push)
    assert a == pytest.approx([2.0, 3.0], rel=1e-12)


def static_sag(model: zp.Model) -> float:
    """Tip deflection with gravity and springs in balance, for small angles: K q = τ_gravity, δ = J_z q."""
    state = zp.State.neutral(model)
    q = -zp.bias_forces(model, state) / model.dofs.stiffness
    tip = model.body_names[-1]
    length = 1.0 / model.nv
    return float(-(zp.jacobian(model, state, tip, (length, 0.0, 0.0))[5] @ q))


@pytest.mark.parametrize(
    ("root", "factor"), [("literal", lambda n: (1 + 1 / n) ** 2), ("half", lambda n: 1 + 1 / n**2)]
)
@pytest.mark.parametrize("count", [1, 2, 10, 50])
def test_cantilever_sags_as_its_closed_form(root: str, factor: object, count: int) -> None:
    """GAR §5.3: δ (1 + 1/N)² with the literal root spring, δ (1 + 1/N²) with the half-cell one."""
    weight = 923.0 * math.pi * 0.01**2 * G
    continuous = weight / (8.0 * BEAM_BENDING)
    assert continuous == pytest.approx(0.00558928, abs=5e-9)
    model = zp.compile(zp.zoo.cantilever(count, root))
    assert static_sag(model) == pytest.approx(continuous * factor(count), rel=1e-10)  # type: ignore[operator]


def test_cantilever_has_the_beams_first_frequency_and_damping() -> None:
    """First mode beside that of the continuous beam; with the half-cell root the error is some 1/N²."""
    model = zp.compile(zp.zoo.cantilever(100, damping_ratio=0.05))
    M = zp.mass_matrix(model, zp.State.neutral(model))
    frequency = math.sqrt(np.linalg.eigvals(np.linalg.solve(M, np.diag(model.dofs.stiffness))).real.min())
    assert frequency == pytest.approx(BEAM_FREQUENCY, rel=5e-4)
    assert BEAM_FREQUENCY / (2 * math.pi) == pytest.approx(8.289, abs=5e-4)
    assert 0.5 * frequency * (model.dofs.damping / model.dofs.stiffness) == pytest.approx(0.05, rel=5e-4)


Y_PLANT_STATE = (
    [0.05, -0.02, 0.03, 0.10, 0.20, -0.15, -0.04, 0.06, 0.02],
    [0.5, -0.3, 0.2, 1.0, -2.0, 0.7, -0.6, 0.4, 0.9],
)


def test_y_plant_has_the_masses_and_springs_of_the_table() -> None:
    """GAR §5.1, printed to ten digits and more."""
    model = zp.compile(zp.zoo.y_plant())
    masses = model.bodies.mass[[3, 6, 9]]
    assert masses == pytest.approx([0.004523893421, 0.000904778684, 0.002544690049], rel=1e-9)
    springs = [0.536165146213, 0.428932116970, 0.536165146213, 0.237364778271, 0.189891822617, 0.237364778271,
               0.264679181065, 0.211743344852, 0.264679181065]  # fmt: skip
    assert model.dofs.stiffness == pytest.approx(springs, rel=1e-9)


def test_y_plant_accelerates_as_in_gar_g1_g2_g3() -> None:
    """GAR-G1…G3 at the table's tolerance, 1e-9; a force (x, y, z) of the y-up source is (x, −z, y) here."""
    model = zp.compile(zp.zoo.y_plant())
    rest = zp.State.neutral(model)
    g1 = [-11.0304099452, 0, -4.7565019485, 157.8355132371, 0, 45.3009293125, 20.7601225309, 0, 21.6824019187]
    assert zp.forward_dynamics(model, rest) == pytest.approx(g1, rel=1e-9, abs=1e-9)
    state = rest.at(*Y_PLANT_STATE)
    push = {"b3": zp.Force.at_com((0.01, 0.02, 0.0))}
    g2 = [-20.7063498085, -0.5231632078, -11.1453009085, 183.4757005807, -21.4526594995, 48.8229624787,
          -48.3388865105, -1.9730340436, -43.0734658913]  # fmt: skip
    assert zp.forward_dynamics(model, state, forces=push) == pytest.approx(g2, rel=1e-9)
    g3 = [-6.786255948e4, 2.255776390e6, -3.847383696e3, -4.379761932e6, -2.431412235e7, 2.528137136e6,
          2.686499831e4, -3.386792840e6, -8.667857254e4]  # fmt: skip
    tau = zp.passive_forces(model, state)
    assert zp.forward_dynamics(model, state, tau, push) == pytest.approx(g3, rel=1e-9)


def test_y_plant_has_its_centres_of_mass_where_the_table_has_them() -> None:
    """GAR §5.1 in state S, printed to twelve decimals; (x, y, z) there is (x, −z, y) here."""
    model = zp.compile(zp.zoo.y_plant())
    R, p = zp.body_poses(model, zp.State.neutral(model).at(*Y_PLANT_STATE))
    expected = {
        "b1": (-0.001499475065, 0.049916541874, 0.002467878000),
        "b2": (-0.010431906582, 0.123598089716, 0.036240318763),
        "b3": (-0.006142448671, 0.149723451499, 0.005969981623),
    }
    for name, (x, y, z) in expected.items():
        body = model.body_index(name)
        assert p[body] + R[body] @ model.bodies.com[body] == pytest.approx([x, -z, y], abs=1e-12)


def test_ref4_has_the_masses_of_arn_4_3() -> None:
    """ARN §4.3, printed to ten digits; frusta turned so that local −y is their axis."""
    model = zp.compile(zp.zoo.ref4())
    trunk, upper, lower = (
        model.body_index(name) for name in ("trunk", "front_right_upper", "front_right_lower")
    )
    table = {
        trunk: (10.0530964915, 0.0, (0.041820881405, 0.154616624039, 0.138531669653)),
        upper: (0.4280943589, -0.089823874755, (0.001466774214, 0.000150375223, 0.001466774214)),
        lower: (0.2055020474, -0.089035874439, (7.740752639e-4, 3.389954402e-5, 7.740752639e-4)),
    }
    for body, (mass, centre, inertia) in table.items():
        assert model.bodies.mass[body] == pytest.approx(mass, rel=1e-9)
        assert model.bodies.com[body] == pytest.approx([0.0, centre, 0.0], abs=1e-12)
        assert model.bodies.inertia[body] == pytest.approx(np.diag(inertia), rel=1e-8, abs=1e-15)
    assert model.total_mass == pytest.approx(12.5874821170, rel=1e-10)
    assert zp.compile(zp.zoo.ref6()).total_mass == pytest.approx(13.8546749297, rel=1e-10)


def test_ref4_accelerates_as_in_arn_4_3() -> None:
    """ARN §4.3, state S1, at the tolerance of check C10, 1e-9."""
    model = zp.compile(zp.zoo.ref4())
    turn = np.array([0.9, 0.1, -0.2, 0.3]) / np.linalg.norm([0.9, 0.1, -0.2, 0.3])
    q = [*turn, 0.0, 0.45, 0.0, 0.3, -0.6, 0.2, -0.5, -0.3, 0.4, -0.2, 0.5]
    v = [0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 1, -1, 0.5, -0.5, 0.8, -0.8, 0.2, 0.3]
    tau = [0, 0, 0, 0, 0, 0, 1, -0.5, 0.5, 0.5, -1, 0.2, 0.3, -0.4]
    state = zp.State.neutral(model).at(q, v)
    energy = zp.energy(model, state)
    assert (energy.kinetic, energy.potential) == pytest.approx((4.989755066008, 52.616940104325), rel=1e-12)
    joints = [248.358665871672, -752.639962438921, -62.438459664254, 378.027011793024, -167.358922058020,
              507.788205341817, 157.707006171889, -516.078709479221]  # fmt: skip
    assert zp.forward_dynamics(model, state, tau)[6:] == pytest.approx(joints, rel=1e-9)
    R, p = zp.body_poses(model, state)
    foot = model.body_index("front_right_lower")
    x, y, z = 0.318043989367, 0.177488214588, 0.127834895514
    assert p[foot] + R[foot] @ [0.0, -0.22, 0.0] == pytest.approx([x, -z, y], abs=1e-12)


def test_humanoid_has_the_segments_dofs_and_mass_of_its_docstring() -> None:
    figure, stiff = zp.compile(zp.zoo.humanoid()), zp.compile(zp.zoo.humanoid32())
    assert (figure.body_count - 1, figure.nv) == (15, 36)
    assert (stiff.body_count - 1, stiff.nv) == (15, 32)
    assert zp.compile(zp.zoo.humanoid(height=1.6, mass=50.0)).total_mass == pytest.approx(50.0, rel=1e-12)
    assert figure.total_mass == pytest.approx(73.0, rel=1e-12)


def test_humanoid_carries_its_mass_where_the_table_does() -> None:
    """Height of the centre of mass from Winter's fractions: Σ (fraction of mass) × (height of its centre)."""
    hip, shoulder, knee, ankle = 0.530, 0.818, 0.285, 0.039
    elbow, wrist = shoulder - 0.186, shoulder - 0.186 - 0.146
    parts = [
        (0.497, 0.5 * (hip + shoulder)), (0.081, shoulder + 0.6 * 0.182),
        (2 * 0.028, shoulder - 0.436 * 0.186), (2 * 0.016, elbow - 0.430 * 0.146),
        (2 * 0.006, wrist - 0.506 * 0.108),
        (2 * 0.100, hip - 0.433 * 0.245), (2 * 0.0465, knee - 0.433 * 0.246), (2 * 0.0145, 0.5 * ankle),
    ]  # fmt: skip
    assert sum(mass for mass, _ in parts) == pytest.approx(1.0, abs=1e-12)
    model = zp.compile(zp.zoo.humanoid(height=1.8))
    height = zp.momentum(model, zp.State.neutral(model)).com[2] / 1.8
    assert height == pytest.approx(
        sum(mass * where for mass, where in parts), abs=1e-4
    )  # lengths have four digits


def test_humanoid_is_as_tall_as_asked_and_stands_on_the_ground() -> None:
    height = 1.8
    description = zp.zoo.humanoid(height=height)
    model = zp.compile(description)
    _, p = zp.body_poses(model, zp.State.neutral(model))
    head = description.body("head").shapes[0]
    assert p[model.body_index("head")][2] + head.position[2] + head.semi_axes[2] == pytest.approx(
        height, rel=1e-3
    )
    foot = description.body("left_foot").shapes[0]
    assert p[model.body_index("left_foot")][2] + foot.position[2] - foot.radius == pytest.approx(
        0.0, abs=1e-12
    )


def test_humanoid_is_symmetric() -> None:
    model = zp.compile(zp.zoo.humanoid())
    state = zp.State.neutral(model)
    assert zp.momentum(model, state).com[1] == pytest.approx(0.0, abs=1e-12)


def test_sapling_sways_about_once_a_second() -> None:
    model = zp.compile(zp.zoo.sapling())
    M = zp.mass_matrix(model, zp.State.neutral(model))
    lowest = np.linalg.eigvals(np.linalg.solve(M, np.diag(model.dofs.stiffness))).real.min()
    assert 0.5 < math.sqrt(lowest) / (2 * math.pi) < 2.0


def test_sapling_carries_its_own_weight() -> None:
    life = zp.World(zp.zoo.sapling(), dt=5e-3, integrator="ros2").simulate(5.0, record_rate=10.0)
    assert life.status.kind == "ended"
    assert life.channel("height:stem8").min() > 1.3  # it starts at 1.4 m
