"""One environment: what it observes, what it is rewarded for, when it ends, what it refuses."""

from __future__ import annotations

import importlib.util
import math
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import seeding
from gymnasium.utils.env_checker import check_env

import zoophyte as zp
from zoophyte.control import Table
from zoophyte.description import Body, Box, Capsule, Description, Joint, Motor, Servo, Sphere, Surface
from zoophyte.errors import DescriptionError, FileError, MissingExtraError, UsageError
from zoophyte.gym import IDS, CreatureEnv
from zoophyte.gym.senses import Actuators, noisy_state


def hopper(strength: float = 1.0, **motor: Any) -> Description:
    """A ball with one leg that a motor turns."""
    trunk = Body(
        name="trunk", joint=Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, 0.4)), shapes=[Sphere(radius=0.1)]
    )
    joint = Joint(
        kind="hinge", axis=(0, 1, 0), position=(0.15, 0, 0), actuator=Motor(strength=strength, **motor)
    )
    leg = Body(
        name="leg",
        parent="trunk",
        joint=joint,
        shapes=[Capsule(radius=0.02, length=0.2, position=(0, 0, -0.1))],
    )
    return Description(name="hopper", bodies=[trunk, leg], surface=Surface(friction=0.8))


def arm() -> Description:
    """Servos on a wall: a limited hinge, a free hinge, a slide, a ball joint, and one joint that has none."""
    servo = Servo(stiffness=5.0, damping=0.5)
    joints = [
        Joint(kind="hinge", axis=(0, 0, 1), limits=(-0.5, 1.5), actuator=servo),
        Joint(kind="hinge", axis=(0, 0, 1), position=(0.2, 0, 0), actuator=servo),
        Joint(kind="slide", axis=(1, 0, 0), position=(0.2, 0, 0), actuator=servo),
        Joint(kind="ball", position=(0.2, 0, 0), actuator=servo),
        Joint(kind="hinge", axis=(0, 0, 1), position=(0.2, 0, 0), damping=0.1),
    ]
    names = ["ground", *(f"part{n}" for n in range(len(joints)))]
    bodies = [
        Body(name=own, parent=parent, joint=joint, shapes=[Box(size=(0.1, 0.02, 0.02), position=(0.1, 0, 0))])
        for parent, own, joint in zip(names, names[1:], joints, strict=False)
    ]
    return Description(name="arm", bodies=bodies)


