"""Files from strangers: what a file names is not imported, what it says is not obeyed, what it holds is no formula."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from commands import Run
from toys import Near, Toys
from zoophyte.errors import FileError, UntrustedError, UsageError, shown
from zoophyte.evolution.protocols import Grown, Score
from zoophyte.evolution.run.populace import read_population
from zoophyte.simulation.exporters import harmless
from zoophyte.trust import checked_trust, trusted

SHELL = {"name": "mine", "place": "subprocess:Popen", "settings": {"args": "touch PWNED", "shell": True}}
"""What a stranger's file asked for, and was given."""
EVIL = "from pathlib import Path\nPath('PWNED').touch()\n\n\ndef fitness(life):\n    return 1.0\n"
READERS = {
    "replay": ("replay", "run.db", "--out", "page.html"),
    "export a life": ("export", "run.db", "life.npz"),
    "export a body": ("export", "run.db", "body.xml"),
    "export a population": ("export", "run.db", "pop.yaml", "--best", "1"),
    "report": ("runs", "report", "run.db", "-o", "report.html"),
    "report without lives": ("runs", "report", "run.db", "-o", "report.html", "--no-replays", "--no-audit"),
    "resume": ("resume", "run.db", "--generations", "3", "--workers", "1"),
    "merge": ("runs", "merge", "run.db", "-o", "more.db"),
    "pick": ("runs", "pick", "run.db"),
    "list": ("runs", "list", "run.db"),
    "table": ("export", "run.db", "table.csv"),
    "begin with it": ("evolve", "walk", "--from", "run.db", "--generations", "1", "--store", "new.db"),
}
GENOME_ONLY = ("export a population", "merge")
"""These need no task."""
NEITHER = ("report without lives", "list", "table", "begin with it")


class Judge:
    """Finds everybody as good as the next; nobody lives, so no physics is compiled."""

    name, dt, sweeps = "judge", 0.01, 4

    def trials(self, grown: Grown, stage: float, rng: Any) -> list[Any]:
        return []

    def score(self, grown: Grown, trials: Any, lives: Any) -> Score:
        return Score(1.0)

    def settings(self) -> dict[str, Any]:
        return {}


