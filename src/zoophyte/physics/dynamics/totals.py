"""Sums over all links: energy, momentum, centre of mass."""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import rigid_momentum
from zoophyte.algebra.quaternions import quaternion_log
from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.spatial import power
from zoophyte.algebra.vectors import add, add_cross, dot, scale
from zoophyte.model.layout import (
    ARMATURE,
    BALL,
    CONFIGURATION,
    DOF_SIZE,
    FREE,
    GRAVITY,
    INERTIA,
    LIMIT_STIFFNESS,
    LINK_COUNT,
    LOWER,
    MASS,
    MEDIUM,
    MOMENT,
    REST,
    ROW_DATA,
    ROW_KIND,
    ROW_SCRATCH,
    STIFFNESS,
    UPPER,
    V_COUNT,
    VELOCITY,
    WORLD_P,
    WORLD_R,
    V,
)
from zoophyte.numbers import Array, Spec, fma, load, maximum, minimum, number, store, width
from zoophyte.numbers.memory import load3, load4, load6, load9, store3
from zoophyte.physics.dynamics.kinematics import first_dof, row, velocities, world_poses
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
    g = load3(data, GRAVITY * W, spec)
    zero, half = number(0.0, g[0]), number(0.5, g[0])
    kinetic, potential, elastic, mass = zero, zero, zero, zero
    linear, angular, weighted = (zero, zero, zero), (zero, zero, zero), (zero, zero, zero)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d, s = ints[i + ROW_KIND], ints[i + ROW_DATA], ints[i + ROW_SCRATCH]
        m, h = load(data, d + MASS * W, spec), load3(data, d + MOMENT * W, spec)
        V_L = load6(scratch, s + V * W, spec)
        F = rigid_momentum(m, h, load6(data, d + INERTIA * W, spec), V_L)
        R_WL, p_WL = load9(scratch, s + WORLD_R * W, spec), load3(scratch, s + WORLD_P * W, spec)
        f = rotate(R_WL, (F[3], F[4], F[5]))
        com = add(scale(m, p_WL), rotate(R_WL, h))
        kinetic = fma(half, power(V_L, F), kinetic) + rotor_energy(data, kind, d, spec)
        potential = potential - dot(g, com)
        if ints[MEDIUM] > 0:
            potential = potential + lift_energy(ints, data, link, g, R_WL, p_WL, spec)
        elastic = elastic + stored_energy(data, kind, d, spec)
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


def rotor_energy(data: Array, kind: int, d: int, spec: Spec) -> Any:
    """½ armature v² of one joint."""
    W = width(spec)
    total = number(0.0, load(data, d + first_dof(kind) * W, spec))
    for k in range(V_COUNT[kind]):
        dof = d + (first_dof(kind) + k * DOF_SIZE) * W
        v = load(data, dof + VELOCITY * W, spec)
        armature = load(data, dof + ARMATURE * W, spec)
        total = fma(number(0.5, v) * armature * v, v, total)
    return total


def stored_energy(data: Array, kind: int, d: int, spec: Spec) -> Any:
    """Energy in the springs and limit springs of one joint; servos are actuators, not stores."""
    W = width(spec)
    dof = d + first_dof(kind) * W
    half, zero = number(0.5, load(data, dof, spec)), number(0.0, load(data, dof, spec))
    if kind == FREE:
        return zero
    if kind == BALL:
        phi = quaternion_log(load4(data, d + CONFIGURATION * W, spec))
        x0 = phi[0] - load(data, dof + REST * W, spec)
        x1 = phi[1] - load(data, dof + (DOF_SIZE + REST) * W, spec)
        x2 = phi[2] - load(data, dof + (2 * DOF_SIZE + REST) * W, spec)
        stored = load(data, dof + STIFFNESS * W, spec) * x0 * x0
        stored = fma(load(data, dof + (DOF_SIZE + STIFFNESS) * W, spec) * x1, x1, stored)
        return half * fma(load(data, dof + (2 * DOF_SIZE + STIFFNESS) * W, spec) * x2, x2, stored)
    q = load(data, d + CONFIGURATION * W, spec)
    x = q - load(data, dof + REST * W, spec)
    excess = maximum(q - load(data, dof + UPPER * W, spec), zero) + minimum(
        q - load(data, dof + LOWER * W, spec), zero
    )
    limit = load(data, dof + LIMIT_STIFFNESS * W, spec) * excess * excess
    return half * fma(load(data, dof + STIFFNESS * W, spec) * x, x, limit)
