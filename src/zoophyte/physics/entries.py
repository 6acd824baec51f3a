"""The default entry points, and compiling them all at once in processes (Numba's compiler lock makes threads useless)."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

import numpy as np

from zoophyte.numbers import Spec
from zoophyte.numbers.forms import compiled
from zoophyte.physics.lives.lives import lives
from zoophyte.physics.step import life

LANES = 8
"""Creatures per register by default; 4 or 16 may be better on a given CPU (`zoophyte bench` measures)."""

DEFAULT_FORMS: dict[str, tuple[Any, Spec]] = {
    # The longest to compile come first, so that no process waits for them alone.
    f"herds of unlike bodies, {LANES} per register, float64": (lives, Spec(LANES, mixed=True)),
    f"herds of like bodies, {LANES} per register, float64": (lives, Spec(LANES)),
    "one world with contact, float64": (lives, Spec(1)),
    f"{LANES} worlds per register, float64": (life, Spec(LANES)),
    "one world, float64": (life, Spec(1)),
}
"""What `zoophyte warmup` compiles: the kernel and how creatures stand side by side, by the name that is shown."""


def typical_arguments(function: Any, spec: Spec) -> tuple[Any, ...]:
    """Arguments of the types that lives of this form ask for; what is in them does not matter to the compiler.

    Args:
        function: `life` or `lives`.
        spec: how creatures stand side by side.
    """
    ints, numbers = np.zeros(1, np.int32), np.zeros(1)
    if function is lives:
        return (ints, numbers, numbers, numbers, numbers, 1, spec)
    return (ints, numbers, numbers, 0, 1, spec)


def compile_entry(name: str) -> str:
    """Compile one of DEFAULT_FORMS, or find it in the cache; returns its name."""
    function, spec = DEFAULT_FORMS[name]
    compiled(function).ready(*typical_arguments(function, spec))
    return name


def warm_up(report: Callable[[str], None] | None = None) -> None:
    """Compile the default entry points in parallel processes; they land in the cache that every later process reads."""
    workers = min(len(DEFAULT_FORMS), os.cpu_count() or 1)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        for done in as_completed([pool.submit(compile_entry, name) for name in DEFAULT_FORMS]):
            if report:
                report(done.result())
            else:
                done.result()
