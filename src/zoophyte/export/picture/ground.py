"""Where rays meet the ground, and what hills shade (compiled; see :mod:`zoophyte.export.picture.compiled`).

Terrain is flat between three families of lines: rows, columns and the diagonals of cells.  Along a ray, its height above
the ground is therefore linear from one such line to the next, and walking from line to line finds the first crossing
exactly.  Blocks of cells whose highest point a ray stays above are passed in one step.
"""

from __future__ import annotations

import math

from zoophyte.export.picture.solids import FAR, Floats, Ray, Vector

NOTHING, PLANE, FIELD = 0, 1, 2  # kinds of ground
BLOCK = 16  # cells along the side of a block
SHARP, BLUNT = 0.82, 0.94  # cosines of 35° and 20°

# Where the numbers of the ground are in `data`.
KIND_OF_GROUND, GRID, GRID_LINE, FADE_FROM, FADE_TO = (
    25,
    26,
    27,
    29,
    30,
)  # its grid, and where it melts into the sky
NORMAL, LEVEL, ACROSS, ALONG = 32, 35, 36, 39  # of a plane: its normal and height, and the axes of its grid
FIELD_PLACE, FIELD_CELL, FIELD_COLUMNS, FIELD_ROWS = (
    42,
    45,
    47,
    48,
)  # of a terrain: its lowest corner, cells, points
FIELD_TOP, FIELD_HEIGHTS, FIELD_BLOCKS = (
    49,
    50,
    51,
)  # its highest point; where heights and blocks begin in `data`
BRIM = 52  # how far a terrain is drawn beyond its edge
ZENITH, HORIZON, DEPTH, GROUND, LINE = 53, 56, 59, 62, 65  # colours of sky, ground and grid, in linear light
SKY_FROM, SKY_RISE = (
    68,
    69,
)  # height of a direction from which on the sky turns to its zenith's colour, and how fast
GROUND_END = 70


def meet_ground(data: Floats, ray: Ray) -> float:
    """The way along a ray to the ground, met from outside; FAR if it is not met."""
    ox, oy, oz, dx, dy, dz = ray
    kind = int(data[KIND_OF_GROUND])
    if kind == PLANE:
        slope = data[NORMAL] * dx + data[NORMAL + 1] * dy + data[NORMAL + 2] * dz
        above = data[NORMAL] * ox + data[NORMAL + 1] * oy + data[NORMAL + 2] * oz - data[LEVEL]
        if slope < -1e-9 and above > 0.0:
            return float(-above / slope)
        return FAR
    if kind == FIELD:
        return meet_field(data, ray)
    return FAR


def ground_gap(data: Floats, x: float, y: float, z: float) -> float:
    """Height of a point above the ground; FAR if there is none."""
    kind = int(data[KIND_OF_GROUND])
    if kind == PLANE:
        return float(data[NORMAL] * x + data[NORMAL + 1] * y + data[NORMAL + 2] * z - data[LEVEL])
    if kind == FIELD:
        return float(z - field_height(data, x, y))
    return FAR


def field_height(data: Floats, x: float, y: float) -> float:
    """Height of the terrain, which goes on beyond its edge at the height of the edge."""
    columns, rows = int(data[FIELD_COLUMNS]), int(data[FIELD_ROWS])
    u = min(max((x - data[FIELD_PLACE]) / data[FIELD_CELL], 0.0), columns - 1.0)
    v = min(max((y - data[FIELD_PLACE + 1]) / data[FIELD_CELL + 1], 0.0), rows - 1.0)
    i, j = min(int(u), columns - 2), min(int(v), rows - 2)
    a, b = u - i, v - j
    at = int(data[FIELD_HEIGHTS]) + j * columns + i
    low, high = data[at], data[at + columns + 1]
    corner = data[at + 1] if a > b else data[at + columns]
    return float(low + max(a, b) * (corner - low) + min(a, b) * (high - corner) + data[FIELD_PLACE + 2])


def beyond_field(data: Floats, x: float, y: float) -> float:
    """How far a point lies beyond the edge of the terrain; 0 above it."""
    x, y = x - data[FIELD_PLACE], y - data[FIELD_PLACE + 1]
    wide, deep = (
        (data[FIELD_COLUMNS] - 1.0) * data[FIELD_CELL],
        (data[FIELD_ROWS] - 1.0) * data[FIELD_CELL + 1],
    )
    return float(max(-x, x - wide, -y, y - deep, 0.0))


