"""Loops that the threads of a team divide: degrees of freedom in the solver, slots and axes elsewhere.

Each function stands for the one of the same name that one lane works off alone.  Sums are made in another order, so results
are the same within rounding.  A pen is one tree, whose rows hold all degrees of freedom.

Loops are written with `while`: Numba divides to find out how often a loop with a step runs.
"""

from __future__ import annotations

from typing import Any

from zoophyte.model.contact_layout import (
    AXIS_COUNT,
    ROW_STRIDE,
    SLOT_CAPACITY,
    WORK_START,
)
from zoophyte.model.layout import (
    CONTACT,
    NV,
)
from zoophyte.numbers import (
    Array,
    Number,
    Spec,
    fma,
    load,
    number,
    store,
    width,
)
from zoophyte.numbers.cuda.team import line_up, meet, rank, size, total
from zoophyte.physics.contact.axes import axis_row, axis_runs, is_active
from zoophyte.physics.contact.correction.correct import measure_slot
from zoophyte.physics.contact.rows import row_length, slot_rows
from zoophyte.physics.contact.runs import axis_entries, slot_entries
from zoophyte.physics.contact.slots import begin_slots as begin_alone
from zoophyte.physics.contact.touch import remember_slot

# ------------------------------------------------------------------------------------------------------ rows times numbers


def slot_velocity(ints: Array, scratch: Array, slot: int, start: Any, spec: Spec) -> Any:
    """start + Y·w of a slot."""
    W, c = width(spec), ints[CONTACT]
    stride, count, m = ints[c + ROW_STRIDE] * W, ints[NV], 0
    rows, w = slot_entries(ints, slot, spec), ints[c + WORK_START]
    zero = number(0.0, start[0])
    u0, u1, u2 = zero, zero, zero
    while m < count:
        x, y = four(scratch, w, m, count, zero, spec), four(scratch, rows, m, count, zero, spec)
        t = four(scratch, rows + stride, m, count, zero, spec)
        s = four(scratch, rows + 2 * stride, m, count, zero, spec)
        u0, u1, u2 = product(y, x, u0), product(t, x, u1), product(s, x, u2)
        m += 4 * size(spec)
    return start[0] + total(u0, spec), start[1] + total(u1, spec), start[2] + total(u2, spec)


def add_slot(ints: Array, scratch: Array, slot: int, impulse: Any, spec: Spec) -> None:
    """w += Yᵀ·impulse of a slot."""
    W, c = width(spec), ints[CONTACT]
    stride, count, m = ints[c + ROW_STRIDE] * W, ints[NV], 0
    rows, w = slot_entries(ints, slot, spec), ints[c + WORK_START]
    zero = number(0.0, impulse[0])
    while m < count:
        x, y = four(scratch, w, m, count, zero, spec), four(scratch, rows, m, count, zero, spec)
        t = four(scratch, rows + stride, m, count, zero, spec)
        s = four(scratch, rows + 2 * stride, m, count, zero, spec)
        x = add_product(s, impulse[2], add_product(t, impulse[1], add_product(y, impulse[0], x)))
        put_four(scratch, w, m, count, x, spec)
        m += 4 * size(spec)
    meet(spec)


def normal_motion(ints: Array, scratch: Array, slot: int, start: Number, spec: Spec) -> Number:
    """The first of the three numbers of `slot_velocity`."""
    w = ints[ints[CONTACT] + WORK_START]
    return start + row_times(ints, scratch, slot_entries(ints, slot, spec), w, start, spec)


def add_normal(ints: Array, scratch: Array, slot: int, impulse: Number, spec: Spec) -> None:
    """w += Yᵀ·impulse of the normal alone."""
    add_row(ints, scratch, slot_entries(ints, slot, spec), impulse, spec)


def axis_motion(ints: Array, scratch: Array, x: int, u: Number, start: int, spec: Spec) -> Number:
    """u + y·w, w from `start` on."""
    return u + row_times(ints, scratch, axis_start(ints, scratch, x, spec), start, u, spec)


def add_axis(ints: Array, scratch: Array, x: int, impulse: Number, spec: Spec) -> None:
    """w += y·impulse."""
    add_row(ints, scratch, axis_start(ints, scratch, x, spec), impulse, spec)


def axis_start(ints: Array, scratch: Array, x: int, spec: Spec) -> int:
    """Where the row of an axis starts."""
    return axis_entries(ints, axis_runs(ints, scratch, x, spec), spec)


def row_times(ints: Array, scratch: Array, y: int, w: int, like: Number, spec: Spec) -> Number:
    """y·w."""
    count, m, part = ints[NV], 0, number(0.0, like)
    while m < count:
        x = four(scratch, w, m, count, like, spec)
        part = product(four(scratch, y, m, count, like, spec), x, part)
        m += 4 * size(spec)
    return total(part, spec)


