"""Joint-space inertia by the composite-rigid-body algorithm: M(q), dense, one creature at a time.

Featherstone (2008), table 6.2.  O(n·depth).  Also the oracle of the articulated-body algorithm in the tests.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import rigid_momentum, rigid_to_parent
from zoophyte.algebra.spatial import force_to_parent
from zoophyte.model.layout import (
    ARMATURE,
    BALL,
    DOF_SIZE,
    FREE,
    HINGE,
    IA,
    INERTIA,
    LINK_COUNT,
    MASS,
    MOMENT,
    NV,
    ROW_DATA,
    ROW_KIND,
    ROW_PARENT,
    ROW_SCRATCH,
    ROW_V,
    SLIDE,
    E,
    R,
)
from zoophyte.numbers import Array, Spec, load, number, store, width
from zoophyte.numbers.memory import load3, load6, load9, store3, store6
from zoophyte.physics.dynamics.kinematics import first_dof, parent_index, row, velocities


def mass_matrix(ints: Array, data: Array, scratch: Array, matrix: Array, spec: Spec) -> None:
    """Fill `matrix` (nv·nv numbers, row order), which must be zero before.

    Only for blocks of one topology: the path to the root is walked through the first lane's parents.
    """
    velocities(ints, data, scratch, spec)
    composite_inertias(ints, data, scratch, spec)
    W, count, nv = width(spec), ints[LINK_COUNT], ints[NV]
    for link in range(1, count):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        m, h = load(scratch, s + IA * W, spec), load3(scratch, s + (IA + 1) * W, spec)
        I = load6(scratch, s + (IA + 4) * W, spec)
        for k in range(dof_count(kind)):
            column = ints[i + ROW_V] + k
            F = rigid_momentum(m, h, I, unit_motion(kind, k, m))
            dof = d + (first_dof(kind) + k * DOF_SIZE) * W
            rotor = load(data, dof + ARMATURE * W, spec)
            for n in range(dof_count(kind)):
                entry = pick(kind, n, F)
                if n == k:
                    entry = entry + rotor
                store(matrix, ((ints[i + ROW_V] + n) * nv + column) * W, entry, spec)
            ancestor = link
            while ancestor != 0:
                j = row(ints, ancestor)
                s_a = ints[j + ROW_SCRATCH]
                F = force_to_parent(load9(scratch, s_a + E * W, spec), load3(scratch, s_a + R * W, spec), F)
                ancestor = ints[j + ROW_PARENT]
                if ancestor != 0:
                    j = row(ints, ancestor)
                    for n in range(dof_count(ints[j + ROW_KIND])):
                        x, at = pick(ints[j + ROW_KIND], n, F), ints[j + ROW_V] + n
                        store(matrix, (at * nv + column) * W, x, spec)
                        store(matrix, (column * nv + at) * W, x, spec)


def composite_inertias(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Mass, first moment and inertia of each link with all it carries, in the IA part of the record (10 numbers)."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        d, s = ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        store(scratch, s + IA * W, load(data, d + MASS * W, spec), spec)
        store3(scratch, s + (IA + 1) * W, load3(data, d + MOMENT * W, spec), spec)
        store6(scratch, s + (IA + 4) * W, load6(data, d + INERTIA * W, spec), spec)
    for link in range(ints[LINK_COUNT] - 1, 0, -1):
        s, s_P = ints[row(ints, link) + ROW_SCRATCH], ints[parent_index(ints, link, spec)]
        m, h = load(scratch, s + IA * W, spec), load3(scratch, s + (IA + 1) * W, spec)
        I = load6(scratch, s + (IA + 4) * W, spec)
        r = load3(scratch, s + R * W, spec)
        h_P, I_P = rigid_to_parent(load9(scratch, s + E * W, spec), r, m, h, I)
        if s_P != 0:
            store(scratch, s_P + IA * W, load(scratch, s_P + IA * W, spec) + m, spec)
            h, I = load3(scratch, s_P + (IA + 1) * W, spec), load6(scratch, s_P + (IA + 4) * W, spec)
            store3(scratch, s_P + (IA + 1) * W, (h[0] + h_P[0], h[1] + h_P[1], h[2] + h_P[2]), spec)
            store6(scratch, s_P + (IA + 4) * W, (I[0] + I_P[0], I[1] + I_P[1], I[2] + I_P[2],
                                                 I[3] + I_P[3], I[4] + I_P[4], I[5] + I_P[5]), spec)  # fmt: skip


def dof_count(kind: int) -> int:
    """Degrees of freedom of a kind of link."""
    if kind == FREE:
        return 6
    return 3 if kind == BALL else 1


def unit_motion(kind: int, k: int, like: Any) -> Any:
    """Column k of the motion subspace S."""
    axis = axis_of(kind, k)
    z, one = number(0.0, like), number(1.0, like)
    return (one if axis == 0 else z, one if axis == 1 else z, one if axis == 2 else z,
            one if axis == 3 else z, one if axis == 4 else z, one if axis == 5 else z)  # fmt: skip


def axis_of(kind: int, k: int) -> int:
    """Which of the six components the k-th dof moves."""
    if kind == HINGE:
        return 2
    return 5 if kind == SLIDE else k


def pick(kind: int, k: int, F: Any) -> Any:
    """Sᵀ·F for column k of S."""
    return F[axis_of(kind, k)]
