"""Rows of the factored inverse inertia for slots and axes: J M̃⁻¹ Jᵀ = Y·Yᵀ.

The three unit impulses of a slot are swept to the root at once; the links on their way are marked, and the others' entries
are zero.  While they travel they lie where the articulated inertia was, which is no longer needed.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.cholesky import forward_solve6
from zoophyte.algebra.rotations import rotate, unrotate
from zoophyte.algebra.spatial import force_to_parent, spatial_add, spatial_add_scaled, spatial_zero
from zoophyte.algebra.vectors import add_cross, cross, dot, subtract
from zoophyte.model.contact_layout import (
    FEATURE_ALIKE,
    FEATURES,
    MARK,
    ROW_STRIDE,
    SEED,
    SLOT_A,
    SLOT_B,
    SLOT_BIAS,
    SLOT_BOUNCED,
    SLOT_FREE,
    SLOT_IMPULSE,
    SLOT_KIND,
    SLOT_POINT_A,
    SLOT_POINT_B,
    SLOT_RESTITUTION,
    SLOT_ROWS,
    SLOT_SEGMENTS,
    SLOT_SPEED,
    SLOT_START,
    SLOT_STRIDE,
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
    BALL,
    CONTACT,
    FREE,
    HINGE,
    IA,
    JOINT,
    LINK_COUNT,
    ROLE_ROOT,
    ROW_DATA,
    ROW_KIND,
    ROW_PARENT,
    ROW_ROLE,
    ROW_SCRATCH,
    ROW_V,
    V_COUNT,
    WORLD_R,
    E,
    V,
)
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    any_lane,
    lane,
    largest_lane,
    load,
    load_at,
    maximum,
    number,
    sqrt,
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
from zoophyte.physics.contact.slots import store_frame, work
from zoophyte.physics.dynamics.blocks import load21_flat
from zoophyte.physics.dynamics.kinematics import link_offset, parent_index, row
from zoophyte.physics.dynamics.project import BALL_DINV, DINV
from zoophyte.physics.dynamics.response import root_times


def slot_offset(ints: Array, k: int) -> int:
    """Where slot k starts in `scratch`."""
    c = ints[CONTACT]
    return ints[c + SLOT_START] + k * ints[c + SLOT_STRIDE]


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
    if ints[ints[CONTACT] + FEATURES] & FEATURE_ALIKE and at > 0 and not any_lane(zero < B):
        u = walk(ints, data, scratch, slot, at, frame, where(used, one, zero), spec)
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
    # Where the slot is not used, anything may lie in it, and 0·∞ is not a number.
    for field in (SLOT_BIAS, SLOT_SPEED, SLOT_RESTITUTION):
        place = slot + field * W
        store(scratch, place, where(used, load(scratch, place, spec), zero), spec)
    store_block(ints, scratch, slot, row_length(scratch, slot, spec), used, spec)


def unit_forces(scratch: Array, slot: int, point: Any, R: Any, frame: Any, sign: Number, spec: Spec) -> Any:
    """The three unit forces (of a slot of turns: torques) at a point of a link, in the axes of the link."""
    W = width(spec)
    turn, zero = load(scratch, slot + SLOT_KIND * W, spec) > number(0.5, sign), number(0.0, sign)
    f0 = unrotate(R, (sign * frame[0], sign * frame[1], sign * frame[2]))
    f1 = unrotate(R, (sign * frame[3], sign * frame[4], sign * frame[5]))
    f2 = unrotate(R, (sign * frame[6], sign * frame[7], sign * frame[8]))
    return (
        unit_force(point, f0, turn, zero),
        unit_force(point, f1, turn, zero),
        unit_force(point, f2, turn, zero),
    )


def unit_force(point: Any, f: Any, turn: Mask, zero: Number) -> Any:
    """A force at a point as a spatial force; where it is a turn, the torque alone."""
    m = cross(point, f)
    return (where(turn, f[0], m[0]), where(turn, f[1], m[1]), where(turn, f[2], m[2]),
            where(turn, zero, f[0]), where(turn, zero, f[1]), where(turn, zero, f[2]))  # fmt: skip


def slot_point(scratch: Array, place: int, sign: Number, spec: Spec) -> Any:
    """The point of a slot on a link; the origin in lanes that do not use the slot, where anything may lie."""
    x, zero = load3(scratch, place, spec), number(0.0, sign)
    used = absolute(sign) > zero
    return (where(used, x[0], zero), where(used, x[1], zero), where(used, x[2], zero))


def slot_motion(scratch: Array, slot: int, point: Any, R: Any, V_L: Any, spec: Spec) -> Any:
    """Velocity of a point of a link (of a slot of turns: rate of turning), world axes."""
    turn = load(scratch, slot + SLOT_KIND * width(spec), spec) > number(0.5, V_L[0])
    w = (V_L[0], V_L[1], V_L[2])
    v = add_cross((V_L[3], V_L[4], V_L[5]), w, point)
    return rotate(R, (where(turn, w[0], v[0]), where(turn, w[1], v[1]), where(turn, w[2], v[2])))


def walk(
    ints: Array, data: Array, scratch: Array, slot: int, at: int, frame: Any, sign: Number, spec: Spec
) -> Any:
    """Rows of a slot between the ground and the link whose record is at `at` in all lanes; returns the velocity there.

    The forces go from the link to the root in registers: most contacts are feet on the ground, and this is twice as fast as
    the way through the links' seeds.
    """
    W, c = width(spec), ints[CONTACT]
    point = slot_point(scratch, slot + SLOT_POINT_A * W, sign, spec)
    R, V_L = load9(scratch, at + WORLD_R * W, spec), load6(scratch, at + V * W, spec)
    p0, p1, p2 = unit_forces(scratch, slot, point, R, frame, sign, spec)
    stride, rows, zero = ints[c + ROW_STRIDE] * W, slot + SLOT_ROWS * W, number(0.0, sign)
    for m in range(row_length(scratch, slot, spec)):
        store(scratch, rows + m * W, zero, spec)
        store(scratch, rows + stride + m * W, zero, spec)
        store(scratch, rows + 2 * stride + m * W, zero, spec)
    first = int(lane(load(scratch, slot + SLOT_SEGMENTS * W, spec), 0))
    # Where lanes are alike, what names the tree is the link itself; lanes that do not use the slot may hold anything.
    names = load(scratch, slot + SLOT_TREE_A * W, spec)
    link = int(largest_lane(where(absolute(sign) > zero, names, zero)))
    while link > 0:
        i = row(ints, link)
        y = rows + (ints[i + ROW_V] - first) * W
        p0, p1, p2 = pass_forces(ints, data, scratch, link, y, stride, p0, p1, p2, spec)
        link = ints[i + ROW_PARENT]
    return slot_motion(scratch, slot, point, R, V_L, spec)


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
    point = slot_point(scratch, slot + field * W, sign, spec)
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


def pass_forces(
    ints: Array, data: Array, scratch: Array, link: int, y: int, stride: int, p0: Any, p1: Any, p2: Any, spec: Spec
) -> Any:  # fmt: skip
    """Row entries of one link; what is left of the three forces, in the axes of its parent."""
    W = width(spec)
    i = row(ints, link)
    kind, s = ints[i + ROW_KIND], ints[i + ROW_SCRATCH]
    j = s + JOINT * W
    if kind == FREE:
        L = load21_flat(scratch, j, spec)
        store6(scratch, y, forward_solve6(L, p0), spec)
        store6(scratch, y + stride, forward_solve6(L, p1), spec)
        store6(scratch, y + 2 * stride, forward_solve6(L, p2), spec)
        return p0, p1, p2
    if kind == BALL:
        U0, U1, U2 = (
            load6(scratch, j, spec),
            load6(scratch, j + 6 * W, spec),
            load6(scratch, j + 12 * W, spec),
        )
        K = load6(scratch, j + BALL_DINV * W, spec)
        store3(scratch, y, root_times(K, (p0[0], p0[1], p0[2])), spec)
        store3(scratch, y + stride, root_times(K, (p1[0], p1[1], p1[2])), spec)
        store3(scratch, y + 2 * stride, root_times(K, (p2[0], p2[1], p2[2])), spec)
        p0, p1, p2 = left_of(p0, K, U0, U1, U2), left_of(p1, K, U0, U1, U2), left_of(p2, K, U0, U1, U2)
    else:
        U, D_inverse = load6(scratch, j, spec), load(scratch, j + DINV * W, spec)
        root = sqrt(D_inverse)
        s0, s1, s2 = (p0[2], p1[2], p2[2]) if kind == HINGE else (p0[5], p1[5], p2[5])
        store(scratch, y, root * s0, spec)
        store(scratch, y + stride, root * s1, spec)
        store(scratch, y + 2 * stride, root * s2, spec)
        p0 = spatial_add_scaled(p0, -(D_inverse * s0), U)
        p1 = spatial_add_scaled(p1, -(D_inverse * s1), U)
        p2 = spatial_add_scaled(p2, -(D_inverse * s2), U)
    E_LP, r = load9(scratch, s + E * W, spec), link_offset(kind, data, ints[i + ROW_DATA], scratch, s, spec)
    return force_to_parent(E_LP, r, p0), force_to_parent(E_LP, r, p1), force_to_parent(E_LP, r, p2)


def to_parent(ints: Array, scratch: Array, parent: int, seed_field: int, p: Any, spec: Spec) -> None:
    """Add a force to what the parent has already."""
    field = (IA + SEED + seed_field) * width(spec)
    store6_at(
        scratch, ints, parent, field, spatial_add(load6_at(scratch, ints, parent, field, spec), p), spec
    )


def left_of(p: Any, K: Any, U0: Any, U1: Any, U2: Any) -> Any:
    """p − U D⁻¹ Sᵀ p of a ball joint."""
    x0 = K[0] * p[0] + K[1] * p[1] + K[2] * p[2]
    x1 = K[1] * p[0] + K[3] * p[1] + K[4] * p[2]
    x2 = K[2] * p[0] + K[4] * p[1] + K[5] * p[2]
    return spatial_add_scaled(spatial_add_scaled(spatial_add_scaled(p, -x0, U0), -x1, U1), -x2, U2)


def row_length(scratch: Array, slot: int, spec: Spec) -> int:
    """Entries of each row of a slot."""
    W = width(spec)
    own = int(lane(load(scratch, slot + (SLOT_SEGMENTS + 1) * W, spec), 0))
    return own + int(lane(load(scratch, slot + (SLOT_SEGMENTS + 3) * W, spec), 0))
