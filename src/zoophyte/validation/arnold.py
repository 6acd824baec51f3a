"""Checks of Arnold 1997, *Evolution of Legged Locomotion*: spatial algebra and articulated bodies, and the creature REF4.

The source's world is y-up; gravity is passed as (0, −9.81, 0) and the creature stands as it is.  Its q̈ of the free base is the
derivative of the components of (ω, v) in trunk axes (its ζ carries the term ω_r × v_r), which is what `forward_dynamics` returns;
the +9.81 that Algorithm 2.1 gives to frame 0 is in the link accelerations only, and so does not appear.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from zoophyte.description import Body, Description, Joint, MassProperties, Servo
from zoophyte.model import Model, State, compile
from zoophyte.model import layout as at
from zoophyte.model.model import Floats
from zoophyte.numbers.forms import compiled
from zoophyte.physics import (
    Force,
    body_poses,
    contact_matrix,
    energy,
    factor_rows,
    forward_dynamics,
    impulse_response,
    momentum,
    point_acceleration,
    point_velocity,
)
from zoophyte.physics.functions import block_of
from zoophyte.physics.dynamics.response import articulated_inertias
from zoophyte.validation import bodies
from zoophyte.validation.bodies import X, Z
from zoophyte.validation.catalogue import Measurement, at_most, check, compare
from zoophyte.validation.oracles import Dense, skew
from zoophyte.validation.running import NO_GRAVITY, energies, run

Y_UP = (0.0, -9.81, 0.0)
ROUNDING = "rounding of an O(n³) solve; 1e-10 asked for"


def source(place: str, number: int) -> str:
    """Where a check of §5.1 comes from."""
    return f"Arnold 1997, {place}; spec arnold §5.1 C-{number:02d}"


def random_case(seed: int) -> tuple[Description, Model, State, Floats]:
    """A random tree of ten links with the source's joints, a state and joint forces."""
    rng = np.random.default_rng(seed)
    tree = bodies.random_tree(rng, 10, kinds=bodies.ARNOLD_KINDS)
    model = compile(tree)
    q, v = bodies.random_coordinates(rng, tree)
    return tree, model, State.neutral(model).at(q=q, v=v), rng.normal(size=model.nv)


@check("ARN-C1", kind="golden", title="Articulated bodies beside the dense method", source=source("2.3, Algorithm 2.1", 1))
def forward_beside_dense() -> Measurement:
    """q̈ of the articulated-body algorithm against H⁻¹(λ − C) on twenty random trees (free base; hinges, slides, balls, welds;
    random rest rotations).  H and C come from Jacobians in world axes, by code that shares nothing with the kernels."""
    errors = []
    for seed in range(20):
        tree, model, state, tau = random_case(seed)
        exact = Dense(tree, state.q, state.v, Y_UP).acceleration(tau)
        found = forward_dynamics(model, state, tau, gravity=Y_UP)
        errors.append(float(np.max(np.abs(found - exact)) / np.max(np.abs(exact))))
    return at_most(max(errors), 1e-10, why=ROUNDING, what="largest difference over largest q̈, 20 trees")


def unit_wrenches(model: Model) -> list[Floats]:
    """A unit wrench about each body's origin along each of the six world axes, body by body."""
    sets = []
    for body in range(1, model.body_count):
        for axis in range(6):
            wrench = np.zeros((model.body_count, 6))
            wrench[body, axis] = 1.0
            sets.append(wrench)
    return sets


