"""YAML files with faults, in what they say and in how they say it, and hostile ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from legs import GOOD, everything
from zoophyte.description import (
    Description,
    load,
)
from zoophyte.errors import DescriptionError, FileError


def message(text: str) -> str:
    with pytest.raises((DescriptionError, FileError)) as caught:
        Description.from_yaml(text, source="leg.yaml")
    return str(caught.value)


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
        ("radius: 0.05", "radius: 1e120", ["leg.yaml:12: bodies[0].shapes[0].radius", "1e+18 or less"]),
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
    with pytest.raises(FileError, match=r"nofile.yaml: does not exist\.$"):  # only the endings are alike
        (tmp_path / "flat.yaml").write_text(GOOD)
        load(tmp_path / "nofile.yaml")
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
