"""Driver: the one way in which creatures are born in a pen, live there, and are taken out when their lives have ended."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from zoophyte.control.controller import signature_of
from zoophyte.model import State
from zoophyte.model.contact_layout import SLOT_GAP, SLOT_KEY
from zoophyte.model.herd import life_layout as at
from zoophyte.model.herd.fit import Fit
from zoophyte.model.herd.pen import Pen
from zoophyte.model.herd.plans import Terms
from zoophyte.physics.living import advance, look
from zoophyte.simulation.lifetime.lived import lived_number
from zoophyte.simulation.lifetime.slices import Slices, never
from zoophyte.simulation.living.colony import Colony
from zoophyte.simulation.living.keeping import Keeper
from zoophyte.simulation.living.life import Life, life_in, unborn
from zoophyte.simulation.overlaps import deepest, overlap_advice, told_overlaps
from zoophyte.simulation.status import Status


class Driver:
    """A pen, and who of a colony lives in which of its lanes.

    Args:
        colony: whose creatures live.
        numbers: of those for whom the pen is made; others that fit may come later.
        terms: what is asked of their lives.
        mixed: whether lanes may differ in more than numbers.
        keep_final: whether last states are kept.
        keeper: of what else lives keep.
    """

    def __init__(
        self, colony: Colony, numbers: Sequence[int], terms: Terms, *, mixed: bool, keep_final: bool = True,
        keeper: Keeper | None = None,
    ) -> None:  # fmt: skip
        self.colony, self.keep_final, self.keeper = colony, keep_final, keeper
        self.pen = colony.pen(numbers, terms, mixed=mixed)
        self.tenants: dict[int, int] = {}
        """Number of the creature in each lane where somebody lives."""
        self._fits: dict[int, Fit] = {}

    def move_in(self, found: Mapping[int, int], states: Sequence[State] | Mapping[int, State]) -> None:
        """Let lives begin.

        Args:
            found: number of the creature for each lane.
            states: in which each is born, by its number: see `Colony.birth`.
        """
        for lane, number in found.items():
            creature = self.colony.creatures[number]
            key = id(creature.model)
            if key not in self._fits and len(self._fits) >= self.pen.width:
                self._fits.clear()  # whoever comes with a body of its own would stay for ever
            self._fits[key] = self.pen.load(lane, creature, states[number], self._fits.get(key))
            self.tenants[lane] = number
        self.pen.refresh()

    def turn_away(
        self, lanes: Iterable[int], states: Sequence[State] | Mapping[int, State]
    ) -> dict[int, Life]:
        """Take out who was born with shapes in each other, of some who just moved in; who goes on may be as it is.

        Args:
            lanes: of those who are asked.
            states: in which they were born.

        Returns:
            Their lives, by number.
        """
        pen, away = self.pen, {}
        look(pen)
        depths = pen.depths()
        for lane in lanes:
            allowed = self.colony.depth_at_birth(self.tenants[lane], states[self.tenants[lane]])
            if depths[lane] > allowed:
                away[lane] = unborn(Status("overlapping", 0.0, "", _named_overlaps(pen, lane, allowed)))
        pen.forget_look()
        return self._take_out(away)

    def run(self, steps: int, slices: Slices, halted: Callable[[], bool] = never) -> int:
        """Let all live until one life ends, or nobody wants more; the steps done.

        Args:
            steps: how many, at most.
            slices: how long their steps take.
            halted: asked now and then whether to stop.
        """
        return slices.run(partial(advance, self.pen), steps, halted)

    def bury(self, lanes: Iterable[int] | None = None) -> dict[int, Life]:
        """Take out those whose lives have ended; or who is in these lanes, as far as it has lived.

        Returns:
            Their lives, by number.
        """
        chosen = self.pen.dead() if lanes is None else lanes
        return self._take_out({lane: self.life(lane) for lane in chosen})

    def life(self, lane: int) -> Life:
        """The life in a lane, as far as it is lived."""
        return life_in(self.pen, lane, self.final(lane) if self.keep_final else None)

    def final(self, lane: int) -> State:
        """The state in a lane, as a World with the same controller would leave it."""
        pen, resident = self.pen, self.pen.resident(lane)
        plan = resident.creature.plan
        state = pen.state(lane)
        alarm, step = math.inf, pen.head(lane, at.STEP)
        due = False  # at a call the clock starts anew
        if plan.flows:
            alarm = 0.0
        elif plan.period:
            alarm = plan.begin + pen.head(lane, at.TICK) * plan.period
            due = pen.head(lane, at.NEXT_TICK) == step
        elif plan.begin > 0.0 and step <= pen.head(lane, at.BEGIN_STEP):
            alarm, due = plan.begin, step == pen.head(lane, at.BEGIN_STEP)
        start, count, _ = state.clock
        dt = pen.dt  # not as float32 has it: who goes on must know that it is the same step
        if due:
            start, count = alarm, 0
        memory = pen.life.memory(lane) if plan.nodes else np.zeros(0)
        model, ground = resident.creature.model, pen.settings.ground
        lived = lived_number(model, ground, state.q) if step > 0.0 else resident.lived
        signature = signature_of(self.colony.controllers[self.tenants[lane]])
        return replace(
            state, clock=(start, count, dt), memory=memory, alarm=alarm, signature=signature, lived=lived
        )

    def _take_out(self, lives: Mapping[int, Life]) -> dict[int, Life]:
        found = {}
        for lane, life in lives.items():
            told = life if self.keeper is None else replace(life, kept=self.keeper.kept(self.pen, lane))
            found[self.tenants.pop(lane)] = told
            self.pen.park(lane)
        if found:
            self.pen.refresh()
        return found


def _named_overlaps(pen: Pen, lane: int, allowed: float) -> str:
    """Who is how deep in whom; slots know shapes by their numbers in the pen."""
    resident, slots = pen.resident(lane), pen.slots_of(lane)
    model = resident.creature.model
    pairs = [
        (model.body_names[a], model.body_names[b])
        for a, b in zip(*resident.bodies_of(slots[:, SLOT_KEY]), strict=True)
    ]
    found = deepest(pairs, slots[:, SLOT_GAP], allowed)
    advice = overlap_advice(model, found)
    return told_overlaps(found) + (f". {advice.removesuffix('.')}" if advice else "")
