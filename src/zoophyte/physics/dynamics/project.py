"""Inward pass of the articulated-body algorithm: what each link and all it carries feels like to its parent.

Featherstone (2008), table 7.1: U = IA·S, D = Sᵀ·U + armature (+ E of the implicit steps), u = tau − Sᵀ·pA; the parent gets
Ia = IA − U D⁻¹ Uᵀ and pa = pA + Ia c + U D⁻¹ u.  S is z turning (hinge), z moving (slide), all turning (ball) or everything
(free).  A driven coordinate has D⁻¹ = 0 and its given acceleration beside c.
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
from zoophyte.model.layout import (
    ACCELERATION,
    ARMATURE,
    BALL,
    DOF_SIZE,
    FLAG_DRIVEN,
    FLAG_IMPLICIT,
    FLAGS,
    FREE,
    HINGE,
    IA,
    JOINT,
    JOINT_SIZE,
    LINK_COUNT,
    MOBILE,
    ROLE_ROOT,
    ROW_DATA,
    ROW_KIND,
    ROW_PARENT,
    ROW_ROLE,
    ROW_SCRATCH,
    TAU,
    E,
    P,
    V,
)
from zoophyte.numbers import Array, Spec, fma, load, number, store, where, width
from zoophyte.numbers.memory import load6, load6_at, load9, store3, store6, store6_at, store9_at
from zoophyte.physics.dynamics.blocks import (
    axis_column,
    base_coupling,
    base_inertia,
    base_mass,
    dof_fields3,
    dof_fields6,
    own_coupling,
    own_inertia,
    own_mass,
)
from zoophyte.physics.dynamics.kinematics import first_dof, link_offset, parent_index, row, velocity_product

DINV, SU = 6, 7  # behind U of a hinge or slide
BALL_DINV, BALL_SU = 18, 24
FREE_SU = 21


def inward(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Articulated inertias and bias forces, from the tips to the ground."""
    for link in range(ints[LINK_COUNT] - 1, 0, -1):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        if kind == FREE:
            factor_free(ints, data, scratch, i, d, s, spec)
        elif kind == BALL:
            project_ball(ints, data, scratch, link, d, s, spec)
        else:
            project_axis(ints, data, scratch, link, kind, d, s, spec)


def project_axis(
    ints: Array, data: Array, scratch: Array, link: int, kind: int, d: int, s: int, spec: Spec
) -> None:
    """Inward step of a hinge (S = z turning) or a slide (S = z moving).

    With w = U/D: the parent feels Ia = IA − U wᵀ and pa = pA + Ia c + u w.  The 6×6 inertia goes over block by block, each
    loaded when it is needed and stored when it is done, because 42 numbers at once do not fit into the registers.
    """
    W = width(spec)
    i, dof, j = row(ints, link), d + first_dof(kind) * W, s + JOINT * W
    role = ints[i + ROW_ROLE]
    U, D = axis_column(role, kind, data, d, scratch, s, spec)
    D = D + load(data, dof + ARMATURE * W, spec)
    if ints[FLAGS] & FLAG_IMPLICIT:
        D = D + load(scratch, j + JOINT_SIZE[HINGE] * W, spec)
    if ints[FLAGS] & FLAG_DRIVEN:  # a driven axis may carry nothing, so that its D is zero
        mobile = load(data, dof + MOBILE * W, spec) > number(0.5, D)
        D_inverse = where(mobile, number(1.0, D), number(0.0, D)) / where(mobile, D, number(1.0, D))
    else:
        D_inverse = number(1.0, D) / D
    p = load6(scratch, s + P * W, spec)
    u = load(data, dof + TAU * W, spec) - (p[2] if kind == HINGE else p[5])
    store6(scratch, j, U, spec)
    store(scratch, j + DINV * W, D_inverse, spec)
    store(scratch, j + SU * W, u, spec)
    if not role & ROLE_ROOT:
        w = (
            U[0] * D_inverse,
            U[1] * D_inverse,
            U[2] * D_inverse,
            U[3] * D_inverse,
            U[4] * D_inverse,
            U[5] * D_inverse,
        )
        c = velocity_product(kind, load6(scratch, s + V * W, spec), data, d, spec)
        hand_axis_over(ints, data, scratch, link, kind, d, s, U, w, p, c, u, spec)


