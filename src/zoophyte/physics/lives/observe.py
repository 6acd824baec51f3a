"""Looking at lives now and then: samples for fitness, stops, audits.

Most steps pass unseen: sums over the links cost a tenth of a step, so they are made when a sample or a check is due.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.vectors import dot
from zoophyte.model.contact_layout import HEAD_START, HOLD_COUNT, OVERFLOW, SLOT_COUNT, SLOT_GAP
from zoophyte.model.herd.life_layout import (
    ALIVE,
    BIRTH_0,
    CAUSE,
    CHECK_EVERY,
    COM_0,
    DEEPEST,
    DEPTH_BOUND,
    DIVERGED,
    EFFORT,
    ENDED,
    ENERGY,
    ENERGY_AT_BIRTH,
    FALL_HEIGHT,
    FALL_UPRIGHT,
    FELL,
    GAIN,
    GAIN_BOUND,
    GAIN_SHARE,
    GAINED,
    HIGHEST,
    IDLE,
    LAST_STEP,
    LEAST_MOTION,
    LIFE_HEAD,
    LIFE_SAMPLE_ROOM,
    LIFE_SAMPLES,
    LIFE_TOTALS,
    LOWEST,
    NEXT_SAMPLE,
    OVERFLOWED,
    PATH,
    RACED,
    RANGE,
    ROOT,
    SAMPLE_COM,
    SAMPLE_EVERY,
    SAMPLE_ROOT,
    SAMPLE_SIZE,
    SAMPLE_UPRIGHT,
    SAMPLE_WORK,
    SAMPLES,
    SANK,
    SEEN,
    SETTLE,
    SPEED_BOUND,
    STEP,
    STRAYED,
    TOP_SPEED,
    TOTAL,
    UP_0,
    WINDOW,
    WINDOW_0,
    WINDOW_END,
    WORK,
)
from zoophyte.model.layout import (
    CONTACT,
    FAILED_LINK,
    LIFE,
    LINK_COUNT,
    ROW_SCRATCH,
    WORLD_P,
    WORLD_R,
    V,
    called,
)
from zoophyte.numbers import (
    Array,
    Mask,
    Number,
    Spec,
    any_lane,
    both,
    either,
    floor,
    gather,
    load,
    maximum,
    minimum,
    negated,
    number,
    scatter,
    sqrt,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import gather3, load3
from zoophyte.numbers.primitives import outlined
from zoophyte.numbers.units import unit
from zoophyte.physics.contact.detect.holds import spring_energy
from zoophyte.physics.contact.slots import slot_offset
from zoophyte.physics.dynamics.kinematics import row
from zoophyte.physics.dynamics.totals import ELASTIC, KINETIC, POTENTIAL, totals_at
from zoophyte.physics.lives.creature import lowest_point, mass_centre, note_leap
from zoophyte.physics.lives.pressing import most_of
from zoophyte.physics.presence import has_life


@unit(called("observe"), has_life)
def observe(ints: Array, data: Array, scratch: Array, spec: Spec) -> bool:
    """Look at those for whom something is due; whether any life has ended."""
    W, head = width(spec), ints[ints[LIFE] + LIFE_HEAD]
    step = load(data, head + STEP * W, spec)
    half = number(0.5, step)
    cause = load(data, head + CAUSE * W, spec)
    alive = load(data, head + ALIVE * W, spec) > half
    living = both(alive, cause < half)
    diverged = load(data, FAILED_LINK * W, spec) >= number(0.0, step)
    overflowed = load(data, ints[ints[CONTACT] + HEAD_START] + OVERFLOW * W, spec) > number(0.0, step)
    every = load(data, head + CHECK_EVERY * W, spec)
    due = step - every * floor(step / every) < half
    due = either(due, step >= load(data, head + NEXT_SAMPLE * W, spec))
    due = either(due, step >= load(data, head + LAST_STEP * W, spec))
    due = either(due, either(diverged, overflowed))
    seen = load(data, head + SEEN * W, spec)
    due = both(due, both(living, either(step < seen, step > seen)))
    if any_lane(due):
        store(data, head + SEEN * W, where(due, step, seen), spec)
        look(ints, data, scratch, due, diverged, overflowed, spec)
        cause = load(data, head + CAUSE * W, spec)
    return any_lane(both(alive, cause > half))


@outlined
def look(
    ints: Array, data: Array, scratch: Array, due: Mask, diverged: Mask, overflowed: Mask, spec: Spec
) -> None:
    """Samples, sums and verdicts of the lanes in which something is due."""
    W, section = width(spec), ints[LIFE]
    head, sums = ints[section + LIFE_HEAD], ints[section + LIFE_TOTALS]
    totals_at(ints, data, scratch, scratch, sums, spec)
    if ints[ints[CONTACT] + HOLD_COUNT] > 0:
        elastic = load(scratch, sums + ELASTIC * W, spec) + spring_energy(ints, data, scratch, spec)
        store(scratch, sums + ELASTIC * W, elastic, spec)
    step = load(data, head + STEP * W, spec)
    sound = both(due, both(negated(diverged), negated(overflowed)))
    first = both(sound, step < number(0.5, step))
    total = load(data, head + TOTAL * W, spec)
    x = mass_centre(ints, data, scratch, spec)
    com = (x[0] / total, x[1] / total, x[2] / total)
    root = load(data, head + ROOT * W, spec)
    up = gather3(scratch, root, (WORLD_R + 6) * W, spec)
    keep3(data, head + UP_0 * W, first, up, spec)
    upright = dot(up, load3(data, head + UP_0 * W, spec))
    follow(data, head, sound, first, com, spec)
    note_leap(ints, data, sound, lowest_point(ints, data, scratch, spec), spec)
    caught = audit(ints, data, scratch, head, sums, sound, first, spec)
    stopped = stop(data, head, root, sound, com, upright, scratch, spec)
    over = step >= load(data, head + LAST_STEP * W, spec)
    verdict = where(over, number(ENDED, step), number(0.0, step))
    verdict = where(stopped > number(0.0, step), stopped, verdict)
    verdict = where(caught > number(0.0, step), caught, verdict)
    verdict = where(overflowed, number(OVERFLOWED, step), verdict)
    verdict = where(diverged, number(DIVERGED, step), verdict)
    keep(data, head + CAUSE * W, due, verdict, spec)
    ends = both(sound, verdict > number(0.0, step))
    sample(ints, data, scratch, sound, ends, com, root, upright, spec)


def keep(data: Array, place: int, mask: Mask, x: Number, spec: Spec) -> None:
    """Store `x` where the mask holds."""
    store(data, place, where(mask, x, load(data, place, spec)), spec)


def keep3(data: Array, place: int, mask: Mask, x: Any, spec: Spec) -> None:
    """Store three numbers where the mask holds."""
    W = width(spec)
    keep(data, place, mask, x[0], spec)
    keep(data, place + W, mask, x[1], spec)
    keep(data, place + 2 * W, mask, x[2], spec)


def follow(data: Array, head: int, sound: Mask, first: Mask, com: Any, spec: Spec) -> None:
    """Length of the path, highest and lowest place of the centre of mass."""
    W = width(spec)
    keep3(data, head + COM_0 * W, first, com, spec)
    keep(data, head + BIRTH_0 * W, first, com[0], spec)
    keep(data, head + (BIRTH_0 + 1) * W, first, com[1], spec)
    keep(data, head + WINDOW_0 * W, first, com[0], spec)
    keep(data, head + (WINDOW_0 + 1) * W, first, com[1], spec)
    keep(data, head + HIGHEST * W, first, com[2], spec)
    keep(data, head + LOWEST * W, first, com[2], spec)
    before = load3(data, head + COM_0 * W, spec)
    way = load(data, head + PATH * W, spec) + level_distance(com[0] - before[0], com[1] - before[1])
    keep(data, head + PATH * W, sound, way, spec)
    keep(data, head + HIGHEST * W, sound, maximum(com[2], load(data, head + HIGHEST * W, spec)), spec)
    keep(data, head + LOWEST * W, sound, minimum(com[2], load(data, head + LOWEST * W, spec)), spec)
    keep3(data, head + COM_0 * W, sound, com, spec)


def level_distance(x: Number, y: Number) -> Number:
    """√(x² + y²)."""
    return sqrt(x * x + y * y)


def stop(
    data: Array, head: int, root: Number, sound: Mask, com: Any, upright: Number, scratch: Array, spec: Spec
) -> Number:
    """FELL, STRAYED or IDLE, where a life is not worth going on with; else 0."""
    W = width(spec)
    zero = number(0.0, upright)
    height = gather(scratch, root, (WORLD_P + 2) * W, spec)
    fell = either(
        height < load(data, head + FALL_HEIGHT * W, spec), upright < load(data, head + FALL_UPRIGHT * W, spec)
    )
    away = level_distance(
        com[0] - load(data, head + BIRTH_0 * W, spec), com[1] - load(data, head + (BIRTH_0 + 1) * W, spec)
    )
    strayed = away > load(data, head + RANGE * W, spec)
    step, end = load(data, head + STEP * W, spec), load(data, head + WINDOW_END * W, spec)
    closes = both(sound, step >= end)
    moved = level_distance(
        com[0] - load(data, head + WINDOW_0 * W, spec), com[1] - load(data, head + (WINDOW_0 + 1) * W, spec)
    )
    idle = both(closes, moved < load(data, head + LEAST_MOTION * W, spec))
    keep(data, head + WINDOW_0 * W, closes, com[0], spec)
    keep(data, head + (WINDOW_0 + 1) * W, closes, com[1], spec)
    keep(data, head + WINDOW_END * W, closes, step + load(data, head + WINDOW * W, spec), spec)
    verdict = where(idle, number(IDLE, zero), zero)
    verdict = where(strayed, number(STRAYED, zero), verdict)
    return where(sound, where(fell, number(FELL, zero), verdict), zero)


def audit(
    ints: Array, data: Array, scratch: Array, head: int, sums: int, sound: Mask, first: Mask, spec: Spec
) -> Number:
    """GAINED, RACED or SANK where a life has left physics; else 0."""
    W = width(spec)
    energy = (load(scratch, sums + KINETIC * W, spec) + load(scratch, sums + POTENTIAL * W, spec)) + load(
        scratch, sums + ELASTIC * W, spec
    )
    zero = number(0.0, energy)
    keep(data, head + ENERGY_AT_BIRTH * W, first, energy, spec)
    keep(data, head + ENERGY * W, sound, energy, spec)
    work, effort = load(data, head + WORK * W, spec), load(data, head + EFFORT * W, spec)
    gain = (energy - load(data, head + ENERGY_AT_BIRTH * W, spec)) - work
    keep(data, head + GAIN * W, sound, maximum(gain, load(data, head + GAIN * W, spec)), spec)
    bound = load(data, head + GAIN_BOUND * W, spec) + load(data, head + GAIN_SHARE * W, spec) * effort
    speed, depth = fastest(ints, scratch, spec), deepest(ints, data, scratch, spec)
    keep(data, head + TOP_SPEED * W, sound, maximum(speed, load(data, head + TOP_SPEED * W, spec)), spec)
    keep(data, head + DEEPEST * W, sound, maximum(depth, load(data, head + DEEPEST * W, spec)), spec)
    verdict = where(gain > bound, number(GAINED, zero), zero)
    verdict = where(speed > load(data, head + SPEED_BOUND * W, spec), number(RACED, zero), verdict)
    verdict = where(depth > load(data, head + DEPTH_BOUND * W, spec), number(SANK, zero), verdict)
    return where(sound, verdict, zero)


def fastest(ints: Array, scratch: Array, spec: Spec) -> Number:
    """Speed of the fastest link's origin [m/s]."""
    W = width(spec)
    most = number(0.0, load(scratch, 0, spec))
    for link in range(1, ints[LINK_COUNT]):
        v = load3(scratch, ints[row(ints, link) + ROW_SCRATCH] + (V + 3) * W, spec)
        most = maximum(dot(v, v), most)
    return sqrt(most)


