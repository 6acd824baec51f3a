"""MAP-Elites: the best of every kind, in a grid of niches that descriptors of behaviour span."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zoophyte.evolution.populations.behaviour import checked_ranges, niched, point, spans
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


class Elites:
    """Quality and diversity: each niche keeps the best that was ever found in it; parents are drawn from all niches alike.

    Args:
        population: births in a generation.
        descriptors: names of the axes; those of `ranges`, or the first two that differ between founders, if left out.
        bins: niches along each axis. What lies beyond the outermost falls into it.
        ranges: ends of axes, as {distance: [0, 10]}; where the founders were and half of that on both sides, if left out.
    """

    name = "elites"
    delay = 0
    keeps = True

    def __init__(
        self,
        population: int,
        *,
        descriptors: Sequence[str] | None = None,
        bins: int = 16,
        ranges: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        self.population, self.bins = checked_population(population), checked_count("bins", bins)
        self.ranges = checked_ranges(ranges, descriptors)
        names = self.ranges if descriptors is None else descriptors
        self.descriptors = None if names is None else list(names)

    def settings(self) -> dict[str, Any]:
        """What makes this scheme what it is."""
        return {"descriptors": self.descriptors, "bins": self.bins, "ranges": self.ranges}

    def births(self, generation: int) -> int:
        """As many as the population."""
        return self.population

    def place(self, index: int) -> int:
        """Founders have no niche yet."""
        return 0

    def niche(self, one: Individual, axes: Sequence[Sequence[Any]]) -> int | None:
        """The number of the niche that a behaviour falls into; None for one that has none."""
        where = point(one, axes)
        if where is None:
            return None
        number = 0
        for coordinate in where:
            number = number * self.bins + int(min(max(coordinate * self.bins, 0), self.bins - 1))
        return number

    def plan(self, moment: Moment, index: int, rng: np.random.Generator) -> Plan:
        """Parents from all niches alike."""
        count = len(moment.members)
        return bred(moment, moment.members, np.full(count, 1.0 / max(count, 1)), rng)

    def select(self, moment: Moment, offspring: Sequence[Individual], rng: np.random.Generator) -> Outcome:
        """A newcomer takes a niche that is empty, or whose holder is worse."""
        if not (moment.members or sound(offspring)):
            return Outcome([])  # nobody whose behaviour could be told; the next are random again
        axes = moment.notes.get("axes")
        if not axes:
            axes = niched(spans(offspring, self.descriptors, 2), offspring, self.ranges)
        niches = {one.place: one for one in moment.members}
        for child in offspring:
            niche = self.niche(child, axes)
            if niche is not None and (niche not in niches or child.fitness > niches[niche].fitness):
                niches[niche] = child
        return Outcome([at(niches[niche], niche) for niche in sorted(niches)], {"axes": axes})
