"""Notes: what a record needs of every step of one life, written by the kernel into a log and read when many steps are lived.

`log`  header | for each constraint whether its break is noted | records, one after the other

===========  =======================================================================================================
FRAME        every STRIDE-th step: clock, sums over the links, q, v, forces of axes, who sleeps, contacts with their forces
RUN          steps in which the same contacts press and the same trees sleep: impulses in the first, the second and the
             last of them, and their sum; it begins with the step in which either changes, and grows while it is the last
BREAK        a spring breaks
===========  =======================================================================================================

Most steps press where the one before did, so that the log of a long rest is one run.  Blocks of one creature have logs.
"""

from __future__ import annotations

from zoophyte.model.contact_layout import (
    AXIS_COUNT,
    AXIS_MEMORY,
    FEATURE_SLEEP,
    FEATURES,
    HEAD_START,
    HOLD_BROKEN,
    HOLD_COUNT,
    HOLD_DATA,
    HOLD_ROW_SIZE,
    HOLD_ROWS,
    ISLAND_COUNT,
    OVERFLOW,
    RESIDUAL,
    SLEEP_ASLEEP,
    SLOT_B,
    SLOT_BOUNCED,
    SLOT_COUNT,
    SLOT_FRAME,
    SLOT_GAP,
    SLOT_IMPULSE,
    SLOT_KEY,
    SLOT_KIND,
    SLOT_POINT_B,
)
from zoophyte.model.layout import (
    CONFIGURATION,
    CONTACT,
    COUNT,
    DOF_SIZE,
    DT,
    FAILED_LINK,
    FLAG_NOTED,
    FLAGS,
    LINK_COUNT,
    NQ,
    NV,
    Q_COUNT,
    ROW_DATA,
    ROW_KIND,
    ROW_Q,
    ROW_V,
    START,
    V_COUNT,
    VELOCITY,
    WORLD_P,
    WORLD_R,
    called,
)
from zoophyte.numbers import Array, Spec, load, store
from zoophyte.numbers.primitives import outlined
from zoophyte.numbers.units import unit
from zoophyte.physics.contact.axes import axis_memory
from zoophyte.physics.contact.detect.holds import spring_energy
from zoophyte.physics.contact.islands import sleep_record
from zoophyte.physics.contact.slots import slot_offset
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.dynamics.totals import ELASTIC, TOTALS_SIZE, totals_at

# Header of the log: its end; the run that grows (0: none); steps between frames, and to the next; whether touches and
# breaks are noted; up to where another step is sure to find room; the time at the end of the step.
USED, GROWING, STRIDE, LEFT, WATCHES, LIMIT, TIME, LOG_HEADER = 0, 1, 2, 3, 4, 5, 6, 7
RECORD_SIZE, RECORD_KIND, RECORD_TIME = 0, 1, 2
FRAME, RUN, BREAK = 1, 2, 3
FRAME_START, FRAME_COUNT, FRAME_DT, FRAME_RESIDUAL, FRAME_CONTACTS, FRAME_SUMS = 3, 4, 5, 6, 7, 8
FRAME_Q = FRAME_SUMS + TOTALS_SIZE  # then v, forces of axes, one number per tree that may sleep, contacts
FRAME_KEY, FRAME_GAP, FRAME_POINT, FRAME_FORCE, CONTACT_SIZE = 0, 1, 2, 5, 8
RUN_SPAN, RUN_STEPS, RUN_LAST_SPAN, RUN_TOLD, RUN_KEYS, RUN_TOUCHING, RUN_TREES = 3, 4, 5, 6, 7, 8, 9
# Behind the trees: who presses, with these impulses [N·s]; then the keys of all that touch in the first step.
PRESS_KEY, PRESS_FIRST, PRESS_SECOND, PRESS_LAST, PRESS_SUM, PRESS_SIZE = 0, 1, 2, 3, 4, 5
BREAK_HOLD, BREAK_SIZE = 3, 4


def is_noted(ints: Array) -> bool:
    """Whether steps are noted."""
    return bool(ints[FLAGS] & FLAG_NOTED)


@unit(called("note_step"), is_noted)
def note_step(ints: Array, data: Array, scratch: Array, log: Array, spec: Spec) -> bool:
    """Note the step that ends now; whether life is broken off, of which nothing is noted, or the log is full."""
    c = ints[CONTACT]
    if data[FAILED_LINK] >= 0.0 or (c > 0 and data[ints[c + HEAD_START] + OVERFLOW] > 0.0):
        return True
    log[TIME] = data[START] + data[COUNT] * data[DT]
    return note(ints, data, scratch, log, spec)


