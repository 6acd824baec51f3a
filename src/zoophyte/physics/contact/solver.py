"""The production law of response: impulses of contacts, constraints, limits and dry friction by projected Gauss–Seidel."""

from __future__ import annotations

from typing import Any

from zoophyte.model.contact_layout import (
    AXIS_COUNT,
    FEATURE_RESTITUTION,
    FEATURES,
    HEAD_START,
    MAX_SWEEPS,
    RESIDUAL,
    SWEEPS_DONE,
    WORK_START,
)
from zoophyte.model.layout import (
    CONTACT,
    DOF_SIZE,
    DT,
    LINK_COUNT,
    NV,
    ROW_DATA,
    ROW_KIND,
    ROW_V,
    V_COUNT,
    VELOCITY,
    called,
)
from zoophyte.numbers import (
    Array,
    Mask,
    Spec,
    any_lane,
    both,
    either,
    load,
    negated,
    number,
    store,
    width,
)
from zoophyte.numbers.units import unit
from zoophyte.physics.contact.axes import (
    axis_row,
    is_active,
    meet_late,
)
from zoophyte.physics.contact.impact import add_bounced, bounce
from zoophyte.physics.contact.rows import slot_rows
from zoophyte.physics.contact.slots import (
    slots_where,
)
from zoophyte.physics.contact.sweeps import guard_energy, is_loose, settle, sweep_until_still, warm_start
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.dynamics.screws import make_screws, respond
from zoophyte.physics.presence import is_solved

LATE_ROUNDS = 3
"""So often, at most, are limits looked for that only the solved velocities overrun, and sweeps gone on with."""
LONGER = 3
"""Where `settle` was not enough, or a limit is overrun though it presses, so many times the sweeps of a step are added, and
with momentum."""


@unit(called("solve"), is_solved)
def solve(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """Impulses of all slots and axes by projected Gauss–Seidel, and the velocities that they make.

    begin → sweep → add late limits → bounce → finish
    """
    everywhere = load(data, DT * width(spec), spec) > number(0.0, load(data, 0, spec))
    begin(ints, data, scratch, slots, everywhere, spec)
    sweep(ints, data, scratch, slots, everywhere, 1, spec)
    loose = is_loose(ints, data, spec)
    change, bounced = change_start(ints, spec), bounced_start(ints, spec)
    finish(ints, data, scratch, loose, change, spec)
    loose, stuck = late_limits(ints, data, scratch, change, bounced, spec)
    rounds = 0
    while rounds < LATE_ROUNDS and any_lane(loose):
        if any_lane(stuck):
            sweep(ints, data, scratch, slots_where(ints, scratch, stuck, spec), stuck, LONGER, spec)
            loose = both(loose, either(negated(stuck), is_loose(ints, data, spec)))
        finish(ints, data, scratch, loose, change, spec)
        loose, stuck = late_limits(ints, data, scratch, change, bounced, spec)
        rounds += 1
    add_to_velocities(ints, data, scratch, change, spec)


def begin(ints: Array, data: Array, scratch: Array, slots: int, everywhere: Mask, spec: Spec) -> None:
    """Rows of all slots and axes; blows, apart from all that follows; and the impulses that the last step remembers."""
    W, c = width(spec), ints[CONTACT]
    make_screws(ints, data, scratch, spec)
    make_rows(ints, scratch, slots, spec)
    if ints[c + FEATURES] & FEATURE_RESTITUTION:
        bounce(ints, data, scratch, slots, spec)
    zero = number(0.0, load(data, 0, spec))
    store(data, ints[c + HEAD_START] + RESIDUAL * W, zero, spec)
    store(data, ints[c + HEAD_START] + SWEEPS_DONE * W, zero, spec)
    warm_start(ints, scratch, slots, spec)
    guard_energy(ints, scratch, slots, everywhere, spec)


def sweep(ints: Array, data: Array, scratch: Array, slots: int, lanes: Mask, times: int, spec: Spec) -> None:
    """Sweep some lanes until they are still, at most so many times as often as a step may; energy must not rise."""
    sweep_until_still(ints, data, scratch, slots, lanes, times * ints[ints[CONTACT] + MAX_SWEEPS], spec)
    guard_energy(ints, scratch, slots, lanes, spec)


def finish(ints: Array, data: Array, scratch: Array, loose: Mask, change: int, spec: Spec) -> None:
    """The change of velocities that the impulses make, blows included; lanes that are still loose are settled before."""
    c = ints[CONTACT]
    if any_lane(loose):
        settle(ints, data, scratch, loose, spec)
    source = ints[c + WORK_START]
    if ints[c + FEATURES] & FEATURE_RESTITUTION:
        add_bounced(ints, scratch, change, spec)
        source = change
    respond(ints, scratch, source, change, spec)


def late_limits(ints: Array, data: Array, scratch: Array, change: int, bounced: int, spec: Spec) -> Any:
    """Take on the limits that only the solved velocities overrun: lanes that need more, and lanes that need sweeps."""
    loose, stuck = meet_late(ints, data, scratch, change, bounced, spec)
    stuck = either(stuck, is_loose(ints, data, spec))
    return either(loose, stuck), stuck


def bounced_start(ints: Array, spec: Spec) -> int:
    """Where w of the blows lies, behind w = Yᵀλ; −1 where nothing bounces."""
    c = ints[CONTACT]
    return ints[c + WORK_START] + ints[NV] * width(spec) if ints[c + FEATURES] & FEATURE_RESTITUTION else -1


def change_start(ints: Array, spec: Spec) -> int:
    """Where the change of velocities lies, behind both."""
    return ints[ints[CONTACT] + WORK_START] + 2 * ints[NV] * width(spec)


def make_rows(ints: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """The rows of all slots and of all axes that have something to solve."""
    for k in range(slots):
        slot_rows(ints, scratch, k, spec)
    for a in range(ints[ints[CONTACT] + AXIS_COUNT]):
        if is_active(ints, scratch, a, spec):
            axis_row(ints, scratch, a, spec)


def add_to_velocities(ints: Array, data: Array, scratch: Array, change: int, spec: Spec) -> None:
    """v += Δv."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, dof = ints[i + ROW_KIND], ints[i + ROW_DATA] + first_dof(ints[i + ROW_KIND]) * W
        for n in range(V_COUNT[kind]):
            place = dof + (n * DOF_SIZE + VELOCITY) * W
            dv = load(scratch, change + (ints[i + ROW_V] + n) * W, spec)
            store(data, place, load(data, place, spec) + dv, spec)
