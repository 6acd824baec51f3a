"""Linearly implicit steps: backward Euler and ROS2.

Springs, dampers, limits and servos are linearised at the start of the step; their stiffness K and damping B enter the
articulated-body algorithm as E = γ dt B + γ² dt² K beside D, so that a step stays O(n) and stiff joints stay stable.

*Backward Euler* (γ = 1): D + E, tau − dt K v; robust, but adds a damping ratio of about π f dt.
*ROS2* (γ = 1 − 1/√2; Verwer, Spee, Blom and Hundsdorfer, "A second-order Rosenbrock method applied to photochemical
dispersion problems", 1999): two solves, second order and L-stable, keeps damping honest.  With k_q, k_v the stage
slopes of q and v:

    (M + E) k_v1 = tau(q, v) − bias − γ dt K v + γ dt tau_t              k_q1 = v + γ dt k_v1
    (M₁ + E) x   = tau(q₁, v₁) − bias₁ − γ dt K r + 2 E k_v1 − γ dt tau_t,  r = v₁ − 2 k_q1,  k_v2 = x − 2 k_v1
    q₁ = q + dt k_q1,  v₁ = v + dt k_v1,  k_q2 = r + γ dt k_v2
    next:  q + dt (3/2 k_q1 + 1/2 k_q2),  v + dt (3/2 k_v1 + 1/2 k_v2)

Rotations move by the exponential of the body-axis rotation vector dt·(…), which keeps second order.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.quaternions import quaternion_integrate
from zoophyte.algebra.rotations import apply_symmetric
from zoophyte.algebra.vectors import add, add_scaled, scale, subtract
from zoophyte.model.layout import (
    ACCELERATION,
    BALL,
    CONFIGURATION,
    DOF_SIZE,
    DT,
    FREE,
    HINGE,
    JOINT,
    JOINT_SIZE,
    LINK_COUNT,
    Q_COUNT,
    ROW_DATA,
    ROW_KIND,
    ROW_SCRATCH,
    TAU,
    V_COUNT,
    VELOCITY,
)
from zoophyte.numbers import Array, Spec, fma, load, number, store, width
from zoophyte.numbers.memory import load3, load4, load6, store3, store4
from zoophyte.physics.dynamics.blocks import dof_fields3, dof_fields6
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.forces import BALL_TERM_DRIFT, BALL_TERM_K, TERM_DRIFT, TERM_E, TERM_K
from zoophyte.physics.integrate import free_from_momentum, free_rates, stage_start, store_velocity3

ROS2_GAMMA = 1.0 - 0.5**0.5


def first_right_side(
    ints: Array, data: Array, scratch: Array, gamma: float, drift: float, spec: Spec
) -> None:
    """TAU −= γ dt (K v − drift · tau_t): the right side of backward Euler and of the first stage of ROS2.

    Backward Euler reads its commands at the end of the step already (drift 0).
    """
    W = width(spec)
    step = load(data, DT * W, spec) * number(gamma, load(data, DT * W, spec))
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        if kind == BALL:
            extra = s + (JOINT + JOINT_SIZE[BALL]) * W
            w = dof_fields3(data, d, VELOCITY, spec)
            push = apply_symmetric(load6(scratch, extra + BALL_TERM_K * W, spec), w)
            tau_t = scale(number(drift, step), load3(scratch, extra + BALL_TERM_DRIFT * W, spec))
            add_tau3(data, d, scale(step, subtract(tau_t, push)), spec)
        elif kind != FREE:
            extra, dof = s + (JOINT + JOINT_SIZE[HINGE]) * W, d + first_dof(kind) * W
            push = load(scratch, extra + TERM_K * W, spec) * load(data, dof + VELOCITY * W, spec)
            tau_t = number(drift, step) * load(scratch, extra + TERM_DRIFT * W, spec)
            tau = load(data, dof + TAU * W, spec)
            store(data, dof + TAU * W, fma(step, tau_t - push, tau), spec)


def add_tau3(data: Array, d: int, x: Any, spec: Spec) -> None:
    """TAU += x for a ball link."""
    W = width(spec)
    dof = d + (first_dof(BALL) + TAU) * W
    store(data, dof, load(data, dof, spec) + x[0], spec)
    store(data, dof + DOF_SIZE * W, load(data, dof + DOF_SIZE * W, spec) + x[1], spec)
    store(data, dof + 2 * DOF_SIZE * W, load(data, dof + 2 * DOF_SIZE * W, spec) + x[2], spec)


def ros2_first(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """After the first solve: keep k_q1 and k_v1, move to (q₁, v₁)."""
    W = width(spec)
    dt = load(data, DT * W, spec)
    step = dt * number(ROS2_GAMMA, dt)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        y = stage_start(kind, s, spec)
        k = y + (Q_COUNT[kind] + V_COUNT[kind]) * W
        if kind == FREE:
            V, A = dof_fields6(data, d, VELOCITY, spec), dof_fields6(data, d, ACCELERATION, spec)
            L_rate, u_rate = free_rates(data, d, spec)
            kq_turn = add_scaled((V[0], V[1], V[2]), step, (A[0], A[1], A[2]))
            kq_move = add_scaled(load3(scratch, y + 10 * W, spec), step, u_rate)
            store3(scratch, k, kq_turn, spec)
            store3(scratch, k + 3 * W, kq_move, spec)
            store3(scratch, k + 6 * W, (A[0], A[1], A[2]), spec)
            store3(scratch, k + 9 * W, L_rate, spec)
            store3(scratch, k + 12 * W, u_rate, spec)
            L = add_scaled(load3(scratch, y + 7 * W, spec), dt, L_rate)
            u = add_scaled(load3(scratch, y + 10 * W, spec), dt, u_rate)
            q = quaternion_integrate(load4(scratch, y, spec), scale(dt, kq_turn))
            free_from_momentum(
                data, d, q, add_scaled(load3(scratch, y + 4 * W, spec), dt, kq_move), L, u, spec
            )
        elif kind == BALL:
            w, kv = dof_fields3(data, d, VELOCITY, spec), dof_fields3(data, d, ACCELERATION, spec)
            kq = add_scaled(w, step, kv)
            store3(scratch, k, kq, spec)
            store3(scratch, k + 3 * W, kv, spec)
            store4(
                data,
                d + CONFIGURATION * W,
                quaternion_integrate(load4(scratch, y, spec), scale(dt, kq)),
                spec,
            )
            store_velocity3(data, d + first_dof(BALL) * W, add_scaled(w, dt, kv), spec)
        else:
            dof = d + first_dof(kind) * W
            v, kv = load(data, dof + VELOCITY * W, spec), load(data, dof + ACCELERATION * W, spec)
            kq = fma(step, kv, v)
            store(scratch, k, kq, spec)
            store(scratch, k + W, kv, spec)
            store(data, d + CONFIGURATION * W, fma(dt, kq, load(scratch, y, spec)), spec)
            store(data, dof + VELOCITY * W, fma(dt, kv, v), spec)


def save_terms(ints: Array, scratch: Array, spec: Spec) -> None:
    """Copy E, K and drift of the first stage aside: the second stage must use the same linearisation."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, s = ints[i + ROW_KIND], ints[i + ROW_SCRATCH]
        if kind != FREE:
            extra = s + (JOINT + JOINT_SIZE[kind]) * W
            kept = terms_start(kind, s, spec)
            for n in range(15 if kind == BALL else 3):
                store(scratch, kept + n * W, load(scratch, extra + n * W, spec), spec)


