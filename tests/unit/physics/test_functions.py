"""The public functions: what they refuse, and that one call leaves nothing behind for the next."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from bodies import every_kind, random_forces, random_state
from zoophyte.errors import UsageError
from zoophyte.model import Block
from zoophyte.model import layout as at
from zoophyte.model.layout import INTEGRATORS
from zoophyte.numbers.forms import compiled
from zoophyte.physics import contact_matrix, driven_forces
from zoophyte.physics.lives.lives import live


@pytest.fixture
def model(rng: np.random.Generator) -> zp.Model:
    return zp.compile(every_kind(rng, driven=True))


CALLS: dict[str, Any] = {
    "tau": lambda m, s: zp.forward_dynamics(m, s, tau=[1.0]),
    "driven": lambda m, s: zp.forward_dynamics(m, s, driven=np.zeros((2, 2))),
    "a": lambda m, s: zp.inverse_dynamics(m, s, a=[1.0]),
    "joint_impulses": lambda m, s: zp.impulse_response(m, s, joint_impulses=[1.0]),
    "gravity": lambda m, s: zp.energy(m, s, gravity=(0.0, -9.81)),
    "three finite numbers": lambda m, s: zp.energy(m, s, gravity=(0.0, 0.0, np.nan)),
    "no body 'tail'": lambda m, s: zp.jacobian(m, s, "tail"),
    "no body 'nose'": lambda m, s: contact_matrix(m, s, [("nose", (0, 0, 0))]),
    "integrator 'euler' is unknown. Known: semi_implicit, rk4": lambda m, s: zp.step(m, s, 1e-3, "euler"),
    "dt is 0.0": lambda m, s: zp.step(m, s, 0.0),
    "dt is nan": lambda m, s: zp.step(m, s, np.nan),
}


@pytest.mark.parametrize("words", CALLS)
def test_what_they_refuse(model: zp.Model, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        CALLS[words](model, zp.State.neutral(model))


def test_calls_leave_nothing_behind(model: zp.Model, rng: np.random.Generator) -> None:
    """Law: a function of its arguments. Oracle: the same call on a fresh model after all the others; exact."""
    state, other = random_state(model, rng, commands=True), random_state(model, rng, commands=True)
    tau, forces = rng.normal(size=model.nv), random_forces(model, state, rng)
    calls: list[Any] = [
        lambda m: zp.forward_dynamics(m, state, tau),
        lambda m: zp.forward_dynamics(m, state, tau, forces, gravity=(1, 2, 3), driven=tau),
        lambda m: driven_forces(m, other, tau, forces),
        lambda m: zp.inverse_dynamics(m, state, tau, forces),
        lambda m: zp.inverse_dynamics(m, state, tau),
        lambda m: zp.bias_forces(m, other),
        lambda m: zp.mass_matrix(m, state),
        lambda m: zp.passive_forces(m, state),
        lambda m: np.array([zp.energy(m, state, (1, 1, 1)).total, zp.energy(m, state).total]),
        lambda m: zp.momentum(m, other).angular_about_com,
        lambda m: zp.body_poses(m, state)[1],
        lambda m: zp.jacobian(m, state, "body5"),
        lambda m: zp.point_acceleration(m, state, tau, "body5", (1, 2, 3)),
        lambda m: zp.impulse_response(m, state, {"body5": zp.Force.couple((1, 2, 3))}, tau),
        lambda m: contact_matrix(m, state, [("body5", (0.1, 0.2, 0.3))]),
        lambda m: zp.step(m, state, 1e-3, "ros2").q,
        lambda m: zp.step(m, state, 1e-3, "semi_implicit").q,
    ]
    alone = [call(zp.compile(model.description)) for call in calls]
    for order in (calls, calls[::-1], calls):
        found = [call(model) for call in order]
        expected = alone if order is calls else alone[::-1]
        for a, b in zip(found, expected, strict=True):
            assert a.tobytes() == b.tobytes()


def test_arguments_are_not_changed(model: zp.Model, rng: np.random.Generator) -> None:
    state, tau = random_state(model, rng, commands=True), rng.normal(size=model.nv)
    kept = [x.copy() for x in (state.q, state.v, state.command, state.applied, tau)]
    zp.forward_dynamics(model, state, tau, driven=tau)
    zp.step(model, state, 1e-3, "ros2")
    for array, before in zip((state.q, state.v, state.command, state.applied, tau), kept, strict=True):
        assert array.tobytes() == before.tobytes()


def test_models_do_not_live_for_ever() -> None:
    """A model that nobody holds is let go, whatever was computed with it: evolution makes millions."""
    model = zp.compile(zp.zoo.pendulum())
    zp.energy(model, zp.State.neutral(model))
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_step_is_a_step_of_a_life(integrator: str, model: zp.Model, rng: np.random.Generator) -> None:
    """Law: zp.step and a world's life are the same kernel. Oracle: each other, over five steps; exact.

    The clock of `step` starts anew with every call, so the commands do not depend on time here.
    """
    state = random_state(model, rng)
    block = Block([model])
    block.set_state(0, state)
    block.fields[at.DT] = 1e-3
    block.set_integrator(integrator)
    compiled(live)(block.ints, block.data, block.scratch, block.terrain, block.orders, 5, block.spec)
    for _ in range(5):
        state = zp.step(model, state, 1e-3, integrator)
    assert state.q.tobytes() == block.q().tobytes()
    assert state.v.tobytes() == block.v().tobytes()
    assert state.time == pytest.approx(5e-3)


def test_what_stands_still_has_no_motion() -> None:
    """A description of fixed bodies alone has nothing to move: no coordinates, no energy, no momentum, all finite."""
    rock = zp.description.Body(name="rock", shapes=[zp.description.Sphere(radius=1.0)])
    model = zp.compile(zp.Description(name="rock", bodies=[rock]))
    state = zp.State.neutral(model)
    assert zp.forward_dynamics(model, state).shape == (0,)
    assert zp.mass_matrix(model, state).shape == (0, 0)
    assert zp.energy(model, state).total == 0.0
    assert np.all(np.isfinite(zp.momentum(model, state).com_velocity))
    assert zp.World(model).simulate(0.01).status.kind == "ended"
