"""Descriptions as MJCF, MuJoCo's format: to look at a body there, and to check us against it.

::

    warnings = write_mjcf(zp.zoo.humanoid(), "humanoid.xml")

Every body has an explicit inertia, so that MuJoCo computes on our numbers and not on what it makes of the geoms.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from zoophyte.description import GROUND, Description, Shape
from zoophyte.description.files import write_text
from zoophyte.description.values import Triple
from zoophyte.export.mjcf import geoms
from zoophyte.export.mjcf.frames import Station, stations_of
from zoophyte.export.mjcf.inertia import inertial, mobilities
from zoophyte.export.mjcf.joints import Mechanism, Names
from zoophyte.export.mjcf.markup import Attributes, Markup
from zoophyte.model import STANDARD_GRAVITY
from zoophyte.model import compile as compile_model

INITIAL = "initial"
"""Name of the keyframe that holds the initial coordinates."""

DEPTH_LIMIT = 495
"""Bodies in a row, from the ground outwards, that MuJoCo's reader takes: it reads elements 500 deep."""

__all__ = ["INITIAL", "Mjcf", "mjcf_document", "mjcf_of", "write_mjcf"]


@dataclass(frozen=True)
class Mjcf:
    """An MJCF text, and what MuJoCo cannot say (the text says it too, in a comment)."""

    text: str
    warnings: tuple[str, ...]


def mjcf_of(description: Description, *, timestep: float = 1e-3, gravity: Triple = STANDARD_GRAVITY) -> str:
    """The description as MJCF text.

    Args:
        description: of any body that can be compiled.
        timestep: for MuJoCo [s].
        gravity: for MuJoCo [m/s²].
    """
    return mjcf_document(description, timestep=timestep, gravity=gravity).text


def write_mjcf(
    description: Description, path: str | os.PathLike[str], *, timestep: float = 1e-3,
    gravity: Triple = STANDARD_GRAVITY,
) -> tuple[str, ...]:  # fmt: skip
    """Write the description to an MJCF file, whole or not at all; returns what MuJoCo cannot say.

    Args:
        description: of any body that can be compiled.
        path: of the file, which usually ends in .xml.
        timestep: for MuJoCo [s].
        gravity: for MuJoCo [m/s²].

    Raises:
        FileError: when it cannot be written.
    """
    document = mjcf_document(description, timestep=timestep, gravity=gravity)
    write_text(path, document.text)
    return document.warnings


def mjcf_document(
    description: Description, *, timestep: float = 1e-3, gravity: Triple = STANDARD_GRAVITY
) -> Mjcf:
    """The description as MJCF text, with warnings.

    Args:
        description: of any body that can be compiled.
        timestep: for MuJoCo [s].
        gravity: for MuJoCo [m/s²].
    """
    model = compile_model(description)
    limited = any(body.joint.limits is not None for body in description.bodies)
    mechanism = Mechanism(model, mobilities(model).tolist() if limited else ())
    tree = _Tree(mechanism)
    for station in stations_of(model.description):
        tree.add(station)
    whole = Markup()
    whole.open("mujoco", {"model": description.name})
    whole.comment("Written by Zoophyte. Units are SI, angles radians, quaternions (w, x, y, z).")
    for warning in mechanism.warnings:
        whole.comment(f"MuJoCo cannot say: {warning}")
    whole.add("compiler", {"angle": "radian", "inertiafromgeom": "false", "autolimits": "true"})
    whole.add("option", {"timestep": timestep, "gravity": gravity})
    _section(whole, "asset", [("mesh", mesh) for mesh in tree.meshes])
    tree.write(whole)
    _section(whole, "actuator", mechanism.actuators)
    if any(body.joint.initial is not None for body in description.bodies):
        _section(whole, "keyframe", [("key", {"name": INITIAL, "qpos": mechanism.qpos})])
    whole.close()
    return Mjcf(whole.text(), tuple(mechanism.warnings))


def _section(whole: Markup, tag: str, elements: list[tuple[str, Attributes]]) -> None:
    if elements:
        whole.open(tag)
        for name, attributes in elements:
            whole.add(name, attributes)
        whole.close()


class _Tree:
    """The bodies, depth first: elements are opened and closed as the depth demands."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self._heavy = _welded_to_mass(mechanism.model.description)
        self.meshes: list[Attributes] = []
        self._bodies: list[tuple[Attributes, int, list[tuple[str, Attributes]]]] = []
        self._depths = {GROUND: 0}
        self._body_names = Names({"world"})  # MuJoCo's own name of the ground
        self._geom_names, self._mesh_names = Names(), Names()

    def add(self, station: Station) -> None:
        """Prepare one body: its elements, and the assets that they need."""
        depth = self._depths[station.parent] + 1
        self._depths[station.body.name] = depth
        if depth == DEPTH_LIMIT:
            self.mechanism.warn(station.body, f"hangs {depth} bodies deep; MuJoCo's reader goes no deeper")
        name = self._body_names.take(station.body.name)
        if name != station.body.name:
            self.mechanism.warn(station.body, f"is called '{name}' there")
        elements = self.mechanism.joints(station)
        elements += self._inertial(station, moves=bool(elements))
        elements += [self._geom(shape) for shape in station.body.shapes]
        place = station.placement
        self._bodies.append(({"name": name, "pos": place.position, "quat": place.rotation}, depth, elements))

    def _inertial(self, station: Station, moves: bool) -> list[tuple[str, Attributes]]:
        properties = station.body.mass_properties()
        if properties.mass == 0.0 and (not moves or station.body.name in self._heavy):
            return []
        attributes, words = inertial(properties)
        if words and moves:
            self.mechanism.warn(station.body, words)
        return [("inertial", attributes)]

    def _geom(self, shape: Shape) -> tuple[str, Attributes]:
        name = self._geom_names.take(shape.name) if shape.name else None
        asset = geoms.mesh(shape)
        if asset is None:
            return "geom", geoms.geom(shape, name, None)
        mesh = self._mesh_names.take(shape.name or shape.kind)
        self.meshes.append({"name": mesh, **asset})
        return "geom", geoms.geom(shape, name, mesh)

    def write(self, whole: Markup) -> None:
        """The worldbody with all bodies in it."""
        whole.open("worldbody")
        depth = 0
        for body, level, elements in self._bodies:
            for _ in range(depth - level + 1):
                whole.close()
            depth = level
            whole.open("body", body)
            for tag, attributes in elements:
                whole.add(tag, attributes)
        for _ in range(depth + 1):
            whole.close()


def _welded_to_mass(description: Description) -> set[str]:
    """Names of the bodies that carry something heavy on fixed joints; these may be without mass themselves."""
    heavy: set[str] = set()
    for body in reversed(description.bodies):
        if body.joint.kind == "fixed" and (body.has_mass() or body.name in heavy):
            heavy.add(body.parent)
    return heavy
