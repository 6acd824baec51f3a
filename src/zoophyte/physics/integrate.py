"""Coordinates in time: how each kind of link is advanced, and the explicit Runge–Kutta steps.

The free joint is advanced in the momentum of its own body, in world axes: (L, u) = (R·I_c·ω, velocity of the centre of
mass); a ball joint likewise, about the joint, in its parent's axes.  Component-wise steps of the body-axis velocity speed a
spinning body up (2.7 times in 1 s at 20 rad/s and dt = 5 ms); in (L, u) a spinning thrown body keeps both momenta to
rounding, whatever the step.  For a link that carries others this is the same change of variables, and every step keeps
its order.

Runge–Kutta works on vectors y = (q, velocity variables) with quaternions as plain 4-vectors, normalised after each stage.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import acceleration_at
from zoophyte.algebra.quaternions import (
    quaternion_integrate,
    quaternion_matrix,
    quaternion_normalized,
    quaternion_rate,
)
from zoophyte.algebra.rotations import apply_symmetric, rotate, unrotate
from zoophyte.algebra.vectors import add, add_cross, add_scaled, cross, scale, subtract
from zoophyte.model.layout import (
    BALL,
    EXTRA,
    FLAG_DRIVEN,
    FREE,
    JOINT,
    JOINT_SIZE,
    LINK_COUNT,
    Q_COUNT,
    RUNGE_STAGES,
    V_COUNT,
)
from zoophyte.numbers import Array, Mask, Spec, fma, load, number, store, where, width
from zoophyte.numbers.records import Field, Record
from zoophyte.physics.dynamics.links import (
    BallJoint,
    FreeJoint,
    Link,
    header,
    link_of,
)

# Butcher tableaus in rows of six: classical RK4 (three rows of A, then b), then Fehlberg's 4(5) pair (five rows of A, then
# the fifth-order b, which is kept).
TABLEAU = (
    0.5, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.5, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 1.0, 0.0, 0.0, 0.0,
    1 / 6, 1 / 3, 1 / 3, 1 / 6, 0.0, 0.0,
    1 / 4, 0.0, 0.0, 0.0, 0.0, 0.0,
    3 / 32, 9 / 32, 0.0, 0.0, 0.0, 0.0,
    1932 / 2197, -7200 / 2197, 7296 / 2197, 0.0, 0.0, 0.0,
    439 / 216, -8.0, 3680 / 513, -845 / 4104, 0.0, 0.0,
    -8 / 27, 2.0, -3544 / 2565, 1859 / 4104, -11 / 40, 0.0,
    16 / 135, 0.0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55,
)  # fmt: skip
RK4_ROW, RKF_ROW = 0, 4
NODES = (0.0, 0.5, 0.5, 1.0, 0.0, 1 / 4, 3 / 8, 12 / 13, 1.0, 1 / 2)  # of RK4, then of Fehlberg's pair
RK4_NODE, RKF_NODE = 0, 4


class AxisCopy(Record):
    """y, or its rate, of a hinge or slide."""

    q = Field("copy", 0)
    v = Field("copy", 1)


class BallCopy(Record):
    """y, or its rate, of a ball joint."""

    q = Field("copy", 0, 4)
    v = Field("copy", 4, 3)


class FreeCopy(Record):
    """y, or its rate, of a free link: orientation, centre of mass, L and u."""

    q = Field("copy", 0, 4)
    x = Field("copy", 4, 3)
    L = Field("copy", 7, 3)
    u = Field("copy", 10, 3)


def stage_start(kind: int, s: int, spec: Spec) -> int:
    """Where a link's integrator copies start in `scratch`."""
    return s + (JOINT + JOINT_SIZE[kind] + EXTRA[kind]) * width(spec)


def copy_start(L: Link, slot: int) -> int:
    """Where a copy of y starts in `scratch`: slot 0 is y₀, then come the rates of the stages, then the sum."""
    size = Q_COUNT[L.kind] + V_COUNT[L.kind]
    return stage_start(L.kind, L.scratch_start, L.spec) + slot * size * width(L.spec)


def free_momentum(data: Array, d: int, spec: Spec) -> Any:
    """(quaternion, centre of mass, L, u) of a free link, the last three in the axes of its joint's fixed frame."""
    J = FreeJoint(data, d, data, 0, spec)  # only what lies in `data` is asked for
    q, c, V = J.q, J.com, J.v
    R, w, v = quaternion_matrix(q), (V[0], V[1], V[2]), (V[3], V[4], V[5])
    L = rotate(R, apply_symmetric(J.carrier_inertia, w))  # L = R I ω
    return q, add(J.p, rotate(R, c)), L, rotate(R, add_cross(v, w, c))


def free_from_momentum(data: Array, d: int, q: Any, x: Any, L: Any, u: Any, spec: Spec) -> None:
    """Store a free link given by its (unit) quaternion, centre of mass and momentum."""
    J = FreeJoint(data, d, data, 0, spec)
    R, c = quaternion_matrix(q), J.com
    w = apply_symmetric(J.carrier_inverse, unrotate(R, L))
    v = subtract(unrotate(R, u), cross(w, c))
    J.q, J.p, J.v = q, subtract(x, rotate(R, c)), (w[0], w[1], w[2], v[0], v[1], v[2])


def free_rates(J: FreeJoint) -> Any:
    """(dL/dt, du/dt) of a free link from its velocity and acceleration."""
    R, I, V, A = quaternion_matrix(J.q), J.carrier_inertia, J.v, J.a
    w = (V[0], V[1], V[2])
    L_rate = add_cross(apply_symmetric(I, (A[0], A[1], A[2])), w, apply_symmetric(I, w))
    return rotate(R, L_rate), rotate(R, acceleration_at(A, V, J.com))


