"""What the sides of a comparison have in common: to be restarted, advanced, timed and looked at."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from zoophyte.bench.harness import Quality
from zoophyte.model.model import Floats

Coordinates = tuple[Floats, Floats]
"""Positions and velocities of a scene as MuJoCo has them."""
Timer = Callable[[], float]
"""Runs a batch of steps from the kept state and returns seconds of processor time per step and creature."""


class Side(Protocol):
    """A program with a scene."""

    name: str

    def keep(self) -> None:
        """Take the present state as the one to go back to."""
        ...

    def restart(self) -> None:
        """Go back to the kept state."""
        ...

    def advance(self, steps: int, orders: Floats | None = None) -> None:
        """Step; with a value (steps, nv, lanes) for every step and degree of freedom, in our order, if orders are given."""
        ...

    def coordinates(self) -> list[Coordinates]:
        """Where everything is; one entry per creature side by side."""
        ...

    def timers(self, steps: int, orders: Floats | None = None) -> list[Timer]:
        """Ways to run a batch; the fastest of them counts."""
        ...


class Ruler(Protocol):
    """Measures coordinates."""

    def read(self, coordinates: Coordinates) -> Reading:
        """Everything about one moment."""
        ...


@dataclass(frozen=True, eq=False)
class Reading:
    """One moment of one creature.

    Args:
        depth: of the deepest contact [m].
        energy: kinetic, of gravity and of springs [J].
        places: centres of mass of the bodies, shape (bodies, 3) [m].
        upright: cosine of the angle between each body's z axis and the vertical.
        contacts: how many points touch.
    """

    depth: float
    energy: float
    places: Floats
    upright: Floats
    contacts: int


@dataclass(frozen=True)
class Effort:
    """How long a benchmark takes; tests make it small.

    Args:
        rounds: batches of each side, in turns; the fastest counts.
        steps: in a batch.
        settle: steps from birth to rest before anything is measured.
        release: steps without orders before that: a limp body may balance for seconds before its last limb comes down.
        standing: steps of standing still that are watched.
        stride: steps between two looks.
    """

    rounds: int = 40
    steps: int = 2000
    settle: int = 600
    release: int = 4000
    standing: int = 2000
    stride: int = 5


def race(*sides: Sequence[Timer], rounds: int) -> list[float]:
    """Seconds per step and creature of each side: all timers take turns, the fastest round of the fastest timer counts."""
    best = [float("inf")] * len(sides)
    for timers in sides:
        for timer in timers:
            timer()
    for _ in range(rounds):
        for n, timers in enumerate(sides):
            best[n] = min([best[n], *(timer() for timer in timers)])
    return best


def timed(call: Callable[[], object]) -> float:
    """Processor time of a call [s]."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def apart(
    one: Side, other: Side, rulers: tuple[Ruler, Ruler], steps: int, orders: Floats | None = None
) -> float:
    """How far bodies are from each other after both sides went on alike from one state [m].

    Args:
        one: a side.
        other: a side that was put into the same state.
        rulers: of both.
        steps: to go.
        orders: for both.
    """
    for side in (one, other):
        side.advance(steps, None if orders is None else orders[:steps])
    first, second = (
        ruler.read(side.coordinates()[0]) for ruler, side in zip(rulers, (one, other), strict=True)
    )
    return float(np.max(np.linalg.norm(first.places - second.places, axis=1)))


class Watch:
    """Follows a side from its kept state and measures how well contact holds.

    Args:
        side: to follow.
        rulers: one per creature of the side.
        stride: steps between two looks.
    """

    def __init__(self, side: Side, rulers: Sequence[Ruler], stride: int) -> None:
        self.side, self.rulers, self.stride = side, rulers, stride
        self.depth = self.gain = 0.0
        self._lowest: list[float] | None = None
        side.restart()

    def look(self) -> list[Reading]:
        """All creatures now."""
        readings = [
            ruler.read(each) for ruler, each in zip(self.rulers, self.side.coordinates(), strict=True)
        ]
        self.depth = max([self.depth, *(reading.depth for reading in readings)])
        return readings

    def drive(self, steps: int, orders: Floats | None = None) -> None:
        """Move by orders or by the body's own signals, looking at depths only; motors may raise the energy."""
        for first in range(0, steps, self.stride):
            count = min(self.stride, steps - first)
            self.side.advance(count, None if orders is None else orders[first : first + count])
            self.look()
        self._lowest = None

    def release(self, steps: int) -> tuple[list[Reading], list[Reading]]:
        """Go on without orders, looking at depths and energies; the first and the last look."""
        begin = end = self.look()
        lowest = [reading.energy for reading in begin] if self._lowest is None else self._lowest
        for first in range(0, steps, self.stride):
            self.side.advance(min(self.stride, steps - first))
            end = self.look()
            self.gain = max(
                [self.gain, *(reading.energy - low for reading, low in zip(end, lowest, strict=True))]
            )
            lowest = [min(reading.energy, low) for reading, low in zip(end, lowest, strict=True)]
        self._lowest = lowest
        return begin, end

    def stand(self, steps: int, dt: float) -> Quality:
        """Stand still for so many steps, and sum up."""
        begin, end = self.release(steps)
        ways = [
            float(np.max(np.linalg.norm((b.places - a.places)[:, :2], axis=1)))
            for a, b in zip(begin, end, strict=True)
        ]
        drifts = [b.energy - a.energy for a, b in zip(begin, end, strict=True)]
        return Quality(
            self.side.name, self.depth, max(ways), steps * dt, max(drifts, key=abs), self.gain
        )  # fmt: skip


SAME_LENGTH = 1e-9
"""Lengths that are taken for equal [m]: roundings of coordinates in the order of metres, summed over thousands of steps."""


def is_no_worse(ours: Quality, peer: Quality, energy: float) -> bool:
    """Whether we penetrate, creep and drift no more than the peer.

    Args:
        ours: our side.
        peer: the other side.
        energy: that counts as none [J]; a drift of energy above it must not exceed the peer's.
    """
    return (
        ours.penetration <= peer.penetration + SAME_LENGTH
        and ours.creep <= peer.creep + SAME_LENGTH
        and abs(ours.energy_drift) <= max(abs(peer.energy_drift), energy)
    )
