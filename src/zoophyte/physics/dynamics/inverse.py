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
from zoophyte.model.layout import FLAG_FORCES, FREE, HINGE, LINK_COUNT, SLIDE, V_COUNT
from zoophyte.numbers import Array, Spec
from zoophyte.physics.dynamics.forward import set_ground_falling
from zoophyte.physics.dynamics.kinematics import joint_acceleration, velocities, velocity_product
from zoophyte.physics.dynamics.links import Dof, Link, dof_of, ground, header, link_of, parent_of


def inverse_dynamics(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """TAU of every coordinate from the coordinates, v and ACCELERATION."""
    velocities(ints, data, scratch, spec)
    link_forces(ints, data, scratch, spec)
    joint_forces(ints, data, scratch, spec)


def link_forces(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """A of every link, and P = I·A + V ×* I·V − F, the force its joint must pass on."""
    set_ground_falling(data, scratch, spec)
    ground(data, scratch, spec).pA = spatial_zero(header(data, spec).dt)
    for link in range(1, ints[LINK_COUNT]):
        L, P = link_of(ints, data, scratch, link, spec), parent_of(ints, data, scratch, link, spec)
        m, h, I, V = L.m, L.h, L.inertia, L.V
        A = spatial_add(motion_to_child(L.E, L.r_moved, P.A), velocity_product(L, V))
        A = spatial_add(A, joint_acceleration(L))  # a = X_LP a_P + c + S q̈
        F = spatial_add(rigid_momentum(m, h, I, A), cross_force(V, rigid_momentum(m, h, I, V)))
        if L.flags & FLAG_FORCES:
            F = spatial_subtract(F, L.F)
        L.A, L.pA = A, F


def joint_forces(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """TAU = Sᵀ·P + armature·a, and the rest of P handed to the parent, from the tips inwards."""
    for link in range(ints[LINK_COUNT] - 1, 0, -1):
        L, P = link_of(ints, data, scratch, link, spec), parent_of(ints, data, scratch, link, spec)
        F = L.pA
        store_joint_force(L, F)
        if L.kind != FREE:
            P.pA = spatial_add(P.pA, force_to_parent(L.E, L.r_moved, F))


def store_joint_force(L: Link, F: Any) -> None:
    """τ = Sᵀ·F, plus what the armature takes."""
    if L.kind == HINGE:
        store_one(dof_of(L, 0), F[2])
    elif L.kind == SLIDE:
        store_one(dof_of(L, 0), F[5])
    else:
        for n in range(V_COUNT[L.kind]):
            store_one(dof_of(L, n), F[n])


def store_one(D: Dof, force: Any) -> None:
    """TAU of one coordinate."""
    D.tau = force + D.armature * D.a
