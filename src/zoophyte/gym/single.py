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
from zoophyte.gym.crowd import PICTURE_SIZE, Crowd
from zoophyte.gym.senses import Actuators, Senses
from zoophyte.gym.task import TaskOptions, model_of, task_for
from zoophyte.model import Model
from zoophyte.model.model import Floats

MODES = ("rgb_array",)


class CreatureEnv(gymnasium.Env[Floats, Floats]):
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
        self.task = task_for(body, task)
        self.model = model_of(body)
        self.render_mode = checked_mode(render_mode)
        self.render_size, self.camera = render_size, camera
        self.metadata = metadata_for(self.task.seconds)  # type: ignore[misc]
        self.observation_space, self.action_space = spaces_of(self.model)
        self.crowd = Crowd(self.model, self.task, 1, workers=1)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: for the initial state; chance goes on where it was if left out.
            options: none are known.
        """
        super().reset(seed=seed)
        self.crowd.rngs[0] = self.np_random
        self.crowd.begin([0])
        return self.crowd.observe()[0], {
            name: values[0].item() for name, values in self.crowd.where().items()
        }

    def step(self, action: Floats) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Act for one step of the environment.

        Args:
            action: one command for each actuator; beyond its range it counts as the end of the range.

        Raises:
            UsageError: when the action has the wrong shape.
        """
        rewards, terminated, info = self.crowd.step(self.crowd.actions(_row(action)))
        told = {name: values[0].item() for name, values in info.items()}
        return self.crowd.observe()[0], rewards[0].item(), bool(terminated[0]), False, told

    def render(self) -> Any:
        """A picture, uint8 of shape (height, width, 3), or nothing without a render mode."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() does nothing: this environment was made without render_mode='rgb_array'."
            )
            return None
        return self.crowd.picture(0, self.render_size, self.camera)

    def close(self) -> None:
        """Give back what is not memory."""
        self.crowd.close()


def _row(action: Any) -> Any:
    """One action as a batch of one; of another shape it stays wrong."""
    return [action] if np.ndim(action) == 1 else action


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
