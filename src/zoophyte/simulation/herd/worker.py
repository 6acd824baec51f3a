"""Workers: each takes a pen's worth of creatures, lets them live until one life ends, and gives its lane to the next."""

from __future__ import annotations

import math
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte.control.controller import signature_of
from zoophyte.description import GROUND
from zoophyte.errors import UsageError, brief
from zoophyte.model import State
from zoophyte.model.contact_layout import (
    KEYS_PER_PAIR,
    KEYS_PER_SHAPE,
    SLOT_COUNT,
    SLOT_GAP,
    SLOT_KEY,
    SLOT_KIND,
)
from zoophyte.model.herd import life_layout as life
from zoophyte.model.herd.fit import Fit
from zoophyte.model.herd.packing import Creature
from zoophyte.model.herd.pen import Pen
from zoophyte.model.herd.plans import Terms
from zoophyte.physics.living import advance, look
from zoophyte.simulation.herd.keeping import Keeper
from zoophyte.simulation.herd.life import Life, life_in, unborn
from zoophyte.simulation.lifetime.lived import lived_number
from zoophyte.simulation.lifetime.slices import Slices, never
from zoophyte.simulation.lifetime.units import as_depth
from zoophyte.simulation.overlaps import allowed_depth, deepest, overlap_advice, refuse_unfit, told_overlaps
from zoophyte.simulation.status import Status

if TYPE_CHECKING:
    from zoophyte.simulation.herd.herd import Herd

MOST_STEPS = 2**30
LOOKAHEAD = 32
"""Creatures that are tried for a free lane before it is left empty."""


@dataclass(eq=False)
class Queue:
    """Creatures that may share pens, the largest first.

    Args:
        waiting: their numbers.
        mixed: whether their pens hold unlike bodies.
    """

    waiting: deque[int]
    mixed: bool
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, count: int) -> list[int]:
        """The next few."""
        with self.lock:
            return [self.waiting.popleft() for _ in range(min(count, len(self.waiting)))]

    def take_one(self, suits: Callable[[int], bool]) -> int | None:
        """The first of the next few that suits."""
        with self.lock:
            for place in range(min(LOOKAHEAD, len(self.waiting))):
                if suits(self.waiting[place]):
                    number = self.waiting[place]
                    del self.waiting[place]
                    return number
        return None


def kinds_of(creatures: Sequence[Creature], least: int) -> dict[int, int]:
    """For each body of which there are enough like ones: the number of its topology.

    Args:
        creatures: of a herd.
        least: how many are enough; one where all are alike.
    """
    # Herds of many equal creatures share their bodies: what is long to compare is compared once for each.
    bodies, known = {id(creature.body): creature.body for creature in creatures}, dict[Any, int]()
    kinds = {key: known.setdefault(body.topology, len(known)) for key, body in bodies.items()}
    counts = Counter(kinds[id(creature.body)] for creature in creatures)
    needed = least if len(counts) > 1 else 1
    return {key: kind for key, kind in kinds.items() if counts[kind] >= needed}


