"""The physics of one model and one state, as functions: dynamics both ways, energy, momentum, Jacobians, responses.

Each call packs the state into a block of one, runs a kernel and reads the result; a model keeps its block.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zoophyte.errors import UsageError, real_numbers
from zoophyte.model import STANDARD_GRAVITY, Block, ContactSettings, Model, State
from zoophyte.model import layout as at
from zoophyte.model.layout import INTEGRATORS
from zoophyte.model.model import Floats
from zoophyte.numbers.forms import compiled
from zoophyte.physics import forces as passive
from zoophyte.physics.dynamics import forward, inverse, kinematics, response, totals
from zoophyte.physics.dynamics import mass_matrix as crba
from zoophyte.physics.external import Force, Forces, link_wrenches
from zoophyte.physics.living import advance

MAX_DENSE = 10_000  # degrees of freedom; a mass matrix of this size takes 800 MB


@dataclass(frozen=True)
class Energy:
    """Energies [J]; the potential is −Σ m g·x, zero at the world's origin."""

    kinetic: float
    potential: float
    elastic: float

    @property
    def total(self) -> float:
        """Everything together."""
        return self.kinetic + self.potential + self.elastic


@dataclass(frozen=True)
class Momentum:
    """Momentum of all moving bodies, in world axes."""

    linear: Floats
    angular_about_com: Floats
    angular_about_origin: Floats
    com: Floats
    mass: float

    @property
    def com_velocity(self) -> Floats:
        """Velocity of the centre of mass [m/s]."""
        return self.linear / (self.mass or 1.0)


def _refuse_others(model: Model, state: State) -> None:
    if not issubclass(type(model), Model) or not issubclass(type(state), State):
        raise UsageError(
            f"a Model and a State are needed, not {type(model).__name__} and {type(state).__name__}; "
            "zp.compile makes a model, zp.State.neutral a state."
        )


def block_of(model: Model, state: State, gravity: Any = STANDARD_GRAVITY) -> Block:
    """The model's own block of one, loaded with `state`."""
    _refuse_others(model, state)
    state.checked(model)
    # Kept on the model, one per thread: it lives as long as the model does, and threads may share a model.
    blocks: dict[int, Block] = model.__dict__.setdefault("_blocks", {})
    block = blocks.get(threading.get_ident())
    if block is None:
        block = blocks[threading.get_ident()] = Block([model])
    block.set_gravity(_gravity(gravity))
    block.set_state(0, state)
    block.set_flags(at.FLAG_FORCES | at.FLAG_IMPLICIT, False)
    return block


def _gravity(gravity: Any) -> Floats:
    wanted = "three finite numbers (x, y, z) [m/s²]"
    vector = real_numbers(gravity, "gravity", wanted)
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        raise UsageError(f"gravity is {gravity!r}, must be {wanted}.")
    return vector


def _dof_vector(model: Model, values: Any, name: str) -> Floats:
    vector = np.zeros(model.nv) if values is None else real_numbers(values, name)
    if vector.shape != (model.nv,):
        raise UsageError(
            f"{model.name}: {name} has shape {vector.shape}, must be ({model.nv},), one per degree of freedom."
        )
    if not np.all(np.isfinite(vector)):
        dof = model.dof_names[int(np.flatnonzero(~np.isfinite(vector))[0])]
        raise UsageError(f"{model.name}: {name} holds a value that is not finite, of {dof!r}.")
    return vector


def numbers_of(values: Any, name: str) -> Floats:
    """An array of finite numbers.

    Raises:
        UsageError: when it holds something else.
    """
    array = real_numbers(values, name)
    if not np.all(np.isfinite(array)):
        raise UsageError(f"{name} holds a value that is not finite.")
    return array


def _run(kernel: Any, block: Block, *more: Any) -> None:
    compiled(kernel)(block.ints, block.data, block.scratch, *more, block.spec)


def _link_poses(block: Block) -> tuple[Floats, Floats]:
    """(R_WL, p_WL) of every link after world_poses ran."""
    offsets = np.array(block.layout.scratch_offsets)
    work = block.work[:, 0]
    R = work[offsets[:, None] + at.WORLD_R + np.arange(9)].reshape(-1, 3, 3)
    return np.asarray(R, float), np.asarray(work[offsets[:, None] + at.WORLD_P + np.arange(3)], float)


