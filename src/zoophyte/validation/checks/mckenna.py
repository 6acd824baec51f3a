"""Checks of McKenna 1990, *A Dynamic Model of Locomotion for Computer Animation* (corpus).

Gravity is 9.8 m/s² in this work; its `euler` is the semi-implicit step, its `rkf` the fifth-order result of
Fehlberg's pair, here at a fixed step.  The world is z-up already.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from zoophyte.description import Body, Box, Description, Joint, MassProperties
from zoophyte.model import Model, State, compile
from zoophyte.model.model import Floats
from zoophyte.physics import Force, energy, forward_dynamics, momentum, point_acceleration, point_velocity
from zoophyte.validation import bodies
from zoophyte.validation.bodies import X, Y, Z
from zoophyte.validation.catalogue import Measurement, at_most, check, compare, holds
from zoophyte.validation.checks import contact_laws
from zoophyte.validation.checks.contact_laws import SLACK, SOLVED, neutral, on_slope
from zoophyte.validation.oracles import Dense, rk4
from zoophyte.validation.running import NO_GRAVITY, run, slope
from zoophyte.validation.scenes import DT, G, live, lone, model_of, on

GRAVITY = (0.0, 0.0, -9.8)
SPIN = (3.0, -5.0, 4.0, 0.7, -0.2, 1.1)  # ω, v in body axes


def source(number: int) -> str:
    """Where a check of §5.1 comes from."""
    return f"McKenna 1990, 5.1; spec mckenna §5.1 C-{number:02d}"


def lone_body(com: Any = (0.0, 0.0, 0.0)) -> Model:
    """An asymmetric free body."""
    return compile(bodies.free_body(bodies.asymmetric(com=com)))


@check("MCK-C1", kind="golden", title="A body released falls with 9.8 m/s²", source=source(1))
def released() -> Measurement:
    """At rest the only force is weight: a = g and α = 0, whatever the inertia and wherever the origin."""
    model = lone_body(com=(0.11, -0.07, 0.19))
    a = forward_dynamics(model, State.neutral(model), gravity=GRAVITY)
    return compare(
        a,
        (0.0, 0.0, 0.0, 0.0, 0.0, -9.8),
        absolute=9.8e-9,
        why="1e-9 relative asked for",
        what="acceleration",
    )


@check("MCK-C2", kind="golden", title="A spinning body falls straight", source=source(2))
def spinning_fall() -> Iterator[Measurement]:
    """Spin does not act on the centre of mass: a = g, and after 1 s of RKF it lies at x₀ + u₀ + ½ g."""
    com = (0.11, -0.07, 0.19)
    model = lone_body(com=com)
    state = State.neutral(model).at(v=[*SPIN[:3], *np.cross(com, SPIN[:3])])  # the centre of mass at rest
    a = forward_dynamics(model, state, gravity=GRAVITY)
    yield compare(
        point_acceleration(model, state, a, "body", com),
        GRAVITY,
        absolute=9.8e-9,
        why="1e-9 relative, as MCK-C1",
        what="a of the centre of mass",
    )
    end = momentum(model, run(model, state, seconds=1.0, dt=1e-3, integrator="rkf45", gravity=GRAVITY).end)
    yield compare(
        end.com,
        np.asarray(com) + 0.5 * np.asarray(GRAVITY),
        absolute=1e-6,
        why="asked for",
        what="centre of mass after 1 s [m]",
    )


@check("MCK-C3", kind="golden", title="A body without forces", source=source(3))
def forceless() -> Iterator[Measurement]:
    """Linear speed, angular momentum and energy stay; ω only for a ball or a spin about a principal axis.

    1 s of RKF at 1 ms.  ω of the asymmetric body wanders (the document's "constant rotational velocity"
    holds only for isotropic bodies), which the last rows show.
    """
    model = lone_body(com=(0.11, -0.07, 0.19))
    state = State.neutral(model).at(v=SPIN)
    end = run(model, state, seconds=1.0, dt=1e-3, integrator="rkf45", gravity=NO_GRAVITY).end
    before, after = momentum(model, state), momentum(model, end)
    path = after.com - (before.com + before.com_velocity)
    yield at_most(path, 1e-12, why="rounding of 1000 steps", what="centre of mass off its line [m]")
    kept = [*(after.linear - before.linear), *(after.angular_about_com - before.angular_about_com)]
    yield at_most(kept, 1e-12, why="rounding: the step carries the momentum", what="Δp, ΔL")
    change = energy(model, end, NO_GRAVITY).total - energy(model, state, NO_GRAVITY).total
    yield at_most(change, 1e-12, why="(ω dt)⁵ = (7 rad/s · 1 ms)⁵ times 1 J", what="ΔE [J]")
    principal = {
        "ball": ((0.2, 0.2, 0.2), SPIN[:3]),
        "spin about a principal axis": ((0.1, 0.2, 0.25), (0.0, 0.0, 7.0)),
    }
    for name, (inertia, spin) in principal.items():
        regular = compile(bodies.free_body(MassProperties(mass=1.0, inertia=inertia)))
        start = State.neutral(regular).at(v=[*spin, 0.0, 0.0, 0.0])
        turned = run(regular, start, seconds=1.0, dt=1e-3, integrator="rkf45", gravity=NO_GRAVITY).end
        yield compare(
            turned.v[:3], spin, absolute=1e-11, why="rounding of 1000 steps", what=f"ω, {name} [rad/s]"
        )
    wander = float(np.max(np.abs(end.v[:3] - state.v[:3])))
    yield holds(wander > 0.1, what="ω of the asymmetric body wanders")


@check("MCK-C5", kind="golden", title="Where the origin lies does not matter", source=source(5))
def far_origin() -> Iterator[Measurement]:
    """A body with its local origin at its centre of mass, and with it ten body lengths away, moves alike.

    Alone, and as the root of a figure that carries a swinging rod.
    """
    for name, with_rod in (("alone", False), ("with a swinging rod", True)):
        near, far = (offset_figure(shift, with_rod) for shift in (np.zeros(3), np.array([3.0, -2.0, 1.0])))
        errors = []
        for integrator in ("rkf45", "rk4", "ros2"):
            ends = [path_of_com(model, state, integrator) for model, state in (near, far)]
            errors.append(float(np.max(np.abs(ends[0] - ends[1]))))
        yield at_most(
            errors,
            1e-6,
            why="asked for",
            what=f"{name}: centres of mass and rotation after 1 s, rkf45, rk4, ros2",
        )


def offset_figure(shift: Floats, with_rod: bool) -> tuple[Model, State]:
    """A free body with its centre of mass at `shift`, turning as it flies; the rod hangs near that centre."""
    mass = bodies.asymmetric(com=tuple(shift))
    parts = [Body(name="body", joint=Joint(kind="free"), mass=mass)]
    if with_rod:
        joint = Joint(kind="hinge", axis=X, position=tuple(np.add(shift, (0.0, 0.1, 0.0))))
        parts.append(Body(name="rod", parent="body", joint=joint, mass=bodies.rod(0.4, 0.3)))
    model = compile(Description(name="figure", bodies=parts))
    w, u = np.array([1.2, -0.8, 0.9]), np.array([0.5, 0.3, 1.0])
    v = [*w, *(u - np.cross(w, shift)), *([2.0] if with_rod else [])]
    q = [1.0, 0.0, 0.0, 0.0, *(-shift), *([0.4] if with_rod else [])]
    return model, State.neutral(model).at(q=q, v=v)


def path_of_com(model: Model, state: State, integrator: str) -> Floats:
    """Centre of mass, its velocity, and quaternion (and rod angle) after 1 s."""
    end = run(model, state, seconds=1.0, dt=1e-4, integrator=integrator, gravity=GRAVITY).end
    flown = momentum(model, end)
    return np.concatenate([flown.com, flown.com_velocity, end.q[:4], end.q[7:]])


@check("MCK-C6", kind="golden", title="Three rods in a line, one turning", source=source(6))
def rods_in_line() -> Iterator[Measurement]:
    """Three equal free rods in a line, the last turning with ω about its hinge: first accelerations.

    The last rod's centre is at L/2 from the hinge, so with the hinge accelerating by a along the line it
    accelerates by a − ω²L/2.  No outside force: 2m a + m (a − ω²L/2) = 0, a = ω²L/6 toward the moving rod.
    All forces act along the line, through every hinge and centre, so no joint accelerates.
    """
    length, rate = 0.8, 2.5
    parts = [Body(name="1", joint=Joint(kind="free"), mass=bodies.rod(0.5, length, along=X))]
    for n in (2, 3):
        joint = Joint(kind="hinge", axis=Z, position=(length, 0.0, 0.0))
        parts.append(Body(name=f"{n}", parent=f"{n - 1}", joint=joint, mass=parts[0].mass))
    # a thin rod has no inertia about itself; the free root needs some, and as it does not turn any will do
    solid = MassProperties(
        mass=0.5, com=(0.5 * length, 0.0, 0.0), inertia=(1e-3, 0.5 * length**2 / 12.0, 0.5 * length**2 / 12.0)
    )
    model = compile(
        Description(name="line", bodies=[parts[0].model_copy(update={"mass": solid}), *parts[1:]])
    )
    state = State.neutral(model).at(v=[0, 0, 0, 0, 0, 0, 0, rate])
    a = forward_dynamics(model, state, gravity=NO_GRAVITY)
    toward = rate**2 * length / 6.0
    yield compare(a, (0, 0, 0, toward, 0, 0, 0, 0), absolute=1e-13, why="rounding", what="base α, a, q̈")
    centres = np.concatenate(
        [point_acceleration(model, state, a, f"{n}", (0.5 * length, 0, 0)) for n in (1, 2, 3)]
    )
    wanted = [toward, 0, 0, toward, 0, 0, -2.0 * toward, 0, 0]
    yield compare(centres, wanted, absolute=1e-13, why="rounding", what="accelerations of the three centres")


@check("MCK-C7", kind="golden", title="Block and gantry", source=f"{source(7)}; MCK-11")
def block_and_gantry() -> Measurement:
    """m₁ slides in y on m₂, which slides in x: a = (f_x/(m₁ + m₂), f_y/m₁).

    The inertia seen from m₁ is diag(m₁ + m₂, m₁).
    """
    m1, m2, force = 1.5, 4.0, np.array([3.0, -2.0, 0.0])
    parts = [
        Body(name="gantry", joint=Joint(kind="slide", axis=X), mass=MassProperties(mass=m2)),
        Body(name="block", parent="gantry", joint=Joint(kind="slide", axis=Y), mass=MassProperties(mass=m1)),
    ]
    model = compile(Description(name="block and gantry", bodies=parts))
    a = forward_dynamics(
        model, State.neutral(model), forces={"block": Force.at_com(force)}, gravity=NO_GRAVITY
    )
    return compare(a, (force[0] / (m1 + m2), force[1] / m1), relative=1e-15, why="rounding", what="a_x, a_y")


@check("MCK-C8", kind="golden", title="Articulated bodies beside a dense solve", source=source(8))
def beside_dense() -> Measurement:
    """Random trees of hinges and slides, free and fixed: q̈ against M⁻¹(τ − bias), assembled on its own."""
    errors = []
    for seed in range(20):
        rng = np.random.default_rng(100 + seed)
        tree = bodies.random_tree(
            rng, int(rng.integers(3, 15)), kinds=("hinge", "slide"), free=bool(seed % 2)
        )
        model = compile(tree)
        q, v = bodies.random_coordinates(rng, tree, speed=2.0)
        tau = rng.normal(size=model.nv)
        exact = Dense(tree, q, v, GRAVITY).acceleration(tau)
        found = forward_dynamics(model, State.neutral(model).at(q=q, v=v), tau, gravity=GRAVITY)
        errors.append(float(np.max(np.abs(found - exact)) / np.max(np.abs(exact))))
    return at_most(max(errors), 1e-9, why="asked for", what="largest relative difference, 20 trees")


@check("MCK-C10", kind="golden", title="Euler's free fall", source=f"{source(10)}; eqs 9–11")
def euler_fall() -> Iterator[Measurement]:
    """Semi-implicit Euler falls ½ g t dt further than ½ g t²: Σ_{k=1}^{n} g k dt² = ½ g dt² n(n + 1).

    The two forms of the document, p + v′dt and p + ½(v′ + v)dt + ½ a dt², are the same number; dt = 1/2400,
    t = 0.1 s.
    """
    dt, t = 1.0 / 2400.0, 0.1
    model = lone_body()
    end = run(model, State.neutral(model), seconds=t, dt=dt, integrator="semi_implicit", gravity=GRAVITY).end
    error = -end.q[6] - 0.5 * 9.8 * t * t
    yield compare(error, 2.04e-4, absolute=5e-7, why="three printed digits", what="height error [m]")
    yield compare(
        error,
        0.5 * 9.8 * t * dt,
        absolute=1e-14,
        why="rounding of 240 steps",
        what="height error, ½ g t dt [m]",
    )
    yield compare(
        point_velocity(model, end, "body")[2], -9.8 * t, absolute=1e-14, why="rounding", what="speed [m/s]"
    )


@check("MCK-C11", kind="golden", title="Orders of the integrators on a pendulum", source=source(11))
def orders() -> Iterator[Measurement]:
    """A rod from 1 rad, 1 s: the error of (θ, θ̇) falls with dt to the order 1, 4, 5.

    The oracle is θ̈ = −(3g/2L) sin θ, integrated on its own by RK4 at 0.1 ms (error 1e-14).
    """
    model = compile(bodies.pendulum())
    state = State.neutral(model).at(q=[1.0])
    exact = rk4(lambda _, y: np.array([y[1], -1.5 * 9.8 * np.sin(y[0])]), [1.0, 0.0], seconds=1.0, dt=1e-4)[
        -1
    ]
    cases = {
        "semi_implicit": (1, (4e-3, 2e-3, 1e-3)),
        "rk4": (4, (0.01, 0.005, 0.0025)),
        "rkf45": (5, (0.02, 0.0125, 0.01)),
    }
    for integrator, (order, steps) in cases.items():
        ends = [
            run(model, state, seconds=1.0, dt=dt, integrator=integrator, gravity=GRAVITY).end for dt in steps
        ]
        errors = [np.linalg.norm([end.q[0] - exact[0], end.v[0] - exact[1]]) for end in ends]
        yield compare(
            slope(steps, errors),
            order,
            absolute=0.1,
            why="next term of the expansion",
            what=f"order of {integrator}",
        )


@check(
    "MCK-C15", kind="golden", title="A sliding block, and one on an incline", source=source(15)
)  # fmt: skip
def sliding_block() -> Iterator[Measurement]:
    """μ = 0.7: it stops after v²/(2·0.7·9.8), and slides from atan 0.7 = 35.0° on: still at 34.9°, on the way at 35.1°."""
    model = model_of(lone(Box(size=(1.0, 0.5, 0.3)), place=(0.0, 0.0, 0.15)), friction=0.7)
    speeds = np.array([1.0, 2.0, 3.0])
    states = [State.neutral(model).at(v=[0.0, 0.0, 0.0, v, 0.0, 0.0]) for v in speeds]
    ground = on(0.7, gravity=GRAVITY)
    lives = live([model] * 3, states, width=8, seconds=0.6, habitat=ground)
    ways = [life.end.q[4] for life in lives]
    yield compare(ways, speeds**2 / 13.72, relative=0.03, why="asked for", what="way [m]")
    moved = []
    for degrees in (34.9, 35.1):
        angle = math.radians(degrees)
        model = model_of(lone(Box(size=(1.0, 0.5, 0.3)), **on_slope(angle, 0.15)), friction=0.49)
        (life,) = live([model], neutral([model]), width=1, seconds=1.0, habitat=contact_laws.slope(angle))
        moved.append(float(np.linalg.norm(life.end.q[4:] - life.q[0, 4:])))
    yield at_most(moved[0], 1e-6, why="creep allowed", what="way at 34.9° in 1 s [m]")
    way = 0.5 * G * (math.sin(angle) - 0.7 * math.cos(angle))
    # Places move with the new velocities: ½ a t² + ½ a dt t.
    yield compare(moved[1], way * (1.0 + DT), absolute=SOLVED, why=SLACK, what="way at 35.1° in 1 s [m]")
