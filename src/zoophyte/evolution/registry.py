"""Breeds and tasks by name, and how a run finds them again."""

from __future__ import annotations

import importlib
from typing import Any

from zoophyte.errors import UsageError, ZoophyteError, brief, nearest
from zoophyte.evolution.protocols import Breed, Task

BREEDS = {
    "limbed": "zoophyte.evolution.genomes.limbed:Limbed",
    "graph": "zoophyte.evolution.genomes.graph:Graph",
    "tune": "zoophyte.evolution.genomes.tune:Tune",
}
"""Where the breeds are that come along."""
_NEEDED = ("name", "random", "restore", "operators", "settings", "difference")


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


def found_breed(record: dict[str, Any]) -> Breed:
    """The breed that a run keeps."""
    name = record["name"]
    return _checked(_again(BREEDS.get(name, record["place"]), record, "genome"))


def found_task(record: dict[str, Any]) -> Task:
    """The task that a run keeps."""
    from zoophyte.evolution.tasks import TASKS, Own, make_task

    if record["name"] in TASKS or record["name"] == Own.name:
        settings = record["settings"]
        made: Task = make_task(
            record["name"], **(Own.kept(settings) if record["name"] == Own.name else settings)
        )
        return made
    again: Task = _again(record["place"], record, "task")
    return again


def _again(place: str, record: dict[str, Any], what: str) -> Any:
    try:
        return _made(place, record["settings"], what)
    except ZoophyteError as failure:
        raise UsageError(
            f"{failure} The run was made with the {what} '{record['name']}' of {place}; give it again: "
            f"zp.Run(FILE, {what}=…).resume()."
        ) from None


def _made(place: str, settings: dict[str, Any], what: str) -> Any:
    """What stands at a place, made with settings if it is a class."""
    from zoophyte.evolution.tasks.own import find, made_of

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
