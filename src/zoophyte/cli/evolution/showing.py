"""Showing: how far a run is. On a terminal one line that moves, elsewhere one line per generation."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from zoophyte.cli.output import as_duration

if TYPE_CHECKING:
    from zoophyte.evolution.run import Progress

Tell = Callable[["Progress"], None]
WIDE, NARROW = 110, 92  # columns; on narrower terminals something must be left out


@contextmanager
def shown_progress(*, silent: bool = False) -> Iterator[Tell | None]:
    """A function that is told of every chunk and every generation, and shows it.

    Args:
        silent: nothing is shown: only JSON is wanted.
    """
    if silent:
        yield None
    elif sys.stdout.isatty():
        yield from _moving(Meter())
    else:
        meter = Meter()

        def tell(now: Progress) -> None:
            words = meter.told(now)
            if now.ended:
                print("  ".join(words), flush=True)

        yield tell


def _moving(meter: Meter) -> Iterator[Tell]:
    """One line that moves."""
    from rich import progress as rich

    text = rich.TextColumn
    bar = rich.Progress(text("{task.description}"), rich.BarColumn(bar_width=12), text("{task.fields[told]}"))
    task: Any = None

    def tell(now: Progress) -> None:
        nonlocal task
        if task is None:
            task = bar.add_task("", total=1.0, told="")
            bar.start()
        share = (now.generation + now.done / max(now.births, 1)) / now.generations
        head, *rest = meter.told(now)
        columns = shutil.get_terminal_size().columns
        left_out = ("diversity",) * (columns < WIDE) + ("lives/s",) * (columns < NARROW)
        rest = [words for words in rest if not any(one in words for one in left_out)]
        bar.update(task, completed=share, description=head, told="  ".join(rest))

    try:
        yield tell
    finally:
        bar.stop()


class Meter:
    """How fast a run is. Progress counts no compiling, and what comes before the first chunk counts until the second."""

    def __init__(self) -> None:
        self.first: tuple[int, float] | None = None

    def told(self, now: Progress) -> list[str]:
        """Generation, best, mean, diversity, speed, time left."""
        words = [f"generation {now.generation} ({now.generation + 1}/{now.generations})"]
        best = "best of it" if now.changes else "best so far"  # beside a mean that is of one generation alone
        for name, value in ((best, now.best), ("mean", now.mean), ("diversity", now.diversity)):
            unit = f" {now.unit}" if now.unit and name != "diversity" else ""
            words.append(f"{name} {value:.3g}{unit}" if math.isfinite(value) else f"{name} –")
        lives, seconds = self.first if self.first is not None and now.lives > self.first[0] else (0, 0.0)
        lives, seconds = now.lives - lives, now.seconds - seconds
        if lives > 0 and seconds > 0.0:
            words.append(f"{lives / seconds:.3g} lives/s")
            waiting = now.births - now.done + now.births * (now.generations - now.generation - 1)
            if waiting > 0:
                words.append(f"{as_duration(max(1.0, round(waiting * seconds / lives)))} left")
        if self.first is None:
            self.first = (now.lives, now.seconds)
        return words
