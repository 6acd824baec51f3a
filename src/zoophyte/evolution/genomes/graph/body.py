"""Body: parts as a description, joints of two and three axes as chains of hinges (FON-37, FON-64).

A universal joint of a description has perpendicular axes, a ball joint no limits and one motor axis; these joints have up
to three axes at any angle from 30° on, each with limits and a motor.  So a joint is a chain of hinges with massless
bodies between them, as in the thesis.  Every hinge carries a rotor, so that axes that come to lie in one line by
the turning of the middle one (gimbal lock) leave something to move.  It also keeps all links of all creatures of one kind,
which is what registers of unlike creatures like best.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Description,
    Joint,
    Motor,
    Pair,
    Servo,
    Sphere,
    Surface,
)
from zoophyte.description.shapes import Shape
from zoophyte.description.values import normalised_quaternion, unit_direction
from zoophyte.evolution.genomes.graph.form import Form
from zoophyte.evolution.genomes.graph.genes import Node, Triple
from zoophyte.evolution.genomes.graph.growth import Part, part_name
from zoophyte.evolution.genomes.graph.placement import BOX, SPHERE, height, radius, section

ROTOR = 0.02
"""Inertia of a rotor, in parts of m·h²/3 of the part of mass m and height h that it moves."""
GIVE = 0.5
"""Angle by which a servo yields under the strength that a motor in its place would have [rad]."""
COLOURS: tuple[Triple, ...] = (
    (0.36, 0.47, 0.58), (0.80, 0.52, 0.27), (0.47, 0.60, 0.37), (0.72, 0.36, 0.36), (0.55, 0.44, 0.66), (0.83, 0.70, 0.36),
    (0.33, 0.60, 0.60), (0.62, 0.50, 0.42),
)  # fmt: skip
"""One for each node, so that copies look alike."""
IDENTITY = (1.0, 0.0, 0.0, 0.0)
ORIGIN = (0.0, 0.0, 0.0)


@cache
def axis_names(number: int, freedom: int) -> tuple[str, ...]:
    """What degrees of freedom of a part are called, and the bodies that they move; the last one moves the part itself."""
    name = part_name(number)
    return tuple(name if axis == freedom else f"{name}/{axis}" for axis in range(1, freedom + 1))


def describe(parts: Sequence[Part], nodes: Sequence[Node], form: Form) -> Description:
    """The description of a creature; the first body is the root, free, at the origin.

    The genome is valid, and therefore so is every part: nothing is checked again here, nor when it is compiled.
    """
    root = Joint.sound(kind="free")
    bodies = [Body.sound(name=part_name(0), joint=root, shapes=[_shape(parts[0], nodes[0].shape, form)])]
    apart = []
    for number, part in enumerate(parts[1:], start=1):
        bodies += _chain(number, part, nodes, form)
        if len(part.axes) > 1 and form.self_contact:
            # A body never touches its parent, but here massless bodies stand between the two.
            apart.append(Pair.sound(bodies=(part_name(part.parent), part_name(number)), contact=False))
    return Description.sound(
        name="graph creature", bodies=bodies, surface=Surface.sound(friction=float(form.friction)),
        self_contact=form.self_contact, pairs=apart,
    )  # fmt: skip


def _chain(number: int, part: Part, nodes: Sequence[Node], form: Form) -> list[Body]:
    """One body for each axis, the last one the part itself."""
    node, names = nodes[part.node], axis_names(number, len(part.axes))
    area, tall = section(node.shape, part.size), height(node.shape, part.size)
    strength = form.strength * area  # grows with the cross-section, as a muscle's does (FON-62)
    damping = strength / form.top_speed
    rotor = ROTOR * form.density * area * tall * tall * tall / 3.0
    chain = []
    parent, position, rotation = part_name(part.parent), part.position, normalised_quaternion(part.rotation)
    for name, axis, limits in zip(names, part.axes, node.limits, strict=False):
        joint = Joint.sound(
            kind="hinge", position=position, rotation=rotation, axis=unit_direction(axis), armature=rotor,
            damping=damping if form.thinks else 0.0, limits=limits,
            actuator=Motor.sound(strength=strength) if form.thinks else _servo(strength, damping),
        )  # fmt: skip
        shapes = [_shape(part, node.shape, form)] if name == names[-1] else []
        chain.append(Body.sound(name=name, parent=parent, joint=joint, shapes=shapes))
        parent, position, rotation = name, ORIGIN, IDENTITY
    return chain


def _servo(strength: float, damping: float) -> Servo:
    return Servo.sound(stiffness=strength / GIVE, damping=damping)


def _shape(part: Part, shape: int, form: Form) -> Shape:
    common: Any = {
        "position": (0.0, 0.0, part.centre), "density": float(form.density),
        "colour": COLOURS[part.node % len(COLOURS)],
    }  # fmt: skip
    if shape == BOX:
        return Box.sound(size=part.size, **common)
    if shape == SPHERE:
        return Sphere.sound(radius=radius(shape, part.size), **common)
    return Capsule.sound(radius=radius(shape, part.size), length=part.size[2], **common)
