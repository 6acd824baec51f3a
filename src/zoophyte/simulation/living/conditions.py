"""What ends a life early, and what an honest life may not do."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from zoophyte.errors import UsageError, hinting


def _check(owner: Any, signed: tuple[str, ...] = ()) -> None:
    for entry in fields(owner):
        value = getattr(owner, entry.name)
        allowed = isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
        if value is None:
            continue
        if not allowed or (value < 0.0 and entry.name not in signed):
            kind = "a number" if entry.name in signed else "a number, 0 or more"
            raise UsageError(
                f"{type(owner).__name__}: {entry.name} is {value!r}, must be {kind}, or None for never."
            )


@hinting
@dataclass(frozen=True)
class Stops:
    """When a life is not worth going on with; what is None never stops one.

    Args:
        height: it fell when the origin of its root link is below this height [m].
        tilt: it fell when the axis of its root that was up at birth has turned from the vertical by more than this [rad].
        distance: it strayed when its centre of mass is farther than this from where it was born, over the ground [m].
        motion: it is idle when its centre of mass has moved less than this within a window [m].
        window: how long that window is [s].
    """

    height: float | None = None
    tilt: float | None = None
    distance: float | None = None
    motion: float | None = None
    window: float = 1.0

    def __post_init__(self) -> None:
        _check(self, ("height",))
        if not self.window or not math.isfinite(self.window):
            raise UsageError(f"Stops: window is {self.window!r}, must be a positive number of seconds.")


@hinting
@dataclass(frozen=True)
class Guards:
    """What an honest life may not do; who does is `cheated`. None for no guard.

    A body that falls, walks or tumbles stays far below these bounds (`docs/concepts/herd.md`); one that has found a fault
    of the integrator does not.

    Args:
        energy: energy that may appear without work of actuators, in parts of what lifts the body by its own size (in
            space: under a hundredth of Earth's gravity).
        share: more of it, in parts of what the actuators have done (their work is summed with an error of that order).
        speed: of any link [m/s].
        depth: of any contact, in parts of the size of the smallest shape.
    """

    energy: float | None = 0.5
    share: float = 0.1
    speed: float | None = 100.0
    depth: float | None = 0.5

    def __post_init__(self) -> None:
        _check(self)
