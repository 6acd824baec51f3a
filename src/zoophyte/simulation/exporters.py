"""Exporters by file ending: a folder further to the right adds its own with :func:`register_exporter`."""

from __future__ import annotations

import csv
import importlib
import inspect
import io
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.description.files import replacing
from zoophyte.errors import UsageError, nearest
from zoophyte.simulation.channels import coordinate_names, recorded, velocity_names

if TYPE_CHECKING:
    from zoophyte.simulation.trajectory import Trajectory

Exporter = Callable[..., "tuple[str, ...] | None"]
"""Writes a life to a file, and returns what the format cannot hold, if there is anything.

Called with a trajectory and a path; its keyword-only arguments are the settings that ``life.export`` hands on.
"""

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What formulas begin with in spreadsheets; the last four are the wide forms of the first."""
HIDDEN = re.compile(r"""([;\t\n][\s"']*)(?=[=+\-@＝＋－＠])""")
"""What stands before a formula for a spreadsheet that takes another separator than the comma."""
_EXPORTERS: dict[str, Exporter] = {}


def register_exporter(ending: str, function: Exporter) -> None:
    """Make ``life.export`` write files of one more kind.

    Args:
        ending: of the files' names, with its dot: ``".csv"``; upper and lower case are the same.
        function: writes a trajectory to a path.

    Raises:
        UsageError: when the ending has no dot or is taken by another function.
    """
    key = ending.lower()
    if not key.startswith(".") or len(key) < 2 or not key[1:].isalnum():
        raise UsageError(f"file ending {ending!r} must be a dot with letters or digits behind it, as '.csv'.")
    if _EXPORTERS.get(key, function) is not function:
        raise UsageError(f"file ending {ending!r} has an exporter already.")
    _EXPORTERS[key] = function


def export_folder(module: str = "zoophyte.export") -> Any:
    """The folder `export`, or a module in it, which registers its exporters when it is loaded.

    It stands to the right of this folder, which therefore knows it by name only, and when it is used.
    """
    return importlib.import_module(module)


def exporter_endings() -> list[str]:
    """The endings that ``life.export`` knows."""
    export_folder()
    return sorted(_EXPORTERS)


def export_trajectory(life: Trajectory, path: str | os.PathLike[str], **settings: Any) -> tuple[str, ...]:
    """Write a life with the exporter that the path's ending names.

    Args:
        life: what to write.
        path: of the file.
        settings: of the exporter, as `look`, `camera` and `size` of pictures.

    Returns:
        What the format cannot hold, in words.

    Raises:
        UsageError: when the ending is unknown, or has no such setting.
    """
    export_folder()
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in _EXPORTERS:
        given = f"the file ending {ending!r} is unknown" if ending else "the file name has no ending"
        known = ", ".join(exporter_endings())
        raise UsageError(
            f"{os.fspath(path) or repr('')}: {given}. Known: {known}. {nearest(ending, _EXPORTERS)}".rstrip()
        )
    exporter = _EXPORTERS[ending]
    allowed = _settings_of(exporter) if settings else []
    for name in settings:
        if name not in allowed:
            has = f"has {', '.join(allowed)}" if allowed else "has no settings"
            raise UsageError(
                f"{os.fspath(path)}: there is no setting {name!r}; a {ending} file {has}. {nearest(name, allowed)}".rstrip()
            )
    return exporter(life, target, **settings) or ()


def _settings_of(exporter: Exporter) -> list[str]:
    """Names of what can be set."""
    parameters = inspect.signature(exporter).parameters.values()
    return [each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY]


def harmless(text: str) -> str:
    """Text for a cell of a table: what a spreadsheet would take for a formula has an apostrophe before it.

    A name in a file may begin with ``=`` or with another of `FORMULAS`; a spreadsheet computes such a cell.  Where a
    semicolon or a tab separates cells, a formula may stand behind one, even within quotes: the apostrophe stands there, too.

    Args:
        text: a name or words, never a number.
    """
    # A carriage return would begin a row, and that row a formula.
    return HIDDEN.sub(r"\1'", ("'" * text.startswith(FORMULAS) + text).replace("\r", " "))


def write_csv(life: Trajectory, path: Path) -> None:
    """Write a row per recorded time: time, ``q:…``, ``v:…``, channels; the numbers read back exactly.

    Args:
        life: what to write.
        path: of the file.
    """
    channels = list(recorded(life))
    header = ["time", *(f"q:{name}" for name, _ in coordinate_names(life.description))]
    header += [f"v:{name}" for name, _ in velocity_names(life.description)]
    header += [label for channel in channels for label in channel.labels]
    columns = [life.times[:, None], life.q, life.v, *(channel.values for channel in channels)]
    write_table(path, header, np.hstack(columns))


def write_table(path: Path, header: Sequence[str], rows: NDArray[np.float64]) -> None:
    """Write a table of numbers, which read back exactly; whole or not at all.

    Args:
        path: of the file.
        header: names of the columns.
        rows: shape (rows, columns).
    """
    with replacing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([harmless(name) for name in header])
        for row in rows:
            writer.writerow(row.tolist())
        text.flush()
        text.detach()


def _write_npz(life: Trajectory, path: Path) -> None:
    life.save(path)


register_exporter(".csv", write_csv)
register_exporter(".npz", _write_npz)
