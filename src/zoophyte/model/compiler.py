"""Description → Model: place the links, weld the parts, lay out the degrees of freedom, check that all can move."""

from __future__ import annotations

import math
import sys
from collections import Counter
from typing import Any

import numpy as np

from zoophyte.description import JOINT_KINDS, Body, Description, Joint, Motor, Servo
from zoophyte.description.part import Seal
from zoophyte.errors import DescriptionError, UsageError
from zoophyte.model.articulated import MANY, Neutral, inertia_problems, worked_out
from zoophyte.model.contact_layout import SHAPE_RECORD
from zoophyte.model.filling import placing
from zoophyte.model.layout import BALL, FREE, GROUND, HINGE, SLIDE
from zoophyte.model.model import Bodies, Dofs, Floats, Ints, Links, Model
from zoophyte.model.shapes import Found, Shapes, touching_shapes

LINK_KINDS = {
    "fixed": (),
    "hinge": (HINGE,),
    "slide": (SLIDE,),
    "universal": (HINGE, HINGE),
    "ball": (BALL,),
    "free": (FREE,),
}
DOF_LINKS = {
    "fixed": (), "hinge": (0,), "slide": (0,), "universal": (0, 1), "ball": (0,) * 3, "free": (0,) * 6,
}  # fmt: skip
"""Which of the links of a joint each of its degrees of freedom moves."""
DOF_SUFFIXES = {
    "fixed": (), "hinge": ("",), "slide": ("",), "universal": (".0", ".1"), "ball": (".x", ".y", ".z"),
    "free": (".turn_x", ".turn_y", ".turn_z", ".x", ".y", ".z"),
}  # fmt: skip
DOF_COLUMNS = (
    "mobile", "armature", "stiffness", "damping", "rest", "lower", "upper", "named_stiffness", "named_damping",
    "servo_stiffness", "servo_damping", "motor_strength", "slowdown", "motor_max_speed", "servo_max_force", "friction",
    "driven", "hard_limit", "link",
)  # fmt: skip
"""One number each for every degree of freedom; the first are those of `zoophyte.model.filling.links.DOF_FIELDS`."""
NO_LIMIT = (-math.inf, math.inf)
AXIS_COUNTS = {name: kind.axis_count for name, kind in JOINT_KINDS.items()}
NO_SERVO, NO_MOTOR = Servo(stiffness=0.0), Motor(strength=0.0)
NOWHERE, UNTURNED = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
SYMMETRIC = [0, 1, 2, 1, 3, 4, 2, 4, 5]
"""Where the entries of a symmetric matrix are among its six different ones."""


def compile_description(description: Description) -> Model:
    """Compile; every problem that keeps the body from moving is reported together.

    Raises:
        DescriptionError: names the body and says what to change.
    """
    if not isinstance(description, Description):
        raise UsageError(
            f"compile takes a Description, not {type(description).__name__}; zp.load reads files."
        )
    seal = description.sealed()
    description = seal.part
    builder = _Builder(description)
    for body in description.bodies:
        builder.add(body)
    model = builder.model(seal)
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


