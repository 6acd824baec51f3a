"""The same random forests in Pinocchio: forward dynamics, mass matrix, bias forces, external forces.

Conventions there: free velocity (v_B; ω_B) with the linear part first and quaternions (x, y, z, w), otherwise as here, so
the two differ by a permutation.  A universal joint is two revolutes, a fixed body a weight on its parent's joint.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import zoophyte as zp
from bodies import (
    descriptions,
    every_kind,
    random_forces,
    random_state,
    relative_error,
    rotation_matrix,
    seeds,
)
from zoophyte.physics import body_poses

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra 'peers')")
pytestmark = pytest.mark.engines

PEERS = 1e-9
"""Two algorithms of different shape: condition of M (below 1e6) times the rounding of both."""


@dataclass
class Twin:
    """A Pinocchio model, and where our coordinates lie in its.

    Its joints are added depth first, as its composite-body algorithm needs them.
    """

    model: Any
    joint: dict[str, int] = field(default_factory=dict)  # joint that carries each body
    place: dict[str, Any] = field(default_factory=dict)  # pose of the body on it
    v_index: list[int] = field(default_factory=list)  # entry n of our v lies there
    q_index: list[int] = field(default_factory=list)


def twin_of(model: zp.Model) -> Twin:
    twin = Twin(pin.Model())
    twin.joint["ground"], twin.place["ground"] = 0, pin.SE3.Identity()
    starts: dict[str, tuple[list[int], list[int]]] = {}
    bodies = model.description.bodies

    def add(body: Any) -> None:
        starts[body.name] = _add_body(twin, body)
        for child in bodies:
            if child.parent == body.name:
                add(child)

    for body in bodies:
        if body.parent == "ground":
            add(body)
    for body in bodies:
        qs, vs = starts[body.name]
        twin.q_index += qs
        twin.v_index += vs
    armature = np.zeros(model.nv)
    armature[twin.v_index] = model.dofs.armature
    twin.model.armature = armature
    return twin


def _add_body(twin: Twin, body: Any) -> tuple[list[int], list[int]]:
    joint, parent = body.joint, twin.joint[body.parent]
    placement = twin.place[body.parent] * pin.SE3(rotation_matrix(joint.rotation), np.array(joint.position))
    properties = body.mass_properties()
    inertia = pin.Inertia(properties.mass, np.array(properties.com), np.array(properties.inertia))
    q: list[int] = []
    v: list[int] = []
    kinds = {
        "fixed": [],
        "hinge": [lambda: pin.JointModelRevoluteUnaligned(np.array(joint.axis))],
        "slide": [lambda: pin.JointModelPrismaticUnaligned(np.array(joint.axis))],
        "universal": [lambda a=axis: pin.JointModelRevoluteUnaligned(np.array(a)) for axis in joint.axes],
        "ball": [pin.JointModelSpherical],
        "free": [pin.JointModelFreeFlyer],
    }[joint.kind]
    for number, make in enumerate(kinds):
        parent = twin.model.addJoint(parent, make(), placement, f"{body.name}.{number}")
        placement = pin.SE3.Identity()
        first_q, first_v = twin.model.idx_qs[parent], twin.model.idx_vs[parent]
        if joint.kind == "ball":
            q += [first_q + k for k in (3, 0, 1, 2)]
            v += [first_v + k for k in range(3)]
        elif joint.kind == "free":
            q += [first_q + k for k in (6, 3, 4, 5, 0, 1, 2)]
            v += [first_v + k for k in (3, 4, 5, 0, 1, 2)]
        else:
            q.append(first_q)
            v.append(first_v)
    twin.joint[body.name], twin.place[body.name] = parent, placement
    twin.model.appendBodyToJoint(parent, inertia, placement)
    return q, v


def theirs(values: Any, index: list[int]) -> Any:
    """Our vector in their order."""
    out = np.zeros(len(index))
    out[index] = values
    return out


def wrenches_of(twin: Twin, model: zp.Model, state: zp.State, given_W: Any) -> Any:
    """World-axis wrenches about body origins as their forces in the axes of each joint."""
    R_WB, _ = body_poses(model, state)
    out = pin.StdVec_Force()
    total = [pin.Force.Zero() for _ in range(twin.model.njoints)]
    for index, name in enumerate(model.body_names):
        local = pin.Force(R_WB[index].T @ given_W[index, 3:], R_WB[index].T @ given_W[index, :3])
        total[twin.joint[name]] += twin.place[name].act(local)
    for force in total:
        out.append(force)
    return out


def compare(description: zp.Description, seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = zp.compile(description)
    state, gravity = random_state(model, rng), rng.normal(scale=10.0, size=3)
    tau, forces = rng.normal(scale=5.0, size=model.nv), random_forces(model, state, rng)
    twin = twin_of(model)
    twin.model.gravity = pin.Motion(gravity, np.zeros(3))
    data, v_index = twin.model.createData(), twin.v_index
    q, v, t = theirs(state.q, twin.q_index), theirs(state.v, v_index), theirs(tau, v_index)
    external = wrenches_of(twin, model, state, forces)
    a = pin.aba(twin.model, data, q, v, t, external)[v_index]
    assert relative_error(zp.forward_dynamics(model, state, tau, forces, gravity), a) < PEERS
    upper = np.triu(pin.crba(twin.model, data, q))
    M = (upper + np.triu(upper, 1).T)[np.ix_(v_index, v_index)]
    assert relative_error(zp.mass_matrix(model, state), M) < PEERS
    bias = pin.rnea(twin.model, data, q, v, np.zeros(model.nv), external)[v_index]
    assert relative_error(zp.bias_forces(model, state, forces, gravity), bias) < PEERS
    rotors = 0.5 * np.sum(model.dofs.armature * state.v**2)
    twin.model.armature = np.zeros(model.nv)  # Pinocchio's energy counts the rotors of some joints only
    kinetic = pin.computeKineticEnergy(twin.model, data, q, v)
    assert relative_error(zp.energy(model, state).kinetic - rotors, kinetic) < PEERS


@settings(max_examples=60)
@given(description=descriptions(10), seed=seeds)
def test_random_forests(description: zp.Description, seed: int) -> None:
    """Law: one mechanics, two programs. Oracle: Pinocchio's aba, crba, rnea; tolerance: condition × rounding."""
    compare(description, seed)


@pytest.mark.parametrize("seed", range(5))
def test_every_kind_of_joint(seed: int) -> None:
    """The same, on a forest that surely has every kind of joint."""
    compare(every_kind(np.random.default_rng(seed)), seed)
