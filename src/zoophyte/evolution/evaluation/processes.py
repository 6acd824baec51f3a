"""Processes: an executor that says which task a process died of, replaces the process, and ends those that hang.

Fontijne's proxy (FON-80): one process per processor, each watched; one that falls silent is ended and replaced.  The pool of
the standard library breaks as a whole when any of its processes dies and does not tell whose fault it was.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, Literal

from zoophyte.errors import OwnCodeError, UsageError, told

STARTING = 300.0
"""Time in which a process has started and imported what it is asked to call [s]."""
LOOK = 0.5
"""Time from look to look at a process that starts [s]."""

Task = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class WorkerDiedError(Exception):
    """The process that worked on a task is gone."""


class WorkerHungError(Exception):
    """A task took longer than it may; its process was ended."""


class Processes(Executor):
    """Processes that each work on one task at a time.

    Args:
        workers: how many; as many as there are processors if left out.
        timeout: seconds that one task may take; its process is ended after that.
    """

    def __init__(self, workers: int | None = None, timeout: float | None = None) -> None:
        self.workers, self.timeout = workers or os.cpu_count() or 1, timeout
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._closed = self._killed = False
        self._children: set[_Child] = set()
        self._keepers = [threading.Thread(target=self._keep, daemon=True) for _ in range(self.workers)]
        for keeper in self._keepers:
            keeper.start()

    @property
    def is_closed(self) -> bool:
        """Whether they were shut down."""
        return self._closed

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Let a process call `fn`; the future gets a WorkerDiedError or WorkerHungError if it does not answer."""
        if self._closed:
            raise UsageError("these processes were shut down; make new ones.")
        future: Future[Any] = Future()
        self._tasks.put((future, fn, args, kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes, after what they work on."""
        if self._closed:
            return
        self._closed = True
        if cancel_futures:
            while True:
                try:
                    task = self._tasks.get_nowait()
                except queue.Empty:
                    break
                if task is not None:
                    task[0].cancel()
        for _ in self._keepers:
            self._tasks.put(None)
        if wait:
            for keeper in self._keepers:
                keeper.join()

    def kill(self) -> None:
        """End all processes at once, whatever they work on; nobody wants it any more."""
        self._killed = True
        for child in list(self._children):
            child.kill()
        self.shutdown(cancel_futures=True)

    def _keep(self) -> None:
        """Own one process: start it when there is work, hand it tasks, replace it when it is gone."""
        child: _Child | None = None
        while (task := self._tasks.get()) is not None:
            future, fn, args, kwargs = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if child is None or not child.is_alive():
                    child = _Child()
                    self._children.add(child)
                if self._killed:  # while this one was starting
                    child.kill()
                result = child.ask((fn, args, kwargs), self.timeout)
            except BaseException as failure:
                if child is not None and isinstance(failure, WorkerDiedError | WorkerHungError):
                    self._children.discard(child)
                    child.end()
                    child = None
                future.set_exception(failure)
            else:
                future.set_result(result)
        if child is not None:
            child.end(gently=True)


class _Child:
    """One process and the pipe to it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with _deaf_to_interruptions():
            self.process.start()
        theirs.close()

    def is_alive(self) -> bool:
        return self.process.is_alive()

    def ask(self, call: Any, timeout: float | None) -> Any:
        """Its answer; or what it raised."""
        order = ForkingPickler.dumps(call)
        with self._watched(_Clock(self.process.pid, timeout)) as clock:
            self.pipe.send_bytes(order)
            self._receive(None)
            clock.phase = "work"  # it has imported what it needs; the limit counts from here
            answer = self._receive(timeout, clock)
        good, result = ForkingPickler.loads(answer)
        if good:
            return result
        raise result

    def _receive(self, timeout: float | None, clock: _Clock | None = None) -> bytes:
        if not wait([self.pipe, self.process.sentinel], timeout):
            raise WorkerHungError(f"no answer within {timeout:g} s")
        if not self.pipe.poll():
            raise EOFError
        if clock is not None:
            clock.phase = "answer"
        return self.pipe.recv_bytes()

    @contextmanager
    def _watched(self, clock: _Clock) -> Iterator[_Clock]:
        """Kill it when the clock says so; and tell whether it hung or died."""
        # A pipe that is full, or that gave half an answer, blocks without a limit. Only the end of the process frees it.
        done, broken = threading.Event(), False

        def watch() -> None:
            while not done.wait(LOOK):
                if clock.is_late():
                    self.kill()
                    return

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield clock
        except (EOFError, OSError):
            broken = True
        finally:
            done.set()
            watcher.join()
        if clock.reason:
            raise WorkerHungError(clock.reason)
        if broken:
            raise WorkerDiedError(self._farewell())

    def _farewell(self) -> str:
        self.process.join(5.0)
        code = self.process.exitcode
        if code is not None and code < 0:
            return f"its process was killed by signal {-code}"
        return f"its process ended with code {code}"

    def kill(self) -> None:
        """End it, from any thread; who owns it sees to the rest."""
        with suppress(ValueError):  # it has been closed
            self.process.kill()

    def end(self, gently: bool = False) -> None:
        """Let it go, or kill it."""
        self.pipe.close()  # it reads the end of the pipe and leaves
        if gently:
            self.process.join(5.0)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


class _Clock:
    """How long a process keeps others waiting, in looks at it.

    Looks are counted, not seconds: after Ctrl-Z all processes go on, and no clock has heard of the pause.
    """

    def __init__(self, pid: int | None, timeout: float | None) -> None:
        self.phase: Literal["start", "work", "answer"] = "start"
        self.reason = ""
        self._pid, self._timeout = pid, math.inf if timeout is None else timeout
        self._started = self._stopped = self._answered = 0.0

    def is_late(self) -> bool:
        """Look once; the reason is kept. The first look counts nothing: it may come at once."""
        if self.phase == "start":  # importing takes its time, but a process that was stopped imports nothing
            stopped = is_stopped(self._pid)
            if stopped and self._stopped >= self._timeout:
                self.reason = f"no answer within {self._timeout:g} s: its process was stopped"
            elif self._started >= STARTING:
                self.reason = f"its process did not begin within {STARTING:g} s"
            self._started += LOOK
            self._stopped = self._stopped + LOOK if stopped else 0.0
        elif self.phase == "answer":
            if self._answered >= self._timeout:
                self.reason = f"no whole answer within {self._timeout:g} s"
            self._answered += LOOK
        return bool(self.reason)


def is_stopped(pid: int | None) -> bool:
    """Whether a child of this process was stopped, by a debugger or by SIGSTOP, and does not run; False where none can say.

    Args:
        pid: of the child.
    """
    if pid is None or not hasattr(os, "waitid"):
        return False
    try:  # WNOWAIT: how it ends is for the standard library to learn
        told = os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except OSError:
        return False
    return told is not None and told.si_code in (os.CLD_STOPPED, os.CLD_TRAPPED)


@contextmanager
def _deaf_to_interruptions() -> Iterator[None]:
    """A process that is started here never hears of Ctrl-C, not even while it is still importing: masks are inherited."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which, when it starts, sets the mask back in its own way
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _raise(failure: BaseException) -> None:
    raise failure


def _serve(pipe: Connection) -> None:
    """What a process does: answer, until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asks decides what an interruption means
    while True:
        try:
            fn, args, kwargs = pipe.recv()
        except (EOFError, OSError):
            return
        except (Exception, SystemExit) as failure:  # what was sent cannot be unpickled here
            fn, args, kwargs = _raise, (failure,), {}
        try:
            pipe.send(None)
            answer = True, fn(*args, **kwargs)
        except SystemExit as failure:  # of what is called, which must not end this process without a word
            answer = False, OwnCodeError(f"{told(failure)}: what a worker calls must not exit.")
        except Exception as failure:
            answer = False, failure
        try:
            pipe.send(answer)
        except OSError:
            return
        except Exception as failure:  # an answer that cannot be pickled
            pipe.send((False, UsageError(f"the answer cannot be sent: {failure}")))
