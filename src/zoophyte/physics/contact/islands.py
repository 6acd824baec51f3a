"""Islands and sleep, for scenes of many trees: what does not touch is solved apart, and what rests is left alone.

An island is a set of trees that contacts or constraints join.  Sweeps end and energy is guarded island by island.  An island
whose trees have all been slow for a while falls asleep: it is not moved and its contacts are not solved, until something
that is awake touches it.  A block of creatures side by side, and a world of few trees, is one island that never sleeps.
"""

from __future__ import annotations

from zoophyte.model.contact_layout import (
    AXIS_LINK,
    AXIS_ROW_SIZE,
    AXIS_ROWS,
    FEATURE_SLEEP,
    FEATURES,
    HEAD_START,
    ISLAND_COUNT,
    ISLAND_LABELS,
    ISLAND_RECORD,
    ISLAND_START,
    KEYS_PER_PAIR,
    KEYS_PER_SHAPE,
    MEMORY_KEY,
    MEMORY_RECORD,
    MEMORY_ROOM,
    MEMORY_START,
    MERGE_START,
    PATH_ISLAND,
    PATH_ROW_SIZE,
    PATH_ROWS,
    SHAPE_COUNT,
    SHAPE_ROW_SIZE,
    SHAPE_ROWS,
    SHAPE_TREE,
    SLEEP_ASLEEP,
    SLEEP_ISLAND,
    SLEEP_REACH,
    SLEEP_RECORD,
    SLEEP_RESTLESS,
    SLEEP_SPEED,
    SLEEP_START,
    SLEEP_TIMER,
    SLOT_TREE_A,
    SLOT_TREE_B,
)
from zoophyte.model.layout import (
    APPLIED,
    CONTACT,
    DOF_SIZE,
    DT,
    FLAG_DRIVEN,
    FLAGS,
    FREE,
    HINGE,
    LINK_COUNT,
    ROW_DATA,
    ROW_KIND,
    V_COUNT,
    VELOCITY,
    called,
)
from zoophyte.numbers import (
    Array,
    Number,
    Spec,
    absolute,
    any_lane,
    lane,
    load,
    maximum,
    number,
    store,
    where,
    width,
)
from zoophyte.numbers.units import unit
from zoophyte.physics.contact.slots import slot_offset
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.presence import has_islands, sleeps

REST_TIME = 0.5
"""Time that all trees of an island must be slow before it falls asleep [s]."""


def tree_of(ints: Array, link: int) -> int:
    """The number of the tree of a link; −1 for scenery."""
    return ints[ints[ints[CONTACT] + PATH_ROWS] + link * PATH_ROW_SIZE + PATH_ISLAND]


def island_record(ints: Array, tree: int, spec: Spec) -> int:
    """Where the sums of the island of a tree lie in `scratch`."""
    c = ints[CONTACT]
    if ints[c + ISLAND_COUNT] == 1:
        return ints[c + ISLAND_START]
    label = ints[ints[c + ISLAND_LABELS] + tree]
    return ints[c + ISLAND_START] + label * ISLAND_RECORD * width(spec)


def axis_island(ints: Array, a: int, spec: Spec) -> int:
    """Where the sums of the island of an axis lie in `scratch`."""
    link = ints[ints[ints[CONTACT] + AXIS_ROWS] + a * AXIS_ROW_SIZE + AXIS_LINK]
    return island_record(ints, tree_of(ints, link), spec)


def slot_island(ints: Array, scratch: Array, slot: int, spec: Spec) -> int:
    """Where the sums of the island of a slot lie in `scratch`."""
    W, c = width(spec), ints[CONTACT]
    if ints[c + ISLAND_COUNT] == 1:
        return ints[c + ISLAND_START]
    tree = tree_of(ints, int(lane(load(scratch, slot + SLOT_TREE_A * W, spec), 0)))
    if tree < 0:
        tree = tree_of(ints, int(lane(load(scratch, slot + SLOT_TREE_B * W, spec), 0)))
    return island_record(ints, max(tree, 0), spec)


def root(ints: Array, labels: int, tree: int) -> int:
    """The tree that stands for the island of `tree`; the way there is shortened."""
    while ints[labels + tree] != tree:
        ints[labels + tree] = ints[labels + ints[labels + tree]]
        tree = ints[labels + tree]
    return tree


