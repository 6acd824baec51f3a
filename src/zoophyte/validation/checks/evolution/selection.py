"""Checks of selection: elitism and scaled fitness (Fontijne 2000, 4.4), takeover (Arnold 1997, 3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zoophyte.description import Body, Description
from zoophyte.evolution.protocols import Grown, Score
from zoophyte.evolution.run import evolve
from zoophyte.evolution.selection import (
    Comma,
    Proportional,
    drawn,
    offset_at,
    proportional_weights,
    takeover_expected,
    takeover_time,
)
from zoophyte.validation.catalogue import Measurement, at_most, check, compare, holds

SIZE = 6
SEEDS = range(5)
DRAWS = 60_000


@dataclass(frozen=True, eq=False)
class Point:
    """A genome without a body worth the name: a point, which is the better the nearer it is to (1, …, 1)."""

    values: Any

    def develop(self) -> Grown:
        """A dot that carries the point as its controller."""
        return Grown(Description(name="dot", bodies=[Body(name="dot")]), self)  # type: ignore[arg-type]

    def record(self) -> dict[str, Any]:
        """All of it."""
        return {"values": self.values}


@dataclass
class Shift:
    """A normal step of one point, or of the middle of two."""

    parents: int
    name: str = "shift"
    share: float = 1.0

    def __call__(self, parents: Sequence[Point], rng: np.random.Generator) -> Point:
        """The child."""
        middle = sum(parent.values for parent in parents) / len(parents)
        return Point(middle + 0.1 * rng.standard_normal(SIZE))


@dataclass(frozen=True)
class Points:
    """Their breed."""

    name: str = field(default="points", init=False)

    def random(self, rng: np.random.Generator) -> Point:
        """Anywhere in the unit cube."""
        return Point(rng.random(SIZE))

    def restore(self, record: dict[str, Any]) -> Point:
        """From its record."""
        return Point(record["values"])

    def operators(self) -> list[Shift]:
        """From one parent or from two."""
        return [Shift(1), Shift(2)]

    def settings(self) -> dict[str, Any]:
        """None."""
        return {}

    def difference(self, a: Point, b: Point) -> float:
        """Mean distance along the axes."""
        return float(np.abs(a.values - b.values).mean())


@dataclass(frozen=True)
class Nearness:
    """A task that is the same in every generation and knows no noise."""

    name: str = field(default="nearness", init=False)
    dt: float = field(default=0.01, init=False)
    sweeps: int = field(default=1, init=False)

    def trials(self, grown: Grown, stage: float, rng: np.random.Generator) -> list[Any]:
        """No life is needed."""
        return []

    def score(self, grown: Grown, trials: Any, lives: Any) -> Score:
        """1 at the corner, less elsewhere."""
        point: Any = grown.controller
        return Score(1.0 / (1.0 + float(((point.values - 1.0) ** 2).sum())))

    def settings(self) -> dict[str, Any]:
        """None."""
        return {}


@check("FON-E12", kind="law", title="Elitism", source="Fontijne 2000, 4.4; spec fontijne §5.5 E12")
def elitism() -> Iterator[Measurement]:
    """The best individual is copied unchanged (FON-68), so the best fitness of a generation never falls.

    This holds where evaluation knows no noise and the task stays the same.  The copy is judged anew, as everybody is: that
    it reaches the same fitness, bit for bit, is part of the check.  Without the copy the best is lost now and then, which
    shows that the check could fail.
    """
    falls, lost = [], 0
    for seed in SEEDS:
        options: dict[str, Any] = {
            "genome": Points(),
            "population": 20,
            "generations": 20,
            "seed": seed,
            "workers": 1,
        }
        best = [row.best for row in evolve(Nearness(), selection="proportional", **options).history()]
        falls.append(max(0.0, -float(np.diff(best).min())))
        without = evolve(Nearness(), selection=Proportional(elites=0), **options).history()
        lost += int((np.diff([row.best for row in without]) < 0.0).sum())
    yield at_most(falls, 0.0, why="the same computation", what="largest fall of the best, five seeds")
    yield holds(lost > 0, what="without elitism it falls now and then")


@check(
    "FON-E15", kind="law", title="Selection scaling", source="Fontijne 2000, 4.4.4; spec fontijne §5.5 E15"
)
def selection_scaling() -> Iterator[Measurement]:
    """Chances are in proportion to f + s·mean(f) (FON-69), normalised.

    The sum of f + s·f̄ over N individuals is N·f̄·(1 + s), so one with f = 0 has the chance s·f̄ / (N·f̄·(1 + s)) =
    s/(1 + s)/N: a third of an even chance for s = 1/2, whatever the others have.  s falls linearly from 0.5 where the first
    generation is selected from to 0 where the last one is bred, in the law and in a run.  A faulty creature (negative
    fitness) has no chance at all.
    """
    rng = np.random.default_rng(15)
    for count in (4, 100):
        fitness = np.append(0.0, rng.exponential(1.0, count - 1))
        weights = proportional_weights(fitness, 0.5)
        rounding = "rounding of sums of N terms"
        yield compare(
            float(weights[0]),
            1.0 / (3.0 * count),
            relative=1e-13,
            why=rounding,
            what=f"chance of a zero among {count}",
        )
        expected = (fitness + 0.5 * fitness.mean()) / (1.5 * fitness.sum())
        yield compare(weights, expected, relative=1e-13, why=rounding, what=f"all chances, N = {count}")
    shares = Proportional().weights([0.0, 1.0, -1.0], 0.0)
    found = drawn([0, 1, 2], shares, DRAWS, np.random.default_rng(69))
    yield compare(
        [found.count(n) / DRAWS for n in range(3)], [1 / 6, 5 / 6, 0.0], absolute=[0.0076, 0.0076, 0.0],
        why="five standard errors of 60000 draws", what="shares of draws in the first generation, one faulty",
    )  # fmt: skip
    last = Proportional().weights([0.0, 1.0, -1.0], 1.0)
    yield compare(last, [0.0, 1.0, 0.0], why="exact", what="chances in the last generation")
    offsets: list[float] = []

    class Watched(Proportional):
        def weights(self, fitness: Sequence[float], stage: float) -> Any:
            offsets.append(offset_at(stage, self.offset))
            return super().weights(fitness, stage)

    evolve(Nearness(), genome=Points(), population=4, generations=6, seed=69, workers=1, selection=Watched())
    yield compare(
        list(dict.fromkeys(offsets)), [0.5, 0.375, 0.25, 0.125, 0.0], why="exact: quarters of 1/2",
        what="s in a run of six generations, five of which have parents",
    )  # fmt: skip


@check(
    "LAW-takeover",
    kind="law",
    title="Takeover by truncation",
    source="Arnold 1997, 3.1.3 (ARN-61), after Bäck",
)
def takeover() -> Iterator[Measurement]:
    """Generations until selection alone fills the population with copies of the best.

    In (n, 6n) truncation the best has six times as many copies after every generation, so after ln(6n)/ln 6 of them
    there are 6n.  Generations are whole and parents are drawn, so the mean of runs lies within one generation of this.
    """
    for population in (16, 64):
        times = [takeover_time(Comma(), population, np.random.default_rng(seed)) for seed in range(20)]
        yield compare(
            float(np.mean(times)), takeover_expected(population), absolute=1.0, why="generations are whole numbers",
            what=f"mean of 20, n = {population}",
        )  # fmt: skip
