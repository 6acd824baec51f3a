"""Terrain in files: what is saved comes back, pictures become heights, and anything else is an error that says why."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from zoophyte.description.arrays.png import SIGNATURE
from zoophyte.errors import FileError, UsageError
from zoophyte.model import Terrain, load_terrain

Ints = NDArray[np.int64]


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def grey_png(
    values: Ints, depth: int, *, filters: int | None = None, header: bytes | None = None, more: bytes = b""
) -> bytes:
    """A greyscale PNG file, written by the book (ISO/IEC 15948, clause 9) pixel by pixel, each row with another filter."""
    height, width = values.shape
    size = depth // 8
    rows = [b"".join(int(value).to_bytes(size, "big") for value in row) for row in values]
    packed, above = b"", bytes(width * size)
    for number, row in enumerate(rows):
        kind = number % 5 if filters is None else filters
        packed += bytes([kind])
        for n, byte in enumerate(row):
            left, corner = (row[n - size], above[n - size]) if n >= size else (0, 0)
            nearest = min((left, above[n], corner), key=lambda guess: abs(left + above[n] - corner - guess))
            packed += bytes([(byte - (0, left, above[n], (left + above[n]) // 2, nearest)[kind]) % 256])
        above = row
    header = header or struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0)
    return (
        SIGNATURE
        + chunk(b"IHDR", header)
        + more
        + chunk(b"IDAT", zlib.compress(packed))
        + chunk(b"IEND", b"")
    )


def archive(**arrays: Any) -> bytes:
    target = io.BytesIO()
    np.savez(target, **arrays)
    return target.getvalue()


def test_a_saved_terrain_comes_back_bit_for_bit(tmp_path: Path) -> None:
    made = Terrain.bumps(seed=2, size=(3.0, 2.0))
    made.save(tmp_path / "a.npz")
    made.save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    back = load_terrain(tmp_path / "a.npz")
    assert back.heights.tobytes() == made.heights.tobytes()
    assert (back.spacing, back.origin) == (made.spacing, made.origin)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as found:
        assert sorted(found) == ["heights", "origin", "spacing"]


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<i2", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_archives_of_any_plain_numbers_are_read(tmp_path: Path, dtype: str, order: str) -> None:
    values = np.arange(12).reshape(3, 4)
    (tmp_path / "x.npz").write_bytes(archive(heights=np.asarray(values, dtype, order=order)))  # type: ignore[call-overload]
    found = load_terrain(tmp_path / "x.npz", spacing=(0.5, 0.25), scale=2.0, offset=-1.0)
    assert np.array_equal(found.heights, 2.0 * values - 1.0)
    assert (found.spacing, found.origin) == ((0.5, 0.25), (-0.75, -0.25))


@pytest.mark.parametrize("depth", [8, 16])
@pytest.mark.parametrize("filters", [None, 0, 1, 2, 3, 4])
def test_pictures_become_heights(tmp_path: Path, depth: int, filters: int | None) -> None:
    """Oracle: the pixels that were written, by an encoder written from the standard alone; the picture's top is far y."""
    values = np.random.default_rng(depth).integers(0, 2**depth, (11, 7))
    (tmp_path / "hill.png").write_bytes(grey_png(values, depth, filters=filters))
    found = load_terrain(tmp_path / "hill.png", spacing=0.1, scale=3.0, offset=0.5, origin=(1.0, 2.0))
    assert found.heights == pytest.approx(0.5 + 3.0 * values[::-1] / (2**depth - 1), abs=1e-15 * 8)
    assert found.origin == (1.0, 2.0)


def form(*numbers: int) -> bytes:
    return struct.pack(">IIBBBBB", *numbers)


