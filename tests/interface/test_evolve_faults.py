"""What evolution says to faulty tasks, genomes and files of a user's own, and that a run outlives them."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from pathlib import Path

import pytest

import zoophyte as zp
from commands import Run
from toys import Near, Toys
from zoophyte.errors import FileError
from zoophyte.evolution.evaluation.processes import _Child
from zoophyte.evolution.tasks import make_task
from zoophyte.trust import PREFIX

TRUST = ("--trust", "own.py:Judge", "--trust", "toys:Toys")
TOYS = ("--genome", "toys:Toys", "--population", "4", "--workers", "1", "--generations", "2")
OWN = '''
from zoophyte.evolution.protocols import Score


def fine(life):
    return life.path


class Judge:
    """Finds everybody as good as it was told."""

    name, dt, sweeps = "judge", 0.01, 4

    def __init__(self, worth):
        self.worth = worth

    def trials(self, grown, stage, rng):
        return []

    def score(self, grown, trials, lives):
        return Score(WORTH)

    @property
    def nought(self):
        return "nobody was any good"

    def settings(self):
        return {"worth": self.worth}
'''

GROWN = """
from toys import Nudge, Toys


class Grumpy(Toys):
    def operators(self):
        def raising(parents, rng):
            return {}["mood"]

        raising.name, raising.parents, raising.share = "raising", 1, 1.0
        return [raising]
"""


@pytest.fixture
def own() -> Path:
    """A file with a function and a class."""
    path = Path("own.py")
    path.write_text(OWN.replace("WORTH", "self.worth"))
    return path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("own.py:fine", "--set", "secnods=3"), "there is no setting 'secnods'"),
        (
            ("own.py:fine", "--set", "energy=1"),
            "no setting 'energy': what a life is worth is the function's own",
        ),
        (("own.py:fine", "--set", "colour=1"), "sweeps, gravity, gravity_start, noise, lives."),
        (("own.py:Judge",), "missing a required argument: 'worth'. Its settings: worth."),
        (("own.py:Judge", "--set", "wroth=1"), "Its settings: worth."),
        (("walk", "--genome", "none.py:Worms"), "there is no file none.py with a genome in it"),
        (("walk", "--set-genome", "stp=2"), "Its settings: controller, designed"),
        (("walk", "--scheme", "islands", "--set-scheme", "isles=2"), "its settings are islands, every"),
        (("faulty_module:f",), "cannot be imported: SyntaxError"),
        (("..:f",), "cannot be imported"),
    ],
)
def test_a_wrong_place_or_setting_is_told_with_what_there_is(
    run: Run, own: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    Path("faulty_module.py").write_text("def f(life:\n")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    done = run("evolve", *arguments)
    assert done.code == 2 and message in done.err
    assert "Traceback" not in done.err and "went wrong inside" not in done.err


def test_a_class_is_made_from_settings_and_made_again(run: Run, own: Path) -> None:
    done = run("evolve", "own.py:Judge", "--set", "worth=2.5", *TOYS, "--store", "run.db", "--json")
    assert done.code == 0 and done.json["best"]["fitness"] == 2.5
    again = run("resume", "run.db", "--generations", "3", "--workers", "1", "--json", *TRUST)
    assert again.json["first_best"] == 2.5


def test_a_task_of_a_file_is_found_by_other_processes(run: Run, own: Path) -> None:
    """An order is pickled, and a file is no module that another process could import by its name."""
    done = run(
        "evolve", "own.py:Judge", "--set", "worth=2.5", *TOYS, "--store", "run.db", "--executor", "processes", "--json"
    )  # fmt: skip
    assert done.code == 0 and done.json["best"]["fitness"] == 2.5


def test_creatures_that_a_faulty_task_failed_are_judged_anew_once_it_is_mended(run: Run, own: Path) -> None:
    own.write_text(OWN.replace("WORTH", "undefined"))
    told = run("evolve", "own.py:Judge", "--set", "worth=1.5", *TOYS, "--store", "run.db")
    assert (
        told.code == 1 and "own.py, line 21: NameError" in told.err and "zoophyte resume run.db" in told.err
    )
    own.write_text(OWN.replace("WORTH", "self.worth"))
    for name in [name for name in sys.modules if name.startswith(PREFIX)]:
        del sys.modules[name]  # as in a new session
    done = run("resume", "run.db", "--workers", "1", "--json", *TRUST)
    assert done.code == 0 and (done.json["lives"], done.json["best"]["fitness"]) == (48, 1.5)


EXITS = """
import sys


