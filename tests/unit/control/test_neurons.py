"""Neurons against plain formulas, spectra against the discrete Fourier transform, noise against whole-number arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from herds import joints, model
from zoophyte.control import Command, Neuron, Neurons, Senses, Sensor, Spectral
from zoophyte.description import Body, Description, Joint, Sphere, Surface
from zoophyte.errors import UsageError
from zoophyte.physics.lives.chance import MODULI, MULTIPLIERS, draw, normal

RATE = 25.0
BODY = model(0)
DOF = joints(BODY)[0]


def felt(time: float = 0.0, **changes: Any) -> Senses:
    state = zp.State.neutral(BODY)
    fields: dict[str, Any] = {"q": state.q, "v": state.v, "ground": zp.Plane(), **changes}
    return Senses(BODY, time, **fields)


def outputs(neurons: dict[str, Neuron], driver: str, calls: int, **options: Any) -> list[float]:
    """What the effector of a graph says at its first calls."""
    graph = Neurons(neurons, effectors={DOF: driver}, rate=RATE, **options)
    memory, said = graph.begin(BODY), []
    for call in range(calls):
        command, memory = graph.command(felt(call / RATE), memory)
        said.append(float(command.signals[BODY.dof_index(DOF), 0]))
    return said


def clamped(x: float) -> float:
    return max(-10.0, min(10.0, x))


FORMULAS: dict[str, Callable[[float, float, float], float]] = {
    "add": lambda a, b, c: a + b + c, "subtract": lambda a, b, c: a - b, "multiply": lambda a, b, c: a * b,
    "divide": lambda a, b, c: 0.0 if abs(b) < 1e-6 else a / b, "less": lambda a, b, c: float(a < b),
    "greater": lambda a, b, c: float(a > b), "minimum": min, "maximum": max, "absolute": lambda a, b, c: abs(a),
    "invert": lambda a, b, c: -a, "sine": lambda a, b, c: math.sin(a), "cosine": lambda a, b, c: math.cos(a),
    "sigmoid": lambda a, b, c: math.tanh(a), "logarithm": lambda a, b, c: math.log(abs(a) + 1e-6),
    "exponential": lambda a, b, c: math.exp(max(-10.0, min(10.0, a))), "constant": lambda a, b, c: a,
}  # fmt: skip
INPUTS = {
    "add": 3,
    "subtract": 2,
    "multiply": 2,
    "divide": 2,
    "less": 2,
    "greater": 2,
    "minimum": 3,
    "maximum": 3,
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("inputs", [(0.3, -1.7, 2.5), (-4.0, 0.0, 0.1), (60.0, 1e-7, -3.0), (0.0, 0.0, 0.0)])
def test_functions(name: str, inputs: tuple[float, float, float]) -> None:
    """FON-59's table, computed with Python's own functions; they differ from ours by roundings (1e-15 relative)."""
    count = INPUTS.get(name, 1)
    (said,) = outputs({"n": Neuron(name, weights=inputs[:count])}, "n", 1)
    assert said == pytest.approx(clamped(FORMULAS[name](*inputs)), rel=1e-14, abs=1e-300)


def test_two_inputs_of_three() -> None:
    """The smallest of two negative or positive numbers is not the missing third."""
    assert outputs({"n": Neuron("minimum", weights=(3.0, 2.0))}, "n", 1) == [2.0]
    assert outputs({"n": Neuron("maximum", weights=(-3.0, -2.0))}, "n", 1) == [-2.0]


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("wave", lambda turns: math.sin(2.0 * math.pi * turns)),
        ("saw", lambda turns: 2.0 * (turns % 1.0) - 1.0),
        ("square", lambda turns: 1.0 if turns % 1.0 < 0.5 else -1.0),
    ],
)
def test_oscillators(name: str, formula: Callable[[float], float]) -> None:
    """Frequency 1.3 Hz, phase 0.4 rad, amplitude 2.5, over a second of calls."""
    said = outputs({"n": Neuron(name, weights=(1.3, 0.4, 2.5))}, "n", 25)
    expected = [2.5 * formula(1.3 * call / RATE + 0.4 / (2.0 * math.pi)) for call in range(25)]
    assert said == pytest.approx(expected, abs=1e-12)


def test_memory_of_neurons() -> None:
    """A saw delayed, integrated with a leak and differentiated: each reads what its source said one call before."""
    source = {"saw": Neuron("saw", weights=(1.0, 0.0, 1.0))}
    saw = [2.0 * (call / RATE % 1.0) - 1.0 for call in range(20)]
    seen = [0.0, *saw[:-1]]
    late = outputs({**source, "n": Neuron("delay", ("saw",), (2.0,), 3.0)}, "n", 20)
    assert late == pytest.approx([2.0 * x for x in [0.0, 0.0, 0.0, *seen[:-3]]], abs=1e-12)
    total, sums = 0.0, []
    for x in seen:
        total = total * (1.0 - 0.5 / RATE) + x / RATE
        sums.append(total)
    assert outputs({**source, "n": Neuron("integrate", ("saw",), (1.0,), 0.5)}, "n", 20) == pytest.approx(
        sums, abs=1e-12
    )
    rates = [0.0, *(clamped((b - a) * RATE) for a, b in pairwise(seen))]
    assert outputs({**source, "n": Neuron("differentiate", ("saw",))}, "n", 20) == pytest.approx(
        rates, abs=1e-9
    )


def test_what_is_no_number_becomes_nothing() -> None:
    """exp(10)·exp(10)·… soon leaves the range of numbers in a loop; outputs stay within ±10."""
    loop = {"a": Neuron("multiply", ("b", "b"), (1e200, 1e200)), "b": Neuron("add", ("a", None), (1.0, 3.0))}
    assert all(abs(x) <= 10.0 for x in outputs(loop, "a", 30))


def sensed(sensor: Sensor, **changes: Any) -> float:
    graph = Neurons({}, {"s": sensor}, {DOF: "s"}, rate=RATE)
    command, _ = graph.command(felt(**changes), graph.begin(BODY))
    return float(command.signals[BODY.dof_index(DOF), 0])


def test_sensors() -> None:
    """A trunk that is turned by 0.3 rad about x at a height of 0.7 m, turning and moving."""
    state = zp.State.neutral(BODY)
    q, v = state.q.copy(), np.arange(1.0, 1.0 + BODY.nv)
    q[:7] = (math.cos(0.15), math.sin(0.15), 0.0, 0.0, 0.2, 0.1, 0.7)
    trunk = BODY.body_names[1]
    assert sensed(Sensor("up", trunk, 1), q=q) == pytest.approx(math.sin(0.3))
    assert sensed(Sensor("up", trunk, 2), q=q) == pytest.approx(math.cos(0.3))
    assert sensed(Sensor("spin", trunk, 1), q=q, v=v) == 2.0
    assert sensed(Sensor("speed", trunk, 2), q=q, v=v) == 6.0
    assert sensed(Sensor("range", trunk), q=q) == pytest.approx(0.7)
    assert sensed(Sensor("velocity", DOF), v=v) == v[BODY.dof_index(DOF)]
    # At rest an accelerometer feels what holds it against gravity.
    assert sensed(Sensor("acceleration", trunk, 2), q=q) == pytest.approx(9.81 * math.cos(0.3))
    touch = np.zeros((BODY.body_count, 3))
    assert sensed(Sensor("touch", trunk), touch=touch) == 0.0
    touch[1] = (0.0, 0.0, 1e-3)
    assert sensed(Sensor("touch", trunk), touch=touch) == 1.0


def test_toward() -> None:
    """Law: Rᵀ·(p − p_root), the place of a body of another tree, and of one welded on, as the root sees it."""
    ball = Body(name="ball", joint=Joint(kind="free"), shapes=[Sphere(radius=0.1)])
    tip = Joint(kind="fixed", position=(0.3, 0.1, -0.2))
    bodies = [*BODY.description.bodies, ball, Body(name="tip", parent=BODY.body_names[-1], joint=tip)]
    scene = zp.compile(Description(name="scene", bodies=bodies, surface=Surface()))
    q = zp.State.neutral(scene).q.copy()
    turn = np.array([0.8, 0.1, -0.5, 0.3])
    q[:7] = (*(turn / np.linalg.norm(turn)), 0.2, 0.1, 0.7)
    q[-7:] = (1.0, 0.0, 0.0, 0.0, 2.0, -1.0, 0.4)
    R, p = zp.body_poses(scene, zp.State.neutral(scene).at(q=q))
    for name in ("ball", "tip", BODY.body_names[1], "ground"):
        seen = R[1].T @ (p[scene.body_index(name)] - p[1])
        for axis in range(3):
            graph = Neurons({}, {"s": Sensor("toward", name, axis)}, {DOF: "s"}, rate=RATE)
            senses = Senses(scene, 0.0, q, np.zeros(scene.nv))
            command, _ = graph.command(senses, graph.begin(scene))
            assert command.signals[scene.dof_index(DOF), 0] == pytest.approx(seen[axis], abs=1e-14)
    rock = zp.compile(Description(name="rock", bodies=[Body(name="rock", shapes=[Sphere(radius=1.0)])]))
    with pytest.raises(UsageError, match="no link that moves"):
        Neurons({}, {"s": Sensor("toward", "rock")}).life_plan(rock)


def test_delayed_sensors_say_what_was() -> None:
    graph = Neurons({}, {"s": Sensor("range", BODY.body_names[1], delay=2.0 / RATE)}, {DOF: "s"}, rate=RATE)
    memory, said = graph.begin(BODY), []
    for call in range(6):
        q = zp.State.neutral(BODY).q.copy()
        q[6] = 1.0 + call
        command, memory = graph.command(felt(q=q), memory)
        said.append(float(command.signals[BODY.dof_index(DOF), 0]))
    assert said == [1.0, 1.0, 1.0, 2.0, 3.0, 4.0]


def test_noise_is_made_of_whole_numbers() -> None:
    """Law: Wichmann and Hill's generator, here in Python's integers: the states agree exactly, in float32 too."""
    for kind in (float, np.float32):
        state: Any = tuple(kind(x) for x in (1.0, 12345.0, 30000.0))
        exact = [1, 12345, 30000]
        for _ in range(2000):
            uniform, state = draw(state)
            exact = [int(m) * x % int(n) for m, n, x in zip(MULTIPLIERS, MODULI, exact, strict=True)]
            assert [int(x) for x in state] == exact
            assert 0.0 < uniform <= 1.0


def test_noise_is_normal() -> None:
    """20 000 draws: mean 0 and variance 1 within 4 standard errors (1/√n and √(2/n))."""
    state: Any = (7.0, 77.0, 777.0)
    drawn = []
    for _ in range(20000):
        x, state = normal(state)
        drawn.append(x)
    assert abs(np.mean(drawn)) < 4.0 / math.sqrt(20000)
    assert abs(np.var(drawn) - 1.0) < 4.0 * math.sqrt(2.0 / 20000)


@pytest.mark.parametrize("delay", [0.0, 0.5, 0.3])
def test_spectra(delay: float) -> None:
    """ARN-48 by its definition: h_k = (1/N) Σ H_n e^(−2πi kn/N) over the whole Hermitian spectrum; ARN-49's delay."""
    rng = np.random.default_rng(1)
    half = rng.normal(size=8) + 1j * rng.normal(size=8)
    controller = Spectral({DOF: half}, step=0.05, delays={DOF: delay})
    N = 16
    whole = np.zeros(N, complex)
    whole[0] = half[0].real
    whole[1:8], whole[9:] = half[1:], np.conj(half[1:])[::-1]
    times = np.arange(N) / N - delay
    expected = [np.sum(whole * np.exp(-2j * np.pi * t * np.concatenate([np.arange(8), np.arange(-8, 0)]))).real / N
                for t in times]  # fmt: skip
    table = controller.samples(BODY)
    assert table[:, BODY.dof_index(DOF)] == pytest.approx(expected, abs=1e-14)
    assert not np.delete(table, BODY.dof_index(DOF), axis=1).any()


