"""Habitat: where a body lives. So far its gravity; ground, medium and wind come with contact."""

from __future__ import annotations

import math
from dataclasses import dataclass

from zoophyte.errors import UsageError
from zoophyte.model import STANDARD_GRAVITY


@dataclass(frozen=True)
class Habitat:
    """Gravity [m/s²] in world axes; (0, 0, −9.81) unless told otherwise."""

    gravity: tuple[float, float, float] = STANDARD_GRAVITY

    def __post_init__(self) -> None:
        try:
            values = tuple(float(g) for g in self.gravity)
        except (TypeError, ValueError):
            values = ()
        if len(values) != 3 or not all(map(math.isfinite, values)):
            raise UsageError(f"gravity is {self.gravity!r}, must be three finite numbers (x, y, z) [m/s²].")
        object.__setattr__(self, "gravity", values)


STANDARD_HABITAT = Habitat()
