"""Axes of a picture: where the ticks go, what is written at them, and how many points a line needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PADDING = 0.04  # of the range, left free above and below


@dataclass(frozen=True)
class Axis:
    """One axis: the range it shows, its ticks and how they are written.

    Args:
        low: first value shown.
        high: last value shown.
        ticks: values of the ticks.
        labels: their texts.
        note: what all texts leave out, such as ``"×10⁻⁶"`` or ``"−1.4715 +"``; empty when nothing.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    note: str

    def fraction(self, values: Floats) -> Floats:
        """Where values lie between both ends, from 0 to 1."""
        return (values - self.low) / (self.high - self.low)


def axis(low: float, high: float, *, count: int = 6, padded: bool = True) -> Axis:
    """An axis with about `count` ticks at round numbers.

    Args:
        low: smallest value to show.
        high: largest.
        count: of ticks, about.
        padded: whether to leave room at both ends.
    """
    size = max(abs(low), abs(high))
    if high - low <= 1e-12 * size or high == low:  # a constant, up to rounding
        half = 0.05 * size or 1.0
        low, high, padded = low - half, high + half, False
    if padded:
        room = PADDING * (high - low)
        low, high = low - room, high + room
    step = round_step((high - low) / count)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    # Ticks are whole multiples of the step, so that 0.1 + 0.2 is never written 0.30000000000000004.
    ticks = tuple(multiple * step for multiple in range(first, last + 1))
    labels, note = tick_labels(ticks, step)
    return Axis(low, high, ticks, labels, note)


def round_step(step: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below `step`."""
    power = 10.0 ** math.floor(math.log10(step))
    for factor in (1.0, 2.0, 5.0):
        if factor * power >= step * (1.0 - 1e-9):
            return factor * power
    return 10.0 * power


def tick_labels(ticks: tuple[float, ...], step: float) -> tuple[tuple[str, ...], str]:
    """Texts of ticks, short and all of one form, and what they leave out.

    Args:
        ticks: multiples of `step`.
        step: between them.
    """
    offset, size = 0.0, max(abs(tick) for tick in ticks)
    if size > 2000.0 * step:  # small changes of a large number: write the changes
        offset = round(ticks[len(ticks) // 2] / step) * step
        size = max(abs(tick - offset) for tick in ticks)
    exponent = math.floor(math.log10(size) + 1e-9) if size > 0.0 else 0
    scale = 10.0**exponent if exponent >= 5 or exponent <= -4 else 1.0
    decimals = max(0, -math.floor(math.log10(step / scale) + 1e-9))
    texts = []
    for tick in ticks:
        text = f"{(tick - offset) / scale:.{decimals}f}"
        texts.append(minus(text if float(text) else text.lstrip("-")))
    notes = []
    if scale != 1.0:
        notes.append(f"×10{str(exponent).translate(SUPERSCRIPTS)}")
    if offset:
        digits = max(1, math.ceil(math.log10(abs(offset) / step)) + 1)
        notes.append(f"{'+' if offset > 0 else '−'} {abs(offset):.{min(digits, 17)}g}")
    return tuple(texts), " ".join(notes)


def minus(text: str) -> str:
    """The text with a true minus sign."""
    return text.replace("-", "−")


def thinned(x: Floats, y: Floats, columns: int) -> tuple[Floats, Floats]:
    """A line that looks the same in a picture `columns` pixels wide, with at most four points for each.

    In every column the first, the lowest, the highest and the last point stay, so that no peak is lost.

    Args:
        x: rising.
        y: of the same length.
        columns: of pixels.
    """
    if len(x) <= 4 * columns:
        return x, y
    edges = np.searchsorted(x, np.linspace(x[0], x[-1], columns + 1)[1:-1])
    kept = {0, len(x) - 1}
    for start, stop in zip([0, *edges], [*edges, len(x)], strict=True):
        if start < stop:
            part = y[start:stop]
            kept |= {start, stop - 1, start + int(np.argmin(part)), start + int(np.argmax(part))}
    rows = np.array(sorted(kept))
    return x[rows], y[rows]


def finite_pieces(x: Floats, y: Floats) -> list[tuple[Floats, Floats]]:
    """The stretches of a line between values that are not finite."""
    sound = np.isfinite(x) & np.isfinite(y)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], sound, [False]]).astype(int)))
    return [(x[start:stop], y[start:stop]) for start, stop in zip(edges[::2], edges[1::2], strict=True)]
