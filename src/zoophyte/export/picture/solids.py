"""Distances to convex solids, and where rays meet them (compiled; see :mod:`zoophyte.export.picture.compiled`).

Everything that is drawn lies in one array `data`, so that the loops pass nothing else around: first what belongs to the
picture as a whole (see :mod:`zoophyte.export.picture.light`), then the solids, COLUMNS numbers each, then the planes of
polyhedra, 4 each (unit normal, height).  A solid is known by where it starts.  Lengths are in units of the creature's size.

`distance` is negative inside, convex, and never more than the true distance, so a ray may step that far: for an ellipsoid
with k(x) = |x/s| it is (k − 1)/|∇k|, which a convex k cannot overshoot; for frusta and polyhedra the largest distance to
their planes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Vector = tuple[float, float, float]
Ray = tuple[float, float, float, float, float, float]

ROTATION, PLACE, SIZES, CENTRE, RADIUS, COLOUR = 0, 9, 12, 16, 19, 20  # of a solid
OPACITY, KIND, GROUP, PLANES_FROM, PLANES_TO, COLUMNS = (
    23,
    24,
    25,
    26,
    27,
    28,
)  # planes: where they are in `data`
CAPSULE, BOX, FRUSTUM, ELLIPSOID, POLYHEDRON, TAPERED = 0, 1, 2, 3, 4, 5
SHOWN = 0.0
"""The group of what moves in the moment that is shown; others are its ghosts, and what stands still."""

MARCH_STEPS = 96
HIT = 0.17  # pixels: half the way between two fine rays, so that nothing thin slips through
FAR = 1e30


def distance(data: Floats, solid: int, x: float, y: float, z: float) -> float:
    """A lower bound of the distance from a point to a solid, exact near its surface; negative inside."""
    dx, dy, dz = x - data[solid + PLACE], y - data[solid + PLACE + 1], z - data[solid + PLACE + 2]
    a = data[solid] * dx + data[solid + 3] * dy + data[solid + 6] * dz
    b = data[solid + 1] * dx + data[solid + 4] * dy + data[solid + 7] * dz
    c = data[solid + 2] * dx + data[solid + 5] * dy + data[solid + 8] * dz
    kind = int(data[solid + KIND])
    if kind == CAPSULE:
        end = data[solid + SIZES + 1]
        c -= min(max(c, -end), end)
        return float(math.sqrt(a * a + b * b + c * c) - data[solid + SIZES])
    if kind == BOX:
        return _box_distance(data, solid, a, b, c)
    if kind == FRUSTUM:
        start, length = data[solid + SIZES], data[solid + SIZES + 2]
        slope = (data[solid + SIZES + 1] - start) / length
        side = (math.sqrt(a * a + b * b) - start - slope * c) / math.sqrt(1.0 + slope * slope)
        return float(max(side, -c, c - length))
    if kind == ELLIPSOID:
        return _ellipsoid_distance(data, solid, a, b, c)
    if kind == TAPERED:
        return _tapered_distance(data, solid, math.sqrt(a * a + b * b), c)
    best = -FAR
    for face in range(int(data[solid + PLANES_FROM]), int(data[solid + PLANES_TO]), 4):
        height = data[face] * a + data[face + 1] * b + data[face + 2] * c - data[face + 3]
        best = max(best, height)
    return best


def _box_distance(data: Floats, solid: int, a: float, b: float, c: float) -> float:
    a, b, c = abs(a) - data[solid + SIZES], abs(b) - data[solid + SIZES + 1], abs(c) - data[solid + SIZES + 2]
    inside = min(max(a, b, c), 0.0)
    a, b, c = max(a, 0.0), max(b, 0.0), max(c, 0.0)
    return math.sqrt(a * a + b * b + c * c) + inside


def _box_entry(data: Floats, solid: int, ray: Ray) -> float:
    """The way along a ray to where it enters a box; FAR if it misses or begins inside."""
    ox, oy, oz, dx, dy, dz = ray
    ox, oy, oz = ox - data[solid + PLACE], oy - data[solid + PLACE + 1], oz - data[solid + PLACE + 2]
    first, last = 1e-4, FAR
    for axis in range(3):
        at = data[solid + axis] * ox + data[solid + 3 + axis] * oy + data[solid + 6 + axis] * oz
        along = data[solid + axis] * dx + data[solid + 3 + axis] * dy + data[solid + 6 + axis] * dz
        half = data[solid + SIZES + axis]
        if abs(along) < 1e-12:
            if abs(at) > half:
                return FAR
        else:
            one, other = (-half - at) / along, (half - at) / along
            first, last = max(first, min(one, other)), min(last, max(one, other))
    return first if 1e-4 < first <= last else FAR


def _ellipsoid_distance(data: Floats, solid: int, a: float, b: float, c: float) -> float:
    sa, sb, sc = data[solid + SIZES], data[solid + SIZES + 1], data[solid + SIZES + 2]
    a, b, c = a / sa, b / sb, c / sc
    k = math.sqrt(a * a + b * b + c * c)
    slope = math.sqrt((a / sa) ** 2 + (b / sb) ** 2 + (c / sc) ** 2)
    if slope < 1e-12:
        return float(-min(sa, sb, sc))
    return (k - 1.0) * k / slope


def _tapered_distance(data: Floats, solid: int, across: float, along: float) -> float:
    """Distance to the hull of two balls, in the plane through its axis.

    The side leans by the angle whose sine is s = (a − b)/L: a point is nearest to it if it lies, measured along the side
    t = (−s, c), between the balls' centres; then the side's normal is (c, s).
    """
    start, end, length = data[solid + SIZES], data[solid + SIZES + 1], data[solid + SIZES + 2]
    s = (start - end) / length
    c = math.sqrt(1.0 - s * s)
    way = c * along - s * across
    if way < 0.0:
        return float(math.sqrt(across * across + along * along) - start)
    if way > c * length:
        return float(math.sqrt(across * across + (along - length) ** 2) - end)
    return float(c * across + s * along - start)


def meet(data: Floats, solid: int, ray: Ray, pixel: float, limit: float) -> tuple[float, float]:
    """Where a ray meets a solid, and how closely it passes.

    Args:
        data: all numbers.
        solid: where its own start.
        ray: origin and unit direction.
        pixel: tangent of the angle between neighbouring pixels.
        limit: how far to look.

    Returns:
        the way along the ray (FAR if it misses) and the smallest passing distance, in pixels.
    """
    ox, oy, oz, dx, dy, dz = ray
    cx, cy, cz = data[solid + CENTRE] - ox, data[solid + CENTRE + 1] - oy, data[solid + CENTRE + 2] - oz
    along = cx * dx + cy * dy + cz * dz
    radius = data[solid + RADIUS] + pixel * abs(along)
    half = radius * radius - (cx * cx + cy * cy + cz * cz - along * along)
    if half <= 0.0 or along + radius <= 0.0:
        return FAR, FAR
    is_box = int(data[solid + KIND]) == BOX
    if is_box:
        entry = _box_entry(data, solid, ray)
        if entry < FAR:
            return (entry, 0.0) if entry <= limit else (FAR, FAR)
    half = math.sqrt(half)
    t = max(along - half, 1e-4)
    end = min(along + half, limit)
    closest = FAR
    for _ in range(MARCH_STEPS):
        if t > end:
            break
        gap = distance(data, solid, ox + t * dx, oy + t * dy, oz + t * dz)
        footprint = pixel * t
        if gap < HIT * footprint:
            # Of a box only the fringe is left: a flush neighbour that is met exactly is what one sees at the seam.
            return (t + footprint if is_box else t), 0.0
        closest = min(closest, gap / footprint)
        t += gap
    return FAR, closest


def normal(data: Floats, solid: int, x: float, y: float, z: float, step: float) -> Vector:
    """The outward unit normal, from differences of the distance over a tetrahedron of size `step`; of a box a face's."""
    if int(data[solid + KIND]) == BOX:
        return _box_normal(data, solid, x, y, z)
    nx, ny, nz = 0.0, 0.0, 0.0
    for corner in range(4):
        sy, sz = 1.0 if corner > 1 else -1.0, 1.0 if corner % 2 else -1.0
        sx = sy * sz
        gap = distance(data, solid, x + step * sx, y + step * sy, z + step * sz)
        nx, ny, nz = nx + sx * gap, ny + sy * gap, nz + sz * gap
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if length == 0.0:
        return 0.0, 0.0, 1.0
    return nx / length, ny / length, nz / length


def _box_normal(data: Floats, solid: int, x: float, y: float, z: float) -> Vector:
    """The normal of the face that a point lies on: edges must not show where flush boxes meet."""
    dx, dy, dz = x - data[solid + PLACE], y - data[solid + PLACE + 1], z - data[solid + PLACE + 2]
    best, face, sign = -FAR, 0, 1.0
    for axis in range(3):
        at = data[solid + axis] * dx + data[solid + 3 + axis] * dy + data[solid + 6 + axis] * dz
        out = abs(at) - data[solid + SIZES + axis]
        if out > best:
            best, face, sign = out, axis, (1.0 if at >= 0.0 else -1.0)
    return sign * data[solid + face], sign * data[solid + 3 + face], sign * data[solid + 6 + face]
