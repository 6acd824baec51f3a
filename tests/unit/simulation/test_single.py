"""Single precision as a choice: how many lanes a herd takes, and what is refused before anything lives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from herds import Odd, model
from zoophyte.control import Hold, Table
from zoophyte.description import Body, Joint, Sphere, Surface
from zoophyte.errors import UsageError
from zoophyte.evolution.precision import WIDTH
from zoophyte.physics.entries import SINGLE_FORMS
from zoophyte.simulation.herd import Herd
from zoophyte.simulation.living import colony


def ants(count: int) -> list[zp.Model]:
    return [zp.compile(zp.zoo.ant())] * count


@pytest.mark.parametrize(
    ("models", "options", "lanes"),
    [
        (ants(3), {}, 8),
        (ants(3), {"dtype": np.float32}, 16),
        (ants(3), {"dtype": np.float32, "width": 8}, 8),
        ([*ants(3), model(3)], {"dtype": np.float32}, 8),
        ([*ants(16), *[model(3)] * 16], {"dtype": np.float32}, 16),
        ([*ants(16), *[model(3)] * 15], {"dtype": np.float32}, 8),
        ([*ants(16), *[model(3)] * 15], {"dtype": np.float32, "width": 16}, 16),
    ],
)
def test_singles_among_their_like_have_registers_of_sixteen(
    models: list[zp.Model], options: dict[str, Any], lanes: int
) -> None:
    """Claim: sixteen, unless a register would hold unlike bodies, or another width is asked for."""
    flock = Herd(models, **options)
    assert flock.lanes == lanes
    assert flock.halved().lanes == lanes


def test_what_is_compiled_beforehand_is_what_lives_ask_for() -> None:
    """Oracle: forms that herds of like and of unlike bodies, worlds and runs take."""
    unlike = Herd([*ants(1), model(3)], dtype=np.float32)
    asked = {
        (flock.lanes, queue.mixed)
        for flock in (unlike, Herd(ants(1), dtype=np.float32))
        for queue in flock.queues()
    }
    asked |= {(WIDTH, True), (WIDTH, False)}  # of runs; worlds live among the unlike
    assert {(form.width, form.mixed) for form in SINGLE_FORMS} == asked


def test_a_world_has_the_numbers_of_its_herd() -> None:
    for dtype in (np.float64, np.float32):
        world = Herd(ants(1), dtype=dtype).world(0)
        assert world.dtype == dtype and world.integrator == "implicit" and not world.sleep


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dtype": np.int32}, "dtype is .*int32.*, must be float64 or float32"),
        ({"dtype": "singel"}, "dtype is 'singel', must be float64 or float32"),
        ({"dtype": np.float32, "integrator": "rk4"}, "integrator is 'rk4', but a World in float32 .* only 'implicit'"),
        ({"dtype": np.float32, "overlap": "resolve"}, "overlap is 'resolve', but a World in float32 .* only 'refuse'"),
        ({"dtype": np.float32, "sleep": True}, "sleep is True, but a World in float32 .* nothing sleeps"),
    ],
)  # fmt: skip
def test_worlds_that_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        zp.World(zp.zoo.ant(), **options)


def test_controllers_that_only_python_can_ask_are_refused() -> None:
    """Their commands would be rounded otherwise than in a herd."""
    world = zp.World(zp.zoo.ant(), controller=Odd(), dtype=np.float32)
    with pytest.raises(UsageError, match=r"a World in float32 lives as in a herd: .*Odd cannot run inside"):
        world.simulate(0.1)


def test_a_controller_with_a_rate_begins_at_zero() -> None:
    table = Table(np.zeros((3, 14)), rate=20.0)
    world = zp.World(zp.zoo.ant(), controller=table, dt=5e-3, dtype=np.float32)
    late = replace(zp.State.neutral(world.model), clock=(1.0, 0, 5e-3))
    with pytest.raises(UsageError, match=r"ant begins at 1 s, but in float32 .* use float64"):
        world.simulate(0.1, late)


def test_float32_counts_so_many_steps_and_no_more() -> None:
    """Oracle: 2²⁴ + 1 is no float32, so that a count would stand still there and the life never end."""
    assert np.float32(2**24) + np.float32(1.0) == np.float32(2**24)
    flock = Herd(ants(1), controllers=Hold(0.0), dt=5e-3, dtype=np.float32)
    with pytest.raises(UsageError, match=r"83886.1 s at dt 0.005 s are more steps than float32 can count"):
        flock.simulate(5e-3 * (2**24 + 1))
    asked = flock.terms(5e-3 * 2**24, None, None, 0.0, 1.0, 0.05)
    assert asked.steps == 2**24


def test_places_that_float32_cannot_tell_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of tables and inputs of neurons are found by numbers in the data; beyond 2²⁴ they would be others'."""
    monkeypatch.setattr(colony, "EXACT_SINGLE", 60_000)
    long = Table(np.zeros((200, 14)), rate=20.0, interpolation="hold")
    flock = Herd(ants(1), controllers=long, dt=5e-3, dtype=np.float32)
    terms = flock.terms(1.0, None, None, 0.0, 1.0, 0.05)
    with pytest.raises(UsageError, match=r"16 creatures like ant need more numbers than float32 can count"):
        flock.pen([0], terms)
    Herd(ants(1), controllers=long, dt=5e-3).pen([0], terms)


