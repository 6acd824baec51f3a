"""Independent answers: dense Newton–Euler dynamics of a description, equations solved on their own.

Nothing here uses the compiled model or a kernel.  :class:`Dense` reads the description body by body, in
world axes and classical accelerations about the centres of mass, and assembles M and the bias from
Jacobians: another formulation, another frame and another order of operations than the articulated-body
algorithm.  It is O(n³) and meant to be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from zoophyte.description import Body, Description
from zoophyte.model.model import Floats


def rotation_about(axis: Any, angle: float) -> Floats:
    """Rodrigues: 1 + sin θ [u]× + (1 − cos θ) [u]×²."""
    u = np.asarray(axis, float) / np.linalg.norm(axis)
    K = skew(u)
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K))


def rotation_of(quaternion: Any) -> Floats:
    """R = 1 + 2w [u]× + 2 [u]×² of the unit quaternion (w, u)."""
    w, *u = np.asarray(quaternion, float) / np.linalg.norm(quaternion)
    K = skew(np.array(u))
    return np.asarray(np.eye(3) + 2.0 * w * K + 2.0 * (K @ K))


def skew(a: Floats) -> Floats:
    """[a]× with [a]× b = a × b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


@dataclass
class Placed:
    """A frame in the world: pose, velocity, Jacobians (3, nv), and acceleration for v̇ = 0."""

    R: Floats
    p: Floats
    w: Floats
    v: Floats
    alpha: Floats  # angular acceleration
    a: Floats  # classical acceleration of the origin
    Jw: Floats
    Jv: Floats

    def moved(self, arm: Floats) -> Placed:
        """The frame's point at `arm` (world axes) from the origin, rigidly carried along."""
        a = self.a + np.cross(self.alpha, arm) + np.cross(self.w, np.cross(self.w, arm))
        v = self.v + np.cross(self.w, arm)
        return Placed(self.R, self.p + arm, self.w, v, self.alpha, a, self.Jw, self.Jv - skew(arm) @ self.Jw)


