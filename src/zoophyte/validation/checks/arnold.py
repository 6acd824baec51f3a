"""Checks of Arnold 1997, *Evolution of Legged Locomotion*: spatial algebra and articulated bodies.

The source's world is y-up; gravity is passed as (0, −9.81, 0) and the creature stands as it is.  Its q̈ of
the free base is the derivative of the components of (ω, v) in trunk axes (its ζ carries the term ω_r ×
v_r), which is what `forward_dynamics` returns; the +9.81 that Algorithm 2.1 gives to frame 0 is in the link
accelerations only, and so does not appear.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from zoophyte.description import Body, Description, Joint, MassProperties
from zoophyte.model import Model, State, compile
from zoophyte.model.model import Floats
from zoophyte.physics import (
    Forces,
    body_poses,
    energy,
    factor_rows,
    forward_dynamics,
    impulse_response,
    point_acceleration,
    point_velocity,
)
from zoophyte.validation import bodies
from zoophyte.validation.bodies import X, Z
from zoophyte.validation.catalogue import Measurement, at_most, check, compare, holds
from zoophyte.validation.oracles import Dense, skew
from zoophyte.validation.running import NO_GRAVITY, energies, run, slope

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


@check(
    "ARN-C1",
    kind="golden",
    title="Articulated bodies beside the dense method",
    source=source("2.3, Algorithm 2.1", 1),
)
def forward_beside_dense() -> Measurement:
    """q̈ of the articulated-body algorithm against H⁻¹(λ − C) on twenty random trees.

    Free base; hinges, slides, balls and welds; random rest rotations.  H and C come from Jacobians in world
    axes, by code that shares nothing with the kernels.
    """
    errors = []
    for seed in range(20):
        tree, model, state, tau = random_case(seed)
        exact = Dense(tree, state.q, state.v, Y_UP).acceleration(tau)
        found = forward_dynamics(model, state, tau, gravity=Y_UP)
        errors.append(float(np.max(np.abs(found - exact)) / np.max(np.abs(exact))))
    return at_most(max(errors), 1e-10, why=ROUNDING, what="largest difference over largest q̈, 20 trees")


def unit_wrenches(model: Model) -> list[Forces]:
    """A unit wrench about each body's origin along each of the six world axes, body by body."""
    sets: list[Forces] = []
    for body in range(1, model.body_count):
        for axis in range(6):
            wrench = np.zeros((model.body_count, 6))
            wrench[body, axis] = 1.0
            sets.append(wrench)
    return sets


