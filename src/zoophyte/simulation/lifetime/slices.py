"""Slices: a long call of a kernel cut into short ones, so that Ctrl-C is heard between them.

Compiled code hears of no signal.  A kernel goes on where it stopped, so lives have the same bits however they are cut.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

SLICE = 0.05
"""Time that one call may take, if steps go on taking as long as they did [s]; entering a kernel takes a thousandth of it."""
FIRST = 4
"""Steps of the first call, whose time nobody knows."""
GROWTH = 4
"""By how much one call may be longer than the one before, at most."""
MOST = 2**24


def never() -> bool:
    """Nobody stops this."""
    return False


class Slices:
    """How many steps to ask for at a time, by how long they took."""

    def __init__(self) -> None:
        self.steps = FIRST

    def run(self, advance: Callable[[int], int], steps: int, halted: Callable[[], bool] = never) -> int:
        """Call a kernel until that many steps are done, a life has ended, or nobody wants more; the steps that are done.

        Args:
            advance: calls the kernel with a number of steps; gives those that it did, fewer where a life has ended.
            steps: how many.
            halted: asked before every call.
        """
        if steps <= self.steps:  # few, as always in environments: nothing is to be learned from them
            return 0 if halted() else advance(steps)
        done = 0
        while done < steps and not halted():
            asked = min(self.steps, steps - done)
            began = perf_counter()
            did = advance(asked)
            self._learn(asked, perf_counter() - began)
            done += did
            if did < asked:
                break
        return done

    def _learn(self, steps: int, seconds: float) -> None:
        fitting = MOST if seconds <= 0.0 else round(steps * SLICE / seconds)
        self.steps = max(1, min(fitting, GROWTH * self.steps, MOST))
