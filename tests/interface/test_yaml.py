"""Descriptions as YAML files: there and back, every kind of fault, and hostile files."""

from __future__ import annotations

import math
import os
import random
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Description,
    Ellipsoid,
    Frustum,
    Joint,
    MassProperties,
    Motor,
    Polyhedron,
    Servo,
    Sphere,
    load,
)
from zoophyte.errors import DescriptionError, FileError

GOOD = """\
zoophyte: 1
name: leg
notes: a leg that kicks
bodies:
  - name: thigh
    joint:
      kind: ball
      position: [0, 0, 1]
      stiffness: [1, 2, 0.5]
    shapes:
      - kind: capsule
        radius: 0.05
        length: 0.4
        position: [0, 0, -0.2]
  - name: shin
    parent: thigh
    joint:
      kind: hinge
      axis: [0, 1, 0]
      position: [0, 0, -0.4]
      limits: [-2.5, 0]
      actuator: {kind: servo, stiffness: 40, damping: 0.5}
    mass: {mass: 1.5, com: [0, 0, -0.2], inertia: [0.02, 0.02, 0.001]}
"""


def everything() -> Description:
    """One of each kind of shape, joint and actuator, with numbers that are hard to print."""
    solids = [
        Sphere(radius=0.1 + 0.2, name="head", colour=(1, 0.5, 0)),
        Box(size=(1 / 3, 2 / 3, 1e-5)),
        Capsule(radius=0.1, length=5e-324, density=0),
        Cylinder(radius=0.1, length=1e16, density=1e-9, rotation=(0.6, 0, 0.8, 0)),
        Ellipsoid(semi_axes=(0.1, 0.2, 0.3), position=(-0.0, 1e-17, 123456789.123456789)),
        Frustum(radius_start=0, radius_end=math.pi, length=math.e),
        Polyhedron(
            vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
            faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
        ),
    ]
    joints = [
        Joint(kind="free", initial=(0.6, 0.8, 0, 0, 1, 2, 3)),
        Joint(
            kind="hinge", axis=(1, 2, 3), limits=(-1, 1), limit_stiffness=100, limit_damping=1, initial=0.1
        ),
        Joint(kind="slide", driven=True, armature=0.01, rest=0.3),
        Joint(kind="universal", axes=((1, 1, 0), (1, -1, 0)), damping=(1, 2), limits=[(-1, 1), (-2, 2)]),
        Joint(kind="ball", stiffness=(1, 2, 3), rest=(0.1, 0, 0), actuator=Motor(strength=3, max_speed=7)),
        Joint(kind="hinge", actuator=Servo(stiffness=10, damping=0.1)),
        Joint(kind="fixed", position=(1, 2, 3), rotation=(0, 0, 0, 1)),
    ]
    bodies = [
        Body(name=f"body {i}", parent="ground" if i == 0 else f"body {i - 1}", joint=joint, shapes=[solid])
        for i, (joint, solid) in enumerate(zip(joints, solids, strict=True))
    ]
    bodies.append(
        Body(
            name="yes",
            parent="body 6",
            mass=MassProperties(mass=2, com=(0, 0, 1), inertia=(1, 0.1, 0, 1, -0.2, 1.5)),
        )
    )
    return Description(name="null", bodies=bodies, notes="first line\n  second: [line] # here\n\nlast")


def message(text: str) -> str:
    with pytest.raises((DescriptionError, FileError)) as caught:
        Description.from_yaml(text, source="leg.yaml")
    return str(caught.value)


# ------------------------------------------------------------------------------------------ there and back


def test_a_file_means_what_it_says() -> None:
    leg = Description.from_yaml(GOOD)
    assert leg == Description(
        name="leg",
        notes="a leg that kicks",
        bodies=[
            Body(
                name="thigh",
                joint=Joint(kind="ball", position=(0, 0, 1), stiffness=(1, 2, 0.5)),
                shapes=[Capsule(radius=0.05, length=0.4, position=(0, 0, -0.2))],
            ),
            Body(
                name="shin",
                parent="thigh",
                joint=Joint(
                    kind="hinge",
                    axis=(0, 1, 0),
                    position=(0, 0, -0.4),
                    limits=(-2.5, 0),
                    actuator=Servo(stiffness=40, damping=0.5),
                ),
                mass=MassProperties(mass=1.5, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.001)),
            ),
        ],
    )


def test_everything_survives_the_round_trip() -> None:
    description = everything()
    again = Description.from_yaml(description.to_yaml())
    assert again == description
    assert repr(again) == repr(description)  # also the sign of zero, which == does not see
    assert again.to_yaml() == description.to_yaml()


