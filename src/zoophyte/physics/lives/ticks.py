"""Controllers that are asked at a rate: tables that tick, and graphs of neurons.

As in one world, the clock starts anew at every tick, at a multiple of the period, so that it does not drift.
"""

from __future__ import annotations

from zoophyte.model.herd.life_layout import (
    FEATURE_NODES,
    LIFE_FEATURES,
    LIFE_HEAD,
    NEXT_TICK,
    PERIOD,
    PERIOD_STEPS,
    STEP,
    TABLE_FLOWS,
    TABLE_LENGTH,
    TICK,
)
from zoophyte.model.layout import COUNT, LIFE, START
from zoophyte.numbers import Array, Spec, any_lane, both, load, negated, number, store, where, width
from zoophyte.physics.lives.neurons import think
from zoophyte.physics.lives.tables import take_segment


def tick(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> None:
    """Ask the controllers that are due."""
    W, section = width(spec), ints[LIFE]
    head = ints[section + LIFE_HEAD]
    step, then = load(data, head + STEP * W, spec), load(data, head + NEXT_TICK * W, spec)
    due = step >= then
    if not any_lane(due):
        return
    zero, one, half = number(0.0, step), number(1.0, step), number(0.5, step)
    n, start = load(data, head + TICK * W, spec), load(data, START * W, spec)
    later = both(due, n > half)
    store(data, START * W, where(later, n * load(data, head + PERIOD * W, spec), start), spec)
    store(data, COUNT * W, where(later, zero, load(data, COUNT * W, spec)), spec)
    store(data, head + TICK * W, n + where(due, one, zero), spec)
    after = then + load(data, head + PERIOD_STEPS * W, spec)
    store(data, head + NEXT_TICK * W, where(due, after, then), spec)
    tabled = load(data, head + TABLE_LENGTH * W, spec) > half
    ticks = both(due, both(tabled, negated(load(data, head + TABLE_FLOWS * W, spec) > half)))
    if any_lane(ticks):
        take_segment(ints, data, ticks, n, spec)
    if ints[section + LIFE_FEATURES] & FEATURE_NODES:
        think(ints, data, scratch, terrain, due, spec)


def think_once(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> None:
    """One call of the graphs of all creatures, whenever it is; the clock stays."""
    W, head = width(spec), ints[ints[LIFE] + LIFE_HEAD]
    n = load(data, head + TICK * W, spec)
    store(data, head + TICK * W, n + number(1.0, n), spec)
    think(ints, data, scratch, terrain, n >= number(0.0, n), spec)
