"""Records for the compiler: each access of a field becomes the loads or stores themselves, in place.

A record is a handful of arrays and starts.  What reads and writes is whatever the record's machine has in the place of the
primitives, so that the same code serves CUDA threads (:mod:`zoophyte.numbers.cuda.records`).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, errors, types
from numba.core.imputils import (
    impl_ret_borrowed,
    lower_constant,
    lower_getattr_generic,
    lower_setattr_generic,
)
from numba.core.typing.templates import AttributeTemplate, infer_getattr, signature
from numba.extending import lower_builtin, models, register_model, typeof_impl

from zoophyte.numbers import primitives
from zoophyte.numbers.records import Field, FieldAt, RecordClass


class RecordType(types.Type):
    """A record of a class, made of arguments of these types."""

    def __init__(self, made_by: RecordClass, parts: tuple[types.Type, ...]) -> None:
        self.made_by, self.parts = made_by, parts
        super().__init__(name=f"{made_by.__name__}({', '.join(map(str, parts))})")

    @property
    def key(self) -> Any:
        """What makes two of them the same: on CUDA a class of the same name has other offsets."""
        return self.made_by, self.parts

    @property
    def members(self) -> list[tuple[str, types.Type]]:
        """Name and type of everything it holds."""
        return list(zip(self.made_by.parameters, self.parts, strict=True))

    def member(self, name: str) -> types.Type:
        """The type of something it holds."""
        return dict(self.members)[name]

    def within(self, name: str) -> RecordType:
        """The type of another record of the same arrays."""
        record, own = self.made_by.within[name].record, dict(self.members)
        return RecordType(record, tuple(own[part] for part in record.parameters))


class RecordClassType(types.Callable, types.Opaque):
    """The type of a record class, which kernels call to make a record."""

    def __init__(self, made_by: RecordClass) -> None:
        self.made_by = made_by
        super().__init__(name=f"class({made_by.__name__})")

    @property
    def key(self) -> Any:
        """The class."""
        return self.made_by

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The constructor's signature."""
        return made(self.made_by, args)

    def get_call_signatures(self) -> Any:
        """None are fixed."""
        return (), True

    def get_impl_key(self, sig: Any) -> Any:
        """All constructors have one implementation."""
        return type(self)


def made(record: RecordClass, args: tuple[types.Type, ...]) -> Any:
    """The constructor's signature for arguments of these types; whole numbers become those that count addresses."""
    try:
        given = record.bound(args)
    except TypeError as problem:
        raise errors.TypingError(str(problem)) from None
    arrays = {field.part for field in record.fields.values()} | {"spec"}
    for name, kind in given.items():
        if name not in arrays and not name.endswith("_table"):
            if not isinstance(kind, types.Integer):
                raise errors.TypingError(f"{record.__name__}: {name} is {kind}, must be a whole number")
            given[name] = types.intp
    parts = tuple(given.values())
    return signature(RecordType(record, parts), *parts)


@typeof_impl.register(RecordClass)
def _type_of_class(record: RecordClass, context: Any) -> RecordClassType:
    return RecordClassType(record)


