"""Forward dynamics by the articulated-body algorithm: O(n), hybrid (driven coordinates), with implicit additions to D.

Featherstone (2008), table 7.1, in link coordinates.  Per link: IA, pA articulated inertia and bias force; S motion
subspace (a constant unit vector, the identity, or three unit vectors, by kind); U = IA·S; D = Sᵀ·U + armature (+ E of the
implicit steps); u = tau − Sᵀ·pA.  A driven coordinate has 1/D = 0 and its given acceleration inside C, so the same
lines serve both; its needed force comes out in TAU.  Gravity is the ground accelerating by −g.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.cholesky import cholesky6, solve6
from zoophyte.algebra.inertia import (
    articulated_apply,
    articulated_apply_xy,
    articulated_subtract_outer,
    moved_coupling,
    moved_inertia,
    rigid_as_articulated,
    rigid_momentum,
)
from zoophyte.algebra.rotations import apply_symmetric, congruence, congruence_symmetric, matrix_add, symmetric_inverse
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
    ACCELERATION,
    ARMATURE,
    BALL,
    DOF_SIZE,
    FLAG_DRIVEN,
    FLAG_FORCES,
    FLAG_IMPLICIT,
    FLAGS,
    FORCE,
    FREE,
    GRAVITY,
    HINGE,
    IA,
    INERTIA,
    JOINT,
    JOINT_SIZE,
    LINK_COUNT,
    MASS,
    MOBILE,
    MOMENT,
    ROW_DATA,
    ROW_KIND,
    ROW_SCRATCH,
    TAU,
    A,
    E,
    P,
    R,
    V,
)
from zoophyte.numbers import Array, Spec, load, number, store, where, width
from zoophyte.numbers.memory import (
    load3,
    load6,
    load6_at,
    load9,
    load9_at,
    load21,
    store3,
    store6,
    store6_at,
    store9_at,
    store21,
)
from zoophyte.physics.dynamics.kinematics import first_dof, link_velocity, parent_index, row, velocity_product

DINV, SU = 6, 7  # behind U of a hinge or slide
BALL_DINV, BALL_SU = 18, 24
FREE_SU = 21


def forward_dynamics(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """ACCELERATION of every mobile coordinate (and TAU of every driven one) from the coordinates, v and TAU."""
    outward(ints, data, scratch, spec)
    inward(ints, data, scratch, spec)
    accelerations(ints, data, scratch, spec)


def outward(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Velocities, and IA and pA of every link alone: I and V ×* I·V − F."""
    W = width(spec)
    zero = number(0.0, load(data, 0, spec))
    store6(scratch, V * W, spatial_zero(zero), spec)
    store6(scratch, P * W, spatial_zero(zero), spec)
    store21(scratch, IA * W, rigid_as_articulated(zero, (zero, zero, zero), spatial_zero(zero)), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        V_L = link_velocity(ints, data, scratch, link, kind, d, s, spec)
        m, h = load(data, d + MASS * W, spec), load3(data, d + MOMENT * W, spec)
        I = load6(data, d + INERTIA * W, spec)
        p = cross_force(V_L, rigid_momentum(m, h, I, V_L))
        if ints[FLAGS] & FLAG_FORCES:
            p = spatial_subtract(p, load6(data, d + FORCE * W, spec))
        store6(scratch, s + P * W, p, spec)
        store21(scratch, s + IA * W, rigid_as_articulated(m, h, I), spec)


def inward(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Articulated inertias and bias forces, from the tips to the ground."""
    W = width(spec)
    for link in range(ints[LINK_COUNT] - 1, 0, -1):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        j = s + JOINT * W
        inertia = load21(scratch, s + IA * W, spec)
        p = load6(scratch, s + P * W, spec)
        if kind == FREE:
            L = cholesky6(inertia)
            store6(scratch, j, (L[0], L[1], L[2], L[3], L[4], L[5]), spec)
            store6(scratch, j + 6 * W, (L[6], L[7], L[8], L[9], L[10], L[11]), spec)
            store6(scratch, j + 12 * W, (L[12], L[13], L[14], L[15], L[16], L[17]), spec)
            store3(scratch, j + 18 * W, (L[18], L[19], L[20]), spec)
            store6(scratch, j + FREE_SU * W, spatial_subtract(dof_fields6(data, d, TAU, spec), p), spec)
        else:
            if kind == BALL:
                Ia, pa = project_ball(ints, data, scratch, d, s, inertia, p, spec)
            else:
                Ia, pa = project_axis(ints, data, scratch, kind, d, s, inertia, p, spec)
            store21(scratch, s + IA * W, Ia, spec)
            hand_to_parent(ints, scratch, parent_index(ints, link, spec), s, pa, spec)


def hand_to_parent(ints: Array, scratch: Array, parent: int, s: int, pa: Any, spec: Spec) -> None:
    """Add the projected inertia and bias force of a link to those of its parent.

    X_LPᵀ·Ia·X_LP block by block, each loaded when it is needed and stored when it is done, because all 42 numbers together
    do not fit into the registers.  With the blocks turned by E:  M′ = M,  H′ = H + r× M,  I′ = I + r× Hᵀ − H′ r×.
    """
    W = width(spec)
    E_LP, r = load9(scratch, s + E * W, spec), load3(scratch, s + R * W, spec)
    p_P = load6_at(scratch, ints, parent, P * W, spec)
    store6_at(scratch, ints, parent, P * W, spatial_add(p_P, force_to_parent(E_LP, r, pa)), spec)
    M = congruence_symmetric(E_LP, load6(scratch, s + (IA + 15) * W, spec))
    M_P = load6_at(scratch, ints, parent, (IA + 15) * W, spec)
    store6_at(scratch, ints, parent, (IA + 15) * W, spatial_add(M_P, M), spec)
    H = congruence(E_LP, load9(scratch, s + (IA + 6) * W, spec))
    moved = moved_coupling(H, M, r)
    H_P = load9_at(scratch, ints, parent, (IA + 6) * W, spec)
    store9_at(scratch, ints, parent, (IA + 6) * W, matrix_add(H_P, moved), spec)
    I = moved_inertia(congruence_symmetric(E_LP, load6(scratch, s + IA * W, spec)), H, moved, r)
    I_P = load6_at(scratch, ints, parent, IA * W, spec)
    store6_at(scratch, ints, parent, IA * W, spatial_add(I_P, I), spec)


def project_axis(
    ints: Array, data: Array, scratch: Array, kind: int, d: int, s: int, inertia: Any, p: Any, spec: Spec
) -> Any:
    """Ia and pa of a hinge (S = z turning) or a slide (S = z moving): what the parent feels through the joint."""
    W = width(spec)
    I, H, M = inertia
    dof, j = d + first_dof(kind) * W, s + JOINT * W
    if kind == HINGE:
        U = (I[2], I[4], I[5], H[6], H[7], H[8])
        D, p_S = I[5], p[2]
    else:
        U = (H[2], H[5], H[8], M[2], M[4], M[5])
        D, p_S = M[5], p[5]
    D = D + load(data, dof + ARMATURE * W, spec)
    if ints[FLAGS] & FLAG_IMPLICIT:
        D = D + load(scratch, j + JOINT_SIZE[HINGE] * W, spec)
    D_inverse = number(1.0, D) / D
    if ints[FLAGS] & FLAG_DRIVEN:
        D_inverse = D_inverse * load(data, dof + MOBILE * W, spec)
    u = load(data, dof + TAU * W, spec) - p_S
    store6(scratch, j, U, spec)
    store(scratch, j + DINV * W, D_inverse, spec)
    store(scratch, j + SU * W, u, spec)
    scaled = (U[0] * D_inverse, U[1] * D_inverse, U[2] * D_inverse, U[3] * D_inverse, U[4] * D_inverse, U[5] * D_inverse)
    Ia = articulated_subtract_outer(inertia, U, scaled)
    c = velocity_product(kind, load6(scratch, s + V * W, spec), data, d, spec)
    pa = spatial_add(p, articulated_apply_xy(Ia, c))
    if ints[FLAGS] & FLAG_DRIVEN:
        column = articulated_axis(kind, Ia)
        pa = spatial_add_scaled(pa, driven_part(data, dof, spec), column)
    return Ia, spatial_add_scaled(pa, u, scaled)


def articulated_axis(kind: int, Ia: Any) -> Any:
    """Ia·S of a hinge or slide."""
    I, H, M = Ia
    if kind == HINGE:
        return (I[2], I[4], I[5], H[6], H[7], H[8])
    return (H[2], H[5], H[8], M[2], M[4], M[5])


def driven_part(data: Array, dof: int, spec: Spec) -> Any:
    """The given acceleration of a driven coordinate; 0 for a mobile one."""
    W = width(spec)
    mobile, a = load(data, dof + MOBILE * W, spec), load(data, dof + ACCELERATION * W, spec)
    return where(mobile > number(0.5, mobile), number(0.0, a), a)


def project_ball(ints: Array, data: Array, scratch: Array, d: int, s: int, inertia: Any, p: Any, spec: Spec) -> Any:
    """Ia and pa of a ball joint: S is the angular half, D the 3×3 block I."""
    W = width(spec)
    I, H, _ = inertia
    dof, j = d + first_dof(BALL) * W, s + JOINT * W
    a0 = load(data, dof + ARMATURE * W, spec)
    a1 = load(data, dof + (DOF_SIZE + ARMATURE) * W, spec)
    a2 = load(data, dof + (2 * DOF_SIZE + ARMATURE) * W, spec)
    D = (I[0] + a0, I[1], I[2], I[3] + a1, I[4], I[5] + a2)
    if ints[FLAGS] & FLAG_IMPLICIT:
        D = spatial_add(D, load6(scratch, j + JOINT_SIZE[BALL] * W, spec))
    K = symmetric_inverse(D)
    if ints[FLAGS] & FLAG_DRIVEN:
        mobile = load(data, dof + MOBILE * W, spec)
        K = (K[0] * mobile, K[1] * mobile, K[2] * mobile, K[3] * mobile, K[4] * mobile, K[5] * mobile)
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
    z = spatial_zero(a0)
    W0 = spatial_add_scaled(spatial_add_scaled(spatial_add_scaled(z, K[0], U0), K[1], U1), K[2], U2)
    W1 = spatial_add_scaled(spatial_add_scaled(spatial_add_scaled(z, K[1], U0), K[3], U1), K[4], U2)
    W2 = spatial_add_scaled(spatial_add_scaled(spatial_add_scaled(z, K[2], U0), K[4], U1), K[5], U2)
    Ia = articulated_subtract_outer(inertia, U0, W0)
    Ia = articulated_subtract_outer(Ia, U1, W1)
    Ia = articulated_subtract_outer(Ia, U2, W2)
    c = velocity_product(BALL, load6(scratch, s + V * W, spec), data, d, spec)
    if ints[FLAGS] & FLAG_DRIVEN:
        c = spatial_add(c, ball_driven_part(data, dof, spec))
    pa = spatial_add(p, articulated_apply(Ia, c))
    return Ia, spatial_add_scaled(spatial_add_scaled(spatial_add_scaled(pa, u[0], W0), u[1], W1), u[2], W2)


def ball_driven_part(data: Array, dof: int, spec: Spec) -> Any:
    """S·a of a driven ball joint; nothing for a mobile one."""
    W = width(spec)
    a0, a1 = driven_part(data, dof, spec), driven_part(data, dof + DOF_SIZE * W, spec)
    z = number(0.0, a0)
    return (a0, a1, driven_part(data, dof + 2 * DOF_SIZE * W, spec), z, z, z)


def accelerations(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Joint and link accelerations, from the ground outwards; the ground accelerates by −g."""
    W = width(spec)
    g = load3(data, GRAVITY * W, spec)
    z = number(0.0, g[0])
    store6(scratch, A * W, (z, z, z, -g[0], -g[1], -g[2]), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        E_LP, r = load9(scratch, s + E * W, spec), load3(scratch, s + R * W, spec)
        A_P = load6_at(scratch, ints, parent_index(ints, link, spec), A * W, spec)
        c = velocity_product(kind, load6(scratch, s + V * W, spec), data, d, spec)
        a = spatial_add(motion_to_child(E_LP, r, A_P), c)
        store6(scratch, s + A * W, accelerate(ints, data, scratch, kind, d, s, a, spec), spec)


def accelerate(ints: Array, data: Array, scratch: Array, kind: int, d: int, s: int, a: Any, spec: Spec) -> Any:
    """The link's acceleration from `a`, what its parent and the velocities give it; stores the joint's."""
    W = width(spec)
    j, dof = s + JOINT * W, d + first_dof(kind) * W
    if kind == FREE:
        A_L = solve6(load21_flat(scratch, j, spec), load6(scratch, j + FREE_SU * W, spec))
        store_dof_fields6(data, d, ACCELERATION, spatial_subtract(A_L, a), spec)
        return A_L
    if kind == BALL:
        U0, U1, U2 = load6(scratch, j, spec), load6(scratch, j + 6 * W, spec), load6(scratch, j + 12 * W, spec)
        u = load3(scratch, j + BALL_SU * W, spec)
        if ints[FLAGS] & FLAG_DRIVEN:
            a = spatial_add(a, ball_driven_part(data, dof, spec))
        b = (u[0] - power(U0, a), u[1] - power(U1, a), u[2] - power(U2, a))
        x = apply_symmetric(load6(scratch, j + BALL_DINV * W, spec), b)
        A_L = (a[0] + x[0], a[1] + x[1], a[2] + x[2], a[3], a[4], a[5])
        if ints[FLAGS] & FLAG_DRIVEN:
            needed = (power(U0, A_L) - u[0], power(U1, A_L) - u[1], power(U2, A_L) - u[2])
            x = keep_driven(data, dof, x[0], needed[0], spec), \
                keep_driven(data, dof + DOF_SIZE * W, x[1], needed[1], spec), \
                keep_driven(data, dof + 2 * DOF_SIZE * W, x[2], needed[2], spec)
        store(data, dof + ACCELERATION * W, x[0], spec)
        store(data, dof + (DOF_SIZE + ACCELERATION) * W, x[1], spec)
        store(data, dof + (2 * DOF_SIZE + ACCELERATION) * W, x[2], spec)
        return A_L
    U, u = load6(scratch, j, spec), load(scratch, j + SU * W, spec)
    x = (u - power(U, a)) * load(scratch, j + DINV * W, spec)
    if ints[FLAGS] & FLAG_DRIVEN:
        x = x + driven_part(data, dof, spec)
    if kind == HINGE:
        A_L = (a[0], a[1], a[2] + x, a[3], a[4], a[5])
    else:
        A_L = (a[0], a[1], a[2], a[3], a[4], a[5] + x)
    if ints[FLAGS] & FLAG_DRIVEN:
        x = keep_driven(data, dof, x, power(U, A_L) - u, spec)
    store(data, dof + ACCELERATION * W, x, spec)
    return A_L


def keep_driven(data: Array, dof: int, x: Any, missing: Any, spec: Spec) -> Any:
    """`x` if the coordinate is mobile, else its given acceleration; a driven one gets the force it needs in TAU."""
    W = width(spec)
    mobile = load(data, dof + MOBILE * W, spec) > number(0.5, x)
    tau = load(data, dof + TAU * W, spec)
    store(data, dof + TAU * W, where(mobile, tau, tau + missing), spec)
    return where(mobile, x, load(data, dof + ACCELERATION * W, spec))


def load21_flat(array: Array, offset: int, spec: Spec) -> Any:
    """The 21 numbers of a Cholesky factor."""
    W = width(spec)
    a, b = load9(array, offset, spec), load9(array, offset + 9 * W, spec)
    c = load3(array, offset + 18 * W, spec)
    return (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8],
            b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], c[0], c[1], c[2])  # fmt: skip


def dof_fields3(data: Array, d: int, field: int, spec: Spec) -> Any:
    """One field of the three dofs of a ball link."""
    W = width(spec)
    dof = d + (first_dof(BALL) + field) * W
    step = DOF_SIZE * W
    return (load(data, dof, spec), load(data, dof + step, spec), load(data, dof + 2 * step, spec))


def dof_fields6(data: Array, d: int, field: int, spec: Spec) -> Any:
    """One field of the six dofs of a free link."""
    W = width(spec)
    dof = d + (first_dof(FREE) + field) * W
    step = DOF_SIZE * W
    return (load(data, dof, spec), load(data, dof + step, spec), load(data, dof + 2 * step, spec),
            load(data, dof + 3 * step, spec), load(data, dof + 4 * step, spec), load(data, dof + 5 * step, spec))  # fmt: skip


def store_dof_fields6(data: Array, d: int, field: int, x: Any, spec: Spec) -> None:
    """One field of the six dofs of a free link."""
    W = width(spec)
    dof, step = d + (first_dof(FREE) + field) * W, DOF_SIZE * W
    store(data, dof, x[0], spec)
    store(data, dof + step, x[1], spec)
    store(data, dof + 2 * step, x[2], spec)
    store(data, dof + 3 * step, x[3], spec)
    store(data, dof + 4 * step, x[4], spec)
    store(data, dof + 5 * step, x[5], spec)
