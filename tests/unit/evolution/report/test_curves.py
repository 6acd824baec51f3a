"""Curves: well-formed SVG whose points are the values that were given."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from runs import made_run
from zoophyte.errors import FileError, UsageError
from zoophyte.evolution.report import Generation, write_curves
from zoophyte.evolution.report.curves import Line, Panel, drawn, figure, history_panels, score, whole_axis

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '</title><script>alert(1)</script>"&\x00'


def points(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path)]


def test_the_file_is_svg_for_light_and_dark(tmp_path: Path) -> None:
    write_curves(made_run(generations=12).rows, tmp_path / "fitness.svg", title=HOSTILE)
    text = (tmp_path / "fitness.svg").read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg" and not root.findall(f".//{SVG}script")
    assert "prefers-color-scheme:dark" in text
    addresses = set(re.findall(r"https?://[^\s\"')]+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name of the format, which nothing loads
    assert len(text) < 20_000


def test_points_lie_where_values_are() -> None:
    """Oracle: the scale given by two ticks and their labels; a tenth of a pixel is written."""
    x, y = np.arange(5.0), np.array([0.0, 10.0, 5.0, 20.0, 15.0])
    root = ElementTree.fromstring(drawn([Panel("fitness", (Line("best", x, y),))]))
    (line,) = [each for each in root.iter(f"{SVG}path") if "line" in (each.get("class") or "")]
    columns, rows = np.array(points(line.get("d") or "")).T
    frame = json.loads(root.get("data-frame") or "")
    assert columns == pytest.approx(
        frame["left"] + frame["width"] * (x - frame["low"]) / (frame["high"] - frame["low"]), abs=0.1
    )
    ticks = {
        float(each.text or "nan"): float(each.get("y") or "nan") - 4.0
        for each in root.iter(f"{SVG}text")
        if each.get("text-anchor") == "end"
    }
    slope = (ticks[20.0] - ticks[0.0]) / 20.0
    assert rows == pytest.approx(ticks[0.0] + slope * y, abs=0.15)


def test_gaps_are_gaps_and_a_lone_value_is_a_dot() -> None:
    y = np.array([1.0, 2.0, math.nan, 3.0, math.nan])
    root = ElementTree.fromstring(drawn([Panel("fitness", (Line("best", np.arange(5.0), y),))]))
    assert len([each for each in root.iter(f"{SVG}path") if "line" in (each.get("class") or "")]) == 1
    assert len(list(root.iter(f"{SVG}circle"))) == 1


@pytest.mark.parametrize("count", [1, 2, 3, 1000])
def test_generations_are_whole_numbers(count: int) -> None:
    made = whole_axis(0.0, count - 1.0, count=9)
    assert made.ticks and all(tick == round(tick) for tick in made.ticks)
    assert list(made.labels) == [str(round(tick)) for tick in made.ticks]


def test_a_run_of_failures_can_be_drawn(tmp_path: Path) -> None:
    nothing = math.nan
    write_curves([Generation(0, -1.0, nothing, nothing, nothing, nothing)], tmp_path / "f.svg")
    write_curves([Generation(0, nothing, nothing, nothing, nothing, nothing)], tmp_path / "g.svg")
    assert ElementTree.parse(tmp_path / "g.svg").getroot().tag == f"{SVG}svg"


def test_diversity_has_a_panel_only_when_it_was_measured() -> None:
    rows = made_run(generations=3).rows
    assert [panel.label for panel in history_panels(rows)] == ["fitness", "diversity"]
    bare = [Generation(row.number, row.best, row.mean, row.lower, row.median, row.upper) for row in rows]
    assert [panel.label for panel in history_panels(bare)] == ["fitness"]


def test_nothing_to_draw_and_nowhere_to_write_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no finished generation"):
        write_curves([], tmp_path / "f.svg")
    with pytest.raises(FileError, match="cannot be written"):
        write_curves(made_run(generations=2).rows, tmp_path / "no" / "f.svg")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (26.5, "26.50"), (-3.25, "−3.250"), (12345.6, "12\u202f346"), (math.inf, "–"), (1e-9, "1e−09"),
     (1234.0, "1234")],
)  # fmt: skip
def test_scores_are_written_for_people(value: float, text: str) -> None:
    assert score(value) == text


def test_figures_drop_zeros() -> None:
    assert (figure(10.0), figure(0.25), figure(15120.0)) == ("10", "0.25", "15\u202f120")
