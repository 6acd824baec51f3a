"""Figures: people.

Masses, centres of mass and radii of gyration are fractions after Dempster, as tabulated by D. A. Winter,
*Biomechanics and Motor Control of Human Movement* (4th edition 2009, table 4.1); lengths are fractions of
stature after Drillis and Contini (the same book, figure 4.1).  Thicknesses, limits and the gains of the
servos are ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from zoophyte.description import Body, Box, Capsule, Description, Ellipsoid, Joint, MassProperties, Servo
from zoophyte.description.values import Triple
from zoophyte.zoo.placing import Z_TO_X

SKIN: Triple = (0.80, 0.61, 0.50)
SHIRT: Triple = (0.25, 0.42, 0.58)
TROUSERS: Triple = (0.28, 0.28, 0.33)


@dataclass(frozen=True)
class Core:
    """A segment of the torso, in fractions; its inertia is that of its shape.

    Args:
        mass: of the whole mass.
        length: of the stature.
        thickness: of the stature: half the width of the torso is 1.2 times this.
    """

    mass: float
    length: float
    thickness: float


@dataclass(frozen=True)
class Limb:
    """A segment of an arm or a leg, in fractions.

    Args:
        mass: of the whole mass.
        length: of the stature.
        thickness: radius, of the stature.
        centre: of mass, from the joint to the parent, in lengths of the segment.
        gyration: radius about axes across through the centre of mass, in lengths of the segment.
    """

    mass: float
    length: float
    thickness: float
    centre: float
    gyration: float


# Heights over the ground are hip 0.530 and shoulder 0.818 of the stature.  The trunk between them is split in
# proportion to mass, so that the centre of both parts lies in the middle, where the table has it.
CORES = {
    "pelvis": Core(0.142, 0.0823, 0.075),
    "trunk": Core(0.355, 0.2057, 0.080),
    "head": Core(0.081, 0.182, 0.050),
}
LIMBS = {
    "upper_arm": Limb(0.028, 0.186, 0.026, 0.436, 0.322),
    "forearm": Limb(0.016, 0.146, 0.021, 0.430, 0.303),
    "hand": Limb(0.006, 0.108, 0.018, 0.506, 0.297),
    "thigh": Limb(0.100, 0.245, 0.042, 0.433, 0.323),
    "shank": Limb(0.0465, 0.246, 0.028, 0.433, 0.302),
    "foot": Limb(0.0145, 0.152, 0.022, 0.500, 0.475),
}
HIP_HALF_WIDTH, SHOULDER_HALF_WIDTH, ANKLE_HEIGHT = 0.052, 0.129, 0.039

# Stiffness [N·m/rad] and damping [N·m·s/rad]: strong enough to carry what hangs on the joint held out
# sideways.
GAINS = {
    "waist": (600.0, 60.0), "neck": (60.0, 4.0), "shoulder": (80.0, 6.0), "elbow": (40.0, 2.0),
    "wrist": (6.0, 0.15), "hip": (400.0, 40.0), "knee": (250.0, 15.0), "ankle": (80.0, 2.5),
}  # fmt: skip


def humanoid(
    height: float = 1.75, mass: float = 73.0, wrists: Literal["universal", "fixed"] = "universal"
) -> Description:
    """A standing person of 15 segments: 36 degrees of freedom (after the figure of Wilhelms & Barsky).

    Pelvis, trunk, head, and left and right upper arm, forearm, hand, thigh, shank and foot.  Degrees of
    freedom: root 6, waist and neck 3 each; on each side shoulder 3, elbow 1, wrist 2, hip 3, knee 1, ankle 2.
    x is forward, y left, z up; every joint has a servo that holds the pose.

    Args:
        height: stature [m].
        mass: of the whole body [kg].
        wrists: "fixed" welds the hands to the forearms.
    """
    bodies = [
        _pelvis(height, mass),
        _upright("trunk", "pelvis", "waist", height, mass),
        _upright("head", "trunk", "neck", height, mass),
    ]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        shoulder = (0.0, sign * SHOULDER_HALF_WIDTH * height, CORES["trunk"].length * height)
        bodies += _arm(side, shoulder, height, mass, wrists)
        bodies += _leg(side, (0.0, sign * HIP_HALF_WIDTH * height, 0.0), height, mass)
    return Description(name="humanoid" if wrists == "universal" else "humanoid32", bodies=bodies)


def humanoid32(height: float = 1.75, mass: float = 73.0) -> Description:
    """The same person with stiff wrists, for benchmarks: 32 degrees of freedom.

    Root 6, waist and neck 3 each; on each side shoulder 3, elbow 1, hip 3, knee 1, ankle 2.

    Args:
        height: stature [m].
        mass: of the whole body [kg].
    """
    return humanoid(height, mass, "fixed")


def _pelvis(height: float, mass: float) -> Body:
    standing = (ANKLE_HEIGHT + LIMBS["shank"].length + LIMBS["thigh"].length) * height
    joint = Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, standing))
    return Body(name="pelvis", joint=joint, shapes=[_torso(CORES["pelvis"], height, mass, TROUSERS)])


def _upright(name: str, parent: str, joint: str, height: float, mass: float) -> Body:
    """A segment that stands on its parent."""
    core = CORES[name]
    shapes = [_skull(height, mass), _neck(height)] if name == "head" else [_torso(core, height, mass, SHIRT)]
    position = (0.0, 0.0, CORES[parent].length * height)
    return Body(
        name=name,
        parent=parent,
        joint=Joint(kind="ball", position=position, actuator=_servo(joint)),
        shapes=shapes,
    )


def _torso(core: Core, height: float, mass: float, colour: Triple) -> Box:
    width, length = core.thickness * height, core.length * height
    size = (1.4 * width, 2.4 * width, length)
    density = core.mass * mass / math.prod(size)
    return Box(size=size, position=(0.0, 0.0, 0.5 * length), density=density, colour=colour)


def _skull(height: float, mass: float) -> Ellipsoid:
    """Head and neck as one ellipsoid about the ear canal, where the table has the centre of mass."""
    core = CORES["head"]
    radius, length = core.thickness * height, core.length * height
    semi_axes = (1.15 * radius, radius, 0.4 * length)
    density = core.mass * mass / (4.0 / 3.0 * math.pi * math.prod(semi_axes))
    return Ellipsoid(semi_axes=semi_axes, position=(0.0, 0.0, 0.6 * length), density=density, colour=SKIN)


def _neck(height: float) -> Capsule:
    """What is seen between trunk and skull; its mass is the skull's."""
    length = CORES["head"].length * height
    return Capsule(
        name="neck", radius=0.031 * height, length=0.36 * length, position=(-0.004 * height, 0.0, 0.16 * length),
        density=0.0, colour=SKIN, contact=False,
    )  # fmt: skip


