"""The ground of a habitat: a plane, or a terrain as a height field."""

from __future__ import annotations

import math

import numpy as np

from zoophyte.algebra.vectors import cross
from zoophyte.description.values import Quadruple, Triple
from zoophyte.export.mjcf.markup import Attributes, Value
from zoophyte.model import Plane, Terrain

GRID = 1.0
"""Spacing of the lines that MuJoCo draws on a plane [m]."""


def plane_geom(plane: Plane) -> dict[str, Value]:
    """Attributes of the geom of a plane, which MuJoCo looks at along its z; a size of 0 has no end."""
    turn = _upright(plane.normal)
    return {
        "type": "plane",
        "size": (0.0, 0.0, GRID),
        "pos": tuple(plane.height * x for x in plane.normal) if plane.height else None,
        "quat": turn if turn != (1.0, 0.0, 0.0, 0.0) else None,
    }


def _upright(normal: Triple) -> Quadruple:
    """The shortest turn that takes z to the normal."""
    x, y, z = cross((0.0, 0.0, 1.0), normal)
    w = 1.0 + normal[2]
    if w < 1e-9:
        return (0.0, 1.0, 0.0, 0.0)
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return (w / length, x / length, y / length, z / length)


def terrain_asset(terrain: Terrain, name: str) -> tuple[Attributes, dict[str, Value]]:
    """Attributes of the height field of a terrain, and of the geom that shows it.

    MuJoCo cuts its cells along the same diagonal as we do.  It wants the row of the largest y first, scales heights to
    0 … 1 and keeps them in single precision.
    """
    rows, columns = terrain.heights.shape
    lowest, highest = float(terrain.heights.min()), float(terrain.heights.max())
    relief = highest - lowest or 1.0
    halves = tuple(0.5 * length for length in terrain.size)
    asset: Attributes = {
        "name": name,
        "nrow": rows,
        "ncol": columns,
        "size": (*halves, relief, max(relief, *halves)),
        "elevation": [float(x) for x in np.ravel(terrain.heights[::-1] - lowest)],
    }
    middle = (terrain.origin[0] + halves[0], terrain.origin[1] + halves[1], lowest)
    return asset, {"type": "hfield", "hfield": name, "pos": middle}
