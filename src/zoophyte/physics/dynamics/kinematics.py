"""Outward pass: link transforms and velocities; world poses.

Symbols (Featherstone 2008, chapters 4 and 7): E, r the transform X_LP from the parent to the link; V the link's velocity,
c the velocity-product acceleration, all in link axes at the link's origin.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import compose, rotate, transpose, turn_about_z, unrotate
from zoophyte.algebra.spatial import motion_to_child, spatial, spatial_add, spatial_zero
from zoophyte.algebra.vectors import add, choose3, cross, scale
from zoophyte.model.layout import BALL, FREE, HINGE, LINK_COUNT, SLIDE, TREE_R, R
from zoophyte.numbers import Array, Spec, number, width
from zoophyte.numbers.functions import sincos
from zoophyte.numbers.memory import load3
from zoophyte.physics.dynamics.links import (
    Link,
    ground,
    header,
    link_of,
    parent_of,
)
from zoophyte.physics.dynamics.links import first_dof as first_dof
from zoophyte.physics.dynamics.links import parent_index as parent_index
from zoophyte.physics.dynamics.links import row as row


def link_transform(L: Link) -> Any:
    """(E, r) of X_LP = X_J X_T from the coordinates of a link."""
    tree, r = L.tree_E, L.tree_r
    if L.kind == HINGE:
        sine, cosine = sincos(L.axis.q)
        return turn_about_z(tree, sine, cosine), r
    if L.kind == SLIDE:
        return tree, add(r, scale(L.axis.q, (tree[6], tree[7], tree[8])))
    turned = compose(transpose(quaternion_matrix(L.ball.q)), tree)
    if L.kind == FREE:
        return turned, add(r, unrotate(tree, L.free.p))
    return turned, r


def joint_velocity(L: Link) -> Any:
    """S·v: velocity relative to the parent."""
    if L.kind == FREE:
        return L.free.v
    if L.kind == BALL:
        return ball_motion(L.ball.v)
    return axis_motion(L.kind, L.axis.v)


def joint_acceleration(L: Link) -> Any:
    """S·a."""
    if L.kind == FREE:
        return L.free.a
    if L.kind == BALL:
        return ball_motion(L.ball.a)
    return axis_motion(L.kind, L.axis.a)


def axis_motion(kind: int, x: Any) -> Any:
    """S·x of a hinge (S = z turning) or a slide (S = z moving)."""
    z = number(0.0, x)
    if kind == HINGE:
        return (z, z, x, z, z, z)
    return (z, z, z, z, z, x)


def add_axis(kind: int, a: Any, x: Any) -> Any:
    """a + S·x of a hinge or slide."""
    if kind == HINGE:
        return (a[0], a[1], a[2] + x, a[3], a[4], a[5])
    return (a[0], a[1], a[2], a[3], a[4], a[5] + x)


def ball_motion(x: Any) -> Any:
    """S·x of a ball joint: S is all turning."""
    z = number(0.0, x[0])
    return (x[0], x[1], x[2], z, z, z)


def velocity_product(L: Link, V: Any) -> Any:
    """c = V × (S·v): what the link accelerates by when no joint does."""
    z = number(0.0, V[0])
    if L.kind == FREE:  # V × V, for the parent is the ground
        return (z, z, z, z, z, z)
    if L.kind == BALL:
        w = L.ball.v
        return spatial(cross((V[0], V[1], V[2]), w), cross((V[3], V[4], V[5]), w))
    v = L.axis.v
    if L.kind == HINGE:
        return (V[1] * v, -(V[0] * v), z, V[4] * v, -(V[3] * v), z)
    return (z, z, z, V[1] * v, -(V[0] * v), z)


def link_offset(kind: int, data: Array, d: int, scratch: Array, s: int, spec: Spec) -> Any:
    """r: a constant, except where the joint moves it."""
    if kind == SLIDE or kind == FREE:
        return load3(scratch, s + R * width(spec), spec)
    return load3(data, d + TREE_R * width(spec), spec)


def offset_of(L: Link) -> Any:
    """r of X_LP: a constant, except where the joint moves it."""
    if L.kind == SLIDE or L.kind == FREE:
        return L.r_moved
    return L.tree_r


def to_child(L: Link, motion: Any) -> Any:
    """X_LP·motion, for a motion of the parent."""
    return motion_to_child(L.E, offset_of(L), motion)


def velocities(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """E, r and V of every link, from the ground outwards (first pass of Featherstone's tables 5.1 and 7.1)."""
    ground(data, scratch, spec).V = spatial_zero(header(data, spec).dt)
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        link_velocity(ints, data, scratch, link, spec)
        if L.kind == HINGE or L.kind == BALL:
            L.r_moved = L.tree_r


def velocities_in_place(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """V of every link anew, from changed velocities of the joints in the same configuration."""
    for link in range(1, ints[LINK_COUNT]):
        L, P = link_of(ints, data, scratch, link, spec), parent_of(ints, data, scratch, link, spec)
        L.V = spatial_add(to_child(L, P.V), joint_velocity(L))


def link_velocity(ints: Array, data: Array, scratch: Array, link: int, spec: Spec) -> Any:
    """Store E and V of one link whose parent is done, and r where the joint moves it; return V."""
    L, P = link_of(ints, data, scratch, link, spec), parent_of(ints, data, scratch, link, spec)
    E, r = link_transform(L)
    V_J = joint_velocity(L)
    V = spatial_add(motion_to_child(E, r, P.V), V_J)  # V = X_LP V_P + S v
    L.E = E
    if L.kind == SLIDE or L.kind == FREE:
        L.r_moved = r
    L.V = V
    return V


def world_poses(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """R_WL and p_WL of every link, and where it is seen from its root, as screws need it; E of every link must be known."""
    G, dt = ground(data, scratch, spec), header(data, spec).dt
    z, one = number(0.0, dt), number(1.0, dt)
    nowhere = (z, z, z)
    G.R_WL, G.p_WL, G.away = (one, z, z, z, one, z, z, z, one), nowhere, nowhere
    for link in range(1, ints[LINK_COUNT]):
        L, P = link_of(ints, data, scratch, link, spec), parent_of(ints, data, scratch, link, spec)
        r, R_WP, p_WP = offset_of(L), P.R_WL, P.p_WL
        way = rotate(R_WP, r)
        L.R_WL = compose(R_WP, transpose(L.E))
        L.p_WL = add(p_WP, way)
        if L.kind == FREE:
            L.away = nowhere
        else:  # where it hangs on another link, rather than on the ground
            L.away = choose3(P.own > z, add(P.away, way), nowhere)


def poses(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Velocities and world poses of every link."""
    velocities(ints, data, scratch, spec)
    world_poses(ints, data, scratch, spec)


def poses_ahead(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """World poses of every link where its coordinates are now; E, r and V stay those of the place before.

    Rows and factors of a step belong to the place from which it began; velocities are carried along with that E.
    """
    for link in range(1, ints[LINK_COUNT]):
        L, P = link_of(ints, data, scratch, link, spec), parent_of(ints, data, scratch, link, spec)
        E, r = link_transform(L)
        R_WP, p_WP = P.R_WL, P.p_WL
        L.R_WL, L.p_WL = compose(R_WP, transpose(E)), add(p_WP, rotate(R_WP, r))
