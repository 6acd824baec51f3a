"""URDF, the robots' format: links and joints as bodies, read by our own reader.

A link's frame sits at the joint that it hangs on, as with us, so placements, axes and inertias are taken as they are.
Differences end here: angles roll, pitch, yaw turn about fixed x, y, z in that order; an axis left out is x; a link's
inertia has its own origin; degrees of freedom are called like the link that they move.  What other programs read from
these files is passed over with a note; what no body can have is refused, or mended when a part is enough.
"""

from __future__ import annotations

import heapq
import os
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from zoophyte.algebra.rotations import Sym3
from zoophyte.description.bodies import GROUND, Body
from zoophyte.description.description import Description
from zoophyte.description.joints import Joint, Motor
from zoophyte.description.mass import (
    MassProperties,
    full_matrix,
    nearest_inertia,
    placed,
    principal_moments,
)
from zoophyte.description.problems import given
from zoophyte.description.readers.geometry import Attribute, Geometry, across, name_of
from zoophyte.description.readers.report import Report, unknown
from zoophyte.description.readers.xml import Element
from zoophyte.description.reading import file_error
from zoophyte.description.surface import Surface
from zoophyte.description.values import Triple
from zoophyte.errors import DescriptionError, Problem

Root = Literal["fixed", "free"]

JOINTS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slide",
    "fixed": "fixed",
    "floating": "free",
    "spherical": "ball",  # Bullet's
}
JOINT_TYPES = (*JOINTS, "planar")
EXTENSIONS = (
    "calibration", "contact", "gazebo", "hardwareInterface", "joint_properties", "plugin", "ros2_control",
    "safety_controller", "self_collision_checking", "sensor", "transmission", "verbose",
)  # fmt: skip
"""Elements for other programs that are met often, and therefore never taken for misspelt ones."""
MISSPELT = 0.75
"""Likeness of two words, from 0 to 1, from which on the one is taken for a misspelling of the other."""
UNBOUNDED = 1e6
"""Of limits, efforts and velocities, which some joints must have: so much, or more, stands for none [m, N·m, rad/s …]."""
WORLD = "world"
"""A link of this name that is empty and the outermost one is the ground."""
READ_ELSEWHERE = ("material", "origin")

PARTS = {
    "robot": ("link", "joint"),
    "link": ("inertial", "visual", "collision"),
    "joint": ("parent", "child", "axis", "limit", "dynamics", "mimic"),
    "inertial": ("mass", "inertia"),
    "visual": ("geometry",),
    "collision": ("geometry",),
}  # fmt: skip


def urdf_description(
    document: Element, path: Path, *, partial: bool = False, root: Root = "fixed"
) -> Description:
    """The description that the outermost element of a URDF file holds.

    Args:
        document: the element <robot>.
        path: of the file.
        partial: leave out what Zoophyte does not have, and mend what no body can have, instead of refusing the file; the
            description's notes list it.
        root: whether the outermost link is fixed to the ground or free.

    Raises:
        DescriptionError: with everything that is wrong or not supported, each with file and line.
        FileError: when the file is no URDF.
        MissingExtraError: when it names mesh files and trimesh is not installed.
    """
    source = os.fspath(path)
    if any(element.tag.startswith("xacro:") for element in document.walk()):
        how = "Expand it first: xacro robot.xacro > robot.urdf"
        raise file_error(source, document.line, "is a xacro file, a program that writes URDF.", how)
    report = Report(source)
    reader = _Reader(report, Geometry(report, path.parent, document), root)
    bodies = reader.bodies(document)
    reader.report.settle(partial)
    name = "".join(c for c in document.attributes.get("name", "") if c.isprintable())[:200] or path.stem
    touching = any(shape.contact for body in bodies for shape in body.shapes)
    surface = Surface() if touching else None  # URDF says nothing about friction
    notes = reader.report.words(f"Read from {path.name}.")
    try:
        return Description(name=name, bodies=bodies, notes=notes, surface=surface)
    except DescriptionError as failure:
        raise DescriptionError(failure.problems, source=source) from None


