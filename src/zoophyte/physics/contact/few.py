"""Few contacts: the same sweeps as in `sweeps`, on the matrix Λ = Y·Yᵀ itself.

The velocities u = c + Λ·λ of all slots are kept up to date: where the impulse of slot k changes by d, those of slot l
change by Λ_lk·d.  For a handful of contacts on a creature of many degrees of freedom that is less work than the rows, and
no sum has to wait for another.  Whether a creature is solved so depends on its own contacts alone, never on its neighbours'.
"""

from __future__ import annotations

from typing import Any

from zoophyte.model.contact_layout import (
    AXIS_ACTIVE,
    AXIS_COUNT,
    FEW,
    FEW_START,
    HEAD_START,
    ISLAND_COUNT,
    MAX_SWEEPS,
    RESIDUAL,
    ROW_STRIDE,
    SLOT_BIAS,
    SLOT_BLOCK,
    SLOT_FREE,
    SLOT_IMPULSE,
    SLOT_NOW,
    SLOT_NOW_BEFORE,
    SLOT_ROUND_IMPULSE,
    SLOT_ROWS,
    SLOT_SEGMENTS,
    SWEEPS_DONE,
    TOLERANCE,
    WORK_COUNT,
)
from zoophyte.model.layout import CONTACT
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    any_lane,
    both,
    fma,
    lane,
    largest_lane,
    load,
    maximum,
    minimum,
    number,
    sqrt,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import load3, load6, load9, store3, store9
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.contact.axes import axis_offset
from zoophyte.physics.contact.cone import add_slot, change_of, new_impulse
from zoophyte.physics.contact.slots import slot_offset, work


def has_few(ints: Array, scratch: Array, spec: Spec) -> Mask:
    """Where there are few contacts and nothing else to solve."""
    W, c = width(spec), ints[CONTACT]
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    few = count <= number(FEW if ints[c + ISLAND_COUNT] == 1 else -1, count)
    for a in range(ints[c + AXIS_COUNT]):
        active = load(scratch, axis_offset(ints, a, spec) + AXIS_ACTIVE * W, spec)
        few = both(few, active < number(0.5, active))
    return few


@outlined
def solve_few(ints: Array, data: Array, scratch: Array, few: Mask, spec: Spec) -> None:
    """λ of all slots, and w = Yᵀ·λ, where there are few."""
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    slots = int(largest_lane(where(few, count, number(0.0, count))))
    make_matrix(ints, scratch, slots, spec)
    begin(ints, scratch, slots, spec)
    guard(ints, scratch, slots, few, spec)
    iterate(ints, data, scratch, slots, few, spec)
    guard(ints, scratch, slots, few, spec)
    zero = number(0.0, count)
    for k in range(slots):
        slot = slot_offset(ints, k)
        x = load3(scratch, slot + SLOT_IMPULSE * width(spec), spec)
        x = (where(few, x[0], zero), where(few, x[1], zero), where(few, x[2], zero))
        add_slot(ints, scratch, slot, x, spec)


