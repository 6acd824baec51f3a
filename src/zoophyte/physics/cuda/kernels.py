"""The kernels that a device runs: one creature per thread, one warp per block of creatures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from zoophyte.numbers import Array, Spec
from zoophyte.numbers.cuda import WARP, Launcher, compile_ptx, device_function, import_cuda, jitted, simulated
from zoophyte.numbers.primitives import call_force_law
from zoophyte.physics.contact import touch
from zoophyte.physics.cuda.layout import ThreadLayout
from zoophyte.physics.dynamics.forward import forward_dynamics
from zoophyte.physics.dynamics.kinematics import row
from zoophyte.physics.step import method_of, step

cuda: Any = None  # numba.cuda, once a kernel is built; the simulator looks for it here


def nothing_to_see(ints: Array, data: Array, scratch: Array, spec: Spec) -> bool:
    """In place of `rest` and `refine`."""
    return False


def no_contacts(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> int:
    """In place of `find_contacts`."""
    return 0


def no_impulses(ints: Array, data: Array, scratch: Array, slots: int, refined: bool, spec: Spec) -> bool:
    """In place of `find_impulses`."""
    return False


def stay(ints: Array, data: Array, scratch: Array, slots: int, solved: bool, spec: Spec) -> None:
    """In place of `go_on`."""
    return


def no_force_law(ints: Array, row: int, data: Array, scratch: Array, spec: Spec) -> None:
    """In place of `call_force_law`: free bodies on a device move in empty space."""
    return


WITHOUT_CONTACT: dict[Any, Any] = {
    touch.rest: nothing_to_see, touch.refine: nothing_to_see, touch.find_contacts: no_contacts,
    touch.find_impulses: no_impulses, touch.go_on: stay, call_force_law: no_force_law,
}  # fmt: skip
"""What the step of a body without contact leaves out, so that the compiler need not see it."""


@dataclass(frozen=True)
class Form:
    """Everything that a kernel is compiled for.

    Args:
        method: the integrator of a life; None for forward dynamics.
        layout: scratch of a thread.
        single: whether numbers are float32.
        shared: whether scratch lies in shared memory; else in global memory, a record per creature.
        data_size: numbers per creature in `data`.
        links: links per creature, the ground included.
        rows: the table of links if the compiler may know it (:class:`zoophyte.numbers.cuda.rows.Rows`).
        ahead: whether the next link's numbers are asked for in advance (herds of hinges only).
    """

    method: int | None
    layout: ThreadLayout
    single: bool
    shared: bool
    data_size: int
    links: int
    rows: Any = None
    ahead: bool = False

    @property
    def arguments(self) -> tuple[Any, ...]:
        """Numba types of the kernel's arguments: ints, data, scratch (if global), blocks, steps."""
        from numba.core import types

        number = types.float32 if self.single else types.float64
        scratch = () if self.shared else (number[::1],)
        return (types.int32[::1], number[::1], *scratch, types.int64, types.int64)


def _work(form: Form) -> Any:
    """The device function (ints, data, scratch, steps, spec) of one thread."""
    method: Any = form.method
    replaced: dict[Any, Any] = {}
    if form.rows is not None:
        from zoophyte.numbers.cuda import rows

        replaced[row] = rows.row

    if form.ahead:
        from zoophyte.physics.cuda.ahead import ahead

        replaced |= ahead(form.links, form.layout.rebound, replaced)

    def forward(ints: Array, data: Array, scratch: Array, steps: int, spec: Spec) -> None:
        forward_dynamics(ints, data, scratch, spec)

    def live(ints: Array, data: Array, scratch: Array, steps: int, spec: Spec) -> None:
        for _ in range(steps):
            step(ints, data, scratch, data, spec)

    def own_method(ints: Array) -> int:
        return method

    if method is None:
        return device_function(forward, rebound=form.layout.rebound, replaced=replaced)
    for old, new in WITHOUT_CONTACT.items():
        replaced[old] = device_function(new, replaced=replaced)
    replaced[method_of] = device_function(own_method)
    return device_function(live, rebound=form.layout.rebound, replaced=replaced)


def _table(form: Form) -> Callable[[Any], Any]:
    """A device function from the array of integers to what the kernels take for it."""
    if form.rows is not None:
        from zoophyte.numbers.cuda.rows import known

        return known(form.rows)

    def same(ints: Any) -> Any:
        return ints

    return same if simulated() else jitted(same, device=True, forceinline=True)


def entry(form: Form) -> Any:
    """The kernel, undecorated."""
    global cuda
    cuda = import_cuda()
    from numba.core import types

    work, table = _work(form), _table(form)
    own_data, own_scratch, own_table = form.data_size * WARP, form.layout.size * WARP, form.links * WARP
    number = types.float32 if form.single else types.float64

    def in_shared_memory(ints: Any, data: Any, blocks: int, steps: int) -> None:
        warp, lane = cuda.threadIdx.x // WARP, cuda.threadIdx.x % WARP
        block = cuda.blockIdx.x * (cuda.blockDim.x // WARP) + warp
        scratch = cuda.shared.array(0, number)
        if block < blocks:
            start, place = block * own_data + lane, warp * own_scratch + lane
            work(table(ints), data[start:], scratch[place:], steps, block * own_table + lane)

    def in_global_memory(ints: Any, data: Any, scratch: Any, blocks: int, steps: int) -> None:
        lane = cuda.threadIdx.x % WARP
        block = cuda.blockIdx.x * (cuda.blockDim.x // WARP) + cuda.threadIdx.x // WARP
        if block < blocks:
            start, place = block * own_data + lane, block * own_scratch + lane
            work(table(ints), data[start:], scratch[place:], steps, block * own_table + lane)

    return in_shared_memory if form.shared else in_global_memory


def ptx(form: Form, capability: tuple[int, int] = (9, 0)) -> str:
    """What the compiler makes of a form; needs no device."""
    return compile_ptx(entry(form), form.arguments, capability)


@cache
def launcher(form: Form, warps: int) -> Launcher:
    """A form, compiled for the current device, with this many warps per block."""
    itemsize = np.dtype(np.float32 if form.single else np.float64).itemsize
    shared = form.layout.shared_bytes(itemsize) * warps if form.shared else 0
    return Launcher(entry(form), form.arguments, shared)
