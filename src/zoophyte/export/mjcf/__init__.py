"""Descriptions as MJCF, MuJoCo's format: to look at a body there, and to check us against it.

::

    warnings = write_mjcf(zp.zoo.humanoid(), "humanoid.xml")
    notes = zp.zoo.scene("walking_ant").simulate().export("ant.xml")      # with ant.ctrl.csv, what its actuators were told

Every body has an explicit inertia, so that MuJoCo computes on our numbers and not on what it makes of the geoms.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from zoophyte.description import GROUND, Body, Description, Shape
from zoophyte.description.files import write_text
from zoophyte.description.values import Triple
from zoophyte.errors import UsageError, counted
from zoophyte.export.mjcf import geoms
from zoophyte.export.mjcf.contact import GHOST, Contacts, Touching
from zoophyte.export.mjcf.frames import Station, stations_of
from zoophyte.export.mjcf.ground import plane_geom, terrain_asset
from zoophyte.export.mjcf.holds import Holds
from zoophyte.export.mjcf.inertia import inertial, mobilities
from zoophyte.export.mjcf.joints import Control, Mechanism
from zoophyte.export.mjcf.markup import Attributes, Markup, Names
from zoophyte.model import STANDARD_GRAVITY, Model, Plane, State
from zoophyte.model import compile as compile_model
from zoophyte.simulation import Habitat, World

MJCF_ENDINGS = (".xml", ".mjcf")
"""Of files that hold MJCF."""
INITIAL = "initial"
"""Name of the keyframe that holds the initial coordinates."""

DEPTH_LIMIT = 495
"""Bodies in a row, from the ground outwards, that MuJoCo's reader takes: it reads elements 500 deep."""

__all__ = ["INITIAL", "MJCF_ENDINGS", "Control", "Mjcf", "mjcf_document", "mjcf_of", "write_mjcf"]


SOFT = (
    "contacts, limits and constraints are rigid here and soft there: contacts rebound a little, and friction lifts what "
    "slides. Friction is a round cone here and a pyramid there, which holds up to √2 times as much between its edges."
)
ROUND = ("frustum", "tapered_capsule")
"""Shapes that become meshes with corners on the surface."""
METHODS = {
    "implicit": "implicitfast", "ros2": "implicitfast", "semi_implicit": "Euler", "rk4": "RK4", "rkf45": "RK4",
}  # fmt: skip
"""MuJoCo's integrators that are nearest to ours."""


@dataclass(frozen=True)
class Mjcf:
    """An MJCF text, and what MuJoCo cannot say (the text says it too, in a comment).

    Args:
        text: of the file.
        warnings: what MuJoCo cannot say.
        controls: what each number of MuJoCo's `data.ctrl` stands for.
        bodies: what each body is called there, by its own name.
    """

    text: str
    warnings: tuple[str, ...]
    controls: tuple[Control, ...] = ()
    bodies: Mapping[str, str] = field(default_factory=dict)


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
    body: Description | World, path: str | os.PathLike[str], *, timestep: float | None = None,
    gravity: Triple | None = None, habitat: Habitat | None = None, start: State | None = None,
) -> tuple[str, ...]:  # fmt: skip
    """Write a body, or a world with all that is in it, to an MJCF file, whole or not at all; returns what MuJoCo cannot say.

    A life is written by ``life.export("life.xml")``, with what its actuators were told.

    Args:
        body: any description that can be compiled; or a world, whose habitat, step and integrator are then written too.
        path: of the file, which usually ends in .xml.
        timestep: for MuJoCo [s]; the world's, else 1 ms, if left out.
        gravity: for MuJoCo [m/s²]; the habitat's, else (0, 0, −9.81), if left out.
        habitat: whose ground is written too; the world's if left out; without one there is no ground.
        start: state in which life begins, for the keyframe; the initial coordinates if left out.

    Raises:
        FileError: when it cannot be written.
    """
    document = mjcf_document(body, timestep=timestep, gravity=gravity, habitat=habitat, start=start)
    write_text(path, document.text)
    return document.warnings


