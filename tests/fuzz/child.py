"""The process in which cases are read: ``python -m fuzz.child`` takes lines like ``mjcf 17`` and answers each with JSON.

With a case on the command line (``python -m fuzz.child mjcf 17 FOLDER``) its files are left in a folder, and what is
raised is shown.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

from fuzz import cases, corpus
from zoophyte.errors import ZoophyteError

ROOM = 6 * 2**30
"""Bytes of addresses beyond those that the process has at first: a guard of the machine; what is judged is the peak."""


def resident(name: str) -> int:
    """A line of the process's status [bytes]: VmRSS is what it has, VmHWM the most that it had."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    return 0


def answer(kind: str, number: int) -> dict[str, object]:
    """Read one case in a folder of its own, and tell what came of it."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz"))
    try:
        path, rng = cases.make(kind, number, folder)
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before, start = resident("VmRSS"), time.process_time()
        trace = ""
        try:
            cases.read(kind, path, rng)
            outcome = "result"
        except ZoophyteError as failure:
            outcome = type(failure).__name__
        except BaseException as failure:
            outcome, trace = f"FAULT {type(failure).__name__}", traceback.format_exc()[-3000:]
        seconds = time.process_time() - start
        return {"outcome": outcome, "seconds": seconds, "bytes": resident("VmHWM") - before, "trace": trace}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    if len(sys.argv) > 1:
        folder = Path(sys.argv[3])
        folder.mkdir(parents=True)
        path, rng = cases.make(sys.argv[1], int(sys.argv[2]), folder)
        cases.read(sys.argv[1], path, rng)
        return
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print goes elsewhere
    corpus.yaml_texts(), corpus.mjcf_texts(), corpus.lives(), corpus.terrains(), corpus.creature_on_ground()
    resource.setrlimit(resource.RLIMIT_AS, (resident("VmSize") + ROOM,) * 2)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        kind, number = line.split()
        print(json.dumps(answer(kind, int(number))), file=answers, flush=True)


if __name__ == "__main__":
    main()
