"""The creature is the first tree of a body; whatever else there is, a ball, say, it may play with.

Its centre of mass is what distances are measured of, and its leaps are how high its lowest point rises while it touches
nothing: legs that are pulled up make no leap (FON-74).
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.vectors import add, dot, scale
from zoophyte.model.contact_layout import (
    BOX_SHAPE,
    CORNER_SHAPE,
    DISC_SHAPE,
    POINT_COUNT,
    SHAPE_CORNERS,
    SHAPE_COUNT,
    SHAPE_DATA,
    SHAPE_KIND,
)
from zoophyte.model.herd.life_layout import (
    LEAP,
    LIFE_HEAD,
    LIFE_OWN_LINKS,
    LIFE_OWN_SHAPES,
    LOOKS,
    LOOKS_AIRBORNE,
    SETTLE,
    SETTLED_HEIGHT,
    STEP,
)
from zoophyte.model.layout import (
    CONTACT,
    LIFE,
    LINK_COUNT,
    MASS,
    MOMENT,
    ROW_DATA,
    ROW_SCRATCH,
    WORLD_P,
    WORLD_R,
)
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    both,
    either,
    gather,
    load,
    load_at,
    maximum,
    minimum,
    negated,
    number,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import load3, load3_at, load9
from zoophyte.physics.contact.detect.ground import box_heights, shape_point
from zoophyte.physics.contact.detect.near import shape_link, shape_row
from zoophyte.physics.dynamics.kinematics import row
from zoophyte.physics.lives.pressing import contact_count, most_of, pressing

HIGH = 1e30
"""Above everything [m]."""


def mass_centre(ints: Array, data: Array, scratch: Array, spec: Spec) -> Any:
    """Σ m·place of the creature's links; world poses must be known."""
    W, own = width(spec), ints[ints[LIFE] + LIFE_OWN_LINKS]
    zero = number(0.0, load(data, 0, spec))
    total = (zero, zero, zero)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        d, s = ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        mine = load(data, own + link * W, spec) > number(0.5, zero)
        m, h = load(data, d + MASS * W, spec), load3(data, d + MOMENT * W, spec)
        R_WL, p_WL = load9(scratch, s + WORLD_R * W, spec), load3(scratch, s + WORLD_P * W, spec)
        x = add(scale(m, p_WL), rotate(R_WL, h))
        total = add(total, (where(mine, x[0], zero), where(mine, x[1], zero), where(mine, x[2], zero)))
    return total


def lowest_point(ints: Array, data: Array, scratch: Array, spec: Spec) -> Number:
    """Height of the lowest point of what may touch of the creature; HIGH without any; world poses must be known."""
    W, c, own = width(spec), ints[CONTACT], ints[ints[LIFE] + LIFE_OWN_SHAPES]
    lowest = number(HIGH, load(data, 0, spec))
    for shape in range(ints[c + SHAPE_COUNT]):
        s, link = shape_row(ints, shape), shape_link(ints, shape, spec)
        kind, d = ints[s + SHAPE_KIND], ints[s + SHAPE_DATA]
        mine = load(data, own + shape * W, spec) > number(0.5, lowest)
        up = load3_at(scratch, ints, link, (WORLD_R + 6) * W, spec)
        above = load_at(scratch, ints, link, (WORLD_P + 2) * W, spec)
        if kind == BOX_SHAPE:
            middle, h = box_heights(data, d, up, above, spec)
            lowest = where(
                mine, minimum(middle - (absolute(h[0]) + absolute(h[1]) + absolute(h[2])), lowest), lowest
            )
        else:
            for point in range(ints[s + SHAPE_CORNERS] if kind == CORNER_SHAPE else POINT_COUNT[kind]):
                if kind != DISC_SHAPE or point & 3 == 0:
                    x, radius = shape_point(kind, data, d, point, up, spec)
                    lowest = where(mine, minimum(above + dot(up, x) - radius, lowest), lowest)
    return lowest


def is_airborne(ints: Array, data: Array, spec: Spec) -> Mask:
    """Where no shape of the creature has pressed on anything in the last step."""
    W, own = width(spec), ints[ints[LIFE] + LIFE_OWN_SHAPES]
    count = contact_count(ints, data, spec)
    zero, half, size = number(0.0, count), number(0.5, count), number(W, count)
    touches = count < zero
    for k in range(most_of(count)):
        presses, a, b = pressing(ints, data, k, spec)
        mine = gather(data, a * size, own, spec) > half
        other = gather(data, maximum(b, zero) * size, own, spec) > half
        mine = either(mine, both(b >= zero, other))
        touches = either(touches, both(presses, mine))
    return negated(touches)


def note_leap(ints: Array, data: Array, sound: Mask, lowest: Number, spec: Spec) -> None:
    """How high the lowest point has risen from where it had settled, and how often nothing was touched."""
    W, head = width(spec), ints[ints[LIFE] + LIFE_HEAD]
    step, settle = load(data, head + STEP * W, spec), load(data, head + SETTLE * W, spec)
    one, zero, half = number(1.0, step), number(0.0, step), number(0.5, step)
    ground = load(data, head + SETTLED_HEIGHT * W, spec)
    ground = where(both(sound, step <= settle), lowest, ground)
    later = both(sound, step > settle + half)
    flies = both(later, is_airborne(ints, data, spec))
    leap, looks = load(data, head + LEAP * W, spec), load(data, head + LOOKS * W, spec)
    airborne = load(data, head + LOOKS_AIRBORNE * W, spec)
    store(data, head + SETTLED_HEIGHT * W, ground, spec)
    store(data, head + LEAP * W, where(flies, maximum(lowest - ground, leap), leap), spec)
    store(data, head + LOOKS * W, looks + where(later, one, zero), spec)
    store(data, head + LOOKS_AIRBORNE * W, airborne + where(flies, one, zero), spec)
