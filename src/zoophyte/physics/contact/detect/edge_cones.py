"""One folded edge of a terrain against a cylinder or frustum, in its axes: under an end face, or beside the side."""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.vectors import add, add_scaled, choose3, dot, scale
from zoophyte.numbers import (
    Array,
    Mask,
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


def edge_beside_cone(
    scratch: Array, bins: int, wanted: Mask, size: Any, edge: Any, motion: Any, count: int, spec: Spec
) -> None:  # fmt: skip
    """The side of a cylinder or frustum: the deepest point of an edge beside it, and its ends where it runs along."""
    p, e, n, m = edge
    zero, one, half = number(0.0, size[0]), number(1.0, size[0]), number(0.5, size[0])
    tiny, least = number(1e-9, size[0]), number(LEVEL, size[0])
    low, high = beside_axis(edge, size[2])
    k = (size[1] - size[0]) / where(size[2] > zero, size[2], one)
    cosine = one / sqrt(fma(k, k, one))
    length = sqrt(dot(e, e))
    t, across = deepest_beside(edge, k)
    deepest = where(across, maximum(minimum(t, high), low), half * (low + high))
    up = add(n, m)
    aside = sqrt(fma(up[0], up[0], up[1] * up[1]))
    for which in range(3):
        t = deepest
        if which == 1:
            t = low
        if which == 2:
            t = high
        x = add_scaled(p, t, e)
        rho, radius = sqrt(fma(x[0], x[0], x[1] * x[1])), fma(k, x[2], size[0])
        # Outwards from the axis; from its very middle, against the terrain's normals.
        off, leans = rho > tiny, aside > tiny
        by = one / where(off, rho, where(leans, -aside, one))
        out = (
            where(off, x[0], where(leans, up[0], one)) * by,
            where(off, x[1], where(leans, up[1], zero)) * by,
        )
        direction = (-(out[0] * cosine), -(out[1] * cosine), k * cosine)
        # An axis under both triangles, and not so far that it may be out on the other side, goes out against the direction.
        below = both(dot(n, direction) <= zero, dot(m, direction) <= zero)
        under = both(below, rho <= half * radius)
        direction = (
            where(under, -direction[0], direction[0]),
            where(under, -direction[1], direction[1]),
            direction[2],
        )
        gap = (where(under, -rho, rho) - radius) * cosine
        inner = both(t > zero, t < one)
        level = absolute(dot(direction, e)) < least * length
        # A normal of an edge is at right angles to it, and between those of its triangles.
        across_edge = add_scaled(direction, -dot(direction, e) / (length * length), e)
        size_across = sqrt(dot(across_edge, across_edge))
        sound = size_across > half
        across_edge = scale(one / where(sound, size_across, one), across_edge)
        folded, fits = in_fold(across_edge, n, m)
        normal = choose3(inner, folded, direction)
        fits = either(under, both(negated(below), either(both(fits, sound), negated(inner))))
        held = both(both(wanted, fits), low <= high)
        if which > 0:
            held = both(held, level)
        place = minimum(
            floor(x[2] / where(size[2] > zero, size[2], one) * number(count, t)), number(count - 1, t)
        )
        gap = gap * maximum(dot(normal, direction), half)
        offer(scratch, bins, held, maximum(place, zero), x, normal, gap, motion, spec)


def edge_under_disc(
    scratch: Array, bins: int, wanted: Mask, size: Any, edge: Any, motion: Any, spec: Spec
) -> Mask:  # fmt: skip
    """An end face of a cylinder or frustum: the two ends of what of the edge lies over it; where its side is to be tried."""
    p, e, n, m = edge
    up = n[2] + m[2]
    zero, one = number(0.0, up), number(1.0, up)
    top = up < zero
    out, level = where(top, one, -one), where(top, size[2], zero)
    # Inside the cone x² + y² ≤ r(z)².
    grow = (size[1] - size[0]) / where(size[2] > zero, size[2], one)
    radius, wider = fma(grow, p[2], size[0]), grow * e[2]
    a, b = fma(e[0], e[0], e[1] * e[1]) - wider * wider, fma(p[0], e[0], p[1] * e[1]) - radius * wider
    c = fma(p[0], p[0], p[1] * p[1]) - radius * radius
    root = b * b - a * c
    runs = a > number(1e-20, up)
    met = where(runs, root, -c) >= zero
    root, whole = sqrt(maximum(root, zero)), where(runs, a, one)
    low = where(runs, maximum((-b - root) / whole, zero), zero)
    high = where(runs, minimum((root - b) / whole, one), one)
    low, high = on_side(fma(out, p[2] - level, size[2]), out * e[2], low, high)
    first, last = out * (fma(low, e[2], p[2]) - level), out * (fma(high, e[2], p[2]) - level)
    met = both(both(met, high >= low), absolute(up) > number(FACING, up))
    # Out through the face or through the side, whichever is nearer.
    x = add_scaled(p, maximum(minimum(-b / whole, high), low), e)
    share = x[2] / where(size[2] > zero, size[2], one)
    inwards = sqrt(fma(x[0], x[0], x[1] * x[1])) - fma(share, size[1] - size[0], size[0])
    met = both(met, minimum(first, last) >= inwards)
    face = (zero, zero, out)
    for end in range(2):
        t, gap = (low, first) if end == 0 else (high, last)
        point = add_scaled(p, t, e)
        far = sqrt(fma(point[0], point[0], point[1] * point[1]))
        inverse = one / where(far > number(1e-9, up), far, one)
        side = (point[0] * inverse, point[1] * inverse, zero)
        normal, part = across_side(e, face, side, both(t > zero, t < one))
        place = octant((point[0], point[1], out))
        offer(scratch, bins, both(wanted, met), place, point, normal, gap * part, motion, spec)
    return both(wanted, negated(met))
