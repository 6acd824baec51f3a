"""Rotation matrices (9-tuples, row order) and symmetric 3×3 matrices (6-tuples xx, xy, xz, yy, yz, zz)."""

from __future__ import annotations

from typing import TypeAlias

from zoophyte.algebra.vectors import Vec3, dot
from zoophyte.numbers import Number, fma, number

Mat3: TypeAlias = tuple[Number, Number, Number, Number, Number, Number, Number, Number, Number]
Sym3: TypeAlias = tuple[Number, Number, Number, Number, Number, Number]


def rotate(R: Mat3, a: Vec3) -> Vec3:
    """R·a."""
    return (
        fma(R[2], a[2], fma(R[1], a[1], R[0] * a[0])),
        fma(R[5], a[2], fma(R[4], a[1], R[3] * a[0])),
        fma(R[8], a[2], fma(R[7], a[1], R[6] * a[0])),
    )


def unrotate(R: Mat3, a: Vec3) -> Vec3:
    """Rᵀ·a."""
    return (
        fma(R[6], a[2], fma(R[3], a[1], R[0] * a[0])),
        fma(R[7], a[2], fma(R[4], a[1], R[1] * a[0])),
        fma(R[8], a[2], fma(R[5], a[1], R[2] * a[0])),
    )


def transpose(A: Mat3) -> Mat3:
    """Aᵀ."""
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


def compose(A: Mat3, B: Mat3) -> Mat3:
    """A·B."""
    c0 = rotate(A, (B[0], B[3], B[6]))
    c1 = rotate(A, (B[1], B[4], B[7]))
    c2 = rotate(A, (B[2], B[5], B[8]))
    return (c0[0], c1[0], c2[0], c0[1], c1[1], c2[1], c0[2], c1[2], c2[2])


def cross_matrix(a: Vec3) -> Mat3:
    """[a×], the matrix with [a×]·b = a × b."""
    z = number(0.0, a[0])
    return (z, -a[2], a[1], a[2], z, -a[0], -a[1], a[0], z)


def subtract_outer(A: Mat3, u: Vec3, w: Vec3) -> Mat3:
    """A − u·wᵀ."""
    u0, u1, u2 = -u[0], -u[1], -u[2]
    return (fma(u0, w[0], A[0]), fma(u0, w[1], A[1]), fma(u0, w[2], A[2]),
            fma(u1, w[0], A[3]), fma(u1, w[1], A[4]), fma(u1, w[2], A[5]),
            fma(u2, w[0], A[6]), fma(u2, w[1], A[7]), fma(u2, w[2], A[8]))  # fmt: skip


def subtract_outer_symmetric(S: Sym3, u: Vec3, w: Vec3) -> Sym3:
    """S − u·wᵀ for w parallel to u."""
    u0, u1, u2 = -u[0], -u[1], -u[2]
    return (fma(u0, w[0], S[0]), fma(u0, w[1], S[1]), fma(u0, w[2], S[2]),
            fma(u1, w[1], S[3]), fma(u1, w[2], S[4]), fma(u2, w[2], S[5]))  # fmt: skip


def matrix_apply_xy(A: Mat3, a: tuple[Number, Number], b: Vec3) -> Vec3:
    """A·(a₀, a₁, 0) + b."""
    return (fma(A[1], a[1], fma(A[0], a[0], b[0])), fma(A[4], a[1], fma(A[3], a[0], b[1])),
            fma(A[7], a[1], fma(A[6], a[0], b[2])))  # fmt: skip


def transposed_apply_xy(A: Mat3, a: tuple[Number, Number], b: Vec3) -> Vec3:
    """Aᵀ·(a₀, a₁, 0) + b."""
    return (fma(A[3], a[1], fma(A[0], a[0], b[0])), fma(A[4], a[1], fma(A[1], a[0], b[1])),
            fma(A[5], a[1], fma(A[2], a[0], b[2])))  # fmt: skip


def symmetric_apply_xy(S: Sym3, a: tuple[Number, Number], b: Vec3) -> Vec3:
    """S·(a₀, a₁, 0) + b."""
    return (fma(S[1], a[1], fma(S[0], a[0], b[0])), fma(S[3], a[1], fma(S[1], a[0], b[1])),
            fma(S[4], a[1], fma(S[2], a[0], b[2])))  # fmt: skip


def matrix_add(A: Mat3, B: Mat3) -> Mat3:
    """A + B."""
    return (A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5],
            A[6] + B[6], A[7] + B[7], A[8] + B[8])  # fmt: skip


def apply_symmetric(S: Sym3, a: Vec3) -> Vec3:
    """S·a."""
    return (
        fma(S[2], a[2], fma(S[1], a[1], S[0] * a[0])),
        fma(S[4], a[2], fma(S[3], a[1], S[1] * a[0])),
        fma(S[5], a[2], fma(S[4], a[1], S[2] * a[0])),
    )


def congruence(E: Mat3, A: Mat3) -> Mat3:
    """Eᵀ·A·E."""
    c0 = rotate(A, (E[0], E[3], E[6]))
    c1 = rotate(A, (E[1], E[4], E[7]))
    c2 = rotate(A, (E[2], E[5], E[8]))
    r0, r1, r2 = unrotate(E, c0), unrotate(E, c1), unrotate(E, c2)
    return (r0[0], r1[0], r2[0], r0[1], r1[1], r2[1], r0[2], r1[2], r2[2])


def congruence_symmetric(E: Mat3, S: Sym3) -> Sym3:
    """Eᵀ·S·E for symmetric S; only the six different entries are computed."""
    e0, e1, e2 = (E[0], E[3], E[6]), (E[1], E[4], E[7]), (E[2], E[5], E[8])
    c0, c1, c2 = apply_symmetric(S, e0), apply_symmetric(S, e1), apply_symmetric(S, e2)
    return (dot(e0, c0), dot(e0, c1), dot(e0, c2), dot(e1, c1), dot(e1, c2), dot(e2, c2))


def turn_about_z(E: Mat3, sine: Number, cosine: Number) -> Mat3:
    """Rz(q)ᵀ·E: the coordinates of E's target frame after that frame turned by q about its own z axis."""
    return (
        fma(cosine, E[0], sine * E[3]),
        fma(cosine, E[1], sine * E[4]),
        fma(cosine, E[2], sine * E[5]),
        fma(cosine, E[3], -(sine * E[0])),
        fma(cosine, E[4], -(sine * E[1])),
        fma(cosine, E[5], -(sine * E[2])),
        E[6],
        E[7],
        E[8],
    )


def symmetric_inverse(S: Sym3) -> Sym3:
    """S⁻¹ of a symmetric positive definite S, by cofactors."""
    c00 = fma(S[3], S[5], -(S[4] * S[4]))
    c01 = fma(S[2], S[4], -(S[1] * S[5]))
    c02 = fma(S[1], S[4], -(S[2] * S[3]))
    determinant = fma(S[2], c02, fma(S[1], c01, S[0] * c00))
    c11 = fma(S[0], S[5], -(S[2] * S[2]))
    c12 = fma(S[1], S[2], -(S[0] * S[4]))
    c22 = fma(S[0], S[3], -(S[1] * S[1]))
    return (
        c00 / determinant,
        c01 / determinant,
        c02 / determinant,
        c11 / determinant,
        c12 / determinant,
        c22 / determinant,
    )
