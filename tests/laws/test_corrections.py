"""Corrections of positions make no energy: a chain that spins fast on the ground is lifted out of it again and again."""

from __future__ import annotations

import numpy as np

from zoophyte.model import Model, State
from zoophyte.model.model import Floats
from zoophyte.physics import energy
from zoophyte.physics.living import advance
from zoophyte.validation.checks.contact_balance import halved_step, random_scene
from zoophyte.validation.scenes import block_of

SEED, FIRST, STEPS = 597, 830, 20
"""A scene of LAW-contact-energy-many, and when in it a capsule with another on a ball joint lies and spins at 45 rad/s."""
TURN = 0.05
"""Largest turn of a link in those steps [rad]."""


def test_a_spinning_chain_gains_nothing_by_being_lifted() -> None:
    """Law: mass points that keep their velocities keep the kinetic energy.

    Oracle: kinetic energy before and behind each correction.  Tolerance: x·dq of it, since inertias are those of the step's
    start, x the turn in a step and dq the largest displacement; with the rates of before it would be of the order of dq,
    which the last line shows for these very displacements.
    """
    model, states = random_scene(SEED, jointed=True)
    block = block_of([model], states[:1])
    advance(block, FIRST)
    seen, kept, raised = 0, 0.0, 0.0
    for _ in range(STEPS):
        step = halved_step(block)
        q, v, q_after, v_after = step.q, step.v, block.q().copy(), block.v().copy()
        way = float(np.abs(q_after - q).max())
        if way == 0.0:
            continue
        seen += 1
        T = kinetic(states[0], model, q, v)
        change = kinetic(states[0], model, q_after, v_after) / T - 1.0
        assert abs(change) < TURN * way
        kept, raised = kept + change, raised + kinetic(states[0], model, q_after, v) / T - 1.0
    assert seen > STEPS / 2
    assert abs(raised) > 20.0 * abs(kept)


def kinetic(state: State, model: Model, q: Floats, v: Floats) -> float:
    """T at q with v."""
    return float(energy(model, state.at(q=q, v=v)).kinetic)
