"""Driven joints follow their signals exactly; controllers at every evaluation keep the integrator's order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import zoophyte as zp
from zoophyte.control import Command, Hold, Senses, Sine
from zoophyte.description import Body, Description, Joint, MassProperties
from zoophyte.model.layout import INTEGRATORS
from zoophyte.physics import driven_forces

MASS = MassProperties(mass=1.5, com=(0.0, 0.0, -0.4), inertia=(0.05, 0.04, 0.02))
J = 1.5 * 0.4**2 + 0.04
WEIGHT = 1.5 * 9.81 * 0.4


def described(*bodies: Body) -> zp.Model:
    return zp.compile(Description(name="driven", bodies=list(bodies)))


def pendulum(**joint: Any) -> Body:
    """A hinge about y; the equation of motion is J q̈ = τ − WEIGHT sin q."""
    return Body(name="arm", joint=Joint(kind="hinge", axis=(0, 1, 0), **joint), mass=MASS)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_driven_joints_follow_their_signals(integrator: str) -> None:
    """Law: q, v of a driven coordinate are the signal and its derivative at every step, whatever hangs on it.

    Oracle: the sine in closed form; tolerance: 2 ulp of our own sine and the rounding of its argument.
    """
    model = described(
        pendulum(driven=True),
        Body(name="tip", parent="arm", joint=Joint(kind="ball", position=(0, 0, -1)), mass=MASS),
    )
    controller = Sine(amplitude={"arm": 0.3}, frequency=2.0, phase=0.5, offset={"arm": 0.1})
    life = zp.World(model, controller=controller, integrator=integrator, dt=2e-3).simulate(1.0)
    angle = 4.0 * np.pi * life.times + 0.5
    assert np.max(np.abs(life.q[1:, 0] - (0.1 + 0.3 * np.sin(angle[1:])))) < 4e-15
    assert np.max(np.abs(life.v[1:, 0] - 1.2 * np.pi * np.cos(angle[1:]))) < 4e-14
    assert np.ptp(life.q[:, 1]) > 0.01  # the tip moves


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_first_frame_is_on_the_signal_too(integrator: str) -> None:
    """Law: a driven coordinate is where its signal says from the first recorded moment on, energy included."""
    model = described(pendulum(driven=True))
    life = zp.World(model, controller=Hold(0.5), integrator=integrator).simulate(0.01)
    assert life.q[:, 0].tolist() == [0.5] * 11
    assert np.array_equal(life.channels["energy"], np.full(11, life.channels["energy"][-1]))


def test_driven_joints_report_their_force() -> None:
    """Law: the force that a motion needs: τ = J q̈ + WEIGHT sin q. Oracle: the closed form; rounding."""
    model = described(pendulum(driven=True))
    for q, v, a in ((0.3, 2.0, -5.0), (-1.0, 0.0, 0.0), (2.0, -3.0, 7.0)):
        state = zp.State.neutral(model).at([q], [v])
        needed = driven_forces(model, state, driven=[a])
        assert needed == pytest.approx([J * a + WEIGHT * np.sin(q)], rel=1e-13)


def test_a_driven_rotor_takes_its_share() -> None:
    """Law: a rotor of inertia I on a driven joint adds I·q̈ to the force and ½ I v² to the energy. Closed form."""
    with_rotor, without = described(pendulum(driven=True, armature=0.7)), described(pendulum(driven=True))
    state = zp.State.neutral(without).at([0.3], [2.0])
    needed, bare = (driven_forces(m, state, driven=[-5.0]) for m in (with_rotor, without))
    assert needed - bare == pytest.approx([0.7 * -5.0], rel=1e-12)
    gain = zp.energy(with_rotor, state).kinetic - zp.energy(without, state).kinetic
    assert gain == pytest.approx(0.5 * 0.7 * 2.0**2, rel=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_driven_ball_turns_with_its_signal(integrator: str) -> None:
    """Law: the signals of a driven ball joint are ω in body axes; a constant ω turns by exp(ω t).

    Oracle: SciPy's rotations; tolerance: 500 roundings (RK: also (ω dt)⁵ per step, 1e-9 together).
    """
    omega = np.array([1.0, -2.0, 0.5])
    model = described(Body(name="head", joint=Joint(kind="ball", driven=True), mass=MASS))
    life = zp.World(model, controller=Hold(omega), integrator=integrator, dt=2e-3).simulate(1.0)
    expected = Rotation.from_rotvec(omega)
    found = Rotation.from_quat(life.q[-1], scalar_first=True)
    assert (found * expected.inv()).magnitude() < 1e-9
    assert life.v[-1].tolist() == omega.tolist()


@dataclass(frozen=True)
class Torque:
    """τ(t, q, v) asked at every evaluation, or every `period` seconds."""

    period: float

    def begin(self, model: zp.Model) -> Any:
        return np.zeros(0)

    def command(self, senses: Senses, memory: Any) -> tuple[Command, Any]:
        return Command.torques([torque(senses.time, senses.q[0], senses.v[0])]), memory


def torque(t: float, q: float, v: float) -> float:
    return 3.0 * np.sin(7.0 * t) - 0.5 * v * v * q


def error(period: float, dt: float, integrator: str) -> float:
    model = described(pendulum())
    life = zp.World(model, controller=Torque(period), dt=dt, integrator=integrator).simulate(0.5)

    def slope(t: float, y: Any) -> Any:
        return [y[1], (torque(t, y[0], y[1]) - WEIGHT * np.sin(y[0])) / J]

    exact = solve_ivp(slope, (0.0, 0.5), [0.0, 0.0], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return float(np.max(np.abs([life.q[-1, 0] - exact[0], life.v[-1, 0] - exact[1]])))


@pytest.mark.parametrize(("integrator", "order"), [("rk4", 4.0), ("rkf45", 5.0), ("semi_implicit", 1.0)])
def test_a_controller_at_every_evaluation_keeps_the_order(integrator: str, order: float) -> None:
    """Law: τ(t, q, v) that is asked at every stage is part of the equation. Oracle: SciPy's DOP853 at 1e-13.

    Tolerance: the measured order over one halving of dt, ± 0.3.
    """
    errors = [error(0.0, dt, integrator) for dt in (0.02, 0.01)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


def test_a_controller_at_its_own_rate_is_first_order() -> None:
    """The same, asked every 10 ms and 5 ms and held between: the order is one. So the test above can fail."""
    errors = [error(period, 0.005, "rk4") for period in (0.01, 0.005)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.3)
