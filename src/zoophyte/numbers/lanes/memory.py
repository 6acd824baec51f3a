"""Loads and stores: of scalars, of lanes that lie side by side, and of lanes each at its own offset.

Addresses are computed from the data pointer alone: no bounds check, no wraparound of negative indices.
Vectors are aligned to one element only, because a block of creatures may start anywhere in an array.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, errors, types
from numba.np.arrayobj import make_array

from zoophyte.numbers import primitives
from zoophyte.numbers.lanes import registry
from zoophyte.numbers.lanes.kinds import LaneType, MaskType, SpecType


def _element_bytes(kind: types.Type) -> int:
    return int(kind.bitwidth) // 8


def _check_array(function: str, name: str, array: types.Type, *, writes: bool = False) -> bool:
    """Whether `array` is an array at all; a clear error if it is one that these primitives cannot use."""
    if not isinstance(array, types.Array):
        return False
    if array.ndim != 1 or array.layout != "C" or not isinstance(array.dtype, types.Float | types.Integer):
        raise errors.TypingError(
            f"{function}: `{name}` is {array}; allowed are contiguous arrays of numbers with one axis"
        )
    if writes and not array.mutable:
        raise errors.TypingError(f"{function}: `{name}` is read-only; pass a writeable array")
    return True


def _loaded(function: str, array: types.Array, spec: SpecType) -> types.Type:
    """The type of a number read from `array`."""
    if spec.width == 1:
        return array.dtype
    if array.dtype not in (types.float32, types.float64):
        raise errors.TypingError(
            f"{function}: lanes are float32 or float64, but the array holds {array.dtype}"
        )
    return LaneType(array.dtype, spec.width)


def _type_load(context: Any, array: Any, offset: Any, spec: Any) -> types.Type | None:
    if not (_check_array("load", "array", array) and _are_integers(offset) and isinstance(spec, SpecType)):
        return None
    return _loaded("load", array, spec)


def _type_load_at(
    context: Any, array: Any, table: Any, index: Any, field: Any, spec: Any
) -> types.Type | None:
    if not (_check_array("load_at", "array", array) and _check_table("load_at", table)):
        return None
    if not (_are_integers(index, field) and isinstance(spec, SpecType)):
        return None
    return _loaded("load_at", array, spec)


def _type_store(context: Any, array: Any, offset: Any, x: Any, spec: Any) -> types.Type | None:
    if not (_check_array("store", "array", array, writes=True) and _are_integers(offset)):
        return None
    return _stored("store", array, x, spec) if isinstance(spec, SpecType) else None


def _type_store_at(
    context: Any, array: Any, table: Any, index: Any, field: Any, x: Any, spec: Any
) -> types.Type | None:
    if not (_check_array("store_at", "array", array, writes=True) and _check_table("store_at", table)):
        return None
    if not (_are_integers(index, field) and isinstance(spec, SpecType)):
        return None
    return _stored("store_at", array, x, spec)


def _type_gather(context: Any, array: Any, offset: Any, field: Any, spec: Any) -> types.Type | None:
    if not (_check_array("gather", "array", array) and _are_integers(field) and isinstance(spec, SpecType)):
        return None
    return _loaded("gather", array, spec) if _is_offset("gather", offset, spec.width) else None


def _type_scatter(context: Any, array: Any, offset: Any, field: Any, x: Any, spec: Any) -> types.Type | None:
    if not (_check_array("scatter", "array", array, writes=True) and _are_integers(field)):
        return None
    if not (isinstance(spec, SpecType) and _is_offset("scatter", offset, spec.width)):
        return None
    return _stored("scatter", array, x, spec)


def _type_scatter_where(
    context: Any, mask: Any, array: Any, offset: Any, field: Any, apart: Any, xs: Any, spec: Any
) -> types.Type | None:
    if not (isinstance(mask, MaskType | types.Boolean) and isinstance(xs, types.UniTuple)):
        return None
    if not _are_integers(apart):
        return None
    return _type_scatter(context, array, offset, field, xs.dtype, spec)


def _type_lookup(context: Any, array: Any, index: Any) -> types.Type | None:
    if not (_check_array("lookup", "array", array) and registry.is_float(index)):
        return None
    return LaneType(array.dtype, index.width) if isinstance(index, LaneType) else array.dtype


def _is_offset(function: str, offset: types.Type, width: int) -> bool:
    """Whether `offset` is one float per lane."""
    if isinstance(offset, LaneType) and offset.width != width:
        raise errors.TypingError(
            f"{function}: `offset` is {offset}, but the spec is for {width} lanes side by side"
        )
    return isinstance(offset, LaneType) if width > 1 else isinstance(offset, types.Float)


def _are_integers(*kinds: types.Type) -> bool:
    return all(isinstance(kind, types.Integer) for kind in kinds)


def _check_table(function: str, table: types.Type) -> bool:
    if not _check_array(function, "table", table):
        return False
    if table.dtype not in (types.int32, types.int64):
        raise errors.TypingError(f"{function}: `table` holds {table.dtype}; allowed are int32 and int64")
    return True


def _stored(function: str, array: types.Array, x: types.Type, spec: SpecType) -> types.Type | None:
    """`none` if `x` may be written to `array`."""
    target = _loaded(function, array, spec)
    if isinstance(x, LaneType) and x != target:
        raise errors.TypingError(f"{function}: `x` is {x}, but the array and the spec take {target}")
    return types.none if isinstance(x, LaneType) or registry.is_scalar(x) else None


def _pointer(context: Any, builder: Any, kind: types.Array, array: Any, *offsets: Any) -> Any:
    """The address of the element at the sum of `offsets`."""
    pointer = make_array(kind)(context, builder, array).data
    for offset in offsets:
        pointer = builder.gep(pointer, [offset])
    return pointer


def _read(context: Any, builder: Any, kind: types.Type, element: types.Type, pointer: Any) -> Any:
    pointer = builder.bitcast(pointer, context.get_value_type(kind).as_pointer())
    value = builder.load(pointer)
    value.align = _element_bytes(element)
    return value


def _write(
    context: Any, builder: Any, kind: types.Type, element: types.Type, pointer: Any, value: Any
) -> Any:
    pointer = builder.bitcast(pointer, context.get_value_type(kind).as_pointer())
    builder.store(value, pointer).align = _element_bytes(element)
    return context.get_dummy_value()


def _integers(context: Any, builder: Any, kinds: Any, values: Any) -> list[Any]:
    """`values` as addresses count: in the machine's signed integer."""
    return [context.cast(builder, value, kind, types.intp) for value, kind in zip(values, kinds, strict=True)]


