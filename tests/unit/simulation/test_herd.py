"""Herds: how lives end, what is sampled, what is refused."""

from __future__ import annotations

import gc
import math
import re
import weakref
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from herds import Odd, controller, model
from zoophyte.control import Hold, Sine
from zoophyte.description import Body, Box, Description, Joint, Motor, Servo, Sphere, Surface
from zoophyte.errors import UsageError
from zoophyte.simulation.herd import Guards, Herd, Stops
from zoophyte.simulation.living.driver import Driver

DT = 5e-3


def free(name: str, shape: Any, height: float, x: float = 0.0, **fields: Any) -> Body:
    joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, x, 0.0, height))
    return Body(name=name, joint=joint, shapes=[shape], **fields)


def ball(height: float = 1.0, **surface: Any) -> zp.Model:
    surface = {"friction": 0.0, **surface}
    return zp.compile(
        Description(
            name="ball", bodies=[free("ball", Sphere(radius=0.1), height)], surface=Surface(**surface)
        )
    )


def box(height: float = 0.1) -> zp.Model:
    body = free("box", Box(size=(0.2, 0.2, 0.2)), height)
    return zp.compile(Description(name="box", bodies=[body], surface=Surface(friction=0.5)))


def crank(actuator: Any) -> zp.Model:
    """A heavy base with an arm that a motor or servo turns about the vertical: nothing falls, nothing touches."""
    base = Body(name="base", joint=Joint(kind="fixed"), shapes=[Box(size=(0.2, 0.2, 0.2))])
    joint = Joint(kind="hinge", axis=(0, 0, 1), position=(0, 0, 0.5), actuator=actuator)
    arm = Body(name="arm", parent="base", joint=joint, shapes=[Sphere(radius=0.1, position=(0.5, 0, 0))])
    return zp.compile(Description(name="crank", bodies=[base, arm], surface=Surface()))


def herd(models: Any, controllers: Any = None, **options: Any) -> Herd:
    """Mixed lanes, whatever the bodies: one kernel for all tests."""
    return Herd(
        [*models, model(3)],
        zp.Habitat(),
        [*(controllers or [None] * len(models)), None],
        dt=DT,
        workers=1,
        **options,
    )


def lives(
    models: Any, seconds: float, controllers: Any = None, states: Any = None, **options: Any
) -> list[zp.Life]:
    states = [*states, None] if states is not None else None
    return herd(models, controllers).simulate(seconds, states, **options)[:-1]


def moving(body: zp.Model, *speed: float) -> zp.State:
    """Thrown: turning first, then moving."""
    v = np.zeros(body.nv)
    v[: len(speed)] = speed
    return zp.State.neutral(body).at(v=v)


def test_free_fall_is_sampled() -> None:
    """Law: z = h − ½ g t² (semi-implicit: − ½ g t (t + dt)); samples at birth, when settled, regularly, at the end."""
    body = ball(50.0)
    (life,) = lives([body], 2.3, settle=0.5, sample_every=0.6)
    assert life.status.kind == "ended"
    assert life.times == pytest.approx([0.0, 0.5, 1.1, 1.7, 2.3])
    expected = 50.0 - 0.5 * 9.81 * life.times * (life.times + DT)
    assert life.com[:, 2] == pytest.approx(expected, rel=1e-12)
    assert life.root[:, 2] == pytest.approx(expected, rel=1e-12)
    assert life.highest == pytest.approx(50.0)
    assert life.lowest == pytest.approx(expected[-1])
    assert life.settled == 1
    assert life.effort == 0.0
    assert life.energy_gain < 1e-9 * 50.0


def test_distance_and_path() -> None:
    """A ball that slides without friction at 2 m/s: 2 m in a second; distance counts from when it had settled."""
    body = ball(0.1)
    (life,) = lives([body], 1.5, states=[moving(body, 0, 0, 0, 2.0)], settle=0.5)
    assert life.distance == pytest.approx(2.0, rel=1e-9)
    assert life.path == pytest.approx(3.0, rel=1e-9)
    assert life.times[-1] == pytest.approx(1.5)


