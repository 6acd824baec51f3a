"""Descriptions joined to one: names, places, surfaces, and that each lives as it did alone."""

from __future__ import annotations

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Attach, Body, Capsule, Connect, Description, Joint, Pair, Sphere, Surface
from zoophyte.errors import DescriptionError, UsageError
from zoophyte.physics import body_poses

QUARTER = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
"""A quarter turn about z."""


def thing(name: str = "thing", **fields: object) -> Description:
    """A hanging arm with a spring to the ground and a pair."""
    bodies = [
        Body(name="upper", joint=Joint(kind="hinge", axis=(0, 1, 0), position=(1, 0, 2)), shapes=[Sphere(radius=0.1)]),
        Body(name="lower", parent="upper", joint=Joint(kind="hinge", axis=(1, 0, 0), position=(0, 0, -1)),
             shapes=[Capsule(radius=0.1, length=0.5)]),
    ]  # fmt: skip
    held = [
        Attach(name="spring", body="lower", point=(0, 0, -1), other_point=(1, 0, 0), stiffness=3.0),
        Connect(body="lower", other="upper"),
    ]
    values = {"pairs": [Pair(bodies=("upper", "lower"), contact=False)], "constraints": held, **fields}
    return Description(name=name, bodies=bodies, **values)


def test_two_bodies_in_one_scene_are_one_line() -> None:
    ants = zp.zoo.ant()
    assert ants.add(zp.zoo.humanoid(), at=(2, 0, 0), prefix="h_") is ants
    assert len(ants.bodies) == len(zp.zoo.ant().bodies) + len(zp.zoo.humanoid().bodies)
    model = zp.compile(ants)
    _, places = body_poses(model, zp.State.neutral(model))
    alone = zp.compile(zp.zoo.humanoid())
    _, there = body_poses(alone, zp.State.neutral(alone))
    for name in alone.body_names[1:]:
        found = places[model.body_index(f"h_{name}")]
        assert np.allclose(found, there[alone.body_index(name)] + (2, 0, 0), atol=1e-15)
    assert Description.from_yaml(ants.to_yaml()) == ants


def test_names_are_prefixed_wherever_they_stand() -> None:
    whole = thing().add(thing(), at=(0, 5, 0), prefix="b_")
    assert [body.name for body in whole.bodies] == ["upper", "lower", "b_upper", "b_lower"]
    assert whole.body("b_lower").parent == "b_upper" and whole.body("b_upper").parent == "ground"
    assert whole.pairs[1].bodies == ("b_upper", "b_lower")
    spring, loop = whole.constraints[2:]
    assert (spring.name, spring.body, spring.other) == ("b_spring", "b_lower", "ground")
    assert (loop.name, loop.body, loop.other) == ("", "b_lower", "b_upper")


def test_places_and_turns_take_points_on_the_ground_along() -> None:
    """A quarter turn about z takes (1, 0, z) to (0, 1, z)."""
    whole = thing().add(thing(), at=(0, 5, 0), rotation=QUARTER, prefix="b_")
    joint = whole.body("b_upper").joint
    assert joint.position == pytest.approx((0, 6, 2), abs=1e-15) and joint.rotation == pytest.approx(QUARTER)
    assert whole.constraints[2].other_point == pytest.approx((0, 6, 0), abs=1e-15)
    assert whole.body("b_lower").joint == thing().body("lower").joint


def test_a_turn_takes_joints_along_that_are_turned_themselves() -> None:
    """Law: every body of a guest is where its own scene has it, turned and moved as a whole: R R_body and R p_body + at.

    The joint's own rotation and that of the guest do not commute, and its coordinate is not 0.  Tolerance: rounding.
    """
    own, turn, at = (0.5, 0.5, -0.5, 0.5), (0.8, 0.0, 0.6, 0.0), (0.3, -2.0, 1.0)
    joint = Joint(kind="hinge", axis=(0, 1, 0), position=(1, 0, 2), rotation=own, initial=0.4)
    guest = thing(constraints=[])
    guest.body("upper").joint = joint
    alone, whole = zp.compile(guest), zp.compile(thing().add(guest, at=at, rotation=turn, prefix="b_"))
    R_alone, p_alone = body_poses(alone, zp.State.neutral(alone))
    R_whole, p_whole = body_poses(whole, zp.State.neutral(whole))
    R = np.array([[0.28, 0.0, 0.96], [0.0, 1.0, 0.0], [-0.96, 0.0, 0.28]])  # by 2·acos 0.8 about y
    for name in ("upper", "lower"):
        there, here = alone.body_index(name), whole.body_index(f"b_{name}")
        assert np.allclose(R_whole[here], R @ R_alone[there], rtol=0.0, atol=1e-14)
        assert np.allclose(p_whole[here], R @ p_alone[there] + at, rtol=0.0, atol=1e-14)


