"""Inward pass of the articulated-body algorithm: what each link and all it carries feels like to its parent.

Featherstone (2008), table 7.1, second pass.  S is z turning (hinge), z moving (slide), all turning (ball) or everything
(free).
To D come the armature and the E of implicit steps.  A driven coordinate has D⁻¹ = 0 and its given acceleration beside c.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.cholesky import cholesky6
from zoophyte.algebra.inertia import (
    articulated_apply,
    articulated_subtract_outer,
    articulated_to_parent,
    moved_coupling,
    moved_shift,
)
from zoophyte.algebra.rotations import (
    congruence,
    congruence_symmetric,
    matrix_add,
    matrix_apply_xy,
    subtract_outer,
    subtract_outer_symmetric,
    symmetric_apply_xy,
    symmetric_inverse,
    transposed_apply_xy,
)
from zoophyte.algebra.spatial import (
    force_to_parent,
    spatial,
    spatial_add,
    spatial_add_scaled,
    spatial_scale,
    spatial_subtract,
)
from zoophyte.algebra.vectors import subtract
from zoophyte.model.layout import BALL, FLAG_DRIVEN, FLAG_IMPLICIT, FREE, HINGE, LINK_COUNT, ROLE_ROOT
from zoophyte.numbers import Array, Spec, fma, number, where
from zoophyte.physics.dynamics.blocks import (
    base_coupling,
    base_inertia,
    base_mass,
    own_coupling,
    own_inertia,
    own_mass,
)
from zoophyte.physics.dynamics.kinematics import ball_motion, offset_of, velocity_product
from zoophyte.physics.dynamics.links import (
    AxisJoint,
    BallJoint,
    Dof,
    Link,
    Parent,
    link_of,
    parent_of,
)

DINV = 6
"""Where 1/D of a hinge or slide lies behind its U."""


def inward(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Articulated inertias and bias forces, from the tips to the ground."""
    for link in range(ints[LINK_COUNT] - 1, 0, -1):
        L = link_of(ints, data, scratch, link, spec)
        if L.kind == FREE:
            factor_free(L)
        elif L.kind == BALL:
            project_ball(L, parent_of(ints, data, scratch, link, spec))
        else:
            project_axis(ints, data, scratch, link, spec)


def project_axis(ints: Array, data: Array, scratch: Array, link: int, spec: Spec) -> None:
    """Inward step of a hinge (S = z turning) or a slide (S = z moving)."""
    L = link_of(ints, data, scratch, link, spec)
    J = L.axis
    U, D = axis_column(L)  # U = IA S,  D = Sᵀ U
    D_inverse = axis_inverse(J, D)
    p = L.pA
    u = J.tau - (p[2] if L.kind == HINGE else p[5])  # u = τ − Sᵀ pA
    J.U, J.D_inverse, J.u = U, D_inverse, u
    if not L.role & ROLE_ROOT:
        w = spatial_scale(D_inverse, U)
        hand_axis_over(L, parent_of(ints, data, scratch, link, spec), U, w, p, u)


def axis_column(L: Link) -> Any:
    """U = IA·S and Sᵀ·U of a hinge or slide."""
    H = own_coupling(L)
    if L.kind == HINGE:
        I = own_inertia(L)
        return (I[2], I[4], I[5], H[6], H[7], H[8]), I[5]
    M = own_mass(L)
    return (H[2], H[5], H[8], M[2], M[4], M[5]), M[5]


def axis_inverse(J: AxisJoint, D: Any) -> Any:
    """D⁻¹ of a hinge or slide, with what its armature and implicit terms add to D."""
    D = D + J.armature
    if J.flags & FLAG_IMPLICIT:
        D = D + J.E
    if J.flags & FLAG_DRIVEN:  # a driven axis may carry nothing, so that its D is zero
        mobile = J.mobile > number(0.5, D)
        return where(mobile, number(1.0, D), number(0.0, D)) / where(mobile, D, number(1.0, D))
    return number(1.0, D) / D


def hand_axis_over(L: Link, P: Parent, U: Any, w: Any, p: Any, u: Any) -> None:
    """Add X_LPᵀ Ia X_LP and X_LPᵀ pa to the parent's, with Ia = IA − U wᵀ, pa = pA + Ia c + u w and w = U D⁻¹.

    The 6×6 inertia goes over block by block, each loaded when it is needed and stored when it is done, because 42 numbers at
    once do not fit into the registers.
    """
    c = velocity_product(L, L.V)
    c_n, c_f = (c[0], c[1]), (c[3], c[4])
    E, r = L.E, offset_of(L)
    U_n, U_f = (U[0], U[1], U[2]), (U[3], U[4], U[5])
    w_n, w_f = (w[0], w[1], w[2]), (w[3], w[4], w[5])

    M = subtract_outer_symmetric(own_mass(L), U_f, w_f)
    f = symmetric_apply_xy(M, c_f, (fma(u, w[3], p[3]), fma(u, w[4], p[4]), fma(u, w[5], p[5])))
    M = congruence_symmetric(E, M)
    P.M = spatial_add(base_mass(L, P), M)

    H = subtract_outer(own_coupling(L), U_n, w_f)
    f = transposed_apply_xy(H, c_n, f)
    n = matrix_apply_xy(H, c_f, (fma(u, w[0], p[0]), fma(u, w[1], p[1]), fma(u, w[2], p[2])))
    H = congruence(E, H)
    moved = moved_coupling(H, M, r)
    shift = moved_shift(H, moved, r)
    P.H = matrix_add(base_coupling(L, P), moved)

    I = subtract_outer_symmetric(own_inertia(L), U_n, w_n)
    n = symmetric_apply_xy(I, c_n, n)
    if L.flags & FLAG_DRIVEN:
        n, f = driven_bias(L.axis, U, w, n, f)
    I = spatial_add(congruence_symmetric(E, I), shift)
    P.I = spatial_add(base_inertia(L, P), I)
    P.pA = spatial_add(P.pA, force_to_parent(E, r, spatial(n, f)))


