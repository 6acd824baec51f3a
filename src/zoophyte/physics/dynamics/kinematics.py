"""Outward pass: link transforms and velocities; world poses.

Symbols (Featherstone 2008, chapters 4 and 7): E, r the transform X_LP from the parent to the link; V the link's velocity,
c the velocity-product acceleration, all in link axes at the link's origin.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import compose, rotate, transpose, turn_about_z, unrotate
from zoophyte.algebra.spatial import motion_to_child, spatial_add, spatial_zero
from zoophyte.algebra.vectors import add, choose3, cross, scale
from zoophyte.model.layout import (
    AWAY,
    BALL,
    CONFIGURATION,
    DOF_SIZE,
    FREE,
    HEADER_INTS,
    HINGE,
    LINK_COUNT,
    OWN,
    ROW_DATA,
    ROW_KIND,
    ROW_SCRATCH,
    ROW_SIZE,
    SLIDE,
    TREE_E,
    TREE_R,
    VELOCITY,
    WORLD_P,
    WORLD_R,
    E,
    R,
    V,
)
from zoophyte.numbers import Array, Spec, load, load_at, number, width
from zoophyte.numbers.functions import sincos
from zoophyte.numbers.memory import (
    load3,
    load3_at,
    load4,
    load6_at,
    load9,
    load9_at,
    store3,
    store6,
    store9,
)


def row(ints: Array, link: int) -> int:
    """Where the row of `link` starts in `ints`."""
    return HEADER_INTS + link * ROW_SIZE


def parent_index(ints: Array, link: int, spec: Spec) -> int:
    """Where the parents of `link`, one scratch offset per lane, start in `ints`."""
    return HEADER_INTS + ints[LINK_COUNT] * ROW_SIZE + link * width(spec)


def first_dof(kind: int) -> int:
    """Field of the first dof block in a link's data record."""
    if kind == BALL:
        return CONFIGURATION + 4
    if kind == FREE:
        return CONFIGURATION + 7
    return CONFIGURATION + 1


def link_transform(kind: int, data: Array, d: int, spec: Spec) -> Any:
    """(E, r) of X_LP from the coordinates of the link whose data record starts at `d`."""
    W = width(spec)
    tree = load9(data, d + TREE_E * W, spec)
    r = load3(data, d + TREE_R * W, spec)
    if kind == HINGE:
        sine, cosine = sincos(load(data, d + CONFIGURATION * W, spec))
        return turn_about_z(tree, sine, cosine), r
    if kind == SLIDE:
        q = load(data, d + CONFIGURATION * W, spec)
        return tree, add(r, scale(q, (tree[6], tree[7], tree[8])))
    turned = compose(transpose(quaternion_matrix(load4(data, d + CONFIGURATION * W, spec))), tree)
    if kind == FREE:
        return turned, add(r, unrotate(tree, load3(data, d + (CONFIGURATION + 4) * W, spec)))
    return turned, r


def joint_motion(kind: int, data: Array, d: int, field: int, spec: Spec) -> Any:
    """S·x for a field x of the dofs (VELOCITY or ACCELERATION): motion relative to the parent, in link axes."""
    W = width(spec)
    v = d + (first_dof(kind) + field) * W
    v0 = load(data, v, spec)
    z = number(0.0, v0)
    if kind == HINGE:
        return (z, z, v0, z, z, z)
    if kind == SLIDE:
        return (z, z, z, z, z, v0)
    v1, v2 = load(data, v + DOF_SIZE * W, spec), load(data, v + 2 * DOF_SIZE * W, spec)
    if kind == BALL:
        return (v0, v1, v2, z, z, z)
    return (v0, v1, v2, load(data, v + 3 * DOF_SIZE * W, spec), load(data, v + 4 * DOF_SIZE * W, spec),
            load(data, v + 5 * DOF_SIZE * W, spec))  # fmt: skip


def velocity_product(kind: int, V_L: Any, data: Array, d: int, spec: Spec) -> Any:
    """c = V × (S·v): what the link accelerates by when no joint does."""
    W = width(spec)
    v = d + (first_dof(kind) + VELOCITY) * W
    v0 = load(data, v, spec)
    z = number(0.0, v0)
    if kind == HINGE:
        return (V_L[1] * v0, -(V_L[0] * v0), z, V_L[4] * v0, -(V_L[3] * v0), z)
    if kind == SLIDE:
        return (z, z, z, V_L[1] * v0, -(V_L[0] * v0), z)
    if kind == BALL:
        w = (v0, load(data, v + DOF_SIZE * W, spec), load(data, v + 2 * DOF_SIZE * W, spec))
        a, b = cross((V_L[0], V_L[1], V_L[2]), w), cross((V_L[3], V_L[4], V_L[5]), w)
        return (a[0], a[1], a[2], b[0], b[1], b[2])
    return (z, z, z, z, z, z)  # V × V of a free link, whose parent is the ground


