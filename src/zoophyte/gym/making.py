"""Names of environments, and making them by the name of a body."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Any

from zoophyte.errors import MissingExtraError

if TYPE_CHECKING:
    from zoophyte.description import Description
    from zoophyte.model import Model

EPISODE = 1000
"""Steps after which an episode is truncated."""
INHABITANTS = ("four_bar", "capsule_pinch", "ref4", "ref6", "ant", "walking_ant", "humanoid", "humanoid32")
"""Bodies of the zoo that have actuators; a list, so that registering does not build the whole zoo."""
ANY = "zoophyte/Creature-v1"
IDS = {name: f"zoophyte/{name.title().replace('_', '')}-v1" for name in INHABITANTS}
"""Names under which Gymnasium knows the bodies of the zoo."""


def register_all() -> None:
    """Tell Gymnasium, if it is installed, about all environments; those that it knows already stay."""
    if importlib.util.find_spec("gymnasium") is None:
        return
    import gymnasium

    for name, body in [*((identity, name) for name, identity in IDS.items()), (ANY, None)]:
        if name not in gymnasium.registry:
            gymnasium.register(
                name, "zoophyte.gym.single:CreatureEnv", max_episode_steps=EPISODE,
                vector_entry_point="zoophyte.gym.vector:CreatureVectorEnv",
                kwargs={} if body is None else {"body": body},
            )  # fmt: skip


def make(
    body: str | os.PathLike[str] | Description | Model, num_envs: int | None = None, **options: Any
) -> Any:
    """An environment of Gymnasium for a body with actuators.

    ::

        environment = zp.make("ant")
        environments = zp.make("ant", 1024)

    Args:
        body: name of an inhabitant of the zoo, made by hand or evolved, path of a file with a description, a
            description, or a model.
        num_envs: how many at once, as a `gymnasium.vector.VectorEnv` on the herd; a single `gymnasium.Env` if left out.
        options: those of :class:`zoophyte.gym.Task`, and of :class:`zoophyte.gym.CreatureEnv` or
            :class:`zoophyte.gym.CreatureVectorEnv`; `max_episode_steps`, 1000 if left out, None for never.

    Raises:
        MissingExtraError: without the package gymnasium.
        UsageError: a body that is not known or has no actuators.
    """
    if importlib.util.find_spec("gymnasium") is None:
        raise MissingExtraError("gymnasium", "gym", "an environment for learning")
    import gymnasium

    from zoophyte.gym.task import check_count, check_limit

    if num_envs is not None:
        check_count("num_envs", num_envs)
    check_limit(options.get("max_episode_steps"))
    register_all()
    name: Any = body if isinstance(body, str) else None
    # Arguments are copied into the specification of the environment, so a path becomes a plain text.
    given = os.fspath(body) if isinstance(body, os.PathLike) else body
    identity = IDS.get(name, ANY)
    arguments = options if name in IDS else {"body": given, **options}
    if num_envs is None:
        if options.get("max_episode_steps", EPISODE) is None:
            arguments = {**arguments, "max_episode_steps": -1}  # which is what Gymnasium calls never
        return gymnasium.make(identity, **arguments)
    return gymnasium.make_vec(identity, num_envs, **arguments)