@pytest.fixture
def stranger(run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run, and a module that leaves a trace when it is imported."""
    Path("evil.py").write_text(EVIL)
    monkeypatch.syspath_prepend(str(Path.cwd()))
    zp.evolve(Judge(), population=2, generations=1, store="run.db", workers=1).close()
    ask(Path("run.db"), task={"name": "walk", "place": "?", "settings": {}})
    return Path("run.db")


def ask(path: Path, **values: Any) -> None:
    """Write into the table `run` of a file."""
    base = sqlite3.connect(path)
    with base:
        for key, value in values.items():
            base.execute("UPDATE run SET value = ? WHERE key = ?", (json.dumps(value), key))
    base.close()


def own(place: str, name: str = "own") -> dict[str, Any]:
    return {"name": name, "place": place, "settings": {"place": place}}


@pytest.mark.parametrize("key", ["task", "genome"])
@pytest.mark.parametrize(
    "asked",
    [SHELL, own("evil.py:fitness"), own("evil:fitness"), own("evil:fitness", "mine"), own("evil:fitness", "walk:x")],
    ids=["shell", "own file", "own module", "mine", "name with a colon"],
)  # fmt: skip
def test_a_strangers_run_runs_no_code(run: Run, stranger: Path, key: str, asked: dict[str, Any]) -> None:
    """`replay`, `export`, `runs report` and `resume` imported what the file named, and called it with its settings."""
    ask(stranger, **{key: asked})
    for reader, command in READERS.items():
        done = run(*command)
        assert not Path("PWNED").exists(), reader
        assert "went wrong inside" not in done.err, reader
        if reader not in NEITHER and (key == "genome" or reader not in GENOME_ONLY):
            place = asked["settings"].get("place") or asked["place"]
            assert done.code == 1 and "outside of Zoophyte" in done.err, reader
            assert f"zoophyte {' '.join(command)} --trust {place}" in done.err.splitlines()[-1], reader
        elif reader == "begin with it" and key == "genome":
            assert done.code == 1 and "holds genomes of the kind" in done.err
        else:
            assert "outside of Zoophyte" not in done.err, reader


@pytest.mark.parametrize(("key", "part"), [("task", "trials, score"), ("genome", "random, restore")])
def test_what_is_trusted_must_be_what_it_is_taken_for(stranger: Path, key: str, part: str) -> None:
    """Somebody may trust a module of which the file then calls something else, with settings of its own."""
    ask(stranger, **{key: SHELL})
    run = zp.Run(stranger, trust="subprocess:Popen")
    with pytest.raises(UsageError, match=f"is no {key}: it lacks {part}"):
        _ = run.task if key == "task" else run.breed
    assert not Path("PWNED").exists()


def test_all_that_must_be_trusted_is_told_at_once(run: Run, stranger: Path) -> None:
    ask(stranger, task=own("evil.py:fitness"), genome=own("evil:Worms", "worms"))
    done = run("replay", "run.db")
    assert done.code == 1
    assert done.err.endswith("zoophyte replay run.db --trust evil.py:fitness --trust evil:Worms\n"), done.err
    with pytest.raises(UntrustedError) as refused:
        zp.Run(stranger).refuse_untrusted()
    assert refused.value.places == ("evil.py:fitness", "evil:Worms") and isinstance(refused.value, FileError)


def test_ones_own_function_goes_on_with_a_word_of_trust(run: Run) -> None:
    """The way that every user of a task of his own goes: evolve, then resume with the line that the refusal tells."""
    Path("mine.py").write_text("def fitness(life):\n    return life.path\n")
    asked = (
        "--population",
        "2",
        "--generations",
        "1",
        "--seconds",
        "0.1",
        "--workers",
        "1",
        "--store",
        "run.db",
    )
    assert run("evolve", "mine.py:fitness", *asked, "--set", "dt=0.01").code == 0
    refused = run("resume", "run.db", "--generations", "2", "--workers", "1")
    assert refused.code == 1 and not zp.Run("run.db").generation_count > 1
    line = refused.err.splitlines()[-1].partition("zoophyte ")[2].split()
    assert line[-2:] == ["--trust", "mine.py:fitness"]
    assert run(*line).code == 0 and zp.Run("run.db").generation_count == 2
    given = zp.Run("run.db", task="mine.py:fitness").task.settings()
    assert given["dt"] == 0.01 and given == zp.Run("run.db", trust=["mine.py:fitness"]).task.settings()


def test_the_users_path_counts_and_not_the_files(stranger: Path) -> None:
    """A file says where its maker's code lay; whoever trusts a file of the same name elsewhere has that one imported."""
    ask(stranger, task=own(f"{Path.cwd()}/evil.py:fitness"))
    Path("good").mkdir()
    Path("good/evil.py").write_text("def fitness(life):\n    return 2.0\n")
    task = zp.Run(stranger, trust=["good/evil.py:fitness"]).task
    assert not Path("PWNED").exists() and task.function(None) == 2.0  # type: ignore[attr-defined]
    assert trusted("evil.py:fitness", ["evil.py:other", "evil:fitness"]) is None


@pytest.mark.parametrize("given", [True, 3, "own.py", [":x"], [None], b"own.py:f"])
def test_trust_names_what_it_trusts(given: Any) -> None:
    with pytest.raises(UsageError, match="must name what may be imported"):
        checked_trust(given)


@pytest.mark.parametrize("body", ["secret.yaml", "/dev/zero", "chain", 3, None])
def test_a_strangers_run_has_no_other_file_read(stranger: Path, body: Any) -> None:
    """The body of `tune` may be the name of a file where the user gives it; a run holds the body itself."""
    ask(stranger, genome={"name": "tune", "place": "?", "settings": {"body": body}})
    with pytest.raises(
        FileError, match=r"run\.db: the settings of its genome 'tune' are damaged: body is .*YAML"
    ):
        _ = zp.Run(stranger).breed


def test_a_strangers_population_runs_no_code(stranger: Path) -> None:
    """A population named its genome, which was imported and called with the file's settings."""
    text = "zoophyte: population\nversion: 1\ngenome: {name: '%s', settings: %s}\ncreatures: []\n"
    for name, settings in (("subprocess:Popen", "{args: touch PWNED, shell: true}"), ("evil:fitness", "{}")):
        Path("pop.yaml").write_text(text % (name, settings))
        with pytest.raises(UntrustedError, match=name):
            read_population("pop.yaml")
    assert not Path("PWNED").exists()


def test_a_view_is_no_table_of_a_run(run: Run, stranger: Path) -> None:
    """A view that never ends would be read in place of a table."""
    base = sqlite3.connect(stranger)
    base.executescript(
        "ALTER TABLE run RENAME TO old; CREATE VIEW run AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT 'task' AS key, i AS value FROM n"
    )
    base.close()
    with pytest.raises(FileError, match="it has other tables than a run, or views or triggers"):
        zp.Run(stranger)


# ------------------------------------------------------------------------------------------- terminals, spreadsheets

BELL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202ewalk\nzoophyte: all is well"


def test_escapes_in_stored_names_are_shown_and_not_sent(run: Run, stranger: Path) -> None:
    """A name in a file could clear the screen, change the title, or write a line in the name of the program."""
    ask(stranger, task={"name": BELL, "place": BELL, "settings": {}})
    for command in (("runs", "list", "run.db"), ("runs", "list", "run.db", "--json"), ("replay", "run.db")):
        done = run(*command)
        told = done.out + done.err
        assert not any(letter in told for letter in "\x1b\x07\x9b\u202e"), command
        assert "zoophyte: all is well" not in told.splitlines()
        assert "\\x1b" in told or "\\u001b" in told
    assert run("runs", "list", "run.db", "--json").json[0]["task"] == BELL


def test_what_a_terminal_prints_stays_as_it_is() -> None:
    assert shown("m² · Grüße 水 – …\n\tx") == "m² · Grüße 水 – …\n\tx"
    assert shown("a\nb\x00\x7f\ud800", lines=False) == "a\\nb\\x00\\x7f\\ud800"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "＝"])
