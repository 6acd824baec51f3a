"""A second opinion: a trial lived in MuJoCo, through our MJCF, with the controller's own commands.

The text is the one that ``run.relive(one).export("champion.xml")`` writes, and MuJoCo is played as `docs/how-to/mjcf.md`
plays the table beside it: a row of controls for every step.  Here the rows come from the controller, which feels MuJoCo's
body; of one that feels nothing they are those of the table.

MuJoCo's contacts rebound a little, and its friction lifts what slides (`docs/concepts/evolution.md`), so distances agree in
the mean, not one by one (`docs/concepts/herd.md`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from zoophyte.algebra.many import inverses, products, turned
from zoophyte.control import Senses
from zoophyte.control.controller import signal_values
from zoophyte.errors import UsageError
from zoophyte.evolution.protocols import Trial
from zoophyte.evolution.retold import CHECK, Frames, names_of, next_call
from zoophyte.export.mjcf import mjcf_document
from zoophyte.model import Model, State
from zoophyte.model.model import Floats
from zoophyte.simulation.herd import Life
from zoophyte.simulation.status import Status

TIME_TOLERANCE = 1e-9


def available() -> bool:
    """Whether MuJoCo can be imported."""
    try:
        import mujoco  # noqa: F401
    except ImportError:
        return False
    return True


class Twin:
    """A body in MuJoCo whose coordinates can be read as ours.

    Args:
        trial: what is to be lived.
        model: of its description.
        dt: step [s].
        implicit: whether the dampers of servos are taken implicitly, as our own step takes them. MuJoCo's usual integrator
            does not, and at our step many walkers diverge by it that live without trouble by the other.
    """

    def __init__(self, trial: Trial, model: Model, dt: float, *, implicit: bool = True) -> None:
        import mujoco

        document = mjcf_document(
            trial.description, timestep=dt, habitat=trial.habitat, integrator="implicit" if implicit else None,
            start=State.neutral(model),
        )  # fmt: skip
        self.text = document.text
        self.there = mujoco.MjModel.from_xml_string(self.text)
        self.data = mujoco.MjData(self.there)
        self.model, self.mujoco = model, mujoco
        mujoco.mj_resetDataKeyframe(self.there, self.data, 0)
        self.bodies = [self._body(document.bodies.get(name, name), name) for name in names_of(model)]
        dofs = {name: n for n, name in enumerate(model.dof_names)}
        self._told = [(n, dofs[each.dof]) for n, each in enumerate(document.controls) if each.channel]
        mujoco.mj_forward(self.there, self.data)

    def _number(self, kind: Any, name: str) -> int:
        found = int(self.mujoco.mj_name2id(self.there, kind, name))
        if found < 0:
            raise UsageError(f"MuJoCo's model has no {name!r}.")
        return found

    def _body(self, name: str, joint: str) -> int:
        """The body of this name; of a body without mass, whose hinge the next one outwards has there, that one."""
        kinds = self.mujoco.mjtObj
        found = int(self.mujoco.mj_name2id(self.there, kinds.mjOBJ_BODY, name))
        return found if found >= 0 else int(self.there.jnt_bodyid[self._number(kinds.mjOBJ_JOINT, joint)])

    def controls(self, signals: Floats, time: float) -> Floats:
        """A row of the table: what its actuators are told by commands that are read at a time."""
        row, values = np.zeros(self.there.nu), signal_values(signals, time)
        for control, dof in self._told:
            row[control] = values[dof]
        return row

    def step(self, row: Floats) -> None:
        """One step, with what its actuators are told."""
        self.data.ctrl[:] = row
        self.mujoco.mj_step(self.there, self.data)

    @property
    def is_sound(self) -> bool:
        """Whether all its numbers are finite and MuJoCo has not begun anew."""
        bad = self.mujoco.mjtWarning.mjWARN_BADQACC
        return bool(np.all(np.isfinite(self.data.qpos))) and not self.data.warning[bad].number

    def look(self, frames: Frames, time: float) -> None:
        """Keep where everything is."""
        self.mujoco.mj_kinematics(self.there, self.data)
        places = self.data.xpos[self.bodies]
        turns = self.data.xmat[self.bodies].reshape(-1, 3, 3)
        touching = bool(np.any(self.data.contact.dist[: self.data.ncon] < 0.0))
        frames.add(time, places, turns, touching)

    def coordinates(self) -> tuple[Floats, Floats]:
        """q and v as ours: MuJoCo's free bodies have position before quaternion, in the world, and (v_W; ω_B)."""
        q, v, data = [], [], self.data
        for body in self.model.description.bodies:
            joint = body.joint
            count = {"fixed": 0, "universal": 2}.get(joint.kind, 1)
            for n in range(count):
                name = body.name if count == 1 else f"{body.name}.{n}"
                number = self._number(self.mujoco.mjtObj.mjOBJ_JOINT, name)
                at_q, at_v = int(self.there.jnt_qposadr[number]), int(self.there.jnt_dofadr[number])
                if joint.kind == "free":
                    turn, place = data.qpos[at_q + 3 : at_q + 7], data.qpos[at_q : at_q + 3]
                    back = inverses(np.asarray(joint.rotation, float))
                    q += [products(back, turn), turned(back, place - np.asarray(joint.position))]
                    v += [data.qvel[at_v + 3 : at_v + 6], turned(inverses(turn), data.qvel[at_v : at_v + 3])]
                else:
                    q.append(data.qpos[at_q : at_q + (4 if joint.kind == "ball" else 1)])
                    v.append(data.qvel[at_v : at_v + (3 if joint.kind == "ball" else 1)])
        return np.concatenate([np.zeros(0), *q]), np.concatenate([np.zeros(0), *v])

    def touch(self) -> Floats:
        """Sum of the contact forces on each of our bodies, the ground first, in the world [N]."""
        found = np.zeros((len(self.bodies) + 1, 3))
        place = {number: n + 1 for n, number in enumerate(self.bodies)}
        wrench = np.zeros(6)
        for n in range(self.data.ncon):
            contact = self.data.contact[n]
            self.mujoco.mj_contactForce(self.there, self.data, n, wrench)
            force = contact.frame.reshape(3, 3).T @ wrench[:3]  # on the second geom
            for geom, sign in ((contact.geom1, -1.0), (contact.geom2, 1.0)):
                body = place.get(int(self.there.geom_bodyid[geom]))
                if body is not None:
                    found[body] += sign * force
        return found


