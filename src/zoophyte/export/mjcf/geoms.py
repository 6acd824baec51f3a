"""Shapes as MuJoCo's geoms; what it has no geom for becomes a mesh with its corners written out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from zoophyte.description import Box, Capsule, Cylinder, Ellipsoid, Frustum, Polyhedron, Shape, Sphere
from zoophyte.description.values import Triple
from zoophyte.export.mjcf.markup import Attributes
from zoophyte.numbers.functions import sincos

ROUND_CORNERS = 24
"""Of the polygons that stand for the circles of a frustum."""

NO_TURN = (1.0, 0.0, 0.0, 0.0)


def geom(shape: Shape, name: str | None, mesh: str | None) -> Attributes:
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
    if isinstance(shape, Polyhedron):
        vertices: Sequence[Triple] = shape.vertices
        faces = [(f[0], f[n], f[n + 1]) for f in shape.faces for n in range(1, len(f) - 1)]
    elif isinstance(shape, Frustum):
        vertices, faces = frustum_mesh(shape)
    else:
        return None
    return {
        "inertia": "shell",
        "vertex": [x for vertex in vertices for x in vertex],
        "face": [float(corner) for face in faces for corner in face],
    }


def frustum_mesh(shape: Frustum) -> tuple[list[Triple], list[tuple[int, int, int]]]:
    """Corners and outward triangles of a frustum whose circles are polygons; a cone's tip is one corner."""
    rings: list[list[int]] = []
    vertices: list[Triple] = []
    for radius, z in ((shape.radius_start, 0.0), (shape.radius_end, shape.length)):
        start = len(vertices)
        count = ROUND_CORNERS if radius > 0.0 else 1
        for n in range(count):
            sine, cosine = sincos(2.0 * math.pi * n / count)
            vertices.append((radius * cosine, radius * sine, z))
        rings.append([start + n % count for n in range(ROUND_CORNERS)])
    low, high = rings
    faces = []
    for n in range(ROUND_CORNERS):
        m = (n + 1) % ROUND_CORNERS
        faces += [(low[n], low[m], high[n]), (low[m], high[m], high[n])]
    for n in range(1, ROUND_CORNERS - 1):
        faces += [(low[0], low[n + 1], low[n]), (high[0], high[n], high[n + 1])]
    return vertices, [face for face in faces if len(set(face)) == 3]
