"""MuJoCo's side, and MuJoCo as the ruler: poses of every side are measured by its collision detection and energies."""

from __future__ import annotations

from typing import Any

import numpy as np

from zoophyte.algebra.many import products, turned
from zoophyte.bench.contact.sides import Coordinates, Reading, Timer, timed
from zoophyte.description import Description
from zoophyte.errors import UsageError
from zoophyte.export.mjcf import mjcf_of
from zoophyte.model import Model
from zoophyte.model.model import Floats
from zoophyte.simulation import Habitat

MISSING = "MuJoCo (not installed: pip install mujoco)"
SAME_MASS = 1e-9
"""Relative; both compute masses from the same sizes and densities."""


def available() -> bool:
    """Whether MuJoCo can be imported."""
    try:
        import mujoco  # noqa: F401
    except ImportError:
        return False
    return True


def exported(description: Description, dt: float, habitat: Habitat) -> Any:
    """The description as a MuJoCo model, with its default solver, made by our exporter."""
    import mujoco

    return mujoco.MjModel.from_xml_string(mjcf_of(description, timestep=dt, habitat=habitat))


class Twin:
    """Our coordinates of a body, and MuJoCo's.

    Args:
        ours: the body.
        theirs: the same body there.
        by_name: whether joints there are called like our bodies; else they come in our order.

    Raises:
        UsageError: when the two are not the same body.
    """

    def __init__(self, ours: Model, theirs: Any, *, by_name: bool = True) -> None:
        self.nq, self.nv, self.nu = theirs.nq, theirs.nv, theirs.nu
        self._neutral: Floats = np.array(theirs.qpos0)
        q_pairs: list[tuple[int, int]] = []
        self._v_pairs: list[tuple[int, int]] = []
        self._free: list[tuple[int, int, int, int]] = []
        self._frames: list[tuple[Any, Any]] = []
        q = v = joint_number = 0
        for body in ours.description.bodies:
            joint = body.joint
            count = {"fixed": 0, "universal": 2}.get(joint.kind, 1)
            for n in range(count):
                number = _joint(theirs, body.name, n, count) if by_name else joint_number
                joint_number += 1
                there_q, there_v = int(theirs.jnt_qposadr[number]), int(theirs.jnt_dofadr[number])
                if joint.kind == "free":
                    self._free.append((q, v, there_q, there_v))
                    self._frames.append((joint.position, joint.rotation))
                else:
                    size_q, size_v = (4, 3) if joint.kind == "ball" else (1, 1)
                    q_pairs += [(q + n + k, there_q + k) for k in range(size_q)]
                    self._v_pairs += [(v + n + k, there_v + k) for k in range(size_v)]
            q, v = q + joint.coordinate_count, v + joint.dof_count
        if (q, v) != (theirs.nq, theirs.nv):
            raise UsageError(
                f"{ours.name} has {q} coordinates and {v} velocities, MuJoCo's has {theirs.nq} and {theirs.nv}."
            )
        masses = float(np.sum(ours.links.mass)), float(np.sum(theirs.body_mass))
        if abs(masses[0] - masses[1]) > SAME_MASS * masses[0]:
            raise UsageError(f"{ours.name} weighs {masses[0]:.9g} kg, MuJoCo's {masses[1]:.9g} kg.")
        self._q_pairs = np.array(q_pairs, int).reshape(-1, 2)
        self._dof_of_actuator = self._actuated(theirs)

    def _actuated(self, theirs: Any) -> Any:
        """For each actuator, the number of the degree of freedom here."""
        here = {there: v for v, there in self._v_pairs}
        return [here[int(theirs.jnt_dofadr[joint])] for joint in theirs.actuator_trnid[:, 0]]

    def there(self, q: Floats, v: Floats) -> Coordinates:
        """Our coordinates in MuJoCo's: a free body has position before quaternion, both in the world, and (v_W; ω_B)."""
        qpos, qvel = self._neutral.copy(), np.zeros(self.nv)
        qpos[self._q_pairs[:, 1]] = q[self._q_pairs[:, 0]]
        pairs = np.array(self._v_pairs, int).reshape(-1, 2)
        qvel[pairs[:, 1]] = v[pairs[:, 0]]
        if self._free:
            at = np.array(self._free)
            p_J, e_J = (np.array(part, float) for part in zip(*self._frames, strict=True))
            e = q[at[:, :1] + np.arange(4)]
            attitude = products(e_J, e)
            place = p_J + turned(e_J, q[at[:, :1] + np.arange(4, 7)])
            qpos[at[:, 2:3] + np.arange(7)] = np.concatenate([place, attitude], axis=1)
            velocity = v[at[:, 1:2] + np.arange(6)]
            qvel[at[:, 3:4] + np.arange(3)] = turned(attitude, velocity[:, 3:])
            qvel[at[:, 3:4] + np.arange(3, 6)] = velocity[:, :3]
        return qpos, qvel

    def controls(self, orders: Floats) -> Floats:
        """Commands of our degrees of freedom, (steps, nv, lanes), as controls of lane 0, (steps, nu)."""
        return np.ascontiguousarray(orders[:, self._dof_of_actuator, 0])


