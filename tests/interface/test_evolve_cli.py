"""`zoophyte evolve`, `resume`, `runs`, and what `replay` and `export` do with runs: files, words, exit codes."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import zoophyte as zp
from commands import Run
from toys import BODY, Near, Toys
from zoophyte.evolution.run.store import Store

TESTS = Path(__file__).parents[1]
TOYS = ("--genome", "toys:Toys", "--population", "4", "--workers", "1")
GENOME = ("--trust", "toys:Toys")
TRUST = ("--trust", "toys:Near", *GENOME)
"""A run of toys names code that is no part of Zoophyte."""
WALK = (
    "walk", "--population", "2", "--generations", "1", "--seconds", "0.6", "--set", "settle=0.1", "--store", "walk.db",
)  # fmt: skip


@pytest.fixture
def toys(run: Run) -> Run:
    """A run of toys in run.db."""
    done = run("evolve", "toys:Near", *TOYS, "--generations", "3", "--store", "run.db")
    assert (done.code, done.told) == (0, "")
    return run


def test_a_line_per_generation_then_the_champion_and_the_files(run: Run) -> None:
    done = run("evolve", "toys:Near", *TOYS, "--generations", "3")
    lines = done.out.splitlines()
    assert [line.split("  ")[0] for line in lines[:3]] == [f"generation {n} ({n + 1}/3)" for n in (0, 1, 2)]
    assert re.search(r"best so far 0\.\d+  mean 0\.\d+  diversity 0\.\d+  .* lives/s", lines[1])
    assert lines[3].startswith("champion  individual ")
    assert Path("out/run.db").exists() and Path("out/fitness.svg").read_text().startswith("<svg")
    assert "out/run.db" in done.out and "out/fitness.svg" in done.out
    again = run("evolve", "toys:Near", *TOYS, "--generations", "1")  # nothing is overwritten
    assert again.code == 0 and "out/run-2.db" in again.out


def test_the_same_seed_prints_the_same_champion(run: Run) -> None:
    def champion(name: str, seed: str) -> object:
        done = run(
            "evolve", "toys:Near", *TOYS, "--generations", "2", "--store", name, "--seed", seed, "--json"
        )
        assert done.json["lives"] == 48
        return done.json["best"]

    assert champion("a.db", "5") == champion("b.db", "5") != champion("c.db", "6")


def test_resume_makes_a_run_longer_and_reading_verbs_read_it(toys: Run) -> None:
    done = toys("resume", "run.db", "--generations", "5", "--workers", "1", *TRUST)
    assert done.code == 0 and "generation 4 (5/5)" in done.out and "(3/5)" not in done.out
    listed = toys("runs", "list", "run.db", "--json").json
    assert [(row["task"], row["genome"], row["generations"], row["lives"]) for row in listed] == [
        ("near", "toys", "5/5", 120)
    ]
    assert "run.db" in toys("runs", "list").out
    assert toys("export", "run.db", "table.csv").code == 0
    assert Path("table.csv").read_text().count("\n") == 121
    report = toys("runs", "report", "run.db", "--no-replays", "-o", "report.html", *TRUST)
    assert report.code == 0 and "<html" in Path("report.html").read_text()


def test_the_best_of_runs_begin_another(toys: Run) -> None:
    assert toys("export", "run.db", "--best", "3", "-o", "pop.yaml", *GENOME).code == 0
    merged = toys("runs", "merge", "run.db", "run.db", "--best", "2", "-o", "more.yaml", *GENOME)
    assert merged.code == 0 and "(2 creatures)" in merged.out  # nobody stands there twice
    for source in ("pop.yaml", "more.yaml", "run.db"):
        name = f"from-{Path(source).stem}.db"
        done = toys("evolve", "toys:Near", *TOYS, "--generations", "1", "--from", source, "--store", name)
        assert done.code == 0, done.err
        assert zp.Run(name).births()[0].operator == "given"
    begun = toys("runs", "merge", "run.db", "-o", "merged.db", *GENOME).out
    assert "begin with: zoophyte resume merged.db --trust toys:Near --trust toys:Toys" in begun
    assert toys("resume", "merged.db", "--generations", "1", "--workers", "1", *TRUST).code == 0


def test_a_champion_as_yaml_is_a_body(toys: Run) -> None:
    """It was a file of genomes, which `simulate` refused; those are written when --best asks for several."""
    done = toys("export", "run.db", "champ.yaml", *TRUST)
    assert done.code == 0 and "Its controller stays in run.db" in done.err
    body = zp.load("champ.yaml")
    assert body.bodies == BODY.bodies and "its controller is not in this file" in body.notes
    assert toys("export", "run.db", "champ.urdf", *TRUST).code == 0
    assert toys("export", "run.db", "--best", "1", "-o", "pop.yaml", *GENOME).code == 0
    done = toys("simulate", "pop.yaml")
    assert done.code == 1 and "the file holds genomes of a run, and no body" in done.err
    assert "zoophyte export RUN.db body.yaml" in done.err and "not a known key" not in done.err


def test_a_walking_champion_lives_where_its_life_began(run: Run) -> None:
    """Law: the body in the file stands as the task placed it, so that a life of it begins without overlaps."""
    assert run("evolve", *WALK).code == 0
    assert run("export", "walk.db", "champ.yaml").code == 0
    walk = zp.Run("walk.db")
    placed = walk.trials(walk.best())[0].description
    assert zp.load("champ.yaml").bodies == placed.bodies
    done = run("simulate", "champ.yaml", "--seconds", "0.05")
    assert done.code == 0, done.err


def test_genomes_of_another_kind_are_refused_with_the_way_out(toys: Run) -> None:
    assert toys("export", "run.db", "--best", "1", "-o", "pop.yaml", *GENOME).code == 0
    for source in ("pop.yaml", "run.db"):
        done = toys("evolve", "walk", "--generations", "1", "--from", source, "--store", "new.db")
        assert done.code == 1 and f"{source}: holds genomes of the kind 'toys', and 'limbed'" in done.err
        assert "--genome toys" in done.err and not Path("new.db").exists()


def test_a_damaged_genome_is_told_with_its_file(toys: Run) -> None:
    with sqlite3.connect("run.db") as base:
        base.execute("UPDATE individual SET genome = substr(genome, 1, length(genome) - 3)")
    base.close()
    done = toys("replay", "run.db", *TRUST)
    assert done.code == 1 and re.search(r"run\.db: table individual, row \d+, column genome: ", done.err)


def test_the_folder_of_the_run_may_be_named_twice(run: Run) -> None:
    """`--store ev/jump.db --out ev` was refused, though both name the same folder."""
    asked = ("evolve", "toys:Near", *TOYS, "--generations", "1", "--store", "ev/near.db", "--out", "ev")
    assert run(*asked).code == 0
    assert Path("ev", "near.db").is_file()


def test_the_precision_is_kept_and_told(run: Run) -> None:
    asked = ("evolve", "toys:Near", *TOYS, "--generations", "1", "--store", "run.db", "--precision")
    done = run(*asked, "single")
    assert done.code == 0 and " s, single precision" in done.out
    again = run("resume", "run.db", "--generations", "2", "--workers", "1", "--json", *TRUST)
    assert again.json["precision"] == "single"
    report = run("runs", "report", "run.db", "--no-replays", "-o", "report.html", *TRUST)
    assert report.code == 0 and "<dt>precision</dt><dd>single</dd>" in Path("report.html").read_text()
    assert run("runs", "merge", "run.db", "-o", "more.db", *GENOME).code == 0
    assert zp.Run("more.db", task=Near(), genome=Toys()).precision == "single"


def test_several_runs_with_the_next_seeds(run: Run) -> None:
    done = run(
        "evolve",
        "toys:Near",
        *TOYS,
        "--generations",
        "1",
        "--store",
        "new/many.db",
        "--repeat",
        "2",
        "--seed",
        "7",
    )
    files = [f"new/many-seed{seed}.db" for seed in (7, 8)]  # in a folder that was not there
    assert done.code == 0 and f"zoophyte runs report {' '.join(files)}" in done.out
    assert [zp.Run(file).configuration["seed"] for file in files] == [7, 8]
    for given in (files[:1], files):
        assert run("runs", "report", *given, "--no-replays", "--no-audit").code == 0
    assert (
        Path("new/many-seed7.report.html").read_text() != Path("new/many-seed7.comparison.html").read_text()
    )


def test_a_choice_by_number_is_what_is_bred_from(toys: Run) -> None:
    done = toys("runs", "pick", "run.db", "--choose", "70,71")
    assert done.code == 0 and "zoophyte resume run.db" in done.out
    assert toys("resume", "run.db", "--generations", "4", "--workers", "1", *TRUST).code == 0
    parents = {parent for birth in zp.Run("run.db").births()[72:] for parent in birth.parents}
    assert parents == {70, 71}


def test_a_choice_in_a_finished_run_is_told_with_what_breeds_on(toys: Run) -> None:
    """`runs pick` named a plain `resume`, which breeds nothing once all generations are there, and did not say so."""
    done = toys("runs", "pick", "run.db", "--choose", "70,71")
    command = f"zoophyte resume run.db {' '.join(TRUST)} --generations 4"
    assert done.out == f"run.db: generation 2 is chosen. Go on with: {command}\n"
    nothing = toys("resume", "run.db", "--workers", "1", *TRUST)
    assert nothing.code == 0 and len(zp.Run("run.db")) == 72
    assert "nothing was bred from the choice" in nothing.err
    way_on = nothing.err.rpartition("zoophyte ")[2].split()
    assert way_on == ["resume", "run.db", *TRUST, "--generations", "4"]
    bred = toys(*way_on, "--workers", "1")
    assert (bred.code, bred.told, len(zp.Run("run.db"))) == (0, "", 96)
    assert "are there: nothing was bred. For more: " in toys("resume", "run.db", "--workers", "1", *TRUST).err


def test_a_choice_in_an_unfinished_run_needs_no_more_generations(toys: Run) -> None:
    with sqlite3.connect("run.db") as base:
        base.execute("UPDATE run SET value = '5' WHERE key = 'generations'")
    base.close()
    done = toys("runs", "pick", "run.db", "--choose", "70,71")
    assert done.out.endswith(f"Go on with: zoophyte resume run.db {' '.join(TRUST)}\n")


def test_a_walk_of_real_creatures_leaves_a_page(run: Run) -> None:
    done = run("evolve", *WALK)
    assert (done.code, done.told) == (0, "")
    assert "open walk.champion.html in a browser" in done.out
    assert 'id="zoophyte-page"' in Path("walk.champion.html").read_text()
    page = run("replay", "walk.db", "--best", "2", "--out", "best.html")
    assert page.code == 0 and "fitness" in Path("best.html").read_text()
    assert run("export", "walk.db", "life.npz").code == 0
    champion, life = zp.Run("walk.db").best(), zp.Trajectory.load("life.npz")
    bodies, grown = life.description.bodies, champion.develop().description.bodies  # put down somewhere else
    assert [body.shapes for body in bodies] == [body.shapes for body in grown] and life.status.is_sound
    for name, head in (
        ("a.glb", b"glTF"),
        ("a.png", b"\x89PNG"),
        ("a.xml", b"<mujoco"),
        ("a.html", b"<!doctype html>"),
    ):
        assert run("export", "walk.db", name).code == 0 and head in Path(name).read_bytes()[:200]
    assert run("export", "walk.db", "a.gif", "--best", "2").code == 2  # a picture shows one


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("evolve", "wlak"), 2, "Did you mean 'walk'?"),
        (("evolve", "walk", "--genome", "grph"), 2, "Did you mean 'graph'?"),
        (("evolve", "walk", "--precision", "singel"), 2, "Did you mean 'single'?"),
        (("evolve", "walk", "--population", "1"), 2, "one alone has nobody"),
        (("evolve", "walk", "--scheme", "isles"), 2, "Known: generational, islands"),
        (("evolve", "walk", "--seconds", "-1"), 2, "seconds"),
        (("evolve", "walk", "--seconds", "4"), 2, "--set settle=1"),
        (("evolve", "walk", "--set", "speed"), 2, "must be NAME=VALUE"),
        (("evolve", "walk", "--set", "spede=1"), 2, "spede"),
        (("evolve", "walk", "--body", "ref4"), 2, "--body goes with --genome tune"),
        (("evolve", "walk", "--store", "run.txt"), 2, "must end in .db"),
        (("evolve", "walk", "--repeat", "0"), 2, "--repeat is 0"),
        (("evolve", "walk", "--from", "none.yaml"), 1, "none.yaml: does not exist"),
        (("evolve", "walk", "--store", "a.db", "--out", "b"), 2, f"--store {Path('b', 'a.db')} does both"),
        (
            ("evolve", "walk", "--genome", "tune", "--body", "chain"),
            2,
            "has no joint that obeys commands",
        ),
        (("evolve", "toys:Broken", *TOYS), 1, "every creature of the first generation failed"),
        (("resume", "none.db"), 1, "none.db: there is no such file"),
        (("resume", "life.npz"), 2, "runs end in .db"),
        (("replay", "none.db"), 1, "none.db: there is no such file"),
        (("export", "none.db", "pop.txt"), 2, "a run becomes .csv or .parquet"),
        (("export", "pendulum", "a.xml", "-o", "b.xml"), 2, "give the file to write once"),
        (("runs", "report", "none.db"), 1, "there is no such file"),
        (("runs", "pick", "none.db", "--choose", "1"), 1, "there is no such file"),
    ],
)
def test_bad_input_is_answered_in_a_line_or_two(
    run: Run, arguments: tuple[str, ...], code: int, message: str
) -> None:
    done = run(*arguments)
    assert done.code == code
    assert message in done.err
    assert "Traceback" not in done.err and len(done.err.splitlines()) <= 3


def test_a_corrupt_run_is_told_and_listed_as_such(toys: Run) -> None:
    Path("bad.db").write_bytes(b"SQLite format 3\0" + bytes(500))
    done = toys("resume", "bad.db")
    assert done.code == 1 and "bad.db: is no database, or damaged, or no run of Zoophyte" in done.err
    assert "damaged" in toys("runs", "list").out


def test_a_second_writer_is_refused(toys: Run) -> None:
    store = Store("run.db", "write")
    done = toys("resume", "run.db", "--generations", "9", *TRUST)
    store.close()
    assert done.code == 1 and f"(pid {os.getpid()}) is writing this run already" in done.err


PROGRAM = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from zoophyte.cli.main import run; run()"
)
"""The command line; what is started in the background of a shell would ignore SIGINT."""


def test_ctrl_c_after_the_stop_changes_nothing(tmp_path: Path) -> None:
    """Somebody who presses Ctrl-C again and again while the program leaves gets the code of an interruption all the same.

    Without care the interpreter, interrupted while it ends, ends itself by the signal: -2.
    """
    arguments = ["evolve", "toys:Slow", *TOYS, "--generations", "40", "--store", "run.db"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
    }
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], cwd=tmp_path, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        while not (told := process.stderr.readline()).strip():
            assert told, "it ended without a word"
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(1e-4)
        rest = process.stderr.read()
    assert told.startswith("zoophyte: stopped; what was judged is saved.")
    assert (process.returncode, rest) == (130, "")


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    """A real SIGINT to a real process, while it is judging slow toys."""
    arguments = ["evolve", "toys:Slow", *TOYS, "--generations", "40", "--store", "run.db"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
    }
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], cwd=tmp_path, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert first.startswith("generation 0 (1/40)")
    assert process.returncode == 130
    trust = "--trust toys:Slow --trust toys:Toys"
    assert (
        err.strip()
        == f"zoophyte: stopped; what was judged is saved. Go on with: zoophyte resume run.db {trust}"
    )
    kept = zp.Run(tmp_path / "run.db", task=Near(), genome=Toys())
    assert 24 <= len(kept) < 40 * 24
    assert {path.name for path in tmp_path.iterdir()} >= {"run.db"} and not (
        tmp_path / "run.db-lock"
    ).exists()
