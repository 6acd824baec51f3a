"""A user's own task: a function of a life."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from zoophyte.errors import UsageError, brief, is_number, nearest
from zoophyte.evolution.protocols import Grown, Score, Trial
from zoophyte.evolution.tasks.common import CommonTask, Samples, faulty
from zoophyte.evolution.tasks.measures import descriptors
from zoophyte.simulation.herd import Life
from zoophyte.trust import find

_WANTED = {
    "samples": "a zp.Samples; write @zp.Samples(per_second=50) above the function",
    "unit": "a text, as 'm/s'",
}
WEIGHTS = ("energy", "smoothness", "height")
"""Settings of other tasks that a function does not have, and are kept as 0: it says itself what a life is worth."""


@dataclass(frozen=True)
class Own(CommonTask):
    """What a function says that a life is worth.

    `def my_task(life): return life.path` will do; faulty lives are −1 and never shown to it.

    Args:
        function: takes a Life, returns a number (0 or more for a sound life) or a Score.
        place: where the function can be found again, "module:name" or "file.py:name"; its own module if left out.
    """

    name: ClassVar[str] = "own"
    """Under which a run keeps it; it is called by the name of its function."""
    nought: ClassVar[str] = ""
    passive: bool = False
    settle: float = 0.0
    function: Callable[[Life], Any] | None = None
    place: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise UsageError(f"a task of your own is a function of a life, and {self.function!r} is none.")
        for part, kind in (("samples", Samples), ("unit", str)):
            if not isinstance(getattr(self, part), kind):
                raise UsageError(
                    f"task {self.title}: its {part} is {brief(getattr(self, part))}, must be {_WANTED[part]}."
                )
        if not self.place:
            module = getattr(self.function, "__module__", "")
            object.__setattr__(self, "place", f"{module}:{getattr(self.function, '__qualname__', '?')}")

    @property
    def title(self) -> str:
        """The name of the function."""
        name = str(getattr(self.function, "__name__", "")) or type(self.function).__name__
        return _last(self.place) or name

    @property
    def unit(self) -> str:  # type: ignore[override]
        """Of what the function returns, if it has an attribute `unit`; nothing else knows."""
        return getattr(self.function, "unit", "")

    @property
    def samples(self) -> Samples:  # type: ignore[override]
        """What the function asks for by `@zp.Samples(…)`; the usual if it asks for nothing."""
        return getattr(self.function, "samples", CommonTask.samples)

    def _check(self, name: str, value: Any, default: Any) -> None:
        if name != "function":
            super()._check(name, value, default)

    def settings(self) -> dict[str, Any]:
        """All settings; the function by its place."""
        found = super().settings()
        del found["function"]
        return found

    @classmethod
    def from_settings(cls, settings: dict[str, Any]) -> Own:
        """The task with these settings; its function is looked for in its place."""
        found = dict(settings)
        if "function" not in found:
            found["function"] = find(str(found.get("place", "")))
        known = [entry.name for entry in fields(cls) if entry.name not in ("function", "place", *WEIGHTS)]
        for name, value in found.items():
            if name not in (*known, "function", "place") and not (name in WEIGHTS and value == 0):
                why = ": what a life is worth is the function's own business" if name in WEIGHTS else ""
                told = f"task {_called(found)}: there is no setting {name!r}{why}. Known: {', '.join(known)}."
                raise UsageError(f"{told} {nearest(str(name), known)}".rstrip())
        return cls(**found)

    @classmethod
    def kept(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """Of the settings that a run keeps, those to make the task from again.

        Args:
            settings: as they are kept; runs of old may have weights that never had an effect.
        """
        return {name: value for name, value in settings.items() if name not in WEIGHTS}

    def score(self, grown: Grown, trials: Sequence[Trial], lives: Sequence[Life]) -> Score:
        """The lowest that the function gives; what it raises is told by the evaluation."""
        assert self.function is not None
        for life in lives:
            if not life.status.is_sound:
                return faulty(life)
        told = [self.function(life) for life in lives]
        if len(told) == 1 and isinstance(told[0], Score):
            return told[0]
        for value in told:
            if not is_number(value) or math.isnan(value):
                raise UsageError(f"task {self.title} returned {value!r}, must be a number.")
        worst = min(range(len(told)), key=lambda n: float(told[n]))
        return Score(
            float(told[worst]), lives[worst].status.kind, "", descriptors(grown.description, lives[worst])
        )


def _called(settings: dict[str, Any]) -> str:
    """A task that cannot be made, by the name of its function."""
    return _last(str(settings.get("place", ""))) or str(
        getattr(settings.get("function"), "__name__", Own.name)
    )


def _last(place: str) -> str:
    """The name of what stands at a place, without what it stands in."""
    return place.rpartition(":")[2].rpartition(".")[2]
