"""Box against box: the axis of least overlap, then the corners of the overlapping faces, or two crossing edges.

Of the fifteen axes that can separate two boxes (Gottschalk 1996) the one with the largest gap decides; where they meet with
edges or corners of their faces, the one that closes last.  If it is the normal of a face, the facing side of the other box
is cut by the sides of that face: its corners inside, the face's corners inside it, and the crossings of their edges.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import rotate, unrotate
from zoophyte.algebra.vectors import add_cross, add_scaled, choose3, cross, dot, scale, subtract
from zoophyte.model.contact_layout import HEAD_START, HUGE, SLOP
from zoophyte.model.layout import CONTACT, WORLD_R, V
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
from zoophyte.numbers.memory import load3_at, load9_at
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.contact.detect.near import shape_link
from zoophyte.physics.contact.detect.points import point_on, push_pair

SLACK = 5e-3
"""A corner counts as inside a face up to this part of the face beyond its edge, so that boxes that lie edge on edge keep
their points, and with them what the solver remembers of them."""
FACE_PREFERENCE = 1e-3
"""Two edges must be apart by this much of the smaller box's size more than the faces: faces hold better than one point."""
ACROSS = 0.7
"""Faces whose normals have a smaller cosine look different ways."""
STILL = 1.0
"""Depths that are left alone in a second: what closes slower rests [1/s]."""
THIN = 0.1
"""Boxes count as flush where they overlap by less than the slop, which nobody is lifted out of, so that a riser gives no
energy; and by less than so much of the smallest half length."""


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
    little = number(FACE_PREFERENCE, away[0]) * minimum(
        A[2][0] + A[2][1] + A[2][2], B[2][0] + B[2][1] + B[2][2]
    )
    face, aside = best_face(A, B, away, little)
    gap = face[1]
    edge_n, edge_gap, first, second = best_edges(A, B, away)
    by_edges = edge_gap > gap + (little + little)
    apart = where(by_edges, edge_gap, gap)
    near = both(near, apart < swept)
    flat = both(near, negated(by_edges))
    if any_lane(flat):
        slop = load(data, ints[ints[CONTACT] + HEAD_START] + SLOP * width(spec), spec)
        depth = minimum(slop, number(THIN, gap) * thinnest(A[2], B[2]))
        corner = both(flat, aside > -depth)
        if any_lane(corner):
            last = last_to_close(ints, scratch, context, A, B, depth, spec)
            face = (
                choose3(corner, last[0], face[0]),
                where(corner, last[1], gap),
                where(corner, last[2], face[2]),
            )
            flat = both(flat, face[1] < swept)
        faces(ints, data, scratch, context, flat, swept, A, B, face[0], face[2] > number(0.5, gap), spec)
    crossing = both(near, by_edges)
    if any_lane(crossing):
        x_A, x_B = crossing_points(A, B, edge_n, first, second)
        push_pair(ints, data, scratch, context, 24, crossing, x_A, x_B, edge_n, edge_gap, spec)


def thinnest(a: Any, b: Any) -> Number:
    """The smallest half length of two boxes."""
    return minimum(minimum(minimum(a[0], a[1]), a[2]), minimum(minimum(b[0], b[1]), b[2]))


def face_between(A: Any, B: Any, away: Any, k: int) -> Any:
    """(normal from B to A, gap) of the faces along axis k: A's three, then B's."""
    m = column(A[1], k) if k < 3 else column(B[1], k - 3)
    d = dot(m, away)
    gap = absolute(d) - support(m, A[1], A[2]) - support(m, B[1], B[2])
    return choose3(d < number(0.0, d), scale(number(-1.0, d), m), m), gap


def best_face(A: Any, B: Any, away: Any, little: Number) -> Any:
    """(normal from B to A, gap, 1 if B's) of the face with the largest gap; and how large that of another way may be."""
    zero, one = number(0.0, away[0]), number(1.0, away[0])
    n, gap, of_B = column(A[1], 0), number(-1e30, zero), zero
    aside = gap
    for k in range(6):
        m, g = face_between(A, B, away, k)
        # Two faces lie on each other: the first box's is taken unless the other's is clearly better, always the same one.
        better = g > (gap + little if k >= 3 else gap)
        across = absolute(dot(m, n)) < number(ACROSS, g)
        aside = where(across, maximum(aside, where(better, gap, g)), aside)
        n, gap, of_B = (
            choose3(better, m, n),
            where(better, g, gap),
            where(better, zero if k < 3 else one, of_B),
        )
    return (n, gap, of_B), aside


def last_to_close(
    ints: Array, scratch: Array, context: Any, A: Any, B: Any, depth: Number, spec: Spec
) -> Any:
    """The face that will part two boxes that meet at edges or corners, overlapping there by no more than is left alone.

    They touch when all ways are closed, by the face whose way closes last.  So a box that lies on one of two flush boxes
    slides over the seam: the way down closes no more, whereas the way ahead does.  What closes no way, and does not
    overlap, does not touch: a gap without end.
    """
    away, zero, one = subtract(A[0], B[0]), number(0.0, depth), number(1.0, depth)
    v_A, w = motion_between(ints, scratch, context, A[0], spec)
    v_B = add_cross(v_A, away, w)  # v + ω × (x_B − x_A)
    still = number(STILL, depth) * depth
    n, gap, of_B, longest, fastest = column(A[1], 0), zero, zero, zero, zero
    for k in range(6):
        m, g = face_between(A, B, away, k)
        # No point of both boxes closes faster: m·(v + ω × r) = m·v + r·(m × ω).  Below STILL it counts as that.
        turn = cross(m, w)
        closing = minimum(dot(m, v_A) + support(turn, A[1], A[2]), dot(m, v_B) + support(turn, B[1], B[2]))
        closing = maximum(closing, still)
        open_yet = g > -depth
        # Until it is twice as deep as is left alone, so that what lies as deep as that has time left.
        time = where(open_yet, (g + depth + depth) / closing, zero)
        fastest = where(open_yet, maximum(fastest, closing), fastest)
        last = time > longest
        n, gap, longest = choose3(last, m, n), where(last, g, gap), where(last, time, longest)
        of_B = where(last, zero if k < 3 else one, of_B)
    # What rests is borne by the face that it overlaps least; only where it does not overlap at all does nothing touch.
    rests = both(fastest <= still, gap > number(-0.01, depth) * depth)
    return n, where(rests, number(HUGE, depth), gap), of_B


def motion_between(ints: Array, scratch: Array, context: Any, x: Any, spec: Spec) -> Any:
    """(velocity at x, angular velocity) of the second body as seen from the first, in world axes."""
    first, second = shape_link(ints, context[0], spec), shape_link(ints, context[1], spec)
    _, v_A = point_on(ints, scratch, first, x, spec)
    _, v_B = point_on(ints, scratch, second, x, spec)
    return subtract(v_B, v_A), subtract(
        turning(ints, scratch, second, spec), turning(ints, scratch, first, spec)
    )


def turning(ints: Array, scratch: Array, link: int, spec: Spec) -> Any:
    """Angular velocity of a link in world axes."""
    W = width(spec)
    w = load3_at(scratch, ints, link, V * W, spec)
    return rotate(load9_at(scratch, ints, link, WORLD_R * W, spec), w)


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
