"""Jacobians, external forces, impulses and contact matrices against each other and against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import zoophyte as zp
from agreement import reference
from bodies import case, descriptions, every_kind, random_state, relative_error, seeds
from zoophyte.errors import UsageError
from zoophyte.physics import body_poses, body_velocities, contact_matrix, factor_rows, jacobian

SOLVED = 1e-10  # condition of M below 1e6 times rounding
SUMMED = 1e-12  # rounding


@settings(max_examples=30)
@given(description=descriptions(8), seed=seeds)
def test_jacobian_gives_velocities(description: zp.Description, seed: int) -> None:
    """Law: J v is the velocity. Oracles: unit velocities in world axes (numpy), body_velocities; tolerance: rounding."""
    model, state, rng = case(description, seed)
    R, _ = body_poses(model, state)
    V = body_velocities(model, state)
    for index, name in enumerate(model.body_names):
        point = rng.normal(size=3)
        expected = reference.point_jacobian(model.description, state.q, name, point)
        assert relative_error(jacobian(model, state, name, point), expected) < SUMMED
        at_origin = jacobian(model, state, name) @ state.v
        assert relative_error(at_origin, [*R[index] @ V[index, :3], *R[index] @ V[index, 3:]]) < SUMMED


def test_jacobian_is_the_derivative_of_positions(rng: np.random.Generator) -> None:
    """Law: J = ∂x/∂q along each velocity. Oracle: central differences of our own poses; h² and rounding/h: 1e-8."""
    model = zp.compile(every_kind(rng))
    state, h = random_state(model, rng), 1e-6
    for index, name in enumerate(model.body_names):
        point = rng.normal(size=3)
        columns = []
        for unit in np.eye(model.nv):
            ends = []
            for sign in (-1.0, 1.0):
                R, p = body_poses(
                    model, state.at(reference.moved(model.description, state.q, sign * h * unit))
                )
                ends.append((R[index], p[index] + R[index] @ point))
            (R0, p0), (R1, p1) = ends
            turn = (R1 - R0) @ R0.T
            omega = 0.5 * np.array(
                [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
            )
            columns.append([*omega / (2 * h), *(p1 - p0) / (2 * h)])
        assert relative_error(jacobian(model, state, name, point), np.array(columns).T) < 1e-8


@settings(max_examples=30)
@given(description=descriptions(8), seed=seeds)
def test_external_forces_act_through_the_jacobian(description: zp.Description, seed: int) -> None:
    """Law: a force at a point is the joint force Jᵀ f (virtual work): at a point, at the centre of mass, as a couple.

    Oracle: Jacobians in world axes, numpy; tolerance: rounding of forces that cancel against the weight, 1e-11.
    """
    model, state, rng = case(description, seed)
    described = model.description
    body = described.bodies[int(rng.integers(len(described.bodies)))]
    motion = reference.motions(described, state.q, state.v)[body.name]
    point_B, f, n = rng.normal(size=(3, 3))
    com = body.mass_properties().com
    at_point = reference.point_jacobian(described, state.q, body.name, point_B)
    at_com = reference.point_jacobian(described, state.q, body.name, com)
    at_origin = reference.point_jacobian(described, state.q, body.name)
    wrenches = np.zeros((model.body_count, 6))
    wrenches[model.body_index(body.name)] = [*n, *f]
    given_and_felt = [
        ({body.name: zp.Force.at_point(f, motion.point(point_B))}, at_point[3:].T @ f),
        ({body.name: zp.Force.at_com(f)}, at_com[3:].T @ f),
        ({body.name: zp.Force.couple(n)}, at_com[:3].T @ n),
        ({body.name: [zp.Force.couple(n), zp.Force.at_com(f)]}, at_com.T @ [*n, *f]),
        (wrenches, at_origin.T @ [*n, *f]),
    ]
    free = zp.bias_forces(model, state)
    for forces, felt in given_and_felt:
        assert relative_error(free - zp.bias_forces(model, state, forces), felt) < 1e-11
        pushed = zp.forward_dynamics(model, state, forces=forces)
        assert relative_error(pushed, zp.forward_dynamics(model, state, felt)) < SOLVED


@settings(max_examples=30)
@given(description=descriptions(8), seed=seeds)
def test_impulses_change_velocities_by_inverse_mass(description: zp.Description, seed: int) -> None:
    """Law: Δv = M⁻¹ (Jᵀ p + joint impulses). Oracle: composite bodies, numpy's Jacobian and LAPACK; condition × rounding."""
    model, state, rng = case(description, seed)
    described = model.description
    body = described.bodies[int(rng.integers(len(described.bodies)))]
    motion = reference.motions(described, state.q, state.v)[body.name]
    point_B, p, n = rng.normal(size=(3, 3))
    joints = rng.normal(size=model.nv)
    J = reference.point_jacobian(described, state.q, body.name, point_B)
    M = zp.mass_matrix(model, state)
    hit = {body.name: [zp.Force.at_point(p, motion.point(point_B)), zp.Force.couple(n)]}
    felt = J[3:].T @ p + J[:3].T @ n
    assert relative_error(zp.impulse_response(model, state, hit), np.linalg.solve(M, felt)) < SOLVED
    both = zp.impulse_response(model, state, hit, joints)
    assert relative_error(both, np.linalg.solve(M, felt + joints)) < SOLVED


