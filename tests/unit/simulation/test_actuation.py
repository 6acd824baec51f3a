"""Channels of actuators: what they were told, and what they did with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.algebra.quaternions import quaternion_log, right_jacobian_inverse_transposed
from zoophyte.control import Command, Hold, Sine, Table
from zoophyte.description import Body, Box, Description, Joint, MassProperties, Motor, Servo, Surface
from zoophyte.errors import UsageError
from zoophyte.simulation.channels import actuation_names, find_channel
from zoophyte.simulation.herd import Herd


def crane(actuator: Servo | Motor | None, *, kind: str = "hinge", **more: Any) -> Description:
    """One arm on a post, along x."""
    axis = {"axis": (0.0, 1.0, 0.0)} if kind in ("hinge", "slide") else {}
    joint = Joint(kind=kind, actuator=actuator, **axis, **more)
    arm = Body(
        name="arm", joint=joint, shapes=[Box(size=(0.4, 0.05, 0.05), position=(0.2, 0.0, 0.0), density=500.0)]
    )
    return Description(name="crane", bodies=[arm])


class Push:
    """Joint forces of its own."""

    period: float | None = 0.1

    def begin(self, model: zp.Model) -> Any:
        return np.zeros(0)

    def command(self, senses: Any, memory: Any) -> Any:
        return Command.torques([2.0 + senses.time]), memory


@pytest.mark.parametrize("integrator", ["implicit", "semi_implicit", "ros2", "rk4"])
def test_a_held_joint_is_told_with_command_and_force(integrator: str) -> None:
    """Lives did not tell what actuators were told and did.

    Law: force = stiffness·(command − q) − damping·v in every frame, whatever the step. Tolerance: rounding.
    """
    world = zp.World(
        crane(Servo(stiffness=50.0, damping=2.0), damping=0.3, stiffness=7.0), controller=Hold(0.5), dt=1e-3,
        integrator=integrator,
    )  # fmt: skip
    life = world.simulate(0.5)
    command, q, v = (life.channel(f"{name}:arm") for name in ("command", "q", "v"))
    assert np.all(command == 0.5)
    expected = 50.0 * (command - q) - 2.0 * v
    assert life.channel("actuator_force:arm") == pytest.approx(expected, rel=1e-14, abs=1e-13)
    assert np.ptp(expected) > 1.0


def test_the_force_is_the_one_that_moved_the_arm() -> None:
    """Law: over a step of backward Euler, I Δω = τ Δt with all other forces at the step's end, where gravity is none.

    The force of a frame is that of the step which ends there, implicit term and all. Tolerance: rounding of differences.
    """
    body = crane(Servo(stiffness=80.0, damping=3.0))
    life = zp.World(
        body, zp.Habitat(gravity=(0.0, 0.0, 0.0)), Sine(amplitude=0.7, frequency=2.0), dt=5e-3, integrator="implicit"
    ).simulate(0.5)  # fmt: skip
    inertia = zp.mass_matrix(zp.compile(body), zp.State.neutral(zp.compile(body)))[0, 0]
    made = inertia * np.diff(life.v[:, 0]) / life.dt
    assert life.channel("actuator_force:arm")[1:] == pytest.approx(made, rel=1e-9, abs=1e-9)


def first_order(body: Description, command: Any, begin: Any) -> float:
    """How many times larger the difference between the force told and M Δω/Δt is with twice the step."""
    model = zp.compile(body)
    M = zp.mass_matrix(model, zp.State.neutral(model))
    errors = []
    for dt in (2e-3, 1e-3):
        world = zp.World(model, zp.Habitat(gravity=(0.0, 0.0, 0.0)), Hold(command), dt, integrator="implicit")
        life = world.simulate(0.2, zp.State.neutral(model).at(q=begin))
        change = np.diff(life.v, axis=0)
        error = np.abs(life.channels["actuator_force"][1:] - change @ M / dt)
        if model.nv == 1:
            assert np.all(error <= 3.0 * np.abs(change) / 4.0 + 1e-9)
        errors.append(float(error.max()))
    return errors[0] / errors[1]


def test_what_is_told_differs_in_first_order_where_the_step_looks_at_its_start() -> None:
    """Law: half the step, half the difference between the force told and M Δω/Δt, of motors that fade and of ball servos.

    The ball joint holds a body whose inertia is a number, so that M Δω is all. A motor's difference is bounded by
    strength·|Δv|/max_speed. Tolerance: terms of second order, a tenth of the ratio.
    """
    assert first_order(crane(Motor(strength=3.0, max_speed=4.0)), 1.0, [0.0]) == pytest.approx(2.0, rel=0.1)
    joint = Joint(kind="ball", actuator=Servo(stiffness=40.0, damping=1.0))
    top = Body(name="top", joint=joint, mass=MassProperties(mass=1.0, inertia=0.3 * np.eye(3)))
    body = Description(name="top", bodies=[top])
    assert first_order(body, [0.6, -0.4, 0.3], [0.5, 0.5, -0.5, 0.5]) == pytest.approx(2.0, rel=0.1)


def test_commands_are_those_of_the_step_that_ended() -> None:
    """Claim: where a table jumps at t, the frame of t has the old value, the next the new; ramps and sines as they are."""
    body = crane(Servo(stiffness=50.0, damping=2.0))
    held = zp.World(body, controller=Table([[0.1], [0.4], [0.2]], 10.0, "hold"), dt=1e-2).simulate(0.25)
    k = np.arange(26)
    expected = np.select([k <= 10, k <= 20], [0.1, 0.4], 0.2)
    assert held.channel("command:arm") == pytest.approx(expected, abs=1e-15)
    lines = zp.World(body, controller=Table([[0.1], [0.4], [0.2]], 10.0), dt=1e-2).simulate(0.25)
    expected = np.interp(lines.times, [0.0, 0.1, 0.2], [0.1, 0.4, 0.2])
    assert lines.channel("command:arm") == pytest.approx(expected, abs=1e-14)
    wave = zp.World(body, controller=Sine(amplitude=0.3, frequency=3.0, phase=0.2, offset=0.1), dt=1e-2)
    life = wave.simulate(0.25, record_rate=50.0)
    expected = 0.1 + 0.3 * np.sin(6.0 * np.pi * life.times + 0.2)
    assert life.channel("command:arm") == pytest.approx(expected, abs=1e-14)


def test_a_motor_is_cut_to_its_strength_and_fades() -> None:
    """Law: strength·clamp(u, ±1), less the faster it drives; a command beyond 1 is told as it was given."""
    body = crane(Motor(strength=3.0, max_speed=4.0), damping=0.05)
    life = zp.World(body, controller=Sine(amplitude=1.6, frequency=0.7), dt=1e-3).simulate(3.0)
    u, v = life.channel("command:arm"), life.channel("v:arm")
    push = np.clip(u, -1.0, 1.0)
    expected = 3.0 * push * np.where(push * v > 0.0, np.maximum(1.0 - np.abs(v) / 4.0, 0.0), 1.0)
    assert u.max() > 1.5 and np.any((push * v > 0.0) & (np.abs(v) > 1.0))
    assert life.channel("actuator_force:arm") == pytest.approx(expected, abs=1e-14)


def test_a_weak_servo_gives_no_more_than_it_has() -> None:
    """Claim: at its limit the force is exactly max_force, below it the spring's and damper's of the step's end.

    Oracle: the law, where the solver had nothing but the servo to solve. Tolerance: the solver's own, 1e-6 of the force.
    """
    body = crane(Servo(stiffness=50.0, damping=2.0, max_force=2.0))
    life = zp.World(body, controller=Hold(0.5), dt=1e-3).simulate(1.0)
    force = life.channel("actuator_force:arm")
    law = 50.0 * (0.5 - life.q[:, 0]) - 2.0 * life.v[:, 0]
    assert force.max() == pytest.approx(2.0, rel=1e-9) and np.abs(force).max() <= 2.0 * (1.0 + 1e-9)
    assert force == pytest.approx(np.clip(law, -2.0, 2.0), abs=1e-5)
    assert np.any(law > 2.5) and np.any(np.abs(force) < 1.9)


def test_the_force_of_a_weak_servo_is_the_one_that_acted() -> None:
    """Law: M Δv/Δt = forces of the servos + loads, for three carts, each on the one before, whose masses M do not change.

    Servos give in most of the time, and there is but one sweep in a step: what the solver found is not quite what the law
    says of the step's end, and it is what moved the carts. Tolerance: rounding of differences.
    """
    names = ["cart", "rider", "tip"]
    bodies = [
        Body(name=name, parent=parent, mass=MassProperties(mass=kilograms, inertia=np.eye(3)),
             joint=Joint(kind="slide", axis=(1, 0, 0), actuator=Servo(stiffness=200.0, damping=1.0, max_force=3.0)))
        for name, parent, kilograms in zip(names, ["ground", *names], [1.0, 2.0, 3.0], strict=False)
    ]  # fmt: skip
    train = zp.compile(Description(name="train", bodies=bodies))
    world = zp.World(
        train, zp.Habitat(gravity=(-2.0, 0.0, 0.0)), Sine(amplitude=0.3, frequency=1.5), dt=5e-3,
        integrator="implicit", sweeps=1,
    )  # fmt: skip
    life = world.simulate(1.0)
    load = -2.0 * np.array([6.0, 5.0, 3.0])
    acted = np.diff(life.v, axis=0) @ zp.mass_matrix(train, zp.State.neutral(train)) / life.dt - load
    force = life.channels["actuator_force"][1:]
    assert force == pytest.approx(acted, abs=1e-11)
    saturated = np.abs(force) > 3.0 * (1.0 - 1e-12)
    assert saturated.any(axis=0).all() and not saturated.all()
    law = np.clip(200.0 * (life.channels["command"] - life.q) - 1.0 * life.v, -3.0, 3.0)[1:]
    assert np.abs(law - acted).max() > 1e-2


def test_a_ball_joint_is_told_alike_by_either_quaternion() -> None:
    """Law: q and −q are the same rotation, so that servos pull alike; half of all quaternions have a negative w."""
    body = crane(Servo(stiffness=40.0, damping=1.0), kind="ball")
    world = zp.World(body, controller=Hold([0.6, -0.4, 0.3]), dt=1e-3)
    begin = zp.State.neutral(world.model)
    turned = begin.at(q=[0.5, 0.5, -0.5, 0.5])
    one, other = world.simulate(0.2, turned), world.simulate(0.2, begin.at(q=-turned.q))
    assert (other.q[:, 0] < 0.0).all()
    assert other.channels["actuator_force"] == pytest.approx(one.channels["actuator_force"], abs=1e-11)
    assert np.abs(one.channels["actuator_force"]).max() > 10.0


def test_servos_of_ball_joints_pull_along_the_gradient() -> None:
    """Oracle: J_r⁻ᵀ(φ) k (h − φ) − b ω, by the algebra that the kernel uses. Tolerance: rounding."""
    body = crane(Servo(stiffness=40.0, damping=1.0), kind="ball")
    life = zp.World(body, controller=Hold([0.6, -0.4, 0.3]), dt=1e-3).simulate(0.6, record_rate=50.0)
    assert life.channel("actuator_force:arm").shape == (len(life), 3)
    for n in range(len(life)):
        phi = quaternion_log(tuple(life.q[n]))
        pull = tuple(40.0 * (h - x) for h, x in zip((0.6, -0.4, 0.3), phi, strict=True))
        expected = np.array(right_jacobian_inverse_transposed(phi, pull)) - life.v[n]
        assert life.channels["actuator_force"][n] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_power_adds_up_to_the_work_of_a_herd(dtype: Any) -> None:
    """Law: Σ force·v·dt over all steps is the work, and Σ |force·v|·dt the effort, that a herd's life reports.

    Tolerance: rounding; of sums in float32 1e-4.
    """
    scene = zp.zoo.scene("walking_ant")
    model = zp.compile(scene.description)
    herd = Herd([model], scene.habitat, scene.controller, dt=scene.dt, dtype=dtype)
    (told,) = herd.simulate(1.0)
    life = herd.world(0).simulate(1.0)
    dofs = [model.dof_index(name) for name, _ in actuation_names(life.description, "command")]
    power = (life.channels["actuator_force"] * life.v[:, dofs])[1:] * scene.dt
    tolerance = 1e-11 if dtype == np.float64 else 1e-4
    assert power.sum() == pytest.approx(told.work[-1], rel=tolerance)
    assert np.abs(power).sum() == pytest.approx(told.effort, rel=tolerance)
    assert told.effort > 1.0


def test_a_life_that_goes_on_tells_the_same() -> None:
    """Claim: cut in two, a life has the same channels bit for bit, a weak servo's among them."""
    body = crane(Servo(stiffness=50.0, damping=2.0, max_force=1.5))
    world = zp.World(body, controller=Sine(amplitude=0.8, frequency=2.0), dt=2e-3)
    whole = world.simulate(0.6)
    first = world.simulate(0.3)
    second = world.simulate(0.3, first.final)
    for name in ("command", "actuator_force"):
        together = np.concatenate([first.channels[name], second.channels[name][1:]])
        assert np.array_equal(together, whole.channels[name])
        assert np.array_equal(second.channels[name][0], first.channels[name][-1])


