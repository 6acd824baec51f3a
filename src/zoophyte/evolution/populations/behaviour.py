"""Behaviour: descriptors as points, for schemes that look for what is different rather than for what is best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zoophyte.errors import UsageError, brief, is_number, nearest
from zoophyte.evolution.protocols import Individual
from zoophyte.evolution.tasks.measures import BOUNDS

MARGIN = 0.5
"""By which the range that the founders spanned is widened at both ends, in parts of it."""


def spans(
    founders: Sequence[Individual], names: Sequence[str] | None, count: int | None = None
) -> list[list[Any]]:
    """[name, low, high] of the descriptors in use, from what the founders showed, and a margin.

    Args:
        founders: judged individuals.
        names: of the descriptors; all that differ between founders, if left out.
        count: how many to take if no names are given.

    Raises:
        UsageError: when the task does not describe behaviour, or not by these names.
    """
    seen = [one.score.descriptors for one in founders if one.score is not None and one.fitness >= 0.0]
    known = list(dict.fromkeys(name for each in seen for name in each))
    if not known:
        raise UsageError(
            "this population tells creatures apart by the descriptors of the task, and it gives none. Choose another "
            "scheme, or a task whose scores have descriptors."
        )
    for name in names or ():
        if name not in known:
            how = nearest(name, known)
            raise UsageError(
                f"descriptor '{name}' is unknown; the task gives {', '.join(known)}. {how}".rstrip()
            )
    found = []
    for name in names or known:
        values = [each[name] for each in seen if math.isfinite(each.get(name, math.nan))]
        low, high = (min(values), max(values)) if values else (0.0, 0.0)
        if high > low or names:
            widen = MARGIN * (high - low) or 1.0
            found.append([name, low - widen, high + widen])
    if not found:
        raise UsageError(f"no descriptor of the task ({', '.join(known)}) differs between creatures.")
    return found if names else found[:count]


def niched(
    axes: Sequence[Sequence[Any]],
    founders: Sequence[Individual],
    ranges: Mapping[str, Sequence[float]] | None,
) -> list[list[Any]]:
    """Axes with the ranges that were asked for; others end where their descriptor does by its nature, as a distance at 0.

    Args:
        axes: as `spans` found them.
        founders: judged individuals. A bound beyond which one of them is, is none: the descriptor is another of that name.
        ranges: lower and upper end by the name of the descriptor.
    """
    found = []
    for name, low, high in axes:
        if ranges and name in ranges:
            low, high = ranges[name]
        else:
            seen = [one.score.descriptors.get(name, math.nan) for one in founders if one.score is not None]
            least, most = BOUNDS.get(name, (-math.inf, math.inf))
            low = low if any(value < least for value in seen) else max(low, least)
            high = high if any(value > most for value in seen) else min(high, most)
        found.append([name, float(low), float(high)])
    return found


def checked_ranges(given: Any, names: Sequence[str] | None) -> dict[str, list[float]] | None:
    """Ranges of descriptors that somebody asked for, as plain numbers.

    Args:
        given: two numbers by the name of a descriptor; None for no ranges.
        names: of the descriptors in use; None where the ranges name them.

    Raises:
        UsageError: says what is no range, and how one is written.
    """
    if given is None:
        return None
    how = "as ranges={distance: [0, 10]}"
    if not (isinstance(given, Mapping) and given):
        raise UsageError(f"ranges is {brief(given)}, must give two numbers for each descriptor, {how}.")
    for name, ends in given.items():
        if names is not None and name not in names:
            told = f"ranges names {brief(name)}, which is none of the descriptors, {', '.join(names)}."
            raise UsageError(f"{told} {nearest(str(name), names)}".rstrip())
        is_pair = isinstance(ends, Sequence) and not isinstance(ends, str) and len(ends) == 2
        if not (is_pair and all(is_number(end) and math.isfinite(end) for end in ends) and ends[0] < ends[1]):
            raise UsageError(
                f"ranges: {name} is {brief(ends)}, must be two numbers, the smaller first, {how}."
            )
    return {str(name): [float(end) for end in ends] for name, ends in given.items()}


def point(one: Individual, axes: Sequence[Sequence[Any]]) -> Any | None:
    """Descriptors on a scale from 0 to 1 along each axis; None for a faulty creature or one without them."""
    if one.score is None or one.fitness < 0.0:
        return None
    values = [one.score.descriptors.get(name, math.nan) for name, _, _ in axes]
    scaled = [(v - low) / (high - low) for v, (_, low, high) in zip(values, axes, strict=True)]
    return np.array(scaled) if all(map(math.isfinite, scaled)) else None
