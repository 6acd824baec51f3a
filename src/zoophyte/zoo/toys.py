"""Toys: round things that roll, spin and turn back, and fingers that hold a capsule."""

from __future__ import annotations

import math

from zoophyte.algebra.quaternions import quaternion_exp
from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Description,
    Ellipsoid,
    Joint,
    MassProperties,
    Servo,
    Sphere,
    Surface,
)
from zoophyte.description.values import Triple
from zoophyte.errors import UsageError
from zoophyte.numbers.functions import sincos
from zoophyte.zoo.mechanisms import BRASS, STEEL

GRAVITY = 9.81
MARBLED: Triple = (0.16, 0.24, 0.42)
CREAM: Triple = (0.93, 0.90, 0.80)
ROSEWOOD: Triple = (0.44, 0.20, 0.14)
RUBBER: Triple = (0.20, 0.20, 0.22)

BALL_RADIUS, BALL_MASS = 0.108, 6.35
"""A bowling ball of 14 lb; its diameter is the 21.6 cm that all have [m, kg]."""

COIN_RADIUS, COIN_THICKNESS, COIN_MASS = 0.011625, 0.00233, 0.0075
"""The coin of one euro: diameter 23.25 mm, thickness 2.33 mm, 7.5 g [m, m, kg]."""

RATTLEBACK_AXES = (0.20, 0.03, 0.02)
RATTLEBACK_DEPTH = 0.01
RATTLEBACK_INERTIA = (2.0e-4, -2.0e-5, 0.0, 1.6e-3, 0.0, 1.7e-3)

CAPSULE_MASS = 0.045


def rolling_ball(friction: float = 0.2) -> Description:
    """A bowling ball that is thrown with backspin: it slides out, turns, and comes back rolling.

    Radius 0.108 m, 6.35 kg.  Friction alone turns sliding at v with backspin ω into rolling at (5 v − 2 r ω)/7, whatever its
    coefficient; a rolling resistance of 0.5 mm takes a little of that, and brings it to rest at last.

    Args:
        friction: of ball and lane.
    """
    density = BALL_MASS / (4.0 / 3.0 * math.pi * BALL_RADIUS**3)
    ball = Sphere(radius=BALL_RADIUS, density=density, colour=MARBLED)
    # Spots that show how it turns: they weigh and touch nothing.  They stand out a little, so they are at the corners of a
    # cube, where they stay clear of the lane as it rolls along x.
    inside = 0.3 * BALL_RADIUS / math.sqrt(3.0)
    spots = [
        Sphere(
            radius=0.72 * BALL_RADIUS, position=(x * inside, y * inside, z * inside), density=0.0, contact=False,
            colour=CREAM,
        )
        for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)
    ]  # fmt: skip
    joint = Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, BALL_RADIUS))
    surface = Surface(friction=friction, rolling=5e-4)
    return Description(
        name="rolling_ball", bodies=[Body(name="ball", joint=joint, shapes=[ball, *spots])], surface=surface
    )


def spinning_coin(tilt: float = 0.3) -> Description:
    """A coin of one euro on its edge, to be spun: it rolls round, leans, rattles faster and faster, and lies down.

    Diameter 23.25 mm, thickness 2.33 mm, 7.5 g.

    Args:
        tilt: of its plane from the vertical at the start [rad].
    """
    sine, cosine = sincos(tilt)
    volume = math.pi * COIN_RADIUS**2 * COIN_THICKNESS
    coin = Cylinder(radius=COIN_RADIUS, length=COIN_THICKNESS, density=COIN_MASS / volume, colour=BRASS)
    ring = Cylinder(
        radius=0.78 * COIN_RADIUS, length=1.02 * COIN_THICKNESS, density=0.0, contact=False, colour=STEEL
    )
    mark = Box(
        size=(0.9 * COIN_RADIUS, 0.18 * COIN_RADIUS, 1.04 * COIN_THICKNESS), density=0.0, contact=False, colour=BRASS
    )  # fmt: skip
    # The axis of the coin, z in its own frame, lies level along x and then leans; its lowest rim touches the ground.
    turn = quaternion_exp((0.0, 0.5 * math.pi - tilt, 0.0))
    height = COIN_RADIUS * cosine + 0.5 * COIN_THICKNESS * sine
    joint = Joint(kind="free", initial=(*turn, 0.0, 0.0, height))
    surface = Surface(friction=0.4, rolling=1e-5)
    return Description(
        name="spinning_coin",
        bodies=[Body(name="coin", joint=joint, shapes=[coin, ring, mark])],
        surface=surface,
    )


