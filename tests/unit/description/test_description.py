"""Descriptions: names, parents, rings, order, mass, editing."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zoophyte as zp
from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Description,
    Joint,
    MassProperties,
    Servo,
    Sphere,
    combined,
)
from zoophyte.errors import DescriptionError


def body(name: str, parent: str = "ground", kind: str = "hinge", **fields: object) -> Body:
    return Body(name=name, parent=parent, joint=Joint(kind=kind), shapes=[Sphere(radius=0.1)], **fields)


def problems(*bodies: object, **fields: object) -> list[str]:
    with pytest.raises(DescriptionError) as caught:
        Description(name="thing", bodies=list(bodies), **fields)
    return [str(problem) for problem in caught.value.problems]


def names(description: Description) -> list[str]:
    return [body.name for body in description.bodies]


def test_parents_may_come_later_and_are_sorted_first() -> None:
    arm = Description(
        name="arm", bodies=[body("hand", "lower"), body("lower", "upper"), body("upper"), body("hat")]
    )
    assert names(arm) == ["upper", "lower", "hand", "hat"]


def test_an_order_that_is_right_is_kept() -> None:
    arm = Description(
        name="arm", bodies=[body("a"), body("b"), body("c", "b"), body("d", "a"), body("e", "c")]
    )
    assert names(arm) == ["a", "b", "c", "d", "e"]


@given(order=st.permutations(range(12)), parents=st.lists(st.integers(0, 11), min_size=12, max_size=12))
def test_any_order_is_sorted_with_as_little_change_as_possible(order: list, parents: list) -> None:
    """Parents first, nothing lost, and of all such orders the one that puts early bodies earliest."""
    bodies = [body(f"b{i}", f"b{parents[i] % i}" if i else "ground") for i in range(12)]
    shuffled = [bodies[i] for i in order]
    found = names(Description(name="tree", bodies=shuffled))
    parent = {b.name: b.parent for b in bodies}
    assert sorted(found) == sorted(parent)
    given_place = {b.name: i for i, b in enumerate(shuffled)}
    placed = {"ground"}
    for name in found:
        ready = [n for n in parent if n not in placed and parent[n] in placed]
        assert name == min(ready, key=given_place.__getitem__)
        placed.add(name)


def test_duplicate_names() -> None:
    [problem] = problems(body("leg"), body("leg"))
    assert "bodies[1].name (body 'leg')" in problem
    assert "bodies[0]" in problem


def test_unknown_parent() -> None:
    [problem] = problems(body("thigh"), body("shin", "thihg"))
    assert "bodies[1].parent (body 'shin'): is 'thihg'" in problem
    assert "Did you mean 'thigh'?" in problem


def test_ring() -> None:
    found = problems(body("a", "c"), body("b", "a"), body("c", "b"), body("d", "c"))
    assert len(found) == 1
    assert "a → c → b → a" in found[0]


def test_own_parent() -> None:
    [problem] = problems(body("a", "a"))
    assert "hangs on itself" in problem


def test_two_rings_are_two_problems() -> None:
    assert len(problems(body("a", "b"), body("b", "a"), body("c", "d"), body("d", "c"))) == 2


def test_free_bodies_hang_on_the_ground() -> None:
    [problem] = problems(body("a"), body("b", "a", "free"))
    assert "bodies[1].joint.kind (body 'b')" in problem
    assert "only the ground" in problem


@pytest.mark.parametrize("kind", ["hinge", "slide", "universal", "ball", "free"])
def test_massless_leaves(kind: str) -> None:
    [problem] = problems(body("a"), Body(name="wing", joint=Joint(kind=kind)))
    assert "bodies[1] (body 'wing')" in problem
    assert f"{kind} joint" in problem
    assert "mass" in problem


def test_massless_chains_are_allowed_where_mass_follows() -> None:
    """Universal or ball joints made of hinges: the bodies between have no mass, the last one has."""
    chain = [Body(name="x", joint=Joint(kind="hinge")), Body(name="y", parent="x", joint=Joint(kind="hinge"))]
    assert Description(name="chain", bodies=[*chain, body("z", "y")])
    assert len(problems(*chain, body("other"))) == 2


def test_weightless_shapes_are_no_mass() -> None:
    ghost = Body(name="ghost", joint=Joint(kind="hinge"), shapes=[Sphere(radius=1, density=0)])
    assert "neither it nor anything" in problems(ghost)[0]


def test_given_mass_replaces_that_of_the_shapes() -> None:
    heavy = body("heavy", mass=MassProperties(mass=5))
    assert heavy.mass_properties() == MassProperties(mass=5)
    assert "neither it nor anything" in problems(body("light", mass=MassProperties(mass=0)))[0]


@pytest.mark.parametrize("joint", [Joint(kind="hinge", driven=True), Joint(kind="universal", armature=0.1)])
def test_what_needs_no_mass(joint: Joint) -> None:
    """A prescribed motion needs none, and a rotor has inertia of its own."""
    assert Description(name="thing", bodies=[Body(name="arm", joint=joint)])


def test_a_rotor_on_one_of_two_axes_is_not_enough() -> None:
    joint = Joint(kind="universal", armature=(0.1, 0.0))
    assert "universal joint" in problems(Body(name="arm", joint=joint))[0]


def test_everything_at_once() -> None:
    found = problems(
        {"name": "a", "joint": {"kind": "hing", "axis": [0, 0, 0]}},
        {"name": "a", "shapes": [{"kind": "sphere", "radius": -1}, {"kind": "bx"}, 3]},
        {"name": "", "parent": "z"},
        7,
        notes=3,
        colour="red",
    )
    for start in [
        "Description 'thing': bodies[0].joint.kind (body 'a'): is 'hing'",
        "Description 'thing': bodies[0].joint.axis (body 'a'): is [0, 0, 0]",
        "Description 'thing': bodies[1].shapes[0].radius (body 'a'): is -1",
        "Description 'thing': bodies[1].shapes[1].kind (body 'a'): is 'bx'",
        "Description 'thing': bodies[1].shapes[2] (body 'a'): is 3",
        "Description 'thing': bodies[2].name: is empty",
        "Description 'thing': bodies[3]: is 7",
        "Description 'thing': notes: is 3",
        "Description 'thing': colour: is not a known key",
        "Description 'thing': bodies[1].name (body 'a'): is 'a', which is the name of bodies[0] already",
        "Description 'thing': bodies[2].parent: is 'z', which is no body here",
    ]:
        assert sum(problem.startswith(start) for problem in found) == 1, start
    assert len(found) == 11


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "empty"),
        ("a\tb", "printable"),
        ("\x00", "printable"),
        ("\ud800", "printable"),
        ("x" * 201, "at most 200"),
    ],
)
def test_names(name: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        Body(name=name)
    assert str(Body(name="Käfer-Bein 左 №1").name)


def test_too_many_bodies() -> None:
    one = body("a")
    with pytest.raises(DescriptionError, match="holds 1000000 bodies; at most 100000"):
        Description(name="swarm", bodies=[one] * 1_000_000)


@pytest.mark.parametrize("bodies", [None, 3, "abc", {"a": 1}, (body(n) for n in "ab")])
def test_bodies_are_a_list(bodies: object) -> None:
    with pytest.raises(DescriptionError, match=r"bodies: is .* must be a list of bodies"):
        Description(name="thing", bodies=bodies)


def test_many_problems_are_counted_not_listed() -> None:
    with pytest.raises(DescriptionError) as caught:
        Description(name="swarm", bodies=[body(f"b{i}", f"c{i}") for i in range(500)])
    assert len(caught.value.problems) == 201
    assert "300 more" in str(caught.value)


def test_finding_and_editing_a_body() -> None:
    arm = Description(name="arm", bodies=[body("upper")])
    arm.body("upper").joint.damping = 0.5
    assert arm.checked().body("upper").joint.damping == 0.5
    with pytest.raises(
        DescriptionError, match=r"Description 'arm': has no body 'uper'\. Did you mean 'upper'\?"
    ):
        arm.body("uper")


def test_edits_are_checked_when_asked() -> None:
    arm = Description(name="arm", bodies=[body("upper"), body("lower", "upper")])
    arm.bodies[1].parent = "uper"
    arm.bodies[0].joint.damping = -1.0
    with pytest.raises(DescriptionError) as caught:
        arm.checked()
    assert len(caught.value.problems) == 2
    with pytest.raises(DescriptionError):
        arm.to_yaml()


def test_adding() -> None:
    arm = Description(name="arm", bodies=[])
    upper = body("upper")
    arm.add(upper).add(body("lower", "upper"))
    upper.name = "other"
    assert names(arm) == ["upper", "lower"]
    for wrong, words in [
        (body("lower"), r"name is 'lower', which is the name of bodies\[1\] already"),
        (body("hand", "loer"), "parent is 'loer', which is no body here. Did you mean 'lower'?"),
        (body("hand", "hand"), "hangs on itself"),
        (body("hand", "lower", "free"), "kind is 'free'"),
    ]:
        with pytest.raises(DescriptionError, match=words):
            arm.add(wrong)
    assert names(arm.add(body("hand", "lower"))) == ["upper", "lower", "hand"]


def test_descriptions_travel_between_processes() -> None:
    arm = Description(name="arm", bodies=[body("upper")])
    assert pickle.loads(pickle.dumps(arm)) == arm


def test_copies_are_independent() -> None:
    arm = Description(name="arm", bodies=[body("upper")])
    twin = arm.copy()
    twin.body("upper").joint.damping = 1.0
    assert arm.body("upper").joint.damping == 0.0
    assert arm != twin


def test_forest() -> None:
    arm = Description(name="arm", bodies=[body("upper"), body("lower", "upper")])
    both = Description.forest("pair", {"left": arm, "right": arm}, notes="two arms")
    assert [(b.name, b.parent) for b in both.bodies] == [
        ("left/upper", "ground"),
        ("left/lower", "left/upper"),
        ("right/upper", "ground"),
        ("right/lower", "right/upper"),
    ]
    assert names(arm) == ["upper", "lower"]
    assert both.body("left/upper").shapes[0] is not both.body("right/upper").shapes[0]


def test_a_body_weighs_what_its_shapes_weigh_together() -> None:
    """A box cut in two is the same box."""
    halves = [Box(size=(1, 1, 1), position=(0, 0, z)) for z in (-0.5, 0.5)]
    whole = Box(size=(1, 1, 2)).mass_properties()
    found = Body(name="box", shapes=halves).mass_properties()
    assert found.mass == whole.mass
    assert np.allclose(found.com, whole.com, atol=1e-16)
    assert np.allclose(found.inertia, whole.inertia, rtol=1e-14)
    assert found == combined(half.mass_properties() for half in halves)


def test_json_schema() -> None:
    schema = Description.model_json_schema()
    contact = {"surface", "self_contact", "pairs", "constraints"}
    assert set(schema["properties"]) == {"zoophyte", "name", "bodies", "notes", *contact}
    assert schema["required"] == ["name", "bodies"]
    text = json.dumps(schema, allow_nan=False)
    for kind in [
        "sphere",
        "box",
        "capsule",
        "cylinder",
        "ellipsoid",
        "frustum",
        "tapered_capsule",
        "polyhedron",
        "servo",
        "motor",
        "connect",
        "weld",
        "attach",
    ]:
        assert f'"{kind}"' in text
    assert "Spring [N" in text


def test_from_a_mapping() -> None:
    mapping = {
        "name": "ball",
        "bodies": [{"name": "a", "shapes": [{"kind": "capsule", "radius": 1, "length": 2}]}],
    }
    assert Description.model_validate(mapping).bodies[0].shapes == [Capsule(radius=1, length=2)]
    with pytest.raises(DescriptionError, match="Description 'x': bodies: is missing"):
        Description.model_validate({"name": "x"})
    with pytest.raises(DescriptionError, match="must be a mapping"):
        Description.model_validate(3)


def test_importing_loads_neither_numba_nor_scipy() -> None:
    code = "import sys, zoophyte.description; print(sorted({'numba', 'scipy'} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_no_parent_at_all() -> None:
    """None is what other programs take for the world; here that is left out, or has a name."""
    with pytest.raises(
        DescriptionError, match=r"Body 'a': parent: is empty, .*Leave it out, or write 'ground'"
    ):
        Body(name="a", parent=None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: Joint(position=(0, 0, 1e308)),
            ["position", "entry 3 must be a number from -1e+18 to 1e+18"],
        ),
        (lambda: Sphere(radius=1e300), ["radius", "1e+18 or less"]),
        (lambda: Sphere(radius=1, density=1e300), ["density", "1e+18 or less"]),
        (lambda: Joint(kind="hinge", stiffness=-1e300), ["stiffness", "from -1e+18 to 1e+18"]),
        (lambda: Joint(kind="ball", damping=(1, 1e300, 1)), ["damping", "entry 2", "from -1e+18 to 1e+18"]),
        (lambda: Joint(kind="hinge", limits=(-1e300, 0)), ["limits", "entry 1", "from -1e+18 to 1e+18"]),
        (lambda: Joint(kind="hinge", initial=10**400), ["initial", "from -1e+18 to 1e+18"]),
        (lambda: MassProperties(mass=1e300), ["mass", "1e+18 or less"]),
        (lambda: MassProperties(mass=1, com=(1e300, 0, 0)), ["com", "entry 1", "from -1e+18 to 1e+18"]),
        (lambda: Servo(stiffness=1, max_force=1e300), ["max_force", "1e+18 or less, or infinite"]),
    ],
)
def test_positions_near_the_largest_number_are_refused_in_the_description(
    make: Any, words: list[str]
) -> None:
    """A position of 1e308 used to be taken, and a life ended in an OverflowError that was blamed on the user's code."""
    with pytest.raises(DescriptionError) as caught:
        make()
    for word in words:
        assert word in str(caught.value)


def test_the_largest_numbers_that_a_description_takes_can_live() -> None:
    """Whatever follows from numbers of 1e18 in the equations is a number still."""
    far = Body(
        name="far", joint=Joint(kind="free", position=(1e18,) * 3), shapes=[Sphere(radius=1e18, density=1e18)]
    )
    arm = Body(
        name="arm",
        parent="far",
        joint=Joint(kind="hinge", position=(1e18,) * 3),
        shapes=[Sphere(radius=1e-6)],
    )
    model = zp.compile(Description(name="large", bodies=[far, arm]))
    assert np.all(np.isfinite(zp.mass_matrix(model, zp.State.neutral(model))))
