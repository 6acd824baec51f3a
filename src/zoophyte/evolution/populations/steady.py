"""Steady: no generations that wait for the last; newcomers replace the worst as soon as they are judged.

Births come in small blocks. A block is bred from what was known when the block before the last was judged, so that one block
is always at work while another is bred, and no worker waits for the slowest. Results are consumed in the order of birth, not
of arrival: the run is the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zoophyte.evolution.populations.schemes import (
    Moment,
    Outcome,
    Plan,
    bred,
    checked_count,
    checked_population,
)
from zoophyte.evolution.protocols import Individual
from zoophyte.evolution.selection import ranked, tournament_weights


class Steady:
    """Steady state: parents by tournament; a newcomer takes the place of the worst if it is better.

    Args:
        population: n.
        block: births at a time; a quarter of the population if left out.
        size: of the tournaments by which parents are found.
    """

    name = "steady"
    delay = 1
    keeps = True

    def __init__(self, population: int, *, block: int | None = None, size: int = 2) -> None:
        self.population = checked_population(population)
        self.block = max(1, population // 4) if block is None else checked_count("block", block)
        self.size = checked_count("size", size)

    def settings(self) -> dict[str, Any]:
        """What makes this scheme what it is."""
        return {"block": self.block, "size": self.size}

    def births(self, generation: int) -> int:
        """The whole population first, then a block at a time."""
        return self.block if generation else self.population

    def place(self, index: int) -> int:
        """There is only one place."""
        return 0

    def plan(self, moment: Moment, index: int, rng: np.random.Generator) -> Plan:
        """Parents by tournament."""
        weights = tournament_weights([one.fitness for one in moment.members], self.size)
        return bred(moment, moment.members, weights, rng)

    def select(self, moment: Moment, offspring: Sequence[Individual], rng: np.random.Generator) -> Outcome:
        """One newcomer after the other, in the order of birth."""
        pool = ranked(moment.members)
        for child in offspring:
            pool = ranked([*pool, child])[: self.population]
        return Outcome(pool)
