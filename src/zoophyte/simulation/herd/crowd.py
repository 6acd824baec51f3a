"""The creatures of a herd in pens, laid out one behind the other as a GPU takes them.

The pens are those of the CPU, in float32.  A warp lives the lives of its pen to their end, so no lane needs to be filled
again; what a herd needs is memory for all of its creatures, about 50 kB each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from zoophyte.model import State
from zoophyte.model.herd.life_layout import SAMPLE_SIZE
from zoophyte.model.herd.pen import Pen, Resident
from zoophyte.model.herd.plans import Terms
from zoophyte.model.layout import HEADER_SIZE
from zoophyte.physics.cuda.lives import ALLOWED, DATA, DEPTHS, FOUND, INTS, STARTS
from zoophyte.simulation.lifetime.units import as_depth
from zoophyte.simulation.living.colony import Colony
from zoophyte.simulation.living.driver import Driver
from zoophyte.simulation.living.life import Life, unborn
from zoophyte.simulation.status import Status

LINE = 32
"""Numbers to which pens are aligned: a cache line's."""
HEADER = (0, HEADER_SIZE)
"""Where the numbers of no link are, of which one tells who failed."""
Moulds: TypeAlias = dict[tuple[int, int, bool], Driver]
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
        driver: of that make.
        tenants: number of the creature in each lane.
        residents: who is in each lane.
        ints: its table.
        data: its numbers.
    """

    driver: Driver
    tenants: dict[int, int]
    residents: list[Resident | None]
    ints: Any
    data: Any

    @property
    def pen(self) -> Pen:
        """Of that make; who is in it now may be others."""
        return self.driver.pen

    def open(self) -> Driver:
        """The driver, with these creatures in its pen."""
        pen, self.driver.tenants = self.pen, self.tenants
        pen.data, pen.fields, pen.residents = self.data, self.data.reshape(-1, pen.width), self.residents
        return self.driver


class Crowd:
    """All creatures of a colony in pens.

    Args:
        colony: whose creatures live.
        states: where they begin.
        terms: what is asked of them.
        moulds: pens that crowds of such a colony, with such terms, have filled before; new ones are added.
    """

    def __init__(
        self, colony: Colony, states: Sequence[State | None], terms: Terms, moulds: Moulds | None = None
    ) -> None:
        self.colony, self.terms = colony, terms
        self.born = [colony.birth(number, state) for number, state in enumerate(states)]
        self.moulds = {} if moulds is None else moulds
        self.pens: list[Filled] = []
        for queue in colony.queues():
            while numbers := queue.take(colony.lanes):
                self._fill(self._mould(numbers, queue.mixed), numbers)
        self.packed = self._pack()
        self.born.clear()  # thousands may be waiting to be read

    def _mould(self, numbers: list[int], mixed: bool) -> Driver:
        """A pen that was filled before, if these creatures fit in as well as in one of their own."""
        creatures = [self.colony.creatures[n] for n in numbers]
        links = max(len(creature.body.links) for creature in creatures)
        shapes = max(len(creature.body.shapes) for creature in creatures)
        key = (links, shapes, mixed)
        driver = self.moulds.get(key)
        if driver is None or not all(driver.pen.fits(creature) for creature in creatures):
            driver = Driver(self.colony, numbers, self.terms, mixed=mixed)
            own = len(driver.pen.tokens), len(driver.pen.shape_kinds)
            if own == (links, shapes):  # else others would be padded
                self.moulds[key] = driver
        driver.colony = self.colony
        return driver

    def _fill(self, driver: Driver, numbers: list[int]) -> None:
        pen, driver.tenants = driver.pen, {}
        pen.residents = [None] * pen.width
        for lane in range(len(numbers), pen.width):
            pen.park(lane)
        driver.move_in(dict(enumerate(numbers)), self.born)
        self.pens.append(Filled(driver, driver.tenants, pen.residents, pen.ints.copy(), pen.data.copy()))

    def _pack(self) -> Packed:
        """One array for the numbers of all pens, and where each starts."""
        lanes = self.colony.lanes
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
            depths[n, ALLOWED] = ANY_DEPTH
            for lane, number in filled.tenants.items():
                allowed = self.colony.depth_at_birth(number, self.born[number])
                depths[n, ALLOWED, lane] = min(allowed, ANY_DEPTH)
        told = np.array([[HEADER, life_part(filled.pen)] for filled in self.pens]).reshape(-1, 2) * lanes
        told += np.repeat(starts[:-1, DATA], 2)[:, None]
        terrain = self.pens[0].pen.terrain.astype(np.float32)
        return Packed(lanes, np.ascontiguousarray(starts[:-1]), total, ints, data, terrain, depths, told)

    def read(self, data: Any, depths: Any, keep_final: bool) -> list[Life]:
        """All lives, in the order of the herd, from what a device has left of `data` and `depths`."""
        found: list[Life | None] = [None] * len(self.colony)
        for filled, start, deep in zip(self.pens, self.packed.starts, depths, strict=True):
            filled.data = data[start[DATA] : start[DATA] + len(filled.data)]
            home = filled.pen.data, filled.pen.fields
            driver = filled.open()
            driver.colony, driver.keep_final = self.colony, keep_final
            for lane, number in filled.tenants.items():
                how = f"shapes are up to {as_depth(deep[FOUND][lane])} deep in each other"
                unfit = deep[FOUND][lane] > deep[ALLOWED][lane]
                found[number] = unborn(Status("overlapping", 0.0, "", how)) if unfit else driver.life(lane)
            driver.pen.data, driver.pen.fields = home
        return [life for life in found if life is not None]


def life_part(pen: Pen) -> tuple[int, int]:
    """Where the head and the samples of lives begin and end in the data of a pen."""
    return pen.life.head, pen.life.samples + (pen.life.sample_room + 1) * SAMPLE_SIZE
