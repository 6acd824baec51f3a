"""CUDA forms of the plain functions: device functions, kernels, and their PTX without any device."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from types import FunctionType
from typing import Any

from zoophyte.errors import UsageError
from zoophyte.numbers.cuda.toolkit import STRICT, arithmetic, import_cuda, pretended_device, simulated
from zoophyte.numbers.forms import link, names_in
from zoophyte.numbers.records import Field, RecordClass

Rebound = Mapping[str, tuple[int, int]]
"""Module constants that kernels see differently on CUDA: name → (what it is elsewhere, what it is there)."""


def device_function(
    function: Any, *, rebound: Rebound | None = None, replaced: Mapping[Any, Any] | None = None
) -> Any:
    """What a CUDA kernel may call as `function`: a copy of it, and of all it calls, on the primitives of a thread.

    Args:
        function: a plain function on numbers.
        rebound: constants with another value on CUDA (offsets of a scratch record that must fit into shared memory).
        replaced: functions to call in place of others, beside the primitives.
    """
    import_cuda()
    if simulated():
        from zoophyte.numbers.cuda.simulated import REPLACEMENTS
    else:
        import zoophyte.numbers.cuda.records  # noqa: F401  (teaches numba-cuda what they are)
        from zoophyte.numbers.cuda.thread import REPLACEMENTS
    machine = {**REPLACEMENTS, **(replaced or {})}

    @cache
    def there(record: RecordClass) -> RecordClass:
        return record.on(machine, lambda field: _moved(field, rebound or {}))

    def wrap(copy: FunctionType, original: FunctionType) -> Any:
        for name, (before, after) in (rebound or {}).items():
            if name in copy.__globals__:
                if copy.__globals__[name] != before:
                    raise UsageError(
                        f"{copy.__module__}.{name} is {copy.__globals__[name]!r}, but CUDA rebinds the constant {name}, "
                        f"which is {before}. Rename one of them."
                    )
                copy.__globals__[name] = after
        for name in names_in(copy.__code__):
            if isinstance(record := copy.__globals__.get(name), RecordClass):
                copy.__globals__[name] = there(record)
        if simulated():
            return copy
        inlined = not getattr(original, "outlined", False)
        return jitted(copy, device=True, forceinline=inlined)

    return wrap(link(function, wrap, machine, {}), function)


def jitted(function: Any, **options: Any) -> Any:
    """What numba-cuda makes of a function whose machine code is to be made of the PTX that NVVM makes.

    Otherwise nvJitLink, if it is there, makes it of NVVM's intermediate code by rules of its own: it fuses a·b + c.  The
    function is handed over at once, because ``jit(lto=False)(function)`` forgets the option (numba-cuda 0.30).
    """
    return import_cuda().jit(function, lto=False, **options)


def _moved(field: Field, rebound: Rebound) -> int:
    """Offset of a field in scratch: as far behind a rebound constant as before, behind the last that is not beyond it."""
    before, after = max((pair for pair in rebound.values() if pair[0] <= field.offset), default=(0, 0))
    return field.offset - before + after if field.part == "scratch" else field.offset


def compile_ptx(
    entry: Any,
    arguments: tuple[Any, ...],
    capability: tuple[int, int] = (9, 0),
    rules: Mapping[str, bool] = STRICT,
) -> str:
    """The PTX of a kernel; needs numba-cuda and NVVM, but no device.

    Args:
        entry: the kernel, undecorated; what it calls comes from :func:`device_function`.
        arguments: Numba types of its arguments.
        capability: compute capability to compile for.
        rules: of its arithmetic.
    """
    cuda = import_cuda()
    from numba.core import types

    with arithmetic(rules), pretended_device(capability):
        ptx, _ = cuda.compile_ptx(entry, types.void(*arguments), cc=capability)
    return str(ptx)


class Launcher:
    """A kernel, compiled for one device, and ready to run.

    Args:
        entry: the kernel, undecorated.
        arguments: Numba types of its arguments.
        shared: bytes of dynamic shared memory per block.
        rules: of its arithmetic.
        options: further options of ``numba.cuda.jit``.
    """

    def __init__(
        self, entry: Any, arguments: tuple[Any, ...], shared: int = 0, *, rules: Mapping[str, bool] = STRICT,
        **options: Any,
    ) -> None:  # fmt: skip
        cuda = import_cuda()
        self.shared = shared
        self.function: Any = None
        if simulated():
            self.kernel = cuda.jit(entry)
            return
        self.kernel = jitted(entry, **options)
        with arithmetic(rules):
            self.kernel.compile(arguments)
        self.kernel.disable_compile()  # another type would be compiled here by other rules
        (built,) = self.kernel.overloads.values()
        self.function = built.library.get_cufunc()
        if shared:
            _allow_shared(self.function, shared)

    @property
    def registers(self) -> int:
        """Registers per thread."""
        return int(self.function.attrs.regs) if self.function else 0

    @property
    def local_bytes(self) -> int:
        """Local memory per thread [bytes]; what does not fit into registers."""
        return int(self.function.attrs.local) if self.function else 0

    def __call__(self, grid: Any, threads: int, *arguments: Any) -> None:
        """Launch; returns at once."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small herd leaves a large device idle, and that is no news
            configured = self.kernel[grid, threads, 0, self.shared]
        configured(*arguments)


def _allow_shared(function: Any, size: int) -> None:
    """Above 48 KB a kernel must ask for its shared memory; then the rest of the unit's memory need not be cache."""
    from numba.cuda.cudadrv import driver

    attribute = driver.binding.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    driver.driver.cuKernelSetAttribute(attribute, size, function.handle, function.device.id)
    function.set_shared_memory_carveout(100)
