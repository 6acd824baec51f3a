"""``life.export("x.png")`` and ``life.export("x.gif")``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zoophyte.description.files import replacing
from zoophyte.errors import UsageError
from zoophyte.export.look import Look, checked_look
from zoophyte.export.picture.camera import Camera
from zoophyte.export.picture.gif import gif_bytes
from zoophyte.export.picture.picture import GHOSTS, Picture, film_of, ghost_frames, picture_of
from zoophyte.export.picture.png import png_bytes
from zoophyte.export.scene import Scene, scene_of, scene_of_pose
from zoophyte.model import Model
from zoophyte.simulation.exporters import register_exporter

if TYPE_CHECKING:
    from zoophyte.simulation import Trajectory

PNG_SIZE = (960, 540)
GIF_SIZE = (480, 270)
GHOST_RATE = 120.0  # frames per second, among which ghosts are sought
GIF_RATE = 20.0  # frames per second
GIF_FRAMES = 240  # at most: twelve seconds


def write_png(
    life: Trajectory,
    path: Path,
    *,
    time: float | None = None,
    camera: str | Camera = "auto",
    size: tuple[int, int] = PNG_SIZE,
    ghosts: bool = True,
    look: Look | None = None,
) -> None:
    """Write one moment of a life, with pale ghosts of the moments before, as a PNG file.

    Args:
        life: what to draw.
        path: of the file.
        time: of the moment; the nearest recorded one is drawn; the middle of the life if left out [s].
        camera: as for :func:`~zoophyte.export.picture_of`.
        size: width and height in pixels.
        ghosts: whether to draw them.
        look: colours of ground, sky and background, and how many ghosts.

    Raises:
        UsageError: a time outside of the life, or a view or size that does not exist.
    """
    scene = scene_of(life, rate=120.0 if time is None else None, look=look)
    frame = scene.frame_count // 2 if time is None else frame_at(scene, time)
    count = GHOSTS if scene.look.ghosts is None else scene.look.ghosts
    before = ghost_frames(scene, frame, count) if ghosts and count else []
    picture = picture_of(scene, frame=frame, size=size, camera=camera, ghosts=before)
    with replacing(path) as file:
        file.write(png_bytes(picture))


def write_body_png(
    model: Model,
    path: Path,
    *,
    camera: str | Camera = "auto",
    size: tuple[int, int] = PNG_SIZE,
    look: Look | None = None,
) -> None:
    """Write a body as it is born, on level ground, as a PNG file.

    Args:
        model: what to draw.
        path: of the file.
        camera: as for :func:`~zoophyte.export.picture_of`.
        size: width and height in pixels.
        look: colours of ground, sky and background.

    Raises:
        UsageError: a view or size that does not exist.
    """
    picture = picture_of(scene_of_pose(model, look=look), size=size, camera=camera)
    with replacing(path) as file:
        file.write(png_bytes(picture))


def write_gif(
    life: Trajectory,
    path: Path,
    *,
    camera: str | Camera = "auto",
    size: tuple[int, int] = GIF_SIZE,
    look: Look | None = None,
    since: float | None = None,
    until: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> None:
    """Write at most twelve seconds of a life, in true time, as an endless GIF file: the first, or those from `since` on.

    Args:
        life: what to draw.
        path: of the file.
        camera: as for :func:`~zoophyte.export.picture_of`.
        size: width and height in pixels.
        look: colours of ground, sky and background, and how many ghosts; none unless it says so.
        since: beginning of the film [s]; that of the life if left out.
        until: its end [s]; that of the life if left out.
        progress: called with the share that is drawn, from 0 to 1.

    Raises:
        UsageError: a view, size or time that does not exist.
    """
    span = film_span(life, GIF_FRAMES / GIF_RATE, since, until)
    film = np.stack(
        [*filmed(life, GIF_RATE, GIF_FRAMES, span, size=size, camera=camera, look=look, progress=progress)]
    )
    with replacing(path) as file:
        file.write(gif_bytes(film, GIF_RATE))


def filmed(
    life: Trajectory,
    rate: float,
    limit: int,
    span: tuple[float, float],
    *,
    size: tuple[int, int],
    camera: str | Camera,
    look: Look | None,
    progress: Callable[[float], None] | None,
) -> Iterator[Picture]:
    """Pictures of a life in true time.

    Args:
        life: what to draw.
        rate: pictures per second.
        limit: at most so many.
        span: first and last moment, as of :func:`film_span` [s].
        size: width and height in pixels.
        camera: as for :func:`~zoophyte.export.picture_of`.
        look: colours and ghosts.
        progress: called with the share that is drawn, from 0 to 1.
    """
    has_ghosts = look is not None and bool(checked_look(look).ghosts)
    scene = scene_of(life, rate=GHOST_RATE if has_ghosts else None, look=look)
    frames = film_frames(scene, rate, limit, span)
    for number, picture in enumerate(film_of(scene, frames, size=size, camera=camera), start=1):
        yield picture
        if progress is not None:
            progress(number / len(frames))


def frame_at(scene: Scene, time: float) -> int:
    """Number of the frame nearest to a time.

    Args:
        scene: what is shown.
        time: [s]; it may be off by as much as two frames are apart.

    Raises:
        UsageError: when it lies outside.
    """
    first, last = float(scene.times[0]), float(scene.times[-1])
    slack = (last - first) / max(1, scene.frame_count - 1)
    if not first - slack <= time <= last + slack:
        raise UsageError(
            f"{scene.name}: time {time:g} s lies outside of what is shown, {first:g} to {last:g} s."
        )
    return int(np.argmin(np.abs(scene.times - time)))


def film_span(
    life: Trajectory, longest: float, since: float | None = None, until: float | None = None
) -> tuple[float, float]:
    """From when until when a film shows a life [s].

    Args:
        life: what is shown.
        longest: seconds of a film, at most.
        since: when it shall begin [s]; with the life if left out.
        until: when it shall end [s]; with the life if left out.

    Raises:
        UsageError: when there is nothing in between.
    """
    begin, end = float(life.times[0]), float(life.times[-1])
    first, last = begin if since is None else since, end if until is None else until
    slack = (end - begin) / max(1, len(life.times) - 1)
    if not (begin - slack <= first <= last <= end + slack) or (first == last and begin < end):
        raise UsageError(
            f"film: from {first:g} to {last:g} s; must be a time and a later one between {begin:g} and {end:g} s, "
            "the times of the life."
        )
    return first, min(last, first + longest)


def film_frames(scene: Scene, rate: float, limit: int, span: tuple[float, float] | None = None) -> list[int]:
    """Numbers of the frames nearest to regular times.

    Args:
        scene: what is shown.
        rate: frames per second.
        limit: at most so many.
        span: first and last moment [s]; all if left out.
    """
    first, last = (scene.times[0], scene.times[-1]) if span is None else span
    times = scene.times - first
    wanted = np.arange(min(int(np.floor((last - first) * rate + 1e-9)) + 1, limit)) / rate
    after = np.clip(np.searchsorted(times, wanted), 0, len(times) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(times[before] - wanted) < np.abs(times[after] - wanted)
    return [int(frame) for frame in np.where(nearer, before, after)]


register_exporter(".png", write_png)
register_exporter(".gif", write_gif)
