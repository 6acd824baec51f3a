"""The base of everything that a description is made of."""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator

from zoophyte.description.problems import (
    Finding,
    as_line_errors,
    field_of,
    findings_of,
    given,
    listed,
    place,
)
from zoophyte.errors import DescriptionError, Problem


class Part(BaseModel):
    """A piece of a description: made with keywords, checked when made, editable afterwards.

    A part that becomes part of another one is copied and checked again, so two descriptions never share a
    body, and an edit that broke a part is found when the part is used.

    Raises:
        DescriptionError: with every problem of the part, when it is made from something wrong.
    """

    model_config = ConfigDict(extra="forbid", revalidate_instances="always", use_attribute_docstrings=True)

    # For fields that hold one of several kinds of parts: where pydantic puts the kind into a location.
    kind_positions: ClassVar[Mapping[str, int]] = {}

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as failure:
            raise _description_error(type(self), failure, data) from None

    # Keeps pydantic from calling this initialiser for inner parts, whose problems the outermost collects.
    __init__.__dict__["__pydantic_base_init__"] = True

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """The part that a mapping describes.

        Args:
            obj: a mapping of field names to values, or a part to check and copy.
            options: as pydantic takes them.
        """
        try:
            return super().model_validate(obj, **options)
        except ValidationError as failure:
            raise _description_error(cls, failure, obj) from None

    @classmethod
    def examine(cls, data: object) -> tuple[Self | None, list[Finding]]:
        """The part that `data` describes, or all that is wrong with it."""
        try:
            return cls.__pydantic_validator__.validate_python(data), []
        except ValidationError as failure:
            return None, findings_of(failure, cls, {})

    @classmethod
    def whole_findings(cls, data: object) -> list[Finding]:
        """What only the whole part shows; looked for even when single fields are wrong already.

        Args:
            data: what the part is to be made from, as given.
        """
        return []

    @model_validator(mode="wrap")
    @classmethod
    def _all_at_once(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        part, findings = None, []
        try:
            part = handler(data)
        except ValidationError as failure:
            findings = findings_of(failure, cls, cls.kind_positions)
        findings += cls.whole_findings(data)
        if part is None or findings:
            raise ValidationError.from_exception_data(cls.__name__, as_line_errors(findings))
        return part


def _description_error(cls: type[Part], failure: ValidationError, data: object) -> DescriptionError:
    name = field_of(data, "name")
    owner = f"{cls.__name__} {given(name)}" if isinstance(name, str) and name else cls.__name__
    problems = []
    for finding in findings_of(failure, cls, {}):
        where = place(finding.path, data)
        problems.append(Problem(f"{owner}: {where}" if where else owner, finding.what, finding.how))
    return DescriptionError(listed(problems))


PLAIN = frozenset({float, int, str, bool, type(None)})
"""Types of values that cannot change."""
AnyPart = TypeVar("AnyPart", bound=Part)


class Seal:
    """What a checked part and all parts in it hold; while none of it changes, they need not be checked again.

    Told by identity, not by value: after any assignment, even of an equal value, the part is checked again.

    Args:
        part: just checked.
    """

    def __init__(self, part: Part) -> None:
        self._parts: list[tuple[Part, tuple[Any, ...]]] = []
        self._lists: list[tuple[list[Any], tuple[Any, ...]]] = []
        self._whole = self._add(part)

    def _add(self, value: Any) -> bool:
        """Whether nothing in a value could change unseen."""
        kind = type(value)
        if kind in PLAIN:
            return True
        if kind is tuple:
            return PLAIN.issuperset(map(type, value)) or all(map(self._add, value))
        if kind is list:
            self._lists.append((value, tuple(value)))
            return all(map(self._add, value))
        if not isinstance(value, Part):
            return isinstance(value, float)  # of NumPy
        values = tuple(value.__dict__.values())
        self._parts.append((value, values))
        return all(map(self._add, values))

    def is_unbroken(self) -> bool:
        """Whether the part is as it was."""
        return (
            self._whole
            and all(all(map(is_, part.__dict__.values(), values)) for part, values in self._parts)
            and all(len(now) == len(then) and all(map(is_, now, then)) for now, then in self._lists)
        )


def copied(part: AnyPart) -> AnyPart:
    """An independent copy of a part that is known to be sound."""
    copy = part.model_copy()
    values = copy.__dict__
    for name, value in values.items():
        kind = type(value)
        if kind is list:
            values[name] = [copied(item) for item in value]
        elif kind is not tuple and kind not in PLAIN and isinstance(value, Part):
            values[name] = copied(value)
    return copy
