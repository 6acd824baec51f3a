"""Compiled kernels on disk: one file per kernel and argument types, shared by every copy of the same sources.

Numba's own cache keeps apart what lies at different paths, so each clone and each environment would compile for minutes
what another has compiled already; and it numbers its files by an index that two processes can overwrite for each other.
Here a file is named by the fingerprint of what it was compiled from (:mod:`zoophyte.numbers.cache` names the folder by the
compiler), it appears whole or not at all, and a process that wants a kernel which another is compiling waits for it.  A file
begins with the digest of the rest: machine code that a disk has damaged is never run, nor even read; it is deleted, and
compiled again.
"""

from __future__ import annotations

import glob
import hashlib
import os
import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from zoophyte.numbers.cache import write_whole

KEPT_EDITS, KEPT_DAYS = 6, 7.0
"""So many fingerprints of one kernel in one form are kept, those used last; and all that were used in these days."""
DIGEST_SIZE = 32
"""Length of the digest at the beginning of a file, in bytes."""


class KernelStore(_Cache):  # type: ignore[misc]
    """What a dispatcher asks before it compiles, and hands over afterwards.

    Args:
        function: of which compiled forms are kept.
        fingerprint: of all that it is compiled from.
        folder: where the files lie; named by the compiler.
        kind: of code, where the same function is compiled in more than one.
    """

    def __init__(self, function: FunctionType, fingerprint: str, folder: Path, kind: str = "") -> None:
        self.folder, self._fingerprint = folder, fingerprint
        self._name = f"{function.__module__}.{function.__qualname__}{kind}".removeprefix("zoophyte.")

    def attach(self, dispatcher: Any) -> None:
        """Let a compiled function find here what an earlier process compiled."""
        dispatcher._cache = self

    def load_into(self, dispatcher: Any, types: Any) -> bool:
        """Give a dispatcher what is kept for these argument types; whether anything is."""
        found = self.load_overload(types, dispatcher.targetctx)
        if found is None:
            return False
        dispatcher.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
        dispatcher.add_overload(found)
        return True

    @property
    def cache_path(self) -> str:
        """The folder, as Numba's statistics show it."""
        return str(self.folder)

    def path(self, types: Any) -> Path:
        """The file of the kernel for these argument types on this processor."""
        form = hashlib.sha256(repr(tuple(str(t) for t in types)).encode()).hexdigest()[:12]
        return self.folder / f"{self._name}-{form}-{self._fingerprint[:20]}.kernel"

    def has(self, types: Any) -> bool:
        """Whether the kernel for these argument types is kept, undamaged."""
        return self._content(types) is not None

    def holds_any(self) -> bool:
        """Whether the kernel is kept in any form."""
        return any(self.folder.glob(f"{glob.escape(self._name)}-*-{self._fingerprint[:20]}.kernel"))

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
        content, path = dumps(data._reduce()), self.path(sig)
        write_whole(path, _digest(content) + content)
        others = path.parent.glob(f"{glob.escape(path.stem.rpartition('-')[0])}-*{path.suffix}")
        with suppress(OSError):  # another process may tidy up, too
            for old in sorted(others, key=lambda file: file.stat().st_mtime)[:-KEPT_EDITS]:
                if time.time() - old.stat().st_mtime > KEPT_DAYS * 86400.0:
                    old.unlink(missing_ok=True)
                    old.with_suffix(".lock").unlink(missing_ok=True)

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
            with suppress(OSError):
                os.utime(path)  # in use
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
        """Files are never stale: their names are those of what they were compiled from."""


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