def rattleback(pitch: float = 0.5, roll: float = 0.5) -> Description:
    """A rattleback: spun the one way it goes on, spun the other way it rattles, stops and turns back.

    An ellipsoid with semi-axes 0.20, 0.03 and 0.02 m, its centre of mass 0.01 m below its centre, 1 kg, moments of inertia
    2, 16 and 17 · 10⁻⁴ kg·m² and the product −0.2 · 10⁻⁴ kg·m², which turns the principal axes against the shape (Kane and
    Levinson 1982, *Realistic mathematical modeling of the rattleback*, Int. J. Non-Linear Mech. 17).  The body frame sits in
    the centre of mass.

    Args:
        pitch: about the short level axis at the start [degrees].
        roll: about the long axis [degrees].
    """
    a, b, c = RATTLEBACK_AXES
    turn = quaternion_exp((math.radians(roll), math.radians(pitch), 0.0))
    # Height of the centre of an ellipsoid above the ground: √(n·diag(a², b², c²)·n) with n = up in its frame.
    w, x, y, z = turn
    up = (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y))
    height = math.sqrt((a * up[0]) ** 2 + (b * up[1]) ** 2 + (c * up[2]) ** 2)
    below = RATTLEBACK_DEPTH
    place = (-below * 2.0 * (x * z + w * y), -below * 2.0 * (y * z - w * x), height - below * up[2])
    stone = Body(
        name="stone",
        joint=Joint(kind="free", initial=(*turn, *place)),
        shapes=[
            Ellipsoid(semi_axes=RATTLEBACK_AXES, position=(0.0, 0.0, below), density=0.0, colour=ROSEWOOD),
            Ellipsoid(
                semi_axes=(0.6 * a, 0.35 * b, 0.2 * c), position=(0.0, 0.0, below + 0.82 * c), density=0.0,
                contact=False, colour=BRASS,
            ),
        ],
        mass=MassProperties(mass=1.0, inertia=RATTLEBACK_INERTIA),
    )  # fmt: skip
    return Description(name="rattleback", bodies=[stone], surface=Surface(friction=1.0))


def capsule_pinch(margin: float = 50.0, friction: float = 1.0) -> Description:
    """A capsule of 45 g pinched between two pads: friction alone holds it, and it must not creep.

    The case of MuJoCo's issue 3328, in which such a capsule slips by 50 to 2300 µm/s.  A stiff servo
    holds the hand until a controller lifts it; the pads are pressed by springs.

    Args:
        margin: how many times more the pads could hold than the capsule weighs.
        friction: of pads and capsule.
    """
    if not margin > 0.0 or not friction > 0.0:
        raise UsageError(
            f"capsule_pinch: margin is {margin!r} and friction {friction!r}, both must be greater than 0."
        )
    radius, length, thick, stiffness = 0.012, 0.03, 0.01, 400.0
    volume = math.pi * radius**2 * (length + 4.0 / 3.0 * radius)
    press = 0.5 * margin * CAPSULE_MASS * GRAVITY / friction
    height = 0.15
    hand = Body(
        name="hand",
        joint=Joint(
            kind="slide",
            axis=(0, 0, 1),
            position=(0.0, 0.0, height),
            actuator=Servo(stiffness=2e4, damping=200.0),
        ),
        shapes=[Box(size=(0.16, 0.03, 0.02), position=(0.0, 0.0, 0.07), colour=STEEL, contact=False)],
    )
    pads = [
        Body(
            name=f"{side}_pad",
            parent="hand",
            joint=Joint(
                kind="slide", axis=(-sign, 0, 0), position=(sign * (radius + 0.5 * thick), 0.0, 0.0),
                stiffness=stiffness, rest=press / stiffness, damping=4.0,
            ),
            shapes=[
                Box(size=(thick, 0.03, 0.04), density=1200.0, colour=RUBBER),
                Box(size=(0.6 * thick, 0.02, 0.06), position=(0.0, 0.0, 0.04), colour=STEEL, contact=False),
            ],
        )
        for side, sign in (("left", -1.0), ("right", 1.0))
    ]  # fmt: skip
    capsule = Body(
        name="capsule",
        joint=Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, height)),
        shapes=[
            Capsule(radius=radius, length=length, density=CAPSULE_MASS / volume, colour=(0.78, 0.30, 0.22))
        ],
    )
    return Description(
        name="capsule_pinch", bodies=[hand, *pads, capsule], surface=Surface(friction=friction)
    )
