"""Farm: chunks given to workers, results in order, whatever happens to the workers.

A chunk whose worker dies or hangs is split and tried again.  Where an executor does not tell whose fault a death was, all
chunks that were under way are tried again one at a time, so that nobody is blamed for another.  A genome that kills or stops
its worker twice while alone in its chunk is marked as failed, and the run goes on (ARN-68, FON-80, FON-E11).
"""

from __future__ import annotations

import math
import pickle
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from itertools import repeat
from types import TracebackType
from typing import Any, Self

from zoophyte.errors import UsageError, ZoophyteError
from zoophyte.evolution.evaluation.chunks import Order, Scored, failed
from zoophyte.evolution.evaluation.hands import checked_timeout, hands_for

PARTS = 8
"""Into how many a chunk is split whose worker died."""
STRIKES = 2
"""Workers that a genome may stop, alone, before it is given up."""
GATHERING = 10.0
"""Time in which a broken executor gives back all that was under way [s]."""
PATIENCE = 0.2
"""Time from one look at the clock to the next while nothing comes back [s]."""
CHUNKS_PER_SLOT = 3
"""Chunks per worker in a generation: with fewer, threads wait for each other's Python at the beginning and for each other
at the end; more leave registers less full."""
LEAST_CHUNK = 24
"""Genomes that fill registers nearly as well as more do."""
LANES = 8
"""Chunks are whole numbers of registers of the usual width."""


