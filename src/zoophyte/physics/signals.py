"""Commands as functions of time, evaluated exactly at every stage; and the coordinates that they drive.

A signal is value + rate·s + ½ curve·s² + amplitude·sin(frequency·t + phase) with s = t − start.  Held values, ramps,
piecewise-linear tables and sines are all of this form, so a controller that runs at its own rate needs only to write
seven numbers per degree of freedom.
"""

from __future__ import annotations

from typing import Any

from zoophyte.model.layout import BALL, FLAG_SINE, FLAGS, FREE, LINK_COUNT
from zoophyte.numbers import Array, Number, Spec, fma, number, where
from zoophyte.numbers.functions import sincos
from zoophyte.physics.dynamics.links import Dof, dof_of, header, link_of


def signal(ints: Array, data: Array, dof: int, t: Number, spec: Spec) -> Any:
    """(value, first derivative, second derivative) of the command of one dof at time t."""
    D = Dof(data, dof, spec)
    s, curve = t - D.command_start, D.command_curve
    first = fma(curve, s, D.command_rate)
    value = fma(s, fma(number(0.5, s) * curve, s, D.command_rate), D.command)
    if ints[FLAGS] & FLAG_SINE:
        amplitude, frequency = D.sine_amplitude, D.sine_frequency
        sine, cosine = sincos(fma(frequency, t, D.sine_phase))
        swing = amplitude * frequency
        return fma(amplitude, sine, value), fma(swing, cosine, first), fma(-(swing * frequency), sine, curve)
    return value, first, curve


def drive(ints: Array, data: Array, spec: Spec) -> None:
    """Put every driven coordinate where its signal says it is at STAGE_TIME: q, v and a.

    A driven ball joint has no single coordinate to prescribe: its signals are the three components of the angular
    velocity in body axes, and its orientation follows by integration.
    """
    t = header(data, spec).stage_time
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, data, link, spec)  # only what lies in `data` is asked for
        if L.kind == BALL:
            for n in range(3):
                D = dof_of(L, n)
                w, w_dot, _ = signal(ints, data, D.data_start, t, spec)
                replace_driven(D, w, w_dot)
        elif L.kind != FREE:
            X, D = L.axis, L.axis.dof
            q, v, a = signal(ints, data, D.data_start, t, spec)
            X.q = where(D.mobile > number(0.5, t), X.q, q)
            replace_driven(D, v, a)


def replace_driven(D: Dof, v: Number, a: Number) -> None:
    """Set velocity and acceleration where the coordinate is driven."""
    mobile = D.mobile > number(0.5, v)
    D.v, D.a = where(mobile, D.v, v), where(mobile, D.a, a)
