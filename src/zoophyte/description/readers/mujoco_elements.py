"""Joints, actuators and geoms of a compiled MuJoCo model in our terms, and what of them we do not have."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from zoophyte.algebra.quaternions import quaternion_conjugate, quaternion_matrix, quaternion_product
from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.vectors import subtract
from zoophyte.description.joints import Motor, Servo
from zoophyte.description.problems import given
from zoophyte.description.readers.actuators import Drive, drive_of
from zoophyte.description.readers.meshes import hull
from zoophyte.description.readers.report import Report
from zoophyte.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Polyhedron, Shape, Sphere
from zoophyte.description.values import Quadruple, Triple
from zoophyte.errors import DescriptionError

UNSUPPORTED = {"flexes": "flex", "skins": "skin", "plugins": "plugin"}
"""Lists of a specification whose entries we have nothing for."""

USUAL_STEP = 0.002
"""Of MuJoCo, in a file that says nothing [s]."""
DISABLED = ("SPRING", "DAMPER", "GRAVITY", "ACTUATION", "LIMIT", "CONSTRAINT")
SOFT = 1e-3
"""Impedance below which a limit of MuJoCo is a spring."""
DEFAULT_COLOUR = (0.5, 0.5, 0.5, 1.0)


class Elements:
    """Looks things up in a compiled model, and reports what is not supported.

    Args:
        mujoco: the package.
        spec: the specification that was compiled.
        model: the result.
        report: of the reader.
        is_whole: whether everything stands in one file.
    """

    def __init__(self, mujoco: Any, spec: Any, model: Any, *, report: Report, is_whole: bool) -> None:
        self.mujoco, self.spec, self.model, self.report = mujoco, spec, model, report
        self._is_whole = is_whole
        self._geoms = {int(geom.id): geom for geom in spec.geoms}
        self._lines = {
            noun: {int(element.id): self._line(element) for element in elements}
            for noun, elements in (
                ("body", spec.bodies),
                ("joint", spec.joints),
                ("actuator", spec.actuators),
                ("equality", spec.equalities),
                ("tendon", spec.tendons),
                ("pair", spec.pairs),
            )
        }
        self.numbers: dict[int, list[int]] = {}
        """Of each body, once its shapes were asked for: the geoms that became shapes."""
        self._hulls: dict[int, Polyhedron] = {}
        self._check_whole()
        self._drives = self._read_actuators()

    def joint_name(self, j: int) -> str:
        """The joint's name, or nothing."""
        return str(self.model.joint(j).name)

    def body_name(self, b: int) -> str:
        """The body's name, or nothing."""
        return str(self.model.body(b).name)

    def line(self, noun: str, number: int) -> int | None:
        """Where an element is written, when that is known.

        Args:
            noun: body, joint, actuator, equality, tendon or pair.
            number: of the element in the compiled model.
        """
        return self._lines[noun].get(number)

    def key(self, name: str) -> Any:
        """The coordinates of a keyframe, or None."""
        for number in range(self.model.nkey):
            if str(self.model.key(number).name) == name:
                return self.model.key_qpos[number]
        return None

    def missing_joint(self, j: int, what: str) -> None:
        """Report something about a joint that we do not have."""
        self.report.missing(
            self._lines["joint"].get(j), f"joint {given(self.joint_name(j))}", f"{what}: not supported."
        )

    def _line(self, element: Any) -> int | None:
        """MuJoCo remembers as "line 12" where an element was written, but not in which of several files."""
        found = re.search(r"line (\d+)", str(getattr(element, "info", "") or ""))
        return int(found[1]) if self._is_whole and found and int(found[1]) > 0 else None

    # ------------------------------------------------------------------------------------------- the whole model

    def _check_whole(self) -> None:
        report, model = self.report, self.model
        for field, noun in UNSUPPORTED.items():
            for element in getattr(self.spec, field, ()):
                name = getattr(element, "name", "")
                report.missing(self._line(element), f"{noun} {given(name)}" if name else noun)
        for b in range(1, model.nbody):
            where, line = f"body {given(self.body_name(b))}", self._lines["body"].get(b)
            if model.body_gravcomp[b] != 0.0:
                report.missing(line, f"{where}: gravcomp")
            if model.body_mocapid[b] >= 0:
                report.missing(line, f"{where}: mocap")
        option = model.opt
        if option.density != 0.0 or option.viscosity != 0.0 or np.any(option.wind):
            report.missing(None, "option: density, viscosity and wind of a medium")
        if option.timestep != USUAL_STEP:
            step = f"{option.timestep:g}"
            report.note(
                f"The step there is {step} s; here it belongs to the world: dt={step}, or --dt {step}."
            )
        if not np.allclose(option.gravity, (0.0, 0.0, -9.81), rtol=0.0, atol=1e-12):
            report.note(f"Gravity there is {option.gravity.tolist()}; here it belongs to the habitat.")
        bits = {name: int(getattr(self.mujoco.mjtDisableBit, f"mjDSBL_{name}")) for name in DISABLED}
        off = [name.lower() for name, bit in bits.items() if int(option.disableflags) & bit]
        if off:
            report.note(f"Switched off there, but not here: {', '.join(off)}.")

    # -------------------------------------------------------------------------------------------------- joints

    def check_free(self, j: int) -> None:
        """A free joint of ours has neither springs nor dampers, nor a rotor."""
        dof = int(self.model.jnt_dofadr[j])
        dofs = slice(dof, dof + 6)
        self._check_common(j, dofs)
        if (
            self.model.jnt_stiffness[j]
            or np.any(self.model.dof_damping[dofs])
            or np.any(self.model.dof_armature[dofs])
        ):
            self.missing_joint(j, "is free and has a spring, a damper or an armature")
        if j in self._drives:
            self.missing_joint(j, "is free and has an actuator")

    def axis_fields(self, j: int) -> dict[str, Any]:
        """Fields of a hinge or slide."""
        model = self.model
        dof, first = int(model.jnt_dofadr[j]), int(model.jnt_qposadr[j])
        self._check_common(j, slice(dof, dof + 1))
        drive = self._drives.get(j, Drive())
        stiffness = float(model.jnt_stiffness[j])
        ref = float(model.qpos0[first])
        limits = None
        if model.jnt_limited[j]:
            lower, upper = (float(x) - ref for x in model.jnt_range[j])
            limits = (lower, upper)
        pull = stiffness * (float(model.qpos_spring[first]) - ref) + drive.push[0]
        whole = stiffness + drive.stiffness[0]
        return {
            "stiffness": self._not_negative(j, whole, "spring"),
            "rest": pull / whole if whole > 0.0 else 0.0,
            "damping": self._not_negative(j, float(model.dof_damping[dof]) + drive.damping[0], "damper"),
            "armature": float(model.dof_armature[dof]) + drive.armature,
            "friction": float(model.dof_frictionloss[dof]),
            "limits": limits,
            **self._limit_law(j, dof),
        }

    def _limit_law(self, j: int, dof: int) -> dict[str, float | None]:
        """A limit that is as soft as a spring, as our exporter writes it, is that spring; others are hard."""
        stiffness, damping = (-float(x) for x in self.model.jnt_solref[j])
        impedance, mobility = float(max(self.model.jnt_solimp[j][:2])), float(self.model.dof_invweight0[dof])
        if (
            self.model.jnt_limited[j]
            and min(stiffness, damping) > 0.0
            and impedance <= SOFT
            and mobility > 0.0
        ):
            return {"limit_stiffness": stiffness / mobility, "limit_damping": damping / mobility}
        return {"limit_stiffness": None, "limit_damping": None}

    def ball_fields(self, j: int) -> dict[str, Any]:
        """Fields of a ball joint."""
        model = self.model
        dof = int(model.jnt_dofadr[j])
        self._check_common(j, slice(dof, dof + 3))
        if model.jnt_limited[j]:
            self.missing_joint(j, "is a ball joint with a limit")
        drive = self._drives.get(j, Drive())
        stiffness = [float(model.jnt_stiffness[j]) + k for k in drive.stiffness]
        damping = [float(model.dof_damping[dof + n]) + drive.damping[n] for n in range(3)]
        rest = [push / k if k > 0.0 else 0.0 for push, k in zip(drive.push, stiffness, strict=True)]
        return {
            "stiffness": [self._not_negative(j, k, "spring") for k in stiffness],
            "damping": [self._not_negative(j, b, "damper") for b in damping],
            "rest": rest,
            "armature": float(model.dof_armature[dof]) + drive.armature,
        }

    def _not_negative(self, j: int, value: float, noun: str) -> float:
        if value < 0.0:
            self.missing_joint(j, f"has a {noun} with the negative coefficient {value:g}")
        return max(value, 0.0)

    def _check_common(self, j: int, dofs: slice) -> None:
        model = self.model
        if np.any(model.dof_frictionloss[dofs]) and dofs.stop - dofs.start > 1:
            self.missing_joint(j, "is a ball or free joint with a frictionloss")
        if _any(model, "jnt_stiffnesspoly", j) or _any(model, "dof_dampingpoly", dofs):
            self.missing_joint(j, "has a spring or damper that is not linear")
        if _any(model, "jnt_springyield", j):
            self.missing_joint(j, "has a spring that yields")
        if model.jnt_actfrclimited[j]:
            self.missing_joint(j, "has an actuatorfrcrange")

    # ----------------------------------------------------------------------------------------------- actuators

    def actuator(self, j: int) -> Servo | Motor | None:
        """The actuator on every degree of freedom of a joint."""
        return self._drives[j].actuator if j in self._drives else None

    def _read_actuators(self) -> dict[int, Drive]:
        found: dict[int, Drive] = {}
        model = self.model
        for number in range(len(model.actuator_trntype)):
            name = str(model.actuator(number).name)
            line = self._lines["actuator"].get(number)
            where = f"actuator {given(name)}" if name else f"actuator number {number}"
            trouble = drive_of(self.mujoco, model, number, found)
            if trouble:
                self.report.missing(line, where, f"{trouble}: not supported.")
        for j, drive in found.items():
            if trouble := drive.close(int(model.jnt_type[j]) == int(self.mujoco.mjtJoint.mjJNT_BALL)):
                self.missing_joint(j, trouble)
            for words in drive.notes:
                self.report.note(f"Joint {given(self.joint_name(j))}: {words}")
        return found

    # --------------------------------------------------------------------------------------------------- geoms

    def shapes(self, b: int, offset: Triple) -> list[Shape]:
        """The shapes of a body, seen from a frame that stands at `offset` in MuJoCo's."""
        first = int(self.model.body_geomadr[b])
        numbers = range(first, first + int(self.model.body_geomnum[b]))
        found = {number: self._shape(number, offset) for number in numbers}
        self.numbers[b] = [number for number, shape in found.items() if shape is not None]
        return [shape for shape in found.values() if shape is not None]

    def _shape(self, g: int, offset: Triple) -> Shape | None:
        model, kinds = self.model, self.mujoco.mjtGeom
        kind = int(model.geom_type[g])
        name = str(model.geom(g).name)
        where, line = f"geom {given(name)}" if name else "geom", self._line(self._geoms.get(g))
        if kind == int(kinds.mjGEOM_PLANE):
            return None  # the ground, which the reader of contacts tells about
        if kind == int(kinds.mjGEOM_HFIELD):
            self.report.missing(
                line, f"{where} of the type hfield", "is terrain, which belongs to the habitat."
            )
            return None
        fields: dict[str, Any] = {
            "name": "".join(c for c in name if c.isprintable())[:200],
            "position": subtract(triple(model.geom_pos[g]), offset),
            "rotation": quadruple(model.geom_quat[g]),
            "colour": self._colour(g),
        }
        size = [float(x) for x in model.geom_size[g]]
        try:
            if kind == int(kinds.mjGEOM_MESH):
                return self._dense(self._mesh(g, fields), g)
            solids: dict[int, Any] = {
                int(kinds.mjGEOM_SPHERE): lambda: Sphere(radius=size[0], **fields),
                int(kinds.mjGEOM_CAPSULE): lambda: Capsule(radius=size[0], length=2.0 * size[1], **fields),
                int(kinds.mjGEOM_CYLINDER): lambda: Cylinder(radius=size[0], length=2.0 * size[1], **fields),
                int(kinds.mjGEOM_ELLIPSOID): lambda: Ellipsoid(semi_axes=size, **fields),
                int(kinds.mjGEOM_BOX): lambda: Box(size=[2.0 * x for x in size], **fields),
            }
            if kind in solids:
                return self._dense(solids[kind](), g)
        except DescriptionError as failure:
            self.report.missing(line, where, str(failure.problems[0]))
            return None
        self.report.missing(line, f"{where} of the type {kinds(kind).name.partition('_')[2].lower()}")
        return None

    def _dense(self, shape: Shape, g: int) -> Shape:
        """The density that the file gives the geom; the body's mass is explicit all the same."""
        geom = self._geoms.get(g)
        mass = float(geom.mass) if geom is not None else math.nan
        volume = shape.volume()
        density = (
            mass / volume
            if math.isfinite(mass) and volume > 0.0
            else float(geom.density if geom is not None else 0.0)
        )
        return (
            shape.model_copy(update={"density": density})
            if math.isfinite(density) and density >= 0.0
            else shape
        )

    def _colour(self, g: int) -> tuple[float, ...] | None:
        rgba = tuple(round(float(x), 6) for x in self.model.geom_rgba[g])
        material = int(self.model.geom_matid[g])
        if rgba == DEFAULT_COLOUR and material >= 0:
            rgba = tuple(round(float(x), 6) for x in self.model.mat_rgba[material])
        elif rgba == DEFAULT_COLOUR:
            return None
        return tuple(min(max(x, 0.0), 1.0) for x in rgba[:3])

    def _mesh(self, g: int, fields: dict[str, Any]) -> Shape:
        """MuJoCo moves a mesh to its centre of mass and principal axes, and the geom with it; here both go back."""
        model, mesh = self.model, int(self.model.geom_dataid[g])
        q, p = quadruple(model.mesh_quat[mesh]), triple(model.mesh_pos[mesh])
        if mesh not in self._hulls:
            first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
            R = np.array(quaternion_matrix(q)).reshape(3, 3)
            self._hulls[mesh] = hull(np.asarray(model.mesh_vert[first : first + count], float) @ R.T + p)
        rotation = quaternion_product(fields["rotation"], quaternion_conjugate(q))
        moved = rotate(quaternion_matrix(rotation), p)
        placed = {**fields, "rotation": rotation, "position": subtract(fields["position"], moved)}
        return self._hulls[mesh].model_copy(update=placed)


def triple(values: Any) -> Triple:
    """Three numbers of an array as a tuple."""
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def quadruple(values: Any) -> Quadruple:
    """A quaternion of an array as a tuple, one long."""
    w, x, y, z = (float(value) for value in np.asarray(values, float) / np.linalg.norm(values))
    return (w, x, y, z)


def _any(model: Any, field: str, where: Any) -> bool:
    """Whether a field that only newer versions of MuJoCo have is set."""
    return bool(np.any(getattr(model, field, np.zeros(1))[where])) if hasattr(model, field) else False
