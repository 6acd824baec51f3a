"""From plain functions to machines: the interpreter, scalar code, SIMD lanes (and CUDA, in :mod:`zoophyte.numbers.cuda`).

A kernel is an undecorated function on numbers.  To compile it, :func:`link` walks through the functions it calls and gives
the compiler a copy of each, bound to copies of its callees; the primitives stay, because the lane extension has taught
Numba what they mean.  The originals are untouched: they *are* the interpreter form.
"""

from __future__ import annotations

import dis
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from zoophyte.numbers.cache import KERNEL_FOLDERS, cache_folder
from zoophyte.numbers.primitives import PRIMITIVES

Announce = Callable[[str], None]
PACKAGE = __name__.split(".")[0]


def _to_stderr(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


announce: Announce = _to_stderr
"""Where the line "compiling …" goes; replace it to silence or redirect it."""


def names_in(code: CodeType) -> set[str]:
    """Global names that a function's code, nested code included, may look up."""
    names = {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= names_in(constant)
    return names


def is_kernel_function(value: object) -> bool:
    """Whether `value` is a plain function of this package that a kernel may call (and not a primitive)."""
    if not isinstance(value, FunctionType) or value in PRIMITIVES:
        return False
    parts = (value.__module__ or "").split(".")
    if parts[0] != PACKAGE:
        return False
    if len(parts) < 2 or parts[1] not in KERNEL_FOLDERS:
        raise TypeError(
            f"{value.__module__}.{value.__qualname__} is called by a kernel, but kernels may only live in "
            f"{', '.join(KERNEL_FOLDERS)}: the cache would not see edits elsewhere. Move the function there."
        )
    return True


def link(
    function: FunctionType,
    wrap: Callable[[FunctionType, FunctionType], Any],
    replacements: dict[Any, Any],
    memo: dict[Any, Any],
) -> FunctionType:
    """A copy of `function` whose callees are wrapped copies; `replacements` maps primitives to other functions."""
    bindings = dict(function.__globals__)
    for name in names_in(function.__code__):
        value: Any = bindings.get(name)
        if isinstance(value, FunctionType) and value in replacements:
            bindings[name] = replacements[value]
        elif is_kernel_function(value):
            if value not in memo:
                memo[value] = wrap(link(value, wrap, replacements, memo), value)
            bindings[name] = memo[value]
    copy = FunctionType(
        function.__code__, bindings, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def _apart(dispatcher: Any) -> Any:
    """Tell the compiler that no two arrays of a function overlap.

    Else it must take every number that is stored for a change of the tables of integers, and read these again.
    """

    def customized(flags: Any) -> Any:
        flags.noalias = True
        return flags

    dispatcher._compiler._customize_flags = customized
    return dispatcher


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Let the compiler's garbage lie.

    It makes millions of objects and drops few; to look through them again and again takes a tenth of its time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _without_wraparound() -> Iterator[None]:
    """Let negative indices of tables mean nothing, as on a GPU: kernels have none, and each test for one costs time.

    Numba has no switch for it.  The compiler's lock is held meanwhile, so that nobody else's code is compiled like that.
    """
    from numba.core import types
    from numba.core.compiler_lock import global_compiler_lock
    from numba.np import arrayobj

    def place(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        return context.cast(builder, index, kind, types.intp)

    with global_compiler_lock:
        usual = arrayobj.fix_integer_index
        arrayobj.fix_integer_index = place
        try:
            yield
        finally:
            arrayobj.fix_integer_index = usual


class Kernel:
    """The compiled form of an entry function; compiles (or loads) per argument types at the first call."""

    def __init__(self, function: FunctionType) -> None:
        from numba import config, njit

        import zoophyte.numbers.lanes  # noqa: F401  (teaches Numba the primitives)
        from zoophyte.numbers.linked import LinkedCompiler

        def wrap(copy: FunctionType, original: FunctionType) -> Any:
            # Left alone, LLVM calls the larger ones and passes whole matrices through memory: 1.5 times slower.
            inlined = not getattr(original, "outlined", False)
            # Kernels allocate nothing: the entry holds its arrays, and counting references to them in every function
            # would call the runtime in the innermost loops, and spill all registers around each call.
            made = njit(
                error_model="numpy",
                no_cpython_wrapper=True,
                no_cfunc_wrapper=True,
                forceinline=inlined,
                _nrt=False,
                pipeline_class=LinkedCompiler,
            )(copy)
            return made if inlined else _apart(made)

        self.python = function
        self._known: set[Any] = set()
        self.dispatcher: Any = None
        if (
            config.DISABLE_JIT
        ):  # NUMBA_DISABLE_JIT=1: every kernel runs in the interpreter, to be read and debugged
            return
        from zoophyte.numbers.keeping import keep

        # Without the interpreter lock: kernels know no Python objects, and herds run them in threads.
        self.dispatcher = _apart(njit(error_model="numpy", nogil=True)(link(function, wrap, {}, {})))
        self._store = keep(self.dispatcher, cache_folder())

    def __call__(self, *args: Any) -> Any:
        """Run; the first call with new argument types says so when it has to compile."""
        if self.dispatcher is None:
            return self._interpret(*args)
        types = _types(args)
        if types not in self._known:
            self._prepare(types)
        return self.dispatcher(*args)

    def _interpret(self, *args: Any) -> Any:
        """The plain function, on lists instead of arrays: Python's floats are quicker than NumPy's, and as exact."""
        lists = [a.tolist() if hasattr(a, "tolist") else a for a in args]
        result = self.python(*lists)
        for array, values in zip(args, lists, strict=True):
            if hasattr(array, "tolist"):
                array[:] = values
        return result

    def ready(self, *args: Any) -> Any:
        """The bare compiled function for arguments of these types: no look-up, for loops that call it often."""
        if self.dispatcher is None:
            return self._interpret
        self._prepare(_types(args))
        return self.dispatcher

    def is_at_hand(self, *args: Any) -> bool:
        """Whether a call with arguments of these types need not compile."""
        if self.dispatcher is None:
            return True
        types = _types(args)
        return types in self._known or self._store.has(types)

    def _prepare(self, types: tuple[Any, ...]) -> None:
        """Compile for these types, or load what another process compiled."""
        numbers = {str(t.dtype) for t in types if hasattr(t, "dtype")}
        forms = {str(t) for t in types if str(t).startswith("spec(")}
        kernel = f"{self.python.__name__} [{', '.join(sorted(numbers | forms))}]"
        wait = f"zoophyte: waiting for another process, which compiles {kernel} …"
        with self._store.alone(types, lambda: announce(wait)):
            if not self._store.has(types):
                announce(f"zoophyte: compiling {kernel}, first run only …")
            with _without_collecting(), _without_wraparound():
                self.dispatcher.compile(types)
        self._known.add(types)


def _types(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What the compiler knows of the arguments: their types."""
    from numba import typeof

    return tuple(typeof(argument) for argument in args)


@cache
def compiled(function: FunctionType) -> Kernel:
    """The compiled form of a plain kernel function (one per process; its code is cached on disk)."""
    return Kernel(function)
