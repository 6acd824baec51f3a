"""Spheres, capsules, tapered capsules and boxes inside of shapes that meet the ground only, to meet others in their place.

What is inside never touches where the shape itself would not, and never overlaps a neighbour that the shape leaves room.
Of all that fit, the one with the largest volume is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.algebra.quaternions import quaternion_matrix, quaternion_product
from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.vectors import add
from zoophyte.description.shapes.solids import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Frustum,
    Polyhedron,
    Solid,
    Sphere,
    TaperedCapsule,
)
from zoophyte.description.values import Quadruple

Floats = NDArray[np.float64]
Alone = Cylinder | Ellipsoid | Frustum | Polyhedron
"""Shapes that touch the ground, and no other shape."""

SHARES = np.linspace(0.0, 1.0, 65)
"""Lengths of capsules, and of boxes in cones, that are tried, as shares of the longest."""
SPECK = 1e-9
"""Share of the radius below which a capsule is a sphere."""
POINTED = 0.1
"""Radius of the ball in the tip of a cone, as a share of the ball at its base."""
HALF = math.sqrt(0.5)
TO_X: Quadruple = (HALF, 0.0, HALF, 0.0)
TO_Y: Quadruple = (HALF, -HALF, 0.0, 0.0)
UNTURNED: Quadruple = (1.0, 0.0, 0.0, 0.0)
TURNS = (TO_X, TO_Y, UNTURNED)
"""Rotations that take z to each axis."""


def inscribed(shape: Alone) -> Solid:
    """The largest shape inside another one that can touch all others; without mass, since it stands for the other's.

    Args:
        shape: a cylinder, an ellipsoid, a frustum or a polyhedron.
    """
    match shape:
        case Cylinder():
            found = _in_cylinder(shape.radius, shape.length)
        case Ellipsoid():
            found = _in_ellipsoid(shape)
        case Frustum():
            found = _in_frustum(shape)
        case _:
            found = _in_polyhedron(shape)
    best = max(found, key=lambda each: each.volume())
    place = add(shape.position, rotate(quaternion_matrix(shape.rotation), best.position))
    changes = {
        "position": place, "rotation": _unit(quaternion_product(shape.rotation, best.rotation)), "density": 0.0,
        "colour": shape.colour, "surface": shape.surface,
    }  # fmt: skip
    return best.model_copy(update=changes)


def _unit(q: Any) -> Quadruple:
    length = math.sqrt(sum(x * x for x in q))
    w, x, y, z = (part / length for part in q)
    return (w, x, y, z)


def _round(radius: float, half: float, **place: Any) -> Solid:
    """A capsule along z whose balls' centres are `half` from its middle, or a sphere if that is next to nothing."""
    if half <= SPECK * radius:
        return Sphere(radius=radius, **place)
    return Capsule(radius=radius, length=2.0 * half, **place)


def _in_cylinder(radius: float, length: float) -> Iterator[Solid]:
    side = math.sqrt(2.0) * radius
    yield Box(size=(side, side, length))
    ball = min(radius, 0.5 * length)
    yield _round(ball, 0.5 * length - ball)


def _in_ellipsoid(shape: Ellipsoid) -> Iterator[Solid]:
    """A ball on the longest axis, h from the middle, has the radius c √(1 − h²/(a² − c²)), c the shortest half axis."""
    a, c = max(shape.semi_axes), min(shape.semi_axes)
    x, y, z = (2.0 / math.sqrt(3.0) * each for each in shape.semi_axes)
    yield Box(size=(x, y, z))
    focal = math.sqrt(max(0.0, a * a - c * c))
    turn = TURNS[shape.semi_axes.index(a)]
    for share in SHARES:
        half = float(share) * focal * focal / a
        radius = c * math.sqrt(1.0 - (half / focal) ** 2) if focal > 0.0 else c
        yield _round(radius, half, rotation=turn)


def _in_frustum(shape: Frustum) -> Iterator[Solid]:
    """A ball on the axis where the radius is r touches the side with the radius r cos α, α the slope of the side."""
    start, end, length = shape.radius_start, shape.radius_end, shape.length
    is_turned = end > start
    wide, narrow = max(start, end), min(start, end)
    cosine = length / math.hypot(length, wide - narrow)
    slope = (wide - narrow) / length

    def at(z: float) -> float:
        return length - z if is_turned else z

    for share in SHARES[1:]:  # boxes on the base, up to some height
        height = float(share) * length
        side = math.sqrt(2.0) * (wide - slope * height)
        if side > 0.0:
            yield Box(size=(side, side, height), position=(0.0, 0.0, at(0.5 * height)))
    low = wide * cosine / (1.0 + cosine * slope)  # the ball that touches side and base
    if 2.0 * low >= length:
        middle = 0.5 * length
        yield Sphere(radius=min(middle, cosine * (wide - slope * middle)), position=(0.0, 0.0, middle))
        return
    yield Sphere(radius=low, position=(0.0, 0.0, at(low)))
    high = narrow * cosine / (1.0 - cosine * slope)
    place = length - high
    if high < POINTED * low:  # there is hardly a top: a small ball where there is room for it
        high = POINTED * low
        place = (wide - high / cosine) / slope
    if place - low > abs(low - high):
        ends = (high, low) if is_turned else (low, high)
        first = min(at(low), at(place))
        yield TaperedCapsule(
            radius_start=ends[0], radius_end=ends[1], length=place - low, position=(0.0, 0.0, first)
        )


