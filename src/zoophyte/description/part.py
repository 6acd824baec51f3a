"""The base of everything that a description is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from operator import attrgetter, eq, is_
from typing import Any, ClassVar, Self, TypeVar, get_args

import numpy as np
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

    # JSON knows no infinity, and pydantic would write null, which could not be read back: it is written as a word.
    model_config = ConfigDict(
        extra="forbid",
        revalidate_instances="always",
        use_attribute_docstrings=True,
        ser_json_inf_nan="strings",
    )

    # For fields that hold one of several kinds of parts: where pydantic puts the kind into a location.
    kind_positions: ClassVar[Mapping[str, int]] = {}
    # What fields hold that are not given: the same value in all parts (None if it must be given), or one made for each.
    usual_values: ClassVar[Mapping[str, Any]] = {}
    own_values: ClassVar[Mapping[str, Callable[[], Any]]] = {}
    # Fields that hold parts or lists of parts; what a checked part holds in others cannot change.
    part_fields: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        fields: Any = cls.model_fields
        cls.own_values = {n: f.default_factory for n, f in fields.items() if f.default_factory is not None}
        cls.usual_values = {n: None if f.is_required() else f.default for n, f in fields.items()}
        cls.part_fields = tuple(name for name, field in fields.items() if _names_parts(field.annotation))

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
    def sound(cls, **values: Any) -> Self:
        """A part of values that are known to be right, such as a genome's: nothing is checked, nothing is copied.

        Args:
            values: of fields, as checking would leave them: plain floats, tuples, and parts of no other.
        """
        held = {**cls.usual_values, **values}
        if cls.own_values:
            for name, make in cls.own_values.items():
                if name not in values:
                    held[name] = make()
        assert len(held) == len(cls.usual_values), f"{cls.__name__} has no field of some name in {[*values]}"
        return _with_values(cls, held, set(values))

    def altered(self, **values: Any) -> Self:
        """The same with other values that are known to be right; what is not changed is shared.

        Args:
            values: of fields.
        """
        held = {**self.__dict__, **values}
        assert len(held) == len(self.usual_values), f"no field of some name in {[*values]}"
        return _with_values(type(self), held, {*self.model_fields_set, *values})

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


UNCHANGING = frozenset({float, np.float64, int, str, bool, tuple, type(None)})
"""Types of what a checked part holds beside parts; its tuples hold nothing else either."""
AnyPart = TypeVar("AnyPart", bound=Part)
_held = attrgetter("__dict__")
_assign = object.__setattr__


def _names_parts(annotation: Any) -> bool:
    """Whether a type is that of parts, or made of it."""
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return True
    return any(map(_names_parts, get_args(annotation)))


class Seal:
    """What a checked part and all parts in it hold; while none of it changes, they need not be checked again.

    Told by identity, not by value: after any assignment, even of an equal value, the part is checked again.

    Args:
        part: just checked.
        known: unbroken seal of another one that shares most of what it holds.
    """

    def __init__(self, part: Part, known: Seal | None = None) -> None:
        # In the order in which they are met, each before what it holds.
        self._parts: list[Part] = []
        self._values: list[tuple[Any, ...]] = []
        self._lists: list[list[Part]] = []
        self._items: list[tuple[Part, ...]] = []
        self._whole = True
        # Where the records begin and end of what lies in lists of the part itself: parts, then lists.
        self._spans: dict[int, tuple[int, int, int, int]] = {}
        # One that stands for the part and holds the same, so that a part that keeps its seal is in no circle with it:
        # Python's search for garbage would look through all bodies of all creatures to find out who is gone.
        same = _with_values(type(part), part.__dict__, part.model_fields_set)
        self._add(same, self._add_item if known is None else partial(self._add_item, known=known))

    def _add_item(self, item: Part, known: Seal | None = None) -> None:
        """Something in a list of the part itself; its records are taken over where they are known."""
        first, first_list = len(self._parts), len(self._lists)
        span = None if known is None else known._spans.get(id(item))
        if known is None or span is None:
            self._add(item)
        else:
            start, stop, start_list, stop_list = span
            self._parts += known._parts[start:stop]
            self._values += known._values[start:stop]
            self._lists += known._lists[start_list:stop_list]
            self._items += known._items[start_list:stop_list]
        self._spans[id(item)] = first, len(self._parts), first_list, len(self._lists)

    def _add(self, part: Part, add_item: Callable[[Part], None] | None = None) -> None:
        held = part.__dict__
        values = tuple(held.values())
        self._parts.append(part)
        self._values.append(values)
        known = sum(map(UNCHANGING.__contains__, map(type, values)))
        if known == len(values):  # there are no parts in it
            return
        for name in part.part_fields:
            value = held[name]
            if isinstance(value, list):
                self._lists.append(value)
                self._items.append(tuple(value))
                for item in value:
                    (add_item or self._add)(item)
            elif value is not None:
                self._add(value)
            known += value is not None
        if known < len(values):  # something could change unseen
            self._whole = False

    def is_unbroken(self) -> bool:
        """Whether the part is as it was."""
        now = chain.from_iterable(
            map(dict.values, map(_held, self._parts))
        )  # all in one row, which is fastest
        return (
            self._whole
            and all(map(is_, now, chain.from_iterable(self._values)))
            and all(map(eq, map(len, self._lists), map(len, self._items)))
            and all(map(is_, chain.from_iterable(self._lists), chain.from_iterable(self._items)))
        )

    @property
    def part(self) -> Any:
        """The part; as it is now."""
        return self._parts[0]

    def copy(self) -> Any:
        """An independent copy of the part as it was when it was sealed, whatever has become of it since."""
        return _again(zip(self._parts, self._values, strict=True), iter(self._items))


def _again(parts: Iterator[Any], lists: Iterator[Any]) -> Any:
    """A copy of the part that comes next in the records of a seal, with all that it held."""
    part, held = next(parts)
    values = dict(zip(part.usual_values, held, strict=True))
    for name in part.part_fields:
        if isinstance(values[name], list):
            values[name] = [_again(parts, lists) for _ in next(lists)]
        elif values[name] is not None:
            values[name] = _again(parts, lists)
    return _with_values(type(part), values, set(part.model_fields_set))


def _with_values(kind: type[AnyPart], values: dict[str, Any], given: set[str]) -> AnyPart:
    """A part made of values, in the order of its fields; what pydantic does where nothing is checked."""
    part = kind.__new__(kind)
    _assign(part, "__dict__", values)
    _assign(part, "__pydantic_fields_set__", given)
    _assign(part, "__pydantic_extra__", None)
    _assign(part, "__pydantic_private__", None)
    return part
