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
    MARK,
    ROW_STRIDE,
    SEED,
    SLOT_A,
    SLOT_B,
    SLOT_BLOCK,
    SLOT_BOUNCED,
    SLOT_FREE,
    SLOT_GRIP,
    SLOT_HOLD,
    SLOT_IMPULSE,
    SLOT_INVERSE,
    SLOT_KIND,
    SLOT_NORMAL_INVERSE,
    SLOT_POINT_A,
    SLOT_POINT_B,
    SLOT_ROWS,
    SLOT_SEGMENTS,
    SLOT_SLIDE,
    SLOT_SOFT,
    SLOT_SOLID,
    SLOT_START,
    SLOT_STRIDE,
    SLOT_TANGENT_INVERSE,
    SLOT_TREE_A,
    SLOT_TREE_B,
    SLOT_WHOLE,
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
    any_lane,
    both,
    either,
    fma,
    lane,
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
    store3,
    store6,
    store6_at,
)
from zoophyte.numbers.primitives import outlined, scatter
from zoophyte.physics.contact.slots import store_frame, work
from zoophyte.physics.dynamics.blocks import load21_flat
from zoophyte.physics.dynamics.kinematics import link_offset, parent_index, row
from zoophyte.physics.dynamics.project import BALL_DINV, DINV
from zoophyte.physics.dynamics.response import root_times

SMALLEST = 1e-12
"""Entries of Λ below this [1/kg] belong to directions in which nothing can move; they are left alone."""


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
    turn = load(scratch, slot + SLOT_KIND * W, spec) > number(0.5, zero)
    u = seed(
        scratch, A, load3(scratch, slot + SLOT_POINT_A * W, spec), frame, turn, where(used, one, zero), spec
    )
    if any_lane(zero < B):  # the ground, whose record is the first, does not move
        u_B = seed(
            scratch,
            B,
            load3(scratch, slot + SLOT_POINT_B * W, spec),
            frame,
            turn,
            where(used, -one, zero),
            spec,
        )
        u = subtract(u, u_B)
    n, t, s = (frame[0], frame[1], frame[2]), (frame[3], frame[4], frame[5]), (frame[6], frame[7], frame[8])
    free = (where(used, dot(n, u), zero), where(used, dot(t, u), zero), where(used, dot(s, u), zero))
    store3(scratch, slot + SLOT_FREE * W, free, spec)
    x = load3(scratch, slot + SLOT_IMPULSE * W, spec)
    warm = (where(used, dot(n, x), zero), where(used, dot(t, x), zero), where(used, dot(s, x), zero))
    store3(scratch, slot + SLOT_IMPULSE * W, warm, spec)
    store3(scratch, slot + SLOT_BOUNCED * W, (zero, zero, zero), spec)
    sweep_trees(ints, data, scratch, slot, spec)
    store_block(ints, scratch, slot, used, spec)


def seed(scratch: Array, link: Number, point: Any, frame: Any, turn: Mask, sign: Number, spec: Spec) -> Any:
    """Put the three unit forces of a slot on a link, and mark it; returns the velocity there, world axes."""
    W = width(spec)
    R = gather9(scratch, link, WORLD_R * W, spec)
    V_L = gather6(scratch, link, V * W, spec)
    zero = number(0.0, sign)
    for axis in range(3):
        f = unrotate(R, (sign * frame[3 * axis], sign * frame[3 * axis + 1], sign * frame[3 * axis + 2]))
        m = cross(point, f)
        p = (where(turn, f[0], m[0]), where(turn, f[1], m[1]), where(turn, f[2], m[2]),
             where(turn, zero, f[0]), where(turn, zero, f[1]), where(turn, zero, f[2]))  # fmt: skip
        scatter6(scratch, link, (IA + SEED + 6 * axis) * W, p, spec)
    scatter(scratch, link, (IA + MARK) * W, number(1.0, sign), spec)
    w = (V_L[0], V_L[1], V_L[2])
    moved = add_cross((V_L[3], V_L[4], V_L[5]), w, point)
    return rotate(R, (where(turn, w[0], moved[0]), where(turn, w[1], moved[1]), where(turn, w[2], moved[2])))


