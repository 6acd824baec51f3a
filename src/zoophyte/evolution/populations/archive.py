"""Archive: the niches of MAP-Elites as a run has left them, and how much of behaviour they cover.

Coverage is the share of all niches in which somebody was found.  The QD-score is the sum over these niches of the fitness
above an offset (Pugh, Soros, Stanley, "Quality diversity", 2016); it grows with better elites and with more of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model.model import Floats


@dataclass(frozen=True)
class Elite:
    """The best that was found in a niche.

    Args:
        niche: its number; the last axis counts fastest.
        number: of the individual.
        fitness: of it.
    """

    niche: int
    number: int
    fitness: float


@dataclass(frozen=True, eq=False, repr=False)
class Archive:
    """Niches along axes of behaviour.

    Args:
        axes: name of the descriptor, lower and upper end, of each axis.
        bins: niches along each axis; the outermost also hold what lies beyond them.
        elites: one of each niche that is not empty.
    """

    axes: tuple[tuple[str, float, float], ...]
    bins: int
    elites: tuple[Elite, ...]

    def __repr__(self) -> str:
        names = " × ".join(name for name, _, _ in self.axes)
        return f"Archive({names}: {len(self)} of {self.niches} niches, QD-score {self.qd_score:.6g})"

    def __len__(self) -> int:
        return len(self.elites)

    @property
    def niches(self) -> int:
        """How many there are, empty ones too."""
        return int(self.bins ** len(self.axes))

    @property
    def coverage(self) -> float:
        """The share of the niches in which somebody was found."""
        return len(self) / self.niches

    @property
    def qd_score(self) -> float:
        """The sum of the elites' fitness."""
        return self.qd_score_above(0.0)

    def qd_score_above(self, offset: float) -> float:
        """The sum of the elites' fitness above an offset, exact and rounded once.

        Args:
            offset: what counts for nothing; sound creatures have 0 or more.
        """
        return math.fsum(elite.fitness - offset for elite in self.elites)

    def grid(self) -> Floats:
        """Fitness by niche, one dimension for each axis; NaN where nobody was found."""
        found = np.full(self.niches, np.nan)
        for elite in self.elites:
            found[elite.niche] = elite.fitness
        return found.reshape((self.bins,) * len(self.axes))

    def plane(self) -> list[tuple[int, int, Elite]]:
        """The elites over the first two axes, as (column, row, elite); of several in one place the best."""
        best: dict[tuple[int, int], Elite] = {}
        for elite in self.elites:
            where = np.unravel_index(elite.niche, (self.bins,) * len(self.axes))
            place = (int(where[0]), int(where[1]) if len(where) > 1 else 0)
            if place not in best or elite.fitness > best[place].fitness:
                best[place] = elite
        return [(column, row, elite) for (column, row), elite in sorted(best.items())]


def archive_of(axes: Sequence[Sequence[Any]], bins: int, elites: Sequence[tuple[int, int, float]]) -> Archive:
    """An archive from what a run has noted.

    Args:
        axes: name, lower and upper end of each.
        bins: niches along each axis.
        elites: niche, number and fitness of each.

    Raises:
        UsageError: when a niche lies outside of the grid.
    """
    made = Archive(
        tuple((str(name), float(low), float(high)) for name, low, high in axes), int(bins),
        tuple(Elite(niche, number, fitness) for niche, number, fitness in elites),
    )  # fmt: skip
    for elite in made.elites:
        if not 0 <= elite.niche < made.niches:
            raise UsageError(
                f"individual {elite.number} is in niche {elite.niche}, and there are {made.niches}."
            )
    return made
