"""Brain: a graph of neurons that thinks for one world, by the same kernel as in a herd."""

from __future__ import annotations

from typing import Any

import numpy as np

from zoophyte.control.controller import Senses
from zoophyte.model import ContactSettings, Model, State
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.herd.packing import Body, Creature
from zoophyte.model.herd.pen import Pen
from zoophyte.model.herd.plans import LifePlan
from zoophyte.model.model import Floats
from zoophyte.numbers.forms import compiled
from zoophyte.physics.lives.ticks import think_once


class Brain:
    """A pen of one lane in which nothing moves: states are put in, thoughts read off.

    Args:
        model: of the body.
        plan: of the graph.
        ground: for sensors of range.
    """

    def __init__(self, model: Model, plan: LifePlan, ground: Any) -> None:
        self.model, self.plan = model, plan
        settings = ContactSettings(ground, slots=len(model.shapes) + 1, sleep=False)
        gravity, dt = (0.0, 0.0, 0.0), plan.period
        self.creature = Creature(model, Body.of(model), plan)
        self.pen = Pen([self.creature], 1, settings, gravity, dt, 1)
        self.pen.load(0, self.creature, State.neutral(model))
        self.pen.refresh()

    def begin(self) -> Floats:
        """What it remembers at birth."""
        return self.pen.life.memory(0)

    def think(self, senses: Senses, memory: Floats) -> tuple[Floats, Floats]:
        """(commands of all degrees of freedom, new memory)."""
        pen, column = self.pen, self.pen.fields[:, 0]
        pen.set_state(0, State.neutral(self.model).at(senses.q, senses.v))
        column[at.START], column[at.COUNT], column[at.DT] = senses.time, 0.0, self.plan.period
        column[at.GRAVITY : at.GRAVITY + 3] = senses.gravity
        pen.life.set_memory(0, memory)
        self._feel_touch(column, senses)
        commands = pen.places_of(0).dofs + at.COMMAND
        column[commands] = 0.0
        compiled(think_once)(pen.ints, pen.data, pen.scratch, pen.terrain, pen.spec)
        return np.array(column[commands], float), pen.life.memory(0)

    def _feel_touch(self, column: Any, senses: Senses) -> None:
        """Contacts of the last step, one for each body that touched anything."""
        pen = self.pen
        first: dict[int, int] = {}
        for n, shape in enumerate(self.model.shapes):
            first.setdefault(shape.body, n)
        touched = [
            b for b in sorted(first, key=first.__getitem__) if len(senses.touch) and senses.touch[b].any()
        ]
        start = pen.contact.memory
        column[start] = len(touched)
        for n, body in enumerate(touched):
            record = start + 1 + n * cl.MEMORY_RECORD
            column[record + cl.MEMORY_KEY] = first[body] * cl.KEYS_PER_SHAPE
            column[record + cl.MEMORY_FORCE : record + cl.MEMORY_FORCE + 3] = senses.touch[body]
