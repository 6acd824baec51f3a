"""Laws of every instant: the algebra of spatial vectors, and dynamics forwards, backwards and dense."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from zoophyte.algebra import inertia as inertias
from zoophyte.algebra import quaternions, rotations, spatial
from zoophyte.description import Description
from zoophyte.model import Model, State, compile
from zoophyte.model.model import Floats
from zoophyte.physics import bias_forces, forward_dynamics, inverse_dynamics, mass_matrix
from zoophyte.validation import bodies
from zoophyte.validation.catalogue import Measurement, at_most, check, compare, holds
from zoophyte.validation.oracles import Dense
from zoophyte.validation.running import NO_GRAVITY

FEATHERSTONE = "Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2"
UP = (0.0, 0.0, -9.81)
ROUNDING = "rounding of a dozen operations"


def transform(rng: np.random.Generator) -> tuple[Any, Any]:
    """A random transform (E, r)."""
    R = Rotation.from_rotvec(rng.normal(size=3)).as_matrix()
    return tuple(R.ravel()), tuple(rng.normal(size=3))


def composed(outer: Any, inner: Any) -> tuple[Any, Any]:
    """X_CA = X_CB X_BA as (E, r): E = E₂E₁, r = r₁ + E₁ᵀr₂ (with NumPy, not by the functions under test)."""
    E2, E1 = np.reshape(outer[0], (3, 3)), np.reshape(inner[0], (3, 3))
    return tuple((E2 @ E1).ravel()), tuple(np.asarray(inner[1]) + E1.T @ outer[1])


def gap(a: Any, b: Any) -> float:
    """Largest difference of two tuples."""
    return float(np.max(np.abs(np.subtract(a, b))))


@check("LAW-spatial-algebra", kind="law", title="Spatial algebra is a group action", source=FEATHERSTONE)
def spatial_algebra() -> Iterator[Measurement]:
    """Closure, identity, inverse, associativity; invariant power; dual products; quaternions.

    Closure: X₂(X₁V) = (X₂X₁)V with the product composed by hand.  Power: V·F is the same seen from parent
    and child, which makes the force transform the transposed inverse of the motion transform.  Duality: (U
    × V)·F = −V·(U ×* F).  A rigid body's kinetic energy does not depend on the frame: V·(I V) with the
    inertia moved to the parent.  Quaternions: product against matrices, exp against log, and SciPy's
    rotation vectors.
    """
    rng = np.random.default_rng(1)
    worst: dict[str, float] = {}

    def note(name: str, error: float) -> None:
        worst[name] = max(worst.get(name, 0.0), error)

    for _ in range(200):
        X1, X2, X3 = transform(rng), transform(rng), transform(rng)
        vectors: list[Any] = [tuple(rng.normal(size=6)) for _ in range(4)]
        U, V, W, F = vectors
        note(
            "closure",
            gap(
                spatial.motion_to_child(*X2, spatial.motion_to_child(*X1, V)),
                spatial.motion_to_child(*composed(X2, X1), V),
            ),
        )
        left, right = composed(composed(X3, X2), X1), composed(X3, composed(X2, X1))
        note("associativity", gap(spatial.motion_to_child(*left, V), spatial.motion_to_child(*right, V)))
        unit = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
        note("identity", gap(spatial.motion_to_child(*unit, V), V))
        note("inverse", gap(spatial.motion_to_parent(*X1, spatial.motion_to_child(*X1, V)), V))
        power = spatial.power(spatial.motion_to_child(*X1, V), F)
        note("power is invariant", abs(power - spatial.power(V, spatial.force_to_parent(*X1, F))))
        note(
            "duality of ×, ×*",
            abs(spatial.power(spatial.cross_motion(U, V), F) + spatial.power(V, spatial.cross_force(U, F))),
        )
        jacobi = sum(
            np.asarray(spatial.cross_motion(a, spatial.cross_motion(b, c)))
            for a, b, c in ((U, V, W), (V, W, U), (W, U, V))
        )
        note("Jacobi's identity", float(np.max(np.abs(jacobi))))
        note("energy is invariant", moved_energy_gap(rng, X1, V))
        for name, error in quaternion_gaps(rng).items():
            note(name, error)
    yield compare(list(worst.values()), 0.0, absolute=1e-12, why=ROUNDING, what=", ".join(worst))


def moved_energy_gap(rng: np.random.Generator, X: tuple[Any, Any], V: Any) -> float:
    """Kinetic energy of a rigid body in its own frame and moved to its parent's."""
    properties = bodies.random_mass(rng)
    m, com = properties.mass, np.asarray(properties.com)
    about = np.asarray(properties.inertia) + m * (com @ com * np.eye(3) - np.outer(com, com))
    six: Any = tuple(about[np.triu_indices(3)])
    own = spatial.motion_to_child(*X, V)
    moved_h, moved_I = inertias.rigid_to_parent(*X, m, tuple(m * com), six)
    inside = spatial.power(own, inertias.rigid_momentum(m, tuple(m * com), six, own))
    return float(abs(inside - spatial.power(V, inertias.rigid_momentum(m, moved_h, moved_I, V))))


