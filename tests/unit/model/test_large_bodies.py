"""Bodies of thousands of parts: compiling, planning who meets whom and packing take work in proportion to their size."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from bodies import random_description
from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Description,
    Joint,
    MassProperties,
    Pair,
    Sphere,
    Surface,
)
from zoophyte.errors import UsageError
from zoophyte.model import articulated, meetings
from zoophyte.model.block import Block
from zoophyte.model.contact_layout import BALL_SHAPE, BOX_SHAPE, ROUND_SHAPE
from zoophyte.model.herd.packing import Body as Needs

SHAPES = {
    BALL_SHAPE: Sphere(radius=0.1),
    ROUND_SHAPE: Capsule(radius=0.1, length=0.1),
    BOX_SHAPE: Box(size=(0.2, 0.2, 0.2)),
}


def tree(count: int, carried: int = 3, **options: Any) -> Description:
    """Capsules on ball joints that carry so many others each; 1 makes a chain."""
    joint, shape = (
        Joint(kind="ball", position=(0.02, 0.0, 0.1), damping=0.01),
        Capsule(radius=0.01, length=0.1),
    )
    bodies = [Body(name="b0", joint=joint, shapes=[shape])]
    for n in range(1, count):
        bodies.append(Body(name=f"b{n}", parent=f"b{(n - 1) // carried}", joint=joint, shapes=[shape]))
    return Description(name="tree", bodies=bodies, **options)


def calls(work: Callable[[], Any]) -> int:
    """Python functions that are called, and built-in ones: these hide loops of their own, but none over all pairs."""
    found = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal found
        found += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def edited(count: int, carried: int) -> Callable[[], Any]:
    description = tree(count, carried, surface=Surface())
    description.bodies[0].joint.damping = 0.02
    return lambda: zp.compile(description)


def grown(count: int, carried: int) -> Callable[[], Any]:
    """A tree to which one body after the other is added, and then found again."""
    whole = tree(count, carried)

    def work() -> None:
        grows = Description(name="tree", bodies=whole.bodies[:1])
        for body in whole.bodies[1:]:
            grows.add(body)
        assert all(grows.body(body.name) == body for body in whole.bodies)

    return work


def packed(count: int, carried: int) -> Callable[[], Any]:
    model = zp.compile(tree(count, carried, surface=Surface()))
    return lambda: (zp.State.neutral(model).checked(model), Block([model]), zp.World(model))


def planned(count: int, carried: int) -> Callable[[], Any]:
    alone, crowd = (
        zp.compile(tree(count, carried, surface=Surface(), self_contact=meets)) for meets in (False, True)
    )
    return lambda: (meetings.Meetings.of([alone]), meetings.Meetings.of([crowd]))


def penned(count: int, carried: int) -> Callable[[], Any]:
    model = zp.compile(tree(count, carried, surface=Surface()))

    def work() -> None:
        herd = zp.Herd([model], dt=2e-3)
        pen = herd.pen([0], herd.terms(1.0, None, None, 0.0, 1.0, 0.05), mixed=False)
        pen.load(0, herd.creatures[0], herd.birth(0, None))
        pen.refresh()

    return work


@pytest.mark.parametrize("carried", [1, 3])
@pytest.mark.parametrize(
    ("job", "most"), [(grown, 600), (edited, 360), (packed, 40), (planned, 20), (penned, 80)]
)
def test_work_is_in_proportion_to_the_size_of_a_body(job: Any, most: int, carried: int) -> None:
    """Who meets whom was asked of every two shapes in Python, and a life began by a look through all links for each."""
    job(400, carried)()  # what happens once
    small, large = (calls(job(count, carried)) for count in (400, 1200))
    assert (large - small) / 800 < most, "calls for one body more"
    assert large < 3.3 * small


def test_a_chain_may_be_longer_than_the_stack_of_python() -> None:
    """Nothing recurs from parent to child, in compiling or packing."""
    model = zp.compile(tree(3 * sys.getrecursionlimit(), 1))
    assert model.nv == 9 * sys.getrecursionlimit()
    assert Block([model]).layout.kinds == tuple(model.links.kind)


def test_bodies_are_found_whatever_was_done_to_the_list() -> None:
    """Where bodies are is remembered, and `body` and `add` look there first: renames and edits of the list are noticed."""
    description = tree(4)
    assert description.body("b2").name == "b2"
    description.bodies[2].name = "stem"
    assert description.body("stem") is description.bodies[2]
    with pytest.raises(zp.errors.DescriptionError, match="no body 'b2'"):
        description.body("b2")
    description.bodies.reverse()
    assert description.body("b3") is description.bodies[0]
    del description.bodies[0]
    with pytest.raises(zp.errors.DescriptionError, match="no body 'b3'"):
        description.body("b3")
    with pytest.raises(zp.errors.DescriptionError, match="'b3', which is no body here"):
        description.add(Body(name="leaf", parent="b3"))
    description.add(Body(name="leaf", parent="stem"))
    with pytest.raises(zp.errors.DescriptionError, match="is the name of"):
        description.add(Body(name="leaf"))
    description.bodies[0].name = "twig"
    with pytest.raises(zp.errors.DescriptionError, match="'twig', which is the name of"):
        description.add(Body(name="twig")).sealed()


def mixed(count: int) -> Description:
    """A tree of all kinds of joints, with limits and rotors; some links have no matter of their own."""
    rng = np.random.default_rng(4)
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("hinge", {"axis": (0.1, 0.7, 0.2), "limits": (-1.0, 1.0), "initial": 0.3}),
        ("slide", {"axis": (0.3, 0.0, 1.0), "limits": (-0.1, 0.1), "initial": 0.05, "armature": 0.1}),
        ("universal", {"limits": ((-1.0, 1.0), (-0.5, 0.5)), "armature": (0.01, 0.0)}),
        ("ball", {"initial": (0.6, 0.8, 0.0, 0.0)}), ("hinge", {"driven": True}), ("fixed", {}),
    ]  # fmt: skip
    bodies = [Body(name="b0", joint=Joint(kind="free"), shapes=[Box(size=(0.3, 0.2, 0.1))])]
    for n in range(1, count):
        kind, more = kinds[rng.integers(len(kinds))]
        shapes = [Box(size=tuple(rng.uniform(0.02, 0.2, 3)), position=tuple(rng.normal(0.0, 0.05, 3)))]
        joint = Joint.model_validate({"kind": kind, "position": tuple(rng.normal(0.0, 0.1, 3)), **more})
        parent = f"b{rng.integers(max(0, n - 9), n)}"
        bodies.append(Body(name=f"b{n}", parent=parent, joint=joint, shapes=shapes))
    return Description(name="mixed", bodies=bodies)


def test_machine_code_and_the_interpreter_agree_on_what_joints_have_to_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Law: a body of many links, worked out as machine code, has the bits that it would have in the interpreter."""
    told = []
    for many in (0, 10**9):
        monkeypatch.setattr(articulated, "MANY", many)
        found = [
            zp.compile(mixed(60)),
            *(zp.compile(random_description(np.random.default_rng(n), 8)) for n in range(4)),
        ]
        told.append([
            [part.tobytes() for part in (each.pivots, each.felt, each.mass, each.moment, each.inertia)]
            for each in (model.dofs.neutral for model in found)
        ])  # fmt: skip
    assert told[0] == told[1]


