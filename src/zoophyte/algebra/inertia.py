"""Spatial inertias at a frame's origin: of a rigid body, and articulated ones.

A rigid body is (m, h, I): mass, first moment h = m·com, and inertia about the origin (symmetric, 6 numbers).
An articulated inertia is the symmetric 6×6 matrix [[I, H], [Hᵀ, M]] kept as 21 numbers (I 6, H 9 in row order, M 6).
Featherstone (2008), sections 2.13 and 7.1.
"""

from __future__ import annotations

from typing import TypeAlias

from zoophyte.algebra.rotations import (
    Mat3,
    Sym3,
    apply_symmetric,
    congruence,
    congruence_symmetric,
    cross_matrix,
    rotate,
    unrotate,
)
from zoophyte.algebra.spatial import Spatial, angular, linear, spatial
from zoophyte.algebra.vectors import Vec3, add, add_cross, cross, scale
from zoophyte.numbers import Number, fma, number

Articulated: TypeAlias = tuple[Sym3, Mat3, Sym3]


def rigid_momentum(m: Number, h: Vec3, I: Sym3, V: Spatial) -> Spatial:
    """I·V of a rigid body: (I ω + h × v; m v − h × ω)."""
    w, v = angular(V), linear(V)
    return spatial(add_cross(apply_symmetric(I, w), h, v), add_cross(scale(m, v), w, h))


def rigid_as_articulated(m: Number, h: Vec3, I: Sym3) -> Articulated:
    """The 6×6 form of a rigid inertia."""
    z = number(0.0, m)
    return I, cross_matrix(h), (m, z, z, m, z, m)


def articulated_apply(A: Articulated, V: Spatial) -> Spatial:
    """A·V."""
    I, H, M = A
    w, v = angular(V), linear(V)
    return spatial(add(apply_symmetric(I, w), rotate(H, v)), add(unrotate(H, w), apply_symmetric(M, v)))


def articulated_subtract_outer(A: Articulated, U: Spatial, W: Spatial) -> Articulated:
    """A − U·Wᵀ for W parallel to U (so that the result stays symmetric)."""
    I, H, M = A
    u0, u1, u2, u3, u4, u5 = -U[0], -U[1], -U[2], -U[3], -U[4], -U[5]
    return (
        (fma(u0, W[0], I[0]), fma(u0, W[1], I[1]), fma(u0, W[2], I[2]),
         fma(u1, W[1], I[3]), fma(u1, W[2], I[4]), fma(u2, W[2], I[5])),
        (fma(u0, W[3], H[0]), fma(u0, W[4], H[1]), fma(u0, W[5], H[2]),
         fma(u1, W[3], H[3]), fma(u1, W[4], H[4]), fma(u1, W[5], H[5]),
         fma(u2, W[3], H[6]), fma(u2, W[4], H[7]), fma(u2, W[5], H[8])),
        (fma(u3, W[3], M[0]), fma(u3, W[4], M[1]), fma(u3, W[5], M[2]),
         fma(u4, W[4], M[3]), fma(u4, W[5], M[4]), fma(u5, W[5], M[5])),
    )  # fmt: skip


def moved_coupling(H: Mat3, M: Sym3, r: Vec3) -> Mat3:
    """H′ = H + r× M: the coupling block after moving the reference point by r."""
    c0 = add_cross((H[0], H[3], H[6]), r, (M[0], M[1], M[2]))
    c1 = add_cross((H[1], H[4], H[7]), r, (M[1], M[3], M[4]))
    c2 = add_cross((H[2], H[5], H[8]), r, (M[2], M[4], M[5]))
    return (c0[0], c1[0], c2[0], c0[1], c1[1], c2[1], c0[2], c1[2], c2[2])


def moved_shift(H: Mat3, H_moved: Mat3, r: Vec3) -> Sym3:
    """I′ − I = r× Hᵀ − H′ r×: column j of r× Hᵀ is r × (row j of H), row i of −H′ r× is r × (row i of H′)."""
    a0 = cross(r, (H[0], H[1], H[2]))
    a1 = cross(r, (H[3], H[4], H[5]))
    a2 = cross(r, (H[6], H[7], H[8]))
    b0 = cross(r, (H_moved[0], H_moved[1], H_moved[2]))
    b1 = cross(r, (H_moved[3], H_moved[4], H_moved[5]))
    b2 = cross(r, (H_moved[6], H_moved[7], H_moved[8]))
    return (
        a0[0] + b0[0], a1[0] + b0[1], a2[0] + b0[2], a1[1] + b1[1], a2[1] + b1[2], a2[2] + b2[2],
    )  # fmt: skip


def articulated_to_parent(E: Mat3, r: Vec3, A: Articulated) -> Articulated:
    """X_BPᵀ·A·X_BP: turn into the parent's axes, then move the reference point by r.

    With the blocks turned by E:  M′ = M,  H′ = H + r× M,  I′ = I + r× Hᵀ − H′ r×.
    """
    M, H = congruence_symmetric(E, A[2]), congruence(E, A[1])
    H_moved = moved_coupling(H, M, r)
    I, shift = congruence_symmetric(E, A[0]), moved_shift(H, H_moved, r)
    I = (I[0] + shift[0], I[1] + shift[1], I[2] + shift[2], I[3] + shift[3], I[4] + shift[4], I[5] + shift[5])
    return I, H_moved, M


def rigid_to_parent(E: Mat3, r: Vec3, m: Number, h: Vec3, I: Sym3) -> tuple[Vec3, Sym3]:
    """First moment and inertia of a rigid body about the parent's origin, in its axes (the mass stays).

    I′ = Eᵀ I E − [r×][h×] − [h′×][r×] with h the turned first moment and h′ = h + m r; written out with
    a× b× = b aᵀ − (a·b) 1.
    """
    hr = unrotate(E, h)
    hp = (fma(m, r[0], hr[0]), fma(m, r[1], hr[1]), fma(m, r[2], hr[2]))
    Ir = congruence_symmetric(E, I)
    s = add(hr, hp)
    rs = (r[0] * s[0], r[1] * s[1], r[2] * s[2])
    return hp, (
        Ir[0] + (rs[1] + rs[2]),
        Ir[1] - fma(hp[0], r[1], r[0] * hr[1]),
        Ir[2] - fma(hp[0], r[2], r[0] * hr[2]),
        Ir[3] + (rs[0] + rs[2]),
        Ir[4] - fma(hp[1], r[2], r[1] * hr[2]),
        Ir[5] + (rs[0] + rs[1]),
    )


def central_inertia(m: Number, com: Vec3, I: Sym3) -> Sym3:
    """Inertia about the centre of mass, from that about the origin (parallel axes)."""
    x, y, z = com
    mx, my, mz = m * x, m * y, m * z
    return (
        I[0] - (my * y + mz * z), I[1] + mx * y, I[2] + mx * z,
        I[3] - (mx * x + mz * z), I[4] + my * z, I[5] - (mx * x + my * y),
    )  # fmt: skip


def velocity_at(V: Spatial, p: Vec3) -> Vec3:
    """Velocity of the body point p: v + ω × p."""
    return add_cross(linear(V), angular(V), p)


def acceleration_at(A: Spatial, V: Spatial, p: Vec3) -> Vec3:
    """Classical acceleration of the body point p: a + α × p + ω × (v + ω × p)."""
    w = angular(V)
    return add_cross(add_cross(linear(A), angular(A), p), w, velocity_at(V, p))
