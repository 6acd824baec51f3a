"""Environments of Gymnasium: a thousand of our ants on the herd against Gymnasium's own Ant in processes."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zoophyte.bench.harness import Row, benchmark
from zoophyte.description import Description, load

NAME, BAR = "gym-vector", 20.0
PEER = "Gymnasium Ant-v5, AsyncVectorEnv"
UNIT = "environment steps/s"
HEIGHTS = (0.2, 1.0)
"""At which both ants are healthy [m]."""


@dataclass(frozen=True)
class Effort:
    """How long the benchmark takes; tests make it small.

    Args:
        count: our environments.
        steps: of every environment in a round.
        rounds: of each side, in turns; the fastest counts.
        processes: environments of the peer, of which each has a process of its own; the best number counts. With more of
            them, waiting for all at every step costs less; they share the same cores.
        peer_steps: of the peer's environments in a round.
        compared: of our environments that are lived again one by one, before anything is timed.
        compared_steps: for so many steps.
    """

    count: int = 1024
    steps: int = 50
    rounds: int = 6
    processes: tuple[int, ...] = (2, 4, 8)
    peer_steps: int = 300
    compared: int = 4
    compared_steps: int = 40


@benchmark(NAME)
def gym_vector() -> Iterator[Row]:
    """1 024 environments of ants, random actions: the herd against Gymnasium's Ant in processes, on all cores."""
    yield from vector_rows(Effort())


def vector_rows(effort: Effort) -> Iterator[Row]:
    """Our ant, then the peer's own ant in our environments; or why there is none of them."""
    from zoophyte.gym.task import Task

    task = Task()
    pace = f"random actions, {task.seconds:g} s per environment step, frame skip {task.frame_skip}"
    workloads = {
        f"{effort.count} ant environments, {pace}": f"≥ {BAR:g}",
        f"{effort.count} environments of the peer's own ant, {pace}": "",
    }
    first = next(iter(workloads))
    if importlib.util.find_spec("gymnasium") is None:
        missing = "Gymnasium (not installed: pip install gymnasium mujoco)"
        yield Row(NAME, first, None, None, missing, UNIT, None, workloads[first])
        return
    checked = same_lives(effort)
    peers = _peers(effort)
    ours = [_ours(body, effort.count) for body in ("ant", *([_their_ant()] if peers else []))]
    for peer in peers:
        same_time(peer, task.seconds, task.frame_skip)
    sides = [rate_of(each, effort.steps) for each in ours]
    rates = _race([*sides, *(rate_of(peer, effort.peer_steps) for peer in peers)], effort.rounds)
    for environments in (*ours, *peers):
        environments.close()
    if not peers:
        missing = f"{PEER} (not installed: pip install mujoco)"
        yield Row(NAME, first, rates[0], None, missing, UNIT, None, workloads[first], checked=checked)
        return
    theirs = rates[len(ours) :]
    best = int(np.argmax(theirs))
    each = ", ".join(f"{n} processes {rate:.4g}" for n, rate in zip(effort.processes, theirs, strict=True))
    name = f"{PEER} on {effort.processes[best]} processes"
    told = f"{checked}; the peer's step takes as long and skips as many frames; peer: {each}"
    for (workload, bar), rate in zip(workloads.items(), rates, strict=False):
        ratio = rate / theirs[best]
        yield Row(
            NAME, workload, rate, theirs[best], name, UNIT, ratio, bar, ratio >= BAR if bar else None, told
        )


def _ours(body: Any, count: int) -> Any:
    from zoophyte.gym import make

    environments = make(body, count, healthy_z_range=HEIGHTS)
    environments.reset(seed=0)
    return environments


def _their_ant() -> Description:
    """Gymnasium's ant from its own file."""
    import gymnasium

    folder = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
    return load(folder / "ant.xml")


def _peers(effort: Effort) -> list[Any]:
    """Gymnasium's Ant in so many processes; none without what it needs."""
    if any(importlib.util.find_spec(name) is None for name in ("mujoco", "imageio")):
        return []
    import gymnasium

    found = [
        gymnasium.make_vec(
            "Ant-v5",
            count,
            vectorization_mode="async",
            vector_kwargs={"context": "spawn"},
            disable_env_checker=True,
        )
        for count in effort.processes
    ]
    for peer in found:
        peer.reset(seed=0)
    return found


def same_time(peer: Any, seconds: float, frame_skip: int) -> None:
    """Refuse to compare environments whose steps are not equally long.

    Raises:
        AssertionError: says what they are.
    """
    for found, wanted in zip((peer.call("dt"), peer.call("frame_skip")), (seconds, frame_skip), strict=True):
        if any(abs(value - wanted) > 1e-12 for value in found):
            raise AssertionError(f"the peer's environments have {found}, ours {wanted}")


def same_lives(effort: Effort) -> str:
    """Whether the first of our environments are those that one lives alone, bit for bit; in words.

    Raises:
        AssertionError: when they are not.
    """
    from zoophyte.gym import make

    together = make("ant", effort.count)
    alone = [make("ant") for _ in range(effort.compared)]
    first = together.reset(seed=0)[0]
    seen = [each.reset(seed=n)[0] for n, each in enumerate(alone)]
    rng = np.random.default_rng(1)
    over = np.zeros(effort.compared, bool)  # after its end, an environment begins anew
    for step in range(effort.compared_steps + 1):
        for n in np.flatnonzero(~over):
            if not np.array_equal(first[n], seen[n]):
                raise AssertionError(f"environment {n} differs from the same one alone at step {step}")
        actions = rng.uniform(-1.0, 1.0, together.action_space.shape)
        first, _, terminated, truncated, _ = together.step(actions)
        seen = [each.step(actions[n])[0] for n, each in enumerate(alone)]
        over |= (terminated | truncated)[: effort.compared]
    for environment in (together, *alone):
        environment.close()
    return f"{effort.compared} of ours equal those alone, bit for bit, for {effort.compared_steps} steps"


def rate_of(environments: Any, steps: int) -> Callable[[], float]:
    """Takes so many steps with random actions; environment steps per second.  Drawing actions is not timed."""
    space, rng = environments.action_space, np.random.default_rng(0)

    def run() -> float:
        actions = rng.uniform(space.low, space.high, (steps, *space.shape)).astype(space.dtype)
        begin = time.perf_counter()
        for action in actions:
            environments.step(action)
        return float(environments.num_envs * steps / (time.perf_counter() - begin))

    return run


def _race(sides: list[Callable[[], float]], rounds: int) -> list[float]:
    """The best rate of each side; they take turns, after one round that does not count."""
    best = [0.0] * len(sides)
    for side in sides:
        side()
    for _ in range(rounds):
        best = [max(rate, side()) for rate, side in zip(best, sides, strict=True)]
    return best
