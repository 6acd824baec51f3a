"""Graphs of neurons with sensors and effectors (Fontijne 2000, after Sims 1994)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from zoophyte.control.brain import Brain
from zoophyte.control.controller import Command, Held, Senses
from zoophyte.errors import UsageError, hinting, is_number, nearest
from zoophyte.model import Model
from zoophyte.model.herd import life_layout as at
from zoophyte.model.herd.plans import JOINT, NOTHING, OUTPUT, SPEED, LifePlan, NodePlan
from zoophyte.model.layout import Q_COUNT
from zoophyte.model.model import Floats
from zoophyte.physics.lives.chance import MODULI

FUNCTIONS = {
    "add": (at.NEURON_ADD, 3), "subtract": (at.NEURON_SUBTRACT, 2), "multiply": (at.NEURON_MULTIPLY, 2),
    "divide": (at.NEURON_DIVIDE, 2), "less": (at.NEURON_LESS, 2), "greater": (at.NEURON_GREATER, 2),
    "minimum": (at.NEURON_MINIMUM, 3), "maximum": (at.NEURON_MAXIMUM, 3), "absolute": (at.NEURON_ABSOLUTE, 1),
    "invert": (at.NEURON_INVERT, 1), "sine": (at.NEURON_SINE, 1), "cosine": (at.NEURON_COSINE, 1),
    "sigmoid": (at.NEURON_SIGMOID, 1), "logarithm": (at.NEURON_LOGARITHM, 1),
    "exponential": (at.NEURON_EXPONENTIAL, 1), "wave": (at.NEURON_WAVE, 3), "saw": (at.NEURON_SAW, 3),
    "square": (at.NEURON_SQUARE, 3), "delay": (at.NEURON_DELAY, 1), "integrate": (at.NEURON_INTEGRATE, 1),
    "differentiate": (at.NEURON_DIFFERENTIATE, 1), "constant": (at.NEURON_CONSTANT, 1),
}  # fmt: skip
"""Functions by name: kind and the number of inputs at most.

wave, saw and square take frequency [Hz], phase [rad] and amplitude; delay's parameter is a number of calls, integrate's a
leak [1/s]; outputs stay within ±10.
"""
SENSES = {
    "angle": at.SENSE_FIELD, "velocity": at.SENSE_FIELD, "touch": at.SENSE_TOUCH, "up": at.SENSE_POSE,
    "spin": at.SENSE_POSE, "speed": at.SENSE_POSE, "acceleration": at.SENSE_ACCELERATION, "range": at.SENSE_RANGE,
    "toward": at.SENSE_TOWARD,
}  # fmt: skip
"""What a sensor may feel: of a joint its angle or velocity; of a body touch (0 or 1), a component of the direction that is
up, of turning [rad/s], of its speed [m/s], of what an accelerometer feels [m/s²], all in the axes of its link; the height of
its link's origin over the ground [m]; and where a body is, of whatever tree: its place from the first root link's origin, in
that link's axes [m] (`toward`)."""


@hinting
@dataclass(frozen=True)
class Neuron:
    """One neuron: a function of up to three weighted inputs.

    Args:
        function: one of `FUNCTIONS`.
        inputs: names of neurons or sensors; None, or one left out, counts as 1, so that its weight is its value.
        weights: of the inputs; 1 where left out for a named input, 0 for others.
        parameter: of delay (calls) and integrate (leak).
    """

    function: str
    inputs: tuple[str | None, ...] = ()
    weights: tuple[float, ...] = ()
    parameter: float = 0.0


@hinting
@dataclass(frozen=True)
class Sensor:
    """One number that a body feels.

    Args:
        kind: one of `SENSES`.
        of: the degree of freedom, or the body; for `toward` the body that is looked for.
        axis: 0, 1 or 2, for components.
        noise: standard deviation of what is added.
        delay: time that the number is late [s].
    """

    kind: str
    of: str | int
    axis: int = 0
    noise: float = 0.0
    delay: float = 0.0