def test_a_leap() -> None:
    """Law: a ball thrown up at 3 m/s rises by v²/2g, here v·t − ½ g t (t + dt); one that only slides never leaps.

    One that is dropped begins in the air and never rises; what counts is from settling on.
    """
    thrown, sliding, dropped = ball(0.1), ball(0.1), ball(0.6)
    states = [moving(thrown, 0, 0, 0, 0, 0, 3.0), moving(sliding, 0, 0, 0, 1.0), None]
    found = lives([thrown, sliding, dropped], 0.9, states=states, check_every=DT)
    times = DT * np.arange(1, 181)
    rise = 3.0 * times - 0.5 * 9.81 * times * (times + DT)
    assert found[0].leap == pytest.approx(rise.max(), rel=1e-9)
    assert found[0].airborne == pytest.approx(2.0 * 3.0 / 9.81 / 0.9, abs=0.02)
    assert found[1].leap == 0.0 and found[1].airborne == 0.0
    assert found[2].leap == 0.0  # down is not up
    assert found[2].airborne == pytest.approx(math.sqrt(2.0 * 0.5 / 9.81) / 0.9, abs=0.02)
    (settled,) = lives([dropped], 0.9, settle=0.5, check_every=DT)
    assert settled.leap == 0.0 and settled.airborne == 0.0


def test_legs_that_are_pulled_up_do_not_leap() -> None:
    """Law: a leap is a distance of the lowest point (FON-74).

    A rod of two balls at ±a that turns from upright to level, in space: its middle stays, its lowest point rises by a.
    """
    ends = [Sphere(radius=0.1, position=(0.0, 0.0, z)) for z in (0.4, -0.4)]
    joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    body = zp.compile(
        Description(name="rod", bodies=[Body(name="rod", joint=joint, shapes=ends)], surface=Surface())
    )
    space = Herd([body], zp.Habitat(gravity=(0.0, 0.0, 0.0)), dt=DT)
    (life,) = space.simulate(0.5, [moving(body, math.pi)], check_every=DT)
    assert life.com[-1, 2] == pytest.approx(1.0, abs=1e-12)
    assert life.leap == pytest.approx(0.4, abs=1e-9)


def test_the_lowest_point_leaps() -> None:
    """A body whose head flies up while its foot stays on the ground does not leap."""
    foot = free("foot", Sphere(radius=0.1, density=5000.0), 0.1)
    joint = Joint(
        kind="slide", axis=(0, 0, 1), position=(0, 0, 0.3), actuator=Motor(strength=9.0, max_speed=1.0)
    )
    head = Body(name="head", parent="foot", joint=joint, shapes=[Sphere(radius=0.05)])
    body = zp.compile(Description(name="jack", bodies=[foot, head], surface=Surface(friction=1.0)))
    (life,) = lives([body], 0.3, [Hold({"head": 1.0})])
    assert life.com[-1, 2] > life.com[0, 2]
    assert life.leap == 0.0


def test_a_ball_is_not_the_creature() -> None:
    """A creature that slides 1 m and a ball that flies off: place, distance, leap and touch are the creature's alone."""
    bodies = [free("creature", Sphere(radius=0.1), 0.1), free("ball", Sphere(radius=0.2), 0.2, x=5.0)]
    pair = zp.compile(Description(name="pair", bodies=bodies, surface=Surface(friction=0.0)))
    alone = zp.compile(Description(name="alone", bodies=bodies[:1], surface=Surface(friction=0.0)))
    still, throws = [0.0] * 3, [0.0, 0.0, 0.0, 3.0, 0.0, 2.0]
    slides = [*still, 1.0, 0.0, 0.0]
    states = [moving(pair, *slides, *throws), moving(pair, *slides), moving(alone, *slides)]
    leaps = moving(pair, *still, 0.0, 0.0, 2.0)
    found = lives([pair, pair, alone, pair], 1.0, states=[*states, leaps], stops=Stops(distance=2.0))
    for life in found[:3]:
        assert life.status.kind == "ended"
        assert life.distance == pytest.approx(1.0, rel=1e-9)
        assert life.com[-1] == pytest.approx((1.0, 0.0, 0.1), abs=1e-3)
        assert life.leap == 0.0 and life.airborne == 0.0
    assert found[3].leap == pytest.approx(2.0**2 / 2.0 / 9.81, rel=0.1)  # though the ball lies on the ground
    assert 0.3 < found[3].airborne < 0.5


def test_stops() -> None:
    """One that falls over, one that slides away, one that rests, and one that does neither, in one herd."""
    tall = zp.compile(Description(
        name="tall", bodies=[free("post", Box(size=(0.05, 0.05, 0.6)), 0.3)], surface=Surface(friction=1.0)))  # fmt: skip
    bodies = [tall, ball(0.1), box(), ball(0.1)]
    states = [moving(tall, 0, 3.0), moving(bodies[1], 0, 0, 0, 3.0), None, moving(bodies[3], 0, 0, 0, 0.5)]
    found = lives(bodies, 4.0, states=states, stops=Stops(tilt=1.0, distance=2.0, motion=0.1, window=1.5))
    fell, strayed, idle, ended = (life.status for life in found)
    assert [s.kind for s in (fell, strayed, idle, ended)] == ["fell", "strayed", "idle", "ended"]
    assert 0.2 < fell.time < 1.0
    assert strayed.time == pytest.approx(2.0 / 3.0, abs=0.06)  # looked at every 0.05 s
    assert idle.time == pytest.approx(1.5)
    assert ended.time == pytest.approx(4.0)
    assert fell.is_sound
    height = lives([ball(1.0)], 4.0, stops=Stops(height=0.5))[0].status
    assert height.kind == "fell"
    assert height.time == pytest.approx(math.sqrt(2.0 * 0.5 / 9.81), abs=0.06)


