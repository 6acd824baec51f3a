"""Ways from a contact to the root: unit forces pass from link to link and leave the entries of their rows.

y = D^(−1/2)·Sᵀ·p per degree of freedom, and p − U D⁻¹ Sᵀ p goes on to the parent.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.cholesky import forward_solve6
from zoophyte.algebra.rotations import rotate, unrotate
from zoophyte.algebra.spatial import force_to_parent, spatial_add_scaled
from zoophyte.algebra.vectors import add_cross, cross
from zoophyte.model.contact_layout import (
    ROW_STRIDE,
    SLOT_CAPACITY,
    SLOT_KIND,
    SLOT_POINT_A,
    SLOT_ROWS,
    SLOT_SEGMENTS,
    SLOT_TREE_A,
)
from zoophyte.model.layout import (
    BALL,
    CONTACT,
    FREE,
    GROUND,
    HINGE,
    JOINT,
    LINK_COUNT,
    OWN,
    ROW_DATA,
    ROW_KIND,
    ROW_PARENT,
    ROW_SCRATCH,
    ROW_V,
    SLIDE,
    WAY_KIND,
    WAY_PARENT,
    WAY_ROW,
    WORLD_R,
    E,
    V,
)
from zoophyte.model.layout import R as R_AT
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
    largest_lane,
    load,
    load_at,
    number,
    sqrt,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import (
    gather3,
    gather6,
    gather9,
    load3,
    load6,
    load9,
    store3,
    store6,
)
from zoophyte.numbers.primitives import scatter
from zoophyte.physics.contact.slots import slot_offset
from zoophyte.physics.dynamics.blocks import load21_flat
from zoophyte.physics.dynamics.kinematics import link_offset, parent_index, row
from zoophyte.physics.dynamics.project import BALL_DINV, DINV
from zoophyte.physics.dynamics.response import root_times


def note_ways(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """What `walk_apart` must know of every link, in its record: set once, since scratch is another's before."""
    W = width(spec)
    zero = number(0.0, load(data, 0, spec))
    store(scratch, WAY_KIND * W, number(GROUND, zero), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, s = ints[i + ROW_KIND], ints[i + ROW_SCRATCH]
        store(scratch, s + WAY_KIND * W, number(kind, zero), spec)
        store(scratch, s + WAY_ROW * W, number(ints[i + ROW_V], zero), spec)
        parent = load_at(scratch, ints, parent_index(ints, link, spec), OWN * W, spec)
        store(scratch, s + WAY_PARENT * W, parent, spec)
        if kind == HINGE or kind == BALL:  # those of the others are kept up to date by the kinematics
            store3(scratch, s + R_AT * W, link_offset(kind, data, ints[i + ROW_DATA], scratch, s, spec), spec)


def walk(
    ints: Array, data: Array, scratch: Array, slot: int, at: int, frame: Any, sign: Number, spec: Spec
) -> Any:
    """Rows of a slot between the ground and the link whose record is at `at` in all lanes; returns the velocity there.

    The forces go from the link to the root in registers, since most contacts are feet on the ground.
    """
    W, c = width(spec), ints[CONTACT]
    point = point_on_link(scratch, slot + SLOT_POINT_A * W, sign, spec)
    R, V_L = load9(scratch, at + WORLD_R * W, spec), load6(scratch, at + V * W, spec)
    p0, p1, p2 = unit_forces(scratch, slot, point, R, frame, sign, spec)
    stride, rows, zero = ints[c + ROW_STRIDE] * W, slot + SLOT_ROWS * W, number(0.0, sign)
    clear_rows(scratch, slot, stride, zero, spec)
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


def walk_apart(
    ints: Array, scratch: Array, slot: int, A: Number, frame: Any, sign: Number, spec: Spec
) -> Any:
    """The same where each lane goes its own way to the root: lanes gather what they meet, and wait there for the others.

    A way is shorter than the tree, and nothing is scattered but entries of rows.
    """
    W, c = width(spec), ints[CONTACT]
    point = point_on_link(scratch, slot + SLOT_POINT_A * W, sign, spec)
    R, V_L = gather9(scratch, A, WORLD_R * W, spec), gather6(scratch, A, V * W, spec)
    p0, p1, p2 = unit_forces(scratch, slot, point, R, frame, sign, spec)
    stride, rows, zero = ints[c + ROW_STRIDE] * W, slot + SLOT_ROWS * W, number(0.0, sign)
    clear_rows(scratch, slot, stride, zero, spec)
    first = rows - int(lane(load(scratch, slot + SLOT_SEGMENTS * W, spec), 0)) * W
    nowhere = number(slot_offset(ints, ints[c + SLOT_CAPACITY]) + SLOT_ROWS * W, zero)
    here = A
    kind = gather(scratch, here, WAY_KIND * W, spec)
    going = is_joint(kind)
    while any_lane(going):
        U, D_inverse = (
            gather6(scratch, here, JOINT * W, spec),
            gather(scratch, here, (JOINT + DINV) * W, spec),
        )
        turns = kind < number(SLIDE, zero)
        s0, s1, s2 = where(turns, p0[2], p0[5]), where(turns, p1[2], p1[5]), where(turns, p2[2], p2[5])
        root = sqrt(D_inverse)
        y = gather(scratch, here, WAY_ROW * W, spec) * number(W, zero) + number(first, zero)
        y = where(going, y, nowhere)
        scatter(scratch, y, 0, root * s0, spec)
        scatter(scratch, y, stride, root * s1, spec)
        scatter(scratch, y, 2 * stride, root * s2, spec)
        E_LP, r = gather9(scratch, here, E * W, spec), gather3(scratch, here, R_AT * W, spec)
        p0 = choose6(going, force_to_parent(E_LP, r, spatial_add_scaled(p0, -(D_inverse * s0), U)), p0)
        p1 = choose6(going, force_to_parent(E_LP, r, spatial_add_scaled(p1, -(D_inverse * s1), U)), p1)
        p2 = choose6(going, force_to_parent(E_LP, r, spatial_add_scaled(p2, -(D_inverse * s2), U)), p2)
        here = where(going, gather(scratch, here, WAY_PARENT * W, spec), here)
        kind = gather(scratch, here, WAY_KIND * W, spec)
        going = both(going, is_joint(kind))
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        if ints[i + ROW_KIND] == FREE:
            own = number(ints[i + ROW_SCRATCH], zero)
            arrived = both(here >= own, here <= own)
            if any_lane(arrived):
                L = load21_flat(scratch, ints[i + ROW_SCRATCH] + JOINT * W, spec)
                y_root = first + ints[i + ROW_V] * W
                store_where(scratch, y_root, arrived, forward_solve6(L, p0), spec)
                store_where(scratch, y_root + stride, arrived, forward_solve6(L, p1), spec)
                store_where(scratch, y_root + 2 * stride, arrived, forward_solve6(L, p2), spec)
    return slot_motion(scratch, slot, point, R, V_L, spec)


def is_joint(kind: Number) -> Mask:
    """Where a link is a hinge or a slide: neither a free root nor the ground."""
    return both(kind > number(GROUND, kind), kind < number(BALL, kind))


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


def left_of(p: Any, K: Any, U0: Any, U1: Any, U2: Any) -> Any:
    """p − U D⁻¹ Sᵀ p of a ball joint."""
    x0 = K[0] * p[0] + K[1] * p[1] + K[2] * p[2]
    x1 = K[1] * p[0] + K[3] * p[1] + K[4] * p[2]
    x2 = K[2] * p[0] + K[4] * p[1] + K[5] * p[2]
    return spatial_add_scaled(spatial_add_scaled(spatial_add_scaled(p, -x0, U0), -x1, U1), -x2, U2)


def point_on_link(scratch: Array, place: int, sign: Number, spec: Spec) -> Any:
    """The point of a slot on a link; the origin in lanes that do not use the slot, where anything may lie."""
    x, zero = load3(scratch, place, spec), number(0.0, sign)
    used = absolute(sign) > zero
    return (where(used, x[0], zero), where(used, x[1], zero), where(used, x[2], zero))


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


def slot_motion(scratch: Array, slot: int, point: Any, R: Any, V_L: Any, spec: Spec) -> Any:
    """Velocity of a point of a link (of a slot of turns: rate of turning), world axes."""
    turn = load(scratch, slot + SLOT_KIND * width(spec), spec) > number(0.5, V_L[0])
    w = (V_L[0], V_L[1], V_L[2])
    v = add_cross((V_L[3], V_L[4], V_L[5]), w, point)
    return rotate(R, (where(turn, w[0], v[0]), where(turn, w[1], v[1]), where(turn, w[2], v[2])))


def clear_rows(scratch: Array, slot: int, stride: int, zero: Number, spec: Spec) -> None:
    """Zeros in the three rows of a slot."""
    W = width(spec)
    rows = slot + SLOT_ROWS * W
    for m in range(row_length(scratch, slot, spec)):
        store(scratch, rows + m * W, zero, spec)
        store(scratch, rows + stride + m * W, zero, spec)
        store(scratch, rows + 2 * stride + m * W, zero, spec)


def row_length(scratch: Array, slot: int, spec: Spec) -> int:
    """Entries of each row of a slot."""
    W = width(spec)
    own = int(lane(load(scratch, slot + (SLOT_SEGMENTS + 1) * W, spec), 0))
    return own + int(lane(load(scratch, slot + (SLOT_SEGMENTS + 3) * W, spec), 0))


def choose6(mask: Mask, a: Any, b: Any) -> Any:
    """`a` where the mask holds, else `b`."""
    return (where(mask, a[0], b[0]), where(mask, a[1], b[1]), where(mask, a[2], b[2]),
            where(mask, a[3], b[3]), where(mask, a[4], b[4]), where(mask, a[5], b[5]))  # fmt: skip


def store_where(scratch: Array, place: int, mask: Mask, x: Any, spec: Spec) -> None:
    """Six numbers where the mask holds."""
    store6(scratch, place, choose6(mask, x, load6(scratch, place, spec)), spec)