@check("ARN-C2", kind="golden", title="Cross-link inverse inertia ϰ", source=source("2.4.2, eqs 2.17–2.19", 2))
def cross_link_inertia() -> Iterator[Measurement]:
    """ϰ_ij, the acceleration of link i per force on link j, is Y_i Y_jᵀ in the factored form; it must equal J_i H⁻¹ J_jᵀ.

    Symmetry ϰ_ij = ϰ_jiᵀ is built into Y Yᵀ; the response Δq̇ = H⁻¹ Jᵀ f of `impulse_response` is the other half of the
    factor, and forces superpose: q̈(λ, f) − q̈(λ, 0) = H⁻¹ Jᵀ f.
    """
    kappa, change, extra = [], [], []
    for seed in range(6):
        tree, model, state, tau = random_case(seed)
        dense = Dense(tree, state.q, state.v)
        names = [body.name for body in tree.bodies]
        J = np.concatenate([dense.spatial_jacobian(name) for name in names])
        Y = factor_rows(model, state, unit_wrenches(model))
        exact = J @ np.linalg.solve(dense.M, J.T)
        kappa.append(np.max(np.abs(Y @ Y.T - exact)) / np.max(np.abs(exact)))
        wrench = np.concatenate([np.zeros((1, 6)), np.random.default_rng(seed).normal(size=(len(names), 6))])
        moved = np.linalg.solve(dense.M, J.T @ wrench[1:].ravel())
        change.append(np.max(np.abs(impulse_response(model, state, wrench) - moved)) / np.max(np.abs(moved)))
        pushed = forward_dynamics(model, state, tau, wrench) - forward_dynamics(model, state, tau)
        extra.append(np.max(np.abs(pushed - moved)) / np.max(np.abs(moved)))
    yield at_most(float(max(kappa)), 1e-10, why=ROUNDING, what="ϰ_ij against J_i H⁻¹ J_jᵀ, all i, j")
    yield at_most(float(max(change)), 1e-10, why=ROUNDING, what="Δq̇ of impulses on all links")
    yield at_most(float(max(extra)), 1e-10, why=ROUNDING, what="superposition of external forces")


def link_inertias(model: Model, state: State) -> tuple[list[Floats], list[Floats], list[Floats]]:
    """(articulated 𝓘*, rigid 𝓘, X from the parent) of every link but the ground, as 6×6 matrices in link axes."""
    block = block_of(model, state)
    compiled(articulated_inertias)(block.ints, block.data, block.scratch, block.spec)
    work = block.work[:, 0]
    articulated, rigid, transforms = [], [], []
    for link, start in enumerate(block.layout.scratch_offsets[1:], start=1):
        n = work[start + at.IA : start + at.IA + 21]
        upper = np.zeros((6, 6))
        upper[:3, :3], upper[3:, 3:] = symmetric(n[:6]), symmetric(n[15:21])
        upper[:3, 3:] = n[6:15].reshape(3, 3)
        upper[3:, :3] = upper[:3, 3:].T
        articulated.append(upper)
        h, m = skew(model.links.moment[link]), model.links.mass[link] * np.eye(3)
        rigid.append(np.block([[model.links.inertia[link], h], [h.T, m]]))
        E, r = work[start + at.E : start + at.E + 9].reshape(3, 3), work[start + at.R : start + at.R + 3]
        transforms.append(np.block([[E, np.zeros((3, 3))], [-E @ skew(r), E]]))
    return articulated, rigid, transforms


def symmetric(six: Floats) -> Floats:
    """The matrix of (xx, xy, xz, yy, yz, zz)."""
    return six[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3)


MODES = {at.HINGE: [2], at.SLIDE: [5], at.BALL: [0, 1, 2], at.FREE: [0, 1, 2, 3, 4, 5]}


