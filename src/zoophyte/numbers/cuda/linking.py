"""Kernels for CUDA from the plain functions."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from zoophyte.numbers.cuda.toolkit import import_cuda, simulated
from zoophyte.numbers.forms import link


def device_form(function: FunctionType, memo: dict[Any, Any] | None = None) -> Any:
    cuda = import_cuda()
    if simulated():
        raise NotImplementedError
    from zoophyte.numbers.cuda.thread import REPLACEMENTS
    def wrap(copy: FunctionType, original: FunctionType) -> Any:
        inlined = not getattr(original, "outlined", False)
        return cuda.jit(device=True, forceinline=inlined, lto=False)(copy)
    return wrap(link(function, wrap, REPLACEMENTS, {} if memo is None else memo), function)
