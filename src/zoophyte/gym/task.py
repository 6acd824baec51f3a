"""Task: which body, what is rewarded, when it is over, and how time is cut into steps."""

from __future__ import annotations

import copy
import inspect
import math
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from zoophyte.description import Description, Surface, load
from zoophyte.errors import UsageError, brief, is_number, nearest
from zoophyte.evolution import showcase
from zoophyte.gym.view import Own
from zoophyte.model import Model
from zoophyte.model import compile as compile_model
from zoophyte.simulation import Habitat
from zoophyte.simulation.habitat import STANDARD_HABITAT
from zoophyte.zoo import get, names

PLAIN = Surface()
OF_MANY = ("autoreset_mode", "workers")
"""Options of environments by the dozen."""
ROLES = ("reward", "terminated", "observation")
"""What may be a function of the user's own."""


class TaskOptions(TypedDict, total=False):
    """Arguments of a task, as environments pass them on."""

    frame_skip: int
    dt: float
    forward_reward_weight: float
    ctrl_cost_weight: float
    healthy_reward: float
    healthy_z_range: tuple[float, float] | None
    terminate_when_unhealthy: bool
    reset_noise_scale: float
    habitat: Habitat | None
    sweeps: int
    reward: Own | None
    terminated: Own | None
    observation: Own | None
    observation_space: Any


UPRIGHT: TaskOptions = {"healthy_z_range": (0.65, 1.3), "reset_noise_scale": 0.01}
CRAWLING: TaskOptions = {"healthy_z_range": (0.2, 1.0)}
USUAL: dict[str, TaskOptions] = {
    "ant": CRAWLING, "walking_ant": CRAWLING, "humanoid": UPRIGHT, "humanoid32": UPRIGHT,
}  # fmt: skip
"""What differs from the defaults for bodies of the zoo; heights of ants and the noise of figures as in Gymnasium."""


@dataclass(frozen=True)
class Task:
    """Walk on along x and stay healthy.  Names and meanings are those of Gymnasium's Ant where it has them.

    Args:
        frame_skip: steps of the simulation in one step of the environment.
        dt: step of the simulation [s]; with the usual frame skip an environment's step takes 0.05 s, as Gymnasium's Ant.
        forward_reward_weight: of the root's mean velocity along x during the step [1/(m/s)].
        ctrl_cost_weight: of the sum of squares of the action, every entry scaled so that its range is −1 to 1.
        healthy_reward: for every step at whose end the body is healthy.
        healthy_z_range: heights of the root at which it is healthy [m]; None for any.
        terminate_when_unhealthy: whether the episode ends then; one whose simulation fails ends in any case.
        reset_noise_scale: how far initial coordinates and velocities are from those of the description.
        habitat: where it lives; on level ground with the body's own surface if None.
        sweeps: of the contact solver in one step, at most.
        reward: a function of your own: it gets a :class:`zoophyte.gym.View` of all environments, and gives one number for
            each, shape (n,).
        terminated: likewise, one truth for each: whose episode ends, instead of whose health; one whose simulation fails
            ends in any case.
        observation: likewise, one row for each, shape (n, …).
        observation_space: of an own observation, for one environment, a `gymnasium.spaces.Box` of floats; if left out,
            the function is tried once when the environment is made, and its space has the shape that it gave, without
            bounds.
    """

    frame_skip: int = 5
    dt: float = 0.01
    forward_reward_weight: float = 1.0
    ctrl_cost_weight: float = 0.5
    healthy_reward: float = 1.0
    healthy_z_range: tuple[float, float] | None = None
    terminate_when_unhealthy: bool = True
    reset_noise_scale: float = 0.1
    habitat: Habitat | None = None
    sweeps: int = 30
    reward: Own | None = None
    terminated: Own | None = None
    observation: Own | None = None
    observation_space: Any = None

    def __post_init__(self) -> None:
        check_count("frame_skip", self.frame_skip)
        if not (is_number(self.dt) and math.isfinite(self.dt) and self.dt > 0.0):
            raise UsageError(f"dt is {brief(self.dt)}, must be a positive number of seconds.")
        for name, least in (("forward_reward_weight", None), ("ctrl_cost_weight", None), ("healthy_reward", None),
                            ("reset_noise_scale", 0.0)):  # fmt: skip
            value = getattr(self, name)
            if not (is_number(value) and math.isfinite(value)) or (least is not None and value < least):
                kind = "a finite number" if least is None else "a finite number, 0 or more"
                raise UsageError(f"{name} is {value!r}, must be {kind}.")
        ends: Any = self.terminate_when_unhealthy
        if not isinstance(ends, bool | np.bool_):
            raise UsageError(f"terminate_when_unhealthy is {brief(ends)}, must be True or False.")
        heights: Any = self.healthy_z_range
        if heights is not None and not (
            isinstance(heights, tuple | list) and len(heights) == 2 and all(map(is_number, heights))
            and heights[0] < heights[1]
        ):  # fmt: skip
            raise UsageError(
                f"healthy_z_range is {heights!r}, must be two heights, the lower one first, or None."
            )
        if self.habitat is not None and not isinstance(self.habitat, Habitat):
            raise UsageError(f"habitat is {brief(self.habitat)}, must be a Habitat or None.")
        for name in ROLES:
            function = getattr(self, name)
            if function is not None and not callable(function):
                raise UsageError(f"{name} is {brief(function)}, must be a function of a View, or None.")

    def __deepcopy__(self, memo: dict[int, Any]) -> Task:
        """One with copies of the functions, which may remember something; the habitat is shared."""
        return replace(self, **{name: copy.deepcopy(getattr(self, name), memo) for name in ROLES})

    @property
    def seconds(self) -> float:
        """How long one step of the environment takes [s]."""
        return self.frame_skip * self.dt

    def habitat_of(self, description: Description) -> Habitat:
        """Where a body lives."""
        if self.habitat is not None:
            return self.habitat
        if description.surface is None:
            return STANDARD_HABITAT
        # The ground feels like the body, but everybody meets it: groups and masks part shapes from each other only.
        everybody = {"group": PLAIN.group, "mask": PLAIN.mask}
        return replace(STANDARD_HABITAT, surface=description.surface.model_copy(update=everybody))


