"""MJCF both ways: what we write, MuJoCo moves as we do; what it reads, we move as it does.

Law: one mechanics, two programs.  Oracle: qacc of mj_forward with contacts switched off, at states inside the limits, with
zero controls.  Tolerance: MuJoCo keeps principal moments instead of inertias, solves M a = f by factoring M, and gets 1e-14
more inertia where there is none; condition of M (below 1e6) times these roundings stays under 1e-8, the promised figure.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")

import zoophyte as zp  # noqa: E402
from agreement.engines.crawlers import COUNT, crawler  # noqa: E402
from agreement.engines.twins import (  # noqa: E402
    Twin,
    our_accelerations,
    pairs_by_name,
    pairs_in_order,
    without_contacts,
)
from bodies import every_kind, random_description, random_state, relative_error, unit_vector  # noqa: E402
from zoophyte.bench.peers_models import mujoco_humanoid_path  # noqa: E402
from zoophyte.description import (  # noqa: E402
    Body,
    Box,
    Description,
    Frustum,
    Joint,
    MassProperties,
    Polyhedron,
    Surface,
    TaperedCapsule,
)
from zoophyte.export.mjcf import mjcf_document, mjcf_of, write_mjcf  # noqa: E402

pytestmark = pytest.mark.engines

PROMISED = 1e-8


def sayable_state(model: zp.Model, rng: np.random.Generator) -> zp.State:
    """Any state inside the limits; a ball joint with unequal springs bends or twists, but not both at once.

    Only there is our spring −J_r⁻ᵀ K φ the −½ (1 + Rᵀ) K φ that MuJoCo can say.
    """
    state = random_state(model, rng)
    q, n = state.q.copy(), 0
    for body in model.description.bodies:
        joint = body.joint
        for offset, (lower, upper) in enumerate(joint.limit_pairs() or ()):
            q[n + offset] = rng.uniform(lower, upper)
        if joint.kind == "ball" and len(set(joint.per_dof(joint.stiffness))) > 1:
            a, b, c = joint.per_dof(joint.stiffness)
            assert a == b != c
            axis = unit_vector(rng) * (1.0, 1.0, 0.0) if rng.random() < 0.7 else np.array([0.0, 0.0, 1.0])
            angle = rng.uniform(-2.0, 2.0)
            q[n : n + 4] = [np.cos(angle / 2), *(np.sin(angle / 2) * axis / np.linalg.norm(axis))]
        n += joint.coordinate_count
    return state.at(q=q)


def compiled(text: str) -> Any:
    return without_contacts(mujoco.MjModel.from_xml_string(text))


def assert_same_motion(
    model: zp.Model, theirs: Any, pairs: Any, rng: np.random.Generator, states: int = 2
) -> None:
    for _ in range(states):
        state = sayable_state(model, rng)
        twin = Twin(model, theirs, pairs, state)
        found = twin.accelerations()
        assert not np.any(twin.data.efc_force)
        assert relative_error(our_accelerations(model, state), found) < PROMISED


# ------------------------------------------------------------------------------------------------------- export


@pytest.mark.parametrize("name", zp.zoo.names())
def test_every_zoo_body_moves_alike(name: str, rng: np.random.Generator) -> None:
    model = zp.compile(zp.zoo.get(name))
    theirs = compiled(mjcf_of(model.description))
    assert_same_motion(model, theirs, pairs_by_name(model, theirs), rng)


@pytest.mark.parametrize("name", ["ball_chain", "sapling"])
def test_unequal_ball_springs_are_all_that_differs(name: str, rng: np.random.Generator) -> None:
    """At any state: with the difference of the two spring laws as an applied force the motion is the same."""
    model = zp.compile(zp.zoo.get(name))
    document = mjcf_document(model.description)
    assert len(document.warnings) == len(model.description.bodies)
    theirs = compiled(document.text)
    state = random_state(model, rng)
    twin = Twin(model, theirs, pairs_by_name(model, theirs), state)
    twin.accelerations()
    said = twin.data.qfrc_passive + twin.data.qfrc_actuator
    twin.data.qfrc_applied[:] = twin.T @ zp.passive_forces(model, state) - said  # T is a permutation here
    assert relative_error(our_accelerations(model, state), twin.accelerations()) < PROMISED


def test_unequal_ball_springs_agree_to_second_order(rng: np.random.Generator) -> None:
    """Law: −J_r⁻ᵀ K (φ − φ₀) against −½ (1 + Rᵀ) K (φ − φ₀).

    Oracle: their difference begins with [φ]×² K (φ − φ₀)/6, so that half the angle leaves an eighth of it.  Tolerance:
    the next term is smaller by the angle again, 1/20 here.
    """
    mass = MassProperties(mass=1.0, com=(0.1, 0.2, 0.3), inertia=(0.2, 0.3, 0.4))
    joint = Joint(kind="ball", stiffness=(5.0, 1.0, 30.0), damping=(0.1, 0.3, 0.2))
    axis, errors = unit_vector(rng), []
    for angle in (0.1, 0.05):
        joint.rest = tuple(0.3 * angle * unit_vector(np.random.default_rng(1)))
        model = zp.compile(Description(name="ball", bodies=[Body(name="a", joint=joint, mass=mass)]))
        theirs = compiled(mjcf_of(model.description))
        q = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
        state = zp.State.neutral(model).at(q=q, v=rng.normal(size=3))
        twin = Twin(model, theirs, pairs_by_name(model, theirs), state)
        twin.accelerations()
        errors.append(twin.data.qfrc_passive + twin.data.qfrc_actuator - zp.passive_forces(model, state))
    assert np.linalg.norm(errors[0]) / np.linalg.norm(errors[1]) == pytest.approx(8.0, rel=0.1)


def sayable(description: Description) -> Description:
    """The same with what ball joints of MuJoCo cannot say made equal about all axes."""
    for body in description.bodies:
        joint = body.joint
        if joint.kind == "ball":
            joint.stiffness, joint.armature = (
                joint.per_dof(joint.stiffness)[:1] * 3,
                joint.per_dof(joint.armature)[0],
            )
            joint.rest = 0.0
    return description.checked()


@pytest.mark.parametrize("seed", range(6))
def test_every_kind_of_joint(seed: int) -> None:
    rng = np.random.default_rng(seed)
    description = every_kind(rng) if seed % 2 else random_description(rng, 10)
    model = zp.compile(sayable(description))
    theirs = compiled(mjcf_of(model.description))
    assert_same_motion(model, theirs, pairs_by_name(model, theirs), rng)


def test_limbs_of_tapered_capsules(rng: np.random.Generator) -> None:
    """They are meshes there, but their inertia is the exact one."""
    limb = TaperedCapsule(
        radius_start=0.06, radius_end=0.03, length=0.4, rotation=(0.6, 0.8, 0, 0), surface=Surface()
    )
    bodies = [Body(name="upper", joint=Joint(kind="ball"), shapes=[limb])]
    joint = Joint(kind="hinge", axis=(1, 0, 0), position=(0, -0.38, -0.1))
    bodies.append(Body(name="lower", parent="upper", joint=joint, shapes=[limb]))
    model = zp.compile(Description(name="limbs", bodies=bodies))
    theirs = compiled(mjcf_of(model.description))
    assert_same_motion(model, theirs, pairs_by_name(model, theirs), rng)


def arm(**joint: Any) -> Description:
    """A hinge with a link in between, so that the mobility at the limit is not one over the inertia of the tip."""
    mass = MassProperties(mass=1.3, com=(0.1, 0.2, 0.3), inertia=(0.02, 0.03, 0.04))
    return Description(
        name="arm",
        bodies=[
            Body(name="upper", joint=Joint(kind="hinge", axis=(0, 1, 0)), mass=mass),
            Body(
                name="lower",
                parent="upper",
                joint=Joint(kind="hinge", position=(0.2, 0, 0.4), **joint),
                mass=mass,
            ),
        ],
    )


def test_soft_limits_push_back_alike() -> None:
    """Law: K r + B v beyond the limit. Tolerance: MuJoCo's smallest impedance, 1e-4, times ratios below 10."""
    model = zp.compile(arm(axis=(1, 0, 0), limits=(-0.4, 0.5), limit_stiffness=70.0, limit_damping=0.3))
    theirs = compiled(mjcf_of(model.description))
    for q, v in ((0.7, 0.4), (-0.6, -0.2), (0.52, 0.1)):
        state = zp.State.neutral(model).at(q=np.array([0.3, q]), v=np.array([0.5, v]))
        twin = Twin(model, theirs, pairs_by_name(model, theirs), state)
        assert relative_error(our_accelerations(model, state), twin.accelerations()) < 1e-3
        assert np.any(twin.data.efc_force)


