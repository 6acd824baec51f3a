"""Tuples of numbers as NumPy matrices, and random ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from bodies import rotation_matrix, unit_quaternion

Floats = np.ndarray[Any, np.dtype[np.float64]]

ROUNDING = 1e-13
"""A few dozen operations on numbers of about one, each off by 1e-16."""


def mat(A: Any) -> Floats:
    return np.array(A, float).reshape(3, 3)


def sym(S: Any) -> Floats:
    xx, xy, xz, yy, yz, zz = S
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def six(S: Floats) -> tuple[float, ...]:
    return tuple(S[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]].tolist())


def skew(a: Any) -> Floats:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def motion_matrix(E: Any, r: Any) -> Floats:
    """X_BP as a 6×6 matrix: [[E, 0], [−E r×, E]] (Featherstone 2008, eq. 2.24)."""
    R = mat(E)
    return np.block([[R, np.zeros((3, 3))], [-R @ skew(r), R]])


def dense(A: Any) -> Floats:
    """An articulated inertia as a 6×6 matrix."""
    I, H, M = sym(A[0]), mat(A[1]), sym(A[2])
    return np.block([[I, H], [H.T, M]])


def vector(rng: np.random.Generator, size: int = 3) -> tuple[float, ...]:
    return tuple(rng.normal(size=size).tolist())


def rotation(rng: np.random.Generator) -> tuple[float, ...]:
    return tuple(rotation_matrix(unit_quaternion(rng)).ravel().tolist())


def quaternion(rng: np.random.Generator) -> tuple[float, ...]:
    return tuple(unit_quaternion(rng).tolist())


def positive(rng: np.random.Generator, size: int = 3) -> Floats:
    """A symmetric matrix with eigenvalues of about one."""
    A = rng.normal(size=(size, size))
    return A @ A.T + 0.5 * np.eye(size)


def articulated(rng: np.random.Generator) -> Any:
    """A random articulated inertia (I, H, M)."""
    A = positive(rng, 6)
    return six(A[:3, :3]), tuple(A[:3, 3:].ravel().tolist()), six(A[3:, 3:])
