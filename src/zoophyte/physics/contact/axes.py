"""Axes: hard limits, dry friction and servos of limited force, one row each, beside the slots.

A degree of freedom has one row y with u = y·w: its own velocity.  Two impulses act along it:

    limit      λ ≥ 0 towards the inside,  side·v ≥ −(distance to the limit)/dt
    grip       |λ| ≤ bound·dt,  v + soft·λ = target:  friction has target 0 and soft 0, a servo its spring and damper
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.spatial import (
    spatial_scale,
)
from zoophyte.model.contact_layout import (
    AXIS_ACTIVE,
    AXIS_BIAS,
    AXIS_COUNT,
    AXIS_DATA,
    AXIS_DIAGONAL,
    AXIS_DOF,
    AXIS_FREE,
    AXIS_FRICTION_BOUND,
    AXIS_FRICTION_IMPULSE,
    AXIS_GRIP_INVERSE,
    AXIS_HARD,
    AXIS_IMPULSE,
    AXIS_INVERSE,
    AXIS_LINK,
    AXIS_MEMORY,
    AXIS_POOL,
    AXIS_Q,
    AXIS_ROOM,
    AXIS_ROW,
    AXIS_ROW_SIZE,
    AXIS_ROWS,
    AXIS_SIDE,
    AXIS_SIZE,
    AXIS_SOFT,
    AXIS_START,
    AXIS_STRIDE,
    AXIS_TARGET,
    AXIS_V,
    DRY_FRICTION,
    FEATURE_ALIKE,
    FEATURE_SLEEP,
    FEATURES,
    HEAD_START,
    LACKS_AXES,
    LATE_ROOM,
    MEMORY_RECORD,
    MEMORY_ROOM,
    MEMORY_START,
    OVERFLOW,
    WEAK_DAMPING,
    WEAK_FORCE,
    WEAK_STIFFNESS,
    WORK_AXES,
    WORK_LATE,
    WORK_START,
)
from zoophyte.model.layout import (
    ACCELERATION,
    CONTACT,
    DT,
    JOINT,
    LOWER,
    ROW_PARENT,
    ROW_SCRATCH,
    SCREW,
    STAGE_TIME,
    UPPER,
    VELOCITY,
    WAY_PARENT,
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
    fma,
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
from zoophyte.numbers.memory import load6, shared
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.contact.blocks import SMALLEST
from zoophyte.physics.contact.islands import is_asleep
from zoophyte.physics.contact.runs import (
    add_row,
    axis_entries,
    axis_square,
    lay_out_runs,
    number_at,
    path_place,
    row_motion,
)
from zoophyte.physics.contact.slots import work
from zoophyte.physics.contact.ways import go_alone, go_apart_alone
from zoophyte.physics.dynamics.kinematics import row
from zoophyte.physics.dynamics.project import DINV
from zoophyte.physics.signals import signal

NEAR = 2.0
"""A limit is solved where its distance is less than so many times the way of a step; what comes faster is met late."""
LATE = 1e-3
"""A limit that is overrun by more than this in a step, because something else pushed, is solved in the same step: radians,
or for a slide parts of the creature's largest shape, which AXIS_HARD holds."""
STUCK = 2e-3
"""A limit that is solved, and yet overrun by more than this, tells that sweeps have not come to an end."""


def axis_offset(ints: Array, a: int, spec: Spec) -> int:
    """Where the record of axis a starts in `scratch`."""
    c = ints[CONTACT]
    return ints[c + AXIS_START] + a * AXIS_SIZE * width(spec)


def axis_runs(ints: Array, scratch: Array, x: int, spec: Spec) -> int:
    """Where the runs of an axis start in `scratch`, its record at x; its row is behind them."""
    c, own = ints[CONTACT], number_at(scratch, x + AXIS_ROW * width(spec), spec)
    return ints[c + AXIS_POOL] + (own - 1) * ints[c + AXIS_STRIDE]


def axis_memory(ints: Array, a: int, spec: Spec) -> int:
    """Where the forces that axis a had in the last step lie in `data`."""
    c = ints[CONTACT]
    slots = 1 + (ints[c + MEMORY_ROOM] + 1) * MEMORY_RECORD
    return ints[c + MEMORY_START] + (slots + a * AXIS_MEMORY) * width(spec)


