"""Where shapes meet the ground: a plane, or terrain of triangles.

Every shape offers points: a ball its centre with its radius, a capsule or tapered capsule its two ends, a box or
polyhedron its corners, a cylinder or frustum four points on each rim, an ellipsoid its lowest point; the lowest points of
ellipsoids and rims are those of half-way (`lowest_half_way`).  A point is a contact when it could reach the ground within a
step, also with its speed turned: a blow elsewhere, a limit or a motor may do that.
Edges of terrain that are folded upwards reach shapes between their points: :mod:`zoophyte.physics.contact.detect.edges`.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.quaternions import quaternion_exp, quaternion_matrix
from zoophyte.algebra.rotations import rotate, unrotate
from zoophyte.algebra.vectors import add, add_cross, add_scaled, choose3, cross, dot, scale, subtract
from zoophyte.model.contact_layout import (
    BALL_SHAPE,
    BIN_COUNT,
    BIN_GAP,
    BIN_KEEPS,
    BIN_NORMAL,
    BIN_RECORD,
    BOX_SHAPE,
    CORNER_SHAPE,
    DISC_SHAPE,
    ELLIPSOID_SHAPE,
    GROUND_KIND,
    HEAD_START,
    KEYS_PER_SHAPE,
    MARGIN,
    PLANE_GROUND,
    PLANE_HEIGHT,
    PLANE_NORMAL,
    POINT_COUNT,
    ROUND_SHAPE,
    SHAPE_CENTRE,
    SHAPE_CORNERS,
    SHAPE_COUNT,
    SHAPE_DATA,
    SHAPE_EXTENT,
    SHAPE_KIND,
    SHAPE_MEETS_GROUND,
    SHAPE_POSITION,
    SHAPE_REACH,
    SHAPE_RECORD,
    SHAPE_ROTATION,
    SHAPE_SIZE,
    SHAPE_TREE,
    WALL_COUNT,
    WALLS,
    WORK_BINS,
)
from zoophyte.model.layout import CONTACT, DT, GRAVITY, WORLD_P, WORLD_R, A, V
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    any_lane,
    both,
    fma,
    load,
    negated,
    number,
    sqrt,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import load3, load3_at, load6_at, load9, load9_at, store3
from zoophyte.physics.contact.detect.edges import meet_edges
from zoophyte.physics.contact.detect.near import (
    push_on_ground,
    reaches,
    shape_link,
    shape_row,
    sqrt_sum,
    sweep_bound,
)
from zoophyte.physics.contact.detect.terrain import point_over, terrain_below
from zoophyte.physics.contact.islands import is_asleep
from zoophyte.physics.contact.slots import work

LEAN, ROLLS = 1e-3, 0.5
"""The sine of the angle from which on a disc leans; the angle by which it rolls in a step from which on it rolls fast."""


def meet_ground(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> None:
    """Slots for all points that touch the ground, or may within the step; after poses and velocities are known."""
    c = ints[CONTACT]
    for shape in range(ints[c + SHAPE_COUNT]):
        s = shape_row(ints, shape)
        if (ints[s + SHAPE_TREE] > 0 or width(spec) > 1) and not is_asleep(
            ints, data, ints[s + SHAPE_TREE], spec
        ):
            shape_on_ground(ints, data, scratch, terrain, shape, spec)


def shape_on_ground(ints: Array, data: Array, scratch: Array, terrain: Array, shape: int, spec: Spec) -> None:
    """Slots for the points of one shape, if it is near the ground at all.

    Heights are taken in link axes: of a point x_L it is n·p − height + n_L·x_L, so that points need not be turned.
    """
    W, c, s, link = width(spec), ints[CONTACT], shape_row(ints, shape), shape_link(ints, shape, spec)
    d, head = ints[s + SHAPE_DATA], ints[c + HEAD_START]
    p, V_L = load3_at(scratch, ints, link, WORLD_P * W, spec), load6_at(scratch, ints, link, V * W, spec)
    A_L = load6_at(scratch, ints, link, A * W, spec)
    dt, margin = load(data, DT * W, spec), load(data, head + MARGIN * W, spec)
    zero = number(0.0, dt)
    centre = (zero, zero, zero)
    # Of a terrain, the plane is level and as high as its highest point: who is above it is not near.
    n = load3(data, head + PLANE_NORMAL * W, spec)
    above, extent = (
        dot(n, p) - load(data, head + PLANE_HEIGHT * W, spec),
        load(data, d + SHAPE_EXTENT * W, spec),
    )
    if not any_lane(above < extent + sweep_bound(V_L, A_L, extent, centre, dt, margin)):
        return
    R = load9_at(scratch, ints, link, WORLD_R * W, spec)
    reach, centre = load(data, d + SHAPE_REACH * W, spec), load3(data, d + SHAPE_CENTRE * W, spec)
    fall = dt * sqrt_sum(load3(data, GRAVITY * W, spec))
    swept = fma(dt, fall, sweep_bound(V_L, A_L, reach, centre, dt, margin))
    n_L = unrotate(R, n)
    meets = load(data, d + SHAPE_MEETS_GROUND * W, spec) > zero
    near = both(meets, above + dot(n_L, centre) < reach + swept)
    if any_lane(near):
        kind, on_terrain = ints[s + SHAPE_KIND], ints[c + GROUND_KIND] != PLANE_GROUND
        is_box = kind == BOX_SHAPE and not on_terrain
        middle, h = box_heights(data, d, n_L, above, spec) if is_box else (zero, (zero, zero, zero))
        for point in range(ints[s + SHAPE_CORNERS] if kind == CORNER_SHAPE else POINT_COUNT[kind]):
            if is_box and not any_lane(both(near, corner_height(middle, h, point) < swept)):
                continue
            x_L, radius = shape_point(kind, data, d, point, n_L, spec)
            if on_terrain:
                place = add(p, rotate(R, x_L))
                if WALL_COUNT[kind] > 0:
                    way = scale(
                        dt, rotate(R, add_cross((V_L[3], V_L[4], V_L[5]), (V_L[0], V_L[1], V_L[2]), x_L))
                    )
                    normal, gap, first, second = terrain_below(
                        data, head, terrain, place, radius, way, swept, spec
                    )
                    wall = work(ints, WORK_BINS, spec) + (WALLS + 2 * point) * BIN_RECORD * W
                    store(scratch, wall + BIN_GAP * W, first[0], spec)
                    store3(scratch, wall + BIN_NORMAL * W, first[1], spec)
                    store(scratch, wall + (BIN_RECORD + BIN_GAP) * W, second[0], spec)
                    store3(scratch, wall + (BIN_RECORD + BIN_NORMAL) * W, second[1], spec)
                else:
                    normal, gap = point_over(data, head, terrain, place, spec)
                m_L = unrotate(R, normal)
            else:
                normal, m_L, gap = n, n_L, (above + dot(n_L, x_L)) - radius
            close, leans = both(near, gap < swept), near
            if kind == DISC_SHAPE:
                leans, rolls = leans_on(data, d, m_L, V_L, dt, spec)
                if point & 3 > 0:
                    close = both(close, negated(rolls))
            if any_lane(close):
                arm = scale(-radius, m_L)
                if kind == ELLIPSOID_SHAPE or (kind == DISC_SHAPE and point & 3 == 0):
                    x_L, arm = lowest_half_way(kind, data, d, point, (n_L, m_L), V_L, x_L, leans, dt, spec)
                touch = add_scaled(x_L, -radius, m_L)
                touching, v = reaches((V_L, A_L), touch, m_L, gap, close, (dt, fall, margin))
                if any_lane(touching):
                    key = number(shape * KEYS_PER_SHAPE + point, dt)
                    push_on_ground(
                        ints, data, scratch, shape, touching, (R, p), touch, normal, gap, key, v, arm, spec
                    )
        if on_terrain and BIN_COUNT[kind] > 0:
            meet_edges(ints, data, scratch, terrain, shape, near, swept, dt, fall, margin, spec)
        if on_terrain and WALL_COUNT[kind] > 0:
            walls_meet(
                ints, data, scratch, shape, (R, p), near, n_L, (V_L, A_L), swept, (dt, fall, margin), spec
            )


def walls_meet(
    ints: Array, data: Array, scratch: Array, shape: int, pose: Any, near: Mask, n_L: Any, motion: Any, swept: Number,
    pace: Any, spec: Spec,
) -> None:  # fmt: skip
    """Slots for the second and third side of a pit in which a round point lies; `shape_on_ground` has noted them."""
    W, s = width(spec), shape_row(ints, shape)
    kind, d, R = ints[s + SHAPE_KIND], ints[s + SHAPE_DATA], pose[0]
    for k in range(WALL_COUNT[kind]):
        wall = work(ints, WORK_BINS, spec) + (WALLS + k) * BIN_RECORD * W
        gap, normal = load(scratch, wall + BIN_GAP * W, spec), load3(scratch, wall + BIN_NORMAL * W, spec)
        close = both(near, gap < swept)
        if any_lane(close):
            x_L, radius = shape_point(kind, data, d, k // 2, n_L, spec)
            m_L = unrotate(R, normal)
            arm = scale(-radius, m_L)
            touch = add(x_L, arm)
            touching, v = reaches(motion, touch, m_L, gap, close, pace)
            if any_lane(touching):
                key = number(
                    shape * KEYS_PER_SHAPE + POINT_COUNT[kind] + BIN_KEEPS * BIN_COUNT[kind] + k, gap
                )
                push_on_ground(
                    ints, data, scratch, shape, touching, pose, touch, normal, gap, key, v, arm, spec
                )


def lowest_half_way(
    kind: int, data: Array, d: int, point: int, normals: Any, V_L: Any, x_L: Any, leans: Mask, dt: Number, spec: Spec
) -> Any:  # fmt: skip
    """(where that point of a round shape will be that is the lowest half-way through the step, its arm), link axes.

    The lowest point of an ellipsoid, or of the rim of a cylinder that leans, is another one all the time.  Its height h(θ)
    changes in a step by dt·ω·h′ half-way, up to the third power of the turn, and that is the speed of the point that is the
    lowest then.  Were the one of now taken, the lowest at the end would be deeper by half the turn squared times the radius
    of curvature, in every step: thrown ellipsoids of 30 cm sank by a centimetre.

    The point itself moves on as the shape turns; the lowest stays as far below the middle as it was half-way.  So the arm
    is the vertical part of its way from the middle of the ellipsoid, or of the rim.

    Args:
        kind: an ellipsoid or a disc.
        data: of the block.
        d: where the shape's record is.
        point: of a disc the lowest of one of its rims.
        normals: the vertical, along which the lowest is sought, and the normal of the ground below.
        V_L: velocity of the link.
        x_L: the lowest point now, which stays that of a disc that does not lean.
        leans: as `leans_on` tells.
        dt: the step.
        spec: the machine.
    """
    n_L, m_L = normals
    half = scale(number(0.5, dt) * dt, (V_L[0], V_L[1], V_L[2]))
    turned = quaternion_matrix(quaternion_exp(half))
    later, _ = shape_point(kind, data, d, point, unrotate(turned, n_L), spec)
    middle = load3(data, d + SHAPE_POSITION * width(spec), spec)
    if kind == DISC_SHAPE and point > 3:
        length = load(data, d + (SHAPE_SIZE + 2) * width(spec), spec)
        middle = add_scaled(middle, length, disc_axis(data, d, spec))
    z, zero = rotate(turned, subtract(later, middle)), number(0.0, dt)
    arm = scale(dot(m_L, z), m_L)
    return choose3(leans, add(middle, z), x_L), choose3(leans, arm, (zero, zero, zero))


def leans_on(data: Array, d: int, m_L: Any, V_L: Any, dt: Number, spec: Spec) -> Any:
    """(whether a disc leans, and more than it tips in the step, so that its lowest stays on one side; and rolls fast).

    At its rims' other points it touches where it is about to lie flat, or is struck.  Of one that rolls fast these would be
    thought to go straight down by their speed, while they go around: wheels leapt up by metres.
    """
    axis, w = disc_axis(data, d, spec), (V_L[0], V_L[1], V_L[2])
    across, tips, rolls = cross(m_L, axis), cross(w, axis), dt * absolute(dot(w, axis))
    lean = dot(across, across)
    leans = both(lean > number(LEAN * LEAN, dt), lean > dt * dt * dot(tips, tips))
    return leans, both(leans, rolls > number(ROLLS, dt))


def disc_axis(data: Array, d: int, spec: Spec) -> Any:
    """The axis of a cylinder or frustum, link axes."""
    A = load9(data, d + SHAPE_ROTATION * width(spec), spec)
    return A[2], A[5], A[8]


def box_heights(data: Array, d: int, n_L: Any, above: Number, spec: Spec) -> Any:
    """(height of a box's centre above the plane, what each half length adds to it): enough to pass by corners high up."""
    W = width(spec)
    m = unrotate(load9(data, d + SHAPE_ROTATION * W, spec), n_L)
    size = load3(data, d + SHAPE_SIZE * W, spec)
    middle = above + dot(n_L, load3(data, d + SHAPE_POSITION * W, spec))
    return middle, (m[0] * size[0], m[1] * size[1], m[2] * size[2])


def corner_height(middle: Number, h: Any, point: int) -> Number:
    """Height of a corner of a box above the plane."""
    x = h[0] if point & 1 else -h[0]
    y = h[1] if point & 2 else -h[1]
    z = h[2] if point & 4 else -h[2]
    return middle + (x + y + z)


def shape_point(kind: int, data: Array, d: int, point: int, n_L: Any, spec: Spec) -> Any:
    """(place in link axes, radius) of one point of a shape that stands on a ground with the normal n_L."""
    W = width(spec)
    start = load3(data, d + SHAPE_POSITION * W, spec)
    size = load3(data, d + SHAPE_SIZE * W, spec)
    zero = number(0.0, size[0])
    if kind == BALL_SHAPE:
        return start, size[0]
    if kind == CORNER_SHAPE:
        return load3(data, d + (SHAPE_RECORD + 3 * point) * W, spec), zero
    A = load9(data, d + SHAPE_ROTATION * W, spec)
    axis = (A[2], A[5], A[8])
    if kind == ROUND_SHAPE:
        if point == 0:
            return start, size[0]
        return add_scaled(start, size[2], axis), size[1]
    if kind == BOX_SHAPE:
        x = size[0] if point & 1 else -size[0]
        y = size[1] if point & 2 else -size[1]
        z = size[2] if point & 4 else -size[2]
        return add(start, rotate(A, (x, y, z))), zero
    if kind == ELLIPSOID_SHAPE:
        m = unrotate(A, n_L)
        scaled = (size[0] * size[0] * m[0], size[1] * size[1] * m[1], size[2] * size[2] * m[2])
        length = sqrt(m[0] * scaled[0] + m[1] * scaled[1] + m[2] * scaled[2])
        return add_scaled(start, number(-1.0, zero) / length, rotate(A, scaled)), zero
    return rim_point(start, size, A, axis, point, n_L)


def rim_point(start: Any, size: Any, A: Any, axis: Any, point: int, n_L: Any) -> Any:
    """One of four points on each rim of a cylinder or frustum: the lowest, the highest and those between."""
    zero, one = number(0.0, size[0]), number(1.0, size[0])
    flat = add_scaled(n_L, -dot(n_L, axis), axis)
    length = sqrt(dot(flat, flat))
    upright = length < number(1e-6, zero)
    inverse = one / where(upright, one, length)
    down = (where(upright, -A[0], -(flat[0] * inverse)), where(upright, -A[3], -(flat[1] * inverse)),
            where(upright, -A[6], -(flat[2] * inverse)))  # fmt: skip
    quarter = point & 3
    direction = down
    if quarter == 1:
        direction = cross(axis, down)
    if quarter == 2:
        direction = scale(-one, down)
    if quarter == 3:
        direction = cross(down, axis)
    if point < 4:
        return add_scaled(start, size[0], direction), zero
    return add_scaled(add_scaled(start, size[2], axis), size[1], direction), zero
