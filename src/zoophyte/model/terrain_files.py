"""Terrain in files: NPZ archives and PNG height maps; whatever a hostile file holds, the answer is a Terrain or an error.

An archive holds ``heights`` (rows along y, columns along x) and, if it was saved by us, ``spacing`` and ``origin``.  A
height map is a grey picture: black is low, white is high, seen from above with x to the right and y upwards, as on a map.
Sizes are known and checked before anything is unpacked.
"""

from __future__ import annotations

import io
import math
import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from zoophyte.description.files import missing_file, reason, replacing
from zoophyte.description.reading import file_error
from zoophyte.errors import FileError, UsageError
from zoophyte.model.model import Floats
from zoophyte.model.terrain import MAX_HEIGHTS, Terrain

FILE_LIMIT = 2**28  # bytes
HEADER_LIMIT = 10_000  # bytes of one entry's header; ours have about a hundred
ENTRIES = ("heights", "spacing", "origin")
ENDINGS = (".npz", ".png")
SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = {2: "colour", 3: "a palette", 4: "transparency", 6: "colour and transparency"}
GREY_ONLY = "Save it as a greyscale picture of 8 or 16 bits, not interlaced."

Bytes = NDArray[np.uint8]


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
    content = _content(path)
    found = _read_archive(path, content) if ending == ".npz" else {"heights": read_grey(path, content)}
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


def _content(path: str | os.PathLike[str]) -> bytes:
    try:
        with open(path, "rb") as file:
            content = file.read(FILE_LIMIT + 1)
    except FileNotFoundError:
        raise missing_file(path) from None
    except (OSError, ValueError) as failure:  # ValueError: a null character in the name
        raise _wrong(path, f"cannot be read: {reason(failure)}.") from None
    if len(content) > FILE_LIMIT:
        raise _wrong(path, f"is larger than {FILE_LIMIT // 2**20} MiB, the most that is read.")
    return content


def _wrong(path: str | os.PathLike[str], what: str, how: str = "") -> FileError:
    return file_error(os.fspath(path), None, what, how)


# --------------------------------------------------------------------------------------------------------- NPZ


