"""The same random forests in MuJoCo: forward dynamics, mass matrix and bias forces.

Conventions there: a free joint has position, then quaternion, and its velocity is (v_W; ω_B) with the linear part in
world axes.  With v′ = T v that makes M = Tᵀ M′ T and bias = Tᵀ (bias′ + M′ Ṫ v).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import zoophyte as zp
from bodies import descriptions, every_kind, random_state, relative_error, seeds

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")

from agreement.engines import twins  # noqa: E402  (it imports MuJoCo)

pytestmark = pytest.mark.engines

PEERS = 1e-9
"""Two algorithms of different shape: condition of M (below 1e6) times the rounding of both."""


def text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(values))


def joints_of(body: Any) -> str:
    """MuJoCo joints of one body; it turns about them one after the other, as our universal joint does."""
    joint = body.joint
    axes = {"hinge": [joint.axis], "slide": [joint.axis], "universal": joint.axes}.get(joint.kind, [])
    kind = "slide" if joint.kind == "slide" else "hinge"
    lines = [f'<joint type="{kind}" axis="{text(axis)}"/>' for axis in axes]
    if joint.kind in ("ball", "free"):
        lines.append(f'<joint type="{joint.kind}"/>')
    return "".join(lines)


def mjcf_of(description: zp.Description, gravity: Any) -> str:
    """Nested bodies with explicit inertias, no geometry, no contacts."""

    def element(body: Any) -> str:
        joint, properties = body.joint, body.mass_properties()
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = properties.inertia
        children = "".join(element(child) for child in description.bodies if child.parent == body.name)
        return (
            f'<body name="{body.name}" pos="{text(joint.position)}" quat="{text(joint.rotation)}">{joints_of(body)}'
            f'<inertial pos="{text(properties.com)}" mass="{properties.mass!r}" '
            f'fullinertia="{text([xx, yy, zz, xy, xz, yz])}"/>{children}</body>'
        )

    roots = "".join(element(body) for body in description.bodies if body.parent == "ground")
    return (
        f'<mujoco><option gravity="{text(gravity)}"><flag contact="disable" constraint="disable"/></option>'
        f"<worldbody>{roots}</worldbody></mujoco>"
    )


class Twin:
    """A MuJoCo model, and how our coordinates become its: q′, v′ = T v, a′ = T a + drift."""

    def __init__(self, model: zp.Model, state: zp.State, gravity: Any) -> None:
        self.model = mujoco.MjModel.from_xml_string(mjcf_of(model.description, gravity))
        self.data = mujoco.MjData(self.model)
        self.T, self.drift = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
        n = k = 0
        for body in model.description.bodies:
            joint = body.joint
            if joint.dof_count:
                identity = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, body.name)
                first = self.model.body_jntadr[identity]
                q_at, v_at = self.model.jnt_qposadr[first], self.model.jnt_dofadr[first]
                self._place(joint, state.q[n:], state.v[k:], (q_at, v_at, k))
                self.model.dof_armature[v_at : v_at + joint.dof_count] = joint.per_dof(joint.armature)
            n, k = n + joint.coordinate_count, k + joint.dof_count
        self.data.qvel[:] = self.T @ state.v

    def _place(self, joint: Any, q: Any, v: Any, at: tuple[int, int, int]) -> None:
        q_at, v_at, k = at
        if joint.kind != "free":
            self.data.qpos[q_at : q_at + joint.coordinate_count] = q[: joint.coordinate_count]
            self.T[v_at : v_at + joint.dof_count, k : k + joint.dof_count] = np.eye(joint.dof_count)
            return
        twins.place_free(self, joint, q, v, at)


def compare(description: zp.Description, seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = zp.compile(description)
    state, gravity = random_state(model, rng), rng.normal(scale=10.0, size=3)
    tau = rng.normal(scale=5.0, size=model.nv)
    twin = Twin(model, state, gravity)
    twin.data.qfrc_applied[:] = np.linalg.solve(twin.T.T, tau)
    mujoco.mj_forward(twin.model, twin.data)
    a = np.linalg.solve(twin.T, twin.data.qacc - twin.drift)
    assert relative_error(zp.forward_dynamics(model, state, tau, gravity=gravity), a) < PEERS
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(twin.model, twin.data, M)
    assert relative_error(zp.mass_matrix(model, state), twin.T.T @ M @ twin.T) < PEERS
    bias = twin.T.T @ (twin.data.qfrc_bias + M @ twin.drift)
    assert relative_error(zp.bias_forces(model, state, gravity=gravity), bias) < PEERS


@settings(max_examples=60)
@given(description=descriptions(10), seed=seeds)
def test_random_forests(description: zp.Description, seed: int) -> None:
    """Law: one mechanics, two programs. Oracle: mj_forward (qacc, M, qfrc_bias); tolerance: condition × rounding."""
    compare(description, seed)


@pytest.mark.parametrize("seed", range(5))
def test_every_kind_of_joint(seed: int) -> None:
    """The same, on a forest that surely has every kind of joint."""
    compare(every_kind(np.random.default_rng(seed)), seed)
