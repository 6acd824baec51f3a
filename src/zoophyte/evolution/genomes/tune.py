"""The breed `tune`: a body that is given, and a few of its numbers that are free.

`zoophyte evolve walk --genome tune --body spider.yaml` needs nothing else: every joint with an actuator then gets a sine
with a free amplitude, phase and offset, and one frequency for all.  `parameters`, a mapping or a YAML file of its own, frees
numbers of the body, narrows those of the controller, or fixes them; a description says what a body is, not what may be done
to it, so parameters have no place in its file.  A genome is a vector from 0 to 1, as CMA-ES likes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from zoophyte.control import Controller
from zoophyte.description import Description, load
from zoophyte.errors import FileError, UsageError, brief, counted, nearest
from zoophyte.evolution.genomes.free import CONTROL, Parameter, number_at, read_parameters, with_number
from zoophyte.evolution.genomes.movers import MOVERS, actuated
from zoophyte.evolution.protocols import Grown
from zoophyte.evolution.variation import Floats, Rng, discrete, gaussian, intermediate
from zoophyte.model import compile as compile_model

LIMIT = 2000
"""Free parameters, at most."""


SHOWN = 6
"""Numbers of a genome that Python prints."""


@dataclass(frozen=True, eq=False, repr=False)
class Tuned:
    """A genome: where in its range each free parameter is.

    Args:
        breed: that says what the numbers mean.
        values: from 0 to 1, shape (n,).
    """

    breed: Tune
    values: Floats

    def __repr__(self) -> str:
        some = ", ".join(f"{name} {value:.3g}" for name, value in list(self.named().items())[:SHOWN])
        return f"Tuned({counted(len(self.values), 'number')}: {some}{', …' * (len(self.values) > SHOWN)})"

    def develop(self) -> Grown:
        """The body with these numbers, and its controller."""
        return self.breed.grown(self)

    def record(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {"values": self.values}

    def vector(self) -> Floats:
        """A copy of the values, each from 0 to 1."""
        return self.values.copy()

    def with_vector(self, values: Any) -> Tuned:
        """Another genome with these values; those beyond the ends are brought back, those on a circle come round."""
        return Tuned(self.breed, self.breed.wrapped(values))

    def named(self) -> dict[str, float]:
        """Parameters by name, in their own units."""
        return self.breed.named(self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tuned) and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash(self.values.tobytes())


class Tune:
    """Bodies that differ in a few numbers.

    Args:
        body: a description, the name of a file with one or of a body of the zoo, or YAML text.
        controller: "sine", "oscillators", "spectral" or "none"; or a function of the named values that makes one (such a
            breed must be given again when a run goes on).
        parameters: what is free, by name with its range, as `zoophyte.evolution.genomes.free.read_parameters` takes it;
            those of the controller that are not named have their usual ranges.
        step: standard deviation of mutations, in parts of the ranges.
        changes: how many numbers a mutation changes, on average.

    Raises:
        UsageError: says which parameter does not fit the body.
    """

    name = "tune"

    def __init__(
        self, body: Any, controller: str | Callable[[Mapping[str, float]], Controller | None] = "sine",
        parameters: Any = None, *, step: float = 0.1, changes: float = 3.0,
    ) -> None:  # fmt: skip
        self.description = _description(body)
        self.controller, self.step, self.changes = controller, float(step), float(changes)
        if isinstance(controller, str) and controller not in MOVERS:
            hint = nearest(controller, MOVERS)
            raise UsageError(
                f"controller {controller!r} is unknown to the genome tune. Known: {', '.join(MOVERS)}. {hint}".rstrip()
            )
        if not (self.step > 0.0 and self.changes > 0.0):
            raise UsageError(f"step is {step!r} and changes {changes!r}; both must be more than 0.")
        # By name, so that a vector means the same however a file has ordered what is in it.
        given = [] if parameters is None else read_parameters(parameters)
        self.given = sorted(given, key=lambda parameter: parameter.name)
        self.parameters = self._all()
        self.free = [parameter for parameter in self.parameters if not parameter.is_fixed]
        if not 0 < len(self.free) <= LIMIT:
            raise UsageError(
                f"{self.description.name} has {len(self.free)} free parameters, must be 1 to {LIMIT}. Name some, as "
                "bodies.shin.shapes.0.length: [0.1, 0.4], or give its joints actuators."
            )
        self._circles = np.array([parameter.scale == "circle" for parameter in self.free])

    def _all(self) -> list[Parameter]:
        """Those of the controller in their order, then those of the body; what the user named replaces the usual."""
        model = compile_model(self.description)
        if isinstance(self.controller, str) and self.controller != "none" and not actuated(model):
            raise UsageError(
                f"{self.description.name} has no joint that obeys commands, so that the controller {self.controller} would "
                "move nothing. Give a joint an actuator, as actuator: {kind: servo, stiffness: 20}; or tune the body alone: "
                "controller none, and parameters."
            )
        usual = MOVERS[self.controller][0](model) if isinstance(self.controller, str) else []
        known = {parameter.name: parameter for parameter in usual}
        for parameter in self.given:
            own = all(target.startswith(CONTROL) for target in parameter.targets)
            if not own:
                for path in parameter.targets:
                    number_at(self.description, path)
            elif isinstance(self.controller, str):
                for target in parameter.targets:
                    if target not in known:
                        hint = nearest(target, known)
                        raise UsageError(
                            f"parameter {parameter.name!r}: the controller {self.controller} has no {target!r}. "
                            f"{hint}".rstrip()
                        )
                for target in parameter.targets:
                    known.pop(target)
            known[parameter.name] = replace(
                parameter, scale=_scale(parameter, usual) if own else parameter.scale
            )
        return list(known.values())

    @classmethod
    def from_settings(cls, settings: dict[str, Any]) -> Tune:
        """The breed with these settings."""
        known = ("body", "controller", "parameters", "step", "changes")
        for name in settings:
            if name not in known:
                raise UsageError(
                    f"the genome tune has no setting {name!r}. Known: {', '.join(known)}. {nearest(name, known)}".rstrip()
                )
        if "body" not in settings:
            raise UsageError("the genome tune needs a body: --body spider.yaml, or body=a description.")
        return cls(**settings)

    @classmethod
    def kept(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """The settings that a run keeps, which hold the body itself: a stranger's run cannot have other files read.

        Args:
            settings: as they are kept.

        Raises:
            UsageError: when a file or a body of the zoo is named.
        """
        body, parameters = settings.get("body"), settings.get("parameters")
        if not (isinstance(body, str) and "\n" in body):
            raise UsageError(
                f"body is {brief(body)}, must be a description in YAML: a run holds its body itself."
            )
        if not (parameters is None or isinstance(parameters, Mapping)):
            raise UsageError(
                f"parameters are {brief(parameters)}, must be a mapping: a run holds them itself."
            )
        return dict(settings)

    def settings(self) -> dict[str, Any]:
        """All that makes this breed, with the body as YAML text."""
        told = self.controller if isinstance(self.controller, str) else f"{self.controller!r}"
        return {
            "body": self.description.to_yaml(), "controller": told,
            "parameters": {parameter.name: parameter.record() for parameter in self.given},
            "step": self.step, "changes": self.changes,
        }  # fmt: skip

    # -------------------------------------------------------------------------------------------------------- genomes

    def random(self, rng: np.random.Generator) -> Tuned:
        """Anywhere in the ranges."""
        return Tuned(self, rng.random(len(self.free)))

    def restore(self, record: dict[str, Any]) -> Tuned:
        """The genome whose record this is."""
        values = record.get("values")
        if not isinstance(values, np.ndarray) or values.shape != (len(self.free),):
            raise FileError(
                f"genome of {self.description.name}: has the values {brief(values)}, must have {len(self.free)} of them."
            )
        if not np.all((values >= 0.0) & (values <= 1.0)):
            raise FileError(f"genome of {self.description.name}: a value is not from 0 to 1.")
        return Tuned(self, np.array(values, float))

    def wrapped(self, values: Any) -> Floats:
        """Values from 0 to 1."""
        found = np.asarray(values, float)
        if found.shape != (len(self.free),) or not np.all(np.isfinite(found)):
            raise UsageError(
                f"a vector of {brief(values)} was given, must be {len(self.free)} finite numbers."
            )
        wrapped: Floats = np.where(self._circles, found - np.floor(found), np.clip(found, 0.0, 1.0))
        return wrapped

    def named(self, values: Floats) -> dict[str, float]:
        """All parameters by name, the fixed ones too."""
        parts = dict(zip((parameter.name for parameter in self.free), values.tolist(), strict=True))
        return {
            parameter.name: parameter.value(parts.get(parameter.name, 0.0)) for parameter in self.parameters
        }

    def grown(self, genome: Tuned) -> Grown:
        """The body and its controller."""
        description, control = self.description, {}
        named = self.named(genome.values)
        for parameter in self.parameters:
            for target in parameter.targets:
                if target.startswith(CONTROL):
                    control[target] = named[parameter.name]
                else:
                    description = with_number(description, target.split("."), named[parameter.name])
        make = MOVERS[self.controller][1] if isinstance(self.controller, str) else self.controller
        return Grown(description, make(control))

    def operators(self) -> Sequence[Any]:
        """Mutation, and two kinds of recombination."""
        return self._operators

    @cached_property
    def _operators(self) -> tuple[Any, ...]:
        return Mutation(self), Discrete(self), Intermediate(self)

    def difference(self, a: Tuned, b: Tuned) -> float:
        """Mean distance of the values, over what it is for unrelated genomes: 1/3, on a circle 1/4."""
        apart = np.abs(a.values - b.values)
        on_circle = 4.0 * np.minimum(apart, 1.0 - apart)
        return float(np.mean(np.where(self._circles, on_circle, 3.0 * apart)))


# ------------------------------------------------------------------------------------------------------------ operators


@dataclass
class Mutation:
    """Normal steps of some of the numbers, of one at least; reflected at the ends of ranges, round on circles."""

    breed: Tune
    share: float = 0.5
    name: str = field(default="mutation", init=False)
    parents: int = field(default=1, init=False)

    def __call__(self, parents: Sequence[Tuned], rng: Rng) -> Tuned:
        """A child."""
        values, breed = parents[0].values, self.breed
        chosen = rng.random(len(values)) < breed.changes / len(values)
        chosen[int(rng.integers(len(values)))] = True
        moved = gaussian(values, breed.step, rng)
        inside = np.where(breed._circles, moved - np.floor(moved), _reflected(moved))
        return Tuned(breed, np.where(chosen, inside, values))


@dataclass
class Discrete:
    """Each number from one of two parents."""

    breed: Tune
    share: float = 0.25
    name: str = field(default="discrete recombination", init=False)
    parents: int = field(default=2, init=False)

    def __call__(self, parents: Sequence[Tuned], rng: Rng) -> Tuned:
        """A child."""
        return Tuned(self.breed, discrete(parents[0].values, parents[1].values, rng))


@dataclass
class Intermediate:
    """The mean of two parents; on a circle, the middle of the shorter way."""

    breed: Tune
    share: float = 0.25
    name: str = field(default="intermediate recombination", init=False)
    parents: int = field(default=2, init=False)

    def __call__(self, parents: Sequence[Tuned], rng: Rng) -> Tuned:
        """A child."""
        a, b = parents[0].values, parents[1].values
        around = a + 0.5 * (b - a - np.round(b - a))
        return Tuned(self.breed, np.where(self.breed._circles, around - np.floor(around), intermediate(a, b)))


def _reflected(values: Floats) -> Floats:
    place = np.mod(values, 2.0)
    thrown: Floats = np.where(place > 1.0, 2.0 - place, place)
    return thrown


def _scale(parameter: Parameter, usual: Sequence[Parameter]) -> Any:
    """A range given for a phase stays on a line; one on a log scale keeps it if nothing else was said."""
    for one in usual:
        if one.name == parameter.name and one.scale == "log" and parameter.low > 0.0:
            return "log"
    return parameter.scale


def _description(body: Any) -> Description:
    """Whatever was given, as a checked description."""
    if isinstance(body, Description):
        return body.checked()
    if isinstance(body, str) and "\n" in body:
        return Description.from_yaml(body, "body")
    if not isinstance(body, str | os.PathLike):
        raise UsageError(
            f"body is {brief(body)}, must be a description, or the name of a file or of a body of the zoo."
        )
    from zoophyte import zoo

    if not Path(body).exists() and os.fspath(body) in zoo.names():
        return zoo.get(os.fspath(body))
    return load(body)
