"""Open-loop controllers: held values, sines, and tables of samples or keys."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
from zoophyte.control.keys import keyed_samples
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
    """A sine for each joint: offset + amplitude·sin(2π·frequency·t + phase), evaluated exactly at every stage of every step.

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
    """Samples at a fixed rate, held or joined by straight lines.

    Args:
        samples: shape (n, nv), or a mapping of names to (n,) arrays.
        rate: samples per second [Hz]; sample k belongs to the time k/rate.
        interpolation: "linear" or "hold".
        repeats: whether the table begins anew after n/rate seconds; else the last sample is kept for ever.
    """

    samples: Any
    rate: float
    interpolation: Literal["linear", "hold"] = "linear"
    repeats: bool = False

    @classmethod
    def keys(
        cls, times: Any, values: Mapping[Any, Any], easing: str | Sequence[str] = "ease",
        *, rate: float = 50.0, repeats: bool = False,
    ) -> Table:  # fmt: skip
        """A table through key frames: values at times of your choice, and how they are joined.

        Args:
            times: of the keys, growing [s].
            values: mapping of degrees of freedom to one value per key.
            easing: "ease" (starts and stops gently), "ease_in", "ease_out", "linear", "hold" or "spline" (passes through
                keys without a stop and overshoots none); one name, or one for each way from key to key.
            rate: of the samples that are made of the curve, joined by straight lines [Hz]; in a herd a whole number of
                steps must lie between two.
            repeats: whether the last key, which must equal the first, is the first of the next round; the rate is then
                the nearest that divides a round.

        Raises:
            UsageError: says what does not fit.
        """
        samples, rate = keyed_samples(times, values, easing, rate, repeats)
        return cls(samples, rate, repeats=repeats)

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
        k, count = math.floor(senses.time * self.rate + TIME_TOLERANCE), len(samples)
        now = k % count if self.repeats else min(max(k, 0), count - 1)
        if self.interpolation == "hold" or (now == count - 1 and not self.repeats):
            return Command.hold(samples[now]), memory
        rates = (samples[(now + 1) % count] - samples[now]) * self.rate
        return Command.ramp(samples[now], rates, k / self.rate), memory

    def life_plan(self, model: Model) -> LifePlan:
        """The same for a herd."""
        self.begin(model)
        return LifePlan(
            period=1.0 / self.rate,
            samples=self._columns(model),
            rate=self.rate,
            repeats=self.repeats,
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
