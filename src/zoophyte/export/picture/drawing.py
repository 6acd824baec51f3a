"""The loops over pixels (compiled; see :mod:`zoophyte.export.picture.compiled`)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from zoophyte.export.picture.ground import meet_ground
from zoophyte.export.picture.light import (
    EYE,
    FORWARD,
    PIXEL,
    RIGHT,
    TILE_COLUMNS,
    TILE_LISTS,
    UP,
    Ints,
    floor,
    mix,
    sky,
    surface,
)
from zoophyte.export.picture.solids import FAR, GROUP, OPACITY, SHOWN, Floats, Ray, Vector, meet

Bytes = NDArray[np.uint8]

TILE = 16  # pixels
FINE = 3  # rays along each side of a pixel that needs more than one
CONTRAST = 0.004  # between neighbours, (a − b)²/(a + b) of linear light, that calls for more rays
PASSING = 0.8  # pixels: a solid that passes so closely calls for more rays


def fill_cells(boxes: Ints, first: Ints, columns: int, rows: int, lists: Ints, at: int) -> int:
    """Write the list of things in each cell of a grid; returns where the lists end.

    Args:
        boxes: first and last column, first and last row of each thing, shape (n, 4); cut at the grid's edges.
        first: what to write for each thing.
        columns: of the grid.
        rows: of the grid.
        lists: where to write; if it is empty, the room needed is only counted.
        at: where to begin.
    """
    cells = columns * rows
    counts = np.zeros(cells + 1, np.int64)
    end = at + cells + 1
    for writing in range(2 if len(lists) else 1):
        for i in range(len(boxes)):
            for row in range(max(boxes[i, 2], 0), min(boxes[i, 3], rows - 1) + 1):
                for column in range(max(boxes[i, 0], 0), min(boxes[i, 1], columns - 1) + 1):
                    cell = row * columns + column
                    if writing:
                        lists[counts[cell]] = first[i]
                    else:
                        end += 1
                    counts[cell] += 1
        if writing == 0 and len(lists):
            place = at + cells + 1
            for cell in range(cells + 1):
                lists[at + cell] = place
                place += counts[cell]
                counts[cell] = lists[at + cell]
    return end


def draw(data: Floats, lists: Ints, table: Bytes, picture: Bytes) -> None:
    """Draw the picture, shape (height, width, 3).

    One ray is sent through every pixel; where a solid's edge passes or neighbours differ, FINE × FINE rays replace it.

    Args:
        data: what is to be seen.
        lists: which solids matter where.
        table: byte for each of equally spaced amounts of linear light from 0 to 1.
        picture: where to draw.
    """
    height, width = picture.shape[0], picture.shape[1]
    first, marked = np.empty((height, width, 3)), np.zeros((height, width), np.bool_)
    last = len(table) - 1
    for rays in (1, FINE):
        step, share = 1.0 / rays, 1.0 / (rays * rays)
        for row in range(height):
            for column in range(width):
                if rays > 1 and not marked[row, column]:
                    continue
                r, g, b = 0.0, 0.0, 0.0
                for down in range(rays):
                    for right in range(rays):
                        x, y = column + (right + 0.5) * step, row + (down + 0.5) * step
                        colour = seen(data, lists, x, y, width, height)
                        # Cut before averaging: one bright ray must not outshine the others.
                        r += min(colour[0], 1.0)
                        g += min(colour[1], 1.0)
                        b += min(colour[2], 1.0)
                        marked[row, column] |= colour[3] < PASSING
                r, g, b = share * r, share * g, share * b
                picture[row, column, 0] = table[int(r * last + 0.5)]
                picture[row, column, 1] = table[int(g * last + 0.5)]
                picture[row, column, 2] = table[int(b * last + 0.5)]
                first[row, column, 0], first[row, column, 1], first[row, column, 2] = r, g, b
        mark_contrasts(first, marked)


def mark_contrasts(light: Floats, marked: NDArray[np.bool_]) -> None:
    """Mark all pixels that differ from the one to the right or below, and those."""
    height, width = marked.shape
    for row in range(height):
        for column in range(width):
            for y, x in ((row, column + 1), (row + 1, column)):
                if y < height and x < width:
                    a, b = light[row, column, 0], light[y, x, 0]
                    c, d = light[row, column, 2], light[y, x, 2]
                    # (√a − √b)² is about (a − b)²/2(a + b): equal steps for the eye.
                    if (a - b) ** 2 > CONTRAST * (a + b) or (c - d) ** 2 > CONTRAST * (c + d):
                        marked[row, column] = marked[y, x] = True


def seen(
    data: Floats, lists: Ints, x: float, y: float, width: int, height: int
) -> tuple[float, float, float, float]:
    """Colour through the point (x, y) of the picture, and how closely in pixels the ray passes a solid.

    Of the groups of pale solids (one moment of a creature each) a ray meets the latest only, and of that its outside: what
    shines through is what lies behind, neither its own inside nor older ghosts, whose layers would look like so much glass.
    Ghosts never veil the moment that is shown, wherever they are: they tell where it was, and are seen beside it.
    """
    across, upwards = 2.0 * x / width - 1.0, 1.0 - 2.0 * y / height
    dx = data[FORWARD] + across * data[RIGHT] + upwards * data[UP]
    dy = data[FORWARD + 1] + across * data[RIGHT + 1] + upwards * data[UP + 1]
    dz = data[FORWARD + 2] + across * data[RIGHT + 2] + upwards * data[UP + 2]
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    ray = (data[EYE], data[EYE + 1], data[EYE + 2], dx / length, dy / length, dz / length)
    pixel = data[PIXEL]
    tile = int(y) // TILE * lists[TILE_COLUMNS] + int(x) // TILE
    cell = lists[TILE_LISTS] + tile
    to_ground = meet_ground(data, ray)
    closest = FAR
    behind, front = to_ground, -1  # the nearest that nothing shines through
    for entry in range(lists[cell], lists[cell + 1]):
        solid = lists[entry]
        if data[solid + OPACITY] == 1.0:
            t, passing = meet(data, solid, ray, pixel, behind)
            if passing > 0.0:
                closest = min(closest, passing)
            if t < behind:
                behind, front = t, solid
    r, g, b = _appearance(data, lists, ray, behind, front, pixel, tile)
    if front >= 0 and data[front + GROUP] == SHOWN:
        return r, g, b, closest
    nearest, ghost = behind, -1
    for entry in range(lists[cell], lists[cell + 1]):
        solid = lists[entry]
        if data[solid + OPACITY] < 1.0:
            t, passing = meet(data, solid, ray, pixel, behind)
            if passing > 0.0:
                closest = min(closest, passing)
            later = ghost < 0 or data[solid + GROUP] < data[ghost + GROUP]
            if t < behind and (later or (data[solid + GROUP] == data[ghost + GROUP] and t < nearest)):
                nearest, ghost = t, solid
    if ghost >= 0:
        veil = _appearance(data, lists, ray, nearest, ghost, pixel, tile)
        r, g, b = mix((r, g, b), veil, data[ghost + OPACITY])
    return r, g, b, closest


def _appearance(data: Floats, lists: Ints, ray: Ray, t: float, solid: int, pixel: float, tile: int) -> Vector:
    """Colour of what a ray meets: a solid, or where that is −1 the ground, or the sky."""
    if solid >= 0:
        return surface(data, lists, ray, t, solid, tile)
    return floor(data, lists, ray, t, pixel, tile) if t < FAR else sky(data, ray[5])
