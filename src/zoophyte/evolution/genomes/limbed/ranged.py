"""Motions that are plain numbers, each with its range: the base of sines and oscillators."""

from __future__ import annotations

from typing import Any

import numpy as np

from zoophyte.evolution.variation import Floats, Rng, discrete, intermediate, reflected


class RangedMotion:
    """Numbers within bounds; some are angles, which have none but come round.

    Args:
        low: bounds, of the motion's shape.
        high: likewise.
        turns: which numbers are angles.
    """

    def __init__(self, low: Any, high: Any, turns: Any) -> None:
        self.low, self.high = np.array(low, float), np.array(high, float)
        self.turns = np.array(turns, bool)
        self.count = int(self.low.size)

    def random(self, rng: Rng) -> Floats:
        """Even over the ranges."""
        drawn: Floats = self.low + (self.high - self.low) * rng.random(self.low.shape)
        return drawn

    def mutated(self, motion: Floats, rng: Rng, noise: float, shift: float) -> Floats:
        """Normal steps of mean zero, as parts of the ranges; reflected at bounds, angles come round."""
        moved = motion + noise * (self.high - self.low) * rng.standard_normal(motion.shape)
        return self.wrapped(moved)

    def wrapped(self, motion: Floats) -> Floats:
        """Everything back in its range."""
        width = self.high - self.low
        round_again = np.minimum(self.low + np.mod(motion - self.low, width), self.high)
        found: Floats = np.where(self.turns, round_again, reflected(motion, self.low, self.high))
        return found

    def mixed(self, a: Floats, b: Floats, rng: Rng, how: str) -> Floats:
        """Each number of either parent, or the mean; of angles the mean on the shorter way."""
        if how == "discrete":
            return discrete(a, b, rng)
        half = 0.5 * (self.high - self.low)
        near = np.where(self.turns, a + np.mod(b - a + half, 2.0 * half) - half, b)
        return self.wrapped(intermediate(a, near))

    def difference(self, a: Floats, b: Floats) -> float:
        """rms over what it is between random motions: a sixth of the squared range, for angles a twelfth."""
        width = self.high - self.low
        apart = np.abs(a - b)
        apart = np.where(self.turns, np.minimum(apart, width - apart), apart) / width
        return float(np.sqrt(np.mean(apart * apart * np.where(self.turns, 12.0, 6.0))))

    def is_valid(self, motion: Any) -> bool:
        """Shape and bounds."""
        return bool(
            isinstance(motion, np.ndarray)
            and motion.shape == self.low.shape
            and np.all((motion >= self.low) & (motion <= self.high))
        )
