"""Slots: what is to be solved, collected lane by lane, with the impulses that the last step remembers."""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.vectors import add_scaled, cross, dot, scale
from zoophyte.model.contact_layout import (
    FEATURE_GRAIN,
    FEATURE_TURN,
    FEATURES,
    HEAD_START,
    MEMORY_IMPULSE,
    MEMORY_KEY,
    MEMORY_RECORD,
    MEMORY_START,
    OVERFLOW,
    SLOT_A,
    SLOT_ACROSS,
    SLOT_B,
    SLOT_BIAS,
    SLOT_CAPACITY,
    SLOT_FRAME,
    SLOT_GAP,
    SLOT_GRIP,
    SLOT_HIGH,
    SLOT_HOLD,
    SLOT_IMPULSE,
    SLOT_KEY,
    SLOT_KIND,
    SLOT_LOW,
    SLOT_OWN,
    SLOT_POINT_A,
    SLOT_POINT_B,
    SLOT_PULL,
    SLOT_RESTITUTION,
    SLOT_SOFT,
    SLOT_SPEED,
    SLOT_START,
    SLOT_STRIDE,
    SLOT_TREE_A,
    SLOT_TREE_B,
    WORK_COUNT,
    WORK_CURSOR,
    WORK_START,
)
from zoophyte.model.layout import CONTACT, DT, NV
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    any_lane,
    both,
    gather,
    lane,
    lane_count,
    load,
    maximum,
    negated,
    number,
    scatter,
    sqrt,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import gather3, load3, scatter3, store9
from zoophyte.numbers.primitives import outlined

HUGE = 1e30


def work(ints: Array, field: int, spec: Spec) -> int:
    """Where a counter of the contact work lies in `scratch`."""
    c = ints[CONTACT]
    return ints[c + WORK_START] + (3 * ints[NV] + field) * width(spec)


def begin_slots(ints: Array, scratch: Array, spec: Spec) -> None:
    """No slots yet, and nothing of the memory read."""
    zero = number(0.0, load(scratch, 0, spec))
    store(scratch, work(ints, WORK_COUNT, spec), zero, spec)
    store(scratch, work(ints, WORK_CURSOR, spec), zero, spec)


def slots_in_use(ints: Array, scratch: Array, spec: Spec) -> int:
    """The largest number of slots that any lane has filled."""
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    most = 0
    for n in range(lane_count(count)):
        most = max(most, int(lane(count, n)))
    return most


def remembered(ints: Array, data: Array, scratch: Array, take: Mask, key: Number, spec: Spec) -> Any:
    """The impulse (world axes) that the slot of this key had in the last step; keys are asked for in ascending order."""
    W = width(spec)
    memory = ints[ints[CONTACT] + MEMORY_START]
    place = work(ints, WORK_CURSOR, spec)
    cursor, known = load(scratch, place, spec), load(data, memory, spec)
    one, zero = number(1.0, key), number(0.0, key)
    size = number(MEMORY_RECORD * W, key)
    found = gather(data, cursor * size, memory + (1 + MEMORY_KEY) * W, spec)
    behind = both(take, both(cursor < known, found < key))
    while any_lane(behind):
        cursor = cursor + where(behind, one, zero)
        found = gather(data, cursor * size, memory + (1 + MEMORY_KEY) * W, spec)
        behind = both(behind, both(cursor < known, found < key))
    store(scratch, place, cursor, spec)
    same = both(take, both(cursor < known, both(found <= key, found >= key)))
    x = gather3(data, cursor * size, memory + (1 + MEMORY_IMPULSE) * W, spec)
    return (where(same, x[0], zero), where(same, x[1], zero), where(same, x[2], zero))


