"""What reading and writing results shares with descriptions, and the errors about such files."""

from __future__ import annotations

import os

from zoophyte.description.files import missing_file, reason, replacing
from zoophyte.errors import FileError, Problem

__all__ = ["file_error", "missing_file", "reason", "replacing"]


def file_error(path: str | os.PathLike[str], what: str, how: str = "") -> FileError:
    """The error to raise about a file.

    Args:
        path: of the file.
        what: is wrong with it, as a sentence without its subject.
        how: to repair that, where it is known.
    """
    return FileError(str(Problem(os.fspath(path), what, how)))
