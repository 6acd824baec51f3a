"""Description → Model: place the links, weld the parts, lay out the degrees of freedom, check that all can move."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from zoophyte.description import Body, Description, Joint, Motor, Servo
from zoophyte.errors import DescriptionError
from zoophyte.model.check import composite_inertias, inertia_problems
from zoophyte.model.layout import BALL, FREE, GROUND, HINGE, SLIDE, V_COUNT
from zoophyte.model.model import Bodies, Dofs, Floats, Links, Model

LIMIT_FREQUENCY = 100.0  # [rad/s]
LINK_KINDS = {
    "fixed": (),
    "hinge": (HINGE,),
    "slide": (SLIDE,),
    "universal": (HINGE, HINGE),
    "ball": (BALL,),
    "free": (FREE,),
}
DOF_SUFFIXES = {
    "fixed": (), "hinge": ("",), "slide": ("",), "universal": (".0", ".1"), "ball": (".x", ".y", ".z"),
    "free": (".turn_x", ".turn_y", ".turn_z", ".x", ".y", ".z"),
}  # fmt: skip


def compile_description(description: Description) -> Model:
    """Compile; every problem that keeps the body from moving is reported together.

    Raises:
        DescriptionError: names the body and says what to change.
    """
    description = description.checked()
    builder = _Builder(description)
    for body in description.bodies:
        builder.add(body)
    model = builder.model()
    if problems := inertia_problems(model):
        raise DescriptionError(problems, source=description.name)
    return with_limit_springs(model)


def with_limit_springs(model: Model) -> Model:
    """Fill in the springs of limits that name none: stiffness J ω², damping 2 J ω, with J the inertia they stop at q = 0.

    ω = 100 rad/s stops a limb within about its arrival speed times 4 ms and is stable at every step up to 10 ms
    (`docs/decisions/0003-limit-law.md`).
    """
    unnamed = np.isnan(model.dofs.limit_stiffness)
    if not unnamed.any():
        return model
    mass, _, inertia = composite_inertias(model.links)
    links, kinds = model.dofs.link, model.links.kind[model.dofs.link]
    J = np.where(kinds == SLIDE, mass[links], inertia[links, 2, 2])
    stiffness = np.where(unnamed, J * LIMIT_FREQUENCY**2, model.dofs.limit_stiffness)
    damping = np.where(unnamed, 2.0 * J * LIMIT_FREQUENCY, model.dofs.limit_damping)
    dofs = replace(model.dofs, limit_stiffness=_read_only(stiffness), limit_damping=_read_only(damping))
    return replace(model, dofs=dofs)


def quaternion_to_matrix(quaternion: Any) -> Floats:
    """Rotation matrix of a quaternion (w, x, y, z); the identity comes out exact."""
    w, x, y, z = np.asarray(quaternion, float) / np.linalg.norm(quaternion)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def frame_with_z(axis: Any) -> Floats:
    """A rotation whose third column is `axis`; exact for the coordinate axes."""
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    # Helper axis: the one after the largest component of z, so that x → (y, z, x), and z stays the identity.
    largest = int(np.argmax(np.abs(z)))
    helper = np.zeros(3)
    helper[(largest + 1) % 3] = 1.0
    x = helper - z * (helper @ z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


class _Builder:
    """Grows the arrays body by body, parents first."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.index = {"ground": 0}
        self.bodies: dict[str, list[Any]] = {
            "names": ["ground"], "parent": [0], "link": [0], "R_LB": [np.eye(3)], "p_LB": [np.zeros(3)],
            "mass": [0.0], "com": [np.zeros(3)], "inertia": [np.zeros((3, 3))],
        }  # fmt: skip
        self.links: dict[str, list[Any]] = {
            "kind": [GROUND], "parent": [0], "body": [0], "E": [np.eye(3)], "r": [np.zeros(3)],
            "mass": [0.0], "moment": [np.zeros(3)], "inertia": [np.zeros((3, 3))],
        }  # fmt: skip
        self.dofs: dict[str, list[Any]] = {f.name: [] for f in fields(Dofs)}
        self.q_initial: list[float] = []

    def add(self, body: Body) -> None:
        """Append a body whose parent is already there."""
        joint, parent = body.joint, self.index[body.parent]
        link = self.bodies["link"][parent]
        R_LP, p_LP = self.bodies["R_LB"][parent], self.bodies["p_LB"][parent]
        R_LJ = R_LP @ quaternion_to_matrix(joint.rotation)
        p_LJ = p_LP + R_LP @ np.asarray(joint.position, float)
        number = len(self.index)
        self.index[body.name] = number
        for kind, frame in zip(LINK_KINDS[joint.kind], self._link_frames(joint), strict=True):
            link = self._add_link(kind, link, number, R_LJ @ frame, p_LJ)
            R_LJ, p_LJ = frame.T, np.zeros(3)
        self._add_body(body, parent, link, R_LJ, p_LJ)
        self._add_dofs(body)

    @staticmethod
    def _link_frames(joint: Joint) -> list[Floats]:
        """Rotation from each link's axes (its joint axis along z) to the joint's axes."""
        if joint.kind in ("hinge", "slide"):
            return [frame_with_z(joint.axis)]
        if joint.kind == "universal":
            return [frame_with_z(axis) for axis in joint.axes]
        return [np.eye(3)] * len(LINK_KINDS[joint.kind])

    def _add_link(self, kind: int, parent: int, body: int, R_PL: Floats, p_PL: Floats) -> int:
        entry = {"kind": kind, "parent": parent, "body": body, "E": R_PL.T, "r": p_PL,
                 "mass": 0.0, "moment": np.zeros(3), "inertia": np.zeros((3, 3))}  # fmt: skip
        for key, value in entry.items():
            self.links[key].append(value)
        return len(self.links["kind"]) - 1

    def _add_body(self, body: Body, parent: int, link: int, R_LB: Floats, p_LB: Floats) -> None:
        properties = body.mass_properties()
        mass, com_B = float(properties.mass), np.asarray(properties.com, float)
        inertia_B = np.asarray(properties.inertia, float)
        entry = {"names": body.name, "parent": parent, "link": link, "R_LB": R_LB, "p_LB": p_LB,
                 "mass": mass, "com": com_B, "inertia": inertia_B}  # fmt: skip
        for key, value in entry.items():
            self.bodies[key].append(value)
        com = p_LB + R_LB @ com_B
        self.links["mass"][link] += mass
        self.links["moment"][link] = self.links["moment"][link] + mass * com
        about_origin = R_LB @ inertia_B @ R_LB.T + mass * (com @ com * np.eye(3) - np.outer(com, com))
        self.links["inertia"][link] = self.links["inertia"][link] + 0.5 * (about_origin + about_origin.T)

    def _add_dofs(self, body: Body) -> None:
        joint = body.joint
        suffixes = DOF_SUFFIXES[joint.kind]
        first_link = len(self.links["kind"]) - len(LINK_KINDS[joint.kind])
        links = [
            first_link + n for n, kind in enumerate(LINK_KINDS[joint.kind]) for _ in range(V_COUNT[kind])
        ]
        actuator = joint.actuator
        servo = actuator if isinstance(actuator, Servo) else None
        motor = actuator if isinstance(actuator, Motor) else None
        limits = joint.limit_pairs()
        columns = {
            name: joint.per_dof(getattr(joint, name))
            for name in ("stiffness", "damping", "rest", "armature", "limit_stiffness", "limit_damping")
        }
        hard = limits is not None and joint.limit_stiffness is None
        for n, suffix in enumerate(suffixes):
            lower, upper = limits[n] if limits else (-np.inf, np.inf)
            entry = {
                "names": body.name + suffix, "link": links[n],
                **{name: column[n] for name, column in columns.items()},
                "lower": lower, "upper": upper, "driven": joint.driven,
                "servo_stiffness": servo.stiffness if servo else 0.0, "servo_damping": servo.damping if servo else 0.0,
                "motor_strength": motor.strength if motor else 0.0,
                "motor_max_speed": motor.max_speed if motor else np.inf,
            }  # fmt: skip
            if hard:
                entry["limit_stiffness"] = entry["limit_damping"] = (
                    np.nan
                )  # filled in from the inertia, below
            for key, value in entry.items():
                self.dofs[key].append(value)
        self.q_initial += joint.initial_coordinates()

    def model(self) -> Model:
        """Freeze what was collected."""
        return Model(
            name=self.description.name,
            bodies=_frozen(Bodies, self.bodies),
            links=_frozen(Links, self.links),
            dofs=_frozen(Dofs, self.dofs),
            q_initial=_read_only(np.array(self.q_initial, float)),
            description=self.description,
        )


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _frozen(kind: Any, columns: dict[str, list[Any]]) -> Any:
    """A dataclass of read-only arrays from lists."""
    integers, texts, booleans = ("kind", "parent", "link", "body"), ("names",), ("driven",)
    values: dict[str, Any] = {}
    for key, column in columns.items():
        if key in texts:
            values[key] = tuple(column)
        else:
            dtype = np.int64 if key in integers else bool if key in booleans else np.float64
            values[key] = _read_only(np.array(column, dtype))
    return kind(**values)