def exits(life):
    sys.exit("enough of this")


def fine(life):
    return life.path


class Leaver:
    name, dt, sweeps = "leaver", 0.01, 4

    def trials(self, grown, stage, rng):
        return []

    def score(self, grown, trials, lives):
        raise SystemExit(4)

    def settings(self):
        return {}
"""


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_a_task_that_exits_is_told_as_a_fault_of_the_users_code(run: Run, executor: str) -> None:
    """The run ended without a word, or was told as workers that "ended with code 0"."""
    Path("own.py").write_text(EXITS)
    told = run("evolve", "own.py:Leaver", *TOYS, "--store", "run.db", "--executor", executor)
    assert told.code == 1 and "own.py, line 20: SystemExit: 4" in told.err
    assert "zoophyte resume run.db --trust own.py:Leaver" in told.err


def test_a_module_or_an_operator_that_exits_is_told(run: Run) -> None:
    Path("own.py").write_text("import sys\nsys.exit(0)\n")
    told = run("evolve", "own.py:fine", *TOYS, "--store", "run.db")
    assert told.code == 2 and "own.py cannot be run: own.py, line 2: SystemExit: 0" in told.err
    Path("grown.py").write_text(GROWN.replace('return {}["mood"]', "raise SystemExit(0)"))
    done = run("evolve", "toys:Near", "--genome", "grown.py:Grumpy", *TOYS[2:], "--store", "run.db")
    assert done.code == 1 and "grown.py, line 8: SystemExit: 0" in done.err


def test_what_a_task_raises_for_some_is_told_at_the_end(run: Run) -> None:
    done = run("evolve", "toys:Moody", *TOYS, "--store", "run.db")
    failed = sum(birth.status == "failed" for birth in zp.Run("run.db").births())
    assert done.code == 0 and failed > 0
    assert f"{failed} of 48 creatures failed, the first with: " in done.err


def test_what_a_genome_raises_is_told_with_its_place(run: Run) -> None:
    """An operator is called by the loop itself, not by a worker who catches what creatures raise."""
    Path("grown.py").write_text(GROWN)
    done = run("evolve", "toys:Near", "--genome", "grown.py:Grumpy", *TOYS[2:], "--store", "run.db")
    assert done.code == 1 and "grown.py, line 8: KeyError: 'mood'" in done.err
    assert "zoophyte resume run.db" in done.err


def test_a_run_without_a_sound_creature_is_told_in_one_line(run: Run, own: Path) -> None:
    done = run("evolve", "own.py:Judge", "--set", "worth=-2", *TOYS, "--store", "run.db")
    assert done.code == 1 and done.err.count("nobody in this run") == 1 and "zoophyte runs report" in done.err


def evolved(path: Path) -> zp.Run:
    return zp.evolve(Near(), genome=Toys(), population=4, generations=2, store=path, workers=1)


def test_the_one_file_holds_all_when_a_run_ends_though_somebody_reads_it(tmp_path: Path) -> None:
    """People copy run.db alone; what still lay in the write-ahead log beside it would be lost."""
    reader = evolved(tmp_path / "run.db")
    assert len(reader) == 48
    longer = zp.Run(tmp_path / "run.db", task=Near(), genome=Toys()).resume(generations=4, workers=1)
    shutil.copy(tmp_path / "run.db", tmp_path / "copy.db")
    assert len(zp.Run(tmp_path / "copy.db")) == len(longer) == 96


def test_a_run_is_read_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database with a write-ahead log wants files beside it, unless SQLite is told that nobody writes."""
    evolved(tmp_path / "run.db").close()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    run = zp.Run(tmp_path / "run.db")
    assert len(run) == 48 and [path.name for path in tmp_path.iterdir()] == ["run.db"]


