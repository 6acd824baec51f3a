"""What MuJoCo wants of inertias, and how easily each degree of freedom moves where it starts."""

from __future__ import annotations

import numpy as np

from zoophyte.description import MassProperties, principal_moments, six_entries
from zoophyte.model import Model
from zoophyte.model import layout as at
from zoophyte.model.model import Floats

SMALLEST = 1e-14
"""A moving body of MuJoCo must have more mass and more inertia than 1e-15, and gets this much if it has less."""

ROUNDING = 16 * 2.0**-53


def inertial(properties: MassProperties) -> tuple[dict[str, float | tuple[float, ...]], str]:
    """Attributes of the element `inertial`, and what had to be changed in words.

    A flat body has one principal moment equal to the sum of the others; MuJoCo refuses it when rounding makes the sum
    smaller, so that much is added to the diagonal.

    Args:
        properties: of a moving body.
    """
    xx, xy, xz, yy, yz, zz = six_entries(properties.inertia)
    lowest, middle, highest = principal_moments(properties.inertia)
    extra, words = 0.0, ""
    if lowest < SMALLEST or properties.mass < SMALLEST:
        extra = SMALLEST
        words = f"has no mass, or no inertia about some axis; MuJoCo needs both, so {SMALLEST:g} was added"
    elif lowest + middle - highest < ROUNDING * highest:
        extra = ROUNDING * highest
    mass = max(properties.mass, SMALLEST)
    moments = (xx + extra, yy + extra, zz + extra)
    turned = xy != 0.0 or xz != 0.0 or yz != 0.0
    entries = {"fullinertia": (*moments, xy, xz, yz)} if turned else {"diaginertia": moments}
    return {"pos": properties.com, "mass": mass, **entries}, words


def mobilities(model: Model) -> Floats:
    """Diagonal of M⁻¹ at q = 0, rotors included: the acceleration by a unit force, MuJoCo's `dof_invweight0`."""
    links, n = model.links, len(model.links.kind)
    jacobians = np.zeros((n, 6, model.nv))  # columns: motion (ω; v) of the link per unit of v, link axes
    matrix = np.diag(model.dofs.armature).astype(float)
    for i in range(1, n):
        turn, r, parent = links.E[i], links.r[i], jacobians[links.parent[i]]
        jacobians[i, :3] = turn @ parent[:3]
        jacobians[i, 3:] = turn @ (parent[3:] + np.cross(parent[:3], r, axis=0))
        first, kind = model.v_start[i], int(links.kind[i])
        axes = {at.HINGE: [2], at.SLIDE: [5], at.BALL: [0, 1, 2], at.FREE: [0, 1, 2, 3, 4, 5]}[kind]
        for column, axis in enumerate(axes, start=first):
            jacobians[i, axis, column] = 1.0
        own = _spatial_inertia(float(links.mass[i]), links.moment[i], links.inertia[i])
        matrix += jacobians[i].T @ own @ jacobians[i]
    return np.asarray(np.diag(np.linalg.pinv(matrix)), float)


def _spatial_inertia(mass: float, moment: Floats, inertia: Floats) -> Floats:
    """[I, h×; −h×, m 1] about the link's origin."""
    x, y, z = moment
    h = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[inertia, h], [-h, mass * np.eye(3)]])
