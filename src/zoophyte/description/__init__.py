"""Descriptions: what a living thing is, as editable parts and YAML files (2; knows no model).

::

    arm = Description(name="arm", bodies=[
        Body(name="upper", joint=Joint(kind="hinge"), shapes=[Capsule(radius=0.04, length=0.3)]),
    ])
    arm.save("arm.yaml")

Whatever is wrong is said at once, with file, line and key, in one :class:`zoophyte.errors.DescriptionError`.
"""

from zoophyte.description.bodies import GROUND, Body
from zoophyte.description.constraints import Attach, Connect, Constraint, Pair, Weld
from zoophyte.description.description import Description, load
from zoophyte.description.joints import JOINT_KINDS, Joint, JointKind, Motor, Servo
from zoophyte.description.mass import (
    MassProperties,
    combined,
    compact_inertia,
    inertia_about,
    placed,
    principal_moments,
    six_entries,
)
from zoophyte.description.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Frustum,
    Polyhedron,
    Shape,
    Solid,
    Sphere,
    TaperedCapsule,
)
from zoophyte.description.surface import Surface

__all__ = [
    "GROUND", "JOINT_KINDS",
    "Attach", "Body", "Box", "Capsule", "Connect", "Constraint", "Cylinder", "Description", "Ellipsoid", "Frustum", "Joint",
    "JointKind", "MassProperties", "Motor", "Pair", "Polyhedron", "Servo", "Shape", "Solid", "Sphere", "Surface",
    "TaperedCapsule", "Weld",
    "combined", "compact_inertia", "inertia_about", "load", "placed", "principal_moments", "six_entries",
]  # fmt: skip