def test_forces_of_a_controller_are_told() -> None:
    """Claim: joint forces that need no actuator are a channel of their own, where there are any."""
    life = zp.World(crane(None), controller=Push(), dt=1e-2).simulate(0.25)
    step = np.maximum(np.ceil(life.times / 0.1 - 1e-6) - 1.0, 0.0)
    assert life.channel("applied_force:arm") == pytest.approx(2.0 + 0.1 * step, abs=1e-12)
    assert "command" not in life.channels
    still = zp.World(crane(None), dt=1e-2).simulate(0.1)
    assert not {"command", "actuator_force", "applied_force"} & set(still.channels)


def test_channels_go_through_files(tmp_path: Path) -> None:
    """Claim: NPZ and CSV keep them, with the names of the degrees of freedom."""
    knee = Body(
        name="knee", parent="arm", joint=Joint(kind="hinge", position=(0.4, 0.0, 0.0), axis=(0.0, 1.0, 0.0)),
        shapes=[Box(size=(0.2, 0.05, 0.05), position=(0.1, 0.0, 0.0))],
    )  # fmt: skip
    wrist = knee.altered(
        name="wrist", parent="knee",
        joint=Joint(kind="universal", position=(0.2, 0.0, 0.0), actuator=Motor(strength=1.0)),
    )  # fmt: skip
    body = crane(Servo(stiffness=50.0)).altered(surface=Surface())
    body.bodies += [knee, wrist]
    life = zp.World(body, zp.Habitat(ground=None), Sine(amplitude=0.2), dt=2e-3).simulate(0.05)
    assert life.channel("command:wrist").shape == (len(life), 2)
    for name, unit in (("command:arm", "rad"), ("command:wrist.1", ""), ("actuator_force:wrist.0", "N·m")):
        assert name in life.channel_names() and name in life.plot(name).svg
        assert find_channel(life, name).unit == unit
    life.save(tmp_path / "life.npz")
    back = zp.Trajectory.load(tmp_path / "life.npz")
    assert np.array_equal(back.channel("command:wrist.1"), life.channel("command:wrist.1"))
    life.export(tmp_path / "life.csv")
    header = (tmp_path / "life.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    table = np.loadtxt(tmp_path / "life.csv", delimiter=",", skiprows=1)
    for name in ("command:arm", "command:wrist.0", "actuator_force:wrist.1"):
        assert np.array_equal(table[:, header.index(name)], life.channel(name))
    with pytest.raises(UsageError, match="command:knee"):
        life.channel("command:knee")
