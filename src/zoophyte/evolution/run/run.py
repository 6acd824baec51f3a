"""Run: the history of a population, in one file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np

from zoophyte.errors import FileError, UsageError, brief, counted, told
from zoophyte.evolution import registry
from zoophyte.evolution.chance import Purpose, generator
from zoophyte.evolution.populations import Scheme
from zoophyte.evolution.populations import scheme as named_scheme
from zoophyte.evolution.populations.archive import Archive, archive_of
from zoophyte.evolution.populations.elites import Elites
from zoophyte.evolution.precision import DOUBLE, PRECISIONS, checked_precision
from zoophyte.evolution.protocols import Breed, Grown, Individual, Task, Trial, title_of
from zoophyte.evolution.report.data import Generation, is_said_to_change
from zoophyte.evolution.run import tables
from zoophyte.evolution.run.cells import niches_held, restored, whole_number
from zoophyte.evolution.run.store import Row, Store
from zoophyte.evolution.run.work import Progress, planned_stage
from zoophyte.evolution.selection import selection as named_selection
from zoophyte.evolution.tasks import Own
from zoophyte.simulation import Trajectory, World
from zoophyte.simulation.living.colony import SLOTS
from zoophyte.trust import checked_trust, refuse_untrusted

NEEDED = ("task", "genome", "seed", "generations", "population", "scheme")
"""What the file of every run says of it."""


@dataclass(frozen=True, repr=False)
class Kept(Individual):
    """An individual of a run."""

    def develop(self) -> Grown:
        """Its body and its controller."""
        grown: Grown = self.genome.develop()
        return grown


def _is_place(given: Any) -> bool:
    """Whether the caller has said where a task or a breed of the user's own is."""
    return isinstance(given, str) and ":" in given


