"""Rows with qualities on the page and on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from zoophyte.bench import Quality, Row
from zoophyte.bench.page import _scaled, write_page
from zoophyte.cli import bench as verb

QUALITY = (Quality("Zoophyte", 1.5e-6, 0.0, 60.0, -2e-9, 0.0), Quality("Other", 1e-3, 2e-2, 60.0, -0.5, 0.25))
ROWS = [
    Row("wall", "bricks", 2.0, 5.0, "Other", "µs", 2.5, "≥ 1", True, "alike", QUALITY),
    Row("plain", "a tree", 1.0, None, "", "µs", None),
]


def test_the_page_has_a_second_table_of_qualities(tmp_path: Path) -> None:
    path = tmp_path / "performance.md"
    write_page(path, iter(ROWS))
    text = path.read_text(encoding="utf-8")
    assert text.count("| `wall` | bricks |") == 2 and text.count("`plain`") == 1
    line = "| `wall` | bricks | Zoophyte / Other | 1.5 µm / 1 mm | 0 m / 20 mm | 60 s | −2 nJ / −0.5 J | 0 J / 0.25 J |"
    assert line in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 m"), (1.9e-5, "19 µm"), (4.5e-3, "4.5 mm"), (0.12, "0.12 m"), (-11.4, "−11 m"), (250.0, "250 m"),
     (2.1e-13, "0.21 pm"), (3e-17, "0 m")],
)  # fmt: skip
def test_figures_have_prefixes(value: float, text: str) -> None:
    assert _scaled(value, "m") == text


def test_a_page_without_contact_has_no_such_table(tmp_path: Path) -> None:
    path = tmp_path / "performance.md"
    write_page(path, ROWS[1:])
    assert "contact" not in path.read_text(encoding="utf-8")


def test_the_command_line_prints_both_sides(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("zoophyte.bench.run_benchmarks", lambda names: iter(ROWS))
    monkeypatch.setattr("zoophyte.bench.chosen_names", lambda names: ["wall", "plain"])
    verb.bench(None)
    lines = capsys.readouterr().out.splitlines()
    assert lines[3].startswith("    Zoophyte: penetration 1.5e-06 m, creep 0 m in 60 s")
    assert lines[4].endswith("energy drift -0.5 J, energy gain 0.25 J")
    assert lines[5] == "plain  a tree"
    assert ROWS[0].to_json()["quality"][1]["creep"] == 2e-2
