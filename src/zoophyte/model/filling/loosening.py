"""What each joint has to move as the body begins, and what it feels while all are loose: one kernel, run once per body.

Articulated inertias as in :mod:`zoophyte.physics.dynamics.project` (Featherstone 2008, table 7.1), on plain 6×6 matrices.
`data` holds the records of the links, then q, then the rotors.  `scratch` takes one record for each link, then room to work
and 1/(M⁻¹)ᵢᵢ of every degree of freedom.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import rigid_as_articulated, rigid_to_parent
from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import Mat3, compose, transpose, turn_about_z, unrotate
from zoophyte.algebra.vectors import Vec3, add, scale
from zoophyte.model.filling.placing import MATTER, MOMENT, MOMENTS, at3, at4, at6, at9, put3, put6, put9
from zoophyte.model.filling.placing import RECORD as GIVEN_RECORD
from zoophyte.model.layout import FREE, HINGE, SLIDE, V_COUNT
from zoophyte.numbers.functions import sincos

# `ints`: header, then rows of links: kind, parent, first coordinate in q, first degree of freedom, whether it is driven.
COUNT, FIRST_Q, FIRST_ROTOR, HEADER = 0, 1, 2, 3
KIND, PARENT, Q, V, GIVEN, ROW = 0, 1, 2, 3, 4, 5
# A link in `scratch`: E and r of X_LP; mass, first moment and inertia of all it carries, joints locked; how small D of its
# joint gets, over what it would be with all joints beyond locked; articulated inertia IA, then mobility Ω; X_LP; and for
# each of its axes D and U = IA·S.
ROTATION, ORIGIN, CARRIED, PIVOT, INERTIA, TRANSFORM, AXES, RECORD = 0, 9, 12, 22, 23, 59, 95, 137
AXIS = 7
WORK = 72
FIRST_AXIS = (0, 2, 5, 0, 0)
"""Of the axes of a spatial vector the first that a joint of each kind moves along."""


def loosen(ints: Any, data: Any, scratch: Any) -> None:
    """Inward: all but mobilities, and what is felt."""
    count = ints[COUNT]
    for link in range(count):
        own, place = link * GIVEN_RECORD, link * RECORD
        if link > 0:
            E, r = transform(ints, data, link)
            put9(scratch, place + ROTATION, E)
            put3(scratch, place + ORIGIN, r)
            put_transform(scratch, place + TRANSFORM, E, r)
        mass, moment, inertia = data[own + MATTER], at3(data, own + MOMENT), at6(data, own + MOMENTS)
        scratch[place + CARRIED] = mass
        put3(scratch, place + CARRIED + 1, moment)
        put6(scratch, place + CARRIED + 4, inertia)
        put_rigid(scratch, place + INERTIA, mass, moment, inertia)
        scratch[place + PIVOT] = 1.0
    work = count * RECORD
    for link in range(count - 1, 0, -1):
        place, parent = link * RECORD, ints[HEADER + link * ROW + PARENT] * RECORD
        carry(scratch, place, parent)
        factorise(ints, data, scratch, link)
        # IA_P += Xᵀ IA X
        multiply(scratch, (place + INERTIA, 6, 1), (place + TRANSFORM, 6, 1), work)
        multiply(scratch, (place + TRANSFORM, 1, 6), (work, 6, 1), work + 36)
        for k in range(36):
            scratch[parent + INERTIA + k] += scratch[work + 36 + k]


def feel(ints: Any, data: Any, scratch: Any) -> None:
    """Outward, after :func:`loosen`: 1/(M⁻¹)ᵢᵢ from the mobility Ω of each link: its parent's, grown axis by axis."""
    work = ints[COUNT] * RECORD
    for k in range(36):
        scratch[INERTIA + k] = 0.0  # the ground's
    for link in range(1, ints[COUNT]):
        place, row = link * RECORD, HEADER + link * ROW
        omega, kind = place + INERTIA, ints[row + KIND]
        # Ω = X Ω_P Xᵀ
        multiply(scratch, (ints[row + PARENT] * RECORD + INERTIA, 6, 1), (place + TRANSFORM, 1, 6), work)
        multiply(scratch, (place + TRANSFORM, 6, 1), (work, 6, 1), omega)
        for n in range(V_COUNT[kind] - 1, -1, -1):
            own = place + AXES + n * AXIS
            D = scratch[own]
            if ints[row + GIVEN] > 0 or not D > 0.0:
                continue
            inverse = 1.0 / D + turn_back(scratch, omega, own, work)
            scratch[work + WORK + ints[row + V] + n] = 1.0 / inverse
            # ψ = 1 − S wᵀ; Ω′ = ψ Ω ψᵀ + S D⁻¹ Sᵀ
            axis = FIRST_AXIS[kind] + n
            for k in range(6):
                if k != axis:
                    scratch[omega + 6 * axis + k] -= scratch[work + k]
                    scratch[omega + 6 * k + axis] = scratch[omega + 6 * axis + k]
            scratch[omega + 7 * axis] = scratch[omega + 7 * axis] - 2.0 * scratch[work + axis] + inverse