def _first_offset(context: Any, builder: Any, kind: types.Array, table: Any, index: Any) -> Any:
    """The table's entry for the first lane."""
    pointer = _pointer(context, builder, kind, table, index)
    entry = _read(context, builder, kind.dtype, kind.dtype, pointer)
    return context.cast(builder, entry, kind.dtype, types.intp)


def _named_places(
    context: Any, builder: Any, signature: Any, values: Any, width: int
) -> tuple[Any, list[Any]]:
    """array + field, and behind that table[index + lane] + lane for each lane."""
    array_kind, table_kind = signature.args[:2]
    index, field = _integers(context, builder, signature.args[2:4], values[2:4])
    places = []
    for lane in range(width):
        place = builder.add(index, ir.Constant(index.type, lane))
        offset = _first_offset(context, builder, table_kind, values[1], place)
        places.append(builder.add(offset, ir.Constant(offset.type, lane)))
    return _pointer(context, builder, array_kind, values[0], field), places


def _computed_places(builder: Any, offset: Any, width: int) -> list[Any]:
    """offset + lane for each lane."""
    whole, places = _whole(builder, offset), []
    for lane in range(width):
        place = builder.extract_element(whole, ir.Constant(ir.IntType(32), lane))
        place = builder.sext(place, ir.IntType(64))
        places.append(builder.add(place, ir.Constant(ir.IntType(64), lane)))
    return places


def _whole(builder: Any, offset: Any) -> Any:
    """The computed offset as 32-bit integers, which every processor converts quickly."""
    short = ir.IntType(32)
    if isinstance(offset.type, ir.VectorType):
        return builder.fptosi(offset, ir.VectorType(short, offset.type.count))
    return builder.sext(builder.fptosi(offset, short), ir.IntType(64))


# Lane by lane: instructions that gather or scatter are slower than as many plain loads or stores on the processors measured
# (Zen 4: 1.7 and 0.7 ns for four lanes).


def _gathered(context: Any, builder: Any, element: types.Type, base: Any, places: Any, target: Any) -> Any:
    """One element per lane, `places` behind `base`."""
    vector = ir.Constant(context.get_value_type(target), ir.Undefined)
    for lane, place in enumerate(places):
        value = _read(context, builder, element, element, builder.gep(base, [place]))
        vector = builder.insert_element(vector, value, ir.Constant(ir.IntType(32), lane))
    return vector


def _scattered(context: Any, builder: Any, element: types.Type, base: Any, places: Any, vector: Any) -> Any:
    """Each lane of a vector, `places` behind `base`."""
    for lane, place in enumerate(places):
        value = builder.extract_element(vector, ir.Constant(ir.IntType(32), lane))
        _write(context, builder, element, element, builder.gep(base, [place]), value)
    return context.get_dummy_value()


