"""Holds: points that stay together, bodies that stay welded, and springs that break."""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import compose, rotate, transpose
from zoophyte.algebra.vectors import add, dot, scale, subtract
from zoophyte.model.contact_layout import (
    ATTACH_HOLD,
    HOLD_BREAK,
    HOLD_BROKEN,
    HOLD_COUNT,
    HOLD_DAMPING,
    HOLD_DATA,
    HOLD_KIND,
    HOLD_LINKS,
    HOLD_OTHER,
    HOLD_POINT,
    HOLD_ROW_SIZE,
    HOLD_ROWS,
    HOLD_STIFFNESS,
    HOLD_TREE,
    HOLD_TURN,
    HUGE,
    WELD_HOLD,
)
from zoophyte.model.layout import CONTACT, DT, OWN, WORLD_P, WORLD_R, called
from zoophyte.numbers import Array, Spec, fma, load, load_at, number, sqrt, store, where, width
from zoophyte.numbers.memory import load3, load3_at, load9, load9_at
from zoophyte.numbers.units import unit
from zoophyte.physics.contact.slots import dress_slot, fill_slot
from zoophyte.physics.presence import has_holds

FIRST_KEY = -1000000
"""Keys of holds come before those of contacts."""


@unit(called("meet_holds"), has_holds)
def meet_holds(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Slots for all constraints; the first to be filled, so they are the same slots in all lanes."""
    c = ints[CONTACT]
    for h in range(ints[c + HOLD_COUNT]):
        hold(ints, data, scratch, h, spec)


def held_points(ints: Array, data: Array, scratch: Array, h: int, spec: Spec) -> Any:
    """(first point, second point) of a constraint in the world."""
    W, r = width(spec), ints[ints[CONTACT] + HOLD_ROWS] + h * HOLD_ROW_SIZE
    d, first = ints[r + HOLD_DATA], ints[r + HOLD_LINKS]
    x = on_link(ints, scratch, first, load3(data, d + HOLD_POINT * W, spec), spec)
    return x, on_link(ints, scratch, first + W, load3(data, d + HOLD_OTHER * W, spec), spec)


def on_link(ints: Array, scratch: Array, link: int, point: Any, spec: Spec) -> Any:
    """A point of a link in the world."""
    W = width(spec)
    R = load9_at(scratch, ints, link, WORLD_R * W, spec)
    return add(load3_at(scratch, ints, link, WORLD_P * W, spec), rotate(R, point))


def spring_energy(ints: Array, data: Array, scratch: Array, spec: Spec) -> Any:
    """½ k·length² of all attached springs that have not broken [J]; world poses must be known."""
    W, c = width(spec), ints[CONTACT]
    zero, half = number(0.0, load(data, 0, spec)), number(0.5, load(data, 0, spec))
    energy = zero
    for h in range(ints[c + HOLD_COUNT]):
        r = ints[c + HOLD_ROWS] + h * HOLD_ROW_SIZE
        if ints[r + HOLD_KIND] == ATTACH_HOLD:
            d = ints[r + HOLD_DATA]
            x, y = held_points(ints, data, scratch, h, spec)
            away, k = subtract(x, y), load(data, d + HOLD_STIFFNESS * W, spec)
            k = where(load(data, d + HOLD_BROKEN * W, spec) > half, zero, k)
            energy = fma(half * k, dot(away, away), energy)
    return energy


def turn_error(ints: Array, data: Array, scratch: Array, h: int, spec: Spec) -> Any:
    """How far the first body has turned from where it is welded: sine of the angle times the axis, world axes."""
    W, r = width(spec), ints[ints[CONTACT] + HOLD_ROWS] + h * HOLD_ROW_SIZE
    d, first = ints[r + HOLD_DATA], ints[r + HOLD_LINKS]
    R_1 = load9_at(scratch, ints, first, WORLD_R * W, spec)
    R_2 = load9_at(scratch, ints, first + W, WORLD_R * W, spec)
    E = compose(R_1, transpose(compose(R_2, load9(data, d + HOLD_TURN * W, spec))))
    half = number(0.5, E[0])
    return (half * (E[7] - E[5]), half * (E[2] - E[6]), half * (E[3] - E[1]))


def hold(ints: Array, data: Array, scratch: Array, h: int, spec: Spec) -> None:
    """The slot (of a weld: two) of one constraint."""
    W, r = width(spec), ints[ints[CONTACT] + HOLD_ROWS] + h * HOLD_ROW_SIZE
    d, first = ints[r + HOLD_DATA], ints[r + HOLD_LINKS]
    x, y = held_points(ints, data, scratch, h, spec)
    zero = number(0.0, x[0])
    one, huge = number(1.0, zero), number(HUGE, zero)
    ends = (load_at(scratch, ints, first, OWN * W, spec), load_at(scratch, ints, first + W, OWN * W, spec))
    trees = (ints[r + HOLD_TREE], ints[r + HOLD_TREE + 1])
    nowhere, axis = (zero, zero, zero), (one, zero, zero)
    points = (load3(data, d + HOLD_POINT * W, spec), load3(data, d + HOLD_OTHER * W, spec), nowhere)
    key = number(FIRST_KEY, zero) + number(2 * h, zero)
    always = one > zero
    if ints[r + HOLD_KIND] == ATTACH_HOLD:
        attach(ints, data, scratch, d, ends, trees, points, x, y, key, spec)
        return
    spot = fill_slot(ints, data, scratch, always, ends, trees, points, axis, zero, key, zero, zero, spec)
    law = (zero, huge, zero, huge, huge, one, zero)
    dress_slot(ints, scratch, spot, law, (one, nowhere), (zero, nowhere), spec)
    if ints[r + HOLD_KIND] == WELD_HOLD:
        points = (nowhere, nowhere, nowhere)
        spot = fill_slot(
            ints, data, scratch, always, ends, trees, points, axis, zero, key + one, zero, zero, spec
        )
        law = (one, huge, zero, huge, huge, one, zero)
        dress_slot(ints, scratch, spot, law, (one, nowhere), (zero, nowhere), spec)


def attach(
    ints: Array, data: Array, scratch: Array, d: int, ends: Any, trees: Any, points: Any, x: Any, y: Any, key: Any,
    spec: Spec,
) -> None:  # fmt: skip
    """A spring with a damper that only pulls, taken at the end of the step: u + k·stretch/B + λ/(dt B) = 0, B = b + dt k."""
    W = width(spec)
    dt = load(data, DT * W, spec)
    zero, one, huge = number(0.0, dt), number(1.0, dt), number(HUGE, dt)
    away = subtract(x, y)
    stretch = sqrt(dot(away, away))
    broken = where(stretch > load(data, d + HOLD_BREAK * W, spec), one, load(data, d + HOLD_BROKEN * W, spec))
    store(data, d + HOLD_BROKEN * W, broken, spec)
    k, b = load(data, d + HOLD_STIFFNESS * W, spec), load(data, d + HOLD_DAMPING * W, spec)
    stiff = fma(dt, k, b)
    sound = stretch > number(1e-12, dt)
    n = scale(one / where(sound, stretch, one), away)
    n = (where(sound, n[0], one), where(sound, n[1], zero), where(sound, n[2], zero))
    whole = where(stiff > zero, stiff, one)
    pulls = where(stiff > zero, broken, one) < number(0.5, dt)
    # A broken spring keeps its slot, without any force: constraints fill the first slots in order.
    most = where(pulls, huge, zero)
    bias, soft, nowhere = stretch * k / whole, one / (dt * whole), (zero, zero, zero)
    spot = fill_slot(ints, data, scratch, one > zero, ends, trees, points, n, zero, key, zero, bias, spec)
    law = (zero, most, zero, zero, zero, one, soft)
    dress_slot(ints, scratch, spot, law, (one, nowhere), (zero, nowhere), spec)
