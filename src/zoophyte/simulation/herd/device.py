"""A herd on a GPU: the same kernel as on the CPU, a pen for each warp, all in the device's memory at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model import State
from zoophyte.model.herd.plans import Terms
from zoophyte.numbers.cuda import require_device
from zoophyte.physics.contact.touch import LOOK
from zoophyte.physics.cuda.lives import SCRATCH, launcher, team_size
from zoophyte.simulation.herd.crowd import Crowd, Packed
from zoophyte.simulation.herd.life import Life

if TYPE_CHECKING:
    from zoophyte.simulation.herd.herd import Herd

STEPS = 4000
"""Steps of one launch."""
WARPS = 8
"""Pens in a block of threads, which go through a step together: see `line_up`."""


class OnDevice:
    """Pens in the memory of a GPU.

    Args:
        packed: who lives.
        copies: how many times each pen is there, for those who measure; copies live in other warps.
        stream: of the device; what is launched on one runs in order, and beside that of others.
    """

    def __init__(self, packed: Packed, copies: int = 1, stream: Any = 0) -> None:
        cuda = require_device()
        self.packed, self.copies, self.stream = packed, copies, stream
        needed = int(packed.ints.nbytes + copies * (packed.data.nbytes + 4 * packed.sizes[SCRATCH]))
        free = float(cuda.current_context().get_memory_info()[0])
        if needed > free:
            raise UsageError(
                f"{len(packed.starts) * packed.lanes} creatures need {needed / 2**30:.1f} GiB of the GPU's memory, "
                f"{free / 2**30:.1f} GiB are free; let fewer live at a time, or give the herd fewer slots."
            )
        shift = packed.sizes * np.array([0, 1, 1])  # copies share the table
        starts = np.concatenate([packed.starts + copy * shift for copy in range(copies)])
        self.pens = len(starts)

        def sent(numbers: Any) -> Any:
            return cuda.to_device(np.ascontiguousarray(numbers).ravel(), stream=stream)

        self.starts, self.ints, self.terrain = sent(starts), sent(packed.ints), sent(packed.terrain)
        self.data, self.depths = sent(self._numbers()), sent(np.tile(packed.depths, (copies, 1, 1)))
        self.scratch = cuda.device_array(copies * int(packed.sizes[SCRATCH]), np.float32, stream=stream)

    def _numbers(self) -> Any:
        return self.packed.data if self.copies == 1 else np.tile(self.packed.data, self.copies)

    def launch(self, steps: int) -> None:
        """Let all go on; returns at once."""
        lanes = self.packed.lanes
        launcher(lanes)(
            -(-self.pens // WARPS), WARPS * lanes * team_size(lanes), self.starts, self.ints, self.data, self.scratch,
            self.terrain, self.depths, self.pens, steps, stream=self.stream,
        )  # fmt: skip

    def live(self, steps: int) -> None:
        """Lives of so many steps of all who are not born with shapes in each other; returns at once."""
        self.launch(LOOK)
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
        pens = self.pens // self.copies
        return data[: bits.shape[1]], depths.reshape(self.copies, pens, -1, self.packed.lanes)[0]


def lives_on_device(herd: Herd, states: Sequence[State | None], terms: Terms, keep_final: bool) -> list[Life]:
    """Let all creatures of a herd live on the GPU."""
    if not len(herd):
        return []
    crowd = Crowd(herd, states, terms)
    device = OnDevice(crowd.packed)
    device.live(max(terms.steps, 1))
    return crowd.read(*device.numbers(), keep_final)
