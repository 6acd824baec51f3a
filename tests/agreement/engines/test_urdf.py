"""Robots in URDF: as our reader reads them, against Pinocchio's own reader.

Law: one file, one mechanics.  Oracle: pinocchio.buildModelFromXML, then aba, crba and nonLinearEffects.  Tolerance: both
turn angles into matrices and solve with M; its condition (below 1e4 here) times rounding.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra 'peers')")

import zoophyte as zp  # noqa: E402
from bodies import relative_error  # noqa: E402

pytestmark = pytest.mark.engines

PEERS = 1e-9


def link(name: str, mass: float, com: str, rpy: str, moments: str) -> str:
    xx, yy, zz, xy, xz, yz = moments.split()
    return (
        f'<link name="{name}"><inertial><origin xyz="{com}" rpy="{rpy}"/><mass value="{mass}"/><inertia ixx="{xx}" '
        f'iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"/></inertial></link>'
    )


def joint(name: str, kind: str, ends: tuple[str, str], place: str, axis: str = "") -> str:
    limit = (
        '<limit lower="-1.5" upper="2" effort="10" velocity="3"/>'
        if kind in ("revolute", "prismatic")
        else ""
    )
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{ends[0]}"/><child link="{ends[1]}"/>{place}'
        f'{f"<axis xyz={chr(34)}{axis}{chr(34)}/>" if axis else ""}{limit}<dynamics damping="0.7"/></joint>'
    )


ARM = (
    '<robot name="arm">'
    + link("base", 5.0, "0 0 0.1", "0 0 0", "0.1 0.1 0.1 0 0 0")
    + link("turret", 3.0, "0.05 -0.02 0.1", "0.3 -0.4 0.5", "0.02 0.03 0.025 0.001 -0.002 0.003")
    + link("boom", 2.0, "0 0.1 0.3", "1.2 0.1 -2.0", "0.06 0.05 0.02 0 0.004 -0.001")
    + link("slide", 0.8, "0.01 0 0.2", "0 1.57 0", "0.004 0.005 0.002 0 0 0")
    + link("plate", 0.4, "0 0 0.02", "0 0 0.7", "0.001 0.0011 0.0012 0.0001 0 0")
    + link("hand", 0.3, "0.02 0.01 0.05", "-0.4 0.9 3.0", "0.001 0.0012 0.0008 0 0 0")
    + joint("yaw", "continuous", ("base", "turret"), '<origin xyz="0 0 0.2" rpy="0.1 0.2 0.3"/>', "0 0 1")
    + joint(
        "lift", "revolute", ("turret", "boom"), '<origin xyz="0.1 0 0.2" rpy="-1.1 0.4 2.2"/>', "0.6 0 0.8"
    )
    + joint("reach", "prismatic", ("boom", "slide"), '<origin xyz="0 0 0.6" rpy="0.5 -0.7 0.2"/>', "0 1 1")
    + joint("weld", "fixed", ("slide", "plate"), '<origin xyz="0.1 0.2 0" rpy="0.7 0.8 -0.9"/>')
    + joint("wrist", "revolute", ("plate", "hand"), '<origin xyz="0 0 0.1" rpy="0 0 1.57"/>')
    + "</robot>"
)


def read(tmp_path: Path, text: str, **options: Any) -> zp.Model:
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    return zp.compile(zp.load(path, **options))


def test_an_arm_on_the_ground(tmp_path: Path, rng: np.random.Generator) -> None:
    model, theirs = read(tmp_path, ARM), pin.buildModelFromXML(ARM)
    data = theirs.createData()
    assert model.nv == theirs.nv == 4
    assert model.dof_names == ("turret", "boom", "slide", "hand")
    for _ in range(5):
        q, v, tau = rng.normal(size=(3, 4))
        state = zp.State.neutral(model).at(q=q, v=v)
        # A joint without limits is a point on the circle there.
        q_pin = np.array([np.cos(q[0]), np.sin(q[0]), *q[1:]])
        assert (
            relative_error(zp.forward_dynamics(model, state, tau), pin.aba(theirs, data, q_pin, v, tau))
            < PEERS
        )
        M = pin.crba(theirs, data, q_pin)
        M = np.triu(M) + np.triu(M, 1).T
        assert relative_error(zp.mass_matrix(model, state), M) < PEERS
        assert (
            relative_error(zp.bias_forces(model, state), pin.nonLinearEffects(theirs, data, q_pin, v)) < PEERS
        )


def test_the_same_arm_set_free(tmp_path: Path, rng: np.random.Generator) -> None:
    model = read(tmp_path, ARM, root="free")
    theirs = pin.buildModelFromXML(ARM, pin.JointModelFreeFlyer())
    data = theirs.createData()
    assert model.nv == theirs.nv == 10
    quaternion = rng.normal(size=4)
    quaternion /= np.linalg.norm(quaternion)
    p, q, v, tau = rng.normal(size=3), rng.normal(size=4), rng.normal(size=10), rng.normal(size=10)
    state = zp.State.neutral(model).at(q=np.array([*quaternion, *p, *q]), v=v)
    order = [3, 4, 5, 0, 1, 2, 6, 7, 8, 9]  # linear before angular there
    q_pin = np.array([*p, *quaternion[1:], quaternion[0], np.cos(q[0]), np.sin(q[0]), *q[1:]])
    found = pin.aba(theirs, data, q_pin, v[order], tau[order])
    assert relative_error(zp.forward_dynamics(model, state, tau)[order], found) < PEERS


def test_a_planar_joint(tmp_path: Path, rng: np.random.Generator) -> None:
    """Pinocchio measures the plane's velocity in the body, we along the fixed slides; at angle 0 these agree."""
    text = (
        '<robot name="puck">'
        + link("table", 1.0, "0 0 0", "0 0 0", "1 1 1 0 0 0")
        + link("puck", 0.7, "0.1 0.2 0.05", "0.1 0.2 0.3", "0.01 0.02 0.015 0 0 0")
        + '<joint name="j" type="planar"><parent link="table"/><child link="puck"/><origin xyz="0.1 0 0.3" rpy="0.4 0.2 0"/>'
        '<axis xyz="0 0 1"/></joint></robot>'
    )
    model, theirs = read(tmp_path, text), pin.buildModelFromXML(text)
    M = pin.crba(theirs, theirs.createData(), np.array([0.3, -0.2, 1.0, 0.0]))
    M = np.triu(M) + np.triu(M, 1).T
    ours = zp.mass_matrix(model, zp.State.neutral(model))
    assert model.dof_names == ("puck.slide_1", "puck.slide_2", "puck")
    # Our two slides span the plane in other directions than x and y, so what is compared does not depend on them.
    assert ours[2, 2] == pytest.approx(M[2, 2], rel=PEERS)
    assert np.linalg.eigvalsh(ours) == pytest.approx(np.linalg.eigvalsh(M), rel=PEERS)
