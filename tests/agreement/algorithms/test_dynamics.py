"""Forward and inverse dynamics, the mass matrix, energy and momentum: different ways to the same numbers.

Tolerances: the condition of the mass matrix is below 1e6 for mass ratios up to 1e3 (measured over 400 forests: 7e5), so
rounding of 2e-16 leaves 1e-10 where a system is solved; where numbers are only added, 1e-12.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings

import zoophyte as zp
from agreement import reference
from bodies import case, descriptions, every_kind, random_forces, random_state, relative_error, seeds
from zoophyte.physics import body_poses, body_velocities, point_acceleration, point_velocity

SOLVED = 1e-10
SUMMED = 1e-12


@settings(max_examples=60)
@given(description=descriptions(12), seed=seeds)
def test_forward_dynamics_inverts_inverse_dynamics(description: zp.Description, seed: int) -> None:
    """Law: FD(ID(a)) = a and ID(FD(tau)) = tau, under external forces. Tolerance: condition × rounding."""
    model, state, rng = case(description, seed)
    a, tau = rng.normal(scale=5.0, size=(2, model.nv))
    forces, gravity = random_forces(model, state, rng), rng.normal(scale=10.0, size=3)
    needed = zp.inverse_dynamics(model, state, a, forces, gravity)
    assert relative_error(zp.forward_dynamics(model, state, needed, forces, gravity), a) < SOLVED
    found = zp.forward_dynamics(model, state, tau, forces, gravity)
    assert relative_error(zp.inverse_dynamics(model, state, found, forces, gravity), tau) < SOLVED


@settings(max_examples=60)
@given(description=descriptions(12), seed=seeds)
def test_articulated_bodies_equal_the_solved_equations_of_motion(
    description: zp.Description, seed: int
) -> None:
    """Law: the articulated-body algorithm gives M⁻¹ (tau − bias). Oracle: composite rigid bodies and LAPACK's solve."""
    model, state, rng = case(description, seed)
    tau, forces = rng.normal(scale=5.0, size=model.nv), random_forces(model, state, rng)
    M, bias = zp.mass_matrix(model, state), zp.bias_forces(model, state, forces)
    expected = np.linalg.solve(M, tau - bias)
    assert relative_error(zp.forward_dynamics(model, state, tau, forces), expected) < SOLVED


@settings(max_examples=40)
@given(description=descriptions(8), seed=seeds)
def test_mass_matrix_is_the_sum_over_bodies(description: zp.Description, seed: int) -> None:
    """Law: M = Σ Jᵀ diag(I, m) J + rotors, symmetric and positive. Oracle: Jacobians in world axes, numpy; rounding."""
    model, state, _ = case(description, seed)
    M = zp.mass_matrix(model, state)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert relative_error(M, reference.mass_matrix(model.description, state.q)) < SUMMED


@settings(max_examples=40)
@given(description=descriptions(8), seed=seeds)
def test_kinetic_energy_is_half_vMv(description: zp.Description, seed: int) -> None:
    """Law: kinetic energy = ½ vᵀ M v. Oracle: the mass matrix of composite bodies; tolerance: rounding."""
    model, state, _ = case(description, seed)
    expected = 0.5 * state.v @ zp.mass_matrix(model, state) @ state.v
    assert relative_error(zp.energy(model, state).kinetic, expected) < SUMMED


@settings(max_examples=40)
@given(description=descriptions(8), seed=seeds)
def test_momentum_is_the_sum_over_bodies(description: zp.Description, seed: int) -> None:
    """Law: P = Σ m u, L = Σ c × m u + I ω, potential −m g·c. Oracle: body by body in numpy; tolerance: rounding."""
    model, state, _ = case(description, seed)
    gravity = np.array([1.0, -2.0, 3.0])
    linear, angular, com, mass = reference.momentum(model.description, state.q, state.v)
    found = zp.momentum(model, state)
    assert relative_error(found.linear, linear) < SUMMED
    assert relative_error(found.angular_about_origin, angular) < SUMMED
    assert relative_error(found.angular_about_com, angular - np.cross(com, linear)) < SUMMED
    assert relative_error(found.com, com) < SUMMED
    assert relative_error(found.com_velocity, linear / mass) < SUMMED
    assert relative_error([found.mass, model.total_mass], [mass, mass]) < SUMMED
    assert relative_error(zp.energy(model, state, gravity).potential, -mass * gravity @ com) < SUMMED


