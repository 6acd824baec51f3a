"""States: what fits a model and what does not; names of bodies and degrees of freedom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from bodies import every_kind
from zoophyte.errors import UsageError


@pytest.fixture
def model(rng: np.random.Generator) -> zp.Model:
    return zp.compile(every_kind(rng))


def test_the_time_is_start_and_steps(model: zp.Model) -> None:
    state = replace(zp.State.neutral(model), clock=(1.5, 3, 0.25))
    assert state.time == 2.25
    assert state.checked(model) is state


def test_changed_copies(model: zp.Model) -> None:
    state = zp.State.neutral(model)
    moved = state.at(v=np.ones(model.nv))
    assert moved.q is state.q
    assert not np.any(state.v)
    assert moved.v.tolist() == [1.0] * model.nv


def test_two_neutral_states_share_nothing(model: zp.Model) -> None:
    one, two = zp.State.neutral(model), zp.State.neutral(model)
    one.q[:] = 7.0
    assert np.array_equal(two.q, model.q_initial)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"q": np.zeros(3)}, r"state.q has shape \(3,\), must be \(23,\)"),
        ({"v": np.zeros((2, 2))}, r"state.v has shape \(2, 2\), must be \(20,\)"),
        ({"v": np.full(20, np.nan)}, "state.v holds a value that is not finite, at index 0, of '"),
        ({"command": np.zeros((20, 3))}, r"state.command has shape \(20, 3\), must be \(20, 7\)"),
        ({"applied": np.zeros(4)}, r"state.applied has shape \(4,\), must be \(20,\)"),
        ({"command": np.full((20, 7), np.nan)}, "state.command holds a value that is not finite"),
        ({"applied": np.full(20, np.inf)}, "state.applied holds a value that is not finite"),
        ({"clock": (np.nan, 0, 1e-3)}, "state.clock"),
    ],
)
def test_states_that_do_not_fit(model: zp.Model, change: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        replace(zp.State.neutral(model), **change).checked(model)


def test_quaternions_have_length_one(model: zp.Model) -> None:
    q = model.q_initial.copy()
    q[0] = 1.001
    with pytest.raises(
        UsageError, match=r"body 'body0': the quaternion state.q\[0:4\] has length 1.001, must be 1"
    ):
        zp.forward_dynamics(model, zp.State.neutral(model).at(q))


@pytest.mark.parametrize(
    ("look_up", "key", "words"),
    [
        ("body_index", "body77", r"there is no body 'body77'\. Did you mean 'body7'\?"),
        ("body_index", 12, r"body 12 is out of range; there are 12 \(0 to 11\)"),
        ("dof_index", "body3.w", r"there is no degree of freedom 'body3.w'\. Did you mean 'body3"),
        ("dof_index", -1, "degree of freedom -1 is out of range"),
    ],
)
def test_names_that_are_unknown(model: zp.Model, look_up: str, key: str | int, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        getattr(model, look_up)(key)


def test_names_and_numbers(model: zp.Model) -> None:
    for index, name in enumerate(model.body_names):
        assert model.body_index(name) == model.body_index(index) == index
    for index, name in enumerate(model.dof_names):
        assert model.dof_index(name) == index


def test_what_is_not_finite_is_told_by_name() -> None:
    """Oracle: of the knees of an ant, the coordinate and the velocity that were spoilt, and no other."""
    ant = zp.compile(zp.zoo.ant())
    state, name = zp.State.neutral(ant), ant.dof_names[-1]
    q, v, command = state.q.copy(), state.v.copy(), state.command.copy()
    q[-1] = v[-1] = command[-1, 2] = np.nan
    for spoilt in ({"q": q}, {"v": v}, {"command": command}):
        with pytest.raises(UsageError, match=f"not finite.*, of '{name}'"):
            replace(state, **spoilt).checked(ant)


@pytest.mark.parametrize("name", ["q", "v"])
def test_a_state_keeps_as_many_coordinates(name: str) -> None:
    """They are refused where they are given, not in the simulation to come."""
    state = zp.State.neutral(zp.compile(zp.zoo.double_pendulum()))
    with pytest.raises(UsageError, match=rf"state.at: {name} has shape \(3,\), must be \(2,\)"):
        state.at(**{name: [1.0, 2.0, 3.0]})
