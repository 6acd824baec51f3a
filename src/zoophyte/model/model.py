"""Model: the compiled, frozen arrays of a description.

A *body* is what the user named.  A *link* is what the algorithms move: every hinge, slide, ball or free joint makes one
(a universal joint two, with nothing between), and a fixed body is welded onto its parent's link.  Link frames have the
joint axis along z; `R_LB`, `p_LB` give each body's frame on its link.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.description import Constraint, Description, Pair
from zoophyte.description.part import Seal
from zoophyte.errors import UsageError, counted, nearest
from zoophyte.model.articulated import Neutral
from zoophyte.model.layout import BALL, FREE, Q_COUNT, V_COUNT, Layout, starts
from zoophyte.model.shapes import Shapes, TouchingShape

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LIMIT_FREQUENCY = 100.0
"""ω of the springs beyond limits that name none [rad/s]."""


@dataclass(frozen=True, eq=False)
class Bodies:
    """What the user named; entry 0 is the ground."""

    names: tuple[str, ...]
    parent: Ints
    link: Ints
    R_LB: Floats  # (n, 3, 3)
    p_LB: Floats  # (n, 3)
    mass: Floats
    com: Floats  # (n, 3) in B [m]
    inertia: Floats  # (n, 3, 3) about the centre of mass, in B [kg·m²]


@dataclass(frozen=True, eq=False)
class Links:
    """What the algorithms move; entry 0 is the ground. All constants in link axes, about the link's origin."""

    kind: Ints
    parent: Ints
    body: Ints  # the body whose joint makes the link
    E: Floats  # (n, 3, 3) parent → link at q = 0
    r: Floats  # (n, 3) origin in the parent link's frame at q = 0
    mass: Floats
    moment: Floats  # (n, 3) m·com
    inertia: Floats  # (n, 3, 3) about the origin
    records: Floats  # (n, 22) all constants, as `data` holds them


@dataclass(frozen=True, eq=False)
class Dofs:
    """One entry per degree of freedom, in the order of v."""

    names: tuple[str, ...]
    link: Ints
    stiffness: Floats
    damping: Floats
    rest: Floats
    armature: Floats
    lower: Floats
    upper: Floats
    named_stiffness: Floats  # of the springs beyond limits, where the description names them; else 0
    named_damping: Floats
    driven: NDArray[np.bool_]
    servo_stiffness: Floats
    servo_damping: Floats
    motor_strength: Floats
    motor_max_speed: Floats
    hard_limit: NDArray[np.bool_]  # limited without a spring of its own: a constraint where contact is solved
    friction: Floats
    servo_max_force: Floats
    neutral: Neutral  # what the joints feel as the body begins
    records: Floats  # (13, nv) what `data` holds of them where contact is solved and servos are unlimited

    @cached_property
    def limit_stiffness(self) -> Floats:
        """Of the springs beyond limits: as named, else J ω², with J what they have to stop.

        J = 1/(M⁻¹)ᵢᵢ in the initial configuration is the inertia that the joint feels with all others loose; what that
        means for stability, and for limits that carry weight: `docs/decisions/0003-limit-law.md`.  Only steps that do
        not solve contact need it, so it is computed when it is asked for.
        """
        return self._beyond_limits(self.named_stiffness, LIMIT_FREQUENCY**2)

    @cached_property
    def limit_damping(self) -> Floats:
        """Of the springs beyond limits: as named, else 2 J ω."""
        return self._beyond_limits(self.named_damping, 2.0 * LIMIT_FREQUENCY)

    def _beyond_limits(self, named: Floats, factor: float) -> Floats:
        if not self.hard_limit.any():
            return named
        found = np.where(self.hard_limit, self.neutral.felt * factor, named)
        found.flags.writeable = False
        return found


@dataclass(frozen=True, eq=False)
class Model:
    """The compiled arrays of one description; never changed, shared by threads and generations."""

    name: str
    bodies: Bodies
    links: Links
    dofs: Dofs
    q_initial: Floats
    touching: Shapes  # what touches
    self_contact: bool
    pairs: tuple[Pair, ...]
    constraints: tuple[Constraint, ...]
    seal: Seal  # what the description held

    @cached_property
    def description(self) -> Description:
        """What it was compiled from, as it was then."""
        found: Description = self.seal.copy()
        return found

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies, the ground first."""
        return self.bodies.names

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the degrees of freedom: the body's, with an axis where a joint has several."""
        return self.dofs.names

    @cached_property
    def q_start(self) -> tuple[int, ...]:
        """Index of every link's first coordinate in q."""
        return starts(self.links.kind.tolist(), Q_COUNT)

    @cached_property
    def quaternions(self) -> Ints:
        """Where in q the four numbers of every ball or free link are, one row each."""
        starts = np.array(self.q_start, np.int64)[np.isin(self.links.kind, (BALL, FREE))]
        return starts[:, None] + np.arange(4)

    @cached_property
    def v_start(self) -> tuple[int, ...]:
        """Index of every link's first coordinate in v."""
        return starts(self.links.kind.tolist(), V_COUNT)

    @property
    def nq(self) -> int:
        """Length of q."""
        return len(self.q_initial)

    @property
    def nv(self) -> int:
        """Length of v: degrees of freedom."""
        return len(self.dofs.names)

    @property
    def body_count(self) -> int:
        """Bodies, the ground included."""
        return len(self.bodies.names)

    @property
    def total_mass(self) -> float:
        """Mass of everything that moves [kg]."""
        return float(self.links.mass[1:].sum())

    @cached_property
    def shapes(self) -> tuple[TouchingShape, ...]:
        """The shapes that touch, in the frames of their links, one by one."""
        return self.touching.one_by_one()

    @cached_property
    def layout(self) -> Layout:
        """Where the kernels find the numbers of a block of such creatures."""
        return Layout.of(self.links.kind.tolist())

    @cached_property
    def _body_index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.bodies.names)}

    @cached_property
    def _dof_index(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.dofs.names)}

    def body_index(self, body: str | int) -> int:
        """Index of a body given by name or index."""
        return self._look_up(body, self._body_index, "body")

    def dof_index(self, dof: str | int) -> int:
        """Index in v of a degree of freedom given by name or index."""
        return self._look_up(dof, self._dof_index, "degree of freedom")

    def _look_up(self, key: str | int, table: dict[str, int], noun: str) -> int:
        if isinstance(key, str):
            if key not in table:
                raise UsageError(f"{self.name}: there is no {noun} {key!r}. {nearest(key, table)}".rstrip())
            return table[key]
        if not 0 <= key < len(table):
            raise UsageError(
                f"{self.name}: {noun} {key} is out of range; there are {len(table)} (0 to {len(table) - 1})."
            )
        return int(key)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_html_(self) -> str:
        """A picture and a table, for notebooks; drawn by a folder to the right, known by name only."""
        html: str = import_module("zoophyte.export.notebook").model_html(self)
        return html

    def __repr__(self) -> str:
        bodies, links = self.body_count - 1, len(self.links.kind) - 1
        return (
            f"Model({self.name!r}: {counted(bodies, 'body', 'bodies')}, {counted(links, 'link')}, "
            f"nq {self.nq}, nv {self.nv}, {self.total_mass:.6g} kg)"
        )
