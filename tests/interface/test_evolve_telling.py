"""What `zoophyte evolve` and its reports say: units, audits, niches, names of own functions, what differs; and its help."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import zoophyte as zp
from commands import Run
from runs import made_run
from toys import Near, Toys
from zoophyte.cli.evolution.listing import listing
from zoophyte.cli.evolution.showing import Meter
from zoophyte.cli.evolution.verdict import as_facts, as_json
from zoophyte.evolution.evaluation.clock import Clock, _Compiling, compiling
from zoophyte.evolution.report.comparing import conditions_of
from zoophyte.evolution.report.data import Audited, title_said, unit_said
from zoophyte.evolution.report.facts import names_of
from zoophyte.evolution.run.work import Progress

TOYS = ("--genome", "toys:Toys", "--population", "4", "--workers", "1")
WALK = (
    "--population",
    "2",
    "--generations",
    "1",
    "--set",
    "seconds=0.6",
    "--set",
    "settle=0.1",
    "--workers",
    "1",
)
OWN = '''
import zoophyte as zp

@zp.Samples(per_second=50, keep=["joints", "contacts"])
def brisk(life):
    """Mean speed of all joints, where something touches the ground."""
    return float(abs(life.v[:, 6:]).mean()) * float(life.touches("ground").any())

brisk.unit = "rad/s"

def hapless(life):
    return life.distanse
'''


TRUST_TOYS = ("--trust", "toys:Near", "--trust", "toys:Toys")


@pytest.fixture
def own(run: Run) -> Run:
    Path("tasks.py").write_text(OWN)
    return run


# ------------------------------------------------------------------------------------------------------- the end of a run


def test_the_end_tells_units_and_the_audit(run: Run) -> None:
    """The champion's audit stood in reports only, and fitness was a bare number."""
    done = run("evolve", "walk", *WALK, "--store", "a/run.db")
    assert re.search(
        r"^generation 0 .* best so far [\d.e-]+ m  mean [\d.e-]+ m  diversity [\d.]+(  |$)", done.out, re.M
    )
    assert re.search(r"^champion  .*: fitness [\d.]+\sm", done.out, re.M)
    assert re.search(
        r"^audit     (holds|EXPLOIT).*: .* in the run; .* with half the step; .* in a World", done.out, re.M
    )
    quiet = run("resume", "a/run.db", "--generations", "2", "--workers", "1", "--no-audit")
    assert quiet.code == 0 and "audit" not in quiet.out
    told = run("resume", "a/run.db", "--workers", "1", "--json").json
    assert told["unit"] == "m" and told["audit"]["verdict"] in ("holds", "exploit")
    assert told["audit"]["unit"] == "m" and told["audit"]["at_half_step"] is not None


def test_an_exploit_is_called_one() -> None:
    bad = Audited(3, 5.0, 0.1, 5.0, None, True, "achieves less with half the step", "m")
    (name, words), (_, why) = as_facts(bad, None, "m")
    assert name == "audit" and words.startswith("EXPLOIT") and why == bad.note
    assert "5.000\u00a0m in the run; 0.1000\u00a0m with half the step" in words and "MuJoCo" not in words
    assert as_json(bad, None)["audit"]["verdict"] == "exploit"
    assert as_facts("no life", None, "") == [("audit", "none: no life")] and as_facts(None, None, "") == []


def test_elites_are_told_with_coverage_and_score(run: Run) -> None:
    asked = ("--scheme", "elites", "--set-scheme", "bins=8", "--generations", "2", "--store", "e/run.db")
    done = run("evolve", "toys:Near", *TOYS, *asked)
    assert re.search(
        r"^elites    \d+ of 64 niches \([\d.]+ %\) of \w+ × \w+, QD-score [\d.]+$", done.out, re.M
    )
    again = run("resume", "e/run.db", "--generations", "3", "--workers", "1", "--json", *TRUST_TOYS)
    told = again.json["archive"]
    archive = zp.Run("e/run.db", task=Near(), genome=Toys()).archive
    assert archive is not None and told["bins"] == 8 and told["qd_offset"] == 0.0
    assert (told["coverage"], told["qd_score"]) == (archive.coverage, archive.qd_score)
    assert run("runs", "report", "e/run.db", "--no-replays", "-o", "r.html", *TRUST_TOYS).code == 0
    page = Path("r.html").read_text()
    assert (
        len(re.findall(r"<title>individual \d+: [^<]*, first ", page)) == len(archive)
        and "QD-score" in page
        and "coverage" in page
    )


