"""The report of runs: what is in the file, and what a browser makes of it from disk, with the network off."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from interface.test_replay_page import WAIT, built, colours, drive
from runs import MadeRun, made_run
from toys import Near, Toys
from zoophyte.errors import FileError, UsageError
from zoophyte.evolution.report import Audited, write_report
from zoophyte.evolution.report.comparing import conditions_of, contests
from zoophyte.evolution.report.curves import score
from zoophyte.evolution.report.page import report_page
from zoophyte.evolution.report.tallies import best_births, operator_tallies
from zoophyte.export import page as replay
from zoophyte.simulation import Trajectory

__all__ = ["built"]  # a fixture

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
AUDITS = (
    Audited(7, 5.0, 4.9, 5.0, 4.0, unit="m"),
    Audited(8, 6.0, 1.5, 6.0, None, True, "lives on the step", "m"),
)


class Reader(HTMLParser):
    """The texts and elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.loads: list[str] = []
        self.scripts: list[dict[str, str | None]] = []
        self.handlers: list[str] = []
        self.texts: list[str] = []
        self.within: list[str] = []
        self.json: dict[str, Any] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.within.append(tag)
        named = dict(attributes)
        if tag == "script":
            self.scripts.append(named)
        self.handlers += [name for name in named if name.startswith("on")]
        self.loads += [
            value or "" for name, value in attributes if name in ("src", "href", "data", "action", "srcdoc")
        ]

    def handle_endtag(self, tag: str) -> None:
        while self.within and self.within.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        inside = self.within[-1] if self.within else ""
        if inside == "script" and self.scripts[-1].get("type") == "application/json":
            self.json[str(self.scripts[-1]["id"])] = json.loads(data)
        elif inside not in ("script", "style"):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@cache
def pendulum_life() -> Trajectory:
    return zp.World(zp.zoo.double_pendulum(), dt=2e-3, integrator="rk4").simulate(0.5)


def lives(run: Any, number: int) -> Trajectory:
    return pendulum_life()


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> None:
    """A player that does nothing: the file around it is what is tested."""
    monkeypatch.setattr(replay, "player", lambda: ("'script'", "main {}"))
    monkeypatch.setattr("zoophyte.evolution.report.gallery.player", lambda: ("'script'", "main {}"))


# ----------------------------------------------------------------------------------------------------- the file


def test_the_numbers_on_the_page_are_those_of_the_run() -> None:
    run = made_run(generations=20, drift=0.05)
    page = Reader(report_page([run], lives=None, audits=lambda run, numbers: AUDITS))
    champion = best_births(run.members, 1)[0]
    faulty = sum(birth.fitness < 0 for birth in run.members)
    assert f"{score(champion.fitness)} individual {champion.number}" in page.text
    assert f"{faulty} of {len(run.members)}" in page.text
    for tally in operator_tallies(run.members):
        assert f"{tally.name} {tally.children}" in page.text
    plotted = {line["label"]: line for line in page.json["report-data"]["plots"]["run0"]}
    assert plotted["best"]["y"] == pytest.approx([row.best for row in run.rows], rel=1e-5)
    assert plotted["mean"]["y"] == pytest.approx([row.mean for row in run.rows], rel=1e-5)
    assert plotted["quartiles"]["to"] == pytest.approx([row.upper for row in run.rows], rel=1e-5)
    assert plotted["diversity"]["y"] == pytest.approx([row.diversity for row in run.rows], rel=1e-5)
    tree = page.json["report-data"]["trees"]["run0"]
    assert (tree[0]["number"], tree[0]["fitness"]) == (champion.number, champion.fitness)
    assert tree[-1]["operator"] == "random"


def test_the_audit_shows_all_distances_and_marks_exploits() -> None:
    text = Reader(report_page([made_run(generations=3)], audits=lambda run, numbers: AUDITS)).text
    assert "#7 5.000 m 4.900 m (−2 %) 5.000 m (±0 %) 4.000 m (−20 %) holds" in text.replace("\u00a0", " ")
    assert "#8 6.000 m 1.500 m (−75 %) 6.000 m (±0 %) not run exploit lives on the step" in text.replace(
        "\u00a0", " "
    )