def quaternion_gaps(rng: np.random.Generator) -> dict[str, float]:
    """Errors of product, exponential and logarithm."""
    phi, psi = 0.8 * rng.normal(size=3), 0.8 * rng.normal(size=3)
    a, b = quaternions.quaternion_exp(tuple(phi)), quaternions.quaternion_exp(tuple(psi))
    by_product = quaternions.quaternion_matrix(quaternions.quaternion_product(a, b))
    by_matrices = np.reshape(quaternions.quaternion_matrix(a), (3, 3)) @ np.reshape(
        quaternions.quaternion_matrix(b), (3, 3)
    )
    turned = rotations.rotate(quaternions.quaternion_matrix(a), (0.3, -0.5, 0.7))
    short = Rotation.from_rotvec(phi).as_rotvec()
    return {
        "quaternion product": gap(by_product, by_matrices.ravel()),
        "exp": gap(turned, Rotation.from_rotvec(phi).apply((0.3, -0.5, 0.7))),
        "log of exp": gap(quaternions.quaternion_log(a), short),
    }


def random_forest(seed: int) -> tuple[Description, Model, State, Floats, Floats]:
    """A forest of all joint kinds with armatures, a state, accelerations and joint forces."""
    rng = np.random.default_rng(200 + seed)
    forest = bodies.random_tree(rng, int(rng.integers(4, 16)))
    rotors = []
    for body in forest.bodies:
        turns = body.joint.kind not in ("fixed", "free")
        joint = body.joint.model_copy(update={"armature": float(rng.uniform(0.0, 0.1)) if turns else 0.0})
        rotors.append(body.model_copy(update={"joint": joint}))
    forest = forest.model_copy(update={"bodies": rotors})
    model = compile(forest)
    q, v = bodies.random_coordinates(rng, forest, speed=2.0)
    return (
        forest,
        model,
        State.neutral(model).at(q=q, v=v),
        rng.normal(size=model.nv),
        rng.normal(size=model.nv),
    )


@check(
    "LAW-aba-rnea",
    kind="law",
    title="Forward, inverse and dense dynamics agree",
    source="Featherstone (2008), chapters 5 to 7",
)
def aba_rnea() -> Iterator[Measurement]:
    """ABA(RNEA(a)) = a; RNEA(ABA(τ)) = τ; ABA(τ) = M⁻¹(τ − bias); each beside dense equations.

    M is that of the composite-rigid-body method; the dense equations are assembled on their own.  Thirty
    random forests of all joint kinds, rotors on the joints; 1e-10 of the largest entry.
    """
    worst = np.zeros(5)
    for seed in range(30):
        forest, model, state, a, tau = random_forest(seed)
        dense = Dense(forest, state.q, state.v, UP)
        forces = inverse_dynamics(model, state, a)
        found = forward_dynamics(model, state, tau)
        solved = np.linalg.solve(mass_matrix(model, state), tau - bias_forces(model, state))
        pairs = (
            (forward_dynamics(model, state, forces), a),
            (inverse_dynamics(model, state, found), tau),
            (found, solved),
            (forces, dense.M @ a + dense.bias),
            (found, dense.acceleration(tau)),
        )
        sizes = (
            np.max(np.abs(a)),
            np.max(np.abs(dense.M @ found)),
            *(np.max(np.abs(exact)) for _, exact in pairs[2:]),
        )
        worst = np.maximum(
            worst, [np.max(np.abs(x - y)) / size for (x, y), size in zip(pairs, sizes, strict=True)]
        )
    names = ("ABA(RNEA(a)) − a", "RNEA(ABA(τ)) − τ", "ABA − M⁻¹(τ − bias)", "RNEA − dense", "ABA − dense")
    for name, error in zip(names, worst, strict=True):
        yield at_most(float(error), 1e-10, why="asked for: relative to the largest entry", what=name)


