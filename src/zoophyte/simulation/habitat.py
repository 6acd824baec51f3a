"""Habitat: where a body lives: gravity, the ground with its surface, and the medium with its wind."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from zoophyte.description import Surface
from zoophyte.errors import UsageError, brief, hinting
from zoophyte.model import STANDARD_GRAVITY, Medium, Plane, Terrain


@hinting
@dataclass(frozen=True)
class Habitat:
    """Gravity, ground, what the ground feels like, and what fills the space above it.

    Args:
        gravity: in world axes [m/s²].
        ground: a plane, a terrain, or None for open space. Shapes without a surface do not touch it.
        surface: of the ground.
        medium: air or water, say, with its wind; None for empty space.
    """

    gravity: tuple[float, float, float] = STANDARD_GRAVITY
    ground: Plane | Terrain | None = field(default_factory=Plane)
    surface: Surface = field(default_factory=Surface)
    medium: Medium | None = None

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
        if not isinstance(self.medium, Medium | None):
            raise UsageError(
                f"medium is {brief(self.medium)}, must be a Medium or None: Medium(density=1000.0, viscosity=1e-3)."
            )
        object.__setattr__(self, "gravity", values)


STANDARD_HABITAT = Habitat()
