"""Options of environments: what is refused says what is allowed, and what is allowed works however long one lives."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.errors import UsageError
from zoophyte.gym import CreatureEnv, crowd, restore, save


def lived(count: int | None, steps: int, **options: Any) -> Any:
    """An environment without end after some steps, and what was seen on the way."""
    environment = zp.make("ant", count, max_episode_steps=None, terminate_when_unhealthy=False, **options)
    environment.reset(seed=3)
    shape, seen = environment.action_space.shape, []
    for step in range(steps):
        told = environment.step(np.broadcast_to(np.sin(0.7 * step + np.arange(8)), shape))
        assert not np.any(told[2]) and not np.any(told[3]) and not np.any(told[4]["failed"])
        seen.append(told[0])
    return environment, np.array(seen)


@pytest.mark.parametrize("count", [None, 3])
def test_an_episode_has_no_end(count: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment failed after 100000 s of one episode, because the herd counted no further.

    Oracle: the same episode of a herd that never begins to count anew, to the last bit.
    """
    _, wanted = lived(count, 30)
    monkeypatch.setattr(crowd, "STRETCH", 7)  # of 5 steps each: begins anew within and between them, 21 times
    environment, found = lived(count, 30)
    assert np.array_equal(found, wanted)
    assert environment.unwrapped.crowd.running.terms.steps == 14
    assert environment.unwrapped.state().clock[1] == 150
    # Gymnasium cut single environments after 1000 steps when they were asked never to.
    assert count or "TimeLimit" not in str(environment)


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("dt", [1e-9, 5e-5, 1e9])
def test_every_step_that_a_world_takes(dt: float) -> None:
    """`dt=5e-5` was "100000 s … are more than 1,073,741,824 steps", and `dt=1e9` spoke of `sample_every`."""
    environment = CreatureEnv("ant", dt=dt, frame_skip=1)
    environment.reset(seed=0)
    *_, info = environment.step(np.zeros(8))
    assert info["failed"] is (dt > 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        # A ZeroDivisionError; −1 must be "0 or more".
        ({"dt": 0}, "dt is 0, must be a positive number of seconds"),
        ({"dt": -1}, "dt is -1, must be a positive number"),
        # Gymnasium's own errors; Gymnasium takes −1 for never.
        ({"max_episode_steps": 0}, "max_episode_steps is 0, must be a whole number, 1 or more, or None"),
        ({"max_episode_steps": 2.5}, "max_episode_steps is 2.5, must be a whole number"),
        ({"max_episode_steps": "a"}, "max_episode_steps is 'a', must be a whole number"),
        ({"max_episode_steps": -1}, "max_episode_steps is -1, must be a whole number"),
        # Taken, and refused by render(), or never.
        ({"render_size": (0, 5)}, "size 0 × 5 is out of range"),
        ({"render_size": 7}, "size 7 must be two whole numbers"),
        ({"camera": "sied"}, r"there is no view 'sied'.*Did you mean 'side'\?"),
        ({"camera": ["side"]}, r"there is no view \['side'\].*Or give a Camera"),
        ({"terminate_when_unhealthy": "no"}, "terminate_when_unhealthy is 'no', must be True or False"),
        # Most options were not told, and the nearest was not known.
        (
            {"max_episode_step": 5},
            r"no option 'max_episode_step'\. Did you mean 'max_episode_steps'\? Known: max_ep",
        ),
        ({"kamera": "side"}, r"Did you mean 'camera'\? .*render_mode, render_size, camera, frame_skip, dt"),
        ({"xyzzy": 1}, r"there is no option 'xyzzy'\. Known: "),
    ],
)
@pytest.mark.parametrize("count", [None, 2])
def test_wrong_options_are_refused_at_once(count: int | None, options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        zp.make("ant", count, **options)


@pytest.mark.parametrize("name", ["workers", "autoreset_mode"])
def test_what_is_for_many_says_so(name: str) -> None:
    """`workers` without `num_envs` was an option that is not there."""
    with pytest.raises(UsageError, match=f"{name} is for many environments at once: give num_envs"):
        zp.make("ant", **{name: 2})
    with pytest.raises(UsageError, match="Did you mean 'workers'"):
        zp.make("ant", 2, worker=2)


@pytest.mark.parametrize("count", [None, 2])
def test_options_of_a_reset(count: int | None) -> None:
    """A number was an AttributeError, or passed over."""
    environment = zp.make("ant", count)
    with pytest.raises(UsageError, match="options is 5, must be a dictionary or None"):
        environment.unwrapped.reset(options=5)
    environment.reset(seed=0, options={})


def test_masks_may_be_lists() -> None:
    """A list of truths was refused; Oracle: the array of the same truths."""
    found = []
    for mask in ([True, False], np.array([True, False])):
        environments = zp.make("ant", 2)
        environments.reset(seed=0)
        found.append(environments.reset(seed=5, options={"reset_mask": mask})[0])
    assert np.array_equal(*found)
    for wrong in ([1, 0], [True], [False, False], "TF"):
        with pytest.raises(
            UsageError, match=r"options\['reset_mask'\] is .*must be 2 truths, one of them true"
        ):
            environments.reset(options={"reset_mask": wrong})


def test_states_of_environments_that_are_not_there() -> None:
    """`state(9)` of four was an IndexError, and `state(-1)` the last one's."""
    environments = zp.make("ant", 4)
    for number in (9, 4, -1, 1.0, "a", True):
        with pytest.raises(UsageError, match=r"number is .*, must be a whole number from 0 to 3"):
            environments.state(number)
    assert environments.state(np.int64(3)).clock[1] == 0
    with pytest.raises(UsageError, match="number is 1, must be 0, for there is one environment"):
        CreatureEnv("ant").state(1)


@pytest.mark.parametrize("count", [None, 2])
def test_pickling_says_how_to_save(count: int | None) -> None:
    """It was "cannot pickle '_thread.lock' object"; what is advised is done, too."""
    environment = zp.make("ant", count)
    environment.reset(seed=0)
    with pytest.raises(UsageError, match=r"ant: an environment cannot be pickled.*zoophyte\.gym\.save"):
        pickle.dumps(environment)
    kept, other = pickle.loads(pickle.dumps(save(environment))), zp.make("ant", count)
    restore(other, kept)
    assert np.array_equal(other.unwrapped.view.q, environment.unwrapped.view.q)


@pytest.mark.parametrize("count", [None, 2])
def test_a_closed_environment_can_still_be_looked_at(count: int | None) -> None:
    """The manual said that nothing but closing it again can be done, but looking could, and may."""
    environment = zp.make("ant", count).unwrapped
    environment.reset(seed=0)
    begin = environment.state()
    environment.step(np.zeros(environment.action_space.shape))
    q = environment.view.q.copy()
    environment.close()
    assert np.array_equal(environment.view.q, q) and np.array_equal(environment.state().q, q[0])
    assert np.array_equal(environment.relive(begin, np.zeros((1, 8))).final.q, q[0])
    with pytest.raises(UsageError, match="closed"):
        copy.deepcopy(environment).step(np.zeros(environment.action_space.shape))
