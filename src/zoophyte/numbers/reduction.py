"""Angles to an eighth of a turn: x = n·π/2 + r with |r| ≤ π/4, for every finite x.

Up to a limit the reduction is three fused multiply-adds (Cody and Waite's idea with a fused product).  With
P₁ the first bits of π/2, every x ≥ π/4 and every n·P₁ is a multiple of half an ulp of one, and their
difference is below one: so x - n·P₁ is *exact*.  The second step rounds once, the third matters only next to
a multiple of π/2.

Beyond the limit n·π/2 needs more bits than any number has, so the product of x with 2/π is formed in
integers, from those bits of 2/π that are neither multiples of a whole turn nor below the last bit needed
(Payne and Hanek, "Radian reduction for trigonometric functions").  That path works on one number at a time.
"""

from __future__ import annotations

import math

import numpy as np

from zoophyte.numbers import coefficients as table
from zoophyte.numbers.primitives import (
    Number,
    absolute,
    any_lane,
    constant,
    exponent_field,
    fma,
    fraction_field,
    lane,
    lane_count,
    negated,
    number,
    outlined,
    with_lane,
)

ROUNDER_SINGLE, ROUNDER_DOUBLE = 1.5 * 2.0**23, 1.5 * 2.0**52
"""Adding one of these rounds to an integer and leaves it in the last bits of the sum, in two's complement."""

NEAR_SINGLE, NEAR_DOUBLE = 2.0**17, 2.0**30
"""Up to here the fused reduction holds; n·(π/2 - P₁) must stay small against one."""

_P1_SINGLE, _P2_SINGLE, _P3_SINGLE = table.HALF_PI_SINGLE
_P1_DOUBLE, _P2_DOUBLE, _P3_DOUBLE = table.HALF_PI_DOUBLE
_TWO_OVER_PI = np.array(table.TWO_OVER_PI, dtype=np.int64)
_LIMB = 2**24 - 1
_TWO_LIMBS = 2**48 - 1


def quarter_turns(x: Number) -> tuple[Number, Number]:
    """(r, n): the rest r of x after n quarter turns; the last two bits of the number n say which quarter."""
    rounder = constant(ROUNDER_SINGLE, ROUNDER_DOUBLE, x)
    turns = fma(x, number(2.0 / math.pi, x), rounder)
    n = turns - rounder
    r = fma(n, constant(-_P1_SINGLE, -_P1_DOUBLE, x), x)
    r = fma(n, constant(-_P2_SINGLE, -_P2_DOUBLE, x), r)
    r = fma(n, constant(-_P3_SINGLE, -_P3_DOUBLE, x), r)
    if any_lane(negated(absolute(x) <= constant(NEAR_SINGLE, NEAR_DOUBLE, x))):
        r, turns = _with_far_lanes(x, r, turns)
    return r, turns


@outlined
def _with_far_lanes(x: Number, r: Number, turns: Number) -> tuple[Number, Number]:
    """`r` and `turns`, corrected in the lanes where x is too large for them, infinite or NaN."""
    for index in range(lane_count(x)):
        angle = lane(x, index)
        if angle - angle != number(0.0, angle):
            r = with_lane(r, index, angle - angle)
        elif absolute(angle) > constant(NEAR_SINGLE, NEAR_DOUBLE, angle):
            rest, quarter = _far_quarter_turns(angle)
            r = with_lane(r, index, rest)
            turns = with_lane(
                turns, index, number(quarter, angle) + constant(ROUNDER_SINGLE, ROUNDER_DOUBLE, angle)
            )
    return r, turns


def _far_quarter_turns(x: Number) -> tuple[Number, int]:
    """The rest and the quarter (0 to 3) of one finite, large x, from 144 bits of the fraction of |x|·2/π."""
    # |x| = m·2**b·2**(24·place): m·2**b in four limbs of 24 bits, which meet the limbs of 2/π.
    m = int(fraction_field(x) * constant(2.0**23, 2.0**52, x))
    exponent = int(exponent_field(x) - constant(23.0, 52.0, x))
    place = exponent // 24
    b = exponent - 24 * place
    m0, m1, m2, m3 = (m << b) & _LIMB, (m >> (24 - b)) & _LIMB, (m >> (48 - b)) & _LIMB, (m >> 30) >> (42 - b)

    # Long multiplication from the least column; `high`, `middle`, `low` are one register that shifts right.
    high, middle, low, total = 0, 0, 0, 0
    for column in range(7, 0, -1):
        first = column + place
        total = (total >> 24) + m0 * _TWO_OVER_PI[first] + m1 * _TWO_OVER_PI[first + 1]
        total = total + m2 * _TWO_OVER_PI[first + 2] + m3 * _TWO_OVER_PI[first + 3]
        if column > 1:
            low = (low >> 24) | ((middle & _LIMB) << 24)
            middle = (middle >> 24) | ((high & _LIMB) << 24)
            high = (high >> 24) | ((total & _LIMB) << 24)
    quarter = total & 3  # the column before the point; four quarters are a whole turn
    negative = (high >> 47) == 1
    if negative:  # more than half a quarter: count back from the next
        quarter, high, middle, low = quarter + 1, _TWO_LIMBS - high, _TWO_LIMBS - middle, _TWO_LIMBS - low
    rest = _quarters_to_radians(high, middle, low, x)
    if negative:
        rest = -rest
    if x < number(0.0, x):
        rest, quarter = -rest, -quarter
    return rest, quarter & 3


def _quarters_to_radians(high: int, middle: int, low: int, like: Number) -> Number:
    """π/2 times the fraction whose first 144 bits are given; a limb of 24 bits is exact in any number."""
    total, error = number(0.0, like), number(0.0, like)
    total, error = _plus_limb(total, error, low & _LIMB, 2.0**-144)
    total, error = _plus_limb(total, error, low >> 24, 2.0**-120)
    total, error = _plus_limb(total, error, middle & _LIMB, 2.0**-96)
    total, error = _plus_limb(total, error, middle >> 24, 2.0**-72)
    total, error = _plus_limb(total, error, high & _LIMB, 2.0**-48)
    total, error = _plus_limb(total, error, high >> 24, 2.0**-24)
    product = total * constant(_P1_SINGLE, _P1_DOUBLE, like)
    tail = fma(total, constant(_P1_SINGLE, _P1_DOUBLE, like), -product)
    tail = tail + fma(
        total, constant(_P2_SINGLE, _P2_DOUBLE, like), error * constant(_P1_SINGLE, _P1_DOUBLE, like)
    )
    return product + tail


def _plus_limb(total: Number, error: Number, limb: int, weight: float) -> tuple[Number, Number]:
    """total + limb·weight and the collected rounding errors; the limb is zero or outweighs the total."""
    term = number(limb, total) * number(weight, total)
    larger = term + total
    return larger, error + (total - (larger - term))
