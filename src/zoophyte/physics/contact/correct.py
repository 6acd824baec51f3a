"""Correction of positions, apart from velocities: depth, open loops and overrun limits are moved away, and no speed is made.

After the step has moved everything, what is left of each violation is measured where the bodies are now, and divided by
Gauss–Seidel along the rows of the step among the coordinates.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.quaternions import quaternion_integrate, quaternion_matrix
from zoophyte.algebra.rotations import apply_symmetric, rotate, unrotate
from zoophyte.algebra.vectors import add, add_cross, choose3, dot, subtract
from zoophyte.model.contact_layout import (
    AXIS_BEFORE,
    AXIS_COUNT,
    AXIS_DOF,
    AXIS_ERROR,
    AXIS_INVERSE,
    AXIS_Q,
    AXIS_ROW_SIZE,
    AXIS_ROWS,
    AXIS_SIDE,
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
    SLOT_B,
    SLOT_BLOCK,
    SLOT_ERROR,
    SLOT_FRAME,
    SLOT_GAP,
    SLOT_HIGH,
    SLOT_HOLD,
    SLOT_KIND,
    SLOT_NORMAL_INVERSE,
    SLOT_POINT_A,
    SLOT_POINT_B,
    SLOT_ROUND_IMPULSE,
    SLOT_SOFT,
    SLOT_TANGENT_INVERSE,
    WELD_HOLD,
    WORK_COUNT,
    WORK_START,
)
from zoophyte.model.layout import (
    BALL,
    CARRIER_INERTIA,
    CARRIER_INVERSE,
    CONFIGURATION,
    CONTACT,
    FREE,
    LINK_COUNT,
    LOWER,
    NV,
    ROW_DATA,
    ROW_KIND,
    ROW_V,
    UPPER,
    VELOCITY,
    WORLD_P,
    WORLD_R,
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
    load,
    maximum,
    minimum,
    number,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import gather3, gather9, load3, load4, load6, load9, shared, store3, store4
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.contact.axes import add_axis, axis_motion, axis_offset, is_active, is_active_where
from zoophyte.physics.contact.cone import add_normal, add_slot, normal_motion, slot_velocity
from zoophyte.physics.contact.detect.holds import turn_error
from zoophyte.physics.contact.motion import is_fast
from zoophyte.physics.contact.slots import slot_offset, slots_where, work
from zoophyte.physics.contact.sweeps import clear_work
from zoophyte.physics.dynamics.blocks import dof_fields3, dof_fields6, store_dof_fields6
from zoophyte.physics.dynamics.kinematics import first_dof, poses, row
from zoophyte.physics.dynamics.response import velocity_change
from zoophyte.physics.integrate import carrier_of, free_from_momentum, free_momentum, store_velocity3

PART = 0.3
"""Part of a depth that a step takes away; all at once would look like a jump.  What is deeper than the slop is lifted
towards half of it, so that what lies on the ground is not corrected in every step."""
LARGEST = 0.05
"""Part of the largest shape's size that a step may move anything out, at most."""
SWEEPS, LOOP_SWEEPS, LOOP_PASSES = 4, 20, 3
BOUND = 1e29
"""An impulse bound above this is none."""


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


