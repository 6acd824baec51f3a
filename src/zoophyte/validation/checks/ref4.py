"""Arnold's reference creature REF4: the table at state S1, and its free flight (ARN-C9 to C11)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from zoophyte.description import Servo
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
    point_velocity,
)
from zoophyte.validation import bodies
from zoophyte.validation.catalogue import Measurement, at_most, check, compare
from zoophyte.validation.checks.arnold import Y_UP, articulated_inertia_of, source
from zoophyte.validation.running import Life, run

PRINTED = "ten printed digits or more; 1e-9 relative asked for"
TRUNK_QUATERNION = np.array([0.9, 0.1, -0.2, 0.3]) / np.linalg.norm([0.9, 0.1, -0.2, 0.3])
Q_JOINTS = (0.3, -0.6, 0.2, -0.5, -0.3, 0.4, -0.2, 0.5)
V_S1 = (0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 1.0, -1.0, 0.5, -0.5, 0.8, -0.8, 0.2, 0.3)
TAU_S1 = (0.0,) * 6 + (1.0, -0.5, 0.5, 0.5, -1.0, 0.2, 0.3, -0.4)

MASS_TABLE = {  # mass, centre along the segment, inertia about the centre of mass
    "trunk": (10.0530964915, 0.0, (0.041820881405, 0.154616624039, 0.138531669653)),
    "front left upper": (0.4280943589, 0.089823874755, (0.001466774214, 0.000150375223, 0.001466774214)),
    "front left lower": (0.2055020474, 0.089035874439, (7.740752639e-4, 3.389954402e-5, 7.740752639e-4)),
}
A_BASE = (14.571123436133, 1.305251480951, -8.145576261967, -5.759027009250, -8.308187279488, 3.497416564411)
A_JOINTS = (
    248.358665871672, -752.639962438921, -62.438459664254, 378.027011793024, -167.358922058020,
    507.788205341817, 157.707006171889, -516.078709479221,
)  # fmt: skip
DIAGONAL = (0.149375574174, 0.240035431227, 0.187976688776, 10.779041888184, 12.250652896977, 12.587482116991)
FOOT = (0.318043989367, 0.177488214588, 0.127834895514)
LAMBDA = (
    (17.562005376640, -7.179736173767, 3.740341189263),
    (-7.179736173767, 4.480423380075, -1.899333303601),
    (3.740341189263, -1.899333303601, 2.156849639685),
)
EIGENVALUES = (1.0598429904, 1.5048608800, 21.6345745260)
LAMBDA_39 = (
    (0.033488527115, 0.229173997393, 0.075531141256),
    (0.096859548385, 0.970986102806, 0.316210890239),
    (0.044846505619, 0.136405745087, 0.039635839885),
)
KICK = (
    0.348252978835, 0.059015469453, 0.538834638233, -0.026592012601, 0.056146417300, -0.014630303963,
    7.029854169250, 7.971383955022, -0.785424309422, 1.199007149182, -0.599118196287, 0.346807261902,
    -0.311911324090, -0.316651032582,
)  # fmt: skip
FOOT_VELOCITY = (0.565192968654, -0.806667627297, -0.143831682308)
CONTACT_AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # world x, −z, y
TIP_B = (0.0, -bodies.REF4_LOWER[0], 0.0)
FLIGHT = (
    0.86579344, 0.12108439, -0.24577846, 0.41872812, 0.20616365, -0.96040845, 0.34326079, 0.05504166,
    -0.02800644, 0.03168620, 0.05174762, -0.06034294, -0.05952092, -0.01449590, 0.03915670,
)  # fmt: skip
AMPLITUDES = (0.3, -0.6, -0.3, 0.6) * 2


def creature(actuator: Servo | None = None) -> tuple[Model, State]:
    """REF4 in state S1."""
    model = compile(bodies.ref4(actuator))
    return model, State.neutral(model).at(q=[*TRUNK_QUATERNION, 0.0, 0.45, 0.0, *Q_JOINTS], v=V_S1)


@check("ARN-C10", kind="golden", title="REF4 at S1", source=source("chapter 2; table of spec §4.3", 10))
def reference_table() -> Iterator[Measurement]:
    """The whole table of the reference creature but its collision.

    Masses are those of an ellipsoid and of frustums (local −y from the hinge).  The last entry of diag 𝓘*₁
    is the total mass: all hinges are parallel to trunk z, so nothing can give way along it.  Λ maps an
    impulse at a foot to its change of velocity, Λ = J H⁻¹ Jᵀ, in contact axes x = world x, y = −world z, z
    = world y; Λ_ab is the answer of the foot of link 3 to the foot of link 9.
    """
    model, state = creature()
    yield from mass_rows(model)
    found = energy(model, state, Y_UP)
    yield compare(
        [found.kinetic, found.potential],
        (4.989755066008, 52.616940104325),
        relative=1e-9,
        why=PRINTED,
        what="T, V [J]",
    )
    a = forward_dynamics(model, state, TAU_S1, gravity=Y_UP)
    yield compare(a[:6], A_BASE, relative=1e-9, why=PRINTED, what="q̈ of the base")
    yield compare(a[6:], A_JOINTS, relative=1e-9, why=PRINTED, what="q̈ of the joints")
    yield compare(
        np.diag(articulated_inertia_of(model, state, "trunk")),
        DIAGONAL,
        relative=1e-9,
        why=PRINTED,
        what="diag 𝓘*₁",
    )
    yield from contact_rows(model, state)


def mass_rows(model: Model) -> Iterator[Measurement]:
    """Masses, centres and inertias."""
    for name, (mass, centre, inertia) in MASS_TABLE.items():
        n = model.body_index(name)
        found = [model.bodies.mass[n], -model.bodies.com[n][1], *np.diag(model.bodies.inertia[n])]
        yield compare(
            found,
            [mass, centre, *inertia],
            relative=1e-9,
            absolute=5e-13,
            why="twelve printed decimals",
            what=f"m, s_cm, I_cm of {name}",
        )
    yield compare(model.total_mass, 12.5874821170, relative=1e-9, why=PRINTED, what="total mass [kg]")


def contact_rows(model: Model, state: State) -> Iterator[Measurement]:
    """The foot of link 3: place, velocity, Λ, Λ to the foot of link 9, response to a unit normal impulse."""
    foot, other = "front left lower", "rear right lower"
    R, p = body_poses(model, state)
    n = model.body_index(foot)
    place = p[n] + R[n] @ TIP_B
    yield compare(place, FOOT, relative=1e-9, why=PRINTED, what="foot [m]")
    C = np.kron(np.eye(2), CONTACT_AXES)
    Lambda = C @ contact_matrix(model, state, [(foot, TIP_B), (other, TIP_B)]) @ C.T
    yield compare(Lambda[:3, :3], LAMBDA, relative=1e-9, why=PRINTED, what="Λ at the foot [1/kg]")
    yield compare(
        np.linalg.eigvalsh(Lambda[:3, :3]), EIGENVALUES, relative=1e-9, why=PRINTED, what="eigenvalues of Λ"
    )
    yield compare(
        Lambda[:3, 3:], LAMBDA_39, relative=1e-9, why=PRINTED, what="Λ_ab, foot of link 3 ← foot of link 9"
    )
    kick = impulse_response(model, state, {foot: Force.at_point(CONTACT_AXES[2], place)})
    yield compare(kick, KICK, relative=1e-9, why=PRINTED, what="Δq̇ of a unit normal impulse")
    velocity = CONTACT_AXES @ point_velocity(model, state, foot, TIP_B)
    yield compare(velocity, FOOT_VELOCITY, relative=1e-9, why=PRINTED, what="velocity of the foot [m/s]")


def flight(dt: float, integrator: str = "rk4") -> tuple[Model, Life]:
    """Half a second of free flight from S1 with servos λ = 5 (A sin 2πt − q) − 0.05 q̇."""
    model, state = creature(Servo(stiffness=5.0, damping=0.05))
    command = np.zeros((model.nv, 7))
    command[6:, 4], command[6:, 5] = AMPLITUDES, 2.0 * np.pi
    lived = run(
        model,
        replace(state, command=command),
        seconds=0.5,
        dt=dt,
        integrator=integrator,
        gravity=Y_UP,
        every=10,
    )
    return model, lived


def flight_errors(dt: float, integrator: str) -> tuple[float, float]:
    """Largest distance from the parabola [m] and change of L about the centre of mass [kg·m²/s]."""
    model, lived = flight(dt, integrator)
    start = momentum(model, lived.state(0))
    path, spin = [], []
    for n, t in enumerate(lived.times):
        now = momentum(model, lived.state(n))
        parabola: Floats = start.com + start.com_velocity * t + 0.5 * np.asarray(Y_UP) * t * t
        path.append(np.max(np.abs(now.com - parabola)))
        spin.append(np.max(np.abs(now.angular_about_com - start.angular_about_com)))
    return float(max(path)), float(max(spin))


@check("ARN-C9", kind="golden", title="Actuators cannot move the centre of mass", source=source("2.5", 9))
def actuated_flight() -> Iterator[Measurement]:
    """Internal forces leave the centre of mass on x₀ + u₀ t + ½ g t² and L about it constant.

    REF4 with swinging servos in free flight.  Printed: errors up to 2e-8 at h = 1 ms over 0.5 s.  That is
    what RK4 leaves, to one digit (2.1e-8 m; the dense equations integrated by RK4 on their own leave the
    same); RKF45 at the same step lies well below the bound, and RK4 falls with h⁴.
    """
    found = flight_errors(1e-3, "rk4")
    yield compare(
        found, 2e-8, absolute=5e-9, why="one printed digit", what="RK4: off the parabola [m], ΔL [kg·m²/s]"
    )
    yield at_most(flight_errors(1e-3, "rkf45"), 2e-8, why="printed bound", what="RKF45: the same")
    finer = flight_errors(5e-4, "rk4")
    orders = np.log2(np.divide(found, finer))
    yield compare(
        orders, 4.0, absolute=0.1, why="next term of the expansion at 1 ms", what="order of both errors in h"
    )


@check(
    "ARN-C11",
    kind="golden",
    title="REF4 after half a second of flight",
    source=source("2.5; table of spec §4.3", 11),
)
def free_flight() -> Measurement:
    """Where the servo-driven REF4 is after 0.5 s; printed to ±2e-8, to be met to 1e-7 with RK4 at 0.5 ms."""
    _, lived = flight(5e-4)
    return compare(lived.end.q, FLIGHT, absolute=1e-7, why="asked for; printed to ±2e-8", what="q(0.5 s)")
