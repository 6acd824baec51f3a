"""Bodies of the zoo as URDF: as Pinocchio reads them, and as we read them again.

Law: one file, one mechanics.  Oracle: pinocchio.buildModelFromUrdf and crba.  A ball joint is three hinges there; with
ω = S q̇ for their rates, the mass matrices are M' = Sᵀ M S.  Rotors, which URDF cannot hold, are taken from ours first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra 'peers')")

import zoophyte as zp  # noqa: E402
from bodies import relative_error, unit_quaternion  # noqa: E402
from zoophyte.description import Body, Description, Joint, Shape  # noqa: E402
from zoophyte.evolution.registry import breed  # noqa: E402
from zoophyte.export.urdf import urdf_document, write_urdf  # noqa: E402

pytestmark = pytest.mark.engines

ROUNDING = 1e-12
FREE_BLOCKS = 12
PRIMITIVES = {
    "box": ("size",),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
}


def without_rotors(description: Description) -> Description:
    for body in description.bodies:
        body.joint.armature = 0.0
    return description


def of_zoo(name: str) -> Description:
    """A body of the zoo; of piles of free blocks a part, since Pinocchio's memory grows with their number cubed."""
    description = zp.zoo.get(name)
    if all(body.joint.kind == "free" for body in description.bodies):
        description.bodies = description.bodies[:FREE_BLOCKS]
    return description


def is_one_free(description: Description) -> bool:
    roots = [body for body in description.bodies if body.parent == "ground"]
    return len(roots) == 1 and roots[0].joint.kind == "free"


def turned_about(axis: int, angle: float) -> np.ndarray:
    a, b = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[a, a] = R[b, b] = np.cos(angle)
    R[a, b], R[b, a] = -np.sin(angle), np.sin(angle)
    return R


def quaternion_about(angles: Any) -> np.ndarray:
    """Of x, then y, then z, each about the axis that the turns before have left."""
    w = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in enumerate(angles):
        c, s = np.cos(0.5 * angle), np.sin(0.5 * angle)
        u = np.zeros(4)
        u[0], u[1 + axis] = c, s
        w = np.array([w[0] * u[0] - w[1:] @ u[1:], *(w[0] * u[1:] + u[0] * w[1:] + np.cross(w[1:], u[1:]))])
    return w


class Poses:
    """The same pose for both, and how our velocities follow from theirs."""

    def __init__(self, model: zp.Model, theirs: Any, free_root: bool, rng: np.random.Generator) -> None:
        self.theirs, self.rng, self.free_root = theirs, rng, free_root
        self.q: list[float] = []
        self.q_pin = pin.neutral(theirs)
        self.S = np.zeros((model.nv, theirs.nv))
        self.row = 0
        for body in model.description.bodies:
            getattr(self, f"add_{body.joint.kind}", self.add_axes)(body)

    def place(self, name: str) -> tuple[int, int]:
        number = self.theirs.getJointId(name)
        assert number < self.theirs.njoints, name
        return self.theirs.idx_qs[number], self.theirs.idx_vs[number]

    def angle(self, name: str, value: float) -> int:
        number = self.theirs.getJointId(name)
        at, column = self.place(name)
        self.q_pin[at : at + self.theirs.nqs[number]] = (
            value if self.theirs.nqs[number] == 1 else (np.cos(value), np.sin(value))
        )
        return column

    def add_fixed(self, body: Body) -> None:
        pass

    def add_axes(self, body: Body) -> None:
        """Hinges, slides and universal joints."""
        count = body.joint.dof_count
        for n, value in enumerate(self.rng.normal(size=count)):
            column = self.angle(body.name if n == count - 1 else f"{body.name}.{n}", value)
            self.q.append(value)
            self.S[self.row, column] = 1.0
            self.row += 1

    def add_ball(self, body: Body) -> None:
        a = self.rng.normal(size=3)
        columns = [
            self.angle(name, x)
            for name, x in zip((f"{body.name}.0", f"{body.name}.1", body.name), a, strict=True)
        ]
        self.q += quaternion_about(a).tolist()
        Ry, Rz = turned_about(1, a[1]), turned_about(2, a[2])
        rates = np.column_stack([Rz.T @ Ry.T @ np.eye(3)[0], Rz.T @ np.eye(3)[1], np.eye(3)[2]])
        for n, column in enumerate(columns):
            self.S[self.row : self.row + 3, column] = rates[:, n]
        self.row += 3

    def add_free(self, body: Body) -> None:
        """Its own pose does not matter to the mass matrix, whose velocities are in the body's frame."""
        at, column = self.place("root_joint" if self.free_root else body.name)
        w, x, y, z = unit_quaternion(self.rng)
        p = self.rng.normal(size=3)
        self.q_pin[at : at + 7] = (*p, x, y, z, w)
        self.q += [w, x, y, z, *p]
        self.S[self.row : self.row + 3, column + 3 : column + 6] = np.eye(3)
        self.S[self.row + 3 : self.row + 6, column : column + 3] = np.eye(3)
        self.row += 6


@pytest.mark.parametrize("name", zp.zoo.names())
def test_the_mass_matrix_of_every_body_is_that_of_its_file(
    name: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    description = without_rotors(of_zoo(name))
    path = tmp_path / f"{name}.urdf"
    write_urdf(description, path)
    free = is_one_free(description)
    theirs = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if free else []))
    model = zp.compile(description)
    for _ in range(3):
        poses = Poses(model, theirs, free, rng)
        assert poses.row == model.nv
        M = pin.crba(theirs, theirs.createData(), poses.q_pin)
        M = np.triu(M) + np.triu(M, 1).T
        ours = zp.mass_matrix(model, zp.State.neutral(model).at(q=np.array(poses.q)))
        assert relative_error(poses.S.T @ ours @ poses.S, M) < ROUNDING


