"""Mass, centre of mass and inertia, and how they turn, move and add.

Plain floats in a fixed order of operations: the physics starts from these numbers, and they are equal bit for
bit on every machine.  NumPy is used only to judge them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, TypeAlias

import numpy as np
from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema, field_validator

from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import Sym3, congruence_symmetric, rotate, transpose
from zoophyte.algebra.vectors import add, subtract
from zoophyte.description.part import Part
from zoophyte.description.problems import given, refuse
from zoophyte.description.values import NonNegative, Quadruple, Triple, Vector, as_list, as_numbers, total

Matrix: TypeAlias = tuple[Triple, Triple, Triple]

UNTURNED: Quadruple = (1.0, 0.0, 0.0, 0.0)
ZERO_MATRIX: Matrix = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))

# Tables of inertias are rounded to ten digits or so; what is off by more is not rounded but mistaken.
INERTIA_TOLERANCE = 1e-9


def full_matrix(S: Sym3) -> Matrix:
    """The 3×3 matrix of (xx, xy, xz, yy, yz, zz)."""
    return ((S[0], S[1], S[2]), (S[1], S[3], S[4]), (S[2], S[4], S[5]))


def six_entries(matrix: Matrix) -> Sym3:
    """(xx, xy, xz, yy, yz, zz) of a symmetric matrix."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
    return (xx, xy, xz, yy, yz, zz)


def inertia_matrix(value: object) -> Matrix:
    """An inertia given as 3 numbers (diagonal), 6 (xx, xy, xz, yy, yz, zz) or a 3×3 matrix."""
    value = as_list(value)
    if not isinstance(value, list | tuple) or len(value) not in (3, 6):
        raise refuse(
            f"is {given(value)}, must be 3 numbers (the diagonal), 6 numbers (xx, xy, xz, yy, yz, zz) "
            "or a 3×3 matrix [kg·m²]."
        )
    if len(value) == 6:
        xx, xy, xz, yy, yz, zz = as_numbers(value, 6, "xx, xy, xz, yy, yz, zz")
        return full_matrix((xx, xy, xz, yy, yz, zz))
    if not any(isinstance(as_list(row), list | tuple) for row in value):
        xx, yy, zz = as_numbers(value, 3, "xx, yy, zz")
        return ((xx, 0.0, 0.0), (0.0, yy, 0.0), (0.0, 0.0, zz))
    rows = [as_numbers(row, 3, "one row of a 3×3 matrix") for row in value]
    scale = max(abs(number) for row in rows for number in row)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if abs(rows[i][j] - rows[j][i]) > INERTIA_TOLERANCE * scale:
            raise refuse(
                f"is not symmetric: entry [{i}][{j}] is {rows[i][j]!r}, entry [{j}][{i}] is {rows[j][i]!r}.",
                "Inertias are symmetric; the six-number form xx, xy, xz, yy, yz, zz cannot go wrong here.",
            )
    xy, xz, yz = (0.5 * rows[i][j] + 0.5 * rows[j][i] for i, j in ((0, 1), (0, 2), (1, 2)))
    return full_matrix((rows[0][0], xy, xz, rows[1][1], yz, rows[2][2]))


def _inertia_schema() -> dict[str, Any]:
    numbers = [{"type": "array", "items": {"type": "number"}, "minItems": n, "maxItems": n} for n in (3, 6)]
    matrix = {"type": "array", "items": numbers[0], "minItems": 3, "maxItems": 3}
    return {"anyOf": [*numbers, matrix]}


Inertia: TypeAlias = Annotated[Matrix, BeforeValidator(inertia_matrix), WithJsonSchema(_inertia_schema())]


class MassProperties(Part):
    """What a rigid body opposes to being moved; a point mass unless an inertia is given."""

    mass: NonNegative
    """Mass [kg]."""
    com: Vector = (0.0, 0.0, 0.0)
    """Centre of mass in the body frame [m]."""
    inertia: Inertia = ZERO_MATRIX
    """Inertia about the centre of mass, in body axes [kg·m²]."""

    @field_validator("inertia")
    @classmethod
    def _possible(cls, inertia: Matrix, info: ValidationInfo) -> Matrix:
        if info.data.get("mass") == 0.0 and inertia != ZERO_MATRIX:
            raise refuse(
                f"is {given(compact_inertia(inertia))}, but the mass is 0; without mass there is no inertia.",
                "A rotor without a body is the joint's armature.",
            )
        check_inertia(inertia)
        return inertia


def compact_inertia(matrix: Matrix) -> tuple[float, ...]:
    """The shortest way to write an inertia: 3 numbers when it is diagonal, else 6."""
    xx, xy, xz, yy, yz, zz = six_entries(matrix)
    return (xx, yy, zz) if xy == xz == yz == 0.0 else (xx, xy, xz, yy, yz, zz)


def principal_moments(inertia: Matrix) -> tuple[float, float, float]:
    """Moments about the principal axes, in rising order [kg·m²]."""
    scale = max(abs(entry) for entry in six_entries(inertia))
    if scale == 0.0:
        return (0.0, 0.0, 0.0)
    lowest, middle, highest = np.linalg.eigvalsh(np.array(inertia) / scale).tolist()
    return (lowest * scale, middle * scale, highest * scale)


