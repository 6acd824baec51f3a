"""Files in and out: bounded when read, whole or untouched when written."""

from __future__ import annotations

import difflib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from zoophyte.description.reading import SIZE_LIMIT, file_error
from zoophyte.errors import FileError

REASON_LENGTH = 160
KINDS = {
    stat.S_IFIFO: "a named pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket",
}  # fmt: skip
"""What is no ordinary file; reading from it might wait or never end."""
ALIKE = 0.6
"""Of two names, from 0 to 1, from which on the one may have been meant by the other."""
OTHER_KINDS = {
    b"SQLite format 3\0": (
        "a database, as a run of evolution is", "`zoophyte replay {0}` shows its best, zp.Run({0!r}) reads it."
    ),
    b"PK\x03\x04": (
        "an archive, as a recorded life is", "`zoophyte replay {0}` plays it, zp.Trajectory.load({0!r}) reads it."
    ),
    b"\x89PNG": ("a picture", "As ground it goes with --ground, or zp.load_terrain."),
    b"GIF8": ("a picture", ""),
    b"glTF": ("a scene in glTF, which Zoophyte writes and does not read", ""),
    b"<!doctype html": ("a page for a browser", ""),
}  # fmt: skip
"""What files begin with that are no body, what they are, and what to do with them."""


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """An ordinary file, open for reading; nothing that might keep the reader waiting, such as a pipe or a device.

    Args:
        path: of the file.

    Raises:
        FileError: when it does not exist, cannot be read or is no ordinary file.
    """
    source = os.fspath(path)
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise missing_file(path) from None
    except (OSError, ValueError) as failure:  # ValueError: a null character in the name
        raise file_error(source, None, f"cannot be read: {reason(failure)}.") from None
    kind = stat.S_IFMT(os.fstat(handle).st_mode)
    if kind == stat.S_IFREG:
        return os.fdopen(handle, "rb")
    os.close(handle)
    what = "is a directory" if kind == stat.S_IFDIR else f"is {KINDS.get(kind, 'no file')}"
    raise file_error(source, None, f"cannot be read: {what}.", "Only ordinary files are read.")


def read_bytes(path: str | os.PathLike[str], limit: int = SIZE_LIMIT) -> bytes:
    """The content of an ordinary file.

    Args:
        path: of the file.
        limit: the most bytes that are read.

    Raises:
        FileError: when it cannot be read, is no ordinary file or is too large.
    """
    with open_regular(path) as file:
        try:
            content = file.read(limit + 1) or b""  # nothing, where nothing is there yet
        except OSError as failure:
            raise file_error(os.fspath(path), None, f"cannot be read: {reason(failure)}.") from None
    if len(content) > limit:
        raise file_error(
            os.fspath(path), None, f"is larger than {limit // 2**20} MiB, the most that is read."
        )
    return content


def read_text(path: str | os.PathLike[str]) -> str:
    """The UTF-8 text of a file of at most 64 MiB.

    Args:
        path: of the file.

    Raises:
        FileError: when it cannot be read, is too large or is not UTF-8.
    """
    source = os.fspath(path)
    with open_regular(path) as file:
        if problem := other_kind(path, file.read(16)):
            raise problem
    content = read_bytes(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        line = content.count(b"\n", 0, failure.start) + 1
        what = f"is not UTF-8 text: byte 0x{content[failure.start]:02x} fits no character."
        raise file_error(source, line, what, "Save the file with the encoding UTF-8.") from None


def other_kind(path: str | os.PathLike[str], head: bytes) -> FileError | None:
    """The error about a file that is of another kind than a body, if it is one that is known.

    Args:
        path: of the file.
        head: its first 16 bytes.
    """
    source = os.fspath(path)
    for start, (what, how) in OTHER_KINDS.items():
        if head.lower().startswith(start.lower()):
            return file_error(source, None, f"is {what}, and no body.", how.format(source))
    return None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file so that after a crash there is the old one or the new one, never a part.

    Args:
        path: of the file; replaced when it exists.
        text: what it is to hold.

    Raises:
        FileError: when it cannot be written.
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as failure:
        raise file_error(os.fspath(path), None, f"cannot be written: {reason(failure)}.") from None
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write bytes into, which becomes `path` at the end, or nothing if anything fails before.

    Args:
        path: of the file; replaced when it exists.

    Raises:
        FileError: when it cannot be written.
    """
    target = Path(path)
    temporary: str | None = None
    if "\0" in str(target):
        raise file_error(repr(os.fspath(path)), None, "cannot be written: its name holds a null character.")
    try:
        handle, temporary = tempfile.mkstemp(
            prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent
        )
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
        temporary = None
    except OSError as failure:
        how = "" if target.parent.is_dir() else f"There is no folder {os.fspath(target.parent)}."
        raise file_error(os.fspath(path), None, f"cannot be written: {reason(failure)}.", how) from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _mode(target: Path) -> int:
    """Permissions of the file to replace, or those that a new file would get."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def reason(failure: BaseException) -> str:
    """Why an operation on a file failed, in the words of the operating system or library, cut to a line."""
    words = getattr(failure, "strerror", None) or str(failure) or type(failure).__name__
    return " ".join(words.lower().split())[:REASON_LENGTH]


def missing_file(path: str | os.PathLike[str]) -> FileError:
    """The error about a file that is not there, with the name of one beside it that looks like it."""
    return file_error(os.fspath(path), None, "does not exist.", _neighbour(Path(path)))


def _neighbour(path: Path) -> str:
    """The name of a file beside a missing one that looks like it."""
    try:
        names = [entry.name for entry in os.scandir(path.parent)]
    except OSError:
        return f"Its folder {os.fspath(path.parent)} does not exist or cannot be read."
    # Endings make all files of a kind look alike: without them names must, too.
    alike = [name for name in names if difflib.get_close_matches(path.stem, [Path(name).stem], cutoff=ALIKE)]
    close = difflib.get_close_matches(path.name, alike, n=1, cutoff=ALIKE)
    return f"Did you mean '{close[0]}'?" if close else ""
