"""What the claims about evolution share: runs that are lived once for all claims of a process, and their odds.

Every claim is measured over several seeds.  Two conditions are compared by the exact rank test, shares by Wilson's interval.
The populations are smaller and the runs shorter than in the sources; each claim says by how much.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from zoophyte.evolution.run import Run, evolve
from zoophyte.validation.catalogue import Measurement

ODDS = 0.05
"""Chance at which a difference counts as one."""
NORMAL = 1.959963984540054
"""Of the normal distribution, 95 % lies within so many deviations."""


@dataclass(frozen=True)
class Condition:
    """What is evolved, but for the seed.

    Args:
        task: its name, or an object that is a task.
        genome: the breed's name, or an object that is a breed.
        population: how many survive.
        generations: how many.
        selection: its name; the breed's own if left out.
        task_settings: names and values.
        genome_settings: names and values.
    """

    task: Any
    genome: Any
    population: int
    generations: int
    selection: str | None = None
    task_settings: tuple[tuple[str, Any], ...] = ()
    genome_settings: tuple[tuple[str, Any], ...] = ()


@cache
def evolved(condition: Condition, seed: int) -> Run:
    """The run of a condition and a seed; every claim of this process that asks gets the same one."""
    return evolve(
        condition.task, genome=condition.genome, population=condition.population, generations=condition.generations,
        selection=condition.selection, seed=seed, workers=1, task_settings=dict(condition.task_settings),
        genome_settings={name: list(value) if isinstance(value, tuple) else value
                         for name, value in condition.genome_settings},
    )  # fmt: skip


def finals(condition: Condition, seeds: Sequence[int]) -> list[float]:
    """Best fitness of each run."""
    return [evolved(condition, seed).best().fitness for seed in seeds]


def curve(run: Run, what: str = "best") -> Any:
    """Best, mean or diversity of every generation."""
    return np.array([getattr(row, what) for row in run.history()], float)


# ------------------------------------------------------------------------------------------------------ statistics


def rank_test(a: Sequence[float], b: Sequence[float]) -> float:
    """The chance that values as mixed as these would favour `a` so much if both had one distribution.

    The exact one-sided rank-sum test of Wilcoxon, Mann and Whitney: U counts the pairs in which a is the greater, a tie as a
    half; its chance is the share of all ways to call len(a) of the values "a" that give as large a U or a larger one.
    """
    values = [*a, *b]
    wins = np.array([[0.5 * (float(x > y) - float(x < y)) for y in values] for x in values])
    chosen = itertools.combinations(range(len(values)), len(a))

    def lead(group: Sequence[int]) -> float:
        rest = [n for n in range(len(values)) if n not in group]
        return float(wins[np.ix_(list(group), rest)].sum())

    found = lead(range(len(a)))
    leads = [lead(group) for group in chosen]
    return sum(one >= found - 1e-9 for one in leads) / len(leads)


def two_sided(a: Sequence[float], b: Sequence[float]) -> float:
    """The chance of so large a difference either way."""
    return min(1.0, 2.0 * min(rank_test(a, b), rank_test(b, a)))


def share_interval(hits: int, count: int) -> tuple[float, float]:
    """Where a share lies with 95 % certainty, after `hits` of `count` (Wilson)."""
    if not 0 <= hits <= count or count < 1:
        raise ValueError(f"{hits} of {count} is no share.")
    share, z = hits / count, NORMAL
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, middle - half), min(1.0, middle + half)


def sign_test(hits: int, count: int) -> float:
    """The chance of as many hits or more in `count` throws of a fair coin."""
    return float(sum(math.comb(count, k) for k in range(hits, count + 1)) / 2**count)


def trend(values: Sequence[float]) -> float:
    """Slope of a straight line through values at even distances, by least squares [per step]."""
    return float(np.polyfit(np.arange(len(values)), np.asarray(values, float), 1)[0])


# ---------------------------------------------------------------------------------------------------------- telling


def told(measured: str, expected: str, reproduced: bool, *, odds: str, what: str = "") -> Measurement:
    """A row of a claim in words.

    Args:
        measured: the figures.
        expected: what the document says.
        reproduced: whether they say the same.
        odds: how sure that is: seeds, test, interval.
        what: which part of the claim.
    """
    return Measurement(measured, expected, 0.0, bool(reproduced), odds, what)


def words(values: Sequence[float]) -> str:
    """Numbers to three digits."""
    return ", ".join(f"{value:.3g}" for value in values)
