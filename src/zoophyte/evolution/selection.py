"""Selection: who becomes a parent, and who survives.

| name | births per survivor | parents | survivors | copied unchanged |
|---|---|---|---|---|
| `comma` | 6 | any two | the best n of the offspring: (n, 6n) truncation (ARN-58, 59) | none |
| `roulette` | 6 | any two | drawn from the offspring, in proportion to fitness (ARN-60) | none |
| `proportional` | 1 | drawn in proportion to f + s·mean(f), s falling from 0.5 to 0 (FON-68, 69) | all | the best |
| `tournament` | 1 | the best of k drawn at random | all | the best |

A negative fitness marks a faulty creature: it is never a parent and survives only where `proportional` keeps everybody.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from zoophyte.errors import UsageError, nearest
from zoophyte.evolution.protocols import Individual
from zoophyte.evolution.variation import Floats

Item = TypeVar("Item")

BROOD = 6
"""Offspring per parent in (n, 6n) selection (ARN-58)."""
FIRST_OFFSET = 0.5
"""Of fitness, in parts of its mean, in the first generation (FON-69)."""


class Selection(Protocol):
    """Who becomes a parent, and who survives.

    Attributes:
        name: as in `zoophyte evolve --selection NAME`.
        brood: births per survivor.
        elites: how many of the best are copied unchanged, and judged anew.
    """

    @property
    def name(self) -> str:
        """As in `--selection NAME`."""
        ...

    @property
    def brood(self) -> int:
        """Births per survivor."""
        ...

    @property
    def elites(self) -> int:
        """How many of the best are copied unchanged."""
        ...

    def weights(self, fitness: Sequence[float], stage: float) -> Any:
        """The chance of each to be drawn as a parent."""
        ...

    def survivors(
        self, offspring: Sequence[Individual], count: int, stage: float, rng: np.random.Generator
    ) -> list[Individual]:
        """Those of whom the next generation is bred."""
        ...


# --------------------------------------------------------------------------------------------- the laws themselves


def ranked(individuals: Sequence[Individual]) -> list[Individual]:
    """The best first; of equals, the older."""
    return sorted(individuals, key=lambda one: (-one.fitness, one.number))


def sound(individuals: Sequence[Individual]) -> list[Individual]:
    """Without those whose fitness says that they are faulty (FON-68)."""
    return [one for one in individuals if one.fitness >= 0.0]


def offset_at(stage: float, first: float = FIRST_OFFSET) -> float:
    """The offset s of FON-69: `first` where the first generation is selected from, linearly down to 0 at the last.

    Args:
        stage: 0 where the parents are the first generation, 1 where they are the last that has children.
        first: s at the first.
    """
    return first * (1.0 - stage)


def proportional_weights(fitness: Sequence[float] | Floats, offset: float) -> Any:
    """Chances in proportion to f + s·mean(f) (FON-69): 0 for the faulty, equal where nobody achieved anything.

    With s = 1/2 an individual of fitness 0 among N has the chance s / ((1 + s)·N) = 1/(3N) (FON-E15).

    Args:
        fitness: of all; negative means faulty, and counts neither in the sum nor in the mean.
        offset: s.
    """
    values = np.asarray(fitness, float)
    good = values >= 0.0
    if not good.any():
        return np.zeros(len(values))
    used = np.where(good, values + offset * float(np.sum(values[good])) / int(good.sum()), 0.0)
    total = float(used.sum())
    if not (total > 0.0 and math.isfinite(total)):
        used, total = np.where(good, 1.0, 0.0), float(good.sum())
    return used / total


def drawn(items: Sequence[Item], weights: Any, count: int, rng: np.random.Generator) -> list[Item]:
    """Draw with replacement: one random number each, looked up in the running sum of the chances.

    Args:
        items: to draw from.
        weights: chances, of sum 1.
        count: how many.
        rng: chance.
    """
    edges = np.cumsum(np.asarray(weights, float))
    last = int(np.flatnonzero(np.asarray(weights) > 0.0)[-1])
    places = np.searchsorted(edges, rng.random(count) * edges[-1], side="right")
    return [items[min(int(place), last)] for place in places]


def tournament_weights(fitness: Sequence[float], size: int) -> Any:
    """Chances to win a tournament of `size` drawn with replacement from the sound; of equals, the first wins.

    The winner has rank r of N (0 the best) with chance ((N − r)/N)^k − ((N − r − 1)/N)^k.

    Args:
        fitness: of all; negative means faulty.
        size: k.
    """
    values = np.asarray(fitness, float)
    weights = np.zeros(len(values))
    order = [place for place in np.argsort(-values, kind="stable") if values[place] >= 0.0]
    for rank, place in enumerate(order):
        left = len(order) - rank
        weights[place] = (left / len(order)) ** size - ((left - 1) / len(order)) ** size
    return weights


# ------------------------------------------------------------------------------------------- by name, for schemes


@dataclass(frozen=True)
class Comma:
    """(n, 6n) truncation: any two are parents, the best n of the offspring survive, parents never do (ARN-58, 59).

    Args:
        brood: offspring per survivor.
        elites: how many of the best are copied unchanged.
    """

    brood: int = BROOD
    elites: int = 0
    name = "comma"

    def weights(self, fitness: Sequence[float], stage: float) -> Any:
        """The same for all that are sound."""
        return proportional_weights(np.sign(np.asarray(fitness, float)).clip(-1.0, 0.0), 0.0)

    def survivors(
        self, offspring: Sequence[Individual], count: int, stage: float, rng: np.random.Generator
    ) -> list[Individual]:
        """The best."""
        return ranked(sound(offspring))[:count]


@dataclass(frozen=True)
class Roulette:
    """Survivors are drawn from the offspring in proportion to fitness, without copies of the best (ARN-60).

    Args:
        brood: offspring per survivor.
        elites: how many of the best are copied unchanged.
    """

    brood: int = BROOD
    elites: int = 0
    name = "roulette"

    def weights(self, fitness: Sequence[float], stage: float) -> Any:
        """The same for all that are sound."""
        return Comma().weights(fitness, stage)

    def survivors(
        self, offspring: Sequence[Individual], count: int, stage: float, rng: np.random.Generator
    ) -> list[Individual]:
        """Drawn with replacement: the good may survive several times."""
        chances = proportional_weights([one.fitness for one in offspring], 0.0)
        return drawn(offspring, chances, count, rng) if chances.any() else []


@dataclass(frozen=True)
class Proportional:
    """Parents are drawn in proportion to f + s·mean(f); the best is copied; all offspring survive (FON-68, 69).

    Args:
        offset: s in the first generation; it falls to 0 in the last.
        elites: how many of the best are copied unchanged.
        brood: offspring per survivor.
    """

    offset: float = FIRST_OFFSET
    elites: int = 1
    brood: int = 1
    name = "proportional"

    def weights(self, fitness: Sequence[float], stage: float) -> Any:
        """In proportion to f + s·mean(f)."""
        return proportional_weights(fitness, offset_at(stage, self.offset))

    def survivors(
        self, offspring: Sequence[Individual], count: int, stage: float, rng: np.random.Generator
    ) -> list[Individual]:
        """All of them; of larger broods the first."""
        return list(offspring)[:count]


@dataclass(frozen=True)
class Tournament:
    """A parent is the best of a few that are drawn at random; the best of all is copied; all offspring survive.

    Args:
        size: of a tournament.
        elites: how many of the best are copied unchanged.
        brood: offspring per survivor.
    """

    size: int = 3
    elites: int = 1
    brood: int = 1
    name = "tournament"

    def weights(self, fitness: Sequence[float], stage: float) -> Any:
        """The chance to win."""
        return tournament_weights(fitness, self.size)

    def survivors(
        self, offspring: Sequence[Individual], count: int, stage: float, rng: np.random.Generator
    ) -> list[Individual]:
        """All of them; of larger broods the first."""
        return list(offspring)[:count]


SELECTIONS: dict[str, Callable[..., Selection]] = {
    "comma": Comma,
    "roulette": Roulette,
    "proportional": Proportional,
    "tournament": Tournament,
}
_WHOLE = {"brood": 1, "elites": 0, "size": 1}


def selection(name: str, **settings: Any) -> Selection:
    """The selection of this name.

    Args:
        name: one of `SELECTIONS`.
        settings: see its class.

    Raises:
        UsageError: names what is known.
    """
    if name not in SELECTIONS:
        known = ", ".join(SELECTIONS)
        raise UsageError(
            f"selection '{name}' is unknown. Known: {known}. {nearest(name, SELECTIONS)}".rstrip()
        )
    try:
        made = SELECTIONS[name](**settings)
    except TypeError:
        given = ", ".join(settings)
        allowed = ", ".join(SELECTIONS[name].__dataclass_fields__)  # type: ignore[attr-defined]
        raise UsageError(f"selection '{name}' was given {given}; it has {allowed}.") from None
    for key, value in settings_of(made).items():
        least = _WHOLE.get(key)
        if least is not None and not (isinstance(value, int) and value >= least):
            raise UsageError(
                f"selection '{name}': {key} is {value!r}, must be a whole number, {least} or more."
            )
        if key == "offset" and not (math.isfinite(value) and value >= 0.0):
            raise UsageError(f"selection '{name}': offset is {value!r}, must be a number, 0 or more.")
    return made


def settings_of(made: Selection) -> dict[str, Any]:
    """What makes a selection what it is, as plain values."""
    return asdict(made)  # type: ignore[call-overload,no-any-return]


# ----------------------------------------------------------------------------------------------- takeover (ARN-61)


def takeover_time(
    chosen: Selection, population: int, rng: np.random.Generator, *, limit: int = 10_000
) -> int:
    """Generations until selection alone, without variation, has filled the population with copies of the best.

    Args:
        chosen: the selection.
        population: n.
        rng: chance.
        limit: of generations; where the best got lost, or it takes longer, this is returned.
    """
    births = population * chosen.brood
    fitness = np.arange(1.0, births + 1.0)
    members = _plain(fitness)
    for generation in range(1, limit + 1):
        kept = chosen.survivors(members, population, 0.0, rng)
        values = [one.fitness for one in kept]
        if all(value == births for value in values):
            return generation - 1
        copies = sorted(values, reverse=True)[: chosen.elites]
        drawn_ones = drawn(values, chosen.weights(values, 0.0), births - len(copies), rng)
        members = _plain([*copies, *drawn_ones])
    return limit


def takeover_expected(population: int, brood: int = BROOD) -> float:
    """ln(6n)/ln 6: the best has 6 times as many copies after every generation of (n, 6n) truncation (ARN-61).

    Args:
        population: n.
        brood: offspring per survivor.
    """
    return math.log(brood * population) / math.log(brood)


def _plain(fitness: Sequence[float] | Any) -> list[Individual]:
    from zoophyte.evolution.protocols import Score

    return [Individual(number, 0, None, score=Score(float(f))) for number, f in enumerate(fitness)]
