"""Islands: sub-populations that evolve apart, and exchange their best now and then (ARN-64)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.evolution.populations.schemes import (
    SMALLEST,
    Moment,
    Outcome,
    Plan,
    adapted_step,
    at,
    bred,
    checked_count,
    checked_population,
    elite,
)
from zoophyte.evolution.protocols import Individual
from zoophyte.evolution.selection import Comma, Selection, ranked
from zoophyte.evolution.variation import SuccessRule


class Islands:
    """Sub-populations in a ring; every few generations each sends its best to the next, where they replace the worst.

    Args:
        population: of all islands together; shared evenly.
        selection: on every island.
        islands: how many.
        every: generations from one migration to the next.
        migrants: that leave an island at a time; they are copied.
        success_rule: whether steps of mutation follow the share of successes (ARN-63).
    """

    name = "islands"
    delay = 0
    keeps = False

    def __init__(
        self, population: int, selection: Selection | None = None, *, islands: int = 4, every: int = 5,
        migrants: int = 1, success_rule: bool = False,
    ) -> None:  # fmt: skip
        for name, value in (("islands", islands), ("every", every), ("migrants", migrants)):
            checked_count(name, value)
        self.population = checked_population(population)
        if population % islands or population // islands < SMALLEST:
            raise UsageError(
                f"population is {population}, must be {islands} times a whole number, {SMALLEST} or more, to be shared by "
                f"{islands} islands."
            )
        self.selection = selection or Comma()
        self.islands, self.every, self.migrants = islands, every, min(migrants, population // islands - 1)
        self.rule = SuccessRule() if success_rule else None

    @property
    def share(self) -> int:
        """Survivors of one island."""
        return self.population // self.islands

    def settings(self) -> dict[str, Any]:
        """What makes this scheme what it is."""
        return {
            "islands": self.islands, "every": self.every, "migrants": self.migrants,
            "success_rule": self.rule is not None,
        }  # fmt: skip

    def births(self, generation: int) -> int:
        """As many as the selection wants."""
        return self.population * self.selection.brood

    def place(self, index: int) -> int:
        """The island on which the creature of this index is born."""
        return index // (self.share * self.selection.brood)

    def plan(self, moment: Moment, index: int, rng: np.random.Generator) -> Plan:
        """Both parents live on one island."""
        island = self.place(index)
        members = [one for one in moment.members if one.place == island]
        rank = index % (self.share * self.selection.brood)
        if rank < self.selection.elites:
            return elite(members, rank, island)
        weights = self.selection.weights([one.fitness for one in members], moment.stage)
        return bred(moment, members, weights, rng, island)

    def select(self, moment: Moment, offspring: Sequence[Individual], rng: np.random.Generator) -> Outcome:
        """On every island apart; then some migrate."""
        kept = [
            self.selection.survivors(
                [one for one in offspring if one.place == island], self.share, moment.stage, rng
            )
            for island in range(self.islands)
        ]
        if self.islands > 1 and moment.generation % self.every == self.every - 1:
            leaving = [ranked(island)[: self.migrants] for island in kept]
            kept = [
                [*ranked(island)[: self.share - len(leaving[number - 1])], *leaving[number - 1]]
                for number, island in enumerate(kept)
            ]
        members = [at(one, number) for number, island in enumerate(kept) for one in island]
        return Outcome(members, adapted_step(moment, offspring, self.rule))
