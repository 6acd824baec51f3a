"""What the primitives of memory mean in numba-cuda's simulator: the same as in a thread, in plain Python.

All other primitives are plain Python already.  The simulator checks the glue (who reads whose fields), not the
arithmetic of a device.
"""

from __future__ import annotations

from typing import Any

from zoophyte.numbers import primitives
from zoophyte.numbers.cuda.toolkit import WARP
from zoophyte.numbers.primitives import Array, Number


def _width(spec: int) -> int:
    return WARP


def _load_at(array: Array, table: Array, index: int, field: int, spec: int) -> Number:
    return array[table[index + spec] + field]


def _store_at(array: Array, table: Array, index: int, field: int, x: Number, spec: int) -> None:
    array[table[index + spec] + field] = x


REPLACEMENTS: dict[Any, Any] = {
    primitives.width: _width,
    primitives.load_at: _load_at,
    primitives.store_at: _store_at,
}
"""Primitive → what a simulated kernel calls in its place."""
