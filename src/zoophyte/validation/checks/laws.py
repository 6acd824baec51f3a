"""Laws of motion in time: closed forms, conservation, and the order of each integrator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import ellipj, ellipk

from zoophyte.description import Body, Description, Joint, MassProperties, Servo
from zoophyte.model import State, compile
from zoophyte.model.model import Floats
from zoophyte.physics import energy, momentum
from zoophyte.validation import bodies, oracles
from zoophyte.validation.bodies import X, Z
from zoophyte.validation.catalogue import Measurement, at_most, check, compare
from zoophyte.validation.figures import plot
from zoophyte.validation.running import FIXED_STEP, NO_GRAVITY, ORDER, energies, run, slope

G = 9.81
UP = (0.0, 0.0, -G)
MECHANICS = "classical mechanics"
FIRST_ORDER = ("semi_implicit", "implicit")


@check("LAW-free-fall", kind="law", title="Free fall", source=MECHANICS)
def free_fall() -> Iterator[Measurement]:
    """½ g t², and for the semi-implicit step exactly g t dt/2 more: Σ_{k=1}^{n} g k dt² = ½ g t² + ½ g t dt.

    Without springs the linearly implicit Euler is the semi-implicit one; RK4, RKF45 and ROS2 integrate a
    constant acceleration exactly.  Once for a free body, once for a slider.
    """
    dt, t = 1e-3, 1.0
    free = compile(bodies.free_body(bodies.asymmetric()))
    slider = Body(name="slider", joint=Joint(kind="slide", axis=Z), mass=MassProperties(mass=0.7))
    sliding = compile(Description(name="slider", bodies=[slider]))
    for integrator in FIXED_STEP:
        fallen = [
            -run(model, State.neutral(model), seconds=t, dt=dt, integrator=integrator).end.q[-1]
            for model in (free, sliding)
        ]
        expected = 0.5 * G * t * t + (0.5 * G * t * dt if integrator in FIRST_ORDER else 0.0)
        yield compare(
            fallen, expected, absolute=1e-12, why="rounding of 1000 steps", what=f"{integrator} [m]"
        )


@check("LAW-projectile", kind="law", title="Projectile", source=MECHANICS)
def projectile() -> Iterator[Measurement]:
    """A body thrown at 60° with 10 m/s: x = u_x t, z = u_z t − ½ g t².

    First-order steps fall ½ g t dt further, as in LAW-free-fall; gravity acts on z only.
    """
    dt, t, u = 2e-3, 1.2, (5.0, 0.0, 5.0 * 3.0**0.5)
    model = compile(bodies.free_body(bodies.asymmetric()))
    state = State.neutral(model).at(v=[0.0, 0.0, 0.0, *u])
    for integrator in FIXED_STEP:
        place = run(model, state, seconds=t, dt=dt, integrator=integrator).end.q[4:]
        extra = 0.5 * G * t * dt if integrator in FIRST_ORDER else 0.0
        exact = (u[0] * t, 0.0, u[2] * t - 0.5 * G * t * t - extra)
        yield compare(place, exact, absolute=1e-12, why="rounding of 600 steps", what=f"{integrator} [m]")


def measured_period(amplitude: float, *, dt: float, integrator: str, length: float, seconds: float) -> float:
    """Mean period of the rod over its first two full swings, from interpolated zero crossings [s]."""
    model = compile(bodies.pendulum(length=length))
    lived = run(
        model, State.neutral(model).at(q=[amplitude]), seconds=seconds, dt=dt, integrator=integrator, every=1
    )
    angle = lived.q[:, 0]
    n = np.flatnonzero(angle[:-1] * angle[1:] < 0.0)[:5]
    crossings = lived.times[n] + dt * angle[n] / (angle[n] - angle[n + 1])
    return float((crossings[4] - crossings[0]) / 2.0)


@check(
    "LAW-pendulum-period",
    kind="law",
    title="Period of a pendulum",
    source=f"{MECHANICS}; complete elliptic integral K",
)
def pendulum_period() -> Iterator[Measurement]:
    """T = 2π√(I/mgd)·(2/π) K(sin θ₀/2), from the energy integral of I θ̈ = −m g d sin θ.

    For a rod I/mgd = 2L/3g.  The amplitude factor with RK4 at 0.5 ms, and every integrator at 1 rad: error
    ≤ T (ω₀ dt)^order.
    """
    length, dt = 0.5, 5e-4
    omega = np.sqrt(1.5 * G / length)

    def exact(amplitude: float) -> float:
        return float(4.0 / omega * ellipk(np.sin(0.5 * amplitude) ** 2))

    amplitudes = (0.1, 1.0, 2.0, 3.0)
    found = [
        measured_period(a, dt=dt, integrator="rk4", length=length, seconds=2.5 * exact(a)) for a in amplitudes
    ]
    interpolation = (omega * dt) ** 3
    yield compare(
        found,
        [exact(a) for a in amplitudes],
        relative=interpolation,
        why="linear interpolation of crossings: (ω₀ dt)³",
        what="from 0.1, 1, 2, 3 rad, RK4 [s]",
    )
    for integrator in FIXED_STEP:
        period = measured_period(1.0, dt=dt, integrator=integrator, length=length, seconds=2.5 * exact(1.0))
        bound = max((omega * dt) ** ORDER[integrator], interpolation)
        yield compare(
            period, exact(1.0), relative=bound, why="(ω₀ dt)^order", what=f"from 1 rad, {integrator} [s]"
        )


def mixed_body() -> tuple[Description, Floats, Floats]:
    """A free body that carries every kind of joint with springs, dampers and a servo, and a state."""
    rng = np.random.default_rng(11)

    def part(name: str, parent: str, **joint: Any) -> Body:
        place = tuple(rng.uniform(-0.3, 0.3, 3))
        return Body(
            name=name, parent=parent, joint=Joint(position=place, **joint), mass=bodies.random_mass(rng)
        )

    servo = Servo(stiffness=3.0, damping=0.2)
    whole = Description(
        name="mixed",
        bodies=[
            part("root", "ground", kind="free"),
            part("hinge", "root", kind="hinge", axis=X, stiffness=5.0, damping=0.2, rest=0.3),
            part("ball", "hinge", kind="ball", stiffness=(2.0, 3.0, 6.0), damping=0.1),
            part("slide", "root", kind="slide", axis=Z, stiffness=40.0, damping=0.5),
            part("universal", "root", kind="universal", stiffness=(2.0, 4.0), damping=0.1),
            part("servo", "universal", kind="hinge", axis=Z, actuator=servo),
        ],
    )
    turn = (0.8, 0.2, -0.4, 0.4)
    small = np.array([0.98, 0.1, 0.1, -0.14])
    q = np.array([*turn, 0.1, 0.2, 0.3, 0.4, *(small / np.linalg.norm(small)), 0.05, 0.3, -0.5, 0.2])
    q[:4] /= np.linalg.norm(q[:4])
    return whole, q, rng.normal(size=14)


ORDER_SECONDS, COMMAND = 0.4, (0.5, 7.0, 0.3)  # amplitude, frequency [rad/s], phase of the servo's command
ORDER_STEPS = {
    "semi_implicit": (2e-3, 1e-3, 5e-4), "implicit": (2e-3, 1e-3, 5e-4), "ros2": (4e-3, 2e-3, 1e-3),
    "rk4": (0.02, 0.01, 0.005), "rkf45": (0.04, 0.02, 0.01),
}  # fmt: skip


def order_errors() -> dict[str, Floats]:
    """Error of (q, v) of the mixed body after 0.4 s, per integrator and step, against the dense equations."""
    body, q, v = mixed_body()
    amplitude, frequency, phase = COMMAND

    def servo(t: float, q: Floats, v: Floats) -> Floats:
        pull = np.zeros(len(v))
        pull[-1] = 3.0 * (amplitude * np.sin(frequency * t + phase) - q[-1]) - 0.2 * v[-1]
        return pull

    exact = np.concatenate(oracles.motion(body, q, v, seconds=ORDER_SECONDS, gravity=UP, torque=servo))
    model = compile(body)
    state = State.neutral(model).at(q=q, v=v)
    state.command[-1, 4:7] = COMMAND
    errors = {}
    for integrator, steps in ORDER_STEPS.items():
        ends = [run(model, state, seconds=ORDER_SECONDS, dt=dt, integrator=integrator).end for dt in steps]
        errors[integrator] = np.array(
            [np.linalg.norm(np.concatenate([end.q, end.v]) - exact) for end in ends]
        )
    return errors


def order_figure() -> str:
    """Errors against steps."""
    curves = {name: (ORDER_STEPS[name], errors) for name, errors in order_errors().items()}
    return plot(curves, x="dt [s]", y="error of (q, v) after 0.4 s", logarithmic=True)


@check(
    "LAW-integrator-order",
    kind="law",
    title="Order of each integrator",
    source="theory of Runge–Kutta and Rosenbrock methods",
    figure=order_figure,
)
def integrator_order() -> Iterator[Measurement]:
    """Slope of log error on log dt for a body with every kind of joint, springs, dampers and a servo.

    The exact motion comes from the dense Newton–Euler equations in SciPy's eighth-order method at a
    tolerance of 1e-13.  Orders: semi-implicit and linearly implicit Euler 1, ROS2 2 (for any approximate
    Jacobian, being a W-method), RK4 4, RKF45 5.
    """
    for integrator, errors in order_errors().items():
        found = slope(ORDER_STEPS[integrator], errors)
        yield compare(
            found, ORDER[integrator], absolute=0.1, why="next term of the expansion", what=integrator
        )


@check(
    "LAW-double-pendulum-energy-order",
    kind="law",
    title="Energy of a frictionless double pendulum",
    source=MECHANICS,
)
def energy_order() -> Iterator[Measurement]:
    """The energy error after a fixed time falls with dt at the integrator's order.

    That the energy does *not drift* may not be asked of semi-implicit Euler here: the mass matrix depends
    on q, and in (q, v) the step is not symplectic.  Runge–Kutta methods may gain up to an order on energy,
    depending on the time looked at.
    """
    model = compile(bodies.double_pendulum())
    state = State.neutral(model).at(q=[1.5, 0.5])
    E = energy(model, state).total
    steps = {
        1: (1e-3, 5e-4, 2.5e-4),
        2: (4e-3, 2e-3, 1e-3),
        4: (0.01, 0.005, 0.0025),
        5: (0.01, 0.005, 0.0025),
    }
    for integrator in FIXED_STEP:
        order = ORDER[integrator]
        errors = []
        for dt in steps[order]:
            lived = run(model, state, seconds=2.0, dt=dt, integrator=integrator, every=round(0.02 / dt))
            errors.append(np.max(np.abs(energies(model, lived) - E)))
        tolerance, why = (
            (0.1, "next term of the expansion")
            if order < 4
            else (0.6, "RK: the energy error gains up to an order")
        )
        yield compare(slope(steps[order], errors), order, absolute=tolerance, why=why, what=integrator)


@check("LAW-free-flight-momentum", kind="law", title="Free flight of a jointed body", source=MECHANICS)
def free_flight_momentum() -> Iterator[Measurement]:
    """p = p₀ + m g t and constant L about the centre of mass, while springs and servos work inside.

    Explicit steps conserve neither exactly in reduced coordinates; the error after 0.4 s falls at the
    integrator's order.
    """
    body, q, v = mixed_body()
    model = compile(body)
    state = State.neutral(model).at(q=q, v=2.0 * v)
    state.command[-1, 4:7] = COMMAND
    before = momentum(model, state)
    for integrator, steps in {**ORDER_STEPS, "rkf45": (0.01, 5e-3, 2.5e-3)}.items():
        errors = []
        for dt in steps:
            after = momentum(
                model, run(model, state, seconds=ORDER_SECONDS, dt=dt, integrator=integrator).end
            )
            linear = after.linear - before.linear - after.mass * np.asarray(UP) * ORDER_SECONDS
            errors.append(np.linalg.norm([*linear, *(after.angular_about_com - before.angular_about_com)]))
        found = slope(steps, errors)
        yield compare(
            found,
            ORDER[integrator],
            absolute=0.1,
            why="next term of the expansion",
            what=f"order of {integrator}",
        )


@check(
    "LAW-torque-free-body",
    kind="law",
    title="Torque-free asymmetric body",
    source=f"{MECHANICS}; Jacobi elliptic functions",
)
def torque_free_body() -> Iterator[Measurement]:
    """Euler's equations without torque are solved by ω = (ω₁ cn, ω₂ sn, ω₃ dn)(λ t | m).

    Principal moments I₁ < I₂ < I₃.  For 2 E I₂ < L², with ω(0) = (a, 0, c): λ² = (I₃ − I₂)(L² −
    2EI₁)/(I₁I₂I₃), m = (I₂ − I₁)(2EI₃ − L²)/((I₃ − I₂)(L² − 2EI₁)), and the amplitude of the middle axis is
    √((2EI₃ − L²)/(I₂(I₃ − I₂))), with the sign of −(I₃ − I₁) a c.  Error of ω after 2 s at the integrator's
    order, but second order for the two Euler steps: without torque L is constant, and the orientation turns at
    the rate of the step's middle.  The angular momentum vector, which the step itself carries, to rounding in
    every integrator; and the energy after 20 s of tumbling within 1 % at 5 ms, where a step that turned at
    the rate of its start would nearly double it.
    """
    moments = np.array([0.02, 0.03, 0.045])
    model = compile(bodies.free_body(MassProperties(mass=1.0, inertia=tuple(moments))))
    state = State.neutral(model).at(v=[1.0, 0.0, 4.0, 0.0, 0.0, 0.0])
    exact = spinning_top(moments, 1.0, 4.0, 2.0)
    L = momentum(model, state).angular_about_com
    steps = {1: (4e-3, 2e-3, 1e-3), 2: (4e-3, 2e-3, 1e-3), 4: (0.02, 0.01, 0.005), 5: (0.04, 0.02, 0.01)}
    for integrator in FIXED_STEP:
        order = max(ORDER[integrator], 2)
        ends = [
            run(model, state, seconds=2.0, dt=dt, integrator=integrator, gravity=NO_GRAVITY).end
            for dt in steps[order]
        ]
        errors = [np.linalg.norm(end.v[:3] - exact) for end in ends]
        yield compare(
            slope(steps[order], errors),
            order,
            absolute=0.1,
            why="next term of the expansion",
            what=f"order of {integrator}",
        )
        change = momentum(model, ends[-1]).angular_about_com - L
        yield at_most(change / np.linalg.norm(L), 1e-12, why="rounding", what=f"ΔL/|L|, {integrator}")
        for kind, body in (("free", model), ("ball", compile(bodies.pinned_body(moments)))):
            spin = State.neutral(body).at(v=[12.0, -9.0, 13.0] + [0.0] * (body.nv - 3))
            after = run(body, spin, seconds=20.0, dt=5e-3, integrator=integrator, gravity=NO_GRAVITY).end
            gain = energy(body, after).kinetic / energy(body, spin).kinetic - 1.0
            yield at_most(
                gain,
                1e-2,
                why="(ω dt)² of the step times its error constant",
                what=f"ΔE/E, {kind}, {integrator}",
            )


def spinning_top(moments: Floats, a: float, c: float, t: float) -> Floats:
    """ω(t) of a free rigid body from ω(0) = (a, 0, c)."""
    i, j, k = moments
    twice_T, L_2 = i * a * a + k * c * c, (i * a) ** 2 + (k * c) ** 2
    rate = np.sqrt((k - j) * (L_2 - twice_T * i) / (i * j * k))
    m = (j - i) * (twice_T * k - L_2) / ((k - j) * (L_2 - twice_T * i))
    sn, cn, dn, _ = ellipj(rate * t, m)
    middle = np.sqrt((twice_T * k - L_2) / (j * (k - j)))
    return np.array([a * cn, middle * sn * np.sign(a * c), c * dn])


@check(
    "LAW-spinning-throw",
    kind="law",
    title="A spinning thrown body keeps its momentum",
    source=f"{MECHANICS}; design §6",
)
def spinning_throw() -> Iterator[Measurement]:
    """p = p₀ + m g t and constant L about the centre of mass, to 1e-12, in every fixed-step integrator.

    dt = 5 ms at 20 rad/s.  The centre of mass lies off the origin and the inertia is asymmetric.  A step
    that advanced the velocity's components in body axes one by one would spin the body up 2.7 times in 1 s.
    """
    model = compile(bodies.free_body(bodies.asymmetric()))
    state = State.neutral(model).at(v=[12.0, -9.0, 13.0, 2.0, 1.0, 4.0])
    before = momentum(model, state)
    for integrator in FIXED_STEP:
        after = momentum(model, run(model, state, seconds=1.0, dt=5e-3, integrator=integrator).end)
        linear = after.linear - before.linear - before.mass * np.asarray(UP)
        angular = after.angular_about_com - before.angular_about_com
        sizes = np.linalg.norm(after.linear), np.linalg.norm(before.angular_about_com)
        errors = [float(np.linalg.norm(linear) / sizes[0]), float(np.linalg.norm(angular) / sizes[1])]
        yield at_most(
            errors, 1e-12, why="asked for: rounding of 200 steps", what=f"relative Δp, ΔL, {integrator}"
        )


@check("LAW-power-balance", kind="law", title="Power balance", source=MECHANICS)
def power_balance() -> Iterator[Measurement]:
    """dE/dt = power of the actuators − dissipation: E(t) − E(0) = ∫ (τ_servo v − Σ b v²) dt.

    The mixed body, with the servo's torque k (h(t) − q) − c v written down here again, integrated by
    Simpson's rule over the recorded states; the gap is that of the integrator (order × dt) and of Simpson's
    rule (dt⁴).
    """
    body, q, v = mixed_body()
    model = compile(body)
    state = State.neutral(model).at(q=q, v=v)
    state.command[-1, 4:7] = COMMAND
    amplitude, frequency, phase = COMMAND
    b = np.concatenate([np.asarray(part.joint.per_dof(part.joint.damping)) for part in body.bodies])
    gaps, exchanged = {}, 0.0
    for integrator, dt in (
        ("rk4", 1e-3),
        ("rkf45", 1e-3),
        ("ros2", 1e-3),
        ("semi_implicit", 1e-3),
        ("semi_implicit", 5e-4),
    ):
        lived = run(model, state, seconds=ORDER_SECONDS, dt=dt, integrator=integrator, every=1)
        h = amplitude * np.sin(frequency * lived.times + phase)
        servo = 3.0 * (h - lived.q[:, -1]) - 0.2 * lived.v[:, -1]
        power = servo * lived.v[:, -1] - lived.v**2 @ b
        work = dt / 3.0 * (power[0] + power[-1] + 4.0 * power[1:-1:2].sum() + 2.0 * power[2:-1:2].sum())
        E = energies(model, lived)
        gaps[integrator, dt] = abs(float(E[-1] - E[0] - work))
        exchanged = dt * float(np.sum(np.abs(power)))
    turn = 6.0 * 1e-3  # the fastest motion, 6 rad/s, in a step
    yield at_most(
        gaps["rk4", 1e-3], turn**4 * exchanged, why="(ω dt)⁴ of the exchanged energy", what="rk4 [J]"
    )
    yield at_most(gaps["rkf45", 1e-3], turn**4 * exchanged, why="Simpson's rule: (ω dt)⁴", what="rkf45 [J]")
    yield at_most(gaps["ros2", 1e-3], turn**2 * exchanged, why="(ω dt)²", what="ros2 [J]")
    ratio = gaps["semi_implicit", 1e-3] / gaps["semi_implicit", 5e-4]
    yield compare(
        ratio,
        2.0,
        absolute=0.1,
        why="first order: the gap halves with dt",
        what="semi_implicit, gap at 1 ms over 0.5 ms",
    )
