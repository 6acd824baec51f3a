"""The solver: Gauss–Seidel with projection on the exact friction cone, in the coordinates w = Yᵀ·λ.

For every slot in turn: u = c + Y·w is the relative velocity at the point, and its three impulses are set to what solves
this one contact: what stops all motion there, if the cone allows it; else what lies on the cone against the slip that it
leaves, or nothing.  A fixed point obeys Signorini's and Coulomb's laws exactly.

Between sweeps the impulses go on a little in the direction of their last change, with Nesterov's weights; where a sweep
changes more than the one before, this momentum is dropped (O'Donoghue and Candès, "Adaptive restart for accelerated
gradient schemes", 2015).  A stack of five boxes needs a tenth of the sweeps.
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
    ISLAND_AIM,
    ISLAND_CHANGE,
    ISLAND_COUNT,
    ISLAND_FACTOR,
    ISLAND_LAST,
    ISLAND_MOMENTUM,
    ISLAND_RECORD,
    ISLAND_RUNNING,
    ISLAND_SQUARE,
    ISLAND_START,
    ISLAND_WEIGHT,
    ISLAND_WORK,
    MARGIN,
    MAX_SWEEPS,
    RESIDUAL,
    SLOT_ACROSS,
    SLOT_BIAS,
    SLOT_FREE,
    SLOT_GRIP,
    SLOT_HOLD,
    SLOT_IMPULSE,
    SLOT_OWN,
    SLOT_ROUND_IMPULSE,
    SWEEPS_DONE,
    TOLERANCE,
    WORK_START,
)
from zoophyte.model.layout import CONTACT, DT, LINK_COUNT, NV, ROW_KIND, ROW_V, V_COUNT
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    any_lane,
    both,
    either,
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
from zoophyte.numbers.memory import load3, store3
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.contact.axes import (
    add_axis,
    axis_impulse,
    axis_offset,
    is_active,
    is_active_where,
    solve_axis,
)
from zoophyte.physics.contact.cone import add_slot, solve_slot
from zoophyte.physics.contact.islands import axis_island, island_record, slot_island, tree_of
from zoophyte.physics.contact.slots import slot_offset, slots_where
from zoophyte.physics.dynamics.kinematics import row

LOOSE = 0.5
"""Part of the margin that the last change of a velocity may move in a step; above it, sweeps have not come to an end."""
FINER = 0.1
"""Part of the first sweep's change that the last one may still make, where that is less than the tolerance; and of the
tolerance, at least.  What rests begins each step with the error of the last one: with a fixed bound it would stay there, and
a tower creep by it."""
RENEWED = 3
"""Sweeps for which `settle` keeps the bounds of friction."""


def clear_work(ints: Array, scratch: Array, spec: Spec) -> None:
    """w = 0."""
    W, w = width(spec), ints[ints[CONTACT] + WORK_START]
    zero = number(0.0, load(scratch, w, spec))
    for n in range(ints[NV]):
        store(scratch, w + n * W, zero, spec)


@outlined
def warm_start(ints: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """w = Yᵀ·λ of what is remembered."""
    W, c = width(spec), ints[CONTACT]
    clear_work(ints, scratch, spec)
    for k in range(slots):
        slot = slot_offset(ints, k)
        add_slot(ints, scratch, slot, load3(scratch, slot + SLOT_IMPULSE * W, spec), spec)
    for a in range(ints[c + AXIS_COUNT]):
        if is_active(ints, scratch, a, spec):
            axis = axis_offset(ints, a, spec)
            add_axis(ints, scratch, axis, axis_impulse(scratch, axis, spec), spec)


@outlined
def guard_energy(ints: Array, scratch: Array, slots: int, lanes: Mask, spec: Spec) -> None:
    """Scale impulses of an island, in these lanes, back where λᵀ(c + bias) + ½‖w‖² > 0: where they put energy in (in M̃)."""
    W, c = width(spec), ints[CONTACT]
    zero, one = number(0.0, load(scratch, 0, spec)), number(1.0, load(scratch, 0, spec))
    for n in range(ints[c + ISLAND_COUNT]):
        start = ints[c + ISLAND_START] + n * ISLAND_RECORD * W
        store(scratch, start + ISLAND_SQUARE * W, zero, spec)
        store(scratch, start + ISLAND_WORK * W, zero, spec)
    add_squares(ints, scratch, spec)
    for k in range(slots):
        slot = slot_offset(ints, k)
        x, u = load3(scratch, slot + SLOT_IMPULSE * W, spec), load3(scratch, slot + SLOT_FREE * W, spec)
        normal = u[0] + load(scratch, slot + SLOT_BIAS * W, spec)
        place = slot_island(ints, scratch, slot, spec) + ISLAND_WORK * W
        work = fma(x[2], u[2], fma(x[1], u[1], fma(x[0], normal, load(scratch, place, spec))))
        store(scratch, place, work, spec)
    for a in range(ints[c + AXIS_COUNT]):
        if is_active(ints, scratch, a, spec):
            axis = axis_offset(ints, a, spec)
            u, side = load(scratch, axis + AXIS_FREE * W, spec), load(scratch, axis + AXIS_SIDE * W, spec)
            limit = load(scratch, axis + AXIS_IMPULSE * W, spec)
            held = load(scratch, axis + AXIS_FRICTION_IMPULSE * W, spec)
            place = axis_island(ints, a, spec) + ISLAND_WORK * W
            work = fma(
                limit, fma(side, u, load(scratch, axis + AXIS_BIAS * W, spec)), load(scratch, place, spec)
            )
            store(scratch, place, fma(held, u - load(scratch, axis + AXIS_TARGET * W, spec), work), spec)
    some = False
    for n in range(ints[c + ISLAND_COUNT]):
        start = ints[c + ISLAND_START] + n * ISLAND_RECORD * W
        square, work = (
            load(scratch, start + ISLAND_SQUARE * W, spec),
            load(scratch, start + ISLAND_WORK * W, spec),
        )
        gains = both(lanes, both(fma(number(0.5, zero), square, work) > zero, square > zero))
        scaled = maximum(minimum(-work / where(gains, square, one), one), zero)
        store(scratch, start + ISLAND_FACTOR * W, where(gains, scaled, one), spec)
        if any_lane(gains):
            some = True
    if some:
        scale_impulses(ints, scratch, slots, spec)


def add_squares(ints: Array, scratch: Array, spec: Spec) -> None:
    """‖w‖² of every island."""
    W, c = width(spec), ints[CONTACT]
    w = ints[c + WORK_START]
    if ints[c + ISLAND_COUNT] == 1:
        place = ints[c + ISLAND_START] + ISLAND_SQUARE * W
        square = load(scratch, place, spec)
        for n in range(ints[NV]):
            x = load(scratch, w + n * W, spec)
            square = fma(x, x, square)
        store(scratch, place, square, spec)
        return
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        place = island_record(ints, tree_of(ints, link), spec) + ISLAND_SQUARE * W
        square = load(scratch, place, spec)
        for n in range(V_COUNT[ints[i + ROW_KIND]]):
            x = load(scratch, w + (ints[i + ROW_V] + n) * W, spec)
            square = fma(x, x, square)
        store(scratch, place, square, spec)


def scale_impulses(ints: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """Multiply λ and w of every island by its factor."""
    W, c = width(spec), ints[CONTACT]
    w = ints[c + WORK_START]
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        factor = load(scratch, island_record(ints, tree_of(ints, link), spec) + ISLAND_FACTOR * W, spec)
        for n in range(V_COUNT[ints[i + ROW_KIND]]):
            place = w + (ints[i + ROW_V] + n) * W
            # Zero is added so that w is never −0.
            store(scratch, place, fma(factor, load(scratch, place, spec), number(0.0, factor)), spec)
    for k in range(slots):
        slot = slot_offset(ints, k)
        factor = load(scratch, slot_island(ints, scratch, slot, spec) + ISLAND_FACTOR * W, spec)
        place = slot + SLOT_IMPULSE * W
        x = load3(scratch, place, spec)
        store3(scratch, place, (factor * x[0], factor * x[1], factor * x[2]), spec)
    for a in range(ints[c + AXIS_COUNT]):
        if is_active(ints, scratch, a, spec):
            axis = axis_offset(ints, a, spec)
            factor = load(scratch, axis_island(ints, a, spec) + ISLAND_FACTOR * W, spec)
            for field in (AXIS_IMPULSE, AXIS_FRICTION_IMPULSE):
                store(scratch, axis + field * W, factor * load(scratch, axis + field * W, spec), spec)


@outlined
def sweep_until_still(
    ints: Array, data: Array, scratch: Array, slots: int, lanes: Mask, most: int, spec: Spec
) -> None:
    """Sweeps over slots and axes of some lanes, so many at most, until no velocity changes any more; what is done stays."""
    W, c = width(spec), ints[CONTACT]
    head, islands, count = ints[c + HEAD_START], ints[c + ISLAND_START], ints[c + ISLAND_COUNT]
    tolerance = load(data, head + TOLERANCE * W, spec)
    zero, one = number(0.0, tolerance), number(1.0, tolerance)
    for n in range(count):
        start = islands + n * ISLAND_RECORD * W
        store(scratch, start + ISLAND_RUNNING * W, where(lanes, one, zero), spec)
        store(scratch, start + ISLAND_MOMENTUM * W, one, spec)
        store(scratch, start + ISLAND_LAST * W, number(1e30, one), spec)
    done, residual, running = zero, zero, lanes
    sweeps = 0
    while sweeps < most and any_lane(running):
        for n in range(count):
            store(scratch, islands + (n * ISLAND_RECORD + ISLAND_CHANGE) * W, zero, spec)
        for k in range(slots):
            place = slot_island(ints, scratch, slot_offset(ints, k), spec)
            runs = load(scratch, place + ISLAND_RUNNING * W, spec) > zero
            if any_lane(runs):
                change = solve_slot(ints, scratch, k, runs, SLOT_IMPULSE, SLOT_BIAS, spec)
                note_change(scratch, place, change, spec)
        for a in range(ints[c + AXIS_COUNT]):
            if is_active(ints, scratch, a, spec):
                place = axis_island(ints, a, spec)
                runs = load(scratch, place + ISLAND_RUNNING * W, spec) > zero
                note_change(scratch, place, solve_axis(ints, scratch, a, runs, spec), spec)
        done = done + where(running, one, zero)
        worst, some = zero, zero > one
        for n in range(count):
            start = islands + n * ISLAND_RECORD * W
            change = load(scratch, start + ISLAND_CHANGE * W, spec)
            worst = maximum(change, worst)
            if sweeps == 0:
                part = number(FINER, tolerance)
                aim = maximum(minimum(part * change, tolerance), part * tolerance)
                store(scratch, start + ISLAND_AIM * W, aim, spec)
            moving = change > load(scratch, start + ISLAND_AIM * W, spec)
            some = either(some, moving)
            runs = load(scratch, start + ISLAND_RUNNING * W, spec)
            store(scratch, start + ISLAND_RUNNING * W, where(moving, runs, zero), spec)
            gather_momentum(scratch, start, change, spec)
        residual = where(running, worst, residual)
        running = both(running, some)
        sweeps += 1
        if sweeps < most and any_lane(running):
            go_on(ints, scratch, slots, spec)
    store(data, head + RESIDUAL * W, where(lanes, residual, load(data, head + RESIDUAL * W, spec)), spec)
    store(data, head + SWEEPS_DONE * W, done + load(data, head + SWEEPS_DONE * W, spec), spec)


def is_loose(ints: Array, data: Array, spec: Spec) -> Mask:
    """Where the last sweep still changed velocities so much that it makes a depth."""
    W, head = width(spec), ints[ints[CONTACT] + HEAD_START]
    way = load(data, DT * W, spec) * load(data, head + RESIDUAL * W, spec)
    return way > number(LOOSE, way) * load(data, head + MARGIN * W, spec)


@outlined
def settle(ints: Array, data: Array, scratch: Array, loose: Mask, spec: Spec) -> None:
    """Go on from the present impulses where sweeps run in circles, or where a limit was met late.

    Coulomb's friction has no potential: Gauss–Seidel may come back to where it was.  With bounds on friction that stay,
    |λ_t| ≤ μ·(λ_n of before), it descends a convex function, and does not.  So bounds are renewed every few sweeps only,
    until that changes nothing: then Coulomb's law holds (Haslinger's fixed point).  Bounds of rolling and torsion follow the
    pressure of their contact all the time.
    """
    W, c = width(spec), ints[CONTACT]
    head, slots = ints[c + HEAD_START], slots_where(ints, scratch, loose, spec)
    tolerance = load(data, head + TOLERANCE * W, spec)
    zero, one = number(0.0, tolerance), number(1.0, tolerance)
    for k in range(slots):
        slot = slot_offset(ints, k)
        kept = (load(scratch, slot + SLOT_HOLD * W, spec), load(scratch, slot + SLOT_GRIP * W, spec), zero)
        store3(scratch, slot + SLOT_ROUND_IMPULSE * W, kept, spec)
    done, residual, running = zero, zero, loose
    sweeps = 0
    while sweeps < ints[c + MAX_SWEEPS] and any_lane(running):
        renewed = sweeps % RENEWED == 0
        change = zero
        for k in range(slots):
            if renewed:
                bound_friction(ints, scratch, k, running, spec)
            change = maximum(solve_slot(ints, scratch, k, running, SLOT_IMPULSE, SLOT_BIAS, spec), change)
        for a in range(ints[c + AXIS_COUNT]):
            if is_active_where(ints, scratch, a, running, spec):
                change = maximum(solve_axis(ints, scratch, a, running, spec), change)
        done = done + where(running, one, zero)
        residual = where(running, change, residual)
        if renewed:
            running = both(running, change > tolerance)
        sweeps += 1
    for k in range(slots):
        free_friction(ints, scratch, k, loose, spec)
    store(data, head + RESIDUAL * W, where(loose, residual, load(data, head + RESIDUAL * W, spec)), spec)
    store(data, head + SWEEPS_DONE * W, done + load(data, head + SWEEPS_DONE * W, spec), spec)
    guard_energy(ints, scratch, slots, loose, spec)


def bound_friction(ints: Array, scratch: Array, k: int, running: Mask, spec: Spec) -> None:
    """The bound of a contact's friction becomes a number: what the present pressure allows."""
    W, slot = width(spec), slot_offset(ints, k)
    kept = load3(scratch, slot + SLOT_ROUND_IMPULSE * W, spec)
    zero = number(0.0, kept[0])
    hold, grip = load(scratch, slot + SLOT_HOLD * W, spec), load(scratch, slot + SLOT_GRIP * W, spec)
    # Not that of turns, whose bound is their contact's pressure already.
    own = both(running, load(scratch, slot + SLOT_OWN * W, spec) > number(0.5, zero))
    bound = maximum(fma(kept[1], load(scratch, slot + SLOT_IMPULSE * W, spec), kept[0]), zero)
    store(scratch, slot + SLOT_HOLD * W, where(own, bound, hold), spec)
    store(scratch, slot + SLOT_GRIP * W, where(own, zero, grip), spec)


