"""One contact: its velocity, its effect, and the impulses that solve it while all others stay as they are.

u = c + Y·w is the relative velocity at the point.  The three impulses are set to what stops all motion there, if the cone
allows it; else to what lies on the cone against the slip that it leaves, or to nothing.
"""

from __future__ import annotations

from typing import Any

from zoophyte.model.contact_layout import (
    ROW_STRIDE,
    RUN_DOF,
    RUN_PLACE,
    RUN_SIZE,
    SLOT_ACROSS,
    SLOT_BLOCK,
    SLOT_FREE,
    SLOT_GRIP,
    SLOT_HIGH,
    SLOT_HOLD,
    SLOT_INVERSE,
    SLOT_LOW,
    SLOT_NORMAL_INVERSE,
    SLOT_OWN,
    SLOT_PULL,
    SLOT_RUNS,
    SLOT_SLIDE,
    SLOT_SOFT,
    SLOT_SOLID,
    SLOT_STRIDE,
    SLOT_TANGENT_INVERSE,
    SLOT_WHOLE,
    WORK_START,
)
from zoophyte.model.layout import CONTACT
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    all_lanes,
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
from zoophyte.numbers.memory import load3, load6, store3
from zoophyte.physics.contact.runs import add_row, number_at, row_motion, slot_entries
from zoophyte.physics.contact.slots import slot_offset


def slot_velocity(ints: Array, scratch: Array, slot: int, start: Any, spec: Spec) -> Any:
    """start + Y·w of a slot, summed dof by dof: zeros between them, of missing links, change nothing."""
    W, c = width(spec), ints[CONTACT]
    stride, rows, w = ints[c + ROW_STRIDE] * W, slot_entries(ints, slot, spec), ints[c + WORK_START]
    u0, u1, u2 = start
    runs = slot + SLOT_RUNS * W
    run = number_at(scratch, runs, spec)
    while run > 0:
        y = rows + number_at(scratch, runs + RUN_PLACE * W, spec) * W
        place = w + number_at(scratch, runs + RUN_DOF * W, spec) * W
        for m in range(run):
            x = load(scratch, place + m * W, spec)
            u0 = fma(load(scratch, y + m * W, spec), x, u0)
            u1 = fma(load(scratch, y + stride + m * W, spec), x, u1)
            u2 = fma(load(scratch, y + 2 * stride + m * W, spec), x, u2)
        runs += RUN_SIZE * W
        run = number_at(scratch, runs, spec)
    return u0, u1, u2


def add_slot(ints: Array, scratch: Array, slot: int, impulse: Any, spec: Spec) -> None:
    """w += Yᵀ·impulse of a slot; many points part and stay apart, and add nothing."""
    W, c = width(spec), ints[CONTACT]
    size = absolute(impulse[0]) + absolute(impulse[1]) + absolute(impulse[2])
    if all_lanes(size <= number(0.0, size)):
        return
    stride, rows, w = ints[c + ROW_STRIDE] * W, slot_entries(ints, slot, spec), ints[c + WORK_START]
    runs = slot + SLOT_RUNS * W
    run = number_at(scratch, runs, spec)
    while run > 0:
        y = rows + number_at(scratch, runs + RUN_PLACE * W, spec) * W
        place = w + number_at(scratch, runs + RUN_DOF * W, spec) * W
        for m in range(run):
            x = load(scratch, place + m * W, spec)
            x = fma(load(scratch, y + m * W, spec), impulse[0], x)
            x = fma(load(scratch, y + stride + m * W, spec), impulse[1], x)
            x = fma(load(scratch, y + 2 * stride + m * W, spec), impulse[2], x)
            store(scratch, place + m * W, x, spec)
        runs += RUN_SIZE * W
        run = number_at(scratch, runs, spec)


def normal_motion(ints: Array, scratch: Array, slot: int, start: Number, spec: Spec) -> Number:
    """The first of the three numbers of `slot_velocity`."""
    W, w = width(spec), ints[ints[CONTACT] + WORK_START]
    return row_motion(scratch, slot_entries(ints, slot, spec), slot + SLOT_RUNS * W, w, start, spec)


def add_normal(ints: Array, scratch: Array, slot: int, impulse: Number, spec: Spec) -> None:
    """w += Yᵀ·impulse of the normal alone."""
    W, w = width(spec), ints[ints[CONTACT] + WORK_START]
    add_row(scratch, slot_entries(ints, slot, spec), slot + SLOT_RUNS * W, w, impulse, spec)


