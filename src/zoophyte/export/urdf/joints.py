"""Joints as URDF's: one axis each, so that a universal joint becomes two of them and a ball three, one after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

from zoophyte.description import Body, Joint, Motor
from zoophyte.description.readers.urdf import UNBOUNDED
from zoophyte.description.values import Triple
from zoophyte.export.mjcf.frames import Placement, placement_of
from zoophyte.export.mjcf.markup import Attributes
from zoophyte.export.urdf.losses import Losses

FLOATING = "floating"
X: Triple = (1.0, 0.0, 0.0)
CROSS: tuple[Triple, ...] = (X, (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

BALL = "{}: a ball joint became three hinges about x, y and z in this order, which lock where the second stands at 90°."
INITIAL = "The initial coordinates of {} are lost: URDF's joints begin at 0."
SERVO = "{}: of a servo only the largest force is held; its stiffness and damping are lost."
UNBOUNDED_SERVO = f"{{}}: a servo without a largest force is lost; the effort {UNBOUNDED:g} stands for none."
STRONG = f"{{}}: forces of {UNBOUNDED:g} and more are written as that effort, which stands for none."


@dataclass(frozen=True)
class Step:
    """One joint of URDF.

    Args:
        kind: its type.
        placement: on the link above.
        axis: in the link's own frame, where it has one.
        elements: limit and dynamics.
    """

    kind: str
    placement: Placement
    axis: Triple = X
    elements: tuple[tuple[str, Attributes], ...] = ()


def steps_of(body: Body, losses: Losses) -> list[Step]:
    """The joints that a body's own joint becomes, from its parent outwards.

    Args:
        body: whose joint it is.
        losses: told of what they cannot hold.
    """
    joint, placement = body.joint, placement_of(body)
    if joint.kind == "fixed":
        return [Step("fixed", placement)]
    if joint.kind == "free":
        w, x, y, z, *position = joint.initial_coordinates()
        start = Placement((position[0], position[1], position[2]), (w, x, y, z))
        return [Step(FLOATING, placement if joint.initial is None else placement.then(start))]
    _tell(body, losses)
    axes: tuple[Triple, ...] = {"universal": joint.axes, "ball": CROSS}.get(joint.kind, (joint.axis,))
    places = [placement, *[Placement()] * (len(axes) - 1)]
    return [
        _moving(joint, dof, place, axis) for dof, (place, axis) in enumerate(zip(places, axes, strict=True))
    ]


def _moving(joint: Joint, dof: int, placement: Placement, axis: Triple) -> Step:
    """One degree of freedom."""
    pairs = joint.limit_pairs()
    slides = joint.kind == "slide"
    kind = "prismatic" if slides else "continuous" if pairs is None else "revolute"
    effort, speed = _actuator(joint)
    limit: dict[str, float] = {}
    if pairs is not None:
        limit = {"lower": pairs[dof][0], "upper": pairs[dof][1]}
    elif slides:  # must have some there
        limit = {"lower": -UNBOUNDED, "upper": UNBOUNDED}
    elements: list[tuple[str, Attributes]] = []
    if limit or effort > 0.0:
        elements.append(("limit", {**limit, "effort": effort, "velocity": speed}))
    damping, friction = joint.per_dof(joint.damping)[dof], joint.per_dof(joint.friction)[dof]
    if damping > 0.0 or friction > 0.0:
        elements.append(("dynamics", {"damping": damping, "friction": friction}))
    return Step(kind, placement, axis, tuple(elements))


def _actuator(joint: Joint) -> tuple[float, float]:
    """Largest force and largest speed; 0 and 0 without an actuator."""
    if joint.actuator is None:
        return 0.0, 0.0
    if isinstance(joint.actuator, Motor):
        force, speed = joint.actuator.strength, joint.actuator.max_speed
    else:
        force, speed = joint.actuator.max_force, math.inf
    return min(force, UNBOUNDED), min(speed, UNBOUNDED)


def _tell(body: Body, losses: Losses) -> None:
    """What URDF has no words for."""
    joint = body.joint
    if joint.kind == "ball":
        losses.of(BALL, body.name)
    for what, value in (
        ("The springs of {} are lost.", joint.stiffness),
        ("The rotors (armature) of {} are lost.", joint.armature),
    ):
        if any(joint.per_dof(value)):
            losses.of(what, body.name)
    if joint.limit_stiffness is not None:
        losses.of("The springs beyond the limits of {} are lost.", body.name)
    if (
        joint.initial is not None
        and joint.initial_coordinates() != Joint(kind=joint.kind).initial_coordinates()
    ):
        losses.of(INITIAL, body.name)
    if joint.driven:
        losses.of("That the motion of {} is prescribed is lost.", body.name)
    if isinstance(joint.actuator, Motor):
        if joint.actuator.strength >= UNBOUNDED:
            losses.of(STRONG, body.name)
    elif joint.actuator is not None:
        most = joint.actuator.max_force
        losses.of(SERVO if most < UNBOUNDED else UNBOUNDED_SERVO if math.isinf(most) else STRONG, body.name)
