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
from zoophyte.physics.contact.touch import NO_ORDERS, touching_life
from zoophyte.physics.step import life

LANES = 8
"""Creatures per register by default; 4 or 16 may be better on a given CPU (`zoophyte bench` measures)."""

DEFAULT_FORMS: dict[str, tuple[Any, int]] = {
    # The longest to compile come first, so that no process waits for them alone.
    f"{LANES} worlds with contact per register, float64": (touching_life, LANES),
    "one world with contact, float64": (touching_life, 1),
    f"{LANES} worlds per register, float64": (life, LANES),
    "one world, float64": (life, 1),
}
"""What `zoophyte warmup` compiles: the kernel and the number of creatures side by side, by the name that is shown."""


def empty_arguments(function: Any, width: int) -> tuple[Any, ...]:
    """Arguments of a life that is over before it begins, of the types of any other.

    Args:
        function: `life` or `touching_life`.
        width: creatures side by side.
    """
    ints = np.zeros(64, np.int32)
    ints[0] = 1  # the ground alone
    arrays = (ints, np.zeros(64 * width), np.zeros(64 * width))
    if function is touching_life:
        return (*arrays, np.zeros(1), NO_ORDERS, 0, Spec(width))
    return (*arrays, 0, 0, Spec(width))


def compile_entry(name: str) -> str:
    """Compile one of DEFAULT_FORMS, or find it in the cache; returns its name."""
    function, width = DEFAULT_FORMS[name]
    compiled(function)(*empty_arguments(function, width))
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
