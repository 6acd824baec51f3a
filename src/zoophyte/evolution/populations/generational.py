"""Generational: one population; every generation is judged as a whole, then selected (ARN-57..60, FON-68)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zoophyte.evolution.populations.schemes import (
    Moment,
    Outcome,
    Plan,
    adapted_step,
    bred,
    checked_population,
    elite,
)
from zoophyte.evolution.protocols import Individual
from zoophyte.evolution.selection import Comma, Selection
from zoophyte.evolution.variation import SuccessRule


class Generational:
    """One population, one generation after the other.

    Args:
        population: n, how many survive.
        selection: who becomes a parent, and who survives.
        success_rule: whether steps of mutation follow the share of successes (ARN-63); the breed must have steps.
    """

    name = "generational"
    delay = 0
    keeps = False

    def __init__(
        self, population: int, selection: Selection | None = None, *, success_rule: bool = False
    ) -> None:
        self.population = checked_population(population)
        self.selection = selection or Comma()
        self.rule = SuccessRule() if success_rule else None

    def settings(self) -> dict[str, Any]:
        """What makes this scheme what it is."""
        return {"success_rule": self.rule is not None}

    def births(self, generation: int) -> int:
        """As many as the selection wants."""
        return self.population * self.selection.brood

    def place(self, index: int) -> int:
        """There is only one place."""
        return 0

    def plan(self, moment: Moment, index: int, rng: np.random.Generator) -> Plan:
        """Copies of the best first, then children."""
        if index < self.selection.elites:
            return elite(moment.members, index)
        weights = self.selection.weights([one.fitness for one in moment.members], moment.stage)
        return bred(moment, moment.members, weights, rng)

    def select(self, moment: Moment, offspring: Sequence[Individual], rng: np.random.Generator) -> Outcome:
        """As the selection has it."""
        members = self.selection.survivors(offspring, self.population, moment.stage, rng)
        return Outcome(members, adapted_step(moment, offspring, self.rule))
