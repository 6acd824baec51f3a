"""What is evolved for the claims of Arnold 1997 and Fontijne 2000; all of it is less than the documents had.

Arnold: 16 to 64 parents and 50 to 100 generations of six times as many offspring.  Here 16 parents and 16 generations where
the level counts; where two conditions are compared, 8 parents, 12 generations and lives of 6 s.
Fontijne: 300 creatures and 100 to 200 generations.  Here 30 creatures, 16 generations and lives of 6 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from zoophyte.evolution.genomes.limbed import Limbed, LimbedGenome
from zoophyte.evolution.protocols import Operator
from zoophyte.evolution.tasks import Move
from zoophyte.evolution.variation import Rng
from zoophyte.numbers.functions import sincos
from zoophyte.simulation.habitat import Habitat
from zoophyte.validation.checks.evolution.odds import Condition

SEEDS = range(4)
"""Of comparisons: four against four can be as unlikely as 1 in 70."""
FEW = range(3)
"""Of longer runs: three against three can be as unlikely as 1 in 20."""


@dataclass(frozen=True)
class Fixed(Limbed):
    """Limbed creatures of which something cannot evolve.

    Args (beside those of `Limbed`):
        pairs: of legs, 2 or 3; 0 for either.
        alternating: whether all limbs alternate, or none; None leaves it to evolution.
    """

    pairs: int = 0
    alternating: bool | None = None
    name: str = "fixed_limbed"

    def held(self, genome: LimbedGenome) -> LimbedGenome:
        """The same genome with the bits that are fixed."""
        if self.alternating is None:
            return genome
        return replace(
            genome, limbs=tuple(replace(limb, alternates=self.alternating) for limb in genome.limbs)
        )

    def random(self, rng: Rng) -> LimbedGenome:
        """Drawn until the number of pairs is right."""
        genome = super().random(rng)
        while self.pairs and len(genome.limbs) != self.pairs:
            genome = super().random(rng)
        return self.held(genome)

    def operators(self) -> Sequence[Operator]:
        """Those of the breed, after which the bits are put back."""
        return tuple(Holding(operator, self) for operator in super().operators())

    def settings(self) -> dict[str, Any]:
        """What makes this breed what it is."""
        return {**super().settings(), "pairs": self.pairs, "alternating": self.alternating}


class Holding:
    """An operator whose children keep what is fixed.

    Args:
        operator: that makes them.
        breed: that says what is fixed.
    """

    def __init__(self, operator: Any, breed: Fixed) -> None:
        self.operator, self.breed = operator, breed
        self.name: str = operator.name
        self.parents: int = operator.parents
        self.share: float = operator.share

    def __call__(self, parents: Sequence[LimbedGenome], rng: Rng) -> LimbedGenome:
        """A child."""
        return self.breed.held(self.operator(parents, rng))


@dataclass(frozen=True)
class Downhill(Move):
    """`move` where gravity leans forward, as if the ground fell away (FON-E7).

    Args:
        tilt: of gravity from the vertical, towards +x [rad].
    """

    name: ClassVar[str] = "move_downhill"
    tilt: float = 0.1

    def habitat(self, stage: float, rng: np.random.Generator) -> Habitat:
        """Level ground and leaning gravity."""
        flat = super().habitat(stage, rng)
        sine, cosine = sincos(self.tilt)
        down = flat.gravity[2]
        return replace(flat, gravity=(-down * float(sine), 0.0, down * float(cosine)))


# --------------------------------------------------------------------------------------------------- Arnold 1997

RANDOM = Condition("walk", "limbed", 167, 1)
"""1002 creatures that nobody selected."""
WALK = Condition("walk", "limbed", 16, 16)


def short(breed: Any, selection: str = "comma") -> Condition:
    """One side of a comparison: 8 parents, 48 offspring, 12 generations; the way from 3 to 6 s counts."""
    return Condition("walk", breed, 8, 12, selection, (("seconds", 6.0), ("settle", 3.0)))


SHORT = short("limbed")
DESIGNED = short(Limbed(designed=True))
ROULETTE = short("limbed", "roulette")
FOUR, SIX = short(Fixed(pairs=2)), short(Fixed(pairs=3))
ALTERNATING, TOGETHER = short(Fixed(alternating=True)), short(Fixed(alternating=False))

# ------------------------------------------------------------------------------------------------- Fontijne 2000

BRIEF = (("seconds", 6.0), ("settle", 1.5))
LIGHT = (*BRIEF, ("gravity", 2.0))
RAMP = (*BRIEF, ("gravity_start", 0.2), ("gravity", 9.81))
SPHERES = (("shapes", ("sphere",)),)
STRONGER = (("strength", 36000.0), ("self_contact", False))

RECEDING = Condition("hit_ball", "graph", 30, 16, None, (("seconds", 6.0),))
SCATTERED = Condition("hit_moved_ball", "graph", 30, 10, None, (("seconds", 6.0),), (("world", ("ball",)),))
JUMP = Condition("jump_up", "graph", 30, 16, None, RAMP)
JUMP_SPHERES = Condition("jump_up", "graph", 30, 16, None, RAMP, SPHERES)
AWAY = Condition("jump_away", "graph", 30, 16, None, LIGHT)
MOVE = Condition("move", "graph", 30, 16, None, BRIEF)
DOWNHILL = Condition(Downhill(seconds=6.0, settle=1.5), "graph", 30, 16, None, (), STRONGER)
