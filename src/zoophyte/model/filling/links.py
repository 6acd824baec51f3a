"""A creature's links, degrees of freedom and state, written into a lane of `data` and read back.

A block of one creature and a lane of a herd's pen hold the same numbers; only their places differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from zoophyte.algebra.inertia import central_inertia
from zoophyte.algebra.rotations import symmetric_inverse
from zoophyte.model import layout as at
from zoophyte.model.model import Floats, Ints, Model
from zoophyte.model.state import State

UNIT = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
"""The unit matrix, which is its own inverse."""
LINK_FIELDS: Ints = np.arange(at.TREE_E, at.INERTIA + 6)
DOF_FIELDS: Ints = np.array([
    at.MOBILE, at.ARMATURE, at.STIFFNESS, at.DAMPING, at.REST, at.LOWER, at.UPPER, at.LIMIT_STIFFNESS, at.LIMIT_DAMPING,
    at.SERVO_STIFFNESS, at.SERVO_DAMPING, at.MOTOR_STRENGTH, at.MOTOR_SLOWDOWN,
])[:, None]  # fmt: skip
COMMAND_FIELDS: Ints = np.array([
    at.COMMAND, at.COMMAND_RATE, at.COMMAND_CURVE, at.COMMAND_START, at.SINE_AMPLITUDE, at.SINE_FREQUENCY, at.SINE_PHASE,
])  # fmt: skip


@dataclass(frozen=True, eq=False)
class Places:
    """Where the records of one creature lie in a lane.

    Args:
        links: the record of every link, the ground's first.
        q: every coordinate.
        dofs: the block of every degree of freedom.
    """

    links: Ints
    q: Ints
    dofs: Ints

    @cached_property
    def link_fields(self) -> Ints:
        """The constants of every link but the ground, one row each."""
        return np.add(self.links[1:, None], LINK_FIELDS)

    @cached_property
    def dof_fields(self) -> Ints:
        """The constants of every degree of freedom, one column each."""
        return np.add(self.dofs, DOF_FIELDS)

    @cached_property
    def command_fields(self) -> Ints:
        """The signals of every degree of freedom, one row each."""
        return np.add(self.dofs[:, None], COMMAND_FIELDS)

    @classmethod
    def of(cls, links: Sequence[int], kinds: Sequence[int]) -> Places:
        """Those of links of these kinds with these records."""
        q: list[int] = []
        dofs: list[int] = []
        for start, kind in zip(links, kinds, strict=True):
            first = start + at.CONFIGURATION
            q += range(first, first + at.Q_COUNT[kind])
            first += at.Q_COUNT[kind]
            dofs += range(first, first + at.V_COUNT[kind] * at.DOF_SIZE, at.DOF_SIZE)
        return cls(np.array(links, np.int64), np.array(q, np.int64), np.array(dofs, np.int64))


def fill_model(column: Any, places: Places, model: Model, *, solved: bool) -> None:
    """Write the constants of links and degrees of freedom.

    Args:
        column: a lane of `data`.
        places: where.
        model: of the creature.
        solved: whether contact is solved: then hard limits have no springs, and servos of limited force are constraints.
    """
    links, dofs = model.links, model.dofs
    column[places.link_fields] = links.records[1:]
    parents = links.parent.tolist()
    carriers = set(parents[1:])
    for link, kind in enumerate(links.kind.tolist()):
        if kind in (at.BALL, at.FREE):
            start = places.links[link] + at.data_record_size(kind) - at.CARRIER_SIZE
            alone = parents[link] == 0 and link not in carriers
            column[start : start + at.CARRIER_SIZE] = _carrier(
                kind, alone, *links.records[link, at.MASS :].tolist()
            )
    column[places.dof_fields] = dofs.records
    if not solved:
        column[places.dofs + at.LIMIT_STIFFNESS] = dofs.limit_stiffness
        column[places.dofs + at.LIMIT_DAMPING] = dofs.limit_damping
    elif (weak := np.isfinite(dofs.servo_max_force)).any():
        column[(places.dofs + at.SERVO_STIFFNESS)[weak]] = 0.0
        column[(places.dofs + at.SERVO_DAMPING)[weak]] = 0.0


def _carrier(kind: int, alone: bool, mass: float, *numbers: float) -> list[float]:
    """Inertia in which a ball or free link's momentum is advanced.

    That of a link which is alone in its tree changes by outer forces only.  One that others hang on is turned by their
    forces as well, and its own momentum would be a poor guide: it moves its plain velocity, as a thin or massless one does.
    """
    moment, own = numbers[:3], numbers[3:]
    point: Any = (0.0, 0.0, 0.0)
    I: Any = own
    if kind == at.FREE and mass > 0.0:  # about the centre of mass; a ball's about the joint
        point = tuple(h / mass for h in moment)
        I = central_inertia(mass, point, I)
    determinant = (I[0] * (I[3] * I[5] - I[4] * I[4]) - I[1] * (I[1] * I[5] - I[2] * I[4])
                   + I[2] * (I[1] * I[4] - I[2] * I[3]))  # fmt: skip
    trace = I[0] + I[3] + I[5]
    sound = mass > 0.0 and determinant > 1e-9 * trace * trace * trace  # a power would raise OverflowError
    if not sound:
        point = (0.0, 0.0, 0.0)
    if not (alone and sound):
        return [*point, *UNIT, *UNIT]
    return [*point, *I, *symmetric_inverse(I)]


def write_state(column: Any, places: Places, state: State) -> None:
    """Write coordinates, velocities, clock and commands."""
    column[places.q] = state.q
    column[places.dofs + at.VELOCITY] = state.v
    column[at.START], column[at.COUNT] = state.clock[0], state.clock[1]
    if state.clock[2] > 0.0:
        column[at.DT] = state.clock[2]
    write_command(column, places, state.command if state.command.size else 0.0, state.applied)


def write_command(column: Any, places: Places, command: Any, applied: Floats) -> None:
    """Write signals, shape (nv, 7), and joint forces, shape (nv,); none if empty."""
    column[places.command_fields] = command
    column[places.dofs + at.APPLIED] = applied if applied.size else 0.0


def read_state(column: Any, places: Places, **others: Any) -> State:
    """What :func:`write_state` wrote, as it is now.

    Args:
        column: a lane of `data`.
        places: where.
        others: parts of the state that lie elsewhere.
    """
    numbers = np.asarray(column, np.float64)
    return State(
        numbers[places.q], numbers[places.dofs + at.VELOCITY],
        (float(column[at.START]), int(column[at.COUNT]), float(column[at.DT])),
        numbers[places.command_fields], numbers[places.dofs + at.APPLIED], **others,
    )  # fmt: skip
