"""What velocities become where positions are corrected: every mass point keeps its own, as far as the joints allow.

Joint rates are measured in frames that a displacement turns, and a body that keeps them moves otherwise than before: spun
fast and lifted off the ground again and again, it would gain energy by that.  So the velocities of the mass points before
are projected onto what the joints allow after the displacement, by least squares with the masses as weights.  A projection
makes no energy, and since all joints allow a translation of the whole, momentum stays: that of a body alone to the last
bit, that of a tree to second order.

To first order in the displacement, for a link with motion V = (w, u) that is displaced by Δ = (δ, x), in link axes:

    dV = X·dV_parent − S·dq × X·V_parent                    what V becomes with the rates of before,
    g = (w × Sδ − h × (δ × u), −δ × (m·u + w × h)) − I·dV   what is missing of the momentum of its points,
    M·δv = Σ Jᵀ·g,

with h = m·c the first moment, S = ½ tr(I) − I the second moments and I the inertia about the origin of the link: points at
r have r × (δ × (w × r)) = −(r·δ)·w × r.  Inertias and factors are those of the step.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import rigid_momentum
from zoophyte.algebra.quaternions import quaternion_integrate, quaternion_matrix
from zoophyte.algebra.rotations import apply_symmetric, unrotate
from zoophyte.algebra.spatial import cross_motion, spatial, spatial_add, spatial_subtract, spatial_zero
from zoophyte.algebra.vectors import add, add_cross, choose3, cross, scale, subtract
from zoophyte.model.layout import BALL, FREE, IA, LINK_COUNT, ROW_V, V_COUNT, P
from zoophyte.numbers import Array, Mask, Spec, load, number, where, width
from zoophyte.numbers.memory import load3, load6
from zoophyte.numbers.primitives import outlined
from zoophyte.numbers.records import Field, FieldAt, Record
from zoophyte.physics.dynamics.kinematics import axis_motion, ball_motion, joint_velocity, to_child
from zoophyte.physics.dynamics.links import Link, dof_of, header, link_of, parent_index, row
from zoophyte.physics.dynamics.response import factor_row, velocity_change


class Carried(Record):
    """What is worked out here, where the articulated inertia of a link was: Δ, dV and V."""

    shift = Field("scratch", IA, 6)
    gain = Field("scratch", IA + 6, 6)
    motion = Field("scratch", IA + 12, 6)
    missing = Field("scratch", P, 6)


class CarriedParent(Record):
    """The same of the parent."""

    shift = FieldAt("scratch", IA, 6)
    gain = FieldAt("scratch", IA + 6, 6)
    motion = FieldAt("scratch", IA + 12, 6)


@outlined
def carry_velocities(
    ints: Array, data: Array, scratch: Array, change: int, work: int, needed: Mask, spec: Spec
) -> None:
    """v + δv where that is needed.

    Args:
        ints: of the block.
        data: of the block; nothing of it is displaced yet.
        scratch: of the block.
        change: where the displacements of all coordinates are in `scratch`.
        work: where there is room for as many numbers.
        needed: where they count.
        spec: the machine.
    """
    missing_momenta(ints, data, scratch, change, spec)
    factor_row(ints, data, scratch, scratch, work, spec)
    velocity_change(ints, data, scratch, scratch, work, scratch, work, spec)
    for link in range(1, ints[LINK_COUNT]):
        L, x = link_of(ints, data, scratch, link, spec), ints[row(ints, link) + ROW_V] * width(spec)
        if L.kind == FREE:
            J, V = L.free, L.free.v
            w, u = carried_root(V, load6(scratch, work + x, spec), load3(scratch, change + x, spec), J.com)
            J.v = spatial(choose3(needed, w, (V[0], V[1], V[2])), choose3(needed, u, (V[3], V[4], V[5])))
        else:
            for n in range(V_COUNT[L.kind]):
                D = dof_of(L, n)
                v = D.v
                D.v = where(needed, v + load(scratch, work + x + n * width(spec), spec), v)


def carried_root(V: Any, dV: Any, turn: Any, c: Any) -> Any:
    """V + δV of a free link, as two vectors; the velocity of its centre of mass c turns back by `turn` exactly."""
    w, dw = (V[0], V[1], V[2]), (dV[0], dV[1], dV[2])
    u = add_cross((V[3], V[4], V[5]), w, c)
    # What the links that hang on it make of it.
    others = add_cross(add_cross((dV[3], dV[4], dV[5]), dw, c), turn, u)
    zero = number(0.0, V[0])
    turned = quaternion_matrix(quaternion_integrate((number(1.0, zero), zero, zero, zero), turn))
    w = add(w, dw)
    return w, subtract(add(unrotate(turned, u), others), cross(w, c))


def missing_momenta(ints: Array, data: Array, scratch: Array, change: int, spec: Spec) -> None:
    """g of every link, into P."""
    nothing, G = spatial_zero(header(data, spec).dt), Carried(scratch, 0, spec)
    G.shift, G.gain, G.motion, G.missing = nothing, nothing, nothing, nothing
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        C = Carried(scratch, L.scratch_start, spec)
        above = CarriedParent(scratch, ints, parent_index(ints, link, spec), spec)
        own = joint_displacement(L, change + ints[row(ints, link) + ROW_V] * width(spec))
        carried = to_child(L, above.motion)
        shift = spatial_add(to_child(L, above.shift), own)  # Δ = X Δ_parent + S dq
        gain = spatial_subtract(to_child(L, above.gain), cross_motion(own, carried))
        motion = spatial_add(carried, joint_velocity(L))
        m, h, I = L.m, L.h, L.inertia
        C.shift, C.gain, C.motion = shift, gain, motion
        C.missing = spatial_subtract(left_behind(m, h, I, motion, shift), rigid_momentum(m, h, I, gain))


def left_behind(m: Any, h: Any, I: Any, V: Any, shift: Any) -> Any:
    """What the momentum of a link's points differs by when their velocities stay and the link is displaced, link axes."""
    w, u, turn = (V[0], V[1], V[2]), (V[3], V[4], V[5]), (shift[0], shift[1], shift[2])
    half_trace = number(0.5, m) * (I[0] + I[3] + I[5])
    second = subtract(scale(half_trace, turn), apply_symmetric(I, turn))
    p = add_cross(scale(m, u), w, h)
    return spatial(subtract(cross(w, second), cross(h, cross(turn, u))), cross(p, turn))


def joint_displacement(L: Link, x: int) -> Any:
    """S·dq of a joint whose displacements are at x in `scratch`."""
    if L.kind == FREE:
        return load6(L.scratch, x, L.spec)
    if L.kind == BALL:
        return ball_motion(load3(L.scratch, x, L.spec))
    return axis_motion(L.kind, load(L.scratch, x, L.spec))
