"""Convex polyhedra: whether a list of faces is one, and the exact integrals over it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from zoophyte.algebra.rotations import Sym3
from zoophyte.algebra.vectors import cross, dot, subtract
from zoophyte.description.problems import given, refuse
from zoophyte.description.values import Triple, as_list, as_numbers, total

Vertices: TypeAlias = tuple[Triple, ...]
Faces: TypeAlias = tuple[tuple[int, ...], ...]
Planes: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]

VERTEX_LIMIT = 4096
FACE_LIMIT = 8192

# How far a corner may lie off its face's plane, or in front of another's, as a share of the whole's size:
# enough for corners written with seven digits, too little to see.
FLATNESS = 1e-6


def vertex_list(value: object) -> tuple[tuple[float, ...], ...]:
    """At least four corners."""
    rows = as_list(value)
    if not isinstance(rows, list | tuple):
        raise refuse(f"is {given(rows)}, must be a list of points [x, y, z].")
    if not 4 <= len(rows) <= VERTEX_LIMIT:
        raise refuse(f"has {len(rows)} points; a polyhedron has 4 to {VERTEX_LIMIT}.")
    return tuple(as_numbers(row, 3, f"x, y, z of point {index}") for index, row in enumerate(rows))


def face_list(value: object) -> tuple[tuple[int, ...], ...]:
    """At least four faces of at least three whole numbers each."""
    rows = as_list(value)
    if not isinstance(rows, list | tuple):
        raise refuse(f"is {given(rows)}, must be a list of faces, each a list of vertex numbers.")
    if not 4 <= len(rows) <= FACE_LIMIT:
        raise refuse(f"has {len(rows)} faces; a polyhedron has 4 to {FACE_LIMIT}.")
    return tuple(_face(index, as_list(row)) for index, row in enumerate(rows))


def _face(index: int, row: object) -> tuple[int, ...]:
    if not isinstance(row, list | tuple) or len(row) < 3:
        raise refuse(f"has face {index} = {given(row)}; a face is a list of at least 3 vertex numbers.")
    corners = [
        corner for corner in map(as_list, row) if isinstance(corner, int) and not isinstance(corner, bool)
    ]
    if len(corners) != len(row):
        raise refuse(
            f"has face {index} = {given(row)}; vertex numbers are whole numbers, the first vertex is 0."
        )
    if len(set(corners)) != len(corners):
        raise refuse(f"has face {index} = {given(row)}, which visits a vertex twice.")
    return tuple(corners)


@functools.lru_cache(maxsize=256)  # a part is checked again whenever it becomes part of another one
def check_solid(vertices: Vertices, faces: Faces) -> None:
    """The faces must enclose a convex solid: closed, flat, and bulging everywhere."""
    check_closed(vertices, faces)
    planes = _planes(vertices, faces)
    check_flat(faces, planes)
    check_convex(faces, planes)


def check_closed(vertices: Vertices, faces: Faces) -> None:
    """Every edge must belong to two faces, which pass it in opposite directions."""
    owner: dict[tuple[int, int], int] = {}
    for index, face in enumerate(faces):
        for start, end in _edges(face):
            if not 0 <= start < len(vertices):
                last = len(vertices) - 1
                raise refuse(f"has face {index} = {given(face)}; vertex numbers run from 0 to {last}.")
            if (start, end) in owner:
                raise refuse(
                    f"has faces {owner[start, end]} and {index} that both pass from vertex {start} to "
                    f"vertex {end}; neighbours pass their edge in opposite directions.",
                    "One of the two is inside out: list its vertices backwards.",
                )
            owner[start, end] = index
    for (start, end), index in owner.items():
        if (end, start) not in owner:
            raise refuse(
                f"is not closed: the edge between vertices {start} and {end} belongs to face {index} only.",
                "Add the face on its other side.",
            )
    unused = sorted(set(range(len(vertices))) - {corner for face in faces for corner in face})
    if unused:
        raise refuse(f"never uses the vertices {given(unused)}.", "Remove them, or add their faces.")


def _edges(face: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(face, [*face[1:], face[0]], strict=True))


def _planes(vertices: Vertices, faces: Faces) -> Planes:
    """Corners about their middle in units of the polyhedron's size, normals, and heights of the planes."""
    points = np.array(vertices)
    points = points - points.mean(axis=0)
    size = float(np.abs(points).max())
    if size == 0.0:
        raise refuse("cannot be measured: its vertices all coincide.", "Lengths are in metres.")
    points = points / size
    normals = np.empty((len(faces), 3))
    for index, face in enumerate(faces):
        corners = points[list(face)]
        # Newell's normal: twice the vector area, independent of which corner comes first.
        area = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
        length = float(np.linalg.norm(area))
        if length < FLATNESS * FLATNESS:
            raise refuse(f"has face {index} = {given(face)} without any area.")
        normals[index] = area / length
    heights = np.array([points[list(face)].mean(axis=0) @ normals[index] for index, face in enumerate(faces)])
    return points, normals, heights


