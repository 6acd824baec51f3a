"""A model as it begins, seen through its joints: what each has to move, and what each feels when all are loose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte.algebra.inertia import central_inertia
from zoophyte.algebra.rotations import compose, rotate, transpose
from zoophyte.algebra.vectors import add
from zoophyte.errors import Problem
from zoophyte.model.filling import loosening as at
from zoophyte.model.layout import BALL, FREE, HINGE, INERTIA, Q_COUNT, SLIDE, V_COUNT, starts
from zoophyte.numbers.forms import compiled

if TYPE_CHECKING:
    from zoophyte.model.model import Floats, Links, Model

SIX_ENTRIES = slice(INERTIA, INERTIA + 6)
MANY = 256
"""Links from which on machine code pays for what is done once in a body's life, though it may have to be compiled."""


def worked_out(kernel: Any, ints: Sequence[int], data: Floats, scratch: Floats, *, fast: bool) -> Floats:
    """What a kernel that runs once per body leaves in `scratch`: as machine code, or in the interpreter; the same bits.

    Args:
        kernel: a plain function of the other three.
        ints: for it.
        data: for it.
        scratch: for it.
        fast: whether machine code is worth its loading.
    """
    if fast:
        _machine_code(kernel)(np.array(ints, np.int64), data, scratch)
        return scratch
    plain = scratch.tolist()
    kernel(ints, data.tolist(), plain)
    return np.array(plain)


@cache
def _machine_code(kernel: Any) -> Any:
    """A kernel, ready to be called."""
    return compiled(kernel).ready(np.zeros(1, np.int64), np.zeros(1), np.zeros(1))


class Neutral:
    """Inertias in the initial configuration, each computed when it is first asked for.

    Args:
        links: of the model.
        driven: for each degree of freedom whether its motion is given.
        armature: of each.
        q: initial configuration.
    """

    def __init__(self, links: Links, driven: Any, armature: Floats, q: Floats) -> None:
        self.links, self.q, self.driven, self.armature = links, q, driven, armature
        kinds = links.kind.tolist()
        self.first_q, self.first_v = starts(kinds, Q_COUNT), starts(kinds, V_COUNT)

    @classmethod
    def of(cls, model: Model) -> Neutral:
        """That of a model."""
        return model.dofs.neutral

    @cached_property
    def given(self) -> Any:
        """Of each link whether the motion of its joint is given."""
        given, kinds = np.zeros(len(self.links.kind), bool), self.links.kind[1:]
        given[1:] = self.driven[list(self.first_v[1:])] & (kinds != FREE)
        return given

    @property
    def mass(self) -> Floats:
        """Of each link with all it carries [kg]."""
        return self._loose[:, at.CARRIED]

    @property
    def moment(self) -> Floats:
        """First moment of each link with all it carries, joints locked, shape (n, 3)."""
        return self._loose[:, at.CARRIED + 1 : at.CARRIED + 4]

    @property
    def inertia(self) -> Floats:
        """Likewise the inertia about the link's origin, six entries (xx, xy, xz, yy, yz, zz), shape (n, 6)."""
        return self._loose[:, at.CARRIED + 4 : at.CARRIED + 10]

    @property
    def pivots(self) -> Floats:
        """For each link how small its joint's D gets: 0 when the joint has nothing to move, 1 where it is driven.

        It is the smallest pivot met in factorising D, over what it would be with all joints beyond locked.
        """
        return self._loose[:, at.PIVOT]

    @cached_property
    def felt(self) -> Floats:
        """For each degree of freedom 1/(M⁻¹)ᵢᵢ: the inertia felt at it while all others are loose."""
        work = worked_out(at.feel, self._ints, self._data, self._scratch.copy(), fast=self._many)
        return work[len(self.links.kind) * at.RECORD + at.WORK :]

    @cached_property
    def poses(self) -> list[tuple[Any, Any]]:
        """(R_WL, p_WL) of every link in the initial configuration."""
        ints, data, parents = self._ints, self._data.tolist(), self.links.parent.tolist()
        poses: list[tuple[Any, Any]] = [((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0))]
        for link in range(1, len(parents)):
            E, r = at.transform(ints, data, link)
            R_WP, p_WP = poses[parents[link]]
            poses.append((compose(R_WP, transpose(E)), add(p_WP, rotate(R_WP, r))))
        return poses

    @cached_property
    def _ints(self) -> list[int]:
        links, count = self.links, len(self.links.kind)
        first_q = self.links.records.size
        rows = np.column_stack([links.kind, links.parent, self.first_q, self.first_v, self.given])
        return [count, first_q, first_q + len(self.q), *rows.ravel().tolist()]

    @cached_property
    def _data(self) -> Floats:
        return np.concatenate([self.links.records.ravel(), self.q, self.armature])

    @cached_property
    def _many(self) -> bool:
        return len(self.links.kind) > MANY

    @cached_property
    def _scratch(self) -> Floats:
        room = np.zeros(len(self.links.kind) * at.RECORD + at.WORK + len(self.armature))
        return worked_out(at.loosen, self._ints, self._data, room, fast=self._many)

    @property
    def _loose(self) -> Floats:
        count = len(self.links.kind)
        return self._scratch[: count * at.RECORD].reshape(count, at.RECORD)


