"""What a run's births add up to: how often operators succeed, how lives fail, where the time goes."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from zoophyte.errors import UsageError
from zoophyte.evolution.report.data import Birth, Generation

REASONS = 3  # told of each status
PLAINLY = {
    "overlapping at": "born with parts in each other",
    "came from nowhere": "made energy out of nothing",
    "a link moved at": "a part moved faster than is believed",
    "deep in another": "a part was pushed deep into something",
    "velocity is not finite": "blew up",
    "below the ground, which it cannot touch": "fell through a ground that it cannot touch",
}
"""What reasons with these words in them have in common, however their parts and numbers differ."""
REASON_LENGTH = 140
NUMBER = re.compile(r"(?<![\w.])[-−+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class OperatorTally:
    """How an operator fared.

    Args:
        name: of it.
        children: that it made and that were judged.
        failed: how many of them were faulty.
        improved: how many were fitter than the fitter of their parents.
        mean_gain: mean of how much fitter, over those that were sound; NaN where none has parents.
        best: fitness of its best child; NaN if all were faulty.
        on_trunk: how often it made an ancestor of the champion, along the trunk.
    """

    name: str
    children: int
    failed: int
    improved: int
    mean_gain: float
    best: float
    on_trunk: int

    @property
    def success(self) -> float:
        """Share of children that were fitter than their parents (the success rule's p, ARN-63)."""
        return self.improved / self.children if self.children else math.nan


@dataclass(frozen=True)
class StatusTally:
    """How often lives ended in one way.

    Args:
        status: the way.
        count: how often.
        share: of all lives.
        faulty: how many of these had a fitness below zero.
        reasons: the commonest in words, and how often each.
    """

    status: str
    count: int
    share: float
    faulty: int
    reasons: tuple[tuple[str, int], ...]


def operator_tallies(births: Sequence[Birth], trunk: Sequence[int] = ()) -> list[OperatorTally]:
    """All operators of a run, the most used first.

    Args:
        births: of the run.
        trunk: numbers of the champion and its line of first parents.
    """
    by_number = {birth.number: birth for birth in births}
    on_trunk = Counter(by_number[number].operator for number in trunk if number in by_number)
    groups: dict[str, list[Birth]] = {}
    for birth in births:
        if not math.isnan(birth.fitness):
            groups.setdefault(birth.operator, []).append(birth)
    tallies = []
    for name, children in groups.items():
        gains = []
        for child in children:
            parents = [by_number[p].fitness for p in child.parents if p in by_number]
            if parents and child.is_sound:
                gains.append(child.fitness - max(parents))
        sound = [child.fitness for child in children if child.is_sound]
        tallies.append(
            OperatorTally(
                name, len(children), len(children) - len(sound), sum(gain > 0.0 for gain in gains),
                sum(gains) / len(gains) if gains else math.nan, max(sound, default=math.nan), on_trunk[name],
            )
        )  # fmt: skip
    return sorted(tallies, key=lambda tally: (-tally.children, tally.name))


def status_tallies(births: Sequence[Birth]) -> list[StatusTally]:
    """All ways in which lives ended, the commonest first.

    Reasons that differ only by names and numbers of what is well known count as one: ``born with parts in each other``; of
    others that differ only by numbers, the first is told.

    Args:
        births: of the run.
    """
    judged = [birth for birth in births if not math.isnan(birth.fitness)]
    groups: dict[str, list[Birth]] = {}
    for birth in judged:
        groups.setdefault(birth.status, []).append(birth)
    tallies = []
    for status, members in groups.items():
        told = [birth.reason for birth in members if birth.reason]
        first = {alike(reason): reason for reason in reversed(told)}
        reasons = Counter(alike(reason) for reason in told)
        faulty = sum(not birth.is_sound for birth in members)
        common = tuple((worded(first[key]), count) for key, count in reasons.most_common(REASONS))
        tallies.append(StatusTally(status, len(members), len(members) / len(judged), faulty, common))
    return sorted(tallies, key=lambda tally: (-tally.count, tally.status))


def worded(reason: str) -> str:
    """A reason in words: those of `PLAINLY`, or its own, cut to a line."""
    for mark, words in PLAINLY.items():
        if mark in reason:
            return words
    text = " ".join(reason.split())
    return text if len(text) <= REASON_LENGTH else f"{text[: REASON_LENGTH - 1]}…"


def alike(reason: str) -> str:
    """What two reasons have in common that count as one."""
    return NUMBER.sub("…", worded(reason))


def best_births(births: Sequence[Birth], count: int) -> list[Birth]:
    """The fittest, the oldest first among equals; twins (copies that scored the same) are shown once.

    Args:
        births: of the run.
        count: at most so many.
    """
    ranked = sorted((b for b in births if b.is_sound), key=lambda b: (-b.fitness, b.number))
    chosen: list[Birth] = []
    seen: set[float] = set()
    for birth in ranked:
        if birth.fitness not in seen:
            seen.add(birth.fitness)
            chosen.append(birth)
        if len(chosen) == count:
            break
    return chosen


def as_generation(row: Any) -> Generation:
    """A row of a history, whatever it is made of.

    Args:
        row: something with the fields of :class:`Generation` as attributes or keys.

    Raises:
        UsageError: when it lacks one that is needed.
    """
    if isinstance(row, Generation):
        return row
    given: dict[str, Any] = {}
    for field in fields(Generation):
        names = (field.name, *SYNONYMS.get(field.name, ()))
        for name in names:
            value = row.get(name) if isinstance(row, Mapping) else getattr(row, name, None)
            if value is not None:
                given[field.name] = value
                break
    try:
        return Generation(**given)
    except TypeError as failure:
        raise UsageError(
            f"history: a row lacks something: {failure}. Rows have the fields of Generation."
        ) from None


SYNONYMS = {"number": ("generation",), "lives": ("births", "evaluated")}
"""Names under which rows may hold the same."""
