"""Asks another process to read faulty files, and says which of them end otherwise than they may."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import zoophyte

SECONDS = 10.0
"""Of the processor, that a file may cost."""
BYTES = 2**30
PATIENCE = 120.0
"""Seconds on the clock after which a process that says nothing is taken to wait for ever."""
TESTS = Path(__file__).parents[1]


class Reader:
    """Another process, started anew when a file was its end."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None
        self.complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed in close()
        self.folder = tempfile.TemporaryDirectory(prefix="fuzz")

    def ask(self, kind: str, number: int) -> dict[str, object]:
        """What came of a case."""
        if self.process is None:
            self.process = self._started()
        process = self.process
        assert process.stdin is not None
        print(kind, number, file=process.stdin, flush=True)
        line = self._line()
        if line:
            return json.loads(line)  # type: ignore[no-any-return]
        is_waiting = line is None
        process.kill()
        code = process.wait()
        self.process = None
        how = f"no answer within {PATIENCE:g} s" if is_waiting else f"the process ended with {code}"
        return {"outcome": f"FAULT {how}", "seconds": 0.0, "bytes": 0, "trace": self._last_words()}

    def _started(self) -> subprocess.Popen[str]:
        paths = [
            os.fspath(TESTS),
            os.fspath(Path(zoophyte.__file__).parents[1]),
            os.environ.get("PYTHONPATH", ""),
        ]
        # The interpreter's form of the kernels: no case is to wait for a compiler.
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "NUMBA_DISABLE_JIT": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-W", "ignore", "-m", "fuzz.child"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.complaints, text=True, env=environment, cwd=self.folder.name,
        )  # fmt: skip
        assert self._line() == "ready\n", self._last_words()
        return self.process

    def _line(self) -> str | None:
        """What the process says next, nothing if it has ended, and None if it says nothing for long."""
        assert self.process is not None and self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        return self.process.stdout.readline() if ready else None

    def _last_words(self) -> str:
        self.complaints.seek(0)
        return self.complaints.read()[-3000:]

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            assert self.process.stdin is not None and self.process.stdout is not None
            self.process.stdin.close()
            self.process.wait(PATIENCE)
            self.process.stdout.close()
        self.complaints.close()
        self.folder.cleanup()


def faults(cases: Iterable[tuple[str, int]]) -> tuple[list[str], Counter[str]]:
    """Cases that end in anything but a result or an error of ours, or cost too much; and how many end how."""
    reader = Reader()
    found, outcomes = [], Counter[str]()
    try:
        for kind, number in cases:
            told = reader.ask(kind, number)
            outcome, seconds, size = (
                str(told["outcome"]),
                float(str(told["seconds"])),
                int(str(told["bytes"])),
            )
            outcomes[outcome] += 1
            if outcome.startswith("FAULT") or seconds > SECONDS or size > BYTES:
                again = (
                    f"PYTHONPATH=src:tests NUMBA_DISABLE_JIT=1 python -m fuzz.child {kind} {number} FOLDER"
                )
                cost = f"{seconds:.1f} s, {size / 2**20:.0f} MiB"
                found.append(f"{kind} {number}: {outcome}, {cost}; alone: {again}\n{told['trace']}")
    finally:
        reader.close()
    return found, outcomes
