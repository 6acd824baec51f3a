"""Coupled oscillators: closed forms of both kinds, equal bits in every form, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.control import After, Controller, Coupling, Oscillator, Oscillators, Sine
from zoophyte.control import oscillators as module
from zoophyte.description import Body, Description, Joint, Servo, Sphere, Surface
from zoophyte.errors import UsageError
from zoophyte.zoo.scenes import Scene

RATE = 50.0


def pair(bias: float, weight: float, *, detune: float = 0.0, seconds: float = 4.0) -> Oscillators:
    """Two oscillators that pull at each other towards one phase difference, second minus first."""
    both = {"a": Oscillator(1.0 - detune, 0.7, phase=0.2), "b": Oscillator(1.0 + detune, 0.7, phase=2.0)}
    pulls = [Coupling("a", "b", weight, bias), Coupling("b", "a", weight, -bias)]
    return Oscillators(both, pulls, rate=RATE, seconds=seconds)


def growth(t: Any, goal: float = 0.7, gain: float = 20.0) -> tuple[Any, Any]:
    """r(t) of a critically damped amplitude from 0, and its integral over time."""
    b = 0.5 * gain
    fade = np.exp(-b * t)
    return goal * (1.0 - (1.0 + b * t) * fade), goal * (t - (2.0 / b) * (1.0 - fade) + t * fade)


def test_two_oscillators_lock_as_their_closed_form_says() -> None:
    """d = θ_b − θ_a obeys d′ = −2 w r(t) sin(d − φ), so tan((d − φ)/2) falls by exp(−2 w ∫r dt).

    Tolerance: RK4 at 10 ms, (10 · 0.01)⁵/120 per step of the fastest rate, the growth of r (10/s), over the 0.3 s that it
    lasts: 3e-6.
    """
    bias, weight = 0.7, 2.0
    found = pair(bias, weight).signals()
    t = np.arange(len(found)) / RATE
    r, area = growth(t)
    d = bias + 2.0 * np.arctan(np.tan(0.5 * (1.8 - bias)) * np.exp(-2.0 * weight * area))
    mean = 2.0 * np.pi * t + 1.1
    expected = np.stack([r * np.cos(mean - 0.5 * d), r * np.cos(mean + 0.5 * d)], axis=1)
    assert np.max(np.abs(found - expected)) < 3e-6


def test_detuned_oscillators_lock_beside_their_bias() -> None:
    """Where own frequencies differ by Δω, d settles at φ + arcsin(Δω/(2 w R)); rate of approach 2 w R cos = 5.5/s, 8 s."""
    bias, weight, detune = -0.4, 4.0, 0.05
    found = pair(bias, weight, detune=detune, seconds=8.0).signals()[-100:]
    t = np.arange(301, 401) / RATE
    basis = np.stack([np.cos(2.0 * np.pi * t), np.sin(2.0 * np.pi * t)], axis=1)
    (a_cos, b_cos), (a_sin, b_sin) = np.linalg.lstsq(basis, found, rcond=None)[0]
    apart = np.arctan2(-b_sin, b_cos) - np.arctan2(-a_sin, a_cos)
    settled = bias + np.arcsin(4.0 * np.pi * detune / (2.0 * weight * 0.7))
    assert np.angle(np.exp(1j * (apart - settled))) == pytest.approx(0.0, abs=1e-6)


def test_alone_the_linear_form_is_a_cosine() -> None:
    """x = R cos(2π ν t + φ); RK4 turns by (2π ν h)⁵/120 too little per step: 8e-9, 400 steps of 10 ms."""
    found = Oscillators(
        {"a": Oscillator(1.0, 0.6, 0.1, 0.4)}, form="linear", rate=RATE, seconds=4.0
    ).signals()
    t = np.arange(len(found)) / RATE
    assert found[:, 0] == pytest.approx(0.1 + 0.6 * np.cos(2.0 * np.pi * t + 0.4), abs=4e-6)


def test_antisymmetric_couplings_keep_the_size_of_the_linear_form() -> None:
    """Σ x² + y² is constant where w_ij = −w_ji; seen in x alone by the exact exponential of the matrix.

    Oracle: eigenvectors of the same matrix. Tolerance: RK4, ((2π + 2)·0.01)⁵/120 per step, 400 steps.
    """
    both = {"a": Oscillator(1.0, 1.0), "b": Oscillator(0.8, 0.0)}
    pulls = [Coupling("a", "b", 2.0), Coupling("b", "a", -2.0)]
    found = Oscillators(both, pulls, form="linear", rate=RATE, seconds=4.0).signals()
    one, two = 2.0 * np.pi, 1.6 * np.pi
    A = np.array([[0, one, 2, 0], [-one, 0, 0, 0], [-2, 0, 0, two], [0, 0, -two, 0]], float)
    values, vectors = np.linalg.eig(A)
    weights = np.linalg.solve(vectors, np.array([1.0, 0.0, 0.0, 0.0], complex))
    t = np.arange(len(found)) / RATE
    exact = np.real(np.exp(np.outer(t, values)) * weights @ vectors.T)[:, [0, 2]]
    assert np.max(np.abs(found - exact)) < 2e-5


def test_commands_stay_within_the_limit() -> None:
    growing = [Coupling("a", "b", 3.0), Coupling("b", "a", 3.0)]
    both = {"a": Oscillator(offset=0.2), "b": Oscillator()}
    found = Oscillators(both, growing, form="linear", limit=0.8, seconds=60.0).signals()
    assert np.max(np.abs(found - [0.2, 0.0])) == pytest.approx(0.8, abs=1e-15)


@pytest.mark.parametrize("form", ["phase", "linear"])
def test_interpreter_and_compiled_code_agree_to_the_bit(form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One source, two machines: the plain functions on lists, and what the compiler makes of them."""
    both = Oscillators(
        pair(0.7, 2.0).oscillators, pair(0.7, 2.0).couplings, form=form, rate=RATE, seconds=0.5
    )
    fast = both.signals()

    def interpreted(function: Any) -> Any:
        def run(*arrays: Any) -> None:
            lists = [array.tolist() for array in arrays]
            function(*lists)
            arrays[-1][:] = lists[-1]

        return run

    monkeypatch.setattr(module, "compiled", interpreted)
    assert np.array_equal(both.signals(), fast)


