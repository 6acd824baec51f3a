"""Runs that were damaged, or made to do damage: every reading ends well, or in an error that a person understands."""

from __future__ import annotations

import random
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from fuzz.mutate_rows import harm
from toys import SIZE, Near, ToyGenome, Toys
from zoophyte.description import Body, Box, Description, Joint, Servo
from zoophyte.errors import FileError, ZoophyteError, shown
from zoophyte.evolution.evaluation import evaluate_timed
from zoophyte.evolution.populations import SCHEMES
from zoophyte.evolution.protocols import Grown, Score
from zoophyte.evolution.registry import described
from zoophyte.evolution.report import write_report
from zoophyte.evolution.run.populace import read_population, write_population
from zoophyte.evolution.run.store import Store
from zoophyte.evolution.tasks import TASKS

FEW, MANY = 100, 2000
SECONDS = 10
"""That one file may take; it takes a hundredth of that."""
MEMORY = 2**30
"""That all of them together may take [bytes]."""
SMALL = 64
"""Population, at most, of runs that are gone on with."""


class Bodies:
    """Worth how many bodies it has; nobody lives, so no physics is compiled."""

    name, dt, sweeps = "bodies", 0.01, 4

    def trials(self, grown: Grown, stage: float, rng: Any) -> list[Any]:
        return []

    def score(self, grown: Grown, trials: Any, lives: Any) -> Score:
        count = len(grown.description.bodies)
        return Score(float(count), descriptors={"bodies": float(count), "half": 0.5 * count})

    def settings(self) -> dict[str, Any]:
        return {}


class Careful(Toys):
    """Toys that refuse what is no genome of theirs, as a breed should."""

    def restore(self, record: dict[str, Any]) -> ToyGenome:
        found: ToyGenome = super().restore(record)
        values = found.values
        if not (isinstance(values, np.ndarray) and values.dtype == float and values.shape == (SIZE,)):
            raise FileError("a toy has four numbers.")
        if not np.all(np.abs(values) < 1e6):
            raise FileError("a toy has numbers of moderate size.")
        return found


LEG = Description(
    name="leg",
    bodies=[
        Body(name="hip", joint=Joint(kind="free"), shapes=[Box(size=(0.2, 0.2, 0.1))]),
        Body(
            name="shin", parent="hip", shapes=[Box(size=(0.05, 0.05, 0.3))],
            joint=Joint(kind="hinge", axis=(0.0, 1.0, 0.0), actuator=Servo(stiffness=20.0)),
        ),
    ],
)  # fmt: skip
BREEDS: dict[str, dict[str, Any]] = {
    "limbed": {"genome": "limbed"},
    "limbed neurons": {"genome": "limbed", "controller": "neurons"},
    "graph": {"genome": "graph"},
    "tune": {"genome": "tune", "genome_settings": {"body": LEG}},
}


@dataclass(frozen=True)
class Whole:
    """A run that nobody has harmed yet.

    Args:
        path: of it.
        given: its task and its breed, where the file alone does not say them.
    """

    path: Path
    given: dict[str, Any]


@pytest.fixture(scope="module")
def wholes(tmp_path_factory: pytest.TempPathFactory) -> list[Whole]:
    """Runs of every breed that comes along, whose task is one that comes along; runs of toys by every scheme."""
    folder = tmp_path_factory.mktemp("whole")
    found = []
    for number, (name, asked) in enumerate(BREEDS.items()):
        path = folder / f"{number}.db"
        zp.evolve(Bodies(), population=2, generations=2, seed=3, store=path, workers=1, **asked).close()
        kind = list(TASKS.values())[number]
        store = Store(path, "write")
        store.configure(task=described(kind.from_settings({}), name), changes=False)
        store.close()
        found += [Whole(path, {}), Whole(path, {"task": Bodies()})]
    for name in SCHEMES:
        path = folder / f"{name}.db"
        population = 9 if name == "lattice" else 8
        founders = [Careful().random(np.random.default_rng(n)) for n in range(2)]
        zp.evolve(
            Near(), genome=Careful(), population=population, generations=3, seed=3, store=path, workers=1, scheme=name,
            from_=founders,
        ).close()  # fmt: skip
        found.append(Whole(path, {"task": Near(), "genome": Careful()}))
    return found


class TooLongError(BaseException):
    """A reader that does not come to an end."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise where a reader hangs."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TooLongError(f"more than {seconds} s")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def peak() -> int:
    """Bytes that this process has had at once, at most; 0 where nobody counts."""
    if sys.platform == "win32":
        return 0
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def read(path: Path, given: dict[str, Any], folder: Path) -> None:
    """Everything that the verbs read of a run, each by itself: one that fails keeps no other from its own."""
    failures = []

    def tried(work: Any) -> Any:
        try:
            return work()
        except ZoophyteError as failure:
            assert str(failure) and "Traceback" not in str(failure)
            shown(failure)
            failures.append(failure)
            return None

    run = tried(lambda: zp.Run(path, **given))
    if run is None:
        return
    for work in (
        lambda: repr(run), lambda: run.configuration, run.history, run.births, lambda: run.best(3), run.survivors,
        lambda: run.lineage(len(run) - 1), lambda: run.scheme, lambda: run.task, lambda: run.precision, lambda: run.stage(1),
        lambda: run.is_complete, lambda: run.foreign, run.refuse_untrusted, run.store.given, run.store.resume_line,
        lambda: run.to_csv(folder / "table.csv"), lambda: write_report([run], folder / "a.html", lives=None, audits=None),
        lambda: write_report([run, run], folder / "b.html", lives=None, audits=None),
        lambda: read_population(path, run.breed), lambda: TASKS and run.trials(run.best()),
        lambda: write_population(folder / "pop.yaml", run.breed, [(one, "here") for one in run.best(2)]),
    ):  # fmt: skip
        tried(work)
    run.close()
    tried(lambda: gone_on(path, given))


def gone_on(path: Path, given: dict[str, Any]) -> None:
    """A generation more, where that costs little."""
    run = zp.Run(path, **given)
    if given and run.configuration["population"] <= SMALL and run.scheme.births(0) <= 6 * SMALL:
        run.resume(generations=run.generation_count + 1, workers=1, anyway=True)


def fuzz(wholes: Sequence[Whole], folder: Path, seeds: Sequence[int]) -> None:
    """Harm one of the runs by each seed, and read it."""
    assert evaluate_timed  # what resume needs is loaded before the first clock runs
    path, before, wrong = folder / "harmed.db", peak(), []
    for seed in seeds:
        chance = random.Random(seed)
        whole = chance.choice(wholes)
        harm(whole.path, path, chance)
        try:
            with limited(SECONDS):
                read(path, whole.given, folder)
        except (Exception, TooLongError) as failure:
            wrong.append(
                f"seed {seed} ({whole.path.name}): {''.join(traceback.format_exception(failure)[-4:])}"
            )
        assert peak() - before < MEMORY, f"seed {seed}: more than {MEMORY} bytes"
    assert not wrong, f"{len(wrong)} of {len(seeds)}:\n" + "\n".join(wrong[:20])


def test_a_hundred_harmed_runs_end_in_results_or_in_our_errors(wholes: list[Whole], tmp_path: Path) -> None:
    """34 of 1043 harmed runs ended in "something went wrong inside"."""
    fuzz(wholes, tmp_path, range(FEW))


@pytest.mark.slow
def test_harmed_runs_end_in_results_or_in_our_errors(wholes: list[Whole], tmp_path: Path) -> None:
    fuzz(wholes, tmp_path, range(1000, 1000 + MANY))
