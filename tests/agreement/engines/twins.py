"""A body of ours and its twin in MuJoCo, each in its own coordinates: q′, v′ = T v, a′ = T a + drift.

MuJoCo's free joint has position before quaternion, both in the world, and the velocity (v_W; ω_B).
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import zoophyte as zp
from bodies import rotation_matrix

Pairs = list[tuple[Any, list[int]]]
"""For each moving body of ours, in our order, the numbers of its joints in MuJoCo."""


def without_contacts(model: Any) -> Any:
    """The same MuJoCo model with nothing but the tree, its springs, dampers, limits and actuators."""
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    return model


def pairs_by_name(model: zp.Model, theirs: Any) -> Pairs:
    """Joints that we wrote: each is called like our body, with .0 and .1 for a universal joint."""
    pairs: Pairs = []
    for body in model.description.bodies:
        if body.joint.dof_count:
            suffixes = (".0", ".1") if body.joint.kind == "universal" else ("",)
            names = [body.name + suffix for suffix in suffixes]
            pairs.append(
                (body, [mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_JOINT, name) for name in names])
            )
    assert all(number >= 0 for _, numbers in pairs for number in numbers)
    return pairs


def pairs_in_order(model: zp.Model, theirs: Any) -> Pairs:
    """Joints that we read: ours come in MuJoCo's order."""
    numbers = iter(range(theirs.njnt))
    pairs = [
        (body, [next(numbers) for _ in range(2 if body.joint.kind == "universal" else 1)])
        for body in model.description.bodies
        if body.joint.dof_count
    ]
    assert next(numbers, None) is None
    return pairs


class Twin:
    """MuJoCo's data at our state."""

    def __init__(self, model: zp.Model, theirs: Any, pairs: Pairs, state: zp.State) -> None:
        self.model, self.data = theirs, mujoco.MjData(theirs)
        self.T, self.drift = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
        self.shift = np.zeros(theirs.nq)
        starts: dict[str, tuple[int, int]] = {}
        n = k = 0
        for body in model.description.bodies:
            starts[body.name] = (n, k)
            n, k = n + body.joint.coordinate_count, k + body.joint.dof_count
        for body, numbers in pairs:
            q, k = starts[body.name]
            for offset, number in enumerate(numbers):
                self._place(body.joint, number, state.q[q + offset :], (state.v[k:], k + offset))
        self.data.qvel[:] = self.T @ state.v

    def _place(self, joint: Any, number: int, q: Any, velocity: tuple[Any, int]) -> None:
        v, k = velocity
        q_at, v_at = self.model.jnt_qposadr[number], self.model.jnt_dofadr[number]
        if joint.kind == "ball":
            self.data.qpos[q_at : q_at + 4] = q[:4]
            self.T[v_at : v_at + 3, k : k + 3] = np.eye(3)
        elif joint.kind != "free":
            self.data.qpos[q_at] = q[0] + self.model.qpos0[q_at]
            self.T[v_at, k] = 1.0
        else:
            place_free(self, joint, q, v, (q_at, v_at, k))

    def accelerations(self) -> Any:
        """qacc of mj_forward in our coordinates."""
        mujoco.mj_forward(self.model, self.data)
        return np.linalg.solve(self.T, self.data.qacc - self.drift)


def place_free(twin: Any, joint: Any, q: Any, v: Any, at: tuple[int, int, int]) -> None:
    """Put a free body of MuJoCo's where ours is: q′, its rows of T, and its drift.

    Args:
        twin: what has `data`, `T` and `drift`.
        joint: our free joint.
        q: its coordinates.
        v: its velocities.
        at: where its coordinates and velocities begin there, and its velocities here.
    """
    q_at, v_at, k = at
    R_WJ = rotation_matrix(joint.rotation)
    quaternion = np.zeros(4)
    mujoco.mju_mulQuat(quaternion, np.array(joint.rotation), np.array(q[:4]))
    twin.data.qpos[q_at : q_at + 7] = [*(np.array(joint.position) + R_WJ @ q[4:7]), *quaternion]
    R_WB = R_WJ @ rotation_matrix(q[:4])
    twin.T[v_at : v_at + 3, k + 3 : k + 6] = R_WB
    twin.T[v_at + 3 : v_at + 6, k : k + 3] = np.eye(3)
    twin.drift[v_at : v_at + 3] = R_WB @ np.cross(v[:3], v[3:6])


def our_accelerations(model: zp.Model, state: zp.State, gravity: Any = (0.0, 0.0, -9.81)) -> Any:
    """With springs, dampers, limits and actuators."""
    return zp.forward_dynamics(model, state, zp.passive_forces(model, state), gravity=gravity)
