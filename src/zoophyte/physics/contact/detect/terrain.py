"""The surface of a terrain as a ball sees it: the nearest point of the triangles under and around it.

The heights are one table for all creatures.  Beyond the edge of the grid the outermost heights go on.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.vectors import add_scaled, choose3, cross, dot, scale, subtract
from zoophyte.model.contact_layout import HUGE, TERRAIN_ORIGIN, TERRAIN_SIZE, TERRAIN_STEP
from zoophyte.numbers import (
    Array,
    Number,
    Spec,
    absolute,
    any_lane,
    both,
    either,
    floor,
    fma,
    largest_lane,
    load,
    lookup,
    maximum,
    minimum,
    negated,
    number,
    sqrt,
    where,
    width,
)
from zoophyte.numbers.primitives import outlined

ALIKE = 0.99999
"""Triangles with a larger cosine between their normals are one to a ball."""


@outlined
def terrain_below(
    data: Array, head: int, terrain: Array, x: Any, radius: Number, way: Any, spec: Spec
) -> Any:
    """(normal, gap, normal, gap) between a ball and the terrain where it is nearest, and of a second triangle.

    The gap of a ball whose centre is under ground is measured from the triangle above it.  The second one is that before
    which the ball stands as well, as in a valley: of several the one that will be deepest when the ball has gone its `way`.
    """
    # The plane of the triangle straight below decides whether the centre is above ground.
    place, size, step, n, gap = triangle_below(data, head, terrain, x, spec)
    u, v, i, j = place
    own = span(radius / minimum(step[0], step[1]))
    reach = int(largest_lane(own))
    none = number(HUGE, gap)
    zero = number(0.0, gap)
    under = gap <= zero
    best, normal = gap, n
    nearest = number(1e30, gap)
    one = number(1.0, gap)
    wall, other = (none, none, n), (none, none, n)
    for row in range(-reach, reach + 1):
        for column in range(-reach, reach + 1):
            di, dj = number(column, gap), number(row, gap)
            here = ((u - (i + di)) * step[0], (v - (j + dj)) * step[1], x[2])
            for half in range(2):
                a, b, c = triangle(
                    terrain, i + di, j + dj, number(half, gap) > number(0.5, gap), size, step, spec
                )
                q = nearest_on_triangle(here, a, b, c)
                away = subtract(here, q)
                d2 = dot(away, away)
                # A neighbour's larger ball must not make this one look farther.
                within = both(absolute(di) <= own, absolute(dj) <= own)
                closer = both(within, d2 < nearest)
                nearest = where(closer, d2, nearest)
                distance = sqrt(d2)
                sound = distance > number(1e-12, gap)
                away = scale(one / where(sound, distance, one), away)
                m = upward(a, b, c)
                best = where(closer, distance, best)
                normal = (where(closer, where(sound, away[0], m[0]), normal[0]),
                          where(closer, where(sound, away[1], m[1]), normal[1]),
                          where(closer, where(sound, away[2], m[2]), normal[2]))  # fmt: skip
                # In front of a triangle its plane is as near as the triangle itself.
                off = dot(m, subtract(here, a))
                faces = both(within, both(off > zero, d2 <= off * off * number(1.0 + 1e-6, gap)))
                if any_lane(faces):
                    score = where(faces, off + dot(m, way), none)
                    first = score < wall[0]
                    second = both(negated(first), score < other[0])
                    other = (where(first, wall[0], where(second, score, other[0])),
                             where(first, wall[1], where(second, off, other[1])),
                             choose3(first, wall[2], choose3(second, m, other[2])))  # fmt: skip
                    wall = (
                        where(first, score, wall[0]),
                        where(first, off, wall[1]),
                        choose3(first, m, wall[2]),
                    )
    best = where(under, gap, best)
    normal = (where(under, n[0], normal[0]), where(under, n[1], normal[1]), where(under, n[2], normal[2]))
    taken = dot(wall[2], normal) > number(ALIKE, gap)
    beside = choose3(taken, other[2], wall[2])
    aside = where(taken, other[1], wall[1])
    alike = either(under, dot(beside, normal) > number(ALIKE, gap))
    return normal, best - radius, beside, where(alike, none, aside - radius)


@outlined
def point_over(data: Array, head: int, terrain: Array, x: Any, spec: Spec) -> Any:
    """(normal, gap) between a point and the terrain.

    Above ground the triangle below counts as far as it goes, not its plane: over the front of a step, its rim is nearest.
    """
    place, size, step, n, gap = triangle_below(data, head, terrain, x, spec)
    u, v, i, j = place
    one = number(1.0, gap)
    above = gap > number(0.0, gap)
    if any_lane(above):
        a, b, c = triangle(terrain, i, j, u - i > v - j, size, step, spec)
        local = ((u - i) * step[0], (v - j) * step[1], x[2])
        away = subtract(local, nearest_on_triangle(local, a, b, c))
        distance = sqrt(dot(away, away))
        off = both(above, distance > fma(gap, number(1e-6, gap), gap) + number(1e-12, gap))
        n = choose3(off, scale(one / where(off, distance, one), away), n)
        gap = where(off, distance, gap)
    return n, gap


def triangle_below(data: Array, head: int, terrain: Array, x: Any, spec: Spec) -> Any:
    """((place in the grid, its cell), size of the grid, its step, normal and distance of the triangle straight below)."""
    W = width(spec)
    step = (
        load(data, head + TERRAIN_STEP * W, spec),
        load(data, head + (TERRAIN_STEP + 1) * W, spec),
    )
    u = (x[0] - load(data, head + TERRAIN_ORIGIN * W, spec)) / step[0]
    v = (x[1] - load(data, head + (TERRAIN_ORIGIN + 1) * W, spec)) / step[1]
    size = (load(data, head + TERRAIN_SIZE * W, spec), load(data, head + (TERRAIN_SIZE + 1) * W, spec))
    i, j = floor(u), floor(v)
    lower = u - i > v - j
    a, b, c = triangle(terrain, i, j, lower, size, step, spec)
    local = ((u - i) * step[0], (v - j) * step[1], x[2])
    n = upward(a, b, c)
    gap = dot(n, subtract(local, a))
    return (u, v, i, j), size, step, n, gap


def span(cells: Number) -> Number:
    """How many cells a ball reaches beyond its own, eight at most."""
    one = number(1.0, cells)
    return minimum(floor(cells) + one, number(8.0, one))


def triangle(terrain: Array, i: Number, j: Number, lower: Any, size: Any, step: Any, spec: Spec) -> Any:
    """Corners of one triangle of cell (i, j), counted from the cell's own corner; counter-clockwise from above."""
    zero, one = number(0.0, i), number(1.0, i)
    corner_i, corner_j = where(lower, one, zero), where(lower, zero, one)
    first = (zero, zero, height(terrain, i, j, size))
    last = (step[0], step[1], height(terrain, i + one, j + one, size))
    between = (corner_i * step[0], corner_j * step[1], height(terrain, i + corner_i, j + corner_j, size))
    # first → between → last turns left under the diagonal, right above it.
    b = (
        where(lower, between[0], last[0]),
        where(lower, between[1], last[1]),
        where(lower, between[2], last[2]),
    )
    c = (
        where(lower, last[0], between[0]),
        where(lower, last[1], between[1]),
        where(lower, last[2], between[2]),
    )
    return first, b, c


