"""What a picture of a whole life should hold, and from which side: for cameras of pictures and of pages alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zoophyte.export.extent import Ints, creature_size, reaches
from zoophyte.export.scene import Scene
from zoophyte.model import Plane, Terrain

Floats = NDArray[np.float64]

BEGINNING = 0.35
"""Part of the time: no more of it may be called a beginning."""
SHRUNK = 0.6
"""What takes up less of its first size after the beginning is shown as it is then, and comes into the picture before."""
SETTLED = 1.15
"""Of the size after the longest beginning: as soon as all is that near together, the beginning is over."""
LOOKS, FEW = 120, 8
UPWARDS = 2
"""Of the six directions in which reaches are taken."""
LEAP = 0.1
"""Creature sizes: who rises so far above the ground leaps."""
STEEP = 0.08
"""Rise over way from which on ground is a slope; what rises by one in ten, fitted to its steps, still is one."""
UNEVEN = 0.2
"""Part of its rise that a slope may be uneven by; else it is a hill among others."""
WALL = 0.2
"""A plane whose normal rises less is a wall, along which nothing slides."""
TURNED = 8.0
"""Degrees that a camera beside a slope is turned downhill, so that things show more than one side."""
PLACES = 40


def lasting(scene: Scene, frames: Ints) -> Ints:
    """The frames without a short fall at the beginning, from far above all that comes after.

    Only what is above may be left out: who travels along the ground, or rises, is shown from the first frame on.

    Args:
        scene: what is shown.
        frames: that are shown, in the order of time.
    """
    if len(frames) < FEW:
        return frames
    places = np.unique(np.linspace(0, len(frames) - 1, min(LOOKS, len(frames))).round().astype(np.int64))
    corners = reaches(scene, np.concatenate([np.eye(3), -np.eye(3)]), frames[places])
    after = np.maximum.accumulate(corners[::-1])[::-1]
    sizes = np.linalg.norm(after[:, :3] + after[:, 3:], axis=1)
    times = scene.times[frames[places]]
    last = int(np.searchsorted(times, times[0] + BEGINNING * (times[-1] - times[0])))
    if sizes[last] > SHRUNK * sizes[0]:
        return frames
    cut = int(np.argmax(sizes <= SETTLED * sizes[last]))
    left_out = np.delete(after[0] - after[cut], UPWARDS)
    return frames if left_out.max() > (SETTLED - 1.0) * sizes[last] else frames[places[cut] :]


def telling_frame(scene: Scene, settled: float = 0.0) -> int:
    """The frame that tells most of a life that was judged: the highest leap, or the middle of what counts.

    Args:
        scene: of the life.
        settled: when what it does began to count [s].
    """
    frames = np.flatnonzero(scene.times >= settled)
    if not len(frames):
        return scene.frame_count // 2
    if scene.is_felt and scene.ground is not None:
        x, y, _ = scene.com[frames].T
        lowest = -reaches(scene, np.array([[0.0, 0.0, -1.0]]), frames)[:, 0]
        gaps = lowest - np.asarray(scene.ground.height_at(x, y), float)
        if gaps.max() > LEAP * creature_size(scene):
            return int(frames[int(np.argmax(gaps))])
    return int(frames[len(frames) // 2])


def side_of_slope(scene: Scene, frames: Ints, ground: Plane | Terrain | None, wanted: float) -> float | None:
    """The azimuth from which a slope is seen from its side [degrees]; None where the ground is none.

    From elsewhere a slope looks level, or like a wall.  Where the shown frames are on level ground, the slope of the whole
    scene counts, so that one moment and the film of all are seen from the same side.

    Args:
        scene: what is shown.
        frames: that are shown.
        ground: as it is drawn.
        wanted: azimuth that is looked from otherwise; of both sides the nearer one is taken.
    """
    rise = _rise_of(scene, frames, ground)
    if float(np.hypot(*rise)) < STEEP:
        rise = _rise_of(scene, np.arange(scene.frame_count), ground)
    if float(np.hypot(*rise)) < STEEP:
        return None
    downhill = float(np.degrees(np.arctan2(-rise[1], -rise[0])))
    sides = (downhill + 90.0 - TURNED, downhill - 90.0 + TURNED)
    return _within_half_a_turn(min(sides, key=lambda side: abs(_within_half_a_turn(side - wanted))))


def _within_half_a_turn(degrees: float) -> float:
    return (degrees + 180.0) % 360.0 - 180.0


def _rise_of(scene: Scene, frames: Ints, ground: Plane | Terrain | None) -> Floats:
    """∂h/∂x and ∂h/∂y of the slope on which all takes place; zero where there is none."""
    level = np.zeros(2)
    if isinstance(ground, Plane):
        a, b, c = ground.normal
        return np.array([-a / c, -b / c]) if c > WALL else level
    if not isinstance(ground, Terrain):
        return level
    chosen = frames[np.linspace(0, len(frames) - 1, min(PLACES, len(frames))).round().astype(np.int64)]
    around = creature_size(scene) * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
    x, y = (scene.com[chosen, None, :2] + around).reshape(-1, 2).T
    heights = np.asarray(ground.height_at(x, y), float)
    columns = np.stack([np.ones_like(x), x, y], axis=1)
    fit = np.linalg.lstsq(columns, heights, rcond=None)[0]
    rest = float(np.std(heights - columns @ fit))
    return np.asarray(fit[1:], float) if rest <= UNEVEN * float(np.ptp(columns @ fit)) else level