def terms_start(kind: int, s: int, spec: Spec) -> int:
    """Where the kept terms lie: behind y₀ and the first slopes."""
    return stage_start(kind, s, spec) + 2 * (Q_COUNT[kind] + V_COUNT[kind]) * width(spec)


def ros2_second_right_side(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """TAU −= γ dt (K r + tau_t) − 2 E k_v1, with E put back to that of the first stage."""
    W = width(spec)
    dt = load(data, DT * W, spec)
    step, two = dt * number(ROS2_GAMMA, dt), number(2.0, dt)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        k = stage_start(kind, s, spec) + (Q_COUNT[kind] + V_COUNT[kind]) * W
        kept = terms_start(kind, s, spec)
        extra = s + (JOINT + JOINT_SIZE[kind]) * W
        if kind == BALL:
            for n in range(15):
                store(scratch, extra + n * W, load(scratch, kept + n * W, spec), spec)
            kq, kv = load3(scratch, k, spec), load3(scratch, k + 3 * W, spec)
            r = subtract(dof_fields3(data, d, VELOCITY, spec), scale(two, kq))
            push = add(apply_symmetric(load6(scratch, kept + BALL_TERM_K * W, spec), r),
                       load3(scratch, kept + BALL_TERM_DRIFT * W, spec))  # fmt: skip
            held = scale(two, apply_symmetric(load6(scratch, kept, spec), kv))
            add_tau3(data, d, subtract(held, scale(step, push)), spec)
        elif kind != FREE:
            for n in range(3):
                store(scratch, extra + n * W, load(scratch, kept + n * W, spec), spec)
            dof = d + first_dof(kind) * W
            r = load(data, dof + VELOCITY * W, spec) - two * load(scratch, k, spec)
            push = fma(load(scratch, kept + TERM_K * W, spec), r, load(scratch, kept + TERM_DRIFT * W, spec))
            held = two * load(scratch, kept + TERM_E * W, spec) * load(scratch, k + W, spec)
            store(data, dof + TAU * W, load(data, dof + TAU * W, spec) + (held - step * push), spec)


def ros2_finish(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """After the second solve: the new q and v."""
    W = width(spec)
    dt = load(data, DT * W, spec)
    step, two = dt * number(ROS2_GAMMA, dt), number(2.0, dt)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        y = stage_start(kind, s, spec)
        k = y + (Q_COUNT[kind] + V_COUNT[kind]) * W
        if kind == FREE:
            finish_free(data, scratch, d, y, k, spec)
        elif kind == BALL:
            kq1, kv1 = load3(scratch, k, spec), load3(scratch, k + 3 * W, spec)
            r = subtract(dof_fields3(data, d, VELOCITY, spec), scale(two, kq1))
            kv2 = subtract(dof_fields3(data, d, ACCELERATION, spec), scale(two, kv1))
            turn = weighted(kq1, add_scaled(r, step, kv2))
            q = quaternion_integrate(load4(scratch, y, spec), scale(dt, turn))
            store4(data, d + CONFIGURATION * W, q, spec)
            w = add_scaled(load3(scratch, y + 4 * W, spec), dt, weighted(kv1, kv2))
            store_velocity3(data, d + first_dof(BALL) * W, w, spec)
        else:
            dof = d + first_dof(kind) * W
            kq1, kv1 = load(scratch, k, spec), load(scratch, k + W, spec)
            r = load(data, dof + VELOCITY * W, spec) - two * kq1
            kv2 = load(data, dof + ACCELERATION * W, spec) - two * kv1
            kq2 = fma(step, kv2, r)
            half, more = number(0.5, dt), number(1.5, dt)
            store(data, d + CONFIGURATION * W, fma(dt, more * kq1 + half * kq2, load(scratch, y, spec)), spec)
            store(
                data, dof + VELOCITY * W, fma(dt, more * kv1 + half * kv2, load(scratch, y + W, spec)), spec
            )


def weighted(a: Any, b: Any) -> Any:
    """3/2 a + 1/2 b."""
    return add_scaled(scale(number(1.5, a[0]), a), number(0.5, a[0]), b)


def finish_free(data: Array, scratch: Array, d: int, y: int, k: int, spec: Spec) -> None:
    """The new pose and momentum of a free link."""
    W = width(spec)
    dt = load(data, DT * W, spec)
    step, two = dt * number(ROS2_GAMMA, dt), number(2.0, dt)
    kq_turn, kq_move = load3(scratch, k, spec), load3(scratch, k + 3 * W, spec)
    alpha1, L_rate1 = load3(scratch, k + 6 * W, spec), load3(scratch, k + 9 * W, spec)
    u_rate1 = load3(scratch, k + 12 * W, spec)
    V, A = dof_fields6(data, d, VELOCITY, spec), dof_fields6(data, d, ACCELERATION, spec)
    L_rate2, u_rate2 = free_rates(data, d, spec)
    u1 = add_scaled(load3(scratch, y + 10 * W, spec), dt, u_rate1)
    r_turn = subtract((V[0], V[1], V[2]), scale(two, kq_turn))
    turn = weighted(kq_turn, add_scaled(r_turn, step, subtract((A[0], A[1], A[2]), scale(two, alpha1))))
    kv_move = subtract(u_rate2, scale(two, u_rate1))
    move = weighted(kq_move, add_scaled(subtract(u1, scale(two, kq_move)), step, kv_move))
    half = number(0.5, dt)
    L = add_scaled(load3(scratch, y + 7 * W, spec), half * dt, add(L_rate1, L_rate2))
    u = add_scaled(load3(scratch, y + 10 * W, spec), half * dt, add(u_rate1, u_rate2))
    q = quaternion_integrate(load4(scratch, y, spec), scale(dt, turn))
    free_from_momentum(data, d, q, add_scaled(load3(scratch, y + 4 * W, spec), dt, move), L, u, spec)
