"""``zoophyte validate`` and ``zoophyte bench``: rows, JSON, exit codes."""

from __future__ import annotations

from typing import Any

import pytest

from commands import Run
from zoophyte.validation import Check, Measurement


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue of three checks in the place of the real one."""

    def entry(name: str, kind: Any, passed: bool, slow: bool = False) -> Check:
        def function() -> Measurement:
            """Because it must."""
            return Measurement(1.5, [1.0, 2.0], 0.5, passed, "rounding", "a quantity")

        return Check(name, kind, f"title of {name}", "a book", slow, function)

    checks = [
        entry("XYZ-C1", "law", True),
        entry("XYZ-C2", "claim", False),
        entry("XYZ-C3", "golden", False, True),
    ]
    monkeypatch.setattr("zoophyte.validation.catalogue", lambda: {check.id: check for check in checks})
    monkeypatch.setattr("zoophyte.validation.find", lambda id: {check.id: check for check in checks}[id])


@pytest.mark.usefixtures("catalogue")
def test_validate_runs_the_quick_checks_and_a_claim_does_not_bind(run: Run) -> None:
    done = run("validate")
    assert done.code == 0
    assert "pass  XYZ-C1    title of XYZ-C1: a quantity  |  1.5, expected [1, 2] ± 0.5" in done.out
    assert "not reproduced  XYZ-C2" in done.out
    assert "XYZ-C3" not in done.out
    assert done.out.endswith("2 rows: 1 pass, 0 fail, 1 not reproduced\n")


@pytest.mark.usefixtures("catalogue")
@pytest.mark.parametrize("arguments", [("--slow",), ("--only-slow",), ("XYZ-C3",)])
def test_validate_fails_when_a_law_or_a_golden_value_does(run: Run, arguments: tuple[str, ...]) -> None:
    done = run("validate", *arguments)
    assert done.code == 1
    assert "FAIL  XYZ-C3" in done.out


@pytest.mark.usefixtures("catalogue")
def test_validate_explains_and_lists(run: Run) -> None:
    assert "Because it must." in run("validate", "XYZ-C1", "--explain").out
    assert [line.split()[0] for line in run("validate", "--list").out.splitlines()[1:]] == [
        "XYZ-C1",
        "XYZ-C2",
        "XYZ-C3",
    ]
    assert [entry["slow"] for entry in run("validate", "--list", "--json").json] == [False, False, True]


@pytest.mark.usefixtures("catalogue")
def test_validate_as_json(run: Run) -> None:
    done = run("validate", "--slow", "--json")
    assert done.code == 1
    keys = ["id", "kind", "title", "measured", "expected", "tolerance", "passed", "source"]
    assert [list(row) for row in done.json] == [keys] * 3
    assert [row["passed"] for row in done.json] == [True, False, False]


def test_validate_knows_the_real_catalogue(run: Run) -> None:
    done = run("validate", "GAR-G1", "--json")
    assert done.code == 0
    assert {row["id"] for row in done.json} == {"GAR-G1"}


@pytest.fixture
def two_rows(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Two made-up benchmarks in the place of the real ones; the list tells which were asked for."""
    from zoophyte.bench import Row

    asked: list[Any] = []

    def run_benchmarks(names: list[str] | None) -> list[Row]:
        asked.append(names)
        return [
            Row("fast", "a tree", 2.0, 5.0, "Other", "µs", 2.5, "≥ 2", True, "equal to 1e-14"),
            Row("gpu", "many trees", None, None, "no GPU", "/s", None),
        ]

    monkeypatch.setattr("zoophyte.bench.run_benchmarks", run_benchmarks)
    monkeypatch.setattr("zoophyte.bench.chosen_names", lambda names: names or ["fast", "gpu"])
    monkeypatch.setattr("zoophyte.bench.benchmarks", lambda: {"fast": "A tree.", "gpu": "Many trees."})
    return asked


def test_bench_prints_ours_beside_the_peer(run: Run, two_rows: list[Any]) -> None:
    done = run("bench", "fast", "gpu")
    assert (done.code, two_rows) == (0, [["fast", "gpu"]])
    assert "ours 2 µs, Other 5 µs, ratio 2.5, bar ≥ 2: reached" in done.out
    assert "checked: equal to 1e-14" in done.out
    assert "ours –, no GPU –" in done.out


def test_bench_as_json_and_as_a_list(run: Run, two_rows: list[Any]) -> None:
    rows = run("bench", "--json").json
    assert two_rows == [None]
    assert {"name", "ours", "peer", "peer_name", "unit", "ratio", "checked"} <= set(rows[0])
    assert "fast  A tree." in run("bench", "--list").out
    assert run("bench", "--list", "--json").json[1] == {"name": "gpu", "what": "Many trees."}
    assert run("bench", "--list", "gpu", "--json").json == [{"name": "gpu", "what": "Many trees."}]
