"""Shapes as triangles, for file formats that know nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

AROUND = 32  # corners of a circle
ALONG = 16  # steps from pole to pole of a ball


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles.

    Args:
        key: equal for equal meshes.
        points: corners, shape (n, 3) [m], or in units of `scale`.
        normals: outward unit vectors at the corners, shape (n, 3).
        triangles: numbers of corners, shape (m, 3), counter-clockwise seen from outside.
        scale: factors along x, y, z that give the shape its size.
    """

    key: tuple[Any, ...]
    points: Floats
    normals: Floats
    triangles: Ints
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


def mesh_of(shape: Any) -> Mesh:
    """The triangles of a shape in its own frame; balls, ellipsoids and boxes are one mesh each, scaled.

    Args:
        shape: of a description.
    """
    if shape.kind in ("sphere", "ellipsoid"):
        scale = (shape.radius,) * 3 if shape.kind == "sphere" else shape.semi_axes
        return Mesh(("ball",), *_turned(*_ball(1.0, 0.0)), scale)
    if shape.kind == "box":
        return Mesh(("box",), *_box(), shape.size)
    if shape.kind == "capsule":
        capsule = ("capsule", shape.radius, shape.length)
        return Mesh(capsule, *_turned(*_ball(shape.radius, 0.5 * shape.length)))
    if shape.kind == "tapered_capsule":
        sizes = (shape.radius_start, shape.radius_end, shape.length)
        return Mesh(("tapered_capsule", *sizes), *_turned(*_two_balls(*sizes)))
    if shape.kind == "polyhedron":
        return Mesh(("polyhedron", shape.vertices, shape.faces), *_faces(shape.vertices, shape.faces))
    if shape.kind == "cylinder":
        start = end = shape.radius
        low = -0.5 * shape.length
    else:
        start, end, low = shape.radius_start, shape.radius_end, 0.0
    key = ("frustum", start, end, low, shape.length)
    return Mesh(key, *_turned(*_frustum(start, end, low, low + shape.length)))


def _ball(radius: float, half: float) -> tuple[Floats, Floats]:
    """Half a meridian of a ball whose halves are moved apart: (ρ, z) of points and of normals."""
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, ALONG + 1)
    lower, upper = angles[: ALONG // 2 + 1], angles[ALONG // 2 :]
    both = np.concatenate([lower, upper]) if half > 0.0 else angles
    normals = np.stack([np.cos(both), np.sin(both)], axis=1)
    shift = np.zeros(len(both))
    if half > 0.0:
        shift = np.where(np.arange(len(both)) < len(lower), -half, half)
    return radius * normals + np.stack([np.zeros(len(both)), shift], axis=1), normals


def _two_balls(start: float, end: float, length: float) -> tuple[Floats, Floats]:
    """Outline of the hull of a ball at z = 0 and one at z = length.

    The side touches both balls where their normals are (c, s) with s = (start − end)/length.
    """
    touching = np.arcsin((start - end) / length)
    lower, upper = (
        np.linspace(-0.5 * np.pi, touching, ALONG // 2 + 1),
        np.linspace(touching, 0.5 * np.pi, ALONG // 2 + 1),
    )
    angles = np.concatenate([lower, upper])
    normals = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    is_end = np.arange(len(angles)) >= len(lower)
    points = np.where(is_end, end, start)[:, None] * normals
    points[:, 1] += np.where(is_end, length, 0.0)
    return points, normals


def _frustum(start: float, end: float, low: float, high: float) -> tuple[Floats, Floats]:
    """Outline of a truncated cone: lid, side, lid, each with normals of its own."""
    side = np.array([high - low, start - end])
    side = side / np.linalg.norm(side)
    points = [(0.0, low), (start, low), (start, low), (end, high), (end, high), (0.0, high)]
    normals = [(0.0, -1.0), (0.0, -1.0), side, side, (0.0, 1.0), (0.0, 1.0)]
    return np.array(points), np.array(normals, dtype=float)


def _turned(outline: Floats, normals: Floats) -> tuple[Floats, Floats, Ints]:
    """The surface that an outline (ρ, z), rising from pole to pole, leaves when it turns about z."""
    angles = 2.0 * np.pi * np.arange(AROUND + 1) / AROUND
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def swept(rows: Floats) -> Floats:
        flat = rows[:, None, :1] * circle[None]
        height = np.broadcast_to(rows[:, None, 1:], (len(rows), AROUND + 1, 1))
        return np.concatenate([flat, height], axis=2).reshape(-1, 3)

    row, column = np.meshgrid(np.arange(len(outline) - 1), np.arange(AROUND), indexing="ij")
    a = (row * (AROUND + 1) + column).ravel()
    b, c, d = a + 1, a + AROUND + 1, a + AROUND + 2
    triangles = np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])
    points = swept(outline)
    # A triangle with two corners in one place (at a pole, or between two normals) has no area: left out.
    corners = points[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return points, swept(normals), triangles[area > 1e-12 * np.ptp(points) ** 2]


def _box() -> tuple[Floats, Floats, Ints]:
    points: list[Floats] = []
    normals: list[Floats] = []
    triangles = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            outward = sign * np.eye(3)[axis]
            first = len(points)
            points += [
                0.5 * (outward + x * u + sign * y * v) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ]
            normals += [outward] * 4
            triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return np.array(points), np.array(normals), np.array(triangles)


def _faces(vertices: Any, faces: Any) -> tuple[Floats, Floats, Ints]:
    points: list[Floats] = []
    normals: list[Floats] = []
    triangles = []
    for face in faces:
        corners = np.asarray(vertices, float)[list(face)]
        area = np.cross(corners - corners[0], np.roll(corners, -1, axis=0) - corners[0]).sum(axis=0)
        first = len(points)
        points += list(corners)
        normals += [area / np.linalg.norm(area)] * len(face)
        triangles += [(first, first + i, first + i + 1) for i in range(1, len(face) - 1)]
    return np.array(points), np.array(normals), np.array(triangles)
