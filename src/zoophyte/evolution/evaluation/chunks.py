"""Chunks: some genomes in, their scores out; what any worker anywhere does.

    bytes ─► Genome ─► Grown ─► trials ─► models ─► herds of those who live alike ─► lives ─► scores

No genome harms another: what one raises, wherever it does, becomes its score.  A life has the same bits in any herd, so
scores do not depend on who is in a chunk with whom.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from zoophyte import __version__
from zoophyte.description import Description
from zoophyte.errors import UsageError, brief, told
from zoophyte.evolution.chance import Purpose, generator
from zoophyte.evolution.evaluation.clock import compiling
from zoophyte.evolution.evaluation.tidying import tidied_afterwards
from zoophyte.evolution.precision import DOUBLE, PRECISIONS, WIDTH
from zoophyte.evolution.protocols import Grown, Score, Trial
from zoophyte.evolution.tasks import FAULTY, TASKS, make_task
from zoophyte.evolution.wire import pack, unpack
from zoophyte.model import Model
from zoophyte.model import compile as compile_model
from zoophyte.simulation.habitat import Habitat
from zoophyte.simulation.herd import Herd, Life

FAILED = "failed"
REASON_LENGTH = 300
KEPT = 8
"""Breeds and tasks that a worker keeps ready."""
COURTESY = 1.0
"""Time for which a thread lets another one develop alone, at most [s]."""

OWN_FAULTS = (Exception, SystemExit)
"""What a user's task or genome may raise: `sys.exit` in it ends no worker, and no run in silence."""

Scored = tuple[Score, float]
"""A score, and the seconds of computing that it took."""


@dataclass(frozen=True)
class Order:
    """Genomes that are to be judged, and how; small, and ready to be sent to another machine.

    Args:
        breed: of the genomes: (name, settings), or the breed itself, which must then be one that can be pickled.
        task: likewise.
        stage: from 0 in the first generation to 1 in the last.
        seed: of the run.
        generation: whose chances the trials have; the same for all creatures of it, so that they are compared fairly.
        numbers: of the individuals.
        genomes: their records, packed.
        workers: threads of each herd; as many as there are processors if None.
        precision: of the lives, "double" or "single".
        version: of Zoophyte; another one would not give the same bits.
    """

    breed: Any
    task: Any
    stage: float
    seed: int
    generation: int
    numbers: tuple[int, ...]
    genomes: tuple[bytes, ...]
    workers: int | None = 1
    precision: str = DOUBLE
    version: str = __version__

    def __post_init__(self) -> None:
        if len(self.numbers) != len(self.genomes):
            raise UsageError(f"an order has {len(self.numbers)} numbers for {len(self.genomes)} genomes.")

    def __len__(self) -> int:
        return len(self.numbers)

    def part(self, start: int, stop: int) -> Order:
        """Some of it."""
        return replace(self, numbers=self.numbers[start:stop], genomes=self.genomes[start:stop])

    def split(self, size: int) -> list[Order]:
        """All of it, in parts of at most `size`."""
        return [self.part(start, start + size) for start in range(0, len(self), max(1, size))]


def evaluate(order: Order) -> list[Score]:
    """What each genome of an order is worth, in its order."""
    return [score for score, _ in evaluate_timed(order)]


def evaluate_timed(order: Order) -> list[Scored]:
    """The same, with the seconds that each took.

    Raises:
        UsageError: when the order as a whole makes no sense here; a single genome never raises anything.
    """
    if order.version != __version__:
        raise UsageError(
            f"this worker has Zoophyte {__version__}, the run is of {order.version}; install the same one everywhere."
        )
    with tidied_afterwards():
        return _judged(order, _ready("breed", order.breed), _ready("task", order.task))


def _judged(order: Order, breed: Any, task: Any) -> list[Scored]:
    known: dict[int, tuple[Description, Model]] = {}
    with _turn():
        cases = [_prepared(order, data, breed, task, known) for data in order.genomes]
    for group in _groups(cases):
        _live(group, task, order)
    return [(_score(case, task), case.seconds) for case in cases]


_developing = threading.Lock()


@contextmanager
def _turn() -> Iterator[None]:
    """Develop while no other thread of this process does.

    Python runs in one thread at a time, kernels in all. Threads that develop together come to their kernels together, late,
    and leave processors idle until then; by turns, one develops while the others live. A courtesy, and not a right: a
    genome that never ends developing does not keep others from it.
    """
    mine = _developing.acquire(timeout=COURTESY)
    try:
        yield
    finally:
        if mine:
            _developing.release()


# ------------------------------------------------------------------------------------------------------ one creature


@dataclass(eq=False)
class _Case:
    """One creature on its way from genome to score."""

    grown: Grown | None = None
    trials: list[Trial] = field(default_factory=list)
    models: list[Model] = field(default_factory=list)
    lives: list[Life | None] = field(default_factory=list)
    fault: Score | None = None
    seconds: float = 0.0


def _prepared(
    order: Order, data: bytes, breed: Any, task: Any, known: dict[int, tuple[Description, Model]]
) -> _Case:
    """A creature that can begin to live: developed, with its trials and their models."""
    case = _Case()
    with _Watch(case):
        case.grown = breed.restore(unpack(data)).develop()
        rng = generator(order.seed, order.generation, 0, Purpose.TRIAL)
        case.trials = list(task.trials(case.grown, order.stage, rng))
        case.models = compiled_models(case.trials, known)
        case.lives = [None] * len(case.trials)
    return case


