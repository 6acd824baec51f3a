"""One life of a herd in float32, told in full: what a World in float32 lives.

A controller computes with the numbers of the kernel, so that it must run inside it, as in a herd: a World that asked it in
Python would get other roundings.  The life is therefore lived in a lane, which has the bits of any other.  What a
trajectory tells of it besides (energies, momenta, places of contacts) is computed in float64 from its states.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model import State
from zoophyte.model import contact_layout as cl
from zoophyte.model.herd.life_layout import CAUSE, ENDED, LIVING
from zoophyte.physics.entries import LANES, TOUCHING_WORLD, WORLD, compile_ahead
from zoophyte.simulation.lifetime.slices import Slices
from zoophyte.simulation.living.colony import SLOTS, Colony
from zoophyte.simulation.living.conditions import Guards
from zoophyte.simulation.living.driver import Driver
from zoophyte.simulation.living.life import life_in
from zoophyte.simulation.living.setting import Setting, begin, trajectory_of
from zoophyte.simulation.record import beyond_numbers, ended
from zoophyte.simulation.status import Status
from zoophyte.simulation.trajectory import Trajectory

UNGUARDED = Guards(energy=None, speed=None, depth=None)
"""A World judges nobody."""
CHECK_EVERY = 0.05
"""From one look at a life to the next [s]: nothing that it lives depends on it."""


class Alone:
    """One creature in the first lane of a pen, and a block in float64 in which its states are looked at.

    Args:
        setting: what lives, and where; its dtype is float32.
        state: where it begins.
        record_rate: frames per second to keep; every step if None.
        progress: called now and then with the share that is lived.
    """

    def __init__(
        self, setting: Setting, state: State, record_rate: float | None, progress: Callable[[float], None] | None
    ) -> None:  # fmt: skip
        self.setting, self.progress = setting, progress
        self.colony = _colony_of(setting)
        plan = self.colony.creatures[0].plan
        if state.time != 0.0 and (plan.period > 0.0 or plan.begin > 0.0):
            raise UsageError(
                f"{setting.model.name} begins at {state.time:g} s, but in float32 a controller that acts at a rate, or "
                "later, begins at 0 s; set the clock of the state back, or use float64."
            )
        self.start = self.colony.birth(0, state)
        # Whoever shares a register with unlike bodies has this form compiled already; bits are those of all forms.
        compile_ahead(
            (*self.colony.forms(mixed=True), *(WORLD if setting.contact is None else TOUCHING_WORLD))
        )
        self.record = begin(setting, self.start, record_rate)
        self.block = self.record.block

    def live(self, seconds: float) -> Trajectory:
        """Until the end, or until something diverges; see `zoophyte.World.simulate`."""
        terms = self.colony.terms(seconds, None, UNGUARDED, 0.0, max(seconds, self.setting.dt), CHECK_EVERY)
        self.driver = Driver(self.colony, [0], terms, mixed=True)
        self.pen, slices = self.driver.pen, Slices()
        self.driver.move_in({0: 0}, [self.start])
        for unborn in self.driver.turn_away([0], [self.start]).values():
            raise UsageError(
                f"{self.setting.model.name}: shapes overlap when life begins: {unborn.status.reason}; move them apart, or "
                'live in float64 with overlap="resolve".'
            )
        own, links = self.block.contact, self.pen.resident(0).fit.links.tolist()
        theirs = self.pen.contact.offsets
        self._places = (
            {} if own is None else {0: 0, **{theirs[p]: own.offsets[n] for n, p in enumerate(links)}}
        )
        self.steps = 0
        self._show()
        self.record.begin(self.time)
        while self.steps < terms.steps:
            most = 1 if self.record.watches else self.record.steps_to_next
            chunk = min(most, terms.steps - self.steps)
            self.steps += self.driver.run(chunk, slices)
            if self._cause() not in (LIVING, ENDED):
                break
            self._show()
            self._mirror()
            self.record.advance(chunk, self.time)
            self.record.read()
            if self.progress is not None:
                self.progress(self.steps / terms.steps)
        return self._trajectory()

    @property
    def time(self) -> float:
        """Now [s]."""
        return self.start.time + self.steps * self.setting.dt

    def _cause(self) -> int:
        return int(self.pen.head(0, CAUSE))

    def _show(self) -> None:
        """Put the creature's state where it can be looked at."""
        self.block.set_state(0, self.pen.state(0))

    def _mirror(self) -> None:
        """Put what the last step solved into the slots of the block, whose state is that of the pen already.

        A look at the state would find too little: who was hit and parted again within the step touches nothing at its end.
        A pen knows links, shapes and pairs by other numbers than the creature's own block.
        """
        pen, theirs, own, fit = self.pen, self.pen.contact, self.block.contact, self.pen.resident(0).fit
        if own is None:
            return
        self.block.fields[own.head + cl.RESIDUAL, 0] = pen.fields[theirs.head + cl.RESIDUAL, 0]
        slots = pen.slots_of(0)[:, : cl.SLOT_RUNS].astype(float)[: own.capacity]
        while own.room < len(slots):
            self.block.fields[own.head + cl.OVERFLOW] = cl.LACKS_SLOTS
            self.block.make_room()
        slots[:, cl.SLOT_KEY] = fit.own_keys(slots[:, cl.SLOT_KEY])
        for field in (cl.SLOT_A, cl.SLOT_B):
            slots[:, field] = [self._places[int(offset)] for offset in slots[:, field]]
        room = self.block.work[own.slots : own.slots + len(slots) * own.slot_size, 0]
        room.reshape(len(slots), own.slot_size)[:, : cl.SLOT_RUNS] = slots
        self.block.fields[own.head + cl.SLOT_COUNT, 0] = len(slots)

    def _trajectory(self) -> Trajectory:
        arrays, sunken = self.record.arrays(), self.record.sunken
        if self._cause() in (LIVING, ENDED):
            status = beyond_numbers(arrays) or ended(
                self.time, self.setting.model, self.setting.habitat, arrays, sunken=sunken
            )
        else:
            told = life_in(self.pen, 0, None, "World").status
            status = Status(told.kind, self.start.time + told.time, told.body, told.reason)
        return trajectory_of(self.setting, self.record, arrays, status, self.driver.final(0))


def _colony_of(setting: Setting) -> Colony:
    """A colony of the one creature of a world.

    Raises:
        UsageError: when no herd takes its body or its controller.
    """
    try:
        return Colony(
            [setting.model], setting.habitat, [setting.controller], dt=setting.dt, lanes=LANES,
            slots=setting.slots or SLOTS, sweeps=setting.sweeps, dtype=np.float32,
        )  # fmt: skip
    except UsageError as problem:
        raise UsageError(f"a World in float32 lives as in a herd: {problem}") from None