def meet_limits(ints: Array, data: Array, scratch: Array, spec: Spec) -> bool:
    """Find out which axes have something to solve, and give them rows; whether any has. Once accelerations are known.

    Where rows are too few, OVERFLOW tells so: see `lacks_room`.
    """
    W, c = width(spec), ints[CONTACT]
    dt = load(data, DT * W, spec)
    zero, one = number(0.0, dt), number(1.0, dt)
    rows, sleepers = 0, ints[c + FEATURES] & FEATURE_SLEEP
    for a in range(ints[c + AXIS_COUNT]):
        r, x, m = (
            ints[c + AXIS_ROWS] + a * AXIS_ROW_SIZE,
            axis_offset(ints, a, spec),
            axis_memory(ints, a, spec),
        )
        dof, q = ints[r + AXIS_DOF], load(data, ints[r + AXIS_Q], spec)
        # The free velocity, which `free_velocities` is going to store; what sleeps has none.
        v = fma(dt, load(data, dof + ACCELERATION * W, spec), load(data, dof + VELOCITY * W, spec))
        if sleepers and is_asleep(ints, data, ints[r + AXIS_LINK], spec):
            v = zero
        below, above = q - load(data, dof + LOWER * W, spec), load(data, dof + UPPER * W, spec) - q
        # The side towards which the joint goes, which need not be the nearer one.
        lower_side = fma(dt, v, below) < fma(-dt, v, above)
        side, distance = where(lower_side, one, -one), where(lower_side, below, above)
        held = distance < absolute(dt * v) * number(NEAR, dt) + number(1e-3, dt)
        held = both(held, load(data, ints[r + AXIS_DATA] + AXIS_HARD * W, spec) > zero)
        grips, bound, target, soft = grip(ints, data, r, q, dt, spec)
        active = either(held, grips)
        store(scratch, x + AXIS_ACTIVE * W, where(active, one, zero), spec)
        store(scratch, x + AXIS_SIDE * W, where(held, side, zero), spec)
        store(scratch, x + AXIS_BIAS * W, where(held, maximum(distance, zero) / dt, zero), spec)
        store(scratch, x + AXIS_FREE * W, v, spec)
        store(scratch, x + AXIS_IMPULSE * W, where(held, dt * load(data, m, spec), zero), spec)
        store(scratch, x + AXIS_FRICTION_BOUND * W, where(grips, bound, zero), spec)
        store(scratch, x + AXIS_TARGET * W, target, spec)
        store(scratch, x + AXIS_SOFT * W, soft, spec)
        store(scratch, x + AXIS_FRICTION_IMPULSE * W, where(grips, dt * load(data, m + W, spec), zero), spec)
        own = 0
        if any_lane(active):
            rows, own = rows + 1, rows + 1
        store(scratch, x + AXIS_ROW * W, number(own, zero), spec)
    count_rows(ints, scratch, rows, spec)
    if rows + ints[c + LATE_ROOM] > ints[c + AXIS_ROOM] and ints[c + AXIS_ROOM] < ints[c + AXIS_COUNT]:
        store(data, ints[c + HEAD_START] + OVERFLOW * W, number(LACKS_AXES, zero), spec)
    return rows > 0


def count_rows(ints: Array, scratch: Array, rows: int, spec: Spec) -> None:
    """So many rows belong to axes, none of them taken late."""
    like = load(scratch, work(ints, WORK_AXES, spec), spec)
    store(scratch, work(ints, WORK_AXES, spec), number(rows, like), spec)
    store(scratch, work(ints, WORK_LATE, spec), number(0.0, like), spec)


def take_row(ints: Array, scratch: Array, x: int, spec: Spec) -> bool:
    """Give the axis whose record is at x a row, if it has none; whether it has one now.

    How many are taken late in a step is bounded, whatever room there is: what is met beyond that is met in the next step.
    """
    place, late = x + AXIS_ROW * width(spec), number_at(scratch, work(ints, WORK_LATE, spec), spec)
    if number_at(scratch, place, spec) > 0:
        return True
    if late >= ints[ints[CONTACT] + LATE_ROOM]:
        return False
    like, rows = load(scratch, place, spec), number_at(scratch, work(ints, WORK_AXES, spec), spec)
    store(scratch, place, number(rows + late + 1, like), spec)
    store(scratch, work(ints, WORK_LATE, spec), number(late + 1, like), spec)
    return True


def leave_limits(ints: Array, scratch: Array, spec: Spec) -> None:
    """No axis has anything to solve, or a row."""
    W, zero = width(spec), number(0.0, load(scratch, 0, spec))
    for a in range(ints[ints[CONTACT] + AXIS_COUNT]):
        x = axis_offset(ints, a, spec)
        store(scratch, x + AXIS_ACTIVE * W, zero, spec)
        store(scratch, x + AXIS_ROW * W, zero, spec)
    count_rows(ints, scratch, 0, spec)