@check("LAW-mass-matrix", kind="law", title="Mass matrix", source="Featherstone (2008), chapter 6")
def mass_matrix_laws() -> Iterator[Measurement]:
    """M is symmetric and positive definite; ½vᵀMv is the sum over the bodies; Ṁ − 2C is skew.

    The bias without gravity is quadratic in v, b = C(v) v; its polarisation C(v) w = ½ (b(v + w) − b(v) −
    b(w)) gives the Christoffel form of C for coordinates that are their own rates (hinges and slides), and
    then Ṁ − 2C is skew.  With balls and free joints the part of it that does work remains: vᵀṀv = 2 vᵀb.  Ṁ
    is a central difference along q̇, so these rows hold to its error, step² and 1e-16/step.
    """
    symmetry, least, kinetic, working, skewness = 0.0, np.inf, 0.0, 0.0, 0.0
    for seed in range(15):
        forest, model, state, _, _ = random_forest(seed)
        M = mass_matrix(model, state)
        symmetry = max(symmetry, gap(M, M.T))
        least = min(least, float(np.linalg.eigvalsh(M)[0]))
        rotors = np.concatenate([np.asarray(b.joint.per_dof(b.joint.armature)) for b in forest.bodies])
        T = Dense(forest, state.q, state.v).kinetic + 0.5 * float(rotors @ state.v**2)
        kinetic = max(kinetic, abs(0.5 * float(state.v @ M @ state.v) / T - 1.0))
        b = bias_forces(model, state, gravity=NO_GRAVITY)
        rate = mass_matrix_rate(forest, model, state)
        working = max(working, abs(float(state.v @ rate @ state.v) - 2.0 * float(state.v @ b)) / T)
        skewness = max(skewness, skew_gap(seed))
    yield compare(symmetry, 0.0, why="exact: one half is copied", what="M − Mᵀ")
    yield holds(least > 0.0, what="M is positive definite")
    yield at_most(kinetic, 1e-10, why="asked for", what="½vᵀMv against the sum over bodies, relative")
    yield at_most(working, 1e-6, why="central difference with step 1e-4", what="vᵀ(Ṁ − 2C)v over T")
    yield at_most(
        skewness,
        1e-6,
        why="central difference with step 1e-4",
        what="Ṁ − 2C + its transpose over Ṁ, hinges and slides",
    )


STEP = 1e-4


def mass_matrix_rate(forest: Description, model: Model, state: State) -> Floats:
    """Ṁ along the motion with the velocities held."""
    ahead, behind = (
        mass_matrix(model, state.at(q=moved(forest, state.q, sign * STEP * state.v))) for sign in (1.0, -1.0)
    )
    return (ahead - behind) / (2.0 * STEP)


def moved(forest: Description, q: Floats, change: Floats) -> Floats:
    """q displaced by v dt: quaternions by the exponential, places of free bodies in turned axes."""
    out, a, b = [], 0, 0
    for body in forest.bodies:
        nq, nv = body.joint.coordinate_count, body.joint.dof_count
        own, step = q[a : a + nq], change[b : b + nv]
        a, b = a + nq, b + nv
        if body.joint.kind in ("ball", "free"):
            R = Rotation.from_quat(np.roll(own[:4], -1))  # SciPy: x, y, z, w
            out += list(np.roll((R * Rotation.from_rotvec(step[:3])).as_quat(), 1))
            out += list(own[4:] + R.apply(step[3:])) if nv == 6 else []
        else:
            out += list(own + step)
    return np.array(out)


def skew_gap(seed: int) -> float:
    """Largest entry of S + Sᵀ, S = Ṁ − 2C, over the largest of Ṁ, for a tree of hinges and slides."""
    rng = np.random.default_rng(300 + seed)
    tree = bodies.random_tree(rng, 7, kinds=("hinge", "slide", "universal"), free=False)
    model = compile(tree)
    q, v = bodies.random_coordinates(rng, tree)
    state = State.neutral(model).at(q=q, v=v)

    def b(velocity: Floats) -> Floats:
        return bias_forces(model, state.at(v=velocity), gravity=NO_GRAVITY)

    C = np.column_stack([0.5 * (b(v + e) - b(v) - b(e)) for e in np.eye(model.nv)])
    rate = mass_matrix_rate(tree, model, state)
    S = rate - 2.0 * C
    return float(np.max(np.abs(S + S.T)) / np.max(np.abs(rate)))
