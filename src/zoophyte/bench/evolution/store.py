"""What keeping everyone costs: a hundred thousand individuals written chunk by chunk, and asked for."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from zoophyte.bench.contact.duel import guarded
from zoophyte.bench.evolution import arnold
from zoophyte.bench.harness import Row, benchmark
from zoophyte.errors import UsageError
from zoophyte.evolution.evaluation import Farm
from zoophyte.evolution.run import Run
from zoophyte.evolution.run.store import Closed, Store
from zoophyte.evolution.run.store import Row as Stored

NAME = "store"
SHARE = 0.02
"""Of the time of a run, at most."""
BEST = 10


@dataclass(frozen=True)
class Effort:
    """How long the benchmark takes; tests make it small.

    Args:
        count: individuals.
        run: from which individuals are taken, and how long a life takes.
    """

    count: int = 100_000
    run: arnold.Effort = field(default_factory=lambda: arnold.Effort(generations=6))


def survivors(births: int) -> int:
    """Of so many, in (n, 6n) selection."""
    return max(1, births // 6)


def copies(rows: Sequence[Stored], count: int) -> Iterator[list[Stored]]:
    """Generations of individuals like those of a run, parents among the first of the one before; the last may be smaller.

    Args:
        rows: of one generation that has parents.
        count: individuals in all.
    """
    births, parents = len(rows), survivors(len(rows))
    for start in range(0, count, births):
        generation = start // births
        shift = start - births
        yield [
            replace(
                row, number=start + n, generation=generation,
                parents=tuple(shift + (parent + n) % parents for parent in row.parents) if generation else (),
            )
            for n, row in enumerate(rows[: count - start])
        ]  # fmt: skip


def written(path: Path, model: Run, rows: Sequence[Stored], count: int, chunk: int) -> float:
    """Write a run as the loop of evolution does, and read what it reads; seconds [s].

    Args:
        path: of the new file.
        model: the run whose configuration it gets.
        rows: see `copies`.
        count: individuals.
        chunk: individuals in one transaction.
    """
    generations = list(copies(rows, count))
    configuration = {**model.configuration, "generations": len(generations)}
    begin = time.perf_counter()
    store = Store(path, "create", configuration=configuration)
    for number, everyone in enumerate(generations):
        store.generations(number - 1)
        store.query("SELECT number FROM individual WHERE generation = ?", (number,))
        for start in range(0, len(everyone), chunk):
            store.add(everyone[start : start + chunk])
        store.rows("generation = ?", (number,))
        chosen = [row.number for row in everyone[: survivors(len(everyone))]]
        marks = ", ".join("?" * len(chosen))
        store.rows(f"number IN ({marks})", chosen, genomes=True)
        store.end(Closed(number, [(n, 0) for n in chosen], {}, [0, number, 0.0], len(everyone), 1.0, 1.0))
    store.close()
    return time.perf_counter() - begin


def asked(path: Path, count: int) -> dict[str, float]:
    """Seconds of the questions that a report asks, each once, in a file that was just opened [s].

    Raises:
        UsageError: when an answer is not what was written.
    """
    run = Run(path)
    found: dict[str, float] = {}

    def ask(name: str, question: Callable[[], object]) -> object:
        begin = time.perf_counter()
        answer = question()
        found[name] = time.perf_counter() - begin
        return answer

    history = ask("history", run.history)
    best = ask(f"best {BEST}", lambda: run.best(BEST))
    births = ask("everyone without genomes", run.births)
    line = ask("line of the last", lambda: run.lineage(count - 1))
    run.close()
    assert isinstance(history, list) and isinstance(best, list) and isinstance(births, list)
    assert isinstance(line, list)
    everyone = sum(generation.lives for generation in history)
    whole = all(one.parents or one.generation == 0 for one in line)
    if everyone != count or len(births) != count or not best or line[-1].number != count - 1 or not whole:
        raise UsageError(f"of {count} individuals written {len(births)} were found again.")
    return found


def store_rows(effort: Effort) -> Iterator[Row]:
    """Time of writing and asking, in parts of the time in which so many creatures are lived."""
    arnold.warm_up(workers=effort.run.workers)
    with tempfile.TemporaryDirectory() as name, Farm(None, effort.run.workers) as farm:
        folder = Path(name)
        run, lived = arnold.arnold_run(effort.run, folder)
        rows = run.store.rows("generation = ?", (effort.run.generations - 1,), genomes=True)
        path = folder / "many.db"
        writing = written(path, run, rows, effort.count, farm.chunk_size(len(rows)))
        run.close()
        size = path.stat().st_size
        questions = asked(path, effort.count)
    life = lived.wall / lived.lives
    seconds = writing + sum(questions.values())
    share = seconds / (life * effort.count)
    told = ", ".join(f"{question} {time_:.3g} s" for question, time_ in questions.items())
    checked = (
        f"all found again; written and read by the loop in {writing:.3g} s, {told}; {size / effort.count:.0f} bytes each; "
        f"a life of {effort.run.seconds:g} s takes {1e3 * life:.3g} ms on {effort.run.workers} threads"
    )
    workload = (
        f"{effort.count} individuals of a limbed run written and asked for, part of the time of so many lives"
    )
    yield Row(NAME, workload, 100.0 * share, None, "", "%", None, f"under {100.0 * SHARE:g} %", bool(share < SHARE),
              checked)  # fmt: skip


@benchmark(NAME)
def store() -> Iterator[Row]:
    """100 000 individuals written and asked for, against the time of living them."""
    yield from guarded(NAME, store_rows(Effort()))
