"""Tables: everyone in a run as columns, for other programs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from zoophyte.description.files import replacing
from zoophyte.errors import MissingExtraError
from zoophyte.evolution.run.store import Row
from zoophyte.simulation.exporters import harmless


def columns(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Individuals as columns; descriptors as columns of their own."""
    names = list(dict.fromkeys(name for row in rows for name in row.descriptors))
    found: dict[str, list[Any]] = {
        "number": [row.number for row in rows],
        "generation": [row.generation for row in rows],
        "parents": [" ".join(map(str, row.parents)) for row in rows],
        "operator": [row.operator for row in rows],
        "place": [row.place for row in rows],
        "fitness": [row.fitness for row in rows],
        "status": [row.status for row in rows],
        "reason": [row.reason for row in rows],
        "seconds": [row.seconds for row in rows],
    }
    for name in names:
        column = name if name not in found else f"descriptor_{name}"
        found[column] = [row.descriptors.get(name) for row in rows]
    return found


def write_csv(table: dict[str, list[Any]], path: str | Path) -> None:
    """Write columns as text; numbers read back exactly, and no text is a formula to a spreadsheet."""
    with replacing(path) as file:
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([harmless(name) for name in table])
        writer.writerows([_cell(value) for value in line] for line in zip(*table.values(), strict=True))
        file.write(text.getvalue().encode("utf-8", "backslashreplace"))


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return harmless(value)
    return "" if value is None else repr(value) if isinstance(value, float) else value


def write_parquet(table: dict[str, list[Any]], path: str | Path) -> None:
    """Write columns to a Parquet file.

    Raises:
        MissingExtraError: when pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "data", "a Parquet file") from None
    with replacing(path) as file:
        pyarrow.parquet.write_table(pyarrow.table(table), file)
