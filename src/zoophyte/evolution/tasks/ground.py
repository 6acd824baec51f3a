"""Tasks on the ground: walk, move, jump up, jump away, climb, follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from zoophyte.control import Controller
from zoophyte.description import Description
from zoophyte.errors import UsageError, nearest
from zoophyte.evolution.protocols import Grown, Trial
from zoophyte.evolution.tasks.aiming import TARGET, aimed, target_of, with_target
from zoophyte.evolution.tasks.common import CommonTask
from zoophyte.evolution.tasks.measures import body_size, heights, level, mass_way, mean, trunk_way
from zoophyte.model import Terrain
from zoophyte.numbers.functions import atan2, sincos
from zoophyte.simulation.habitat import Habitat
from zoophyte.simulation.herd import Life


@dataclass(frozen=True)
class Walk(CommonTask):
    """Get away: how far the trunk is from where it was when its gait had settled, over the ground [m] (ARN-66)."""

    name: ClassVar[str] = "walk"
    seconds: float = 20.0
    settle: float = 10.0
    passive: bool = False

    def measure(self, grown: Grown, trial: Trial, life: Life) -> float:
        """Net displacement of the root, whichever way."""
        return level(trunk_way(life))


@dataclass(frozen=True)
class Move(CommonTask):
    """Go along x: the way along it over one plus the way off it [m] (FON-76).

    Args:
        tallest: who rises above this many times its settled height is disqualified, so that falling over pays nothing.
    """

    name: ClassVar[str] = "move"
    tallest: float = 1.5

    def measure(self, grown: Grown, trial: Trial, life: Life) -> float:
        """x/(1 + |y|) of the centre of mass; 0 for who went backwards or is disqualified."""
        found = heights(life)
        if len(found) and float(found.max()) > self.tallest * float(found[0]):
            return 0.0
        x, y, _ = (float(part) for part in mass_way(life))
        return max(x, 0.0) / (1.0 + abs(y))


@dataclass(frozen=True)
class JumpUp(CommonTask):
    """Jump and stay: the height of the leap over how far it ends from where it stood, body size at least (FON-74).

    A leap is the rise of the lowest point of the body while nothing touches, FON-74's distance to the floor.
    """

    name: ClassVar[str] = "jump_up"
    unit: ClassVar[str] = ""

    def measure(self, grown: Grown, trial: Trial, life: Life) -> float:
        """Leap over distance, a pure number."""
        return float(life.leap) / max(level(mass_way(life)), body_size(grown.description))


@dataclass(frozen=True)
class JumpAway(CommonTask):
    """Jump far: the height of the leap, as in `JumpUp`, times the distance [m²] (FON-75)."""

    name: ClassVar[str] = "jump_away"
    unit: ClassVar[str] = "m²"

    def measure(self, grown: Grown, trial: Trial, life: Life) -> float:
        """Leap times distance."""
        return float(life.leap) * level(mass_way(life))


GROUNDS = ("bumps", "steps", "slope")


@dataclass(frozen=True)
class Climb(CommonTask):
    """Go along x over rough ground: the way along x plus the height won [m].

    Args:
        ground: bumps, steps or slope.
        seed: of the bumps.
        rise: height of bumps or of one step [m]; of a slope, what it rises in one metre.
        start: level ground around the place of birth [m].
    """

    name: ClassVar[str] = "climb"
    ground: str = "bumps"
    seed: int = 0
    rise: float = 0.1
    start: float = 1.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ground not in GROUNDS:
            raise UsageError(
                f"task climb: ground {self.ground!r} is unknown. Known: {', '.join(GROUNDS)}. "
                f"{nearest(self.ground, GROUNDS)}".rstrip()
            )

    def habitat(self, stage: float, rng: np.random.Generator) -> Habitat:
        """The same, on this ground."""
        return replace(
            super().habitat(stage, rng), ground=_terrain(self.ground, self.seed, self.rise, self.start)
        )

    def measure(self, grown: Grown, trial: Trial, life: Life) -> float:
        """Way of the centre of mass along x and up; 0 for who went backwards."""
        x, _, z = (float(part) for part in mass_way(life))
        return x + max(z, 0.0) if x > 0.0 else 0.0


@lru_cache(maxsize=16)
def _terrain(ground: str, seed: int, rise: float, start: float) -> Terrain:
    """One object for equal settings, so that creatures on it share registers."""
    if ground == "steps":
        return Terrain.steps(50, rise=rise, run=0.4, start=start)
    if ground == "slope":
        return Terrain.slope(float(atan2(rise, 1.0)), length=30.0, start=start)
    return Terrain.bumps(seed=seed, size=(40.0, 40.0), height=rise, length=1.0, clearing=start)


@dataclass(frozen=True)
class Follow(CommonTask):
    """Come to a target that is somewhere else in every life: by how much nearer it was, on average over time [m].

    Neurons feel where it is by sensors of the kind `toward`.  The mean over all lives counts: the worst of them would be 0
    for all who cannot steer yet.

    Args:
        away: distance of the target [m].
    """

    name: ClassVar[str] = "follow"
    seen: ClassVar[tuple[str, ...]] = (TARGET,)
    lives: int = 3
    away: float = 3.0

    def trial(
        self, description: Description, controller: Controller | None, stage: float, rng: np.random.Generator
    ) -> Trial:
        """A target in a direction that chance gives."""
        sine, cosine = sincos(2.0 * math.pi * float(rng.random()))
        marked = with_target(description, (self.away * float(cosine), self.away * float(sine), 0.0))
        return super().trial(marked, aimed(controller, marked), stage, rng)

    def measure(self, grown: Grown, trial: Trial, life: Life) -> float:
        """Mean over the samples of what is left of the first distance, over the ground."""
        target = target_of(trial.description)
        places = life.com[life.settled :, :2]
        if len(places) < 2:
            return 0.0
        x, y = (places - np.asarray(target)[:2]).T
        left = np.sqrt(x * x + y * y)
        return mean(left[0] - left)

    def together(self, values: Sequence[float]) -> float:
        """The mean."""
        return float(sum(values) / len(values))