def test_work_of_a_motor() -> None:
    """Law: work = strength·angle = kinetic energy, for a motor that turns an arm against nothing (first order in dt)."""
    body = crank(Motor(strength=0.4))
    (life,) = lives([body], 1.0, [Hold(1.0)])
    assert life.final is not None
    kinetic = zp.energy(body, life.final).kinetic
    assert life.work[-1] == pytest.approx(0.4 * float(life.final.q[0]), rel=1e-9)
    assert life.work[-1] == pytest.approx(kinetic, rel=2.0 * DT)
    assert life.effort == pytest.approx(life.work[-1])


def test_a_servo_brakes() -> None:
    """A servo that swings an arm does positive and negative work: effort exceeds work, energy never outgrows it."""
    body = crank(Servo(stiffness=20.0, damping=0.1))
    (life,) = lives([body], 2.0, [Sine(0.8, 1.0)])
    assert life.status.kind == "ended"
    assert life.effort > 1.5 * abs(float(life.work[-1]))
    assert life.energy_gain < 0.02 * life.effort


def test_cheats() -> None:
    """Energy from a surface that gives back more than it takes; speed; depth beyond what is allowed."""
    springy, fast = ball(0.5, restitution=1.3, springy=True), ball(0.5)
    found = lives([springy, fast, box(0.3)], 6.0, states=[None, moving(fast, 0, 0, 0, 200.0), None])
    assert [life.status.kind for life in found] == ["cheated", "cheated", "ended"]
    assert "came from nowhere" in found[0].status.reason
    assert "200 m/s" in found[1].status.reason
    assert not found[0].status.is_sound
    assert lives([springy], 6.0, guards=Guards(energy=None))[0].status.kind == "ended"
    restless = model(0)
    sunk = lives([restless], 1.2, [controller(restless, 0)], guards=Guards(energy=None, depth=1e-3))[0].status
    assert sunk.kind == "cheated"
    assert "deep" in sunk.reason


def test_born_in_each_other() -> None:
    bodies = [free("one", Sphere(radius=0.1), 0.5), free("two", Sphere(radius=0.1), 0.5, 0.15)]
    pair = zp.compile(Description(name="pair", bodies=bodies, surface=Surface()))
    found = lives([pair, ball(0.05), ball(0.3)], 0.1)
    assert [life.status.kind for life in found] == ["overlapping", "overlapping", "ended"]
    assert [len(life.com) for life in found[:2]] == [0, 0] and "did not live" in repr(found[0])
    assert [life.status.reason for life in found[:2]] == [
        "one in two, 50 mm deep",
        "ball in ground, 50 mm deep",
    ]
    assert found[0].distance == 0.0
    assert found[0].final is None


def test_fallen_through_the_ground() -> None:
    """A body without a surface touches nothing. It falls, as asked, and its status says why; a World says the same.

    Oracle: z = 1 − g t²/2 = −3.905 m; steps of 5 ms are 25 mm behind or before at most.
    """
    bare = zp.compile(Description(name="bare", bodies=[free("bare", Sphere(radius=0.1), 1.0)]))
    life, beside = lives([bare, ball(0.3)], 1.0)
    for status in (life.status, zp.World(bare, dt=DT).simulate(1.0).status):
        assert (status.kind, status.is_sound) == ("ended", True)
        assert re.match(r"it is 3\.9\d m below the ground, .*none of its shapes has a surface", status.reason)
    assert beside.status.reason == ""
    assert zp.World(bare, zp.Habitat(ground=None)).simulate(1.0).status.reason == ""


def test_too_many_contacts() -> None:
    found = herd([box()], slots=3).simulate(0.2)
    assert found[0].status.kind == "overflowed"


def test_more_creatures_than_lanes() -> None:
    """Lanes are given to the next creature as lives end; results come in the order of the models."""
    bodies = [ball(1.0 + 0.1 * n) for n in range(29)]
    found = lives(bodies, 3.0, stops=Stops(height=0.5))
    times = [life.status.time for life in found]
    assert all(life.status.kind == "fell" for life in found)
    assert times == sorted(times)
    assert times[-1] > times[0] + 0.3