def _joint(theirs: Any, body: str, n: int, count: int) -> int:
    import mujoco

    name = body if count == 1 else f"{body}.{n}"
    number = int(mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_JOINT, name))
    if number < 0:
        raise UsageError(f"MuJoCo's model has no joint {name!r}.")
    return number


class MuJoCoRuler:
    """Measures coordinates with MuJoCo.

    Args:
        model: MuJoCo's; its depths are those of its own detection.
    """

    def __init__(self, model: Any) -> None:
        import mujoco

        self.model, self.data = model, mujoco.MjData(model)

    def read(self, coordinates: Coordinates) -> Reading:
        """Everything about one moment."""
        import mujoco

        m, d = self.model, self.data
        d.qpos[:], d.qvel[:] = coordinates
        for stage in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_makeM, mujoco.mj_collision,
                      mujoco.mj_energyPos, mujoco.mj_energyVel):  # fmt: skip
            stage(m, d)
        depths = -d.contact.dist[: d.ncon]
        return Reading(
            depth=max(0.0, float(np.max(depths, initial=0.0))), energy=float(np.sum(d.energy)),
            places=np.array(d.xipos[1:]), upright=np.array(d.xmat[1:, 8]), contacts=int(np.sum(depths > 0.0)),
        )  # fmt: skip


class MuJoCo:
    """A model in MuJoCo.

    Args:
        model: MuJoCo's.
        twin: how our orders become its controls.
        sleep: whether bodies at rest may sleep there.
    """

    def __init__(self, model: Any, twin: Twin, *, sleep: bool = False) -> None:
        import mujoco

        self.name = f"MuJoCo {mujoco.__version__}"
        self.model, self.twin = model, twin
        if sleep:
            self.model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
        self.data, self._kept = mujoco.MjData(model), mujoco.MjData(model)
        if model.nkey:
            mujoco.mj_resetDataKeyframe(model, self.data, 0)
        self.keep()
        self._empty = mujoco.MjModel.from_xml_string("<mujoco/>")
        self._nothing = mujoco.MjData(self._empty)
        self._overhead = float("inf")

    def place(self, coordinates: Coordinates) -> None:
        """Put everything there, at once and without remembered impulses."""
        import mujoco

        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = coordinates
        mujoco.mj_forward(self.model, self.data)

    def keep(self) -> None:
        """Take the present state as the one to go back to."""
        import mujoco

        mujoco.mj_copyData(self._kept, self.model, self.data)

    def restart(self) -> None:
        """Go back to the kept state."""
        import mujoco

        mujoco.mj_copyData(self.data, self.model, self._kept)

    def advance(self, steps: int, orders: Floats | None = None) -> None:
        """Step, under orders or without any.

        Args:
            steps: how many.
            orders: of our degrees of freedom; lane 0 counts.
        """
        import mujoco

        if orders is None:
            self.data.ctrl[:] = 0.0
            mujoco.mj_step(self.model, self.data, steps)
            return
        for control in self.twin.controls(orders):
            self.data.ctrl[:] = control
            mujoco.mj_step(self.model, self.data)

    def coordinates(self) -> list[Coordinates]:
        """Now."""
        return [(np.array(self.data.qpos), np.array(self.data.qvel))]

    def timers(self, steps: int, orders: Floats | None = None) -> list[Timer]:
        """One call of `mj_step`; with orders, a loop less its own time, and `mujoco.rollout`."""
        import mujoco

        def together() -> float:
            self.restart()
            return timed(lambda: mujoco.mj_step(self.model, self.data, steps)) / steps

        if orders is None:
            return [together]
        controls = self.twin.controls(orders[:steps])

        def loop() -> float:
            self.restart()
            self._overhead = min(
                self._overhead, timed(lambda: self._loop(controls, self._empty, self._nothing))
            )
            return (timed(lambda: self._loop(controls, self.model, self.data)) - self._overhead) / steps

        return [loop, self._rollout(controls)]

    def _loop(self, controls: Floats, model: Any, data: Any) -> None:
        import mujoco

        mine = self.data
        for control in controls:
            mine.ctrl[:] = control
            mujoco.mj_step(model, data)

    def _rollout(self, controls: Floats) -> Timer:
        """All steps in one call, no Python between them."""
        import mujoco
        from mujoco import rollout

        whole = mujoco.mjtState.mjSTATE_FULLPHYSICS
        start = np.zeros(mujoco.mj_stateSize(self.model, whole))
        states = np.zeros((1, len(controls), len(start)))

        def run() -> float:
            self.restart()
            mujoco.mj_getState(self.model, self.data, start, whole)
            warm = np.array(self.data.qacc_warmstart)[None]
            seconds = timed(
                lambda: rollout.rollout(
                    self.model, self.data, start[None], controls[None], state=states, initial_warmstart=warm
                )
            )
            return seconds / len(controls)

        return run
