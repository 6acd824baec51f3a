"""PNG and GIF files, read back by readers written from the standards."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from golden.pictures import read_png
from zoophyte.errors import UsageError
from zoophyte.export.picture.gif import gif_bytes, lzw
from zoophyte.export.picture.png import png_bytes


def unpacked(data: bytes, bits: int = 8) -> list[int]:
    """What LZW codes stand for (GIF89a, appendix F)."""
    clear, end = 1 << bits, (1 << bits) + 1
    table: list[list[int]] = []
    size, result, before = bits + 1, [], None
    stream, held, at = 0, 0, 0
    while True:
        while held < size:
            stream |= data[at] << held
            held, at = held + 8, at + 1
        code, stream, held = stream & ((1 << size) - 1), stream >> size, held - size
        if code == end:
            return result
        if code == clear:
            table = [[n] for n in range(clear)] + [[], []]
            size, before = bits + 1, None
            continue
        entry = table[code] if code < len(table) else [*before, before[0]]  # type: ignore[misc]
        result += entry
        if before is not None and len(table) < 4096:
            table.append([*before, entry[0]])
            if len(table) == 1 << size and size < 12:
                size += 1
        before = entry


def read_gif(data: bytes) -> tuple[Any, list[int]]:
    """All frames, as they appear, and their delays [s/100]."""
    assert data[:6] == b"GIF89a" and data[-1] == 0x3B
    width, height, flags = struct.unpack("<HHB", data[6:11])
    assert flags == 0xF7
    palette = np.frombuffer(data[13 : 13 + 768], np.uint8).reshape(256, 3)
    at, frames, delays = 13 + 768, [], []
    canvas = np.zeros((height, width, 3), np.uint8)
    hidden = -1
    while data[at] != 0x3B:
        is_picture = data[at] == 0x2C
        if not is_picture:
            if data[at + 1] == 0xF9:
                _, delay, hidden, _ = struct.unpack("<BHBB", data[at + 3 : at + 8])
                delays.append(delay)
            at += 2
        else:
            left, top, wide, high = struct.unpack("<HHHH", data[at + 1 : at + 9])
            at += 11
        pieces = b""
        while data[at]:
            pieces += data[at + 1 : at + 1 + data[at]]
            at += 1 + data[at]
        at += 1
        if is_picture:
            part = np.array(unpacked(pieces)).reshape(high, wide)
            place = canvas[top : top + high, left : left + wide]
            place[part != hidden] = palette[part[part != hidden]]
            frames.append(canvas.copy())
    return np.array(frames), delays


@pytest.mark.parametrize("shape", [(1, 1), (7, 5), (33, 64)])
def test_png_reads_back_exactly(shape: tuple[int, int], rng: np.random.Generator) -> None:
    noise = rng.integers(0, 256, size=(*shape, 3), dtype=np.uint8)
    slope = np.broadcast_to(np.arange(shape[1], dtype=np.uint8)[None, :, None] * 3, (*shape, 3)).copy()
    for picture in (noise, slope, np.zeros_like(noise)):
        assert np.array_equal(read_png(png_bytes(picture)), picture)


def test_smooth_pictures_are_packed_well() -> None:
    slope = np.broadcast_to(np.arange(256, dtype=np.uint8)[None, :, None], (100, 256, 3)).copy()
    assert len(png_bytes(slope)) < slope.size / 50


@pytest.mark.parametrize("count", [1, 2, 255, 256, 3837, 3838, 3839, 3840, 100_000])
def test_lzw_reads_back_exactly(count: int, rng: np.random.Generator) -> None:
    """Noise fills the table of 4096 codes at once, a constant slowly; both pass every width of code."""
    for pixels in (rng.integers(0, 256, count), np.zeros(count, int), np.arange(count) // 7 % 5):
        assert unpacked(lzw(pixels.astype(np.uint8))) == pixels.tolist()


def test_gif_keeps_few_colours() -> None:
    """A film of two colours: nothing is lost but what seven bits per channel cannot hold."""
    frames = np.zeros((4, 9, 14, 3), np.uint8)
    for number in range(4):
        frames[number, 2:5, 3 * number : 3 * number + 4] = (255, 0, 255)
    found, delays = read_gif(gif_bytes(frames, 20.0))
    assert delays == [5, 5, 5, 5]
    assert np.abs(found.astype(int) - frames).max() <= 2  # one of 127 steps: the dither may round either way


def test_flat_faces_have_no_pattern() -> None:
    """Ten flat faces before a sky of many colours: each is one colour of the palette, which the pattern does not leave."""
    picture = np.zeros((64, 96, 3), np.uint8)
    picture[:] = np.linspace((150, 180, 210), (235, 240, 245), 64)[:, None]
    faces = np.array([(17 * n + 30, 201 - 13 * n, (97 * n) % 256) for n in range(10)], np.uint8)
    for n, face in enumerate(faces):
        picture[20:50, 9 * n + 2 : 9 * n + 9] = face
    found, _ = read_gif(gif_bytes(picture[None], 20.0))
    for n, face in enumerate(faces):
        seen = np.unique(found[0, 20:50, 9 * n + 2 : 9 * n + 9].reshape(-1, 3), axis=0)
        assert len(seen) == 1 and np.abs(seen[0].astype(int) - face).max() <= 2
    assert np.abs(found[0].astype(float) - picture).mean() < 1.0


def test_gif_colours_are_near(rng: np.random.Generator) -> None:
    slope = np.linspace(60, 220, 64)
    picture = np.stack(np.broadcast_arrays(slope[:, None], slope[None, :], 128.0), axis=2).astype(np.uint8)
    found, _ = read_gif(gif_bytes(picture[None], 25.0))
    # 255 colours for a square of 160 × 160: boxes of about 10 × 10, of which the middle is taken.
    assert np.abs(found[0].astype(float) - picture).mean() < 6.0


def test_a_still_film_costs_next_to_nothing() -> None:
    frames = np.zeros((50, 40, 60, 3), np.uint8) + np.arange(60, dtype=np.uint8)[None, None, :, None]
    one, fifty = len(gif_bytes(frames[:1], 20.0)), len(gif_bytes(frames, 20.0))
    assert fifty - one < 49 * 40
    found, delays = read_gif(gif_bytes(frames, 20.0))
    assert len(found) == len(delays) == 50


def test_delays_add_up() -> None:
    frames = np.zeros((31, 2, 2, 3), np.uint8)
    assert sum(read_gif(gif_bytes(frames, 30.0))[1]) == 103  # 31/30 s, in hundredths


def test_no_frames_are_refused() -> None:
    with pytest.raises(UsageError, match="no frame"):
        gif_bytes(np.zeros((0, 4, 4, 3), np.uint8), 20.0)