def pair_offset(ints: Array, k: int, other: int, spec: Spec) -> int:
    """Where the block Λ of slots k > other lies in `scratch`."""
    return ints[ints[CONTACT] + FEW_START] + (k * (k - 1) // 2 + other) * 9 * width(spec)


def make_matrix(ints: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """The blocks of Λ off its diagonal, those below it."""
    for k in range(1, slots):
        for other in range(k):
            block = product(ints, scratch, slot_offset(ints, k), slot_offset(ints, other), spec)
            store9(scratch, pair_offset(ints, k, other, spec), block, spec)


def product(ints: Array, scratch: Array, a: int, b: int, spec: Spec) -> Any:
    """Y_a·Y_bᵀ over the trees that both slots touch."""
    W = width(spec)
    stride, z = ints[ints[CONTACT] + ROW_STRIDE] * W, number(0.0, load(scratch, a, spec))
    total = (z, z, z, z, z, z, z, z, z)
    first = a + SLOT_ROWS * W
    for m in range(2):
        segment = a + (SLOT_SEGMENTS + 2 * m) * W
        start, length = segment_of(scratch, segment, spec)
        second = b + SLOT_ROWS * W
        for n in range(2):
            other, other_length = segment_of(scratch, b + (SLOT_SEGMENTS + 2 * n) * W, spec)
            if start == other and length > 0 and other_length > 0:
                total = add_products(scratch, first, second, length, stride, total, spec)
            second = second + other_length * W
        first = first + length * W
    return total


def segment_of(scratch: Array, segment: int, spec: Spec) -> tuple[int, int]:
    """First dof and number of dofs."""
    start = int(lane(load(scratch, segment, spec), 0))
    return start, int(lane(load(scratch, segment + width(spec), spec), 0))


def add_products(scratch: Array, a: int, b: int, length: int, stride: int, total: Any, spec: Spec) -> Any:
    """total + the nine products of three rows with three rows."""
    W = width(spec)
    t0, t1, t2, t3, t4, t5, t6, t7, t8 = total
    for m in range(length):
        x, y = a + m * W, b + m * W
        x0, y0 = load(scratch, x, spec), load(scratch, y, spec)
        x1, y1 = load(scratch, x + stride, spec), load(scratch, y + stride, spec)
        x2, y2 = load(scratch, x + 2 * stride, spec), load(scratch, y + 2 * stride, spec)
        t0, t1, t2 = fma(x0, y0, t0), fma(x0, y1, t1), fma(x0, y2, t2)
        t3, t4, t5 = fma(x1, y0, t3), fma(x1, y1, t4), fma(x1, y2, t5)
        t6, t7, t8 = fma(x2, y0, t6), fma(x2, y1, t7), fma(x2, y2, t8)
    return (t0, t1, t2, t3, t4, t5, t6, t7, t8)


def add_block(scratch: Array, block: int, place: int, d: Any, spec: Spec) -> None:
    """u += Λ·d for the three velocities at `place`."""
    B, u = load9(scratch, block, spec), load3(scratch, place, spec)
    u0 = fma(B[2], d[2], fma(B[1], d[1], fma(B[0], d[0], u[0])))
    u1 = fma(B[5], d[2], fma(B[4], d[1], fma(B[3], d[0], u[1])))
    u2 = fma(B[8], d[2], fma(B[7], d[1], fma(B[6], d[0], u[2])))
    store3(scratch, place, (u0, u1, u2), spec)


def add_transposed(scratch: Array, block: int, place: int, d: Any, spec: Spec) -> None:
    """u += Λᵀ·d for the three velocities at `place`."""
    B, u = load9(scratch, block, spec), load3(scratch, place, spec)
    u0 = fma(B[6], d[2], fma(B[3], d[1], fma(B[0], d[0], u[0])))
    u1 = fma(B[7], d[2], fma(B[4], d[1], fma(B[1], d[0], u[1])))
    u2 = fma(B[8], d[2], fma(B[5], d[1], fma(B[2], d[0], u[2])))
    store3(scratch, place, (u0, u1, u2), spec)


def spread(ints: Array, scratch: Array, slots: int, k: int, d: Any, spec: Spec) -> None:
    """The velocities of all slots after the impulse of slot k has changed by d."""
    W = width(spec)
    for other in range(k):
        add_transposed(
            scratch, pair_offset(ints, k, other, spec), slot_offset(ints, other) + SLOT_NOW * W, d, spec
        )
    slot = slot_offset(ints, k)
    B, u = load6(scratch, slot + SLOT_BLOCK * W, spec), load3(scratch, slot + SLOT_NOW * W, spec)
    u0 = fma(B[2], d[2], fma(B[1], d[1], fma(B[0], d[0], u[0])))
    u1 = fma(B[4], d[2], fma(B[3], d[1], fma(B[1], d[0], u[1])))
    u2 = fma(B[5], d[2], fma(B[4], d[1], fma(B[2], d[0], u[2])))
    store3(scratch, slot + SLOT_NOW * W, (u0, u1, u2), spec)
    for other in range(k + 1, slots):
        add_block(
            scratch, pair_offset(ints, other, k, spec), slot_offset(ints, other) + SLOT_NOW * W, d, spec
        )


def begin(ints: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """u = c + Λ·λ of what is remembered."""
    W = width(spec)
    for k in range(slots):
        slot = slot_offset(ints, k)
        store3(scratch, slot + SLOT_NOW * W, load3(scratch, slot + SLOT_FREE * W, spec), spec)
    for k in range(slots):
        x = load3(scratch, slot_offset(ints, k) + SLOT_IMPULSE * W, spec)
        spread(ints, scratch, slots, k, x, spec)


def guard(ints: Array, scratch: Array, slots: int, few: Mask, spec: Spec) -> None:
    """Scale λ back where λᵀ(c + bias) + ½ λᵀΛλ > 0: it would put energy in, measured in M̃."""
    W = width(spec)
    zero = number(0.0, load(scratch, 0, spec))
    one, square, power = number(1.0, zero), zero, zero
    for k in range(slots):
        slot = slot_offset(ints, k)
        x, c = load3(scratch, slot + SLOT_IMPULSE * W, spec), load3(scratch, slot + SLOT_FREE * W, spec)
        u = load3(scratch, slot + SLOT_NOW * W, spec)
        bias = load(scratch, slot + SLOT_BIAS * W, spec)
        square = fma(x[2], u[2] - c[2], fma(x[1], u[1] - c[1], fma(x[0], u[0] - c[0], square)))
        power = fma(x[2], c[2], fma(x[1], c[1], fma(x[0], c[0] + bias, power)))
    gains = both(few, both(fma(number(0.5, zero), square, power) > zero, square > zero))
    if any_lane(gains):
        scaled = maximum(minimum(-power / where(gains, square, one), one), zero)
        factor = where(gains, scaled, one)
        for k in range(slots):
            slot = slot_offset(ints, k)
            x, c = load3(scratch, slot + SLOT_IMPULSE * W, spec), load3(scratch, slot + SLOT_FREE * W, spec)
            u = load3(scratch, slot + SLOT_NOW * W, spec)
            store3(scratch, slot + SLOT_IMPULSE * W, (factor * x[0], factor * x[1], factor * x[2]), spec)
            u0, u1, u2 = (
                fma(factor, u[0] - c[0], c[0]),
                fma(factor, u[1] - c[1], c[1]),
                fma(factor, u[2] - c[2], c[2]),
            )
            store3(scratch, slot + SLOT_NOW * W, (where(gains, u0, u[0]), where(gains, u1, u[1]), where(gains, u2, u[2])),
                   spec)  # fmt: skip


def iterate(ints: Array, data: Array, scratch: Array, slots: int, few: Mask, spec: Spec) -> None:
    """Sweeps until no velocity changes any more; what is done stays as it is."""
    W, c = width(spec), ints[CONTACT]
    head = ints[c + HEAD_START]
    tolerance = load(data, head + TOLERANCE * W, spec)
    zero, one = number(0.0, tolerance), number(1.0, tolerance)
    done, residual, running = zero, zero, few
    momentum, last = one, number(1e30, one)
    sweeps = 0
    while sweeps < ints[c + MAX_SWEEPS] and any_lane(running):
        change = zero
        for k in range(slots):
            slot = slot_offset(ints, k)
            u, before = (
                load3(scratch, slot + SLOT_NOW * W, spec),
                load3(scratch, slot + SLOT_IMPULSE * W, spec),
            )
            d = new_impulse(ints, scratch, k, running, SLOT_IMPULSE, SLOT_BIAS, u, before, spec)
            spread(ints, scratch, slots, k, d, spec)
            change = maximum(change_of(scratch, slot, d, spec), change)
        done = done + where(running, one, zero)
        residual = where(running, change, residual)
        running = both(running, change > tolerance)
        sweeps += 1
        if sweeps < ints[c + MAX_SWEEPS] and any_lane(running):
            momentum = where(change > last, one, momentum)
            after = number(0.5, one) * (one + sqrt(fma(number(4.0, one) * momentum, momentum, one)))
            go_on(ints, scratch, slots, where(running, (momentum - one) / after, zero), spec)
            momentum, last = after, change
    store(data, head + RESIDUAL * W, where(few, residual, load(data, head + RESIDUAL * W, spec)), spec)
    store(data, head + SWEEPS_DONE * W, where(few, done, load(data, head + SWEEPS_DONE * W, spec)), spec)


def go_on(ints: Array, scratch: Array, slots: int, weight: Number, spec: Spec) -> None:
    """λ and u go on in the direction of their last change."""
    W = width(spec)
    for k in range(slots):
        slot = slot_offset(ints, k)
        go_on3(scratch, slot + SLOT_IMPULSE * W, slot + SLOT_ROUND_IMPULSE * W, weight, spec)
        go_on3(scratch, slot + SLOT_NOW * W, slot + SLOT_NOW_BEFORE * W, weight, spec)


def go_on3(scratch: Array, place: int, kept: int, weight: Number, spec: Spec) -> None:
    """x + weight·(x − x before) of three numbers, and x kept as the next `before`."""
    x, y = load3(scratch, place, spec), load3(scratch, kept, spec)
    moving = weight > number(0.0, weight)
    y = (where(moving, y[0], x[0]), where(moving, y[1], x[1]), where(moving, y[2], x[2]))
    store3(scratch, kept, x, spec)
    x = (fma(weight, x[0] - y[0], x[0]), fma(weight, x[1] - y[1], x[1]), fma(weight, x[2] - y[2], x[2]))
    store3(scratch, place, x, spec)
