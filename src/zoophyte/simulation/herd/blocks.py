"""Which pens share a multiprocessor of a GPU, so that all of them are done at about the same time.

A block of threads takes as long as its largest creatures do, and each of its pens goes the slower, the more there are.  So a
few of the largest creatures share a block, and many of the smallest; blocks that find no free multiprocessor wait for one.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

WARPS = 8
"""Pens in a block of threads at most, which go through a step together: see `line_up`."""
WAVES = 4
"""Where multiprocessors are filled so many times over, blocks are full: then there is always one that waits."""


GROWTH = 1.17
"""A creature of n links takes a time that grows with this power of n; so measured on an H200."""


def slowness(pens: int) -> float:
    """Time that a step takes, over that in a full block; measured on an H200."""
    return 0.68 + 0.32 * pens / WARPS


def block_sizes(weights: Sequence[float], processors: int, *, waiting: bool = True) -> list[int]:
    """Pens in each block, in order.

    Args:
        weights: how large the creatures of each pen are, in any unit; the largest first.
        processors: blocks that can be at work at a time.
        waiting: whether blocks may wait for others to be done; not if they come late as it is.
    """
    full = [WARPS] * -(-len(weights) // WARPS)
    if len(weights) > WAVES * WARPS * processors or min(weights, default=0.0) <= 0.0:
        return full
    weights = [weight**GROWTH for weight in weights]
    best, least = full, done_after(weights, full, processors)
    for most in range(WARPS - 1, 0, -1):
        sizes = _within(weights, slowness(most) * weights[0])
        if len(sizes) > processors and not waiting:
            break
        time = done_after(weights, sizes, processors)
        if time < least:
            best, least = sizes, time
    return best


def _within(weights: Sequence[float], time: float) -> list[int]:
    """Sizes of blocks as large as they may be if each is to be done after that time."""
    sizes, first = [], 0
    while first < len(weights):
        size = WARPS
        while size > 1 and slowness(size) * weights[first] > time:
            size -= 1
        sizes.append(size)
        first += size
    return sizes


def done_after(weights: Sequence[float], sizes: Sequence[int], processors: int) -> float:
    """When pens that alone take such times are done, if blocks begin in order, each as soon as there is room."""
    free, first = [0.0] * processors, 0
    for size in sizes:
        heapq.heapreplace(free, free[0] + slowness(size) * weights[first])
        first += size
    return max(free)
