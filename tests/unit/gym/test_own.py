"""Rewards, ends and observations of the user's own: what they get, what they may give, what is refused."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box
from gymnasium.utils.env_checker import check_env, data_equivalence

import zoophyte as zp
from zoophyte.errors import OwnCodeError, UsageError
from zoophyte.gym import CreatureEnv, CreatureVectorEnv, View
from zoophyte.physics.functions import body_velocities


def upwards(view: View) -> Any:
    return view.velocity[:, 2] - 0.01 * np.abs(view.action).sum(axis=1)


def low(view: View) -> Any:
    return view.position[:, 2] < 0.45


def feeling(view: View) -> Any:
    """What is usual, the action before, the change of speed, and how hard each body is pressed."""
    pressed = np.abs(view.contact_forces[:, 1:]).sum(axis=2)
    return np.hstack([view.usual_observation, view.before.action, view.v - view.before.v, pressed])


OWN: dict[str, Any] = {"reward": upwards, "terminated": low, "observation": feeling}


def test_gymnasium_accepts_own_functions() -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(minimum|maximum) value is.*")
        check_env(CreatureEnv("ant", **OWN), skip_render_check=True)
        bounded = Box(-1.0, 1.0, (3,), np.float32)
        check_env(
            CreatureEnv(
                "ant", observation=lambda view: np.clip(view.position, -1.0, 1.0), observation_space=bounded
            ),
            skip_render_check=True,
        )


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_own_functions_give_one_and_many_the_same_bits(mode: str) -> None:
    """Oracle: Gymnasium's own vector of single environments, through ends of episodes of both kinds."""
    import gymnasium

    options = {**OWN, "max_episode_steps": 20}
    ours = gymnasium.make_vec("zoophyte/Ant-v1", 4, autoreset_mode=mode, workers=2, **options)
    theirs = gymnasium.make_vec(
        "zoophyte/Ant-v1", 4, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **options
    )
    assert ours.observation_space == theirs.observation_space
    assert data_equivalence(ours.reset(seed=3), theirs.reset(seed=3), exact=True)
    rng, ends = np.random.default_rng(0), 0
    for _ in range(45):
        actions = rng.uniform(-1.0, 1.0, (4, 8))
        own, other = ours.step(actions), theirs.step(actions)
        assert data_equivalence(own, other, exact=True)
        ends += int(own[2].sum())
    assert ends > 0


def test_own_reward_and_end_are_what_is_paid_and_who_ends() -> None:
    environment = CreatureEnv("ant", **OWN)
    environment.reset(seed=1)
    for _ in range(40):
        seen, reward, terminated, _, info = environment.step(np.full(8, 0.5))
        view = environment.view
        assert reward == upwards(view)[0]
        assert terminated == (view.position[0, 2] < 0.45)
        assert np.array_equal(seen, feeling(view)[0])
        assert not any(name.startswith("reward") for name in info)


def test_a_view_is_what_it_says() -> None:
    """Oracles: poses and velocities of bodies as the physics finds them; time by counting; what was seen a step ago."""
    environment = CreatureVectorEnv("ant", 3)
    environment.reset(seed=2)
    first = environment.view
    assert first.steps.tolist() == [0, 0, 0] and not first.contact_forces.any()
    assert np.array_equal(first.before.q, first.q) and not first.mean_velocity.any()
    for _ in range(25):
        before = environment.view
        _, rewards, *_, info = environment.step(np.full((3, 8), 0.3))
    view = environment.view
    assert len(view) == 3 and view.steps.tolist() == [25] * 3
    assert view.time == pytest.approx(25 * 0.05)
    assert np.array_equal(view.before.q, before.q) and np.array_equal(view.before.v, before.v)
    assert np.array_equal(rewards, view.usual_reward)
    assert np.array_equal(info["x_velocity"], view.mean_velocity[:, 0])
    assert view.q is environment.crowd.view.q and np.array_equal(environment.crowd.q, view.q)
    for number in range(3):
        state = environment.crowd.running.state(number)
        R, p = zp.body_poses(view.model, state)
        assert np.array_equal(view.body_rotations[number], R)
        assert view.body_positions[number] == pytest.approx(p, abs=1e-15)
        assert view.position[number] == pytest.approx(p[1], abs=1e-14)
        V = body_velocities(view.model, state)[1]
        assert view.angular_velocity[number] == pytest.approx(R[1] @ V[:3], abs=1e-12)
        assert view.velocity[number] == pytest.approx(R[1] @ V[3:], abs=1e-12)


