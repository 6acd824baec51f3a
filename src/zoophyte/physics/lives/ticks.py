"""Controllers that are asked at a rate: tables that tick, and graphs of neurons; and signals that begin later.

As in one world, the clock starts anew at every tick, at a multiple of the period, so that it does not drift.
"""

from __future__ import annotations

from zoophyte.model.herd.life_layout import (
    BEGIN,
    BEGIN_STEP,
    FEATURE_LATE,
    FEATURE_NODES,
    FEATURE_TICKS,
    LATE_SIGNALS,
    LIFE_FEATURES,
    LIFE_HEAD,
    LIFE_SIGNALS,
    NEXT_TICK,
    PERIOD,
    PERIOD_STEPS,
    STEP,
    TABLE_FLOWS,
    TABLE_LENGTH,
    TICK,
)
from zoophyte.model.layout import (
    COMMAND,
    COUNT,
    DOF_SIZE,
    LIFE,
    LINK_COUNT,
    ROW_DATA,
    ROW_KIND,
    ROW_V,
    START,
    V_COUNT,
    called,
)
from zoophyte.numbers import (
    Array,
    Mask,
    Spec,
    any_lane,
    both,
    either,
    load,
    negated,
    number,
    store,
    where,
    width,
)
from zoophyte.numbers.primitives import outlined
from zoophyte.numbers.units import unit
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.lives.neurons import think
from zoophyte.physics.lives.tables import put, take_segment
from zoophyte.physics.presence import in_life

SIGNAL_SIZE = 7
"""Fields of a signal, from COMMAND on."""


@unit(called("tick"), in_life(FEATURE_TICKS))
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
    begin = load(data, head + BEGIN * W, spec)
    later = both(due, either(n > half, begin > zero))
    store(data, START * W, where(later, n * load(data, head + PERIOD * W, spec) + begin, start), spec)
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


@unit(called("begin_late"), in_life(FEATURE_LATE))
def begin_late(ints: Array, data: Array, spec: Spec) -> None:
    """Give signals that have waited to the joints; as in one world, the clock starts anew there."""
    W, head = width(spec), ints[ints[LIFE] + LIFE_HEAD]
    step, then = load(data, head + STEP * W, spec), load(data, head + BEGIN_STEP * W, spec)
    half = number(0.5, step)
    due = both(load(data, head + LATE_SIGNALS * W, spec) > half, both(step > then - half, step < then + half))
    if any_lane(due):
        take_signals(ints, data, due, spec)


@outlined
def take_signals(ints: Array, data: Array, due: Mask, spec: Spec) -> None:
    """All fields of the signals, where due."""
    W, section = width(spec), ints[LIFE]
    begin = load(data, ints[section + LIFE_HEAD] + BEGIN * W, spec)
    put(data, START * W, due, begin, spec)
    put(data, COUNT * W, due, number(0.0, begin), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind = ints[i + ROW_KIND]
        dof = ints[i + ROW_DATA] + (first_dof(kind) + COMMAND) * W
        signals = ints[section + LIFE_SIGNALS] + ints[i + ROW_V] * SIGNAL_SIZE * W
        for n in range(V_COUNT[kind]):
            for field in range(SIGNAL_SIZE):
                x = load(data, signals + (n * SIGNAL_SIZE + field) * W, spec)
                put(data, dof + (n * DOF_SIZE + field) * W, due, x, spec)
