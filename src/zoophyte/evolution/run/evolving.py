"""Evolve: from a few words to a run, and from a broken run on."""

from __future__ import annotations

import datetime
import json
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte import __version__
from zoophyte.errors import FileError, OwnCodeError, UsageError, ZoophyteError, counted, own_place, told
from zoophyte.evolution import registry
from zoophyte.evolution.chance import checked_seed
from zoophyte.evolution.evaluation import Farm
from zoophyte.evolution.evaluation.ahead import forms_of_run
from zoophyte.evolution.populations import SELECTING, Scheme
from zoophyte.evolution.populations import scheme as named_scheme
from zoophyte.evolution.populations.schemes import checked_count, refuse_unfit
from zoophyte.evolution.precision import DOUBLE, checked_precision
from zoophyte.evolution.protocols import Breed, Task, is_changing, unit_of
from zoophyte.evolution.run.gaps import refuse_gaps
from zoophyte.evolution.run.interruption import Interruption
from zoophyte.evolution.run.judges import FarmJudges
from zoophyte.evolution.run.loop import run_generations
from zoophyte.evolution.run.room import Room
from zoophyte.evolution.run.store import MEMORY, Store
from zoophyte.evolution.run.work import Progress, Work
from zoophyte.evolution.selection import Selection, settings_of
from zoophyte.evolution.selection import selection as named_selection
from zoophyte.evolution.wire import pack
from zoophyte.numbers.cache import IMPORTED
from zoophyte.physics.entries import compile_ahead

if TYPE_CHECKING:
    from zoophyte.evolution.run.run import Run

Tell = Callable[[Progress], None]
FROM_PROPORTIONAL = ("graph",)
"""Breeds whose source selects parents in proportion to fitness (FON-68); the others have (n, 6n) truncation (ARN-58)."""


def evolve(
    task: Any = "walk", *, genome: Any = "limbed", controller: str | None = None, population: int = 64,
    generations: int = 50, seed: int = 0, store: str | Path | None = None, executor: Any = None,
    workers: int | None = None, timeout: float | None = None, selection: str | Selection | None = None,
    scheme: str = "generational", from_: Any = None, task_settings: dict[str, Any] | None = None,
    genome_settings: dict[str, Any] | None = None, scheme_settings: dict[str, Any] | None = None,
    precision: str = DOUBLE, label: str = "", progress: Tell | None = None,
) -> Run:  # fmt: skip
    """Evolve creatures that do a task well.

    Args:
        task: its name, "file.py:name", a function of a life, or an object that is a task.
        genome: limbed, graph, tune, "file.py:name", or an object that is a breed.
        controller: of the creatures: spectral, neurons, oscillators or sine; the breed's own if left out.
        population: how many survive a generation; in (n, 6n) selection six times as many are born.
        generations: how many.
        seed: of all chance: the same seed gives the same run, bit for bit, on any number of workers.
        store: the file of the run, whose folder is made if need be; in memory only if left out.
        executor: any `concurrent.futures.Executor`, "threads", "processes", or the address of a dask scheduler.
        workers: how many; as many as there are processors if left out.
        timeout: seconds that a chunk of creatures may take.
        selection: comma, roulette, proportional or tournament; proportional for graph and comma for others if left out.
        scheme: generational, islands, lattice, steady, elites, novelty or cma.
        from_: where the first generation comes from: a file of a population, a run, or genomes; random if left out.
        task_settings: of the task.
        genome_settings: of the breed.
        scheme_settings: of the scheme.
        precision: of the lives: double; or single, which takes half to three quarters of the time and has its limits
            (docs/concepts/herd.md).
        label: what the run is called where it stands beside others, in reports.
        progress: told after every chunk and every generation.

    Returns:
        The run, complete.
    """
    chosen_task = registry.task(task, **(task_settings or {}))
    extra = {} if controller is None else {"controller": controller}
    breed = registry.seeing(registry.breed(genome, **{**(genome_settings or {}), **extra}), chosen_task)
    checked_count("generations", generations)
    seed = checked_seed(seed)
    checked_precision(precision)
    if selection is None and scheme in SELECTING:
        selection = "proportional" if breed.name in FROM_PROPORTIONAL else "comma"
    choice = named_selection(selection) if isinstance(selection, str) else selection
    made = named_scheme(scheme, population, choice, **(scheme_settings or {}))
    refuse_unfit(made, breed, chosen_task)
    founders = _founders(from_, breed, made)
    asked = {
        "task": _plain(registry.described(chosen_task, task)), "genome": _plain(registry.described(breed, genome)),
        "population": population, "generations": generations, "seed": seed, "precision": precision,
        "changes": is_changing(chosen_task), "unit": unit_of(chosen_task), **({"label": label} if label else {}),
        "scheme": {"name": made.name, "settings": made.settings()},
        "selection": None if choice is None else {"name": choice.name, "settings": settings_of(choice)}, **origin(),
    }  # fmt: skip
    with Farm(executor, workers, timeout) as farm:
        room = None if store is None else Room(Path(store))
        file = Store(MEMORY if store is None else store, "create", configuration=asked, founders=founders)
        try:
            return _work(file, chosen_task, breed, made, farm, precision, seed, generations, progress)
        except BaseException as failure:
            # Without a complete generation such a run could only fail again, and would be in the way of a better one.
            has_begun = not isinstance(failure, UsageError) or bool(file.generations())
            file.close()
            if room is not None and not has_begun:
                room.clear()
            raise