@settings(max_examples=30)
@given(description=descriptions(8), seed=seeds)
def test_contact_matrix_is_the_projected_inverse_mass(description: zp.Description, seed: int) -> None:
    """Law: Λ = J M⁻¹ Jᵀ = Y Yᵀ for three contact points. Oracle: composite bodies and LAPACK; condition × rounding."""
    model, state, rng = case(description, seed)
    names = rng.choice(model.body_names[1:], size=3)
    points = [(str(name), rng.normal(size=3)) for name in names]
    J = np.concatenate([reference.point_jacobian(model.description, state.q, *point)[3:] for point in points])
    expected = J @ np.linalg.solve(zp.mass_matrix(model, state), J.T)
    found = contact_matrix(model, state, points)
    assert np.array_equal(found, found.T)
    assert relative_error(found, expected) < SOLVED


def test_driven_joints_do_not_respond(rng: np.random.Generator) -> None:
    """Law: a driven coordinate has infinite inertia; the others respond as M restricted to them does."""
    model = zp.compile(every_kind(rng, driven=True))
    state = random_state(model, rng)
    mobile = ~model.dofs.driven
    assert 0 < mobile.sum() < model.nv
    points = [(name, rng.normal(size=3)) for name in model.body_names[1:]]
    J = np.concatenate([reference.point_jacobian(model.description, state.q, *point)[3:] for point in points])
    J_mobile, M = J[:, mobile], zp.mass_matrix(model, state)[np.ix_(mobile, mobile)]
    found = contact_matrix(model, state, points)
    assert relative_error(found, J_mobile @ np.linalg.solve(M, J_mobile.T)) < SOLVED
    hit = {"body10": zp.Force.couple((1.0, -2.0, 0.5))}
    felt = reference.point_jacobian(model.description, state.q, "body10")[:3].T @ [1.0, -2.0, 0.5]
    expected = np.zeros(model.nv)
    expected[mobile] = np.linalg.solve(M, felt[mobile])
    assert relative_error(zp.impulse_response(model, state, hit), expected) < SOLVED


def test_rows_of_several_sets_of_impulses(rng: np.random.Generator) -> None:
    """Law: Y Yᵀ holds for any sets of impulses, on several bodies at once. Oracle: M⁻¹ between generalised impulses."""
    model = zp.compile(every_kind(rng))
    state = random_state(model, rng)
    sets = [rng.normal(size=(model.body_count, 6)) for _ in range(4)]
    felt = [zp.bias_forces(model, state) - zp.bias_forces(model, state, wrenches) for wrenches in sets]
    expected = np.array(felt) @ np.linalg.solve(zp.mass_matrix(model, state), np.array(felt).T)
    Y = factor_rows(model, state, sets)
    assert Y.shape == (4, model.nv)
    assert relative_error(Y @ Y.T, expected) < SOLVED


@pytest.mark.parametrize(
    ("forces", "words"),
    [
        ({"tail": zp.Force.couple((0, 0, 1))}, "there is no body 'tail'"),
        (np.zeros((2, 6)), r"forces has shape \(2, 6\)"),
    ],
)
def test_forces_that_fit_nothing(forces: object, words: str, rng: np.random.Generator) -> None:
    model = zp.compile(every_kind(rng))
    with pytest.raises(UsageError, match=words):
        zp.forward_dynamics(model, zp.State.neutral(model), forces=forces)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [(1.0, 2.0), (1.0, 2.0, np.nan), 3.0])
def test_forces_that_are_no_vectors(value: object) -> None:
    with pytest.raises(UsageError, match="must be three finite numbers"):
        zp.Force.couple(value)