def sweep_trees(ints: Array, data: Array, scratch: Array, slot: int, spec: Spec) -> None:
    """Sweep the seeds to the roots of their trees, the tree with the lower dofs first."""
    W, trees = width(spec), ints[ints[CONTACT] + TREE_ROWS]
    a = trees + int(lane(load(scratch, slot + SLOT_TREE_A * W, spec), 0)) * TREE_ROW_SIZE
    b = trees + int(lane(load(scratch, slot + SLOT_TREE_B * W, spec), 0)) * TREE_ROW_SIZE
    if ints[a + TREE_NV] == 0 or (ints[b + TREE_NV] > 0 and ints[b + TREE_V] < ints[a + TREE_V]):
        a, b = b, a
    like = load(scratch, slot, spec)
    first, own = ints[a + TREE_V], ints[a + TREE_NV]
    sweep(ints, data, scratch, ints[a + TREE_FIRST], ints[a + TREE_END], slot, -first, spec)
    store(scratch, slot + SLOT_SEGMENTS * W, number(first, like), spec)
    store(scratch, slot + (SLOT_SEGMENTS + 1) * W, number(own, like), spec)
    second = ints[b + TREE_NV]
    if ints[b + TREE_V] == first:
        second = 0
    if second > 0:
        sweep(
            ints, data, scratch, ints[b + TREE_FIRST], ints[b + TREE_END], slot, own - ints[b + TREE_V], spec
        )
    store(scratch, slot + (SLOT_SEGMENTS + 2) * W, number(ints[b + TREE_V], like), spec)
    store(scratch, slot + (SLOT_SEGMENTS + 3) * W, number(second, like), spec)


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
            pass_link(ints, data, scratch, link, kind, s, y, stride, mark, spec)
        else:
            for n in range(V_COUNT[kind]):
                for axis in range(3):
                    store(scratch, y + axis * stride + n * W, zero, spec)


def pass_link(
    ints: Array, data: Array, scratch: Array, link: int, kind: int, s: int, y: int, stride: int, mark: Number, spec: Spec
) -> None:  # fmt: skip
    """Row entries of one marked link; what is left of its forces goes to its parent."""
    W = width(spec)
    i, j, seeds = row(ints, link), s + JOINT * W, s + (IA + SEED) * W
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
    if kind == FREE:
        L = load21_flat(scratch, j, spec)
        store6(scratch, y, forward_solve6(L, p0), spec)
        store6(scratch, y + stride, forward_solve6(L, p1), spec)
        store6(scratch, y + 2 * stride, forward_solve6(L, p2), spec)
        return
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
    if ints[i + ROW_ROLE] & ROLE_ROOT:
        return
    E_LP, r = load9(scratch, s + E * W, spec), link_offset(kind, data, ints[i + ROW_DATA], scratch, s, spec)
    parent = parent_index(ints, link, spec)
    to_parent(ints, scratch, parent, 0, force_to_parent(E_LP, r, p0), spec)
    to_parent(ints, scratch, parent, 6, force_to_parent(E_LP, r, p1), spec)
    to_parent(ints, scratch, parent, 12, force_to_parent(E_LP, r, p2), spec)
    above = load_at(scratch, ints, parent, (IA + MARK) * W, spec)
    store_at(scratch, ints, parent, (IA + MARK) * W, maximum(above, mark), spec)


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


