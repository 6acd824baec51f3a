"""Hands: what a farm needs to know of an executor: how many work, whether they still do, how to be rid of one that hangs."""

from __future__ import annotations

import atexit
import os
import threading
import time
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import Any

from zoophyte.errors import MissingExtraError, UsageError, brief, is_number, nearest
from zoophyte.evolution.evaluation.chunks import Order, evaluate_timed
from zoophyte.evolution.evaluation.processes import Processes, WorkerDiedError, WorkerHungError

NAMES = ("threads", "processes")
WORKING = "zoophyte chunk"
"""Name of the threads that judge."""
FAREWELL = 5.0
"""Time for which a program that ends waits for such threads [s]."""
DEATHS: tuple[type[BaseException], ...] = (
    WorkerDiedError, WorkerHungError, BrokenExecutor, CancelledError, ConnectionError, EOFError, TimeoutError, MemoryError,
)  # fmt: skip
"""What a future raises whose worker is gone."""


class Hands:
    """Those who judge chunks, by any executor of `concurrent.futures`.

    Attributes:
        exact: whether a death is told of the chunk that caused it, and of no other.
        drops_all: whether being rid of one who hangs ends all others too.
    """

    exact = False
    drops_all = False

    def __init__(self, executor: Any, slots: int) -> None:
        self.executor, self._slots = executor, slots

    @property
    def slots(self) -> int:
        """Chunks that may be under way; at least one."""
        return max(1, self._slots)

    @property
    def is_remote(self) -> bool:
        """Whether orders are pickled."""
        return True

    @property
    def shares_kernels(self) -> bool:
        """Whether workers find what this process has compiled."""
        return True

    def submit(self, order: Order) -> Future[Any]:
        """Let somebody judge a chunk."""
        try:
            future: Future[Any] = self.executor.submit(evaluate_timed, order)
        except BrokenExecutor:
            raise
        except RuntimeError as failure:
            raise _shut_down(self.executor, failure) from None
        return future

    def is_late(self, future: Future[Any]) -> bool:
        """Whether a chunk whose time is over has been worked on at all."""
        return future.running()

    def drop(self, future: Future[Any]) -> None:
        """Be rid of one who hangs: here it can only be left alone, and is missing from then on."""
        self._slots -= 1
        if self._slots < 1:
            raise UsageError(
                f"all workers of the executor, a {type(self.executor).__name__}, hang. Give 'processes' instead, whose "
                "workers are replaced."
            )

    def renew(self) -> None:
        """Go on after the executor broke."""
        raise UsageError(
            f"the executor, a {type(self.executor).__name__}, broke when a worker died, and only its owner can make a new "
            "one. Give 'processes' instead, whose workers are replaced one by one."
        )

    def is_death(self, failure: BaseException) -> bool:
        """Whether this means that a worker is gone."""
        return isinstance(failure, DEATHS) or type(failure).__name__ in ("KilledWorker", "CommClosedError")

    def close(self, *, at_once: bool = False) -> None:
        """What the user has made, the user closes.

        Args:
            at_once: not even after what is under way, where workers can be ended.
        """


class Pool(Hands):
    """The process pool of the standard library, which breaks as a whole; another one like it replaces it."""

    drops_all = True

    def renew(self) -> None:
        """A new pool with as many processes."""
        self.executor.shutdown(wait=False)
        context, count = getattr(self.executor, "_mp_context", None), self._slots
        self.executor = type(self.executor)(count, mp_context=context)
        self._mine = True

    def drop(self, future: Future[Any]) -> None:
        """End its processes: which of them hangs cannot be known."""
        for process in list((getattr(self.executor, "_processes", None) or {}).values()):
            process.kill()
        self.renew()

    def close(self, *, at_once: bool = False) -> None:
        """Those that were made here."""
        if getattr(self, "_mine", False):
            self.executor.shutdown(wait=False, cancel_futures=True)


class OwnProcesses(Hands):
    """Processes of our own, which tell exactly."""

    exact = True

    def __init__(self, executor: Processes, mine: bool) -> None:
        super().__init__(executor, executor.workers)
        self.mine = mine

    def is_late(self, future: Future[Any]) -> bool:
        """They see to that themselves."""
        return False

    def close(self, *, at_once: bool = False) -> None:
        """End them."""
        if self.mine and at_once:
            self.executor.kill()
        elif self.mine:
            self.executor.shutdown(cancel_futures=True)


def working() -> list[threading.Thread]:
    """Threads that are judging now."""
    return [thread for thread in threading.enumerate() if thread.name == WORKING]


def _let_end() -> None:
    """Python ends threads by unwinding them, which compiled kernels do not survive: the program would be aborted."""
    deadline = time.monotonic() + FAREWELL
    for thread in working():
        thread.join(max(0.0, deadline - time.monotonic()))


