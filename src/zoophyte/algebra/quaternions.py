"""Unit quaternions (w, x, y, z), their exponential and logarithm, and the Jacobians of the rotation vector.

`q` stands for the rotation R_PB that takes coordinates in B to coordinates in P.  The derivatives of the exponential
map follow Solà, Deray and Atchuthan, "A micro Lie theory for state estimation in robotics", eqs. (143)–(144).
"""

from __future__ import annotations

from typing import TypeAlias

from zoophyte.algebra.rotations import Mat3
from zoophyte.algebra.vectors import Vec3, cross, dot
from zoophyte.numbers import Number, fma, number, sqrt, where
from zoophyte.numbers.functions import atan2, sincos

Quat: TypeAlias = tuple[Number, Number, Number, Number]


def quaternion_product(a: Quat, b: Quat) -> Quat:
    """a ⊗ b: first b, then a."""
    return (
        fma(a[0], b[0], -fma(a[1], b[1], fma(a[2], b[2], a[3] * b[3]))),
        fma(a[0], b[1], fma(a[1], b[0], fma(a[2], b[3], -(a[3] * b[2])))),
        fma(a[0], b[2], fma(a[2], b[0], fma(a[3], b[1], -(a[1] * b[3])))),
        fma(a[0], b[3], fma(a[3], b[0], fma(a[1], b[2], -(a[2] * b[1])))),
    )


def quaternion_conjugate(a: Quat) -> Quat:
    """The inverse rotation of a unit quaternion."""
    return (a[0], -a[1], -a[2], -a[3])


def quaternion_normalized(a: Quat) -> Quat:
    """a / |a|."""
    squared = fma(a[3], a[3], fma(a[2], a[2], fma(a[1], a[1], a[0] * a[0])))
    s = number(1.0, squared) / sqrt(squared)
    return (a[0] * s, a[1] * s, a[2] * s, a[3] * s)


def quaternion_matrix(q: Quat) -> Mat3:
    """R_PB of the quaternion q, whose length does not matter.

    A normalised quaternion may be off by an ulp that normalising again does not move; without the division R would be
    off by it too, always to the same side, and energy and momentum would drift.
    """
    w, x, y, z = q
    one = number(1.0, w)
    two = number(2.0, w) / fma(w, w, fma(x, x, fma(y, y, z * z)))
    x2, y2, z2 = two * x, two * y, two * z
    xx, yy, zz = x2 * x, y2 * y, z2 * z
    xy, xz, yz = x2 * y, x2 * z, y2 * z
    wx, wy, wz = x2 * w, y2 * w, z2 * w
    return (
        one - (yy + zz),
        xy - wz,
        xz + wy,
        xy + wz,
        one - (xx + zz),
        yz - wx,
        xz - wy,
        yz + wx,
        one - (xx + yy),
    )


def quaternion_exp(phi: Vec3) -> Quat:
    """The unit quaternion that turns by the rotation vector `phi` [rad]."""
    one, half = number(1.0, phi[0]), number(0.5, phi[0])
    squared = dot(phi, phi)
    small = squared < number(1e-8, squared)
    angle = sqrt(where(small, one, squared))
    sine, cosine = sincos(half * angle)
    # sin(θ/2)/θ and cos(θ/2) by their series where the quotient would be 0/0; the next terms are below 1e-18.
    factor = where(small, fma(squared, number(-1.0 / 48.0, squared), half), sine / angle)
    real = where(small, fma(squared, number(-0.125, squared), one), cosine)
    return (real, factor * phi[0], factor * phi[1], factor * phi[2])


def quaternion_log(q: Quat) -> Vec3:
    """The rotation vector of q, of length at most π."""
    w, x, y, z = q
    zero, one, two = number(0.0, w), number(1.0, w), number(2.0, w)
    flip = where(w < zero, -one, one)  # q and −q are one rotation; take the short way
    w = w * flip
    squared = dot((x, y, z), (x, y, z))
    small = squared < number(1e-10, squared)
    sine = sqrt(where(small, one, squared))
    # θ/sin(θ/2) → 2 + s²/3 for s = sin(θ/2) → 0
    factor = where(small, fma(squared, number(1.0 / 3.0, squared), two), two * atan2(sine, w) / sine)
    factor = factor * flip
    return (factor * x, factor * y, factor * z)


def quaternion_rate(q: Quat, omega: Vec3) -> Quat:
    """dq/dt = ½ q ⊗ (0, ω) for the angular velocity ω in B."""
    half = number(0.5, q[0])
    a, b, c = half * omega[0], half * omega[1], half * omega[2]
    return (
        -fma(q[1], a, fma(q[2], b, q[3] * c)),
        fma(q[0], a, fma(q[2], c, -(q[3] * b))),
        fma(q[0], b, fma(q[3], a, -(q[1] * c))),
        fma(q[0], c, fma(q[1], b, -(q[2] * a))),
    )


def quaternion_integrate(q: Quat, phi: Vec3) -> Quat:
    """q turned by the rotation vector `phi` given in B, renormalised."""
    return quaternion_normalized(quaternion_product(q, quaternion_exp(phi)))


def right_jacobian_inverse_terms(phi: Vec3) -> tuple[Number, Number]:
    """(½, κ) such that J_r⁻¹(φ)·a = a + ½ φ×a + κ φ×(φ×a)."""
    squared = dot(phi, phi)
    one, half = number(1.0, squared), number(0.5, squared)
    # κ = 1/θ² − (1 + cos θ)/(2 θ sin θ); its series 1/12 + θ²/720 + θ⁴/30240 holds to 1e-13 below θ² = 1e-2.
    small = squared < number(1e-2, squared)
    series = fma(
        squared, fma(squared, fma(squared, number(1.0 / 1209600.0, squared), number(1.0 / 30240.0, squared)),
                     number(1.0 / 720.0, squared)), number(1.0 / 12.0, squared)
    )  # fmt: skip
    safe = where(small, one, squared)
    angle = sqrt(safe)
    sine, cosine = sincos(half * angle)
    # (1 + cos θ)/(2 sin θ) = cos(θ/2)/(2 sin(θ/2)): no cancellation near π
    kappa = where(small, series, (one - half * angle * cosine / sine) / safe)
    return half, kappa


def right_jacobian_inverse(phi: Vec3, a: Vec3) -> Vec3:
    """J_r⁻¹(φ)·a: the rate of the rotation vector when the body turns with velocity a in B."""
    half, kappa = right_jacobian_inverse_terms(phi)
    b = cross(phi, a)
    c = cross(phi, b)
    return (
        fma(kappa, c[0], fma(half, b[0], a[0])),
        fma(kappa, c[1], fma(half, b[1], a[1])),
        fma(kappa, c[2], fma(half, b[2], a[2])),
    )


def right_jacobian_inverse_transposed(phi: Vec3, a: Vec3) -> Vec3:
    """J_r⁻ᵀ(φ)·a = J_r⁻¹(−φ)·a."""
    return right_jacobian_inverse((-phi[0], -phi[1], -phi[2]), a)