@settings(max_examples=40)
@given(description=descriptions(8), seed=seeds)
def test_poses_and_velocities(description: zp.Description, seed: int) -> None:
    """Law: link frames change nothing for bodies. Oracle: the chain of frames in world axes; tolerance: rounding."""
    model, state, rng = case(description, seed)
    R, p = body_poses(model, state)
    V = body_velocities(model, state)
    for index, (name, motion) in enumerate(reference.motions(model.description, state.q, state.v).items()):
        assert model.body_names[index] == name
        point = rng.normal(size=3)
        assert relative_error(R[index], motion.R) < SUMMED
        assert relative_error(p[index], motion.p) < SUMMED
        assert relative_error(V[index], [*motion.R.T @ motion.omega, *motion.R.T @ motion.u]) < SUMMED
        assert relative_error(point_velocity(model, state, name, point), motion.velocity(point)) < SUMMED


def rates(description: zp.Description, state: zp.State, a: Any, read: Any) -> np.ndarray[Any, Any]:
    """d/dt of what `read` takes from the motions, while v changes by `a` per second: central difference."""
    step = 1e-5
    ends = []
    for h in (-step, step):
        v = state.v + h * a
        q = reference.moved(description, state.q, h * (state.v + 0.5 * h * a))
        ends.append(np.asarray(read(reference.motions(description, q, v))))
    return (ends[1] - ends[0]) / (2.0 * step)


@settings(max_examples=30)
@given(description=descriptions(6), seed=seeds)
def test_inverse_dynamics_is_dalemberts_principle(description: zp.Description, seed: int) -> None:
    """Law: tau = Σ Jᵀ (d(I ω)/dt; m (dc̈ − g)) + rotors. Oracle: momentum of each body differentiated in time.

    Tolerance: the central difference with h = 1e-5 errs by h² × third derivatives (about 1e-8) and rounding / h (1e-10).
    """
    model, state, rng = case(description, seed)
    described, a, gravity = (
        model.description,
        rng.normal(scale=3.0, size=model.nv),
        np.array([0.5, -1.0, -9.81]),
    )
    expected = reference.armatures(described) * a
    for body in described.bodies:
        properties = body.mass_properties()
        I_B, com = np.asarray(properties.inertia), properties.com

        def spin(motions: Any, name: str = body.name, I: Any = I_B) -> Any:
            return motions[name].R @ I @ motions[name].R.T @ motions[name].omega

        def speed(motions: Any, name: str = body.name, c: Any = com) -> Any:
            return motions[name].velocity(c)

        J = reference.point_jacobian(described, state.q, body.name, com)
        expected = expected + J[:3].T @ rates(described, state, a, spin)
        expected = expected + properties.mass * J[3:].T @ (rates(described, state, a, speed) - gravity)
    assert relative_error(zp.inverse_dynamics(model, state, a, gravity=gravity), expected) < 1e-6


def test_point_acceleration_is_the_rate_of_point_velocity(rng: np.random.Generator) -> None:
    """Law: classical acceleration = d/dt of the point's velocity. Tolerance: central difference, as above."""
    model = zp.compile(every_kind(rng))
    state, a = random_state(model, rng), rng.normal(scale=3.0, size=model.nv)
    for name in model.body_names:
        point = rng.normal(size=3)
        expected = rates(model.description, state, a, lambda m, n=name, c=point: m[n].velocity(c))
        assert relative_error(point_acceleration(model, state, a, name, point), expected) < 1e-6


@settings(max_examples=30)
@given(description=descriptions(8), seed=seeds)
def test_gravity_is_a_force_at_each_centre_of_mass(description: zp.Description, seed: int) -> None:
    """Law: an accelerated base and m·g at every centre of mass are the same. Oracle: each other; condition × rounding."""
    model, state, rng = case(description, seed)
    gravity = rng.normal(scale=10.0, size=3)
    weights = {
        body.name: zp.Force.at_com(body.mass_properties().mass * gravity) for body in model.description.bodies
    }
    expected = zp.forward_dynamics(model, state, gravity=gravity)
    assert (
        relative_error(zp.forward_dynamics(model, state, forces=weights, gravity=(0, 0, 0)), expected)
        < SOLVED
    )