@unit(called("join"), has_islands)
def join(ints: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """Label every tree with its island, the lowest tree in it."""
    W, c = width(spec), ints[CONTACT]
    labels, count = ints[c + ISLAND_LABELS], ints[c + ISLAND_COUNT]
    for tree in range(count):
        ints[labels + tree] = tree
    for k in range(slots):
        slot = slot_offset(ints, k)
        a = tree_of(ints, int(lane(load(scratch, slot + SLOT_TREE_A * W, spec), 0)))
        b = tree_of(ints, int(lane(load(scratch, slot + SLOT_TREE_B * W, spec), 0)))
        if a >= 0 and b >= 0:
            a, b = root(ints, labels, a), root(ints, labels, b)
            ints[labels + max(a, b)] = min(a, b)
    for tree in range(count):
        ints[labels + tree] = root(ints, labels, tree)


# ------------------------------------------------------------------------------------------------------------- sleep


def sleep_record(ints: Array, tree: int, spec: Spec) -> int:
    """Where the sleep of a tree lies in `data`."""
    return ints[ints[CONTACT] + SLEEP_START] + tree * SLEEP_RECORD * width(spec)


def is_asleep(ints: Array, data: Array, link: int, spec: Spec) -> bool:
    """Whether the tree of a link sleeps; scenery counts as sleeping."""
    if not ints[ints[CONTACT] + FEATURES] & FEATURE_SLEEP:
        return False
    tree = tree_of(ints, link)
    return (
        tree < 0 or lane(load(data, sleep_record(ints, tree, spec) + SLEEP_ASLEEP * width(spec), spec), 0) > 0
    )


def wake(ints: Array, data: Array, link: int, spec: Spec) -> None:
    """Wake the whole island in which the tree of a link fell asleep."""
    W, c = width(spec), ints[CONTACT]
    tree = tree_of(ints, link)
    if tree < 0:
        return
    island = load(data, sleep_record(ints, tree, spec) + SLEEP_ISLAND * W, spec)
    zero = number(0.0, island)
    for other in range(ints[c + ISLAND_COUNT]):
        s = sleep_record(ints, other, spec)
        if lane(load(data, s + SLEEP_ISLAND * W, spec), 0) == lane(island, 0):
            store(data, s + SLEEP_ASLEEP * W, zero, spec)
            store(data, s + SLEEP_TIMER * W, zero, spec)


def everyone_sleeps(ints: Array, data: Array, spec: Spec) -> bool:
    """Whether nothing is awake and nothing moves the scenery, so that a step changes the time and nothing else."""
    c = ints[CONTACT]
    if not ints[c + FEATURES] & FEATURE_SLEEP or ints[FLAGS] & FLAG_DRIVEN:
        return False
    for tree in range(ints[c + ISLAND_COUNT]):
        asleep = load(data, sleep_record(ints, tree, spec) + SLEEP_ASLEEP * width(spec), spec)
        if lane(asleep, 0) == 0:
            return False
    return True


def wake_pushed(ints: Array, data: Array, spec: Spec) -> None:
    """Wake sleepers on whose coordinates a force is applied."""
    W = width(spec)
    if not ints[ints[CONTACT] + FEATURES] & FEATURE_SLEEP:
        return
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind = ints[i + ROW_KIND]
        dof = ints[i + ROW_DATA] + first_dof(kind) * W
        pushed = False
        for n in range(V_COUNT[kind]):
            applied = load(data, dof + (n * DOF_SIZE + APPLIED) * W, spec)
            pushed = pushed or any_lane(absolute(applied) > number(0.0, applied))
        if pushed and is_asleep(ints, data, link, spec):
            wake(ints, data, link, spec)


def still_sleepers(ints: Array, data: Array, spec: Spec) -> None:
    """What sleeps does not fall: its free velocities are zero."""
    W = width(spec)
    if not ints[ints[CONTACT] + FEATURES] & FEATURE_SLEEP:
        return
    zero = number(0.0, load(data, 0, spec))
    for link in range(1, ints[LINK_COUNT]):
        if is_asleep(ints, data, link, spec):
            i = row(ints, link)
            kind = ints[i + ROW_KIND]
            dof = ints[i + ROW_DATA] + first_dof(kind) * W
            for n in range(V_COUNT[kind]):
                store(data, dof + (n * DOF_SIZE + VELOCITY) * W, zero, spec)


@unit(called("fall_asleep"), sleeps)
def fall_asleep(ints: Array, data: Array, spec: Spec) -> None:
    """Count for every tree how long it has been slow; islands in which all have been slow long enough fall asleep."""
    W, c = width(spec), ints[CONTACT]
    count, labels = ints[c + ISLAND_COUNT], ints[c + ISLAND_LABELS]
    dt, limit = load(data, DT * W, spec), load(data, ints[c + HEAD_START] + SLEEP_SPEED * W, spec)
    zero, one = number(0.0, dt), number(1.0, dt)
    for tree in range(count):
        s = sleep_record(ints, tree, spec) + SLEEP_TIMER * W
        store(data, s, load(data, s, spec) + dt, spec)
    for link in range(1, ints[LINK_COUNT]):
        s = sleep_record(ints, tree_of(ints, link), spec)
        fast = link_speed(ints, data, link, load(data, s + SLEEP_REACH * W, spec), spec) > limit
        timer = load(data, s + SLEEP_TIMER * W, spec)
        restless = load(data, s + SLEEP_RESTLESS * W, spec) > zero
        store(data, s + SLEEP_TIMER * W, where(fast, zero, where(restless, zero, timer)), spec)
    for tree in range(count):  # an island is as tired as its liveliest tree
        own = sleep_record(ints, tree, spec)
        first = sleep_record(ints, ints[labels + tree], spec)
        timer, least = load(data, own + SLEEP_TIMER * W, spec), load(data, first + SLEEP_TIMER * W, spec)
        store(data, first + SLEEP_TIMER * W, where(timer < least, timer, least), spec)
    for tree in range(count):
        own, label = sleep_record(ints, tree, spec), ints[labels + tree]
        tired = load(data, sleep_record(ints, label, spec) + SLEEP_TIMER * W, spec)
        if lane(load(data, own + SLEEP_ASLEEP * W, spec), 0) == 0 and lane(tired, 0) > lane(
            number(REST_TIME, dt), 0
        ):
            store(data, own + SLEEP_ASLEEP * W, one, spec)
            store(data, own + SLEEP_ISLAND * W, number(label, dt), spec)


def link_speed(ints: Array, data: Array, link: int, reach: Number, spec: Spec) -> Number:
    """The fastest coordinate of a link, turns counted at the reach of its tree [m/s]."""
    W, i = width(spec), row(ints, link)
    kind = ints[i + ROW_KIND]
    dof = ints[i + ROW_DATA] + first_dof(kind) * W
    fastest = number(0.0, reach)
    for n in range(V_COUNT[kind]):
        v = absolute(load(data, dof + (n * DOF_SIZE + VELOCITY) * W, spec))
        turns = (kind == FREE and n < 3) or kind == HINGE or V_COUNT[kind] == 3
        fastest = maximum(v * reach if turns else v, fastest)
    return fastest


# ------------------------------------------------------------------------------------------- what sleepers remember


def key_sleeps(ints: Array, data: Array, key: int, spec: Spec) -> bool:
    """Whether a remembered contact lies between sleepers (or a sleeper and scenery or ground)."""
    c = ints[CONTACT]
    shapes = ints[c + SHAPE_COUNT]
    if key < 0:
        return False
    beyond = key - shapes * KEYS_PER_SHAPE
    if beyond < 0:
        return is_asleep(ints, data, shape_tree(ints, key // KEYS_PER_SHAPE), spec)
    pair = beyond // KEYS_PER_PAIR
    first, second = pair // shapes, pair % shapes
    return is_asleep(ints, data, shape_tree(ints, first), spec) and is_asleep(
        ints, data, shape_tree(ints, second), spec
    )


def shape_tree(ints: Array, shape: int) -> int:
    """The link of a shape."""
    from_rows = ints[ints[CONTACT] + SHAPE_ROWS] + shape * SHAPE_ROW_SIZE
    return ints[from_rows + SHAPE_TREE]


@unit(called("merge_memory"), sleeps)
def merge_memory(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Put what sleepers remembered in the last step among what was just remembered, in the order of keys.

    Before, the old memory lies in the merge area; after, the memory holds both.
    """
    W, c = width(spec), ints[CONTACT]
    memory, merge = ints[c + MEMORY_START], ints[c + MERGE_START]
    old, new = int(lane(load(scratch, merge, spec), 0)), int(lane(load(data, memory, spec), 0))
    # Sleepers first move to the front of the old list; then both lists are merged from their ends.
    kept = 0
    for n in range(old):
        key = int(lane(load(scratch, merge + (1 + n * MEMORY_RECORD + MEMORY_KEY) * W, spec), 0))
        if key_sleeps(ints, data, key, spec) and new + kept < ints[c + MEMORY_ROOM]:
            for m in range(MEMORY_RECORD):
                value = load(scratch, merge + (1 + n * MEMORY_RECORD + m) * W, spec)
                store(scratch, merge + (1 + kept * MEMORY_RECORD + m) * W, value, spec)
            kept += 1
    total = new + kept
    store(data, memory, number(total, load(data, memory, spec)), spec)
    while kept > 0:
        total -= 1
        from_old = scratch_key(scratch, merge, kept - 1, spec)
        if new > 0 and scratch_key(data, memory, new - 1, spec) > from_old:
            new -= 1
            copy_record(data, memory, new, data, memory, total, spec)
        else:
            kept -= 1
            copy_record(scratch, merge, kept, data, memory, total, spec)


def scratch_key(array: Array, start: int, n: int, spec: Spec) -> Number:
    """Key of a remembered contact."""
    return lane(load(array, start + (1 + n * MEMORY_RECORD + MEMORY_KEY) * width(spec), spec), 0)


def copy_record(source: Array, start: int, n: int, target: Array, place: int, m: int, spec: Spec) -> None:
    """One remembered contact from a list to another."""
    W = width(spec)
    for field in range(MEMORY_RECORD):
        value = load(source, start + (1 + n * MEMORY_RECORD + field) * W, spec)
        store(target, place + (1 + m * MEMORY_RECORD + field) * W, value, spec)


@unit(called("set_memory_aside"), sleeps)
def set_memory_aside(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Copy the memory to the merge area before it is written anew."""
    W, c = width(spec), ints[CONTACT]
    memory, merge = ints[c + MEMORY_START], ints[c + MERGE_START]
    count = int(lane(load(data, memory, spec), 0))
    for n in range(1 + count * MEMORY_RECORD):
        store(scratch, merge + n * W, load(data, memory + n * W, spec), spec)
