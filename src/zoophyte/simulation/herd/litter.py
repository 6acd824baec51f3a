"""What a maker of a nursery does: it develops some genotypes, fills pens with them, and reads their lives later."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.physics.cuda.lives import lanes_for
from zoophyte.simulation.herd.crowd import Crowd, Moulds
from zoophyte.simulation.living.colony import Colony

PLACED = "Functions stand at the top of a module that other processes can import."
NOBODY = -1
"""Number of a task that could not be read."""


def litter_of(bodies: list[Any], controllers: Any, among: int, settings: dict[str, Any]) -> Colony:
    """Creatures for a GPU, made where there is none.

    Args:
        bodies: models or descriptions.
        controllers: one for each.
        among: how many creatures there are in all.
        settings: of the colony.
    """
    return Colony(
        bodies, controllers=controllers, lanes=lanes_for(among), dtype=np.float32, device="cuda", **settings
    )  # fmt: skip


def keep_making(end: Any, develop: Callable[[Any], tuple[Any, Any]], settings: dict[str, Any]) -> None:
    """Fill pens and read lives as asked through `end`, until that is closed."""
    import_module("numba")  # bodies are placed by machine code from now on
    gc.freeze()
    gc.disable()  # thousands of bodies are made and kept: a search would look through them all, again and again
    crowds: dict[int, Crowd] = {}
    moulds: Moulds = {}
    asked: Any = None
    while True:
        try:
            kind, number, *given = end.recv()
        except EOFError:
            return
        except (ImportError, AttributeError) as error:  # a function that is only where it was sent from
            _answer(end, NOBODY, UsageError(f"a maker does not find what it is sent: {error}. {PLACED}"))
            continue
        try:
            if kind == "fill":
                genotypes, among, terms = given
                if (among, terms) != asked:
                    asked, moulds = (among, terms), {}
                made = [develop(genotype) for genotype in genotypes]
                bodies, controllers = [body for body, _ in made], [control for _, control in made]
                litter = litter_of(bodies, controllers, among, settings)
                litter.refuse_outliving(terms.steps * litter.dt, [None] * len(made))
                crowds[number] = Crowd(litter, [None] * len(made), terms, moulds)
                answer: Any = crowds[number].packed
            else:
                part, depths, judge = given
                crowd = crowds.pop(number)
                lives = crowd.read(crowd.packed.take_part(part), depths, keep_final=False)
                answer = lives if judge is None else [judge(life) for life in lives]
        except Exception as error:  # whatever it is, the nursery says it
            answer = (
                error if isinstance(error, UsageError) else UsageError(f"{type(error).__name__}: {error}")
            )
        _answer(end, number, answer)
        if not crowds:
            gc.collect()


def _answer(end: Any, number: int, answer: Any) -> None:
    """Send it; or say that it cannot be sent, so that the maker stays."""
    try:
        end.send((number, answer))  # packed whole before the first byte goes
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        reason = (
            f"what `judge` gives cannot be sent to another process: {error}. Let it give numbers and texts."
        )
        end.send((number, UsageError(reason)))
