"""A crew: workers in threads, who stop when whoever waits for them is interrupted."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Executor, ThreadPoolExecutor, wait
from functools import partial
from typing import Any

from zoophyte.errors import Interrupted
from zoophyte.model import State
from zoophyte.model.herd.plans import Terms
from zoophyte.simulation.herd.worker import Worker
from zoophyte.simulation.living.colony import Colony
from zoophyte.simulation.living.life import Life

PATIENCE = 0.1
"""Time from one look to the next [s]: there are systems on which a thread that only waits hears of no Ctrl-C."""

_ENDING = threading.Event()
"""Set when the program ends, before Python waits for the threads of all pools."""
# What atexit itself calls comes only after that wait.
getattr(threading, "_register_atexit", atexit.register)(_ENDING.set)


def _is_left_behind() -> bool:
    """Whether the program ends and does not wait for this thread: then nobody waits for its crew."""
    return _ENDING.is_set() and threading.current_thread().daemon


class _Roll:
    """Who is at work: an interruption may come before anybody has noted that a task was given away."""

    def __init__(self) -> None:
        self._at_work, self._changed = 0, threading.Condition()

    def call(self, task: Callable[[], Any]) -> None:
        """Do it, on the roll."""
        self._count(1)
        try:
            task()
        finally:
            self._count(-1)

    def _count(self, change: int) -> None:
        with self._changed:
            self._at_work += change
            self._changed.notify_all()

    def wait_for_all(self) -> None:
        """Until nobody is at work."""
        with self._changed:
            self._changed.wait_for(lambda: self._at_work == 0)


def together(pool: Executor, tasks: Sequence[Callable[[], Any]], halt: threading.Event) -> None:
    """Let threads do what is to be done, and wait for all of them; if one fails, or this thread is interrupted, all stop.

    The end of the program ends threads that are daemons, for which it does not wait.

    Args:
        pool: with a thread for each.
        tasks: they end soon after `halt` is set, and do nothing if it is set before they begin.
        halt: not set.
    """
    roll, under_way = _Roll(), []
    try:
        for task in tasks:
            under_way.append(pool.submit(roll.call, task))
        while wait(under_way, PATIENCE, FIRST_EXCEPTION).not_done:
            if _is_left_behind() or any(each.done() and each.exception() is not None for each in under_way):
                break
    finally:
        halt.set()
        roll.wait_for_all()
    if _is_left_behind():
        raise SystemExit  # what was lived until then must not be taken for whole lives
    for each in under_way:
        each.result()


def work_off(
    colony: Colony,
    born: Sequence[State],
    terms: Terms,
    workers: int,
    *,
    keep_final: bool,
    keep: Sequence[str],
) -> list[Life]:
    """All lives of a colony.

    Python interrupts its main thread only, and wherever that is.  So the main thread waits while others work.

    Args:
        colony: whose creatures live.
        born: in which states lives begin.
        terms: what is asked of them.
        workers: threads, at most.
        keep_final: whether final states are kept.
        keep: what else lives keep at their samples.

    Raises:
        Interrupted: with what has been lived until then.
    """
    found: list[Life | None] = [None] * len(colony)
    halt, queues = threading.Event(), colony.queues()
    count = max(1, min(workers, -(-len(colony) // colony.lanes)))
    crew = [
        Worker(colony, born, terms, found, keep_final=keep_final, halt=halt, keep=keep) for _ in range(count)
    ]
    if count == 1 and threading.current_thread() is not threading.main_thread():
        crew[0].work_off(queues)
        return [life for life in found if life is not None]
    try:
        with ThreadPoolExecutor(count) as pool:
            together(pool, [partial(worker.work_off, queues) for worker in crew], halt)
    except KeyboardInterrupt:
        raise Interrupted(found) from None
    return [life for life in found if life is not None]
