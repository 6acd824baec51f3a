"""Runs: what is asked, what is kept, who is found, and what goes wrong."""

from __future__ import annotations

import csv
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import zoophyte as zp
from toys import Blind, Broken, Harder, Impatient, Moody, Near, Toys
from zoophyte.errors import FileError, OwnCodeError, UsageError
from zoophyte.evolution.registry import breed, task
from zoophyte.evolution.report.comparing import conditions_of
from zoophyte.evolution.report.facts import GALLERY, Facts, audited
from zoophyte.evolution.report.page import report_page
from zoophyte.evolution.run import Progress
from zoophyte.evolution.run.populace import read_population, write_population
from zoophyte.evolution.run.store import Store
from zoophyte.evolution.selection import Proportional


def evolved(store: Path | None = None, **options: Any) -> zp.Run:
    asked = {"genome": Toys(), "population": 4, "generations": 4, "seed": 2, "workers": 1, **options}
    return zp.evolve(asked.pop("task", Near()), store=store, **asked)


def test_everyone_is_kept_with_parents_and_scores() -> None:
    run = evolved()
    assert len(run) == 4 * 24
    assert [row.number for row in run.births()] == list(range(96))
    for one in map(run.individual, range(96)):
        assert one.generation == one.number // 24
        expected = {"random": 0, "nudge": 1, "mix": 2}[one.operator]
        assert len(one.parents) == expected and all(parent < one.number for parent in one.parents)
        assert one.score == Near().score(one.develop(), [], [])


def test_history_is_what_the_creatures_were() -> None:
    """Oracle: NumPy over all creatures of a generation."""
    run = evolved(task=Moody())
    for row in run.history():
        fitness = np.array([birth.fitness for birth in run.births() if birth.generation == row.number])
        good = fitness[fitness >= 0.0]
        assert (row.best, row.lives, row.failed) == (fitness.max(), 24, 24 - len(good))
        assert (row.mean, row.median) == (pytest.approx(good.mean()), np.median(good))
        assert 0.0 < row.diversity < 1.0


def test_the_best_are_the_best_and_all_different() -> None:
    run = evolved(selection="proportional", generations=12)  # which copies its best again and again
    best = run.best(10)
    fitness = [birth.fitness for birth in run.births()]
    assert best[0].fitness == run.best().fitness == max(fitness)
    assert [one.fitness for one in best] == sorted((one.fitness for one in best), reverse=True)
    assert len({one.genome.values.tobytes() for one in best}) == 10
    assert sum(birth.operator == "copy" for birth in run.births()) == 11


def test_the_best_are_different_lives_too() -> None:
    """Genes that grow into nothing make other genomes of the same creature: those who lived to the same bits count once."""
    run = evolved(task=Blind(), generations=12)
    lives = [(one.fitness, one.score.descriptors) for one in run.best(10) if one.score is not None]
    assert len({one.genome.values.tobytes() for one in run.best(10)}) == len(lives) == 10
    assert all(lives.count(life) == 1 for life in lives)
    everyone = [(birth.fitness, birth.descriptors) for birth in run.births()]
    assert max(everyone.count(life) for life in lives) > 1


def test_elitism_never_loses_the_best() -> None:
    """FON-E12: where the task is constant and without noise, the best fitness never falls."""
    for selection in ("proportional", "tournament"):
        best = [row.best for row in evolved(selection=selection, generations=15, population=12).history()]
        assert best == sorted(best) and best[-1] > best[0]


def test_lineage_holds_all_ancestors_and_nobody_else() -> None:
    run = evolved()
    last = run.individual(95)
    found = {one.number for one in run.lineage(95)}
    wanted, waiting = set(), [95]
    while waiting:
        number = waiting.pop()
        wanted.add(number)
        waiting += [parent for parent in run.individual(number).parents if parent not in wanted]
    assert found == wanted and set(last.parents) < found


