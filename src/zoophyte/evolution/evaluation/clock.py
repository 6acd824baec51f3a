"""Clock: how long a run has been at work, without the time in which kernels were compiled.

Compiling happens once, in the middle of the first generations; a speed that counted it would foretell hours for a run of
half a minute.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class _Compiling:
    """The time for which this process has compiled; threads that compile, or wait for it, at the same time count once."""

    def __init__(self) -> None:
        self._lock, self._inside, self._since, self._sum = threading.Lock(), 0, 0.0, 0.0

    def begin(self) -> None:
        with self._lock:
            if not self._inside:
                self._since = time.perf_counter()
            self._inside += 1

    def end(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._sum += time.perf_counter() - self._since

    def seconds(self) -> float:
        with self._lock:
            return self._sum + (time.perf_counter() - self._since if self._inside else 0.0)


_state = _Compiling()


@contextmanager
def compiling() -> Iterator[None]:
    """What happens inside is compiling, and no clock counts it."""
    _state.begin()
    try:
        yield
    finally:
        _state.end()


class Clock:
    """Counts from now on."""

    def __init__(self) -> None:
        self._began, self._compiled = time.perf_counter(), _state.seconds()

    @property
    def seconds(self) -> float:
        """Since it was made, without compiling."""
        return time.perf_counter() - self._began - (_state.seconds() - self._compiled)
