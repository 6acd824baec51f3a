"""Main loop 1: one step, and a life of many.

    kinematics → controllers and forces → forward dynamics (ABA) → [contacts] → integrate

A step is a list of stages; before each, commands may change (a controller that is called at every force evaluation works
between :func:`begin_stage` and :func:`end_stage`).
"""

from __future__ import annotations

from zoophyte.model.layout import (
    COUNT,
    DOF_SIZE,
    DT,
    FAILED_COUNT,
    FAILED_LINK,
    FLAG_DRIVEN,
    FLAG_IMPLICIT,
    FLAGS,
    LINK_COUNT,
    MEDIUM,
    ROW_DATA,
    ROW_KIND,
    STAGE_TIME,
    START,
    V_COUNT,
    VELOCITY,
)
from zoophyte.numbers import Array, Spec, absolute, both, fma, load, number, store, where, width
from zoophyte.physics.dynamics.forward import forward_dynamics
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.dynamics.medium import medium_forces
from zoophyte.physics.forces import joint_forces
from zoophyte.physics.implicit import (
    ROS2_GAMMA,
    first_right_side,
    ros2_finish,
    ros2_first,
    ros2_second_right_side,
    save_terms,
)
from zoophyte.physics.integrate import (
    NODES,
    RK4_NODE,
    RK4_ROW,
    RKF_NODE,
    RKF_ROW,
    advance_semi_implicit,
    combine,
    save_rates,
    save_start,
)
from zoophyte.physics.signals import drive

SEMI_IMPLICIT, RK4, RKF45, IMPLICIT, ROS2 = 0, 1, 2, 3, 4
INTEGRATORS = {"semi_implicit": SEMI_IMPLICIT, "rk4": RK4, "rkf45": RKF45, "implicit": IMPLICIT, "ros2": ROS2}
STAGES = (1, 4, 6, 1, 2)
SPEED_LIMIT = 1e8
"""A coordinate faster than this [rad/s, m/s], or not a number, has diverged."""


def life(ints: Array, data: Array, scratch: Array, method: int, steps: int, spec: Spec) -> None:
    """Advance every creature of the block by `steps` steps of DT."""
    for _ in range(steps):
        step(ints, data, scratch, method, spec)


def step(ints: Array, data: Array, scratch: Array, method: int, spec: Spec) -> None:
    """One step of DT."""
    for stage in range(STAGES[method]):
        begin_stage(ints, data, scratch, method, stage, spec)
        end_stage(ints, data, scratch, method, stage, spec)


def begin_stage(ints: Array, data: Array, scratch: Array, method: int, stage: int, spec: Spec) -> None:
    """Bring q, v and STAGE_TIME to where the forces of this stage are evaluated."""
    if stage == 0 and STAGES[method] > 1:
        save_start(ints, data, scratch, spec)
    if method == RK4 or method == RKF45:
        set_time(data, NODES[(RK4_NODE if method == RK4 else RKF_NODE) + stage], spec)
        if stage > 0:
            combine(ints, data, scratch, (RK4_ROW if method == RK4 else RKF_ROW) + stage - 1, stage, spec)
    else:
        # ROS2 evaluates at both ends; commands of backward Euler act with their value at the end of the step.
        set_time(data, 1.0 if method == IMPLICIT or stage == 1 else 0.0, spec)


def end_stage(ints: Array, data: Array, scratch: Array, method: int, stage: int, spec: Spec) -> None:
    """Forces and forward dynamics at this stage, then what the integrator makes of them."""
    gamma = ROS2_GAMMA if method == ROS2 else 1.0
    if ints[FLAGS] & FLAG_DRIVEN:  # here, so that a controller asked between begin and end is obeyed at once
        drive(ints, data, spec)
    joint_forces(ints, data, scratch, gamma, spec)
    if ints[FLAGS] & FLAG_IMPLICIT:
        if stage == 0:
            first_right_side(ints, data, scratch, gamma, 1.0 if method == ROS2 else 0.0, spec)
            if method == ROS2:
                save_terms(ints, scratch, spec)
        else:
            ros2_second_right_side(ints, data, scratch, spec)
    if ints[MEDIUM] > 0:
        medium_forces(ints, data, scratch, spec)
    forward_dynamics(ints, data, scratch, spec)
    last = stage == STAGES[method] - 1
    if method == RK4 or method == RKF45:
        save_rates(ints, data, scratch, stage, spec)
        if last:
            combine(ints, data, scratch, (RK4_ROW if method == RK4 else RKF_ROW) + stage, stage + 1, spec)
    elif method == ROS2:
        if last:
            ros2_finish(ints, data, scratch, spec)
        else:
            ros2_first(ints, data, scratch, spec)
    else:
        advance_semi_implicit(ints, data, spec)
    if last:
        finish(ints, data, spec)


def evaluate(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Forces and accelerations of the present state, as they are: driven coordinates on their signals, no step taken.

    FLAG_IMPLICIT must be off.
    """
    set_time(data, 0.0, spec)
    if ints[FLAGS] & FLAG_DRIVEN:
        drive(ints, data, spec)
    joint_forces(ints, data, scratch, 1.0, spec)
    if ints[MEDIUM] > 0:
        medium_forces(ints, data, scratch, spec)
    forward_dynamics(ints, data, scratch, spec)


def set_time(data: Array, fraction: float, spec: Spec) -> None:
    """STAGE_TIME = start + (count + fraction)·dt."""
    W = width(spec)
    dt = load(data, DT * W, spec)
    count = load(data, COUNT * W, spec) + number(fraction, dt)
    store(data, STAGE_TIME * W, fma(count, dt, load(data, START * W, spec)), spec)


def finish(ints: Array, data: Array, spec: Spec) -> None:
    """Count the step, put driven coordinates at their new places, and note the first link that diverged."""
    W = width(spec)
    count = load(data, COUNT * W, spec)
    store(data, COUNT * W, count + number(1.0, count), spec)
    set_time(data, 0.0, spec)
    if ints[FLAGS] & FLAG_DRIVEN:
        drive(ints, data, spec)
    failed = load(data, FAILED_LINK * W, spec)
    unharmed = failed < number(0.0, failed)
    limit = number(SPEED_LIMIT, failed)
    for link in range(ints[LINK_COUNT] - 1, 0, -1):  # the innermost link that failed is the one that is told
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        for k in range(V_COUNT[kind]):
            v = load(data, d + (first_dof(kind) + k * DOF_SIZE + VELOCITY) * W, spec)
            sound = absolute(v) < limit
            failed = where(both(unharmed, sound), failed, where(unharmed, number(link, v), failed))
    at = load(data, FAILED_COUNT * W, spec)
    store(data, FAILED_COUNT * W, where(unharmed, count, at), spec)
    store(data, FAILED_LINK * W, failed, spec)
