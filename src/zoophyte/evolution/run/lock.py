"""Lock: one writer per run, by whatever name. The operating system lets go of it when a process ends, however it ends.

One file may have many names: a symbolic link, a hard link, a new name while it is being written. Two locks are taken
therefore: one on a file beside the run, where other machines see it; and one on a file of this machine that is named by the
number of the run's file (device, inode), which all its names share.

Two machines that write one file by two hard links do not see each other: only the lock beside the run is seen from both.
"""

from __future__ import annotations

import os
import socket
import stat
import sys
import threading
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

from zoophyte.errors import FileError

_HELD: set[str] = set()
_OPEN: weakref.WeakSet[Any] = weakref.WeakSet()
_GUARD = threading.RLock()


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
        self.process = os.getpid()
        with _GUARD:
            try:
                self._refuse_second(
                    _identity(whole)
                )  # before any file is opened: to close it would let go of its lock
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
        number = _identity(whole)
        folder = _folder_of_user()
        if (
            folder is not None and number
        ):  # a run that is to be made has none: nobody has another name for it yet
            with suppress(OSError):  # no room for it: the other lock must do
                self._hold(folder / f"{socket.gethostname()}-{number}-lock", number)

    def _refuse_second(self, key: str) -> None:
        if key in _HELD:
            raise FileError(f"{self.told}: this process (pid {os.getpid()}) is writing this run already.")

    def _hold(self, file: Path, key: str) -> None:
        """Take the lock that lies on a file."""
        self._refuse_second(key)
        self.held.append((file, key, _taken(file, self.told)))
        _HELD.add(key)

    def release(self) -> None:
        """Let go. Twice does no harm, not even if Ctrl-C came in between."""
        with _GUARD:
            self._let_go()

    def _let_go(self) -> None:
        if self.process != os.getpid():
            return  # forked from the process that holds it: the lock is that one's
        while self.held:
            file, key, handle = self.held.pop()
            _HELD.discard(key)
            file.unlink(missing_ok=True)
            os.close(handle)


def keep_from_children(holder: Any) -> None:
    """See to it that a process that is forked from this one never closes a connection, not even when it ends.

    Args:
        holder: has it as `base`.
    """
    _OPEN.add(holder)


def _forget_parents() -> None:
    """In a process that was forked: what its parent holds, it does not hold, nor does a thread of it hold the guard."""
    global _GUARD
    _GUARD = threading.RLock()
    _HELD.clear()
    for holder in list(
        _OPEN
    ):  # SQLite would write down and delete the last chunks of a run that the parent goes on with
        if base := getattr(holder, "base", None):
            import ctypes

            ctypes.pythonapi.Py_IncRef(ctypes.py_object(base))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parents)


def _identity(whole: Path) -> str:
    """The number of a file, which all its names share; nothing where there is no file, or no number."""
    try:
        found = whole.stat()
    except FileNotFoundError:
        return ""
    return f"{found.st_dev:x}-{found.st_ino:x}" if found.st_ino else ""


def _folder_of_user() -> Path | None:
    """Where this user's locks of this machine lie; None where there can be no such folder.

    The folder is the same whatever the environment says: two processes with two TMPDIR must meet.  A folder that is somebody
    else's is not used; the user's home is the next place.
    """
    return next((folder for folder in _places() if _is_mine(folder)), None)


def _places() -> list[Path]:
    """Folders for locks, the best first."""
    if sys.platform == "win32":
        return [Path.home() / "AppData" / "Local" / "zoophyte-locks"]
    import pwd

    user = os.getuid()
    places = [Path("/tmp") / f"zoophyte-locks-{user}"]
    with suppress(KeyError):  # a user without an account
        places.append(Path(pwd.getpwuid(user).pw_dir) / ".zoophyte-locks")
    return places


def _is_mine(folder: Path) -> bool:
    """Whether a folder is there, or can be made, and belongs to this user."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid())


def _taken(file: Path, run: Path) -> int:
    """A handle of the file, with the lock on it.

    Raises:
        FileError: names the process that has it.
    """
    while True:
        careful = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(file, os.O_RDWR | os.O_CREAT | careful, 0o644)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise FileError(f"{file}: must be an ordinary file, for the lock of the run; remove it.")
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


def unfinished_twin(path: Path) -> Path | None:
    """Another name of the same file in its folder, beside which SQLite has left something to be written."""
    whole = path.resolve()
    if whole.stat().st_nlink < 2:
        return None
    for waiting in whole.parent.glob("*-wal"):
        twin = waiting.with_name(waiting.name.removesuffix("-wal"))
        if twin != whole and waiting.stat().st_size and twin.exists() and twin.samefile(whole):
            return twin
    return None
