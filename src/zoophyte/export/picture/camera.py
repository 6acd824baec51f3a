"""Cameras, and how far away they must stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from zoophyte.errors import UsageError, brief, nearest
from zoophyte.export.extent import creature_size, reaches
from zoophyte.export.framing import lasting, side_of_slope
from zoophyte.export.grounds import drawn_ground, is_level
from zoophyte.export.scene import Scene
from zoophyte.model import Plane, Terrain

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
View = Literal["auto", "three_quarter", "front", "side", "top", "follow"]

ANGLES = {"three_quarter": (-52.0, 16.0), "front": (0.0, 8.0), "side": (-90.0, 6.0), "top": (-90.0, 89.9)}
"""Where the camera stands, seen from the creature: azimuth from x towards y, and elevation, in degrees."""
FIELD = 0.27  # tangent of half the angle of view, along the picture's shorter side
MARGIN = 0.09  # of the picture, left free at each edge
SHADOW_MARGIN = 0.02  # the same for shadows
AIRBORNE = (
    0.05,
    1.6,
)  # creature sizes above the ground between which the shadow, then apart, must be seen too
SUN_TURN, SUN_HEIGHT = (
    np.radians(40.0),
    np.radians(52.0),
)  # to the right of the camera, seen from the scene; up
HIGHER = (0.0, 8.0, 16.0, 26.0, 38.0, 52.0)  # degrees that a camera rises where hills are in its way
SIGHT_FRAMES, SIGHT_POINTS = 12, 80
EYE_ROOM = 0.04  # of the camera's distance, left free above the ground
TRAVEL, LONE_TRAVEL = (
    4.0,
    20.0,
)  # creature sizes: who goes farther is followed; a single body, whose way is all it does
FIT_FRAMES = 240
NARROWER = 20  # pyramids that are tried to centre what is shown


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


def checked_view(view: str | Camera) -> str | Camera:
    """The name of a view, or a camera.

    Args:
        view: as it was given.

    Raises:
        UsageError: when it is neither.
    """
    given: object = view
    if isinstance(given, Camera) or (isinstance(given, str) and given in get_args(View)):
        return view
    known = ", ".join(get_args(View))
    hint = nearest(given, get_args(View)) if isinstance(given, str) else "Or give a Camera."
    raise UsageError(f"camera: there is no view {brief(given)}. Known: {known}. {hint}".rstrip())


def cameras_for(scene: Scene, view: str | Camera, frames: Ints, size: tuple[int, int]) -> list[Camera]:
    """One camera for each frame: the same for all, unless it follows.

    Args:
        scene: what is to be seen.
        view: the name of a view, or a camera.
        frames: that must be in the picture, but for a short beginning that is spread far wider than all the rest.
        size: of the picture in pixels.

    Raises:
        UsageError: an unknown view.
    """
    view = checked_view(view)
    if isinstance(view, Camera):
        return [view] * len(frames)
    if view == "auto":
        gone = float(np.ptp(scene.com[frames, :2], axis=0).max())
        far = (LONE_TRAVEL if len(scene.body_names) == 1 else TRAVEL) * creature_size(scene)
        view = "follow" if len(frames) > 1 and gone > far else "three_quarter"
    path = scene.com[frames] if view == "follow" else np.zeros((len(frames), 3))
    ground = drawn_ground(scene, frames)
    shown = lasting(scene, frames)
    way = path[len(frames) - len(shown) :]
    camera: Camera | None = None
    for angles in _angles(scene, "three_quarter" if view == "follow" else view, shown, ground):
        camera = _fitted(scene, angles, shown, size, way, ground)
        if _sees(scene, camera, shown, way, ground):
            break
    assert camera is not None
    return [camera.moved(place) for place in path]


def _angles(
    scene: Scene, view: str, frames: Ints, ground: Plane | Terrain | None
) -> list[tuple[float, float]]:
    """Azimuth and elevation to look from in degrees, and others in case that hills are in the way."""
    azimuth, elevation = ANGLES[view]
    if ground is None or is_level(ground) or view == "top":
        return [(azimuth, elevation)]
    beside = side_of_slope(scene, frames, ground, azimuth) if view == "three_quarter" else None
    sides = [azimuth if beside is None else beside]
    if view == "three_quarter" and isinstance(ground, Terrain) and beside is None:
        sides = [azimuth, -180.0 - azimuth]
        size = creature_size(scene)
        heights = []
        for side in np.radians(sides):
            place = scene.com[frames].mean(axis=0)[:2] + 3.0 * size * np.array([np.cos(side), np.sin(side)])
            heights.append(float(ground.height_at(*place)))
        if (
            heights[1] < heights[0] - 0.6 * size
        ):  # ground that rises away from the camera shows more of itself
            sides.reverse()
    return [(side, min(elevation + more, 85.0)) for more in HIGHER for side in sides]


def _sees(scene: Scene, camera: Camera, frames: Ints, path: Floats, ground: Plane | Terrain | None) -> bool:
    """Whether a camera is outside of the ground, and no hill is between it and the creature."""
    chosen = np.unique(
        np.linspace(0, len(frames) - 1, min(SIGHT_FRAMES, len(frames))).round().astype(np.int64)
    )
    eyes = np.asarray(camera.eye) + path[chosen]
    room = EYE_ROOM * float(np.linalg.norm(np.subtract(camera.target, camera.eye)))
    if isinstance(ground, Plane):
        return bool(np.all(eyes @ np.asarray(ground.normal) - ground.height > room))
    if ground is None:
        return True
    middle = scene.com[frames[chosen]]
    feet = middle - 0.97 * np.maximum(
        middle[:, 2:] - ground.height_at(middle[:, :1], middle[:, 1:2]), 0.0
    ) * [0, 0, 1]
    steps = np.linspace(0.0, 1.0, SIGHT_POINTS)
    for end in (middle, feet):
        points = eyes[:, None] + steps[:, None] * (end - eyes)[:, None]
        gaps = points[..., 2] - ground.height_at(points[..., 0], points[..., 1])
        if np.any(gaps[:, 0] <= room) or np.any(gaps < 0.0):
            return False
    return True


def sun_axes(axes: Floats) -> Floats:
    """Direction to the sun, and two axes across it, for a camera with these axes."""
    # Straight from above the camera has no azimuth; there the picture's lower edge stands for where it is.
    towards_camera = -axes[2, :2] if np.hypot(axes[2, 0], axes[2, 1]) > 0.05 else -axes[1, :2]
    azimuth = np.arctan2(towards_camera[1], towards_camera[0])
    azimuth += SUN_TURN
    level = np.cos(SUN_HEIGHT)
    towards = np.array([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(SUN_HEIGHT)])
    aside = np.cross(towards, [0.0, 0.0, 1.0])
    aside = aside / np.linalg.norm(aside)
    return np.array([towards, aside, np.cross(towards, aside)])


def _shadow_reaches(
    scene: Scene, directions: Floats, frames: Ints, ground: Plane | Terrain | None, sun: Floats
) -> Floats:
    """As :func:`reaches`, for the shadows on the ground; −∞ in frames in which the creature touches it, or is far above.

    Light along −s takes p to p − s (n·p − h)/(n·s), so that the reach along m is that of the creature along
    m − n (m·s)/(n·s), and h (m·s)/(n·s) more.  Terrain counts as level, as high as below the centre of mass.
    """
    none = np.full((len(frames), len(directions)), -np.inf)
    if ground is None:
        return none
    normal = np.asarray(ground.normal) if isinstance(ground, Plane) else np.array([0.0, 0.0, 1.0])
    com = scene.com[frames]
    height = ground.height if isinstance(ground, Plane) else ground.height_at(com[:, 0], com[:, 1])
    facing = float(normal @ sun)
    if facing < 0.1:
        return none
    share = directions @ sun / facing
    cast = directions - share[:, None] * normal
    values = reaches(scene, cast, frames) + np.asarray(height)[..., None] * share
    gap = (-reaches(scene, -normal[None], frames)[:, 0] - height) / creature_size(scene)
    apart = (gap > AIRBORNE[0]) & (gap < AIRBORNE[1])
    return np.where(apart[:, None], values, none)


def _fitted(
    scene: Scene, angles: tuple[float, float], frames: Ints, size: tuple[int, int], path: Floats,
    ground: Plane | Terrain | None,
) -> Camera:  # fmt: skip
    """The nearest camera that has everything in the picture, from coordinates along `path`; shadows too if they are near.

    A side plane of the picture's pyramid, with outward unit normal m, holds everything on its inner side when
    h(m) ≤ m · eye, h being the support function.  Two opposite planes, m = ±a·right − b·forward, then give
    a·(eye · right) = (h₊ − h₋)/2 and b·(eye · forward) ≤ −(h₊ + h₋)/2.
    """
    azimuth, elevation = np.radians(angles)
    level = np.cos(elevation)
    towards = np.array([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)])
    right, up, forward = axes_along(-towards)
    axes = np.array([right, up, forward])
    chosen = np.unique(np.linspace(0, len(frames) - 1, min(FIT_FRAMES, len(frames))).round().astype(np.int64))
    directions, sides = _pyramid(axes, size, MARGIN)
    sun = sun_axes(axes)[0]

    def of_bodies(planes: Floats) -> Floats:
        values = reaches(scene, planes, frames[chosen]) - path[chosen] @ planes.T
        return np.asarray(values.max(axis=0), float)

    def of_shadows(planes: Floats) -> Floats:
        values = _shadow_reaches(scene, planes, frames[chosen], ground, sun) - path[chosen] @ planes.T
        return np.asarray(values.max(axis=0), float)

    heights = of_bodies(directions)
    camera = _centred(_behind(heights, axes, sides), axes, size, of_bodies)
    edges, _ = _pyramid(axes, size, SHADOW_MARGIN)
    if angles != ANGLES["top"] and np.any(of_shadows(edges[:4]) > edges[:4] @ np.asarray(camera.eye)):
        camera = _behind(np.maximum(heights, of_shadows(directions)), axes, sides)
        camera = _centred(
            camera, axes, size, lambda planes: np.maximum(of_bodies(planes), of_shadows(planes))
        )
    return camera


def _pyramid(axes: Floats, size: tuple[int, int], margin: float) -> tuple[Floats, list[tuple[float, float]]]:
    """Outward normals of the picture's right, left, upper and lower side, then forward and back; and (a, b) of each pair."""
    right, up, forward = axes
    planes, sides = [], []
    for tangent, axis in zip(half_fields(FIELD, size), (right, up), strict=True):
        tangent *= 1.0 - 2.0 * margin
        a, b = 1.0 / np.hypot(1.0, tangent), tangent / np.hypot(1.0, tangent)
        planes += [a * axis - b * forward, -a * axis - b * forward]
        sides.append((a, b))
    return np.array([*planes, forward, -forward]), sides


