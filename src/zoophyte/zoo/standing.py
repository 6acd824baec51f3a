"""Where a described body is lowest, and the same body put on the ground.

Only heights are asked for, so only one row of each rotation is followed through the tree: with n the vertical seen from a
body's frame and h the height of its origin, a point p of the body is at h + n·p.  Exact for every shape, in plain floats, so
that the same body stands in the same place on every machine.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from zoophyte.description import GROUND, Body, Description, Joint
from zoophyte.description.values import Triple
from zoophyte.errors import UsageError
from zoophyte.numbers.functions import sincos

View: TypeAlias = tuple[float, Triple]
"""Height of a frame's origin [m], and the vertical in that frame's axes."""

UNTURNED = (1.0, 0.0, 0.0, 0.0)
WORLD: View = (0.0, (0.0, 0.0, 1.0))


def lowest_height(description: Description) -> float:
    """Height of the lowest point of all shapes that touch, in the initial pose [m]; of all shapes if none touches.

    Args:
        description: the body.

    Raises:
        UsageError: when it has no shapes.
    """
    views: dict[str, View] = {GROUND: WORLD}
    touching = others = math.inf
    for body in description.bodies:
        view = views[body.name] = _body_view(views[body.parent], body.joint)
        for shape in body.shapes:
            height = lowest_of(shape, view)
            if shape.contact and (shape.surface or description.surface):
                touching = min(touching, height)
            others = min(others, height)
    lowest = touching if touching < math.inf else others
    if lowest == math.inf:
        raise UsageError(f"{description.name}: it has no shapes, so it has no lowest point; give it one.")
    return lowest


def lifted(description: Description, rise: float) -> Description:
    """The same body, higher by `rise`; what is not changed is shared with the description given.

    Args:
        description: the body.
        rise: how much [m].
    """
    return description.altered(bodies=[_lifted_body(body, rise) for body in description.bodies])


def standing(description: Description, clearance: float = 0.01) -> Description:
    """The same body with its lowest point a little over level ground at height 0.

    Args:
        description: the body, in its initial pose.
        clearance: height of the lowest point [m].
    """
    return lifted(description, clearance - lowest_height(description))


def total_mass(description: Description) -> float:
    """Mass of all bodies [kg]."""
    return sum(
        body.mass.mass if body.mass is not None else sum(shape.mass() for shape in body.shapes)
        for body in description.bodies
    )


def _lifted_body(body: Body, rise: float) -> Body:
    if body.parent != GROUND:
        return body
    x, y, z = body.joint.position
    return body.altered(joint=body.joint.altered(position=(x, y, z + rise)))


def _body_view(parent: View, joint: Joint) -> View:
    """X_PB = placement(position, rotation) ∘ motion(initial), as far as heights need it."""
    view = _turned(_moved(parent, joint.position), joint.rotation)
    if joint.kind == "fixed" or joint.initial is None:
        return view
    q: Any = joint.initial_coordinates()
    if joint.kind == "hinge":
        return _turned(view, _about(joint.axis, q[0]))
    if joint.kind == "slide":
        length = math.sqrt(sum(x * x for x in joint.axis))
        x, y, z = joint.axis
        way = q[0] / length
        return _moved(view, (way * x, way * y, way * z))
    if joint.kind == "universal":
        return _turned(_turned(view, _about(joint.axes[0], q[0])), _about(joint.axes[1], q[1]))
    if joint.kind == "free":
        view = _moved(view, q[4:])
    return _turned(view, q[:4])


def _moved(view: View, p: Triple) -> View:
    height, (a, b, c) = view
    return height + a * p[0] + b * p[1] + c * p[2], view[1]


def _turned(view: View, quaternion: Any) -> View:
    """The vertical n seen from axes that are turned by a quaternion (w; u): n − 2w u×n + 2u×(u×n)."""
    if quaternion == UNTURNED:
        return view
    w, x, y, z = quaternion
    height, (a, b, c) = view
    i, j, k = y * c - z * b, z * a - x * c, x * b - y * a
    scale = 2.0 / (w * w + x * x + y * y + z * z)
    turned = (
        a + scale * (y * k - z * j - w * i),
        b + scale * (z * i - x * k - w * j),
        c + scale * (x * j - y * i - w * k),
    )
    return height, turned


def _about(axis: Triple, angle: float) -> tuple[float, float, float, float]:
    sine, cosine = sincos(0.5 * float(angle))
    sine /= math.sqrt(sum(x * x for x in axis))
    return cosine, sine * axis[0], sine * axis[1], sine * axis[2]


def lowest_of(shape: Any, body: View) -> float:
    """Height of the lowest point of a shape: the least h + n·x over all its points x.

    Args:
        shape: of a description.
        body: the height of its body's origin, and the vertical in the body's axes.
    """
    height, (a, b, c) = _turned(_moved(body, shape.position), shape.rotation)
    across = math.sqrt(a * a + b * b)
    kind = shape.kind
    if kind == "sphere":
        return float(height - shape.radius)
    if kind == "box":
        x, y, z = shape.size
        return float(height - 0.5 * (abs(a) * x + abs(b) * y + abs(c) * z))
    if kind == "capsule":
        return float(height - shape.radius - 0.5 * shape.length * abs(c))
    if kind == "tapered_capsule":
        return float(height + min(-shape.radius_start, shape.length * c - shape.radius_end))
    if kind == "cylinder":
        return float(height - shape.radius * across - 0.5 * shape.length * abs(c))
    if kind == "frustum":
        return float(height + min(-shape.radius_start * across, shape.length * c - shape.radius_end * across))
    if kind == "ellipsoid":
        x, y, z = shape.semi_axes
        return float(height - math.sqrt((a * x) ** 2 + (b * y) ** 2 + (c * z) ** 2))
    return float(height + min(a * x + b * y + c * z for x, y, z in shape.vertices))
