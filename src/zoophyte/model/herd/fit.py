"""Fit: a creature's own numbers, and its seat: where they lie in a lane of a pen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.filling.contact import (
    fill_axes,
    fill_holds,
    fill_pairs,
    fill_shapes,
    fill_step,
)
from zoophyte.model.filling.links import Places, fill_model
from zoophyte.model.herd.packing import Body, Creature
from zoophyte.model.meetings import ground_overrides, pair_overrides
from zoophyte.model.model import Floats

if TYPE_CHECKING:
    from zoophyte.model.herd.pen import Pen


class Seat:
    """Where creatures of one build lie in a lane of a pen: those with the same sequence of links, shapes and pairs.

    Args:
        body: of such a creature.
        pen: where it is to live.
    """

    def __init__(self, body: Body, pen: Pen) -> None:
        tables, places = pen.contact, pen.embedding(body)
        assert places is not None
        links, shapes = places
        kinds = [at.GROUND, *(kind for kind, _ in body.links)]
        self.links, self.shapes = np.array(links, np.int64), np.array(shapes, np.int64)
        self.pairs = np.array([pen.pair_number[shapes[i], shapes[j]] for i, j in body.pairs], np.int64)
        self.places = Places.of([pen.layout.data_offsets[n] for n in links], kinds)
        dofs = [
            pen.first_dof[n] + k
            for n, kind in zip(links, kinds, strict=True)
            for k in range(at.V_COUNT[kind])
        ]
        self.dofs = np.array(dofs, np.int64)
        self.held = [v for v, dof in enumerate(dofs) if dof in pen.axis_number]
        axes = [pen.axis_number[dofs[v]] for v in self.held]
        memory = tables.memory + 1 + (tables.capacity + 1) * cl.MEMORY_RECORD
        starts = [memory + axis * cl.AXIS_MEMORY for axis in axes]
        self.axis_memory = np.array([start + n for start in starts for n in range(cl.AXIS_MEMORY)], np.int64)
        self.axis_data = np.array([tables.axis_data[n] for n in axes], np.int64)
        self.shape_data = np.array([tables.shape_data[n] for n in shapes], np.int64)
        self.pair_data = [tables.pair_data[n] for n in self.pairs]
        # Contacts are known by the numbers of shapes and pairs, which differ from block to block.
        self.own_bound, self.bound = (n * cl.KEYS_PER_SHAPE for n in (len(self.shapes), len(pen.shape_kinds)))
        self.from_shape = np.zeros(len(pen.shape_kinds), np.int64)
        self.from_pair = np.zeros(len(pen.pairs), np.int64)
        self.from_shape[self.shapes] = np.arange(len(self.shapes))
        self.from_pair[self.pairs] = np.arange(len(self.pairs))


class Fit:
    """A creature as it lies in a lane, before it has a state; all creatures of one model share it.

    Args:
        creature: who fits.
        pen: where it is to live.
    """

    def __init__(self, creature: Creature, pen: Pen) -> None:
        model, body, tables = creature.model, creature.body, pen.contact
        self.model, self.room = model, pen.settings.slots or pen.capacity
        self.seat = seat = pen.seat(body)
        self.links, self.shapes, self.dofs, self.places = seat.links, seat.shapes, seat.dofs, seat.places
        self.broken = np.array(tables.hold_data, np.int64) + cl.HOLD_BROKEN
        self.column = column = pen.ready.copy()
        fill_model(column, self.places, model, solved=True)
        head = column[tables.head : tables.head + cl.HEAD_SIZE]
        fill_step(head, pen.settings.tolerance, model.touching.moving_reach, pen.gravity, pen.dt)
        fill_shapes(column, seat.shape_data, model, pen.settings.surface, ground_overrides(model))
        fill_pairs(column, seat.pair_data, body.pairs, pair_overrides(model))
        fill_holds(column, tables.hold_data, model)
        fill_axes(column, seat.axis_data, seat.held, model)
        if pen.medium is not None and pen.in_medium is not None:
            pen.medium.fill(column, model, pen.in_medium, self.links.tolist())

    def smallest_reach(self) -> float:
        """Radius of the ball around the smallest touching shape [m]."""
        return min(self.model.touching.reaches, default=1.0)

    def set_memory(self, column: Any, memory: int, remembered: Any) -> None:
        """Load what the solver remembers of the creature.

        Args:
            column: its lane.
            memory: where contacts are remembered there.
            remembered: as :meth:`memory` gave it, or its own world.

        Raises:
            UsageError: when it belongs to another model.
        """
        seat = self.seat
        holds, axes = len(self.broken), len(seat.axis_memory)
        if not len(remembered):
            column[self.broken], column[seat.axis_memory], column[memory] = 0.0, 0.0, 0.0
            return
        size = len(remembered) - holds - axes
        if size < 0 or size % cl.MEMORY_RECORD or size // cl.MEMORY_RECORD > self.room:
            raise UsageError(
                f"{self.model.name}: state.contact has {len(remembered)} numbers, which does not fit this model and its "
                f"{self.room} slots; leave it empty to begin without remembered impulses."
            )
        column[self.broken], column[seat.axis_memory] = remembered[:holds], remembered[holds : holds + axes]
        slots = remembered[holds + axes :].reshape(-1, cl.MEMORY_RECORD).copy()
        slots[:, cl.MEMORY_KEY] = _moved(
            slots[:, cl.MEMORY_KEY], seat.own_bound, seat.bound, seat.shapes, seat.pairs
        )
        column[memory] = len(slots)
        column[memory + 1 : memory + 1 + size] = slots.ravel()

    def memory(self, column: Any, memory: int) -> Floats:
        """What the solver remembers of the creature, as its own world would have it."""
        seat, size = self.seat, int(column[memory]) * cl.MEMORY_RECORD
        slots = np.array(column[memory + 1 : memory + 1 + size], float).reshape(-1, cl.MEMORY_RECORD)
        slots[:, cl.MEMORY_KEY] = self.own_keys(slots[:, cl.MEMORY_KEY])
        return np.concatenate([column[self.broken], column[seat.axis_memory], slots.ravel()]).astype(float)

    def own_keys(self, keys: Any) -> Any:
        """Keys of contacts in the pen, as the creature's own world would have them."""
        seat = self.seat
        return _moved(keys, seat.bound, seat.own_bound, seat.from_shape, seat.from_pair)


def _moved(keys: Any, bound: int, new_bound: int, shapes: Any, pairs: Any) -> Any:
    result = np.array(keys, float)
    on_ground, paired = (keys >= 0.0) & (keys < bound), keys >= bound
    number, rest = np.divmod(result[on_ground], cl.KEYS_PER_SHAPE)
    result[on_ground] = shapes[number.astype(np.int64)] * cl.KEYS_PER_SHAPE + rest
    number, rest = np.divmod(result[paired] - bound, cl.KEYS_PER_PAIR)
    result[paired] = new_bound + pairs[number.astype(np.int64)] * cl.KEYS_PER_PAIR + rest
    return result
