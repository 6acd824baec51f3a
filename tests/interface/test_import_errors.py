"""Files of other formats, good and bad: what `load`, `write_mjcf` and `zoophyte export` answer."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import zoophyte as zp
from zoophyte.description import Body, Box, Description, Joint, Sphere
from zoophyte.errors import DescriptionError, FileError, MissingExtraError, UsageError, ZoophyteError
from zoophyte.export.mjcf import mjcf_document, mjcf_of, write_mjcf

URDF = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""


def body(inside: str = "", outside: str = "") -> str:
    return (
        '<mujoco>\n<worldbody>\n<body name="a"><joint name="j" type="hinge"/><geom name="g" size="1"/>\n'
        f"{inside}</body></worldbody>\n{outside}</mujoco>"
    )


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, str], Path]:
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


Written = Callable[[str, str], Path]


# ------------------------------------------------------------------------------------------- which reader reads


def test_the_ending_chooses_the_reader_and_the_root_element_decides(written: Written) -> None:
    pytest.importorskip("mujoco")
    yaml = written("body.yaml", zp.zoo.pendulum().to_yaml())
    assert zp.load(yaml).name == "pendulum"
    assert zp.load(written("robot.urdf", URDF)).name == "r"
    assert zp.load(written("robot.xml", URDF)).name == "r"
    assert zp.load(written("hinge.XML", body())).name == "hinge"
    assert zp.load(written("hinge.mjcf", body())).body("a").joint.kind == "hinge"


def test_the_root_option_is_checked(written: Written) -> None:
    with pytest.raises(UsageError, match="root is 'loose', must be 'fixed' or 'free'"):
        zp.load(written("robot.urdf", URDF), root="loose")  # type: ignore[arg-type]


def test_descriptions_are_not_saved_as_yaml_under_another_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"saved as YAML.*write_mjcf"):
        zp.zoo.pendulum().save(tmp_path / "pendulum.xml")


# --------------------------------------------------------------------------------------------------- bad files


@pytest.mark.parametrize("ending", [".xml", ".urdf"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ":1: is not valid XML"),
        ("<mujoco>\n<worldbody>", ":2: is not valid XML"),
        ("<sdf/>", ":1: begins with <sdf>; an MJCF file begins with <mujoco>, a URDF file with <robot>."),
        ('<!DOCTYPE a [<!ENTITY b "c">]><mujoco/>', ":1: declares a document type or an entity"),
        ("zoophyte: 1\nname: x\n", ":1: is not valid XML"),
    ],
)
def test_files_that_are_neither_format(ending: str, text: str, words: str, written: Written) -> None:
    with pytest.raises(FileError) as caught:
        zp.load(written(f"file{ending}", text))
    assert f"file{ending}{words}" in str(caught.value)


def test_files_that_would_take_hours_are_refused_at_once(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zoophyte.description.readers.demands.BODY_LIMIT", 3)
    with pytest.raises(FileError, match=r"many.xml:\d+: <geom> makes more than 3 bodies and geoms"):
        zp.load(written("many.xml", body('<body><geom size="1"/></body>')))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"no\.xml: does not exist"):
        zp.load(tmp_path / "no.xml")
    with (tmp_path / "huge.urdf").open("wb") as file:
        file.truncate(64 * 2**20 + 1)
    with pytest.raises(FileError, match=r"huge\.urdf: is larger than 64 MiB"):
        zp.load(tmp_path / "huge.urdf")


def test_without_mujoco_the_extra_is_named(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtraError, match=r"reading MJCF files needs.*pip install '\.\[mjcf\]'"):
        zp.load(written("a.xml", body()))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (body("<bdy/>"), r"file\.xml:4: is refused by MuJoCo: .*unrecognized element"),
        (body('<geom size="x"/>'), r"file\.xml:4: is refused by MuJoCo"),
        (
            body("", '<include file="no.xml"/>'),
            r"file\.xml:5: <include> names .no\.xml., which was not found",
        ),
        (body('<geom type="mesh" mesh="no"/>'), r"file\.xml:\d+: is refused by MuJoCo"),
        (
            '<mujoco><worldbody><body><joint/><inertial pos="0 0 0" mass="0"/></body></worldbody></mujoco>',
            "refused by MuJoCo",
        ),
    ],
)
def test_what_mujoco_refuses(text: str, words: str, written: Written) -> None:
    pytest.importorskip("mujoco")
    with pytest.raises(FileError, match=words):
        zp.load(written("file.xml", text))


UNSUPPORTED = [
    (
        body("", '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'),
        "file.xml:5: tendon 't'",
    ),
    (body("", '<equality><joint name="e" joint1="j"/></equality>'), "file.xml:5: equality constraint 'e'"),
    (
        body("", '<contact><pair geom1="g" geom2="h" friction="1 .5"/></contact>').replace(
            "</worldbody>", '<geom name="h" type="plane" size="1 1 1"/></worldbody>'
        ),
        "file.xml:5: contact pair of 'h' and 'g': has the frictions 1 and 0.5 along its two tangents",
    ),
    (
        body(
            '<body name="b"><joint/><geom name="h" size="1"/></body>',
            '<contact><pair geom1="g" geom2="h"/></contact>',
        ),
        "file.xml:5: bodies 'a' and 'b': are neighbours, but a <pair> lets them touch",
    ),
    (
        body(
            '<geom type="hfield" hfield="t"/>',
            '<asset><hfield name="t" nrow="2" ncol="2" size="1 1 1 1"/></asset>',
        ).replace('<joint name="j" type="hinge"/>', ""),
        "geom of the type hfield: is terrain, which belongs to the habitat",
    ),
    (
        body("", '<equality><connect name="c" body1="a" anchor="0 0 1" active="false"/></equality>'),
        "file.xml:5: equality constraint 'c': is not active at the start",
    ),
    (
        body("", '<equality><weld name="w" body1="a" relpose="0 0 1 1 0 0 0"/></equality>'),
        "file.xml:5: equality constraint 'w': holds another pose than that of the start",
    ),
    (
        body(
            '<site name="s"/>',
            '<tendon><spatial name="t" stiffness="1"><site site="s"/><site site="w"/></spatial></tendon>',
        ).replace("</worldbody>", '<site name="w" pos="0 0 3"/></worldbody>'),
        "file.xml:5: tendon 't': has a spring that is not relaxed at length 0",
    ),
    (
        body("", '<actuator><velocity name="v" joint="j" kv="1"/></actuator>'),
        "file.xml:5: actuator 'v': has the gain",
    ),
    (
        body("", '<actuator><muscle name="m" joint="j" lengthrange="-1 1"/></actuator>'),
        "file.xml:5: actuator 'm': has muscle dynamics",
    ),
    (
        body("", '<actuator><position name="p" joint="j" kp="1" forcerange="-1 2"/></actuator>'),
        "file.xml:5: actuator 'p': is a servo with the force range [-1.0, 2.0], which is not the same both ways",
    ),
    (
        body("", '<actuator><motor name="m" joint="j"/><motor name="n" joint="j"/></actuator>'),
        "file.xml:5: actuator 'n': is the second actuator of its joint",
    ),
    (
        body().replace('type="hinge"', 'type="ball" range="0 90"'),
        "file.xml:3: joint 'j': is a ball joint with a limit",
    ),
    (
        body().replace('type="hinge"', 'type="ball" frictionloss="1"'),
        "file.xml:3: joint 'j': is a ball or free joint with a frictionloss",
    ),
    (
        body().replace('type="hinge"', 'stiffness="1 2"'),
        "file.xml:3: joint 'j': has a spring or damper that is not linear",
    ),
    (body().replace('<body name="a">', '<body name="a" gravcomp="1">'), "file.xml:3: body 'a': gravcomp"),
    (body("", '<option density="1.2"/>'), "file.xml: option: density, viscosity and wind of a medium"),
]


@pytest.mark.parametrize(("text", "words"), UNSUPPORTED)
def test_what_we_do_not_have_is_named_and_left_out_on_request(
    text: str, words: str, written: Written
) -> None:
    pytest.importorskip("mujoco")
    path = written("file.xml", text)
    with pytest.raises(DescriptionError) as caught:
        zp.load(path)
    assert words in str(caught.value)
    assert str(caught.value).endswith("Read the rest with partial=True (--partial on the command line).")
    found = zp.load(path, partial=True)
    assert "Left out: " in found.notes
    assert found.body("a").mass_properties().mass > 0.0


def test_what_does_no_harm_is_passed_over(written: Written) -> None:
    pytest.importorskip("mujoco")
    harmless = '<sensor><jointpos joint="j"/></sensor><keyframe><key name="k"/></keyframe><custom/>'
    text = body('<camera/><light/><site name="s"/>', harmless).replace(
        "<worldbody>",
        '<worldbody><geom type="plane" size="1 1 1"/><geom type="box" size="1 1 1" pos="0 0 -3"/>',
    )
    found = zp.load(written("file.xml", text))
    assert [each.name for each in found.bodies] == ["scenery", "a"]
    ground = "the ground belongs to the habitat: normal (0, 0, 1), height 0 m, friction 1."
    assert f"A plane was passed over; {ground}" in found.notes


@pytest.mark.parametrize("seed", range(4))
def test_mutated_files_give_a_description_or_an_error_of_ours(seed: int, written: Written) -> None:
    """Characters changed, words lost, files cut short."""
    pytest.importorskip("mujoco")
    chance = random.Random(seed)
    whole, ending = (mjcf_of(zp.zoo.humanoid()), ".xml") if seed % 2 else (URDF, ".urdf")
    for _ in range(20):
        characters = list(whole)
        for _ in range(chance.randint(1, 4)):
            characters[chance.randrange(len(characters))] = chance.choice("<>/=\"' 0a.-\n")
        for text in ("".join(characters), whole[: chance.randrange(len(whole))]):
            try:
                zp.load(written(f"file{ending}", text))
            except ZoophyteError as failure:
                assert str(failure)


# ------------------------------------------------------------------------------------------------------- export


def test_hostile_names_are_escaped_and_come_back(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    names = ['<script>alert("x")</script>', "a & 'b' -- c", "world", "hip.1st", "hip"]
    bodies = [Body(name=name, joint=Joint(kind="hinge", driven=n == 1), shapes=[Sphere(radius=1, name=name)]) for n, name in
              enumerate(names[:4])]  # fmt: skip
    bodies.append(Body(name="hip", joint=Joint(kind="universal"), shapes=[Box(size=(1, 2, 3), name="hip")]))
    before = Description(name="<!-- & -->", bodies=bodies)
    warnings = write_mjcf(before, tmp_path / "body.xml")
    text = (tmp_path / "body.xml").read_text()
    assert "<script>" not in text
    assert any("is driven" in warning for warning in warnings)
    assert any("is called 'world_2' there" in warning for warning in warnings)
    after = zp.load(tmp_path / "body.xml")
    assert after.name == before.name
    assert {"world_2", *names} - {"world"} <= {each.name for each in after.bodies}


def test_deep_chains_are_written_without_recursion() -> None:
    pieces = [
        Body(
            name=f"p{n}",
            parent=f"p{n - 1}" if n else "ground",
            joint=Joint(kind="hinge"),
            shapes=[Sphere(radius=1)],
        )
        for n in range(1500)
    ]
    document = mjcf_document(Description(name="chain", bodies=pieces))
    assert document.text.count("<body ") == 1500
    assert any("MuJoCo's reader goes no deeper" in warning for warning in document.warnings)


def test_unwritable_paths(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        write_mjcf(zp.zoo.pendulum(), tmp_path / "nowhere" / "a.xml")
    with pytest.raises(FileError, match="cannot be written"):
        write_mjcf(zp.zoo.pendulum(), tmp_path)


def test_a_gear_whose_square_is_no_number_is_refused(written: Written) -> None:
    """The square of a gear of 1e200 ended in an OverflowError."""
    text = body("", '<actuator><motor joint="j" gear="1e200" armature="1"/></actuator>')
    with pytest.raises(DescriptionError):
        zp.load(written("geared.xml", text))
