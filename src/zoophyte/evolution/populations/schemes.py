"""Scheme: how a population lives on from one generation to the next.

A scheme remembers nothing. What it needs to go on is in its `Moment`: who survived, where, and what it noted last time; the
store keeps both, so that a run that was broken off goes on as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeGuard

import numpy as np

from zoophyte.errors import UsageError, nearest
from zoophyte.evolution.chance import generator
from zoophyte.evolution.protocols import Breed, Individual, Operator, Task, is_changing, title_of
from zoophyte.evolution.selection import drawn, ranked, sound
from zoophyte.evolution.variation import SuccessRule

SMALLEST = 2
"""Population, at least: recombination needs two."""
LARGEST = 1_000_000
STEP = "step"
"""The note that holds the step size of the success rule."""


@dataclass(frozen=True, eq=False)
class Moment:
    """Where a run stands when a generation is about to be born.

    Args:
        generation: that is to be born.
        stage: of selection: 0 where the first generation with parents is born, 1 where the last one is (FON-69).
        breed: of all of them.
        members: those who survived, with their places.
        notes: what the scheme noted when it chose them.
        past: those who survived an earlier generation; for schemes that learn from all of them.
        chance: the generator for the creature of a generation and an index.
    """

    generation: int
    stage: float
    breed: Breed
    members: tuple[Individual, ...] = ()
    notes: dict[str, Any] = field(default_factory=dict)
    past: Callable[[int], tuple[Individual, ...]] = lambda generation: ()
    chance: Callable[[int, int], np.random.Generator] = lambda generation, index: generator(
        0, generation, index
    )


@dataclass(frozen=True, eq=False)
class Plan:
    """How a creature comes into being.

    Args:
        operator: that makes it from its parents; None for one that is drawn at random.
        parents: of it.
        place: where it is born.
    """

    operator: Operator | None
    parents: tuple[Individual, ...] = ()
    place: int = 0


@dataclass(frozen=True, eq=False)
class Outcome:
    """What selection leaves.

    Args:
        members: the survivors, with their places; the same one may live in several.
        notes: what to remember, as plain values.
    """

    members: list[Individual]
    notes: dict[str, Any] = field(default_factory=dict)


class Scheme(Protocol):
    """A way to run a population.

    Attributes:
        name: as in `zoophyte evolve --scheme NAME`.
        population: how many survive a generation.
        delay: how many generations late births hear of selection; 0 where a generation waits for the one before.
        keeps: whether creatures of earlier generations stay by what they were worth then, and are not judged anew.
    """

    name: str
    population: int
    delay: int
    keeps: bool

    def settings(self) -> dict[str, Any]:
        """What makes this scheme what it is, as plain values."""
        ...

    def births(self, generation: int) -> int:
        """How many are born in a generation."""
        ...

    def place(self, index: int) -> int:
        """Where a founder is born."""
        ...

    def plan(self, moment: Moment, index: int, rng: np.random.Generator) -> Plan:
        """How one creature of the next generation comes into being."""
        ...

    def select(self, moment: Moment, offspring: Sequence[Individual], rng: np.random.Generator) -> Outcome:
        """Who survives. All offspring have been judged, and come in the order of birth."""
        ...


@dataclass
class Copy:
    """The operator that changes nothing: an elite is judged anew beside its children (FON-68)."""

    name: str = "copy"
    parents: int = 1
    share: float = 0.0

    def __call__(self, parents: Sequence[Any], rng: np.random.Generator) -> Any:
        """The parent."""
        return parents[0]


COPY = Copy()


def operators_of(moment: Moment) -> Sequence[Operator]:
    """The breed's operators, with the step size of the success rule where one is in force (ARN-63)."""
    step = moment.notes.get(STEP)
    found: Sequence[Operator] = (
        moment.breed if step is None else with_step(moment.breed, float(step))
    ).operators()
    return found


def with_step(breed: Any, step: float) -> Breed:
    """The breed with all mutation steps multiplied: by its method `scaled(step)`, or by its setting `step`.

    Raises:
        UsageError: when it has neither.
    """
    settings = breed.settings()
    if hasattr(breed, "scaled"):
        changed = breed.scaled(step)
    elif isinstance(settings.get("step"), float | int):
        settings = {**settings, "step": settings["step"] * step}
        changed = (
            type(breed).from_settings(settings)
            if hasattr(breed, "from_settings")
            else type(breed)(**settings)
        )
    else:
        raise UsageError(
            f"the success rule sets the steps of mutation, and the genome '{breed.name}' has none to set."
        )
    found: Breed = changed
    return found


