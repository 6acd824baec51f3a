"""Timing side by side, and the table of benchmarks.

A benchmark is a decorated function that yields rows.  Both sides run in turns in one process and the fastest round of each
counts: noise from other programs only ever adds time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from zoophyte.errors import UsageError, nearest


@dataclass(frozen=True)
class Quality:
    """How well contact held on one side; all of it measured alike on both.

    Args:
        who: the side.
        penetration: the greatest depth at any sampled time [m].
        creep: the greatest horizontal way of any body while all should stand still [m].
        seconds: how long they stood [s].
        energy_drift: change of energy while they stood [J].
        energy_gain: the greatest rise of energy above an earlier value while nothing drives them [J].
        mean_penetration: mean, over creatures and sampled times, of the depth of the deepest contact [m]; None where it
            was not measured.
    """

    who: str
    penetration: float
    creep: float
    seconds: float
    energy_drift: float
    energy_gain: float
    mean_penetration: float | None = None

    def words(self) -> str:
        """All figures in one line."""
        mean = "" if self.mean_penetration is None else f" (mean {self.mean_penetration:.2g} m)"
        return (
            f"{self.who}: penetration {self.penetration:.2g} m{mean}, creep {self.creep:.2g} m in {self.seconds:g} s, "
            f"energy drift {self.energy_drift:+.2g} J, energy gain {self.energy_gain:.2g} J"
        )


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Args:
        name: the benchmark's.
        workload: what was computed.
        ours: our figure, or None where it could not be measured.
        peer: the peer's figure, or None.
        peer_name: who the peer is.
        unit: of both figures.
        ratio: how many times better we are, or None.
        bar: the ratio (or figure) that must be reached, in words.
        reached: whether it was, or None where it could not be measured.
        checked: what was compared before the ratio was formed.
        quality: how well contact held, one entry per side.
    """

    name: str
    workload: str
    ours: float | None
    peer: float | None
    peer_name: str
    unit: str
    ratio: float | None
    bar: str = ""
    reached: bool | None = None
    checked: str = ""
    quality: tuple[Quality, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As a plain object."""
        return asdict(self)


Benchmark = Callable[[], Iterator[Row]]
_TABLE: dict[str, Benchmark] = {}


def benchmark(name: str) -> Callable[[Benchmark], Benchmark]:
    """Put a function into the table under `name`."""

    def register(function: Benchmark) -> Benchmark:
        _TABLE[name] = function
        return function

    return register


def benchmarks() -> dict[str, str]:
    """Names and first lines of all benchmarks."""
    _load()
    return {name: (function.__doc__ or "").strip().splitlines()[0] for name, function in _TABLE.items()}


def run_benchmarks(names: list[str] | None = None) -> Iterator[Row]:
    """Run the named benchmarks (all if none are named), row by row.

    Raises:
        UsageError: an unknown name.
    """
    for name in chosen_names(names):
        yield from _TABLE[name]()


def chosen_names(names: list[str] | None = None) -> list[str]:
    """The same names, if all are known; all that are known if none are named.

    Raises:
        UsageError: an unknown name.
    """
    _load()
    for name in names or []:
        if name not in _TABLE:
            known = ", ".join(_TABLE)
            raise UsageError(
                f"there is no benchmark {name!r}. Known: {known}. {nearest(name, _TABLE)}".rstrip()
            )
    return names or list(_TABLE)


def _load() -> None:
    """The modules that hold benchmarks register them when imported."""
    from zoophyte.bench import compiling, cuda, dynamics, environments, render, replay, start  # noqa: F401
    from zoophyte.bench.contact import creatures, crowds, enter, large  # noqa: F401
    from zoophyte.bench.evolution import arnold, fontijne, revolve2, store  # noqa: F401
    from zoophyte.bench.herd import alike, unlike  # noqa: F401
    from zoophyte.bench.herd import cuda as herd_cuda  # noqa: F401


def fastest(*sides: Callable[[], int], rounds: int = 150) -> list[float]:
    """Seconds per item of each side: each call does a batch and returns how many items; sides take turns."""
    best = [float("inf")] * len(sides)
    for side in sides:
        side()
    for _ in range(rounds):
        for n, side in enumerate(sides):
            begin = time.perf_counter()
            count = side()
            best[n] = min(best[n], (time.perf_counter() - begin) / count)
    return best
