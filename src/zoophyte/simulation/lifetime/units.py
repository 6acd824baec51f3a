"""Whether numbers look as if they were meant in other units: angles in degrees, lengths in millimetres."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable

import numpy as np

from zoophyte.model import Model
from zoophyte.model.layout import HINGE

TURNS = 2.0
"""A limit of a hinge beyond so many turns is nearly always one in degrees."""
LARGE = 100.0
"""A shape that moves and is larger than this is nearly always one in millimetres [m]."""


def warn_of_degrees(models: Iterable[Model], *, stacklevel: int) -> None:
    """Warn, once, if a limit of a hinge looks like one in degrees.

    Args:
        models: of the bodies.
        stacklevel: how many calls above this one the user's own is.
    """
    for model in models:
        dofs = model.dofs
        lower, upper = np.array(dofs.lower), np.array(dofs.upper)
        # A wheel without an end has a limit at infinity.
        far = np.maximum(np.where(np.isfinite(lower), -lower, 0.0), np.where(np.isfinite(upper), upper, 0.0))
        odd = np.flatnonzero((far > 2.0 * math.pi * TURNS) & (model.links.kind[dofs.link] == HINGE))
        if not len(odd):
            continue
        n = int(odd[0])
        warnings.warn(
            f"{model.name}: the limits of {dofs.names[n]} are {lower[n]:g} to {upper[n]:g} rad, up to "
            f"{far[n] / (2.0 * math.pi):.2g} turns. Angles are in radians: 60° is 1.047.",
            UserWarning,
            stacklevel=stacklevel,
        )
        return


def length_advice(model: Model, bodies: Iterable[str]) -> str:
    """What to say of the largest touching shape of some bodies if it is very large; else nothing.

    Args:
        model: of the bodies.
        bodies: names of those that are in question.
    """
    names = set(bodies)
    found = [s for s in model.shapes if s.link and model.body_names[s.body] in names]
    largest = max(found, key=lambda shape: shape.reach, default=None)
    if largest is None or 2.0 * largest.reach <= LARGE:
        return ""
    return f"Shape {largest.name} is {2.0 * largest.reach:.3g} m large; lengths are in metres."


def as_depth(depth: float) -> str:
    """A depth that a person can read.

    Args:
        depth: to be told [m].
    """
    return f"{depth:.3g} m" if depth >= 1.0 else f"{1e3 * depth:.3g} mm"
