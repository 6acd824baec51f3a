"""Checks of Fontijne 2000 (V-Clip, hashing, impulses, evolved creatures): articulated trees and free bodies.

The source's frames sit at centres of mass and its accelerations are classical ones; its world is y-up, and
gravity is passed so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from zoophyte.description import Body, Description, Joint, MassProperties
from zoophyte.model import Model, State, compile
from zoophyte.model.model import Floats
from zoophyte.physics import (
    Force,
    body_poses,
    contact_matrix,
    energy,
    forward_dynamics,
    impulse_response,
    momentum,
    point_acceleration,
)
from zoophyte.validation import bodies
from zoophyte.validation.bodies import Y, Z
from zoophyte.validation.catalogue import Measurement, at_most, check, compare
from zoophyte.validation.oracles import rk4, rotation_of
from zoophyte.validation.running import NO_GRAVITY, run

Y_UP = (0.0, -9.81, 0.0)
PRINTED = "six printed decimals"
HALF_DIGIT = 5e-7
Q, V = (0.3, -0.7, 0.15), (1.1, -0.6, 0.4)
TORQUES = (0.2, -0.1, 0.3)
BASE_V = (0.4, -0.5, 0.6, 0.1, -0.2, 0.3)  # ω, v


def source(number: int) -> str:
    """Where a check of §5.2 comes from."""
    return f"Fontijne 2000, 3.8; spec fontijne §5.2 C{number}"


def tree(*, floating: bool) -> Model:
    """The tree of C3: two hinged links in a row and a slider on a base."""

    def part(name: str, parent: str, joint: Joint, mass: float, com: Any, inertia: Any) -> Body:
        return Body(
            name=name, parent=parent, joint=joint, mass=MassProperties(mass=mass, com=com, inertia=inertia)
        )

    root = Joint(kind="free" if floating else "fixed")
    hinge_1 = Joint(kind="hinge", axis=Z, position=(0.5, 0.0, 0.0))
    hinge_2 = Joint(
        kind="hinge", axis=Y, position=(0.8, 0.0, 0.0)
    )  # 0.4 beyond the centre of link 1, which is 0.4 from its joint
    slide = Joint(kind="slide", axis=Y, position=(-0.3, 0.2, 0.0))
    return compile(
        Description(
            name="C3",
            bodies=[
                part("0", "ground", root, 2.0, (0, 0, 0), (0.1, 0.2, 0.3)),
                part("1", "0", hinge_1, 1.0, (0.4, 0, 0), (0.01, 0.05, 0.06)),
                part("2", "1", hinge_2, 0.7, (0.3, 0, 0.1), (0.02, 0.03, 0.04)),
                part("3", "0", slide, 0.5, (0, 0.25, 0), (0.015, 0.005, 0.015)),
            ],
        )
    )


@check("FON-C3", kind="golden", title="Articulated tree", source=source(3))
def articulated_tree() -> Iterator[Measurement]:
    """Accelerations, contact matrix K and impulse responses of a branched tree, floating and fixed.

    The base's frame is at its centre of mass and parallel to the world, so its classical acceleration is a
    = v̇ + ω × v with the derivative v̇ of the components of v that `forward_dynamics` returns.  K_b maps an
    impulse at a point of link 2 to that point's change of velocity.  With the base fixed only the two
    hinges lie between the ground and link 2: K has rank 2.
    """
    model = tree(floating=True)
    state = State.neutral(model).at(q=[1, 0, 0, 0, 0, 0, 0, *Q], v=[*BASE_V, *V])
    a = forward_dynamics(model, state, [0] * 6 + [*TORQUES], gravity=Y_UP)
    yield compare(a[:3], (0.138834, 0.042375, 0.319660), absolute=HALF_DIGIT, why=PRINTED, what="base α")
    classical = point_acceleration(model, state, a, "0")
    yield compare(
        classical, (0.835685, -9.835374, -0.025485), absolute=HALF_DIGIT, why=PRINTED, what="base a"
    )
    own = a[3:6] + np.cross(BASE_V[:3], BASE_V[3:])
    yield compare(classical, own, absolute=1e-13, why="rounding", what="base a = v̇ + ω × v")
    yield compare(a[6:], (0.761484, 4.924919, 0.973272), absolute=HALF_DIGIT, why=PRINTED, what="q̈")
    yield from impulse_rows(model, state)
    fixed = tree(floating=False)
    held = State.neutral(fixed).at(q=Q, v=V)
    found = forward_dynamics(fixed, held, TORQUES, gravity=Y_UP)
    yield compare(
        found, (-10.653054, -4.150006, -9.210000), absolute=HALF_DIGIT, why=PRINTED, what="q̈, base fixed"
    )
    K = contact_matrix(fixed, held, [("2", (0.6, 0.0, 0.1))])
    expected = (
        (2.094501, 0.159460, -1.744939),
        (0.159460, 1.628336, -0.539773),
        (-1.744939, -0.539773, 1.556173),
    )
    yield compare(K, expected, absolute=HALF_DIGIT, why=PRINTED, what="K, base fixed")
    yield compare(int(np.linalg.matrix_rank(K, tol=1e-12)), 2, why="exact", what="rank of K, base fixed")


def impulse_rows(model: Model, state: State) -> Iterator[Measurement]:
    """Centre and contact point of link 2, K there, and the responses to an impulse there and at joint 2."""
    R, p = body_poses(model, state)
    centre = p[3] + R[3] @ (0.3, 0.0, 0.1)
    point = p[3] + R[3] @ (0.6, 0.0, 0.1)
    yield compare(
        centre, (1.421929, 0.285186, 0.269750), absolute=HALF_DIGIT, why=PRINTED, what="centre of link 2"
    )
    yield compare(
        point, (1.641134, 0.352994, 0.463015), absolute=HALF_DIGIT, why=PRINTED, what="contact point"
    )
    K = contact_matrix(model, state, [("2", (0.6, 0.0, 0.1))])
    expected = (
        (2.344802, 0.149509, -1.491468),
        (0.149509, 1.848237, -0.508728),
        (-1.491468, -0.508728, 1.937066),
    )
    yield compare(K, expected, absolute=HALF_DIGIT, why=PRINTED, what="K")
    dv = impulse_response(model, state, {"2": Force.at_point((0.3, 1.0, -0.2), point)})
    wanted = (-0.446207, -0.166274, -0.245695, -0.003602, -0.120538, 0.055204, 1.565805, 3.838322, 0.046830)
    yield compare(dv, wanted, absolute=HALF_DIGIT, why=PRINTED, what="impulse there: base Δω, Δv, Δq̇")
    joint = np.zeros(9)
    joint[7] = 0.5
    dv = impulse_response(model, state, joint_impulses=joint)
    wanted = (0.727483, -0.736133, -0.336843, -0.298042, -0.077325, -0.199761, 0.612938, 7.636054, -0.023728)
    yield compare(dv, wanted, absolute=HALF_DIGIT, why=PRINTED, what="joint impulse: base Δω, Δv, Δq̇")


def tumbling() -> tuple[Model, State, MassProperties]:
    """An asymmetric free body, its frame at its centre of mass."""
    properties = bodies.asymmetric(com=(0.0, 0.0, 0.0))
    model = compile(bodies.free_body(properties))
    return model, State.neutral(model).at(v=[1.5, -2.0, 0.7, 0.4, 0.9, -0.3]), properties


@check("FON-C6", kind="golden", title="A root without children is a free body", source=source(6))
def lone_root() -> Iterator[Measurement]:
    """A floating root alone follows Newton and Euler.

    L is constant, the centre of mass falls, q̇ = ½ q (0, I⁻¹RᵀL).  These seven equations are integrated on
    their own by the same RK4 (quaternion normalised at every stage): equal to rounding.  The same root
    beside an articulated tree in one model, which does not touch it, must not notice it: equal bits.
    """
    model, state, properties = tumbling()
    lived = run(model, state, seconds=1.0, dt=1e-3, integrator="rk4", gravity=Y_UP)
    inertia = np.asarray(properties.inertia)
    L, u = inertia @ state.v[:3], state.v[3:]

    def rates(t: float, y: Floats) -> Floats:
        q = y[:4] / np.linalg.norm(y[:4])
        w = np.linalg.solve(inertia, rotation_of(q).T @ L)
        turn = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([turn, u + np.asarray(Y_UP) * t])

    end = rk4(rates, [1.0, *np.zeros(6)], seconds=1.0, dt=1e-3)[-1]
    end[:4] /= np.linalg.norm(end[:4])
    yield compare(
        lived.end.q,
        end,
        absolute=1e-11,
        why="normalised per step here, per stage there: dt⁵ and rounding",
        what="q(1 s)",
    )
    forest = Description(
        name="forest", bodies=[*bodies.free_body(properties).bodies, *bodies.double_pendulum().bodies]
    )  # fmt: skip
    both = compile(forest)
    beside = State.neutral(both)
    beside = beside.at(q=[*state.q, 2.0, 1.0], v=[*state.v, 0.0, 0.0])
    other = run(both, beside, seconds=1.0, dt=1e-3, integrator="rk4", gravity=Y_UP).end
    yield compare(
        int(np.sum(other.q[:7] != lived.end.q)), 0, why="bit for bit", what="numbers that differ in a forest"
    )


@check("FON-C7", kind="golden", title="Tumbling body and free tree keep what they must", source=source(7))
def conserved() -> Iterator[Measurement]:
    """|L| and kinetic energy of a free tumbling body; momentum of a free tree, through impulses too.

    The step carries L itself for a lone body, so |L| stays to rounding; the energy stays to the
    integrator's accuracy (RK4 at 1 ms: (ω dt)⁴).  In a tree joint impulses are internal: they change
    neither momentum.  An impulse p at the point x adds p and x × p.
    """
    model, state, _ = tumbling()
    end = run(model, state, seconds=5.0, dt=1e-3, integrator="rk4", gravity=NO_GRAVITY).end
    before, after = momentum(model, state), momentum(model, end)
    size = float(np.linalg.norm(before.angular_about_com))
    change = abs(float(np.linalg.norm(after.angular_about_com)) - size) / size
    yield at_most(change, 1e-11, why="rounding of 5000 steps", what="tumbling body: Δ|L|/|L|")
    T = energy(model, state, NO_GRAVITY).kinetic
    yield at_most(
        abs(energy(model, end, NO_GRAVITY).kinetic - T) / T,
        1e-10,
        why="RK4: (3 rad/s · 1 ms)⁴ per radian",
        what="tumbling body: ΔT/T",
    )
    yield from free_tree_rows()


def free_tree_rows() -> Iterator[Measurement]:
    """Momentum of the tree of C3 in free flight, kicked at a joint and at a point on the way."""
    model = tree(floating=True)
    state = State.neutral(model).at(q=[1, 0, 0, 0, 0, 0, 0, *Q], v=[*BASE_V, *V])
    joint = np.zeros(9)
    joint[6:] = (0.2, 0.5, -0.3)
    kicked = state.at(v=state.v + impulse_response(model, state, joint_impulses=joint))
    before, after = momentum(model, state), momentum(model, kicked)
    internal = [*(after.linear - before.linear), *(after.angular_about_origin - before.angular_about_origin)]
    yield at_most(internal, 1e-13, why="rounding", what="joint impulses: Δp, ΔL")
    impulse = np.array([0.3, 1.0, -0.2])
    R, p = body_poses(model, state)
    point = p[3] + R[3] @ (0.6, 0.0, 0.1)
    struck = kicked.at(v=kicked.v + impulse_response(model, kicked, {"2": Force.at_point(impulse, point)}))
    after = momentum(model, struck)
    external = [
        *(after.linear - before.linear - impulse),
        *(after.angular_about_origin - before.angular_about_origin - np.cross(point, impulse)),
    ]
    yield at_most(external, 1e-13, why="rounding", what="impulse at a point: Δp − p, ΔL − x × p")
    for integrator in ("rk4", "rkf45"):
        flown = momentum(
            model, run(model, struck, seconds=0.5, dt=1e-4, integrator=integrator, gravity=NO_GRAVITY).end
        )
        change = [*(flown.linear - after.linear), *(flown.angular_about_origin - after.angular_about_origin)]
        yield at_most(
            change,
            1e-11,
            why="(10 rad/s · 0.1 ms)⁴ = 1e-12 per second, and rounding",
            what=f"0.5 s of flight by {integrator}: Δp, ΔL",
        )
