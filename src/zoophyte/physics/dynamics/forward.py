"""Forward dynamics by the articulated-body algorithm: O(n), hybrid (driven coordinates), with implicit additions to D.

Featherstone (2008), table 7.1, in link coordinates.  Per link: IA, pA articulated inertia and bias force; S motion
subspace (a constant unit vector, the identity, or three unit vectors, by kind); U = IA·S; D = Sᵀ·U + armature (+ E of the
implicit steps); u = tau − Sᵀ·pA.  A driven coordinate has 1/D = 0 and its given acceleration beside c, so the same
lines serve both; its needed force comes out in TAU.  Gravity is the ground accelerating by −g.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.cholesky import solve6
from zoophyte.algebra.inertia import rigid_as_articulated, rigid_momentum
from zoophyte.algebra.rotations import apply_symmetric
from zoophyte.algebra.spatial import (
    cross_force,
    motion_to_child,
    power,
    spatial_add,
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
    FLAGS,
    FORCE,
    FREE,
    GRAVITY,
    HINGE,
    IA,
    INERTIA,
    JOINT,
    LINK_COUNT,
    MASS,
    MOBILE,
    MOMENT,
    ROLE_PREPARED,
    ROW_DATA,
    ROW_KIND,
    ROW_ROLE,
    ROW_SCRATCH,
    TAU,
    A,
    E,
    P,
    V,
    called,
)
from zoophyte.numbers import Array, Spec, fma, load, number, store, where, width
from zoophyte.numbers.memory import load3, load6, load6_at, load9, store6, store21
from zoophyte.numbers.units import unit
from zoophyte.physics.dynamics.blocks import load21_flat, store_dof_fields6
from zoophyte.physics.dynamics.kinematics import (
    first_dof,
    link_offset,
    link_velocity,
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
    driven_part,
    inward,
)


@unit(called("forward_dynamics"))
def forward_dynamics(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """ACCELERATION of every mobile coordinate (and TAU of every driven one) from the coordinates, v and TAU."""
    outward(ints, data, scratch, spec)
    inward(ints, data, scratch, spec)
    accelerations(ints, data, scratch, spec)


def outward(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Velocities and pA = V ×* I·V − F of every link alone; IA = I where the inward pass cannot supply it."""
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
        if ints[i + ROW_ROLE] & ROLE_PREPARED:
            store21(scratch, s + IA * W, rigid_as_articulated(m, h, I), spec)


def accelerations(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Joint and link accelerations, from the ground outwards; the ground accelerates by −g."""
    W = width(spec)
    g = load3(data, GRAVITY * W, spec)
    z = number(0.0, g[0])
    store6(scratch, A * W, (z, z, z, -g[0], -g[1], -g[2]), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        E_LP, r = load9(scratch, s + E * W, spec), link_offset(kind, data, d, scratch, s, spec)
        A_P = load6_at(scratch, ints, parent_index(ints, link, spec), A * W, spec)
        c = velocity_product(kind, load6(scratch, s + V * W, spec), data, d, spec)
        a = spatial_add(motion_to_child(E_LP, r, A_P), c)
        store6(scratch, s + A * W, accelerate(ints, data, scratch, kind, d, s, a, spec), spec)


def accelerate(
    ints: Array, data: Array, scratch: Array, kind: int, d: int, s: int, a: Any, spec: Spec
) -> Any:
    """The link's acceleration from `a`, what its parent and the velocities give it; stores the joint's."""
    W = width(spec)
    j, dof = s + JOINT * W, d + first_dof(kind) * W
    if kind == FREE:
        A_L = solve6(load21_flat(scratch, j, spec), load6(scratch, j + FREE_SU * W, spec))
        store_dof_fields6(data, d, ACCELERATION, spatial_subtract(A_L, a), spec)
        return A_L
    if kind == BALL:
        U0, U1, U2 = (
            load6(scratch, j, spec),
            load6(scratch, j + 6 * W, spec),
            load6(scratch, j + 12 * W, spec),
        )
        u = load3(scratch, j + BALL_SU * W, spec)
        if ints[FLAGS] & FLAG_DRIVEN:
            a = spatial_add(a, ball_driven_part(data, dof, spec))
        b = (u[0] - power(U0, a), u[1] - power(U1, a), u[2] - power(U2, a))
        x = apply_symmetric(load6(scratch, j + BALL_DINV * W, spec), b)
        A_L = (a[0] + x[0], a[1] + x[1], a[2] + x[2], a[3], a[4], a[5])
        if ints[FLAGS] & FLAG_DRIVEN:
            needed = (power(U0, A_L) - u[0], power(U1, A_L) - u[1], power(U2, A_L) - u[2])
            x = (
                keep_driven(data, dof, x[0], needed[0], spec),
                keep_driven(data, dof + DOF_SIZE * W, x[1], needed[1], spec),
                keep_driven(data, dof + 2 * DOF_SIZE * W, x[2], needed[2], spec),
            )
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
    tau, given = load(data, dof + TAU * W, spec), load(data, dof + ACCELERATION * W, spec)
    needed = fma(load(data, dof + ARMATURE * W, spec), given, tau + missing)
    store(data, dof + TAU * W, where(mobile, tau, needed), spec)
    return where(mobile, x, given)
