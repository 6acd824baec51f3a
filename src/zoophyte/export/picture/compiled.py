"""Machine code for the drawing loops, made at the first picture and kept on disk.

The loops are plain functions in the modules listed here.  They are compiled together, into a cache folder named by the
hash of these modules, so that an edit can never be answered with old code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from zoophyte.export.picture import drawing, ground, light, packing, solids

MODULES: tuple[ModuleType, ...] = (solids, ground, light, drawing, packing)
_announced: list[str] = []
"""What has been said: several functions are compiled for the first picture, and told of once."""


@cache
def compiled(name: str) -> Callable[..., Any]:
    """The compiled form of a function of the drawing modules.

    Args:
        name: of the function.
    """
    from numba import config, njit

    from zoophyte.numbers import forms
    from zoophyte.numbers.cache import cache_folder
    from zoophyte.numbers.keeping import KernelStore

    digest = hashlib.sha256()
    for module in MODULES:
        digest.update(Path(str(module.__file__)).read_bytes())
    bindings: dict[str, Any] = {}
    for module in MODULES:
        bindings |= vars(module)
    functions = {
        key: value
        for key, value in bindings.items()
        if isinstance(value, FunctionType) and value.__module__ in {m.__name__ for m in MODULES}
    }
    # All copies look names up in `bindings`, where each finds the compiled copies of the others.
    copies = {
        key: FunctionType(function.__code__, bindings, key, function.__defaults__)
        for key, function in functions.items()
    }
    for key, copy in copies.items():
        copy.__module__ = functions[key].__module__
        # Inlined, because a call hands every array over with a counted reference: half of the time.
        bindings[key] = njit(error_model="numpy", forceinline=True)(copy)
    entry: Callable[..., Any] = njit(error_model="numpy")(copies[name])
    if config.DISABLE_JIT:  # everything is left to the interpreter
        return entry
    store = KernelStore(copies[name], digest.hexdigest(), cache_folder())
    if not _announced and not store.holds_any():
        _announced.append(name)
        forms.announce("zoophyte: compiling what draws pictures, the first time only …")
    store.attach(entry)
    return entry
