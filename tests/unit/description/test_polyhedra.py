"""What is a convex polyhedron, and what is refused as none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from zoophyte.description import Body, Description, Polyhedron
from zoophyte.description.shapes.polyhedra import check_solid
from zoophyte.errors import DescriptionError

CUBE = [(x, y, z) for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)]
FACES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]


def refused(vertices: object, faces: object) -> str:
    with pytest.raises(DescriptionError) as caught:
        Polyhedron(vertices=vertices, faces=faces)
    return str(caught.value)


def test_a_cube_is_accepted() -> None:
    assert Polyhedron(vertices=CUBE, faces=FACES).volume() == pytest.approx(1.0, rel=1e-15)


def test_faces_may_be_split_into_triangles_in_one_plane() -> None:
    triangles = [half for a, b, c, d in FACES for half in [(a, b, c), (a, c, d)]]
    assert Polyhedron(vertices=CUBE, faces=triangles).volume() == pytest.approx(1.0, rel=1e-15)


def test_corners_rounded_to_seven_digits_are_flat_enough() -> None:
    """A turned cube whose corners a file gives with seven digits."""
    angle = 0.7
    turn = np.array(
        [[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]]
    )
    tilt = np.array(
        [[1, 0, 0], [0, math.cos(angle), -math.sin(angle)], [0, math.sin(angle), math.cos(angle)]]
    )
    vertices = np.round(np.array(CUBE) @ (turn @ tilt).T, 7)
    assert Polyhedron(vertices=vertices, faces=FACES).volume() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("vertices", "faces", "words"),
    [
        (CUBE, FACES[:-1], ["faces", "not closed", "belongs to face"]),
        (CUBE, [*FACES[:-1], (1, 5, 7, 3)], ["faces", "both pass from vertex", "backwards"]),
        (CUBE, [face[::-1] for face in FACES], ["inside out", "counter-clockwise"]),
        ([*CUBE, (0.5, 0.5, 0.5)], FACES, ["never uses the vertices [8]"]),
        (CUBE, [*FACES[:-1], (1, 3, 7, 8)], ["face 5", "run from 0 to 7"]),
        (CUBE, [*FACES[:-1], (1, 3, 7, -1)], ["face 5", "run from 0 to 7"]),
        (CUBE, [*FACES[:-1], (1, 3, 7, 7)], ["face 5", "twice"]),
        (CUBE, [*FACES[:-1], (1, 3)], ["face 5", "at least 3"]),
        (CUBE, [*FACES[:-1], (1, 3, 7, 5.0)], ["face 5", "whole numbers"]),
        (CUBE, FACES[:3], ["3 faces"]),
        (CUBE, "cube", ["'cube'", "list of faces"]),
        (CUBE[:3], FACES, ["vertices", "3 points"]),
        ([*CUBE[:-1], (1, 1)], FACES, ["vertices", "point 7"]),
        ([*CUBE[:-1], (1, 1, math.nan)], FACES, ["vertices", "point 7", "finite"]),
        ([*CUBE[:-1], (1, 1, 1.2)], FACES, ["not flat", "triangles"]),
        ([(x, y, 0.0) for x, y, _ in CUBE], FACES, ["without any area"]),
        (
            [(x * 1e200, y * 1e200, z * 1e200) for x, y, z in CUBE],
            FACES,
            ["entry 1 must be a number from -1e+18 to 1e+18"],
        ),
        ([(0.0, 0.0, 0.0)] * 8, FACES, ["coincide"]),
        (
            [(x * 1.7e308 - 1e308, y, z) for x, y, z in CUBE],
            FACES,
            ["entry 1 must be a number from -1e+18 to 1e+18"],
        ),
    ],
)
def test_what_is_no_convex_solid(vertices: object, faces: object, words: list[str]) -> None:
    message = refused(vertices, faces)
    for word in words:
        assert word in message


def test_a_dent_is_not_convex() -> None:
    """A pyramid pushed into its own base: an octahedron with one corner moved through the centre."""
    vertices = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, 0.5)]
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    message = refused(vertices, faces)
    assert "not convex" in message
    assert "Split the solid" in message


def test_two_separate_solids_are_not_convex() -> None:
    both = [*CUBE, *[(x + 3, y, z) for x, y, z in CUBE]]
    assert "not convex" in refused(both, [*FACES, *[tuple(i + 8 for i in face) for face in FACES]])


def test_a_polyhedron_without_volume() -> None:
    """Two triangles back to back, each split at its middle, so that there are faces enough."""
    vertices = [(0, 0, 0), (3, 0, 0), (0, 3, 0), (1, 1, 0), (1.2, 1, 0)]
    front = [(0, 1, 3), (1, 2, 3), (2, 0, 3)]
    back = [(1, 0, 4), (2, 1, 4), (0, 2, 4)]
    assert "no volume" in refused(vertices, front + back)


def test_sizes_are_limited() -> None:
    assert "4 to 4096" in refused([(0.0, 0.0, float(i)) for i in range(5000)], FACES)
    assert "4 to 8192" in refused(CUBE, FACES * 2000)


def test_a_solid_is_checked_once_however_often_it_is_put_together() -> None:
    shape = Polyhedron(vertices=CUBE, faces=FACES)
    misses = check_solid.cache_info().misses
    body = Body(name="a", shapes=[shape, shape])
    Description(name="d", bodies=[body]).checked()
    assert check_solid.cache_info().misses == misses
    body.shapes[0].vertices = (*shape.vertices[:-1], (1.0, 1.0, 1.2))
    for _ in range(2):  # what was refused is refused again
        with pytest.raises(DescriptionError, match="not flat"):
            Description(name="d", bodies=[body])
