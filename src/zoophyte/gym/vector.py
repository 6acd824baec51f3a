"""CreatureVectorEnv: many environments of one body at once, on the herd."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from zoophyte.description import Description
from zoophyte.errors import UsageError, brief
from zoophyte.export import Camera
from zoophyte.export.picture.camera import checked_view
from zoophyte.export.picture.picture import checked_size
from zoophyte.gym.crowd import PICTURE_SIZE, Crowd, Info
from zoophyte.gym.making import EPISODE
from zoophyte.gym.memory import refuse_too_many
from zoophyte.gym.own import space_of
from zoophyte.gym.saving import twin_of
from zoophyte.gym.single import checked_mode, metadata_for, spaces_of
from zoophyte.gym.stage import Stage
from zoophyte.gym.task import (
    TaskOptions,
    check_count,
    check_limit,
    checked_options,
    model_of,
    task_for,
)
from zoophyte.gym.view import Viewed
from zoophyte.model import Model
from zoophyte.model.model import Floats

Stepped = tuple[Floats, Floats, Any, Any, Info]


class CreatureVectorEnv(Viewed, VectorEnv[Floats, Floats, Any]):
    """Creatures of one body that are to walk on along x, each in an environment of its own.

    Environment n is the same to the last bit as :class:`zoophyte.gym.CreatureEnv` with the same seed and actions.

    Args:
        body: name of an inhabitant of the zoo, path of a file with a description, a description, or a model.
        num_envs: how many.
        max_episode_steps: after which an episode is truncated; None for never.
        autoreset_mode: what happens to an environment whose episode is over: it begins anew at the next step
            ("NextStep"), within the same step ("SameStep", with `final_obs` and `final_info`), or when it is told to
            ("Disabled": `reset(options={"reset_mask": …})`).
        workers: threads; as many as there are processors if left out.
        render_mode: "rgb_array" for pictures by :meth:`render`, or None.
        render_size: width and height of pictures [pixels].
        camera: from where they are seen.
        task: arguments of :class:`zoophyte.gym.Task`.

    Raises:
        UsageError: a body that is not known or has no actuators, or an option that is wrong.
    """

    def __init__(
        self, body: str | os.PathLike[str] | Description | Model = "ant", num_envs: int = 1, *,
        max_episode_steps: int | None = EPISODE, autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        workers: int | None = None, render_mode: str | None = None, render_size: tuple[int, int] = PICTURE_SIZE,
        camera: str | Camera = "three_quarter", **task: Unpack[TaskOptions],
    ) -> None:  # fmt: skip
        check_count("num_envs", num_envs)
        check_limit(max_episode_steps)
        self.task = task_for(body, task, CreatureVectorEnv)
        self.model = model_of(body)
        self.render_mode = checked_mode(render_mode)
        self.render_size, self.camera = checked_size(render_size), checked_view(camera)
        self.num_envs, self.max_episode_steps = num_envs, max_episode_steps
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {**metadata_for(self.task.seconds), "autoreset_mode": self.autoreset_mode}
        refuse_too_many(self.model, self.task, num_envs)
        usual, self.single_action_space = spaces_of(self.model)
        self.crowd = Crowd(self.model, self.task, num_envs, workers=workers)
        self.single_observation_space = space_of(
            self.task.observation, self.crowd.view, usual, self.task.observation_space
        )
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.done = np.zeros(num_envs, bool)
        self.stage = Stage(self.model.name)

    def __deepcopy__(self, memo: dict[int, Any]) -> CreatureVectorEnv:
        return twin_of(self, memo)

    @property
    def np_random(self) -> Any:
        """The sources of chance, one per environment."""
        for number in range(self.num_envs):
            self.crowd.seed(number, None)
        return tuple(self.crowd.rngs)

    @np_random.setter
    def np_random(self, value: Any) -> None:
        if len(value) != self.num_envs:
            raise UsageError(
                f"np_random is {len(value)} generators, must be one for each of {self.num_envs}."
            )
        self.crowd.rngs = list(value)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, Info]:
        """Begin episodes in all environments, or in those of `options["reset_mask"]`.

        Args:
            seed: of the first environment, the others count on from it; or one for each; chance goes on if left out.
            options: `reset_mask`, truths of shape (num_envs,), chooses environments.

        Raises:
            UsageError: when there are more or fewer seeds or truths than environments, and when they are closed.
        """
        self.stage.enter("reset")
        mask = self._mask(options)
        seeds = self._seeds(seed)
        chosen = np.flatnonzero(mask).tolist()
        for number in chosen:
            self.crowd.seed(number, seeds[number])
        self._begin(chosen)
        self.stage.begun = True
        return self._observed(), masked(self.crowd.where(), mask)

    def _observed(self) -> Any:
        return self.crowd.observe(self.single_observation_space)

    def _seeds(self, seed: Any) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + number for number in range(self.num_envs)]
        if not isinstance(seed, Sequence | np.ndarray) or len(seed) != self.num_envs:
            raise UsageError(
                f"seed is {seed!r}, must be a whole number, or one for each of {self.num_envs} environments."
            )
        return [None if each is None else int(each) for each in seed]

    def _mask(self, options: dict[str, Any] | None) -> Any:
        given = checked_options(options).get("reset_mask")
        if given is None:
            return np.ones(self.num_envs, bool)
        listed = isinstance(given, list | tuple) and all(isinstance(each, bool | np.bool_) for each in given)
        mask = np.array(given) if listed else given
        if (
            not isinstance(mask, np.ndarray)
            or mask.dtype != np.bool_
            or mask.shape != (self.num_envs,)
            or not mask.any()
        ):
            raise UsageError(
                f"options['reset_mask'] is {brief(given)}, must be {self.num_envs} truths, one of them true."
            )
        return mask

    def _begin(self, numbers: list[int]) -> None:
        self.crowd.begin(numbers)
        self.done[numbers] = False

    def step(self, actions: Floats) -> Stepped:
        """Act in all environments for one step.

        Args:
            actions: one row per environment; beyond its range a command counts as the end of the range.

        Raises:
            UsageError: when actions have the wrong shape or hold what is no finite real number, when an episode is over and
                nobody has begun a new one, before the first reset, and when the environments are closed.
            OwnCodeError: when a function of your own fails, or gives what cannot be used.
        """
        self.stage.enter("step")
        values = self.crowd.actions(actions)
        over = self.done.copy()
        if self.autoreset_mode is AutoresetMode.DISABLED and over.any():
            raise UsageError(
                f"the episode of environment {int(np.argmax(over))} is over; begin a new one with "
                "reset(options={'reset_mask': …}), or choose another autoreset_mode."
            )
        # Who was done begins anew, its action is passed over, and it has nothing to tell of a step.
        rewards, terminated, info = self.crowd.step(values, np.flatnonzero(over).tolist())
        limit, steps = self.max_episode_steps, self.crowd.now.steps
        truncated = np.zeros(self.num_envs, bool) if limit is None else steps >= limit
        told = masked(info, ~over)
        if over.any():
            rewards[over], terminated[over], truncated[over] = 0.0, False, False
            _merge(told, self.crowd.where(), over)
        self.done = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self.done.any():
            told = self._renew(info)
        return self._observed(), rewards, terminated, truncated, told

    def _renew(self, info: Info) -> Info:
        """Begin anew where episodes have ended, within the same step."""
        done = self.done.copy()
        told = masked(info, ~done)
        final = np.full(self.num_envs, None, dtype=object)
        for number, row in zip(np.flatnonzero(done), self._observed()[done], strict=True):
            final[number] = row
        self._begin(np.flatnonzero(done).tolist())
        _merge(told, self.crowd.where(), done)
        told |= {
            "final_obs": final,
            "_final_obs": done.copy(),
            "final_info": masked(info, done),
            "_final_info": done,
        }
        return told

    def render(self) -> Any:
        """A picture of every environment, each uint8 of shape (height, width, 3), or nothing without a render mode."""
        if self.render_mode is None:
            return None
        self.stage.enter("render")
        return tuple(
            self.crowd.picture(number, self.render_size, self.camera) for number in range(self.num_envs)
        )

    def close_extras(self, **kwargs: Any) -> None:
        """Let the threads go: the environments cannot go on then.

        Where they stood can still be asked, by `view` and `state(n)`; episodes can be lived again; a copy is closed, too.
        """
        self.stage.closed = True
        self.crowd.close()


def masked(info: Info, mask: Any) -> Info:
    """What some environments have to tell, as Gymnasium wants it: zeros elsewhere, and of whom it is true."""
    found: Info = {}
    if mask.any():
        _merge(found, info, mask)
    return found


def _merge(told: Info, info: Info, mask: Any) -> None:
    """Add what some environments have to tell to what others have told."""
    for name, values in info.items():
        others = told.get(name, np.zeros_like(values))
        told[name] = np.where(mask, values, others)
        told[f"_{name}"] = told.get(f"_{name}", np.zeros_like(mask)) | mask


def _mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(repr(each.value) for each in AutoresetMode)
        raise UsageError(f"autoreset_mode is {mode!r}, must be one of {known}.") from None
