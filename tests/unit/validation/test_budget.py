"""The budget of energy sees what contacts put in, also where much was lost before; and parts of a check keep their order."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import sub

import numpy as np
import pytest

from zoophyte.validation.budget import gains_over_bounds, largest_rise, lift
from zoophyte.validation.checks.contact_balance import random_scene
from zoophyte.validation.parts import in_parts
from zoophyte.validation.scenes import G, Lived, live


def life_of(seed: int, *, jointed: bool) -> Lived:
    """One of the scenes of LAW-contact-energy."""
    model, states = random_scene(seed, jointed=jointed)
    return live([model], states[:1], width=1, seconds=1.5, every=1, contacts=True)[0]


@pytest.mark.parametrize("jointed", [False, True])
def test_a_rise_after_a_loss_is_seen(jointed: bool) -> None:
    """Claim: what comes in behind a loss counts, though E stays below its start.  Oracle: velocities 5 % higher in the end.

    From the last step with contact on, speeds are raised; that is a tenth of the kinetic energy that was left, some joules.
    """
    life = life_of(35, jointed=jointed)
    gain, rise = gains_over_bounds(life, jointed)
    assert max(gain, rise) < 1.0
    v = life.v.copy()
    last = max(n for n, c in enumerate(life.contacts) if np.any(c.forces)) if jointed else 9 * len(v) // 10
    v[last:] *= 1.05
    gain, rise = gains_over_bounds(replace(life, v=v), jointed)
    assert gain < 1.0 < rise


@pytest.mark.parametrize("seed", [3, 35])
def test_a_leak_in_every_step_is_seen(seed: int) -> None:
    """Claim: contacts that put in a little in every step are seen.  Oracle: 1 % of the kinetic energy in each such step.

    The leak raises what the life itself tells of its steps' errors too; that must not excuse it.
    """
    life = life_of(seed, jointed=True)
    assert max(gains_over_bounds(life, True)) < 1.0
    struck = np.array([False, *(bool(np.any(contact.forces)) for contact in life.contacts[1:])])
    leaking = np.cumprod(np.where(struck, np.sqrt(1.01), 1.0))
    assert max(gains_over_bounds(replace(life, v=leaking[:, None] * life.v), True)) > 1.0


def test_a_deep_place_is_no_excuse() -> None:
    """Claim: what gets deeper by itself than the margin allows no higher lift; what a blow drives in, as far as it goes.

    Oracle: the same life, told to be 5 cm and 50 cm deep where something lies, and where it touches for the first time.
    """
    life = life_of(35, jointed=True)
    touched = [n for n, contact in enumerate(life.contacts) if len(contact.gaps)]
    first, lying = touched[0], next(n for n in touched if n - 1 in touched and n - 2 in touched)
    for step, most in ((lying, 0.01 * 0.05), (first, 0.05)):
        lifts = []
        for depth in (0.05, 0.5):
            contacts = list(life.contacts)
            contacts[step] = replace(contacts[step], gaps=np.full_like(contacts[step].gaps, -depth))
            lifts.append(lift(replace(life, contacts=tuple(contacts))))
        assert lifts[0] == lifts[1] < lift_by(life, most)


def lift_by(life: Lived, depth: float) -> float:
    """Energy of a lift by that much [J]."""
    return G * life.model.total_mass * depth


def test_the_largest_rise_counts_from_the_lowest_value() -> None:
    """Claim: a rise is measured from the lowest value before it, over the largest own error since.  Oracle: by hand."""
    energy = np.array([10.0, 4.0, 5.0, 1.0, 2.5, 2.0])
    own = np.array([9.0, 0.25, 0.5, 0.125, 0.25, 0.5])
    assert largest_rise(energy, own, 0.25) == pytest.approx(1.5 / 0.5)
    assert largest_rise(-np.arange(5.0), np.zeros(5), 1.0) == 0.0


def test_parts_answer_in_their_order() -> None:
    """Claim: parts that live in processes answer as if they were called one after the other."""
    assert in_parts([partial(sub, n, 1) for n in range(5)]) == [-1, 0, 1, 2, 3]