def test_the_champions_are_those_who_are_audited() -> None:
    run, asked = made_run(generations=5), []
    report_page([run], audits=lambda run, numbers: asked.append(list(numbers)) or ())
    assert asked == [[birth.number for birth in best_births(run.members, 3)]]


def test_what_was_asked_is_told() -> None:
    text = Reader(report_page([made_run(generations=3, seed=42, rate=0.125)])).text
    assert "zoophyte evolve walk --seed 42" in text
    assert "rate 0.125" in text and "pairs 2, 3" in text and "seconds 10" in text


@pytest.mark.usefixtures("stub")
def test_nothing_is_loaded_and_only_own_scripts_may_run() -> None:
    text = report_page([made_run(generations=8)], lives=lives)
    page = Reader(text)
    assert all(load.startswith("data:") for load in page.loads)
    assert set(re.findall(r"https?://[^\s\"'<)]+", text)) <= {"http://www.w3.org/2000/svg"}
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert "default-src 'none'" in policy[1] and "connect-src 'none'" in policy[1]
    assert policy[1].count("sha256-") == 2 and "unsafe-eval" not in policy[1]
    assert [script.get("type") for script in page.scripts] == ["application/json"] * 2 + [None]


@pytest.mark.usefixtures("stub")
@pytest.mark.parametrize("count", [1, 3])
def test_hostile_names_stay_texts(count: int) -> None:
    """Names of runs, operators, statuses, reasons, descriptors and settings, in both kinds of page."""

    def spoilt(run: MadeRun, n: int) -> MadeRun:
        members = tuple(
            replace(b, operator=HOSTILE, status=HOSTILE, reason=HOSTILE, descriptors={HOSTILE: 1.0})
            for b in run.members
        )
        asked = {
            **run.configuration,
            HOSTILE: HOSTILE + str(n),
            "task": {"name": HOSTILE},
            "nested": {HOSTILE: [HOSTILE]},
        }
        return replace(run, name=HOSTILE, members=members, configuration=asked)

    runs = [spoilt(made_run(seed=n, generations=4, population=8), n) for n in range(count)]
    audit = Audited(1, 1.0, 1.0, 1.0, note=HOSTILE, unit=HOSTILE)
    page = Reader(report_page(runs, lives=lives, audits=lambda run, numbers: [audit], title=HOSTILE))
    assert page.handlers == []
    assert [script.get("type") for script in page.scripts] == ["application/json"] * 2 + [None]
    assert all(load.startswith("data:") for load in page.loads)
    assert HOSTILE in page.text  # it is still told


def test_the_size_of_a_page_is_bounded() -> None:
    """Births are only counted: what grows is the family tree, drawn twice, and the values under the curves."""
    few, many, long = (made_run(generations=g, population=p) for g, p in ((10, 12), (10, 600), (400, 12)))
    small, crowded, large = (len(report_page([run], lives=None)) for run in (few, many, long))
    assert small < 150_000
    assert crowded < small + 20_000
    assert large < small + 400 * 2_500


@pytest.mark.usefixtures("stub")
def test_stills_and_lives_are_there_once_for_each_creature() -> None:
    run = made_run(generations=10)
    page = Reader(report_page([run], lives=lives))
    entries = page.json["report-data"]["lives"]
    numbers = [entry["number"] for entry in entries]
    assert numbers[:6] == [birth.number for birth in best_births(run.members, 6)]
    assert len(set(numbers)) == len(numbers)
    assert page.names.count("img") == len(numbers)
    assert page.json["replays"].count('type="application/octet-stream"') == len(numbers)


def test_without_a_player_pictures_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> tuple[str, str]:
        raise FileError("no player")

    monkeypatch.setattr("zoophyte.evolution.report.gallery.player", missing)
    page = Reader(report_page([made_run(generations=3)], lives=lives))
    assert "replays" not in page.json and page.names.count("img") >= 6


