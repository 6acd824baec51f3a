"""Sensors: joints, touch, orientation, turning, acceleration, distance to the ground, places; with noise and delay.

Each reads one number.  Joints and clocks are read where they lie in `data`, orientations and velocities of links where the
kinematics leave them in `scratch`.
"""

from __future__ import annotations

from zoophyte.algebra.rotations import rotate, unrotate
from zoophyte.algebra.vectors import add, dot, scale, subtract
from zoophyte.model.contact_layout import (
    GROUND_KIND,
    HEAD_START,
    NO_GROUND,
    PLANE_GROUND,
    PLANE_HEIGHT,
    PLANE_NORMAL,
)
from zoophyte.model.herd.life_layout import (
    LIFE_HEAD,
    NODE_CHANCE,
    NODE_CURSOR,
    NODE_DELAY,
    NODE_NOISE,
    NODE_OUTPUT,
    NODE_PARAMETER,
    NODE_PLACE,
    NODE_RING,
    NODE_STATE,
    NODE_WEIGHT,
    PERIOD,
    RING_SIZE,
    SENSE_ACCELERATION,
    SENSE_FIELD,
    SENSE_POSE,
    SENSE_TOUCH,
    SENSE_TOWARD,
    TICK,
)
from zoophyte.model.layout import CONTACT, GRAVITY, LIFE, WORLD_P, WORLD_R, V
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    any_lane,
    both,
    either,
    gather,
    load,
    maximum,
    minimum,
    number,
    scatter,
    where,
    width,
)
from zoophyte.numbers.memory import gather3, gather9, load3
from zoophyte.physics.contact.detect.terrain import triangle_below
from zoophyte.physics.lives.chance import add_noise
from zoophyte.physics.lives.observe import keep, keep3
from zoophyte.physics.lives.pressing import contact_count, most_of, pressing

FAR = 1e6
"""What a range sensor says over no ground at all [m]."""


def sense(
    ints: Array, data: Array, scratch: Array, terrain: Array, kind: int, d: int, due: Mask, spec: Spec
) -> None:
    """The output of one sensor, where it is due."""
    W = width(spec)
    place = load(data, d + NODE_PLACE * W, spec)
    if kind == SENSE_FIELD:
        x = gather(data, place, 0, spec)
    elif kind == SENSE_POSE:
        x = gather(scratch, place, 0, spec)
    elif kind == SENSE_TOUCH:
        x = touch(ints, data, d, spec)
    elif kind == SENSE_ACCELERATION:
        x = felt_acceleration(ints, data, scratch, d, place, due, spec)
    elif kind == SENSE_TOWARD:
        x = place_seen(data, scratch, d, place, spec)
    else:
        x = distance_below(ints, data, scratch, terrain, place, spec)
    zero = number(0.0, x)
    size = load(data, d + NODE_NOISE * W, spec)
    noisy = both(due, size > zero)
    if any_lane(noisy):
        x = add_noise(data, d + NODE_CHANCE * W, x, size, noisy, spec)
    late = load(data, d + NODE_DELAY * W, spec)
    if any_lane(late > zero):
        x = delayed(ints, data, d, x, late, due, spec)
    keep(data, d + NODE_OUTPUT * W, due, x, spec)


def delayed(ints: Array, data: Array, d: int, x: Number, late: Number, due: Mask, spec: Spec) -> Number:
    """What a ring was given `late` calls ago, and `x` given to it; before that many calls what it was given first."""
    W = width(spec)
    zero, one, size, room = number(0.0, x), number(1.0, x), number(W, x), number(RING_SIZE, x)
    ring = d + NODE_RING * W
    cursor = load(data, d + NODE_CURSOR * W, spec)
    first = both(due, cursor < zero)  # a fresh ring
    if any_lane(first):
        for n in range(RING_SIZE):
            keep(data, ring + n * W, first, x, spec)
    after = cursor + one
    after = where(after >= room, zero, after)
    cursor = where(due, after, maximum(cursor, zero))
    place = cursor * size
    scatter(data, place, ring, where(due, x, gather(data, place, ring, spec)), spec)
    keep(data, d + NODE_CURSOR * W, due, cursor, spec)
    past = cursor - late
    past = where(past < zero, past + room, past)
    return gather(data, maximum(minimum(past, room - one), zero) * size, ring, spec)


