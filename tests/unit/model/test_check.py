"""What cannot move is refused by name, all of it at once; what can move is not."""

from __future__ import annotations

import numpy as np
import pytest

import zoophyte as zp
from bodies import random_description, unit_vector
from zoophyte.description import Body, Box, Capsule, Description, Joint, MassProperties, Sphere
from zoophyte.errors import DescriptionError
from zoophyte.model.articulated import SURE_PART, _has_matter_everywhere


def described(*bodies: Body) -> Description:
    return Description(name="odd", bodies=list(bodies))


def point(
    name: str, kind: str, com: tuple[float, float, float], parent: str = "ground", **joint: object
) -> Body:
    """A point mass."""
    return Body(
        name=name, parent=parent, joint=Joint(kind=kind, **joint), mass=MassProperties(mass=1.0, com=com)
    )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            point("bead", "hinge", (0.0, 0.0, 2.0)),
            "body 'bead': the hinge has no moment of inertia to turn about its axis",
        ),
        (
            point("bead", "ball", (0.0, 0.0, 2.0)),
            "body 'bead': the ball joint has no moment of inertia about some axis",
        ),
        (
            point("bead", "free", (0.0, 0.0, 2.0)),
            "body 'bead': the free body has no moment of inertia about some axis",
        ),
        (point("bead", "universal", (0.0, 0.0, 0.0)), "body 'bead': the hinge has no moment of inertia"),
    ],
)
def test_singular_inertias_are_refused(body: Body, words: str) -> None:
    with pytest.raises(DescriptionError, match=words) as error:
        zp.compile(described(body))
    assert "Give it, or a body that it carries, a shape or mass properties with volume" in str(error.value)


def test_all_problems_are_told_at_once() -> None:
    bodies = [
        point("one", "hinge", (0, 0, 1)),
        point("two", "free", (0, 0, 1)),
        point("three", "slide", (0, 0, 1)),
    ]
    with pytest.raises(DescriptionError) as error:
        zp.compile(described(*bodies))
    assert [problem.where for problem in error.value.problems] == ["body 'one'", "body 'two'"]


def test_massless_leaves_are_refused() -> None:
    with pytest.raises(DescriptionError, match="neither it nor anything that hangs on it has mass"):
        zp.compile(described(Body(name="ghost", joint=Joint(kind="hinge"))))


def test_massless_bodies_may_carry_others() -> None:
    """Law: a massless body between two perpendicular hinges is a universal joint; forward dynamics is finite."""
    inner = Body(name="inner", joint=Joint(kind="hinge", axis=(1, 0, 0)))
    outer = Body(
        name="outer", parent="inner", joint=Joint(kind="hinge", axis=(0, 1, 0)), shapes=[Sphere(radius=0.1)]
    )
    model = zp.compile(described(inner, outer))
    assert np.all(np.isfinite(zp.forward_dynamics(model, zp.State.neutral(model), [1.0, 1.0])))


@pytest.mark.parametrize("seed", range(8))
def test_parallel_axes_without_mass_between_them_are_refused(seed: int) -> None:
    """Two hinges about one axis with nothing between: no force tells how the turn divides between them.

    In skew directions the articulated inertia between them is not zero but rounding of what hangs on it.
    """
    rng = np.random.default_rng(seed)
    axis = unit_vector(rng) if seed else np.array([0.0, 0.0, 1.0])
    half = 0.5 * rng.uniform(-3.0, 3.0)
    turn = np.array([np.cos(half), *(np.sin(half) * axis)])
    load = MassProperties(mass=1.0, com=rng.normal(size=3), inertia=(0.1, 0.12, 0.15))
    inner = Body(name="inner", joint=Joint(kind="hinge", axis=axis))
    joint = Joint(kind="hinge", axis=axis, rotation=turn, position=axis * rng.normal())
    outer = Body(name="outer", parent="inner", joint=joint, mass=load)
    with pytest.raises(DescriptionError, match="body 'inner'"):
        zp.compile(described(inner, outer))


