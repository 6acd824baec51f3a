"""Grounds: a plane, and terrain of triangles over a grid of heights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model.model import Floats

MAX_HEIGHTS = 2**22


@dataclass(frozen=True)
class Plane:
    """The half-space below a plane.

    Args:
        normal: outward direction; made one long.
        height: distance of the plane from the origin along the normal [m].
    """

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    height: float = 0.0

    def __post_init__(self) -> None:
        try:
            values = tuple(float(x) for x in self.normal)
            height = float(self.height)
        except (TypeError, ValueError):
            values, height = (), math.nan
        length = math.sqrt(sum(x * x for x in values))
        if len(values) != 3 or not (math.isfinite(length) and length > 0.0 and math.isfinite(height)):
            raise UsageError(
                f"plane with normal {self.normal!r} and height {self.height!r}: must be a direction that is not zero "
                "and a finite number [m]."
            )
        object.__setattr__(self, "normal", tuple(x / length for x in values))
        object.__setattr__(self, "height", height)


@dataclass(frozen=True, eq=False)
class Terrain:
    """Triangles over a regular grid of heights; beyond its edge it goes on at the height of the edge.

    Every cell is cut along the diagonal from its lowest (x, y) corner to its highest.

    Args:
        heights: z of the grid points, shape (rows along y, columns along x) [m].
        spacing: distance of neighbouring points along x and y [m].
        origin: (x, y) of heights[0, 0] [m].
    """

    heights: Floats
    spacing: tuple[float, float]
    origin: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        heights = np.array(self.heights, float)
        if heights.ndim != 2 or min(heights.shape) < 2 or heights.size > MAX_HEIGHTS:
            raise UsageError(
                f"terrain heights have shape {heights.shape}, must be (rows, columns), each at least 2, at most "
                f"{MAX_HEIGHTS:,} in all."
            )
        if not np.all(np.isfinite(heights)):
            row, column = np.argwhere(~np.isfinite(heights))[0]
            raise UsageError(
                f"terrain heights hold {np.count_nonzero(~np.isfinite(heights))} values that are not finite, the first at "
                f"row {row}, column {column}; fill holes before you build a terrain."
            )
        spacing, origin = _pair(self.spacing, "spacing"), _pair(self.origin, "origin")
        if min(spacing) <= 0.0:
            raise UsageError(f"terrain spacing is {self.spacing!r}, must be positive along x and y [m].")
        heights.flags.writeable = False
        object.__setattr__(self, "heights", heights)
        object.__setattr__(self, "spacing", spacing)
        object.__setattr__(self, "origin", origin)

    @property
    def size(self) -> tuple[float, float]:
        """Length along x and y [m]."""
        rows, columns = self.heights.shape
        return (columns - 1) * self.spacing[0], (rows - 1) * self.spacing[1]

    def height_at(self, x: Any, y: Any) -> Floats:
        """Height of the surface above (x, y) [m].

        Args:
            x: one or many [m].
            y: as many [m].
        """
        rows, columns = self.heights.shape
        u = np.clip((np.asarray(x, float) - self.origin[0]) / self.spacing[0], 0.0, columns - 1)
        v = np.clip((np.asarray(y, float) - self.origin[1]) / self.spacing[1], 0.0, rows - 1)
        i, j = np.minimum(u.astype(int), columns - 2), np.minimum(v.astype(int), rows - 2)
        a, b = u - i, v - j
        h = self.heights
        low, high = h[j, i], h[j + 1, i + 1]
        corner = np.where(a > b, h[j, i + 1], h[j + 1, i])
        large, small = np.maximum(a, b), np.minimum(a, b)
        return np.asarray(low + large * (corner - low) + small * (high - corner), float)


def _pair(value: Any, what: str) -> tuple[float, float]:
    try:
        x, y = (float(value), float(value)) if np.ndim(value) == 0 else (float(value[0]), float(value[1]))
    except (TypeError, ValueError, IndexError):
        x = y = math.nan
    if not (math.isfinite(x) and math.isfinite(y)):
        raise UsageError(f"terrain {what} is {value!r}, must be two finite numbers (x, y) [m].")
    return x, y


Ground = Plane | Terrain
