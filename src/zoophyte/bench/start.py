"""How long until something happens: cold cache, warm cache, and the help text."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from zoophyte.bench.harness import Row, benchmark
from zoophyte.errors import UsageError
from zoophyte.numbers.cache import package_root

FIRST_STEP = "import zoophyte as zp; zp.World(zp.zoo.double_pendulum()).simulate(seconds=0.001)"


EDITED = """
import zoophyte as zp
body = zp.zoo.dominoes()
world = zp.World(body, zp.Habitat(medium=zp.Medium(density=1.2, viscosity=1.8e-5)), dt=1e-3)
print(world.simulate(seconds=0.002).q.tobytes().hex())
"""
EDITS = (
    ("law of force", "physics/dynamics/medium.py", "number(-1.0, g[0])", "number(-1.0625, g[0])", 5.0),
    ("stage", "physics/contact/solver.py", "LATE_ROUNDS = 3", "LATE_ROUNDS = 4", 15.0),
    ("pair of shapes", "physics/contact/detect/box_pairs.py", "ACROSS = 0.7", "ACROSS = 0.71", 15.0),
)
"""What is edited, where, from what to what, and how long the first step may take afterwards [s]."""


def timed(command: list[str], cache: str, sources: str = "") -> float:
    """Wall-clock seconds of a fresh process."""
    own = {"ZOOPHYTE_CACHE_DIR": cache, **({"PYTHONPATH": sources} if sources else {})}
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **own})
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


@benchmark("edit")
def edit() -> Iterator[Row]:
    """From a changed line of the physics to the first step, all else being compiled: one world with contact in air."""
    with tempfile.TemporaryDirectory() as folder:
        package, cache = Path(folder) / "sources" / "zoophyte", str(Path(folder) / "cache")
        shutil.copytree(package_root(), package, ignore=shutil.ignore_patterns("__pycache__"))
        command = [sys.executable, "-B", "-c", EDITED]
        timed(command, cache, str(package.parent))
        for what, file, old, new, bar in EDITS:
            path = package / file
            text = path.read_text(encoding="utf-8")
            if text.count(old) != 1:
                raise UsageError(
                    f"{file} has {old!r} {text.count(old)} times, must have it once, to be edited."
                )
            path.write_text(text.replace(old, new), encoding="utf-8")
            seconds = timed(command, cache, str(package.parent))
            path.write_text(text, encoding="utf-8")
            yield Row(
                "edit", f"a line of a {what} to the first step", seconds, None, "", "s", None, f"under {bar:g} s",
                seconds < bar, "the process ended well",
            )  # fmt: skip
