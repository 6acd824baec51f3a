"""Mechanisms: bodies whose motion is known in closed form, or that stress one part of the physics."""

from __future__ import annotations

import math
from typing import Literal

from zoophyte.description import (
    GROUND,
    Body,
    Box,
    Capsule,
    Connect,
    Cylinder,
    Description,
    Joint,
    MassProperties,
    Motor,
    Sphere,
)
from zoophyte.description.values import Triple
from zoophyte.errors import UsageError
from zoophyte.zoo.placing import Z_TO_X

STEEL: Triple = (0.45, 0.50, 0.56)
BRASS: Triple = (0.80, 0.62, 0.25)
OAK: Triple = (0.63, 0.46, 0.28)


def pendulum(length: float = 1.0, angle: float = 0.5) -> Description:
    """A pendulum: a 1 kg ball on a rod of 0.1 kg.

    θ̈ = −(m g l/I) sin θ with the distance l of the centre of mass and the inertia I, both about the pivot
    (Garcia 2023, §8.1, who gives no numbers; these are ours).

    Args:
        length: from the pivot to the ball's centre [m].
        angle: at the start, from the downward vertical [rad].
    """
    rod = Cylinder(
        radius=0.01,
        length=length,
        position=(0.0, 0.0, -0.5 * length),
        density=0.1 / (math.pi * 1e-4 * length),
        colour=STEEL,
    )
    radius = 0.05
    ball = Sphere(
        radius=radius,
        position=(0.0, 0.0, -length),
        density=1.0 / (4.0 / 3.0 * math.pi * radius**3),
        colour=BRASS,
    )
    bob = Body(name="bob", joint=Joint(kind="hinge", axis=(0, -1, 0), initial=angle), shapes=[rod, ball])
    return Description(name="pendulum", bodies=[bob])


def rod(angle: float = 0.5) -> Description:
    """A slender rod of 1 kg and 1 m on a hinge about x (Wilhelms & Barsky, checks C1 and C10).

    Mass 1 kg at (0, 0, −½) m, inertia diag(1/12, 1/12, 0) kg·m²; small swings take 1.638 s.

    Args:
        angle: at the start, from the downward vertical [rad].
    """
    bodies = [_hanging_rod("rod", GROUND, (0.0, 0.0, 0.0), angle)]
    return Description(name="rod", bodies=bodies)


def two_rods(angles: tuple[float, float] = (2.0, 1.0)) -> Description:
    """Two such rods, one below the other (Wilhelms & Barsky, checks C2 and C9).

    Args:
        angles: at the start, each from the direction of the one before [rad].
    """
    upper = _hanging_rod("upper", GROUND, (0.0, 0.0, 0.0), angles[0])
    lower = _hanging_rod("lower", "upper", (0.0, 0.0, -1.0), angles[1])
    return Description(name="two_rods", bodies=[upper, lower])


def _hanging_rod(name: str, parent: str, position: Triple, angle: float) -> Body:
    return Body(
        name=name,
        parent=parent,
        joint=Joint(kind="hinge", position=position, axis=(1, 0, 0), initial=angle),
        shapes=[Cylinder(radius=0.015, length=1.0, position=(0.0, 0.0, -0.5), colour=STEEL)],
        mass=MassProperties(mass=1.0, com=(0.0, 0.0, -0.5), inertia=(1.0 / 12.0, 1.0 / 12.0, 0.0)),
    )


def double_pendulum(length: float = 0.1, mass: float = 0.1) -> Description:
    """Two equal slender rods of 0.1 m that start horizontal (Garcia 2023, §8.2): chaotic.

    The parameters follow from the one number printed, θ̈₁(0) = −(9/7) g/l = −126.12857 rad/s²; θ̈₂(0) in
    relative coordinates is (12/7) g/l.  Coordinates are zero in the horizontal pose and grow upwards.

    Args:
        length: of each rod [m].
        mass: of each rod [kg]; the motion does not depend on it.
    """
    across = mass * length * length / 12.0
    shape = Cylinder(
        radius=0.03 * length, length=length, position=(0.5 * length, 0.0, 0.0), rotation=Z_TO_X, colour=BRASS
    )
    properties = MassProperties(mass=mass, com=(0.5 * length, 0.0, 0.0), inertia=(0.0, across, across))
    upper = Body(name="upper", joint=Joint(kind="hinge", axis=(0, -1, 0)), shapes=[shape], mass=properties)
    lower = Body(
        name="lower",
        parent="upper",
        joint=Joint(kind="hinge", position=(length, 0.0, 0.0), axis=(0, -1, 0)),
        shapes=[shape.model_copy(update={"colour": STEEL})],
        mass=properties,
    )
    return Description(name="double_pendulum", bodies=[upper, lower])


BEAM_LENGTH, BEAM_RADIUS, BEAM_MODULUS, BEAM_DENSITY = 1.0, 0.01, 8.1e9, 923.0
BEAM_AREA = math.pi * BEAM_RADIUS**2
BEAM_BENDING = BEAM_MODULUS * math.pi / 4.0 * BEAM_RADIUS**4
"""E I [N·m²], 63.61725."""
BEAM_FREQUENCY = 1.8751040687119611**2 * math.sqrt(BEAM_BENDING / (BEAM_DENSITY * BEAM_AREA * BEAM_LENGTH**4))
"""First angular frequency of the continuous beam [rad/s], 2π · 8.289 Hz."""


