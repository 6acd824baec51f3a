"""What the pages of a run need to know of it: a protocol, and the rows that it hands over.

A report never asks for more than this, so that it can be made of a run in a file, of one in memory, or of a test's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

OWN = "own"
"""The name under which a run keeps a task that is a function of its user."""
FAILED_BELOW = 0.0
"""A creature with a fitness below this is faulty and never a parent (FON-69)."""


@dataclass(frozen=True)
class Generation:
    """One row of a run's history.

    Args:
        number: of the generation, from 0.
        best: fitness of the best.
        mean: fitness of those that are not faulty.
        lower: quartile of it.
        median: of it.
        upper: quartile of it.
        diversity: mean difference of genomes; NaN if not measured.
        lives: that were judged.
        failed: how many of them were faulty.
        seconds: of computing.
    """

    number: int
    best: float
    mean: float
    lower: float
    median: float
    upper: float
    diversity: float = float("nan")
    lives: int = 0
    failed: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Birth:
    """An individual without its genome: what a hundred thousand of them may cost.

    Args:
        number: in the run.
        generation: in which it was born.
        parents: numbers of its parents.
        operator: by which it was made.
        fitness: NaN before it has been judged.
        status: how its life ended.
        reason: in words, where something went wrong.
        descriptors: named numbers that tell behaviours apart.
        seconds: of computing.
        place: island, lattice cell or niche.
    """

    number: int
    generation: int
    parents: tuple[int, ...] = ()
    operator: str = "random"
    fitness: float = float("nan")
    status: str = "ended"
    reason: str = ""
    descriptors: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    place: int = 0

    @property
    def is_sound(self) -> bool:
        """Whether it was judged and found without fault."""
        return self.fitness >= FAILED_BELOW


@dataclass(frozen=True)
class Audited:
    """How far a champion gets when it is simulated in other ways (ARN-C49).

    Args:
        number: of the individual.
        at_step: what it reached in the run, at the task's step.
        at_half_step: at half the step, in float64.
        in_world: in a World.
        in_mujoco: in MuJoCo, through our MJCF; None where that is not installed.
        is_exploit: whether it lives on an error of the simulation.
        note: why, in words.
        unit: of the figures.
    """

    number: int
    at_step: float
    at_half_step: float | None
    in_world: float | None
    in_mujoco: float | None = None
    is_exploit: bool = False
    note: str = ""
    unit: str = ""


def is_said_to_change(configuration: Mapping[str, Any]) -> bool:
    """Whether a run's configuration says that its task changes over the generations (FON-77); one of old says nothing."""
    return bool(configuration.get("changes", False))


def unit_said(configuration: Mapping[str, Any]) -> str:
    """The unit of fitness that a run's configuration names; of a run of old, that of its task, where it came along."""
    if "unit" in configuration:
        return str(configuration["unit"] or "")
    from zoophyte.evolution.tasks import TASKS

    kind = TASKS.get(title_said(configuration.get("task")))
    return "" if kind is None else kind.unit


def title_said(value: Any) -> str:
    """What a task or a breed is called in a configuration, where it is a text or a mapping with a name.

    A function of a user's own is kept as "own", with the place where it stands: it is called by the name that it has there.
    """
    if isinstance(value, str):
        return value
    if not hasattr(value, "get"):
        return ""
    name, settings = str(value.get("name", "")), value.get("settings")
    place = settings.get("place") if name == OWN and hasattr(settings, "get") else None
    return str(place).rpartition(":")[2].rpartition(".")[2] if place else name


def descriptor_units(configuration: Mapping[str, Any]) -> Mapping[str, str]:
    """Units of descriptors by their names; none where a task of somebody's own may call other numbers so."""
    from zoophyte.evolution.tasks import TASKS
    from zoophyte.evolution.tasks.measures import UNITS

    task = configuration.get("task")
    name = task if isinstance(task, str) else task.get("name") if isinstance(task, Mapping) else None
    return UNITS if name in TASKS else {}


@runtime_checkable
class RunLike(Protocol):
    """A run, as a report sees it."""

    @property
    def name(self) -> str:
        """What it is called: its file's name, say."""
        ...

    @property
    def configuration(self) -> Mapping[str, Any]:
        """What was asked, as plain values; mappings may hold mappings."""
        ...

    def history(self) -> Sequence[Any]:
        """One row for each generation, each with the fields of :class:`Generation` as attributes or keys."""
        ...

    def births(self) -> Sequence[Birth]:
        """Every individual, in the order of birth, without genomes."""
        ...
