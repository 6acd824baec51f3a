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
from zoophyte.model.layout import (
    AWAY,
    BALL,
    BALL_SCREW,
    FREE,
    HINGE,
    JOINT,
    LINK_COUNT,
    ROW_DATA,
    ROW_KIND,
    ROW_SCRATCH,
    ROW_V,
    SCREW,
    SCREW_SIZE,
    VELOCITY,
    WORLD_R,
    A,
    P,
)
from zoophyte.numbers import Array, Spec, load, number, sqrt, store, width
from zoophyte.numbers.memory import load3, load6, load6_at, load9, store3, store6, store9
from zoophyte.physics.dynamics.blocks import dof_fields3, dof_fields6, load21_flat
from zoophyte.physics.dynamics.kinematics import first_dof, parent_index, row
from zoophyte.physics.dynamics.project import BALL_DINV, DINV, blend
from zoophyte.physics.dynamics.response import root_applied, root_of

PACE = P
"""The velocity of a link in these axes lies where its bias force was, which is no longer needed."""


def make_screws(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Screws and velocities of all links, from articulated inertias, poses and velocities of joints."""
    W = width(spec)
    store6(scratch, PACE * W, spatial_zero(load(data, 0, spec)), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        R = load9(scratch, s + WORLD_R * W, spec)
        if kind == FREE:
            V_L = dof_fields6(data, d, VELOCITY, spec)
            store9(scratch, s + SCREW * W, R, spec)  # poses go on while these rows are still in use
            pace = spatial(rotate(R, (V_L[0], V_L[1], V_L[2])), rotate(R, (V_L[3], V_L[4], V_L[5])))
        else:
            pace = load6_at(scratch, ints, parent_index(ints, link, spec), PACE * W, spec)
            away = load3(scratch, s + AWAY * W, spec)
            if kind == BALL:
                ball_screws(scratch, s, R, away, spec)
                turn = rotate(R, dof_fields3(data, d, VELOCITY, spec))
                pace = spatial_add(pace, spatial(turn, cross(away, turn)))
            else:
                S = axis_screw(scratch, kind, s, R, away, spec)
                rate = load(data, d + (first_dof(kind) + VELOCITY) * W, spec)
                pace = spatial_add_scaled(pace, rate, S)
        store6(scratch, s + PACE * W, pace, spec)


def axis_screw(scratch: Array, kind: int, s: int, R: Any, away: Any, spec: Spec) -> Any:
    """Store the screw of a hinge or slide; returns its S."""
    W, j = width(spec), s + JOINT * width(spec)
    z = (R[2], R[5], R[8])
    if kind == HINGE:
        S = spatial(z, cross(away, z))
    else:
        zero = number(0.0, z[0])
        S = spatial((zero, zero, zero), z)
    root = sqrt(load(scratch, j + DINV * W, spec))
    U = force_seen(load6(scratch, j, spec), R, away)
    store6(scratch, s + SCREW * W, spatial_scale(root, S), spec)
    store6(scratch, s + (SCREW + 6) * W, spatial_scale(root, U), spec)
    return S


def ball_screws(scratch: Array, s: int, R: Any, away: Any, spec: Spec) -> None:
    """Store the three screws of a ball joint."""
    W, j = width(spec), s + JOINT * width(spec)
    U0, U1, U2 = load6(scratch, j, spec), load6(scratch, j + 6 * W, spec), load6(scratch, j + 12 * W, spec)
    G = root_of(load6(scratch, j + BALL_DINV * W, spec))
    zero = number(0.0, G[0])
    ball_screw(scratch, s, 0, R, away, (G[0], G[1], G[3]), blend(G[0], G[1], G[3], U0, U1, U2), spec)
    ball_screw(scratch, s, 1, R, away, (zero, G[2], G[4]), blend(zero, G[2], G[4], U0, U1, U2), spec)
    ball_screw(scratch, s, 2, R, away, (zero, zero, G[5]), blend(zero, zero, G[5], U0, U1, U2), spec)


def ball_screw(scratch: Array, s: int, n: int, R: Any, away: Any, turn: Any, U: Any, spec: Spec) -> None:
    """Store column n of the screws of a ball joint, from that of G and of U·G in link axes."""
    W = width(spec)
    place, w = s + (BALL_SCREW + n * SCREW_SIZE) * W, rotate(R, turn)
    store3(scratch, place, w, spec)
    store3(scratch, place + 3 * W, cross(away, w), spec)
    store6(scratch, place + 6 * W, force_seen(U, R, away), spec)


def force_seen(F: Any, R: Any, away: Any) -> Any:
    """A spatial force in link axes, at the link's origin, in world axes about the root."""
    n, f = rotate(R, (F[0], F[1], F[2])), rotate(R, (F[3], F[4], F[5]))
    return spatial(add_cross(n, away, f), f)


def respond(ints: Array, scratch: Array, start: int, out: int, spec: Spec) -> None:
    """Δv of every dof from w = Yᵀ·λ, outwards; both lie in `scratch`, from `start` and from `out` on."""
    W = width(spec)
    store6(scratch, A * W, spatial_zero(load(scratch, start, spec)), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, s, v = ints[i + ROW_KIND], ints[i + ROW_SCRATCH], ints[i + ROW_V] * W
        j = s + JOINT * W
        if kind == FREE:
            dv = backward_solve6(load21_flat(scratch, j, spec), load6(scratch, start + v, spec))
            store6(scratch, out + v, dv, spec)
            R = load9(scratch, s + SCREW * W, spec)
            a = spatial(rotate(R, (dv[0], dv[1], dv[2])), rotate(R, (dv[3], dv[4], dv[5])))
        else:
            a = load6_at(scratch, ints, parent_index(ints, link, spec), A * W, spec)
            if kind == BALL:
                a = respond_ball(scratch, s, start + v, out + v, a, spec)
            else:
                x = load(scratch, start + v, spec) - power(load6(scratch, s + (SCREW + 6) * W, spec), a)
                store(scratch, out + v, sqrt(load(scratch, j + DINV * W, spec)) * x, spec)
                a = spatial_add_scaled(a, x, load6(scratch, s + SCREW * W, spec))
        store6(scratch, s + A * W, a, spec)


def respond_ball(scratch: Array, s: int, w: int, out: int, a: Any, spec: Spec) -> Any:
    """Δv of a ball joint; the motion of its link."""
    W = width(spec)
    first = s + BALL_SCREW * W
    second, third = first + SCREW_SIZE * W, first + 2 * SCREW_SIZE * W
    x0 = load(scratch, w, spec) - power(load6(scratch, first + 6 * W, spec), a)
    x1 = load(scratch, w + W, spec) - power(load6(scratch, second + 6 * W, spec), a)
    x2 = load(scratch, w + 2 * W, spec) - power(load6(scratch, third + 6 * W, spec), a)
    K = load6(scratch, s + (JOINT + BALL_DINV) * W, spec)
    store3(scratch, out, root_applied(K, (x0, x1, x2)), spec)
    a = spatial_add_scaled(a, x0, load6(scratch, first, spec))
    a = spatial_add_scaled(a, x1, load6(scratch, second, spec))
    return spatial_add_scaled(a, x2, load6(scratch, third, spec))