def test_contact_forces_carry_the_weight() -> None:
    """Law: at rest, the sum of the contact forces is the weight; the ground's row is empty, sideways nothing is left."""
    environment = CreatureVectorEnv("ant", 2, reset_noise_scale=0.0)
    environment.reset(seed=0)
    for _ in range(100):
        environment.step(np.zeros((2, 8)))
    forces, model = environment.view.contact_forces, environment.model
    assert forces.shape == (2, model.body_count, 3) and not forces[:, 0].any()
    weight = 9.81 * model.bodies.mass.sum()
    assert np.abs(environment.view.v).max() < 0.02
    assert forces.sum(axis=1)[:, 2] == pytest.approx([weight] * 2, rel=0.02)
    assert np.abs(forces.sum(axis=1)[:, :2]).max() < 0.02 * weight


def test_contact_forces_are_those_of_a_world() -> None:
    """The same sums over what a World records of its last step, between bodies too, for a body that folds into itself."""
    from zoophyte.simulation.touching import remembered_forces

    environment = CreatureEnv("ant")
    environment.reset(seed=0)
    touched = 0
    for step in range(40):
        environment.step(np.where(np.arange(8) % 2 == step // 20, 1.0, -1.0))
        state = environment.crowd.running.state(0)
        world = zp.World(environment.model, environment.crowd.habitat, None, 0.01, slots=128, sleep=False)
        block = world_block(world, state)
        wanted = remembered_forces(block)
        assert environment.view.contact_forces[0] == pytest.approx(wanted, abs=1e-9)
        touched += int(wanted.any())
    assert touched > 10


def world_block(world: Any, state: Any) -> Any:
    """A block of one, with contact, in a state."""
    from zoophyte.model import Block, ContactSettings

    settings = ContactSettings(world.habitat.ground, world.habitat.surface, 30, slots=128, sleep=False)
    block = Block([world.model], contact=settings)
    block.set_state(0, state)
    return block


def test_views_are_read_only_and_stay() -> None:
    environment = CreatureEnv("ant")
    environment.reset(seed=0)
    view = environment.view
    kept = view.q.copy()
    for array in (view.q, view.v, view.action, view.position, view.contact_forces, environment.crowd.q):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    environment.step(np.ones(8))
    environment.reset()
    assert np.array_equal(view.q, kept)
    with pytest.raises(UsageError, match="poses of bodies can be read only of the present moment"):
        _ = view.body_positions
    assert (
        np.shape(view.contact_forces) == (1, 14, 3) or view.contact_forces.any() == 0
    )  # read before: still there


def test_an_episode_that_fails_ends_whatever_the_own_end_says() -> None:
    from zoophyte.description import Body, Capsule, Description, Joint, Motor, Sphere

    trunk = Body(name="trunk", joint=Joint(kind="free"), shapes=[Sphere(radius=0.1)])
    hip = Joint(kind="hinge", axis=(0, 1, 0), position=(0.15, 0, 0), actuator=Motor(strength=1e14))
    leg = Body(name="leg", parent="trunk", joint=hip, shapes=[Capsule(radius=0.02, length=0.2)])
    environment = CreatureEnv(
        Description(name="bomb", bodies=[trunk, leg]),
        terminated=lambda view: np.zeros(len(view), bool),
        reward=lambda view: view.body_positions[:, 1, 0] + view.contact_forces[:, 1, 2],
    )
    environment.reset(seed=0)
    _, reward, terminated, _, info = environment.step(np.ones(1))
    assert terminated and info["failed"] and math.isfinite(reward)
    assert environment.view.body_positions[0] == pytest.approx(
        zp.body_poses(environment.model, zp.State.neutral(environment.model).at(environment.view.q[0]))[1]
    )


def clumsy(view: View) -> Any:
    return {}["far"]


def quitting(view: View) -> Any:
    raise SystemExit(2)


REFUSED: list[tuple[str, Any, str]] = [
    ("reward", clumsy, r"the own reward 'clumsy' failed: test_own\.py, line \d+: KeyError: 'far'"),
    ("reward", quitting, r"the own reward 'quitting' failed: test_own\.py, line \d+: SystemExit: 2"),
    ("reward", lambda: 0.0, "the own reward '<lambda>' failed: TypeError"),
    ("reward", lambda view: 1.0, r"gave a single number, must be shape \(3,\): the first axis counts environments"),
    ("reward", lambda view: view.v, r"gave shape \(3, 14\), must be shape \(3,\)"),
    ("reward", lambda view: None, r"what it gave is None, must be finite numbers of shape \(3,\)"),
    ("reward", lambda view: np.ones(3) * 1j, "holds complex numbers, must be real"),
    ("reward", lambda view: ["a", "b", "c"], "must be finite numbers"),
    ("reward", lambda view: [0.0, math.nan, 0.0], "gave nan for environment 1; all numbers must be finite"),
    ("terminated", lambda view: np.zeros(3), "must be truths of shape .3,.: a comparison"),
    ("terminated", lambda view: False, r"gave a single number, must be shape \(3,\)"),
    ("terminated", clumsy, "the own terminated 'clumsy' failed"),
    ("observation", lambda view: view.v[:1], r"gave shape \(1, 14\), must be one row for each of 3"),
    ("observation", lambda view: view.v[:, 0], r"gave shape \(3,\), must be one row for each of 3"),
    ("observation", lambda view: np.full((3, 2), math.inf), r"gave inf for environment 0, entry \(0,\)"),
    ("observation", clumsy, "the own observation 'clumsy' failed"),
]  # fmt: skip


@pytest.mark.parametrize(("role", "function", "message"), REFUSED)
def test_what_own_functions_may_not_give(role: str, function: Any, message: str) -> None:
    with pytest.raises(OwnCodeError, match=message):
        environment = CreatureVectorEnv("ant", 3, **{role: function})
        environment.reset(seed=0)
        environment.step(np.zeros((3, 8)))


def test_observations_keep_to_their_space() -> None:
    """The shape may not change, and bounds that were given hold."""
    grown = CreatureEnv("ant", observation=lambda view: np.zeros((1, 2 + (view.steps[0] > 0))))
    grown.reset(seed=0)
    with pytest.raises(OwnCodeError, match=re.escape("gave shape (1, 3), must be shape (1, 2)")):
        grown.step(np.zeros(8))
    space = Box(-1.0, 0.56, (1,), np.float64)
    bounded = CreatureEnv("ant", observation=lambda view: view.position[:, 2:] + view.time[:, None],
                          observation_space=space, reset_noise_scale=0.0)  # fmt: skip
    bounded.reset(seed=0)
    with pytest.raises(
        OwnCodeError, match=r"entry \(0,\), but observation_space goes there from -1.0 to 0.56"
    ):
        bounded.step(np.zeros(8))
    single = CreatureEnv("ant", observation=lambda view: view.position.astype(np.float32))
    assert single.observation_space.dtype == np.float32 == single.reset(seed=0)[0].dtype


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward": "fast"}, "reward is 'fast', must be a function of a View, or None"),
        ({"observation_space": Box(-1, 1, (3,))}, "observation_space is for an observation of your own"),
        (
            {"observation": lambda view: view.q, "observation_space": 3},
            "observation_space is 3, must be a gymnasium.spaces.Box of floats",
        ),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        CreatureEnv("ant", **options)