def free_friction(ints: Array, scratch: Array, k: int, loose: Mask, spec: Spec) -> None:
    """The bound of a contact's friction follows its pressure again; where that has become less, friction is drawn back."""
    W, slot = width(spec), slot_offset(ints, k)
    hold, grip, zero = load3(scratch, slot + SLOT_ROUND_IMPULSE * W, spec)
    store(scratch, slot + SLOT_HOLD * W, hold, spec)
    store(scratch, slot + SLOT_GRIP * W, grip, spec)
    x = load3(scratch, slot + SLOT_IMPULSE * W, spec)
    ratio = load(scratch, slot + SLOT_ACROSS * W, spec)
    own = both(loose, load(scratch, slot + SLOT_OWN * W, spec) > number(0.5, zero))
    limit = ratio * maximum(fma(grip, x[0], hold), zero)
    size = sqrt(fma(ratio * x[1], ratio * x[1], x[2] * x[2]))
    beyond = both(own, size > limit)
    if any_lane(beyond):
        excess = where(beyond, limit / where(beyond, size, number(1.0, zero)), number(1.0, zero))
        back = (zero, fma(excess, x[1], -x[1]), fma(excess, x[2], -x[2]))
        store3(scratch, slot + SLOT_IMPULSE * W, (x[0], x[1] + back[1], x[2] + back[2]), spec)
        add_slot(ints, scratch, slot, back, spec)