# ------------------------------------------------------------------------------------------------------- names and legends


def test_an_own_function_is_called_by_its_name(own: Run) -> None:
    """Progress, page, title and JSON called every function "own"."""
    done = own("evolve", "tasks.py:brisk", *WALK, "--store", "b/run.db")
    assert re.search(r"fitness [\d.]+\srad/s", done.out), done.out
    assert ">brisk, limbed<" in Path("b/fitness.svg").read_text()
    assert "brisk champion" in Path("b/champion.html").read_text()
    assert own("runs", "list", "b", "--json").json[0]["task"] == "brisk"
    trusted = ("--trust", "tasks.py:brisk")
    again = own("resume", "b/run.db", "--workers", "1", "--json", "--no-audit", *trusted)
    assert again.json["task"] == "brisk"
    assert own("runs", "report", "b/run.db", "--no-replays", "-o", "r.html", *trusted).code == 0
    page = Path("r.html").read_text()
    assert "<h1>brisk · limbed</h1>" in page and "fitness [rad/s]" in page
    wrong = own("evolve", "tasks.py:brisk", *WALK, "--set", "sekonds=3")
    assert "task brisk: there is no setting 'sekonds'" in wrong.err
    failed = own("evolve", "tasks.py:hapless", *WALK)
    assert failed.code == 1 and "no attribute 'distanse'" in failed.err


def test_a_task_is_called_by_its_function_in_runs_of_old() -> None:
    asked = {
        "name": "own",
        "place": "zoophyte.evolution.tasks.own:Own",
        "settings": {"place": "my.py:Mine.high"},
    }
    assert title_said(asked) == "high" and title_said({"name": "walk"}) == title_said("walk") == "walk"
    assert unit_said({"task": {"name": "jump_away"}}) == "m²" and unit_said({"task": asked}) == ""


def asked(**more: Any) -> dict[str, Any]:
    usual = {"scheme": {"name": "generational", "settings": {"success_rule": False}}, "population": 16,
             "selection": {"name": "comma", "settings": {}}, "task": {"name": "walk", "settings": {"seconds": 20.0}},
             "genome": {"name": "limbed", "settings": {"controller": "spectral"}}}  # fmt: skip
    return {**usual, **more}


ELITES = {
    "scheme": {"name": "elites", "settings": {"bins": 16, "descriptors": None}},
    "selection": None,
    "population": 96,
}


@pytest.mark.parametrize(
    ("others", "labels"),
    [
        ([ELITES], ["generational", "elites"]),
        ([ELITES, {**ELITES, "scheme": {"name": "elites", "settings": {"bins": 8, "descriptors": None}}}],
         ["generational", "elites, bins 16", "elites, bins 8"]),
        ([{"genome": {"name": "graph", "settings": {"controller": "neurons", "rate": 25.0}}}], ["limbed", "graph"]),
        ([{"genome": {"name": "limbed", "settings": {"controller": "neurons"}}}],
         ["controller spectral", "controller neurons"]),
        ([{"population": 32}], ["population 16", "population 32"]),
        ([{"selection": {"name": "roulette", "settings": {}}}], ["comma", "roulette"]),
        ([{"label": "second try"}], ["no label", "second try"]),
        ([{"label": "b", "population": 32}], ["population 16", "b"]),
    ],
)  # fmt: skip
def test_legends_say_only_what_differs(others: list[dict[str, Any]], labels: list[str]) -> None:
    """Schemes were told apart by every setting of either: "name elites, success_rule –, bins 16, selection –, …"."""
    rows = made_run(generations=2).rows
    configurations = [asked(), *(asked(**other) for other in others)]
    assert [each.label for each in conditions_of(configurations, [rows] * len(configurations))] == labels


