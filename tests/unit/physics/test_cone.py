"""One contact alone: its impulses end at Coulomb's law, wherever they begin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bodies import Floats
from zoophyte.physics.contact.cone import slip

GRIP = 0.8


def swept(inertia: Floats, free: Floats, impulse: Floats, sweeps: int) -> tuple[Floats, Floats]:
    """(impulses, velocities) of a contact that does not stick after that many sweeps, in the interpreter."""
    B = tuple(float(x) for x in inertia[np.triu_indices(3)])
    step = 1.0 / float(np.linalg.eigvalsh(inertia[1:, 1:])[-1])
    bounds: Any = (0.0, 1e30, 0.0, GRIP, 1.0)
    for _ in range(sweeps):
        u = free + inertia @ impulse
        impulse = np.array(slip(B, 0.0, step, tuple(map(float, u)), tuple(map(float, impulse)), bounds))
    return impulse, free + inertia @ impulse


@pytest.mark.parametrize("seed", range(12))
def test_friction_that_pushes_turns_round(seed: int) -> None:
    """Law: sliding friction is against the slip (Coulomb).  Oracle: λ_t = −μ·λ_n·u_t/|u_t| and u_n = 0.

    It begins on the cone with friction along the slip, from where the direction λ_t − step·u_t leads nowhere else: such
    contacts would push their bodies for ever.  Tolerance: 100 sweeps, each of which leaves at most nine tenths.
    """
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3, 6)) * np.array([[1.0], [0.7], [0.7]])
    inertia = rows @ rows.T
    inertia[0, 0] = max(inertia[0, 0], 1.5 * GRIP * float(np.hypot(inertia[0, 1], inertia[0, 2])))
    angle = rng.uniform(0.0, 2.0 * np.pi)
    along = np.array([0.0, np.cos(angle), np.sin(angle)])
    pushing = np.array([1.0, 0.0, 0.0]) + GRIP * along
    slips = 0.3 * along / np.linalg.norm(inertia)
    impulse, u = swept(inertia, slips - inertia @ pushing, pushing, 100)
    assert u[0] == pytest.approx(0.0, abs=1e-4)
    slip_speed = float(np.hypot(u[1], u[2]))
    if slip_speed > 1e-3:
        assert impulse[1:] == pytest.approx(-GRIP * impulse[0] * u[1:] / slip_speed, abs=1e-3)
    else:
        assert np.hypot(impulse[1], impulse[2]) <= GRIP * impulse[0] * (1.0 + 1e-9)
