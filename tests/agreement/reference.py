"""Kinematics of a description written the slow, obvious way: world axes, 3×3 matrices, one body after the other.

Nothing here is shared with the package but the meaning of the coordinates, so it is the oracle of what is built on
link frames, spatial vectors and recursions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bodies import Floats, rotation_matrix
from zoophyte.description import Body, Description


@dataclass(frozen=True)
class Motion:
    """One body in world axes: rotation, origin, angular velocity, velocity of the origin."""

    R: Floats
    p: Floats
    omega: Floats
    u: Floats

    def point(self, point_B: Any) -> Floats:
        return self.p + self.R @ np.asarray(point_B, float)

    def velocity(self, point_B: Any) -> Floats:
        return self.u + np.cross(self.omega, self.R @ np.asarray(point_B, float))


REST = Motion(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))


def axis_rotation(axis: Any, angle: float) -> Floats:
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def turned(quaternion: Any, phi: Any) -> Floats:
    """quaternion ⊗ exp(φ): turned by the rotation vector φ given in body axes."""
    phi = np.asarray(phi, float)
    angle = float(np.linalg.norm(phi))
    w, u = np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * phi
    a, x = float(quaternion[0]), np.asarray(quaternion[1:], float)
    product = np.array([a * w - x @ u, *(a * u + w * x + np.cross(x, u))])
    return product / np.linalg.norm(product)


def moved(description: Description, q: Any, step: Any) -> Floats:
    """q ⊞ step: the configuration that the velocities `step` lead to in one second."""
    out, n, k = [], 0, 0
    for body in description.bodies:
        kind, dofs = body.joint.kind, body.joint.dof_count
        x, dx = (
            np.asarray(q[n : n + body.joint.coordinate_count], float),
            np.asarray(step[k : k + dofs], float),
        )
        if kind in ("ball", "free"):
            out += list(turned(x[:4], dx[:3]))
            if kind == "free":
                out += list(x[4:] + rotation_matrix(x[:4]) @ dx[3:])
        else:
            out += list(x + dx)
        n, k = n + body.joint.coordinate_count, k + dofs
    return np.array(out)


def motions(description: Description, q: Any, v: Any) -> dict[str, Motion]:
    """The motion of every body, the ground included."""
    found = {"ground": REST}
    n = k = 0
    for body in description.bodies:
        joint = body.joint
        x, y = np.asarray(q[n : n + joint.coordinate_count]), np.asarray(v[k : k + joint.dof_count])
        found[body.name] = _moved_body(found[body.parent], body, x, y)
        n, k = n + joint.coordinate_count, k + joint.dof_count
    return found


def _moved_body(parent: Motion, body: Body, q: Floats, v: Floats) -> Motion:
    joint = body.joint
    R_J, p = parent.R @ rotation_matrix(joint.rotation), parent.point(joint.position)
    R, turning, sliding = R_J, np.zeros(3), np.zeros(3)
    if joint.kind == "hinge":
        R = R_J @ axis_rotation(joint.axis, q[0])
        turning = R @ np.asarray(joint.axis) * v[0]
    elif joint.kind == "slide":
        p = p + R_J @ np.asarray(joint.axis) * q[0]
        sliding = R_J @ np.asarray(joint.axis) * v[0]
    elif joint.kind == "universal":
        R = R_J @ axis_rotation(joint.axes[0], q[0]) @ axis_rotation(joint.axes[1], q[1])
        turning = R_J @ np.asarray(joint.axes[0]) * v[0] + R @ np.asarray(joint.axes[1]) * v[1]
    elif joint.kind in ("ball", "free"):
        R = R_J @ rotation_matrix(q[:4])
        turning = R @ v[:3]
        if joint.kind == "free":
            p, sliding = p + R_J @ q[4:], R @ v[3:]
    u = parent.u + np.cross(parent.omega, p - parent.p) + sliding
    return Motion(R, p, parent.omega + turning, u)


def point_jacobian(description: Description, q: Any, body: str, point_B: Any = (0.0, 0.0, 0.0)) -> Floats:
    """(ω; velocity of the point) per unit velocity, column by column, shape (6, nv)."""
    nv = sum(b.joint.dof_count for b in description.bodies)
    columns = [motions(description, q, unit)[body] for unit in np.eye(nv)]
    return np.array([[*m.omega, *m.velocity(point_B)] for m in columns]).reshape(nv, 6).T


def armatures(description: Description) -> Floats:
    """Rotor inertia of every degree of freedom."""
    return np.array([x for body in description.bodies for x in body.joint.per_dof(body.joint.armature)])


def mass_matrix(description: Description, q: Any) -> Floats:
    """Σ Jᵀ diag(I_W, m) J over the bodies at their centres of mass, plus the rotors."""
    M = np.diag(armatures(description))
    for body in description.bodies:
        properties = body.mass_properties()
        J = point_jacobian(description, q, body.name, properties.com)
        R = motions(description, q, np.zeros(len(M)))[body.name].R
        M = M + J[:3].T @ R @ np.asarray(properties.inertia) @ R.T @ J[:3] + properties.mass * J[3:].T @ J[3:]
    return M


def momentum(description: Description, q: Any, v: Any) -> tuple[Floats, Floats, Floats, float]:
    """(linear, angular about the origin, centre of mass, mass) of all that is not fixed to the ground."""
    linear, angular, weighted, total = np.zeros(3), np.zeros(3), np.zeros(3), 0.0
    all_motions, moving = motions(description, q, v), {"ground": False}
    for body in description.bodies:
        moving[body.name] = moving[body.parent] or body.joint.kind != "fixed"
        if moving[body.name]:
            properties, motion = body.mass_properties(), all_motions[body.name]
            m, c = properties.mass, motion.point(properties.com)
            p = m * motion.velocity(properties.com)
            I_W = motion.R @ np.asarray(properties.inertia) @ motion.R.T
            linear, angular = linear + p, angular + np.cross(c, p) + I_W @ motion.omega
            weighted, total = weighted + m * c, total + m
    return linear, angular, weighted / total, total
