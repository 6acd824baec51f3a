"""What is wrong with a part, in our own words: pydantic finds it, this module says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from zoophyte.errors import Problem, counted, nearest

Path: TypeAlias = tuple[str | int, ...]

OURS = "zoophyte"
GIVEN_LENGTH = 60
GIVEN_DEPTH = 3
WORD_LENGTH = 200
LISTED_PROBLEMS = 200


@dataclass(frozen=True)
class Finding:
    """One problem before its place is known as file and line.

    Args:
        path: keys and indices from the outermost part, as in ``("bodies", 2, "joint", "axis")``.
        what: what was given and what is allowed.
        how: what to do about it.
    """

    path: Path
    what: str
    how: str = ""


def refuse(what: str, how: str = "") -> PydanticCustomError:
    """What a validator raises; the words reach the user unchanged."""
    return PydanticCustomError(OURS, "{what}", {"what": what, "how": how})


def given(value: object, depth: int = 0) -> str:
    """A value as the user may have written it, shortened.

    Args:
        value: what was given.
        depth: how many lists it stands in; the innermost of many are not spelled out.
    """
    if value is None:
        text = "empty"
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = repr(value[:GIVEN_LENGTH])
    elif isinstance(value, Mapping):
        keys = ", ".join(str(key)[:GIVEN_LENGTH] for key in list(value)[:8])
        text = f"a mapping with the keys {keys}" if value else "an empty mapping"
    elif isinstance(value, BaseModel):
        text = f"a {type(value).__name__}"
    elif isinstance(value, list | tuple):
        items = ", ".join(given(item, depth + 1) for item in value[:8]) if depth < GIVEN_DEPTH else "…"
        text = f"[{items}, …]" if len(value) > 8 else f"[{items}]"
    elif isinstance(value, int) and not -(10**GIVEN_LENGTH) < value < 10**GIVEN_LENGTH:
        text = "a whole number of many digits"  # Python refuses to print integers of more than 4300 digits
    else:
        text = repr(value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value)
    return text if len(text) <= GIVEN_LENGTH else text[: GIVEN_LENGTH - 1] + "…"


def path_text(path: Path) -> str:
    """``bodies[2].joint.axis``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            shown = step if step.isprintable() and len(step) <= GIVEN_LENGTH else given(step)
            text += f".{shown}" if text else shown
    return text


def place(path: Path, data: object) -> str:
    """The path, followed by the name of the body that it leads into."""
    text = path_text(path)
    if len(path) < 2 or path[0] != "bodies" or not isinstance(path[1], int):
        return text
    bodies = field_of(data, "bodies")
    if not isinstance(bodies, Sequence) or path[1] >= len(bodies):
        return text
    name = field_of(bodies[path[1]], "name")
    return f"{text} (body {given(name)})" if isinstance(name, str) and name else text


def field_of(part: object, key: str) -> Any:
    """A field of a part, or of the mapping that is to become one; None when there is none."""
    return part.get(key) if isinstance(part, Mapping) else getattr(part, key, None)


def listed(problems: Sequence[Problem]) -> list[Problem]:
    """The first problems, and how many more there are."""
    if len(problems) <= LISTED_PROBLEMS:
        return list(problems)
    more = Problem("", f"… and {counted(len(problems) - LISTED_PROBLEMS, 'more problem')}.")
    return [*problems[:LISTED_PROBLEMS], more]


def findings_of(failure: ValidationError, cls: type[BaseModel], tags: Mapping[str, int]) -> list[Finding]:
    """Everything that pydantic found, in our words.

    Args:
        failure: raised by the validation of `cls`.
        cls: the part whose fields the first step of every location names.
        tags: for fields that hold one of several kinds of parts, where pydantic puts the kind in a location.
    """
    return [
        _finding(error, cls, _without_tag(error["loc"], tags)) for error in failure.errors(include_url=False)
    ]


def as_line_errors(findings: Iterable[Finding]) -> list[InitErrorDetails]:
    """Findings in the form in which pydantic hands them on to the part outside."""
    return [
        InitErrorDetails(type=refuse(finding.what, finding.how), loc=finding.path, input=None)
        for finding in findings
    ]


def _without_tag(path: Path, tags: Mapping[str, int]) -> Path:
    position = tags.get(str(path[0])) if path else None
    return path if position is None or len(path) <= position else path[:position] + path[position + 1 :]


def _finding(error: ErrorDetails, cls: type[BaseModel], path: Path) -> Finding:
    context = error.get("ctx", {})
    if error["type"] == OURS:
        return Finding(path, context["what"], context["how"])
    value = error["input"]
    field = cls.model_fields.get(str(path[0])) if path else None
    match error["type"]:
        case "missing":
            return Finding(path, "is missing.", _purpose(field))
        case "extra_forbidden":
            known = list(cls.model_fields)
            return Finding(path, "is not a known key.", _choices("keys", str(path[-1]), known))
        case "literal_error":
            return _unknown_kind(path, value, _literal_values(field))
        case "union_tag_invalid":
            return _unknown_kind(
                (*path, "kind"), field_of(value, "kind"), _quoted_words(context["expected_tags"])
            )
        case "union_tag_not_found":
            return Finding((*path, "kind"), "is missing.", "It says what this is.")
    return Finding(path, *_wrong_value(error["type"], value, context))


def _wrong_value(kind: str, value: object, context: Mapping[str, Any]) -> tuple[str, str]:
    """What is wrong with one value of the wrong type or size, and what to do."""
    is_now = f"is {given(value)},"
    match kind:
        case "float_type":
            return f"{is_now} must be a number.", "Write it without quotes." if _is_numeral(value) else ""
        case "int_type" | "int_from_float":
            return f"{is_now} must be a whole number.", ""
        case "finite_number":
            return f"{is_now} must be a finite number.", ""
        case "greater_than":
            return f"{is_now} must be greater than {context['gt']:g}.", ""
        case "greater_than_equal" | "less_than_equal":
            bound = f"{context['ge']:g} or more" if "ge" in context else f"{context['le']:g} or less"
            return f"{is_now} must be {bound}.", ""
        case "bool_type":
            return f"{is_now} must be true or false.", ""
        case "string_type":
            return f"{is_now} must be text.", "" if value is None else "Put it in quotes."
        case "list_type" | "tuple_type":
            return f"{is_now} must be a list.", ""
        case "model_type" | "model_attributes_type" | "dict_type":
            return f"{is_now} must be a mapping of keys to values.", ""
    return f"{is_now} which cannot be used here.", ""


def _is_numeral(value: object) -> bool:
    """Whether a text is a number in quotes."""
    if not isinstance(value, str):
        return False
    try:
        float(value)
    except ValueError:
        return False
    return True


def _purpose(field: FieldInfo | None) -> str:
    return (
        f"It is needed: {field.description}" if field is not None and field.description else "It is needed."
    )


def _choices(noun: str, word: str, known: Sequence[str]) -> str:
    return f"Known {noun}: {', '.join(known)}. {nearest(word[:WORD_LENGTH], known)}".rstrip()


def _unknown_kind(path: Path, value: object, known: Sequence[str]) -> Finding:
    word = value if isinstance(value, str) else ""
    return Finding(path, f"is {given(value)}, which is not known.", _choices("kinds", word, known))


def _literal_values(field: FieldInfo | None) -> list[str]:
    annotation = field.annotation if field is not None else None
    return [str(word) for word in get_args(annotation)] if get_origin(annotation) is Literal else []


def _quoted_words(text: str) -> list[str]:
    """The words of ``'a', 'b'``."""
    return text.split("'")[1::2]