def solve_slot(
    ints: Array, scratch: Array, k: int, running: Mask, impulse: int, bias: int, spec: Spec
) -> Number:
    """One Gauss–Seidel step of a slot, on the given fields; the largest change of its velocities."""
    W, slot = width(spec), slot_offset(ints, k)
    u = slot_velocity(ints, scratch, slot, load3(scratch, slot + SLOT_FREE * W, spec), spec)
    before = load3(scratch, slot + impulse * W, spec)
    d = new_impulse(ints, scratch, k, running, impulse, bias, u, before, spec)
    add_slot(ints, scratch, slot, d, spec)
    return change_of(scratch, slot, d, spec)


def change_of(scratch: Array, slot: int, d: Any, spec: Spec) -> Number:
    """How much the velocities of a slot change by its own impulse, at most."""
    W, block = width(spec), slot + SLOT_BLOCK * width(spec)
    change = absolute(d[0]) * load(scratch, block, spec)
    change = maximum(change, absolute(d[1]) * load(scratch, block + 3 * W, spec))
    return maximum(change, absolute(d[2]) * load(scratch, block + 5 * W, spec))


def new_impulse(
    ints: Array, scratch: Array, k: int, running: Mask, impulse: int, bias: int, velocity: Any, before: Any, spec: Spec
) -> Any:  # fmt: skip
    """Set the impulse of a slot to what solves it, given its velocity with the impulse `before`; the change of it."""
    W, slot = width(spec), slot_offset(ints, k)
    zero = number(0.0, velocity[0])
    behind = slot - ints[ints[CONTACT] + SLOT_STRIDE] if k > 0 else slot
    pressure = load(scratch, behind + impulse * W, spec)
    soft = load(scratch, slot + SLOT_SOFT * W, spec)
    u = (
        fma(soft, before[0], velocity[0] + load(scratch, slot + bias * W, spec)),
        velocity[1],
        velocity[2],
    )
    pull = load(scratch, slot + SLOT_PULL * W, spec) * pressure
    low = -(load(scratch, slot + SLOT_LOW * W, spec) + pull)
    high = load(scratch, slot + SLOT_HIGH * W, spec) + pull
    # |λ_t| ≤ hold + grip·λ_n; along and across the grain these differ: |(ρ λ_1, λ_2)| ≤ ρ·(…), ρ across over along.
    own, ratio = load(scratch, slot + SLOT_OWN * W, spec), load(scratch, slot + SLOT_ACROSS * W, spec)
    grip = load(scratch, slot + SLOT_GRIP * W, spec)
    hold = fma(grip - own * grip, pressure, load(scratch, slot + SLOT_HOLD * W, spec))
    bounds = (low, high, hold, own * grip, ratio)
    whole = load(scratch, slot + SLOT_WHOLE * W, spec) > zero
    x0, x1, x2 = before
    if any_lane(whole):
        x0, x1, x2 = solve_whole(scratch, slot, soft, u, before, bounds, spec)
    if not all_lanes(whole):
        y = solve_apart(scratch, slot, u, before, bounds, spec)
        x0, x1, x2 = where(whole, x0, y[0]), where(whole, x1, y[1]), where(whole, x2, y[2])
    solid = both(running, load(scratch, slot + SLOT_SOLID * W, spec) > zero)
    d0 = where(solid, x0 - before[0], zero)
    d1, d2 = where(solid, x1 - before[1], zero), where(solid, x2 - before[2], zero)
    store3(scratch, slot + impulse * W, (before[0] + d0, before[1] + d1, before[2] + d2), spec)
    return d0, d1, d2


def solve_whole(scratch: Array, slot: int, soft: Number, u: Any, before: Any, bounds: Any, spec: Spec) -> Any:
    """Normal and tangents together: what stops all motion at the point, or what lies on the cone."""
    W = width(spec)
    low, high, hold, grip, ratio = bounds
    K = load6(scratch, slot + SLOT_INVERSE * W, spec)
    x0 = before[0] - (K[0] * u[0] + K[1] * u[1] + K[2] * u[2])
    x1 = before[1] - (K[1] * u[0] + K[3] * u[1] + K[4] * u[2])
    x2 = before[2] - (K[2] * u[0] + K[4] * u[1] + K[5] * u[2])
    limit = ratio * fma(grip, x0, hold)
    sticks = both(both(x0 >= low, x0 <= high), fma(ratio * x1, ratio * x1, x2 * x2) <= limit * limit)
    sticks = both(sticks, limit >= number(0.0, limit))
    if not all_lanes(sticks):
        B, step = load6(scratch, slot + SLOT_BLOCK * W, spec), load(scratch, slot + SLOT_SLIDE * W, spec)
        y = slip(B, soft, step, u, before, bounds)
        x0, x1, x2 = where(sticks, x0, y[0]), where(sticks, x1, y[1]), where(sticks, x2, y[2])
    return x0, x1, x2


