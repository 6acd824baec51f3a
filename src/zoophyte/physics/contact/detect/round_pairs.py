"""Balls, capsules and tapered capsules against each other and against boxes.

A tapered capsule is a ball whose radius changes evenly as it runs along a segment; a capsule and a ball are special cases.
The distance |P(s) − Q(t)| − r(s) − r(t) is convex in (s, t); for one of the two fixed, the other has a closed form.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import rotate, unrotate
from zoophyte.algebra.vectors import add_scaled, choose3, dot, scale, subtract
from zoophyte.model.contact_layout import HEAD_START, SLOP
from zoophyte.model.layout import CONTACT, DT
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    any_lane,
    both,
    either,
    fma,
    load,
    maximum,
    minimum,
    negated,
    number,
    sqrt,
    where,
    width,
)
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.contact.detect.near import shape_link
from zoophyte.physics.contact.detect.points import along, point_on, push_pair
from zoophyte.physics.contact.detect.segments import between, between_sides, clamp01, nearest_parameter

ROUNDS = 10
HALVINGS = 30
SAME_SIDE = 0.7
"""Least cosine between the normals at the start and the end of a way around an edge; on longer ways one might go through."""
DEEP = 0.75
"""Part of the slop; who is deeper is stopped by the plane of now, before positions need correcting."""
PARALLEL = 1e-3
"""Squared sine of the angle below which two capsules touch along a line, and are held at both ends of it."""


def segment(shape: Any) -> Any:
    """(start, vector, radius at the start, growth of the radius)."""
    x, R, size = shape
    return x, (R[2] * size[2], R[5] * size[2], R[8] * size[2]), size[0], size[1] - size[0]


@outlined
def rounds_meet(
    ints: Array, data: Array, scratch: Array, context: Any, near: Mask, swept: Number, A: Any, B: Any, spec: Spec
) -> None:  # fmt: skip
    """Two balls, capsules or tapered capsules: one point, or two where they lie side by side."""
    x, d, r, grow_A = round_segment(A)
    y, e, q, grow_B = round_segment(B)
    s = between(x, d, y, e)
    t = nearest_parameter(y, e, grow_B, add_scaled(x, s, d))
    for _ in range(ROUNDS):
        s = nearest_parameter(x, d, grow_A, add_scaled(y, t, e))
        t = nearest_parameter(y, e, grow_B, add_scaled(x, s, d))
    a, b, c = dot(d, d), dot(d, e), dot(e, e)
    tiny = number(1e-12, a)
    parallel = both(both(a > tiny, c > tiny), a * c - b * b < number(PARALLEL, a) * (a * c))
    push_rounds(ints, data, scratch, context, 0, both(near, negated(parallel)), swept, (x, d, r, grow_A),
                (y, e, q, grow_B), s, t, spec)  # fmt: skip
    if any_lane(both(near, parallel)):
        whole = where(a > tiny, a, number(1.0, a))
        start, end = dot(subtract(y, x), d) / whole, (dot(subtract(y, x), d) + b) / whole
        for side in range(2):
            s = clamp01(minimum(start, end) if side == 0 else maximum(start, end))
            t = nearest_parameter(y, e, grow_B, add_scaled(x, s, d))
            push_rounds(ints, data, scratch, context, 1 + side, both(near, parallel), swept, (x, d, r, grow_A),
                        (y, e, q, grow_B), s, t, spec)  # fmt: skip


def round_segment(shape: Any) -> Any:
    """(start, vector, radius, growth); a ball, whose length is zero, does not grow."""
    x, d, r, growth = segment(shape)
    return x, d, r, where(dot(d, d) > number(0.0, r), growth, number(0.0, r))


def push_rounds(
    ints: Array, data: Array, scratch: Array, context: Any, feature: int, touching: Mask, swept: Number, A: Any, B: Any,
    s: Number, t: Number, spec: Spec,
) -> None:  # fmt: skip
    """A slot for the points at s and t."""
    c_A, c_B = add_scaled(A[0], s, A[1]), add_scaled(B[0], t, B[1])
    r_A, r_B = fma(s, A[3], A[2]), fma(t, B[3], B[2])
    n, distance = along(subtract(c_A, c_B))
    gap = distance - r_A - r_B
    touching = both(touching, gap < swept)
    if any_lane(touching):
        x_A, x_B = add_scaled(c_A, -r_A, n), add_scaled(c_B, r_B, n)
        push_pair(ints, data, scratch, context, feature, touching, x_A, x_B, n, gap, spec)


@outlined
def box_meets_round(
    ints: Array, data: Array, scratch: Array, context: Any, near: Mask, swept: Number, box: Any, other: Any,
    sign: float, spec: Spec,
) -> None:  # fmt: skip
    """A box and a ball, capsule or tapered capsule: both ends, and the deepest point between them if it is deeper.

    The sign is 1 where the box is the first of the pair.
    """
    centre, R, half = box
    x, d, r, growth = round_segment(other)
    start, vector = unrotate(R, subtract(x, centre)), unrotate(R, d)
    low, high = number(0.0, r), number(1.0, r)
    for _ in range(HALVINGS):  # the slope of a convex function changes its sign once
        middle = number(0.5, r) * (low + high)
        p = add_scaled(start, middle, vector)
        off = subtract(p, clamped(p, half))
        slope = dot(off, vector) - growth * sqrt(dot(off, off))
        rising = slope > number(0.0, r)
        low, high = where(rising, low, middle), where(rising, middle, high)
    deepest = number(0.5, r) * (low + high)
    lone = dot(vector, vector) <= number(1e-20, r)
    first, last, long = over_face(start, vector, deepest, fma(deepest, growth, r), half)
    first, last = where(long, first, number(0.0, r)), where(long, last, number(1.0, r))
    inner = ball_gap(add_scaled(start, deepest, vector), fma(deepest, growth, r), half)
    gap_0 = ball_gap(add_scaled(start, first, vector), fma(first, growth, r), half)
    gap_1 = ball_gap(add_scaled(start, last, vector), fma(last, growth, r), half)
    # Between the two only where it is deeper there: across an edge, not along a face.
    worth = both(negated(lone), inner < minimum(gap_0, gap_1) - number(1e-3, r) * r)
    for point in range(3):
        t = deepest
        wanted = both(near, worth)
        if point == 0:
            t, wanted = where(lone, number(0.0, r), first), near
        if point == 1:
            t, wanted = last, both(near, negated(lone))
        p = add_scaled(start, t, vector)
        radius = fma(t, growth, r)
        n, gap = ball_on_box(p, radius, half)
        wanted = both(wanted, gap < swept)
        if any_lane(wanted):
            n, gap = after_way(ints, data, scratch, context, box, (p, radius, n, gap), sign, spec)
            n_W = rotate(R, n)  # from the box to the ball
            on_ball = add_scaled(add_scaled(centre, number(1.0, r), rotate(R, p)), -radius, n_W)
            on_box = add_scaled(on_ball, -gap, n_W)
            if sign > 0.0:
                flipped = scale(number(-1.0, r), n_W)
                push_pair(ints, data, scratch, context, point, wanted, on_box, on_ball, flipped, gap, spec)
            else:
                push_pair(ints, data, scratch, context, point, wanted, on_ball, on_box, n_W, gap, spec)


def after_way(
    ints: Array, data: Array, scratch: Array, context: Any, box: Any, ball: Any, sign: float, spec: Spec
) -> Any:
    """(normal, gap) of the plane that the ball will touch at the end of its way, if it will not be deep there; else of now.

    A ball that rolls over the seam of two flush boxes has the edge of the next before it, and the face under it at the end:
    the plane across the edge would brake it.
    """
    centre, R, half = box
    p, radius, n, gap = ball
    first, second, _, _ = context
    W, one = width(spec), number(1.0, gap)
    x = add_scaled(centre, one, rotate(R, p))
    _, v_A = point_on(ints, scratch, shape_link(ints, first, spec), x, spec)
    _, v_B = point_on(ints, scratch, shape_link(ints, second, spec), x, spec)
    dt = load(data, DT * W, spec)
    way = scale(-dt if sign > 0.0 else dt, unrotate(R, subtract(v_A, v_B)))
    m, ahead = ball_on_box(add_scaled(p, one, way), radius, half)
    later = ahead - dot(m, way)
    deep = number(-DEEP, gap) * load(data, ints[ints[CONTACT] + HEAD_START] + SLOP * W, spec)
    passes = both(dot(n, m) > number(SAME_SIDE, gap), minimum(ahead, later) > deep)
    return choose3(passes, m, n), where(passes, later, gap)


def over_face(start: Any, vector: Any, t: Number, radius: Number, half: Any) -> Any:
    """(first, last, whether) part of a segment that lies over the face it is nearest to at t."""
    n, _ = ball_on_box(add_scaled(start, t, vector), radius, half)
    x, y, z = absolute(n[0]), absolute(n[1]), absolute(n[2])
    by_x = both(x >= y, x >= z)
    by_y = both(negated(by_x), y >= z)
    by_z = negated(either(by_x, by_y))
    low, high = number(0.0, t), number(1.0, t)
    low, high = between_sides(start[0], vector[0], half[0], by_x, low, high)
    low, high = between_sides(start[1], vector[1], half[1], by_y, low, high)
    low, high = between_sides(start[2], vector[2], half[2], by_z, low, high)
    return low, high, high > low + number(1e-6, t)


def clamped(p: Any, half: Any) -> Any:
    """The point of a box that is nearest to p."""
    return (maximum(minimum(p[0], half[0]), -half[0]), maximum(minimum(p[1], half[1]), -half[1]),
            maximum(minimum(p[2], half[2]), -half[2]))  # fmt: skip


def ball_gap(p: Any, radius: Number, half: Any) -> Number:
    """Distance of a ball from a box; negative for a depth."""
    _, gap = ball_on_box(p, radius, half)
    return gap


def ball_on_box(p: Any, radius: Number, half: Any) -> Any:
    """(normal out of the box, gap) of a ball, in the axes of the box."""
    zero, one = number(0.0, radius), number(1.0, radius)
    q = clamped(p, half)
    n, distance = along(subtract(p, q))
    outside = distance > number(1e-12, radius)
    # Inside, out through the nearest face.
    dx, dy, dz = half[0] - absolute(p[0]), half[1] - absolute(p[1]), half[2] - absolute(p[2])
    least = minimum(minimum(dx, dy), dz)
    by_x = dx <= least
    by_y = both(negated(by_x), dy <= least)
    by_z = negated(either(by_x, by_y))
    s = (where(p[0] < zero, -one, one), where(p[1] < zero, -one, one), where(p[2] < zero, -one, one))
    m = (where(by_x, s[0], zero), where(by_y, s[1], zero), where(by_z, s[2], zero))
    normal = (where(outside, n[0], m[0]), where(outside, n[1], m[1]), where(outside, n[2], m[2]))
    return normal, where(outside, distance, -least) - radius