def test_a_body_of_many_links_is_told_which_joint_has_nothing_to_move() -> None:
    """The bodies that are too large for a look at each link's own matter are factorised; the message is the same."""
    for count in (5, 2 * articulated.MANY):
        body = tree(count)
        thin = Body(
            name="thin", parent=f"b{count - 1}", joint=Joint(kind="hinge"), mass=MassProperties(mass=1.0)
        )
        with pytest.raises(
            zp.errors.DescriptionError, match=r"'thin'.*no moment of inertia to turn about its axis"
        ):
            zp.compile(body.add(thin))


def scene(seed: int, count: int = 14) -> Description:
    """A forest, with scenery, things on it, groups, masks, and pairs that are named."""
    rng = np.random.default_rng(seed)
    bodies: list[Body] = []
    for n in range(count):
        on_ground = n == 0 or rng.random() < 0.3
        parent = "ground" if on_ground else f"b{rng.integers(max(0, n - 4), n)}"
        kind = ["fixed", "hinge", "ball", "universal", "free"][rng.integers(5 if on_ground else 4)]
        shapes = []
        for shape in rng.choice(list(SHAPES.values()), rng.integers(3)):  # type: ignore[arg-type]
            group, mask = (int(x) for x in rng.choice([1, 2, 3, 65535], 2))
            shapes.append(shape.model_copy(update={"surface": Surface(group=group, mask=mask)}))
        mass = MassProperties(mass=1.0, inertia=(1, 1, 1))  # type: ignore[arg-type]
        bodies.append(Body(name=f"b{n}", parent=parent, joint=Joint(kind=kind), shapes=shapes, mass=mass))  # type: ignore[arg-type]
    named = [Pair(bodies=("b1", f"b{n}"), contact=bool(n % 2)) for n in range(4, 8)]
    return Description(name="scene", bodies=bodies, self_contact=seed % 2 == 1, pairs=named)