def add_row(ints: Array, scratch: Array, y: int, impulse: Number, spec: Spec) -> None:
    """w += y·impulse."""
    count, m = ints[NV], 0
    w = ints[ints[CONTACT] + WORK_START]
    while m < count:
        x = four(scratch, w, m, count, impulse, spec)
        x = add_product(four(scratch, y, m, count, impulse, spec), impulse, x)
        put_four(scratch, w, m, count, x, spec)
        m += 4 * size(spec)
    meet(spec)


def four(scratch: Array, start: int, m: int, count: int, like: Number, spec: Spec) -> Any:
    """The next four numbers of this thread from m on, zero where there are no more.

    Asked for together: threads that wait for one number after the other wait most of the time.
    """
    W, step, m = width(spec), size(spec), m + rank(spec)
    zero = number(0.0, like)
    place = start + m * W
    a, b, c, d = zero, zero, zero, zero
    if m < count:
        a = load(scratch, place, spec)
    if m + step < count:
        b = load(scratch, place + step * W, spec)
    if m + 2 * step < count:
        c = load(scratch, place + 2 * step * W, spec)
    if m + 3 * step < count:
        d = load(scratch, place + 3 * step * W, spec)
    return a, b, c, d


def put_four(scratch: Array, start: int, m: int, count: int, x: Any, spec: Spec) -> None:
    """Write what `four` has read."""
    W, step, m = width(spec), size(spec), m + rank(spec)
    place = start + m * W
    if m < count:
        store(scratch, place, x[0], spec)
    if m + step < count:
        store(scratch, place + step * W, x[1], spec)
    if m + 2 * step < count:
        store(scratch, place + 2 * step * W, x[2], spec)
    if m + 3 * step < count:
        store(scratch, place + 3 * step * W, x[3], spec)


def product(y: Any, x: Any, u: Number) -> Number:
    """u + y·x."""
    return fma(y[3], x[3], fma(y[2], x[2], fma(y[1], x[1], fma(y[0], x[0], u))))


def add_product(y: Any, impulse: Number, x: Any) -> Any:
    """x + y·impulse."""
    return (
        fma(y[0], impulse, x[0]),
        fma(y[1], impulse, x[1]),
        fma(y[2], impulse, x[2]),
        fma(y[3], impulse, x[3]),
    )


# ------------------------------------------------------------------------------------------------------------ making rows


def slot_products(ints: Array, scratch: Array, slot: int, spec: Spec) -> Any:
    """Λ of the three rows of a slot; threads divide whole rows, and need no runs."""
    W = width(spec)
    rows, stride = slot_entries(ints, slot, spec), ints[ints[CONTACT] + ROW_STRIDE] * W
    zero = number(0.0, load(scratch, slot, spec))
    nn, nt, nu, tt, tu, uu = zero, zero, zero, zero, zero, zero
    for m in range(row_length(scratch, slot, spec)):
        y0 = load(scratch, rows + m * W, spec)
        y1 = load(scratch, rows + stride + m * W, spec)
        y2 = load(scratch, rows + 2 * stride + m * W, spec)
        nn, nt, nu = fma(y0, y0, nn), fma(y0, y1, nt), fma(y0, y2, nu)
        tt, tu, uu = fma(y1, y1, tt), fma(y1, y2, tu), fma(y2, y2, uu)
    return nn, nt, nu, tt, tu, uu


def axis_square(ints: Array, scratch: Array, runs: int, count: int, spec: Spec) -> Number:
    """y·y of the row of an axis."""
    W, rows = width(spec), axis_entries(ints, runs, spec)
    square = number(0.0, load(scratch, rows, spec))
    for n in range(ints[NV]):
        entry = load(scratch, rows + n * W, spec)
        square = fma(entry, entry, square)
    return square


def make_rows(ints: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """The rows of all slots and axes: every thread goes the ways of its own to the root.

    Who has no axis left makes the last one too: all who do write the same, and votes on the way keep them in step.
    """
    c, own = ints[CONTACT], rank(spec)
    for first in range(0, slots, size(spec)):
        k = first + own
        # Who has none left takes the slot that nobody uses.
        slot_rows(ints, scratch, k if k < slots else ints[c + SLOT_CAPACITY], spec)
    count = ints[c + AXIS_COUNT]
    for first in range(0, count, size(spec)):
        a = min(first + own, count - 1)
        if is_active(ints, scratch, a, spec):
            axis_row(ints, scratch, a, spec)
    meet(spec)


# ------------------------------------------------------------------------------------------------------------ other slots


def begin_slots(ints: Array, scratch: Array, spec: Spec) -> None:
    """No slot is in use; detection begins for all warps of the block together."""
    line_up(spec)
    begin_alone(ints, scratch, spec)


def measure_slots(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """What the correction of positions should take away."""
    k = rank(spec)
    while k < slots:
        measure_slot(ints, data, scratch, k, spec)
        k += size(spec)
    meet(spec)


def remember_slots(ints: Array, data: Array, scratch: Array, slots: int, rate: Number, spec: Spec) -> None:
    """Keys and forces of all slots."""
    line_up(spec)
    k = rank(spec)
    while k < slots:
        remember_slot(ints, data, scratch, k, rate, spec)
        k += size(spec)
    meet(spec)