def hand_axis_over(
    ints: Array, data: Array, scratch: Array, link: int, kind: int, d: int, s: int, U: Any, w: Any, p: Any, c: Any, u: Any,
    spec: Spec,
) -> None:  # fmt: skip
    """Add X_LPᵀ·(IA − U wᵀ)·X_LP and the matching bias force to the parent's."""
    W = width(spec)
    i = row(ints, link)
    role, parent = ints[i + ROW_ROLE], parent_index(ints, link, spec)
    d_P = ints[row(ints, ints[i + ROW_PARENT]) + ROW_DATA]
    E_LP, r = load9(scratch, s + E * W, spec), link_offset(kind, data, d, scratch, s, spec)
    U_n, U_f = (U[0], U[1], U[2]), (U[3], U[4], U[5])
    w_n, w_f = (w[0], w[1], w[2]), (w[3], w[4], w[5])
    c_n, c_f = (c[0], c[1]), (c[3], c[4])

    M = subtract_outer_symmetric(own_mass(role, data, d, scratch, s, spec), U_f, w_f)
    f = symmetric_apply_xy(M, c_f, (fma(u, w[3], p[3]), fma(u, w[4], p[4]), fma(u, w[5], p[5])))
    M = congruence_symmetric(E_LP, M)
    M_P = spatial_add(base_mass(role, data, d_P, scratch, ints, parent, spec), M)
    store6_at(scratch, ints, parent, (IA + 15) * W, M_P, spec)

    H = subtract_outer(own_coupling(role, data, d, scratch, s, spec), U_n, w_f)
    f = transposed_apply_xy(H, c_n, f)
    n = matrix_apply_xy(H, c_f, (fma(u, w[0], p[0]), fma(u, w[1], p[1]), fma(u, w[2], p[2])))
    H = congruence(E_LP, H)
    moved = moved_coupling(H, M, r)
    shift = moved_shift(H, moved, r)
    H_P = matrix_add(base_coupling(role, data, d_P, scratch, ints, parent, spec), moved)
    store9_at(scratch, ints, parent, (IA + 6) * W, H_P, spec)

    I = subtract_outer_symmetric(own_inertia(role, data, d, scratch, s, spec), U_n, w_n)
    n = symmetric_apply_xy(I, c_n, n)
    if ints[FLAGS] & FLAG_DRIVEN:
        n, f = driven_bias(data, scratch, kind, d, s, role, U, w, n, f, spec)
    I = spatial_add(congruence_symmetric(E_LP, I), shift)
    I_P = spatial_add(base_inertia(role, data, d_P, scratch, ints, parent, spec), I)
    store6_at(scratch, ints, parent, IA * W, I_P, spec)

    p_P = load6_at(scratch, ints, parent, P * W, spec)
    store6_at(scratch, ints, parent, P * W, spatial_add(p_P, force_to_parent(E_LP, r, spatial(n, f))), spec)


def driven_bias(
    data: Array,
    scratch: Array,
    kind: int,
    d: int,
    s: int,
    role: int,
    U: Any,
    w: Any,
    n: Any,
    f: Any,
    spec: Spec,
) -> Any:
    """(n, f) + Ia·S·a for the given acceleration of a driven axis, with Ia·S = U − w·(S·U)."""
    a = driven_part(data, d + first_dof(kind) * width(spec), spec)
    k = U[2] if kind == HINGE else U[5]
    x = spatial_add_scaled(U, -k, w)
    y = spatial_add_scaled(spatial(n, f), a, x)
    return (y[0], y[1], y[2]), (y[3], y[4], y[5])


def project_ball(ints: Array, data: Array, scratch: Array, link: int, d: int, s: int, spec: Spec) -> None:
    """Inward step of a ball joint: S is the angular half, D the 3×3 block I."""
    W = width(spec)
    i, dof, j = row(ints, link), d + first_dof(BALL) * W, s + JOINT * W
    role, p = ints[i + ROW_ROLE], load6(scratch, s + P * W, spec)
    I, H = own_inertia(role, data, d, scratch, s, spec), own_coupling(role, data, d, scratch, s, spec)
    a0 = load(data, dof + ARMATURE * W, spec)
    a1 = load(data, dof + (DOF_SIZE + ARMATURE) * W, spec)
    a2 = load(data, dof + (2 * DOF_SIZE + ARMATURE) * W, spec)
    D = (I[0] + a0, I[1], I[2], I[3] + a1, I[4], I[5] + a2)
    if ints[FLAGS] & FLAG_IMPLICIT:
        D = spatial_add(D, load6(scratch, j + JOINT_SIZE[BALL] * W, spec))
    if ints[FLAGS] & FLAG_DRIVEN:
        mobile, z, one = (
            load(data, dof + MOBILE * W, spec) > number(0.5, a0),
            number(0.0, a0),
            number(1.0, a0),
        )
        K = symmetric_inverse((where(mobile, D[0], one), where(mobile, D[1], z), where(mobile, D[2], z),
                               where(mobile, D[3], one), where(mobile, D[4], z), where(mobile, D[5], one)))  # fmt: skip
        K = (where(mobile, K[0], z), where(mobile, K[1], z), where(mobile, K[2], z),
             where(mobile, K[3], z), where(mobile, K[4], z), where(mobile, K[5], z))  # fmt: skip
    else:
        K = symmetric_inverse(D)
    tau = dof_fields3(data, d, TAU, spec)
    u = (tau[0] - p[0], tau[1] - p[1], tau[2] - p[2])
    U0 = (I[0], I[1], I[2], H[0], H[1], H[2])
    U1 = (I[1], I[3], I[4], H[3], H[4], H[5])
    U2 = (I[2], I[4], I[5], H[6], H[7], H[8])
    store6(scratch, j, U0, spec)
    store6(scratch, j + 6 * W, U1, spec)
    store6(scratch, j + 12 * W, U2, spec)
    store6(scratch, j + BALL_DINV * W, K, spec)
    store3(scratch, j + BALL_SU * W, u, spec)
    if not role & ROLE_ROOT:
        W0, W1, W2 = blend(K[0], K[1], K[2], U0, U1, U2), blend(K[1], K[3], K[4], U0, U1, U2), \
            blend(K[2], K[4], K[5], U0, U1, U2)  # fmt: skip
        Ia = articulated_subtract_outer((I, H, own_mass(role, data, d, scratch, s, spec)), U0, W0)
        Ia = articulated_subtract_outer(articulated_subtract_outer(Ia, U1, W1), U2, W2)
        c = velocity_product(BALL, load6(scratch, s + V * W, spec), data, d, spec)
        if ints[FLAGS] & FLAG_DRIVEN:
            c = spatial_add(c, ball_driven_part(data, dof, spec))
        pa = spatial_add(spatial_add(p, articulated_apply(Ia, c)), blend(u[0], u[1], u[2], W0, W1, W2))
        hand_over(ints, data, scratch, link, d, s, Ia, pa, spec)


