"""Impacts: rebound in rounds, before the contacts that stay are solved.

In a round all contacts that approach faster than a threshold bounce together: u_n ≥ −e·(speed before), with friction in
its cone.  What they set in motion may approach other contacts, which bounce in the next round: so a blow travels through a
row of balls, and a box that lands flat does not tumble.  A round that would put energy in is scaled back.
"""

from __future__ import annotations

from zoophyte.algebra.vectors import add, dot, subtract
from zoophyte.model.contact_layout import (
    AXIS_COUNT,
    AXIS_FREE,
    HEAD_START,
    IMPACT_SPEED,
    SLOT_BEFORE,
    SLOT_BIAS,
    SLOT_BOUNCED,
    SLOT_FREE,
    SLOT_RESTITUTION,
    SLOT_ROUND_BIAS,
    SLOT_ROUND_IMPULSE,
    TOLERANCE,
    WORK_BOUNCES,
    WORK_START,
)
from zoophyte.model.layout import CONTACT, NV, called
from zoophyte.numbers import (
    Array,
    Mask,
    Spec,
    any_lane,
    both,
    fma,
    load,
    maximum,
    minimum,
    number,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import load3, store3
from zoophyte.numbers.units import unit
from zoophyte.physics.contact.axes import axis_offset, axis_velocity, is_active
from zoophyte.physics.contact.cone import slot_velocity, solve_slot
from zoophyte.physics.contact.slots import slot_offset, work
from zoophyte.physics.contact.sweeps import clear_work
from zoophyte.physics.presence import bounces

MAX_ROUNDS = 32
MAX_SWEEPS_PER_ROUND = 60


@unit(called("bounce"), bounces)
def bounce(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """Rounds of impacts; the sum of their w is left behind that of the solve."""
    W, c = width(spec), ints[CONTACT]
    total = ints[c + WORK_START] + ints[NV] * W
    zero = number(0.0, load(scratch, total, spec))
    for n in range(ints[NV]):
        store(scratch, total + n * W, zero, spec)
    store(scratch, work(ints, WORK_BOUNCES, spec), number(1.0, zero), spec)
    rounds = 0
    while rounds < MAX_ROUNDS and begin_round(ints, data, scratch, slots, spec):
        clear_work(ints, scratch, spec)
        solve_round(ints, data, scratch, slots, spec)
        limit_round(ints, scratch, slots, spec)
        fold_round(ints, scratch, slots, total, spec)
        rounds += 1


def begin_round(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> bool:
    """No impulses yet, and as bias e·(speed before) where a contact bounces in this round, else 1; whether any does."""
    W = width(spec)
    threshold = load(data, ints[ints[CONTACT] + HEAD_START] + IMPACT_SPEED * W, spec)
    zero, one = number(0.0, threshold), number(1.0, threshold)
    # Who did not bounce in a round is done, whatever its neighbours do.
    alive, some = load(scratch, work(ints, WORK_BOUNCES, spec), spec) > zero, zero
    for k in range(slots):
        slot = slot_offset(ints, k)
        u, e = load(scratch, slot + SLOT_FREE * W, spec), load(scratch, slot + SLOT_RESTITUTION * W, spec)
        # The speed before the step and what blows of earlier rounds made of it, without what gravity adds in the step.
        before = load(scratch, slot + SLOT_BEFORE * W, spec)
        reaches = u + load(scratch, slot + SLOT_BIAS * W, spec) < zero
        bounces = both(alive, both(both(e > zero, reaches), before < -threshold))
        store(scratch, slot + SLOT_ROUND_BIAS * W, where(bounces, e * before, one), spec)
        store3(scratch, slot + SLOT_ROUND_IMPULSE * W, (zero, zero, zero), spec)
        some = where(bounces, one, some)
    store(scratch, work(ints, WORK_BOUNCES, spec), some, spec)
    return any_lane(some > zero)


def takes_part(scratch: Array, slot: int, spec: Spec) -> Mask:
    """Whether a contact bounces in this round."""
    bias = load(scratch, slot + SLOT_ROUND_BIAS * width(spec), spec)
    return bias <= number(0.0, bias)


def solve_round(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """Gauss–Seidel over the contacts of this round."""
    W = width(spec)
    tolerance = load(data, ints[ints[CONTACT] + HEAD_START] + TOLERANCE * W, spec)
    running = tolerance > number(0.0, tolerance)
    sweeps = 0
    while sweeps < MAX_SWEEPS_PER_ROUND and any_lane(running):
        change = number(0.0, tolerance)
        for k in range(slots):
            takes = both(running, takes_part(scratch, slot_offset(ints, k), spec))
            if any_lane(takes):
                moved = solve_slot(ints, scratch, k, takes, SLOT_ROUND_IMPULSE, SLOT_ROUND_BIAS, spec)
                change = maximum(where(takes, moved, number(0.0, moved)), change)
        running = both(running, change > tolerance)
        sweeps += 1


def limit_round(ints: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """Scale a round back to where it keeps energy, λᵀu + ½‖w‖² = 0, if it would put some in; not for springy surfaces.

    u is half-way between the velocities before and those without impulses, since forces have worked on it for half the step,
    on average; or the latter, whichever gives more.  In a chain that swings they differ by more than gravity, in slips too:
    a blow that kept energy by the latter made 0.7 J of 298 J by the former (tests/laws/test_blows.py).
    """
    W, w = width(spec), ints[ints[CONTACT] + WORK_START]
    zero = number(0.0, load(scratch, w, spec))
    one = number(1.0, zero)
    square, first, last, liveliest = zero, zero, zero, zero
    for n in range(ints[NV]):
        x = load(scratch, w + n * W, spec)
        square = fma(x, x, square)
    for k in range(slots):
        slot = slot_offset(ints, k)
        x, u = load3(scratch, slot + SLOT_ROUND_IMPULSE * W, spec), load3(scratch, slot + SLOT_FREE * W, spec)
        first = first + dot(x, load3(scratch, slot + SLOT_BEFORE * W, spec))
        last = last + dot(x, u)
        e = load(scratch, slot + SLOT_RESTITUTION * W, spec)
        liveliest = maximum(where(x[0] > zero, e, zero), liveliest)
    power = maximum(number(0.5, zero) * (first + last), last)
    gains = both(fma(number(0.5, zero), square, power) > zero, liveliest <= one)
    if any_lane(gains):
        factor = maximum(minimum(-(power + power) / where(gains, square, one), one), zero)
        factor = where(gains, factor, one)
        for n in range(ints[NV]):
            store(scratch, w + n * W, factor * load(scratch, w + n * W, spec), spec)
        for k in range(slots):
            place = slot_offset(ints, k) + SLOT_ROUND_IMPULSE * W
            x = load3(scratch, place, spec)
            store3(scratch, place, (factor * x[0], factor * x[1], factor * x[2]), spec)


def fold_round(ints: Array, scratch: Array, slots: int, total: int, spec: Spec) -> None:
    """What the round did becomes part of the free velocities and of the total."""
    W, c = width(spec), ints[CONTACT]
    w = ints[c + WORK_START]
    for n in range(ints[NV]):
        store(
            scratch, total + n * W, load(scratch, total + n * W, spec) + load(scratch, w + n * W, spec), spec
        )
    for k in range(slots):
        slot = slot_offset(ints, k)
        u = load3(scratch, slot + SLOT_FREE * W, spec)
        free = slot_velocity(ints, scratch, slot, u, spec)
        store3(scratch, slot + SLOT_FREE * W, free, spec)
        before = load3(scratch, slot + SLOT_BEFORE * W, spec)
        store3(scratch, slot + SLOT_BEFORE * W, add(before, subtract(free, u)), spec)
        x, sum_ = (
            load3(scratch, slot + SLOT_ROUND_IMPULSE * W, spec),
            load3(scratch, slot + SLOT_BOUNCED * W, spec),
        )
        store3(scratch, slot + SLOT_BOUNCED * W, (sum_[0] + x[0], sum_[1] + x[1], sum_[2] + x[2]), spec)
    for a in range(ints[c + AXIS_COUNT]):
        if is_active(ints, scratch, a, spec):
            axis = axis_offset(ints, a, spec)
            store(scratch, axis + AXIS_FREE * W, axis_velocity(ints, scratch, axis, spec), spec)


def add_bounced(ints: Array, scratch: Array, out: int, spec: Spec) -> None:
    """w of all rounds and of the solve that followed, summed from `out` on."""
    W, w = width(spec), ints[ints[CONTACT] + WORK_START]
    total = w + ints[NV] * W
    for n in range(ints[NV]):
        store(scratch, out + n * W, load(scratch, w + n * W, spec) + load(scratch, total + n * W, spec), spec)
