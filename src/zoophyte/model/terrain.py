"""Grounds: a plane, and terrain of triangles over a grid of heights.

The heights that are made here have the same bits on every machine: they come from sums and products, from our own
tangent, and from the raw output of a bit generator, which NumPy promises not to change.
"""

from __future__ import annotations

import math
import operator
import os
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from zoophyte.description.values import LARGEST
from zoophyte.errors import UsageError
from zoophyte.model.model import Floats
from zoophyte.numbers.functions import tan

MAX_HEIGHTS = 2**22
UNIT_TOLERANCE = 1e-15  # a few roundings
MAX_STEPS = 10_000
MAX_OCTAVES = 8
STEP_CELLS = 16
"""Cells along one step of a stair; the first of them is its steep front."""
BUMP_CELLS = 8
"""Cells along one of the smallest bumps, unless a spacing is given."""


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
        if (
            abs(length - 1.0) > UNIT_TOLERANCE
        ):  # so that a normal that was made one long before keeps its bits
            values = tuple(x / length for x in values)
        object.__setattr__(self, "normal", values)
        object.__setattr__(self, "height", height)

    def height_at(self, x: Any, y: Any) -> Floats:
        """Height of the plane above (x, y) [m]; not finite for an upright plane, which has none.

        Args:
            x: one or many [m].
            y: as many [m].
        """
        nx, ny, nz = self.normal
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(
                (self.height - nx * np.asarray(x, float) - ny * np.asarray(y, float)) / nz, float
            )


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
        if np.ma.is_masked(self.heights):
            hidden = np.argwhere(np.ma.getmaskarray(self.heights))
            raise UsageError(
                f"terrain heights are a masked array with {len(hidden)} values left out, the first at {hidden[0].tolist()}; "
                "a terrain has no holes: give them heights, as with heights.filled(0.0)."
            )
        try:
            heights = np.array(self.heights).astype(float, casting="same_kind")
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"terrain heights must be a table of numbers [m], not {self.heights!r:.60}."
            ) from error
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
        if max(heights.max(), -heights.min()) > LARGEST:
            raise UsageError(
                f"terrain heights reach {np.abs(heights).max():g}, must be at most {LARGEST:g} [m]."
            )
        spacing, origin = _pair(self.spacing, "spacing"), _pair(self.origin, "origin")
        if min(spacing) <= 0.0:
            raise UsageError(f"terrain spacing is {self.spacing!r}, must be positive along x and y [m].")
        heights.flags.writeable = False
        object.__setattr__(self, "heights", heights)
        object.__setattr__(self, "spacing", spacing)
        object.__setattr__(self, "origin", origin)

    @classmethod
    def slope(cls, angle: float, *, length: float = 10.0, start: float = 0.0) -> Self:
        """Level ground that begins to rise along x, and is level again behind the slope.

        Args:
            angle: of the slope [rad]; negative goes down; less than 80° either way.
            length: of the slope, measured along x [m].
            start: x where it begins [m].

        Raises:
            UsageError: when one of them is out of range.
        """
        steepest = math.radians(80.0)
        angle = _number(angle, "slope angle", "rad")
        if not abs(angle) <= steepest:
            raise UsageError(
                f"slope angle is {angle!r}, must lie between -{steepest:.4f} and {steepest:.4f} rad (80°)."
            )
        length = _positive(length, "slope length")
        top = length * float(tan(angle))
        return cls(np.array([[0.0, top], [0.0, top]]), (length, length), (start, -0.5 * length))

    @classmethod
    def steps(
        cls, count: int, *, rise: float = 0.17, run: float = 0.29, start: float = 0.0, cells: int = STEP_CELLS
    ) -> Self:
        """A stair along x, as wide as the world: level ground, steps, and level ground behind the last one.

        A field of heights has no upright walls: the front of a step is as steep as one cell is narrow.

        Args:
            count: of steps.
            rise: height of one step [m]; negative goes down.
            run: depth of one step, with its front [m].
            start: x where the first front begins [m].
            cells: cells along one step; the front takes one of them, so that it is run/cells deep.

        Raises:
            UsageError: when one of them is out of range.
        """
        count, cells = _whole(count, "count of steps", MAX_STEPS), _whole(cells, "cells along a step", 1000)
        rise, run = _number(rise, "rise of a step", "m"), _positive(run, "run of a step")
        if cells < 2:
            raise UsageError("a step needs at least 2 cells: one for its front and one to stand on.")
        column = np.arange((count - 1) * cells + 2)
        profile = rise * ((column + cells - 1) // cells)
        width = 0.5 * count * run
        return cls(np.stack([profile, profile]), (run / cells, 2.0 * width), (start, -width))

    @classmethod
    def bumps(
        cls, *, seed: int, size: tuple[float, float] = (10.0, 10.0), height: float = 0.1, length: float = 1.0,
        octaves: int = 2, clearing: float = 0.0, spacing: float | None = None,
    ) -> Self:  # fmt: skip
        """Smooth bumps that a seed decides, around the origin.

        Values drawn for the points of a coarse grid are joined by smooth polynomials; every further octave adds bumps
        half as long and half as high.  The same arguments give the same bits everywhere.

        Args:
            seed: a whole number, 0 or more.
            size: lengths along x and y [m].
            height: of the highest bump that can be [m]; all heights lie between 0 and this.
            length: from a bump to the next, about [m].
            octaves: how many sizes of bumps are added.
            clearing: radius around the origin that stays level at 0, for somebody to stand [m].
            spacing: of the grid [m]; an eighth of the smallest bumps if left out.

        Raises:
            UsageError: when one of them is out of range.
        """
        seed, octaves = _whole(seed, "seed", None, least=0), _whole(octaves, "count of octaves", MAX_OCTAVES)
        height, length = _number(height, "height of bumps", "m"), _positive(length, "length of bumps")
        clearing = _number(clearing, "clearing", "m")
        if clearing < 0.0:
            raise UsageError(f"clearing is {clearing!r}, must be a radius, 0 or more [m].")
        if height < 0.0:
            raise UsageError(
                f"height of bumps is {height!r}, must be 0 or more [m]; another seed gives other hills."
            )
        wide, deep = (_positive(side, "size of bumps") for side in _pair(size, "size"))
        fine = length * 0.5 ** (octaves - 1)
        spacing = fine / BUMP_CELLS if spacing is None else _positive(spacing, "spacing")
        columns, rows = math.ceil(wide / spacing) + 1, math.ceil(deep / spacing) + 1
        if rows * columns > MAX_HEIGHTS:
            raise UsageError(
                f"bumps of {wide:g} m by {deep:g} m with a spacing of {spacing:g} m are {rows:,} by {columns:,} heights; "
                f"at most {MAX_HEIGHTS:,} in all. Give a larger spacing or fewer octaves."
            )
        columns, rows = max(columns, 2), max(rows, 2)
        x, y = spacing * np.arange(columns, dtype=float), spacing * np.arange(rows, dtype=float)
        heights, most, generators = (
            np.zeros((rows, columns)),
            0.0,
            np.random.SeedSequence(seed).spawn(octaves),
        )
        for octave, seeds in enumerate(generators):
            share = 0.5**octave
            heights += share * _value_noise(
                x / (length * share), y / (length * share), np.random.PCG64(seeds)
            )
            most += share
        heights *= height / most
        left, low = -0.5 * (columns - 1) * spacing, -0.5 * (rows - 1) * spacing
        if clearing > 0.0:
            away = np.sqrt((x + left) ** 2 + ((y + low) ** 2)[:, None])
            heights *= _eased(np.clip((away - clearing) / length, 0.0, 1.0))
        return cls(heights, (spacing, spacing), (left, low))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an ``.npz`` file that :func:`zoophyte.model.load_terrain` reads, whole or not at all.

        Args:
            path: of the file.

        Raises:
            FileError: when it cannot be written.
        """
        from zoophyte.model.terrain_files import (
            write_terrain,  # which reads terrains, and so imports this module
        )

        write_terrain(self, path)

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
        for name, given in (("x", x), ("y", y)):
            try:
                known = bool(np.all(np.isfinite(np.asarray(given, float))))
            except (TypeError, ValueError):
                known = False
            if not known:
                raise UsageError(
                    f"terrain.height_at: {name} is {given!r:.60}, must be one or many finite numbers [m]."
                )
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
    if max(abs(x), abs(y)) > LARGEST:
        raise UsageError(f"terrain {what} is {value!r}, must be at most {LARGEST:g} [m].")
    return x, y


def _number(value: Any, what: str, unit: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{what} is {value!r}, must be a finite number [{unit}].")
    return number


def _positive(value: Any, what: str) -> float:
    number = _number(value, what, "m")
    if number <= 0.0:
        raise UsageError(f"{what} is {value!r}, must be greater than 0 [m].")
    return number


def _whole(value: Any, what: str, most: int | None, least: int = 1) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or (most is not None and number > most):
        allowed = f"{least} or more" if most is None else f"{least} to {most:,}"
        raise UsageError(f"{what} is {value!r}, must be a whole number, {allowed}.")
    return number


def _eased(u: Floats) -> Floats:
    """From 0 to 1 with slopes and curvatures of 0 at both ends: 6u⁵ − 15u⁴ + 10u³."""
    return np.asarray(u * u * u * (u * (6.0 * u - 15.0) + 10.0), float)


def _value_noise(x: Floats, y: Floats, source: np.random.PCG64) -> Floats:
    """Values from 0 to 1 at whole (x, y), joined smoothly, shape (len(y), len(x))."""
    shape = int(y[-1]) + 2, int(x[-1]) + 2
    values = (source.random_raw(shape[0] * shape[1]) >> np.uint64(11)).astype(float).reshape(shape) * 2.0**-53
    i, j = x.astype(int), y.astype(int)
    a, b = _eased(x - i), _eased(y - j)[:, None]
    low, high = values[j], values[j + 1]
    before, after = (
        low[:, i] + b * (high[:, i] - low[:, i]),
        low[:, i + 1] + b * (high[:, i + 1] - low[:, i + 1]),
    )
    return np.asarray(before + a * (after - before), float)


Ground = Plane | Terrain