def driven_bias(J: AxisJoint, U: Any, w: Any, n: Any, f: Any) -> Any:
    """(n, f) + Ia·S·a for the given acceleration of a driven axis, with Ia·S = U − w·(S·U)."""
    k = U[2] if J.kind == HINGE else U[5]
    x = spatial_add_scaled(U, -k, w)
    y = spatial_add_scaled(spatial(n, f), driven_part(J.dof), x)
    return (y[0], y[1], y[2]), (y[3], y[4], y[5])


def project_ball(L: Link, P: Parent) -> None:
    """Inward step of a ball joint: S is the angular half, D the 3×3 block I."""
    J, p, I, H = L.ball, L.pA, own_inertia(L), own_coupling(L)
    tau, a = J.tau, J.armature
    U0, U1, U2 = ball_columns(I, H)  # U = IA S
    D = (I[0] + a[0], I[1], I[2], I[3] + a[1], I[4], I[5] + a[2])  # D = Sᵀ U
    if L.flags & FLAG_IMPLICIT:
        D = spatial_add(D, J.E)
    u = subtract(tau, (p[0], p[1], p[2]))  # u = τ − Sᵀ pA
    if L.flags & FLAG_DRIVEN:
        mobile, z, one = J.mobile > number(0.5, a[0]), number(0.0, a[0]), number(1.0, a[0])
        K = choose6(
            mobile, symmetric_inverse(choose6(mobile, D, (one, z, z, one, z, one))), (z, z, z, z, z, z)
        )
    else:
        K = symmetric_inverse(D)
    J.U0, J.U1, J.U2, J.D_inverse, J.u = U0, U1, U2, K, u
    if not L.role & ROLE_ROOT:
        # w = U D⁻¹, Ia = IA − U wᵀ, pa = pA + Ia c + w u
        W0, W1 = blend(K[0], K[1], K[2], U0, U1, U2), blend(K[1], K[3], K[4], U0, U1, U2)
        W2 = blend(K[2], K[4], K[5], U0, U1, U2)
        Ia = articulated_subtract_outer((I, H, own_mass(L)), U0, W0)
        Ia = articulated_subtract_outer(articulated_subtract_outer(Ia, U1, W1), U2, W2)
        c = velocity_product(L, L.V)
        if L.flags & FLAG_DRIVEN:
            c = spatial_add(c, ball_driven_part(J))
        pa = spatial_add(spatial_add(p, articulated_apply(Ia, c)), blend(u[0], u[1], u[2], W0, W1, W2))
        hand_over(L, P, Ia, pa)


def ball_columns(I: Any, H: Any) -> Any:
    """The columns of U = IA·S of a ball joint."""
    return (
        (I[0], I[1], I[2], H[0], H[1], H[2]),
        (I[1], I[3], I[4], H[3], H[4], H[5]),
        (I[2], I[4], I[5], H[6], H[7], H[8]),
    )


def choose6(mask: Any, a: Any, b: Any) -> Any:
    """`a` where `mask` holds, else `b`."""
    return (where(mask, a[0], b[0]), where(mask, a[1], b[1]), where(mask, a[2], b[2]),
            where(mask, a[3], b[3]), where(mask, a[4], b[4]), where(mask, a[5], b[5]))  # fmt: skip


def blend(a: Any, b: Any, c: Any, A: Any, B: Any, C: Any) -> Any:
    """a·A + b·B + c·C of spatial vectors."""
    return spatial_add_scaled(spatial_add_scaled(spatial_scale(a, A), b, B), c, C)


def hand_over(L: Link, P: Parent, Ia: Any, pa: Any) -> None:
    """Add the projected inertia and bias force of a ball link to its parent's."""
    E, r = L.E, offset_of(L)
    I, H, M = articulated_to_parent(E, r, Ia)
    P.M = spatial_add(base_mass(L, P), M)
    P.H = matrix_add(base_coupling(L, P), H)
    P.I = spatial_add(base_inertia(L, P), I)
    P.pA = spatial_add(P.pA, force_to_parent(E, r, pa))


def factor_free(L: Link) -> None:
    """Inward step of a free link: Cholesky factor of D = IA, and u = τ − pA."""
    J = L.free
    u = spatial_subtract(J.tau, L.pA)
    J.L = cholesky6((own_inertia(L), own_coupling(L), own_mass(L)))
    J.u = u


def driven_part(D: Dof) -> Any:
    """The given acceleration of a driven coordinate; 0 for a mobile one."""
    mobile, a = D.mobile, D.a
    return where(mobile > number(0.5, mobile), number(0.0, a), a)


def ball_driven_part(J: BallJoint) -> Any:
    """S·a of a driven ball joint; nothing for a mobile one."""
    return ball_motion((driven_part(J.dof0), driven_part(J.dof1), driven_part(J.dof2)))
