"""Ridges, rims and peaks of a terrain that come up between the points of a shape.

Corners of boxes and ends of capsules find the triangles below them.  What is left are the edges between triangles, and the
peaks, which are ends of edges.  A shape is convex: only an edge that is folded upwards can touch it between its points, and
one between even or hollow neighbours never does, so that nobody stumbles over the grid itself.  All folded edges under a
shape are tried; of those in one bin (an eighth of the shape, or a piece of its axis) the two that will be deepest become
contacts.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import compose, rotate, unrotate
from zoophyte.algebra.vectors import add, add_cross, add_scaled, dot, scale, subtract
from zoophyte.model.contact_layout import (
    BIN_COUNT,
    BIN_GAP,
    BIN_KEEPS,
    BIN_NORMAL,
    BIN_POINT,
    BIN_RECORD,
    BIN_SCORE,
    BOX_SHAPE,
    DISC_SHAPE,
    ELLIPSOID_SHAPE,
    HEAD_START,
    HUGE,
    KEYS_PER_SHAPE,
    MOST_BINS,
    POINT_COUNT,
    SHAPE_DATA,
    SHAPE_KIND,
    SHAPE_POSITION,
    SHAPE_ROTATION,
    SHAPE_SIZE,
    TERRAIN_ORIGIN,
    TERRAIN_SIZE,
    TERRAIN_STEP,
    WORK_BINS,
)
from zoophyte.model.layout import CONTACT, WORLD_P, WORLD_R, A, V, called
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
    maximum,
    minimum,
    negated,
    number,
    sqrt,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import load3, load3_at, load6_at, load9, load9_at
from zoophyte.numbers.units import unit
from zoophyte.physics.contact.detect.edge_cones import edge_beside_cone, edge_under_disc, ends_in_disc
from zoophyte.physics.contact.detect.edge_shapes import (
    edge_beside_round,
    edge_under_box,
    edge_under_ellipsoid,
    is_near,
    lowest_point,
    octant,
    offer,
)
from zoophyte.physics.contact.detect.near import push_on_ground, reaches, shape_link, shape_row
from zoophyte.physics.contact.detect.segments import between_sides
from zoophyte.physics.contact.detect.terrain import FOLD, FOLD_SINGLE, edge_of, height, normal_of
from zoophyte.physics.contact.slots import work
from zoophyte.physics.presence import has_terrain

MOST_CELLS = 128
"""Cells that are tried along each side of a shape's shadow; of a finer grid every second, third … point counts."""
LEVEL_SINGLE, LEVEL = 1e-5, 1e-9
"""A triangle that leans by less than √(2·this) counts as level."""


@unit(called("meet_edges"), has_terrain)
def meet_edges(
    ints: Array, data: Array, scratch: Array, terrain: Array, shape: int, near: Mask, swept: Number, dt: Number,
    fall: Number, margin: Number, spec: Spec,
) -> None:  # fmt: skip
    """Slots where folded edges of the terrain touch a shape, or may within the step; the last numbers as for `reaches`."""
    pace = (dt, fall, margin)
    W, s, link = width(spec), shape_row(ints, shape), shape_link(ints, shape, spec)
    kind, d, bins = ints[s + SHAPE_KIND], ints[s + SHAPE_DATA], work(ints, WORK_BINS, spec)
    R, p = load9_at(scratch, ints, link, WORLD_R * W, spec), load3_at(scratch, ints, link, WORLD_P * W, spec)
    V_L, A_L = load6_at(scratch, ints, link, V * W, spec), load6_at(scratch, ints, link, A * W, spec)
    B, start = load9(data, d + SHAPE_ROTATION * W, spec), load3(data, d + SHAPE_POSITION * W, spec)
    w, v = (V_L[0], V_L[1], V_L[2]), (V_L[3], V_L[4], V_L[5])
    motion = (unrotate(B, w), unrotate(B, add_cross(v, w, start)), pace[0], swept)
    for b in range(BIN_KEEPS * (MOST_BINS + 1)):
        store(scratch, bins + (b * BIN_RECORD + BIN_SCORE) * W, number(HUGE, swept), spec)
    place = (add(p, rotate(R, start)), compose(R, B), load3(data, d + SHAPE_SIZE * W, spec))
    search(ints, data, scratch, terrain, kind, near, place, motion, spec)
    for b in range(BIN_KEEPS * BIN_COUNT[kind]):
        record = bins + b * BIN_RECORD * W
        held = both(near, load(scratch, record + BIN_SCORE * W, spec) < number(0.5 * HUGE, swept))
        if any_lane(held):
            gap = load(scratch, record + BIN_GAP * W, spec)
            n = load3(scratch, record + BIN_NORMAL * W, spec)
            x, m_L = load3(scratch, record + BIN_POINT * W, spec), rotate(B, n)
            touch = add(start, rotate(B, add_scaled(x, gap, n)))
            touching, v_L = reaches((V_L, A_L), touch, m_L, gap, held, pace)
            if any_lane(touching):
                key = number(shape * KEYS_PER_SHAPE + POINT_COUNT[kind] + b, gap)
                zero = number(0.0, gap)
                push_on_ground(
                    ints, data, scratch, shape, touching, (R, p), touch, rotate(R, m_L), gap, key, v_L,
                    (zero, zero, zero), spec,
                )  # fmt: skip


