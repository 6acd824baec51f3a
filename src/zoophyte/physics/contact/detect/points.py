"""From two points of two shapes that touch to a slot: link axes, speed, mixed materials."""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import rotate, unrotate
from zoophyte.algebra.vectors import add_cross, add_scaled, dot, scale, subtract
from zoophyte.model.contact_layout import (
    HEAD_START,
    MARGIN,
    PAIR_FRICTION,
    PAIR_RESTITUTION,
    SHAPE_ACROSS,
    SHAPE_ADHESION,
    SHAPE_DATA,
    SHAPE_GRAIN,
    SHAPE_RESTITUTION,
    SHAPE_ROLLING,
    SHAPE_ROOT_FRICTION,
    SHAPE_TORSION,
    SHAPE_TREE,
)
from zoophyte.model.layout import CONTACT, DT, OWN, WORLD_P, WORLD_R, V
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    any_lane,
    both,
    load,
    load_at,
    maximum,
    number,
    sqrt,
    where,
    width,
)
from zoophyte.numbers.memory import load3, load3_at, load6_at, load9_at
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.contact.detect.near import reach_of, shape_link, shape_row
from zoophyte.physics.contact.slots import dress_contact, is_dressed, push


@outlined
def push_pair(
    ints: Array, data: Array, scratch: Array, context: Any, feature: int, touching: Mask, x_A: Any, x_B: Any,
    normal: Any, gap: Number, spec: Spec,
) -> None:  # fmt: skip
    """A slot for two points of two shapes, given in the world, if they may meet within the step."""
    W, c = width(spec), ints[CONTACT]
    first, second, own, first_key = context
    a, b = shape_row(ints, first), shape_row(ints, second)
    link_A, link_B = shape_link(ints, first, spec), shape_link(ints, second, spec)
    dt = load(data, DT * W, spec)
    zero = number(0.0, dt)
    # Both bodies are pushed at one point, half-way: at two points apart, friction would turn the pair.
    half = number(0.5, dt)
    middle = add_scaled(scale(half, x_A), half, x_B)
    point_A, v_A = point_on(ints, scratch, link_A, middle, spec)
    point_B, v_B = point_on(ints, scratch, link_B, middle, spec)
    before = subtract(v_A, v_B)
    margin = load(data, ints[c + HEAD_START] + MARGIN * W, spec)
    touching = both(touching, gap < margin + reach_of(data, dot(normal, before), dt, spec))
    if any_lane(touching):
        d_A, d_B = ints[a + SHAPE_DATA], ints[b + SHAPE_DATA]
        friction = load(data, d_A + SHAPE_ROOT_FRICTION * W, spec) * load(
            data, d_B + SHAPE_ROOT_FRICTION * W, spec
        )
        if own >= 0:
            given = load(data, own + PAIR_FRICTION * W, spec)
            friction = where(given >= zero, given, friction)
        ends = (load_at(scratch, ints, link_A, OWN * W, spec), load_at(scratch, ints, link_B, OWN * W, spec))
        trees, key = (ints[a + SHAPE_TREE], ints[b + SHAPE_TREE]), number(first_key + feature, dt)
        points = (point_A, point_B, (zero, zero, zero))
        spot = push(ints, data, scratch, touching, ends, trees, points, normal, gap, key, friction, spec)
        if is_dressed(ints):
            restitution = larger(data, d_A, d_B, SHAPE_RESTITUTION, spec)
            if own >= 0:
                given = load(data, own + PAIR_RESTITUTION * W, spec)
                restitution = where(given >= zero, given, restitution)
            material = (
                friction, load(data, d_A + SHAPE_ACROSS * W, spec), restitution,
                larger(data, d_A, d_B, SHAPE_ROLLING, spec), larger(data, d_A, d_B, SHAPE_TORSION, spec),
                larger(data, d_A, d_B, SHAPE_ADHESION, spec),
            )  # fmt: skip
            R_A = load9_at(scratch, ints, link_A, WORLD_R * W, spec)
            grain = rotate(R_A, load3(data, d_A + SHAPE_GRAIN * W, spec))
            dress_contact(
                ints, data, scratch, spot, ends, trees, normal, grain, gap, key, material, before, spec
            )


def point_on(ints: Array, scratch: Array, link: int, x: Any, spec: Spec) -> Any:
    """(a point of the world in the axes of a link, its velocity as part of that link in world axes)."""
    W = width(spec)
    R, p = load9_at(scratch, ints, link, WORLD_R * W, spec), load3_at(scratch, ints, link, WORLD_P * W, spec)
    V_L = load6_at(scratch, ints, link, V * W, spec)
    r = unrotate(R, subtract(x, p))
    return r, rotate(R, add_cross((V_L[3], V_L[4], V_L[5]), (V_L[0], V_L[1], V_L[2]), r))


def larger(data: Array, d_A: int, d_B: int, field: int, spec: Spec) -> Number:
    """The larger of the two shapes' values."""
    W = width(spec)
    return maximum(load(data, d_A + field * W, spec), load(data, d_B + field * W, spec))


def along(d: Any) -> Any:
    """(unit vector, length); (0, 0, 1) for a vector without length."""
    zero, one = number(0.0, d[0]), number(1.0, d[0])
    length = sqrt(dot(d, d))
    sound = length > number(1e-12, d[0])
    n = scale(one / where(sound, length, one), d)
    return (where(sound, n[0], zero), where(sound, n[1], zero), where(sound, n[2], one)), length
