"""Box against box: the axis of least overlap, then the corners of the overlapping faces, or two crossing edges.

Of the fifteen axes that can separate two boxes (Gottschalk 1996) the one with the largest gap decides.  If it is the normal
of a face, the facing side of the other box is cut by the sides of that face: its corners inside, the face's corners inside
it, and the crossings of their edges.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import rotate, unrotate
from zoophyte.algebra.vectors import add_scaled, choose3, cross, dot, scale, subtract
from zoophyte.model.contact_layout import HEAD_START, HUGE, SLOP
from zoophyte.model.layout import CONTACT
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
from zoophyte.physics.contact.detect.points import point_on, push_pair

SLACK = 5e-3
"""A corner counts as inside a face up to this part of the face beyond its edge, so that boxes that lie edge on edge keep
their points, and with them what the solver remembers of them."""
FACE_PREFERENCE = 1e-3
"""Two edges must be apart by this much of the boxes' size more than the faces: faces hold better than one point."""
ACROSS = 0.7
"""Faces whose normals have a smaller cosine look different ways."""
FLUSH, THIN = 1.5, 0.1
"""Boxes count as flush where they overlap by less than so much of the slop, which is how deep what lies still may be, and of
the smallest half length."""


def column(R: Any, k: int) -> Any:
    """Axis k of a rotation."""
    return (R[k], R[3 + k], R[6 + k])


def support(n: Any, R: Any, half: Any) -> Number:
    """How far a box reaches from its centre along n."""
    m = unrotate(R, n)
    return absolute(m[0]) * half[0] + absolute(m[1]) * half[1] + absolute(m[2]) * half[2]


@outlined
def boxes_meet(
    ints: Array, data: Array, scratch: Array, context: Any, near: Mask, swept: Number, A: Any, B: Any, spec: Spec
) -> None:  # fmt: skip
    """Slots of two boxes."""
    away = subtract(A[0], B[0])  # from B to A
    face, beside = best_faces(A, B, away)
    gap = face[1]
    edge_n, edge_gap, first, second = best_edges(A, B, away)
    size = A[2][0] + A[2][1] + A[2][2] + B[2][0] + B[2][1] + B[2][2]
    by_edges = edge_gap > gap + number(FACE_PREFERENCE, gap) * size
    apart = where(by_edges, edge_gap, gap)
    near = both(near, apart < swept)
    flat = both(near, negated(by_edges))
    if any_lane(flat):
        slop = load(data, ints[ints[CONTACT] + HEAD_START] + SLOP * width(spec), spec)
        depth = minimum(number(FLUSH, gap) * slop, number(THIN, gap) * thinnest(A[2], B[2]))
        if any_lane(both(flat, beside[1] > -depth)):
            face = last_to_close(ints, scratch, context, A, face, beside, depth, spec)
            flat = both(flat, face[1] < swept)
        faces(ints, data, scratch, context, flat, swept, A, B, face[0], face[2] > number(0.5, gap), spec)
    crossing = both(near, by_edges)
    if any_lane(crossing):
        x_A, x_B = crossing_points(A, B, edge_n, first, second)
        push_pair(ints, data, scratch, context, 24, crossing, x_A, x_B, edge_n, edge_gap, spec)


def thinnest(a: Any, b: Any) -> Number:
    """The smallest half length of two boxes."""
    return minimum(minimum(minimum(a[0], a[1]), a[2]), minimum(minimum(b[0], b[1]), b[2]))


def best_faces(A: Any, B: Any, away: Any) -> Any:
    """(Normal from B to A, gap, 1 if B's) of the face with the largest gap, and of the next best that looks another way."""
    zero, one = number(0.0, away[0]), number(1.0, away[0])
    n, gap, of_B = column(A[1], 0), number(-1e30, zero), zero
    beside, aside, beside_of_B = n, gap, zero
    tie = number(FACE_PREFERENCE, gap) * (A[2][0] + A[2][1] + A[2][2])
    for k in range(6):
        m = column(A[1], k) if k < 3 else column(B[1], k - 3)
        whose = zero if k < 3 else one
        d = dot(m, away)
        g = absolute(d) - support(m, A[1], A[2]) - support(m, B[1], B[2])
        # Two faces lie on each other: the first box's is taken unless the other's is clearly better, always the same one.
        better = g > (gap + tie if k >= 3 else gap)
        m = choose3(d < zero, scale(-one, m), m)
        worse = where(better, gap, g)
        next_best = both(absolute(dot(m, n)) < number(ACROSS, g), worse > aside)
        beside = choose3(next_best, choose3(better, n, m), beside)
        aside = where(next_best, worse, aside)
        beside_of_B = where(next_best, where(better, of_B, whose), beside_of_B)
        n, gap, of_B = choose3(better, m, n), where(better, g, gap), where(better, whose, of_B)
    return (n, gap, of_B), (beside, aside, beside_of_B)


