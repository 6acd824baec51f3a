"""Free parameters: named numbers of a description or of its controller, with a range each.

A path leads through a description by names and numbers: `bodies.shin.shapes.0.length`, `bodies.shin.joint.position.2`,
`surface.friction`.  What begins with `control.` belongs to the controller.  One parameter may set several paths, so that
left and right stay alike.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from zoophyte.description import Description
from zoophyte.description.files import read_text
from zoophyte.description.reading import read_yaml
from zoophyte.errors import UsageError, brief, is_number, nearest
from zoophyte.numbers.functions import exp, log

CONTROL = "control."
SCALES = ("linear", "log", "circle")


@dataclass(frozen=True)
class Parameter:
    """One free number.

    Args:
        name: what it is called.
        low: of its range.
        high: of its range; equal to `low` for one that is fixed.
        scale: "linear", "log" (equal factors are equally far), or "circle" (the ends of the range are one, as of a phase).
        paths: what it sets in the description; its name if left out.
    """

    name: str
    low: float
    high: float
    scale: Literal["linear", "log", "circle"] = "linear"
    paths: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        numbers = (self.low, self.high)
        if not all(is_number(x) and math.isfinite(x) for x in numbers) or self.low > self.high:
            raise UsageError(
                f"parameter {self.name!r}: low is {self.low!r} and high {self.high!r}; both must be finite, low first."
            )
        if self.scale not in SCALES:
            hint = nearest(str(self.scale), SCALES)
            raise UsageError(
                f"parameter {self.name!r}: scale is {self.scale!r}, must be one of {', '.join(SCALES)}. {hint}".rstrip()
            )
        if self.scale == "log" and self.low <= 0.0:
            raise UsageError(
                f"parameter {self.name!r}: low is {self.low!r}; on a log scale it must be more than 0."
            )

    @property
    def is_fixed(self) -> bool:
        """Whether there is nothing to choose."""
        return self.low == self.high

    @property
    def targets(self) -> tuple[str, ...]:
        """The paths that it sets."""
        return self.paths or (self.name,)

    def value(self, part: float) -> float:
        """The number at a part of the range, from 0 to 1."""
        if self.scale == "log":
            return self.low * float(exp(part * float(log(self.high / self.low))))
        return self.low + part * (self.high - self.low)

    def record(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {"low": self.low, "high": self.high, "scale": self.scale, "paths": list(self.paths)}


def read_parameters(given: Any) -> list[Parameter]:
    """Parameters from a mapping of names, or from a YAML file that holds one.

    Each is `[low, high]`, `[low, high, scale]`, a number that stays as it is, or a mapping with the keys of `Parameter`.

    Raises:
        UsageError: says which one is wrong.
        FileError: when a file cannot be read.
    """
    source = "parameters"
    if isinstance(given, str | os.PathLike):
        source = os.fspath(given)
        document = read_yaml(read_text(given), source)
        given = document.root.plain()
    if not isinstance(given, Mapping):
        raise UsageError(f"{source}: is {brief(given)}, must be a mapping of names to [low, high].")
    return [_parameter(source, str(name), told) for name, told in given.items()]


def _parameter(source: str, name: str, told: Any) -> Parameter:
    if isinstance(told, Parameter):
        return told
    if is_number(told):
        return Parameter(name, float(told), float(told))
    if isinstance(told, Sequence) and not isinstance(told, str) and len(told) in (2, 3):
        return Parameter(name, *told)
    if isinstance(told, Mapping) and {"low", "high"} <= set(told):
        known = [entry.name for entry in fields(Parameter)]
        for key in told:
            if key not in known:
                raise UsageError(
                    f"{source}: parameter {name!r} has no {key!r}. Known: {', '.join(known[1:])}. "
                    f"{nearest(str(key), known)}".rstrip()
                )
        paths = told.get("paths", ())
        paths = (paths,) if isinstance(paths, str) else tuple(str(path) for path in paths)
        return Parameter(name, told["low"], told["high"], told.get("scale", "linear"), paths)
    raise UsageError(
        f"{source}: parameter {name!r} is {brief(told)}, must be [low, high], [low, high, scale], a number, or have the "
        "keys low, high, scale and paths."
    )


def number_at(description: Description, path: str) -> float:
    """The number at a path.

    Raises:
        UsageError: says where the path goes wrong.
    """
    part: Any = description
    for n, key in enumerate(path.split(".")):
        part = _step(part, key, path, n)
    if not is_number(part):
        raise UsageError(
            f"path {path!r} of {description.name} leads to {brief(part)}, must lead to a number."
        )
    return float(part)


def with_number(part: Any, path: Sequence[str], value: float) -> Any:
    """A description, or a part of one, with another number at a path; what is not on the path is shared."""
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(part, list | tuple):
        place = _place(part, key)
        changed = [with_number(one, rest, value) if n == place else one for n, one in enumerate(part)]
        return type(part)(changed)
    return part.model_copy(update={key: with_number(getattr(part, key), rest, value)})


def _place(items: Sequence[Any], key: str) -> int | None:
    if key.lstrip("-").isdigit() and -len(items) <= int(key) < len(items):
        return int(key) % len(items)
    names = [getattr(item, "name", None) for item in items]
    return names.index(key) if key in names else None


def _step(part: Any, key: str, path: str, depth: int) -> Any:
    where = ".".join(path.split(".")[:depth]) or "it"
    if isinstance(part, list | tuple):
        place = _place(part, key)
        if place is None:
            names = [str(name) for item in part if (name := getattr(item, "name", None))]
            known = ", ".join(names[:12]) or f"0 to {len(part) - 1}"
            raise UsageError(
                f"path {path!r}: {where} has no {key!r}. Known: {known}. {nearest(key, names)}".rstrip()
            )
        return part[place]
    known_fields = getattr(type(part), "model_fields", {})
    if key not in known_fields:
        told = (
            f"Known: {', '.join(known_fields)}. {nearest(key, known_fields)}"
            if known_fields
            else "It ends there."
        )
        raise UsageError(f"path {path!r}: {where} has no {key!r}. {told}".rstrip())
    return getattr(part, key)
