"""Image: one creature as a block of its own, from which lanes are filled and to which they are read back.

The numbers of a creature are the same in every block; only their places differ.  So a lane is filled by copying from the
creature's own block, and everything that one world does with its block (states, saved contacts) works for a lane as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.block import Block
from zoophyte.model.contact import ContactSettings, ContactTables
from zoophyte.model.model import Model

if TYPE_CHECKING:
    from zoophyte.model.herd.pen import Pen


class Image:
    """A creature's own block.

    Args:
        model: of the creature.
        settings: ground and solver.
        gravity: [m/s²].
        dt: step [s].
    """

    def __init__(self, model: Model, settings: ContactSettings, gravity: Any, dt: float) -> None:
        self.model = model
        self.block = Block([model], gravity=gravity, contact=settings)
        self.block.set_step(dt)
        assert self.block.contact is not None
        self.tables: ContactTables = self.block.contact
        if self.tables.meetings.broad:
            raise UsageError(
                f"{model.name} has so many shapes that may meet that a herd cannot hold it; switch self_contact off, part "
                "shapes by group and mask, or let it live in a World."
            )
        if not self.tables._has_grain():  # a neighbour with a grain must not turn this creature's tangents
            for start in self.tables.shape_data:
                self.block.fields[start + cl.SHAPE_GRAIN : start + cl.SHAPE_GRAIN + 3] = 0.0

    def smallest_reach(self) -> float:
        """Radius of the ball around the smallest touching shape [m]."""
        return min((shape.reach for shape in self.tables.meetings.shapes[0]), default=1.0)


class Fit:
    """Where the numbers of an image lie in a pen.

    Args:
        image: the creature.
        pen: where it is to live.
        links: for each of its links, the ground first, its place among the pen's.
        shapes: for each of its shapes its place.
    """

    def __init__(self, image: Image, pen: Pen, links: Sequence[int], shapes: Sequence[int]) -> None:
        self.links, self.shapes = np.array(links, np.int64), np.array(shapes, np.int64)
        own, tables = image.tables, pen.tables
        spans: list[tuple[int, int, int]] = [(0, 0, at.HEADER_SIZE)]  # own start, pen's start, length
        own_layout, layout = image.block.layout, pen.layout
        for i, place in enumerate(links):
            kind = own_layout.kinds[i]
            spans.append((own_layout.data_offsets[i], layout.data_offsets[place], at.data_record_size(kind)))
        spans.append((own.head, tables.head, cl.HEAD_SIZE))
        for n, place in enumerate(shapes):
            corners = len(own.meetings.shapes[0][n].corners)
            spans.append((own.shape_data[n], tables.shape_data[place], cl.SHAPE_RECORD + 3 * corners))
        self.pairs = [pen.pair_number[shapes[i], shapes[j]] for i, j in own.meetings.pairs]
        for start, pair in zip(own.pair_data, self.pairs, strict=True):
            spans.append((start, tables.pair_data[pair], cl.PAIR_RECORD))
        for start, place in zip(own.hold_data, tables.hold_data, strict=True):
            spans.append((start, place, cl.HOLD_RECORD))
        v_places = [
            pen.first_dof[place] - own_first
            for place, own_first in zip(links, image.model.v_start, strict=True)
        ]
        owner = image.model.dofs.link
        axes = [tables.axes.index(v + v_places[owner[v]]) for v in own.axes]
        for start, axis in zip(own.axis_data, axes, strict=True):
            spans.append((start, tables.axis_data[axis], cl.AXIS_RECORD))
        own_memory = own.memory + 1 + (own.capacity + 1) * cl.MEMORY_RECORD
        memory = tables.memory + 1 + (tables.capacity + 1) * cl.MEMORY_RECORD
        for n, axis in enumerate(axes):
            spans.append((own_memory + n * cl.AXIS_MEMORY, memory + axis * cl.AXIS_MEMORY, cl.AXIS_MEMORY))
        self.source = np.concatenate([np.arange(a, a + n) for a, _, n in spans])
        self.target = np.concatenate([np.arange(b, b + n) for _, b, n in spans])
        self.dofs = np.array([v + v_places[owner[v]] for v in range(image.model.nv)], np.int64)
        self._keys(image, pen)

    def _keys(self, image: Image, pen: Pen) -> None:
        """Contacts are known by the numbers of shapes and pairs, which differ from block to block."""
        own, tables = image.tables, pen.tables
        self.own_bound = len(own.meetings.shapes[0]) * cl.KEYS_PER_SHAPE
        self.bound = len(tables.meetings.shapes[0]) * cl.KEYS_PER_SHAPE
        self.to_shape, self.to_pair = self.shapes, np.array(self.pairs, np.int64)
        self.from_shape = np.zeros(len(tables.meetings.shapes[0]), np.int64)
        self.from_shape[self.shapes] = np.arange(len(self.shapes))
        self.from_pair = np.zeros(len(tables.meetings.pairs), np.int64)
        self.from_pair[self.to_pair] = np.arange(len(self.pairs))

    def keys_in_pen(self, keys: Any) -> Any:
        """Keys of the creature's own block as those of the pen."""
        return _moved(keys, self.own_bound, self.bound, self.to_shape, self.to_pair)

    def own_keys(self, keys: Any) -> Any:
        """Keys of the pen as those of the creature's own block."""
        return _moved(keys, self.bound, self.own_bound, self.from_shape, self.from_pair)


def _moved(keys: Any, bound: int, new_bound: int, shapes: Any, pairs: Any) -> Any:
    result = np.array(keys, float)
    on_ground, paired = (keys >= 0.0) & (keys < bound), keys >= bound
    number, rest = np.divmod(result[on_ground], cl.KEYS_PER_SHAPE)
    result[on_ground] = shapes[number.astype(np.int64)] * cl.KEYS_PER_SHAPE + rest
    number, rest = np.divmod(result[paired] - bound, cl.KEYS_PER_PAIR)
    result[paired] = new_bound + pairs[number.astype(np.int64)] * cl.KEYS_PER_PAIR + rest
    return result
