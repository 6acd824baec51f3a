"""Running: a herd that lives a few steps at a time, with commands from outside and states to read."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from zoophyte.errors import UsageError, is_number, real_numbers
from zoophyte.model import State
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.block import aligned_zeros
from zoophyte.model.herd import life_layout as life_at
from zoophyte.model.herd.pen import Pen
from zoophyte.model.herd.plans import Terms
from zoophyte.model.model import Floats
from zoophyte.physics.living import look
from zoophyte.simulation.herd.crew import together
from zoophyte.simulation.lifetime.slices import Slices
from zoophyte.simulation.living.colony import Colony
from zoophyte.simulation.living.driver import Driver
from zoophyte.simulation.living.life import Life

LINE = 16
"""Numbers to which pens are aligned in the common array: a multiple of a cache line's."""


class Running:
    """All creatures of a herd in memory at once; made by :meth:`Herd.begin`.

    Their numbers lie in one array, so that reading all states or setting all commands is one operation.  A creature whose
    life ends (it diverges, falls, …) stays where it was until it is reset.

    Args:
        colony: whose creatures live.
        states: where they begin; neutral where left out.
        terms: what is asked of each life.
        workers: threads, at most.
    """

    def __init__(self, colony: Colony, states: Sequence[State | None], terms: Terms, workers: int) -> None:
        self.colony, self.terms = colony, terms
        self.ended: list[Life | None] = [None] * len(colony)
        self._alive = np.ones(len(colony), bool)
        self._ports: dict[tuple[int, ...] | None, Any] = {}
        self.drivers: list[Driver] = []
        self.places: list[tuple[int, int]] = [(0, 0)] * len(colony)
        born = [colony.birth(number, state) for number, state in enumerate(states)]
        for queue in colony.queues():
            while numbers := queue.take(colony.lanes):
                driver = Driver(colony, numbers, terms, mixed=queue.mixed)
                driver.move_in(dict(enumerate(numbers)), born)
                for lane, number in enumerate(numbers):
                    self.places[number] = (len(self.drivers), lane)
                self.drivers.append(driver)
        self.pens = [driver.pen for driver in self.drivers]
        self._gather_pens()
        self._index()
        self._crew = max(1, min(workers, len(self.pens)))
        most = max((pen.scratch_size for pen in self.pens), default=0)
        self._scratch = [aligned_zeros(most, colony.dtype) for _ in range(self._crew)]
        self._layouts: list[Any] = [None] * self._crew
        self._slices = [Slices() for _ in range(self._crew)]
        self._late: list[int] = []  # steps that an interruption has left out, of each pen
        self._halt = threading.Event()
        self._pool = ThreadPoolExecutor(self._crew)  # its threads start when they are needed
        for driver in self.drivers:
            driver.pen.take_scratch(self._scratch[0])
            self._note(driver.turn_away(list(driver.tenants), born))

    def _gather_pens(self) -> None:
        """All numbers of all pens in one array."""
        starts = np.cumsum([0, *(-(-len(pen.data) // LINE) * LINE for pen in self.pens)])
        self.data = aligned_zeros(int(starts[-1]), self.colony.dtype)
        self._starts = starts
        for start, pen in zip(starts, self.pens, strict=False):
            own = self.data[start : start + len(pen.data)]
            own[:] = pen.data
            pen.data, pen.fields = own, own.reshape(-1, pen.width)

    def _index(self) -> None:
        """Where coordinates, velocities and commands of all creatures lie; what one has not, lies nowhere."""
        models = self.colony.models
        shape = (len(models), max((m.nq for m in models), default=0))
        self._q, self._has_q = np.zeros(shape, np.int64), np.zeros(shape, bool)
        shape = (len(models), max((m.nv for m in models), default=0))
        self._dof, self._has_v = np.zeros(shape, np.int64), np.zeros(shape, bool)
        self._cause, self._step = np.zeros(len(models), np.int64), np.zeros(len(models), np.int64)
        for number, (place, lane) in enumerate(self.places):
            pen = self.pens[place]
            fit = pen.resident(lane).fit
            q = fit.places.q
            self._q[number, : len(q)] = self._starts[place] + q * pen.width + lane
            self._has_q[number, : len(q)] = True
            dofs = fit.places.dofs * pen.width + lane
            self._dof[number, : len(dofs)] = self._starts[place] + dofs
            self._has_v[number, : len(dofs)] = True
            head = self._starts[place] + pen.life.head * pen.width + lane
            self._cause[number] = head + life_at.CAUSE * pen.width
            self._step[number] = head + life_at.STEP * pen.width

    def advance(self, steps: int) -> None:
        """Let all that live go on for so many steps.

        Ctrl-C is heard between them.  States can be read then, but some creatures are behind: the next call, be it with 0
        steps, lets them catch up first.
        """
        if not (is_number(steps) and steps == int(steps) and steps >= 0):
            raise UsageError(f"steps is {steps!r}, must be a whole number, 0 or more.")
        asked = [int(steps) + late for late in self._late] if self._late else [int(steps)] * len(self.pens)
        if not any(asked):
            return
        before, halt, self._late = self.data[self._step], self._halt, []
        try:
            if self._crew == 1:
                self._work(0, asked, halt)
            else:
                tasks = [partial(self._work, worker, asked, halt) for worker in range(self._crew)]
                together(self._pool, tasks, halt)
        except BaseException:
            self._late = self._left(asked, before)
            raise
        finally:
            if halt.is_set():
                self._halt = threading.Event()
        # Who died at the last look is found for all pens at once; before that, the kernel came back early.
        for place in {self.places[n][0] for n in np.flatnonzero(self.data[self._cause] > 0.5)}:
            self._note(self.drivers[place].bury())

    def _left(self, asked: list[int], before: Any) -> list[int]:
        """Steps that each pen still has to do: all who live in one have done as many.

        Told by the numbers in the pens: a kernel that was interrupted has done its steps, and could not say so any more.
        """
        did, left = self.data[self._step] - before, [0] * len(asked)
        for number in np.flatnonzero(self._alive):
            place = self.places[number][0]
            left[place] = asked[place] - int(did[number])
        return left

    def _work(self, worker: int, asked: list[int], halt: threading.Event) -> None:
        scratch, slices, halted = self._scratch[worker], self._slices[worker], halt.is_set
        for number in range(worker, len(self.pens), self._crew):
            if halted():
                return
            pen = self.pens[number]
            if self._layouts[worker] != pen.kinds or pen.scratch is not scratch:
                scratch = self._take_scratch(worker, pen)
            left = asked[number]
            left -= self.drivers[number].run(left, slices, halted)
            while left > 0 and not halted():
                self._note(self.drivers[number].bury())
                left -= self.drivers[number].run(left, slices, halted)

    def _note(self, lives: Mapping[int, Life]) -> None:
        """How lives have ended."""
        for number, life in lives.items():
            self.ended[number], self._alive[number] = life, False

    def reset(self, number: int, state: State | None = None) -> None:
        """Let a creature begin anew."""
        if not 0 <= number < len(self.places):
            raise UsageError(f"creature {number} is out of range; there are {len(self.places)}.")
        self.reset_all({number: state})

    def reset_all(self, states: Mapping[int, State | None]) -> None:
        """Let several creatures begin anew, each in its state, or in its neutral one."""
        found: dict[int, dict[int, int]] = {}
        for number in states:
            place, lane = self.places[number]
            found.setdefault(place, {})[lane] = number
        born = {number: self.colony.birth(number, state) for number, state in states.items()}
        for place, numbers in found.items():
            self.drivers[place].move_in(numbers, born)
        for number in states:
            self.ended[number], self._alive[number] = None, True

    def resume(self, states: Mapping[int, State | None], ended: Mapping[int, Life]) -> None:
        """Let some go on in their states, whatever they did before; the lives of others have ended.

        Args:
            states: of who goes on, by number.
            ended: how the lives of others have ended.
        """
        self.reset_all(states)
        for number in ended:
            place, lane = self.places[number]
            if self._alive[number]:
                self.drivers[place].bury([lane])
        self._note(ended)

    def depths(self, numbers: Sequence[int]) -> Floats:
        """How deep shapes of these creatures are in the ground or in each other [m]; nothing moves."""
        found = np.zeros(len(self.places))
        for place in {self.places[number][0] for number in numbers}:
            pen, tenants = self._looked_at(place), self.drivers[place].tenants
            found[list(tenants.values())] = pen.depths()[list(tenants)]
            pen.forget_look()
        return found[np.asarray(numbers, np.int64)]

    def _looked_at(self, place: int) -> Pen:
        """A pen in whose scratch are the poses and contacts of this moment; forget_look must follow."""
        pen = self.pens[place]
        self._take_scratch(0, pen)
        look(pen)
        return pen

    def _take_scratch(self, worker: int, pen: Pen) -> Any:
        """Let a pen work in the scratch of a worker, which grows with what pens have come to need."""
        if len(self._scratch[worker]) < pen.scratch_size:
            self._scratch[worker] = aligned_zeros(pen.scratch_size, self._scratch[worker].dtype)
        pen.take_scratch(self._scratch[worker])
        self._layouts[worker] = pen.kinds
        return pen.scratch

    def body_poses(self) -> tuple[Floats, Floats]:
        """(R_WB, p_WB) of all bodies of who lives, the ground first, shapes (n, bodies, 3, 3) and (n, bodies, 3).

        Who does not live has zeros, and so have bodies that one creature has less than another.
        """
        most = max((model.body_count for model in self.colony.models), default=0)
        R_WB, p_WB = np.zeros((len(self.places), most, 3, 3)), np.zeros((len(self.places), most, 3))
        for place, pen in enumerate(self.pens):
            self._looked_at(place)
            for alike in self._alike(place):
                tenants = self.drivers[place].tenants
                fit, numbers = alike[0][1].fit, [tenants[lane] for lane, _ in alike]
                places = np.array(pen.layout.scratch_offsets)[fit.links]
                lanes = [lane for lane, _ in alike]
                R, p = (pen.work[places[:, None] + first + np.arange(count)][:, :, lanes].astype(float)
                        for first, count in ((at.WORLD_R, 9), (at.WORLD_P, 3)))  # fmt: skip
                bodies = fit.model.bodies
                R_WL = R[bodies.link].transpose(2, 0, 1).reshape(len(lanes), -1, 3, 3)
                p_WL = p[bodies.link].transpose(2, 0, 1)
                R_WB[numbers, : len(bodies.link)] = R_WL @ bodies.R_LB
                p_WB[numbers, : len(bodies.link)] = p_WL + np.einsum("lnij,nj->lni", R_WL, bodies.p_LB)
            pen.forget_look()
        return R_WB, p_WB

    def _alike(self, place: int) -> list[list[tuple[int, Any]]]:
        """Lanes of a pen with those who live there, equal bodies together."""
        found: dict[int, list[tuple[int, Any]]] = {}
        for lane, resident in enumerate(self.pens[place].residents):
            if resident is not None:
                found.setdefault(id(resident.fit), []).append((lane, resident))
        return list(found.values())

    def contact_forces(self) -> Floats:
        """Sum of the contact forces of the last step on each body, world axes, shape (n, bodies, 3) [N].

        The ground comes first and has zeros; zeros, too, for who does not live, or has not lived a step.
        """
        most = max((model.body_count for model in self.colony.models), default=0)
        total = np.zeros((len(self.places), most, 3))
        for place, pen in enumerate(self.pens):
            head = pen.contact.memory
            deepest = int(pen.fields[head].max())
            records = pen.fields[head + 1 : head + 1 + deepest * cl.MEMORY_RECORD]
            records = records.reshape(deepest, cl.MEMORY_RECORD, pen.width).astype(float)
            for alike in self._alike(place) if deepest else []:
                lanes = np.array([lane for lane, _ in alike])
                numbers = np.array([self.drivers[place].tenants[lane] for lane in lanes])
                keys = records[:, cl.MEMORY_KEY, lanes]
                forces = records[:, cl.MEMORY_FORCE : cl.MEMORY_FORCE + 3, lanes]
                # What resists turning has a key between whole ones, and is no force.
                real = (np.arange(deepest)[:, None] < pen.fields[head, lanes]) & (keys >= 0.0)
                rank, column = np.nonzero(real & (keys == np.floor(keys)))
                first, second = alike[0][1].bodies_of(keys[rank, column])
                np.add.at(total, (numbers[column], first), forces[rank, :, column])
                np.subtract.at(total, (numbers[column], second), forces[rank, :, column])
        total[:, 0] = 0.0
        return total

    def command(self, values: Any, dofs: Sequence[int] | None = None) -> None:
        """Hold these commands from now on: one row per creature, in the order of its degrees of freedom.

        Args:
            values: the commands; those of degrees of freedom that a creature does not have are passed over.
            dofs: which degrees of freedom the columns are for; all of them if left out.  The others keep their commands.
        """
        values = real_numbers(values, "values")
        key = None if dofs is None else tuple(dofs)
        if key not in self._ports:
            columns = slice(None) if key is None else list(key)
            shape = self._dof[:, columns].shape
            there = self._has_v[:, columns]
            self._ports[key] = shape, there, self._dof[:, columns][there]
        shape, there, ports = self._ports[key]
        if values.shape != shape or not np.all(np.isfinite(values)):
            raise UsageError(f"values has shape {values.shape}, must be finite numbers of shape {shape}.")
        W = self.colony.lanes
        for field in (at.COMMAND_RATE, at.COMMAND_CURVE, at.COMMAND_START, at.SINE_AMPLITUDE):
            self.data[ports + field * W] = 0.0
        self.data[ports + at.COMMAND * W] = values[there]

    def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown()

    def q(self) -> Floats:
        """Configurations, one row per creature, zeros behind those that are shorter."""
        found = np.where(self._has_q, self.data[self._q], 0.0)
        for number in np.flatnonzero(~self.alive()):
            life = self.ended[number]
            if life is not None and life.final is not None:
                found[number, : len(life.final.q)] = life.final.q
        return found

    def v(self) -> Floats:
        """Velocities, one row per creature."""
        found = np.where(self._has_v, self.data[self._dof + at.VELOCITY * self.colony.lanes], 0.0)
        for number in np.flatnonzero(~self.alive()):
            life = self.ended[number]
            if life is not None and life.final is not None:
                found[number, : len(life.final.v)] = life.final.v
        return found

    def alive(self) -> Any:
        """Who lives."""
        return self._alive.copy()

    def state(self, number: int) -> State:
        """The state of one creature, as its World would leave it.

        Raises:
            UsageError: when it was never born.
        """
        ended = self.ended[number]
        if ended is not None and ended.final is None:
            raise UsageError(f"creature {number} has no state, for it was never born: {ended.status.reason}.")
        if ended is not None and ended.final is not None:
            return ended.final
        place, lane = self.places[number]
        return self.drivers[place].final(lane)