def check_count(name: str, value: object) -> None:
    """Refuse what is no whole number, 1 or more.

    Raises:
        UsageError: names the argument.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise UsageError(f"{name} is {value!r}, must be a whole number, 1 or more.")


def check_limit(steps: object) -> None:
    """Refuse what is no number of steps after which an episode is truncated; None is for never.

    Raises:
        UsageError: says what is allowed.
    """
    if steps is not None and (not isinstance(steps, int) or isinstance(steps, bool) or steps < 1):
        raise UsageError(
            f"max_episode_steps is {brief(steps)}, must be a whole number, 1 or more, or None for no end."
        )


def checked_options(options: Any) -> dict[str, Any]:
    """The options of a reset.

    Raises:
        UsageError: when they are no dictionary.
    """
    if options is not None and not isinstance(options, dict):
        raise UsageError(f"options is {brief(options)}, must be a dictionary or None.")
    return options or {}


def task_for(body: Any, options: TaskOptions, kind: type) -> Task:
    """The task with these options, and for a body of the zoo with what is usual for it.

    Args:
        body: as it was given.
        options: those that are none of the environment's own.
        kind: of environment, whose own options are known, too.

    Raises:
        UsageError: for an option that is not known, or wrong.
    """
    usual: TaskOptions = USUAL.get(body, {}) if isinstance(body, str) else {}
    for name in options:
        if name not in TaskOptions.__annotations__:
            raise unknown_option(name, kind)
    given: TaskOptions = {**usual, **options}
    return Task(**given)


def unknown_option(name: str, kind: type) -> UsageError:
    """What to say of an option that nobody knows, or that is for many environments only."""
    own = [each for each in inspect.signature(kind).parameters if each not in ("body", "num_envs", "task")]
    if name in OF_MANY and name not in own:
        return UsageError(f"{name} is for many environments at once: give num_envs, the number of them, too.")
    known = list(dict.fromkeys(["max_episode_steps", *own, *TaskOptions.__annotations__]))
    words = [f"there is no option {name!r}.", nearest(name, known), f"Known: {', '.join(known)}."]
    return UsageError(" ".join(word for word in words if word))


def model_of(body: Any) -> Model:
    """The model of a body given by name, path, description or as it is.

    Raises:
        UsageError: when it is neither, or has no actuators.
        FileError: when a file cannot be read.
        DescriptionError: when it describes a body wrongly.
    """
    model = body if isinstance(body, Model) else compile_model(_description(body))
    dofs = model.dofs
    if not (dofs.servo_stiffness.any() or dofs.motor_strength.any()):
        raise UsageError(
            f"{model.name} has no actuators, so there is nothing to learn; give its joints a Motor or a Servo, or choose "
            "another body."
        )
    return model


def _description(body: Any) -> Description:
    if isinstance(body, Description):
        return body
    if not isinstance(body, str | os.PathLike):
        raise UsageError(
            f"body is {brief(body)}, must be the name of a body of the zoo, a path, a description or a model."
        )
    text = os.fspath(body)
    if text in names():
        found = get(text)
        # Figures of the zoo have no surface of their own, and would fall through the ground on which they are to stand.
        bare = text in USUAL and found.surface is None
        return found.model_copy(update={"surface": Surface()}) if bare else found
    if text in showcase.names():
        return showcase.creature(text).description
    if isinstance(body, str) and not Path(text).suffix and not Path(text).exists():
        return get(text)  # which says what is nearest
    return load(text)
