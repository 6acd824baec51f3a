"""Things beside a creature: a target to come to, a ball to hit; and controllers that feel where they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from zoophyte.algebra.quaternions import quaternion_matrix, quaternion_product
from zoophyte.algebra.rotations import rotate
from zoophyte.control import Controller, Neurons
from zoophyte.description import Body, Description, Joint, Sphere, Surface
from zoophyte.description.values import Triple

TARGET, BALL = "target", "ball"
MEETING = ("sphere", "capsule", "tapered_capsule", "box")
"""Kinds of shapes that can touch each other."""
MARK = 0.1
"""Radius of the ball that shows a target [m]."""


def with_target(description: Description, place: Triple) -> Description:
    """The body, and a mark that nothing touches."""
    mark = Sphere(radius=MARK, density=0.0, contact=False, colour=(0.9, 0.2, 0.1))
    joint = Joint(kind="fixed", position=place)
    return _with(description, Body(name=_free_name(description, TARGET), joint=joint, shapes=[mark]))


def with_ball(
    description: Description, place: Triple, *, radius: float, density: float, surface: Surface
) -> Description:
    """The body, and a ball that flies freely."""
    ball = Sphere(radius=radius, density=density, surface=surface, colour=(0.9, 0.2, 0.1))
    joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, *place))
    return _with(description, Body(name=_free_name(description, BALL), joint=joint, shapes=[ball]))


def held(description: Description) -> Description:
    """The same body with its free roots fixed to the world where they are born (FON-72)."""
    bodies = [
        body.model_copy(update={"joint": _fixed(body.joint)}) if body.joint.kind == "free" else body
        for body in description.bodies
    ]
    return description.altered(bodies=bodies)


def meeting(description: Description) -> Description:
    """The same body, in which shapes that can only touch the ground touch nothing: a ball flies through them."""
    bodies = []
    for body in description.bodies:
        shapes = [
            shape if shape.kind in MEETING else shape.model_copy(update={"contact": False})
            for shape in body.shapes
        ]
        bodies.append(body.model_copy(update={"shapes": shapes}))
    return description.altered(bodies=bodies)


def _fixed(joint: Joint) -> Joint:
    """A fixed joint in the place of a free one, the initial pose included: X = placement ∘ motion."""
    coordinates: Any = tuple(float(x) for x in joint.initial_coordinates())
    turn: Any = tuple(float(x) for x in joint.rotation)
    way = rotate(quaternion_matrix(turn), coordinates[4:])
    place = tuple(float(a + b) for a, b in zip(joint.position, way, strict=True))
    return Joint(kind="fixed", position=place, rotation=quaternion_product(turn, coordinates[:4]))


def target_of(description: Description) -> Triple:
    """Where the target or the ball is at the start: it is the last body."""
    joint = description.bodies[-1].joint
    if joint.kind == "free":
        x, y, z = joint.initial_coordinates()[4:]
        return x, y, z
    return joint.position


def aimed(controller: Controller | None, description: Description) -> Controller | None:
    """The same controller, whose sensors of the kind `toward` feel where the target or the ball is.

    Args:
        controller: of the creature; any but neurons stay as they are.
        description: with the target as its last body.
    """
    if not isinstance(controller, Neurons) or not any(
        s.kind == "toward" for s in controller.sensors.values()
    ):
        return controller
    name = description.bodies[-1].name
    sensors = {
        key: replace(sensor, of=name) if sensor.kind == "toward" else sensor
        for key, sensor in controller.sensors.items()
    }
    return replace(controller, sensors=sensors)


def _with(description: Description, body: Body) -> Description:
    return description.altered(bodies=[*description.bodies, body])


def _free_name(description: Description, wanted: str) -> str:
    names = {body.name for body in description.bodies}
    while wanted in names:
        wanted += "_"
    return wanted
