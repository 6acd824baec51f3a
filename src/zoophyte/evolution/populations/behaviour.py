"""Behaviour: descriptors as points, for schemes that look for what is different rather than for what is best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from zoophyte.errors import UsageError, nearest
from zoophyte.evolution.protocols import Individual

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


def point(one: Individual, axes: Sequence[Sequence[Any]]) -> Any | None:
    """Descriptors on a scale from 0 to 1 along each axis; None for a faulty creature or one without them."""
    if one.score is None or one.fitness < 0.0:
        return None
    values = [one.score.descriptors.get(name, math.nan) for name, _, _ in axes]
    scaled = [(v - low) / (high - low) for v, (_, low, high) in zip(values, axes, strict=True)]
    return np.array(scaled) if all(map(math.isfinite, scaled)) else None
