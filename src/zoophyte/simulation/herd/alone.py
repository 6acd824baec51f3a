"""One life of a herd in float32, told in full: what a World in float32 lives.

A controller computes with the numbers of the kernel, so that it must run inside it, as in a herd: a World that asked it in
Python would get other roundings.  The life is therefore lived in a lane, which has the bits of any other.  What a
trajectory tells of it besides (energies, momenta, places of contacts) is computed in float64 from its states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from zoophyte.errors import UsageError, brief
from zoophyte.model import Block, State
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.herd.life_layout import CAUSE, ENDED, LIVING
from zoophyte.model.herd.pen import Pen
from zoophyte.physics.contact.touch import LOOK
from zoophyte.physics.entries import LANES, TOUCHING_WORLD, WORLD, compile_ahead
from zoophyte.simulation.herd.conditions import Guards
from zoophyte.simulation.herd.life import life_in
from zoophyte.simulation.herd.worker import birth, depth_at_birth, final_state, overlapping, run
from zoophyte.simulation.lifetime.lived import lived_number
from zoophyte.simulation.lifetime.slices import Slices
from zoophyte.simulation.record import Recorder, beyond_numbers, ended
from zoophyte.simulation.status import Status
from zoophyte.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from zoophyte.simulation.herd.herd import Herd
    from zoophyte.simulation.world import World

AUTO, IMPLICIT, REFUSE = "auto", "implicit", "refuse"
UNGUARDED = Guards(energy=None, speed=None, depth=None)
"""A World judges nobody."""
CHECK_EVERY = 0.05
"""From one look at a life to the next [s]: nothing that it lives depends on it."""


def check_single(world: World) -> None:
    """Refuse what no World in float32 can do; its integrator is that of herds.

    Raises:
        UsageError: says what, and what to do.
    """
    try:
        dtype = np.dtype(world.dtype)
    except TypeError:
        dtype = np.dtype(object)
    if dtype == np.float64:
        object.__setattr__(world, "dtype", dtype)
        return
    if dtype != np.float32:
        raise UsageError(f"dtype is {brief(world.dtype)}, must be float64 or float32.")
    for name, given, only in (("integrator", world.integrator, IMPLICIT), ("overlap", world.overlap, REFUSE)):
        if given not in (AUTO, only):
            raise UsageError(
                f"{name} is {given!r}, but a World in float32 lives as in a herd, which has only {only!r}; leave it out, or "
                "use float64."
            )
    if world.sleep:
        raise UsageError(
            "sleep is True, but a World in float32 lives as in a herd, where nothing sleeps; leave it out, or use float64."
        )
    object.__setattr__(world, "dtype", dtype)
    object.__setattr__(world, "integrator", IMPLICIT)


def live_alone(
    world: World, state: State, seconds: float, record_rate: float | None, progress: Callable[[float], None] | None
) -> Trajectory:  # fmt: skip
    """The life of a World in float32; see :meth:`World.simulate`."""
    return _Alone(world, state, record_rate, progress).live(seconds)


class _Alone:
    """One creature in the first lane of a pen, and a block in float64 in which its states are looked at."""

    def __init__(
        self, world: World, state: State, record_rate: float | None, progress: Callable[[float], None] | None
    ) -> None:
        self.world, self.progress = world, progress
        self.herd = _herd_of(world)
        plan = self.herd.creatures[0].plan
        if state.time != 0.0 and (plan.period > 0.0 or plan.begin > 0.0):
            raise UsageError(
                f"{world.model.name} begins at {state.time:g} s, but in float32 a controller that acts at a rate, or later, "
                "begins at 0 s; set the clock of the state back, or use float64."
            )
        self.start = birth(self.herd, 0, state)
        self.stride = 1 if record_rate is None else max(1, round(1.0 / (record_rate * world.dt)))
        habitat = world.habitat
        compile_ahead([self.herd.form(mixed=True), *(WORLD if world.contact is None else TOUCHING_WORLD)])
        self.block = Block(
            [world.model], gravity=habitat.gravity, contact=world.contact, medium=habitat.medium
        )
        self.block.set_step(world.dt)
        self.block.set_flags(at.FLAG_IMPLICIT, True)
        self.block.set_state(0, self.start)
        self.record = Recorder(self.block, self.stride)
        self.mirror: Mirror | None = None
        self.slices = Slices()

    def live(self, seconds: float) -> Trajectory:
        """Until the end, or until something diverges."""
        terms = self.herd.terms(seconds, None, UNGUARDED, 0.0, max(seconds, self.world.dt), CHECK_EVERY)
        # Whoever shares a register with unlike bodies has this form compiled already; bits are those of all forms.
        self.pen = self.herd.pen([0], terms, mixed=True)
        self.pen.load(0, self.herd.creatures[0], self.start)
        self.pen.refresh()
        self._refuse_overlaps()
        if self.block.contact is not None:
            self.mirror = Mirror(self.pen, self.block)
        self.steps = 0
        self._show()
        self.record.begin(self.time)
        while self.steps < terms.steps:
            most = 1 if self.record.watches else self.record.steps_to_next
            chunk = min(most, terms.steps - self.steps)
            self.steps += run(self.pen, chunk, self.slices)
            if self._cause() not in (LIVING, ENDED):
                break
            self._show()
            if self.mirror is not None:
                self.mirror.show()
            self.record.advance(chunk, self.time)
            self.record.read()
            if self.progress is not None:
                self.progress(self.steps / terms.steps)
        return self._trajectory()

    @property
    def time(self) -> float:
        """Now [s]."""
        return self.start.time + self.steps * self.world.dt

    def _cause(self) -> int:
        return int(self.pen.head(0, CAUSE))

    def _show(self) -> None:
        """Put the creature's state where it can be looked at."""
        self.block.set_state(0, self.pen.state(0))

    def _refuse_overlaps(self) -> None:
        """As in a herd: who goes on may be as it is."""
        run(self.pen, LOOK)
        found = overlapping(self.pen, {0: depth_at_birth(self.herd, 0, self.start)})
        if found:
            raise UsageError(
                f"{self.world.model.name}: shapes overlap when life begins: {found[0].reason}; move them apart, or live in "
                'float64 with overlap="resolve".'
            )

    def _trajectory(self) -> Trajectory:
        world, habitat, arrays = self.world, self.world.habitat, self.record.arrays()
        if self._cause() in (LIVING, ENDED):
            sunken = self.record.sunken
            status = beyond_numbers(arrays) or ended(self.time, world.model, habitat, arrays, sunken=sunken)
        else:
            told = life_in(self.pen, 0, None, "World").status
            status = Status(told.kind, self.start.time + told.time, told.body, told.reason)
        return Trajectory(
            **arrays, status=status, final=final_state(self.pen, 0, world.controller), dt=world.dt,
            description=world.model.description, integrator=world.integrator, gravity=habitat.gravity,
            ground=habitat.ground, surface=habitat.surface, events=tuple(self.record.events), medium=habitat.medium,
            lived=lived_number(world.model, habitat.ground, arrays["q"]),
        )  # fmt: skip


