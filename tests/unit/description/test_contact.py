"""Surfaces, pairs and constraints: what is refused, with its place, and who is whose neighbour."""

from __future__ import annotations

import math
import re

import pytest

from zoophyte.description import Attach, Body, Connect, Description, Joint, Pair, Sphere, Surface, Weld
from zoophyte.description.tree import kinship
from zoophyte.errors import DescriptionError

WRONG = """\
zoophyte: 1
name: leg
surface: {restitution: 1.5, friction: .inf, group: 99999999, mask: -1}
self_contact: 3
bodies:
  - name: thigh
    shapes:
      - {kind: sphere, radius: 1, surface: {friction_across: 0.2, grain: [0, 0, 0]}}
  - name: shin
    parent: thigh
pairs:
  - {bodies: [thigh, shim]}
  - {bodies: [thigh, thigh]}
  - {bodies: [thigh, ground], restitution: 2}
  - {bodies: [ground, thigh]}
  - {bodies: [thigh]}
  - {bodies: [thigh, 3], contact: 1}
constraints:
  - {kind: connect, name: a, body: thig}
  - {kind: weld, name: a, body: ground, other: shin}
  - {kind: weld, body: shin, other: shin}
  - {kind: attach, body: shin, other: ground}
  - {kind: attach, body: shin, stiffness: 1, break_length: 0}
  - {kind: glue, body: shin}
"""

FOUND = """\
leg.yaml:3: surface.friction: is inf, must be at most 1e+06: there, nothing slips any more.
leg.yaml:3: surface.group: is 99999999, must be 65535 or less.
leg.yaml:3: surface.mask: is -1, must be 0 or more.
leg.yaml:3: surface.restitution: is 1.5; above 1 an impact makes energy. Add springy: true if that is meant.
leg.yaml:4: self_contact: is 3, must be true or false.
leg.yaml:8: bodies[0].shapes[0].surface.grain (body 'thigh'): is [0, 0, 0], which points nowhere, but
leg.yaml:12: pairs[0].bodies[1]: is 'shim', which is no body here. Did you mean 'shin'?
leg.yaml:13: pairs[1].bodies: is ['thigh', 'thigh']: a body and itself. Name two bodies.
leg.yaml:14: pairs[2].restitution: is 2.0; above 1 an impact makes energy.
leg.yaml:15: pairs[3].bodies: is ['ground', 'thigh'], which is the pair of pairs[2] already. Keep one of them.
leg.yaml:16: pairs[4].bodies: is ['thigh'], must be the names of two bodies, [one, other].
leg.yaml:17: pairs[5].bodies[1]: is 3, must be text. Put it in quotes.
leg.yaml:17: pairs[5].contact: is 1, must be true or false.
leg.yaml:19: constraints[0].body: is 'thig', which is no body here. Did you mean 'thigh'?
leg.yaml:20: constraints[1].name: is 'a', which is the name of constraints[0] already.
leg.yaml:20: constraints[1].body: is 'ground', which does not move.
leg.yaml:21: constraints[2].other: is 'shin', which is `body` too. Name two bodies.
leg.yaml:22: constraints[3].stiffness: is missing. It is needed: Force over length [N/m].
leg.yaml:23: constraints[4].break_length: is 0, must be greater than 0.
leg.yaml:24: constraints[5].kind: is 'glue', which is not known. Known kinds: connect, weld, attach.
"""


def test_everything_wrong_with_contact_is_said_at_once() -> None:
    with pytest.raises(DescriptionError) as caught:
        Description.from_yaml(WRONG, source="leg.yaml")
    lines = str(caught.value).splitlines()
    assert lines[0] == "20 problems"
    for line, words in zip(lines[1:], FOUND.splitlines(), strict=True):
        assert line.strip().startswith(words)


@pytest.mark.parametrize(("word", "near"), [("grund", "ground"), ("shim", "shin")])
def test_the_ground_is_among_the_names_that_are_near(word: str, near: str) -> None:
    """For 'grund' it said to name a body of this description, which the ground is not."""
    bodies = [Body(name="thigh"), Body(name="shin", parent="thigh")]
    words = f"is '{word}', which is no body here. Did you mean '{near}'?"
    with pytest.raises(DescriptionError, match=re.escape(words)):
        Description(name="leg", bodies=bodies, pairs=[Pair(bodies=("thigh", word))])
    with pytest.raises(DescriptionError, match=re.escape(words)):
        Description(name="leg", bodies=bodies, constraints=[Weld(body="thigh", other=word)])


def test_a_springy_surface_may_make_energy() -> None:
    assert Surface(restitution=1.2, springy=True).restitution == 1.2
    assert Surface(restitution=1.0).restitution == 1.0
    with pytest.raises(DescriptionError, match=r"Surface: restitution: is 1\.2; above 1"):
        Surface(restitution=1.2)
    with pytest.raises(DescriptionError, match=r"Pair: restitution: is 1\.2; above 1 .* springy"):
        Pair(bodies=("a", "b"), restitution=1.2)