def field_slopes(data: Floats, x: float, y: float) -> tuple[float, float]:
    """∂h/∂x and ∂h/∂y of the triangle below a point; 0 across an edge beyond which the terrain goes on."""
    columns, rows = int(data[FIELD_COLUMNS]), int(data[FIELD_ROWS])
    u, v = (x - data[FIELD_PLACE]) / data[FIELD_CELL], (y - data[FIELD_PLACE + 1]) / data[FIELD_CELL + 1]
    out_x, out_y = u < 0.0 or u > columns - 1.0, v < 0.0 or v > rows - 1.0
    u, v = min(max(u, 0.0), columns - 1.0), min(max(v, 0.0), rows - 1.0)
    i, j = min(int(u), columns - 2), min(int(v), rows - 2)
    a, b = u - i, v - j
    at = int(data[FIELD_HEIGHTS]) + j * columns + i
    if a > b:
        gx, gy = data[at + 1] - data[at], data[at + columns + 1] - data[at + 1]
    else:
        gx, gy = data[at + columns + 1] - data[at + columns], data[at + columns] - data[at]
    if out_x:
        side = 1 if u > 0.0 else 0
        gx, gy = 0.0, data[at + side + columns] - data[at + side]
    if out_y:
        side = columns if v > 0.0 else 0
        gx, gy = data[at + side + 1] - data[at + side] if not out_x else 0.0, 0.0
    return gx / data[FIELD_CELL], gy / data[FIELD_CELL + 1]


def to_line(u: float, du: float, last: float) -> float:
    """The way from u at speed du to the next of the whole numbers 0 … last; FAR if none lies ahead."""
    if du > 0.0:
        k = max(math.floor(u) + 1.0, 0.0)
        if k <= last:
            return (k - u) / du
    elif du < 0.0:
        k = min(math.ceil(u) - 1.0, last)
        if k >= 0.0:
            return (k - u) / du
    return FAR


def to_break(data: Floats, u: float, v: float, du: float, dv: float) -> float:
    """The way to the next line at which the slope of the terrain may change; FAR if none lies ahead."""
    last_u, last_v = data[FIELD_COLUMNS] - 1.0, data[FIELD_ROWS] - 1.0
    step = min(to_line(u, du, last_u), to_line(v, dv, last_v))
    if 0.0 <= u <= last_u and 0.0 <= v <= last_v:
        # Diagonals u − v = k: shifted, so that all that cross the grid are numbered from 0.
        step = min(step, to_line(u - v + last_v, du - dv, last_u + last_v))
    return step


def over_block(data: Floats, place: Vector, speed: Vector) -> float:
    """The way through a block of cells if a ray, at (u, v, z) in cells and units, stays above it; else 0."""
    u, v, z = place
    du, dv, dz = speed
    last_u, last_v = data[FIELD_COLUMNS] - 1.0, data[FIELD_ROWS] - 1.0
    if u < 0.0 or u > last_u or v < 0.0 or v > last_v:
        return 0.0
    column = int(min(u, last_u - 1.0)) // BLOCK
    row = int(min(v, last_v - 1.0)) // BLOCK
    across = (int(last_u) + BLOCK - 1) // BLOCK
    top = data[int(data[FIELD_BLOCKS]) + row * across + column] + data[FIELD_PLACE + 2]
    way = FAR
    if du > 0.0:
        way = min(way, (min((column + 1.0) * BLOCK, last_u) - u) / du)
    elif du < 0.0:
        way = min(way, (column * BLOCK - u) / du)
    if dv > 0.0:
        way = min(way, (min((row + 1.0) * BLOCK, last_v) - v) / dv)
    elif dv < 0.0:
        way = min(way, (row * BLOCK - v) / dv)
    return way if way < FAR and min(z, z + way * dz) > top else 0.0


def meet_field(data: Floats, ray: Ray) -> float:
    """The way along a ray to the terrain, met from above; FAR if it is not met before it melts into the sky.

    It ends at its edge, or behind what is beyond: going on for ever, a bowl was a cross of corrugated valleys.
    """
    ox, oy, oz, dx, dy, dz = ray
    top = data[FIELD_TOP] + data[FIELD_PLACE + 2]
    t = 0.0
    if oz > top:
        if dz >= 0.0:
            return FAR
        t = max(oz - top - 1e-3, 0.0) / -dz  # a little before, so that a level top is met from above
    du, dv = dx / data[FIELD_CELL], dy / data[FIELD_CELL + 1]
    least = 1e-7 / (abs(du) + abs(dv) + 1e-30)  # of a cell: rounding must not stop the walk
    limit = 2.0 * (data[FADE_TO] + math.sqrt(ox * ox + oy * oy)) / max(math.sqrt(dx * dx + dy * dy), 1e-9)
    gap = oz + t * dz - field_height(data, ox + t * dx, oy + t * dy)
    while t < limit:
        x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
        u, v = (x - data[FIELD_PLACE]) / data[FIELD_CELL], (y - data[FIELD_PLACE + 1]) / data[FIELD_CELL + 1]
        step = over_block(data, (u, v, z), (du, dv, dz)) if gap > 0.0 else 0.0
        if step <= 0.0:
            step = min(to_break(data, u, v, du, dv), limit - t)
        step = max(step, least)
        after = z + step * dz - field_height(data, x + step * dx, y + step * dy)
        if gap > 0.0 >= after:
            met = t + step * gap / (gap - after)
            if beyond_field(data, ox + met * dx, oy + met * dy) <= data[BRIM]:
                return float(met)
        if dz >= 0.0 and z > top:
            return FAR
        gap = after
        t += step
    return FAR


