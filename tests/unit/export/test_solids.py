"""Shapes as the drawing code sees them: support points, distances, triangles agree with each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from golden.pictures import SOLIDS, row_of_solids, scene
from zoophyte.description import Frustum
from zoophyte.export.extent import reaches, rotations_of, support
from zoophyte.export.meshes import mesh_of
from zoophyte.export.picture.light import clearance, lines
from zoophyte.export.picture.solids import COLUMNS, FAR, PLANES_FROM, PLANES_TO, distance, meet, normal
from zoophyte.export.picture.stage import Moment, Theatre

BY_KIND = pytest.mark.parametrize("number", range(len(SOLIDS)), ids=[shape.kind for shape in SOLIDS])
SKETCH = np.zeros(32)
SKETCH[12:15] = (0.0, 0.0, 1.0)  # the sun stands overhead


def numbers_of(shape_number: int) -> tuple[Any, int, float, Any]:
    """The drawing data of one solid in the golden row, where it starts, its unit, and the place of its body."""
    theatre = Theatre(scene(row_of_solids()))
    solids = theatre.solids([Moment(0)], np.zeros(3))
    solids[:, [PLANES_FROM, PLANES_TO]] += 32 + solids.size
    data = np.concatenate([SKETCH, solids.ravel(), theatre._still[3].ravel()])
    return data, 32 + shape_number * COLUMNS, theatre.unit, theatre.scene.positions[0, shape_number]


def surface_points(number: int) -> tuple[Any, Any]:
    """Points of the solid's triangles and their normals, in the world."""
    shape = SOLIDS[number]
    mesh = mesh_of(shape)
    turn, scale = rotations_of(np.asarray(shape.rotation)), np.asarray(mesh.scale)
    normals = mesh.normals / scale
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return (mesh.points * scale) @ turn.T, normals @ turn.T


@BY_KIND
def test_distance_vanishes_on_the_surface_and_grows_outwards(number: int) -> None:
    data, start, unit, place = numbers_of(number)
    points, normals = surface_points(number)
    middle = points.mean(axis=0)
    # Points of the mesh lie on the curved surface; 1e-9 is rounding of numbers of order 1.
    for point, outward in zip(points, normals, strict=True):
        at, above, below = point, point + 0.02 * unit * outward, point + 0.05 * (middle - point)
        assert abs(distance(data, start, *(at + place) / unit)) < 1e-9
        assert 0.0 < distance(data, start, *(above + place) / unit) <= 0.02 + 1e-9
        assert distance(data, start, *(below + place) / unit) < 0.0


@BY_KIND
def test_distance_never_overshoots(number: int, rng: np.random.Generator) -> None:
    """A ray may step by it: it is at most the distance to any point of the solid."""
    data, start, unit, place = numbers_of(number)
    points = (surface_points(number)[0] + place) / unit
    for _ in range(60):
        at = place / unit + rng.normal(size=3)
        assert distance(data, start, *at) <= np.linalg.norm(points - at, axis=1).min() + 1e-12


@BY_KIND
def test_support_points_are_the_farthest(number: int, rng: np.random.Generator) -> None:
    shape = SOLIDS[number]
    points = surface_points(number)[0] @ rotations_of(np.asarray(shape.rotation))
    directions = rng.normal(size=(50, 3))
    farthest = np.sum(support(shape, directions) * directions, axis=1)
    on_mesh = (points @ directions.T).max(axis=0)
    # The mesh's corners lie on the solid; between them it falls short by 1 − cos(π/32), half a percent.
    assert np.all(farthest >= on_mesh - 1e-12)
    assert np.all(farthest <= on_mesh + 0.006 * np.linalg.norm(directions, axis=1))


@BY_KIND
def test_normals_point_outwards(number: int) -> None:
    """Oracle: in the middle of each triangle, the mean of its corners' normals; they differ by up to 11°."""
    data, start, unit, place = numbers_of(number)
    points, normals = surface_points(number)
    triangles = mesh_of(SOLIDS[number]).triangles
    for point, outward in zip(points[triangles].mean(axis=1), normals[triangles].mean(axis=1), strict=True):
        found = normal(data, start, *(point + place) / unit, 1e-4)
        assert np.linalg.norm(found) == pytest.approx(1.0, abs=1e-12)
        assert np.dot(found, outward / np.linalg.norm(outward)) > 0.995


@BY_KIND
def test_rays_end_on_the_surface(number: int) -> None:
    data, start, unit, place = numbers_of(number)
    eye = place / unit + np.array([3.0, 0.5, 0.4])
    target = place / unit + np.array([0.0, 0.0, 0.01])
    along = (target - eye) / np.linalg.norm(target - eye)
    pixel = 1e-3
    t, passing = meet(data, start, (*eye, *along), pixel, FAR)
    # A ray counts as having arrived within a sixth of a pixel.
    assert t < 4.0 and passing == 0.0
    assert abs(distance(data, start, *(eye + t * along))) <= 0.17 * pixel * t
    assert meet(data, start, (*eye, *-along), pixel, FAR) == (FAR, FAR)
    assert meet(data, start, (*eye, *along), pixel, 0.5 * t)[0] == FAR


def test_a_ball_covers_the_sun_as_geometry_says() -> None:
    data, start, unit, place = numbers_of(0)
    centre, radius = place / unit, 0.15 / unit
    for aside in (0.0, 0.8, 1.2, 1.6):
        height = 2.0
        point = centre + np.array([aside * radius, 0.0, -height])
        # Seen from below, the ball's rim passes the zenith at this angle (up to the square of small angles).
        expected = (aside - 1.0) * radius / height / 0.05
        found = clearance(data, start, *point)
        assert found == pytest.approx(max(expected, -1.0), abs=0.15)


def test_lines_of_the_grid_cover_their_share() -> None:
    """An interval of whole length sees every line once; a point sees all or nothing."""
    assert lines(0.37, 3.0, 0.1) == pytest.approx(0.1, abs=1e-12)
    assert lines(0.0, 1e-6, 0.1) == pytest.approx(1.0, abs=1e-9)
    assert lines(0.5, 1e-6, 0.1) == 0.0


@BY_KIND
def test_triangles_enclose_the_volume(number: int) -> None:
    """Σ a · (b × c)/6 over a closed surface; 32 corners around miss 0.64 %, 16 steps along 1 %."""
    shape = SOLIDS[number]
    mesh = mesh_of(shape)
    a, b, c = np.moveaxis((mesh.points * np.asarray(mesh.scale))[mesh.triangles], 1, 0)
    volume = np.sum(a * np.cross(b, c)) / 6.0
    assert volume == pytest.approx(shape.volume(), rel=0.02)
    faces = np.cross(b - a, c - a)
    corners = mesh.normals[mesh.triangles] / np.asarray(mesh.scale)
    assert np.all(np.einsum("ni,nki->nk", faces, corners) > 0.0)


def test_a_cone_with_a_tip_has_no_empty_triangles() -> None:
    mesh = mesh_of(Frustum(radius_start=0.2, radius_end=1e-9, length=1.0))
    assert np.all(np.isfinite(mesh.normals)) and len(mesh.triangles) > 0


def test_reaches_of_the_row_are_those_of_its_ends() -> None:
    found = reaches(scene(row_of_solids()), np.array([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]), np.array([0]))[0]
    assert found == pytest.approx([0.15, 7 * 0.42 + 0.13], abs=1e-12)
