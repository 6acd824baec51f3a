"""Reading and writing the records of links: blocks of articulated inertias, dof fields, offsets.

IA = [[I, H], [Hᵀ, M]] of a link that carries nothing is its rigid body's, which is read from the constants; likewise the
parent's before its first child has added to it.  So nothing is written that is known already.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import cross_matrix
from zoophyte.model.layout import (
    BALL,
    DOF_SIZE,
    FREE,
    HINGE,
    IA,
    INERTIA,
    MASS,
    MOMENT,
    ROLE_FIRST,
    ROLE_LEAF,
)
from zoophyte.numbers import Array, Spec, load, number, store, width
from zoophyte.numbers.memory import load3, load6, load6_at, load9, load9_at
from zoophyte.physics.dynamics.kinematics import first_dof


def own_mass(role: int, data: Array, d: int, scratch: Array, s: int, spec: Spec) -> Any:
    """Block M of IA: a leaf's is that of its rigid body."""
    W = width(spec)
    if role & ROLE_LEAF:
        m = load(data, d + MASS * W, spec)
        z = number(0.0, m)
        return (m, z, z, m, z, m)
    return load6(scratch, s + (IA + 15) * W, spec)


def own_coupling(role: int, data: Array, d: int, scratch: Array, s: int, spec: Spec) -> Any:
    """Block H of IA."""
    W = width(spec)
    if role & ROLE_LEAF:
        return cross_matrix(load3(data, d + MOMENT * W, spec))
    return load9(scratch, s + (IA + 6) * W, spec)


def own_inertia(role: int, data: Array, d: int, scratch: Array, s: int, spec: Spec) -> Any:
    """Block I of IA."""
    if role & ROLE_LEAF:
        return load6(data, d + INERTIA * width(spec), spec)
    return load6(scratch, s + IA * width(spec), spec)


def axis_column(role: int, kind: int, data: Array, d: int, scratch: Array, s: int, spec: Spec) -> Any:
    """U = IA·S and Sᵀ·U of a hinge or slide."""
    H = own_coupling(role, data, d, scratch, s, spec)
    if kind == HINGE:
        I = own_inertia(role, data, d, scratch, s, spec)
        return (I[2], I[4], I[5], H[6], H[7], H[8]), I[5]
    M = own_mass(role, data, d, scratch, s, spec)
    return (H[2], H[5], H[8], M[2], M[4], M[5]), M[5]


def base_mass(role: int, data: Array, d_P: int, scratch: Array, ints: Array, parent: int, spec: Spec) -> Any:
    """Block M of the parent before this link adds to it: its rigid body's if this link is the first."""
    W = width(spec)
    if role & ROLE_FIRST:
        m = load(data, d_P + MASS * W, spec)
        z = number(0.0, m)
        return (m, z, z, m, z, m)
    return load6_at(scratch, ints, parent, (IA + 15) * W, spec)


def base_coupling(
    role: int, data: Array, d_P: int, scratch: Array, ints: Array, parent: int, spec: Spec
) -> Any:
    """Block H of the parent before this link adds to it."""
    W = width(spec)
    if role & ROLE_FIRST:
        return cross_matrix(load3(data, d_P + MOMENT * W, spec))
    return load9_at(scratch, ints, parent, (IA + 6) * W, spec)


def base_inertia(
    role: int, data: Array, d_P: int, scratch: Array, ints: Array, parent: int, spec: Spec
) -> Any:
    """Block I of the parent before this link adds to it."""
    if role & ROLE_FIRST:
        return load6(data, d_P + INERTIA * width(spec), spec)
    return load6_at(scratch, ints, parent, IA * width(spec), spec)


def dof_fields3(data: Array, d: int, field: int, spec: Spec) -> Any:
    """One field of the three dofs of a ball link."""
    W = width(spec)
    dof = d + (first_dof(BALL) + field) * W
    step = DOF_SIZE * W
    return (load(data, dof, spec), load(data, dof + step, spec), load(data, dof + 2 * step, spec))


def dof_fields6(data: Array, d: int, field: int, spec: Spec) -> Any:
    """One field of the six dofs of a free link."""
    W = width(spec)
    dof = d + (first_dof(FREE) + field) * W
    step = DOF_SIZE * W
    return (load(data, dof, spec), load(data, dof + step, spec), load(data, dof + 2 * step, spec),
            load(data, dof + 3 * step, spec), load(data, dof + 4 * step, spec),
            load(data, dof + 5 * step, spec))  # fmt: skip


def store_dof_fields6(data: Array, d: int, field: int, x: Any, spec: Spec) -> None:
    """One field of the six dofs of a free link."""
    W = width(spec)
    dof, step = d + (first_dof(FREE) + field) * W, DOF_SIZE * W
    store(data, dof, x[0], spec)
    store(data, dof + step, x[1], spec)
    store(data, dof + 2 * step, x[2], spec)
    store(data, dof + 3 * step, x[3], spec)
    store(data, dof + 4 * step, x[4], spec)
    store(data, dof + 5 * step, x[5], spec)


def load21_flat(array: Array, offset: int, spec: Spec) -> Any:
    """The 21 numbers of a Cholesky factor."""
    W = width(spec)
    a, b = load9(array, offset, spec), load9(array, offset + 9 * W, spec)
    c = load3(array, offset + 18 * W, spec)
    return (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8],
            b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], c[0], c[1], c[2])  # fmt: skip
