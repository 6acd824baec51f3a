"""After: a controller that begins later."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zoophyte.control.controller import (
    CURVE,
    FREQUENCY,
    PHASE,
    RATE,
    START,
    Command,
    Controller,
    Senses,
    lasting,
)
from zoophyte.errors import UsageError, brief, hinting, is_number
from zoophyte.model import Model
from zoophyte.model.herd.plans import LifePlan
from zoophyte.model.model import Floats
from zoophyte.model.state import SIGNAL_FIELDS

TIME_TOLERANCE = 1e-9
"""Part of a period, or of a second, below which two times are the same."""

_controllers: set[type] = set()
"""Types that were found to be controllers: a look at the protocol takes long."""


@hinting
@dataclass(frozen=True)
class After:
    """Commands of 0 until `seconds`, then those of a controller whose own time begins there.

    A body can come to rest first: servos pull towards 0, motors are off.

    Args:
        seconds: when the controller begins [s]; in a herd a whole number of steps.
        controller: what acts from then on.
    """

    seconds: float
    controller: Controller

    def __post_init__(self) -> None:
        if not (is_number(self.seconds) and math.isfinite(self.seconds) and self.seconds >= 0.0):
            raise UsageError(f"After: seconds is {self.seconds!r}, must be a finite number, 0 or more [s].")
        if isinstance(self.controller, After):
            raise UsageError(
                "After: the controller is an After itself; give one After the sum of their seconds."
            )
        if type(self.controller) not in _controllers and not isinstance(self.controller, Controller):
            raise UsageError(
                f"After: controller is {brief(self.controller)}, must be a controller: it lacks one of period, "
                "begin(model), command(senses, memory)."
            )
        _controllers.add(type(self.controller))
        object.__setattr__(self, "seconds", float(self.seconds))

    @property
    def period(self) -> float | None:
        """Of the controller."""
        return self.controller.period

    @property
    def lasts(self) -> float:
        """How long there are commands [s]."""
        return self.seconds + float(getattr(self.controller, "lasts", math.inf))

    def lasting(self, seconds: float) -> After:
        """The same, whose controller has commands until then.

        Args:
            seconds: since birth [s].
        """
        longer = lasting(self.controller, seconds - self.seconds)
        return self if longer is self.controller else replace(self, controller=longer)

    def begin(self, model: Model) -> Floats:
        """What the controller remembers at birth."""
        return self.controller.begin(model)

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        """Nothing, or what the controller wants."""
        own, always = senses.time - self.seconds, self.period == 0.0
        # Who is asked at every force evaluation is asked for the end of a step: one that ends at the beginning is before it.
        tolerance = TIME_TOLERANCE * max(1.0, self.seconds)
        too_early = own <= tolerance if always and self.seconds > 0.0 else own < -tolerance
        if too_early:
            idle = np.zeros((senses.model.nv, len(SIGNAL_FIELDS)))
            return Command(idle, None if always else self.seconds), memory
        command, memory = self.controller.command(replace(senses, time=own), memory)
        return replace(
            command, signals=shifted(command.signals, self.seconds), next_call=self._next_call(command, own)
        ), memory

    def _next_call(self, command: Command, own: float) -> float | None:
        """Calls come at the controller's own times, not at multiples of its period since birth."""
        if command.next_call is not None:
            return self.seconds + command.next_call
        if not self.period:
            return None
        return self.seconds + (math.floor(own / self.period + TIME_TOLERANCE) + 1) * self.period

    def life_plan(self, model: Model) -> LifePlan:
        """The same for a herd.

        Raises:
            UsageError: when the controller cannot run inside a herd.
        """
        inner: Any = self.controller
        if not hasattr(inner, "life_plan"):
            raise UsageError(
                f"{model.name}: After: a {type(inner).__name__} cannot run inside a herd; give it a method life_plan(model)."
            )
        plan: LifePlan = inner.life_plan(model)
        signals = None if plan.signals is None else shifted(plan.signals, self.seconds)
        return replace(plan, begin=self.seconds, signals=signals)


def shifted(signals: Any, seconds: float) -> Floats:
    """Signals that are later by so much; those that do not change have no start."""
    later: Floats = np.array(signals, np.float64)
    changes = (later[:, RATE] != 0.0) | (later[:, CURVE] != 0.0)
    if seconds > 0.0:
        later[:, START] = np.where(changes, later[:, START] + seconds, 0.0)
        later[:, PHASE] -= later[:, FREQUENCY] * seconds
    return later
