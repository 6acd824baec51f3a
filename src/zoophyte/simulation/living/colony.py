"""Colony: creatures that live alike, be it one, as of a World in float32, or thousands: a Herd's."""

from __future__ import annotations

import math
import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from zoophyte.control import Controller
from zoophyte.control.controller import refuse_outliving, refuse_strange
from zoophyte.description import Description
from zoophyte.errors import UsageError, brief, is_number
from zoophyte.model import ContactSettings, Model, State
from zoophyte.model import compile as compile_model
from zoophyte.model.herd.packing import Body, Creature
from zoophyte.model.herd.pen import Pen
from zoophyte.model.herd.plans import LifePlan, Terms
from zoophyte.physics.entries import Form, herd_forms
from zoophyte.simulation.habitat import Habitat
from zoophyte.simulation.living.conditions import Guards, Stops
from zoophyte.simulation.living.setting import refuse_blurred
from zoophyte.simulation.overlaps import allowed_depth, refuse_unfit

SLOTS = 128
"""Contacts of one creature at one time, unless told otherwise."""
SHARED_LINKS = 256
"""Bodies of more links share registers with like ones only: a sequence that holds two unlike ones takes n² time and room."""
MOST_STEPS = 2**30
UNIFORM_FROM = 1
"""A topology that fills this many registers gets pens of its own when others are there too."""
TIME_TOLERANCE = 1e-6
EXACT_SINGLE = 2**24
"""Whole numbers up to this are exact in float32: steps are counted, and places in tables found, with them."""
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


