"""Packing for contact: shapes, pairs, constraints and axes of a block of creatures, as tables for the kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zoophyte.algebra.rotations import compose, rotate, transpose, unrotate
from zoophyte.algebra.vectors import add, subtract
from zoophyte.description import Surface
from zoophyte.errors import UsageError
from zoophyte.model import contact_layout as at
from zoophyte.model.articulated import initial_transforms
from zoophyte.model.layout import CONFIGURATION, HINGE, SLIDE
from zoophyte.model.meetings import Meetings
from zoophyte.model.model import Model
from zoophyte.model.shapes import TouchingShape
from zoophyte.model.terrain import Plane, Terrain

ISLAND_TREES = 16
"""From this many trees on, one world is solved island by island, and what rests may sleep."""
HUGE = 1e30
"""Stands for no bound; squares of it are finite in float64, and sums with it keep their sign in float32."""


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


def needs_contact(model: Model) -> bool:
    """Whether anything of the model must be solved for: touching shapes, constraints, hard limits, dry friction."""
    dofs = model.dofs
    return bool(
        model.shapes or model.description.constraints or dofs.friction.any()
        or (dofs.hard_limit & ~dofs.driven).any() or np.isfinite(dofs.servo_max_force).any()
    )  # fmt: skip


class ContactTables:
    """The contact sections of a block.

    Args:
        models: one per lane.
        settings: ground and solver.
        starts: where the sections start in `ints`, `data` and `scratch` (in numbers of one creature for the last two).
        scratch_offsets: of the links' records.
    """

    def __init__(
        self, models: Sequence[Model], settings: ContactSettings, starts: tuple[int, int, int], scratch_offsets: Any
    ) -> None:  # fmt: skip
        self.models, self.settings, self.width = models, settings, len(models)
        self.offsets = [int(o) * self.width for o in scratch_offsets]
        self.first, self.data_start, self.scratch_start = starts
        self.meetings = Meetings.of(models)
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
        for model in self.models:
            d = model.dofs
            single = np.isin(model.links.kind[d.link], (HINGE, SLIDE)) & ~d.driven
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
        points = sum(len(s.corners) or at.POINT_COUNT[s.kind] for s in shapes if s.link)
        points = points if self.settings.ground is not None else 0
        pairs = len(self.meetings.pairs) * 8
        turns = 2 if self._turns() else 1
        holds = 2 * self.meetings.hold_count
        if self.meetings.broad:
            return holds + turns * (12 * len(shapes) + 64)
        return max(1, holds + turns * min(points + pairs, 32 if self.width > 1 else 256))

    def _turns(self) -> bool:
        surfaces = [s.surface for shapes in self.meetings.shapes for s in shapes] + [self.settings.surface]
        return any(s.rolling > 0.0 or s.torsion > 0.0 for s in surfaces)

    def _lay_out(self) -> None:
        W, shapes = self.width, self.meetings.shapes[0]
        data = self.data_start
        self.head = data
        data += at.HEAD_SIZE
        shape_rows, self.shape_data = [], []
        for n, shape in enumerate(shapes):
            corners = max((len(lane[n].corners) for lane in self.meetings.shapes), default=0)
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
        work, scratch = scratch, scratch + 3 * self.nv + at.WORK_SIZE
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
            at.ISLAND_LABELS: [0] * self.island_count,
            at.ORDER_START: self._order_rows(),
        }  # fmt: skip
        hold_links = [
            [self.offsets[lane[n][end]] for lane in self.meetings.hold_links]
            for n in range(len(hold_rows)) for end in (0, 1)
        ]  # fmt: skip
        place = self.first + at.CONTACT_HEADER
        header = [0] * at.CONTACT_HEADER
        body: list[int] = []
        link_rows = place + sum(len(np.ravel(rows)) for rows in sections.values())
        for row in hold_rows:
            row[at.HOLD_LINKS] = link_rows + row[at.HOLD_LINKS] * W
        for entry, rows in sections.items():
            header[entry] = place + len(body)
            body += [int(x) for x in np.ravel(rows)]
        body += [int(x) for x in np.ravel(hold_links)]
        ground = self.settings.ground
        kind = at.NO_GROUND if ground is None else (
            at.PLANE_GROUND if isinstance(ground, Plane) else at.TERRAIN_GROUND)  # fmt: skip
        features = (
            (at.FEATURE_BROAD if self.meetings.broad else 0)
            | (at.FEATURE_TURN if self._turns() else 0)
            | (at.FEATURE_HOLDS if hold_rows else 0)
            | (at.FEATURE_RESTITUTION if self._bounces() else 0)
            | (at.FEATURE_GRAIN if self._has_grain() else 0)
            | (at.FEATURE_SLEEP if self._sleeps() else 0)
        )
        header[at.SHAPE_COUNT], header[at.PAIR_COUNT] = len(shape_rows), len(pair_rows)
        header[at.HOLD_COUNT], header[at.AXIS_COUNT] = len(hold_rows), len(self.axes)
        header[at.SLOT_START], header[at.SLOT_STRIDE] = slots * W, slot_size * W
        header[at.SLOT_CAPACITY], header[at.ROW_STRIDE] = self.capacity, self.row_stride
        header[at.AXIS_START], header[at.WORK_START], header[at.BROAD_START] = axes * W, work * W, broad * W
        header[at.HEAD_START], header[at.MEMORY_START] = self.head * W, self.memory * W
        header[at.MAX_SWEEPS], header[at.GROUND_KIND], header[at.FEATURES] = (
            self.settings.sweeps,
            kind,
            features,
        )
        header[at.ISLAND_COUNT], header[at.ISLAND_START] = self.island_count, islands * W
        header[at.SLEEP_START], header[at.MERGE_START] = self.sleep * W, merge * W
        self.ints = header + body

    def _bounces(self) -> bool:
        shapes = [s.surface.restitution for lane in self.meetings.shapes for s in lane]
        pairs = [p.restitution or 0.0 for m in self.models for p in m.description.pairs]
        return max([0.0, self.settings.surface.restitution, *shapes, *pairs]) > 0.0

    def _sleeps(self) -> bool:
        return self.settings.sleep and self.island_count > 1 and self.meetings.broad

    def _has_grain(self) -> bool:
        return any(s.surface.friction_across is not None for lane in self.meetings.shapes for s in lane)

    def _order_rows(self) -> list[int]:
        """What the broad phase needs: for each shape who it is; then room for orders and pairs."""
        if not self.meetings.broad:
            return []
        count = len(self.meetings.shapes[0])
        rows = [x for row in self.meetings.filters for x in row]
        return rows + list(range(count)) + [0] * (count + 1 + 3 * at_most_pairs(count))

    # ------------------------------------------------------------------------------------------------------ filling

    def fill(self, fields: Any, gravity: Any, dt: float) -> None:
        """Write the constants of all lanes into the rows of `data`."""
        ground, surface = self.settings.ground, self.settings.surface
        head = fields[self.head : self.head + at.HEAD_SIZE]
        normal, height = (
            (ground.normal, ground.height) if isinstance(ground, Plane) else ((0.0, 0.0, 1.0), _top(ground))
        )
        head[at.PLANE_NORMAL : at.PLANE_NORMAL + 3] = np.reshape(normal, (3, 1))
        head[at.PLANE_HEIGHT] = height
        if isinstance(ground, Terrain):
            rows, columns = ground.heights.shape
            head[at.TERRAIN_ORIGIN : at.TERRAIN_ORIGIN + 2] = np.reshape(ground.origin, (2, 1))
            head[at.TERRAIN_STEP : at.TERRAIN_STEP + 2] = np.reshape(ground.spacing, (2, 1))
            head[at.TERRAIN_SIZE : at.TERRAIN_SIZE + 2] = np.reshape((columns, rows), (2, 1))
        head[at.GROUND_ROOT_FRICTION] = math.sqrt(surface.friction)
        head[at.GROUND_RESTITUTION] = surface.restitution
        head[at.GROUND_ROLLING], head[at.GROUND_TORSION] = surface.rolling, surface.torsion
        head[at.GROUND_ADHESION] = surface.adhesion
        self.set_step(fields, gravity, dt)
        for lane, shapes in enumerate(self.meetings.shapes):
            for start, shape in zip(self.shape_data, shapes, strict=True):
                self._fill_shape(fields[:, lane], start, shape, lane)
            overrides = self.meetings.overrides[lane]
            for start, pair in zip(self.pair_data, self.meetings.pairs, strict=True):
                friction, restitution = overrides.get(pair, (None, None))
                fields[start + at.PAIR_FRICTION, lane] = -1.0 if friction is None else friction
                fields[start + at.PAIR_RESTITUTION, lane] = -1.0 if restitution is None else restitution
                fields[start + at.PAIR_MEETS, lane] = float(pair in self.meetings.allowed[lane])
            for n, start in enumerate(self.hold_data):
                self._fill_hold(fields[:, lane], start, lane, n)
            if self.island_count > 1:
                self._fill_sleep(fields[:, lane])
            dofs = self.models[lane].dofs
            for v, start in zip(self.axes, self.axis_data, strict=True):
                weak = bool(np.isfinite(dofs.servo_max_force[v]))
                record = [dofs.friction[v], dofs.servo_stiffness[v] * weak, dofs.servo_damping[v] * weak,
                          dofs.servo_max_force[v] if weak else 0.0, float(dofs.hard_limit[v])]  # fmt: skip
                fields[start : start + at.AXIS_RECORD, lane] = record

    def memory_of(self, column: Any) -> Any:
        """What the solver remembers of one creature: broken springs, axes, then key and impulse of each contact."""
        broken = [float(column[start + at.HOLD_BROKEN]) for start in self.hold_data]
        broken += [float(x) for x in column[self._sleep_places()]]
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
                f"{self.capacity} slots; leave it empty to begin without remembered impulses."
            )
        for start, value in zip(self.hold_data, remembered, strict=False):
            column[start + at.HOLD_BROKEN] = value
        column[sleep] = remembered[len(self.hold_data) : holds]
        first = self.memory + 1 + (self.capacity + 1) * at.MEMORY_RECORD
        column[first : first + axes] = remembered[holds : holds + axes]
        column[self.memory] = slots // at.MEMORY_RECORD
        column[self.memory + 1 : self.memory + 1 + slots] = remembered[holds + axes :]

    def set_step(self, fields: Any, gravity: Any, dt: float) -> None:
        """Margins and tolerances that go with gravity and step size."""
        fall = float(np.sqrt(sum(float(g) ** 2 for g in np.ravel(gravity)))) * dt
        reach = max([s.reach for lane in self.meetings.shapes for s in lane], default=1.0)
        head = fields[self.head : self.head + at.HEAD_SIZE]
        head[at.MARGIN] = 4.0 * fall * dt + 1e-4 * reach
        head[at.TOLERANCE] = self.settings.tolerance * max(fall, 1e-3)
        head[at.IMPACT_SPEED] = 2.0 * fall
        head[at.SLOP] = at.SLOP_PART * reach
        head[at.SLEEP_SPEED] = max(0.005 * math.sqrt(fall / dt * reach), 1e-6)

    def _fill_shape(self, column: Any, start: int, shape: TouchingShape, lane: int) -> None:
        own, ground = shape.surface, self.settings.surface
        override = self.meetings.ground_overrides[lane].get(shape.body, (None, None, True))
        friction, restitution, meets = override
        meets = meets and bool(shape.link) and _groups_meet(own, ground)
        values = {
            at.SHAPE_POSITION: shape.position, at.SHAPE_ROTATION: shape.rotation, at.SHAPE_SIZE: shape.size,
            at.SHAPE_CENTRE: shape.centre, at.SHAPE_REACH: (shape.reach,),
            at.SHAPE_GROUND_FRICTION: (math.sqrt(own.friction * ground.friction) if friction is None else friction,),
            at.SHAPE_GROUND_RESTITUTION: (max(own.restitution, ground.restitution) if restitution is None
                                          else restitution,),
            at.SHAPE_MEETS_GROUND: (float(meets),),
            at.SHAPE_ROOT_FRICTION: (math.sqrt(own.friction),), at.SHAPE_RESTITUTION: (own.restitution,),
            at.SHAPE_ROLLING: (own.rolling,), at.SHAPE_TORSION: (own.torsion,), at.SHAPE_ADHESION: (own.adhesion,),
            at.SHAPE_ACROSS: (1.0 if own.friction_across is None else own.friction_across / max(own.friction, 1e-12),),
            at.SHAPE_GRAIN: self._grain(shape, lane),
        }  # fmt: skip
        for place, numbers in values.items():
            column[start + place : start + place + len(numbers)] = numbers
        corners = np.ravel(shape.corners)
        column[start + at.SHAPE_RECORD : start + at.SHAPE_RECORD + len(corners)] = corners

    def _fill_sleep(self, column: Any) -> None:
        """Reach of every tree, and whether it has actuators, which keep it awake."""
        model = self.models[0]
        d = model.dofs
        active = d.driven | (d.servo_stiffness > 0.0) | (d.motor_strength > 0.0)
        for tree in range(self.island_count):
            links = [link for link, number in enumerate(self.islands) if number == tree]
            reach = max([s.reach for s in self.meetings.shapes[0] if s.link in links], default=1.0)
            start = self.sleep + tree * at.SLEEP_RECORD
            column[start + at.SLEEP_REACH] = reach
            column[start + at.SLEEP_RESTLESS] = float(
                any(active[v] for v in range(model.nv) if d.link[v] in links)
            )

    def _grain(self, shape: TouchingShape, lane: int) -> Any:
        R_LB = self.models[lane].bodies.R_LB[shape.body].ravel()
        return rotate(tuple(float(x) for x in R_LB), shape.surface.grain)  # type: ignore[arg-type]

    def _fill_hold(self, column: Any, start: int, lane: int, number: int) -> None:
        model = self.models[lane]
        held = model.description.constraints[number]
        poses = initial_transforms(model)
        first, second = model.body_index(held.body), model.body_index(held.other)
        R_1, p_1 = poses[int(model.bodies.link[first])]
        R_2, p_2 = poses[int(model.bodies.link[second])]
        point = _on_link(model, first, held.point)
        if held.other_point is None:
            other: Any = unrotate(R_2, subtract(add(p_1, rotate(R_1, point)), p_2))
        else:
            other = _on_link(model, second, held.other_point)
        values: dict[int, Any] = {
            at.HOLD_POINT: point, at.HOLD_OTHER: other, at.HOLD_TURN: compose(transpose(R_2), R_1),
            at.HOLD_STIFFNESS: (getattr(held, "stiffness", 0.0),),
            at.HOLD_DAMPING: (getattr(held, "damping", 0.0),),
            at.HOLD_BREAK: (min(getattr(held, "break_length", HUGE), HUGE),), at.HOLD_BROKEN: (0.0,),
        }  # fmt: skip
        for place, numbers in values.items():
            column[start + place : start + place + len(numbers)] = numbers


def at_most_pairs(count: int) -> int:
    """Pairs of shapes near each other for which the broad phase has room."""
    return 16 * count + 64


def _top(ground: Terrain | None) -> float:
    return 0.0 if ground is None else float(ground.heights.max())


def _groups_meet(a: Surface, b: Surface) -> bool:
    return bool(a.group & b.mask) and bool(b.group & a.mask)


def _on_link(model: Model, body: int, point: Any) -> Any:
    R: Any = tuple(float(x) for x in model.bodies.R_LB[body].ravel())
    return add(tuple(float(x) for x in model.bodies.p_LB[body]), rotate(R, point))  # type: ignore[arg-type]
