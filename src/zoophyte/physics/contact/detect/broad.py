"""Sweep and prune: which shapes of a scene with many bodies are near each other, for one world.

The balls around the shapes are sorted by where they begin along x; the order of the last step, kept in `ints`, is nearly
right, so that sorting by insertion costs little.  Pairs come out in ascending order, which the memory of impulses needs.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.vectors import add
from zoophyte.model.contact_layout import (
    BROAD_START,
    FILTER_SIZE,
    HEAD_START,
    LACKS_PAIRS,
    MARGIN,
    ORDER_START,
    OVERFLOW,
    PAIR_COUNT,
    PAIR_DATA,
    PAIR_FIRST,
    PAIR_ROOM,
    PAIR_ROW_SIZE,
    PAIR_ROWS,
    PAIR_SECOND,
    SHAPE_CENTRE,
    SHAPE_COUNT,
    SHAPE_DATA,
    SHAPE_REACH,
)
from zoophyte.model.layout import CONTACT, DT, WORLD_P, WORLD_R, V
from zoophyte.numbers import Array, Spec, lane, load, number, store, width
from zoophyte.numbers.memory import load3, load3_at, load6_at, load9_at
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.contact.detect.near import shape_link, shape_row, speed_bound

BROAD_RECORD = 4  # centre and radius


@outlined
def near_pairs(ints: Array, data: Array, scratch: Array, spec: Spec) -> Any:
    """(number of near pairs, where their rows start in `ints`)."""
    c = ints[CONTACT]
    count = ints[c + SHAPE_COUNT]
    filters = ints[c + ORDER_START]
    order = filters + FILTER_SIZE * count
    heads, rows = order + count, order + 2 * count + 1
    spheres(ints, data, scratch, count, spec)
    sort(ints, scratch, order, count, spec)
    note_others(ints, filters, order, heads, count)
    found = collect(ints, data, scratch, filters, order, rows, count, spec)
    ascending(ints, rows, heads, count, found)
    name_pairs(ints, rows, found)
    return found, rows


def spheres(ints: Array, data: Array, scratch: Array, count: int, spec: Spec) -> None:
    """Centre and swept radius of the ball around every shape."""
    W, c = width(spec), ints[CONTACT]
    dt = load(data, DT * W, spec)
    half = number(0.5, dt) * load(data, ints[c + HEAD_START] + MARGIN * W, spec)
    for shape in range(count):
        link, d = shape_link(ints, shape, spec), ints[shape_row(ints, shape) + SHAPE_DATA]
        centre, reach = load3(data, d + SHAPE_CENTRE * W, spec), load(data, d + SHAPE_REACH * W, spec)
        R, p = (
            load9_at(scratch, ints, link, WORLD_R * W, spec),
            load3_at(scratch, ints, link, WORLD_P * W, spec),
        )
        x = add(p, rotate(R, centre))
        bound = speed_bound(load6_at(scratch, ints, link, V * W, spec), reach, centre)
        place = ints[c + BROAD_START] + shape * BROAD_RECORD * W
        store(scratch, place, x[0], spec)
        store(scratch, place + W, x[1], spec)
        store(scratch, place + 2 * W, x[2], spec)
        store(scratch, place + 3 * W, reach + half + dt * bound, spec)


def entry(ints: Array, scratch: Array, shape: int, field: int, spec: Spec) -> Any:
    """One number of a shape's ball, as a plain scalar."""
    place = ints[ints[CONTACT] + BROAD_START] + (shape * BROAD_RECORD + field) * width(spec)
    return lane(load(scratch, place, spec), 0)


def begin(ints: Array, scratch: Array, shape: int, spec: Spec) -> Any:
    """Where the ball around a shape begins along x."""
    return entry(ints, scratch, shape, 0, spec) - entry(ints, scratch, shape, 3, spec)


def sort(ints: Array, scratch: Array, order: int, count: int, spec: Spec) -> None:
    """Sort the shapes by where they begin: by insertion, at first over wide gaps (Shell) where many are out of order."""
    gap, wrong = 1, 0
    for n in range(1, count):
        wrong += begin(ints, scratch, ints[order + n - 1], spec) > begin(ints, scratch, ints[order + n], spec)
    while 8 * wrong > count and 9 * gap < count:
        gap = 3 * gap + 1
    while gap > 0:
        for n in range(gap, count):
            shape = ints[order + n]
            x = begin(ints, scratch, shape, spec)
            k = n
            while k >= gap and begin(ints, scratch, ints[order + k - gap], spec) > x:
                ints[order + k] = ints[order + k - gap]
                k -= gap
            ints[order + k] = shape
        gap //= 3


def note_others(ints: Array, filters: int, order: int, others: int, count: int) -> None:
    """For each shape in order the next that may meet it by its tree: large trees are skipped by what they keep apart."""
    for n in range(count - 1, -1, -1):
        after = n + 1
        if after < count and kept_apart(ints, filters, ints[order + n], ints[order + after]):
            after = ints[others + after]
        ints[others + n] = after


def kept_apart(ints: Array, filters: int, a: int, b: int) -> bool:
    """Whether two shapes are of one tree whose shapes do not meet each other."""
    first, second = filters + FILTER_SIZE * a, filters + FILTER_SIZE * b
    return (
        ints[first + 2] == ints[second + 2]
        and ints[first + 2] != 0
        and not (ints[first + 3] and ints[second + 3])
    )


