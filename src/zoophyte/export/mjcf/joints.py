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

from collections.abc import Sequence
from dataclasses import dataclass, field

from zoophyte.description import Body, Motor, Servo
from zoophyte.description.values import Triple
from zoophyte.export.mjcf.frames import Placement, Station
from zoophyte.export.mjcf.markup import Attributes, Names
from zoophyte.model import Model

IMPEDANCE = 1e-4
AXES: tuple[Triple, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
LETTERS = "xyz"


@dataclass
class Mechanism:
    """Collects what stands behind the bodies: actuators, coordinates of the keyframe, and warnings.

    Args:
        model: of the whole description.
        mobility: of each degree of freedom at q = 0, where limits need it.
    """

    model: Model
    mobility: Sequence[float]
    actuators: list[tuple[str, Attributes]] = field(default_factory=list)
    qpos: list[float] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    joint_names: Names = field(default_factory=Names)
    actuator_names: Names = field(default_factory=Names)

    def joints(self, station: Station) -> list[tuple[str, Attributes]]:
        """The joint elements of one MuJoCo body, in the order in which they act."""
        elements: list[tuple[str, Attributes]] = []
        for body, inner in zip(station.bodies, station.inner, strict=True):
            kind = body.joint.kind
            if body.joint.driven:
                self.warn(body, "is driven: its motion is prescribed in Zoophyte, and free in MuJoCo")
            if kind == "free":
                elements.append(("freejoint", {"name": self.joint_names.take(body.name)}))
                self.qpos += _free_coordinates(body)
            elif kind == "ball":
                elements.append(self._ball(body))
                self.qpos += body.joint.initial_coordinates()
            elif kind != "fixed":
                elements += self._axes(body, inner)
                self.qpos += body.joint.initial_coordinates()
        return elements

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
            self._actuate(body, name, (1.0,))
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
                    self.actuators.append(("general", attributes))
        for n, axis in enumerate(AXES):
            self._actuate(body, name, axis, f".{LETTERS[n]}")
        optional = {"stiffness": k or None, "damping": b or None, "armature": a or None}
        return "joint", {"name": name, "type": "ball", **optional}

    def _actuate(self, body: Body, joint: str, axis: Sequence[float], suffix: str = "") -> None:
        actuator = body.joint.actuator
        if isinstance(actuator, Servo):
            gear = tuple(axis) if suffix else None
            attributes: Attributes = {
                "name": self.actuator_names.take(joint + suffix), "joint": joint, "gear": gear,
                "kp": actuator.stiffness, "kv": actuator.damping or None,
                "forcerange": (-actuator.max_force, actuator.max_force) if actuator.max_force < float("inf") else None,
            }  # fmt: skip
            self.actuators.append(("position", attributes))
        elif isinstance(actuator, Motor):
            if actuator.max_speed != float("inf") and suffix in ("", ".x") and not joint.endswith(".1"):
                self.warn(
                    body,
                    f"has a motor that fades to nothing at speed {actuator.max_speed:g}; MuJoCo's does not",
                )
            attributes = {
                "name": self.actuator_names.take(joint + suffix), "joint": joint,
                "gear": tuple(actuator.strength * x for x in axis), "ctrlrange": (-1.0, 1.0),
            }  # fmt: skip
            self.actuators.append(("motor", attributes))


def _free_coordinates(body: Body) -> list[float]:
    """MuJoCo's coordinates of a free body: where it is in the world, position before quaternion."""
    w, x, y, z, *position = body.joint.initial_coordinates()
    where = Placement((position[0], position[1], position[2]), (w, x, y, z))
    placed = Placement(body.joint.position, body.joint.rotation).then(where)
    return [*placed.position, *placed.rotation]


def _list(values: Sequence[float]) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"
