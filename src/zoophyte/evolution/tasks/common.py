"""What all tasks share: birth, settling, chance, gravity over the generations, faults, and terms of fitness.

A task of its own kind says what a life was worth (`measure`), and changes where it differs what a creature is born into
(`placed`, `habitat`, `trial`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

import numpy as np

from zoophyte.control import After, Controller
from zoophyte.description import Description, Surface
from zoophyte.errors import UsageError, brief, is_number, nearest
from zoophyte.evolution.protocols import Grown, Score, Trial
from zoophyte.evolution.tasks.measures import DESCRIPTORS, descriptors, mean_height, roughness
from zoophyte.simulation.habitat import Habitat
from zoophyte.simulation.herd import Life
from zoophyte.simulation.living.keeping import checked_keep
from zoophyte.zoo.standing import standing, total_mass

FAULTY = -1.0
"""Fitness of what is no creature or no honest life: never a parent (FON-68)."""
WEIGHT = 9.81
"""Of one kilogram [N]: efforts are counted in what lifts a creature by a metre on Earth, wherever it lives."""


Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Samples:
    """How often lives are sampled, and what they keep then beside the usual; also a decorator of a function of a life.

    `@zp.Samples(per_second=50, keep=["joints", "contacts"])` above a function lets it ask `life.joint("knee")` and
    `life.touches("foot", "ground")` fifty times a second.  A class of a task of your own says `samples = zp.Samples(…)`.

    Args:
        per_second: samples in a second of life, once the creature has settled; steps are whole, so at most 1/dt.
        keep: "joints", "bodies", "contacts"; or one of them.
    """

    per_second: float = 10.0
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (is_number(self.per_second) and 0.0 < self.per_second < math.inf):
            raise UsageError(
                f"Samples: per_second is {brief(self.per_second)}, must be a positive number. Over a function it is written "
                "with parentheses: @zp.Samples(per_second=50)."
            )
        object.__setattr__(self, "keep", checked_keep(self.keep))

    @property
    def every(self) -> float:
        """From sample to sample [s]."""
        return 1.0 / self.per_second

    def __call__(self, function: Function) -> Function:
        """The function, which asks for these samples from now on."""
        if not callable(function):
            raise UsageError(f"Samples goes above a function of a life, and {brief(function)} is none.")
        function.samples = self  # type: ignore[attr-defined]
        return function


@dataclass(frozen=True)
class CommonTask:
    """Settings of all tasks.

    The fitness of a life is what the task measures, less `energy` times the effort (in metres by which it would lift the
    creature), less `smoothness` times the mean acceleration [m/s²], plus `height` times the mean height [m]; 0 at least.

    Args:
        seconds: length of a life, settling included [s].
        settle: time until distances count [s].
        passive: whether nothing acts until then (FON-70).
        dt: step [s].
        sweeps: of the contact solver in a step, at most.
        gravity: [m/s²], downwards; in the last generation, if it is ramped.
        gravity_start: in the first generation (FON-77); the same as later if left out.
        noise: how much friction, restitution and gravity may differ from life to life, as a part of them (FON-71).
        lives: how many lives are lived; the lowest counts.
        energy: weight of effort (ARN-67).
        smoothness: weight of roughness.
        height: weight of height.
    """

    seconds: float = 15.0
    settle: float = 3.0
    passive: bool = True
    dt: float = 0.005
    sweeps: int = 4
    gravity: float = 9.81
    gravity_start: float | None = None
    noise: float = 0.0
    lives: int = 1
    energy: float = 0.0
    smoothness: float = 0.0
    height: float = 0.0

    name: ClassVar[str] = ""
    unit: ClassVar[str] = "m"
    """Of fitness; nothing for a pure number."""
    samples: ClassVar[Samples] = Samples()
    """How often its lives are sampled, and what they keep."""
    nought: ClassVar[str] = "nobody has got anywhere yet"
    """What it means when even the best has fitness 0."""
    seen: ClassVar[tuple[str, ...]] = ()
    """Names of bodies that it puts beside a creature, each time elsewhere, for nets of neurons to feel (FON-73)."""
    needs_final: ClassVar[bool] = False
    """Whether it looks at last states of lives. Those of a task of your own are always kept."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            self._check(entry.name, getattr(self, entry.name), entry.default)
        if not 0.0 <= self.settle < self.seconds:
            raise UsageError(
                f"task {self.title}: settle is {self.settle!r} and seconds is {self.seconds!r}; a creature settles for 0 s "
                "or more, and lives longer than that. For a short life set both: --set settle=1, or "
                "task_settings={'settle': 1.0}."
            )
        for name, least in (("dt", 0.0), ("sweeps", 0), ("lives", 0)):
            if not getattr(self, name) > least:
                raise UsageError(
                    f"task {self.title}: {name} is {getattr(self, name)!r}, must be more than {least:g}."
                )
        if not 0.0 <= self.noise < 1.0:
            raise UsageError(f"task {self.title}: noise is {self.noise!r}, must be from 0 to less than 1.")

    def _check(self, name: str, value: Any, default: Any) -> None:
        """Of the same kind as the default, and finite."""
        if default is MISSING or (value is None and default is None):
            return
        if isinstance(default, str | bool):
            fits, kind = (
                isinstance(value, type(default)),
                "true or false" if default in (True, False) else "a text",
            )
        elif isinstance(default, tuple):
            fits = isinstance(value, tuple) and all(is_number(x) and math.isfinite(x) for x in value)
            fits, kind = fits and len(value) == len(default), f"{len(default)} numbers"
        elif isinstance(default, int):
            fits, kind = isinstance(value, int) and not isinstance(value, bool), "a whole number"
        else:
            fits, kind = is_number(value) and math.isfinite(value), "a finite number"
        if not fits:
            raise UsageError(f"task {self.title}: {name} is {value!r}, must be {kind}.")

    def settings(self) -> dict[str, Any]:
        """All settings, as plain values."""
        found = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}

    @classmethod
    def from_settings(cls, settings: dict[str, Any]) -> CommonTask:
        """The task with these settings; those left out are as usual.

        Raises:
            UsageError: for a setting that the task does not have.
        """
        known = [entry.name for entry in fields(cls)]
        for name in settings:
            if name not in known:
                hint = nearest(str(name), known)
                raise UsageError(
                    f"task {cls.name}: there is no setting {name!r}. Known: {', '.join(known)}. {hint}".rstrip()
                )
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()
        }
        return cls(**plain)

    @property
    def described(self) -> tuple[str, ...]:
        """Names of the descriptors that its scores have; nothing where the task makes its scores itself."""
        return DESCRIPTORS if type(self).score is CommonTask.score else ()

    @property
    def title(self) -> str:
        """What it is called."""
        return self.name

    @property
    def changes(self) -> bool:
        """Whether it is another one in the last generation than in the first (FON-77)."""
        return self.gravity_start not in (None, self.gravity)

    # ------------------------------------------------------------------------------------------------- what is lived

    def trials(self, grown: Grown, stage: float, rng: np.random.Generator) -> Sequence[Trial]:
        """As many lives as `lives` says, each with chances of its own."""
        description = self.placed(grown.description)
        return [self.trial(description, grown.controller, stage, rng) for _ in range(self.lives)]

    def placed(self, description: Description) -> Description:
        """The creature where it is born: its lowest point 1 cm over the ground (ARN-66), with a surface to touch by."""
        return _put_down(_Held(description))

    def controlled(self, controller: Controller | None) -> Controller | None:
        """What moves it, and from when on."""
        if controller is None or not self.passive or self.settle == 0.0:
            return controller
        return After(self.settle, controller)

    def trial(
        self, description: Description, controller: Controller | None, stage: float, rng: np.random.Generator
    ) -> Trial:
        """One life.

        Args:
            description: the creature where it is born.
            controller: as it grew; it may have to wait.
            stage: of the run.
            rng: chances.
        """
        acting, habitat = self.controlled(controller), self.habitat(stage, rng)
        return Trial(
            description, acting, habitat, self.seconds, self.settle,
            sample_every=self.samples.every, keep=self.samples.keep,
        )  # fmt: skip

    def habitat(self, stage: float, rng: np.random.Generator) -> Habitat:
        """Where it lives: level ground, gravity of this stage, with noise."""
        gravity, friction, restitution = self.chances(rng, 3)
        surface = Surface.sound()
        if self.noise:
            # Friction of two surfaces is the root of their product, so the ground's alone differs by the square.
            surface = Surface(
                friction=surface.friction * friction * friction,
                restitution=min(1.0, surface.restitution * restitution),
            )
        return Habitat(gravity=(0.0, 0.0, -self.gravity_at(stage) * gravity), surface=surface)

    def gravity_at(self, stage: float) -> float:
        """From `gravity_start` in the first generation to `gravity` in the last, in a straight line."""
        start = self.gravity if self.gravity_start is None else self.gravity_start
        return start + (self.gravity - start) * min(max(stage, 0.0), 1.0)

    def chances(self, rng: np.random.Generator, count: int) -> list[float]:
        """Factors around 1; as many draws without noise as with it."""
        return [float(x) for x in 1.0 + self.noise * rng.uniform(-1.0, 1.0, count)]

    # ---------------------------------------------------------------------------------------------- what it was worth

    def measure(self, grown: Grown, trial: Trial, life: Life) -> float:
        """What one sound life has achieved, 0 or more."""
        raise NotImplementedError

    def score(self, grown: Grown, trials: Sequence[Trial], lives: Sequence[Life]) -> Score:
        """The lowest of all lives; −1 for a faulty one."""
        for life in lives:
            if not life.status.is_sound:
                return faulty(life)
        values = [self._value(grown, *both) for both in zip(trials, lives, strict=True)]
        fitness, worst = self.together(values), int(np.argmin(values))
        told = descriptors(grown.description, lives[worst])
        return Score(max(fitness, 0.0), lives[worst].status.kind, "", told)

    def together(self, values: Sequence[float]) -> float:
        """What several lives count together."""
        return float(min(values))

    def _value(self, grown: Grown, trial: Trial, life: Life) -> float:
        value = self.measure(grown, trial, life)
        if self.energy:
            value -= self.energy * life.effort / (WEIGHT * total_mass(grown.description))
        if self.smoothness:
            value -= self.smoothness * roughness(life)
        if self.height:
            value += self.height * mean_height(life)
        return value


class _Held:
    """A description as the key of a cache, equal to itself alone: many creatures may have one body."""

    def __init__(self, description: Description) -> None:
        self.description = description

    def __hash__(self) -> int:
        return id(self.description)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.description is self.description


@lru_cache(maxsize=8)
def _put_down(held: _Held) -> Description:
    return standing(touchable(held.description))


def faulty(life: Life) -> Score:
    """The score of a life that cannot be believed: diverged, cheated, overlapping, overflowed."""
    status = life.status
    return Score(FAULTY, status.kind, str(status))


def touchable(description: Description) -> Description:
    """The same body with a surface, if it had none."""
    return description if description.surface else description.altered(surface=Surface())
