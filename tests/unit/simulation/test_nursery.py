"""What a nursery does when something breaks off while makers are at work."""

from __future__ import annotations

from collections import deque
from multiprocessing import Pipe
from threading import Thread
from typing import Any

import pytest

from zoophyte.errors import UsageError
from zoophyte.simulation.herd.litter import _answer
from zoophyte.simulation.herd.nursery import Nursery, _parts


def echo(end: Any) -> None:
    """A maker whose answer is its task."""
    while True:
        try:
            number = end.recv()
        except EOFError:
            return
        end.send((number, number))


@pytest.fixture
def nursery() -> Any:
    """Two makers in threads, no device."""
    made = Nursery.__new__(Nursery)
    made._processes, made._ends = [], []
    for _ in range(2):
        ours, theirs = Pipe()
        Thread(target=echo, args=(theirs,), daemon=True).start()
        made._ends.append(ours)
    yield made
    made.close()


def served(nursery: Nursery, count: int, take: Any) -> None:
    everything = deque(range(count))
    nursery._serve(dict.fromkeys(nursery._ends, everything), lambda _, number: number, take)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_interruption_leaves_no_answers_for_the_next_lives(
    nursery: Nursery, error: type[BaseException]
) -> None:
    """Law: lives begun after an interruption are as if there had been none. Oracle: every task is answered, by itself."""

    def refuse(*_: Any) -> None:
        raise error

    with pytest.raises(error):
        served(nursery, 6, refuse)
    found: dict[int, Any] = {}
    served(nursery, 6, found.__setitem__)
    assert found == {number: number for number in range(6)}


def test_what_cannot_be_sent_is_told_and_the_makers_stay(nursery: Nursery) -> None:
    """Law: a judgement or a judge that cannot be pickled costs no maker. Oracle: what is told; the next task is done."""
    ours, theirs = Pipe()
    _answer(theirs, 7, lambda life: life)
    number, told = ours.recv()
    assert number == 7 and isinstance(told, UsageError) and "what `judge` gives cannot be sent" in str(told)
    _answer(theirs, 8, [1.5])
    assert ours.recv() == (8, [1.5])
    with pytest.raises(UsageError, match=r"`judge` or a genotype cannot be sent.*top of a module"):
        nursery._serve({end: deque([0]) for end in nursery._ends}, lambda *_: lambda life: life, print)
    found: dict[int, Any] = {}
    served(nursery, 4, found.__setitem__)
    assert found == {number: number for number in range(4)}


def test_parts_have_blocks_of_one_size() -> None:
    """Law: all pens are given out in order, in parts of at most so many, unless one block is larger. Oracle: by hand."""
    assert list(_parts([1, 5, 5, 5, 7, 8, 8, 8], 16)) == [(1, 1), (15, 5), (7, 7), (16, 8), (8, 8)]
    assert list(_parts([8, 8], 4)) == [(8, 8), (8, 8)]
    assert list(_parts([], 16)) == []
