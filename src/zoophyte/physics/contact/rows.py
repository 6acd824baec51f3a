"""Rows of the factored inverse inertia for slots: J M̃⁻¹ Jᵀ = Y·Yᵀ.

The three unit impulses of a slot go from each of its links to the root (see :mod:`ways`); entries of links that are on no
way are zero.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.spatial import spatial
from zoophyte.algebra.vectors import add, add_cross, choose3, cross, dot, scale, subtract
from zoophyte.model.contact_layout import (
    FEATURE_ALIKE,
    FEATURE_RESTITUTION,
    FEATURES,
    ROW_STRIDE,
    SLOT_A,
    SLOT_B,
    SLOT_BEFORE,
    SLOT_BIAS,
    SLOT_BOUNCED,
    SLOT_COMMON,
    SLOT_FREE,
    SLOT_IMPULSE,
    SLOT_KIND,
    SLOT_LENGTH,
    SLOT_POINT_A,
    SLOT_POINT_B,
    SLOT_RESTITUTION,
    SLOT_RUN_COUNT,
    SLOT_RUNS,
    SLOT_SHIFT,
    SLOT_TREE_A,
    SLOT_TREE_B,
    WORK_COUNT,
)
from zoophyte.model.layout import AWAY, CONTACT, WORLD_R, called
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    absolute,
    any_lane,
    largest_lane,
    load,
    number,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import gather3, gather6, gather9, load3, load6, load9, shared, store3, store4
from zoophyte.numbers.units import unit
from zoophyte.physics.contact.blocks import store_block
from zoophyte.physics.contact.runs import lay_out_runs, number_at, slot_entries
from zoophyte.physics.contact.slots import slot_offset, store_frame, work
from zoophyte.physics.contact.ways import go_apart, go_together
from zoophyte.physics.dynamics.screws import PACE
from zoophyte.physics.presence import has_contact


@unit(called("slot_rows"), has_contact)
def slot_rows(ints: Array, scratch: Array, k: int, spec: Spec) -> None:
    """Frame, free velocity, rows and block of slot k; a lane that does not use the slot gets zeros."""
    W, slot = width(spec), slot_offset(ints, k)
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    used = number(k, count) < count
    zero, one = number(0.0, count), number(1.0, count)
    frame = store_frame(ints, scratch, slot, used, spec)
    a, b = number_at(scratch, slot + SLOT_TREE_A * W, spec), number_at(scratch, slot + SLOT_TREE_B * W, spec)
    runs, length, common, shift = lay_out_runs(ints, scratch, slot + SLOT_RUNS * W, a, b, spec)
    laid_out = (number(runs, zero), number(length, zero), number(common, zero), number(shift, zero))
    store4(scratch, slot + SLOT_RUN_COUNT * W, laid_out, spec)
    clear_rows(ints, scratch, slot, zero, spec)
    u = end_rows(ints, scratch, slot, SLOT_A, SLOT_POINT_A, SLOT_TREE_A, frame, where(used, one, zero), spec)
    B = load(scratch, slot + SLOT_B * W, spec)
    if any_lane(where(used, B, zero) > zero):  # the ground, whose record is the first, does not move
        sign = where(used, -one, zero)
        u = subtract(u, end_rows(
            ints, scratch, slot, SLOT_B, SLOT_POINT_B, SLOT_TREE_B, frame, sign, spec
        ))  # fmt: skip
    n, t, s = (frame[0], frame[1], frame[2]), (frame[3], frame[4], frame[5]), (frame[6], frame[7], frame[8])
    free = (where(used, dot(n, u), zero), where(used, dot(t, u), zero), where(used, dot(s, u), zero))
    store3(scratch, slot + SLOT_FREE * W, free, spec)
    x = load3(scratch, slot + SLOT_IMPULSE * W, spec)
    warm = (where(used, dot(n, x), zero), where(used, dot(t, x), zero), where(used, dot(s, x), zero))
    store3(scratch, slot + SLOT_IMPULSE * W, warm, spec)
    store3(scratch, slot + SLOT_BOUNCED * W, (zero, zero, zero), spec)
    if ints[ints[CONTACT] + FEATURES] & FEATURE_RESTITUTION:
        u = load3(scratch, slot + SLOT_BEFORE * W, spec)
        before = (where(used, dot(n, u), zero), where(used, dot(t, u), zero), where(used, dot(s, u), zero))
        store3(scratch, slot + SLOT_BEFORE * W, before, spec)
    # Where the slot is not used, anything may lie in it, and 0·∞ is not a number.
    for field in (SLOT_BIAS, SLOT_RESTITUTION):
        place = slot + field * W
        store(scratch, place, where(used, load(scratch, place, spec), zero), spec)
    store_block(ints, scratch, slot, used, spec)


def end_rows(
    ints: Array, scratch: Array, slot: int, end: int, point: int, tree: int, frame: Any, sign: Number, spec: Spec
) -> Any:  # fmt: skip
    """Rows of the unit impulses on one of the two links of a slot; returns the velocity there, world axes.

    Args:
        ints: of the block.
        scratch: of the block.
        slot: where its record starts.
        end: field of the link: SLOT_A, or SLOT_B, which adds to the rows.
        point: field of the point on it.
        tree: field that names its tree.
        frame: of the slot.
        sign: of the impulses there; zero in lanes that do not use the slot, where anything may lie in it.
        spec: the machine.
    """
    W, c = width(spec), ints[CONTACT]
    zero = number(0.0, sign)
    used = absolute(sign) > zero
    link = where(used, load(scratch, slot + end * W, spec), zero)
    at = shared(link, used)
    if at >= 0:
        R, away, pace = (
            load9(scratch, at + WORLD_R * W, spec),
            load3(scratch, at + AWAY * W, spec),
            load6(scratch, at + PACE * W, spec),
        )
    else:
        R, away, pace = (
            gather9(scratch, link, WORLD_R * W, spec),
            gather3(scratch, link, AWAY * W, spec),
            gather6(scratch, link, PACE * W, spec),
        )
    on_link = choose3(used, load3(scratch, slot + point * W, spec), (zero, zero, zero))
    x = add(away, rotate(R, on_link))
    turn = load(scratch, slot + SLOT_KIND * W, spec) > number(0.5, zero)
    p0 = unit_force(x, scale(sign, (frame[0], frame[1], frame[2])), turn, zero)
    p1 = unit_force(x, scale(sign, (frame[3], frame[4], frame[5])), turn, zero)
    p2 = unit_force(x, scale(sign, (frame[6], frame[7], frame[8])), turn, zero)
    stride, first, adds = ints[c + ROW_STRIDE] * W, slot_entries(ints, slot, spec), end == SLOT_B
    if at >= 0 and ints[c + FEATURES] & FEATURE_ALIKE:
        # Where lanes are alike, what names the tree is the link itself.
        names = where(used, load(scratch, slot + tree * W, spec), zero)
        common, further = 0, 0
        if adds:
            common = number_at(scratch, slot + SLOT_COMMON * W, spec)
            further = number_at(scratch, slot + SLOT_SHIFT * W, spec)
        places = (first, stride, common, further)
        go_together(ints, scratch, int(largest_lane(names)), places, p0, p1, p2, adds, spec)
    else:
        go_apart(ints, scratch, link, first, stride, p0, p1, p2, adds, spec)
    w = (pace[0], pace[1], pace[2])
    return choose3(turn, w, add_cross((pace[3], pace[4], pace[5]), w, x))


def unit_force(x: Any, f: Any, turn: Mask, zero: Number) -> Any:
    """A force at a point as a spatial force; where it is a turn, the torque alone."""
    return spatial(choose3(turn, f, cross(x, f)), choose3(turn, (zero, zero, zero), f))


def clear_rows(ints: Array, scratch: Array, slot: int, zero: Number, spec: Spec) -> None:
    """Zeros in the three rows of a slot."""
    W, rows = width(spec), slot_entries(ints, slot, spec)
    stride = ints[ints[CONTACT] + ROW_STRIDE] * W
    for m in range(row_length(scratch, slot, spec)):
        store(scratch, rows + m * W, zero, spec)
        store(scratch, rows + stride + m * W, zero, spec)
        store(scratch, rows + 2 * stride + m * W, zero, spec)


def row_length(scratch: Array, slot: int, spec: Spec) -> int:
    """Entries of each row of a slot."""
    return number_at(scratch, slot + SLOT_LENGTH * width(spec), spec)