def shadow(kind: int, place: Any) -> Any:
    """(start, vector, reach beyond it along the axes of the world) of a segment that a shape lies around."""
    x, R, size = place
    zero, two = number(0.0, size[0]), number(2.0, size[0])
    if kind == BOX_SHAPE:
        by_x = both(size[0] >= size[1], size[0] >= size[2])
        by_y = both(negated(by_x), size[1] >= size[2])
        by_z = negated(either(by_x, by_y))
        long = (where(by_x, size[0], zero), where(by_y, size[1], zero), where(by_z, size[2], zero))
        half, rest = rotate(R, long), (size[0] - long[0], size[1] - long[1], size[2] - long[2])
        return (
            subtract(x, half),
            scale(two, half),
            (reach_along(R[0], R[1], R[2], rest), reach_along(R[3], R[4], R[5], rest), reach_along(R[6], R[7], R[8], rest)),
        )  # fmt: skip
    if kind == ELLIPSOID_SHAPE:
        return x, (zero, zero, zero), (round_reach(R[0], R[1], R[2], size), round_reach(R[3], R[4], R[5], size),
                                       round_reach(R[6], R[7], R[8], size))  # fmt: skip
    radius = maximum(size[0], size[1])
    return x, (size[2] * R[2], size[2] * R[5], size[2] * R[8]), (radius, radius, radius)


def reach_along(a: Number, b: Number, c: Number, half: Any) -> Number:
    """How far a box with these half lengths reaches along a direction (a, b, c) in its axes."""
    return absolute(a) * half[0] + absolute(b) * half[1] + absolute(c) * half[2]


def round_reach(a: Number, b: Number, c: Number, size: Any) -> Number:
    """The same for an ellipsoid."""
    x, y, z = a * size[0], b * size[1], c * size[2]
    return sqrt(x * x + y * y + z * z)


def stride_of(length: Number, step: Number) -> Number:
    """From how many grid points one counts, below a shadow of this length."""
    one, most = number(1.0, length), number(MOST_CELLS, length)
    return maximum(floor(length / (step * most)) + one, one)


def cells(low: Number, high: Number, origin: Number, step: Number, stride: Number, some: Mask) -> Any:
    """(first, how many) of the grid points that count, from low to high."""
    one = number(1.0, low)
    first = floor((low - origin) / (step * stride)) * stride
    # A minimum with something that is not a number is the other one: lives that blow up have finite loops.
    count = minimum(floor(((high - origin) / step - first) / stride) + one, number(MOST_CELLS + 1, low))
    return first, where(some, count, number(0.0, low))


def search(
    ints: Array, data: Array, scratch: Array, terrain: Array, kind: int, near: Mask, place: Any, motion: Any, spec: Spec
) -> None:  # fmt: skip
    """Offer all folded edges below a shape to the bins: row by row of the grid, what of its shadow lies there."""
    W, head = width(spec), ints[ints[CONTACT] + HEAD_START]
    swept = motion[3]
    a, d, reach = shadow(kind, place)
    step = (load(data, head + TERRAIN_STEP * W, spec), load(data, head + (TERRAIN_STEP + 1) * W, spec))
    origin = (
        load(data, head + TERRAIN_ORIGIN * W, spec),
        load(data, head + (TERRAIN_ORIGIN + 1) * W, spec),
    )
    size = (load(data, head + TERRAIN_SIZE * W, spec), load(data, head + (TERRAIN_SIZE + 1) * W, spec))
    zero, one, half = number(0.0, swept), number(1.0, swept), number(0.5, swept)
    x, y = reach[0] + swept, reach[1] + swept
    wide, deep = stride_of(absolute(d[0]) + x + x, step[0]), stride_of(absolute(d[1]) + y + y, step[1])
    side = (wide * step[0], deep * step[1])
    first_j, rows = cells(
        minimum(a[1], a[1] + d[1]) - y, maximum(a[1], a[1] + d[1]) + y, origin[1], step[1], deep, near
    )
    lowest = minimum(a[2], a[2] + d[2]) - reach[2] - swept
    for row in range(int(largest_lane(rows))):
        j = fma(number(row, deep), deep, first_j)
        middle = fma(j, step[1], origin[1]) + half * side[1]
        t, u = between_sides(a[1] - middle, d[1], fma(half, side[1], y), one < zero, zero, one)
        start, end = fma(t, d[0], a[0]), fma(u, d[0], a[0])
        some = both(near, both(number(row, deep) < rows, t <= u))
        first_i, columns = cells(
            minimum(start, end) - x, maximum(start, end) + x, origin[0], step[0], wide, some
        )
        for column in range(int(largest_lane(columns))):
            i = fma(number(column, wide), wide, first_i)
            corners = (height(terrain, i, j, size), height(terrain, i + wide, j, size),
                       height(terrain, i, j + deep, size), height(terrain, i + wide, j + deep, size))  # fmt: skip
            tallest = maximum(maximum(corners[0], corners[1]), maximum(corners[2], corners[3]))
            here = both(number(column, wide) < columns, tallest > lowest)
            if any_lane(here):
                before = (height(terrain, i - wide, j, size), height(terrain, i, j - deep, size))
                at = (fma(i, step[0], origin[0]), fma(j, step[1], origin[1]), corners[0])
                try_cell(scratch, work(ints, WORK_BINS, spec), kind, here, place, at, side, corners, before, lowest,
                         motion, spec)  # fmt: skip


