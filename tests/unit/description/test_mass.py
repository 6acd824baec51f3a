"""Mass properties: turning, moving, adding, and what no body can have."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zoophyte.description import (
    Box,
    MassProperties,
    combined,
    compact_inertia,
    inertia_about,
    placed,
    principal_moments,
)
from zoophyte.errors import DescriptionError

lengths = st.floats(0.05, 2.0)
coordinates = st.floats(-3.0, 3.0)
points = st.tuples(coordinates, coordinates, coordinates)


@st.composite
def quaternions(draw: st.DrawFn) -> tuple[float, float, float, float]:
    numbers = draw(st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: math.hypot(*q) > 0.1))
    w, x, y, z = (number / math.hypot(*numbers) for number in numbers)
    return (w, x, y, z)


@st.composite
def bodies(draw: st.DrawFn) -> MassProperties:
    size = draw(st.tuples(lengths, lengths, lengths))
    return Box(size=size, position=draw(points), rotation=draw(quaternions())).mass_properties()


def rotation_matrix(q: tuple[float, float, float, float]) -> np.ndarray:
    """Rodrigues' formula in the quaternion's vector part, not the product form that the library uses."""
    w, v = q[0], np.array(q[1:])
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def close(a: MassProperties, b: MassProperties, tolerance: float = 1e-12) -> bool:
    """Equal relative to the largest inertia in play, that about the frame's origin."""
    scale = max(np.abs(inertia_about(a, (0, 0, 0))).max(), np.abs(inertia_about(b, (0, 0, 0))).max())
    return (
        math.isclose(a.mass, b.mass, rel_tol=tolerance)
        and np.allclose(a.com, b.com, rtol=0, atol=tolerance * 10)
        and np.allclose(a.inertia, b.inertia, rtol=0, atol=tolerance * scale)
    )


@given(body=bodies(), position=points, rotation=quaternions())
def test_turning_and_moving(body: MassProperties, position: tuple, rotation: tuple) -> None:
    """I′ = R I Rᵀ and c′ = R c + p with Rodrigues' matrix; tolerance: rounding of a few dozen operations."""
    moved, R = placed(body, position, rotation), rotation_matrix(rotation)
    expected = R @ np.array(body.inertia) @ R.T
    assert moved.mass == body.mass
    assert np.allclose(moved.com, R @ np.array(body.com) + position, rtol=0, atol=1e-13)
    assert np.allclose(moved.inertia, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


@given(pieces=st.lists(bodies(), min_size=1, max_size=4), position=points, rotation=quaternions())
def test_combining_commutes_with_placing(pieces: list, position: tuple, rotation: tuple) -> None:
    """Welding and then moving is moving and then welding."""
    whole = placed(combined(pieces), position, rotation)
    assert close(whole, combined(placed(piece, position, rotation) for piece in pieces))


@given(pieces=st.lists(bodies(), min_size=2, max_size=4), point=points)
def test_inertias_about_a_common_point_add(pieces: list, point: tuple) -> None:
    """About one fixed point inertias are integrals over all matter, so they add without any shift."""
    expected = sum(np.array(inertia_about(piece, point)) for piece in pieces)
    found = np.array(inertia_about(combined(pieces), point))
    assert np.allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@given(body=bodies(), point=points)
def test_no_point_has_less_inertia_than_the_centre(body: MassProperties, point: tuple) -> None:
    """Steiner: the difference to the central inertia is m(|d|² 1 − d dᵀ), of trace 2 m |d|²."""
    difference = np.array(inertia_about(body, point)) - np.array(body.inertia)
    offset = np.array(body.com) - point
    assert np.trace(difference) == pytest.approx(2 * body.mass * offset @ offset, rel=1e-9, abs=1e-9)
    assert np.allclose(difference @ offset, 0.0, atol=1e-9 * max(1.0, body.mass))


def test_two_points_are_a_dumbbell() -> None:
    """Two points of masses m and 3m at distance d: reduced mass ¾m, inertia ¾m d² across, none along."""
    ends = [MassProperties(mass=1.0, com=(0, 0, 0)), MassProperties(mass=3.0, com=(0, 0, 2))]
    whole = combined(ends)
    assert whole.mass == 4.0
    assert whole.com == (0.0, 0.0, 1.5)
    assert whole.inertia == ((3.0, 0.0, 0.0), (0.0, 3.0, 0.0), (0.0, 0.0, 0.0))


def test_nothing_combined_is_nothing() -> None:
    assert combined([]).mass == 0.0
    assert combined([MassProperties(mass=0.0, com=(1, 2, 3))]).com == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "inertia",
    [
        [1.0, 2.0, 2.5],
        [1.0, 0.0, 0.0, 2.0, 0.0, 2.5],
        [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.5]],
        np.diag([1.0, 2.0, 2.5]),
    ],
)
def test_ways_to_write_an_inertia(inertia: object) -> None:
    properties = MassProperties(mass=1, inertia=inertia)
    assert properties.inertia == ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5))
    assert compact_inertia(properties.inertia) == (1.0, 2.0, 2.5)