def test_another_number_of_births_is_told() -> None:
    few, many = (made_run(generations=2, population=count).rows for count in (12, 24))
    assert [each.label for each in conditions_of([asked(), asked(**ELITES)], [few, many])] == [
        "generational, population 16", "elites, population 96",
    ]  # fmt: skip


def test_runs_are_called_by_their_folders_and_labels(run: Run) -> None:
    """Side by side all of them were called "run"."""
    for where, label in (("a/x", ""), ("b/x", ""), ("c", "tall")):
        named = ("--label", label) if label else ()
        assert (
            run("evolve", "toys:Near", *TOYS, "--generations", "1", "--store", f"{where}/run.db", *named).code
            == 0
        )
    found = [zp.Run(f"{where}/run.db") for where in ("a/x", "b/x", "c")]
    assert [each.name for each in found] == ["x", "x", "tall"] and found[2].configuration["label"] == "tall"
    assert names_of(found) == ["a/x", "b/x", "tall"]
    assert run("runs", "list", "a/x", "c").out.split()[:3] == ["run", "label", "task"]  # it showed no label
    assert [row["label"] for row in run("runs", "list", "a/x", "c", "--json").json] == ["", "tall"]


# ------------------------------------------------------------------------------------------------------ wrong usage


@pytest.mark.parametrize(
    "wrong",
    [
        ("walk", "--genome", "nonsense"), ("wolk",), ("walk", "--set", "seconds=-1"), ("walk", "--scheme", "cma"),
        ("walk", "--scheme", "elites", "--set-scheme", "descriptors=[hight]"), ("walk", "--from", "no.yaml"),
        ("walk", "--workers", "0"), ("walk", "--repeat", "2", "--precision", "half"), ("no.py:task",),
    ],
)  # fmt: skip
def test_wrong_usage_leaves_no_folder_and_no_run(run: Run, wrong: tuple[str, ...]) -> None:
    """`zoophyte evolve walk --genome nonsense --out new` left the folder."""
    before = sorted(Path().rglob("*"))
    done = run("evolve", *wrong, "--out", "new/folder")
    assert done.code in (1, 2) and done.err.startswith("zoophyte: ")
    assert sorted(Path().rglob("*")) == before


UNDESCRIBED = ("tasks.py:hapless2", "--scheme", "elites", "--set-scheme", "descriptors=[duty, height]")


def test_a_descriptor_that_a_function_does_not_give_leaves_no_run(run: Run) -> None:
    """A run of no generations stayed; the same line then refused to write over it, and `resume` could only fail again."""
    Path("tasks.py").write_text("def hapless2(life):\n    return 1.0\n")
    few = ("--population", "4", "--generations", "2", "--seconds", "0.2", "--store", "new/run.db")
    for _ in range(2):
        done = run("evolve", *UNDESCRIBED, *few)
        assert done.code == 2 and "descriptor 'duty' is unknown" in done.err and "resume" not in done.err
        assert not Path("new").exists()


def test_a_report_shows_the_name_of_a_function_and_only_its_settings() -> None:
    """The task was called "own", with weights of 0 that a function does not have."""
    from zoophyte.evolution.report.sections import asked as shown_asked

    weights = dict.fromkeys(("energy", "smoothness", "height"), 0.0)
    text = shown_asked(
        {"task": {"name": "own", "settings": {"place": "my.py:brisk", "settle": 0.0, **weights}}}
    )
    assert "<dd>brisk</dd>" in text and "<dt>settle</dt>" in text
    assert not any(f"<dt>{name}</dt>" in text for name in weights) and "<dd>own</dd>" not in text


