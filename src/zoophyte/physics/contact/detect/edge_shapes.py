"""One folded edge of a terrain against one shape, in the axes of the shape.

An edge that is folded upwards, a piece of a ridge or of the rim of a step, is a segment p + t e with the normals of the two
triangles beside it.  Every contact that is found is offered to a bin; a bin keeps the two that will be deepest.
Normals point from the terrain to the shape.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.vectors import add, add_cross, add_scaled, choose3, cross, dot, scale, subtract
from zoophyte.model.contact_layout import (
    BIN_GAP,
    BIN_KEEPS,
    BIN_NORMAL,
    BIN_POINT,
    BIN_RECORD,
    BIN_SCORE,
    BOX_SHAPE,
    DISC_SHAPE,
    ELLIPSOID_SHAPE,
    HUGE,
    MOST_BINS,
)
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    any_lane,
    both,
    either,
    floor,
    fma,
    gather,
    maximum,
    minimum,
    negated,
    number,
    scatter,
    sqrt,
    where,
    width,
)
from zoophyte.numbers.memory import gather3, scatter3
from zoophyte.physics.contact.detect.segments import between, between_sides, clamp01, nearest_parameter

FACING = 0.1
"""Least cosine between the terrain's normal and that of a face that it may touch."""
LEVEL = 0.05
"""Sine of the slope between an edge and a round shape's side up to which the ends of the edge are held too."""
SPREAD = 1e-3
"""Of contacts in one bin, the one a metre farther out may be this much less deep [m]."""
SAME = 1e-3
"""Points nearer to each other than this part of their distance from the middle of a shape are one."""
ROUNDS = 2


def offer(
    scratch: Array, bins: int, wanted: Mask, which: Number, x: Any, n: Any, gap: Number, motion: Any, spec: Spec
) -> None:  # fmt: skip
    """Keep a contact (point of the terrain, normal, gap) if it will be deeper after the step than one that its bin holds.

    A bin holds two: with one, two points that bear a shape together would take turns, and it would rock on them for ever.
    They stay in the order in which they were found, that of the grid, so that each finds its force of the last step.
    """
    W = width(spec)
    w, v, dt, swept = motion
    wanted = both(wanted, gap < swept)
    if any_lane(wanted):
        out = sqrt(dot(x, x))
        score = fma(dt, dot(n, add_cross(v, w, x)), gap) - number(SPREAD, gap) * out
        record, spare = number(BIN_RECORD * W, gap), number(BIN_KEEPS * MOST_BINS, gap)
        first = where(wanted, number(BIN_KEEPS, gap) * which, spare) * record
        older = gather(scratch, first, bins + BIN_SCORE * W, spec)
        newer = gather(scratch, first, bins + (BIN_RECORD + BIN_SCORE) * W, spec)
        wanted = both(wanted, score < maximum(older, newer))
        if any_lane(wanted):
            second, none, same = bins + BIN_RECORD * W, number(HUGE, gap), number(SAME, gap) * out
            before = gather3(scratch, first, bins + BIN_POINT * W, spec)
            kept = gather3(scratch, first, second + BIN_POINT * W, spec)
            is_older = both(older < none, is_same(before, x, same))
            is_newer = both(both(newer < none, is_same(kept, x, same)), negated(is_older))
            # A point that several edges share counts once; another one takes the place of the less deep.
            limit = where(is_older, older, where(is_newer, newer, maximum(older, newer)))
            better = both(wanted, score < limit)
            moves = both(both(better, older > newer), negated(either(is_older, is_newer)))
            if any_lane(moves):
                depth = gather(scratch, first, second + BIN_GAP * W, spec)
                normal = gather3(scratch, first, second + BIN_NORMAL * W, spec)
                put(scratch, bins, where(moves, first, spare * record), newer, depth, kept, normal, spec)
            place = where(better, first + where(is_older, number(0.0, gap), record), spare * record)
            put(scratch, bins, place, score, gap, x, n, spec)


def put(
    scratch: Array, bins: int, place: Number, score: Number, gap: Number, x: Any, n: Any, spec: Spec
) -> None:
    """Write one contact of a bin."""
    W = width(spec)
    scatter(scratch, place, bins + BIN_SCORE * W, score, spec)
    scatter(scratch, place, bins + BIN_GAP * W, gap, spec)
    scatter3(scratch, place, bins + BIN_POINT * W, x, spec)
    scatter3(scratch, place, bins + BIN_NORMAL * W, n, spec)


def is_same(x: Any, y: Any, near: Number) -> Mask:
    """Whether two points are nearer to each other than this, or than what rounding makes of one."""
    off = subtract(x, y)
    return dot(off, off) <= fma(near, near, number(1e-12, near))