def turn_back(scratch: Any, omega: int, own: int, work: int) -> Any:
    """wᵀ Ω w with w = U/D of an axis; Ω w is left in the room to work."""
    D, square = scratch[own], 0.0
    for k in range(6):
        back = 0.0
        for j in range(6):
            back += scratch[omega + 6 * k + j] * (scratch[own + 1 + j] / D)
        scratch[work + k] = back
        square += scratch[own + 1 + k] / D * back
    return square


def transform(ints: Any, data: Any, link: int) -> tuple[Mat3, Vec3]:
    """(E, r) of X_LP; as in :func:`zoophyte.physics.dynamics.kinematics.link_transform`."""
    row = HEADER + link * ROW
    kind, q = ints[row + KIND], ints[FIRST_Q] + ints[row + Q]
    E, r = at9(data, link * GIVEN_RECORD), at3(data, link * GIVEN_RECORD + 9)
    if kind == HINGE:
        sine, cosine = sincos(data[q])
        return turn_about_z(E, sine, cosine), r
    if kind == SLIDE:
        return E, add(r, scale(data[q], (E[6], E[7], E[8])))
    turned = compose(transpose(quaternion_matrix(at4(data, q))), E)
    if kind == FREE:
        return turned, add(r, unrotate(E, at3(data, q + 4)))
    return turned, r


def carry(scratch: Any, place: int, parent: int) -> None:
    """Add the rigid body that a link carries to its parent's."""
    E, r = at9(scratch, place + ROTATION), at3(scratch, place + ORIGIN)
    own, held = place + CARRIED, parent + CARRIED
    mass = scratch[own]
    moment, inertia = rigid_to_parent(E, r, mass, at3(scratch, own + 1), at6(scratch, own + 4))
    scratch[held] += mass
    put3(scratch, held + 1, add(at3(scratch, held + 1), moment))
    for k in range(6):
        scratch[held + 4 + k] += inertia[k]


def factorise(ints: Any, data: Any, scratch: Any, link: int) -> None:
    """One axis of a joint after the other: each takes from IA what it leaves free (Cholesky, column by column)."""
    row, place = HEADER + link * ROW, link * RECORD
    kind, A, held = ints[row + KIND], place + INERTIA, place + CARRIED
    if ints[row + GIVEN] > 0:
        return
    for n in range(V_COUNT[kind]):
        axis, own = FIRST_AXIS[kind] + n, place + AXES + n * AXIS
        rotor = data[ints[FIRST_ROTOR] + ints[row + V] + n]
        # On the diagonal of a rigid body's inertia: xx, yy, zz, and three times the mass.
        locked = scratch[held] if axis > 2 else scratch[held + 4 + (axis * (7 - axis)) // 2]
        D, whole = scratch[A + 7 * axis] + rotor, locked + rotor
        part = D / whole if whole > 0.0 else 0.0
        scratch[place + PIVOT] = min(scratch[place + PIVOT], part)
        if not D > 0.0:
            continue
        scratch[own] = D
        for k in range(6):
            scratch[own + 1 + k] = scratch[A + 6 * k + axis]
        for a in range(6):
            for b in range(6):
                scratch[A + 6 * a + b] -= scratch[own + 1 + a] * scratch[own + 1 + b] / D


def put_rigid(scratch: Any, start: int, mass: Any, moment: Vec3, inertia: Any) -> None:
    """Write the 6×6 matrix [[I, h×], [h×ᵀ, m 1]] of a rigid body."""
    I, H, M = rigid_as_articulated(mass, moment, inertia)
    put9(scratch, start + 0, (I[0], I[1], I[2], H[0], H[1], H[2], I[1], I[3], I[4]))
    put9(scratch, start + 9, (H[3], H[4], H[5], I[2], I[4], I[5], H[6], H[7], H[8]))
    put9(scratch, start + 18, (H[0], H[3], H[6], M[0], M[1], M[2], H[1], H[4], H[7]))
    put9(scratch, start + 27, (M[1], M[3], M[4], H[2], H[5], H[8], M[2], M[4], M[5]))


def put_transform(scratch: Any, start: int, E: Mat3, r: Vec3) -> None:
    """Write X of motion vectors, 6×6: [[E, 0], [−E r×, E]]; the upper right is zero already."""
    x, y, z = r
    for a in range(3):
        e, f, g = E[3 * a], E[3 * a + 1], E[3 * a + 2]
        put3(scratch, start + 6 * a, (e, f, g))
        put3(scratch, start + 6 * a + 18, (g * y - f * z, e * z - g * x, f * x - e * y))
        put3(scratch, start + 6 * a + 21, (e, f, g))


def multiply(scratch: Any, first: tuple[int, int, int], second: tuple[int, int, int], to: int) -> None:
    """C = A·B of 6×6 matrices, each given by its place and by how far it is to the next row and to the next column.

    Sums from left to right: a matrix library's would depend on the processor.
    """
    A, down, along = first
    B, other_down, other_along = second
    for a in range(6):
        for b in range(6):
            total = 0.0
            for k in range(6):
                total += scratch[A + a * down + k * along] * scratch[B + k * other_down + b * other_along]
            scratch[to + 6 * a + b] = total
