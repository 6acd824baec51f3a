"""What moves the limbs: a table of motions, one for each controller, each with its genes, its variation and its growth.

A motion belongs to a limb pair and is inherited with it (ARN-51).  Hip and knee have genes of their own; left and right leg
share them, in phase or half a period apart (ARN-49).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from zoophyte.control import Controller, Sine, Spectral
from zoophyte.evolution.genomes.limbed.body import SIDES, in_place, joint_names
from zoophyte.evolution.genomes.limbed.brains import SEEING_RULES, NetMotion
from zoophyte.evolution.genomes.limbed.genome import LimbedGenome
from zoophyte.evolution.genomes.limbed.patterns import OscillatorMotion
from zoophyte.evolution.genomes.limbed.ranged import RangedMotion
from zoophyte.evolution.variation import Floats, Rng, intermediate
from zoophyte.numbers.functions import exp, sincos

HARMONICS = 8
"""N/2 numbers are inherited per joint, so that a period has N = 16 samples."""
SAMPLES = 2 * HARMONICS
SIGNAL_RMS = 0.5
"""Of random signals [rad]."""


class Motion(Protocol):
    """How one kind of motion is drawn, varied, compared and turned into a controller."""

    count: int
    """Parameters, for self-adaptation."""

    def random(self, rng: Rng) -> Any:
        """A random motion of a limb pair."""
        ...

    def mutated(self, motion: Any, rng: Rng, noise: float, shift: float) -> Any:
        """A motion nearby.

        Args:
            motion: stays as it is.
            rng: of the changes.
            noise: standard deviation of the changes, in parts of each gene's spread.
            shift: standard deviation of a shift in time, in periods; for those motions that know one.
        """
        ...

    def mixed(self, a: Any, b: Any, rng: Rng, how: str) -> Any:
        """A motion of two: "discrete" or "intermediate"."""
        ...

    def difference(self, a: Any, b: Any) -> float:
        """0 for equal ones, about 1 for unrelated ones."""
        ...

    def is_valid(self, motion: Any) -> bool:
        """Whether it may be a motion of this kind."""
        ...

    def controller(self, genome: LimbedGenome) -> Controller:
        """What moves the grown body."""
        ...


def _deviations() -> Floats:
    """σ_n of random spectra: variance falls by e^(−1/2) per harmonic, and all together give `SIGNAL_RMS` (ARN-50).

    The mean square of h is (σ_0² + 4 Σ σ_n²)/N².
    """
    variances = np.array([exp(-0.5 * n) for n in range(HARMONICS)])
    scale = SIGNAL_RMS * SAMPLES / np.sqrt(variances[0] + 4.0 * float(np.sum(variances[1:])))
    return np.asarray(scale * np.sqrt(variances), float)


SPECTRUM = _deviations()
SPECTRUM_LIMIT = np.array([0.6 * SAMPLES] + [0.5 * SAMPLES] * (HARMONICS - 1))
"""Of |H_n|: offsets stay within 0.6 rad, the amplitude of each harmonic within 1 rad."""


class SpectralMotion:
    """Spectra H_0 … H_7 of hip and knee, shape (2, 8, 2): real and imaginary parts (ARN-48 … 52)."""

    count = 2 * (2 * HARMONICS - 1)

    def random(self, rng: Rng) -> Floats:
        """Normal real and imaginary parts with falling variance (ARN-50)."""
        return self._repaired(SPECTRUM[:, None] * rng.standard_normal((2, HARMONICS, 2)))

    def mutated(self, motion: Floats, rng: Rng, noise: float, shift: float) -> Floats:
        """Noise on every number, then a shift in time by s, H_n ← H_n e^(+2πi n s) (ARN-52, in this order).

        The noise of H_n is a part of the spread of random spectra, so that high harmonics stay small.
        """
        moved = motion + noise * SPECTRUM[:, None] * rng.standard_normal(motion.shape)
        moved[:, 0, 1] = 0.0
        return self._repaired(shifted(moved, shift * rng.standard_normal(2)))

    def _repaired(self, spectra: Floats) -> Floats:
        """Im H_0 = 0, and no |H_n| beyond its limit L: it is reflected there, |H| → 2 L − |H|."""
        spectra = spectra.copy()
        spectra[:, 0, 1] = 0.0
        size = np.sqrt(np.sum(spectra * spectra, axis=-1))
        over = size > SPECTRUM_LIMIT
        if np.any(over):
            goal = np.clip(2.0 * SPECTRUM_LIMIT - size, 0.0, SPECTRUM_LIMIT)
            spectra *= np.where(over, goal / np.where(over, size, 1.0), 1.0)[..., None]
        return spectra

    def mixed(self, a: Floats, b: Floats, rng: Rng, how: str) -> Floats:
        """Discrete: whole harmonics of either parent; intermediate: the mean."""
        if how == "intermediate":
            return intermediate(a, b)
        return np.where(rng.random(a.shape[:2])[..., None] < 0.5, a, b)

    def difference(self, a: Floats, b: Floats) -> float:
        """rms of the difference over what it is between random spectra."""
        spread = 2.0 * float(np.sum(2.0 * SPECTRUM * SPECTRUM * np.array([1.0] + [2.0] * (HARMONICS - 1))))
        return float(np.sqrt(np.sum((a - b) ** 2) / spread))

    def is_valid(self, motion: Any) -> bool:
        """Shape, size and a real H_0."""
        if not isinstance(motion, np.ndarray) or motion.shape != (2, HARMONICS, 2):
            return False
        size = np.sqrt(np.sum(motion * motion, axis=-1))
        return bool(np.all(size <= SPECTRUM_LIMIT * (1.0 + 1e-12)) and np.all(motion[:, 0, 1] == 0.0))

    def controller(self, genome: LimbedGenome) -> Controller:
        """Spectra of all joints; right legs that alternate come half a period later."""
        spectra: dict[str | int, Any] = {}
        delays: dict[str | int, float] = {}
        for pair, limb in in_place(genome):
            joints = [[complex(re, im) for re, im in joint] for joint in limb.motion.tolist()]
            for side, sign in SIDES:
                for name, spectrum in zip(joint_names(pair, side), joints, strict=True):
                    spectra[name] = spectrum
                    if limb.alternates and sign < 0.0:
                        delays[name] = 0.5
        return Spectral(spectra, genome.period / SAMPLES, delays)


def shifted(spectra: Floats, periods: Floats) -> Floats:
    """Spectra of hip and knee, each later by a time given in periods: h(t) → h(t − s) (ARN-52)."""
    moved = spectra.copy()
    for joint, period in enumerate(periods.tolist()):
        sine, cosine = sincos(2.0 * np.pi * period)
        re, im = 1.0, 0.0
        for n in range(1, spectra.shape[1]):
            re, im = re * cosine - im * sine, re * sine + im * cosine  # e^(2πi n s)
            a, b = float(spectra[joint, n, 0]), float(spectra[joint, n, 1])
            moved[joint, n] = a * re - b * im, a * im + b * re
    return moved


class SineMotion(RangedMotion):
    """Amplitude, phase and offset of hip and knee, shape (2, 3); the period is common (Ventrella's case)."""

    def __init__(self) -> None:
        super().__init__(
            low=[[0.0, -np.pi, -0.6]] * 2, high=[[1.0, np.pi, 0.6]] * 2, turns=[[False, True, False]] * 2
        )

    def mutated(self, motion: Floats, rng: Rng, noise: float, shift: float) -> Floats:
        """Noise on all numbers, then a shift in time."""
        moved = super().mutated(motion, rng, noise, shift)
        moved[:, 1] -= 2.0 * np.pi * shift * rng.standard_normal(2)
        return self.wrapped(moved)

    def controller(self, genome: LimbedGenome) -> Controller:
        """Sines of all joints; right legs that alternate come half a period later."""
        amplitude: dict[str, float] = {}
        phase: dict[str, float] = {}
        offset: dict[str, float] = {}
        for pair, limb in in_place(genome):
            for side, sign in SIDES:
                late = np.pi if limb.alternates and sign < 0.0 else 0.0
                for name, (a, p, o) in zip(joint_names(pair, side), limb.motion.tolist(), strict=True):
                    amplitude[name], phase[name], offset[name] = a, p - late, o
        return Sine(amplitude, 1.0 / genome.period, phase, offset)


MOTIONS: dict[str, Motion] = {
    "spectral": SpectralMotion(),
    "sine": SineMotion(),
    "oscillators": OscillatorMotion(),
    "neurons": NetMotion(),
}
"""Motions by the name of their controller."""
_SEEING = NetMotion(SEEING_RULES)


def motion_of(controller: str, world: Sequence[str] = ()) -> Motion:
    """How a controller moves limbs.

    Args:
        controller: of `MOTIONS`.
        world: names of bodies that nets feel; without any they never look for them, and draw as many random numbers as ever.
    """
    return _SEEING if world and controller == "neurons" else MOTIONS[controller]