def check_inertia(inertia: Matrix) -> None:
    """Refuse an inertia that no distribution of positive mass has.

    The second moments ∫x², ∫y², ∫z² along the principal axes are never negative; so no principal moment is,
    and none exceeds the sum of the other two.  A rod and a plate lie on the border and are accepted.
    """
    lowest, middle, highest = principal_moments(inertia)
    found = (
        f"is {given(compact_inertia(inertia))}; its principal moments are {_three(lowest, middle, highest)}"
    )
    if lowest < -INERTIA_TOLERANCE * abs(highest) or highest < 0.0:
        raise refuse(f"{found}, none may be negative.")
    if highest > (lowest + middle) * (1.0 + INERTIA_TOLERANCE) + INERTIA_TOLERANCE * highest:
        raise refuse(
            f"{found}, and the largest exceeds the sum of the other two, which no body can have.",
            "Check the units, and that the inertia is about the centre of mass.",
        )


def nearest_inertia(inertia: Matrix) -> Matrix:
    """The inertia nearest to a given one that a body can have: same axes, moments moved as little as they need be.

    Negative moments become 0; then what the largest has above the sum of the others, d, is shared: h − d/3, l + d/3,
    m + d/3 is the foot of the perpendicular on the plane h = l + m.
    """
    scale = max(abs(entry) for entry in six_entries(inertia))
    if scale == 0.0:
        return ZERO_MATRIX
    moments, axes = np.linalg.eigh(np.array(inertia) / scale)
    low, middle, high = np.maximum(moments, 0.0)
    share = max(0.0, high - low - middle) / 3.0
    found = scale * (axes * np.array([low + share, middle + share, high - share])) @ axes.T
    xx, xy, xz, _, yy, yz, _, _, zz = (0.5 * (found + found.T)).ravel().tolist()
    return full_matrix((xx, xy, xz, yy, yz, zz))


def _three(*moments: float) -> str:
    return ", ".join(f"{moment:.6g}" for moment in moments)


def mass_properties(mass: float, com: Triple, central_inertia: Sym3) -> MassProperties:
    """Mass properties that follow from a formula or from checked ones, and so need no check themselves."""
    return MassProperties.model_construct(mass=mass, com=com, inertia=full_matrix(central_inertia))


def placed(properties: MassProperties, position: Triple, rotation: Quadruple) -> MassProperties:
    """The same matter, turned and then moved, seen from the frame outside.

    Args:
        properties: in the inner frame.
        position: of the inner frame's origin in the outer frame [m].
        rotation: unit quaternion that takes inner coordinates to outer ones.
    """
    moments = moved(properties.com, six_entries(properties.inertia), position, rotation)
    return mass_properties(properties.mass, *moments)


def moved(com: Triple, central_inertia: Sym3, position: Triple, rotation: Quadruple) -> tuple[Triple, Sym3]:
    """The same of a centre of mass and a central inertia."""
    if rotation == UNTURNED:  # as most are; sums with zeros would only make zeros positive
        (x, y, z), (xx, xy, xz, yy, yz, zz) = com, central_inertia
        return add((x + 0.0, y + 0.0, z + 0.0), position), (xx, xy + 0.0, xz + 0.0, yy, yz + 0.0, zz)
    R = quaternion_matrix(rotation)
    return add(rotate(R, com), position), congruence_symmetric(transpose(R), central_inertia)


def inertia_about(properties: MassProperties, point: Triple) -> Matrix:
    """Inertia about another point than the centre of mass, same axes (parallel axes) [kg·m²].

    Args:
        properties: of the body.
        point: in the body frame [m].
    """
    return full_matrix(_shifted(properties, subtract(properties.com, point)))


def _shifted(properties: MassProperties, offset: Triple) -> Sym3:
    """I + m (|d|² 1 − d dᵀ)."""
    xx, xy, xz, yy, yz, zz = six_entries(properties.inertia)
    m, (x, y, z) = properties.mass, offset
    return (
        xx + m * (y * y + z * z), xy - m * (x * y), xz - m * (x * z),
        yy + m * (x * x + z * z), yz - m * (y * z), zz + m * (x * x + y * y),
    )  # fmt: skip


def combined(properties: Iterable[MassProperties]) -> MassProperties:
    """Several rigid pieces in one frame as one piece; nothing at all when there is no mass."""
    pieces = [piece for piece in properties if piece.mass > 0.0]
    if not pieces:
        return mass_properties(0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    if len(pieces) == 1:
        return pieces[0]
    mass = total(piece.mass for piece in pieces)
    x, y, z = (total(piece.mass * piece.com[axis] for piece in pieces) / mass for axis in range(3))
    shifted = [_shifted(piece, subtract(piece.com, (x, y, z))) for piece in pieces]
    xx, xy, xz, yy, yz, zz = (total(entries[k] for entries in shifted) for k in range(6))
    return mass_properties(mass, (x, y, z), (xx, xy, xz, yy, yz, zz))
