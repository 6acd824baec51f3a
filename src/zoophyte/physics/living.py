"""The one place from which lives go into their kernel, be it the block of a world or the pen of a herd."""

from __future__ import annotations

from functools import cache
from typing import Any

from zoophyte.model.block import Block
from zoophyte.model.layout import NV
from zoophyte.numbers import Spec
from zoophyte.physics.entries import Form


def advance(block: Block, steps: int, orders: Any = None) -> int:
    """Let the creatures of a block live on, or until the first of their lives ends; the number of steps done.

    A step that lacks room for its contacts moves nothing, and is done once more with more room.

    Args:
        block: with contact or without.
        steps: how many.
        orders: a value of the command for every step and degree of freedom; none if left out.
    """
    given = block.orders if orders is None else orders
    done, row = 0, block.width * int(block.ints[NV])
    while True:
        done += enter("live", block, block.terrain, given[done * row :] if done else given, steps - done)
        if not block.make_room():
            return done


def advance_noted(block: Block, steps: int, log: Any) -> int:
    """Let the creature of a block live on until its log is full, or it lacks room, or life is broken off; the steps done.

    Args:
        block: of one creature, whose steps are noted.
        steps: how many.
        log: where they are noted (:mod:`zoophyte.physics.notes`).
    """
    done: int = enter("live", block, block.terrain, log, steps)
    block.make_room()
    return done


def look(block: Block) -> None:
    """Find the contacts of the present state; nothing moves."""
    enter("look", block, block.terrain)
    while block.make_room():
        enter("look", block, block.terrain)


def part(block: Block) -> None:
    """Push shapes that overlap apart a little, and close open constraints."""
    enter("push_apart", block, block.terrain)
    while block.make_room():
        enter("push_apart", block, block.terrain)


def set_evaluation_point(block: Block, evaluation: int) -> None:
    """Bring a world to where its integrator evaluates forces next, so that its controller can be asked."""
    enter("set_evaluation_point", block, evaluation)


def evaluate_and_integrate(block: Block, evaluation: int) -> None:
    """The stages of a step, for one evaluation of forces."""
    enter("evaluate_and_integrate", block, block.terrain, evaluation)


def enter(entry: str, block: Block, *more: Any) -> Any:
    """Run an entry of `zoophyte.physics.entries.OF_BLOCK` on a block, with what it takes besides."""
    kernel, types, run = _kernel(entry, block.spec, block.data.dtype)
    kernel.connect(block.ints, types)
    return run(block.ints, block.data, block.scratch, *more, block.spec)


@cache
def _kernel(entry: str, spec: Spec, dtype: Any) -> Any:
    kernel, types = Form(entry, spec.width, spec.mixed, dtype.name).code()
    return kernel, types, kernel.prepare(types)
