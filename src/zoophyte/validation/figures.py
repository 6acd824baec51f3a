"""Figures as lines of text: for terminals, and for pages that have no plotting package."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from zoophyte.validation.catalogue import Result

WIDTH, HEIGHT = 64, 16
DIGITS_SHOWN = 12


def worst_share(result: Result) -> float:
    """The largest error of a row as a fraction of its tolerance; infinite when it cannot be said."""
    try:
        error = np.abs(np.asarray(result.measured, float) - np.asarray(result.expected, float))
        tolerance = np.broadcast_to(np.asarray(result.tolerance, float), error.shape)
    except (TypeError, ValueError):
        return 0.0 if result.passed else math.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(error == 0.0, 0.0, error / tolerance)
    return float(share.max(initial=0.0)) if np.all(np.isfinite(error)) else math.inf


def margins(results: Sequence[Result]) -> str:
    """One bar per row: how many decimal digits its worst error lies inside the tolerance."""
    lines = ["error as a share of the tolerance, one # per decimal digit to spare:"]
    for result in results:
        share = worst_share(result)
        digits = DIGITS_SHOWN if share == 0.0 else min(DIGITS_SHOWN, max(0.0, -math.log10(share)))
        label = result.title.rsplit(": ", 1)[-1][:40]
        mark = "exact" if share == 0.0 else f"{share:.1e}"
        lines.append(f"  {label:<40} |{'#' * round(digits):<{DIGITS_SHOWN}}| {mark}")
    return "\n".join(lines)


def plot(curves: dict[str, tuple[Any, Any]], *, x: str = "", y: str = "", logarithmic: bool = False) -> str:
    """Curves in one frame of characters, each with its own mark.

    Args:
        curves: (abscissae, ordinates) by name.
        x: what runs to the right.
        y: what runs upwards.
        logarithmic: both axes.
    """
    scale = np.log10 if logarithmic else np.asarray
    points = {
        name: (scale(np.asarray(a, float)), scale(np.asarray(b, float))) for name, (a, b) in curves.items()
    }
    columns = _range([a for a, _ in points.values()])
    rows = _range([b for _, b in points.values()])
    grid = [[" "] * WIDTH for _ in range(HEIGHT)]
    marks = dict(zip(points, "*o+x#@", strict=False))
    for name, (a, b) in points.items():
        for u, v in zip(a, b, strict=True):
            column = round((u - columns[0]) / (columns[1] - columns[0]) * (WIDTH - 1))
            row = round((v - rows[0]) / (rows[1] - rows[0]) * (HEIGHT - 1))
            grid[HEIGHT - 1 - row][column] = marks[name]
    power = "10^" if logarithmic else ""
    lines = [f"{y}  ({', '.join(f'{mark} {name}' for name, mark in marks.items())})"]
    lines += [f"{power}{rows[1]:<9.3g} +" + "".join(grid[0])]
    lines += [" " * (10 + len(power)) + "|" + "".join(line) for line in grid[1:-1]]
    lines += [f"{power}{rows[0]:<9.3g} +" + "".join(grid[-1])]
    ends = f"{power}{columns[0]:.3g}", f"{power}{columns[1]:.3g}  {x}"
    lines += [" " * (11 + len(power)) + ends[0] + " " * max(1, WIDTH - len(ends[0]) - len(ends[1])) + ends[1]]
    return "\n".join(line.rstrip() for line in lines)


def _range(arrays: list[Any]) -> tuple[float, float]:
    low, high = min(float(a.min()) for a in arrays), max(float(a.max()) for a in arrays)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