def test_names_that_clash_are_told_with_a_prefix_that_helps() -> None:
    whole = thing()
    before = whole.to_yaml()
    with pytest.raises(
        DescriptionError, match=r"both have something called 'upper', 'lower' and 'spring'\..*prefix='thing_'"
    ):
        whole.add(thing())
    assert whole.to_yaml() == before
    whole.add(thing(), prefix="thing_", at=(0, 3, 0))
    with pytest.raises(DescriptionError, match="prefix='thing2_'"):
        whole.add(thing())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"at": (1, 2)}, r"at is \[1, 2\], which has 2 entries"),
        ({"at": "here"}, "at is 'here', must be a list of 3 numbers"),
        ({"at": (0, 0, float("nan"))}, "entry 3 must be a finite number"),
        ({"rotation": (1, 1, 0, 0)}, "rotation is .* a quaternion of length"),
        ({"prefix": 3}, "prefix is 3, must be text"),
    ],
)
def test_what_cannot_be_used_is_named(options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        thing().add(thing(), **options)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="go with a whole description"):
        thing().add(Body(name="more"), prefix="b_")


def test_what_a_guest_has_wrong_leaves_the_host_alone() -> None:
    whole, guest = thing(), thing()
    guest.bodies[1].parent = "nobody"
    with pytest.raises(DescriptionError, match="is 'nobody', which is no body here"):
        whole.add(guest, prefix="b_")
    assert whole == thing()


def test_each_touches_as_it_did() -> None:
    """A surface, or none, stays with its shapes; who did not touch himself does not begin to."""
    smooth, rough = Surface(friction=0.1), Surface(friction=0.9)
    ghostly = thing(surface=None).add(thing(surface=rough), prefix="b_", at=(0, 5, 0))
    assert ghostly.surface is None and ghostly.body("b_upper").shapes[0].surface == rough
    assert ghostly.body("upper").shapes[0].surface is None and ghostly.body("upper").shapes[0].contact
    other = thing(surface=smooth).add(thing(surface=None), prefix="b_", at=(0, 5, 0))
    assert not other.body("b_upper").shapes[0].contact and other.body("upper").shapes[0].surface is None
    same = thing(surface=smooth).add(thing(surface=smooth), prefix="b_", at=(0, 5, 0))
    assert same.body("b_upper") == same.body("upper").model_copy(
        update={"name": "b_upper", "joint": same.body("b_upper").joint}
    )


def test_who_did_not_touch_himself_does_not_begin_to() -> None:
    """self_contact is one word for the whole; joined with one that has it, the ant's own pairs are kept apart."""
    ant = zp.zoo.ant()
    whole = zp.zoo.ant().add(zp.zoo.ragdoll(), at=(0, 5, 0), prefix="r_")
    assert whole.self_contact and not ant.self_contact
    apart = {frozenset(pair.bodies) for pair in whole.pairs if not pair.contact}
    assert frozenset(("lower0", "lower1")) in apart
    assert frozenset(("torso", "upper0")) not in apart  # a body and its parent never touch
    assert not any(name.startswith("r_") for pair in apart for name in pair)
    reverse = zp.zoo.ragdoll().add(zp.zoo.ant(), at=(0, 5, 0), prefix="a_")
    assert frozenset(("a_lower0", "a_lower1")) in {frozenset(pair.bodies) for pair in reverse.pairs}


def test_a_joined_body_falls_as_it_does_alone() -> None:
    """Law: what does not touch does not matter."""
    alone = zp.zoo.book()
    both = zp.zoo.book().add(zp.zoo.book(), at=(50, 0, 0), prefix="other_")
    lives = [zp.World(body, zp.Habitat(ground=None), dt=1e-2).simulate(seconds=0.2) for body in (alone, both)]
    # The second coordinates are its own, seen from its own frame: placed elsewhere, it falls alike.
    assert np.allclose(lives[1].final.q[7:], lives[0].final.q, atol=1e-12)
    assert np.allclose(lives[1].final.q[:7], lives[0].final.q, atol=1e-12)