class Dense:
    """Dense dynamics of a description at one state.

    Args:
        description: what moves.
        q: configuration, in the order of the bodies.
        v: velocity.
        gravity: [m/s²].
    """

    def __init__(self, description: Description, q: Any, v: Any, gravity: Any = (0.0, 0.0, 0.0)) -> None:
        self.q, self.v = np.asarray(q, float), np.asarray(v, float)
        self.gravity, nv = np.asarray(gravity, float), len(self.v)
        o, J = np.zeros(3), np.zeros((3, nv))
        ground = Placed(np.eye(3), o, o, o, o, o, J, J)
        self.frames: dict[str, Placed] = {"ground": ground}
        self.bodies = description.bodies
        self._q, self._v = 0, 0
        for body in self.bodies:
            self.frames[body.name] = self._placed(body)
        self.M, self.bias = self._assemble()

    def _take(self, nq: int, nv: int) -> tuple[Floats, Floats, slice]:
        q, columns = self.q[self._q : self._q + nq], slice(self._v, self._v + nv)
        self._q, self._v = self._q + nq, self._v + nv
        return q, self.v[columns], columns

    def _placed(self, body: Body) -> Placed:
        """X_PB(q) = placement ∘ motion, with velocities and accelerations."""
        joint, P = body.joint, self.frames[body.parent]
        F = P.moved(P.R @ np.asarray(joint.position))
        F.R = P.R @ rotation_of(joint.rotation)
        if joint.kind == "hinge":
            return self._hinged(F, joint.axis)
        if joint.kind == "universal":
            return self._hinged(self._hinged(F, joint.axes[0]), joint.axes[1])
        if joint.kind == "slide":
            (q,), (rate,), columns = self._take(1, 1)
            u = F.R @ np.asarray(joint.axis)
            return self._shifted(F, u * q, u * rate, columns, u[:, None], np.zeros(3))
        if joint.kind == "ball":
            q, w, columns = self._take(4, 3)
            return self._turned(F, F.R @ rotation_of(q), w, columns)
        if joint.kind == "free":
            q, V, columns = self._take(7, 6)
            turn, move = slice(columns.start, columns.start + 3), slice(columns.start + 3, columns.stop)
            R = F.R @ rotation_of(q[:4])
            u = R @ V[3:]
            # the velocity's components live in turning axes, so it turns with ω_rel = R w
            B = self._shifted(F, F.R @ q[4:], u, move, R, np.cross(R @ V[:3], u))
            return self._turned(B, R, V[:3], turn)
        return F

    def _hinged(self, F: Placed, axis: Any) -> Placed:
        (q,), (rate,), columns = self._take(1, 1)
        u = F.R @ np.asarray(axis)
        Jw = F.Jw.copy()
        Jw[:, columns] += u[:, None]
        alpha = F.alpha + np.cross(F.w, u * rate)
        return Placed(F.R @ rotation_about(axis, q), F.p, F.w + u * rate, F.v, alpha, F.a, Jw, F.Jv)

    @staticmethod
    def _turned(F: Placed, R: Floats, w: Floats, columns: slice) -> Placed:
        """Turned to R with relative angular velocity R·w (w in body axes)."""
        Jw = F.Jw.copy()
        Jw[:, columns] += R
        return Placed(R, F.p, F.w + R @ w, F.v, F.alpha + np.cross(F.w, R @ w), F.a, Jw, F.Jv)

    @staticmethod
    def _shifted(F: Placed, arm: Floats, speed: Floats, columns: slice, J: Floats, extra: Floats) -> Placed:
        """Moved by `arm`, sliding with `speed` = J v relative to the carrier; Coriolis 2 ω × speed."""
        B = F.moved(arm)
        B.Jv = B.Jv.copy()
        B.Jv[:, columns] += J
        B.v, B.a = B.v + speed, B.a + 2.0 * np.cross(F.w, speed) + extra
        return B

    def _assemble(self) -> tuple[Floats, Floats]:
        """M = Σ m JᵀJ + JᵀIJ and bias = Σ Jᵀ m (a − g) + Jᵀ (I α + ω × I ω); no springs, no actuators."""
        nv = len(self.v)
        M, bias = np.zeros((nv, nv)), np.zeros(nv)
        for body in self.bodies:
            properties = body.mass_properties()
            if properties.mass == 0.0:
                continue
            B = self.frames[body.name]
            C = B.moved(B.R @ np.asarray(properties.com))
            inertia = B.R @ np.asarray(properties.inertia) @ B.R.T
            M += properties.mass * C.Jv.T @ C.Jv + C.Jw.T @ inertia @ C.Jw
            bias += C.Jv.T @ (properties.mass * (C.a - self.gravity))
            bias += C.Jw.T @ (inertia @ C.alpha + np.cross(C.w, inertia @ C.w))
        start = 0
        for body in self.bodies:
            armature = body.joint.per_dof(body.joint.armature)
            for n, inertia in enumerate(armature):
                M[start + n, start + n] += inertia
            start += body.joint.dof_count
        return M, bias

    def acceleration(self, tau: Any = 0.0) -> Floats:
        """v̇ under joint forces `tau`: M v̇ = τ − bias."""
        right = np.broadcast_to(tau, self.bias.shape) - self.bias
        return np.asarray(np.linalg.solve(self.M, right), float)

    def point(self, body: str, point_B: Any = (0.0, 0.0, 0.0)) -> Placed:
        """A body point: position, velocity, Jacobian."""
        B = self.frames[body]
        return B.moved(B.R @ np.asarray(point_B, float))

    def spatial_jacobian(self, body: str) -> Floats:
        """(Jω; Jv) of the body's origin, world axes, shape (6, nv)."""
        B = self.frames[body]
        return np.concatenate([B.Jw, B.Jv])

    @property
    def kinetic(self) -> float:
        """½ Σ m v² + ω·I ω, body by body (no use of M)."""
        total = 0.0
        for body in self.bodies:
            properties, B = body.mass_properties(), self.frames[body.name]
            C = B.moved(B.R @ np.asarray(properties.com))
            w = B.R.T @ B.w
            total += 0.5 * properties.mass * C.v @ C.v + 0.5 * w @ np.asarray(properties.inertia) @ w
        return float(total)