def cantilever(
    bodies: int = 50,
    root: Literal["half", "literal"] = "half",
    *,
    damping_ratio: float = 0.02,
    slender: bool = False,
) -> Description:
    """A horizontal beam of 1 m as a chain of sprung hinges that bends under its weight (Garcia 2023, §8.3).

    Radius 0.01 m, E = 8.1 GPa, ρ = 923 kg/m³; hinge springs k = E I/h with h = 1 m/bodies.  The continuous
    beam sags w l⁴/(8 E I) = 5.58928 mm.

    Args:
        bodies: number of pieces.
        root: "half" gives the first hinge 2 E I/h, since it stands for half a piece (second order,
            δ(1 + 1/N²)); "literal" gives it E I/h, as in the source (first order, δ(1 + 1/N)²).
        damping_ratio: of the first mode; dampers are proportional to the springs, b = 2ζ k/ω₁.
        slender: whether pieces have the inertia of slender rods, m h²/12, as the source's table implies.
    """
    _count("cantilever", bodies)
    if root not in ("half", "literal"):
        raise UsageError(f"cantilever: root is {root!r}, must be 'half' or 'literal'.")
    h = BEAM_LENGTH / bodies
    mass = BEAM_DENSITY * BEAM_AREA * h
    shape = Cylinder(
        radius=BEAM_RADIUS,
        length=h,
        position=(0.5 * h, 0.0, 0.0),
        rotation=Z_TO_X,
        density=BEAM_DENSITY,
        colour=OAK,
    )
    across = mass * h * h / 12.0
    thin = (
        MassProperties(mass=mass, com=(0.5 * h, 0.0, 0.0), inertia=(0.0, across, across)) if slender else None
    )
    chain = []
    for number in range(bodies):
        stiffness = BEAM_BENDING / h * (2.0 if number == 0 and root == "half" else 1.0)
        joint = Joint(
            kind="hinge",
            position=(h if number else 0.0, 0.0, 0.0),
            axis=(0, 1, 0),
            stiffness=stiffness,
            damping=2.0 * damping_ratio / BEAM_FREQUENCY * stiffness,
        )
        chain.append(
            Body(
                name=f"piece{number + 1}",
                parent=_previous("piece", number),
                joint=joint,
                shapes=[shape],
                mass=thin,
            )
        )
    return Description(name=f"cantilever{bodies}", bodies=chain)


def chain(bodies: int = 10) -> Description:
    """A hanging chain of hinges whose axes alternate between x and y; the first link starts at 0.5 rad.

    Each link is a capsule of 0.1 m between hinges and weighs 36 g.

    Args:
        bodies: number of links.
    """
    _count("chain", bodies)
    shape = Capsule(radius=0.01, length=0.1, position=(0.0, 0.0, -0.05), colour=STEEL)
    links = []
    for number in range(bodies):
        joint = Joint(
            kind="hinge",
            position=(0.0, 0.0, -0.1 if number else 0.0),
            axis=(0, 1, 0) if number % 2 == 0 else (1, 0, 0),
            initial=0.5 if number == 0 else None,
        )
        links.append(
            Body(name=f"link{number + 1}", parent=_previous("link", number), joint=joint, shapes=[shape])
        )
    return Description(name=f"chain{bodies}", bodies=links)


def ball_chain(bodies: int = 20, *, modulus: float = 2e6, damping_ratio: float = 0.05) -> Description:
    """An upright elastic stem of ball joints, 1 m long: bending and twisting springs of a round rod.

    Radius 0.01 m, ρ = 900 kg/m³; with h = 1 m/bodies the springs are E I/h about x and y (twice that at the
    root) and G J/h about z, G = E/(2(1 + ν)), ν = 0.25.

    Args:
        bodies: number of pieces.
        modulus: Young's modulus E [Pa].
        damping_ratio: of the first bending mode; dampers are proportional to the springs.
    """
    _count("ball_chain", bodies)
    length, radius, density, poisson = 1.0, 0.01, 900.0, 0.25
    h = length / bodies
    bend = modulus * math.pi / 4.0 * radius**4 / h
    twist = modulus / (2.0 * (1.0 + poisson)) * math.pi / 2.0 * radius**4 / h
    first = 1.8751040687119611**2 * math.sqrt(bend * h / (density * math.pi * radius**2 * length**4))
    shape = Cylinder(
        radius=radius, length=h, position=(0.0, 0.0, 0.5 * h), density=density, colour=(0.36, 0.55, 0.25)
    )
    pieces = []
    for number in range(bodies):
        springs = tuple((2.0 if number == 0 else 1.0) * spring for spring in (bend, bend, twist))
        joint = Joint(
            kind="ball",
            position=(0.0, 0.0, h if number else 0.0),
            stiffness=springs,
            damping=tuple(2.0 * damping_ratio / first * spring for spring in springs),
        )
        pieces.append(
            Body(name=f"piece{number + 1}", parent=_previous("piece", number), joint=joint, shapes=[shape])
        )
    return Description(name=f"ball_chain{bodies}", bodies=pieces)