@pytest.mark.parametrize("name", ["float64", float, "double", np.dtype(float)])
def test_float64_has_many_names(name: Any) -> None:
    assert zp.World(zp.zoo.rod(), dtype=name).dtype == np.float64


@pytest.mark.slow
def test_a_world_in_float32_tells_of_touches_and_refuses_what_is_open() -> None:
    """Claim: the feet of an ant that stands begin to touch, and stay; a loop that is open is refused, as in float64."""
    ant = zp.compile(zp.zoo.ant())
    begun = [
        {event.bodies for event in zp.World(ant, dt=5e-3, dtype=dtype).simulate(1.0).events}
        for dtype in (np.float64, np.float32)
    ]
    assert begun[0] == begun[1] and len(begun[0]) >= 4
    loop = zp.compile(zp.zoo.four_bar())
    apart = zp.State.neutral(loop)
    apart = apart.at(q=apart.q + 0.3 * np.arange(len(apart.q)))
    for dtype in (np.float64, np.float32):
        with pytest.raises(UsageError, match="constraints are open when life begins"):
            zp.World(loop, dt=5e-3, integrator="implicit", dtype=dtype).simulate(0.01, apart)


@pytest.mark.slow
def test_a_world_in_float32_tells_of_blows_that_part_within_the_step() -> None:
    """Law: a ball with restitution e changes its speed by (1 + e) v in a blow, and is far off again when the step ends.

    Oracle: the world in float64, event by event.  Tolerance: rounding of float32 over the bounces before, 1e-5; times are
    steps.
    """
    joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    body = Body(name="ball", joint=joint, shapes=[Sphere(radius=0.1)])
    ball = zp.Description(name="ball", bodies=[body], surface=Surface(restitution=0.9))
    double, single = (
        zp.World(
            ball, zp.Habitat(surface=Surface(restitution=0.9)), dt=5e-3, integrator="implicit", dtype=dtype
        ).simulate(2.0)
        for dtype in (np.float64, np.float32)
    )
    assert [e.kind for e in single.events] == ["begin", "end"] * 3
    for mine, other in zip(single.events, double.events, strict=True):
        assert (mine.kind, mine.bodies) == (other.kind, other.bodies)
        assert mine.time == pytest.approx(other.time, abs=1e-9)
        assert mine.impulse == pytest.approx(other.impulse, rel=1e-5)
    forces = [life.contact_force("ball")[:, 2] for life in (double, single)]
    assert np.count_nonzero(forces[0]) == 3
    assert forces[1] == pytest.approx(forces[0], rel=1e-5)


def test_more_contacts_than_slots_in_float32_speak_of_the_world() -> None:
    life = zp.World(zp.zoo.ant(), dt=5e-3, slots=1, dtype=np.float32).simulate(1.0)
    assert life.status.kind == "overflowed"
    assert (
        "more than 1 contacts at one time; make room for more: World(…, slots=2) (--slots"
        in life.status.reason
    )
