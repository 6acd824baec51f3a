"""Made-up runs of evolution for tests of their pages: no physics, but parents, operators and failures as in real ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from zoophyte.evolution.report import Birth, Generation

OPERATORS = ("mutate spectrum", "mutate body", "limb recombination", "graft")
FAULTS = (
    ("cheated", "energy of {:.3g} J came from nowhere"),
    ("diverged", "its velocity is not finite or beyond 1000; try a smaller dt"),
    ("overlapping", "leg {:.0f} lies in the trunk"),
)


@dataclass(frozen=True)
class MadeRun:
    """A run that never was."""

    name: str
    configuration: Mapping[str, Any]
    rows: tuple[Generation, ...]
    members: tuple[Birth, ...]
    extra: dict[str, Any] = field(default_factory=dict)

    def history(self) -> tuple[Generation, ...]:
        return self.rows

    def births(self) -> tuple[Birth, ...]:
        return self.members


def made_run(
    *,
    seed: int = 1,
    generations: int = 30,
    population: int = 24,
    drift: float = 0.0,
    name: str = "",
    **asked: Any,
) -> MadeRun:
    """Truncation selection on a random walk of fitness.

    Args:
        seed: of it.
        generations: how many.
        population: born in each.
        drift: added to every child's fitness.
        name: of the run.
        asked: more of its configuration.
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, 6))))
    members: list[Birth] = []
    rows: list[Generation] = []
    parents: list[Birth] = []
    for generation in range(generations):
        children = [_child(rng, generation, len(members) + n, parents, drift) for n in range(population)]
        members += children
        sound = sorted((c.fitness for c in children if c.is_sound), reverse=True) or [0.0]
        lower, median, upper = np.percentile(sound, [25, 50, 75])
        rows.append(
            Generation(
                generation, sound[0], float(np.mean(sound)), float(lower), float(median), float(upper),
                0.9 / (1 + 0.12 * generation) + 0.05 * float(rng.random()), population,
                population - len(sound), 0.4 + 0.1 * float(rng.random()),
            )
        )  # fmt: skip
        parents = sorted([*children, *parents], key=lambda c: -c.fitness)[: max(2, population // 6)]
    configuration = {
        "command": f"zoophyte evolve walk --seed {seed}", "task": {"name": "walk", "seconds": 10.0, "settle": 1.0},
        "genome": {"name": "limbed", "pairs": [2, 3]}, "population": population, "generations": generations,
        "seed": seed, "version": "0.5.0", **asked,
    }  # fmt: skip
    return MadeRun(name or f"walk-{seed}.db", configuration, tuple(rows), tuple(members))


def _child(
    rng: np.random.Generator, generation: int, number: int, parents: list[Birth], drift: float
) -> Birth:
    seconds = float(rng.gamma(3.0, 0.01))
    speed = float(rng.random())
    if not parents:
        birth = Birth(number, generation, (), "random", float(rng.exponential(0.4)), seconds=seconds)
    else:
        operator = OPERATORS[int(rng.choice(4, p=[0.5, 0.25, 0.15, 0.1]))]
        count = 2 if operator in OPERATORS[2:] else 1
        chosen = rng.choice(len(parents), min(count, len(parents)), replace=False)
        first = parents[int(chosen[0])]
        fitness = max(0.0, first.fitness + float(rng.normal(drift, 0.25)))
        numbers = tuple(parents[int(n)].number for n in chosen)
        birth = Birth(number, generation, numbers, operator, fitness, seconds=seconds)
    birth = replace(birth, descriptors={"speed": speed, "height": 0.3 + 0.1 * speed})
    if rng.random() < 0.12:
        status, reason = FAULTS[int(rng.integers(len(FAULTS)))]
        return replace(birth, fitness=-1.0, status=status, reason=reason.format(10 * float(rng.random())))
    return replace(birth, status="fell", reason="") if rng.random() < 0.2 else birth
