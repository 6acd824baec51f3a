"""Description → Model: place the links, weld the parts, lay out the degrees of freedom, check that all can move."""

from __future__ import annotations

import math
from collections import Counter
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
from zoophyte.model.model import Bodies, Dofs, Floats, Ints, Links, Model

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
PER_DOF = ("stiffness", "damping", "rest", "armature", "friction", "limit_stiffness", "limit_damping")
"""Fields of a joint with one number per degree of freedom."""
DOF_COLUMNS = (
    *PER_DOF[:-2], "named_stiffness", "named_damping", "lower", "upper", "servo_stiffness", "servo_damping",
    "servo_max_force", "motor_strength", "motor_max_speed", "driven", "hard_limit", "link",
)  # fmt: skip
NO_LIMIT = (-math.inf, math.inf)
NO_SERVO, NO_MOTOR = Servo(stiffness=0.0), Motor(strength=0.0)
AXES_AFTER: tuple[Vec3, ...] = ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
IDENTITY: Mat3 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ORIGIN: Vec3 = (0.0, 0.0, 0.0)
NOTHING: Sym3 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
Seat = tuple[int, Mat3, Vec3]
"""Where something sits: a link, and a frame on it."""


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
    if len(set(model.dof_names)) < model.nv:
        clash = sorted(name for name, count in Counter(model.dof_names).items() if count > 1)
        raise DescriptionError(
            f"two degrees of freedom would be called {', '.join(map(repr, clash))}: a body's name, and the axis of a joint "
            f"with several axes. Rename one of the bodies.",
            source=description.name,
        )
    if problems := inertia_problems(model):
        raise DescriptionError(problems, source=description.name)
    return model


def frame_with_z(axis: Any) -> Mat3:
    """A rotation whose third column is `axis`; exact for the coordinate axes."""
    z = unit(floats(axis))
    # Helper axis: the one after the largest component of z, so that x → (y, z, x), and z stays the identity.
    sizes = (abs(z[0]), abs(z[1]), abs(z[2]))
    helper = AXES_AFTER[sizes.index(max(sizes))]
    along = dot(helper, z)
    x = unit((helper[0] - along * z[0], helper[1] - along * z[1], helper[2] - along * z[2]))
    y = cross(z, x)
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


def unit(a: Vec3) -> Vec3:
    """a / |a|."""
    length = norm(a)
    return (a[0] / length, a[1] / length, a[2] / length)


def floats(values: Any) -> Any:
    """A tuple of plain floats."""
    return tuple(float(value) for value in values)


