"""Shapes: volumes, centres and inertias against closed forms, integrals and reference numbers."""

from __future__ import annotations

import json
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zoophyte.description import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Frustum,
    MassProperties,
    Polyhedron,
    Solid,
    Sphere,
    TaperedCapsule,
    inertia_about,
    principal_moments,
)
from zoophyte.errors import DescriptionError

CUBE_FACES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
TETRAHEDRON = {
    "vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "faces": [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
}


def corners(size: tuple[float, float, float]) -> list[tuple[float, float, float]]:
    x, y, z = (length / 2 for length in size)
    return [(a, b, c) for c in (-z, z) for b in (-y, y) for a in (-x, x)]


def octasphere(level: int) -> Polyhedron:
    """An octahedron whose triangles are split into four `level` times, all corners on the unit sphere."""
    points = [(1.0, 0, 0), (-1.0, 0, 0), (0, 1.0, 0), (0, -1.0, 0), (0, 0, 1.0), (0, 0, -1.0)]
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    for _ in range(level):
        middles: dict[tuple[int, int], int] = {}

        def middle(a: int, b: int, middles: dict = middles) -> int:
            key = (min(a, b), max(a, b))
            if key not in middles:
                half = np.add(points[a], points[b])
                middles[key] = len(points)
                points.append(tuple((half / np.linalg.norm(half)).tolist()))
            return middles[key]

        faces = [
            triangle
            for a, b, c in faces
            for ab, bc, ca in [(middle(a, b), middle(b, c), middle(c, a))]
            for triangle in [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        ]
    return Polyhedron(vertices=points, faces=faces)


ONE_OF_EACH = [
    Sphere(radius=0.3),
    Box(size=(0.2, 0.3, 0.5)),
    Capsule(radius=0.1, length=0.4),
    Cylinder(radius=0.1, length=0.4),
    Ellipsoid(semi_axes=(0.1, 0.2, 0.4)),
    Frustum(radius_start=0.03, radius_end=0.01, length=0.2),
    TaperedCapsule(radius_start=0.03, radius_end=0.1, length=0.2),
    Polyhedron(**TETRAHEDRON),
]


def discs(shape: Solid) -> MassProperties:
    """Mass properties of a body of revolution about z, by Gauss–Legendre quadrature over thin discs.

    A disc of radius r has mass ρπr²dz, inertia ½m r² along and ¼m r² across.  Its r² is a polynomial of
    degree two in each smooth piece, so ten nodes are exact.
    """
    if isinstance(shape, Capsule):
        r, h = shape.radius, shape.length / 2
        pieces = [
            (-h - r, -h, lambda z: r * r - (z + h) ** 2),
            (-h, h, lambda z: r * r),
            (h, h + r, lambda z: r * r - (z - h) ** 2),
        ]
    elif isinstance(shape, Cylinder):
        pieces = [(-shape.length / 2, shape.length / 2, lambda z: shape.radius**2)]
    elif isinstance(shape, Frustum):
        a, b, L = shape.radius_start, shape.radius_end, shape.length
        pieces = [(0.0, L, lambda z: (a + (b - a) * z / L) ** 2)]
    elif isinstance(shape, TaperedCapsule):
        a, b, L = shape.radius_start, shape.radius_end, shape.length
        # Where the profile changes from ball to cone and back.
        low, high = a * (a - b) / L, L + b * (a - b) / L

        def swept(z: float) -> float:
            """Largest (a + (b − a) t)² − (z − t L)² over 0 ≤ t ≤ 1: the hull is all balls between the two."""
            t = min(max((z * L + a * (b - a)) / (L * L - (b - a) ** 2), 0.0), 1.0)
            return (a + (b - a) * t) ** 2 - (z - t * L) ** 2

        pieces = [(-a, low, swept), (low, high, swept), (high, L + b, swept)]
    else:
        pieces = [(-shape.radius, shape.radius, lambda z: shape.radius**2 - z * z)]
    nodes, weights = np.polynomial.legendre.leggauss(10)
    moments = np.zeros(5)
    for low, high, radius_squared in pieces:
        for node, weight in zip(nodes, weights, strict=True):
            z = (low + high) / 2 + (high - low) / 2 * node
            s = radius_squared(z)
            m = shape.density * math.pi * s * weight * (high - low) / 2
            moments += m * np.array([1.0, z, s / 2, s / 4, z * z])
    mass, first, along, across, second = moments
    centre = first / mass
    across += second - mass * centre**2
    return MassProperties(mass=mass, com=(0, 0, centre), inertia=(across, across, along))


@pytest.mark.parametrize(
    "shape",
    [
        Sphere(radius=0.3),
        Capsule(radius=0.1, length=0.4),
        Capsule(radius=0.5, length=0.01),
        Cylinder(radius=0.1, length=0.4, density=300.0),
        Frustum(radius_start=0.03, radius_end=0.01, length=0.2),
        Frustum(radius_start=0.0, radius_end=0.1, length=0.2),
        Frustum(radius_start=0.1, radius_end=0.0, length=0.02),
        TaperedCapsule(radius_start=0.03, radius_end=0.1, length=0.2),
        TaperedCapsule(radius_start=0.1, radius_end=0.03, length=0.5, density=300.0),
        TaperedCapsule(radius_start=0.1, radius_end=0.9, length=0.801),
        TaperedCapsule(radius_start=0.9, radius_end=0.1, length=0.801),
        TaperedCapsule(radius_start=0.1, radius_end=0.1, length=0.01),
    ],
    ids=lambda shape: f"{shape.kind}",
)
def test_round_shapes_are_stacks_of_discs(shape: Solid) -> None:
    """Closed forms against a quadrature that is exact here; tolerance: rounding of thirty terms."""
    found, expected = shape.mass_properties(), discs(shape)
    assert found.mass == pytest.approx(expected.mass, rel=1e-13)
    assert found.com == pytest.approx(expected.com, rel=1e-12, abs=1e-16)
    assert np.allclose(found.inertia, expected.inertia, rtol=1e-12, atol=1e-12 * np.max(expected.inertia))


def test_box_by_hand() -> None:
    """2 × 3 × 6 m at 2 kg/m³: 72 kg and 72/12·(45, 40, 13) kg·m²."""
    found = Box(size=(2, 3, 6), density=2.0).mass_properties()
    assert found == MassProperties(mass=72.0, inertia=(270.0, 240.0, 78.0))


def test_ellipsoid_with_equal_axes_is_a_sphere() -> None:
    ellipsoid = Ellipsoid(semi_axes=(0.3, 0.3, 0.3)).mass_properties()
    sphere = Sphere(radius=0.3).mass_properties()
    assert ellipsoid.mass == pytest.approx(sphere.mass, rel=1e-15)
    assert np.allclose(ellipsoid.inertia, sphere.inertia, rtol=1e-14)


def test_frustum_with_equal_radii_is_a_cylinder() -> None:
    frustum = Frustum(radius_start=0.1, radius_end=0.1, length=0.4).mass_properties()
    cylinder = Cylinder(radius=0.1, length=0.4, position=(0, 0, 0.2)).mass_properties()
    assert frustum.mass == pytest.approx(cylinder.mass, rel=1e-14)
    assert frustum.com == pytest.approx(cylinder.com, rel=1e-14)
    assert np.allclose(frustum.inertia, cylinder.inertia, rtol=1e-14)


@pytest.mark.parametrize("length", [1e-6, 0.1, 20.0])
def test_tapered_capsule_with_equal_radii_is_a_capsule(length: float) -> None:
    tapered = TaperedCapsule(radius_start=0.1, radius_end=0.1, length=length).mass_properties()
    capsule = Capsule(radius=0.1, length=length, position=(0, 0, length / 2)).mass_properties()
    assert tapered.mass == pytest.approx(capsule.mass, rel=1e-14)
    assert tapered.com == pytest.approx(capsule.com, rel=1e-13, abs=1e-16)  # the caps' centres cancel
    assert np.allclose(tapered.inertia, capsule.inertia, rtol=1e-13)


def test_tapered_capsule_turned_round_is_the_same() -> None:
    there = TaperedCapsule(radius_start=0.2, radius_end=0.07, length=0.3).mass_properties()
    back = TaperedCapsule(
        radius_start=0.07, radius_end=0.2, length=0.3, position=(0, 0, 0.3), rotation=(0, 1, 0, 0)
    ).mass_properties()
    assert there.mass == pytest.approx(back.mass, rel=1e-14)
    assert there.com == pytest.approx(back.com, rel=1e-13)
    assert np.allclose(there.inertia, back.inertia, rtol=1e-13, atol=1e-16)


def test_tapered_capsule_becomes_the_ball_that_swallows_the_other() -> None:
    """At L = a − b the smaller ball touches the larger one from inside. Tolerance: the cap of height 1e-9 a outside."""
    tapered = TaperedCapsule(radius_start=0.5, radius_end=0.1, length=0.4 * (1 + 1e-9)).mass_properties()
    ball = Sphere(radius=0.5).mass_properties()
    assert tapered.mass == pytest.approx(ball.mass, rel=1e-9)
    assert np.allclose(tapered.inertia, ball.inertia, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    ("frustum", "mass", "centre", "across", "along"),
    [
        ((0.030, 0.022, 0.20), "0.4280943589", "0.089823874755", "0.001466774214", "0.000150375223"),
        ((0.022, 0.012, 0.22), "0.2055020474", "0.089035874439", "7.740752639e-4", "3.389954402e-5"),
    ],
    ids=["upper", "lower"],
)
def test_legs_of_arnolds_reference_creature(
    frustum: tuple, mass: str, centre: str, across: str, along: str
) -> None:
    """REF4, density 1000 kg/m³; tolerance: half a unit of the last digit that the table prints."""
    start, end, length = frustum
    found = Frustum(radius_start=start, radius_end=end, length=length).mass_properties()
    assert as_printed(found.mass, mass)
    assert as_printed(found.com[2], centre)
    assert as_printed(found.inertia[0][0], across)
    assert as_printed(found.inertia[1][1], across)
    assert as_printed(found.inertia[2][2], along)


def as_printed(number: float, text: str) -> bool:
    """Whether a number rounds to the printed one."""
    exact = Decimal(text)
    half_unit = Decimal((0, (5,), int(exact.as_tuple().exponent) - 1))
    return abs(Decimal(number) - exact) <= half_unit


def test_trunk_of_arnolds_reference_creature() -> None:
    """REF4: semi-axes (0.25, 0.08, 0.12) m; tolerance: half a unit of the last digit printed."""
    found = Ellipsoid(semi_axes=(0.25, 0.08, 0.12)).mass_properties()
    assert as_printed(found.mass, "10.0530964915")
    for axis, text in enumerate(["0.041820881405", "0.154616624039", "0.138531669653"]):
        assert as_printed(found.inertia[axis][axis], text)


def test_fontijnes_cube() -> None:
    """FON-C4: unit cube at (1, 2, 3), density 2.

    About the origin ∫(y² + z²) = 2·(4 + 1/12 + 9 + 1/12) = 26.3333; the printed product of inertia 4 is ∫xy,
    the negative of the matrix entry.
    """
    found = Polyhedron(
        vertices=corners((1, 1, 1)), faces=CUBE_FACES, position=(1, 2, 3), density=2.0
    ).mass_properties()
    about_origin = inertia_about(found, (0, 0, 0))
    assert found.mass == pytest.approx(2.0, rel=1e-15)
    assert found.com == pytest.approx((1.0, 2.0, 3.0), rel=1e-15)
    assert about_origin[0][0] == pytest.approx(79 / 3, rel=1e-14)
    assert about_origin[0][1] == pytest.approx(-4.0, rel=1e-14)
    assert np.allclose(found.inertia, np.eye(3) / 3, rtol=0, atol=1e-15)


def test_fontijnes_tetrahedron() -> None:
    """FON-C4: mass 1/6, centre (1/4, 1/4, 1/4), principal moments 1/96, 1/96 and 1/60 along (1, 1, 1)."""
    found = Polyhedron(**TETRAHEDRON, density=1.0).mass_properties()
    assert found.mass == pytest.approx(1 / 6, rel=1e-15)
    assert found.com == pytest.approx((0.25, 0.25, 0.25), rel=1e-15)
    moments = sorted([1 / 60, 1 / 96, 1 / 96])
    assert principal_moments(found.inertia) == pytest.approx(moments, rel=1e-14)
    assert np.array(found.inertia) @ np.ones(3) == pytest.approx(np.ones(3) / 60, rel=1e-14)


@given(size=st.tuples(*[st.floats(0.01, 10.0)] * 3), shift=st.tuples(*[st.floats(-1, 1)] * 3))
def test_a_box_as_polyhedron_is_a_box(size: tuple, shift: tuple) -> None:
    """The integrals are exact, so only rounding remains; the shift of the corners costs some."""
    vertices = (np.array(corners(size)) + shift).tolist()
    found = Polyhedron(vertices=vertices, faces=CUBE_FACES).mass_properties()
    expected = Box(size=size, position=shift).mass_properties()
    rounding = 1e-14 * (1.0 + max(map(abs, shift)) / min(size))
    assert found.mass == pytest.approx(expected.mass, rel=rounding)
    assert found.com == pytest.approx(expected.com, rel=0, abs=1e-14 * (max(size) + 1.0))
    assert np.allclose(found.inertia, expected.inertia, rtol=0, atol=rounding * np.max(expected.inertia))


def test_a_centred_box_as_polyhedron_is_a_box_to_rounding() -> None:
    found = Polyhedron(vertices=corners((0.2, 0.3, 0.5)), faces=CUBE_FACES).mass_properties()
    expected = Box(size=(0.2, 0.3, 0.5)).mass_properties()
    assert found.mass == pytest.approx(expected.mass, rel=1e-14)
    assert np.allclose(found.inertia, expected.inertia, rtol=1e-14, atol=1e-14 * np.max(expected.inertia))


def test_polyhedra_converge_to_the_sphere() -> None:
    """A chord's error falls with the square of its length: each halving divides what is missing by four.

    Tolerance: the next term of the error is smaller by the square of the length again, so the ratio itself is
    off by a tenth at first and by a quarter of that after the next halving.
    """
    sphere = Sphere(radius=1.0).mass_properties()
    found = [octasphere(level).mass_properties() for level in (2, 3, 4)]
    missing = [1.0 - body.mass / sphere.mass for body in found]
    stiffness = [1.0 - principal_moments(body.inertia)[1] / sphere.inertia[0][0] for body in found]
    for errors in (missing, stiffness):
        assert errors[2] > 0.0
        assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
        assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.03)


