"""Small creatures for tests of evaluation, some of which raise, kill their worker, or never answer."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zoophyte.control import Sine
from zoophyte.description import Body, Box, Description, Joint, Servo, Surface
from zoophyte.evolution.evaluation import Order
from zoophyte.evolution.protocols import Grown, Score, Trial
from zoophyte.evolution.tasks import Walk
from zoophyte.evolution.wire import pack
from zoophyte.simulation.herd import Life

SEED, GENERATION = 3, 7
QUICK: dict[str, Any] = {"seconds": 1.0, "settle": 0.25}


@dataclass(frozen=True)
class Rower:
    """A box with two arms that swing.

    Args:
        swing: of the arms [rad].
        phase: of the second arm [rad].
        length: of the arms [m].
        deed: what it does beside that; see `Deadly`.
    """

    swing: float
    phase: float
    length: float
    deed: str = "none"

    def record(self) -> dict[str, Any]:
        return {"swing": self.swing, "phase": self.phase, "length": self.length, "deed": self.deed}

    def develop(self) -> Grown:
        if self.deed == "undeveloped":
            raise ZeroDivisionError("no such body")
        length = -1.0 if self.deed == "misshapen" else self.length
        trunk = Body(name="trunk", joint=Joint(kind="free"), shapes=[Box(size=(0.3, 0.2, 0.1))])
        arms = [
            Body(
                name=name, parent="trunk", shapes=[Box(size=(0.05, 0.05, length), position=(0.0, 0.0, -0.5 * length))],
                joint=Joint(kind="hinge", axis=(0.0, 1.0, 0.0), position=(0.1, side * 0.13, 0.0), damping=0.05,
                            actuator=Servo(stiffness=20.0, damping=0.5)),
            )
            for name, side in (("left", 1.0), ("right", -1.0))
        ]  # fmt: skip
        body = Description(name=self.deed, bodies=[trunk, *arms], surface=Surface(friction=0.9))
        amplitude = {"left": self.swing, "right": self.swing}
        if self.deed == "misled":
            amplitude["third"] = 1.0
        return Grown(body, Sine(amplitude, 1.5, {"right": self.phase}))


class Rowers:
    """Their breed."""

    name = "rowers"

    def random(self, rng: np.random.Generator) -> Rower:
        return Rower(float(rng.uniform(0.2, 1.0)), float(rng.uniform(0.0, 6.0)), float(rng.uniform(0.1, 0.3)))

    def restore(self, record: dict[str, Any]) -> Rower:
        return Rower(**record)

    def operators(self) -> Sequence[Any]:
        return []

    def settings(self) -> dict[str, Any]:
        return {}

    def difference(self, a: Rower, b: Rower) -> float:
        return abs(a.swing - b.swing)


@dataclass(frozen=True)
class Deadly(Walk):
    """A short walk, after which some do what their name says; `mark` is a folder in which killers leave traces."""

    seconds: float = 1.0
    settle: float = 0.25
    mark: str = ""

    def score(self, grown: Grown, trials: Sequence[Trial], lives: Sequence[Life]) -> Score:
        deed = grown.description.name
        if deed == "raise":
            raise RuntimeError("what a task may raise")
        if deed == "nan":
            return Score(float("nan"))
        if deed == "kill" or (deed == "kill once" and self._first("killed")):
            self._first(f"kill {time.time_ns()}")
            os.kill(os.getpid(), signal.SIGKILL)
        if deed == "sleep" or (deed == "sleep once" and self._first("slept")):
            self._first(f"sleep {time.time_ns()}")
            time.sleep(600.0)
        return super().score(grown, trials, lives)

    def _first(self, name: str) -> bool:
        try:
            with open(os.path.join(self.mark, name), "x", encoding="utf-8"):
                return True
        except FileExistsError:
            return False


def rowers(count: int, **deeds: str) -> list[Rower]:
    """Random ones; `n3="kill"` gives the fourth a deed."""
    rng = np.random.default_rng(11)
    found = [Rowers().random(rng) for _ in range(count)]
    for key, deed in deeds.items():
        found[int(key[1:])] = replace(found[int(key[1:])], deed=deed)
    return found


def order_of(genomes: Sequence[Rower], task: Any = None, **options: Any) -> Order:
    """All of them in one order."""
    task = Walk(**QUICK) if task is None else task
    numbers = tuple(range(100, 100 + len(genomes)))
    packed = tuple(pack(genome.record()) for genome in genomes)
    given: dict[str, Any] = {"stage": 0.5, "seed": SEED, "generation": GENERATION, **options}
    return Order(Rowers(), task, numbers=numbers, genomes=packed, **given)
