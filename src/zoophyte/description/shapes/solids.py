"""Sphere, box, capsules, cylinder, ellipsoid, frustum and convex polyhedron, with exact mass properties."""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from zoophyte.algebra.rotations import Sym3
from zoophyte.description.mass import MassProperties, mass_properties, moved
from zoophyte.description.part import Part
from zoophyte.description.problems import given, refuse
from zoophyte.description.shapes.colours import Colour
from zoophyte.description.shapes.polyhedra import (
    check_solid,
    face_list,
    integrate,
    vertex_list,
)
from zoophyte.description.shapes.rounded import Piece, two_balls
from zoophyte.description.surface import Surface
from zoophyte.description.values import (
    Label,
    NonNegative,
    Positive,
    Quaternion,
    Triple,
    Truth,
    Vector,
    as_numbers,
)

ORIGIN: Triple = (0.0, 0.0, 0.0)
NOTHING: Sym3 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _lengths(value: object) -> tuple[float, ...]:
    numbers = as_numbers(value, 3, "x, y, z")
    if not all(number > 0.0 for number in numbers):
        raise refuse(f"is {given(numbers)}; all three lengths must be greater than 0.")
    return numbers


Lengths: TypeAlias = Annotated[Triple, BeforeValidator(_lengths)]


class Solid(Part):
    """What all shapes share: a place on the body, a density and a look."""

    name: Label = ""
    """What to call the shape."""
    position: Vector = ORIGIN
    """Of the shape's frame in the body frame [m]."""
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    """Of the shape's frame in the body frame, unit quaternion (w, x, y, z)."""
    density: NonNegative = 1000.0
    """Density [kg/m³]; 0 for a shape that only collides and shows."""
    colour: Colour = None
    """Red, green, blue from 0 to 1, or a name of CSS such as teal, or #rrggbb."""
    contact: Truth = True
    """Whether the shape touches others, given that it or its description has a surface."""
    surface: Surface | None = None
    """How it touches, where that differs from the description's surface."""

    def volume(self) -> float:
        """Volume [m³]."""
        raise NotImplementedError

    def moments(self, mass: float) -> tuple[Triple, Sym3]:
        """Centre of mass and central inertia of a homogeneous body of this shape, in the shape's frame.

        Args:
            mass: of the body [kg].
        """
        raise NotImplementedError

    def mass(self) -> float:
        """Mass [kg]."""
        return self.density * self.volume()

    def matter(self) -> tuple[float, Triple, Sym3]:
        """Mass, centre of mass and central inertia (xx, xy, xz, yy, yz, zz) in the shape's frame; zeros without mass."""
        mass = self.mass()
        return (mass, *self.moments(mass)) if mass > 0.0 else (0.0, ORIGIN, NOTHING)

    def mass_properties(self) -> MassProperties:
        """Mass properties in the body frame."""
        mass = self.mass()
        return mass_properties(mass, *moved(*self.moments(mass), self.position, self.rotation))


def _diagonal(xx: float, yy: float, zz: float) -> tuple[Triple, Sym3]:
    return ORIGIN, (xx, 0.0, 0.0, yy, 0.0, zz)


class Sphere(Solid):
    """A ball about the local origin."""

    kind: Literal["sphere"] = "sphere"
    radius: Positive
    """Radius [m]."""

    def volume(self) -> float:
        """4π r³/3 [m³]."""
        return 4.0 / 3.0 * math.pi * self.radius * self.radius * self.radius

    def moments(self, mass: float) -> tuple[Triple, Sym3]:
        """2 m r²/5 about every axis."""
        central = 0.4 * mass * self.radius * self.radius
        return _diagonal(central, central, central)


class Box(Solid):
    """A cuboid about the local origin."""

    kind: Literal["box"] = "box"
    size: Lengths
    """Full lengths along x, y, z [m]."""

    def volume(self) -> float:
        """x y z [m³]."""
        x, y, z = self.size
        return x * y * z

    def moments(self, mass: float) -> tuple[Triple, Sym3]:
        """m (y² + z²)/12 about x, and so on."""
        x, y, z = self.size
        m = mass / 12.0
        return _diagonal(m * (y * y + z * z), m * (x * x + z * z), m * (x * x + y * y))


