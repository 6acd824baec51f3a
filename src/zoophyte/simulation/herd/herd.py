"""Herd: many lives at once, of bodies that may all differ, in SIMD lanes and threads."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from zoophyte.control import Controller
from zoophyte.description import Description
from zoophyte.errors import UsageError, brief, hinting, is_number
from zoophyte.model import Model, State
from zoophyte.physics.entries import LANES, SINGLE_LANES, compile_ahead, herd_forms
from zoophyte.simulation.habitat import STANDARD_HABITAT, Habitat
from zoophyte.simulation.herd.crew import work_off
from zoophyte.simulation.herd.running import Running
from zoophyte.simulation.lifetime.pace import warn_of_step
from zoophyte.simulation.lifetime.units import warn_of_degrees
from zoophyte.simulation.living.colony import EXACT_SINGLE, SLOTS, Colony, is_count, one_state_each
from zoophyte.simulation.living.conditions import Guards, Stops
from zoophyte.simulation.living.keeping import checked_keep
from zoophyte.simulation.living.life import Life
from zoophyte.simulation.world import World

WIDTHS = (4, 8, 16)
DEVICES = ("cpu", "cuda")
LOOKED_AT = 8
"""Creatures whose sizes tell whether the step is absurd: all of thousands would take longer than it is worth."""
LONG = 1e5
"""A life that is ended from outside [s]."""
LIKE_PAYS = 2.5e8
"""Creature-steps from which the form for like bodies pays: compiling takes 38 s, and a step of an ant 0.15 µs less in it."""


@hinting
class Herd(Colony):
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

    def __init__(
        self, models: Sequence[Model | Description], habitat: Habitat = STANDARD_HABITAT,
        controllers: Controller | Sequence[Controller | None] | None = None, *, dt: float = 5e-3,
        width: int | None = None, workers: int | None = None, slots: int = SLOTS, sweeps: int = 30,
        dtype: Any = np.float64, device: str = "cpu",
    ) -> None:  # fmt: skip
        given: Any = models
        if not isinstance(given, Sequence) or not len(given):  # neither models nor descriptions are sequences
            told = "must be a list of one or more models or descriptions"
            raise UsageError(f"models is {brief(models)}, {told}.")
        if width not in (None, *WIDTHS):
            raise UsageError(f"width is {width!r}, must be one of {', '.join(map(str, WIDTHS))}.")
        if workers is not None and not is_count(workers):
            raise UsageError(f"workers is {workers!r}, must be a whole number of threads, 1 or more.")
        if device not in DEVICES:
            raise UsageError(f"device is {device!r}, must be 'cpu' or 'cuda'.")
        lanes = width or LANES
        if device == "cuda":
            from zoophyte.numbers.cuda import require_device
            from zoophyte.physics.cuda.lives import lanes_for

            require_device()
            if width is not None:
                raise UsageError(f"width is {width!r}, but on a GPU a herd chooses its own; leave it out.")
            dtype, lanes = np.float32, lanes_for(len(models))
        super().__init__(
            models, habitat, controllers, dt=dt, lanes=lanes, slots=slots, sweeps=sweeps, dtype=dtype, device=device
        )  # fmt: skip
        self.workers = workers or os.cpu_count() or 1
        self._widen(width)
        warn_of_step(self.models[:LOOKED_AT], habitat.gravity, self.dt, stacklevel=4)
        warn_of_degrees(self.models[:LOOKED_AT], stacklevel=4)

    def _widen(self, width: int | None) -> None:
        """Take more lanes in float32 if none of them will have to gather; one, as a World, for who is alone in float64."""
        if width is None and self.device == "cpu" and len(self) == 1 and self.dtype == np.float64:
            others = any(self.is_at_hand(mixed=mixed) for mixed in (False, True))
            alone = all(form.is_at_hand() for form in herd_forms(1, mixed=False))
            self.lanes = 1 if alone or not others else LANES
        if width is None and self.device == "cpu" and self.dtype == np.float32:
            usual, self.lanes = self.lanes, SINGLE_LANES
            if any(queue.mixed for queue in self.queues()):
                self.lanes = usual

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
        born = [self.birth(number, state) for number, state in enumerate(begin)]
        return work_off(self, born, terms, self.workers, keep_final=keep_final, keep=keep)

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
        return Running(self, begin, terms, self.workers)

    def compile_ahead(self, steps: int) -> None:
        """Compile what is missing for lives of so many steps."""
        wanted = {form for queue in self.queues() for form in self.forms(mixed=queue.mixed)}
        if len(self) * steps >= LIKE_PAYS and self._kinds():
            wanted |= set(self.forms(mixed=False))
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
