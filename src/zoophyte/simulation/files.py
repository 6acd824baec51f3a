"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from zoophyte.errors import FileError, Problem

REASON_LENGTH = 160


def file_error(path: str | os.PathLike[str], what: str, how: str = "") -> FileError:
    """The error to raise about a file.

    Args:
        path: of the file.
        what: is wrong with it, as a sentence without its subject.
        how: to repair that, where it is known.
    """
    return FileError(str(Problem(os.fspath(path), what, how)))


def reason(failure: BaseException) -> str:
    """Why an operation on a file failed, in the words of the operating system or library, cut to a line."""
    words = getattr(failure, "strerror", None) or str(failure) or type(failure).__name__
    return " ".join(words.lower().split())[:REASON_LENGTH]


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
        raise file_error(path, "cannot be written: its name holds a null character.")
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
        raise file_error(path, f"cannot be written: {reason(failure)}.", how) from None
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
