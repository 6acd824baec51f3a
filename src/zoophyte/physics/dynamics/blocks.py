"""Blocks of articulated inertias.

IA = [[I, H], [Hᵀ, M]] of a link that carries nothing is its rigid body's, which is read from the constants; likewise the
parent's before its first child has added to it.  So nothing is written that is known already.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import cross_matrix
from zoophyte.model.layout import ROLE_FIRST, ROLE_LEAF
from zoophyte.numbers import Array, Spec, number, width
from zoophyte.numbers.memory import load3, load9
from zoophyte.physics.dynamics.links import Link, Parent


def own_mass(L: Link) -> Any:
    """Block M of IA: a leaf's is that of its rigid body."""
    if L.role & ROLE_LEAF:
        return rigid_mass(L.m)
    return L.M


def own_coupling(L: Link) -> Any:
    """Block H of IA."""
    if L.role & ROLE_LEAF:
        return cross_matrix(L.h)
    return L.H


def own_inertia(L: Link) -> Any:
    """Block I of IA."""
    if L.role & ROLE_LEAF:
        return L.inertia
    return L.I


def base_mass(L: Link, P: Parent) -> Any:
    """Block M of the parent before this link adds to it: its rigid body's if this link is the first."""
    if L.role & ROLE_FIRST:
        return rigid_mass(P.m)
    return P.M


def base_coupling(L: Link, P: Parent) -> Any:
    """Block H of the parent before this link adds to it."""
    if L.role & ROLE_FIRST:
        return cross_matrix(P.h)
    return P.H


def base_inertia(L: Link, P: Parent) -> Any:
    """Block I of the parent before this link adds to it."""
    if L.role & ROLE_FIRST:
        return P.inertia
    return P.I


def rigid_mass(m: Any) -> Any:
    """Block M of a rigid body's inertia: m·1."""
    z = number(0.0, m)
    return (m, z, z, m, z, m)


def load21_flat(array: Array, offset: int, spec: Spec) -> Any:
    """The 21 numbers of a Cholesky factor."""
    W = width(spec)
    a, b = load9(array, offset, spec), load9(array, offset + 9 * W, spec)
    c = load3(array, offset + 18 * W, spec)
    return (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8],
            b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], c[0], c[1], c[2])  # fmt: skip
