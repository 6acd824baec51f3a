"""Curves over generations as SVG text written here, for pages and for files of their own.

Colours are classes; a page gives them values, and a file of its own brings its style along, for light and dark.  They
are Okabe and Ito's ("Color Universal Design", 2008), which people with any kind of colour vision can tell apart.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.description.files import write_text
from zoophyte.errors import UsageError
from zoophyte.evolution.report.data import Generation
from zoophyte.simulation.axes import Axis, axis, finite_pieces, minus, thinned

Floats = NDArray[np.float64]

ALONE, WIDE, NARROW = 860, 1000, 400  # pixels
RIGHT, TITLE, FOOT, GAP = 18.0, 34.0, 42.0, 34.0
LETTER = 6.6  # width of a letter of 12 pixels
KEY, KEY_GAP, KEY_LINE = 18.0, 18.0, 20.0
COLOURS = 6
SPACES = "\u00a0\u202f"  # that do not break lines: Python calls them not printable
DASHES = ("", "6 3", "2 3")

LIGHT = {
    "paper": "#f7f9fa", "ink": "#1d2730", "quiet": "#5b6873", "rule": "#d5dce1", "soft": "#e9eef1",
    "line-1": "#0072b2", "line-2": "#d55e00", "line-3": "#009e73", "line-4": "#b2568a", "line-5": "#2b8fc9",
    "line-6": "#a87900",
}  # fmt: skip
DARK = {
    "paper": "#12171c", "ink": "#e6edf3", "quiet": "#97a5b1", "rule": "#303a43", "soft": "#222a32",
    "line-1": "#56b4e9", "line-2": "#f0883e", "line-3": "#2fc79a", "line-4": "#e39ac6", "line-5": "#8cc8f0",
    "line-6": "#e6c84a",
}  # fmt: skip
"""The colours of the replay page."""

RULES = (
    ".curves text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Arial,sans-serif;fill:var(--quiet);"
    "font-variant-numeric:tabular-nums}.curves .heading{font-size:15px;font-weight:650;fill:var(--ink)}"
    ".curves .axis-name{fill:var(--ink);font-weight:550}.curves .end{font-weight:650;fill:var(--ink)}"
    ".curves .grid{stroke:var(--rule);stroke-width:1}.curves .line{fill:none;stroke-width:2;stroke-linejoin:round;"
    "stroke-linecap:round}.curves .band{stroke:none;opacity:.2}"
    + "".join(
        f".curves .s{n}{{stroke:var(--line-{n})}}.curves .f{n}{{fill:var(--line-{n})}}"
        for n in range(1, COLOURS + 1)
    )
)
"""How the classes of a drawing look, for pages and files alike."""


@dataclass(frozen=True, eq=False)
class Line:
    """One curve.

    Args:
        label: in the legend.
        x: rising.
        y: of the same length; values that are not finite leave gaps.
        colour: number of the colour, from 0; after the sixth they begin again, dashed.
        is_told: whether its last value is written at its end.
    """

    label: str
    x: Floats
    y: Floats
    colour: int = 0
    is_told: bool = False


@dataclass(frozen=True, eq=False)
class Band:
    """What lies between two curves.

    Args:
        label: in the legend; none if empty.
        x: rising.
        low: of the same length.
        high: of the same length.
        colour: as that of a line.
    """

    label: str
    x: Floats
    low: Floats
    high: Floats
    colour: int = 0


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves that share a vertical axis.

    Args:
        label: of the axis.
        lines: the first lies on top.
        bands: below them.
        height: in pixels.
        has_zero: whether the axis must reach zero.
    """

    label: str
    lines: tuple[Line, ...]
    bands: tuple[Band, ...] = ()
    height: float = 240.0
    has_zero: bool = True


def history_panels(history: Sequence[Generation], *, unit: str = "") -> list[Panel]:
    """Fitness of the best, the mean and the quartiles, and below them diversity, if that was measured.

    Args:
        history: one row or more.
        unit: of fitness, if it has one.
    """
    x = np.array([row.number for row in history], float)

    def column(name: str) -> Floats:
        return np.array([getattr(row, name) for row in history], float)

    label = f"fitness [{unit}]" if unit else "fitness"
    lines = (Line("best", x, column("best"), 0, is_told=True), Line("mean", x, column("mean"), 1))
    quartiles = Band("quartiles", x, column("lower"), column("upper"), 1)
    panels = [Panel(label, lines, (quartiles,))]
    diversity = column("diversity")
    if np.isfinite(diversity).any():
        panels.append(Panel("diversity", (Line("diversity", x, diversity, 2, is_told=True),), height=120.0))
    return panels


def write_curves(
    history: Sequence[Generation], path: str | os.PathLike[str], *, title: str = "", unit: str = ""
) -> None:
    """Write the fitness and diversity of a run as an SVG file.

    Args:
        history: one row for each generation.
        path: of the file.
        title: above the picture.
        unit: of fitness, if it has one.

    Raises:
        UsageError: when there is no generation yet.
        FileError: when the file cannot be written.
    """
    if not history:
        raise UsageError("curves: the run has no finished generation yet; there is nothing to draw.")
    write_text(path, drawn(history_panels(history, unit=unit), title=title, is_alone=True))


