"""Joints: how a body may move against its parent, and what pulls, limits or drives that motion."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from zoophyte.description.part import Part
from zoophyte.description.problems import given, refuse
from zoophyte.description.values import (
    LARGEST,
    Direction,
    NonNegative,
    PositiveOrInfinite,
    Quaternion,
    Triple,
    Truth,
    Vector,
    as_list,
    as_number,
    as_numbers,
    direction,
    is_too_large,
    normalised_quaternion,
    wanted_number,
)

Kind: TypeAlias = Literal["fixed", "hinge", "slide", "universal", "ball", "free"]
Pair: TypeAlias = tuple[float, float]

PERPENDICULAR_TOLERANCE = 1e-9


@dataclass(frozen=True)
class JointKind:
    """What one kind of joint has.

    Args:
        dof_count: degrees of freedom, the length of its part of v.
        coordinate_count: the length of its part of q.
        axis_count: how many axes its description gives.
        has_limits: whether its coordinates can be limited one by one.
        is_actuated: whether it may have springs, dampers, an actuator, or be driven.
        coordinates: what the initial coordinates are, in words.
    """

    dof_count: int
    coordinate_count: int
    axis_count: int
    has_limits: bool
    is_actuated: bool
    coordinates: str


JOINT_KINDS: Mapping[str, JointKind] = {
    "fixed": JointKind(0, 0, 0, False, False, "none"),
    "hinge": JointKind(1, 1, 1, True, True, "angle"),
    "slide": JointKind(1, 1, 1, True, True, "distance"),
    "universal": JointKind(2, 2, 2, True, True, "first angle, second angle"),
    "ball": JointKind(3, 4, 0, False, True, "w, x, y, z"),
    "free": JointKind(6, 7, 0, False, False, "w, x, y, z, then position x, y, z"),
}


UNMOVED: Mapping[str, tuple[float, ...]] = {
    name: (1.0 if name in ("ball", "free") else 0.0, *(0.0,) * 6)[: kind.coordinate_count]
    for name, kind in JOINT_KINDS.items()
}
"""Coordinates of joints of each kind, zero and unturned."""


class Servo(Part):
    """Pulls each degree of freedom to its command h with stiffness·(h − q) − damping·v."""

    kind: Literal["servo"] = "servo"
    stiffness: NonNegative
    """Force per deviation [N·m/rad or N/m]."""
    damping: NonNegative = 0.0
    """Force per velocity [N·m·s/rad or N·s/m]."""
    max_force: Annotated[
        PositiveOrInfinite, Field(json_schema_extra=lambda schema: schema.pop("default", None))
    ] = math.inf
    """Largest force that it can give [N·m or N]; unlimited unless given."""


class Motor(Part):
    """Pushes each degree of freedom with strength·clamp(command, −1, 1), less the faster it runs."""

    kind: Literal["motor"] = "motor"
    strength: NonNegative
    """Largest force at rest [N·m or N]."""
    max_speed: Annotated[
        PositiveOrInfinite, Field(json_schema_extra=lambda schema: schema.pop("default", None))
    ] = math.inf
    """Speed at which no force is left [rad/s or m/s]; unlimited unless given."""


Actuator: TypeAlias = Annotated[Servo | Motor, Field(discriminator="kind")]


def _per_dof(minimum: float | None) -> Callable[[object], float | tuple[float, ...] | None]:
    """A number, or a list of one number per degree of freedom (None passes, where the field allows it)."""
    allowed = "finite" if minimum is None else f"finite, {minimum:g} or more"
    least = -LARGEST if minimum is None else minimum

    def check(value: object) -> float | tuple[float, ...] | None:
        value = as_list(value)
        if value is None or (type(value) is float and least <= value <= LARGEST):
            return value
        items = value if isinstance(value, list | tuple) else [value]
        numbers = [as_number(item) for item in items]
        bad = [n for n, x in enumerate(numbers) if x is None or (minimum is not None and x < minimum)]
        if bad and is_too_large(items[bad[0]]):
            where = f"; entry {bad[0] + 1}" if len(items) > 1 else ","
            raise refuse(f"is {given(value)}{where} must be {wanted_number(items[bad[0]])}.")
        if bad and len(items) > 1:
            raise refuse(f"is {given(value)}; entry {bad[0] + 1} must be a number ({allowed}).")
        if bad:
            raise refuse(
                f"is {given(value)}, must be a number ({allowed}), or a list of such numbers, as many as the joint has."
            )
        found = tuple(number for number in numbers if number is not None)
        return found if isinstance(value, list | tuple) else found[0]

    return check


def _axis_pair(value: object) -> tuple[tuple[float, ...], tuple[float, ...]]:
    value = as_list(value)
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise refuse(f"is {given(value)}, must be two directions, [[x, y, z], [x, y, z]].")
    first, second = direction(value[0]), direction(value[1])
    cosine = first[0] * second[0] + first[1] * second[1] + first[2] * second[2]
    if abs(cosine) > PERPENDICULAR_TOLERANCE:
        angle = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
        raise refuse(f"is {given(value)}; the angle between the two axes is {angle:.9g}°, it must be 90°.")
    return first, second


def _limits(value: object) -> Pair | tuple[Pair, ...] | None:
    """(lower, upper) for all degrees of freedom, or a list of such pairs; always the right way round."""
    value = as_list(value)
    if value is None:
        return None
    if not isinstance(value, list | tuple) or not value:
        raise refuse(
            f"is {given(value)}, must be [lower, upper], or a list of such pairs, one per degree of freedom."
        )
    if any(isinstance(as_list(item), list | tuple) for item in value):
        return tuple(_limit_pair(item) for item in value)
    return _limit_pair(value)


def _limit_pair(value: object) -> Pair:
    lower, upper = as_numbers(value, 2, "lower, upper")
    if lower > upper:
        raise refuse(f"is {given([lower, upper])}, upside down: the lower limit comes first.")
    return lower, upper


PerDof: TypeAlias = Annotated[float | tuple[float, ...], BeforeValidator(_per_dof(None))]
NonNegativePerDof: TypeAlias = Annotated[float | tuple[float, ...], BeforeValidator(_per_dof(0.0))]
OptionalPerDof: TypeAlias = Annotated[float | tuple[float, ...] | None, BeforeValidator(_per_dof(0.0))]
Initial: TypeAlias = Annotated[float | tuple[float, ...] | None, BeforeValidator(_per_dof(None))]
Limits: TypeAlias = Annotated[Pair | tuple[Pair, ...] | None, BeforeValidator(_limits)]
Axes: TypeAlias = Annotated[tuple[Triple, Triple], BeforeValidator(_axis_pair)]

DEFAULT_AXIS: Triple = (0.0, 0.0, 1.0)
DEFAULT_AXES: tuple[Triple, Triple] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


class Joint(Part):
    """The connection of a body to its parent; the body frame sits at the joint.

    Frames: X_PB(q) = placement(position, rotation) ∘ motion(q).
    """

    kind_positions: ClassVar[Mapping[str, int]] = {"actuator": 1}

    kind: Kind = "fixed"
    """fixed, hinge, slide, universal, ball or free."""
    position: Vector = (0.0, 0.0, 0.0)
    """Of the joint in the parent's frame [m]."""
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    """Of the joint in the parent's frame, unit quaternion (w, x, y, z)."""
    axis: Direction = DEFAULT_AXIS
    """Of a hinge or slide, in the body frame; its length does not matter."""
    axes: Axes = DEFAULT_AXES
    """Of a universal joint: the first turns in the placed parent frame, the second in the body."""
    stiffness: NonNegativePerDof = 0.0
    """Spring [N·m/rad or N/m], one number or one per degree of freedom."""
    damping: NonNegativePerDof = 0.0
    """Damper [N·m·s/rad or N·s/m], one number or one per degree of freedom."""
    rest: PerDof = 0.0
    """Where the spring is relaxed [rad or m]; for a ball joint a rotation vector."""
    armature: NonNegativePerDof = 0.0
    """Inertia of a rotor on the joint [kg·m² or kg], one number or one per degree of freedom."""
    friction: NonNegativePerDof = 0.0
    """Dry friction [N·m or N], one number or one per degree of freedom; hinge, slide and universal only."""
    limits: Limits = None
    """Lower and upper limit [rad or m], one pair or one per degree of freedom; not for balls."""
    limit_stiffness: OptionalPerDof = None
    """Spring beyond the limit [N·m/rad or N/m]; without it the limit is a constraint."""
    limit_damping: OptionalPerDof = None
    """Damper beyond the limit [N·m·s/rad or N·s/m]."""
    driven: Truth = False
    """Whether the motion is prescribed and its force reported."""
    initial: Initial = None
    """Coordinates at the start: a number, two angles, a quaternion, or quaternion and position."""
    actuator: Actuator | None = None
    """A servo or a motor on every degree of freedom."""

    @property
    def dof_count(self) -> int:
        """Degrees of freedom."""
        return JOINT_KINDS[self.kind].dof_count

    @property
    def coordinate_count(self) -> int:
        """Coordinates in q."""
        return JOINT_KINDS[self.kind].coordinate_count

    def per_dof(self, value: float | tuple[float, ...] | None) -> tuple[float, ...]:
        """A field such as `stiffness` as one number per degree of freedom; zeros for None.

        Args:
            value: the field's value.
        """
        if isinstance(value, tuple):
            return value
        return (0.0 if value is None else value,) * self.dof_count

    def limit_pairs(self) -> tuple[Pair, ...] | None:
        """(lower, upper) for each degree of freedom, or None."""
        limits: Any = self.limits
        return limits if limits is None or isinstance(limits[0], tuple) else (limits,) * self.dof_count

    def initial_coordinates(self) -> tuple[float, ...]:
        """The joint's part of q at the start: as given, else zero and unturned."""
        if self.initial is not None:
            return self.initial if isinstance(self.initial, tuple) else (self.initial,)
        return UNMOVED[self.kind]

    @field_validator("axis", "axes")
    @classmethod
    def _axes_of_kind(cls, value: Any, info: ValidationInfo) -> Any:
        kind, wanted = _kind(info), 1 if info.field_name == "axis" else 2
        if kind is None or JOINT_KINDS[kind].axis_count == wanted or value in (DEFAULT_AXIS, DEFAULT_AXES):
            return value
        how = {1: "A hinge or slide takes 'axis'.", 2: "A universal joint takes 'axes'."}
        count = JOINT_KINDS[kind].axis_count
        raise refuse(f"is given, but a {kind} joint has no such thing.", how.get(count, "Leave it out."))

    @field_validator("friction")
    @classmethod
    def _friction_of_kind(cls, value: Any, info: ValidationInfo) -> Any:
        kind = _kind(info)
        if kind == "ball" and value != 0.0:
            raise refuse(
                f"is {given(value)}, but a ball joint has no dry friction.",
                "Hinge, slide and universal joints have it; give a ball joint damping.",
            )
        return value

    @field_validator(
        "stiffness", "damping", "rest", "armature", "friction", "limit_stiffness", "limit_damping"
    )
    @classmethod
    def _one_per_dof(cls, value: float | tuple[float, ...] | None, info: ValidationInfo) -> Any:
        kind = _kind(info)
        if kind is None or value is None or value == 0.0:
            return value
        if not JOINT_KINDS[kind].is_actuated:
            raise refuse(
                f"is {given(value)}, but a {kind} joint has no springs, dampers or rotors.", "Leave it out."
            )
        dof_count = JOINT_KINDS[kind].dof_count
        if isinstance(value, tuple) and len(value) != dof_count:
            raise refuse(
                f"is {given(value)}, a list of {len(value)}; a {kind} joint has {_dofs(dof_count)}.",
                "Give one number for all of them, or one for each.",
            )
        return value

    @field_validator("limits")
    @classmethod
    def _limits_of_kind(cls, value: Any, info: ValidationInfo) -> Any:
        kind = _kind(info)
        if kind is None or value is None:
            return value
        if not JOINT_KINDS[kind].has_limits:
            raise refuse(
                f"is {given(value)}, but a {kind} joint has no limits.",
                "Hinge, slide and universal joints have them.",
            )
        dof_count = JOINT_KINDS[kind].dof_count
        if isinstance(value[0], tuple) and len(value) != dof_count:
            raise refuse(f"is {given(value)}, {len(value)} pairs; a {kind} joint has {_dofs(dof_count)}.")
        return value

    @field_validator("limit_stiffness", "limit_damping")
    @classmethod
    def _beyond_limits(cls, value: Any, info: ValidationInfo) -> Any:
        if value is not None and info.data.get("limits", ()) is None:
            raise refuse(
                f"is {given(value)}, but the joint has no limits.", "Give 'limits' too, or leave it out."
            )
        if (
            info.field_name == "limit_damping"
            and value is not None
            and info.data.get("limit_stiffness", 0.0) is None
        ):
            raise refuse(
                f"is {given(value)}, but there is no limit_stiffness.", "Give 'limit_stiffness' too."
            )
        return value

    @field_validator("driven")
    @classmethod
    def _can_be_driven(cls, value: bool, info: ValidationInfo) -> bool:
        kind = _kind(info)
        if value and kind is not None and not JOINT_KINDS[kind].is_actuated:
            raise refuse(
                f"is true, but a {kind} joint cannot be driven.",
                "Hinge, slide, universal and ball joints can.",
            )
        return value

    @field_validator("initial")
    @classmethod
    def _initial_of_kind(cls, value: float | tuple[float, ...] | None, info: ValidationInfo) -> Any:
        kind = _kind(info)
        if kind is None or value is None:
            return value
        count = JOINT_KINDS[kind].coordinate_count
        found = value if isinstance(value, tuple) else (value,)
        if len(found) != count:
            meaning = JOINT_KINDS[kind].coordinates
            raise refuse(f"is {given(value)}; a {kind} joint has {count} initial coordinates ({meaning}).")
        if kind in ("ball", "free"):
            return normalised_quaternion(found[:4]) + found[4:]
        return found[0] if count == 1 else found

    @field_validator("actuator")
    @classmethod
    def _can_act(cls, value: Any, info: ValidationInfo) -> Any:
        kind = _kind(info)
        if value is not None and kind is not None and not JOINT_KINDS[kind].is_actuated:
            raise refuse(f"is a {value.kind}, but a {kind} joint has no actuator.", "Leave it out.")
        if kind == "ball" and isinstance(value, Servo) and math.isfinite(value.max_force):
            raise refuse(
                f"is a servo with max_force {value.max_force:g}, but a servo of a ball joint has no largest force.",
                "Leave max_force out, or use a motor; hinges, slides and universal joints have both.",
            )
        if value is not None and info.data.get("driven"):
            raise refuse(
                f"is a {value.kind}, but the joint is driven; its motion is prescribed.",
                "Choose one of the two.",
            )
        return value


def _kind(info: ValidationInfo) -> str | None:
    """The joint's kind, or None when that was wrong itself and is reported already."""
    return info.data.get("kind")


def _dofs(count: int) -> str:
    return f"{count} degree{'s' if count != 1 else ''} of freedom"
