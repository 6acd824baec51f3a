"""A herd on a GPU: the same kernel as on the CPU, a pen for each warp, all in the device's memory at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model import State
from zoophyte.model.herd.plans import Terms
from zoophyte.model.layout import LINK_COUNT
from zoophyte.numbers.cuda import require_device, simulated
from zoophyte.physics.cuda.lives import INTS, NOBODY, SCRATCH, launcher, team_size
from zoophyte.simulation.herd.blocks import WARPS, block_sizes
from zoophyte.simulation.herd.crowd import LINE, Crowd, Packed
from zoophyte.simulation.living.colony import Colony
from zoophyte.simulation.living.life import Life

STEPS = 4000
"""Steps of one launch."""
PIECE = 2**26
"""Numbers of a piece of memory, at least."""


class Room:
    """Memory of a GPU that is taken once, in large pieces, and given to one crowd after the other."""

    def __init__(self) -> None:
        self._pieces: list[Any] = []
        self._piece = self._used = 0

    def numbers(self, count: int) -> Any:
        """A float32 array in it."""
        count = -(-count // LINE) * LINE
        while self._piece < len(self._pieces):
            if self._used + count <= self._pieces[self._piece].size:
                self._used += count
                return self._pieces[self._piece][self._used - count : self._used]
            self._piece, self._used = self._piece + 1, 0
        size = max(count, PIECE)
        _check_memory(4 * size, "these creatures")
        self._pieces.append(_zeros(size))
        return self.numbers(count)

    def clear(self) -> None:
        """All of it may be given again; nobody uses it any more."""
        self._piece = self._used = 0
        for piece in self._pieces:
            _clear(piece)


class OnDevice:
    """Pens in the memory of a GPU.

    Args:
        packed: who lives.
        copies: how many times each pen is there, for those who measure; copies live in other warps.
        stream: of the device; what is launched on one runs in order, and beside that of others.
        room: memory for them; taken for them alone if left out.
        together: pens in a block of threads; as suits the whole device if left out.
    """

    def __init__(
        self, packed: Packed, copies: int = 1, stream: Any = 0, room: Room | None = None, together: int | None = None
    ) -> None:  # fmt: skip
        cuda = require_device()
        self.packed, self.copies, self.stream = packed, copies, stream
        if room is None:
            needed = packed.ints.nbytes + copies * (packed.data.nbytes + 4 * packed.sizes[SCRATCH])
            _check_memory(needed, f"{len(packed.starts) * packed.lanes} creatures")
        shift = packed.sizes * np.array([0, 1, 1])  # copies share the table
        starts = np.concatenate([packed.starts + copy * shift for copy in range(copies)])
        links = packed.ints[starts[:, INTS] + LINK_COUNT]
        largest_first = np.argsort(-links, kind="stable")
        sizes = (
            block_sizes((links[largest_first] - 1.0).tolist(), processors())
            if together is None
            else [together] * -(-len(starts) // together)
        )
        self.blocks = len(sizes)
        places = np.flatnonzero(np.arange(WARPS) < np.array(sizes)[:, None])
        self._places = np.empty(len(starts), np.int64)  # of each pen in the tables of the kernel
        self._places[largest_first] = places[: len(starts)]

        def sent(numbers: Any) -> Any:
            return cuda.to_device(np.ascontiguousarray(numbers).ravel(), stream=stream)

        def placed(rows: Any, empty: int) -> Any:
            table = np.full((self.blocks * WARPS, *rows.shape[1:]), empty, rows.dtype)
            table[self._places] = rows
            return sent(table)

        self.starts, self.ints, self.terrain = placed(starts, NOBODY), sent(packed.ints), sent(packed.terrain)
        self.depths = placed(np.tile(packed.depths, (copies, 1, 1)), 0)
        if room is None:
            self.data = sent(self._numbers())
            self.scratch = _zeros(copies * int(packed.sizes[SCRATCH]))
        else:
            self.data = room.numbers(copies * len(packed.data))[: copies * len(packed.data)]
            self.data.copy_to_device(self._numbers(), stream=stream)
            self.scratch = room.numbers(copies * int(packed.sizes[SCRATCH]))

    def _numbers(self) -> Any:
        return self.packed.data if self.copies == 1 else np.tile(self.packed.data, self.copies)

    def launch(self, steps: int) -> None:
        """Let all go on; returns at once."""
        lanes = self.packed.lanes
        launcher(lanes)(
            self.blocks, WARPS * lanes * team_size(lanes), self.starts, self.ints, self.data, self.scratch,
            self.terrain, self.depths, self.blocks * WARPS, steps, stream=self.stream,
        )  # fmt: skip

    def live(self, steps: int) -> None:
        """Lives of so many steps of all who are not born with shapes in each other; returns at once."""
        for first in range(0, steps, STEPS):
            self.launch(min(steps - first, STEPS))

    def wait(self) -> None:
        """Until all lives are over."""
        if self.stream:
            self.stream.synchronize()
        else:
            require_device().synchronize()

    def numbers(self) -> tuple[Any, Any]:
        """`data` and `depths` of the first copy, once lives are over; `alike` tells whether others are the same."""
        data, depths = (
            self.data.copy_to_host(stream=self.stream),
            self.depths.copy_to_host(stream=self.stream),
        )
        self.wait()
        bits = data.view(np.int32).reshape(self.copies, -1)
        self.alike = bool((bits == bits[0]).all())
        first = self._places[: len(self.packed.starts)]
        return data[: bits.shape[1]], depths.reshape(self.blocks * WARPS, -1, self.packed.lanes)[first]


def processors() -> int:
    """Blocks of threads that the device works on at a time; the simulator has one."""
    return int(getattr(require_device().get_current_device(), "MULTIPROCESSOR_COUNT", 1))


def _zeros(size: int) -> Any:
    """Room for numbers on the device."""
    found = require_device().device_array(size, np.float32)
    _clear(found)
    return found


def _clear(numbers: Any) -> None:
    """Numbers that nobody has written are multiplied by zero here and there, so they must be numbers."""
    if simulated():
        numbers[:] = 0.0
        return
    from numba.cuda.cudadrv.driver import device_memset

    device_memset(numbers, 0, 4 * numbers.size)


def _check_memory(needed: float, whose: str) -> None:
    free = float(require_device().current_context().get_memory_info()[0])
    if needed > free:
        raise UsageError(
            f"{whose} need {needed / 2**30:.1f} GiB of the GPU's memory, {free / 2**30:.1f} GiB are free; let fewer live "
            "at a time, or give the herd fewer slots."
        )


def refuse_keeping(keep: Sequence[str]) -> None:
    """Refuse lives on a GPU that are to keep more than their samples: nobody looks at them before their end."""
    if keep:
        raise UsageError(
            f"keep is {', '.join(keep)}, but lives on a GPU keep their samples alone; leave it out, or give Herd "
            "device='cpu'."
        )


def lives_on_device(
    colony: Colony, states: Sequence[State | None], terms: Terms, keep_final: bool
) -> list[Life]:
    """Let all creatures of a colony live on the GPU."""
    if not len(colony):
        return []
    crowd = Crowd(colony, states, terms)
    device = OnDevice(crowd.packed)
    device.live(max(terms.steps, 1))
    return crowd.read(*device.numbers(), keep_final)
