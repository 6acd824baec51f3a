"""Measure forward dynamics and the free step on a GPU: 65 536 different trees of 12 hinges, float32.

    python tools/measure_cuda.py [--site FOLDER …] [--creatures N] [--only NAME …] > figures.json

Every variant (where scratch lies, whether a kernel is tailored) runs in its own process, so that one that fails takes no
other with it.  Before a variant is timed, its results are compared with those of the CPU: bit for bit with
the float32 form, and within float32's rounding with the float64 form.

The script needs NumPy, Numba and numba-cuda only.  `--site` adds folders with unpacked packages.
"""

from __future__ import annotations

import argparse
import json
import site
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent


def prepare(sites: list[str]) -> None:
    """Make the kernels importable where only NumPy and Numba are: the packages' own imports are skipped."""
    for folder in sites:
        site.addsitedir(folder)
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # type: ignore[attr-defined]
    sys.path.insert(0, str(ROOT / "src"))
    for name in ("model", "physics", "bench"):
        package = ModuleType(f"zoophyte.{name}")
        package.__path__ = [str(ROOT / "src" / "zoophyte" / name)]
        sys.modules[package.__name__] = package


def main() -> int:
    """Measure all variants, or one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", action="append", default=[], help="folder with unpacked packages")
    parser.add_argument("--creatures", type=int, default=65536)
    parser.add_argument("--only", action="append", default=[], help="variants to measure")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of launches; 0 to check results only")
    parser.add_argument("--seconds", type=float, default=540.0, help="start no variant later than this")
    parser.add_argument("--here", help="measure this variant in this process")
    given = parser.parse_args()
    prepare(given.site)
    from zoophyte.bench.gpu import LIVES, VARIANTS, measure

    if given.here:
        sys.stdout.write(json.dumps(measure(given.here, given.creatures, given.rounds)) + "\n")
        return 0
    figures: list[dict[str, Any]] = []
    began = time.perf_counter()
    for name in given.only or [*VARIANTS, *LIVES]:
        if time.perf_counter() - began > given.seconds:
            figures.append({"variant": name, "failed": "not started, out of time"})
            continue
        command = [sys.executable, __file__, "--here", name, "--creatures", str(given.creatures),
                   "--rounds", str(given.rounds)]  # fmt: skip
        for folder in given.site:
            command += ["--site", folder]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
            last = (done.stdout.strip().splitlines() or [""])[-1]
            problem = done.stderr[-1500:]
        except subprocess.TimeoutExpired:
            last, problem = "", "took longer than 180 s"
        figures.append(json.loads(last) if last.startswith("{") else {"variant": name, "failed": problem})
        told = {k: v for k, v in figures[-1].items() if k not in ("device", "creatures")}
        sys.stderr.write(json.dumps(told) + "\n")
        sys.stderr.flush()
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    return 0 if all("failed" not in row for row in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
