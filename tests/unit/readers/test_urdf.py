"""URDF: what becomes what."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Body, Description, Joint, Motor, Servo, Sphere
from zoophyte.errors import DescriptionError, FileError
from zoophyte.export.urdf import write_urdf

INERTIAL = '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'


def robot(inside: str, tmp_path: Path, **options: Any) -> Description:
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">\n<link name="base"/>\n{inside}</robot>')
    return zp.load(path, **options)


def hanging(joint: str, link: str = INERTIAL, kind: str = "continuous") -> str:
    return (
        f'<link name="arm">{link}</link>\n<joint name="j" type="{kind}"><parent link="base"/><child link="arm"/>'
        f"{joint}</joint>\n"
    )


def test_places_axes_limits_dampers_and_motors(tmp_path: Path) -> None:
    inside = hanging(
        '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><axis xyz="0 2 0"/><dynamics damping="0.4"/>'
        '<limit lower="-1" upper="2" effort="30" velocity="4"/>',
        kind="revolute",
    )
    joint = robot(inside, tmp_path).body("arm").joint
    assert (joint.kind, joint.position, joint.axis) == ("hinge", (1.0, 2.0, 3.0), (0.0, 1.0, 0.0))
    assert joint.rotation == pytest.approx((math.sqrt(0.5), 0, 0, math.sqrt(0.5)), abs=1e-15)
    assert (joint.limits, joint.damping) == ((-1.0, 2.0), 0.4)
    assert joint.actuator == zp.description.Motor(strength=30.0, max_speed=4.0)


def test_an_axis_left_out_is_x_and_the_root_is_fixed_or_free(tmp_path: Path) -> None:
    assert robot(hanging(""), tmp_path).body("arm").joint.axis == (1.0, 0.0, 0.0)
    assert robot(hanging(""), tmp_path).body("base").joint.kind == "fixed"
    assert robot(hanging(""), tmp_path, root="free").body("base").joint.kind == "free"


def test_inertials_are_turned_and_moved(tmp_path: Path) -> None:
    link = (
        '<inertial><origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/><mass value="3"/>'
        '<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    mass = robot(hanging("", link), tmp_path).body("arm").mass_properties()
    assert (mass.mass, mass.com) == (3.0, (0.1, 0.0, 0.0))
    assert np.allclose(mass.inertia, np.diag([0.2, 0.1, 0.25]), atol=1e-15)


def test_shapes_are_what_collides_else_what_shows(tmp_path: Path) -> None:
    link = INERTIAL + (
        '<visual><geometry><sphere radius="1"/></geometry><material name="m"><color rgba="1 0.5 0 1"/></material></visual>'
        '<collision><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="2"/></geometry></collision>'
        '<collision><geometry><box size="1 2 3"/></geometry></collision>'
    )
    shapes = robot(hanging("", link), tmp_path).body("arm").shapes
    assert [shape.kind for shape in shapes] == ["cylinder", "box"]
    assert shapes[0].position == (0.0, 0.0, 1.0) and shapes[0].colour == (1.0, 0.5, 0.0)
    only = INERTIAL + '<visual><geometry><capsule radius="1" length="3"/></geometry></visual>'
    assert [shape.kind for shape in robot(hanging("", only), tmp_path).body("arm").shapes] == ["capsule"]


def test_a_link_without_inertial_weighs_nothing(tmp_path: Path) -> None:
    link = '<collision><geometry><sphere radius="1"/></geometry></collision>'
    with pytest.raises(DescriptionError, match=r"robot\.urdf: .*body 'arm'.*has mass"):
        robot(hanging("", link), tmp_path)


def test_a_floating_joint_on_the_root_is_a_free_body(tmp_path: Path) -> None:
    body = robot(hanging('<origin xyz="0 0 1"/>', kind="floating"), tmp_path).body("arm")
    assert (body.parent, body.joint.kind, body.joint.position) == ("ground", "free", (0.0, 0.0, 1.0))


def test_other_programs_elements_are_noted(tmp_path: Path) -> None:
    found = robot(hanging("") + "<gazebo><x/></gazebo><transmission/>", tmp_path)
    assert "<gazebo> were passed over" in found.notes and "<transmission>" in found.notes


UNSUPPORTED = [
    ("<limmit/>", "element <limmit> in joint 'j': is not known. Known: parent, child, axis, limit"),
    ('<origin xyz="1, 2, 3"/>', "<origin>: xyz: is '1, 2, 3', must be three numbers from -1e+18 to 1e+18"),
]


@pytest.mark.parametrize(("inside", "words"), UNSUPPORTED)
def test_what_is_missing_is_named_and_left_out_on_request(inside: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(DescriptionError) as caught:
        robot(hanging(f"\n{inside}"), tmp_path)
    assert f"robot.urdf:5: {words}" in str(caught.value)
    assert "partial=True" in str(caught.value)
    found = robot(hanging(f"\n{inside}"), tmp_path, partial=True)
    assert f"line 5: {words}" in found.notes
    assert str(tmp_path) not in found.notes


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ('<link name="arm"/>', "has 2 links that hang on no joint (['base', 'arm'])"),
        ('<link name="base"/>', "link 'base': is the name of a link in line 2 already"),
        ("<link/>", "link: has no name"),
        (
            hanging("", kind="hinge"),
            "joint 'j': type: is 'hinge', which is not known. Known: revolute, continuous",
        ),
        (hanging("", kind="revolute"), "joint 'j': is revolute, but has no <limit>. A joint without limits"),
        (hanging('<origin xyz="1 2"/>'), "<origin>: xyz: is '1 2', must be three numbers from"),
        (hanging('<origin rpy="1 2 nan"/>'), "<origin>: rpy: is '1 2 nan', must be three numbers from"),
        (hanging('<axis xyz="0 0 0"/>'), "points nowhere"),
        (hanging('<dynamics damping="-1"/>'), "0 or more"),
        (hanging("", INERTIAL.replace('"2"', '"two"')), "<mass>: value: is 'two', must be a number from"),
        (hanging("", INERTIAL.replace('ixx="0.1"', 'ixx="9"')), "exceeds the sum of the other two"),
        (hanging("", INERTIAL.replace('<mass value="2"/>', "")), "link 'arm': inertial: has no <mass>"),
        (hanging("", INERTIAL + "<visual/>"), "link 'arm': visual: has no geometry"),
        (
            hanging("", INERTIAL + '<visual><geometry><sphere radius="-1"/></geometry></visual>'),
            "must be greater than 0",
        ),
        (
            hanging("").replace('<child link="arm"/>', '<child link="amr"/>'),
            "child: is 'amr', which is no link here",
        ),
        (hanging("").replace('<child link="arm"/>', ""), "joint 'j': child: is missing"),
    ],
)
def test_faults_have_file_and_line(inside: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(DescriptionError) as caught:
        robot(inside, tmp_path)
    assert words in str(caught.value)
    assert all(problem.where.startswith(f"{tmp_path}") for problem in caught.value.problems)


def test_rings_and_loops(tmp_path: Path) -> None:
    ring = (
        '<link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
        '<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>'
    )
    with pytest.raises(DescriptionError, match="hangs in a ring"):
        robot(ring, tmp_path)
    loop = hanging("") + '<joint name="k" type="fixed"><parent link="base"/><child link="arm"/></joint>'
    with pytest.raises(DescriptionError, match=r"joint 'k': holds 'arm', which joint 'j' holds already"):
        robot(loop, tmp_path)


def mesh(filename: str, scale: str = "") -> str:
    return INERTIAL + f'<collision><geometry><mesh filename="{filename}"{scale}/></geometry></collision>'


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.parametrize("name", ["meshes/tip.obj", "package://robot_pack/meshes/tip.obj"])
def test_meshes_beside_the_file_and_in_its_package(name: str, tmp_path: Path) -> None:
    pytest.importorskip("trimesh", reason="trimesh is not installed (extra 'mesh')")
    folder = tmp_path / "robot_pack"
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "tip.obj").write_text(TETRAHEDRON)
    (shape,) = robot(hanging("", mesh(name, ' scale="1 2 3"')), folder).body("arm").shapes
    assert shape.kind == "polyhedron"
    assert shape.volume() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no.obj", "the file 'no.obj' was not found. Looked for: "),
        ("package://other/no.obj", "was not found"),
        ("http://example.org/a.stl", "no network"),
        ("", "must name a mesh file"),
    ],
)
def test_missing_meshes_are_named(name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(DescriptionError) as caught:
        robot(hanging("", mesh(name)), tmp_path)
    assert words in str(caught.value)
    assert robot(hanging("", mesh(name)), tmp_path, partial=True).body("arm").shapes == []


def test_friction_of_joints_is_read(tmp_path: Path) -> None:
    """It was refused as not supported, though hinges and slides have dry friction."""
    arm = robot(hanging('<dynamics damping="0.4" friction="0.25"/>'), tmp_path).body("arm")
    assert (arm.joint.damping, arm.joint.friction) == (0.4, 0.25)


def coloured(material: str) -> str:
    return hanging("", f'{INERTIAL}<visual><geometry><sphere radius="1"/></geometry>{material}</visual>')


def test_materials_of_the_robot_colour_what_names_them(tmp_path: Path) -> None:
    """A visual that only named a material of <robot>, as most files have it, got no colour."""
    robots = '<material name="m"><color rgba="0.25 0.5 0.75 1"/></material>'
    named = coloured('<material name="m"/>')
    assert robot(robots + named, tmp_path).body("arm").shapes[0].colour == (0.25, 0.5, 0.75)
    assert robot(named + robots, tmp_path).body("arm").shapes[0].colour == (0.25, 0.5, 0.75)
    own = robot(robots + coloured('<material name="m"><color rgba="1 0 0 1"/></material>'), tmp_path)
    assert own.body("arm").shapes[0].colour == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("material", "words"),
    [
        ('<material name="z"/>', "Material 'z' is named, but nowhere described"),
        ('<material name="z"><color rgba="1 0 0 0.5"/></material>', "transparency was passed over"),
        ('<material name="z"><color rgba="1 0 0"/></material>', "rgba='1 0 0', no four numbers"),
        ('<material name="z"><texture filename="a.png"/></material>', "Textures were passed over"),
    ],
)
def test_what_is_lost_of_materials_is_noted(material: str, words: str, tmp_path: Path) -> None:
    assert words in robot(coloured(material), tmp_path).notes


FOREIGN = (
    "contact",
    "hardwareInterface",
    "joint_properties",
    "safety_controller",
    "calibration",
    "drake:x",
    "odd",
)


@pytest.mark.parametrize("tag", FOREIGN)
def test_elements_of_other_programs_are_noted_and_not_refused(tag: str, tmp_path: Path) -> None:
    """75 of 121 files that come with PyBullet were refused for what says nothing about the mechanics."""
    inside = hanging(f'<{tag} damping="1"/>', INERTIAL + f"<{tag}/>").replace(
        "<drake:x", '<drake:x xmlns:drake="d"'
    )
    assert f"Elements <{tag}> were passed over." in robot(inside, tmp_path).notes


def test_a_joint_that_should_follow_another_moves_by_itself_and_the_notes_say_so(tmp_path: Path) -> None:
    notes = robot(hanging('\n<mimic joint="k"/>'), tmp_path).notes
    assert "line 5: joint 'j': mimic: is not supported; the joint does not follow joint 'k'" in notes


def mended(inside: str, words: str, tmp_path: Path) -> Description:
    """Refused with those words; read in part with a note."""
    with pytest.raises(DescriptionError, match=r"partial=True") as caught:
        robot(inside, tmp_path)
    assert words in str(caught.value)
    found = robot(inside, tmp_path, partial=True)
    assert words in found.notes and "Changed: line " in found.notes
    return found


def test_an_inertia_without_mass_is_mended_in_part(tmp_path: Path) -> None:
    """Files with a fixed base of mass 0 and some inertia were refused even with partial=True."""
    inside = hanging("", INERTIAL.replace('"2"', '"0"'), kind="fixed")
    arm = mended(inside, "but the mass is 0; without mass there is no inertia", tmp_path).body("arm")
    assert arm.mass_properties().mass == 0.0 and not np.any(arm.mass_properties().inertia)


def test_an_inertia_that_no_body_has_is_mended_in_part(tmp_path: Path) -> None:
    """It was refused even with partial=True. 0.1, 0.1, 0.5 lie 0.3 off the plane of flat bodies: each moves by 0.1."""
    inside = hanging("", INERTIAL.replace('ixx="0.1"', 'ixx="0.5"'))
    part = mended(inside, "exceeds the sum of the other two", tmp_path)
    assert np.allclose(part.body("arm").mass_properties().inertia, np.diag([0.4, 0.2, 0.2]), atol=1e-15)
    assert "So the nearest possible moments were taken: 0.2, 0.2, 0.4." in part.notes


def test_limits_upside_down_are_mended_in_part(tmp_path: Path) -> None:
    """They were refused even with partial=True; other programs take them for a joint without limits."""
    inside = hanging('<limit lower="1" upper="-1" effort="3"/>', kind="revolute")
    joint = mended(inside, "joint 'j': limits: is [1.0, -1.0], upside down", tmp_path).body("arm").joint
    assert joint.limits is None and joint.actuator is not None


def test_a_spherical_joint_of_bullet_is_a_ball(tmp_path: Path) -> None:
    found = robot(hanging('<limit lower="0.2" upper="0.8"/>', kind="spherical"), tmp_path)
    assert found.body("arm").joint.kind == "ball" and "limit: was passed over" in found.notes


def test_a_declaration_that_does_not_begin_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text('\n<?xml version="1.0"?><robot name="r"><link name="base"/></robot>')
    with pytest.raises(FileError, match=r"not even an empty line, may stand before"):
        zp.load(path)


def test_xacro_is_no_urdf(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a xacro file"):
        robot('<xacro:macro name="x"/>', tmp_path)


def test_a_mesh_with_a_name_that_no_system_takes_is_missing(tmp_path: Path) -> None:
    """Such a name ended in an OSError, 'file name too long'."""
    link = f'{INERTIAL}<collision><geometry><mesh filename="{"a" * 400}.stl"/></geometry></collision>'
    with pytest.raises(DescriptionError, match="was not found"):
        robot(hanging("", link), tmp_path)


@pytest.mark.parametrize("name", ["ant", "walking_ant", "humanoid"])
def test_bodies_come_back_in_the_order_in_which_they_were_written(name: str, tmp_path: Path) -> None:
    """Bodies came level by level: upper0, lower0, upper1 … came back as upper0, upper1 …, and coordinates with them."""
    body = zp.zoo.get(name)
    write_urdf(body, tmp_path / "body.urdf")
    back = zp.load(tmp_path / "body.urdf", root="free")
    known = {each.name for each in body.bodies}
    assert [each.name for each in back.bodies if each.name in known] == [each.name for each in body.bodies]


def test_parents_come_first_whatever_the_order_of_links(tmp_path: Path) -> None:
    links = "".join(f'<link name="{name}"/>' for name in ("tip", "b", "a", "base"))
    joints = "".join(
        f'<joint name="{child}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>'
        for parent, child in (("base", "a"), ("base", "b"), ("a", "tip"))
    )
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{links}{joints}</robot>', encoding="utf-8")
    assert [body.name for body in zp.load(path).bodies] == ["base", "b", "a", "tip"]


@pytest.mark.parametrize(
    ("actuator", "strength", "note"),
    [
        (Servo(stiffness=5.0), None, "'arm': a servo without a largest force is lost; the effort 1e+06 stands for none."),
        (Servo(stiffness=5.0, max_force=7.0), 7.0, "'arm': of a servo only the largest force is held"),
        (Motor(strength=3e6), None, "'arm': forces of 1e+06 and more are written as that effort"),
        (Motor(strength=3.0), 3.0, ""),
    ],
)  # fmt: skip
def test_a_force_without_bounds_does_not_become_a_motor(
    actuator: Motor | Servo, strength: float | None, note: str, tmp_path: Path
) -> None:
    """A servo without a largest force came back as a motor of 1e6 N·m, and notes told that its largest force was held."""
    joint = Joint(kind="hinge", axis=(0, 1, 0), limits=(-1, 1), actuator=actuator)
    arm = Body(name="arm", joint=joint, shapes=[Sphere(radius=0.1)])
    notes = write_urdf(Description(name="crane", bodies=[arm]), tmp_path / "crane.urdf")
    found = zp.load(tmp_path / "crane.urdf").body("arm").joint.actuator
    assert (None if found is None else found.strength) == strength
    assert [text for text in notes if "force" in text] == [
        text for text in notes if note and text.startswith(note)
    ]
    assert bool(note) == any(text.startswith(note) for text in notes if note)
