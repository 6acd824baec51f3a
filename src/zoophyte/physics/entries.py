"""The default entry points, and compiling them all at once in processes (Numba's compiler lock makes threads useless)."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from zoophyte.numbers import Spec
from zoophyte.numbers.forms import compiled
from zoophyte.physics.step import life

LANES = 8
"""Creatures per register by default; 4 or 16 may be better on a given CPU (`zoophyte bench` measures)."""

DEFAULT_FORMS = {"one world, float64": 1, f"{LANES} worlds per register, float64": LANES}


def compile_life(width: int) -> str:
    """Compile (or find in the cache) the life of `width` creatures side by side; returns what it was called."""
    kernel = compiled(life)
    empty = np.zeros(64, np.int32)
    empty[0] = 1  # the ground alone
    kernel(empty, np.zeros(64 * width), np.zeros(64 * width), 0, 0, Spec(width))
    return next(name for name, w in DEFAULT_FORMS.items() if w == width)


def warm_up(report: Callable[[str], None] | None = None) -> None:
    """Compile the default entry points in parallel processes; they land in the cache that every later process reads."""
    widths = list(DEFAULT_FORMS.values())
    workers = min(len(widths), os.cpu_count() or 1)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        for name in pool.map(compile_life, widths):
            if report:
                report(name)
