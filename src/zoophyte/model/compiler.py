"""Description → Model: place the links, weld the parts, lay out the degrees of freedom, check that all can move."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from typing import Any

import numpy as np

from zoophyte.algebra.inertia import rigid_to_parent
from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import Mat3, Sym3, compose, rotate, transpose
from zoophyte.algebra.spatial import spatial_add
from zoophyte.algebra.vectors import Vec3, add, cross, dot, norm
from zoophyte.description import Body, Description, Joint, Motor, Servo, six_entries
from zoophyte.errors import DescriptionError, UsageError
from zoophyte.model.articulated import Neutral, inertia_problems
from zoophyte.model.layout import BALL, FREE, GROUND, HINGE, SLIDE, V_COUNT
from zoophyte.model.model import Bodies, Dofs, Links, Model

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
    if not isinstance(description, Description):
        raise UsageError(
            f"compile takes a Description, not {type(description).__name__}; zp.load reads files."
        )
    description = description.checked()
    builder = _Builder(description)
    for body in description.bodies:
        builder.add(body)
    model = builder.model()
    if clash := sorted(name for name, count in Counter(model.dof_names).items() if count > 1):
        raise DescriptionError(
            f"two degrees of freedom would be called {', '.join(map(repr, clash))}: a body's name, and the axis of a joint "
            f"with several axes. Rename one of the bodies.",
            source=description.name,
        )
    neutral = Neutral.of(model)
    if problems := inertia_problems(model, neutral):
        raise DescriptionError(problems, source=description.name)
    return with_limit_springs(model, neutral)


def with_limit_springs(model: Model, neutral: Neutral) -> Model:
    """Fill in the springs of limits that name none: stiffness J ω², damping 2 J ω, with J what they have to stop.

    J = 1/(M⁻¹)ᵢᵢ in the initial configuration is the inertia that the joint feels with all others loose; what that means
    for stability, and for limits that carry weight: `docs/decisions/0003-limit-law.md`.
    """
    unnamed = np.isnan(model.dofs.limit_stiffness)
    if not unnamed.any():
        return model
    J = np.array(neutral.felt)
    stiffness = np.where(unnamed, J * LIMIT_FREQUENCY**2, model.dofs.limit_stiffness)
    damping = np.where(unnamed, 2.0 * J * LIMIT_FREQUENCY, model.dofs.limit_damping)
    dofs = replace(model.dofs, limit_stiffness=_read_only(stiffness), limit_damping=_read_only(damping))
    return replace(model, dofs=dofs)


def frame_with_z(axis: Any) -> Mat3:
    """A rotation whose third column is `axis`; exact for the coordinate axes."""
    length = norm(floats(axis))
    z: Any = tuple(x / length for x in floats(axis))
    # Helper axis: the one after the largest component of z, so that x → (y, z, x), and z stays the identity.
    largest = max(range(3), key=lambda k: abs(z[k]))
    helper: Any = tuple(1.0 if k == (largest + 1) % 3 else 0.0 for k in range(3))
    along = dot(helper, z)
    x: Any = tuple(h - along * c for h, c in zip(helper, z, strict=True))
    x = tuple(c / norm(x) for c in x)
    y = cross(z, x)
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


def floats(values: Any) -> Any:
    """A tuple of plain floats."""
    return tuple(float(value) for value in values)


IDENTITY: Mat3 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ORIGIN: Vec3 = (0.0, 0.0, 0.0)
NOTHING: Sym3 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class _Builder:
    """Grows the arrays body by body, parents first."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.index = {"ground": 0}
        self.bodies: dict[str, list[Any]] = {
            "names": ["ground"], "parent": [0], "link": [0], "R_LB": [IDENTITY], "p_LB": [ORIGIN],
            "mass": [0.0], "com": [ORIGIN], "inertia": [NOTHING],
        }  # fmt: skip
        self.links: dict[str, list[Any]] = {
            "kind": [GROUND], "parent": [0], "body": [0], "E": [IDENTITY], "r": [ORIGIN],
            "mass": [0.0], "moment": [ORIGIN], "inertia": [NOTHING],
        }  # fmt: skip
        self.dofs: dict[str, list[Any]] = {f.name: [] for f in fields(Dofs)}
        self.q_initial: list[float] = []

    def add(self, body: Body) -> None:
        """Append a body whose parent is already there."""
        joint, parent = body.joint, self.index[body.parent]
        link = self.bodies["link"][parent]
        R_LP, p_LP = self.bodies["R_LB"][parent], self.bodies["p_LB"][parent]
        R_LJ = compose(R_LP, quaternion_matrix(floats(joint.rotation)))
        p_LJ = add(p_LP, rotate(R_LP, floats(joint.position)))
        number = len(self.index)
        self.index[body.name] = number
        for kind, frame in zip(LINK_KINDS[joint.kind], self._link_frames(joint), strict=True):
            link = self._add_link(kind, link, number, compose(R_LJ, frame), p_LJ)
            R_LJ, p_LJ = transpose(frame), ORIGIN
        self._add_body(body, parent, link, R_LJ, p_LJ)
        self._add_dofs(body)

    @staticmethod
    def _link_frames(joint: Joint) -> list[Mat3]:
        """Rotation from each link's axes (its joint axis along z) to the joint's axes."""
        if joint.kind in ("hinge", "slide"):
            return [frame_with_z(joint.axis)]
        if joint.kind == "universal":
            return [frame_with_z(axis) for axis in joint.axes]
        return [IDENTITY] * len(LINK_KINDS[joint.kind])

    def _add_link(self, kind: int, parent: int, body: int, R_PL: Mat3, p_PL: Vec3) -> int:
        entry = {"kind": kind, "parent": parent, "body": body, "E": transpose(R_PL), "r": p_PL,
                 "mass": 0.0, "moment": ORIGIN, "inertia": NOTHING}  # fmt: skip
        for key, value in entry.items():
            self.links[key].append(value)
        return len(self.links["kind"]) - 1

    def _add_body(self, body: Body, parent: int, link: int, R_LB: Mat3, p_LB: Vec3) -> None:
        properties = body.mass_properties()
        mass, com = float(properties.mass), floats(properties.com)
        central = floats(six_entries(properties.inertia))
        entry = {"names": body.name, "parent": parent, "link": link, "R_LB": R_LB, "p_LB": p_LB,
                 "mass": mass, "com": com, "inertia": central}  # fmt: skip
        for key, value in entry.items():
            self.bodies[key].append(value)
        # About the centre of mass the first moment is zero; from there to the link's origin in one shift.
        where = add(p_LB, rotate(R_LB, com))
        moment, inertia = rigid_to_parent(transpose(R_LB), where, mass, ORIGIN, central)
        self.links["mass"][link] += mass
        self.links["moment"][link] = add(self.links["moment"][link], moment)
        self.links["inertia"][link] = spatial_add(self.links["inertia"][link], inertia)

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
            for name in (
                "stiffness",
                "damping",
                "rest",
                "armature",
                "friction",
                "limit_stiffness",
                "limit_damping",
            )
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
                "hard_limit": hard, "servo_max_force": servo.max_force if servo else np.inf,
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


def _array(key: str, column: list[Any], dtype: Any) -> Any:
    """A column as an array; matrices get their two dimensions back."""
    array = np.array(column, dtype)
    if key in ("E", "R_LB"):
        return array.reshape(-1, 3, 3)
    if key == "inertia":
        return array[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
    return array


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _frozen(kind: Any, columns: dict[str, list[Any]]) -> Any:
    """A dataclass of read-only arrays from lists."""
    integers, texts, booleans = ("kind", "parent", "link", "body"), ("names",), ("driven", "hard_limit")
    values: dict[str, Any] = {}
    for key, column in columns.items():
        if key in texts:
            values[key] = tuple(column)
        else:
            dtype = np.int64 if key in integers else bool if key in booleans else np.float64
            values[key] = _read_only(_array(key, column, dtype))
    return kind(**values)