def _link_vectors(block: Block, field: int) -> Floats:
    offsets = np.array(block.layout.scratch_offsets)
    return np.asarray(block.work[offsets[:, None] + field + np.arange(6), 0], float)


def _apply_forces(block: Block, forces: Forces | None) -> None:
    if forces is None:
        return
    _run(kinematics.poses, block)
    wrenches = link_wrenches(block.models[0], forces, *_link_poses(block))
    for link, start in enumerate(block.layout.data_offsets[1:], start=1):
        block.fields[start + at.FORCE : start + at.FORCE + 6, 0] = wrenches[link]
    block.set_flags(at.FLAG_FORCES, True)


def forward_dynamics(
    model: Model, state: State, tau: Any = None, forces: Forces | None = None, gravity: Any = STANDARD_GRAVITY,
    driven: Any = None,
) -> Floats:  # fmt: skip
    """Accelerations (nv,) under joint forces `tau` and external `forces`; springs and actuators are not added.

    Args:
        model: the body.
        state: its coordinates and velocities.
        tau: joint forces (nv,) [N·m or N]; zero if left out.
        forces: external forces by body name, or world-axis wrenches about each body's origin (bodies, 6).
        gravity: [m/s²].
        driven: accelerations (nv,) of the driven coordinates (others are ignored); zero if left out.

    Returns:
        Derivative of v.  Driven coordinates keep their given acceleration (see :func:`driven_forces`).
    """
    block = _forward(model, state, tau, forces, gravity, driven)
    return block.dofs(at.ACCELERATION)


def driven_forces(
    model: Model, state: State, tau: Any = None, forces: Forces | None = None, gravity: Any = STANDARD_GRAVITY,
    driven: Any = None,
) -> Floats:  # fmt: skip
    """The joint forces that hold the driven coordinates to their given accelerations (0 at the others)."""
    block = _forward(model, state, tau, forces, gravity, driven)
    return np.where(model.dofs.driven, block.dofs(at.TAU), 0.0)


def _forward(model: Model, state: State, tau: Any, forces: Forces | None, gravity: Any, driven: Any) -> Block:
    block = block_of(model, state, gravity)
    block.set_dofs(at.TAU, _dof_vector(model, tau, "tau"))
    block.set_dofs(at.ACCELERATION, np.where(model.dofs.driven, _dof_vector(model, driven, "driven"), 0.0))
    _apply_forces(block, forces)
    _run(forward.forward_dynamics, block)
    return block


def inverse_dynamics(
    model: Model, state: State, a: Any = None, forces: Forces | None = None, gravity: Any = STANDARD_GRAVITY
) -> Floats:
    """Joint forces (nv,) that give the accelerations `a` (nv,)."""
    block = block_of(model, state, gravity)
    block.set_dofs(at.ACCELERATION, _dof_vector(model, a, "a"))
    _apply_forces(block, forces)
    _run(inverse.inverse_dynamics, block)
    return block.dofs(at.TAU)


def bias_forces(
    model: Model, state: State, forces: Forces | None = None, gravity: Any = STANDARD_GRAVITY
) -> Floats:
    """The joint forces that keep a = 0: Coriolis, centrifugal, gravity and external ones."""
    return inverse_dynamics(model, state, None, forces, gravity)


def mass_matrix(model: Model, state: State) -> Floats:
    """Joint-space inertia M(q), shape (nv, nv); armature included."""
    _refuse_others(model, state)
    if model.nv > MAX_DENSE:
        raise UsageError(
            f"{model.name}: a dense matrix of {model.nv} × {model.nv} is too large (at most {MAX_DENSE}); "
            "forward_dynamics needs none."
        )
    block = block_of(model, state)
    matrix = np.zeros(model.nv * model.nv)
    _run(crba.mass_matrix, block, matrix)
    return matrix.reshape(model.nv, model.nv)


def passive_forces(model: Model, state: State) -> Floats:
    """Joint forces (nv,) of springs, dampers, limits and actuators at the state's time and commands."""
    block = block_of(model, state)
    block.fields[at.STAGE_TIME] = state.time
    compiled(passive.joint_forces)(block.ints, block.data, block.scratch, 1.0, block.spec)
    return block.dofs(at.TAU)


def _totals(model: Model, state: State, gravity: Any) -> Floats:
    block = block_of(model, state, gravity)
    out = np.zeros(totals.TOTALS_SIZE)
    _run(totals.totals, block, out)
    return out