def test_what_is_written_is_short() -> None:
    """Defaults are left out, short vectors stand on one line, whole numbers have no fraction."""
    assert (
        Description.from_yaml(GOOD).to_yaml()
        == """\
zoophyte: 1
name: leg
bodies:
  - name: thigh
    joint:
      kind: ball
      position: [0, 0, 1]
      stiffness: [1, 2, 0.5]
    shapes:
      - kind: capsule
        radius: 0.05
        length: 0.4
        position: [0, 0, -0.2]
  - name: shin
    parent: thigh
    joint:
      kind: hinge
      position: [0, 0, -0.4]
      axis: [0, 1, 0]
      limits: [-2.5, 0]
      actuator:
        kind: servo
        stiffness: 40
        damping: 0.5
    mass:
      mass: 1.5
      com: [0, 0, -0.2]
      inertia: [0.02, 0.02, 0.001]
notes: a leg that kicks
"""
    )


@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_every_float_survives(numbers: list[float]) -> None:
    thing = Description(name="x", bodies=[Body(name="a", joint=Joint(position=numbers))])
    assert repr(Description.from_yaml(thing.to_yaml())) == repr(thing)


printable = st.text(st.characters(codec="utf-8").filter(str.isprintable), min_size=1, max_size=30)
odd_words = st.sampled_from(
    ["null", "~", "true", "No", "1", "0x1F", "0o7", "1e3", ".inf", "-.INF", ".nan", "1_000", "12:30",
     "2001-01-01", "- a", "a: b",
     "# a", "a #b", "*a", "&a", "!a", "%a", "@a", "`a", "'", '"', "[", "{", "|", ">", "?",
     "<<", "=",
     " a", "a ", ",", "---", "...", "-", ":", "a:", "+1", "1.", ".5", "+.5", ".1e1", "+.0e0", "\u00a0", "🐞"]
)  # fmt: skip


@settings(max_examples=200)
@given(name=printable | odd_words, notes=st.text(st.characters(codec="utf-8"), max_size=40) | odd_words)
def test_every_name_and_note_survives(name: str, notes: str) -> None:
    kept = "".join(character for character in notes if character.isprintable() or character in "\n\t")
    if not name.isprintable() or name == "ground":
        name = "a"
    thing = Description(name=name, bodies=[Body(name=name)], notes=kept)
    assert Description.from_yaml(thing.to_yaml()) == thing


def test_saving_and_loading(tmp_path: Path) -> None:
    path = tmp_path / "leg.yaml"
    everything().save(path)
    assert load(path) == everything()
    assert load(str(path)) == everything()
    assert os.listdir(tmp_path) == ["leg.yaml"]


