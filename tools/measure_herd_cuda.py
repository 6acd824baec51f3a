"""Measure whole lives on a GPU: mixed box creatures, ants and humanoids, float32.

    python tools/measure_herd_cuda.py [--site FOLDER …] [--only NAME …] > docs/data/h200_herd.json

Each row tells how many creature-steps a second were made, once with everything from genotypes in memory to what is told
of lives (`all_s`, by a nursery that has worked before), and once from pens in the host's memory to the numbers of all
lives back there (`device_s`).  Statuses and distances of the first 1 000 lives of `boxes-8192` are compared with those of
float32 lanes on the CPU.  Kernels are compiled first, side by side with these lives, and kept.

The script needs the package with its dependencies, and numba-cuda.  `--site` adds folders with unpacked packages.
"""

from __future__ import annotations

import argparse
import json
import os
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
    given = arguments()
    for folder in given.site:
        site.addsitedir(folder)
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # type: ignore[attr-defined, unused-ignore]
    sys.path.insert(0, str(ROOT / "src"))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), *given.site])  # of who makes bodies
    from zoophyte.bench.herd.gpu import HUMANOID, WORKLOADS, agreement, measure, on_cpu

    if given.humanoid:
        os.environ[HUMANOID] = given.humanoid
    if given.cpu_part:
        sys.stdout.write(json.dumps(on_cpu(given.compared)) + "\n")
        return 0
    names, rows = given.only or list(WORKLOADS), []
    began = time.perf_counter()
    theirs = prepared(given, names)
    tell({"prepared_s": round(time.perf_counter() - began, 1)})
    began = time.perf_counter()
    for name in names:
        if time.perf_counter() - began > given.seconds:
            rows.append({"workload": name, "failed": "not started, out of time"})
            continue
        figures, told = measure(name)
        rows.append(figures)
        tell(figures)
        if name == COMPARED and theirs:
            rows.append(agreement(told[: given.compared], theirs))
            tell(rows[-1])
    sys.stdout.write(json.dumps(rows, indent=1) + "\n")
    return 0


def arguments() -> argparse.Namespace:
    """What is asked on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", action="append", default=[], help="folder with unpacked packages")
    parser.add_argument("--only", action="append", default=[], help="workloads to measure")
    parser.add_argument(
        "--compared", type=int, default=1000, help="lives to compare with the CPU; 0 for none"
    )
    parser.add_argument(
        "--humanoid", help="description of the humanoid as JSON, if MuJoCo's is not installed"
    )
    parser.add_argument("--seconds", type=float, default=1e9, help="start no workload later than this")
    parser.add_argument(
        "--cpu-part", action="store_true", help="only the lives on the CPU, to standard output"
    )
    parser.add_argument("--theirs", help="file with what --cpu-part has written elsewhere")
    parser.add_argument(
        "--binaries", help="folder with kernels that were compiled elsewhere and kept, named by label"
    )
    return parser.parse_args()


def prepared(given: argparse.Namespace, names: list[str]) -> list[Any]:
    """Have all kernels compiled or loaded, and the lives on the CPU lived, by another process meanwhile; these lives."""
    from zoophyte.numbers.cuda import binaries, require_device
    from zoophyte.numbers.cuda.toolkit import QUICK
    from zoophyte.physics.cuda.lives import LANES, MANY_LANES, label, launcher

    capability = require_device().get_current_device().compute_capability
    other = None
    if given.compared and COMPARED in names and not given.theirs:
        command = [sys.executable, __file__, "--cpu-part", "--compared", str(given.compared)]
        for folder in given.site:
            command += ["--site", folder]
        other = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for lanes in (LANES, MANY_LANES):
        if given.binaries and (built := binaries.kept(Path(given.binaries, f"{label(lanes)}.cubin"))):
            binaries.keep(binaries.binary_path(label(lanes), capability, QUICK), *built)
        launcher(lanes)
    if other is not None:
        return list(json.loads(other.communicate()[0].splitlines()[-1]))
    return list(json.loads(Path(given.theirs).read_text(encoding="utf-8"))) if given.theirs else []


def tell(row: dict[str, Any]) -> None:
    """One row as soon as it is known."""
    sys.stderr.write(json.dumps(row) + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
