"""The kernels of herds in float32, compiled all at once in processes, before they are needed."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed

import numpy as np

from zoophyte.physics.entries import LANES
from zoophyte.simulation.herd.herd import SINGLE_WIDTH, prepare

SINGLE_FORMS: dict[str, tuple[int, bool]] = {
    f"herds of unlike bodies and worlds, {LANES} per register, float32": (LANES, True),
    f"herds of like bodies, {SINGLE_WIDTH} per register, float32": (SINGLE_WIDTH, False),
    f"like bodies that evolve, {LANES} per register, float32": (LANES, False),
}
"""What herds, worlds and runs in float32 need: the width, and whether bodies are unlike, by the name that is shown."""


def compile_form(name: str) -> str:
    """Compile one of SINGLE_FORMS, or find it in the cache; returns its name."""
    width, mixed = SINGLE_FORMS[name]
    prepare(width, mixed, np.float32)
    return name


def warm_up_single(report: Callable[[str], None]) -> None:
    """Compile them in parallel; they land in the cache that every later process reads.

    Args:
        report: told what is ready.
    """
    workers = min(len(SINGLE_FORMS), os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(compile_form, name) for name in SINGLE_FORMS]):
            report(done.result())
