"""Descriptions that tests of YAML files share: a leg as text, and one of everything."""

from __future__ import annotations

import math

from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Description,
    Ellipsoid,
    Frustum,
    Joint,
    MassProperties,
    Motor,
    Polyhedron,
    Servo,
    Sphere,
    TaperedCapsule,
)

GOOD = """\
zoophyte: 1
name: leg
notes: a leg that kicks
bodies:
  - name: thigh
    joint:
      kind: ball
      position: [0, 0, 1]
      stiffness: [1, 2, 0.5]
    shapes:
      - kind: capsule
        radius: 0.05
        length: 0.4
        position: [0, 0, -0.2]
  - name: shin
    parent: thigh
    joint:
      kind: hinge
      axis: [0, 1, 0]
      position: [0, 0, -0.4]
      limits: [-2.5, 0]
      actuator: {kind: servo, stiffness: 40, damping: 0.5}
    mass: {mass: 1.5, com: [0, 0, -0.2], inertia: [0.02, 0.02, 0.001]}
"""


def everything() -> Description:
    """One of each kind of shape, joint and actuator, with numbers that are hard to print."""
    solids = [
        Sphere(radius=0.1 + 0.2, name="head", colour=(1, 0.5, 0)),
        Box(size=(1 / 3, 2 / 3, 1e-5)),
        Capsule(radius=0.1, length=5e-324, density=0),
        Cylinder(radius=0.1, length=1e16, density=1e-9, rotation=(0.6, 0, 0.8, 0)),
        Ellipsoid(semi_axes=(0.1, 0.2, 0.3), position=(-0.0, 1e-17, 123456789.123456789)),
        Frustum(radius_start=0, radius_end=math.pi, length=math.e),
        TaperedCapsule(radius_start=0.1 + 0.2, radius_end=1 / 7, length=1 / 3),
        Polyhedron(
            vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
            faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
        ),
    ]
    joints = [
        Joint(kind="free", initial=(0.6, 0.8, 0, 0, 1, 2, 3)),
        Joint(
            kind="hinge", axis=(1, 2, 3), limits=(-1, 1), limit_stiffness=100, limit_damping=1, initial=0.1
        ),
        Joint(kind="slide", driven=True, armature=0.01, rest=0.3),
        Joint(kind="universal", axes=((1, 1, 0), (1, -1, 0)), damping=(1, 2), limits=[(-1, 1), (-2, 2)]),
        Joint(kind="ball", stiffness=(1, 2, 3), rest=(0.1, 0, 0), actuator=Motor(strength=3, max_speed=7)),
        Joint(kind="hinge", actuator=Servo(stiffness=10, damping=0.1)),
        Joint(kind="fixed", position=(1, 2, 3), rotation=(0, 0, 0, 1)),
        Joint(kind="fixed"),
    ]
    bodies = [
        Body(name=f"body {i}", parent="ground" if i == 0 else f"body {i - 1}", joint=joint, shapes=[solid])
        for i, (joint, solid) in enumerate(zip(joints, solids, strict=True))
    ]
    bodies.append(
        Body(
            name="yes",
            parent="body 7",
            mass=MassProperties(mass=2, com=(0, 0, 1), inertia=(1, 0.1, 0, 1, -0.2, 1.5)),
        )
    )
    return Description(name="null", bodies=bodies, notes="first line\n  second: [line] # here\n\nlast")
