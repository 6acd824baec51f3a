"""``life.export("x.png")`` and ``life.export("x.gif")``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zoophyte.description.files import replacing
from zoophyte.export.picture.gif import gif_bytes
from zoophyte.export.picture.picture import film_of, ghost_frames, picture_of
from zoophyte.export.picture.png import png_bytes
from zoophyte.export.scene import Scene, scene_of
from zoophyte.simulation.exporters import register_exporter

if TYPE_CHECKING:
    from zoophyte.simulation import Trajectory

PNG_SIZE = (960, 540)
GIF_SIZE = (480, 270)
GIF_RATE = 20.0  # frames per second
GIF_FRAMES = 240  # at most: twelve seconds; a longer life shows its beginning


def write_png(life: Trajectory, path: Path) -> None:
    """Write the middle of a life, with pale ghosts of the moments before, as a PNG file.

    Args:
        life: what to draw.
        path: of the file.
    """
    scene = scene_of(life, rate=120.0)
    frame = scene.frame_count // 2
    picture = picture_of(scene, frame=frame, size=PNG_SIZE, ghosts=ghost_frames(scene, frame))
    with replacing(path) as file:
        file.write(png_bytes(picture))


def write_gif(life: Trajectory, path: Path) -> None:
    """Write the first twelve seconds of a life, in true time, as an endless GIF file.

    Args:
        life: what to draw.
        path: of the file.
    """
    scene = scene_of(life, rate=None)
    frames = film_frames(scene, GIF_RATE, GIF_FRAMES)
    film = np.stack(list(film_of(scene, frames, size=GIF_SIZE)))
    with replacing(path) as file:
        file.write(gif_bytes(film, GIF_RATE))


def film_frames(scene: Scene, rate: float, limit: int) -> list[int]:
    """Numbers of the frames nearest to regular times.

    Args:
        scene: what is shown.
        rate: frames per second.
        limit: at most so many.
    """
    times = scene.times - scene.times[0]
    wanted = np.arange(min(int(np.floor(times[-1] * rate + 1e-9)) + 1, limit)) / rate
    after = np.clip(np.searchsorted(times, wanted), 0, len(times) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(times[before] - wanted) < np.abs(times[after] - wanted)
    return [int(frame) for frame in np.where(nearer, before, after)]


register_exporter(".png", write_png)
register_exporter(".gif", write_gif)