def book() -> Description:
    """A free box with three different moments of inertia: throw it, and it tumbles about its middle axis.

    0.24 × 0.17 × 0.03 m of 650 kg/m³, 0.7956 kg, 1 m above the origin.
    """
    shape = Box(size=(0.24, 0.17, 0.03), density=650.0, colour=(0.62, 0.20, 0.22))
    joint = Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, 1))
    return Description(name="book", bodies=[Body(name="book", joint=joint, shapes=[shape])])


def block_and_gantry(block: float = 1.0, gantry: float = 3.0) -> Description:
    """A block sliding along y on a gantry sliding along x: inertia with a direction (McKenna 1990, §3.1).

    A force on the block accelerates it by f/(m₁ + m₂) along x and by f/m₁ along y.

    Args:
        block: mass m₁ [kg].
        gantry: mass m₂ [kg].
    """
    beam, cube = (0.1, 1.0, 0.05), (0.2, 0.2, 0.2)
    bodies = [
        Body(
            name="gantry",
            joint=Joint(kind="slide", axis=(1, 0, 0)),
            shapes=[Box(size=beam, density=gantry / math.prod(beam), colour=STEEL)],
        ),
        Body(
            name="block",
            parent="gantry",
            joint=Joint(kind="slide", axis=(0, 1, 0), position=(0.0, 0.0, 0.125)),
            shapes=[Box(size=cube, density=block / math.prod(cube), colour=BRASS)],
        ),
    ]
    return Description(name="block_and_gantry", bodies=bodies)


def four_bar(unit: float = 0.1) -> Description:
    """A four-bar linkage whose tip runs along a straight line: Chebyshev's lambda mechanism, closed by a constraint.

    In units of the crank: pivots 2 apart, crank 1, rocker 2.5, and a coupler of 5 that the rocker holds in its middle.  A
    motor of 1 N·m turns the crank against a damper of 0.16 N·m·s/rad.

    Args:
        unit: length of the crank [m].
    """
    # With the crank straight away from the rocker's pivot, coupler and rocker form an isosceles triangle over 3 units.
    lean = math.acos(1.5 / 2.5)
    radius = 0.08 * unit
    crank = Body(
        name="crank",
        joint=Joint(
            kind="hinge", position=(0.0, 0.0, 1.5 * unit), axis=(0, -1, 0), initial=math.pi, damping=0.16,
            actuator=Motor(strength=1.0),
        ),
        shapes=[_bar(unit, radius, STEEL)],
    )  # fmt: skip
    coupler = Body(
        name="coupler",
        parent="crank",
        joint=Joint(
            kind="hinge", position=(unit, 0.0, 0.0), axis=(0, -1, 0), initial=lean - math.pi, damping=0.002
        ),
        shapes=[
            _bar(5.0 * unit, radius, BRASS),
            Sphere(radius=2.0 * radius, position=(5.0 * unit, 0.0, 0.0), colour=OAK),
        ],
    )
    rocker = Body(
        name="rocker",
        joint=Joint(
            kind="hinge", position=(2.0 * unit, 0.0, 1.5 * unit), axis=(0, -1, 0), initial=math.pi - lean,
            damping=0.002,
        ),
        shapes=[_bar(2.5 * unit, radius, STEEL)],
    )  # fmt: skip
    loop = Connect(
        name="loop", body="coupler", other="rocker", point=(2.5 * unit, 0, 0), other_point=(2.5 * unit, 0, 0)
    )
    # The frame stands behind the bars and weighs nothing.
    posts = [
        Box(
            size=(0.3 * unit, 0.1 * unit, 1.7 * unit),
            position=(x, 0.3 * unit, 0.85 * unit),
            density=0.0,
            colour=OAK,
        )
        for x in (0.0, 2.0 * unit)
    ]
    beam = Box(
        size=(2.6 * unit, 0.1 * unit, 0.2 * unit),
        position=(unit, 0.3 * unit, 0.1 * unit),
        density=0.0,
        colour=OAK,
    )
    frame = Body(name="frame", shapes=[*posts, beam])
    return Description(name="four_bar", bodies=[frame, crank, coupler, rocker], constraints=[loop])


def _bar(length: float, radius: float, colour: Triple) -> Capsule:
    """A bar along x, from hinge to hinge."""
    place = (0.5 * length, 0.0, 0.0)
    return Capsule(
        radius=radius, length=length, position=place, rotation=Z_TO_X, density=2000.0, colour=colour
    )


def _previous(stem: str, number: int) -> str:
    return f"{stem}{number}" if number else GROUND


def _count(name: str, bodies: object) -> None:
    if isinstance(bodies, bool) or not isinstance(bodies, int) or bodies < 1:
        raise UsageError(f"{name}: bodies is {bodies!r}, must be a whole number, 1 or more.")