@outlined
def correct(
    ints: Array, data: Array, scratch: Array, slots: int, needed: Mask, perhaps: Mask, spec: Spec
) -> None:
    """Measure, solve, move; loops a few times over, since their rows are those of the place before.

    Where it is needed; and of the lanes where it is so perhaps, in those where something is deeper than the slop now.
    """
    W, c = width(spec), ints[CONTACT]
    holds = ints[c + FEATURES] & FEATURE_HOLDS
    passes, sweeps = (LOOP_PASSES, LOOP_SWEEPS) if holds else (1, SWEEPS)
    for done in range(passes):
        poses(ints, data, scratch, spec)
        measure(ints, data, scratch, slots, spec)
        if done == 0 and any_lane(perhaps):
            needed = either(needed, both(perhaps, is_deep(ints, data, scratch, slots, spec)))
            if not any_lane(needed):
                return
            slots = slots_where(ints, scratch, needed, spec)
        clear_work(ints, scratch, spec)
        for _ in range(sweeps):
            for k in range(slots):
                if holds:
                    correct_slot(ints, scratch, slot_offset(ints, k), spec)
                else:
                    correct_normal(ints, scratch, slot_offset(ints, k), spec)
            for a in range(ints[c + AXIS_COUNT]):
                if is_active_where(ints, scratch, a, needed, spec):
                    correct_axis(ints, scratch, axis_offset(ints, a, spec), spec)
        w = ints[c + WORK_START]
        change = w + ints[NV] * W
        velocity_change(ints, data, scratch, scratch, w, scratch, change, spec)
        displace(ints, data, scratch, change, needed, spec)


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
    """SLOT_ERROR of slot k."""
    W, head, slot = width(spec), ints[ints[CONTACT] + HEAD_START], slot_offset(ints, k)
    slop = load(data, head + SLOP * W, spec)
    zero, aim = number(0.0, slop), number(0.5, slop) * slop
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    largest = number(LARGEST, slop) * load(data, head + LARGEST_REACH * W, spec)
    used = number(k, slop) < count
    x = subtract(slot_point(scratch, slot, used, SLOT_A, SLOT_POINT_A, spec),
                 slot_point(scratch, slot, used, SLOT_B, SLOT_POINT_B, spec))  # fmt: skip
    F = load9(scratch, slot + SLOT_FRAME * W, spec)
    start = load(scratch, slot + SLOT_GAP * W, spec)
    gap = start + dot((F[0], F[1], F[2]), x)
    # The solver lets nothing get deeper: what did, did so on its curved way, and goes back at once.
    old = minimum(start, zero)
    old = minimum(old - number(PART, slop) * minimum(old + aim, zero), -slop)
    depth = minimum(number(PART, slop) * minimum(gap + aim, zero), gap - old)
    depth = maximum(where(gap > zero, gap, depth), -largest)
    bound = load(scratch, slot + SLOT_HOLD * W, spec) > number(BOUND, slop)
    error = (where(bound, gap, depth), where(bound, dot((F[3], F[4], F[5]), x), zero),
             where(bound, dot((F[6], F[7], F[8]), x), zero))  # fmt: skip
    # Turns and soft springs are not for positions to correct; welds are, below.
    free = either(load(scratch, slot + SLOT_KIND * W, spec) > number(0.5, slop),
                  load(scratch, slot + SLOT_SOFT * W, spec) > zero)  # fmt: skip
    free = either(free, count <= number(k, slop))
    error = (where(free, zero, error[0]), where(free, zero, error[1]), where(free, zero, error[2]))
    store3(scratch, slot + SLOT_ERROR * W, error, spec)
    store3(scratch, slot + SLOT_ROUND_IMPULSE * W, (zero, zero, zero), spec)


def slot_point(scratch: Array, slot: int, used: Any, end: int, point: int, spec: Spec) -> Any:
    """Where one of the two points of a slot is in the world now."""
    W = width(spec)
    link = load(scratch, slot + end * W, spec)
    link = where(used, link, number(0.0, link))
    x, at = load3(scratch, slot + point * W, spec), shared(link, used)
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


