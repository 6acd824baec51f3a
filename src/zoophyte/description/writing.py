"""Plain data of parts → YAML text that reads well and reads back to the same bits."""

from __future__ import annotations

import io
import math
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.representer import RoundTripRepresenter
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from zoophyte.description.mass import MassProperties, compact_inertia
from zoophyte.description.part import Part
from zoophyte.description.reading import scalar
from zoophyte.description.shapes import Solid

LINE_WIDTH = 110
FLOW_NUMBERS = 8
WHOLE_LIMIT = 1e15  # below it a whole float is written without its fraction


class _Representer(RoundTripRepresenter):
    """Numbers in Python's shortest form that reads back exactly."""


def _number(representer: _Representer, value: float) -> Any:
    text = repr(value) if math.isfinite(value) else ".inf" if value > 0.0 else "-.inf"
    return representer.represent_scalar("tag:yaml.org,2002:float", text)


_Representer.add_representer(float, _number)


def write_yaml(part: Part, head: dict[str, int]) -> str:
    """The YAML text of a part.

    Args:
        part: what to write.
        head: keys to put before its own.
    """
    yaml = YAML()
    yaml.Representer = _Representer
    yaml.width = LINE_WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.allow_unicode = True
    stream = io.StringIO()
    mapping = CommentedMap(head)
    mapping.update(_mapping(part))
    yaml.dump(mapping, stream)
    return stream.getvalue()


def _mapping(part: Part) -> CommentedMap:
    """The fields of a part that differ from their defaults; its kind, and what only that kind has, first."""
    shared = Solid.model_fields if isinstance(part, Solid) else {}
    mapping = CommentedMap()
    for name, field in sorted(
        type(part).model_fields.items(), key=lambda item: (item[0] != "kind", item[0] in shared)
    ):
        value = getattr(part, name)
        if name == "kind" or field.is_required() or value != field.get_default(call_default_factory=True):
            is_inertia = name == "inertia" and isinstance(part, MassProperties)
            mapping[name] = _tree(compact_inertia(value) if is_inertia else value)
    return mapping


def _tree(value: Any) -> Any:
    if isinstance(value, Part):
        return _mapping(value)
    if isinstance(value, list | tuple):
        sequence = CommentedSeq([_tree(item) for item in value])
        if _number_count(value) <= FLOW_NUMBERS or not any(isinstance(item, Part | tuple) for item in value):
            sequence.fa.set_flow_style()
        return sequence
    if (
        isinstance(value, float)
        and value.is_integer()
        and abs(value) < WHOLE_LIMIT
        and (value or math.copysign(1, value) > 0)
    ):
        return int(value)
    return _text(value) if isinstance(value, str) else value


def _number_count(value: Any) -> float:
    """How many numbers a nested tuple holds; infinite when it holds parts."""
    if isinstance(value, Part):
        return math.inf
    return sum(map(_number_count, value)) if isinstance(value, list | tuple) else 1


def _text(value: str) -> Any:
    """Text in quotes wherever a reader could take it for something else; whole lines as a block."""
    lines = value.split("\n")
    if (
        len(lines) > 1
        and lines[0][:1].strip()
        and all(line.isprintable() and line == line.rstrip() for line in lines)
    ):
        return LiteralScalarString(value)
    plain = value.isprintable() and value == value.strip() and isinstance(scalar(value), str)
    return value if plain else DoubleQuotedScalarString(value)
