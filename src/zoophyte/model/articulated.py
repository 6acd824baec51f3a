"""A model as it begins, seen through its joints: what each has to move, and what each feels when all are loose.

Articulated inertias as in :mod:`zoophyte.physics.dynamics.project`, but in the interpreter and on 6×6 lists, because this
is needed once per model at most, before any kernel.  No matrix library: its results would depend on the processor.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

from zoophyte.algebra.inertia import central_inertia, rigid_as_articulated, rigid_to_parent
from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import compose, rotate, transpose, turn_about_z, unrotate
from zoophyte.algebra.vectors import add, scale
from zoophyte.errors import Problem
from zoophyte.model.layout import BALL, FREE, GROUND, HINGE, INERTIA, Q_COUNT, SLIDE, V_COUNT, starts
from zoophyte.numbers.functions import sincos

if TYPE_CHECKING:
    from zoophyte.model.model import Floats, Links, Model

Matrix = list[list[float]]
SIX_ENTRIES = slice(INERTIA, INERTIA + 6)
AXES = {GROUND: (), HINGE: (2,), SLIDE: (5,), BALL: (0, 1, 2), FREE: (0, 1, 2, 3, 4, 5)}


class Neutral:
    """Inertias in the initial configuration, each computed when it is first asked for.

    Args:
        links: of the model.
        driven: for each degree of freedom whether its motion is given.
        armature: of each.
        q: initial configuration.
    """

    def __init__(self, links: Links, driven: Any, armature: Floats, q: Floats) -> None:
        self.links, self.q = links, q
        self.driven, self.armature = driven.tolist(), armature.tolist()
        kinds = links.kind.tolist()
        self.first_q, self.first_v = starts(kinds, Q_COUNT), starts(kinds, V_COUNT)

    @classmethod
    def of(cls, model: Model) -> Neutral:
        """That of a model."""
        return model.dofs.neutral

    def is_given(self, link: int) -> bool:
        """Whether the motion of a link's joint is given."""
        return int(self.links.kind[link]) != FREE and bool(self.driven[self.first_v[link]])

    @property
    def mass(self) -> tuple[float, ...]:
        """Of each link with all it carries."""
        return self._composites[0]

    @property
    def rigid(self) -> tuple[Matrix, ...]:
        """6×6 inertia of each link with all it carries, joints locked."""
        return self._composites[1]

    @property
    def pivots(self) -> tuple[float, ...]:
        """For each link how small its joint's D gets: 0 when the joint has nothing to move, 1 where it is driven.

        It is the smallest pivot met in factorising D, over what it would be with all joints beyond locked.
        """
        return self._factors[1]

    @cached_property
    def felt(self) -> tuple[float, ...]:
        """For each degree of freedom 1/(M⁻¹)ᵢᵢ: the inertia felt at it while all others are loose."""
        return _outward(self, self._factors[0])

    @cached_property
    def placed(self) -> list[Any]:
        """(E, r) of X_LP of every link but the ground."""
        return [None, *(_placed(self, link) for link in range(1, len(self.links.kind)))]

    @cached_property
    def _composites(self) -> tuple[tuple[float, ...], tuple[Matrix, ...]]:
        return _composites(self)

    @cached_property
    def _factors(self) -> tuple[list[Any], tuple[float, ...]]:
        return _inward(self)