def drawn(
    panels: Sequence[Panel],
    *,
    title: str = "",
    x_label: str = "generation",
    width: int = ALONE,
    is_alone: bool = False,
) -> str:
    """Panels one below the other over a common horizontal axis, as SVG.

    Args:
        panels: one or more.
        title: above them.
        x_label: of the horizontal axis, whose ticks are whole numbers.
        width: in pixels.
        is_alone: whether to bring the style along.
    """
    values = np.concatenate([line.x for panel in panels for line in panel.lines])
    x_axis = whole_axis(float(values.min()), float(values.max()), count=max(3, width // 90))
    scales = [_vertical(panel) for panel in panels]
    left = 28.0 + LETTER * max(len(label) for scale in scales for label in scale.labels) + 10.0
    inner = width - left - RIGHT
    top = TITLE if title else 6.0
    body, places = [], []
    for panel, scale in zip(panels, scales, strict=True):
        keys, legend = _legend(panel, left, top, inner)
        top += legend
        body += [*keys, *_panel(panel, x_axis, scale, (left, top, inner))]
        places.append({"top": round(top, 1), "height": panel.height})
        top += panel.height + GAP
    bottom = top - GAP
    for tick, label in zip(x_axis.ticks, x_axis.labels, strict=True):
        body.append(_text(left + inner * _share(x_axis, tick), bottom + 17, label, "middle"))
    body.append(_text(left + inner / 2, bottom + 35, x_label, "middle", "axis-name"))
    height = math.ceil(bottom + FOOT)
    frame = {"left": round(left, 1), "width": round(inner, 1), "low": x_axis.low, "high": x_axis.high}
    name = safe(title or f"{panels[0].label} over {x_label}s")
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="curves" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{name}" data-frame="{escape(json.dumps(frame))}" '
        f'data-panels="{escape(json.dumps(places))}">'
    )
    heading = [_text(left - 4, 21, title, "start", "heading")] if title else []
    paper = [f'<rect width="{width}" height="{height}" rx="8" fill="var(--paper)"/>'] if is_alone else []
    style = [own_style()] if is_alone else []
    return "\n".join([head, f"<title>{name}</title>", *style, *paper, *heading, *body, "</svg>", ""])


def own_style() -> str:
    """The style of a drawing that is a file of its own: light, or dark where the viewer is."""
    light, dark = (";".join(f"--{k}:{v}" for k, v in each.items()) for each in (LIGHT, DARK))
    return f"<style>.curves{{{light}}}@media(prefers-color-scheme:dark){{.curves{{{dark}}}}}{RULES}</style>"


def series(panels: Sequence[Panel]) -> list[dict[str, Any]]:
    """What a page tells about the place under the pointer: for each curve its label, colour, and values by x."""

    def listed(values: Floats) -> list[float | None]:
        return [float(f"{value:.6g}") if math.isfinite(value) else None for value in values.tolist()]

    told: list[dict[str, Any]] = []
    for panel in panels:
        told += [
            {
                "label": line.label,
                "colour": line.colour % COLOURS + 1,
                "x": listed(line.x),
                "y": listed(line.y),
            }
            for line in panel.lines
        ]
        told += [
            {
                "label": band.label, "colour": band.colour % COLOURS + 1, "x": listed(band.x),
                "y": listed(band.low), "to": listed(band.high),
            }
            for band in panel.bands if band.label
        ]  # fmt: skip
    return told


def whole_axis(low: float, high: float, *, count: int) -> Axis:
    """An axis with ticks at whole numbers only."""
    if high - low < 1:
        low, high = low - 0.5, high + 0.5
    made = axis(low, high, count=count, padded=False)
    kept = [n for n, tick in enumerate(made.ticks) if abs(tick - round(tick)) < 1e-9]
    ticks = tuple(float(round(made.ticks[n])) for n in kept)
    return Axis(made.low, made.high, ticks, tuple(f"{tick:.0f}" for tick in ticks), "")


def _vertical(panel: Panel) -> Axis:
    columns = [line.y for line in panel.lines] + [
        each for band in panel.bands for each in (band.low, band.high)
    ]
    values = np.concatenate([column[np.isfinite(column)] for column in columns])
    if not len(values):
        return axis(0.0, 1.0, padded=False)
    low, high = float(values.min()), float(values.max())
    if panel.has_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    room = 0.06 * (high - low)
    return axis(
        low - room * (low < 0.0 or not panel.has_zero),
        high + room,
        count=max(2, int(panel.height / 40)),
        padded=False,
    )


def _panel(panel: Panel, x_axis: Axis, y_axis: Axis, place: tuple[float, float, float]) -> list[str]:
    left, top, inner = place
    parts = []
    for tick, label in zip(y_axis.ticks, y_axis.labels, strict=True):
        y = top + panel.height * (1.0 - _share(y_axis, tick))
        parts.append(f'<path class="grid" d="M{left:.1f} {y:.1f}h{inner:.1f}"/>')
        parts.append(_text(left - 8, y + 4, label, "end"))
    if y_axis.note:
        parts.append(_text(left + 4, top + 10, minus(y_axis.note), "start"))
    middle = top + panel.height / 2
    parts.append(
        f'<text class="axis-name" x="18" y="{middle:.1f}" text-anchor="middle" '
        f'transform="rotate(-90 18 {middle:.1f})">{safe(panel.label)}</text>'
    )

    def at(x: Floats, y: Floats) -> list[tuple[float, float]]:
        columns = left + inner * x_axis.fraction(x)
        rows = top + panel.height * (1.0 - y_axis.fraction(y))
        return list(zip(columns.tolist(), rows.tolist(), strict=True))

    for band in panel.bands:
        for x, low, high in _stretches(band):
            there, back = at(x, high), at(x, low)[::-1]
            parts.append(f'<path class="band f{band.colour % COLOURS + 1}" d="{_path([*there, *back])}Z"/>')
    for line in reversed(panel.lines):
        parts += _line(line, [at(*thinned(x, y, int(inner))) for x, y in finite_pieces(line.x, line.y)])
    return parts


def _line(line: Line, pieces: Sequence[Sequence[tuple[float, float]]]) -> list[str]:
    number, dash = line.colour % COLOURS + 1, DASHES[line.colour // COLOURS % len(DASHES)]
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    parts = [
        f'<path class="line s{number}"{dashes} d="{_path(points)}"/>'
        if len(points) > 1
        else f'<circle class="f{number}" cx="{points[0][0]:.1f}" cy="{points[0][1]:.1f}" r="3"/>'
        for points in pieces
    ]
    if line.is_told and pieces:
        x, y = pieces[-1][-1]
        value = line.y[np.isfinite(line.y)][-1]
        parts.append(f'<circle class="f{number}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>')
        parts.append(_text(x, y - 9, score(float(value)), "end", "end"))
    return parts


def _stretches(band: Band) -> Iterable[tuple[Floats, Floats, Floats]]:
    sound = np.isfinite(band.low) & np.isfinite(band.high)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], sound, [False]]).astype(int)))
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        yield band.x[start:stop], band.low[start:stop], band.high[start:stop]


