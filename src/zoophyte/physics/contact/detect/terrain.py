"""The surface of a terrain as a ball sees it: the nearest point of the triangles under and around it.

The heights are one table for all creatures.  Beyond the edge of the grid the outermost heights go on.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.vectors import add_scaled, choose3, cross, dot, scale, subtract
from zoophyte.model.contact_layout import HUGE, TERRAIN_ORIGIN, TERRAIN_SIZE, TERRAIN_STEP
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    any_lane,
    both,
    constant,
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
from zoophyte.physics.contact.detect.edge_shapes import in_fold

ALIKE = 0.99999
"""Triangles with a larger cosine between their normals are one to a ball."""
FOLD_SINGLE, FOLD = 1e-3, 1e-6
"""Change of slope from which on an edge counts as folded; rounding of heights makes less."""


@outlined
def terrain_below(
    data: Array, head: int, terrain: Array, x: Any, radius: Number, way: Any, swept: Number, spec: Spec
) -> Any:
    """(normal, gap, wall, wall) between a ball and the terrain where it is nearest, and (gap, normal) of two more places.

    The gap of a ball whose centre is under ground is measured from the triangle above it.  Walls are triangles, edges and
    peaks before which the ball stands as well, as in a valley or pit: of several those that will be deepest when the ball
    has gone its `way`; edges and peaks within the distance `swept` of its surface.
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
    nothing = (none, none, (zero, zero, zero))
    walls = (nothing, nothing, nothing)
    for row in range(-reach, reach + 1):
        for column in range(-reach, reach + 1):
            di, dj = number(column, gap), number(row, gap)
            here = ((u - (i + di)) * step[0], (v - (j + dj)) * step[1], x[2])
            within = both(absolute(di) <= own, absolute(dj) <= own)
            least = number(1e30, gap)
            for half in range(2):
                a, b, c = triangle(
                    terrain, i + di, j + dj, number(half, gap) > number(0.5, gap), size, step, spec
                )
                q = nearest_on_triangle(here, a, b, c)
                away = subtract(here, q)
                d2 = dot(away, away)
                least = minimum(least, d2)
                # A neighbour's larger ball must not make this one look farther.
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
                    walls = keep(walls, (where(faces, off + dot(m, way), none), off, m))
            close = both(within, least < (radius + swept) * (radius + swept))
            if any_lane(close):  # no edge of a triangle is nearer than itself
                walls = ridges_beside(terrain, (i + di, j + dj), size, step, close, here, way, walls)
    best = where(under, gap, best)
    normal = (where(under, n[0], normal[0]), where(under, n[1], normal[1]), where(under, n[2], normal[2]))
    # The nearest one is among them, or they are three besides, of which the last is left out.
    one_wall, other, third = walls
    taken = number(2.0 * HUGE, gap)
    first, second, _ = is_largest(
        where(is_alike(one_wall, normal), taken, one_wall[0]),
        where(is_alike(other, normal), taken, other[0]),
        where(is_alike(third, normal), taken, third[0]),
    )
    one_wall, other = chosen(first, other, one_wall), chosen(either(first, second), third, other)
    none_under = where(under, none, -radius)
    return normal, best - radius, (one_wall[1] + none_under, one_wall[2]), (other[1] + none_under, other[2])


def ridges_beside(
    terrain: Array, cell: Any, size: Any, step: Any, within: Mask, here: Any, way: Any, walls: Any
) -> Any:
    """The walls, with what stands out under a ball from one grid point on: its three edges, and itself as a peak."""
    i, j = cell
    one, zero, none = number(1.0, i), number(0.0, i), number(HUGE, i)
    corners = (height(terrain, i, j, size), height(terrain, i + one, j, size), height(terrain, i, j + one, size),
               height(terrain, i + one, j + one, size))  # fmt: skip
    before = (height(terrain, i - one, j, size), height(terrain, i, j - one, size))
    r = (here[0], here[1], here[2] - corners[0])
    for which in range(3):
        e, a, b, fold = edge_of(which, step, corners, before)
        folded = both(within, fold > constant(FOLD_SINGLE, FOLD, fold))
        if any_lane(folded):
            t = dot(r, e) / dot(e, e)
            off, u = apart(add_scaled(r, -t, e))
            _, fits = in_fold(u, normal_of(a), normal_of(b))
            held = both(both(folded, fits), both(t > zero, t < one))
            walls = keep(walls, (where(held, off + dot(u, way), none), off, u))
    # All six neighbours lie behind the plane across the way to a peak.
    off, u = apart(r)
    x, y, z = u[0] * step[0], u[1] * step[1], u[2]
    last = height(terrain, i - one, j - one, size)
    most = maximum(fma(z, corners[1] - corners[0], x), fma(z, corners[2] - corners[0], y))
    most = maximum(most, fma(z, corners[3] - corners[0], x + y))
    most = maximum(most, maximum(fma(z, before[0] - corners[0], -x), fma(z, before[1] - corners[0], -y)))
    most = maximum(most, fma(z, last - corners[0], -(x + y)))
    held = both(within, both(most <= zero, z > zero))
    if any_lane(held):
        walls = keep(walls, (where(held, off + dot(u, way), none), off, u))
    return walls


