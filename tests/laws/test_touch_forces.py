"""Forces of contact as controllers feel them and lives record them: at blows, in shortened steps, and of what sleeps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pytest

import zoophyte as zp
from bodies import Floats
from zoophyte.control import Command
from zoophyte.control.controller import Senses
from zoophyte.description import Body, Box, Joint, Sphere
from zoophyte.physics.dynamics.totals import LINEAR
from zoophyte.physics.living import advance
from zoophyte.simulation.touching import remembered_forces
from zoophyte.validation.scenes import (
    DT,
    TOLERANCE,
    G,
    Lived,
    block_of,
    live,
    lone,
    model_of,
    on,
)

ROUNDING = 1e-10
"""Part of a blow that roundings of a step may lose: some hundred operations of 1e-16, with cancelling."""


@dataclass(eq=False)
class Feel:
    """Asks for nothing, and remembers when it felt what."""

    period: float | None
    times: list[float] = field(default_factory=list)
    touch: list[Floats] = field(default_factory=list)

    def begin(self, model: zp.Model) -> Floats:
        return np.zeros(0)

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        self.times.append(senses.time)
        self.touch.append(senses.force_on("body"))
        return Command.hold(np.zeros(senses.model.nv)), memory


# ------------------------------------------------------------------------------------------------------- blows


def thrown() -> tuple[zp.Model, zp.State]:
    """A ball, thrown down obliquely and spinning; it meets the ground after some steps."""
    model = model_of(lone(Sphere(radius=0.1), place=(0.0, 0.0, 0.117)), friction=0.4, restitution=0.8)
    return model, zp.State.neutral(model).at(v=[3.0, -20.0, 1.0, 2.0, 0.5, -3.0])


def assert_balanced(momentum: Floats, felt: Floats, mass: float) -> None:
    """Law: Δp = dt·(F + m g) in every step, all three components, and one of the steps is a blow."""
    change, weight = np.diff(momentum, axis=0), mass * np.array([0.0, 0.0, -G])
    blow = np.abs(change[:, 2]).max()
    assert blow > mass * 3.0 * 1.7  # (1 + e)·v, less what the solver takes for speed that gravity would bring
    assert np.abs(change - DT * (felt + weight)).max() < ROUNDING * blow


def test_a_controller_feels_a_blow() -> None:
    """Law: momentum.  Oracle: Δp of the recorded motion; what is felt comes from the solver's memory.

    A bounce is made in two parts, the blow and what the sweeps add; a memory of the second part alone feels nothing at all
    of a clean bounce.  Tolerance: rounding.
    """
    model, start = thrown()
    feel = Feel(DT)
    life = zp.World(model, habitat=on(0.4), controller=feel, dt=DT).simulate(0.03, state=start)
    steps = len(feel.touch) - 1
    assert feel.times == pytest.approx(life.times[: steps + 1], abs=1e-12)
    assert_balanced(life.channels["momentum"][: steps + 1], np.array(feel.touch[1:]), model.total_mass)


def test_all_lanes_feel_their_blows() -> None:
    """As above, with the ball thrown from another height in each lane, so that no two bounce in the same step."""
    model, start = thrown()
    starts = [start.at(q=start.q + np.array([0, 0, 0, 0, 0, 0, 0.004 * n])) for n in range(8)]
    block = block_of([model] * 8, starts, habitat=on(0.4))
    felt = np.zeros((30, 8, 3))
    for step in felt:
        advance(block, 1)
        step[:] = [remembered_forces(block, lane)[1] for lane in range(8)]
    lives = live([model] * 8, starts, width=8, seconds=30 * DT, every=1, habitat=on(0.4))
    blows = set()
    for lane, life in enumerate(lives):
        p = momenta(life)
        blows.add(int(np.abs(np.diff(p[:, 2])).argmax()))
        assert_balanced(p, felt[:, lane], model.total_mass)
    assert len(blows) == 8


def momenta(life: Lived) -> Floats:
    return life.sums()[:, LINEAR : LINEAR + 3]


# -------------------------------------------------------------------------------------------- shortened steps


@pytest.mark.parametrize("part", [0.5, 0.1])
def test_a_shortened_step_feels_the_same_weight(part: float) -> None:
    """Law: what rests presses with its weight, however long the step was.  Oracle: m g.

    The controller's alarm ends every second step early, after `part` of it.  A memory of impulses, over the whole step,
    would feel that part of the weight only.  Tolerance: sweeps end at 1e-5 of g·dt, which is more of the shorter step.
    """
    model = model_of(lone(Box(size=(0.1, 0.1, 0.1)), place=(0.0, 0.0, 0.05)))
    feel = Feel((1.0 + part) * DT)
    life = zp.World(model, controller=feel, dt=DT).simulate(0.05)
    assert np.ptp(np.round(np.diff(life.times) / DT, 6)) == pytest.approx(1.0 - part)  # some steps were short
    weight = model.total_mass * G
    later = np.array(feel.touch)[5:]
    assert len(later) > 20
    assert np.abs(later - [0.0, 0.0, weight]).max() < 2.0 * TOLERANCE / part * weight
    assert (
        np.abs(life.q[:, 6] - 0.05).max() < 1e-8
    )  # nor does the box stir: each step starts from the right impulse


# ----------------------------------------------------------------------------------------------------- sleepers

BEGIN, END = 1.0, 1.05
"""When the lift of the first box acts [s]."""
LONG_STEP = 5e-3


@dataclass(frozen=True)
class Lift:
    """Pulls the first box up with three times its weight for a while."""

    force: float
    period: float | None = None

    def begin(self, model: zp.Model) -> Floats:
        return np.zeros(0)

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        soon = 1e-9
        pulls = BEGIN - soon <= senses.time < END - soon
        torque = np.zeros(senses.model.nv)
        torque[5] = self.force if pulls else 0.0
        following = BEGIN if senses.time < BEGIN - soon else END if pulls else None
        return Command(Command.torques(torque).signals, following, torque), memory


@pytest.fixture(scope="module")
def boxes() -> zp.Model:
    """Thirty boxes: enough of them that what rests sleeps.  One stands on another, and one on a plate that is fixed."""
    places = [(0.3 * (n % 6), 0.3 * (n // 6), 0.05) for n in range(28)]
    places += [(0.3, 0.0, 0.15), (-1.0, 0.0, 0.15)]
    size = (0.1, 0.1, 0.1)
    crowd = [lone(Box(size=size), place=place, name=f"box{n}") for n, place in enumerate(places)]
    plate = Body(name="plate", joint=Joint(position=(-1.0, 0.0, 0.05)), shapes=[Box(size=(0.5, 0.5, 0.1))])
    return model_of(*crowd, plate, friction=0.5)


@pytest.fixture(scope="module")
def slept(boxes: zp.Model) -> zp.Trajectory:
    """They fall asleep after half a second; the first is lifted at 1 s, falls, and sleeps again."""
    lift = Lift(3.0 * boxes.total_mass * G / 30)
    return zp.World(boxes, controller=lift, dt=LONG_STEP).simulate(2.2)


def carried(life: zp.Trajectory) -> Floats:
    """The sum of all recorded forces at every frame.

    Each acts on the first body of its pair: the ground holds 28 boxes and what stands on one of them, the plate holds one
    box, and the box that bears another is pressed down by it: 29 + 1 − 1 weights.
    """
    places = life.channels["contact_forces"].reshape(len(life.times), -1, 6)
    return np.asarray(places[:, :, 3:].sum(axis=1))


def weights(model: zp.Model, count: int) -> Floats:
    return np.array([0.0, 0.0, count * model.total_mass * G / 30])


def is_asleep(life: zp.Trajectory, frame: int) -> bool:
    """Velocities of sleepers are zero to the last bit; at rest awake they are not."""
    return not np.any(life.v[frame])


def test_sleepers_press_with_their_weight(boxes: zp.Model, slept: zp.Trajectory) -> None:
    """Law: Σ F = m g at rest, 29 times as `carried` counts.  Tolerance: sweeps end at 1e-5 of g dt."""
    forces, at = carried(slept), {t: round(t / LONG_STEP) for t in (0.3, 0.9, 1.0, 1.2, 2.2)}
    bound = TOLERANCE * weights(boxes, 30)[2]
    for time in (0.9, 1.0, 2.2):
        assert is_asleep(slept, at[time]), time
    assert not is_asleep(slept, at[0.3])
    for time in (0.3, 0.9, 1.0, 2.2):
        assert np.abs(forces[at[time]] - weights(boxes, 29)).max() < bound, time
    assert np.abs(forces[at[1.2]] - weights(boxes, 28)).max() < bound
    asleep = forces[at[0.9] : at[1.0]]
    assert np.ptp(asleep, axis=0).max() == 0.0


def test_falling_asleep_ends_no_touch_and_waking_does(boxes: zp.Model, slept: zp.Trajectory) -> None:
    """Who sleeps still touches; who is pulled up leaves, and comes back when it has fallen.

    Oracle: with 2 g upwards for 50 ms it is back after t + √(2 h / g) more, v = 2 g t and h = ½ v t + ½ v²/g.
    """
    first = {event.bodies for event in slept.events if event.time < 0.1 and event.kind == "begin"}
    on_ground = {(f"box{n}", "ground") for n in range(28)}
    assert first == on_ground | {("box1", "box28"), ("box29", "plate")}
    later = [event for event in slept.events if event.time > 0.1]
    assert [(event.kind, event.bodies) for event in later] == [
        ("end", ("box0", "ground")),
        ("begin", ("box0", "ground")),
    ]
    ended, begun = later
    assert ended.time == pytest.approx(BEGIN, abs=1.5 * LONG_STEP)
    pulled = END - BEGIN
    speed = 2.0 * G * pulled
    height = 0.5 * speed * pulled + 0.5 * speed**2 / G
    back = END + speed / G + math.sqrt(2.0 * height / G)
    assert begun.time == pytest.approx(back, abs=2.5 * LONG_STEP)
    # What it pressed over the whole touch, asleep or not: its weight for a second.
    assert ended.impulse == pytest.approx(weights(boxes, 1)[2] * BEGIN, rel=1.5 * LONG_STEP / BEGIN)


def test_events_of_sleepers_do_not_depend_on_the_frames(boxes: zp.Model, slept: zp.Trajectory) -> None:
    """Law: the record changes nothing; frames every 0.1 s miss the whole flight but for three of them."""
    lift = Lift(3.0 * boxes.total_mass * G / 30)
    few = zp.World(boxes, controller=lift, dt=LONG_STEP).simulate(2.2, record_rate=10.0)
    assert few.events == slept.events
    assert np.array_equal(few.final.q, slept.final.q)


def test_sleepers_press_from_the_first_frame_of_a_life_that_goes_on(
    boxes: zp.Model, slept: zp.Trajectory
) -> None:
    """Law as above.  Nothing is solved in this life: its forces are those that the state remembers."""
    more = zp.World(boxes, dt=LONG_STEP).simulate(0.05, state=slept.final)
    assert not np.any(more.v) and np.array_equal(more.final.q, slept.final.q)
    assert np.abs(carried(more) - carried(slept)[-1]).max() < ROUNDING * weights(boxes, 1)[2]
    assert more.events == ()
    assert more.final.contact.tobytes() == slept.final.contact.tobytes()


def test_a_life_that_goes_on_books_no_impulse_again() -> None:
    """Law: the impulse of a touch is the sum of its steps'; each step counts in the life in which it was lived.

    A box rests, is lifted and falls; the second life goes on while it rests.  Oracle: Σ dt·F of the recorded forces, whose
    first frame in the second life is the last step of the first.  Tolerance: rounding of a few hundred sums.
    """
    model = model_of(lone(Box(size=(0.1, 0.1, 0.1)), place=(0.0, 0.0, 0.05)))
    world = zp.World(model, controller=Lift(3.0 * model.total_mass * G), dt=LONG_STEP)
    first = world.simulate(0.5 * BEGIN)
    second, whole = world.simulate(END - 0.5 * BEGIN, first.final), world.simulate(END)
    assert [event.kind for event in second.events] == ["end"]
    (ended,) = second.events
    booked = LONG_STEP * carried(second)[1:, 2].sum()
    assert carried(second)[0, 2] > 0.0
    assert ended.impulse == pytest.approx(booked, rel=ROUNDING)
    assert whole.events[-1].time == ended.time
    before = LONG_STEP * carried(first)[1:, 2].sum()
    assert whole.events[-1].impulse == pytest.approx(before + ended.impulse, rel=ROUNDING)
