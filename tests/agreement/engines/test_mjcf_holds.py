"""Grounds, constraints, tapered capsules and dry joints in MJCF, both ways."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")

import zoophyte as zp  # noqa: E402
from zoophyte.description import (  # noqa: E402
    Attach,
    Body,
    Connect,
    Description,
    Joint,
    MassProperties,
    Surface,
    TaperedCapsule,
    Weld,
)
from zoophyte.export.mjcf import mjcf_of, write_mjcf  # noqa: E402
from zoophyte.model import Plane, Terrain  # noqa: E402

pytestmark = pytest.mark.engines


def height(model: Any, data: Any, x: float, y: float) -> float:
    start, down, geom = np.array([x, y, 100.0]), np.array([0.0, 0.0, -1.0]), np.zeros(1, np.int32)
    return 100.0 - mujoco.mj_ray(model, data, start, down, None, 1, -1, geom)


def test_terrain_is_the_same_surface(rng: np.random.Generator) -> None:
    """Oracle: rays. Tolerance: MuJoCo keeps heights in single precision, 6e-8 of their range."""
    terrain = Terrain(rng.normal(size=(5, 7)), (0.4, 0.3), (-1.0, 2.0))
    model = mujoco.MjModel.from_xml_string(mjcf_of(zp.zoo.pendulum(), habitat=zp.Habitat(ground=terrain)))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for x, y in zip(rng.uniform(-1.0, 1.4, 100), rng.uniform(2.0, 3.2, 100), strict=True):
        assert height(model, data, x, y) == pytest.approx(float(terrain.height_at(x, y)), abs=1e-6)
    flat = Terrain(np.full((2, 2), 3.0), (1.0, 1.0))
    model = mujoco.MjModel.from_xml_string(mjcf_of(zp.zoo.pendulum(), habitat=zp.Habitat(ground=flat)))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert height(model, data, 0.3, 0.4) == pytest.approx(3.0, abs=1e-6)


@pytest.mark.parametrize("normal", [(0, 0, 1), (0.3, -0.4, 0.8), (0, 0, -1), (1, 0, 0)])
def test_a_plane_is_where_it_is(normal: tuple[float, float, float]) -> None:
    plane = Plane(normal, 0.7)
    text = mjcf_of(zp.zoo.pendulum(), habitat=zp.Habitat((0, 0, -1.6), plane))
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    number = model.geom("ground").id
    assert data.geom_xmat[number].reshape(3, 3)[:, 2] == pytest.approx(plane.normal, abs=1e-12)
    assert data.geom_xpos[number] @ plane.normal == pytest.approx(0.7, rel=1e-12)
    assert model.opt.gravity.tolist() == [0, 0, -1.6]


def held(*constraints: Any, **joint: Any) -> Description:
    mass = MassProperties(mass=1.0, com=(0.1, 0.0, 0.2), inertia=(0.1, 0.2, 0.15))
    bodies = [
        Body(name="a", joint=Joint(kind="hinge", axis=(0, 1, 0), position=(0, 0, 1), **joint), mass=mass),
        Body(name="b", parent="a", joint=Joint(kind="universal", position=(0, 0, 0.5)), mass=mass),
        Body(name="c", joint=Joint(kind="free", position=(1, 0, 0), rotation=(0.6, 0, 0.8, 0)), mass=mass),
    ]
    return Description(name="held", bodies=bodies, constraints=list(constraints))


def test_constraints_come_back(tmp_path: Path) -> None:
    constraints = [
        Connect(name="loop", body="b", other="c", point=(0.1, 0.2, 0.3), other_point=(0.3, 0.2, 0.1)),
        Connect(body="a", point=(0, 0, 0.4)),
        Weld(name="stuck", body="c", other="a"),
        Attach(name="spring", body="c", other="b", other_point=(0, 1, 0), stiffness=5.0, damping=0.2),
        Attach(body="b", stiffness=2.0, break_length=0.5),
    ]
    before = held(*constraints, initial=0.4)
    warnings = write_mjcf(before, tmp_path / "held.xml")
    assert [words for words in warnings if "breaks when it is 0.5 m long" in words] == list(warnings)
    after = zp.load(tmp_path / "held.xml").constraints
    assert [(each.kind, each.name, each.body, each.other) for each in after] == [
        ("connect", "loop", "b", "c"), ("connect", "connect_1", "a", "ground"), ("weld", "stuck", "c", "a"),
        ("attach", "spring", "c", "b"), ("attach", "attach_4", "b", "ground"),
    ]  # fmt: skip
    assert after[0] == constraints[0]
    # The joint sits at (0, 0, 1) and turns by 0.4 about y, which takes z to (sin 0.4, 0, cos 0.4).
    place = (0.4 * math.sin(0.4), 0.0, 1.0 + 0.4 * math.cos(0.4))
    assert after[1].other_point == pytest.approx(place, abs=1e-15)
    assert (after[3].stiffness, after[3].damping, after[3].other_point) == (5.0, 0.2, (0.0, 1.0, 0.0))


def test_constraints_hold_at_the_start_in_mujoco() -> None:
    """Oracle: MuJoCo's own residuals at the initial keyframe. Tolerance: rounding."""
    description = held(
        Connect(body="b", other="c", point=(0.1, 0.2, 0.3)), Weld(body="c", other="b"), initial=0.4
    )
    model = mujoco.MjModel.from_xml_string(mjcf_of(description))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    assert len(data.efc_pos) == 9
    assert np.abs(data.efc_pos).max() < 1e-14