def ground_normals(data: Floats, x: float, y: float) -> tuple[Vector, Vector, float]:
    """The normal of the ground's triangle at a point, the one it is shaded with, and how smooth it is there (0 to 1).

    The latter is that of the slope over the length of a cell, which goes over from each cell to the next, so that triangles
    do not show; but not where the slopes on both sides lean apart by more than some 30°: there the ground has an edge.
    """
    if int(data[KIND_OF_GROUND]) == PLANE:
        level = (data[NORMAL], data[NORMAL + 1], data[NORMAL + 2])
        return level, level, 1.0
    gx, gy = field_slopes(data, x, y)
    flat = upright(gx, gy)
    wide, deep = data[FIELD_CELL], data[FIELD_CELL + 1]
    u, v = (x - data[FIELD_PLACE]) / wide, (y - data[FIELD_PLACE + 1]) / deep
    here, alike = field_height(data, x, y), 1.0
    # Not at the edge, where the slope would lean back to the level beyond it.
    if 0.5 <= u <= data[FIELD_COLUMNS] - 1.5:
        before, behind = field_height(data, x - 0.5 * wide, y), field_height(data, x + 0.5 * wide, y)
        alike = min(alike, cosine(2.0 * (here - before) / wide, 2.0 * (behind - here) / wide))
        gx = (behind - before) / wide
    if 0.5 <= v <= data[FIELD_ROWS] - 1.5:
        before, behind = field_height(data, x, y - 0.5 * deep), field_height(data, x, y + 0.5 * deep)
        alike = min(alike, cosine(2.0 * (here - before) / deep, 2.0 * (behind - here) / deep))
        gy = (behind - before) / deep
    soft = upright(gx, gy)
    share = min(max((alike - SHARP) / (BLUNT - SHARP), 0.0), 1.0)
    share = share * share * (3.0 - 2.0 * share)
    nx, ny = flat[0] + share * (soft[0] - flat[0]), flat[1] + share * (soft[1] - flat[1])
    nz = flat[2] + share * (soft[2] - flat[2])
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    return flat, (nx / length, ny / length, nz / length), share


def cosine(a: float, b: float) -> float:
    """Of the angle between lines of slopes a and b."""
    return (1.0 + a * b) / math.sqrt((1.0 + a * a) * (1.0 + b * b))


def upright(gx: float, gy: float) -> Vector:
    """The unit normal of a surface of slopes gx and gy."""
    length = math.sqrt(1.0 + gx * gx + gy * gy)
    return -gx / length, -gy / length, 1.0 / length


def hill_clearance(data: Floats, point: Vector, sun: Vector, enough: float) -> float:
    """Least of height above the terrain over way, along the line to the sun; negative if a hill is between.

    Args:
        data: all numbers.
        point: where to begin, on the ground or above.
        sun: direction to it.
        enough: a value above which nothing matters.
    """
    if int(data[KIND_OF_GROUND]) != FIELD:
        return enough
    x, y, z = point
    top = data[FIELD_TOP] + data[FIELD_PLACE + 2]
    du, dv = sun[0] / data[FIELD_CELL], sun[1] / data[FIELD_CELL + 1]
    least_step = 1e-7 / (abs(du) + abs(dv) + 1e-30)
    t, least = 0.0, enough
    while z + t * sun[2] < top + enough * t:
        px, py = x + t * sun[0], y + t * sun[1]
        u, v = (
            (px - data[FIELD_PLACE]) / data[FIELD_CELL],
            (py - data[FIELD_PLACE + 1]) / data[FIELD_CELL + 1],
        )
        step = to_break(data, u, v, du, dv)
        if step >= FAR:
            break
        t += max(step, least_step)
        gap = z + t * sun[2] - field_height(data, x + t * sun[0], y + t * sun[1])
        # Within a hundredth of the creature's size the point's own triangle and rounding decide, not a hill.
        if t > 1e-2:
            least = min(least, gap / t)
        if least < -enough:
            break
    return least
