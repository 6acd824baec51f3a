"""Sums over all links: energy, momentum, centre of mass."""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import rigid_momentum
from zoophyte.algebra.quaternions import quaternion_log
from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.spatial import power
from zoophyte.algebra.vectors import add, add_cross, dot, scale
from zoophyte.model.layout import BALL, FREE, LINK_COUNT, MEDIUM, V_COUNT
from zoophyte.numbers import Array, Spec, fma, maximum, minimum, number, store, width
from zoophyte.numbers.memory import store3
from zoophyte.physics.dynamics.kinematics import velocities, world_poses
from zoophyte.physics.dynamics.links import Link, dof_of, header, link_of
from zoophyte.physics.dynamics.medium import lift_energy

# Fields of the result.
KINETIC, POTENTIAL, ELASTIC, LINEAR, ANGULAR, MASS_COM, TOTAL_MASS, TOTALS_SIZE = 0, 1, 2, 3, 6, 9, 12, 13


def totals(ints: Array, data: Array, scratch: Array, out: Array, spec: Spec) -> None:
    """Energies [J], momentum about the world's origin, mass-weighted centre and mass of all links, into `out`."""
    totals_at(ints, data, scratch, out, 0, spec)


def totals_at(ints: Array, data: Array, scratch: Array, out: Array, start: int, spec: Spec) -> None:
    """The same, from out[start] on; velocities and poses of all links stay in `scratch`."""
    velocities(ints, data, scratch, spec)
    world_poses(ints, data, scratch, spec)
    W = width(spec)
    g = header(data, spec).gravity
    zero, half = number(0.0, g[0]), number(0.5, g[0])
    kinetic, potential, elastic, mass = zero, zero, zero, zero
    linear, angular, weighted = (zero, zero, zero), (zero, zero, zero), (zero, zero, zero)
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        m, h, V, R_WL, p_WL = L.m, L.h, L.V, L.R_WL, L.p_WL
        F = rigid_momentum(m, h, L.inertia, V)
        f = rotate(R_WL, (F[3], F[4], F[5]))
        com = add(scale(m, p_WL), rotate(R_WL, h))
        kinetic = fma(half, power(V, F), kinetic) + rotor_energy(L)
        potential = potential - dot(g, com)
        if ints[MEDIUM] > 0:
            potential = potential + lift_energy(ints, data, link, g, R_WL, p_WL, spec)
        elastic = elastic + stored_energy(L)
        mass = mass + m
        linear = add(linear, f)
        angular = add(angular, add_cross(rotate(R_WL, (F[0], F[1], F[2])), p_WL, f))
        weighted = add(weighted, com)
    store(out, start + KINETIC * W, kinetic, spec)
    store(out, start + POTENTIAL * W, potential, spec)
    store(out, start + ELASTIC * W, elastic, spec)
    store3(out, start + LINEAR * W, linear, spec)
    store3(out, start + ANGULAR * W, angular, spec)
    store3(out, start + MASS_COM * W, weighted, spec)
    store(out, start + TOTAL_MASS * W, mass, spec)


def rotor_energy(L: Link) -> Any:
    """½ armature v² of one joint."""
    total = number(0.0, L.m)
    for n in range(V_COUNT[L.kind]):
        D = dof_of(L, n)
        v = D.v
        total = fma(number(0.5, v) * D.armature * v, v, total)
    return total


def stored_energy(L: Link) -> Any:
    """Energy in the springs and limit springs of one joint; servos are actuators, not stores."""
    half, zero = number(0.5, L.m), number(0.0, L.m)
    if L.kind == FREE:
        return zero
    if L.kind == BALL:
        phi = quaternion_log(L.ball.q)
        D0, D1, D2 = L.ball.dof0, L.ball.dof1, L.ball.dof2
        x0, x1, x2 = phi[0] - D0.rest, phi[1] - D1.rest, phi[2] - D2.rest
        return half * fma(D2.k * x2, x2, fma(D1.k * x1, x1, D0.k * x0 * x0))  # ½ xᵀ K x
    D, q = L.axis.dof, L.axis.q
    x = q - D.rest
    excess = maximum(q - D.upper, zero) + minimum(q - D.lower, zero)
    return half * fma(D.k * x, x, D.limit_k * excess * excess)
