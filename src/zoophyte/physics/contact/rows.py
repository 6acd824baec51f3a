"""Rows of the factored inverse inertia for slots and axes: J M̃⁻¹ Jᵀ = Y·Yᵀ.

The three unit impulses of a slot are swept to the root at once; the links on their way are marked, and the others' entries
are zero.  While they travel they lie where the articulated inertia was, which is no longer needed.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.spatial import spatial_add, spatial_zero
from zoophyte.algebra.vectors import dot, subtract
from zoophyte.model.contact_layout import (
    FEATURE_ALIKE,
    FEATURE_BALLS,
    FEATURE_RESTITUTION,
    FEATURES,
    MARK,
    ROW_STRIDE,
    SEED,
    SLOT_A,
    SLOT_B,
    SLOT_BEFORE,
    SLOT_BIAS,
    SLOT_BOUNCED,
    SLOT_FREE,
    SLOT_IMPULSE,
    SLOT_POINT_A,
    SLOT_POINT_B,
    SLOT_RESTITUTION,
    SLOT_ROWS,
    SLOT_SEGMENTS,
    SLOT_TREE_A,
    SLOT_TREE_B,
    TREE_END,
    TREE_FIRST,
    TREE_NV,
    TREE_ROW_SIZE,
    TREE_ROWS,
    TREE_V,
    WORK_COUNT,
)
from zoophyte.model.layout import (
    CONTACT,
    IA,
    LINK_COUNT,
    ROLE_ROOT,
    ROW_KIND,
    ROW_ROLE,
    ROW_SCRATCH,
    ROW_V,
    V_COUNT,
    WORLD_R,
    V,
)
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    any_lane,
    lane,
    load,
    load_at,
    maximum,
    number,
    store,
    store_at,
    where,
    width,
)
from zoophyte.numbers.memory import (
    gather6,
    gather9,
    load3,
    load6,
    load6_at,
    load9,
    scatter6,
    shared,
    store3,
    store6,
    store6_at,
)
from zoophyte.numbers.primitives import outlined, scatter
from zoophyte.physics.contact.blocks import store_block
from zoophyte.physics.contact.slots import slot_offset, store_frame, work
from zoophyte.physics.contact.ways import (
    pass_forces,
    point_on_link,
    slot_motion,
    unit_forces,
    walk,
    walk_apart,
)
from zoophyte.physics.dynamics.kinematics import parent_index, row


def clear_seeds(ints: Array, scratch: Array, spec: Spec) -> None:
    """No forces on their way anywhere."""
    W = width(spec)
    zero = number(0.0, load(scratch, 0, spec))
    for link in range(ints[LINK_COUNT]):
        s = ints[row(ints, link) + ROW_SCRATCH] + (IA + SEED) * W
        for n in range(MARK + 1):
            store(scratch, s + n * W, zero, spec)


@outlined
def slot_rows(ints: Array, data: Array, scratch: Array, k: int, spec: Spec) -> None:
    """Frame, free velocity, rows and block of slot k; a lane that does not use the slot gets zeros."""
    W, slot = width(spec), slot_offset(ints, k)
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    used = number(k, count) < count
    zero, one = number(0.0, count), number(1.0, count)
    frame = store_frame(ints, scratch, slot, used, spec)
    A = where(used, load(scratch, slot + SLOT_A * W, spec), zero)
    B = where(used, load(scratch, slot + SLOT_B * W, spec), zero)
    at = shared(A, used)
    lay_out_segments(ints, scratch, slot, spec)
    features = ints[ints[CONTACT] + FEATURES]
    alone = not any_lane(zero < B)
    if features & FEATURE_ALIKE and at > 0 and alone:
        u = walk(ints, data, scratch, slot, at, frame, where(used, one, zero), spec)
    elif alone and not features & FEATURE_BALLS:
        u = walk_apart(ints, scratch, slot, A, frame, where(used, one, zero), spec)
    else:
        u = seed(scratch, slot, SLOT_POINT_A, at, A, used, frame, where(used, one, zero), spec)
        if any_lane(zero < B):  # the ground, whose record is the first, does not move
            sign = where(used, -one, zero)
            u = subtract(u, seed(scratch, slot, SLOT_POINT_B, shared(B, used), B, used, frame, sign, spec))
        sweep_segments(ints, data, scratch, slot, spec)
    n, t, s = (frame[0], frame[1], frame[2]), (frame[3], frame[4], frame[5]), (frame[6], frame[7], frame[8])
    free = (where(used, dot(n, u), zero), where(used, dot(t, u), zero), where(used, dot(s, u), zero))
    store3(scratch, slot + SLOT_FREE * W, free, spec)
    x = load3(scratch, slot + SLOT_IMPULSE * W, spec)
    warm = (where(used, dot(n, x), zero), where(used, dot(t, x), zero), where(used, dot(s, x), zero))
    store3(scratch, slot + SLOT_IMPULSE * W, warm, spec)
    store3(scratch, slot + SLOT_BOUNCED * W, (zero, zero, zero), spec)
    if features & FEATURE_RESTITUTION:
        u = load3(scratch, slot + SLOT_BEFORE * W, spec)
        before = (where(used, dot(n, u), zero), where(used, dot(t, u), zero), where(used, dot(s, u), zero))
        store3(scratch, slot + SLOT_BEFORE * W, before, spec)
    # Where the slot is not used, anything may lie in it, and 0·∞ is not a number.
    for field in (SLOT_BIAS, SLOT_RESTITUTION):
        place = slot + field * W
        store(scratch, place, where(used, load(scratch, place, spec), zero), spec)
    store_block(ints, scratch, slot, used, spec)


def seed(
    scratch: Array, slot: int, field: int, at: int, link: Number, used: Mask, frame: Any, sign: Number, spec: Spec
) -> Any:  # fmt: skip
    """Put the three unit forces of a slot on a link, and mark it; returns the velocity there, world axes.

    `at` is the place of the link's record where it is the same in all lanes, else −1.
    """
    W = width(spec)
    if at >= 0:
        R, V_L = load9(scratch, at + WORLD_R * W, spec), load6(scratch, at + V * W, spec)
    else:
        R, V_L = gather9(scratch, link, WORLD_R * W, spec), gather6(scratch, link, V * W, spec)
    point = point_on_link(scratch, slot + field * W, sign, spec)
    p0, p1, p2 = unit_forces(scratch, slot, point, R, frame, sign, spec)
    mark = where(used, number(1.0, sign), number(0.0, sign))
    seeds = (IA + SEED) * W
    if at >= 0:
        store6(scratch, at + seeds, p0, spec)
        store6(scratch, at + seeds + 6 * W, p1, spec)
        store6(scratch, at + seeds + 12 * W, p2, spec)
        store(scratch, at + (IA + MARK) * W, mark, spec)
    else:
        scatter6(scratch, link, seeds, p0, spec)
        scatter6(scratch, link, seeds + 6 * W, p1, spec)
        scatter6(scratch, link, seeds + 12 * W, p2, spec)
        scatter(scratch, link, (IA + MARK) * W, mark, spec)
    return slot_motion(scratch, slot, point, R, V_L, spec)


def lay_out_segments(ints: Array, scratch: Array, slot: int, spec: Spec) -> None:
    """SLOT_SEGMENTS: which dofs the rows of a slot hold; the tree with the lower dofs first."""
    W, trees = width(spec), ints[ints[CONTACT] + TREE_ROWS]
    a = trees + int(lane(load(scratch, slot + SLOT_TREE_A * W, spec), 0)) * TREE_ROW_SIZE
    b = trees + int(lane(load(scratch, slot + SLOT_TREE_B * W, spec), 0)) * TREE_ROW_SIZE
    if ints[a + TREE_NV] == 0 or (ints[b + TREE_NV] > 0 and ints[b + TREE_V] < ints[a + TREE_V]):
        a, b = b, a
    like = load(scratch, slot, spec)
    second = ints[b + TREE_NV]
    if ints[b + TREE_V] == ints[a + TREE_V]:
        second = 0
    segment = slot + SLOT_SEGMENTS * W
    store(scratch, segment, number(ints[a + TREE_V], like), spec)
    store(scratch, segment + W, number(ints[a + TREE_NV], like), spec)
    store(scratch, segment + 2 * W, number(ints[b + TREE_V], like), spec)
    store(scratch, segment + 3 * W, number(second, like), spec)


def sweep_segments(ints: Array, data: Array, scratch: Array, slot: int, spec: Spec) -> None:
    """Sweep the seeds to the roots of their trees."""
    W, trees = width(spec), ints[ints[CONTACT] + TREE_ROWS]
    a = trees + int(lane(load(scratch, slot + SLOT_TREE_A * W, spec), 0)) * TREE_ROW_SIZE
    b = trees + int(lane(load(scratch, slot + SLOT_TREE_B * W, spec), 0)) * TREE_ROW_SIZE
    first = int(lane(load(scratch, slot + SLOT_SEGMENTS * W, spec), 0))
    second = int(lane(load(scratch, slot + (SLOT_SEGMENTS + 3) * W, spec), 0))
    if ints[a + TREE_NV] == 0 or ints[a + TREE_V] != first:
        a, b = b, a
    sweep(ints, data, scratch, ints[a + TREE_FIRST], ints[a + TREE_END], slot, -first, spec)
    if second > 0:
        shift = ints[a + TREE_NV] - ints[b + TREE_V]
        sweep(ints, data, scratch, ints[b + TREE_FIRST], ints[b + TREE_END], slot, shift, spec)


def sweep(
    ints: Array, data: Array, scratch: Array, first: int, end: int, slot: int, shift: int, spec: Spec
) -> None:
    """y = D^(−1/2)·Sᵀ·p of three rows for the links from `end` − 1 down to `first`; dof v at place v + shift."""
    W = width(spec)
    stride = ints[ints[CONTACT] + ROW_STRIDE] * W
    for link in range(end - 1, first - 1, -1):
        i = row(ints, link)
        kind, s = ints[i + ROW_KIND], ints[i + ROW_SCRATCH]
        y = slot + (SLOT_ROWS + ints[i + ROW_V] + shift) * W
        mark = load(scratch, s + (IA + MARK) * W, spec)
        zero = number(0.0, mark)
        if any_lane(mark > zero):
            pass_link(ints, data, scratch, link, s, y, stride, mark, spec)
        else:
            for n in range(V_COUNT[kind]):
                for axis in range(3):
                    store(scratch, y + axis * stride + n * W, zero, spec)


def pass_link(
    ints: Array, data: Array, scratch: Array, link: int, s: int, y: int, stride: int, mark: Number, spec: Spec
) -> None:  # fmt: skip
    """Row entries of one marked link; what is left of its forces goes to its parent."""
    W = width(spec)
    seeds = s + (IA + SEED) * W
    p0, p1, p2 = (
        load6(scratch, seeds, spec),
        load6(scratch, seeds + 6 * W, spec),
        load6(scratch, seeds + 12 * W, spec),
    )
    nothing = spatial_zero(mark)
    store6(scratch, seeds, nothing, spec)
    store6(scratch, seeds + 6 * W, nothing, spec)
    store6(scratch, seeds + 12 * W, nothing, spec)
    store(scratch, s + (IA + MARK) * W, nothing[0], spec)
    p0, p1, p2 = pass_forces(ints, data, scratch, link, y, stride, p0, p1, p2, spec)
    if ints[row(ints, link) + ROW_ROLE] & ROLE_ROOT:
        return
    parent = parent_index(ints, link, spec)
    to_parent(ints, scratch, parent, 0, p0, spec)
    to_parent(ints, scratch, parent, 6, p1, spec)
    to_parent(ints, scratch, parent, 12, p2, spec)
    above = load_at(scratch, ints, parent, (IA + MARK) * W, spec)
    store_at(scratch, ints, parent, (IA + MARK) * W, maximum(above, mark), spec)


def to_parent(ints: Array, scratch: Array, parent: int, seed_field: int, p: Any, spec: Spec) -> None:
    """Add a force to what the parent has already."""
    field = (IA + SEED + seed_field) * width(spec)
    store6_at(
        scratch, ints, parent, field, spatial_add(load6_at(scratch, ints, parent, field, spec), p), spec
    )
