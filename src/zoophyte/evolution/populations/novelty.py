"""Novelty: who behaves unlike all others survives, whatever the task thinks of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from zoophyte.evolution.populations.behaviour import point, spans
from zoophyte.evolution.populations.schemes import (
    Moment,
    Outcome,
    Plan,
    at,
    bred,
    checked_count,
    checked_population,
)
from zoophyte.evolution.protocols import Individual
from zoophyte.evolution.selection import sound

Shown: TypeAlias = tuple[Individual, Any]
"""An individual, and its behaviour as a point."""
LIVING, ARCHIVE = 0, 1
"""Places: the population, and those that are remembered."""


class Novelty:
    """Novelty search: the mean distance to the nearest behaviours, among the living and the remembered, decides.

    Args:
        population: how many survive; as many are born.
        descriptors: of behaviour; all that differ between founders, if left out.
        nearest: how many neighbours count.
        remembered: how many of the most novel newcomers are remembered for ever, in each generation.
    """

    name = "novelty"
    delay = 0
    keeps = True

    def __init__(
        self,
        population: int,
        *,
        descriptors: Sequence[str] | None = None,
        nearest: int = 15,
        remembered: int = 2,
    ) -> None:
        self.population, self.nearest = checked_population(population), checked_count("nearest", nearest)
        self.remembered = checked_count("remembered", remembered, 0)
        self.descriptors = None if descriptors is None else list(descriptors)

    def settings(self) -> dict[str, Any]:
        """What makes this scheme what it is."""
        return {
            "descriptors": self.descriptors, "nearest": self.nearest, "remembered": self.remembered
        }  # fmt: skip

    def births(self, generation: int) -> int:
        """As many as the population."""
        return self.population

    def place(self, index: int) -> int:
        """Among the living."""
        return LIVING

    def plan(self, moment: Moment, index: int, rng: np.random.Generator) -> Plan:
        """Any two of the living."""
        living = [one for one in moment.members if one.place == LIVING]
        return bred(moment, living, np.full(len(living), 1.0 / max(len(living), 1)), rng)

    def select(self, moment: Moment, offspring: Sequence[Individual], rng: np.random.Generator) -> Outcome:
        """The most novel of parents and children live on; a few of the children are remembered."""
        if not (moment.members or sound(offspring)):
            return Outcome([])  # nobody whose behaviour could be told; the next are random again
        axes = moment.notes.get("axes") or spans(offspring, self.descriptors)
        archive = [one for one in moment.members if one.place == ARCHIVE]
        candidates = [one for one in moment.members if one.place == LIVING] + list(offspring)
        shown = [(one, where) for one in candidates if (where := point(one, axes)) is not None]
        known = [(one, where) for one in archive if (where := point(one, axes)) is not None]
        novelty = self.novelty(shown, known)
        order = sorted(range(len(shown)), key=lambda n: (-novelty[n], shown[n][0].number))
        living = [at(shown[n][0], LIVING) for n in order[: self.population]]
        new = [at(one, ARCHIVE) for n in order if (one := shown[n][0]).generation == moment.generation]
        return Outcome([*living, *archive, *new[: self.remembered]], {"axes": axes})

    def novelty(self, shown: Sequence[Shown], known: Sequence[Shown]) -> list[float]:
        """Mean distance of the behaviour of each who is shown to the nearest of others, shown or known.

        Who lives on and is remembered too is in both, and is no neighbour of its own.
        """
        if not shown:
            return []
        places = np.array([where for _, where in (*shown, *known)])
        numbers = np.array([one.number for one, _ in (*shown, *known)])
        found = []
        for one, where in shown:
            apart = np.sqrt(((places - where) ** 2).sum(axis=1))
            near = np.sort(apart[numbers != one.number])[: self.nearest]
            found.append(float(near.sum()) / max(len(near), 1))
        return found
