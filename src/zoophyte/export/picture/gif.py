"""Moving pictures as GIF files (GIF89a), written here.

One palette for the whole film, chosen by median cut and then moved to the middles of what is nearest to each colour, so
that flat faces keep theirs; a faint, fixed pattern of thresholds hides the steps between colours without flicker; each
frame holds only the rectangle that changed, transparent where it did not.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from zoophyte.errors import UsageError
from zoophyte.export.picture.compiled import compiled
from zoophyte.export.picture.packing import CODE_LIMIT

Bytes = NDArray[np.uint8]

COLOURS = 255  # and one for "as before"
AS_BEFORE = 255
BITS = 7  # of each channel, as far as palette and pixels are compared
DITHER = 2.0  # bytes, peak to peak: more would be seen as a pattern on flat faces
MOVES = 4  # of the palette
AT_ONCE = 4096  # colours that are compared with the palette
EYE = np.array([0.55, 0.77, 0.33])  # weights of red, green, blue differences: roots of their luminance, about
SAMPLES = 24  # frames that the palette is chosen from


def gif_bytes(frames: Bytes, rate: float) -> bytes:
    """Frames as the bytes of an endless GIF file.

    Args:
        frames: red, green, blue, shape (count, height, width, 3).
        rate: frames per second; a GIF counts in hundredths of a second, so that 20 and 25 are kept exactly.

    Raises:
        UsageError: without any frame.
    """
    if not len(frames):
        raise UsageError("gif: there is no frame to write.")
    height, width = frames.shape[1:3]
    some = np.linspace(0, len(frames) - 1, min(SAMPLES, len(frames))).astype(int)
    palette = _palette(_codes(frames[some], 0.0))
    codes = _codes(frames, DITHER)
    number_of = _numbers(codes, palette)
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0)
    head += np.vstack([palette, np.zeros((256 - len(palette), 3), np.uint8)]).tobytes()
    head += b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
    parts, before = [head], np.full((height, width), -1)
    delays = np.diff(np.round(100.0 * np.arange(len(frames) + 1) / rate).astype(int))
    for code, delay in zip(codes, delays, strict=True):
        now = number_of[code]
        parts.append(_frame(now, before, int(delay)))
        before = now
    return b"".join([*parts, b"\x3b"])


def _codes(frames: Bytes, dither: float) -> NDArray[np.int32]:
    """Colours as whole numbers of 3·BITS bits, after a pattern of thresholds so strong has been added [bytes]."""
    steps = np.array([[0, 2], [3, 1]])
    pattern = np.kron(np.ones((2, 2), int), 4 * steps) + np.kron(steps, np.ones((2, 2), int))
    height, width = frames.shape[1:3]
    shift = (np.tile(pattern, (height // 4 + 1, width // 4 + 1))[:height, :width] + 0.5) / 16.0 - 0.5
    codes = np.zeros(frames.shape[:3], np.int32)
    scale = (2**BITS - 1) / 255.0
    for number, frame in enumerate(frames):
        levels = np.clip(frame + dither * shift[:, :, None], 0, 255) * scale + 0.5
        r, g, b = np.moveaxis(levels.astype(np.int32), 2, 0)
        codes[number] = (r << 2 * BITS) | (g << BITS) | b
    return codes


def _colours(codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Red, green, blue from 0 to 255."""
    mask = 2**BITS - 1
    levels = np.stack([codes >> 2 * BITS, (codes >> BITS) & mask, codes & mask], axis=-1)
    return np.asarray(levels * (255.0 / mask))


def _palette(codes: NDArray[np.int32]) -> Bytes:
    """At most COLOURS colours by median cut, each then moved into the middle of what is nearest to it (Lloyd)."""
    values, counts = np.unique(codes, return_counts=True)
    points, weights = _colours(values) * EYE, np.sqrt(counts)  # roots: a small thing keeps its colours
    boxes = [np.arange(len(values))]
    while len(boxes) < COLOURS:
        spreads = [np.ptp(points[box], axis=0).max() * np.sqrt(weights[box].sum()) for box in boxes]
        largest = int(np.argmax(spreads))
        if spreads[largest] == 0.0:
            break
        box = boxes.pop(largest)
        axis = int(np.argmax(np.ptp(points[box], axis=0)))
        box = box[np.argsort(points[box, axis], kind="stable")]
        middle = np.searchsorted(np.cumsum(weights[box]), 0.5 * weights[box].sum())
        cut = int(np.clip(middle, 1, len(box) - 1))
        boxes += [box[:cut], box[cut:]]
    centres = np.array([np.average(points[box], axis=0, weights=weights[box]) for box in boxes])
    for _ in range(MOVES):
        owner = _nearest(points, centres)
        total = np.bincount(owner, weights, len(centres))
        sums = np.stack([np.bincount(owner, weights * axis, len(centres)) for axis in points.T], axis=1)
        centres = np.where(total[:, None] > 0.0, sums / np.maximum(total, 1e-12)[:, None], centres)
    return np.asarray(np.round(centres / EYE), np.uint8)


def _nearest(points: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.int64]:
    """The number of the centre that is nearest to each point."""
    parts = np.array_split(points, max(1, len(points) // AT_ONCE))
    return np.concatenate(
        [np.argmin(((part[:, None, :] - centres[None]) ** 2).sum(axis=2), axis=1) for part in parts]
    )


def _numbers(codes: NDArray[np.int32], palette: Bytes) -> NDArray[np.int32]:
    """The number of the nearest colour of the palette for every code that occurs."""
    number_of = np.zeros(2 ** (3 * BITS), np.int32)
    present = np.zeros(len(number_of), bool)
    for frame in codes:
        present[frame] = True
    values = np.flatnonzero(present).astype(np.int32)
    number_of[values] = _nearest(_colours(values) * EYE, palette * EYE)
    return number_of


def _frame(now: NDArray[np.int32], before: NDArray[np.int32], delay: int) -> bytes:
    """One frame: only what changed."""
    changed = now != before
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if not len(rows):
        rows = columns = np.zeros(1, int)
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    part = np.where(changed, now, AS_BEFORE)[top:bottom, left:right]
    control = b"\x21\xf9\x04" + struct.pack("<BHBB", 0x05, delay, AS_BEFORE, 0)
    place = struct.pack("<BHHHHB", 0x2C, left, top, right - left, bottom - top, 0)
    return control + place + b"\x08" + _blocks(lzw(part.astype(np.uint8).ravel()))


def lzw(pixels: Bytes) -> bytes:
    """Bytes packed as GIF packs them."""
    packed = np.empty(2 * len(pixels) + 16, np.uint8)
    count = compiled("pack_lzw")(pixels, np.empty((CODE_LIMIT, 256), np.int16), packed)
    return packed[:count].tobytes()


def _blocks(data: bytes) -> bytes:
    pieces = [data[i : i + 255] for i in range(0, len(data), 255)]
    return b"".join(bytes([len(piece)]) + piece for piece in pieces) + b"\0"