def touch(ints: Array, data: Array, d: int, spec: Spec) -> Number:
    """1 where a body has touched something in the last step, else 0; its shapes are those from PARAMETER 0 to 1."""
    W = width(spec)
    first = load(data, d + NODE_PARAMETER * W, spec)
    last = load(data, d + (NODE_PARAMETER + 1) * W, spec)
    zero, one = number(0.0, first), number(1.0, first)
    found = zero
    for k in range(most_of(contact_count(ints, data, spec))):
        presses, a, b = pressing(ints, data, k, spec)
        own = either(both(a >= first, a <= last), both(b >= first, b <= last))
        found = where(both(presses, own), one, found)
    return found


def felt_acceleration(
    ints: Array, data: Array, scratch: Array, d: int, link: Number, due: Mask, spec: Spec
) -> Number:
    """What an accelerometer at a link's origin feels along the axis WEIGHT: Rᵀ·(Δv/period − g), over the last period."""
    W, head = width(spec), ints[ints[LIFE] + LIFE_HEAD]
    R = gather9(scratch, link, WORLD_R * W, spec)
    v = rotate(R, gather3(scratch, link, (V + 3) * W, spec))
    before = load3(data, d + NODE_STATE * W, spec)
    period = load(data, head + PERIOD * W, spec)
    one, zero = number(1.0, period), number(0.0, period)
    # TICK counts this call already; at the first there is nothing to compare with.
    again = load(data, head + TICK * W, spec) > number(1.5, period)
    per = where(again, one / where(period > zero, period, one), zero)
    a = subtract(scale(per, subtract(v, before)), load3(data, GRAVITY * W, spec))
    keep3(data, d + NODE_STATE * W, due, v, spec)
    return dot(unrotate(R, a), load3(data, d + NODE_WEIGHT * W, spec))


def distance_below(
    ints: Array, data: Array, scratch: Array, terrain: Array, link: Number, spec: Spec
) -> Number:
    """Height of a link's origin over the ground straight below [m]."""
    W, c = width(spec), ints[CONTACT]
    head = ints[c + HEAD_START]
    p = gather3(scratch, link, WORLD_P * W, spec)
    zero = number(0.0, p[0])
    if ints[c + GROUND_KIND] == NO_GROUND:
        return number(FAR, zero)
    if ints[c + GROUND_KIND] == PLANE_GROUND:
        n = load3(data, head + PLANE_NORMAL * W, spec)
        gap = dot(n, p) - load(data, head + PLANE_HEIGHT * W, spec)
    else:
        _, _, _, n, gap = triangle_below(data, head, terrain, p, spec)
    return gap / n[2]


def place_seen(data: Array, scratch: Array, d: int, link: Number, spec: Spec) -> Number:
    """Where a body is from the root's origin, along one of the root's axes [m].

    WEIGHT is the body's origin on its link; PLACE 1 is the root's record, moved on by the axis, PLACE 2 the record itself.
    """
    W = width(spec)
    on_link = load3(data, d + NODE_WEIGHT * W, spec)
    there = add(
        gather3(scratch, link, WORLD_P * W, spec), rotate(gather9(scratch, link, WORLD_R * W, spec), on_link)
    )
    column = load(data, d + (NODE_PLACE + 1) * W, spec)
    axis = (gather(scratch, column, WORLD_R * W, spec), gather(scratch, column, (WORLD_R + 3) * W, spec),
            gather(scratch, column, (WORLD_R + 6) * W, spec))  # fmt: skip
    root = load(data, d + (NODE_PLACE + 2) * W, spec)
    return dot(subtract(there, gather3(scratch, root, WORLD_P * W, spec)), axis)
