"""A life that is stopped, saved, loaded and continued is the unbroken one, bit for bit."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from determinism.lives import CONTROLLERS, DT, Restless, body
from zoophyte.model.layout import INTEGRATORS

END = 0.0415
"""Between two calls of every controller, so that no part ends where another one starts."""


def assert_same_state(found: zp.State, expected: zp.State) -> None:
    """Every field, to the last bit."""
    for field in fields(zp.State):
        a, b = (np.asarray(getattr(state, field.name)) for state in (found, expected))
        assert a.shape == b.shape, field.name
        assert a.tobytes() == b.tobytes(), (field.name, a, b)


def assert_continued(unbroken: zp.Trajectory, first: zp.Trajectory, second: zp.Trajectory) -> None:
    """The two parts, put together, are the whole; the frame where they meet is in both."""
    for name in ("times", "q", "v"):
        joined = np.concatenate([getattr(first, name), getattr(second, name)[1:]])
        assert joined.tobytes() == getattr(unbroken, name).tobytes(), name
    assert_same_state(second.final, unbroken.final)


def world(controller: str, integrator: str = "semi_implicit", seed: int = 0) -> zp.World:
    return zp.World(body(seed), controller=CONTROLLERS[controller], dt=DT, integrator=integrator)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("controller", CONTROLLERS)
def test_a_resumed_life_is_the_unbroken_one(controller: str, integrator: str, tmp_path: Path) -> None:
    """Law: State is exactly what must be saved (design §6), through a file too. Oracle: the unbroken life; exact.

    The first part is asked to end between two steps, and ends with the next step of the unbroken life.
    """
    whole = world(controller, integrator)
    unbroken = whole.simulate(END)
    first = whole.simulate(0.0173)
    first.save(tmp_path / "first.npz")
    loaded = zp.Trajectory.load(tmp_path / "first.npz")
    assert_same_state(loaded.final, first.final)
    second = world(controller, integrator).simulate(unbroken.final.time - loaded.final.time, loaded.final)
    assert_continued(unbroken, first, second)


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_any_moment_will_do(controller: str) -> None:
    """Law: where a life is broken does not matter: on a call, just before or after one, between steps."""
    whole = world(controller)
    unbroken = whole.simulate(END)
    for seconds in (0.0, 1e-6, 0.0011, 0.0035, 0.0037, 0.0038, 0.004, 0.0105, 0.0111, 0.02, 0.0221, 0.0395):
        first = whole.simulate(seconds)
        assert first.final.time >= seconds - 1e-12
        second = whole.simulate(unbroken.final.time - first.final.time, first.final)
        assert_continued(unbroken, first, second)


def test_many_breaks() -> None:
    """Law: a life in forty pieces is the unbroken one. Oracle: the unbroken life; exact."""
    whole = world("not_a_multiple", "ros2")
    unbroken = whole.simulate(END)
    state = zp.State.neutral(whole.model)
    while state.time < unbroken.final.time - 1e-9:
        state = whole.simulate(DT, state).final
    assert_same_state(state, unbroken.final)


@pytest.mark.parametrize("controller", ["none", "each_evaluation", "not_a_multiple", "alarms"])
@pytest.mark.parametrize("rate", [1000.0, 300.0, 7.0])
def test_recording_does_not_change_the_motion(controller: str, rate: float) -> None:
    """Law: to watch is not to touch. Oracle: the life that keeps every step; exact."""
    everything, some = world(controller).simulate(END), world(controller).simulate(END, record_rate=rate)
    assert_same_state(some.final, everything.final)
    kept = np.isin(everything.times, some.times)
    assert kept.sum() == len(some) <= len(everything)
    for name in ("q", "v"):
        assert getattr(everything, name)[kept].tobytes() == getattr(some, name).tobytes()
    for name, values in some.channels.items():
        assert everything.channels[name][kept].tobytes() == values.tobytes(), name


def test_a_state_with_another_step_goes_on_from_its_time() -> None:
    """A world with another dt takes the state and its time, and counts its own steps."""
    first = world("once").simulate(0.01)
    second = replace(world("once"), dt=0.0025).simulate(0.01, first.final)
    assert second.times == pytest.approx([0.01, 0.0125, 0.015, 0.0175, 0.02], abs=1e-15)
    assert second.final.clock[1:] == (4, 0.0025)


def test_calls_are_exact() -> None:
    """Law: a controller is asked at k·period, to the last bit, whatever dt is; an alarm rings when it was set."""
    heard: list[float] = []

    class Listener(Restless):
        def command(self, senses: Any, memory: Any) -> Any:
            heard.append(senses.time)
            return super().command(senses, memory)

    zp.World(body(), controller=Listener(0.0037), dt=DT).simulate(END)
    assert heard == [k * 0.0037 for k in range(12)]
    heard.clear()
    zp.World(body(), controller=Listener(None, (0.0011, 0.0032)), dt=DT).simulate(0.01)
    expected = [0.0]
    for gap in (0.0011, 0.0032, 0.0011, 0.0032, 0.0011):
        expected.append(expected[-1] + gap)
    assert heard == expected


def test_a_second_controller_is_asked_when_its_alarm_is_set() -> None:
    """A state keeps the alarm of the controller that left it; set to the past, it wakes the next one at once."""
    left = world("once").simulate(0.01).final
    assert left.alarm == np.inf
    fresh = replace(left, memory=np.zeros(0), alarm=0.0)
    moved = zp.World(body(), controller=Restless(0.002), dt=DT).simulate(0.01, fresh)
    assert moved.final.memory[0] == 5.0
