"""Variation on plain numbers, for every genome: normal steps, recombination, Gray-coded bits, step-size control.

Mutation must be unbiased where nothing selects (ARN-56).  A step that would leave the range of a parameter is therefore
*reflected* at the bound: the density to go from x to y is then the one to go from y to x, and a population that only
mutates ends up spread evenly over the range.  Clipping would pile it up at the bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.numbers.functions import exp

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Rng: TypeAlias = np.random.Generator
_Gene = TypeVar("_Gene")

STEP_BOUNDS = (0.05, 20.0)
"""No step-size factor leaves these bounds: below, evolution would stop; above, every child would be a stranger."""


def reflected(values: Any, low: Any, high: Any) -> Floats:
    """Values thrown back into [low, high] as by mirrors at both ends, however far they went."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    width = high - low
    # The mirrored line has period 2·width: a triangle wave.
    place = np.mod(np.asarray(values, float) - low, 2.0 * width)
    thrown: Floats = np.clip(low + np.where(place > width, 2.0 * width - place, place), low, high)
    return thrown


def gaussian(values: Any, deviation: Any, rng: Rng, low: Any = None, high: Any = None) -> Floats:
    """Values plus normal steps of mean zero, reflected at the bounds, if there are any (ARN-62).

    Args:
        values: numbers of any shape.
        deviation: standard deviation, one or as many.
        rng: of the steps.
        low: bounds, one or as many; both or none.
        high: likewise.
    """
    values = np.asarray(values, float)
    moved = values + deviation * rng.standard_normal(values.shape)
    return moved if low is None else reflected(moved, low, high)


def discrete(a: Any, b: Any, rng: Rng) -> Floats:
    """Each number from one of two parents, chosen by a coin of its own (ARN-62)."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    mixed: Floats = np.where(rng.random(a.shape) < 0.5, a, b)
    return mixed


def intermediate(a: Any, b: Any) -> Floats:
    """The mean of two parents (ARN-62)."""
    mean: Floats = 0.5 * (np.asarray(a, float) + np.asarray(b, float))
    return mean


def either(a: _Gene, b: _Gene, rng: Rng) -> _Gene:
    """One of two genes, whole."""
    return a if rng.random() < 0.5 else b


def parent_pair(parents: Sequence[_Gene], rng: Rng) -> tuple[_Gene, _Gene]:
    """Two different parents out of a gene pool, drawn anew for every component (ARN-62); the only one twice."""
    if len(parents) == 1:
        return parents[0], parents[0]
    first, second = rng.choice(len(parents), 2, replace=False)
    return parents[int(first)], parents[int(second)]


def gray(number: int) -> int:
    """The Gray code of a whole number: codes of neighbours differ in one bit (ARN-62)."""
    if number < 0:
        raise UsageError(f"number is {number!r}, must be 0 or more to have a Gray code.")
    return number ^ (number >> 1)


def from_gray(code: int) -> int:
    """The whole number whose Gray code this is."""
    if code < 0:
        raise UsageError(f"code is {code!r}, must be 0 or more.")
    number = 0
    while code:
        number ^= code
        code >>= 1
    return number


def flipped(number: int, bits: int, probability: float, rng: Rng) -> int:
    """A whole number of `bits` bits, each bit of whose Gray code is flipped with a probability.

    Args:
        number: from 0 to 2^bits − 1.
        bits: how many it is coded in.
        probability: of each flip.
        rng: of the flips.
    """
    if not 0 <= number < 1 << bits:
        raise UsageError(
            f"number is {number!r}, must be from 0 to {(1 << bits) - 1} to fit into {bits} bits."
        )
    mask = 0
    for bit in np.flatnonzero(rng.random(bits) < probability):
        mask |= 1 << int(bit)
    return from_gray(gray(number) ^ mask)


def adapted(overall: float, steps: Any, count: int, rng: Rng) -> tuple[float, Floats]:
    """Step sizes that mutate along (Schwefel's self-adaptation, ARN-63).

    σ_i ← σ_i·exp(τ′·N + τ·N_i) with one N for all and one N_i each, τ′ = 1/√(2n), τ = 1/√(2√n) for n parameters.  The common
    factor is kept apart, so that a success rule can set it.  The logarithms do an unbiased walk, reflected at `STEP_BOUNDS`.

    Args:
        overall: the common factor.
        steps: factors of the classes of parameters.
        count: n, how many parameters they steer.
        rng: of the changes.
    """
    common, own = 1.0 / np.sqrt(2.0 * count), 1.0 / np.sqrt(2.0 * np.sqrt(count))
    changed = _scaled(np.array([overall]), common * rng.standard_normal(1))
    return float(changed[0]), _scaled(np.asarray(steps, float), own * rng.standard_normal(np.shape(steps)))


def _scaled(factors: Floats, logarithms: Floats) -> Floats:
    low, high = STEP_BOUNDS
    moved = np.array([f * exp(float(x)) for f, x in zip(factors.tolist(), logarithms.tolist(), strict=True)])
    # Mirrors on a logarithmic scale.
    moved = np.where(moved > high, high * (high / moved), np.where(moved < low, low * (low / moved), moved))
    bounded: Floats = np.clip(moved, low, high)
    return bounded


@dataclass(frozen=True)
class SuccessRule:
    """Rechenberg's rule: steps grow where more children than wanted beat their parents, else they shrink (ARN-63).

    Args:
        target: share of successes that is wanted; the classic 1/5.
        change: factor between one step size and the next smaller one, from 0 to 1.
    """

    target: float = 0.2
    change: float = 0.85

    def __post_init__(self) -> None:
        if not (0.0 < self.target < 1.0 and 0.0 < self.change < 1.0):
            raise UsageError(
                f"target is {self.target!r} and change {self.change!r}; both must lie between 0 and 1."
            )

    def step(self, now: float, successes: int, trials: int) -> float:
        """The next step size.

        Args:
            now: the present one.
            successes: children that were better than their parents.
            trials: all children since the last change.
        """
        if trials <= 0 or successes == self.target * trials:
            return now
        low, high = STEP_BOUNDS
        return min(
            high, max(low, now / self.change if successes > self.target * trials else now * self.change)
        )