def deepest(ints: Array, data: Array, scratch: Array, spec: Spec) -> Number:
    """How deep two shapes were in each other when the last step began [m]."""
    W = width(spec)
    count = load(data, ints[ints[CONTACT] + HEAD_START] + SLOT_COUNT * W, spec)
    depth = number(0.0, count)
    for k in range(most_of(count)):
        gap = load(scratch, slot_offset(ints, k) + SLOT_GAP * W, spec)
        depth = where(number(k, count) < count, maximum(-gap, depth), depth)
    return depth


def sample(
    ints: Array, data: Array, scratch: Array, sound: Mask, ends: Mask, com: Any, root: Number, upright: Number, spec: Spec
) -> None:  # fmt: skip
    """Write a sample where one is due or the life ends here."""
    W, section = width(spec), ints[LIFE]
    head = ints[section + LIFE_HEAD]
    step, due = load(data, head + STEP * W, spec), load(data, head + NEXT_SAMPLE * W, spec)
    one = number(1.0, step)
    take = both(sound, either(step >= due, ends))
    if any_lane(take):
        written = load(data, head + SAMPLES * W, spec)
        # What does not count goes to one sample more than there is room for.
        room = number(ints[section + LIFE_SAMPLE_ROOM], step)
        place = where(both(take, written < room), written, room) * number(SAMPLE_SIZE * W, step)
        start = ints[section + LIFE_SAMPLES]
        p = gather3(scratch, root, WORLD_P * W, spec)
        for n in range(3):
            scatter(data, place, start + (SAMPLE_COM + n) * W, com[n], spec)
            scatter(data, place, start + (SAMPLE_ROOT + n) * W, p[n], spec)
        scatter(data, place, start + SAMPLE_UPRIGHT * W, upright, spec)
        scatter(data, place, start + SAMPLE_WORK * W, load(data, head + WORK * W, spec), spec)
        keep(data, head + SAMPLES * W, take, written + one, spec)
        settle = load(data, head + SETTLE * W, spec)
        after = where(step < settle, settle, step + load(data, head + SAMPLE_EVERY * W, spec))
        keep(data, head + NEXT_SAMPLE * W, take, after, spec)
