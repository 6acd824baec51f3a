"""Two laws that no body of the library has: each is one function and its numbers, written as a user would."""

from __future__ import annotations

from zoophyte.algebra.rotations import unrotate
from zoophyte.algebra.spatial import spatial, spatial_add
from zoophyte.model.contact_layout import SLOT_BLOCK, SLOT_FREE, SLOT_IMPULSE, WORK_START
from zoophyte.model.layout import (
    CONTACT,
    DOF_SIZE,
    LINK_COUNT,
    NV,
    ROW_DATA,
    ROW_KIND,
    TAU,
    V_COUNT,
    VELOCITY,
)
from zoophyte.numbers import Array, Spec, load, maximum, number, store, where, width
from zoophyte.numbers.memory import load3, store3
from zoophyte.physics.contact.cone import add_normal, normal_motion
from zoophyte.physics.contact.rows import slot_rows
from zoophyte.physics.contact.slots import slot_offset
from zoophyte.physics.contact.solver import add_to_velocities
from zoophyte.physics.contact.sweeps import clear_work
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.dynamics.links import link_of
from zoophyte.physics.dynamics.screws import make_screws, respond

SWEEPS = 60


def steady_wind(ints: Array, data: Array, scratch: Array, first: int, spec: Spec) -> None:
    """A force [N] on the origin of every link, in world axes."""
    force = load3(data, first, spec)
    z = number(0.0, force[0])
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        L.F = spatial_add(L.F, spatial((z, z, z), unrotate(L.R_WL, force)))


def stiffening(ints: Array, data: Array, scratch: Array, first: int, spec: Spec) -> None:
    """A torque −c·v³ on every degree of freedom; c [N·m·s³]."""
    W = width(spec)
    c = load(data, first, spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind = ints[i + ROW_KIND]
        dof = ints[i + ROW_DATA] + first_dof(kind) * W
        for n in range(V_COUNT[kind]):
            v = load(data, dof + (n * DOF_SIZE + VELOCITY) * W, spec)
            place = dof + (n * DOF_SIZE + TAU) * W
            store(data, place, load(data, place, spec) - c * v * v * v, spec)


def slippery(ints: Array, data: Array, scratch: Array, slots: int, first: int, spec: Spec) -> None:
    """Contacts without friction: normal impulses λ ≥ 0 that leave no approach, times a factor; by Gauss–Seidel."""
    W, c = width(spec), ints[CONTACT]
    factor = load(data, first, spec)
    w, change = ints[c + WORK_START], ints[c + WORK_START] + ints[NV] * W
    zero, one = number(0.0, factor), number(1.0, factor)
    make_screws(ints, data, scratch, spec)
    clear_work(ints, scratch, spec)
    for k in range(slots):
        slot_rows(ints, scratch, k, spec)
        store3(scratch, slot_offset(ints, k) + SLOT_IMPULSE * W, (zero, zero, zero), spec)
    for _ in range(SWEEPS):
        for k in range(slots):
            slot = slot_offset(ints, k)
            mobility = load(scratch, slot + SLOT_BLOCK * W, spec)
            touching = mobility > zero
            before = load(scratch, slot + SLOT_IMPULSE * W, spec)
            u = normal_motion(ints, scratch, slot, load(scratch, slot + SLOT_FREE * W, spec), spec)
            step = factor * u / where(touching, mobility, one)
            after = where(touching, maximum(before - step, zero), zero)
            store(scratch, slot + SLOT_IMPULSE * W, after, spec)
            add_normal(ints, scratch, slot, after - before, spec)
    respond(ints, scratch, w, change, spec)
    add_to_velocities(ints, data, scratch, change, spec)
