"""Forward dynamics once more in the same configuration, with other velocities: only what depends on these is done anew.

The inertias that links carry, and U and D of their joints, stay.  With b the acceleration that a link has when no joint
accelerates, b = X·b_parent + c, the bias force that includes it, p = pA + IA·b, goes inwards without inertias:

    p of a link alone = I·b + V ×* I·V − F,    u − Uᵀ·b = tau − Sᵀ·p,    the parent gets p + U D⁻¹ (u − Uᵀ·b)

which follows from Featherstone (2008), table 7.1, by substituting pA = p − IA·b.  It is a third of the work of a whole pass.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import rigid_momentum
from zoophyte.algebra.rotations import apply_symmetric
from zoophyte.algebra.spatial import (
    cross_force,
    force_to_parent,
    motion_to_child,
    power,
    spatial_add,
    spatial_add_scaled,
    spatial_subtract,
    spatial_zero,
)
from zoophyte.model.layout import (
    BALL,
    FLAG_DRIVEN,
    FLAG_FORCES,
    FLAGS,
    FORCE,
    FREE,
    HINGE,
    INERTIA,
    JOINT,
    LINK_COUNT,
    MASS,
    MOMENT,
    ROLE_ROOT,
    ROW_DATA,
    ROW_KIND,
    ROW_ROLE,
    ROW_SCRATCH,
    TAU,
    VELOCITY,
    A,
    E,
    P,
    V,
)
from zoophyte.numbers import Array, Spec, load, number, store, width
from zoophyte.numbers.memory import load3, load6, load6_at, load9, store3, store6, store6_at
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.dynamics.blocks import dof_fields3, dof_fields6
from zoophyte.physics.dynamics.forward import accelerations
from zoophyte.physics.dynamics.kinematics import (
    first_dof,
    joint_motion,
    link_offset,
    parent_index,
    row,
    velocity_product,
)
from zoophyte.physics.dynamics.project import (
    BALL_DINV,
    BALL_SU,
    DINV,
    FREE_SU,
    SU,
    ball_driven_part,
    blend,
    driven_part,
)


@outlined
def forward_dynamics_again(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """ACCELERATION (and TAU of driven coordinates) for changed velocities, where `forward_dynamics` was done before."""
    biases_outward(ints, data, scratch, spec)
    biases_inward(ints, data, scratch, spec)
    accelerations(ints, data, scratch, spec)


def biases_outward(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """V, b (where A will be) and p of every link alone."""
    W = width(spec)
    zero = number(0.0, load(data, 0, spec))
    store6(scratch, A * W, spatial_zero(zero), spec)
    store6(scratch, P * W, spatial_zero(zero), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        parent = parent_index(ints, link, spec)
        E_LP, r = load9(scratch, s + E * W, spec), link_offset(kind, data, d, scratch, s, spec)
        V_P = load6_at(scratch, ints, parent, V * W, spec)
        V_L = spatial_add(motion_to_child(E_LP, r, V_P), joint_motion(kind, data, d, VELOCITY, spec))
        c = velocity_product(kind, V_L, data, d, spec)
        if ints[FLAGS] & FLAG_DRIVEN:
            c = spatial_add(c, driven_motion(kind, data, d, spec))
        b = spatial_add(motion_to_child(E_LP, r, load6_at(scratch, ints, parent, A * W, spec)), c)
        m, h = load(data, d + MASS * W, spec), load3(data, d + MOMENT * W, spec)
        I = load6(data, d + INERTIA * W, spec)
        p = spatial_add(rigid_momentum(m, h, I, b), cross_force(V_L, rigid_momentum(m, h, I, V_L)))
        if ints[FLAGS] & FLAG_FORCES:
            p = spatial_subtract(p, load6(data, d + FORCE * W, spec))
        store6(scratch, s + V * W, V_L, spec)
        store6(scratch, s + A * W, b, spec)
        store6(scratch, s + P * W, p, spec)


def biases_inward(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """u of every joint, from the tips to the ground."""
    W = width(spec)
    for link in range(ints[LINK_COUNT] - 1, 0, -1):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        j, p, b = s + JOINT * W, load6(scratch, s + P * W, spec), load6(scratch, s + A * W, spec)
        if kind == FREE:  # its parent is the ground, so that b = 0
            store6(scratch, j + FREE_SU * W, spatial_subtract(dof_fields6(data, d, TAU, spec), p), spec)
        elif kind == BALL:
            p = ball_bias(data, scratch, d, j, p, b, spec)
        else:
            p = axis_bias(data, scratch, kind, d, j, p, b, spec)
        if not ints[i + ROW_ROLE] & ROLE_ROOT:
            E_LP, r = load9(scratch, s + E * W, spec), link_offset(kind, data, d, scratch, s, spec)
            parent = parent_index(ints, link, spec)
            p_P = load6_at(scratch, ints, parent, P * W, spec)
            store6_at(scratch, ints, parent, P * W, spatial_add(p_P, force_to_parent(E_LP, r, p)), spec)


def axis_bias(data: Array, scratch: Array, kind: int, d: int, j: int, p: Any, b: Any, spec: Spec) -> Any:
    """Store u of a hinge or slide; what its parent gets."""
    W = width(spec)
    U = load6(scratch, j, spec)
    rest = load(data, d + (first_dof(kind) + TAU) * W, spec) - (p[2] if kind == HINGE else p[5])
    store(scratch, j + SU * W, rest + power(U, b), spec)
    return spatial_add_scaled(p, rest * load(scratch, j + DINV * W, spec), U)


def ball_bias(data: Array, scratch: Array, d: int, j: int, p: Any, b: Any, spec: Spec) -> Any:
    """Store u of a ball joint; what its parent gets."""
    W = width(spec)
    U0, U1 = load6(scratch, j, spec), load6(scratch, j + 6 * W, spec)
    U2 = load6(scratch, j + 12 * W, spec)
    tau = dof_fields3(data, d, TAU, spec)
    rest = (tau[0] - p[0], tau[1] - p[1], tau[2] - p[2])
    u = (rest[0] + power(U0, b), rest[1] + power(U1, b), rest[2] + power(U2, b))
    store3(scratch, j + BALL_SU * W, u, spec)
    x = apply_symmetric(load6(scratch, j + BALL_DINV * W, spec), rest)
    return spatial_add(p, blend(x[0], x[1], x[2], U0, U1, U2))


def driven_motion(kind: int, data: Array, d: int, spec: Spec) -> Any:
    """S·a for the given accelerations of driven coordinates; nothing for mobile ones."""
    dof = d + first_dof(kind) * width(spec)
    if kind == BALL:
        return ball_driven_part(data, dof, spec)
    a = driven_part(data, dof, spec)
    z = number(0.0, a)
    if kind == HINGE:
        return (z, z, a, z, z, z)
    if kind == FREE:
        return (z, z, z, z, z, z)
    return (z, z, z, z, z, a)
