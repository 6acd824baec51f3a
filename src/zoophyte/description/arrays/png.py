"""Grey PNG pictures as numbers; whatever a hostile file holds, the answer is brightness or a FileError.

The size stands in the picture's header: it is checked before anything is unpacked, and what is unpacked must fit it.
"""

from __future__ import annotations

import os
import struct
import zlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zoophyte.description.files import reason
from zoophyte.description.reading import file_error
from zoophyte.errors import FileError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = {2: "colour", 3: "a palette", 4: "transparency", 6: "colour and transparency"}
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
GREY_ONLY = "Save it as a greyscale picture of 8 or 16 bits, not interlaced."
PIECE = 2**20
LONG = 64
"""Pixels of a row from which on operations on whole rows are faster than a loop over bytes."""

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]


class Picture(NamedTuple):
    """What the header of a picture says, and what the picture is packed in.

    Args:
        width: in pixels.
        height: in pixels.
        depth: bits of a number.
        colour: kind of its pixels.
        interlaced: whether it comes in seven passes.
        packed: its compressed bytes.
        has_holes: whether one of its colours is transparent.
    """

    width: int
    height: int
    depth: int
    colour: int
    interlaced: bool
    packed: bytes
    has_holes: bool

    @property
    def size(self) -> int:
        """Bytes that it unpacks to, at most."""
        row = 1 + (self.width * self.depth * CHANNELS.get(self.colour, 4) + 7) // 8
        return (2 if self.interlaced else 1) * self.height * row + 64


def read_grey(path: str | os.PathLike[str], content: bytes, limit: int) -> Floats:
    """Brightness from 0 to 1 of a greyscale PNG picture, the lowest row first.

    Args:
        path: of the file, for messages.
        content: of the file.
        limit: the most pixels that are read.

    Raises:
        FileError: says what is wrong, or which kind of picture it is instead.
    """
    picture = read_picture(path, content)
    _check_grey(path, picture, limit)
    width, height, depth = picture.width, picture.height, picture.depth
    bytes_each = depth // 8
    size = height * (1 + width * bytes_each)
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(picture.packed, size + 1)
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


def read_picture(path: str | os.PathLike[str], content: bytes) -> Picture:
    """The header of a PNG picture and its compressed bytes, which stay compressed.

    Args:
        path: of the file, for messages.
        content: of the file.

    Raises:
        FileError: when it is no PNG file, or a damaged one.
    """
    if content[:8] != SIGNATURE:
        raise _wrong(path, "is no PNG file.")
    header: tuple[int, ...] = ()
    packed = bytearray()
    has_holes = False
    at = 8
    while True:
        kind, data = _chunk(path, content, at)
        at += 12 + len(data)
        if kind == b"IEND":
            break
        if not header:
            if kind != b"IHDR" or len(data) != 13:
                raise _wrong(path, "is a damaged PNG file: it does not begin with its header.")
            header = struct.unpack(">IIBBBBB", data)
        elif kind == b"tRNS":
            has_holes = True
        elif kind == b"IDAT":
            packed += data
    if not header:
        raise _wrong(path, "is a PNG file without a picture.")
    width, height, depth, colour, _, _, interlaced = header
    return Picture(width, height, depth, colour, bool(interlaced), bytes(packed), has_holes)


def check_picture(path: str | os.PathLike[str], content: bytes, limit: int) -> int:
    """The number of pixels of a PNG picture of any colours, whose bytes are known to unpack to no more than it says.

    Args:
        path: of the file, for messages.
        content: of the file.
        limit: the most pixels that are allowed.

    Raises:
        FileError: when it is no PNG file, a damaged one or too large.
    """
    picture = read_picture(path, content)
    count = picture.width * picture.height
    if count > limit:
        raise _wrong(path, f"is a picture of {picture.width} × {picture.height}; at most {limit:,} pixels.")
    unpacker, found, waiting = zlib.decompressobj(), 0, picture.packed
    try:
        while waiting and not unpacker.eof and found <= picture.size:
            found += len(unpacker.decompress(waiting, PIECE))
            waiting = unpacker.unconsumed_tail
    except zlib.error as failure:
        raise _wrong(path, f"is a damaged PNG file ({reason(failure)}).") from None
    if found > picture.size:
        raise _wrong(path, "is a damaged PNG file: its picture is larger than it says.")
    return count


def _check_grey(path: str | os.PathLike[str], picture: Picture, limit: int) -> None:
    width, height, depth = picture[:3]
    if picture.colour != 0:
        raise _wrong(
            path,
            f"is a picture with {COLOURS.get(picture.colour, 'unknown colours')}, not a height map.",
            GREY_ONLY,
        )
    if depth not in (8, 16) or picture.interlaced:
        how = "is interlaced" if picture.interlaced else f"has {depth} bits"
        raise _wrong(path, f"is a grey picture that {how}.", GREY_ONLY)
    if min(width, height) < 2 or width * height > limit:
        raise _wrong(path, f"is a picture of {width} × {height}; 2 × 2 to {limit:,} pixels in all are read.")
    if picture.has_holes:
        raise _wrong(path, "is a picture with transparency, and a terrain has no holes.", GREY_ONLY)


def _wrong(path: str | os.PathLike[str], what: str, how: str = "") -> FileError:
    return file_error(os.fspath(path), None, what, how)


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


def unfiltered(rows: Bytes, filters: Bytes) -> Bytes:
    """Undo PNG's filters (ISO/IEC 15948, clause 9), which tell each byte from those to the left and above.

    In long rows three of the five kinds are one operation on the whole row.  All else goes byte by byte, so that the work
    goes with the number of bytes whatever the shape of the picture is.

    Args:
        rows: filtered bytes, shape (height, width, bytes per pixel).
        filters: 0 to 4, one for each row.
    """
    width, step = rows.shape[1:]
    done = np.empty_like(rows)
    above: Bytes = np.zeros((width, step), np.uint8)
    if width < LONG:
        flat = _byte_by_byte(rows.tobytes(), bytes(width * step), filters.tolist(), step)
        return np.frombuffer(flat, np.uint8).reshape(rows.shape)
    for number, kind in enumerate(filters.tolist()):
        row, found = rows[number], done[number]
        if kind == 0:
            found[:] = row
        elif kind == 1:
            np.cumsum(row, axis=0, dtype=np.uint8, out=found)
        elif kind == 2:
            np.add(row, above, out=found)
        else:
            flat = _byte_by_byte(row.tobytes(), above.tobytes(), [kind], step)
            found[:] = np.frombuffer(flat, np.uint8).reshape(found.shape)
        above = found
    return done


def _byte_by_byte(data: bytes, above: bytes, filters: list[int], step: int) -> bytes:
    """Rows as the standard tells them, below one that is known.

    Args:
        data: filtered bytes of all rows.
        above: the row before them.
        filters: one for each row.
        step: bytes of a pixel.
    """
    length = len(above)
    done = bytearray(above)
    done += data
    for number, kind in enumerate(filters, start=1):
        start = number * length
        first = start + step
        for at in range(start, start + length) if kind else ():
            over = done[at - length]
            left, corner = (done[at - step], done[at - length - step]) if at >= first else (0, 0)
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = over
            elif kind == 3:
                guess = (left + over) >> 1
            else:
                to_left, to_over, to_corner = (
                    abs(over - corner), abs(left - corner), abs(left + over - corner - corner)
                )  # fmt: skip
                guess = over if to_over <= to_corner else corner
                if to_left <= to_over and to_left <= to_corner:
                    guess = left
            done[at] = (done[at] + guess) & 255
    return bytes(done[length:])