def spring_torque(description: Description, q: Any, v: Any) -> Floats:
    """−k (q − rest) − b v of every joint; a ball joint's spring is the gradient −J_r⁻ᵀ(φ) K (φ − rest)."""
    from scipy.spatial.transform import Rotation

    q, v, torque, start = np.asarray(q, float), np.asarray(v, float), [], 0
    for body in description.bodies:
        joint = body.joint
        own, start = q[start : start + joint.coordinate_count], start + joint.coordinate_count
        if joint.kind == "free":
            torque += [0.0] * 6
            continue
        K, rest = np.asarray(joint.per_dof(joint.stiffness)), np.asarray(joint.per_dof(joint.rest))
        if joint.kind == "ball":
            phi = Rotation.from_quat(np.roll(own, -1)).as_rotvec()  # SciPy: x, y, z, w
            angle, S = float(np.linalg.norm(phi)), skew(phi)
            kappa = (
                1.0 / 12.0
                if angle < 1e-4
                else 1.0 / angle**2 - (1.0 + np.cos(angle)) / (2.0 * angle * np.sin(angle))
            )
            torque += list(-(np.eye(3) - 0.5 * S + kappa * S @ S) @ (K * (phi - rest)))
        else:
            torque += list(-K * (own - rest))
    damping = np.concatenate([np.asarray(b.joint.per_dof(b.joint.damping)) for b in description.bodies])
    return np.asarray(np.array(torque) - damping * v)


def motion(
    description: Description, q: Any, v: Any, *, seconds: float, gravity: Any, torque: Any = None
) -> tuple[Floats, Floats]:
    """(q, v) after `seconds` under springs, dampers and `torque`(t, q, v).

    The dense equations in an eighth-order method.  Quaternions are plain 4-vectors here, divided by their
    length where they are used and at the end.
    """
    from scipy.integrate import solve_ivp

    q, v = np.asarray(q, float), np.asarray(v, float)
    places, start = [], 0
    for body in description.bodies:
        if body.joint.kind in ("ball", "free"):
            places.append(start)
        start += body.joint.coordinate_count

    def unit(q: Floats) -> Floats:
        q = q.copy()
        for place in places:
            q[place : place + 4] /= np.linalg.norm(q[place : place + 4])
        return q

    def rates(t: float, y: Floats) -> Floats:
        q_now, v_now = unit(y[: len(q)]), y[len(q) :]
        dense = Dense(description, q_now, v_now, gravity)
        tau = spring_torque(description, q_now, v_now) + (0.0 if torque is None else torque(t, q_now, v_now))
        return np.concatenate([coordinate_rates(description, q_now, v_now), dense.acceleration(tau)])

    found = solve_ivp(rates, (0.0, seconds), np.concatenate([q, v]), method="DOP853", rtol=1e-13, atol=1e-13)
    return unit(found.y[: len(q), -1]), found.y[len(q) :, -1]


def coordinate_rates(description: Description, q: Floats, v: Floats) -> Floats:
    """q̇: v itself, ½ q (0, ω) for quaternions, R v for the place of a free body."""
    rates, a, b = [], 0, 0
    for body in description.bodies:
        kind, nq, nv = body.joint.kind, body.joint.coordinate_count, body.joint.dof_count
        own, speed = q[a : a + nq], v[b : b + nv]
        a, b = a + nq, b + nv
        if kind in ("ball", "free"):
            w, u = own[0], own[1:4]
            rates += [-0.5 * u @ speed[:3], *(0.5 * (w * speed[:3] + np.cross(u, speed[:3])))]
            rates += list(rotation_of(own[:4]) @ speed[3:]) if kind == "free" else []
        else:
            rates += list(speed)
    return np.array(rates)


