"""Teams of threads without a GPU: several threads of the interpreter live one life, as those of a warp do.

Each sees its own writes at once and those of the others when they next meet or ask each other.  Whatever two threads write
otherwise, or one reads that another writes before they have met, would be a race on a device, and fails here.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from herds import DT, model, rows_of_whole_trees
from zoophyte.model import Block, ContactSettings
from zoophyte.model import contact_layout as cl
from zoophyte.model.layout import CONTACT
from zoophyte.numbers import primitives
from zoophyte.numbers.cuda import team
from zoophyte.numbers.forms import link
from zoophyte.physics.contact import axes, sweeps
from zoophyte.physics.contact.slots import slot_offset
from zoophyte.physics.cuda.together import OTHERS
from zoophyte.physics.lives.lives import live
from zoophyte.physics.living import advance

STEPS = 2
PATIENCE = 60.0
"""Seconds after which a thread that waits for others has waited in vain."""
ROUNDING = 1e-10
"""Relative: some hundred sums in another order, 1e-16 each, and a thousand times that where light hangs on heavy."""


class View(list[float]):
    """An array as one thread sees it."""

    def __init__(self, shared: list[float]) -> None:
        super().__init__()
        self.shared, self.written, self.read = shared, dict[int, float](), set[int]()

    def __len__(self) -> int:
        return len(self.shared)

    def __getitem__(self, place: Any) -> Any:
        if place in self.written:
            return self.written[place]
        self.read.add(place)
        return self.shared[place]

    def __setitem__(self, place: Any, x: Any) -> None:
        self.written[place] = x


class Team:
    """Threads that live one life.

    Args:
        size: how many.
        block: whose life it is.
        whole: functions that are not divided.
    """

    def __init__(self, size: int, block: Block, whole: tuple[Any, ...] = ()) -> None:
        self.size, self.block, self.whole = size, block, whole
        self.ints = block.ints.tolist()
        self.arrays = [block.data.tolist(), block.scratch.tolist()]
        self.views = [[View(array) for array in self.arrays] for _ in range(size)]
        self.given: list[Any] = [None] * size
        self.barrier = threading.Barrier(size, self._exchange, PATIENCE)
        self.wrong: list[str] = []
        self.called: set[str] = set()
        spare = slot_offset(self.ints, self.ints[self.ints[CONTACT] + cl.SLOT_CAPACITY])
        self.spare = range(
            spare, spare + self.ints[self.ints[CONTACT] + cl.SLOT_STRIDE]
        )  # who has no slot uses it

    def _exchange(self) -> None:
        for number, array in enumerate(self.arrays):
            written: dict[int, float] = {}
            for views in self.views:
                for place, x in views[number].written.items():
                    if (
                        place in written
                        and repr(written[place]) != repr(x)
                        and not (number and place in self.spare)
                    ):
                        self.wrong.append(f"array {number}: {written[place]} and {x} at {place}")
                    written[place] = x
            for views in self.views:
                own = views[number]
                early = (own.read & written.keys()) - own.written.keys()
                self.wrong += [f"array {number}: {place} was read before they met" for place in early]
                own.written, own.read = {}, set()
            for place, x in written.items():
                array[place] = x
        self.told = list(self.given)

    def ask(self, rank: int, value: Any) -> list[Any]:
        """Everybody's values."""
        self.given[rank] = value
        self.barrier.wait()
        told: list[Any] = self.told
        self.barrier.wait()
        return told

    def words(self, rank: int) -> dict[Any, Any]:
        """What kernels call in place of primitives, as in `zoophyte.numbers.cuda.warp`, and of what teams do otherwise."""

        def noted(function: Any) -> Any:
            own = link(function, lambda copy, original: copy, found, {})

            def call(*arguments: Any) -> Any:
                result = own(*arguments)
                if result not in (False, (False, False)):
                    self.called.add(function.__name__)
                return result

            return call

        found: dict[Any, Any] = {
            primitives.any_lane: lambda mask: any(self.ask(rank, bool(mask))),
            primitives.all_lanes: lambda mask: all(self.ask(rank, bool(mask))),
            primitives.largest_lane: lambda x: max(self.ask(rank, x)),
            team.rank: lambda spec: rank,
            team.size: lambda spec: self.size,
            team.total: lambda x, spec: sum(self.ask(rank, x)),
            team.meet: lambda spec: self.ask(rank, None),
            team.line_up: lambda spec: self.ask(rank, None),
        }
        for old, new in OTHERS.items():
            if old not in self.whole:
                found[old] = link(new, lambda copy, original: copy, found, {})
        for function in (sweeps.settle, axes.meet_late):
            found[function] = noted(function)
        return found

    def live(self, steps: int) -> Any:
        """All threads do the same steps; the numbers of the creature after them."""
        failed: list[BaseException] = []

        def work(rank: int) -> None:
            whole: Any = live
            life = link(whole, lambda copy, original: copy, self.words(rank), {})
            data, scratch = self.views[rank]
            try:
                life(self.ints, data, scratch, self.block.terrain.tolist(), [], steps, self.block.spec)
                self.ask(rank, None)
            except BaseException as error:
                failed.append(error)
                self.barrier.abort()

        threads = [threading.Thread(target=work, args=(rank,)) for rank in range(self.size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]
        return np.array(self.arrays[0])


@cache
def fallen(seed: int) -> zp.State:
    """A creature where it lies on the ground."""
    return zp.World(model(seed), dt=DT, sleep=False).simulate(0.5).final


def block(seed: int, most: int, push: float) -> Block:
    """It, with at most so many sweeps, and pushed so that all joints go one way; its rows are those of a pen."""
    with rows_of_whole_trees():
        made = Block([model(seed)], contact=ContactSettings(zp.Plane(), sweeps=most, sleep=False))
    made.set_step(DT)
    state = fallen(seed)
    made.set_state(0, state.at(v=state.v + push))
    return made


CASES = [
    pytest.param(4, 6, 30, 0.0, 0, set(), id="one lies at a limit"),
    pytest.param(2, 38, 30, -10.0, 4, set(), id="one touches itself and has ball joints"),
    pytest.param(2, 9, 1, -2.0, 0, {"settle"}, id="one bounces, and one sweep is not enough"),
    pytest.param(4, 2, 1, -10.0, 0, {"settle", "meet_late"}, id="a blow drives a joint into its limit"),
]


@pytest.mark.parametrize(("size", "seed", "most", "push", "pairs", "called"), CASES)
def test_a_team_does_what_one_thread_does(
    size: int, seed: int, most: int, push: float, pairs: int, called: set[str]
) -> None:
    """Law: threads divide loops, and results stay; no thread reads or writes what another writes before they meet.

    Oracle: the scalar kernel of a World.
    """
    alone = block(seed, most, push)
    advance(alone, STEPS)
    c = alone.ints[CONTACT]
    assert alone.contact is not None
    slots = int(alone.data[alone.contact.head + cl.SLOT_COUNT])
    others = [alone.scratch[slot_offset(alone.ints, k) + cl.SLOT_B] for k in range(slots)]
    limits = [
        alone.scratch[axes.axis_offset(alone.ints, a, alone.spec) + cl.AXIS_IMPULSE]
        for a in range(alone.ints[c + cl.AXIS_COUNT])
    ]
    assert slots > 0 and max(limits) > 0.0 and sum(other > 0.0 for other in others) == pairs  # it is as told
    threads = Team(size, block(seed, most, push))
    found = threads.live(STEPS)
    assert not threads.wrong, threads.wrong[:5]
    assert threads.called == called
    np.testing.assert_allclose(found, alone.data, rtol=ROUNDING, atol=ROUNDING)


def test_a_race_is_found() -> None:
    """The test above can fail: threads clear all of w, and one adds to its part before another has cleared it."""
    threads = Team(2, block(6, 30, 0.0), (sweeps.clear_work,))
    threads.live(STEPS)
    assert any(" and 0.0 at " in wrong for wrong in threads.wrong)
