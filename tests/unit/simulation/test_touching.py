"""What a record tells of touches: channels without contacts, springs that break, advice after a life that blew up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Attach, Body, Constraint, Cylinder, Description, Joint, Sphere, Surface
from zoophyte.errors import FileError, UsageError
from zoophyte.simulation.status import advice

SURFACE = Surface()


def ball(height: float, *constraints: Constraint, surface: Surface | None = SURFACE) -> Description:
    """A free ball of 0.1 m."""
    joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, height))
    bodies = [Body(name="ball", joint=joint, shapes=[Sphere(radius=0.1)])]
    return Description(name="ball", bodies=bodies, surface=surface, constraints=list(constraints))


def test_where_nothing_touched_there_are_no_contacts(tmp_path: Path) -> None:
    """Law: a body with a surface has the channel, with six columns for each contact, so with none; files keep it."""
    life = zp.World(ball(5.0)).simulate(0.01)
    life.save(tmp_path / "life.npz")
    life.export(tmp_path / "life.csv")
    for found in (life, zp.Trajectory.load(tmp_path / "life.npz")):
        assert found.channel("contact_forces").shape == (len(life), 0)
        assert found.channels["contact_forces"].shape == (len(life), 0)
    with pytest.raises(UsageError, match="contact_forces has no columns: nothing touched"):
        life.plot("contact_forces")


def test_a_ghost_has_no_contacts() -> None:
    with pytest.raises(UsageError, match="no channel 'contact_forces'"):
        zp.World(ball(5.0, surface=None)).simulate(0.01).channel("contact_forces")


def test_a_spring_that_breaks_is_an_event(tmp_path: Path) -> None:
    """A ball falls freely, for its springs are weak: √(2·0.05 m / g) = 0.1010 s after birth the first of them breaks.

    Tolerance: two steps of 1 ms, one of the step in which it is seen and one of first order.
    """
    springs = [
        Attach(name="thread", body="ball", stiffness=1e-6, break_length=0.05),
        Attach(body="ball", stiffness=1e-6, break_length=0.1),
        Attach(body="ball", stiffness=1e-6),
    ]
    life = zp.World(ball(5.0, *springs)).simulate(0.2)
    assert [(e.kind, e.bodies, e.name) for e in life.events] == [
        ("break", ("ball", "ground"), "thread"), ("break", ("ball", "ground"), "constraints[1]")
    ]  # fmt: skip
    expected = [np.sqrt(2.0 * length / 9.81) for length in (0.05, 0.1)]
    assert [e.time for e in life.events] == pytest.approx(expected, abs=2.1e-3)
    life.save(tmp_path / "life.npz")
    assert zp.Trajectory.load(tmp_path / "life.npz").events == life.events
    assert (
        zp.World(ball(5.0, *springs)).simulate(0.1, life.final).events == ()
    )  # they broke in the life before


@pytest.mark.parametrize("rate", [7.0, 50.0])
def test_events_do_not_depend_on_the_frames(rate: float) -> None:
    """Law: every begin and end is told, with its time and impulse, however few frames are kept.

    A ball that falls by h = 0.9 m with e = 0.9 lands with v = √(2 g h) and leaves with e v: 1.9 m v, here within a step of
    the time at which it lands (g dt = 0.01 m/s of 4.2 m/s, twice, since its step lands half of one late).
    """
    springs = [Attach(body="ball", stiffness=1e-6, break_length=0.05)]
    world = zp.World(ball(1.0, *springs, surface=Surface(restitution=0.9)))
    all_frames, few = world.simulate(2.0), world.simulate(2.0, record_rate=rate)
    assert few.events == all_frames.events
    assert [event.kind for event in few.events] == ["break", "begin", "end", "begin", "end", "begin", "end"]
    landing, leaving = few.events[1:3]
    assert landing.time == pytest.approx(np.sqrt(2.0 * 0.9 / 9.81), abs=2e-3)
    assert landing.impulse == leaving.impulse
    mass = 1000.0 * 4.0 / 3.0 * np.pi * 0.1**3
    assert landing.impulse == pytest.approx(1.9 * mass * np.sqrt(2.0 * 9.81 * 0.9), rel=5e-3)


@pytest.mark.parametrize("height", [0.1, 0.3, 0.5, 0.7])
def test_the_impulse_of_a_blow_without_rebound(height: float) -> None:
    """Law: what stops a ball of mass m and speed v is m·v, wherever in a step it arrives.

    Tolerance: a step of gravity, for where in the step it arrives, and another that the ground bears meanwhile.
    """
    dt = 2e-3
    life = zp.World(ball(0.1 + height, surface=Surface(friction=0.5)), dt=dt).simulate(1.0)
    (landing,) = life.events
    mass, speed = 1000.0 * 4.0 / 3.0 * np.pi * 0.1**3, np.sqrt(2.0 * 9.81 * height)
    assert landing.kind == "begin"
    assert landing.impulse == pytest.approx(mass * speed, abs=2.0 * mass * 9.81 * dt)


def told(life: zp.Trajectory) -> list[tuple[int, str, tuple[str, str], str]]:
    """Events without their impulses: in which step, what, whose."""
    return [(round(e.time / life.dt), e.kind, e.bodies, e.name) for e in life.events]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scene", ["walking_ant", "bouncing"])
def test_events_of_a_life_in_two_pieces_are_those_of_the_whole(scene: str, dtype: type) -> None:
    """A life that went on told every touch that it found as new, with impulse 0; in float32 broken springs broke again.

    Law: events of the pieces, joined, are those of the unbroken life, wherever it is cut: while something touches, in the
    step of a blow after which a ball is off again, and in the air. Impulses of blows are equal, too, where the life is not
    cut between the two steps of a blow. Forces of the first frame are those of the last one before the cut, to rounding.
    """
    if scene == "bouncing":
        springs = [Attach(body="ball", stiffness=1e-6, break_length=0.05)]
        floor = Surface(restitution=0.6)
        model, dt = zp.compile(ball(0.3, *springs, surface=floor)), 5e-3
        world, seconds = zp.World(model, dt=dt, integrator="implicit", dtype=dtype), 0.8
    else:
        found = zp.zoo.scene(scene)
        model, dt = zp.compile(found.description), found.dt
        world = zp.World(model, found.habitat, found.controller, dt, integrator="implicit", dtype=dtype)
        seconds = 200 * dt
    whole, steps = world.simulate(seconds), round(seconds / dt)
    assert {"begin", "end"} <= {event.kind for event in whole.events} and len(whole.events) > 5
    pressed, happened = 0, {step for step, *_ in told(whole)}
    cuts = sorted(
        {*range(20, steps, 20), *(step + n for step in happened for n in (-1, 0, 1))} - {steps, steps + 1}
    )
    for cut in cuts:
        first = world.simulate(cut * dt)
        second = world.simulate((steps - cut) * dt, first.final)
        assert told(first) + told(second) == told(whole), cut
        joined = [*first.events, *second.events]
        for mine, other in zip(joined, whole.events, strict=True):
            if mine.kind == "begin" and round(mine.time / dt) != cut:
                assert mine.impulse == other.impulse
        before, after = first.contact_force("ground")[-1], second.contact_force("ground")[0]
        if second.contacts(0):
            rounding = 1e-12 if dtype == np.float64 else 1e-6
            assert after == pytest.approx(before, abs=rounding * (1.0 + np.abs(before).max()))
            pressed += bool(after.any())
    assert pressed


def test_a_break_of_no_spring_is_refused(tmp_path: Path) -> None:
    """Kind 3 is the break of constraints[1]; there is but one constraint."""
    spring = Attach(body="ball", stiffness=1e-6, break_length=0.05)
    zp.World(ball(5.0, spring)).simulate(0.2).save(tmp_path / "life.npz")
    with np.load(tmp_path / "life.npz") as file:
        arrays = dict(file)
    assert arrays["events"][:, 1].tolist() == [2.0]
    arrays["events"][:, 1] = 3.0
    np.savez(tmp_path / "life.npz", **arrays)
    with pytest.raises(FileError, match="'events' that are no rows"):
        zp.Trajectory.load(tmp_path / "life.npz")


@pytest.mark.parametrize(
    ("integrator", "touching", "words"),
    [
        ("rk4", False, "try a smaller dt or a linearly implicit integrator ('implicit', 'ros2')"),
        ("semi_implicit", True, "try a smaller dt or a linearly implicit integrator ('implicit')"),
        ("implicit", True, "try a smaller dt, or more damping"),
        ("ros2", False, "try a smaller dt, or more damping"),
    ],
)
def test_advice_names_what_is_not_in_use(integrator: str, touching: bool, words: str) -> None:
    assert advice(integrator, touching=touching) == words


def test_shapes_that_cannot_touch_each_other_are_refused_with_the_world() -> None:
    """A cylinder can only touch the ground: known before anything is simulated, with the name of the shape."""
    bodies = [
        Body(name=name, joint=Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, z)), shapes=[shape])
        for name, z, shape in (
            ("drum", 0.5, Cylinder(radius=0.1, length=0.2)),
            ("ball", 1.0, Sphere(radius=0.1)),
        )
    ]
    with pytest.raises(UsageError, match=r"odd: drum\[0\] may meet other shapes"):
        zp.World(Description(name="odd", bodies=bodies, surface=SURFACE))


def test_contacts_know_their_bodies(tmp_path: Path) -> None:
    """Law: a ball on a ball on the ground presses with its weight on the lower, and both with theirs on the ground.

    Oracle: statics, m g and 2 m g.  Tolerance: what the solver leaves, 1e-5 of the weight.  Files keep it.
    """
    bodies = [
        Body(
            name=name,
            joint=Joint(kind="slide", axis=(0, 0, 1), position=(0, 0, z)),
            shapes=[Sphere(radius=0.1)],
        )
        for name, z in (("low", 0.1), ("high", 0.3))
    ]
    tower = Description(name="tower", bodies=bodies, surface=SURFACE)
    lived = zp.World(tower).simulate(0.5, record_rate=10.0)
    lived.save(tmp_path / "tower.npz")
    weight = 9.81 * 1000.0 * 4.0 / 3.0 * np.pi * 0.1**3
    for life in (lived, zp.Trajectory.load(tmp_path / "tower.npz")):
        touches = {touch.bodies: touch for touch in life.contacts(-1)}
        assert set(touches) == {("low", "ground"), ("low", "high")} or set(touches) == {
            ("low", "ground"),
            ("high", "low"),
        }
        assert touches["low", "ground"].force == pytest.approx((0.0, 0.0, 2.0 * weight), abs=1e-5 * weight)
        assert touches["low", "ground"].point == pytest.approx((0.0, 0.0, 0.0), abs=1e-3)
        assert life.contact_force("high")[-1] == pytest.approx([0.0, 0.0, weight], abs=1e-5 * weight)
        assert life.contact_force("low")[-1] == pytest.approx([0.0, 0.0, weight], abs=1e-5 * weight)
        assert life.contact_force("ground")[-1] == pytest.approx([0.0, 0.0, -2.0 * weight], abs=1e-5 * weight)
    with pytest.raises(UsageError, match=r"there is no body 'hihg'. Did you mean 'high'\?"):
        lived.contact_force("hihg")
    with pytest.raises(UsageError, match="frame 99 is out of range"):
        lived.contacts(99)


def test_contacts_of_lives_without_any() -> None:
    flying = zp.World(ball(5.0)).simulate(0.01)
    assert flying.contacts(0) == () and not flying.contact_force("ball").any()
    with pytest.raises(UsageError, match="no contacts were recorded: none of its shapes has a surface"):
        zp.World(ball(5.0, surface=None)).simulate(0.01).contacts(0)