def test_a_run_in_a_file_is_the_run_in_memory(tmp_path: Path) -> None:
    here, there = evolved(), evolved(tmp_path / "run.db")
    assert here.births() == [
        type(birth)(**{**vars(birth), "seconds": other.seconds})
        for birth, other in zip(there.births(), here.births(), strict=True)
    ]
    again = zp.Run(tmp_path / "run.db", genome=Toys(), task=Near())
    assert again.configuration["seed"] == 2 and again.configuration["version"] == zp.__version__
    assert again.is_complete and repr(again).endswith("run.db: 4 generations, 96 creatures)")


def test_another_seed_is_another_run() -> None:
    assert evolved(seed=3).best().fitness != evolved(seed=4).best().fitness


def test_tables(tmp_path: Path) -> None:
    run = evolved()
    run.to_csv(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["fitness"]) for row in rows] == [birth.fitness for birth in run.births()]
    assert [float(row["first"]) for row in rows] == [birth.descriptors["first"] for birth in run.births()]
    parquet = pytest.importorskip("pyarrow.parquet")
    run.to_parquet(tmp_path / "run.parquet")
    table = parquet.read_table(tmp_path / "run.parquet").to_pydict()
    assert table["fitness"] == [birth.fitness for birth in run.births()]


def test_progress_is_told() -> None:
    told: list[Progress] = []
    run = evolved(progress=told.append)
    ended = [now for now in told if now.ended]
    assert [now.generation for now in ended] == [0, 1, 2, 3]
    assert ended[-1].best == run.best().fitness and ended[-1].lives == 96
    assert all(now.done <= now.births == 24 for now in told)


# ------------------------------------------------------------------------------------------------------- failures


def test_a_task_that_raises_or_returns_nan_is_noted_and_the_run_goes_on() -> None:
    run = evolved(task=Moody(), population=8)
    births = run.births()
    raised = [birth for birth in births if "a moody task" in birth.reason]
    no_number = [birth for birth in births if "nan" in birth.reason]
    assert raised and no_number
    assert {(birth.fitness, birth.status) for birth in raised + no_number} == {(-1.0, "failed")}
    faulty = {birth.number for birth in births if birth.fitness < 0.0}
    assert not faulty & {parent for birth in births for parent in birth.parents}


def test_if_all_fail_at_once_the_run_stops_with_the_reason(tmp_path: Path) -> None:
    failed = r"every creature of the first generation failed, .* toys\.py, line \d+: .*nothing works"
    with pytest.raises(
        OwnCodeError,
        match=failed
        + r"\. Mend it, then go on with: zoophyte resume .*run\.db --trust toys:Broken --trust toys:Toys$",
    ):
        evolved(tmp_path / "run.db", task=Broken())
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]  # no lock is left


