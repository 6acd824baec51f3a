"""The budget of energy sees what contacts put in, also where much was lost before; and parts of a check keep their order."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import sub

import numpy as np
import pytest

from zoophyte.validation.budget import gains_over_bounds, largest_rise
from zoophyte.validation.checks.contact_balance import random_scene
from zoophyte.validation.parts import in_parts
from zoophyte.validation.scenes import Lived, live


def life_of(seed: int, *, jointed: bool) -> Lived:
    """One of the scenes of LAW-contact-energy."""
    model, states = random_scene(seed, jointed=jointed)
    every = 1 if jointed else 5
    return live([model], states[:1], width=1, seconds=1.5, every=every, contacts=jointed)[0]


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


def test_the_largest_rise_counts_from_the_lowest_value() -> None:
    """Claim: a rise is measured from the lowest value before it, over the largest own error since.  Oracle: by hand."""
    energy = np.array([10.0, 4.0, 5.0, 1.0, 2.5, 2.0])
    own = np.array([9.0, 0.25, 0.5, 0.125, 0.25, 0.5])
    assert largest_rise(energy, own, 0.25) == pytest.approx(1.5 / 0.5)
    assert largest_rise(-np.arange(5.0), np.zeros(5), 1.0) == 0.0


def test_parts_answer_in_their_order() -> None:
    """Claim: parts that live in processes answer as if they were called one after the other."""
    assert in_parts([partial(sub, n, 1) for n in range(5)]) == [-1, 0, 1, 2, 3]