def origin() -> dict[str, str]:
    """By what a run that begins now is made."""
    return {
        "version": __version__, "physics": IMPORTED, "numpy": np.__version__, "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }  # fmt: skip


def resume(
    run: Run, *, generations: int | None = None, executor: Any = None, workers: int | None = None,
    timeout: float | None = None, progress: Tell | None = None, anyway: bool = False,
) -> Run:  # fmt: skip
    """Go on with a run that was broken off; see `Run.resume`."""
    path = run.path
    if path is None:
        raise UsageError("this run was in memory only and is complete; give evolve a store to go on later.")
    file = Store(path, "write")
    try:
        asked = file.configuration()
        _refuse_strangers(path, asked, anyway)
        refuse_gaps(file)
        wanted = asked["generations"] if generations is None else checked_count("generations", generations)
        done = len(file.generations())
        if wanted < done:
            raise UsageError(
                f"{path}: {counted(done, 'generation')} are done already; ask for as many or more, not {wanted}."
            )
        if wanted != asked["generations"]:
            file.lengthen(wanted)
        with Farm(executor, workers, timeout) as farm:
            return _work(
                file, run.task, run.breed, run.scheme, farm, run.precision, asked["seed"], wanted, progress
            )
    except BaseException:
        file.close()
        raise


def _work(
    file: Store, task: Task, breed: Breed, scheme: Scheme, farm: Farm, precision: str, seed: int, generations: int,
    progress: Tell | None,
) -> Run:  # fmt: skip
    """The loop, between opening and closing."""
    from zoophyte.evolution.run.run import Run

    if farm.hands.shares_kernels:
        compile_ahead(forms_of_run(scheme.births(0) * generations, task, precision))
    judges = FarmJudges(farm, breed, task, seed, precision=precision, ahead=scheme.delay > 0)
    with Interruption() as interruption:
        work = Work(file, breed, task, scheme, judges, seed, generations, progress, interruption)
        try:
            run_generations(work)
        except (Exception, SystemExit) as failure:
            if isinstance(failure, ZoophyteError) or not own_place(failure):
                raise
            raise OwnCodeError(f"{told(failure).rstrip('.')}.{file.way_on()}") from failure
    if str(file.path) == MEMORY:
        return Run(file, task=task, genome=breed)
    file.close()
    return Run(file.path, task=task, genome=breed)


def _refuse_strangers(path: Path, asked: dict[str, Any], anyway: bool) -> None:
    """A run goes on bit for bit only with the physics that began it."""
    lacking = [
        key for key in ("task", "genome", "seed", "generations", "population", "scheme") if key not in asked
    ]
    if lacking:
        raise FileError(f"{path}: the run was broken off before it began; delete the file and evolve anew.")
    if anyway:
        return
    if asked.get("version") != __version__:
        what = f"Zoophyte {asked.get('version')}, and this is {__version__}"
    elif asked.get("physics") != IMPORTED:
        what = f"another state of the physics of Zoophyte {__version__}"
    else:
        return
    raise UsageError(
        f"{path}: the run was made by {what}: what is added would not be what that one would have given. Say so to go on "
        "all the same: `zoophyte resume --anyway`, or resume(anyway=True)."
    )


def _founders(given: Any, breed: Breed, scheme: Scheme) -> list[bytes]:
    """The genomes of a population that was given, as bytes."""
    if given is None:
        return []
    if isinstance(given, str | Path):
        from zoophyte.evolution.run.populace import read_population

        genomes: Sequence[Any] = read_population(given, breed)
    elif hasattr(given, "survivors"):
        genomes = [one.genome for one in given.survivors()]
    else:
        genomes = [getattr(one, "genome", one) for one in given]
    return founding(genomes, scheme)


def founding(genomes: Sequence[Any], scheme: Scheme) -> list[bytes]:
    """Genomes to begin with, as bytes.

    Raises:
        UsageError: when there are none, or more than are born in the first generation.
    """
    if not genomes:
        raise UsageError("the population to begin with holds no creatures.")
    room = scheme.births(0)
    if len(genomes) > room:
        raise UsageError(
            f"the population to begin with holds {len(genomes)} creatures, and {room} are born in the first generation; "
            "ask for a larger population."
        )
    return [pack(genome.record()) for genome in genomes]


def _plain(value: Any) -> Any:
    """As JSON keeps it."""

    def listed(odd: Any) -> Any:
        if isinstance(odd, np.ndarray | np.generic):
            return odd.tolist()
        raise UsageError(f"a setting is {odd!r}, which cannot be kept with a run; settings are plain values.")

    return json.loads(json.dumps(value, default=listed))
