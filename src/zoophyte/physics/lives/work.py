"""What actuators do: the energy that they put into a body, step by step.

Servos are taken at the end of the step, as the implicit step takes them, motors with the speed that they have made: their
work is then what the step has done with their force, up to terms of second order in its length.
"""

from __future__ import annotations

from zoophyte.algebra.quaternions import quaternion_log, right_jacobian_inverse_transposed
from zoophyte.model.contact_layout import (
    AXIS_COUNT,
    AXIS_DATA,
    AXIS_DOF,
    AXIS_ROW_SIZE,
    AXIS_ROWS,
    WEAK_FORCE,
)
from zoophyte.model.herd.life_layout import EFFORT, FEATURE_WORK, LIFE_HEAD, WORK
from zoophyte.model.layout import (
    APPLIED,
    BALL,
    CONFIGURATION,
    CONTACT,
    DOF_SIZE,
    DT,
    FREE,
    LIFE,
    LINK_COUNT,
    ROW_DATA,
    ROW_KIND,
    SERVO_DAMPING,
    SERVO_STIFFNESS,
    STAGE_TIME,
    VELOCITY,
    called,
)
from zoophyte.numbers import Array, Number, Spec, absolute, fma, load, number, store, where, width
from zoophyte.numbers.memory import load4
from zoophyte.numbers.units import unit
from zoophyte.physics.contact.axes import axis_memory
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.forces import motor_force
from zoophyte.physics.presence import in_life
from zoophyte.physics.signals import signal


@unit(called("add_work"), in_life(FEATURE_WORK))
def add_work(ints: Array, data: Array, spec: Spec) -> None:
    """Work and effort of the step that was just done."""
    W, head = width(spec), ints[ints[LIFE] + LIFE_HEAD]
    dt, t = load(data, DT * W, spec), load(data, STAGE_TIME * W, spec)
    total, effort = number(0.0, dt), number(0.0, dt)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        dof = d + first_dof(kind) * W
        if kind == FREE:
            for n in range(6):
                power = applied_power(data, dof + n * DOF_SIZE * W, spec)
                total, effort = total + power, effort + absolute(power)
        elif kind == BALL:
            power = ball_power(ints, data, d, dof, t, spec)
            total, effort = total + power, effort + absolute(power)
        else:
            v = load(data, dof + VELOCITY * W, spec)
            h, _, _ = signal(ints, data, dof, t, spec)
            away = h - load(data, d + CONFIGURATION * W, spec)
            force = load(data, dof + SERVO_STIFFNESS * W, spec) * away
            force = fma(-load(data, dof + SERVO_DAMPING * W, spec), v, force) + motor_force(
                data, dof, h, v, spec
            )
            power = fma(force, v, applied_power(data, dof, spec))
            total, effort = total + power, effort + absolute(power)
    done, spent = total * dt, effort * dt
    for a in range(ints[ints[CONTACT] + AXIS_COUNT]):
        push = weak_work(ints, data, a, spec)
        done, spent = done + push, spent + absolute(push)
    store(data, head + WORK * W, load(data, head + WORK * W, spec) + done, spec)
    store(data, head + EFFORT * W, load(data, head + EFFORT * W, spec) + spent, spec)


def applied_power(data: Array, dof: int, spec: Spec) -> Number:
    """Power of a joint force given from outside."""
    W = width(spec)
    return load(data, dof + APPLIED * W, spec) * load(data, dof + VELOCITY * W, spec)


def ball_power(ints: Array, data: Array, d: int, dof: int, t: Number, spec: Spec) -> Number:
    """Power of the servos and motors of a ball joint."""
    W = width(spec)
    phi = quaternion_log(load4(data, d + CONFIGURATION * W, spec))
    total = number(0.0, t)
    pull0, pull1, pull2 = total, total, total
    for n in range(3):
        own = dof + n * DOF_SIZE * W
        h, _, _ = signal(ints, data, own, t, spec)
        v = load(data, own + VELOCITY * W, spec)
        pull = load(data, own + SERVO_STIFFNESS * W, spec) * (h - phi[n])
        pull0, pull1, pull2 = (
            pull if n == 0 else pull0, pull if n == 1 else pull1, pull if n == 2 else pull2
        )  # fmt: skip
        force = fma(-load(data, own + SERVO_DAMPING * W, spec), v, motor_force(data, own, h, v, spec))
        total = fma(force, v, total + applied_power(data, own, spec))
    torque = right_jacobian_inverse_transposed(phi, (pull0, pull1, pull2))
    for n in range(3):
        total = fma(torque[n], load(data, dof + (n * DOF_SIZE + VELOCITY) * W, spec), total)
    return total


def weak_work(ints: Array, data: Array, a: int, spec: Spec) -> Number:
    """Work of a servo of limited force, which acts by impulses."""
    W, r = width(spec), ints[ints[CONTACT] + AXIS_ROWS] + a * AXIS_ROW_SIZE
    impulse = load(data, DT * W, spec) * load(data, axis_memory(ints, a, spec) + W, spec)
    weak = load(data, ints[r + AXIS_DATA] + WEAK_FORCE * W, spec) > number(0.0, impulse)
    v = load(data, ints[r + AXIS_DOF] + VELOCITY * W, spec)
    return where(weak, impulse * v, number(0.0, impulse))
