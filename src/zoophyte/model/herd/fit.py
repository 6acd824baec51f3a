"""Fit: a creature's own numbers, and where they lie in a lane of a pen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.filling.contact import (
    fill_axes,
    fill_ground,
    fill_holds,
    fill_pairs,
    fill_shapes,
    fill_step,
)
from zoophyte.model.filling.links import Places, fill_model, read_state, write_state
from zoophyte.model.herd.packing import Creature
from zoophyte.model.meetings import BROAD_PAIRS, Meetings, ground_overrides, pair_overrides
from zoophyte.model.state import State

if TYPE_CHECKING:
    from zoophyte.model.herd.pen import Pen


class Fit:
    """A creature as it lies in a lane, before it has a state; all creatures of one model share it.

    Args:
        creature: who fits.
        pen: where it is to live.
    """

    def __init__(self, creature: Creature, pen: Pen) -> None:
        model, body, tables = creature.model, creature.body, pen.tables
        if len(body.pairs) > BROAD_PAIRS and Meetings.of([model]).broad:
            raise UsageError(
                f"{model.name} has so many shapes that may meet that a herd cannot hold it; switch self_contact off, part "
                "shapes by group and mask, or let it live in a World."
            )
        places = pen.embedding(body)
        assert places is not None
        links, shapes = places
        kinds = model.links.kind.tolist()
        self.model, self.room = model, pen.settings.slots or pen.capacity
        self.links, self.shapes = np.array(links, np.int64), np.array(shapes, np.int64)
        self.pairs = np.array([pen.pair_number[shapes[i], shapes[j]] for i, j in body.pairs], np.int64)
        self.places = Places.of([pen.layout.data_offsets[n] for n in links], kinds)
        dofs = [
            pen.first_dof[n] + k
            for n, kind in zip(links, kinds, strict=True)
            for k in range(at.V_COUNT[kind])
        ]
        self.dofs = np.array(dofs, np.int64)
        held = [v for v, dof in enumerate(dofs) if dof in pen.axis_number]
        axes = [pen.axis_number[dofs[v]] for v in held]
        memory = tables.memory + 1 + (tables.capacity + 1) * cl.MEMORY_RECORD
        starts = [memory + axis * cl.AXIS_MEMORY for axis in axes]
        self.axis_memory = np.array([start + n for start in starts for n in range(cl.AXIS_MEMORY)], np.int64)
        self.broken = np.array(tables.hold_data, np.int64) + cl.HOLD_BROKEN
        self._number_keys(len(pen.shape_kinds), len(pen.pairs))
        self.column = column = pen.blank.copy()
        fill_model(column, self.places, model, solved=True)
        head = column[tables.head : tables.head + cl.HEAD_SIZE]
        fill_ground(head, pen.settings)
        fill_step(head, pen.settings.tolerance, model.shapes, pen.gravity, pen.dt)
        surface = pen.settings.surface
        fill_shapes(column, [tables.shape_data[n] for n in shapes], model, surface, ground_overrides(model))
        fill_pairs(column, [tables.pair_data[n] for n in self.pairs], body.pairs, pair_overrides(model))
        fill_holds(column, tables.hold_data, model)
        fill_axes(column, [tables.axis_data[n] for n in axes], held, model)
        if pen.medium is not None and pen.in_medium is not None:
            pen.medium.fill(column, model, pen.in_medium, links)

    def _number_keys(self, shape_count: int, pair_count: int) -> None:
        """Contacts are known by the numbers of shapes and pairs, which differ from block to block."""
        self.own_bound, self.bound = (n * cl.KEYS_PER_SHAPE for n in (len(self.shapes), shape_count))
        self.from_shape, self.from_pair = np.zeros(shape_count, np.int64), np.zeros(pair_count, np.int64)
        self.from_shape[self.shapes] = np.arange(len(self.shapes))
        self.from_pair[self.pairs] = np.arange(len(self.pairs))

    def smallest_reach(self) -> float:
        """Radius of the ball around the smallest touching shape [m]."""
        return min((shape.reach for shape in self.model.shapes), default=1.0)

    def write(self, column: Any, memory: int, state: State) -> None:
        """Let the creature be in a state, contacts included.

        Args:
            column: its lane.
            memory: where contacts are remembered there.
            state: as its own world would have it.

        Raises:
            UsageError: when what is remembered of contacts belongs to another model.
        """
        write_state(column, self.places, state)
        remembered, holds, axes = state.contact, len(self.broken), len(self.axis_memory)
        if not len(remembered):
            remembered = np.zeros(holds + axes)
        size = len(remembered) - holds - axes
        if size < 0 or size % cl.MEMORY_RECORD or size // cl.MEMORY_RECORD > self.room:
            raise UsageError(
                f"{self.model.name}: state.contact has {len(remembered)} numbers, which does not fit this model and its "
                f"{self.room} slots; leave it empty to begin without remembered impulses."
            )
        column[self.broken], column[self.axis_memory] = remembered[:holds], remembered[holds : holds + axes]
        slots = remembered[holds + axes :].reshape(-1, cl.MEMORY_RECORD).copy()
        slots[:, cl.MEMORY_KEY] = _moved(
            slots[:, cl.MEMORY_KEY], self.own_bound, self.bound, self.shapes, self.pairs
        )
        column[memory] = len(slots)
        column[memory + 1 : memory + 1 + size] = slots.ravel()

    def read(self, column: Any, memory: int) -> State:
        """The state that the creature is in, as its own world would have it."""
        size = int(column[memory]) * cl.MEMORY_RECORD
        slots = np.array(column[memory + 1 : memory + 1 + size], float).reshape(-1, cl.MEMORY_RECORD)
        slots[:, cl.MEMORY_KEY] = _moved(
            slots[:, cl.MEMORY_KEY], self.bound, self.own_bound, self.from_shape, self.from_pair
        )
        contact = np.concatenate([column[self.broken], column[self.axis_memory], slots.ravel()]).astype(float)
        return read_state(column, self.places, contact=contact)


def _moved(keys: Any, bound: int, new_bound: int, shapes: Any, pairs: Any) -> Any:
    result = np.array(keys, float)
    on_ground, paired = (keys >= 0.0) & (keys < bound), keys >= bound
    number, rest = np.divmod(result[on_ground], cl.KEYS_PER_SHAPE)
    result[on_ground] = shapes[number.astype(np.int64)] * cl.KEYS_PER_SHAPE + rest
    number, rest = np.divmod(result[paired] - bound, cl.KEYS_PER_PAIR)
    result[paired] = new_bound + pairs[number.astype(np.int64)] * cl.KEYS_PER_PAIR + rest
    return result
