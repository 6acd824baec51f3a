"""The body that a limbed genome grows into: trunk, hips, legs, servos and limits (ARN-45 … 47, 53).

Servos pull with k (h − q) − c q̇ and k = κ·D, D the diameter of the leg at the joint (ARN-47).  The source gives no numbers.
With this κ the legs of Arnold's reference creature carry about one and a half times their share of the weight per radian,
1.5 M g L/(2 pairs) at a diameter of 52 mm.  Limits are springs that act beyond ±1.2 rad about the rest pose (ARN-46).
"""

from __future__ import annotations

import math
from typing import Any

from zoophyte.description import Body, Description, Ellipsoid, Joint, Servo, Surface, TaperedCapsule
from zoophyte.description.constraints import Pair
from zoophyte.description.values import Quadruple, Triple
from zoophyte.evolution.genomes.limbed.genome import DENSITY, PAIRS, Limb, LimbedGenome

KAPPA = 400.0
"""Servo stiffness per diameter at the joint [N/rad]."""
DAMPING_TIME = 0.05
"""c/k of servos [s]."""
LIMIT = 1.2
"""Of every joint about its rest pose [rad]."""
LIMIT_FACTOR = 10.0
"""Stiffness of the limit springs over that of the servo."""
FRICTION = 1.0

TRUNK_COLOUR: Triple = (0.33, 0.20, 0.14)
LEG_COLOURS: dict[str, Triple] = {
    "front": (0.80, 0.56, 0.26), "middle": (0.62, 0.56, 0.28), "rear": (0.68, 0.38, 0.24),
}  # fmt: skip
"""One per pair: both segments end in the same ball at the knee."""

Z_DOWN: Quadruple = (0.0, 1.0, 0.0, 0.0)
"""Turns a capsule, which lies along +z of its own frame, to −z."""
AXIS: Triple = (0.0, 1.0, 0.0)
SIDES = (("left", 1.0), ("right", -1.0))


def body_of(genome: LimbedGenome) -> Description:
    """The description of a genome's body, at rest about the origin; placing it is the task's work.

    The genome is valid, and therefore so is every part: nothing is checked again here, nor when it is compiled.
    """
    trunk = Body.sound(
        name="trunk",
        joint=Joint.sound(kind="free"),
        shapes=[Ellipsoid.sound(semi_axes=_triple(genome.trunk), density=DENSITY, colour=TRUNK_COLOUR)],
    )
    bodies = [trunk]
    for pair, limb in in_place(genome):
        bodies += _legs(pair, limb, _triple(genome.trunk))
    lower = [body.name for body in bodies[1:] if body.parent != "trunk"]
    apart = [Pair.sound(bodies=("trunk", name), contact=False) for name in lower]
    return Description.sound(
        name="limbed", bodies=bodies, surface=Surface.sound(friction=FRICTION), self_contact=genome.self_contact,
        # The trunk is an ellipsoid, which can touch the ground only; and a part and its parent never touch.
        pairs=apart if genome.self_contact else [],
    )  # fmt: skip


def in_place(genome: LimbedGenome) -> list[tuple[str, Limb]]:
    """Limb pairs with their names, from front to rear."""
    named = list(zip(PAIRS, genome.limbs, strict=False))
    return [named[0], *named[2:], named[1]]


def joint_names(pair: str, side: str) -> tuple[str, str]:
    """Names of the two bodies of a leg, which are those of their joints' degrees of freedom."""
    return f"{pair}_{side}_upper", f"{pair}_{side}_lower"


def _legs(pair: str, limb: Limb, trunk: Triple) -> list[Body]:
    upper_length, at_hip, at_knee, lower_length, at_foot = limb.sizes.tolist()
    across = trunk[1] * math.sqrt(
        1.0 - limb.place * limb.place
    )  # on the surface, at the height of the centre
    found = []
    for side, sign in SIDES:
        upper, lower = joint_names(pair, side)
        hip_turn, knee_turn = mirrored(limb.hip, sign), mirrored(limb.knee, sign)
        hip = _hinge((limb.place * trunk[0], sign * across, 0.0), hip_turn, 2.0 * at_hip)
        knee = _hinge((0.0, 0.0, -upper_length), knee_turn, 2.0 * at_knee)
        found.append(_segment(upper, "trunk", hip, (at_hip, at_knee, upper_length), LEG_COLOURS[pair]))
        found.append(_segment(lower, upper, knee, (at_knee, at_foot, lower_length), LEG_COLOURS[pair]))
    return found


def mirrored(turn: Any, sign: float) -> Quadruple:
    """A rest pose, for sign −1 in the mirror y → −y: S R S with S = diag(1, −1, 1) turns about −x, y and −z.

    S R_y(q) S = R_y(q), so the same angle of a joint gives the mirrored pose (ARN-C36).
    """
    w, x, y, z = turn.tolist()
    return (w, sign * x, y, sign * z)


def _hinge(position: Triple, rotation: Quadruple, diameter: float) -> Joint:
    stiffness = KAPPA * diameter
    return Joint.sound(
        kind="hinge", position=position, rotation=rotation, axis=AXIS, limits=(-LIMIT, LIMIT),
        limit_stiffness=LIMIT_FACTOR * stiffness,
        actuator=Servo.sound(stiffness=stiffness, damping=DAMPING_TIME * stiffness),
    )  # fmt: skip


def _segment(name: str, parent: str, joint: Joint, size: Triple, colour: Triple) -> Body:
    start, end, length = size
    shape = TaperedCapsule.sound(
        radius_start=start, radius_end=end, length=length, rotation=Z_DOWN, density=DENSITY, colour=colour
    )
    return Body.sound(name=name, parent=parent, joint=joint, shapes=[shape])


def _triple(values: Any) -> Triple:
    x, y, z = values.tolist()
    return (x, y, z)