def check_flat(faces: Faces, planes: Planes) -> None:
    """All corners of a face must lie in one plane."""
    points, normals, heights = planes
    for index, face in enumerate(faces):
        off = float(np.abs(points[list(face)] @ normals[index] - heights[index]).max())
        if off > FLATNESS:
            raise refuse(
                f"has face {index} = {given(face)}, which is not flat: a corner lies {off:.2g} of the "
                f"polyhedron's size off its plane, at most {FLATNESS:g} is allowed.",
                "Split the face into triangles.",
            )


def check_convex(faces: Faces, planes: Planes) -> None:
    """The volume must be positive, and no corner may lie in front of any face."""
    points, normals, heights = planes
    scaled = tuple((float(x), float(y), float(z)) for x, y, z in points)
    volume = integrate.__wrapped__(scaled, faces)[0]  # not asked for again, so nothing is kept
    if abs(volume) < FLATNESS * FLATNESS:
        raise refuse("encloses no volume.")
    if volume < 0.0:
        raise refuse(
            "runs inside out.", "List the vertices of every face counter-clockwise as seen from outside."
        )
    for index, face in enumerate(faces):
        in_front = points @ normals[index] - heights[index]
        vertex = int(in_front.argmax())
        if in_front[vertex] > FLATNESS:
            raise refuse(
                f"is not convex: vertex {vertex} lies {float(in_front[vertex]):.2g} of the polyhedron's "
                f"size in front of face {index} = {given(face)}.",
                "Split the solid into convex shapes.",
            )


@functools.lru_cache(maxsize=256)
def integrate(vertices: Vertices, faces: Faces) -> tuple[float, Triple, Sym3]:
    """Volume [m³], centre [m] and central second moments ∫ x xᵀ dV (xx, xy, xz, yy, yz, zz) [m⁵].

    Each face is a fan of triangles (a, b, c), each triangle spans a tetrahedron with the corners' mean as
    apex, and with d = a · (b × c), s = a + b + c the tetrahedron contributes d/6 to ∫ 1, d s/24 to ∫ x and
    d (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/120 to ∫ x xᵀ.
    """
    middle = tuple(total(vertex[axis] for vertex in vertices) / len(vertices) for axis in range(3))
    corners = [subtract(vertex, (middle[0], middle[1], middle[2])) for vertex in vertices]
    volume, first, second = 0.0, [0.0] * 3, [0.0] * 6
    for face in faces:
        a = corners[face[0]]
        for i in range(1, len(face) - 1):
            b, c = corners[face[i]], corners[face[i + 1]]
            d = dot(a, cross(b, c))
            s = (a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2])
            volume += d / 6.0
            for axis in range(3):
                first[axis] += d * s[axis] / 24.0
            for entry, (j, k) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))):
                second[entry] += d * (a[j] * a[k] + b[j] * b[k] + c[j] * c[k] + s[j] * s[k]) / 120.0
    x, y, z = (moment / volume if volume != 0.0 else 0.0 for moment in first)
    xx, xy, xz, yy, yz, zz = second
    central = (
        xx - volume * (x * x), xy - volume * (x * y), xz - volume * (x * z),
        yy - volume * (y * y), yz - volume * (y * z), zz - volume * (z * z),
    )  # fmt: skip
    return volume, (middle[0] + x, middle[1] + y, middle[2] + z), central
