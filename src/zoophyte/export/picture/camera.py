"""Cameras, and how far away they must stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from zoophyte.errors import UsageError, nearest
from zoophyte.export.extent import creature_size, reaches
from zoophyte.export.scene import Scene

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
View = Literal["auto", "three_quarter", "front", "side", "top", "follow"]

ANGLES = {"three_quarter": (-52.0, 16.0), "front": (0.0, 8.0), "side": (-90.0, 6.0), "top": (-90.0, 89.9)}
"""Where the camera stands, seen from the creature: azimuth from x towards y, and elevation, in degrees."""
FIELD = 0.27  # tangent of half the angle of view, along the picture's shorter side
MARGIN = 0.09  # of the picture, left free at each edge
TRAVEL = 4.0  # creature sizes: who goes farther is followed
FIT_FRAMES = 240


@dataclass(frozen=True)
class Camera:
    """Where a picture is seen from.

    Args:
        eye: where the camera stands [m].
        target: what it looks at [m]; in the middle of the picture.
        field: tangent of half the angle of view along the picture's shorter side.
    """

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    field: float = FIELD

    def axes(self) -> Floats:
        """Right, up and forward as rows; up is as near to the world's z as can be.

        Raises:
            UsageError: when eye and target are the same point, or not finite.
        """
        forward = np.subtract(self.target, self.eye)
        length = float(np.linalg.norm(forward))
        if not np.isfinite(length) or length == 0.0:
            raise UsageError(
                f"camera: eye {self.eye} and target {self.target} must be two different, finite points."
            )
        return axes_along(forward / length)

    def moved(self, shift: Floats) -> Camera:
        """The same camera, moved with its target."""
        eye, target = np.add(self.eye, shift), np.add(self.target, shift)
        return Camera(
            (float(eye[0]), float(eye[1]), float(eye[2])),
            (float(target[0]), float(target[1]), float(target[2])),
            self.field,
        )


def axes_along(forward: Floats) -> Floats:
    """Right, up and forward as rows, for a unit vector `forward`."""
    right = np.cross(forward, [0.0, 0.0, 1.0])
    if np.linalg.norm(right) < 1e-9:  # straight down or up: x to the right
        right = np.array([1.0, 0.0, 0.0])
    right = right / np.linalg.norm(right)
    return np.array([right, np.cross(right, forward), forward])


def half_fields(field: float, size: tuple[int, int]) -> tuple[float, float]:
    """Tangents of half the angles of view, across and upwards."""
    width, height = size
    shorter = min(width, height)
    return field * width / shorter, field * height / shorter


def cameras_for(scene: Scene, view: str | Camera, frames: Ints, size: tuple[int, int]) -> list[Camera]:
    """One camera for each frame: the same for all, unless it follows.

    Args:
        scene: what is to be seen.
        view: the name of a view, or a camera.
        frames: that must be in the picture.
        size: of the picture in pixels.

    Raises:
        UsageError: an unknown view.
    """
    if isinstance(view, Camera):
        return [view] * len(frames)
    if view not in get_args(View):
        known = ", ".join(get_args(View))
        raise UsageError(
            f"camera: there is no view {view!r}. Known: {known}. {nearest(view, get_args(View))}"
        )
    if view == "auto":
        way = np.ptp(scene.com[frames, :2], axis=0)
        view = "follow" if len(frames) > 1 and max(way) > TRAVEL * creature_size(scene) else "three_quarter"
    if view != "follow":
        return [_fitted(scene, view, frames, size, np.zeros((len(frames), 3)))] * len(frames)
    path = scene.com[frames]
    camera = _fitted(scene, "three_quarter", frames, size, path)
    return [camera.moved(place) for place in path]


def _fitted(scene: Scene, view: str, frames: Ints, size: tuple[int, int], path: Floats) -> Camera:
    """The nearest camera of a view that has everything in the picture, from coordinates along `path`.

    A side plane of the picture's pyramid, with outward unit normal m, holds everything on its inner side when
    h(m) ≤ m · eye, h being the support function.  Two opposite planes, m = ±a·right − b·forward, then give
    a·(eye · right) = (h₊ − h₋)/2 and b·(eye · forward) ≤ −(h₊ + h₋)/2.
    """
    azimuth, elevation = np.radians(ANGLES[view])
    level = np.cos(elevation)
    towards = np.array([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)])
    right, up, forward = axes_along(-towards)
    planes, sides = [], []
    for tangent, axis in zip(half_fields(FIELD, size), (right, up), strict=True):
        tangent *= 1.0 - 2.0 * MARGIN
        a, b = 1.0 / np.hypot(1.0, tangent), tangent / np.hypot(1.0, tangent)
        planes += [a * axis - b * forward, -a * axis - b * forward]
        sides.append((a, b))
    directions = np.array([*planes, forward, -forward])
    chosen = np.unique(np.linspace(0, len(frames) - 1, min(FIT_FRAMES, len(frames))).round().astype(np.int64))
    heights = (reaches(scene, directions, frames[chosen]) - path[chosen] @ directions.T).max(axis=0)
    (a, b), (c, d) = sides
    along = min(-(heights[0] + heights[1]) / (2.0 * b), -(heights[2] + heights[3]) / (2.0 * d))
    eye = right * (heights[0] - heights[1]) / (2.0 * a) + up * (heights[2] - heights[3]) / (2.0 * c)
    eye = eye + along * forward
    middle = 0.5 * (heights[4] - heights[5])
    target = eye + max(middle - along, 1e-9) * forward
    return Camera((eye[0], eye[1], eye[2]), (target[0], target[1], target[2]))