def test_saving_replaces_whole_files_and_keeps_permissions(tmp_path: Path) -> None:
    path = tmp_path / "leg.yaml"
    path.write_text("old")
    path.chmod(0o640)
    everything().save(path)
    assert load(path) == everything()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "leg.yaml"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(FileError, match=r"leg\.yaml: cannot be written: no space left on device"):
        everything().save(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["leg.yaml"]


def test_a_broken_description_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "leg.yaml"
    path.write_text("old")
    leg = everything()
    leg.bodies[0].name = ""
    with pytest.raises(DescriptionError):
        leg.save(path)
    assert path.read_text() == "old"


def test_anchors_may_share_values() -> None:
    text = (
        "name: x\nbodies:\n  - {name: a, shapes: &s [{kind: sphere, radius: 1}]}\n  - {name: b, shapes: *s}\n"
    )
    first, second = Description.from_yaml(text).bodies
    assert first.shapes == second.shapes == [Sphere(radius=1)]
    assert first.shapes[0] is not second.shapes[0]


def test_the_version_is_optional() -> None:
    assert Description.from_yaml(GOOD.replace("zoophyte: 1\n", "")) == Description.from_yaml(GOOD)


# ------------------------------------------------------------------------------------------ faults in content


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "name: leg",
            "nmae: leg",
            ["leg.yaml:2: nmae: is not a known key", "Did you mean 'name'?", "name: is missing"],
        ),
        ("zoophyte: 1", "zoophyte: 2", ["leg.yaml:1: zoophyte: is 2", "reads format 1"]),
        ("zoophyte: 1", "zoophyte: true", ["leg.yaml:1: zoophyte: is true"]),
        ("kind: ball", "kind: bal", ["leg.yaml:7: bodies[0].joint.kind (body 'thigh'): is 'bal'", "'ball'?"]),
        (
            "kind: capsule",
            "kind: capsul",
            ["leg.yaml:11: bodies[0].shapes[0].kind (body 'thigh')", "'capsule'?"],
        ),
        (
            "kind: servo",
            "kind: srvo",
            ["leg.yaml:22: bodies[1].joint.actuator.kind (body 'shin')", "'servo'?"],
        ),
        (
            "parent: thigh",
            "parent: tigh",
            ["leg.yaml:16: bodies[1].parent (body 'shin'): is 'tigh'", "'thigh'?"],
        ),
        ("parent: thigh", "parent: shin", ["leg.yaml:16: bodies[1].parent", "hangs on itself"]),
        ("name: shin", "name: thigh", ["leg.yaml:15: bodies[1].name", "bodies[0]"]),
        ("name: shin", "name: ground", ["leg.yaml:15: bodies[1].name", "world's own body"]),
        ("name: shin", "name: 12", ["leg.yaml:15: bodies[1].name: is 12, must be text", "quotes"]),
        ("name: shin", "name:", ["leg.yaml:15: bodies[1].name: is empty"]),
        ("name: shin", 'name: "a\\tb"', ["leg.yaml:15: bodies[1].name", "printable"]),
        (
            "radius: 0.05",
            "radius: -0.05",
            ["leg.yaml:12: bodies[0].shapes[0].radius", "-0.05", "greater than 0"],
        ),
        ("radius: 0.05", "radius: .nan", ["leg.yaml:12: bodies[0].shapes[0].radius", "nan", "finite"]),
        ("radius: 0.05", "radius: 0.05 m", ["leg.yaml:12:", "'0.05 m'", "must be a number"]),
        ("radius: 0.05", "radius: '0.05'", ["leg.yaml:12:", "Write it without quotes"]),
        ("radius: 0.05", "radius: 1e999", ["leg.yaml:12:", "finite"]),
        ("radius: 0.05", "radius: 1" + 400 * "0", ["leg.yaml:12:", "finite"]),
        ("radius: 0.05", "radius: 1e120", ["leg.yaml:11: bodies[0].shapes[0] (body 'thigh')", "so large"]),
        ("        radius: 0.05\n", "", ["leg.yaml:11: bodies[0].shapes[0].radius", "missing", "Radius [m]"]),
        ("[0, 0, 1]", "[0, 0]", ["leg.yaml:8: bodies[0].joint.position", "2 entries", "x, y, z"]),
        ("[0, 0, 1]", "[0, 0, up]", ["leg.yaml:8: bodies[0].joint.position", "entry 3"]),
        ("[1, 2, 0.5]", "[1, 2]", ["leg.yaml:9: bodies[0].joint.stiffness", "3 degrees of freedom"]),
        (
            "axis: [0, 1, 0]",
            "axis: [0, 0, 0]",
            ["leg.yaml:19: bodies[1].joint.axis (body 'shin')", "points nowhere"],
        ),
        ("[-2.5, 0]", "[0, -2.5]", ["leg.yaml:21: bodies[1].joint.limits", "upside down"]),
        ("mass: 1.5", "mass: -1.5", ["leg.yaml:23: bodies[1].mass.mass", "-1.5", "0 or more"]),
        ("0.02, 0.001]", "0.2, 0.001]", ["leg.yaml:23: bodies[1].mass.inertia", "exceeds the sum"]),
        ("name: leg", "name: leg\nname: arm", ["leg.yaml:3: name: is given twice", "line 2"]),
        (
            "kind: ball",
            "kind: ball\n      kind: hinge",
            ["leg.yaml:8: bodies[0].joint.kind (body 'thigh')", "twice"],
        ),
        (
            "name: leg",
            "name: !!python/name:os.system x",
            ["leg.yaml:2:", "python/name:os.system", "not read"],
        ),
        ("name: leg", "name: !!binary aGk=", ["leg.yaml:2:", "tags are not read"]),
        ("name: leg", "name: !hello leg", ["leg.yaml:2:", "'!hello'"]),
        ("parent: thigh", "<<: {parent: thigh}", ["leg.yaml:16: bodies[1].<<", "not a known key"]),
        ("parent: thigh", "7: thigh", ["leg.yaml:16: bodies[1].7", "not a known key"]),
        ("notes: a leg that kicks", "notes: [a]", ["leg.yaml:3: notes: is ['a'], must be text"]),
        (
            "    mass: {mass",
            "    driven: true\n    mass: {mass",
            ["leg.yaml:23: bodies[1].driven", "not a known key"],
        ),
    ],
)
def test_faults_have_file_line_key_and_reason(old: str, new: str, words: list[str]) -> None:
    assert old in GOOD
    found = message(GOOD.replace(old, new, 1))
    for word in words:
        assert word in found
    for inside in ("pydantic", "Input should", "validation error", "http", "ruamel", "Traceback"):
        assert inside not in found