def test_shapes_keep_their_size_and_place() -> None:
    """Oracle: MuJoCo's own volume and inertia frame of the geom of a mesh, by formulas of ours for the solid."""
    corners = [(0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0, 0, 0.1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    shapes = [
        Polyhedron(
            vertices=corners, faces=faces, position=(0.1, 0.2, 0.3), rotation=(0.6, 0.8, 0, 0), name="tip"
        ),
        Frustum(radius_start=0.2, radius_end=0.1, length=0.5),
        Frustum(radius_start=0.2, radius_end=0.0, length=0.5),
    ]
    description = Description(name="solids", bodies=[Body(name="a", joint=Joint(kind="free"), shapes=shapes)])
    text = mjcf_of(description).replace('inertiafromgeom="false"', 'inertiafromgeom="true"')
    theirs = mujoco.MjModel.from_xml_string(text.replace('inertia="shell" ', ""))
    ours = description.bodies[0].mass_properties()
    # Circles became 24-gons, whose area is (24/2π) sin(2π/24) of the circle's: 1.14 percent less.
    assert theirs.body_mass[1] == pytest.approx(ours.mass, rel=0.0115)
    assert theirs.body_ipos[1] == pytest.approx(ours.com, abs=2e-3)
    solid = shapes[0].mass_properties()
    only = Description(name="tip", bodies=[Body(name="a", joint=Joint(kind="free"), shapes=shapes[:1])])
    text = mjcf_of(only).replace('inertiafromgeom="false"', 'inertiafromgeom="true"')
    theirs = mujoco.MjModel.from_xml_string(text.replace('inertia="shell" ', ""))
    assert theirs.body_mass[1] == pytest.approx(solid.mass, rel=1e-5)  # MuJoCo keeps corners as float32
    assert theirs.body_ipos[1] == pytest.approx(solid.com, abs=1e-6)


# ------------------------------------------------------------------------------------------------------- import


@pytest.mark.parametrize("block", range(10))
def test_two_hundred_random_trees_both_ways(block: int, tmp_path: Path, rng: np.random.Generator) -> None:
    """The trees as we read them, and what we write of them again, against what MuJoCo reads."""
    path, again = tmp_path / "crawler.xml", tmp_path / "again.xml"
    for seed in range(block, COUNT, 10):
        path.write_text(crawler(seed))
        description = zp.load(path)
        model = zp.compile(description)
        theirs = without_contacts(mujoco.MjModel.from_xml_path(str(path)))
        assert model.total_mass == pytest.approx(theirs.body_subtreemass[0], rel=1e-12)
        assert_same_motion(model, theirs, pairs_in_order(model, theirs), rng, states=1)
        assert write_mjcf(description, again) == ()
        theirs = without_contacts(mujoco.MjModel.from_xml_path(str(again)))
        assert_same_motion(model, theirs, pairs_by_name(model, theirs), rng, states=1)


@pytest.mark.parametrize("name", zp.zoo.names())
def test_round_trip(name: str, tmp_path: Path) -> None:
    """Names, kinds, masses, inertias, places, springs, dampers, actuators, limits and the start come back."""
    before = zp.zoo.get(name)
    write_mjcf(before, tmp_path / "body.xml")
    after = zp.load(tmp_path / "body.xml")
    assert sorted(body.name for body in after.bodies) == sorted(body.name for body in before.bodies)
    for old in before.bodies:
        new = after.body(old.name)
        a, b = old.joint, new.joint
        assert (new.parent, b.kind, b.actuator is None) == (old.parent, a.kind, a.actuator is None)
        one, other = old.mass_properties(), new.mass_properties()
        assert other.mass == one.mass
        assert other.com == pytest.approx(one.com, abs=1e-15)
        assert np.allclose(other.inertia, one.inertia, rtol=1e-9, atol=1.1e-14)
        for field in ("stiffness", "damping", "armature", "rest"):
            assert b.per_dof(getattr(b, field)) == pytest.approx(
                a.per_dof(getattr(a, field)), rel=1e-12, abs=1e-15
            )
        assert b.position == pytest.approx(a.position, abs=1e-15)
        assert abs(float(np.dot(b.rotation, a.rotation))) == pytest.approx(1.0, abs=1e-15)
        assert b.initial_coordinates() == pytest.approx(a.initial_coordinates(), abs=1e-15)
        assert b.limit_pairs() == a.limit_pairs()
        assert [shape.density for shape in new.shapes] == [shape.density for shape in old.shapes]
        meshes = {"frustum": "polyhedron", "tapered_capsule": "polyhedron"}
        kinds = [meshes.get(shape.kind, shape.kind) for shape in old.shapes]
        assert [shape.kind for shape in new.shapes] == kinds
        if a.actuator is not None:
            assert b.actuator == a.actuator
    one, other = zp.compile(before), zp.compile(after)
    for dof, dof_name in enumerate(one.dof_names):
        stiffness = other.dofs.limit_stiffness[other.dof_index(dof_name)]
        assert stiffness == pytest.approx(one.dofs.limit_stiffness[dof], rel=1e-9)


FIGURE = """
<mujoco model="figure">
  <compiler angle="degree"/>
  <option timestep="0.005"/>
  <default>
    <geom density="985" condim="1"/>
    <joint damping="0.2" stiffness="1" armature="0.01" limited="true" solimplimit="0 .99 .01"/>
    <motor ctrlrange="-1 1" ctrllimited="true"/>
    <default class="big"><joint damping="5" stiffness="10"/>
      <default class="stiff"><joint stiffness="20"/></default>
    </default>
  </default>
  <worldbody>
    <light pos="0 0 3"/><camera name="side" pos="0 -3 1"/>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="trunk" pos="0 0 1.3">
      <freejoint name="root"/>
      <geom type="capsule" fromto="0 -.07 0 0 .07 0" size=".07"/>
      <geom name="head" type="sphere" pos="0 0 .19" size=".09"/>
      <site name="nose" pos=".1 0 .2"/>
      <body name="waist" pos="-.01 0 -.26" quat="1 0 -.002 0">
        <geom type="capsule" fromto="0 -.06 0 0 .06 0" size=".06"/>
        <joint name="waist_z" axis="0 0 1" pos="0 0 .065" range="-45 45" class="stiff"/>
        <joint name="waist_y" axis="0 1 0" pos="0 0 .065" range="-75 30" class="big"/>
        <body name="thigh" pos="0 -.1 -.04">
          <joint name="hip_x" axis="1 0 0" range="-25 5" class="big"/>
          <joint name="hip_z" axis="0 0 1" range="-60 35" class="big" ref="10"/>
          <joint name="hip_y" axis="0 1 0" range="-110 20" class="stiff" springref="-15"/>
          <geom type="capsule" fromto="0 0 0 0 .01 -.34" size=".06"/>
          <body name="shin" pos="0 .01 -.403">
            <joint name="knee" axis="0 -1 0" pos="0 0 .02" range="-160 2"/>
            <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".049"/>
            <body name="foot" pos="0 0 -.35">
              <joint type="ball" name="ankle" limited="false" stiffness="3"/>
              <geom type="box" size=".09 .04 .02" pos=".04 0 -.02" euler="0 0 10"/>
              <body name="toe" pos=".12 0 0"><joint type="slide" axis="1 0 0" range="-1 1" ref=".1"/>
                <geom type="ellipsoid" size=".03 .02 .01" mass=".2"/></body>
            </body>
          </body>
        </body>
        <body name="hand" pos="0 .3 .1"><geom type="cylinder" size=".02 .1"/></body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="waist" joint="waist_y" gear="40"/>
    <motor name="hip" joint="hip_y" gear="120" ctrlrange="-.5 .5"/>
    <position name="knee" joint="knee" kp="20" dampratio="1" gear="2"/>
  </actuator>
  <keyframe><key name="squat"/></keyframe>
</mujoco>
"""
"""What figures in MuJoCo's format are made of: classes, several joints on a body, anchors, ref, springref, geared servos."""


def test_a_figure_with_defaults_and_anchors(tmp_path: Path, rng: np.random.Generator) -> None:
    path = tmp_path / "figure.xml"
    path.write_text(FIGURE)
    description = zp.load(path)
    model = zp.compile(description)
    assert description.name == "figure"
    assert [body.name for body in description.bodies] == [
        "trunk", "waist_z", "waist", "hip_x", "hip_z", "thigh", "shin", "foot", "toe", "hand",
    ]  # fmt: skip
    assert description.body("thigh").joint.actuator == zp.description.Motor(strength=60.0)
    assert description.body("shin").joint.actuator.stiffness == pytest.approx(80.0)  # kp·gear²
    assert description.body("hip_z").joint.limit_pairs() == (
        pytest.approx(np.radians([-70.0, 25.0]).tolist()),
    )
    assert description.body("thigh").joint.rest == pytest.approx(np.radians(-15.0))
    assert description.body("foot").joint.per_dof(description.body("foot").joint.stiffness) == (3.0,) * 3
    assert len(description.body("trunk").shapes) == 2
    theirs = without_contacts(mujoco.MjModel.from_xml_path(str(path)))
    theirs.actuator_gainprm[:] *= (
        0.0  # a control of zero is another angle here, where hinges count from `ref`
    )
    assert_same_motion(model, theirs, pairs_in_order(model, theirs), rng, states=4)
    again = compiled(mjcf_of(description))
    assert_same_motion(model, again, pairs_by_name(model, again), rng, states=4)


HUMANOID = mujoco_humanoid_path()
needs_humanoid = pytest.mark.skipif(
    HUMANOID is None,
    reason="no humanoid.xml; pip install --no-deps mujoco-mjx brings it",
)


@needs_humanoid
def test_the_humanoid_of_mujoco(rng: np.random.Generator) -> None:
    description = zp.load(HUMANOID)  # nothing of it is left out
    model = zp.compile(description)
    theirs = without_contacts(mujoco.MjModel.from_xml_path(str(HUMANOID)))
    assert model.nv == theirs.nv == 27
    assert_same_motion(model, theirs, pairs_in_order(model, theirs), rng, states=5)
    again = compiled(mjcf_of(description))
    assert_same_motion(model, again, pairs_by_name(model, again), rng, states=2)


@needs_humanoid
def test_the_humanoid_touches_the_floor_with_its_feet() -> None:
    """This copy of the file has masks of 0 and four pairs of foot and floor, whose friction is the default 1."""
    found = zp.load(HUMANOID)
    touching = {body.name for body in found.bodies for shape in body.shapes if shape.contact}
    assert touching == {"foot_left", "foot_right"}
    assert found.surface is not None and found.surface.friction == 0.7
    # They meet the ground, but not each other.
    assert found.surface.mask == 1 and not found.surface.group & found.surface.mask
    assert {pair.bodies: pair.friction for pair in found.pairs} == {
        ("foot_right", "ground"): 1.0,
        ("foot_left", "ground"): 1.0,
    }
    assert "The plane 'floor' was passed over" in found.notes


@needs_humanoid
def test_the_humanoid_that_touches_with_all_its_body(tmp_path: Path) -> None:
    """As in MuJoCo's own copy: masks of 1, no friction between its parts, and two excludes."""
    assert HUMANOID is not None
    text = HUMANOID.read_text().replace('condim="3" friction=".7"', 'condim="1" friction=".7"')
    path = tmp_path / "humanoid.xml"
    path.write_text(text.replace('contype="0" conaffinity="0"', ""))
    found = zp.load(path)
    assert found.self_contact and found.surface == Surface(friction=0.0)
    parted = {frozenset(pair.bodies) for pair in found.pairs if not pair.contact}
    assert {frozenset(("waist_lower", "thigh_right")), frozenset(("waist_lower", "thigh_left"))} < parted
    # Neighbours there; here bodies without mass lie between.
    assert frozenset(("pelvis", "thigh_left")) in parted
    slippery = [pair for pair in found.pairs if pair.contact]
    assert {(pair.bodies[1], pair.friction) for pair in slippery} == {("ground", 1.0)}


def test_a_mesh_becomes_its_hull(tmp_path: Path) -> None:
    """Oracle: a box of the same corners. Tolerance: MuJoCo keeps corners as float32, 6e-8 of their size."""
    corners = [(x, y, z) for x in (0, 0.3) for y in (0, 0.2) for z in (0, 0.1)] + [(0.1, 0.1, 0.05)]
    vertex = " ".join(str(number) for corner in corners for number in corner)
    path = tmp_path / "brick.xml"
    path.write_text(
        f'<mujoco><asset><mesh name="brick" vertex="{vertex}"/></asset><worldbody><body name="b"><freejoint/>'
        '<geom type="mesh" mesh="brick" pos="1 2 3" quat="0 1 0 0"/></body></worldbody></mujoco>'
    )
    (shape,) = zp.load(path).bodies[0].shapes
    assert shape.kind == "polyhedron" and len(shape.vertices) == 8 and len(shape.faces) == 6
    assert shape.position == pytest.approx((1, 2, 3), abs=1e-6)
    brick = Box(size=(0.3, 0.2, 0.1), position=(1.15, 2 - 0.1, 3 - 0.05))
    found, expected = shape.mass_properties(), brick.mass_properties()
    assert found.mass == pytest.approx(expected.mass, rel=1e-6)
    assert found.com == pytest.approx(expected.com, abs=1e-6)
    assert np.allclose(found.inertia, expected.inertia, rtol=1e-6, atol=1e-9)
