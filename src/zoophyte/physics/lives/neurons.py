"""Graphs of neurons (Fontijne 2000): sensors, functions of three weighted inputs, effectors; evaluated at their own rate.

All neurons read what the others put out at the last call, so their order does not matter and loops are welcome.  A row of
the table of nodes has one kind for all lanes, so that nothing is computed twice; a creature that has fewer nodes of a kind
leaves the others idle.  A new kind needs a number, and a line in :func:`respond`.
"""

from __future__ import annotations

import math
from typing import Any

from zoophyte.model.herd.life_layout import (
    BEGIN,
    FEATURE_POSES,
    LIFE_EFFECTOR,
    LIFE_FEATURES,
    LIFE_HEAD,
    LIFE_NODE_COUNT,
    LIFE_NODES,
    LIFE_SENSOR_COUNT,
    NEURON_ABSOLUTE,
    NEURON_ADD,
    NEURON_CONSTANT,
    NEURON_COSINE,
    NEURON_DELAY,
    NEURON_DIFFERENTIATE,
    NEURON_DIVIDE,
    NEURON_EXPONENTIAL,
    NEURON_GREATER,
    NEURON_INTEGRATE,
    NEURON_INVERT,
    NEURON_LESS,
    NEURON_LOGARITHM,
    NEURON_MAXIMUM,
    NEURON_MINIMUM,
    NEURON_MULTIPLY,
    NEURON_SAW,
    NEURON_SIGMOID,
    NEURON_SINE,
    NEURON_SQUARE,
    NEURON_SUBTRACT,
    NEURON_WAVE,
    NODE_DATA,
    NODE_KIND,
    NODE_NEXT,
    NODE_OUTPUT,
    NODE_PARAMETER,
    NODE_PLACE,
    NODE_ROW_SIZE,
    NODE_STATE,
    NODE_WEIGHT,
    PERIOD,
)
from zoophyte.model.layout import COUNT, DT, LIFE, START
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    both,
    floor,
    gather,
    load,
    maximum,
    minimum,
    number,
    scatter,
    where,
    width,
)
from zoophyte.numbers.functions import cos, exp, log, sin
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.dynamics.kinematics import poses
from zoophyte.physics.lives.observe import keep
from zoophyte.physics.lives.sensors import delayed, sense

LIMIT = 10.0
"""No output is beyond this; what is not a number becomes 0."""
SMALL = 1e-6


@outlined
def think(ints: Array, data: Array, scratch: Array, terrain: Array, due: Mask, spec: Spec) -> None:
    """Sensors, then neurons, then effectors of the creatures that are due."""
    W, section = width(spec), ints[LIFE]
    if ints[section + LIFE_FEATURES] & FEATURE_POSES:
        poses(ints, data, scratch, spec)
    rows, sensors = ints[section + LIFE_NODES], ints[section + LIFE_SENSOR_COUNT]
    effectors, nodes = ints[section + LIFE_EFFECTOR], ints[section + LIFE_NODE_COUNT]
    for n in range(sensors):
        r = rows + n * NODE_ROW_SIZE
        sense(ints, data, scratch, terrain, ints[r + NODE_KIND], ints[r + NODE_DATA], due, spec)
    dt = load(data, DT * W, spec)
    time = load(data, START * W, spec) + load(data, COUNT * W, spec) * dt
    time = time - load(data, ints[section + LIFE_HEAD] + BEGIN * W, spec)
    for n in range(sensors, effectors):
        r = rows + n * NODE_ROW_SIZE
        kind, d = ints[r + NODE_KIND], ints[r + NODE_DATA]
        x = respond(ints, data, kind, d, weighted(data, d, spec), time, due, spec)
        keep(data, d + NODE_NEXT * W, due, sane(x), spec)
    for n in range(sensors, effectors):
        d = ints[rows + n * NODE_ROW_SIZE + NODE_DATA]
        keep(data, d + NODE_OUTPUT * W, due, load(data, d + NODE_NEXT * W, spec), spec)
    for n in range(effectors, nodes):
        d = ints[rows + n * NODE_ROW_SIZE + NODE_DATA]
        place = load(data, d + NODE_PARAMETER * W, spec)
        command = where(due, weighted(data, d, spec)[0], gather(data, place, 0, spec))
        scatter(data, place, 0, command, spec)


def weighted(data: Array, d: int, spec: Spec) -> Any:
    """The three inputs of a node, each times its weight."""
    W = width(spec)
    a = gather(data, load(data, d + NODE_PLACE * W, spec), 0, spec)
    b = gather(data, load(data, d + (NODE_PLACE + 1) * W, spec), 0, spec)
    c = gather(data, load(data, d + (NODE_PLACE + 2) * W, spec), 0, spec)
    return (
        a * load(data, d + NODE_WEIGHT * W, spec),
        b * load(data, d + (NODE_WEIGHT + 1) * W, spec),
        c * load(data, d + (NODE_WEIGHT + 2) * W, spec),
    )


