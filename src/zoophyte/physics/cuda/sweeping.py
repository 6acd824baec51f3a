"""The solver of contacts, divided among the threads of a team: impulses guarded and swept until nothing changes any more.

Each function stands for the one of the same name in :mod:`zoophyte.physics.contact.sweeps`.  A pen is one island, so what
the solver sums for an island stays in registers here.  `settle` is the CPU's: what it calls is divided.
"""

from __future__ import annotations

from zoophyte.model.contact_layout import (
    AXIS_BEFORE,
    AXIS_BIAS,
    AXIS_COUNT,
    AXIS_FREE,
    AXIS_FRICTION_IMPULSE,
    AXIS_IMPULSE,
    AXIS_SIDE,
    AXIS_TARGET,
    HEAD_START,
    RESIDUAL,
    SLOT_BIAS,
    SLOT_FREE,
    SLOT_IMPULSE,
    SLOT_ROUND_IMPULSE,
    SWEEPS_DONE,
    TOLERANCE,
    WORK_START,
)
from zoophyte.model.layout import CONTACT, NV
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    any_lane,
    both,
    fma,
    load,
    maximum,
    minimum,
    number,
    sqrt,
    store,
    where,
    width,
)
from zoophyte.numbers.cuda.team import meet, rank, size, total
from zoophyte.numbers.memory import load3
from zoophyte.physics.contact.axes import axis_offset, is_active, solve_axis
from zoophyte.physics.contact.cone import solve_slot
from zoophyte.physics.contact.slots import slot_offset
from zoophyte.physics.contact.sweeps import extrapolate


def clear_work(ints: Array, scratch: Array, spec: Spec) -> None:
    """w = 0: each thread clears what it will add to."""
    W, w = width(spec), ints[ints[CONTACT] + WORK_START]
    zero, n = number(0.0, load(scratch, 0, spec)), rank(spec)
    while n < ints[NV]:
        store(scratch, w + n * W, zero, spec)
        n += size(spec)
    meet(spec)


def guard_energy(ints: Array, scratch: Array, slots: int, lanes: Mask, spec: Spec) -> None:
    """Scale the impulses back, in these lanes, where λᵀ(c + bias) + ½‖w‖² > 0: they would put energy in, measured in M̃."""
    W, c = width(spec), ints[CONTACT]
    w, zero = ints[c + WORK_START], number(0.0, load(scratch, 0, spec))
    one, square, power = number(1.0, zero), zero, zero
    n = rank(spec)
    while n < ints[NV]:
        x = load(scratch, w + n * W, spec)
        square = fma(x, x, square)
        n += size(spec)
    k = rank(spec)
    while k < slots:
        slot = slot_offset(ints, k)
        x3, u3 = load3(scratch, slot + SLOT_IMPULSE * W, spec), load3(scratch, slot + SLOT_FREE * W, spec)
        normal = u3[0] + load(scratch, slot + SLOT_BIAS * W, spec)
        power = fma(x3[2], u3[2], fma(x3[1], u3[1], fma(x3[0], normal, power)))
        k += size(spec)
    a = rank(spec)
    while a < ints[c + AXIS_COUNT]:
        axis = axis_offset(ints, a, spec)
        u, side = load(scratch, axis + AXIS_FREE * W, spec), load(scratch, axis + AXIS_SIDE * W, spec)
        limit, held = (
            load(scratch, axis + AXIS_IMPULSE * W, spec),
            load(scratch, axis + AXIS_FRICTION_IMPULSE * W, spec),
        )
        power = fma(limit, fma(side, u, load(scratch, axis + AXIS_BIAS * W, spec)), power)
        power = fma(held, u - load(scratch, axis + AXIS_TARGET * W, spec), power)
        a += size(spec)
    square, power = total(square, spec), total(power, spec)
    gains = both(lanes, both(fma(number(0.5, zero), square, power) > zero, square > zero))
    if any_lane(gains):
        scaled = maximum(minimum(-power / where(gains, square, one), one), zero)
        scale_impulses(ints, scratch, slots, where(gains, scaled, one), spec)


