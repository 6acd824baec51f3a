"""Loops that the threads of a team divide: degrees of freedom in the solver, slots and axes elsewhere.

Each function stands for the one of the same name that one lane works off alone.  Sums are made in another order, so results
are the same within rounding.  A pen is one tree, whose rows hold all degrees of freedom.

Loops are written with `while`: Numba divides to find out how often a loop with a step runs.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.cholesky import forward_solve6
from zoophyte.algebra.spatial import force_to_parent, spatial_add_scaled, spatial_scale
from zoophyte.model.contact_layout import (
    AXIS_ACTIVE,
    AXIS_COUNT,
    AXIS_LINK,
    AXIS_ROW_SIZE,
    AXIS_ROWS,
    AXIS_ROWS_START,
    AXIS_V,
    FEATURE_BALLS,
    FEATURES,
    ROW_STRIDE,
    SLOT_B,
    SLOT_CAPACITY,
    SLOT_ROWS,
    TREE_NV,
    TREE_ROW_SIZE,
    TREE_ROWS,
    TREE_V,
    WORK_COUNT,
    WORK_START,
)
from zoophyte.model.layout import (
    CONTACT,
    FREE,
    JOINT,
    LINK_COUNT,
    NV,
    ROW_KIND,
    ROW_SCRATCH,
    ROW_V,
    SLIDE,
    WAY_KIND,
    WAY_PARENT,
    WAY_ROW,
    E,
    R,
)
from zoophyte.numbers import (
    Array,
    Number,
    Spec,
    any_lane,
    both,
    either,
    fma,
    gather,
    load,
    number,
    scatter,
    sqrt,
    store,
    where,
    width,
)
from zoophyte.numbers.cuda.team import line_up, meet, rank, size, total
from zoophyte.numbers.memory import gather3, gather6, gather9
from zoophyte.physics.contact import touch
from zoophyte.physics.contact.axes import axis_offset, store_square
from zoophyte.physics.contact.correct import measure_slot
from zoophyte.physics.contact.rows import slot_rows
from zoophyte.physics.contact.slots import begin_slots as begin_alone
from zoophyte.physics.contact.slots import slot_offset, work
from zoophyte.physics.contact.touch import remember_slot
from zoophyte.physics.contact.ways import choose6, is_joint, row_length, store_where
from zoophyte.physics.dynamics.blocks import load21_flat
from zoophyte.physics.dynamics.kinematics import row
from zoophyte.physics.dynamics.project import DINV

rows_one_by_one = touch.make_rows


# ------------------------------------------------------------------------------------------------------ rows times numbers


def slot_velocity(ints: Array, scratch: Array, slot: int, start: Any, spec: Spec) -> Any:
    """start + Y·w of a slot."""
    W, c = width(spec), ints[CONTACT]
    stride, count, m = ints[c + ROW_STRIDE] * W, ints[NV], 0
    rows, w = slot + SLOT_ROWS * W, ints[c + WORK_START]
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
    rows, w = slot + SLOT_ROWS * W, ints[c + WORK_START]
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
    return start + row_times(ints, scratch, slot + SLOT_ROWS * width(spec), w, start, spec)


def add_normal(ints: Array, scratch: Array, slot: int, impulse: Number, spec: Spec) -> None:
    """w += Yᵀ·impulse of the normal alone."""
    add_row(ints, scratch, slot + SLOT_ROWS * width(spec), impulse, spec)


def axis_motion(ints: Array, scratch: Array, x: int, u: Number, start: int, spec: Spec) -> Number:
    """u + y·w, w from `start` on."""
    return u + row_times(ints, scratch, x + AXIS_ROWS_START * width(spec), start, u, spec)


def add_axis(ints: Array, scratch: Array, x: int, impulse: Number, spec: Spec) -> None:
    """w += y·impulse."""
    add_row(ints, scratch, x + AXIS_ROWS_START * width(spec), impulse, spec)


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
    rows, stride = slot + SLOT_ROWS * W, ints[ints[CONTACT] + ROW_STRIDE] * W
    zero = number(0.0, load(scratch, slot, spec))
    nn, nt, nu, tt, tu, uu = zero, zero, zero, zero, zero, zero
    for m in range(row_length(scratch, slot, spec)):
        y0 = load(scratch, rows + m * W, spec)
        y1 = load(scratch, rows + stride + m * W, spec)
        y2 = load(scratch, rows + 2 * stride + m * W, spec)
        nn, nt, nu = fma(y0, y0, nn), fma(y0, y1, nt), fma(y0, y2, nu)
        tt, tu, uu = fma(y1, y1, tt), fma(y1, y2, tu), fma(y2, y2, uu)
    return nn, nt, nu, tt, tu, uu


def axis_square(scratch: Array, x: int, base: int, length: int, spec: Spec) -> Number:
    """y·y of the row of an axis."""
    W = width(spec)
    square = number(0.0, load(scratch, x, spec))
    for n in range(length):
        entry = load(scratch, x + (AXIS_ROWS_START + n) * W, spec)
        square = fma(entry, entry, square)
    return square


def make_rows(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """The rows of all slots and axes: every thread goes the ways of its own to the root.

    On ball joints, and between two links, forces lie in the links' records on their way; there all go one way after the
    other.
    """
    c = ints[CONTACT]
    if ints[c + FEATURES] & FEATURE_BALLS or has_pairs(ints, scratch, slots, spec):
        rows_one_by_one(ints, data, scratch, slots, spec)
        return
    own = rank(spec)
    for first in range(0, slots, size(spec)):
        k = first + own
        # Who has none left takes the slot that nobody uses.
        slot_rows(ints, data, scratch, k if k < slots else ints[c + SLOT_CAPACITY], spec)
    count = ints[c + AXIS_COUNT]
    for first in range(0, count, size(spec)):
        axis_way(ints, scratch, min(first + own, count - 1), spec)
    meet(spec)


def has_pairs(ints: Array, scratch: Array, slots: int, spec: Spec) -> bool:
    """Whether any slot is between two links."""
    W = width(spec)
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    zero = number(0.0, count)
    paired, k = zero > count, rank(spec)
    while k < slots:
        other = load(scratch, slot_offset(ints, k) + SLOT_B * W, spec)
        paired = either(paired, both(number(k, count) < count, other > zero))
        k += size(spec)
    return any_lane(paired)


def axis_way(ints: Array, scratch: Array, a: int, spec: Spec) -> None:
    """The row of one axis, and its square; as `walk_apart`, for one force."""
    W, c = width(spec), ints[CONTACT]
    r, x = ints[c + AXIS_ROWS] + a * AXIS_ROW_SIZE, axis_offset(ints, a, spec)
    zero = number(0.0, load(scratch, x + AXIS_ACTIVE * W, spec))
    if not any_lane(load(scratch, x + AXIS_ACTIVE * W, spec) > number(0.5, zero)):
        return
    tree = ints[c + TREE_ROWS] + ints[r + AXIS_LINK] * TREE_ROW_SIZE
    base, length = ints[tree + TREE_V], ints[tree + TREE_NV]
    y = x + (AXIS_ROWS_START - base) * W
    for n in range(length):
        store(scratch, x + (AXIS_ROWS_START + n) * W, zero, spec)
    here = number(ints[row(ints, ints[r + AXIS_LINK]) + ROW_SCRATCH], zero)
    U, D_inverse = (
        gather6(scratch, here, JOINT * W, spec),
        gather(scratch, here, (JOINT + DINV) * W, spec),
    )
    store(scratch, y + ints[r + AXIS_V] * W, sqrt(D_inverse), spec)
    p = spatial_scale(-D_inverse, U)
    nowhere = number(slot_offset(ints, ints[c + SLOT_CAPACITY]) + SLOT_ROWS * W, zero)
    going = here > zero
    while any_lane(going):
        moved = force_to_parent(gather9(scratch, here, E * W, spec), gather3(scratch, here, R * W, spec), p)
        p = choose6(going, moved, p)
        here = where(going, gather(scratch, here, WAY_PARENT * W, spec), here)
        kind = gather(scratch, here, WAY_KIND * W, spec)
        going, turns = both(going, is_joint(kind)), kind < number(SLIDE, zero)
        along = where(turns, p[2], p[5])
        D_inverse = gather(scratch, here, (JOINT + DINV) * W, spec)
        entry = gather(scratch, here, WAY_ROW * W, spec) * number(W, zero) + number(y, zero)
        scatter(scratch, where(going, entry, nowhere), 0, sqrt(D_inverse) * along, spec)
        left = spatial_add_scaled(p, -(D_inverse * along), gather6(scratch, here, JOINT * W, spec))
        p = choose6(going, left, p)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        if ints[i + ROW_KIND] == FREE:
            own = number(ints[i + ROW_SCRATCH], zero)
            arrived = both(here >= own, here <= own)
            L = load21_flat(scratch, ints[i + ROW_SCRATCH] + JOINT * W, spec)
            store_where(scratch, y + ints[i + ROW_V] * W, arrived, forward_solve6(L, p), spec)
    store_square(scratch, x, axis_square(scratch, x, base, length, spec), spec)


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
