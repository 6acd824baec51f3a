"""A team: the threads that live one life together.

All of them do the same, read the same and write the same, but for loops that they divide among themselves.  Here is what the
words for that mean where one does all: in the interpreter, and in numba-cuda's simulator.
"""

from __future__ import annotations

from zoophyte.numbers.primitives import Number, Spec


def rank(spec: Spec) -> int:
    """Which of its team this thread is: it begins loops here."""
    return 0


def size(spec: Spec) -> int:
    """How many they are: they go on in such steps."""
    return 1


def total(x: Number, spec: Spec) -> Number:
    """The sum of everybody's numbers, the same bits for everybody."""
    return x


def meet(spec: Spec) -> None:
    """Wait for the others; what they have written until now can be read."""
    return


def line_up(spec: Spec) -> None:
    """Wait for the other warps of the block: who walks through the same code at the same time fetches it once."""
    return
