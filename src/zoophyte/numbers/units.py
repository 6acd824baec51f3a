"""Units: kernel functions that are compiled apart and called by address.

A kernel is one body of code with all its callees inside.  Inlined as a whole, an edit of one line would compile everything
anew, and each law that a body may have would make another kernel of half a minute.  A function marked as a unit is compiled
once for each form of the numbers, and every kernel that calls the function takes the address from the table of integers of
the block that it works on.  So an edit compiles the unit that reaches the edited line and nothing else, and a body that has
no use for a unit (a body without contact for the solver) never loads the unit.

The interpreter and CUDA see a plain function.  What a compiled caller sees is in :mod:`zoophyte.numbers.lanes.calls`.
"""

from __future__ import annotations

import ctypes
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any

from zoophyte.numbers.primitives import LAW_ADDRESS, LAW_NUMBER, LAW_ROW, LAWS_BY_NUMBER

CONNECTED, LAWS, FIRST_FREE = 7, 8, 9
"""Header of a table of integers: bits of the entries whose units' addresses the table has; where the section of laws
starts, or 0; and the first place behind both."""
NO_LAW = -1
"""In place of the number of a law: there is none, and a row of that number is passed over."""

When = Callable[[Any], bool]
"""Whether a block needs a unit, by the table of integers of the block."""


@dataclass(frozen=True)
class Unit:
    """A kernel function that is compiled apart.

    Args:
        function: plain Python; arrays, whole numbers, truths and a Spec go in, nothing, a whole number or a truth comes out.
        place: index in the table of integers where the address lies, as two numbers of 32 bits.
        when: whether a block needs the unit.
    """

    function: FunctionType
    place: int
    when: When

    @property
    def signature(self) -> tuple[tuple[tuple[str, str], ...], str]:
        """Name and annotation of every argument, and annotation of the result."""
        given = inspect.signature(self.function)
        found = tuple((p.name, _word(p.annotation)) for p in given.parameters.values())
        return found, _word(given.return_annotation)


def _word(annotation: Any) -> str:
    """An annotation as it is written, whether or not its module evaluates annotations."""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


UNITS: dict[FunctionType, Unit] = {}
"""All units, by their functions."""


def always(ints: Any) -> bool:
    """Every block needs the unit."""
    return True


def unit(place: int, when: When = always) -> Callable[[Any], Any]:
    """Mark a kernel function as a unit.

    Args:
        place: index in the table of integers where the address lies.
        when: whether a block needs the unit.
    """

    def mark(function: Any) -> Any:
        others = [other.function.__name__ for other in UNITS.values() if other.place == place]
        if others and others != [function.__name__]:
            raise TypeError(
                f"{function.__name__} wants place {place} of the table of units, where {others[0]} lies."
            )
        UNITS[function] = Unit(function, place, when)
        return function

    return mark


def law_number(function: Any) -> int:
    """The number by which tables of integers name a law.

    Args:
        function: of a law of force: (ints, data, scratch, first, spec); of a law of response: (ints, data, scratch, slots,
            first, spec); `first` is where its parameters start in `data`.
    """
    if function not in LAWS_BY_NUMBER:
        LAWS_BY_NUMBER.append(function)
    return LAWS_BY_NUMBER.index(function)


def law_rows(ints: Any) -> list[tuple[int, Unit]]:
    """The laws of a block: where the address of each belongs, and the law as a unit."""
    section = int(ints[LAWS])
    if section == 0:
        return []
    rows = range(section + 1, section + 1 + int(ints[section]) * LAW_ROW, LAW_ROW)
    numbers = [(row, int(ints[row + LAW_NUMBER])) for row in rows]
    return [(r + LAW_ADDRESS, Unit(LAWS_BY_NUMBER[n], 0, always)) for r, n in numbers if n != NO_LAW]


def fill_traps(ints: Any) -> None:
    """Let every unit that a block is not connected with end the program with its name, instead of a jump to nowhere."""
    for place, address in _traps().items():
        if not ints[place : place + 2].any():
            write_address(ints, place, address)


@cache
def _traps() -> dict[int, int]:
    """For each unit a function of its own that tells the unit's name and ends the program."""
    found = {}
    for unit in UNITS.values():

        def trap(name: str = unit.function.__name__) -> int:
            sys.stderr.write(
                f"zoophyte: the unit {name} was called on a block that has no use for it by its tables.\n"
            )
            sys.stderr.flush()
            os._exit(70)

        kept = ctypes.CFUNCTYPE(ctypes.c_int)(trap)
        _KEPT.append(kept)
        found[unit.place] = ctypes.cast(kept, ctypes.c_void_p).value or 0
    return found


_KEPT: list[Any] = []


def write_address(ints: Any, place: int, address: int) -> None:
    """Put an address into a table of integers of 32 bits."""
    ints[place : place + 2] = [(address & 0xFFFFFFFF) - ((address & 0x80000000) << 1), address >> 32]