class _Builder:
    """Grows rows of numbers body by body, parents first."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.index = {"ground": 0}
        self.seats: list[Seat] = [(0, IDENTITY, ORIGIN)]
        self.parents = [0]
        self.properties: list[tuple[float, Vec3, Sym3]] = [(0.0, ORIGIN, NOTHING)]
        self.links: list[tuple[int, int, int, Mat3, Vec3]] = [(GROUND, 0, 0, IDENTITY, ORIGIN)]
        self.matter: list[tuple[float, Vec3, Sym3]] = [(0.0, ORIGIN, NOTHING)]
        self.dof_names: list[str] = []
        self.dof_rows: list[tuple[Any, ...]] = []
        self.q_initial: list[float] = []

    def add(self, body: Body) -> None:
        """Append a body whose parent is already there."""
        joint, parent = body.joint, self.index[body.parent]
        number = self.index[body.name] = len(self.index)
        link, R_LP, p_LP = self.seats[parent]
        R_LJ = compose(R_LP, quaternion_matrix(joint.rotation))
        p_LJ = add(p_LP, rotate(R_LP, joint.position))
        first = len(self.links)
        for kind, frame in zip(LINK_KINDS[joint.kind], self._link_frames(joint), strict=True):
            self.links.append((kind, link, number, transpose(compose(R_LJ, frame)), p_LJ))
            self.matter.append((0.0, ORIGIN, NOTHING))
            link, R_LJ, p_LJ = len(self.links) - 1, transpose(frame), ORIGIN
        self.parents.append(parent)
        self.seats.append((link, R_LJ, p_LJ))
        self._weld(body, link, R_LJ, p_LJ)
        self._add_dofs(body, first)

    @staticmethod
    def _link_frames(joint: Joint) -> list[Mat3]:
        """Rotation from each link's axes (its joint axis along z) to the joint's axes."""
        if joint.kind in ("hinge", "slide"):
            return [frame_with_z(joint.axis)]
        if joint.kind == "universal":
            return [frame_with_z(axis) for axis in joint.axes]
        return [IDENTITY] * len(LINK_KINDS[joint.kind])

    def _weld(self, body: Body, link: int, R_LB: Mat3, p_LB: Vec3) -> None:
        """Add the matter of a body to its link's."""
        properties = body.mass_properties()
        mass, com, central = properties.mass, properties.com, six_entries(properties.inertia)
        self.properties.append((mass, com, central))
        # About the centre of mass the first moment is zero; from there to the link's origin in one shift.
        where = add(p_LB, rotate(R_LB, com))
        moment, inertia = rigid_to_parent(transpose(R_LB), where, mass, ORIGIN, central)
        m, h, I = self.matter[link]
        self.matter[link] = (m + mass, add(h, moment), spatial_add(I, inertia))

    def _add_dofs(self, body: Body, first: int) -> None:
        joint = body.joint
        links = [first + n for n, kind in enumerate(LINK_KINDS[joint.kind]) for _ in range(V_COUNT[kind])]
        servo = joint.actuator if isinstance(joint.actuator, Servo) else NO_SERVO
        motor = joint.actuator if isinstance(joint.actuator, Motor) else NO_MOTOR
        limits = joint.limit_pairs()
        hard = limits is not None and joint.limit_stiffness is None
        actuator = (
            servo.stiffness, servo.damping, servo.max_force, motor.strength, motor.max_speed, joint.driven, hard,
        )  # fmt: skip
        columns = [joint.per_dof(getattr(joint, name)) for name in PER_DOF]
        for n, suffix in enumerate(DOF_SUFFIXES[joint.kind]):
            self.dof_names.append(body.name + suffix)
            limit = limits[n] if limits else NO_LIMIT
            self.dof_rows.append((*(column[n] for column in columns), *limit, *actuator, links[n]))
        self.q_initial += joint.initial_coordinates()

    def model(self) -> Model:
        """Freeze what was collected."""
        kinds, parents, owners, E, r = zip(*self.links, strict=True)
        masses, moments, inertias = zip(*self.matter, strict=True)
        links = Links(
            kind=_whole(kinds), parent=_whole(parents), body=_whole(owners), E=_matrices(E), r=_numbers(r),
            mass=_numbers(masses), moment=_numbers(moments), inertia=_symmetric(inertias),
        )  # fmt: skip
        link, R_LB, p_LB = zip(*self.seats, strict=True)
        masses, coms, inertias = zip(*self.properties, strict=True)
        bodies = Bodies(
            names=tuple(self.index), parent=_whole(self.parents), link=_whole(link), R_LB=_matrices(R_LB),
            p_LB=_numbers(p_LB), mass=_numbers(masses), com=_numbers(coms), inertia=_symmetric(inertias),
        )  # fmt: skip
        q = _numbers(self.q_initial)
        return Model(self.description.name, bodies, links, self._dofs(links, q), q, self.description)

    def _dofs(self, links: Links, q: Floats) -> Dofs:
        """One row of numbers per degree of freedom, turned into one array per column."""
        table = _numbers(self.dof_rows).reshape(len(self.dof_rows), len(DOF_COLUMNS))
        columns = dict(zip(DOF_COLUMNS, _read_only(np.ascontiguousarray(table.T)), strict=True))
        link = _whole(columns.pop("link"))
        driven, hard = (_read_only(columns.pop(name) > 0.0) for name in ("driven", "hard_limit"))
        neutral = Neutral(links, driven, columns["armature"], q)
        return Dofs(
            names=tuple(self.dof_names), link=link, driven=driven, hard_limit=hard, neutral=neutral, **columns
        )


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _whole(column: Any) -> Ints:
    found: Ints = _read_only(np.array(column, np.int64))
    return found


def _numbers(column: Any) -> Floats:
    found: Floats = _read_only(np.array(column, np.float64))
    return found


def _matrices(column: Any) -> Floats:
    """Rows of nine numbers as matrices."""
    return _numbers(column).reshape(-1, 3, 3)


def _symmetric(column: Any) -> Floats:
    """Rows of six numbers as symmetric matrices."""
    found: Floats = _read_only(np.array(column, np.float64)[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3))
    return found
