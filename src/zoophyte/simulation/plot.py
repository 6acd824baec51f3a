"""Pictures of channels over time, as SVG text written here.

The colours are those of Okabe and Ito, "Color Universal Design" (2008), without the yellow, which is lost on
white; people of all kinds of colour vision can tell them apart.  Lines beyond the seventh are dashed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from zoophyte.description.files import write_text
from zoophyte.errors import UsageError
from zoophyte.simulation.axes import Axis, axis, finite_pieces, minus, thinned
from zoophyte.simulation.channels import find_channel

if TYPE_CHECKING:
    from zoophyte.simulation.trajectory import Trajectory

Floats = NDArray[np.float64]

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
DASHES = ("", "7 3", "2 3", "9 3 2 3")
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 820, 84, 20, 46, 44
PANEL_HEIGHT, SMALL_PANEL_HEIGHT, PANEL_GAP = 340, 210, 30
LEGEND_LINE, LEGEND_KEY, LETTER = 18, 28, 6.7  # heights and widths in pixels, of 12-pixel text
LABEL_LENGTH = 60
LINE_LIMIT = 400

STYLE = (
    "text{font:12px 'DejaVu Sans','Helvetica Neue',Arial,sans-serif;fill:#333}"
    ".title{font-size:15px;font-weight:bold;fill:#111}.grid{stroke:#e4e4e0}.frame{stroke:#8a8a86;fill:none}"
    ".line{fill:none;stroke-width:1.6;stroke-linejoin:round}"
)


@dataclass(frozen=True)
class Figure:
    """A picture.

    Args:
        svg: the text of an SVG file.
    """

    svg: str

    def _repr_svg_(self) -> str:
        """The picture, for notebooks."""
        return self.svg

    def __repr__(self) -> str:
        return f"Figure({len(self.svg)} characters of SVG; save it with .save('name.svg'))"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to an ``.svg`` file.

        Args:
            path: of the file.

        Raises:
            UsageError: when the file's name has another ending.
            FileError: when it cannot be written.
        """
        if Path(path).suffix.lower() != ".svg":
            raise UsageError(
                f"{os.fspath(path)}: pictures are written as SVG only; end the name with '.svg'."
            )
        write_text(path, self.svg)