def rk4(rates: Any, y: Any, *, seconds: float, dt: float) -> Floats:
    """Classical Runge–Kutta for dy/dt = rates(t, y); all states, shape (steps + 1, len(y))."""
    y = np.asarray(y, float)
    path = [y]
    for n in range(round(seconds / dt)):
        t = n * dt
        k1 = rates(t, y)
        k2 = rates(t + 0.5 * dt, y + 0.5 * dt * k1)
        k3 = rates(t + 0.5 * dt, y + 0.5 * dt * k2)
        k4 = rates(t + dt, y + dt * k3)
        y = y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        path.append(y)
    return np.array(path)


def double_rod_acceleration(angles: Any, rates: Any, *, length: float, gravity: float) -> Floats:
    """θ̈ of two equal slender rods, angles from the downward vertical; the mass drops out.

    Garcia's appendix A, corrected: J_a = 4/3, J_b = 1/3, J_x = 1/2 (times m l²), μ₁ = 3/2, μ₂ = 1/2 (times
    m g l), Δ = θ₁ − θ₂.
    """
    (t1, t2), (w1, w2) = angles, rates
    c, s, k = np.cos(t1 - t2), np.sin(t1 - t2), gravity / length
    matrix = np.array([[4.0 / 3.0, 0.5 * c], [0.5 * c, 1.0 / 3.0]])
    right = np.array([-0.5 * s * w2 * w2 - 1.5 * k * np.sin(t1), 0.5 * s * w1 * w1 - 0.5 * k * np.sin(t2)])
    return np.asarray(np.linalg.solve(matrix, right), float)


def beam_modes(count: int, *, mass: float, length: float, stiffness: Any) -> tuple[Floats, Floats]:
    """Small vibrations of a chain of equal slender rods along x: (ω², mode shapes in the joint angles).

    With absolute angles θ = T q, T lower triangular of ones: T = ½ θ̇ᵀ C θ̇ with C_ij = m h² (N − 1 −
    max(i, j) + ½) off the diagonal and m h² (N − 1 − i + ⅓) on it.

    Args:
        count: of rods, N.
        mass: of one rod [kg].
        length: of one rod, h [m].
        stiffness: of the joint springs, one number or one per joint.
    """
    from scipy.linalg import eigh

    i = np.arange(count)
    C = mass * length**2 * (count - 1 - np.maximum.outer(i, i) + 0.5)
    C[i, i] = mass * length**2 * (count - 1 - i + 1.0 / 3.0)
    T = np.tril(np.ones((count, count)))
    squares, shapes = eigh(np.diag(np.broadcast_to(stiffness, count)), T.T @ C @ T)
    return np.asarray(squares), np.asarray(shapes)


def beam_at_rest(count: int, *, weight: float, length: float, stiffness: Any) -> Floats:
    """Static joint angles of a horizontal chain under its weight, with large rotations.

    Equilibrium of joint j: k_j q_j = −Σ_{i ≥ j} W (x_i − x_j), x of the rods' middles and of the joint.
    The right side depends on the angles only through cosines, so the iteration contracts by the square of
    the slope.

    Args:
        count: of rods.
        weight: of one rod [N].
        length: of one rod [m].
        stiffness: one number or one per joint.
    """
    k, q = np.broadcast_to(np.asarray(stiffness, float), count), np.zeros(count)
    for _ in range(200):
        step = length * np.cos(np.cumsum(q))
        joint = np.concatenate([[0.0], np.cumsum(step)[:-1]])
        middle = joint + 0.5 * step
        outer_sum, outer_count = np.cumsum(middle[::-1])[::-1], np.arange(count, 0, -1)
        new = -weight * (outer_sum - outer_count * joint) / k
        if np.max(np.abs(new - q)) <= 1e-15:
            return np.asarray(new, float)
        q = new
    raise ArithmeticError("the static iteration did not converge")
