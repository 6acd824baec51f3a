"""Shapes: solids on bodies, with exact volume, centre and inertia."""

from zoophyte.description.shapes.solids import (
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

__all__ = [
    "Box", "Capsule", "Cylinder", "Ellipsoid", "Frustum", "Polyhedron", "Shape", "Solid", "Sphere", "TaperedCapsule",
]  # fmt: skip
