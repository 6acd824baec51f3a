"""Shapes as URDF's: boxes, balls and cylinders as they are, capsules in three parts, everything else as meshes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Description,
    Ellipsoid,
    Polyhedron,
    Shape,
    Sphere,
)
from zoophyte.description.values import Quadruple, Triple
from zoophyte.export.mjcf.frames import Placement
from zoophyte.export.mjcf.geoms import ROUND_CORNERS, Mesh, ball_outline, corners_and_faces, turned
from zoophyte.export.mjcf.markup import Attributes, Markup, number_text
from zoophyte.export.urdf.losses import Losses

UNTURNED: Quadruple = (1.0, 0.0, 0.0, 0.0)
CAPSULE = "Capsules of {} became cylinders with a ball on each end."
MOST_CORNERS = 64
"""Of the mesh by which a round shape touches: each corner is tried in every step, and may become a contact."""
MESH = (
    "Shapes of {} that are no box, ball, cylinder or capsule became meshes; circles have 24 corners there, and fewer where "
    f"they touch: round meshes have {MOST_CORNERS} corners at most."
)
GHOST = "What touches nothing in {} is written as a visual without a collision."

Piece = tuple[str, Attributes, Placement]
"""Tag and attributes of a geometry, and where it is on the link."""


def turning(rotation: Quadruple) -> Triple:
    """Roll, pitch and yaw about fixed axes: R = R_z R_y R_x.

    Where the pitch is 90° only the sum of the others is known; the roll is taken from what the yaw leaves, so that their
    product is right to rounding there, too.
    """
    if rotation == UNTURNED:
        return (0.0, 0.0, 0.0)
    R = quaternion_matrix(rotation)
    yaw = math.atan2(R[3], R[0])
    pitch = math.atan2(-R[6], math.hypot(R[0], R[3]))
    sine, cosine = math.sin(yaw), math.cos(yaw)
    roll = math.atan2(sine * R[2] - cosine * R[5], cosine * R[4] - sine * R[1])
    return (roll, pitch, yaw)


class Looks:
    """Visuals, collisions, their colours and their meshes.

    Args:
        description: whose shapes they are.
        losses: told of what becomes something else.
        folder: of the mesh files.
    """

    def __init__(self, description: Description, losses: Losses, folder: str) -> None:
        self._losses, self._folder = losses, folder
        self._has_surface = description.surface is not None
        self._materials: dict[Triple, str] = {}
        self._mesh_names: dict[str, str] = {}
        for shape in (shape for body in description.bodies for shape in body.shapes):
            if shape.colour is not None:
                self._materials.setdefault(shape.colour, f"colour_{len(self._materials) + 1}")

    @property
    def meshes(self) -> dict[str, str]:
        """The texts of mesh files by their names."""
        return {name: text for text, name in self._mesh_names.items()}

    def write_materials(self, markup: Markup) -> None:
        """The robot's materials, which visuals name."""
        for colour, name in self._materials.items():
            markup.open("material", {"name": name})
            markup.add("color", {"rgba": (*colour, 1.0)})
            markup.close()

    def write(self, markup: Markup, body: Body) -> None:
        """Visuals and collisions of a body."""
        touching = [
            shape.contact and (self._has_surface or shape.surface is not None) for shape in body.shapes
        ]
        for shape in body.shapes:
            self._write(markup, body, shape, "visual")
        for shape, touches in zip(body.shapes, touching, strict=True):
            if touches:
                self._write(markup, body, shape, "collision")
        if any(touching) and not all(touching):
            self._losses.of(GHOST, body.name)

    def _write(self, markup: Markup, body: Body, shape: Shape, tag: str) -> None:
        material = self._materials.get(shape.colour) if shape.colour is not None and tag == "visual" else None
        for geometry, attributes, place in self._pieces(shape, body, touches=tag == "collision"):
            markup.open(tag, {"name": shape.name or None})
            position = place.position if any(place.position) else None
            angles = turning(place.rotation)
            if position is not None or any(angles):
                markup.add("origin", {"xyz": position, "rpy": angles if any(angles) else None})
            markup.open("geometry")
            markup.add(geometry, attributes)
            markup.close()
            if material is not None:
                markup.add("material", {"name": material})
            markup.close()

    def _pieces(self, shape: Shape, body: Body, *, touches: bool) -> Iterator[Piece]:
        place = Placement(shape.position, shape.rotation)
        match shape:
            case Box():
                yield "box", {"size": shape.size}, place
            case Sphere():
                yield "sphere", {"radius": shape.radius}, place
            case Cylinder():
                yield "cylinder", {"radius": shape.radius, "length": shape.length}, place
            case Capsule():
                self._losses.of(CAPSULE, body.name)
                yield "cylinder", {"radius": shape.radius, "length": shape.length}, place
                for end in (-0.5, 0.5):
                    yield (
                        "sphere",
                        {"radius": shape.radius},
                        place.then(Placement((0.0, 0.0, end * shape.length))),
                    )
            case _:
                self._losses.of(MESH, body.name)
                yield "mesh", {"filename": self._mesh(shape, touches=touches)}, place

    def _mesh(self, shape: Shape, *, touches: bool) -> str:
        """The name of the file with a shape's mesh, seen or touched; equal meshes share one."""
        text = _obj(*(_touched(shape) if touches else _corners_and_faces(shape)))
        number = len(self._mesh_names) + 1
        return self._mesh_names.setdefault(text, f"{self._folder}/{shape.kind}_{number}.obj")


def _touched(shape: Shape) -> Mesh:
    """The finest mesh of a round shape that has few corners; of a polyhedron all of it."""
    finer = (_corners_and_faces(shape, around) for around in range(ROUND_CORNERS, 4, -2))
    few = (mesh for mesh in finer if len(mesh[0]) <= MOST_CORNERS)
    return _corners_and_faces(shape) if isinstance(shape, Polyhedron) else next(few)


def _corners_and_faces(shape: Shape, around: int = ROUND_CORNERS) -> Mesh:
    if isinstance(shape, Ellipsoid):
        a, b, c = shape.semi_axes
        vertices, faces = turned(ball_outline(around), around)
        return [(a * x, b * y, c * z) for x, y, z in vertices], faces
    found = corners_and_faces(shape, around)
    assert found is not None, shape.kind
    return found


def _obj(vertices: list[Triple], faces: list[tuple[int, int, int]]) -> str:
    """A mesh as text in Wavefront's format, which counts corners from 1."""
    lines = ["v " + " ".join(map(number_text, vertex)) for vertex in vertices]
    lines += ["f " + " ".join(str(corner + 1) for corner in face) for face in faces]
    return "\n".join([*lines, ""])
