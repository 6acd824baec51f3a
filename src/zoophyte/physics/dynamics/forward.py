"""Forward dynamics by the articulated-body algorithm: O(n), hybrid (driven coordinates), with implicit additions to D.

Featherstone (2008), table 7.1, in link coordinates.  Per link: IA, pA articulated inertia and bias force; S motion
subspace (a constant unit vector, the identity, or three unit vectors, by kind); U = IA·S; D = Sᵀ·U + armature (+ E of the
implicit steps); u = τ − Sᵀ·pA.  A driven coordinate has 1/D = 0 and its given acceleration beside c, so the same
lines serve both; its needed force comes out in TAU.  Gravity is the ground accelerating by −g.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.cholesky import solve6
from zoophyte.algebra.inertia import rigid_as_articulated, rigid_momentum
from zoophyte.algebra.rotations import apply_symmetric
from zoophyte.algebra.spatial import cross_force, power, spatial_add, spatial_subtract, spatial_zero
from zoophyte.model.layout import BALL, FLAG_DRIVEN, FLAG_FORCES, FREE, LINK_COUNT, ROLE_PREPARED, called
from zoophyte.numbers import Array, Spec, fma, number, where
from zoophyte.numbers.units import unit
from zoophyte.physics.dynamics.kinematics import add_axis, link_velocity, to_child, velocity_product
from zoophyte.physics.dynamics.links import (
    AxisJoint,
    BallJoint,
    Dof,
    ground,
    header,
    link_of,
    parent_of,
)
from zoophyte.physics.dynamics.project import ball_driven_part, driven_part, inward


@unit(called("forward_dynamics"))
def forward_dynamics(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """ACCELERATION of every mobile coordinate (and TAU of every driven one) from the coordinates, v and TAU."""
    outward(ints, data, scratch, spec)
    inward(ints, data, scratch, spec)
    accelerations(ints, data, scratch, spec)


def outward(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """First pass: velocities and pA = V ×* I·V − F of every link alone; IA = I where the inward pass cannot supply it."""
    G, zero = ground(data, scratch, spec), number(0.0, header(data, spec).dt)
    G.V, G.pA = spatial_zero(zero), spatial_zero(zero)
    G.I, G.H, G.M = rigid_as_articulated(zero, (zero, zero, zero), spatial_zero(zero))
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        V = link_velocity(ints, data, scratch, link, spec)
        m, h, I = L.m, L.h, L.inertia
        p = cross_force(V, rigid_momentum(m, h, I, V))  # pA = V ×* I V − F
        if L.flags & FLAG_FORCES:
            p = spatial_subtract(p, L.F)
        L.pA = p
        if L.role & ROLE_PREPARED:
            L.I, L.H, L.M = rigid_as_articulated(m, h, I)


def accelerations(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Third pass: joint and link accelerations, from the ground outwards; the ground accelerates by −g."""
    set_ground_falling(data, scratch, spec)
    for link in range(1, ints[LINK_COUNT]):
        L, P = link_of(ints, data, scratch, link, spec), parent_of(ints, data, scratch, link, spec)
        a = spatial_add(to_child(L, P.A), velocity_product(L, L.V))  # a′ = X_LP a_P + c
        if L.kind == FREE:
            J = L.free
            A = solve6(J.L, J.u)  # a = IA⁻¹ u
            J.a = spatial_subtract(A, a)
        elif L.kind == BALL:
            A = accelerate_ball(L.ball, a)
        else:
            A = accelerate_axis(L.axis, a)
        L.A = A


def set_ground_falling(data: Array, scratch: Array, spec: Spec) -> None:
    """Gravity as the acceleration −g of the ground."""
    g = header(data, spec).gravity
    z = number(0.0, g[0])
    ground(data, scratch, spec).A = (z, z, z, -g[0], -g[1], -g[2])


def accelerate_axis(J: AxisJoint, a: Any) -> Any:
    """The acceleration of a link on a hinge or slide, from `a`, what its parent and the velocities give it."""
    U, u, D_inverse = J.U, J.u, J.D_inverse
    x = (u - power(U, a)) * D_inverse  # q̈ = D⁻¹ (u − Uᵀ a′)
    if J.flags & FLAG_DRIVEN:
        x = x + driven_part(J.dof)
    A = add_axis(J.kind, a, x)  # a = a′ + S q̈
    if J.flags & FLAG_DRIVEN:
        x = keep_driven(J.dof, x, power(U, A) - u)
    J.a = x
    return A


def accelerate_ball(J: BallJoint, a: Any) -> Any:
    """The acceleration of a link on a ball joint."""
    U0, U1, U2, u, K = J.U0, J.U1, J.U2, J.u, J.D_inverse
    if J.flags & FLAG_DRIVEN:
        a = spatial_add(a, ball_driven_part(J))
    x = apply_symmetric(K, (u[0] - power(U0, a), u[1] - power(U1, a), u[2] - power(U2, a)))
    A = (a[0] + x[0], a[1] + x[1], a[2] + x[2], a[3], a[4], a[5])
    if J.flags & FLAG_DRIVEN:
        x = (keep_driven(J.dof0, x[0], power(U0, A) - u[0]),
             keep_driven(J.dof1, x[1], power(U1, A) - u[1]),
             keep_driven(J.dof2, x[2], power(U2, A) - u[2]))  # fmt: skip
    J.a = x
    return A


def keep_driven(D: Dof, x: Any, missing: Any) -> Any:
    """`x` if the coordinate is mobile, else its given acceleration; a driven one gets the force it needs in TAU."""
    mobile, tau, given = D.mobile > number(0.5, x), D.tau, D.a
    D.tau = where(mobile, tau, fma(D.armature, given, tau + missing))
    return where(mobile, x, given)