class Worker:
    """One thread's share of a herd's life.

    Args:
        herd: whose creatures live.
        states: in which they are born.
        terms: what is asked of them.
        lives: where the results go, by number.
        keep_final: whether final states are kept.
        halt: set when all are to stop within a slice of steps; lives are kept as they are then.
        keep: what else lives keep at their samples.
    """

    def __init__(
        self,
        herd: Herd,
        states: Sequence[State],
        terms: Terms,
        lives: list[Life | None],
        keep_final: bool,
        halt: threading.Event,
        keep: Sequence[str] = (),
    ) -> None:
        self.herd, self.states, self.terms = herd, states, terms
        self.lives, self.keep_final = lives, keep_final
        self.keeper = Keeper(keep) if keep else None
        self.halt, self.slices = halt, Slices()

    def work_off(self, queues: Sequence[Queue]) -> None:
        """Until no creature waits."""
        for queue in queues:
            pen = None
            while not self.halt.is_set() and (numbers := queue.take(self.herd.lanes)):
                if pen is None or not self._has_the_size_of(pen, numbers):
                    leave(pen)
                    pen = self.herd.pen(numbers, self.terms, mixed=queue.mixed)
                self._fill_pen(pen, queue, numbers)
            leave(pen)

    def _has_the_size_of(self, pen: Pen, numbers: list[int]) -> bool:
        """Whether an empty pen suits creatures as well as one made for them."""
        creatures = [self.herd.creatures[number] for number in numbers]
        longest = max(len(creature.body.links) for creature in creatures)
        return len(pen.tokens) <= longest and all(pen.fits(creature) for creature in creatures)

    def _fill_pen(self, pen: Pen, queue: Queue, numbers: list[int]) -> None:
        tenants: list[int | None] = [None] * pen.width
        if self._move_in(pen, tenants, dict(enumerate(numbers))):
            self._find_tenants(pen, tenants, queue)
        while any(tenant is not None for tenant in tenants):
            steps = MOST_STEPS if self.keeper is None else self.keeper.steps(pen)
            run(pen, steps, self.slices, self.halt.is_set)
            if self.keeper is not None:
                self.keeper.look(pen)
            if self.halt.is_set():
                self._let_go(
                    pen, tenants, [lane for lane, tenant in enumerate(tenants) if tenant is not None]
                )
                return
            dead = pen.dead()  # nobody, where lives stop at samples that are kept
            if dead:
                self._let_go(pen, tenants, dead)
                if any(tenant is not None for tenant in tenants):
                    self._find_tenants(pen, tenants, queue)

    def _find_tenants(self, pen: Pen, tenants: list[int | None], queue: Queue) -> None:
        """Give free lanes to creatures that wait, and to others those of who is turned away."""
        creatures = self.herd.creatures
        while True:
            found: dict[int, int] = {}
            for lane, tenant in enumerate(tenants):
                if tenant is None:
                    number = queue.take_one(lambda number: pen.fits(creatures[number]))
                    if number is None:
                        break
                    found[lane] = number
            if not found or not self._move_in(pen, tenants, found):
                return

    def _move_in(self, pen: Pen, tenants: list[int | None], found: dict[int, int]) -> bool:
        """Load creatures, and turn away those that are born with shapes in each other; whether there were any."""
        alike: dict[int, Fit] = {}
        for lane, number in found.items():
            creature = self.herd.creatures[number]
            key = id(creature.model)
            alike[key] = pen.load(lane, creature, self.states[number], alike.get(key))
            tenants[lane] = number
        pen.refresh()
        look(pen)
        away = False
        allowed = {
            lane: depth_at_birth(self.herd, number, self.states[number]) for lane, number in found.items()
        }
        for lane, status in overlapping(pen, allowed).items():
            told = unborn(status)
            self.lives[found[lane]] = told if self.keeper is None else self.keeper.give(told, pen, lane)
            tenants[lane] = None
            pen.park(lane)
            away = True
        if away:
            pen.refresh()
        return away

    def _let_go(self, pen: Pen, tenants: list[int | None], lanes: Sequence[int]) -> None:
        for lane in lanes:
            number = tenants[lane]
            assert number is not None
            final = final_state(pen, lane, self.herd.controllers[number]) if self.keep_final else None
            told = life_in(pen, lane, final)
            self.lives[number] = told if self.keeper is None else self.keeper.give(told, pen, lane)
            tenants[lane] = None
            pen.park(lane)
        pen.refresh()


def run(
    pen: Pen, steps: int, slices: Slices | None = None, halted: Callable[[], bool] = never
) -> int:  # fmt: skip
    """Let the creatures of a pen live until one life ends, or nobody wants more; the steps done.

    Args:
        pen: with them.
        steps: how many, at most.
        slices: how long their steps take, if that is known.
        halted: asked now and then whether to stop.
    """
    return (slices or Slices()).run(partial(advance, pen), steps, halted)


def leave(pen: Pen | None) -> None:
    """Let a pen go that nobody will live in again.

    It and the tables of its lives know each other, so that Python would keep its memory until the next search for garbage.
    """
    if pen is not None:
        del pen.life


def overlapping(pen: Pen, allowed: Mapping[int, float]) -> dict[int, Status]:
    """Lanes whose shapes are in each other, by what the last look has found.

    Args:
        pen: at which somebody has looked.
        allowed: how deep they may be in each lane that is asked [m].
    """
    found = {
        lane: replace(status, reason=_named_overlaps(pen, lane, allowed[lane]))
        for lane, status in too_deep(pen.depths(), allowed).items()
    }
    forget_look(pen)
    return found


