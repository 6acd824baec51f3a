"""Common sequences: short, in order, and with room for everybody."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from herds import model
from zoophyte.model import Block, ContactSettings, State
from zoophyte.model import layout as at
from zoophyte.model.herd.packing import Body, Creature, common_supersequence, places_in, sequence_for
from zoophyte.model.herd.pen import Pen
from zoophyte.model.herd.plans import LifePlan

letters = st.lists(st.sampled_from("abc"), max_size=8)
GRAVITY = (0.0, 0.0, -9.81)


@given(letters, letters)
def test_a_supersequence_holds_both_and_is_shortest(a: list[str], b: list[str]) -> None:
    """Law: |supersequence| = |a| + |b| − |longest common subsequence|, the latter by brute force over subsets."""
    merged = common_supersequence(a, b)
    assert places_in(merged, a) is not None
    assert places_in(merged, b) is not None
    subsets = [[x for n, x in enumerate(a) if chosen >> n & 1] for chosen in range(2 ** len(a))]
    longest = max(len(part) for part in subsets if places_in(b, part) is not None)
    assert len(merged) == len(a) + len(b) - longest


@given(st.lists(letters, min_size=1, max_size=6))
def test_one_sequence_for_all(parts: list[list[str]]) -> None:
    whole = sequence_for(parts)
    for part in parts:
        places = places_in(whole, part)
        assert places is not None
        assert places == sorted(set(places))
        assert [whole[n] for n in places] == part


def test_what_is_put_into_a_lane_comes_out_again() -> None:
    """State, contacts included: loaded, padded, and read back to the last bit."""
    models = [model(seed) for seed in range(8)]
    creatures = [Creature(m, Body.of(m), LifePlan()) for m in models]
    settings = ContactSettings(slots=64, sleep=False)
    pen = Pen(creatures, 8, settings, GRAVITY, 5e-3, 2, mixed=True)
    rng = np.random.default_rng(0)
    put = []
    for lane, creature in enumerate(creatures):
        axes = np.zeros(sum(held for _, held in creature.body.links) * 2)
        shapes = creature.model.shapes
        contact = [x for n in range(len(shapes)) for x in (256.0 * n + 1.0, *rng.normal(size=3))]
        state = State.neutral(creature.model).at(v=rng.normal(size=creature.model.nv))
        put.append(State(state.q, state.v, (0.0, 3, 5e-3), state.command, state.applied,
                         contact=np.array([*axes, *contact])))  # fmt: skip
        assert pen.fits(creature)
        pen.load(lane, creature, put[-1])
    pen.refresh()
    for lane, state in enumerate(put):
        found = pen.state(lane)
        for name in ("q", "v", "command", "applied", "contact"):
            assert getattr(found, name).tobytes() == getattr(state, name).tobytes(), (lane, name)
        assert found.clock == state.clock


def test_parents_come_before_children() -> None:
    models = [model(seed) for seed in range(12)]
    creatures = [Creature(m, Body.of(m), LifePlan()) for m in models]
    settings = ContactSettings(slots=64, sleep=False)
    pen = Pen(creatures, 4, settings, GRAVITY, 5e-3, 2, mixed=True)
    for creature in creatures:
        pen.load(1, creature, State.neutral(creature.model))
        own = pen.parents[1]
        assert np.all(own[1:] < np.arange(1, len(own)))
        kinds = [pen.kinds[n] for n in np.flatnonzero(own)]
        assert all(kind != at.FREE for kind in kinds)


def test_a_pen_is_a_block_of_whoever_lives_in_it() -> None:
    """A pen could not be asked what a block can be asked: coordinates, commands, fields of a creature in a lane."""
    models = [model(seed) for seed in range(4)]
    creatures = [Creature(m, Body.of(m), LifePlan()) for m in models]
    pen = Pen(creatures, 4, ContactSettings(slots=64, sleep=False), GRAVITY, 5e-3, 2, mixed=True)
    rng = np.random.default_rng(1)
    for lane, creature in enumerate(creatures):
        pen.load(lane, creature, State.neutral(creature.model))
    pen.refresh()
    for lane, own in enumerate(models):
        alone = Block([own], gravity=GRAVITY, contact=ContactSettings(slots=64, sleep=False))
        state = State.neutral(own).at(v=rng.normal(size=own.nv))
        command, applied = rng.normal(size=(own.nv, 7)), rng.normal(size=own.nv)
        for block, place in ((alone, 0), (pen, lane)):
            block.set_state(place, state)
            block.set_command(command, applied, place)
            block.set_dofs(at.REST, applied, place)
        assert np.array_equal(pen.q(lane), alone.q()) and np.array_equal(pen.v(lane), alone.v())
        assert np.array_equal(pen.dofs(at.REST, lane), alone.dofs(at.REST))
        assert np.array_equal(pen.state(lane).command, alone.state().command)
        assert np.array_equal(pen.state(lane).contact, alone.state().contact)
