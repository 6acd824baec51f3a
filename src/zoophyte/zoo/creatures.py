"""Creatures: bodies with legs, and the trees that benchmarks measure."""

from __future__ import annotations

import numpy as np

from zoophyte.description import (
    GROUND,
    Body,
    Capsule,
    Description,
    Ellipsoid,
    Frustum,
    Joint,
    MassProperties,
    Servo,
)
from zoophyte.description.values import Quadruple, Triple
from zoophyte.zoo.placing import HALF, Y_UP, Z_TO_MINUS_Y

CHITIN: Triple = (0.33, 0.20, 0.14)
LIMB: Triple = (0.62, 0.42, 0.22)

TRUNK_SEMI_AXES = (0.25, 0.08, 0.12)
HIP_TURN: Quadruple = (HALF, 0.0, -HALF, 0.0)
"""Turns the leg's x axis, its hinge, into the trunk's z."""


def ref4() -> Description:
    """The four-legged reference creature REF4 for Arnold 1997's method (14 degrees of freedom, 12.587 kg).

    Trunk: ellipsoid with semi-axes (0.25, 0.08, 0.12) m; x forward, y up, z to the right in its own frame,
    which is placed so that y is up in the world, and q of the root is as in the source's y-up world.  Hips at
    (±0.15, 0, ±0.10) m. Legs hang along −y: upper 0.20 m, radii 30 → 22 mm; lower 0.22 m, 22 → 12 mm; 1000
    kg/m³ throughout.  Hinges turn about the trunk's z and have servos, 5 N·m/rad and 0.05 N·m·s/rad.
    """
    return _insect("ref4", {"front": 0.15, "rear": -0.15})


def ref6() -> Description:
    """The six-legged reference creature REF6 for Arnold 1997's method (18 degrees of freedom, 13.855 kg).

    As :func:`ref4`, with hips at x = 0.18, 0 and −0.18 m.
    """
    return _insect("ref6", {"front": 0.18, "middle": 0.0, "rear": -0.18})


def _insect(name: str, pairs: dict[str, float]) -> Description:
    trunk = Body(
        name="trunk",
        joint=Joint(kind="free", rotation=Y_UP, initial=(1, 0, 0, 0, 0, 0.45, 0)),
        shapes=[Ellipsoid(semi_axes=TRUNK_SEMI_AXES, colour=CHITIN)],
    )
    bodies = [trunk]
    for pair, x in pairs.items():
        for side, z in (("right", 0.10), ("left", -0.10)):
            upper = f"{pair}_{side}_upper"
            bodies.append(_segment(upper, "trunk", (x, 0.0, z), HIP_TURN, (0.030, 0.022, 0.20)))
            knee = (1.0, 0.0, 0.0, 0.0)
            bodies.append(
                _segment(f"{pair}_{side}_lower", upper, (0.0, -0.20, 0.0), knee, (0.022, 0.012, 0.22))
            )
    return Description(name=name, bodies=bodies)


def _segment(name: str, parent: str, position: Triple, rotation: Quadruple, size: Triple) -> Body:
    start, end, length = size
    return Body(
        name=name,
        parent=parent,
        joint=Joint(
            kind="hinge",
            position=position,
            rotation=rotation,
            axis=(1, 0, 0),
            actuator=Servo(stiffness=5.0, damping=0.05),
        ),
        shapes=[
            Frustum(radius_start=start, radius_end=end, length=length, rotation=Z_TO_MINUS_Y, colour=LIMB)
        ],
    )


def tree12(seed: int = 0, *, mixed: bool = False) -> Description:
    """A tree of twelve hinges on the ground with random inertias: the workload of the benchmarks.

    Body i hangs on body i − 3 (the first three on the ground).  Placements are random rotations and offsets
    of about 0.3 m, masses lie between 1 and 2 kg, centres of mass about 0.1 m from the hinge.

    Args:
        seed: of everything random.
        mixed: whether parents are random too.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    bodies = []
    for number in range(1, 13):
        parent = int(rng.integers(0, number)) if mixed else max(0, number - 3)
        turn = rng.normal(size=4)
        mass = 1.0 + rng.random()
        # Second moments Σ = A Aᵀ + σ 1 are those of some body for every A; its inertia is tr(Σ) 1 − Σ.
        A = 0.1 * rng.normal(size=(3, 3))
        S = A @ A.T + 0.025 * np.eye(3)
        properties = MassProperties(
            mass=mass, com=0.1 * rng.normal(size=3), inertia=np.trace(S) * np.eye(3) - S
        )
        joint = Joint(
            kind="hinge",
            position=0.3 * rng.normal(size=3),
            rotation=turn / np.linalg.norm(turn),
            initial=rng.normal(),
        )
        bodies.append(
            Body(
                name=f"body{number}",
                parent=f"body{parent}" if parent else GROUND,
                joint=joint,
                shapes=[Capsule(radius=0.03, length=0.15, colour=LIMB)],
                mass=properties,
            )
        )
    return Description(name="tree12", bodies=bodies)
