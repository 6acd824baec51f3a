"""Open-loop controllers: held values, sines, and tables of samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from zoophyte.control.controller import (
    AMPLITUDE,
    FREQUENCY,
    PHASE,
    VALUE,
    Command,
    Senses,
    dof_values,
    refuse_not_finite,
)
from zoophyte.errors import UsageError, brief, counted, hinting, is_number, real_numbers
from zoophyte.model import Model
from zoophyte.model.herd.plans import LifePlan
from zoophyte.model.model import Floats
from zoophyte.model.state import SIGNAL_FIELDS

TIME_TOLERANCE = 1e-9
"""Part of a sample's time below which two times are the same."""


@hinting
@dataclass(frozen=True)
class Hold:
    """Constant commands: a number for all, an array (as of `Sine`), or a mapping of names."""

    values: Any = 0.0
    period: float | None = None

    def begin(self, model: Model) -> Floats:
        """Nothing to remember."""
        dof_values(model, self.values, "values")
        return np.zeros(0)

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        """The values."""
        return Command.hold(dof_values(senses.model, self.values, "values")), memory

    def life_plan(self, model: Model) -> LifePlan:
        """The same for a herd."""
        return LifePlan(signals=Command.hold(dof_values(model, self.values, "values")).signals)


@hinting
@dataclass(frozen=True)
class Sine:
    """offset + amplitude·sin(2π·frequency·t + phase), evaluated exactly at every stage of every step.

    Args:
        amplitude: number, array or mapping of names; likewise the others.  An array has one number for each
            degree of freedom, or one for each that is driven or has an actuator.
        frequency: [Hz].
        phase: [rad].
        offset: mean value.
    """

    amplitude: Any = 0.0
    frequency: Any = 1.0
    phase: Any = 0.0
    offset: Any = 0.0
    period: float | None = None

    def begin(self, model: Model) -> Floats:
        """Nothing to remember."""
        self._signals(model)
        return np.zeros(0)

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        """The sines; asked only once."""
        return Command(self._signals(senses.model)), memory

    def life_plan(self, model: Model) -> LifePlan:
        """The same for a herd."""
        return LifePlan(signals=self._signals(model))

    def _signals(self, model: Model) -> Floats:
        signals = np.zeros((model.nv, len(SIGNAL_FIELDS)))
        signals[:, VALUE] = dof_values(model, self.offset, "offset")
        signals[:, AMPLITUDE] = dof_values(model, self.amplitude, "amplitude")
        signals[:, FREQUENCY] = 2.0 * np.pi * dof_values(model, self.frequency, "frequency")
        signals[:, PHASE] = dof_values(model, self.phase, "phase")
        return signals


@hinting
@dataclass(frozen=True)
class Table:
    """Samples at a fixed rate, held or joined by straight lines; the last sample is kept for ever.

    Args:
        samples: shape (n, nv), or a mapping of names to (n,) arrays.
        rate: samples per second [Hz]; sample k belongs to the time k/rate.
        interpolation: "linear" or "hold".
    """

    samples: Any
    rate: float
    interpolation: Literal["linear", "hold"] = "linear"

    @property
    def period(self) -> float | None:
        """One sample (a rate that is none is refused at the beginning)."""
        return 1.0 / self.rate if is_number(self.rate) and self.rate > 0.0 else None

    def begin(self, model: Model) -> Floats:
        """Check the table; nothing to remember."""
        if not (is_number(self.rate) and math.isfinite(self.rate) and self.rate > 0.0):
            raise UsageError(
                f"rate is {brief(self.rate)}, must be a positive number of samples per second [Hz]."
            )
        if self.interpolation not in ("linear", "hold"):
            raise UsageError(f"interpolation is {self.interpolation!r}, must be 'linear' or 'hold'.")
        self._columns(model)
        return np.zeros(0)

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        """The sample that belongs to this time, and the way to the next one."""
        samples = self._columns(senses.model)
        k = min(max(math.floor(senses.time * self.rate + TIME_TOLERANCE), 0), len(samples) - 1)
        if self.interpolation == "hold" or k == len(samples) - 1:
            return Command.hold(samples[k]), memory
        return Command.ramp(samples[k], (samples[k + 1] - samples[k]) * self.rate, k / self.rate), memory

    def life_plan(self, model: Model) -> LifePlan:
        """The same for a herd."""
        self.begin(model)
        return LifePlan(
            period=1.0 / self.rate,
            samples=self._columns(model),
            rate=self.rate,
            holds=self.interpolation == "hold",
        )

    def _columns(self, model: Model) -> Floats:
        if isinstance(self.samples, dict):
            length = max((len(column) for column in self.samples.values()), default=0)
            table = np.zeros((length, model.nv))
            for dof, column in self.samples.items():
                if len(column) != length:
                    raise UsageError(
                        f"samples of {dof!r} has {counted(len(column), 'row')}, others have {length}."
                    )
                table[:, model.dof_index(dof)] = real_numbers(column, f"{model.name}: samples of {dof!r}")
        else:
            table = real_numbers(self.samples, f"{model.name}: samples")
        if table.ndim != 2 or table.shape[1] != model.nv or not len(table):
            raise UsageError(
                f"{model.name}: samples has shape {table.shape}, must be (n, {model.nv}) with n ≥ 1."
            )
        refuse_not_finite(model, table.T, "samples")
        return table
