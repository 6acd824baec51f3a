"""Room: the folder of a new run, made once all that was asked makes sense; it goes with a run that never began."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from zoophyte.errors import FileError


class Room:
    """The folder for a file that is about to be made.

    Args:
        path: of the file.

    Raises:
        FileError: when the folder cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._made = [folder for folder in path.parents if not folder.exists()]  # the innermost first
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as failure:
            why = (
                "it is a file"
                if isinstance(failure, FileExistsError | NotADirectoryError)
                else failure.strerror
            )
            self.clear()
            raise FileError(f"{path.parent}: the folder cannot be made: {str(why).lower()}.") from None

    def clear(self) -> None:
        """Take away the file, and the folders that were made for it and hold nothing else."""
        self.path.unlink(missing_ok=True)
        with suppress(OSError):  # not empty: it holds something of somebody's
            for folder in self._made:
                if folder.exists():
                    folder.rmdir()