def meet_late(ints: Array, data: Array, scratch: Array, change: int, bounced: int, spec: Spec) -> Any:
    """Take up the limits that the solved velocities overrun, though the free ones did not come near.

    Returns (where there are any, where others are overrun that were solved: sweeps have not come to an end).

    Args:
        ints: of the block.
        data: of the block, with the free velocities.
        scratch: of the block.
        change: where the changes of all velocities are in `scratch`.
        bounced: where w of the impacts is in `scratch`; −1 if there are none.
        spec: the machine.
    """
    W, c = width(spec), ints[CONTACT]
    dt = load(data, DT * W, spec)
    zero, one = number(0.0, dt), number(1.0, dt)
    some, stuck = dt < zero, dt < zero
    for a in range(ints[c + AXIS_COUNT]):
        r, x = ints[c + AXIS_ROWS] + a * AXIS_ROW_SIZE, axis_offset(ints, a, spec)
        dof = ints[r + AXIS_DOF]
        q, v = load(data, ints[r + AXIS_Q], spec), load(data, dof + VELOCITY * W, spec)
        way = dt * (v + load(scratch, change + ints[r + AXIS_V] * W, spec))
        below, above = q - load(data, dof + LOWER * W, spec), load(data, dof + UPPER * W, spec) - q
        unit = load(data, ints[r + AXIS_DATA] + AXIS_HARD * W, spec)
        late = minimum(below + way, above - way) < number(-LATE, dt) * unit
        if not any_lane(late):
            continue
        late = both(late, unit > zero)
        lower_side = below + way < above - way
        side, distance = where(lower_side, one, -one), where(lower_side, below, above)
        # What presses already is solved for that limit, as well as the sweeps could.
        solved = either(
            load(scratch, x + AXIS_IMPULSE * W, spec) > zero,
            side * load(scratch, x + AXIS_SIDE * W, spec) > zero,
        )
        passed = maximum(distance, zero) - side * way  # what was beyond before is for positions to correct
        stuck = either(stuck, both(both(late, solved), passed > number(STUCK, dt) * unit))
        late = both(late, negated(solved))
        if any_lane(late) and take_row(ints, scratch, x, spec):
            axis_row(ints, scratch, a, spec)
            if bounced >= 0:
                v = axis_motion(ints, scratch, x, v, bounced, spec)
            held, bias = load(scratch, x + AXIS_SIDE * W, spec), load(scratch, x + AXIS_BIAS * W, spec)
            active, free = load(scratch, x + AXIS_ACTIVE * W, spec), load(scratch, x + AXIS_FREE * W, spec)
            store(scratch, x + AXIS_ACTIVE * W, where(late, one, active), spec)
            store(scratch, x + AXIS_SIDE * W, where(late, side, held), spec)
            store(scratch, x + AXIS_BIAS * W, where(late, maximum(distance, zero) / dt, bias), spec)
            store(scratch, x + AXIS_FREE * W, where(late, v, free), spec)
            some = either(some, late)
    return some, stuck


def grip(ints: Array, data: Array, r: int, q: Number, dt: Number, spec: Spec) -> Any:
    """(where, bound, target, softness) of the dry friction of an axis, or of its servo of limited force."""
    W = width(spec)
    dof, own = ints[r + AXIS_DOF], ints[r + AXIS_DATA]
    zero = number(0.0, dt)
    friction = load(data, own + DRY_FRICTION * W, spec)
    k, b = load(data, own + WEAK_STIFFNESS * W, spec), load(data, own + WEAK_DAMPING * W, spec)
    weak = k + b > zero
    if not any_lane(either(weak, friction > zero)):
        return weak, zero, zero, zero
    h, _, _ = signal(ints, data, dof, load(data, STAGE_TIME * W, spec), spec)
    # λ = dt·[k (h − q − dt v) − b v]: a spring and a damper, taken at the end of the step.
    stiff = fma(dt, k, b)
    whole = where(weak, stiff, number(1.0, dt))
    target = where(weak, k * (h - q) / whole, zero)
    soft = where(weak, number(1.0, dt) / (dt * whole), zero)
    bound = dt * where(weak, load(data, own + WEAK_FORCE * W, spec), friction)
    return bound > zero, bound, target, soft


@outlined
def axis_row(ints: Array, scratch: Array, a: int, spec: Spec) -> None:
    """The row of one axis, and its square: a unit force of the joint, and what it leaves on its way to the root."""
    W, c = width(spec), ints[CONTACT]
    r, x = ints[c + AXIS_ROWS] + a * AXIS_ROW_SIZE, axis_offset(ints, a, spec)
    link = ints[r + AXIS_LINK]
    runs = axis_runs(ints, scratch, x, spec)
    first, zero = axis_entries(ints, runs, spec), number(0.0, load(scratch, x, spec))
    count, length, _, _ = lay_out_runs(ints, scratch, runs, link, link, spec)
    for n in range(length):
        store(scratch, first + n * W, zero, spec)
    i = row(ints, link)
    s = ints[i + ROW_SCRATCH]
    root = sqrt(load(scratch, s + (JOINT + DINV) * W, spec))
    store(scratch, first + path_place(ints, link) * W, root, spec)
    p = spatial_scale(-root, load6(scratch, s + (SCREW + 6) * W, spec))
    above = load(scratch, s + WAY_PARENT * W, spec)
    if ints[c + FEATURES] & FEATURE_ALIKE and shared(above, above >= zero) >= 0:
        go_alone(ints, scratch, ints[i + ROW_PARENT], first, p, spec)
    else:  # as threads of a GPU always do, which stay in step so
        go_apart_alone(ints, scratch, above, first, p, spec)
    store_square(scratch, x, axis_square(ints, scratch, runs, count, spec), spec)