SOUND = grey_png(np.arange(12).reshape(3, 4), 8)
HOSTILE: dict[str, tuple[str, bytes, str]] = {
    "not a picture": ("x.png", b"GIF89a", "is no PNG file"),
    "cut off": ("x.png", SOUND[:-20], "cut off"),
    "cut in the signature": ("x.png", SOUND[:10], "cut off"),
    "changed byte": ("x.png", SOUND[:45] + b"\0" + SOUND[46:], "checksum|damaged"),
    "colour": (
        "x.png",
        grey_png(np.zeros((2, 2), int), 8, header=form(2, 2, 8, 2, 0, 0, 0)),
        "with colour, not a height map. Save",
    ),
    "colour and holes": (
        "x.png",
        grey_png(np.zeros((2, 2), int), 8, header=form(2, 2, 8, 6, 0, 0, 0)),
        "colour and transparency",
    ),
    "palette": ("x.png", grey_png(np.zeros((2, 2), int), 8, header=form(2, 2, 8, 3, 0, 0, 0)), "a palette"),
    "few bits": ("x.png", grey_png(np.zeros((2, 2), int), 8, header=form(2, 2, 4, 0, 0, 0, 0)), "has 4 bits"),
    "interlaced": (
        "x.png",
        grey_png(np.zeros((2, 2), int), 8, header=form(2, 2, 8, 0, 0, 0, 1)),
        "is interlaced",
    ),
    "one pixel": ("x.png", grey_png(np.zeros((1, 1), int), 8), "1 × 1; 2 × 2 to"),
    "promises a lot": (
        "x.png",
        grey_png(np.zeros((2, 2), int), 8, header=form(2**31 - 1, 2**31 - 1, 8, 0, 0, 0, 0)),
        "4,194,304 pixels",
    ),
    "holds less than it says": (
        "x.png",
        grey_png(np.zeros((2, 2), int), 8, header=form(9, 9, 8, 0, 0, 0, 0)),
        "not the size of 9 × 9",
    ),
    "holds more than it says": (
        "x.png",
        grey_png(np.zeros((9, 9), int), 8, header=form(2, 2, 8, 0, 0, 0, 0)),
        "not the size of 2 × 2",
    ),
    "holes": ("x.png", grey_png(np.zeros((2, 2), int), 8, more=chunk(b"tRNS", b"\0\0")), "has no holes"),
    "no picture": ("x.png", SIGNATURE + chunk(b"IEND", b""), "without a picture"),
    "unknown filter": (
        "x.png",
        SIGNATURE
        + chunk(b"IHDR", form(2, 2, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(b"\0\0\0\7\0\0"))
        + chunk(b"IEND", b""),
        "row 1 has an unknown filter",
    ),
    "no archive": ("x.npz", b"PK nothing", "no NPZ file, or a damaged one"),
    "other arrays": ("x.npz", archive(depth=np.zeros((2, 2))), "holds no array 'heights'"),
    "objects": (
        "x.npz",
        archive(heights=np.array([[{}, 1], [2, 3]], dtype=object)),
        "of type object; only numbers",
    ),
    "texts": ("x.npz", archive(heights=np.array([["a", "b"], ["c", "d"]])), "only numbers"),
    "complex": ("x.npz", archive(heights=np.ones((2, 2), complex)), "of type complex128"),
    "a line": ("x.npz", archive(heights=np.zeros(5)), r"shape \(5,\)"),
    "not finite": ("x.npz", archive(heights=np.array([[0.0, np.nan], [0.0, 0.0]])), "row 0, column 1"),
    "spacing of three": (
        "x.npz",
        archive(heights=np.zeros((2, 2)), spacing=np.ones(3)),
        r"'spacing' of shape \(3,\)",
    ),
    "spacing of zero": ("x.npz", archive(heights=np.zeros((2, 2)), spacing=np.zeros(2)), "must be positive"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_file_is_refused_with_its_reason(tmp_path: Path, case: str) -> None:
    name, content, message = HOSTILE[case]
    (tmp_path / name).write_bytes(content)
    spacing = None if "spacing" in case else 0.1
    with pytest.raises(FileError, match=message) as caught:
        load_terrain(tmp_path / name, spacing=spacing)
    assert str(tmp_path / name) in str(caught.value)


def test_an_archive_that_promises_more_than_it_holds_is_refused(tmp_path: Path) -> None:
    line = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000)}"
    line += b" " * (64 - (len(line) + 11) % 64) + b"\n"
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("heights.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(line)) + line + bytes(1000))
    with pytest.raises(FileError, match=r"shape \(1000000, 1000000\) does not fit its"):
        load_terrain(tmp_path / "x.npz", spacing=1.0)
    with zipfile.ZipFile(tmp_path / "y.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("heights.npy", bytes(2**26))
    with pytest.raises(FileError, match="bytes; at most 4,194,304 numbers"):
        load_terrain(tmp_path / "y.npz", spacing=1.0)


def test_what_cannot_be_done_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "hill.png").write_bytes(SOUND)
    with pytest.raises(UsageError, match=r"Give spacing: load_terrain\(path, spacing=0\.1\)"):
        load_terrain(tmp_path / "hill.png")
    with pytest.raises(FileError, match=r"does not exist\. Did you mean 'hill\.png'"):
        load_terrain(tmp_path / "hil.png", spacing=1.0)
    with pytest.raises(UsageError, match=r"end in \.npz or \.png, not '\.tif'"):
        load_terrain(tmp_path / "hill.tif")
    with pytest.raises(UsageError, match="must be finite"):
        load_terrain(tmp_path / "hill.png", spacing=1.0, scale=float("nan"))
    with pytest.raises(UsageError, match=r"end in \.npz"):
        Terrain.slope(0.1).save(tmp_path / "hill.png")
    with pytest.raises(FileError, match="cannot be written"):
        Terrain.slope(0.1).save(tmp_path / "no" / "hill.npz")
