"""Herd: many lives at once, of bodies that may all differ, in SIMD lanes and threads."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from zoophyte.control import Controller
from zoophyte.control.controller import refuse_outliving, refuse_strange
from zoophyte.description import Description
from zoophyte.errors import UsageError, brief, hinting, is_number
from zoophyte.model import ContactSettings, Model, State
from zoophyte.model import compile as compile_model
from zoophyte.model.herd.packing import Body, Creature
from zoophyte.model.herd.pen import Pen
from zoophyte.model.herd.plans import LifePlan, Terms
from zoophyte.physics.entries import LANES, SINGLE_LANES, Form, compile_ahead
from zoophyte.simulation.habitat import STANDARD_HABITAT, Habitat
from zoophyte.simulation.herd.conditions import Guards, Stops
from zoophyte.simulation.herd.crew import work_off
from zoophyte.simulation.herd.keeping import checked_keep
from zoophyte.simulation.herd.life import Life
from zoophyte.simulation.herd.running import Running
from zoophyte.simulation.herd.worker import MOST_STEPS, Queue, birth, kinds_of, one_state_each
from zoophyte.simulation.lifetime.pace import warn_of_step
from zoophyte.simulation.lifetime.units import warn_of_degrees
from zoophyte.simulation.world import World, refuse_blurred

SLOTS = 128
"""Contacts of one creature at one time, unless told otherwise."""
SHARED_LINKS = 256
"""Bodies of more links share registers with like ones only: a sequence that holds two unlike ones takes n² time and room."""
WIDTHS = (4, 8, 16)
DEVICES = ("cpu", "cuda")
UNIFORM_FROM = 1
"""A topology that fills this many registers gets pens of its own when others are there too."""
TIME_TOLERANCE = 1e-6
LOOKED_AT = 8
"""Creatures whose sizes tell whether the step is absurd: all of thousands would take longer than it is worth."""
LONG = 1e5
"""A life that is ended from outside [s]."""
LIKE_PAYS = 2.5e8
"""Creature-steps from which the form for like bodies pays: compiling takes 38 s, and a step of an ant 0.15 µs less in it."""
EXACT_SINGLE = 2**24
"""Whole numbers up to this are exact in float32: steps are counted, and places in tables found, with them."""


@hinting
class Herd:
    """Creatures that live at the same time, each in a world of its own.

    A life has the same bits whoever else is there, in whatever order, on however many threads; and those of a World with
    the same body, controller and step, where something touches or is limited.

    Args:
        models: bodies, all different if you like; descriptions are compiled.
        habitat: where each lives.
        controllers: one for all, or one for each; None leaves commands as they are.
        dt: step [s].
        width: creatures in one register: 4, 8 or 16; if left out 8, or 16 in float32 where nobody shares a register with
            an unlike body, which is what was fastest; and 1 for who is alone in float64.
        workers: threads; as many as there are processors if left out.
        slots: contacts of one creature at one time.
        sweeps: Gauss–Seidel sweeps in a step, at most.
        dtype: float64; or float32, which takes half to three quarters of the time and has limits: heavy loads on light
            limbs, walks ten kilometres away, conservation to the seventh digit; docs/concepts/herd.md has figures.
        device: where they live: "cpu"; or "cuda", a GPU, always in float32.
    """

    least = 1
    """Creatures that there must be."""

    def __init__(
        self, models: Sequence[Model | Description], habitat: Habitat = STANDARD_HABITAT,
        controllers: Controller | Sequence[Controller | None] | None = None, *, dt: float = 5e-3,
        width: int | None = None, workers: int | None = None, slots: int = SLOTS, sweeps: int = 30,
        dtype: Any = np.float64, device: str = "cpu",
    ) -> None:  # fmt: skip
        if not (_is_list(models) and len(models) >= self.least):
            raise UsageError(
                f"models is {brief(models)}, must be a list of one or more models or descriptions."
            )
        if not isinstance(habitat, Habitat):
            raise UsageError(f"habitat is {brief(habitat)}, must be a Habitat.")
        if not (is_number(dt) and math.isfinite(dt) and dt > 0.0):
            raise UsageError(f"dt is {dt!r}, must be a positive number of seconds.")
        if width not in (None, *WIDTHS):
            raise UsageError(f"width is {width!r}, must be one of {', '.join(map(str, WIDTHS))}.")
        if workers is not None and not _is_count(workers):
            raise UsageError(f"workers is {workers!r}, must be a whole number of threads, 1 or more.")
        for name, value in (("slots", slots), ("sweeps", sweeps)):
            if not _is_count(value):
                raise UsageError(f"{name} is {value!r}, must be a whole number from 1 to 10000.")
        if device not in DEVICES:
            raise UsageError(f"device is {device!r}, must be 'cpu' or 'cuda'.")
        self.device, lanes = device, width or LANES
        if device == "cuda":
            dtype, lanes = self.form_on_cuda(len(models), width)
        self.habitat, self.dt, self.lanes = habitat, float(dt), lanes
        self.workers = workers or os.cpu_count() or 1
        self.settings = ContactSettings(habitat.ground, habitat.surface, sweeps, slots=slots, sleep=False)
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise UsageError(f"dtype is {dtype!r}, must be float64 or float32.")
        self.models = [_model(body, n) for n, body in enumerate(models)]
        self.controllers = _one_each(controllers, len(self.models))
        self.creatures = self._creatures()
        self._widen(width)
        warn_of_step(self.models[:LOOKED_AT], habitat.gravity, self.dt, stacklevel=4)
        warn_of_degrees(self.models[:LOOKED_AT], stacklevel=4)

    def __len__(self) -> int:
        return len(self.models)

    def form_on_cuda(self, count: int, width: int | None) -> tuple[Any, int]:
        """Numbers and lanes on a GPU, which must be there; those who fill its pens elsewhere say this otherwise.

        Args:
            count: of creatures.
            width: as it was asked for.
        """
        from zoophyte.numbers.cuda import require_device
        from zoophyte.physics.cuda.lives import lanes_for

        require_device()
        if width is not None:
            raise UsageError(f"width is {width!r}, but on a GPU a herd chooses its own; leave it out.")
        return np.float32, lanes_for(count)

    def _widen(self, width: int | None) -> None:
        """Take more lanes in float32 if none of them will have to gather; one, as a World, for who is alone in float64."""
        if width is None and self.device == "cpu" and len(self) == 1 and self.dtype == np.float64:
            others = any(self.form(mixed=mixed).is_at_hand() for mixed in (False, True))
            self.lanes = 1 if Form("lives").is_at_hand() or not others else LANES
        if width is None and self.device == "cpu" and self.dtype == np.float32:
            usual, self.lanes = self.lanes, SINGLE_LANES
            if any(queue.mixed for queue in self.queues()):
                self.lanes = usual

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

    def simulate(
        self, seconds: float, states: Sequence[State | None] | None = None, *, stops: Stops | None = None,
        guards: Guards | None = None, settle: float = 0.0, sample_every: float = 1.0, check_every: float = 0.05,
        keep_final: bool = True, keep: Sequence[str] = (),
    ) -> list[Life]:  # fmt: skip
        """Let all of them live for `seconds`, or until they fall, stray, idle, diverge or cheat.

        Args:
            seconds: how long [s].
            states: where they begin; neutral where left out.
            stops: what ends a life early; nothing if left out.
            guards: what makes a life `cheated`; the usual ones if left out.
            settle: time from which distances count [s].
            sample_every: time from one sample to the next [s].
            check_every: time from one look at stops and guards to the next [s].
            keep_final: whether to keep the last state of each.
            keep: what else to keep at every sample, on the CPU: "joints", "bodies", "contacts". What is not asked for costs
                nothing.

        Returns:
            One life each, in the order of the models.

        Raises:
            Interrupted: at Ctrl-C, with what has been lived until then.
        """
        terms = self.terms(seconds, stops, guards, settle, sample_every, check_every)
        begin, keep = one_state_each(len(self), states), checked_keep(keep)
        self.refuse_outliving(seconds, begin)
        if self.device == "cuda":
            from zoophyte.simulation.herd.device import lives_on_device, refuse_keeping

            refuse_keeping(keep)
            return lives_on_device(self, begin, terms, keep_final)
        self.compile_ahead(terms.steps)
        born = [birth(self, number, state) for number, state in enumerate(begin)]
        return work_off(self, born, terms, keep_final, keep)

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

    def begin(
        self, states: Sequence[State | None] | None = None, *, seconds: float = LONG, stops: Stops | None = None,
        guards: Guards | None = None, check_every: float = 0.05,
    ) -> Running:  # fmt: skip
        """All creatures in memory at once, to be moved on a few steps at a time, commanded and reset from outside.

        Args:
            states: where they begin; neutral where left out.
            seconds: how long each may live [s].
            stops: what ends a life early.
            guards: what makes a life `cheated`.
            check_every: time from one look at stops and guards to the next [s].
        """
        if self.device != "cpu":
            raise UsageError("begin() is for herds on the CPU; give Herd device='cpu', or use simulate().")
        if self.dtype == np.float32 and seconds == LONG:
            seconds = min(LONG, EXACT_SINGLE * self.dt)  # float32 counts no further
        # Nobody samples these lives, however long they are, and however long a step.
        never = max(LONG, self.dt, seconds) if is_number(seconds) and math.isfinite(seconds) else LONG
        terms = self.terms(seconds, stops, guards, 0.0, never, check_every)
        begin = one_state_each(len(self), states)
        self.refuse_outliving(seconds, begin)
        self.compile_ahead(terms.steps)
        return Running(self, begin, terms)

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
        """Which bodies have enough like ones to fill registers; none on a GPU, where threads gather as fast as they load."""
        return kinds_of(self.creatures, UNIFORM_FROM * self.lanes) if self.device == "cpu" else {}

    def _has_form_for_likes(self) -> bool:
        """Whether like bodies live in the form of their own, which is quicker.

        The form for unlike bodies gives the same bits: where only that one is compiled, it serves all.
        """
        return self.form(mixed=False).is_at_hand() or not self.form(mixed=True).is_at_hand()

    def form(self, *, mixed: bool) -> Form:
        """The kernel for lives of unlike or of like bodies."""
        return Form("lives", self.lanes, mixed, self.dtype.name)

    def compile_ahead(self, steps: int) -> None:
        """Compile what is missing for lives of so many steps."""
        wanted = {self.form(mixed=queue.mixed) for queue in self.queues()}
        if len(self) * steps >= LIKE_PAYS:
            wanted |= {self.form(mixed=False)} if self._kinds() else set()
        compile_ahead(wanted)

    def world(self, number: int) -> World:
        """The world of one creature, to see its life again in full: the same bits, with a trajectory."""
        if not 0 <= number < len(self):
            raise UsageError(f"creature {number} is out of range; there are {len(self)}.")
        return World(
            self.models[number], self.habitat, self.controllers[number], self.dt, integrator="implicit",
            slots=self.settings.slots, sweeps=self.settings.sweeps, sleep=False, dtype=self.dtype,
        )  # fmt: skip

    def halved(self, numbers: Sequence[int] | None = None) -> Herd:
        """Some or all of the creatures again, with half the step: who has exploited the step's errors fares otherwise."""
        chosen = range(len(self)) if numbers is None else numbers
        return Herd(
            [self.models[n] for n in chosen], self.habitat, [self.controllers[n] for n in chosen], dt=0.5 * self.dt,
            width=self.lanes if self.lanes in WIDTHS else None, workers=self.workers,
            slots=self.settings.slots or SLOTS, sweeps=self.settings.sweeps, dtype=self.dtype, device=self.device,
        )  # fmt: skip


def _is_list(models: Any) -> bool:
    return isinstance(models, Sequence) and not isinstance(models, Model | Description)


def _is_count(value: Any) -> bool:
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
