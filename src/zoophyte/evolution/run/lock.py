"""Lock: one writer per run. The operating system lets go of it when a process ends, however it ends."""

from __future__ import annotations

import os
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path

from zoophyte.errors import FileError

_HELD: set[str] = set()
_GUARD = threading.Lock()


class Lock:
    """The right to write a run, held until it is released or the process ends.

    A lock of the operating system lies on a small file beside the run, which names the process. Locks of this kind are not
    handed on to processes that are forked, and say nothing to the process that holds them: that one keeps a list.

    Args:
        path: of the run.

    Raises:
        FileError: names the process that writes it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(path.name + "-lock")
        self.key = str(path.resolve())
        self.file: int | None = None
        with _GUARD:
            if self.key in _HELD:
                raise FileError(f"{path}: this process (pid {os.getpid()}) is writing this run already.")
            self._take(path)
            _HELD.add(self.key)

    def _take(self, path: Path) -> None:
        while True:
            try:
                handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError as failure:
                raise FileError(
                    f"{path}: cannot be written: {(failure.strerror or str(failure)).lower()}."
                ) from None
            if not _locked(handle):
                owner = os.read(handle, 200).decode(errors="replace").strip() or "another process"
                os.close(handle)
                raise FileError(
                    f"{path}: {owner} is writing this run. Wait for it to end, or stop it; then go on with "
                    f"`zoophyte resume {path}`."
                )
            with suppress(OSError):
                if os.fstat(handle).st_ino == os.stat(self.path).st_ino:
                    break
            os.close(handle)  # who held it has removed the file in the meantime: this is another one's grave
        os.ftruncate(handle, 0)
        os.write(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        self.file = handle

    def release(self) -> None:
        """Let go. Twice does no harm, not even if Ctrl-C came in between."""
        with _GUARD:
            handle, self.file = self.file, None
            if handle is not None:
                _HELD.discard(self.key)
                self.path.unlink(missing_ok=True)
                os.close(handle)


def _locked(handle: int) -> bool:
    """Whether the lock could be had."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