@lower_constant(RecordClassType)
def _constant_class(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


@register_model(RecordType)
class _RecordModel(models.StructModel):
    def __init__(self, manager: Any, kind: RecordType) -> None:
        super().__init__(manager, kind, kind.members)

    def traverse(self, builder: Any) -> list[Any]:
        """Nothing that is counted: a record borrows its arrays from the arguments of the kernel."""
        return []


register_model(RecordClassType)(models.OpaqueModel)


@lower_builtin(RecordClassType, types.VarArg(types.Any))
def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The code of a constructor."""
    record = cgutils.create_struct_proxy(signature.return_type)(context, builder)
    for name, value in zip(signature.return_type.made_by.parameters, arguments, strict=True):
        setattr(record, name, value)
    return record._getvalue()


class _Call:
    """What a record's machine calls in the place of a primitive, for arguments of these types."""

    def __init__(self, typing: Any, kind: RecordType, primitive: Any, *args: types.Type) -> None:
        called = kind.made_by.machine.get(primitive, primitive)
        self.function = typing.resolve_value_type(called)
        self.signature = self.function.get_call_type(typing, args, {})

    def __call__(self, context: Any, builder: Any, *arguments: Any) -> Any:
        return context.get_function(self.function, self.signature)(builder, arguments)


def _access(typing: Any, kind: RecordType, field: Field, *x: types.Type) -> _Call:
    """What reads a number of the field, or writes it as one of type x."""
    array, spec = kind.member(field.part), kind.member("spec")
    if isinstance(field, FieldAt):
        primitive: Any = primitives.store_at if x else primitives.load_at
        return _Call(
            typing,
            kind,
            primitive,
            array,
            kind.member(f"{field.part}_table"),
            types.intp,
            types.intp,
            *x,
            spec,
        )
    return _Call(typing, kind, primitives.store if x else primitives.load, array, types.intp, *x, spec)


def _width(context: Any, builder: Any, kind: RecordType, record: Any) -> int:
    """Distance between two fields of one creature."""
    call = _Call(context.typing_context, kind, primitives.width, kind.member("spec"))
    return int(call(context, builder, record.spec).constant)


def _places(context: Any, builder: Any, kind: RecordType, record: Any, field: Field) -> list[tuple[Any, ...]]:
    """The arguments that say where each number of the field is."""
    array, apart = getattr(record, field.part), _width(context, builder, kind, record)
    shifts = [ir.Constant(ir.IntType(64), offset * apart) for offset in field.offsets]
    if isinstance(field, FieldAt):
        at = getattr(record, f"{field.part}_table"), getattr(record, f"{field.part}_index")
        return [(array, *at, shift) for shift in shifts]
    start = getattr(record, f"{field.part}_start")
    return [(array, builder.add(start, shift)) for shift in shifts]


@infer_getattr
class RecordAttributes(AttributeTemplate):
    """The types of a record's attributes."""

    key = RecordType

    def generic_resolve(self, kind: RecordType, name: str) -> types.Type:
        """Type of the attribute."""
        if name in kind.made_by.parameters:
            return kind.member(name)
        if name in kind.made_by.within:
            return kind.within(name)
        field = kind.made_by.fields.get(name)
        if field is None:
            raise errors.TypingError(kind.made_by.unknown(name))
        one = _access(self.context, kind, field).signature.return_type
        return one if field.count == 1 else types.UniTuple(one, field.count)


@lower_getattr_generic(RecordType)
def get(context: Any, builder: Any, kind: RecordType, value: Any, name: str) -> Any:
    """The code that reads an attribute."""
    record = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    if name in kind.made_by.parameters:
        return impl_ret_borrowed(context, builder, kind.member(name), getattr(record, name))
    if name in kind.made_by.within:
        other = cgutils.create_struct_proxy(kind.within(name))(context, builder)
        for part in kind.made_by.within[name].record.parameters:
            setattr(other, part, getattr(record, part))
        if shift := kind.made_by.within[name].data * _width(context, builder, kind, record):
            other.data_start = builder.add(other.data_start, ir.Constant(ir.IntType(64), shift))
        return other._getvalue()
    field = kind.made_by.fields[name]
    read = _access(context.typing_context, kind, field)
    xs = [
        read(context, builder, *place, record.spec)
        for place in _places(context, builder, kind, record, field)
    ]
    if field.count == 1:
        return xs[0]
    return context.make_tuple(builder, types.UniTuple(read.signature.return_type, field.count), xs)


@lower_setattr_generic(RecordType)
def put(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    """The code that writes a field."""
    kind, given = signature.args
    record = cgutils.create_struct_proxy(kind)(context, builder, value=arguments[0])
    field = kind.made_by.fields[name]
    one, xs = (
        (given, [arguments[1]])
        if field.count == 1
        else (given.dtype, cgutils.unpack_tuple(builder, arguments[1]))
    )
    write = _access(context.typing_context, kind, field, one)
    for x, place in zip(xs, _places(context, builder, kind, record, field), strict=True):
        write(context, builder, *place, x, record.spec)
