"""Lock: one writer per run, by whatever name. The operating system lets go of it when a process ends, however it ends.

One file may have many names: a symbolic link, a hard link, a new name while it is being written. Two locks are taken
therefore: one on a file beside the run, where other machines see it; and one on a file of this machine that is named by the
number of the run's file (device, inode), which all its names share.
"""

from __future__ import annotations

import os
import socket
import stat
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from zoophyte.errors import FileError

_HELD: set[str] = set()
_GUARD = threading.Lock()


class Lock:
    """The right to write a run, held until it is released or the process ends.

    A lock of the operating system lies on a small file that names the process. Locks of this kind are not handed on to
    processes that are forked, and say nothing to the process that holds them: that one keeps a list.

    Args:
        path: of the run; links are followed.

    Raises:
        FileError: names the process that writes it.
    """

    def __init__(self, path: Path) -> None:
        self.told = path
        whole = path.resolve()
        self.path = whole.with_name(whole.name + "-lock")
        self.held: list[tuple[Path, str, int]] = []
        with _GUARD:
            try:
                self._hold(self.path, str(whole))
                self._hold_identity(whole)
            except OSError as failure:
                self._let_go()
                raise FileError(
                    f"{path}: cannot be written: {(failure.strerror or str(failure)).lower()}."
                ) from None
            except BaseException:
                self._let_go()
                raise

    def follow(self) -> None:
        """Lock the run by its number too, once it is there; for a run that is made anew."""
        with _GUARD:
            if len(self.held) == 1:
                self._hold_identity(self.told.resolve())

    def _hold_identity(self, whole: Path) -> None:
        try:
            found = whole.stat()
        except FileNotFoundError:
            return  # a run that is to be made: nobody has another name for it yet
        folder = _folder_of_user()
        if folder is not None and found.st_ino:
            name = f"{socket.gethostname()}-{found.st_dev:x}-{found.st_ino:x}-lock"
            with suppress(OSError):  # no room for it: the other lock must do
                self._hold(folder / name, f"{found.st_dev}:{found.st_ino}")

    def _hold(self, file: Path, key: str) -> None:
        """Take the lock that lies on a file."""
        if key in _HELD:
            raise FileError(f"{self.told}: this process (pid {os.getpid()}) is writing this run already.")
        self.held.append((file, key, _taken(file, self.told)))
        _HELD.add(key)

    def release(self) -> None:
        """Let go. Twice does no harm, not even if Ctrl-C came in between."""
        with _GUARD:
            self._let_go()

    def _let_go(self) -> None:
        while self.held:
            file, key, handle = self.held.pop()
            _HELD.discard(key)
            file.unlink(missing_ok=True)
            os.close(handle)


def _folder_of_user() -> Path | None:
    """Where this user's locks of this machine lie; None where there can be no such folder, or it is somebody else's."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    try:
        folder = Path(tempfile.gettempdir()) / f"zoophyte-locks-{user}"
        folder.mkdir(mode=0o700, exist_ok=True)
        mine = folder.lstat()
    except OSError:
        return None
    return folder if stat.S_ISDIR(mine.st_mode) and (not user or mine.st_uid == user) else None


def _taken(file: Path, run: Path) -> int:
    """A handle of the file, with the lock on it.

    Raises:
        FileError: names the process that has it.
    """
    while True:
        handle = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        if not _locked(handle):
            owner = os.read(handle, 200).decode(errors="replace").strip() or "another process"
            os.close(handle)
            raise FileError(
                f"{run}: {owner} is writing this run. Wait for it to end, or stop it; then go on with "
                f"`zoophyte resume {run}`."
            )
        with suppress(OSError):
            if os.fstat(handle).st_ino == os.stat(file).st_ino:
                break
        os.close(handle)  # who held it has removed the file in the meantime: this is another one's grave
    with suppress(OSError):  # on a full disk the lock stays without a name
        os.ftruncate(handle, 0)
        os.write(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
    return handle


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
