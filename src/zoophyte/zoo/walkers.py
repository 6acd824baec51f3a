"""Walkers: bodies that stand and walk on the ground."""

from __future__ import annotations

from zoophyte.description import Body, Capsule, Description, Joint, Motor, Sphere, Surface
from zoophyte.numbers.functions import sincos
from zoophyte.zoo.creatures import CHITIN, LIMB

ANT_HIP, ANT_UPPER, ANT_LOWER = 0.2, 0.3, 0.5
ANT_KNEE = 0.9  # how far the lower legs point down [rad]
ANT_RADIUS = 0.05


def ant() -> Description:
    """A four-legged ant (14 degrees of freedom, 10.8 kg): a ball with legs of two capsules each.

    Hips turn about the vertical, knees about the horizontal across the leg; both have springs of 30 N·m/rad and motors of
    5 N·m.  The benchmarks of contact measure it.
    """
    bodies = [
        Body(
            name="torso",
            joint=Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, 0.55)),
            shapes=[Sphere(radius=0.25, density=76.0, colour=CHITIN)],
        )
    ]
    for leg in range(4):
        turn = 0.7853981633974483 * (1 + 2 * leg)
        sine, cosine = sincos(turn)
        half_sine, half_cosine = sincos(0.5 * turn)
        hip = Joint(
            kind="hinge", axis=(0, 0, 1), position=(ANT_HIP * cosine, ANT_HIP * sine, 0.0),
            rotation=(half_cosine, 0.0, 0.0, half_sine), stiffness=30.0, damping=1.0, actuator=Motor(strength=5.0),
        )  # fmt: skip
        knee = Joint(
            kind="hinge", axis=(0, 1, 0), position=(ANT_UPPER, 0.0, 0.0), stiffness=30.0, damping=1.0,
            actuator=Motor(strength=5.0),
        )  # fmt: skip
        bodies.append(Body(name=f"upper{leg}", parent="torso", joint=hip, shapes=[_along(ANT_UPPER, 0.0)]))
        bodies.append(
            Body(name=f"lower{leg}", parent=f"upper{leg}", joint=knee, shapes=[_along(ANT_LOWER, ANT_KNEE)])
        )
    return Description(name="ant", bodies=bodies, surface=Surface(friction=1.0))


def walking_ant() -> Description:
    """The same ant, whose scene lets it walk on sines."""
    body = ant()
    body.name = "walking_ant"
    return body


def _along(length: float, down: float) -> Capsule:
    """A capsule from the origin, pointing forward and down by an angle."""
    sine, cosine = sincos(down)
    # Turns z into (cos, 0, −sin): by the angle down + π/2 about y.
    half_sine, half_cosine = sincos(0.5 * (down + 1.5707963267948966))
    place = (0.5 * length * cosine, 0.0, -0.5 * length * sine)
    turn = (half_cosine, 0.0, half_sine, 0.0)
    return Capsule(
        radius=ANT_RADIUS, length=length, density=200.0, position=place, rotation=turn, colour=LIMB
    )