def mjcf_document(
    body: Description | World, *, timestep: float | None = None, gravity: Triple | None = None,
    habitat: Habitat | None = None, integrator: str | None = None, start: State | None = None,
    applied: Collection[str] = (), notes: Sequence[str] = (),
) -> Mjcf:  # fmt: skip
    """A body, or a world with all that is in it, as MJCF text, with warnings.

    Args:
        body: any description that can be compiled; or a world, whose habitat, step and integrator are then written too.
        timestep: for MuJoCo [s]; the world's, else 1 ms, if left out.
        gravity: for MuJoCo [m/s²]; the habitat's, else (0, 0, −9.81), if left out.
        habitat: whose ground and medium are written too; the world's if left out; without one there are none.
        integrator: of ours, for which MuJoCo's nearest is asked; the world's, else MuJoCo's usual one, if left out.
        start: state in which life begins, for the keyframe; the initial coordinates if left out.
        applied: degrees of freedom that get a motor for a controller's own joint forces.
        notes: more that MuJoCo cannot say.
    """
    if isinstance(body, World):
        habitat, integrator = habitat or body.habitat, integrator or body.integrator
        timestep, start = timestep or body.dt, start or State.neutral(body.model)
        notes = [*softness(body.model), *notes]
        if body.controller is not None:
            notes.append("the controller; a life of the world, exported, has what it told the actuators.")
        body = body.model.description
    if habitat is not None and not isinstance(habitat, Habitat):
        raise UsageError(f"habitat is a {type(habitat).__name__}, must be a Habitat.")
    if gravity is None:
        gravity = habitat.gravity if habitat is not None else STANDARD_GRAVITY
    model = compile_model(body)
    description = model.description
    if start is not None:
        start.checked(model)
    limited = any(each.joint.limits is not None for each in description.bodies)
    mechanism = Mechanism(model, mobilities(model).tolist() if limited else (), start, applied)
    tree = _Tree(mechanism)
    if habitat is not None:
        tree.add_ground(habitat)
    held = {name for each in description.constraints for name in (each.body, each.other)}
    stations = stations_of(description, held)
    for station in stations:
        tree.add(station)
    holds = Holds.of(description, tree.body_names)
    contacts = Contacts(description, tree.touching, stations, tree.body_names, tree.geom_names)
    contacts.fill()
    option = _option(mechanism, 1e-3 if timestep is None else timestep, gravity, habitat, integrator)
    warnings = (*mechanism.warnings, *tree.warnings(), *contacts.warnings, *holds.warnings, *notes)
    text = _text(tree, holds, contacts, option, warnings)
    return Mjcf(text, warnings, tuple(mechanism.controls), tree.body_names)


def _text(tree: _Tree, holds: Holds, contacts: Contacts, option: Attributes, warnings: Sequence[str]) -> str:
    """The document, section by section."""
    mechanism, description, start = tree.mechanism, tree.description, tree.mechanism.start
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
    if start is not None or any(each.joint.initial is not None for each in description.bodies):
        time = None if start is None else start.time or None
        qvel = mechanism.qvel if any(mechanism.qvel) else None
        _section(
            whole,
            "keyframe",
            [("key", {"name": INITIAL, "time": time, "qpos": mechanism.qpos, "qvel": qvel})],
        )
    whole.close()
    return whole.text()


def softness(model: Model) -> list[str]:
    """What to say of the laws of contact, if anything of the model is solved by them.

    Args:
        model: of the body.
    """
    return [SOFT] if model.shapes or model.constraints or model.dofs.hard_limit.any() else []


def _option(
    mechanism: Mechanism, timestep: float, gravity: Triple, habitat: Habitat | None, integrator: str | None
) -> Attributes:
    """Attributes of the element `option`."""
    option: dict[str, Any] = {"timestep": timestep, "gravity": gravity}
    if integrator is not None:
        option["integrator"] = METHODS[integrator]
    if integrator == "rkf45":
        mechanism.warnings.append("steps are of fifth order (rkf45) here, of fourth (RK4) there.")
    medium = None if habitat is None else habitat.medium
    if medium is not None:
        option |= {"density": medium.density, "viscosity": medium.viscosity, "wind": medium.wind}
        if medium.buoyancy and medium.density > 0.0:
            mechanism.warnings.append("the medium lifts nothing there, and acts on welded bodies one by one.")
    return option


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
        self._rounded: dict[str, int] = {}
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
        if self.mechanism.start is not None and station.body.joint.kind == "free":
            place = self.mechanism.pose(
                station.body
            )  # so that whoever does not ask for the keyframe sees it placed, too
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
            if shape.kind in ROUND:
                self._rounded[shape.kind] = self._rounded.get(shape.kind, 0) + 1
        else:
            attributes |= GHOST
        return "geom", attributes

    def warnings(self) -> list[str]:
        """What MuJoCo cannot say about shapes that touch."""
        return [
            f"{counted(count, 'shape')} that may touch, of kind {kind}, became convex meshes with "
            f"{geoms.ROUND_CORNERS} corners around; meshes touch at their corners."
            for kind, count in self._rounded.items()
        ]

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
