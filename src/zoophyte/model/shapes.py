"""Shapes that touch, in the frames of their links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import compose, rotate
from zoophyte.algebra.vectors import add, norm
from zoophyte.description import Description, Surface
from zoophyte.model import contact_layout as at


@dataclass(frozen=True)
class TouchingShape:
    """One shape that touches.

    Args:
        kind: one of the shape kinds of `zoophyte.model.contact_layout`.
        body: index of its body.
        link: that the body is welded to; 0 for scenery.
        position: of its frame in the link's [m]: a ball's or box's centre, the start of an axis.
        rotation: of its frame, nine numbers in row order.
        size: by kind: radius; radii at both ends and length; half lengths; semi-axes.
        corners: of a polyhedron, in link axes [m].
        centre: of a ball around it, in link axes [m].
        reach: radius of that ball [m].
        surface: how it touches.
        name: what to call it in messages.
    """

    kind: int
    body: int
    link: int
    position: tuple[float, float, float]
    rotation: Any
    size: tuple[float, float, float]
    corners: tuple[tuple[float, float, float], ...]
    centre: tuple[float, float, float]
    reach: float
    surface: Surface
    name: str


def touching_shapes(description: Description, bodies: Any) -> tuple[TouchingShape, ...]:
    """The shapes of a description that have a surface.

    Args:
        description: checked.
        bodies: the compiled `Bodies`.
    """
    found = []
    shape: Any
    rotations, origins = bodies.R_LB.reshape(-1, 9).tolist(), bodies.p_LB.tolist()
    for number, (body, link) in enumerate(
        zip(description.bodies, bodies.link.tolist()[1:], strict=True), start=1
    ):
        R_LB, p_LB = rotations[number], origins[number]
        for order, shape in enumerate(body.shapes):
            surface = shape.surface or description.surface
            if not shape.contact or surface is None:
                continue
            R_LS = compose(R_LB, quaternion_matrix(shape.rotation))
            origin = add(p_LB, rotate(R_LB, shape.position))
            kind, start, size, middle, reach = _geometry(shape)
            corners: Any = ()
            if kind == at.CORNER_SHAPE:
                corners = tuple(
                    add(origin, rotate(R_LS, (float(x), float(y), float(z)))) for x, y, z in shape.vertices
                )
                if len(corners) > at.KEYS_PER_SHAPE:
                    corners = _spread(corners, at.KEYS_PER_SHAPE)
            position = add(origin, rotate(R_LS, start))
            centre = position if middle is start else add(origin, rotate(R_LS, middle))
            found.append(
                TouchingShape(
                    kind, number, link, position, R_LS, size, corners, centre, reach, surface,
                    shape.name or f"{body.name}[{order}]",
                )
            )  # fmt: skip
    return tuple(found)


def _geometry(shape: Any) -> tuple[int, Any, Any, Any, float]:
    """Kind, start of the axis, size, middle and reach in the shape's own frame."""
    zero = (0.0, 0.0, 0.0)
    middle: Any
    if shape.kind == "sphere":
        return at.BALL_SHAPE, zero, (shape.radius, 0.0, 0.0), zero, shape.radius
    if shape.kind == "capsule":
        half, size = 0.5 * shape.length, (shape.radius, shape.radius, shape.length)
        return at.ROUND_SHAPE, (0.0, 0.0, -half), size, zero, half + shape.radius
    if shape.kind == "tapered_capsule":
        a, b, length = shape.radius_start, shape.radius_end, shape.length
        return at.ROUND_SHAPE, zero, (a, b, length), (0.0, 0.0, 0.5 * length), 0.5 * length + max(a, b)
    if shape.kind == "box":
        half_lengths = tuple(0.5 * x for x in shape.size)
        return at.BOX_SHAPE, zero, half_lengths, zero, norm(half_lengths)
    if shape.kind == "cylinder":
        half, size = 0.5 * shape.length, (shape.radius, shape.radius, shape.length)
        return at.DISC_SHAPE, (0.0, 0.0, -half), size, zero, norm((half, shape.radius, 0.0))
    if shape.kind == "frustum":
        a, b, length = shape.radius_start, shape.radius_end, shape.length
        middle = (0.0, 0.0, 0.5 * length)
        return at.DISC_SHAPE, zero, (a, b, length), middle, norm((0.5 * length, max(a, b), 0.0))
    if shape.kind == "ellipsoid":
        return at.ELLIPSOID_SHAPE, zero, tuple(shape.semi_axes), zero, max(shape.semi_axes)
    corners = np.asarray(shape.vertices, float)
    middle = tuple(float(x) for x in 0.5 * (corners.min(axis=0) + corners.max(axis=0)))
    reach = float(np.sqrt(((corners - middle) ** 2).sum(axis=1)).max())
    return at.CORNER_SHAPE, zero, (0.0, 0.0, 0.0), middle, reach


def _spread(corners: Any, count: int) -> Any:
    """`count` corners spread over all of them: each the farthest from those before it."""
    points = np.asarray(corners)
    chosen = [int(np.argmin(points[:, 2]))]
    distance = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argmax(distance)))
        distance = np.minimum(distance, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return tuple(corners[i] for i in sorted(chosen))