@pytest.mark.parametrize("extra", [{"armature": 0.1}, {"driven": True}])
def test_rotors_and_drives_need_no_mass(extra: dict[str, object]) -> None:
    """The description allows a massless body on a rotor or on a driven joint; such a body can be compiled and moves."""
    model = zp.compile(described(Body(name="ghost", joint=Joint(kind="hinge", **extra))))
    a = zp.forward_dynamics(model, zp.State.neutral(model), [1.0])
    assert a == pytest.approx([0.0 if "driven" in extra else 10.0])


def leg() -> Body:
    """An insect's: 0.7 mg, 5 mm; about 6e-12 kg·m²."""
    return Body(
        name="leg",
        parent="thorax",
        joint=Joint(kind="hinge", axis=(0, 1, 0)),
        shapes=[Capsule(radius=2e-4, length=5e-3)],
    )


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (300.0, 0.0, 0.0)])
def test_small_animals_may_stand_far_away(place: tuple[float, float, float]) -> None:
    """Whether an inertia is rounding of zero depends on what the joint moves, not on where the animal stands."""
    thorax = Body(name="thorax", joint=Joint(kind="free", position=place), shapes=[Sphere(radius=0.005)])
    assert zp.compile(described(thorax, leg())).nv == 7


def test_small_animals_may_live_beside_large_ones() -> None:
    """… nor on its neighbours."""
    thorax = Body(name="thorax", joint=Joint(kind="free"), shapes=[Sphere(radius=0.005)])
    whale = Body(name="whale", joint=Joint(kind="free", position=(0, 0, 20)), shapes=[Box(size=(30, 5, 5))])
    rock = Body(name="rock", joint=Joint(position=(10, 0, 0)), shapes=[Box(size=(3, 3, 3))])
    assert zp.compile(described(thorax, leg(), whale, rock)).nv == 13


def test_matter_of_their_own_keeps_all_joints_moving() -> None:
    """Law: where each link has matter enough of its own, no pivot is below that part; both cases occur.

    Oracle: the factorisation that is then left out; tolerance: its rounding, far below a percent.
    """
    told = []
    for seed in range(80):
        rng = np.random.default_rng([seed, 3])
        description = random_description(rng, 5, extras=False)
        for body in description.bodies:
            size = tuple(10.0 ** rng.uniform(-1.0 if seed % 2 else -4.0, 0.0, 3))
            body.mass, body.shapes = None, [Box(size=size, position=tuple(0.3 * unit_vector(rng)))]
        neutral = zp.compile(description).dofs.neutral
        told.append(_has_matter_everywhere(neutral))
        if told[-1]:
            assert min(neutral.pivots[1:]) > 0.99 * SURE_PART
    assert 10 < sum(told) < 70


def test_rotors_keep_massless_links_moving() -> None:
    """Law: a rotor counts like matter of the link's own. Oracle: the factorisation that is left out; both cases occur."""
    told = []
    for power in range(-9, 1):
        rotor = 10.0**power
        joints = [Joint(kind="hinge", axis=axis, armature=rotor) for axis in ((1, 0, 0), (0, 1, 0))]
        between = Body(name="between", parent="base", joint=joints[0])
        arm = Body(
            name="arm",
            parent="between",
            joint=joints[1],
            shapes=[Box(size=(0.1, 0.1, 1.0), position=(0, 0, 0.5))],
        )
        base = Body(name="base", joint=Joint(kind="free"), shapes=[Box(size=(0.5, 0.5, 0.5))])
        neutral = zp.compile(described(base, between, arm)).dofs.neutral
        told.append(_has_matter_everywhere(neutral))
        if told[-1]:
            assert min(neutral.pivots[1:]) > 0.99 * SURE_PART
    assert 0 < sum(told) < len(told)
