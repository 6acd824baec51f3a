"""Records: numbers of flat arrays under names.

A record class says where the numbers of a thing lie, in units of one creature's number:

    class Wheel(Record):
        spin = Field("data", 3)             # one number, 3 behind the start of the wheel in `data`
        axis = Field("data", 4, 3)          # three numbers: a tuple
        force = FieldAt("scratch", 0, 6)    # six numbers of a place that a table names for each lane
        kind = Whole()                      # a whole number that all lanes share

    wheel = Wheel(data, start, scratch, table, index, kind, spec)
    wheel.spin = wheel.spin + number(1.0, wheel.spin)

The values of a record are what :func:`load`, :func:`store`, :func:`load_at` and :func:`store_at` say, `width(spec)` apart.
This module is their meaning for one number; :mod:`zoophyte.numbers.lanes.records` turns each access into the loads or stores
themselves, so that a record costs nothing, and :mod:`zoophyte.numbers.cuda.records` does so for threads.

An outlined function takes arrays and no records: the compiler is told that its arguments do not overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from zoophyte.numbers.primitives import load, load_at, store, store_at, width


class Field:
    """Numbers behind the start of a part of a record.

    Args:
        part: name of the array, and of the constructor's argument.
        offset: of the first number.
        count: how many; the value of a field is a number if it is 1, else a tuple.
        apart: distance between two of them.
    """

    def __init__(self, part: str, offset: int, count: int = 1, apart: int = 1) -> None:
        self.part, self.offset, self.count, self.apart = part, offset, count, apart
        self.offsets = range(offset, offset + count * apart, apart)
        """Where each of its numbers lies."""

    def __get__(self, record: Any, owner: Any = None) -> Any:
        if record is None:
            return self
        if self.count == 1:
            return record.access(self, self.offset)
        return tuple([record.access(self, offset) for offset in self.offsets])

    def __set__(self, record: Any, value: Any) -> None:
        values = (value,) if self.count == 1 else value
        if len(values) != self.count:
            raise ValueError(
                f"{type(record).__name__} takes {self.count} numbers here and was given {len(values)}"
            )
        for offset, x in zip(self.offsets, values, strict=True):
            record.access(self, offset, x)


class FieldAt(Field):
    """Numbers behind a start that a table holds for each lane."""


class Whole:
    """A whole number that all lanes share; the constructor is given it."""

    def __get__(self, record: Any, owner: Any = None) -> Any:  # a record's own number goes before
        return self


class Within:
    """Another record of the same arrays: the joint of a link, say.

    Args:
        record: its class.
        data: how far behind the start in `data` its own start lies.
    """

    def __init__(self, record: RecordClass, data: int = 0) -> None:
        self.record: Any = record
        self.data = data

    def __get__(self, record: Any, owner: Any = None) -> Any:
        if record is None:
            return self
        other = object.__new__(self.record)
        own = other.__dict__
        own.update(record.__dict__)
        if self.data:
            own["data_start"] += self.data * own["_width"]
        return other


class RecordClass(type):
    """What a record class knows of itself: its fields, and the arguments of its constructor, in order.

    Each part is given as an array and a start, or, if its fields are :class:`FieldAt`, as an array, a table and an index of
    the table.  Whole numbers and the machine follow.
    """

    fields: dict[str, Field]
    within: dict[str, Within]
    parameters: tuple[str, ...]
    machine: Mapping[Any, Callable[..., Any]] = {}
    """Primitive → what stands in its place."""

    def __init__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> None:
        super().__init__(name, bases, body)
        members = {key: value for base in reversed(cls.__mro__) for key, value in vars(base).items()}
        cls.fields = {key: value for key, value in members.items() if isinstance(value, Field)}
        cls.within = {key: value for key, value in members.items() if isinstance(value, Within)}
        looked_up = {field.part: isinstance(field, FieldAt) for field in cls.fields.values()}
        parts = [
            (part, f"{part}_table", f"{part}_index") if at else (part, f"{part}_start")
            for part, at in looked_up.items()
        ]
        wholes = [key for key, value in members.items() if isinstance(value, Whole)]
        cls.parameters = (*(word for words in parts for word in words), *wholes, "spec")

    def unknown(cls, name: str) -> str:
        """What to say of a name that the record has not."""
        return (
            f"the record {cls.__name__} has no field {name!r}; it has {', '.join([*cls.fields, *cls.within])}"
        )

    def bound(cls, args: tuple[Any, ...]) -> dict[str, Any]:
        """The constructor's arguments by name."""
        if len(args) != len(cls.parameters):
            raise TypeError(
                f"{cls.__name__} takes ({', '.join(cls.parameters)}) and was given {len(args)} values"
            )
        return dict(zip(cls.parameters, args, strict=True))

    def on(cls, machine: Mapping[Any, Any], moved: Callable[[Field], int]) -> RecordClass:
        """The same record on another machine.

        Args:
            machine: primitive → what stands in its place.
            moved: offset of a field there.
        """
        body: dict[str, Any] = {
            name: type(field)(field.part, moved(field), field.count, field.apart)
            for name, field in cls.fields.items()
        }
        body |= {
            name: Within(other.record.on(machine, moved), other.data) for name, other in cls.within.items()
        }
        made = RecordClass(cls.__name__, (cls,), {**body, "__module__": cls.__module__})
        made.machine = machine
        return made


class Record(metaclass=RecordClass):
    """Base of records.  Besides its fields a record has the arguments of its constructor as attributes."""

    def __init__(self, *args: Any) -> None:
        own = self.__dict__
        own.update(type(self).bound(args))
        own["_width"] = type(self).machine.get(width, width)(own["spec"])

    def access(self, field: Field, offset: int, *x: Any) -> Any:
        """Read one number of a field, or write x."""
        own, machine, part = self.__dict__, type(self).machine, field.part
        place, spec = offset * own["_width"], own["spec"]
        if isinstance(field, FieldAt):
            primitive: Any = store_at if x else load_at
            call = machine.get(primitive, primitive)
            return call(own[part], own[f"{part}_table"], own[f"{part}_index"], place, *x, spec)
        primitive = store if x else load
        return machine.get(primitive, primitive)(own[part], own[f"{part}_start"] + place, *x, spec)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(type(self).unknown(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in type(self).fields:
            raise AttributeError(type(self).unknown(name))
        super().__setattr__(name, value)
