"""The loop that all lives go through: a World, a Herd, an environment, a creature that is judged by evolution.

    observe → command → step → count

A life that is observed ends when it has lived as long as asked, or fell, strayed, idled, diverged, overflowed or cheated.
Then the kernel returns, so that the lane can be given to the next creature; what the others have lived stays as it is.
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
from zoophyte.model.layout import (
    COMMAND,
    CONTACT,
    DOF_SIZE,
    FLAG_NOTED,
    FLAGS,
    LIFE,
    LINK_COUNT,
    NV,
    ROW_DATA,
    ROW_KIND,
    ROW_V,
    V_COUNT,
)
from zoophyte.numbers import Array, Mask, Spec, both, load, number, store, where, width
from zoophyte.physics.contact.slots import lacks_room
from zoophyte.physics.contact.touch import begin_contacts
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.lives.observe import observe
from zoophyte.physics.lives.tables import flow
from zoophyte.physics.lives.ticks import begin_late, tick
from zoophyte.physics.lives.work import add_work
from zoophyte.physics.notes import note_step
from zoophyte.physics.step import step


def live(
    ints: Array, data: Array, scratch: Array, terrain: Array, orders: Array, steps: int, spec: Spec
) -> int:
    """Advance every creature by `steps` steps of DT, or until the first life ends; the number of steps done.

    The kernel also returns where a step lacks room for its contacts, which has moved nothing then, and where a log is full.
    Creatures without a life section, those of a World, are not observed and live to the end.

    Args:
        ints: tables of integers.
        data: what the creatures are and where.
        scratch: room to work.
        terrain: heights of the ground.
        orders: a value of the command for every step and degree of freedom; or empty; or, where steps are noted, their log.
        steps: how many.
        spec: how creatures stand side by side.
    """
    if ints[CONTACT] > 0:
        begin_contacts(ints, data, scratch, spec)
    observed, features = ints[LIFE] > 0, life_features(ints)
    noted = ints[FLAGS] & FLAG_NOTED != 0
    for n in range(steps):
        if observed and observe(ints, data, scratch, spec):
            return n
        if len(orders) > 0 and not noted:
            obey(ints, data, orders, n * ints[NV] * width(spec), spec)
        if not live_step(ints, data, scratch, terrain, features, spec):
            return n
        if noted and note_step(ints, data, scratch, orders, spec):
            return n + 1
    if observed:
        observe(ints, data, scratch, spec)
    return steps


def life_features(ints: Array) -> int:
    """What the lives of a block have beside a body: none where there is no life section."""
    return ints[ints[LIFE] + LIFE_FEATURES] if ints[LIFE] > 0 else 0


def live_step(ints: Array, data: Array, scratch: Array, terrain: Array, features: int, spec: Spec) -> bool:
    """Command, step and count; returns whether the step was done: it is not where it lacks room for its contacts."""
    if features & FEATURE_TICKS:
        tick(ints, data, scratch, terrain, spec)
    if features & FEATURE_FLOWS:
        flow(ints, data, spec)
    if features & FEATURE_LATE:
        begin_late(ints, data, spec)
    step(ints, data, scratch, terrain, spec)
    if ints[CONTACT] > 0 and lacks_room(ints, data, spec):
        return False
    if features & FEATURE_WORK:
        add_work(ints, data, spec)
    if ints[LIFE] > 0:
        count(ints, data, spec)
    return True


def living(ints: Array, data: Array, spec: Spec) -> Mask:
    """Where there is somebody, and alive."""
    W, head = width(spec), ints[ints[LIFE] + LIFE_HEAD]
    alive, cause = load(data, head + ALIVE * W, spec), load(data, head + CAUSE * W, spec)
    return both(alive > number(0.5, alive), cause <= number(LIVING, cause))


def count(ints: Array, data: Array, spec: Spec) -> None:
    """One step more for those who live."""
    W, head = width(spec), ints[ints[LIFE] + LIFE_HEAD]
    done = load(data, head + STEP * W, spec)
    one, zero = number(1.0, done), number(0.0, done)
    store(data, head + STEP * W, done + where(living(ints, data, spec), one, zero), spec)


def obey(ints: Array, data: Array, orders: Array, first: int, spec: Spec) -> None:
    """Take the values of all commands from a row of orders."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind = ints[i + ROW_KIND]
        dof = ints[i + ROW_DATA] + first_dof(kind) * W
        for n in range(V_COUNT[kind]):
            value = load(orders, first + (ints[i + ROW_V] + n) * W, spec)
            store(data, dof + (n * DOF_SIZE + COMMAND) * W, value, spec)
