"""Compiled kernels on disk: one file per kernel and argument types, shared by every copy of the same sources.

Numba's own cache keeps apart what lies at different paths, so each clone and each environment would compile for minutes
what another has compiled already; and it numbers its files by an index that two processes can overwrite for each other.
Here a file is named by what is in it (:mod:`zoophyte.numbers.cache` names the folder by the sources), it appears whole
or not at all, and a process that wants a kernel which another is compiling waits for it.  A file begins with the digest of
the rest: machine code that a disk has damaged is never run, nor even read; it is deleted, and compiled again.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from zoophyte.numbers.cache import write_whole

DIGEST_SIZE = 32
"""Length of the digest at the beginning of a file, in bytes."""


class KernelStore(_Cache):  # type: ignore[misc]
    """What a dispatcher asks before it compiles, and hands over afterwards.

    Args:
        dispatcher: of the compiled function.
        folder: where the files lie; named by all sources that the function may call.
    """

    def __init__(self, dispatcher: Any, folder: Path) -> None:
        function = dispatcher.py_func
        self.folder = folder
        self._codegen = dispatcher.targetctx.codegen
        self._name = f"{function.__module__}.{function.__qualname__}".removeprefix("zoophyte.")
        # An entry point may live outside the folders whose sources name the cache (an oscillator in `control`).
        self._source = hashlib.sha256(Path(function.__code__.co_filename).read_bytes()).hexdigest()

    @property
    def cache_path(self) -> str:
        """The folder, as Numba's statistics show it."""
        return str(self.folder)

    def path(self, types: Any) -> Path:
        """The file of the kernel for these argument types on this processor."""
        key = repr((self._source, tuple(str(t) for t in types), self._codegen().magic_tuple()))
        return self.folder / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.kernel"

    def has(self, types: Any) -> bool:
        """Whether the kernel for these argument types is kept, undamaged."""
        return self._content(types) is not None

    @contextmanager
    def alone(self, types: Any, waiting: Callable[[], None]) -> Iterator[None]:
        """Wait until no other process compiles the same kernel; it can then be loaded.

        Args:
            types: of the arguments.
            waiting: called before a wait.
        """
        with ExitStack() as held:
            if not self.has(types):  # what is there need not be waited for
                with suppress(OSError):  # a folder without locks costs time, not truth
                    lock(
                        held.enter_context(open(self.path(types).with_suffix(".lock"), "ab")).fileno(),
                        waiting,
                    )
            yield

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was stored for these types, ready to run; None where nothing is."""
        target_context.refresh()
        content = self._content(sig)
        if content is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(content))
        except (
            Exception
        ):  # another make of the compiler wrote the file: whatever it raises, the sources are here
            self._drop(sig)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel."""
        content = dumps(data._reduce())
        write_whole(self.path(sig), _digest(content) + content)

    def _content(self, types: Any) -> bytes | None:
        """What is in the file of a kernel; None where there is no file, or a damaged one, which is deleted."""
        path = self.path(types)
        try:
            if not path.is_file():  # a pipe would never end
                return None
            kept = path.read_bytes()
        except OSError:
            return None
        digest, content = kept[:DIGEST_SIZE], kept[DIGEST_SIZE:]
        if digest == _digest(content):
            return content
        self._drop(types)
        return None

    def _drop(self, types: Any) -> None:
        with suppress(OSError):
            self.path(types).unlink(missing_ok=True)

    def enable(self) -> None:
        """Always on."""

    def disable(self) -> None:
        """Always on."""

    def flush(self) -> None:
        """Files are never stale: their folder is named by the sources."""


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def lock(handle: int, waiting: Callable[[], None]) -> None:
    """Wait for the file to be ours alone; the lock ends when the file is closed or its process dies."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
        return
    try:
        flock(handle, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        waiting()
        flock(handle, LOCK_EX)


def keep(dispatcher: Any, folder: Path) -> KernelStore:
    """Let a compiled function find in `folder` what an earlier process compiled."""
    store = dispatcher._cache = KernelStore(dispatcher, folder)
    return store
