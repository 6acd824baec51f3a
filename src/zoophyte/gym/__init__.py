"""Environments of Gymnasium for any body with actuators: one at a time, or thousands on the herd.

Importing this registers them (``zoophyte/Ant-v1``, …, and ``zoophyte/Creature-v1`` for any body), if Gymnasium is there::

    import gymnasium
    import zoophyte.gym

    environment = gymnasium.make("zoophyte/Ant-v1")
    environments = gymnasium.make_vec("zoophyte/Ant-v1", num_envs=1024)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from zoophyte.gym.making import IDS, make, register_all

if TYPE_CHECKING:
    from zoophyte.gym.saving import Saved, restore, save
    from zoophyte.gym.single import CreatureEnv
    from zoophyte.gym.task import Task
    from zoophyte.gym.vector import CreatureVectorEnv
    from zoophyte.gym.view import View

__all__ = ["IDS", "CreatureEnv", "CreatureVectorEnv", "Saved", "Task", "View", "make", "restore", "save"]

_HOME = {
    "CreatureEnv": "single", "CreatureVectorEnv": "vector", "Saved": "saving", "Task": "task", "View": "view",
    "restore": "saving", "save": "saving",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'zoophyte.gym' has no attribute {name!r}")
    return getattr(importlib.import_module(f"zoophyte.gym.{_HOME[name]}"), name)


register_all()
