"""Open-loop controllers: held values, sines, and tables of samples or keys."""

from __future__ import annotations

import math
import zlib
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
from zoophyte.model.layout import Q_COUNT
from zoophyte.model.model import Floats
from zoophyte.model.state import SIGNAL_FIELDS

TIME_TOLERANCE = 1e-9
"""Part of a sample's time below which two times are the same."""
NAMES_TOLD = 6
INITIAL = "initial"
"""Of `Hold`: the pose in which a body is described."""


@hinting
@dataclass(frozen=True)
class Hold:
    """Constant commands: a number for all, an array (as of `Sine`), or a mapping of names.

    Args:
        values: or the word ``"initial"``: the pose in which the body is described, for joints with servos and driven ones.
    """

    values: Any = 0.0
    period: float | None = None

    def begin(self, model: Model) -> Floats:
        """Nothing to remember."""
        self._held(model)
        return np.zeros(0)

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        """The values."""
        return Command.hold(self._held(senses.model)), memory

    def life_plan(self, model: Model) -> LifePlan:
        """The same for a herd."""
        return LifePlan(signals=Command.hold(self._held(model)).signals)

    def _held(self, model: Model) -> Floats:
        if isinstance(self.values, str) and self.values == INITIAL:
            return _initial(model)
        return dof_values(model, self.values, "values")


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
        cls, times: Any, values: Mapping[Any, Any] | None = None,
        easing: str | Sequence[str] | Mapping[Any, str | Sequence[str]] = "ease",
        *, rate: float = 50.0, repeats: bool = False,
    ) -> Table:  # fmt: skip
        """A table through key frames: values at times of your choice, and how they are joined.

        Args:
            times: of the keys, growing [s]; or, without `values`, a mapping of degrees of freedom to (time, value) pairs.
            values: mapping of degrees of freedom to one value per key, None for no key; or to (time, value) pairs.
            easing: "ease" (starts and stops gently), "ease_in", "ease_out", "linear", "hold" or "spline" (passes through
                keys without a stop and overshoots none); one name, or one for each way from key to key; or a mapping of
                degrees of freedom to these, "ease" for those that it leaves out.
            rate: of the samples that are made of the curve, joined by straight lines [Hz]; in a herd a whole number of
                steps must lie between two.
            repeats: whether the last key, which must equal the first, is the first of the next round; the rate is then
                the nearest that divides a round.

        Raises:
            UsageError: says what does not fit.
        """
        if values is None and isinstance(times, Mapping):
            times, values = None, times
        samples, rate = keyed_samples(times, values, easing, rate, repeats)
        return cls(samples, rate, repeats=repeats)

    def __repr__(self) -> str:
        """One line; the mark at the end tells tables with other samples apart."""
        if isinstance(self.samples, Mapping):
            names = [str(name) for name in self.samples]
            more = f" and {len(names) - NAMES_TOLD} more" if len(names) > NAMES_TOLD else ""
            what = f"{', '.join(names[:NAMES_TOLD])}{more}"
            count = max((np.size(column) for column in self.samples.values()), default=0)
            held = [np.asarray(column) for column in self.samples.values()]
        else:
            held = [np.asarray(self.samples)]
            count, what = (len(held[0]) if held[0].ndim else 1), "all joints"
        mark = 0
        for column in held:
            mark = zlib.crc32(repr(column.tolist()).encode(), mark)
        mark = zlib.crc32(
            repr(list(self.samples)).encode() if isinstance(self.samples, Mapping) else b"", mark
        )
        ways = f"{self.interpolation}, repeats" if self.repeats else self.interpolation
        return f"Table({counted(count, 'sample')} of {what} at {self.rate} Hz, {ways}, #{mark:08x})"

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


def _initial(model: Model) -> Floats:
    """Commands that keep the initial pose: coordinates, and of ball joints rotation vectors; 0 for motors."""
    dofs, commands = model.dofs, np.zeros(model.nv)
    for dof in np.flatnonzero(dofs.driven | (dofs.servo_stiffness > 0.0)):
        link = int(dofs.link[dof])
        count, at = int(Q_COUNT[model.links.kind[link]]), model.q_start[link]
        if count == 1:
            commands[dof] = model.q_initial[at]
        elif count == 4:
            own = np.flatnonzero(dofs.link == link)
            w, axis = model.q_initial[at], model.q_initial[at + 1 : at + 4]
            length = float(np.linalg.norm(axis))
            turn = 2.0 * math.atan2(length, w) if length > 0.0 else 0.0
            commands[own] = turn * axis / length if length > 0.0 else 0.0
    return commands
