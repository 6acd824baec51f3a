"""How far shapes reach: support points, from which cameras, outlines and the place of the floor follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.description.shapes import Sphere
from zoophyte.export.scene import PALETTE, Scene

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SUNKEN = 0.05  # of the height of everything: a foot that presses into the ground does not lower it
HANGING_GAP = 0.18  # of the creature's size: how far below a hanging thing the ground is drawn
FLOATING, FLOATING_GAP = (
    1.5,
    0.4,
)  # of its size: what stays higher than the one has the ground the other below
SIZE_FRAMES = 32
GROUND_FRAMES = 400
MARKER = 0.04  # of the distance between bodies: radius of the ball for a body without shape
LONE_MARKER = 0.05  # m; the same where all bodies are in one place


def rotations_of(q: Floats) -> Floats:
    """Rotation matrices of unit quaternions (w, x, y, z), shape (…, 4) → (…, 3, 3)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def support(shape: Any, directions: Floats) -> Floats:
    """The shape's farthest points in given directions, all in the shape's frame.

    Args:
        shape: of a description.
        directions: shape (…, 3); their lengths do not matter.
    """
    length = np.maximum(np.linalg.norm(directions, axis=-1, keepdims=True), np.finfo(float).tiny)
    along = directions / length
    end = np.where(along[..., 2:] >= 0.0, 0.5, -0.5) * np.array([0.0, 0.0, 1.0])
    if shape.kind == "sphere":
        return np.asarray(shape.radius * along)
    if shape.kind == "capsule":
        return np.asarray(shape.radius * along + shape.length * end)
    if shape.kind == "box":
        return np.asarray(np.where(along >= 0.0, 0.5, -0.5) * np.asarray(shape.size))
    if shape.kind == "ellipsoid":
        axes = np.asarray(shape.semi_axes)
        return np.asarray(axes * axes * along / np.linalg.norm(axes * along, axis=-1, keepdims=True))
    if shape.kind == "polyhedron":
        vertices = np.asarray(shape.vertices)
        return np.asarray(vertices[np.argmax(along @ vertices.T, axis=-1)])
    if shape.kind == "tapered_capsule":
        top = np.array([0.0, 0.0, shape.length])
        rises = shape.length * along[..., 2:] + shape.radius_end > shape.radius_start
        return np.asarray(np.where(rises, shape.radius_end * along + top, shape.radius_start * along))
    across = along * np.array([1.0, 1.0, 0.0])
    across = across / np.maximum(np.linalg.norm(across, axis=-1, keepdims=True), 1e-12)
    if shape.kind == "cylinder":
        return np.asarray(shape.radius * across + shape.length * end)
    start, tip = shape.radius_start * across, shape.radius_end * across + np.array([0.0, 0.0, shape.length])
    farther = np.sum(tip * along, axis=-1, keepdims=True) > np.sum(start * along, axis=-1, keepdims=True)
    return np.asarray(np.where(farther, tip, start))


def placed_shapes(scene: Scene, frames: Ints) -> Iterator[tuple[int, Any, Floats, Floats]]:
    """Every shape with its body's number, rotations (F, 3, 3) and positions (F, 3) in the world."""
    turns = rotations_of(scene.quaternions[frames])
    for body, shapes in enumerate(scene.shapes):
        for shape in shapes:
            turn = turns[:, body] @ rotations_of(np.asarray(shape.rotation, float))
            place = scene.positions[frames, body] + turns[:, body] @ np.asarray(shape.position, float)
            yield body, shape, turn, place


def with_markers(scene: Scene) -> Scene:
    """The scene itself, or, where no body has any shape, one with a small ball at every body's origin."""
    if any(scene.shapes) or not scene.body_names:
        return scene
    extent = float(np.ptp(scene.positions, axis=(0, 1)).max())
    radius = MARKER * extent if extent > 0.0 else LONE_MARKER
    balls = tuple(
        (Sphere(radius=radius, colour=PALETTE[n % len(PALETTE)]),) for n in range(len(scene.body_names))
    )
    return replace(scene, shapes=balls)


def reaches(scene: Scene, directions: Floats, frames: Ints) -> Floats:
    """Largest coordinate of anything along each direction in each frame, shape (F, k) [m].

    Args:
        scene: what is drawn.
        directions: in the world, shape (k, 3).
        frames: which ones.
    """
    if not scene.body_names:  # as if there were a ball of one metre
        return np.tile(0.5 * np.linalg.norm(directions, axis=1), (len(frames), 1))
    best = np.full((len(frames), len(directions)), -np.inf)
    for _, shape, turn, place in placed_shapes(with_markers(scene), frames):
        local = directions @ turn
        values = np.sum(support(shape, local) * local, axis=-1) + place @ directions.T
        best = np.maximum(best, values)
    return best


def some_frames(scene: Scene, count: int) -> Ints:
    """At most `count` frames, evenly spread, first and last included."""
    places = np.linspace(0, scene.frame_count - 1, min(count, scene.frame_count))
    return np.unique(places.round().astype(np.int64))


def creature_size(scene: Scene) -> float:
    """Half the diagonal of the box around the creature, in the middle of what it takes over time [m]."""
    corners = reaches(scene, np.concatenate([np.eye(3), -np.eye(3)]), some_frames(scene, SIZE_FRAMES))
    diagonals = np.linalg.norm(corners[:, :3] + corners[:, 3:], axis=1)
    return max(0.5 * float(np.median(diagonals)), 1e-9)


def ground_level(scene: Scene, height: float = 0.0, frames: Ints | None = None) -> float:
    """Height at which a level ground that nothing touches is drawn [m].

    It is its own, but below what hangs lower, and not far below what floats.

    Args:
        scene: what is drawn.
        height: of the ground.
        frames: that are shown; all if left out.
    """
    frames = some_frames(scene, GROUND_FRAMES) if frames is None else frames
    extent = reaches(scene, np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]), frames)
    highest, lowest = float(extent[:, 0].max()), -float(extent[:, 1].max())
    size = creature_size(scene)
    if lowest - height < -SUNKEN * (highest - lowest):
        return lowest - HANGING_GAP * size
    return lowest - FLOATING_GAP * size if lowest - height > FLOATING * size else height
