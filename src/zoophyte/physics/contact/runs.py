"""Runs: the parts of a row that are not zero.

A force on a link moves the joints between that link and the root alone, so most entries of a row are zero: of a foot of a
creature with six legs, two thirds.  Rows keep a place for every degree of freedom on the paths of their two links, or where
lanes differ of the tree; before them lie the runs of places where any lane has an entry: the length of each, its first
place, and its first degree of freedom.  Runs ascend, so sums go dof by dof, whatever the rows leave out.  What else lies in
a run is zero and changes nothing, so a lane has the bits that it has alone.
"""

from __future__ import annotations

from typing import Any

from zoophyte.model.contact_layout import (
    PATH_ABOVE,
    PATH_BEFORE,
    PATH_END,
    PATH_PLACE,
    PATH_ROW_SIZE,
    PATH_ROWS,
    PATH_TOP,
    ROW_STRIDE,
    RUN_AREA,
    RUN_DOF,
    RUN_PLACE,
    RUN_SIZE,
    SLOT_RUN_COUNT,
    SLOT_RUNS,
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


def lay_out_runs(ints: Array, scratch: Array, runs: int, a: int, b: int, spec: Spec) -> Any:
    """Note where a row has entries: on the paths of two links to their roots; what both share, once.

    The first link's entries lie as deep in the row as in its path; behind them those that only the second has.  Runs lie at
    the end of their room, in ascending order of degrees of freedom, so that `slot_products` can split them.

    Returns:
        Number of runs; entries; the last link on both paths; how much further the second's own entries lie.
    """
    W, paths, common = width(spec), ints[ints[CONTACT] + PATH_ROWS], 0
    p, q = paths + a * PATH_ROW_SIZE, paths + b * PATH_ROW_SIZE
    first, second = p, q
    if a > 0 and b > 0:
        while ints[p + PATH_TOP] != ints[q + PATH_TOP]:
            if ints[p + PATH_TOP] > ints[q + PATH_TOP]:
                a = ints[p + PATH_ABOVE]
                p = paths + a * PATH_ROW_SIZE
            else:
                b = ints[q + PATH_ABOVE]
                q = paths + b * PATH_ROW_SIZE
        common = min(a, b)
        p, q = first, second
    shift = entries(ints, p) - entries(ints, paths + common * PATH_ROW_SIZE)
    length = shift + entries(ints, q)
    end = runs + (ints[ints[CONTACT] + RUN_AREA] - 1) * W
    place = end
    while ints[p + PATH_TOP] >= 0 or ints[q + PATH_TOP] >= 0:
        top, other, further = ints[p + PATH_TOP], ints[q + PATH_TOP], 0
        before, stop = ints[p + PATH_BEFORE] - top, ints[p + PATH_END]
        if top == other and ints[q + PATH_END] > stop:
            top, stop, further, q = stop, ints[q + PATH_END], shift, p
        elif top < other:
            top, before, stop, further = other, ints[q + PATH_BEFORE] - other, ints[q + PATH_END], shift
            q = paths + ints[q + PATH_ABOVE] * PATH_ROW_SIZE
        else:
            p = paths + ints[p + PATH_ABOVE] * PATH_ROW_SIZE
            q = p if top == other else q
        place -= RUN_SIZE * W
        put_run(scratch, place, stop - top, before + top + further, top, spec)
    return (end - place) // (RUN_SIZE * W), length, common, shift


def entries(ints: Array, p: int) -> int:
    """Degrees of freedom on the path whose row is at p; that of the ground has none, and begins before all others."""
    return ints[p + PATH_BEFORE] + ints[p + PATH_END] - ints[p + PATH_TOP]


def path_place(ints: Array, link: int) -> int:
    """Place of a link's first entry in rows."""
    return ints[ints[ints[CONTACT] + PATH_ROWS] + link * PATH_ROW_SIZE + PATH_PLACE]


def laid_out(ints: Array, runs: int, count: int, spec: Spec) -> int:
    """Where the first of so many laid out runs is, in the room for runs that begins at `runs`."""
    return runs + (ints[ints[CONTACT] + RUN_AREA] - 1 - RUN_SIZE * count) * width(spec)


def slot_products(ints: Array, scratch: Array, slot: int, spec: Spec) -> Any:
    """Λ of the three rows of a slot: nn, nt, nu, tt, tu, uu; the laid out runs become those of what is not zero."""
    W, c = width(spec), ints[CONTACT]
    rows, stride = slot_entries(ints, slot, spec), ints[c + ROW_STRIDE] * W
    zero = number(0.0, load(scratch, slot, spec))
    nn, nt, nu, tt, tu, uu = zero, zero, zero, zero, zero, zero
    count, place = number_at(scratch, slot + SLOT_RUN_COUNT * W, spec), slot + SLOT_RUNS * W
    full = laid_out(ints, place, count, spec)
    for _ in range(count):
        m, shift = (
            number_at(scratch, full + RUN_PLACE * W, spec),
            number_at(scratch, full + RUN_DOF * W, spec),
        )
        end, shift, begin = m + number_at(scratch, full, spec), shift - m, -1
        full += RUN_SIZE * W
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


def axis_square(ints: Array, scratch: Array, runs: int, count: int, spec: Spec) -> Number:
    """y·y of the row of an axis, of which so many runs are laid out; they become those of what is not zero."""
    W, rows = width(spec), axis_entries(ints, runs, spec)
    zero = number(0.0, load(scratch, rows, spec))
    square, place, full = zero, runs, laid_out(ints, runs, count, spec)
    for _ in range(count):
        m, shift = (
            number_at(scratch, full + RUN_PLACE * W, spec),
            number_at(scratch, full + RUN_DOF * W, spec),
        )
        end, shift, begin = m + number_at(scratch, full, spec), shift - m, -1
        full += RUN_SIZE * W
        while m < end:
            y = load(scratch, rows + m * W, spec)
            if any_lane(negated(absolute(y) <= zero)):
                square = fma(y, y, square)
                if begin < 0:
                    begin = m
            elif begin >= 0:
                place, begin = note_run(scratch, place, full, begin, m, shift, spec), -1
            m += 1
        if begin >= 0:
            place = note_run(scratch, place, full, begin, m, shift, spec)
    store(scratch, place, zero, spec)
    return square


def note_run(scratch: Array, place: int, full: int, begin: int, end: int, shift: int, spec: Spec) -> int:
    """Note a run from `begin` to `end` at `place`, or make the last one longer if there is no room; the next place."""
    W = width(spec)
    if place >= full:
        place -= RUN_SIZE * W
        begin = number_at(scratch, place + RUN_PLACE * W, spec)
    put_run(scratch, place, end - begin, begin, begin + shift, spec)
    return place + RUN_SIZE * W


def put_run(scratch: Array, place: int, length: int, begin: int, dof: int, spec: Spec) -> None:
    """Write a run."""
    W, like = width(spec), load(scratch, place, spec)
    store(scratch, place, number(length, like), spec)
    store(scratch, place + RUN_PLACE * W, number(begin, like), spec)
    store(scratch, place + RUN_DOF * W, number(dof, like), spec)


def slot_entries(ints: Array, slot: int, spec: Spec) -> int:
    """Where the first row of a slot starts in `scratch`, behind the room for its runs."""
    return axis_entries(ints, slot + SLOT_RUNS * width(spec), spec)


def axis_entries(ints: Array, runs: int, spec: Spec) -> int:
    """Where a row starts in `scratch` whose runs have their room at `runs`."""
    return runs + ints[ints[CONTACT] + RUN_AREA] * width(spec)


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
