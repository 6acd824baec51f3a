"""Filling for a medium: boxes that stand for links, and what their shapes displace.

Plain floats in a fixed order of operations, and our own search for principal axes, so that the numbers are equal bit for
bit on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from zoophyte.algebra.inertia import central_inertia
from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.vectors import add
from zoophyte.model.medium import layout as at
from zoophyte.model.medium.medium import Medium
from zoophyte.model.model import Model

ROUNDS = 12
"""Rounds of Jacobi's method; it converges quadratically, and 3×3 matrices need four or five."""
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class MediumTables:
    """The medium's section of a block.

    Args:
        start: where it starts in `data`, in numbers of one creature.
        links: of the block, the ground included.
    """

    def __init__(self, start: int, links: int) -> None:
        self.start = start
        self.data_size = at.MEDIUM_HEADER + (links - 1) * at.MEDIUM_RECORD

    def record(self, link: int) -> int:
        """Where the record of a link starts."""
        return self.start + at.MEDIUM_HEADER + (link - 1) * at.MEDIUM_RECORD

    def fill(self, column: Any, model: Model, medium: Medium, places: Sequence[int] | None = None) -> None:
        """The numbers of one creature; its links are those of the block, or lie at `places` among them."""
        column[self.start : self.start + 3] = medium.wind
        lifts = displaced(model) if medium.buoyancy else [(0.0, 0.0, 0.0, 0.0)] * len(model.links.kind)
        for link in range(1, len(model.links.kind)):
            place = self.record(link if places is None else int(places[link]))
            column[place : place + at.MEDIUM_RECORD] = link_record(model, link, medium, lifts[link])


def link_record(model: Model, link: int, medium: Medium, lift: Any) -> list[float]:
    """Drag of the box that has the link's mass and inertia, and its lift.

    The box: half lengths r_i = √(3 (I_j + I_k − I_i) / 2m).  With density ρ and viscosity β it resists motion along its axis
    i by 2 ρ r_j r_k |u| u + 6π β r u and turning by ½ ρ r_i (r_j⁴ + r_k⁴) |ω| ω + 8π β r³ ω, r the mean half length
    (MuJoCo documentation, "Fluid forces", section "Inertia model").
    """
    mass = float(model.links.mass[link])
    moving = [medium.density * x for x in lift]
    if mass <= 0.0:
        return [*IDENTITY, *[0.0] * (at.DISPLACED - at.CENTRE), *moving]
    centre: Any = tuple(float(h) / mass for h in model.links.moment[link])
    I = model.links.inertia[link]
    own: Any = tuple(float(I[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    found, axes = principal_axes(central_inertia(mass, centre, own))
    moments = [max(moment, 0.0) for moment in found]
    total = moments[0] + moments[1] + moments[2]
    # Rounding may leave a rod or a plate with a box slightly thinner than nothing.
    half = [math.sqrt(max(1.5 * (total - 2.0 * moment) / mass, 0.0)) for moment in moments]
    mean = (half[0] + half[1] + half[2]) / 3.0
    fourth = [r * r * r * r for r in half]
    blunt, blunt_turn = [], []
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        blunt.append(2.0 * medium.density * half[j] * half[k])
        blunt_turn.append(0.5 * medium.density * half[i] * (fourth[j] + fourth[k]))
    viscous = 6.0 * math.pi * medium.viscosity * mean
    viscous_turn = 8.0 * math.pi * medium.viscosity * (mean * mean * mean)
    return [*axes, *centre, *blunt, *blunt_turn, viscous, viscous_turn, *moments, *moving]


def principal_axes(S: Any) -> tuple[list[float], list[float]]:
    """(moments, axes as columns in row order) of a symmetric matrix (xx, xy, xz, yy, yz, zz), by Jacobi's method.

    Each rotation makes one entry beside the diagonal vanish; a matrix that is diagonal already keeps its axes.
    """
    A = [[S[0], S[1], S[2]], [S[1], S[3], S[4]], [S[2], S[4], S[5]]]
    R = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for _ in range(ROUNDS):
        for p, q in ((0, 1), (0, 2), (1, 2)):
            if abs(A[p][q]) > 1e-17 * (abs(A[p][p]) + abs(A[q][q])):
                _annul(A, R, p, q)
    return [A[0][0], A[1][1], A[2][2]], [x for row in R for x in row]


def _annul(A: list[list[float]], R: list[list[float]], p: int, q: int) -> None:
    """Turn in the plane of two axes so that A[p][q] becomes 0."""
    theta = 0.5 * (A[q][q] - A[p][p]) / A[p][q]
    t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
    cosine = 1.0 / math.sqrt(t * t + 1.0)
    sine = t * cosine
    for k in range(3):
        A[k][p], A[k][q] = cosine * A[k][p] - sine * A[k][q], sine * A[k][p] + cosine * A[k][q]
        R[k][p], R[k][q] = cosine * R[k][p] - sine * R[k][q], sine * R[k][p] + cosine * R[k][q]
    for k in range(3):
        A[p][k], A[q][k] = cosine * A[p][k] - sine * A[q][k], sine * A[p][k] + cosine * A[q][k]
    A[p][q] = A[q][p] = 0.0


def displaced(model: Model) -> list[tuple[float, float, float, float]]:
    """Volume and its first moment in link axes of the shapes on every link.

    Shapes without density only collide and show, unless all of a body are such and its mass is given: then they are all
    there is to tell its volume.  Where shapes of a body overlap, both count.
    """
    found: list[Any] = [(0.0, 0.0, 0.0, 0.0)] * len(model.links.kind)
    shape: Any
    for number, body in enumerate(model.description.bodies, start=1):
        link = int(model.bodies.link[number])
        R_LB: Any = tuple(float(x) for x in model.bodies.R_LB[number].ravel())
        p_LB: Any = tuple(float(x) for x in model.bodies.p_LB[number])
        all_count = body.mass is not None and not any(shape.density > 0.0 for shape in body.shapes)
        for shape in body.shapes:
            if shape.density > 0.0 or all_count:
                volume, (middle, _) = shape.volume(), shape.moments(1.0)
                centre = add(shape.position, rotate(quaternion_matrix(shape.rotation), middle))
                x, y, z = add(p_LB, rotate(R_LB, centre))
                V, X, Y, Z = found[link]
                found[link] = (V + volume, X + volume * x, Y + volume * y, Z + volume * z)
    return found