def apart(away: Any) -> Any:
    """(length, direction) of a vector; of none nothing."""
    off = sqrt(dot(away, away))
    sound = off > number(1e-12, off)
    return off, scale(
        where(sound, number(1.0, off), number(0.0, off)) / where(sound, off, number(1.0, off)), away
    )


def edge_of(which: int, side: Any, corners: Any, before: Any) -> Any:
    """One of the three edges from a grid point: along x, along y, across the cell; `before`: heights at −x and −y.

    (vector, slopes of the triangle at its right, of that at its left, how far these slope away from it).
    """
    h00, h10, h01, h11 = corners
    zero = number(0.0, h00)
    below, above = (
        ((h10 - h00) / side[0], (h11 - h10) / side[1]),
        ((h11 - h01) / side[0], (h01 - h00) / side[1]),
    )
    if which == 0:
        front = (below[0], (h00 - before[1]) / side[1])
        return (side[0], zero, h10 - h00), below, front, front[1] - below[1]
    if which == 1:
        left = ((h00 - before[0]) / side[0], above[1])
        return (zero, side[1], h01 - h00), left, above, left[0] - above[0]
    return (side[0], side[1], h11 - h00), below, above, above[0] - below[0]


def normal_of(slope: Any) -> Any:
    """Unit normal of a triangle with these slopes along x and y."""
    one = number(1.0, slope[0])
    inverse = one / sqrt(fma(slope[0], slope[0], fma(slope[1], slope[1], one)))
    return (-(slope[0] * inverse), -(slope[1] * inverse), inverse)


def keep(walls: Any, new: Any) -> Any:
    """Three planes (depth later, depth, normal), none like another: a new one comes for those like it, or the least deep.

    To a ball, planes with one normal are one: it touches them all with the same point, and the deepest holds it.  They stay
    where they are, so that each finds its force of the last step; what is like the new one behind its place, goes.
    """
    a, b, c = walls
    like_a, like_b, like_c = is_alike(a, new[2]), is_alike(b, new[2]), is_alike(c, new[2])
    like_none = negated(either(either(like_a, like_b), like_c))
    last_a, last_b, last_c = is_largest(a[0], b[0], c[0])
    none = number(HUGE, new[0])
    least = minimum(where(like_a, a[0], none), minimum(where(like_b, b[0], none), where(like_c, c[0], none)))
    comes = new[0] < where(like_none, maximum(maximum(a[0], b[0]), c[0]), least)
    off = (none, none, scale(number(0.0, none), new[2]))
    second, third = chosen(like_a, off, new), chosen(either(like_a, like_b), off, new)
    return (chosen(both(comes, either(like_a, both(like_none, last_a))), new, a),
            chosen(both(comes, either(like_b, both(like_none, last_b))), second, b),
            chosen(both(comes, either(like_c, both(like_none, last_c))), third, c))  # fmt: skip


def is_alike(wall: Any, n: Any) -> Mask:
    """Whether a wall has this normal."""
    return dot(wall[2], n) > number(ALIKE, n[0])


def is_largest(a: Number, b: Number, c: Number) -> Any:
    """Which of three numbers is the largest, of equals the first."""
    first = both(a >= b, a >= c)
    second = both(negated(first), b >= c)
    return first, second, negated(either(first, second))


def chosen(condition: Mask, a: Any, b: Any) -> Any:
    """One of two walls."""
    return where(condition, a[0], b[0]), where(condition, a[1], b[1]), choose3(condition, a[2], b[2])


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