def store_block(ints: Array, scratch: Array, slot: int, used: Mask, spec: Spec) -> None:
    """Λ of the three rows, and what the sweeps need of its inverse; zeros where the slot is not used."""
    W = width(spec)
    rows, stride = slot + SLOT_ROWS * W, ints[ints[CONTACT] + ROW_STRIDE] * W
    zero = number(0.0, load(scratch, slot, spec))
    one = number(1.0, zero)
    nn, nt, nu, tt, tu, uu = zero, zero, zero, zero, zero, zero
    for m in range(row_length(scratch, slot, spec)):
        y0 = load(scratch, rows + m * W, spec)
        y1 = load(scratch, rows + stride + m * W, spec)
        y2 = load(scratch, rows + 2 * stride + m * W, spec)
        nn, nt, nu = fma(y0, y0, nn), fma(y0, y1, nt), fma(y0, y2, nu)
        tt, tu, uu = fma(y1, y1, tt), fma(y1, y2, tu), fma(y2, y2, uu)
    store6(scratch, slot + SLOT_BLOCK * W, (nn, nt, nu, tt, tu, uu), spec)
    smallest = number(SMALLEST, zero)
    soft = load(scratch, slot + SLOT_SOFT * W, spec)
    solid = both(used, nn + soft > smallest)
    store(
        scratch, slot + SLOT_NORMAL_INVERSE * W, where(solid, one / where(solid, nn + soft, one), zero), spec
    )
    half = number(0.5, zero)
    middle, apart = half * (tt + uu), half * (tt - uu)
    largest = middle + sqrt(fma(apart, apart, tu * tu))
    moves = both(used, largest > smallest)
    slide = where(moves, one / where(moves, largest, one), zero)
    store(scratch, slot + SLOT_SLIDE * W, slide, spec)
    determinant = tt * uu - tu * tu
    full = both(moves, determinant > number(1e-8, zero) * largest * largest)
    inverse = one / where(full, determinant, one)
    # In a plane in which only one direction can move, the step of the sliding case serves.
    tangent = (
        where(full, uu * inverse, slide),
        where(full, -(tu * inverse), zero),
        where(full, tt * inverse, slide),
    )
    store3(scratch, slot + SLOT_TANGENT_INVERSE * W, tangent, spec)
    store(scratch, slot + SLOT_SOLID * W, where(either(solid, moves), one, zero), spec)
    # Solved whole where it must be: where all is bound, or where friction would move the normal more than half as much as
    # pressure does, and setting one after the other may not converge.
    grip = load(scratch, slot + SLOT_GRIP * W, spec)
    bound = load(scratch, slot + SLOT_HOLD * W, spec) > number(1e29, zero)
    tied = number(4.0, zero) * (grip * grip) * fma(nt, nt, nu * nu) > nn * nn
    store(scratch, slot + SLOT_WHOLE * W, where(either(bound, tied), one, zero), spec)
    store6(
        scratch, slot + SLOT_INVERSE * W, block_inverse((nn + soft, nt, nu, tt, tu, uu), tangent, used), spec
    )


def block_inverse(B: Any, tangent: Any, used: Mask) -> Any:
    """The inverse of a slot's block; zeros where the slot is not used.

    Where there are fewer than three ways to move, it is that of B + ε·1: right for what can move, and what cannot is not
    asked.  A normal along which nothing moves at all is left out.
    """
    zero, one = number(0.0, B[0]), number(1.0, B[0])
    mean = number(1.0 / 3.0, zero) * (B[0] + B[3] + B[5])
    least = number(1e-7, zero) * mean
    c0, c1, c2 = B[3] * B[5] - B[4] * B[4], B[2] * B[4] - B[1] * B[5], B[1] * B[4] - B[2] * B[3]
    regular = B[0] * c0 + B[1] * c1 + B[2] * c2 > least * mean * mean
    extra = where(regular, zero, number(10.0, zero) * least)
    a, d, f = B[0] + extra, B[3] + extra, B[5] + extra
    c0, c1, c2 = d * f - B[4] * B[4], B[2] * B[4] - B[1] * f, B[1] * B[4] - B[2] * d
    volume = a * c0 + B[1] * c1 + B[2] * c2
    sound = both(both(used, B[0] > number(1e-9, zero) * mean), volume > number(0.0, zero))
    per = one / where(sound, volume, one)
    return (
        where(sound, c0 * per, zero), where(sound, c1 * per, zero), where(sound, c2 * per, zero),
        where(sound, (a * f - B[2] * B[2]) * per, tangent[0]),
        where(sound, (B[2] * B[1] - a * B[4]) * per, tangent[1]),
        where(sound, (a * d - B[1] * B[1]) * per, tangent[2]),
    )  # fmt: skip
