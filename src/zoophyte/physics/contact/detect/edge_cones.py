"""One folded edge of a terrain against a cylinder or frustum, in its axes: its ends, under an end face, beside the side.

For a normal n at right angles to the edge, or at one of its ends, the gap is that between two planes across n, one through
the point of the terrain and one against the shape.  It is exact for this n; tried is what looks like the shortest way out.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.vectors import add, add_scaled, choose3, dot, scale, subtract
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    both,
    either,
    floor,
    fma,
    maximum,
    minimum,
    negated,
    number,
    sqrt,
    where,
)
from zoophyte.physics.contact.detect.edge_shapes import (
    FACING,
    LEVEL,
    across_side,
    beside_axis,
    deepest_beside,
    in_fold,
    octant,
    offer,
    on_side,
)


def gap_along(size: Any, n: Any, x: Any) -> Number:
    """How far the shape begins behind x along n: −max(r₀ |n_xy|, r₁ |n_xy| − L n_z) − n·x, by the circles at its ends."""
    wide = sqrt(fma(n[0], n[0], n[1] * n[1]))
    return -maximum(size[0] * wide, fma(size[1], wide, -(size[2] * n[2]))) - dot(n, x)


def out_of_side(edge: Any, x: Any, size: Any, k: Number, cosine: Number) -> Any:
    """(unit vector from a point of an edge to the axis, across the side; whether it may push; whether it is from below)."""
    _, _, n, m = edge
    zero, one = number(0.0, k), number(1.0, k)
    tiny = number(1e-9, k)
    up = add(n, m)
    aside = sqrt(fma(up[0], up[0], up[1] * up[1]))
    rho, radius = sqrt(fma(x[0], x[0], x[1] * x[1])), fma(k, x[2], size[0])
    # Outwards from the axis; from its very middle, against the terrain's normals.
    off, leans = rho > tiny, aside > tiny
    by = one / where(off, rho, where(leans, -aside, one))
    out = (where(off, x[0], where(leans, up[0], one)) * by, where(off, x[1], where(leans, up[1], zero)) * by)
    direction = (-(out[0] * cosine), -(out[1] * cosine), k * cosine)
    # An axis under both triangles, and not so far that it may be out on the other side, goes out against the direction.
    below = both(dot(n, direction) <= zero, dot(m, direction) <= zero)
    under = both(below, rho <= number(0.5, k) * radius)
    direction = (
        where(under, -direction[0], direction[0]),
        where(under, -direction[1], direction[1]),
        direction[2],
    )
    return direction, either(under, negated(below)), under


def ends_in_disc(
    scratch: Array, bins: int, wanted: Mask, size: Any, edge: Any, up: Number, motion: Any, spec: Spec
) -> None:
    """The two ends of an edge: out through an end face or through the side, whichever is nearer.

    `up` is the part along the axis of the terrain's normals and of the upward direction: which face is turned to the ground.
    """
    p, e, _, _ = edge
    zero, one = number(0.0, up), number(1.0, up)
    top = up < zero
    out, level = where(top, one, -one), where(top, size[2], zero)
    k = (size[1] - size[0]) / where(size[2] > zero, size[2], one)
    cosine = one / sqrt(fma(k, k, one))
    facing = absolute(up) > number(FACING, up)
    for end in range(2):
        x = p if end == 0 else add(p, e)
        direction, pushes, _ = out_of_side(edge, x, size, k, cosine)
        rho, radius = sqrt(fma(x[0], x[0], x[1] * x[1])), fma(k, x[2], size[0])
        through_face, through_side = out * (x[2] - level), (rho - radius) * cosine
        inside = both(x[2] >= zero, x[2] <= size[2])
        by_face = both(facing, through_face >= through_side)
        over = both(both(rho <= radius, radius > zero), through_face >= -size[2])
        normal = choose3(by_face, (zero, zero, -out), direction)
        held = both(wanted, either(both(by_face, over), both(negated(by_face), both(inside, pushes))))
        gap = gap_along(size, normal, x)
        offer(scratch, bins, held, octant((x[0], x[1], out)), x, normal, gap, motion, spec)


def edge_beside_cone(
    scratch: Array, bins: int, wanted: Mask, size: Any, edge: Any, motion: Any, count: int, spec: Spec
) -> None:  # fmt: skip
    """The side of a cylinder or frustum: the deepest point of an edge beside it, and where it runs along, its last ones."""
    p, e, n, m = edge
    zero, one, half = number(0.0, size[0]), number(1.0, size[0]), number(0.5, size[0])
    low, high = beside_axis(edge, size[2])
    k = (size[1] - size[0]) / where(size[2] > zero, size[2], one)
    cosine = one / sqrt(fma(k, k, one))
    square = dot(e, e)
    t, across = deepest_beside(edge, k)
    deepest = where(across, maximum(minimum(t, high), low), half * (low + high))
    for which in range(3):
        t = deepest
        if which == 1:
            t = low
        if which == 2:
            t = high
        x = add_scaled(p, t, e)
        direction, pushes, under = out_of_side(edge, x, size, k, cosine)
        # A normal of an edge is at right angles to it, and between those of its triangles.
        along = dot(direction, e)
        normal = add_scaled(direction, -along / square, e)
        length = sqrt(dot(normal, normal))
        sound = length > half
        normal, fits = in_fold(scale(one / where(sound, length, one), normal), n, m)
        held = both(both(wanted, both(t > zero, t < one)), both(pushes, either(under, both(fits, sound))))
        inwards = (sqrt(fma(x[0], x[0], x[1] * x[1])) - fma(k, x[2], size[0])) * cosine
        if which > 0:
            held = both(held, both(low <= high, along * along < number(LEVEL * LEVEL, square) * square))
        place = minimum(
            floor(x[2] / where(size[2] > zero, size[2], one) * number(count, t)), number(count - 1, t)
        )
        # Of the tangent plane there, or of the rim where that goes beyond it.
        inwards = where(under, number(-2.0, t) * fma(k, x[2], size[0]) * cosine - inwards, inwards)
        gap = maximum(inwards * maximum(dot(normal, direction), half), gap_along(size, normal, x))
        offer(scratch, bins, both(held, low <= high), maximum(place, zero), x, normal, gap, motion, spec)


def edge_under_disc(
    scratch: Array, bins: int, wanted: Mask, size: Any, edge: Any, up: Number, motion: Any, spec: Spec
) -> Mask:  # fmt: skip
    """An end face of a cylinder or frustum: where the edge crosses its rim; where its side is to be tried instead."""
    p, e, _, _ = edge
    zero, one, half = number(0.0, up), number(1.0, up), number(0.5, up)
    top = up < zero
    out, level = where(top, one, -one), where(top, size[2], zero)
    # In the cone x² + y² ≤ r(z)², where r ≥ 0: of a line this is one piece, and without end if it is steeper than the cone.
    grow = (size[1] - size[0]) / where(size[2] > zero, size[2], one)
    radius, wider = fma(grow, p[2], size[0]), grow * e[2]
    a, b = fma(e[0], e[0], e[1] * e[1]) - wider * wider, fma(p[0], e[0], p[1] * e[1]) - radius * wider
    c = fma(p[0], p[0], p[1] * p[1]) - radius * radius
    tiny = number(1e-12, up) * dot(e, e)
    a = where(absolute(a) > tiny, a, tiny)
    root, steep = b * b - a * c, a < zero
    met = either(steep, root >= zero)
    root = sqrt(maximum(root, zero))
    # The two roots without cancellation: their product is c/a.
    q = where(b > zero, -(b + root), root - b)
    by_a, by_c = q / a, c / where(absolute(q) > number(1e-30, up), q, number(1e-30, up))
    low, high = where(b > zero, by_a, by_c), where(b > zero, by_c, by_a)
    low = where(both(steep, wider <= zero), zero, maximum(low, zero))
    high = where(both(steep, wider > zero), one, minimum(high, one))
    met = both(met, fma(half * (low + high), wider, radius) > zero)
    low, high = on_side(fma(out, p[2] - level, size[2]), out * e[2], low, high)
    first, last = out * (fma(low, e[2], p[2]) - level), out * (fma(high, e[2], p[2]) - level)
    met = both(both(met, high >= low), absolute(up) > number(FACING, up))
    ends = (at_rim(size, edge, low, out), at_rim(size, edge, high, out))
    # Out through the face or through the side, whichever is nearer.
    deepest = minimum(where(ends[0][0], ends[0][3], first), where(ends[1][0], ends[1][3], last))
    t, across = deepest_beside(edge, grow)
    x = add_scaled(p, where(across, maximum(minimum(t, high), low), half * (low + high)), e)
    inwards = sqrt(fma(x[0], x[0], x[1] * x[1])) - fma(grow, x[2], size[0])
    met = both(met, deepest >= inwards / sqrt(fma(grow, grow, one)))
    for end in range(2):
        crosses, point, normal, gap = ends[0] if end == 0 else ends[1]
        held = both(both(wanted, met), crosses)
        offer(scratch, bins, held, octant((point[0], point[1], out)), point, normal, gap, motion, spec)
    return both(wanted, negated(met))


def at_rim(size: Any, edge: Any, t: Number, out: Number) -> Any:
    """(whether it crosses the rim there, point, normal, gap) at an end of what of an edge lies over the face at `out`."""
    p, e, _, _ = edge
    zero, one = number(0.0, t), number(1.0, t)
    x = add_scaled(p, t, e)
    far = sqrt(fma(x[0], x[0], x[1] * x[1]))
    inverse = one / where(far > number(1e-9, t), far, one)
    side = (x[0] * inverse, x[1] * inverse, zero)
    crosses = both(t > zero, t < one)
    normal, part = across_side(e, (zero, zero, out), side, crosses)
    top = out > zero
    radius = where(top, size[1], size[0])
    to_rim = subtract((side[0] * radius, side[1] * radius, where(top, size[2], zero)), x)
    # A steep edge is nearest to the rim's tangent not where it crosses the side, but farther along.
    along = fma(e[1], side[0], -(e[0] * side[1]))
    on = dot(to_rim, e) / maximum(fma(-along, along, dot(e, e)), number(1e-12, t) * dot(e, e))
    on = where(part < one, on, zero)
    crosses = both(crosses, both(t + on > zero, t + on < one))
    return crosses, add_scaled(x, on, e), normal, dot(normal, to_rim)
