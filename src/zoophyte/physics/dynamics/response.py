"""Response to impulses, and the rows Y of the factored inverse inertia.

After the inward pass the articulated-body algorithm holds M̃⁻¹ = Lᵀ D⁻¹ L.  A force p on a link, swept once to the root,
gives the row y = D^(−1/2)·Sᵀ·p per degree of freedom; then J M̃⁻¹ Jᵀ = Y·Yᵀ for any set of forces, and the velocity
change of impulses λ is one outward pass over w = Yᵀ·λ.  Driven coordinates do not respond (1/D = 0).
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.cholesky import backward_solve6, cholesky3, forward_solve6
from zoophyte.algebra.rotations import Sym3
from zoophyte.algebra.spatial import (
    force_to_parent,
    motion_to_child,
    power,
    spatial_add,
    spatial_add_scaled,
    spatial_zero,
)
from zoophyte.model.layout import (
    BALL,
    FREE,
    HINGE,
    JOINT,
    LINK_COUNT,
    ROW_DATA,
    ROW_KIND,
    ROW_SCRATCH,
    ROW_V,
    A,
    E,
    P,
    R,
)
from zoophyte.numbers import Array, Spec, load, number, sqrt, store, where, width
from zoophyte.numbers.memory import load3, load6, load6_at, load9, store3, store6, store6_at
from zoophyte.physics.dynamics.blocks import load21_flat
from zoophyte.physics.dynamics.forward import outward
from zoophyte.physics.dynamics.kinematics import link_offset, parent_index, row, velocities
from zoophyte.physics.dynamics.project import BALL_DINV, DINV, inward


def articulated_inertias(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Kinematics and the inward pass: all that rows and responses need."""
    velocities(ints, data, scratch, spec)  # also keeps r of every link, which the sweeps need
    outward(ints, data, scratch, spec)
    inward(ints, data, scratch, spec)


def factor_row(ints: Array, scratch: Array, rows: Array, start: int, spec: Spec) -> None:
    """y = D^(−1/2)·Sᵀ·p for every dof, at rows[start…]; the forces p are what P of each link holds (and loses)."""
    W = width(spec)
    for link in range(ints[LINK_COUNT] - 1, 0, -1):
        i = row(ints, link)
        kind, s = ints[i + ROW_KIND], ints[i + ROW_SCRATCH]
        j, y = s + JOINT * W, start + ints[i + ROW_V] * W
        p = load6(scratch, s + P * W, spec)
        if kind == FREE:
            store6(rows, y, forward_solve6(load21_flat(scratch, j, spec), p), spec)
        else:
            if kind == BALL:
                p = pass_ball(scratch, rows, j, y, p, spec)
            else:
                p = pass_axis(scratch, rows, kind, j, y, p, spec)
            E_LP, r = load9(scratch, s + E * W, spec), load3(scratch, s + R * W, spec)
            parent = parent_index(ints, link, spec)
            p_P = load6_at(scratch, ints, parent, P * W, spec)
            store6_at(scratch, ints, parent, P * W, spatial_add(p_P, force_to_parent(E_LP, r, p)), spec)
        store6(scratch, s + P * W, spatial_zero(p[0]), spec)


def pass_axis(scratch: Array, rows: Array, kind: int, j: int, y: int, p: Any, spec: Spec) -> Any:
    """Row entry of a hinge or slide; what is left of p for the parent."""
    W = width(spec)
    U, D_inverse = load6(scratch, j, spec), load(scratch, j + DINV * W, spec)
    p_S = p[2] if kind == HINGE else p[5]
    store(rows, y, sqrt(D_inverse) * p_S, spec)
    return spatial_add_scaled(p, -(D_inverse * p_S), U)


def pass_ball(scratch: Array, rows: Array, j: int, y: int, p: Any, spec: Spec) -> Any:
    """Row entries of a ball joint: Gᵀ·p_S with G·Gᵀ = D⁻¹; what is left of p for the parent."""
    W = width(spec)
    U0, U1, U2 = load6(scratch, j, spec), load6(scratch, j + 6 * W, spec), load6(scratch, j + 12 * W, spec)
    K = load6(scratch, j + BALL_DINV * W, spec)
    store3(rows, y, root_times(K, (p[0], p[1], p[2])), spec)
    x0 = K[0] * p[0] + K[1] * p[1] + K[2] * p[2]
    x1 = K[1] * p[0] + K[3] * p[1] + K[4] * p[2]
    x2 = K[2] * p[0] + K[4] * p[1] + K[5] * p[2]
    return spatial_add_scaled(spatial_add_scaled(spatial_add_scaled(p, -x0, U0), -x1, U1), -x2, U2)


