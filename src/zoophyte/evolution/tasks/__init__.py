"""Tasks: what creatures are asked to do, by name; or your own, as a function of a life or as a class."""

from __future__ import annotations

from typing import Any

from zoophyte.errors import UsageError, brief, nearest
from zoophyte.evolution.tasks.common import FAULTY, CommonTask, Samples
from zoophyte.evolution.tasks.elsewhere import HitBall, HitMovedBall, Swim
from zoophyte.evolution.tasks.ground import Climb, Follow, JumpAway, JumpUp, Move, Walk
from zoophyte.evolution.tasks.own import Own
from zoophyte.trust import find, made_of

TASKS: dict[str, type[CommonTask]] = {
    kind.name: kind
    for kind in (Walk, Move, JumpUp, JumpAway, HitBall, HitMovedBall, Climb, Swim, Follow)
}  # fmt: skip
"""Tasks by name."""
ALIASES = {"jump": "jump_up", "hit": "hit_ball"}

__all__ = [
    "FAULTY", "TASKS", "Climb", "CommonTask", "Follow", "HitBall", "HitMovedBall", "JumpAway", "JumpUp", "Move", "Own",
    "Samples", "Swim", "Walk", "make_task",
]  # fmt: skip


def make_task(given: Any, **settings: Any) -> Any:
    """A task by its name, of a function, or as it is given.

    Args:
        given: a name of `TASKS`, "module:name" or "file.py:name", a function of a life, or an object that is a task.
        settings: of the task.

    Raises:
        UsageError: names the nearest task, or says what the object lacks.
    """
    if isinstance(given, str):
        name = ALIASES.get(given.replace("-", "_"), given.replace("-", "_"))
        if name in TASKS:
            return TASKS[name].from_settings(settings)
        if given == Own.name:
            return Own.from_settings(settings)
        if ":" in given:
            found = find(given)
            if isinstance(found, type):
                return _own_or_object(made_of(found, settings, given), {"place": given})
            return _own_or_object(found, {**settings, "place": given})
        known = [*TASKS, *ALIASES]
        how = nearest(name, known) or "A task of your own: file.py:name."
        raise UsageError(f"there is no task {given!r}. Known: {', '.join(TASKS)}. {how}")
    return _own_or_object(given, settings)


def _own_or_object(given: Any, settings: dict[str, Any]) -> Any:
    if all(hasattr(given, part) for part in ("trials", "score", "settings", "dt", "sweeps")):
        rest = {key for key in settings if key != "place"}
        if rest:
            raise UsageError(
                f"the task is an object already; give it {', '.join(sorted(rest))} when you make it."
            )
        return given
    if not callable(given):
        raise UsageError(
            f"task is {brief(given)}, must be a name, a function of a life, or have dt, sweeps, trials, score and settings."
        )
    return Own.from_settings({**settings, "function": given})