def energy(model: Model, state: State, gravity: Any = STANDARD_GRAVITY) -> Energy:
    """Kinetic, gravitational and elastic energy."""
    out = _totals(model, state, gravity)
    return Energy(float(out[totals.KINETIC]), float(out[totals.POTENTIAL]), float(out[totals.ELASTIC]))


def momentum(model: Model, state: State) -> Momentum:
    """Linear and angular momentum, mass and centre of mass."""
    out = _totals(model, state, STANDARD_GRAVITY)
    mass = float(out[totals.TOTAL_MASS])
    linear, angular = out[totals.LINEAR : totals.LINEAR + 3], out[totals.ANGULAR : totals.ANGULAR + 3]
    com = out[totals.MASS_COM : totals.MASS_COM + 3] / (mass or 1.0)
    return Momentum(linear, angular - np.cross(com, linear), angular, com, mass)


def body_poses(model: Model, state: State) -> tuple[Floats, Floats]:
    """(R_WB, p_WB) of every body, shapes (bodies, 3, 3) and (bodies, 3); the ground first."""
    block = block_of(model, state)
    _run(kinematics.poses, block)
    return _bodies(model, *_link_poses(block))


def _bodies(model: Model, R_WL: Floats, p_WL: Floats) -> tuple[Floats, Floats]:
    R, p, link = model.bodies.R_LB, model.bodies.p_LB, model.bodies.link
    return R_WL[link] @ R, p_WL[link] + np.einsum("nij,nj->ni", R_WL[link], p)


def body_velocities(model: Model, state: State) -> Floats:
    """V_B of every body: (ω; v) at its origin, in its axes, shape (bodies, 6)."""
    block = block_of(model, state)
    _run(kinematics.poses, block)
    V_L = _link_vectors(block, at.V)[model.bodies.link]
    R = model.bodies.R_LB
    v = V_L[:, 3:] + np.cross(V_L[:, :3], model.bodies.p_LB)
    return np.concatenate([np.einsum("nji,nj->ni", R, V_L[:, :3]), np.einsum("nji,nj->ni", R, v)], axis=1)


def _point(model: Model, body: str | int, point_B: Any) -> tuple[int, int, Floats]:
    index = model.body_index(body)
    link = int(model.bodies.link[index])
    point = numbers_of(point_B, "point_B")
    if point.shape != (3,):
        raise UsageError(f"point_B has shape {point.shape}, must be (3,): x, y, z in the body's axes [m].")
    return index, link, model.bodies.p_LB[index] + model.bodies.R_LB[index] @ point


def jacobian(model: Model, state: State, body: str | int, point_B: Any = (0.0, 0.0, 0.0)) -> Floats:
    """J with (ω_W; velocity of the body point in world axes) = J·v, shape (6, nv)."""
    block = block_of(model, state)
    _run(kinematics.poses, block)
    R_WL, p_WL = _link_poses(block)
    _, link, point_L = _point(model, body, point_B)
    target = p_WL[link] + R_WL[link] @ point_L
    J = np.zeros((6, model.nv))
    while link:
        kind, first, R = int(model.links.kind[link]), model.v_start[link], R_WL[link]
        arm = np.cross(R.T, target - p_WL[link]).T  # columns: axis × (target − origin)
        if kind == at.HINGE:
            J[:3, first], J[3:, first] = R[:, 2], arm[:, 2]
        elif kind == at.SLIDE:
            J[3:, first] = R[:, 2]
        else:
            J[:3, first : first + 3], J[3:, first : first + 3] = R, arm
            if kind == at.FREE:
                J[3:, first + 3 : first + 6] = R
        link = int(model.links.parent[link])
    return J


def point_velocity(model: Model, state: State, body: str | int, point_B: Any = (0.0, 0.0, 0.0)) -> Floats:
    """Velocity of a body point, world axes [m/s]."""
    return (jacobian(model, state, body, point_B) @ state.v)[3:]


def point_acceleration(
    model: Model, state: State, a: Any, body: str | int, point_B: Any = (0.0, 0.0, 0.0)
) -> Floats:
    """Classical acceleration of a body point for the joint accelerations `a`, world axes [m/s²]."""
    block = block_of(model, state, (0.0, 0.0, 0.0))
    block.set_dofs(at.ACCELERATION, _dof_vector(model, a, "a"))
    _run(kinematics.poses, block)
    R_WL, _ = _link_poses(block)
    _run(inverse.inverse_dynamics, block)
    _, link, p = _point(model, body, point_B)
    A, V = _link_vectors(block, at.A)[link], _link_vectors(block, at.V)[link]
    return R_WL[link] @ (A[3:] + np.cross(A[:3], p) + np.cross(V[:3], V[3:] + np.cross(V[:3], p)))


