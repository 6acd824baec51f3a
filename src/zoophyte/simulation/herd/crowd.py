"""The creatures of a herd in pens, laid out one behind the other as a GPU takes them.

The pens are those of the CPU, in float32.  A warp lives the lives of its pen to their end, so no lane needs to be filled
again; what a herd needs is memory for all of its creatures, about 50 kB each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from zoophyte.model import State
from zoophyte.model.herd.fit import Fit
from zoophyte.model.herd.life_layout import SAMPLE_SIZE
from zoophyte.model.herd.pen import Pen, Resident
from zoophyte.model.herd.plans import Terms
from zoophyte.model.layout import HEADER_SIZE
from zoophyte.physics.cuda.lives import ALLOWED, DATA, DEPTHS, FOUND, INTS, STARTS
from zoophyte.simulation.herd.life import Life, life_in, unborn
from zoophyte.simulation.herd.worker import birth, final_state, too_deep
from zoophyte.simulation.overlaps import allowed_depth

if TYPE_CHECKING:
    from zoophyte.simulation.herd.herd import Herd

LINE = 32
"""Numbers to which pens are aligned: a cache line's."""
HEADER = (0, HEADER_SIZE)
"""Where the numbers of no link are, of which one tells who failed."""
Moulds: TypeAlias = dict[tuple[int, int, bool], Pen]
"""Number of links and of shapes, and whether lanes differ → a pen of exactly that size."""
NOT_LOOKED = -1.0
"""In place of a depth that is to be found."""
ANY_DEPTH = 1e30
"""Allowed to who goes on from where a step left it [m]; float32 holds it."""


@dataclass(frozen=True, eq=False)
class Packed:
    """Pens as arrays.

    Args:
        lanes: creatures of a pen.
        starts: (pens, STARTS), where the numbers of each pen start.
        sizes: (STARTS,), how many there are in all.
        ints: tables of all pens.
        data: numbers of all pens, float32; those of the lives, once they have been lived.
        terrain: heights of the ground, the same for all.
        depths: (pens, DEPTHS, lanes): how deep shapes are in each other at birth, to be found; and how deep they may be [m].
        told: (parts, 2), where the parts of `data` begin and end that tell of a life, apart from its last state.
    """

    lanes: int
    starts: Any
    sizes: Any
    ints: Any
    data: Any
    terrain: Any
    depths: Any
    told: Any

    def part(self, data: Any) -> Any:
        """What `data` tells of lives: a twentieth of it."""
        return np.concatenate([data[first:end] for first, end in self.told])

    def take_part(self, part: Any) -> Any:
        """`data` with these numbers in it."""
        for (first, end), own in zip(
            self.told, np.split(part, np.cumsum(self.told[:-1] @ [-1, 1])), strict=True
        ):
            self.data[first:end] = own
        return self.data


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
    """All creatures of a herd in pens.

    Args:
        herd: whose creatures live.
        states: where they begin.
        terms: what is asked of them.
        moulds: pens that crowds of such a herd, with such terms, have filled before; new ones are added.
    """

    def __init__(
        self, herd: Herd, states: Sequence[State | None], terms: Terms, moulds: Moulds | None = None
    ) -> None:
        self.herd, self.states, self.terms = herd, states, terms
        self.moulds = {} if moulds is None else moulds
        self.pens: list[Filled] = []
        for queue in herd.queues():
            while numbers := queue.take(herd.lanes):
                self._fill(self._mould(numbers, queue.mixed), numbers)
        self.packed = self._pack()

    def _mould(self, numbers: list[int], mixed: bool) -> Pen:
        """A pen that was filled before, if these creatures fit in as well as in one of their own."""
        creatures = [self.herd.creatures[n] for n in numbers]
        links = max(len(creature.body.links) for creature in creatures)
        shapes = max(len(creature.body.shapes) for creature in creatures)
        key = (links, shapes, mixed)
        pen = self.moulds.get(key)
        if pen is None or not all(pen.fits(creature) for creature in creatures):
            pen = self.herd.pen(numbers, self.terms, mixed=mixed)
            if (len(pen.tokens), len(pen.shape_kinds)) == (links, shapes):  # else others would be padded
                self.moulds[key] = pen
        return pen

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

    def _pack(self) -> Packed:
        """One array for the numbers of all pens, and where each starts."""
        lanes = self.herd.lanes
        sizes = np.zeros((len(self.pens) + 1, STARTS), np.int64)
        for n, filled in enumerate(self.pens, start=1):
            sizes[n] = len(filled.ints), len(filled.data), filled.pen.scratch_size
        starts = np.cumsum(-(-sizes // LINE) * LINE, axis=0)
        total = starts[-1]
        ints, data = np.zeros(int(total[INTS]), np.int32), np.zeros(int(total[DATA]), np.float32)
        depths = np.full((len(self.pens), DEPTHS, lanes), NOT_LOOKED, np.float32)
        for n, (filled, start) in enumerate(zip(self.pens, starts, strict=False)):
            ints[start[INTS] : start[INTS] + len(filled.ints)] = filled.ints
            data[start[DATA] : start[DATA] + len(filled.data)] = filled.data
            depths[n, ALLOWED] = [self._allowed(resident, number) for resident, number in _lanes(filled)]
        told = np.array([[HEADER, life_part(filled.pen)] for filled in self.pens]).reshape(-1, 2) * lanes
        told += np.repeat(starts[:-1, DATA], 2)[:, None]
        terrain = self.pens[0].pen.terrain.astype(np.float32)
        return Packed(lanes, np.ascontiguousarray(starts[:-1]), total, ints, data, terrain, depths, told)

    def _allowed(self, resident: Resident | None, number: int) -> float:
        if resident is None:
            return ANY_DEPTH
        model = resident.creature.model
        state = self.states[number] or State.neutral(model)
        return min(allowed_depth(model, self.herd.habitat.ground, state), ANY_DEPTH)

    def read(self, data: Any, depths: Any, keep_final: bool) -> list[Life]:
        """All lives, in the order of the herd, from what a device has left of `data` and `depths`."""
        found: list[Life | None] = [None] * len(self.herd)
        for filled, start, deep in zip(self.pens, self.packed.starts, depths, strict=True):
            filled.data = data[start[DATA] : start[DATA] + len(filled.data)]
            home = filled.pen.data, filled.pen.fields
            pen = filled.open()
            unfit = too_deep(deep[FOUND], dict(enumerate(deep[ALLOWED])))
            for lane, number in enumerate(filled.tenants):
                if lane in unfit:
                    found[number] = unborn(unfit[lane])
                    continue
                final = final_state(pen, lane, self.herd.controllers[number]) if keep_final else None
                found[number] = life_in(pen, lane, final)
            pen.data, pen.fields = home
        return [life for life in found if life is not None]


def life_part(pen: Pen) -> tuple[int, int]:
    """Where the head and the samples of lives begin and end in the data of a pen."""
    return pen.life.head, pen.life.samples + (pen.life.sample_room + 1) * SAMPLE_SIZE


def _lanes(filled: Filled) -> list[tuple[Resident | None, int]]:
    """Who is in each lane, and its number; -1 for nobody."""
    absent = [-1] * (filled.pen.width - len(filled.tenants))
    return list(zip(filled.residents, [*filled.tenants, *absent], strict=True))
