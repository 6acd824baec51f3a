"""What must be there for CUDA: the package numba-cuda to compile, and a device to run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from zoophyte.errors import MissingExtraError, UsageError

WARP = 32
"""Threads that run side by side: the creatures of a block."""


def import_cuda() -> ModuleType:
    """The module ``numba.cuda`` of the package numba-cuda."""
    if not hasattr(np, "row_stack"):
        # numba-cuda up to 0.30 looks this alias up while it is imported; NumPy 2.5 dropped it.
        np.row_stack = np.vstack  # type: ignore[attr-defined, unused-ignore]
    try:
        import numba_cuda  # noqa: F401  (without it numba.cuda is the old, built-in one)
        from numba import cuda
    except ImportError as error:
        raise MissingExtraError("numba-cuda", "gpu", "Compiling for CUDA") from error
    return cuda


def simulated() -> bool:
    """Whether numba-cuda's simulator stands in for the device (NUMBA_ENABLE_CUDASIM=1)."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


def device_problem() -> str:
    """Why nothing can run on a GPU here, in a sentence; empty if it can."""
    try:
        cuda = import_cuda()
    except MissingExtraError as error:
        return str(error)
    if cuda.is_available():
        return ""
    reason = " ".join(str(cuda.cuda_error() or "the driver lists no device").split()).rstrip(".")
    return f"there is no usable NVIDIA GPU: {reason}. Run on the CPU, or on a machine where `nvidia-smi` lists a GPU."


def require_device() -> ModuleType:
    """``numba.cuda``, or the error that says what is missing."""
    cuda = import_cuda()
    if problem := device_problem():
        raise UsageError(f"CUDA: {problem}")
    return cuda


STRICT = {"fma": False}
"""Arithmetic as on the CPU: by default NVVM turns a·b + c into a fused multiply-add that nobody asked for."""
FETCHES = "fetches"
"""A rule that NVVM has no word for: who misses a number in the large cache brings its neighbours in, too."""
QUICK = {"fma": True, "ftz": True, "prec_div": False, FETCHES: True}
"""What a device does fastest: fused, quotients within two units in the last place, no subnormal numbers."""


@contextmanager
def arithmetic(rules: Mapping[str, bool]) -> Iterator[None]:
    """Compile by such rules what is compiled inside.

    numba-cuda has no argument for them, so they are added on their way to NVVM.
    """
    from numba.cuda.cudadrv import nvvm

    original = nvvm.compile_ir

    def compile_ir(modules: Any, **options: Any) -> Any:
        code = original(modules, **(options | {rule: on for rule, on in rules.items() if rule != FETCHES}))
        return code.replace(b"ld.global.f32", b"ld.global.L2::256B.f32") if rules.get(FETCHES) else code

    nvvm.compile_ir = compile_ir
    try:
        yield
    finally:
        nvvm.compile_ir = original


@contextmanager
def pretended_device(capability: tuple[int, int]) -> Iterator[None]:
    """Let numba-cuda compile for a device that need not exist."""
    from numba.cuda import dispatcher

    original = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = original
