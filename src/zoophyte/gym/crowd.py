"""Crowd: the lives behind environments, one or thousands of one body, on the herd."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.export import Camera, picture_of, scene_of_pose
from zoophyte.gym.senses import Actuators, Senses, noisy_state
from zoophyte.gym.task import Task
from zoophyte.model import Model, State
from zoophyte.model.model import Floats
from zoophyte.simulation.herd import Guards, Herd

UNGUARDED = Guards(energy=None, share=0.0, speed=None, depth=None)
NEVER = 1e4
"""Time between looks of the herd at its lives [s]: environments look for themselves."""
TOUCHING = 1e-6
"""Depth at which a newborn counts as standing on the ground [m]."""
LIFTS = 4
PICTURE_SIZE = (480, 360)
Info = dict[str, Any]


class Crowd:
    """Creatures of one body with a task.

    Args:
        model: the body.
        task: what they are to do.
        count: how many.
        workers: threads; as many as there are processors if left out.
    """

    def __init__(self, model: Model, task: Task, count: int, *, workers: int | None = None) -> None:
        self.model, self.task, self.count = model, task, count
        self.actuators, self.senses = Actuators(model), Senses(model)
        self.habitat = task.habitat_of(model.description)
        herd = Herd([model] * count, self.habitat, dt=task.dt, workers=workers, sweeps=task.sweeps)
        # Limits of the body may leave out its neutral state.
        born = State.neutral(model).at(*noisy_state(model, np.random.default_rng(0), 0.0))
        self.running = herd.begin([born] * count, guards=UNGUARDED, check_every=NEVER)
        self.q, self.v = self.running.q(), self.running.v()
        self.rngs: list[np.random.Generator | None] = [None] * count

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
        chosen = np.asarray(numbers, np.int64)
        self.q[chosen], self.v[chosen] = self.running.q()[chosen], self.running.v()[chosen]

    def actions(self, given: Any) -> Floats:
        """The actions of all, in their ranges.

        Raises:
            UsageError: when their shape is wrong, or they are not numbers.
        """
        shape = (self.count, len(self.actuators.dofs))
        try:
            values = np.asarray(given, float)
        except (TypeError, ValueError):
            values = np.zeros(0)
        if values.shape != shape or not np.all(np.isfinite(values)):
            what = (
                f"has shape {values.shape}" if values.shape != shape else "holds a number that is not finite"
            )
            raise UsageError(
                f"{self.model.name}: the action {what}, must be finite numbers of shape {shape}, one per creature and "
                f"actuator: {', '.join(self.actuators.names)}."
            )
        clipped: Floats = np.clip(values, self.actuators.low, self.actuators.high)
        return clipped

    def step(self, actions: Floats) -> tuple[Floats, Any, Info]:
        """Let all live for one step of the environment: rewards, who is done for, and what else there is to know."""
        task = self.task
        before_x, before_y, _ = self.senses.place(self.q)
        self.running.command(actions, self.actuators.dofs)
        self.running.advance(task.frame_skip)
        failed = ~self.running.alive()
        q, v = self.running.q(), self.running.v()
        # Numbers of a life that failed mean nothing; what it last was is kept.
        self.q, self.v = np.where(failed[:, None], self.q, q), np.where(failed[:, None], self.v, v)
        x, y, z = self.senses.place(self.q)
        vx, vy = (x - before_x) / task.seconds, (y - before_y) / task.seconds
        healthy = ~failed
        if task.healthy_z_range is not None and self.senses.free:
            low, high = task.healthy_z_range
            healthy &= (low <= z) & (z <= high)
        forward = task.forward_reward_weight * vx
        survive = np.where(healthy, task.healthy_reward, 0.0)
        control = -task.ctrl_cost_weight * self.actuators.effort(actions)
        info = {
            **self.where(), "x_velocity": vx, "y_velocity": vy, "reward_forward": forward, "reward_survive": survive,
            "reward_ctrl": control, "failed": failed,
        }  # fmt: skip
        terminated = ~healthy if task.terminate_when_unhealthy else failed
        return forward + survive + control, terminated, info

    def where(self) -> Info:
        """Where the roots are [m]."""
        x, y, _ = self.senses.place(self.q)
        return {"x_position": x, "y_position": y, "distance_from_origin": np.sqrt(x * x + y * y)}

    def observe(self) -> Floats:
        """Observations, one row each."""
        return self.senses.observe(self.q, self.v)

    def picture(self, number: int, size: tuple[int, int], camera: str | Camera) -> Any:
        """One of them where it is now: red, green, blue, shape (height, width, 3)."""
        pose = State.neutral(self.model).at(self.q[number, : self.model.nq])
        return picture_of(
            scene_of_pose(self.model, pose, ground=self.habitat.ground), size=size, camera=camera
        )

    def close(self) -> None:
        """Let the threads go."""
        self.running.close()