def scale_impulses(ints: Array, scratch: Array, slots: int, factor: Number, spec: Spec) -> None:
    """Multiply λ and w by a factor."""
    W, c = width(spec), ints[CONTACT]
    n = rank(spec)
    while n < ints[NV]:
        scale_one(scratch, ints[c + WORK_START] + n * W, factor, spec)
        n += size(spec)
    k = rank(spec)
    while k < slots:
        for m in range(3):
            scale_one(scratch, slot_offset(ints, k) + (SLOT_IMPULSE + m) * W, factor, spec)
        k += size(spec)
    a = rank(spec)
    while a < ints[c + AXIS_COUNT]:
        scale_one(scratch, axis_offset(ints, a, spec) + AXIS_IMPULSE * W, factor, spec)
        scale_one(scratch, axis_offset(ints, a, spec) + AXIS_FRICTION_IMPULSE * W, factor, spec)
        a += size(spec)
    meet(spec)


def scale_one(scratch: Array, place: int, factor: Number, spec: Spec) -> None:
    """Multiply one number."""
    store(scratch, place, factor * load(scratch, place, spec), spec)


def sweep_until_still(
    ints: Array, data: Array, scratch: Array, slots: int, lanes: Mask, most: int, spec: Spec
) -> None:
    """Sweeps over slots and axes of some lanes, so many at most, until no velocity changes any more; what is done stays."""
    W, c = width(spec), ints[CONTACT]
    head, axes = ints[c + HEAD_START], ints[c + AXIS_COUNT]
    tolerance = load(data, head + TOLERANCE * W, spec)
    zero, one = number(0.0, tolerance), number(1.0, tolerance)
    done, residual, running = zero, zero, lanes
    momentum, last = one, number(1e30, one)
    sweeps = 0
    while sweeps < most and any_lane(running):
        change = zero
        for k in range(slots):
            change = maximum(solve_slot(ints, scratch, k, running, SLOT_IMPULSE, SLOT_BIAS, spec), change)
        for a in range(axes):
            if is_active(ints, scratch, a, spec):
                change = maximum(solve_axis(ints, scratch, a, running, spec), change)
        done = done + where(running, one, zero)
        residual = where(running, change, residual)
        running = both(running, change > tolerance)
        sweeps += 1
        if sweeps < most and any_lane(running):
            momentum = where(change > last, one, momentum)
            after = number(0.5, one) * (one + sqrt(fma(number(4.0, one) * momentum, momentum, one)))
            go_on(ints, scratch, slots, where(running, (momentum - one) / after, zero), spec)
            momentum, last = after, change
    store(data, head + RESIDUAL * W, where(lanes, residual, load(data, head + RESIDUAL * W, spec)), spec)
    store(data, head + SWEEPS_DONE * W, done + load(data, head + SWEEPS_DONE * W, spec), spec)


def go_on(ints: Array, scratch: Array, slots: int, weight: Number, spec: Spec) -> None:
    """λ and w go on in the direction of their last change."""
    W, c = width(spec), ints[CONTACT]
    w = ints[c + WORK_START]
    before = w + 2 * ints[NV] * W
    n = rank(spec)
    while n < ints[NV]:
        extrapolate(scratch, w + n * W, before + n * W, weight, spec)
        n += size(spec)
    k = rank(spec)
    while k < slots:
        slot = slot_offset(ints, k)
        for m in range(3):
            x, old = slot + (SLOT_IMPULSE + m) * W, slot + (SLOT_ROUND_IMPULSE + m) * W
            extrapolate(scratch, x, old, weight, spec)
        k += size(spec)
    a = rank(spec)
    while a < ints[c + AXIS_COUNT]:
        x = axis_offset(ints, a, spec)
        extrapolate(scratch, x + AXIS_IMPULSE * W, x + AXIS_BEFORE * W, weight, spec)
        extrapolate(scratch, x + AXIS_FRICTION_IMPULSE * W, x + (AXIS_BEFORE + 1) * W, weight, spec)
        a += size(spec)
    meet(spec)
