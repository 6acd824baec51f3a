"""View: what there is to know of all creatures at the end of a step; rewards, ends and observations are made of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from zoophyte.algebra.many import turned
from zoophyte.errors import UsageError, brief, nearest
from zoophyte.model import Model, State
from zoophyte.model.model import Floats

if TYPE_CHECKING:
    from zoophyte.gym.crowd import Crowd, Moment
    from zoophyte.simulation.trajectory import Trajectory

Shown = TypeVar("Shown", bound="np.ndarray[Any, Any]")


class View:
    """All creatures of an environment at one moment: one row each, so a single environment has one row.

    Own functions for `reward`, `terminated` and `observation` get it, and :attr:`zoophyte.gym.CreatureEnv.view` is it. Its
    arrays are read-only, and stay as they are when the environment goes on. n is the number of environments.

    Args:
        crowd: whose creatures are seen.
        now: where they are.
        then: where they were when the step began.
        turn: number of the moment, as the crowd counts.

    Attributes:
        q: coordinates of all joints in the order of the model, shape (n, nq) [rad or m]; a free root has seven: its unit
            quaternion (w, x, y, z) and its place.
        v: velocities, shape (n, nv) [rad/s or m/s]; a free root has six: angular, then linear, both in its own axes.
        action: the command of the step, within its range, shape (n, actuators); zeros when an episode begins.
        steps: steps of the environment since the episode began, shape (n,); 0 when it begins.
        failed: whose simulation has failed, shape (n,), truths; of these the last sound state is seen.
        seconds: how long a step of the environment takes [s].
        model: the body.
    """

    def __init__(self, crowd: Crowd, now: Moment, then: Moment | None, turn: int) -> None:
        self._crowd, self._now, self._then, self._turn = crowd, now, then, turn
        self.q, self.v, self.action = read_only(now.q), read_only(now.v), read_only(now.action)
        self.steps, self.failed = read_only(now.steps), read_only(now.failed)
        self.seconds: float = crowd.task.seconds
        self.model: Model = crowd.model

    def __len__(self) -> int:
        return len(self.q)

    def __getattr__(self, name: str) -> Any:
        known = sorted({each for each in (*vars(type(self)), *vars(self)) if not each.startswith("_")})
        raise AttributeError(f"a View has no {name!r}. {nearest(name, known)} It has: {', '.join(known)}.")

    def __repr__(self) -> str:
        return f"View({len(self)} × {self.model.name}, after steps {self.steps.tolist()[:4]}…)"

    @cached_property
    def before(self) -> View:
        """The same creatures when the step began; of an episode that begins, as they are now.

        It has coordinates, velocities, the action and what follows from these; poses of bodies and contact forces can be
        read of the present moment only.
        """
        then = self._now if self._then is None else self._then
        return View(self._crowd, then, None, -1)

    @cached_property
    def time(self) -> Floats:
        """Time since the episode began, shape (n,) [s]."""
        return read_only(self.steps * self.seconds)

    @cached_property
    def position(self) -> Floats:
        """Where the root's origin is in the world, shape (n, 3) [m]; zeros where the root is not free."""
        return read_only(np.stack(self._crowd.senses.place(self.q), axis=1))

    @cached_property
    def orientation(self) -> Floats:
        """Unit quaternion (w, x, y, z) that turns from the root's axes to the world's, shape (n, 4)."""
        return read_only(np.stack(self._crowd.senses.orientation(self.q), axis=1))

    @cached_property
    def velocity(self) -> Floats:
        """Velocity of the root's origin at this moment, world axes, shape (n, 3) [m/s]; zeros where it is not free."""
        return read_only(self._in_world(self.v[:, 3:6]))

    @cached_property
    def angular_velocity(self) -> Floats:
        """Angular velocity of the root, world axes, shape (n, 3) [rad/s]; zeros where it is not free."""
        return read_only(self._in_world(self.v[:, :3]))

    def _in_world(self, parts: Floats) -> Floats:
        if not self._crowd.senses.free:
            return np.zeros((len(self), 3))
        return np.asarray(turned(self.orientation, parts))

    @cached_property
    def contact_forces(self) -> Floats:
        """Sum of the contact forces on each body in the last step of the simulation, world axes, shape (n, bodies, 3) [N].

        Bodies are in the order of `model.body_names`; the ground, the first of them, has zeros, and so have episodes that
        begin and simulations that failed.
        """
        return read_only(self._current("contact_forces").contact_forces())

    @cached_property
    def body_positions(self) -> Floats:
        """Where the origins of all bodies are in the world, the ground first, shape (n, bodies, 3) [m]."""
        return read_only(self._poses[1])

    @cached_property
    def body_rotations(self) -> Floats:
        """Matrices that turn from the bodies' axes to the world's, the ground first, shape (n, bodies, 3, 3)."""
        return read_only(self._poses[0])

    @cached_property
    def _poses(self) -> tuple[Floats, Floats]:
        return self._current("poses of bodies").body_poses()

    def _current(self, what: str) -> Crowd:
        """The crowd, while it is where this view saw it.

        Raises:
            UsageError: when it has gone on.
        """
        if self._turn != self._crowd.turn:
            raise UsageError(
                f"{what} can be read only of the present moment, and this view is of an earlier one; keep what you need "
                "of it when it is present."
            )
        return self._crowd

    @cached_property
    def healthy(self) -> Any:
        """Whose root is within `healthy_z_range`, and whose simulation has not failed, shape (n,), truths."""
        healthy = ~self.failed
        heights = self._crowd.task.healthy_z_range
        if heights is not None and self._crowd.senses.free:
            z = self.position[:, 2]
            healthy &= (heights[0] <= z) & (z <= heights[1])
        return read_only(healthy)

    @cached_property
    def mean_velocity(self) -> Floats:
        """The way of the root's origin in the step, divided by its time, world axes, shape (n, 3) [m/s]."""
        return read_only((self.position - self.before.position) / self.seconds)

    @cached_property
    def usual_terms(self) -> dict[str, Floats]:
        """The terms of the usual reward, each of shape (n,): `reward_forward`, `reward_survive`, `reward_ctrl`."""
        task = self._crowd.task
        return {
            "reward_forward": task.forward_reward_weight * self.mean_velocity[:, 0],
            "reward_survive": np.where(self.healthy, task.healthy_reward, 0.0),
            "reward_ctrl": -task.ctrl_cost_weight * self._crowd.actuators.effort(self.action),
        }

    @cached_property
    def usual_reward(self) -> Floats:
        """The reward without an own one, shape (n,)."""
        forward, survive, control = self.usual_terms.values()
        return read_only(forward + survive + control)

    @cached_property
    def usual_observation(self) -> Floats:
        """The observation without an own one, shape (n, size)."""
        return read_only(self._crowd.senses.observe(self.q, self.v))


