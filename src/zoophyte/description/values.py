"""What a number, a vector, a direction, a rotation or a name may be; all else is refused with a reason."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, Strict

from zoophyte.description.problems import given, refuse

NAME_LENGTH = 200
NOTES_LENGTH = 1_000_000
LARGEST = 1e18
"""Size of the largest number that a description may hold, in SI units; the squares of what follows from such numbers
are still numbers."""

# A direction or rotation whose squared length differs from 1 by no more than this has been normalised before;
# dividing again would only move its last bits, and a file written and read again must give the same bits.
ROUNDING = 8 * 2.0**-53
UNIT_TOLERANCE = 1e-6


def total(numbers: Iterable[float]) -> float:
    """The plain sum from left to right; the built-in one rounds differently from Python 3.12 on."""
    result = 0.0
    for number in numbers:
        result += number
    return result


def as_list(value: object) -> object:
    """A NumPy array as nested lists; anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def as_number(value: object, largest: float = LARGEST) -> float | None:
    """The float of a number; None for anything else, truth values and numerals in quotes included.

    Args:
        value: anything.
        largest: size that it may have.
    """
    if type(value) is float and -largest <= value <= largest:  # as most are
        return value
    value = as_list(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not -largest <= value <= largest:
        return None
    return float(value)


def is_too_large(value: object) -> bool:
    """Whether a value is a finite number, but larger than any that is read."""
    value = as_list(value)
    return isinstance(value, int | float) and LARGEST < abs(value) < math.inf


def wanted_number(value: object) -> str:
    """What a value must be that :func:`as_number` does not take: finite, or if it is, not so large."""
    if is_too_large(value):
        return f"a number from {-LARGEST:g} to {LARGEST:g}, in SI units"
    return "a finite number"


def as_numbers(value: object, count: int, meaning: str, largest: float = LARGEST) -> tuple[float, ...]:
    """Exactly `count` finite numbers.

    Args:
        value: a list, tuple or array.
        count: how many are needed.
        meaning: what they stand for, as in ``"x, y, z"``.
        largest: size that they may have.
    """
    if type(value) is tuple and len(value) == count:  # as checked parts hold them
        for x in value:
            if not (type(x) is float and -largest <= x <= largest):
                break
        else:
            return value
    items = as_list(value)
    if not isinstance(items, list | tuple):
        raise refuse(f"is {given(items)}, must be a list of {count} numbers ({meaning}).")
    if len(items) != count:
        raise refuse(f"is {given(items)}, which has {len(items)} entries; it must have {count} ({meaning}).")
    numbers = []
    for position, item in enumerate(items):
        number = as_number(item, largest)
        if number is None:
            wanted = wanted_number(item)
            raise refuse(f"is {given(items)}; entry {position + 1} must be {wanted} ({meaning}).")
        numbers.append(number)
    return tuple(numbers)


def vector(value: object) -> tuple[float, ...]:
    """Three finite numbers."""
    return as_numbers(value, 3, "x, y, z")


def direction(value: object) -> tuple[float, ...]:
    """A vector of any length but zero, made one long."""
    numbers = as_numbers(value, 3, "x, y, z", sys.float_info.max)
    if not any(numbers):
        raise refuse(
            f"is {given(as_list(value))}, which points nowhere.", "Give a direction that is not zero."
        )
    return unit_direction(numbers)


def unit_direction(numbers: tuple[float, ...]) -> tuple[float, ...]:
    """Finite numbers that are not all zero, made one long."""
    x, y, z = numbers
    if abs(x * x + y * y + z * z - 1.0) <= ROUNDING:
        return numbers
    largest = max(map(abs, numbers))
    return _unit(
        tuple(number / largest for number in numbers)
    )  # scaled, so that no square overflows or vanishes


def unit_quaternion(value: object) -> tuple[float, ...]:
    """A quaternion (w, x, y, z) that is one long within 1e-6, made one long to rounding."""
    return normalised_quaternion(as_numbers(value, 4, "w, x, y, z"))


def normalised_quaternion(numbers: tuple[float, ...]) -> tuple[float, ...]:
    """The same quaternion without its rounding; refused when farther from one than rounding explains."""
    w, x, y, z = numbers
    squared = w * w + x * x + y * y + z * z
    if abs(squared - 1.0) <= ROUNDING:
        return numbers
    length = math.sqrt(squared)
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise refuse(
            f"is {given(numbers)}, a quaternion of length {length:.9g}; it must be 1 within 1e-6.",
            "Divide it by its length." if length > 0.0 else "[1, 0, 0, 0] is no turn at all.",
        )
    return _unit(numbers)


def _unit(numbers: tuple[float, ...]) -> tuple[float, ...]:
    length = math.sqrt(total(number * number for number in numbers))
    return tuple(number / length for number in numbers)


def printable_name(value: str) -> str:
    """A name that can stand in a message, a file and a file name's neighbourhood."""
    if not value:
        raise refuse("is empty; a name has at least one character.")
    return printable_label(value)


def printable_label(value: str) -> str:
    """A name that may be empty."""
    if len(value) > NAME_LENGTH:
        raise refuse(f"has {len(value)} characters; a name has at most {NAME_LENGTH}.")
    if not value.isprintable():
        raise refuse(f"is {given(value)}; a name has printable characters only.")
    return value


def printable_notes(value: str) -> str:
    """Text of several lines."""
    if len(value) > NOTES_LENGTH:
        raise refuse(f"has {len(value)} characters; at most {NOTES_LENGTH} are kept.")
    if not value.replace("\n", "").replace("\t", "").isprintable():
        raise refuse("holds control characters; only printable characters, line ends and tabs are kept.")
    return value


def _number_or_infinity(value: object) -> object:
    """Infinity as JSON has it from pydantic, as a number; anything else as it is."""
    return math.inf if isinstance(value, str) and value == "Infinity" else value


def _largest_or_infinite(value: float) -> float:
    if is_too_large(value):
        raise refuse(f"is {given(value)}, must be {LARGEST:g} or less, or infinite.")
    return value


Real: TypeAlias = Annotated[float, Strict(), Field(allow_inf_nan=False, ge=-LARGEST, le=LARGEST)]
NonNegative: TypeAlias = Annotated[float, Strict(), Field(allow_inf_nan=False, ge=0.0, le=LARGEST)]
Positive: TypeAlias = Annotated[float, Strict(), Field(allow_inf_nan=False, gt=0.0, le=LARGEST)]
PositiveOrInfinite: TypeAlias = Annotated[
    float, Strict(), Field(gt=0.0), BeforeValidator(_number_or_infinity), AfterValidator(_largest_or_infinite)
]
Truth: TypeAlias = Annotated[bool, Strict()]
Name: TypeAlias = Annotated[
    str, Field(json_schema_extra={"minLength": 1, "maxLength": NAME_LENGTH}), AfterValidator(printable_name)
]
Label: TypeAlias = Annotated[str, AfterValidator(printable_label)]
Notes: TypeAlias = Annotated[str, AfterValidator(printable_notes)]
Triple: TypeAlias = tuple[float, float, float]
Quadruple: TypeAlias = tuple[float, float, float, float]
Vector: TypeAlias = Annotated[Triple, BeforeValidator(vector)]
Direction: TypeAlias = Annotated[Triple, BeforeValidator(direction)]
Quaternion: TypeAlias = Annotated[Quadruple, BeforeValidator(unit_quaternion)]
