"""Spectral synthesis: periodic commands from a few complex numbers each (Arnold 1997)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from zoophyte.control.controller import Command, Held, Senses
from zoophyte.errors import UsageError, brief, hinting, is_number
from zoophyte.model import Model
from zoophyte.model.herd.plans import LifePlan
from zoophyte.model.model import Floats
from zoophyte.numbers.functions import sincos

TIME_TOLERANCE = 1e-9
"""Part of a sample's time below which two times are the same."""


@hinting
@dataclass(frozen=True)
class Spectral:
    """A gait as a few Fourier coefficients of each joint, played over and over.

    h_k = (1/N) Σ_n H_n e^(−2πi k n/N) at the times k·step, straight lines between them, repeated for ever.
    The spectrum is Hermitian, H_n = conj(H_(N−n)), so that h is real: only H_0 … H_(N/2−1) are given, the imaginary part of
    H_0 and all of H_(N/2) count as 0.

    Args:
        spectra: mapping of degrees of freedom to N/2 complex numbers each; those not named rest at 0.
        step: time from one sample to the next [s]; the period is N·step.
        delays: mapping of degrees of freedom to a delay in periods: 0.5 lets opposite limbs alternate.
    """

    spectra: dict[str | int, Any]
    step: float
    delays: dict[str | int, float] | None = None
    period: float | None = 0.0

    def begin(self, model: Model) -> Floats:
        """Check that the model fits; nothing to remember."""
        self.samples(model)
        return np.zeros(0)

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        """The line on which this time lies."""
        samples, rate = _samples(Held(self, senses.model)), 1.0 / self.step
        k = math.floor(senses.time * rate + TIME_TOLERANCE)
        now, after = samples[k % len(samples)], samples[(k + 1) % len(samples)]
        return Command.ramp(now, (after - now) * rate, k / rate), memory

    def life_plan(self, model: Model) -> LifePlan:
        """The same for a herd."""
        return LifePlan(samples=self.samples(model), rate=1.0 / self.step, repeats=True, flows=True)

    def samples(self, model: Model) -> Floats:
        """One period of all commands, shape (N, nv).

        Raises:
            UsageError: says what does not fit.
        """
        if not (is_number(self.step) and math.isfinite(self.step) and self.step > 0.0):
            raise UsageError(f"step is {self.step!r}, must be a positive number of seconds.")
        for name, given in (
            ("spectra", self.spectra),
            ("delays", {} if self.delays is None else self.delays),
        ):
            if not isinstance(given, Mapping):
                raise UsageError(f"{name} is {brief(given)}, must be a mapping of degrees of freedom.")
        spectra = {model.dof_index(dof): _spectrum(dof, given) for dof, given in self.spectra.items()}
        delays = {model.dof_index(dof): part for dof, part in (self.delays or {}).items()}
        if not all(is_number(part) and math.isfinite(part) for part in delays.values()):
            raise UsageError(f"delays is {brief(self.delays)}, must hold finite numbers of periods.")
        lengths = {len(spectrum) for spectrum in spectra.values()}
        if len(lengths) > 1:
            raise UsageError(f"spectra have {sorted(lengths)} numbers; all of a creature must have as many.")
        count = 2 * lengths.pop() if lengths else 2
        table = np.zeros((count, model.nv))
        if spectra:
            waves = [_waves(count, delays.get(dof, 0.0)) for dof in spectra]
            table[:, list(spectra)] = synthesised(np.array(list(spectra.values())), np.array(waves)).T
        return table


@lru_cache(maxsize=16)
def _samples(held: Held) -> Floats:
    """The samples of a controller for a model, which a world asks for at every step."""
    controller, model = held.parts
    samples: Floats = controller.samples(model)
    return samples


def _spectrum(dof: str | int, given: Any) -> list[complex]:
    try:
        numbers = [complex(number) for number in given]
    except (TypeError, ValueError):
        numbers = []
    if not numbers or not all(math.isfinite(n.real) and math.isfinite(n.imag) for n in numbers):
        raise UsageError(f"the spectrum of {dof!r} is {given!r}, must be a list of finite complex numbers.")
    return numbers


def synthesised(spectra: Any, waves: Any) -> Floats:
    """h of several spectra at several phases: (1/N)·[Re H_0 + 2 Σ_n Re(H_n e^(−2πi n·phase))], shape (spectra, phases).

    Args:
        spectra: shape (spectra, N/2), complex.
        waves: sines and cosines of 2π n·phase, shape (spectra, 2, N/2, phases).
    """
    sines, cosines = waves[:, 0], waves[:, 1]
    total = np.repeat(spectra.real[:, :1], waves.shape[-1], axis=1)
    for n in range(1, spectra.shape[1]):
        real, imaginary = spectra.real[:, n, None], spectra.imag[:, n, None]
        total += 2.0 * (real * cosines[:, n] + imaginary * sines[:, n])
    return np.asarray(total / (2 * spectra.shape[1]))


@lru_cache(maxsize=256)
def _waves(count: int, delay: float) -> Floats:
    """Sines and cosines at all phases of a period; populations of creatures ask for the same few over and over."""
    found = np.zeros((2, count // 2, count))
    for n in range(count // 2):
        for k in range(count):
            turns = n * (k / count - delay)
            found[:, n, k] = sincos(2.0 * math.pi * (turns - math.floor(turns)))
    found.flags.writeable = False
    return found