def is_near(kind: int, size: Any, edge: Any, swept: Number) -> Mask:
    """Whether a ball around an edge comes near a shape; what is deeper in a round one than its axis is near it too."""
    p, e, _, _ = edge
    zero, half = number(0.0, swept), number(0.5, swept)
    m = add_scaled(p, half, e)
    far = fma(half, sqrt(dot(e, e)), swept)
    if kind == BOX_SHAPE or kind == ELLIPSOID_SHAPE:
        off = (maximum(absolute(m[0]) - size[0], zero), maximum(absolute(m[1]) - size[1], zero),
               maximum(absolute(m[2]) - size[2], zero))  # fmt: skip
    else:
        off = (m[0], m[1], m[2] - maximum(minimum(m[2], size[2]), zero))
        far = fma(number(2.0, far), maximum(size[0], size[1]), far)
    return dot(off, off) < far * far


def octant(x: Any) -> Number:
    """0 to 7, by the signs of x."""
    zero, one = number(0.0, x[0]), number(1.0, x[0])
    two = one + one
    return where(x[0] > zero, one, zero) + where(x[1] > zero, two, zero) + where(x[2] > zero, two + two, zero)


def in_fold(direction: Any, n: Any, m: Any) -> Any:
    """(the direction, at right angles to an edge, or the nearer of its two normals; whether it is between them).

    Who stands off an edge in another direction is nearer to one of its triangles.
    """
    c, a, b = dot(n, m), dot(direction, n), dot(direction, m)
    beyond_n, beyond_m = a < c * b, b < c * a
    # a − c·b is the sine of the fold times that of an angle in it: of a small fold only a small slack is rounding.
    slack = number(1e-6, c) * sqrt(maximum(fma(-c, c, number(1.0, c)), number(0.0, c)))
    between_them = both(a > c * b - slack, b > c * a - slack)
    return choose3(beyond_n, m, choose3(beyond_m, n, direction)), between_them


# ---- boxes


def over_side(z: Any, x: Any, y: Any, up: Number) -> Any:
    """What of an edge lies over one of two opposite faces; `z`, `x`, `y`: (start, slope, half) across and along the face.

    (first t, last t, gap there, gap there, which of the two faces, the less of both gaps, whether it may push).  The face is
    the one against the terrain's normals, the sum of whose components is `up`; along them a face cannot push.
    """
    zero, one = number(0.0, up), number(1.0, up)
    never = one < zero
    faces = absolute(up) > number(FACING, up)
    out = where(where(faces, -up, fma(number(0.5, up), z[1], z[0])) < zero, -one, one)
    low, high = between_sides(x[0], x[1], x[2], never, zero, one)
    low, high = between_sides(y[0], y[1], y[2], never, low, high)
    low, high = on_side(fma(out, z[0], z[2]), out * z[1], low, high)
    first, last = fma(out, fma(low, z[1], z[0]), -z[2]), fma(out, fma(high, z[1], z[0]), -z[2])
    worth = where(high >= low, minimum(first, last), number(-HUGE, up))
    return low, high, first, last, out, worth, where(faces, one, zero)


def on_side(start: Number, slope: Number, low: Number, high: Number) -> Any:
    """The part of [low, high] in which start + t·slope ≥ 0: what is beyond the opposite face is not in the shape."""
    zero, one = number(0.0, slope), number(1.0, slope)
    runs = absolute(slope) > number(1e-12, slope)
    t = -start / where(runs, slope, one)
    never = both(negated(runs), start < zero)
    low = where(both(runs, slope > zero), maximum(t, low), where(never, one, low))
    return low, where(both(runs, slope < zero), minimum(t, high), where(never, zero, high))


def edge_under_box(
    scratch: Array, bins: int, wanted: Mask, half: Any, edge: Any, motion: Any, spec: Spec
) -> None:
    """A box: the two ends of what of the edge lies over the face out of which the way is shortest."""
    p, e, n, m = edge
    up = add(n, m)
    zero, one = number(0.0, p[0]), number(1.0, p[0])
    x, y, z = (p[0], e[0], half[0]), (p[1], e[1], half[1]), (p[2], e[2], half[2])
    a, b, c = over_side(x, y, z, up[0]), over_side(y, z, x, up[1]), over_side(z, x, y, up[2])
    by_a = both(a[5] >= b[5], a[5] >= c[5])
    by_b = both(negated(by_a), b[5] >= c[5])
    by_c = negated(either(by_a, by_b))
    worth = where(by_a, a[5], where(by_b, b[5], c[5]))
    pushes = where(by_a, a[6], where(by_b, b[6], c[6])) > zero
    wanted = both(both(wanted, pushes), worth > number(-0.5 * HUGE, worth))
    face = (where(by_a, a[4], zero), where(by_b, b[4], zero), where(by_c, c[4], zero))
    for end in range(2):
        t, gap = where(by_a, a[0], where(by_b, b[0], c[0])), where(by_a, a[2], where(by_b, b[2], c[2]))
        if end == 1:
            t, gap = where(by_a, a[1], where(by_b, b[1], c[1])), where(by_a, a[3], where(by_b, b[3], c[3]))
        point = add_scaled(p, t, e)
        # The side of the face that it is nearest to, or crosses.
        beyond = (
            where(by_a, number(-HUGE, t), absolute(point[0]) - half[0]),
            where(by_b, number(-HUGE, t), absolute(point[1]) - half[1]),
            where(by_c, number(-HUGE, t), absolute(point[2]) - half[2]),
        )
        first = both(beyond[0] >= beyond[1], beyond[0] >= beyond[2])
        second = both(negated(first), beyond[1] >= beyond[2])
        third = negated(either(first, second))
        side = (where(first, where(point[0] > zero, one, -one), zero),
                where(second, where(point[1] > zero, one, -one), zero),
                where(third, where(point[2] > zero, one, -one), zero))  # fmt: skip
        normal, part = across_side(e, face, side, both(t > zero, t < one))
        offer(scratch, bins, wanted, octant(point), point, normal, gap * part, motion, spec)


