"""Measure whole lives on a GPU: mixed box creatures, ants and humanoids, one creature per thread, float32.

    python tools/measure_herd_cuda.py [--site FOLDER …] [--only NAME …] > docs/data/h200_herd.json

Each row tells how many creature-steps a second were made, once with everything from descriptions in memory to lives read
(`all_s`), and once from pens in the host's memory to the numbers of all lives back there (`device_s`).  Statuses and
distances of the first 1 000 lives of `boxes-8192` are compared with those of float32 lanes on the CPU, which another process
lives meanwhile.

The script needs the package with its dependencies, and numba-cuda.  `--site` adds folders with unpacked packages.
"""

from __future__ import annotations

import argparse
import json
import site
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
COMPARED = "boxes-8192"
"""The workload whose first lives are compared."""


def main() -> int:
    """Measure all workloads, or some."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", action="append", default=[], help="folder with unpacked packages")
    parser.add_argument("--only", action="append", default=[], help="workloads to measure")
    parser.add_argument(
        "--compared", type=int, default=1000, help="lives to compare with the CPU; 0 for none"
    )
    parser.add_argument(
        "--humanoid", help="description of the humanoid as JSON, if MuJoCo's file is not installed"
    )
    parser.add_argument("--seconds", type=float, default=1e9, help="start no workload later than this")
    parser.add_argument(
        "--cpu-part", action="store_true", help="only the lives on the CPU, to standard output"
    )
    given = parser.parse_args()
    for folder in given.site:
        site.addsitedir(folder)
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # type: ignore[attr-defined]
    sys.path.insert(0, str(ROOT / "src"))
    from zoophyte.bench.herd.gpu import WORKLOADS, agreement, measure, on_cpu, summary

    if given.cpu_part:
        sys.stdout.write(json.dumps(on_cpu(given.compared)) + "\n")
        return 0
    began, rows, other = time.perf_counter(), [], None
    names = given.only or list(WORKLOADS)
    if given.compared and COMPARED in names:
        command = [sys.executable, __file__, "--cpu-part", "--compared", str(given.compared)]
        for folder in given.site:
            command += ["--site", folder]
        other = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for name in names:
        if time.perf_counter() - began > given.seconds:
            rows.append({"workload": name, "failed": "not started, out of time"})
            continue
        figures, lives = measure(name, given.humanoid)
        rows.append(figures)
        tell(figures)
        if name == COMPARED and other is not None:
            theirs = json.loads(other.communicate()[0].splitlines()[-1])
            rows.append(agreement(summary(lives[: given.compared]), theirs))
            tell(rows[-1])
    sys.stdout.write(json.dumps(rows, indent=1) + "\n")
    return 0


def tell(row: dict[str, Any]) -> None:
    """One row as soon as it is known."""
    sys.stderr.write(json.dumps(row) + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
