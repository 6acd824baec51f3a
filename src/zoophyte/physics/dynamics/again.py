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
    power,
    spatial_add,
    spatial_add_scaled,
    spatial_subtract,
    spatial_zero,
)
from zoophyte.algebra.vectors import subtract
from zoophyte.model.layout import BALL, FLAG_DRIVEN, FLAG_FORCES, FREE, HINGE, LINK_COUNT, ROLE_ROOT
from zoophyte.numbers import Array, Spec
from zoophyte.numbers.primitives import outlined
from zoophyte.physics.dynamics.forward import accelerations
from zoophyte.physics.dynamics.kinematics import (
    axis_motion,
    joint_velocity,
    offset_of,
    to_child,
    velocity_product,
)
from zoophyte.physics.dynamics.links import (
    AxisJoint,
    BallJoint,
    Link,
    ground,
    header,
    link_of,
    parent_of,
)
from zoophyte.physics.dynamics.project import ball_driven_part, blend, driven_part


@outlined
def forward_dynamics_again(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """ACCELERATION (and TAU of driven coordinates) for changed velocities, where `forward_dynamics` was done before."""
    biases_outward(ints, data, scratch, spec)
    biases_inward(ints, data, scratch, spec)
    accelerations(ints, data, scratch, spec)


def biases_outward(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """V, b (where A will be) and p of every link alone."""
    G, nothing = ground(data, scratch, spec), spatial_zero(header(data, spec).dt)
    G.A, G.pA = nothing, nothing
    for link in range(1, ints[LINK_COUNT]):
        L, P = link_of(ints, data, scratch, link, spec), parent_of(ints, data, scratch, link, spec)
        V = spatial_add(to_child(L, P.V), joint_velocity(L))
        c = velocity_product(L, V)
        if L.flags & FLAG_DRIVEN:
            c = spatial_add(c, driven_motion(L))
        b = spatial_add(to_child(L, P.A), c)  # b = X b_parent + c
        m, h, I = L.m, L.h, L.inertia
        p = spatial_add(
            rigid_momentum(m, h, I, b), cross_force(V, rigid_momentum(m, h, I, V))
        )  # I b + V ×* I V
        if L.flags & FLAG_FORCES:
            p = spatial_subtract(p, L.F)
        L.V, L.A, L.pA = V, b, p


def biases_inward(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """u of every joint, from the tips to the ground."""
    for link in range(ints[LINK_COUNT] - 1, 0, -1):
        L, P = link_of(ints, data, scratch, link, spec), parent_of(ints, data, scratch, link, spec)
        p, b = L.pA, L.A
        if L.kind == FREE:  # its parent is the ground, so that b = 0
            J = L.free
            J.u = spatial_subtract(J.tau, p)
        elif L.kind == BALL:
            p = ball_bias(L.ball, p, b)
        else:
            p = axis_bias(L.axis, p, b)
        if not L.role & ROLE_ROOT:
            P.pA = spatial_add(P.pA, force_to_parent(L.E, offset_of(L), p))


def axis_bias(J: AxisJoint, p: Any, b: Any) -> Any:
    """Store u of a hinge or slide; what its parent gets."""
    U, rest = J.U, J.tau - (p[2] if J.kind == HINGE else p[5])
    J.u = rest + power(U, b)
    return spatial_add_scaled(p, rest * J.D_inverse, U)  # p + U D⁻¹ (τ − Sᵀ p)


def ball_bias(J: BallJoint, p: Any, b: Any) -> Any:
    """Store u of a ball joint; what its parent gets."""
    U0, U1, U2 = J.U0, J.U1, J.U2
    rest = subtract(J.tau, (p[0], p[1], p[2]))
    J.u = (rest[0] + power(U0, b), rest[1] + power(U1, b), rest[2] + power(U2, b))
    x = apply_symmetric(J.D_inverse, rest)
    return spatial_add(p, blend(x[0], x[1], x[2], U0, U1, U2))


def driven_motion(L: Link) -> Any:
    """S·a for the given accelerations of driven coordinates; nothing for mobile ones."""
    if L.kind == BALL:
        return ball_driven_part(L.ball)
    if L.kind == FREE:
        return spatial_zero(L.m)
    return axis_motion(L.kind, driven_part(L.axis.dof))