def mujoco_life(trial: Trial, model: Model, dt: float, *, implicit: bool = True) -> Life:
    """The life of a trial in MuJoCo, with its default contacts and our step.

    Args:
        trial: what is to be lived.
        model: of its description.
        dt: step [s].
        implicit: as in :class:`Twin`.
    """
    with _quiet():
        return _lived(Twin(trial, model, dt, implicit=implicit), trial, model, dt)


@contextmanager
def _quiet() -> Iterator[None]:
    """MuJoCo prints warnings and leaves a log in the folder of whoever asked; a life that diverges is told by its status."""
    import mujoco

    mujoco.set_mju_user_warning(lambda told: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(None)


def _lived(twin: Twin, trial: Trial, model: Model, dt: float) -> Life:
    """Step by step, with the controller's own commands."""
    controller = trial.controller
    frames = Frames(model)
    memory = np.zeros(0) if controller is None else controller.begin(model)
    signals = np.zeros((model.nv, 7))
    alarm, every = 0.0 if controller is not None else math.inf, max(1, round(CHECK / dt))
    steps = math.ceil(trial.seconds / dt - 1e-6)
    status = Status("ended", trial.seconds)
    for step in range(steps + 1):
        time = step * dt
        if step % every == 0 or step == steps:
            twin.look(frames, time)
        if not twin.is_sound:
            status = Status("diverged", time, "", "in MuJoCo")
            break
        if step == steps:
            break
        if controller is not None and time >= alarm - TIME_TOLERANCE:
            q, v = twin.coordinates()
            # As in our step: who is asked in every step is asked for its end, when commands are read.
            asked = (step + 1) * dt if controller.period == 0.0 else time
            senses = Senses(model, asked, q, v, twin.touch(), trial.habitat.ground, trial.habitat.gravity)
            command, memory = controller.command(senses, memory)
            if np.any(command.torque):
                raise UsageError("its controller gives joint forces of its own")
            signals, alarm = command.signals, next_call(command, controller.period, time)
        twin.step(twin.controls(signals, (step + 1) * dt))
    q, v = twin.coordinates()
    return frames.life(status, trial.settle, State.neutral(model).at(q, v))
