"""Runs: the parts of a row that are not zero.

A force on a link moves the joints between that link and the root alone, so most entries of a row are zero: of a foot of a
creature with six legs, two thirds.  Rows keep a place for every degree of freedom of their trees, and beside them lie the
runs of places where any lane has an entry: the length of each, its first place, and its first degree of freedom.
What else lies in a run is zero and changes nothing, so a lane has the bits that it has alone.
"""

from __future__ import annotations

from typing import Any

from zoophyte.model.contact_layout import (
    AXIS_ROWS_START,
    AXIS_RUNS,
    MOST_RUNS,
    ROW_STRIDE,
    RUN_DOF,
    RUN_PLACE,
    RUN_SIZE,
    SLOT_ROWS,
    SLOT_RUNS,
    SLOT_SEGMENTS,
)
from zoophyte.model.layout import CONTACT
from zoophyte.numbers import (
    Array,
    Number,
    Spec,
    absolute,
    all_lanes,
    any_lane,
    fma,
    lane,
    load,
    negated,
    number,
    store,
    width,
)


def slot_products(ints: Array, scratch: Array, slot: int, spec: Spec) -> Any:
    """Λ of the three rows of a slot: nn, nt, nu, tt, tu, uu; their runs are noted."""
    W = width(spec)
    rows, stride = slot + SLOT_ROWS * W, ints[ints[CONTACT] + ROW_STRIDE] * W
    first = slot + SLOT_RUNS * W
    zero = number(0.0, load(scratch, slot, spec))
    nn, nt, nu, tt, tu, uu = zero, zero, zero, zero, zero, zero
    place, m = first, 0
    for part in range(2):
        shift = number_at(scratch, slot + (SLOT_SEGMENTS + 2 * part) * W, spec) - m
        end = m + number_at(scratch, slot + (SLOT_SEGMENTS + 2 * part + 1) * W, spec)
        full, begin = first + RUN_SIZE * (MOST_RUNS - 1 + part) * W, -1
        while m < end:
            y0 = load(scratch, rows + m * W, spec)
            y1 = load(scratch, rows + stride + m * W, spec)
            y2 = load(scratch, rows + 2 * stride + m * W, spec)
            if any_lane(negated(absolute(y0) + absolute(y1) + absolute(y2) <= zero)):
                nn, nt, nu = fma(y0, y0, nn), fma(y0, y1, nt), fma(y0, y2, nu)
                tt, tu, uu = fma(y1, y1, tt), fma(y1, y2, tu), fma(y2, y2, uu)
                if begin < 0:
                    begin = m
            elif begin >= 0:
                place, begin = note_run(scratch, place, full, begin, m, shift, spec), -1
            m += 1
        if begin >= 0:
            place = note_run(scratch, place, full, begin, m, shift, spec)
    store(scratch, place, zero, spec)
    return nn, nt, nu, tt, tu, uu


def axis_square(scratch: Array, x: int, base: int, length: int, spec: Spec) -> Number:
    """y·y of the row of an axis, whose first degree of freedom is `base`; its runs are noted."""
    W = width(spec)
    first = x + AXIS_RUNS * W
    place, full, begin = first, first + RUN_SIZE * MOST_RUNS * W, -1
    zero = number(0.0, load(scratch, x, spec))
    square = zero
    for m in range(length):
        y = load(scratch, x + (AXIS_ROWS_START + m) * W, spec)
        if any_lane(negated(absolute(y) <= zero)):
            square = fma(y, y, square)
            if begin < 0:
                begin = m
        elif begin >= 0:
            place, begin = note_run(scratch, place, full, begin, m, base, spec), -1
    if begin >= 0:
        place = note_run(scratch, place, full, begin, length, base, spec)
    store(scratch, place, zero, spec)
    return square


def note_run(scratch: Array, place: int, full: int, begin: int, end: int, shift: int, spec: Spec) -> int:
    """Note a run from `begin` to `end` at `place`, or make the last one longer if there is no room; the next place."""
    W = width(spec)
    if place >= full:
        place -= RUN_SIZE * W
        begin = number_at(scratch, place + RUN_PLACE * W, spec)
    like = load(scratch, place, spec)
    store(scratch, place, number(end - begin, like), spec)
    store(scratch, place + RUN_PLACE * W, number(begin, like), spec)
    store(scratch, place + RUN_DOF * W, number(begin + shift, like), spec)
    return place + RUN_SIZE * W


def number_at(scratch: Array, place: int, spec: Spec) -> int:
    """A whole number that is the same in all lanes."""
    return int(lane(load(scratch, place, spec), 0))


def row_motion(scratch: Array, rows: int, runs: int, w: int, u: Number, spec: Spec) -> Number:
    """u + y·w of one row."""
    W = width(spec)
    run = number_at(scratch, runs, spec)
    while run > 0:
        y = rows + number_at(scratch, runs + RUN_PLACE * W, spec) * W
        x = w + number_at(scratch, runs + RUN_DOF * W, spec) * W
        for m in range(run):
            u = fma(load(scratch, y + m * W, spec), load(scratch, x + m * W, spec), u)
        runs += RUN_SIZE * W
        run = number_at(scratch, runs, spec)
    return u


def add_row(scratch: Array, rows: int, runs: int, w: int, impulse: Number, spec: Spec) -> None:
    """w += yᵀ·impulse of one row, unless that is nothing: since w is never −0, nothing would change."""
    W = width(spec)
    if all_lanes(absolute(impulse) <= number(0.0, impulse)):
        return
    run = number_at(scratch, runs, spec)
    while run > 0:
        y = rows + number_at(scratch, runs + RUN_PLACE * W, spec) * W
        x = w + number_at(scratch, runs + RUN_DOF * W, spec) * W
        for m in range(run):
            value = fma(load(scratch, y + m * W, spec), impulse, load(scratch, x + m * W, spec))
            store(scratch, x + m * W, value, spec)
        runs += RUN_SIZE * W
        run = number_at(scratch, runs, spec)