@check("ARN-C3", kind="golden", title="What a joint passes on of an articulated inertia", source=source("2.3.1, eqs 2.10–2.14", 3))
def articulated_inertia() -> Iterator[Measurement]:
    """𝓝 = 𝓘* − 𝓘*φ 𝓜⁻¹ φᵀ𝓘* equals φ̄(φ̄ᵀ 𝓘*⁻¹ φ̄)⁻¹ φ̄ᵀ: what the free modes φ let slip, the constrained ones φ̄ transmit.

    The algorithm adds Xᵀ𝓝X to the parent's rigid inertia; the difference 𝓘*_p − 𝓘_p is compared with the sum of the second
    form over the children.  Every 𝓘* must be positive definite.  Independently, the mobility ϰ_11 = 𝓘*₁⁻¹ of the free root
    is J₁ H⁻¹ J₁ᵀ of the dense method.
    """
    passed_on, least, root = [], [], []
    for seed in range(6):
        tree, model, state, _ = random_case(seed)
        articulated, rigid, X_LP = link_inertias(model, state)
        expected = [inertia.copy() for inertia in rigid]
        for link in range(len(articulated) - 1, -1, -1):
            parent = model.links.parent[link + 1] - 1
            kept = [axis for axis in range(6) if axis not in MODES[int(model.links.kind[link + 1])]]
            if parent >= 0 and kept:
                N = np.zeros((6, 6))
                N[np.ix_(kept, kept)] = np.linalg.inv(np.linalg.inv(articulated[link])[np.ix_(kept, kept)])
                expected[parent] += X_LP[link].T @ N @ X_LP[link]
        passed_on += [np.max(np.abs(a - e)) / np.max(np.abs(a)) for a, e in zip(articulated, expected, strict=True)]
        least += [float(np.linalg.eigvalsh(a)[0] / np.linalg.eigvalsh(a)[-1]) for a in articulated]
        dense = Dense(tree, state.q, state.v)
        J, R = dense.spatial_jacobian("b0"), dense.frames["b0"].R
        turn = np.block([[R, np.zeros((3, 3))], [np.zeros((3, 3)), R]])
        mobility = turn.T @ J @ np.linalg.solve(dense.M, J.T) @ turn
        root.append(np.max(np.abs(mobility @ articulated[0] - np.eye(6))))
    yield at_most(float(max(passed_on)), 1e-10, why=ROUNDING, what="𝓘*_p − 𝓘_p against Σ Xᵀφ̄(φ̄ᵀ𝓘*⁻¹φ̄)⁻¹φ̄ᵀX")
    yield compare(float(min(least) > 0.0), 1.0, why="positive or not", what="every 𝓘* is positive definite")
    yield at_most(float(max(root)), 1e-10, why=ROUNDING, what="𝓘*₁ J₁H⁻¹J₁ᵀ − 1")


def angular_acceleration(model: Model, state: State, a: Any, body: str) -> Floats:
    """α of a body in its own axes, from the accelerations of four of its points.

    a(p) − a(0) = α × p + ω × (ω × p); for the three unit vectors this is the matrix [α]× + ωωᵀ − ω²1, whose antisymmetric
    part is α.
    """
    origin = point_acceleration(model, state, a, body)
    R = body_poses(model, state)[0][model.body_index(body)]
    G = R.T @ np.column_stack([point_acceleration(model, state, a, body, e) - origin for e in np.eye(3)])
    return 0.5 * np.array([G[2, 1] - G[1, 2], G[0, 2] - G[2, 0], G[1, 0] - G[0, 1]])