class _Reader:
    """Turns elements into bodies; all that is wrong goes to the report."""

    def __init__(self, report: Report, geometry: Geometry, root: Root) -> None:
        self.report, self.geometry, self.root = report, geometry, root
        self.ground: str | None = None
        self.number = Attribute(report)

    def bodies(self, document: Element) -> list[Body]:
        """All bodies, roots first."""
        for element in document.walk():
            self._check_parts(element)
        links = self._named(document.all("link"), "link")
        joints = self._named(document.all("joint"), "joint")
        if not links:
            self.report.problem(document.line, "robot", "has no link.", "A robot has at least one.")
            return []
        holders = self._holders(joints, links)
        roots = [name for name in links if name not in holders]
        if len(roots) != 1:
            found = (
                f"has {len(roots)} links that hang on no joint ({given(roots)})"
                if roots
                else "has only rings of joints"
            )
            self.report.problem(document.line, "robot", f"{found}; exactly one link is the root.")
            return []
        bodies: list[Body] = []
        children: dict[str, list[str]] = {}
        for child, (parent, _) in holders.items():
            children.setdefault(parent, []).append(child)
        # Bodies, and with them coordinates, come in the order of the file, as far as parents come before children.
        place = {name: number for number, name in enumerate(links)}
        waiting = [(place[roots[0]], roots[0])]
        if roots[0] == WORLD and self.root == "fixed" and not links[WORLD].children and WORLD in children:
            self.ground = WORLD
            waiting = [(place[name], name) for name in children[WORLD]]
            heapq.heapify(waiting)
        while waiting:
            _, name = heapq.heappop(waiting)
            for child in children.get(name, []):
                heapq.heappush(waiting, (place[child], child))
            bodies += self._link(links[name], holders.pop(name, None), roots[0])
        for child, (_, joint) in holders.items():
            self.report.problem(joint.line, f"link {given(child)}", "hangs in a ring of joints.")
        return bodies

    def _check_parts(self, element: Element) -> None:
        """Misspelt elements are told apart from those of other programs, which are passed over with a note."""
        known = PARTS.get(element.tag, ())
        for child in element.children if known else ():
            if child.tag in known or child.tag in READ_ELSEWHERE:
                continue
            is_foreign = child.tag in EXTENSIONS or ":" in child.tag
            if is_foreign or not get_close_matches(child.tag, known, n=1, cutoff=MISSPELT):
                self.report.note(f"Elements <{child.tag}> were passed over.")
            else:
                where = f"element <{child.tag}> in {name_of(element)}"
                self.report.missing(child.line, where, unknown(child.tag, known))

    def _named(self, elements: list[Element], noun: str) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for element in elements:
            name = element.attributes.get("name", "")
            if not name:
                self.report.problem(element.line, noun, "has no name.")
            elif name in found:
                what = f"is the name of a {noun} in line {found[name].line} already."
                self.report.problem(element.line, f"{noun} {given(name)}", what)
            else:
                found[name] = element
        return found

    def _holders(
        self, joints: dict[str, Element], links: dict[str, Element]
    ) -> dict[str, tuple[str, Element]]:
        """For each link that hangs on a joint: its parent and the joint."""
        holders: dict[str, tuple[str, Element]] = {}
        for joint in joints.values():
            ends = {}
            for role in ("parent", "child"):
                element = joint.find(role)
                link = element.attributes.get("link", "") if element is not None else ""
                if link not in links:
                    what = f"is {given(link)}, which is no link here." if link else "is missing."
                    self.report.problem((element or joint).line, f"{name_of(joint)}: {role}", what)
                ends[role] = link
            if ends["child"] in holders:
                what = (
                    f"holds {given(ends['child'])}, which {name_of(holders[ends['child']][1])} holds already."
                )
                self.report.problem(joint.line, name_of(joint), what, "Loops are not supported.")
            elif ends["child"] in links and ends["parent"] in links:
                holders[ends["child"]] = (ends["parent"], joint)
        return holders

    def _link(self, link: Element, holder: tuple[str, Element] | None, root: str) -> list[Body]:
        """The body of a link, behind the bodies without mass that a planar joint needs."""
        where = name_of(link)
        fields: dict[str, Any] = {"name": link.attributes["name"], "mass": self._mass(link)}
        fields["shapes"] = self.geometry.shapes(link)
        try:
            if holder is None:
                return [Body(joint=Joint(kind="free" if self.root == "free" else "fixed"), **fields)]
            parent, joint = holder
            kind = joint.attributes.get("type", "")
            if kind == "planar":
                return self._planar(joint, GROUND if parent == self.ground else parent, fields)
            if kind == "floating":
                if parent != root or self.root == "free":
                    self.report.missing(joint.line, f"{name_of(joint)}: a floating joint below a moving link")
                    return []
                parent = GROUND
            parent = GROUND if parent == self.ground else parent
            return [Body(parent=parent, joint=self._joint(joint, kind), **fields)]
        except DescriptionError as failure:
            self.report.adopt(link.line, where, failure)
            return []

    def _mass(self, link: Element) -> MassProperties:
        """A link without inertial has no mass, whatever its shapes are."""
        nothing = MassProperties(mass=0.0)
        inertial = link.find("inertial")
        if inertial is None:
            return nothing
        mass, inertia = inertial.find("mass"), inertial.find("inertia")
        if mass is None or inertia is None:
            what = f"has no <{'mass' if mass is None else 'inertia'}>."
            self.report.problem(inertial.line, f"{name_of(link)}: inertial", what)
            return nothing
        kilograms = self.number.of(mass, "value", None)
        xx, xy, xz, yy, yz, zz = (
            self.number.of(inertia, key, 0.0 if key in ("ixy", "ixz", "iyz") else None)
            for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        )
        position, rotation = self.number.origin(inertial)
        return placed(self._possible(inertial, link, kilograms, (xx, xy, xz, yy, yz, zz)), position, rotation)

    def _possible(self, inertial: Element, link: Element, mass: float, inertia: Sym3) -> MassProperties:
        """Mass and inertia as given, or the nearest that a body can have, with a word on what was changed."""
        where = f"{name_of(link)}: inertial"
        try:
            return MassProperties(mass=mass, inertia=inertia)
        except DescriptionError as failure:
            if not mass >= 0.0:
                self.report.adopt(inertial.line, where, failure)
                return MassProperties(mass=0.0)
            problem = failure.problems[0]
        problem = Problem(problem.where.removeprefix("MassProperties: "), problem.what, problem.how)
        if mass == 0.0:
            self.report.mend(inertial.line, where, problem, "the inertia was left out.")
            return MassProperties(mass=0.0)
        found = MassProperties(mass=mass, inertia=nearest_inertia(full_matrix(inertia)))
        moments = ", ".join(f"{moment:.6g}" for moment in principal_moments(found.inertia))
        self.report.mend(
            inertial.line, where, problem, f"the nearest possible moments were taken: {moments}."
        )
        return found

    def _joint(self, element: Element, kind: str) -> Joint:
        if kind not in JOINTS:
            what = f"is {given(kind)}, which {unknown(kind, JOINT_TYPES)}"
            self.report.problem(element.line, f"{name_of(element)}: type", what)
            return Joint()
        position, rotation = self.number.origin(element)
        fields: dict[str, Any] = {"kind": JOINTS[kind], "position": position, "rotation": rotation}
        if JOINTS[kind] in ("hinge", "slide"):
            fields |= self._motion(element, kind)
        elif JOINTS[kind] == "ball":
            self._pass_over(element, ("limit", "dynamics"))
        try:
            return Joint(**fields)
        except DescriptionError as failure:
            self.report.adopt(element.line, name_of(element), failure)
            return Joint()

    def _motion(self, element: Element, kind: str) -> dict[str, Any]:
        """What a joint of one axis has: axis, limits, damper and motor."""
        fields: dict[str, Any] = {"axis": self._axis(element)}
        limit, dynamics, mimic = element.find("limit"), element.find("dynamics"), element.find("mimic")
        if kind != "continuous":
            if limit is None:
                how = "A joint without limits is of the type continuous." if kind == "revolute" else ""
                self.report.problem(element.line, name_of(element), f"is {kind}, but has no <limit>.", how)
            else:
                fields["limits"] = self._limits(element, limit)
        if limit is not None:
            effort, speed = self.number.of(limit, "effort", 0.0), self.number.of(limit, "velocity", 0.0)
            if 0.0 < effort < UNBOUNDED:  # a force without bounds is nothing that a motor could have
                fields["actuator"] = Motor(
                    strength=effort, **({"max_speed": speed} if 0.0 < speed < UNBOUNDED else {})
                )
        if dynamics is not None:
            fields["damping"] = self.number.of(dynamics, "damping", 0.0)
            fields["friction"] = self.number.of(dynamics, "friction", 0.0)
        if mimic is not None:
            where = self.report.place(mimic.line, f"{name_of(element)}: mimic")
            master = given(mimic.attributes.get("joint", ""))
            self.report.note(
                f"{where}: is not supported; the joint does not follow joint {master}, but moves by itself."
            )
        return fields

    def _limits(self, element: Element, limit: Element) -> tuple[float, float] | None:
        """Lower and upper limit; None where they are upside down, by which other programs say that there are none."""
        lower, upper = self.number.of(limit, "lower", 0.0), self.number.of(limit, "upper", 0.0)
        if lower <= -UNBOUNDED and upper >= UNBOUNDED:
            return None
        if lower <= upper:
            return lower, upper
        what = f"is {given([lower, upper])}, upside down: the lower limit comes first."
        self.report.mend(limit.line, f"{name_of(element)}: limits", what, "the joint has no limits.")
        return None

    def _axis(self, element: Element) -> Triple:
        axis = element.find("axis")
        return (1.0, 0.0, 0.0) if axis is None else self.number.triple(axis, "xyz", (1.0, 0.0, 0.0))

    def _pass_over(self, element: Element, tags: tuple[str, ...]) -> None:
        """Note what a joint of several degrees of freedom has and one of ours has not."""
        for tag in tags:
            if (found := element.find(tag)) is not None:
                where = self.report.place(found.line, f"{name_of(element)}: {tag}")
                kind = element.attributes.get("type", "")
                self.report.note(f"{where}: was passed over, as the joint is {kind}.")

    def _planar(self, element: Element, parent: str, fields: dict[str, Any]) -> list[Body]:
        """Two slides across the axis and a hinge about it, with nothing between."""
        self._pass_over(element, ("limit", "dynamics"))
        position, rotation = self.number.origin(element)
        axis = Joint(kind="hinge", axis=self._axis(element)).axis
        first, second = across(axis)
        name = fields["name"]
        slide = Joint(kind="slide", axis=first, position=position, rotation=rotation)
        return [
            Body(name=f"{name}.slide_1", parent=parent, joint=slide),
            Body(name=f"{name}.slide_2", parent=f"{name}.slide_1", joint=Joint(kind="slide", axis=second)),
            Body(parent=f"{name}.slide_2", joint=Joint(kind="hinge", axis=axis), **fields),
        ]