class Viewed:
    """What one environment and many have in common: they can be looked at."""

    crowd: Crowd

    @property
    def view(self) -> View:
        """Everything about the creatures now, as own functions get it: arrays with one row for each environment."""
        return self.crowd.view

    @property
    def observation_names(self) -> tuple[str, ...]:
        """What each entry of the usual observation is."""
        return self.crowd.senses.names

    @property
    def action_names(self) -> tuple[str, ...]:
        """The degree of freedom that each entry of an action commands."""
        return self.crowd.actuators.names

    def __reduce__(self) -> Any:
        raise UsageError(
            f"{self.crowd.model.name}: an environment cannot be pickled, nor copied but by copy.deepcopy; "
            "zoophyte.gym.save(environment) gives where it stands, which can be pickled or written to a file, and "
            "zoophyte.gym.restore lets an environment that is made alike go on from there."
        )

    def state(self, number: int = 0) -> State:
        """Where one creature is, complete, as a World takes it.

        Args:
            number: of its environment.

        Raises:
            UsageError: when there is no such environment.
        """
        given: Any = number
        count = self.crowd.count
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or not 0 <= given < count:
            allowed = (
                "0, for there is one environment" if count == 1 else f"a whole number from 0 to {count - 1}"
            )
            raise UsageError(f"number is {brief(number)}, must be {allowed}.")
        return self.crowd.running.state(number)

    def relive(self, begin: State, actions: Any) -> Trajectory:
        """An episode again, in a World, with the same bits: for pages, films, plots and files.

        Args:
            begin: what :meth:`state` gave after `reset`.
            actions: of all steps, shape (steps, actuators).

        Raises:
            UsageError: when the state is not of the beginning of an episode, actions are no finite numbers, or nothing of
                the body touches or is limited, so that a World steps otherwise.
        """
        return self.crowd.relive(begin, actions)


Own = Callable[[View], Any]
"""A function of the user's for rewards, ends or observations."""


def read_only(array: Shown) -> Shown:
    """The same numbers, which nobody can change through what is returned."""
    seen: Any = array.view()
    seen.flags.writeable = False
    found: Shown = seen
    return found