def test_a_function_that_is_given_again_has_the_settings_of_the_run(tmp_path: Path) -> None:
    """A function of a session cannot be found again; what else was asked is in the file."""
    zp.evolve(
        lambda life: 1.0, population=2, generations=1, store=tmp_path / "run.db", workers=1,
        task_settings={"seconds": 0.1, "dt": 0.01},
    )  # fmt: skip
    again = zp.Run(tmp_path / "run.db", task=lambda life: 1.0).task.settings()
    assert (again["seconds"], again["dt"]) == (0.1, 0.01)


def test_a_run_that_does_not_say_its_task_is_damaged(tmp_path: Path) -> None:
    evolved(tmp_path / "run.db").close()
    base = sqlite3.connect(tmp_path / "run.db")
    base.execute("DELETE FROM run WHERE key = 'task'")
    base.commit()
    base.close()
    with pytest.raises(FileError, match=r"run\.db: damaged: it does not say its task"):
        _ = zp.Run(tmp_path / "run.db").task


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ("DELETE FROM individual WHERE generation = 1", "of generation 1, 24 are missing, the first is 24"),
        ("DELETE FROM individual WHERE number = 30", "of generation 1, 1 is missing, the first is 30"),
        ("DELETE FROM generation WHERE number = 0", "generation 0 is missing, though later ones are there"),
        (
            "UPDATE generation SET survivors = x'ff000000000000000000000000000000'",
            "individual 255, a survivor of generation 0, is missing",
        ),
    ],
)  # fmt: skip
def test_a_run_that_lacks_rows_is_damaged_and_stays_as_it_is(tmp_path: Path, harm: str, words: str) -> None:
    """Resuming it ended in "something went wrong inside (KeyError: 575)"."""
    evolved(tmp_path / "run.db").close()
    base = sqlite3.connect(tmp_path / "run.db")
    base.execute(harm)
    base.commit()
    before = list(base.iterdump())
    run = zp.Run(tmp_path / "run.db", task=Near(), genome=Toys())
    with pytest.raises(FileError, match=rf"run\.db: damaged: .*{words}.* Nothing was changed"):
        run.resume(generations=3, workers=1)
    assert list(base.iterdump()) == before
    base.close()


def test_a_champion_that_achieved_nothing_is_told_in_words(run: Run, own: Path) -> None:
    """A run in which nobody touched the ball ended with a champion, and with no word of that."""
    for worth, told in (("0", True), ("1", False)):
        done = run("evolve", "own.py:Judge", "--set", f"worth={worth}", *TOYS, "--store", f"{worth}.db")
        words = "nobody was any good; more generations or a larger population may"
        assert done.code == 0 and (words in done.out) is told
    assert "ball" in make_task("hit").nought and make_task("hit_moved_ball").nought == make_task("hit").nought


@pytest.mark.skipif(sys.platform == "win32", reason="signals of one process to another are POSIX")
def test_a_worker_that_is_just_starting_does_not_hear_of_an_interruption() -> None:
    """Ctrl-C goes to all processes of a terminal, also to one that still imports what it needs."""
    child = _Child()
    try:
        assert child.process.pid is not None
        os.kill(child.process.pid, signal.SIGINT)
        assert child.ask((abs, (-3,), {}), 60.0) == 3
    finally:
        child.end()


@pytest.mark.parametrize(
    ("word", "name"), [("jump", "jump_up"), ("hit", "hit_ball"), ("hit-moved-ball", "hit_moved_ball")]
)
def test_short_names_of_tasks(word: str, name: str) -> None:
    assert make_task(word).name == name
