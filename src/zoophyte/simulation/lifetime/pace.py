"""Whether a step suits a body: what falls by its own size in a step is not simulated; too short a step only takes time."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from zoophyte.model import Model

LONGEST = 1.0
"""Step over the body's own time, from which on a step is called too long."""
USUAL = 5e-3
"""Steps up to this one, that of herds where nothing is said, are never called too long, however small a part is [s]."""
SHORTEST = 1e-6
"""The same for too short: a second of life takes more than a million steps and the increments lose their digits."""
SENSIBLE = (0.01, 0.1)
"""The same for steps that suit most bodies."""


def own_time(model: Model, gravity: Any) -> float:
    """√(k/g): within this time a pendulum as long as the body's smallest part turns by a radian, and a stone falls k/2.

    Args:
        model: of the body; k [m] is the smallest radius of gyration of its bodies about their joints.
        gravity: in world axes [m/s²]; where there is none, nothing tells a time: infinite.

    Returns:
        Time [s].
    """
    bodies = model.bodies
    moving = (bodies.link > 0) & (bodies.mass > 0.0)
    mass, com = bodies.mass[moving], bodies.com[moving]
    squares = 0.5 * np.trace(bodies.inertia[moving], axis1=1, axis2=2) / mass + (com * com).sum(axis=1)
    squares = squares[squares > 0.0]
    pull = math.sqrt(sum(float(g) * float(g) for g in gravity))
    if not len(squares) or pull == 0.0:
        return math.inf
    return math.sqrt(math.sqrt(float(squares.min())) / pull)


def warn_of_step(models: Iterable[Model], gravity: Any, dt: float, *, stacklevel: int) -> None:
    """Warn, once, if a step is absurd for one of the bodies.

    Args:
        models: of the bodies.
        gravity: in world axes [m/s²].
        dt: the step [s].
        stacklevel: how many calls above this one the user's own is.
    """
    for model in models:
        time = own_time(model, gravity)
        if math.isinf(time) or SHORTEST * time <= dt <= max(LONGEST * time, USUAL):
            continue
        low, high = (_rounded(share * time) for share in SENSIBLE)
        why = (
            f"its smallest body falls by half its size in {time:.2g} s, so that a step skips what happens"
            if dt > time
            else f"a second of life takes {1.0 / dt:.2g} steps, whose increments are lost in rounding"
        )
        warnings.warn(
            f"{model.name}: dt is {dt:g} s: {why}. Steps of {low:g} to {high:g} s suit a body of its size.",
            UserWarning,
            stacklevel=stacklevel,
        )
        return


def _rounded(time: float) -> float:
    """To one digit."""
    return float(f"{time:.0e}")
