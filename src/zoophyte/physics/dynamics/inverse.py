"""Inverse dynamics by recursive Newton–Euler: the joint forces that give chosen accelerations. O(n).

Featherstone (2008), table 5.1.  Reads ACCELERATION of every coordinate, writes TAU.  Armature is added at the joint.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import rigid_momentum
from zoophyte.algebra.spatial import (
    cross_force,
    force_to_parent,
    motion_to_child,
    spatial_add,
    spatial_subtract,
    spatial_zero,
)
from zoophyte.model.layout import (
    ACCELERATION,
    ARMATURE,
    DOF_SIZE,
    FLAG_FORCES,
    FLAGS,
    FORCE,
    FREE,
    GRAVITY,
    HINGE,
    INERTIA,
    LINK_COUNT,
    MASS,
    MOMENT,
    ROW_DATA,
    ROW_KIND,
    ROW_SCRATCH,
    SLIDE,
    TAU,
    A,
    E,
    P,
    R,
    V,
)
from zoophyte.numbers import Array, Spec, load, number, store, width
from zoophyte.numbers.memory import load3, load6, load6_at, load9, store6, store6_at
from zoophyte.physics.dynamics.kinematics import (
    first_dof,
    joint_motion,
    parent_index,
    row,
    velocities,
    velocity_product,
)


def inverse_dynamics(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """TAU of every coordinate from the coordinates, v and ACCELERATION."""
    velocities(ints, data, scratch, spec)
    link_forces(ints, data, scratch, spec)
    joint_forces(ints, data, scratch, spec)


def link_forces(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """A of every link, and P = I·A + V ×* I·V − F, the force its joint must pass on."""
    W = width(spec)
    g = load3(data, GRAVITY * W, spec)
    z = number(0.0, g[0])
    store6(scratch, A * W, (z, z, z, -g[0], -g[1], -g[2]), spec)
    store6(scratch, P * W, spatial_zero(z), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        E_LP, r = load9(scratch, s + E * W, spec), load3(scratch, s + R * W, spec)
        A_P = load6_at(scratch, ints, parent_index(ints, link, spec), A * W, spec)
        V_L = load6(scratch, s + V * W, spec)
        A_L = spatial_add(motion_to_child(E_LP, r, A_P), velocity_product(kind, V_L, data, d, spec))
        A_L = spatial_add(A_L, joint_motion(kind, data, d, ACCELERATION, spec))
        m, h = load(data, d + MASS * W, spec), load3(data, d + MOMENT * W, spec)
        I = load6(data, d + INERTIA * W, spec)
        F = spatial_add(rigid_momentum(m, h, I, A_L), cross_force(V_L, rigid_momentum(m, h, I, V_L)))
        if ints[FLAGS] & FLAG_FORCES:
            F = spatial_subtract(F, load6(data, d + FORCE * W, spec))
        store6(scratch, s + A * W, A_L, spec)
        store6(scratch, s + P * W, F, spec)


def joint_forces(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """TAU = Sᵀ·P + armature·a, and the rest of P handed to the parent, from the tips inwards."""
    W = width(spec)
    for link in range(ints[LINK_COUNT] - 1, 0, -1):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        F = load6(scratch, s + P * W, spec)
        store_joint_force(data, d, kind, F, spec)
        if kind != FREE:
            E_LP, r = load9(scratch, s + E * W, spec), load3(scratch, s + R * W, spec)
            parent = parent_index(ints, link, spec)
            F_P = load6_at(scratch, ints, parent, P * W, spec)
            store6_at(scratch, ints, parent, P * W, spatial_add(F_P, force_to_parent(E_LP, r, F)), spec)


def store_joint_force(data: Array, d: int, kind: int, F: Any, spec: Spec) -> None:
    """TAU = Sᵀ·F, plus what the armature takes."""
    W = width(spec)
    dof = d + first_dof(kind) * W
    if kind == HINGE:
        store_one(data, dof, F[2], spec)
    elif kind == SLIDE:
        store_one(data, dof, F[5], spec)
    else:
        store_one(data, dof, F[0], spec)
        store_one(data, dof + DOF_SIZE * W, F[1], spec)
        store_one(data, dof + 2 * DOF_SIZE * W, F[2], spec)
        if kind == FREE:
            store_one(data, dof + 3 * DOF_SIZE * W, F[3], spec)
            store_one(data, dof + 4 * DOF_SIZE * W, F[4], spec)
            store_one(data, dof + 5 * DOF_SIZE * W, F[5], spec)


def store_one(data: Array, dof: int, force: Any, spec: Spec) -> None:
    """TAU of one coordinate."""
    W = width(spec)
    armature = load(data, dof + ARMATURE * W, spec)
    store(data, dof + TAU * W, force + armature * load(data, dof + ACCELERATION * W, spec), spec)
