"""Correction of positions: depth, open loops and overrun limits are moved away, and no energy is made of it.

After the step has moved everything, what is left of each violation is measured where the bodies are now, and divided by
Gauss–Seidel along the rows of the step among the coordinates.  Velocities are carried along (:mod:`carry`).
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.vectors import add, dot, subtract
from zoophyte.model.contact_layout import (
    AXIS_ACTIVE,
    AXIS_BEFORE,
    AXIS_COUNT,
    AXIS_DATA,
    AXIS_DOF,
    AXIS_ERROR,
    AXIS_HARD,
    AXIS_INVERSE,
    AXIS_Q,
    AXIS_ROW_SIZE,
    AXIS_ROWS,
    AXIS_SIDE,
    AXIS_V,
    FEATURE_HOLDS,
    FEATURES,
    HEAD_START,
    HOLD_COUNT,
    HOLD_KIND,
    HOLD_ROW_SIZE,
    HOLD_ROWS,
    LARGEST_REACH,
    SLOP,
    SLOT_A,
    SLOT_ARM,
    SLOT_B,
    SLOT_ERROR,
    SLOT_FRAME,
    SLOT_GAP,
    SLOT_HOLD,
    SLOT_KIND,
    SLOT_NORMAL_INVERSE,
    SLOT_POINT_A,
    SLOT_POINT_B,
    SLOT_ROUND_IMPULSE,
    SLOT_SOFT,
    WELD_HOLD,
    WORK_COUNT,
    WORK_START,
)
from zoophyte.model.layout import CONTACT, DT, LOWER, NV, UPPER, WORLD_P, WORLD_R, called
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    any_lane,
    both,
    either,
    load,
    maximum,
    minimum,
    negated,
    number,
    sqrt,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import gather3, gather9, load3, load9, shared, store3
from zoophyte.numbers.units import unit
from zoophyte.physics.contact.axes import (
    LATE,
    add_axis,
    axis_motion,
    axis_offset,
    axis_row,
    is_active,
    is_active_where,
    take_row,
)
from zoophyte.physics.contact.cone import add_normal, normal_motion
from zoophyte.physics.contact.correction.loops import BOUND, correct_slot, damp, stay_near
from zoophyte.physics.contact.detect.holds import turn_error
from zoophyte.physics.contact.motion import displace, hold_back, is_fast, turn_back
from zoophyte.physics.contact.slots import slot_offset, slots_where, work
from zoophyte.physics.contact.sweeps import clear_work
from zoophyte.physics.dynamics.carry import carry_velocities
from zoophyte.physics.dynamics.kinematics import poses_ahead
from zoophyte.physics.dynamics.screws import respond
from zoophyte.physics.presence import has_contact

PART = 0.3
"""Part of a depth that a step takes away; all at once would look like a jump.  What is deeper than the slop is lifted
towards half of it, so that what lies on the ground is not corrected in every step."""
LARGEST = 0.05
"""Part of the largest shape's size that a step may move anything out, at most."""
SWEEPS, LOOP_SWEEPS, LOOP_PASSES = 4, 20, 3
LIMIT_ROUNDS, LIMIT_SWEEPS = 2, 16
"""So often are limits looked for that displacements overrun, and so many sweeps are added where there are any."""