def sane(x: Number) -> Number:
    """x between ±LIMIT; 0 where it is infinite or not a number."""
    zero, limit = number(0.0, x), number(LIMIT, x)
    finite = absolute(x) < number(1e30, x)
    return where(finite, maximum(minimum(x, limit), -limit), zero)


def respond(
    ints: Array, data: Array, kind: int, d: int, inputs: Any, time: Number, due: Mask, spec: Spec
) -> Number:
    """What a neuron of this kind puts out (FON-59)."""
    a, b, c = inputs
    if kind >= NEURON_WAVE and kind <= NEURON_SQUARE:
        return oscillate(kind, a, b, c, time)
    if kind == NEURON_DELAY:
        late = load(data, d + NODE_PARAMETER * width(spec), spec)
        return delayed(ints, data, d, a, late, due, spec)
    if kind == NEURON_INTEGRATE or kind == NEURON_DIFFERENTIATE:
        return accumulate(ints, data, kind, d, a, due, spec)
    if kind == NEURON_MINIMUM or kind == NEURON_MAXIMUM:
        used = load(data, d + NODE_PARAMETER * width(spec), spec)
        return extreme(kind, a, b, c, used)
    return plain(kind, a, b, c)


def plain(kind: int, a: Number, b: Number, c: Number) -> Number:
    """Functions of the inputs alone."""
    zero, one = number(0.0, a), number(1.0, a)
    x = a
    if kind == NEURON_ADD:
        x = (a + b) + c
    elif kind == NEURON_SUBTRACT:
        x = a - b
    elif kind == NEURON_MULTIPLY:
        x = a * b
    elif kind == NEURON_DIVIDE:
        safe = absolute(b) >= number(SMALL, b)
        x = where(safe, a / where(safe, b, one), zero)
    elif kind == NEURON_LESS:
        x = where(a < b, one, zero)
    elif kind == NEURON_GREATER:
        x = where(a > b, one, zero)
    elif kind == NEURON_ABSOLUTE:
        x = absolute(a)
    elif kind == NEURON_INVERT:
        x = -a
    elif kind == NEURON_SINE:
        x = sin(a)
    elif kind == NEURON_COSINE:
        x = cos(a)
    elif kind == NEURON_SIGMOID:
        x = hyperbolic_tangent(a)
    elif kind == NEURON_LOGARITHM:
        x = log(absolute(a) + number(SMALL, a))
    elif kind == NEURON_EXPONENTIAL:
        x = exp(maximum(minimum(a, number(LIMIT, a)), -number(LIMIT, a)))
    elif kind == NEURON_CONSTANT:
        x = a
    return x


def hyperbolic_tangent(a: Number) -> Number:
    """1 − 2/(e^2a + 1), beyond ±20 as good as ±1."""
    one, bound = number(1.0, a), number(20.0, a)
    return one - number(2.0, a) / (exp(number(2.0, a) * maximum(minimum(a, bound), -bound)) + one)


def extreme(kind: int, a: Number, b: Number, c: Number, used: Number) -> Number:
    """The smallest or largest of the inputs that are used."""
    two, three = used > number(1.5, used), used > number(2.5, used)
    if kind == NEURON_MINIMUM:
        x = where(two, minimum(a, b), a)
        return where(three, minimum(x, c), x)
    x = where(two, maximum(a, b), a)
    return where(three, maximum(x, c), x)


def oscillate(kind: int, a: Number, b: Number, c: Number, time: Number) -> Number:
    """Frequency a [Hz], phase b [rad], amplitude c."""
    turns = a * time + b * number(0.5 / math.pi, b)
    part = turns - floor(turns)
    one, two = number(1.0, a), number(2.0, a)
    if kind == NEURON_WAVE:
        return c * sin(number(2.0 * math.pi, a) * part)
    if kind == NEURON_SAW:
        return c * (two * part - one)
    return c * where(part < number(0.5, a), one, -one)


def accumulate(ints: Array, data: Array, kind: int, d: int, a: Number, due: Mask, spec: Spec) -> Number:
    """A sum over time that leaks at the rate PARAMETER 0 [1/s] and stays within ±LIMIT; or the rate of change."""
    W, head = width(spec), ints[ints[LIFE] + LIFE_HEAD]
    period, state = load(data, head + PERIOD * W, spec), load(data, d + NODE_STATE * W, spec)
    one, zero = number(1.0, a), number(0.0, a)
    if kind == NEURON_INTEGRATE:
        kept = maximum(one - load(data, d + NODE_PARAMETER * W, spec) * period, zero)
        x = sane(state * kept + a * period)
        keep(data, d + NODE_STATE * W, due, x, spec)
        return x
    begun = load(data, d + (NODE_STATE + 1) * W, spec) > number(0.5, a)
    x = where(both(begun, period > zero), (a - state) / where(period > zero, period, one), zero)
    keep(data, d + NODE_STATE * W, due, a, spec)
    keep(data, d + (NODE_STATE + 1) * W, due, one, spec)
    return x