def test_no_cell_of_a_table_is_a_formula(tmp_path: Path, start: str) -> None:
    """A body or a descriptor named `=HYPERLINK(…)` was a formula to whoever opened the table in a spreadsheet."""
    name = f"{start}cmd|' /C calc'!A0"
    told = f"'{name}".replace("\r", " ")
    assert harmless(name) == told and harmless("x=1") == "x=1" and harmless("x\r=1") == "x =1"

    class Named(Judge):
        def score(self, grown: Grown, trials: Any, lives: Any) -> Score:
            return Score(-1.0, name, name, {name: -0.5})

    table = zp.evolve(Named(), population=2, generations=1, store=tmp_path / "named.db", workers=1)
    table.to_csv(tmp_path / "table.csv")
    with open(tmp_path / "table.csv", newline="", encoding="utf-8") as file:
        header, first, *_ = csv.reader(file)
    row = dict(zip(header, first, strict=True))
    assert row["status"] == row["reason"] == header[-1] == told
    assert row["fitness"] == "-1.0" and first[-1] == "-0.5"  # numbers stay numbers


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x;=1+1", "x;'=1+1"),
        ("x\t@SUM(1)", "x\t'@SUM(1)"),
        ('x; "=1+1', "x; \"'=1+1"),
        ("x;;+1;-1", "x;;'+1;'-1"),
        ("x\n=1", "x\n'=1"),
        ("a; b = c, d - e", "a; b = c, d - e"),
    ],
)
def test_no_formula_stands_behind_another_separator(text: str, told: str) -> None:
    """A body named `x;=1+1` was a formula where the semicolon separates the cells of a table."""
    assert harmless(text) == told


def test_the_header_of_a_life_is_no_formula(tmp_path: Path) -> None:
    chain = zp.Description(
        name="=life",
        bodies=[
            zp.description.Body(
                name="=1+2",
                joint=zp.description.Joint(kind="hinge"),
                shapes=[zp.description.Sphere(radius=0.1)],
            )
        ],
    )
    life = zp.World(zp.compile(chain), dt=0.01).simulate(0.02)
    life.export(tmp_path / "life.csv")
    header, first, *_ = (tmp_path / "life.csv").read_text().splitlines()
    assert not any(cell.strip('"').startswith(("=", "+", "-", "@")) for cell in header.split(","))
    assert all(np.isfinite(float(cell)) for cell in first.split(","))


def test_toys_are_no_part_of_zoophyte(tmp_path: Path) -> None:
    """Who gives the objects themselves needs no word of trust."""
    zp.evolve(
        Near(), genome=Toys(), population=4, generations=1, store=tmp_path / "run.db", workers=1
    ).close()
    with pytest.raises(UntrustedError):
        _ = zp.Run(tmp_path / "run.db").breed
    run = zp.Run(tmp_path / "run.db", task=Near(), genome=Toys())
    run.refuse_untrusted()
    assert run.foreign == {} and len(run.resume(generations=2, workers=1)) == 48
