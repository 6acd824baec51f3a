"""Random forests and states that several tests share.

A forest is drawn in two halves: its *plan* (kinds, parents, what hangs on the joints) comes from hypothesis, which
shrinks it to the smallest one that fails; its *numbers* (placements, axes, masses) come from one seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import zoophyte as zp
from zoophyte.description import Body, Box, Capsule, Description, Joint, MassProperties, Motor, Servo
from zoophyte.model.state import SIGNAL_FIELDS

seeds = st.integers(0, 2**32 - 1)

KINDS = ("fixed", "hinge", "slide", "universal", "ball", "free")
MOVING = ("hinge", "slide", "universal", "ball")
GROUND = -1
MASS_RATIO = 1e3
"""Between the heaviest and the lightest body of a forest."""

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Plan:
    """One body: its joint's kind, its parent (an earlier body, or GROUND), and what its joint has besides.

    Args:
        kind: of the joint.
        parent: index of an earlier body, or GROUND.
        springs: stiffness, damping, rest and (where the kind has them) limits with soft springs.
        hard_limits: those limits name no spring, so that the compiler chooses one.
        armature: a rotor on each degree of freedom.
        actuator: "servo", "motor" or nothing.
        driven: whether the motion is prescribed.
    """

    kind: str
    parent: int = GROUND
    springs: bool = False
    armature: bool = False
    actuator: str = ""
    driven: bool = False
    hard_limits: bool = False


def unit_vector(rng: np.random.Generator) -> Floats:
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def unit_quaternion(rng: np.random.Generator) -> Floats:
    """Uniform over the rotations."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def rotation_matrix(q: Any) -> Floats:
    """R of a unit quaternion: v ↦ q v q*, the sandwich product written out with numpy."""
    w, u = float(q[0]), np.asarray(q[1:], float)
    skew = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    return np.eye(3) + 2.0 * w * skew + 2.0 * skew @ skew


def _mass(rng: np.random.Generator) -> MassProperties:
    """Of a box somewhere in the body; the masses of one forest spread over MASS_RATIO."""
    mass = float(MASS_RATIO ** rng.uniform(-0.5, 0.5))
    squares = rng.uniform(0.1, 0.5, size=3) ** 2
    R = rotation_matrix(unit_quaternion(rng))
    inertia = R @ np.diag(mass / 12.0 * (squares.sum() - squares)) @ R.T
    return MassProperties(mass=mass, com=rng.normal(scale=0.2, size=3), inertia=0.5 * (inertia + inertia.T))


def _shapes(rng: np.random.Generator) -> list[Any]:
    place = {"position": rng.normal(scale=0.1, size=3), "rotation": unit_quaternion(rng)}
    return [
        Box(size=rng.uniform(0.1, 0.4, size=3), density=300.0, **place),
        Capsule(radius=0.05, length=0.2, position=rng.normal(scale=0.1, size=3), density=2000.0),
    ]


def _joint(plan: Plan, rng: np.random.Generator, mass: float) -> Joint:
    """Coefficients grow with the mass of the body, so that explicit steps of a millisecond are stable."""
    dofs = {"hinge": 1, "slide": 1, "universal": 2, "ball": 3}.get(plan.kind, 0)
    fields: dict[str, Any] = {
        "kind": plan.kind,
        "position": rng.normal(scale=0.4, size=3),
        "rotation": unit_quaternion(rng),
    }
    first = unit_vector(rng)
    second = np.cross(first, unit_vector(rng))
    if plan.kind in ("hinge", "slide"):
        fields["axis"] = first
    if plan.kind == "universal":
        fields["axes"] = (first, second / np.linalg.norm(second))
    if plan.springs and dofs:
        fields |= {
            "stiffness": mass * rng.uniform(0.0, 20.0, size=dofs),
            "damping": mass * rng.uniform(0.0, 0.2, size=dofs),
            "rest": rng.uniform(-0.5, 0.5, size=dofs),
        }
        if plan.kind != "ball":
            fields["limits"] = [(-float(a), float(b)) for a, b in rng.uniform(0.1, 1.0, size=(dofs, 2))]
            if not plan.hard_limits:
                fields |= {"limit_stiffness": 50.0 * mass, "limit_damping": 0.1 * mass}
    if plan.armature and dofs:
        fields["armature"] = mass * rng.uniform(0.01, 0.2, size=dofs)
    if plan.driven and dofs:
        fields["driven"] = True
    elif plan.actuator == "servo" and dofs:
        fields["actuator"] = Servo(
            stiffness=mass * rng.uniform(1.0, 30.0), damping=mass * rng.uniform(0.0, 0.2)
        )
    elif plan.actuator == "motor" and dofs:
        fields["actuator"] = Motor(strength=mass * rng.uniform(1.0, 10.0), max_speed=rng.uniform(2.0, 9.0))
    return Joint(**fields)


def build(plans: Sequence[Plan], rng: np.random.Generator, name: str = "forest") -> Description:
    """The forest of a plan, with random placements, axes, masses and coefficients."""
    bodies = []
    for index, plan in enumerate(plans):
        parent = "ground" if plan.parent == GROUND else f"body{plan.parent}"
        weight: dict[str, Any] = {"shapes": _shapes(rng)} if rng.random() < 0.25 else {"mass": _mass(rng)}
        body = Body(name=f"body{index}", parent=parent, **weight)
        body.joint = _joint(plan, rng, body.mass_properties().mass)
        bodies.append(body)
    return Description(name=name, bodies=bodies)


