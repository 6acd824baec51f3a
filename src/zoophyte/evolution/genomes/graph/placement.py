"""Placement: where a ray from a part's centre leaves its surface, and the frame in which a child sits there (FON-55)."""

from __future__ import annotations

import math
import struct
from functools import lru_cache
from typing import TypeAlias

from zoophyte.evolution.genomes.graph.genes import SHAPES, Triple
from zoophyte.numbers.functions import sincos

Quadruple: TypeAlias = tuple[float, float, float, float]
Rows: TypeAlias = tuple[Triple, Triple, Triple]

GAP = 0.002
"""Between the surfaces of a part and its child at birth [m]."""
BOX, SPHERE, CAPSULE = range(len(SHAPES))


def height(shape: int, size: Triple) -> float:
    """Length of a part along its own z axis [m]."""
    x, y, z = size
    if shape == SPHERE:
        return (x + y + z) / 3.0
    return z + 0.5 * (x + y) if shape == CAPSULE else z


def radius(shape: int, size: Triple) -> float:
    """Of a sphere: a sixth of the sum of its three sizes; of a capsule: a quarter of the sum of x and y [m]."""
    x, y, z = size
    return (x + y + z) / 6.0 if shape == SPHERE else 0.25 * (x + y)


def section(shape: int, size: Triple) -> float:
    """Area of the cross-section across z [m²]; of round shapes that of the square around it."""
    x, y, _ = size
    if shape == BOX:
        return x * y
    r = radius(shape, size)
    return 4.0 * r * r


def surface_point(shape: int, size: Triple, d: Triple) -> tuple[Triple, Triple]:
    """(point, outward normal) where the ray from the centre along the unit vector d leaves a shape.

    Args:
        shape: number of it.
        size: of the part [m].
        d: in the shape's own frame.
    """
    if shape == BOX:
        return _box_point(size, d)
    r = radius(shape, size)
    if shape == SPHERE:
        return (r * d[0], r * d[1], r * d[2]), d
    return _capsule_point(r, 0.5 * size[2], d)


def _box_point(size: Triple, d: Triple) -> tuple[Triple, Triple]:
    """The face that the ray meets first: the least h_k/|d_k|; at an edge the first axis."""
    face, least = 0, math.inf
    for k in range(3):
        if d[k] != 0.0:
            t = 0.5 * size[k] / abs(d[k])
            if t < least:
                face, least = k, t
    sign = 1.0 if d[face] > 0.0 else -1.0
    point = [least * x for x in d]
    point[face] = sign * 0.5 * size[face]
    normal = [0.0, 0.0, 0.0]
    normal[face] = sign
    return (point[0], point[1], point[2]), (normal[0], normal[1], normal[2])


def _capsule_point(r: float, half: float, d: Triple) -> tuple[Triple, Triple]:
    """The mantle where |z| ≤ half; else the ball about (0, 0, ±half): t = half|d_z| + √(r² − half²(1 − d_z²))."""
    x, y, z = d
    across = math.sqrt(x * x + y * y)
    if r * abs(z) <= half * across:
        t = r / across
        return (t * x, t * y, t * z), (x / across, y / across, 0.0)
    t = half * abs(z) + math.sqrt(max(r * r - half * half * across * across, 0.0))
    point = (t * x, t * y, t * z)
    centre = half if z > 0.0 else -half
    return point, (point[0] / r, point[1] / r, (point[2] - centre) / r)


def frame_at(n: Triple, turn: float) -> Rows:
    """Rows of the rotation from the child's axes to the parent's: z is the normal, x is e × n turned by `turn` about z.

    e is the axis of the parent least aligned with n, the first of equals.
    """
    k = min(range(3), key=lambda k: (abs(n[k]), k))
    e = [0.0, 0.0, 0.0]
    e[k] = 1.0
    x = _cross((e[0], e[1], e[2]), n)
    length = math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    x = (x[0] / length, x[1] / length, x[2] / length)
    y = _cross(n, x)
    s, c = sincos(turn)
    u = (c * x[0] + s * y[0], c * x[1] + s * y[1], c * x[2] + s * y[2])
    v = (c * y[0] - s * x[0], c * y[1] - s * x[1], c * y[2] - s * x[2])
    return ((u[0], v[0], n[0]), (u[1], v[1], n[1]), (u[2], v[2], n[2]))


def rotation_at(n: Triple, turn: float) -> Quadruple:
    """The same as a unit quaternion.

    Children inherit turns, and boxes have six normals, so that most have been asked for before; told by their bits, since
    the sign of a zero counts.
    """
    return _rotation(_FRAME.pack(n[0], n[1], n[2], turn))


@lru_cache(maxsize=4096)
def _rotation(frame: bytes) -> Quadruple:
    x, y, z, turn = _FRAME.unpack(frame)
    return quaternion_of(frame_at((x, y, z), turn))


_FRAME = struct.Struct("<4d")


def _cross(a: Triple, b: Triple) -> Triple:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def quaternion_of(rows: Rows) -> Quadruple:
    """The unit quaternion (w, x, y, z) of a rotation, w ≥ 0; by its largest component, which is never small."""
    (a, b, c), (d, e, f), (g, h, i) = rows
    fours = (1.0 + a + e + i, 1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i)  # 4w², 4x², 4y², 4z²
    k = max(range(4), key=lambda k: (fours[k], -k))
    if k == 0:
        q = [fours[0], h - f, c - g, d - b]
    elif k == 1:
        q = [h - f, fours[1], b + d, c + g]
    elif k == 2:
        q = [c - g, b + d, fours[2], f + h]
    else:
        q = [d - b, c + g, f + h, fours[3]]
    length = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if q[0] < 0.0:
        length = -length
    return (q[0] / length, q[1] / length, q[2] / length, q[3] / length)


def mirrored_point(p: Triple) -> Triple:
    """M·p, with the mirror M: y → −y, left becomes right."""
    return (p[0], -p[1], p[2])


def mirrored_turn(q: Quadruple) -> Quadruple:
    """M·R·M of a rotation: turns about x and z change their sense, those about y keep it."""
    return (q[0], -q[1], q[2], -q[3])


def mirrored_axis(a: Triple) -> Triple:
    """−M·a of a hinge's axis: turned by the same angle about it, the mirror image stays a mirror image."""
    return (-a[0], a[1], -a[2])