@pytest.mark.parametrize("body", ["ant", "ref4", "four_bar"])
def test_gymnasium_accepts_it(body: str) -> None:
    """A free root, one that is turned against the world, and none.

    What it remarks: bounds are open, as those of its own Ant; and servos have ranges in radians, not from −1 to 1.
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check_env(zp.make(body).unwrapped, skip_render_check=body != "ant")
    remarks = ["minimum value is -infinity", "maximum value is infinity"]
    if body == "ref4":
        remarks.insert(0, "normalized space")
    assert len(told) == len(remarks)
    assert all(remark in str(each.message) for remark, each in zip(remarks, told, strict=True))


def test_it_is_registered() -> None:
    acting = []
    for name in zp.zoo.names():
        dofs = zp.compile(zp.zoo.get(name)).dofs
        if dofs.servo_stiffness.any() or dofs.motor_strength.any():
            acting.append(name)
    assert sorted(IDS) == sorted(acting)
    assert set(IDS.values()) | {"zoophyte/Creature-v1"} <= set(gymnasium.registry)
    assert IDS["ant"] == "zoophyte/Ant-v1"
    environment = gymnasium.make("zoophyte/Ant-v1")
    assert environment.spec is not None
    assert environment.spec.max_episode_steps == 1000
    assert gymnasium.make("zoophyte.gym:zoophyte/Creature-v1", body="ant").observation_space.shape == (27,)


@pytest.mark.parametrize("body", ["ant", "ref4"])
def test_observation_is_what_it_says(body: str) -> None:
    """Oracle: poses of the root by the kinematics of the physics, which know how its joint is placed."""
    environment = CreatureEnv(body)
    first, info = environment.reset(seed=4)
    environment.step(environment.action_space.high)
    seen, *_, info = environment.step(environment.action_space.low)
    state, model = environment.crowd.running.state(0), environment.model
    R, p = zp.body_poses(model, state)
    assert seen[0] == pytest.approx(p[1][2], abs=1e-14)
    assert (info["x_position"], info["y_position"]) == pytest.approx((p[1][0], p[1][1]), abs=1e-14)
    w, x, y, z = seen[1:5]
    up = (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
    assert up == pytest.approx(R[1][2], abs=1e-14)  # the world's z axis in the body's
    assert np.array_equal(seen[5:], np.concatenate([state.q[7:], state.v]))
    assert len(environment.crowd.senses.names) == len(seen)
    assert not np.array_equal(first, seen)


def test_it_lives_as_in_a_world() -> None:
    """The same bits as a World whose table holds the same commands, from birth through landing and falling over."""
    environment = CreatureEnv("ant")
    environment.reset(seed=0)
    begin = environment.crowd.running.state(0)
    rng = np.random.default_rng(3)
    orders = np.zeros((30, environment.model.nv))
    for row in orders:
        row[environment.crowd.actuators.dofs] = rng.uniform(-1.0, 1.0, 8)
        environment.step(row[environment.crowd.actuators.dofs])
    table = Table(orders, rate=20.0, interpolation="hold")
    world = zp.World(
        environment.model, environment.crowd.habitat, table, 0.01, integrator="implicit", sweeps=30, slots=128,
        sleep=False,
    )  # fmt: skip
    final = world.simulate(1.5, begin).final
    assert np.array_equal(final.q, environment.crowd.q[0])
    assert np.array_equal(final.v, environment.crowd.v[0])


def test_an_episode_lives_again() -> None:
    """The same bits, in a World, from its noted actions, those beyond their range included; from its beginning only."""
    environment = CreatureEnv("humanoid", frame_skip=3)
    environment.reset(seed=5)
    begin, rng = environment.state(), np.random.default_rng(1)
    actions = rng.uniform(-2.0, 2.0, (25, len(environment.action_names)))
    for action in actions:
        environment.step(action)
    life = environment.relive(begin, actions)
    assert np.array_equal(life.final.q, environment.view.q[0])
    assert np.array_equal(life.final.v, environment.view.v[0])
    with pytest.raises(
        UsageError, match=r"must be a State at the beginning of an episode: take state\(\) after"
    ):
        environment.relive(environment.state(), actions)
    for wrong in (actions[:, 1:], [], actions * 1j, actions[0]):
        with pytest.raises(UsageError, match="humanoid: actions "):
            environment.relive(begin, wrong)
    floating = CreatureEnv("ref4")
    floating.reset(seed=0)
    with pytest.raises(UsageError, match="ref4: nothing of it touches anything or has a limit"):
        floating.relive(floating.state(), np.zeros((3, len(floating.action_names))))


def test_reward() -> None:
    """Its own formula: weight · way / time + health − weight · Σ action², with actions beyond their range cut off."""
    weights = {"forward_reward_weight": 2.0, "healthy_reward": 3.0, "ctrl_cost_weight": 0.25}
    environment = CreatureEnv("ant", frame_skip=4, dt=0.005, **weights)  # type: ignore[arg-type]
    _, before = environment.reset(seed=1)
    action = np.array([0.5, -0.5, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    _, reward, terminated, truncated, info = environment.step(action)
    speed = (info["x_position"] - before["x_position"]) / 0.02
    assert info["x_velocity"] == pytest.approx(speed, rel=1e-12)
    assert info["reward_ctrl"] == -0.25 * 2.5
    assert reward == pytest.approx(2.0 * speed + 3.0 - 0.25 * 2.5, rel=1e-12)
    assert not terminated
    assert not truncated
    assert reward == info["reward_forward"] + info["reward_survive"] + info["reward_ctrl"]


def test_control_cost_of_servos_is_relative_to_their_range() -> None:
    model = zp.compile(arm())
    acting = Actuators(model)
    assert acting.names == ("part0", "part1", "part2", "part3.x", "part3.y", "part3.z")
    assert acting.low.tolist() == [-0.5, -math.pi, -1.0, -math.pi, -math.pi, -math.pi]
    assert acting.high.tolist() == [1.5, math.pi, 1.0, math.pi, math.pi, math.pi]
    ends = np.array([acting.low, acting.high, 0.5 * (acting.low + acting.high)])
    assert acting.effort(ends).tolist() == [6.0, 6.0, 0.0]


def test_servos_go_where_they_are_told() -> None:
    """Without gravity, a servo rests at its command; and what does not move over the ground earns nothing forward."""
    space = zp.Habitat(gravity=(0.0, 0.0, 0.0))
    environment = CreatureEnv(arm(), habitat=space, ctrl_cost_weight=0.0)
    seen, info = environment.reset(seed=0)
    assert len(seen) == 8 + 7
    target = np.array([1.0, -0.3, 0.1, 0.2, 0.0, 0.0])
    for _ in range(400):
        seen, reward, *_ = environment.step(target)
    assert seen[:3] == pytest.approx(target[:3], abs=1e-6)
    assert reward == 1.0
    assert info["x_position"] == 0.0


def test_it_is_over_when_it_lies_too_low() -> None:
    environment = CreatureEnv("ant", healthy_z_range=(0.5, 2.0))
    environment.reset(seed=0)
    heights = []
    for _ in range(40):
        seen, _, terminated, _, info = environment.step(np.zeros(8))
        heights.append(seen[0])
        if terminated:
            break
    assert terminated
    assert heights[-1] < 0.5 <= min(heights[:-1])
    assert info["reward_survive"] == 0.0
    assert not info["failed"]
    patient = CreatureEnv("ant", healthy_z_range=(0.5, 2.0), terminate_when_unhealthy=False)
    patient.reset(seed=0)
    assert not any(patient.step(np.zeros(8))[2] for _ in range(40))


def test_a_life_that_blows_up_ends_with_its_last_sound_state() -> None:
    environment = CreatureEnv(hopper(strength=1e14), terminate_when_unhealthy=False)
    environment.reset(seed=0)
    seen, reward, terminated, _, info = environment.step(np.ones(1))
    assert terminated
    assert info["failed"]
    assert info["reward_survive"] == 0.0
    assert np.isfinite(seen).all()
    assert math.isfinite(reward)
    assert seen in environment.observation_space
    again, _ = environment.reset(seed=0)
    assert not environment.step(np.zeros(1))[4]["failed"]
    assert np.array_equal(seen, again)  # it was the state before the step


def test_seeds() -> None:
    environment = CreatureEnv("ant")
    one, other = environment.reset(seed=1)[0], environment.reset(seed=2)[0]
    assert not np.array_equal(one, other)
    following = environment.reset()[0]
    assert np.array_equal(environment.reset(seed=1)[0], one)
    environment.reset(seed=2)
    assert np.array_equal(environment.reset()[0], following)
    still = CreatureEnv("ant", reset_noise_scale=0.0).reset(seed=1)[0]
    assert np.array_equal(still, [0.55, 1.0, *np.zeros(25)])


def test_nobody_is_born_in_the_ground() -> None:
    environment = CreatureEnv("ant", reset_noise_scale=0.8)
    lifted = 0
    for seed in range(20):
        seen, _ = environment.reset(seed=seed)
        assert environment.crowd.running.depths([0])[0] <= 1e-6
        drawn, _ = noisy_state(environment.model, seeding.np_random(seed)[0], 0.8)
        assert seen[0] >= drawn[6]
        lifted += seen[0] > drawn[6]
    assert 0 < lifted < 20


def test_pictures() -> None:
    environment = zp.make("ant", render_mode="rgb_array", render_size=(64, 48))
    environment.reset(seed=0)
    picture = environment.render()
    assert picture.shape == (48, 64, 3)
    assert picture.dtype == np.uint8
    assert np.unique(picture.reshape(-1, 3), axis=0).shape[0] > 20
    assert environment.unwrapped.metadata["render_fps"] == 20
    with pytest.raises(UsageError, match="render_mode is 'human', must be 'rgb_array' or None"):
        CreatureEnv("ant", render_mode="human")


def test_a_file_of_your_own(tmp_path: Path) -> None:
    path = tmp_path / "hopper.yaml"
    hopper().save(path)
    by_path, by_text = zp.make(path), zp.make(str(path))
    assert np.array_equal(by_path.reset(seed=5)[0], by_text.reset(seed=5)[0])
    with pytest.raises(FileError, match=r"hoper\.yaml"):
        zp.make(tmp_path / "hoper.yaml")
    path.write_text("name: broken\nbodies: 3\n")
    with pytest.raises(DescriptionError):
        zp.make(path)


def test_groups_part_nobody_from_the_ground() -> None:
    """Files of MuJoCo put shapes into groups; the ground must still hold them."""
    body = hopper()
    body.surface = Surface(friction=0.8, group=2, mask=1)
    environment = CreatureEnv(body)
    environment.reset(seed=0)
    for _ in range(40):
        seen, *_ = environment.step(np.zeros(1))
    assert 0.0 < seen[0] < 0.4


def test_evolved_creatures_are_environments() -> None:
    """`zoophyte zoo` lists the frog, and `make` refused it."""
    environment = zp.make("frog")
    seen, _ = environment.reset(seed=1)
    assert np.isfinite(environment.step(environment.action_space.sample())[0]).all() and seen.size


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"body": "ants"}, r"the zoo has no 'ants'\. Did you mean 'ant'\?"),
        ({"body": "pendulum"}, "pendulum has no actuators, so there is nothing to learn"),
        ({"body": 3}, "body is 3, must be the name of a body of the zoo, a path"),
        ({"body": "ant", "frame_skip": 0}, "frame_skip is 0, must be a whole number, 1 or more"),
        ({"body": "ant", "dt": -1.0}, r"dt is -1\.0, must be"),
        ({"body": "ant", "healthy_reward": math.nan}, "healthy_reward is nan, must be a finite number"),
        ({"body": "ant", "healthy_z_range": (1.0, 0.5)}, "healthy_z_range is .*, must be two heights"),
        ({"body": "ant", "habitat": "moon"}, "habitat is 'moon', must be a Habitat or None"),
        (
            {"body": "ant", "ctrl_cost": 1.0},
            r"there is no option 'ctrl_cost'\. Did you mean 'ctrl_cost_weight'\?",
        ),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        zp.make(**arguments)


@pytest.mark.parametrize("action", [np.zeros(7), np.zeros((8, 1)), 0.5, "up", np.full(8, np.nan)])
def test_actions_that_are_refused(action: Any) -> None:
    environment = CreatureEnv("ant")
    environment.reset(seed=0)
    with pytest.raises(
        UsageError,
        match=r"ant: the action .* finite numbers of shape \(8,\), one per actuator: upper0, lower0",
    ):
        environment.step(action)


def test_without_gymnasium_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "gymnasium" else found(name, *more)
    )
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[gym\]'"):
        zp.make("ant")
