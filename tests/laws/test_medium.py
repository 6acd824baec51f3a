"""Drag, lift and wind: closed forms, what drag may never do, and MuJoCo's forces on the same box."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from herds import model
from zoophyte.description import Body, Box, Description, Joint, MassProperties, Sphere, Surface
from zoophyte.errors import UsageError
from zoophyte.export.mjcf import mjcf_document
from zoophyte.model import Block, ContactSettings
from zoophyte.model import layout as at
from zoophyte.model.medium.tables import principal_axes
from zoophyte.physics.dynamics.forward import forward_dynamics
from zoophyte.physics.dynamics.kinematics import poses
from zoophyte.physics.dynamics.medium import medium_forces

AIR = zp.Medium(density=1.2, viscosity=2e-3)
SIZE = (0.1, 0.2, 0.3)
G = 9.81


def free_body(shape: Any, *, touches: bool = False) -> zp.Model:
    body = Body(name="body", joint=Joint(kind="free"), shapes=[shape])
    return zp.compile(Description(name="body", bodies=[body], surface=Surface() if touches else None))


def space(medium: zp.Medium, gravity: float = -G) -> zp.Habitat:
    return zp.Habitat(gravity=(0.0, 0.0, gravity), ground=None, medium=medium)


@pytest.mark.parametrize("touches", [False, True])
@pytest.mark.parametrize("shape", [Box(size=SIZE, density=10.0), Sphere(radius=0.15, density=10.0)])
def test_terminal_velocity(shape: Any, touches: bool) -> None:
    """Law: in the end drag carries what lift does not, 2 ρ r_x r_y v² + 6π β r v = (m − ρV) g, with and without contact.

    A ball's box has half lengths r √(3/5), from its inertia 2/5 m r². Tolerance: 30 times the time that it takes have
    passed, so that rounding is all that is left.
    """
    body = free_body(shape, touches=touches)
    half = [0.5 * x for x in SIZE] if isinstance(shape, Box) else [shape.radius * math.sqrt(0.6)] * 3
    blunt = 2.0 * AIR.density * half[0] * half[1]
    viscous = 6.0 * math.pi * AIR.viscosity * sum(half) / 3.0
    pull = (body.total_mass - AIR.density * shape.volume()) * G
    expected = (math.sqrt(viscous**2 + 4.0 * blunt * pull) - viscous) / (2.0 * blunt)
    life = zp.World(body, space(AIR), dt=5e-3).simulate(30.0 * expected / G, record_rate=1.0)
    assert life.final.v[5] == pytest.approx(-expected, rel=1e-9)


def test_a_fall_through_air() -> None:
    """Law: v = v_t·tanh(g′ t / v_t) under quadratic drag. Tolerance: RK4 keeps its order, so 1e-9 of v_t at dt 5 ms."""
    shape = Box(size=SIZE, density=10.0)
    body, air = free_body(shape), zp.Medium(density=1.2, buoyancy=False)
    terminal = math.sqrt(body.total_mass * G / (2.0 * air.density * 0.05 * 0.1))
    life = zp.World(body, space(air), dt=5e-3, integrator="rk4").simulate(1.5)
    expected = -terminal * np.tanh(G * life.times / terminal)
    np.testing.assert_allclose(life.v[:, 5], expected, atol=1e-9 * terminal)


@pytest.mark.parametrize("viscous", [True, False])
def test_spin_dies_away(viscous: bool) -> None:
    """Law: ω₀·exp(−8π β r³ t / I) under viscosity, ω₀/(1 + k ω₀ t / I), k = ½ ρ r_z (r_x⁴ + r_y⁴), under density alone.

    Tolerance: RK4's own error, 3e-9 at 2 ms, falls with dt⁴.
    """
    body = free_body(Box(size=SIZE, density=10.0))
    x, y, z = (0.5 * length for length in SIZE)
    I, start = body.total_mass / 3.0 * (x * x + y * y), 8.0
    medium = zp.Medium(viscosity=0.01) if viscous else zp.Medium(density=50.0, buoyancy=False)
    state = zp.State.neutral(body).at(v=np.array([0.0, 0.0, start, 0.0, 0.0, 0.0]))
    life = zp.World(body, space(medium, 0.0), dt=1e-3, integrator="rk4").simulate(1.0, state)
    rate = 8.0 * math.pi * 0.01 * ((x + y + z) / 3.0) ** 3 / I
    blunt = 0.5 * 50.0 * z * (x**4 + y**4) / I
    expected = start * np.exp(-rate * life.times) if viscous else start / (1.0 + blunt * start * life.times)
    assert expected[-1] < 0.9 * start
    np.testing.assert_allclose(life.v[:, 2], expected, rtol=1e-9)


def loaded(body: zp.Model, medium: zp.Medium | None, state: zp.State, dt: float) -> Block:
    """A block in which the forces of the medium and the accelerations are known."""
    block = Block([body], gravity=(0.0, 0.0, 0.0), medium=medium)
    block.set_state(0, state)
    block.set_step(dt)
    block.set_dofs(at.TAU, 0.0)
    if medium is not None:
        poses(block.ints, block.data, block.scratch, block.spec)
        medium_forces(block.ints, block.data, block.scratch, int(block.ints[at.MEDIUM]), block.spec)
    forward_dynamics(block.ints, block.data, block.scratch, block.spec)
    return block


@pytest.mark.parametrize("dt", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("seed", [0, 1, 4, 10])
def test_drag_never_turns_a_motion_round(seed: int, dt: float) -> None:
    """Law: all eigenvalues of dt M⁻¹ D lie between 0 and 1, whatever the step.

    So Δv by drag alone has 0 ≤ −v·M·Δv and Δv·M·Δv ≤ −v·M·Δv: energy falls, and v·M·(v + Δv) stays positive. Tolerance:
    rounding.
    """
    body = model(seed)
    rng = np.random.default_rng([seed, 11])
    state = zp.State.neutral(body).at(v=rng.normal(size=body.nv) * 5.0)
    medium = zp.Medium(density=2e4, viscosity=50.0, buoyancy=False)
    with_drag, without = loaded(body, medium, state, dt), loaded(body, None, state, dt)
    change = dt * (with_drag.dofs(at.ACCELERATION) - without.dofs(at.ACCELERATION))
    M = zp.mass_matrix(body, state)
    energy, lost = state.v @ M @ state.v, -(state.v @ M @ change)
    assert 0.0 < lost <= energy * (1.0 + 1e-9)
    assert change @ M @ change <= lost * (1.0 + 1e-9)
    if dt > 1.0:
        assert lost > 0.5 * energy  # the bound is at work


def test_a_long_step_in_syrup_stops_and_does_no_more() -> None:
    """A box thrown into tar at dt = 0.5 s: no component of its velocity ever changes its sign."""
    body = free_body(Box(size=SIZE), touches=True)
    state = zp.State.neutral(body).at(v=np.array([3.0, -2.0, 1.0, 1.0, -2.0, 3.0]))
    life = zp.World(body, space(zp.Medium(density=1300.0, viscosity=100.0), 0.0), dt=0.5).simulate(5.0, state)
    assert life.status.kind == "ended"
    assert np.all(np.diff(life.channels["kinetic"]) <= 0.0)
    assert np.abs(life.final.v).max() < 1e-6


@pytest.mark.parametrize("gravity", [0.0, -G])
def test_a_still_medium_only_takes_energy(gravity: float) -> None:
    """Kinetic and potential energy, that of what is displaced included, fall from frame to frame while a box tumbles."""
    body = free_body(Box(size=SIZE, density=300.0))
    state = zp.State.neutral(body).at(v=np.array([6.0, -4.0, 5.0, 1.0, -2.0, 3.0]))
    medium = zp.Medium(density=1000.0, viscosity=1e-3)
    life = zp.World(body, space(medium, gravity), dt=2e-3, integrator="rk4").simulate(2.0, state)
    assert np.all(np.diff(life.channels["energy"]) < 0.0)


def test_lift() -> None:
    """Law: a body at rest accelerates by (ρV − m) g / m, one of equal density not at all. Tolerance: rounding."""
    shape = Box(size=SIZE, density=400.0)
    body, water = free_body(shape), zp.Medium(density=1000.0)
    expected = (1000.0 / 400.0 - 1.0) * G
    life = zp.World(body, space(water), dt=1e-3, integrator="semi_implicit").simulate(1e-3)
    assert life.final.v[5] == pytest.approx(1e-3 * expected, rel=1e-12)
    still = zp.World(body, space(zp.Medium(density=400.0)), dt=1e-3).simulate(1.0)
    assert np.abs(still.final.v).max() < 1e-12
    sinks = zp.World(body, space(zp.Medium(density=1000.0, buoyancy=False)), dt=1e-3).simulate(0.1)
    assert sinks.final.v[5] < -0.5


def test_lift_acts_where_the_volume_is() -> None:
    """Law: on a hinge the torque is g (ρV·l_V − m·l_m). The mass is given apart from the shape. Tolerance: rounding."""
    shape = Sphere(radius=0.1, position=(0.5, 0.0, 0.0))
    mass = MassProperties(mass=2.0, com=(0.2, 0.0, 0.0), inertia=((0.01, 0, 0), (0, 0.02, 0), (0, 0, 0.03)))
    joint = Joint(kind="hinge", axis=(0.0, -1.0, 0.0))
    body = zp.compile(
        Description(name="arm", bodies=[Body(name="arm", joint=joint, shapes=[shape], mass=mass)])
    )
    world = zp.World(body, space(zp.Medium(density=1000.0)), dt=1e-3, integrator="semi_implicit")
    expected = G * (1000.0 * shape.volume() * 0.5 - 2.0 * 0.2) / (0.02 + 2.0 * 0.2**2)
    assert world.simulate(1e-3).final.v[0] == pytest.approx(1e-3 * expected, rel=1e-9)


def test_wind_carries() -> None:
    """A weightless speck ends up as fast as the wind, and never faster."""
    body = free_body(Sphere(radius=0.05, density=5.0))
    wind = (2.0, -1.0, 0.5)
    medium = zp.Medium(density=1.2, viscosity=0.05, wind=wind, buoyancy=False)
    life = zp.World(body, space(medium, 0.0), dt=5e-3).simulate(4.0)
    np.testing.assert_allclose(life.final.v[3:], wind, rtol=1e-6)
    assert np.all(np.abs(life.v[:, 3:]) <= np.abs(wind) + np.zeros(3))


def test_a_life_in_water_is_honest() -> None:
    """Guards: a light body rises for seconds and gains no energy, since the water that sinks instead loses as much."""
    bodies = [free_body(Box(size=SIZE, density=d), touches=True) for d in (300.0, 800.0, 1200.0)]
    habitat = zp.Habitat(ground=None, medium=zp.Medium(density=1000.0, viscosity=1e-3))
    lives = zp.Herd([*bodies, model(3)], habitat, dt=5e-3, workers=1).simulate(2.0)
    assert [life.status.kind for life in lives[:3]] == ["ended"] * 3
    assert lives[0].com[-1, 2] > 1.0 > -1.0 > lives[2].com[-1, 2]
    assert all(life.energy_gain <= 1e-9 for life in lives[:3])


def test_forces_are_those_of_mujoco() -> None:
    """MuJoCo's inertia model on a free box, still and in wind, at ten poses and velocities. Tolerance: rounding."""
    mujoco = pytest.importorskip("mujoco")
    density, viscosity, wind = 1.3, 0.7, (0.4, -0.3, 0.2)
    text = f"""<mujoco><option density="{density}" viscosity="{viscosity}" wind="{wind[0]} {wind[1]} {wind[2]}"/>
        <worldbody><body><freejoint/><geom type="box" size="0.05 0.1 0.15" density="10"/></body></worldbody></mujoco>"""
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    body = free_body(Box(size=SIZE, density=10.0))
    medium = zp.Medium(density=density, viscosity=viscosity, wind=wind, buoyancy=False)
    rng = np.random.default_rng(12)
    for _ in range(10):
        quaternion = rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        turn, move = 4.0 * rng.normal(size=3), 4.0 * rng.normal(size=3)
        q = np.concatenate([quaternion, [0.1, 0.2, 0.3]])
        block = loaded(body, medium, zp.State.neutral(body).at(q=q, v=np.concatenate([turn, move])), 1e-4)
        start = block.layout.data_offsets[1] + at.FORCE
        torque, force = block.fields[start : start + 3, 0], block.fields[start + 3 : start + 6, 0]
        R = zp.body_poses(body, zp.State.neutral(body).at(q=q))[0][1]
        data.qpos[:3], data.qpos[3:] = (0.1, 0.2, 0.3), quaternion
        data.qvel[:3], data.qvel[3:] = R @ move, turn
        mujoco.mj_forward(theirs, data)
        np.testing.assert_allclose(R @ force, data.qfrc_passive[:3], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(torque, data.qfrc_passive[3:], rtol=1e-12, atol=1e-14)


def test_mujoco_is_told_of_it() -> None:
    """A habitat's medium is written as MuJoCo's own options, with a word about the lift that it does not have."""
    mujoco = pytest.importorskip("mujoco")
    medium = zp.Medium(density=1.3, viscosity=0.7, wind=(0.4, -0.3, 0.2))
    body = free_body(Box(size=SIZE)).description
    document = mjcf_document(body, habitat=zp.Habitat(medium=medium))
    option = mujoco.MjModel.from_xml_string(document.text).opt
    assert (option.density, option.viscosity, *option.wind) == (1.3, 0.7, 0.4, -0.3, 0.2)
    assert any("lift" in warning for warning in document.warnings)


def test_principal_axes() -> None:
    """A = R·diag·Rᵀ with R orthogonal, also where moments are equal or a matrix is diagonal already."""
    rng = np.random.default_rng(13)
    for n in range(20):
        root = rng.normal(size=(3, 3 if n % 2 else 2))
        A = root @ root.T if n else np.diag([3.0, 1.0, 2.0])
        moments, axes = principal_axes(
            [float(A[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
        )
        R = np.array(axes).reshape(3, 3)
        np.testing.assert_allclose(R @ np.diag(moments) @ R.T, A, atol=1e-14 * np.trace(A))
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
        if n == 0:
            assert (np.eye(3) == R).all()


def test_no_medium_leaves_no_trace() -> None:
    """A medium of no density and no viscosity changes no bit of a life on the ground."""
    body = free_body(Box(size=SIZE), touches=True)
    lives = [
        zp.World(body, zp.Habitat(medium=medium, ground=zp.Plane()), dt=5e-3, overlap="resolve").simulate(0.5)
        for medium in (None, zp.Medium())
    ]
    assert (lives[0].q == lives[1].q).all()


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"density": -1.0}, "density"), ({"viscosity": math.inf}, "viscosity"), ({"wind": (1.0, 2.0)}, "wind"),
     ({"density": "thick"}, "density"), ({"buoyancy": 1}, "buoyancy")],
)  # fmt: skip
def test_nonsense_is_refused(fields: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        zp.Medium(**fields)
    with pytest.raises(UsageError, match="medium"):
        zp.Habitat(medium=1000.0)  # type: ignore[arg-type]


def test_contact_settings_know_nothing_of_it() -> None:
    """Blocks with contact and medium hold both sections, one behind the other."""
    body = free_body(Box(size=SIZE), touches=True)
    block = Block([body] * 4, contact=ContactSettings(zp.Plane()), medium=AIR)
    assert block.contact is not None and block.medium is not None
    assert block.medium.start == body.layout.data_size
    assert block.contact.data_start == body.layout.data_size + block.medium.data_size
    assert int(block.ints[at.MEDIUM]) == 4 * block.medium.start
