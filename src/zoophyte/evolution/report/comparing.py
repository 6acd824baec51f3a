"""Several runs against each other: conditions, confidence intervals, and a rank test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.errors import counted
from zoophyte.evolution.precision import DOUBLE
from zoophyte.evolution.report.data import OWN, Generation, is_said_to_change, title_said

Floats = NDArray[np.float64]

RESAMPLES = 10_000
CURVE_RESAMPLES = 2_000
CONFIDENCE = 0.95
FEW = 5
"""Runs below which resampling tells no interval: two or three values drawn again and again are too narrow."""
SEED = 75  # of resampling: the same runs give the same intervals
NOT_CONDITIONS = (
    "seed", "name", "path", "store", "command", "workers", "repeat", "version", "physics", "numpy", "python", "machine",
    "created", "changes", "unit",
)  # fmt: skip
"""Keys of configurations that tell runs of one condition apart, or do not change results."""
LABEL, ALL = "label", "all runs"
POPULATION = "population"
OWNERS = {
    "selection": ("scheme.name",), "genome.settings.world": ("task.name",), POPULATION: ("scheme.name", "selection.name"),
}  # fmt: skip
"""What else a setting, or all settings of a part, may follow from: a scheme may bring its own selection, a task what is
seen, and where equally many are born, schemes and selections let more or fewer of them survive."""
PICKS = "picks"
"""The key under which a run keeps the choices that were made in it by eye."""


@dataclass(frozen=True, eq=False)
class Condition:
    """Runs that were asked the same.

    Args:
        label: what is special about it.
        members: indices of its runs.
        finals: the best fitness of each run, over all its generations.
        mean: of `finals`.
        interval: of the mean, by bootstrap; of few runs the least and the most; NaN for a single run.
        generations: their numbers.
        curve: mean over the runs of the best fitness up to each generation.
        low: lower end of its interval; NaN where fewer than two runs got so far.
        high: upper end.
    """

    label: str
    members: tuple[int, ...]
    finals: Floats
    mean: float
    interval: tuple[float, float]
    generations: Floats
    curve: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Contest:
    """Two conditions against each other.

    Args:
        first: index of a condition.
        second: index of the other.
        u: statistic of Mann and Whitney for the first.
        p: two-sided probability of such ranks by chance.
        adjusted: the same after Holm's correction for all pairs on the page.
        superiority: probability that a run of the first beats one of the second, ties counted half (the effect's size).
    """

    first: int
    second: int
    u: float
    p: float
    adjusted: float
    superiority: float


def flattened(configuration: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested mappings as one, with dotted keys.

    Args:
        configuration: plain values.
        prefix: of the keys.
    """
    flat: dict[str, Any] = {}
    for key, value in configuration.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and value:
            flat.update(flattened(value, f"{name}."))
        else:
            flat[name] = value
    return flat


def conditions_of(
    configurations: Sequence[Mapping[str, Any]], histories: Sequence[Sequence[Generation]]
) -> list[Condition]:
    """Runs grouped by what was asked, in the order in which they are given.

    Args:
        configurations: of the runs.
        histories: of the runs, in the same order.
    """
    flats = [_asked(configuration) for configuration in configurations]
    names = dict.fromkeys(name for flat in flats for name in flat)
    differing = [name for name in names if len({repr(flat.get(name)) for flat in flats}) > 1]
    if (
        len({history[0].lives for history in histories if history}) > 1
    ):  # else it is the births that were asked for
        owners = {name: whose for name, whose in OWNERS.items() if name != POPULATION}
    else:
        owners = OWNERS
    telling = [name for name in differing if not _follows(name, flats, owners)]
    telling.sort(key=lambda name: not name.endswith(".name"))  # kinds first
    groups: dict[tuple[str, ...], list[int]] = {}
    for n, flat in enumerate(flats):
        groups.setdefault(tuple(repr(flat.get(name)) for name in differing), []).append(n)
    made: list[Condition] = []
    for number, members in enumerate(groups.values()):
        flat = flats[members[0]]
        label = _label_of(flat, flats, telling)
        twins = sum(condition.label.partition(" #")[0] == label for condition in made)
        label = f"{label} #{twins + 1}" if twins else label
        so_far = not is_said_to_change(configurations[members[0]])
        made.append(_condition(label, members, [histories[n] for n in members], number, so_far=so_far))
    return made


def _label_of(flat: Mapping[str, Any], flats: Sequence[Mapping[str, Any]], telling: Sequence[str]) -> str:
    """What a condition is called: the name that was given to it, where no other has that; else what is special about it."""
    given = flat.get(LABEL)
    rest = [name for name in telling if name != LABEL]
    known = [name for name in rest if name in flat] or rest  # who has no such setting need not say so
    special = [_told(name, telling, flat.get(name)) for name in known]
    if not given:
        return ", ".join(special) or ("no label" if LABEL in telling else ALL)
    alike = [other for other in flats if other.get(LABEL) == given]
    shared = any(other.get(name) != flat.get(name) for other in alike for name in rest)
    return ", ".join([str(given), *special]) if shared else str(given)


def _follows(
    name: str, flats: Sequence[Mapping[str, Any]], more_owners: Mapping[str, tuple[str, ...]]
) -> bool:
    """Whether a setting differs only because what it belongs to does.

    That another scheme has other settings goes without saying, and so does that it brings a selection of its own.
    """
    part = name.partition(".")[0]
    owners = [f"{part}.name", *more_owners.get(part, ()), *more_owners.get(name, ())]
    owners = [owner for owner in dict.fromkeys(owners) if owner != name]
    groups: dict[tuple[str, ...], set[str]] = {}
    for flat in flats:
        groups.setdefault(tuple(repr(flat.get(owner)) for owner in owners), set()).add(repr(flat.get(name)))
    return len(groups) > 1 and all(len(values) == 1 for values in groups.values())


def distinct(
    configurations: Sequence[Mapping[str, Any]], histories: Sequence[Sequence[Generation]]
) -> list[int]:
    """Which runs to count: two files of one run tell no more than one of them.

    One run is what was asked the same with the same seed, and went the same way as far as both got; of its files the one
    counts that got farthest.  Runs of one seed that begin with other founders are runs of their own.

    Args:
        configurations: of the runs.
        histories: of the runs, in the same order.
    """
    runs = list(zip(configurations, histories, strict=True))
    kept: list[int] = []
    for n, run in enumerate(runs):
        twin = next((k for k in kept if _is_one(runs[k], run)), None)
        if twin is None:
            kept.append(n)
        elif len(histories[n]) > len(histories[twin]):
            kept[kept.index(twin)] = n
    return kept


def _is_one(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    """Whether two files hold one run; without seeds nobody knows."""
    (asked, rows), (asked_too, rows_too) = one, other
    if asked.get("seed") is None or asked["seed"] != asked_too.get("seed"):
        return False
    ways = [[repr((row.best, row.mean)) for row in each] for each in (rows, rows_too)]  # NaN is NaN
    return _asked(asked) == _asked(asked_too) and all(a == b for a, b in zip(*ways, strict=False))


def _asked(configuration: Mapping[str, Any]) -> dict[str, Any]:
    asked = {"precision": DOUBLE, **configuration}  # runs of old do not say it
    flat = {key: value for key, value in flattened(asked).items() if key not in NOT_CONDITIONS}
    if flat.get("task.name") == OWN:
        flat["task.name"] = title_said(configuration.get("task"))
    if not flat.get(LABEL):
        flat.pop(LABEL, None)
    return flat


def _short(name: str, names: Sequence[str]) -> str:
    """The last part of a dotted key, where that is enough to tell it from the others."""
    last = name.rpartition(".")[2]
    return last if sum(other.rpartition(".")[2] == last for other in names) == 1 else name


def _told(name: str, names: Sequence[str], value: Any) -> str:
    """A setting in words. Of choices by eye their number: whom they chose, nobody could read."""
    if name == PICKS:
        return f"{counted(len(value), 'choice')} by eye" if value else "no choice by eye"
    if name.endswith(".name"):  # limbed, elites, comma: everybody knows of what these are the names
        return _said(value)
    return f"{_short(name, names)} {_said(value)}"


def _said(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _condition(
    label: str,
    members: Sequence[int],
    histories: Sequence[Sequence[Generation]],
    number: int,
    *,
    so_far: bool,
) -> Condition:
    """What runs of one condition have in common.

    Args:
        label: of the condition.
        members: places of its runs.
        histories: of these runs.
        number: of the condition.
        so_far: whether the best of all generations so far counts, and not that of each: the task was the same.
    """
    best = [_finite([row.best for row in history]) for history in histories if history]
    best = [np.maximum.accumulate(one) for one in best] if so_far else best
    finals = np.array([float(run[-1]) for run in best])
    length = max((len(run) for run in best), default=0)
    table = np.full((len(best), length), np.nan)
    for row, run in zip(table, best, strict=True):
        row[: len(run)] = run
    generations = next(
        ([row.number for row in history] for history in histories if len(history) == length), []
    )
    low, high = np.full(length, np.nan), np.full(length, np.nan)
    for column in range(length):
        there = table[np.isfinite(table[:, column]), column]
        low[column], high[column] = spread(there, resamples=CURVE_RESAMPLES, stream=number)
    counts = np.isfinite(table).sum(axis=0)
    curve = np.nansum(table, axis=0) / np.maximum(counts, 1)
    mean = float(finals.mean()) if len(finals) else math.nan
    interval = spread(finals, stream=number)
    return Condition(
        label, tuple(members), finals, mean, interval, np.array(generations, float), curve, low, high
    )


def _finite(values: Sequence[float]) -> Floats:
    """Fitness with what is not known taken as nothing achieved."""
    return np.asarray(np.nan_to_num(np.array(values, float), nan=0.0, posinf=0.0, neginf=0.0), float)


def spread(values: Floats, *, resamples: int = RESAMPLES, stream: int = 0) -> tuple[float, float]:
    """The interval of the mean by resampling; of fewer than `FEW` values the least and the most; NaN of fewer than two.

    Args:
        values: one of each run.
        resamples: how often to draw.
        stream: number of the stream of random numbers.
    """
    if 2 <= len(values) < FEW:
        return float(values.min()), float(values.max())
    return bootstrap_interval(values, resamples=resamples, stream=stream)


def bootstrap_interval(values: Floats, *, resamples: int = RESAMPLES, stream: int = 0) -> tuple[float, float]:
    """Percentile interval of the mean by resampling (Efron, "Bootstrap methods", 1979), always the same.

    Args:
        values: one of each run.
        resamples: how often to draw.
        stream: number of the stream of random numbers.

    Returns:
        Both ends; NaN for fewer than two values.
    """
    if len(values) < 2:
        return math.nan, math.nan
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence((SEED, stream))))
    means = values[rng.integers(0, len(values), (resamples, len(values)))].mean(axis=1)
    tail = 50.0 * (1.0 - CONFIDENCE)
    low, high = np.percentile(means, [tail, 100.0 - tail])
    return float(low), float(high)


def contests(conditions: Sequence[Condition]) -> list[Contest]:
    """A rank test for each pair of conditions that have two runs or more each.

    Mann and Whitney, "On a test of whether one of two random variables is stochastically larger than the other" (1947);
    corrected for the number of pairs as in Holm, "A simple sequentially rejective multiple test procedure" (1979).
    """
    from scipy.stats import mannwhitneyu

    pairs = [
        (a, b)
        for a, b in combinations(range(len(conditions)), 2)
        if min(len(conditions[a].finals), len(conditions[b].finals)) >= 2
    ]
    tested = []
    for a, b in pairs:
        x, y = conditions[a].finals, conditions[b].finals
        result = mannwhitneyu(x, y, alternative="two-sided")
        tested.append((a, b, float(result.statistic), float(result.pvalue), len(x) * len(y)))
    order = sorted(range(len(tested)), key=lambda n: tested[n][3])
    adjusted = [0.0] * len(tested)
    largest = 0.0
    for rank, n in enumerate(order):
        largest = max(largest, min(1.0, (len(tested) - rank) * tested[n][3]))
        adjusted[n] = largest
    return [
        Contest(a, b, u, p, corrected, u / count)
        for (a, b, u, p, count), corrected in zip(tested, adjusted, strict=True)
    ]