def note(ints: Array, data: Array, scratch: Array, log: Array, spec: Spec) -> bool:
    """Note a step that ends at log[TIME]; whether the log is full."""
    if log[WATCHES] > 0.0:
        note_presses(ints, data, scratch, log, spec)
        note_breaks(ints, data, log)
    log[LEFT] -= 1.0
    if log[LEFT] < 0.5:
        log[LEFT] = log[STRIDE]
        note_frame(ints, data, scratch, log, spec)
    return log[USED] > log[LIMIT]


def begin_record(log: Array, kind: int) -> int:
    """A new record at the end of the log: where it starts."""
    place = int(log[USED])
    log[place + RECORD_KIND] = kind
    log[place + RECORD_TIME] = log[TIME]
    return place


def end_record(log: Array, place: int, end: int) -> None:
    """The record that starts at `place` ends before `end`."""
    log[place + RECORD_SIZE] = end - place
    log[USED] = end


# ------------------------------------------------------------------------------------------------------------ touches


def sleeping_trees(ints: Array) -> int:
    """How many trees may sleep."""
    c = ints[CONTACT]
    if c == 0 or not ints[c + FEATURES] & FEATURE_SLEEP:
        return 0
    return ints[c + ISLAND_COUNT]


def touches(scratch: Array, slot: int) -> bool:
    """Whether a slot is a contact: no constraint, and no resistance to turning."""
    return scratch[slot + SLOT_KEY] >= 0.0 and scratch[slot + SLOT_KIND] < 0.5


def pressure(scratch: Array, slot: int) -> float:
    """The impulse of a contact along its normal, blows included; 0 where nothing presses."""
    normal = scratch[slot + SLOT_IMPULSE] + scratch[slot + SLOT_BOUNCED]
    return normal if touches(scratch, slot) and normal > 0.0 else 0.0


def slot_count(ints: Array, data: Array) -> int:
    """Slots that the last step has filled."""
    return int(data[ints[ints[CONTACT] + HEAD_START] + SLOT_COUNT])


def note_presses(ints: Array, data: Array, scratch: Array, log: Array, spec: Spec) -> None:
    """Let the run grow by this step; or begin another."""
    run = int(log[GROWING])
    if run > 0 and goes_on(ints, data, scratch, log, run, spec):
        grow(ints, data, scratch, log, run)
    else:
        begin_run(ints, data, scratch, log, spec)


def goes_on(ints: Array, data: Array, scratch: Array, log: Array, run: int, spec: Spec) -> bool:
    """Whether the same contacts press as in the run, and the same trees sleep."""
    trees, keys = sleeping_trees(ints), int(log[run + RUN_KEYS])
    press, found = run + RUN_TREES + trees, 0
    for k in range(slot_count(ints, data)):
        slot = slot_offset(ints, k)
        if pressure(scratch, slot) > 0.0:
            if found == keys or log[press + found * PRESS_SIZE + PRESS_KEY] != scratch[slot + SLOT_KEY]:
                return False
            found += 1
    same = found == keys
    for tree in range(trees):
        same = same and log[run + RUN_TREES + tree] == data[sleep_record(ints, tree, spec) + SLEEP_ASLEEP]
    return same


def grow(ints: Array, data: Array, scratch: Array, log: Array, run: int) -> None:
    """Add the impulses of this step to the run."""
    second = log[run + RUN_STEPS] < 1.5
    press = run + RUN_TREES + sleeping_trees(ints)
    for k in range(slot_count(ints, data)):
        impulse = pressure(scratch, slot_offset(ints, k))
        if impulse > 0.0:
            log[press + PRESS_SUM] += impulse
            log[press + PRESS_LAST] = impulse
            if second:
                log[press + PRESS_SECOND] = impulse
            press += PRESS_SIZE
    log[run + RUN_STEPS] += 1.0
    log[run + RUN_LAST_SPAN] = data[DT]


def begin_run(ints: Array, data: Array, scratch: Array, log: Array, spec: Spec) -> None:
    """A run whose first step is this one."""
    run, trees, slots = begin_record(log, RUN), sleeping_trees(ints), slot_count(ints, data)
    log[GROWING] = run
    log[run + RUN_SPAN] = data[DT]
    log[run + RUN_LAST_SPAN] = data[DT]
    log[run + RUN_STEPS] = 1.0
    log[run + RUN_TOLD] = 0.0
    for tree in range(trees):
        log[run + RUN_TREES + tree] = data[sleep_record(ints, tree, spec) + SLEEP_ASLEEP]
    press, keys, touching = run + RUN_TREES + trees, 0, 0
    for k in range(slots):
        slot = slot_offset(ints, k)
        impulse = pressure(scratch, slot)
        if impulse > 0.0:
            log[press + PRESS_KEY] = scratch[slot + SLOT_KEY]
            log[press + PRESS_FIRST] = impulse
            log[press + PRESS_SECOND] = 0.0
            log[press + PRESS_LAST] = impulse
            log[press + PRESS_SUM] = 0.0
            press += PRESS_SIZE
            keys += 1
    for k in range(slots if trees > 0 else 0):
        slot = slot_offset(ints, k)
        if touches(scratch, slot):
            log[press + touching] = scratch[slot + SLOT_KEY]
            touching += 1
    log[run + RUN_KEYS] = keys
    log[run + RUN_TOUCHING] = touching
    end_record(log, run, press + touching)


