"""Where the tables of contact lie in a block: shapes, pairs, constraints, axes, slots and memory, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from zoophyte.description import Surface
from zoophyte.model import contact_layout as at
from zoophyte.model.layout import BALL, CONFIGURATION, HINGE, SLIDE
from zoophyte.model.meetings import Meetings
from zoophyte.model.model import Model
from zoophyte.model.terrain import Plane, Terrain

ISLAND_TREES = 16
"""From this many trees on, one world is solved island by island, and what rests may sleep."""
LANE_SLOTS, LANE_SLOTS_ON_TERRAIN = 32, 48
"""Contacts of a creature in a block of lanes, unless more or fewer are asked for."""


@dataclass(frozen=True)
class ContactSettings:
    """The ground, and how hard the solver tries.

    Args:
        ground: what is below.
        surface: of the ground.
        sweeps: at most this many Gauss–Seidel sweeps in a step.
        tolerance: sweeps end when no velocity changes by more than this part of what gravity makes in a step.
        slots: contacts at one time; chosen from the shapes if left out.
        sleep: whether, in scenes of many bodies, what rests is left alone until something touches it.
    """

    ground: Plane | Terrain | None = field(default_factory=Plane)
    surface: Surface = field(default_factory=Surface)
    sweeps: int = 30
    tolerance: float = 1e-5
    slots: int | None = None
    sleep: bool = True


def _differing(things: Sequence[Any]) -> list[Any]:
    """All but those that are the very one before: the lanes of a pen share models and shapes."""
    return [thing for n, thing in enumerate(things) if not n or thing is not things[n - 1]]


class ContactPlan:
    """The contact sections of a block.

    Args:
        models: one per lane.
        settings: ground and solver.
        starts: where the sections start in `ints`, `data` and `scratch` (in numbers of one creature for the last two).
        scratch_offsets: of the links' records.
        meetings: shapes, pairs and constraints, if not those that the models have in common.
    """

    def __init__(
        self, models: Sequence[Model], settings: ContactSettings, starts: tuple[int, int, int], scratch_offsets: Any,
        meetings: Meetings | None = None,
    ) -> None:  # fmt: skip
        self.models, self.settings, self.width = models, settings, len(models)
        self.offsets = [int(o) * self.width for o in scratch_offsets]
        self.first, self.data_start, self.scratch_start = starts
        self.meetings = meetings or Meetings.of(models)
        self.axes = self._axis_dofs()
        self.nv = models[0].nv
        self.trees = self._trees()
        self.islands = self._number_islands()
        self.row_stride = self._row_stride()
        self.capacity = settings.slots or self._capacity()
        self.ints: list[int] = []
        self._lay_out()

    def _axis_dofs(self) -> list[int]:
        wanted: set[int] = set()
        for model in _differing(self.models):
            d = model.dofs
            kind = model.links.kind[d.link]
            single = ((kind == HINGE) | (kind == SLIDE)) & ~d.driven
            held = d.hard_limit | (d.friction > 0.0) | np.isfinite(d.servo_max_force)
            wanted |= set(np.flatnonzero(single & held).tolist())
        return sorted(wanted)

    def _trees(self) -> list[tuple[int, int, int, int]]:
        """For each link: first link of its tree, end, first dof, number of dofs. Lanes side by side are one tree."""
        model = self.models[0]
        count = len(model.links.kind)
        if self.width > 1:
            return [(1, count, 0, model.nv)] * count
        root = np.zeros(count, int)
        for link in range(1, count):
            parent = int(model.links.parent[link])
            root[link] = root[parent] if parent else link
        starts = [*model.v_start, model.nv]
        rows = [(1, 1, 0, 0)]
        last: dict[int, int] = {}
        for link in range(1, count):
            last[int(root[link])] = link
        contiguous = all(np.all(root[first : end + 1] == first) for first, end in last.items())
        for link in range(1, count):
            first = int(root[link])
            end = last[first] + 1
            rows.append((first, end, starts[first], starts[end] - starts[first]) if contiguous
                        else (1, count, 0, model.nv))  # fmt: skip
        return rows

    def _number_islands(self) -> list[int]:
        """For each link the number of its tree, −1 for the ground; all 0 in blocks and in worlds of few trees."""
        roots = sorted({row[0] for row in self.trees[1:]})
        if self.width > 1 or len(roots) < ISLAND_TREES:
            return [0] * len(self.trees)
        return [-1, *(roots.index(row[0]) for row in self.trees[1:])]

    @property
    def island_count(self) -> int:
        """Trees that are told apart; one where all count as one."""
        return max(self.islands) + 1

    def _row_stride(self) -> int:
        sizes = sorted({(row[2], row[3]) for row in self.trees[1:]}, key=lambda tree: tree[1])
        return max(1, sum(size for _, size in sizes[-2:]))

    def _capacity(self) -> int:
        shapes = self.meetings.shapes[0]
        on_terrain = isinstance(self.settings.ground, Terrain)
        points = sum(at.ground_points(s.kind, len(s.corners), on_terrain) for s in shapes if s.link)
        points = points if self.settings.ground is not None else 0
        pairs = len(self.meetings.pairs) * 8
        turns = 2 if self._turns() else 1
        holds = 2 * self.meetings.hold_count
        if self.meetings.broad:
            return holds + turns * (12 * len(shapes) + 64)
        most = 256 if self.width == 1 else LANE_SLOTS_ON_TERRAIN if on_terrain else LANE_SLOTS
        return max(1, holds + turns * min(points + pairs, most))

    def _turns(self) -> bool:
        surfaces = [*self._surfaces(), self.settings.surface]
        return any(s.rolling > 0.0 or s.torsion > 0.0 for s in surfaces)

    def _surfaces(self) -> list[Surface]:
        """Of all shapes; those that come one after the other once."""
        return _differing([shape.surface for lane in _differing(self.meetings.shapes) for shape in lane])

    def _lay_out(self) -> None:
        W, shapes, lanes = self.width, self.meetings.shapes[0], _differing(self.meetings.shapes)
        data = self.data_start
        self.head = data
        data += at.HEAD_SIZE
        shape_rows, self.shape_data = [], []
        for n, shape in enumerate(shapes):
            corners = max((len(lane[n].corners) for lane in lanes), default=0)
            self.shape_data.append(data)
            shape_rows.append([shape.kind, data * W, corners, shape.link])
            data += at.SHAPE_RECORD + 3 * corners
        pair_rows, self.pair_data = [], []
        for i, j in self.meetings.pairs:
            self.pair_data.append(data)
            pair_rows.append([i, j, data * W])
            data += at.PAIR_RECORD
        self.hold_data = []
        hold_rows = []
        first_link_row = 0
        for kind, links in zip(self.meetings.hold_kinds, self.meetings.hold_links[0], strict=True):
            self.hold_data.append(data)
            hold_rows.append([kind, data * W, first_link_row, *links])
            first_link_row += 2
            data += at.HOLD_RECORD
        self.axis_data = [data + n * at.AXIS_RECORD for n in range(len(self.axes))]
        data += len(self.axes) * at.AXIS_RECORD
        self.sleep = data
        data += self.island_count * at.SLEEP_RECORD
        self.memory = data
        data += 1 + (self.capacity + 1) * at.MEMORY_RECORD + len(self.axes) * at.AXIS_MEMORY
        self.data_size = data - self.data_start
        self._lay_out_ints(shape_rows, pair_rows, hold_rows)

    def _lay_out_ints(self, shape_rows: Any, pair_rows: Any, hold_rows: Any) -> None:
        W, model = self.width, self.models[0]
        slot_size = at.SLOT_ROWS + 3 * self.row_stride
        axis_size = at.AXIS_ROWS_START + self.row_stride
        scratch = self.scratch_start
        slots, scratch = (
            scratch,
            scratch + (self.capacity + 1) * slot_size,
        )  # the last one takes what does not count
        axes, scratch = scratch, scratch + len(self.axes) * axis_size
        bins = at.BINS_SIZE if isinstance(self.settings.ground, Terrain) else 0
        work, scratch = scratch, scratch + 3 * self.nv + at.WORK_SIZE + bins
        broad, scratch = scratch, scratch + (4 * len(shape_rows) if self.meetings.broad else 0)
        islands, scratch = scratch, scratch + self.island_count * at.ISLAND_RECORD
        merge, scratch = (
            scratch,
            scratch + (1 + (self.capacity + 1) * at.MEMORY_RECORD if self._sleeps() else 0),
        )
        self.slots, self.slot_size, self.axis_start, self.axis_size = slots, slot_size, axes, axis_size
        self.scratch_size = scratch - self.scratch_start
        layout = model.layout
        links = model.dofs.link
        dofs_of_link = [
            [
                layout.dof_offsets[v] * W,
                (layout.data_offsets[links[v]] + CONFIGURATION) * W,
                int(links[v]),
                v,
                own * W,
            ]
            for v, own in zip(self.axes, self.axis_data, strict=True)
        ]
        sections: dict[int, Any] = {
            at.SHAPE_ROWS: shape_rows,
            at.SHAPE_LINKS: [[self.offsets[lane[n].link] for lane in self.meetings.shapes]
                             for n in range(len(shape_rows))],
            at.PAIR_ROWS: pair_rows, at.HOLD_ROWS: hold_rows, at.AXIS_ROWS: dofs_of_link,
            at.TREE_ROWS: [[*row, island] for row, island in zip(self.trees, self.islands, strict=True)],
            at.ISLAND_LABELS: [[0] * self.island_count],
            at.ORDER_START: [self._order_rows()],
        }  # fmt: skip
        hold_links = [
            [self.offsets[lane[n][end]] for lane in self.meetings.hold_links]
            for n in range(len(hold_rows)) for end in (0, 1)
        ]  # fmt: skip
        place = self.first + at.CONTACT_HEADER
        header = [0] * at.CONTACT_HEADER
        body: list[int] = []
        link_rows = place + sum(map(len, chain.from_iterable(sections.values())))
        for row in hold_rows:
            row[at.HOLD_LINKS] = link_rows + row[at.HOLD_LINKS] * W
        for entry, rows in sections.items():
            header[entry] = place + len(body)
            body += chain.from_iterable(rows)
        body += chain.from_iterable(hold_links)
        ground = self.settings.ground
        kind = at.NO_GROUND if ground is None else (
            at.PLANE_GROUND if isinstance(ground, Plane) else at.TERRAIN_GROUND)  # fmt: skip
        header[at.SHAPE_COUNT], header[at.PAIR_COUNT] = len(shape_rows), len(pair_rows)
        header[at.HOLD_COUNT], header[at.AXIS_COUNT] = len(hold_rows), len(self.axes)
        header[at.SLOT_START], header[at.SLOT_STRIDE] = slots * W, slot_size * W
        header[at.SLOT_CAPACITY], header[at.ROW_STRIDE] = self.capacity, self.row_stride
        header[at.AXIS_START], header[at.WORK_START], header[at.BROAD_START] = axes * W, work * W, broad * W
        header[at.HEAD_START], header[at.MEMORY_START] = self.head * W, self.memory * W
        header[at.MAX_SWEEPS], header[at.GROUND_KIND], header[at.FEATURES] = (
            self.settings.sweeps,
            kind,
            self._features(bool(hold_rows)),
        )
        header[at.ISLAND_COUNT], header[at.ISLAND_START] = self.island_count, islands * W
        header[at.SLEEP_START], header[at.MERGE_START] = self.sleep * W, merge * W
        self.ints = header + body

    def _features(self, holds: bool) -> int:
        """What is present at all, so that kernels can leave out the rest."""
        return (
            (at.FEATURE_BROAD if self.meetings.broad else 0)
            | (at.FEATURE_TURN if self._turns() else 0)
            | (at.FEATURE_HOLDS if holds else 0)
            | (at.FEATURE_RESTITUTION if self._bounces() else 0)
            | (at.FEATURE_GRAIN if self._has_grain() else 0)
            | (at.FEATURE_SLEEP if self._sleeps() else 0)
            | (at.FEATURE_ALIKE if self._is_alike() else 0)
            | (at.FEATURE_BALLS if any(BALL in model.links.kind for model in _differing(self.models)) else 0)
            | (at.FEATURE_LAWS if holds or self._turns() or self._sticks() else 0)
        )

    def _bounces(self) -> bool:
        shapes = [surface.restitution for surface in self._surfaces()]
        pairs = [p.restitution or 0.0 for m in _differing(self.models) for p in m.pairs]
        return max([0.0, self.settings.surface.restitution, *shapes, *pairs]) > 0.0

    def _is_alike(self) -> bool:
        parents = [model.links.parent for model in _differing(self.models)]
        links = [[s.link for s in lane] for lane in _differing(self.meetings.shapes)]
        holds = _differing(self.meetings.hold_links)
        return (
            all(np.array_equal(parents[0], other) for other in parents)
            and all(other == links[0] for other in links)
            and all(np.array_equal(holds[0], other) for other in holds)
        )

    def _sticks(self) -> bool:
        shapes = [surface.adhesion for surface in self._surfaces()]
        return max([0.0, self.settings.surface.adhesion, *shapes]) > 0.0

    def _sleeps(self) -> bool:
        return self.settings.sleep and self.island_count > 1 and self.meetings.broad

    @property
    def sleepers(self) -> int:
        """Trees that may sleep."""
        return self.island_count if self._sleeps() else 0

    def _has_grain(self) -> bool:
        return any(surface.friction_across is not None for surface in self._surfaces())

    def _order_rows(self) -> list[int]:
        """What the broad phase needs: for each shape who it is; then room for orders and pairs."""
        if not self.meetings.broad:
            return []
        count = len(self.meetings.shapes[0])
        rows = [x for row in self.meetings.filters for x in row]
        return rows + list(range(count)) + [0] * (count + 1 + 3 * at.most_pairs(count))
