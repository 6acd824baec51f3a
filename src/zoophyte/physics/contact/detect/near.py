"""What all that touches the ground shares: rows of shapes, bounds of their motion, and the slot of a point on the ground."""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.vectors import add, add_cross, dot
from zoophyte.model.contact_layout import (
    GROUND_ADHESION,
    GROUND_ROLLING,
    GROUND_TORSION,
    HEAD_START,
    SHAPE_ACROSS,
    SHAPE_ADHESION,
    SHAPE_DATA,
    SHAPE_GRAIN,
    SHAPE_GROUND_FRICTION,
    SHAPE_GROUND_RESTITUTION,
    SHAPE_LINKS,
    SHAPE_ROLLING,
    SHAPE_ROW_SIZE,
    SHAPE_ROWS,
    SHAPE_TORSION,
    SHAPE_TREE,
)
from zoophyte.model.layout import CONTACT, GRAVITY, OWN
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    both,
    fma,
    load,
    load_at,
    maximum,
    number,
    sqrt,
    width,
)
from zoophyte.numbers.memory import load3
from zoophyte.physics.contact.slots import dress_contact, is_dressed, push


def shape_row(ints: Array, shape: int) -> int:
    """Where the row of a shape starts in `ints`."""
    return ints[ints[CONTACT] + SHAPE_ROWS] + shape * SHAPE_ROW_SIZE


def shape_link(ints: Array, shape: int, spec: Spec) -> int:
    """Where the links of a shape, one scratch offset per lane, start in `ints`."""
    return ints[ints[CONTACT] + SHAPE_LINKS] + shape * width(spec)


def reach_of(data: Array, speed: Number, dt: Number, spec: Spec) -> Number:
    """How far apart two points may be and still meet within the step, given the speed at which they part."""
    fall = sqrt_sum(load3(data, GRAVITY * width(spec), spec)) * dt
    return dt * fma(maximum(-speed, number(0.0, dt)), number(1.5, dt), fall)


def reaches(motion: Any, touch: Any, m_L: Any, gap: Number, close: Mask, pace: Any) -> Any:
    """(where a point of a shape may meet the ground within the step, even if its speed is turned; its velocity).

    `motion` is velocity and acceleration of the link, `touch` the point and `m_L` the normal in its axes; `pace` is the
    step, the speed of a fall in it, and the margin.
    """
    V_L, A_L = motion
    dt, fall, margin = pace
    v = add_cross((V_L[3], V_L[4], V_L[5]), (V_L[0], V_L[1], V_L[2]), touch)
    a = add_cross((A_L[3], A_L[4], A_L[5]), (A_L[0], A_L[1], A_L[2]), touch)
    speed = dot(m_L, v)
    # Who comes nearer meets it; of the others those that could get deeper than half the margin, were they turned.
    nears = fma(number(1.5, dt) * dt, maximum(-speed, number(0.0, dt)), margin)
    turned = fma(dt, fma(dt, size_of(a), size_of(v)), number(-0.5, dt) * margin)
    return both(close, gap < fma(dt, fall, maximum(nears, turned))), v


def push_on_ground(
    ints: Array, data: Array, scratch: Array, shape: int, touching: Mask, pose: Any, touch: Any, normal: Any,
    gap: Number, key: Number, v: Any, arm: Any, spec: Spec,
) -> None:  # fmt: skip
    """A slot for a point of a shape on the ground, which moves by `v` in the axes of its link; `arm` see SLOT_ARM."""
    W, s, link = width(spec), shape_row(ints, shape), shape_link(ints, shape, spec)
    d, head = ints[s + SHAPE_DATA], ints[ints[CONTACT] + HEAD_START]
    R, p = pose
    friction = load(data, d + SHAPE_GROUND_FRICTION * W, spec)
    ends, trees = (load_at(scratch, ints, link, OWN * W, spec), number(0.0, gap)), (ints[s + SHAPE_TREE], 0)
    points = (touch, add(p, rotate(R, touch)), arm)
    spot = push(ints, data, scratch, touching, ends, trees, points, normal, gap, key, friction, spec)
    if is_dressed(ints):
        material = (
            friction, load(data, d + SHAPE_ACROSS * W, spec), load(data, d + SHAPE_GROUND_RESTITUTION * W, spec),
            maximum(load(data, d + SHAPE_ROLLING * W, spec), load(data, head + GROUND_ROLLING * W, spec)),
            maximum(load(data, d + SHAPE_TORSION * W, spec), load(data, head + GROUND_TORSION * W, spec)),
            maximum(load(data, d + SHAPE_ADHESION * W, spec), load(data, head + GROUND_ADHESION * W, spec)),
        )  # fmt: skip
        grain = rotate(R, load3(data, d + SHAPE_GRAIN * W, spec))
        dress_contact(
            ints, data, scratch, spot, ends, trees, normal, grain, gap, key, material, rotate(R, v), spec
        )


def sqrt_sum(a: Any) -> Number:
    """Length of a vector."""
    return sqrt(dot(a, a))


def sweep_bound(V_L: Any, A_L: Any, reach: Number, centre: Any, dt: Number, margin: Number) -> Number:
    """No point of the shape moves farther than this in a step, with a margin; the fall left out, which A_L does not have."""
    return fma(dt, fma(dt, speed_bound(A_L, reach, centre), speed_bound(V_L, reach, centre)), margin)


def speed_bound(V_L: Any, reach: Number, centre: Any) -> Number:
    """No point of the shape is faster than this: |v + ω × c|₁ + |ω|₁·reach, which needs no square root."""
    w = (V_L[0], V_L[1], V_L[2])
    v = add_cross((V_L[3], V_L[4], V_L[5]), w, centre)
    return fma(size_of(w), reach, size_of(v))


def size_of(a: Any) -> Number:
    """|a|₁, not below the length of a vector."""
    return absolute(a[0]) + absolute(a[1]) + absolute(a[2])
