"""MuJoCo's actuators as servos, motors and springs.

The force of an actuator is gain·ctrl + bias on length l and velocity l̇, and pulls on its joint with its gear g (l = g q):

    motor      gain = a                     strength = g a · (largest control)
    position   gain = kp, bias = −kp l − kv l̇      stiffness = g² kp, damping = g² kv, largest force g · (force range)
    spring     gain = 0,  bias = b₀ + b₁ l + b₂ l̇   what our exporter writes for the axes of ball joints
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from zoophyte.description.joints import Motor, Servo

SAME = 1e-9


@dataclass
class Drive:
    """What the actuators of one joint amount to.

    Args:
        push: constant force of springs about each axis [N·m or N].
        stiffness: of springs about each axis.
        damping: of dampers about each axis.
        armature: of rotors, about all axes.
        axes: for each axis the servo or motor on it.
        notes: what commands mean here.
        actuator: on every axis, once :meth:`close` was called.
    """

    push: list[float] = field(default_factory=lambda: [0.0] * 3)
    stiffness: list[float] = field(default_factory=lambda: [0.0] * 3)
    damping: list[float] = field(default_factory=lambda: [0.0] * 3)
    armature: float = 0.0
    axes: dict[int, Servo | Motor] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    actuator: Servo | Motor | None = None

    def close(self, is_ball: bool) -> str:
        """Decide on the one actuator that our joints have; returns what is wrong with that."""
        if not self.axes:
            return ""
        kinds = list(self.axes.values())
        if is_ball and (len(kinds) < 3 or any(kind != kinds[0] for kind in kinds)):
            return "is a ball joint with different actuators about its axes"
        if is_ball and isinstance(kinds[0], Servo) and math.isfinite(kinds[0].max_force):
            return "is a ball joint whose servos have a largest force, which those of ours do not have"
        self.actuator = kinds[0]
        return ""


def drive_of(mujoco: Any, model: Any, number: int, found: dict[int, Drive]) -> str:
    """Add one actuator to the drive of its joint.

    Args:
        mujoco: the package.
        model: compiled.
        number: of the actuator.
        found: the drives so far, by joint.

    Returns:
        What is not supported about it, or nothing.
    """
    if trouble := _foreign(mujoco, model, number):
        return trouble
    j = int(model.actuator_trnid[number][0])
    kind = int(model.jnt_type[j])
    if kind == int(mujoco.mjtJoint.mjJNT_FREE):
        return "acts on a free joint"
    axis = _axis(model.actuator_gear[number], kind == int(mujoco.mjtJoint.mjJNT_BALL))
    if axis is None:
        return f"has the gear {model.actuator_gear[number].tolist()}, which is not along x, y or z,"
    n, gear = axis
    gain, bias = (
        float(model.actuator_gainprm[number][0]),
        [float(x) for x in model.actuator_biasprm[number][:3]],
    )
    if int(model.actuator_biastype[number]) == int(mujoco.mjtBias.mjBIAS_NONE):
        bias = [0.0, 0.0, 0.0]
    drive = found.setdefault(j, Drive())
    # Rotor and damper of an actuator act on all axes of a ball joint, by the first entry of its gear.
    gear_0 = float(model.actuator_gear[number][0])
    first = gear_0 * gear_0
    drive.armature += first * float(getattr(model, "actuator_armature", [0.0] * (number + 1))[number])
    extra = first * float(getattr(model, "actuator_damping", [0.0] * (number + 1))[number])
    drive.damping = [b + extra for b in drive.damping]
    if gain == 0.0:
        drive.push[n] += gear * bias[0]
        drive.stiffness[n] -= gear * gear * bias[1]
        drive.damping[n] -= gear * gear * bias[2]
        return ""
    if n in drive.axes:
        return "is the second actuator of its joint"
    actuator = (
        _motor(model, number, gear * gain, drive)
        if not any(bias)
        else _servo(model, number, gear, (gain, bias))
    )
    if isinstance(actuator, str):
        return actuator
    drive.axes[n] = actuator
    return ""


def _foreign(mujoco: Any, model: Any, number: int) -> str:
    """What keeps an actuator from being a motor, a servo or a spring."""
    transmission, dynamics = int(model.actuator_trntype[number]), int(model.actuator_dyntype[number])
    gain, bias = int(model.actuator_gaintype[number]), int(model.actuator_biastype[number])
    if transmission not in (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT)):
        return f"acts on a {_word(mujoco.mjtTrn(transmission))}"
    if dynamics != int(mujoco.mjtDyn.mjDYN_NONE):
        return f"has {_word(mujoco.mjtDyn(dynamics))} dynamics"
    if gain != int(mujoco.mjtGain.mjGAIN_FIXED):
        return f"has a gain of the type {_word(mujoco.mjtGain(gain))}"
    if bias not in (int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE)):
        return f"has a bias of the type {_word(mujoco.mjtBias(bias))}"
    for name, words in (
        ("actuator_dampingpoly", "a damper that is not linear"),
        ("actuator_delay", "a delay"),
    ):
        if hasattr(model, name) and getattr(model, name)[number].any():
            return f"has {words}"
    return ""


def _word(member: Any) -> str:
    """``muscle`` for mjGAIN_MUSCLE."""
    return str(member.name).partition("_")[2].lower()


def _axis(gear: Any, is_ball: bool) -> tuple[int, float] | None:
    """Which axis an actuator turns about, and by what gear."""
    if not is_ball:
        return 0, float(gear[0])
    used = [n for n in range(3) if gear[n] != 0.0]
    return (used[0], float(gear[used[0]])) if len(used) == 1 else None


def _servo(model: Any, number: int, gear: float, law: tuple[float, list[float]]) -> Servo | str:
    kp, (constant, proportional, derivative) = law
    if abs(kp + proportional) > SAME * abs(kp) or constant != 0.0 or kp < 0.0 or derivative > 0.0:
        return f"has the gain {kp:g} and the bias {constant:g}, {proportional:g}, {derivative:g}, which is no servo"
    law_of_ours = {"stiffness": gear * gear * kp, "damping": -gear * gear * derivative}
    if model.actuator_forcelimited[number]:
        lower, upper = (float(x) for x in model.actuator_forcerange[number])
        if lower != -upper or upper <= 0.0:
            return f"is a servo with the force range {[lower, upper]}, which is not the same both ways,"
        return Servo(max_force=abs(gear) * upper, **law_of_ours)
    return Servo(**law_of_ours)


def _motor(model: Any, number: int, strength: float, drive: Drive) -> Motor | str:
    lower, upper = (float(x) for x in model.actuator_ctrlrange[number])
    if not model.actuator_ctrllimited[number]:
        drive.notes.append(
            "its motor has no control range there; here it reaches its strength at the command 1."
        )
        lower, upper = -1.0, 1.0
    largest = max(abs(lower), abs(upper))
    if strength <= 0.0 or largest == 0.0:
        return f"is a motor with the strength {strength * largest:g}"
    if lower != -upper or upper != 1.0:
        drive.notes.append(
            f"its motor takes controls from {lower:g} to {upper:g} there, and from -1 to 1 here."
        )
    if model.actuator_forcelimited[number]:
        bound = max(abs(float(x)) for x in model.actuator_forcerange[number])
        gear = abs(float(model.actuator_gear[number][0])) or 1.0
        return Motor(strength=min(strength * largest, bound * gear))
    return Motor(strength=strength * largest)
