"""How long until something happens: cold cache, warm cache, and the help text."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from zoophyte.bench.harness import Row, benchmark

FIRST_STEP = "import zoophyte as zp; zp.World(zp.zoo.double_pendulum()).simulate(seconds=0.001)"


def timed(command: list[str], cache: str) -> float:
    """Wall-clock seconds of a fresh process."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "ZOOPHYTE_CACHE_DIR": cache})
    return time.perf_counter() - begin


@benchmark("cold-start")
def cold_start() -> Iterator[Row]:
    """From an empty kernel cache, and from a full one, to the first step; and `zoophyte --help`."""
    python = sys.executable
    with tempfile.TemporaryDirectory() as cache:
        cold = timed([python, "-c", FIRST_STEP], cache)
        warm = min(timed([python, "-c", FIRST_STEP], cache) for _ in range(3))
        helping = min(timed([python, "-m", "zoophyte", "--help"], cache) for _ in range(5))
    for workload, seconds, bar in (
        ("fresh cache to first step", cold, 30.0),
        ("warm cache to first step", warm, 2.0),
        ("zoophyte --help", helping, 0.5),
    ):
        yield Row(
            "cold-start",
            workload,
            seconds,
            None,
            "",
            "s",
            None,
            f"under {bar:g} s",
            seconds < bar,
            "the process ended well",
        )
