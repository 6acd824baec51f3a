"""Precision: whether lives of a run are lived in float64 or in float32, which is faster and has its limits."""

from __future__ import annotations

from typing import Any

import numpy as np

from zoophyte.errors import UsageError, brief, nearest

DOUBLE, SINGLE = "double", "single"
PRECISIONS: dict[str, Any] = {DOUBLE: np.float64, SINGLE: np.float32}
"""Names of precisions, and the numbers that they stand for."""
WIDTH = 8
"""Creatures in a register, whatever the precision and whoever is there: so a run needs two kernels, and never more."""


def checked_precision(name: Any) -> str:
    """The name, if it is one.

    Raises:
        UsageError: says which there are.
    """
    if not isinstance(name, str) or name not in PRECISIONS:
        known = ", ".join(PRECISIONS)
        hint = nearest(name, PRECISIONS) if isinstance(name, str) else ""
        raise UsageError(f"precision is {brief(name)}; there are: {known}. {hint}".rstrip())
    return name
