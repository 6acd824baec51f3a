"""Populations: generational, islands, lattice, steady, elites (MAP-Elites), novelty, cma (8)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from zoophyte.errors import UsageError, nearest
from zoophyte.evolution.populations.cma import Covariance
from zoophyte.evolution.populations.elites import Elites
from zoophyte.evolution.populations.generational import Generational
from zoophyte.evolution.populations.islands import Islands
from zoophyte.evolution.populations.lattice import Lattice
from zoophyte.evolution.populations.novelty import Novelty
from zoophyte.evolution.populations.schemes import Moment, Outcome, Plan, Scheme
from zoophyte.evolution.populations.steady import Steady
from zoophyte.evolution.selection import Selection

__all__ = [
    "SCHEMES", "Covariance", "Elites", "Generational", "Islands", "Lattice", "Moment", "Novelty", "Outcome", "Plan",
    "Scheme", "Steady", "scheme",
]  # fmt: skip

SCHEMES: dict[str, Callable[..., Scheme]] = {
    made.name: made for made in (Generational, Islands, Lattice, Steady, Elites, Novelty, Covariance)
}
SELECTING = ("generational", "islands")
"""Schemes that take a selection; the others bring their own."""


def scheme(name: str, population: int, selection: Selection | None = None, **settings: Any) -> Scheme:
    """The scheme of this name.

    Args:
        name: one of `SCHEMES`.
        population: how many survive a generation.
        selection: for those that take one.
        settings: see its class.

    Raises:
        UsageError: names what is known.
    """
    if name not in SCHEMES:
        known = ", ".join(SCHEMES)
        raise UsageError(f"scheme '{name}' is unknown. Known: {known}. {nearest(name, SCHEMES)}".rstrip())
    if selection is not None and name not in SELECTING:
        raise UsageError(
            f"scheme '{name}' brings its own selection; '{selection.name}' goes with {' and '.join(SELECTING)}."
        )
    extra = {"selection": selection} if name in SELECTING else {}
    try:
        return SCHEMES[name](population, **extra, **settings)
    except TypeError:
        taken = inspect.signature(SCHEMES[name]).parameters.values()
        told = ", ".join(each.name for each in taken if each.kind is each.KEYWORD_ONLY)
        raise UsageError(
            f"scheme '{name}' was given {', '.join(settings)}; its settings are {told}."
        ) from None
