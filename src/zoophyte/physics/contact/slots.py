"""Slots: what is to be solved, collected lane by lane, with the impulses that the last step remembers."""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.vectors import add_scaled, cross, dot, scale
from zoophyte.model.contact_layout import (
    FEATURE_GRAIN,
    FEATURE_LAWS,
    FEATURE_RESTITUTION,
    FEATURE_TURN,
    FEATURES,
    HEAD_START,
    HUGE,
    MEMORY_FORCE,
    MEMORY_KEY,
    MEMORY_RECORD,
    MEMORY_START,
    OVERFLOW,
    SLOP,
    SLOT_A,
    SLOT_ACROSS,
    SLOT_BEFORE,
    SLOT_CAPACITY,
    SLOT_FRAME,
    SLOT_HIGH,
    SLOT_HOLD,
    SLOT_IMPULSE,
    SLOT_KEY,
    SLOT_KIND,
    SLOT_LOW,
    SLOT_OWN,
    SLOT_PULL,
    SLOT_RESTITUTION,
    SLOT_SHORT,
    SLOT_SOFT,
    SLOT_START,
    SLOT_STRIDE,
    SLOT_TREE_A,
    SLOT_TREE_B,
    TOO_MANY,
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
    all_lanes,
    any_lane,
    both,
    either,
    gather,
    largest_lane,
    load,
    maximum,
    negated,
    number,
    scatter_where,
    sqrt,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import gather3, load3, store3, store9
from zoophyte.numbers.primitives import outlined

CLOSE = 0.1
"""Adhesion acts up to this part of the slop: what arrives does so to the last digits, and what is held stays there."""


def slot_offset(ints: Array, k: int) -> int:
    """Where slot k starts in `scratch`."""
    c = ints[CONTACT]
    return ints[c + SLOT_START] + k * ints[c + SLOT_STRIDE]


def work(ints: Array, field: int, spec: Spec) -> int:
    """Where a counter of the contact work lies in `scratch`."""
    c = ints[CONTACT]
    return ints[c + WORK_START] + (3 * ints[NV] + field) * width(spec)


def prepare_slots(ints: Array, scratch: Array, spec: Spec) -> None:
    """The fields that only some worlds use, as an ordinary contact has them: set once, since scratch is another's before."""
    W, c = width(spec), ints[CONTACT]
    zero = number(0.0, load(scratch, 0, spec))
    for k in range(ints[c + SLOT_CAPACITY] + 1):
        slot = slot_offset(ints, k)
        for field in (SLOT_KIND, SLOT_LOW, SLOT_PULL, SLOT_HOLD, SLOT_SOFT, SLOT_RESTITUTION, SLOT_BEFORE,
                      SLOT_BEFORE + 1, SLOT_BEFORE + 2, SLOT_TREE_A, SLOT_TREE_B):  # fmt: skip
            store(scratch, slot + field * W, zero, spec)
        store(scratch, slot + SLOT_HIGH * W, number(HUGE, zero), spec)
        store(scratch, slot + SLOT_OWN * W, number(1.0, zero), spec)
        store(scratch, slot + SLOT_ACROSS * W, number(1.0, zero), spec)


def begin_slots(ints: Array, scratch: Array, spec: Spec) -> None:
    """No slots yet, and nothing of the memory read."""
    zero = number(0.0, load(scratch, 0, spec))
    store(scratch, work(ints, WORK_COUNT, spec), zero, spec)
    store(scratch, work(ints, WORK_CURSOR, spec), zero, spec)


def lacks_room(ints: Array, data: Array, spec: Spec) -> bool:
    """Whether a step is to be done once more, with more room for what it met."""
    told = load(data, ints[ints[CONTACT] + HEAD_START] + OVERFLOW * width(spec), spec)
    return any_lane(told > number(TOO_MANY, told))


def slots_in_use(ints: Array, scratch: Array, spec: Spec) -> int:
    """The largest number of slots that any lane has filled."""
    return int(largest_lane(load(scratch, work(ints, WORK_COUNT, spec), spec)))


def slots_where(ints: Array, scratch: Array, lanes: Mask, spec: Spec) -> int:
    """The largest number of slots that any of some lanes has filled."""
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    return int(largest_lane(where(lanes, count, number(0.0, count))))


def recall(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """Give every slot the impulse, in world axes, that the last step remembers of it."""
    W, count = width(spec), load(scratch, work(ints, WORK_COUNT, spec), spec)
    for k in range(slots):
        slot = slot_offset(ints, k)
        key = load(scratch, slot + SLOT_KEY * W, spec)
        impulse = remembered(ints, data, scratch, number(k, count) < count, key, spec)
        store3(scratch, slot + SLOT_IMPULSE * W, impulse, spec)


def remembered(ints: Array, data: Array, scratch: Array, take: Mask, key: Number, spec: Spec) -> Any:
    """dt times the force (world axes) that the slot of this key had in the last step; keys are asked for in rising order."""
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
    x = gather3(data, cursor * size, memory + (1 + MEMORY_FORCE) * W, spec)
    dt = where(same, load(data, DT * W, spec), zero)
    return (where(same, dt * x[0], zero), where(same, dt * x[1], zero), where(same, dt * x[2], zero))


@outlined
def fill_slot(
    ints: Array, data: Array, scratch: Array, wanted: Mask, ends: Any, trees: Any, points: Any, normal: Any,
    gap: Number, key: Number, grip: Number, bias: Number, spec: Spec,
) -> Any:  # fmt: skip
    """Fill the next slot of every lane in which `wanted` holds; (where it found room, where it is, see `put`).

    Args:
        ints: of the block.
        data: of the block.
        scratch: of the block.
        wanted: where there is something to solve.
        ends: scratch offsets of the two links' records, as numbers.
        trees: a link of each tree, lane 0.
        points: on the two links, each in link axes; and SLOT_ARM.
        normal: from the second to the first, world axes.
        gap: distance; negative for a depth.
        key: which one it is; ascending from call to call.
        grip: see the slot record.
        bias: likewise.
        spec: the machine.
    """
    W, c = width(spec), ints[CONTACT]
    zero, one = number(0.0, gap), number(1.0, gap)
    counter, place = work(ints, WORK_COUNT, spec), ints[c + HEAD_START] + OVERFLOW * W
    count, capacity = load(scratch, counter, spec), number(ints[c + SLOT_CAPACITY], gap)
    room = count < capacity
    take, lost = both(wanted, room), both(wanted, negated(room))
    store(data, place, where(lost, number(ints[c + SLOT_SHORT], gap), load(data, place, spec)), spec)
    spot = (take, common_slot(ints, take, count), count * number(ints[c + SLOT_STRIDE], gap))
    x, y, arm = points
    fields = (ends[0], ends[1], x[0], x[1], x[2], y[0], y[1], y[2], arm[0], arm[1], arm[2], gap, key,
              number(trees[0], gap), number(trees[1], gap), grip, bias, normal[0], normal[1], normal[2])  # fmt: skip
    put(ints, scratch, spot, SLOT_A, fields, spec)
    store(scratch, counter, count + where(take, one, zero), spec)
    return spot


@outlined
def dress_slot(ints: Array, scratch: Array, spot: Any, law: Any, grain: Any, bounce: Any, spec: Spec) -> None:
    """The fields of a slot that only some worlds use.

    Args:
        ints: of the block.
        scratch: of the block.
        spot: as `fill_slot` tells.
        law: kind, low, pull, high, hold, own, soft: see the slot record.
        grain: friction across over along; where the first tangent should point, world axes: zero if it does not matter.
        bounce: restitution; velocity before the step, world axes.
        spec: the machine.
    """
    features = ints[ints[CONTACT] + FEATURES]
    if features & FEATURE_LAWS:
        put(ints, scratch, spot, SLOT_KIND, law, spec)
    if features & FEATURE_GRAIN:
        put(ints, scratch, spot, SLOT_ACROSS, (grain[0],), spec)
        put(ints, scratch, spot, SLOT_FRAME + 3, grain[1], spec)
    if features & FEATURE_RESTITUTION:
        put(ints, scratch, spot, SLOT_RESTITUTION, (bounce[0], *bounce[1]), spec)


def common_slot(ints: Array, take: Mask, count: Number) -> int:
    """Where the next slot is in `scratch`, if it is the same for all lanes that take one and free in all others; else −1."""
    c, most = ints[CONTACT], int(largest_lane(where(take, count, number(-1.0, count))))
    wanted = number(most, count)
    if most >= 0 and all_lanes(both(count <= wanted, either(negated(take), count >= wanted))):
        return ints[c + SLOT_START] + most * ints[c + SLOT_STRIDE]
    return -1


def put(ints: Array, scratch: Array, spot: Any, field: int, xs: Any, spec: Spec) -> None:
    """Consecutive fields of a slot: at one place for all lanes, or where lanes fill different ones at that of each."""
    W, (take, common, slot) = width(spec), spot
    if common >= 0:
        for n, x in enumerate(xs):
            store(scratch, common + (field + n) * W, x, spec)
    else:
        scatter_where(take, scratch, slot, ints[ints[CONTACT] + SLOT_START] + field * W, W, xs, spec)


def push(
    ints: Array, data: Array, scratch: Array, touching: Mask, ends: Any, trees: Any, points: Any, normal: Any,
    gap: Number, key: Number, friction: Number, spec: Spec,
) -> Any:  # fmt: skip
    """A contact: pressure without bound, friction in its cone.  Returns where its slot is, as `fill_slot`."""
    dt = load(data, DT * width(spec), spec)
    bias = maximum(gap, number(0.0, gap)) / dt
    return fill_slot(
        ints, data, scratch, touching, ends, trees, points, normal, gap, key, friction, bias, spec
    )


def is_dressed(ints: Array) -> bool:
    """Whether contacts may have more than pressure and friction."""
    unusual = FEATURE_LAWS | FEATURE_GRAIN | FEATURE_RESTITUTION | FEATURE_TURN
    return (ints[ints[CONTACT] + FEATURES] & unusual) != 0


def dress_contact(
    ints: Array, data: Array, scratch: Array, spot: Any, ends: Any, trees: Any, normal: Any, grain: Any, gap: Number,
    key: Number, material: Any, before: Any, spec: Spec,
) -> None:  # fmt: skip
    """What a contact has besides; and behind it the resistance to turning, if there is any.

    `material` is friction, friction across over along, restitution, rolling, torsion, adhesion; `before` the velocity at
    which the points parted before this step, world axes.  Adhesion holds what touches: over a gap it would pull, and make
    energy of nothing, since to part costs none.
    """
    zero, one, huge = number(0.0, key), number(1.0, key), number(HUGE, key)
    friction, across, restitution, rolling, torsion, adhesion = material
    W, nowhere = width(spec), (zero, zero, zero)
    touches = gap <= number(CLOSE, gap) * load(data, ints[ints[CONTACT] + HEAD_START] + SLOP * W, spec)
    pull = where(touches, adhesion * load(data, DT * W, spec), zero)
    law = (zero, pull, zero, huge, friction * pull, one, zero)
    dress_slot(ints, scratch, spot, law, (across, grain), (restitution, before), spec)
    if ints[ints[CONTACT] + FEATURES] & FEATURE_TURN:
        turns = both(spot[0], rolling + torsion > zero)
        if any_lane(turns):
            spot = fill_slot(ints, data, scratch, turns, ends, trees, (nowhere, nowhere, nowhere), normal, zero,
                             key + number(0.5, key), rolling, zero, spec)  # fmt: skip
            law = (one, zero, torsion, zero, zero, zero, zero)
            dress_slot(ints, scratch, spot, law, (one, nowhere), (zero, nowhere), spec)


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
