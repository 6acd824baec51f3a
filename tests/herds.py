"""Creatures for the tests of herds: unlike in bodies, joints, shapes, surfaces and controllers, all able to touch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.control import Neuron, Neurons, Sensor, Sine, Spectral, Table
from zoophyte.control.neurons import FUNCTIONS
from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Description,
    Ellipsoid,
    Joint,
    Motor,
    Servo,
    Sphere,
    Surface,
)
from zoophyte.model.contact_plan import ContactPlan

DT = 5e-3


@contextmanager
def rows_of_whole_trees() -> Iterator[None]:
    """Blocks that are made meanwhile have the rows of lanes, which hold whole trees, though they hold one creature."""
    with pytest.MonkeyPatch.context() as patch:
        always = property(lambda plan: True, lambda plan, whole: None)
        patch.setattr(ContactPlan, "whole", always, raising=False)
        yield


class Odd:
    """A controller of somebody's own, that only Python can ask."""

    period = None

    def begin(self, model: zp.Model) -> Any:
        return np.zeros(0)

    def command(self, senses: Any, memory: Any) -> Any:
        raise NotImplementedError


def _shape(rng: np.random.Generator, meets_others: bool) -> Any:
    chosen = rng.integers(3 if meets_others else 4)
    if chosen == 0:
        return Box(size=tuple(rng.uniform(0.08, 0.2, 3)))
    if chosen == 1:
        return Capsule(radius=rng.uniform(0.03, 0.06), length=rng.uniform(0.1, 0.25))
    if chosen == 2:
        return Sphere(radius=rng.uniform(0.05, 0.1))
    return Ellipsoid(semi_axes=tuple(rng.uniform(0.04, 0.1, 3)))


def _joint(rng: np.random.Generator, reach: float) -> Joint:
    kind = ("hinge", "hinge", "slide", "ball", "universal")[rng.integers(5)]
    away = rng.normal(size=3)
    fields: dict[str, Any] = {"kind": kind, "position": tuple(reach * away / np.linalg.norm(away))}
    if kind == "universal":
        fields["axes"] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    elif kind != "ball":
        fields["axis"] = tuple(np.eye(3)[rng.integers(3)])
        fields["limits"] = (-0.7, 0.5) if kind == "hinge" else (-0.05, 0.05)
        if rng.random() < 0.3:
            fields |= {"limit_stiffness": 40.0, "limit_damping": 0.4}
        if rng.random() < 0.3:
            fields["friction"] = 0.05
    else:
        fields |= {"stiffness": 2.0, "damping": 0.05}
    chosen = rng.integers(3)
    if chosen == 0:
        fields["actuator"] = Motor(strength=rng.uniform(0.3, 1.5), max_speed=20.0)
    else:
        weak = {"max_force": 1.0} if chosen == 2 and kind in ("hinge", "slide") else {}
        fields["actuator"] = Servo(stiffness=rng.uniform(2.0, 20.0), damping=0.2, **weak)
    return Joint(**fields)


def description(seed: int) -> Description:
    """One to seven bodies on a free trunk, with surfaces that slide, stick, bounce or roll.

    Some touch themselves too, and some of these are several trees that fall on each other.
    """
    rng = np.random.default_rng([seed, 5])
    bodies: list[Body] = []
    social, forest = seed % 3 == 2, seed % 6 == 5
    for number in range(int(rng.integers(2 if social else 1, 7))):
        if number == 0 or (forest and rng.random() < 0.5):
            place = (*rng.uniform(-0.05, 0.05, 2), 0.3 + 0.4 * number)
            joint, parent = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, *place)), "ground"
        else:
            joint, parent = _joint(rng, 0.45 if social else 0.15), f"body{rng.integers(number)}"
        bodies.append(Body(name=f"body{number}", parent=parent, joint=joint, shapes=[_shape(rng, social)]))
    surface = Surface(
        friction=rng.uniform(0.2, 1.2), restitution=0.5 if rng.random() < 0.3 else 0.0,
        rolling=0.002 if rng.random() < 0.2 else 0.0, friction_across=0.3 if rng.random() < 0.2 else None,
    )  # fmt: skip
    return Description(name=f"creature{seed}", bodies=bodies, surface=surface, self_contact=social)


def model(seed: int) -> zp.Model:
    return zp.compile(description(seed))


def joints(model: zp.Model) -> list[str]:
    """Degrees of freedom with an actuator."""
    dofs = model.dofs
    return [
        name
        for name, servo, motor in zip(dofs.names, dofs.servo_stiffness, dofs.motor_strength, strict=True)
        if servo > 0.0 or motor > 0.0
    ]


def graph(model: zp.Model, seed: int) -> Neurons:
    """A random graph with every kind of sensor, noise and delays."""
    rng = np.random.default_rng([seed, 6])
    trunk, last = model.body_names[1], model.body_names[-1]
    moving = joints(model)
    sensors = {
        "touch": Sensor("touch", last), "up": Sensor("up", trunk, axis=int(rng.integers(3))),
        "spin": Sensor("spin", last, axis=1, noise=0.1), "speed": Sensor("speed", trunk, axis=0, delay=0.08),
        "acceleration": Sensor("acceleration", trunk, axis=2, noise=0.02, delay=0.04), "range": Sensor("range", last),
    }  # fmt: skip
    if moving:
        sensors["velocity"] = Sensor("velocity", moving[0], noise=0.01, delay=0.12)
    names = [f"neuron{n}" for n in range(12)]
    sources, neurons = [*sensors, *names], {}
    for name in names:
        function = list(FUNCTIONS)[rng.integers(len(FUNCTIONS))]
        count = FUNCTIONS[function][1]
        neurons[name] = Neuron(
            function, tuple(sources[rng.integers(len(sources))] for _ in range(count)),
            tuple(float(w) for w in rng.normal(size=count)), 3.0 if function == "delay" else 0.5,
        )  # fmt: skip
    effectors: dict[str | int, Any] = {
        dof: (names[rng.integers(len(names))], float(rng.normal())) for dof in moving
    }
    return Neurons(neurons, sensors, effectors, seed=seed)


def controller(model: zp.Model, seed: int) -> Any:
    """A graph, a spectrum, a table or sines."""
    rng = np.random.default_rng([seed, 7])
    moving = joints(model)
    if not moving:
        return None
    if seed % 4 == 0:
        return graph(model, seed)
    if seed % 4 == 1:
        spectra: dict[str | int, Any] = {
            dof: (3.0 * rng.normal(size=8) + 3.0j * rng.normal(size=8)).tolist() for dof in moving
        }
        return Spectral(spectra, step=rng.uniform(0.02, 0.1), delays={moving[0]: 0.5})
    if seed % 4 == 2:
        samples = {dof: rng.normal(size=12) for dof in moving}
        return Table(samples, rate=10.0, interpolation="hold" if seed % 8 == 2 else "linear")
    return Sine(dict.fromkeys(moving, 0.8), frequency=rng.uniform(0.5, 3.0), phase=rng.uniform(0.0, 6.0))


def bits(state: zp.State | None) -> bytes:
    """All of a state that a life depends on; nothing for one that was never born."""
    if state is None:
        return b""
    numbers = (state.q, state.v, np.array(state.clock), state.command, state.applied, state.memory,
               np.array([state.alarm, state.signature]), state.contact)  # fmt: skip
    return b"".join(np.ascontiguousarray(part, float).tobytes() for part in numbers)