class Mirror:
    """What the last step of a pen solved for the creature in its first lane, put into the slots of a block of its own.

    A look at the state would find too little: who was hit and parted again within the step touches nothing at its end.
    A pen knows links, shapes and pairs by other numbers than the creature's own block.

    Args:
        pen: with the creature in its first lane.
        block: of the same creature.
    """

    def __init__(self, pen: Pen, block: Block) -> None:
        resident = pen.residents[0]
        assert block.contact is not None and resident is not None
        self.pen, self.block, self.fit = pen, block, resident.fit
        own, theirs = block.contact.offsets, pen.tables.offsets
        self._offsets = {0: 0} | {theirs[place]: own[n] for n, place in enumerate(self.fit.links.tolist())}

    def show(self) -> None:
        """Copy the slots and the last sweep's change; the state must be in the block already."""
        tables, target = self.pen.tables, self.block.contact
        assert target is not None
        self.block.fields[target.head + cl.RESIDUAL, 0] = self.pen.fields[tables.head + cl.RESIDUAL, 0]
        count = int(self.pen.fields[tables.head + cl.SLOT_COUNT, 0])
        room = self.pen.work[tables.slots : tables.slots + count * tables.slot_size, 0]
        slots = room.reshape(count, tables.slot_size)[:, : cl.SLOT_RUNS].astype(float)
        slots = slots[(slots[:, cl.SLOT_KEY] >= 0.0) & (slots[:, cl.SLOT_KIND] < 0.5)][: target.capacity]
        slots[:, cl.SLOT_KEY] = self.fit.own_keys(slots[:, cl.SLOT_KEY])
        for field in (cl.SLOT_A, cl.SLOT_B):
            slots[:, field] = [self._offsets[int(offset)] for offset in slots[:, field]]
        first = target.slots
        place = self.block.work[first : first + len(slots) * target.slot_size, 0].reshape(
            len(slots), target.slot_size
        )
        place[:, : cl.SLOT_RUNS] = slots
        self.block.fields[target.head + cl.SLOT_COUNT, 0] = len(slots)


def _herd_of(world: World) -> Herd:
    """A herd of the one creature of a world.

    Raises:
        UsageError: when no herd takes its body or its controller.
    """
    from zoophyte.simulation.herd.herd import SLOTS, Herd

    try:
        return Herd(
            [world.model], world.habitat, [world.controller], dt=world.dt, width=LANES, workers=1,
            slots=world.slots or SLOTS, sweeps=world.sweeps, dtype=np.float32,
        )  # fmt: skip
    except UsageError as problem:
        raise UsageError(f"a World in float32 lives as in a herd: {problem}") from None
