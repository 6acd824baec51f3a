"""Joints: what each kind may have, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from zoophyte.description import JOINT_KINDS, Body, Joint, Motor, Servo
from zoophyte.errors import DescriptionError


def refused(**fields: object) -> str:
    with pytest.raises(DescriptionError) as caught:
        Joint(**fields)
    return str(caught.value)


def test_defaults() -> None:
    joint = Joint()
    assert (joint.kind, joint.dof_count, joint.coordinate_count) == ("fixed", 0, 0)
    assert joint.initial_coordinates() == ()
    assert joint.limit_pairs() is None


@pytest.mark.parametrize(
    ("kind", "dofs", "start"),
    [
        ("fixed", 0, ()),
        ("hinge", 1, (0.0,)),
        ("slide", 1, (0.0,)),
        ("universal", 2, (0.0, 0.0)),
        ("ball", 3, (1.0, 0.0, 0.0, 0.0)),
        ("free", 6, (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
    ],
)
def test_kinds(kind: str, dofs: int, start: tuple) -> None:
    joint = Joint(kind=kind)
    assert joint.dof_count == dofs
    assert joint.initial_coordinates() == start
    assert joint.coordinate_count == len(start)
    assert joint.per_dof(joint.damping) == (0.0,) * dofs


def test_every_kind_is_in_the_table() -> None:
    schema = Joint.model_json_schema()["properties"]["kind"]["enum"]
    assert list(JOINT_KINDS) == schema


def test_an_axis_is_made_one_long_and_stays_so() -> None:
    joint = Joint(kind="hinge", axis=(1, 2, -2))
    assert joint.axis == pytest.approx((1 / 3, 2 / 3, -2 / 3), rel=1e-15)
    assert Joint(kind="hinge", axis=joint.axis).axis == joint.axis


@pytest.mark.parametrize("axis", [(5e-324, 0, 0), (1e308, 1e308, 1e308), (1e-320, 1e-320, 0)])
def test_an_axis_of_any_length_is_a_direction(axis: tuple) -> None:
    assert math.hypot(*Joint(kind="slide", axis=axis).axis) == pytest.approx(1.0, rel=1e-15)


def test_normalising_again_changes_no_bit(rng: np.random.Generator) -> None:
    """Files written and read again must give the same bits, so normalising is idempotent."""
    for numbers in rng.normal(size=(500, 4)):
        unit = (numbers / np.linalg.norm(numbers)) * (1 + 1e-8 * rng.uniform(-1, 1))
        once = Joint(rotation=unit, kind="hinge", axis=numbers[:3])
        twice = Joint(rotation=once.rotation, kind="hinge", axis=once.axis)
        assert (once.rotation, once.axis) == (twice.rotation, twice.axis)
        assert math.hypot(*once.rotation) == pytest.approx(1.0, abs=1e-15)


def test_one_number_stands_for_every_dof() -> None:
    joint = Joint(kind="ball", stiffness=2, damping=(1, 2, 3))
    assert joint.per_dof(joint.stiffness) == (2.0, 2.0, 2.0)
    assert joint.per_dof(joint.damping) == (1.0, 2.0, 3.0)
    assert joint.per_dof(None) == (0.0, 0.0, 0.0)


def test_limits_for_one_or_each() -> None:
    assert Joint(kind="hinge", limits=(-1, 1)).limit_pairs() == ((-1.0, 1.0),)
    assert Joint(kind="hinge", limits=[[-1, 1]]).limit_pairs() == ((-1.0, 1.0),)
    assert Joint(kind="universal", limits=(-1, 1)).limit_pairs() == ((-1.0, 1.0), (-1.0, 1.0))
    assert Joint(kind="universal", limits=np.array([[-1, 1], [0, 2]])).limit_pairs() == (
        (-1.0, 1.0),
        (0.0, 2.0),
    )
    assert Joint(kind="slide", limits=(0.5, 0.5)).limit_pairs() == ((0.5, 0.5),)


def test_initial_coordinates() -> None:
    assert Joint(kind="hinge", initial=0.3).initial_coordinates() == (0.3,)
    assert Joint(kind="hinge", initial=[0.3]).initial == 0.3
    assert Joint(kind="universal", initial=(1, 2)).initial_coordinates() == (1.0, 2.0)
    assert Joint(kind="ball", initial=(0, 1, 0, 0)).initial_coordinates() == (0.0, 1.0, 0.0, 0.0)
    assert Joint(kind="free", initial=(1, 0, 0, 0, 1, 2, 3)).initial_coordinates()[4:] == (1.0, 2.0, 3.0)


def test_actuators() -> None:
    assert Joint(kind="hinge", actuator=Servo(stiffness=3)).actuator.damping == 0.0
    assert Joint(kind="ball", actuator={"kind": "motor", "strength": 3}).actuator.max_speed == math.inf


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"kind": "free", "initial": (0, 0, 0, 0, 0, 0, 1)},
            ["quaternion of length 0", "[1, 0, 0, 0] is no turn"],
        ),
        (
            {"kind": "free", "initial": (1, 0, 0, 0, 0, 0, math.nan)},
            ["nan]; entry 7 must be a number (finite)"],
        ),
        (
            {"kind": "hinged"},
            ["kind: is 'hinged'", "fixed, hinge, slide, universal, ball, free", "mean 'hinge'?"],
        ),
        ({"kind": 3}, ["kind: is 3"]),
        ({"kind": "hinge", "axis": (0, 0, 0)}, ["axis", "points nowhere"]),
        ({"kind": "hinge", "axis": (0, math.nan, 1)}, ["axis", "entry 2"]),
        ({"kind": "hinge", "axis": "z"}, ["axis", "'z'", "x, y, z"]),
        ({"kind": "ball", "axis": (1, 0, 0)}, ["axis", "ball joint has no such thing", "Leave it out"]),
        ({"kind": "universal", "axis": (1, 0, 0)}, ["axis", "takes 'axes'"]),
        ({"kind": "hinge", "axes": ((0, 0, 1), (0, 1, 0))}, ["axes", "takes 'axis'"]),
        ({"kind": "universal", "axes": ((0, 0, 1), (0, 1, 1))}, ["axes", "45°", "must be 90°"]),
        ({"kind": "universal", "axes": ((0, 0, 1), (0, 1, 1e-8))}, ["axes", "89.9999994°"]),
        ({"kind": "universal", "axes": ((0, 0, 1), (0, 0, 0))}, ["axes", "points nowhere"]),
        ({"kind": "universal", "axes": (0, 0, 1)}, ["axes", "two directions"]),
        ({"kind": "hinge", "stiffness": -1}, ["stiffness", "-1", "0 or more"]),
        ({"kind": "hinge", "damping": math.inf}, ["damping", "inf", "finite"]),
        ({"kind": "hinge", "armature": "big"}, ["armature", "'big'"]),
        ({"kind": "universal", "stiffness": (1, 2, 3)}, ["stiffness", "a list of 3", "2 degrees of freedom"]),
        ({"kind": "hinge", "damping": (1, 2)}, ["damping", "1 degree of freedom"]),
        ({"kind": "fixed", "damping": 1}, ["damping", "fixed joint has no springs"]),
        ({"kind": "free", "stiffness": 1}, ["stiffness", "free joint has no springs"]),
        ({"kind": "hinge", "limits": (1, -1)}, ["limits", "upside down", "[1.0, -1.0]"]),
        ({"kind": "universal", "limits": [(0, 1), (1, 0)]}, ["limits", "upside down"]),
        ({"kind": "universal", "limits": [(0, 1)]}, ["limits", "1 pairs", "2 degrees"]),
        ({"kind": "hinge", "limits": (1, 2, 3)}, ["limits", "3 entries"]),
        ({"kind": "hinge", "limits": (-math.inf, 1)}, ["limits", "finite"]),
        ({"kind": "hinge", "limits": 1}, ["limits", "[lower, upper]"]),
        ({"kind": "hinge", "limits": []}, ["limits", "[lower, upper]"]),
        ({"kind": "ball", "limits": (0, 1)}, ["limits", "ball joint has no limits", "Hinge, slide"]),
        ({"kind": "hinge", "limit_stiffness": 1}, ["limit_stiffness", "no limits"]),
        ({"kind": "hinge", "limits": (0, 1), "limit_damping": 1}, ["limit_damping", "no limit_stiffness"]),
        ({"kind": "hinge", "limits": (0, 1), "limit_stiffness": -1}, ["limit_stiffness", "0 or more"]),
        ({"kind": "free", "driven": True}, ["driven", "free joint cannot be driven"]),
        ({"kind": "fixed", "driven": True}, ["driven", "fixed joint cannot be driven"]),
        ({"kind": "hinge", "driven": "yes"}, ["driven", "'yes'", "true or false"]),
        ({"kind": "hinge", "initial": (1, 2)}, ["initial", "1 initial coordinates (angle)"]),
        ({"kind": "universal", "initial": 1}, ["initial", "2 initial coordinates"]),
        ({"kind": "fixed", "initial": 1}, ["initial", "0 initial coordinates"]),
        ({"kind": "ball", "initial": (0, 0, 0, 0)}, ["initial", "length 0", "no turn"]),
        ({"kind": "ball", "initial": (1, 0, 0)}, ["initial", "4 initial coordinates (w, x, y, z)"]),
        ({"kind": "free", "initial": (2, 0, 0, 0, 0, 0, 0)}, ["initial", "length 2"]),
        ({"kind": "free", "actuator": Servo(stiffness=1)}, ["actuator", "free joint has no actuator"]),
        (
            {"kind": "ball", "actuator": Servo(stiffness=80, max_force=4)},
            ["a servo with max_force 4", "no largest force", "Leave max_force out"],
        ),
        (
            {"kind": "hinge", "driven": True, "actuator": Motor(strength=1)},
            ["actuator", "driven", "one of the two"],
        ),
        (
            {"kind": "hinge", "actuator": {"kind": "motr"}},
            ["actuator.kind", "'motr'", "servo, motor", "mean 'motor'?"],
        ),
        ({"kind": "hinge", "actuator": {"stiffness": 1}}, ["actuator.kind", "missing"]),
        ({"kind": "hinge", "actuator": {"kind": "servo"}}, ["actuator.stiffness", "missing"]),
        (
            {"kind": "hinge", "actuator": {"kind": "motor", "strength": -1}},
            ["actuator.strength", "0 or more"],
        ),
        ({"kind": "hinge", "actuator": 5}, ["actuator", "is 5", "mapping"]),
        ({"position": (1, 2)}, ["position", "2 entries"]),
        ({"rotation": (1, 0, 0)}, ["rotation", "must have 4 (w, x, y, z)"]),
        ({"kind": "hinge", "dampng": 1}, ["dampng", "Did you mean 'damping'?"]),
    ],
)
def test_wrong_joints_are_refused(fields: dict, words: list[str]) -> None:
    message = refused(**fields)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_all_problems_of_a_joint_come_together() -> None:
    with pytest.raises(DescriptionError) as caught:
        Joint(kind="hinge", axis=(0, 0, 0), damping=-1, limits=(2, 1), driven=1, colour=3)
    keys = [problem.where for problem in caught.value.problems]
    assert keys == ["Joint: axis", "Joint: damping", "Joint: limits", "Joint: driven", "Joint: colour"]


def test_messages_of_the_library_underneath_stay_inside() -> None:
    message = refused(kind="hinge", damping=object(), zap=1, driven=3, actuator=[1], position=None)
    assert "pydantic" not in message
    assert "Input should" not in message
    assert "http" not in message


def test_motor_speed() -> None:
    with pytest.raises(DescriptionError, match="max_speed: is nan"):
        Motor(strength=1, max_speed=math.nan)
    with pytest.raises(DescriptionError, match="max_speed: is 0, must be greater than 0"):
        Motor(strength=1, max_speed=0)


def test_an_edited_part_is_checked_when_it_is_used() -> None:
    joint = Joint(kind="hinge")
    joint.damping = -1.0
    with pytest.raises(DescriptionError, match=r"Body 'shin': joint.damping: is -1.0"):
        Body(name="shin", joint=joint)


def test_a_body_keeps_its_own_joint() -> None:
    joint = Joint(kind="hinge")
    body = Body(name="shin", joint=joint)
    joint.kind = "slide"
    assert body.joint.kind == "hinge"


def test_the_ground_is_no_body() -> None:
    with pytest.raises(DescriptionError, match="Choose another name"):
        Body(name="ground")
