"""Listing: the tasks, genomes, controllers, schemes and selections that come along, and their settings, one line each.

All of it is read from the registries: names, defaults, and the first words and the arguments of docstrings.
"""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from typer.core import TyperCommand

REFERENCE = re.compile(r"\s*\((?:ARN|FON)-[^)]*\)")
"""Numbers of requirements, which tell a user of the command line nothing."""
ARGUMENT = re.compile(r"(\w+): (.+)")
NAMES, SETTINGS, MOST, LEAST = 18, 26, 110, 60  # columns


class EvolveCommand(TyperCommand):
    """The command `evolve`, whose help ends with all that can be asked for."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The usual help, and the list."""
        super().format_help(ctx, formatter)
        print(listing(shutil.get_terminal_size().columns))


def listing(columns: int = MOST) -> str:
    """All tasks, genomes, controllers, schemes and selections with their settings, in so many columns."""
    width = min(max(columns, LEAST), MOST) - 1
    lines: list[str] = []
    for head, entries in _sections():
        lines += ["", head]
        for name, words, settings in entries:
            lines += _line(name, words, width, 2, NAMES)
            usual = [f"{setting}={default}" for setting, default, meaning in settings if not meaning]
            lines += textwrap.wrap(", ".join(usual), width, initial_indent=" " * 6, subsequent_indent=" " * 6)
            for setting, default, meaning in (each for each in settings if each[2]):
                lines += _line(f"{setting}={default}" if default else setting, meaning, width, 6, SETTINGS)
    return "\n".join([*lines, ""])


Entry = tuple[str, str, list[tuple[str, str, str]]]


def _sections() -> Iterator[tuple[str, Iterable[Entry]]]:
    from zoophyte.evolution.populations import SCHEMES
    from zoophyte.evolution.registry import BREEDS
    from zoophyte.evolution.selection import SELECTIONS
    from zoophyte.evolution.tasks import ALIASES, TASKS, CommonTask, Own
    from zoophyte.evolution.tasks.own import WEIGHTS

    short = {full: alias for alias, full in ALIASES.items()}
    tasks = [
        (f"{name}, {short[name]}" if name in short else name, _first(kind), _own_settings(kind, CommonTask))
        for name, kind in TASKS.items()
    ]
    others = [each for each in _own_settings(Own, CommonTask) if each[0] not in ("function", "place")]
    own = ("file.py:name", f"{_first(Own)} It has no {', '.join(WEIGHTS[:-1])} and {WEIGHTS[-1]}.", others)
    common = ("all tasks", "", _settings(CommonTask))
    yield "Tasks: zoophyte evolve TASK --set NAME=VALUE, or file.py:name for your own", [*tasks, own, common]
    breeds = {name: _class_at(place) for name, place in BREEDS.items()}
    kinds = [(name, _first(kind), _settings(kind)) for name, kind in breeds.items()]
    yield "Genomes: --genome NAME --set-genome NAME=VALUE, or file.py:name for your own", kinds
    yield "Controllers: --controller NAME", _controllers()
    schemes = [(name, _first(kind), _settings(kind)) for name, kind in SCHEMES.items()]
    yield "Schemes: --scheme NAME --set-scheme NAME=VALUE", schemes
    yield "Selections: --selection NAME", [(name, _first(kind), []) for name, kind in SELECTIONS.items()]


def _class_at(place: str) -> Any:
    from importlib import import_module

    module, name = place.split(":")
    return getattr(import_module(module), name)


def _controllers() -> Iterator[Entry]:
    from zoophyte import control
    from zoophyte.evolution.genomes.graph.form import CONTROLLERS
    from zoophyte.evolution.genomes.limbed.motions import MOTIONS
    from zoophyte.evolution.genomes.movers import MOVERS

    takers: Mapping[str, Iterable[str]] = {"limbed": MOTIONS, "graph": CONTROLLERS, "tune": MOVERS}
    for name in dict.fromkeys([*MOTIONS, *CONTROLLERS, *MOVERS]):
        kind = getattr(control, name.capitalize(), None)
        whose = ", ".join(taker for taker, known in takers.items() if name in known)
        words = _first(kind) if kind is not None else "nothing moves it."
        yield name, f"{words} With {whose}.", []


def _first(kind: Any) -> str:
    """The first sentence of a docstring."""
    return _sentence(inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0])


def _sentence(text: str) -> str:
    text = REFERENCE.sub("", " ".join(text.split())).replace("`", "")
    sentence = re.match(r".+?[.](?=\s|$)", text)
    return sentence.group() if sentence else text


def _settings(kind: Any) -> list[tuple[str, str, str]]:
    """Name, default and meaning of every setting of a class that its docstrings explain."""
    told, defaults = _arguments(kind), _defaults(kind)
    return [(name, defaults[name], told[name]) for name in defaults if name in told]


def _own_settings(kind: Any, common: Any) -> list[tuple[str, str, str]]:
    """The settings that a task has for itself, and those common ones whose defaults are others."""
    usual = {name: default for name, default, _ in _settings(common)}
    return [
        (name, default, "" if name in usual else words)
        for name, default, words in _settings(kind)
        if usual.get(name) != default
    ]


def _arguments(kind: Any) -> dict[str, str]:
    """What the docstrings of a class and its bases say of its arguments, a line each."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        doc = inspect.cleandoc(each.__dict__.get("__doc__") or "")
        _, there, rest = doc.partition("\nArgs")
        block = rest.partition("\n")[2] if there else ""
        entries = re.split(r"\n(?=    \S)", "\n" + re.split(r"\n(?=\S)", block)[0])
        for entry in entries:
            match = ARGUMENT.match(" ".join(entry.split()))
            if match:
                found[match[1]] = _sentence(match[2]).rstrip(".")
    return found


def _defaults(kind: Any) -> dict[str, str]:
    """Settings and their defaults, as they are written behind `--set`; nothing for one without a default."""
    parameters = inspect.signature(kind).parameters
    names = [entry.name for entry in fields(kind)] if is_dataclass(kind) else list(parameters)
    left_out = ("population", "selection", "name", "controller")  # which have options of their own
    return {name: _written(parameters[name].default) for name in names if name not in left_out}


def _written(value: Any) -> str:
    if (
        value is inspect.Parameter.empty
        or value is None
        or type(value).__name__ == "_HAS_DEFAULT_FACTORY_CLASS"
    ):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    return str(value)


def _line(name: str, words: str, width: int, indent: int, column: int) -> list[str]:
    """A name and its words beside it, wrapped below themselves."""
    head = " " * indent + name
    start = indent + column
    lines = textwrap.wrap(words, max(20, width - start)) or [""]
    if len(head) >= start:
        return [head, *(" " * start + line for line in lines if line)]
    return [(head.ljust(start) + lines[0]).rstrip(), *(" " * start + line for line in lines[1:])]
