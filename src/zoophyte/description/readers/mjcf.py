"""MJCF, MuJoCo's format: MuJoCo itself compiles the file, and the bodies are read from the result.

So defaults, classes, included files, frames, replicas and inertias from geoms mean exactly what they mean there.
Differences end here:

- A joint there may sit anywhere in its body; our body frame sits at the joint.  So a body's frame moves to the anchor of its
  last joint, and with it the mass, the shapes and the children.
- Several joints on a body act one after the other; here each of them but the last gets a body without mass.
- A free joint's coordinates there are position, then quaternion, in the world; ours are measured from its placement.
- Angles of hinges there count from `ref`, here from the pose in the file.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.algebra.quaternions import quaternion_conjugate, quaternion_matrix, quaternion_product
from zoophyte.algebra.rotations import rotate, unrotate
from zoophyte.algebra.vectors import subtract
from zoophyte.description.bodies import GROUND, Body
from zoophyte.description.description import Description
from zoophyte.description.files import read_text
from zoophyte.description.joints import PERPENDICULAR_TOLERANCE, Joint
from zoophyte.description.mass import MassProperties
from zoophyte.description.problems import given
from zoophyte.description.readers.contacts import ContactReader
from zoophyte.description.readers.holds import HoldReader
from zoophyte.description.readers.mujoco_elements import Elements, quadruple, triple
from zoophyte.description.readers.report import NameList, Report
from zoophyte.description.reading import file_error
from zoophyte.description.values import Triple
from zoophyte.errors import DescriptionError, MissingExtraError

Floats = NDArray[np.float64]

KINDS = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}
INITIAL = "initial"
NOTE_LENGTH = 300
NO_NAME = "MuJoCo Model"
SCENERY = "scenery"


def mjcf_description(path: Path, *, partial: bool = False, is_whole: bool = True) -> Description:
    """The description in a file that is known to be safe to read; see :func:`zoophyte.description.load`.

    Args:
        path: of the file.
        partial: leave out what Zoophyte does not have (the description's notes list it) instead of refusing the file.
        is_whole: whether everything stands in this one file, so that MuJoCo's line numbers are its own.

    Raises:
        DescriptionError: with everything that is wrong or not supported, each with file and, where known, line.
        FileError: when MuJoCo refuses the file.
        MissingExtraError: without the package mujoco.
    """
    source = os.fspath(path)
    try:
        import mujoco
    except ImportError:
        raise MissingExtraError("mujoco-core", "mjcf", "reading MJCF files") from None
    report = Report(source)
    try:
        with _listening(mujoco) as heard:
            spec = _specification(mujoco, path)
            model = spec.compile()
    except Exception as failure:  # ValueError, and others for files that are broken in other ways
        raise _refusal(source, failure, is_whole) from None
    for words in heard:
        report.note(f"MuJoCo says: {' '.join(words.split())[:NOTE_LENGTH]}")
    reader = _Reader(Elements(mujoco, spec, model, report=report, is_whole=is_whole))
    bodies = reader.bodies()
    fields = {} if report.wrong else reader.beside(bodies)
    report.settle(partial)
    name = "".join(c for c in str(spec.modelname) if c.isprintable())[:200]
    name = path.stem[:200] if name in ("", NO_NAME) else name
    try:
        return Description(name=name, bodies=bodies, notes=report.words(f"Read from {path.name}."), **fields)
    except DescriptionError as failure:
        raise DescriptionError(failure.problems, source=source) from None


def _specification(mujoco: Any, path: Path) -> Any:
    """MuJoCo's reader goes by the ending of a file, and knows .xml only; other names are handed over as text."""
    if path.suffix == ".xml":
        return mujoco.MjSpec.from_file(os.fspath(path))
    spec = mujoco.MjSpec.from_string(read_text(path))
    spec.modelfiledir = os.fspath(path.parent)
    return spec


@contextmanager
def _listening(mujoco: Any) -> Iterator[list[str]]:
    """Collects MuJoCo's warnings, which otherwise go to the terminal and to a file in the current folder."""
    heard: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(heard.append)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield heard
        heard += [str(warning.message) for warning in caught]
    finally:
        mujoco.set_mju_user_warning(before)


def _refusal(source: str, failure: Exception, is_whole: bool) -> Exception:
    """MuJoCo's words as one line, with the line of the file at its place."""
    words = " ".join(str(failure).split())
    line = re.search(r"\bline (\d+)", words)
    number = int(line[1]) if is_whole and line and int(line[1]) > 0 else None
    return file_error(source, number, f"is refused by MuJoCo: {words[:NOTE_LENGTH]}")


class _Reader:
    """Turns MuJoCo's arrays into bodies."""

    def __init__(self, elements: Elements) -> None:
        self.elements, self.model, self.report = elements, elements.model, elements.report
        self.names = NameList()
        self.body_names: list[str] = [GROUND]  # of the body of ours that has the mass, by MuJoCo's number
        self.offsets: list[Triple] = [(0.0, 0.0, 0.0)]  # of its frame in MuJoCo's
        self.initial = elements.key(INITIAL)
        self.scenery = SCENERY

    def bodies(self) -> list[Body]:
        """All bodies, in MuJoCo's order."""
        model = self.model
        wanted = [self._wanted_name(b) for b in range(1, model.nbody)]
        self.body_names += [self.names.take(name) for name in wanted]
        found: list[Body] = []
        scenery = self.elements.shapes(0, (0.0, 0.0, 0.0))
        if scenery:
            self.scenery = self.names.take(SCENERY)
            found.append(Body(name=self.scenery, shapes=scenery, mass=MassProperties(mass=0.0)))
        for b in range(1, model.nbody):
            try:
                found += self._body(b)
            except DescriptionError as failure:
                self.report.adopt(self.elements.line("body", b), f"body {given(self.body_names[b])}", failure)
        return found

    def beside(self, bodies: list[Body]) -> dict[str, Any]:
        """What the description has beside its bodies: surfaces, which its shapes are given too, pairs and constraints.

        Args:
            bodies: as :meth:`bodies` gave them.
        """
        elements, model = self.elements, self.model
        by_name = {body.name: body for body in bodies}
        shapes: dict[int, tuple[str, Any]] = {}
        for b, numbers in elements.numbers.items():
            name = self.body_names[b] if b else self.scenery
            if numbers:
                shapes |= {g: (name, shape) for g, shape in zip(numbers, by_name[name].shapes, strict=True)}
        lines = [elements.line("pair", number) for number in range(int(model.npair))]
        contacts = ContactReader(elements.mujoco, model, self.report, lines).read(bodies, shapes)
        start = self.initial if self.initial is not None else model.qpos0
        holds = HoldReader(
            elements.mujoco, model, self.report, elements.line, self.body_names, self.offsets, start
        )
        return {
            "surface": contacts.surface,
            "self_contact": contacts.self_contact,
            "pairs": contacts.pairs,
            "constraints": holds.constraints(),
        }

    def _wanted_name(self, b: int) -> str:
        """The body's name, else its last joint's, else a number."""
        joints = self._joints(b)
        last = self.elements.joint_name(joints[-1]) if len(joints) else ""
        return self.elements.body_name(b) or last or f"body{b}"

    def _joints(self, b: int) -> range:
        first = int(self.model.body_jntadr[b])
        return range(first, first + int(self.model.body_jntnum[b]))

    def _body(self, b: int) -> list[Body]:
        model, name = self.model, self.body_names[b]
        parent = int(model.body_parentid[b])
        position = subtract(triple(model.body_pos[b]), self.offsets[parent])
        rotation = quadruple(model.body_quat[b])
        joints = self._joints(b)
        anchors = [triple(model.jnt_pos[j]) if model.jnt_type[j] else (0.0, 0.0, 0.0) for j in joints]
        offset = anchors[-1] if anchors else (0.0, 0.0, 0.0)
        self.offsets.append(offset)
        content = {"mass": self._mass(b, offset), "shapes": self.elements.shapes(b, offset)}
        place = {"parent": self.body_names[parent], "position": position, "rotation": rotation}
        if not len(joints):
            joint = Joint(position=place["position"], rotation=place["rotation"])
            return [Body(name=name, parent=place["parent"], joint=joint, **content)]
        return self._chain(name, list(zip(joints, anchors, strict=True)), place, content)

    def _chain(
        self, name: str, joints: list[tuple[int, Triple]], place: dict[str, Any], content: dict[str, Any]
    ) -> list[Body]:
        """One body per joint, the last of which is the body itself."""
        found: list[Body] = []
        start = place["position"]
        if joints[0][1] != (0.0, 0.0, 0.0):
            x, y, z = rotate(quaternion_matrix(place["rotation"]), joints[0][1])
            start = (start[0] + x, start[1] + y, start[2] + z)
        fields: dict[str, Any] = {"position": start, "rotation": place["rotation"]}
        parent, before = place["parent"], joints[0][1]
        while joints:
            group = 2 if self._is_universal(name, joints) else 1
            j, anchor = joints[0]
            if found:
                fields = {"position": subtract(anchor, before)}
            before, joints = anchor, joints[group:]
            wanted = self.elements.joint_name(j) or f"{name}.joint{len(found)}"
            each = self.names.take(wanted) if joints else name
            joint = self._universal(j, fields) if group == 2 else self._joint(j, fields)
            found.append(Body(name=each, parent=parent, joint=joint, **({} if joints else content)))
            parent = each
        return found

    def _is_universal(self, name: str, joints: list[tuple[int, Triple]]) -> bool:
        """Two hinges at one point whose names say that they were one joint of ours."""
        if len(joints) < 2:
            return False
        (a, anchor), (b, other) = joints[:2]
        model, elements = self.model, self.elements
        first, second = elements.joint_name(a), elements.joint_name(b)
        base = first.removesuffix(".0")
        return (
            first.endswith(".0") and second == f"{base}.1" and anchor == other
            and (base == name or len(joints) > 2)
            and KINDS[int(model.jnt_type[a])] == KINDS[int(model.jnt_type[b])] == "hinge"
            and abs(float(model.jnt_axis[a] @ model.jnt_axis[b])) < PERPENDICULAR_TOLERANCE
            and elements.actuator(a) == elements.actuator(b)
        )  # fmt: skip

    def _universal(self, j: int, place: dict[str, Any]) -> Joint:
        first, second = self.elements.axis_fields(j), self.elements.axis_fields(j + 1)
        fields: dict[str, Any] = {
            key: (first[key], second[key]) for key in ("stiffness", "damping", "rest", "armature", "friction")
        }
        if first["limits"] is not None and second["limits"] is not None:
            fields["limits"] = (first["limits"], second["limits"])
            for key in ("limit_stiffness", "limit_damping"):
                fields[key] = None if None in (first[key], second[key]) else (first[key], second[key])
        elif first["limits"] is not None or second["limits"] is not None:
            self.elements.missing_joint(j, "has a limit on one of its two axes only")
        axes = (triple(self.model.jnt_axis[j]), triple(self.model.jnt_axis[j + 1]))
        initial = [*self._initial(j, "hinge", place), *self._initial(j + 1, "hinge", place)]
        return Joint(
            kind="universal",
            axes=axes,
            initial=initial or None,
            actuator=self.elements.actuator(j),
            **fields,
            **place,
        )

    def _joint(self, j: int, place: dict[str, Any]) -> Joint:
        kind = KINDS[int(self.model.jnt_type[j])]
        initial = self._initial(j, kind, place)
        start = None if not initial else initial[0] if len(initial) == 1 else initial
        if kind == "free":
            self.elements.check_free(j)
            return Joint(kind="free", initial=start, **place)
        actuator = self.elements.actuator(j)
        if kind == "ball":
            fields = self.elements.ball_fields(j)
            return Joint(kind="ball", initial=start, actuator=actuator, **fields, **place)
        fields = self.elements.axis_fields(j)
        axis = triple(self.model.jnt_axis[j])
        kinds: Any = kind
        return Joint(kind=kinds, axis=axis, initial=start, actuator=actuator, **fields, **place)

    def _initial(self, j: int, kind: str, place: dict[str, Any]) -> list[float]:
        """The joint's part of the keyframe called "initial", in our coordinates; nothing without such a keyframe."""
        if self.initial is None:
            return []
        first = int(self.model.jnt_qposadr[j])
        if kind == "ball":
            return list(quadruple(self.initial[first : first + 4]))
        if kind != "free":
            return [float(self.initial[first] - self.model.qpos0[first])]
        R = quaternion_matrix(place["rotation"])
        moved = unrotate(R, subtract(triple(self.initial[first : first + 3]), place["position"]))
        turned = quaternion_product(
            quaternion_conjugate(place["rotation"]), quadruple(self.initial[first + 3 : first + 7])
        )
        return [*turned, *moved]

    def _mass(self, b: int, offset: Triple) -> MassProperties:
        """MuJoCo keeps principal moments and the axes that they belong to."""
        model = self.model
        mass = float(model.body_mass[b])
        if mass == 0.0:
            return MassProperties(mass=0.0)
        R = np.array(quaternion_matrix(quadruple(model.body_iquat[b]))).reshape(3, 3)
        inertia = R @ np.diag(model.body_inertia[b]) @ R.T
        com = subtract(triple(model.body_ipos[b]), offset)
        return MassProperties(mass=mass, com=com, inertia=0.5 * (inertia + inertia.T))