def velocities(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """E, r and V of every link, from the ground outwards (first pass of Featherstone's tables 5.1 and 7.1)."""
    W = width(spec)
    store6(scratch, V * W, spatial_zero(load(data, 0, spec)), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        link_velocity(ints, data, scratch, link, kind, d, s, spec)
        if kind == HINGE or kind == BALL:
            store3(scratch, s + R * W, load3(data, d + TREE_R * W, spec), spec)


def link_offset(kind: int, data: Array, d: int, scratch: Array, s: int, spec: Spec) -> Any:
    """r: a constant, except where the joint moves it."""
    if kind == SLIDE or kind == FREE:
        return load3(scratch, s + R * width(spec), spec)
    return load3(data, d + TREE_R * width(spec), spec)


def velocities_in_place(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """V of every link anew, from changed velocities of the joints in the same configuration."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        E_LP, r = load9(scratch, s + E * W, spec), link_offset(kind, data, d, scratch, s, spec)
        V_P = load6_at(scratch, ints, parent_index(ints, link, spec), V * W, spec)
        V_L = spatial_add(motion_to_child(E_LP, r, V_P), joint_motion(kind, data, d, VELOCITY, spec))
        store6(scratch, s + V * W, V_L, spec)


def link_velocity(
    ints: Array, data: Array, scratch: Array, link: int, kind: int, d: int, s: int, spec: Spec
) -> Any:
    """Store E and V of one link whose parent is done, and r where the joint moves it; return V."""
    W = width(spec)
    E_LP, r = link_transform(kind, data, d, spec)
    V_J = joint_motion(kind, data, d, VELOCITY, spec)
    V_P = load6_at(scratch, ints, parent_index(ints, link, spec), V * W, spec)
    V_L = spatial_add(motion_to_child(E_LP, r, V_P), V_J)
    store9(scratch, s + E * W, E_LP, spec)
    if kind == SLIDE or kind == FREE:
        store3(scratch, s + R * W, r, spec)
    store6(scratch, s + V * W, V_L, spec)
    return V_L


def world_poses(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """R_WL and p_WL of every link, and where it is seen from its root, as screws need it; E of every link must be known."""
    W = width(spec)
    z, one = number(0.0, load(scratch, V * W, spec)), number(1.0, load(scratch, V * W, spec))
    store9(scratch, WORLD_R * W, (one, z, z, z, one, z, z, z, one), spec)
    store3(scratch, WORLD_P * W, (z, z, z), spec)
    store3(scratch, AWAY * W, (z, z, z), spec)
    for link in range(1, ints[LINK_COUNT]):
        i, parent = row(ints, link), parent_index(ints, link, spec)
        kind, s = ints[i + ROW_KIND], ints[i + ROW_SCRATCH]
        r = link_offset(kind, data, ints[i + ROW_DATA], scratch, s, spec)
        R_WP = load9_at(scratch, ints, parent, WORLD_R * W, spec)
        p_WP = load3_at(scratch, ints, parent, WORLD_P * W, spec)
        way = rotate(R_WP, r)
        store9(scratch, s + WORLD_R * W, compose(R_WP, transpose(load9(scratch, s + E * W, spec))), spec)
        store3(scratch, s + WORLD_P * W, add(p_WP, way), spec)
        if kind == FREE:
            store3(scratch, s + AWAY * W, (z, z, z), spec)
        else:
            hangs = (
                load_at(scratch, ints, parent, OWN * W, spec) > z
            )  # on another link, rather than on the ground
            away = add(load3_at(scratch, ints, parent, AWAY * W, spec), way)
            store3(scratch, s + AWAY * W, choose3(hangs, away, (z, z, z)), spec)


def poses(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Velocities and world poses of every link."""
    velocities(ints, data, scratch, spec)
    world_poses(ints, data, scratch, spec)


def poses_ahead(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """World poses of every link where its coordinates are now; E, r and V stay those of the place before.

    Rows and factors of a step belong to the place from which it began; velocities are carried along with that E.
    """
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i, parent = row(ints, link), parent_index(ints, link, spec)
        s = ints[i + ROW_SCRATCH]
        E_LP, r = link_transform(ints[i + ROW_KIND], data, ints[i + ROW_DATA], spec)
        R_WP = load9_at(scratch, ints, parent, WORLD_R * W, spec)
        p_WP = load3_at(scratch, ints, parent, WORLD_P * W, spec)
        store9(scratch, s + WORLD_R * W, compose(R_WP, transpose(E_LP)), spec)
        store3(scratch, s + WORLD_P * W, add(p_WP, rotate(R_WP, r)), spec)
