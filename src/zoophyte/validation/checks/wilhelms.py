"""Checks of Wilhelms and Barsky, dynamic analysis of articulated bodies (Deva, Virya).

M, V and q_g of the source's equation M c̈ + V = q are the mass matrix, the bias without gravity, and minus
the bias of gravity at rest.  The world is z-up already.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import ellipk

from zoophyte.description import Body, Box, Description, Joint, MassProperties
from zoophyte.model import Model, State, compile
from zoophyte.model.model import Floats
from zoophyte.physics import Force, bias_forces, body_poses, energy, forward_dynamics, mass_matrix, momentum
from zoophyte.validation import bodies, oracles
from zoophyte.validation.bodies import X, Y, Z
from zoophyte.validation.catalogue import Measurement, at_most, check, compare
from zoophyte.validation.running import NO_GRAVITY, energies, run
from zoophyte.validation.scenes import G, live, lone, model_of, on

SOURCE = "Wilhelms and Barsky, §2.2–2.3; spec wilhelms §5"
PRINTED = "nine printed decimals"
UP = (0.0, 0.0, -9.81)


def source(number: int) -> str:
    """Where a check of §5 comes from."""
    return f"{SOURCE} C{number}"


def terms(model: Model, state: State) -> tuple[Floats, Floats, Floats, Floats]:
    """(M, V, q_g, c̈)."""
    V = bias_forces(model, state, gravity=NO_GRAVITY)
    q_g = -bias_forces(model, state.at(v=np.zeros(model.nv)), gravity=UP)
    return mass_matrix(model, state), V, q_g, forward_dynamics(model, state, gravity=UP)


def compare_terms(model: Model, state: State, **expected: Any) -> Iterator[Measurement]:
    """A row for each of M (its upper triangle), V, q_g and c̈ that is given."""
    M, V, q_g, a = terms(model, state)
    found = {"M": M[np.triu_indices(model.nv)], "V": V, "q_g": q_g, "a": a}
    names = {"M": "M, upper triangle", "V": "V", "q_g": "q_g", "a": "c̈"}
    for key, wanted in expected.items():
        yield compare(found[key], wanted, absolute=1e-9, why=PRINTED, what=names[key])


@check("WIL-C1", kind="golden", title="One rod", source=source(1))
def one_rod() -> Iterator[Measurement]:
    """A rod about x: M = mL²/3, V = 0, q_g = −m g (L/2) sin θ, θ̈ = −(3g/2L) sin θ.

    1 kg, 1 m, at 0.5 rad and 0.7 rad/s.
    """
    model = compile(bodies.pendulum())
    state = State.neutral(model).at(q=[0.5], v=[0.7])
    yield from compare_terms(model, state, M=[0.333333333], V=[0.0], q_g=[-2.351582267], a=[-7.054746801])


@check("WIL-C2", kind="golden", title="Two rods", source=source(2))
def two_rods() -> Iterator[Measurement]:
    """The coupled pendulum, with centrifugal and Coriolis terms in V.

    Two rods about x at c = (0.4, −0.9), ċ = (1.1, −0.6).
    """
    model = compile(bodies.double_pendulum())
    state = State.neutral(model).at(q=[0.4, -0.9], v=[1.1, -0.6])
    yield from compare_terms(
        model, state, M=[2.288276635, 0.644138317, 0.333333333], V=[-0.375996917, -0.473912780],
        q_g=[-3.378708640, 2.351582267], a=[-8.109692293, 24.147775787],
    )  # fmt: skip


I1 = np.array([[0.3, 0.02, -0.01], [0.02, 0.4, 0.03], [-0.01, 0.03, 0.5]])
I3 = np.array([[0.2, -0.04, 0.02], [-0.04, 0.25, 0.01], [0.02, 0.01, 0.15]])


def mixed_chain() -> tuple[Model, State]:
    """R z → S x → R y with full inertia tensors."""

    def part(name: str, parent: str, joint: Joint, mass: float, com: Any, inertia: Any) -> Body:
        properties = MassProperties(mass=mass, com=com, inertia=inertia.tolist())
        return Body(name=name, parent=parent, joint=joint, mass=properties)

    chain = Description(
        name="C3",
        bodies=[
            part("1", "ground", Joint(kind="hinge", axis=Z, position=(0, 0, 0.5)), 2.0, (0.1, 0, 0.2), I1),
            part(
                "2",
                "1",
                Joint(kind="slide", axis=X, position=(0.2, 0, 0.3)),
                1.5,
                (0.05, 0.02, -0.01),
                0.5 * I1,
            ),
            part("3", "2", Joint(kind="hinge", axis=Y, position=(0.3, 0.1, 0)), 1.0, (0.2, -0.1, 0.15), I3),
        ],
    )
    model = compile(chain)
    return model, State.neutral(model).at(q=[0.3, 0.25, -0.7], v=[1.2, -0.5, 2.0])


@check("WIL-C3", kind="golden", title="Chain of hinge, slide, hinge", source=source(3))
def chain_with_slide() -> Iterator[Measurement]:
    """R z → S x → R y with off-diagonal inertias: every block of M, velocity terms of turning and sliding.

    Products of inertia enter the tensor with a minus sign; with a plus V would be (−1.17497, −2.46647,
    −0.25223).
    """
    model, state = mixed_chain()
    yield from compare_terms(
        model, state,
        M=[1.986237213, -0.03, -0.018120286, 2.5, 0.243569866, 0.3125],
        V=[-0.911314624, -2.466466667, -0.242443458], q_g=[0.0, 0.0, 0.552654045],
        a=[0.488701412, 0.802763076, 1.946956855],
    )  # fmt: skip


@check("WIL-C4", kind="golden", title="Force applied at a point", source=source(4))
def applied_force() -> Iterator[Measurement]:
    """τ_i = Fᵀ[u_i × (a − r_i)] or Fᵀu_i on every coordinate between the world and the segment.

    The chain of WIL-C3 with F = (1, −2, 3) at the last centre of mass.
    """
    model, state = mixed_chain()
    R, p = body_poses(model, state)
    g_3 = p[3] + R[3] @ model.bodies.com[3]
    yield compare(
        g_3, (0.770321997, 0.238288518, 1.043569866), absolute=1e-9, why=PRINTED, what="point of action g₃"
    )
    forces = {"3": Force.at_point((1.0, -2.0, 3.0), g_3)}
    q_app = bias_forces(model, state) - bias_forces(model, state, forces=forces)
    yield compare(q_app, (-1.778932512, 0.364296076, -0.080275807), absolute=1e-9, why=PRINTED, what="q_app")
    a = forward_dynamics(model, state, forces=forces)
    yield compare(a, (-0.408318350, 0.981375821, 1.498845676), absolute=1e-9, why=PRINTED, what="c̈")


@check("WIL-C5", kind="golden", title="Branched tree", source=source(5))
def branched_tree() -> Iterator[Measurement]:
    """Two branches on a turning trunk: the entry of M between separate branches is exactly zero."""

    def part(name: str, parent: str, joint: Joint, mass: float, com: Any, inertia: Any) -> Body:
        return Body(
            name=name, parent=parent, joint=joint, mass=MassProperties(mass=mass, com=com, inertia=inertia)
        )

    tree = Description(
        name="C5",
        bodies=[
            part("1", "ground", Joint(kind="hinge", axis=Z), 3.0, (0, 0, 0.3), (0.2, 0.3, 0.1)),
            part(
                "2",
                "1",
                Joint(kind="hinge", axis=X, position=(0, 0.4, 0.6)),
                1.0,
                (0, 0.25, 0),
                (0.02, 0.005, 0.02),
            ),
            part(
                "3",
                "1",
                Joint(kind="hinge", axis=Y, position=(0, -0.4, 0.6)),
                1.5,
                (0.3, 0, 0),
                (0.006, 0.03, 0.03),
            ),
        ],
    )
    model = compile(tree)
    state = State.neutral(model).at(q=[0.2, 0.5, -0.3], v=[0.9, -1.4, 0.8])
    yield from compare_terms(
        model, state, M=[0.891317408, 0.0, 0.053193637, 0.0825, 0.0, 0.165],
        V=[0.157570384, 0.065245139, -0.036360152], q_g=[0.0, -2.152271233, 4.217332931],
        a=[-1.748976369, -26.878986330, 26.343803017],
    )  # fmt: skip


@check("WIL-C6", kind="golden", title="Ball joint of three hinges", source=source(6))
def ball_of_hinges() -> Iterator[Measurement]:
    """R x, R y, R z with massless bodies between, and the same body on a native ball joint.

    The ball's ω in body axes and the Euler rates ċ of R = Rx Ry Rz are linked by ω = B(c) ċ with columns
    (RyRz)ᵀx, Rzᵀy, z; then ω̇ = B c̈ + Ḃ ċ must follow from the ball joint's own equations.
    """
    properties = MassProperties(mass=2.0, com=(0.0, 0.0, -0.4), inertia=(0.05, 0.06, 0.02))
    c, rate = np.array([0.3, 0.5, 0.2]), np.array([1.0, -0.5, 0.8])
    hinges = [Body(name=n, parent=p, joint=Joint(kind="hinge", axis=u), mass=properties if n == "z" else None)
              for n, p, u in (("x", "ground", X), ("y", "x", Y), ("z", "y", Z))]  # fmt: skip
    model = compile(Description(name="C6", bodies=hinges))
    state = State.neutral(model).at(q=c, v=rate)
    yield from compare_terms(
        model, state, V=[0.146268712, 0.128473380, -0.013830143], a=[-7.729946740, -9.842237469, 4.397441027]
    )  # fmt: skip
    ball = compile(
        Description(name="ball", bodies=[Body(name="b", joint=Joint(kind="ball"), mass=properties)])
    )

    def rates_to_omega(angles: Floats) -> Floats:
        Ry, Rz = oracles.rotation_about(Y, angles[1]), oracles.rotation_about(Z, angles[2])
        return np.column_stack([(Ry @ Rz).T @ X, Rz.T @ Y, Z])

    step = 1e-5  # a central difference of Ḃ: error step²/6 and rounding 1e-16/step, both below 1e-10
    B_dot = (rates_to_omega(c + step * rate) - rates_to_omega(c - step * rate)) / (2.0 * step)
    B = rates_to_omega(c)
    turned = State.neutral(ball).at(q=bodies.euler_quaternion(*c), v=B @ rate)
    expected = B @ forward_dynamics(model, state) + B_dot @ rate
    yield compare(
        forward_dynamics(ball, turned),
        expected,
        absolute=1e-8,
        why="finite difference of Ḃ",
        what="ω̇ of a native ball",
    )


@check("WIL-C8", kind="golden", title="Slider on an incline", source=source(8))
def slider() -> Iterator[Measurement]:
    """A 2.5 kg slider on the axis (√3/2, 0, 1/2): f_g = −m g u_z, s̈ = −g u_z."""
    axis = (3.0**0.5 / 2.0, 0.0, 0.5)
    body = Body(name="slider", joint=Joint(kind="slide", axis=axis), mass=MassProperties(mass=2.5))
    model = compile(Description(name="C8", bodies=[body]))
    yield from compare_terms(model, State.neutral(model), q_g=[-12.2625], a=[-4.905])


@check("WIL-C9", kind="golden", title="Swinging double rod with RK4", source=source(9))
def double_rod_swing() -> Iterator[Measurement]:
    """The rods of WIL-C2 from c = (2, 1) at rest: where they are after 1 s, and how 5 s keep the energy.

    The angles at 1 s are also compared with the Lagrangian equations of the double rod, integrated on their
    own by the same method at 0.1 ms.  The energy error falls with the fourth power of the step: a ratio
    near 2⁴ between 2 ms and 1 ms.
    """
    model = compile(bodies.double_pendulum())
    start = State.neutral(model).at(q=[2.0, 1.0])
    E = energy(model, start).total
    yield compare(E, 10.979513896, absolute=1e-9, why=PRINTED, what="energy [J]")
    end = run(model, start, seconds=1.0, dt=1e-3, integrator="rk4").end
    yield compare(
        end.q, (-0.744265, -1.400806), absolute=5e-7, why="six printed decimals", what="c(1 s) [rad]"
    )
    yield compare(
        end.v, (-5.36921, 5.55803), absolute=5e-6, why="five printed decimals", what="ċ(1 s) [rad/s]"
    )

    def rates(_: float, y: Floats) -> Floats:
        return np.concatenate(
            [y[2:], oracles.double_rod_acceleration(y[:2], y[2:], length=1.0, gravity=9.81)]
        )

    angles = oracles.rk4(rates, [2.0, 3.0, 0.0, 0.0], seconds=1.0, dt=1e-3)[-1]
    yield compare(
        np.cumsum(end.q),
        angles[:2],
        absolute=1e-11,
        why="rounding: the same method on other equations",
        what="θ(1 s), Lagrange [rad]",
    )
    drift = {}
    for dt, printed in ((1e-3, 3e-7), (2e-3, 4.4e-6)):
        lived = run(model, start, seconds=5.0, dt=dt, integrator="rk4", every=1)
        drift[dt] = float(np.max(np.abs(energies(model, lived) - E)))
        what = f"largest energy error in 5 s at {1e3 * dt:g} ms [J]"
        yield compare(
            drift[dt],
            printed,
            absolute=5e-8,
            why="printed to 1e-7; the same method leaves the same error",
            what=what,
        )
    yield compare(
        drift[2e-3] / drift[1e-3],
        15.0,
        absolute=1.5,
        why="≈ 15 printed; 16 for small steps",
        what="ratio of the two",
    )


def swing_period(gravity: float) -> float:
    """Period of the rod from 0.1 rad, from the mean of its zero crossings over ten half swings [s]."""
    model = compile(bodies.pendulum())
    lived = run(
        model,
        State.neutral(model).at(q=[0.1]),
        seconds=25.0,
        dt=2e-3,
        integrator="rk4",
        gravity=(0.0, 0.0, -gravity),
        every=1,
    )
    angle = lived.q[:, 0]
    n = np.flatnonzero(angle[:-1] * angle[1:] < 0.0)[:11]
    crossings = lived.times[n] + 2e-3 * angle[n] / (angle[n] - angle[n + 1])
    return float((crossings[10] - crossings[0]) / 5.0)


@check("WIL-C10", kind="golden", title="Other planets", source=source(10))
def other_planets() -> Iterator[Measurement]:
    """T = 2π√(2L/3g)·(2/π) K(sin θ₀/2); the ratio of two planets is √(g₂/g₁).

    The rod's swing from 0.1 rad under g = 9.81 and 1.62 m/s².
    """
    found = [swing_period(g) for g in (9.81, 1.62)]
    yield compare(found, (1.63897, 4.03319), absolute=1e-4, why="asked for", what="periods [s]")
    exact = [4.0 * np.sqrt(2.0 / (3.0 * g)) * ellipk(np.sin(0.05) ** 2) for g in (9.81, 1.62)]
    yield compare(
        found,
        exact,
        absolute=1e-7,
        why="linear interpolation of crossings: dt³ω²/8",
        what="periods, elliptic integral [s]",
    )
    yield compare(
        found[1] / found[0], np.sqrt(9.81 / 1.62), relative=1e-7, why="the same interpolation", what="ratio"
    )
    model = compile(bodies.pendulum())
    still = run(
        model, State.neutral(model).at(q=[0.1]), seconds=5.0, dt=2e-3, integrator="rk4", gravity=NO_GRAVITY
    ).end
    yield compare(still.q[0], 0.1, why="no force, no motion", what="angle without gravity [rad]")


@check("WIL-C11", kind="golden", title="Free body without gravity", source=source(11))
def free_flight() -> Iterator[Measurement]:
    """Six degrees of freedom, centre of mass off the joint, no forces: momentum and energy stay.

    Once as the source builds it (S x, S y, S z, R x, R y, R z with massless bodies between, away from
    gimbal lock), once with the native free joint.
    """
    properties = bodies.asymmetric()
    axes = [("slide", X), ("slide", Y), ("slide", Z), ("hinge", X), ("hinge", Y), ("hinge", Z)]
    chain = [
        Body(
            name=f"{n}", parent=f"{n - 1}" if n else "ground", joint=Joint(kind=kind, axis=axis),
            mass=properties if n == 5 else None,
        )
        for n, (kind, axis) in enumerate(axes)
    ]  # fmt: skip
    rates = np.array([0.4, -0.7, 0.9, 0.8, 0.3, -0.6])
    built = compile(Description(name="C11", bodies=chain))
    native = compile(bodies.free_body(properties))
    free = State.neutral(native).at(v=[0.8, 0.3, -0.6, 0.4, -0.7, 0.9])
    for name, model, state in (
        ("massless chain", built, State.neutral(built).at(v=rates)),
        ("free joint", native, free),
    ):
        end = run(model, state, seconds=2.0, dt=1e-3, integrator="rk4", gravity=NO_GRAVITY).end
        before, after = momentum(model, state), momentum(model, end)
        change = [
            *(after.linear - before.linear), *(after.angular_about_origin - before.angular_about_origin),
            energy(model, end, NO_GRAVITY).total - energy(model, state, NO_GRAVITY).total,
        ]  # fmt: skip
        yield at_most(
            change, 1e-9, why="asked for; RK4 at 1 ms leaves 1e-12", what=f"Δp, ΔL, ΔE of the {name}"
        )


@check(
    "WIL-C18", kind="golden", title="A box slides, is held, and is pushed away", source=source(18)
)  # fmt: skip
def pushed_box() -> Iterator[Measurement]:
    """μ = 0.5: from 2 m/s it stops after v²/2μg = 0.4077 m; 0.4 W holds, 0.6 W makes a = 0.981 m/s² and 0.4905 m in 1 s.

    The source's friction is a spring of 5 mm, which yields under 0.4 W; ours sticks.  Pushes are gravity that leans.
    """
    model = model_of(
        lone(Box(size=(1.0, 0.5, 0.3), density=10.0 / 0.15), place=(0.0, 0.0, 0.15)), friction=0.5
    )
    thrown = State.neutral(model).at(v=[0.0, 0.0, 0.0, 2.0, 0.0, 0.0])
    (life,) = live([model], [thrown], width=1, seconds=1.0, habitat=on(0.5))
    yield compare(life.end.q[4], 0.4077, relative=0.02, why="asked for", what="way [m]")
    ways = []
    for share in (0.4, 0.6):
        ground = on(0.5, gravity=(share * G, 0.0, -G))
        (life,) = live([model], [State.neutral(model)], width=1, seconds=1.0, habitat=ground)
        ways.append(float(life.end.q[4]))
    yield at_most(ways[0], 1e-6, why="creep allowed", what="way under 0.4 W in 1 s [m]")
    yield compare(ways[1], 0.4905, relative=0.02, why="asked for", what="way under 0.6 W in 1 s [m]")
