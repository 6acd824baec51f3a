"""Controllers: held values, sines and tables, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from bodies import every_kind
from zoophyte.cli.arguments import find_controller
from zoophyte.control import Command, Controller, Hold, Senses, Sine, Table
from zoophyte.description import Body, Capsule, Description, Joint, Servo, Sphere
from zoophyte.errors import UsageError


def two_joints(**joint: Any) -> zp.Model:
    """A hinge and a slide."""
    hinge, slide = Joint(kind="hinge", axis=(0, 1, 0), **joint), Joint(kind="slide", axis=(0, 0, 1), **joint)
    bodies = [
        Body(name="turn", joint=hinge, shapes=[Sphere(radius=0.1, position=(0, 0, -0.5))]),
        Body(name="push", parent="turn", joint=slide, shapes=[Sphere(radius=0.1)]),
    ]
    return zp.compile(Description(name="two", bodies=bodies))


def senses(model: zp.Model, time: float = 0.0) -> Senses:
    state = zp.State.neutral(model)
    return Senses(model, time, state.q, state.v)


def value(command: Command, time: float) -> Any:
    """The signals of a command at a time, by their definition."""
    held, rate, curve, start, amplitude, frequency, phase = command.signals.T
    s = time - start
    return held + rate * s + 0.5 * curve * s**2 + amplitude * np.sin(frequency * time + phase)


@pytest.mark.parametrize("controller", [Hold(0.5), Sine(0.5), Table([[0.0, 0.0]], rate=10.0)])
def test_they_are_controllers(controller: Controller) -> None:
    model = two_joints()
    assert isinstance(controller, Controller)
    memory = controller.begin(model)
    command, after = controller.command(senses(model), memory)
    assert command.signals.shape == (2, 7)
    assert memory.size == after.size == 0
    assert command.next_call is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [(0.5, [0.5, 0.5]), ([1.0, 2.0], [1.0, 2.0]), ({"push": 3.0}, [0.0, 3.0]), ({0: 1.5}, [1.5, 0.0])],
)
def test_held_values(values: Any, expected: list[float]) -> None:
    command, _ = Hold(values).command(senses(two_joints()), np.zeros(0))
    for time in (0.0, 10.0):
        assert value(command, time).tolist() == expected


def test_arrays_may_leave_out_what_obeys_nobody() -> None:
    """Of four degrees of freedom two have actuators: an array of two is theirs, which used to be refused."""
    joint = Joint(kind="hinge", axis=(0, 1, 0))
    bodies = [Body(name=name, joint=joint.model_copy(), shapes=[Sphere(radius=0.1)]) for name in "abcd"]
    for body in bodies[1::2]:
        body.joint.actuator = Servo(stiffness=1.0, damping=0.1)
    model = zp.compile(Description(name="four", bodies=bodies))
    controller = Sine(amplitude=[1.0, 2.0], frequency=0.0, phase=[9.0, 0.5 * np.pi, 9.0, 0.5 * np.pi])
    command, _ = controller.command(senses(model), np.zeros(0))
    assert value(command, 0.0).tolist() == [0.0, 1.0, 0.0, 2.0]
    command, _ = Hold([0.1, 0.2]).command(senses(model), np.zeros(0))
    assert value(command, 1.0).tolist() == [0.0, 0.1, 0.0, 0.2]
    with pytest.raises(
        UsageError, match=r"four: amplitude has shape \(3,\), must be .*; or \(2,\), one for each that is"
    ):
        Sine(amplitude=[1.0, 2.0, 3.0]).begin(model)


@pytest.mark.parametrize(
    ("controller", "words"),
    [
        (
            Hold([1.0, 2.0, 3.0]),
            r"two: values has shape \(3,\), must be one number, \(2,\), or a mapping of names",
        ),
        (Hold(np.nan), "two: values holds a value that is not finite"),
        (
            Hold({"trun": 1.0}),
            r"two: there is no degree of freedom 'trun', which values names\. Did you mean 'turn'\?",
        ),
        (Sine(frequency=np.inf), "two: frequency holds a value that is not finite"),
        (Sine(amplitude=[1.0]), r"two: amplitude has shape \(1,\)"),
        (
            Sine(phase="x"),
            r"two: phase is 'x', must be one number.* with an actuator or without: turn, push\.",
        ),
        (
            Sine(phase={"wheel": 1.0}),
            r"no degree of freedom 'wheel', which phase names\. Known: turn, push\.",
        ),
        (Table([[1.0]], rate=10.0), r"two: samples has shape \(1, 1\), must be \(n, 2\) with n ≥ 1"),
        (Table(np.zeros((0, 2)), rate=10.0), r"two: samples has shape \(0, 2\)"),
        (Table([[1.0, np.nan]], rate=10.0), "samples holds a value that is not finite"),
        (
            Table([[1.0, 2.0]], rate=-1.0),
            r"rate is -1.0, must be a positive number of samples per second \[Hz\]",
        ),
        (Table([[1.0, 2.0]], rate=0.0), "rate is 0.0, must be a positive number"),
        (Table([[1.0, 2.0]], rate=np.nan), "rate is nan, must be a positive number"),
        (
            Table([[1.0, 2.0]], rate=1.0, interpolation="cubic"),
            "interpolation is 'cubic', must be 'linear' or 'hold'",
        ),
        (Table({"turn": [1.0], "push": [1.0, 2.0]}, rate=1.0), "samples of 'turn' has 1 row, others have 2"),
        (Table({}, rate=1.0), "samples"),
    ],
)
def test_what_they_refuse(controller: Any, words: str) -> None:
    """A world refuses it before anything moves, whichever Python runs it (3.11 reads properties to check a protocol)."""
    with pytest.raises(UsageError, match=words):
        zp.World(two_joints(), controller=controller).simulate(0.01)


def test_sines() -> None:
    """Law: offset + amplitude·sin(2π f t + phase). Oracle: NumPy; rounding."""
    model = two_joints()
    controller = Sine(amplitude={"turn": 0.5}, frequency=[2.0, 3.0], phase=0.25, offset=-1.0)
    assert controller.period is None
    command, _ = controller.command(senses(model), controller.begin(model))
    for time in (0.0, 0.1, 7.3):
        expected = [-1.0 + 0.5 * np.sin(4.0 * np.pi * time + 0.25), -1.0]
        assert value(command, time) == pytest.approx(expected, abs=1e-14)


SAMPLES = np.array([[0.0, 1.0], [0.3, -1.0], [-0.2, 0.5], [0.1, 0.25]])


@pytest.mark.parametrize("interpolation", ["linear", "hold"])
@pytest.mark.parametrize("dt", [1e-3, 7e-4, 0.01])
def test_tables_are_exact(interpolation: Any, dt: float) -> None:
    """Law: a driven coordinate moves along the table at every recorded time, and keeps the last sample for ever.

    Oracle: NumPy's interpolation; tolerance: rounding. dt need not divide the time between samples.
    """
    model = two_joints(driven=True)
    controller = Table(SAMPLES, rate=20.0, interpolation=interpolation)
    life = zp.World(model, controller=controller, dt=dt).simulate(0.3)
    grid = np.arange(len(SAMPLES)) / 20.0
    times = life.times[1:]
    between = np.min(np.abs(times[:, None] - grid), axis=1) > 1e-12
    assert between.sum() > 20
    for column in range(2):
        if interpolation == "linear":
            expected = np.interp(times, grid, SAMPLES[:, column])
            assert np.max(np.abs(life.q[1:, column] - expected)) < 1e-15
        else:
            row = np.clip((times * 20.0).astype(int), 0, len(SAMPLES) - 1)
            expected = SAMPLES[row, column]
            assert np.array_equal(life.q[1:, column][between], expected[between])
            assert not np.any(life.v[1:, column])


def test_tables_by_name() -> None:
    model = two_joints()
    controller = Table({"push": [1.0, 2.0]}, rate=1.0)
    controller.begin(model)
    command, _ = controller.command(senses(model), np.zeros(0))
    assert value(command, 0.5).tolist() == [0.0, 1.5]


@pytest.mark.parametrize("time", [0.0, 0.01, 0.04, 0.06, 0.1, 0.14, 0.149, 0.2, 5.0])
def test_tables_can_be_entered_at_any_time(time: float) -> None:
    """Law: the command holds from the time it is asked at, on the grid or off it. Oracle: NumPy; rounding."""
    model = two_joints()
    grid = np.arange(len(SAMPLES)) / 20.0
    linear, _ = Table(SAMPLES, rate=20.0).command(senses(model, time), np.zeros(0))
    expected = [np.interp(time, grid, SAMPLES[:, column]) for column in range(2)]
    assert value(linear, time) == pytest.approx(expected, abs=1e-14)
    held, _ = Table(SAMPLES, rate=20.0, interpolation="hold").command(senses(model, time), np.zeros(0))
    row = min(int(time * 20.0 + 1e-9), len(SAMPLES) - 1)
    assert value(held, time).tolist() == SAMPLES[row].tolist()


def test_commands() -> None:
    ramp = Command.ramp([1.0, 2.0], [0.5, 0.0], start=3.0)
    assert value(ramp, 5.0).tolist() == [2.0, 2.0]
    torques = Command.torques([1.0, -1.0])
    assert torques.torque.tolist() == [1.0, -1.0]
    assert not np.any(torques.signals)


def test_senses(rng: np.random.Generator) -> None:
    model = zp.compile(every_kind(rng))
    state = zp.State.neutral(model)
    q, v = np.arange(model.nq, dtype=float), -np.arange(model.nv, dtype=float)
    felt = Senses(model, 1.0, q, v)
    assert felt.position("body1") == 7.0  # behind the seven of the free trunk
    assert felt.position("body4.1") == q[model.q_start[model.dofs.link[model.dof_index("body4.1")]]] == 13.0
    assert felt.velocity("body3.y") == -8.0
    assert state.q.size == model.nq
    with pytest.raises(UsageError, match="no degree of freedom"):
        felt.position("elbow")
    with pytest.raises(UsageError, match="body3"):
        felt.position("body3.y")  # a ball joint has no single coordinate


def test_a_free_body_is_told_by_its_degrees_of_freedom() -> None:
    model = zp.compile(zp.zoo.ant())
    with pytest.raises(
        UsageError,
        match=r"no degree of freedom 'torso', which phase names\. Those of body torso: torso\.turn_x",
    ):
        Sine(phase={"torso": 1.0}).begin(model)


@pytest.mark.parametrize(
    ("body", "words"),
    [("pusg", r"force_on\('pusg'\): there is no such body\. Bodies: ground, turn, push\. Did you mean 'push'\?"),
     (None, r"force_on\(None\): there is no such body\. Bodies: ground, turn, push"), (3.5, r"force_on\(3\.5\)")],
)  # fmt: skip
def test_forces_on_no_body_are_refused_with_the_names(body: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        senses(two_joints()).force_on(body)


def test_the_initial_pose_can_be_held() -> None:
    """`--controller hold` drove every joint to 0.5 rad; a posed body snapped out of its pose."""
    servo = Servo(stiffness=20.0, damping=1.0)
    turned = (math.cos(0.3), 0.6 * math.sin(0.3), 0.0, 0.8 * math.sin(0.3))
    shape = Capsule(radius=0.02, length=0.3)
    bodies = [
        Body(
            name="a", joint=Joint(kind="hinge", axis=(0, 1, 0), initial=0.7, actuator=servo), shapes=[shape]
        ),
        Body(name="b", parent="a", joint=Joint(kind="ball", initial=turned, actuator=servo), shapes=[shape]),
        Body(name="c", joint=Joint(kind="hinge", axis=(0, 1, 0), initial=-0.4, driven=True), shapes=[shape]),
    ]
    body = zp.Description(name="posed", bodies=bodies)
    world = zp.World(body, habitat=zp.Habitat(gravity=(0, 0, 0)), controller=Hold("initial"), dt=5e-3)
    life = world.simulate(0.5)
    np.testing.assert_allclose(life.q, np.broadcast_to(life.q[0], life.q.shape), atol=1e-9)
    assert find_controller("hold", None, None) == Hold("initial")
    assert find_controller("hold", 0.2, None) == Hold(0.2)


def test_a_table_prints_one_line_that_tells_it_from_others() -> None:
    """It printed all of its samples."""
    keyed = Table.keys([0.0, 20.0], {f"joint {n}": [0.0, float(n)] for n in range(9)})
    assert "\n" not in repr(keyed) and len(repr(keyed)) < 160 and "1001 samples of joint 0" in repr(keyed)
    assert repr(Table({"a": [0.0, 1.0]}, 10.0)) != repr(Table({"a": [0.0, 1.1]}, 10.0))
    assert repr(Table([[0.0], [1.0]], 10.0)) == repr(Table([[0.0], [1.0]], 10.0))