@dataclass(eq=False)
class _Job:
    """A chunk, or a part of one.

    Args:
        order: what is asked.
        index: number of the order that it belongs to.
        offset: of its first genome there.
        strikes: workers that it has stopped.
        alone: whether it must be the only one under way.
    """

    order: Order
    index: int
    offset: int = 0
    strikes: int = 0
    alone: bool = False
    deadline: float = math.inf

    def parts(self, alone: bool) -> list[_Job]:
        """The same in smaller jobs."""
        size = -(-len(self.order) // PARTS)
        return [
            _Job(part, self.index, self.offset + n * size, alone=alone)
            for n, part in enumerate(self.order.split(size))
        ]


class Farm:
    """Workers that judge genomes.

    Args:
        executor: any Executor of `concurrent.futures`; None or "threads" for threads of this process, "processes" for
            processes of this machine, an address such as "tcp://host:8786" or a client for a cluster of dask.
        workers: how many, where that is not the executor's to say; as many as there are processors if left out.
        timeout: seconds that one chunk may take; no limit if left out.
    """

    def __init__(
        self, executor: Any = None, workers: int | None = None, timeout: float | None = None
    ) -> None:
        if workers is not None and (type(workers) is not int or not 1 <= workers <= 10**4):
            raise UsageError(f"workers is {workers!r}, must be a whole number, 1 or more.")
        self.timeout = checked_timeout(timeout)
        self.hands = hands_for(executor, workers, self.timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(at_once=kind is not None and issubclass(kind, KeyboardInterrupt))

    def close(self, *, at_once: bool = False) -> None:
        """Let the workers go that this farm has hired.

        Args:
            at_once: whatever they work on, where that can be; else after it.
        """
        self.hands.close(at_once=at_once)

    def chunk_size(self, count: int) -> int:
        """How many of `count` genomes to put into one order, so that all workers have something to do."""
        share = math.ceil(count / (CHUNKS_PER_SLOT * self.hands.slots))
        return max(
            min(LEAST_CHUNK, count), LANES * math.ceil(share / LANES) if share > LEAST_CHUNK else share, 1
        )

    def chunk_sizes(self, count: int) -> Iterator[int]:
        """The same chunk by chunk: the first is small, since nobody works until it is bred; there is no end of them."""
        size = self.chunk_size(count)
        yield min(size, LEAST_CHUNK)
        yield from repeat(size)

    def scores(self, orders: Iterable[Order]) -> Iterator[list[Scored]]:
        """The scores of each order and the seconds that they took, order by order.

        Args:
            orders: chunks; scores do not depend on how genomes are put together in them. They are asked for one by one,
                each while those before it are being judged, so that whoever makes them works beside the workers.

        Raises:
            UsageError: when orders cannot be sent, or workers cannot understand them.
        """
        yield from _Season(self, iter(orders)).results()


@dataclass(eq=False)
class _Season:
    """All orders of one call on their way."""

    farm: Farm
    orders: Iterator[Order]
    waiting: deque[_Job] = field(default_factory=deque)
    flying: dict[Future[Any], _Job] = field(default_factory=dict)
    found: list[list[Scored | None]] = field(default_factory=list)
    given: int = 0

    def results(self) -> Iterator[list[Scored]]:
        """In order, each as soon as it and all before it are there."""
        try:
            while True:
                self._launch()  # before results are handed on: nobody waits while they are stored
                if self.given < len(self.found):
                    done = [score for score in self.found[self.given] if score is not None]
                    if len(done) == len(self.found[self.given]):
                        self.given += 1
                        yield done
                        continue
                if not self.waiting and self._fetch():
                    continue  # the next order is made while others are judged
                if self.given == len(self.found):
                    return
                self._land()
        finally:
            for future in self.flying:
                future.cancel()

    def _fetch(self) -> bool:
        """Ask for one more order; False when there is none."""
        order = next(self.orders, None)
        if order is None:
            return False
        if not self.found and len(order) and self.farm.hands.is_remote:
            _check_sendable(order)
        if len(order):
            self.waiting.append(_Job(order, len(self.found)))
        self.found.append([None] * len(order))
        return True

    def _launch(self) -> None:
        """As many as there are hands; those that must be alone, alone."""
        hands = self.farm.hands
        while len(self.flying) < hands.slots and (self.waiting or self._fetch()):
            if not self.waiting:
                continue  # that order was empty
            if self.flying and (self.waiting[0].alone or any(job.alone for job in self.flying.values())):
                return
            job = self.waiting.popleft()
            try:
                future = hands.submit(job.order)
            except BrokenExecutor:
                hands.renew()
                future = hands.submit(job.order)
            job.deadline = time.monotonic() + (self.farm.timeout or math.inf)
            self.flying[future] = job

    def _land(self) -> None:
        """Wait until something comes back or is too late."""
        done, _ = wait(self.flying, PATIENCE if self.farm.timeout else None, FIRST_COMPLETED)
        company = len(self.flying) > 1 and not self.farm.hands.exact
        broken = False
        for future in done:
            job = self.flying.pop(future)
            failure = None if future.cancelled() else future.exception()
            if failure is None and not future.cancelled():
                self._keep(job, future.result())
                continue
            self._judge(job, failure, company)
            broken = broken or isinstance(failure, BrokenExecutor)
        if broken:
            self._gather(company)
        self._look_at_the_clock()

    def _keep(self, job: _Job, scores: list[Scored]) -> None:
        self.found[job.index][job.offset : job.offset + len(job.order)] = scores

    def _gather(self, company: bool) -> None:
        """All others of a broken executor will fail too: take them back, and let it be replaced."""
        wait(self.flying, GATHERING)
        for future, job in self.flying.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self._keep(job, future.result())
            else:
                self._judge(job, BrokenExecutor("its worker was lost"), company)
        self.flying.clear()
        self.farm.hands.renew()

    def _look_at_the_clock(self) -> None:
        hands, now = self.farm.hands, time.monotonic()
        for future, job in list(self.flying.items()):
            if now < job.deadline or future.done():
                continue
            if not hands.is_late(future):
                job.deadline = now + (self.farm.timeout or math.inf)
                continue
            del self.flying[future]
            hands.drop(future)
            if hands.drops_all:
                self.waiting.extendleft(self.flying.values())
                self.flying.clear()
            self._again(job, f"no answer within {self.farm.timeout:g} s")
            return

    def _judge(self, job: _Job, failure: BaseException | None, company: bool) -> None:
        """What to do with a chunk that did not come back."""
        if failure is not None and not self.farm.hands.is_death(failure):
            if isinstance(failure, ZoophyteError):
                raise failure
            raise UsageError(
                f"a worker cannot judge genomes: {type(failure).__name__}: {failure}. Is the same Zoophyte installed there?"
            ) from failure
        if company and not job.alone:
            job.alone = True
            self.waiting.appendleft(job)  # whose fault it was will show when it is alone
            return
        told = " ".join(str(failure).split()) if failure is not None else ""
        self._again(job, told or type(failure).__name__)

    def _again(self, job: _Job, reason: str) -> None:
        """In parts, or once more; or never again."""
        alone = not self.farm.hands.exact
        if len(job.order) > 1:
            self.waiting.extendleft(reversed(job.parts(alone)))
            return
        job.strikes, job.alone = job.strikes + 1, alone
        if job.strikes < STRIKES:
            self.waiting.appendleft(job)
            return
        score = failed(f"stopped its worker {job.strikes} times: {reason}")
        self.found[job.index][job.offset] = (score, 0.0)


def _check_sendable(order: Order) -> None:
    try:
        pickle.dumps(order)
    except Exception as failure:
        raise UsageError(
            f"the breed or the task cannot be sent to another process: {failure}. Put your function or class into a module, "
            "or use threads."
        ) from None
