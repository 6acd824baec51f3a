"""World: a model, a habitat, a controller and a step size; and its life."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zoophyte.control import Command, Controller, Senses
from zoophyte.control.controller import refuse_idle, signature_of
from zoophyte.description import Description
from zoophyte.errors import UsageError, brief, is_number, nearest
from zoophyte.model import Block, ContactSettings, Model, State, needs_contact
from zoophyte.model import compile as compile_model
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.meetings import PAIR_SHAPES, Meetings
from zoophyte.numbers.forms import compiled
from zoophyte.physics.contact.touch import begin_touching_step
from zoophyte.physics.lives.lives import lives
from zoophyte.physics.step import INTEGRATORS, SPEED_LIMIT, STAGES, begin_stage, end_stage, life
from zoophyte.simulation.habitat import STANDARD_HABITAT, Habitat
from zoophyte.simulation.overlaps import part_overlaps
from zoophyte.simulation.record import Recorder, beyond_numbers, ended
from zoophyte.simulation.status import Status, advice
from zoophyte.simulation.touching import remembered_forces
from zoophyte.simulation.trajectory import Trajectory

Progress = Callable[[float], None]

AUTO = "auto"
MAX_STEPS = 10**9
MAX_NUMBERS = 2**29
"""Numbers that a trajectory may hold: 4 GiB."""
STEPS_TO_PROGRESS = 1000
"""From one call of `progress` to the next, at most."""
TIME_TOLERANCE = 1e-9
"""Part of a step below which two times are the same: clocks are sums of a few roundings of about 1e-16."""


@dataclass(frozen=True, eq=False)
class World:
    """One body in its habitat.

    Args:
        body: a model, or a description to compile.
        habitat: gravity, ground and medium.
        controller: what acts; None leaves the commands of the state as they are.
        dt: step [s].
        integrator: one of `zoophyte.physics.INTEGRATORS`, or "auto": "implicit" where contacts, constraints or limits are
            solved, else the linearly implicit "ros2" for bodies with springs, dampers or servos, else "rk4".
        overlap: what to do with shapes that overlap, and constraints that are open, when life begins: "refuse", or
            "resolve": move them where they belong first.
        slots: contacts at one time; chosen from the shapes if left out.
        sweeps: Gauss–Seidel sweeps in a step, at most.
        sleep: whether, in scenes of many bodies, what rests is left alone until something touches it.
        dtype: float64; or float32, for the life that a herd in float32 lives, to the bit: with a body and a controller
            that a herd takes, the integrator "implicit", and no sleep.
    """

    body: Model | Description
    habitat: Habitat = STANDARD_HABITAT
    controller: Controller | None = None
    dt: float = 1e-3
    integrator: str = AUTO
    overlap: str = "refuse"
    slots: int | None = None
    sweeps: int = 30
    sleep: bool = True
    dtype: Any = np.float64

    def __post_init__(self) -> None:
        if not isinstance(self.body, Model | Description):
            raise UsageError(f"body is {brief(self.body)}, must be a model or a description; see zp.load.")
        if not isinstance(self.habitat, Habitat):
            is_controller = isinstance(self.habitat, Controller)
            how = " A controller is given by its name: controller=…" if is_controller else ""
            raise UsageError(
                f"habitat is {brief(self.habitat)}, must be a Habitat: Habitat(gravity=(0, 0, -9.81)).{how}"
            )
        if not (is_number(self.dt) and math.isfinite(self.dt) and self.dt > 0.0):
            raise UsageError(f"dt is {self.dt!r}, must be a positive number of seconds.")
        if self.integrator not in (AUTO, *INTEGRATORS):
            known = ", ".join((AUTO, *INTEGRATORS))
            hint = nearest(str(self.integrator), INTEGRATORS)
            raise UsageError(f"integrator {self.integrator!r} is unknown. Known: {known}. {hint}".rstrip())
        if self.controller is not None and not isinstance(self.controller, Controller):
            raise UsageError(
                f"controller {type(self.controller).__name__} lacks one of: period, begin(model), command(senses, memory)."
            )
        period = None if self.controller is None else self.controller.period
        if period is not None and not (math.isfinite(period) and period >= 0.0):
            wanted = "must be None, 0.0 or a positive number of seconds"
            raise UsageError(f"the controller's period is {period!r}, {wanted}.")
        model = compile_model(self.body) if isinstance(self.body, Description) else self.body
        object.__setattr__(self, "body", model)
        if self.dtype != np.float64:
            from zoophyte.simulation.herd.alone import check_single  # herds know worlds, and so come late

            check_single(self)
        if self.integrator == AUTO:
            object.__setattr__(self, "integrator", natural_integrator(model))
        self._check_contact(model)

    def _check_contact(self, model: Model) -> None:
        if self.overlap not in ("refuse", "resolve"):
            raise UsageError(f"overlap is {self.overlap!r}, must be 'refuse' or 'resolve'.")
        counts: dict[str, Any] = {"slots": 1 if self.slots is None else self.slots, "sweeps": self.sweeps}
        for name, value in counts.items():
            if not (isinstance(value, int | np.integer) and 1 <= value <= 10**6):
                raise UsageError(f"{name} is {brief(value)}, must be a whole number from 1 to a million.")
        if any(kind not in PAIR_SHAPES for kind in model.touching.kinds):
            Meetings.of([model])  # refuses shapes that may meet but cannot touch each other
        if must_be_solved(model) and self.integrator not in SOLVING:
            raise UsageError(
                f"{model.name} has contacts, constraints or dry friction, which are solved with the integrators "
                f"{' and '.join(map(repr, SOLVING))}, not with {self.integrator!r}. Leave the integrator out, or take "
                "the surface off the description."
            )

    @property
    def contact(self) -> ContactSettings | None:
        """Ground and solver, if contacts are solved."""
        if self.integrator not in SOLVING or not needs_contact(self.model):
            return None
        return ContactSettings(
            self.habitat.ground, self.habitat.surface, self.sweeps, slots=self.slots, sleep=self.sleep
        )

    @property
    def model(self) -> Model:
        """The compiled body."""
        assert isinstance(self.body, Model)
        return self.body

    def simulate(
        self, seconds: float, state: State | None = None, *, record_rate: float | None = None,
        progress: Progress | None = None,
    ) -> Trajectory:  # fmt: skip
        """Live for `seconds`, in whole steps.

        Args:
            seconds: how long [s]; the life ends with the first step that reaches it.
            state: where to start; the neutral state if left out. A trajectory's `final` state goes on bit for bit with
                the same controller; another controller begins anew.
            record_rate: frames per second to keep; every step if left out. Frames fall on whole steps: every n-th is kept,
                with n the whole number nearest to 1 / (record_rate·dt), at least 1. It never changes the motion.
            progress: called now and then with the share of the life that is lived, from 0 to 1.
        """
        if not (is_number(seconds) and math.isfinite(seconds) and seconds >= 0.0):
            raise UsageError(f"seconds is {seconds!r}, must be a finite number, 0 or more.")
        if seconds / self.dt > MAX_STEPS:
            raise UsageError(
                f"{seconds:g} s at dt {self.dt:g} s are more than {MAX_STEPS:,} steps; raise dt or shorten the life."
            )
        if record_rate is not None and not record_rate > 0.0:
            raise UsageError(
                f"record_rate is {record_rate!r}, must be a positive number of frames per second."
            )
        rate = min(1.0 / self.dt, record_rate or math.inf)
        if seconds * rate * (self.model.nq + self.model.nv + 16) > MAX_NUMBERS:
            raise UsageError(
                f"{seconds:g} s of {self.model.name} at {rate:g} frames per second do not fit into memory; "
                "give a smaller record_rate."
            )
        if state is not None and not isinstance(state, State):
            raise UsageError(f"state is {brief(state)}, must be a State.")
        state = State.neutral(self.model) if state is None else state
        if self.dtype == np.float32:
            from zoophyte.simulation.herd.alone import live_alone

            return live_alone(self, state, seconds, record_rate, progress)
        return _Life(self, state, seconds, record_rate, progress).run()


class _Life:
    """One run of a world: a block of one creature, its clock, its controller's memory and its record."""

    def __init__(
        self, world: World, state: State, seconds: float, record_rate: float | None, progress: Progress | None
    ) -> None:
        self.world, self.model, self.controller = world, world.model, world.controller
        self.progress, self.seconds = progress, seconds
        state = state.checked(world.model)
        if state.clock[2] != world.dt:
            state = replace(state, clock=(state.time, 0, world.dt))
        habitat = world.habitat
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
        self.end = state.time + seconds
        if math.ulp(self.end) > 0.01 * world.dt:
            raise UsageError(
                f"{self.model.name}: at {self.end:g} s the clock cannot tell steps of {world.dt:g} s apart; raise dt, or "
                "start at an earlier time."
            )
        stride = 1 if record_rate is None else max(1, round(1.0 / (record_rate * world.dt)))
        self.record = Recorder(self.block, stride)
        arrays = (self.block.ints, self.block.data, self.block.scratch)
        self.touching = self.block.contact is not None
        if self.touching:
            part_overlaps(self.block, resolve=world.overlap == "resolve", newborn=not state.contact.size)
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
        self.record.keep(self.time)
        while self.time < self.end - tolerance and self._sound():
            self._ask_if_due()
            self._advance()
        final = replace(self.block.state(memory=self.memory, alarm=self.alarm), signature=self.signature)
        arrays = self.record.arrays()
        return Trajectory(
            **arrays, status=self._status(arrays), final=final, description=self.model.description,
            dt=self.world.dt, integrator=self.world.integrator, gravity=self.world.habitat.gravity,
            ground=self.world.habitat.ground, surface=self.world.habitat.surface, events=tuple(self.record.events),
        )  # fmt: skip

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
        """That many steps, pausing at the frames to keep."""
        while steps > 0 and self._sound():
            chunk = min(steps, self.record.steps_to_next)
            if self.progress is not None:
                self.progress(1.0 - max(self.end - self.time, 0.0) / max(self.seconds, self.world.dt))
                chunk = min(chunk, STEPS_TO_PROGRESS)
            if self.controller is not None and self.controller.period == 0.0:
                for _ in range(chunk):
                    self._step_with_controller()
            else:
                self._live(chunk)
            steps -= chunk
            if self._sound():
                self.record.advance(chunk, self.time)

    def _live(self, steps: int) -> None:
        block = self.block
        if not self.touching:
            self.life(block.ints, block.data, block.scratch, self.method, steps, block.spec)
            return
        arrays = (block.ints, block.data, block.scratch, block.terrain, block.orders)
        if not self.record.watches:
            self.life(*arrays, steps, block.spec)
            return
        for _ in range(steps):
            self.life(*arrays, 1, block.spec)
            if not self._sound():
                return
            self.record.watch(self.time)

    def _step_with_controller(self) -> None:
        """One step whose controller is asked at every force evaluation."""
        block = self.block
        if self.touching:
            compiled(begin_touching_step)(block.data, block.spec)
            self._ask_controller(float(self.header[at.STAGE_TIME]))
            self._live(1)
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
        command, memory = self.controller.command(senses, self.memory)
        self.memory = np.asarray(memory, float)
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
        signals, torque = np.asarray(command.signals, float), np.asarray(command.torque, float)
        if signals.shape != (nv, 7) or torque.shape not in ((0,), (nv,)):
            raise UsageError(
                f"{self.model.name}: the command has signals {signals.shape} and torque {torque.shape}, "
                f"must be ({nv}, 7) and ({nv},) or empty."
            )
        if not (np.all(np.isfinite(signals)) and np.all(np.isfinite(torque))):
            raise UsageError(f"{self.model.name}: the command holds a value that is not finite.")
        refuse_idle(self.model, signals)
        self.block.set_command(signals, torque)

    def _sound(self) -> bool:
        return bool(self.header[at.FAILED_LINK] < 0.0) and not self._overflowed()

    def _overflowed(self) -> bool:
        tables = self.block.contact
        return tables is not None and bool(self.header[tables.head + cl.OVERFLOW] > 0.0)

    def _status(self, arrays: dict[str, Any]) -> Status:
        if self._sound():
            return beyond_numbers(arrays) or ended(self.time, self.model, self.world.habitat, arrays)
        if self._overflowed():
            assert self.block.contact is not None
            reason = f"more than {self.block.contact.capacity} contacts at one time; give World more slots"
            return Status("overflowed", self.time, "", reason)
        link = int(self.header[at.FAILED_LINK])
        body = self.model.bodies.names[self.model.links.body[link]]
        time = float(self.header[at.START] + self.header[at.FAILED_COUNT] * self.header[at.DT])
        how = advice(self.world.integrator, touching=self.touching)
        reason = f"its velocity is not finite or beyond {SPEED_LIMIT:g}; {how}"
        return Status("diverged", time, body, reason)


SOLVING = ("implicit", "semi_implicit")
"""Integrators with which contacts are solved."""


def must_be_solved(model: Model) -> bool:
    """Whether the model has what only the solver can do; hard limits alone may be springs instead."""
    dofs = model.dofs
    weak = np.isfinite(dofs.servo_max_force)
    return bool(len(model.touching) or model.constraints or dofs.friction.any() or weak.any())


def natural_integrator(model: Model) -> str:
    """What "auto" means: solving where there is contact, linearly implicit where something is stiff, else fourth order."""
    if needs_contact(model):
        return "implicit"
    dofs = model.dofs
    held = (dofs.stiffness, dofs.damping, dofs.servo_stiffness, dofs.servo_damping, dofs.limit_stiffness)
    return "ros2" if any(np.any(values > 0.0) for values in held) else "rk4"


def simulate(body: Any, seconds: float, **world: Any) -> Trajectory:
    """A life in one call: ``simulate(zoo.pendulum(), 10.0, dt=1e-3, integrator="rk4")``."""
    return World(body, **world).simulate(seconds)
