"""Judges: births become orders for the farm, and its scores come back by number."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from zoophyte.evolution.evaluation import Farm, Order, Scored
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
        ahead: whether the farm begins at once, while others are still being judged.
    """

    def __init__(self, farm: Farm, breed: Breed, task: Task, seed: int, *, ahead: bool = False) -> None:
        self.farm, self.seed = farm, seed
        # A farm whose executor blames all chunks under way for a death must not have those of two generations.
        self.ahead = ahead and farm.hands.exact
        # Those that come along go by name, which is small; a user's own are sent as they are.
        self.breed: Any = (breed.name, breed.settings()) if breed.name in BREEDS else breed
        self.task: Any = (task.name, task.settings()) if task.name in TASKS else task

    def begin(self, births: Sequence[Birth], generation: int, stage: float) -> Iterator[Chunk]:
        """Hand births over; results come back in their order, chunk by chunk."""
        numbers = tuple(birth.individual.number for birth in births)
        genomes = tuple(birth.data for birth in births)
        whole = Order(self.breed, self.task, stage, self.seed, generation, numbers, genomes)
        orders = whole.split(self.farm.chunk_size(len(births)))
        scores = self.farm.scores(orders)
        return _with_numbers(orders, _Ahead(scores) if self.ahead else scores)


def _with_numbers(orders: Sequence[Order], scores: Iterator[list[Scored]]) -> Iterator[Chunk]:
    for order, scored in zip(orders, scores, strict=True):
        yield [
            (number, score, seconds) for number, (score, seconds) in zip(order.numbers, scored, strict=True)
        ]


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
