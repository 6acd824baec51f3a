"""Scenes of the zoo: each lives, and does what its docstring says."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.description import Body, Description, Joint, Sphere, Surface
from zoophyte.errors import UsageError
from zoophyte.evolution import showcase
from zoophyte.export import scene_of
from zoophyte.export.extent import reaches
from zoophyte.export.scene import has_touch
from zoophyte.zoo.scenes import Scene, make_scene
from zoophyte.zoo.toys import BALL_RADIUS

G = 9.81
STAGED = [name for name in zp.zoo.names() if zp.zoo.scene(name).is_staged]


def rotations(life: zp.Trajectory) -> np.ndarray:
    """Of a free body that is alone, shape (T, 3, 3)."""
    turns = [(float(q[0]), float(q[1]), float(q[2]), float(q[3])) for q in life.q]
    return np.array([np.reshape(quaternion_matrix(turn), (3, 3)) for turn in turns])


def spin(life: zp.Trajectory) -> np.ndarray:
    """Its angular velocity about the vertical [rad/s]."""
    return np.asarray((rotations(life)[:, 2, :] * life.v[:, :3]).sum(axis=1))


def test_staged_are_those_that_touch_act_or_move() -> None:
    touching = {name for name in zp.zoo.names() if has_touch(zp.zoo.get(name))}
    assert touching | {"four_bar"} == set(STAGED)
    plain = zp.zoo.scene("pendulum")
    assert (plain.controller, plain.dt, plain.habitat) == (None, 1e-3, zp.Habitat())


@pytest.mark.parametrize("name", STAGED)
def test_scene_lives_for_a_second(name: str) -> None:
    """Law: where nothing acts, energy never exceeds what there was.

    Tolerance: a lift of everything by 1 µm, which the correction of positions may leave, and a thousandth of the motion.
    """
    scene = zp.zoo.scene(name)
    life = scene.simulate(1.0)
    assert life.status.is_sound
    assert life.times[-1] == pytest.approx(1.0, abs=scene.dt)
    if scene.controller is None:
        energy, kinetic = life.channels["energy"], life.channels["kinetic"]
        weight = zp.compile(scene.description).total_mass * G
        assert energy.max() - energy[0] < 1e-6 * weight + 1e-3 * kinetic.max()


def test_scene_takes_changes_and_begins_with_its_velocities() -> None:
    scene = zp.zoo.scene("rolling_ball")
    world = scene.world(dt=2e-3, sweeps=7)
    assert (world.dt, world.sweeps, world.habitat) == (2e-3, 7, scene.habitat)
    assert scene.state(world.model).v == pytest.approx([0.0, -75.0, 0.0, 2.5, 0.0, 0.0])
    assert len(scene.simulate(0.01)) == 11 and len(scene.simulate(0.1, record_rate=100.0)) == 11


@pytest.mark.parametrize(
    ("velocities", "words"),
    [({"bal": (1.0,) * 6}, "Did you mean 'ball'"), ({"ball": (1.0, 2.0)}, "are 2 numbers, must be 6")],
)
def test_velocities_that_do_not_fit_are_refused(velocities: dict[str, tuple[float, ...]], words: str) -> None:
    scene = Scene(zp.zoo.rolling_ball(), velocities=velocities)
    with pytest.raises(UsageError, match=words):
        scene.state(scene.world().model)


def test_the_ground_of_a_scene_feels_like_its_body_and_meets_as_ground_does() -> None:
    """A ball of group 2 that meets group 1, where all ground is, lies on it; ground of its own group it would not meet.

    Oracle: the same ball in a plain world.  Friction and rebound are the body's own, so that mixing changes nothing.
    """
    ball = Body(
        name="ball", joint=Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, 0.2)), shapes=[Sphere(radius=0.1)]
    )
    surface = Surface(friction=0.3, restitution=0.5, group=2, mask=1)
    scene = make_scene("somebody", Description(name="somebody", bodies=[ball], surface=surface))
    ground, usual = scene.habitat.surface, zp.Habitat().surface
    assert (ground.friction, ground.restitution) == (0.3, 0.5)
    assert (ground.group, ground.mask) == (usual.group, usual.mask)
    assert scene.simulate(0.5).q[:, 6].min() == pytest.approx(0.1, abs=1e-3)
    assert make_scene("nobody", Description(name="nobody", bodies=[ball])).habitat == zp.Habitat()


def test_an_unknown_scene_gets_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="Did you mean 'dominoes'"):
        zp.zoo.scene("domino")


def test_who_asks_the_zoo_for_an_evolved_creature_is_told_who_makes_it() -> None:
    """`zoophyte zoo` lists the frog; the message named a module and no call."""
    call = "showcase.scene('frog'), after `from zoophyte.evolution import showcase`"
    with pytest.raises(UsageError, match=re.escape(call)):
        zp.zoo.scene("frog")
    assert showcase.scene("frog").is_staged
    with pytest.raises(UsageError, match=re.escape("showcase.creature('frog').description")):
        zp.zoo.get("frog")


# ------------------------------------------------------------------------------------------------------ blocks


@pytest.mark.parametrize("name", ["box_stack", "brick_wall"])
def test_what_is_built_stands(name: str) -> None:
    """Oracle: nothing moves.

    Tolerance: 1e-4 m while it settles without remembered impulses, a four-hundredth of a block, then 1e-6 m in a second.
    """
    life = zp.zoo.scene(name).simulate(2.0)
    places = life.q.reshape(len(life), -1, 7)[:, :, 4:]
    settled = np.searchsorted(life.times, 1.0)
    assert np.abs(places - places[0]).max() < 1e-4
    assert np.abs(places[settled:] - places[settled]).max() < 1e-6


def test_the_wall_has_34_bricks_and_builders_take_a_count() -> None:
    assert len(zp.zoo.brick_wall().bodies) == 34
    assert len(zp.zoo.brick_wall((3, 2)).bodies) == 5
    for make in (zp.zoo.box_stack, zp.zoo.dominoes, zp.zoo.box_pile):
        assert len(make(7).bodies) == 7
        with pytest.raises(UsageError, match="must be a whole number, 1 or more"):
            make(0)
    assert zp.zoo.box_pile(9, seed=1) == zp.zoo.box_pile(9, seed=1) != zp.zoo.box_pile(9, seed=2)


def test_dominoes_fall_one_after_another_to_the_last() -> None:
    """Every domino tips over later than the one before it, and all lie or lean in the end."""
    life = make_scene("dominoes", zp.zoo.dominoes(30)).simulate(2.5)
    q = life.q.reshape(len(life), -1, 7)
    upright = 1.0 - 2.0 * (q[:, :, 1] ** 2 + q[:, :, 2] ** 2)  # cosine of the angle from the vertical
    fallen = upright < math.cos(0.5)
    assert fallen[-1].all() and not fallen[0].any()
    assert (np.diff(fallen.argmax(axis=0)) > 0).all()


def test_a_domino_that_leans_too_little_comes_back() -> None:
    """The first one falls if its centre of mass is beyond its edge: tan(lean) > 7.5/48."""
    for lean, falls in ((0.14, False), (0.17, True)):
        life = make_scene("dominoes", zp.zoo.dominoes(1, lean=lean)).simulate(1.0)
        assert (life.q[-1, 6] < 0.02) == falls


# -------------------------------------------------------------------------------------------------------- toys


def test_the_ball_comes_back_rolling() -> None:
    """Law: with friction μ and rolling resistance c, v' = −μ g and ω' = (5/2) g (μ + c/r)/r until v = r ω, then rolling.

    Rolling has v' = (5/7) g c/r.  Tolerance: first order in dt, μ g dt = 2 mm/s at the change from one to the other.
    """
    life = zp.zoo.scene("rolling_ball").simulate(4.0)
    friction, resistance = 0.2, 5e-4 / BALL_RADIUS
    slid = (2.5 + BALL_RADIUS * 75.0) / (G * (3.5 * friction + 2.5 * resistance))
    expected = 2.5 - friction * G * slid + 5.0 / 7.0 * G * resistance * (4.0 - slid)
    assert expected < -0.3
    assert np.gradient(life.q[:, 4], life.times)[-1] == pytest.approx(expected, abs=2e-3)


def test_the_coin_rolls_round_and_lies_down() -> None:
    life = zp.zoo.scene("spinning_coin").simulate()
    axis = rotations(life)[:, :, 2]
    turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))[np.abs(axis[:, 2]) < 0.9]
    assert np.ptp(turned) > 4.0 * math.pi  # more than two rounds before it is nearly flat
    assert abs(axis[-1, 2]) == pytest.approx(1.0, abs=1e-9)
    assert np.abs(life.v[-1]).max() < 1e-6


def test_the_rattleback_turns_back_from_one_side_only() -> None:
    """Kane and Levinson 1982: at −5 rad/s it reverses; at +5 rad/s it goes on, slowed by rolling a little."""
    scene = zp.zoo.scene("rattleback")
    wrong = spin(scene.simulate(4.0))
    assert wrong[0] == pytest.approx(-5.0) and wrong[-1] > 1.0
    opposite = {"stone": tuple(-x for x in scene.velocities["stone"])}
    right = spin(replace(scene, velocities=opposite).simulate(4.0))
    assert right[0] == pytest.approx(5.0) and right.min() > 4.0


@pytest.mark.parametrize("margin", [1.1, 95.0])
def test_pinched_capsule_does_not_creep(margin: float) -> None:
    """Law: inside the friction cone nothing slips; tolerance: 1e-9 m in 2 s, a thousandth of the promised 1 µm/s."""
    life = zp.World(zp.zoo.capsule_pinch(margin)).simulate(2.0)
    slid = life.channel("height:capsule") - life.channel("height:hand")
    settled = np.searchsorted(life.times, 0.5)  # the hand sags by 0.1 mm first
    assert np.abs(slid[settled:] - slid[settled]).max() < 1e-9
    assert np.abs(slid - slid[0]).max() < 1e-5


def test_a_lifted_capsule_is_not_lost() -> None:
    """Fifty times what its weight takes is enough for a hand that goes up and down gently: it slides by less than 1 µm."""
    life = zp.zoo.scene("capsule_pinch").simulate(2.0)
    slid = life.channel("height:capsule") - life.channel("height:hand")
    assert np.ptp(life.channel("height:hand")) > 0.049
    assert np.ptp(slid) < 1e-6


def test_a_capsule_pinched_too_weakly_falls() -> None:
    """At 0.9 of what it takes, friction leaves a tenth of gravity: 0.1 g t²/2 in 0.2 s, 2 cm.

    Tolerance: 10 %; first the hand sags by 0.1 mm, and so long nothing slides.
    """
    height = zp.World(zp.zoo.capsule_pinch(0.9)).simulate(0.2).channel("height:capsule")
    assert height[0] - height[-1] == pytest.approx(0.1 * G * 0.2**2 / 2.0, rel=0.1)


# ------------------------------------------------------------------------------- mechanisms, creatures, figures


def test_the_four_bar_stays_closed_while_its_crank_goes_round() -> None:
    """Oracle: both ends of the loop are one point; tolerance: third order in dt, (6 rad/s · 1 ms)³ of 0.25 m."""
    scene = zp.zoo.scene("four_bar")
    life = scene.simulate(4.0, record_rate=50.0)
    model = zp.compile(scene.description)
    coupler, rocker = model.body_index("coupler"), model.body_index("rocker")
    gaps = []
    for q in life.q:
        R, p = zp.body_poses(model, zp.State.neutral(model).at(q))
        gaps.append(p[coupler] + R[coupler] @ [0.25, 0, 0] - p[rocker] - R[rocker] @ [0.25, 0, 0])
    assert np.abs(gaps).max() < 1e-6
    assert np.ptp(life.channel("q:crank")) > 4.0 * math.pi


def test_the_ant_stands_and_the_walking_ant_walks() -> None:
    standing = zp.zoo.scene("ant").simulate(3.0)
    late = standing.times > 2.0
    assert np.ptp(standing.q[late], axis=0).max() < 1e-9
    assert standing.channel("height:torso")[-1] > 0.3
    walking = zp.zoo.scene("walking_ant").simulate(6.0)
    x, y, _ = (walking.channels["com"][-1] - walking.channels["com"][0]).tolist()
    assert x > 1.0 and abs(y) < 0.25


def test_no_spot_of_the_ball_is_seen_in_the_lane() -> None:
    """Everything that is drawn stays above the lane while the ball slides, turns and rolls: its spots, too."""
    scene = scene_of(zp.zoo.scene("rolling_ball").simulate(1.5), rate=120.0)
    lowest = -reaches(scene, np.array([[0.0, 0.0, -1.0]]), np.arange(scene.frame_count))
    assert lowest.min() > -1e-6


def test_the_ragdoll_falls_down_the_stair_and_comes_to_rest() -> None:
    scene = zp.zoo.scene("ragdoll")
    life = scene.simulate()
    com, kinetic = life.channels["com"], life.channels["kinetic"]
    assert com[0, 2] - com[-1, 2] > 1.0
    assert kinetic[-1] < 1e-3 < kinetic.max()


def test_ground_has_the_surface_of_the_scene() -> None:
    """So that two surfaces mix to the friction that the docstring gives."""
    assert zp.zoo.scene("box_stack").habitat.surface == Surface(friction=0.5)


def test_scenes_and_descriptions_print_in_a_line() -> None:
    scene = zp.zoo.scene("dominoes")
    assert str(scene.description) == repr(scene.description)
    assert (
        str(scene).startswith("Scene(Description('dominoes': 150 bodies, 900 degrees of freedom;")
        and len(str(scene)) < 200
    )
