"""One step with contact.

    forces → forward dynamics → free velocities → detect → rows → solve → move → correct

The free velocities are what forces alone would make; the solver adds the impulses of contacts, constraints, limits and
dry friction to them; positions then move with the result.  What is left of depth is corrected in positions alone.
"""

from __future__ import annotations

from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.vectors import add, scale
from zoophyte.model.contact_layout import (
    AXIS_COUNT,
    AXIS_FRICTION_IMPULSE,
    AXIS_IMPULSE,
    FEATURE_RESTITUTION,
    FEATURE_SLEEP,
    FEATURES,
    GROUND_KIND,
    HEAD_START,
    MAX_SWEEPS,
    MEMORY_FORCE,
    MEMORY_KEY,
    MEMORY_RECORD,
    MEMORY_START,
    NO_GROUND,
    RESIDUAL,
    SLOT_BOUNCED,
    SLOT_COUNT,
    SLOT_FRAME,
    SLOT_IMPULSE,
    SLOT_KEY,
    SLOT_TREE_A,
    SLOT_TREE_B,
    SWEEPS_DONE,
    WORK_COUNT,
    WORK_START,
)
from zoophyte.model.layout import (
    CONTACT,
    DOF_SIZE,
    DT,
    FLAG_DRIVEN,
    FLAG_IMPLICIT,
    FLAGS,
    LINK_COUNT,
    MEDIUM,
    NV,
    ROW_DATA,
    ROW_KIND,
    ROW_V,
    V_COUNT,
    VELOCITY,
)
from zoophyte.numbers import (
    Array,
    Number,
    Spec,
    any_lane,
    both,
    either,
    lane,
    load,
    negated,
    number,
    store,
    width,
)
from zoophyte.numbers.memory import load3, load9, store3
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.contact.axes import (
    axis_memory,
    axis_offset,
    axis_row,
    is_active,
    leave_limits,
    meet_late,
    meet_limits,
)
from zoophyte.physics.contact.correction.correct import correct, correct_where_needed
from zoophyte.physics.contact.detect.ground import meet_ground
from zoophyte.physics.contact.detect.holds import meet_holds
from zoophyte.physics.contact.detect.pairs import meet_others
from zoophyte.physics.contact.impact import add_bounced, bounce
from zoophyte.physics.contact.islands import (
    everyone_sleeps,
    fall_asleep,
    is_asleep,
    join,
    merge_memory,
    set_memory_aside,
    still_sleepers,
    tree_of,
    wake,
    wake_pushed,
)
from zoophyte.physics.contact.motion import (
    free_velocities,
    go_back,
    go_half_way,
    improve_half_way,
    is_fast,
    is_faster,
    move,
)
from zoophyte.physics.contact.rows import slot_rows
from zoophyte.physics.contact.slots import (
    begin_slots,
    lacks_room,
    recall,
    slot_offset,
    slots_in_use,
    slots_where,
    work,
)
from zoophyte.physics.contact.sweeps import guard_energy, is_loose, settle, sweep_until_still, warm_start
from zoophyte.physics.dynamics.again import forward_dynamics_again
from zoophyte.physics.dynamics.forward import forward_dynamics
from zoophyte.physics.dynamics.kinematics import first_dof, row, velocities_in_place, world_poses
from zoophyte.physics.dynamics.medium import medium_forces
from zoophyte.physics.dynamics.screws import make_screws, respond
from zoophyte.physics.forces import joint_forces
from zoophyte.physics.implicit import first_right_side
from zoophyte.physics.signals import drive
from zoophyte.physics.step import finish, set_time

LATE_ROUNDS = 3
"""So often, at most, are limits looked for that only the solved velocities overrun, and sweeps gone on with."""
LONGER = 3
"""Where `settle` was not enough, or a limit is overrun though it presses, so many times the sweeps of a step are added, and
with momentum."""
LOOK, PART = -1, -2
"""In place of a number of steps: find the contacts of the present state; push overlapping shapes apart a little."""


def begin_touching_step(data: Array, spec: Spec) -> None:
    """Commands act with their value at the end of the step."""
    set_time(data, 1.0, spec)