def correct_where_needed(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """Correct where anything was too deep before the step, or is now in creatures that may have got so on a curved way."""
    needed, fast = needs_correction(ints, data, scratch, slots, spec), is_fast(ints, data, spec)
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    fast = both(fast, count > number(0.0, count))
    either_way = either(needed, fast)
    if any_lane(either_way):
        correct(ints, data, scratch, slots_where(ints, scratch, either_way, spec), needed, fast, spec)


def needs_correction(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> Mask:
    """Where anything was deeper than the slop, a loop is to be closed, or a limit overrun."""
    W, c = width(spec), ints[CONTACT]
    slop = load(data, ints[c + HEAD_START] + SLOP * W, spec)
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    deep = slop < number(0.0, slop)
    if ints[c + FEATURES] & FEATURE_HOLDS:
        return count > number(0.0, slop)
    for k in range(slots):
        gap = load(scratch, slot_offset(ints, k) + SLOT_GAP * W, spec)
        deep = either(deep, both(number(k, slop) < count, gap < -slop))
    for a in range(ints[c + AXIS_COUNT]):
        if is_active(ints, scratch, a, spec):
            held = absolute(load(scratch, axis_offset(ints, a, spec) + AXIS_SIDE * W, spec)) > number(
                0.5, slop
            )
            deep = either(deep, both(held, axis_excess(ints, data, scratch, a, spec) > number(1e-6, slop)))
    return deep


def axis_excess(ints: Array, data: Array, scratch: Array, a: int, spec: Spec) -> Number:
    """How far a coordinate is beyond the limit that was solved in this step."""
    W, r = width(spec), ints[ints[CONTACT] + AXIS_ROWS] + a * AXIS_ROW_SIZE
    q, dof = load(data, ints[r + AXIS_Q], spec), ints[r + AXIS_DOF]
    side = load(scratch, axis_offset(ints, a, spec) + AXIS_SIDE * W, spec)
    below, above = load(data, dof + LOWER * W, spec) - q, q - load(data, dof + UPPER * W, spec)
    return where(side > number(0.0, side), below, above)


@unit(called("correct"), has_contact)
def correct(
    ints: Array, data: Array, scratch: Array, slots: int, needed: Mask, perhaps: Mask, spec: Spec
) -> None:
    """Measure, solve, move; loops a few times over, since their rows are those of the place before.

    Where it is needed; and of the lanes where it is so perhaps, in those where something is deeper than the slop now.
    """
    W, c, dt = width(spec), ints[CONTACT], load(data, DT * width(spec), spec)
    holds = ints[c + FEATURES] & FEATURE_HOLDS
    passes, sweeps = (LOOP_PASSES, LOOP_SWEEPS) if holds else (1, SWEEPS)
    if holds:
        damp(ints, scratch, slots, spec)
    for done in range(passes):
        poses_ahead(ints, data, scratch, spec)
        measure(ints, data, scratch, slots, spec)
        if done == 0 and any_lane(perhaps):
            needed = either(needed, both(perhaps, is_deep(ints, data, scratch, slots, spec)))
            if not any_lane(needed):
                return
            slots = slots_where(ints, scratch, needed, spec)
        clear_work(ints, scratch, spec)
        w = ints[c + WORK_START]
        change, going, count, rounds = w + ints[NV] * W, needed, sweeps, 0
        while any_lane(going):
            sweep_positions(ints, scratch, slots, count, going, spec)
            respond(ints, scratch, w, change, spec)
            if holds:
                stay_near(ints, data, scratch, slots, change, spec)
            late = dt < number(0.0, dt)
            if rounds < LIMIT_ROUNDS:
                late = meet_moved(ints, data, scratch, change, going, spec)
            else:
                hold_back(ints, data, scratch, change, spec)
            settled = both(going, negated(late))
            turn_back(ints, scratch, change, spec)
            carry_velocities(ints, data, scratch, change, w + 2 * ints[NV] * W, settled, spec)
            displace(ints, data, scratch, change, settled, spec)
            going, count = late, LIMIT_SWEEPS
            rounds += 1


def sweep_positions(ints: Array, scratch: Array, slots: int, sweeps: int, lanes: Mask, spec: Spec) -> None:
    """Gauss–Seidel sweeps on displacements, for these lanes; what others get is not used."""
    c = ints[CONTACT]
    for _ in range(sweeps):
        for k in range(slots):
            if ints[c + FEATURES] & FEATURE_HOLDS:
                correct_slot(ints, scratch, slot_offset(ints, k), spec)
            else:
                correct_normal(ints, scratch, slot_offset(ints, k), spec)
        for a in range(ints[c + AXIS_COUNT]):
            if is_active_where(ints, scratch, a, lanes, spec):
                correct_axis(ints, scratch, axis_offset(ints, a, spec), spec)


def meet_moved(ints: Array, data: Array, scratch: Array, change: int, lanes: Mask, spec: Spec) -> Mask:
    """Take up the limits that displacements overrun: those that were not near in the step, or near on the other side.

    Args:
        ints: of the block.
        data: of the block.
        scratch: of the block.
        change: where the displacements of all coordinates are in `scratch`.
        lanes: those that count.
        spec: the machine.

    Returns:
        Where there are any, and where sweeps have not come to an end.
    """
    W, c = width(spec), ints[CONTACT]
    zero, one = number(0.0, load(data, 0, spec)), number(1.0, load(data, 0, spec))
    some = zero > one
    for a in range(ints[c + AXIS_COUNT]):
        r, x = ints[c + AXIS_ROWS] + a * AXIS_ROW_SIZE, axis_offset(ints, a, spec)
        q, dof = load(data, ints[r + AXIS_Q], spec), ints[r + AXIS_DOF]
        way = load(scratch, change + ints[r + AXIS_V] * W, spec)
        below, above = load(data, dof + LOWER * W, spec) - q, q - load(data, dof + UPPER * W, spec)
        unit = load(data, ints[r + AXIS_DATA] + AXIS_HARD * W, spec)
        late = both(lanes, maximum(below - way, above + way) > number(LATE, zero) * unit)
        if not any_lane(late):
            continue
        late = both(late, unit > zero)
        lower_side = below - way > above + way
        side, excess = where(lower_side, one, -one), where(lower_side, below, above)
        held, before = load(scratch, x + AXIS_SIDE * W, spec), load(scratch, x + AXIS_BEFORE * W, spec)
        same, other = side * held > zero, side * held < zero
        if any_lane(both(late, negated(either(same, other)))):
            if not take_row(ints, scratch, x, spec):
                continue
            axis_row(ints, scratch, a, spec)
        # What pushed from the other side is taken back by the next sweep.
        before_now = where(same, before, where(other, -before, zero))
        active, error = load(scratch, x + AXIS_ACTIVE * W, spec), load(scratch, x + AXIS_ERROR * W, spec)
        store(scratch, x + AXIS_ACTIVE * W, where(late, one, active), spec)
        store(scratch, x + AXIS_SIDE * W, where(late, side, held), spec)
        store(scratch, x + AXIS_ERROR * W, where(late, excess, error), spec)
        store(scratch, x + AXIS_BEFORE * W, where(late, before_now, before), spec)
        some = either(some, late)
    return some


def measure(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """SLOT_ERROR of all slots, AXIS_ERROR of all axes: what the correction should take away."""
    W, c = width(spec), ints[CONTACT]
    measure_slots(ints, data, scratch, slots, spec)
    measure_welds(ints, data, scratch, spec)
    for a in range(ints[c + AXIS_COUNT]):
        if is_active(ints, scratch, a, spec):
            axis = axis_offset(ints, a, spec)
            excess = axis_excess(ints, data, scratch, a, spec)
            store(scratch, axis + AXIS_ERROR * W, excess, spec)
            store(scratch, axis + AXIS_BEFORE * W, number(0.0, excess), spec)


def is_deep(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> Mask:
    """Where any contact is deeper than the slop, by what was measured."""
    W, c = width(spec), ints[CONTACT]
    # An error of gap + ½ slop is reduced by a part; at the slop this is it.
    most = number(-0.5 * PART, load(data, 0, spec)) * load(data, ints[c + HEAD_START] + SLOP * W, spec)
    deep = most > number(0.0, most)
    for k in range(slots):
        deep = either(deep, load(scratch, slot_offset(ints, k) + SLOT_ERROR * W, spec) < most)
    return deep


def measure_slots(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """SLOT_ERROR of all slots."""
    for k in range(slots):
        measure_slot(ints, data, scratch, k, spec)


def measure_slot(ints: Array, data: Array, scratch: Array, k: int, spec: Spec) -> None:
    """SLOT_ERROR of slot k; without constraints its first number is all that is asked for."""
    W, c, slot = width(spec), ints[CONTACT], slot_offset(ints, k)
    head, holds = ints[c + HEAD_START], ints[c + FEATURES] & FEATURE_HOLDS
    slop = load(data, head + SLOP * W, spec)
    zero, aim = number(0.0, slop), number(0.5, slop) * slop
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    largest = number(LARGEST, slop) * load(data, head + LARGEST_REACH * W, spec)
    used = number(k, slop) < count
    # What is round is as far away as its middle, less the arm: a point of it rises as it rolls on.
    arm = load3(scratch, slot + SLOT_ARM * W, spec)
    middle = subtract(load3(scratch, slot + SLOT_POINT_A * W, spec), arm)
    other = load3(scratch, slot + SLOT_POINT_B * W, spec)
    x = subtract(place_of(scratch, slot + SLOT_A * W, used, middle, spec),
                 place_of(scratch, slot + SLOT_B * W, used, other, spec))  # fmt: skip
    start = load(scratch, slot + SLOT_GAP * W, spec)
    gap = start + dot(load3(scratch, slot + SLOT_FRAME * W, spec), x) - sqrt(dot(arm, arm))
    # The solver lets nothing get deeper: what did, did so on its curved way, and goes back at once.
    old = minimum(start, zero)
    old = minimum(old - number(PART, slop) * minimum(old + aim, zero), -slop)
    depth = minimum(number(PART, slop) * minimum(gap + aim, zero), gap - old)
    depth = maximum(where(gap > zero, gap, depth), -largest)
    # Turns and soft springs are not for positions to correct; welds are, in `measure_welds`.
    free = either(load(scratch, slot + SLOT_KIND * W, spec) > number(0.5, slop), count <= number(k, slop))
    if holds:
        free = either(free, load(scratch, slot + SLOT_SOFT * W, spec) > zero)
        bound = load(scratch, slot + SLOT_HOLD * W, spec) > number(BOUND, slop)
        along = dot(load3(scratch, slot + (SLOT_FRAME + 3) * W, spec), x)
        across = dot(load3(scratch, slot + (SLOT_FRAME + 6) * W, spec), x)
        tied = both(bound, negated(free))
        depth = where(bound, gap, depth)
        error = (where(free, zero, depth), where(tied, along, zero), where(tied, across, zero))
        store3(scratch, slot + SLOT_ERROR * W, error, spec)
        store3(scratch, slot + SLOT_ROUND_IMPULSE * W, (zero, zero, zero), spec)
    else:
        store(scratch, slot + SLOT_ERROR * W, where(free, zero, depth), spec)
        store(scratch, slot + SLOT_ROUND_IMPULSE * W, zero, spec)


def place_of(scratch: Array, end: int, used: Any, x: Any, spec: Spec) -> Any:
    """Where a point of the link whose record `end` names is in the world now."""
    W = width(spec)
    link = load(scratch, end, spec)
    link = where(used, link, number(0.0, link))
    at = shared(link, used)
    if at >= 0:
        R, p = load9(scratch, at + WORLD_R * W, spec), load3(scratch, at + WORLD_P * W, spec)
    else:
        R, p = gather9(scratch, link, WORLD_R * W, spec), gather3(scratch, link, WORLD_P * W, spec)
    return add(p, rotate(R, x))


def measure_welds(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """The turns of welded bodies; constraints fill the first slots, in order, and broken springs none."""
    W, c = width(spec), ints[CONTACT]
    k = 0
    for h in range(ints[c + HOLD_COUNT]):
        kind = ints[ints[c + HOLD_ROWS] + h * HOLD_ROW_SIZE + HOLD_KIND]
        k += 1
        if kind == WELD_HOLD:
            error = turn_error(ints, data, scratch, h, spec)
            store3(scratch, slot_offset(ints, k) + SLOT_ERROR * W, error, spec)
            k += 1


def correct_normal(ints: Array, scratch: Array, slot: int, spec: Spec) -> None:
    """One Gauss–Seidel step on the displacement along the normal, where no slot is bound: `correct_slot` for one row."""
    W = width(spec)
    u = normal_motion(ints, scratch, slot, load(scratch, slot + SLOT_ERROR * W, spec), spec)
    zero = number(0.0, u)
    before = load(scratch, slot + SLOT_ROUND_IMPULSE * W, spec)
    normal = maximum(before - u * load(scratch, slot + SLOT_NORMAL_INVERSE * W, spec), zero)
    # Turns (of rolling friction) have no depth.
    normal = where(load(scratch, slot + SLOT_KIND * W, spec) < number(0.5, zero), normal, zero)
    store(scratch, slot + SLOT_ROUND_IMPULSE * W, normal, spec)
    add_normal(ints, scratch, slot, normal - before, spec)


def correct_axis(ints: Array, scratch: Array, x: int, spec: Spec) -> None:
    """One Gauss–Seidel step on the displacement of a coordinate near its limit: it ends inside, whatever others do to it."""
    W = width(spec)
    excess, side = load(scratch, x + AXIS_ERROR * W, spec), load(scratch, x + AXIS_SIDE * W, spec)
    zero = number(0.0, excess)
    w = ints[ints[CONTACT] + WORK_START]
    missing = excess - side * axis_motion(ints, scratch, x, zero, w, spec)
    before = load(scratch, x + AXIS_BEFORE * W, spec)
    pushed = maximum(before + missing * load(scratch, x + AXIS_INVERSE * W, spec), zero)
    push = where(absolute(side) > zero, pushed - before, zero)
    store(scratch, x + AXIS_BEFORE * W, before + push, spec)
    add_axis(ints, scratch, x, side * push, spec)