def test_a_comparison_shows_intervals_and_the_rank_test() -> None:
    runs = [
        made_run(seed=seed, generations=12, drift=drift, controller=name, name=f"{name}-{seed}")
        for name, drift in (("spectral", 0.15), ("neurons", 0.0))
        for seed in range(5)
    ]
    groups = conditions_of([run.configuration for run in runs], [run.rows for run in runs])
    (contest,) = contests(groups)
    text = Reader(report_page(runs)).text.replace("\u00a0", " ")
    for group in groups:
        low, high = group.interval
        assert f"{group.label} 5 {score(group.mean)} {score(low)} – {score(high)}" in text
    assert f"against controller neurons {contest.u:g} {contest.p:.2g}" in text
    assert f"{100 * contest.superiority:.0f} %" in text
    for run in runs:
        assert f"{run.name} best {score(max(row.best for row in run.rows))}" in text


def test_a_run_that_is_given_twice_is_told_and_counts_once() -> None:
    runs = [made_run(seed=seed, generations=4, name=f"run-{seed}") for seed in (1, 2)]
    text = Reader(report_page([*runs, replace(runs[0], name="copy")])).text
    assert "1 condition · 2 runs · left out, since each is another one of these once more: copy" in text


def test_few_runs_have_no_interval() -> None:
    """The mean of three values was told with a "95 % interval" that three values drawn again and again cannot give."""
    runs = [made_run(seed=seed, generations=4, name=f"run-{seed}") for seed in range(3)]
    finals = sorted(max(row.best for row in run.rows) for run in runs)
    text = Reader(report_page(runs)).text.replace("\u00a0", " ")
    assert f"{score(finals[0])} … {score(finals[-1])}" in text and "min … max" in text and "95 % " not in text


def test_runs_of_different_tasks_are_not_ranked() -> None:
    """Metres walked were ranked with heights of leaps in one table, one test and one list of champions, without a word."""
    runs = [
        made_run(seed=seed, generations=3, task={"name": task, "settings": {}}, name=f"{task}-{seed}")
        for task in ("walk", "swim")
        for seed in range(2)
    ]
    text = Reader(report_page(runs)).text
    assert (
        "These runs were asked different tasks: walk, swim" in text
        and "best mean" not in text.partition("Best fitness")[0]
    )
    assert "Conditions: walk" in text and "Rank test: swim" in text and "best creature of all" not in text
    alike = Reader(report_page(runs[:2])).text
    assert "different tasks" not in alike and "best creature of all" in alike


def test_niches_of_several_runs_stand_side_by_side() -> None:
    """A comparison of runs of `elites` said nothing of coverage and QD-score."""
    ranges = {"first": [0.0, 1.0], "second": [0.0, 1.0]}
    runs = [
        zp.evolve(
            Near(), genome=Toys(), population=12, generations=2, seed=seed, scheme="elites", workers=1, label=f"n{seed}",
            scheme_settings={"bins": 4, "ranges": ranges if seed > 1 else None},
        )
        for seed in (1, 2, 3)
    ]  # fmt: skip
    text = Reader(report_page(runs, lives=None)).text.replace("\u00a0", " ")
    for run in runs:
        assert run.archive is not None
        assert f"{len(run.archive)} of {run.archive.niches}" in text and score(run.archive.qd_score) in text
    assert "These runs have different niches" in text
    assert "different niches" not in Reader(report_page(runs[1:], lives=None)).text


def test_one_run_each_is_no_test() -> None:
    text = Reader(report_page([made_run(generations=3, k=1), made_run(generations=3, k=2)])).text
    assert "there is no interval to draw, and no test" in text


def test_a_run_without_any_sound_creature_is_reported() -> None:
    run = made_run(generations=2)
    faulty = tuple(replace(b, fitness=-1.0, status="diverged", reason="") for b in run.members)
    text = Reader(report_page([replace(run, members=faulty)], lives=lives)).text
    assert "there is no champion" in text and "100 %" in text.replace("\u00a0", " ")