class Capsule(Solid):
    """A cylinder along the local z axis with a half ball on each end, centred."""

    kind: Literal["capsule"] = "capsule"
    radius: Positive
    """Radius [m]."""
    length: Positive
    """Length of the cylindrical part, without the ends [m]."""

    def volume(self) -> float:
        """π r² (L + 4r/3) [m³]."""
        return math.pi * self.radius * self.radius * (self.length + 4.0 / 3.0 * self.radius)

    def moments(self, mass: float) -> tuple[Triple, Sym3]:
        """Cylinder and ball, the half balls' centres of mass 3r/8 beyond the cylinder's ends.

        Across: m_c (r²/4 + L²/12) + m_b (2r²/5 + L²/4 + 3Lr/8); along: m_c r²/2 + m_b 2r²/5.
        """
        r, length = self.radius, self.length
        cylinder = mass * length / (length + 4.0 / 3.0 * r)
        ball = mass * (4.0 / 3.0 * r) / (length + 4.0 / 3.0 * r)
        across = cylinder * (r * r / 4.0 + length * length / 12.0) + ball * (
            0.4 * r * r + length * length / 4.0 + 0.375 * length * r
        )
        return _diagonal(across, across, cylinder * r * r / 2.0 + ball * 0.4 * r * r)


class Cylinder(Solid):
    """A circular cylinder along the local z axis, centred."""

    kind: Literal["cylinder"] = "cylinder"
    radius: Positive
    """Radius [m]."""
    length: Positive
    """Length [m]."""

    def volume(self) -> float:
        """π r² L [m³]."""
        return math.pi * self.radius * self.radius * self.length

    def moments(self, mass: float) -> tuple[Triple, Sym3]:
        """m (3r² + L²)/12 across, m r²/2 along."""
        across = mass * (3.0 * self.radius * self.radius + self.length * self.length) / 12.0
        return _diagonal(across, across, mass * self.radius * self.radius / 2.0)


class Ellipsoid(Solid):
    """An ellipsoid about the local origin."""

    kind: Literal["ellipsoid"] = "ellipsoid"
    semi_axes: Lengths
    """Half lengths along x, y, z [m]."""

    def volume(self) -> float:
        """4π abc/3 [m³]."""
        a, b, c = self.semi_axes
        return 4.0 / 3.0 * math.pi * a * b * c

    def moments(self, mass: float) -> tuple[Triple, Sym3]:
        """m (b² + c²)/5 about x, and so on."""
        a, b, c = self.semi_axes
        m = mass / 5.0
        return _diagonal(m * (b * b + c * c), m * (a * a + c * c), m * (a * a + b * b))


class Frustum(Solid):
    """A truncated cone from the local origin along the local z axis; a cone when one radius is zero."""

    kind: Literal["frustum"] = "frustum"
    radius_start: NonNegative
    """Radius at z = 0 [m]."""
    radius_end: NonNegative
    """Radius at z = length [m]."""
    length: Positive
    """Length [m]."""

    @field_validator("radius_end")
    @classmethod
    def _not_a_line(cls, radius_end: float, info: ValidationInfo) -> float:
        if radius_end == 0.0 and info.data.get("radius_start") == 0.0:
            raise refuse("is 0, and radius_start is 0 too; one of them must be greater than 0.")
        return radius_end

    def volume(self) -> float:
        """π L (a² + ab + b²)/3 [m³]."""
        return math.pi / 3.0 * self.length * self._mean_square()

    def _mean_square(self) -> float:
        a, b = self.radius_start, self.radius_end
        return a * a + a * b + b * b

    def moments(self, mass: float) -> tuple[Triple, Sym3]:
        """With Q = a² + ab + b² and the mass m = π ρ L Q/3 as unit.

        centre      L (a² + 2ab + 3b²)/(4Q)
        along       3 m (a⁴ + a³b + a²b² + ab³ + b⁴)/(10Q)
        across      half of that + 3 m L² (a⁴ + 4a³b + 10a²b² + 4ab³ + b⁴)/(80Q²), about the centre of mass
        """
        length, largest = self.length, max(self.radius_start, self.radius_end)
        a, b = self.radius_start / largest, self.radius_end / largest  # so that no fourth power vanishes
        Q = a * a + a * b + b * b
        centre = length * (a * a + 2.0 * a * b + 3.0 * b * b) / (4.0 * Q)
        fourth = a * a * a * a + a * a * a * b + a * a * b * b + a * b * b * b + b * b * b * b
        along = 0.3 * mass * largest * largest * fourth / Q
        spread = (
            a * a * a * a + 4.0 * a * a * a * b + 10.0 * a * a * b * b + 4.0 * a * b * b * b + b * b * b * b
        )
        across = along / 2.0 + 3.0 * mass * length * length * spread / (80.0 * Q * Q)
        return (0.0, 0.0, centre), (across, 0.0, 0.0, across, 0.0, along)