def _centred(
    camera: Camera, axes: Floats, size: tuple[int, int], reach: Callable[[Floats], Floats]
) -> Camera:
    """The same camera, moved across until what does not fill the picture has equal margins on both sides.

    Of the pyramids with the same two sides and the other two ever nearer to each other, the narrowest that still holds
    everything from this distance says how far to move: its margins are those of the picture.

    Args:
        camera: that holds everything.
        axes: right, up and forward.
        size: of the picture in pixels.
        reach: how far everything reaches along given directions.
    """
    forward = axes[2]
    along = float(np.asarray(camera.eye) @ forward)
    shift = np.zeros(3)
    for tangent, axis in zip(half_fields(FIELD, size), axes[:2], strict=True):
        tangents = tangent * (1.0 - 2.0 * MARGIN) * np.linspace(1.0 / NARROWER, 1.0, NARROWER)
        a, b = 1.0 / np.hypot(1.0, tangents), tangents / np.hypot(1.0, tangents)
        one, other = (side * a[:, None] * axis - b[:, None] * forward for side in (1.0, -1.0))
        heights = reach(np.concatenate([one, other]))
        high, low = heights[:NARROWER], heights[NARROWER:]
        fits = -(high + low) / (2.0 * b) >= along
        chosen = int(np.argmax(fits)) if fits.any() else NARROWER - 1
        place = (high[chosen] - low[chosen]) / (2.0 * a[chosen])
        shift += (place - float(np.asarray(camera.eye) @ axis)) * axis
    return camera.moved(shift)


def _behind(heights: Floats, axes: Floats, sides: list[tuple[float, float]]) -> Camera:
    """The nearest camera whose pyramid holds what reaches so far along its outward normals."""
    right, up, forward = axes
    (a, b), (c, d) = sides
    along = min(-(heights[0] + heights[1]) / (2.0 * b), -(heights[2] + heights[3]) / (2.0 * d))
    eye = right * (heights[0] - heights[1]) / (2.0 * a) + up * (heights[2] - heights[3]) / (2.0 * c)
    eye = eye + along * forward
    middle = 0.5 * (heights[4] - heights[5])
    target = eye + max(middle - along, 1e-9) * forward
    return Camera((eye[0], eye[1], eye[2]), (target[0], target[1], target[2]))
