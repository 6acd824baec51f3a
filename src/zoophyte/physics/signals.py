"""Commands as functions of time, evaluated exactly at every stage; and the coordinates that they drive.

A signal is value + rate·s + ½ curve·s² + amplitude·sin(frequency·t + phase) with s = t − start.  Held values, ramps,
piecewise-linear tables and sines are all of this form, so a controller that runs at its own rate needs only to write
seven numbers per degree of freedom.
"""

from __future__ import annotations

from typing import Any

from zoophyte.model.layout import (
    ACCELERATION,
    BALL,
    COMMAND,
    COMMAND_CURVE,
    COMMAND_RATE,
    COMMAND_START,
    CONFIGURATION,
    DOF_SIZE,
    FLAG_SINE,
    FLAGS,
    FREE,
    LINK_COUNT,
    MOBILE,
    ROW_DATA,
    ROW_KIND,
    SINE_AMPLITUDE,
    SINE_FREQUENCY,
    SINE_PHASE,
    STAGE_TIME,
    VELOCITY,
)
from zoophyte.numbers import Array, Number, Spec, fma, load, number, store, where, width
from zoophyte.numbers.functions import sincos
from zoophyte.physics.dynamics.kinematics import first_dof, row


def signal(ints: Array, data: Array, dof: int, t: Number, spec: Spec) -> Any:
    """(value, first derivative, second derivative) of the command of one dof at time t."""
    W = width(spec)
    s = t - load(data, dof + COMMAND_START * W, spec)
    curve = load(data, dof + COMMAND_CURVE * W, spec)
    rate = load(data, dof + COMMAND_RATE * W, spec)
    first = fma(curve, s, rate)
    value = fma(s, fma(number(0.5, s) * curve, s, rate), load(data, dof + COMMAND * W, spec))
    if ints[FLAGS] & FLAG_SINE:
        amplitude, frequency = (
            load(data, dof + SINE_AMPLITUDE * W, spec),
            load(data, dof + SINE_FREQUENCY * W, spec),
        )
        sine, cosine = sincos(fma(frequency, t, load(data, dof + SINE_PHASE * W, spec)))
        swing = amplitude * frequency
        return fma(amplitude, sine, value), fma(swing, cosine, first), fma(-(swing * frequency), sine, curve)
    return value, first, curve


def drive(ints: Array, data: Array, spec: Spec) -> None:
    """Put every driven coordinate where its signal says it is at STAGE_TIME: q, v and a.

    A driven ball joint has no single coordinate to prescribe: its signals are the three components of the angular
    velocity in body axes, and its orientation follows by integration.
    """
    W = width(spec)
    t = load(data, STAGE_TIME * W, spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        dof = d + first_dof(kind) * W
        if kind == BALL:
            for k in range(3):
                w, w_dot, _ = signal(ints, data, dof + k * DOF_SIZE * W, t, spec)
                replace_driven(data, dof + k * DOF_SIZE * W, VELOCITY, w, spec)
                replace_driven(data, dof + k * DOF_SIZE * W, ACCELERATION, w_dot, spec)
        elif kind != FREE:
            q, v, a = signal(ints, data, dof, t, spec)
            mobile = load(data, dof + MOBILE * W, spec) > number(0.5, t)
            at = d + CONFIGURATION * W
            store(data, at, where(mobile, load(data, at, spec), q), spec)
            replace_driven(data, dof, VELOCITY, v, spec)
            replace_driven(data, dof, ACCELERATION, a, spec)


def replace_driven(data: Array, dof: int, field: int, x: Number, spec: Spec) -> None:
    """Write `x` where the coordinate is driven."""
    W = width(spec)
    mobile = load(data, dof + MOBILE * W, spec) > number(0.5, x)
    store(data, dof + field * W, where(mobile, load(data, dof + field * W, spec), x), spec)
