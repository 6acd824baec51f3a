"""Joint forces: springs, dampers, limits, servos and motors; and their implicit terms.

A hinge or slide with coordinate q, velocity v and command h:

    tau = applied − k (q − rest) − b v − limits − k_s (q − h) − c_s v + strength · clamp(h, ±1) · slowdown(v)

A ball joint's spring is the gradient of ½ φᵀ K φ in the rotation vector φ: tau = −J_r⁻ᵀ(φ) K φ; the plain −K φ would gain
energy as soon as bend and twist differ (`docs/concepts/the-step.md`).

For the linearly implicit steps (coefficient γ), with tangent stiffness K ≥ 0 and damping B: the articulated-body algorithm
gets D + E with E = γ dt B + γ² dt² K, and tau − γ dt K v (+ γ dt ∂tau/∂t).  Adding to D alone is wrong and blows up.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.quaternions import (
    quaternion_log,
    right_jacobian_inverse,
    right_jacobian_inverse_transposed,
)
from zoophyte.algebra.vectors import subtract
from zoophyte.model.layout import BALL, FLAG_IMPLICIT, FREE, LINK_COUNT
from zoophyte.numbers import (
    Array,
    Number,
    Spec,
    absolute,
    both,
    fma,
    maximum,
    minimum,
    number,
    where,
)
from zoophyte.physics.dynamics.links import AxisJoint, BallJoint, Dof, header, link_of
from zoophyte.physics.signals import signal


def joint_forces(ints: Array, data: Array, scratch: Array, gamma: float, spec: Spec) -> None:
    """TAU of every coordinate at STAGE_TIME; with FLAG_IMPLICIT also the terms E, K and drift for this `gamma`."""
    H = header(data, spec)
    t = H.stage_time
    step = H.dt * number(gamma, t)
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        if L.kind == FREE:
            L.free.tau = L.free.applied
        elif L.kind == BALL:
            ball_force(ints, L.ball, t, step)
        else:
            axis_force(ints, L.axis, t, step)


def axis_force(ints: Array, J: AxisJoint, t: Number, step: Number) -> None:
    """TAU and implicit terms of a hinge or slide; `step` is γ dt."""
    D, q, v = J.dof, J.q, J.v
    k, servo_k, limit_k, limit_b = D.k, D.servo_k, D.limit_k, D.limit_b
    h, h_rate, _ = signal(ints, D.data, D.data_start, t, D.spec)
    zero = number(0.0, q)
    excess = maximum(q - D.upper, zero) + minimum(q - D.lower, zero)
    # A limit pushes back and never pulls: where its damper would, on the way back, it lets go altogether.
    pushing = both(absolute(excess) > zero, fma(limit_b, v, limit_k * excess) * excess > zero)
    limit_k, limit_b = where(pushing, limit_k, zero), where(pushing, limit_b, zero)
    K = (k + servo_k) + limit_k
    B = (D.b + D.servo_b) + limit_b
    tau = D.applied + motor_force(D.data, D.data_start, h, v, D.spec)
    tau = fma(-k, q - D.rest, tau)
    tau = fma(-limit_k, excess, tau)
    tau = fma(-servo_k, q - h, tau)
    tau = fma(-B, v, tau)
    if J.flags & FLAG_IMPLICIT:
        J.E, J.K, J.drift = step * fma(step, K, B), K, servo_k * h_rate  # E = γ dt B + γ² dt² K
    J.tau = tau


def motor_force(data: Array, dof: int, u: Number, v: Number, spec: Spec) -> Number:
    """strength · clamp(u, ±1); while it drives the motion it fades to nothing at the maximal speed."""
    D = Dof(data, dof, spec)
    zero, one = number(0.0, u), number(1.0, u)
    clamped = maximum(minimum(u, one), -one)
    fading = maximum(fma(-absolute(v), D.slowdown, one), zero)
    return D.strength * clamped * where(clamped * v > zero, fading, one)


def ball_force(ints: Array, J: BallJoint, t: Number, step: Number) -> None:
    """TAU and implicit terms of a ball joint; `step` is γ dt."""
    phi = quaternion_log(J.q)
    K0, B0, pull0, tau0, drift0 = ball_axis(ints, J.dof0, phi[0], t)
    K1, B1, pull1, tau1, drift1 = ball_axis(ints, J.dof1, phi[1], t)
    K2, B2, pull2, tau2, drift2 = ball_axis(ints, J.dof2, phi[2], t)
    J.tau = subtract((tau0, tau1, tau2), right_jacobian_inverse_transposed(phi, (pull0, pull1, pull2)))
    if J.flags & FLAG_IMPLICIT:
        K = tangent_stiffness(phi, (K0, K1, K2))
        square = step * step
        E0, E3, E5 = fma(square, K[0], step * B0), fma(square, K[3], step * B1), fma(square, K[5], step * B2)
        J.E = (E0, square * K[1], square * K[2], E3, square * K[4], E5)  # E = γ dt B + γ² dt² K
        J.K, J.drift = K, right_jacobian_inverse_transposed(phi, (drift0, drift1, drift2))


def ball_axis(ints: Array, D: Dof, angle: Number, t: Number) -> Any:
    """(stiffness, damping, gradient of the potential, other torque, servo drift) about one axis of a ball joint."""
    k, servo_k, v = D.k, D.servo_k, D.v
    h, h_rate, _ = signal(ints, D.data, D.data_start, t, D.spec)
    B = D.b + D.servo_b
    pull = fma(k, angle - D.rest, servo_k * (angle - h))
    tau = fma(-B, v, D.applied + motor_force(D.data, D.data_start, h, v, D.spec))
    return k + servo_k, B, pull, tau, servo_k * h_rate


def tangent_stiffness(phi: Any, K: Any) -> Any:
    """J_r⁻ᵀ K J_r⁻¹ (symmetric, ≥ 0): the stiffness of the spring against turning, without its curvature."""
    one, z = number(1.0, phi[0]), number(0.0, phi[0])
    a = right_jacobian_inverse(phi, (one, z, z))
    b = right_jacobian_inverse(phi, (z, one, z))
    c = right_jacobian_inverse(phi, (z, z, one))
    ka, kb, kc = (K[0] * a[0], K[1] * a[1], K[2] * a[2]), (K[0] * b[0], K[1] * b[1], K[2] * b[2]), \
        (K[0] * c[0], K[1] * c[1], K[2] * c[2])  # fmt: skip
    return (a[0] * ka[0] + a[1] * ka[1] + a[2] * ka[2], a[0] * kb[0] + a[1] * kb[1] + a[2] * kb[2],
            a[0] * kc[0] + a[1] * kc[1] + a[2] * kc[2], b[0] * kb[0] + b[1] * kb[1] + b[2] * kb[2],
            b[0] * kc[0] + b[1] * kc[1] + b[2] * kc[2], c[0] * kc[0] + c[1] * kc[1] + c[2] * kc[2])  # fmt: skip