def _named_overlaps(pen: Pen, lane: int, allowed: float) -> str:
    """Who is how deep in whom; slots know shapes by their numbers in the pen."""
    resident, tables = pen.resident(lane), pen.contact
    fit, model = resident.fit, resident.creature.model
    count = int(pen.fields[tables.head + SLOT_COUNT, lane])
    slots = pen.work[tables.slots : tables.slots + count * tables.slot_size, lane].reshape(count, -1)
    slots = slots[(slots[:, SLOT_KEY] >= 0.0) & (slots[:, SLOT_KIND] < 0.5)]
    owners = [model.body_names[body] for body in model.touching.bodies]
    pairs = []
    for key in slots[:, SLOT_KEY].astype(int).tolist():
        if key < fit.seat.bound:
            pairs.append((owners[fit.seat.from_shape[key // KEYS_PER_SHAPE]], GROUND))
        else:
            i, j = resident.creature.body.pairs[fit.seat.from_pair[(key - fit.seat.bound) // KEYS_PER_PAIR]]
            pairs.append((owners[i], owners[j]))
    found = deepest(pairs, slots[:, SLOT_GAP], allowed)
    advice = overlap_advice(model, found)
    return told_overlaps(found) + (f". {advice.removesuffix('.')}" if advice else "")


def too_deep(depths: Any, allowed: Mapping[int, float]) -> dict[int, Status]:
    """Lanes whose shapes are deeper in each other than they may be, of those that are asked [m]."""
    found = {}
    for lane, most in allowed.items():
        if depths[lane] > most:
            deep = f"shapes are up to {as_depth(depths[lane])} deep in each other"
            found[lane] = Status("overlapping", 0.0, "", deep)
    return found


def depth_at_birth(herd: Herd, number: int, state: State) -> float:
    """How deep a creature's shapes may be in each other when its life begins in a state [m]."""
    return allowed_depth(herd.creatures[number].model, herd.habitat.ground, state)


def forget_look(pen: Pen) -> None:
    """What a look has found lies in scratch, which may be another pen's when these lives go on: nothing may read it then."""
    pen.fields[pen.contact.head + SLOT_COUNT] = 0.0


def one_state_each(count: int, states: Any) -> list[State | None]:
    """The states in which as many lives begin; None for neutral ones.

    Raises:
        UsageError: when they are not that.
    """
    if states is None:
        return [None] * count
    if not isinstance(states, Sequence):
        raise UsageError(f"states is {brief(states)}, must be a list with a State or None for each creature.")
    if len(states) != count:
        raise UsageError(f"there are {len(states)} states for {count} creatures.")
    for number, state in enumerate(states):
        if not (state is None or isinstance(state, State)):
            raise UsageError(f"state {number} is {brief(state)}, must be a State or None.")
    return list(states)


def birth(herd: Herd, number: int, given: State | None) -> State:
    """The state in which a life begins: with the commands that its controller gives at birth.

    Raises:
        UsageError: when it does not fit the body, or no life can begin so.
    """
    creature = herd.creatures[number]
    state = State.neutral(creature.model) if given is None else given.checked(creature.model)
    refuse_unfit(creature.model, herd.habitat.ground, state)
    clock = state.clock if state.clock[2] == herd.dt else (state.time, 0, herd.dt)
    plan = creature.plan
    if (plan.period > 0.0 or plan.begin > 0.0) and state.time != 0.0:
        raise UsageError(
            f"creature {number} ({creature.model.name}) begins at {state.time:g} s, but in a herd a controller that acts "
            "at a rate, or later, begins at 0 s; set the clock of the state back, or go on in a World."
        )
    if plan.begin > 0.0:
        return replace(state, clock=clock, command=np.zeros(0), applied=np.zeros(0))
    if plan.signals is not None:
        return replace(state, clock=clock, command=plan.signals, applied=np.zeros(0))
    if plan.period > 0.0 or plan.flows:
        return replace(state, clock=clock, command=np.zeros(0), applied=np.zeros(0))
    return replace(state, clock=clock)


def final_state(pen: Pen, lane: int, controller: Any) -> State:
    """The state in a lane, as a World with the same controller would leave it."""
    resident = pen.resident(lane)
    plan = resident.creature.plan
    state = pen.state(lane)
    alarm, step = math.inf, pen.head(lane, life.STEP)
    due = False  # at a call the clock starts anew
    if plan.flows:
        alarm = 0.0
    elif plan.period:
        alarm = plan.begin + pen.head(lane, life.TICK) * plan.period
        due = pen.head(lane, life.NEXT_TICK) == step
    elif plan.begin > 0.0 and step <= pen.head(lane, life.BEGIN_STEP):
        alarm, due = plan.begin, step == pen.head(lane, life.BEGIN_STEP)
    start, count, _ = state.clock
    dt = pen.dt  # not as float32 has it: who goes on must know that it is the same step
    if due:
        start, count = alarm, 0
    memory = pen.life.memory(lane) if plan.nodes else np.zeros(0)
    model, ground = resident.creature.model, pen.settings.ground
    lived = lived_number(model, ground, state.q) if step > 0.0 else resident.lived
    return replace(
        state,
        clock=(start, count, dt),
        memory=memory,
        alarm=alarm,
        signature=signature_of(controller),
        lived=lived,
    )
