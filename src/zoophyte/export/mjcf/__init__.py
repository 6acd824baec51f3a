"""Descriptions as MJCF, MuJoCo's format: to look at a body there, and to check us against it.

::

    warnings = write_mjcf(zp.zoo.humanoid(), "humanoid.xml")

Every body has an explicit inertia, so that MuJoCo computes on our numbers and not on what it makes of the geoms.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from zoophyte.description import GROUND, Body, Description, Shape
from zoophyte.description.files import write_text
from zoophyte.description.values import Triple
from zoophyte.errors import UsageError
from zoophyte.export.mjcf import geoms
from zoophyte.export.mjcf.contact import GHOST, Contacts, Touching
from zoophyte.export.mjcf.frames import Station, stations_of
from zoophyte.export.mjcf.ground import plane_geom, terrain_asset
from zoophyte.export.mjcf.holds import Holds
from zoophyte.export.mjcf.inertia import inertial, mobilities
from zoophyte.export.mjcf.joints import Mechanism
from zoophyte.export.mjcf.markup import Attributes, Markup, Names
from zoophyte.model import STANDARD_GRAVITY, Plane
from zoophyte.model import compile as compile_model
from zoophyte.simulation import Habitat

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


def mjcf_of(
    description: Description, *, timestep: float = 1e-3, gravity: Triple | None = None, habitat: Habitat | None = None
) -> str:  # fmt: skip
    """The description as MJCF text.

    Args:
        description: of any body that can be compiled.
        timestep: for MuJoCo [s].
        gravity: for MuJoCo [m/s²]; the habitat's, else (0, 0, −9.81), if left out.
        habitat: whose ground is written too; without one there is no ground.
    """
    return mjcf_document(description, timestep=timestep, gravity=gravity, habitat=habitat).text


def write_mjcf(
    description: Description, path: str | os.PathLike[str], *, timestep: float = 1e-3, gravity: Triple | None = None,
    habitat: Habitat | None = None,
) -> tuple[str, ...]:  # fmt: skip
    """Write the description to an MJCF file, whole or not at all; returns what MuJoCo cannot say.

    Args:
        description: of any body that can be compiled.
        path: of the file, which usually ends in .xml.
        timestep: for MuJoCo [s].
        gravity: for MuJoCo [m/s²]; the habitat's, else (0, 0, −9.81), if left out.
        habitat: whose ground is written too; without one there is no ground.

    Raises:
        FileError: when it cannot be written.
    """
    document = mjcf_document(description, timestep=timestep, gravity=gravity, habitat=habitat)
    write_text(path, document.text)
    return document.warnings


def mjcf_document(
    description: Description, *, timestep: float = 1e-3, gravity: Triple | None = None, habitat: Habitat | None = None
) -> Mjcf:  # fmt: skip
    """The description as MJCF text, with warnings.

    Args:
        description: of any body that can be compiled.
        timestep: for MuJoCo [s].
        gravity: for MuJoCo [m/s²]; the habitat's, else (0, 0, −9.81), if left out.
        habitat: whose ground and medium are written too; without one there are none.
    """
    if habitat is not None and not isinstance(habitat, Habitat):
        raise UsageError(f"habitat is a {type(habitat).__name__}, must be a Habitat.")
    if gravity is None:
        gravity = habitat.gravity if habitat is not None else STANDARD_GRAVITY
    model = compile_model(description)
    limited = any(body.joint.limits is not None for body in description.bodies)
    mechanism = Mechanism(model, mobilities(model).tolist() if limited else ())
    tree = _Tree(mechanism)
    if habitat is not None:
        tree.add_ground(habitat)
    held = {name for each in description.constraints for name in (each.body, each.other)}
    stations = stations_of(model.description, held)
    for station in stations:
        tree.add(station)
    holds = Holds.of(model.description, tree.body_names)
    contacts = Contacts(model.description, tree.touching, stations, tree.body_names, tree.geom_names)
    contacts.fill()
    option: dict[str, Any] = {"timestep": timestep, "gravity": gravity}
    medium = None if habitat is None else habitat.medium
    if medium is not None:
        option |= {"density": medium.density, "viscosity": medium.viscosity, "wind": medium.wind}
        if medium.buoyancy and medium.density > 0.0:
            mechanism.warnings.append("the medium lifts nothing there, and acts on welded bodies one by one.")
    warnings = (*mechanism.warnings, *contacts.warnings, *holds.warnings)
    whole = Markup()
    whole.open("mujoco", {"model": description.name})
    whole.comment("Written by Zoophyte. Units are SI, angles radians, quaternions (w, x, y, z).")
    for warning in warnings:
        whole.comment(f"MuJoCo cannot say: {warning}")
    whole.add("compiler", {"angle": "radian", "inertiafromgeom": "false", "autolimits": "true"})
    whole.add("option", option)
    _section(whole, "asset", tree.assets)
    tree.write(whole, holds)
    _section(whole, "contact", [*contacts.excludes, *contacts.pairs])
    _section(whole, "equality", holds.equalities)
    holds.write_tendons(whole)
    _section(whole, "actuator", mechanism.actuators)
    if any(body.joint.initial is not None for body in description.bodies):
        _section(whole, "keyframe", [("key", {"name": INITIAL, "qpos": mechanism.qpos})])
    whole.close()
    return Mjcf(whole.text(), warnings)


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
        self.description = mechanism.model.description
        self._heavy = _welded_to_mass(self.description)
        self.assets: list[tuple[str, Attributes]] = []
        self.touching: list[Touching] = []
        self.body_names = {GROUND: "world"}
        self.geom_names = Names()
        self._ground: list[tuple[str, Attributes]] = []
        self._bodies: list[tuple[Station, Attributes, int, list[tuple[str, Attributes]]]] = []
        self._depths = {GROUND: 0}
        self._names, self._mesh_names = Names({"world"}), Names()  # world is MuJoCo's own name of the ground

    def add_ground(self, habitat: Habitat) -> None:
        """Prepare the ground of a habitat."""
        if habitat.ground is None:
            return
        if isinstance(habitat.ground, Plane):
            attributes = plane_geom(habitat.ground)
        else:
            asset, attributes = terrain_asset(habitat.ground, GROUND)
            self.assets.append(("hfield", asset))
            self.mechanism.warnings.append("the terrain goes on beyond its edge here, and ends there.")
        attributes = {"name": self.geom_names.take(GROUND), **attributes}
        self.touching.append(Touching(GROUND, habitat.surface, attributes))
        self._ground.append(("geom", attributes))

    def add(self, station: Station) -> None:
        """Prepare one body: its elements, and the assets that they need."""
        depth = self._depths[station.parent] + 1
        self._depths[station.body.name] = depth
        if depth == DEPTH_LIMIT:
            self.mechanism.warn(station.body, f"hangs {depth} bodies deep; MuJoCo's reader goes no deeper")
        name = self._names.take(station.body.name)
        self.body_names[station.body.name] = name
        if name != station.body.name:
            self.mechanism.warn(station.body, f"is called '{name}' there")
        elements = self.mechanism.joints(station)
        elements += self._inertial(station, moves=bool(elements))
        elements += [self._geom(shape, station.body) for shape in station.body.shapes]
        place = station.placement
        attributes: Attributes = {"name": name, "pos": place.position, "quat": place.rotation}
        self._bodies.append((station, attributes, depth, elements))

    def _inertial(self, station: Station, moves: bool) -> list[tuple[str, Attributes]]:
        properties = station.body.mass_properties()
        if properties.mass == 0.0 and (not moves or station.body.name in self._heavy):
            return []
        attributes, words = inertial(properties)
        if words and moves:
            self.mechanism.warn(station.body, words)
        return [("inertial", attributes)]

    def _geom(self, shape: Shape, body: Body) -> tuple[str, Attributes]:
        name = self.geom_names.take(shape.name) if shape.name else None
        asset, mesh = geoms.mesh(shape), None
        if asset is not None:
            mesh = self._mesh_names.take(shape.name or shape.kind)
            self.assets.append(("mesh", {"name": mesh, **asset}))
        attributes = geoms.geom(shape, name, mesh)
        surface = shape.surface or self.description.surface
        if shape.contact and surface is not None:
            self.touching.append(Touching(body.name, surface, attributes, f"{body.name}.{shape.kind}"))
        else:
            attributes |= GHOST
        return "geom", attributes

    def write(self, whole: Markup, holds: Holds) -> None:
        """The worldbody with all bodies in it."""
        whole.open("worldbody")
        for tag, attributes in [*self._ground, *holds.sites.get(GROUND, [])]:
            whole.add(tag, attributes)
        depth = 0
        for station, body, level, elements in self._bodies:
            for _ in range(depth - level + 1):
                whole.close()
            depth = level
            whole.open("body", body)
            for tag, attributes in [*elements, *holds.sites.get(station.body.name, [])]:
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