def test_spectra_repeat_and_run_in_lines() -> None:
    controller = Spectral({DOF: [1.0, 2.0 - 1.0j]}, step=0.1)
    table = controller.samples(BODY)[:, BODY.dof_index(DOF)]
    for time in (0.0, 0.05, 0.1, 0.37, 0.4, 1.23):
        command, _ = controller.command(felt(time), np.zeros(0))
        k, part = divmod(time / 0.1 + 1e-12, 1.0)
        expected = table[int(k) % 4] * (1.0 - part) + table[(int(k) + 1) % 4] * part
        assert value(command, time) == pytest.approx(expected, abs=1e-9)


def value(command: Command, time: float) -> float:
    held, rate, _, start = command.signals[BODY.dof_index(DOF), :4]
    return float(held + rate * (time - start))


def test_one_harmonic_is_a_sine() -> None:
    """Ventrella's sinusoid as a special case: H_1 = −i·N/2·a gives −a·sin(2πk/N)."""
    spectrum = [0.0, -8.0j * 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    table = Spectral({DOF: spectrum}, step=0.1).samples(BODY)[:, BODY.dof_index(DOF)]
    assert table == pytest.approx(-0.5 * np.sin(2.0 * np.pi * np.arange(16) / 16), abs=1e-15)


@pytest.mark.parametrize(
    ("graph", "told"),
    [
        (Neurons({"n": Neuron("ad")}), "Did you mean 'add'"),
        (Neurons({"n": Neuron("sine", ("m",))}), "no neuron or sensor 'm'"),
        (Neurons({"n": Neuron("sine", weights=(1.0, 2.0))}), "takes 1 inputs at most"),
        (Neurons({}, {"s": Sensor("smell", "body0")}), "kind 'smell' is unknown"),
        (Neurons({}, {"s": Sensor("range", "body0", delay=9.0)}), "delay"),
        (Neurons({"n": Neuron("delay", parameter=99)}), "whole number of calls"),
        (Neurons({}, rate=0.0), "rate is 0.0"),
        (Neurons({"s": Neuron("add")}, {"s": Sensor("range", "body0")}), "names must differ"),
        (Spectral({DOF: []}, step=0.1), "finite complex numbers"),
        (Spectral({DOF: [1.0]}, step=0.0), "step is 0.0"),
    ],
)
def test_refusals(graph: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        graph.begin(BODY)
