"""Worlds: what they refuse, how lives end, what is recorded."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.control import Command, Hold, Senses
from zoophyte.description import Body, Description, Joint, MassProperties, Servo
from zoophyte.errors import UsageError
from zoophyte.simulation import World
from zoophyte.simulation.world import simulate

MASS = MassProperties(mass=1.0, com=(0.0, 0.0, -0.5), inertia=(0.1, 0.1, 0.1))


def pair(stiffness: float = 0.0) -> zp.Model:
    """A calm hinge, and beside it a universal joint with a fixed tip, whose spring may be too stiff."""
    bodies = [
        Body(name="calm", joint=Joint(kind="hinge", axis=(0, 1, 0), initial=0.1), mass=MASS),
        Body(name="wild", joint=Joint(kind="universal", stiffness=stiffness, initial=(0.1, 0.1)), mass=MASS),
        Body(name="tip", parent="wild", mass=MASS),
    ]
    return zp.compile(Description(name="pair", bodies=bodies))


@dataclass
class Script:
    """Plays a list of commands, one per call."""

    commands: list[Any]
    period: Any = 0.002
    memory: Any = field(default_factory=lambda: np.zeros(1))

    def begin(self, model: zp.Model) -> Any:
        return self.memory

    def command(self, senses: Senses, memory: Any) -> Any:
        return self.commands[min(int(memory[0]), len(self.commands) - 1)], memory + 1.0


def hold(*values: float) -> Command:
    return Command.hold(values)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dt": 0.0}, "dt is 0.0, must be a positive number of seconds"),
        ({"dt": -1e-3}, "dt is -0.001, must be a positive"),
        ({"dt": np.inf}, "dt is inf, must be a positive"),
        ({"integrator": "rk45"}, r"integrator 'rk45' is unknown. Known: .*ros2\. Did you mean 'rkf45'\?"),
        ({"integrator": "magic"}, "integrator 'magic' is unknown"),
        ({"slots": "many"}, "slots is 'many', must be a whole number from 1 to a million"),
        ({"slots": 0}, "slots is 0, must be a whole number"),
        ({"sweeps": 2.5}, "sweeps is 2.5, must be a whole number"),
        (
            {"controller": 3},
            r"controller int lacks one of: period, begin\(model\), command\(senses, memory\)",
        ),
        ({"body": "pendulum"}, "body is 'pendulum', must be a model or a description"),
        ({"habitat": (0.0, 0.0, -9.81)}, "habitat"),
        (
            {"habitat": zp.control.Sine(amplitude=0.5, frequency=2.0)},
            r"habitat is Sine\(amplitude=0.5, frequency=2.0, .* …, must be .* given by its name: controller=…",
        ),
    ],
)
def test_worlds_that_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        World(**{"body": pair(), **options})


@pytest.mark.parametrize("gravity", [9.81, (0.0, 0.0), (0.0, 0.0, np.nan), "down", None])
def test_gravity_that_is_refused(gravity: Any) -> None:
    with pytest.raises(UsageError, match=r"gravity is .*, must be three finite numbers \(x, y, z\)"):
        zp.Habitat(gravity)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"seconds": -1.0}, "seconds is -1.0, must be a finite number, 0 or more"),
        ({"seconds": np.nan}, "seconds is nan"),
        ({"seconds": 1e9}, "1e\\+09 s at dt 0.001 s are more than 1,000,000,000 steps"),
        (
            {"seconds": 1.0, "record_rate": 0.0},
            "record_rate is 0.0, must be a positive number of frames per second",
        ),
        ({"seconds": 1.0, "record_rate": np.nan}, "record_rate is nan"),
        ({"seconds": 1.0, "state": 7}, "state"),
    ],
)
def test_lives_that_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        World(pair()).simulate(**arguments)


def test_a_step_that_the_clock_cannot_count_is_refused() -> None:
    """Neighbouring numbers at 1e7 are 1.9e-9 apart, more than the step."""
    late = replace(zp.State.neutral(pair()), clock=(1e7, 0, 1e-9))
    with pytest.warns(UserWarning, match="dt is 1e-09 s"):
        world = World(pair(), dt=1e-9)
    with pytest.raises(UsageError, match=r"at 1e\+07 s the clock cannot tell steps of 1e-09 s apart"):
        world.simulate(1e-8, late)


def test_a_state_of_another_body_is_refused() -> None:
    with pytest.raises(UsageError, match=r"pair: state.q has shape \(2,\), must be \(3,\)"):
        World(pair()).simulate(1.0, zp.State.neutral(zp.compile(zp.zoo.double_pendulum())))


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (Script([hold(0.0)]), r"pair: the command has signals \(1, 7\) and torque \(0,\), must be \(3, 7\)"),
        (Script([Command(np.zeros((3, 7)), torque=np.zeros(2))]), r"torque \(2,\)"),
        (
            Script([Command(np.full((3, 7), np.nan))]),
            "pair: the command holds a value that is not finite, for 'calm'",
        ),
        (
            Script([Command(np.zeros((3, 7)), torque=np.array([0.0, np.inf, 0.0]))]),
            "torque .* not finite, for 'wild.0'",
        ),
        (
            Script([0.5]),
            r"Script.command returned \(0.5, .*must return a Command and the memory: return Command.hold",
        ),
        (Script([np.zeros(3)]), "must return a Command and the memory"),
        (Script([replace(hold(0, 0, 0), next_call=0.0)]), r"next_call 0.0 is not after now \(0 s\)"),
        (Script([replace(hold(0, 0, 0), next_call=np.nan)]), "next_call nan is not after now"),
        (Script([hold(0, 0, 0)], period=-1.0), "period is -1.0"),
        (Script([hold(0, 0, 0)], period=np.nan), "period is nan"),
    ],
)
def test_controllers_that_are_refused(script: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        World(pair(), controller=script).simulate(0.01)


def test_lives_end_on_whole_steps() -> None:
    for seconds, steps in ((0.0, 0), (1e-9, 1), (0.001, 1), (0.0011, 2), (0.1, 100), (0.3, 300), (0.7, 700)):
        life = World(pair(), dt=1e-3).simulate(seconds)
        assert len(life) == steps + 1
        assert life.final.clock == (0.0, steps, 1e-3)
        assert life.status.kind == "ended"
        assert life.status.time == life.times[-1] == steps * 1e-3


def test_what_is_recorded() -> None:
    """Law: frames, channels and the final state are what the functions say of the same states. Exact; momentum rounding."""
    model = pair(10.0)
    life = World(model, habitat=zp.Habitat((1.0, 2.0, -3.0)), integrator="rk4").simulate(
        0.1, record_rate=100.0
    )
    assert np.array_equal(life.times, 1e-3 * np.arange(0, 101, 10))
    assert life.gravity == (1.0, 2.0, -3.0)
    assert (life.dt, life.integrator) == (1e-3, "rk4")
    for index in (0, 5, 10):
        state = life.frame(index)
        energy, momentum = zp.energy(model, state, life.gravity), zp.momentum(model, state)
        assert life.channels["kinetic"][index] == energy.kinetic
        assert life.channels["potential"][index] == energy.potential
        assert life.channels["elastic"][index] == energy.elastic
        assert life.channels["energy"][index] == energy.total
        assert life.channels["momentum"][index] == pytest.approx(momentum.linear, rel=1e-12)
        assert life.channels["com"][index] == pytest.approx(momentum.com, rel=1e-12)
        assert life.channels["angular_momentum"][index] == pytest.approx(
            momentum.angular_about_com, rel=1e-9, abs=1e-12
        )
    assert life.final.q.tolist() == life.q[-1].tolist()
    assert life.final.v.tolist() == life.v[-1].tolist()


def test_gravity_is_the_habitats() -> None:
    """Law: without gravity nothing falls; a free fall of a second is g/2 (1 + dt) in semi-implicit Euler. Rounding."""
    ball = zp.compile(
        Description(
            name="ball",
            bodies=[
                Body(
                    name="ball",
                    joint=Joint(kind="free"),
                    mass=MassProperties(mass=1.0, inertia=(1.0, 1.0, 1.0)),
                )
            ],
        )
    )
    still = World(ball, habitat=zp.Habitat((0, 0, 0)), integrator="semi_implicit").simulate(1.0)
    assert np.array_equal(still.final.q, ball.q_initial)
    falling = World(ball, integrator="semi_implicit").simulate(1.0)
    assert falling.final.q[6] == pytest.approx(-0.5 * 9.81 * (1.0 + 1e-3), rel=1e-12)


def test_a_description_is_compiled_and_a_call_is_enough() -> None:
    life = simulate(zp.zoo.pendulum(), 0.01, dt=1e-3, integrator="rk4")
    assert len(life) == 11
    assert isinstance(World(zp.zoo.pendulum()).model, zp.Model)


def test_without_a_controller_the_commands_of_the_state_hold() -> None:
    model = pair()
    state = zp.State.neutral(model)
    state.applied[0] = 2.0
    pushed, free = World(model).simulate(0.1, state), World(model).simulate(0.1)
    assert pushed.final.v[0] > free.final.v[0]
    assert pushed.final.applied.tolist() == [2.0, 0.0, 0.0]


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4", "rkf45"])
@pytest.mark.parametrize("record_rate", [None, 10.0])
def test_a_life_that_blows_up_is_a_status(integrator: str, record_rate: float | None) -> None:
    """Law: no exception and no NaN in the record; the status names the body and the time of the last sound state.

    The stiff joint is `wild`; the tip that is welded to it, and the calm neighbour, are not named.
    """
    life = World(pair(1e9), dt=0.01, integrator=integrator).simulate(10.0, record_rate=record_rate)
    assert life.status.kind == "diverged"
    assert not life.status.is_sound
    assert life.status.body == "wild"
    assert "not finite or beyond 1e+08" in life.status.reason
    assert "smaller dt or a linearly implicit integrator" in life.status.reason
    assert np.all(np.isfinite(life.q))
    assert np.all(np.isfinite(life.v))
    if record_rate is None:
        assert life.status.time == life.times[-1]
    assert life.times[-1] <= life.status.time < 10.0
    assert World(pair(1e9), dt=0.01, integrator="ros2").simulate(1.0).status.kind == "ended"


def test_an_energy_beyond_all_numbers_is_a_status() -> None:
    """Law: what cannot be told is no exception; 1e300 kg at 1e5 rad/s have about 1e309 J, more than a float64 holds."""
    mass = MassProperties.sound(mass=1e300, inertia=((1e299, 0.0, 0.0), (0.0, 1e299, 0.0), (0.0, 0.0, 1e299)))
    heavy = Body.sound(
        name="a", joint=Joint(kind="hinge"), mass=mass
    )  # nothing that is checked may be so heavy
    model = zp.compile(Description.sound(name="heavy", bodies=[heavy]))
    state = zp.State.neutral(model)
    life = World(model).simulate(0.01, state.at(v=[1e5]))
    assert str(life.status).startswith("diverged at 0 s: its channel 'energy' is beyond the largest number")
    assert np.all(np.isfinite(life.q)) and np.all(np.isinf(life.channels["energy"]))
    assert World(model).simulate(0.01, state.at(v=[1.0])).status.kind == "ended"


def test_when_it_blew_up_in_a_shortened_step() -> None:
    """Law: the time is that of the last sound state, also when a step was cut short for an alarm."""
    blow = Command(np.zeros((3, 7)), next_call=0.0034, torque=np.array([1e300, 0.0, 0.0]))
    script = Script([replace(hold(0, 0, 0), next_call=0.003), blow, hold(0, 0, 0)])
    life = World(pair(), controller=script).simulate(0.01)
    assert life.status.kind == "diverged"
    assert life.status.body == "calm"
    assert life.status.time == 0.003


def test_a_controller_that_asks_for_too_soon() -> None:
    """A call at once after this one is no reason never to be asked again: it is refused, or comes with the next step."""
    eager = Script([replace(hold(0, 0, 0), next_call=1e-15), *[replace(hold(0, 0, 0), next_call=1.0)]])
    try:
        life = World(pair(), controller=eager).simulate(0.01)
    except UsageError:
        return
    assert life.final.memory[0] == 2.0


def test_a_late_controller_keeps_its_rate() -> None:
    """Law: calls come every period; one that starts off the grid is asked at the next point of the grid."""
    heard: list[float] = []

    class Listener(Script):
        def command(self, senses: Senses, memory: Any) -> Any:
            heard.append(senses.time)
            return super().command(senses, memory)

    late = replace(zp.State.neutral(pair()), clock=(0.16, 0, 1e-3))
    World(pair(), controller=Listener([hold(0, 0, 0)], period=0.1)).simulate(0.3, late)
    assert heard == pytest.approx([0.16, 0.2, 0.3, 0.4], abs=1e-12)


def test_a_command_that_nothing_obeys_is_refused() -> None:
    """Otherwise a body without actuators would just hang, and its user wonder why."""
    with pytest.raises(UsageError, match="'calm', but no joint that it commands has an actuator"):
        World(pair(), controller=Hold([0.1, 0.2, 0.3])).simulate(0.01)


def test_a_controller_asked_once() -> None:
    description = pair().description.copy()
    description.bodies[0].joint.actuator = Servo(stiffness=1.0)
    life = World(description, controller=Hold([0.1, 0.2, 0.3])).simulate(0.01)
    assert life.final.alarm == np.inf
    assert life.final.command[:, 0].tolist() == [0.1, 0.2, 0.3]


@pytest.mark.parametrize("answer", [0.5, np.zeros(3), None, (hold(0, 0, 0), None)])
def test_a_controller_that_answers_with_something_else(answer: Any) -> None:
    class Plain:
        period = 0.01

        def begin(self, model: zp.Model) -> Any:
            return np.zeros(0)

        def command(self, senses: Senses, memory: Any) -> Any:
            return answer

    with pytest.raises(UsageError, match=r"Plain\.command"):
        World(pair(), controller=Plain()).simulate(0.01)
    with pytest.raises(UsageError, match=r"Command\.hold is given 0\.5, must be given a list or array"):
        Command.hold(0.5)


@pytest.mark.parametrize(("dt", "words"), [(1.0, "a step skips what happens"), (1e-9, r"takes 1e\+09 steps")])
@pytest.mark.parametrize(
    "make", [lambda body, dt: World(body, dt=dt), lambda body, dt: zp.Herd([body], dt=dt)]
)
def test_an_absurd_step_is_warned_of(make: Any, dt: float, words: str) -> None:
    """Oracle: √(k/g) of a rod of 1 m about its end, k = 1/√3 m: 0.24 s, of which a hundredth to a tenth is sensible."""
    with pytest.warns(UserWarning, match=rf"rod: dt is .*{words}.*Steps of 0\.002 to 0\.02 s suit") as caught:
        make(zp.zoo.rod(), dt)
    assert len(caught) == 1 and caught[0].filename == __file__  # where the user wrote it


def test_without_gravity_no_step_is_absurd() -> None:
    assert World(zp.zoo.rod(), zp.Habitat((0.0, 0.0, 0.0)), dt=1.0).dt == 1.0


@pytest.mark.parametrize("make", [World, lambda body: zp.Herd([body])])
@pytest.mark.parametrize(("limits", "is_odd"), [((-60.0, 60.0), True), ((-12.0, 12.0), False)])
def test_limits_in_degrees_are_warned_of(make: Any, limits: tuple[float, float], is_odd: bool) -> None:
    """`limits: [-60, 60]` on a hinge was taken without a word. Slides have metres, and may go that far."""
    rod = zp.zoo.rod()
    rod.bodies[0].joint.limits = limits
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make(rod)
        lift = Body(name="lift", joint=Joint(kind="slide", limits=(-60.0, 60.0)), mass=MASS)
        make(Description(name="lift", bodies=[lift]))
    told = "rod: the limits of rod are -60 to 60 rad, up to 9.5 turns. Angles are in radians: 60° is 1.047."
    assert [str(each.message) for each in caught] == [told] * is_odd
    assert all(each.filename == __file__ for each in caught)