def across_side(e: Any, face: Any, side: Any, crosses: Mask) -> Any:
    """(normal, its part along the face's) where an edge lies over a face; where it crosses a side, at right angles to both.

    A normal outside those of the faces that meet there is that of the face: then the edge is nearer before it crosses.
    """
    one = number(1.0, e[0])
    n = cross(e, cross(face, side))
    n = scale(where(dot(n, face) > number(0.0, one), -one, one), n)
    length = sqrt(dot(n, n))
    sound = both(crosses, length > number(1e-6, one) * sqrt(dot(e, e)))
    n = scale(one / where(sound, length, one), n)
    part = -dot(n, face)
    sound = both(sound, both(dot(n, side) <= number(0.0, one), part > number(FACING, one)))
    return choose3(sound, n, scale(-one, face)), where(sound, part, one)


# ---- capsules


def beside(edge: Any, t: Number, d: Any, radius: Number, growth: Number) -> Any:
    """(s, point of the terrain, normal, gap, whether) between the point at t of an edge and a ball that grows along d."""
    p, e, n, m = edge
    zero, one = number(0.0, t), number(1.0, t)
    x = add_scaled(p, t, e)
    s = nearest_parameter((zero, zero, zero), d, growth, x)
    r = fma(s, growth, radius)
    v = subtract(scale(s, d), x)
    distance = sqrt(dot(v, v))
    sound = distance > number(1e-9, t)
    direction = scale(one / where(sound, distance, one), v)
    up = add(n, m)
    up = scale(one / sqrt(dot(up, up)), up)
    inner = both(t > zero, t < one)
    # An axis under both triangles, and not so far that it may be out on the other side, goes out against the direction.
    below = both(dot(n, direction) <= zero, dot(m, direction) <= zero)
    under = both(both(inner, below), distance <= number(0.5, t) * r)
    direction = choose3(under, scale(-one, direction), direction)
    folded, fits = in_fold(direction, n, m)
    normal = choose3(sound, choose3(inner, folded, direction), up)
    fits = either(negated(sound), either(under, both(negated(below), either(fits, negated(inner)))))
    return s, x, normal, dot(normal, v) - r, fits


def beside_axis(edge: Any, length: Number) -> Any:
    """(first t, last t) of what of an edge lies between the planes through the two ends of an axis along z."""
    zero, one, half = number(0.0, length), number(1.0, length), number(0.5, length) * length
    return between_sides(edge[0][2] - half, edge[1][2], half, one < zero, zero, one)


def deepest_beside(edge: Any, k: Number) -> Any:
    """(t of the point of an edge's line that is deepest in a cone about z whose radius grows by k, whether it runs across).

    With the distance from the axis ρ(t), which is convex, and the radius r + k z the gap is (ρ − r − k z)/√(1 + k²).  It is
    least where dρ/dt = k dz/dt: a (t − t₀) = h κ/√(1 − κ²) with κ = k e_z/a, the speed across a and the least distance h.
    """
    p, e, _, _ = edge
    one, most = number(1.0, k), number(0.999, k)
    square = fma(e[0], e[0], e[1] * e[1])
    across = square > number(1e-12, k) * dot(e, e)
    square = where(across, square, one)
    speed, t = sqrt(square), -fma(p[0], e[0], p[1] * e[1]) / square
    x, y = fma(t, e[0], p[0]), fma(t, e[1], p[1])
    kappa = maximum(minimum(k * e[2] / speed, most), -most)
    return fma(sqrt(fma(x, x, y * y)) / speed, kappa / sqrt(fma(-kappa, kappa, one)), t), across


