"""The same body in Pinocchio: link by link, so that both libraries compute on exactly the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from zoophyte.model import Model, State
from zoophyte.model import layout as at
from zoophyte.model.model import Floats


def available() -> bool:
    """Whether Pinocchio can be imported."""
    try:
        import pinocchio  # noqa: F401
    except ImportError:
        return False
    return True


class PinocchioBody:
    """A Pinocchio model of our links, with conversions of coordinates.

    Pinocchio puts position before orientation, linear before angular velocity, and the quaternion's scalar last.
    """

    def __init__(self, model: Model) -> None:
        import pinocchio as pin

        self.model = model
        joints = {
            at.HINGE: pin.JointModelRZ, at.SLIDE: pin.JointModelPZ, at.BALL: pin.JointModelSpherical,
            at.FREE: pin.JointModelFreeFlyer,
        }  # fmt: skip
        self.pin = pin.Model()
        self.ids = [0]
        links = model.links
        for i in range(1, len(links.kind)):
            placement = pin.SE3(links.E[i].T.copy(), links.r[i].copy())
            joint = self.pin.addJoint(
                self.ids[links.parent[i]], joints[int(links.kind[i])](), placement, f"link{i}"
            )
            self.pin.appendBodyToJoint(joint, self._inertia(pin, i), pin.SE3.Identity())
            self.ids.append(joint)
        self.data = self.pin.createData()

    def _inertia(self, pin: Any, i: int) -> Any:
        links = self.model.links
        mass = float(links.mass[i])
        com = links.moment[i] / mass if mass else np.zeros(3)
        return pin.Inertia(mass, com, links.inertia[i] - mass * (com @ com * np.eye(3) - np.outer(com, com)))

    def configuration(self, state: State) -> Floats:
        """q in Pinocchio's order."""
        q = np.zeros(self.pin.nq)
        for i, kind in enumerate(self.model.links.kind):
            ours = state.q[self.model.q_start[i] : self.model.q_start[i] + at.Q_COUNT[kind]]
            if kind == at.FREE:
                ours = np.concatenate([ours[4:], ours[1:4], ours[:1]])
            elif kind == at.BALL:
                ours = np.concatenate([ours[1:], ours[:1]])
            first = self.pin.joints[self.ids[i]].idx_q if i else 0
            q[first : first + len(ours)] = ours
        return q

    def dofs(self, ours: Any, back: bool = False) -> Floats:
        """A vector over v in Pinocchio's order (or from it, with `back`)."""
        source, target = np.asarray(ours, float), np.zeros(self.model.nv)
        for i, kind in enumerate(self.model.links.kind):
            if not i:
                continue
            order = np.array([3, 4, 5, 0, 1, 2]) if kind == at.FREE else np.arange(at.V_COUNT[kind])
            mine = self.model.v_start[i] + order
            theirs = self.pin.joints[self.ids[i]].idx_v + np.arange(len(order))
            if back:
                target[mine] = source[theirs]
            else:
                target[theirs] = source[mine]
        return target
