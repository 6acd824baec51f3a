"""Contact, constraints and grounds in MJCF, both ways.

Law: one rule of who touches whom, and one mixture of friction, in two programs.  Oracle: the contacts that mj_forward finds
in heaps of spheres that all overlap, so that whatever may touch does; and the rule itself, written down again below.
"""

from __future__ import annotations

import itertools
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
    Pair,
    Sphere,
    Surface,
    TaperedCapsule,
    Weld,
)
from zoophyte.description.surface import ALL_GROUPS  # noqa: E402
from zoophyte.description.tree import kinship  # noqa: E402
from zoophyte.export.mjcf import mjcf_document, mjcf_of, write_mjcf  # noqa: E402
from zoophyte.model import Plane, Terrain  # noqa: E402

pytestmark = pytest.mark.engines

Meetings = dict[frozenset[str], float]
"""For the names of two geoms that touch, their friction."""

GROUND = "ground"
SMALLEST = 1e-5
"""MuJoCo takes smaller frictions for this one."""


# ------------------------------------------------------------------------------------------------------- oracles


def expected(description: Description, ground: Surface | None) -> Meetings:
    """The rule, word by word, one pair of shapes at a time."""
    bodies = {body.name: body for body in description.bodies}

    def piece(name: str) -> str:
        while bodies[name].joint.kind == "fixed" and bodies[name].parent != GROUND:
            name = bodies[name].parent
        return name

    def is_still(name: str) -> bool:
        return bodies[piece(name)].joint.kind == "fixed"

    def tree(name: str) -> str:
        name = piece(name)
        while (above := bodies[name].parent) != GROUND and not is_still(above):
            name = piece(above)
        return name

    def may(a: str, b: str) -> bool:
        if piece(a) == piece(b) or (is_still(a) and is_still(b)):
            return False
        for one, other in ((a, b), (b, a)):
            above = bodies[piece(one)].parent
            if not is_still(one) and above != GROUND and piece(above) == piece(other):
                return False
        return description.self_contact or is_still(a) or is_still(b) or tree(a) != tree(b)

    own = {frozenset(pair.bodies): pair for pair in description.pairs}
    shapes = [(body.name, shape) for body in description.bodies for shape in body.shapes]
    found: Meetings = {}
    things: list[tuple[str, Any, Surface | None]] = [
        (body, shape, (shape.surface or description.surface) if shape.contact else None)
        for body, shape in shapes
    ]
    for (a, one, s), (b, other, t) in itertools.combinations(things, 2):
        if s is None or t is None or not may(a, b):
            continue
        note_meeting(found, (one.name, s), (other.name, t), own.get(frozenset((a, b))))
    for a, one, s in things:
        if ground is not None and s is not None and not is_still(a):
            note_meeting(found, (one.name, s), (GROUND, ground), own.get(frozenset((a, GROUND))))
    return found


def note_meeting(
    found: Meetings, one: tuple[str, Surface], other: tuple[str, Surface], pair: Pair | None
) -> None:
    (a, s), (b, t) = one, other
    if (pair is not None and not pair.contact) or not s.group & t.mask or not t.group & s.mask:
        return
    mean = math.sqrt(s.friction * t.friction)
    found[frozenset((a, b))] = mean if pair is None or pair.friction is None else pair.friction