def random_plans(
    rng: np.random.Generator,
    count: int,
    kinds: Sequence[str] = KINDS,
    *,
    extras: bool = True,
    driven: bool = False,
) -> list[Plan]:
    """Several trees: about every fourth body stands on the ground, and the first one moves."""
    moving = [kind for kind in kinds if kind != "fixed"]
    plans = []
    for index in range(count):
        grounded = index == 0 or rng.random() < 0.25
        allowed = [kind for kind in kinds if kind != "free"] or moving
        kind = str(rng.choice(moving if index == 0 else kinds if grounded else allowed))
        plans.append(
            Plan(
                kind,
                GROUND if grounded or kind == "free" else int(rng.integers(index)),
                springs=extras and rng.random() < 0.5,
                armature=extras and rng.random() < 0.3,
                actuator=str(rng.choice(["", "servo", "motor"])) if extras else "",
                driven=driven and rng.random() < 0.4,
                hard_limits=rng.random() < 0.5,
            )
        )
    return plans


def random_description(
    rng: np.random.Generator, count: int = 8, kinds: Sequence[str] = KINDS, **options: Any
) -> Description:
    """A random forest of `count` bodies; see :func:`random_plans` for the options."""
    return build(random_plans(rng, count, kinds, **options), rng)


def every_kind(rng: np.random.Generator, *, extras: bool = True, driven: bool = False) -> Description:
    """A forest that surely has each kind of joint: a free tree and a fixed one, five moving joints each below it."""
    kinds = [
        "free",
        "hinge",
        "fixed",
        "ball",
        "universal",
        "slide",
        "fixed",
        "ball",
        "slide",
        "universal",
        "hinge",
    ]
    parents = [GROUND, 0, 1, 2, 0, 4, GROUND, 6, 7, 7, 9]
    plans = [
        Plan(
            kind, parent, springs=extras, armature=extras, actuator=("servo", "motor", "")[index % 3] if extras else "",
            driven=driven and index in (1, 3, 5, 9),
        )
        for index, (kind, parent) in enumerate(zip(kinds, parents, strict=True))
    ]  # fmt: skip
    return build(plans, rng, "every_kind")


@st.composite
def descriptions(
    draw: st.DrawFn, largest: int = 8, kinds: Sequence[str] = KINDS, extras: bool = True, driven: bool = False
) -> Description:
    """Forests of 1 to `largest` bodies, at least one of which moves."""
    count = draw(st.integers(1, largest))
    plans: list[Plan] = []
    for index in range(count):
        kind = draw(st.sampled_from([k for k in kinds if index or k != "fixed"]))
        parent = GROUND if kind == "free" or not index else draw(st.integers(GROUND, index - 1))
        plans.append(
            Plan(
                kind,
                parent,
                springs=extras and draw(st.booleans()),
                armature=extras and draw(st.booleans()),
                actuator=draw(st.sampled_from(["", "servo", "motor"])) if extras else "",
                driven=driven and draw(st.booleans()),
                hard_limits=draw(st.booleans()),
            )
        )
    return build(plans, np.random.default_rng(draw(seeds)))


def random_state(
    model: zp.Model, rng: np.random.Generator, speed: float = 2.0, commands: bool = False
) -> zp.State:
    """Any coordinates (unit quaternions), velocities of about `speed`, and with `commands` a signal on each dof."""
    q = []
    for body in model.description.bodies:
        if body.joint.kind in ("hinge", "universal"):
            q += list(rng.uniform(-np.pi, np.pi, size=body.joint.dof_count))
        elif body.joint.kind == "slide":
            q.append(rng.normal(scale=0.5))
        elif body.joint.kind in ("ball", "free"):
            q += list(unit_quaternion(rng))
            q += list(rng.normal(size=body.joint.coordinate_count - 4))
    state = zp.State.neutral(model).at(np.array(q, float), rng.normal(scale=speed, size=model.nv))
    if commands:
        state.command[:] = rng.normal(scale=0.5, size=(model.nv, len(SIGNAL_FIELDS)))
        state.applied[:] = rng.normal(size=model.nv)
    return state


def case(description: Description, seed: int) -> tuple[zp.Model, zp.State, np.random.Generator]:
    """The model, a random state of it, and the generator that drew it."""
    rng = np.random.default_rng(seed)
    model = zp.compile(description)
    return model, random_state(model, rng), rng


def random_forces(model: zp.Model, state: zp.State, rng: np.random.Generator) -> Floats:
    """Wrenches (bodies, 6) in world axes about each body's origin; nothing on the ground."""
    wrenches = rng.normal(scale=5.0, size=(model.body_count, 6))
    wrenches[0] = 0.0
    return wrenches


def relative_error(found: Any, expected: Any) -> float:
    """Largest difference as part of the largest expected value; 1 stands in for a vanishing one."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    if not expected.size:
        return 0.0
    return float(np.max(np.abs(found - expected)) / max(1.0, float(np.max(np.abs(expected)))))