def test_all_faults_of_a_file_come_together_and_in_its_order() -> None:
    text = GOOD.replace("kind: ball", "kind: bal").replace("parent: thigh", "parent: tigh")
    text = (
        text.replace("radius: 0.05", "raduis: 0.05")
        .replace("[-2.5, 0]", "[0, -2.5]")
        .replace("zoophyte: 1", "zoophyte: 9")
    )
    with pytest.raises(DescriptionError) as caught:
        Description.from_yaml(text, source="leg.yaml")
    assert [problem.where.split(" ")[0].rstrip(":") for problem in caught.value.problems] == [
        f"leg.yaml:{line}" for line in (1, 7, 11, 12, 16, 21)
    ]
    assert str(caught.value).startswith("6 problems\n")


@pytest.mark.parametrize("text", ["- 1", "hello", "3", "true", "[]"])
def test_the_outermost_value_is_a_mapping(text: str) -> None:
    assert "leg.yaml:1: is " in message(text)
    assert "must be a mapping with the keys name and bodies" in message(text)


def test_a_bare_mapping_lacks_its_keys() -> None:
    found = message("{}")
    assert "leg.yaml:1: name: is missing" in found
    assert "leg.yaml:1: bodies: is missing" in found


def test_massless_bodies_are_named_with_their_line() -> None:
    found = message("name: x\nbodies:\n  - name: a\n    joint: {kind: hinge}\n")
    assert "leg.yaml:3: bodies[0] (body 'a')" in found


# ------------------------------------------------------------------------------------------ faults in form


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["leg.yaml: is empty"]),
        ("# nothing\n", ["leg.yaml: is empty"]),
        ("---\n...\n", ["leg.yaml: is empty"]),
        ("null", ["leg.yaml: is empty"]),
        ("name: x\nbodies:\n\t- name: a", ["leg.yaml:3:", "not with tabs"]),
        ("name: x\nbodies: [{name: a", ["leg.yaml:2: ends too early"]),
        ('name: x\nnotes: "abc', ["leg.yaml:2: ends too early", "closing quote"]),
        ("name: x: y", ["leg.yaml:1:", "A colon too many"]),
        ("name: x\n bodies: y", ["leg.yaml:2:"]),
        ("name: [x\nbodies: y", ["leg.yaml:"]),
        ("name: *x", ["leg.yaml:1: uses *x, but no &x"]),
        ("name: x\nbodies: &b\n  - *b", ["leg.yaml:3: uses *b inside of &b"]),
        ("name: x\n---\nname: y", ["leg.yaml:2: begins a second document"]),
        ("name: x\x00", ["leg.yaml:1: holds the character U+0000"]),
        ("name: a\nbodies: b\x07", ["leg.yaml:2: holds the character U+0007"]),
        ("name: \ud800", ["leg.yaml:1: holds the character U+D800"]),
        ("? [a]\n: b", ["leg.yaml:1: has a list or mapping where a key must stand"]),
        ("name: @x", ["leg.yaml:1:", "quotes"]),
        ('name: "\\UFFFFFFFF"', ["leg.yaml: is not valid YAML"]),
        ("[" * 100_000, ["leg.yaml:1: is nested more than 64 levels deep"]),
        ("\n".join(" " * i + "a:" for i in range(100)), ["leg.yaml:65: is nested more than 64 levels deep"]),
    ],
)
def test_texts_that_are_no_yaml(text: str, words: list[str]) -> None:
    with pytest.raises(FileError) as caught:
        Description.from_yaml(text, source="leg.yaml")
    for word in words:
        assert word in str(caught.value)


def test_a_bomb_of_aliases_is_refused_before_it_goes_off() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 30)]
    with pytest.raises(FileError, match=r"leg.yaml:7: holds more than 4000000 values"):
        Description.from_yaml("\n".join(levels), source="leg.yaml")


def test_aliases_cannot_nest_deeper_than_lists_may() -> None:
    levels = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 100)]
    with pytest.raises(FileError, match="nested more than 64 levels deep"):
        Description.from_yaml("\n".join(levels))


def test_endless_lists_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zoophyte.description.reading.ITEM_LIMIT", 1000)
    with pytest.raises(FileError, match="holds more than 1000 entries in one list"):
        Description.from_yaml("name: x\nbodies: [" + "a," * 2000 + "]")