def test_nothing_to_report_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs one run or more"):
        write_report([], tmp_path / "r.html")
    with pytest.raises(UsageError, match=r"walk-1\.db: the run has no finished generation"):
        write_report([replace(made_run(generations=1), rows=())], tmp_path / "r.html")
    with pytest.raises(FileError, match="cannot be written"):
        write_report([made_run(generations=1)], tmp_path / "no" / "r.html")
    assert list(tmp_path.iterdir()) == []


# -------------------------------------------------------------------------------------------------- the browser


@pytest.mark.usefixtures("built")
def test_the_page_plays_tells_and_turns_dark(tmp_path: Path) -> None:
    run = made_run(generations=40, drift=0.05)
    playing = {
        "until": "zoophyte.player()?.state().view === 'player' && zoophyte.player().state().drawnFrames > 2"
    }
    middle = (
        "(() => { const s = [...document.querySelectorAll('.plot svg')].find(e => e.clientWidth); s.scrollIntoView();"
        " const b = s.getBoundingClientRect(), x = b.left + b.width / 2;"
        " s.dispatchEvent(new PointerEvent('pointermove', {clientX: x, clientY: b.top + 50})); })()"
    )
    steps: list[dict[str, Any]] = [
        playing,
        {"ask": "zoophyte.player().entries.length"},
        {"do": "zoophyte.player().pause()"},
        {"click": ".card:nth-child(2)"},
        {"until": "document.querySelector('.card:nth-child(2)').getAttribute('aria-pressed') === 'true'"},
        playing,
        {"do": "zoophyte.player().pause()"},
        {"ask": "document.querySelector('.told h3').textContent"},
        {"do": "document.querySelector('.wide .step:nth-of-type(3)').dispatchEvent(new MouseEvent('click'))"},
        {"ask": "document.querySelector('.told h3').textContent"},
        {"do": middle},
        {"ask": "document.querySelector('.tip b').textContent"},
        {"click": ".unfold button"},
        {"ask": "document.querySelector('.trunk').classList.contains('folded')"},
        {"click": "#theme"},
        WAIT,
        {
            "ask": "[zoophyte.theme(), document.querySelector('iframe').contentDocument.documentElement.dataset.theme]"
        },
        {"do": "scrollTo(0, 0)"},
        WAIT,
        {"picture": str(tmp_path / "page.png")},
    ]
    told = drive(report_page([run], lives=lives), tmp_path, steps, width=700, height=500)
    entries, champion, third, tip, folded, themes = told.answers
    assert entries >= 6
    best = best_births(run.members, 1)[0]
    assert champion == f"#{best.number}" and third.startswith("#") and third != champion
    assert re.fullmatch(r"generation (1\d|2\d)", tip)  # about the middle of forty
    assert folded is False and themes == ["dark", "dark"]
    assert colours(told.pictures[0]) > 200
    assert np.median(told.pictures[0]) < 60


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("count", [1, 4])
def test_a_phone_shows_everything_within_its_width(count: int, tmp_path: Path) -> None:
    name = "a rather long name of a run, number {}"
    runs = [made_run(seed=n % 2, generations=20, k=n // 2, name=name.format(n)) for n in range(count)]
    every = "[...document.querySelectorAll('{}')].filter(e => e.offsetHeight || e.clientHeight)"
    beside = (
        every.format("td, button, svg, h2") + ".filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
    )
    steps = [
        {"ask": "[document.documentElement.scrollWidth, innerWidth]"},
        {"ask": f"{beside}.length"},
        {"ask": f"Math.min(...{every.format('button')}.map(e => e.offsetHeight))"},
    ]
    text = report_page(runs, audits=lambda run, numbers: AUDITS)
    (width, inner), out, smallest = drive(text, tmp_path, steps, width=375, height=667, scheme="dark").answers
    assert width <= inner and out == 0
    assert smallest >= 44