class Colony:
    """Creatures that live alike; `zoophyte.Herd` says what each argument is.

    Args:
        models: bodies; descriptions are compiled.
        habitat: where each lives.
        controllers: one for all, or one for each.
        dt: step [s].
        lanes: creatures in one register.
        slots: contacts of one creature at one time.
        sweeps: Gauss–Seidel sweeps in a step, at most.
        dtype: float64 or float32.
        device: "cpu" or "cuda".
    """

    def __init__(
        self, models: Sequence[Model | Description], habitat: Habitat, controllers: Any = None, *, dt: float, lanes: int,
        slots: int = SLOTS, sweeps: int = 30, dtype: Any = np.float64, device: str = "cpu",
    ) -> None:  # fmt: skip
        if not isinstance(habitat, Habitat):
            raise UsageError(f"habitat is {brief(habitat)}, must be a Habitat.")
        if not (is_number(dt) and math.isfinite(dt) and dt > 0.0):
            raise UsageError(f"dt is {dt!r}, must be a positive number of seconds.")
        for name, value in (("slots", slots), ("sweeps", sweeps)):
            if not is_count(value):
                raise UsageError(f"{name} is {value!r}, must be a whole number from 1 to 10000.")
        self.habitat, self.dt, self.lanes, self.device = habitat, float(dt), lanes, device
        self.settings = ContactSettings(habitat.ground, habitat.surface, sweeps, slots=slots, sleep=False)
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise UsageError(f"dtype is {dtype!r}, must be float64 or float32.")
        self.models = [_model(body, n) for n, body in enumerate(models)]
        self.controllers = _one_each(controllers, len(self.models))
        self.creatures = self._creatures()

    def __len__(self) -> int:
        return len(self.models)

    def _creatures(self) -> list[Creature]:
        bodies: dict[int, Body] = {}
        plans: dict[tuple[int, int], LifePlan] = {}
        found = []
        for number, (model, controller) in enumerate(zip(self.models, self.controllers, strict=True)):
            if id(model) not in bodies:
                bodies[id(model)] = Body.of(model)
            key = (id(model), id(controller))
            if key not in plans:
                plans[key] = self._plan(number, model, controller)
            found.append(Creature(model, bodies[id(model)], plans[key]))
        return found

    def _plan(self, number: int, model: Model, controller: Any) -> LifePlan:
        if controller is None:
            return LifePlan()
        if not hasattr(controller, "life_plan"):
            raise UsageError(
                f"creature {number} ({model.name}): a {type(controller).__name__} cannot run inside a herd; use Hold, "
                "Sine, Table, Spectral, Oscillators or Neurons of zoophyte.control, or give it a method life_plan(model)."
            )
        refuse_strange(controller, f"creature {number} ({model.name}): ")
        plan: LifePlan = (
            controller.life_plan(model) if callable(controller.life_plan) else controller.life_plan
        )
        if not isinstance(plan, LifePlan):
            raise UsageError(
                f"creature {number} ({model.name}): life_plan of its {type(controller).__name__} gives {brief(plan)}, must "
                "be a method that returns a LifePlan."
            )
        for time, words in ((plan.period, "acts every"), (plan.begin, "begins after")):
            steps = time / self.dt
            if time > 0.0 and (round(steps) < 1 or abs(steps - round(steps)) > TIME_TOLERANCE * steps):
                raise UsageError(
                    f"creature {number} ({model.name}): its controller {words} {time:g} s, which is not a whole number of "
                    f"steps of {self.dt:g} s; choose dt or the times of the controller so that it is."
                )
        return plan

    def terms(
        self, seconds: float, stops: Stops | None, guards: Guards | None, settle: float, sample_every: float,
        check_every: float,
    ) -> Terms:  # fmt: skip
        """What is asked of every life, in steps."""
        for name, value, least in (("seconds", seconds, 0.0), ("settle", settle, 0.0),
                                   ("sample_every", sample_every, self.dt), ("check_every", check_every, 0.0)):  # fmt: skip
            if not (is_number(value) and math.isfinite(value) and value >= least):
                raise UsageError(f"{name} is {value!r}, must be a finite number, {least:g} or more [s].")
        steps = math.ceil(seconds / self.dt - TIME_TOLERANCE)
        if steps > MOST_STEPS:
            raise UsageError(
                f"{seconds:g} s at dt {self.dt:g} s are more than {MOST_STEPS:,} steps; raise dt."
            )
        if steps > EXACT_SINGLE and self.dtype == np.float32:
            raise UsageError(
                f"{seconds:g} s at dt {self.dt:g} s are more steps than float32 can count ({EXACT_SINGLE:,}); raise dt, "
                "or use float64."
            )
        stops, guards = stops or Stops(), guards or Guards()

        def whole(time: float) -> int:
            return max(1, round(time / self.dt))

        return Terms(
            steps=steps, check_every=whole(check_every), settle=round(settle / self.dt),
            sample_every=whole(sample_every),
            fall_height=-math.inf if stops.height is None else stops.height,
            fall_upright=-math.inf if stops.tilt is None else math.cos(min(stops.tilt, math.pi)),
            range=math.inf if stops.distance is None else stops.distance,
            least_motion=-math.inf if stops.motion is None else stops.motion, window=whole(stops.window),
            gain=math.inf if guards.energy is None else guards.energy, gain_share=guards.share,
            speed=math.inf if guards.speed is None else guards.speed,
            depth=math.inf if guards.depth is None else guards.depth,
        )  # fmt: skip

    def birth(self, number: int, given: State | None) -> State:
        """The state in which a life begins: with the commands that its controller gives at birth.

        Raises:
            UsageError: when it does not fit the body, or no life can begin so.
        """
        creature = self.creatures[number]
        state = State.neutral(creature.model) if given is None else given.checked(creature.model)
        refuse_unfit(creature.model, self.habitat.ground, state)
        clock = state.clock if state.clock[2] == self.dt else (state.time, 0, self.dt)
        plan = creature.plan
        if (plan.period > 0.0 or plan.begin > 0.0) and state.time != 0.0:
            raise UsageError(
                f"creature {number} ({creature.model.name}) begins at {state.time:g} s, but in a herd a controller that "
                "acts at a rate, or later, begins at 0 s; set the clock of the state back, or go on in a World."
            )
        if not (plan.begin > 0.0 or plan.signals is not None or plan.period > 0.0 or plan.flows):
            return replace(state, clock=clock)
        told = np.zeros(0) if plan.signals is None or plan.begin > 0.0 else plan.signals
        return replace(state, clock=clock, command=told, applied=np.zeros(0))

    def depth_at_birth(self, number: int, state: State) -> float:
        """How deep a creature's shapes may be in each other when its life begins in a state [m]."""
        return allowed_depth(self.models[number], self.habitat.ground, state)

    def refuse_outliving(self, seconds: float, begin: Sequence[State | None]) -> None:
        """Refuse lives that last longer than their controllers have commands, or than clocks are exact."""
        for number, (controller, state) in enumerate(zip(self.controllers, begin, strict=True)):
            end = seconds if state is None else state.checked(self.models[number]).time + seconds
            if state is not None:
                refuse_blurred(f"creature {number} ({self.models[number].name})", end, self.dt)
            if hasattr(controller, "lasts"):
                refuse_outliving(controller, end, f"creature {number} ({self.models[number].name})")

    def pen(self, numbers: Sequence[int], terms: Terms, *, mixed: bool | None = None) -> Pen:
        """An empty pen for some of the creatures."""
        pen = Pen(
            [self.creatures[n] for n in numbers], self.lanes, self.settings, self.habitat.gravity, self.dt,
            terms.sample_room, mixed=mixed, dtype=self.dtype, in_medium=self.habitat.medium,
        )  # fmt: skip
        if self.dtype == np.float32 and max(len(pen.data), pen.scratch_size) > EXACT_SINGLE:
            raise UsageError(
                f"{self.lanes} creatures like {self.models[numbers[0]].name} need more numbers than float32 can count "
                f"({EXACT_SINGLE:,}): shorten the tables of their controllers, give fewer slots or a smaller width, or use "
                "float64."
            )
        pen.life.terms = terms
        return pen

    def queues(self) -> list[Queue]:
        """Who may share pens, and in which order they are taken: like to like, large before small."""
        bodies = {id(creature.body): creature.body for creature in self.creatures}
        kind_of, alike = self._kinds(), self._has_form_for_likes()
        ranks = {
            key: rank for rank, (key, _) in enumerate(sorted(bodies.items(), key=lambda item: item[1].order))
        }
        groups: dict[Any, list[int]] = {}
        for number, creature in enumerate(self.creatures):
            kind = kind_of.get(id(creature.body)) if alike else None
            large = len(creature.body.links) > SHARED_LINKS
            unlike = (True, creature.body.topology if large else creature.body.holds)
            group = unlike if kind is None else (False, kind)
            groups.setdefault(group, []).append(number)

        def rank(number: int) -> int:
            return -ranks[id(self.creatures[number].body)]

        return [Queue(deque(sorted(group, key=rank)), mixed) for (mixed, _), group in groups.items()]

    def _kinds(self) -> dict[int, int]:
        """For each body of which enough are alike to fill registers: the number of its topology.

        None on a GPU, where threads gather as fast as they load.
        """
        if self.device != "cpu":
            return {}
        # Herds of many equal creatures share their bodies: what is long to compare is compared once for each.
        bodies, known = {id(creature.body): creature.body for creature in self.creatures}, dict[Any, int]()
        kinds = {key: known.setdefault(body.topology, len(known)) for key, body in bodies.items()}
        counts = Counter(kinds[id(creature.body)] for creature in self.creatures)
        needed = UNIFORM_FROM * self.lanes if len(counts) > 1 else 1
        return {key: kind for key, kind in kinds.items() if counts[kind] >= needed}

    def _has_form_for_likes(self) -> bool:
        """Whether like bodies live in the form of their own, which is quicker.

        The form for unlike bodies gives the same bits: where only that one is compiled, it serves all.
        """
        return self.is_at_hand(mixed=False) or not self.is_at_hand(mixed=True)

    def is_at_hand(self, *, mixed: bool) -> bool:
        """Whether what lives of unlike or of like bodies need is compiled."""
        return all(form.is_at_hand() for form in self.forms(mixed=mixed))

    def forms(self, *, mixed: bool) -> tuple[Form, ...]:
        """What lives of unlike or of like bodies need of compiled code."""
        return herd_forms(self.lanes, mixed=mixed, dtype=self.dtype.name)


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


def is_count(value: Any) -> bool:
    """Whether it is a whole number from 1 to 10000."""
    return isinstance(value, int) and 1 <= value <= 10**4


def _model(body: Any, number: int) -> Model:
    if not isinstance(body, Model | Description):
        raise UsageError(f"models[{number}] is {brief(body)}, must be a model or a description.")
    return compile_model(body) if isinstance(body, Description) else body


def _one_each(controllers: Any, count: int) -> list[Any]:
    """One controller per creature."""
    if controllers is None or hasattr(controllers, "command"):
        return [controllers] * count
    if not isinstance(controllers, Sequence) or len(controllers) != count:
        size = f"{len(controllers)} controllers" if isinstance(controllers, Sequence) else brief(controllers)
        raise UsageError(
            f"controllers is {size}, must be one for all, or one for each of the {count} creatures."
        )
    known: set[type] = {type(None)}
    for number, controller in enumerate(controllers):
        if type(controller) in known:  # a look at the protocol takes long
            continue
        if not isinstance(controller, Controller):
            raise UsageError(
                f"controllers[{number}] is {brief(controller)}, must be a controller or None: it lacks one of period, "
                "begin(model), command(senses, memory)."
            )
        known.add(type(controller))
    return list(controllers)