def store_square(scratch: Array, x: int, square: Number, spec: Spec) -> None:
    """The square of the row of an axis, and what the sweeps need of its inverse."""
    W, one = width(spec), number(1.0, square)
    square = maximum(square, number(SMALLEST, square))
    store(scratch, x + AXIS_DIAGONAL * W, square, spec)
    store(scratch, x + AXIS_INVERSE * W, one / square, spec)
    soft = load(scratch, x + AXIS_SOFT * W, spec)
    store(scratch, x + AXIS_GRIP_INVERSE * W, one / (square + soft), spec)


def is_active(ints: Array, scratch: Array, a: int, spec: Spec) -> bool:
    """Whether any lane has something to solve at axis a."""
    active = load(scratch, axis_offset(ints, a, spec) + AXIS_ACTIVE * width(spec), spec)
    return any_lane(active > number(0.5, active))


def is_active_where(ints: Array, scratch: Array, a: int, lanes: Mask, spec: Spec) -> bool:
    """Whether any of some lanes has something to solve at axis a."""
    active = load(scratch, axis_offset(ints, a, spec) + AXIS_ACTIVE * width(spec), spec)
    return any_lane(both(lanes, active > number(0.5, active)))


def axis_velocity(ints: Array, scratch: Array, x: int, spec: Spec) -> Number:
    """The velocity of the axis with the present impulses."""
    free = load(scratch, x + AXIS_FREE * width(spec), spec)
    return axis_motion(ints, scratch, x, free, ints[ints[CONTACT] + WORK_START], spec)


def axis_motion(ints: Array, scratch: Array, x: int, u: Number, start: int, spec: Spec) -> Number:
    """u + y·w, w from `start` on."""
    runs = axis_runs(ints, scratch, x, spec)
    return row_motion(scratch, axis_entries(ints, runs, spec), runs, start, u, spec)


def add_axis(ints: Array, scratch: Array, x: int, impulse: Number, spec: Spec) -> None:
    """w += y·impulse."""
    w, runs = ints[ints[CONTACT] + WORK_START], axis_runs(ints, scratch, x, spec)
    add_row(scratch, axis_entries(ints, runs, spec), runs, w, impulse, spec)


def solve_axis(ints: Array, scratch: Array, a: int, running: Mask, spec: Spec) -> Number:
    """One Gauss–Seidel step of an axis; the change of its velocity."""
    W, x = width(spec), axis_offset(ints, a, spec)
    u = axis_velocity(ints, scratch, x, spec)
    zero = number(0.0, u)
    square = load(scratch, x + AXIS_DIAGONAL * W, spec)
    bound, step = load(scratch, x + AXIS_FRICTION_BOUND * W, spec), zero
    if any_lane(bound > zero):
        before, soft = (
            load(scratch, x + AXIS_FRICTION_IMPULSE * W, spec),
            load(scratch, x + AXIS_SOFT * W, spec),
        )
        error = fma(soft, before, u - load(scratch, x + AXIS_TARGET * W, spec))
        inverse = load(scratch, x + AXIS_GRIP_INVERSE * W, spec)
        after = maximum(minimum(before - error * inverse, bound), -bound)
        step = where(running, after - before, zero)
        store(scratch, x + AXIS_FRICTION_IMPULSE * W, before + step, spec)
        u = fma(square, step, u)
    side = load(scratch, x + AXIS_SIDE * W, spec)
    impulse = load(scratch, x + AXIS_IMPULSE * W, spec)
    error = fma(side, u, load(scratch, x + AXIS_BIAS * W, spec))
    pushed = maximum(impulse - error * load(scratch, x + AXIS_INVERSE * W, spec), zero)
    push = where(both(running, absolute(side) > zero), pushed - impulse, zero)
    store(scratch, x + AXIS_IMPULSE * W, impulse + push, spec)
    total = fma(side, push, step)
    add_axis(ints, scratch, x, total, spec)
    return maximum(absolute(step), absolute(push)) * square


def axis_impulse(scratch: Array, x: int, spec: Spec) -> Number:
    """Both impulses of an axis together."""
    W = width(spec)
    limit = load(scratch, x + AXIS_SIDE * W, spec) * load(scratch, x + AXIS_IMPULSE * W, spec)
    return limit + load(scratch, x + AXIS_FRICTION_IMPULSE * W, spec)
