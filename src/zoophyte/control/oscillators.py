"""Coupled oscillators (central pattern generators): one per joint, pulled into step by their neighbours.

Two forms.  *phase* (after Ijspeert and others, Science 315, 2007): oscillator i has a phase θ_i and an amplitude r_i,

    θ_i′ = 2π ν_i + Σ_j w_ij r_j sin(θ_j − θ_i − φ_ij)
    r_i″ = a_i (a_i (R_i − r_i)/4 − r_i′)                     critically damped: r goes from 0 to R without a swing
    h_i  = offset_i + r_i cos θ_i

*linear*, as modular robots often have it: two states each, h_i = offset_i + x_i,

    x_i′ =  2π ν_i y_i + Σ_j w_ij x_j
    y_i′ = −2π ν_i x_i

which keeps its size for ever where w_ij = −w_ji, and may grow or decay elsewhere: commands stay within `limit`.

Nothing is felt, so the whole signal is known beforehand: it is integrated by RK4 at a fine step and given to the herd as a
table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from zoophyte.control.controller import Command, Senses
from zoophyte.control.keys import SAMPLE_LIMIT
from zoophyte.control.signals import Table
from zoophyte.errors import UsageError, brief, is_number, nearest
from zoophyte.model import Model
from zoophyte.model.herd.plans import LifePlan
from zoophyte.model.model import Floats
from zoophyte.numbers.forms import compiled
from zoophyte.numbers.functions import sincos

OSCILLATOR_FIELDS, COUPLING_FIELDS, STATE_FIELDS = 4, 3, 14
"""Numbers in the kernel's array: 2π ν, R, a, phase of an oscillator; w, sin φ, cos φ of a coupling; and what an oscillator's
motion needs: state, place, rate and sum of rates, three each, sine and cosine."""
REACH, KEEP, SHARE = (0.0, 0.5, 0.5, 1.0), (0.0, 1.0, 1.0, 1.0), (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)
"""Of the four stages of RK4: where they look, whether the sum goes on, and what they count."""
LARGEST = 1e9
SUBSTEP = 0.01
"""Step of the integration, at most [s]: at 3 Hz RK4 is then off by 1e-6 of a turn per second."""


@dataclass(frozen=True)
class Oscillator:
    """One oscillator.

    Args:
        frequency: of its own [Hz].
        amplitude: that it tends to; in the linear form, with which it begins.
        offset: about which it swings.
        phase: at birth [rad]: h tends to offset + amplitude·cos(2π frequency·t + phase) where nothing pulls.
        gain: a, how fast the amplitude tends to its goal [1/s]; of no meaning in the linear form.
    """

    frequency: float = 1.0
    amplitude: float = 1.0
    offset: float = 0.0
    phase: float = 0.0
    gain: float = 20.0


@dataclass(frozen=True)
class Coupling:
    """How one oscillator pulls at another.

    Args:
        target: the degree of freedom that is pulled.
        source: the one that pulls.
        weight: w, how hard [1/s].
        bias: φ, phase of the source minus that of the target in which the pull ends [rad]; not in the linear form.
    """

    target: str | int
    source: str | int
    weight: float
    bias: float = 0.0


@dataclass(frozen=True)
class Oscillators:
    """Coupled oscillators that drive degrees of freedom.

    Args:
        oscillators: mapping of degrees of freedom to their oscillators; those not named rest at 0.
        couplings: who pulls at whom.
        form: "phase" or "linear".
        rate: commands per second, joined by straight lines [Hz]; a whole number of steps must lie between two.
        seconds: how long they swing [s]; a longer life is refused, where :meth:`lasting` did not make it more.
        limit: no command goes farther from its offset than this.
    """

    oscillators: Mapping[Any, Oscillator]
    couplings: Sequence[Coupling] = ()
    form: Literal["phase", "linear"] = "phase"
    rate: float = 50.0
    seconds: float = 30.0
    limit: float = math.inf

    @property
    def period(self) -> float | None:
        """From command to command [s] (a rate that is none is refused at the beginning)."""
        return 1.0 / self.rate if is_number(self.rate) and self.rate > 0.0 else None

    @property
    def lasts(self) -> float:
        """How long there are commands [s]."""
        return self.seconds

    def lasting(self, seconds: float) -> Oscillators:
        """The same, which swing for so long at least; what they do until then is the same to the bit.

        Args:
            seconds: how long [s].
        """
        return replace(self, seconds=float(seconds)) if seconds > self.seconds else self

    def begin(self, model: Model) -> Floats:
        """Check that the model fits; nothing to remember."""
        return self._table.begin(model)

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        """The line on which this time lies."""
        return self._table.command(senses, memory)

    def life_plan(self, model: Model) -> LifePlan:
        """The same for a herd."""
        return self._table.life_plan(model)

    @cached_property
    def _table(self) -> Table:
        signals = self.signals()
        columns = {dof: signals[:, n] for n, dof in enumerate(self.oscillators)}
        return Table(columns, self.rate)

    def signals(self) -> Floats:
        """Commands from birth to the end, shape (n, oscillators).

        Raises:
            UsageError: says what does not fit.
        """
        self._check()
        names = list(self.oscillators)
        count, parts = len(names), max(1, math.ceil(1.0 / (self.rate * SUBSTEP) - 1e-9))
        samples = math.ceil(self.seconds * self.rate - 1e-9) + 1
        links = [(names.index(c.target), names.index(c.source)) for c in self.couplings]
        ints = np.array([count, len(links), samples, parts, *(n for link in links for n in link)], np.int64)
        data = np.zeros(1 + count * OSCILLATOR_FIELDS + len(links) * COUPLING_FIELDS + STATE_FIELDS * count)
        data[0] = 1.0 / (self.rate * parts)
        for n, each in enumerate(self.oscillators.values()):
            row = 1 + n * OSCILLATOR_FIELDS
            data[row : row + OSCILLATOR_FIELDS] = (
                2.0 * math.pi * each.frequency, each.amplitude, each.gain, each.phase,
            )  # fmt: skip
        for n, coupling in enumerate(self.couplings):
            row = 1 + count * OSCILLATOR_FIELDS + n * COUPLING_FIELDS
            sine, cosine = sincos(float(coupling.bias))
            data[row : row + COUPLING_FIELDS] = coupling.weight, sine, cosine
        out = np.zeros(samples * count)
        compiled(swing_linear if self.form == "linear" else swing_in_phase)(ints, data, out)
        swing = np.clip(out.reshape(samples, count), -self.limit, self.limit)
        swing += np.array([each.offset for each in self.oscillators.values()])
        return swing

    def _check(self) -> None:
        if self.form not in ("phase", "linear"):
            raise UsageError(f"form is {self.form!r}, must be 'phase' or 'linear'.")
        for name, value, least in (("rate", self.rate, 1e-9), ("seconds", self.seconds, 0.0)):
            if not (is_number(value) and math.isfinite(value) and value >= least):
                raise UsageError(f"{name} is {value!r}, must be a finite number, {least:g} or more.")
        if not (is_number(self.limit) and self.limit > 0.0):
            raise UsageError(f"limit is {self.limit!r}, must be a positive number.")
        if self.seconds * self.rate * max(1, len(self.oscillators)) > SAMPLE_LIMIT:
            raise UsageError(
                f"{self.seconds:g} s at {self.rate:g} Hz are more than {SAMPLE_LIMIT:,} numbers; lower seconds or rate."
            )
        for dof, each in self.oscillators.items():
            if not isinstance(each, Oscillator):
                raise UsageError(f"the oscillator of {dof!r} is {brief(each)}, must be an Oscillator.")
            _finite(f"the oscillator of {dof!r}", each)
        for coupling in self.couplings:
            if not isinstance(coupling, Coupling):
                raise UsageError(f"a coupling is {brief(coupling)}, must be a Coupling.")
            for end in (coupling.target, coupling.source):
                if end not in self.oscillators:
                    how = nearest(str(end), map(str, self.oscillators))
                    raise UsageError(f"a coupling names {end!r}, which has no oscillator. {how}".rstrip())
            _finite(f"the coupling of {coupling.source!r} to {coupling.target!r}", coupling)


def _finite(owner: str, part: Any) -> None:
    for name, value in vars(part).items():
        if name not in ("target", "source") and not (is_number(value) and math.isfinite(value)):
            raise UsageError(f"{owner}: {name} is {value!r}, must be a finite number.")


def swing_in_phase(ints: Any, data: Any, out: Any) -> None:
    """Integrate the phase form by RK4 and write r cos θ of all oscillators, sample by sample.

    A kernel: it calls nothing but kernels, so that the cache of compiled code sees every edit.  State: θ, r, r′ each.
    """
    count, links, samples, parts = ints[0], ints[1], ints[2], ints[3]
    size, wires, h = 3 * count, 1 + OSCILLATOR_FIELDS * count, data[0]
    now = wires + COUPLING_FIELDS * links
    at, rate, total, turned = now + size, now + 2 * size, now + 3 * size, now + 4 * size
    for i in range(count):
        data[now + 3 * i] = data[1 + OSCILLATOR_FIELDS * i + 3]
    for k in range(samples * parts):
        if k % parts == 0:
            for i in range(count):
                out[k // parts * count + i] = data[now + 3 * i + 1] * sincos(data[now + 3 * i])[1]
        for stage in range(4):
            for n in range(size):
                data[at + n] = data[now + n] + h * REACH[stage] * data[rate + n]
            for i in range(count):
                row, place = 1 + OSCILLATOR_FIELDS * i, at + 3 * i
                data[turned + 2 * i], data[turned + 2 * i + 1] = sincos(data[place])
                data[rate + 3 * i] = data[row]
                data[rate + 3 * i + 1] = data[place + 2]
                pull = 0.25 * data[row + 2] * (data[row + 1] - data[place + 1]) - data[place + 2]
                data[rate + 3 * i + 2] = data[row + 2] * pull
            for link in range(links):
                i, j, wire = ints[4 + 2 * link], ints[5 + 2 * link], wires + COUPLING_FIELDS * link
                si, ci = data[turned + 2 * i], data[turned + 2 * i + 1]
                sj, cj = data[turned + 2 * j], data[turned + 2 * j + 1]
                # sin(θ_j − θ_i − φ) from the sines and cosines of the three
                pull = (sj * ci - cj * si) * data[wire + 2] - (cj * ci + sj * si) * data[wire + 1]
                data[rate + 3 * i] += data[wire] * data[at + 3 * j + 1] * pull
            for n in range(size):
                data[total + n] = KEEP[stage] * data[total + n] + h * SHARE[stage] * data[rate + n]
        for n in range(size):
            data[now + n] += data[total + n]


def swing_linear(ints: Any, data: Any, out: Any) -> None:
    """Integrate the linear form by RK4 and write x of all oscillators, sample by sample; a kernel.  State: x, y each."""
    count, links, samples, parts = ints[0], ints[1], ints[2], ints[3]
    size, wires, h = 2 * count, 1 + OSCILLATOR_FIELDS * count, data[0]
    now = wires + COUPLING_FIELDS * links
    at, rate, total = now + size, now + 2 * size, now + 3 * size
    for i in range(count):
        sine, cosine = sincos(data[1 + OSCILLATOR_FIELDS * i + 3])
        data[now + 2 * i] = data[1 + OSCILLATOR_FIELDS * i + 1] * cosine
        data[now + 2 * i + 1] = -(data[1 + OSCILLATOR_FIELDS * i + 1] * sine)
    for k in range(samples * parts):
        if k % parts == 0:
            for i in range(count):
                out[k // parts * count + i] = data[now + 2 * i]
        for stage in range(4):
            for n in range(size):
                data[at + n] = data[now + n] + h * REACH[stage] * data[rate + n]
            for i in range(count):
                data[rate + 2 * i] = data[1 + OSCILLATOR_FIELDS * i] * data[at + 2 * i + 1]
                data[rate + 2 * i + 1] = -(data[1 + OSCILLATOR_FIELDS * i] * data[at + 2 * i])
            for link in range(links):
                i, j, wire = ints[4 + 2 * link], ints[5 + 2 * link], wires + COUPLING_FIELDS * link
                data[rate + 2 * i] += data[wire] * data[at + 2 * j]
            for n in range(size):
                data[total + n] = KEEP[stage] * data[total + n] + h * SHARE[stage] * data[rate + n]
        for n in range(size):
            # Where couplings feed each other the size doubles again and again; what is clipped anyhow may stop growing.
            data[now + n] = min(max(data[now + n] + data[total + n], -LARGEST), LARGEST)
