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
    ACCELERATION,
    BALL,
    CARRIER_INERTIA,
    CARRIER_INVERSE,
    CONFIGURATION,
    DOF_SIZE,
    DT,
    EXTRA,
    FLAG_DRIVEN,
    FLAGS,
    FREE,
    JOINT,
    JOINT_SIZE,
    LINK_COUNT,
    MOBILE,
    Q_COUNT,
    ROW_DATA,
    ROW_KIND,
    ROW_SCRATCH,
    RUNGE_STAGES,
    V_COUNT,
    VELOCITY,
)
from zoophyte.numbers import (
    Array,
    Spec,
    fma,
    load,
    number,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import load3, load4, load6, store3, store4
from zoophyte.physics.dynamics.blocks import dof_fields3, dof_fields6, store_dof_fields6
from zoophyte.physics.dynamics.kinematics import first_dof, row

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


def stage_start(kind: int, s: int, spec: Spec) -> int:
    """Where a link's integrator copies start in `scratch`."""
    return s + (JOINT + JOINT_SIZE[kind] + EXTRA[kind]) * width(spec)


def free_momentum(data: Array, d: int, spec: Spec) -> Any:
    """(quaternion, centre of mass, L, u) of a free link, the last three in the axes of its joint's fixed frame."""
    W = width(spec)
    q = load4(data, d + CONFIGURATION * W, spec)
    R_JL = quaternion_matrix(q)
    carrier = carrier_of(FREE, d, spec)
    c = load3(data, carrier, spec)
    V = dof_fields6(data, d, VELOCITY, spec)
    w, v = (V[0], V[1], V[2]), (V[3], V[4], V[5])
    L = rotate(R_JL, apply_symmetric(load6(data, carrier + CARRIER_INERTIA * W, spec), w))
    x = add(load3(data, d + (CONFIGURATION + 4) * W, spec), rotate(R_JL, c))
    return q, x, L, rotate(R_JL, add_cross(v, w, c))


def free_from_momentum(data: Array, d: int, q: Any, x: Any, L: Any, u: Any, spec: Spec) -> None:
    """Store a free link given by its (unit) quaternion, centre of mass and momentum."""
    W = width(spec)
    R_JL = quaternion_matrix(q)
    carrier = carrier_of(FREE, d, spec)
    c = load3(data, carrier, spec)
    w = apply_symmetric(load6(data, carrier + CARRIER_INVERSE * W, spec), unrotate(R_JL, L))
    v = subtract(unrotate(R_JL, u), cross(w, c))
    store4(data, d + CONFIGURATION * W, q, spec)
    store3(data, d + (CONFIGURATION + 4) * W, subtract(x, rotate(R_JL, c)), spec)
    store_dof_fields6(data, d, VELOCITY, (w[0], w[1], w[2], v[0], v[1], v[2]), spec)


def free_rates(data: Array, d: int, spec: Spec) -> Any:
    """(dL/dt, du/dt) of a free link from its velocity and acceleration."""
    W = width(spec)
    R_JL = quaternion_matrix(load4(data, d + CONFIGURATION * W, spec))
    carrier = carrier_of(FREE, d, spec)
    I = load6(data, carrier + CARRIER_INERTIA * W, spec)
    V, A = dof_fields6(data, d, VELOCITY, spec), dof_fields6(data, d, ACCELERATION, spec)
    w = (V[0], V[1], V[2])
    L_rate = add_cross(apply_symmetric(I, (A[0], A[1], A[2])), w, apply_symmetric(I, w))
    return rotate(R_JL, L_rate), rotate(R_JL, acceleration_at(A, V, load3(data, carrier, spec)))


def carrier_of(kind: int, d: int, spec: Spec) -> int:
    """Where the carrier of a ball or free link starts in `data`."""
    return d + (first_dof(kind) + (3 if kind == BALL else 6) * DOF_SIZE) * width(spec)


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
    W = width(spec)
    dt = load(data, DT * W, spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        dof, at = d + first_dof(kind) * W, d + CONFIGURATION * W
        if kind == FREE:
            q, x, L, u = free_momentum(data, d, spec)
            L_rate, u_rate = free_rates(data, d, spec)
            L, u = add_scaled(L, dt, L_rate), add_scaled(u, dt, u_rate)
            inverse = load6(data, carrier_of(FREE, d, spec) + CARRIER_INVERSE * W, spec)
            free_from_momentum(data, d, turned(q, L, inverse, dt), add_scaled(x, dt, u), L, u, spec)
        elif kind == BALL:
            advance_ball(ints, data, d, spec)
        else:
            v = fma(dt, load(data, dof + ACCELERATION * W, spec), load(data, dof + VELOCITY * W, spec))
            store(data, dof + VELOCITY * W, v, spec)
            store(data, at, fma(dt, v, load(data, at, spec)), spec)


def advance_ball(ints: Array, data: Array, d: int, spec: Spec) -> None:
    """A ball joint in L = R·I·ω: momentum relative to the parent, in its axes, about the joint, of the link alone.

    A driven one has no momentum of its own: it turns with the velocity that it is given.
    """
    W = width(spec)
    dt, carrier = load(data, DT * W, spec), carrier_of(BALL, d, spec)
    I, inverse = (
        load6(data, carrier + CARRIER_INERTIA * W, spec),
        load6(data, carrier + CARRIER_INVERSE * W, spec),
    )
    q = load4(data, d + CONFIGURATION * W, spec)
    w, a = dof_fields3(data, d, VELOCITY, spec), dof_fields3(data, d, ACCELERATION, spec)
    L_B = apply_symmetric(I, w)
    rate = add_cross(apply_symmetric(I, a), w, L_B)
    L = rotate(quaternion_matrix(q), add_scaled(L_B, dt, rate))
    q_next = turned(q, L, inverse, dt)
    if ints[FLAGS] & FLAG_DRIVEN:
        mobile = load(data, d + (first_dof(BALL) + MOBILE) * W, spec) > number(0.5, dt)
        given = quaternion_integrate(q, scale(dt, add_scaled(w, dt, a)))
        q_next = (where(mobile, q_next[0], given[0]), where(mobile, q_next[1], given[1]),
                  where(mobile, q_next[2], given[2]), where(mobile, q_next[3], given[3]))  # fmt: skip
    q = q_next
    store4(data, d + CONFIGURATION * W, q, spec)
    w = apply_symmetric(inverse, unrotate(quaternion_matrix(q), L))
    store_velocity3(data, d + first_dof(BALL) * W, w, spec)


def store_velocity3(data: Array, dof: int, w: Any, spec: Spec) -> None:
    """Velocity of a ball link."""
    W = width(spec)
    store(data, dof + VELOCITY * W, w[0], spec)
    store(data, dof + (DOF_SIZE + VELOCITY) * W, w[1], spec)
    store(data, dof + (2 * DOF_SIZE + VELOCITY) * W, w[2], spec)


def save_start(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Copy y = (q, velocity variables) of every link into slot 0 of its integrator copies."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        y = stage_start(kind, ints[i + ROW_SCRATCH], spec)
        if kind == FREE:
            q, x, L, u = free_momentum(data, d, spec)
            store4(scratch, y, q, spec)
            store3(scratch, y + 4 * W, x, spec)
            store3(scratch, y + 7 * W, L, spec)
            store3(scratch, y + 10 * W, u, spec)
        elif kind == BALL:
            store4(scratch, y, load4(data, d + CONFIGURATION * W, spec), spec)
            store3(scratch, y + 4 * W, dof_fields3(data, d, VELOCITY, spec), spec)
        else:
            store(scratch, y, load(data, d + CONFIGURATION * W, spec), spec)
            store(scratch, y + W, load(data, d + (first_dof(kind) + VELOCITY) * W, spec), spec)


def save_rates(ints: Array, data: Array, scratch: Array, stage: int, spec: Spec) -> None:
    """dy/dt of every link at this stage into slot 1 + stage."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        size = Q_COUNT[kind] + V_COUNT[kind]
        y = stage_start(kind, ints[i + ROW_SCRATCH], spec) + (1 + stage) * size * W
        if kind == FREE:
            q, _, _, u = free_momentum(data, d, spec)
            V = dof_fields6(data, d, VELOCITY, spec)
            L_rate, u_rate = free_rates(data, d, spec)
            store4(scratch, y, quaternion_rate(q, (V[0], V[1], V[2])), spec)
            store3(scratch, y + 4 * W, u, spec)
            store3(scratch, y + 7 * W, L_rate, spec)
            store3(scratch, y + 10 * W, u_rate, spec)
        elif kind == BALL:
            w = dof_fields3(data, d, VELOCITY, spec)
            store4(scratch, y, quaternion_rate(load4(data, d + CONFIGURATION * W, spec), w), spec)
            store3(scratch, y + 4 * W, dof_fields3(data, d, ACCELERATION, spec), spec)
        else:
            dof = d + first_dof(kind) * W
            store(scratch, y, load(data, dof + VELOCITY * W, spec), spec)
            store(scratch, y + W, load(data, dof + ACCELERATION * W, spec), spec)


def combine(ints: Array, data: Array, scratch: Array, tableau_row: int, stages: int, spec: Spec) -> None:
    """y = y₀ + dt Σ_j TABLEAU[row][j]·k_j over the first `stages` stages, into q and v of every link."""
    W = width(spec)
    dt = load(data, DT * W, spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        size = Q_COUNT[kind] + V_COUNT[kind]
        start = stage_start(kind, ints[i + ROW_SCRATCH], spec)
        y = start + (1 + RUNGE_STAGES) * size * W
        for entry in range(size):
            total = number(0.0, dt)
            for j in range(stages):
                weight = TABLEAU[6 * tableau_row + j]
                total = fma(
                    number(weight, dt), load(scratch, start + ((1 + j) * size + entry) * W, spec), total
                )
            store(scratch, y + entry * W, fma(dt, total, load(scratch, start + entry * W, spec)), spec)
        if kind == FREE:
            q = quaternion_normalized(load4(scratch, y, spec))
            x, L = load3(scratch, y + 4 * W, spec), load3(scratch, y + 7 * W, spec)
            free_from_momentum(data, d, q, x, L, load3(scratch, y + 10 * W, spec), spec)
        elif kind == BALL:
            store4(data, d + CONFIGURATION * W, quaternion_normalized(load4(scratch, y, spec)), spec)
            store_velocity3(data, d + first_dof(BALL) * W, load3(scratch, y + 4 * W, spec), spec)
        else:
            store(data, d + CONFIGURATION * W, load(scratch, y, spec), spec)
            store(data, d + (first_dof(kind) + VELOCITY) * W, load(scratch, y + W, spec), spec)
