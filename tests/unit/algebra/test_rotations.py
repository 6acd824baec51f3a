"""Vectors, matrices and quaternions: group laws, exponential and logarithm, Jacobians. Oracles: NumPy, SciPy, mpmath."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from unit.algebra.matrices import ROUNDING, mat, positive, quaternion, rotation, six, skew, sym, vector
from zoophyte.algebra import quaternions as qt
from zoophyte.algebra import rotations as ro
from zoophyte.algebra import vectors as ve


def close(a: object, b: object, tolerance: float = ROUNDING) -> bool:
    return bool(np.max(np.abs(np.asarray(a, float) - np.asarray(b, float))) < tolerance)


def same_rotation(a: object, b: object, tolerance: float = ROUNDING) -> bool:
    """q and −q are one rotation."""
    return close(a, b, tolerance) or close(a, -np.asarray(b), tolerance)


def test_vectors(rng: np.random.Generator) -> None:
    a, b, c = (vector(rng) for _ in range(3))
    assert close(ve.add(a, b), np.add(a, b))
    assert close(ve.subtract(a, b), np.subtract(a, b))
    assert close(ve.scale(2.5, a), 2.5 * np.array(a))
    assert close(ve.add_scaled(a, -1.5, b), np.array(a) - 1.5 * np.array(b))
    assert close(ve.dot(a, b), np.dot(a, b))
    assert close(ve.cross(a, b), np.cross(a, b))
    assert close(ve.add_cross(c, a, b), c + np.cross(a, b))
    assert close(ve.norm(a), np.linalg.norm(a))


def test_matrices(rng: np.random.Generator) -> None:
    A, B, a, b = vector(rng, 9), vector(rng, 9), vector(rng), vector(rng)
    S, E = six(positive(rng)), rotation(rng)
    assert close(ro.rotate(A, a), mat(A) @ a)
    assert close(ro.unrotate(A, a), mat(A).T @ a)
    assert close(mat(ro.transpose(A)), mat(A).T)
    assert close(mat(ro.compose(A, B)), mat(A) @ mat(B))
    assert close(mat(ro.matrix_add(A, B)), mat(A) + mat(B))
    assert close(ro.apply_symmetric(S, a), sym(S) @ a)
    assert close(mat(ro.congruence(E, A)), mat(E).T @ mat(A) @ mat(E))
    assert close(sym(ro.congruence_symmetric(E, S)), mat(E).T @ sym(S) @ mat(E))
    assert close(sym(ro.symmetric_inverse(S)) @ sym(S), np.eye(3), 1e-12)
    assert close(mat(ro.cross_matrix(a)), skew(a))
    assert close(mat(ro.subtract_outer(A, a, b)), mat(A) - np.outer(a, b))
    parallel = tuple(3.0 * x for x in a)
    assert close(sym(ro.subtract_outer_symmetric(S, a, parallel)), sym(S) - np.outer(a, parallel))


def test_turn_about_z(rng: np.random.Generator) -> None:
    """Law: Rz(q)ᵀ·E. Oracle: SciPy; rounding."""
    E, q = rotation(rng), 0.7
    expected = Rotation.from_euler("z", q).as_matrix().T @ mat(E)
    assert close(mat(ro.turn_about_z(E, math.sin(q), math.cos(q))), expected)


def test_quaternions_are_a_group(rng: np.random.Generator) -> None:
    """Law: closure, identity, inverse, associativity; the matrix is a homomorphism. Tolerance: rounding."""
    one = (1.0, 0.0, 0.0, 0.0)
    for _ in range(50):
        a, b, c = (quaternion(rng) for _ in range(3))
        ab = qt.quaternion_product(a, b)
        assert close(np.linalg.norm(ab), 1.0)
        assert close(qt.quaternion_product(a, one), a)
        assert close(qt.quaternion_product(one, a), a)
        assert close(qt.quaternion_product(a, qt.quaternion_conjugate(a)), one)
        assert close(qt.quaternion_product(ab, c), qt.quaternion_product(a, qt.quaternion_product(b, c)))
        matrices = mat(qt.quaternion_matrix(a)) @ mat(qt.quaternion_matrix(b))
        assert close(mat(qt.quaternion_matrix(ab)), matrices)
        assert close(mat(qt.quaternion_matrix(a)), Rotation.from_quat(a, scalar_first=True).as_matrix())


def test_normalising(rng: np.random.Generator) -> None:
    a = tuple(7.0 * x for x in quaternion(rng))
    assert close(qt.quaternion_normalized(a), np.array(a) / 7.0)


@pytest.mark.parametrize(
    "angle", [0.0, 1e-300, 1e-12, 1e-8, 0.99e-4, 1.01e-4, 1e-2, 0.5, 2.0, 3.0, math.pi - 1e-9, 5.0, 40.0]
)
def test_the_exponential(angle: float, rng: np.random.Generator) -> None:
    """Law: exp(φ) = (cos θ/2, sin θ/2 · axis). Oracle: mpmath with 40 digits; tolerance: a few ulp of φ."""
    axis = np.array(vector(rng))
    phi = angle * axis / np.linalg.norm(axis)
    with mpmath.workdps(40):
        x = [mpmath.mpf(float(p)) for p in phi]
        theta = mpmath.sqrt(mpmath.fsum(p * p for p in x))
        factor = mpmath.sin(theta / 2) / theta if theta else mpmath.mpf(0.5)
        expected = [float(mpmath.cos(theta / 2)), *(float(factor * p) for p in x)]
    found = qt.quaternion_exp(tuple(phi.tolist()))
    assert close(found, expected, 1e-15 * max(1.0, angle))
    assert np.all(np.abs(np.subtract(found, expected)[1:]) <= 1e-15 * max(angle, 1e-300))


@pytest.mark.parametrize(
    "angle", [0.0, 1e-300, 1e-12, 1e-8, 1.9e-5, 2.1e-5, 1e-3, 0.5, 2.0, 3.0, math.pi - 1e-6, math.pi - 1e-12]
)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_logarithm(angle: float, sign: float, rng: np.random.Generator) -> None:
    """Law: log(±exp(φ)) = φ for |φ| < π, near π and for tiny angles too. Tolerance: rounding of q, seen from near π."""
    axis = np.array(vector(rng))
    phi = angle * axis / np.linalg.norm(axis)
    q = tuple(sign * x for x in qt.quaternion_exp(tuple(phi.tolist())))
    found = qt.quaternion_log(q)
    if angle < 3.14:
        assert np.max(np.abs(np.subtract(found, phi))) <= 1e-14 * max(angle, 1e-300)
    assert abs(math.hypot(*found) - angle) <= 1e-14 * max(angle, 1e-300)
    assert same_rotation(qt.quaternion_exp(found), q, 1e-14)


def test_the_logarithm_at_pi() -> None:
    """Half a turn has two logarithms; one of them comes out, with length π."""
    for w in (0.0, -0.0):
        phi = qt.quaternion_log((w, 0.6, 0.0, -0.8))
        assert close(np.abs(phi), [0.6 * math.pi, 0.0, 0.8 * math.pi], 1e-15)
        assert math.isclose(float(np.linalg.norm(phi)), math.pi, rel_tol=1e-15)


def test_rates_and_integration(rng: np.random.Generator) -> None:
    """Law: dq/dt = ½ q ⊗ ω, and q ⊞ dt·ω is its flow. Oracle: a central difference, h² / 24 · |ω|³ = 1e-11."""
    q, omega, h = quaternion(rng), vector(rng), 1e-5
    ends = [qt.quaternion_integrate(q, tuple(s * h * w for w in omega)) for s in (1.0, -1.0)]
    difference = np.subtract(*ends) / (2.0 * h)
    assert close(qt.quaternion_rate(q, omega), difference, 1e-10)
    whole = qt.quaternion_integrate(q, omega)
    parts = q
    for _ in range(10):
        parts = qt.quaternion_integrate(parts, tuple(0.1 * w for w in omega))
    assert close(parts, whole)
    assert close(np.linalg.norm(whole), 1.0)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.0999, 0.1001, 1.0, 2.5, 3.1, math.pi, 4.0])
def test_the_right_jacobian(angle: float, rng: np.random.Generator) -> None:
    """Law: J_r⁻¹ is the rate of the rotation vector when the body turns: log(exp(φ) ⊗ exp(h a)) ≈ φ + h J_r⁻¹ a.

    Oracle: the inverse of J_r = 1 − (1 − cos θ)/θ² φ× + (θ − sin θ)/θ³ φ×² (Solà, Deray, Atchuthan, eq. 143), 40 digits.
    """
    axis, a = np.array(vector(rng)), vector(rng)
    phi = tuple((angle * axis / np.linalg.norm(axis)).tolist())
    with mpmath.workdps(40):
        K = mpmath.matrix(skew(phi).tolist())
        theta = mpmath.sqrt(mpmath.fsum(mpmath.mpf(p) ** 2 for p in phi))
        first = (1 - mpmath.cos(theta)) / theta**2 if theta else mpmath.mpf(0.5)
        second = (theta - mpmath.sin(theta)) / theta**3 if theta else mpmath.mpf(1) / 6
        J = mpmath.eye(3) - first * K + second * K * K
        expected = [float(x) for x in mpmath.lu_solve(J, mpmath.matrix(a))]
        transposed = [float(x) for x in mpmath.lu_solve(J.T, mpmath.matrix(a))]
    scale = 1e-13 * max(1.0, float(np.max(np.abs(expected))))
    assert close(qt.right_jacobian_inverse(phi, a), expected, scale)
    assert close(qt.right_jacobian_inverse_transposed(phi, a), transposed, scale)


def test_the_right_jacobian_is_a_derivative(rng: np.random.Generator) -> None:
    """The same law by its meaning. Oracle: central differences of log; h² and rounding / h: 1e-9."""
    for _ in range(20):
        phi, a, h = np.array(vector(rng)), vector(rng), 1e-5
        if np.linalg.norm(phi) > 3.0:
            phi *= 3.0 / np.linalg.norm(phi)
        q = qt.quaternion_exp(tuple(phi.tolist()))
        ends = [
            qt.quaternion_log(qt.quaternion_product(q, qt.quaternion_exp(tuple(s * h * x for x in a))))
            for s in (1.0, -1.0)
        ]
        found = qt.right_jacobian_inverse(tuple(phi.tolist()), a)
        assert close(found, np.subtract(*ends) / (2.0 * h), 1e-8 * max(1.0, float(np.max(np.abs(found)))))