def _read_archive(path: str | os.PathLike[str], content: bytes) -> dict[str, Any]:
    """The arrays of an NPZ file, without pickles, each of a size that the directory and its own header agree on."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
            if "heights.npy" not in sizes:
                raise _wrong(path, "holds no array 'heights'.", "Terrain.save writes such files.")
            names = [name for name in ENTRIES if f"{name}.npy" in sizes]
            for name in names:
                if sizes[f"{name}.npy"] > 8 * MAX_HEIGHTS + HEADER_LIMIT + 16:
                    raise _wrong(
                        path,
                        f"holds '{name}' of {sizes[f'{name}.npy']:,} bytes; at most {MAX_HEIGHTS:,} numbers.",
                    )
            return {name: _read_array(path, archive, name) for name in names}
    except FileError:
        raise
    except (
        Exception
    ) as failure:  # zipfile and numpy answer bytes made to mislead them with almost any exception
        raise _wrong(path, f"is no NPZ file, or a damaged one ({reason(failure)}).") from None


def _read_array(path: str | os.PathLike[str], archive: zipfile.ZipFile, name: str) -> Any:
    with archive.open(f"{name}.npy") as entry:
        version = npy.read_magic(entry)
        if version not in ((1, 0), (2, 0)):
            raise _wrong(path, f"holds '{name}' of NPY version {version}, which holds no plain numbers.")
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, is_fortran, dtype = read(entry, max_header_size=HEADER_LIMIT)
        if dtype.kind not in "fiu" or any(side < 0 for side in shape):
            raise _wrong(path, f"holds '{name}' of type {dtype}; only numbers are read.")
        count = math.prod(shape)
        data = entry.read(count * dtype.itemsize + 1) if count <= MAX_HEIGHTS else b""
    if count > MAX_HEIGHTS:
        raise _wrong(path, f"holds '{name}' of shape {shape}; at most {MAX_HEIGHTS:,} numbers are read.")
    if len(data) != count * dtype.itemsize:
        raise _wrong(path, f"holds '{name}' whose shape {shape} does not fit its data; it is damaged.")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if is_fortran else "C").astype(float)


def _stored_pair(
    path: str | os.PathLike[str], found: dict[str, Any], name: str
) -> tuple[float, float] | None:
    if name not in found:
        return None
    values = np.atleast_1d(found[name]).tolist()
    if len(values) not in (1, 2) or np.ndim(found[name]) > 1:
        raise _wrong(path, f"holds '{name}' of shape {np.shape(found[name])}, must be two numbers (x, y).")
    return float(values[0]), float(values[-1])


# --------------------------------------------------------------------------------------------------------- PNG


def read_grey(path: str | os.PathLike[str], content: bytes) -> Floats:
    """Brightness from 0 to 1 of a greyscale PNG picture, the lowest row first.

    Args:
        path: of the file, for messages.
        content: of the file.

    Raises:
        FileError: says what is wrong, or which kind of picture it is instead.
    """
    if content[:8] != SIGNATURE:
        raise _wrong(path, "is no PNG file.")
    width, height, depth, packed = 0, 0, 0, bytearray()
    at = 8
    while True:
        kind, data = _chunk(path, content, at)
        at += 12 + len(data)
        if kind == b"IEND":
            break
        if not width:
            width, height, depth = _header(path, kind, data)
        elif kind == b"tRNS":
            raise _wrong(path, "is a picture with transparency, and a terrain has no holes.", GREY_ONLY)
        elif kind == b"IDAT":
            packed += data
    if not width:
        raise _wrong(path, "is a PNG file without a picture.")
    bytes_each = depth // 8
    size = height * (1 + width * bytes_each)
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(bytes(packed), size + 1)
    except zlib.error as failure:
        raise _wrong(path, f"is a damaged PNG file ({reason(failure)}).") from None
    if len(raw) != size:
        raise _wrong(
            path, f"is a damaged PNG file: its picture has not the size of {width} × {height} that it says."
        )
    rows = np.frombuffer(raw, np.uint8).reshape(height, 1 + width * bytes_each)
    if rows[:, 0].max() > 4:
        raise _wrong(
            path, f"is a damaged PNG file: row {int(np.argmax(rows[:, 0] > 4))} has an unknown filter."
        )
    pixels = unfiltered(rows[:, 1:].reshape(height, width, bytes_each), rows[:, 0])
    values = pixels[..., 0].astype(float)
    if depth == 16:
        values = 256.0 * values + pixels[..., 1]
    return np.asarray(values[::-1] / (2**depth - 1), float)


def _chunk(path: str | os.PathLike[str], content: bytes, at: int) -> tuple[bytes, bytes]:
    """Kind and data of the chunk at a place (ISO/IEC 15948, clause 5.3)."""
    if len(content) < at + 12:
        raise _wrong(path, "is a PNG file that is cut off.")
    length, kind = struct.unpack(">I4s", content[at : at + 8])
    data = content[at + 8 : at + 8 + length]
    if len(data) != length or len(content) < at + 12 + length:
        raise _wrong(path, "is a PNG file that is cut off.")
    if struct.unpack(">I", content[at + 8 + length : at + 12 + length])[0] != zlib.crc32(kind + data):
        raise _wrong(path, f"is a damaged PNG file: the checksum of its part {kind!r} is wrong.")
    return kind, data


def _header(path: str | os.PathLike[str], kind: bytes, data: bytes) -> tuple[int, int, int]:
    """Width, height and bits of a picture that can be read."""
    if kind != b"IHDR" or len(data) != 13:
        raise _wrong(path, "is a damaged PNG file: it does not begin with its header.")
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", data)
    if colour != 0:
        raise _wrong(
            path, f"is a picture with {COLOURS.get(colour, 'unknown colours')}, not a height map.", GREY_ONLY
        )
    if depth not in (8, 16) or interlaced:
        how = "is interlaced" if interlaced else f"has {depth} bits"
        raise _wrong(path, f"is a grey picture that {how}.", GREY_ONLY)
    if min(width, height) < 2 or width * height > MAX_HEIGHTS:
        raise _wrong(
            path, f"is a picture of {width} × {height}; 2 × 2 to {MAX_HEIGHTS:,} pixels in all are read."
        )
    return width, height, depth


def unfiltered(rows: Bytes, filters: Bytes) -> Bytes:
    """Undo PNG's filters (ISO/IEC 15948, clause 9), which tell each byte from those to the left and above.

    A byte needs its left, upper and upper left neighbour.  All bytes with the same row + column are therefore found
    at once, one such diagonal after the other.

    Args:
        rows: filtered bytes, shape (height, width, bytes per pixel).
        filters: 0 to 4, one for each row.
    """
    height, width, depth = rows.shape
    # One row above and one column to the left are zero; the row's number is added to the column, so that a diagonal
    # becomes a column, of which only the two before are needed.
    before, last = np.zeros((height + 1, depth), np.int16), np.zeros((height + 1, depth), np.int16)
    done = np.empty_like(rows)
    kind = filters[:, None]
    for diagonal in range(height + width - 1):
        first, end = max(0, diagonal - width + 1), min(height, diagonal + 1)
        row = np.arange(first, end)
        column = diagonal - row
        left = np.where(column[:, None] > 0, last[row + 1], 0)
        above = last[row]
        corner = np.where(column[:, None] > 0, before[row], 0)
        guess = left + above - corner
        to_left, to_above, to_corner = abs(guess - left), abs(guess - above), abs(guess - corner)
        paeth = np.where(
            (to_left <= to_above) & (to_left <= to_corner),
            left,
            np.where(to_above <= to_corner, above, corner),
        )
        chosen = np.choose(kind[first:end], [np.zeros_like(left), left, above, (left + above) >> 1, paeth])
        found = (rows[row, column] + chosen) & 255
        done[row, column] = found
        before, last = last, np.zeros((height + 1, depth), np.int16)
        last[row + 1] = found
    return done
