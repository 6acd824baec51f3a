"""Chance on numbers: three small congruential generators whose sum is uniform (Wichmann and Hill, AS 183, 1982).

All products stay below 2**23, so that every number here is exact in float32 as in float64, on every machine.
"""

from __future__ import annotations

import math
from typing import Any

from zoophyte.numbers import Array, Number, Spec, floor, load, number, sqrt, store, where, width
from zoophyte.numbers.functions import log, sincos
from zoophyte.numbers.primitives import Mask

MULTIPLIERS = (171.0, 172.0, 170.0)
MODULI = (30269.0, 30307.0, 30323.0)


def draw(state: Any) -> Any:
    """(uniform number in (0, 1], next state); the state is three whole numbers from 1 to the modulus less 1."""
    x = following(state[0], 171.0, 30269.0)
    y = following(state[1], 172.0, 30307.0)
    z = following(state[2], 170.0, 30323.0)
    one = number(1.0, x)
    total = x / number(30269.0, x) + y / number(30307.0, x) + z / number(30323.0, x)
    return one - (total - floor(total)), (x, y, z)


def following(x: Number, multiplier: float, modulus: float) -> Number:
    """multiplier·x modulo the modulus."""
    product = number(multiplier, x) * x
    return product - number(modulus, x) * floor(product / number(modulus, x))


def normal(state: Any) -> Any:
    """(standard normal number, next state), by Box and Muller's way from two uniform ones."""
    first, state = draw(state)
    second, state = draw(state)
    sine, _ = sincos(number(2.0 * math.pi, first) * second)
    return sqrt(number(-2.0, first) * log(first)) * sine, state


def add_noise(data: Array, place: int, x: Number, size: Number, wanted: Mask, spec: Spec) -> Number:
    """x + size·normal, where wanted; the state of chance lies in `data`."""
    W = width(spec)
    state = (load(data, place, spec), load(data, place + W, spec), load(data, place + 2 * W, spec))
    error, after = normal(state)
    for n in range(3):
        store(data, place + n * W, where(wanted, after[n], state[n]), spec)
    return where(wanted, x + size * error, x)
