"""Shapes that touch, in the frames of their links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.vectors import add
from zoophyte.description import Description, Surface
from zoophyte.model import contact_layout as at

Floats = NDArray[np.float64]
ZERO, NONE = (0.0, 0.0, 0.0), (0.0,)


@dataclass(frozen=True)
class TouchingShape:
    """One shape that touches.

    Args:
        kind: one of the shape kinds of `zoophyte.model.contact_layout`.
        body: index of its body.
        link: that the body is welded to; 0 for scenery.
        position: of its frame in the link's [m]: a ball's or box's centre, the start of an axis.
        rotation: of its frame, nine numbers in row order.
        size: by kind: radius; radii at both ends and length; half lengths; semi-axes.
        corners: of a polyhedron, in link axes [m].
        centre: of a ball around it, in link axes [m].
        reach: radius of that ball [m].
        surface: how it touches.
        name: what to call it in messages.
    """

    kind: int
    body: int
    link: int
    position: tuple[float, float, float]
    rotation: Any
    size: tuple[float, float, float]
    corners: tuple[tuple[float, float, float], ...]
    centre: tuple[float, float, float]
    reach: float
    surface: Surface
    name: str


class Found(NamedTuple):
    """A shape that touches, as it is found in a description.

    Args:
        kind: one of the shape kinds of `zoophyte.model.contact_layout`.
        body: index of its body.
        name: what to call it in messages.
        surface: how it touches, where it says so itself.
        numbers: a row for `zoophyte.model.filling.placing`.
        vertices: of a polyhedron, in its own frame.
    """

    kind: int
    body: int
    name: str
    surface: Surface | None
    numbers: list[float]
    vertices: tuple[Any, ...]


def touching_shapes(description: Description) -> list[Found]:
    """The shapes of a description that have a surface."""
    found = []
    shape: Any
    for number, body in enumerate(description.bodies, start=1):
        for order, shape in enumerate(body.shapes):
            if shape.contact and (shape.surface or description.surface):
                kind, *geometry = _geometry(shape)
                numbers = [*shape.position, *shape.rotation, *chain.from_iterable(geometry)]
                vertices = shape.vertices if kind == at.CORNER_SHAPE else ()
                name = shape.name or f"{body.name}[{order}]"
                found.append(Found(kind, number, name, shape.surface, numbers, vertices))
    return found


@dataclass(frozen=True, eq=False)
class Shapes:
    """All shapes of a model that touch, as columns.

    Args:
        kinds: of each.
        bodies: that they belong to.
        links: that these are welded to.
        records: as `data` holds them, but for how they touch.
        corners: of polyhedra, in link axes [m].
        surfaces: that differ.
        surface: the number of its own, for each shape.
        names: of each.
    """

    kinds: tuple[int, ...]
    bodies: tuple[int, ...]
    links: tuple[int, ...]
    records: Floats
    corners: tuple[Any, ...]
    surfaces: tuple[Surface, ...]
    surface: tuple[int, ...]
    names: tuple[str, ...]

    @classmethod
    def of(
        cls, found: Sequence[Found], links: Sequence[int], records: Floats, description: Description
    ) -> Shapes:
        """Those of a description.

        Args:
            found: the shapes.
            links: of all bodies.
            records: where the shapes are.
            description: whose surface counts where shapes have none.
        """
        if not found:
            return cls((), (), (), records, (), (), (), ())
        kinds, bodies, names, own, _, vertices = zip(*found, strict=True)
        surfaces: list[Any] = []
        numbers: list[int] = []
        common = -1
        for surface in own:
            if surface is None and common < 0:
                common = len(surfaces)
            if surface is not None or common == len(surfaces):
                surfaces.append(surface or description.surface)
            numbers.append(common if surface is None else len(surfaces) - 1)
        corners = tuple(
            _corners(corners, record.tolist()) if corners else ()
            for corners, record in zip(vertices, records, strict=True)
        ) if at.CORNER_SHAPE in kinds else ((),) * len(found)  # fmt: skip
        return cls(
            kinds, bodies, tuple([links[body] for body in bodies]), records, corners,
            tuple([surface.model_copy() for surface in surfaces]), tuple(numbers), names,
        )  # fmt: skip

    @cached_property
    def reaches(self) -> list[float]:
        """Radius of the ball around each [m]."""
        found: list[float] = self.records[:, at.SHAPE_REACH].tolist()
        return found

    @property
    def moving_reach(self) -> float:
        """Of the largest that moves [m]: a large piece of scenery must not loosen everybody."""
        return max((r for r, link in zip(self.reaches, self.links, strict=True) if link), default=1.0)

    def __len__(self) -> int:
        return len(self.kinds)

    def one_by_one(self) -> tuple[TouchingShape, ...]:
        """The same, one object for each."""
        found = []
        for n, record in enumerate(self.records.tolist()):
            position, rotation, size, centre = (
                tuple(record[start : start + count])
                for start, count in (
                    (at.SHAPE_POSITION, 3), (at.SHAPE_ROTATION, 9), (at.SHAPE_SIZE, 3), (at.SHAPE_CENTRE, 3)
                )
            )  # fmt: skip
            found.append(
                TouchingShape(
                    self.kinds[n], self.bodies[n], self.links[n], position, rotation, size, self.corners[n], centre,
                    record[at.SHAPE_REACH], self.surfaces[self.surface[n]], self.names[n],
                )
            )  # fmt: skip
        return tuple(found)


def _corners(vertices: Any, record: Any) -> Any:
    """Of a polyhedron, in link axes; those that are kept."""
    origin, R_LS = (
        record[at.SHAPE_POSITION : at.SHAPE_POSITION + 3],
        record[at.SHAPE_ROTATION : at.SHAPE_ROTATION + 9],
    )
    corners = tuple(add(origin, rotate(R_LS, (float(x), float(y), float(z)))) for x, y, z in vertices)
    return _spread(corners, at.KEYS_PER_SHAPE) if len(corners) > at.KEYS_PER_SHAPE else corners


def _geometry(shape: Any) -> tuple[int, Any, Any, Any, Any, Any]:
    """Kind, start of the axis, middle and size in the shape's own frame; and a corner and a radius that make its reach."""
    if shape.kind == "box":
        x, y, z = shape.size
        half = (0.5 * x, 0.5 * y, 0.5 * z)
        return at.BOX_SHAPE, ZERO, ZERO, half, half, NONE
    if shape.kind == "sphere":
        return at.BALL_SHAPE, ZERO, ZERO, (shape.radius, 0.0, 0.0), ZERO, (shape.radius,)
    if shape.kind == "capsule":
        half, size = 0.5 * shape.length, (shape.radius, shape.radius, shape.length)
        return at.ROUND_SHAPE, (0.0, 0.0, -half), ZERO, size, ZERO, (half + shape.radius,)
    if shape.kind == "cylinder":
        half, size = 0.5 * shape.length, (shape.radius, shape.radius, shape.length)
        return at.DISC_SHAPE, (0.0, 0.0, -half), ZERO, size, (half, shape.radius, 0.0), NONE
    if shape.kind == "ellipsoid":
        return at.ELLIPSOID_SHAPE, ZERO, ZERO, shape.semi_axes, ZERO, (max(shape.semi_axes),)
    if shape.kind == "polyhedron":
        corners = np.asarray(shape.vertices, float)
        centre = (0.5 * (corners.min(axis=0) + corners.max(axis=0))).tolist()
        reach = float(np.sqrt(((corners - centre) ** 2).sum(axis=1)).max())
        return at.CORNER_SHAPE, ZERO, centre, ZERO, ZERO, (reach,)
    a, b, length = shape.radius_start, shape.radius_end, shape.length
    middle = (0.0, 0.0, 0.5 * length)
    if shape.kind == "tapered_capsule":
        return at.ROUND_SHAPE, ZERO, middle, (a, b, length), ZERO, (0.5 * length + max(a, b),)
    return at.DISC_SHAPE, ZERO, middle, (a, b, length), (0.5 * length, max(a, b), 0.0), NONE


def _spread(corners: Any, count: int) -> Any:
    """`count` corners spread over all of them: each the farthest from those before it."""
    points = np.asarray(corners)
    chosen = [int(np.argmin(points[:, 2]))]
    distance = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argmax(distance)))
        distance = np.minimum(distance, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return tuple(corners[i] for i in sorted(chosen))