def last_to_close(
    ints: Array, scratch: Array, context: Any, A: Any, face: Any, beside: Any, depth: Number, spec: Spec
) -> Any:
    """The face that will part two boxes that are edge to edge, overlapping neither way by more than is left alone.

    They touch when both ways are closed, by the face whose way closes last.  So a box that lies on one of two flush boxes
    slides over the seam: the way down closes no more, whereas the way ahead does.  What closes neither way, and does not
    overlap, does not touch: a gap without end.
    """
    first, second, _, _ = context
    x = add_scaled(
        add_scaled(A[0], -support(face[0], A[1], A[2]), face[0]), -support(beside[0], A[1], A[2]), beside[0]
    )
    _, v_A = point_on(ints, scratch, shape_link(ints, first, spec), x, spec)
    _, v_B = point_on(ints, scratch, shape_link(ints, second, spec), x, spec)
    v, zero = subtract(v_B, v_A), number(0.0, depth)
    closing, also = maximum(dot(face[0], v), zero), maximum(dot(beside[0], v), zero)
    # (gap + depth)/speed is the time that is left; a depth in a second is no speed.
    aside = beside[1] > -depth
    swap = both(aside, (face[1] + depth) * also < (beside[1] + depth) * closing)
    # What rests is borne by the face that it overlaps least; only where it does not overlap at all does nothing touch.
    still = both(maximum(closing, also) <= depth, face[1] > number(-0.01, depth) * depth)
    gap = where(both(aside, still), number(HUGE, depth), face[1])
    return choose3(swap, beside[0], face[0]), gap, where(swap, beside[2], face[2])


def best_edges(A: Any, B: Any, away: Any) -> Any:
    """(normal from B to A, gap, axis of A's edge, axis of B's edge) of the nine pairs of edges with the largest gap."""
    zero, one = number(0.0, away[0]), number(1.0, away[0])
    n, gap, first, second = (zero, zero, one), number(-1e30, zero), zero, zero
    for i in range(3):
        for j in range(3):
            m = cross(column(A[1], i), column(B[1], j))
            length = sqrt(dot(m, m))
            sound = length > number(1e-3, zero)
            m = scale(one / where(sound, length, one), m)
            d = dot(m, away)
            m = choose3(d < zero, scale(-one, m), m)
            g = absolute(d) - support(m, A[1], A[2]) - support(m, B[1], B[2])
            better = both(sound, g > gap)
            n, gap = choose3(better, m, n), where(better, g, gap)
            first, second = where(better, number(i, zero), first), where(better, number(j, zero), second)
    return n, gap, first, second


def crossing_points(A: Any, B: Any, n: Any, first: Number, second: Number) -> Any:
    """The points of two crossing edges that are nearest to each other: on A's lowest and B's highest along n."""
    x, d = edge_towards(A, scale(number(-1.0, first), n), first)
    y, e = edge_towards(B, n, second)
    a, b, c = dot(d, d), dot(d, e), dot(e, e)
    r = subtract(x, y)
    s = (b * dot(e, r) - c * dot(d, r)) / maximum(a * c - b * b, number(1e-30, a))
    t = (a * dot(e, r) - b * dot(d, r)) / maximum(a * c - b * b, number(1e-30, a))
    one = number(1.0, s)
    s, t = maximum(minimum(s, one), -one), maximum(minimum(t, one), -one)
    return add_scaled(x, s, d), add_scaled(y, t, e)


def edge_towards(box: Any, n: Any, axis: Number) -> Any:
    """(middle, half vector) of the edge along `axis` that lies farthest along n."""
    centre, R, half = box
    m = unrotate(R, n)
    zero, one = number(0.0, axis), number(1.0, axis)
    middle: Any = (zero, zero, zero)
    vector: Any = (zero, zero, zero)
    along_x, along_y = axis < number(0.5, axis), both(axis > number(0.5, axis), axis < number(1.5, axis))
    along_z = axis > number(1.5, axis)
    middle = (where(along_x, zero, where(m[0] < zero, -half[0], half[0])),
              where(along_y, zero, where(m[1] < zero, -half[1], half[1])),
              where(along_z, zero, where(m[2] < zero, -half[2], half[2])))  # fmt: skip
    vector = (where(along_x, half[0], zero), where(along_y, half[1], zero), where(along_z, half[2], zero))
    return add_scaled(centre, one, rotate(R, middle)), rotate(R, vector)