def swinger() -> Description:
    """Two servo-driven arms on a ball."""

    def arm(x: float) -> Joint:
        return Joint(
            kind="hinge", axis=(0, 1, 0), position=(x, 0, 0), actuator=Servo(stiffness=5.0, damping=0.2)
        )

    bodies = [
        Body(
            name="ball",
            joint=Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, 0.3)),
            shapes=[Sphere(radius=0.1)],
        )
    ]
    for name, x in (("a", 0.1), ("b", -0.1)):
        bodies.append(
            Body(name=name, parent="ball", joint=arm(x), shapes=[Sphere(radius=0.05, position=(0, 0, -0.2))])
        )
    return Description(name="swinger", bodies=bodies, surface=Surface())


def test_a_world_and_a_herd_live_the_same_life() -> None:
    """Equal bits after 1 s."""
    controller = pair(0.7, 2.0, seconds=1.0)
    herd = zp.Herd([zp.compile(swinger())], controllers=controller, dt=5e-3)
    (life,) = herd.simulate(1.0)
    lone = herd.world(0).simulate(1.0)
    assert life.final is not None
    assert np.array_equal(life.final.q, lone.q[-1])
    assert np.ptp(np.asarray(lone.q)[:, 7:]) > 0.2


def test_a_life_that_outlasts_its_commands_is_refused_and_they_can_be_made_to_last() -> None:
    """The last command stayed from then on: whoever lived longer than 30 s froze, and nobody said so."""
    short, model = pair(0.7, 2.0, seconds=0.5), zp.compile(swinger())
    told = r"lasts until 1 s, but its Oscillators has commands for 0\.5 s..*controller\.lasting\(1\)"
    herd = zp.Herd([model], controllers=short, dt=5e-3)
    with pytest.raises(UsageError, match=r"creature 0 \(swinger\): its life " + told):
        herd.simulate(1.0)
    with pytest.raises(UsageError, match=r"Oscillators has commands for 0\.5 s"):
        herd.begin()
    lone = zp.World(model, controller=short, dt=5e-3)
    first = lone.simulate(0.5)  # to the end of its commands, and no further
    with pytest.raises(UsageError, match=told):
        lone.simulate(0.5, first.final)
    late = After(0.4, short)
    with pytest.raises(UsageError, match=r"After has commands for 0\.9 s"):
        zp.World(model, controller=late, dt=5e-3).simulate(1.0)
    for kept, longer in (
        (short, short.lasting(1.0)),
        (late, late.lasting(1.0)),
        (After(0.4, Sine(0.1, 1.0)), None),
    ):
        assert kept.lasting(0.2) is kept if longer is not None else kept.lasting(99.0) is kept
        if longer is not None:
            whole = zp.World(model, controller=longer, dt=5e-3).simulate(1.0)
            part = zp.World(model, controller=kept, dt=5e-3).simulate(0.5)
            assert np.array_equal(whole.q[: len(part)], part.q)
            assert np.ptp(np.asarray(whole.q)[-20:, 7:], axis=0).max() > 0.01


def test_a_scene_is_lived_to_its_end_however_long() -> None:
    scene = Scene(swinger(), controller=pair(0.7, 2.0, seconds=0.5), dt=5e-3, seconds=0.6)
    assert scene.simulate().status.time == pytest.approx(0.6)
    assert scene.simulate(0.9).status.time == pytest.approx(0.9)


def test_they_are_controllers() -> None:
    assert isinstance(pair(0.0, 1.0), Controller)
    assert pair(0.0, 1.0).period == 0.02


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"form": "round"}, "form is 'round'"),
        ({"rate": 0.0}, "rate is 0.0"),
        ({"seconds": -1.0}, "seconds is -1.0"),
        ({"seconds": 1e9}, "lower seconds or rate"),
        ({"limit": 0.0}, "limit is 0.0"),
        ({"oscillators": {"a": 3}}, "must be an Oscillator"),
        ({"oscillators": {"a": Oscillator(np.inf)}}, "frequency is inf"),
        ({"couplings": [Coupling("a", "bb", 1.0)]}, "Did you mean 'b'"),
        ({"couplings": [Coupling("a", "b", np.nan)]}, "weight is nan"),
        ({"couplings": ["a"]}, "must be a Coupling"),
    ],
)
def test_bad_input_is_refused_by_name(wrong: dict[str, Any], word: str) -> None:
    given: dict[str, Any] = {"oscillators": {"a": Oscillator(), "b": Oscillator()}, **wrong}
    with pytest.raises(UsageError, match=word):
        Oscillators(**given).signals()


def test_unknown_joints_are_refused_when_life_begins() -> None:
    with pytest.raises(UsageError, match="elbow"):
        Oscillators({"elbow": Oscillator()}).begin(zp.compile(swinger()))