def collect(
    ints: Array, data: Array, scratch: Array, filters: int, order: int, rows: int, count: int, spec: Spec
) -> int:
    """Rows of the pairs whose balls overlap and that may touch; where they are too many, OVERFLOW tells so."""
    found, others = 0, order + count
    for n in range(count):
        a = ints[order + n]
        r = entry(ints, scratch, a, 3, spec)
        end = entry(ints, scratch, a, 0, spec) + r
        k = n + 1
        while k < count and begin(ints, scratch, ints[order + k], spec) < end:
            b = ints[order + k]
            if kept_apart(ints, filters, a, b):
                k = ints[others + k]
                continue
            k += 1
            dx = entry(ints, scratch, a, 0, spec) - entry(ints, scratch, b, 0, spec)
            dy = entry(ints, scratch, a, 1, spec) - entry(ints, scratch, b, 1, spec)
            dz = entry(ints, scratch, a, 2, spec) - entry(ints, scratch, b, 2, spec)
            far = r + entry(ints, scratch, b, 3, spec)
            if dx * dx + dy * dy + dz * dz < far * far and may_meet(
                ints, filters + FILTER_SIZE * a, filters + FILTER_SIZE * b
            ):
                if found < ints[ints[CONTACT] + PAIR_ROOM]:
                    ints[rows + found * PAIR_ROW_SIZE + PAIR_FIRST] = min(a, b)
                    ints[rows + found * PAIR_ROW_SIZE + PAIR_SECOND] = max(a, b)
                    ints[rows + found * PAIR_ROW_SIZE + PAIR_DATA] = -1
                    found += 1
                else:
                    place = ints[ints[CONTACT] + HEAD_START] + OVERFLOW * width(spec)
                    store(data, place, number(LACKS_PAIRS, load(data, place, spec)), spec)
    return found


def may_meet(ints: Array, a: int, b: int) -> bool:
    """As :func:`zoophyte.model.meetings.filters_meet`, for shapes that are not `kept_apart`."""
    if (
        ints[a] == ints[b]
        or ints[a] == ints[b + 1]
        or ints[b] == ints[a + 1]
        or (ints[a] < 0 and ints[b] < 0)
    ):
        return False
    return (ints[a + 4] & ints[b + 5]) != 0 and (ints[b + 4] & ints[a + 5]) != 0


def ascending(ints: Array, rows: int, heads: int, count: int, found: int) -> None:
    """Sort the pairs by their first shape (counting), and those of one shape by the second (insertion)."""
    for shape in range(count + 1):
        ints[heads + shape] = 0
    for pair in range(found):
        ints[heads + ints[rows + pair * PAIR_ROW_SIZE] + 1] += 1
    for shape in range(count):
        ints[heads + shape + 1] += ints[heads + shape]
    # The third column holds where a pair belongs until all are moved there, cycle by cycle.
    for pair in range(found):
        first = ints[rows + pair * PAIR_ROW_SIZE]
        ints[rows + pair * PAIR_ROW_SIZE + PAIR_DATA] = ints[heads + first]
        ints[heads + first] += 1
    for pair in range(found):
        row = rows + pair * PAIR_ROW_SIZE
        while ints[row + PAIR_DATA] != pair:
            other = rows + ints[row + PAIR_DATA] * PAIR_ROW_SIZE
            for n in range(PAIR_ROW_SIZE):
                kept = ints[row + n]
                ints[row + n] = ints[other + n]
                ints[other + n] = kept
    for pair in range(found):
        ints[rows + pair * PAIR_ROW_SIZE + PAIR_DATA] = -1
    for pair in range(1, found):
        row = rows + pair * PAIR_ROW_SIZE
        a, b = ints[row], ints[row + 1]
        k = pair
        while (
            k > 0
            and ints[rows + (k - 1) * PAIR_ROW_SIZE] == a
            and ints[rows + (k - 1) * PAIR_ROW_SIZE + 1] > b
        ):
            ints[rows + k * PAIR_ROW_SIZE + 1] = ints[rows + (k - 1) * PAIR_ROW_SIZE + 1]
            k -= 1
        ints[rows + k * PAIR_ROW_SIZE + 1] = b


def name_pairs(ints: Array, rows: int, found: int) -> None:
    """Tell near pairs that the description names where their own numbers lie; both lists ascend."""
    c = ints[CONTACT]
    named, count, k = ints[c + PAIR_ROWS], ints[c + PAIR_COUNT], 0
    for pair in range(found if count > 0 else 0):
        row = rows + pair * PAIR_ROW_SIZE
        while k < count and is_before(ints, named + k * PAIR_ROW_SIZE, row):
            k += 1
        if k < count and not is_before(ints, row, named + k * PAIR_ROW_SIZE):
            ints[row + PAIR_DATA] = ints[named + k * PAIR_ROW_SIZE + PAIR_DATA]


def is_before(ints: Array, a: int, b: int) -> bool:
    """Whether one row of pairs stands before another."""
    if ints[a + PAIR_FIRST] != ints[b + PAIR_FIRST]:
        return ints[a + PAIR_FIRST] < ints[b + PAIR_FIRST]
    return ints[a + PAIR_SECOND] < ints[b + PAIR_SECOND]
