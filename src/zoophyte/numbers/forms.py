"""From plain functions to machines: the interpreter, scalar code, SIMD lanes (and CUDA, in :mod:`zoophyte.numbers.cuda`).

A kernel is an undecorated function on numbers.  To compile it, :func:`link` walks through the functions it calls and gives
the compiler a copy of each, bound to copies of its callees; the primitives stay, because the lane extension has taught
Numba what they mean.  The originals are untouched: they *are* the interpreter form.
"""

from __future__ import annotations

import dis
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from zoophyte.numbers.cache import cache_folder
from zoophyte.numbers.fingerprints import fingerprint, is_kernel_function, units_reached
from zoophyte.numbers.units import CONNECTED, UNITS, Unit, fill_traps, law_rows, write_address

if TYPE_CHECKING:
    from zoophyte.numbers.keeping import KernelStore

Announce = Callable[[str], None]


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


def interpreting() -> bool:
    """Whether every kernel runs in the interpreter, to be read and debugged: NUMBA_DISABLE_JIT=1."""
    from numba import config

    return bool(config.DISABLE_JIT)


class Kernel:
    """The compiled form of an entry function; compiles (or loads) per argument types at the first call.

    Args:
        function: plain Python.
        called: whether compiled code alone calls the function, by address: a unit.
    """

    def __init__(self, function: FunctionType, *, called: bool = False) -> None:
        self.python, self.called = function, called
        self.interpreted = interpreting()
        self._ready: dict[Any, Any] = {}
        self._bit = 0
        self._store: KernelStore | None = None
        if self.interpreted:
            return
        import zoophyte.numbers.lanes  # noqa: F401  (teaches Numba the primitives)

        self.units = units_reached(function)
        self._bit = 1 << _number_of(function) if self.units and not called else 0

    def __call__(self, *args: Any) -> Any:
        """Run; the first call with new argument types says so when it has to compile."""
        if self.interpreted:
            return self._interpret(*args)
        return self.ready(*args)(*args)

    def _interpret(self, *args: Any) -> Any:
        """The plain function, on lists instead of arrays: Python's floats are quicker than NumPy's, and as exact."""
        lists = [a.tolist() if hasattr(a, "tolist") else a for a in args]
        result = self.python(*lists)
        for array, values in zip(args, lists, strict=True):
            if hasattr(array, "tolist"):
                array[:] = values
        return result

    def ready(self, *args: Any) -> Any:
        """The bare compiled function for arguments of these types: no look-up, for loops that call it often.

        The addresses of the units that the function calls are in the table of integers of the block then.
        """
        if self.interpreted:
            return self._interpret
        types = _types(args)
        found = self._ready.get(types) or self.prepare(types)
        if self._bit:
            self.connect(args[0], types)
        return found

    def connect(self, ints: Any, types: tuple[Any, ...]) -> None:
        """Write the addresses of the units that a block needs into its table of integers, if they are not there."""
        if not self._bit or ints[CONNECTED] & self._bit:
            return
        from zoophyte.numbers.lanes.calls import form_of

        form = form_of(types)
        if not ints[CONNECTED]:
            fill_traps(ints)
        for place, unit in needed_units(self.python, ints):
            write_address(ints, place, address_of(unit, *form))
        ints[CONNECTED] |= self._bit

    def is_at_hand(self, *args: Any) -> bool:
        """Whether a call with arguments of these types need not compile."""
        return self.interpreted or self.has(_types(args))

    def has(self, types: tuple[Any, ...]) -> bool:
        """Whether the function is compiled for arguments of these types, by whomever."""
        return types in self._ready or self.store.has(types)

    @property
    def store(self) -> KernelStore:
        """Where compiled forms are kept."""
        if self._store is None:
            from zoophyte.numbers.keeping import KernelStore

            kind = "-unit" if self.called else ""  # without a way in from Python
            self._store = KernelStore(self.python, fingerprint(self.python), cache_folder(), kind)
        return self._store

    def prepare(self, types: tuple[Any, ...]) -> Any:
        """Compile for these types, or load what another process compiled."""
        if self.interpreted:
            return self._interpret
        numbers = {str(t.dtype) for t in types if hasattr(t, "dtype")}
        forms = {str(t) for t in types if str(t).startswith("spec(")}
        kernel = f"{self.python.__name__} [{', '.join(sorted(numbers | forms))}]"
        wait = f"zoophyte: waiting for another process, which compiles {kernel} …"
        with self.store.alone(types, lambda: announce(wait)):
            dispatcher = self._loaded(types)
            if dispatcher is None:
                announce(f"zoophyte: compiling {kernel}, first run only …")
                dispatcher = self._dispatcher(link(self.python, _inlined, _stubs(), {}))
                self.store.attach(dispatcher)
                with _without_collecting(), _without_wraparound():
                    dispatcher.compile(types)
        self._ready[types] = dispatcher
        return dispatcher

    def _loaded(self, types: tuple[Any, ...]) -> Any:
        """What is kept for these types; None where nothing is.  Nothing is linked for it."""
        dispatcher = self._dispatcher(self.python)
        self.store.attach(dispatcher)
        return dispatcher if self.store.load_into(dispatcher, types) else None

    def _dispatcher(self, function: FunctionType) -> Any:
        from numba import njit

        if self.called:  # nobody's Python calls a unit, and units allocate nothing
            options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
        else:  # without the interpreter lock: kernels know no Python objects, and herds run them in threads
            options = {"nogil": True}
        return _apart(njit(error_model="numpy", **options)(function))


