"""Terrain in files: NPZ archives and PNG height maps; whatever a hostile file holds, the answer is a Terrain or an error.

An archive holds ``heights`` (rows along y, columns along x) and, if it was saved by us, ``spacing`` and ``origin``.  A
height map is a grey picture: black is low, white is high, seen from above with x to the right and y upwards, as on a map.
Sizes are known and checked before anything is unpacked.
"""

from __future__ import annotations

import math
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from zoophyte.description.arrays.npz import HEADER_LIMIT, open_archive
from zoophyte.description.arrays.png import read_grey
from zoophyte.description.files import read_bytes, replacing
from zoophyte.description.reading import file_error
from zoophyte.errors import FileError, UsageError
from zoophyte.model.terrain import MAX_HEIGHTS, Terrain

FILE_LIMIT = 2**28  # bytes
ENTRIES = ("heights", "spacing", "origin")
ENDINGS = (".npz", ".png")


def load_terrain(
    path: str | os.PathLike[str],
    *,
    spacing: float | tuple[float, float] | None = None,
    scale: float = 1.0,
    offset: float = 0.0,
    origin: tuple[float, float] | None = None,
) -> Terrain:
    """The terrain in an ``.npz`` or ``.png`` file.

    Args:
        path: of the file.
        spacing: distance of neighbouring points along x and y [m]; must be given unless the file holds it.
        scale: factor of the heights; for a picture the height of white above black [m].
        offset: added to the heights; for a picture the height of black [m].
        origin: (x, y) of the lowest row and column [m]; if left out, that in the file, or such that (0, 0) is the middle.

    Raises:
        FileError: says what is wrong with the file.
        UsageError: says what is wrong with the other arguments.
    """
    factor, shift = float(scale), float(offset)
    if not (math.isfinite(factor) and math.isfinite(shift)):
        raise UsageError(f"terrain scale {scale!r} and offset {offset!r} must be finite numbers.")
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(
            f"{os.fspath(path)}: terrain is read from files that end in {' or '.join(ENDINGS)}, not {ending!r}."
        )
    if ending == ".npz":
        found = _read_archive(path)
    else:
        found = {"heights": read_grey(path, read_bytes(path, FILE_LIMIT), MAX_HEIGHTS)}
    heights = np.asarray(found["heights"], float)
    stored = _stored_pair(path, found, "spacing")
    if spacing is None and stored is None:
        raise UsageError(
            f"{os.fspath(path)}: the file does not say how far its points lie apart. "
            "Give spacing: load_terrain(path, spacing=0.1) [m]."
        )
    apart = spacing if spacing is not None else stored
    corner = origin if origin is not None else _stored_pair(path, found, "origin")
    try:
        terrain = Terrain(factor * heights + shift, apart, corner if corner is not None else (0.0, 0.0))  # type: ignore[arg-type]
    except UsageError as failure:
        raise FileError(f"{os.fspath(path)}: {failure}") from None
    if corner is not None:
        return terrain
    wide, deep = terrain.size
    return Terrain(terrain.heights, terrain.spacing, (-0.5 * wide, -0.5 * deep))


def write_terrain(terrain: Terrain, path: str | os.PathLike[str]) -> None:
    """Write a terrain as an uncompressed NPZ file; equal terrains give equal bytes.

    Args:
        terrain: what to write.
        path: of the file; must end in ``.npz``.

    Raises:
        UsageError: when the name ends otherwise.
        FileError: when it cannot be written.
    """
    if Path(path).suffix.lower() != ".npz":
        raise UsageError(f"{os.fspath(path)}: terrain is written to files that end in .npz.")
    arrays = (terrain.heights, np.array(terrain.spacing), np.array(terrain.origin))
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in zip(ENTRIES, arrays, strict=True):
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w") as entry:
                npy.write_array(entry, array, allow_pickle=False)


def _wrong(path: str | os.PathLike[str], what: str, how: str = "") -> FileError:
    return file_error(os.fspath(path), None, what, how)


def _read_archive(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arrays of an NPZ file, whose headers are compared before anything is unpacked."""
    with open_archive(path, "Terrain.save writes such files.") as archive:
        if "heights" not in archive.names:
            raise _wrong(path, "holds no array 'heights'.", "Terrain.save writes such files.")
        names = [name for name in ENTRIES if name in archive.names]
        for name in names:
            if archive.length(name) > 8 * MAX_HEIGHTS + HEADER_LIMIT + 16:
                what = f"holds '{name}' of {archive.length(name):,} bytes; at most {MAX_HEIGHTS:,} numbers are read."
                raise _wrong(path, what)
            shape = archive.header(name).shape
            if math.prod(shape) > MAX_HEIGHTS:
                raise _wrong(
                    path, f"holds '{name}' of shape {shape}; at most {MAX_HEIGHTS:,} numbers are read."
                )
        return {name: archive.read(name).astype(float) for name in names}


def _stored_pair(
    path: str | os.PathLike[str], found: dict[str, Any], name: str
) -> tuple[float, float] | None:
    if name not in found:
        return None
    values = np.atleast_1d(found[name]).tolist()
    if len(values) not in (1, 2) or np.ndim(found[name]) > 1:
        raise _wrong(path, f"holds '{name}' of shape {np.shape(found[name])}, must be two numbers (x, y).")
    return float(values[0]), float(values[-1])