def note_breaks(ints: Array, data: Array, log: Array) -> None:
    """The springs that break in this step."""
    c = ints[CONTACT]
    for h in range(ints[c + HOLD_COUNT]):
        broken = data[ints[ints[c + HOLD_ROWS] + h * HOLD_ROW_SIZE + HOLD_DATA] + HOLD_BROKEN] > 0.5
        if broken and log[LOG_HEADER + h] < 0.5:
            log[LOG_HEADER + h] = 1.0
            place = begin_record(log, BREAK)
            log[place + BREAK_HOLD] = h
            end_record(log, place, place + BREAK_SIZE)


# ------------------------------------------------------------------------------------------------------------- frames


@outlined
def note_frame(ints: Array, data: Array, scratch: Array, log: Array, spec: Spec) -> None:
    """The state as it is, and what the last step has solved; poses are computed anew."""
    frame = begin_record(log, FRAME)
    log[frame + FRAME_START] = data[START]
    log[frame + FRAME_COUNT] = data[COUNT]
    log[frame + FRAME_DT] = data[DT]
    log[frame + FRAME_RESIDUAL] = 0.0
    log[frame + FRAME_CONTACTS] = 0.0
    totals_at(ints, data, scratch, log, frame + FRAME_SUMS, spec)
    q = frame + FRAME_Q
    end = note_motion(ints, data, log, q, q + ints[NQ])
    if ints[CONTACT] > 0:
        end = note_solved(ints, data, scratch, log, frame, end, spec)
    end_record(log, frame, end)


def note_motion(ints: Array, data: Array, log: Array, q: int, v: int) -> int:
    """Coordinates and velocities, from q and v on; where they end."""
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        for n in range(Q_COUNT[kind]):
            log[q + ints[i + ROW_Q] + n] = data[d + CONFIGURATION + n]
        for n in range(V_COUNT[kind]):
            log[v + ints[i + ROW_V] + n] = data[d + first_dof(kind) + n * DOF_SIZE + VELOCITY]
    return v + ints[NV]


def note_solved(
    ints: Array, data: Array, scratch: Array, log: Array, frame: int, end: int, spec: Spec
) -> int:
    """What contact has beside the motion, from `end` on; where it ends."""
    c = ints[CONTACT]
    log[frame + FRAME_RESIDUAL] = data[ints[c + HEAD_START] + RESIDUAL]
    if ints[c + HOLD_COUNT] > 0:
        elastic = frame + FRAME_SUMS + ELASTIC
        stored = load(log, elastic, spec) + spring_energy(ints, data, scratch, spec)
        store(log, elastic, stored, spec)
    for a in range(ints[c + AXIS_COUNT]):
        for n in range(AXIS_MEMORY):
            log[end] = data[axis_memory(ints, a, spec) + n]
            end += 1
    for tree in range(sleeping_trees(ints)):
        log[end] = data[sleep_record(ints, tree, spec) + SLEEP_ASLEEP]
        end += 1
    for k in range(slot_count(ints, data)):
        slot = slot_offset(ints, k)
        if touches(scratch, slot):
            note_contact(scratch, log, slot, end, data[DT])
            log[frame + FRAME_CONTACTS] += 1.0
            end += CONTACT_SIZE
    return end


def note_contact(scratch: Array, log: Array, slot: int, place: int, dt: float) -> None:
    """Key, gap, point and force of a contact: p = p_B + R_B x, f = Fᵀ λ / dt."""
    B, F = int(scratch[slot + SLOT_B]), slot + SLOT_FRAME
    log[place + FRAME_KEY] = scratch[slot + SLOT_KEY]
    log[place + FRAME_GAP] = scratch[slot + SLOT_GAP]
    for n in range(3):
        way, impulse = 0.0, 0.0
        for m in range(3):
            along = scratch[slot + SLOT_IMPULSE + m] + scratch[slot + SLOT_BOUNCED + m]
            way += scratch[B + WORLD_R + 3 * n + m] * scratch[slot + SLOT_POINT_B + m]
            impulse += along * scratch[F + 3 * m + n]
        log[place + FRAME_POINT + n] = scratch[B + WORLD_P + n] + way
        log[place + FRAME_FORCE + n] = impulse / dt
