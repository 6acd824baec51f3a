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
    return ints[c + WORK_START] + (2 * ints[NV] + field) * width(spec)


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
def push(
    ints: Array, data: Array, scratch: Array, touching: Mask, ends: Any, trees: Any, points: Any, normal: Any,
    grain: Any, gap: Number, key: Number, material: Any, speed: Number, spec: Spec,
) -> None:  # fmt: skip
    """Fill the next slot of every lane in which `touching` holds.

    Args:
        ints, data, scratch: the block.
        touching: where there is a contact.
        ends: scratch offsets of the two links' records, as numbers.
        trees: a link of each tree, lane 0.
        points: of contact on the two links, each in link axes.
        normal: from the second to the first, world axes.
        grain: direction of the grain in world axes, or zero.
        gap: distance; negative for a depth.
        key: which contact it is; ascending from call to call.
        material: friction, friction across over along, restitution, rolling, torsion, adhesion.
        speed: at which the points part, before this step.
        spec: the machine.
    """
    W, c = width(spec), ints[CONTACT]
    zero, one, huge = number(0.0, gap), number(1.0, gap), number(HUGE, gap)
    counter, head = work(ints, WORK_COUNT, spec), ints[c + HEAD_START]
    count, capacity = load(scratch, counter, spec), number(ints[c + SLOT_CAPACITY], gap)
    take = both(touching, count < capacity)
    lost = both(touching, negated(count < capacity))
    store(data, head + OVERFLOW * W, where(lost, one, load(data, head + OVERFLOW * W, spec)), spec)
    slot = where(take, count, capacity) * number(ints[c + SLOT_STRIDE], gap)
    first = ints[c + SLOT_START]
    dt = load(data, DT * W, spec)
    friction, across, restitution, rolling, torsion, adhesion = material
    pull = adhesion * dt
    scatter(scratch, slot, first + SLOT_A * W, ends[0], spec)
    scatter(scratch, slot, first + SLOT_B * W, ends[1], spec)
    scatter3(scratch, slot, first + SLOT_POINT_A * W, points[0], spec)
    scatter3(scratch, slot, first + SLOT_POINT_B * W, points[1], spec)
    scatter3(scratch, slot, first + SLOT_FRAME * W, normal, spec)
    if ints[c + FEATURES] & FEATURE_GRAIN:
        scatter3(scratch, slot, first + (SLOT_FRAME + 3) * W, grain, spec)
    scatter(scratch, slot, first + SLOT_GAP * W, gap, spec)
    scatter(scratch, slot, first + SLOT_KEY * W, key, spec)
    impulse = remembered(ints, data, scratch, take, key, spec)
    scatter3(scratch, slot, first + SLOT_IMPULSE * W, impulse, spec)
    scatter(scratch, slot, first + SLOT_KIND * W, zero, spec)
    scatter(scratch, slot, first + SLOT_LOW * W, pull, spec)
    scatter(scratch, slot, first + SLOT_PULL * W, zero, spec)
    scatter(scratch, slot, first + SLOT_HIGH * W, huge, spec)
    scatter(scratch, slot, first + SLOT_HOLD * W, friction * pull, spec)
    scatter(scratch, slot, first + SLOT_GRIP * W, friction, spec)
    scatter(scratch, slot, first + SLOT_OWN * W, one, spec)
    scatter(scratch, slot, first + SLOT_SOFT * W, zero, spec)
    scatter(scratch, slot, first + SLOT_BIAS * W, maximum(gap, zero) / dt, spec)
    scatter(scratch, slot, first + SLOT_ACROSS * W, across, spec)
    scatter(scratch, slot, first + SLOT_RESTITUTION * W, restitution, spec)
    scatter(scratch, slot, first + SLOT_SPEED * W, speed, spec)
    scatter(scratch, slot, first + SLOT_TREE_A * W, number(trees[0], gap), spec)
    scatter(scratch, slot, first + SLOT_TREE_B * W, number(trees[1], gap), spec)
    store(scratch, counter, count + where(take, one, zero), spec)
    if ints[c + FEATURES] & FEATURE_TURN:
        turns = both(take, rolling + torsion > zero)
        if any_lane(turns):
            push_turn(ints, data, scratch, turns, ends, trees, normal, key, rolling, torsion, spec)


def push_turn(
    ints: Array, data: Array, scratch: Array, take: Mask, ends: Any, trees: Any, normal: Any, key: Number,
    rolling: Number, torsion: Number, spec: Spec,
) -> None:  # fmt: skip
    """Resistance to turning, in the slot behind the contact whose pressure bounds it."""
    W, c = width(spec), ints[CONTACT]
    zero, one = number(0.0, key), number(1.0, key)
    counter = work(ints, WORK_COUNT, spec)
    count, capacity = load(scratch, counter, spec), number(ints[c + SLOT_CAPACITY], key)
    take = both(take, count < capacity)
    slot = where(take, count, capacity) * number(ints[c + SLOT_STRIDE], key)
    first = ints[c + SLOT_START]
    own_key = key + number(0.5, key)
    scatter(scratch, slot, first + SLOT_A * W, ends[0], spec)
    scatter(scratch, slot, first + SLOT_B * W, ends[1], spec)
    scatter3(scratch, slot, first + SLOT_POINT_A * W, (zero, zero, zero), spec)
    scatter3(scratch, slot, first + SLOT_POINT_B * W, (zero, zero, zero), spec)
    scatter3(scratch, slot, first + SLOT_FRAME * W, normal, spec)
    scatter3(scratch, slot, first + (SLOT_FRAME + 3) * W, (zero, zero, zero), spec)
    scatter(scratch, slot, first + SLOT_GAP * W, zero, spec)
    scatter(scratch, slot, first + SLOT_KEY * W, own_key, spec)
    impulse = remembered(ints, data, scratch, take, own_key, spec)
    scatter3(scratch, slot, first + SLOT_IMPULSE * W, impulse, spec)
    scatter(scratch, slot, first + SLOT_KIND * W, one, spec)
    scatter(scratch, slot, first + SLOT_LOW * W, zero, spec)
    scatter(scratch, slot, first + SLOT_PULL * W, torsion, spec)
    scatter(scratch, slot, first + SLOT_HIGH * W, zero, spec)
    scatter(scratch, slot, first + SLOT_HOLD * W, zero, spec)
    scatter(scratch, slot, first + SLOT_GRIP * W, rolling, spec)
    scatter(scratch, slot, first + SLOT_OWN * W, zero, spec)
    scatter(scratch, slot, first + SLOT_SOFT * W, zero, spec)
    scatter(scratch, slot, first + SLOT_BIAS * W, zero, spec)
    scatter(scratch, slot, first + SLOT_ACROSS * W, one, spec)
    scatter(scratch, slot, first + SLOT_RESTITUTION * W, zero, spec)
    scatter(scratch, slot, first + SLOT_SPEED * W, zero, spec)
    scatter(scratch, slot, first + SLOT_TREE_A * W, number(trees[0], key), spec)
    scatter(scratch, slot, first + SLOT_TREE_B * W, number(trees[1], key), spec)
    store(scratch, counter, count + where(take, one, zero), spec)


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