def try_cell(
    scratch: Array, bins: int, kind: int, here: Mask, place: Any, at: Any, side: Any, corners: Any, before: Any,
    lowest: Number, motion: Any, spec: Spec,
) -> None:  # fmt: skip
    """The three edges from one grid point: along x, along y, and across the cell; `before`: heights at −x and −y."""
    x_S, R_S, _ = place
    for which in range(3):
        e, a, b, fold = edge_of(which, side, corners, before)
        top = maximum(corners[0], corners[3] if which == 2 else corners[1 + which])
        wanted = both(here, both(fold > constant(FOLD_SINGLE, FOLD, fold), top > lowest))
        if any_lane(wanted):
            edge = (unrotate(R_S, subtract(at, x_S)), unrotate(R_S, e), unrotate(R_S, normal_of(a)),
                    unrotate(R_S, normal_of(b)))  # fmt: skip
            try_edge(scratch, bins, kind, wanted, place, edge, motion, spec)
    if kind == DISC_SHAPE or kind == ELLIPSOID_SHAPE:
        _, below, above, _ = edge_of(2, side, corners, before)
        try_face(scratch, bins, kind, here, place, at, side, below, True, motion, spec)
        try_face(scratch, bins, kind, here, place, at, side, above, False, motion, spec)


def try_face(
    scratch: Array, bins: int, kind: int, here: Mask, place: Any, at: Any, side: Any, slope: Any, lower: bool, motion: Any,
    spec: Spec,
) -> None:  # fmt: skip
    """The points of a rounded shape that stand out most towards one triangle, if they are over it.

    The shape's own points are those towards level ground, which is left out here.
    """
    n = normal_of(slope)
    wanted = both(here, n[2] < number(1.0, n[2]) - constant(LEVEL_SINGLE, LEVEL, n[2]))
    if any_lane(wanted):
        x_S, R_S, size = place
        zero, one = number(0.0, n[0]), number(1.0, n[0])
        m = unrotate(R_S, n)
        for end in range(2 if kind == DISC_SHAPE else 1):
            x = lowest_point(kind, size, m, end)
            r = subtract(add(x_S, rotate(R_S, x)), at)
            u, v = r[0] / side[0], r[1] / side[1]
            over = (
                both(v >= zero, both(u <= one, v <= u)) if lower else both(u >= zero, both(v <= one, u < v))
            )
            gap = dot(n, r)
            which = octant(x) if kind == ELLIPSOID_SHAPE else octant((x[0], x[1], number(end, zero)))
            offer(scratch, bins, both(wanted, over), which, add_scaled(x, -gap, m), m, gap, motion, spec)


def try_edge(
    scratch: Array, bins: int, kind: int, wanted: Mask, place: Any, edge: Any, motion: Any, spec: Spec
) -> None:  # fmt: skip
    """One folded edge, in the axes of the shape."""
    _, R_S, size = place
    wanted = both(wanted, is_near(kind, size, edge, motion[3]))
    if not any_lane(wanted):
        return
    if kind == BOX_SHAPE:
        edge_under_box(scratch, bins, wanted, size, edge, motion, spec)
    elif kind == ELLIPSOID_SHAPE:
        edge_under_ellipsoid(scratch, bins, wanted, size, edge, motion, spec)
    elif kind == DISC_SHAPE:
        up = edge[2][2] + edge[3][2] + R_S[8]
        ends_in_disc(scratch, bins, wanted, size, edge, up, motion, spec)
        wanted = edge_under_disc(scratch, bins, wanted, size, edge, up, motion, spec)
        edge_beside_cone(scratch, bins, wanted, size, edge, motion, BIN_COUNT[kind], spec)
    else:
        edge_beside_round(scratch, bins, wanted, size, edge, motion, BIN_COUNT[kind], spec)
