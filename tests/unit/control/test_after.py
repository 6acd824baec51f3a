"""After: a controller that begins later acts as it would have from the start."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from herds import DT, controller, joints, model
from zoophyte.control import After, Command, Hold, Senses, Sine, Table
from zoophyte.description import Body, Box, Description, Joint, Servo
from zoophyte.errors import UsageError
from zoophyte.simulation.herd import Herd


def arm() -> zp.Model:
    """A hinge with a servo, in open space: nothing depends on time but the controller."""
    joint = Joint(kind="hinge", axis=(0, 0, 1), actuator=Servo(stiffness=20.0, damping=1.0))
    return zp.compile(
        Description(name="arm", bodies=[Body(name="arm", joint=joint, shapes=[Box(size=(0.4, 0.1, 0.1))])])
    )


TABLE = Table({"arm": [0.3, -0.2, 0.6, 0.1, 0.1, -0.4]}, rate=10.0)
CONTROLLERS: dict[str, Any] = {
    "hold": Hold(0.4), "sine": Sine(0.7, frequency=1.3, phase=0.4, offset=0.1), "table": TABLE,
    "steps": Table(TABLE.samples, 10.0, "hold"),
    "spectral": zp.control.Spectral({"arm": [0.5, 1.0 - 2.0j, 0.3j]}, step=0.07),
    "neurons": zp.control.Neurons(
        {"wave": zp.control.Neuron("wave", (), (1.1, 0.3, 0.8))}, effectors={"arm": "wave"}, rate=20.0
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTROLLERS)
def test_it_acts_as_if_it_began_then(name: str) -> None:
    """A body that rests until 0.5 s then moves as it would have from the start. Tolerance: roundings of shifted times."""
    world = zp.World(arm(), dt=5e-3, integrator="implicit", habitat=zp.Habitat(gravity=(0, 0, 0)))
    plain = zp.World(world.body, world.habitat, CONTROLLERS[name], 5e-3, "implicit").simulate(0.8)
    late = zp.World(world.body, world.habitat, After(0.5, CONTROLLERS[name]), 5e-3, "implicit").simulate(1.3)
    assert not late.q[:101].any() and not late.v[:101].any()
    assert np.abs(plain.q).max() > 0.05
    np.testing.assert_allclose(late.q[100:], plain.q, atol=1e-9)
    np.testing.assert_allclose(late.times[100:] - 0.5, plain.times, atol=1e-12)


def test_from_the_start_it_is_the_controller_itself() -> None:
    for name, own in CONTROLLERS.items():
        lives = [zp.World(arm(), controller=c, dt=5e-3).simulate(0.4) for c in (own, After(0.0, own))]
        assert (lives[0].q == lives[1].q).all(), name


def test_it_may_begin_between_steps_in_a_world() -> None:
    """The clock ends a step exactly there."""
    life = zp.World(arm(), controller=After(0.0123, Hold(0.4)), dt=5e-3).simulate(0.05)
    assert 0.0123 in life.times.tolist() or life.final.clock[0] == 0.0123
    assert life.final.v[0] > 0.0


def test_alarms_are_told_in_its_own_time() -> None:
    """A controller that sets its own alarm gets it that long after its own beginning."""
    calls: list[float] = []

    class Bell:
        period = None

        def begin(self, model: zp.Model) -> Any:
            return np.zeros(0)

        def command(self, senses: Senses, memory: Any) -> tuple[Command, Any]:
            calls.append(senses.time)
            command = Command.hold(np.zeros(senses.model.nv))
            return Command(command.signals, next_call=senses.time + 0.1), memory

    zp.World(arm(), controller=After(0.25, Bell()), dt=5e-3).simulate(0.5)
    assert calls == pytest.approx([0.0, 0.1, 0.2], abs=1e-12)


def test_nonsense_is_refused() -> None:
    for seconds in (-1.0, math.nan, math.inf, "soon"):
        with pytest.raises(UsageError, match="seconds"):
            After(seconds, Hold(0.0))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="sum of their seconds"):
        After(1.0, After(1.0, Hold(0.0)))
    with pytest.raises(UsageError, match="must be a controller"):
        After(1.0, "dance")  # type: ignore[arg-type]


def test_herds_refuse_what_they_cannot_do() -> None:
    """A beginning between steps, a body that has lived before, and a controller without a plan."""
    body = model(1)
    with pytest.raises(UsageError, match=r"begins after 0\.012 s"):
        Herd([body], controllers=After(0.012, Hold(0.0)), dt=DT)
    late = Herd([body], controllers=After(0.1, controller(body, 1)), dt=DT, workers=1)
    state = zp.World(body, dt=DT).simulate(0.05).final
    with pytest.raises(UsageError, match=r"begins at 0\.05 s"):
        late.simulate(0.1, [state])

    class Mine:
        period = None

        def begin(self, model: zp.Model) -> Any:
            return np.zeros(0)

        def command(self, senses: Senses, memory: Any) -> tuple[Command, Any]:
            return Command.hold(np.zeros(senses.model.nv)), memory

    assert joints(body)
    with pytest.raises(UsageError, match="life_plan"):
        Herd([body], controllers=After(0.1, Mine()), dt=DT)
