"""Which shapes have pressed on what in the last step, read from the impulses that contacts remember."""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.vectors import dot
from zoophyte.model.contact_layout import (
    KEYS_PER_PAIR,
    KEYS_PER_SHAPE,
    MEMORY_FORCE,
    MEMORY_KEY,
    MEMORY_RECORD,
    MEMORY_START,
    SHAPE_COUNT,
)
from zoophyte.model.herd.life_layout import LIFE_PAIRS
from zoophyte.model.layout import CONTACT, LIFE
from zoophyte.numbers import (
    Array,
    Number,
    Spec,
    any_lane,
    both,
    floor,
    lane,
    lane_count,
    load,
    lookup,
    number,
    where,
    width,
)
from zoophyte.numbers.memory import load3


def most_of(x: Number) -> int:
    """The largest whole number in any lane."""
    most = 0
    for n in range(lane_count(x)):
        most = max(most, int(lane(x, n)))
    return most


def contact_count(ints: Array, data: Array, spec: Spec) -> Number:
    """Contacts that are remembered."""
    return load(data, ints[ints[CONTACT] + MEMORY_START], spec)


def pressing(ints: Array, data: Array, k: int, spec: Spec) -> Any:
    """(whether contact k presses, its shape, the other one or −1 for the ground)."""
    W, c = width(spec), ints[CONTACT]
    count = contact_count(ints, data, spec)
    record = ints[c + MEMORY_START] + (1 + k * MEMORY_RECORD) * W
    key, force = load(data, record + MEMORY_KEY * W, spec), load3(data, record + MEMORY_FORCE * W, spec)
    zero, one, size = number(0.0, key), number(1.0, key), number(W, key)
    bound = number(ints[c + SHAPE_COUNT] * KEYS_PER_SHAPE, key)
    presses = both(both(number(k, count) < count, key >= zero), dot(force, force) > zero)
    a, b = where(presses, floor(key / number(KEYS_PER_SHAPE, key)), zero), -one
    paired = both(presses, key >= bound)
    if any_lane(paired):
        pair = where(paired, floor((key - bound) / number(KEYS_PER_PAIR, key)), zero)
        entry = (pair + pair) * size + number(ints[ints[LIFE] + LIFE_PAIRS], key)
        a = where(paired, lookup(data, entry), a)
        b = where(paired, lookup(data, entry + size), b)
    return presses, a, b
