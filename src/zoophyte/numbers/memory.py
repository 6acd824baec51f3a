"""Loads and stores of small tuples: vectors, spatial vectors, matrices, articulated inertias.

Consecutive fields of one creature lie `width(spec)` elements apart.
"""

from __future__ import annotations

from typing import Any

from zoophyte.numbers.primitives import (
    Array,
    Mask,
    Number,
    Spec,
    all_lanes,
    either,
    gather,
    lane,
    largest_lane,
    load,
    load_at,
    negated,
    number,
    scatter,
    store,
    where,
    width,
)


def load3(array: Array, offset: int, spec: Spec) -> tuple[Number, Number, Number]:
    """Three consecutive fields."""
    w = width(spec)
    return (load(array, offset, spec), load(array, offset + w, spec), load(array, offset + 2 * w, spec))


def load4(array: Array, offset: int, spec: Spec) -> tuple[Number, Number, Number, Number]:
    """Four consecutive fields."""
    w = width(spec)
    return (load(array, offset, spec), load(array, offset + w, spec), load(array, offset + 2 * w, spec),
            load(array, offset + 3 * w, spec))  # fmt: skip


def load6(array: Array, offset: int, spec: Spec) -> tuple[Number, Number, Number, Number, Number, Number]:
    """Six consecutive fields."""
    w = width(spec)
    return (load(array, offset, spec), load(array, offset + w, spec), load(array, offset + 2 * w, spec),
            load(array, offset + 3 * w, spec), load(array, offset + 4 * w, spec),
            load(array, offset + 5 * w, spec))  # fmt: skip


def load9(array: Array, offset: int, spec: Spec) -> Any:
    """Nine consecutive fields: a matrix in row order."""
    w = width(spec)
    return (load(array, offset, spec), load(array, offset + w, spec), load(array, offset + 2 * w, spec),
            load(array, offset + 3 * w, spec), load(array, offset + 4 * w, spec),
            load(array, offset + 5 * w, spec), load(array, offset + 6 * w, spec),
            load(array, offset + 7 * w, spec), load(array, offset + 8 * w, spec))  # fmt: skip


def store3(array: Array, offset: int, x: Any, spec: Spec) -> None:
    """Three consecutive fields."""
    w = width(spec)
    store(array, offset, x[0], spec)
    store(array, offset + w, x[1], spec)
    store(array, offset + 2 * w, x[2], spec)


def store4(array: Array, offset: int, x: Any, spec: Spec) -> None:
    """Four consecutive fields."""
    w = width(spec)
    store(array, offset, x[0], spec)
    store(array, offset + w, x[1], spec)
    store(array, offset + 2 * w, x[2], spec)
    store(array, offset + 3 * w, x[3], spec)


def store6(array: Array, offset: int, x: Any, spec: Spec) -> None:
    """Six consecutive fields."""
    w = width(spec)
    store3(array, offset, (x[0], x[1], x[2]), spec)
    store3(array, offset + 3 * w, (x[3], x[4], x[5]), spec)


def store9(array: Array, offset: int, x: Any, spec: Spec) -> None:
    """Nine consecutive fields: a matrix in row order."""
    w = width(spec)
    store3(array, offset, (x[0], x[1], x[2]), spec)
    store3(array, offset + 3 * w, (x[3], x[4], x[5]), spec)
    store3(array, offset + 6 * w, (x[6], x[7], x[8]), spec)


def load3_at(array: Array, table: Array, index: int, field: int, spec: Spec) -> tuple[Number, Number, Number]:
    """Three consecutive fields of the record that `table` names in each lane."""
    w = width(spec)
    return (load_at(array, table, index, field, spec), load_at(array, table, index, field + w, spec),
            load_at(array, table, index, field + 2 * w, spec))  # fmt: skip


def load6_at(array: Array, table: Array, index: int, field: int, spec: Spec) -> Any:
    """Six consecutive fields of the named record."""
    w = width(spec)
    a, b = load3_at(array, table, index, field, spec), load3_at(array, table, index, field + 3 * w, spec)
    return (a[0], a[1], a[2], b[0], b[1], b[2])


def load9_at(array: Array, table: Array, index: int, field: int, spec: Spec) -> Any:
    """Nine consecutive fields of the named record."""
    w = width(spec)
    a, b = load6_at(array, table, index, field, spec), load3_at(array, table, index, field + 6 * w, spec)
    return (a[0], a[1], a[2], a[3], a[4], a[5], b[0], b[1], b[2])


def shared(offset: Number, mask: Mask) -> int:
    """The computed offset, if it is the same in all lanes in which the mask holds; else −1.

    Lanes are mostly alike, and then plain loads and stores serve, which are several times faster than gathers.
    """
    most = number(largest_lane(where(mask, offset, number(-1.0, offset))), offset)
    if all_lanes(either(negated(mask), offset >= most)):
        return int(lane(most, 0))
    return -1


def gather3(array: Array, offset: Number, field: int, spec: Spec) -> tuple[Number, Number, Number]:
    """Three consecutive fields of the record that starts at a computed offset."""
    w = width(spec)
    return (gather(array, offset, field, spec), gather(array, offset, field + w, spec),
            gather(array, offset, field + 2 * w, spec))  # fmt: skip


def gather6(array: Array, offset: Number, field: int, spec: Spec) -> Any:
    """Six consecutive fields of the record that starts at a computed offset."""
    w = width(spec)
    a, b = gather3(array, offset, field, spec), gather3(array, offset, field + 3 * w, spec)
    return (a[0], a[1], a[2], b[0], b[1], b[2])


def gather9(array: Array, offset: Number, field: int, spec: Spec) -> Any:
    """Nine consecutive fields of the record that starts at a computed offset."""
    w = width(spec)
    a, b = gather6(array, offset, field, spec), gather3(array, offset, field + 6 * w, spec)
    return (a[0], a[1], a[2], a[3], a[4], a[5], b[0], b[1], b[2])


def scatter3(array: Array, offset: Number, field: int, x: Any, spec: Spec) -> None:
    """Three consecutive fields of the record that starts at a computed offset."""
    w = width(spec)
    scatter(array, offset, field, x[0], spec)
    scatter(array, offset, field + w, x[1], spec)
    scatter(array, offset, field + 2 * w, x[2], spec)
