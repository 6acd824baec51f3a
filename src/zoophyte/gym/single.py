"""CreatureEnv: one body as an environment of Gymnasium."""

from __future__ import annotations

import os
from typing import Any, ClassVar, Unpack

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from zoophyte.description import Description
from zoophyte.errors import UsageError
from zoophyte.export import Camera
from zoophyte.export.picture.camera import checked_view
from zoophyte.export.picture.picture import checked_size
from zoophyte.gym.crowd import PICTURE_SIZE, Crowd
from zoophyte.gym.own import space_of
from zoophyte.gym.saving import twin_of
from zoophyte.gym.senses import Actuators, Senses
from zoophyte.gym.stage import Stage
from zoophyte.gym.task import TaskOptions, checked_options, model_of, task_for
from zoophyte.gym.view import Viewed
from zoophyte.model import Model
from zoophyte.model.model import Floats

MODES = ("rgb_array",)


class CreatureEnv(Viewed, gymnasium.Env[Any, Floats]):
    """A creature that is to walk on along x.

    The observation is described at :class:`zoophyte.gym.senses.Senses`, the action at
    :class:`zoophyte.gym.senses.Actuators`, reward and end of an episode at :class:`zoophyte.gym.Task`.  Episodes are cut
    after 1000 steps by the wrapper that `gymnasium.make` and `zoophyte.make` put around it.

    Args:
        body: name of an inhabitant of the zoo, path of a file with a description, a description, or a model.
        render_mode: "rgb_array" for pictures by :meth:`render`, or None.
        render_size: width and height of pictures [pixels].
        camera: from where they are seen, as in :func:`zoophyte.export.picture_of`.
        task: arguments of :class:`zoophyte.gym.Task`.

    Raises:
        UsageError: a body that is not known or has no actuators, or an option that is wrong.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(MODES), "render_fps": 20}  # type: ignore[misc]

    def __init__(
        self, body: str | os.PathLike[str] | Description | Model = "ant", *, render_mode: str | None = None,
        render_size: tuple[int, int] = PICTURE_SIZE, camera: str | Camera = "three_quarter",
        **task: Unpack[TaskOptions],
    ) -> None:  # fmt: skip
        self.task = task_for(body, task, CreatureEnv)
        self.model = model_of(body)
        self.render_mode = checked_mode(render_mode)
        self.render_size, self.camera = checked_size(render_size), checked_view(camera)
        self.metadata = metadata_for(self.task.seconds)  # type: ignore[misc]
        usual, self.action_space = spaces_of(self.model)
        self.crowd = Crowd(self.model, self.task, 1, workers=1)
        self.observation_space = space_of(
            self.task.observation, self.crowd.view, usual, self.task.observation_space
        )
        self.stage = Stage(self.model.name)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: for the initial state; chance goes on where it was if left out.
            options: none are known.

        Raises:
            UsageError: when the environment is closed, or options are no dictionary.
        """
        self.stage.enter("reset")
        checked_options(options)
        super().reset(seed=seed)
        self.crowd.rngs[0] = self.np_random
        self.crowd.begin([0])
        self.stage.begun = True
        return self._observed(), {name: values[0].item() for name, values in self.crowd.where().items()}

    def step(self, action: Floats) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act for one step of the environment.

        Args:
            action: one command for each actuator; beyond its range it counts as the end of the range.

        Raises:
            UsageError: when the action has the wrong shape or holds what is no finite real number, before the first
                reset, and when the environment is closed.
            OwnCodeError: when a function of your own fails, or gives what cannot be used.
        """
        self.stage.enter("step")
        rewards, terminated, info = self.crowd.step(self.crowd.actions(action, single=True))
        told = {name: values[0].item() for name, values in info.items()}
        return self._observed(), rewards[0].item(), bool(terminated[0]), False, told

    def _observed(self) -> Any:
        return self.crowd.observe(self.observation_space)[0]

    def __deepcopy__(self, memo: dict[int, Any]) -> CreatureEnv:
        return twin_of(self, memo)

    def render(self) -> Any:
        """A picture, uint8 of shape (height, width, 3), or nothing without a render mode."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() does nothing: this environment was made without render_mode='rgb_array'."
            )
            return None
        self.stage.enter("render")
        return self.crowd.picture(0, self.render_size, self.camera)

    def close(self) -> None:
        """Give back what is not memory: the environment cannot go on then.

        Where it stood can still be asked, by `view` and `state()`; an episode can be lived again; a copy is closed, too.
        """
        self.stage.closed = True
        self.crowd.close()


def checked_mode(mode: str | None) -> str | None:
    """A render mode that there is."""
    if mode is not None and mode not in MODES:
        raise UsageError(f"render_mode is {mode!r}, must be 'rgb_array' or None.")
    return mode


def metadata_for(seconds: float) -> dict[str, Any]:
    """Render modes, and the pictures per second at which a film of all steps runs in true time."""
    return {"render_modes": list(MODES), "render_fps": max(1, round(1.0 / seconds))}


def spaces_of(model: Model) -> tuple[Any, Any]:
    """What a body observes, and what it may be told to do."""
    senses, actuators = Senses(model), Actuators(model)
    return (
        Box(senses.low, -senses.low, dtype=np.float64),
        Box(actuators.low, actuators.high, dtype=np.float64),
    )
