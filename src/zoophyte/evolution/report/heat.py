"""The heat map of an archive: which niches of behaviour are held, and how well, as SVG text."""

from __future__ import annotations

import math
from collections.abc import Mapping

from zoophyte.evolution.populations.archive import Archive
from zoophyte.evolution.report.curves import figure, measured, safe

EDGE, LEFT, TOP, RIGHT, FOOT = 420.0, 74.0, 12.0, 118.0, 54.0  # pixels
FAINTEST = 0.12
"""Opacity of the worst elite: empty niches must look emptier."""
TICKS = 5


def heat_map(archive: Archive, unit: str = "", units: Mapping[str, str] | None = None) -> str:
    """Elites over the first two axes of behaviour, the darker the fitter; of an archive with one axis a strip.

    Args:
        archive: of the run.
        unit: of fitness.
        units: of descriptors, by their names.
    """
    of_axes = units or {}
    rows = archive.bins if len(archive.axes) > 1 else 1
    cell = EDGE / archive.bins
    height = cell * rows
    plane = archive.plane()
    values = [elite.fitness for _, _, elite in plane]
    low, high = min(values, default=0.0), max(values, default=1.0)
    parts = [f'<rect class="empty" x="{LEFT}" y="{TOP}" width="{EDGE}" height="{height:.1f}"/>']
    for column, row, elite in plane:
        x, y = LEFT + column * cell, TOP + height - (row + 1) * cell
        told = f"individual {elite.number}: {measured(elite.fitness, unit)}, {_where(archive, of_axes, column, row)}"
        parts.append(
            f'<rect class="f1" x="{x:.2f}" y="{y:.2f}" width="{cell:.2f}" height="{cell:.2f}" '
            f'fill-opacity="{_opacity(elite.fitness, low, high):.3f}"><title>{safe(told)}</title></rect>'
        )
    parts += _axis(archive, of_axes, 0, height, is_upright=False)
    if rows > 1:
        parts += _axis(archive, of_axes, 1, height, is_upright=True)
    parts += _scale(low, high, unit, height)
    width, tall = LEFT + EDGE + RIGHT, math.ceil(TOP + height + FOOT)
    names = " and ".join(name for name, _, _ in archive.axes[:2])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="curves heat" viewBox="0 0 {width:.0f} {tall}" width="{width:.0f}" '
        f'height="{tall}" role="img" aria-label="{safe(f"fitness over {names}")}">{"".join(parts)}</svg>'
    )


def _opacity(fitness: float, low: float, high: float) -> float:
    share = (fitness - low) / (high - low) if high > low else 1.0
    return FAINTEST + (1.0 - FAINTEST) * share


def _where(archive: Archive, units: Mapping[str, str], *places: int) -> str:
    """The range of each descriptor in a niche."""
    words = []
    for (name, low, high), place in zip(archive.axes, places, strict=False):
        step = (high - low) / archive.bins
        words.append(
            f"{name} {figure(low + place * step, 3)} to {_upper(low + (place + 1) * step, units.get(name, ''))}"
        )
    return ", ".join(words)


def _upper(end: float, unit: str) -> str:
    """The end of a range, with its unit."""
    return f"{figure(end, 3)} {unit}".rstrip()


def _axis(
    archive: Archive, units: Mapping[str, str], number: int, height: float, *, is_upright: bool
) -> list[str]:
    name, low, high = archive.axes[number]
    parts = []
    for n in range(TICKS):
        share = n / (TICKS - 1)
        label = safe(figure(low + share * (high - low), 3))
        if is_upright:
            y = TOP + height * (1.0 - share)
            parts.append(f'<text x="{LEFT - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
        else:
            x, y = LEFT + EDGE * share, TOP + height + 18
            parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{label}</text>')
    if is_upright:
        middle = TOP + height / 2
        place = f'x="16" y="{middle:.1f}" text-anchor="middle" transform="rotate(-90 16 {middle:.1f})"'
    else:
        place = f'x="{LEFT + EDGE / 2:.1f}" y="{TOP + height + 40:.1f}" text-anchor="middle"'
    return [
        *parts,
        f'<text class="axis-name" {place}>{safe(name if name not in units else f"{name} [{units[name]}]")}</text>',
    ]


def _scale(low: float, high: float, unit: str, height: float) -> list[str]:
    """What the shades mean: the worst elite below, the best above."""
    x, steps = LEFT + EDGE + 18, 8
    tall = min(height, 160.0)
    parts = []
    for n in range(steps):
        y = TOP + tall * (1.0 - (n + 1) / steps)
        opacity = FAINTEST + (1.0 - FAINTEST) * n / (steps - 1)
        parts.append(
            f'<rect class="f1" x="{x:.1f}" y="{y:.2f}" width="14" height="{tall / steps:.2f}" fill-opacity="{opacity:.3f}"/>'
        )
    for value, y in ((high, TOP + 10), (low, TOP + tall)):
        parts.append(f'<text x="{x + 20:.1f}" y="{y:.1f}">{safe(measured(value, unit))}</text>')
    return parts
