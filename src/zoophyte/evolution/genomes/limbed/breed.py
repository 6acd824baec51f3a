"""Limbed: Arnold's breed of insects and beasts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from zoophyte.errors import FileError, UsageError, brief, is_number, nearest
from zoophyte.evolution.genomes.limbed.drawing import designed_genome, random_genome
from zoophyte.evolution.genomes.limbed.genome import (
    PAIRS,
    PERIOD_HIGH,
    PERIOD_LOW,
    SIZE_HIGH,
    SIZE_LOW,
    Limb,
    LimbedGenome,
    restored,
)
from zoophyte.evolution.genomes.limbed.motions import MOTIONS
from zoophyte.evolution.genomes.limbed.operators import How, Mutation, Recombination
from zoophyte.evolution.genomes.limbed.poses import angle_between
from zoophyte.evolution.protocols import Operator
from zoophyte.evolution.variation import Rng
from zoophyte.numbers.functions import log

ADAPTATIONS = ("none", "self")
MOST_STEP = 20.0
"""Beyond it every child would be a stranger."""


@dataclass(frozen=True)
class Limbed:
    """Creatures with an ellipsoid trunk and two or three mirrored pairs of two-segment legs (ARN-45 … 57, 62, 63).

    Args:
        controller: "spectral", "sine", "oscillators" or "neurons".
        designed: whether random ones are variations of the reference creatures REF4 and REF6, with random controllers.
        recombination: "limbs" (Arnold's own), "discrete", "intermediate", "pool", or "none".
        adaptation: of step sizes: "none"; "self" lets them mutate along (Schwefel). Rechenberg's success rule is the
            population's: the setting `success_rule` of its scheme.
        mutants: share of children that have one parent only; Arnold's has none.
        step: factor of all mutation steps, at most 20; the success rule multiplies it.
        self_contact: whether legs touch each other, or pass through each other. The trunk touches the ground only.
        world: names of bodies of which neurons feel the place, as ("ball",); if left out, those that the task puts there.
    """

    controller: str = "spectral"
    designed: bool = False
    recombination: How | Literal["none"] = "limbs"
    adaptation: Literal["none", "self"] = "none"
    mutants: float = 0.0
    step: float = 1.0
    self_contact: bool = False
    world: tuple[str, ...] = ()
    name: str = "limbed"

    def __post_init__(self) -> None:
        if self.controller not in MOTIONS:
            raise UsageError(
                f"controller is {self.controller!r}, must be one of {', '.join(MOTIONS)}. "
                f"{nearest(str(self.controller), MOTIONS)}".rstrip()
            )
        if self.adaptation not in ADAPTATIONS:
            raise UsageError(
                f"adaptation is {self.adaptation!r}, must be one of {', '.join(ADAPTATIONS)}. The success rule is a setting "
                "of the scheme: --set-scheme success_rule=true, or scheme_settings={'success_rule': True}."
            )
        if not (is_number(self.mutants) and 0.0 <= self.mutants <= 1.0):
            raise UsageError(f"mutants is {self.mutants!r}, must be a share from 0 to 1.")
        if not (is_number(self.step) and 0.0 < self.step <= MOST_STEP):
            raise UsageError(
                f"step is {self.step!r}, must be a factor greater than 0, at most {MOST_STEP:g}."
            )
        if not isinstance(self.self_contact, bool):
            raise UsageError(f"self_contact is {self.self_contact!r}, must be true or false.")
        given: Any = self.world
        if isinstance(given, str) or not all(isinstance(name, str) for name in given):
            raise UsageError(f"world is {brief(given)}, must be a tuple of names of bodies.")
        object.__setattr__(self, "world", tuple(given))
        if self.world and self.controller != "neurons":
            raise UsageError(
                f"world is {self.world!r}, but only neurons feel; controller is {self.controller!r}."
            )
        self.operators()

    def random(self, rng: Rng) -> LimbedGenome:
        """A random creature, valid, with the same chances for two and three pairs."""
        draw = designed_genome if self.designed else random_genome
        return self._with_form(draw(self.controller, rng, self.world))

    def restore(self, record: dict[str, Any]) -> LimbedGenome:
        """The genome whose `record()` this is.

        Raises:
            FileError: says what does not fit.
        """
        genome = restored(record)
        if genome.controller != self.controller:
            raise FileError(
                f"this genome is moved by {genome.controller!r}, and this breed by {self.controller!r}; choose "
                f"`--controller {genome.controller}`, controller={genome.controller!r} in Python."
            )
        return self._with_form(genome)

    def _with_form(self, genome: LimbedGenome) -> LimbedGenome:
        """The same inheritance, grown as this breed says."""
        if not (self.self_contact or self.world):
            return genome
        return replace(genome, self_contact=self.self_contact, world=self.world)

    def seeing(self, world: Sequence[str]) -> Limbed:
        """The same breed, whose nets feel where these bodies are, unless it says already what they feel, or has none."""
        return replace(self, world=tuple(world)) if self.controller == "neurons" and not self.world else self

    def operators(self) -> Sequence[Operator]:
        """Recombination followed by mutation, as Arnold has it; and mutation alone, where `mutants` asks for it."""
        mutation = Mutation(step=self.step, adapts=self.adaptation == "self")
        if self.recombination == "none":
            return (mutation,)
        both = Recombination(self.recombination, mutation, share=1.0 - self.mutants)
        return (both, replace(mutation, share=self.mutants)) if self.mutants > 0.0 else (both,)

    def scaled(self, step: float) -> Limbed:
        """The same breed with all mutation steps multiplied, as far as steps go (ARN-63)."""
        return replace(self, step=min(MOST_STEP, self.step * step))

    def settings(self) -> dict[str, Any]:
        """What makes this breed what it is: the arguments; the last two only where they say something, as in runs of old."""
        found = {
            "controller": self.controller, "designed": self.designed, "recombination": self.recombination,
            "adaptation": self.adaptation, "mutants": self.mutants, "step": self.step,
        }  # fmt: skip
        said = {"self_contact": self.self_contact, "world": list(self.world)}
        return {**found, **{name: value for name, value in said.items() if value}}

    def difference(self, a: LimbedGenome, b: LimbedGenome) -> float:
        """0 for equal genomes, about 1 for unrelated ones: the mean of trunk, period and three limb pairs.

        Sizes count as rms over the rms between random ones, poses as angles over a right angle, a bit as 0 or 1, motions
        as their controller says; a pair that only one of them has counts 1.  Step sizes do not count.
        """
        axes = [(log(x), log(y)) for x, y in zip(a.trunk.tolist(), b.trunk.tolist(), strict=True)]
        trunk = float(np.sqrt(np.mean([((x - y) / 0.5) ** 2 for x, y in axes])))
        period = abs(log(a.period) - log(b.period)) / log(PERIOD_HIGH / PERIOD_LOW) * 3.0
        pairs = [self._limb_difference(a, b, slot) for slot in range(len(PAIRS))]
        used = max(len(a.limbs), len(b.limbs))
        return float((0.5 * trunk + 0.5 * period + sum(pairs)) / (1.0 + used))

    def _limb_difference(self, a: LimbedGenome, b: LimbedGenome, slot: int) -> float:
        owners = [genome.limbs[slot] for genome in (a, b) if len(genome.limbs) > slot]
        if len(owners) < 2:
            return float(len(owners))
        first, second = owners
        sizes = (first.sizes - second.sizes) / (SIZE_HIGH - SIZE_LOW)
        poses = angle_between(first.hip, second.hip) + angle_between(first.knee, second.knee)
        motion = MOTIONS[a.controller].difference(first.motion, second.motion)
        return 0.25 * (
            float(np.sqrt(6.0 * np.mean(sizes * sizes))) + poses / np.pi + motion + 2.0 * _bits(first, second)
        )


def _bits(a: Limb, b: Limb) -> float:
    return float(a.alternates != b.alternates)
