"""The fingerprint of a kernel: a digest of all that the kernel is compiled from.

A kernel is a function, the functions that the function calls, and the constants that any of them names.  The fingerprint is
made of these themselves, as they are in this process, not of their files: an edit in a function changes the fingerprints of
the kernels that reach the function, and of no others, and a kernel that was stored under a fingerprint can never be stale.
A unit that is called by address counts with its name and its types alone.
"""

from __future__ import annotations

import hashlib
from functools import cache
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from zoophyte.numbers.primitives import PRIMITIVES
from zoophyte.numbers.records import RecordClass
from zoophyte.numbers.units import UNITS, Unit

CONSTANTS = (bool, int, float, str, bytes, type(None))
NOT_OURS = ("numpy", "numba", "math", "builtins", "typing")


def is_kernel_function(value: object) -> bool:
    """Whether a kernel that names `value` calls a plain function, which is compiled with the kernel."""
    if not isinstance(value, FunctionType) or value in PRIMITIVES:
        return False
    return (value.__module__ or "").split(".")[0] not in NOT_OURS


def fingerprint(function: FunctionType) -> str:
    """The digest of a kernel."""
    return _seen(function)[0]


def units_reached(function: FunctionType) -> tuple[Unit, ...]:
    """The units that a kernel calls itself, in no particular order; those that they call in turn are not among them."""
    return tuple(UNITS[found] for found in _seen(function)[1])


@cache
def _seen(function: FunctionType) -> tuple[str, frozenset[FunctionType]]:
    """Digest of a function and of all that it reaches, and the units that are called there."""
    digest, units = hashlib.sha256(), set[FunctionType]()

    def add(*words: Any) -> None:
        digest.update(repr(words).encode() + b"\0")

    add(function.__name__, function.__defaults__, getattr(function, "outlined", False))
    for cell in function.__closure__ or ():
        add(_constant(cell.cell_contents))
    for code in _codes(function.__code__, function.__doc__):
        add(code.co_code, code.co_varnames, code.co_names, code.co_flags)
        for constant in code.co_consts:
            if not isinstance(constant, CodeType) and constant != function.__doc__:
                add(constant)
        for name in sorted(set(code.co_names) & function.__globals__.keys()):
            value = function.__globals__[name]
            if value in PRIMITIVES if isinstance(value, FunctionType) else False:
                add(name, value.__name__)
            elif isinstance(value, FunctionType) and value in UNITS:
                add(name, UNITS[value].signature, UNITS[value].place)
                units.add(value)
            elif is_kernel_function(value):
                found, more = _seen(value)
                add(name, found)
                units |= more
            elif isinstance(value, ModuleType):
                named = sorted(set(code.co_names) & vars(value).keys())
                add(name, [(word, _constant(vars(value)[word])) for word in named])
            else:
                add(name, _constant(value))
    return digest.hexdigest(), frozenset(units)


def _codes(code: CodeType, doc: str | None) -> list[CodeType]:
    """A function's code, and that of what is nested in it."""
    inner = [
        nested
        for constant in code.co_consts
        if isinstance(constant, CodeType)
        for nested in _codes(constant, doc)
    ]
    return [code, *inner]


def _constant(value: Any) -> Any:
    """What is written down of something that a kernel names and that is no function of a kernel.

    Raises:
        TypeError: when nothing tells two such things apart in every process.
    """
    if isinstance(value, CONSTANTS):
        return value
    if isinstance(value, tuple | list):
        return tuple(map(_constant, value))
    if isinstance(value, np.generic | np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if is_kernel_function(value):
        return _seen(value)[0]
    if isinstance(value, BuiltinFunctionType | FunctionType):
        return value.__module__, value.__qualname__
    if isinstance(value, RecordClass):
        within = [(name, inner.data, _constant(inner.record)) for name, inner in value.within.items()]
        fields = [
            (name, type(f).__name__, f.part, f.offset, f.count, f.apart) for name, f in value.fields.items()
        ]
        return value.__name__, value.parameters, fields, within
    word = repr(value)
    if " at 0x" in word:
        raise TypeError(
            f"{word} is named by a kernel, whose code cannot be kept: nothing tells it from others in every process."
        )
    return word