# --------------------------------------------------------------------------------------------------------------- time left


def progress(done: int, lives: int, seconds: float, *, generation: int = 0, ended: bool = False) -> Progress:
    return Progress(generation, 10, done, 96, 1.0, 1.0, 1.0, lives, seconds, ended, "m")


def test_compiling_is_not_counted_as_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generation 1 foretold 16 minutes for a run of half a minute: a minute of compiling was taken for its speed."""
    now = [100.0]
    monkeypatch.setattr("zoophyte.evolution.evaluation.clock.time.perf_counter", lambda: now[0])
    monkeypatch.setattr("zoophyte.evolution.evaluation.clock._state", _Compiling())
    clock = Clock()
    now[0] += 2.0
    with compiling():
        now[0] += 40.0
        with compiling():  # another thread that waits for it
            now[0] += 20.0
        assert clock.seconds == 2.0
    now[0] += 1.0
    assert clock.seconds == 3.0 and Clock().seconds == 0.0


def test_the_time_left_is_told_from_the_first_chunk_on() -> None:
    meter = Meter()
    assert "16 lives/s" in meter.told(progress(48, 48, 3.0)) and "16 lives/s" in meter.told(
        progress(48, 48, 3.0, ended=True)
    )
    words = meter.told(progress(96, 96, 6.0, ended=True))
    assert (
        "16 lives/s" in words
        and "54 s left" in words
        and "best so far 1 m" in words
        and "diversity 1" in words
    )


def test_the_best_of_all_generations_is_not_taken_for_that_of_one() -> None:
    """The line said "best 1 m  mean 0.2 m": the best since the run began, and the mean of one generation."""
    now = progress(96, 96, 6.0, ended=True)
    assert "best so far 1 m" in Meter().told(now) and "best of it 1 m" in Meter().told(
        replace(now, changes=True)
    )


def test_the_command_after_repeats_is_whole(run: Run) -> None:
    """It lacked `--trust`, so what was told to be typed was refused."""
    done = run("evolve", "toys:Near", *TOYS, "--generations", "1", "--repeat", "2", "--store", "my runs/a.db")
    line = done.out.partition("compare them: zoophyte ")[2].strip()
    assert "--trust toys:Near --trust toys:Toys" in line
    assert run(*shlex.split(line), "--no-replays", "--no-audit").code == 0


# ---------------------------------------------------------------------------------------------------------------------- help


def test_the_help_of_evolve_lists_what_the_registries_hold(run: Run) -> None:
    from zoophyte.evolution.populations import SCHEMES
    from zoophyte.evolution.registry import BREEDS
    from zoophyte.evolution.selection import SELECTIONS
    from zoophyte.evolution.tasks import TASKS

    text = listing(200)
    for name in (*TASKS, *BREEDS, *SCHEMES, *SELECTIONS, "spectral", "neurons", "oscillators", "sine"):
        assert re.search(rf"^  {name}\b.* \w+", text, re.M), name
    for name, kind in TASKS.items():
        for setting in kind.from_settings({}).settings():
            assert re.search(rf"\b{setting}(=|\b)", text), (name, setting)
    own = text.partition("\n  file.py:name")[2].partition("\n  all tasks")[0]
    assert (
        "passive=false" in own and "settle=0" in own
    )  # nobody was told that they are others than of all tasks
    assert max(map(len, listing(80).splitlines())) < 80
    assert "\nTasks: zoophyte evolve TASK" in run("evolve", "--help").out


def test_the_help_tells_the_story(run: Run) -> None:
    text = run("--help").out
    for words in (
        "first three commands",
        "zoophyte zoo",
        "zoophyte simulate walking_ant",
        "zoophyte evolve walk",
    ):
        assert words in text
    heads = ["Make and let live", "Look", "Evolve", "Check"]
    assert sorted(heads, key=text.index) == heads
    assert json.dumps(text).count("evolve") >= 4
