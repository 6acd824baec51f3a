"""Breeds and tasks by name, and how a run finds them again."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Sequence
from typing import Any

from zoophyte.errors import FileError, UntrustedError, UsageError, ZoophyteError, brief, nearest, told
from zoophyte.evolution.protocols import Breed, Task
from zoophyte.trust import find, find_named, made_of

BREEDS = {
    "limbed": "zoophyte.evolution.genomes.limbed:Limbed",
    "graph": "zoophyte.evolution.genomes.graph:Graph",
    "tune": "zoophyte.evolution.genomes.tune:Tune",
}
"""Where the breeds are that come along."""
_NEEDED = ("name", "random", "restore", "operators", "settings", "difference")
_METHODS = {
    "task": ("trials", "score", "settings"),
    "genome": ("random", "restore", "operators", "settings", "difference"),
}
"""What a class of the user's must have before it is made with the settings that a file holds."""


def breed(given: Any, **settings: Any) -> Breed:
    """A breed by its name, or as it is given.

    Args:
        given: a name of `BREEDS`, "module:name" or "file.py:name", or an object that is a breed.
        settings: of the breed.

    Raises:
        UsageError: names the nearest breed, or says what the object lacks.
    """
    if isinstance(given, str):
        if given not in BREEDS and ":" not in given:
            hint = nearest(given, BREEDS) or "A breed of your own: file.py:name."
            raise UsageError(f"there is no genome '{given}'. Known: {', '.join(BREEDS)}. {hint}")
        made: Breed = _made(BREEDS.get(given, given), settings, "genome")
        return _checked(made)
    if settings:
        raise UsageError(f"the genome is an object already; give it {', '.join(settings)} when you make it.")
    return _checked(given)


def task(given: Any, **settings: Any) -> Task:
    """A task by its name, of a function, or as it is given; see `zoophyte.evolution.tasks.make_task`."""
    from zoophyte.evolution.tasks import make_task

    made: Task = make_task(given, **settings)
    return made


def seeing(breed: Breed, task: Task) -> Breed:
    """The breed, whose nets of neurons feel what the task puts beside a creature (FON-73), if it has any and knows how.

    Args:
        breed: with a method `seeing(names)`, where its creatures can see.
        task: with names of bodies in `seen`, where there is something to see.
    """
    seen = getattr(task, "seen", ())
    found: Breed = breed.seeing(seen) if seen and hasattr(breed, "seeing") else breed
    return found


def described(thing: Breed | Task, given: Any) -> dict[str, Any]:
    """What a run keeps of a breed or a task, so that it is found again.

    Args:
        thing: the breed or task.
        given: what the user gave for it.
    """
    place = f"{type(thing).__module__}:{type(thing).__qualname__}"
    if isinstance(given, str) and ":" in given:
        place = given
    return {"name": thing.name, "place": place, "settings": thing.settings()}


def foreign(asked: dict[str, Any], given: Collection[str] = ()) -> dict[str, str]:
    """Places of code outside of Zoophyte that a run names: of its task, of its genome, of both or of none.

    Args:
        asked: what the run keeps.
        given: "task" or "genome", where the caller has given these, so that nothing is looked for.
    """
    found = {"task": _place_of_task(asked["task"]), "genome": _place_of_breed(asked["genome"])}
    return {what: place for what, place in found.items() if place is not None and what not in given}


def found_breed(record: dict[str, Any], *, file: object = "a run", trust: Sequence[str] = ()) -> Breed:
    """The breed that a run keeps; one that is not Zoophyte's own is imported only where the caller trusts its place.

    Args:
        record: what the run keeps of it.
        file: of the run.
        trust: places that the caller names.

    Raises:
        UntrustedError: when the caller does not name the place.
        FileError: when its settings are damaged.
    """
    place = _place_of_breed(record)
    if place is None:
        module, name = BREEDS[record["name"]].split(":")
        kind = getattr(importlib.import_module(module), name)
        kept = getattr(kind, "kept", dict)
        made = _sound(lambda: made_of(kind, kept(record["settings"]), name), file, "genome", record["name"])
        return _checked(made)
    return _checked(_own(place, record, "genome", file, trust))


def found_task(record: dict[str, Any], *, file: object = "a run", trust: Sequence[str] = ()) -> Task:
    """The task that a run keeps, by the rule of :func:`found_breed`."""
    from zoophyte.evolution.tasks import TASKS, Own

    name, settings, place = record["name"], record["settings"], _place_of_task(record)
    made: Task
    if place is None:
        made = _sound(lambda: TASKS[name].from_settings(settings), file, "task", name)
    elif name == Own.name:
        function = _own(place, {**record, "settings": None}, "task", file, trust)
        kept = {**Own.kept(settings), "function": function, "place": place}
        made = _sound(lambda: Own.from_settings(kept), file, "task", name)
    else:
        made = task(_own(place, record, "task", file, trust))
    return made


def _place_of_task(record: dict[str, Any]) -> str | None:
    from zoophyte.evolution.tasks import TASKS, Own

    if record["name"] in TASKS:
        return None
    return str(record["settings"].get("place", "") if record["name"] == Own.name else record.get("place", ""))


def _place_of_breed(record: dict[str, Any]) -> str | None:
    return None if record["name"] in BREEDS else str(record.get("place", ""))


def _sound(make: Callable[[], Any], file: object, what: str, name: str) -> Any:
    """What settings of a file make; whatever they raise in our own code, they are damaged."""
    try:
        return make()
    except UsageError as failure:
        raise FileError(f"{file}: the settings of its {what} '{name}' are damaged: {failure}") from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as failure:
        raise FileError(
            f"{file}: the settings of its {what} '{name}' are damaged: {told(failure)}."
        ) from None


def _own(place: str, record: dict[str, Any], what: str, file: object, trust: Sequence[str]) -> Any:
    """What the caller trusts, made with the settings of the file if it has some and is a class of the kind."""
    try:
        found, settings = find_named(place, what, file=file, trust=trust), record["settings"]
        if settings is None or not isinstance(found, type):
            return found
        # A trusted module holds more than its maker's task, and nothing else of it is called with what a file says.
        if lacking := [part for part in _METHODS[what] if not hasattr(found, part)]:
            raise UsageError(f"{place} is no {what}: it lacks {', '.join(lacking)}.")
        return made_of(found, settings, place)
    except UntrustedError:
        raise
    except ZoophyteError as failure:
        raise UsageError(
            f"{failure} The run was made with the {what} '{record['name']}' of {place}; give it again: "
            f"zp.Run(FILE, {what}=…).resume()."
        ) from None


def _made(place: str, settings: dict[str, Any], what: str) -> Any:
    """What stands at a place that the user gives, made with settings if it is a class."""
    if place in BREEDS.values():
        module, name = place.split(":")
        found = getattr(importlib.import_module(module), name)
    else:
        found = find(place, what)
    return made_of(found, settings, place) if isinstance(found, type) else found


def _checked(made: Any) -> Breed:
    lacking = [name for name in _NEEDED if not hasattr(made, name)]
    if lacking:
        raise UsageError(f"genome is {brief(made)}, which lacks {', '.join(lacking)}; a breed has them all.")
    result: Breed = made
    return result