def _in_polyhedron(shape: Polyhedron) -> Iterator[Solid]:
    """Boxes and capsules about the centre of mass: along the principal axes, and along the largest face and its edges."""
    centre, (xx, xy, xz, yy, yz, zz) = shape.moments(1.0)
    corners = np.array(shape.vertices) - centre
    normals, heights = _planes(corners, shape.faces)
    place = (float(centre[0]), float(centre[1]), float(centre[2]))
    moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    frames = [np.eye(3), np.linalg.eigh(moments)[1], _face_frame(corners, shape.faces, normals)]
    for frame in frames:
        axes = np.asarray(frame) * (1.0 if np.linalg.det(frame) > 0.0 else -1.0)
        reach = np.abs(normals @ axes)  # of each axis along each normal
        half = _largest_box(reach, heights, np.diag(axes.T @ moments @ axes))
        turn = _quaternion(axes)
        x, y, z = (2.0 * half).tolist()
        yield Box(size=(x, y, z), position=place, rotation=turn)
        for axis in range(3):
            along = reach[:, axis]
            farthest = float(np.min(heights[along > 0.0] / along[along > 0.0]))
            for share in SHARES[:-1]:
                length = float(share) * farthest
                radius = float(np.min(heights - length * along))
                rotation = _unit(quaternion_product(turn, TURNS[axis]))
                yield _round(radius, length, position=place, rotation=rotation)


def _planes(corners: Floats, faces: Any) -> tuple[Floats, Floats]:
    """Outward normals of the faces, and how far from the centre each lies at its nearest."""
    normals, heights = [], []
    for face in faces:
        rim = corners[list(face)]
        area = np.cross(rim, np.roll(rim, -1, axis=0)).sum(axis=0)
        normal = area / np.linalg.norm(area)
        normals.append(normal)
        heights.append(float((rim @ normal).min()))
    return np.array(normals), np.array(heights)


def _face_frame(corners: Floats, faces: Any, normals: Floats) -> Floats:
    """The axes of the largest face: its longest edge, across, and its normal."""
    areas = []
    for face in faces:
        rim = corners[list(face)]
        areas.append(float(np.linalg.norm(np.cross(rim, np.roll(rim, -1, axis=0)).sum(axis=0))))
    largest = int(np.argmax(areas))
    rim = corners[list(faces[largest])]
    edges = np.roll(rim, -1, axis=0) - rim
    edge = edges[int(np.argmax((edges**2).sum(axis=1)))]
    normal = normals[largest]
    edge = edge - (edge @ normal) * normal
    edge /= np.linalg.norm(edge)
    return np.column_stack([edge, np.cross(normal, edge), normal])


def _largest_box(reach: Floats, heights: Floats, moments: Floats) -> Floats:
    """Half lengths of a box inside: in the proportions of one with the same moments, then grown along each axis."""
    squares = np.maximum(moments.sum() - 2.0 * moments, SPECK * moments.sum())
    half = np.sqrt(squares)
    half = half * float(np.min(heights / (reach @ half)))
    for axis in np.argsort(half):
        others = reach @ half - reach[:, axis] * half[axis]
        tilted = reach[:, axis] > SPECK
        half[axis] = max(half[axis], float(np.min((heights - others)[tilted] / reach[tilted, axis])))
    return np.asarray(half)


def _quaternion(axes: Floats) -> Quadruple:
    """Of the rotation whose columns are `axes`."""
    w, v = np.linalg.eigh(
        np.array(
            [
                [axes[0, 0] - axes[1, 1] - axes[2, 2], 0, 0, 0],
                [axes[1, 0] + axes[0, 1], axes[1, 1] - axes[0, 0] - axes[2, 2], 0, 0],
                [axes[2, 0] + axes[0, 2], axes[2, 1] + axes[1, 2], axes[2, 2] - axes[0, 0] - axes[1, 1], 0],
                [
                    axes[2, 1] - axes[1, 2], axes[0, 2] - axes[2, 0], axes[1, 0] - axes[0, 1],
                    axes[0, 0] + axes[1, 1] + axes[2, 2],
                ],
            ]
        )
    )  # fmt: skip
    x, y, z, s = v[:, int(np.argmax(w))].tolist()
    return _unit((s, x, y, z))