def held(joint: Joint) -> dict[str, Any]:
    """What URDF holds of a joint of one axis."""
    names = ("kind", "axis", "damping", "friction", "limits")
    return {name: getattr(joint, name) for name in names if name != "axis" or joint.kind != "fixed"}


def placed_alike(ours: Any, again: Any) -> None:
    assert again.position == pytest.approx(ours.position, abs=1e-12)
    sign = 1.0 if np.dot(ours.rotation, again.rotation) > 0.0 else -1.0
    assert sign * np.array(again.rotation) == pytest.approx(ours.rotation, abs=1e-12)


def alike(ours: Shape, again: Shape) -> None:
    if ours.kind in PRIMITIVES:
        assert again.kind == ours.kind
        placed_alike(ours, again)
        for field in PRIMITIVES[ours.kind]:
            assert getattr(again, field) == getattr(ours, field)
    else:
        assert again.kind == "polyhedron"
        # Corners lie on circles of n, whose area is short of the circle's by (2/3)·π²/n²; outlines of round ends are arcs of
        # n corners, which take away π²/n² of a ball. Of what touches and is round n is 12 or 10: 64 corners at most.
        n = {"ellipsoid": 12, "tapered_capsule": 10}.get(ours.kind, 24) if len(again.vertices) <= 64 else 24
        assert (1.0 - (5.0 / 3.0) * np.pi**2 / n**2) * ours.volume() < again.volume()
        assert again.volume() <= ours.volume() * (1.0 + 1e-9)


def test_an_evolved_body_is_read_with_few_corners_and_lives(tmp_path: Path) -> None:
    """Its trunk had 266 corners and each part of a leg 314: put on the ground, it overflowed before its first step."""
    grown = breed("limbed").random(np.random.default_rng(3)).develop()
    write_urdf(grown.description, tmp_path / "champion.urdf")
    again = zp.load(tmp_path / "champion.urdf", root="free")
    assert all(len(shape.vertices) <= 64 for body in again.bodies for shape in body.shapes)
    life = zp.World(again.altered(surface=zp.Surface()), overlap="resolve").simulate(seconds=0.05)
    assert life.status.kind == "ended"


@pytest.mark.parametrize("name", zp.zoo.names())
def test_what_is_written_is_read_again(name: str, tmp_path: Path) -> None:
    description = of_zoo(name)
    path = tmp_path / f"{name}.urdf"
    write_urdf(description, path)
    again = zp.load(path, root="free" if is_one_free(description) else "fixed")
    between = {body.name for body in again.bodies} - {body.name for body in description.bodies}
    for body in description.bodies:
        found = again.body(body.name)
        mass, mass_again = body.mass_properties(), found.mass_properties()
        assert (mass_again.mass, mass_again.com) == (mass.mass, mass.com)
        assert np.allclose(mass_again.inertia, mass.inertia, rtol=1e-12, atol=0.0)
        outermost = found
        while outermost.parent in between:
            outermost = again.body(outermost.parent)
        assert outermost.parent == body.parent
        if body.joint.kind in ("fixed", "hinge", "slide"):
            assert held(found.joint) == held(body.joint)
        if body.joint.kind != "free":
            placed_alike(body.joint, outermost.joint)
        if body.joint.actuator is not None and body.joint.actuator.kind == "motor":
            assert found.joint.actuator == body.joint.actuator
        touching = [s for s in body.shapes if s.contact and (description.surface or s.surface)]
        shapes = touching or body.shapes
        assert len(found.shapes) == len(shapes)
        for ours, theirs in zip(shapes, found.shapes, strict=True):
            alike(ours, theirs)
            if len(shapes) == len(body.shapes):
                assert theirs.colour == ours.colour
    zp.compile(again)


def test_what_urdf_cannot_hold_is_told_in_notes_and_comments() -> None:
    document = urdf_document(zp.zoo.ragdoll())
    words = " ".join(document.notes)
    for lost in (
        "a ball joint became three hinges",
        "springs of",
        "Surfaces are lost",
        "self_contact",
        "initial coordinates",
    ):
        assert lost in words
    assert all(note.replace("--", "- -") in document.text.replace("&gt;", ">") for note in document.notes)
    assert "Lost: 1 constraint beside the joints." in urdf_document(zp.zoo.four_bar()).notes


def test_turns_are_right_where_two_angles_act_as_one(rng: np.random.Generator) -> None:
    """At a pitch of 90° roll and yaw are one turn; near it each is ill conditioned, but not their product."""
    from zoophyte.algebra.quaternions import quaternion_matrix
    from zoophyte.description.readers.geometry import turned
    from zoophyte.export.urdf.shapes import turning

    for pitch in (0.5 * np.pi, -0.5 * np.pi, 0.5 * np.pi - 1e-9, 0.5 * np.pi - 1e-5, 0.3):
        for roll, yaw in rng.uniform(-3.0, 3.0, (20, 2)):
            rotation = turned(roll, pitch, yaw)
            again = quaternion_matrix(turned(*turning(rotation)))
            assert np.abs(np.array(again) - quaternion_matrix(rotation)).max() < 1e-14
