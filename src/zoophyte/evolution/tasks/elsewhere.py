"""Tasks off the ground: hit a ball in open space, swim."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zoophyte.control import Controller
from zoophyte.description import Description, Surface
from zoophyte.evolution.protocols import Grown, Trial
from zoophyte.evolution.tasks.aiming import BALL, aimed, held, meeting, with_ball
from zoophyte.evolution.tasks.common import CommonTask, touchable
from zoophyte.evolution.tasks.measures import mass_way, part_count
from zoophyte.model import Medium
from zoophyte.simulation.habitat import Habitat
from zoophyte.simulation.herd import Life

BALL_FRICTION, BALL_RESTITUTION = 0.5, 0.5


@dataclass(frozen=True)
class HitBall(CommonTask):
    """Hit a ball so that it flies towards −y: how far it got, over the number of body parts [m] (FON-72).

    The creature's root is held and there is no gravity, so the ball goes on as fast as it was hit.

    Args:
        near: x of the ball in the first generation [m].
        far: x of the ball in the last one [m] (FON-77).
        radius: of the ball [m].
        density: of the ball [kg/m³].
        scatter: least and greatest distance by which chance moves the ball, in parts of x (FON-73).
    """

    name: ClassVar[str] = "hit_ball"
    nought: ClassVar[str] = "nobody has hit the ball towards −y yet"
    needs_final: ClassVar[bool] = True
    settle: float = 0.0
    gravity: float = 0.0
    near: float = 0.5
    far: float = 1.5
    radius: float = 0.15
    density: float = 100.0
    scatter: tuple[float, float] = (0.0, 0.0)

    @property
    def changes(self) -> bool:
        """Whether gravity changes, or the place of the ball."""
        return super().changes or self.near != self.far

    def placed(self, description: Description) -> Description:
        """Held where it was made, with a surface to touch by; shapes that no ball can touch do not."""
        return meeting(held(touchable(description)))

    def trial(
        self, description: Description, controller: Controller | None, stage: float, rng: np.random.Generator
    ) -> Trial:
        """A ball in front of it."""
        friction, restitution = self.chances(rng, 2)
        surface = Surface(friction=BALL_FRICTION * friction, restitution=BALL_RESTITUTION * restitution)
        x = self.near + (self.far - self.near) * min(max(stage, 0.0), 1.0)
        way = self._scattered(x, rng)
        body = with_ball(
            description,
            (x + way[0], way[1], way[2]),
            radius=self.radius,
            density=self.density,
            surface=surface,
        )
        habitat = Habitat(gravity=(0.0, 0.0, -self.gravity_at(stage)), ground=None)
        acting = self.controlled(aimed(controller, body))
        return Trial(
            body,
            acting,
            habitat,
            self.seconds,
            self.settle,
            sample_every=self.samples.every,
            keep=self.samples.keep,
        )

    def _scattered(self, x: float, rng: np.random.Generator) -> tuple[float, float, float]:
        """A way of chance in a random direction."""
        least, most = self.scatter
        length = x * (least + (most - least) * float(rng.random()))
        draws = [float(part) for part in rng.uniform(-1.0, 1.0, 3)]
        size = math.sqrt(sum(part * part for part in draws))
        a, b, c = (length * part / size if size > 0.0 else 0.0 for part in draws)
        return a, b, c

    def measure(self, grown: Grown, trial: Trial, life: Life) -> float:
        """−y of the ball's way, over the number of parts."""
        if life.final is None:
            return 0.0
        began = trial.description.bodies[-1].joint.initial_coordinates()[5]
        return max(0.0, float(began - life.final.q[-2])) / part_count(grown.description)


@dataclass(frozen=True)
class HitMovedBall(HitBall):
    """The same with the ball in another place each time: three lives, the worst counts (FON-73), with noise (FON-71)."""

    name: ClassVar[str] = "hit_moved_ball"
    seen: ClassVar[tuple[str, ...]] = (BALL,)
    lives: int = 3
    noise: float = 0.05
    scatter: tuple[float, float] = (0.1, 0.2)


@dataclass(frozen=True)
class Swim(CommonTask):
    """Get away in water: how far the centre of mass is from where it was when settled, in any direction [m].

    Args:
        density: of the water [kg/m³].
        viscosity: of the water [Pa·s].
    """

    name: ClassVar[str] = "swim"
    settle: float = 1.0
    passive: bool = False
    gravity: float = 0.0
    density: float = 1000.0
    viscosity: float = 1e-3

    def placed(self, description: Description) -> Description:
        """Where it was made."""
        return description

    def habitat(self, stage: float, rng: np.random.Generator) -> Habitat:
        """Water without a floor; it carries what floats in it, so that gravity is left out unless asked for."""
        gravity, dense = self.chances(rng, 2)
        medium = Medium(density=self.density * dense, viscosity=self.viscosity)
        return Habitat(gravity=(0.0, 0.0, -self.gravity_at(stage) * gravity), ground=None, medium=medium)

    def measure(self, grown: Grown, trial: Trial, life: Life) -> float:
        """Net displacement of the centre of mass."""
        x, y, z = (float(part) for part in mass_way(life))
        return math.sqrt(x * x + y * y + z * z)