def test_a_spring_between_two_points_pulls_alike() -> None:
    """Law: −k l − b l̇ along the line, written with numpy. Oracle: MuJoCo's joint forces. Tolerance: rounding."""
    spring = Attach(body="c", point=(0.1, 0.2, 0.3), other_point=(0.5, 0.0, 2.0), stiffness=7.0, damping=0.6)
    description = held(spring)
    model = mujoco.MjModel.from_xml_string(mjcf_of(description))
    data = mujoco.MjData(model)
    first = model.joint("c").dofadr[0]
    data.qvel[first : first + 3] = (0.3, -0.2, 0.5)
    mujoco.mj_forward(model, data)
    rotation = data.xmat[model.body("c").id].reshape(3, 3)
    arm = np.array([0.5, 0.0, 2.0]) - (data.xpos[model.body("c").id] + rotation @ (0.1, 0.2, 0.3))
    length = np.linalg.norm(arm)
    rate = -np.array([0.3, -0.2, 0.5]) @ arm / length
    force = (7.0 * length + 0.6 * rate) * arm / length
    assert data.qfrc_passive[first : first + 3] == pytest.approx(force, rel=1e-12)


def test_a_body_without_mass_that_is_held_stays_a_body() -> None:
    """Otherwise it would hand its joint on, and there would be nothing to hold."""
    description = held()
    description.bodies.insert(1, Body(name="m", parent="a", joint=Joint(kind="hinge", axis=(1, 0, 0))))
    description.body("b").parent = "m"
    assert '<body name="m"' not in mjcf_of(description.checked())
    description.constraints.append(Connect(body="m", other="c"))
    model = mujoco.MjModel.from_xml_string(mjcf_of(description.checked()))
    assert model.body("m").mass[0] <= 1e-14
    assert model.site_bodyid[model.site("connect_0.body").id] == model.body("m").id


# ------------------------------------------------------------------------------------------- shapes and joints


def test_a_tapered_capsule_is_a_mesh_on_its_surface() -> None:
    """Corners lie on the surface, so the volume is smaller by what 24 corners miss: about a hundredth."""
    shape = TaperedCapsule(radius_start=0.2, radius_end=0.1, length=0.5, name="limb", surface=Surface())
    description = Description(name="limb", bodies=[Body(name="a", joint=Joint(kind="free"), shapes=[shape])])
    text = mjcf_of(description)
    model = mujoco.MjModel.from_xml_string(text)
    assert model.body_mass[1] == pytest.approx(shape.mass(), rel=1e-15)
    whole = text.replace('inertiafromgeom="false"', 'inertiafromgeom="true"').replace('inertia="shell" ', "")
    assert 0.97 < mujoco.MjModel.from_xml_string(whole).body_mass[1] / shape.mass() < 1.0
    corners = model.mesh_vert @ quaternion_matrix(model.mesh_quat[0]).T + model.mesh_pos[0]
    for x, y, z in corners:
        # Of all balls between the two the one that reaches farthest towards the corner just touches it.
        t = np.clip((z * 0.5 - 0.2 * 0.1) / (0.25 - 0.01), 0.0, 1.0)
        assert math.hypot(x, y, z - 0.5 * t) == pytest.approx(0.2 - 0.1 * t, abs=1e-6)


def quaternion_matrix(q: Any) -> Any:
    found = np.zeros(9)
    mujoco.mju_quat2Mat(found, np.asarray(q, float))
    return found.reshape(3, 3)


def test_joint_friction_servo_strength_and_hard_limits(tmp_path: Path) -> None:
    servo = zp.description.Servo(stiffness=4.0, damping=0.1, max_force=2.5)
    mass = MassProperties(mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.15))
    joint = Joint(kind="hinge", friction=0.3, limits=(-1, 1), actuator=servo)
    twice = Joint(kind="universal", friction=(0.1, 0.2), actuator=servo)
    description = Description(
        name="dry",
        bodies=[Body(name="a", joint=joint, mass=mass), Body(name="b", parent="a", joint=twice, mass=mass)],
    )
    text = mjcf_of(description)
    assert "solreflimit" not in text  # a constraint there as it is here
    model = mujoco.MjModel.from_xml_string(text)
    assert model.dof_frictionloss.tolist() == [0.3, 0.1, 0.2]
    assert model.actuator_forcerange.tolist() == [[-2.5, 2.5]] * 3
    path = tmp_path / "dry.xml"
    path.write_text(text)
    after = zp.load(path)
    assert (after.body("a").joint.friction, after.body("b").joint.friction) == (0.3, (0.1, 0.2))
    assert after.body("a").joint.actuator == servo == after.body("b").joint.actuator
    assert after.body("a").joint.limit_stiffness is None
