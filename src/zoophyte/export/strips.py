"""Stroboscopic drawings as SVG: outlines of the shapes at equal intervals of time, with channels below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.description.files import write_text
from zoophyte.errors import UsageError
from zoophyte.export.extent import placed_shapes, reaches, some_frames, support, with_markers
from zoophyte.export.grounds import drawn_ground
from zoophyte.export.look import Look, ink, linear
from zoophyte.export.scene import Scene, scene_of
from zoophyte.simulation.axes import Axis, axis
from zoophyte.simulation.exporters import register_exporter
from zoophyte.simulation.plot import LEFT, RIGHT, STYLE, TOP, WIDTH, Figure, plot_trajectories

if TYPE_CHECKING:
    from zoophyte.simulation import Trajectory

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOMENTS = 9
MOMENT_LIMIT = 200
CORNERS = 48  # of a round outline
INNER = WIDTH - LEFT - RIGHT
HIGHEST, LOWEST_PANEL = 440.0, 90.0  # pixels
BOTTOM = 44
ROOM = 0.06  # of the larger extent, left free around
NEAR_GROUND = 0.6  # of the height: from closer than this the ground is drawn
PALEST = 0.16
PROFILE_POINTS = 721  # one for each pixel, about
STRIPS = ("com.z", "energy")
VIEWS = {"side": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), "front": ((0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))}
"""What points to the right of the picture, and what away from the eye."""


def drawing_of(scene: Scene, *, moments: int | None = None, view: str = "auto", below: str = "") -> Figure:
    """A stroboscopic drawing: the shapes at equal intervals of time, the older the paler.

    Args:
        scene: what is drawn.
        moments: how many; one more than the scene's look has ghosts if left out.
        view: ``"side"`` (x to the right), ``"front"`` (y to the right), or ``"auto"``, whichever is wider.
        below: an SVG picture to put below, as wide as this one.

    Raises:
        UsageError: an unknown view, or a number of moments that is out of range.
    """
    if moments is None:
        moments = MOMENTS if scene.look.ghosts is None else scene.look.ghosts + 1
    if not 1 <= moments <= MOMENT_LIMIT:
        raise UsageError(f"drawing: {moments} moments are asked for; 1 to {MOMENT_LIMIT} are allowed.")
    if view not in ("auto", *VIEWS):
        raise UsageError(f"drawing: there is no view {view!r}. Known: auto, {', '.join(VIEWS)}.")
    scene = with_markers(scene)
    frames = some_frames(scene, moments)
    sides = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    extent = reaches(scene, np.concatenate([sides, -sides]), frames).max(axis=0)
    wide = extent[:3] + extent[3:]
    if view == "auto":
        view = "side" if wide[0] >= wide[1] else "front"
    column = 0 if view == "side" else 1
    room = ROOM * float(max(wide[column], wide[2]))
    low, high = -extent[[column + 3, 5]] - room, extent[[column, 2]] + room
    profile = _profile(scene, frames, column)
    ground = profile(np.linspace(low[0], high[0], PROFILE_POINTS))
    if np.all(np.isfinite(ground)) and low[1] - ground.max() < NEAR_GROUND * (high[1] - low[1]):
        low[1] = min(low[1], ground.min() - room)
    scale = min(INNER / (high[0] - low[0]), HIGHEST / (high[1] - low[1]))
    middle, half = 0.5 * (low[0] + high[0]), 0.5 * INNER / scale
    height = max(scale * (high[1] - low[1]), LOWEST_PANEL)
    high[1] = low[1] + height / scale
    x_axis = axis(float(middle - half), float(middle + half), count=8, padded=False)
    z_axis = axis(float(low[1]), float(high[1]), count=max(2, int(height / 60)), padded=False)
    body = [*_sky(scene.look, height), *_back(x_axis, z_axis, height, profile, scene.look.grid)]
    body += [*_ghosts(scene, frames, view, (x_axis, z_axis, height))]
    body += _front(x_axis, z_axis, height, f"{'x' if column == 0 else 'y'} [m]")
    return _figure(scene, frames, body, TOP + height + BOTTOM, below)


def _profile(scene: Scene, frames: Ints, column: int) -> Callable[[Floats], Floats]:
    """Height of the ground along the picture: in the plane of the centre of mass, in the middle of its way across."""
    ground = drawn_ground(scene)
    across = float(np.median(scene.com[frames, 1 - column]))

    def height(along: Floats) -> Floats:
        if ground is None:
            return np.full(np.shape(along), np.nan)
        aside = np.full(np.shape(along), across)
        return ground.height_at(along, aside) if column == 0 else ground.height_at(aside, along)

    return height


def _ghosts(scene: Scene, frames: Ints, view: str, frame: tuple[Axis, Axis, float]) -> list[str]:
    """All moments, the oldest first, each as a group with one opacity."""
    x_axis, z_axis, height = frame
    right, away = (np.array(vector) for vector in VIEWS[view])
    up = np.array([0.0, 0.0, 1.0])
    outlines: list[list[tuple[float, str]]] = [[] for _ in frames]
    for _, shape, turn, place in placed_shapes(scene, frames):
        for moment in range(len(frames)):
            points = outline(shape, turn[moment], right, up)
            points = points + np.array([place[moment] @ right, place[moment] @ up])
            columns = LEFT + INNER * x_axis.fraction(points[:, 0])
            rows = TOP + height * (1.0 - z_axis.fraction(points[:, 1]))
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in zip(columns, rows, strict=True)) + "Z"
            ink = "".join(f"{round(255 * float(part)):02x}" for part in shape.colour)
            element = f'<path fill="#{ink}" d="{path}"/>'
            outlines[moment].append((float(place[moment] @ away), element))
    parts = []
    shares = np.linspace(PALEST, 1.0, len(frames)) if len(frames) > 1 else [1.0]
    for moment, (frame_number, share) in enumerate(zip(frames, shares, strict=True)):
        far_first = sorted(outlines[moment], key=lambda item: -item[0])
        title = f"<title>{scene.times[frame_number]:.3f} s</title>"
        shapes = "".join(element for _, element in far_first)
        parts.append(f'<g class="shape" opacity="{share:.2f}">{title}{shapes}</g>')
    return parts


def outline(shape: Any, turn: Floats, right: Floats, up: Floats) -> Floats:
    """The shape's outline seen along the normal of a plane, shape (n, 2), without its place.

    A convex outline is the path of its farthest point while the direction turns; corners are met more than once and
    kept once.

    Args:
        shape: of a description.
        turn: rotation of the shape's frame in the world.
        right: first axis of the plane.
        up: second axis.
    """
    # Off by a part of a step, so that no direction hits a face of an upright box exactly.
    angles = 2.0 * np.pi * (np.arange(CORNERS) + 0.37) / CORNERS
    directions = np.cos(angles)[:, None] * right + np.sin(angles)[:, None] * up
    points = support(shape, directions @ turn) @ turn.T @ np.stack([right, up], axis=1)
    steps = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1)
    kept = points[steps > 1e-9 * steps.sum()]
    return kept if len(kept) else points[:1]


def _sky(look: Look, height: float) -> list[str]:
    """What is behind everything, if the look says a colour."""
    behind = look.sky if look.sky is not None else look.background
    if behind is None:
        return []
    return [
        f'<rect x="{LEFT}" y="{TOP}" width="{INNER}" height="{height:.1f}" fill="{ink(linear(behind))}"/>'
    ]


def _back(
    x_axis: Axis, z_axis: Axis, height: float, profile: Callable[[Floats], Floats], has_grid: bool
) -> list[str]:
    """The ground and the grid."""
    parts = []
    for tick in x_axis.ticks if has_grid else ():
        x = LEFT + INNER * float(x_axis.fraction(np.array(tick)))
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}v{height:.1f}"/>')
    for tick in z_axis.ticks if has_grid else ():
        z = TOP + height * (1.0 - float(z_axis.fraction(np.array(tick))))
        parts.append(f'<path class="grid" d="M{LEFT} {z:.1f}h{INNER}"/>')
    along = np.linspace(x_axis.low, x_axis.high, PROFILE_POINTS)
    heights = profile(along)
    if np.all(np.isfinite(heights)) and heights.max() >= z_axis.low and heights.min() <= z_axis.high:
        columns = LEFT + INNER * x_axis.fraction(along)
        rows = TOP + height * (1.0 - np.clip(z_axis.fraction(heights), 0.0, 1.0))
        # Points in the middle of a straight piece are left out, so that level ground is one line.
        bends = np.abs(np.diff(rows, 2)) > 1e-6
        kept = np.concatenate([[True], bends, [True]])
        line = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(columns[kept], rows[kept], strict=True))
        bottom = TOP + height
        parts.append(f'<path class="ground" d="M{LEFT} {bottom:.1f}L{line}L{LEFT + INNER} {bottom:.1f}Z"/>')
        parts.append(f'<path class="level" d="M{line}"/>')
    return parts


def _front(x_axis: Axis, z_axis: Axis, height: float, label: str) -> list[str]:
    """Frame, numbers and labels."""
    bottom = TOP + height
    parts = [f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{INNER}" height="{height:.1f}"/>']
    for tick, text in zip(x_axis.ticks, x_axis.labels, strict=True):
        x = LEFT + INNER * float(x_axis.fraction(np.array(tick)))
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{text}</text>')
    for tick, text in zip(z_axis.ticks, z_axis.labels, strict=True):
        z = TOP + height * (1.0 - float(z_axis.fraction(np.array(tick))))
        parts.append(f'<text x="{LEFT - 7}" y="{z + 4:.1f}" text-anchor="end">{text}</text>')
    middle = TOP + 0.5 * height
    across, upwards = f"{label} {x_axis.note}".rstrip(), f"z [m] {z_axis.note}".rstrip()
    parts.append(f'<text x="{LEFT + INNER / 2}" y="{bottom + 36:.1f}" text-anchor="middle">{across}</text>')
    turned = f'transform="rotate(-90 16 {middle:.1f})"'
    parts.append(f'<text x="16" y="{middle:.1f}" text-anchor="middle" {turned}>{upwards}</text>')
    return parts


def _figure(scene: Scene, frames: Ints, body: list[str], height: float, below: str) -> Figure:
    name = inert(scene.name[:60])
    interval = ""
    if len(frames) > 1:
        first, last = float(scene.times[frames[0]]), float(scene.times[frames[-1]])
        interval = f" · {first:g} to {last:.4g} s, every {(last - first) / (len(frames) - 1):.3g} s"
    total = height
    if below:
        start = below.index('height="') + len('height="')
        total += float(below[start : below.index('"', start)])
        below = below.replace("<svg ", f'<svg y="{height:.1f}" ', 1)
    style = STYLE + ".shape path{stroke:#fff;stroke-width:.6;stroke-linejoin:round}"
    inks = scene.look.inks()
    style += f".ground{{fill:{inks.get('ground', '#e9e9e5')}}}"
    style += ".level{fill:none;stroke:#6f6f6a;stroke-width:1.4;stroke-linejoin:round}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{total:.0f}" '
        f'viewBox="0 0 {WIDTH} {total:.1f}" role="img" aria-label="{name}">'
    )
    paper = "#fdfdfb" if scene.look.background is None else ink(linear(scene.look.background))
    parts = [head, f"<title>{name}</title>", f"<style>{style}</style>"]
    parts.append(f'<rect width="{WIDTH}" height="{total:.1f}" fill="{paper}"/>')
    parts.append(f'<text class="title" x="{LEFT}" y="26">{name}{interval}</text>')
    return Figure("\n".join([*parts, *body, below, "</svg>", ""]))


def inert(text: str) -> str:
    """Text that cannot be taken for markup, nor hold characters that XML forbids."""
    return escape("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text))


def strip_of(
    life: Trajectory,
    channels: Sequence[str] = (),
    *,
    moments: int | None = None,
    view: str = "auto",
    look: Look | None = None,
) -> Figure:
    """A stroboscopic drawing of a life, with strips of channels below.

    Args:
        life: what is drawn.
        channels: names, as for :meth:`zoophyte.Trajectory.plot`.
        moments: how many moments to draw; one more than the look has ghosts if left out.
        view: ``"side"``, ``"front"`` or ``"auto"``.
        look: colours of ground, sky and background, and how many ghosts.

    Raises:
        UsageError: an unknown channel or view.
    """
    below = plot_trajectories([life], channels, title="").svg if channels else ""
    return drawing_of(scene_of(life, rate=None, look=look), moments=moments, view=view, below=below)


def write_svg(life: Trajectory, path: Path, *, look: Look | None = None) -> None:
    """Write a stroboscopic drawing with height and energy below, as far as they were recorded.

    Args:
        life: what to draw.
        path: of the file.
        look: colours of ground, sky and background, and how many ghosts.
    """
    recorded = life.channel_names()
    channels = [name for name in STRIPS if name in recorded]
    write_text(path, strip_of(life, channels, look=look).svg)


register_exporter(".svg", write_svg)
