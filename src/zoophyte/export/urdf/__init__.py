"""Descriptions as URDF, the robots' format: links, joints, inertias and shapes, for Pinocchio, ROS, MuJoCo, PyBullet.

::

    notes = write_urdf(zp.zoo.ant(), "ant.urdf")

Every link has its inertia about its centre of mass, in its own axes, so that all programs compute on our numbers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from zoophyte.description import GROUND, Body, Description, MassProperties, six_entries
from zoophyte.description.files import reason, write_text
from zoophyte.description.reading import file_error
from zoophyte.description.values import Triple
from zoophyte.export.mjcf.frames import Placement
from zoophyte.export.mjcf.markup import Attributes, Markup, Names, Value
from zoophyte.export.urdf.joints import FLOATING, Step, steps_of
from zoophyte.export.urdf.losses import Losses
from zoophyte.export.urdf.shapes import Looks, turning

WORLD = "world"
"""Name of the link that stands for the ground: the root of what is fixed, or of several trees."""

__all__ = ["WORLD", "Urdf", "urdf_document", "write_urdf"]


@dataclass(frozen=True)
class Urdf:
    """A URDF text, what URDF cannot say (the text says it too, in comments), and the mesh files that it names.

    Args:
        text: of the file.
        notes: one sentence each.
        meshes: the texts of the mesh files (.obj), by the name that the text gives them.
    """

    text: str
    notes: tuple[str, ...]
    meshes: Mapping[str, str]


def write_urdf(description: Description, path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write the description to a URDF file, and what is no box, ball or cylinder to mesh files in a folder beside it.

    Args:
        description: of any body.
        path: of the file, which usually ends in .urdf.

    Returns:
        What URDF cannot say, or says otherwise, one sentence each.

    Raises:
        FileError: when a file cannot be written.
    """
    target = Path(path)
    document = urdf_document(description, meshes=meshes_beside(target).name)
    for name, text in document.meshes.items():
        place = target.parent / name
        try:
            place.parent.mkdir(exist_ok=True)
        except OSError as failure:
            source = os.fspath(place.parent)
            raise file_error(source, None, f"cannot be made a folder: {reason(failure)}.") from None
        write_text(place, text)
    write_text(target, document.text)
    return document.notes


def meshes_beside(path: str | os.PathLike[str]) -> Path:
    """The folder of the meshes of a URDF file: ``walk_meshes`` for ``walk.urdf``.

    Args:
        path: of the URDF file.
    """
    return Path(path).with_name(f"{Path(path).stem}_meshes")


def urdf_document(description: Description, *, meshes: str = "meshes") -> Urdf:
    """The description as URDF text, with notes and meshes.

    Args:
        description: of any body.
        meshes: folder of the mesh files, as the text names it.
    """
    return _Writer(description.checked(), meshes).document()


class _Writer:
    """Writes links and joints, parents first; what URDF cannot say goes to the losses."""

    def __init__(self, description: Description, folder: str) -> None:
        self.description = description
        self.losses = Losses()
        self.looks = Looks(description, self.losses, folder)
        roots = [body for body in description.bodies if body.parent == GROUND]
        self.is_one_free = len(roots) == 1 and roots[0].joint.kind == "free"
        self.taken = Names(set() if self.is_one_free else {WORLD})
        self.names = {GROUND: WORLD}
        self.links, self.joints = Markup(), Markup()

    def document(self) -> Urdf:
        """The whole."""
        if not self.is_one_free:
            self.links.add("link", {"name": WORLD})
        for body in self.description.bodies:
            self._body(body)
        self.losses.of_whole(self.description)
        notes = self.losses.words()
        whole = Markup()
        whole.open("robot", {"name": self.description.name})
        whole.comment("Written by Zoophyte. Units are SI, angles radians.")
        for note in notes:
            whole.comment(f"URDF cannot say: {note}")
        self.looks.write_materials(whole)
        whole.adopt(self.links)
        whole.adopt(self.joints)
        whole.close()
        return Urdf(whole.text(), notes, self.looks.meshes)

    def _body(self, body: Body) -> None:
        name = self.taken.take(body.name)
        self.names[body.name] = name
        if name != body.name:
            self.losses.say(f"Body '{body.name}' is called '{name}' there.")
        if body.parent == GROUND and self.is_one_free:
            self._root(body)
        else:
            steps = steps_of(body, self.losses)
            above = self.names[body.parent]
            for number, step in enumerate(steps[:-1]):
                between = self.taken.take(f"{name}.{number}")
                self.links.add("link", {"name": between})
                self._joint(step, above, between)
                above = between
            self._joint(steps[-1], above, name)
        self._link(body, name)

    def _root(self, body: Body) -> None:
        """The one free body that all others hang on: the outermost link, which programs set free when they are asked to."""
        start = steps_of(body, self.losses)[0].placement
        self.losses.say(
            f"'{body.name}' is free: read the file with root='free', or elsewhere with a free-flyer joint."
        )
        if start != Placement():
            place = ", ".join(f"{x:.6g}" for x in start.position)
            turn = ", ".join(f"{x:.6g}" for x in start.rotation)
            self.losses.say(f"Its start is lost: position ({place}) m, rotation ({turn}) as w, x, y, z.")

    def _joint(self, step: Step, parent: str, child: str) -> None:
        self.joints.open("joint", {"name": child, "type": step.kind})
        self.joints.add("parent", {"link": parent})
        self.joints.add("child", {"link": child})
        _origin(self.joints, step.placement)
        if step.kind not in ("fixed", FLOATING):
            self.joints.add("axis", {"xyz": step.axis})
            for tag, attributes in step.elements:
                self.joints.add(tag, attributes)
        self.joints.close()

    def _link(self, body: Body, name: str) -> None:
        properties = body.mass_properties()
        if properties.mass == 0.0 and not body.shapes:
            self.links.add("link", {"name": name})
            return
        self.links.open("link", {"name": name})
        if properties.mass > 0.0:
            _inertial(self.links, properties)
        self.looks.write(self.links, body)
        self.links.close()


def _inertial(markup: Markup, properties: MassProperties) -> None:
    xx, xy, xz, yy, yz, zz = six_entries(properties.inertia)
    entries: dict[str, Value] = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    markup.open("inertial")
    _origin(markup, Placement(properties.com))
    markup.add("mass", {"value": properties.mass})
    markup.add("inertia", entries)
    markup.close()


def _origin(markup: Markup, placement: Placement) -> None:
    position: Triple | None = placement.position if any(placement.position) else None
    angles = turning(placement.rotation)
    attributes: Attributes = {"xyz": position, "rpy": angles if any(angles) else None}
    if any(value is not None for value in attributes.values()):
        markup.add("origin", attributes)
