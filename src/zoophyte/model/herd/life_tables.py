"""Filling for lives: head, nodes and table of the creatures of a pen."""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte.description.values import total
from zoophyte.errors import UsageError
from zoophyte.model import layout as at
from zoophyte.model.herd import life_layout as life
from zoophyte.model.herd.packing import Creature
from zoophyte.model.herd.plans import JOINT, NOTHING, OUTPUT, LifePlan, NodePlan, Terms, needs_poses
from zoophyte.model.model import Floats, Model

if TYPE_CHECKING:
    from zoophyte.model.herd.pen import Pen, Resident

NEVER = 1e30
"""A step, height or length that is never reached."""
LEAST_GRAVITY = 0.0981
"""A hundredth of Earth's: with this the weight is measured, at least, that bounds energy from nowhere [m/s²].  In space no
step keeps the energy of what tumbles to the last digit."""
SIGNALS = (at.COMMAND, at.COMMAND_RATE, at.COMMAND_CURVE, at.COMMAND_START, at.SINE_AMPLITUDE, at.SINE_FREQUENCY,
           at.SINE_PHASE)  # fmt: skip
"""Fields of a signal, in the order of a command's columns."""
POSE_FIELDS = {"up": at.WORLD_R + 6, "spin": at.V, "speed": at.V + 3}


