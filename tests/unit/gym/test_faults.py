"""What nobody can do with an environment is refused, in words."""

from __future__ import annotations

import gc
import re
from typing import Any

import gymnasium
import numpy as np
import pytest

import zoophyte as zp
from zoophyte.errors import UsageError
from zoophyte.gym import CreatureEnv, CreatureVectorEnv, memory


def test_a_billion_environments_say_what_they_would_cost() -> None:
    """`zp.make("ant", 10**9)` took all memory of the machine, and was killed."""
    with pytest.raises(
        UsageError,
        match=r"1,000,000,000 environments of ant would need about [\d.]+ TB of memory \([\d.]+ kB each\), and .* are "
        r"free: at most [\d,]+ fit",
    ):
        zp.make("ant", 10**9)


def test_as_many_as_are_said_to_fit_do_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: the memory that a batch of that size really takes, which is not far below what is free."""
    import tracemalloc

    monkeypatch.setattr(memory, "available_memory", lambda: 3_000_000)
    monkeypatch.setattr(memory, "FEW", 10)
    with pytest.raises(UsageError) as told:
        CreatureVectorEnv("ant", 10**7, workers=1)
    found = re.search(r"at most ([\d,]+) fit", str(told.value))
    assert found
    most = int(found[1].replace(",", ""))
    assert 50 < most < 500
    tracemalloc.start()
    environment = CreatureVectorEnv("ant", most, workers=1)
    environment.reset(seed=0)
    gc.collect()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 1_500_000 < used < 3_000_000
    with pytest.raises(UsageError, match="would need about"):
        CreatureVectorEnv("ant", 2 * most)


def test_memory_is_known_here() -> None:
    free = memory.available_memory()
    assert free is None or free > 0


@pytest.mark.parametrize("count", [None, 2])
def test_a_closed_environment_does_nothing_more(count: int | None) -> None:
    """A closed environment went on stepping on threads that were let go, or failed inside."""
    environment = zp.make("ant", count, render_mode="rgb_array")
    environment.reset(seed=0)
    environment.close()
    environment.close()
    action = np.zeros(environment.action_space.shape)
    for name, act in (
        ("step", lambda: environment.step(action)), ("reset", environment.reset), ("render", environment.render),
    ):  # fmt: skip
        with pytest.raises(
            UsageError, match=rf"ant: this environment is closed, so {name}\(\) is not possible"
        ):
            act()


def test_a_step_needs_an_episode() -> None:
    """Before the first reset, environments stepped from the neutral state, as if there were an episode."""
    for environment in (CreatureEnv("ant"), CreatureVectorEnv("ant", 2)):
        with pytest.raises(UsageError, match=r"ant: step\(\) needs an episode; call reset\(\) first"):
            environment.step(np.zeros(environment.action_space.shape or 0))
    with pytest.raises(gymnasium.error.ResetNeeded):
        zp.make("ant").step(np.zeros(8))


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (np.ones(8) * 1j, "ant: the action holds complex numbers, must be real"),
        (np.full(8, "0.5"), r"must be finite numbers of shape \(8,\), one per actuator: upper0"),
        (["a"] * 8, r"must be finite numbers of shape \(8,\)"),
        (None, "ant: the action is None, must be finite numbers"),
        ([None] * 8, "must be finite numbers"),
        ([[0.0] * 7, [0.0]], "must be finite numbers"),
        (np.full(8, np.inf), "ant: the action holds a number that is not finite"),
        (np.ma.masked_array(np.zeros(8), [1] * 8), "masked"),
    ],
)
def test_actions_that_are_no_numbers(action: Any, message: str) -> None:
    """Complex numbers lost their imaginary part with a warning, and texts that look like numbers were taken as such."""
    environment = CreatureEnv("ant")
    environment.reset(seed=0)
    with pytest.raises(UsageError, match=message):
        environment.step(action)
    many = CreatureVectorEnv("ant", 2)
    many.reset(seed=0)
    told = message.replace("(8,", "(2, 8").replace("one per actuator", "one per creature and actuator")
    with pytest.raises(UsageError, match=told):
        many.step(action if action is None or isinstance(action, np.ma.MaskedArray) else [action, action])
