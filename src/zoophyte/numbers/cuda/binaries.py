"""Kernels that take minutes to compile, kept on disk as machine code for the next process.

As on the CPU (:mod:`zoophyte.numbers.cache`), the folder's name is a hash of all kernel sources and of the compilers'
versions, so it can never hold stale code; the file's name tells the kernel, its rules of arithmetic and the device's
architecture.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from zoophyte.numbers import cache
from zoophyte.numbers.cuda.linking import Launcher
from zoophyte.numbers.cuda.toolkit import STRICT, import_cuda, simulated

COMPILERS = ("numba", "numba-cuda", "llvmlite", "nvidia-nvvm")
"""Packages whose versions count; NVVM may come with a toolkit instead."""


def binary_folder() -> Path:
    """The folder for exactly these sources and compilers."""
    digest = hashlib.sha256(b"cuda " + cache.IMPORTED.encode())
    for name in COMPILERS:
        try:
            digest.update(f"{name} {metadata.version(name)}\0".encode())
        except metadata.PackageNotFoundError:
            digest.update(f"{name} -\0".encode())
    return cache.folder_named(digest.hexdigest())


def binary_path(label: str, capability: tuple[int, int], rules: Mapping[str, bool], **options: Any) -> Path:
    """The file of a kernel for devices of this compute capability."""
    words = [label, f"sm{capability[0]}{capability[1]}", *(f"{rule}{int(on)}" for rule, on in sorted(rules.items())),
             *(f"{option}{value}" for option, value in sorted(options.items()))]  # fmt: skip
    return binary_folder() / ("-".join(words) + ".cubin")


def keep(path: Path, name: str, code: bytes) -> None:
    """Write a kernel's name and machine code."""
    cache.write_whole(path, name.encode() + b"\0" + code)


def kept(path: Path) -> tuple[str, bytes] | None:
    """Name and machine code as they were kept, if they were."""
    if not path.is_file():
        return None
    name, _, code = path.read_bytes().partition(b"\0")
    return name.decode(), code


class KeptLauncher(Launcher):
    """A launcher whose kernel is compiled once for all processes, not once for each.

    Args:
        label: names the kernel among those of the same sources.
        entry: gives the kernel, undecorated; only asked if it was not kept.
        arguments: Numba types of its arguments.
        rules: of its arithmetic.
        options: further options of ``numba.cuda.jit``.
    """

    def __init__(
        self, label: str, entry: Callable[[], Any], arguments: tuple[Any, ...], *, rules: Mapping[str, bool] = STRICT,
        **options: Any,
    ) -> None:  # fmt: skip
        if simulated():
            super().__init__(entry(), arguments, rules=rules)
            return
        self.shared = 0
        context = import_cuda().current_context()
        path = binary_path(label, context.device.compute_capability, rules, **options)
        found = kept(path)
        if found is None:
            super().__init__(entry(), arguments, rules=rules, **options)
            keep(path, self.function.name, bytes(self.function.module.object_code.code))
            return
        from cuda.core import ObjectCode  # type: ignore[import-untyped, unused-ignore]

        name, code = found
        self._module = context.create_module_image(ObjectCode.from_cubin(code), [], [])
        self.function = self._module.get_function(name)

    def __call__(self, grid: Any, threads: int, *arguments: Any, stream: Any = 0) -> None:
        """Launch on a stream; returns at once."""
        if simulated():
            super().__call__(grid, threads, *arguments)
            return
        from cuda.core import LaunchConfig, launch  # type: ignore[import-untyped, unused-ignore]
        from numba.cuda.cudadrv import driver

        words: list[Any] = []
        for given in arguments:
            if isinstance(given, int):
                words.append(ctypes.c_int64(given))
            else:  # an array, as Numba's kernels take one of one dimension: owner, parent, size, item, place, shape, stride
                item = given.dtype.itemsize
                words += [0, 0, given.size, item, given.device_ctypes_pointer.value, given.size, item]
        config = LaunchConfig(grid=grid, block=threads, shmem_size=self.shared)
        launch(driver._to_core_stream(stream), config, self.function.kernel, *words)
