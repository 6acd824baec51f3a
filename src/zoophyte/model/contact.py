"""Filling for contact: constants of shapes, pairs, constraints and axes of a block of creatures, and what it remembers."""

from __future__ import annotations

from typing import Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model import contact_layout as at
from zoophyte.model.contact_plan import ContactPlan, ContactSettings
from zoophyte.model.filling.contact import (
    fill_axes,
    fill_ground,
    fill_holds,
    fill_pairs,
    fill_shapes,
    fill_step,
)
from zoophyte.model.model import Model

__all__ = ["ContactSettings", "ContactTables", "needs_contact"]


def needs_contact(model: Model) -> bool:
    """Whether anything of the model must be solved for: touching shapes, constraints, hard limits, dry friction."""
    dofs = model.dofs
    return bool(
        len(model.touching) or model.constraints or dofs.friction.any()
        or (dofs.hard_limit & ~dofs.driven).any() or np.isfinite(dofs.servo_max_force).any()
    )  # fmt: skip


class ContactTables(ContactPlan):
    """The contact sections of a block, filled."""

    place = 1.0
    """A number that stands for body and habitat in what sleepers remember: elsewhere they wake; positive."""

    def fill(self, fields: Any, gravity: Any, dt: float) -> None:
        """Write the constants of all lanes into the rows of `data`."""
        fill_ground(fields[self.head : self.head + at.HEAD_SIZE], self.settings)
        self.set_step(fields, gravity, dt)
        meetings = self.meetings
        for lane, model in enumerate(self.models):
            column = fields[:, lane]
            fill_shapes(
                column, self.shape_data, model, self.settings.surface, meetings.ground_overrides[lane]
            )
            own = [(start, pair) for start, pair in zip(self.pair_data, meetings.pairs, strict=True)
                   if pair in meetings.allowed[lane]]  # fmt: skip
            fill_pairs(
                column, [start for start, _ in own], [pair for _, pair in own], meetings.overrides[lane]
            )
            fill_holds(column, self.hold_data, model)
            if self.island_count > 1:
                self._fill_sleep(column)
            fill_axes(column, self.axis_data, self.axes, model)

    def memory_of(self, column: Any) -> Any:
        """What the solver remembers of one creature: broken springs, axes, then key and impulse of each contact."""
        broken = [float(column[start + at.HOLD_BROKEN]) for start in self.hold_data]
        if self._sleeps():
            broken += self._told_sleep(column[self._sleep_places()]).tolist()
        count = int(column[self.memory])
        axes = self.memory + 1 + (self.capacity + 1) * at.MEMORY_RECORD
        slots = column[self.memory + 1 : self.memory + 1 + count * at.MEMORY_RECORD]
        return np.concatenate([broken, column[axes : axes + len(self.axes) * at.AXIS_MEMORY], slots]).astype(
            float
        )

    def _sleep_places(self) -> list[int]:
        """Where it is written who sleeps, since when, and with whom."""
        if not self._sleeps():
            return []
        starts = [self.sleep + tree * at.SLEEP_RECORD for tree in range(self.island_count)]
        return [start + n for start in starts for n in (at.SLEEP_ASLEEP, at.SLEEP_TIMER, at.SLEEP_ISLAND)]

    def _told_sleep(self, sleep: Any) -> Any:
        """Sleep as states keep it: who sleeps has the number of the place in which it fell asleep."""
        sleep = np.array(sleep, float)
        sleep[::3] = np.where(sleep[::3] > 0.0, self.place, 0.0)
        return sleep

    def _sleep_here(self, told: Any) -> Any:
        """The reverse; who fell asleep in another place, with another ground or gravity, say, is awake."""
        asleep = told[::3] > 0.0
        if np.any(told[::3][asleep] != self.place):
            return np.zeros_like(told)
        told[::3] = asleep
        return told

    def set_memory(self, column: Any, remembered: Any) -> None:
        """Load what :meth:`memory_of` gave; an empty array is a fresh start.

        Raises:
            UsageError: when it belongs to another model.
        """
        sleep = self._sleep_places()
        holds, axes = len(self.hold_data) + len(sleep), len(self.axes) * at.AXIS_MEMORY
        if not len(remembered):
            remembered = np.zeros(holds + axes)
        slots = len(remembered) - holds - axes
        if slots < 0 or slots % at.MEMORY_RECORD or slots // at.MEMORY_RECORD > self.capacity:
            raise UsageError(
                f"{self.models[0].name}: state.contact has {len(remembered)} numbers, which does not fit this model and its "
                f"{self.capacity} slots; leave it empty to begin without remembered forces."
            )
        for start, value in zip(self.hold_data, remembered, strict=False):
            column[start + at.HOLD_BROKEN] = value
        if sleep:
            column[sleep] = self._sleep_here(np.array(remembered[len(self.hold_data) : holds], float))
        first = self.memory + 1 + (self.capacity + 1) * at.MEMORY_RECORD
        column[first : first + axes] = remembered[holds : holds + axes]
        column[self.memory] = slots // at.MEMORY_RECORD
        column[self.memory + 1 : self.memory + 1 + slots] = remembered[holds + axes :]

    def set_step(self, fields: Any, gravity: Any, dt: float) -> None:
        """Margins and tolerances that go with gravity and step size."""
        for lane, shapes in enumerate(self.meetings.shapes):
            head = fields[self.head : self.head + at.HEAD_SIZE, lane]
            # Of what moves: a large piece of scenery must not loosen everybody; nor may a neighbour in another lane.
            reach = max((shape.reach for shape in shapes if shape.link), default=1.0)
            fill_step(head, self.settings.tolerance, reach, gravity, dt)

    def _fill_sleep(self, column: Any) -> None:
        """Reach of every tree, and whether it has actuators, which keep it awake."""
        model = self.models[0]
        d = model.dofs
        active = d.driven | (d.servo_stiffness > 0.0) | (d.motor_strength > 0.0)
        trees = np.array(self.islands)
        reaches, starts = (
            np.zeros(self.island_count),
            self.sleep + np.arange(self.island_count) * at.SLEEP_RECORD,
        )
        for shape in self.meetings.shapes[0]:
            if shape.link:
                reaches[trees[shape.link]] = max(reaches[trees[shape.link]], shape.reach)
        column[starts + at.SLEEP_REACH] = np.where(reaches > 0.0, reaches, 1.0)
        column[starts + at.SLEEP_RESTLESS] = np.isin(np.arange(len(reaches)), trees[d.link[active]])