def face_of(box: Any, n: Any) -> Any:
    """(middle, half edge, half edge) of the face of a box whose outward normal is nearest to n."""
    centre, R, half = box
    m = unrotate(R, n)
    ax, ay, az = absolute(m[0]), absolute(m[1]), absolute(m[2])
    by_x = both(ax >= ay, ax >= az)
    by_y = both(negated(by_x), ay >= az)
    zero = number(0.0, m[0])
    x, y, z = column(R, 0), column(R, 1), column(R, 2)
    out = choose3(by_x, x, choose3(by_y, y, z))
    along_out = where(by_x, half[0], where(by_y, half[1], half[2]))
    sign = where(by_x, m[0], where(by_y, m[1], m[2])) < zero
    middle = add_scaled(centre, where(sign, -along_out, along_out), out)
    u = choose3(by_x, scale(half[1], y), choose3(by_y, scale(half[2], z), scale(half[0], x)))
    v = choose3(by_x, scale(half[2], z), choose3(by_y, scale(half[0], x), scale(half[1], y)))
    return middle, u, v


def faces(
    ints: Array, data: Array, scratch: Array, context: Any, near: Mask, swept: Number, A: Any, B: Any, n: Any,
    of_B: Mask, spec: Spec,
) -> None:  # fmt: skip
    """Slots where a face of one box meets the facing side of the other; n points from B to A."""
    minus = number(-1.0, n[0])
    a, b = face_of(A, scale(minus, n)), face_of(B, n)
    middle, u, v = choose3(of_B, b[0], a[0]), choose3(of_B, b[1], a[1]), choose3(of_B, b[2], a[2])
    other, p, q = choose3(of_B, a[0], b[0]), choose3(of_B, a[1], b[1]), choose3(of_B, a[2], b[2])
    out = choose3(of_B, n, scale(minus, n))  # out of the face, towards the other box
    # The other side in the coordinates (x, y) of the face, which itself is the square |x| ≤ 1, |y| ≤ 1, and its height h.
    one, zero = number(1.0, n[0]), number(0.0, n[0])
    uu, vv = dot(u, u), dot(v, v)
    r = subtract(other, middle)
    x0, y0, h0 = dot(r, u) / uu, dot(r, v) / vv, dot(r, out)
    xp, yp, hp = dot(p, u) / uu, dot(p, v) / vv, dot(p, out)
    xq, yq, hq = dot(q, u) / uu, dot(q, v) / vv, dot(q, out)
    determinant = xp * yq - xq * yp
    sound = absolute(determinant) > number(1e-12, zero)
    inverse = one / where(sound, determinant, one)
    # What is left to the edges of the other side must lie within the slack of the face: the same length on both.
    slack, least = one + number(SLACK, one), minimum(uu, vv)
    i_edge = one - number(SLACK, one) * minimum(sqrt(least / dot(p, p)), one)
    j_edge = one - number(SLACK, one) * minimum(sqrt(least / dot(q, q)), one)
    for k in range(24):
        if k < 4:  # corners of the other side inside the face
            i, j = one if k & 1 else -one, one if k & 2 else -one
            x, y, h = x0 + i * xp + j * xq, y0 + i * yp + j * yq, h0 + i * hp + j * hq
            inside = both(absolute(x) <= slack, absolute(y) <= slack)
        elif k < 8:  # corners of the face inside the other side
            x, y = one if k & 1 else -one, one if k & 2 else -one
            i, j = ((x - x0) * yq - (y - y0) * xq) * inverse, ((y - y0) * xp - (x - x0) * yp) * inverse
            h = h0 + i * hp + j * hq
            inside = both(sound, both(absolute(i) < i_edge, absolute(j) < j_edge))
        else:  # edges of the other side across edges of the face
            x, y, h, inside = edge_crossing(k - 8, (x0, y0, h0), (xp, yp, hp), (xq, yq, hq), slack)
        wanted = both(near, both(inside, h < swept))
        if any_lane(wanted):
            on_face = add_scaled(add_scaled(middle, x, u), y, v)
            on_other = add_scaled(on_face, h, out)
            x_A, x_B = choose3(of_B, on_other, on_face), choose3(of_B, on_face, on_other)
            push_pair(ints, data, scratch, context, k, wanted, x_A, x_B, n, h, spec)


def edge_crossing(number_of: int, at: Any, p: Any, q: Any, slack: Number) -> Any:
    """(x, y, h, whether) where edge number//4 of the other side crosses side number%4 of the face.

    It counts where the edge's end beyond the side is outside, slack included.
    """
    one = number(1.0, slack)
    which, side = number_of // 4, number_of % 4
    sign = one if which & 1 else -one
    along, across = (p, q) if which < 2 else (q, p)
    start = (at[0] + sign * across[0], at[1] + sign * across[1], at[2] + sign * across[2])
    bound = one if side & 1 else -one
    here, slope = (start[0], along[0]) if side < 2 else (start[1], along[1])
    sound = absolute(slope) > number(1e-12, slack)
    t = (bound - here) / where(sound, slope, one)
    outermost = maximum(bound * (here + slope), bound * (here - slope))
    x, y, h = fma(t, along[0], start[0]), fma(t, along[1], start[1]), fma(t, along[2], start[2])
    other = y if side < 2 else x
    crosses = both(both(sound, outermost > slack), both(absolute(t) < one, absolute(other) <= slack))
    return x, y, h, crosses
