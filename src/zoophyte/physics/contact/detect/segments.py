"""Points of segments that are nearest to other points and segments, and parts of segments between two sides."""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.vectors import add_scaled, dot, subtract
from zoophyte.numbers import Mask, Number, absolute, maximum, minimum, number, sqrt, where


def clamp01(t: Number) -> Number:
    """t, or the nearer end of [0, 1]."""
    return maximum(minimum(t, number(1.0, t)), number(0.0, t))


def nearest_parameter(x: Any, d: Any, growth: Number, q: Any) -> Number:
    """s in [0, 1] with the least |x + s d − q| − r(s): the foot of the perpendicular, moved on by k h/√(1 − k²)."""
    square = dot(d, d)
    zero, one = number(0.0, square), number(1.0, square)
    long = square > number(1e-20, square)
    whole = where(long, square, one)
    s = dot(subtract(q, x), d) / whole
    off = subtract(q, add_scaled(x, s, d))
    k2 = minimum(growth * growth / whole, number(0.999, square))
    # k/√(1 − k²)·h along the axis; in parts of d that is growth/|d|²·h/√(1 − k²).
    s = s + growth / whole * sqrt(dot(off, off) / (one - k2))
    return where(long, clamp01(s), zero)


def between(x: Any, d: Any, y: Any, e: Any) -> Number:
    """s of the point of the segment x + s d that is nearest to the segment y + t e."""
    a, b, c = dot(d, d), dot(d, e), dot(e, e)
    r = subtract(x, y)
    zero, one = number(0.0, a), number(1.0, a)
    determinant = a * c - b * b
    crossed = determinant > number(1e-12, a) * (a * c) + number(1e-30, a)
    s = (b * dot(e, r) - c * dot(d, r)) / where(crossed, determinant, one)
    return where(crossed, clamp01(s), zero)


def between_sides(start: Number, slope: Number, half: Number, free: Mask, low: Number, high: Number) -> Any:
    """The part of [low, high] in which |start + t·slope| ≤ half; all of it where `free`, nothing of it where never."""
    zero, one = number(0.0, slope), number(1.0, slope)
    runs = absolute(slope) > number(1e-12, slope)
    inverse = one / where(runs, slope, one)
    a, b = (-half - start) * inverse, (half - start) * inverse
    inside = absolute(start) <= half
    first = where(runs, minimum(a, b), where(inside, zero, one))
    last = where(runs, maximum(a, b), where(inside, one, zero))
    return where(free, low, maximum(first, low)), where(free, high, minimum(last, high))