def edge_beside_round(
    scratch: Array, bins: int, wanted: Mask, size: Any, edge: Any, motion: Any, count: int, spec: Spec
) -> None:  # fmt: skip
    """A capsule or tapered capsule: where the edge is nearest, and where it runs along, the ends of what is beside the axis.

    Beyond the ends of the axis it is the balls there that touch.
    """
    p, e, _, _ = edge
    radius, growth = size[0], size[1] - size[0]
    zero, one, least = number(0.0, radius), number(1.0, radius), number(LEVEL, radius)
    d = (zero, zero, size[2])
    low, high = beside_axis(edge, size[2])
    # The side is a cone, tangent to balls that grow by the sine of its angle; beyond the ends of the axis balls are nearest.
    sine = growth / where(size[2] > zero, size[2], one)
    t, across = deepest_beside(edge, sine / sqrt(maximum(fma(-sine, sine, one), number(1e-3, sine))))
    nearest = where(across, clamp01(t), between(p, e, (zero, zero, zero), d))
    for _ in range(ROUNDS):
        s = nearest_parameter((zero, zero, zero), d, growth, add_scaled(p, nearest, e))
        nearest = clamp01(dot(subtract(scale(s, d), p), e) / dot(e, e))
    length = sqrt(dot(e, e))
    for which in range(3):
        t = nearest
        if which == 1:
            t = low
        if which == 2:
            t = high
        s, x, normal, gap, fits = beside(edge, t, d, radius, growth)
        if which == 0:
            # Nothing of the edge is nearer; a lane that is done must not go on for a neighbour's sake.
            wanted = both(wanted, gap < motion[3])
            if not any_lane(wanted):
                return
        held = both(wanted, fits)
        if which == 0:
            held = both(held, both(s > zero, s < one))
        else:
            held = both(held, both(low <= high, absolute(dot(normal, e)) < least * length))
        place = minimum(floor(s * number(count, s)), number(count - 1, s))
        offer(scratch, bins, held, maximum(place, zero), x, normal, gap, motion, spec)


# ---- ellipsoids, and points of rims


def lowest_point(kind: int, size: Any, m: Any, end: int) -> Any:
    """The point of an ellipsoid, or of the rim at one end of a cylinder or frustum, that is farthest against m."""
    zero, one = number(0.0, m[0]), number(1.0, m[0])
    if kind == DISC_SHAPE:
        length = sqrt(fma(m[0], m[0], m[1] * m[1]))
        sound = length > number(1e-6, length)
        out = (size[1] if end == 1 else size[0]) / where(sound, length, one)
        return (
            where(sound, -(m[0] * out), -out),
            where(sound, -(m[1] * out), zero),
            size[2] if end == 1 else zero,
        )
    wide = (size[0] * m[0], size[1] * m[1], size[2] * m[2])
    inverse = one / sqrt(dot(wide, wide))
    return (-(size[0] * wide[0] * inverse), -(size[1] * wide[1] * inverse), -(size[2] * wide[2] * inverse))


def edge_under_ellipsoid(
    scratch: Array, bins: int, wanted: Mask, size: Any, edge: Any, motion: Any, spec: Spec
) -> None:  # fmt: skip
    """An ellipsoid: where the edge is deepest, that is nearest to the middle where all semi-axes are scaled to one."""
    p, e, n, m = edge
    zero, one = number(0.0, p[0]), number(1.0, p[0])
    q, f = (p[0] / size[0], p[1] / size[1], p[2] / size[2]), (e[0] / size[0], e[1] / size[1], e[2] / size[2])
    t = clamp01(-dot(q, f) / dot(f, f))
    x = add_scaled(p, t, e)
    slope = (x[0] / (size[0] * size[0]), x[1] / (size[1] * size[1]), x[2] / (size[2] * size[2]))
    length = sqrt(dot(slope, slope))
    sound = length > number(1e-9, t)
    direction = scale(-one / where(sound, length, one), slope)
    up = add(n, m)
    up = scale(one / sqrt(dot(up, up)), up)
    inner = both(t > zero, t < one)
    # The middle under both triangles, and the edge in the ellipsoid: out along their normals.
    below = both(dot(n, x) >= zero, dot(m, x) >= zero)
    deep = fma(x[0], slope[0], fma(x[1], slope[1], x[2] * slope[2])) < number(0.25, t)
    under = both(both(inner, below), deep)
    folded, fits = in_fold(direction, n, m)
    normal = choose3(either(under, negated(sound)), up, choose3(inner, folded, direction))
    fits = either(either(under, negated(sound)), both(negated(below), either(fits, negated(inner))))
    wide = (size[0] * normal[0], size[1] * normal[1], size[2] * normal[2])
    gap = -sqrt(dot(wide, wide)) - dot(normal, x)
    offer(scratch, bins, both(wanted, fits), octant(x), x, normal, gap, motion, spec)
