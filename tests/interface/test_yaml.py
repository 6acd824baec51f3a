"""Descriptions as YAML files: there and back."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legs import GOOD, everything
from zoophyte.description import (
    Attach,
    Body,
    Capsule,
    Description,
    Joint,
    MassProperties,
    Servo,
    Sphere,
    load,
)
from zoophyte.errors import DescriptionError, FileError


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
    assert repr(again.model_dump()) == repr(
        description.model_dump()
    )  # also the sign of zero, which == does not see
    assert again.to_yaml() == description.to_yaml()


def test_everything_survives_the_way_through_json() -> None:
    """pydantic wrote forces and speeds without bound as null, which nothing read back."""
    held = Attach(body="body 0", stiffness=1.0)
    description = Description(name="all", bodies=everything().bodies, constraints=[held])
    text = description.model_dump_json()
    assert '"max_force":"Infinity"' in text and '"break_length":"Infinity"' in text
    for again in (Description.model_validate_json(text), Description(**json.loads(text))):
        assert again == description and again.to_yaml() == description.to_yaml()
    with pytest.raises(DescriptionError, match="is 'Infinity', must be a number"):
        Servo(stiffness=1.0, damping="Infinity")  # type: ignore[arg-type]


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


@given(numbers=st.lists(st.floats(-1e18, 1e18), min_size=3, max_size=3))
def test_every_float_survives(numbers: list[float]) -> None:
    thing = Description(name="x", bodies=[Body(name="a", joint=Joint(position=numbers))])
    assert repr(Description.from_yaml(thing.to_yaml()).model_dump()) == repr(thing.model_dump())


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
