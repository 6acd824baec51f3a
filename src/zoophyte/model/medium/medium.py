"""Medium: air, water, or whatever bodies move in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from zoophyte.errors import UsageError, is_number


@dataclass(frozen=True)
class Medium:
    """A fluid that fills all space: it resists motion and carries what it is denser than.

    Drag is that of a box with the mass and the principal inertia of a link, as in MuJoCo's inertia model; how it is computed
    and why it can never turn a motion round: :mod:`zoophyte.physics.dynamics.medium`.

    Args:
        density: [kg/m³]; 1.2 for air, 1000 for water.
        viscosity: dynamic [Pa·s]; 1.8e-5 for air, 1e-3 for water.
        wind: velocity of the medium in world axes [m/s].
        buoyancy: whether bodies are lifted by the weight of what their shapes displace; those without shapes are not.
    """

    density: float = 0.0
    viscosity: float = 0.0
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)
    buoyancy: bool = True

    def __post_init__(self) -> None:
        for name, unit in (("density", "kg/m³"), ("viscosity", "Pa·s")):
            value = getattr(self, name)
            if not (is_number(value) and math.isfinite(value) and value >= 0.0):
                raise UsageError(f"{name} is {value!r}, must be a finite number, 0 or more [{unit}].")
            object.__setattr__(self, name, float(value))
        object.__setattr__(self, "wind", _triple(self.wind))
        if not isinstance(self.buoyancy, bool):
            raise UsageError(f"buoyancy is {self.buoyancy!r}, must be True or False.")

    @property
    def is_still(self) -> bool:
        """Whether there is no wind: then the medium only takes energy."""
        return not any(self.wind)


def _triple(wind: Any) -> tuple[float, ...]:
    try:
        values = tuple(float(x) for x in wind)
    except (TypeError, ValueError):
        values = ()
    if len(values) != 3 or not all(map(math.isfinite, values)):
        raise UsageError(f"wind is {wind!r}, must be three finite numbers (x, y, z) [m/s].")
    return values