class _Builder:
    """Grows rows of numbers body by body, parents first."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.index = {"ground": 0}
        self.body_links = [0]
        self.links: list[tuple[int, int, int]] = [(GROUND, 0, 0)]
        self.ints: list[int] = []
        self.numbers: list[float] = []
        self.dof_names: list[str] = []
        self.dof_rows: list[float] = []
        self.q_initial: list[float] = []

    def add(self, body: Body) -> None:
        """Append a body whose parent is already there."""
        joint, parent = body.joint, self.index[body.parent]
        number = self.index[body.name] = len(self.index)
        link, kinds = self.body_links[parent], LINK_KINDS[joint.kind]
        first = len(self.links)
        for kind in kinds:
            self.links.append((kind, link, number))
            link = len(self.links) - 1
        self.body_links.append(link)
        shape = body.shapes[0] if body.mass is None and len(body.shapes) == 1 else None
        mass, com, inertia = body.matter() if shape is None else shape.matter()
        axes = AXIS_COUNTS[joint.kind]
        self.ints += (parent, link, len(kinds), axes, shape is not None and mass > 0.0)
        self.numbers += joint.rotation
        self.numbers += joint.position
        first_axis, second_axis = joint.axes if axes == 2 else (joint.axis, joint.axis)
        self.numbers += first_axis
        self.numbers += second_axis
        self.numbers.append(mass)
        self.numbers += com
        self.numbers += inertia
        self.numbers += NOWHERE if shape is None else shape.position
        self.numbers += UNTURNED if shape is None else shape.rotation
        if kinds:
            self._add_dofs(body, first)

    def _add_dofs(self, body: Body, first: int) -> None:
        joint, suffixes, links = body.joint, DOF_SUFFIXES[body.joint.kind], DOF_LINKS[body.joint.kind]
        servo: Any = joint.actuator if isinstance(joint.actuator, Servo) else NO_SERVO
        motor: Any = joint.actuator if isinstance(joint.actuator, Motor) else NO_MOTOR
        act = (
            servo.stiffness,
            servo.damping,
            motor.strength,
            1.0 / motor.max_speed,
            motor.max_speed,
            servo.max_force,
        )
        limits = joint.limit_pairs() or (NO_LIMIT,) * len(links)
        hard = joint.limits is not None and joint.limit_stiffness is None
        driven = joint.driven
        rows = zip(suffixes, links, limits, _per_dof(joint, len(links)), strict=True)
        for suffix, link, limit, (own, beyond, friction) in rows:
            self.dof_names.append(body.name + suffix)
            self.dof_rows += (not driven, *own, *limit, *beyond, *act, friction, driven, hard, first + link)
        self.q_initial += joint.initial_coordinates()

    def model(self, seal: Seal) -> Model:
        """Freeze what was collected."""
        description, found = self.description, touching_shapes(self.description)
        kinds, parents, owners = _whole(self.links).T
        link_records, body_records, shape_records = self._placed(found)
        E, r, mass, moment, inertia = _columns(link_records)
        links = Links(kinds, parents, owners, E, r, mass, moment, inertia, link_records)
        R_LB, p_LB, mass, com, inertia = _columns(body_records)
        parent = _whole([0, *self.ints[placing.PARENT :: placing.BODY_INTS]])
        bodies = Bodies(tuple(self.index), parent, _whole(self.body_links), R_LB, p_LB, mass, com, inertia)
        q = _numbers(self.q_initial)
        return Model(
            description.name, bodies, links, self._dofs(links, q), q,
            Shapes.of(found, self.body_links, shape_records, description), description.self_contact,
            tuple(pair.model_copy() for pair in description.pairs),
            tuple(held.model_copy() for held in description.constraints), seal,
        )  # fmt: skip

    def _placed(self, found: list[Found]) -> tuple[Floats, Floats, Floats]:
        """Records of links, bodies and touching shapes."""
        bodies, links, shapes = len(self.index), len(self.links), len(found)
        ints = [bodies - 1, links - 1, shapes, *self.ints, *(shape.body for shape in found)]
        for shape in found:
            self.numbers += shape.numbers
        ends = (links * placing.RECORD, (links + bodies) * placing.RECORD)
        out = np.zeros(ends[1] + shapes * SHAPE_RECORD)
        # As long as nothing has lived, Numba need not be loaded to look at a body.
        fast = "numba" in sys.modules or bodies > MANY
        out = worked_out(placing.place, ints, np.array(self.numbers), out, fast=fast)
        out.flags.writeable = False
        return (
            out[: ends[0]].reshape(-1, placing.RECORD), out[ends[0] : ends[1]].reshape(-1, placing.RECORD),
            out[ends[1] :].reshape(-1, SHAPE_RECORD),
        )  # fmt: skip

    def _dofs(self, links: Links, q: Floats) -> Dofs:
        """One row of numbers per degree of freedom, turned into one array per column."""
        table = _numbers(self.dof_rows).reshape(-1, len(DOF_COLUMNS))
        table = _read_only(np.ascontiguousarray(table.T))
        columns = dict(zip(DOF_COLUMNS, table, strict=True))
        records = table[: DOF_COLUMNS.index("slowdown") + 1]
        del columns["mobile"], columns["slowdown"]
        link = _whole(columns.pop("link"))
        driven, hard = (_read_only(columns.pop(name) > 0.0) for name in ("driven", "hard_limit"))
        neutral = Neutral(links, driven, columns["armature"], q)
        return Dofs(
            names=tuple(self.dof_names), link=link, driven=driven, hard_limit=hard, neutral=neutral, records=records,
            **columns,
        )  # fmt: skip


def _per_dof(joint: Joint, count: int) -> list[Any]:
    """For each degree of freedom its rotor, spring, damper and rest; spring and damper beyond limits; friction."""
    own = (joint.armature, joint.stiffness, joint.damping, joint.rest)
    beyond, friction = (joint.limit_stiffness, joint.limit_damping), joint.friction
    if tuple not in map(type, (*own, *beyond, friction)):
        return [(own, (beyond[0] or 0.0, beyond[1] or 0.0), friction)] * count
    columns = zip(*map(joint.per_dof, (*own, *beyond, friction)), strict=True)
    return [(column[:4], column[4:6], column[6]) for column in columns]


def _columns(records: Floats) -> tuple[Floats, ...]:
    """Rotations, origins, masses, vectors and symmetric matrices of records of links or bodies."""
    frames = records[:, : placing.ORIGIN].reshape(-1, 3, 3)
    matrices = records[:, placing.MOMENTS :][:, SYMMETRIC].reshape(-1, 3, 3)
    return (
        _read_only(frames), records[:, placing.ORIGIN : placing.MATTER], records[:, placing.MATTER],
        records[:, placing.MOMENT : placing.MOMENTS], _read_only(matrices),
    )  # fmt: skip


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _whole(column: Any) -> Ints:
    found: Ints = _read_only(np.array(column, np.int64))
    return found


def _numbers(column: Any) -> Floats:
    found: Floats = _read_only(np.array(column, np.float64))
    return found
