"""From a ground to the numbers that the drawing loops read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zoophyte.export.grounds import grid_axes
from zoophyte.export.look import Look
from zoophyte.export.picture.ground import (
    ACROSS,
    ALONG,
    BRIM,
    DEPTH,
    FADE_FROM,
    FADE_TO,
    FIELD,
    FIELD_BLOCKS,
    FIELD_CELL,
    FIELD_COLUMNS,
    FIELD_HEIGHTS,
    FIELD_PLACE,
    FIELD_ROWS,
    FIELD_TOP,
    GRID,
    GRID_LINE,
    GROUND,
    GROUND_END,
    HORIZON,
    KIND_OF_GROUND,
    LEVEL,
    LINE,
    NORMAL,
    PLANE,
    SKY_FROM,
    SKY_RISE,
    ZENITH,
)
from zoophyte.model import Plane, Terrain
from zoophyte.simulation.axes import round_step

Floats = NDArray[np.float64]

GRID_CELL = 0.34  # of the creature's size, at least
FADE = (0.75, 2.6)  # where the ground begins and ends to melt into the horizon, in distances of the camera
HILLS_FARTHER = 1.8  # how much farther hills are seen than a plain, which looks the same everywhere
USUAL_SKY, NAMED_SKY = (0.0, 2.6), (-0.12, 8.0)
"""Where the sky begins to turn to its zenith's colour, and how fast; a colour that was named is reached at the horizon,
since the usual cameras look down and see nothing higher."""


def ground_numbers(
    ground: Plane | Terrain | None,
    unit: float,
    origin: Floats,
    far: float,
    field_at: int,
    beyond: float = 0.0,
) -> Floats:
    """The numbers of the ground, about `origin` and in units; those from KIND_OF_GROUND on.

    Args:
        ground: what is drawn.
        unit: of length [m].
        origin: of the picture's coordinates [m].
        far: how far away the camera is, in units.
        field_at: where the heights of a terrain will be in `data`.
        beyond: how far beyond the edge of a terrain there is something to be seen [m].
    """
    head = np.zeros(GROUND_END)
    cell = round_step(GRID_CELL * unit)
    axes = np.eye(3)[:2]
    height = 0.0
    if isinstance(ground, Plane):
        normal = np.asarray(ground.normal)
        axes = grid_axes(normal)
        height = (ground.height - float(normal @ origin)) / unit
        head[KIND_OF_GROUND], head[NORMAL : NORMAL + 3], head[LEVEL] = PLANE, normal, height
    elif isinstance(ground, Terrain):
        rows, columns = ground.heights.shape
        height = (float(ground.height_at(origin[0], origin[1])) - origin[2]) / unit
        head[KIND_OF_GROUND], head[FIELD_COLUMNS], head[FIELD_ROWS] = FIELD, columns, rows
        head[FIELD_PLACE : FIELD_PLACE + 3] = (np.array([*ground.origin, 0.0]) - origin) / unit
        head[FIELD_CELL : FIELD_CELL + 2] = np.asarray(ground.spacing) / unit
        head[FIELD_TOP] = ground.heights.max() / unit
        head[BRIM] = beyond / unit
        head[FIELD_HEIGHTS], head[FIELD_BLOCKS] = field_at, field_at + ground.heights.size
    far += 3.0 * abs(height)  # what stands high above the ground sees much of it
    far *= HILLS_FARTHER if isinstance(ground, Terrain) else 1.0
    head[GRID], head[GRID_LINE : GRID_LINE + 2] = cell / unit, -np.fmod(axes @ origin, 5.0 * cell) / unit
    head[FADE_FROM], head[FADE_TO] = FADE[0] * far, FADE[1] * far
    head[ACROSS : ACROSS + 3], head[ALONG : ALONG + 3] = axes
    return head[KIND_OF_GROUND:]


def colour_numbers(look: Look) -> tuple[int, Floats]:
    """Where the colours of sky and ground are among the numbers of the ground, and those colours, shape (17,)."""
    lights = look.lights()
    places = {"zenith": ZENITH, "horizon": HORIZON, "nadir": DEPTH, "ground": GROUND, "line": LINE}
    found = np.zeros(GROUND_END - ZENITH)
    for name, place in places.items():
        found[place - ZENITH : place - ZENITH + 3] = lights[name]
    start, rise = NAMED_SKY if look.sky is not None else USUAL_SKY
    found[SKY_FROM - ZENITH], found[SKY_RISE - ZENITH] = start, rise
    return ZENITH - KIND_OF_GROUND, found