class LifeTables:
    """The life section of a pen.

    Args:
        pen: whose section it is; its contact section must be there already.
        creatures: for whom it is made.
        starts: where the section starts in `ints`, `data` and `scratch` (in numbers of one creature for the last two).
        sample_room: samples of a life.
    """

    def __init__(
        self, pen: Pen, creatures: Sequence[Creature], starts: tuple[int, int, int], sample_room: int
    ) -> None:
        # Pens know their lives: a second strong reference would keep both until the next search for garbage.
        self.pen: Pen = weakref.proxy(pen)
        self.sample_room = sample_room
        self.terms = Terms(0)
        W = pen.width
        first, data, scratch = starts
        self.head, data = data, data + life.LIFE_HEAD_SIZE
        self.samples, data = data, data + (sample_room + 1) * life.SAMPLE_SIZE
        self.pair_names, data = data, data + 2 * len(pen.pairs)
        self.own_links, data = data, data + len(pen.kinds)
        self.own_shapes, data = data, data + len(pen.shape_kinds)
        self.features = self._features(creatures)
        late = self.features & life.FEATURE_LATE
        self.signals, data = data, data + (pen.nv * len(SIGNALS) if late else 0)
        counts = np.max([c.plan.kinds for c in creatures], axis=0)
        self.node_kinds = [kind for kind in range(life.NODE_KINDS) for _ in range(counts[kind])]
        self.node_starts: list[int] = []
        for kind in self.node_kinds:
            self.node_starts.append(data)
            data += life.node_size(kind)
        self.kind_first = np.concatenate([[0], np.cumsum(counts)])
        self.counts = tuple(int(n) for n in counts)
        self.table_rows = max((len(c.plan.samples) for c in creatures), default=0)
        self.table, data = data, data + self.table_rows * pen.nv
        self.data_size = data - starts[1]
        self.scratch_size = 16
        sensors = sum(self.counts[: life.FIRST_NEURON])
        effector = len(self.node_kinds) - self.counts[life.EFFECTOR]
        rows = first + life.LIFE_HEADER
        header = [0] * life.LIFE_HEADER
        header[life.LIFE_HEAD], header[life.LIFE_SAMPLES] = self.head * W, self.samples * W
        header[life.LIFE_SAMPLE_ROOM], header[life.LIFE_TABLE] = sample_room, self.table * W
        header[life.LIFE_NODES], header[life.LIFE_NODE_COUNT] = rows, len(self.node_kinds)
        header[life.LIFE_SENSOR_COUNT], header[life.LIFE_EFFECTOR] = sensors, effector
        header[life.LIFE_PAIRS], header[life.LIFE_TOTALS] = self.pair_names * W, scratch * W
        header[life.LIFE_FEATURES], header[life.LIFE_SIGNALS] = self.features, self.signals * W
        header[life.LIFE_OWN_LINKS], header[life.LIFE_OWN_SHAPES] = self.own_links * W, self.own_shapes * W
        self.ints = header + [
            x
            for kind, start in zip(self.node_kinds, self.node_starts, strict=True)
            for x in (kind, start * W)
        ]

    def _features(self, creatures: Sequence[Creature]) -> int:
        plans = [c.plan for c in creatures]
        found = life.FEATURE_WORK
        if any(plan.period > 0.0 for plan in plans):
            found |= life.FEATURE_TICKS
        if any(plan.flows for plan in plans):
            found |= life.FEATURE_FLOWS
        if any(plan.nodes for plan in plans):
            found |= life.FEATURE_NODES
        if any(needs_poses(plan) for plan in plans):
            found |= life.FEATURE_POSES
        if any(_is_late(plan) for plan in plans):
            found |= life.FEATURE_LATE
        return found

    def has_room(self, creature: Creature) -> bool:
        """Whether the controller of a creature fits."""
        plan = creature.plan
        return (
            all(mine >= own for mine, own in zip(self.counts, plan.kinds, strict=True))
            and len(plan.samples) <= self.table_rows
            and not self._features([creature]) & ~self.features
        )

    def fill_blank(self, column: Any) -> None:
        """A lane in which nobody lives."""
        W = self.pen.width
        column[self.head : self.head + life.LIFE_HEAD_SIZE] = 0.0
        defaults = {
            life.SEEN: -1.0, life.LAST_STEP: NEVER, life.CHECK_EVERY: NEVER, life.NEXT_SAMPLE: NEVER,
            life.TOTAL: 1.0, life.ONE: 1.0, life.NEXT_TICK: NEVER, life.TABLE_RATE: 1.0, life.WINDOW_END: NEVER,
            life.TABLE_PLACE: -1.0,
        }  # fmt: skip
        for field, value in defaults.items():
            column[self.head + field] = value
        column[self.own_links : self.own_shapes + len(self.pen.shape_kinds)] = 0.0
        for n, (i, j) in enumerate(self.pen.pairs):
            column[self.pair_names + 2 * n : self.pair_names + 2 * n + 2] = (i, j)
        one = float((self.head + life.ONE) * W)
        for kind, start in zip(self.node_kinds, self.node_starts, strict=True):
            column[start : start + life.node_size(kind)] = 0.0
            if kind >= life.FIRST_NEURON or kind == life.SENSE_FIELD:
                column[start + life.NODE_PLACE : start + life.NODE_PLACE + 3] = one
            if kind == life.SENSE_TOUCH:
                column[start + life.NODE_PARAMETER] = 1.0  # from the second shape to the first: none
            if kind == life.EFFECTOR:
                column[start + life.NODE_PARAMETER] = float((start + life.NODE_NEXT) * W)
            if life.node_size(kind) == life.RING_RECORD:
                column[start + life.NODE_CURSOR] = -1.0
                column[start + life.NODE_CHANCE : start + life.NODE_CHANCE + 3] = 1.0

    def load(self, column: Any, resident: Resident) -> None:
        """Begin the life of a creature."""
        terms, plan, model, pen = self.terms, resident.creature.plan, resident.creature.model, self.pen
        root = int(resident.fit.links[1]) if len(resident.fit.links) > 1 else 0
        size = 2.0 * max(model.touching.reaches, default=0.5)
        own = _first_tree(model)
        mass = total(model.links.mass[own].tolist())  # link by link, as kernels sum it: equal to the last bit
        weight = model.total_mass * max(math.sqrt(sum(g * g for g in pen.gravity)), LEAST_GRAVITY)
        # Driven joints and wind do work that is not summed.
        fed = model.dofs.driven.any() or not (pen.in_medium is None or pen.in_medium.is_still)
        values: dict[int, float] = {
            life.ALIVE: 1.0, life.ONE: 1.0, life.SEEN: -1.0, life.LAST_STEP: terms.steps,
            life.CHECK_EVERY: terms.check_every, life.SETTLE: terms.settle, life.SAMPLE_EVERY: terms.sample_every,
            life.TOTAL: mass if mass > 0.0 else 1.0, life.ROOT: float(pen.layout.scratch_offsets[root] * pen.width),
            life.FALL_HEIGHT: terms.fall_height, life.FALL_UPRIGHT: terms.fall_upright, life.RANGE: terms.range,
            life.LEAST_MOTION: terms.least_motion, life.WINDOW: terms.window, life.WINDOW_END: terms.window,
            life.GAIN_SHARE: terms.gain_share, life.SPEED_BOUND: terms.speed,
            life.GAIN_BOUND: math.inf if fed else terms.gain * weight * size,
            life.DEPTH_BOUND: terms.depth * resident.fit.smallest_reach(), life.GAIN: -math.inf,
            life.TABLE_PLACE: -1.0, life.TABLE_RATE: 1.0, life.NEXT_TICK: NEVER, life.NEXT_SAMPLE: 0.0,
        }  # fmt: skip
        head = [0.0] * life.LIFE_HEAD_SIZE
        for field, value in values.items():
            head[field] = value
        column[self.head : self.head + life.LIFE_HEAD_SIZE] = head
        column[self.own_links + resident.fit.links[own]] = 1.0
        shaped = np.flatnonzero(np.isin(model.touching.links, own))
        column[self.own_shapes + resident.fit.shapes[shaped]] = 1.0
        self._load_plan(column, resident, plan)

    def _load_plan(self, column: Any, resident: Resident, plan: LifePlan) -> None:
        head = self.head
        begin = round(plan.begin / self.pen.dt)
        column[head + life.BEGIN], column[head + life.BEGIN_STEP] = plan.begin, begin
        if _is_late(plan):
            assert plan.signals is not None
            column[head + life.LATE_SIGNALS] = 1.0
            rows = self.signals + resident.fit.dofs * len(SIGNALS)
            column[rows[:, None] + np.arange(len(SIGNALS))] = plan.signals
        if plan.period > 0.0:
            column[head + life.PERIOD], column[head + life.NEXT_TICK] = plan.period, begin
            column[head + life.PERIOD_STEPS] = round(plan.period / self.pen.dt)
        if len(plan.samples):
            column[head + life.TABLE_RATE], column[head + life.TABLE_LENGTH] = plan.rate, len(plan.samples)
            column[head + life.TABLE_REPEATS] = float(plan.repeats)
            column[head + life.TABLE_HOLDS] = float(plan.holds)
            column[head + life.TABLE_FLOWS] = float(plan.flows)
            table = np.zeros((self.table_rows, self.pen.nv))
            table[: len(plan.samples), resident.fit.dofs] = plan.samples
            column[self.table : self.table + table.size] = table.ravel()
        if plan.nodes:
            self._load_nodes(column, resident, plan)

    def has_late_sines(self, resident: Resident) -> bool:
        """Whether sines will begin later."""
        plan = resident.creature.plan
        return _is_late(plan) and bool(np.any(plan.signals[:, SIGNALS.index(at.SINE_AMPLITUDE)]))  # type: ignore[index]

    def node_places(self, plan: LifePlan) -> list[int]:
        """Where the record of each node lies in `data`."""
        used = [0] * life.NODE_KINDS
        places = [0] * len(plan.nodes)
        for n in plan.order():
            kind = plan.nodes[n].kind
            places[n] = self.node_starts[self.kind_first[kind] + used[kind]]
            used[kind] += 1
        return places

    def _memory_places(self, plan: LifePlan) -> list[int]:
        """Where in `data` it lies what a graph remembers: calls so far, then for each node its state and output."""
        found = [self.head + life.TICK]
        for node, start in zip(plan.nodes, self.node_places(plan), strict=True):
            found += range(start + life.NODE_STATE, start + life.NODE_NEXT)
            if life.node_size(node.kind) == life.RING_RECORD:
                found += range(start + life.NODE_CHANCE, start + life.NODE_DELAY)
                found += range(start + life.NODE_CURSOR, start + life.RING_RECORD)
        return found

    def memory(self, lane: int) -> Floats:
        """What the graph in a lane remembers."""
        plan = self.pen.resident(lane).creature.plan
        return np.array(self.pen.fields[self._memory_places(plan), lane], float)

    def set_memory(self, lane: int, memory: Floats) -> None:
        """Let the graph in a lane remember what :meth:`memory` gave.

        Raises:
            UsageError: when it is another graph's.
        """
        resident = self.pen.resident(lane)
        places = self._memory_places(resident.creature.plan)
        if len(memory) != len(places):
            raise UsageError(
                f"{resident.creature.model.name}: state.memory has {len(memory)} numbers, but this graph of neurons "
                f"remembers {len(places)}; begin with the memory of begin(model)."
            )
        self.pen.fields[places, lane] = memory

    def _load_nodes(self, column: Any, resident: Resident, plan: LifePlan) -> None:
        W, places = self.pen.width, self.node_places(plan)
        one = (self.head + life.ONE) * W
        for node, start in zip(plan.nodes, places, strict=True):
            if node.kind < life.FIRST_NEURON:
                column[start + life.NODE_PARAMETER : start + life.NODE_PARAMETER + 2] = node.parameters
                self._load_sensor(column, start, node, resident)
                continue
            record = [one, one, one, *node.weights, 0.0, 0.0, 0.0]
            record[life.NODE_PARAMETER :] = node.parameters
            for k, (what, number) in enumerate(node.inputs):
                if what != NOTHING:
                    record[life.NODE_PLACE + k] = self._source(what, number, places, resident) * W
            if node.kind == life.EFFECTOR:
                dof = int(self.pen.dof_offsets[resident.fit.dofs[node.dof]])
                record[life.NODE_PARAMETER] = (dof + at.COMMAND) * W
            column[start : start + life.NODE_STATE] = record

    def _source(self, what: int, number: int, places: list[int], resident: Resident) -> int:
        """Where in `data` an input lies."""
        if what == OUTPUT:
            return places[number] + life.NODE_OUTPUT
        dof = int(self.pen.dof_offsets[resident.fit.dofs[number]])
        # The coordinate of a hinge or slide lies just before its degree of freedom.
        return dof - 1 if what == JOINT else dof + at.VELOCITY

    def _load_sensor(self, column: Any, start: int, node: NodePlan, resident: Resident) -> None:
        W, pen = self.pen.width, self.pen
        model = resident.creature.model
        link = int(resident.fit.links[model.bodies.link[node.body]])
        record = pen.layout.scratch_offsets[link]
        column[start + life.NODE_NOISE], column[start + life.NODE_DELAY] = node.noise, node.delay
        column[start + life.NODE_CHANCE : start + life.NODE_CHANCE + 3] = node.chance
        if node.kind == life.SENSE_FIELD:
            what, number = node.inputs[0]
            column[start + life.NODE_PLACE] = float(self._source(what, number, [], resident) * W)
        elif node.kind == life.SENSE_TOUCH:
            bodies = enumerate(model.touching.bodies)
            own = [int(resident.fit.shapes[n]) for n, body in bodies if body == node.body]
            column[start + life.NODE_PARAMETER : start + life.NODE_PARAMETER + 2] = (
                (min(own), max(own)) if own else (1.0, 0.0)
            )
        elif node.kind == life.SENSE_POSE:
            column[start + life.NODE_PLACE] = float((record + POSE_FIELDS[node.quantity] + node.axis) * W)
        elif node.kind == life.SENSE_TOWARD:
            root = pen.layout.scratch_offsets[int(resident.fit.links[1])]
            column[start + life.NODE_PLACE : start + life.NODE_PLACE + 3] = (
                float(record * W), float((root + node.axis) * W), float(root * W)
            )  # fmt: skip
            column[start + life.NODE_WEIGHT : start + life.NODE_WEIGHT + 3] = model.bodies.p_LB[node.body]
        else:
            column[start + life.NODE_PLACE] = float(record * W)
            column[start + life.NODE_WEIGHT + node.axis] = 1.0


def _is_late(plan: LifePlan) -> bool:
    """Whether signals wait until the controller begins."""
    return plan.begin > 0.0 and plan.signals is not None


def _first_tree(model: Model) -> list[int]:
    """Links of the first tree, the creature; other trees are what it may play with."""
    own = [False]  # of each link, the ground first
    for link, parent in enumerate(model.links.parent.tolist()[1:], start=1):
        own.append(link == 1 or own[parent])
    return np.flatnonzero(own).tolist()
