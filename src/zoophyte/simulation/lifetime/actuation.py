"""What actuators are told and what they do, at recorded frames: nothing of it is computed in a step.

A frame at time t tells of the step that ended at t, as contact forces do:

    command           its signal at t, which the implicit step reads (it takes commands at its end)
    actuator_force    the actuator's law with that command and the frame's q and v, limits of force and speed included

For the implicit step that is, to rounding, the force which acted in the step for servos of hinges, slides and universal
joints, its implicit term included: k (h − q) − b v with h, q and v at its end; and for motors without a largest speed.
Force times v times dt is therefore the work that a herd's life sums up.  A servo of limited force is solved with the
contacts, and its force is what they found.  Two forces are of first order in dt beside the one which acted:

    a motor with a largest speed    fades with the speed at the step's start, and is told with that at its end; the two are
                                    at most strength·|Δv|/max_speed apart, Δv being the change of the speed in the step
    a servo of a ball joint         takes the rotation at the step's start, and is told by its law at the end

The other integrators evaluate forces at several times of a step; for them it is the force at the time of the frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zoophyte.control.controller import signal_values
from zoophyte.model import Block, Model
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.filling.links import COMMAND_FIELDS
from zoophyte.model.model import Floats, Ints
from zoophyte.simulation.channels import ACTUATOR_FORCE, APPLIED_FORCE, COMMAND

FRAMES = 4096
"""That are evaluated at once."""


def actuated(model: Model) -> Ints:
    """The degrees of freedom whose joints have an actuator.

    Args:
        model: whose they are.
    """
    joints = [body.joint for body in model.description.bodies]
    return np.flatnonzero([joint.actuator is not None for joint in joints for _ in range(joint.dof_count)])


class Actuation:
    """Collects commands at frames, and tells at the end what they were and what the actuators made of them.

    Args:
        block: the creature that is recorded.
    """

    def __init__(self, block: Block) -> None:
        model = block.models[0]
        self._model, self._column = model, block.fields[:, 0]
        self._dofs = actuated(model)
        commands = block.places.dofs[self._dofs, None] + COMMAND_FIELDS
        self._places = np.concatenate([commands.ravel(), block.places.dofs + at.APPLIED])
        self._weak, self._forces = _weak_axes(block, self._dofs)
        self._orders: list[Floats] = []
        self._solved: list[Floats] = []

    def keep(self, solved: Floats) -> None:
        """Keep what frames were told, by what the block says now; what stays as it was takes no room.

        Args:
            solved: forces of all axes in the steps of the frames, as the solver remembers them, shape (frames, numbers).
        """
        now = self._column[self._places]
        if self._orders and (now == self._orders[-1]).all():
            now = self._orders[-1]
        self._orders += [now] * len(solved)
        if len(self._weak):
            self._solved.append(solved[:, self._forces])

    def channels(self, times: Floats, q: Floats, v: Floats) -> dict[str, Floats]:
        """The channels; none where there is nothing to tell.

        Args:
            times: of the frames [s].
            q: their coordinates.
            v: their velocities.
        """
        count, split = len(self._dofs), 7 * len(self._dofs)
        command, force = np.zeros((len(times), count)), np.zeros((len(times), count))
        applied = np.zeros((len(times), self._model.nv))
        for first in range(0, len(times), FRAMES):
            rows = slice(first, first + FRAMES)
            kept = self._orders[rows]
            steady = all(order is kept[0] for order in kept)  # sines and held values are told once
            orders = np.asarray(kept[:1] if steady else kept, float)
            applied[rows] = orders[:, split:]
            if count:
                signals = orders[:, :split].reshape(-1, count, 7)
                command[rows] = signal_values(signals, times[rows, None])
                force[rows] = actuator_forces(self._model, self._dofs, command[rows], q[rows], v[rows])
        if len(self._weak):
            solved = np.concatenate(self._solved)
            began = 0 if solved[0].any() else 1  # before its first step a newborn life has solved nothing
            force[began:, self._weak] = solved[began:]
        found = {COMMAND: command, ACTUATOR_FORCE: force} if count else {}
        return {**found, APPLIED_FORCE: applied} if applied.any() else found


def _weak_axes(block: Block, dofs: Ints) -> tuple[Ints, Ints]:
    """Servos of limited force: which of the actuated dofs they are, and where among those of axes their force is."""
    tables = block.contact
    if tables is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    weak = np.isfinite(block.models[0].dofs.servo_max_force)
    place = {dof: n * cl.AXIS_MEMORY + 1 for n, dof in enumerate(tables.axes) if weak[dof]}
    own = [(n, place[dof]) for n, dof in enumerate(dofs.tolist()) if dof in place]
    columns, places = np.array(own, np.int64).reshape(-1, 2).T
    return columns, places


def actuator_forces(model: Model, dofs: Ints, command: Floats, q: Floats, v: Floats) -> Floats:
    """Forces of actuators by their law, as `zoophyte.physics.forces` has it [N or N·m], shape (frames, dofs).

    Args:
        model: of the body.
        dofs: degrees of freedom that have an actuator.
        command: what each is told, shape (frames, dofs).
        q: coordinates, shape (frames, nq).
        v: velocities, shape (frames, nv).
    """
    own, table = v[:, dofs], model.dofs
    most = table.servo_max_force[dofs]
    kinds = model.links.kind[table.link[dofs]]
    places = np.array(model.q_start)[table.link[dofs]]
    pull = np.zeros_like(command)
    axes = kinds != at.BALL
    pull[:, axes] = table.servo_stiffness[dofs[axes]] * (command[:, axes] - q[:, places[axes]])
    balls = np.flatnonzero(~axes).reshape(-1, 3)
    if len(balls):
        phi = _rotation_vectors(q[:, places[balls[:, :1]] + np.arange(4)])
        gradient = table.servo_stiffness[dofs[balls]] * (command[:, balls] - phi)
        pull[:, balls] = _jacobian_inverse_transposed(phi, gradient)
    servo = np.clip(pull - table.servo_damping[dofs] * own, -most, most)
    told = np.clip(command, -1.0, 1.0)
    fading = np.maximum(1.0 - np.abs(own) / table.motor_max_speed[dofs], 0.0)
    motor = table.motor_strength[dofs] * told * np.where(told * own > 0.0, fading, 1.0)
    return np.asarray(servo + motor, float)


def _rotation_vectors(q: Floats) -> Any:
    """The rotation vectors of quaternions, as `zoophyte.algebra.quaternions.quaternion_log` has them, shape (…, 3)."""
    flip = np.where(q[..., :1] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    small = sine < 1e-5
    factor = 2.0 * np.arctan2(sine, flip * q[..., :1]) / np.where(small, 1.0, sine)
    return flip * np.where(small, 2.0 + sine * sine / 3.0, factor) * q[..., 1:]


def _jacobian_inverse_transposed(phi: Floats, a: Floats) -> Any:
    """J_r⁻ᵀ(φ) a = a − ½ φ×a + κ φ×(φ×a), κ = (1 − ½θ cot ½θ)/θ², for the last axes of both."""
    squared = np.sum(phi * phi, axis=-1, keepdims=True)
    small = squared < 1e-2
    safe = np.where(small, 1.0, squared)
    half = 0.5 * np.sqrt(safe)
    series = 1.0 / 12.0 + squared * (1.0 / 720.0 + squared * (1.0 / 30240.0 + squared / 1209600.0))
    kappa = np.where(small, series, (1.0 - half / np.tan(half)) / safe)
    across = np.cross(phi, a)
    return a - 0.5 * across + kappa * np.cross(phi, across)