def test_six_numbers_are_xx_xy_xz_yy_yz_zz() -> None:
    matrix = MassProperties(mass=1, inertia=[10, 1, 2, 11, 3, 12]).inertia
    assert matrix == ((10.0, 1.0, 2.0), (1.0, 11.0, 3.0), (2.0, 3.0, 12.0))
    assert compact_inertia(matrix) == (10.0, 1.0, 2.0, 11.0, 3.0, 12.0)


def test_principal_moments_rise() -> None:
    assert principal_moments(((3.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 2.0))) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    "inertia", [[1, 1, 2], [1, 1, 0], [0, 0, 0], [1e18, 1e18, 1e18], [1e-300, 1e-300, 0]]
)
def test_borders_of_what_a_body_can_have(inertia: list) -> None:
    """A plate (equality in the triangle), a rod (one moment zero), a point, and extreme scales."""
    assert MassProperties(mass=1, inertia=inertia).inertia[0][0] == inertia[0]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"mass": -1}, ["mass", "-1", "0 or more"]),
        ({"mass": math.nan}, ["mass", "nan", "finite"]),
        ({"mass": math.inf}, ["mass", "inf", "finite"]),
        ({"mass": True}, ["mass", "true", "number"]),
        ({"mass": "2"}, ["mass", "'2'", "without quotes"]),
        ({"mass": 10**400}, ["mass", "many digits"]),
        ({}, ["mass", "missing"]),
        ({"mass": 1, "com": (1, 2)}, ["com", "2 entries", "must have 3"]),
        ({"mass": 1, "com": (1, math.nan, 0)}, ["com", "entry 2", "finite"]),
        ({"mass": 1, "com": 5}, ["com", "list of 3 numbers"]),
        ({"mass": 1, "inertia": [1, 1, 2.1]}, ["inertia", "exceeds the sum", "1, 1, 2.1"]),
        ({"mass": 1, "inertia": [1, 1, -1]}, ["inertia", "negative", "-1"]),
        ({"mass": 1, "inertia": [-1, -1, -1]}, ["inertia", "negative"]),
        ({"mass": 1, "inertia": [1, 5, 0, 1, 0, 1]}, ["inertia", "-4", "negative"]),
        ({"mass": 1, "inertia": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, ["inertia", "symmetric", "[0][1]"]),
        ({"mass": 1, "inertia": [1, 2]}, ["inertia", "3 numbers", "6 numbers", "3×3"]),
        ({"mass": 1, "inertia": "heavy"}, ["inertia", "'heavy'"]),
        ({"mass": 0, "inertia": [1, 1, 1]}, ["inertia", "mass is 0", "armature"]),
        ({"mass": 1, "centre": (0, 0, 0)}, ["centre", "not a known key", "Known keys: mass, com, inertia"]),
    ],
)
def test_impossible_mass_properties_are_refused(fields: dict, words: list[str]) -> None:
    with pytest.raises(DescriptionError) as caught:
        MassProperties(**fields)
    assert len(caught.value.problems) == 1
    for word in words:
        assert word in str(caught.value)