def contacts_of(text: str) -> Meetings:
    """What MuJoCo finds to touch at the reference pose."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    found: Meetings = {}
    for n in range(data.ncon):
        contact = data.contact[n]
        names = frozenset(model.geom(int(g)).name or GROUND for g in contact.geom)
        found[names] = float(contact.friction[0]) if contact.dim > 1 else 0.0
    return found


def assert_same_meetings(found: Meetings, wanted: Meetings) -> None:
    assert found.keys() == wanted.keys()
    for names, friction in wanted.items():
        assert max(found[names], SMALLEST) == pytest.approx(max(friction, SMALLEST), rel=1e-9), sorted(names)


# -------------------------------------------------------------------------------------------------------- export

FRICTIONS = (0.0, 0.3, 0.8, 0.8, 0.8)


def heap(rng: np.random.Generator, *, plain: bool = False) -> Description:
    """Overlapping spheres on a random forest: welded and still bodies, bodies without mass, groups, masks and pairs."""

    def surface() -> Surface | None:
        if plain or rng.random() < 0.5:
            return None
        group = int(rng.integers(1, 8))
        mask = ALL_GROUPS if rng.random() < 0.5 else int(rng.integers(0, 8))
        return Surface(friction=float(rng.choice(FRICTIONS)), group=group, mask=mask)

    bodies: list[Body] = []
    for n in range(int(rng.integers(4, 10))):
        parent = GROUND if n == 0 or rng.random() < 0.3 else bodies[int(rng.integers(n))].name
        kinds = ["hinge", "slide", "fixed", "ball"] + (["free"] * 2 if parent == GROUND else [])
        kind = str(rng.choice(kinds))
        place = (0.0, 0.0, 0.5) if parent == GROUND else tuple(rng.uniform(-0.02, 0.02, size=3))
        if kind == "hinge" and rng.random() < 0.4:  # something without mass and shapes in between
            bodies.append(
                Body(
                    name=f"between{n}",
                    parent=parent,
                    joint=Joint(kind="hinge", axis=(1, 0, 0), position=place),
                )
            )
            parent, place = f"between{n}", (0.0, 0.0, 0.0)
        shapes = [
            Sphere(radius=1.0, position=tuple(rng.uniform(-0.1, 0.1, size=3)), name=f"s{n}{letter}",
                   contact=bool(rng.random() < 0.9), surface=surface())
            for letter in "ab"[: int(rng.integers(1, 3))]
        ]  # fmt: skip
        bodies.append(
            Body(name=f"b{n}", parent=parent, joint=Joint(kind=kind, position=place), shapes=shapes)
        )
    names = [body.name for body in bodies if body.shapes]
    pairs = []
    for one, other in itertools.combinations([*names, GROUND], 2):
        chance = rng.random()
        if chance < 0.1 and not plain:
            pairs.append(Pair(bodies=(one, other), contact=False))
        elif chance < 0.2 and not plain:
            pairs.append(Pair(bodies=(one, other), friction=float(rng.choice(FRICTIONS)) + 0.1))
    common = Surface(friction=0.8) if plain or rng.random() < 0.8 else None
    return Description(
        name="heap", bodies=bodies, surface=common, self_contact=bool(rng.random() < 0.5), pairs=pairs
    )


@pytest.mark.parametrize("seed", range(60))
def test_mujoco_has_the_same_contacts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    description = heap(rng, plain=seed % 5 == 0)
    ground = Surface(friction=0.5, group=int(rng.integers(1, 4))) if seed % 2 else None
    habitat = zp.Habitat(ground=Plane(), surface=ground) if ground else None
    assert_same_meetings(contacts_of(mjcf_of(description, habitat=habitat)), expected(description, ground))


def swarm(count: int, pieces: int, **fields: Any) -> Description:
    """Many chains of balls in one place."""
    bodies = []
    for n in range(count):
        for k in range(pieces):
            parent = GROUND if k == 0 else f"b{n}.{k - 1}"
            joint = Joint(kind="free" if k == 0 else "hinge", position=(0.01 * n, 0.01 * k, 0.5))
            ball = Sphere(radius=1.0, name=f"s{n}.{k}", **fields)
            bodies.append(Body(name=f"b{n}.{k}", parent=parent, joint=joint, shapes=[ball]))
    return Description(name="swarm", bodies=bodies, surface=Surface())


def test_many_trees_that_do_not_touch_themselves() -> None:
    """More trees than MuJoCo's masks have bits: then it is told by excludes."""
    for count in (3, 40):
        description = swarm(count, 3)
        text = mjcf_of(description)
        assert ("<exclude" in text) == (count > 31)
        assert_same_meetings(contacts_of(text), expected(description, None))


def test_single_bodies_need_no_masks() -> None:
    text = mjcf_of(swarm(50, 1), habitat=zp.Habitat())
    assert "contype" not in text and "<exclude" not in text and "<pair" not in text