@pytest.fixture
def heeds_ctrl_c() -> Iterator[None]:
    """As in a foreground process: one in the background of a shell, and its children, ignore SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_ctrl_c_saves_the_chunk_and_the_run_goes_on_later(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with pytest.raises(KeyboardInterrupt):
        evolved(path, task=Impatient(), generations=10)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    broken = zp.Run(path, genome=Toys(), task=Near())
    assert 24 <= len(broken) < 240 and not broken.is_complete
    assert broken.births()[-1].fitness >= 0.0
    done = broken.resume(workers=1)
    assert done.is_complete
    assert done.best().fitness == evolved(generations=10).best().fitness


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"task": "wlak"}, "Did you mean 'walk'"),
        ({"genome": "limbd"}, "there is no genome 'limbd'.*Did you mean 'limbed'"),
        ({"genome": 3}, "genome is 3, which lacks name, random"),
        ({"population": 1}, "population is 1"),
        ({"generations": 0}, "generations is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": "one"}, "seed is 'one'"),
        ({"selection": "comm"}, "Did you mean 'comma'"),
        ({"scheme": "generation"}, "Did you mean 'generational'"),
        ({"workers": 0}, "workers is 0"),
        ({"from_": []}, "holds no creatures"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_written(
    tmp_path: Path, options: dict[str, Any], what: str
) -> None:
    with pytest.raises(UsageError, match=what):
        evolved(tmp_path / "run.db", **options)
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------------------------------- going on, passing on


def test_a_complete_run_can_be_made_longer(tmp_path: Path) -> None:
    run = evolved(tmp_path / "run.db").resume(generations=6, workers=1)
    assert len(run.history()) == 6 and run.configuration["generations"] == 6
    with pytest.raises(UsageError, match="6 generations are done already; ask for as many or more, not 3"):
        run.resume(generations=3)


@dataclass(frozen=True)
class Staged(Near):
    """Keeps the stage of every trial."""

    seen: list[float] = field(default_factory=list)

    def trials(self, grown: Any, stage: float, rng: np.random.Generator) -> list[Any]:
        self.seen.append(stage)
        return []


def test_stages_go_from_0_to_1_and_are_remembered_when_a_run_grows(tmp_path: Path) -> None:
    task = Staged()
    run = evolved(tmp_path / "run.db", task=task)
    assert sorted(set(task.seen)) == [0.0, 1 / 3, 2 / 3, 1.0]
    longer = run.resume(generations=7, workers=1)
    task.seen.clear()
    for number in (30, 80, 24 * 4 + 1):
        longer.trials(longer.individual(number))
    assert task.seen == [1 / 3, 1.0, 4 / 6]


def broken_off(path: Path, task: Any, generation: int, judged: int) -> zp.Run:
    """A run of four generations as a kill leaves it: with some judged of the generation that it was at."""
    evolved(path, task=task, selection="proportional", population=12).close()
    store = Store(path, "write")
    store.query("DELETE FROM generation WHERE number >= ?", (generation,))
    store.query("DELETE FROM individual WHERE number >= ?", (12 * generation + judged,))
    store.close()
    return zp.Run(path, task=task, genome=Toys())


def test_who_was_judged_by_another_plan_lives_again_when_a_run_grows(tmp_path: Path) -> None:
    """They stayed, bred and judged by the stage of the shorter plan, and the file said that they had the longer one's.

    Oracle: the same run, broken off before anybody of that generation was judged.
    """
    task = Staged()
    run = broken_off(tmp_path / "some.db", task, 2, 7)
    task.seen.clear()
    some = run.resume(generations=7, workers=1)
    assert [task.seen.count(g / 6) for g in range(7)] == [0, 0, *[12] * 5]
    none = broken_off(tmp_path / "none.db", task, 2, 0).resume(generations=7, workers=1)
    for mine, its in zip(some.births(), none.births(), strict=True):
        assert (mine.parents, mine.operator, mine.fitness) == (its.parents, its.operator, its.fitness)
    assert [closed.seeds[2] for closed in some.store.generations()] == [
        0.0,
        1 / 3,
        *[g / 6 for g in range(2, 7)],
    ]


def test_the_same_plan_keeps_who_was_judged(tmp_path: Path) -> None:
    task = Staged()
    run = broken_off(tmp_path / "run.db", task, 2, 7)
    task.seen.clear()
    run.resume(workers=1)
    assert sorted(task.seen) == [2 / 3] * 5 + [1.0] * 12


def test_a_champion_is_audited_at_the_stage_of_its_generation(tmp_path: Path) -> None:
    """The stage followed from the new number of generations, once a run had become longer."""
    task = Staged()
    longer = evolved(tmp_path / "run.db", task=task).resume(generations=7, workers=1)
    for number, stage in ((30, 1 / 3), (80, 1.0), (24 * 4 + 1, 4 / 6)):
        task.seen.clear()
        audited(longer, [number])
        assert task.seen == [stage]


def test_the_best_of_a_task_that_changes_is_the_best_of_the_last_generation(tmp_path: Path) -> None:
    """FON-77. Who had the easy task of the first generation was the champion, before all who came after."""
    told: list[Progress] = []
    run = evolved(tmp_path / "run.db", task=Harder(), generations=5, progress=told.append)
    last = [row for row in run.births() if row.generation == 4]
    assert run.configuration["changes"] is True
    assert run.best().generation == 4 and run.best().fitness == max(row.fitness for row in last)
    assert max(row.fitness for row in run.births()) > 5.0 * run.best().fitness
    assert {one.generation for one in run.best(10)} == {4}
    assert [now.best for now in told if now.ended] == [row.best for row in run.history()]
    facts = Facts("run", run)
    assert [birth.number for birth in facts.best] == [one.number for one in run.best(GALLERY)]
    page = report_page([run], lives=None, audits=None)
    assert (
        "The task changed over the generations" in page
        and "against the best of the first generation" not in page
    )
    (group,) = conditions_of([run.configuration], [run.history()])
    assert group.finals.tolist() == [run.best().fitness]
    assert "changes" not in group.label


def test_the_best_of_a_task_that_changes_is_looked_for_in_what_is_complete(tmp_path: Path) -> None:
    run = evolved(tmp_path / "run.db", task=Harder(), generations=5)
    path = run.path
    run.close()
    store = Store(path or "", "write")
    store.query("DELETE FROM generation WHERE number >= 3")
    store.query("DELETE FROM individual WHERE number >= 24 * 3 + 7")
    store.close()
    assert zp.Run(path or "", genome=Toys()).best().generation == 2


def test_a_task_that_stays_the_same_has_the_best_of_all_its_generations() -> None:
    run = evolved(task=Moody())
    assert run.configuration["changes"] is False
    assert run.best().fitness == max(row.fitness for row in run.births())


@pytest.mark.parametrize("scheme", ["lattice", "steady", "elites", "novelty"])
def test_who_is_kept_by_an_earlier_task_is_refused(scheme: str, tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=rf"scheme '{scheme}' keeps creatures.*'harder' changes.*near and far.*islands"
    ):
        evolved(tmp_path / "run.db", task=Harder(), scheme=scheme)
    assert not (tmp_path / "run.db").exists()
    assert evolved(scheme=scheme, generations=2).is_complete


def test_the_success_rule_is_refused_where_children_have_another_task_than_parents(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the success rule compares children"):
        evolved(tmp_path / "run.db", task=Harder(), scheme_settings={"success_rule": True})


@pytest.mark.parametrize("scheme", ["generational", "islands"])
def test_all_who_are_compared_had_the_same_task(scheme: str) -> None:
    """Elites are born again and judged anew, and who migrates was judged in this generation."""
    run = evolved(task=Harder(), scheme=scheme, population=8, selection="tournament", generations=6)
    for closed in run.store.generations():
        assert {run.row(number).generation for number, _ in closed.survivors} == {closed.number}


class Heard(Proportional):
    """Notes the stages at which parents are drawn."""

    stages: ClassVar[list[float]] = []

    def weights(self, fitness: Any, stage: float) -> Any:
        self.stages.append(stage)
        return super().weights(fitness, stage)


@pytest.mark.parametrize(
    ("generations", "stages"), [(2, [0.0]), (3, [0.0, 1.0]), (5, [0.0, 1 / 3, 2 / 3, 1.0])]
)
def test_selection_begins_with_all_of_its_offset_and_ends_without(
    generations: int, stages: list[float]
) -> None:
    """FON-69: s is 0.5 when the first generation is selected from; it used to be 0.375 there, of five generations."""
    Heard.stages.clear()
    evolved(generations=generations, selection=Heard())
    assert list(dict.fromkeys(Heard.stages)) == stages


@pytest.mark.parametrize(
    ("key", "what"), [("version", "Zoophyte 0.0.1, and this is"), ("physics", "another state of")]
)
def test_a_run_of_another_version_goes_on_only_if_that_is_wanted(tmp_path: Path, key: str, what: str) -> None:
    path = tmp_path / "run.db"
    evolved(path)
    store = Store(path, "write")
    store.configure(**{key: "0.0.1"})
    store.close()
    run = zp.Run(path, genome=Toys(), task=Near())
    assert len(run.history()) == 4  # reading is always allowed
    with pytest.raises(UsageError, match=what):
        run.resume(generations=5, workers=1)
    assert len(run.resume(generations=5, workers=1, anyway=True).history()) == 5


def test_tasks_and_breeds_of_ones_own_are_found_again(tmp_path: Path) -> None:
    run = evolved(tmp_path / "run.db", task=Near(0.0), genome=Toys(0.07))
    trust = ["toys:Near", "toys:Toys"]
    again = zp.Run(run.path, trust=trust)  # by module and name, with the settings that were kept
    assert again.breed == Toys(0.07) and again.task == Near(0.0)
    given = zp.Run(
        run.path, task="toys:Near", genome="toys:Toys"
    )  # where they are is as good as a word of trust
    assert given.breed == Toys(0.07) and given.task == Near(0.0)
    store = Store(run.path, "write")
    store.configure(task={**again.configuration["task"], "place": "nowhere:Near"})
    store.close()
    with pytest.raises(UsageError, match="give it again"):
        _ = zp.Run(run.path, trust="nowhere:Near").task


def test_a_population_in_a_file_begins_another_run(tmp_path: Path) -> None:
    run, path = evolved(), tmp_path / "pop.yaml"
    best = run.best(3)
    assert write_population(path, Toys(), [(one, "here") for one in best]) == 3
    genomes = read_population(path, Toys())
    assert [one.values.tolist() for one in genomes] == [one.genome.values.tolist() for one in best]
    for source in (path, genomes, best):
        births = evolved(from_=source).births()
        assert [birth.operator for birth in births[:3]] == ["given"] * 3
        assert {birth.operator for birth in births[3:24]} == {"nudge", "mix"}
        assert {parent for birth in births[3:24] for parent in birth.parents} == {0, 1, 2}
        assert births[0].fitness == best[0].fitness and births[0].parents == ()
    with pytest.raises(UsageError, match="holds 96 creatures, and 24 are born"):
        evolved(from_=[run.individual(n) for n in range(96)])


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("zoophyte: herd\n", "no population"),
        ("zoophyte: population\nversion: 7\n", "version 7 of populations"),
        ("zoophyte: population\nversion: 1\ncreatures: 3\n", "must hold a genome"),
        ("a: [1\n", "cannot be read as YAML"),
        ("zoophyte: population\nversion: 1\ngenome: {name: graph}\ncreatures: []\n", "of the kind 'graph', and 'toys'"),
        ("zoophyte: population\nversion: 1\ngenome: {name: toys}\ncreatures: [{genome: '?'}]\n", "no base 64"),
        ("zoophyte: population\nversion: 1\ngenome: {name: toys}\ncreatures: [{genome: aaaa}]\n", "creature 0: cut short"),
        ("zoophyte: population\nversion: 1\ngenome: {name: toys}\ncreatures: [7]\n", "creature 0: cut short"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_population_is_refused(tmp_path: Path, content: str, what: str) -> None:
    path = tmp_path / "pop.yaml"
    path.write_text(content)
    with pytest.raises(FileError, match=what):
        read_population(path, Toys())


def test_breeds_and_tasks_by_place() -> None:
    assert breed("toys:Toys", step=0.5) == Toys(0.5)
    assert isinstance(task("toys:Near"), Near)
    with pytest.raises(UsageError, match="cannot be made with"):
        breed("toys:Toys", stride=1)
    with pytest.raises(UsageError, match="is an object already"):
        breed(Toys(), step=1)


def test_a_run_in_memory_cannot_go_on() -> None:
    with pytest.raises(UsageError, match="in memory only"):
        evolved().resume()
