"""The same seed is the same run: on 1, 2 or 8 workers, unbroken or killed and resumed, bit for bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import zoophyte as zp
from determinism.broken_runs import digest
from toys import Near, Toys
from zoophyte.evolution.populations import SCHEMES

SCRIPT = Path(__file__).with_name("broken_runs.py")
TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_the_number_of_workers_changes_nothing(scheme: str) -> None:
    if scheme == "cma":
        pytest.importorskip("cma")

    def run(workers: int) -> str:
        return digest(
            zp.evolve(
                Near(), genome=Toys(), population=12, generations=5, seed=3, scheme=scheme, workers=workers
            )
        )

    assert run(1) == run(2) == run(8)


def test_nor_do_processes() -> None:
    def run(executor: str) -> str:
        return digest(
            zp.evolve(
                Near(), genome=Toys(), population=12, generations=2, seed=3, executor=executor, workers=2
            )
        )

    assert run("threads") == run("processes")


@pytest.mark.parametrize("selection", ["comma", "roulette", "proportional", "tournament"])
def test_nor_with_any_selection(selection: str) -> None:
    def run(workers: int) -> str:
        return digest(
            zp.evolve(
                Near(),
                genome=Toys(),
                population=12,
                generations=5,
                seed=3,
                selection=selection,
                workers=workers,
            )
        )

    assert run(1) == run(8)


def test_the_digest_sees_a_difference() -> None:
    def run(seed: int) -> str:
        return digest(zp.evolve(Near(), genome=Toys(), population=4, generations=2, seed=seed, workers=1))

    assert run(1) == run(1) != run(2)


def test_killed_ten_times_and_resumed_is_as_never_killed(tmp_path: Path) -> None:
    """Real SIGKILLs at random moments; some of the generations, founders and schemes with a memory among them."""
    words = ["generational:4:1", "steady:2:8", "islands:1:2", "elites:1:2", "novelty:1:8"]
    if find_spec("cma"):
        words.append("cma:1:1")
    else:
        words[0] = "generational:5:1"
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path), "moments", *words], capture_output=True, text=True, check=False,
        timeout=300, env={**os.environ, "PYTHONPATH": str(TESTS)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["scheme"] for row in rows] == [word.split(":")[0] for word in words]
    assert {row["scheme"]: row["same"] for row in rows} == dict.fromkeys(
        (row["scheme"] for row in rows), True
    )
    # On a slow or a fast machine a kill may come too late; the run must have been broken at most of the moments.
    assert sum(row["kills"] for row in rows) >= 8
    assert any(count % 48 for row in rows for count in row["counts"])  # in the middle of a generation, too


def test_lives_of_real_creatures_are_the_same_on_any_number_of_workers() -> None:
    """Short walks of limbed creatures, judged by the herd in one chunk or in several."""

    def run(workers: int) -> str:
        return digest(
            zp.evolve(
                "walk", genome="limbed", population=6, generations=2, seed=1, workers=workers,
                task_settings={"seconds": 1.0, "settle": 0.2},
            )
        )  # fmt: skip

    assert run(1) == run(3)