def _arm(side: str, shoulder: Triple, height: float, mass: float, wrists: str) -> list[Body]:
    upper, lower = LIMBS["upper_arm"].length * height, LIMBS["forearm"].length * height
    ball = Joint(kind="ball", position=shoulder, actuator=_servo("shoulder"))
    elbow = Joint(
        kind="hinge",
        position=(0.0, 0.0, -upper),
        axis=(0, -1, 0),
        limits=(0.0, 2.5),
        actuator=_servo("elbow"),
    )
    wrist = Joint(position=(0.0, 0.0, -lower))
    if wrists == "universal":
        wrist = Joint(
            kind="universal",
            position=(0.0, 0.0, -lower),
            axes=((1, 0, 0), (0, 1, 0)),
            limits=((-0.5, 0.5), (-1.2, 1.2)),
            actuator=_servo("wrist"),
        )
    return [
        _hanging("upper_arm", side, "trunk", ball, height, mass),
        _hanging("forearm", side, f"{side}_upper_arm", elbow, height, mass),
        _hanging("hand", side, f"{side}_forearm", wrist, height, mass),
    ]


def _leg(side: str, hip: Triple, height: float, mass: float) -> list[Body]:
    thigh, shank = LIMBS["thigh"].length * height, LIMBS["shank"].length * height
    knee = Joint(
        kind="hinge", position=(0.0, 0.0, -thigh), axis=(0, 1, 0), limits=(0.0, 2.4), actuator=_servo("knee")
    )
    ankle = Joint(
        kind="universal",
        position=(0.0, 0.0, -shank),
        axes=((0, 1, 0), (1, 0, 0)),
        limits=((-0.9, 0.6), (-0.4, 0.4)),
        actuator=_servo("ankle"),
    )
    return [
        _hanging(
            "thigh", side, "pelvis", Joint(kind="ball", position=hip, actuator=_servo("hip")), height, mass
        ),
        _hanging("shank", side, f"{side}_thigh", knee, height, mass),
        _foot(side, ankle, height, mass),
    ]


def _hanging(name: str, side: str, parent: str, joint: Joint, height: float, mass: float) -> Body:
    """A limb segment along −z from its joint."""
    segment = LIMBS[name]
    length, radius = segment.length * height, segment.thickness * height
    colour = TROUSERS if name in ("thigh", "shank") else SHIRT if name == "upper_arm" else SKIN
    straight = max(length - radius, 0.5 * length)
    return Body(
        name=f"{side}_{name}",
        parent=parent,
        joint=joint,
        shapes=[Capsule(radius=radius, length=straight, position=(0.0, 0.0, -0.5 * length), colour=colour)],
        mass=_mass(segment, height, mass, (0.0, 0.0, -segment.centre * length), along="z"),
    )


def _foot(side: str, joint: Joint, height: float, mass: float) -> Body:
    """A foot that points forward; its centre lies a quarter of its length before the ankle, half as high.

    The shape is thicker than the ankle is high, so it begins where the sole is: on the ground.
    """
    segment = LIMBS["foot"]
    length, radius = segment.length * height, segment.thickness * height
    centre = (0.25 * length, 0.0, -0.5 * ANKLE_HEIGHT * height)
    sole = Capsule(
        radius=radius, length=length - 2.0 * radius,
        position=(centre[0], 0.0, radius - ANKLE_HEIGHT * height), rotation=Z_TO_X, colour=TROUSERS,
    )  # fmt: skip
    return Body(
        name=f"{side}_foot",
        parent=f"{side}_shank",
        joint=joint,
        shapes=[sole],
        mass=_mass(segment, height, mass, centre, along="x"),
    )


def _mass(
    segment: Limb, height: float, mass: float, com: Triple, *, along: Literal["x", "z"]
) -> MassProperties:
    """Across: m (gyration·length)²; along: that of a cylinder of the segment's thickness, m r²/2."""
    m = segment.mass * mass
    across = m * (segment.gyration * segment.length * height) ** 2
    axial = 0.5 * m * (segment.thickness * height) ** 2
    inertia = (across, across, axial) if along == "z" else (axial, across, across)
    return MassProperties(mass=m, com=com, inertia=inertia)


def _servo(joint: str) -> Servo:
    stiffness, damping = GAINS[joint]
    return Servo(stiffness=stiffness, damping=damping)
