"""Environments that are saved, restored and copied go on with the same bits."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import zoophyte as zp
from zoophyte.errors import FileError, UsageError, ZoophyteError
from zoophyte.gym import CreatureEnv, Saved, restore, save

SHORT: dict[str, Any] = {"healthy_z_range": (0.44, 0.68), "max_episode_steps": 13}
"""Episodes that end soon, some by height, some by time."""


def lived(environment: Any, steps: int, count: int | None = None) -> list[Any]:
    """What an environment has to say in so many steps; single ones begin anew where they end."""
    told = []
    for _ in range(steps):
        told.append(environment.step(environment.action_space.sample()))
        if count is None and (told[-1][2] or told[-1][3]):
            told.append(environment.reset())
    return told


def made(count: int | None, **options: Any) -> Any:
    environment = zp.make("ant", count, **{**SHORT, **options})
    environment.reset(seed=4)
    environment.action_space.seed(9)
    return environment


@pytest.mark.parametrize(("count", "mode"), [(None, ""), (5, "NextStep"), (5, "SameStep")])
@pytest.mark.parametrize("steps", [0, 7, 21])
def test_a_restored_environment_goes_on_bit_for_bit(count: int | None, mode: str, steps: int) -> None:
    """Through ends of episodes: counters of Gymnasium's wrapper, sources of chance and samples of actions included."""
    options = {"autoreset_mode": mode} if mode else {}
    environment = made(count, **options)
    lived(environment, steps, count)
    saved = save(environment)
    wanted = lived(environment, 30, count)
    for other in (environment, zp.make("ant", count, **SHORT, **options)):
        restore(other, saved)
        assert data_equivalence(lived(other, 30, count), wanted, exact=True)


@pytest.mark.parametrize("count", [None, 5])
def test_a_copy_is_independent(count: int | None) -> None:
    environment = made(count)
    lived(environment, 9, count)
    first, second = copy.deepcopy(environment), copy.deepcopy(environment)
    assert first.unwrapped.crowd is not environment.unwrapped.crowd
    assert first.unwrapped.model is environment.unwrapped.model
    wanted = lived(environment, 20, count)
    assert data_equivalence(lived(first, 20, count), wanted, exact=True)
    environment.close()
    assert data_equivalence(lived(second, 20, count), wanted, exact=True)


@pytest.mark.parametrize("body", ["ant", "humanoid32"])
def test_a_restored_state_is_the_state_in_all_its_fields(body: str) -> None:
    """What a state tells of having lived was lost, so that a World refused it: "shapes overlap when life begins".

    Claim: every field of the state is the same in the environment, in one that was restored, and in a copy; and a World
    lives on from each, through the blows of a body that falls about.
    """
    environment, other = zp.make(body), zp.make(body)
    environment.reset(seed=1)
    inner, rng = environment.unwrapped, np.random.default_rng(0)
    task, habitat = inner.crowd.task, inner.crowd.habitat
    world = zp.World(
        inner.model, habitat, dt=task.dt, sleep=False, slots=128, sweeps=task.sweeps, integrator="implicit"
    )
    for _ in range(40):
        environment.step(rng.uniform(-1.0, 1.0, environment.action_space.shape))
        restore(other, save(environment))
        wanted = inner.state()
        assert wanted.lived != 0.0
        for found in (other.unwrapped.state(), copy.deepcopy(inner).state()):
            for each in fields(zp.State):
                assert np.array_equal(getattr(found, each.name), getattr(wanted, each.name)), each.name
            world.simulate(task.dt, found)


def test_a_file_that_tells_nothing_of_having_lived_is_read() -> None:
    environment, other = made(None), made(None)
    lived(environment, 5)
    saved = save(environment)
    arrays = {name: array for name, array in saved.arrays.items() if name != "lived"}
    restore(other, Saved(saved.about, arrays))
    assert other.unwrapped.state().lived == 0.0
    assert data_equivalence(lived(other, 5), lived(environment, 5), exact=True)