def _inlined(copy: FunctionType, original: FunctionType) -> Any:
    """A function that a kernel calls, for the compiler."""
    from numba import njit

    from zoophyte.numbers.linked import LinkedCompiler

    # Left alone, LLVM calls the larger ones and passes whole matrices through memory: 1.5 times slower.
    inlined = not getattr(original, "outlined", False)
    # Kernels allocate nothing: the entry holds its arrays, and counting references to them in every function
    # would call the runtime in the innermost loops, and spill all registers around each call.
    made = njit(
        error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=inlined, _nrt=False,
        pipeline_class=LinkedCompiler,
    )(copy)  # fmt: skip
    return made if inlined else _apart(made)


def _stubs() -> dict[Any, Any]:
    """What stands for each unit in compiled code."""
    from zoophyte.numbers.lanes.calls import stub

    return {function: stub(unit) for function, unit in UNITS.items()}


_entries: list[FunctionType] = []
_counting = threading.Lock()
MOST_ENTRIES = 31
"""Entries that call units: a block notes in the bits of one number whose addresses it has."""


def _number_of(function: FunctionType) -> int:
    """A number for each entry that calls units."""
    with _counting:
        if function not in _entries:
            _entries.append(function)
        number = _entries.index(function)
    if number >= MOST_ENTRIES:
        raise TypeError(
            f"{function.__name__} is entry {number + 1} that calls units; there may be {MOST_ENTRIES}."
        )
    return number


def needed_units(function: FunctionType, ints: Any) -> list[tuple[int, Unit]]:
    """The units that a kernel will call on a block, those that these call in turn, and laws; each with its place.

    What a law calls is its own affair: the law may call the solver in whose place it stands.
    """
    found: dict[Unit, int] = {}
    laws = law_rows(ints)
    waiting = [(function, False), *((law.function, True) for _, law in laws)]
    while waiting:
        caller, is_law = waiting.pop()
        for unit in units_reached(caller):
            if unit not in found and (is_law or unit.when(ints)):
                found[unit] = unit.place
                waiting.append((unit.function, is_law))
    return [*((place, unit) for unit, place in found.items()), *laws]


@cache
def address_of(unit: Unit, numbers: Any, spec: Any) -> int:
    """Where the compiled form of a unit lies; compiles, or loads, the unit where that is missing."""
    from zoophyte.numbers.lanes.calls import argument_types

    types = argument_types(unit, numbers, spec)
    kernel = compiled_unit(unit)
    made = (kernel._ready.get(types) or kernel.prepare(types)).overloads[types]
    address: int = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    return address


@cache
def compiled_unit(unit: Unit) -> Kernel:
    """The compiled forms of a unit."""
    return Kernel(unit.function, called=True)


def _types(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What the compiler knows of the arguments: their types."""
    from numba import typeof

    return tuple(typeof(argument) for argument in args)


@cache
def compiled(function: FunctionType) -> Kernel:
    """The compiled form of a plain kernel function (one per process; its code is cached on disk)."""
    return Kernel(function)