@hinting
@dataclass(frozen=True)
class Neurons:
    """A graph of neurons, asked at its own rate.

    Args:
        neurons: by name.
        sensors: by name.
        effectors: mapping of degrees of freedom to the name that drives them, or to (name, weight).
        rate: calls per second [Hz].
        seed: of the noise of sensors.
    """

    neurons: dict[str, Neuron]
    sensors: dict[str, Sensor] = field(default_factory=dict)
    effectors: dict[str | int, Any] = field(default_factory=dict)
    rate: float = 25.0
    seed: int = 0

    @property
    def period(self) -> float | None:
        """From call to call [s] (a rate that is none is refused at the beginning)."""
        return 1.0 / self.rate if is_number(self.rate) and self.rate > 0.0 else None

    def begin(self, model: Model) -> Floats:
        """Nothing felt, nothing thought."""
        return Brain(model, self.life_plan(model), None).begin()

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        """One thought."""
        brain = _brain(Held(self, senses.model, senses.ground))
        values, memory = brain.think(senses, memory)
        return Command.hold(values), memory

    def life_plan(self, model: Model) -> LifePlan:
        """The same for a herd.

        Raises:
            UsageError: says what does not fit.
        """
        if not (is_number(self.rate) and math.isfinite(self.rate) and self.rate > 0.0):
            raise UsageError(f"rate is {self.rate!r}, must be a positive number of calls per second [Hz].")
        twice = sorted(set(self.neurons) & set(self.sensors))
        if twice:
            raise UsageError(f"{twice[0]!r} is the name of a neuron and of a sensor; names must differ.")
        numbers = {name: n for n, name in enumerate([*self.sensors, *self.neurons])}
        nodes = [self._sensor(model, n, name) for n, name in enumerate(self.sensors)]
        nodes += [self._neuron(name, numbers) for name in self.neurons]
        nodes += [self._effector(model, dof, driver, numbers) for dof, driver in self.effectors.items()]
        return LifePlan(period=1.0 / self.rate, nodes=tuple(nodes))

    def _sensor(self, model: Model, number: int, name: str) -> NodePlan:
        sensor = self.sensors[name]
        if sensor.kind not in SENSES:
            known = ", ".join(SENSES)
            raise UsageError(
                f"sensor {name!r}: kind {sensor.kind!r} is unknown. Known: {known}. {nearest(sensor.kind, SENSES)}".rstrip()
            )
        late = round(sensor.delay * self.rate)
        if not 0 <= late < at.RING_SIZE or not (math.isfinite(sensor.noise) and sensor.noise >= 0.0):
            raise UsageError(
                f"sensor {name!r}: noise is {sensor.noise!r} and delay {sensor.delay!r}; noise must be 0 or more, delay "
                f"from 0 to {(at.RING_SIZE - 1) / self.rate:g} s."
            )
        if sensor.axis not in (0, 1, 2):
            raise UsageError(f"sensor {name!r}: axis is {sensor.axis!r}, must be 0, 1 or 2.")
        chance = _chance(self.seed, number)
        common: dict[str, Any] = {"noise": float(sensor.noise), "delay": late, "chance": chance}
        kind = SENSES[sensor.kind]
        if kind == at.SENSE_FIELD:
            dof = model.dof_index(sensor.of)
            link = int(model.dofs.link[dof])
            if sensor.kind == "angle" and Q_COUNT[model.links.kind[link]] != 1:
                raise UsageError(
                    f"sensor {name!r}: {sensor.of!r} has no angle of its own; feel 'up' of its body."
                )
            return NodePlan(kind, ((JOINT if sensor.kind == "angle" else SPEED, dof),), **common)
        body = model.body_index(sensor.of)
        if kind == at.SENSE_TOWARD and len(model.links.kind) < 2:
            raise UsageError(
                f"sensor {name!r}: {model.name} has no link that moves, so nothing looks out of it."
            )
        return NodePlan(kind, body=body, axis=sensor.axis, quantity=sensor.kind, **common)

    def _neuron(self, name: str, numbers: dict[str, int]) -> NodePlan:
        neuron = self.neurons[name]
        if neuron.function not in FUNCTIONS:
            known, how = ", ".join(FUNCTIONS), nearest(neuron.function, FUNCTIONS)
            raise UsageError(
                f"neuron {name!r}: function {neuron.function!r} is unknown. Known: {known}. {how}".rstrip()
            )
        kind, most = FUNCTIONS[neuron.function]
        used = max(len(neuron.inputs), len(neuron.weights))
        if used > most:
            raise UsageError(
                f"neuron {name!r}: {neuron.function} takes {most} inputs at most, this has {used}."
            )
        inputs, weights = [], []
        for k in range(used):
            source = neuron.inputs[k] if k < len(neuron.inputs) else None
            inputs.append(_input(f"neuron {name!r}", source, numbers))
            given = neuron.weights[k] if k < len(neuron.weights) else (0.0 if source is None else 1.0)
            if not math.isfinite(given):
                raise UsageError(f"neuron {name!r}: weight {given!r} is not finite.")
            weights.append(float(given))
        parameter = neuron.parameter
        if kind == at.NEURON_DELAY and not (0 <= parameter < at.RING_SIZE and parameter == int(parameter)):
            raise UsageError(
                f"neuron {name!r}: parameter is {parameter!r}; a delay takes a whole number of calls from 0 to "
                f"{at.RING_SIZE - 1}."
            )
        if kind in (at.NEURON_MINIMUM, at.NEURON_MAXIMUM):
            parameter = used
        return NodePlan(kind, tuple(inputs), tuple(weights), (float(parameter), 0.0))

    def _effector(self, model: Model, dof: str | int, driver: Any, numbers: dict[str, int]) -> NodePlan:
        name, weight = driver if isinstance(driver, tuple) else (driver, 1.0)
        source = _input(f"effector {dof!r}", name, numbers)
        return NodePlan(at.EFFECTOR, (source,), (float(weight),), dof=model.dof_index(dof))


@lru_cache(maxsize=1024)
def _chance(seed: int, number: int) -> tuple[float, ...]:
    """Where the noise of a sensor begins; populations of creatures ask for the same few over and over."""
    words = np.random.SeedSequence([seed, number]).generate_state(3)
    return tuple(1.0 + float(int(w) % int(m - 1)) for w, m in zip(words, MODULI, strict=True))


def _input(owner: str, source: Any, numbers: dict[str, int]) -> tuple[int, int]:
    if source is None:
        return NOTHING, 0
    if source not in numbers:
        raise UsageError(
            f"{owner}: there is no neuron or sensor {source!r}. {nearest(str(source), numbers)}".rstrip()
        )
    return OUTPUT, numbers[source]


@lru_cache(maxsize=16)
def _brain(held: Held) -> Brain:
    neurons, model, ground = held.parts
    return Brain(model, neurons.life_plan(model), ground)
