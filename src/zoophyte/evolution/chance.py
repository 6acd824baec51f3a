"""Chance: every random number of a run follows from its seed, the generation and the creature, and from nothing else.

So it does not matter who computes what, in which order, on how many workers, or whether a run was broken off in between.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from zoophyte.errors import UsageError

SEED_LIMIT = 1 << 63


class Purpose(IntEnum):
    """What random numbers are for; those of one purpose know nothing of those of another."""

    BIRTH = 0
    TRIAL = 1
    SELECTION = 2
    DIVERSITY = 3


def generator(
    seed: int, generation: int, index: int, purpose: Purpose = Purpose.BIRTH
) -> np.random.Generator:
    """The generator for one creature, or for a whole generation (index 0).

    Args:
        seed: of the run.
        generation: from 0.
        index: of the creature in its generation, from 0.
        purpose: what for.
    """
    # A spawn key of its own tells purposes apart: entropy alone is padded with zeros, and (1, 2) would equal (1, 2, 0).
    key = () if purpose is Purpose.BIRTH else (int(purpose),)
    return np.random.Generator(
        np.random.PCG64(np.random.SeedSequence((seed, generation, index), spawn_key=key))
    )


def checked_seed(seed: object) -> int:
    """A seed that a run can have.

    Raises:
        UsageError: when it is no whole number from 0 to 2⁶³ − 1.
    """
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or not 0 <= seed < SEED_LIMIT:
        raise UsageError(f"seed is {seed!r}, must be a whole number from 0 to 2^63 - 1.")
    return int(seed)
