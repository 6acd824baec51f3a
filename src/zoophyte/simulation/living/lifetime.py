"""Lifetime: one run of a World, from its first state to its end."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from zoophyte.control import Command, Senses
from zoophyte.control.controller import answer_of, refuse_idle, refuse_not_finite, signature_of
from zoophyte.errors import UsageError, real_numbers
from zoophyte.model import State
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.physics.living import advance_noted, evaluate_and_integrate, set_evaluation_point
from zoophyte.physics.step import EVALUATIONS, SPEED_LIMIT
from zoophyte.simulation.lifetime.lived import lived_number
from zoophyte.simulation.lifetime.slices import Slices
from zoophyte.simulation.living.setting import Setting, begin, trajectory_of
from zoophyte.simulation.overlaps import part_overlaps
from zoophyte.simulation.record import beyond_numbers, ended
from zoophyte.simulation.status import Status, advice, too_many_contacts
from zoophyte.simulation.touching import remembered_forces
from zoophyte.simulation.trajectory import Trajectory

Progress = Callable[[float], None]

STEPS_TO_PROGRESS = 1000
"""From one call of `progress` to the next, at most."""
TIME_TOLERANCE = 1e-9
"""Part of a step below which two times are the same: clocks are sums of a few roundings of about 1e-16."""


class Lifetime:
    """One run of a world: a block of one creature, its clock, its controller's memory and its record.

    Args:
        setting: what lives, and where.
        state: where it begins.
        seconds: how long [s].
        record_rate: frames per second to keep; every step if None.
        progress: called now and then with the share that is lived.
    """

    def __init__(
        self,
        setting: Setting,
        state: State,
        seconds: float,
        record_rate: float | None,
        progress: Progress | None,
    ) -> None:
        self.setting, self.model, self.controller = setting, setting.model, setting.controller
        self.progress, self.seconds = progress, seconds
        if state.clock[2] != setting.dt:
            state = replace(state, clock=(state.time, 0, setting.dt))
        self.record = begin(setting, state, record_rate)
        self.block = self.record.block
        self.header = self.block.fields[:, 0]
        self.alarm, self.memory, self.signature = state.alarm, state.memory, signature_of(self.controller)
        if self.controller is None:
            self.alarm = math.inf
        elif state.signature != self.signature:  # the state comes from another controller, or from none
            self.alarm, self.memory = state.time, self.controller.begin(self.model)
        self.lived, self.stepped = state.lived, False
        self.slices = Slices()
        self.end = state.time + seconds
        self.touching = self.block.contact is not None
        if self.touching:
            part_overlaps(self.block, state, setting.habitat.ground, resolve=setting.overlap == "resolve")

    @property
    def time(self) -> float:
        """Now [s]."""
        return float(self.header[at.START] + self.header[at.COUNT] * self.header[at.DT])

    def run(self) -> Trajectory:
        """Until the end, or until something diverges."""
        tolerance = TIME_TOLERANCE * self.setting.dt
        self._ask_if_due()  # before the first frame, which shows what the controller drives
        self.record.begin(self.time)
        while self.time < self.end - tolerance and self._sound():
            self._ask_if_due()
            self._advance()
        final = self._final()
        arrays = self.record.arrays()
        return trajectory_of(self.setting, self.record, arrays, self._status(arrays), final)

    def _final(self) -> State:
        state = self.block.state(memory=self.memory, alarm=self.alarm)
        lived = lived_number(self.model, self.setting.habitat.ground, state.q) if self.stepped else self.lived
        return replace(state, signature=self.signature, lived=lived)

    def _ask_if_due(self) -> None:
        if self.controller is None or self.time < self.alarm - TIME_TOLERANCE * self.setting.dt:
            return
        if self.controller.period != 0.0:
            self._ask_controller()

    def _advance(self) -> None:
        """Whole steps until the end is reached; or up to the alarm, with a last step shortened to end exactly there.

        Where a life is broken off changes nothing: all is counted from the clock, which the state keeps.
        """
        start, count, dt = (float(self.header[field]) for field in (at.START, at.COUNT, at.DT))
        alarm = self.alarm if self.alarm > self.time + TIME_TOLERANCE * dt else math.inf
        to_end = math.ceil((self.end - start) / dt - count - TIME_TOLERANCE)
        never = math.isinf(alarm)
        to_alarm = to_end + 1 if never else math.floor((alarm - start) / dt + TIME_TOLERANCE) - int(count)
        if to_end < to_alarm:
            self._step(to_end)
            return
        self._step(to_alarm)
        remainder = alarm - (start + (int(count) + to_alarm) * dt)
        if remainder > TIME_TOLERANCE * dt:
            if self.time >= self.end - TIME_TOLERANCE * dt:
                return
            if self._sound():
                self._set_clock(self.time, remainder)
                self._step(1)
        if self._sound():
            self._set_clock(alarm, dt)

    def _set_clock(self, start: float, dt: float) -> None:
        self.header[at.START], self.header[at.COUNT], self.header[at.DT] = start, 0.0, dt

    def _step(self, steps: int) -> None:
        """That many steps, pausing at frames where somebody is asked or told in between."""
        self.stepped = self.stepped or steps > 0
        asked = self.controller is not None and self.controller.period == 0.0
        while steps > 0 and self._sound():
            chunk = min(steps, self.record.steps_to_next) if asked or self.progress is not None else steps
            if self.progress is not None:
                self.progress(1.0 - max(self.end - self.time, 0.0) / max(self.seconds, self.setting.dt))
                chunk = min(chunk, STEPS_TO_PROGRESS)
            if asked:
                for _ in range(chunk):
                    self._step_with_controller()
            else:
                self.slices.run(self._advance_block, chunk)
            steps -= chunk
            if (
                asked and not self.touching and self._sound()
            ):  # its evaluations are no steps of the kernel, which notes them
                self.record.advance(chunk, self.time)

    def _advance_block(self, steps: int) -> int:
        """Steps between which nobody is asked; those that were done, fewer where life is broken off."""
        done = 0
        while done < steps and self._sound():
            done += advance_noted(self.block, steps - done, self.record.log)
            self.record.make_room()
        return done

    def _step_with_controller(self) -> None:
        """One step whose controller is asked at every force evaluation."""
        for evaluation in range(EVALUATIONS[int(self.block.ints[at.METHOD])]):
            set_evaluation_point(self.block, evaluation)
            self._ask_controller(float(self.header[at.STAGE_TIME]))
            if self.touching:  # sleepers may wake, and somebody watches
                self._advance_block(1)
            else:
                evaluate_and_integrate(self.block, evaluation)

    def _ask_controller(self, time: float | None = None) -> None:
        """Call the controller, load its command and set the next alarm."""
        assert self.controller is not None
        time = self.time if time is None else time
        touch = remembered_forces(self.block)
        habitat = self.setting.habitat
        q, v = self.block.q(), self.block.v()
        senses = Senses(self.model, time, q, v, touch, habitat.ground, habitat.gravity)
        command, self.memory = answer_of(self.controller, self.controller.command(senses, self.memory))
        self.record.read()
        self._load(command)
        period = self.controller.period
        if command.next_call is not None:
            if not command.next_call > time + TIME_TOLERANCE * self.setting.dt:
                raise UsageError(
                    f"the controller's next_call {command.next_call!r} is not after now ({time:g} s) by more than "
                    f"{TIME_TOLERANCE:g} of a step."
                )
            self.alarm = float(command.next_call)
        elif period is None:
            self.alarm = math.inf
        elif period > 0.0:
            self.alarm = (math.floor(time / period + TIME_TOLERANCE) + 1) * period

    def _load(self, command: Command) -> None:
        nv = self.model.nv
        signals = real_numbers(command.signals, f"{self.model.name}: the command's signals")
        torque = real_numbers(command.torque, f"{self.model.name}: the command's torque")
        if signals.shape != (nv, 7) or torque.shape not in ((0,), (nv,)):
            raise UsageError(
                f"{self.model.name}: the command has signals {signals.shape} and torque {torque.shape}, "
                f"must be ({nv}, 7) and ({nv},) or empty."
            )
        refuse_not_finite(self.model, signals, "the command")
        refuse_not_finite(self.model, torque, "the command's torque")
        refuse_idle(self.model, signals)
        self.block.set_command(signals, torque)

    def _sound(self) -> bool:
        return bool(self.header[at.FAILED_LINK] < 0.0) and not self._overflowed()

    def _overflowed(self) -> bool:
        tables = self.block.contact
        return tables is not None and bool(self.header[tables.head + cl.OVERFLOW] > 0.0)

    def _status(self, arrays: dict[str, Any]) -> Status:
        if self._sound():
            habitat, sunken = self.setting.habitat, self.record.sunken
            return beyond_numbers(arrays) or ended(self.time, self.model, habitat, arrays, sunken=sunken)
        if self._overflowed():
            assert self.block.contact is not None
            return Status(
                "overflowed", self.time, "", too_many_contacts(self.block.contact.capacity, "World")
            )
        link = int(self.header[at.FAILED_LINK])
        body = self.model.bodies.names[self.model.links.body[link]]
        time = float(self.header[at.START] + self.header[at.FAILED_COUNT] * self.header[at.DT])
        how = advice(self.setting.integrator, touching=self.touching)
        reason = f"its velocity is not finite or beyond {SPEED_LIMIT:g}; {how}"
        return Status("diverged", time, body, reason)