def _legend(panel: Panel, left: float, top: float, inner: float) -> tuple[list[str], float]:
    """The keys above a panel, and the room they take; one line alone needs none but the axis."""
    entries = [(line.label, line.colour, False) for line in panel.lines]
    entries += [(band.label, band.colour, True) for band in panel.bands if band.label]
    if len(entries) == 1:
        return [], 12.0
    parts, x, y = [], left, top + 10.0
    for label, colour, is_band in entries:
        width = KEY + LETTER * len(label) + KEY_GAP
        if x > left and x + width - KEY_GAP > left + inner:
            x, y = left, y + KEY_LINE
        number, dash = colour % COLOURS + 1, DASHES[colour // COLOURS % len(DASHES)]
        parts.append(
            f'<rect class="band f{number}" x="{x:.1f}" y="{y - 5:.1f}" width="13" height="10" rx="2"/>'
            if is_band
            else f'<path class="line s{number}" stroke-dasharray="{dash or "none"}" d="M{x:.1f} {y:.1f}h13"/>'
        )
        parts.append(_text(x + KEY, y + 4, label, "start"))
        x += width
    return parts, y - top + 16.0


def _share(scale: Axis, value: float) -> float:
    return (value - scale.low) / (scale.high - scale.low)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    css = f' class="{kind}"' if kind else ""
    return f'<text{css} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{safe(text)}</text>'


def safe(text: str) -> str:
    """Text that cannot be taken for markup, nor hold characters that XML forbids."""
    return escape(
        "".join(letter if letter.isprintable() or letter in SPACES else "\ufffd" for letter in text)
    )


def score(value: float) -> str:
    """A fitness, with as many digits as its neighbours in a column: ``26.50``, not ``26.5``."""
    if value == 0.0 or not 1e-3 <= abs(value) < 1e4:
        return figure(value)
    return minus(f"{value:#.4g}".removesuffix("."))


def measured(value: float, unit: str = "") -> str:
    """A fitness with its unit, if it has one."""
    return f"{score(value)}\u00a0{unit}" if unit and math.isfinite(value) else score(value)


def figure(value: float, digits: int = 4) -> str:
    """A number as a person writes it: a few digits, a true minus, a dash for none.

    Args:
        value: the number.
        digits: that count.
    """
    if not math.isfinite(value):
        return "–"
    if 10.0**digits <= abs(value) < 1e7:
        return minus(f"{value:,.0f}".replace(",", "\u202f"))
    return minus(f"{value:.{digits}g}")
