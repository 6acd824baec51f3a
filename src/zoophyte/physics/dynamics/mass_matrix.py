"""Joint-space inertia by the composite-rigid-body algorithm: M(q), dense, one creature at a time.

Featherstone (2008), table 6.2.  O(n·depth).  Also the oracle of the articulated-body algorithm in the tests.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import rigid_momentum, rigid_to_parent
from zoophyte.algebra.spatial import force_to_parent, spatial_add
from zoophyte.algebra.vectors import add
from zoophyte.model.layout import HINGE, IA, LINK_COUNT, NV, ROW_PARENT, ROW_V, SLIDE, V_COUNT
from zoophyte.numbers import Array, Spec, number, store, width
from zoophyte.numbers.records import Field, Record
from zoophyte.physics.dynamics.kinematics import velocities
from zoophyte.physics.dynamics.links import dof_of, link_of, parent_index, row


class Composite(Record):
    """Mass, first moment and inertia of a link with all it carries, where the articulated inertia would be."""

    m = Field("scratch", IA)
    h = Field("scratch", IA + 1, 3)
    I = Field("scratch", IA + 4, 6)


def mass_matrix(ints: Array, data: Array, scratch: Array, matrix: Array, spec: Spec) -> None:
    """Fill `matrix` (nv·nv numbers, row order), which must be zero before.

    Only for blocks of one topology: the path to the root is walked through the first lane's parents.
    """
    velocities(ints, data, scratch, spec)
    composite_inertias(ints, data, scratch, spec)
    W, nv = width(spec), ints[NV]
    for link in range(1, ints[LINK_COUNT]):
        L, first = link_of(ints, data, scratch, link, spec), ints[row(ints, link) + ROW_V]
        C = Composite(scratch, L.scratch_start, spec)
        for k in range(V_COUNT[L.kind]):
            column = first + k
            F = rigid_momentum(C.m, C.h, C.I, unit_motion(L.kind, k, C.m))  # F = Ic S
            for n in range(V_COUNT[L.kind]):
                entry = pick(L.kind, n, F)  # H = Sᵀ F
                if n == k:
                    entry = entry + dof_of(L, k).armature
                store(matrix, ((first + n) * nv + column) * W, entry, spec)
            ancestor = link
            while ancestor != 0:
                U = link_of(ints, data, scratch, ancestor, spec)
                F = force_to_parent(U.E, U.r_moved, F)
                ancestor = ints[row(ints, ancestor) + ROW_PARENT]
                if ancestor != 0:
                    kind, at = (
                        link_of(ints, data, scratch, ancestor, spec).kind,
                        ints[row(ints, ancestor) + ROW_V],
                    )
                    for n in range(V_COUNT[kind]):
                        x = pick(kind, n, F)
                        store(matrix, ((at + n) * nv + column) * W, x, spec)
                        store(matrix, (column * nv + at + n) * W, x, spec)


def composite_inertias(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """The composite of every link."""
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        C = Composite(scratch, L.scratch_start, spec)
        C.m, C.h, C.I = L.m, L.h, L.inertia
    for link in range(ints[LINK_COUNT] - 1, 0, -1):
        L, place = link_of(ints, data, scratch, link, spec), ints[parent_index(ints, link, spec)]
        C, P = Composite(scratch, L.scratch_start, spec), Composite(scratch, place, spec)
        h, I = rigid_to_parent(L.E, L.r_moved, C.m, C.h, C.I)
        if place != 0:
            P.m, P.h, P.I = P.m + C.m, add(P.h, h), spatial_add(P.I, I)


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