@pytest.mark.parametrize("seed", range(30))
def test_partners_are_those_of_a_look_at_every_two_shapes(seed: int) -> None:
    """Oracle: the question asked of each pair, one after the other."""
    model = zp.compile(scene(seed))
    filters, count = meetings._filters(model), len(model.touching)
    parted = {frozenset(pair.bodies) for pair in model.pairs if not pair.contact}
    names = [model.body_names[body] for body in model.touching.bodies]
    rows = filters.T.tolist()
    meet = [
        (i, j) for i in range(count) for j in range(i + 1, count) if meetings.filters_meet(rows[i], rows[j])
    ]
    if count:
        partners = meetings._partners(model, filters, touching=True)
        assert partners.tolist() == np.bincount(np.ravel(meet).astype(int), minlength=count).tolist()
    assert meetings.allowed_pairs(model) == [(i, j) for i, j in meet if {names[i], names[j]} not in parted]


def test_no_pair_is_listed_where_a_crowd_meets_or_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A World of 3 334 shapes looked at 5.5 million pairs for 2.5 s, even where none of them could meet."""
    monkeypatch.setattr(meetings, "filters_meet", lambda a, b: pytest.fail("two shapes were compared"))
    for meets in (False, True):
        found = meetings.Meetings.of([zp.compile(tree(500, surface=Surface(), self_contact=meets))])
        assert found.broad == meets and found.pairs == ()


def test_a_herd_says_that_a_crowd_is_too_much_before_it_lists_it() -> None:
    """All pairs of a crowd were listed before a herd refused it: of 3 334 shapes 5.5 million."""
    model = zp.compile(tree(60, surface=Surface(), self_contact=True))
    with pytest.raises(UsageError, match="so many shapes that may meet that a herd cannot hold it"):
        Needs.of(model)


def test_who_cannot_touch_is_told_what_can_and_how_to_mend_it() -> None:
    """The message told of proxies for files of others only, and not how to make one in a body of one's own."""
    free = [Joint(kind="free", position=(float(n), 0.0, 1.0)) for n in range(2)]
    drum = Body(name="drum", joint=free[0], shapes=[Cylinder(radius=0.1, length=0.2)])
    ball = Body(name="ball", joint=free[1], shapes=[Sphere(radius=0.1)])
    with pytest.raises(
        UsageError, match=r"drum\[0\] may meet.*spheres, capsules.*put one inside.*contact: false"
    ):
        zp.World(Description(name="pair", bodies=[drum, ball], surface=Surface()))
    silent = drum.shapes[0].model_copy(update={"contact": False})
    proxy = Capsule(radius=0.1, length=0.05, density=0.0)
    mended = drum.model_copy(update={"shapes": [silent, proxy]})
    zp.World(Description(name="pair", bodies=[mended, ball], surface=Surface()))


@pytest.mark.parametrize("pair", meetings.PAIR_SHAPES)
def test_each_row_of_the_table_of_pairs_is_known_to_the_kernel(pair: tuple[int, int]) -> None:
    """Law: two shapes of each pair of kinds that the table has, one above the other in space, push each other apart."""
    for first, second in (pair, pair[::-1]):
        places = ((0.0, 0.0, 5.0), (0.03, 0.02, 5.18))
        bodies = [
            Body(name=name, joint=Joint(kind="free", position=place), shapes=[SHAPES[kind]])
            for name, place, kind in zip(("one", "two"), places, (first, second), strict=True)
        ]
        world = zp.World(Description(name="two", bodies=bodies, surface=Surface()), overlap="resolve")
        state = zp.State.neutral(world.model)
        v = state.v.copy()
        v[[5, 11]] = 1.0, -1.0
        life = world.simulate(seconds=0.1, state=state.at(v=v), record_rate=None)
        assert np.abs([life.contact_force("two")]).max() > 0.0
