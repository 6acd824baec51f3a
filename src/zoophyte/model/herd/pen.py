"""Pen: a block whose lanes take one creature after the other, whatever their bodies are.

A lane without a creature is *parked*: nothing acts on it and nothing touches it, so it costs no more than its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from zoophyte.description import Surface
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.block import Block
from zoophyte.model.contact import ContactSettings, ContactTables
from zoophyte.model.filling.contact import fill_ground
from zoophyte.model.filling.links import Places
from zoophyte.model.herd import life_layout as life
from zoophyte.model.herd.fit import Fit, Seat
from zoophyte.model.herd.lanes import blank_links, slots_for
from zoophyte.model.herd.life_tables import LifeTables
from zoophyte.model.herd.packing import Body, Creature, LinkToken, places_in, sequence_for
from zoophyte.model.layout import Layout
from zoophyte.model.medium import Medium
from zoophyte.model.meetings import Meetings, Pair
from zoophyte.model.model import Floats
from zoophyte.model.shapes import TouchingShape
from zoophyte.model.state import State
from zoophyte.numbers import Spec

Embedding = tuple[list[int], list[int]]


@dataclass(eq=False)
class Resident:
    """Who lives in a lane.

    Args:
        creature: the life that is lived.
        fit: its own numbers, and where they lie.
        lived: what the state in which it began told of having lived.
    """

    creature: Creature
    fit: Fit
    lived: float = 0.0

    def bodies_of(self, keys: Any) -> tuple[Any, Any]:
        """The two bodies of each contact; the second may be the ground.

        Args:
            keys: of the contacts, as the pen has them.
        """
        seat, own = self.fit.seat, self.fit.own_keys(keys).astype(np.int64)
        owners = np.array(self.fit.model.touching.bodies, np.int64)
        paired = own >= seat.own_bound
        shapes = np.zeros((len(own), 2), np.int64)
        shapes[~paired, 0] = own[~paired] // cl.KEYS_PER_SHAPE
        if paired.any():
            pairs = np.array(self.creature.body.pairs, np.int64)
            shapes[paired] = pairs[(own[paired] - seat.own_bound) // cl.KEYS_PER_PAIR]
        return owners[shapes[:, 0]], np.where(paired, owners[shapes[:, 1]], 0)


class Pen(Block):
    """W lanes for creatures that fit a common sequence of links and shapes.

    Args:
        creatures: for whom it is made; others that fit may come later.
        width: lanes.
        settings: ground and solver; with its number of slots.
        gravity: [m/s²].
        dt: step [s].
        sample_room: samples that a life may take.
        mixed: whether lanes may differ in more than numbers; by default only if the creatures do.
        dtype: float64 or float32.
        in_medium: what fills the space, if anything does.
    """

    def __init__(
        self, creatures: Sequence[Creature], width: int, settings: ContactSettings, gravity: Any, dt: float,
        sample_room: int, *, mixed: bool | None = None, dtype: Any = np.float64, in_medium: Medium | None = None,
    ) -> None:  # fmt: skip
        bodies = [creature.body for creature in creatures]
        same = all(body.topology == bodies[0].topology for body in bodies)
        self.dt, self.gravity, self.settings = dt, tuple(map(float, gravity)), settings
        self.in_medium = in_medium
        self.tokens: list[LinkToken] = sequence_for([body.links for body in bodies])
        self.kinds = (at.GROUND, *(kind for kind, _ in self.tokens))
        self.shape_kinds = sequence_for([body.shape_kinds for body in bodies])
        self.holds = bodies[0].holds
        self.first_q, self.first_dof = (at.starts(self.kinds, n) for n in (at.Q_COUNT, at.V_COUNT))
        self._topology = bodies[0].topology
        self._reserve(bodies)
        spec = Spec(width, (not same) if mixed is None else mixed)
        self._lay_out(Layout.of(self.kinds), spec, driven=self.driven)
        self.nv = len(self.dof_offsets)
        self.set_integrator("implicit")
        self._add_laws(in_medium)
        own = replace(settings, slots=self.capacity, sleep=False)
        # A lane of its own needs no more room than a World; lanes side by side are one tree.
        alone = width == 1 and not self.spec.mixed
        chain = np.maximum(np.arange(len(self.kinds)) - 1, 0)
        template: Any = self._template(creatures[0].model.links.parent if alone else chain)
        self.contact: ContactTables = self._add(at.CONTACT, ContactTables(
            [template] * width, own, self._ends(), self.layout.scratch_offsets, self._meetings(bodies[0]),
            whole=self.spec.mixed,
        ))  # fmt: skip
        self.axis_number = {dof: n for n, dof in enumerate(self.contact.axes)}
        if self.spec.mixed:
            self.ints[self.ints[at.CONTACT] + cl.FEATURES] &= ~cl.FEATURE_ALIKE
        self.life = self._add(at.LIFE, LifeTables(self, creatures, self._ends(), sample_room))
        self._allocate(dtype, settings.ground)
        self.residents: list[Resident | None] = [None] * width
        self.parents = np.zeros((width, len(self.kinds)), np.int64)
        self.blank: Floats = blank_links(self.layout, len(self.fields), self.gravity, self.dt)
        self.life.fill_blank(self.blank)
        self.ready: Floats = self.blank.copy()  # for a creature: on the ground, before its own numbers
        fill_ground(self.ready[self.contact.head : self.contact.head + cl.HEAD_SIZE], self.settings)
        self._seats: dict[Any, Seat] = {}
        self.fields[:] = self.blank[:, None]
        self.refresh()

    def _reserve(self, bodies: Sequence[Body]) -> None:
        """Corners of shapes, and pairs: whatever any of the creatures needs."""
        corners = [0] * len(self.shape_kinds)
        pairs: set[Pair] = set()
        for body in bodies:
            places = self.embedding(body)
            assert places is not None
            _, shapes = places
            for n, count in zip(shapes, body.corners, strict=True):
                corners[n] = max(corners[n], count)
            pairs |= {(shapes[i], shapes[j]) for i, j in body.pairs}
        self.corners, self.pairs = tuple(corners), tuple(sorted(pairs))
        self.pair_number = {pair: n for n, pair in enumerate(self.pairs)}
        self.driven = any(body.driven for body in bodies)
        surface = self.settings.surface
        self.bounces = surface.restitution > 0.0 or any(body.bounces for body in bodies)
        self.turns = any(body.turns for body in bodies)
        self.grains = any(body.grains for body in bodies)
        self.sticks = any(body.sticks for body in bodies)
        self.capacity = max(slots_for(body, self.settings) for body in bodies)

    def embedding(self, body: Body) -> Embedding | None:
        """Where the links (the ground first) and shapes of a body lie in this pen; None if they do not fit."""
        links = places_in(self.tokens, body.links)
        shapes = places_in(self.shape_kinds, body.shape_kinds)
        if links is None or shapes is None:
            return None
        return [0, *(place + 1 for place in links)], shapes

    def seat(self, body: Body) -> Seat:
        """Where a body lies in a lane; those of one build share it."""
        build = (body.links, body.shape_kinds, body.pairs)
        if build not in self._seats:
            self._seats[build] = Seat(body, self)
        return self._seats[build]

    def fits(self, creature: Creature) -> bool:
        """Whether a creature can live here, with the same bits as anywhere else."""
        body = creature.body
        places = self.embedding(body)
        if places is None or body.holds != self.holds:
            return False
        shapes = places[1]
        roomy = (
            all(self.corners[n] >= count for n, count in zip(shapes, body.corners, strict=True))
            and all((shapes[i], shapes[j]) in self.pair_number for i, j in body.pairs)
            and slots_for(body, self.settings) <= self.capacity
            and (self.driven or not body.driven)
            and (self.bounces or not body.bounces)
            and (self.turns or not body.turns)
            and (self.grains or not body.grains)
            and (self.sticks or not body.sticks)
            and self.life.has_room(creature)
        )
        return roomy and (self.spec.mixed or body.topology == self._topology)

    def _template(self, parents: Any) -> Any:
        """As much of a model as the plan of contact asks for: links, degrees of freedom, axes."""
        kinds = np.array(self.kinds, np.int64)
        owner = np.repeat(np.arange(len(kinds)), [at.V_COUNT[k] for k in self.kinds])
        axis = np.array([False, *(held for _, held in self.tokens)])
        nothing = np.zeros(len(owner))
        dofs = SimpleNamespace(
            link=owner, driven=nothing > 1.0, hard_limit=axis[owner], friction=nothing,
            servo_max_force=np.full(len(owner), np.inf),
        )  # fmt: skip
        return SimpleNamespace(
            name="pen", nv=self.nv, layout=self.layout, dofs=dofs, v_start=tuple(self.first_dof),
            links=SimpleNamespace(kind=kinds, parent=parents),
            pairs=(), constraints=(),
        )  # fmt: skip

    def _meetings(self, first: Body) -> Meetings:
        """Shapes that stand for those of all lanes; only their kinds and what their surfaces need count."""
        surface = Surface(
            restitution=0.5 if self.bounces else 0.0, rolling=1.0 if self.turns else 0.0,
            friction_across=0.5 if self.grains else None, adhesion=1.0 if self.sticks else 0.0,
        )  # fmt: skip
        zero = (0.0, 0.0, 0.0)
        moving = min(1, len(self.kinds) - 1)
        shapes = tuple(
            TouchingShape(kind, 0, moving, zero, (0.0,) * 9, zero, (zero,) * corners, zero, 0.0, surface, "")
            for kind, corners in zip(self.shape_kinds, self.corners, strict=True)
        )
        places = self.embedding(first)
        assert places is not None
        links = places[0]
        held = tuple((links[a], links[b]) for a, b in first.hold_links)
        W = self.width
        return Meetings(
            shapes=(shapes,) * W, pairs=self.pairs, allowed=(frozenset(self.pairs),) * W, overrides=({},) * W,
            ground_overrides=({},) * W, hold_kinds=self.holds, hold_links=(held,) * W, filters=(), broad=False,
        )  # fmt: skip

    def park(self, lane: int) -> None:
        """Take whoever is there out of a lane."""
        column = self.fields[:, lane]
        resident = self.residents[lane]
        self.residents[lane] = None
        if resident is None or self.spec.mixed:
            column[:] = self.blank
            self.parents[lane] = 0
            return
        # Lanes of one topology keep theirs: a body that nothing acts on, touches or pulls.
        column[at.GRAVITY : at.GRAVITY + 3] = 0.0
        if self.medium is not None:  # no wind either
            column[self.medium.start : self.medium.start + 3] = 0.0
        for field in (at.VELOCITY, at.STIFFNESS, at.DAMPING, at.LIMIT_STIFFNESS, at.SERVO_STIFFNESS, at.SERVO_DAMPING,
                      at.MOTOR_STRENGTH, at.APPLIED, at.SINE_AMPLITUDE, at.COMMAND, at.COMMAND_RATE):  # fmt: skip
            column[self.dof_offsets + field] = 0.0
        for start in self.contact.shape_data:
            column[start + cl.SHAPE_MEETS_GROUND] = 0.0
        for start in self.contact.pair_data:
            column[start + cl.PAIR_MEETS] = 0.0
        for start in self.contact.axis_data:
            column[start : start + cl.AXIS_RECORD] = 0.0
        column[at.FAILED_LINK] = -1.0
        column[self.contact.head + cl.OVERFLOW] = 0.0
        column[self.contact.memory] = 0.0
        self.life.fill_blank(column)

    def load(self, lane: int, creature: Creature, state: State, fit: Fit | None = None) -> Fit:
        """Put a creature into a lane; `refresh` must follow once all are in.

        Args:
            lane: its place.
            creature: who fits.
            state: in which it begins.
            fit: what this gave for another creature of the same model, to save time.
        """
        fit = fit or Fit(creature, self)
        column = self.fields[:, lane]
        column[:] = fit.column
        resident = self.residents[lane] = Resident(creature, fit, state.lived)
        self.set_state(lane, state)
        column[at.DT] = self.dt
        self.parents[lane] = 0
        self.parents[lane, fit.links] = fit.links[creature.model.links.parent]
        self._write_links(lane, creature.body, fit)
        self.life.load(column, resident)
        return fit

    def _write_links(self, lane: int, body: Body, fit: Fit) -> None:
        """Which link carries each shape, and which two each constraint holds."""
        W, c = self.width, int(self.ints[at.CONTACT])
        offsets = np.array(self.contact.offsets)
        first = int(self.ints[c + cl.SHAPE_LINKS])
        table = self.ints[first : first + len(self.shape_kinds) * W].reshape(-1, W)
        table[:, lane] = 0
        if body.shapes:
            links = fit.links[[link for _, link in body.shapes]]
            table[fit.shapes, lane] = offsets[links]
            if not self.spec.mixed:  # where lanes are alike, kernels take the link from here
                rows = int(self.ints[c + cl.SHAPE_ROWS]) + fit.shapes * cl.SHAPE_ROW_SIZE
                self.ints[rows + cl.SHAPE_TREE] = links
        if body.holds:
            row = int(self.ints[c + cl.HOLD_ROWS])
            first = int(self.ints[row + cl.HOLD_LINKS])
            table = self.ints[first : first + 2 * len(body.holds) * W].reshape(-1, W)
            table[:, lane] = offsets[fit.links[np.ravel(body.hold_links)]]

    def refresh(self) -> None:
        """Parents and roles of links for who is here now."""
        parents = self.parents
        if not self.spec.mixed:  # parked lanes go along with the others
            living = [lane for lane, resident in enumerate(self.residents) if resident is not None]
            parents = np.repeat(parents[living[:1]] if living else parents[:1], self.width, axis=0)
        self._join(parents)

    def resident(self, lane: int) -> Resident:
        """Who lives in a lane."""
        found = self.residents[lane]
        assert found is not None
        return found

    def places_of(self, lane: int) -> Places:
        """Where the numbers of the creature in a lane lie."""
        return self.resident(lane).fit.places

    def _memory(self, lane: int) -> Floats:
        return self.resident(lane).fit.memory(self.fields[:, lane], self.contact.memory)

    def _set_memory(self, lane: int, remembered: Floats) -> None:
        self.resident(lane).fit.set_memory(self.fields[:, lane], self.contact.memory, remembered)

    def _tell_sines(self, lane: int) -> None:
        sines = self.fields[self.dof_offsets + at.SINE_AMPLITUDE, lane]
        if sines.any() or self.life.has_late_sines(self.resident(lane)):
            self.set_flags(at.FLAG_SINE, True)

    def head(self, lane: int, field: int) -> float:
        """One number of a life's head."""
        return float(self.fields[self.life.head + field, lane])

    def dead(self) -> list[int]:
        """Lanes whose lives have ended."""
        heads = self.fields[self.life.head + life.CAUSE]
        return [n for n, resident in enumerate(self.residents) if resident is not None and heads[n] > 0.5]

    def forget_look(self) -> None:
        """What a look has found lies in scratch, which may be another pen's when lives go on: nothing may read it then."""
        self.fields[self.contact.head + cl.SLOT_COUNT] = 0.0

    def depths(self) -> Any:
        """For each lane the deepest overlap that the last look found [m]."""
        tables = self.contact
        counts = self.fields[tables.head + cl.SLOT_COUNT]
        depth = np.zeros(self.width)
        for k in range(int(counts.max(initial=0.0))):
            gap = self.work[tables.slots + k * tables.slot_size + cl.SLOT_GAP]
            depth = np.where(k < counts, np.maximum(depth, -gap), depth)
        return depth