def test_large_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(64 * 2**20 + 1)
    with pytest.raises(FileError, match=r"large.yaml: is larger than 64 MiB"):
        load(path)
    with pytest.raises(FileError, match="is larger than 64 MiB"):
        Description.from_yaml(" " * (64 * 2**20 + 1))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "roach.yaml").write_text(GOOD)
    with pytest.raises(FileError, match=r"roch.yaml: does not exist. Did you mean 'roach.yaml'?"):
        load(tmp_path / "roch.yaml")
    with pytest.raises(FileError, match=r"does not exist\..*folder"):
        load(tmp_path / "nowhere" / "roach.yaml")
    with pytest.raises(FileError, match="cannot be read: is a directory"):
        load(tmp_path)
    with pytest.raises(FileError, match="cannot be read"):
        load("a\x00b")
    with pytest.raises(FileError, match="cannot be written"):
        everything().save(tmp_path / "nowhere" / "leg.yaml")
    with pytest.raises(FileError, match="cannot be written"):
        everything().save(tmp_path)


def test_files_that_are_not_text(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes("name: x\nnotes: Käfer".encode("latin-1"))
    with pytest.raises(FileError, match=r"latin.yaml:2: is not UTF-8 text: byte 0xe4"):
        load(path)
    path.write_bytes(GOOD.encode("utf-16"))
    with pytest.raises(FileError, match=r"latin\.yaml:1: is not UTF-8"):
        load(path)
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert load(path).name == "leg"
    path.write_bytes(GOOD.replace("\n", "\r\n").encode())
    assert load(path) == Description.from_yaml(GOOD)


# ------------------------------------------------------------------------------------------ chance


def survives(text: str) -> None:
    """Whatever the text, the answer is a description or one of our errors, with a printable message."""
    try:
        Description.from_yaml(text, source="leg.yaml")
    except (DescriptionError, FileError) as failure:
        assert str(failure).encode("utf-8")


@settings(max_examples=300)
@given(st.text(max_size=60) | st.text(st.sampled_from("ab:-[]{}&*!|>'\"%#?,\n\t 01.~@`\\"), max_size=40))
def test_random_text(text: str) -> None:
    survives(text)


@given(st.binary(max_size=80))
def test_random_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "random.yaml"
    path.write_bytes(content)
    with pytest.raises((DescriptionError, FileError)):
        load(path)


@pytest.mark.parametrize("seed", range(8))
def test_mutated_files(seed: int) -> None:
    """Characters changed, lines lost, doubled and swapped, files cut short: a hundred of each."""
    chance = random.Random(seed)
    whole = GOOD if seed % 2 else everything().to_yaml()
    for _ in range(50):
        characters = list(whole)
        for _ in range(chance.randint(1, 4)):
            characters[chance.randrange(len(characters))] = chance.choice(
                "ab:-[]{}&*!|>'\"%#?,\n\t 01.~@`\\\x85\u2028é"
            )
        survives("".join(characters))
        lines = whole.splitlines(keepends=True)
        for _ in range(chance.randint(1, 3)):
            a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
            if chance.random() < 0.5:
                lines.pop(a)
            else:
                lines.insert(a, lines[b])
        survives("".join(lines))
        survives(whole[: chance.randrange(len(whole))])


@st.composite
def plain_data(draw: st.DrawFn) -> object:
    """Values of any shape under the keys that exist."""
    keys = st.sampled_from(
        ["name", "bodies", "notes", "parent", "joint", "shapes", "mass", "kind", "axis", "axes", "limits",
         "inertia", "vertices", "faces", "actuator", "initial", "stiffness", "radius", "size", "rotation",
         "driven", "com"]
    )  # fmt: skip
    words = st.sampled_from(
        ["hinge", "ball", "universal", "free", "sphere", "polyhedron", "servo", "ground", "a"]
    )
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | words | st.text(max_size=5)
    return draw(
        st.recursive(
            leaves,
            lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5),
            max_leaves=25,
        )
    )


@settings(max_examples=300)
@given(joint=plain_data(), shape=plain_data(), mass=plain_data(), whole=plain_data())
def test_random_values_under_known_keys(joint: object, shape: object, mass: object, whole: object) -> None:
    body = {"name": "a", "joint": joint, "shapes": [shape], "mass": mass}
    for data in (whole, {"name": "x", "bodies": [body, whole]}, {"name": "x", "bodies": whole}):
        try:
            Description.model_validate(data)
        except DescriptionError as failure:
            assert failure.problems