def solve_apart(scratch: Array, slot: int, u: Any, before: Any, bounds: Any, spec: Spec) -> Any:
    """The normal first; then the tangents: what stops the slip, if the cone allows it, else back onto it against slip."""
    W = width(spec)
    low, high, hold, grip, ratio = bounds
    one = number(1.0, hold)
    x0 = before[0] - u[0] * load(scratch, slot + SLOT_NORMAL_INVERSE * W, spec)
    x0 = maximum(minimum(x0, high), low)
    d0, block = x0 - before[0], slot + SLOT_BLOCK * W
    u1, u2 = fma(load(scratch, block + W, spec), d0, u[1]), fma(load(scratch, block + 2 * W, spec), d0, u[2])
    T = load3(scratch, slot + SLOT_TANGENT_INVERSE * W, spec)
    x1, x2 = before[1] - fma(T[0], u1, T[1] * u2), before[2] - fma(T[1], u1, T[2] * u2)
    limit = ratio * fma(grip, x0, hold)
    inside = fma(ratio * x1, ratio * x1, x2 * x2) <= limit * limit
    if not all_lanes(inside):
        slope = load(scratch, slot + SLOT_SLIDE * W, spec)
        s1, s2 = before[1] - slope * u1, before[2] - slope * u2
        size = sqrt(fma(ratio * s1, ratio * s1, s2 * s2))
        beyond = size > limit
        scaled = where(beyond, limit / where(beyond, size, one), one)
        x1, x2 = where(inside, x1, scaled * s1), where(inside, x2, scaled * s2)
    return x0, x1, x2


def slip(B: Any, soft: Number, step: Number, u: Any, before: Any, bounds: Any) -> Any:
    """What a point needs that does not stick: nothing where it parts without any impulse, else what lies on the cone."""
    low, _, hold, _, _ = bounds
    zero = number(0.0, soft)
    nn = B[0] + soft
    # the velocity without this slot's own impulse
    b0 = u[0] - (nn * before[0] + B[1] * before[1] + B[2] * before[2])
    parts = both(b0 >= zero, both(low >= zero, hold <= zero))
    x0, x1, x2 = zero, zero, zero
    if not all_lanes(parts):
        y = slide(B, nn, b0, step, u, before, bounds)
        x0, x1, x2 = where(parts, zero, y[0]), where(parts, zero, y[1]), where(parts, zero, y[2])
    return x0, x1, x2


def slide(B: Any, nn: Number, b_n: Number, step: Number, u: Any, before: Any, bounds: Any) -> Any:
    """The impulse on the edge of the cone, in the direction of λ_t − step·(slip), where both are those of before.

    With λ_t = (hold + grip·λ_n)·d the normal law gives λ_n = −(b_n + hold·B_nt·d)/(B_nn + grip·B_nt·d), b the velocity
    without this slot's own impulse.  Solving normal and tangents together matters: where friction presses the bodies
    together (B_nn < grip·|B_nt|), setting one after the other does not converge.  The direction turns from sweep to sweep
    until it is against the slip, which is Coulomb's law.

    Friction that goes along with the slip keeps its direction by this rule, and would make energy for ever.  There λ_t is
    drawn back to λ_t − step·(slip), inside the cone, until it turns round or the point sticks.
    """
    low, high, hold, grip, ratio = bounds
    zero, one = number(0.0, nn), number(1.0, nn)
    t1, t2 = before[1] - step * u[1], before[2] - step * u[2]
    size = sqrt(fma(ratio * t1, ratio * t1, t2 * t2))
    sound = size > number(1e-30, one)
    inverse = ratio / where(sound, size, one)
    d1, d2 = where(sound, t1 * inverse, zero), where(sound, t2 * inverse, zero)
    along = both(fma(before[1], u[1], before[2] * u[2]) > zero, size < ratio * fma(grip, before[0], hold))
    lift = B[1] * d1 + B[2] * d2
    whole = where(along, nn, maximum(fma(grip, lift, nn), number(0.1, one) * nn))
    safe = whole > number(1e-30, one)
    x0 = -where(along, fma(B[1], t1, fma(B[2], t2, b_n)), fma(hold, lift, b_n)) / where(safe, whole, one)
    x0 = where(safe, maximum(minimum(x0, high), low), zero)
    limit = maximum(fma(grip, x0, hold), zero)
    part = minimum(limit * inverse, one)
    return x0, where(along, part * t1, limit * d1), where(along, part * t2, limit * d2)
