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
AT_FIRST = 2**20
"""Numbers that slots of a world take at first, and rows of its axes; where a step needs more, it gets more."""
LEAST_SLOTS, LEAST_LATE = 32, 64
"""Slots, and rows of axes whose limits are met late, that even the largest bodies have."""
NEAR_SLOTS = 32
"""Contacts of each shape, at one time, that the memory of a scene of many shapes can hold, besides those of the ground."""


@dataclass(frozen=True)
class ContactSettings:
    """The ground, and how hard the solver tries.

    Args:
        ground: what is below.
        surface: of the ground.
        sweeps: at most this many Gauss–Seidel sweeps in a step.
        tolerance: sweeps end when no velocity changes by more than this part of what gravity makes in a step.
        slots: contacts at one time; if left out as many as occur, or in lanes chosen from the shapes.
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
        meetings: shapes, pairs and constraints, if not those that the models have in common; then there are no islands.
        whole: whether rows hold whole trees, because lanes will differ in their paths.
    """

    def __init__(
        self, models: Sequence[Model], settings: ContactSettings, starts: tuple[int, int, int], scratch_offsets: Any,
        meetings: Meetings | None = None, *, whole: bool = False,
    ) -> None:  # fmt: skip
        self.models, self.settings, self.width = models, settings, len(models)
        self.offsets = [int(o) * self.width for o in scratch_offsets]
        self.first, self.data_start, self.scratch_start = starts
        self.meetings = meetings or Meetings.of(models)
        self.axes = self._axis_dofs()
        self.nv = models[0].nv
        self.roots = self._roots()
        self.islands = self._number_islands() if meetings is None else [0] * len(self.roots)
        self.whole = whole or self.width > 1
        self._lay_out_paths()
        self._plan_room()
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

    def _roots(self) -> list[int]:
        """For each link the first link of its tree; the ground's is 0.  Lanes side by side are one tree."""
        parents = self.models[0].links.parent.tolist()
        roots = [0] * len(parents)
        for link in range(1, len(parents)):
            roots[link] = 1 if self.width > 1 else roots[parents[link]] if parents[link] else link
        return roots

    def _number_islands(self) -> list[int]:
        """For each link the number of its tree, −1 for the ground; all 0 in blocks and in worlds of few trees."""
        numbers = {root: n for n, root in enumerate(sorted(set(self.roots[1:])))}
        if self.width > 1 or len(numbers) < ISLAND_TREES:
            return [0] * len(self.roots)
        return [-1, *(numbers[root] for root in self.roots[1:])]

    def _lay_out_paths(self) -> None:
        """Path rows of all links, and how long rows and how many their runs are at most."""
        model = self.models[0]
        starts, parents = [*model.v_start, model.nv], model.links.parent.tolist()
        if self.whole:  # the last row ends every path
            self.paths = [[0, 0, model.nv, len(parents), v, 0] for v in model.v_start] + [
                [-1, 0, -1, 0, 0, 0]
            ]
            self.row_stride = self.longest = max(1, model.nv)
            self.run_area = at.RUN_SIZE * at.MOST_RUNS + 1
            return
        self.paths = [[-1, 0, -1, 0, 0, self.islands[0]]]
        lengths, stretches = [0], [0]
        sizes, depths = dict.fromkeys(self.roots, 0), dict.fromkeys(self.roots, 0)
        for link in range(1, len(parents)):
            parent, root, v, end = parents[link], self.roots[link], starts[link], starts[link + 1]
            top, before, joint, above = self.paths[parent][:4]
            if joint != v:
                top, before, above = v, lengths[parent], parent
            lengths.append(before + end - top)
            stretches.append(stretches[parent] + (top == v))
            self.paths.append([top, before, end, above, lengths[parent], self.islands[link]])
            sizes[root], depths[root] = sizes[root] + end - v, max(depths[root], lengths[link])
        deepest = sorted(depths.values())
        within = max(min(sizes[root], 2 * depths[root]) for root in sizes)
        self.row_stride, self.longest = max(1, within, sum(deepest[-2:])), max(1, deepest[-1])
        self.run_area = at.RUN_SIZE * max(at.MOST_RUNS, 2 * max(stretches) + 1) + 1

    def _plan_room(self) -> None:
        """Slots that the memory holds, `capacity`; and room at first for slots, near pairs and rows of axes."""
        self.capacity = self.room = self.settings.slots or self._capacity(at_first=True)
        self.pair_room = at.most_pairs(len(self.meetings.shapes[0]))
        self.axis_room = self.late_room = len(self.axes)
        if self.whole:
            return
        if self.settings.slots is None:
            self.capacity = self._capacity(at_first=False)
            self.room = min(self.room, max(LEAST_SLOTS, AT_FIRST // self.slot_size))
        most = AT_FIRST // self._axis_row_size()
        if self.axis_room > most:
            self.late_room = min(self.axis_room, max(LEAST_LATE, most // 4))
            self.axis_room = min(self.axis_room, max(2 * self.late_room, most))

    @property
    def slot_size(self) -> int:
        """Numbers of a slot of one creature."""
        return at.SLOT_RUNS + self.run_area + 3 * self.row_stride

    def _axis_row_size(self) -> int:
        return self.run_area + self.longest

    @property
    def island_count(self) -> int:
        """Trees that are told apart; one where all count as one."""
        return max(self.islands) + 1

    def _capacity(self, *, at_first: bool) -> int:
        """Contacts at one time: as many as there are mostly, or as there ever may be."""
        shapes = self.meetings.shapes[0]
        on_terrain = isinstance(self.settings.ground, Terrain)
        points = sum(at.ground_points(s.kind, len(s.corners), on_terrain) for s in shapes if s.link)
        points = points if self.settings.ground is not None else 0
        pairs = len(self.meetings.pairs) * 8
        turns = 2 if self._turns() else 1
        holds = 2 * self.meetings.hold_count
        if self.meetings.broad:
            return holds + turns * (
                64 + (12 * len(shapes) if at_first else NEAR_SLOTS * len(shapes) + points)
            )
        if not at_first:
            return max(1, holds + turns * (points + pairs))
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
            at.PATH_ROWS: self.paths, at.ISLAND_LABELS: [[0] * self.island_count],
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
        header[at.ORDER_START] = place + len(body)
        body += self._order_rows()
        ground = self.settings.ground
        kind = at.NO_GROUND if ground is None else (
            at.PLANE_GROUND if isinstance(ground, Plane) else at.TERRAIN_GROUND)  # fmt: skip
        header[at.SHAPE_COUNT], header[at.PAIR_COUNT] = len(shape_rows), len(pair_rows)
        header[at.HOLD_COUNT], header[at.AXIS_COUNT] = len(hold_rows), len(self.axes)
        self._lay_out_scratch(header)
        header[at.HEAD_START], header[at.MEMORY_START] = self.head * W, self.memory * W
        header[at.MAX_SWEEPS], header[at.GROUND_KIND], header[at.FEATURES] = (
            self.settings.sweeps,
            kind,
            self._features(bool(hold_rows)),
        )
        header[at.ISLAND_COUNT], header[at.SLEEP_START] = self.island_count, self.sleep * W
        header[at.MEMORY_ROOM], header[at.LATE_ROOM] = self.capacity, self.late_room
        header[at.RUN_AREA], header[at.ROW_STRIDE] = self.run_area, self.row_stride
        self.ints = header + body

    def _lay_out_scratch(self, header: Any) -> None:
        """Where everything lies in `scratch`, and for how much of it there is room."""
        W = self.width
        bins = at.BINS_SIZE if isinstance(self.settings.ground, Terrain) else 0
        merged = 1 + (self.capacity + 1) * at.MEMORY_RECORD if self._sleeps() else 0
        sizes = {
            at.SLOT_START: (self.room + 1) * self.slot_size,  # the last one takes what does not count
            at.AXIS_START: len(self.axes) * at.AXIS_SIZE,
            at.AXIS_POOL: self.axis_room * self._axis_row_size(),
            at.WORK_START: 3 * self.nv + at.WORK_SIZE + bins,
            at.BROAD_START: 4 * len(self.meetings.shapes[0]) if self.meetings.broad else 0,
            at.ISLAND_START: self.island_count * at.ISLAND_RECORD,
            at.MERGE_START: merged,
        }
        self.slots = scratch = self.scratch_start
        for entry, size in sizes.items():
            header[entry], scratch = scratch * W, scratch + size
        self.scratch_size = scratch - self.scratch_start
        header[at.SLOT_STRIDE], header[at.AXIS_STRIDE] = self.slot_size * W, self._axis_row_size() * W
        header[at.SLOT_CAPACITY], header[at.AXIS_ROOM], header[at.PAIR_ROOM] = (
            self.room,
            self.axis_room,
            self.pair_room,
        )
        header[at.SLOT_SHORT] = at.LACKS_SLOTS if self.room < self.capacity else at.TOO_MANY

    def enlarge(self, ints: Any, lack: int) -> Any:
        """Double what a step lacked, as OVERFLOW tells; the block's `ints` with it.  `scratch` must be made anew."""
        if lack == at.LACKS_PAIRS:
            ints = np.append(ints, np.zeros(at.PAIR_ROW_SIZE * self.pair_room, np.int32))
            self.pair_room *= 2
        elif lack == at.LACKS_SLOTS:
            self.room = min(2 * self.room, self.capacity)
        else:
            self.axis_room = min(2 * self.axis_room, len(self.axes))
        self._lay_out_scratch(ints[self.first :])
        return ints

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
        return rows + list(range(count)) + [0] * (count + 1 + at.PAIR_ROW_SIZE * self.pair_room)
