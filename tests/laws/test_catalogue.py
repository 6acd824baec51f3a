"""Every law and golden value of the catalogue holds, and the catalogue serves `zoophyte validate`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from zoophyte.errors import UsageError
from zoophyte.validation import (
    Check,
    Measurement,
    Result,
    catalogue,
    compare,
    explain,
    find,
    run_check,
    run_checks,
)
from zoophyte.validation.page import write_page

KEYS = ["id", "kind", "title", "measured", "expected", "tolerance", "passed", "source"]
TESTED = [found for found in catalogue().values() if found.kind in ("law", "golden")]


@pytest.mark.parametrize(
    "found", [pytest.param(c, id=c.id, marks=[pytest.mark.slow] if c.slow else []) for c in TESTED]
)
def test_check_holds(found: Check) -> None:
    results = list(run_check(found))
    assert [f"{r.title}: {r.measured} is not {r.expected}" for r in results if not r.passed] == []


def test_the_catalogue_holds_what_it_should() -> None:
    numbers = {
        "GAR-G": [1, 2, 3], "GAR-C": [1, 3, 5, 8, 9, 13], "WIL-C": [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 18],
        "ARN-C": [*range(1, 12), 21, 23, *range(25, 31)], "FON-C": [1, 3, 6, 7],
        "FON-S": [8, 9, 10, 17, 18, 19, 20], "MCK-C": [1, 2, 3, 5, 6, 7, 8, 10, 11, 15],
    }  # fmt: skip
    laws = [
        "LAW-free-fall", "LAW-projectile", "LAW-pendulum-period", "LAW-integrator-order", "LAW-aba-rnea",
        "LAW-double-pendulum-energy-order", "LAW-free-flight-momentum", "LAW-torque-free-body",
        "LAW-mass-matrix", "LAW-power-balance", "LAW-cantilever-frequency", "LAW-cantilever-sag",
        "LAW-spatial-algebra", "LAW-spinning-throw", "IMP-beam-damping", "IMP-beam-frequency",
        "IMP-ball-chain", "IMP-ball-spring-energy", "LAW-stick-slip", "LAW-stopping-distance", "LAW-rolling-sphere",
        "LAW-rebound", "LAW-cradle", "LAW-four-bar", "LAW-rest", "LAW-rest-terrain", "LAW-weight", "LAW-pinch",
        "LAW-contact-momentum", "LAW-contact-energy",
    ]  # fmt: skip
    wanted = {f"{prefix}{n}" for prefix, all_of in numbers.items() for n in all_of} | set(laws)
    assert wanted - set(catalogue()) == set()
    assert [id for id in wanted if catalogue()[id].slow] == []


@pytest.mark.parametrize("spelling", ["GAR-C9", "gar-c9", "GAR-C-09", "GAR-C09", "gar-c-9", " GAR-C9 "])
def test_ids_in_every_spelling(spelling: str) -> None:
    assert find(spelling).id == "GAR-C9"


def test_a_law_is_found_by_its_name_in_any_case() -> None:
    assert find("law-Free-Fall").id == "LAW-free-fall"


def test_an_unknown_id_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="'LAW-free-fall'"):
        run_checks(["LAW-free-fal"])


def test_rows_have_exactly_the_keys_and_survive_json() -> None:
    rows = [result.row() for result in run_checks(["MCK-C7", "WIL-C8"])]
    assert [list(row) for row in rows] == [KEYS] * len(rows)
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    assert {row["id"] for row in rows} == {"MCK-C7", "WIL-C8"}


def test_an_id_given_twice_runs_once() -> None:
    assert len(list(run_checks(["MCK-C7", "mck-c-07"]))) == 1


def broken() -> Iterator[Measurement]:
    """A check that breaks after its first row."""
    yield compare(1.0, 1.0, why="exact")
    raise ZeroDivisionError("oh")


def test_what_a_check_raises_is_a_row_that_failed() -> None:
    found = Check("X-C1", "law", "broken", "here", False, broken)
    first, second = run_check(found)
    assert first.passed
    assert not second.passed
    assert second.measured == "ZeroDivisionError: oh"


def empty() -> list[Measurement]:
    """A check that measures nothing."""
    return []


def test_a_check_that_measures_nothing_fails() -> None:
    (result,) = run_check(Check("X-C2", "law", "empty", "here", False, empty))
    assert not result.passed


@pytest.mark.parametrize(
    ("measured", "expected", "passed"),
    [(1.0, 1.0, True), (1.0 + 2e-9, 1.0, False), (float("nan"), 1.0, False), ([1.0, 2.0], [1.0, 2.1], False)],
)
def test_compare_fails_when_it_should(measured: object, expected: object, passed: bool) -> None:
    assert compare(measured, expected, relative=1e-9, why="test").passed is passed


def test_what_is_not_finite_can_still_be_written_as_json() -> None:
    row = compare([float("nan"), float("inf")], 1.0, absolute=1.0, why="test")
    assert json.loads(json.dumps(row.measured, allow_nan=False)) == ["nan", "inf"]


def test_every_check_can_be_explained() -> None:
    for found in catalogue().values():
        assert len(found.derivation) > 40, found.id
    text = explain(find("MCK-C7"), run_check(find("MCK-C7")))
    assert "diag(m₁ + m₂, m₁)" in text
    assert "exact" in text


@pytest.mark.parametrize("id", [c.id for c in catalogue().values() if c.figure])
def test_figures_are_drawn(id: str) -> None:
    figure = find(id).figure
    assert figure is not None
    assert len(figure().splitlines()) > 10


def test_the_page_shows_every_check(tmp_path: Path) -> None:
    few = [find(id) for id in ("MCK-C7", "WIL-C8", "GAR-C8")]
    write_page(tmp_path / "validation.md", [(found, list(run_check(found))) for found in few])
    text = (tmp_path / "validation.md").read_text(encoding="utf-8")
    assert all(f"### {found.id}: " in text for found in few)
    assert "3 checks: " in text
    assert "**no**" not in text
    assert "# Validation" in text


def test_the_page_of_long_experiments_tells_laws_from_claims(tmp_path: Path) -> None:
    claim, law = find("ARN-C42"), find("LAW-soak-pile")
    rows = {
        claim: [Result(claim.id, claim.kind, "six legs", "1", "2", 0.0, False, claim.source, "four seeds")],
        law: [Result(law.id, law.kind, "depth", 3.0, 0.0, 2.0, False, law.source, "asked for")],
    }
    write_page(tmp_path / "experiments.md", list(rows.items()))
    text = (tmp_path / "experiments.md").read_text(encoding="utf-8")
    assert "# Long experiments" in text
    assert "0 of 1 row pass; 0 of 1 row of claims are reproduced" in text
    assert "| not reproduced |" in text
    assert "| **no** |" in text
