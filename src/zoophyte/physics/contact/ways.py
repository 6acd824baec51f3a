"""Ways to the root: unit forces pass from link to link, and leave the entries of their rows (see :mod:`screws`).

Lanes with the same tree go together where they are at the same link.  Elsewhere each lane goes its own way: lanes gather
what they meet, and wait at the root for the others.  A way is shorter than the tree, and nothing is scattered but entries
of rows.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.cholesky import forward_solve6
from zoophyte.algebra.rotations import unrotate
from zoophyte.algebra.spatial import power, spatial, spatial_add, spatial_add_scaled
from zoophyte.model.contact_layout import FEATURE_BALLS, FEATURES, SLOT_CAPACITY
from zoophyte.model.layout import (
    BALL,
    BALL_SCREW,
    CONTACT,
    FREE,
    GROUND,
    HINGE,
    JOINT,
    LINK_COUNT,
    OWN,
    ROW_DATA,
    ROW_KIND,
    ROW_PARENT,
    ROW_SCRATCH,
    SCREW,
    SCREW_SIZE,
    WAY_KIND,
    WAY_PARENT,
    WAY_ROW,
    R,
)
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    any_lane,
    both,
    gather,
    load,
    load_at,
    number,
    scatter,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import gather6, load6, load9, store3, store6
from zoophyte.physics.contact.runs import path_place, slot_entries
from zoophyte.physics.contact.slots import slot_offset
from zoophyte.physics.dynamics.blocks import load21_flat
from zoophyte.physics.dynamics.kinematics import link_offset, parent_index, row


def note_ways(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """What those who go apart must know of every link, in its record: set once, since scratch is another's before."""
    W = width(spec)
    zero = number(0.0, load(data, 0, spec))
    store(scratch, WAY_KIND * W, number(GROUND, zero), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, s = ints[i + ROW_KIND], ints[i + ROW_SCRATCH]
        store(scratch, s + WAY_KIND * W, number(kind, zero), spec)
        store(scratch, s + WAY_ROW * W, number(path_place(ints, link), zero), spec)
        parent = load_at(scratch, ints, parent_index(ints, link, spec), OWN * W, spec)
        store(scratch, s + WAY_PARENT * W, parent, spec)
        if (
            kind == HINGE or kind == BALL
        ):  # for `factor_row`; those of the others are kept up to date by the kinematics
            store3(scratch, s + R * W, link_offset(kind, data, ints[i + ROW_DATA], scratch, s, spec), spec)


# ------------------------------------------------------------------------------------------------------ all lanes together


def go_together(
    ints: Array, scratch: Array, link: int, places: Any, p0: Any, p1: Any, p2: Any, adds: bool, spec: Spec
) -> None:  # fmt: skip
    """Three forces from the same link of all lanes to the root.

    Args:
        ints: of the block.
        scratch: of the block.
        link: where they act.
        places: where the first row starts; from one row to the next; behind which link entries lie further, and how far.
        p0: a force; see :mod:`screws`.
        p1: likewise.
        p2: likewise.
        adds: whether rows hold something already.
        spec: the machine.
    """
    W, (first, stride, common, further) = width(spec), places
    while link > 0:
        i = row(ints, link)
        kind, s, y = ints[i + ROW_KIND], ints[i + ROW_SCRATCH], first + path_place(ints, link) * W
        if link > common:
            y += further * W
        if kind == FREE:
            put6(scratch, y, root_entries(scratch, s, p0, spec), adds, spec)
            put6(scratch, y + stride, root_entries(scratch, s, p1, spec), adds, spec)
            put6(scratch, y + 2 * stride, root_entries(scratch, s, p2, spec), adds, spec)
        elif kind == BALL:
            p0 = pass_ball(scratch, s, y, p0, adds, spec)
            p1 = pass_ball(scratch, s, y + stride, p1, adds, spec)
            p2 = pass_ball(scratch, s, y + 2 * stride, p2, adds, spec)
        else:
            S, U = load6(scratch, s + SCREW * W, spec), load6(scratch, s + (SCREW + 6) * W, spec)
            y0, y1, y2 = power(S, p0), power(S, p1), power(S, p2)
            put(scratch, y, y0, adds, spec)
            put(scratch, y + stride, y1, adds, spec)
            put(scratch, y + 2 * stride, y2, adds, spec)
            p0, p1, p2 = left_of(p0, y0, U), left_of(p1, y1, U), left_of(p2, y2, U)
        link = ints[i + ROW_PARENT]


def go_alone(ints: Array, scratch: Array, link: int, first: int, p: Any, spec: Spec) -> None:
    """The same for one force, whose row holds nothing yet."""
    W = width(spec)
    while link > 0:
        i = row(ints, link)
        kind, s, y = ints[i + ROW_KIND], ints[i + ROW_SCRATCH], first + path_place(ints, link) * W
        if kind == FREE:
            put6(scratch, y, root_entries(scratch, s, p, spec), False, spec)
        elif kind == BALL:
            p = pass_ball(scratch, s, y, p, False, spec)
        else:
            entry = power(load6(scratch, s + SCREW * W, spec), p)
            store(scratch, y, entry, spec)
            p = left_of(p, entry, load6(scratch, s + (SCREW + 6) * W, spec))
        link = ints[i + ROW_PARENT]


def left_of(p: Any, y: Number, U: Any) -> Any:
    """What a joint leaves of a force."""
    return spatial_add_scaled(p, -y, U)


def pass_ball(scratch: Array, s: int, y: int, p: Any, adds: bool, spec: Spec) -> Any:
    """Row entries of a ball joint; what it leaves of the force."""
    W = width(spec)
    first = s + BALL_SCREW * W
    second, third = first + SCREW_SIZE * W, first + 2 * SCREW_SIZE * W
    y0, y1 = power(load6(scratch, first, spec), p), power(load6(scratch, second, spec), p)
    y2 = power(load6(scratch, third, spec), p)
    put(scratch, y, y0, adds, spec)
    put(scratch, y + W, y1, adds, spec)
    put(scratch, y + 2 * W, y2, adds, spec)
    p = left_of(p, y0, load6(scratch, first + 6 * W, spec))
    return left_of(
        left_of(p, y1, load6(scratch, second + 6 * W, spec)), y2, load6(scratch, third + 6 * W, spec)
    )


def root_entries(scratch: Array, s: int, p: Any, spec: Spec) -> Any:
    """Row entries of the free link whose record is at s: L⁻¹·p with the factor of its articulated inertia, in its axes."""
    W = width(spec)
    R_WL = load9(scratch, s + SCREW * W, spec)
    own = spatial(unrotate(R_WL, (p[0], p[1], p[2])), unrotate(R_WL, (p[3], p[4], p[5])))
    return forward_solve6(load21_flat(scratch, s + JOINT * W, spec), own)


def put(scratch: Array, place: int, x: Number, adds: bool, spec: Spec) -> None:
    """Store a number, or add it to what is there."""
    store(scratch, place, load(scratch, place, spec) + x if adds else x, spec)


def put6(scratch: Array, place: int, x: Any, adds: bool, spec: Spec) -> None:
    """The same for six."""
    store6(scratch, place, spatial_add(load6(scratch, place, spec), x) if adds else x, spec)


# ------------------------------------------------------------------------------------------------------ each lane by itself


def go_apart(
    ints: Array, scratch: Array, here: Number, first: int, stride: int, p0: Any, p1: Any, p2: Any, adds: bool, spec: Spec
) -> None:  # fmt: skip
    """Three forces from a link of each lane, whose record is at `here`, to its root; else as `go_together`."""
    W, c = width(spec), ints[CONTACT]
    zero, balls = number(0.0, here), ints[c + FEATURES] & FEATURE_BALLS
    nowhere = number(slot_entries(ints, slot_offset(ints, ints[c + SLOT_CAPACITY]), spec), zero)
    kind = gather(scratch, here, WAY_KIND * W, spec)
    going = is_joint(kind)
    while any_lane(going):
        y = gather(scratch, here, WAY_ROW * W, spec) * number(W, zero) + number(first, zero)
        y = where(going, y, nowhere)
        if balls:
            ball = both(going, is_ball(kind))
            p0 = choose6(going, pass_any(scratch, here, ball, y, nowhere, 0, p0, adds, spec), p0)
            p1 = choose6(going, pass_any(scratch, here, ball, y, nowhere, stride, p1, adds, spec), p1)
            p2 = choose6(going, pass_any(scratch, here, ball, y, nowhere, 2 * stride, p2, adds, spec), p2)
        else:
            S = gather6(scratch, here, SCREW * W, spec)
            y0, y1, y2 = power(S, p0), power(S, p1), power(S, p2)
            put_apart(scratch, y, 0, y0, adds, spec)
            put_apart(scratch, y, stride, y1, adds, spec)
            put_apart(scratch, y, 2 * stride, y2, adds, spec)
            U = gather6(scratch, here, (SCREW + 6) * W, spec)
            p0 = choose6(going, left_of(p0, y0, U), p0)
            p1 = choose6(going, left_of(p1, y1, U), p1)
            p2 = choose6(going, left_of(p2, y2, U), p2)
        here = where(going, gather(scratch, here, WAY_PARENT * W, spec), here)
        kind = gather(scratch, here, WAY_KIND * W, spec)
        going = both(going, is_joint(kind))
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        if ints[i + ROW_KIND] == FREE:
            s, y_root = ints[i + ROW_SCRATCH], first + path_place(ints, link) * W
            arrived = is_at(here, s)
            if any_lane(arrived):
                put_where(scratch, y_root, arrived, root_entries(scratch, s, p0, spec), adds, spec)
                put_where(scratch, y_root + stride, arrived, root_entries(scratch, s, p1, spec), adds, spec)
                put_where(
                    scratch, y_root + 2 * stride, arrived, root_entries(scratch, s, p2, spec), adds, spec
                )


def go_apart_alone(ints: Array, scratch: Array, here: Number, first: int, p: Any, spec: Spec) -> None:
    """The same for one force, whose row holds nothing yet."""
    W, c = width(spec), ints[CONTACT]
    zero, balls = number(0.0, here), ints[c + FEATURES] & FEATURE_BALLS
    nowhere = number(slot_entries(ints, slot_offset(ints, ints[c + SLOT_CAPACITY]), spec), zero)
    kind = gather(scratch, here, WAY_KIND * W, spec)
    going = is_joint(kind)
    while any_lane(going):
        y = gather(scratch, here, WAY_ROW * W, spec) * number(W, zero) + number(first, zero)
        y = where(going, y, nowhere)
        if balls:
            ball = both(going, is_ball(kind))
            p = choose6(going, pass_any(scratch, here, ball, y, nowhere, 0, p, False, spec), p)
        else:
            entry = power(gather6(scratch, here, SCREW * W, spec), p)
            scatter(scratch, y, 0, entry, spec)
            p = choose6(going, left_of(p, entry, gather6(scratch, here, (SCREW + 6) * W, spec)), p)
        here = where(going, gather(scratch, here, WAY_PARENT * W, spec), here)
        kind = gather(scratch, here, WAY_KIND * W, spec)
        going = both(going, is_joint(kind))
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        if ints[i + ROW_KIND] == FREE:
            s = ints[i + ROW_SCRATCH]
            arrived = is_at(here, s)
            if any_lane(arrived):
                entries = root_entries(scratch, s, p, spec)
                put_where(scratch, first + path_place(ints, link) * W, arrived, entries, False, spec)


def pass_any(
    scratch: Array, here: Number, ball: Mask, y: Number, nowhere: Number, field: int, p: Any, adds: bool, spec: Spec
) -> Any:  # fmt: skip
    """Row entries of a joint of any kind, which may differ from lane to lane; what it leaves of the force."""
    W = width(spec)
    place = here + where(ball, number(BALL_SCREW * W, here), number(SCREW * W, here))
    size = SCREW_SIZE * W
    y0 = power(gather6(scratch, place, 0, spec), p)
    put_apart(scratch, y, field, y0, adds, spec)
    left = left_of(p, y0, gather6(scratch, place, 6 * W, spec))
    if any_lane(ball):
        place, y = (
            where(ball, place, number(0.0, here)),
            where(ball, y, nowhere),
        )  # who is at none reads the ground's record
        y1, y2 = (
            power(gather6(scratch, place, size, spec), p),
            power(gather6(scratch, place, 2 * size, spec), p),
        )
        put_apart(scratch, y, field + W, y1, adds, spec)
        put_apart(scratch, y, field + 2 * W, y2, adds, spec)
        last = left_of(left, y1, gather6(scratch, place, size + 6 * W, spec))
        left = choose6(ball, left_of(last, y2, gather6(scratch, place, 2 * size + 6 * W, spec)), left)
    return left


def put_apart(scratch: Array, y: Number, field: int, x: Number, adds: bool, spec: Spec) -> None:
    """Store a number at a place of each lane, or add it to what is there."""
    scatter(scratch, y, field, gather(scratch, y, field, spec) + x if adds else x, spec)


def put_where(scratch: Array, place: int, mask: Mask, x: Any, adds: bool, spec: Spec) -> None:
    """Six numbers where the mask holds, or added to those there."""
    there = load6(scratch, place, spec)
    store6(scratch, place, choose6(mask, spatial_add(there, x) if adds else x, there), spec)


def is_joint(kind: Number) -> Mask:
    """Where a link hangs on another by a joint: it is neither a free root nor the ground."""
    return both(kind > number(GROUND, kind), kind < number(FREE, kind))


def is_ball(kind: Number) -> Mask:
    """Where that is a ball joint."""
    return both(kind > number(BALL - 0.5, kind), kind < number(BALL + 0.5, kind))


def is_at(here: Number, s: int) -> Mask:
    """Where a lane is at the record that starts at s."""
    own = number(s, here)
    return both(here >= own, here <= own)


def choose6(mask: Mask, a: Any, b: Any) -> Any:
    """`a` where the mask holds, else `b`."""
    return (where(mask, a[0], b[0]), where(mask, a[1], b[1]), where(mask, a[2], b[2]),
            where(mask, a[3], b[3]), where(mask, a[4], b[4]), where(mask, a[5], b[5]))  # fmt: skip
