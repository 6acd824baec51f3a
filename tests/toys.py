"""A breed and tasks that cost nothing: what the loop, the store and the schemes are tested with.

A toy genome is a few numbers; it is worth how near they are to a target. No life is lived, so no physics is compiled.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zoophyte.description import Body, Description
from zoophyte.errors import FileError
from zoophyte.evolution.protocols import Grown, Score

SIZE = 4
TARGET = 0.7
BODY = Description(name="toy", bodies=[Body(name="dot")])


@dataclass(frozen=True, eq=False)
class ToyGenome:
    values: Any

    def develop(self) -> Grown:
        return Grown(BODY, self)  # type: ignore[arg-type]

    def record(self) -> dict[str, Any]:
        return {"values": np.asarray(self.values, float)}

    def vector(self) -> Any:
        return self.values

    def with_vector(self, values: Any) -> ToyGenome:
        return ToyGenome(np.asarray(values, float))


@dataclass
class Nudge:
    step: float
    name: str = "nudge"
    parents: int = 1
    share: float = 2.0

    def __call__(self, parents: Sequence[ToyGenome], rng: np.random.Generator) -> ToyGenome:
        return ToyGenome(parents[0].values + self.step * rng.standard_normal(SIZE))


@dataclass
class Mix:
    name: str = "mix"
    parents: int = 2
    share: float = 1.0

    def __call__(self, parents: Sequence[ToyGenome], rng: np.random.Generator) -> ToyGenome:
        return ToyGenome(np.where(rng.random(SIZE) < 0.5, parents[0].values, parents[1].values))


@dataclass(frozen=True)
class Toys:
    step: float = 0.05
    name: str = field(default="toys", init=False)

    def random(self, rng: np.random.Generator) -> ToyGenome:
        return ToyGenome(rng.random(SIZE))

    def restore(self, record: dict[str, Any]) -> ToyGenome:
        if set(record) != {"values"}:
            raise FileError("a toy has values and nothing else.")
        return ToyGenome(record["values"])

    def operators(self) -> list[Any]:
        return [Nudge(self.step), Mix()]

    def scaled(self, step: float) -> Toys:
        return Toys(self.step * step)

    def settings(self) -> dict[str, Any]:
        return {"step": self.step}

    def difference(self, a: ToyGenome, b: ToyGenome) -> float:
        return float(np.abs(a.values - b.values).mean())


@dataclass(frozen=True)
class Near:
    """Worth 1 at the target, less farther away."""

    pause: float = 0.0
    name: str = field(default="near", init=False)
    dt: float = field(default=0.01, init=False)
    sweeps: int = field(default=1, init=False)

    def trials(self, grown: Grown, stage: float, rng: np.random.Generator) -> list[Any]:
        return []

    def score(self, grown: Grown, trials: Any, lives: Any) -> Score:
        if self.pause:
            time.sleep(self.pause)
        values = grown.controller.values  # type: ignore[union-attr]
        away = float(((values - TARGET) ** 2).sum())
        return Score(1.0 / (1.0 + away), descriptors={"first": float(values[0]), "second": float(values[1])})

    def settings(self) -> dict[str, Any]:
        return {"pause": self.pause}


@dataclass(frozen=True)
class Slow(Near):
    """The same, with time to interrupt it."""

    name: str = field(default="slow", init=False)
    pause: float = 0.005


@dataclass(frozen=True)
class Moody(Near):
    """Raises for some, returns NaN for others, and faults a few."""

    name: str = field(default="moody", init=False)

    def score(self, grown: Grown, trials: Any, lives: Any) -> Score:
        value = float(grown.controller.values[0])  # type: ignore[union-attr]
        if value < 0.2:
            raise ZeroDivisionError("a moody task")
        if value < 0.4:
            return Score(float("nan"))
        return Score(-1.0, "cheated", "too good") if value > 0.95 else super().score(grown, trials, lives)


@dataclass(frozen=True)
class Blind(Near):
    """Sees two of the numbers, and only to a tenth."""

    name: str = field(default="blind", init=False)

    def score(self, grown: Grown, trials: Any, lives: Any) -> Score:
        first, second = np.round(grown.controller.values[:2], 1).tolist()  # type: ignore[union-attr]
        away = (first - TARGET) ** 2 + (second - TARGET) ** 2
        return Score(1.0 / (1.0 + away), descriptors={"first": first, "second": second})


@dataclass(frozen=True)
class Broken(Near):
    """Raises for everybody."""

    name: str = field(default="broken", init=False)

    def score(self, grown: Grown, trials: Any, lives: Any) -> Score:
        raise RuntimeError("nothing works")


@dataclass(frozen=True)
class Harder(Near):
    """Worth less in every generation: its stage is told by the first call for trials of each."""

    name: str = field(default="harder", init=False)
    changes: bool = field(default=True, init=False)
    stage: list[float] = field(default_factory=lambda: [0.0], compare=False)

    def trials(self, grown: Grown, stage: float, rng: np.random.Generator) -> list[Any]:
        self.stage[0] = stage
        return []

    def score(self, grown: Grown, trials: Any, lives: Any) -> Score:
        found = super().score(grown, trials, lives)
        return Score(found.fitness * (1.0 - 0.9 * self.stage[0]), descriptors=found.descriptors)


@dataclass(frozen=True)
class Hopeless(Near):
    """Faults everybody."""

    name: str = field(default="hopeless", init=False)

    def score(self, grown: Grown, trials: Any, lives: Any) -> Score:
        return Score(-1.0, "cheated", "too good")


@dataclass(frozen=True)
class Impatient(Near):
    """Presses Ctrl-C once a creature is good."""

    name: str = field(default="impatient", init=False)
    enough: float = 0.9

    def score(self, grown: Grown, trials: Any, lives: Any) -> Score:
        found = super().score(grown, trials, lives)
        if found.fitness > self.enough:
            os.kill(os.getpid(), signal.SIGINT)
        return found
