"""Equality constraints and tendons of a compiled MuJoCo model, where they are constraints of ours.

A connect holds two points together, a weld the relative pose in which life begins, and a spatial tendon of rest length 0
between two sites is a spring that pulls them together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoophyte.algebra.vectors import subtract
from zoophyte.description.constraints import Attach, Connect, Constraint, Weld
from zoophyte.description.problems import given
from zoophyte.description.readers.mujoco_elements import triple
from zoophyte.description.readers.report import NameList, Report
from zoophyte.description.values import Triple

SAME_PLACE = 1e-6
"""Difference of poses that is rounding of a file: metres, or radians."""


@dataclass
class HoldReader:
    """Reads constraints.

    Args:
        mujoco: the package.
        model: compiled.
        report: of the reader.
        line: where an element with a number is written, as ``line("equality", 3)``.
        bodies: of ours, by MuJoCo's number.
        offsets: of their frames in MuJoCo's.
        start: the coordinates at which life begins.
    """

    mujoco: Any
    model: Any
    report: Report
    line: Callable[[str, int], int | None]
    bodies: Sequence[str]
    offsets: Sequence[Triple]
    start: Any

    def __post_init__(self) -> None:
        self.names = NameList()

    def constraints(self) -> list[Constraint]:
        """All that are constraints of ours; the others are reported."""
        found = [self._equality(number) for number in range(int(self.model.neq))]
        found += [self._tendon(number) for number in range(int(self.model.ntendon))]
        return [held for held in found if held is not None]

    # ------------------------------------------------------------------------------------------------- equalities

    def _equality(self, number: int) -> Constraint | None:
        model, kinds = self.model, self.mujoco.mjtEq
        kind = int(model.eq_type[number])
        name = str(model.equality(number).name)
        where = f"equality constraint {given(name)}" if name else "equality constraint"
        line = self.line("equality", number)
        if kind not in (int(kinds.mjEQ_CONNECT), int(kinds.mjEQ_WELD)):
            word = kinds(kind).name.partition("_")[2].lower()
            self.report.missing(line, where, f"is of the type {word}: not supported.")
            return None
        if not model.eq_active0[number]:
            self.report.missing(line, where, "is not active at the start: not supported.")
            return None
        ends = self._ends(number)
        if ends[0][0] == ends[1][0]:
            self.report.note(f"{where[0].upper()}{where[1:]} holds a body to itself and was passed over.")
            return None
        (one, point), (other, other_point) = ends
        if one == 0:  # the body that is held comes first here
            one, point, other, other_point = other, other_point, one, point
        label = self.names.take(name) if name else ""
        both = {"name": label, "body": self.bodies[one], "other": self.bodies[other]}
        if kind == int(kinds.mjEQ_CONNECT):
            seen, other_seen = (subtract(p, self.offsets[b]) for p, b in ((point, one), (other_point, other)))
            return Connect(point=seen, other_point=other_seen, **both)
        if not self._holds_at_start(number):
            self.report.missing(line, where, "holds another pose than that of the start: not supported.")
            return None
        return Weld(**both)

    def _ends(self, number: int) -> list[tuple[int, Triple]]:
        """Body and point of both ends."""
        model = self.model
        first, second = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
        if int(model.eq_objtype[number]) == int(self.mujoco.mjtObj.mjOBJ_SITE):
            return [(int(model.site_bodyid[site]), triple(model.site_pos[site])) for site in (first, second)]
        data = model.eq_data[number]
        return [(first, triple(data[0:3])), (second, triple(data[3:6]))]

    def _holds_at_start(self, number: int) -> bool:
        """Whether a weld asks for the pose that there is: then MuJoCo's own residual vanishes."""
        data = self.mujoco.MjData(self.model)
        data.qpos[:] = self.start
        self.mujoco.mj_fwdPosition(self.model, data)
        equality = int(self.mujoco.mjtConstraint.mjCNSTR_EQUALITY)
        rows = (np.asarray(data.efc_type) == equality) & (np.asarray(data.efc_id) == number)
        residual = np.asarray(data.efc_pos)[rows]
        return bool(len(residual) and np.all(np.abs(residual) < SAME_PLACE))

    # ---------------------------------------------------------------------------------------------------- tendons

    def _tendon(self, number: int) -> Constraint | None:
        model = self.model
        name = str(model.tendon(number).name)
        where = f"tendon {given(name)}" if name else "tendon"
        trouble = self._trouble(number)
        first = int(model.tendon_adr[number])
        sites = [int(site) for site in model.wrap_objid[first : first + 2]]
        bodies = [int(model.site_bodyid[site]) for site in sites] if not trouble else []
        if trouble or bodies[0] == bodies[1]:
            what = f"{trouble or 'runs from a body to itself'}: not supported."
            self.report.missing(self.line("tendon", number), where, what)
            return None
        if bodies[0] == 0:
            bodies, sites = bodies[::-1], sites[::-1]
        points = [
            subtract(triple(model.site_pos[s]), self.offsets[b]) for s, b in zip(sites, bodies, strict=True)
        ]
        label = self.names.take(name) if name else ""
        return Attach(
            name=label, body=self.bodies[bodies[0]], other=self.bodies[bodies[1]], point=points[0],
            other_point=points[1], stiffness=float(model.tendon_stiffness[number]),
            damping=float(model.tendon_damping[number]),
        )  # fmt: skip

    def _trouble(self, number: int) -> str:
        """What keeps a tendon from being a spring between two points."""
        model, site = self.model, int(self.mujoco.mjtWrap.mjWRAP_SITE)
        first, count = int(model.tendon_adr[number]), int(model.tendon_num[number])
        if count != 2 or any(int(kind) != site for kind in model.wrap_type[first : first + count]):
            return "is not a straight line between two sites"
        if np.any(model.tendon_lengthspring[number]):
            return "has a spring that is not relaxed at length 0"
        for field, words in (
            ("tendon_limited", "a limit"), ("tendon_frictionloss", "a frictionloss"),
            ("tendon_armature", "an armature"), ("tendon_stiffnesspoly", "a spring that is not linear"),
            ("tendon_dampingpoly", "a damper that is not linear"), ("tendon_springyield", "a spring that yields"),
        ):  # fmt: skip
            if np.any(getattr(model, field, np.zeros(number + 1))[number]):
                return f"has {words}"
        if not model.tendon_stiffness[number] and not model.tendon_damping[number]:
            return "is neither a spring nor a damper"
        return ""