@check("ARN-C4", kind="golden", title="Velocity product of a turned joint", source=source("2.2, eq. 2.5", 4))
def velocity_product() -> Measurement:
    """ω_p = (0, 0, 1), A′ with rows (0,1,0), (0,0,1), (1,0,0), a hinge about local x at 0 with q̇ = 1: ζ_ang = (Aω_p) × (1,0,0).

    Aω_p = (0, 1, 0), so ζ_ang = (0, 0, −1) in link axes; without turning ω_p first (as printed) it would be (1, 0, 0).
    """
    A = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    turn = (0.5, -0.5, -0.5, -0.5)  # quaternion of Aᵀ, which takes link coordinates to the parent's
    assert np.allclose(A.T @ (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    mass = MassProperties(mass=1.0, inertia=(1.0, 1.0, 1.0))
    spinner = [
        Body(name="base", joint=Joint(kind="hinge", axis=Z), mass=mass),
        Body(name="link", parent="base", joint=Joint(kind="hinge", axis=X, rotation=turn), mass=mass),
    ]
    model = compile(Description(name="ζ", bodies=spinner))
    state = State.neutral(model).at(v=[1.0, 1.0])
    R = body_poses(model, state)[0]
    zeta = angular_acceleration(model, state, np.zeros(2), "link")
    return compare([*R[2].T.ravel(), *zeta], [*A.ravel(), 0.0, 0.0, -1.0], absolute=1e-14, why="rounding", what="A, ζ_ang")


@check("ARN-C5", kind="golden", title="Free body that spins as it flies", source=source("2.2", 5))
def spinning_flight() -> Iterator[Measurement]:
    """ω = (0, 0, 1), v = (1, 0, 0), centre of mass at the origin, no gravity, π/2 s: it turns by 90° and flies on straight.

    Without the term ω_r × v_r the world velocity would turn to (0, 1, 0); without the ½ of the quaternion rate the body would
    turn by 180°.
    """
    mass = MassProperties(mass=2.0, inertia=(0.3, 0.4, 0.5))
    model = compile(bodies.free_body(mass))
    state = State.neutral(model).at(v=[0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    end = run(model, state, seconds=0.5 * np.pi, dt=0.5 * np.pi / 1000.0, integrator="rk4", gravity=NO_GRAVITY).end
    half = 0.5**0.5
    yield compare(point_velocity(model, end, "body"), (1.0, 0.0, 0.0), absolute=1e-12, why="rounding of 1000 steps", what="world velocity")
    wanted = (half, 0.0, 0.0, half, 0.5 * np.pi, 0.0, 0.0)
    yield compare(end.q, wanted, absolute=1e-12, why="RK4: dt⁴/120, dt = 1.6 ms", what="quaternion and position")


@check("ARN-C6", kind="golden", title="A passive tree keeps its energy", source=source("2.5", 6))
def passive_energy() -> Measurement:
    """A random tree of eight links, no forces but gravity, RK4 with h = 5e-4 for 1 s: |ΔE| over the kinetic energy at the start.

    Each of the errors in print (sine sign of the hinge, missing Aᵀ, missing ω_r × v_r, missing ½) gives tens of per cent.
    """
    model, state = tree_of_eight()
    lived = run(model, state, seconds=1.0, dt=5e-4, integrator="rk4", gravity=Y_UP)
    E = energies(model, lived, Y_UP)
    change = abs(E[-1] - E[0]) / energy(model, state, Y_UP).kinetic
    return at_most(float(change), 1e-12, why="asked for: h⁴ times the tree's slow motion", what="|ΔE|/T₀")


def tree_of_eight() -> tuple[Model, State]:
    """A passive tree that moves slowly enough for RK4 at 0.5 ms to stay at rounding."""
    rng = np.random.default_rng(8)
    tree = bodies.random_tree(rng, 8, kinds=bodies.ARNOLD_KINDS)
    model = compile(tree)
    q, v = bodies.random_coordinates(rng, tree, speed=0.5)
    return model, State.neutral(model).at(q=q, v=v)


@check("ARN-C7", kind="golden", title="Energy error of RK4 against the step", source=source("2.5", 7))
def energy_against_step() -> Measurement:
    """The tree of ARN-C6 over 0.5 s at h = 0.02, 0.01, 0.005, 0.0025: halving the step divides the energy error by 2⁴."""
    model, state = tree_of_eight()
    errors = []
    for h in (0.02, 0.01, 0.005, 0.0025):
        E = energies(model, run(model, state, seconds=0.5, dt=h, integrator="rk4", gravity=Y_UP), Y_UP)
        errors.append(E[-1] - E[0])
    ratios = [errors[n] / errors[n + 1] for n in range(3)]
    return compare(ratios, 16.0, absolute=4.0, why="next order of the error expansion at h = 0.02", what="ratios")


@check("ARN-C8", kind="golden", title="Sense of a hinge", source=source("2.1.2", 8))
def hinge_sense() -> Measurement:
    """A hinge about x at +90° carries a link along local −y to the parent's −z: Rx(90°)(0, −1, 0) = (0, 0, −1)."""
    body = Body(name="link", joint=Joint(kind="hinge", axis=X), mass=bodies.rod(1.0, 1.0, along=(0.0, -1.0, 0.0)))
    model = compile(Description(name="hinge", bodies=[body]))
    R = body_poses(model, State.neutral(model).at(q=[0.5 * np.pi]))[0]
    return compare(R[1] @ (0.0, -1.0, 0.0), (0.0, 0.0, -1.0), absolute=1e-15, why="rounding of π/2", what="tip")
