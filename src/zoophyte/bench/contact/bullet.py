"""PyBullet's side: free boxes on a plane."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from zoophyte.bench.contact.sides import Coordinates, Timer, timed
from zoophyte.description import Box, Description
from zoophyte.errors import UsageError
from zoophyte.model.model import Floats

MISSING = "PyBullet (not installed: pip install pybullet)"


def available() -> bool:
    """Whether PyBullet can be imported."""
    try:
        import pybullet  # noqa: F401
    except ImportError:
        return False
    return True


class Bullet:
    """Boxes in PyBullet, with its default solver and without its default air drag.

    Args:
        description: free bodies of one box each, all of one friction, which is also the ground's.
        dt: step [s].
        sleep: whether bodies at rest may sleep there.

    Raises:
        UsageError: for any other body.
    """

    def __init__(self, description: Description, dt: float, *, sleep: bool = False) -> None:
        import pybullet

        self._api = pybullet
        self.name = "PyBullet"
        self._client = pybullet.connect(pybullet.DIRECT)
        self._empty = pybullet.connect(pybullet.DIRECT)
        self._overhead = float("inf")
        self._call("setGravity", 0.0, 0.0, -9.81)
        self._call("setTimeStep", dt)
        # Frictions are multiplied there.
        friction = math.sqrt(description.surface.friction) if description.surface is not None else 1.0
        plane = self._call("createCollisionShape", pybullet.GEOM_PLANE)
        self._set(
            self._call("createMultiBody", 0.0, plane), friction, pybullet.ACTIVATION_STATE_DISABLE_SLEEPING
        )
        state = (
            pybullet.ACTIVATION_STATE_ENABLE_SLEEPING if sleep else pybullet.ACTIVATION_STATE_DISABLE_SLEEPING
        )
        self._boxes = [self._box(body, friction, state) for body in description.bodies]
        self._saved: int | None = None
        self.keep()

    def _box(self, body: Any, friction: float, state: int) -> int:
        box = body.shapes[0]
        if body.joint.kind != "free" or not isinstance(box, Box) or len(body.shapes) != 1:
            raise UsageError(
                f"body {body.name!r} is not a free box, and no others are built in PyBullet here."
            )
        w, x, y, z, *place = body.joint.initial_coordinates()
        properties = body.mass_properties()
        shape = self._call(
            "createCollisionShape", self._api.GEOM_BOX, halfExtents=[0.5 * a for a in box.size]
        )
        number = int(self._call("createMultiBody", properties.mass, shape, -1, place, (x, y, z, w)))
        diagonal = [float(i) for i in np.diag(np.array(properties.inertia))]
        self._set(number, friction, state, localInertiaDiagonal=diagonal)
        return number

    def _set(self, body: int, friction: float, state: int, **more: Any) -> None:
        self._call(
            "changeDynamics", body, -1, lateralFriction=friction, restitution=0.0, rollingFriction=0.0,
            spinningFriction=0.0, linearDamping=0.0, angularDamping=0.0, activationState=state, **more,
        )  # fmt: skip

    def _call(self, name: str, *arguments: Any, **more: Any) -> Any:
        return getattr(self._api, name)(*arguments, physicsClientId=self._client, **more)

    def close(self) -> None:
        """Give the memory back."""
        for client in (self._client, self._empty):
            self._api.disconnect(physicsClientId=client)

    def keep(self) -> None:
        """Take the present state as the one to go back to."""
        if self._saved is not None:
            self._call("removeState", self._saved)
        self._saved = int(self._call("saveState"))

    def restart(self) -> None:
        """Go back to the kept state."""
        self._call("restoreState", self._saved)

    def place(self, coordinates: Coordinates) -> None:
        """Put every box there."""
        for box, q, v in zip(
            self._boxes, *(np.split(part, len(self._boxes)) for part in coordinates), strict=True
        ):
            w, x, y, z = q[3:]
            self._call("resetBasePositionAndOrientation", box, q[:3], (x, y, z, w))
            R = np.reshape(self._api.getMatrixFromQuaternion((x, y, z, w)), (3, 3))
            self._call("resetBaseVelocity", box, v[:3], R @ v[3:])

    def advance(self, steps: int, orders: Floats | None = None) -> None:
        """Step; boxes obey no orders."""
        self._loop(steps, self._client)

    def _loop(self, steps: int, client: int) -> None:
        step = self._api.stepSimulation
        for _ in range(steps):
            step(client)

    def coordinates(self) -> list[Coordinates]:
        """Position before quaternion, and (v_W; ω_B), as in MuJoCo."""
        qpos, qvel = [], []
        for box in self._boxes:
            place, turn = self._call("getBasePositionAndOrientation", box)
            linear, angular = self._call("getBaseVelocity", box)
            x, y, z, w = turn
            R = np.reshape(self._api.getMatrixFromQuaternion(turn), (3, 3))
            qpos += [*place, w, x, y, z]
            qvel += [*linear, *(np.array(angular) @ R)]
        return [(np.array(qpos), np.array(qvel))]

    def timers(self, steps: int, orders: Floats | None = None) -> list[Timer]:
        """A loop of `stepSimulation`, less the time of the loop on an empty world."""

        def run() -> float:
            self.restart()
            self._overhead = min(self._overhead, timed(lambda: self._loop(steps, self._empty)) / steps)
            return timed(lambda: self._loop(steps, self._client)) / steps - self._overhead

        return [run]