@check(
    "ARN-C2", kind="golden", title="Cross-link inverse inertia ϰ", source=source("2.4.2, eqs 2.17–2.19", 2)
)
def cross_link_inertia() -> Iterator[Measurement]:
    """ϰ_ij, the acceleration of link i per force on link j, equals J_i H⁻¹ J_jᵀ.

    In the factored form it is Y_i Y_jᵀ.  Symmetry ϰ_ij = ϰ_jiᵀ is built into Y Yᵀ; the response Δq̇ = H⁻¹
    Jᵀ f of `impulse_response` is the other half of the factor, and forces superpose: q̈(λ, f) − q̈(λ, 0) =
    H⁻¹ Jᵀ f.
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


def articulated_inertia_of(model: Model, state: State, body: str) -> Floats:
    """𝓘* of a free body in its own axes: the inverse of its answer ϰ to forces on itself."""
    sets: list[Forces] = []
    R = body_poses(model, state)[0][model.body_index(body)]
    for axis in range(6):
        wrench = np.zeros((model.body_count, 6))
        wrench[model.body_index(body), 3 * (axis // 3) : 3 * (axis // 3) + 3] = R[:, axis % 3]
        sets.append(wrench)
    Y = factor_rows(model, state, sets)
    return np.asarray(np.linalg.inv(Y @ Y.T), float)


def hung_on_a_base(seed: int, kind: str) -> tuple[Floats, Floats, Floats]:
    """(𝓘* of a random free tree, 𝓝 that it passes through a joint to a base, modes φ of that joint)."""
    rng = np.random.default_rng(seed)
    tree = bodies.random_tree(rng, 6, kinds=bodies.ARNOLD_KINDS)
    q, v = bodies.random_coordinates(rng, tree)
    model = compile(tree)
    articulated = articulated_inertia_of(model, State.neutral(model).at(q=q, v=v), "b0")
    turn, axis = rng.normal(size=4), rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    arm = {} if kind == "ball" else {"axis": tuple(axis)}
    joint = Joint(
        kind=kind, position=tuple(rng.normal(size=3)), rotation=tuple(turn / np.linalg.norm(turn)), **arm
    )
    base = Body(name="base", joint=Joint(kind="free"), mass=bodies.random_mass(rng))
    root = tree.bodies[0].model_copy(update={"parent": "base", "joint": joint})
    held = compile(Description(name="hung", bodies=[base, root, *tree.bodies[1:]]))
    own: list[float] = {"hinge": [0.7], "slide": [0.2], "ball": q[:4].tolist()}[kind]
    state = State.neutral(held).at(q=[1.0, *np.zeros(6), *own, *q[7:]])
    R, p = body_poses(held, state)
    E, r, properties = R[2].T, p[2], base.mass_properties()
    X_BP = np.block([[E, np.zeros((3, 3))], [-E @ skew(r), E]])
    c = skew(np.asarray(properties.com))
    rigid = np.block([
        [np.asarray(properties.inertia) - properties.mass * c @ c, properties.mass * c],
        [-properties.mass * c, properties.mass * np.eye(3)],
    ])  # fmt: skip
    passed = (
        np.linalg.inv(X_BP).T @ (articulated_inertia_of(held, state, "base") - rigid) @ np.linalg.inv(X_BP)
    )
    modes = (
        np.eye(6)[:, :3]
        if kind == "ball"
        else np.eye(6)[:, slice(0, 3) if kind == "hinge" else slice(3, 6)] @ axis[:, None]
    )
    return articulated, passed, modes


@check(
    "ARN-C3",
    kind="golden",
    title="What a joint passes on of an articulated inertia",
    source=source("2.3.1, eqs 2.10–2.14", 3),
)
def articulated_inertia() -> Iterator[Measurement]:
    """What the free modes φ of a joint let slip, the constrained ones φ̄ transmit.

    That is, 𝓝 = 𝓘* − 𝓘*φ 𝓜⁻¹ φᵀ𝓘* equals φ̄(φ̄ᵀ 𝓘*⁻¹ φ̄)⁻¹ φ̄ᵀ.

    𝓘* of a random free tree is the inverse of its root's answer to forces.  The same tree is then hung by a
    joint on a base of known inertia, whose own 𝓘* is 𝓘_base + Xᵀ𝓝X; so 𝓝 is measured, and compared with the
    form in φ̄.  It must transmit nothing along φ, and every 𝓘* must be positive definite.
    """
    errors, leaks, least = [], [], []
    for seed in range(5):
        for kind in ("hinge", "slide", "ball"):
            articulated, passed, modes = hung_on_a_base(seed, kind)
            kept = np.linalg.svd(modes)[0][:, modes.shape[1] :]
            expected = kept @ np.linalg.inv(kept.T @ np.linalg.inv(articulated) @ kept) @ kept.T
            errors.append(np.max(np.abs(passed - expected)) / np.max(np.abs(articulated)))
            leaks.append(np.max(np.abs(passed @ modes)) / np.max(np.abs(articulated)))
            least.append(np.linalg.eigvalsh(articulated)[0])
    yield at_most(float(max(errors)), 1e-10, why=ROUNDING, what="𝓝 against φ̄(φ̄ᵀ𝓘*⁻¹φ̄)⁻¹φ̄ᵀ, over 𝓘*")
    yield at_most(float(max(leaks)), 1e-10, why=ROUNDING, what="𝓝φ, over 𝓘*")
    yield holds(min(least) > 0.0, what="every 𝓘* is positive definite")


def angular_acceleration(model: Model, state: State, a: Any, body: str) -> Floats:
    """α of a body in its own axes, from the accelerations of four of its points.

    a(p) − a(0) = α × p + ω × (ω × p); for the three unit vectors this is the matrix [α]× + ωωᵀ − ω²1, whose
    antisymmetric part is α.
    """
    origin = point_acceleration(model, state, a, body)
    R = body_poses(model, state)[0][model.body_index(body)]
    G = R.T @ np.column_stack([point_acceleration(model, state, a, body, e) - origin for e in np.eye(3)])
    return 0.5 * np.array([G[2, 1] - G[1, 2], G[0, 2] - G[2, 0], G[1, 0] - G[0, 1]])


@check("ARN-C4", kind="golden", title="Velocity product of a turned joint", source=source("2.2, eq. 2.5", 4))
def velocity_product() -> Measurement:
    """ζ_ang = (Aω_p) × φq̇: the parent's angular velocity must be turned into link axes first.

    ω_p = (0, 0, 1), A′ with rows (0,1,0), (0,0,1), (1,0,0), a hinge about local x at 0 with q̇ = 1.  Aω_p =
    (0, 1, 0), so ζ_ang = (0, 0, −1) in link axes; without turning ω_p first (as printed) it would be (1, 0,
    0).
    """
    A = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    turn = (
        0.5,
        0.5,
        0.5,
        0.5,
    )  # quaternion of Aᵀ, which takes link coordinates to the parent's: x → y → z → x
    mass = MassProperties(mass=1.0, inertia=(1.0, 1.0, 1.0))
    spinner = [
        Body(name="base", joint=Joint(kind="hinge", axis=Z), mass=mass),
        Body(name="link", parent="base", joint=Joint(kind="hinge", axis=X, rotation=turn), mass=mass),
    ]
    model = compile(Description(name="ζ", bodies=spinner))
    state = State.neutral(model).at(v=[1.0, 1.0])
    R = body_poses(model, state)[0]
    zeta = angular_acceleration(model, state, np.zeros(2), "link")
    return compare(
        [*R[2].T.ravel(), *zeta],
        [*A.ravel(), 0.0, 0.0, -1.0],
        absolute=1e-14,
        why="rounding",
        what="A, ζ_ang",
    )


@check("ARN-C5", kind="golden", title="Free body that spins as it flies", source=source("2.2", 5))
def spinning_flight() -> Iterator[Measurement]:
    """A body that spins by 90° as it flies keeps its velocity in the world.

    ω = (0, 0, 1), v = (1, 0, 0), centre of mass at the origin, no gravity, π/2 s.  Without the term ω_r ×
    v_r the world velocity would turn to (0, 1, 0); without the ½ of the quaternion rate the body would turn
    by 180°.
    """
    mass = MassProperties(mass=2.0, inertia=(0.3, 0.4, 0.5))
    model = compile(bodies.free_body(mass))
    state = State.neutral(model).at(v=[0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    end = run(
        model, state, seconds=0.5 * np.pi, dt=0.5 * np.pi / 1000.0, integrator="rk4", gravity=NO_GRAVITY
    ).end
    half = 0.5**0.5
    yield compare(
        point_velocity(model, end, "body"),
        (1.0, 0.0, 0.0),
        absolute=1e-12,
        why="rounding of 1000 steps",
        what="world velocity",
    )
    wanted = (half, 0.0, 0.0, half, 0.5 * np.pi, 0.0, 0.0)
    yield compare(
        end.q, wanted, absolute=1e-12, why="RK4: dt⁴/120, dt = 1.6 ms", what="quaternion and position"
    )


def passive_tree(seed: int) -> tuple[Model, State]:
    """A random tree of eight links in motion."""
    rng = np.random.default_rng(seed)
    tree = bodies.random_tree(rng, 8, kinds=bodies.ARNOLD_KINDS)
    model = compile(tree)
    q, v = bodies.random_coordinates(rng, tree)
    return model, State.neutral(model).at(q=q, v=v)


def energy_change(model: Model, state: State, *, seconds: float, h: float, gravity: Any) -> float:
    """E at the end of a life with RK4 minus E at its start [J]."""
    E = energies(model, run(model, state, seconds=seconds, dt=h, integrator="rk4", gravity=gravity), gravity)
    return float(E[-1] - E[0])


@check("ARN-C6", kind="golden", title="A passive tree keeps its energy", source=source("2.5", 6))
def passive_energy() -> Measurement:
    """Random trees of eight links without any force keep their energy.

    RK4 with h = 5e-4 for 1 s; |ΔE| over the kinetic energy at the start.  Each of the errors in print (sine
    sign of the hinge, missing Aᵀ, missing ω_r × v_r, missing ½) gives tens of per cent.
    """
    changes = []
    for seed in range(8):
        model, state = passive_tree(seed)
        changes.append(
            abs(energy_change(model, state, seconds=1.0, h=5e-4, gravity=NO_GRAVITY))
            / energy(model, state).kinetic
        )
    return at_most(
        max(changes), 1e-12, why="asked for: rounding of 2000 steps", what="largest |ΔE|/T₀ of 8 trees"
    )


@check("ARN-C7", kind="golden", title="Energy error of RK4 against the step", source=source("2.5", 7))
def energy_against_step() -> Measurement:
    """Halving the step divides the energy error of RK4 by 2⁴.

    A tree of ARN-C6, falling, over 0.5 s at h = 0.02, 0.01, 0.005, 0.0025.  The slope of log |ΔE| on log h;
    a tree whose error has one sign throughout, so that no zero of it disturbs the fit.
    """
    model, state = passive_tree(5)
    steps = (0.02, 0.01, 0.005, 0.0025)
    errors = [energy_change(model, state, seconds=0.5, h=h, gravity=Y_UP) for h in steps]
    return compare(
        slope(steps, errors), 4.0, absolute=0.1, why="next term of the expansion at h = 0.02", what="order"
    )


@check("ARN-C8", kind="golden", title="Sense of a hinge", source=source("2.1.2", 8))
def hinge_sense() -> Measurement:
    """A hinge about x at +90° carries a link along −y to the parent's −z: Rx(90°)(0, −1, 0) = (0, 0, −1)."""
    body = Body(
        name="link", joint=Joint(kind="hinge", axis=X), mass=bodies.rod(1.0, 1.0, along=(0.0, -1.0, 0.0))
    )
    model = compile(Description(name="hinge", bodies=[body]))
    R = body_poses(model, State.neutral(model).at(q=[0.5 * np.pi]))[0]
    return compare(
        R[1] @ (0.0, -1.0, 0.0), (0.0, 0.0, -1.0), absolute=1e-15, why="rounding of π/2", what="tip"
    )
