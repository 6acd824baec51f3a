"""Meshes as convex polyhedra: the hull of their corners, whose mass properties are exact integrals."""

from __future__ import annotations

import importlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.description.reading import SIZE_LIMIT, file_error
from zoophyte.description.shapes import Polyhedron
from zoophyte.description.shapes.polyhedra import VERTEX_LIMIT
from zoophyte.errors import DescriptionError, MissingExtraError

Floats = NDArray[np.float64]

ENDINGS = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf", ".dae", ".3mf")
REASON_LENGTH = 160
NEEDED = {".dae": {"collada": "pycollada"}, ".3mf": {"networkx": "networkx", "lxml": "lxml"}}
"""Modules that trimesh wants for some formats, and the packages that bring them."""


def read_mesh(path: Path) -> Floats:
    """The corners of the triangles in a mesh file, shape (n, 3), in its own units.

    Args:
        path: of the file.

    Raises:
        FileError: when it cannot be read.
        MissingExtraError: without the package trimesh.
    """
    source, ending = os.fspath(path), path.suffix.lower()
    if ending not in ENDINGS:
        raise file_error(
            source, None, f"is no mesh file that can be read. Known endings: {', '.join(ENDINGS)}."
        )
    try:
        size = path.stat().st_size
    except OSError as failure:
        raise file_error(
            source, None, f"cannot be read: {(failure.strerror or str(failure)).lower()}."
        ) from None
    if size > SIZE_LIMIT:
        raise file_error(source, None, f"is larger than {SIZE_LIMIT // 2**20} MiB, the most that is read.")
    try:
        trimesh: Any = importlib.import_module("trimesh")
    except ImportError:
        raise MissingExtraError("trimesh", "mesh", "reading mesh files") from None
    missing = [package for module, package in NEEDED.get(ending, {}).items() if find_spec(module) is None]
    if missing:
        how = f"pip install {' '.join(missing)}, or save the mesh as .stl, .obj, .ply or .glb."
        raise file_error(source, None, f"needs {' and '.join(missing)} beside trimesh.", how)
    try:
        mesh: Any = trimesh.load(path, force="mesh", process=False)
        points = np.asarray(mesh.vertices, np.float64).reshape(-1, 3)
    except Exception as failure:  # a broken file makes trimesh raise almost anything
        words = " ".join((str(failure) or type(failure).__name__).split())[:REASON_LENGTH]
        if isinstance(
            failure, ImportError
        ):  # it guesses at other formats, for some of which it lacks packages
            words = "it is damaged, or of a kind that trimesh does not know by itself"
        raise file_error(source, None, f"holds no mesh that trimesh can read: {words}.") from None
    if not len(points) or not np.all(np.isfinite(points)):
        raise file_error(source, None, "holds no mesh, or one with corners that are not finite.")
    return points


def hull(points: Any, **fields: Any) -> Polyhedron:
    """The convex hull of points as a polyhedron.

    Args:
        points: shape (n, 3) [m].
        fields: of the shape, as `position`.

    Raises:
        DescriptionError: when the points enclose no volume, or their hull has too many corners.
    """
    from scipy.spatial import ConvexHull, QhullError

    corners = np.unique(np.asarray(points, np.float64).reshape(-1, 3), axis=0)
    if len(corners) < 4:
        raise DescriptionError(f"the mesh has {len(corners)} corners; a solid has at least 4.")
    try:
        found = ConvexHull(corners)
    except (QhullError, ValueError):
        raise DescriptionError("the mesh is flat: its convex hull encloses no volume.") from None
    used = np.sort(found.vertices)
    if len(used) > VERTEX_LIMIT:
        raise DescriptionError(
            f"the convex hull of the mesh has {len(used)} corners, at most {VERTEX_LIMIT} are allowed. Simplify the mesh."
        )
    number = {int(old): new for new, old in enumerate(used)}
    vertices = corners[used].tolist()
    triangles = [
        tuple(number[int(corner)] for corner in _outward(corners, triangle, plane[:3]))
        for triangle, plane in zip(found.simplices, found.equations, strict=True)
    ]
    polygons = _merged(corners[used], triangles, found.equations)
    try:
        return Polyhedron(vertices=vertices, faces=polygons, **fields)
    except DescriptionError:  # corners on the edges of others keep polygons from closing; triangles always do
        if len(polygons) == len(triangles):
            raise
        return Polyhedron(vertices=vertices, faces=triangles, **fields)


def _outward(corners: Floats, triangle: Any, normal: Floats) -> Any:
    a, b, c = corners[triangle]
    return triangle if np.cross(b - a, c - a) @ normal > 0.0 else triangle[::-1]


def _merged(corners: Floats, triangles: list[tuple[int, ...]], planes: Floats) -> list[tuple[int, ...]]:
    """Triangles of one plane (Qhull repeats its equation) as one polygon, counter-clockwise about the normal."""
    by_plane: dict[tuple[float, ...], set[int]] = {}
    for triangle, plane in zip(triangles, planes, strict=True):
        by_plane.setdefault(tuple(plane.tolist()), set()).update(triangle)
    polygons = []
    for plane, members in by_plane.items():
        rim = sorted(members)
        normal, middle = np.array(plane[:3]), corners[rim].mean(axis=0)
        x = corners[rim[0]] - middle
        y = np.cross(normal, x)
        arms = corners[rim] - middle
        angles = np.arctan2(arms @ y, arms @ x)
        polygons.append(tuple(rim[i] for i in np.argsort(angles, kind="stable")))
    return polygons
