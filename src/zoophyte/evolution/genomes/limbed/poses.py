"""Rest poses: quaternions that turn, mix and differ."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from zoophyte.algebra.quaternions import quaternion_exp, quaternion_product
from zoophyte.evolution.variation import Floats, Rng
from zoophyte.numbers.functions import acos, atan2, sincos

NO_TURN = 1e-9
"""Sine of half an angle below which a rotation has no axis of its own."""


def turned_by(first: Any, *more: Any) -> Floats:
    """The quaternion of rotation vectors, one after the other, each in the axes that those before have made."""
    found = quaternion_exp(_plain(first))
    for vector in more:
        found = quaternion_product(found, quaternion_exp(_plain(vector)))
    return unit(np.array(found))


def _plain(vector: Any) -> tuple[float, float, float]:
    x, y, z = (float(part) for part in vector)
    return (x, y, z)


def unit(turn: Any) -> Floats:
    """A quaternion made one long."""
    w, x, y, z = (float(part) for part in turn)
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return np.array([w / length, x / length, y / length, z / length])


def mutated_pose(turn: Floats, rng: Rng, axis_deviation: float, angle_deviation: float) -> Floats:
    """Normal steps of mean zero on the angle and on every component of the axis, which is then made one long (ARN-56).

    A pose that is hardly turned has no axis; one is drawn.
    """
    w, x, y, z = turn.tolist()
    sine = math.sqrt(x * x + y * y + z * z)
    noise = rng.standard_normal(4)
    old = np.array([x, y, z]) / sine if sine > NO_TURN else np.zeros(3)
    axis = old + (axis_deviation if sine > NO_TURN else 1.0) * noise[1:]
    angle = 2.0 * atan2(sine, w) + angle_deviation * float(noise[0])
    a, b, c = axis.tolist()
    length = math.sqrt(a * a + b * b + c * c)
    half_sine, half_cosine = sincos(0.5 * angle)
    return unit((half_cosine, half_sine * a / length, half_sine * b / length, half_sine * c / length))


def mean_pose(a: Floats, b: Floats) -> Floats:
    """The pose half-way between two (on the shorter way)."""
    near = b if float(np.sum(a * b)) >= 0.0 else -b
    return unit(a + near)


def angle_between(a: Floats, b: Floats) -> float:
    """The angle by which two poses differ, from 0 to π [rad]."""
    if np.array_equal(a, b):
        return 0.0
    return 2.0 * float(acos(min(1.0, abs(float(np.sum(a * b))))))
