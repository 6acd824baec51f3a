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
from zoophyte.model.layout import LINK_COUNT, MEDIUM
from zoophyte.model.medium import layout as at
from zoophyte.numbers import Array, Number, Spec, absolute, fma, minimum, number, width
from zoophyte.numbers.memory import load3
from zoophyte.numbers.primitives import LAWS_BY_NUMBER, MEDIUM_LAW
from zoophyte.numbers.records import Field, Record
from zoophyte.physics.dynamics.links import header, link_of


class Immersed(Record):
    """What a medium knows of a link; vectors in link axes, coefficients along and about the principal axes."""

    axes = Field("data", at.AXES, 9)
    com = Field("data", at.CENTRE, 3)
    viscous = Field("data", at.VISCOUS)
    blunt = Field("data", at.BLUNT, 3)
    viscous_turn = Field("data", at.VISCOUS_TURN)
    blunt_turn = Field("data", at.BLUNT_TURN, 3)
    principal = Field("data", at.PRINCIPAL, 3)
    displaced = Field("data", at.DISPLACED)
    displaced_moment = Field("data", at.DISPLACED_MOMENT, 3)


def immersed(data: Array, start: int, link: int, spec: Spec) -> Immersed:
    """The record of a link in the medium whose section begins at `start`."""
    return Immersed(data, start + (at.MEDIUM_HEADER + (link - 1) * at.MEDIUM_RECORD) * width(spec), spec)


def medium_forces(ints: Array, data: Array, scratch: Array, start: int, spec: Spec) -> None:
    """A law of force: adds to F of every link what the medium does to it, by its velocity and pose."""
    h, wind = header(data, spec), load3(data, start + at.WIND * width(spec), spec)
    g = h.gravity
    per_step = number(1.0, g[0]) / h.dt
    for link in range(1, ints[LINK_COUNT]):
        L, B = link_of(ints, data, scratch, link, spec), immersed(data, start, link, spec)
        V, R_WL, axes, c = L.V, L.R_WL, B.axes, B.com
        u = unrotate(axes, subtract(velocity_at(V, c), unrotate(R_WL, wind)))
        w = unrotate(axes, (V[0], V[1], V[2]))
        most = L.m * per_step
        f = rotate(axes, drag(B.blunt, B.viscous, (most, most, most), u))
        t = rotate(axes, drag(B.blunt_turn, B.viscous_turn, scale(per_step, B.principal), w))
        t = add_cross(t, c, f)
        up = scale(number(-1.0, g[0]), unrotate(R_WL, g))
        f = add_scaled(f, B.displaced, up)
        t = add_cross(t, B.displaced_moment, up)
        L.F = spatial_add(L.F, spatial(t, f))


def drag(blunt: Any, viscous: Number, most: Any, u: Any) -> Any:
    """−min(c |u| + β, most)·u along each axis."""
    return (
        -(minimum(fma(blunt[0], absolute(u[0]), viscous), most[0]) * u[0]),
        -(minimum(fma(blunt[1], absolute(u[1]), viscous), most[1]) * u[1]),
        -(minimum(fma(blunt[2], absolute(u[2]), viscous), most[2]) * u[2]),
    )


def lift_energy(ints: Array, data: Array, link: int, g: Any, R_WL: Any, p_WL: Any, spec: Spec) -> Number:
    """Potential energy of what a link displaces, which rises when the link sinks [J]."""
    B = immersed(data, ints[MEDIUM], link, spec)
    return dot(g, add(scale(B.displaced, p_WL), rotate(R_WL, B.displaced_moment)))


LAWS_BY_NUMBER[MEDIUM_LAW] = medium_forces