def test_seen_again_in_full() -> None:
    one = herd([box(0.3)])
    (life, _), full = one.simulate(0.5), one.world(0).simulate(0.5)
    assert life.final is not None
    assert np.array_equal(full.final.q, life.final.q)
    assert full.channels["com"][-1] == pytest.approx(life.com[-1])


def test_half_the_step() -> None:
    """A ball that slides and a box that lands fare alike with half the step."""
    whole = herd([ball(0.1), box(0.3)])
    half = whole.halved([1])
    assert half.dt == 0.5 * DT
    assert len(half) == 1
    assert half.simulate(1.0)[0].com[-1] == pytest.approx(whole.simulate(1.0)[1].com[-1], abs=2e-3)


def test_no_final_states() -> None:
    assert lives([box()], 0.05, keep_final=False)[0].final is None


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"models": zp.zoo.ant()}, "must be a list of one or more models"),
        ({"models": [3]}, r"models\[0\] is 3"),
        ({"habitat": 3}, "must be a Habitat"),
        ({"controllers": [None, None]}, "one for each of the 1"),
        ({"controllers": [3]}, r"controllers\[0\] is 3"),
        ({"dt": 0.0}, "dt is 0.0"),
        ({"width": 5}, "width is 5"),
        ({"workers": 0}, "workers is 0"),
        ({"slots": 0}, "slots is 0"),
        ({"dtype": np.int32}, "must be float64 or float32"),
        ({"device": "tpu"}, "device is 'tpu'"),
    ],
)
def test_refused_herds(options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Herd(**{"models": [box()], **options})


def test_refused_controllers() -> None:
    from zoophyte.control import Table

    with pytest.raises(UsageError, match="Odd cannot run inside a herd"):
        Herd([box()], controllers=Odd())
    with pytest.raises(UsageError, match="not a whole number of steps"):
        Herd([crank(Motor(strength=1.0))], controllers=Table([[0.0], [1.0]], rate=30.0), dt=5e-3)
    late = zp.State(np.zeros(1), np.zeros(1), (1.0, 0, DT))
    with pytest.raises(UsageError, match="begins at 1 s"):
        lives([crank(Motor(strength=1.0))], 0.1, [Table([[0.0], [1.0]], rate=20.0)], states=[late])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"seconds": math.nan}, "seconds is nan"),
        ({"seconds": 1.0, "states": []}, "0 states for 2 creatures"),
        ({"seconds": 1.0, "sample_every": 0.0}, "sample_every is 0.0"),
        ({"seconds": 1.0, "settle": -1.0}, "settle is -1.0"),
    ],
)
def test_refused_lives(options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        herd([box()]).simulate(**options)


def test_refused_conditions() -> None:
    with pytest.raises(UsageError, match="tilt is -1"):
        Stops(tilt=-1.0)
    with pytest.raises(UsageError, match="speed is nan"):
        Guards(speed=math.nan)
    with pytest.raises(UsageError, match=r"window is 0\.0"):
        Stops(window=0.0)


def test_a_few_steps_at_a_time() -> None:
    """Commanded from outside every four steps: the same bits as a World whose table holds those commands."""
    from zoophyte.control import Table

    bodies = [crank(Motor(strength=0.4)), crank(Servo(stiffness=5.0, damping=0.1)), model(0)]
    rng = np.random.default_rng(0)
    orders = rng.uniform(-1.0, 1.0, (10, len(bodies), max(m.nv for m in bodies)))
    running = Herd(bodies, zp.Habitat(), dt=DT, workers=2).begin()
    for order in orders:
        running.command(order)
        running.advance(4)
    assert running.alive().all()
    for number, body in enumerate(bodies):
        table = Table(orders[:, number, : body.nv], rate=1.0 / (4 * DT), interpolation="hold")
        final = zp.World(body, controller=table, dt=DT, integrator="implicit").simulate(40 * DT).final
        assert running.q()[number, : body.nq] == pytest.approx(final.q, abs=1e-12)
        assert running.v()[number, : body.nv] == pytest.approx(final.v, abs=1e-12)


def test_begun_in_each_other() -> None:
    running = Herd([ball(0.05), ball(0.5), model(0)], zp.Habitat(), dt=DT, workers=1).begin()
    assert running.ended[0] is not None
    assert running.ended[0].status.kind == "overlapping"
    running.advance(3)
    assert running.alive().tolist() == [False, True, True]


def test_reset() -> None:
    """One life ends, stays as it was, and begins anew; its neighbours go on."""
    bodies = [ball(1.0), ball(3.0), model(0)]
    running = Herd(bodies, zp.Habitat(), dt=DT, workers=1).begin(stops=Stops(height=0.9))
    running.advance(100)
    assert running.alive().tolist() == [False, True, False]
    assert running.ended[0] is not None
    assert running.ended[0].status.kind == "fell"
    fallen = running.q()[0, 6]
    assert 0.5 < fallen < 0.9
    running.advance(5)
    assert running.q()[0, 6] == fallen
    running.reset(0)
    running.advance(2)
    assert running.alive()[0]
    assert running.q()[0, 6] == pytest.approx(1.0 - 9.81 * DT * DT * 3)
    assert running.q()[1, 6] == pytest.approx(3.0 - 0.5 * 9.81 * DT * DT * 107 * 108)
    with pytest.raises(UsageError, match="creature 7 is out of range"):
        running.reset(7)
    with pytest.raises(UsageError, match="values has shape"):
        running.command(np.zeros(3))


def test_odd_bodies_live_together() -> None:
    """A rock that cannot move; bodies that touch nothing, are driven, or have springs only."""
    with pytest.raises(UsageError, match=r"models is \[\], must be a list of one or more"):
        Herd([])
    rock = Body(name="rock", joint=Joint(kind="fixed"), shapes=[Box(size=(1.0, 1.0, 1.0))])
    bodies = [
        zp.compile(Description(name="rock", bodies=[rock], surface=Surface())),
        zp.compile(zp.zoo.double_pendulum()), zp.compile(zp.zoo.sapling()), zp.compile(zp.zoo.humanoid()),
    ]  # fmt: skip
    assert [life.status.kind for life in lives(bodies, 0.3)] == ["ended"] * 4


def tangled() -> zp.Model:
    """A box and a ball that is born inside it."""
    bodies = [free("box", Box(size=(0.2, 0.2, 0.2)), 0.5), free("ball", Sphere(radius=0.1), 0.5)]
    return zp.compile(Description(name="tangled", bodies=bodies, surface=Surface()))


def pair() -> zp.Model:
    """The same bodies, side by side."""
    bodies = [free("box", Box(size=(0.2, 0.2, 0.2)), 0.5), free("ball", Sphere(radius=0.1), 0.5, x=1.0)]
    return zp.compile(Description(name="pair", bodies=bodies, surface=Surface()))


def test_lanes_of_the_unborn_are_given_away_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claim: whoever is born overlapping costs no lane, and the others live as before. Oracle: a herd without them."""
    filled: list[int] = []

    def counted(driver: Driver, steps: int, *slices: Any) -> int:
        filled.append(sum(resident is not None for resident in driver.pen.residents))
        return run(driver, steps, *slices)

    run = Driver.run
    monkeypatch.setattr(Driver, "run", counted)
    sound, unborn = pair(), tangled()
    alone = herd([sound] * 7).simulate(0.2)
    filled.clear()
    found = herd([unborn, sound, unborn, unborn, *[sound] * 3, unborn, *[sound] * 3]).simulate(0.2)
    assert [n for n, life in enumerate(found) if life.status.kind == "overlapping"] == [0, 2, 3, 7]
    assert filled == [7, 1]  # all that are sound at once, then the other body
    living = [life for life in found if life.status.kind == "ended"]
    assert len(living) == 8
    for mine, other in zip(living, alone, strict=True):
        assert np.array_equal(mine.com, other.com) and mine.final is not None and other.final is not None
        assert np.array_equal(mine.final.q, other.final.q)


def test_pens_leave_no_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claim: the memory of pens is free when a herd has lived, though nobody searches for garbage."""
    pens: list[Any] = []
    made = Herd.pen

    def noted(self: Herd, *args: Any, **options: Any) -> Any:
        pen = made(self, *args, **options)
        pens.append(weakref.ref(pen))
        return pen

    monkeypatch.setattr(Herd, "pen", noted)
    gc.disable()
    try:
        herd([box()] * 10).simulate(0.05)
        assert len(pens) > 0 and all(pen() is None for pen in pens)
    finally:
        gc.enable()


def test_a_centre_of_mass_is_the_same_in_a_herd_and_in_a_world() -> None:
    """Law: samples of a life are frames of its trajectory, to the last bit; an ant has nine masses to sum."""
    flock = Herd([zp.zoo.ant()], dt=DT)
    (life,) = flock.simulate(0.5, sample_every=0.1)
    told = flock.world(0).simulate(0.5, record_rate=10.0)
    assert len(life.com) == len(told) == 6
    assert np.array_equal(life.com, told.channel("com"))