def gather_momentum(scratch: Array, start: int, change: Number, spec: Spec) -> None:
    """The weight with which an island's impulses go on; none where it is done, or where it changed more than before."""
    W = width(spec)
    t, one = load(scratch, start + ISLAND_MOMENTUM * W, spec), number(1.0, change)
    zero, half = number(0.0, change), number(0.5, change)
    t = where(change > load(scratch, start + ISLAND_LAST * W, spec), one, t)
    after = half * (one + sqrt(fma(number(4.0, t) * t, t, one)))
    runs = load(scratch, start + ISLAND_RUNNING * W, spec) > zero
    store(scratch, start + ISLAND_WEIGHT * W, where(runs, (t - one) / after, zero), spec)
    store(scratch, start + ISLAND_MOMENTUM * W, after, spec)
    store(scratch, start + ISLAND_LAST * W, change, spec)


def go_on(ints: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """λ and w go on in the direction of their last change."""
    W, c = width(spec), ints[CONTACT]
    w = ints[c + WORK_START]
    before, alone = w + 2 * ints[NV] * W, ints[c + ISLAND_COUNT] == 1
    if alone:
        weight = load(scratch, ints[c + ISLAND_START] + ISLAND_WEIGHT * W, spec)
        for n in range(ints[NV]):
            extrapolate(scratch, w + n * W, before + n * W, weight, spec)
    for link in range(1, 1 if alone else ints[LINK_COUNT]):
        i = row(ints, link)
        weight = load(scratch, island_record(ints, tree_of(ints, link), spec) + ISLAND_WEIGHT * W, spec)
        for n in range(V_COUNT[ints[i + ROW_KIND]]):
            place = (ints[i + ROW_V] + n) * W
            extrapolate(scratch, w + place, before + place, weight, spec)
    for k in range(slots):
        slot = slot_offset(ints, k)
        weight = load(scratch, slot_island(ints, scratch, slot, spec) + ISLAND_WEIGHT * W, spec)
        for n in range(3):
            extrapolate(
                scratch, slot + (SLOT_IMPULSE + n) * W, slot + (SLOT_ROUND_IMPULSE + n) * W, weight, spec
            )
    for a in range(ints[c + AXIS_COUNT]):
        if is_active(ints, scratch, a, spec):
            x, weight = (
                axis_offset(ints, a, spec),
                load(scratch, axis_island(ints, a, spec) + ISLAND_WEIGHT * W, spec),
            )
            extrapolate(scratch, x + AXIS_IMPULSE * W, x + AXIS_BEFORE * W, weight, spec)
            extrapolate(scratch, x + AXIS_FRICTION_IMPULSE * W, x + (AXIS_BEFORE + 1) * W, weight, spec)


def extrapolate(scratch: Array, place: int, before: int, weight: Number, spec: Spec) -> None:
    """x + weight·(x − x before), and x kept as the next `before`."""
    x = load(scratch, place, spec)
    old = where(weight > number(0.0, weight), load(scratch, before, spec), x)
    store(scratch, before, x, spec)
    store(scratch, place, fma(weight, x - old, x), spec)


def note_change(scratch: Array, place: int, change: Number, spec: Spec) -> None:
    """The largest change of an island in this sweep."""
    at = place + ISLAND_CHANGE * width(spec)
    store(scratch, at, maximum(change, load(scratch, at, spec)), spec)
