"""CMA-ES: a normal distribution that learns its shape, for genomes that are vectors of real numbers (extra `[opt]`).

The strategy itself is the package `cma`. Its random numbers are ours, one generator per creature, and its state is rebuilt
from the generations that the store holds, so that a run goes on after a break as if there had been none.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from zoophyte.errors import FileError, MissingExtraError, UsageError, is_number
from zoophyte.evolution.populations.schemes import Moment, Outcome, Plan, checked_population
from zoophyte.evolution.protocols import Breed, Individual
from zoophyte.evolution.selection import ranked, sound

WORST = 1e300
"""What a faulty creature counts for; the strategy uses ranks only."""


class Sampled:
    """The operator that makes a genome of a drawn vector. The parent it names is the best of the generation before.

    Args:
        like: a genome of the same kind, all of whose numbers are replaced.
        vector: as drawn.
    """

    def __init__(self, like: Any, vector: Any) -> None:
        self.name, self.parents, self.share, self.like, self.vector = "cma", 1, 1.0, like, vector

    def __call__(self, parents: Sequence[Any], rng: np.random.Generator) -> Any:
        """A genome with these numbers, whoever the parents are."""
        return self.like.with_vector(self.vector)


class Covariance:
    """CMA-ES around the best founder; every generation is drawn from one normal distribution.

    Args:
        population: births in a generation.
        sigma: standard deviation at the start, in parts of the range of each number.
    """

    name = "cma"
    delay = 0
    keeps = False

    def __init__(self, population: int, *, sigma: float = 0.2) -> None:
        self.population = checked_population(population)
        if not (is_number(sigma) and 0.0 < sigma < np.inf):
            raise UsageError(f"sigma is {sigma!r}, must be a positive number.")
        self.sigma = float(sigma)
        self._strategy: Any = None
        self._told = 0
        self._asked: tuple[int, list[Any]] = (-1, [])
        self._generators: list[np.random.Generator] = []

    def settings(self) -> dict[str, Any]:
        """What makes this scheme what it is."""
        return {"sigma": self.sigma}

    def refuse(self, breed: Breed) -> None:
        """Refuse a breed whose genomes are no vectors, and an installation without the strategy, before anybody lives.

        Raises:
            MissingExtraError: when the package is not installed.
            UsageError: when the genomes are not what it needs.
        """
        if find_spec("cma") is None:
            raise MissingExtraError("cma", "opt", "the population 'cma'")
        self._checked_start(breed.random(np.random.default_rng(0)), breed)

    @staticmethod
    def _checked_start(genome: Any, breed: Breed) -> Any:
        """The vector of a genome."""
        if not (hasattr(genome, "vector") and hasattr(genome, "with_vector")):
            raise UsageError(
                f"the population 'cma' needs genomes that are vectors of real numbers, with the methods vector() and "
                f"with_vector(values); breed '{breed.name}' has none. Use --genome tune, or another scheme."
            )
        start = np.asarray(genome.vector(), float)
        if len(start) < 2:
            raise UsageError("the population 'cma' needs two free numbers or more; use another scheme.")
        return start

    def births(self, generation: int) -> int:
        """As many as the population."""
        return self.population

    def place(self, index: int) -> int:
        """There is only one place."""
        return 0

    def plan(self, moment: Moment, index: int, rng: np.random.Generator) -> Plan:
        """The next vector of this generation's sample."""
        if not moment.members:
            return Plan(None)
        if self._asked[0] != moment.generation:
            self._catch_up(moment)
            self._asked = (moment.generation, self._ask(moment, moment.generation))
        operator = Sampled(moment.members[0].genome, self._asked[1][index])
        return Plan(operator, tuple(ranked(sound(moment.members))[:1]))

    def select(self, moment: Moment, offspring: Sequence[Individual], rng: np.random.Generator) -> Outcome:
        """All of them, since the strategy learns from all."""
        return Outcome(list(offspring))

    def _catch_up(self, moment: Moment) -> None:
        """Tell the strategy all generations that it has not heard of, in their order."""
        if self._told >= moment.generation:  # another run, or one that began anew
            self._strategy, self._told = None, 0
        if self._strategy is None:
            self._strategy = self._begin(moment)
            self._told = 1
        for generation in range(self._told, moment.generation):
            drawn = self._asked[1] if self._asked[0] == generation else self._ask(moment, generation)
            judged = sorted(moment.past(generation), key=lambda one: one.number)
            if len(judged) != len(drawn):
                raise FileError(
                    f"generation {generation} of the run holds {len(judged)} creatures, and {len(drawn)} were bred: "
                    "the run is damaged, and cannot go on."
                )
            costs = [-one.fitness if one.fitness >= 0.0 else WORST for one in judged]
            self._strategy.tell(drawn, costs)
        self._told = moment.generation

    def _begin(self, moment: Moment) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it misses matplotlib, which it needs for pictures only
                import cma
        except ImportError:
            raise MissingExtraError("cma", "opt", "the population 'cma'") from None
        start = self._checked_start(ranked(moment.past(0))[0].genome, moment.breed)
        options = {
            "popsize": self.population, "randn": self._randn, "seed": np.nan, "verbose": -9, "bounds": [0.0, 1.0],
        }  # fmt: skip
        return cma.CMAEvolutionStrategy(np.clip(start, 0.0, 1.0), self.sigma, options)

    def _ask(self, moment: Moment, generation: int) -> list[Any]:
        self._generators = [moment.chance(generation, index) for index in range(self.population)]
        vectors: list[Any] = self._strategy.ask()
        return vectors

    def _randn(self, rows: int, columns: int) -> Any:
        """Normal numbers, a row for each creature, from its own generator."""
        return np.array([self._generators[row].standard_normal(columns) for row in range(rows)])
