"""Judges: births become orders for the farm, and its scores come back by number."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from zoophyte.evolution.evaluation import Farm, Order, Scored
from zoophyte.evolution.precision import DOUBLE
from zoophyte.evolution.protocols import Breed, Score, Task
from zoophyte.evolution.registry import BREEDS
from zoophyte.evolution.run.work import Birth
from zoophyte.evolution.tasks import TASKS

Chunk = list[tuple[int, Score, float]]


class FarmJudges:
    """A farm of workers, for one run.

    Args:
        farm: whose workers judge.
        breed: of the genomes.
        task: by which they are judged.
        seed: of the run.
        precision: of the lives.
        ahead: whether the farm begins at once, while others are still being judged.
    """

    def __init__(
        self, farm: Farm, breed: Breed, task: Task, seed: int, *, precision: str = DOUBLE, ahead: bool = False
    ) -> None:
        self.farm, self.seed, self.precision = farm, seed, precision
        # A farm whose executor blames all chunks under way for a death must not have those of two generations.
        self.ahead = ahead and farm.hands.exact
        # Those that come along go by name, which is small; a user's own are sent as they are.
        self.breed: Any = (breed.name, breed.settings()) if breed.name in BREEDS else breed
        self.task: Any = (task.name, task.settings()) if task.name in TASKS else task

    def begin(self, births: Iterable[Birth], count: int, generation: int, stage: float) -> Iterator[Chunk]:
        """Hand births over; results come back in their order, chunk by chunk.

        Births are taken as workers need them, so that the last are bred while the first live.
        """
        sent: deque[Order] = deque()
        orders = self._orders(births, self.farm.chunk_sizes(count), generation, stage, sent)
        if self.ahead:
            return _with_numbers(sent, _Ahead(self.farm.scores(list(orders))))
        return _with_numbers(sent, self.farm.scores(orders))

    def _orders(
        self, births: Iterable[Birth], sizes: Iterator[int], generation: int, stage: float, sent: deque[Order]
    ) -> Iterator[Order]:
        """Births in chunks; each is noted in `sent`."""
        waiting = iter(births)
        while chunk := tuple(islice(waiting, next(sizes))):
            numbers = tuple(birth.individual.number for birth in chunk)
            genomes = tuple(birth.data for birth in chunk)
            order = Order(
                self.breed,
                self.task,
                stage,
                self.seed,
                generation,
                numbers,
                genomes,
                precision=self.precision,
            )
            sent.append(order)
            yield order


def _with_numbers(sent: deque[Order], scores: Iterator[list[Scored]]) -> Iterator[Chunk]:
    for scored in scores:
        numbers = sent.popleft().numbers
        yield [(number, score, seconds) for number, (score, seconds) in zip(numbers, scored, strict=True)]


class _Ahead:
    """Results that are worked for in a thread, before anybody asks."""

    def __init__(self, scores: Iterator[list[Scored]]) -> None:
        self.results: queue.SimpleQueue[list[Scored] | BaseException] = queue.SimpleQueue()
        threading.Thread(target=self._work, args=(scores,), daemon=True).start()

    def _work(self, scores: Iterator[list[Scored]]) -> None:
        try:
            for scored in scores:
                self.results.put(scored)
        except BaseException as failure:
            self.results.put(failure)
        else:
            self.results.put(StopIteration())

    def __iter__(self) -> Iterator[list[Scored]]:
        return self

    def __next__(self) -> list[Scored]:
        found = self.results.get()
        if isinstance(found, BaseException):
            raise found
        return found
