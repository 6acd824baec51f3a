"""Shapes as MuJoCo's geoms; what it has no geom for becomes a mesh with its corners written out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from zoophyte.description import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Frustum,
    Polyhedron,
    Shape,
    Sphere,
    TaperedCapsule,
)
from zoophyte.description.values import Triple
from zoophyte.export.mjcf.markup import Attributes, Value
from zoophyte.numbers.functions import sincos

ROUND_CORNERS = 24
"""Of the polygons that stand for circles."""

NO_TURN = (1.0, 0.0, 0.0, 0.0)

Mesh = tuple[list[Triple], list[tuple[int, int, int]]]
"""Corners, and outward triangles."""


def geom(shape: Shape, name: str | None, mesh: str | None) -> dict[str, Value]:
    """Attributes of the geom of a shape.

    Args:
        shape: placed in the body frame.
        name: of the geom.
        mesh: name of the mesh asset, for shapes that need one.
    """
    kind, size = ("mesh", None) if mesh else _kind_and_size(shape)
    return {
        "name": name,
        "type": kind,
        "mesh": mesh,
        "size": size,
        "pos": shape.position if any(shape.position) else None,
        "quat": shape.rotation if shape.rotation != NO_TURN else None,
        "density": shape.density,
        "rgba": (*shape.colour, 1.0) if shape.colour is not None else None,
    }


def _kind_and_size(shape: Shape) -> tuple[str, tuple[float, ...]]:
    """MuJoCo measures boxes, capsules and cylinders by halves."""
    match shape:
        case Sphere():
            return "sphere", (shape.radius,)
        case Box():
            return "box", tuple(0.5 * length for length in shape.size)
        case Capsule():
            return "capsule", (shape.radius, 0.5 * shape.length)
        case Cylinder():
            return "cylinder", (shape.radius, 0.5 * shape.length)
        case Ellipsoid():
            return "ellipsoid", shape.semi_axes
    raise AssertionError(shape.kind)


def mesh(shape: Shape) -> Attributes | None:
    """Attributes of the mesh asset of a shape, or None when MuJoCo has a geom for it.

    The inertia is given with the body; that of the mesh is asked for as a shell, since MuJoCo refuses small volumes.
    """
    found = corners_and_faces(shape)
    if found is None:
        return None
    vertices, faces = found
    return {
        "inertia": "shell",
        "vertex": [x for vertex in vertices for x in vertex],
        "face": [float(corner) for face in faces for corner in face],
    }


def corners_and_faces(shape: Shape, around: int = ROUND_CORNERS) -> Mesh | None:
    """The mesh of a shape that is no primitive of other programs; None for the others.

    Args:
        shape: any.
        around: corners of its circles.
    """
    if isinstance(shape, Polyhedron):
        faces = [(f[0], f[n], f[n + 1]) for f in shape.faces for n in range(1, len(f) - 1)]
        return list(shape.vertices), faces
    if isinstance(shape, Frustum):
        return turned([(shape.radius_start, 0.0), (shape.radius_end, shape.length)], around)
    if isinstance(shape, TaperedCapsule):
        return turned(tapered_outline(shape, around), around)
    return None


def ball_outline(around: int = ROUND_CORNERS) -> list[tuple[float, float]]:
    """(radius, z) of a ball of radius 1, from pole to pole."""
    quarter = 0.5 * math.pi
    return [
        (0.0, -1.0),
        *_arc(1.0, 0.0, -quarter, 0.0, around),
        *_arc(1.0, 0.0, 0.0, quarter, around)[1:],
        (0.0, 1.0),
    ]


def tapered_outline(shape: TaperedCapsule, around: int = ROUND_CORNERS) -> list[tuple[float, float]]:
    """(radius, z) from pole to pole, on the surface, with a corner where each ball meets the cone."""
    a, b, length = shape.radius_start, shape.radius_end, shape.length
    tilt = math.asin((a - b) / length)  # of the cone's normal: the latitude at which balls and cone meet
    outline = [
        (0.0, -a),
        *_arc(a, 0.0, -0.5 * math.pi, tilt, around),
        *_arc(b, length, tilt, 0.5 * math.pi, around),
    ]
    return [*outline, (0.0, length + b)]


def _arc(radius: float, middle: float, low: float, high: float, around: int) -> list[tuple[float, float]]:
    """Points of a meridian between two latitudes, as far apart as those around; the poles are left out."""
    count = max(1, math.ceil((high - low) / (2.0 * math.pi) * around))
    points = []
    for n in range(count + 1):
        sine, cosine = sincos(low + (high - low) * n / count)
        points.append((radius * cosine, middle + radius * sine))
    return points[1:] if low == -0.5 * math.pi else points[:-1]


def turned(outline: Sequence[tuple[float, float]], around: int = ROUND_CORNERS) -> Mesh:
    """The solid that an outline (radius, z), rising, leaves when it turns about z; a radius of 0 is one corner.

    Args:
        outline: from below.
        around: corners of its circles.
    """
    rings: list[list[int]] = []
    vertices: list[Triple] = []
    for radius, z in outline:
        start = len(vertices)
        count = around if radius > 0.0 else 1
        for n in range(count):
            sine, cosine = sincos(2.0 * math.pi * n / count)
            vertices.append((radius * cosine, radius * sine, z))
        rings.append([start + n % count for n in range(around)])
    faces = []
    for n in range(around):
        m = (n + 1) % around
        for low, high in itertools.pairwise(rings):
            faces += [(low[n], low[m], high[n]), (low[m], high[m], high[n])]
    low, high = rings[0], rings[-1]
    for n in range(1, around - 1):
        faces += [(low[0], low[n + 1], low[n]), (high[0], high[n], high[n + 1])]
    return vertices, [face for face in faces if len(set(face)) == 3]
