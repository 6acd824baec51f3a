"""Spatial vectors, transforms, inertias and their factors. Oracle: dense 6×6 matrices in NumPy; tolerance: rounding."""

from __future__ import annotations

import math

import numpy as np

from unit.algebra.matrices import (
    ROUNDING,
    articulated,
    dense,
    mat,
    motion_matrix,
    positive,
    rotation,
    six,
    skew,
    sym,
    vector,
)
from zoophyte.algebra import cholesky as ch
from zoophyte.algebra import inertia as ia
from zoophyte.algebra import spatial as sp


def close(a: object, b: object, tolerance: float = 1e-12) -> bool:
    return bool(np.max(np.abs(np.asarray(a, float) - np.asarray(b, float))) < tolerance)


def rigid(rng: np.random.Generator) -> tuple[float, tuple[float, ...], tuple[float, ...], np.ndarray]:
    """(m, h, I) about the origin, and the 6×6 matrix [[I, h×], [−h×, m]]."""
    m, c, central = 2.5, np.array(vector(rng)), positive(rng)
    I = central + m * (c @ c * np.eye(3) - np.outer(c, c))
    h = m * c
    full = np.block([[I, skew(h)], [-skew(h), m * np.eye(3)]])
    return m, tuple(h.tolist()), six(I), full


def test_parts() -> None:
    V = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert sp.angular(V) == (1.0, 2.0, 3.0)
    assert sp.linear(V) == (4.0, 5.0, 6.0)
    assert sp.spatial((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)) == V
    assert sp.spatial_zero(1.0) == (0.0,) * 6


def test_sums(rng: np.random.Generator) -> None:
    A, B = vector(rng, 6), vector(rng, 6)
    assert close(sp.spatial_add(A, B), np.add(A, B))
    assert close(sp.spatial_subtract(A, B), np.subtract(A, B))
    assert close(sp.spatial_scale(-2.0, A), -2.0 * np.array(A))
    assert close(sp.spatial_add_scaled(A, 0.3, B), np.array(A) + 0.3 * np.array(B))
    assert close(sp.power(A, B), np.dot(A, B))


def test_transforms_are_a_group_action(rng: np.random.Generator) -> None:
    """Law: closure, identity, inverse; power V·F is the same in both frames (style §6.8); rounding."""
    for _ in range(20):
        E, r, V, F = rotation(rng), vector(rng), vector(rng, 6), vector(rng, 6)
        X = motion_matrix(E, r)
        assert close(sp.motion_to_child(E, r, V), X @ V)
        assert close(sp.motion_to_parent(E, r, sp.motion_to_child(E, r, V)), V)
        assert close(sp.force_to_parent(E, r, F), X.T @ F)
        assert close(sp.power(sp.motion_to_child(E, r, V), F), sp.power(V, sp.force_to_parent(E, r, F)))
        E2, r2 = rotation(rng), vector(rng)
        twice = sp.motion_to_child(E2, r2, sp.motion_to_child(E, r, V))
        once = motion_matrix(mat(E2) @ mat(E), np.array(r) + mat(E).T @ r2)
        assert close(twice, once @ V)
    assert sp.motion_to_child((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0), V) == V


def test_cross_products(rng: np.random.Generator) -> None:
    """Law: V × and V ×* are the rates of transforms: ×* = −×ᵀ, V × V = 0, Jacobi's identity. Oracle: 6×6; rounding."""
    V, M, F = vector(rng, 6), vector(rng, 6), vector(rng, 6)
    w, v = V[:3], V[3:]
    crossed = np.block([[skew(w), np.zeros((3, 3))], [skew(v), skew(w)]])
    assert close(sp.cross_motion(V, M), crossed @ M)
    assert close(sp.cross_force(V, F), -crossed.T @ F)
    assert close(sp.cross_motion(V, V), np.zeros(6))
    assert close(sp.power(sp.cross_motion(V, M), F), -sp.power(M, sp.cross_force(V, F)))
    a = sp.cross_motion(V, sp.cross_motion(M, F))
    b = sp.cross_motion(M, sp.cross_motion(F, V))
    c = sp.cross_motion(F, sp.cross_motion(V, M))
    assert close(np.add(np.add(a, b), c), np.zeros(6))


