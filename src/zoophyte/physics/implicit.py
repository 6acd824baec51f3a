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
from zoophyte.model.layout import BALL, FREE, JOINT, JOINT_SIZE, LINK_COUNT
from zoophyte.numbers import Array, Spec, fma, load, number, store, width
from zoophyte.numbers.records import Field, Record
from zoophyte.physics.dynamics.links import FreeJoint, Link, header, link_of
from zoophyte.physics.integrate import (
    AxisCopy,
    BallCopy,
    FreeCopy,
    copy_start,
    free_from_momentum,
    free_rates,
)

ROS2_GAMMA = 1.0 - 0.5**0.5
AXIS_TERMS, BALL_TERMS = 3, 15
"""Implicit terms of a joint, E, K and drift: so many numbers."""


class BallSlopes(Record):
    """k_q1 and k_v1 of a ball joint."""

    turn = Field("copy", 0, 3)
    v = Field("copy", 3, 3)


class FreeSlopes(Record):
    """k_q1 and k_v1 of a free link: in body axes of its turning, else of its centre of mass and momentum."""

    turn = Field("copy", 0, 3)
    move = Field("copy", 3, 3)
    alpha = Field("copy", 6, 3)
    L = Field("copy", 9, 3)
    u = Field("copy", 12, 3)


class AxisTerms(Record):
    """The implicit terms of the first stage, of a hinge or slide."""

    E = Field("copy", 0)
    K = Field("copy", 1)
    drift = Field("copy", 2)


class BallTerms(Record):
    """The same of a ball joint."""

    E = Field("copy", 0, 6)
    K = Field("copy", 6, 6)
    drift = Field("copy", 12, 3)


def first_right_side(
    ints: Array, data: Array, scratch: Array, gamma: float, drift: float, spec: Spec
) -> None:
    """TAU −= γ dt (K v − drift · tau_t): the right side of backward Euler and of the first stage of ROS2.

    Backward Euler reads its commands at the end of the step already (drift 0).
    """
    dt = header(data, spec).dt
    step = dt * number(gamma, dt)
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        if L.kind == BALL:
            B = L.ball
            push, tau_t = apply_symmetric(B.K, B.v), scale(number(drift, step), B.drift)
            B.tau = add(B.tau, scale(step, subtract(tau_t, push)))
        elif L.kind != FREE:
            X = L.axis
            X.tau = fma(step, number(drift, step) * X.drift - X.K * X.v, X.tau)


def ros2_first(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """After the first solve: keep k_q1 and k_v1, move to (q₁, v₁) = (q, v) + dt (k_q1, k_v1) with k_q1 = v + γ dt k_v1."""
    dt = header(data, spec).dt
    step = dt * number(ROS2_GAMMA, dt)
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        y, k = copy_start(L, 0), copy_start(L, 1)
        if L.kind == FREE:
            start_free(L.free, FreeCopy(scratch, y, spec), FreeSlopes(scratch, k, spec), dt, step)
        elif L.kind == BALL:
            B, before, slopes = L.ball, BallCopy(scratch, y, spec), BallSlopes(scratch, k, spec)
            w, kv = B.v, B.a
            kq = add_scaled(w, step, kv)
            slopes.turn, slopes.v = kq, kv
            B.q, B.v = quaternion_integrate(before.q, scale(dt, kq)), add_scaled(w, dt, kv)
        else:
            X, at, slope = L.axis, AxisCopy(scratch, y, spec), AxisCopy(scratch, k, spec)
            v, kv = X.v, X.a
            kq = fma(step, kv, v)
            slope.q, slope.v = kq, kv
            X.q, X.v = fma(dt, kq, at.q), fma(dt, kv, v)


def start_free(J: FreeJoint, y: FreeCopy, k: FreeSlopes, dt: Any, step: Any) -> None:
    """k_q1 and k_v1 of a free link, which moves to (q₁, v₁)."""
    V, A, u = J.v, J.a, y.u
    L_rate, u_rate = free_rates(J)
    alpha = (A[0], A[1], A[2])
    turn, move = add_scaled((V[0], V[1], V[2]), step, alpha), add_scaled(u, step, u_rate)
    k.turn, k.move, k.alpha, k.L, k.u = turn, move, alpha, L_rate, u_rate
    q, x = quaternion_integrate(y.q, scale(dt, turn)), add_scaled(y.x, dt, move)
    L, u = add_scaled(y.L, dt, L_rate), add_scaled(u, dt, u_rate)
    free_from_momentum(J.data, J.data_start, q, x, L, u, J.spec)


def save_terms(ints: Array, scratch: Array, spec: Spec) -> None:
    """Copy E, K and drift of the first stage aside: the second stage must use the same linearisation."""
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, scratch, scratch, link, spec)  # only what lies in `scratch` is asked for
        if L.kind != FREE:
            copy_terms(L, terms_start(L), copy_start(L, 2))


