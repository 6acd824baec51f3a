"""The one place from which lives go into their kernel, be it the block of a world or the pen of a herd."""

from __future__ import annotations

from functools import cache
from typing import Any

from zoophyte.model.block import Block
from zoophyte.numbers import Spec
from zoophyte.physics.contact.touch import LOOK, PART
from zoophyte.physics.entries import Form


def advance(block: Block, steps: int, orders: Any = None) -> int:
    """Let the creatures of a block live on, or until the first of their lives ends; the number of steps done.

    Args:
        block: with contact.
        steps: how many.
        orders: a value of the command for every step and degree of freedom; none if left out.
    """
    return _enter(block, steps, block.orders if orders is None else orders)


def advance_free(block: Block, method: int, steps: int) -> None:
    """Let a block whose creatures touch nothing live on.

    Args:
        block: without contact.
        method: of `zoophyte.physics.step.INTEGRATORS`.
        steps: how many.
    """
    b = block
    _kernel("life", b.spec, b.data.dtype)(b.ints, b.data, b.scratch, method, steps, b.spec)


def look(block: Block) -> None:
    """Find the contacts of the present state; nothing moves."""
    _enter(block, LOOK, block.orders)


def part(block: Block) -> None:
    """Push shapes that overlap apart a little, and close open constraints."""
    _enter(block, PART, block.orders)


def _enter(block: Block, steps: int, orders: Any) -> int:
    b = block
    done: int = _kernel("lives", b.spec, b.data.dtype)(
        b.ints, b.data, b.scratch, b.terrain, orders, steps, b.spec
    )
    return done


@cache
def _kernel(name: str, spec: Spec, dtype: Any) -> Any:
    return Form(name, spec.width, spec.mixed, dtype.name).ready()
