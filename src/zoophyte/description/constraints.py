"""Constraints between two bodies beside the tree: closed loops, welds, and springs that break."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from zoophyte.description.bodies import GROUND
from zoophyte.description.part import Part
from zoophyte.description.values import Label, Name, NonNegative, PositiveOrInfinite, Vector


class Link(Part):
    """What all constraints share: two bodies and a point."""

    name: Label = ""
    """What to call it."""
    body: Name
    """The first body."""
    other: Name = GROUND
    """The second body, or ground."""
    point: Vector = (0.0, 0.0, 0.0)
    """Where it holds the first body, in that body's frame [m]."""
    other_point: Vector | None = None
    """Where it holds the second body, in its frame [m]; if left out, where `point` is when life begins."""


class Connect(Link):
    """Two points that stay together, as a ball joint holds them: closes a loop."""

    kind: Literal["connect"] = "connect"


class Weld(Link):
    """Two bodies that keep the relative pose in which life begins."""

    kind: Literal["weld"] = "weld"


class Attach(Link):
    """A spring between two points that pulls them together and breaks when stretched too far."""

    kind: Literal["attach"] = "attach"
    stiffness: NonNegative
    """Force over length [N/m]."""
    damping: NonNegative = 0.0
    """Force over speed of stretching [N·s/m]."""
    break_length: PositiveOrInfinite = Field(
        default=float("inf"), json_schema_extra=lambda schema: schema.pop("default", None)
    )
    """Length at which it breaks for good [m]."""


Constraint: TypeAlias = Annotated[Connect | Weld | Attach, Field(discriminator="kind")]


class Pair(Part):
    """How two bodies touch each other, where that differs from how their surfaces mix."""

    bodies: tuple[Name, Name]
    """Names of the two; one may be ground."""
    contact: bool = True
    """Whether they touch at all."""
    friction: NonNegative | None = None
    """Coefficient of dry friction between them."""
    restitution: NonNegative | None = None
    """Speed after an impact over speed before."""
