"""A herd on a GPU: a pen for each warp, all in the device's memory at once.

The same kernel as on the CPU, in float32.  A warp lives the lives of its pen to their end, so no lane needs to be filled
again; what a herd needs is memory for all of its creatures, about 50 kB each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model import State
from zoophyte.model.herd import life_layout as life
from zoophyte.model.herd.fit import Fit
from zoophyte.model.herd.packing import Creature
from zoophyte.model.herd.pen import Pen, Resident
from zoophyte.model.herd.plans import Terms
from zoophyte.numbers.cuda import require_device
from zoophyte.physics.contact.touch import LOOK
from zoophyte.physics.cuda.lives import DATA, INTS, SCRATCH, STARTS, launcher, team_size
from zoophyte.simulation.herd.life import Life, life_in, unborn
from zoophyte.simulation.herd.worker import birth, final_state, too_deep

if TYPE_CHECKING:
    from zoophyte.simulation.herd.herd import Herd

STEPS = 4000
"""Steps of one launch."""
WARPS = 8
"""Pens in a block of threads, which go through a step together: see `line_up`."""
LINE = 32
"""Numbers to which pens are aligned: a cache line's."""


@dataclass(eq=False)
class Filled:
    """A pen as it was filled once; others of the same make may follow.

    Args:
        pen: of that make.
        tenants: number of the creature in each lane.
        residents: who is in each lane.
        ints: its table.
        data: its numbers.
    """

    pen: Pen
    tenants: list[int]
    residents: list[Resident | None]
    ints: Any
    data: Any

    def open(self) -> Pen:
        """The pen, with these creatures in it."""
        pen = self.pen
        pen.data, pen.fields, pen.residents = self.data, self.data.reshape(-1, pen.width), self.residents
        return pen


