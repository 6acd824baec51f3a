"""A body: a name, a joint to its parent, shapes and mass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, field_validator

from zoophyte.algebra.rotations import Sym3
from zoophyte.description.joints import Joint
from zoophyte.description.mass import MassProperties, combined, six_entries
from zoophyte.description.part import Part
from zoophyte.description.problems import refuse
from zoophyte.description.shapes import Shape
from zoophyte.description.values import Name, Triple

GROUND = "ground"
ORIGIN: Triple = (0.0, 0.0, 0.0)
NOTHING: Sym3 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Body(Part):
    """A rigid part of a living thing; several shapes are welded together in it."""

    kind_positions: ClassVar[Mapping[str, int]] = {"shapes": 2}

    name: Name
    """What the body is called; other bodies, controllers and messages use this name."""
    parent: Name = GROUND
    """Name of the body that this one hangs on, or ground."""
    joint: Joint = Field(default_factory=Joint)
    """How it hangs there."""
    shapes: list[Shape] = Field(default_factory=list)
    """What it looks like, collides with and, unless a mass is given, weighs."""
    mass: MassProperties | None = None
    """Mass properties that replace those of the shapes."""

    @field_validator("parent", mode="before")
    @classmethod
    def _some_parent(cls, parent: object) -> object:
        if parent is None:
            raise refuse(
                "is empty, must be the name of a body.",
                "Leave it out, or write 'ground', to hang it on the ground.",
            )
        return parent

    @field_validator("name")
    @classmethod
    def _not_the_ground(cls, name: str) -> str:
        if name == GROUND:
            raise refuse("is 'ground', which is the name of the world's own body.", "Choose another name.")
        return name

    def mass_properties(self) -> MassProperties:
        """Mass properties in the body frame: as given, or of all shapes together."""
        return (
            self.mass if self.mass is not None else combined(shape.mass_properties() for shape in self.shapes)
        )

    def matter(self) -> tuple[float, Triple, Sym3]:
        """Mass, centre of mass and central inertia (xx, xy, xz, yy, yz, zz) in the body frame."""
        if self.mass is None and not self.shapes:
            return 0.0, ORIGIN, NOTHING
        found = self.mass_properties()
        return found.mass, found.com, six_entries(found.inertia)

    def has_mass(self) -> bool:
        """Whether the body weighs anything."""
        if self.mass is not None:
            return self.mass.mass > 0.0
        return any(shape.mass() > 0.0 for shape in self.shapes)