def turned(q: Any, L: Any, inverse: Any, dt: Any) -> Any:
    """The orientation dt later of a body with the angular momentum L: turned at the rate it has half-way.

    With the rate of the start instead, a tumbling body would gain energy at every step, though L is kept.
    """
    half = number(0.5, dt)
    w = apply_symmetric(inverse, unrotate(quaternion_matrix(q), L))
    middle = quaternion_matrix(quaternion_integrate(q, scale(half * dt, w)))
    w_middle = rotate(middle, apply_symmetric(inverse, unrotate(middle, L)))
    return quaternion_integrate(q, scale(dt, unrotate(quaternion_matrix(q), w_middle)))


def advance_semi_implicit(ints: Array, data: Array, spec: Spec) -> None:
    """v += dt·a, then q moves with the new v, for every link; ball and free joints in their momentum."""
    dt = header(data, spec).dt
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, data, link, spec)  # only what lies in `data` is asked for
        if L.kind == FREE:
            q, x, momentum, u = free_momentum(data, L.data_start, spec)
            L_rate, u_rate = free_rates(L.free)
            momentum, u = add_scaled(momentum, dt, L_rate), add_scaled(u, dt, u_rate)
            q = turned(q, momentum, L.free.carrier_inverse, dt)
            free_from_momentum(data, L.data_start, q, add_scaled(x, dt, u), momentum, u, spec)
        elif L.kind == BALL:
            advance_ball(L.ball, dt)
        else:
            X = L.axis
            v = fma(dt, X.a, X.v)
            X.v, X.q = v, fma(dt, v, X.q)


def advance_ball(J: BallJoint, dt: Any) -> None:
    """A ball joint in L = R·I·ω: momentum relative to the parent, in its axes, about the joint, of the link alone.

    A driven one has no momentum of its own: it turns with the velocity that it is given.
    """
    I, inverse, q, w, a = J.carrier_inertia, J.carrier_inverse, J.q, J.v, J.a
    L_B = apply_symmetric(I, w)
    rate = add_cross(apply_symmetric(I, a), w, L_B)
    L = rotate(quaternion_matrix(q), add_scaled(L_B, dt, rate))
    q_next = turned(q, L, inverse, dt)
    if J.flags & FLAG_DRIVEN:
        given = quaternion_integrate(q, scale(dt, add_scaled(w, dt, a)))
        q_next = choose4(J.mobile > number(0.5, dt), q_next, given)
    J.q, J.v = q_next, apply_symmetric(inverse, unrotate(quaternion_matrix(q_next), L))


def choose4(mask: Mask, a: Any, b: Any) -> Any:
    """`a` where the mask holds, else `b`."""
    return (
        where(mask, a[0], b[0]),
        where(mask, a[1], b[1]),
        where(mask, a[2], b[2]),
        where(mask, a[3], b[3]),
    )


def save_start(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Copy y = (q, velocity variables) of every link into slot 0 of its integrator copies."""
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        start = copy_start(L, 0)
        if L.kind == FREE:
            F = FreeCopy(scratch, start, spec)
            F.q, F.x, F.L, F.u = free_momentum(data, L.data_start, spec)
        elif L.kind == BALL:
            B = BallCopy(scratch, start, spec)
            B.q, B.v = L.ball.q, L.ball.v
        else:
            X = AxisCopy(scratch, start, spec)
            X.q, X.v = L.axis.q, L.axis.v


def save_rates(ints: Array, data: Array, scratch: Array, stage: int, spec: Spec) -> None:
    """dy/dt of every link at this stage into slot 1 + stage."""
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        start = copy_start(L, 1 + stage)
        if L.kind == FREE:
            F, V = FreeCopy(scratch, start, spec), L.free.v
            q, _, _, u = free_momentum(data, L.data_start, spec)
            L_rate, u_rate = free_rates(L.free)
            F.q, F.x, F.L, F.u = quaternion_rate(q, (V[0], V[1], V[2])), u, L_rate, u_rate
        elif L.kind == BALL:
            B = BallCopy(scratch, start, spec)
            B.q, B.v = quaternion_rate(L.ball.q, L.ball.v), L.ball.a
        else:
            X = AxisCopy(scratch, start, spec)
            X.q, X.v = L.axis.v, L.axis.a


def combine(ints: Array, data: Array, scratch: Array, tableau_row: int, stages: int, spec: Spec) -> None:
    """y = y₀ + dt Σ_j TABLEAU[row][j]·k_j over the first `stages` stages, into q and v of every link."""
    W, dt = width(spec), header(data, spec).dt
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        size, start, y = Q_COUNT[L.kind] + V_COUNT[L.kind], copy_start(L, 0), copy_start(L, 1 + RUNGE_STAGES)
        for entry in range(size):
            total = number(0.0, dt)
            for j in range(stages):
                k_j = load(scratch, start + ((1 + j) * size + entry) * W, spec)
                total = fma(number(TABLEAU[6 * tableau_row + j], dt), k_j, total)
            store(scratch, y + entry * W, fma(dt, total, load(scratch, start + entry * W, spec)), spec)
        if L.kind == FREE:
            F = FreeCopy(scratch, y, spec)
            free_from_momentum(data, L.data_start, quaternion_normalized(F.q), F.x, F.L, F.u, spec)
        elif L.kind == BALL:
            B = BallCopy(scratch, y, spec)
            L.ball.q, L.ball.v = quaternion_normalized(B.q), B.v
        else:
            X = AxisCopy(scratch, y, spec)
            L.axis.q, L.axis.v = X.q, X.v
