"""Rotations that put bodies into place: quarter turns, and Euler angles as quaternions."""

from __future__ import annotations

import math

from zoophyte.algebra.quaternions import quaternion_exp, quaternion_product
from zoophyte.description.values import Quadruple

HALF = math.sqrt(0.5)

# Unit quaternions (w, x, y, z) that turn the z axis, along which cylinders and frusta lie, to …
Z_TO_X: Quadruple = (HALF, 0.0, HALF, 0.0)
Z_TO_Y: Quadruple = (HALF, -HALF, 0.0, 0.0)
Z_TO_MINUS_Y: Quadruple = (HALF, HALF, 0.0, 0.0)
Z_DOWN: Quadruple = (0.0, 1.0, 0.0, 0.0)

Y_UP: Quadruple = (HALF, HALF, 0.0, 0.0)
"""Rotation of a root whose own frame has y up: (x, y, z) there is (x, −z, y) in the world."""


def euler_xyz(x: float, y: float, z: float) -> Quadruple:
    """The quaternion of Rx(x)·Ry(y)·Rz(z).

    Args:
        x: first angle, about the outer x axis [rad].
        y: second [rad].
        z: third, about the inner z axis [rad].
    """
    turn = quaternion_product(quaternion_exp((x, 0.0, 0.0)), quaternion_exp((0.0, y, 0.0)))
    return quaternion_product(turn, quaternion_exp((0.0, 0.0, z)))