def blend(a: Any, b: Any, c: Any, A: Any, B: Any, C: Any) -> Any:
    """a·A + b·B + c·C of spatial vectors."""
    return spatial_add_scaled(spatial_add_scaled(spatial_scale(a, A), b, B), c, C)


def hand_over(
    ints: Array, data: Array, scratch: Array, link: int, d: int, s: int, Ia: Any, pa: Any, spec: Spec
) -> None:
    """Add the projected inertia and bias force of a ball link to its parent's."""
    W = width(spec)
    i = row(ints, link)
    role, parent = ints[i + ROW_ROLE], parent_index(ints, link, spec)
    d_P = ints[row(ints, ints[i + ROW_PARENT]) + ROW_DATA]
    E_LP, r = load9(scratch, s + E * W, spec), link_offset(BALL, data, d, scratch, s, spec)
    I, H, M = articulated_to_parent(E_LP, r, Ia)
    M_P = spatial_add(base_mass(role, data, d_P, scratch, ints, parent, spec), M)
    store6_at(scratch, ints, parent, (IA + 15) * W, M_P, spec)
    H_P = matrix_add(base_coupling(role, data, d_P, scratch, ints, parent, spec), H)
    store9_at(scratch, ints, parent, (IA + 6) * W, H_P, spec)
    I_P = spatial_add(base_inertia(role, data, d_P, scratch, ints, parent, spec), I)
    store6_at(scratch, ints, parent, IA * W, I_P, spec)
    p_P = load6_at(scratch, ints, parent, P * W, spec)
    store6_at(scratch, ints, parent, P * W, spatial_add(p_P, force_to_parent(E_LP, r, pa)), spec)


def factor_free(ints: Array, data: Array, scratch: Array, i: int, d: int, s: int, spec: Spec) -> None:
    """Inward step of a free link: Cholesky factor of IA, and u."""
    W = width(spec)
    role, j = ints[i + ROW_ROLE], s + JOINT * W
    u = spatial_subtract(dof_fields6(data, d, TAU, spec), load6(scratch, s + P * W, spec))
    I = own_inertia(role, data, d, scratch, s, spec)
    H = own_coupling(role, data, d, scratch, s, spec)
    L = cholesky6((I, H, own_mass(role, data, d, scratch, s, spec)))
    store6(scratch, j, (L[0], L[1], L[2], L[3], L[4], L[5]), spec)
    store6(scratch, j + 6 * W, (L[6], L[7], L[8], L[9], L[10], L[11]), spec)
    store6(scratch, j + 12 * W, (L[12], L[13], L[14], L[15], L[16], L[17]), spec)
    store3(scratch, j + 18 * W, (L[18], L[19], L[20]), spec)
    store6(scratch, j + FREE_SU * W, u, spec)


def driven_part(data: Array, dof: int, spec: Spec) -> Any:
    """The given acceleration of a driven coordinate; 0 for a mobile one."""
    W = width(spec)
    mobile, a = load(data, dof + MOBILE * W, spec), load(data, dof + ACCELERATION * W, spec)
    return where(mobile > number(0.5, mobile), number(0.0, a), a)


def ball_driven_part(data: Array, dof: int, spec: Spec) -> Any:
    """S·a of a driven ball joint; nothing for a mobile one."""
    W = width(spec)
    a0, a1 = driven_part(data, dof, spec), driven_part(data, dof + DOF_SIZE * W, spec)
    z = number(0.0, a0)
    return (a0, a1, driven_part(data, dof + 2 * DOF_SIZE * W, spec), z, z, z)
