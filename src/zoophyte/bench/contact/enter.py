"""What a World adds to its kernel: a life's birth, its frames, events and poses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zoophyte.bench.contact.ours import Ours
from zoophyte.bench.contact.sides import race, timed
from zoophyte.bench.harness import Row, benchmark
from zoophyte.description import Surface
from zoophyte.errors import UsageError
from zoophyte.model import State
from zoophyte.model.model import Floats
from zoophyte.simulation.world import World
from zoophyte.zoo.figures import humanoid

FRAMES = 60.0
"""Per second."""
TILT, FALL = 0.5, 0.3
"""How far the figure leans forward [rad], and how long it falls before it is timed [s]."""
BAR = 1.2


@benchmark("enter")
def enter() -> Iterator[Row]:
    """A World that records a life in contact, against its kernel alone on the same steps."""
    yield from enter_rows((1.0, 10.0))


def enter_rows(seconds: tuple[float, ...], rounds: int = 20) -> Iterator[Row]:
    """Rows for lives of these lengths; the bar holds for each.

    Args:
        seconds: of the lives [s].
        rounds: of each side.

    Raises:
        UsageError: when the two sides end in other states.
    """
    world, start = fallen()
    for length in seconds:
        ours, alone = sides(world, start, length, rounds)
        workload = f"zoo humanoid, 36 dof, falling and lying, {world.dt * 1e3:g} ms, {FRAMES:g} frames per second with poses"
        yield Row(
            "enter", f"{workload}, a life of {length:g} s", ours * 1e3, alone * 1e3, "the kernel alone on the same steps",
            "ms per second", alone / ours, f"≥ {1.0 / BAR:.2f}", ours <= BAR * alone,
            "both end in the same state, bit for bit",
        )  # fmt: skip


def fallen() -> tuple[World, State]:
    """A figure on the ground that has begun to fall."""
    world = World(humanoid().altered(surface=Surface(friction=1.0)), overlap="resolve")
    born = State.neutral(world.model)
    q = born.q.copy()
    q[:4] = np.cos(0.5 * TILT), 0.0, np.sin(0.5 * TILT), 0.0
    return world, world.simulate(FALL, born.at(q)).final


def sides(world: World, start: State, seconds: float, rounds: int) -> tuple[float, float]:
    """Time of a life and of its kernel, per second of life [s].

    Raises:
        UsageError: when they end in other states.
    """
    steps = round(seconds / world.dt)
    assert world.contact is not None
    alone = Ours([world.model], world.contact, world.dt, states=[start])

    ends: list[Floats] = []

    def whole() -> float:
        return timed(lambda: ends.append(_recorded(world, start, seconds))) / steps

    times = race([whole], alone.timers(steps), rounds=rounds)
    if not np.array_equal(ends[-1], alone.block.q()):
        raise UsageError("a World and its kernel alone end in other states.")
    return times[0] * steps / seconds, times[1] * steps / seconds


def _recorded(world: World, start: State, seconds: float) -> Floats:
    """Live, ask for the poses of all frames, and tell where it ended."""
    life = world.simulate(seconds, start, record_rate=FRAMES)
    assert len(life.positions) == len(life)
    return life.final.q
