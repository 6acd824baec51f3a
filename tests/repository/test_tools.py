"""Scripts in `tools` that are not run by other tests: what can be asked of them without making files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import zoophyte as zp
from repository.sources import ROOT, tool


@pytest.mark.parametrize("rate", [30.0, 50.0, 60.0])
def test_moments_of_a_picture_are_seconds_apart_whatever_the_rate(rate: float) -> None:
    """Frames nearest to 2, 2.12, 2.24 and 2.36 s, to half a frame; the last frame where the life is over."""
    script = tool("keep_evolved")
    times = np.arange(int(4.0 * rate) + 1) / rate
    frames = script.moments(times, 2.0, 0.12)
    assert np.abs(times[frames] - (2.0 + 0.12 * np.arange(script.MOMENTS))).max() <= 0.5 / rate + 1e-12
    assert script.moments(times, 3.9, 0.12)[-1] == len(times) - 1
    begin = times[script.moments(times, None, 0.12)[0]]
    assert begin == pytest.approx(script.LATE * 4.0, abs=0.5 / rate)


def test_the_comparison_of_bits_sees_one_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """One unit in the last place of one number of a life, and a life that is missing; a new one differs from nothing."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    script = tool("compare_bits")
    world = zp.World(zp.zoo.pendulum())
    life = world.simulate(0.01)
    q = life.q.copy()
    q[-1, 0] = np.nextafter(q[-1, 0], 1.0)
    first, second = script.of_trajectory(life), script.of_trajectory(replace(life, q=q))
    assert first == script.of_trajectory(world.simulate(0.01)) != second
    before = {"toys": {"one": first, "two": first}}
    assert script.differences({"toys": {"one": first, "two": first, "new": first}}, before) == []
    assert script.differences({"toys": {"one": second, "two": first}}, before) == ["toys: 1 of 2 differ: one"]
    assert script.differences({"toys": {"one": first}}, before) == ["toys: 1 of 1 differ: two"]


def test_what_is_compared_is_of_every_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random bodies in contact have every kind of joint, shape and constraint, friction, rebound, limits and actuators."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    script = tool("compare_bits")
    bodies = [script.random_body(seed) for seed in range(script.BODIES)]
    joints = [body.joint for whole in bodies for body in whole.bodies]
    assert {joint.kind for joint in joints} == {"free", "fixed", "hinge", "slide", "ball", "universal"}
    shapes = {shape.kind for whole in bodies for body in whole.bodies for shape in body.shapes}
    assert shapes == {
        "sphere",
        "capsule",
        "box",
        "cylinder",
        "ellipsoid",
        "frustum",
        "tapered_capsule",
        "polyhedron",
    }
    assert {held.kind for whole in bodies for held in whole.constraints} == {"attach", "connect", "weld"}
    assert {joint.actuator.kind for joint in joints if joint.actuator} == {"servo", "motor"}
    assert all(
        any(getattr(joint, key) for joint in joints) for key in ("limits", "stiffness", "friction", "driven")
    )
    assert any(whole.surface.restitution for whole in bodies)
    habitats = [script.random_habitat(seed) for seed in range(script.BODIES)]
    assert {type(place.ground).__name__ for place in habitats} == {"Plane", "Terrain"}
    assert {place.medium.density for place in habitats if place.medium} == {1.2, 1000.0}
