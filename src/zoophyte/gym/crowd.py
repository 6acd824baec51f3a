"""Crowd: the lives behind environments, one or thousands of one body, on the herd."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoophyte.control import Table
from zoophyte.errors import UsageError, brief, real_numbers
from zoophyte.export import Camera, picture_of, scene_of_pose
from zoophyte.gym.own import ends_of, observations_of, rewards_of
from zoophyte.gym.senses import Actuators, Senses, noisy_state
from zoophyte.gym.task import Task
from zoophyte.gym.view import View, read_only
from zoophyte.model import Model, State, needs_contact
from zoophyte.model.model import Floats
from zoophyte.physics.functions import body_poses
from zoophyte.simulation.herd import Guards, Herd
from zoophyte.simulation.living.colony import SLOTS
from zoophyte.simulation.trajectory import Trajectory
from zoophyte.simulation.world import World

UNGUARDED = Guards(energy=None, share=0.0, speed=None, depth=None)
NEVER = 1e4
"""Time between looks of the herd at its lives [s]: environments look for themselves."""
STRETCH = 5 * 10**6
"""Steps after which a herd, which counts only so many, is told to begin counting anew; environments live on."""
TOUCHING = 1e-6
"""Depth at which a newborn counts as standing on the ground [m]."""
LIFTS = 4
PICTURE_SIZE = (480, 360)
Info = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Moment:
    """Where the creatures of a crowd are; nobody changes these arrays once they are here.

    Args:
        q: coordinates, shape (n, nq).
        v: velocities, shape (n, nv).
        action: commands of the last step, shape (n, actuators).
        steps: steps since the episode began, shape (n,).
        failed: whose simulation has failed, shape (n,).
    """

    q: Floats
    v: Floats
    action: Floats
    steps: Any
    failed: Any

    def where(self, chosen: Any, other: Moment) -> Moment:
        """This one, with the chosen rows of another."""
        pairs = [(mine, getattr(other, name)) for name, mine in vars(self).items()]
        return Moment(
            *(np.where(chosen.reshape(-1, *[1] * (mine.ndim - 1)), its, mine) for mine, its in pairs)
        )


class Crowd:
    """Creatures of one body with a task.

    Args:
        model: the body.
        task: what they are to do.
        count: how many.
        workers: threads; as many as there are processors if left out.

    Attributes:
        now: where they are.
        then: where they were when the last step began; of an episode that begins, the same.
        turn: counts moments, so that a view knows whether it is of this one.
    """

    def __init__(self, model: Model, task: Task, count: int, *, workers: int | None = None) -> None:
        self.model, self.task, self.count, self.workers = model, task, count, workers
        self.actuators, self.senses = Actuators(model), Senses(model)
        self.habitat = task.habitat_of(model.description)
        herd = Herd([model] * count, self.habitat, dt=task.dt, workers=workers, sweeps=task.sweeps)
        # Limits of the body may leave out its neutral state.
        born = State.neutral(model).at(*noisy_state(model, np.random.default_rng(0), 0.0))
        seconds = min(2 * STRETCH * task.dt, sys.float_info.max)
        self.running = herd.begin([born] * count, seconds=seconds, guards=UNGUARDED, check_every=NEVER)
        self._counted = 0  # steps of the herd since it began to count, at most
        still, nobody = np.zeros((count, len(self.actuators.dofs))), np.zeros(count, bool)
        self.now = Moment(self.running.q(), self.running.v(), still, np.zeros(count, np.int64), nobody)
        self.then, self.turn = self.now, 0
        self.rngs: list[np.random.Generator | None] = [None] * count
        self._view: View | None = None

    @property
    def q(self) -> Floats:
        """Coordinates of all, shape (n, nq), read-only; of who has failed the last sound ones."""
        return read_only(self.now.q)

    @property
    def v(self) -> Floats:
        """Velocities of all, shape (n, nv), read-only; of who has failed the last sound ones."""
        return read_only(self.now.v)

    @property
    def view(self) -> View:
        """What own functions get: everything about this moment."""
        if self._view is None:
            self._view = View(self, self.now, self.then, self.turn)
        return self._view

    def move_on(self, now: Moment, then: Moment) -> None:
        """Take this for the present moment.

        Args:
            now: where everybody is.
            then: where they were when the step began.
        """
        self.now, self.then, self.turn, self._view = now, then, self.turn + 1, None

    def seed(self, number: int, seed: int | None) -> None:
        """Let chance begin anew for one of them; with None only if it has not begun yet."""
        if seed is not None or self.rngs[number] is None:
            from gymnasium.utils import seeding

            self.rngs[number], _ = seeding.np_random(seed)

    def begin(self, numbers: Sequence[int]) -> None:
        """Let some begin anew, near the state of the description, above the ground."""
        neutral = State.neutral(self.model)
        states: dict[int, State | None] = {}
        for number in numbers:
            self.seed(number, None)
            rng: Any = self.rngs[number]
            states[number] = neutral.at(*noisy_state(self.model, rng, self.task.reset_noise_scale))
        self.running.reset_all(states)
        for _ in range(LIFTS if self.senses.free else 0):
            depths = dict(zip(states, self.running.depths(list(states)), strict=True))
            deep = {number: depth for number, depth in depths.items() if depth > TOUCHING}
            for number, depth in deep.items():
                state = states[number]
                assert state is not None
                q = state.q.copy()
                self.senses.lift(q, float(depth))
                states[number] = neutral.at(q, state.v)
            states = {number: states[number] for number in deep}
            if not states:
                break
            self.running.reset_all(states)
        chosen = np.zeros(self.count, bool)
        chosen[np.asarray(numbers, np.int64)] = True
        born = Moment(
            self.running.q(), self.running.v(), np.zeros_like(self.now.action), np.zeros_like(self.now.steps),
            np.zeros_like(self.now.failed),
        )  # fmt: skip
        self.move_on(self.now.where(chosen, born), self.then.where(chosen, born))

    def actions(self, given: Any, *, single: bool = False) -> Floats:
        """The actions of all, in their ranges.

        Args:
            given: by the user.
            single: whether it is the action of the only one, without an axis that counts.

        Raises:
            UsageError: when their shape is wrong, or they are not finite real numbers.
        """
        width = len(self.actuators.dofs)
        if single:
            return self._in_range(given, "the action", (width,), "actuator")[None]
        return self._in_range(given, "the action", (self.count, width), "creature and actuator")

    def _in_range(self, given: Any, name: str, shape: tuple[int, ...], counted: str) -> Floats:
        what = f"{self.model.name}: {name}"
        wanted = f"finite numbers of shape {shape}, one per {counted}: {', '.join(self.actuators.names)}"
        values = real_numbers(given, what, wanted)
        if values.shape != shape:
            raise UsageError(f"{what} has shape {values.shape}, must be {wanted}.")
        if not np.all(np.isfinite(values)):
            raise UsageError(f"{what} holds a number that is not finite, must be {wanted}.")
        clipped: Floats = np.clip(values, self.actuators.low, self.actuators.high)
        return clipped

    def relive(self, begin: State, actions: Any) -> Trajectory:
        """An episode again, in a World.

        Args:
            begin: of the episode.
            actions: of all its steps, shape (steps, actuators).
        """
        given: Any = begin
        if not isinstance(given, State) or given.time != 0.0:
            raise UsageError(
                f"begin is {brief(given)}, must be a State at the beginning of an episode: take state() after reset()."
            )
        if not needs_contact(self.model):
            raise UsageError(
                f"{self.model.name}: nothing of it touches anything or has a limit; a World takes other steps with such a "
                "body than environments do, so it cannot live the same episode again. Give it a surface."
            )
        task, dofs = self.task, self.actuators.dofs
        steps = len(actions) if np.ndim(actions) == 2 else 1
        values = self._in_range(actions, "actions", (steps, len(dofs)), "step and actuator")
        orders = np.tile(begin.command[:, 0], (steps, 1))
        orders[:, dofs] = values
        world = World(
            self.model, self.habitat, Table(orders, rate=1.0 / task.seconds, interpolation="hold"), task.dt,
            integrator="implicit", sweeps=task.sweeps, slots=SLOTS, sleep=False,
        )  # fmt: skip
        return world.simulate(len(orders) * task.seconds, begin)

    def step(self, actions: Floats, anew: Sequence[int] = ()) -> tuple[Floats, Any, Info]:
        """Let all live for one step of the environment: rewards, who is done for, and what else there is to know.

        Args:
            actions: of all, in their ranges.
            anew: who does not live on but begins anew; of these rewards mean nothing.
        """
        self.running.command(actions, self.actuators.dofs)
        self._advance()
        failed = ~self.running.alive()
        lived = Moment(self.running.q(), self.running.v(), actions, self.now.steps + 1, failed)
        # Numbers of a life that failed mean nothing; what it last was is kept.
        kept = Moment(self.now.q, self.now.v, actions, lived.steps, failed)
        self.move_on(lived.where(failed, kept), self.now)
        if len(anew):
            self.begin(anew)
        return self._judged()

    def _advance(self) -> None:
        """Let all live on for a step of the environment, however long they have lived already."""
        left = self.task.frame_skip
        while left:
            if self._counted == STRETCH:
                alive = np.flatnonzero(self.running.alive()).tolist()
                self.running.reset_all({number: self.running.state(number) for number in alive})
                self._counted = 0
            steps = min(left, STRETCH - self._counted)
            self.running.advance(steps)
            self._counted, left = self._counted + steps, left - steps

    def _judged(self) -> tuple[Floats, Any, Info]:
        task, view = self.task, self.view
        info = {
            **self.where(),
            "x_velocity": view.mean_velocity[:, 0],
            "y_velocity": view.mean_velocity[:, 1],
        }
        if task.reward is None:
            rewards = view.usual_reward.copy()
            info |= view.usual_terms
        else:
            rewards = rewards_of(task.reward, view)
        failed = view.failed.copy()
        if task.terminated is not None:
            terminated = ends_of(task.terminated, view) | failed
        else:
            terminated = ~view.healthy if task.terminate_when_unhealthy else failed.copy()
        return rewards, terminated, {**info, "failed": failed}

    def where(self) -> Info:
        """Where the roots are [m]."""
        x, y, _ = self.view.position.T.copy()
        return {"x_position": x, "y_position": y, "distance_from_origin": np.sqrt(x * x + y * y)}

    def observe(self, space: Any) -> Any:
        """Observations, one row each.

        Args:
            space: of one of them.
        """
        if self.task.observation is None:
            return self.view.usual_observation.copy()
        return observations_of(self.task.observation, self.view, space)

    def contact_forces(self) -> Floats:
        """Sum of the contact forces on each body in the last step of the simulation, (n, bodies, 3) [N], world axes."""
        return self.running.contact_forces()

    def body_poses(self) -> tuple[Floats, Floats]:
        """(R_WB, p_WB) of all bodies now, shapes (n, bodies, 3, 3) and (n, bodies, 3)."""
        rotations, positions = self.running.body_poses()
        for number in np.flatnonzero(self.now.failed):
            state = State.neutral(self.model).at(self.now.q[number])
            rotations[number], positions[number] = body_poses(self.model, state)
        return rotations, positions

    def picture(self, number: int, size: tuple[int, int], camera: str | Camera) -> Any:
        """One of them where it is now: red, green, blue, shape (height, width, 3)."""
        pose = State.neutral(self.model).at(self.now.q[number, : self.model.nq])
        return picture_of(
            scene_of_pose(self.model, pose, ground=self.habitat.ground), size=size, camera=camera
        )

    def close(self) -> None:
        """Let the threads go."""
        self.running.close()