def height(terrain: Array, i: Number, j: Number, size: Any) -> Number:
    """Height of a grid point, or of the nearest one on the edge."""
    zero, one = number(0.0, i), number(1.0, i)
    column = maximum(minimum(i, size[0] - one), zero)
    row = maximum(minimum(j, size[1] - one), zero)
    return lookup(terrain, fma(row, size[0], column))


def upward(a: Any, b: Any, c: Any) -> Any:
    """Unit normal of a triangle."""
    n = cross(subtract(b, a), subtract(c, a))
    return scale(number(1.0, n[0]) / sqrt(dot(n, n)), n)


def nearest_on_triangle(x: Any, a: Any, b: Any, c: Any) -> Any:
    """The point of a triangle that is nearest to x: of its face if x stands over it, else of one of its edges."""
    n = cross(subtract(b, a), subtract(c, a))
    squared = dot(n, n)
    zero = number(0.0, squared)
    inside = both(
        both(dot(cross(subtract(b, a), subtract(x, a)), n) >= zero, dot(cross(subtract(c, b), subtract(x, b)), n) >= zero),
        dot(cross(subtract(a, c), subtract(x, c)), n) >= zero,
    )  # fmt: skip
    face = add_scaled(x, -(dot(n, subtract(x, a)) / squared), n)
    q = nearest_of(x, nearest_on_edge(x, a, b), nearest_on_edge(x, b, c))
    q = nearest_of(x, q, nearest_on_edge(x, c, a))
    return (where(inside, face[0], q[0]), where(inside, face[1], q[1]), where(inside, face[2], q[2]))


def nearest_on_edge(x: Any, a: Any, b: Any) -> Any:
    """The point of a segment that is nearest to x."""
    along = subtract(b, a)
    t = dot(subtract(x, a), along) / dot(along, along)
    t = maximum(minimum(t, number(1.0, t)), number(0.0, t))
    return add_scaled(a, t, along)


def nearest_of(x: Any, p: Any, q: Any) -> Any:
    """The one of two points that is nearer to x."""
    to_p, to_q = subtract(x, p), subtract(x, q)
    first = dot(to_p, to_p) <= dot(to_q, to_q)
    return (where(first, p[0], q[0]), where(first, p[1], q[1]), where(first, p[2], q[2]))
