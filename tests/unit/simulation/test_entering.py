"""How often a World enters its kernel: once for many steps, whatever is recorded of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Attach, Body, Box, Description, Joint, Sphere, Surface
from zoophyte.physics import living
from zoophyte.simulation.living.lifetime import Lifetime
from zoophyte.simulation.living.setting import begin

STEPS = 60
MOST = 5
"""Entries for them: slices begin with few steps, so that Ctrl-C is heard, and grow."""


def ball(name: str, place: tuple[float, float, float], side: float = 0.0) -> Body:
    """A free ball of 0.1 m, or a box."""
    shape = Box(size=(side, side, side)) if side else Sphere(radius=0.1)
    return Body(name=name, joint=Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, *place)), shapes=[shape])


def springs() -> zp.World:
    """A ball that falls off one thread, which breaks, and onto another's end."""
    held = [
        Attach(name="thread", body="ball", stiffness=1e-6, break_length=0.01),
        Attach(body="ball", stiffness=30.0, damping=1.0),
    ]
    bodies = [ball("ball", (0.0, 0.0, 0.13))]
    return zp.World(Description(name="ball", bodies=bodies, surface=Surface(restitution=0.5), constraints=held),
                    dt=2e-3)  # fmt: skip


def sleepers() -> zp.World:
    """Boxes that lie and fall asleep; one falls on another and wakes it."""
    lying = [ball(f"box{n}", (0.5 * n, 0.0, 0.05), 0.1) for n in range(19)]
    bodies = [*lying, ball("late", (0.0, 0.0, 1.9))]
    return zp.World(Description(name="boxes", bodies=bodies, surface=Surface(friction=0.5)), dt=1e-2)


def on_terrain() -> zp.World:
    """An ant on hills."""
    scene = zp.zoo.scene("walking_ant")
    rows = np.arange(17.0)
    hills = zp.Terrain(0.05 * np.sin(rows[:, None] + 2.0 * rows), spacing=(0.5, 0.5), origin=(-4.0, -4.0))
    return replace(scene.world(), controller=None, habitat=replace(scene.habitat, ground=hills))


def ant() -> zp.World:
    """An ant on level ground that stands still."""
    return replace(zp.zoo.scene("walking_ant").world(), controller=None)


WORLDS = [ant, on_terrain, sleepers, springs]


def lived(make: Callable[[], zp.World], steps: int, rate: float | None) -> tuple[zp.Trajectory, int]:
    """A life, and how often it entered its kernel."""
    world, entries = make(), 0
    life = Lifetime(world, zp.State.neutral(world.model), steps * world.dt, rate, None)
    enter = living.enter

    def counted(entry: str, *args: Any) -> Any:
        nonlocal entries
        entries += entry == "live"
        return enter(entry, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(living, "enter", counted)
        return life.run(), entries


@pytest.mark.parametrize("rate", [None, 60.0])
@pytest.mark.parametrize("make", WORLDS)
def test_a_world_with_contact_enters_its_kernel_seldom(
    make: Callable[[], zp.World], rate: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: with touching shapes the kernel was entered for every step, since touches were seen in Python.

    Slices are not cut by the time that they take, which is another's on a busy machine.
    """
    monkeypatch.setattr("zoophyte.simulation.lifetime.slices.SLICE", 1e9)
    life, entries = lived(make, STEPS, rate)
    assert life.status.kind == "ended"
    assert 0 < entries <= MOST
    assert rate is not None or len(life) == STEPS + 1


@pytest.mark.parametrize("make", WORLDS)
def test_nothing_depends_on_when_notes_are_read(
    make: Callable[[], zp.World], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Law: frames, channels and events are the same bits whether the log is read seldom or after each."""
    steps = 250
    whole, few = lived(make, steps, None)
    monkeypatch.setattr("zoophyte.simulation.record.LOG", 0)
    monkeypatch.setattr("zoophyte.simulation.record.FRAMES", 0)
    crowded, more = lived(make, steps, None)
    monkeypatch.setattr("zoophyte.simulation.lifetime.slices.FIRST", 1)
    monkeypatch.setattr("zoophyte.simulation.lifetime.slices.SLICE", 0.0)
    single, each = lived(make, steps, None)
    assert few < more and each >= steps
    assert whole.events
    for other in (crowded, single):
        assert other.events == whole.events
        assert other.times.tobytes() == whole.times.tobytes()
        assert other.q.tobytes() == whole.q.tobytes() and other.v.tobytes() == whole.v.tobytes()
        assert set(other.channels) == set(whole.channels)
        for name, values in whole.channels.items():
            assert other.channels[name].tobytes() == values.tobytes(), name


def test_touches_noted_by_the_kernel_are_those_of_steps_seen_one_by_one() -> None:
    """Law: lives of one step, one after the other, tell the events of the unbroken life, in their order.

    Oracle: lives of one step each, whose notes hold that step alone.
    """
    world = springs()
    whole = world.simulate(0.2)
    state, told = None, []
    for _ in range(100):
        piece = world.simulate(world.dt, state)
        state, told = piece.final, [*told, *piece.events]
    assert [(e.kind, e.bodies, e.name) for e in told] == [(e.kind, e.bodies, e.name) for e in whole.events]
    assert [e.time for e in told] == [e.time for e in whole.events]
    assert {e.kind for e in told} == {"begin", "end", "break"}


def test_lives_of_a_world_share_nothing_that_changes() -> None:
    """Law: what a World makes once for all its lives is not changed by any, nor handed on to a World that differs."""
    world = sleepers()
    state = zp.State.neutral(world.model)
    alone = recorded_bits(world.simulate(0.5, state))
    other = replace(world, habitat=replace(world.habitat, gravity=(0.0, 0.0, -3.0)))
    assert (
        recorded_bits(other.simulate(0.5, state))
        == recorded_bits(replace(other).simulate(0.5, state))
        != alone
    )
    with ThreadPoolExecutor(2) as pool:
        told = list(pool.map(lambda _: recorded_bits(world.simulate(0.5, state)), range(4)))
    assert {*told, recorded_bits(pickle.loads(pickle.dumps(world)).simulate(0.5, state))} == {alone}
    first, second = (begin(world, state, None).block for _ in range(2))
    for name in ("ints", "data", "scratch"):
        assert not np.shares_memory(getattr(first, name), getattr(second, name))


def recorded_bits(life: zp.Trajectory) -> bytes:
    """All that a life recorded."""
    return b"".join(
        np.ascontiguousarray(values).tobytes() for values in (life.q, life.v, *life.channels.values())
    )
