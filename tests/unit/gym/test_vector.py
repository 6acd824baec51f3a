"""Many environments at once: the same as each alone, and as Gymnasium wants them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode

import zoophyte as zp
from zoophyte.errors import UsageError
from zoophyte.gym import CreatureVectorEnv

COUNT = 5
SHORT: dict[str, Any] = {"healthy_z_range": (0.44, 0.68), "max_episode_steps": 25}
"""Episodes that end soon, some by height, some by time."""


def pair(mode: str) -> tuple[Any, Any]:
    """Ours, and Gymnasium's own way to make a vector of single environments."""
    ours = gymnasium.make_vec("zoophyte/Ant-v1", COUNT, autoreset_mode=mode, workers=2, **SHORT)
    theirs = gymnasium.make_vec(
        "zoophyte/Ant-v1", COUNT, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **SHORT
    )
    return ours, theirs


def actions(step: int) -> Any:
    return np.random.default_rng(step).uniform(-1.2, 1.2, (COUNT, 8))


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED])
def test_it_is_a_vector_of_single_ones(mode: AutoresetMode) -> None:
    """Oracle: Gymnasium's SyncVectorEnv around single environments; everything equal to the last bit, infos included."""
    ours, theirs = pair(mode.value)
    assert ours.metadata["autoreset_mode"] is mode
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.single_observation_space == theirs.single_observation_space
    assert data_equivalence(ours.reset(seed=3), theirs.reset(seed=3), exact=True)
    ends = {"terminated": 0, "truncated": 0}
    for step in range(60):
        own, other = ours.step(actions(step)), theirs.step(actions(step))
        assert data_equivalence(own, other, exact=True), step
        ends["terminated"] += int(own[2].sum())
        ends["truncated"] += int(own[3].sum())
        over = own[2] | own[3]
        if mode is AutoresetMode.DISABLED and over.any():
            mask = {"reset_mask": over}
            own, other = ours.reset(options=dict(mask)), theirs.reset(options=dict(mask))
            assert data_equivalence(own, other, exact=True), step
    assert min(ends.values()) > 0
    ours.close()
    theirs.close()


def test_number_and_threads_change_no_bit() -> None:
    """The first three of 20 environments on two threads are those of three on one."""
    few, many = zp.make("ant", 3, workers=1), zp.make("ant", 20, workers=2)
    rng = np.random.default_rng(0)
    seen, others = few.reset(seed=7)[0], many.reset(seed=7)[0]
    for _ in range(30):
        assert np.array_equal(seen, others[:3])
        order = rng.uniform(-1.0, 1.0, (20, 8))
        seen, rewards, *_ = few.step(order[:3])
        others, other_rewards, *_ = many.step(order)
        assert np.array_equal(rewards, other_rewards[:3])


def test_final_observations() -> None:
    """In the same step: the last observation of the old episode beside the first of the new one."""
    ours = CreatureVectorEnv("ant", 3, max_episode_steps=4, autoreset_mode="SameStep")
    ours.reset(seed=0)
    for _ in range(3):
        before = ours.step(np.zeros((3, 8)))
    assert not before[3].any()
    assert "final_obs" not in before[4]
    seen, _, terminated, truncated, info = ours.step(np.zeros((3, 8)))
    assert truncated.all()
    assert not terminated.any()
    assert info["_final_obs"].all()
    assert info["final_info"]["_reward_ctrl"].all()
    for number in range(3):
        assert not np.array_equal(info["final_obs"][number], seen[number])
        assert info["final_obs"][number] in ours.single_observation_space


def test_seeds_of_a_batch() -> None:
    ours = CreatureVectorEnv("ant", 3)
    counted, listed = ours.reset(seed=5)[0], ours.reset(seed=[5, 6, 7])[0]
    assert np.array_equal(counted, listed)
    assert len({row.tobytes() for row in counted}) == 3
    following = ours.reset()[0]
    ours.reset(seed=5)
    assert np.array_equal(ours.reset()[0], following)
    assert np.array_equal(ours.reset(seed=[5, None, None])[0][0], counted[0])
    assert len(ours.np_random) == 3


def test_what_is_returned_stays_as_it_is() -> None:
    ours = CreatureVectorEnv("ant", 2)
    seen, info = ours.reset(seed=0)
    kept, place = seen.copy(), info["x_position"].copy()
    ours.step(np.ones((2, 8)))
    assert np.array_equal(seen, kept)
    assert np.array_equal(info["x_position"], place)


def test_wrappers_of_gymnasium_take_it() -> None:
    ours = gymnasium.wrappers.vector.RecordEpisodeStatistics(zp.make("ant", 2, max_episode_steps=5))
    ours.reset(seed=0)
    rewards = []
    for _ in range(5):
        *_, reward, _, _, info = ours.step(np.zeros((2, 8)))
        rewards.append(reward)
    assert info["episode"]["r"] == pytest.approx(np.sum(rewards, axis=0))
    assert info["episode"]["l"].tolist() == [5, 5]


def test_pictures_of_all() -> None:
    ours = CreatureVectorEnv("ant", 2, render_mode="rgb_array", render_size=(32, 24))
    ours.reset(seed=0)
    pictures = ours.render()
    assert [picture.shape for picture in pictures] == [(24, 32, 3)] * 2
    assert CreatureVectorEnv("ant", 2).render() is None


def test_what_is_refused() -> None:
    for options, message in (
        ({"num_envs": 0}, "num_envs is 0, must be a whole number, 1 or more"),
        ({"max_episode_steps": 0}, "max_episode_steps is 0"),
        (
            {"autoreset_mode": "Never"},
            "autoreset_mode is 'Never', must be one of 'NextStep', 'SameStep', 'Disabled'",
        ),
    ):
        with pytest.raises(UsageError, match=message):
            CreatureVectorEnv("ant", **options)  # type: ignore[arg-type]
    ours = CreatureVectorEnv("ant", 2, max_episode_steps=1, autoreset_mode="Disabled")
    with pytest.raises(UsageError, match=r"seed is \[1\], must be a whole number, or one for each of 2"):
        ours.reset(seed=[1])
    with pytest.raises(UsageError, match=r"options\['reset_mask'\] is"):
        ours.reset(options={"reset_mask": np.zeros(2, bool)})
    ours.reset(seed=0)
    with pytest.raises(
        UsageError, match=r"the action has shape \(8,\), must be finite numbers of shape \(2, 8\)"
    ):
        ours.step(np.zeros(8))
    ours.step(np.zeros((2, 8)))
    with pytest.raises(UsageError, match=r"the episode of environment 0 is over; begin a new one"):
        ours.step(np.zeros((2, 8)))
