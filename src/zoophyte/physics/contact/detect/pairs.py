"""Shapes against each other: which pairs are near, and the way from points that touch to slots."""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import compose, rotate
from zoophyte.algebra.vectors import add, dot, subtract
from zoophyte.model.contact_layout import (
    BOX_SHAPE,
    FEATURE_BROAD,
    FEATURES,
    HEAD_START,
    KEYS_PER_PAIR,
    KEYS_PER_SHAPE,
    MARGIN,
    PAIR_COUNT,
    PAIR_DATA,
    PAIR_FIRST,
    PAIR_MEETS,
    PAIR_ROW_SIZE,
    PAIR_ROWS,
    PAIR_SECOND,
    SHAPE_CENTRE,
    SHAPE_COUNT,
    SHAPE_DATA,
    SHAPE_KIND,
    SHAPE_POSITION,
    SHAPE_REACH,
    SHAPE_ROTATION,
    SHAPE_SIZE,
    SHAPE_TREE,
)
from zoophyte.model.layout import CONTACT, DT, WORLD_P, WORLD_R, V, called
from zoophyte.numbers import Array, Spec, any_lane, both, load, number, width
from zoophyte.numbers.memory import load3, load3_at, load6_at, load9, load9_at
from zoophyte.numbers.units import unit
from zoophyte.physics.contact.detect.box_pairs import boxes_meet
from zoophyte.physics.contact.detect.broad import near_pairs
from zoophyte.physics.contact.detect.near import shape_link, shape_row, speed_bound
from zoophyte.physics.contact.detect.round_pairs import box_meets_round, rounds_meet
from zoophyte.physics.contact.islands import is_asleep
from zoophyte.physics.presence import has_pairs


@unit(called("meet_others"), has_pairs)
def meet_others(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Slots for all pairs of shapes that touch, or may within the step; after those on the ground."""
    c = ints[CONTACT]
    count, rows = ints[c + PAIR_COUNT], ints[c + PAIR_ROWS]
    if ints[c + FEATURES] & FEATURE_BROAD:
        count, rows = near_pairs(ints, data, scratch, spec)
    for pair in range(count):
        place = rows + pair * PAIR_ROW_SIZE
        a = ints[shape_row(ints, ints[place + PAIR_FIRST]) + SHAPE_TREE]
        b = ints[shape_row(ints, ints[place + PAIR_SECOND]) + SHAPE_TREE]
        if not (is_asleep(ints, data, a, spec) and is_asleep(ints, data, b, spec)):
            shapes_meet(ints, data, scratch, place, pair, spec)


def shapes_meet(ints: Array, data: Array, scratch: Array, row: int, pair: int, spec: Spec) -> None:
    """Slots for one pair, the ball around the one against the ball around the other first."""
    W, c = width(spec), ints[CONTACT]
    first, second = ints[row + PAIR_FIRST], ints[row + PAIR_SECOND]
    a, b = shape_row(ints, first), shape_row(ints, second)
    margin = load(data, ints[c + HEAD_START] + MARGIN * W, spec)
    x_A, reach_A, bound_A = ball_around(ints, data, scratch, first, spec)
    x_B, reach_B, bound_B = ball_around(ints, data, scratch, second, spec)
    away = subtract(x_A, x_B)
    swept = margin + load(data, DT * W, spec) * (bound_A + bound_B)
    far = reach_A + reach_B + swept
    near = dot(away, away) < far * far
    own = ints[row + PAIR_DATA]
    if own >= 0:
        near = both(near, load(data, own + PAIR_MEETS * W, spec) > number(0.5, margin))
    if any_lane(near):
        key = ints[c + SHAPE_COUNT] * KEYS_PER_SHAPE
        if ints[c + FEATURES] & FEATURE_BROAD:
            key += (first * ints[c + SHAPE_COUNT] + second) * KEYS_PER_PAIR
        else:
            key += pair * KEYS_PER_PAIR
        A, B = placed(ints, data, scratch, first, spec), placed(ints, data, scratch, second, spec)
        kind_A, kind_B = ints[a + SHAPE_KIND], ints[b + SHAPE_KIND]
        context = (first, second, own, key)
        if kind_A == BOX_SHAPE:
            if kind_B == BOX_SHAPE:
                boxes_meet(ints, data, scratch, context, near, swept, A, B, spec)
            else:
                box_meets_round(ints, data, scratch, context, near, swept, A, B, 1.0, spec)
        elif kind_B == BOX_SHAPE:
            box_meets_round(ints, data, scratch, context, near, swept, B, A, -1.0, spec)
        else:
            rounds_meet(ints, data, scratch, context, near, swept, A, B, spec)


def ball_around(ints: Array, data: Array, scratch: Array, shape: int, spec: Spec) -> Any:
    """(centre in the world, radius, bound of the speed) of a shape."""
    W, link = width(spec), shape_link(ints, shape, spec)
    d = ints[shape_row(ints, shape) + SHAPE_DATA]
    centre, reach = load3(data, d + SHAPE_CENTRE * W, spec), load(data, d + SHAPE_REACH * W, spec)
    R, p = load9_at(scratch, ints, link, WORLD_R * W, spec), load3_at(scratch, ints, link, WORLD_P * W, spec)
    bound = speed_bound(load6_at(scratch, ints, link, V * W, spec), reach, centre)
    return add(p, rotate(R, centre)), reach, bound


def placed(ints: Array, data: Array, scratch: Array, shape: int, spec: Spec) -> Any:
    """(place, rotation, size) of a shape in the world."""
    W, link = width(spec), shape_link(ints, shape, spec)
    d = ints[shape_row(ints, shape) + SHAPE_DATA]
    R, p = load9_at(scratch, ints, link, WORLD_R * W, spec), load3_at(scratch, ints, link, WORLD_P * W, spec)
    x = add(p, rotate(R, load3(data, d + SHAPE_POSITION * W, spec)))
    return x, compose(R, load9(data, d + SHAPE_ROTATION * W, spec)), load3(data, d + SHAPE_SIZE * W, spec)