class Run:
    """A run of evolution: everyone who ever lived in it.

    Args:
        file: its file, or a store that is open.
        task: of the run, where it is none of Zoophyte's own: the object, or where it is, as "own.py:fitness".
        genome: likewise, its breed.
        trust: code outside of Zoophyte that the file may have imported, as ["own.py:fitness"]; a file that names any other
            is refused where it is needed (docs/concepts/files-from-strangers.md).
    """

    def __init__(
        self, file: str | Path | Store, *, task: Any = None, genome: Any = None, trust: Sequence[str] = ()
    ) -> None:
        self.trust = checked_trust(trust)
        self.store = file if isinstance(file, Store) else Store(file)
        self.path = None if isinstance(file, Store) else Path(file)
        self._task, self._breed = task, genome

    def __repr__(self) -> str:
        place = "in memory" if self.path is None else str(self.path)
        generations = self.store.query("SELECT count(*) FROM generation")[0][0]
        return f"Run({place}: {counted(generations, 'generation')}, {counted(len(self), 'creature')})"

    def __len__(self) -> int:
        return int(self.store.query("SELECT count(*) FROM individual")[0][0])

    def close(self) -> None:
        """Let go of the file; a run in memory is gone then."""
        self.store.close()

    # -------------------------------------------------------------------------------------------- what was asked

    @property
    def name(self) -> str:
        """The label that was given to it; else of its file, and of the folder that holds the file where that is `run.db`."""
        label = self.store.configuration().get("label")
        if label or self.path is None:
            return str(label or "run")
        folder = self.path.resolve().parent.name
        return folder if self.path.stem == "run" and folder else self.path.stem

    @property
    def configuration(self) -> dict[str, Any]:
        """What was asked, by which version, when.

        Raises:
            FileError: when the file does not say it.
        """
        asked = self.store.configuration()
        if lacking := [key for key in NEEDED if key not in asked]:
            raise FileError(f"{self.store.path}: damaged: it does not say its {', '.join(lacking)}.")
        return asked

    @property
    def foreign(self) -> dict[str, str]:
        """Code outside of Zoophyte that the file names and the caller has not given: place by "task" and "genome"."""
        given = [what for what, one in (("task", self._task), ("genome", self._breed)) if one is not None]
        return registry.foreign(self.configuration, given)

    def refuse_untrusted(self) -> None:
        """Refuse a run that cannot be lived again unless code is imported which the caller does not trust.

        Raises:
            UntrustedError: names all of that code.
        """
        refuse_untrusted(self.store.path, self.foreign, self.trust)

    @cached_property
    def task(self) -> Task:
        """What its creatures were asked to do.

        Raises:
            UntrustedError: when it is code outside of Zoophyte, and the caller neither gave it nor trusts its place.
        """
        kept, given = self.configuration["task"], self._task
        if given is None or (_is_place(given) and "task" in registry.foreign(self.configuration)):
            return registry.found_task(**self._found(kept, given))
        is_function = callable(given) and not hasattr(given, "trials")
        return registry.task(given, **(Own.kept(kept["settings"]) if is_function else {}))

    @cached_property
    def breed(self) -> Breed:
        """What its genomes are.

        Raises:
            UntrustedError: when it is code outside of Zoophyte, and the caller neither gave it nor trusts its place.
        """
        given = self._breed
        if given is None or (_is_place(given) and "genome" in registry.foreign(self.configuration)):
            return registry.found_breed(**self._found(self.configuration["genome"], given))
        return registry.breed(given)

    def _found(self, kept: dict[str, Any], given: str | None) -> dict[str, Any]:
        """What is to be found, and whom to believe; a place that the caller gives counts, with the settings of the file."""
        if given is not None:
            settings = {**kept["settings"], "place": given} if kept["name"] == Own.name else kept["settings"]
            kept = {**kept, "place": given, "settings": settings}
        return {"record": kept, "file": self.store.path, "trust": (*self.trust, *([given] if given else []))}

    @property
    def scheme(self) -> Scheme:
        """How its population lives on.

        Raises:
            FileError: when its settings are damaged.
        """
        asked = self.configuration
        chosen, kept = asked.get("selection"), asked["scheme"]
        try:
            selection = None if chosen is None else named_selection(chosen["name"], **chosen["settings"])
            return named_scheme(kept["name"], asked["population"], selection, **kept["settings"])
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as problem:
            raise FileError(
                f"{self.store.path}: damaged: the settings of its scheme {brief(kept['name'])}: {told(problem)}"
            ) from None

    @property
    def precision(self) -> str:
        """Of the lives: double or single."""
        try:
            return checked_precision(self.configuration.get("precision", DOUBLE))
        except UsageError as problem:
            raise FileError(f"{self.store.path}: damaged: its {problem}") from None

    @property
    def is_complete(self) -> bool:
        """Whether all generations that were asked for are there."""
        return self.generation_count >= int(self.configuration["generations"])

    @property
    def generation_count(self) -> int:
        """Generations that are complete."""
        return int(self.store.query("SELECT count(*) FROM generation")[0][0])

    @property
    def changes(self) -> bool:
        """Whether its task changes over the generations, so that fitness compares those of one generation alone."""
        return is_said_to_change(self.store.configuration())

    @property
    def contending(self) -> str:
        """Who may be the best, as a condition in SQL: all; of a task that changes, those of the last complete generation."""
        return f"generation = {max(0, self.generation_count - 1)}" if self.changes else "1"

    @property
    def archive(self) -> Archive | None:
        """The niches of a run with the scheme `elites`, as its last complete generation left them; None for any other."""
        closed, scheme = self.store.generations(max(0, self.generation_count - 1)), self.scheme
        if not isinstance(scheme, Elites) or not closed or "axes" not in closed[0].notes:
            return None
        fitness = dict(self.store.cells("individual", ("number", "fitness"), "ORDER BY number"))
        held = niches_held(self.path, closed[0], fitness)
        return archive_of(closed[0].notes["axes"], scheme.bins, held)

    # --------------------------------------------------------------------------------------------- who was there

    def history(self) -> list[Generation]:
        """One row for each complete generation: fitness, diversity, failures, seconds."""
        by_generation: dict[int, list[float]] = {}
        columns = ("generation", "fitness")
        for generation, fitness in self.store.cells("individual", columns, "ORDER BY number"):
            by_generation.setdefault(generation, []).append(fitness)
        rows = []
        for closed in self.store.generations():
            everyone = np.array(by_generation.get(closed.number, []), float)
            good = everyone[everyone >= 0.0]
            mean = float(good.mean()) if good.size else np.nan
            low, middle, high = np.percentile(good, [25, 50, 75]) if good.size else [np.nan] * 3
            best = float(everyone.max()) if everyone.size else np.nan
            rows.append(
                Generation(
                    closed.number, best, mean, float(low), float(middle), float(high), closed.diversity,
                    len(everyone), len(everyone) - len(good), closed.seconds,
                )
            )  # fmt: skip
        return rows

    def births(self) -> list[Row]:
        """Everyone in the order of birth, without genomes."""
        return self.store.rows()

    @overload
    def best(self) -> Kept: ...

    @overload
    def best(self, count: int) -> list[Kept]: ...

    def best(self, count: int | None = None) -> Kept | list[Kept]:
        """The fittest of the whole run (ARN-69); or several, best first, and all different.

        Where the task changes over the generations, the fittest of the last complete one: the early had another task.

        Of those with the same genome, as elitism copies it, only the first counts; likewise of those with other genomes who
        lived the same life to the last bit: some genes grow into nothing.

        Args:
            count: how many; one, and no list, if left out.
        """
        found: list[Kept] = []
        genomes: set[bytes] = set()
        lives: set[tuple[float, tuple[tuple[str, float], ...]]] = set()
        rest = f"WHERE fitness >= 0 AND {self.contending} ORDER BY fitness DESC, number"
        for number, fitness, measured in self.store.cells(
            "individual", ("number", "fitness", "descriptors"), rest
        ):
            if len(found) >= (1 if count is None else count):
                break
            descriptors = tuple(measured.items())
            if descriptors and (fitness, descriptors) in lives:
                continue
            row = self.row(number)
            if row.genome not in genomes:
                genomes.add(row.genome)
                lives.add((fitness, descriptors))
                found.append(self._kept(row))
        if count is not None:
            return found
        if not found:
            raise UsageError(f"{self.name}: nobody in this run has been found without fault yet.")
        return found[0]

    def individual(self, number: int) -> Kept:
        """The one with this number."""
        return self._kept(self.row(number))

    def row(self, number: int) -> Row:
        """The one with this number, as it is stored.

        Raises:
            UsageError: when there is none.
        """
        rows = self.store.rows("number = ?", (whole_number(number),), genomes=True)
        if not rows:
            raise UsageError(
                f"{self.name}: there is no individual {brief(number)}; there are {len(self)}, from 0."
            )
        return rows[0]

    def survivors(self, generation: int | None = None) -> list[Kept]:
        """Who survived a generation; the last complete one if left out."""
        closed = self.store.generations(generation)
        if not closed:
            what = (
                "no generation is complete yet"
                if generation is None
                else f"generation {generation} is not complete"
            )
            raise UsageError(f"{self.name}: {what}; go on with the run first, by `zoophyte resume`.")
        return [self.individual(number) for number in dict.fromkeys(n for n, _ in closed[-1].survivors)]

    def lineage(self, number: int) -> list[Kept]:
        """An individual and all its ancestors, in the order of birth."""
        known: dict[int, Kept] = {}
        waiting = deque([int(number)])
        while waiting:
            each = waiting.popleft()
            if each not in known:
                known[each] = self.individual(each)
                waiting.extend(known[each].parents)
        return [known[each] for each in sorted(known)]

    def _kept(self, row: Row) -> Kept:
        one = restored(row, self.breed, self.store.path)
        return Kept(**{name: getattr(one, name) for name in one.__dataclass_fields__})

    # ------------------------------------------------------------------------------------------------ lives again

    def stage(self, generation: int) -> float:
        """The stage at which a generation was judged: as it was recorded, though the run may be longer now.

        Args:
            generation: its number; of one that is not complete, the stage that is planned.
        """
        closed = self.store.generations(generation)
        if closed and len(closed[0].seeds) > 2:
            return float(closed[0].seeds[2])
        return planned_stage(generation, self.configuration["generations"])

    def trials(self, one: Individual) -> list[Trial]:
        """The lives by which an individual was judged."""
        rng = generator(self.configuration["seed"], one.generation, 0, Purpose.TRIAL)
        return list(self.task.trials(one.genome.develop(), self.stage(one.generation), rng))

    def relive(
        self,
        one: Individual,
        *,
        trial: int = 0,
        seconds: float | None = None,
        record_rate: float | None = 60.0,
    ) -> Trajectory:
        """A life of an individual once more, bit for bit, in a World, with everything that a page shows.

        Args:
            one: who.
            trial: which of its lives.
            seconds: how long; as it was judged if left out [s].
            record_rate: frames per second to keep.
        """
        trials = self.trials(one)
        if not 0 <= trial < len(trials):
            raise UsageError(
                f"task '{title_of(self.task)}' gives {counted(len(trials), 'life', 'lives')}, from 0; there is no {trial}."
            )
        chosen = trials[trial] if seconds is None else replace(trials[trial], seconds=seconds)
        world = World(
            chosen.description, chosen.habitat, chosen.controller, self.task.dt, integrator="implicit",
            slots=SLOTS, sweeps=self.task.sweeps, sleep=False, dtype=PRECISIONS[self.precision],
        )  # fmt: skip
        return world.simulate(chosen.seconds, record_rate=record_rate)

    # --------------------------------------------------------------------------------------------------- going on

    def resume(
        self, *, generations: int | None = None, executor: Any = None, workers: int | None = None,
        timeout: float | None = None, progress: Callable[[Progress], None] | None = None, anyway: bool = False,
    ) -> Run:  # fmt: skip
        """Go on where the run was broken off: what comes is what would have come, bit for bit.

        Args:
            generations: as many in all; those that were asked for if left out.
            executor: as in `evolve`.
            workers: as in `evolve`; it need not be the number that the run began with.
            timeout: as in `evolve`.
            progress: as in `evolve`.
            anyway: go on even if another version of Zoophyte began it.
        """
        from zoophyte.evolution.run.evolving import resume

        return resume(
            self, generations=generations, executor=executor, workers=workers, timeout=timeout, progress=progress,
            anyway=anyway,
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------------------ tables

    def table(self) -> dict[str, list[Any]]:
        """Everyone as columns; descriptors as columns of their own."""
        return tables.columns(self.store.rows())

    def to_csv(self, path: str | Path) -> None:
        """Write everyone to a table of text, which a spreadsheet may open: no text in it is a formula."""
        tables.write_csv(self.table(), path)

    def to_parquet(self, path: str | Path) -> None:
        """Write everyone to a Parquet file (extra `[data]`)."""
        tables.write_parquet(self.table(), path)
