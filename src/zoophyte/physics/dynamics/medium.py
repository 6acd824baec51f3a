"""What a medium does to links: drag, and the lift of what they displace.

Drag acts at the centre of mass along and about the principal axes, as it would on a box with the link's mass and inertia
(`zoophyte.model.medium.tables` has the coefficients and their source).  With b(u) = c |u| + β of one axis it is −b̃ u, with

    b̃ = min(b, m/dt)                                   (m: the mass, or the moment of inertia about the axis)

so that no step can turn a motion round, however long it is.  For a single body that is plain: u loses at most all of itself.
It holds for whole trees too: the sum of all b̃, in joint coordinates D = Σ Jᵀ b̃ J, is at most Σ Jᵀ M_link J / dt ≤ M/dt, so
all eigenvalues of dt M⁻¹ D lie between 0 and 1, and drag alone never raises the kinetic energy nor reverses a mode.  Where
steps are short enough to resolve the drag, b̃ = b: terminal velocities are exact, and explicit steps keep their order.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import velocity_at
from zoophyte.algebra.rotations import rotate, unrotate
from zoophyte.algebra.spatial import spatial, spatial_add
from zoophyte.algebra.vectors import add, add_cross, add_scaled, dot, scale, subtract
from zoophyte.model.layout import (
    DT,
    FORCE,
    GRAVITY,
    LINK_COUNT,
    MASS,
    MEDIUM,
    ROW_DATA,
    ROW_SCRATCH,
    WORLD_R,
    V,
)
from zoophyte.model.medium.layout import (
    AXES,
    BLUNT,
    BLUNT_TURN,
    CENTRE,
    DISPLACED,
    DISPLACED_MOMENT,
    MEDIUM_HEADER,
    MEDIUM_RECORD,
    PRINCIPAL,
    VISCOUS,
    VISCOUS_TURN,
    WIND,
)
from zoophyte.numbers import Array, Number, Spec, absolute, fma, load, minimum, number, width
from zoophyte.numbers.memory import load3, load6, load9, store6
from zoophyte.numbers.primitives import LAWS_BY_NUMBER, MEDIUM_LAW
from zoophyte.physics.dynamics.kinematics import row


def medium_forces(ints: Array, data: Array, scratch: Array, start: int, spec: Spec) -> None:
    """A law of force: adds to FORCE of every link what the medium does to it, by its velocity and pose."""
    W = width(spec)
    wind, g = load3(data, start + WIND * W, spec), load3(data, GRAVITY * W, spec)
    per_step = number(1.0, g[0]) / load(data, DT * W, spec)
    for link in range(1, ints[LINK_COUNT]):
        i, r = row(ints, link), medium_record(ints, link, spec)
        d, s = ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        V_L, R_WL = load6(scratch, s + V * W, spec), load9(scratch, s + WORLD_R * W, spec)
        axes, c = load9(data, r + AXES * W, spec), load3(data, r + CENTRE * W, spec)
        u = unrotate(axes, subtract(velocity_at(V_L, c), unrotate(R_WL, wind)))
        w = unrotate(axes, (V_L[0], V_L[1], V_L[2]))
        most = load(data, d + MASS * W, spec) * per_step
        viscous = load(data, r + VISCOUS * W, spec)
        blunt = load3(data, r + BLUNT * W, spec)
        f = rotate(axes, drag(blunt, viscous, (most, most, most), u))
        viscous = load(data, r + VISCOUS_TURN * W, spec)
        blunt = load3(data, r + BLUNT_TURN * W, spec)
        t = rotate(axes, drag(blunt, viscous, scale(per_step, load3(data, r + PRINCIPAL * W, spec)), w))
        t = add_cross(t, c, f)
        up = scale(number(-1.0, g[0]), unrotate(R_WL, g))
        f = add_scaled(f, load(data, r + DISPLACED * W, spec), up)
        t = add_cross(t, load3(data, r + DISPLACED_MOMENT * W, spec), up)
        others = load6(data, d + FORCE * W, spec)
        store6(data, d + FORCE * W, spatial_add(others, spatial(t, f)), spec)


def medium_record(ints: Array, link: int, spec: Spec) -> int:
    """Where the medium's record of a link starts in `data`."""
    return ints[MEDIUM] + (MEDIUM_HEADER + (link - 1) * MEDIUM_RECORD) * width(spec)


def drag(blunt: Any, viscous: Number, most: Any, u: Any) -> Any:
    """−min(c |u| + β, most)·u along each axis."""
    return (
        -(minimum(fma(blunt[0], absolute(u[0]), viscous), most[0]) * u[0]),
        -(minimum(fma(blunt[1], absolute(u[1]), viscous), most[1]) * u[1]),
        -(minimum(fma(blunt[2], absolute(u[2]), viscous), most[2]) * u[2]),
    )


def lift_energy(ints: Array, data: Array, link: int, g: Any, R_WL: Any, p_WL: Any, spec: Spec) -> Number:
    """Potential energy of what a link displaces, which rises when the link sinks [J]."""
    W, r = width(spec), medium_record(ints, link, spec)
    m, h = load(data, r + DISPLACED * W, spec), load3(data, r + DISPLACED_MOMENT * W, spec)
    return dot(g, add(scale(m, p_WL), rotate(R_WL, h)))


LAWS_BY_NUMBER[MEDIUM_LAW] = medium_forces
