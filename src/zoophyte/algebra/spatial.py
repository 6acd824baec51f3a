"""Spatial motion (ω; v) and force (n; f) vectors: 6-tuples, angular part first, at a frame's origin, in its axes.

Notation of Featherstone, *Rigid Body Dynamics Algorithms* (2008), chapter 2.  A transform X_BP is the pair (E, r): E
takes coordinates in P to coordinates in B, r is the origin of B in coordinates of P.
"""

from __future__ import annotations

from typing import TypeAlias

from zoophyte.algebra.rotations import Mat3, rotate, unrotate
from zoophyte.algebra.vectors import Vec3, add_cross, cross
from zoophyte.numbers import Number, fma, number

Spatial: TypeAlias = tuple[Number, Number, Number, Number, Number, Number]


def angular(V: Spatial) -> Vec3:
    """The angular part: ω of a motion, n of a force."""
    return (V[0], V[1], V[2])


def linear(V: Spatial) -> Vec3:
    """The linear part: v of a motion, f of a force."""
    return (V[3], V[4], V[5])


def spatial(a: Vec3, b: Vec3) -> Spatial:
    """Angular part a, linear part b."""
    return (a[0], a[1], a[2], b[0], b[1], b[2])


def spatial_zero(like: Number) -> Spatial:
    """The null spatial vector in the number type of `like`."""
    z = number(0.0, like)
    return (z, z, z, z, z, z)


def spatial_add(A: Spatial, B: Spatial) -> Spatial:
    """A + B."""
    return (A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5])


def spatial_subtract(A: Spatial, B: Spatial) -> Spatial:
    """A − B."""
    return (A[0] - B[0], A[1] - B[1], A[2] - B[2], A[3] - B[3], A[4] - B[4], A[5] - B[5])


def spatial_scale(s: Number, A: Spatial) -> Spatial:
    """s·A."""
    return (s * A[0], s * A[1], s * A[2], s * A[3], s * A[4], s * A[5])


def spatial_add_scaled(A: Spatial, s: Number, B: Spatial) -> Spatial:
    """A + s·B."""
    return (
        fma(s, B[0], A[0]), fma(s, B[1], A[1]), fma(s, B[2], A[2]),
        fma(s, B[3], A[3]), fma(s, B[4], A[4]), fma(s, B[5], A[5]),
    )  # fmt: skip


def power(V: Spatial, F: Spatial) -> Number:
    """V · F: the power of the force F on the motion V."""
    upper = fma(V[2], F[2], fma(V[1], F[1], V[0] * F[0]))
    return fma(V[5], F[5], fma(V[4], F[4], fma(V[3], F[3], upper)))


def motion_to_child(E: Mat3, r: Vec3, V_P: Spatial) -> Spatial:
    """X_BP·V_P: ω′ = E ω, v′ = E (v − r × ω)."""
    w = angular(V_P)
    return spatial(rotate(E, w), rotate(E, add_cross(linear(V_P), w, r)))


def motion_to_parent(E: Mat3, r: Vec3, V_B: Spatial) -> Spatial:
    """X_BP⁻¹·V_B."""
    w = unrotate(E, angular(V_B))
    return spatial(w, add_cross(unrotate(E, linear(V_B)), r, w))


def force_to_parent(E: Mat3, r: Vec3, F_B: Spatial) -> Spatial:
    """X_BPᵀ·F_B: f′ = Eᵀ f, n′ = Eᵀ n + r × f′."""
    f = unrotate(E, linear(F_B))
    return spatial(add_cross(unrotate(E, angular(F_B)), r, f), f)


def cross_motion(V: Spatial, M: Spatial) -> Spatial:
    """V × M: rate of a motion vector M carried along with V."""
    w, v = angular(V), linear(V)
    return spatial(cross(w, angular(M)), add_cross(cross(w, linear(M)), v, angular(M)))


def cross_force(V: Spatial, F: Spatial) -> Spatial:
    """V ×* F: rate of a force vector F carried along with V."""
    w, v = angular(V), linear(V)
    return spatial(add_cross(cross(w, angular(F)), v, linear(F)), cross(w, linear(F)))