@pytest.mark.parametrize("shape", ONE_OF_EACH, ids=lambda shape: shape.kind)
@pytest.mark.parametrize("scale", [1e-3, 0.5, 7.0])
def test_scaling(shape: Solid, scale: float) -> None:
    """Mass grows with s³ and inertia with s⁵ when every length grows with s."""
    lengths = {"radius", "length", "size", "semi_axes", "radius_start", "radius_end", "vertices"}
    fields = {
        name: (np.array(value) * scale).tolist() if name in lengths else value
        for name, value in shape.model_dump().items()
    }
    small, large = shape.mass_properties(), type(shape)(**fields).mass_properties()
    assert large.mass == pytest.approx(small.mass * scale**3, rel=1e-13)
    assert np.allclose(large.com, np.array(small.com) * scale, rtol=1e-13)
    assert np.allclose(
        large.inertia, np.array(small.inertia) * scale**5, rtol=1e-12, atol=1e-13 * np.max(large.inertia)
    )


@pytest.mark.parametrize("shape", ONE_OF_EACH, ids=lambda shape: shape.kind)
def test_mass_is_density_times_volume(shape: Solid) -> None:
    assert shape.mass_properties().mass == shape.mass() == shape.density * shape.volume()
    weightless = type(shape)(**{**shape.model_dump(), "density": 0.0})
    assert weightless.mass_properties().mass == 0.0
    assert not np.any(weightless.mass_properties().inertia)