def test_more_classes_than_bits_are_told_about(rng: np.random.Generator) -> None:
    description = swarm(40, 1)
    for body in description.bodies:
        group, mask = (int(bits) for bits in rng.integers(1, ALL_GROUPS, size=2))
        body.shapes[0].surface = Surface(group=group & 0x0F0F, mask=mask & 0x3333)
    document = mjcf_document(description)
    assert any("more than 31 kinds of groups and masks" in words for words in document.warnings)


def test_ghosts_touch_nothing(rng: np.random.Generator) -> None:
    description = heap(rng, plain=True)
    description.surface = None
    text = mjcf_of(description, habitat=zp.Habitat())
    assert contacts_of(text) == {}
    assert text.count('contype="0" conaffinity="0"') == sum(len(body.shapes) for body in description.bodies)


def test_torsion_rolling_and_adhesion() -> None:
    def ball(name: str, **surface: float) -> Body:
        shape = Sphere(radius=1.0, name=name, surface=Surface(**surface))
        return Body(name=name, joint=Joint(kind="free", position=(0, 0, 0.01 * len(name))), shapes=[shape])

    description = Description(
        name="three",
        bodies=[ball("a", torsion=0.02), ball("bb", rolling=0.003, torsion=0.01), ball("ccc", adhesion=2.0),
                ball("dddd", adhesion=3.0)],
    )  # fmt: skip
    model = mujoco.MjModel.from_xml_string(mjcf_of(description))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    found = {}
    for contact in data.contact:
        names = "".join(sorted(model.geom(int(g)).name[0] for g in contact.geom))
        found[names] = (contact.dim, contact.friction[2], contact.friction[3], contact.adhesion)
    assert found["ab"] == (6, 0.02, 0.003, 0.0)
    assert found["ac"] == (4, 0.02, SMALLEST, 2.0)
    assert found["cd"][0] == 3 and found["cd"][3] == 3.0  # the larger, not MuJoCo's sum


def test_what_mujoco_cannot_say_about_surfaces() -> None:
    description = swarm(2, 1)
    description.surface = Surface(restitution=0.5, friction_across=0.2)
    warnings = mjcf_document(description).warnings
    assert [words.split(";")[0] for words in warnings] == [
        "surfaces have a restitution",
        "surfaces have a grain",
    ]


# --------------------------------------------------------------------------------------------------------- import


def random_file(rng: np.random.Generator) -> str:
    """Overlapping spheres with masks, dimensions, priorities, parents, welds, excludes and pairs."""
    bodies: list[tuple[int, str]] = []
    for n in range(int(rng.integers(3, 9))):
        parent = -1 if n == 0 or rng.random() < 0.3 else int(rng.integers(n))
        joints = str(rng.choice(["<joint/>", "<joint/><joint axis='1 0 0'/>", "<joint type='ball'/>", ""]))
        joints = "<freejoint/>" if parent == -1 and rng.random() < 0.4 else joints
        geom = (
            f'<geom name="g{n}" size="1" pos="{rng.uniform(-0.1, 0.1):.3f} 0 0" friction="{rng.choice([0.3, 0.7, 1.0])}" '
            f'condim="{rng.choice([1, 3, 3])}" priority="{int(rng.random() < 0.2)}" contype="{rng.integers(0, 4)}" '
            f'conaffinity="{rng.integers(0, 4)}"/>'
        )
        bodies.append((parent, f"{joints}{geom}"))

    def element(n: int) -> str:
        inner = "".join(element(k) for k, (parent, _) in enumerate(bodies) if parent == n)
        height = 0.5 if bodies[n][0] == -1 else 0.01
        return f'<body name="b{n}" pos="0 0 {height}">{bodies[n][1]}{inner}</body>'

    contacts = ""
    for n in range(len(bodies)):
        if rng.random() < 0.3:
            other = str(rng.choice(["world", *(f"b{k}" for k in range(n))]))
            contacts += f'<exclude body1="{other}" body2="b{n}"/>'
        elif bodies[n][0] == -1 and "freejoint" in bodies[n][1] and rng.random() < 0.5:
            contacts += f'<pair geom1="g{n}" geom2="floor" friction=".4 .4"/>'
    trees = "".join(element(n) for n, (parent, _) in enumerate(bodies) if parent == -1)
    floor = '<geom name="floor" type="plane" size="9 9 1" friction=".6"/><geom name="rock" size="1" pos="0 0 .3"/>'
    return f"<mujoco><worldbody>{floor}{trees}</worldbody><contact>{contacts}</contact></mujoco>"