@registry.primitive(primitives.gather, _type_gather)
def _lower_gather(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    array, _, _, spec = signature.args
    (field,) = _integers(context, builder, signature.args[2:3], values[2:3])
    if spec.width == 1:
        pointer = _pointer(context, builder, array, values[0], _whole(builder, values[1]), field)
        return _read(context, builder, signature.return_type, array.dtype, pointer)
    base = _pointer(context, builder, array, values[0], field)
    places = _computed_places(builder, values[1], spec.width)
    return _gathered(context, builder, array.dtype, base, places, signature.return_type)


@registry.primitive(primitives.scatter, _type_scatter)
def _lower_scatter(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    array, _, _, given, spec = signature.args
    (field,) = _integers(context, builder, signature.args[2:3], values[2:3])
    target = _loaded("scatter", array, spec)
    value = context.cast(builder, values[3], given, target)
    if spec.width == 1:
        pointer = _pointer(context, builder, array, values[0], _whole(builder, values[1]), field)
        return _write(context, builder, target, array.dtype, pointer, value)
    base = _pointer(context, builder, array, values[0], field)
    places = _computed_places(builder, values[1], spec.width)
    return _scattered(context, builder, array.dtype, base, places, value)


@registry.primitive(primitives.scatter_where, _type_scatter_where)
def _lower_scatter_where(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    mask, array, _, _, _, given, spec = signature.args
    field, apart = _integers(context, builder, signature.args[3:5], values[3:5])
    target = _loaded("scatter_where", array, spec)
    xs = [context.cast(builder, x, given.dtype, target) for x in cgutils.unpack_tuple(builder, values[5])]
    base, whole = _pointer(context, builder, array, values[1], field), _whole(builder, values[2])
    # Few lanes take part as a rule: a branch for each, and as many plain stores as there are numbers.
    for lane in range(spec.width):
        own = ir.Constant(ir.IntType(32), lane)
        taken = builder.extract_element(values[0], own) if isinstance(mask, MaskType) else values[0]
        with builder.if_then(taken):
            place = builder.extract_element(whole, own) if spec.width > 1 else whole
            start = builder.gep(base, [place if spec.width == 1 else builder.sext(place, ir.IntType(64))])
            for n, x in enumerate(xs):
                value = builder.extract_element(x, own) if spec.width > 1 else x
                behind = builder.add(
                    builder.mul(apart, ir.Constant(apart.type, n)), ir.Constant(apart.type, lane)
                )
                there = builder.gep(start, [behind])
                _write(context, builder, array.dtype, array.dtype, there, value)
    return context.get_dummy_value()


@registry.primitive(primitives.lookup, _type_lookup)
def _lower_lookup(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    array, index = signature.args
    places = _whole(builder, values[1])
    if not isinstance(index, LaneType):
        pointer = _pointer(context, builder, array, values[0], places)
        return _read(context, builder, array.dtype, array.dtype, pointer)
    base = _pointer(context, builder, array, values[0])
    lanes = (builder.extract_element(places, ir.Constant(ir.IntType(32), n)) for n in range(index.width))
    places = [builder.sext(place, ir.IntType(64)) for place in lanes]
    return _gathered(context, builder, array.dtype, base, places, signature.return_type)


@registry.primitive(primitives.load, _type_load)
def _lower_load(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    array = signature.args[0]
    (offset,) = _integers(context, builder, signature.args[1:2], values[1:2])
    pointer = _pointer(context, builder, array, values[0], offset)
    return _read(context, builder, signature.return_type, array.dtype, pointer)


@registry.primitive(primitives.store, _type_store)
def _lower_store(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    array, _, given, spec = signature.args
    (offset,) = _integers(context, builder, signature.args[1:2], values[1:2])
    target = _loaded("store", array, spec)
    value = context.cast(builder, values[2], given, target)
    pointer = _pointer(context, builder, array, values[0], offset)
    return _write(context, builder, target, array.dtype, pointer, value)


@registry.primitive(primitives.load_at, _type_load_at)
def _lower_load_at(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    array, table, _, _, spec = signature.args
    target = signature.return_type
    if spec.width > 1 and spec.mixed:
        base, places = _named_places(context, builder, signature, values, spec.width)
        return _gathered(context, builder, array.dtype, base, places, target)
    index, field = _integers(context, builder, signature.args[2:4], values[2:4])
    offset = _first_offset(context, builder, table, values[1], index)
    pointer = _pointer(context, builder, array, values[0], offset, field)
    return _read(context, builder, target, array.dtype, pointer)


@registry.primitive(primitives.store_at, _type_store_at)
def _lower_store_at(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    array, table, _, _, given, spec = signature.args
    target = _loaded("store_at", array, spec)
    value = context.cast(builder, values[4], given, target)
    if spec.width > 1 and spec.mixed:
        base, places = _named_places(context, builder, signature, values, spec.width)
        return _scattered(context, builder, array.dtype, base, places, value)
    index, field = _integers(context, builder, signature.args[2:4], values[2:4])
    offset = _first_offset(context, builder, table, values[1], index)
    pointer = _pointer(context, builder, array, values[0], offset, field)
    return _write(context, builder, target, array.dtype, pointer, value)
