"""Rows of integers that the compiler knows: kernels for herds in which every link is of the same kind.

A kernel asks its table of integers, link by link, what to do and where the numbers lie.  If all links are of one kind,
every column is first + step·link, and the table need not be read: branches on kinds and flags vanish, addresses
become sums, and the device can fetch the next link's numbers while it works on this one's.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.cuda import cgutils  # noqa: TID253
from numba.cuda.extending import intrinsic, models, overload, register_model  # noqa: TID253

# Where a row starts is written as link·8 with a mark; the optimiser then knows both the column and that it is a row.
_SHIFT, _MARK = 3, 1 << 40


@dataclass(frozen=True)
class Rows:
    """A table with the entries `header[i]`, and `first[column] + step[column]·link` in the row of a link."""

    header: tuple[int, ...]
    first: tuple[int, ...]
    step: tuple[int, ...]


class RowsType(types.Type):
    """The type of such a table; carries the array whose tables of parents are still read."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        super().__init__(name=f"Rows({rows})")


@register_model(RowsType)
class _RowsModel(models.StructModel):
    def __init__(self, manager: Any, kind: RowsType) -> None:
        super().__init__(manager, kind, [("table", types.Array(types.int32, 1, "C"))])


def known(rows: Rows) -> Any:
    """A device function that makes such a table from the array it stands for."""
    kind = RowsType(rows)

    @intrinsic
    def wrapped(typing: Any, table: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            value = cgutils.create_struct_proxy(kind)(context, builder)
            value.table = arguments[0]
            return value._getvalue()

        return kind(table), code

    return wrapped


@intrinsic
def row(typing: Any, table: Any, link: Any) -> Any:
    """Where the row of `link` starts."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = context.cast(builder, arguments[1], signature.args[1], types.int64)
        shifted = builder.shl(wide, ir.Constant(wide.type, _SHIFT))
        return builder.or_(shifted, ir.Constant(wide.type, _MARK))

    return types.int64(table, link), code


@intrinsic
def _entry(typing: Any, table: Any, index: Any) -> Any:
    rows = table.rows

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def whole(value: int) -> Any:
            return ir.Constant(ir.IntType(64), value)

        place = context.cast(builder, arguments[1], signature.args[1], types.int64)
        column = builder.and_(place, whole(2**_SHIFT - 1))
        link = builder.lshr(builder.and_(place, whole(_MARK - 1)), whole(_SHIFT))
        in_row = in_header = whole(0)
        for number, (first, step) in enumerate(zip(rows.first, rows.step, strict=True)):
            value = builder.add(whole(first), builder.mul(whole(step), link))
            in_row = builder.select(builder.icmp_signed("==", column, whole(number)), value, in_row)
        for number, value in enumerate(rows.header):
            in_header = builder.select(
                builder.icmp_signed("==", place, whole(number)), whole(value), in_header
            )
        is_row = builder.icmp_signed("!=", builder.and_(place, whole(_MARK)), whole(0))
        return builder.select(is_row, in_row, in_header)

    return types.int64(table, index), code


def _getitem(table, index):  # Numba wants the same bare signature here and there
    if isinstance(table, RowsType) and isinstance(index, types.Integer):
        return lambda table, index: _entry(table, index)
    return None


overload(operator.getitem)(_getitem)
