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
from zoophyte.algebra.spatial import (
    cross_motion,
    motion_to_child,
    spatial,
    spatial_add,
    spatial_subtract,
    spatial_zero,
)
from zoophyte.algebra.vectors import add, add_cross, choose3, cross, scale, subtract
from zoophyte.model.layout import (
    BALL,
    DOF_SIZE,
    FREE,
    HINGE,
    IA,
    INERTIA,
    LINK_COUNT,
    MASS,
    MOMENT,
    ROW_DATA,
    ROW_KIND,
    ROW_SCRATCH,
    ROW_V,
    V_COUNT,
    VELOCITY,
    P,
)
from zoophyte.model.layout import E as TURN
from zoophyte.numbers import Array, Mask, Spec, load, number, store, where, width
from zoophyte.numbers.memory import load3, load6, load6_at, load9, store6
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.dynamics.blocks import dof_fields6, store_dof_fields6
from zoophyte.physics.dynamics.kinematics import first_dof, joint_motion, link_offset, parent_index, row
from zoophyte.physics.dynamics.response import factor_row, velocity_change
from zoophyte.physics.integrate import carrier_of

SHIFT, GAIN, MOTION = IA, IA + 6, IA + 12
"""Δ, dV and V of a link, where its articulated inertia was."""


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
    W = width(spec)
    missing_momenta(ints, data, scratch, change, spec)
    factor_row(ints, scratch, scratch, work, spec)
    velocity_change(ints, data, scratch, scratch, work, scratch, work, spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, x = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_V] * W
        if kind == FREE:
            V = dof_fields6(data, d, VELOCITY, spec)
            turn, dV = load3(scratch, change + x, spec), load6(scratch, work + x, spec)
            w, u = carried_root(V, dV, turn, load3(data, carrier_of(FREE, d, spec), spec))
            w, u = choose3(needed, w, (V[0], V[1], V[2])), choose3(needed, u, (V[3], V[4], V[5]))
            store_dof_fields6(data, d, VELOCITY, spatial(w, u), spec)
        else:
            for n in range(V_COUNT[kind]):
                place = d + (first_dof(kind) + n * DOF_SIZE + VELOCITY) * W
                v = load(data, place, spec)
                store(data, place, where(needed, v + load(scratch, work + x + n * W, spec), v), spec)


def carried_root(V: Any, dV: Any, turn: Any, c: Any) -> Any:
    """V + δV of a free link, as two vectors; the velocity of its centre of mass c turns back by `turn` exactly."""
    w, dw = (V[0], V[1], V[2]), (dV[0], dV[1], dV[2])
    u = add_cross((V[3], V[4], V[5]), w, c)
    others = add_cross(
        add_cross((dV[3], dV[4], dV[5]), dw, c), turn, u
    )  # what the links that hang on it make of it
    zero = number(0.0, V[0])
    turned = quaternion_matrix(quaternion_integrate((number(1.0, zero), zero, zero, zero), turn))
    w = add(w, dw)
    return w, subtract(add(unrotate(turned, u), others), cross(w, c))


def missing_momenta(ints: Array, data: Array, scratch: Array, change: int, spec: Spec) -> None:
    """g of every link, into P."""
    W = width(spec)
    nothing = spatial_zero(number(0.0, load(data, 0, spec)))
    for field in (SHIFT, GAIN, MOTION, P):
        store6(scratch, field * W, nothing, spec)
    for link in range(1, ints[LINK_COUNT]):
        i, parent = row(ints, link), parent_index(ints, link, spec)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        X, r = load9(scratch, s + TURN * W, spec), link_offset(kind, data, d, scratch, s, spec)
        own = joint_displacement(kind, scratch, change + ints[i + ROW_V] * W, spec)
        carried = motion_to_child(X, r, load6_at(scratch, ints, parent, MOTION * W, spec))
        shift = spatial_add(motion_to_child(X, r, load6_at(scratch, ints, parent, SHIFT * W, spec)), own)
        gain = motion_to_child(X, r, load6_at(scratch, ints, parent, GAIN * W, spec))
        gain = spatial_subtract(gain, cross_motion(own, carried))
        motion = spatial_add(carried, joint_motion(kind, data, d, VELOCITY, spec))
        store6(scratch, s + SHIFT * W, shift, spec)
        store6(scratch, s + GAIN * W, gain, spec)
        store6(scratch, s + MOTION * W, motion, spec)
        m, h = load(data, d + MASS * W, spec), load3(data, d + MOMENT * W, spec)
        I = load6(data, d + INERTIA * W, spec)
        left = spatial_subtract(left_behind(m, h, I, motion, shift), rigid_momentum(m, h, I, gain))
        store6(scratch, s + P * W, left, spec)


def left_behind(m: Any, h: Any, I: Any, V: Any, shift: Any) -> Any:
    """What the momentum of a link's points differs by when their velocities stay and the link is displaced, link axes."""
    w, u, turn = (V[0], V[1], V[2]), (V[3], V[4], V[5]), (shift[0], shift[1], shift[2])
    half_trace = number(0.5, m) * (I[0] + I[3] + I[5])
    second = subtract(scale(half_trace, turn), apply_symmetric(I, turn))
    p = add_cross(scale(m, u), w, h)
    return spatial(subtract(cross(w, second), cross(h, cross(turn, u))), cross(p, turn))


def joint_displacement(kind: int, scratch: Array, x: int, spec: Spec) -> Any:
    """S·dq of a joint whose displacements are at x."""
    if kind == FREE:
        return load6(scratch, x, spec)
    if kind == BALL:
        d = load3(scratch, x, spec)
        z = number(0.0, d[0])
        return (d[0], d[1], d[2], z, z, z)
    d0 = load(scratch, x, spec)
    z = number(0.0, d0)
    if kind == HINGE:
        return (z, z, d0, z, z, z)
    return (z, z, z, z, z, d0)