@pytest.mark.parametrize("seed", range(60))
def test_files_are_read_with_the_contacts_that_they_have(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(1000 + seed)
    text = random_file(rng)
    path = tmp_path / "heap.xml"
    path.write_text(text)
    description = zp.load(path)
    wanted = {
        frozenset(name.replace("floor", GROUND) for name in names): value
        for names, value in contacts_of(text).items()
    }
    owners = {shape.name: body for body in description.bodies for shape in body.shapes}
    kin = kinship(description.bodies)
    for names in list(wanted):  # the one thing that differs: what stands still does not touch what it carries
        one, other = (kin[owners[name].name] if name in owners else None for name in names)
        if one and other and (one.carrier == other.welded or other.carrier == one.welded):
            assert one.is_still or other.is_still
            assert "one stands still and carries the other" in description.notes
            del wanted[names]
    assert_same_meetings(expected(description, Surface(friction=0.6)), wanted)


@pytest.mark.parametrize("seed", range(20))
def test_contacts_survive_a_round_trip(seed: int, tmp_path: Path) -> None:
    description = heap(np.random.default_rng(seed))
    write_mjcf(description, tmp_path / "heap.xml", habitat=zp.Habitat())
    again = zp.load(tmp_path / "heap.xml")
    assert_same_meetings(expected(again, Surface()), expected(description, Surface()))


def test_a_plain_creature_keeps_its_plain_surface(tmp_path: Path) -> None:
    """What needs no groups of its own gets none."""
    before = swarm(1, 4)
    before.surface, before.self_contact = Surface(friction=0.7), True
    write_mjcf(before, tmp_path / "plain.xml")
    after = zp.load(tmp_path / "plain.xml")
    assert (after.surface, after.self_contact) == (Surface(friction=0.7), True)
    assert [pair.bodies[1] for pair in after.pairs] == [
        GROUND
    ] * 4  # a floor of friction 1 would decide there
    assert all(shape.surface is None and shape.contact for body in after.bodies for shape in body.shapes)


def test_urdf_collisions_touch_and_visuals_do_not(tmp_path: Path) -> None:
    box = '<geometry><box size="1 1 1"/></geometry>'
    path = tmp_path / "robot.urdf"
    path.write_text(
        f'<robot name="r"><link name="a"><visual>{box}</visual><collision>{box}</collision></link>'
        f'<link name="b"><visual>{box}</visual></link>'
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'
    )
    found = zp.load(path)
    assert (found.surface, found.self_contact) == (Surface(), False)
    assert [[shape.contact for shape in body.shapes] for body in found.bodies] == [[True], [False]]


# -------------------------------------------------------------------------------------------- grounds and constraints


def height(model: Any, data: Any, x: float, y: float) -> float:
    geom = np.zeros(1, np.int32)
    return 100.0 - mujoco.mj_ray(
        model, data, np.array([x, y, 100.0]), np.array([0.0, 0.0, -1.0]), None, 1, -1, geom
    )


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
    assert data.qfrc_passive[first : first + 3] == pytest.approx(
        (7.0 * length + 0.6 * rate) * arm / length, rel=1e-12
    )


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
    taper = (0.2 - 0.1) / 0.5
    rotation = np.array(
        [[math.sqrt(1 - taper**2), 0, taper], [0, 1, 0], [-taper, 0, math.sqrt(1 - taper**2)]]
    )
    corners = model.mesh_vert @ quaternion_matrix(model.mesh_quat[0]).T + model.mesh_pos[0]
    assert rotation @ rotation.T == pytest.approx(np.eye(3), abs=1e-15)
    for (
        x,
        y,
        z,
    ) in corners:  # the largest of the balls between the two that reaches the corner just touches it
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