class _Watch:
    """Counts the seconds of a creature, and turns what it raises into a fault."""

    def __init__(self, case: _Case) -> None:
        self.case = case

    def __enter__(self) -> None:
        self.start = time.perf_counter()

    def __exit__(self, kind: Any, failure: BaseException | None, trace: Any) -> bool:
        self.case.seconds += time.perf_counter() - self.start
        if isinstance(failure, OWN_FAULTS):
            self.case.fault = failed(failure)
            return True
        return False


def failed(failure: BaseException | str) -> Score:
    """The score of a genome that could not be judged."""
    if isinstance(failure, BaseException):
        failure = told(failure)
    return Score(FAULTY, FAILED, failure[:REASON_LENGTH])


def compiled_models(trials: Sequence[Trial], known: dict[int, tuple[Description, Model]]) -> list[Model]:
    """One model per trial; those of one description share it.

    Args:
        trials: to be lived.
        known: what has been compiled, by the identity of its description, which is kept with it.
    """
    for trial in trials:
        key = id(trial.description)
        if key not in known:
            known[key] = trial.description, compile_model(trial.description)
    return [known[id(trial.description)][1] for trial in trials]


def _score(case: _Case, task: Any) -> Score:
    if case.fault is not None:
        return case.fault
    with _Watch(case):
        score = task.score(case.grown, case.trials, case.lives)
        if not isinstance(score, Score):
            raise UsageError(f"the task's score is {brief(score)}, must be a Score.")
        fitness = float(score.fitness)
        if not math.isfinite(fitness):
            raise UsageError(f"the task's fitness is {fitness!r}, must be a finite number.")
        return replace(
            score,
            fitness=fitness,
            descriptors={name: float(value) for name, value in score.descriptors.items()},
        )
    assert case.fault is not None
    return case.fault


# ---------------------------------------------------------------------------------------------------- many creatures

Member = tuple[_Case, int]
"""A creature and the number of one of its trials."""


def _groups(cases: Sequence[_Case]) -> Iterator[list[Member]]:
    """Trials that can be lived in one herd."""
    groups: dict[Any, list[Member]] = {}
    for case in cases:
        if case.fault is None:
            for n, trial in enumerate(case.trials):
                groups.setdefault(_terms(trial), []).append((case, n))
    yield from groups.values()


def _terms(trial: Trial) -> Any:
    """What all lives of a herd have in common."""
    return (
        _where(trial.habitat), trial.seconds, trial.settle, trial.stops, trial.guards, trial.sample_every,
        trial.keep,
    )  # fmt: skip


def _where(habitat: Habitat) -> tuple[Any, ...]:
    """A habitat by value; surfaces can be edited and so have no hash, but what they hold has."""
    return tuple(
        value if value.__hash__ else (type(value), *vars(value).values()) for value in vars(habitat).values()
    )


def _live(group: list[Member], task: Any, order: Order) -> None:
    """Let a group live; if something is raised, by halves, until it is known whose fault that is."""
    start = time.perf_counter()
    first = group[0][0].trials[group[0][1]]
    try:
        herd = Herd(
            [case.models[n] for case, n in group], first.habitat, [case.trials[n].controller for case, n in group],
            dt=task.dt, sweeps=task.sweeps, workers=order.workers, dtype=PRECISIONS[order.precision], width=WIDTH,
        )  # fmt: skip
        before = time.perf_counter()
        with compiling():  # mostly done when the run began
            herd.compile_ahead(math.ceil(first.seconds / task.dt))
        start += time.perf_counter() - before  # what is compiled is compiled for all
        lives = herd.simulate(
            first.seconds, settle=first.settle, stops=first.stops, guards=first.guards,
            sample_every=first.sample_every, keep_final=_needs_final(task), keep=first.keep,
        )  # fmt: skip
    except OWN_FAULTS as failure:
        if len(group) == 1:
            group[0][0].fault = failed(failure)
            return
        middle = len(group) // 2
        _live(group[:middle], task, order)
        _live(group[middle:], task, order)
        return
    share = (time.perf_counter() - start) / len(group)
    for (case, n), life in zip(group, lives, strict=True):
        case.lives[n] = life
        case.seconds += share


def _needs_final(task: Any) -> bool:
    """Whether a task may look at the last states of lives: one of ours says so, any other may."""
    known = TASKS.get(getattr(task, "name", ""))
    return type(task) is not known or known.needs_final


# -------------------------------------------------------------------------------------------------- breeds and tasks

_kept: OrderedDict[tuple[str, str, bytes], Any] = OrderedDict()


def _ready(kind: str, given: Any) -> Any:
    """The breed or task itself; one that is named is made once and kept."""
    if not (isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str)):
        return given
    name, settings = given
    key = (kind, name, pack(dict(settings)))
    found = _kept.get(key)
    if found is None:
        found = make_task(name, **settings) if kind == "task" else _breed(name, settings)
        _kept[key] = found
        if len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found


def _breed(name: str, settings: dict[str, Any]) -> Any:
    from zoophyte.evolution.registry import breed  # which knows all breeds, and so comes late

    return breed(name, **settings)
