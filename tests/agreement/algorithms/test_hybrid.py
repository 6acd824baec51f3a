"""Driven joints: hybrid dynamics against the same body with nothing driven."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

import zoophyte as zp
from bodies import descriptions, every_kind, random_forces, random_state, relative_error, seeds
from zoophyte.physics import driven_forces

SOLVED = 1e-10  # condition of M below 1e6 times rounding


def undriven(description: zp.Description) -> zp.Description:
    """The same forest with every joint mobile."""
    copy = description.copy()
    for body in copy.bodies:
        body.joint.driven = False
    return copy


@settings(max_examples=50)
@given(description=descriptions(10, driven=True), seed=seeds)
def test_driven_forces_drive_the_undriven_body(description: zp.Description, seed: int) -> None:
    """Law: the reported forces, applied to the same body with mobile joints, give the same accelerations.

    Oracle: forward dynamics without driven joints; tolerance: condition × rounding.
    """
    rng = np.random.default_rng(seed)
    model, twin = zp.compile(description), zp.compile(undriven(description))
    state = random_state(model, rng)
    driven, forces = model.dofs.driven, random_forces(model, state, rng)
    tau, given_a = rng.normal(scale=3.0, size=(2, model.nv))
    a = zp.forward_dynamics(model, state, tau, forces, driven=given_a)
    needed = driven_forces(model, state, tau, forces, driven=given_a)
    assert np.array_equal(a[driven], given_a[driven])
    assert np.all(needed[~driven] == 0.0)
    assert relative_error(zp.forward_dynamics(twin, state, np.where(driven, needed, tau), forces), a) < SOLVED


def test_the_twin_is_driven_where_it_should_be(rng: np.random.Generator) -> None:
    """All kinds of joints that can be driven are, and their forces equal inverse dynamics of the whole motion."""
    model = zp.compile(every_kind(rng, driven=True))
    twin = zp.compile(undriven(model.description))
    kinds = {
        model.description.body(name.split(".")[0]).joint.kind
        for name in np.array(model.dof_names)[model.dofs.driven]
    }
    assert kinds == {"hinge", "slide", "universal", "ball"}
    state = random_state(model, rng)
    given_a = rng.normal(size=model.nv)
    a = zp.forward_dynamics(model, state, driven=given_a)
    expected = zp.inverse_dynamics(twin, state, a)
    found = driven_forces(model, state, driven=given_a)
    assert relative_error(found[model.dofs.driven], expected[model.dofs.driven]) < SOLVED
    assert relative_error(np.zeros((~model.dofs.driven).sum()), expected[~model.dofs.driven]) < SOLVED


def test_inverse_dynamics_takes_all_accelerations_as_given(rng: np.random.Generator) -> None:
    """Law: what is driven does not matter to inverse dynamics, to energy or to the mass matrix. Oracle: the twin."""
    model = zp.compile(every_kind(rng, driven=True))
    twin = zp.compile(undriven(model.description))
    state, a = random_state(model, rng), rng.normal(size=model.nv)
    assert relative_error(zp.inverse_dynamics(model, state, a), zp.inverse_dynamics(twin, state, a)) < 1e-14
    assert relative_error(zp.mass_matrix(model, state), zp.mass_matrix(twin, state)) < 1e-14
    assert relative_error(zp.energy(model, state).total, zp.energy(twin, state).total) < 1e-14
