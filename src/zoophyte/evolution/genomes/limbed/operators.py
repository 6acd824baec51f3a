"""How limbed creatures vary: mutation (ARN-52, 56) and recombination (ARN-51, 55, 62).

Normal steps have mean zero; the odds are those of the defaults.

================================ ============================== ========== =========================================
what                             change                         odds       repair
================================ ============================== ========== =========================================
trunk                            logarithms of semi-axes, 5 %   always     the mean step is taken off: volume stays
                                                                           V0; a step out of bounds is not taken
sizes of legs                    5 % of each range              always     reflected at bounds; both segments share
                                                                           the radius of the knee
rest poses                       angle 0.05 rad, axis 0.05 per  always     axis and quaternion made one long
                                 component
spectra                          5 % of a random spectrum,      always     Im H_0 = 0; reflected at the largest
                                 then a shift of 2 % in time               amplitude
sines, oscillators               5 % of each range              always     reflected; angles come round
nets of neurons                  as `genomes.nets` says         10 %/gene  addresses count modulo what is there
alternating or not               flipped                        2 %/pair   –
period                           3 % of it                      always     reflected at bounds
number of pairs, place of hips   by recombination only          –          a pair that one parent lacks comes from
                                                                           the other
================================ ============================== ========== =========================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from zoophyte.errors import UsageError
from zoophyte.evolution.genomes.limbed.drawing import stretched, trunk_fits, with_volume
from zoophyte.evolution.genomes.limbed.genome import (
    PERIOD_HIGH,
    PERIOD_LOW,
    SIZE_HIGH,
    SIZE_LOW,
    Limb,
    LimbedGenome,
)
from zoophyte.evolution.genomes.limbed.motions import MOTIONS, motion_of
from zoophyte.evolution.genomes.limbed.poses import mean_pose, mutated_pose
from zoophyte.evolution.variation import Rng, adapted, discrete, either, gaussian, intermediate, parent_pair

How = Literal["limbs", "discrete", "intermediate", "pool"]
SIZES, POSES, MOTION, TIMING = range(4)
POOL = 8


@dataclass
class Mutation:
    """Small changes of everything; see the table at the top of this module.

    Args:
        step: factor of all steps; multiplied by those in the genome.
        adapts: whether the step sizes in the genome mutate first, and are used then (Schwefel, ARN-63).
        sizes: deviation of sizes, in parts of their ranges, and of the logarithms of the trunk's semi-axes.
        axis: deviation of the axes of rest poses, per component.
        angle: deviation of their angles [rad].
        noise: deviation of what moves the limbs, in parts of each gene's spread.
        shift: deviation of its shift in time, in periods.
        stretch: deviation of the period, in parts of it.
        flip: probability that a pair begins or ceases to alternate.
        share: how often this operator is chosen.
    """

    step: float = 1.0
    adapts: bool = False
    sizes: float = 0.05
    axis: float = 0.05
    angle: float = 0.05
    noise: float = 0.05
    shift: float = 0.02
    stretch: float = 0.03
    flip: float = 0.02
    share: float = 1.0
    name: str = field(default="mutation", init=False)
    parents: int = field(default=1, init=False)

    def __call__(self, parents: Sequence[LimbedGenome], rng: Rng) -> LimbedGenome:
        """A mutant of the one parent."""
        genome = parents[0]
        motion = motion_of(genome.controller, genome.world)
        if self.adapts:
            count = 4 + len(genome.limbs) * (13 + motion.count)
            overall, steps = adapted(genome.step, genome.steps, count, rng)
            genome = replace(genome, step=overall, steps=steps)
        size, pose, move, time = (self.step * genome.step * genome.steps).tolist()
        limbs = tuple(
            Limb(
                gaussian(limb.sizes, size * self.sizes * (SIZE_HIGH - SIZE_LOW), rng, SIZE_LOW, SIZE_HIGH),
                mutated_pose(limb.hip, rng, pose * self.axis, pose * self.angle),
                mutated_pose(limb.knee, rng, pose * self.axis, pose * self.angle),
                limb.place,
                limb.alternates != bool(rng.random() < self.flip),
                motion.mutated(limb.motion, rng, move * self.noise, time * self.shift),
            )
            for limb in genome.limbs
        )
        period = float(
            gaussian(genome.period, time * self.stretch * genome.period, rng, PERIOD_LOW, PERIOD_HIGH)
        )
        return replace(
            genome, trunk=stretched(genome.trunk, size * self.sizes, rng), limbs=limbs, period=period
        )


@dataclass
class Recombination:
    """A child of two parents, which then mutates.

    The number of pairs comes from one of them, and so does a bit or a whole net of neurons.  Step sizes are always averaged
    (after Bäck, ARN-62).

    Args:
        how: "limbs", Arnold's own: the trunk is the mean of the parents', scaled to V0; each limb pair comes as a unit, with
            what moves it, from one of them. "discrete": each number of either parent. "intermediate": means of all numbers,
            poses half-way. "pool": as "discrete", with a new pair out of all parents for each component.
        mutation: what follows; None for nothing.
        share: how often this operator is chosen.
    """

    how: How = "limbs"
    mutation: Mutation | None = field(default_factory=Mutation)
    share: float = 1.0
    name: str = field(default="", init=False)
    parents: int = field(default=2, init=False)

    def __post_init__(self) -> None:
        if self.how not in ("limbs", "discrete", "intermediate", "pool"):
            raise UsageError(f"how is {self.how!r}, must be 'limbs', 'discrete', 'intermediate' or 'pool'.")
        self.name = self.how if self.mutation is None else f"{self.how}+{self.mutation.name}"
        self.parents = POOL if self.how == "pool" else 2

    def __call__(self, parents: Sequence[LimbedGenome], rng: Rng) -> LimbedGenome:
        """A child; parents stay as they are."""
        child = self.recombined(parents, rng)
        return child if self.mutation is None else self.mutation([child], rng)

    def recombined(self, parents: Sequence[LimbedGenome], rng: Rng) -> LimbedGenome:
        """The child before it mutates."""
        fixed = parent_pair(parents, rng)

        def pair() -> tuple[LimbedGenome, LimbedGenome]:
            return parent_pair(parents, rng) if self.how == "pool" else fixed

        count = len(either(*pair(), rng).limbs)
        limbs = tuple(self._limb(slot, *self._owners(slot, pair(), parents), rng) for slot in range(count))
        a, b = pair()
        mixed = (
            discrete(a.trunk, b.trunk, rng)
            if self.how in ("discrete", "pool")
            else intermediate(a.trunk, b.trunk)
        )
        trunk = with_volume(mixed)
        trunk = trunk if trunk_fits(trunk) else either(a.trunk, b.trunk, rng)
        a, b = pair()
        period = 0.5 * (a.period + b.period) if self.how == "intermediate" else either(a, b, rng).period
        a, b = pair()
        step, steps = 0.5 * (a.step + b.step), intermediate(a.steps, b.steps)
        return LimbedGenome(a.controller, trunk, limbs, period, step, steps, a.self_contact, a.world)

    @staticmethod
    def _owners(slot: int, pair: tuple[Any, Any], parents: Sequence[LimbedGenome]) -> tuple[Any, Any]:
        """The two of whom a limb pair comes: who has none there is stood in for by the other, or by any who has."""
        able = [genome for genome in pair if len(genome.limbs) > slot]
        able = able or [next(genome for genome in parents if len(genome.limbs) > slot)]
        return able[0], able[-1]

    def _limb(self, slot: int, a: LimbedGenome, b: LimbedGenome, rng: Rng) -> Limb:
        first, second = a.limbs[slot], b.limbs[slot]
        if self.how == "limbs" or first is second:
            return either(first, second, rng)
        motion = MOTIONS[a.controller]
        if self.how == "intermediate":
            return Limb(
                intermediate(first.sizes, second.sizes), mean_pose(first.hip, second.hip),
                mean_pose(first.knee, second.knee), either(first, second, rng).place,
                either(first, second, rng).alternates, motion.mixed(first.motion, second.motion, rng, "intermediate"),
            )  # fmt: skip
        return Limb(
            discrete(first.sizes, second.sizes, rng), either(first.hip, second.hip, rng),
            either(first.knee, second.knee, rng), either(first, second, rng).place,
            either(first, second, rng).alternates, motion.mixed(first.motion, second.motion, rng, "discrete"),
        )  # fmt: skip