def _constants(links: Links, link: int) -> tuple[float, Any, Any]:
    I = links.inertia[link]
    symmetric = tuple(float(I[a][b]) for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    return float(links.mass[link]), tuple(links.moment[link].tolist()), symmetric


def _full(mass: float, moment: Any, inertia: Any) -> Matrix:
    """The 6×6 matrix of a rigid body."""
    I, H, M = rigid_as_articulated(mass, moment, inertia)
    index = ((0, 1, 2), (1, 3, 4), (2, 4, 5))
    upper = [[I[index[a][b]] for b in range(3)] + [H[3 * a + b] for b in range(3)] for a in range(3)]
    return upper + [[H[3 * b + a] for b in range(3)] + [M[index[a][b]] for b in range(3)] for a in range(3)]


def _composites(neutral: Neutral) -> tuple[tuple[float, ...], tuple[Matrix, ...]]:
    links = neutral.links
    parts = [_constants(links, link) for link in range(len(links.kind))]
    for link in range(len(parts) - 1, 0, -1):
        m, h, I = parts[link]
        E, r = neutral.placed[link]
        h_P, I_P = rigid_to_parent(E, r, m, h, I)
        parent = int(links.parent[link])
        m0, h0, I0 = parts[parent]
        parts[parent] = (m0 + m, add(h0, h_P), tuple(a + b for a, b in zip(I0, I_P, strict=True)))
    return tuple(m for m, _, _ in parts), tuple(_full(*part) for part in parts)


def _placed(neutral: Neutral, link: int) -> tuple[Any, Any]:
    """(E, r) of X_LP; as in :func:`zoophyte.physics.dynamics.kinematics.link_transform`."""
    links, first = neutral.links, neutral.first_q[link]
    E, r = tuple(links.E[link].ravel().tolist()), tuple(links.r[link].tolist())
    kind = int(links.kind[link])
    q = neutral.q[first : first + Q_COUNT[kind]].tolist()
    if kind == HINGE:
        return turn_about_z(E, *sincos(q[0])), r
    if kind == SLIDE:
        return E, add(r, scale(q[0], (E[6], E[7], E[8])))
    turned = compose(transpose(quaternion_matrix((q[0], q[1], q[2], q[3]))), E)
    return turned, add(r, unrotate(E, (q[4], q[5], q[6]))) if kind == FREE else r


def initial_transforms(model: Model) -> list[tuple[Any, Any]]:
    """(R_WL, p_WL) of every link in the initial configuration."""
    poses: list[tuple[Any, Any]] = [((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0))]
    for link in range(1, len(model.links.kind)):
        E, r = model.dofs.neutral.placed[link]
        R_WP, p_WP = poses[int(model.links.parent[link])]
        poses.append((compose(R_WP, transpose(E)), add(p_WP, rotate(R_WP, r))))
    return poses


def _transform(placed: Any) -> Matrix:
    """X_LP of motion vectors, 6×6: [[E, 0], [−E r×, E]]."""
    flat, (x, y, z) = placed
    E = [list(flat[0:3]), list(flat[3:6]), list(flat[6:9])]
    skew = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    lower = [[-sum_of(E[a][k] * skew[k][b] for k in range(3)) for b in range(3)] for a in range(3)]
    return [[*E[a], 0.0, 0.0, 0.0] for a in range(3)] + [[*lower[a], *E[a]] for a in range(3)]


def sum_of(values: Any) -> float:
    """A sum from left to right; the built-in one rounds differently from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total


def product(A: Matrix, B: Matrix) -> Matrix:
    """A·B of 6×6 matrices; sums from left to right, written out because a third of a compilation is spent here."""
    columns = list(zip(*B, strict=True))
    return [
        [0.0 + a * u + b * v + c * w + d * x + e * y + f * z for u, v, w, x, y, z in columns]
        for a, b, c, d, e, f in A
    ]


def transposed(A: Matrix) -> Matrix:
    """Aᵀ."""
    return [list(column) for column in zip(*A, strict=True)]


def _inward(neutral: Neutral) -> tuple[list[Any], tuple[float, ...]]:
    """For each link (X, rows U·D⁻¹ᐟ² of IA·S, pivots); see `Neutral.pivots`."""
    links, rigid = neutral.links, neutral.rigid
    count = len(links.kind)
    inertias = [_full(*_constants(links, link)) for link in range(count)]
    factors: list[Any] = [None] * count
    smallest = [1.0] * count
    for link in range(count - 1, 0, -1):
        kind, first = int(links.kind[link]), neutral.first_v[link]
        A, rows = inertias[link], []
        for n, axis in enumerate(() if neutral.is_given(link) else AXES[kind]):
            armature = neutral.armature[first + n]
            # One axis of the joint after the other: each takes away what it leaves free (Cholesky, column by column).
            D, whole = A[axis][axis] + armature, rigid[link][axis][axis] + armature
            smallest[link] = min(smallest[link], D / whole if whole > 0.0 else 0.0)
            if not D > 0.0:
                rows.append((axis, 0.0, [0.0] * 6))
                continue
            U = [A[k][axis] for k in range(6)]
            rows.append((axis, D, U))
            A = [[A[a][b] - U[a] * U[b] / D for b in range(6)] for a in range(6)]
        X = _transform(neutral.placed[link])
        factors[link] = (X, rows)
        parent = int(links.parent[link])
        moved = product(transposed(X), product(A, X))
        inertias[parent] = [[inertias[parent][a][b] + moved[a][b] for b in range(6)] for a in range(6)]
    return factors, tuple(smallest)


def _outward(neutral: Neutral, factors: list[Any]) -> tuple[float, ...]:
    """1/(M⁻¹)ᵢᵢ from the mobility Ω of each link: Ω grows, axis by axis, from that of the parent."""
    links = neutral.links
    felt = [0.0] * len(neutral.driven)
    mobility: list[Matrix] = [[[0.0] * 6 for _ in range(6)] for _ in links.kind]
    for link in range(1, len(links.kind)):
        X, rows = factors[link]
        omega = product(X, product(mobility[int(links.parent[link])], transposed(X)))
        first = neutral.first_v[link]
        for n in range(len(rows) - 1, -1, -1):
            axis, D, U = rows[n]
            if not D > 0.0:
                continue
            w = [u / D for u in U]
            p, q, r, s, t, u = w
            back = [0.0 + a * p + b * q + c * r + d * s + e * t + f * u for a, b, c, d, e, f in omega]
            inverse = 1.0 / D + sum_of(x * y for x, y in zip(w, back, strict=True))
            felt[first + n] = 1.0 / inverse
            # ψ = 1 − S wᵀ; Ω′ = ψ Ω ψᵀ + S D⁻¹ Sᵀ
            for k in range(6):
                if k != axis:
                    omega[axis][k] = omega[k][axis] = omega[axis][k] - back[k]
            omega[axis][axis] = omega[axis][axis] - 2.0 * back[axis] + inverse
        mobility[link] = omega
    return tuple(felt)


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
    neutral = model.dofs.neutral
    if _has_matter_everywhere(neutral):
        return []
    problems = []
    for link in range(1, len(model.links.kind)):
        if neutral.is_given(link):
            continue
        kind, first = int(model.links.kind[link]), model.v_start[link]
        rotor = min(neutral.armature[first + n] for n in range(len(AXES[kind])))
        if neutral.pivots[link] > RELATIVE_FLOOR and (rotor > 0.0 or _has_size(neutral, link, kind)):
            continue
        trouble = TROUBLE[kind] if kind != FREE or neutral.mass[link] > 0.0 else "the free body has no mass"
        problems.append(
            Problem(
                f"body {model.bodies.names[model.links.body[link]]!r}",
                f"{trouble} [mass beyond the joint {neutral.mass[link]:.3g} kg].",
                "Give it, or a body that it carries, a shape or mass properties with volume; or make the joint fixed.",
            )
        )
    return problems


def _has_size(neutral: Neutral, link: int, kind: int) -> bool:
    """Whether the inertia about each turning axis of the joint is more than rounding of the inertia about others."""
    rigid = neutral.rigid[link]
    largest = max(rigid[k][k] for k in range(3))
    return all(rigid[axis][axis] > RELATIVE_FLOOR * largest for axis in AXES[kind] if axis < 3)


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
    inertias = links.records[:, SIX_ENTRIES].tolist()
    carried = masses.copy()
    spread = [0.5 * (I[0] + I[3] + I[5]) for I in inertias]
    for link in range(len(kinds) - 1, 0, -1):
        kind, m, h, I = kinds[link], masses[link], moments[link], inertias[link]
        mass, size, rotor = carried[link], spread[link], neutral.armature[neutral.first_v[link]]
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
