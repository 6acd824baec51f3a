"""Walks of real creatures, killed with SIGKILL at random moments and resumed by the command line, are as never killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import zoophyte as zp
from determinism.broken_runs import digest

ASKED = ("--population", "8", "--generations", "4", "--seconds", "6", "--set", "settle=1", "--seed", "5")
KILLS = 3
PROGRAM = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from zoophyte.cli.main import run; run()"
)  # what is started in the background of a shell would ignore SIGINT
PATIENCE = 300.0  # seconds for a whole run, on a machine that may have to compile first


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> None:
    _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, told


def lives_in(path: Path) -> int:
    return len(zp.Run(path)) if path.exists() else 0


def killed(process: subprocess.Popen[str], path: Path, more: int, delay: float) -> bool:
    """Kill a process, some time after it has judged so many more; whether it was still at work."""
    wanted, deadline = lives_in(path) + more, time.monotonic() + PATIENCE
    while process.poll() is None and lives_in(path) < wanted and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(delay)
    alive = process.poll() is None
    if alive:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return alive


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("unbroken")
    ended(started(folder, "evolve", "walk", *ASKED, "--store", "walk.db", "--workers", "1"))
    return digest(zp.Run(folder / "walk.db"))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there is no SIGKILL here")
@pytest.mark.parametrize(
    "words", ["--workers 1", "--workers 2", "--workers 8", "--workers 2 --executor processes"]
)
def test_a_walk_that_is_killed_and_resumed_is_as_never_killed(truth: str, tmp_path: Path, words: str) -> None:
    """Claim: kill -9 at any moment, then `resume`: every bit of an unbroken run. Oracle: that run. Tolerance: none."""
    chance, path = random.Random(words), tmp_path / "walk.db"
    begin = ("evolve", "walk", *ASKED, "--store", "walk.db", *words.split())
    found = []
    for _ in range(KILLS):
        go_on = ("resume", "walk.db", *words.split()) if path.exists() else begin
        if not killed(started(tmp_path, *go_on), path, chance.choice((0, 1)), chance.uniform(0.0, 0.5)):
            break
        found.append(lives_in(path))
    assert found and any(
        0 < count < 192 for count in found
    )  # it was broken off, and not only before it began
    ended(started(tmp_path, "resume", "walk.db", *words.split()))
    assert digest(zp.Run(path)) == truth


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no signals of this kind here")
def test_two_interruptions_end_a_walk_at_once_and_in_order(truth: str, tmp_path: Path) -> None:
    """Claim: Ctrl-C twice while kernels run ends the program in order, not with an abort; `resume` goes on.

    Oracle: the exit code, and the unbroken run. Tolerance: none.
    """
    path = tmp_path / "walk.db"
    process = started(tmp_path, "evolve", "walk", *ASKED, "--store", "walk.db", "--workers", "2")
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and not lives_in(path) and time.monotonic() < deadline:
        time.sleep(0.01)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert told.strip() == "zoophyte: stopped; what was judged is saved. Go on with: zoophyte resume walk.db"
    ended(started(tmp_path, "resume", "walk.db"))
    assert digest(zp.Run(path)) == truth
