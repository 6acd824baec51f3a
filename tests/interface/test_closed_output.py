"""The program prints to whatever is there: a closed output, or one that only knows ASCII, is no error inside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

LAUNCH = (
    "import os, sys; [os.close(int(fd)) for fd in sys.argv[1].split()]; "
    "os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
)


def program(*arguments: str, closed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The command line, with some of its streams closed before it starts."""
    command = [sys.executable, "-c", LAUNCH, closed, "-m", "zoophyte", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=60, check=False
    )


@pytest.mark.parametrize("closed", ["1", "2", "1 2"])
def test_nobody_has_to_listen(closed: str) -> None:
    """`zoophyte zoo >&-` said that something went wrong inside: a closed output is None in Python."""
    done = program("zoo", closed=closed)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("name") == ("1" not in closed)


def test_an_error_has_its_code_though_nobody_hears_it() -> None:
    assert program("zoo", "nobody", closed="1 2").returncode == 2


def test_an_output_of_ascii_gets_escapes() -> None:
    """A section sign ended the program: "'ascii' codec can't encode character"."""
    done = program("zoo", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii() and "Garcia 2023, \\xa78.2" in done.stdout


def test_json_for_an_output_of_ascii_is_json() -> None:
    told: list[Any] = [
        json.loads(program("zoo", "--json", PYTHONIOENCODING=code).stdout) for code in ("ascii", "utf-8")
    ]
    assert told[0] == told[1]
