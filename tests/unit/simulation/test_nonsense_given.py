"""States and controllers that are none are told as such, alike by worlds and herds, and never by Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.control import Command, Hold, Neurons, Sine, Spectral, Table
from zoophyte.errors import UsageError
from zoophyte.model import State

MODEL = zp.compile(zp.zoo.ant())
JOINT = MODEL.dof_names[6]
DT = 5e-3
NONSENSE = ["a", [1, 2], {}, 1j, object, len]

LIVES: dict[str, Callable[[State, Any], Any]] = {
    "world": lambda state, acting: zp.World(MODEL, controller=acting, dt=DT).simulate(2 * DT, state),
    "herd": lambda state, acting: zp.Herd([MODEL], controllers=acting, dt=DT).simulate(2 * DT, [state]),
    "begin": lambda state, acting: zp.Herd([MODEL], controllers=acting, dt=DT).begin([state]),
}


@pytest.mark.parametrize("kind", LIVES)
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"clock": None}, "state.clock is None, must be"),
        ({"clock": (0.0, 1)}, "state.clock is .0.0, 1., must be"),
        ({"clock": ("a", 0, 0.0)}, "state.clock is"),
        ({"clock": (0.0, 0.5, DT)}, "steps whole"),
        ({"clock": (np.nan, 0, 0.0)}, "state.clock is"),
        ({"clock": (1e18, 0, 0.0)}, "the clock cannot tell steps of 0.005 s apart"),
        ({"alarm": "a"}, "state.alarm is 'a', must be a number"),
        ({"signature": None}, "state.signature is None, must be a number"),
        ({"lived": np.nan}, "state.lived is nan, must be a number"),
        ({"q": np.full(MODEL.nq, np.nan)}, "state.q holds a value that is not finite"),
        ({"contact": np.zeros(7777)}, "does not fit this model"),
    ],
)
def test_a_state_that_is_none_is_refused(kind: str, changes: dict[str, Any], told: str) -> None:
    """A clock of two parts, or of none, was a TypeError, ValueError or IndexError of Python's."""
    with pytest.raises(UsageError, match=told):
        LIVES[kind](replace(State.neutral(MODEL), **changes), None)


@pytest.mark.parametrize("states", [State.neutral(MODEL), 3, "ab", [1], [State.neutral(MODEL)] * 2])
def test_states_that_are_no_list_of_states_are_refused(states: Any) -> None:
    """One state instead of a list was "object of type 'State' has no len()"."""
    with pytest.raises(UsageError, match=r"state(s is|  ?0 is| 0 is)|there are 2 states"):
        zp.Herd([MODEL], dt=DT).simulate(DT, states)


class Own:
    """A controller that does nothing."""

    period: Any = None

    def begin(self, model: Any) -> Any:
        return np.zeros(0)

    def command(self, senses: Any, memory: Any) -> Any:
        return Command(np.zeros((senses.model.nv, 7))), memory

    def life_plan(self, model: Any) -> Any:
        return Hold(0.0).life_plan(model)


@pytest.mark.parametrize("kind", LIVES)
@pytest.mark.parametrize("given", [*NONSENSE, -1.0, float("nan")], ids=repr)
def test_a_period_that_is_none_is_refused(kind: str, given: Any) -> None:
    """`period="a"` was "must be real number, not str", from inside."""
    strange = type("Own", (Own,), {"period": given})()
    for acting in (strange, Sine(0.1, period=given), Hold(0.1, period=given)):
        with pytest.raises(
            UsageError, match=r"period is .* must be None, 0.0 or a positive number of seconds"
        ):
            LIVES[kind](State.neutral(MODEL), acting)


@pytest.mark.parametrize("kind", LIVES)
@pytest.mark.parametrize("name", ["begin", "command"])
def test_a_method_that_is_none_is_refused(kind: str, name: str) -> None:
    """A number in place of a method was "'int' object is not callable"."""
    strange = type("Own", (Own,), {name: 3})()
    with pytest.raises(UsageError, match=f"{name} of the controller Own is 3, must be a method"):
        LIVES[kind](State.neutral(MODEL), strange)


@pytest.mark.parametrize("given", [3, lambda self, model: "a"])
def test_a_plan_that_is_none_is_refused(given: Any) -> None:
    """A text in place of a plan was "'str' object has no attribute 'period'"."""
    strange = type("Own", (Own,), {"life_plan": given})()
    with pytest.raises(UsageError, match=r"creature 0 .ant.: life_plan of its Own gives"):
        zp.Herd([MODEL], controllers=strange, dt=DT)


@pytest.mark.parametrize("kind", LIVES)
@pytest.mark.parametrize("given", NONSENSE, ids=repr)
def test_settings_of_controllers_that_are_none_are_refused(kind: str, given: Any) -> None:
    """A rate of text, a spectrum that is no mapping: Python's own errors, from inside."""
    makers: list[Callable[[], Any]] = [
        lambda: Table({JOINT: [0.0, 1.0]}, rate=given),
        lambda: Neurons({}, rate=given),
        lambda: Spectral({JOINT: [1j, 0.5]}, step=given),
    ]
    if given != {}:
        makers += [
            lambda: Spectral(given, step=0.05),
            lambda: Spectral({JOINT: [1j, 0.5]}, step=0.05, delays=given),
        ]
    for make in makers:
        with pytest.raises(UsageError, match=r"(rate|step|spectra|delays) is"):
            LIVES[kind](State.neutral(MODEL), make())
