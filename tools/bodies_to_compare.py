"""Bodies, habitats, controllers and starts for `compare_bits.py`: drawn from a seed, all able to touch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import zoophyte as zp
from zoophyte.control import Command, Hold, Sine, Table
from zoophyte.description import (
    Attach,
    Body,
    Box,
    Capsule,
    Connect,
    Cylinder,
    Description,
    Ellipsoid,
    Frustum,
    Joint,
    MassProperties,
    Motor,
    Pair,
    Polyhedron,
    Servo,
    Sphere,
    Surface,
    TaperedCapsule,
    Weld,
)
from zoophyte.model import Medium

MEETING = ("sphere", "capsule", "box", "tapered")
"""Shapes that can meet each other; all meet the ground."""


def bare(description: Description) -> Description:
    """The same without anything that is solved: contact, constraints, dry friction, weak servos."""
    bodies = []
    for body in description.bodies:
        shapes = [shape.model_copy(update={"surface": None}) for shape in body.shapes]
        actuator = body.joint.actuator
        if isinstance(actuator, Servo):
            actuator = actuator.model_copy(update={"max_force": math.inf})
        joint = body.joint.model_copy(update={"friction": 0.0, "actuator": actuator})
        bodies.append(body.model_copy(update={"shapes": shapes, "joint": joint}))
    return description.model_copy(update={"bodies": bodies, "surface": None, "constraints": [], "pairs": []})


def _turn(rng: np.random.Generator) -> tuple[float, ...]:
    q = rng.normal(size=4)
    return tuple((q / np.linalg.norm(q)).tolist())


def _shape(rng: np.random.Generator, kind: str) -> Any:
    a, b, c = rng.uniform(0.05, 0.12, 3).tolist()
    turned = {"rotation": _turn(rng)} if rng.random() < 0.5 else {}
    return {
        "sphere": lambda: Sphere(radius=a),
        "capsule": lambda: Capsule(radius=0.5 * a, length=2.0 * b, **turned),
        "box": lambda: Box(size=(2.0 * a, 2.0 * b, 2.0 * c), **turned),
        "cylinder": lambda: Cylinder(radius=a, length=2.0 * b, **turned),
        "ellipsoid": lambda: Ellipsoid(semi_axes=(a, b, c), **turned),
        "frustum": lambda: Frustum(radius_start=0.5 * a, radius_end=b, length=2.0 * c, **turned),
        "tapered": lambda: TaperedCapsule(radius_start=0.5 * a, radius_end=0.6 * b, length=2.0 * c, **turned),
        "polyhedron": lambda: Polyhedron(
            vertices=[(-a, -a, -a), (2 * a, -a, -a), (-a, 2 * b, -a), (-a, -a, 2 * c)],
            faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
            **turned,
        ),
    }[kind]()


ALL_SHAPES = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "frustum", "tapered", "polyhedron")


def _joint(rng: np.random.Generator) -> Joint:
    """One that moves, with springs, limits, friction, an actuator and a rotor as it happens."""
    kind = str(rng.choice(["hinge", "hinge", "slide", "ball", "universal", "fixed"]))
    away = rng.normal(size=3)
    fields: dict[str, Any] = {
        "kind": kind,
        "position": tuple((0.28 * away / np.linalg.norm(away)).tolist()),
        "rotation": _turn(rng),
    }
    if kind == "fixed":
        return Joint(**fields)
    dofs = {"hinge": 1, "slide": 1, "universal": 2, "ball": 3}[kind]
    if kind == "universal":
        fields["axes"] = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    elif kind != "ball":
        axis = rng.normal(size=3)
        fields["axis"] = tuple((axis / np.linalg.norm(axis)).tolist())
    if rng.random() < 0.4 or kind == "ball":
        fields |= {"stiffness": rng.uniform(0.0, 4.0, dofs).tolist(), "damping": 0.05,
                   "rest": rng.uniform(-0.2, 0.2, dofs).tolist()}  # fmt: skip
    if kind != "ball" and rng.random() < 0.6:
        reach = 0.6 if kind != "slide" else 0.05
        fields["limits"] = [(-reach, 0.7 * reach)] * dofs
        if rng.random() < 0.4:
            fields |= {"limit_stiffness": 40.0, "limit_damping": 0.4}
    if kind != "ball" and rng.random() < 0.3:
        fields["friction"] = float(rng.uniform(0.01, 0.1))
    if rng.random() < 0.3:
        fields["armature"] = float(rng.uniform(0.001, 0.01))
    chosen = rng.integers(5)
    if chosen == 0:
        fields["actuator"] = Motor(strength=float(rng.uniform(0.3, 1.5)), max_speed=20.0)
    elif chosen <= 2:
        weak = {"max_force": 1.0} if chosen == 2 and kind in ("hinge", "slide") else {}
        fields["actuator"] = Servo(stiffness=float(rng.uniform(2.0, 20.0)), damping=0.2, **weak)
    elif chosen == 3 and rng.random() < 0.5:
        fields["driven"] = True
        fields.pop("limits", None), fields.pop("friction", None)
        fields.pop("limit_stiffness", None), fields.pop("limit_damping", None)
    return Joint(**fields)


def random_body(seed: int, *, most: int = 8) -> Description:
    """Trees above the ground: every kind of joint and shape, surfaces, and constraints.

    Even seeds touch themselves and each other, and have only shapes that can; odd ones are one tree of any shapes.
    """
    rng = np.random.default_rng([seed, 77])
    social = seed % 2 == 0
    kinds = MEETING if social else ALL_SHAPES
    bodies: list[Body] = []
    roots: list[str] = []
    for number in range(int(rng.integers(1, most))):
        name = f"b{number}"
        if number == 0 or (social and rng.random() < 0.25):
            x, y = rng.uniform(-0.1, 0.1, 2).tolist()
            place = (*_turn(rng), x + 0.9 * len(roots), y, 0.25 + 0.2 * float(rng.random()))
            joint, parent = Joint(kind="free", initial=place), "ground"
            roots.append(name)
        else:
            joint, parent = _joint(rng), f"b{int(rng.integers(number))}"
        weight: dict[str, Any] = {"shapes": [_shape(rng, str(rng.choice(kinds)))]}
        if rng.random() < 0.1:
            mass = float(rng.uniform(0.5, 2.0))
            weight["mass"] = MassProperties(mass=mass, com=(0.01, 0.0, 0.02), inertia=(0.01, 0.012, 0.009))
        bodies.append(Body(name=name, parent=parent, joint=joint, **weight))
    constraints: list[Any] = []
    if seed % 3 == 0:
        bodies.append(Body(name="post", joint=Joint(kind="fixed", position=(0.0, 0.8, 0.5))))
        constraints.append(Attach(body="b0", other="post", stiffness=30.0, damping=0.5, break_length=1.1))
        if len(roots) > 1:
            held = Connect if seed % 4 else Weld
            constraints.append(held(body=roots[1], other=roots[0]))
        elif len(bodies) > 3:  # a closed loop
            constraints.append(Connect(body=bodies[-2].name, other="b0", point=(0.0, 0.05, 0.0)))
    surface = Surface(
        friction=float(rng.uniform(0.1, 1.2)), restitution=float(rng.uniform(0.2, 0.8)) if rng.random() < 0.4 else 0.0,
        rolling=0.002 if rng.random() < 0.3 else 0.0, torsion=0.002 if rng.random() < 0.3 else 0.0,
        friction_across=0.3 if rng.random() < 0.2 else None, adhesion=0.5 if rng.random() < 0.1 else 0.0,
    )  # fmt: skip
    pairs = [Pair(bodies=("b0", "ground"), friction=0.5, restitution=0.3)] if seed % 7 == 0 else []
    return Description(
        name=f"random{seed}", bodies=bodies, surface=surface, constraints=constraints, pairs=pairs, self_contact=social
    )  # fmt: skip


def random_habitat(seed: int) -> Any:
    """A plane, or terrain of several kinds; empty space, air or water."""
    grounds: list[Callable[[], Any]] = [
        lambda: zp.Plane(), lambda: zp.Terrain.bumps(seed=seed, height=0.1, length=0.3, spacing=0.05),
        lambda: zp.Terrain.slope(0.2), lambda: zp.Terrain.steps(4, rise=0.03, run=0.3, start=0.1),
    ]  # fmt: skip
    chosen = (seed // 2) % 6
    ground = grounds[chosen]() if chosen < len(grounds) else zp.Plane()
    media = [
        None,
        None,
        Medium(density=1.2, viscosity=1.8e-5, wind=(3.0, 1.0, 0.0)),
        Medium(density=1000.0, viscosity=1e-3),
    ]
    return zp.Habitat(ground=ground, medium=media[3 if seed % 8 == 3 else seed % 3])


def random_controller(model: Any, seed: int) -> Any:
    """Sines, a table, or a constant, on whatever has an actuator or is driven; nothing for a quarter of them."""
    moving = [
        body.name
        for body in model.description.bodies
        if body.joint.kind in ("hinge", "slide") and (body.joint.actuator or body.joint.driven)
    ]
    if not moving or seed % 4 == 0:
        return None
    if seed % 4 == 1:
        return Sine(dict.fromkeys(moving, 0.3), frequency=1.0 + 0.1 * (seed % 10))
    if seed % 4 == 2:
        rng = np.random.default_rng([seed, 78])
        return Table({name: 0.3 * rng.normal(size=24) for name in moving}, rate=20.0)
    return Hold(dict.fromkeys(moving, 0.2))


def lifted(model: Any, height: float, seed: int) -> Any:
    """A start above where it was described, with some speed."""
    state = zp.State.neutral(model)
    q, at = state.q.copy(), 0
    for body in model.description.bodies:
        if body.joint.kind == "free":
            q[at + 6] += height
        at += body.joint.coordinate_count
    return state.at(q, 0.5 * np.random.default_rng([seed, 79]).normal(size=model.nv))


class Restless:
    """A controller that Python must ask: it minds the time, what it senses, and how often it was asked."""

    def __init__(self, period: float | None, alarms: tuple[float, ...] = ()) -> None:
        self.period, self.alarms = period, alarms

    def begin(self, model: Any) -> Any:
        """How often it was asked."""
        return np.array([0.0, 0.25])

    def command(self, senses: Any, memory: Any) -> Any:
        """Signals, a torque, and when to be asked again."""
        calls, mood = memory
        nv = senses.model.nv
        signals = np.zeros((nv, 7))
        signals[:, 0] = mood * np.cos(np.arange(nv))
        torque = 0.01 * np.sin(calls + np.arange(nv))
        alarm = {"next_call": senses.time + self.alarms[int(calls) % len(self.alarms)]} if self.alarms else {}
        return Command(signals, torque=torque, **alarm), np.array([calls + 1.0, np.cos(calls + senses.v[-1])])