def refuse_unfit(scheme: Scheme, breed: Breed, task: Task) -> None:
    """Refuse a scheme with which this breed or this task cannot evolve.

    Args:
        scheme: how the population lives on.
        breed: must have steps, where a success rule is to set them.
        task: must be the same in all generations, where creatures of different ones are compared.

    Raises:
        UsageError: says what does not fit, and what would.
    """
    if hasattr(scheme, "refuse"):
        scheme.refuse(breed)
    known = getattr(task, "described", ())
    for name in (getattr(scheme, "descriptors", None) or ()) if known else ():
        if name not in known:
            raise UsageError(
                f"descriptor '{name}' is unknown; the task gives {', '.join(known)}. {nearest(name, known)}".rstrip()
            )
    has_rule = bool(scheme.settings().get("success_rule"))
    if has_rule:
        with_step(breed, 1.0)
    if not is_changing(task):
        return
    steady = (
        f"the task '{title_of(task)}' changes over the generations. Let it stay the same: without gravity_start; of "
        "hit_ball and hit_moved_ball, with equal near and far. Or"
    )
    if scheme.keeps:
        raise UsageError(
            f"scheme '{scheme.name}' keeps creatures by what they were worth in earlier generations, and {steady} choose "
            "generational, islands or cma, which judge all anew."
        )
    if has_rule:
        raise UsageError(
            f"the success rule compares children with what their parents were worth, and {steady} leave out success_rule."
        )


def chosen_operator(moment: Moment, rng: np.random.Generator) -> Operator:
    """One of the breed's operators, in proportion to their shares."""
    operators = operators_of(moment)
    shares = np.array([operator.share for operator in operators], float)
    return drawn(operators, shares / shares.sum(), 1, rng)[0]


def bred(
    moment: Moment, members: Sequence[Individual], weights: Any, rng: np.random.Generator, place: int = 0
) -> Plan:
    """A child of drawn parents by a drawn operator; a random creature where nobody is fit to be a parent.

    Args:
        moment: of the run.
        members: who may become a parent.
        weights: the chance of each.
        rng: chance.
        place: where the child is born.
    """
    weights = np.asarray(weights, float)
    if not weights.any():
        return Plan(None, (), place)
    operator = chosen_operator(moment, rng)
    parents = drawn(members, weights, 1, rng)
    while len(parents) < operator.parents:
        others = np.where([one.number == parents[0].number for one in members], 0.0, weights)
        rest = others / others.sum() if others.any() else weights  # the only one there is, twice
        parents += drawn(members, rest, 1, rng)
    return Plan(operator, tuple(parents), place)


def elite(members: Sequence[Individual], rank: int, place: int = 0) -> Plan:
    """A copy of one of the best; a random creature where nobody is fit to be a parent (FON-68)."""
    order = ranked(sound(members))
    return Plan(COPY, (order[rank % len(order)],), place) if order else Plan(None, (), place)


def at(one: Individual, place: int) -> Individual:
    """The same individual in a place."""
    return one if one.place == place else replace(one, place=place)


def adapted_step(moment: Moment, offspring: Sequence[Individual], rule: SuccessRule | None) -> dict[str, Any]:
    """The note of the success rule: steps grow where many children beat their parents, and shrink where few do (ARN-63).

    Args:
        moment: in which the offspring were bred.
        offspring: judged.
        rule: None where none is in force.
    """
    if rule is None:
        return {}
    before = {one.number: one.fitness for one in moment.members}
    children = [one for one in offspring if one.parents and one.operator != COPY.name]
    better = sum(one.fitness > max(before.get(n, float("inf")) for n in one.parents) for one in children)
    return {STEP: rule.step(float(moment.notes.get(STEP, 1.0)), better, len(children))}


def checked_population(population: object) -> int:
    """A population that can evolve.

    Raises:
        UsageError: when it is no whole number, or too small.
    """
    if not _is_whole(population) or not SMALLEST <= population <= LARGEST:
        raise UsageError(
            f"population is {population!r}, must be a whole number from {SMALLEST} to {LARGEST}: one alone has nobody to be "
            "compared or recombined with."
        )
    return population


def checked_count(name: str, value: object, least: int = 1) -> int:
    """A whole number that is large enough.

    Raises:
        UsageError: when it is not.
    """
    if not _is_whole(value) or value < least:
        raise UsageError(f"{name} is {value!r}, must be a whole number, {least} or more.")
    return value


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