def test_rigid_inertias(rng: np.random.Generator) -> None:
    """Law: I·V, its 6×6 form, and its shift to the parent X ᵀ I X."""
    m, h, I, full = rigid(rng)
    V, E, r = vector(rng, 6), rotation(rng), vector(rng)
    assert close(ia.rigid_momentum(m, h, I, V), full @ V)
    assert close(dense(ia.rigid_as_articulated(m, h, I)), full)
    h_P, I_P = ia.rigid_to_parent(E, r, m, h, I)
    X = motion_matrix(E, r)
    assert close(dense(ia.rigid_as_articulated(m, h_P, I_P)), X.T @ full @ X)
    com = np.array(h) / m
    central = sym(I) - m * (com @ com * np.eye(3) - np.outer(com, com))
    assert close(sym(ia.central_inertia(m, tuple(com), I)), central)


def test_articulated_inertias(rng: np.random.Generator) -> None:
    """Law: products, and the shift to the parent X ᵀ A X, by blocks."""
    A, V = articulated(rng), vector(rng, 6)
    E, r, U = rotation(rng), vector(rng), vector(rng, 6)
    assert close(ia.articulated_apply(A, V), dense(A) @ V)
    scaled = tuple(0.25 * u for u in U)
    assert close(dense(ia.articulated_subtract_outer(A, U, scaled)), dense(A) - np.outer(U, scaled))
    X = motion_matrix(E, r)
    assert close(dense(ia.articulated_to_parent(E, r, A)), X.T @ dense(A) @ X)


def test_points_of_a_body(rng: np.random.Generator) -> None:
    """Law: rigid motion: v + ω × p, and its derivative; power of a force at a point is f·v."""
    V, A, p, f = vector(rng, 6), vector(rng, 6), vector(rng), vector(rng)
    w, v = np.array(V[:3]), np.array(V[3:])
    assert close(ia.velocity_at(V, p), v + np.cross(w, p))
    power = sp.power(V, (*np.cross(p, f), *f))
    assert math.isclose(power, float(np.dot(f, ia.velocity_at(V, p))), rel_tol=1e-12)
    classical = np.array(A[3:]) + np.cross(A[:3], p) + np.cross(w, v + np.cross(w, p))
    assert close(ia.acceleration_at(A, V, p), classical)


def test_cholesky_factors(rng: np.random.Generator) -> None:
    """Law: L Lᵀ = A, and the solves invert it. Oracle: LAPACK; condition (below 1e3) × rounding."""
    for _ in range(10):
        S = positive(rng)
        L = ch.cholesky3(six(S))
        full = np.linalg.cholesky(S)
        assert close([1.0 / L[0], L[1], 1.0 / L[2], L[3], L[4], 1.0 / L[5]], full[np.tril_indices(3)])
        A, c = articulated(rng), vector(rng, 6)
        L6 = ch.cholesky6(A)
        full6 = np.linalg.cholesky(dense(A))
        expected = full6.copy()
        np.fill_diagonal(expected, 1.0 / np.diag(full6))
        assert close(L6, expected[np.tril_indices(6)], 1e-11)
        assert close(ch.forward_solve6(L6, c), np.linalg.solve(full6, c), 1e-10)
        assert close(ch.backward_solve6(L6, c), np.linalg.solve(full6.T, c), 1e-10)
        assert close(dense(A) @ ch.solve6(L6, c), c, 1e-11)


def test_the_tolerance_is_not_empty() -> None:
    """The comparisons above can fail: one part in 1e11 is seen."""
    assert not close([1.0], [1.0 + 1e-11])
    assert ROUNDING < 1e-12
