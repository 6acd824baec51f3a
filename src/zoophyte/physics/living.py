"""The one place from which blocks with contact go into their kernel."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from zoophyte.model.block import Block
from zoophyte.model.layout import NV
from zoophyte.numbers import Spec
from zoophyte.numbers.forms import compiled
from zoophyte.physics.contact.touch import LOOK, PART
from zoophyte.physics.lives.lives import lives


def advance(block: Block, steps: int, orders: Any = None) -> int:
    """Let the creatures of a block live on, or until the first of their lives ends; the number of steps done.

    Args:
        block: with contact.
        steps: how many.
        orders: a value of the command for every step and degree of freedom; none if left out.
    """
    return _enter(block, steps, block.orders if orders is None else orders)


def look(block: Block) -> None:
    """Find the contacts of the present state; nothing moves."""
    _enter(block, LOOK, block.orders)


def part(block: Block) -> None:
    """Push shapes that overlap apart a little, and close open constraints."""
    _enter(block, PART, block.orders)


def _enter(block: Block, steps: int, orders: Any) -> int:
    """Enter the kernel; where a step lacks room for its contacts it moves nothing, and is done once more with more room."""
    b, done, row = block, 0, int(block.ints[NV]) * block.width
    while True:
        left = steps if steps < 0 else steps - done
        kernel, rest = _kernel(b.spec, b.data.dtype), orders[done * row :] if done else orders
        done += int(kernel(b.ints, b.data, b.scratch, b.terrain, rest, left, b.spec))
        if not b.make_room():
            return done


@cache
def _kernel(spec: Spec, dtype: Any) -> Any:
    """The kernel for blocks of a form, found once: finding it anew takes as long as many a step."""
    ints, numbers = np.zeros(1, np.int32), np.zeros(1, dtype)
    return compiled(lives).ready(ints, numbers, numbers, numbers, numbers, 1, spec)