def terms_start(L: Link) -> int:
    """Where the implicit terms of a joint lie; those that are kept lie behind y₀ and the first slopes."""
    return L.scratch_start + (JOINT + JOINT_SIZE[L.kind]) * width(L.spec)


def copy_terms(L: Link, source: int, target: int) -> None:
    """E, K and drift from one place to the other."""
    W = width(L.spec)
    for n in range(BALL_TERMS if L.kind == BALL else AXIS_TERMS):
        store(L.scratch, target + n * W, load(L.scratch, source + n * W, L.spec), L.spec)


def ros2_second_right_side(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """TAU −= γ dt (K r + tau_t) − 2 E k_v1, with E put back to that of the first stage and r = v₁ − 2 k_q1."""
    dt = header(data, spec).dt
    step, two = dt * number(ROS2_GAMMA, dt), number(2.0, dt)
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        k, kept = copy_start(L, 1), copy_start(L, 2)
        if L.kind == BALL:
            copy_terms(L, kept, terms_start(L))
            B, slopes, terms = L.ball, BallSlopes(scratch, k, spec), BallTerms(scratch, kept, spec)
            r = subtract(B.v, scale(two, slopes.turn))
            push, held = add(apply_symmetric(terms.K, r), terms.drift), apply_symmetric(terms.E, slopes.v)
            B.tau = add(B.tau, subtract(scale(two, held), scale(step, push)))
        elif L.kind != FREE:
            copy_terms(L, kept, terms_start(L))
            X, slope, term = L.axis, AxisCopy(scratch, k, spec), AxisTerms(scratch, kept, spec)
            push = fma(term.K, X.v - two * slope.q, term.drift)
            X.tau = X.tau + (two * term.E * slope.v - step * push)


def ros2_finish(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """After the second solve: the new q and v, with r = v₁ − 2 k_q1, k_v2 = x − 2 k_v1 and k_q2 = r + γ dt k_v2."""
    dt = header(data, spec).dt
    step, two = dt * number(ROS2_GAMMA, dt), number(2.0, dt)
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        y, k = copy_start(L, 0), copy_start(L, 1)
        if L.kind == FREE:
            finish_free(L.free, FreeCopy(scratch, y, spec), FreeSlopes(scratch, k, spec), dt, step)
        elif L.kind == BALL:
            B, before, slopes = L.ball, BallCopy(scratch, y, spec), BallSlopes(scratch, k, spec)
            kq1, kv1 = slopes.turn, slopes.v
            r, kv2 = subtract(B.v, scale(two, kq1)), subtract(B.a, scale(two, kv1))
            turn = weighted(kq1, add_scaled(r, step, kv2))
            B.q = quaternion_integrate(before.q, scale(dt, turn))
            B.v = add_scaled(before.v, dt, weighted(kv1, kv2))
        else:
            X, at, slope = L.axis, AxisCopy(scratch, y, spec), AxisCopy(scratch, k, spec)
            kq1, kv1 = slope.q, slope.v
            r, kv2 = X.v - two * kq1, X.a - two * kv1
            kq2 = fma(step, kv2, r)
            half, more = number(0.5, dt), number(1.5, dt)
            X.q = fma(dt, more * kq1 + half * kq2, at.q)
            X.v = fma(dt, more * kv1 + half * kv2, at.v)


def weighted(a: Any, b: Any) -> Any:
    """3/2 a + 1/2 b."""
    return add_scaled(scale(number(1.5, a[0]), a), number(0.5, a[0]), b)


def finish_free(J: FreeJoint, y: FreeCopy, k: FreeSlopes, dt: Any, step: Any) -> None:
    """The new pose and momentum of a free link."""
    half, two = number(0.5, dt), number(2.0, dt)
    kq_turn, kq_move, L_rate1, u_rate1 = k.turn, k.move, k.L, k.u
    V, A, u0 = J.v, J.a, y.u
    L_rate2, u_rate2 = free_rates(J)
    u1 = add_scaled(u0, dt, u_rate1)
    r_turn = subtract((V[0], V[1], V[2]), scale(two, kq_turn))
    kv_turn = subtract((A[0], A[1], A[2]), scale(two, k.alpha))
    turn = weighted(kq_turn, add_scaled(r_turn, step, kv_turn))
    kv_move = subtract(u_rate2, scale(two, u_rate1))
    move = weighted(kq_move, add_scaled(subtract(u1, scale(two, kq_move)), step, kv_move))
    L = add_scaled(y.L, half * dt, add(L_rate1, L_rate2))
    u = add_scaled(u0, half * dt, add(u_rate1, u_rate2))
    q, x = quaternion_integrate(y.q, scale(dt, turn)), add_scaled(y.x, dt, move)
    free_from_momentum(J.data, J.data_start, q, x, L, u, J.spec)
