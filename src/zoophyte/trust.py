"""Trust: what a file names is not imported because the file names it.

A run, a population or another file may say where code of its maker stands: ``own.py:fitness``, ``package.module:Task``.
Importing a module runs it, so such a place is a request to run code, and whoever wrote the file asks. The rule is one:

    A reader imports nothing that a file names. What comes along with Zoophyte goes by its name and is looked up in a table.
    Every other place is refused, unless the caller names that place, or gives the object itself.

Every reader that meets a place in a file goes through :func:`find_named`; what the user gives goes through :func:`find`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from zoophyte.errors import UntrustedError, UsageError, brief, nearest, told

PREFIX = "zoophyte_file_"
"""Of modules that are files of users."""
PROGRAM = ".py"
PAGE = "docs/concepts/files-from-strangers.md"

# ------------------------------------------------------------------------------------------------------------ the rule


def checked_trust(trust: Any) -> tuple[str, ...]:
    """The places that a caller trusts.

    Args:
        trust: one place, or several.

    Raises:
        UsageError: when it names no places; there is no way to trust whatever a file may name.
    """
    places = (trust,) if isinstance(trust, str) else trust
    if not isinstance(places, Iterable) or isinstance(places, bytes):
        places = (trust,)
    found = tuple(places)
    for place in found:
        if not isinstance(place, str) or not all(place.rpartition(":")[::2]):
            raise UsageError(
                f"trust is {brief(trust)}, must name what may be imported, as 'own.py:fitness' or ['package.module:Task']."
            )
    return found


def trusted(place: str, trust: Sequence[str]) -> str | None:
    """What the caller lets a file have imported by this place; None if nothing.

    A file of the user may lie elsewhere than the reader's file says: then the user's path counts, never the file's.

    Args:
        place: as the file names it.
        trust: places that the caller names.
    """
    if place in trust:
        return place
    tail = _tail(place)
    return None if tail is None else next((one for one in trust if _tail(one) == tail), None)


def _tail(place: str) -> tuple[str, str] | None:
    """Name of a user's file and of what stands in it."""
    source, _, name = place.rpartition(":")
    return (source.replace("\\", "/").rpartition("/")[2], name) if source.endswith(PROGRAM) else None


def refuse_untrusted(file: object, named: Mapping[str, str], trust: Sequence[str] = ()) -> None:
    """Refuse a file that names code which the caller does not name. Nothing is imported.

    Args:
        file: that names it.
        named: what is named: its place by what it is, as ``{"task": "own.py:fitness"}``.
        trust: places that the caller names.

    Raises:
        UntrustedError: tells all places, and how to trust them.
    """
    foreign = {what: place for what, place in named.items() if trusted(place, trust) is None}
    if not foreign:
        return
    parts = [f"{what} is {place!r}" for what, place in foreign.items()]
    are = "which is code outside of Zoophyte" if len(parts) == 1 else "which are code outside of Zoophyte"
    places = tuple(dict.fromkeys(foreign.values()))
    importable = [place for place in places if not is_of_a_session(place)]
    options = " and ".join(f"{what}=…" for what in foreign)
    objects = f"give the {' and the '.join(foreign)} again: zp.Run(FILE, {options})"
    how = f"In Python, {objects}, or say trust={importable!r}." if importable else f"In Python, {objects}."
    raise UntrustedError(
        f"{file}: its {' and its '.join(parts)}, {are}. A file has no code imported that it merely names ({PAGE}); if this "
        f"is your own code, or you have read it, say so. {how}",
        tuple(importable) if len(importable) == len(places) else (),
    )


def find_named(place: str, what: str, *, file: object, trust: Sequence[str] = ()) -> Any:
    """What stands at a place that a file names; it is imported only where the caller trusts the place.

    Args:
        place: as the file names it.
        what: it is: "task" or "genome".
        file: that names it.
        trust: places that the caller names.

    Raises:
        UntrustedError: when the caller does not name the place.
        UsageError: says what is missing there.
    """
    refuse_untrusted(file, {what: place}, trust)
    return find(str(trusted(place, trust)), what)


def trust_options(places: Iterable[str]) -> str:
    """The options of a command that trust these places, with a blank before each; nothing for no place.

    Args:
        places: as a file names them.
    """
    known = [one for one in dict.fromkeys(places) if one.isprintable() and not is_of_a_session(one)]
    return "".join(f" --trust {shlex.quote(place)}" for place in known)


def is_of_a_session(place: str) -> bool:
    """Whether a place was in a session or within a function, where nobody finds it again."""
    source = place.rpartition(":")[0]
    return not source or source == "__main__" or "<" in place


# ------------------------------------------------------------------------------------------------- what the user names


def find(place: str, what: str = "task") -> Any:
    """What stands at "module:name" or "file.py:name"; of a place that the user gives, never of one that a file names.

    Args:
        place: as above.
        what: is looked for, for messages.

    Raises:
        UsageError: says what is missing.
    """
    source, _, name = place.rpartition(":")
    if not source or not name:
        raise UsageError(f"{place!r} is no place of a {what}; write module:name or file.py:name.")
    if is_of_a_session(place):
        raise UsageError(
            f"the {what} {place} was made in a session that is over; put it into a module or a file, or give it again."
        )
    in_file = source.endswith(PROGRAM)
    module = _from_file(Path(source), what) if in_file else _imported(source, place, what)
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            hint = nearest(part, [known for known in dir(found) if not known.startswith("_")])
            raise UsageError(f"the {what} {place} is not there: {source} has no {name!r}. {hint}".rstrip())
        found = getattr(found, part)
    return found


def _imported(source: str, place: str, what: str) -> Any:
    """A module; whatever goes wrong in it is told as a fault of the user's code."""
    try:
        return importlib.import_module(source)
    except ImportError as failure:
        raise UsageError(f"the {what} {place} cannot be imported: {failure}.") from None
    except (Exception, SystemExit) as failure:
        raise UsageError(f"the {what} {place} cannot be imported: {told(failure)}") from None


def _from_file(path: Path, what: str) -> Any:
    """A user's file as a module."""
    if not path.is_file():
        raise UsageError(f"there is no file {path} with a {what} in it.")
    try:
        return importlib.import_module(PREFIX + str(path.resolve()).encode().hex())
    except (Exception, SystemExit) as failure:
        raise UsageError(f"{path} cannot be run: {told(failure)}") from None


class _Files:
    """Finds modules whose names are paths of files.

    What a user's file holds reaches other processes by the name of its module; with the path in that name they find it.
    """

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        """Where the module is; None for any other."""
        if not name.startswith(PREFIX):
            return None
        file = bytes.fromhex(name.removeprefix(PREFIX)).decode()
        return importlib.util.spec_from_file_location(name, file)


sys.meta_path.append(_Files)


def made_of(kind: type, settings: dict[str, Any], place: str) -> Any:
    """What a user's own class makes of settings: by its `from_settings`, or as keyword arguments.

    Raises:
        UsageError: names the settings that it has, when it does not take these.
    """
    if hasattr(kind, "from_settings"):
        return kind.from_settings(settings)
    try:
        inspect.signature(kind).bind(**settings)
    except (TypeError, ValueError) as failure:
        try:
            known = ", ".join(inspect.signature(kind).parameters) or "none"
        except ValueError:
            known = "unknown"
        raise UsageError(
            f"{place.rpartition(':')[2]} cannot be made with {brief(settings)}: {failure}. Its settings: {known}."
        ) from None
    return kind(**settings)
