"""Plants: sprung trees of bodies that stand, sag and sway."""

from __future__ import annotations

import math

from zoophyte.algebra.quaternions import quaternion_exp, quaternion_product
from zoophyte.description import GROUND, Body, Cylinder, Description, Ellipsoid, Frustum, Joint
from zoophyte.description.values import Triple
from zoophyte.zoo.placing import Y_UP, Z_TO_Y, euler_xyz

BARK: Triple = (0.42, 0.30, 0.20)
LEAF: Triple = (0.30, 0.58, 0.24)

GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))
"""Between successive branches of a spiral, 137.5° [rad]."""


def y_plant(modulus: float = 200e6, poisson: float = 0.25, damping: float = 1e-4) -> Description:
    """The forked plant "Y" with Euler XYZ joints, for which reference values exist (after Garcia 2023).

    String ``B0 J1 B1 [J2 B2] J3 B3``; every joint is three hinges about R, H, U = x, y, z with massless
    bodies between: ``j1.R``, ``j1.H`` and ``b1``, and so on.  Local frames have y along the stem, and the
    root is turned so that y is up.  Lengths 0.10, 0.08, 0.10 m, radii 4, 2, 3 mm, ρ = 900 kg/m³; springs
    k_R = k_U = E (π/8)(r_p⁴ + r⁴)·2/(l_p + l) and k_H = k_R/(1 + ν); the root B0 has l = 0.05 m, r = 4 mm.

    Args:
        modulus: Young's modulus E [Pa].
        poisson: Poisson's ratio ν.
        damping: of every coordinate [N·m·s/rad].
    """
    sizes = {"b0": (0.05, 0.004), "b1": (0.10, 0.004), "b2": (0.08, 0.002), "b3": (0.10, 0.003)}
    rest = {"b1": (0.0, 0.0, 0.0), "b2": (0.8, 0.0, 0.3), "b3": (0.0, 0.4, 0.0)}
    bodies = []
    for name, parent in (("b1", "b0"), ("b2", "b1"), ("b3", "b1")):
        (parent_length, parent_radius), (length, radius) = sizes[parent], sizes[name]
        bend = modulus * math.pi / 8.0 * (parent_radius**4 + radius**4) * 2.0 / (parent_length + length)
        turned = euler_xyz(*rest[name])
        is_root = parent == "b0"
        start = Joint(
            kind="hinge",
            axis=(1, 0, 0),
            position=(0.0, 0.0 if is_root else parent_length, 0.0),
            rotation=quaternion_product(Y_UP, turned) if is_root else turned,
            stiffness=bend,
            damping=damping,
        )
        twist = Joint(kind="hinge", axis=(0, 1, 0), stiffness=bend / (1.0 + poisson), damping=damping)
        end = Joint(kind="hinge", axis=(0, 0, 1), stiffness=bend, damping=damping)
        stem = Cylinder(
            radius=radius,
            length=length,
            position=(0.0, 0.5 * length, 0.0),
            rotation=Z_TO_Y,
            density=900.0,
            colour=LEAF,
        )
        joint_name = f"j{name[1:]}"
        bodies += [
            Body(name=f"{joint_name}.R", parent=GROUND if is_root else parent, joint=start),
            Body(name=f"{joint_name}.H", parent=f"{joint_name}.R", joint=twist),
            Body(name=name, parent=f"{joint_name}.H", joint=end, shapes=[stem]),
        ]
    return Description(name="y_plant", bodies=bodies)


WOOD_DENSITY, WOOD_MODULUS, WOOD_POISSON, WOOD_DAMPING = 800.0, 4.0e8, 0.25, 0.02
"""Green wood, softened to sway about once a second; dampers are 0.02 s times the springs."""


def sapling(branches: int = 6) -> Description:
    """A young tree of ball joints: a tapering stem of eight pieces, branches in a golden spiral, and leaves.

    1.6 m tall, radius from 12 to 4 mm.  Springs follow from E = 0.4 GPa as in Garcia 2023, §6.3 and §6.4,
    with the half-cell root; each branch has three pieces and ends in a leaf.  All numbers are ours.

    Args:
        branches: how many, from none to any number.
    """
    pieces, height, thick, thin = 8, 1.6, 0.012, 0.004
    h = height / pieces
    radii = [thick + (thin - thick) * number / pieces for number in range(pieces + 1)]
    bodies = _pieces("stem{}", GROUND, radii, h, start=0.0)
    bodies[-1].shapes.append(_leaf(h))
    for branch in range(branches):
        share = (branch + 0.5) / branches
        level = 2 + int(share * (pieces - 2))
        bodies += _branch(
            f"branch{branch + 1}", f"stem{level}", h, branch * GOLDEN_ANGLE, 0.16 - 0.07 * share
        )
    return Description(name="sapling", bodies=bodies)


def _branch(name: str, parent: str, height: float, azimuth: float, length: float) -> list[Body]:
    """Three pieces that leave the stem at 60°, the last with a leaf."""
    direction = quaternion_product(
        quaternion_exp((0.0, 0.0, azimuth)), quaternion_exp((0.0, math.pi / 3.0, 0.0))
    )
    radii = [0.004, 0.0033, 0.0026, 0.002]
    bodies = _pieces(name + ".{}", parent, radii, length, start=0.8 * height)
    bodies[0].joint.rotation = direction
    bodies[-1].shapes.append(_leaf(length))
    return bodies


def _pieces(name: str, parent: str, radii: list[float], length: float, *, start: float) -> list[Body]:
    """Tapering pieces one upon the other.

    Args:
        name: of a piece, with braces for its number, which counts from 1.
        parent: on which the first stands.
        radii: from the foot of the first to the tip of the last, one more than there are pieces [m].
        length: of each [m].
        start: where on the parent's axis the first stands [m].
    """
    bodies = []
    for number in range(len(radii) - 1):
        joint = _wooden_joint(
            (0.0, 0.0, length if number else start), radii[number], length, is_root=number == 0
        )
        piece = Frustum(
            radius_start=radii[number],
            radius_end=radii[number + 1],
            length=length,
            density=WOOD_DENSITY,
            colour=BARK,
        )
        below = name.format(number) if number else parent
        bodies.append(Body(name=name.format(number + 1), parent=below, joint=joint, shapes=[piece]))
    return bodies


def _leaf(start: float) -> Ellipsoid:
    return Ellipsoid(
        semi_axes=(0.035, 0.002, 0.06), position=(0.0, 0.0, start + 0.055), density=400.0, colour=LEAF
    )


def _wooden_joint(position: Triple, radius: float, length: float, *, is_root: bool) -> Joint:
    """A ball joint with the springs of a round rod; the first of a stem or branch stands for half a piece."""
    bend = WOOD_MODULUS * math.pi / 4.0 * radius**4 / length * (2.0 if is_root else 1.0)
    springs = (bend, bend, bend / (1.0 + WOOD_POISSON))
    return Joint(
        kind="ball",
        position=position,
        stiffness=springs,
        damping=tuple(WOOD_DAMPING * spring for spring in springs),
    )
