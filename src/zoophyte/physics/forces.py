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
from zoophyte.model.layout import (
    APPLIED,
    BALL,
    CONFIGURATION,
    DAMPING,
    DOF_SIZE,
    DT,
    FLAG_IMPLICIT,
    FLAGS,
    FREE,
    HINGE,
    JOINT,
    JOINT_SIZE,
    LIMIT_DAMPING,
    LIMIT_STIFFNESS,
    LINK_COUNT,
    LOWER,
    MOTOR_SLOWDOWN,
    MOTOR_STRENGTH,
    REST,
    ROW_DATA,
    ROW_KIND,
    ROW_SCRATCH,
    SERVO_DAMPING,
    SERVO_STIFFNESS,
    STAGE_TIME,
    STIFFNESS,
    TAU,
    UPPER,
    VELOCITY,
)
from zoophyte.numbers import (
    Array,
    Number,
    Spec,
    absolute,
    both,
    fma,
    load,
    maximum,
    minimum,
    number,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import load4, store3, store6
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.signals import signal

# Implicit terms behind the JOINT part of a scratch record.
TERM_E, TERM_K, TERM_DRIFT = 0, 1, 2
BALL_TERM_K, BALL_TERM_DRIFT = 6, 12


def joint_forces(ints: Array, data: Array, scratch: Array, gamma: float, spec: Spec) -> None:
    """TAU of every coordinate at STAGE_TIME; with FLAG_IMPLICIT also the terms E, K and drift for this `gamma`."""
    W = width(spec)
    t = load(data, STAGE_TIME * W, spec)
    step = load(data, DT * W, spec) * number(gamma, t)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        if kind == FREE:
            for k in range(6):
                dof = d + (first_dof(FREE) + k * DOF_SIZE) * W
                store(data, dof + TAU * W, load(data, dof + APPLIED * W, spec), spec)
        elif kind == BALL:
            ball_force(ints, data, scratch, d, s, t, step, spec)
        else:
            axis_force(ints, data, scratch, kind, d, s, t, step, spec)


def axis_force(
    ints: Array, data: Array, scratch: Array, kind: int, d: int, s: int, t: Number, step: Number, spec: Spec
) -> None:
    """TAU and implicit terms of a hinge or slide; `step` is γ dt."""
    W = width(spec)
    dof = d + first_dof(kind) * W
    q, v = load(data, d + CONFIGURATION * W, spec), load(data, dof + VELOCITY * W, spec)
    zero = number(0.0, q)
    h, h_rate, _ = signal(ints, data, dof, t, spec)
    lower, upper = load(data, dof + LOWER * W, spec), load(data, dof + UPPER * W, spec)
    excess = maximum(q - upper, zero) + minimum(q - lower, zero)
    limit_k, limit_b = load(data, dof + LIMIT_STIFFNESS * W, spec), load(data, dof + LIMIT_DAMPING * W, spec)
    # A limit pushes back and never pulls: where its damper would, on the way back, it lets go altogether.
    pushing = both(absolute(excess) > zero, fma(limit_b, v, limit_k * excess) * excess > zero)
    limit_k, limit_b = where(pushing, limit_k, zero), where(pushing, limit_b, zero)
    k, servo_k = load(data, dof + STIFFNESS * W, spec), load(data, dof + SERVO_STIFFNESS * W, spec)
    K = (k + servo_k) + limit_k
    B = (load(data, dof + DAMPING * W, spec) + load(data, dof + SERVO_DAMPING * W, spec)) + limit_b
    tau = load(data, dof + APPLIED * W, spec) + motor_force(data, dof, h, v, spec)
    tau = fma(-k, q - load(data, dof + REST * W, spec), tau)
    tau = fma(-limit_k, excess, tau)
    tau = fma(-servo_k, q - h, tau)
    tau = fma(-B, v, tau)
    if ints[FLAGS] & FLAG_IMPLICIT:
        extra = s + (JOINT + JOINT_SIZE[HINGE]) * W
        store(scratch, extra + TERM_E * W, step * fma(step, K, B), spec)
        store(scratch, extra + TERM_K * W, K, spec)
        store(scratch, extra + TERM_DRIFT * W, servo_k * h_rate, spec)
    store(data, dof + TAU * W, tau, spec)


def motor_force(data: Array, dof: int, u: Number, v: Number, spec: Spec) -> Number:
    """strength · clamp(u, ±1); while it drives the motion it fades to nothing at the maximal speed."""
    W = width(spec)
    zero, one = number(0.0, u), number(1.0, u)
    clamped = maximum(minimum(u, one), -one)
    fading = maximum(fma(-absolute(v), load(data, dof + MOTOR_SLOWDOWN * W, spec), one), zero)
    return load(data, dof + MOTOR_STRENGTH * W, spec) * clamped * where(clamped * v > zero, fading, one)


def ball_force(
    ints: Array, data: Array, scratch: Array, d: int, s: int, t: Number, step: Number, spec: Spec
) -> None:
    """TAU and implicit terms of a ball joint; `step` is γ dt."""
    W = width(spec)
    dof = d + first_dof(BALL) * W
    phi = quaternion_log(load4(data, d + CONFIGURATION * W, spec))
    K0, B0, pull0, tau0, drift0 = ball_axis(ints, data, dof, phi[0], t, spec)
    K1, B1, pull1, tau1, drift1 = ball_axis(ints, data, dof + DOF_SIZE * W, phi[1], t, spec)
    K2, B2, pull2, tau2, drift2 = ball_axis(ints, data, dof + 2 * DOF_SIZE * W, phi[2], t, spec)
    torque = right_jacobian_inverse_transposed(phi, (pull0, pull1, pull2))
    store(data, dof + TAU * W, tau0 - torque[0], spec)
    store(data, dof + (DOF_SIZE + TAU) * W, tau1 - torque[1], spec)
    store(data, dof + (2 * DOF_SIZE + TAU) * W, tau2 - torque[2], spec)
    if ints[FLAGS] & FLAG_IMPLICIT:
        extra = s + (JOINT + JOINT_SIZE[BALL]) * W
        K = tangent_stiffness(phi, (K0, K1, K2))
        squared = step * step
        E0, E3, E5 = (
            fma(squared, K[0], step * B0),
            fma(squared, K[3], step * B1),
            fma(squared, K[5], step * B2),
        )
        store6(scratch, extra, (E0, squared * K[1], squared * K[2], E3, squared * K[4], E5), spec)
        store6(scratch, extra + BALL_TERM_K * W, K, spec)
        store3(scratch, extra + BALL_TERM_DRIFT * W,
               right_jacobian_inverse_transposed(phi, (drift0, drift1, drift2)), spec)  # fmt: skip


def ball_axis(ints: Array, data: Array, dof: int, angle: Number, t: Number, spec: Spec) -> Any:
    """(stiffness, damping, gradient of the potential, other torque, servo drift) about one axis of a ball joint."""
    W = width(spec)
    h, h_rate, _ = signal(ints, data, dof, t, spec)
    k, servo_k = load(data, dof + STIFFNESS * W, spec), load(data, dof + SERVO_STIFFNESS * W, spec)
    B = load(data, dof + DAMPING * W, spec) + load(data, dof + SERVO_DAMPING * W, spec)
    v = load(data, dof + VELOCITY * W, spec)
    pull = fma(k, angle - load(data, dof + REST * W, spec), servo_k * (angle - h))
    tau = fma(-B, v, load(data, dof + APPLIED * W, spec) + motor_force(data, dof, h, v, spec))
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
