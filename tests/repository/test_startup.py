"""What must answer at once loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numba", "llvmlite", "scipy")

HELP = """
import sys
sys.argv = ["zoophyte", *{words!r}, "--help"]
from zoophyte.cli.main import run
try:
    run()
except SystemExit as end:
    assert not end.code, end.code
"""
REPORT = f"\nimport sys\nprint('loaded:', *[name for name in {HEAVY!r} if name in sys.modules])\n"


def help_of(*words: str) -> str:
    """The program that prints the help of a command."""
    return HELP.replace("{words!r}", repr(words))


def loaded_after(program: str) -> list[str]:
    """Which heavy packages a fresh interpreter has loaded after running `program`."""
    done = subprocess.run(
        [sys.executable, "-c", program + REPORT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()[1:]


@pytest.mark.parametrize(
    "program", ["import zoophyte", help_of(), help_of("evolve")], ids=["import", "help", "help of evolve"]
)
def test_loads_nothing_heavy(program: str) -> None:
    assert loaded_after(program) == []


def test_the_report_sees_what_is_loaded() -> None:
    assert loaded_after("import scipy") == ["scipy"]