def correct_slot(ints: Array, scratch: Array, slot: int, spec: Spec) -> None:
    """One Gauss–Seidel step on displacements: the normal alone, or all three rows where all are bound."""
    W = width(spec)
    error = load3(scratch, slot + SLOT_ERROR * W, spec)
    u0, u1, u2 = slot_velocity(ints, scratch, slot, error, spec)
    zero = number(0.0, u0)
    before = load3(scratch, slot + SLOT_ROUND_IMPULSE * W, spec)
    bound = load(scratch, slot + SLOT_HOLD * W, spec) > number(BOUND, zero)
    point = both(load(scratch, slot + SLOT_KIND * W, spec) < number(0.5, zero),
                 load(scratch, slot + SLOT_SOFT * W, spec) <= zero)  # fmt: skip
    point = both(point, load(scratch, slot + SLOT_HIGH * W, spec) > zero)
    normal = before[0] - u0 * load(scratch, slot + SLOT_NORMAL_INVERSE * W, spec)
    normal = where(bound, normal, where(point, maximum(normal, zero), zero))
    d0 = normal - before[0]
    block = slot + SLOT_BLOCK * W
    u1, u2 = u1 + load(scratch, block + W, spec) * d0, u2 + load(scratch, block + 2 * W, spec) * d0
    T = load3(scratch, slot + SLOT_TANGENT_INVERSE * W, spec)
    d1, d2 = where(bound, -(T[0] * u1 + T[1] * u2), zero), where(bound, -(T[1] * u1 + T[2] * u2), zero)
    store3(scratch, slot + SLOT_ROUND_IMPULSE * W, (normal, before[1] + d1, before[2] + d2), spec)
    add_slot(ints, scratch, slot, (d0, d1, d2), spec)


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


def displace(ints: Array, data: Array, scratch: Array, change: int, needed: Mask, spec: Spec) -> None:
    """q moves by the displacements where that is needed; ball and free joints keep their momentum, not their components."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        at, x = d + CONFIGURATION * W, change + ints[i + ROW_V] * W
        if kind == FREE:
            displace_free(data, scratch, d, x, needed, spec)
        elif kind == BALL:
            carrier, dof = carrier_of(BALL, d, spec), d + first_dof(BALL) * W
            q, w = load4(data, at, spec), dof_fields3(data, d, VELOCITY, spec)
            L = rotate(
                quaternion_matrix(q), apply_symmetric(load6(data, carrier + CARRIER_INERTIA * W, spec), w)
            )
            turned = choose4(needed, quaternion_integrate(q, load3(scratch, x, spec)), q)
            inverse = load6(data, carrier + CARRIER_INVERSE * W, spec)
            after = apply_symmetric(inverse, unrotate(quaternion_matrix(turned), L))
            store4(data, at, turned, spec)
            store_velocity3(data, dof, choose3(needed, after, w), spec)
        else:
            q = load(data, at, spec)
            store(data, at, where(needed, q + load(scratch, x, spec), q), spec)


def displace_free(data: Array, scratch: Array, d: int, x: int, needed: Mask, spec: Spec) -> None:
    """A free link, moved where that is needed, with the momentum that it had."""
    W = width(spec)
    at = d + CONFIGURATION * W
    before, place = load4(data, at, spec), load3(data, at + 4 * W, spec)
    V, c = dof_fields6(data, d, VELOCITY, spec), load3(data, carrier_of(FREE, d, spec), spec)
    move = load6(scratch, x, spec)
    turn = (move[0], move[1], move[2])
    q, com, L, u = free_momentum(data, d, spec)
    com = add(com, rotate(quaternion_matrix(q), add_cross((move[3], move[4], move[5]), turn, c)))
    free_from_momentum(data, d, quaternion_integrate(q, turn), com, L, u, spec)
    store4(data, at, choose4(needed, load4(data, at, spec), before), spec)
    store3(data, at + 4 * W, choose3(needed, load3(data, at + 4 * W, spec), place), spec)
    after = dof_fields6(data, d, VELOCITY, spec)
    a = choose3(needed, (after[0], after[1], after[2]), (V[0], V[1], V[2]))
    b = choose3(needed, (after[3], after[4], after[5]), (V[3], V[4], V[5]))
    store_dof_fields6(data, d, VELOCITY, (a[0], a[1], a[2], b[0], b[1], b[2]), spec)


def choose4(mask: Mask, a: Any, b: Any) -> Any:
    """`a` where the mask holds, else `b`."""
    return (
        where(mask, a[0], b[0]),
        where(mask, a[1], b[1]),
        where(mask, a[2], b[2]),
        where(mask, a[3], b[3]),
    )
