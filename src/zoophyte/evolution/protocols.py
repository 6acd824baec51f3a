"""The nouns of evolution: what a genome, an operator, a breed and a task must offer, and what an individual is.

    Breed.random ─► Genome ─► develop ─► Grown ─► Task.trials ─► lives ─► Task.score ─► Score
                      ▲                                                                  │
                      └──────────── Operator (mutate, recombine, graft) ◄── selection ◄──┘

A user's own breed or task needs no base class: anything that has these methods will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from zoophyte.control import Controller
from zoophyte.control.controller import lasting
from zoophyte.description import Description
from zoophyte.simulation.habitat import STANDARD_HABITAT, Habitat
from zoophyte.simulation.herd import Guards, Life, Stops

NO_STOPS, USUAL_GUARDS = Stops(), Guards()


@dataclass(frozen=True)
class Grown:
    """What a genome grows into.

    Args:
        description: the body. Its first root is the creature; where it stands is for the task to say.
        controller: what moves it; None for nothing.
    """

    description: Description
    controller: Controller | None


@runtime_checkable
class Genome(Protocol):
    """What is inherited: a value that nobody changes once it is made."""

    def develop(self) -> Grown:
        """The body and its controller; the same every time."""
        ...

    def record(self) -> dict[str, Any]:
        """All of it as plain values: numbers, texts, lists, dicts, NumPy arrays of int64, float64 or complex128."""
        ...


@runtime_checkable
class Operator(Protocol):
    """A way to make a child.

    Attributes:
        name: stored with every child.
        parents: how many genomes it takes, 1 or more; where the population has fewer, the same one stands there twice.
        share: how often it is chosen, in proportion to the shares of the breed's other operators.
    """

    name: str
    parents: int
    share: float

    def __call__(self, parents: Sequence[Any], rng: np.random.Generator) -> Any:
        """A new, valid genome; parents stay as they are."""
        ...


@runtime_checkable
class Breed(Protocol):
    """A family of genomes: how to draw one at random, how to vary them, how to read one back.

    Attributes:
        name: as in `zoophyte evolve --genome NAME`.
    """

    name: str

    def random(self, rng: np.random.Generator) -> Any:
        """A random, valid genome."""
        ...

    def restore(self, record: dict[str, Any]) -> Any:
        """The genome whose `record()` this is; damage is refused with a FileError."""
        ...

    def operators(self) -> Sequence[Operator]:
        """The ways to vary genomes of this breed."""
        ...

    def settings(self) -> dict[str, Any]:
        """What makes this breed what it is, as plain values; kept with a run and needed to go on with it."""
        ...

    def difference(self, a: Any, b: Any) -> float:
        """How unlike two genomes are: 0 for equal ones, of order 1 for unrelated ones. Diversity is its mean."""
        ...


@dataclass(frozen=True)
class Trial:
    """One life that is to be lived.

    Args:
        description: the body, placed, with whatever the task adds to it (a ball, say).
        controller: of it; one that has commands for a while only gets them for the whole life.
        habitat: where.
        seconds: how long [s].
        settle: time from which distances count [s]; controllers act from the start unless the task says otherwise.
        stops: what ends it early.
        guards: what makes it `cheated`.
        sample_every: time from sample to sample [s].
    """

    description: Description
    controller: Controller | None
    habitat: Habitat = STANDARD_HABITAT
    seconds: float = 10.0
    settle: float = 0.0
    stops: Stops = NO_STOPS
    guards: Guards = USUAL_GUARDS
    sample_every: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "controller", lasting(self.controller, self.seconds))


@dataclass(frozen=True)
class Score:
    """What a life was worth.

    Args:
        fitness: the larger, the better; 0 for what achieved nothing; negative for a faulty creature, never a parent.
        status: how its life ended: "ended", "fell", "diverged", "cheated", "overlapping", "failed", …
        reason: in words, where something went wrong.
        descriptors: named numbers that tell behaviours apart (for quality-diversity and reports).
    """

    fitness: float
    status: str = "ended"
    reason: str = ""
    descriptors: dict[str, float] = field(default_factory=dict)


@runtime_checkable
class Task(Protocol):
    """What creatures are asked to do.

    Attributes:
        name: as in `zoophyte evolve NAME`.
        dt: step of their lives [s].
        sweeps: of the contact solver in a step, at most.

    A task may have `seen` too: names of bodies beside a creature that nets of neurons are to feel; and `changes`: whether
    `trials` asks more or less of a creature by its stage.
    """

    name: str
    dt: float
    sweeps: int

    def trials(self, grown: Grown, stage: float, rng: np.random.Generator) -> Sequence[Trial]:
        """The lives by which a creature is judged; `stage` goes from 0 (first generation) to 1 (last), for curricula."""
        ...

    def score(self, grown: Grown, trials: Sequence[Trial], lives: Sequence[Life]) -> Score:
        """What these lives were worth."""
        ...

    def settings(self) -> dict[str, Any]:
        """What makes this task what it is, as plain values."""
        ...


def is_changing(task: Task) -> bool:
    """Whether a task changes over the generations (FON-77): fitness then compares those of one generation alone."""
    return bool(getattr(task, "changes", False))


@dataclass(frozen=True)
class Individual:
    """A creature of a run.

    Args:
        number: in the run, from 0; the order of birth.
        generation: in which it was born.
        genome: what it inherited.
        parents: numbers of its parents.
        operator: by which it was made; "random" or "given" without parents.
        place: island, lattice cell or niche, where the population has any.
        score: what its life was worth; None before it has been lived.
        seconds: of computing.
    """

    number: int
    generation: int
    genome: Any
    parents: tuple[int, ...] = ()
    operator: str = "random"
    place: int = 0
    score: Score | None = None
    seconds: float = 0.0

    @property
    def fitness(self) -> float:
        """Of the score; −inf before it is known."""
        return float("-inf") if self.score is None else self.score.fitness