class Counter:
    """An own reward that remembers how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, view: Any) -> Any:
        self.calls += 1
        return np.full(len(view), float(self.calls))


def test_a_copy_has_its_own_functions() -> None:
    environment = CreatureEnv("ant", reward=Counter())
    environment.reset(seed=0)
    environment.step(np.zeros(8))
    other = copy.deepcopy(environment)
    assert [environment.step(np.zeros(8))[1] for _ in range(3)] == [2.0, 3.0, 4.0]
    assert other.step(np.zeros(8))[1] == 2.0


def test_a_file_goes_on_in_a_fresh_process(tmp_path: Path) -> None:
    environment = made(3)
    lived(environment, 17, 3)
    save(environment).write(tmp_path / "ants.npz")
    wanted = [told[0] for told in lived(environment, 10, 3)]
    script = (
        "import sys, numpy as np, zoophyte as zp\n"
        "from zoophyte.gym import Saved, restore\n"
        f"environments = zp.make('ant', 3, **{SHORT!r})\n"
        "restore(environments, Saved.read(sys.argv[1]))\n"
        "seen = [environments.step(environments.action_space.sample())[0] for _ in range(10)]\n"
        "np.save(sys.argv[2], np.array(seen))\n"
    )
    subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "ants.npz"), str(tmp_path / "seen.npy")], check=True
    )
    assert np.array_equal(np.load(tmp_path / "seen.npy"), wanted)


def test_who_has_failed_is_restored_as_such() -> None:
    from zoophyte.description import Body, Capsule, Description, Joint, Motor, Sphere, Surface

    def bomb() -> Any:
        trunk = Body(name="trunk", joint=Joint(kind="free"), shapes=[Sphere(radius=0.1)])
        hip = Joint(kind="hinge", axis=(0, 1, 0), position=(0.15, 0, 0), actuator=Motor(strength=1e14))
        leg = Body(name="leg", parent="trunk", joint=hip, shapes=[Capsule(radius=0.02, length=0.2)])
        body = Description(name="bomb", bodies=[trunk, leg], surface=Surface())
        return zp.make(body, 2, terminate_when_unhealthy=False)

    environment, other = bomb(), bomb()
    environment.reset(seed=0)
    environment.step(np.array([[1.0], [0.0]]))
    assert environment.unwrapped.view.failed.tolist() == [True, False]
    saved = save(environment)
    restore(other, saved)
    assert other.unwrapped.view.failed.tolist() == [True, False]
    for _ in range(3):
        action = np.zeros((2, 1))
        assert data_equivalence(environment.step(action), other.step(action), exact=True)


def test_wrappers_are_told() -> None:
    """Gymnasium's time limit counts on, and a restored environment needs no reset."""
    environment = gymnasium.make("zoophyte/Ant-v1", max_episode_steps=5)
    environment.reset(seed=0)
    for _ in range(3):
        environment.step(np.zeros(8))
    other = gymnasium.make("zoophyte/Ant-v1", max_episode_steps=5)
    restore(other, save(environment))
    assert [other.step(np.zeros(8))[3] for _ in range(2)] == [False, True]


def test_what_is_refused(tmp_path: Path) -> None:
    environment = zp.make("ant")
    with pytest.raises(UsageError, match=r"save\(\) needs an episode; call reset\(\) first"):
        save(environment)
    with pytest.raises(UsageError, match=r"must be one that zoophyte\.make makes"):
        save(gymnasium.make("CartPole-v1"))
    environment.reset(seed=0)
    saved = save(environment)
    assert repr(saved) == "Saved(1 × ant)"
    with pytest.raises(
        UsageError, match=r"the number of environments is not that of the saved .*: 1 was saved, 2"
    ):
        restore(zp.make("ant", 2), saved)
    with pytest.raises(
        UsageError, match="the body is not that of the saved environment: 'ant' was saved, 'ref4'"
    ):
        restore(zp.make("ref4"), saved)
    with pytest.raises(UsageError, match="saved is 3, must be what"):
        restore(environment, 3)  # type: ignore[arg-type]
    environment.close()
    with pytest.raises(UsageError, match="closed"):
        restore(environment, saved)
    path = tmp_path / "other.npz"
    zp.World(zp.zoo.get("pendulum")).simulate(0.1).save(path)
    with pytest.raises(FileError, match="is no saved environment"):
        Saved.read(path)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    """Whatever a file holds, the answer is an environment that goes on, or an error of ours that leaves it as it was."""
    environment = made(2)
    lived(environment, 11, 2)  # something touches the ground
    saved, rng = save(environment), np.random.default_rng(0)
    before = environment.unwrapped.crowd.q.copy()
    refused = 0
    for name, value in (
        ("chance", 3), ("chance", [None]), ("chance", ["a", {}]), ("spaces", None), ("ended", [[0, "flew", 0.0]]),
        ("ended", "x"), ("ended", [[1, "diverged", 0.0, "", ""]]), ("count", "2"), ("print", None), ("body", []),
    ):  # fmt: skip
        with pytest.raises(UsageError):
            restore(environment, Saved(saved.about | {name: value}, saved.arrays))
    for name, array in saved.arrays.items():
        for damaged in (
            array[:-1],
            array + np.nan,
            np.zeros(0),
            -array - 1.0,
            array + 1e6,
            np.abs(array).clip(0.0, 255.0).astype(np.uint8),
        ):
            try:
                restore(environment, Saved(saved.about, saved.arrays | {name: damaged}))
            except UsageError:
                refused += 1
                assert np.array_equal(environment.unwrapped.crowd.q, before)
            else:
                restore(environment, saved)
    assert refused > 65 and saved.arrays["contact"].size
    path = tmp_path / "ants.npz"
    saved.write(path)
    whole = path.read_bytes()
    for _ in range(60):
        broken = bytearray(whole)
        for place in rng.integers(0, len(broken), 8):
            broken[place] = rng.integers(0, 256)
        path.write_bytes(bytes(broken))
        try:
            restore(environment, Saved.read(path))
        except ZoophyteError:
            continue
    about = saved.about | {"format": 99}
    Saved(about, saved.arrays).write(path)
    with pytest.raises(FileError, match="has format 99; this version reads 1"):
        Saved.read(path)
    assert json.loads(json.dumps(saved.about)) == saved.about