@dataclass(frozen=True)
class Line:
    """One line of a panel.

    Args:
        label: in the legend.
        x: rising.
        y: of the same length; values that are not finite leave gaps.
        colour: number of the colour; after the seventh they begin again, dashed.
        dash: number of the way to dash it, beside that.
    """

    label: str
    x: Floats
    y: Floats
    colour: int = 0
    dash: int = 0

    @property
    def stroke(self) -> str:
        """The attributes of the line."""
        dash = DASHES[(self.colour // len(COLOURS) + self.dash) % len(DASHES)]
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        return f'stroke="{COLOURS[self.colour % len(COLOURS)]}"{dashes}'


@dataclass(frozen=True)
class Panel:
    """Lines that share an axis.

    Args:
        label: of the axis, with its unit.
        lines: to draw.
    """

    label: str
    lines: tuple[Line, ...]


def plot_trajectories(lives: Sequence[Trajectory], names: Sequence[str], title: str | None = None) -> Figure:
    """The same channels of one or several lives.

    Args:
        lives: what to compare.
        names: of the channels.
        title: instead of the first life's name.

    Raises:
        UsageError: when there is nothing to draw, or a life has no such channel.
    """
    if not names:
        raise UsageError("plot: no channel is named.")
    tags = life_tags(lives)
    found = [[find_channel(life, name) for life in lives] for name in names]
    is_single = len(found) == 1 and len(found[0][0].labels) == 1
    units: dict[str, list[Line]] = {}
    headings: dict[str, list[str]] = {}
    # Columns differ by colour and lives by dashes; where there is but one column, lives differ by colour.
    first = 0
    for name, of_lives in zip(names, found, strict=True):
        for number, (life, tag, channel) in enumerate(zip(lives, tags, of_lives, strict=True)):
            if name not in headings.setdefault(channel.unit, []):
                headings[channel.unit].append(name)
            for column, label in enumerate(channel.labels):
                colour, dash = (number, 0) if is_single else (first + column, number)
                text = f"{label} · {tag}" if tag else label
                units.setdefault(channel.unit, []).append(
                    Line(text, life.times, channel.values[:, column], colour, dash)
                )
        first += len(of_lives[0].labels)
    count = sum(map(len, units.values()))
    if count == 0:
        raise UsageError(f"plot: {', '.join(names)} has no columns: nothing touched in these lives.")
    if count > LINE_LIMIT:
        raise UsageError(f"plot: {count} lines are asked for; at most {LINE_LIMIT} can be told apart at all.")
    panels = [Panel(_heading(headings[unit], unit), tuple(lines)) for unit, lines in units.items()]
    return draw(panels, title=lives[0].description.name if title is None else title, x_label="time [s]")


def _heading(names: Sequence[str], unit: str) -> str:
    shown = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
    return f"{shown} [{unit}]" if unit else shown


def life_tags(lives: Sequence[Trajectory]) -> list[str]:
    """What to tell lives apart by: names, integrators, steps, gravity, whatever differs, or numbers."""
    if len(lives) == 1:
        return [""]
    parts = [
        [life.description.name for life in lives],
        [life.integrator for life in lives],
        [f"dt {life.dt:g} s" for life in lives],
        [f"gravity {math.hypot(*life.gravity):g} m/s²" for life in lives],
    ]
    differing = [part for part in parts if len(set(part)) > 1]
    tags = [", ".join(texts) for texts in zip(*differing, strict=True)] if differing else [""] * len(lives)
    if len(set(tags)) < len(tags):
        tags = [f"{tag}{' ' if tag else ''}#{number}" for number, tag in enumerate(tags, start=1)]
    return tags


def draw(panels: Sequence[Panel], *, title: str, x_label: str) -> Figure:
    """Panels one below the other over a common horizontal axis.

    Args:
        panels: at least one.
        title: of the picture.
        x_label: of the horizontal axis.
    """
    lines = [line for panel in panels for line in panel.lines]
    times = np.concatenate([line.x for line in lines])
    x_axis = axis(float(times.min()), float(times.max()), count=8, padded=False)
    height = PANEL_HEIGHT if len(panels) == 1 else SMALL_PANEL_HEIGHT
    bottom = TOP + len(panels) * height + (len(panels) - 1) * PANEL_GAP
    keys, total = _legend(lines, bottom + BOTTOM)
    body: list[str] = []
    for index, panel in enumerate(panels):
        body += _panel(panel, x_axis, TOP + index * (height + PANEL_GAP), height, f"panel{index}")
    body += [_text(x, bottom + 16, label, "middle") for x, label in _ticks(x_axis)]
    note = f"   {x_axis.note}" if x_axis.note else ""
    body.append(_text(LEFT + (WIDTH - LEFT - RIGHT) / 2, bottom + 36, x_label + note, "middle"))
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'width="{WIDTH}" height="{total}" viewBox="0 0 {WIDTH} {total}" '
        f'role="img" aria-label="{_safe(title)}">'
    )
    return Figure(
        "\n".join(
            [
                head, f"<title>{_safe(title)}</title>", f"<style>{STYLE}</style>",
                f'<rect width="{WIDTH}" height="{total}" fill="#fdfdfb"/>',
                f'<text class="title" x="{LEFT}" y="26">{_safe(_short(title, 80))}</text>',
                *body, *keys, "</svg>", "",
            ]
        )
    )  # fmt: skip


def _panel(panel: Panel, x_axis: Axis, top: float, height: float, clip: str) -> list[str]:
    inner = WIDTH - LEFT - RIGHT
    values = np.concatenate([line.y[np.isfinite(line.y)] for line in panel.lines])
    found = values.size > 0
    y_axis = axis(float(values.min()), float(values.max())) if found else axis(0.0, 1.0)
    parts = [
        f'<clipPath id="{clip}"><rect x="{LEFT}" y="{top}" width="{inner}" height="{height}"/></clipPath>'
    ]
    parts += [f'<path class="grid" d="M{x:.2f} {top}v{height}"/>' for x, _ in _ticks(x_axis)]
    for tick, label in zip(y_axis.ticks, y_axis.labels, strict=True):
        y = top + height * (1.0 - float(y_axis.fraction(np.array(tick))))
        parts.append(f'<path class="grid" d="M{LEFT} {y:.2f}h{inner}"/>')
        if found:
            parts.append(_text(LEFT - 7, y + 4, label, "end"))
    if found and y_axis.note:
        parts.append(_text(LEFT + 4, top - 5, minus(y_axis.note), "start"))
    for line in reversed(panel.lines):  # the first lies on top
        parts += _line(line, x_axis, y_axis, top, height, clip)
    if not found:
        parts.append(_text(LEFT + inner / 2, top + height / 2, "no finite values", "middle"))
    parts.append(f'<rect class="frame" x="{LEFT}" y="{top}" width="{inner}" height="{height}"/>')
    middle = top + height / 2
    label = _safe(_short(panel.label, 46))
    parts.append(
        f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">{label}</text>'
    )
    return parts


def _line(line: Line, x_axis: Axis, y_axis: Axis, top: float, height: float, clip: str) -> list[str]:
    inner = WIDTH - LEFT - RIGHT
    paths, dots = [], []
    for x, y in finite_pieces(line.x, line.y):
        x, y = thinned(x, y, inner)
        columns = LEFT + inner * x_axis.fraction(x)
        rows = top + height * (1.0 - y_axis.fraction(y))
        if len(x) == 1:
            dots.append(f'<circle cx="{columns[0]:.2f}" cy="{rows[0]:.2f}" r="2" {line.stroke}/>')
        else:
            paths.append("M" + "L".join(f"{c:.2f} {r:.2f}" for c, r in zip(columns, rows, strict=True)))
    name = f"<title>{_safe(line.label)}</title>"
    if not paths:
        return dots
    style = f'{line.stroke} clip-path="url(#{clip})"'
    return [f'<path class="line" {style} d="{"".join(paths)}">{name}</path>', *dots]


def _legend(lines: Sequence[Line], top: float) -> tuple[list[str], int]:
    """The legend's elements and the height of the whole picture."""
    if len(lines) == 1:
        return [], int(top + 4)
    parts, x, y = [], float(LEFT), top + LEGEND_LINE / 2
    for line in lines:
        label = _short(line.label, LABEL_LENGTH)
        width = LEGEND_KEY + LETTER * len(label) + 14
        if x > LEFT and x + width > WIDTH - RIGHT:
            x, y = float(LEFT), y + LEGEND_LINE
        parts.append(f'<path class="line" {line.stroke} d="M{x:.1f} {y:.1f}h{LEGEND_KEY - 6}"/>')
        parts.append(_text(x + LEGEND_KEY, y + 4, label, "start"))
        x += width
    return parts, int(y + LEGEND_LINE)


def _ticks(x_axis: Axis) -> list[tuple[float, str]]:
    places = LEFT + (WIDTH - LEFT - RIGHT) * x_axis.fraction(np.array(x_axis.ticks))
    return list(zip(places.tolist(), x_axis.labels, strict=True))


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_safe(text)}</text>'


def _safe(text: str) -> str:
    """Text that cannot be taken for markup, nor hold characters that XML forbids."""
    return escape("".join(letter if letter.isprintable() else "�" for letter in text))


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