class TaperedCapsule(Solid):
    """The convex hull of a ball about the local origin and another one at (0, 0, length): a limb with round ends."""

    kind: Literal["tapered_capsule"] = "tapered_capsule"
    radius_start: Positive
    """Radius of the ball at z = 0 [m]."""
    radius_end: Positive
    """Radius of the ball at z = length [m]."""
    length: Positive
    """Distance of the balls' centres; more than their radii differ [m]."""

    @field_validator("length")
    @classmethod
    def _two_balls(cls, length: float, info: ValidationInfo) -> float:
        start, end = info.data.get("radius_start"), info.data.get("radius_end")
        if start is not None and end is not None and abs(start - end) >= length:
            larger, smaller = (
                ("radius_start", "radius_end") if start > end else ("radius_end", "radius_start")
            )
            raise refuse(
                f"is {given(length)}, but the radii {given(start)} and {given(end)} differ by {abs(start - end):.6g}: the "
                f"ball of {larger} contains that of {smaller}.",
                "Make it longer, or use a sphere.",
            )
        return length

    def _whole(self) -> Piece:
        return two_balls(self.radius_start, self.radius_end, self.length)

    def _volume_of(self, whole: Piece) -> float:
        unit = max(self.radius_start, self.radius_end)
        return whole.section * unit * unit

    def volume(self) -> float:
        """Of the cone between the tangent circles and of the two caps [m³]."""
        return self._volume_of(self._whole())

    def moments(self, mass: float) -> tuple[Triple, Sym3]:
        """Exact integrals over cone and caps, put together about their common centre of mass."""
        return _along_z(self._whole(), mass)

    def matter(self) -> tuple[float, Triple, Sym3]:
        """The same as of all shapes, integrated once."""
        whole = self._whole()
        mass = self.density * self._volume_of(whole)
        return (mass, *_along_z(whole, mass)) if mass > 0.0 else (0.0, ORIGIN, NOTHING)


def _along_z(whole: Piece, mass: float) -> tuple[Triple, Sym3]:
    across, along = mass * whole.across, mass * whole.along
    return (0.0, 0.0, whole.centre), (across, 0.0, 0.0, across, 0.0, along)


class Polyhedron(Solid):
    """A convex polyhedron: closed, with flat faces that run counter-clockwise seen from outside."""

    kind: Literal["polyhedron"] = "polyhedron"
    vertices: Annotated[tuple[Triple, ...], BeforeValidator(vertex_list)]
    """Corners in the shape's frame [m]."""
    faces: Annotated[tuple[tuple[int, ...], ...], BeforeValidator(face_list)]
    """For each face the indices of its corners, counter-clockwise seen from outside."""

    @field_validator("faces")
    @classmethod
    def _convex_solid(
        cls, faces: tuple[tuple[int, ...], ...], info: ValidationInfo
    ) -> tuple[tuple[int, ...], ...]:
        vertices = info.data.get("vertices")
        if vertices is not None:  # otherwise there is nothing to compare with, and the vertices are reported
            check_solid(vertices, faces)
        return faces

    def volume(self) -> float:
        """Volume by the divergence theorem [m³]."""
        return integrate(self.vertices, self.faces)[0]

    def moments(self, mass: float) -> tuple[Triple, Sym3]:
        """Exact integrals over the tetrahedra that the faces span."""
        volume, centre, S = integrate(self.vertices, self.faces)
        density = mass / volume if volume > 0.0 else 0.0  # a speck whose volume is too small for a float
        xx, xy, xz, yy, yz, zz = S
        return centre, (
            density * (yy + zz), -density * xy, -density * xz,
            density * (xx + zz), -density * yz, density * (xx + yy),
        )  # fmt: skip


Shape: TypeAlias = Annotated[
    Sphere | Box | Capsule | TaperedCapsule | Cylinder | Ellipsoid | Frustum | Polyhedron,
    Field(discriminator="kind"),
]
