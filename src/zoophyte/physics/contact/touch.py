"""What the stages of a step do where there is contact.

The free velocities are what forces alone would make; the law of response adds the impulses of contacts, constraints, limits
and dry friction to them; positions then move with the result.  What is left of depth is corrected in positions alone.
"""

from __future__ import annotations

from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.vectors import add, scale
from zoophyte.model.contact_layout import (
    AXIS_COUNT,
    AXIS_FRICTION_IMPULSE,
    AXIS_IMPULSE,
    FEATURE_BROAD,
    FEATURE_RESTITUTION,
    FEATURE_SLEEP,
    FEATURES,
    GROUND_KIND,
    HEAD_START,
    HOLD_COUNT,
    ISLAND_COUNT,
    MEMORY_FORCE,
    MEMORY_KEY,
    MEMORY_RECORD,
    MEMORY_START,
    NO_GROUND,
    PAIR_COUNT,
    SLOT_BOUNCED,
    SLOT_COUNT,
    SLOT_FRAME,
    SLOT_IMPULSE,
    SLOT_KEY,
    SLOT_TREE_A,
    SLOT_TREE_B,
    WORK_COUNT,
)
from zoophyte.model.layout import (
    CONTACT,
    DT,
    called,
)
from zoophyte.numbers import (
    Array,
    Number,
    Spec,
    any_lane,
    both,
    lane,
    load,
    negated,
    number,
    store,
    width,
)
from zoophyte.numbers.memory import load3, load9, store3
from zoophyte.numbers.primitives import LAW_NUMBER, call_response_law
from zoophyte.numbers.units import LAWS, NO_LAW, unit
from zoophyte.physics.contact.axes import (
    axis_memory,
    axis_offset,
    leave_limits,
    meet_limits,
)
from zoophyte.physics.contact.correction.correct import correct, correct_where_needed
from zoophyte.physics.contact.detect.ground import meet_ground
from zoophyte.physics.contact.detect.holds import meet_holds
from zoophyte.physics.contact.detect.pairs import meet_others
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
    prepare_slots,
    recall,
    slot_offset,
    slots_in_use,
    work,
)
from zoophyte.physics.contact.solver import solve
from zoophyte.physics.contact.ways import note_ways
from zoophyte.physics.dynamics.again import forward_dynamics_again
from zoophyte.physics.dynamics.forward import forward_dynamics
from zoophyte.physics.dynamics.kinematics import velocities_in_place, world_poses
from zoophyte.physics.dynamics.screws import make_screws
from zoophyte.physics.presence import has_contact

# ------------------------------------------------------------------------------------------------------------ the stages


@unit(called("begin_contacts"), has_contact)
def begin_contacts(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Sets what scratch must hold before the first of many steps; it may hold numbers of another block."""
    prepare_slots(ints, scratch, spec)
    note_ways(ints, data, scratch, spec)


def rest(ints: Array, data: Array, scratch: Array, spec: Spec) -> bool:
    """Whether everyone sleeps, so that a step changes the time and nothing else."""
    if ints[CONTACT] == 0:
        return False
    wake_pushed(ints, data, spec)
    if not everyone_sleeps(ints, data, spec):
        return False
    none = number(0.0, load(data, 0, spec))
    store(data, ints[ints[CONTACT] + HEAD_START] + SLOT_COUNT * width(spec), none, spec)
    still_sleepers(ints, data, spec)
    return True


@unit(called("refine"), has_contact)
def refine(ints: Array, data: Array, scratch: Array, spec: Spec) -> bool:
    """Accelerations at the velocities half-way through the step, where joints turn fast; whether any do.

    Velocities lie half a step before positions in this kind of step (leapfrog); velocity products at the velocities before
    would be those of another time, and a fast chain would gain energy faster still.
    """
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


def find_contacts(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> int:
    """Fill the slots with what touches, or may within the step; sleepers that are touched wake."""
    slots = look_around(ints, data, scratch, terrain, spec)
    while wake_touched(ints, data, scratch, slots, spec):
        slots = look_around(ints, data, scratch, terrain, spec)  # now with all that its sleep had left out
    return slots


@unit(called("look_around"), has_contact)
def look_around(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> int:
    """Fill the slots with what touches, or may within the step; how many are in use."""
    c = ints[CONTACT]
    world_poses(ints, data, scratch, spec)
    begin_slots(ints, scratch, spec)
    if ints[c + HOLD_COUNT] > 0:
        meet_holds(ints, data, scratch, spec)
    if ints[c + GROUND_KIND] != NO_GROUND:
        meet_ground(ints, data, scratch, terrain, spec)
    if ints[c + PAIR_COUNT] > 0 or ints[c + FEATURES] & FEATURE_BROAD:
        meet_others(ints, data, scratch, spec)
    slots = slots_in_use(ints, scratch, spec)
    recall(ints, data, scratch, slots, spec)
    return slots


@unit(called("find_impulses"), has_contact)
def find_impulses(ints: Array, data: Array, scratch: Array, slots: int, refined: bool, spec: Spec) -> bool:
    """Free velocities, then the impulses of the law of response; whether there was anything to solve."""
    limited = meet_limits(ints, data, scratch, spec)
    if lacks_room(ints, data, spec):
        return False  # nothing has moved yet
    free_velocities(ints, data, scratch, refined, spec)
    still_sleepers(ints, data, spec)
    solved = slots > 0 or limited
    if solved:
        if ints[ints[CONTACT] + ISLAND_COUNT] > 1:
            join(ints, scratch, slots, spec)
        if ints[LAWS] > 0 and ints[ints[LAWS] + 1 + LAW_NUMBER] != NO_LAW:
            call_response_law(ints, ints[LAWS] + 1, data, scratch, slots, spec)
        else:
            solve(ints, data, scratch, slots, spec)
    remember(ints, data, scratch, slots, spec)
    if ints[ints[CONTACT] + FEATURES] & FEATURE_SLEEP:
        fall_asleep(ints, data, spec)
    return solved


@unit(called("go_on"), has_contact)
def go_on(ints: Array, data: Array, scratch: Array, slots: int, solved: bool, spec: Spec) -> None:
    """Positions move with the velocities; then what is too deep is corrected."""
    move(ints, data, spec)
    if solved:
        correct_where_needed(ints, data, scratch, slots, spec)


# ------------------------------------------------------------------------------------------------------ entries of their own


def look(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> None:
    """Find the contacts of the present state; nothing moves."""
    begin_contacts(ints, data, scratch, spec)
    see(ints, data, scratch, terrain, spec)


def push_apart(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> None:
    """Push shapes that overlap apart a little: positions are corrected along contacts, and velocities carried along."""
    begin_contacts(ints, data, scratch, spec)
    slots = see(ints, data, scratch, terrain, spec)
    if lacks_room(ints, data, spec):
        return
    leave_limits(ints, scratch, spec)
    zero = number(0.0, load(data, 0, spec))
    everywhere = zero >= zero
    correct(ints, data, scratch, slots, everywhere, negated(everywhere), spec)


def see(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> int:
    """The contacts of the present state, with their rows; how many slots are in use."""
    forward_dynamics(ints, data, scratch, spec)
    slots = look_around(ints, data, scratch, terrain, spec)
    count = load(scratch, work(ints, WORK_COUNT, spec), spec)
    store(data, ints[ints[CONTACT] + HEAD_START] + SLOT_COUNT * width(spec), count, spec)
    make_screws(ints, data, scratch, spec)
    for k in range(slots):
        slot_rows(ints, scratch, k, spec)
    return slots


# ------------------------------------------------------------------------------------------------- what is remembered


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