def touching_step(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> None:
    """One step of DT."""
    wake_pushed(ints, data, spec)
    if everyone_sleeps(ints, data, spec):
        none = number(0.0, load(data, 0, spec))
        store(data, ints[ints[CONTACT] + HEAD_START] + SLOT_COUNT * width(spec), none, spec)
        still_sleepers(ints, data, spec)
        finish(ints, data, spec)
        return
    begin_touching_step(data, spec)
    if ints[FLAGS] & FLAG_DRIVEN:
        drive(ints, data, spec)
    joint_forces(ints, data, scratch, 1.0, spec)
    if ints[FLAGS] & FLAG_IMPLICIT:
        first_right_side(ints, data, scratch, 1.0, 0.0, spec)
    if ints[MEDIUM] > 0:
        medium_forces(ints, data, scratch, spec)
    refined = accelerate(ints, data, scratch, spec)
    slots = detect(ints, data, scratch, terrain, spec)
    while wake_touched(ints, data, scratch, slots, spec):
        slots = detect(ints, data, scratch, terrain, spec)  # now with all that its sleep had left out
    limited = meet_limits(ints, data, scratch, spec)
    if lacks_room(ints, data, spec):
        return  # nothing has moved yet
    free_velocities(ints, data, scratch, refined, spec)
    still_sleepers(ints, data, spec)
    if slots > 0 or limited:
        join(ints, scratch, slots, spec)
        solve(ints, data, scratch, slots, spec)
    remember(ints, data, scratch, slots, spec)
    if ints[ints[CONTACT] + FEATURES] & FEATURE_SLEEP:
        fall_asleep(ints, data, spec)
    move(ints, data, spec)
    if slots > 0 or limited:
        correct_where_needed(ints, data, scratch, slots, spec)
    finish(ints, data, spec)


def accelerate(ints: Array, data: Array, scratch: Array, spec: Spec) -> bool:
    """Accelerations; whether they are those at the velocities half-way through the step, as they are where joints turn fast.

    Velocities lie half a step before positions in this kind of step (leapfrog); velocity products at the velocities before
    would be those of another time, and a fast chain would gain energy faster still.
    """
    forward_dynamics(ints, data, scratch, spec)
    fast = is_fast(ints, data, spec)
    if not any_lane(fast):
        return False
    faster = both(fast, is_faster(ints, data, scratch, spec))
    go_half_way(ints, data, scratch, fast, spec)
    forward_dynamics_again(ints, data, scratch, spec)
    if any_lane(faster):
        improve_half_way(ints, data, scratch, faster, spec)
        forward_dynamics_again(ints, data, scratch, spec)
    go_back(ints, data, scratch, fast, spec)
    velocities_in_place(ints, data, scratch, spec)
    return True


@outlined
def detect(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> int:
    """Fill the slots with what touches, or may within the step; how many are in use."""
    world_poses(ints, data, scratch, spec)
    begin_slots(ints, scratch, spec)
    meet_holds(ints, data, scratch, spec)
    if ints[ints[CONTACT] + GROUND_KIND] != NO_GROUND:
        meet_ground(ints, data, scratch, terrain, spec)
    meet_others(ints, data, scratch, spec)
    slots = slots_in_use(ints, scratch, spec)
    recall(ints, data, scratch, slots, spec)
    return slots


def push_apart(ints: Array, data: Array, scratch: Array, terrain: Array, mode: int, spec: Spec) -> None:
    """The contacts of the present state; with PART, positions are corrected along them, and velocities carried along."""
    forward_dynamics(ints, data, scratch, spec)
    slots = detect(ints, data, scratch, terrain, spec)
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    store(data, ints[ints[CONTACT] + HEAD_START] + SLOT_COUNT * width(spec), count, spec)
    make_screws(ints, data, scratch, spec)
    for k in range(slots):
        slot_rows(ints, scratch, k, spec)
    if mode == PART and not lacks_room(ints, data, spec):
        leave_limits(ints, scratch, spec)
        zero = number(0.0, count)
        correct(ints, data, scratch, slots, count >= zero, count < zero, spec)


def solve(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """Impulses of all slots and axes, and the velocities that they make."""
    c = ints[CONTACT]
    make_screws(ints, data, scratch, spec)
    make_rows(ints, scratch, slots, spec)
    bouncy = ints[c + FEATURES] & FEATURE_RESTITUTION
    if bouncy:
        bounce(ints, data, scratch, slots, spec)
    everywhere = load(data, DT * width(spec), spec) > number(0.0, load(data, 0, spec))
    head, zero = ints[c + HEAD_START], number(0.0, load(data, 0, spec))
    store(data, head + RESIDUAL * width(spec), zero, spec)
    store(data, head + SWEEPS_DONE * width(spec), zero, spec)
    warm_start(ints, scratch, slots, spec)
    guard_energy(ints, scratch, slots, everywhere, spec)
    sweep_until_still(ints, data, scratch, slots, everywhere, ints[c + MAX_SWEEPS], spec)
    guard_energy(ints, scratch, slots, everywhere, spec)
    w = ints[c + WORK_START]
    bounced = w + ints[NV] * width(spec)
    change = bounced + ints[NV] * width(spec)
    loose, stuck, rounds = is_loose(ints, data, spec), zero > zero, 0
    while rounds == 0 or (rounds <= LATE_ROUNDS and any_lane(loose)):
        if any_lane(stuck):
            some = slots_where(ints, scratch, stuck, spec)
            sweep_until_still(ints, data, scratch, some, stuck, LONGER * ints[c + MAX_SWEEPS], spec)
            guard_energy(ints, scratch, some, stuck, spec)
            loose = both(loose, either(negated(stuck), is_loose(ints, data, spec)))
        if any_lane(loose):
            settle(ints, data, scratch, loose, spec)
        if bouncy:
            add_bounced(ints, scratch, change, spec)
        respond(ints, scratch, change if bouncy else w, change, spec)
        loose, stuck = meet_late(ints, data, scratch, change, bounced if bouncy else -1, spec)
        stuck = either(stuck, is_loose(ints, data, spec))
        loose = either(loose, stuck)
        rounds += 1
    add_to_velocities(ints, data, scratch, change, spec)


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


def remember(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """Keep the forces of this step, in world axes, blows included, and those of the axes: the next step begins with them."""
    W, c = width(spec), ints[CONTACT]
    memory = ints[c + MEMORY_START]
    sleepers = ints[c + FEATURES] & FEATURE_SLEEP
    rate = number(1.0, load(data, 0, spec)) / load(data, DT * W, spec)
    if sleepers:
        set_memory_aside(ints, data, scratch, spec)
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    store(data, memory, count, spec)
    store(data, ints[c + HEAD_START] + SLOT_COUNT * W, count, spec)
    remember_slots(ints, data, scratch, slots, rate, spec)
    for a in range(ints[c + AXIS_COUNT]):
        axis, place = axis_offset(ints, a, spec), axis_memory(ints, a, spec)
        store(data, place, rate * load(scratch, axis + AXIS_IMPULSE * W, spec), spec)
        store(data, place + W, rate * load(scratch, axis + AXIS_FRICTION_IMPULSE * W, spec), spec)
    if sleepers:
        merge_memory(ints, data, scratch, spec)


def remember_slots(ints: Array, data: Array, scratch: Array, slots: int, rate: Number, spec: Spec) -> None:
    """Keys and forces of all slots."""
    for k in range(slots):
        remember_slot(ints, data, scratch, k, rate, spec)


def remember_slot(ints: Array, data: Array, scratch: Array, k: int, rate: Number, spec: Spec) -> None:
    """Key and force of slot k."""
    W, c = width(spec), ints[CONTACT]
    slot, place = slot_offset(ints, k), ints[c + MEMORY_START] + (1 + k * MEMORY_RECORD) * W
    store(data, place + MEMORY_KEY * W, load(scratch, slot + SLOT_KEY * W, spec), spec)
    F = load9(scratch, slot + SLOT_FRAME * W, spec)
    x = load3(scratch, slot + SLOT_IMPULSE * W, spec)
    if ints[c + FEATURES] & FEATURE_RESTITUTION:
        x = add(x, load3(scratch, slot + SLOT_BOUNCED * W, spec))
    force = rotate((F[0], F[3], F[6], F[1], F[4], F[7], F[2], F[5], F[8]), scale(rate, x))
    store3(data, place + MEMORY_FORCE * W, force, spec)


def wake_touched(ints: Array, data: Array, scratch: Array, slots: int, spec: Spec) -> bool:
    """Wake sleepers that something awake touches; whether there were any."""
    W = width(spec)
    if not ints[ints[CONTACT] + FEATURES] & FEATURE_SLEEP:
        return False
    woken = False
    for k in range(slots):
        slot = slot_offset(ints, k)
        a = int(lane(load(scratch, slot + SLOT_TREE_A * W, spec), 0))
        b = int(lane(load(scratch, slot + SLOT_TREE_B * W, spec), 0))
        if tree_of(ints, a) >= 0 and is_asleep(ints, data, a, spec):
            wake(ints, data, a, spec)
            woken = True
        if tree_of(ints, b) >= 0 and is_asleep(ints, data, b, spec):
            wake(ints, data, b, spec)
            woken = True
    return woken
