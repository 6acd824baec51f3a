"""Response to impulses, and the rows Y of the factored inverse inertia.

After the inward pass the articulated-body algorithm holds M̃⁻¹ = Lᵀ D⁻¹ L.  A force p on a link, swept once to the root,
gives the row y = D^(−1/2)·Sᵀ·p per degree of freedom; then J M̃⁻¹ Jᵀ = Y·Yᵀ for any set of forces, and the velocity
change of impulses λ is one outward pass over w = Yᵀ·λ.  Driven coordinates do not respond (1/D = 0).
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.cholesky import backward_solve6, cholesky3, forward_solve6
from zoophyte.algebra.rotations import Sym3
from zoophyte.algebra.spatial import force_to_parent, power, spatial_add, spatial_add_scaled, spatial_zero
from zoophyte.model.layout import BALL, FREE, HINGE, LINK_COUNT, ROW_V
from zoophyte.numbers import Array, Spec, load, number, sqrt, store, where, width
from zoophyte.numbers.memory import load3, load6, store3, store6
from zoophyte.physics.dynamics.forward import outward
from zoophyte.physics.dynamics.kinematics import add_axis, to_child, velocities
from zoophyte.physics.dynamics.links import (
    AxisJoint,
    BallJoint,
    ground,
    link_of,
    parent_of,
    row,
)
from zoophyte.physics.dynamics.project import inward


def articulated_inertias(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Kinematics and the inward pass: all that rows and responses need."""
    velocities(ints, data, scratch, spec)  # also keeps r of every link, which the sweeps need
    outward(ints, data, scratch, spec)
    inward(ints, data, scratch, spec)


def factor_row(ints: Array, data: Array, scratch: Array, rows: Array, start: int, spec: Spec) -> None:
    """y = D^(−1/2)·Sᵀ·p for every dof, at rows[start…]; the forces p are what P of each link holds (and loses)."""
    for link in range(ints[LINK_COUNT] - 1, 0, -1):
        L, P = link_of(ints, data, scratch, link, spec), parent_of(ints, data, scratch, link, spec)
        p, y = L.pA, start + ints[row(ints, link) + ROW_V] * width(spec)
        if L.kind == FREE:
            store6(rows, y, forward_solve6(L.free.L, p), spec)
        else:
            if L.kind == BALL:
                p = pass_ball(L.ball, rows, y, p)
            else:
                p = pass_axis(L.axis, rows, y, p)
            P.pA = spatial_add(P.pA, force_to_parent(L.E, L.r_moved, p))
        L.pA = spatial_zero(p[0])


def pass_axis(J: AxisJoint, rows: Array, y: int, p: Any) -> Any:
    """Row entry of a hinge or slide; what is left of p for the parent."""
    U, D_inverse = J.U, J.D_inverse
    p_S = p[2] if J.kind == HINGE else p[5]
    store(rows, y, sqrt(D_inverse) * p_S, J.spec)  # y = D^(−1/2) Sᵀ p
    return spatial_add_scaled(p, -(D_inverse * p_S), U)  # p − U D⁻¹ Sᵀ p


def pass_ball(J: BallJoint, rows: Array, y: int, p: Any) -> Any:
    """Row entries of a ball joint: Gᵀ·p_S with G·Gᵀ = D⁻¹; what is left of p for the parent."""
    U0, U1, U2, K = J.U0, J.U1, J.U2, J.D_inverse
    store3(rows, y, root_times(K, (p[0], p[1], p[2])), J.spec)
    x = symmetric_times(K, p)
    return spatial_add_scaled(spatial_add_scaled(spatial_add_scaled(p, -x[0], U0), -x[1], U1), -x[2], U2)


def symmetric_times(K: Sym3, b: Any) -> Any:
    """K·b for the first three numbers of b, every product rounded."""
    return (
        K[0] * b[0] + K[1] * b[1] + K[2] * b[2],
        K[1] * b[0] + K[3] * b[1] + K[4] * b[2],
        K[2] * b[0] + K[4] * b[1] + K[5] * b[2],
    )


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


def root_applied(K: Sym3, a: Any) -> Any:
    """G·a."""
    G = root_of(K)
    return (G[0] * a[0], G[1] * a[0] + G[2] * a[1], G[3] * a[0] + G[4] * a[1] + G[5] * a[2])


def velocity_change(
    ints: Array, data: Array, scratch: Array, w: Array, start: int, out: Array, out_start: int, spec: Spec
) -> None:
    """Δv of every dof, from out[out_start] on, from w = Yᵀ·λ, outwards; link velocity changes stay in A."""
    ground(data, scratch, spec).A = spatial_zero(load(w, start, spec))
    for link in range(1, ints[LINK_COUNT]):
        L, P = link_of(ints, data, scratch, link, spec), parent_of(ints, data, scratch, link, spec)
        v = ints[row(ints, link) + ROW_V] * width(spec)
        if L.kind == FREE:
            a = backward_solve6(L.free.L, load6(w, start + v, spec))
            store6(out, out_start + v, a, spec)
        elif L.kind == BALL:
            a = to_child(L, P.A)
            dv = ball_response(L.ball, load3(w, start + v, spec), a)
            store3(out, out_start + v, dv, spec)
            a = (a[0] + dv[0], a[1] + dv[1], a[2] + dv[2], a[3], a[4], a[5])
        else:
            J, a = L.axis, to_child(L, P.A)
            # Δv = D^(−1/2) w − D⁻¹ Uᵀ a
            dx = sqrt(J.D_inverse) * load(w, start + v, spec) - J.D_inverse * power(J.U, a)
            store(out, out_start + v, dx, spec)
            a = add_axis(L.kind, a, dx)
        L.A = a


def ball_response(J: BallJoint, w: Any, a: Any) -> Any:
    """Δv = G w − D⁻¹ Uᵀ·a of a ball joint."""
    K, g = J.D_inverse, root_applied(J.D_inverse, w)
    d = symmetric_times(K, (power(J.U0, a), power(J.U1, a), power(J.U2, a)))
    return (g[0] - d[0], g[1] - d[1], g[2] - d[2])
