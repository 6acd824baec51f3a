"""Where bodies are in many states at once."""

from __future__ import annotations

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.errors import UsageError
from zoophyte.simulation.posing import poses_over


@pytest.mark.parametrize("name", ["ant", "humanoid", "tree12", "rod"])
def test_poses_of_many_states_are_those_of_each(name: str) -> None:
    """Oracle: `body_poses`, state by state, to the bit."""
    model = zp.compile(zp.zoo.get(name))
    life = zp.World(model, dt=1e-3).simulate(0.05, record_rate=100.0)
    R, p = poses_over(model, life.q)
    for n in range(len(life)):
        one = zp.body_poses(model, life.frame(n))
        assert R[n].tobytes() == one[0].tobytes() and p[n].tobytes() == one[1].tobytes()


def test_of_no_states_there_are_no_poses() -> None:
    model = zp.compile(zp.zoo.ant())
    assert poses_over(model, np.zeros((0, model.nq)))[1].shape == (0, len(model.body_names), 3)


@pytest.mark.parametrize(("value", "told"), [(np.nan, "not finite"), (2.0, "length")])
def test_a_state_that_is_none_is_refused(value: float, told: str) -> None:
    model = zp.compile(zp.zoo.ant())
    q = np.array([model.q_initial] * 3)
    q[1, 0] = value
    with pytest.raises(UsageError, match=told):
        poses_over(model, q)
