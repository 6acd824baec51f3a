"""Random limbed creatures, fully random or as variations of designed bodies (ARN-57)."""

from __future__ import annotations

import numpy as np

from zoophyte.evolution.genomes.limbed.genome import (
    PERIOD_HIGH,
    PERIOD_LOW,
    PLACES,
    SIZE_HIGH,
    SIZE_LOW,
    TRUNK_HIGH,
    TRUNK_LOW,
    VOLUME,
    Limb,
    LimbedGenome,
)
from zoophyte.evolution.genomes.limbed.motions import motion_of
from zoophyte.evolution.genomes.limbed.poses import turned_by
from zoophyte.evolution.variation import Floats, Rng, gaussian, reflected
from zoophyte.numbers.functions import exp, power

SPLAY = (-0.3, 1.8)
"""How far random legs stand off the vertical [rad]."""
TWIST = 1.0
"""Deviation of every component of the rotation vectors that turn random poses out of the plane across [rad]."""
BEND = (-1.3, 0.3)
"""Of random knees, inwards where negative [rad]."""

DESIGNED_TRUNK = np.array([0.25, 0.12, 0.08])
DESIGNED_SIZES = np.array([0.20, 0.030, 0.022, 0.22, 0.012])
DESIGNED_PLACES = {2: (0.6, -0.6), 3: (0.72, -0.72, 0.0)}
"""Of Arnold's reference creatures REF4 and REF6."""
DESIGNED_SPREAD = 0.08
"""Of designed bodies: deviation of sizes in parts of their ranges, of poses and of the logarithms of trunks."""


def with_volume(semi_axes: Floats) -> Floats:
    """The same ellipsoid, scaled so that its volume is V0 to rounding (ARN-55)."""
    scale = power(VOLUME / (4.0 / 3.0 * np.pi * float(np.prod(semi_axes))), 1.0 / 3.0)
    x, y, _ = (semi_axes * scale).tolist()
    return np.array([x, y, VOLUME / (4.0 / 3.0 * np.pi * x * y)])


def trunk_fits(semi_axes: Floats) -> bool:
    """Whether all semi-axes are within bounds."""
    return bool(np.all((semi_axes >= TRUNK_LOW) & (semi_axes <= TRUNK_HIGH)))


def stretched(semi_axes: Floats, deviation: float, rng: Rng) -> Floats:
    """A trunk of the same volume: normal steps of the logarithms, less their mean, which leaves the volume as it is.

    A step that leaves the bounds is not taken, so that trunks do not gather there (ARN-56).
    """
    steps = deviation * rng.standard_normal(3)
    steps -= float(np.sum(steps)) / 3.0
    moved = with_volume(
        np.array([axis * exp(s) for axis, s in zip(semi_axes.tolist(), steps.tolist(), strict=True)])
    )
    return moved if trunk_fits(moved) else semi_axes


def random_genome(controller: str, rng: Rng, world: tuple[str, ...] = ()) -> LimbedGenome:
    """A fully random creature: two or three pairs of legs of any size, splayed and twisted anyhow."""
    motion = motion_of(controller, world)
    trunk = with_volume(rng.uniform(TRUNK_LOW, TRUNK_HIGH, 3))
    while not trunk_fits(trunk):
        trunk = with_volume(rng.uniform(TRUNK_LOW, TRUNK_HIGH, 3))
    limbs = []
    for place in PLACES[: int(rng.integers(2, 4))]:
        sizes = rng.uniform(SIZE_LOW, SIZE_HIGH)
        hip = turned_by((rng.uniform(*SPLAY), 0.0, 0.0), TWIST * rng.standard_normal(3))
        knee = turned_by((rng.uniform(*BEND), 0.0, 0.0), TWIST * rng.standard_normal(3))
        limbs.append(Limb(sizes, hip, knee, place, bool(rng.random() < 0.5), motion.random(rng)))
    return LimbedGenome(controller, trunk, tuple(limbs), random_period(rng), world=world)


def designed_genome(controller: str, rng: Rng, world: tuple[str, ...] = ()) -> LimbedGenome:
    """A variation of the reference creatures REF4 or REF6, with a random controller."""
    motion = motion_of(controller, world)
    trunk = stretched(with_volume(DESIGNED_TRUNK), DESIGNED_SPREAD, rng)
    limbs = []
    for place in DESIGNED_PLACES[int(rng.integers(2, 4))]:
        sizes = gaussian(DESIGNED_SIZES, DESIGNED_SPREAD * (SIZE_HIGH - SIZE_LOW), rng, SIZE_LOW, SIZE_HIGH)
        hip, knee = (turned_by(DESIGNED_SPREAD * rng.standard_normal(3)) for _ in range(2))
        limbs.append(Limb(sizes, hip, knee, place, bool(rng.random() < 0.5), motion.random(rng)))
    return LimbedGenome(controller, trunk, tuple(limbs), random_period(rng), world=world)


def random_period(rng: Rng) -> float:
    """Even on a logarithmic scale (ARN-50) [s]."""
    drawn = PERIOD_LOW * power(PERIOD_HIGH / PERIOD_LOW, float(rng.random()))
    return float(reflected(drawn, PERIOD_LOW, PERIOD_HIGH))
