"""Sun, shadow, sky and ground (compiled; see :mod:`zoophyte.export.picture.compiled`).  Colours are linear."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from zoophyte.export.picture.ground import (
    ACROSS,
    ALONG,
    DEPTH,
    FADE_FROM,
    FADE_TO,
    GRID,
    GRID_LINE,
    GROUND,
    GROUND_END,
    HORIZON,
    KIND_OF_GROUND,
    LINE,
    NOTHING,
    SKY_FROM,
    SKY_RISE,
    ZENITH,
    ground_gap,
    ground_normals,
    hill_clearance,
)
from zoophyte.export.picture.solids import (
    CENTRE,
    COLOUR,
    FAR,
    OPACITY,
    RADIUS,
    Floats,
    Ray,
    Vector,
    distance,
    normal,
)

Ints = NDArray[np.int64]

SKY_LIGHT = (0.47, 0.52, 0.59)
GROUND_LIGHT = (0.34, 0.33, 0.31)
SUN_LIGHT = (0.98, 0.94, 0.86)
SHADOW_FLOOR = (0.52, 0.56, 0.63)  # what is left of the ground's colour where no sun reaches it: bluish
SUN_TANGENT = (
    0.05  # of the sun's angular radius; larger than the true 0.0047, for shadows as under a thin cloud
)
CONTACT = 0.08  # how far contact darkens, in the creature's size
CONTACT_DEPTH = 0.5
APART = 0.4
GOLDEN = 0.6180339887498949
SEARCHES = 10
MAJOR = 5.0  # fine cells of the grid in a coarse one
EDGE = 0.16  # how much darker the ground is along its sharp edges: treads of a stair look alike otherwise
LEANING = 0.45  # of the sky's light is left on an upright wall
RELIEF = 1.35  # how much stronger than in nature slopes differ, so that low hills can be seen


# Where the numbers of the picture as a whole are in `data`.
EYE, RIGHT, UP, FORWARD = 0, 3, 6, 9  # the camera; right and up reach to the picture's edges
SUN, ASIDE, ABOVE = 12, 15, 18  # the direction to the sun, and two axes across it
SHADE_FROM, SHADE_CELL = 21, 23  # lowest coordinates across the sun, width and height of a cell there
PIXEL = 31  # tangent of the angle between neighbouring pixels; before and behind it comes the ground
SOLIDS = GROUND_END  # the first solid

# Where things are in `lists`: cells of the picture and cells across the sun, each with the solids that matter there.
TILE_COLUMNS, TILE_ROWS, SHADE_COLUMNS, SHADE_ROWS, SHADE_LISTS, TILE_LISTS = 0, 1, 2, 3, 4, 5
# Lists begin with where each cell's entries start and end in `lists`; entries say where solids start in `data`.


def sky(data: Floats, z: float) -> Vector:
    """Colour of the sky in a direction of that height; without a ground it goes on below the horizon."""
    height = z - data[SKY_FROM]
    if height < 0.0 and int(data[KIND_OF_GROUND]) == NOTHING:
        u = min(-1.3 * height, 1.0)
        return mix(light(data, HORIZON), light(data, DEPTH), u * (2.0 - u))
    u = min(max(height * data[SKY_RISE], 0.0), 1.0)
    u = u * (2.0 - u)
    return mix(light(data, HORIZON), light(data, ZENITH), u)


def light(data: Floats, at: int) -> Vector:
    """A colour of the picture as a whole."""
    return (data[at], data[at + 1], data[at + 2])


def mix(a: Vector, b: Vector, u: float) -> Vector:
    """a + u (b − a)."""
    return (a[0] + u * (b[0] - a[0]), a[1] + u * (b[1] - a[1]), a[2] + u * (b[2] - a[2]))


def smooth(low: float, high: float, x: float) -> float:
    """0 below `low`, 1 above `high`, with a smooth rise between."""
    u = min(max((x - low) / (high - low), 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)


def sunlight(data: Floats, lists: Ints, point: Vector, own: int) -> float:
    """Share of the sun that a point sees, from 0 to 1; the convex solid `own` it lies on cannot shade it, nor can ghosts."""
    x, y, z = point
    towards = (data[SUN], data[SUN + 1], data[SUN + 2])
    seen = smooth(-1.0, 1.0, hill_clearance(data, point, towards, SUN_TANGENT) / SUN_TANGENT)
    if seen < 0.004:
        return 0.0
    u = data[ASIDE] * x + data[ASIDE + 1] * y + data[ASIDE + 2] * z - data[SHADE_FROM]
    v = data[ABOVE] * x + data[ABOVE + 1] * y + data[ABOVE + 2] * z - data[SHADE_FROM + 1]
    column, row = math.floor(u / data[SHADE_CELL]), math.floor(v / data[SHADE_CELL + 1])
    if column < 0 or row < 0 or column >= lists[SHADE_COLUMNS] or row >= lists[SHADE_ROWS]:
        return seen
    cell = lists[SHADE_LISTS] + int(row) * lists[SHADE_COLUMNS] + int(column)
    for entry in range(lists[cell], lists[cell + 1]):
        solid = lists[entry]
        if solid != own and not haunts(data, solid, own):
            covered = 1.0 - smooth(-1.0, 1.0, clearance(data, solid, x, y, z))
            part = 1.0 - covered * data[solid + OPACITY]
            # Between the least (true where one solid continues the other, as along a limb) and the product (true where
            # both cover different parts of the sun).
            seen = min(seen, part) * (1.0 - APART + APART * max(seen, part))
            if seen < 0.004:
                return 0.0
    return seen


def haunts(data: Floats, solid: int, own: int) -> bool:
    """Whether a ghost is beside a thing (−1 is the ground): it is not there, and would only stain it."""
    return own >= 0 and data[own + OPACITY] == 1.0 and data[solid + OPACITY] < 1.0


def clearance(data: Floats, solid: int, x: float, y: float, z: float) -> float:
    """How far a solid stays off the line to the sun's middle, in radii of the sun; below −1 it covers it all.

    Along the line the distance g(t) to a convex solid is convex, so {t: g(t) ≤ c t} is an interval for every c: g(t)/t
    falls and then rises, and its least value, the angle by which the solid misses the sun, is found by golden section.
    """
    sx, sy, sz = data[SUN], data[SUN + 1], data[SUN + 2]
    cx, cy, cz = data[solid + CENTRE] - x, data[solid + CENTRE + 1] - y, data[solid + CENTRE + 2] - z
    along = cx * sx + cy * sy + cz * sz
    low, high = max(along - data[solid + RADIUS], 2e-3), along + data[solid + RADIUS]
    if high <= low:
        return FAR
    aside = math.sqrt(max(cx * cx + cy * cy + cz * cz - along * along, 0.0))
    if aside - data[solid + RADIUS] > SUN_TANGENT * high:
        return FAR
    t = best = high - GOLDEN * (high - low)
    least = FAR
    for _ in range(SEARCHES):
        value = distance(data, solid, x + t * sx, y + t * sy, z + t * sz) / t
        if value < -SUN_TANGENT:
            return -1.0
        if value <= least:
            if t > best:
                low = best
            elif t < best:
                high = best
            best, least = t, value
        elif t > best:
            high = t
        else:
            low = t
        t = low + high - best
    return least / SUN_TANGENT


def openness(data: Floats, lists: Ints, point: Vector, upwards: Vector, own: int, tile: int) -> float:
    """How much of the sky's light is left where solids come close to a surface: 1 in the open.

    The closest alone counts: where flush boxes stand side by side, the product of both would be darker than one of them.
    """
    x, y, z = point
    px, py, pz = x + CONTACT * upwards[0], y + CONTACT * upwards[1], z + CONTACT * upwards[2]
    left = 1.0
    cell = lists[TILE_LISTS] + tile
    for entry in range(lists[cell], lists[cell + 1]):
        solid = lists[entry]
        if solid == own or haunts(data, solid, own):
            continue
        cx, cy, cz = data[solid + CENTRE] - px, data[solid + CENTRE + 1] - py, data[solid + CENTRE + 2] - pz
        reach = data[solid + RADIUS] + CONTACT
        if cx * cx + cy * cy + cz * cz < reach * reach:
            near = 1.0 - distance(data, solid, px, py, pz) / CONTACT
            near = min(max(near, 0.0), 1.0)
            left = min(left, 1.0 - CONTACT_DEPTH * data[solid + OPACITY] * near * near)
    return left


def surface(data: Floats, lists: Ints, ray: Ray, t: float, own: int, tile: int) -> Vector:
    """Colour of a solid where a ray meets it."""
    ox, oy, oz, dx, dy, dz = ray
    x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
    nx, ny, nz = normal(data, own, x, y, z, 2e-4)
    point, upwards = (x + 1e-3 * nx, y + 1e-3 * ny, z + 1e-3 * nz), (nx, ny, nz)
    sx, sy, sz = data[SUN], data[SUN + 1], data[SUN + 2]
    facing = nx * sx + ny * sy + nz * sz
    lit = 0.0
    if facing > 0.0:
        lit = sunlight(data, lists, point, own)
    left = openness(data, lists, point, upwards, own, tile)
    if nz < 0.0:  # the ground darkens what lies on it
        height = max(ground_gap(data, x, y, z), 0.0)
        left *= 1.0 + nz * 0.5 * (1.0 - smooth(0.0, 0.35, height))
    around = mix(GROUND_LIGHT, SKY_LIGHT, 0.5 + 0.5 * nz)
    against = max(-(nx * dx + ny * dy + nz * dz), 0.0)
    edge = 0.16 * (1.0 - against) ** 4 * left
    hx, hy, hz = sx - dx, sy - dy, sz - dz
    half = max((nx * hx + ny * hy + nz * hz) / math.sqrt(hx * hx + hy * hy + hz * hz), 0.0)
    gloss = 0.16 * lit * half**48.0
    direct = lit * max(facing, 0.0)
    return (
        data[own + COLOUR] * (left * around[0] + direct * SUN_LIGHT[0]) + edge * SKY_LIGHT[0] + gloss,
        data[own + COLOUR + 1] * (left * around[1] + direct * SUN_LIGHT[1]) + edge * SKY_LIGHT[1] + gloss,
        data[own + COLOUR + 2] * (left * around[2] + direct * SUN_LIGHT[2]) + edge * SKY_LIGHT[2] + gloss,
    )


def floor(data: Floats, lists: Ints, ray: Ray, t: float, pixel: float, tile: int) -> Vector:
    """Colour of the ground where a ray meets it."""
    ox, oy, oz, dx, dy, dz = ray
    x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
    a = data[ACROSS] * x + data[ACROSS + 1] * y + data[ACROSS + 2] * z
    b = data[ALONG] * x + data[ALONG + 1] * y + data[ALONG + 2] * z
    cell = data[GRID]
    away = smooth(data[FADE_FROM], data[FADE_TO], math.sqrt(a * a + b * b))
    if away >= 1.0:
        return sky(data, dz)
    flat, (nx, ny, nz), even = ground_normals(data, x, y)
    # A step e of one pixel across the ray moves the point by t·pixel (e − d (e·n)/(d·n)), and its coordinate along an axis
    # a by t·pixel e·(a − n (a·d)/(n·d)): the width that the grid is averaged over.
    against = min(flat[0] * dx + flat[1] * dy + flat[2] * dz, -1e-6)
    wide_x = max(t * pixel / cell * spread(data, ACROSS, flat, ray, against), 1e-6)
    wide_y = max(t * pixel / cell * spread(data, ALONG, flat, ray, against), 1e-6)
    u, v = (a - data[GRID_LINE]) / cell, (b - data[GRID_LINE + 1]) / cell
    # On a face as steep as a wall a line across it would cover all of it.
    plain_x = 1.0 - smooth(1.2, 3.0, abs(dot_axis(data, ACROSS, flat)) / max(flat[2], 1e-3))
    plain_y = 1.0 - smooth(1.2, 3.0, abs(dot_axis(data, ALONG, flat)) / max(flat[2], 1e-3))
    fine = 1.0 - (1.0 - plain_x * lines(u, wide_x, 0.014)) * (1.0 - plain_y * lines(v, wide_y, 0.014))
    coarse_x = plain_x * lines(u / MAJOR, wide_x / MAJOR, 0.0045)
    coarse = 1.0 - (1.0 - coarse_x) * (1.0 - plain_y * lines(v / MAJOR, wide_y / MAJOR, 0.0045))
    colour = mix(light(data, GROUND), light(data, LINE), min(0.42 * fine + 0.5 * coarse, 1.0))
    point = (x, y, z)
    facing = (nx * data[SUN] + ny * data[SUN + 1] + nz * data[SUN + 2]) / data[SUN + 2]
    facing = max(1.0 + RELIEF * (facing - 1.0), 0.0)
    lit = 0.0
    if facing > 0.0:
        lit = facing * sunlight(data, lists, point, -1)
    left = openness(data, lists, point, (nx, ny, nz), -1, tile)
    left = (0.35 + 0.65 * left) * (LEANING + (1.0 - LEANING) * nz) * (1.0 - EDGE * (1.0 - even))
    # Level ground in the sun has its own colour; a slope gets as much more or less as it faces the sun.
    shade = (
        left * (SHADOW_FLOOR[0] + lit * (1.0 - SHADOW_FLOOR[0])),
        left * (SHADOW_FLOOR[1] + lit * (1.0 - SHADOW_FLOOR[1])),
        left * (SHADOW_FLOOR[2] + lit * (1.0 - SHADOW_FLOOR[2])),
    )
    colour = (colour[0] * shade[0], colour[1] * shade[1], colour[2] * shade[2])
    return mix(colour, sky(data, dz), away)


def spread(data: Floats, axis: int, flat: Vector, ray: Ray, against: float) -> float:
    """How much faster than the ray the point where it meets a plane moves along an axis: |a − n (a·d)/(n·d)|."""
    ax, ay, az = data[axis], data[axis + 1], data[axis + 2]
    share = (ax * ray[3] + ay * ray[4] + az * ray[5]) / against
    return math.sqrt((ax - share * flat[0]) ** 2 + (ay - share * flat[1]) ** 2 + (az - share * flat[2]) ** 2)


def dot_axis(data: Floats, axis: int, vector: Vector) -> float:
    """Scalar product of an axis of the grid with a vector; 0 on a plane, whose axes lie in it."""
    return float(data[axis] * vector[0] + data[axis + 1] * vector[1] + data[axis + 2] * vector[2])


def lines(x: float, wide: float, thick: float) -> float:
    """Share of an interval of width `wide` about x that lines of width `thick` about the whole numbers cover."""
    a, b = x + 0.5 * (thick + wide), x + 0.5 * (thick - wide)
    upto_a = math.floor(a) * thick + min(a - math.floor(a), thick)
    upto_b = math.floor(b) * thick + min(b - math.floor(b), thick)
    return (upto_a - upto_b) / wide
