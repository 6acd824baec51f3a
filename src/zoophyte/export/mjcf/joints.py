"""Joints, springs, limits and actuators in MJCF, and what of them MuJoCo cannot say.

Limits.  One without a spring of its own is a constraint in both programs, with MuJoCo's own parameters.  For the others:
with constant impedance d MuJoCo's limit force solves f (A + R) = −(k r + b v)/d − a₀ with R = Â (1 − d)/d, where Â is the
mobility at q = 0.  For d → 0 that is f = −(k r + b v)/Â: our spring with k = K Â, b = B Â.  The smallest d that MuJoCo
accepts is 1e-4.

Ball joints.  A joint of MuJoCo has one stiffness, one damper and one rotor for all its axes.  What an axis has beside
that is written as actuators without gain: force = bias₀ + bias₁ φ + bias₂ ω about that axis.  Ours is the gradient
−J_r⁻ᵀ K φ of a potential, with J_r⁻ᵀ = 1 − ½[φ]× + ….  An actuator of MuJoCo pulls about an axis that is fixed in the
child or in the parent, so all that can be written is −(α + β Rᵀ) K φ, R = exp [φ]×; half in each frame, α = β = ½, agrees
to second order in φ, and exactly where K φ ∥ φ.  Nothing in MJCF is exact: tendons on ball joints are not allowed, spatial
ones have potentials in R, and the orientation servo has one gain for all axes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import rotate
from zoophyte.description import Body, Motor, Servo
from zoophyte.description.values import Triple
from zoophyte.export.mjcf.frames import Placement, Station
from zoophyte.export.mjcf.markup import Attributes, Names
from zoophyte.model import Model, State
from zoophyte.simulation.channels import APPLIED_FORCE, COMMAND

IMPEDANCE = 1e-4
AXES: tuple[Triple, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
LETTERS = "xyz"


@dataclass(frozen=True)
class Control:
    """One of MuJoCo's controls, in the order of `data.ctrl`.

    Args:
        name: of the actuator.
        channel: of a life that tells it what to do; empty where nothing does.
        dof: the degree of freedom of ours that it acts on.
    """

    name: str
    channel: str
    dof: str


@dataclass
class Mechanism:
    """Collects what stands behind the bodies: actuators, coordinates of the keyframe, and warnings.

    Args:
        model: of the whole description.
        mobility: of each degree of freedom at q = 0, where limits need it.
        start: state of the keyframe; the initial coordinates at rest if None.
        applied: degrees of freedom on which a controller's own joint forces act.
    """

    model: Model
    mobility: Sequence[float]
    start: State | None = None
    applied: Collection[str] = ()
    actuators: list[tuple[str, Attributes]] = field(default_factory=list)
    controls: list[Control] = field(default_factory=list)
    qpos: list[float] = field(default_factory=list)
    qvel: list[float] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    joint_names: Names = field(default_factory=Names)
    actuator_names: Names = field(default_factory=Names)

    def __post_init__(self) -> None:
        self._places: dict[str, tuple[int, int]] = {}
        q = v = 0
        for body in self.model.description.bodies:
            self._places[body.name] = (q, v)
            q, v = q + body.joint.coordinate_count, v + body.joint.dof_count

    def joints(self, station: Station) -> list[tuple[str, Attributes]]:
        """The joint elements of one MuJoCo body, in the order in which they act."""
        elements: list[tuple[str, Attributes]] = []
        for body, inner in zip(station.bodies, station.inner, strict=True):
            kind = body.joint.kind
            if body.joint.driven:
                self.warn(body, "is driven: its motion is prescribed in Zoophyte, and free in MuJoCo")
            if kind == "free":
                elements.append(self._free(body))
            elif kind == "ball":
                elements.append(self._ball(body))
            elif kind != "fixed":
                elements += self._axes(body, inner)
            self._begin(body)
        return elements

    def pose(self, body: Body) -> Placement:
        """Where a free body is in the world when life begins."""
        w, x, y, z, *position = self._coordinates(body)[0]
        where = Placement((position[0], position[1], position[2]), (w, x, y, z))
        return Placement(body.joint.position, body.joint.rotation).then(where)

    def _coordinates(self, body: Body) -> tuple[list[float], list[float]]:
        """A joint's part of q and v when life begins."""
        joint = body.joint
        if self.start is None:
            return list(joint.initial_coordinates()), [0.0] * joint.dof_count
        q, v = self._places[body.name]
        ends = q + joint.coordinate_count, v + joint.dof_count
        return self.start.q[q : ends[0]].tolist(), self.start.v[v : ends[1]].tolist()

    def _begin(self, body: Body) -> None:
        """Add a joint's part of the keyframe; MuJoCo's free bodies have their velocity first, in world axes."""
        q, v = self._coordinates(body)
        if body.joint.kind == "free":
            pose = self.pose(body)
            self.qpos += [*pose.position, *pose.rotation]
            self.qvel += [*rotate(quaternion_matrix(pose.rotation), (v[3], v[4], v[5])), *v[:3]]
        else:
            self.qpos += q
            self.qvel += v

    def _free(self, body: Body) -> tuple[str, Attributes]:
        name = self.joint_names.take(body.name)
        for n, axis in enumerate(AXES):
            self._apply(name, (0.0, 0.0, 0.0, *axis), f"{body.name}.turn_{LETTERS[n]}")
        if any(f"{body.name}.{letter}" in self.applied for letter in LETTERS):
            self.warn(body, "is pushed by its controller along its own axes; no actuator of MuJoCo does so")
        return "freejoint", {"name": name}

    def warn(self, body: Body, words: str) -> None:
        """Note what MuJoCo cannot say about a body."""
        self.warnings.append(f"body '{body.name}' {words}.")

    def _axes(self, body: Body, inner: Placement) -> list[tuple[str, Attributes]]:
        """Hinges and slides; a universal joint is two hinges, which turn one after the other."""
        joint = body.joint
        axes = joint.axes if joint.kind == "universal" else (joint.axis,)
        position = inner.origin_inside()
        stiffness, rest = joint.per_dof(joint.stiffness), joint.per_dof(joint.rest)
        damping, armature = joint.per_dof(joint.damping), joint.per_dof(joint.armature)
        friction, limits = joint.per_dof(joint.friction), joint.limit_pairs()
        elements: list[tuple[str, Attributes]] = []
        for n, axis in enumerate(axes):
            suffix = f".{n}" if len(axes) > 1 else ""
            name = self.joint_names.take(body.name + suffix)
            limit = limits[n] if limits else None
            is_soft = limit is not None and joint.limit_stiffness is not None
            attributes: Attributes = {
                "name": name,
                "type": "slide" if joint.kind == "slide" else "hinge",
                "pos": position if any(position) else None,
                "axis": inner.direction_inside(axis),
                "stiffness": stiffness[n] or None,
                "springref": rest[n] or None if stiffness[n] else None,
                "damping": damping[n] or None,
                "armature": armature[n] or None,
                "frictionloss": friction[n] or None,
                "range": limit,
                **(self._limit_law(body.name + suffix) if is_soft else {}),
            }
            elements.append(("joint", attributes))
            self._actuate(body, name, (1.0,), "", body.name + suffix)
        return elements

    def _limit_law(self, dof: str) -> Attributes:
        n, dofs = self.model.dof_index(dof), self.model.dofs
        stiffness = float(dofs.limit_stiffness[n] * self.mobility[n])
        damping = float(dofs.limit_damping[n] * self.mobility[n])
        # MuJoCo reads two negative numbers as stiffness and damping; zero would be another format.
        law = (-max(stiffness, 1e-12), -max(damping, 1e-12))
        return {"solreflimit": law, "solimplimit": (IMPEDANCE, IMPEDANCE, 0.001, 0.5, 1.0)}

    def _ball(self, body: Body) -> tuple[str, Attributes]:
        joint = body.joint
        stiffness, damping = joint.per_dof(joint.stiffness), joint.per_dof(joint.damping)
        rest, armature = joint.per_dof(joint.rest), joint.per_dof(joint.armature)
        name = self.joint_names.take(body.name)
        k, a = sorted(stiffness)[1], sorted(armature)[1]
        b = min(damping)  # so that no bias₂ is positive: MuJoCo would take that for a damping ratio
        if len(set(armature)) > 1:
            self.warn(
                body, f"has rotors {_list(armature)} about x, y, z; a ball joint of MuJoCo has one, {a:g}"
            )
        if len(set(stiffness)) > 1 or any(k * r for k, r in zip(stiffness, rest, strict=True)):
            self.warn(
                body, f"has springs {_list(stiffness)} about x, y, z relaxed at {_list(rest)}; MuJoCo's agree with them "
                "to second order in the angles, and are no gradient of a potential",
            )  # fmt: skip
        for n, axis in enumerate(AXES):
            push, pull = 0.5 * stiffness[n] * rest[n], 0.5 * (k - stiffness[n])
            for frame, bias in (
                ("joint", (push, pull, b - damping[n])),
                ("jointinparent", (push, pull, 0.0)),
            ):
                if any(bias):
                    attributes: Attributes = {
                        "name": self.actuator_names.take(f"{name}.{LETTERS[n]}.spring"), frame: name, "gear": axis,
                        "gainprm": 0.0, "biastype": "affine", "biasprm": bias,
                    }  # fmt: skip
                    self._add("general", attributes, Control(str(attributes["name"]), "", ""))
        for n, axis in enumerate(AXES):
            self._actuate(body, name, axis, f".{LETTERS[n]}", f"{body.name}.{LETTERS[n]}")
        optional = {"stiffness": k or None, "damping": b or None, "armature": a or None}
        return "joint", {"name": name, "type": "ball", **optional}

    def _actuate(self, body: Body, joint: str, axis: Sequence[float], suffix: str, dof: str) -> None:
        actuator = body.joint.actuator
        name = self.actuator_names.take(joint + suffix) if actuator is not None else ""
        if isinstance(actuator, Servo):
            gear = tuple(axis) if suffix else None
            attributes: Attributes = {
                "name": name, "joint": joint, "gear": gear,
                "kp": actuator.stiffness, "kv": actuator.damping or None,
                "forcerange": (-actuator.max_force, actuator.max_force) if actuator.max_force < float("inf") else None,
            }  # fmt: skip
            self._add("position", attributes, Control(name, COMMAND, dof))
        elif isinstance(actuator, Motor):
            if actuator.max_speed != float("inf") and suffix in ("", ".x") and not joint.endswith(".1"):
                self.warn(
                    body,
                    f"has a motor that fades to nothing at speed {actuator.max_speed:g}; MuJoCo's does not",
                )
            attributes = {
                "name": name, "joint": joint,
                "gear": tuple(actuator.strength * x for x in axis), "ctrlrange": (-1.0, 1.0),
            }  # fmt: skip
            self._add("motor", attributes, Control(name, COMMAND, dof))
        self._apply(joint, axis, dof)

    def _apply(self, joint: str, axis: Sequence[float], dof: str) -> None:
        """A motor of strength 1 for the joint forces that a controller gives itself."""
        if dof in self.applied:
            name = self.actuator_names.take(f"{dof}.force")
            self._add(
                "motor",
                {"name": name, "joint": joint, "gear": tuple(axis)},
                Control(name, APPLIED_FORCE, dof),
            )

    def _add(self, kind: str, attributes: Attributes, control: Control) -> None:
        self.actuators.append((kind, attributes))
        self.controls.append(control)


def _list(values: Sequence[float]) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"