class Threads(Hands):
    """Threads of this process. One that hangs is left alone, and does not keep the program from ending."""

    exact = True

    def __init__(self, workers: int) -> None:
        super().__init__(None, workers)

    @property
    def is_remote(self) -> bool:
        """They share this memory."""
        return False

    def submit(self, order: Order) -> Future[Any]:
        """One thread per chunk: starting one takes less than a thousandth of what the chunk takes."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()

        def work() -> None:
            try:
                future.set_result(evaluate_timed(order))
            except BaseException as failure:
                future.set_exception(failure)

        atexit.unregister(_let_end)
        atexit.register(_let_end)
        threading.Thread(target=work, name=WORKING, daemon=True).start()
        return future

    def drop(self, future: Future[Any]) -> None:
        """Another thread takes its place."""


class Cluster(Hands):
    """Workers of dask, on any number of machines; they may come and go.

    Args:
        client: of the cluster.
        mine: whether to close it at the end.
    """

    def __init__(self, client: Any, mine: bool) -> None:
        super().__init__(None, 1)
        self.client, self.mine = client, mine
        self._asked: dict[Future[Any], Any] = {}

    @property
    def shares_kernels(self) -> bool:
        """Other machines have caches of their own."""
        return False

    @property
    def slots(self) -> int:
        """As many as there are threads now; a chunk waits where there is none."""
        return max(1, int(sum(self.client.nthreads().values())))

    def submit(self, order: Order) -> Future[Any]:
        """Ask the scheduler, who has other workers try again when one is lost, as often as it is set to."""
        asked = self.client.submit(evaluate_timed, order, pure=False)
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        self._asked[future] = asked
        asked.add_done_callback(lambda done: self._pass_on(done, future))
        return future

    def _pass_on(self, done: Any, future: Future[Any]) -> None:
        self._asked.pop(future, None)
        try:
            future.set_result(done.result())
        except BaseException as failure:
            if not future.done():
                future.set_exception(failure)

    def _place(self, future: Future[Any]) -> list[str]:
        asked = self._asked.get(future)
        if asked is None:
            return []
        return [worker for worker, keys in self.client.processing().items() if asked.key in keys]

    def is_late(self, future: Future[Any]) -> bool:
        """Only if a worker has it."""
        return bool(self._place(future))

    def drop(self, future: Future[Any]) -> None:
        """Start its worker anew; workers without a nanny cannot be."""
        workers, asked = self._place(future), self._asked.pop(future, None)
        if asked is not None:
            self.client.cancel([asked], force=True)
        if workers:
            self.client.restart_workers(workers, timeout=30, raise_for_error=False)

    def renew(self) -> None:
        """Its nannies have done that."""

    def close(self, *, at_once: bool = False) -> None:
        """Leave the cluster."""
        if self.mine:
            self.client.close()


def _shut_down(executor: Any, why: object) -> UsageError:
    return UsageError(
        f"the executor, a {type(executor).__name__}, takes no more work: {why}. Give one that is not shut down, "
        "'threads' or 'processes'."
    )


def hands_for(executor: Any, workers: int | None, timeout: float | None) -> Hands:
    """The hands of whatever a user gave.

    Args:
        executor: None or "threads", "processes", an address such as "tcp://host:8786", an Executor, or a dask client.
        workers: how many, where that is ours to say.
        timeout: of one chunk [s].

    Raises:
        UsageError: says what is allowed.
        MissingExtraError: when dask is not installed.
    """
    count = workers or os.cpu_count() or 1
    if isinstance(executor, str):
        if "://" in executor:
            return Cluster(_client(executor), mine=True)
        if executor not in NAMES:
            hint = nearest(executor, NAMES)
            raise UsageError(
                f"executor is {executor!r}, must be threads, processes, an address such as tcp://host:8786, or an Executor. "
                f"{hint}".rstrip()
            )
    if executor is None or executor == "threads":
        return Threads(count)
    if executor == "processes":
        return OwnProcesses(Processes(count, timeout), mine=True)
    if isinstance(executor, Processes):
        if executor.is_closed:
            raise _shut_down(executor, "it was shut down")
        executor.timeout = executor.timeout or timeout
        return OwnProcesses(executor, mine=False)
    if hasattr(executor, "scheduler_info"):
        return Cluster(executor, mine=False)
    if type(executor).__name__ == "ClientExecutor":
        return Cluster(executor._client, mine=False)
    if not isinstance(executor, Executor):
        raise UsageError(
            f"executor is {brief(executor)}, must be an Executor of concurrent.futures, 'threads', 'processes', or the "
            "address of a dask scheduler."
        )
    if any(getattr(executor, name, False) for name in ("_shutdown", "_shutdown_thread")):
        raise _shut_down(executor, "it was shut down")  # now, before there is a file of a run
    slots = workers or getattr(executor, "_max_workers", None) or count
    return (Pool if type(executor).__name__ == "ProcessPoolExecutor" else Hands)(executor, int(slots))


def _client(address: str) -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("distributed", "cluster", "a cluster") from None
    make: Any = distributed.Client
    try:
        return make(address, timeout=10, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as failure:
        raise UsageError(
            f"no dask scheduler answers at {address}: {failure}. Start one with: dask scheduler"
        ) from None


def checked_timeout(timeout: Any) -> float | None:
    """Seconds, or None for no limit."""
    if timeout is None:
        return None
    if not is_number(timeout) or not timeout > 0.0:
        raise UsageError(f"timeout is {timeout!r}, must be a positive number of seconds, or None.")
    return float(timeout)