def factor_rows(model: Model, state: State, impulses: list[Forces]) -> Floats:
    """Rows Y, one per set of impulses, with J M⁻¹ Jᵀ = Y·Yᵀ; shape (sets, nv)."""
    block = block_of(model, state)
    _run(kinematics.poses, block)
    R_WL, p_WL = _link_poses(block)
    _run(response.articulated_inertias, block)
    rows = np.zeros((len(impulses), model.nv))
    flat = rows.reshape(-1)
    for n, impulse in enumerate(impulses):
        wrenches = link_wrenches(model, impulse, R_WL, p_WL)
        for link, start in enumerate(block.layout.scratch_offsets):
            block.work[start + at.P : start + at.P + 6, 0] = wrenches[link] if link else 0.0
        compiled(response.factor_row)(block.ints, block.data, block.scratch, flat, n * model.nv, block.spec)
    return rows


def impulse_response(
    model: Model, state: State, impulses: Forces | None = None, joint_impulses: Any = None
) -> Floats:
    """Change of v (nv,) by impulses on bodies [N·s] (given like forces) and on joints (nv,) [N·m·s or N·s]."""
    _refuse_others(model, state)
    w = np.zeros(model.nv)
    extra = _dof_vector(model, joint_impulses, "joint_impulses")
    if impulses is not None:
        w += factor_rows(model, state, [impulses])[0]
    block = block_of(model, state)
    _run(response.articulated_inertias, block)
    change = np.zeros(model.nv)
    compiled(response.velocity_change)(block.ints, block.data, block.scratch, w, 0, change, 0, block.spec)
    if np.any(extra):
        still = state.at(v=np.zeros(model.nv))
        change = change + forward_dynamics(model, still, extra, gravity=(0.0, 0.0, 0.0))
    return change


def contact_matrix(model: Model, state: State, points: list[tuple[str, Any]]) -> Floats:
    """Λ: velocity response of body points to unit impulses at them, world axes, shape (3n, 3n).

    Args:
        model: the body.
        state: its coordinates.
        points: (body name, point in body axes) pairs.
    """
    R_WB, p_WB = body_poses(model, state)
    sets: list[Forces] = []
    for body, point_B in points:
        index = model.body_index(body)
        where = p_WB[index] + R_WB[index] @ np.asarray(point_B, float)
        sets += [{body: Force.at_point(axis, where)} for axis in np.eye(3)]
    Y = factor_rows(model, state, sets)
    return Y @ Y.T


def step(
    model: Model, state: State, dt: float, integrator: str = "semi_implicit", gravity: Any = STANDARD_GRAVITY,
    contact: ContactSettings | None = None,
) -> State:  # fmt: skip
    """The state one step of `dt` seconds later (see :class:`zoophyte.World` for whole lives).

    `contact` is ground and solver; without them nothing touches. With them the integrator is "implicit" or "semi_implicit".
    """
    if integrator not in INTEGRATORS:
        raise UsageError(f"integrator {integrator!r} is unknown. Known: {', '.join(INTEGRATORS)}.")
    if not (math.isfinite(dt) and dt > 0.0):
        raise UsageError(f"dt is {dt!r}, must be a positive number of seconds.")
    clock = state.clock if state.clock[2] == dt else (state.time, 0, float(dt))
    state = replace(state, clock=clock)
    if contact is not None:
        if integrator not in ("implicit", "semi_implicit"):
            raise UsageError(
                f"contact is solved with 'implicit' or 'semi_implicit', not with {integrator!r}."
            )
        block = Block([model], gravity=gravity, contact=contact)
        block.set_state(0, state.checked(model))
        block.set_step(dt)
        block.set_integrator(integrator)
        advance(block, 1)
        return block.state(memory=state.memory, alarm=state.alarm)
    block = block_of(model, state, gravity)
    block.fields[at.DT] = dt
    block.set_integrator(integrator)
    advance(block, 1)
    return block.state(memory=state.memory, alarm=state.alarm)
