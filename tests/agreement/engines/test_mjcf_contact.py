"""Contact in MJCF, both ways.

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
    Body,
    Description,
    Joint,
    Pair,
    Sphere,
    Surface,
)
from zoophyte.description.surface import ALL_GROUPS  # noqa: E402
from zoophyte.description.tree import kinship  # noqa: E402
from zoophyte.export.mjcf import mjcf_document, mjcf_of, write_mjcf  # noqa: E402
from zoophyte.model import Plane  # noqa: E402

pytestmark = pytest.mark.engines

Meetings = dict[frozenset[str], float]
"""For the names of two geoms that touch, their friction."""

GROUND = "ground"
SMALLEST = 1e-5
"""MuJoCo takes smaller frictions for this one."""


# ------------------------------------------------------------------------------------------------------- oracles


class Rule:
    """Who may touch whom, word by word."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self.bodies = {body.name: body for body in description.bodies}
        self.own = {frozenset(pair.bodies): pair for pair in description.pairs}

    def piece(self, name: str) -> str:
        while self.bodies[name].joint.kind == "fixed" and self.bodies[name].parent != GROUND:
            name = self.bodies[name].parent
        return name

    def is_still(self, name: str) -> bool:
        return self.bodies[self.piece(name)].joint.kind == "fixed"

    def tree(self, name: str) -> str:
        name = self.piece(name)
        while (above := self.bodies[name].parent) != GROUND and not self.is_still(above):
            name = self.piece(above)
        return name

    def may_touch(self, a: str, b: str) -> bool:
        if GROUND in (a, b):
            return not self.is_still(a if b == GROUND else b)
        if self.piece(a) == self.piece(b) or (self.is_still(a) and self.is_still(b)):
            return False
        for one, other in ((a, b), (b, a)):
            above = self.bodies[self.piece(one)].parent
            if not self.is_still(one) and above != GROUND and self.piece(above) == self.piece(other):
                return False
        one_tree = not self.is_still(a) and not self.is_still(b) and self.tree(a) == self.tree(b)
        return self.description.self_contact or not one_tree

    def friction(self, one: tuple[str, Surface], other: tuple[str, Surface]) -> float | None:
        """Of two shapes, each with the name of its body; None if they do not touch."""
        (a, s), (b, t) = one, other
        pair = self.own.get(frozenset((a, b)))
        if not self.may_touch(a, b) or not s.group & t.mask or not t.group & s.mask:
            return None
        if pair is not None and not pair.contact:
            return None
        return math.sqrt(s.friction * t.friction) if pair is None or pair.friction is None else pair.friction


def expected(description: Description, ground: Surface | None) -> Meetings:
    """All pairs of shapes that may touch."""
    rule, found = Rule(description), {}
    things = [
        (shape.name, body.name, shape.surface or description.surface)
        for body in description.bodies
        for shape in body.shapes
        if shape.contact and (shape.surface or description.surface)
    ]
    for (one, a, s), (other, b, t) in itertools.combinations([*things, (GROUND, GROUND, ground)], 2):
        friction = rule.friction((a, s), (b, t)) if s and t else None
        if friction is not None:
            found[frozenset((one, other))] = friction
    return found


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
            joint = Joint(kind="hinge", axis=(1, 0, 0), position=place)
            bodies.append(Body(name=f"between{n}", parent=parent, joint=joint))
            parent, place = f"between{n}", (0.0, 0.0, 0.0)
        shapes = [
            Sphere(radius=1.0, position=tuple(rng.uniform(-0.1, 0.1, size=3)), name=f"s{n}{letter}",
                   contact=bool(rng.random() < 0.9), surface=surface())
            for letter in "ab"[: int(rng.integers(1, 3))]
        ]  # fmt: skip
        joint = Joint(kind=kind, position=place)
        bodies.append(Body(name=f"b{n}", parent=parent, joint=joint, shapes=shapes))
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
    first, second = mjcf_document(description).warnings
    assert first.startswith("surfaces have a restitution") and second.startswith("surfaces have a grain")


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
    # A floor of friction 1, which MuJoCo's defaults make, would decide there.
    assert [(pair.bodies[1], pair.friction) for pair in after.pairs] == [(GROUND, 1.0)] * 4
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
