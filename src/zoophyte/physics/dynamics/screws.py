"""Screws: what a force meets on its way to the root, and a motion on its way out, in axes that all links share.

In world axes about the origin of its tree's root a force is the same numbers on every link, so that nothing is turned or
shifted on its way.  With S the motion of a joint, U = IA·S and D⁻¹ = G·Gᵀ of the articulated-body algorithm, all so
expressed, a joint is two sets of columns, S·G and U·G (for a hinge or a slide G = 1/√D, one column each):

    inwards    y = (S·G)ᵀ·p is the entry of the row,  p − (U·G)·y goes on to the parent,
    outwards   x = w − (U·G)ᵀ·a,  a + (S·G)·x is the motion of the link,  G·x that of the joint.

The root and not the world's origin is the point of reference, so that how far a free root has gone costs no digits.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.cholesky import backward_solve6
from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.spatial import (
    power,
    spatial,
    spatial_add,
    spatial_add_scaled,
    spatial_scale,
    spatial_zero,
)
from zoophyte.algebra.vectors import add_cross, cross
from zoophyte.model.layout import BALL, FREE, HINGE, LINK_COUNT, ROW_V, P
from zoophyte.numbers import Array, Spec, load, number, sqrt, store, width
from zoophyte.numbers.memory import load3, load6, store3, store6
from zoophyte.physics.dynamics.links import (
    AxisJoint,
    BallJoint,
    ground,
    header,
    link_of,
    parent_of,
    row,
)
from zoophyte.physics.dynamics.project import blend
from zoophyte.physics.dynamics.response import root_applied, root_of

PACE = P
"""The velocity of a link in these axes lies where its bias force pA was, which is no longer needed."""


def make_screws(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Screws and velocities of all links, from articulated inertias, poses and velocities of joints."""
    ground(data, scratch, spec).pA = spatial_zero(header(data, spec).dt)
    for link in range(1, ints[LINK_COUNT]):
        L, above = link_of(ints, data, scratch, link, spec), parent_of(ints, data, scratch, link, spec)
        R = L.R_WL
        if L.kind == FREE:
            J, V = L.free, L.free.v
            J.R_row = R  # poses go on while these rows are still in use
            pace = motion_seen(V, R)
        elif L.kind == BALL:
            ball_screws(L.ball, R, L.away)
            turn = rotate(R, L.ball.v)
            pace = spatial_add(above.pA, spatial(turn, cross(L.away, turn)))
        else:
            S = axis_screw(L.axis, R, L.away)
            pace = spatial_add_scaled(above.pA, L.axis.v, S)
        L.pA = pace


def axis_screw(J: AxisJoint, R: Any, away: Any) -> Any:
    """Store the screw of a hinge or slide; returns its S."""
    z = (R[2], R[5], R[8])
    if J.kind == HINGE:
        S = spatial(z, cross(away, z))
    else:
        zero = number(0.0, z[0])
        S = spatial((zero, zero, zero), z)
    G = sqrt(J.D_inverse)
    U = force_seen(J.U, R, away)
    J.SG, J.UG = spatial_scale(G, S), spatial_scale(G, U)
    return S


def ball_screws(J: BallJoint, R: Any, away: Any) -> None:
    """Store the three screws of a ball joint: the columns of S·G and of U·G."""
    U0, U1, U2, G = J.U0, J.U1, J.U2, root_of(J.D_inverse)
    zero = number(0.0, G[0])
    J.SG0 = turn_seen((G[0], G[1], G[3]), R, away)
    J.UG0 = force_seen(blend(G[0], G[1], G[3], U0, U1, U2), R, away)
    J.SG1 = turn_seen((zero, G[2], G[4]), R, away)
    J.UG1 = force_seen(blend(zero, G[2], G[4], U0, U1, U2), R, away)
    J.SG2 = turn_seen((zero, zero, G[5]), R, away)
    J.UG2 = force_seen(blend(zero, zero, G[5], U0, U1, U2), R, away)


def turn_seen(turn: Any, R: Any, away: Any) -> Any:
    """A turn in link axes about the link's origin, as a motion in world axes about the root."""
    w = rotate(R, turn)
    return spatial(w, cross(away, w))


def motion_seen(V: Any, R: Any) -> Any:
    """The motion of a root in link axes, in world axes."""
    return spatial(rotate(R, (V[0], V[1], V[2])), rotate(R, (V[3], V[4], V[5])))


def force_seen(F: Any, R: Any, away: Any) -> Any:
    """A spatial force in link axes, at the link's origin, in world axes about the root."""
    n, f = rotate(R, (F[0], F[1], F[2])), rotate(R, (F[3], F[4], F[5]))
    return spatial(add_cross(n, away, f), f)


def respond(ints: Array, scratch: Array, start: int, out: int, spec: Spec) -> None:
    """Δv of every dof from w = Yᵀ·λ, outwards; both lie in `scratch`, from `start` and from `out` on."""
    ground(scratch, scratch, spec).A = spatial_zero(load(scratch, start, spec))
    for link in range(1, ints[LINK_COUNT]):  # of the records, only what lies in `scratch` is asked for
        L, above = link_of(ints, scratch, scratch, link, spec), parent_of(ints, scratch, scratch, link, spec)
        v = ints[row(ints, link) + ROW_V] * width(spec)
        if L.kind == FREE:
            dv = backward_solve6(L.free.L, load6(scratch, start + v, spec))
            store6(scratch, out + v, dv, spec)
            a = motion_seen(dv, L.free.R_row)
        elif L.kind == BALL:
            J, a = L.ball, above.A
            w = load3(scratch, start + v, spec)
            x0, x1, x2 = w[0] - power(J.UG0, a), w[1] - power(J.UG1, a), w[2] - power(J.UG2, a)
            store3(scratch, out + v, root_applied(J.D_inverse, (x0, x1, x2)), spec)
            a = spatial_add_scaled(spatial_add_scaled(spatial_add_scaled(a, x0, J.SG0), x1, J.SG1), x2, J.SG2)
        else:
            J, a = L.axis, above.A
            x = load(scratch, start + v, spec) - power(J.UG, a)  # x = w − (U G)ᵀ a
            store(scratch, out + v, sqrt(J.D_inverse) * x, spec)  # Δv = G x
            a = spatial_add_scaled(a, x, J.SG)
        L.A = a
