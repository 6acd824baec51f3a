"""What is kept of a life: states at every n-th step, and sums over all bodies as channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from zoophyte.description import Attach
from zoophyte.model import Block, Model, State
from zoophyte.model import layout as at
from zoophyte.model.contact_layout import AXIS_MEMORY, HOLD_BROKEN
from zoophyte.model.model import Floats
from zoophyte.physics import notes
from zoophyte.physics.dynamics import totals
from zoophyte.physics.living import enter
from zoophyte.simulation.habitat import Habitat
from zoophyte.simulation.lifetime.actuation import Actuation
from zoophyte.simulation.lifetime.sinking import sunken
from zoophyte.simulation.overlaps import OPEN, open_holds
from zoophyte.simulation.status import Status, fallen_through
from zoophyte.simulation.touching import Event, TouchRecorder, breaking

LOG = 2**16
"""Numbers of a log, beside those of the steps that fill it: what is noted in 50 ms seldom takes more."""
FRAMES = 16
"""That a log holds at least, but for their contacts."""


class Recorder:
    """Keeps a frame now and then, and who touches whom: reads what the kernel notes of every step.

    Args:
        block: the creature that is recorded, in the state in which its life begins; its steps are noted.
        stride: steps between two frames.
    """

    def __init__(self, block: Block, stride: int) -> None:
        self.block, model, tables = block, block.models[0], block.contact
        self._frames: list[Floats] = []
        self._driven = np.flatnonzero(model.dofs.driven)
        self._driven_forces: list[Floats] = []
        self._actuation = Actuation(block)
        self._touch = None if tables is None else TouchRecorder(block)
        can_break = any(isinstance(each, Attach) and each.break_length < np.inf for each in model.constraints)
        self.watches = tables is not None and (bool(model.shapes) or can_break)
        breaks = [] if tables is None else block.fields[np.array(tables.hold_data, int) + HOLD_BROKEN, 0]
        self._q = notes.FRAME_Q
        self._v = self._q + model.nq
        self._axes = self._v + model.nv
        self._trees = self._axes + (0 if tables is None else AXIS_MEMORY * len(tables.axes))
        self._end = self._trees + (0 if tables is None else tables.sleepers)
        self._start = notes.LOG_HEADER + len(breaks)
        # So much a step may note, and so much of it may have to stay.
        step = 0 if tables is None else (notes.CONTACT_SIZE + notes.PRESS_SIZE + 1) * tables.capacity
        step += 2 * self._end + notes.BREAK_SIZE * len(breaks)
        limit = self._start + step + max(LOG, FRAMES * self._end)
        self.log = np.empty(limit + step)
        self.log[: self._start] = 0.0
        self.log[notes.LOG_HEADER : self._start] = breaks
        self.log[[notes.USED, notes.STRIDE, notes.LIMIT]] = self._start, stride, limit

    @property
    def steps_to_next(self) -> int:
        """Steps to the next frame."""
        return int(self.log[notes.LEFT])

    def begin(self, time: float) -> None:
        """Keep the first frame: the present state, before any step, with driven coordinates on their signals."""
        if len(self._driven):
            self._evaluate()
        self.log[notes.LEFT] = 1.0
        self.advance(1, time)
        self.read()
        self.log[notes.WATCHES] = self.watches

    def advance(self, steps: int, time: float) -> None:
        """Note steps that ended at a time without a log: a frame when it is due, and touches if it was one step."""
        self.log[notes.TIME] = time
        self.log[notes.LEFT] -= steps - 1
        enter("note", self.block, self.log)
        self.make_room()

    def make_room(self) -> None:
        """Read a full log."""
        if self.log[notes.USED] > self.log[notes.LIMIT]:
            self.read()

    def read(self) -> None:
        """Take over what the log says; whoever changes commands must have it read before."""
        log, place, frames = self.log, self._start, list[int]()
        while place < log.item(notes.USED):
            size, kind = int(log.item(place + notes.RECORD_SIZE)), log.item(place + notes.RECORD_KIND)
            if kind == notes.FRAME:
                frames.append(place)
            elif self._touch is not None and kind == notes.RUN:
                self._touch.take(log[place : place + size].tolist())
            elif self._touch is not None:
                hold, time = int(log[place + notes.BREAK_HOLD]), float(log[place + notes.RECORD_TIME])
                self._touch.events.append(breaking(self.block.models[0].description, hold, time))
            place += size
        if frames:
            self._keep(frames)
        log[notes.USED] = self._start
        run = int(log[notes.GROWING])
        if run:  # it goes on to grow
            size = int(log[run + notes.RECORD_SIZE])
            log[self._start : self._start + size] = log[run : run + size].copy()
            log[self._start + notes.RUN_TOLD] = 1.0
            log[[notes.GROWING, notes.USED]] = self._start, self._start + size

    def _keep(self, places: list[int]) -> None:
        """Keep frames of the log."""
        rows = self.log[np.add.outer(places, np.arange(self._end))]
        if self._touch is not None:
            first = 0 if self._frames else 1
            if first:  # before the first step nothing has been solved
                self._touch.begin(float(rows[0, notes.RECORD_TIME]))
            counts = rows[first:, notes.FRAME_CONTACTS].astype(np.int64).tolist()
            ends = [place + self._end for place in places[first:]]
            contacts = [
                self.log[end : end + n * notes.CONTACT_SIZE] for end, n in zip(ends, counts, strict=True)
            ]
            self._touch.keep(counts, np.concatenate([np.zeros(0), *contacts]), rows[first:, self._trees :])
        self._frames.append(rows)
        self._actuation.keep(rows[:, self._axes : self._trees])
        if len(self._driven):
            self._keep_driven_forces(rows)

    @property
    def events(self) -> list[Event]:
        """Who began or ended to touch whom, and which springs broke."""
        self.read()
        return [] if self._touch is None else self._touch.events

    @property
    def sunken(self) -> str:
        """What to tell of shapes that sweeps left in each other; nothing if there were none."""
        if self._touch is None:
            return ""
        rows = np.concatenate(self._frames)[1:]
        ways = rows[:, notes.FRAME_DT] * rows[:, notes.FRAME_RESIDUAL]
        return sunken(self.block, rows[:, notes.RECORD_TIME], ways, *self._touch.solved)

    def _keep_driven_forces(self, rows: Floats) -> None:
        """The forces that driven joints need at frames, for the motion as it is (no implicit terms)."""
        block, before = self.block, self.block.data.copy()
        for row in rows:
            block.data[[at.START, at.COUNT, at.DT]] = row[notes.FRAME_START : notes.FRAME_DT + 1]
            block.data[block.places.q] = row[self._q : self._v]
            block.set_dofs(at.VELOCITY, row[self._v : self._axes])
            self._evaluate()
            self._driven_forces.append(block.dofs(at.TAU)[self._driven])
        block.data[:] = before

    def _evaluate(self) -> None:
        """Forces and accelerations of the present state, without implicit terms."""
        block = self.block
        implicit = bool(block.ints[at.FLAGS] & at.FLAG_IMPLICIT)
        block.set_flags(at.FLAG_IMPLICIT, False)
        enter("evaluate", block)
        block.set_flags(at.FLAG_IMPLICIT, implicit)

    def arrays(self) -> dict[str, Any]:
        """times, q, v and the channels."""
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is told as a status
            return self._arrays()

    def _arrays(self) -> dict[str, Any]:
        self.read()
        rows = np.concatenate(self._frames)
        times, q, v = (
            rows[:, part].copy()
            for part in (notes.RECORD_TIME, slice(self._q, self._v), slice(self._v, self._axes))
        )
        sums = rows[:, notes.FRAME_SUMS : notes.FRAME_Q].copy()
        mass = np.maximum(sums[:, totals.TOTAL_MASS, None], np.finfo(float).tiny)  # nothing may move
        linear, com = (
            sums[:, totals.LINEAR : totals.LINEAR + 3],
            sums[:, totals.MASS_COM : totals.MASS_COM + 3] / mass,
        )
        angular = sums[:, totals.ANGULAR : totals.ANGULAR + 3] - np.cross(com, linear)
        kinetic, potential, elastic = (
            sums[:, totals.KINETIC],
            sums[:, totals.POTENTIAL],
            sums[:, totals.ELASTIC],
        )
        return {
            "times": times, "q": q, "v": v,
            "channels": {
                "energy": kinetic + potential + elastic, "kinetic": kinetic, "potential": potential,
                "elastic": elastic, "com": com, "momentum": linear, "angular_momentum": angular,
                **({"driven_force": np.array(self._driven_forces)} if len(self._driven) else {}),
                **self._actuation.channels(times, q, v),
                **(self._touch.channels() if self._touch is not None and self.block.models[0].shapes else {}),
            },
        }  # fmt: skip


def ended(time: float, model: Model, habitat: Habitat, arrays: dict[str, Any], *, sunken: str = "") -> Status:
    """The status of a life that was lived to its end.

    Args:
        time: of the end [s].
        model: of the body.
        habitat: where it lived.
        arrays: channels of the life.
        sunken: what its record tells of shapes that sweeps left in each other.
    """
    com = arrays["channels"]["com"]
    reason = fallen_through(model, habitat.ground, com[0], com[-1])
    opened = open_holds(model, State.neutral(model).at(arrays["q"][-1]), OPEN)
    if opened and not reason:
        name, gap = opened[0]
        reason = f"{name} is open by {gap}: other constraints, driven joints or limits contradict it, or loads are strong"
    return Status("ended", time, "", reason or sunken)


def beyond_numbers(arrays: dict[str, Any]) -> Status | None:
    """The status of a life whose motion is sound, but of which some channel is not finite; None when all are.

    Args:
        arrays: times and channels of the life.
    """
    found = [
        (int(np.argwhere(~np.isfinite(values))[0, 0]), name)
        for name, values in arrays["channels"].items()
        if not np.isfinite(values).all()
    ]
    if not found:
        return None
    frame, name = min(found, key=lambda item: item[0])
    reason = f"its channel '{name}' is beyond the largest number there is; use smaller masses or speeds"
    return Status("diverged", float(arrays["times"][max(frame - 1, 0)]), "", reason)
