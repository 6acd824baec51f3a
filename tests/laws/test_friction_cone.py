"""Coulomb's cone: wherever the solver ends, no contact's friction is larger than its pressure allows."""

from __future__ import annotations

import numpy as np
import pytest

import zoophyte as zp
from bodies import Floats
from zoophyte.description import Box, Surface
from zoophyte.physics.dynamics.totals import LINEAR
from zoophyte.physics.living import advance
from zoophyte.simulation.touching import Contacts, read_contacts
from zoophyte.validation.scenes import FORMS, G, block_of, live, lone, model_of, on

DT = 5e-3
FEW = 4
"""Sweeps: so few that solves often go on with bounds of friction that are kept for a while."""
ROUNDING = 1e-14
"""Of an impulse that is turned into world axes, and here back: tens of roundings of 1e-16."""
CREATURES = {"ant": zp.zoo.ant, "humanoid": zp.zoo.humanoid}
FRICTION = 0.8


def excess(contacts: Contacts) -> Floats:
    """|λ_t| − μ·λ_n of every contact that presses, as a part of |λ|."""
    size = np.linalg.norm(contacts.forces, axis=1)
    pressed = size > 0.0
    F, n = contacts.forces[pressed], contacts.normals[pressed]
    normal = (F * n).sum(axis=1)
    along = np.linalg.norm(F - normal[:, None] * n, axis=1)
    found: Floats = (along - FRICTION * normal) / size[pressed]
    return found


def orders_of(model: zp.Model, steps: int, width: int) -> Floats:
    """Commands of all actuators, drawn anew every step; (steps, nv, lanes)."""
    acts = (model.dofs.motor_strength > 0.0) | (model.dofs.servo_stiffness > 0.0)
    orders = np.random.default_rng(7).uniform(-1.0, 1.0, (steps, model.nv, width))
    return orders * acts[:, None]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CREATURES)
def test_driven_creatures_end_in_their_cones(name: str, form: str) -> None:
    """Law: |λ_t| ≤ μ·λ_n.  Oracle: the recorded forces along and across the recorded normals.  Tolerance: rounding.

    Where `settle` ended with bounds that it had kept, some ended outside in all four of these cases, and a few had friction
    without any pressure.
    """
    width, steps = FORMS[form], 300
    model = zp.compile(CREATURES[name]().model_copy(update={"surface": Surface(friction=FRICTION)}))
    block = block_of(
        [model] * width, [zp.State.neutral(model)] * width, dt=DT, habitat=on(FRICTION), sweeps=FEW
    )
    orders, found = orders_of(model, steps, width), []
    for step in orders:
        advance(block, 1, step.ravel())
        found += [excess(read_contacts(block, lane)) for lane in range(width)]
    over = np.concatenate(found)
    assert len(over) > 0.5 * steps
    assert np.any(over > -1e-3)  # some slide, or are about to
    assert over.max() <= ROUNDING


@pytest.mark.parametrize("form", FORMS)
def test_impulses_in_their_cones_are_those_that_move(form: str) -> None:
    """Law: Δp = dt·(ΣF + m g), F of the ground, in the very steps in which solves are cut short; and the cone as above.

    Boxes are thrown at each other and at the ground, where forces between them cancel.  Oracle: momentum of the recorded
    motion.  Tolerance: 1e-10 of the largest blow, rounding of sums over all bodies.
    """
    boxes = [
        lone(Box(size=(0.3, 0.2, 0.1)), place=(0.22 * n, 0.02 * n, 0.15 + 0.11 * n), name=f"box{n}") for n in range(4)
    ]  # fmt: skip
    model = model_of(*boxes, friction=FRICTION)
    rng = np.random.default_rng(3)
    starts = [zp.State.neutral(model).at(v=3.0 * rng.normal(size=model.nv)) for _ in range(8)]
    thrown = live(
        [model] * 8, starts, width=FORMS[form], seconds=0.6, dt=DT, habitat=on(FRICTION), every=1, contacts=True,
        sweeps=FEW,
    )  # fmt: skip
    for life in thrown:
        change = np.diff(life.sums()[:, LINEAR : LINEAR + 3], axis=0)
        felt = np.array([c.forces[c.bodies[:, 1] == 0].sum(axis=0) for c in life.contacts[1:]])
        weight = model.total_mass * np.array([0.0, 0.0, -G])
        assert np.abs(change - DT * (felt + weight)).max() < 1e-10 * np.abs(change).max()
        assert max(excess(c).max(initial=-1.0) for c in life.contacts[1:]) <= ROUNDING
    assert max(float(life.sweeps.max()) for life in thrown) > FEW  # some went on
