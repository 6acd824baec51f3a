"""Commands from tables of samples: straight lines from one to the next, or steps.

A table that *flows* is looked up at every step and may have any rate; one that *ticks* is looked up at its own rate, which
is a whole number of steps.
"""

from __future__ import annotations

from zoophyte.model.herd.life_layout import (
    BEGIN,
    BEGIN_STEP,
    FEATURE_FLOWS,
    LIFE_HEAD,
    LIFE_TABLE,
    STEP,
    TABLE_FLOWS,
    TABLE_HOLDS,
    TABLE_LENGTH,
    TABLE_PLACE,
    TABLE_RATE,
    TABLE_REPEATS,
)
from zoophyte.model.layout import (
    COMMAND,
    COMMAND_RATE,
    COMMAND_START,
    COUNT,
    DOF_SIZE,
    DT,
    LIFE,
    LINK_COUNT,
    NV,
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
    Number,
    Spec,
    absolute,
    any_lane,
    both,
    either,
    floor,
    fma,
    gather,
    load,
    maximum,
    minimum,
    negated,
    number,
    store,
    where,
    width,
)
from zoophyte.numbers.primitives import outlined
from zoophyte.numbers.units import unit
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.presence import in_life

TIME_TOLERANCE = 1e-9
"""Part of a sample's time below which two times are the same."""


@unit(called("flow"), in_life(FEATURE_FLOWS))
def flow(ints: Array, data: Array, spec: Spec) -> None:
    """Bring those up to date whose step ends in another segment of their table."""
    W, head = width(spec), ints[ints[LIFE] + LIFE_HEAD]
    dt = load(data, DT * W, spec)
    t = fma(load(data, COUNT * W, spec) + number(1.0, dt), dt, load(data, START * W, spec))
    t = t - load(data, head + BEGIN * W, spec)
    k = floor(t * load(data, head + TABLE_RATE * W, spec) + number(TIME_TOLERANCE, t))
    place = load(data, head + TABLE_PLACE * W, spec)
    flows = load(data, head + TABLE_FLOWS * W, spec) > number(0.5, t)
    flows = both(flows, load(data, head + STEP * W, spec) >= load(data, head + BEGIN_STEP * W, spec))
    changed = both(flows, either(k < place, k > place))
    if any_lane(changed):
        store(data, head + TABLE_PLACE * W, where(changed, k, place), spec)
        take_segment(ints, data, changed, k, spec)


@outlined
def take_segment(ints: Array, data: Array, wanted: Mask, k: Number, spec: Spec) -> None:
    """Commands of segment k of the table, where wanted."""
    W, head, table = width(spec), ints[ints[LIFE] + LIFE_HEAD], ints[ints[LIFE] + LIFE_TABLE]
    rate, length = load(data, head + TABLE_RATE * W, spec), load(data, head + TABLE_LENGTH * W, spec)
    zero, one, half = number(0.0, k), number(1.0, k), number(0.5, k)
    repeats = load(data, head + TABLE_REPEATS * W, spec) > half
    k = where(wanted, k, zero)
    row_now = where(repeats, k - length * floor(k / length), maximum(minimum(k, length - one), zero))
    after = row_now + one
    beyond = after >= length
    after = where(beyond, zero, after)
    still = either(load(data, head + TABLE_HOLDS * W, spec) > half, both(beyond, negated(repeats)))
    begin = load(data, head + BEGIN * W, spec)
    delayed = begin > zero
    start = where(still, zero, k / rate + begin)
    size = number(ints[NV] * W, k)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind = ints[i + ROW_KIND]
        dof = ints[i + ROW_DATA] + first_dof(kind) * W
        for n in range(V_COUNT[kind]):
            field, own = table + (ints[i + ROW_V] + n) * W, dof + n * DOF_SIZE * W
            value = gather(data, row_now * size, field, spec)
            slope = where(still, zero, (gather(data, after * size, field, spec) - value) * rate)
            put(data, own + COMMAND * W, wanted, value, spec)
            put(data, own + COMMAND_RATE * W, wanted, slope, spec)
            level = both(
                delayed, absolute(slope) <= zero
            )  # as `After` has it: what does not change has no start
            put(data, own + COMMAND_START * W, wanted, where(level, zero, start), spec)


def put(data: Array, place: int, wanted: Mask, x: Number, spec: Spec) -> None:
    """Store where wanted."""
    store(data, place, where(wanted, x, load(data, place, spec)), spec)