def root_of(K: Sym3) -> Any:
    """The Cholesky factor G of K = G·Gᵀ, row by row; zero for a driven joint, whose K is zero."""
    one, zero = number(1.0, K[0]), number(0.0, K[0])
    held = K[0] <= zero
    shift = where(held, one, zero)
    G = cholesky3((K[0] + shift, K[1], K[2], K[3] + shift, K[4], K[5] + shift))
    return one / G[0] - shift, G[1], one / G[2] - shift, G[3], G[4], one / G[5] - shift


def root_times(K: Sym3, a: Any) -> Any:
    """Gᵀ·a."""
    G = root_of(K)
    return (G[0] * a[0] + G[1] * a[1] + G[3] * a[2], G[2] * a[1] + G[4] * a[2], G[5] * a[2])


def velocity_change(
    ints: Array, data: Array, scratch: Array, w: Array, start: int, out: Array, out_start: int, spec: Spec
) -> None:
    """Δv of every dof, from out[out_start] on, from w = Yᵀ·λ, outwards; link velocity changes stay in A."""
    W = width(spec)
    store6(scratch, A * W, spatial_zero(load(w, start, spec)), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, s, first = ints[i + ROW_KIND], ints[i + ROW_SCRATCH], start + ints[i + ROW_V] * W
        j, second = s + JOINT * W, out_start + ints[i + ROW_V] * W
        if kind == FREE:
            dv = backward_solve6(load21_flat(scratch, j, spec), load6(w, first, spec))
            store6(out, second, dv, spec)
            store6(scratch, s + A * W, dv, spec)
        else:
            E_LP, r = (
                load9(scratch, s + E * W, spec),
                link_offset(kind, data, ints[i + ROW_DATA], scratch, s, spec),
            )
            a = motion_to_child(E_LP, r, load6_at(scratch, ints, parent_index(ints, link, spec), A * W, spec))
            if kind == BALL:
                a = respond_ball(scratch, w, out, j, first, second, a, spec)
            else:
                a = respond_axis(scratch, w, out, kind, j, first, second, a, spec)
            store6(scratch, s + A * W, a, spec)


def respond_axis(
    scratch: Array, w: Array, out: Array, kind: int, j: int, first: int, second: int, a: Any, spec: Spec
) -> Any:
    """Δv = D^(−1/2) w − D⁻¹ U·a of a hinge or slide; the link's new a."""
    W = width(spec)
    D_inverse = load(scratch, j + DINV * W, spec)
    dv = sqrt(D_inverse) * load(w, first, spec) - D_inverse * power(load6(scratch, j, spec), a)
    store(out, second, dv, spec)
    if kind == HINGE:
        return (a[0], a[1], a[2] + dv, a[3], a[4], a[5])
    return (a[0], a[1], a[2], a[3], a[4], a[5] + dv)


def respond_ball(
    scratch: Array, w: Array, out: Array, j: int, first: int, second: int, a: Any, spec: Spec
) -> Any:
    """Δv = G w − D⁻¹ Uᵀ·a of a ball joint; the link's new a."""
    W = width(spec)
    U0, U1, U2 = load6(scratch, j, spec), load6(scratch, j + 6 * W, spec), load6(scratch, j + 12 * W, spec)
    K = load6(scratch, j + BALL_DINV * W, spec)
    b0, b1, b2 = power(U0, a), power(U1, a), power(U2, a)
    g = root_applied(K, load3(w, first, spec))
    d0 = g[0] - (K[0] * b0 + K[1] * b1 + K[2] * b2)
    d1 = g[1] - (K[1] * b0 + K[3] * b1 + K[4] * b2)
    d2 = g[2] - (K[2] * b0 + K[4] * b1 + K[5] * b2)
    store3(out, second, (d0, d1, d2), spec)
    return (a[0] + d0, a[1] + d1, a[2] + d2, a[3], a[4], a[5])


def root_applied(K: Sym3, a: Any) -> Any:
    """G·a."""
    G = root_of(K)
    return (G[0] * a[0], G[1] * a[0] + G[2] * a[1], G[3] * a[0] + G[4] * a[1] + G[5] * a[2])
