"""Together: two bodies in one scene move as each would alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.control import After, Command, Hold, Neuron, Neurons, Sensor, Sine, Table, Together
from zoophyte.description import Body, Box, Description, Joint, Servo
from zoophyte.errors import UsageError
from zoophyte.simulation.herd import Herd

DT = 5e-3
SPACE = zp.Habitat(gravity=(0, 0, 0))


def arm() -> Description:
    """Two hinges with servos."""
    joint = Joint(kind="hinge", axis=(0, 0, 1), actuator=Servo(stiffness=20.0, damping=1.0))
    bodies = [
        Body(name="arm", joint=joint, shapes=[Box(size=(0.4, 0.1, 0.1))]),
        Body(name="hand", parent="arm", joint=joint, shapes=[Box(size=(0.2, 0.1, 0.1))]),
    ]
    return Description(name="arm", bodies=bodies)


def scene() -> zp.Model:
    return zp.compile(arm().add(arm(), at=(2.0, 0.0, 0.0), prefix="b_"))


def live(controller: Any, body: Any, seconds: float = 0.6, **more: Any) -> Any:
    return zp.World(body, habitat=SPACE, controller=controller, dt=DT).simulate(seconds, **more)


class Counter:
    """Counts its calls and holds a hundredth of them."""

    period = 0.03

    def begin(self, model: zp.Model) -> Any:
        return np.zeros(1)

    def command(self, senses: Any, memory: Any) -> Any:
        return Command.hold([0.01 * (memory[0] + 1), senses.q[0]]), memory + 1.0


class Spring:
    """Torques from what is felt, at every evaluation."""

    period = 0.0

    def begin(self, model: zp.Model) -> Any:
        return np.zeros(0)

    def command(self, senses: Any, memory: Any) -> Any:
        return Command.torques([3.0 * (0.4 - senses.position("arm")), -0.2 * senses.velocity("hand")]), memory


TABLE = Table({"arm": [0.3, -0.2, 0.6], "hand": [0.0, 0.5, -0.1]}, rate=10.0, repeats=True)
PAIRS: dict[str, tuple[Any, Any]] = {
    "table and sine": (TABLE, Sine(amplitude={"hand": 0.4})),
    "two tables": (TABLE, Table({"arm": [0.1, 0.4]}, rate=20.0)),
    "hold and one with memory": (Hold({"hand": 0.3}), Counter()),
    "one that feels": (
        Neurons(
            {"lift": Neuron("add", ("bent", None), (2.0, 0.4))}, {"bent": Sensor("angle", "hand")},
            {"arm": "lift"}, rate=20.0
        ),
        TABLE,
    ),
    "torques and table": (Spring(), TABLE),
    "later": (After(0.2, Hold(0.3)), Counter()),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_each_moves_as_it_would_alone(name: str) -> None:
    """A table and a hold could not act in one scene. Tolerance: steps that alarms of the other cut in two."""
    one, other = PAIRS[name]
    both = live(Together({"": one, "b_": other}), scene())
    dofs = zp.compile(arm()).dof_names
    for prefix, controller in (("", one), ("b_", other)):
        alone = live(controller, arm())
        assert np.abs(alone.q).max() > 0.02
        for dof in dofs:
            np.testing.assert_allclose(
                both.channel(f"q:{prefix}{dof}"), alone.channel(f"q:{dof}"), atol=2e-3, err_msg=name
            )


@pytest.mark.parametrize("name", PAIRS)
def test_a_life_that_goes_on_has_the_same_bits(name: str) -> None:
    one, other = PAIRS[name]
    controller, body = Together({"b_": other, "": one}), scene()
    whole = live(controller, body)
    rest = live(controller, body, 0.3, state=live(controller, body, 0.3).final)
    assert (whole.final.q == rest.final.q).all()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Sine(0.3), Hold(0.2)),
        (TABLE, Hold({"hand": 0.2})),
        (TABLE, Table({"arm": [0.1, 0.4, 0.2]}, 10.0, repeats=True)),
    ],
)
def test_herds_take_what_is_one_plan(one: Any, other: Any) -> None:
    """The same command at the same times, so the same life as in a world up to rounding."""
    controller, body = Together({"": one, "b_": other}), scene()
    lived = Herd([body], SPACE, [controller], dt=DT).simulate(0.5)[0]
    world = zp.World(body, habitat=SPACE, controller=controller, dt=DT, integrator="implicit").simulate(0.5)
    np.testing.assert_allclose(lived.final.q, world.final.q, atol=1e-6)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (Sine(0.3), "moves by itself"),
        (Table({"arm": [0.1, 0.2]}, 20.0, repeats=True), "the rate of their tables differ"),
        (Table({"arm": [0.1, 0.2]}, 10.0, repeats=True), "repeat after different times"),
        (After(0.1, Hold(0.2)), "begin at different times"),
        (Counter(), "a Counter cannot run inside a herd"),
        (PAIRS["one that feels"][0], "a Neurons has nodes"),
    ],
)
def test_herds_say_why_they_cannot(other: Any, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        Herd([scene()], SPACE, [Together({"": TABLE, "b_": other})], dt=DT)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "must be a mapping of prefixes"),
        (TABLE, "must be a mapping of prefixes"),
        ({1: TABLE}, "must be a text"),
        ({"": 3}, "lacks one of"),
        ({"": TABLE, "c_": TABLE}, "no body has a name that begins with 'c_'"),
        ({"": TABLE, "ha": TABLE}, "hangs on 'arm', which has another prefix"),
        ({"": Spring(), "b_": Counter()}, "cannot be beside"),
    ],
)
def test_what_does_not_fit_is_refused(given: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        live(Together(given), scene(), 0.1)