@pytest.mark.parametrize("shape", ONE_OF_EACH, ids=lambda shape: shape.kind)
def test_every_shape_passes_the_check_of_given_masses(shape: Solid) -> None:
    """What a formula gives is what a user may give."""
    found = shape.mass_properties()
    assert MassProperties(mass=found.mass, com=found.com, inertia=found.inertia) == found


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Sphere(radius=0), ["radius", "0", "greater than 0"]),
        (lambda: Sphere(radius=-1), ["radius", "-1"]),
        (lambda: Sphere(radius=math.nan), ["radius", "nan"]),
        (lambda: Sphere(), ["radius", "missing", "Radius [m]"]),
        (lambda: Sphere(radius=1e150), ["radius: is 1e+150, must be 1e+18 or less"]),
        (lambda: Sphere(radius=1, density=-1), ["density", "0 or more"]),
        (lambda: Sphere(radius=1, colour=(1, 2, 0)), ["colour", "between 0 and 1"]),
        (lambda: Sphere(radius=1, rotation=(0, 0, 0, 0)), ["rotation", "length 0", "within 1e-6"]),
        (lambda: Sphere(radius=1, rotation=(1, 1e-2, 0, 0)), ["rotation", "1.00005", "Divide it"]),
        (lambda: Sphere(radius=1, raduis=1), ["raduis", "Did you mean 'radius'?"]),
        (lambda: Sphere(radius=1, name="a\nb"), ["name", "printable"]),
        (lambda: Box(size=(1, 0, 1)), ["size", "greater than 0"]),
        (lambda: Box(size=(1, 1)), ["size", "2 entries"]),
        (lambda: Frustum(radius_start=0, radius_end=0, length=1), ["radius_end", "radius_start is 0 too"]),
        (lambda: Ellipsoid(semi_axes=(1, -1, 1)), ["semi_axes"]),
        (
            lambda: TaperedCapsule(radius_start=0.5, radius_end=0.1, length=0.4),
            ["length: is 0.4", "0.5 and 0.1 differ by 0.4", "radius_start contains that of radius_end"],
        ),
        (
            lambda: TaperedCapsule(radius_start=0.1, radius_end=3, length=1),
            ["length: is 1", "radius_end contains that of radius_start"],
        ),
        (lambda: TaperedCapsule(radius_start=0, radius_end=1, length=2), ["radius_start", "greater than 0"]),
        (
            lambda: TaperedCapsule(radius_start=1, radius_end=1e150, length=1),
            ["is 1e+150, must be 1e+18 or less"],
        ),
    ],
)
def test_impossible_shapes_are_refused(make, words: list[str]) -> None:
    with pytest.raises(DescriptionError) as caught:
        make()
    for word in words:
        assert word in str(caught.value)


def test_a_speck_weighs_nothing_but_is_no_failure() -> None:
    assert Sphere(radius=1e-200).mass() == 0.0
    assert TaperedCapsule(radius_start=1e-200, radius_end=2e-200, length=1.0).mass() == 0.0
    tiny = (np.array(TETRAHEDRON["vertices"]) * 1e-150).tolist()
    assert Polyhedron(vertices=tiny, faces=TETRAHEDRON["faces"]).mass_properties().mass == 0.0


def test_numpy_values_are_taken() -> None:
    box = Box(size=np.array([1, 2, 3], dtype=np.float32), density=np.float32(2), position=np.zeros(3))
    assert box.size == (1.0, 2.0, 3.0)
    assert type(box.density) is float
    assert json.dumps(box.model_dump())
