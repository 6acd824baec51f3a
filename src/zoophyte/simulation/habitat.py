"""Habitat: where a body lives: gravity, and the ground with its surface. Medium and wind come later."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from zoophyte.description import Surface
from zoophyte.errors import UsageError, brief
from zoophyte.model import STANDARD_GRAVITY, Plane, Terrain


@dataclass(frozen=True)
class Habitat:
    """Gravity, ground, and what the ground feels like.

    Args:
        gravity: in world axes [m/s²].
        ground: a plane, a terrain, or None for open space. Shapes without a surface do not touch it.
        surface: of the ground.
    """

    gravity: tuple[float, float, float] = STANDARD_GRAVITY
    ground: Plane | Terrain | None = field(default_factory=Plane)
    surface: Surface = field(default_factory=Surface)

    def __post_init__(self) -> None:
        try:
            values = tuple(float(g) for g in self.gravity)
        except (TypeError, ValueError):
            values = ()
        if len(values) != 3 or not all(map(math.isfinite, values)):
            raise UsageError(f"gravity is {self.gravity!r}, must be three finite numbers (x, y, z) [m/s²].")
        if not isinstance(self.ground, Plane | Terrain | None):
            raise UsageError(f"ground is {brief(self.ground)}, must be a Plane, a Terrain or None.")
        if not isinstance(self.surface, Surface):
            raise UsageError(f"surface is {brief(self.surface)}, must be a Surface: Surface(friction=0.8).")
        object.__setattr__(self, "gravity", values)


STANDARD_HABITAT = Habitat()