@outlined
def fill_slot(
    ints: Array, data: Array, scratch: Array, wanted: Mask, ends: Any, trees: Any, points: Any, normal: Any,
    along: Any, gap: Number, key: Number, law: Any, spec: Spec,
) -> Mask:  # fmt: skip
    """Fill the next slot of every lane in which `wanted` holds; where it found room.

    Args:
        ints: of the block.
        data: of the block.
        scratch: of the block.
        wanted: where there is something to solve.
        ends: scratch offsets of the two links' records, as numbers.
        trees: a link of each tree, lane 0.
        points: on the two links, each in link axes.
        normal: from the second to the first, world axes.
        along: where the first tangent should point, world axes; zero if it does not matter.
        gap: distance; negative for a depth.
        key: which one it is; ascending from call to call.
        law: kind, low, pull, high, hold, grip, own, soft, bias, across, restitution, speed: see the slot record.
        spec: the machine.
    """
    W, c = width(spec), ints[CONTACT]
    zero, one = number(0.0, gap), number(1.0, gap)
    counter, head = work(ints, WORK_COUNT, spec), ints[c + HEAD_START]
    count, capacity = load(scratch, counter, spec), number(ints[c + SLOT_CAPACITY], gap)
    room = count < capacity
    take, lost = both(wanted, room), both(wanted, negated(room))
    store(data, head + OVERFLOW * W, where(lost, one, load(data, head + OVERFLOW * W, spec)), spec)
    # What does not count goes to one slot more than there are.
    slot = where(take, count, capacity) * number(ints[c + SLOT_STRIDE], gap)
    first = ints[c + SLOT_START]
    scatter(scratch, slot, first + SLOT_A * W, ends[0], spec)
    scatter(scratch, slot, first + SLOT_B * W, ends[1], spec)
    scatter3(scratch, slot, first + SLOT_POINT_A * W, points[0], spec)
    scatter3(scratch, slot, first + SLOT_POINT_B * W, points[1], spec)
    scatter3(scratch, slot, first + SLOT_FRAME * W, normal, spec)
    if ints[c + FEATURES] & FEATURE_GRAIN:
        scatter3(scratch, slot, first + (SLOT_FRAME + 3) * W, along, spec)
    scatter(scratch, slot, first + SLOT_GAP * W, gap, spec)
    scatter(scratch, slot, first + SLOT_KEY * W, key, spec)
    scatter3(scratch, slot, first + SLOT_IMPULSE * W, remembered(ints, data, scratch, take, key, spec), spec)
    scatter(scratch, slot, first + SLOT_KIND * W, law[0], spec)
    scatter(scratch, slot, first + SLOT_LOW * W, law[1], spec)
    scatter(scratch, slot, first + SLOT_PULL * W, law[2], spec)
    scatter(scratch, slot, first + SLOT_HIGH * W, law[3], spec)
    scatter(scratch, slot, first + SLOT_HOLD * W, law[4], spec)
    scatter(scratch, slot, first + SLOT_GRIP * W, law[5], spec)
    scatter(scratch, slot, first + SLOT_OWN * W, law[6], spec)
    scatter(scratch, slot, first + SLOT_SOFT * W, law[7], spec)
    scatter(scratch, slot, first + SLOT_BIAS * W, law[8], spec)
    scatter(scratch, slot, first + SLOT_ACROSS * W, law[9], spec)
    scatter(scratch, slot, first + SLOT_RESTITUTION * W, law[10], spec)
    scatter(scratch, slot, first + SLOT_SPEED * W, law[11], spec)
    scatter(scratch, slot, first + SLOT_TREE_A * W, number(trees[0], gap), spec)
    scatter(scratch, slot, first + SLOT_TREE_B * W, number(trees[1], gap), spec)
    store(scratch, counter, count + where(take, one, zero), spec)
    return take


def push(
    ints: Array, data: Array, scratch: Array, touching: Mask, ends: Any, trees: Any, points: Any, normal: Any,
    grain: Any, gap: Number, key: Number, material: Any, speed: Number, spec: Spec,
) -> None:  # fmt: skip
    """A contact: pressure without bound, friction in its cone; and behind it the resistance to turning, if there is any.

    `material` is friction, friction across over along, restitution, rolling, torsion, adhesion; `speed` that at which the
    points parted before this step.
    """
    zero, one, huge = number(0.0, gap), number(1.0, gap), number(HUGE, gap)
    dt = load(data, DT * width(spec), spec)
    friction, across, restitution, rolling, torsion, adhesion = material
    pull = adhesion * dt
    law = (zero, pull, zero, huge, friction * pull, friction, one, zero, maximum(gap, zero) / dt, across,
           restitution, speed)  # fmt: skip
    take = fill_slot(ints, data, scratch, touching, ends, trees, points, normal, grain, gap, key, law, spec)
    if ints[ints[CONTACT] + FEATURES] & FEATURE_TURN:
        turns = both(take, rolling + torsion > zero)
        if any_lane(turns):
            law = (one, zero, torsion, zero, zero, rolling, zero, zero, zero, one, zero, zero)
            nowhere = (zero, zero, zero)
            fill_slot(ints, data, scratch, turns, ends, trees, (nowhere, nowhere), normal, nowhere, zero,
                      key + number(0.5, gap), law, spec)  # fmt: skip


def store_frame(ints: Array, scratch: Array, slot: int, used: Mask, spec: Spec) -> Any:
    """Normal and two tangents of a slot, the first tangent along the grain where there is one; (0, 0, 1) if not used."""
    W = width(spec)
    n = load3(scratch, slot + SLOT_FRAME * W, spec)
    zero, one = number(0.0, n[0]), number(1.0, n[0])
    n = (where(used, n[0], zero), where(used, n[1], zero), where(used, n[2], one))
    steep = absolute(n[0]) > number(0.7, n[0])
    along = (where(steep, zero, one), where(steep, one, zero), zero)
    if ints[ints[CONTACT] + FEATURES] & FEATURE_GRAIN:
        grain = load3(scratch, slot + (SLOT_FRAME + 3) * W, spec)
        flat = add_scaled(grain, -dot(grain, n), n)
        given = both(used, dot(flat, flat) > number(1e-12, n[0]))
        along = (where(given, flat[0], along[0]), where(given, flat[1], along[1]),
                 where(given, flat[2], along[2]))  # fmt: skip
    t = add_scaled(along, -dot(along, n), n)
    t = scale(one / sqrt(dot(t, t)), t)
    u = cross(n, t)
    frame = (n[0], n[1], n[2], t[0], t[1], t[2], u[0], u[1], u[2])
    store9(scratch, slot + SLOT_FRAME * W, frame, spec)
    return frame
