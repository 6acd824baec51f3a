"""Lifetime: one run of a World, from its first state to its end."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zoophyte.control import Command, Senses
from zoophyte.control.controller import answer_of, refuse_idle, refuse_not_finite, signature_of
from zoophyte.errors import UsageError, real_numbers
from zoophyte.model import Block, State
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.numbers.forms import compiled
from zoophyte.physics.contact.touch import begin_touching_step
from zoophyte.physics.entries import TOUCHING_WORLD, WORLD, compile_ahead
from zoophyte.physics.lives.lives import lives
from zoophyte.physics.step import INTEGRATORS, SPEED_LIMIT, STAGES, begin_stage, end_stage, life
from zoophyte.simulation.lifetime.lived import lived_number
from zoophyte.simulation.lifetime.slices import Slices
from zoophyte.simulation.overlaps import part_overlaps
from zoophyte.simulation.record import Recorder, beyond_numbers, ended
from zoophyte.simulation.status import Status, advice, too_many_contacts
from zoophyte.simulation.touching import remembered_forces
from zoophyte.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from zoophyte.simulation.world import World

Progress = Callable[[float], None]

STEPS_TO_PROGRESS = 1000
"""From one call of `progress` to the next, at most."""
TIME_TOLERANCE = 1e-9
"""Part of a step below which two times are the same: clocks are sums of a few roundings of about 1e-16."""


class Lifetime:
    """One run of a world: a block of one creature, its clock, its controller's memory and its record.

    Args:
        world: what lives, and where.
        state: where it begins.
        seconds: how long [s].
        record_rate: frames per second to keep; every step if None.
        progress: called now and then with the share that is lived.
    """

    def __init__(
        self, world: World, state: State, seconds: float, record_rate: float | None, progress: Progress | None
    ) -> None:
        self.world, self.model, self.controller = world, world.model, world.controller
        self.progress, self.seconds = progress, seconds
        if state.clock[2] != world.dt:
            state = replace(state, clock=(state.time, 0, world.dt))
        habitat = world.habitat
        compile_ahead(WORLD if world.contact is None else TOUCHING_WORLD)
        self.block = Block(
            [self.model], gravity=habitat.gravity, contact=world.contact, medium=habitat.medium
        )
        self.block.set_state(0, state)
        self.block.set_step(world.dt)
        self.header = self.block.fields[:, 0]
        self.method = INTEGRATORS[world.integrator]
        self.block.set_flags(at.FLAG_IMPLICIT, world.integrator in ("implicit", "ros2"))
        self.alarm, self.memory, self.signature = state.alarm, state.memory, signature_of(self.controller)
        if self.controller is None:
            self.alarm = math.inf
        elif state.signature != self.signature:  # the state comes from another controller, or from none
            self.alarm, self.memory = state.time, self.controller.begin(self.model)
        self.lived, self.stepped = state.lived, False
        self.slices = Slices()
        self.end = state.time + seconds
        stride = 1 if record_rate is None else max(1, round(1.0 / (record_rate * world.dt)))
        self.record = Recorder(self.block, stride)
        arrays = (self.block.ints, self.block.data, self.block.scratch)
        self.touching = self.block.contact is not None
        if self.touching:
            part_overlaps(self.block, state, habitat.ground, resolve=world.overlap == "resolve")
            more = (self.block.terrain, self.block.orders, 1, self.block.spec)
            self.life = compiled(lives).ready(*arrays, *more)
        else:
            self.life = compiled(life).ready(*arrays, self.method, 1, self.block.spec)

    @property
    def time(self) -> float:
        """Now [s]."""
        return float(self.header[at.START] + self.header[at.COUNT] * self.header[at.DT])

    def run(self) -> Trajectory:
        """Until the end, or until something diverges."""
        tolerance = TIME_TOLERANCE * self.world.dt
        self._ask_if_due()  # before the first frame, which shows what the controller drives
        self.record.begin(self.time)
        while self.time < self.end - tolerance and self._sound():
            self._ask_if_due()
            self._advance()
        final = self._final()
        arrays = self.record.arrays()
        life = Trajectory(
            **arrays, status=self._status(arrays), final=final, description=self.model.description,
            dt=self.world.dt, integrator=self.world.integrator, gravity=self.world.habitat.gravity,
            ground=self.world.habitat.ground, surface=self.world.habitat.surface, events=tuple(self.record.events),
            medium=self.world.habitat.medium, lived=lived_number(self.model, self.world.habitat.ground, arrays["q"]),
        )  # fmt: skip
        vars(life)["model"] = self.model  # it need not be compiled again
        return life

    def _final(self) -> State:
        state = self.block.state(memory=self.memory, alarm=self.alarm)
        lived = lived_number(self.model, self.world.habitat.ground, state.q) if self.stepped else self.lived
        return replace(state, signature=self.signature, lived=lived)

    def _ask_if_due(self) -> None:
        if self.controller is None or self.time < self.alarm - TIME_TOLERANCE * self.world.dt:
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
        """That many steps, pausing at frames where the kernel keeps none."""
        self.stepped = self.stepped or steps > 0
        asked = self.controller is not None and self.controller.period == 0.0
        while steps > 0 and self._sound():
            pauses = asked or not self.touching or self.progress is not None
            chunk = min(steps, self.record.steps_to_next) if pauses else steps
            if self.progress is not None:
                self.progress(1.0 - max(self.end - self.time, 0.0) / max(self.seconds, self.world.dt))
                chunk = min(chunk, STEPS_TO_PROGRESS)
            if asked:
                for _ in range(chunk):
                    self._step_with_controller()
            else:
                self.slices.run(self._advance_block, chunk)
            steps -= chunk
            if not self.touching and self._sound():
                self.record.advance(chunk, self.time)

    def _advance_block(self, steps: int) -> int:
        """Steps between which nobody is asked; those that were done, fewer where life is broken off."""
        arrays, spec, done = (self.block.ints, self.block.data, self.block.scratch), self.block.spec, 0
        if not self.touching:
            self.life(*arrays, self.method, steps, spec)
            return steps
        while done < steps and self._sound():
            done += self.life(*arrays, self.block.terrain, self.record.log, steps - done, spec)
            self.record.make_room()
        return done

    def _step_with_controller(self) -> None:
        """One step whose controller is asked at every force evaluation."""
        block = self.block
        if self.touching:
            compiled(begin_touching_step)(block.data, block.spec)
            self._ask_controller(float(self.header[at.STAGE_TIME]))
            self._advance_block(1)
            return
        for stage in range(STAGES[self.method]):
            compiled(begin_stage)(block.ints, block.data, block.scratch, self.method, stage, block.spec)
            self._ask_controller(float(self.header[at.STAGE_TIME]))
            compiled(end_stage)(block.ints, block.data, block.scratch, self.method, stage, block.spec)

    def _ask_controller(self, time: float | None = None) -> None:
        """Call the controller, load its command and set the next alarm."""
        assert self.controller is not None
        time = self.time if time is None else time
        touch = remembered_forces(self.block)
        habitat = self.world.habitat
        q, v = self.block.q(), self.block.v()
        senses = Senses(self.model, time, q, v, touch, habitat.ground, habitat.gravity)
        command, self.memory = answer_of(self.controller, self.controller.command(senses, self.memory))
        self.record.read()
        self._load(command)
        period = self.controller.period
        if command.next_call is not None:
            if not command.next_call > time + TIME_TOLERANCE * self.world.dt:
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
            habitat, sunken = self.world.habitat, self.record.sunken
            return beyond_numbers(arrays) or ended(self.time, self.model, habitat, arrays, sunken=sunken)
        if self._overflowed():
            assert self.block.contact is not None
            return Status(
                "overflowed", self.time, "", too_many_contacts(self.block.contact.capacity, "World")
            )
        link = int(self.header[at.FAILED_LINK])
        body = self.model.bodies.names[self.model.links.body[link]]
        time = float(self.header[at.START] + self.header[at.FAILED_COUNT] * self.header[at.DT])
        how = advice(self.world.integrator, touching=self.touching)
        reason = f"its velocity is not finite or beyond {SPEED_LIMIT:g}; {how}"
        return Status("diverged", time, body, reason)
