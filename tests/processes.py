"""Python programs in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping


def run_python(
    program: str, environment: Mapping[str, str], *options: str, limit: float = 300.0
) -> tuple[str, str]:
    """What a program printed to stdout, without white space around it, and to stderr; it must end well.

    Args:
        program: its text.
        environment: all variables that it sees.
        options: of the interpreter.
        limit: of its time; a large kernel takes minutes to compile [s].
    """
    done = subprocess.run(
        [sys.executable, *options, "-c", program],
        env=environment, capture_output=True, text=True, check=False, timeout=limit,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr
