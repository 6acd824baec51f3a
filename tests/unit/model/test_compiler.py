"""Description → Model: links and bodies, welding, dof tables, limit springs."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import zoophyte as zp
from agreement import reference
from bodies import (
    build,
    every_kind,
    random_description,
    random_plans,
    random_state,
    relative_error,
    rotation_matrix,
    unit_quaternion,
)
from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.description import Body, Box, Description, Joint, MassProperties, Motor, Servo, Sphere, Surface
from zoophyte.model.filling.placing import frame_with_z
from zoophyte.model.layout import BALL, FREE, GROUND, HINGE, SLIDE

BALLAST = MassProperties(mass=2.0, com=(0.1, 0.2, 0.3), inertia=(0.1, 0.2, 0.25))


def body(name: str, kind: str, parent: str = "ground", **joint: object) -> Body:
    return Body(name=name, parent=parent, joint=Joint(kind=kind, **joint), mass=BALLAST)


def test_links_and_bodies() -> None:
    """Decision 2: one link per hinge, slide, ball and free joint, two per universal, none per fixed body."""
    model = zp.compile(
        Description(
            name="all",
            bodies=[
                body("trunk", "free"), body("knob", "fixed", "trunk"), body("arm", "universal", "knob"),
                body("hand", "ball", "arm"), body("rock", "fixed"), body("crane", "slide", "rock"),
                body("hook", "hinge", "crane"),
            ],
        )
    )  # fmt: skip
    assert model.body_names == ("ground", "trunk", "knob", "arm", "hand", "rock", "crane", "hook")
    assert model.links.kind.tolist() == [GROUND, FREE, HINGE, HINGE, BALL, SLIDE, HINGE]
    assert model.links.parent.tolist() == [0, 0, 1, 2, 3, 0, 5]
    assert [model.body_names[b] for b in model.links.body] == [
        "ground",
        "trunk",
        "arm",
        "arm",
        "hand",
        "crane",
        "hook",
    ]
    assert model.bodies.link.tolist() == [0, 1, 1, 3, 4, 0, 5, 6]
    assert model.bodies.parent.tolist() == [0, 0, 1, 2, 3, 0, 5, 6]
    assert (model.nq, model.nv, model.body_count) == (7 + 2 + 4 + 1 + 1, 6 + 2 + 3 + 1 + 1, 8)
    assert model.q_start == (0, 0, 7, 8, 9, 13, 14)
    assert model.v_start == (0, 0, 6, 7, 8, 11, 12)
    assert model.dof_names == (
        "trunk.turn_x", "trunk.turn_y", "trunk.turn_z", "trunk.x", "trunk.y", "trunk.z",
        "arm.0", "arm.1", "hand.x", "hand.y", "hand.z", "crane", "hook",
    )  # fmt: skip
    assert model.total_mass == pytest.approx(12.0)  # the rock does not move
    assert repr(model) == "Model('all': 7 bodies, 6 links, nq 15, nv 13, 12 kg)"


def test_initial_coordinates_in_order() -> None:
    bodies = [
        body("a", "free", initial=(0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 3.0)),
        body("b", "hinge", "a", initial=0.5),
        body("c", "universal", "b", initial=(0.25, -0.25)),
        body("d", "ball", "c"),
    ]
    model = zp.compile(Description(name="placed", bodies=bodies))
    expected = [0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.5, 0.25, -0.25, 1.0, 0.0, 0.0, 0.0]
    assert model.q_initial.tolist() == expected
    state = zp.State.neutral(model)
    assert state.q.tolist() == expected
    assert not np.any(state.v)
    assert state.time == 0.0


def test_a_universal_joint_is_two_hinges(rng: np.random.Generator) -> None:
    """Law: a universal joint moves like a hinge on a massless body on a hinge. Oracle: that chain; rounding."""
    first, second = (0.6, 0.8, 0.0), (0.8, -0.6, 0.0)
    place = {"position": (0.3, -0.1, 0.2), "rotation": unit_quaternion(rng)}
    extras = {"stiffness": (1.0, 2.0), "damping": (0.1, 0.2), "armature": (0.05, 0.06), "rest": (0.1, -0.1)}
    one = zp.compile(
        Description(name="one", bodies=[body("arm", "universal", axes=(first, second), **place, **extras)])
    )
    halves = [{key: values[n] for key, values in extras.items()} for n in range(2)]
    inner = Body(name="inner", joint=Joint(kind="hinge", axis=first, **place, **halves[0]))
    two = zp.compile(
        Description(name="two", bodies=[inner, body("arm", "hinge", "inner", axis=second, **halves[1])])
    )
    states = [random_state(model, np.random.default_rng(1)) for model in (one, two)]
    tau = rng.normal(size=2)
    a, b = (zp.forward_dynamics(model, state, tau) for model, state in zip((one, two), states, strict=True))
    assert relative_error(a, b) < 1e-13
    assert relative_error(zp.passive_forces(one, states[0]), zp.passive_forces(two, states[1])) < 1e-15
    assert relative_error(zp.mass_matrix(one, states[0]), zp.mass_matrix(two, states[1])) < 1e-14


def test_fixed_bodies_are_welded(rng: np.random.Generator) -> None:
    """Law: a body of three welded parts has the sum of their inertias. Oracle: one body with all shapes; rounding."""
    shapes = [
        Box(size=(0.1, 0.2, 0.3), density=500.0),
        Sphere(radius=0.1),
        Sphere(radius=0.05, density=3000.0),
    ]
    turns, offsets = [unit_quaternion(rng) for _ in range(2)], rng.normal(scale=0.3, size=(2, 3))
    parts = Description(
        name="parts",
        bodies=[
            Body(name="core", joint=Joint(kind="free"), shapes=[shapes[0]]),
            Body(
                name="neck",
                parent="core",
                joint=Joint(position=offsets[0], rotation=turns[0]),
                shapes=[shapes[1]],
            ),
            Body(
                name="head",
                parent="neck",
                joint=Joint(position=offsets[1], rotation=turns[1]),
                shapes=[shapes[2]],
            ),
        ],
    )
    R1, R2 = (rotation_matrix(turn) for turn in turns)
    whole = Description(
        name="whole",
        bodies=[
            Body(
                name="core",
                joint=Joint(kind="free"),
                shapes=[
                    shapes[0],
                    shapes[1].model_copy(update={"position": tuple(offsets[0])}),
                    shapes[2].model_copy(update={"position": tuple(offsets[0] + R1 @ offsets[1])}),
                ],
            )
        ],
    )  # spheres need not be turned
    a, b = zp.compile(parts), zp.compile(whole)
    assert len(a.links.kind) == 2
    for name in ("mass", "moment", "inertia"):
        assert relative_error(getattr(a.links, name), getattr(b.links, name)) < 1e-14
    assert relative_error(a.bodies.R_LB[3], R1 @ R2) < 1e-15
    assert relative_error(a.bodies.p_LB[3], offsets[0] + R1 @ offsets[1]) < 1e-15


def test_bodies_fixed_to_the_ground_weigh_nothing_on_any_link() -> None:
    model = zp.compile(
        Description(name="scene", bodies=[body("rock", "fixed"), body("arm", "hinge", "rock")])
    )
    assert model.total_mass == 2.0
    assert model.links.mass[1] == 2.0


def test_joint_axes_lie_along_z(rng: np.random.Generator) -> None:
    """Decision 2: link frames have the joint axis along z; bodies keep their own axes at q = 0. Rounding."""
    for _ in range(20):
        description = random_description(rng, 6, extras=False)
        model = zp.compile(description)
        neutral = zp.State.neutral(model)
        R, p = zp.body_poses(model, neutral)
        for index, motion in enumerate(reference.motions(model.description, neutral.q, neutral.v).values()):
            assert relative_error(R[index], motion.R) < 1e-14
            assert relative_error(p[index], motion.p) < 1e-14


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1)])
def test_frames_of_coordinate_axes_are_exact(axis: tuple[int, int, int]) -> None:
    x, y, z = map(float, axis)
    R = np.reshape(frame_with_z((x, y, z)), (3, 3))
    assert R[:, 2].tolist() == list(axis)
    assert set(np.abs(R).ravel().tolist()) == {0.0, 1.0}
    assert np.linalg.det(R) == 1.0


def test_frames_and_matrices(rng: np.random.Generator) -> None:
    """Law: proper rotations. Oracle: RᵀR = 1, det R = 1; the sandwich product of quaternions; rounding."""
    for _ in range(50):
        axis, q = rng.normal(size=3), unit_quaternion(rng)
        R = np.reshape(frame_with_z(tuple(axis.tolist())), (3, 3))
        assert relative_error(R.T @ R, np.eye(3)) < 1e-14
        assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)
        assert relative_error(R[:, 2], axis / np.linalg.norm(axis)) < 1e-15
        assert relative_error(np.reshape(quaternion_matrix(tuple(q)), (3, 3)), rotation_matrix(q)) < 1e-15
    assert np.array_equal(np.reshape(quaternion_matrix((1.0, 0.0, 0.0, 0.0)), (3, 3)), np.eye(3))


def test_the_table_of_degrees_of_freedom() -> None:
    bodies = [
        body("a", "hinge", stiffness=1.0, damping=2.0, rest=0.5, armature=0.1, limits=(-1.0, 2.0), limit_stiffness=9.0,
             limit_damping=3.0, actuator=Servo(stiffness=4.0, damping=5.0)),
        body("b", "universal", "a", stiffness=(1.0, 2.0), limits=[(-1.0, 0.0), (0.0, 1.0)], limit_stiffness=(7.0, 8.0),
             actuator=Motor(strength=6.0, max_speed=3.0)),
        body("c", "ball", "b", damping=(1.0, 2.0, 3.0), driven=True),
    ]  # fmt: skip
    dofs = zp.compile(Description(name="table", bodies=bodies)).dofs
    inf = np.inf
    assert dofs.link.tolist() == [1, 2, 3, 4, 4, 4]
    assert dofs.stiffness.tolist() == [1.0, 1.0, 2.0, 0.0, 0.0, 0.0]
    assert dofs.damping.tolist() == [2.0, 0.0, 0.0, 1.0, 2.0, 3.0]
    assert dofs.rest.tolist() == [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert dofs.armature.tolist() == [0.1, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert dofs.lower.tolist() == [-1.0, -1.0, 0.0, -inf, -inf, -inf]
    assert dofs.upper.tolist() == [2.0, 0.0, 1.0, inf, inf, inf]
    assert dofs.limit_stiffness.tolist() == [9.0, 7.0, 8.0, 0.0, 0.0, 0.0]
    assert dofs.limit_damping.tolist() == [3.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert dofs.driven.tolist() == [False, False, False, True, True, True]
    assert dofs.servo_stiffness.tolist() == [4.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert dofs.servo_damping.tolist() == [5.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert dofs.motor_strength.tolist() == [0.0, 6.0, 6.0, 0.0, 0.0, 0.0]
    assert dofs.motor_max_speed.tolist() == [inf, 3.0, 3.0, inf, inf, inf]


def test_a_model_is_frozen(rng: np.random.Generator) -> None:
    model = zp.compile(every_kind(rng))
    arrays = [
        x
        for part in (model.links, model.bodies, model.dofs)
        for x in vars(part).values()
        if hasattr(x, "flags")
    ]
    assert len(arrays) > 20
    assert not any(array.flags.writeable for array in [*arrays, model.q_initial])


def test_a_model_keeps_its_own_description(rng: np.random.Generator) -> None:
    description = every_kind(rng)
    model = zp.compile(description)
    description.bodies[0].joint.position = (9.0, 9.0, 9.0)
    assert model.description.bodies[0].joint.position != (9.0, 9.0, 9.0)


def test_limits_without_a_spring_get_one_from_the_inertia() -> None:
    """Decision 3: stiffness J ω², damping 2 J ω with ω = 100 rad/s; J is the inertia that the limit stops.

    Oracle: a hinge and a slide on the ground, whose inertias are known: m d² + I and m.
    """
    hinge = body("arm", "hinge", axis=(0, 0, 1), limits=(-1.0, 1.0))
    slide = body("sled", "slide", axis=(1, 0, 0), limits=(-1.0, 1.0))
    dofs = zp.compile(Description(name="limits", bodies=[hinge, slide])).dofs
    J = [2.0 * (0.1**2 + 0.2**2) + 0.25, 2.0]
    assert dofs.limit_stiffness == pytest.approx([1e4 * x for x in J], rel=1e-12)
    assert dofs.limit_damping == pytest.approx([200.0 * x for x in J], rel=1e-12)


def test_default_limits_are_stable_on_a_light_parent() -> None:
    """Law: default limits hold at dt = 1 ms in every integrator, also where a heavy limb hangs on a light body.

    There the limit stops both against each other, with the inertia of the lighter one.
    """
    light = Body(
        name="light", joint=Joint(kind="free"), mass=MassProperties(mass=0.05, inertia=(1e-4, 1e-4, 1e-4))
    )
    heavy = Body(
        name="heavy", parent="light", joint=Joint(kind="hinge", axis=(0, 1, 0), limits=(-0.1, 0.1)),
        mass=MassProperties(mass=10.0, com=(0.0, 0.0, 0.5), inertia=(0.5, 0.5, 0.1)),
    )  # fmt: skip
    model = zp.compile(Description(name="top_heavy", bodies=[light, heavy]))
    state = zp.State.neutral(model)
    state.v[6] = 3.0
    for integrator in ("semi_implicit", "rk4", "implicit", "ros2"):
        life = zp.World(model, habitat=zp.Habitat((0, 0, 0)), integrator=integrator).simulate(0.5, state)
        assert life.status.kind == "ended", (integrator, str(life.status))
        assert np.max(np.abs(life.q[:, 7])) < 0.5


@pytest.mark.parametrize("integrator", ["semi_implicit", "ros2"])
def test_default_limits_are_stable_on_any_body(integrator: str) -> None:
    """Law: the same for random forests that are thrown against their limits, at dt = 2 ms.

    The spring of a limit stops what its joint feels with all other joints loose: 1/(M⁻¹)ᵢᵢ.
    """
    diverged = []
    for seed in range(16):
        rng = np.random.default_rng(seed)
        plans = [replace(plan, springs=True, hard_limits=True) for plan in random_plans(rng, 6)]
        model = zp.compile(build(plans, rng))
        state = zp.State.neutral(model).at(v=rng.normal(scale=3.0, size=model.nv))
        life = zp.World(model, dt=2e-3, integrator=integrator).simulate(0.5, state, record_rate=10.0)
        diverged += [] if life.status.is_sound else [(seed, str(life.status))]
    assert diverged == []


def test_placing_gives_the_same_bits_on_both_machines(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    """Law: the kernel that places links, bodies and shapes is one function. Oracle: the interpreter; tolerance none."""
    pytest.importorskip("numba")
    described = [zp.zoo.get(name) for name in zp.zoo.names()]
    described += [random_description(rng, 6) for _ in range(20)]
    compiled = [zp.compile(each) for each in described]
    monkeypatch.delitem(sys.modules, "numba")
    for each, model in zip(described, compiled, strict=True):
        plain = zp.compile(each)
        for mine, other in (
            (model.links, plain.links),
            (model.bodies, plain.bodies),
            (model.touching, plain.touching),
        ):
            for name, array in vars(mine).items():
                if isinstance(array, np.ndarray):
                    assert array.tobytes() == getattr(other, name).tobytes(), (each.name, name)


def test_later_edits_do_not_reach_the_model() -> None:
    """Law: a model is of what was described when it was compiled. Oracle: the text of then; tolerance none."""
    described = zp.zoo.ref4().altered(surface=Surface(friction=0.7))
    text, model = described.to_yaml(), zp.compile(described)
    described.bodies[0].name = "other"
    described.bodies[1].shapes[0].density = 1.0
    described.bodies.pop()
    assert described.surface is not None
    described.surface.friction = 0.1
    assert model.description.to_yaml() == text
    assert {shape.surface.friction for shape in model.shapes} == {0.7}
