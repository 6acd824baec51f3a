"""Pictures and films of scenes."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from zoophyte.errors import UsageError
from zoophyte.export.extent import creature_size, placed_shapes, reaches, with_markers
from zoophyte.export.look import GHOST_LIMIT
from zoophyte.export.picture.camera import Camera, cameras_for
from zoophyte.export.picture.stage import Moment, Theatre
from zoophyte.export.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Picture = NDArray[np.uint8]

SIZE = (640, 360)
SIZE_LIMIT = 4096
GHOSTS = 5
GHOST_SPACING = (
    0.42  # of the creature's size, that its parts move about its centre of mass between two ghosts
)
WHOLE_SPACING = 1.1  # the same for the creature as a whole
GHOST_REACH = 3.5  # of its size: ghosts farther away would make all small
GHOST_ROOM = 3.0  # of the picture's height that is needed without ghosts
LEAST_SPACING = 0.2  # of that: who moves less has no ghosts
PALEST, DEEPEST = 0.12, 0.42  # opacity of the first and the last ghost


def picture_of(
    scene: Scene,
    *,
    frame: int | None = None,
    size: tuple[int, int] = SIZE,
    camera: str | Camera = "auto",
    ghosts: Sequence[int] = (),
) -> Picture:
    """One frame of a scene, drawn without any graphics hardware; the same scene gives the same pixels.

    Args:
        scene: what is to be seen.
        frame: number of the frame; negative ones count from the end; the middle one if left out.
        size: width and height in pixels.
        camera: ``"three_quarter"``, ``"front"``, ``"side"``, ``"top"``, ``"follow"``, ``"auto"`` (follow who
            travels far, else three-quarter), or a :class:`Camera`.
        ghosts: numbers of other frames to show as well, the palest first.

    Returns:
        red, green, blue, shape (height, width, 3).

    Raises:
        UsageError: a frame, size or view that does not exist.
    """
    size = checked_size(size)
    chosen = scene.frame_count // 2 if frame is None else _checked_frame(scene, frame)
    others = [_checked_frame(scene, ghost) for ghost in ghosts]
    if len(others) > GHOST_LIMIT:
        raise UsageError(
            f"picture: {len(others)} ghosts are asked for; at most {GHOST_LIMIT} can be told apart."
        )
    frames = np.array([*others, chosen], np.int64)
    # A camera that follows one frame would lose the others: with ghosts, all must be in the picture.
    view = "three_quarter" if others and camera in ("auto", "follow") else camera
    seen_from = cameras_for(scene, view, frames, size)[-1]
    return Theatre(scene, frames).draw([Moment(chosen), *_pale(others)], seen_from, size)


def film_of(
    scene: Scene,
    frames: Sequence[int] | None = None,
    *,
    size: tuple[int, int] = SIZE,
    camera: str | Camera = "auto",
) -> Iterator[Picture]:
    """Pictures of several frames, one after the other, all from one camera or from one that follows.

    There are ghosts in them if the scene's look says how many.

    Args:
        scene: what is to be seen.
        frames: their numbers; all if left out.
        size: width and height in pixels.
        camera: as for :func:`picture_of`.

    Raises:
        UsageError: a frame, size or view that does not exist.
    """
    size = checked_size(size)
    given = range(scene.frame_count) if frames is None else frames
    chosen = np.array([_checked_frame(scene, frame) for frame in given], np.int64)
    theatre = Theatre(scene, chosen)
    for frame, seen_from in zip(chosen, cameras_for(scene, camera, chosen, size), strict=True):
        before = ghost_frames(scene, int(frame), scene.look.ghosts) if scene.look.ghosts else []
        yield theatre.draw([Moment(int(frame)), *_pale(before)], seen_from, size)


def _pale(ghosts: Sequence[int]) -> list[Moment]:
    """Ghosts, the latest first, the older the paler."""
    shares = np.linspace(PALEST, DEEPEST, len(ghosts))
    return [Moment(ghost, share) for ghost, share in zip(ghosts, shares, strict=True)][::-1]


def ghost_frames(scene: Scene, frame: int, count: int = GHOSTS) -> list[int]:
    """Earlier frames in which the creature's parts lay visibly elsewhere, each as far as the next from another.

    Args:
        scene: what moves.
        frame: before which to look.
        count: at most so many.
    """
    frame = _checked_frame(scene, frame)
    frames = np.arange(frame + 1)
    size, own = creature_size(scene), np.zeros(frame)
    step = np.diff(scene.com[frames], axis=0)
    for _, _, _, place in placed_shapes(with_markers(scene), frames):
        own = np.maximum(own, np.linalg.norm(np.diff(place, axis=0) - step, axis=1))
    # What moves as a whole must go farther until it no longer hides where it was.
    travelled = np.cumsum(
        [0.0, *(own / (GHOST_SPACING * size) + np.linalg.norm(step, axis=1) / (WHOLE_SPACING * size))]
    )
    spacing = 1.0 if travelled[-1] >= 2.0 else 0.5 * float(travelled[-1])
    if spacing < LEAST_SPACING:
        return []
    wanted = travelled[-1] - spacing * np.arange(count, 0, -1)
    found = [int(np.searchsorted(travelled, mark)) for mark in wanted if mark >= -1e-9]
    away = np.linalg.norm(scene.com[found] - scene.com[frame], axis=1) if found else []
    near = {
        ghost for ghost, far in zip(found, away, strict=True) if ghost < frame and far <= GHOST_REACH * size
    }
    return _fitting_ghosts(scene, frame, sorted(near))


def _fitting_ghosts(scene: Scene, frame: int, ghosts: list[int]) -> list[int]:
    """The latest ghosts, as many as leave what is shown large enough: what fell from high above is a pile now."""
    frames = np.array([frame, *reversed(ghosts)], np.int64)
    corners = reaches(scene, np.concatenate([np.eye(3), -np.eye(3)]), frames)
    together = np.maximum.accumulate(corners)
    sides = together[:, :3] + together[:, 3:]
    needed = np.maximum(sides[:, 2], np.hypot(sides[:, 0], sides[:, 1]) * SIZE[1] / SIZE[0])
    fitting = np.flatnonzero(needed[1:] <= GHOST_ROOM * needed[0])
    return ghosts[len(ghosts) - len(fitting) :] if len(fitting) else []


def _checked_frame(scene: Scene, frame: int) -> int:
    number = operator.index(frame)
    if not -scene.frame_count <= number < scene.frame_count:
        last = scene.frame_count - 1
        raise UsageError(
            f"{scene.name}: frame {number} is out of range; there are {scene.frame_count} (0 to {last})."
        )
    return number % scene.frame_count


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """Width and height in pixels.

    Args:
        size: as it was given.

    Raises:
        UsageError: when that is no size of a picture.
    """
    try:
        width, height = (operator.index(side) for side in size)
    except (TypeError, ValueError):
        raise UsageError(f"picture: size {size!r} must be two whole numbers, as (640, 360).") from None
    if not (1 <= width <= SIZE_LIMIT and 1 <= height <= SIZE_LIMIT):
        raise UsageError(
            f"picture: size {width} × {height} is out of range; 1 to {SIZE_LIMIT} pixels each way."
        )
    return width, height
