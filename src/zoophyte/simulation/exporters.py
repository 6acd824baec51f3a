"""Exporters by file ending: a folder further to the right adds its own with :func:`register_exporter`."""

from __future__ import annotations

import csv
import importlib
import io
import os
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

Exporter = Callable[["Trajectory", Path], "tuple[str, ...] | None"]
"""Writes a life to a file; returns what the format cannot hold, if there is anything."""

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


def export_trajectory(life: Trajectory, path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write a life with the exporter that the path's ending names.

    Args:
        life: what to write.
        path: of the file.

    Returns:
        What the format cannot hold, in words.

    Raises:
        UsageError: when the ending is unknown.
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
    return _EXPORTERS[ending](life, target) or ()


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
        writer.writerow(header)
        for row in rows:
            writer.writerow(row.tolist())
        text.flush()
        text.detach()


def _write_npz(life: Trajectory, path: Path) -> None:
    life.save(path)


register_exporter(".csv", write_csv)
register_exporter(".npz", _write_npz)