class Crowd:
    """All creatures of a herd in pens, as a device takes them.

    Args:
        herd: whose creatures live.
        states: where they begin.
        terms: what is asked of them.
    """

    def __init__(self, herd: Herd, states: Sequence[State | None], terms: Terms) -> None:
        self.herd, self.states, self.terms = herd, states, terms
        self.pens: list[Filled] = []
        for queue in herd.queues():
            mould: Pen | None = None
            while numbers := queue.take(herd.lanes):
                mould = self._mould(mould, numbers, queue.mixed)
                self._fill(mould, numbers)
        self._lay_out()

    def _mould(self, before: Pen | None, numbers: list[int], mixed: bool) -> Pen:
        """The pen that was filled before, if these creatures fit in as well as in one of their own."""
        creatures = [self.herd.creatures[n] for n in numbers]
        if before is not None and _fits_closely(before, creatures):
            return before
        return self.herd.pen(numbers, self.terms, mixed=mixed)

    def _fill(self, pen: Pen, numbers: list[int]) -> None:
        alike: dict[int, Fit] = {}
        pen.residents = [None] * pen.width
        for lane, number in enumerate(numbers):
            creature = self.herd.creatures[number]
            state, key = birth(self.herd, number, self.states[number]), id(creature.model)
            alike[key] = pen.load(lane, creature, state, alike.get(key))
        for lane in range(len(numbers), pen.width):
            pen.park(lane)
        pen.refresh()
        self.pens.append(Filled(pen, numbers, pen.residents, pen.ints.copy(), pen.data.copy()))

    def _lay_out(self) -> None:
        """One array for the numbers of all pens, and where each starts."""
        sizes = np.zeros((len(self.pens) + 1, STARTS), np.int64)
        for n, filled in enumerate(self.pens, start=1):
            sizes[n] = len(filled.ints), len(filled.data), filled.pen.scratch_size
        starts = np.cumsum(-(-sizes // LINE) * LINE, axis=0)
        self.starts, self.sizes = np.ascontiguousarray(starts[:-1]), starts[-1]
        self.ints = np.zeros(int(self.sizes[INTS]), np.int32)
        self.data = np.zeros(int(self.sizes[DATA]), np.float32)
        for filled, start in zip(self.pens, self.starts, strict=True):
            self.ints[start[INTS] : start[INTS] + len(filled.ints)] = filled.ints
            own = self.data[start[DATA] : start[DATA] + len(filled.data)]
            own[:] = filled.data
            filled.data = own

    def turn_away(self, depths: Any) -> None:
        """Take out who is born with shapes in each other."""
        self.unborn: dict[int, Any] = {}
        for filled, deep in zip(self.pens, depths, strict=True):
            pen = filled.open()
            for lane, status in too_deep(pen, deep).items():
                state = self.states[filled.tenants[lane]]
                if state is None or not state.contact.size:
                    self.unborn[filled.tenants[lane]] = status
                    pen.residents[lane] = None
                    pen.fields[pen.life.head + life.ALIVE, lane] = 0.0

    def read(self, keep_final: bool) -> list[Life]:
        """All lives, in the order of the herd, from the numbers that came back."""
        found: list[Life | None] = [None] * len(self.herd)
        for filled in self.pens:
            pen = filled.open()
            for lane, number in enumerate(filled.tenants):
                if pen.residents[lane] is not None:
                    final = final_state(pen, lane, self.herd.controllers[number]) if keep_final else None
                    found[number] = life_in(pen, lane, final)
        return [unborn(self.unborn[n]) if own is None else own for n, own in enumerate(found)]


def _fits_closely(pen: Pen, creatures: Sequence[Creature]) -> bool:
    """Whether creatures fit into a pen that is no larger than the largest of them."""
    links = max(len(creature.body.links) for creature in creatures)
    shapes = max(len(creature.body.shapes) for creature in creatures)
    close = len(pen.tokens) == links and len(pen.shape_kinds) == shapes
    return close and all(pen.fits(creature) for creature in creatures)


class OnDevice:
    """A crowd in the memory of a GPU.

    Args:
        crowd: who lives.
        copies: how many times each pen is there, for those who measure; copies live in other warps.
    """

    def __init__(self, crowd: Crowd, copies: int = 1) -> None:
        cuda = require_device()
        self.crowd, self.copies, self.lanes = crowd, copies, crowd.herd.lanes
        needed = int(crowd.ints.nbytes + copies * (crowd.data.nbytes + 4 * crowd.sizes[SCRATCH]))
        free = float(cuda.current_context().get_memory_info()[0])
        if needed > free:
            raise UsageError(
                f"{len(crowd.herd)} creatures need {needed / 2**30:.1f} GiB of the GPU's memory, {free / 2**30:.1f} GiB "
                "are free; let fewer live at a time, or give the herd fewer slots."
            )
        shift = crowd.sizes * np.array([0, 1, 1])  # copies share the table
        starts = np.stack([crowd.starts + copy * shift for copy in range(copies)], axis=1)  # large pens first
        self.starts, self.ints = cuda.to_device(starts.ravel()), cuda.to_device(crowd.ints)
        self.data = cuda.to_device(self._numbers())
        self.scratch = cuda.device_array(copies * int(crowd.sizes[SCRATCH]), np.float32)
        self.terrain = cuda.to_device(crowd.pens[0].pen.terrain.astype(np.float32))
        self.depths = cuda.device_array(starts.size // STARTS * self.lanes, np.float32)

    def _numbers(self) -> Any:
        return self.crowd.data if self.copies == 1 else np.tile(self.crowd.data, self.copies)

    def launch(self, steps: int) -> None:
        """Let all go on; returns at once."""
        pens = len(self.crowd.pens) * self.copies
        launcher(self.lanes)(
            -(-pens // WARPS), WARPS * self.lanes * team_size(self.lanes), self.starts, self.ints, self.data,
            self.scratch, self.terrain, self.depths, pens, steps,
        )  # fmt: skip

    def look(self) -> Any:
        """How deep the shapes of each creature are in each other or in the ground [m]."""
        self.launch(LOOK)
        return self.depths.copy_to_host().reshape(len(self.crowd.pens), self.copies, self.lanes)[:, 0]

    def live(self, steps: int) -> bool:
        """Lives of so many steps, waited for, and their numbers brought back; whether all copies lived alike to the bit."""
        self.data.copy_to_device(self._numbers())
        while steps > 0:
            self.launch(min(steps, STEPS))
            steps -= STEPS
        found = self.data.copy_to_host().reshape(self.copies, -1)
        self.crowd.data[:] = found[0]
        return bool((found.view(np.int32) == found[0].view(np.int32)).all())


def lives_on_device(herd: Herd, states: Sequence[State | None], terms: Terms, keep_final: bool) -> list[Life]:
    """Let all creatures of a herd live on the GPU."""
    if not len(herd):
        return []
    crowd = Crowd(herd, states, terms)
    device = OnDevice(crowd)
    crowd.turn_away(device.look())
    device.live(max(terms.steps, 1))
    return crowd.read(keep_final)
