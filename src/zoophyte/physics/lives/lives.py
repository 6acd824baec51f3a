"""Main loop of a herd: every creature of a block lives its own life until one of them ends.

    look → command → step → count

A life ends when it has lived as long as asked, or fell, strayed, idled, diverged, overflowed or cheated.  Then the kernel
returns, so that the lane can be given to the next creature; what the others have lived stays as it is.
"""

from __future__ import annotations

from zoophyte.model.herd.life_layout import (
    ALIVE,
    CAUSE,
    FEATURE_FLOWS,
    FEATURE_LATE,
    FEATURE_TICKS,
    FEATURE_WORK,
    LIFE_FEATURES,
    LIFE_HEAD,
    LIVING,
    STEP,
)
from zoophyte.model.layout import LIFE
from zoophyte.numbers import Array, Mask, Spec, both, load, number, store, where, width
from zoophyte.physics.contact.slots import prepare_slots
from zoophyte.physics.contact.touch import push_apart, touching_step
from zoophyte.physics.contact.ways import note_ways
from zoophyte.physics.lives.observe import observe
from zoophyte.physics.lives.tables import flow
from zoophyte.physics.lives.ticks import begin_late, tick
from zoophyte.physics.lives.work import add_work


def lives(ints: Array, data: Array, scratch: Array, terrain: Array, steps: int, spec: Spec) -> int:
    """Advance every creature by `steps` steps, or until the first life ends; the number of steps done.

    With a negative number nothing moves: the contacts of the present state are found, as LOOK does in one world.
    """
    prepare_slots(ints, scratch, spec)
    note_ways(ints, data, scratch, spec)
    if steps < 0:
        push_apart(ints, data, scratch, terrain, steps, spec)
        return 0
    features = ints[ints[LIFE] + LIFE_FEATURES]
    for n in range(steps):
        if observe(ints, data, scratch, spec):
            return n
        if features & FEATURE_TICKS:
            tick(ints, data, scratch, terrain, spec)
        if features & FEATURE_FLOWS:
            flow(ints, data, spec)
        if features & FEATURE_LATE:
            begin_late(ints, data, spec)
        touching_step(ints, data, scratch, terrain, spec)
        if features & FEATURE_WORK:
            add_work(ints, data, spec)
        count(ints, data, spec)
    observe(ints, data, scratch, spec)
    return steps


def living(ints: Array, data: Array, spec: Spec) -> Mask:
    """Where there is somebody, and alive."""
    W, head = width(spec), ints[ints[LIFE] + LIFE_HEAD]
    alive, cause = load(data, head + ALIVE * W, spec), load(data, head + CAUSE * W, spec)
    return both(alive > number(0.5, alive), cause <= number(LIVING, cause))


def count(ints: Array, data: Array, spec: Spec) -> None:
    """One step more for those who live."""
    W, head = width(spec), ints[ints[LIFE] + LIFE_HEAD]
    step = load(data, head + STEP * W, spec)
    one, zero = number(1.0, step), number(0.0, step)
    store(data, head + STEP * W, step + where(living(ints, data, spec), one, zero), spec)
