"""What an environment reads off a body, and writes to it: observations, actions, initial states.

Everything is computed entry by entry on whole columns, so that the numbers of one environment do not depend on how many
others are there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from zoophyte.algebra.many import products
from zoophyte.algebra.quaternions import quaternion_exp
from zoophyte.description import Attach
from zoophyte.export.scene import quaternions_of
from zoophyte.model import Model, State
from zoophyte.model.layout import BALL, FREE, HINGE
from zoophyte.model.model import Floats
from zoophyte.physics.step import SPEED_LIMIT

LONGEST_STROKE = 1.0
"""Range of a servo on a slide without limits [m]."""


class Actuators:
    """The degrees of freedom that an action commands.

    Args:
        model: the body.

    Attributes:
        dofs: their numbers, in the order of v.
        names: their names.
        low: least commands: −1 of a motor; of a servo the lower limit of its joint, or −π (of a slide −1 m) without one.
        high: greatest commands, likewise.
    """

    def __init__(self, model: Model) -> None:
        dofs = model.dofs
        acting = (dofs.servo_stiffness > 0.0) | (dofs.motor_strength > 0.0)
        self.dofs = [int(n) for n in np.flatnonzero(acting)]
        self.names = tuple(dofs.names[n] for n in self.dofs)
        turning = np.isin(model.links.kind[dofs.link[self.dofs]], (HINGE, BALL))
        widest = np.where(turning, math.pi, LONGEST_STROKE)
        motor = dofs.motor_strength[self.dofs] > 0.0
        lower, upper = dofs.lower[self.dofs], dofs.upper[self.dofs]
        self.low = np.where(motor, -1.0, np.where(np.isfinite(lower), lower, -widest))
        self.high = np.where(motor, 1.0, np.where(np.isfinite(upper), upper, widest))
        self._middle, self._half = 0.5 * (self.low + self.high), 0.5 * (self.high - self.low)

    def effort(self, actions: Floats) -> Floats:
        """Sum of squares of every row, each entry scaled so that its range is −1 to 1."""
        scaled = (actions - self._middle) / self._half
        squares = scaled * scaled
        total = squares[:, 0].copy()
        for column in range(1, squares.shape[1]):  # in this order, however many rows there are
            total += squares[:, column]
        return total


class Senses:
    """Observations: all coordinates but where the root is over the ground, then all velocities.

    With a free root: its height [m], its orientation (w, x, y, z) from body to world, then the coordinates of all joints
    [rad or m], then all velocities: of the root first its angular [rad/s], then its linear velocity [m/s], both in the
    body's axes, then those of the joints [rad/s or m/s].  Without one: the coordinates and velocities of all joints.

    Args:
        model: the body.
    """

    def __init__(self, model: Model) -> None:
        kinds = model.links.kind
        self.free = len(kinds) > 1 and int(kinds[1]) == FREE
        self._turned = self.free and not np.array_equal(model.links.E[1], np.eye(3))
        self._E: Any = model.links.E[1].tolist() if self.free else None
        self._r: Any = model.links.r[1].tolist() if self.free else None
        self._turn = quaternions_of(model.links.E[1].T).tolist() if self.free else []
        self.nq, self.nv = model.nq, model.nv
        self.size = model.nq + model.nv - (2 if self.free else 0)
        self.names = self._names(model)
        self.low = np.concatenate([np.full(self.size - self.nv, -np.inf), np.full(self.nv, -SPEED_LIMIT)])

    def _names(self, model: Model) -> tuple[str, ...]:
        coordinates = []
        for link, kind in enumerate(model.links.kind):
            first = model.v_start[link]
            body = model.bodies.names[model.links.body[link]]
            if kind == FREE and link == 1:
                coordinates += [f"{body}.height", *(f"{body}.{part}" for part in "wxyz")]
            elif kind == FREE:
                coordinates += [
                    f"{body}.{part}" for part in (*"wxyz", "position x", "position y", "position z")
                ]
            elif kind == BALL:
                coordinates += [f"{body}.{part}" for part in "wxyz"]
            elif link:
                coordinates.append(model.dofs.names[first])
        return (*coordinates, *(f"velocity of {name}" for name in model.dofs.names))

    def place(self, q: Floats) -> tuple[Floats, Floats, Floats]:
        """Where the root is in the world, each of shape (n,) [m]; the origin where it is not free."""
        if not self.free:
            zero = np.zeros(len(q))
            return zero, zero, zero
        a, b, c = q[:, 4], q[:, 5], q[:, 6]
        if not self._turned:
            return a + self._r[0], b + self._r[1], c + self._r[2]
        # p = r + Eᵀ·(a, b, c): E turns from the parent's axes to the link's.
        E, r = self._E, self._r
        x, y, z = (r[k] + (E[0][k] * a + E[1][k] * b + E[2][k] * c) for k in range(3))
        return x, y, z

    def orientation(self, q: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """How the root is turned, (w, x, y, z) from its axes to the world's, each of shape (n,); not at all if not free."""
        if not self.free:
            zero = np.zeros(len(q))
            return np.ones(len(q)), zero, zero, zero
        turn = products(self._turn, q[:, :4]) if self._turned else q[:, :4]
        w, x, y, z = turn.T
        return w, x, y, z

    def observe(self, q: Floats, v: Floats) -> Floats:
        """Observations of creatures with these coordinates and velocities, one row each."""
        if not self.free:
            return np.concatenate([q, v], axis=1)
        found = np.empty((len(q), self.size))
        found[:, 0] = self.place(q)[2]
        for column, part in enumerate(self.orientation(q)):
            found[:, 1 + column] = part
        found[:, 5 : self.nq - 2] = q[:, 7:]
        found[:, self.nq - 2 :] = v
        return found

    def lift(self, q: Floats, height: float) -> None:
        """Raise a creature with a free root: change its coordinates (nq,)."""
        for k in range(3):
            q[4 + k] += self._E[k][2] * height


def noisy_state(model: Model, rng: np.random.Generator, scale: float) -> tuple[Floats, Floats]:
    """Coordinates and velocities near those of the description.

    Coordinates are moved by uniform numbers within ±scale [rad or m] (orientations turned about each axis, limited joints
    kept in their limits), velocities by normal ones of that standard deviation [rad/s or m/s].  Coordinates of bodies with
    connects or welds stay as they are: moved one by one, they would open these.
    """
    state = State.neutral(model)
    q, v = state.q.copy(), state.v.copy()
    moved = rng.uniform(-scale, scale, model.nv)
    v += scale * rng.standard_normal(model.nv)
    moved[model.dofs.driven] = 0.0
    if not all(isinstance(held, Attach) for held in model.constraints):
        moved[:] = 0.0
    v[model.dofs.driven] = 0.0
    for link, kind in enumerate(model.links.kind):
        i, j = model.q_start[link], model.v_start[link]
        if kind in (BALL, FREE):
            turn = quaternion_exp((float(moved[j]), float(moved[j + 1]), float(moved[j + 2])))
            q[i : i + 4] = products(q[i : i + 4], turn)
            if kind == FREE:
                q[i + 4 : i + 7] += moved[j + 3 : j + 6]
        elif link:
            q[i] = min(max(q[i] + moved[j], model.dofs.lower[j]), model.dofs.upper[j])
    return q, v