# Can every joint move something? Massless tips and singular inertias make forward dynamics divide by zero.

RELATIVE_FLOOR = 1e-12
"""A pivot below this part of what it was computed from is rounding of zero: some thousand ulps of the sums behind it."""

TROUBLE = {
    HINGE: "the hinge has no moment of inertia to turn about its axis",
    SLIDE: "the slide has no mass to move",
    BALL: "the ball joint has no moment of inertia about some axis",
    FREE: "the free body has no moment of inertia about some axis",
}


SURE_PART = 1e-6
"""Matter of a link's own that is this part of all there could be leaves no doubt, whatever is rounded."""


def inertia_problems(model: Model) -> list[Problem]:
    """One problem per joint that has nothing to move as the body begins, while the joints beyond it are loose.

    Massless links are allowed as long as what they carry has inertia about their axes; rotors (armature) count, and a
    driven joint needs none.
    """
    neutral, kinds = model.dofs.neutral, model.links.kind
    if len(kinds) < 2 or (len(kinds) <= MANY and _has_matter_everywhere(neutral)):
        return []
    rotors = np.minimum.reduceat(neutral.armature, list(neutral.first_v[1:]))
    moves = (neutral.pivots > RELATIVE_FLOOR)[1:] & ((rotors > 0.0) | _have_size(neutral)[1:])
    return [
        Problem(
            f"body {model.bodies.names[model.links.body[link]]!r}",
            f"{_trouble(int(kinds[link]), neutral.mass[link])} [mass beyond the joint {neutral.mass[link]:.3g} kg].",
            "Give it, or a body that it carries, a shape or mass properties with volume; or make the joint fixed.",
        )
        for link in 1 + np.flatnonzero(~(moves | neutral.given[1:]))
    ]


def _trouble(kind: int, mass: float) -> str:
    return TROUBLE[kind] if kind != FREE or mass > 0.0 else "the free body has no mass"


def _have_size(neutral: Neutral) -> Any:
    """Whether the inertia about each turning axis of a joint is more than rounding of the inertia about others."""
    moments, kinds = neutral.inertia[:, [0, 3, 5]], neutral.links.kind
    sure = moments > RELATIVE_FLOOR * moments.max(axis=1)[:, None]
    return (kinds == SLIDE) | np.where(kinds == HINGE, sure[:, 2], sure.all(axis=1))


def _has_matter_everywhere(neutral: Neutral) -> bool:
    """Whether each link has so much matter of its own that no joint needs to be factorised to know that it can move.

    An articulated inertia is no less than the link's own, and so are its pivots, one by one; the product of these is a
    determinant, and none exceeds the diagonal.  What they are compared with is no more than ∫ρ² of all that the link
    carries, wherever the joints beyond stand: what is d away from its own link is no more than |r| + d from the next one,
    so ∫ρ² there is no more than (|r| √m + √∫ρ²)².  A rotor is added to both.
    """
    links = neutral.links
    kinds, parents = links.kind.tolist(), links.parent.tolist()
    r, masses, moments = links.r.tolist(), links.mass.tolist(), links.moment.tolist()
    inertias, rotors = links.records[:, SIX_ENTRIES].tolist(), neutral.armature.tolist()
    carried = masses.copy()
    spread = [0.5 * (I[0] + I[3] + I[5]) for I in inertias]
    for link in range(len(kinds) - 1, 0, -1):
        kind, m, h, I = kinds[link], masses[link], moments[link], inertias[link]
        mass, size, rotor = carried[link], spread[link], rotors[neutral.first_v[link]]
        largest = max(I[0], I[3], I[5])
        if kind == HINGE:
            sure = I[5] + rotor > SURE_PART * (size + rotor)
        elif kind == SLIDE:
            sure = m + rotor > SURE_PART * (mass + rotor)
        else:
            sure = _determinant(I) > SURE_PART * size * largest * largest
        if sure and kind == FREE:
            central = central_inertia(m, (h[0] / m, h[1] / m, h[2] / m), tuple(I)) if m > 0.0 else (0.0,) * 6
            sure = _determinant(central) * m > SURE_PART * mass * I[0] * I[3] * I[5]
        if not sure:
            return False
        x, y, z = r[link]
        way = abs(x) + abs(y) + abs(z)
        if kind == SLIDE:
            way += abs(float(neutral.q[neutral.first_q[link]]))
        carried[parents[link]] += mass
        spread[parents[link]] += (way * math.sqrt(mass) + math.sqrt(size)) ** 2
    return True


def _determinant(I: Any) -> float:
    xx, xy, xz, yy, yz, zz = I
    found: float = xx * (yy * zz - yz * yz) - xy * (xy * zz - xz * yz) + xz * (xy * yz - xz * yy)
    return found
