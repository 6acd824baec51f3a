"""Where bodies are lowest, and bodies put on the ground."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from zoophyte import zoo
from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Description,
    Ellipsoid,
    Frustum,
    Joint,
    Polyhedron,
    Sphere,
    Surface,
    TaperedCapsule,
)
from zoophyte.errors import UsageError
from zoophyte.export.extent import rotations_of, support
from zoophyte.model import State
from zoophyte.model import compile as compile_model
from zoophyte.physics import body_poses
from zoophyte.zoo.standing import lifted, lowest_height, standing, total_mass

TETRAHEDRON = Polyhedron(
    vertices=((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.4)),
    faces=((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
)
SHAPES = [
    Sphere(radius=0.2), Box(size=(0.1, 0.2, 0.3)), Capsule(radius=0.1, length=0.4), Cylinder(radius=0.1, length=0.4),
    Ellipsoid(semi_axes=(0.1, 0.2, 0.3)), Frustum(radius_start=0.2, radius_end=0.1, length=0.3),
    TaperedCapsule(radius_start=0.2, radius_end=0.1, length=0.3), TETRAHEDRON,
]  # fmt: skip
JOINTS: dict[str, Any] = {
    "fixed": None, "hinge": 0.7, "slide": 0.4, "universal": (0.3, -0.8), "ball": (0.8, 0.0, 0.6, 0.0),
}  # fmt: skip


def lowest_by_support(description: Description) -> float:
    """By compiled kinematics and the exporters' farthest points: nothing of it is shared with what is tested."""
    model = compile_model(description)
    R, p = body_poses(model, State.neutral(model))
    lowest = math.inf
    for n, body in enumerate(description.bodies, start=1):
        for shape in body.shapes:
            turn = R[n] @ rotations_of(np.asarray(shape.rotation, float))
            place = p[n] + R[n] @ np.asarray(shape.position)
            down = np.array([0.0, 0.0, -1.0]) @ turn
            lowest = min(lowest, float((turn @ support(shape, down) + place)[2]))
    return lowest


def turned(rng: np.random.Generator) -> Any:
    numbers = rng.normal(size=4)
    return tuple(float(x) for x in numbers / np.linalg.norm(numbers))


@pytest.mark.parametrize("kind", JOINTS)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.kind)
def test_the_lowest_point_is_exact(shape: Any, kind: str) -> None:
    """Claim: the lowest point of a turned shape on a joint at its initial coordinates. Tolerance: rounding, 1e-14 m."""
    rng = np.random.default_rng(len(kind))
    for _ in range(5):
        own = shape.model_copy(update={"position": (0.1, -0.2, 0.3)})
        arm = Joint(kind=kind, position=(0.2, 0.1, -0.1), rotation=turned(rng), initial=JOINTS[kind])
        root = Joint(
            kind="free", position=(0.0, 0.0, 0.2), rotation=turned(rng), initial=(*turned(rng), 0.1, 0.2, 0.3)
        )
        body = Description(
            name="x",
            bodies=[
                Body(name="root", joint=root, shapes=[Sphere(radius=0.01)]),
                Body(name="arm", parent="root", joint=arm, shapes=[type(own)(**{**dict(own), "rotation": turned(rng)})]),
            ],
        )  # fmt: skip
        assert lowest_height(body) == pytest.approx(lowest_by_support(body), abs=1e-14)


@pytest.mark.parametrize("name", ["ant", "ragdoll", "humanoid", "rattleback", "tree12"])
def test_bodies_of_the_zoo_stand_on_the_ground(name: str) -> None:
    body = standing(zoo.get(name), 0.01)
    assert lowest_height(body) == pytest.approx(0.01, abs=1e-14)
    assert lowest_by_support(body) == pytest.approx(0.01, abs=1e-13)
    assert body.checked() == body, "it is as sound as it was"


def test_what_touches_counts_before_what_only_shows() -> None:
    solid, mark = Sphere(radius=0.1), Sphere(radius=0.5, contact=False)
    body = Description(name="x", bodies=[Body(name="b", joint=Joint(kind="free"), shapes=[solid, mark])])
    assert lowest_height(body) == -0.5
    assert lowest_height(body.model_copy(update={"surface": Surface()})) == -0.1


def test_lifting_leaves_the_body_given_as_it_was() -> None:
    body = zoo.get("ant")
    before = body.to_yaml()
    higher = lifted(body, 1.5)
    assert body.to_yaml() == before
    assert lowest_height(higher) - lowest_height(body) == pytest.approx(1.5, abs=1e-14)
    assert (
        total_mass(higher)
        == total_mass(body)
        == pytest.approx(float(np.sum(compile_model(body).links.mass)), rel=1e-14)
    )


def test_a_body_without_shapes_has_no_lowest_point() -> None:
    with pytest.raises(UsageError, match="has no shapes"):
        lowest_height(Description(name="x", bodies=[Body(name="dot")]))