def test_a_grain_may_be_left_alone() -> None:
    assert Surface(grain=(0, 0, 0)).friction_across is None
    assert Surface(friction_across=0.1).grain == (1.0, 0.0, 0.0)


def chain(**fields: object) -> Description:
    bodies = [
        Body(name="a", joint=Joint(kind="free"), shapes=[Sphere(radius=1)]),
        Body(name="b", parent="a", joint=Joint(kind="hinge"), shapes=[Sphere(radius=1)]),
    ]
    return Description(name="chain", bodies=bodies, **fields)


def test_names_are_checked_again_when_bodies_were_edited() -> None:
    description = chain(
        pairs=[Pair(bodies=("a", "b"))], constraints=[Connect(body="b"), Weld(body="b", other="a")]
    )
    assert description.checked() == description
    description.bodies.pop()
    with pytest.raises(DescriptionError) as caught:
        description.checked()
    places = [problem.where.removeprefix("Description 'chain': ") for problem in caught.value.problems]
    assert places == ["constraints[0].body", "constraints[1].body", "pairs[0].bodies[1]"]


def test_wrong_bodies_do_not_multiply_into_wrong_constraints() -> None:
    """When no body can be read, it is the bodies that are wrong."""
    with pytest.raises(DescriptionError, match="bodies: is missing") as caught:
        Description.model_validate({"name": "x", "constraints": [{"kind": "connect", "body": "a"}]})
    assert len(caught.value.problems) == 1


def test_forests_keep_what_their_trees_hold() -> None:
    tree = chain(
        surface=Surface(friction=0.3), self_contact=True, pairs=[Pair(bodies=("a", "ground"), friction=0.1)],
        constraints=[Attach(name="string", body="b", stiffness=2.0)],
    )  # fmt: skip
    forest = Description.forest("two", {"left": tree, "right": chain()})
    assert forest.pairs == [Pair(bodies=("left/a", "ground"), friction=0.1)]
    assert [(held.body, held.other) for held in forest.constraints] == [("left/b", "ground")]
    assert forest.body("left/b").shapes[0].surface == Surface(friction=0.3)
    assert forest.body("right/b").shapes[0].surface is None


def test_there_and_back() -> None:
    surface = Surface(
        friction=0.1 + 0.2, restitution=1 / 3, rolling=1e-3, torsion=2e-3, group=3, mask=5, grain=(0, 1, 0)
    )
    description = chain(
        surface=surface,
        self_contact=True,
        pairs=[
            Pair(bodies=("a", "ground"), friction=0.5, restitution=0.25),
            Pair(bodies=("a", "b"), contact=False),
        ],
        constraints=[
            Connect(name="loop", body="b", other="a", point=(0.1, 0.2, 0.3), other_point=(1 / 3, 0, 0)),
            Weld(body="b"),
            Attach(body="b", stiffness=3.0, damping=0.1, break_length=0.7),
            Attach(body="a", stiffness=3.0, break_length=math.inf),
        ],
    )
    description.body("b").shapes[0].contact = False
    description.body("a").shapes[0].surface = Surface(
        friction_across=0.2, adhesion=1.5, restitution=2.0, springy=True
    )
    text = description.to_yaml()
    assert Description.from_yaml(text) == description
    assert "break_length: 0.7" in text and ".inf" not in text


def test_kinship() -> None:
    """A door on a post that stands still, a handle welded to it, a latch on the handle, and a ball that lies about."""
    bodies = [
        Body(name="post"),
        Body(name="lamp", parent="post"),
        Body(name="door", parent="lamp", joint=Joint(kind="hinge")),
        Body(name="handle", parent="door"),
        Body(name="latch", parent="handle", joint=Joint(kind="slide")),
        Body(name="ball", joint=Joint(kind="free")),
    ]
    kin = kinship(bodies)
    assert [kin[body.name].welded for body in bodies] == ["post", "post", "door", "door", "latch", "ball"]
    carriers, trees = [kin[body.name].carrier for body in bodies], [kin[body.name].tree for body in bodies]
    assert carriers == ["ground", "ground", "post", "post", "door", "ground"]
    assert trees == ["ground", "ground", "door", "door", "door", "ball"]
    apart = {
        (one.name, other.name)
        for n, one in enumerate(bodies)
        for other in bodies[n + 1 :]
        if kin[one.name].never_touches(kin[other.name])
    }
    assert apart == {
        ("post", "lamp"), ("post", "door"), ("lamp", "door"), ("post", "handle"), ("lamp", "handle"), ("door", "handle"),
        ("door", "latch"), ("handle", "latch"),
    }  # fmt: skip
