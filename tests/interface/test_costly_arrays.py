"""Small files of numbers that would cost much: sizes are compared before anything is unpacked."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description.arrays import npz, png
from zoophyte.errors import FileError
from zoophyte.simulation import Trajectory


def head(shape: str) -> bytes:
    line = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".encode()
    line += b" " * (64 - (len(line) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(line)) + line


def packed(path: Path, size: int, **entries: bytes) -> None:
    """A small archive with entries that unpack to `size` bytes of zeros behind their headers."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, start in entries.items():
            with file.open(f"{name}.npy", "w", force_zip64=True) as entry:
                entry.write(start)
                for _ in range(size // 2**20):
                    entry.write(bytes(2**20))


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the arrays that are unpacked whole."""
    names: list[str] = []
    read = npz.Archive.read
    monkeypatch.setattr(npz.Archive, "read", lambda self, name: names.append(name) or read(self, name))
    return names


def test_a_packed_life_of_much_is_refused_before_it_is_unpacked(tmp_path: Path, unpacked: list[str]) -> None:
    """An NPZ file of 2 MB unpacked to 2 GiB, and was refused only after that."""
    packed(tmp_path / "life.npz", 2**28, times=head(f"({2**25},)"), q=head(f"({2**25},)"))
    assert (tmp_path / "life.npz").stat().st_size < 2**20
    with pytest.raises(
        FileError, match=r"is packed and unpacks to 0\.5 GiB; of packed arrays at most 0\.25 GiB"
    ):
        Trajectory.load(tmp_path / "life.npz")
    assert unpacked == []


def test_rows_of_a_life_are_compared_before_they_are_unpacked(tmp_path: Path, unpacked: list[str]) -> None:
    """What did not fit the body was refused only after it was unpacked."""
    body = zp.zoo.pendulum()
    with zipfile.ZipFile(tmp_path / "life.npz", "w") as file:
        about = b'{"format": "zoophyte trajectory", "format_version": 1, "channels": []}'
        for name, array in {
            "about": np.frombuffer(about, np.uint8),
            "description": np.frombuffer(body.to_yaml().encode(), np.uint8),
            "times": np.arange(3.0), "q": np.zeros((3, 1000)), "v": np.zeros((3, 1)),
        }.items():  # fmt: skip
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array)
            file.writestr(f"{name}.npy", buffer.getvalue())
    with pytest.raises(FileError, match=r"q has shape \(3, 1000\), must be \(3, 1\)"):
        Trajectory.load(tmp_path / "life.npz")
    assert unpacked == ["about", "description"]


def test_a_packed_terrain_is_refused_before_it_is_unpacked(tmp_path: Path, unpacked: list[str]) -> None:
    packed(tmp_path / "hill.npz", 2**26, heights=head(f"(2, {2**22})"))
    with pytest.raises(FileError, match=r"'heights' of 67,108,992 bytes; at most 4,194,304 numbers are read"):
        zp.load_terrain(tmp_path / "hill.npz", spacing=1.0)
    assert unpacked == []


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    """A directory may name the same bytes any number of times."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.zeros(2**14))
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as file:
        file.writestr("a.npy", buffer.getvalue())
        for name in ("b", "c"):
            twin = zipfile.ZipInfo(f"{name}.npy")
            first = file.filelist[0]
            twin.header_offset, twin.CRC = first.header_offset, first.CRC
            twin.file_size = twin.compress_size = first.file_size
            file.filelist.append(twin)
    with pytest.raises(FileError, match="damaged NPZ file"):
        zp.load_terrain(tmp_path / "x.npz", spacing=1.0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_neither_a_life_nor_a_terrain(tmp_path: Path) -> None:
    for name in ("a.npz", "a.png"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(FileError, match="is a named pipe"):
            zp.load_terrain(tmp_path / name, spacing=1.0)
    with pytest.raises(FileError, match="is a named pipe"):
        Trajectory.load(tmp_path / "a.npz")


@pytest.mark.parametrize("shape", [(3, 40_000), (40_000, 3), (300, 400)])
@pytest.mark.parametrize("kind", range(5))
def test_a_long_thin_picture_costs_what_its_pixels_cost(
    shape: tuple[int, int], kind: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A picture of 6 KB with 2 × 2 097 152 pixels took minutes: each of two million diagonals made arrays of full height."""
    made = []
    empty, zeros = np.empty_like, np.zeros
    monkeypatch.setattr(
        png.np, "zeros", lambda shape, *a, **k: made.append(np.prod(shape)) or zeros(shape, *a, **k)
    )
    monkeypatch.setattr(
        png.np, "empty_like", lambda like, *a, **k: made.append(like.size) or empty(like, *a, **k)
    )
    rows = np.random.default_rng(kind).integers(0, 256, (*shape, 1), dtype=np.uint8)
    found = png.unfiltered(rows, np.full(shape[0], kind, np.uint8))
    assert sum(made) <= 3 * rows.size
    left, above = zeros(rows.shape, int), zeros(rows.shape, int)
    left[:, 1:], above[1:] = found[:, :-1], found[:-1]
    corner = zeros(rows.shape, int)
    corner[1:, 1:] = found[:-1, :-1]
    near = [abs(left + above - corner - other) for other in (left, above, corner)]
    best = np.where(
        (near[0] <= near[1]) & (near[0] <= near[2]), left, np.where(near[1] <= near[2], above, corner)
    )
    guess = [0 * left, left, above, (left + above) // 2, best][kind]
    assert np.array_equal(found, (rows + guess) % 256)


def test_a_tall_terrain_of_two_columns_is_read(tmp_path: Path) -> None:
    values = np.tile(np.arange(2, dtype=np.uint8) * 255, (2**16, 1))
    raw = np.hstack([np.full((2**16, 1), 4, np.uint8), values * 0]).tobytes()

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    head = struct.pack(">IIBBBBB", 2, 2**16, 8, 0, 0, 0, 0)
    text = png.SIGNATURE + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    (tmp_path / "wall.png").write_bytes(text)
    assert zp.load_terrain(tmp_path / "wall.png", spacing=1.0).heights.shape == (2**16, 2)
