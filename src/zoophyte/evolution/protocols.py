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
from zoophyte.errors import brief, counted
from zoophyte.simulation.habitat import STANDARD_HABITAT, Habitat
from zoophyte.simulation.herd import Guards, Life, Stops
from zoophyte.simulation.living.keeping import checked_keep

NO_STOPS, USUAL_GUARDS = Stops(), Guards()
SHOWN = 6
"""Descriptors of a score that Python prints."""


@dataclass(frozen=True, repr=False)
class Grown:
    """What a genome grows into.

    Args:
        description: the body. Its first root is the creature; where it stands is for the task to say.
        controller: what moves it; None for nothing.
    """

    description: Description
    controller: Controller | None

    def __repr__(self) -> str:
        mover = "nothing" if self.controller is None else type(self.controller).__name__
        bodies = counted(len(self.description.bodies), "body", "bodies")
        return f"Grown({self.description.name}: {bodies}, moved by {mover})"


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


@dataclass(frozen=True, repr=False)
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
        keep: what is kept at every sample beside the usual: "joints", "bodies", "contacts"; see `Life`.
    """

    description: Description
    controller: Controller | None
    habitat: Habitat = STANDARD_HABITAT
    seconds: float = 10.0
    settle: float = 0.0
    stops: Stops = NO_STOPS
    guards: Guards = USUAL_GUARDS
    sample_every: float = 1.0
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "controller", lasting(self.controller, self.seconds))
        object.__setattr__(self, "keep", checked_keep(self.keep))

    def __repr__(self) -> str:
        mover = "nothing" if self.controller is None else type(self.controller).__name__
        kept = f", keeping {' and '.join(self.keep)}" * bool(self.keep)
        return f"Trial({self.description.name}, moved by {mover}, {self.seconds:g} s, settled at {self.settle:g} s{kept})"


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        told = f"{self.fitness:.6g}, {self.status}" + f": {brief(self.reason)}" * bool(self.reason)
        some = list(self.descriptors.items())[:SHOWN]
        words = ", ".join(f"{name} {value:.4g}" for name, value in some) + ", …" * (
            len(self.descriptors) > SHOWN
        )
        return f"Score({told}; {words})" if some else f"Score({told})"


@runtime_checkable
class Task(Protocol):
    """What creatures are asked to do.

    Attributes:
        name: as in `zoophyte evolve NAME`.
        dt: step of their lives [s].
        sweeps: of the contact solver in a step, at most.

    A task may have more: `seen`, names of bodies beside a creature that nets of neurons are to feel; `changes`, whether
    `trials` asks more or less of a creature by its stage; `unit` of fitness, in which it is told; and `title`, what the task
    is called where that is another word than its name.
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


def unit_of(task: Any) -> str:
    """The unit of a task's fitness: "m" for a way; nothing where it is a pure number, or not known."""
    return str(getattr(task, "unit", "") or "")


def title_of(task: Any) -> str:
    """What a task is called: a function of a user's own by the function's name."""
    return str(getattr(task, "title", "") or task.name)


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        origin = f"{self.operator} of {', '.join(map(str, self.parents))}" if self.parents else self.operator
        worth = "not judged yet" if self.score is None else f"fitness {self.fitness:.6g}, {self.score.status}"
        return f"Individual({self.number} of generation {self.generation}, {origin}: {worth})"

    @property
    def fitness(self) -> float:
        """Of the score; −inf before it is known."""
        return float("-inf") if self.score is None else self.score.fitness
