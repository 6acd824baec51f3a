"""Running: a herd that lives a few steps at a time, with commands from outside and states to read."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte.errors import UsageError, is_number, real_numbers
from zoophyte.model import State
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.block import aligned_zeros
from zoophyte.model.herd import life_layout as life_at
from zoophyte.model.herd.fit import Fit
from zoophyte.model.herd.pen import Pen
from zoophyte.model.herd.plans import Terms
from zoophyte.model.model import Floats
from zoophyte.physics.living import advance, look
from zoophyte.simulation.herd.crew import together
from zoophyte.simulation.herd.life import Life, bodies_in_contact, life_in, unborn
from zoophyte.simulation.herd.worker import birth, depth_at_birth, final_state, forget_look, overlapping
from zoophyte.simulation.lifetime.slices import Slices

if TYPE_CHECKING:
    from zoophyte.simulation.herd.herd import Herd

LINE = 16
"""Numbers to which pens are aligned in the common array: a multiple of a cache line's."""


class Running:
    """All creatures of a herd in memory at once; made by :meth:`Herd.begin`.

    Their numbers lie in one array, so that reading all states or setting all commands is one operation.  A creature whose
    life ends (it diverges, falls, …) stays where it was until it is reset.

    Args:
        herd: whose creatures live.
        states: where they begin; neutral where left out.
        terms: what is asked of each life.
    """

    def __init__(self, herd: Herd, states: Sequence[State | None], terms: Terms) -> None:
        self.herd, self.terms = herd, terms
        self.ended: list[Life | None] = [None] * len(herd)
        self._alive = np.ones(len(herd), bool)
        self._ports: dict[tuple[int, ...] | None, Any] = {}
        self.pens: list[Pen] = []
        self.places: list[tuple[int, int]] = [(0, 0)] * len(herd)
        self._fits: dict[tuple[int, int], Fit] = {}
        self._allowed = np.zeros(len(herd))  # depths at birth [m]
        for queue in herd.queues():
            while numbers := queue.take(herd.lanes):
                pen = herd.pen(numbers, terms, mixed=queue.mixed)
                self.pens.append(pen)
                for lane, number in enumerate(numbers):
                    self.places[number] = (len(self.pens) - 1, lane)
                    born = self._load(number, states[number])
                    self._allowed[number] = depth_at_birth(herd, number, born)
                pen.refresh()
        self._gather_pens()
        self._index()
        self._scratch = [
            aligned_zeros(max((pen.scratch_size for pen in self.pens), default=0), herd.dtype)
            for _ in range(self._crew)
        ]
        self._layouts: list[Any] = [None] * self._crew
        self._slices = [Slices() for _ in range(self._crew)]
        self._late: list[int] = []  # steps that an interruption has left out, of each pen
        self._halt = threading.Event()
        self._pool = ThreadPoolExecutor(self._crew)  # its threads start when they are needed
        self._tenants = {place: number for number, place in enumerate(self.places)}
        self._turn_away()

    def _turn_away(self) -> None:
        """Who is born with shapes in each other does not live; who goes on may be as it is."""
        for place, pen in enumerate(self.pens):
            pen.take_scratch(self._scratch[0])
            look(pen)
            lanes = [lane for lane in range(pen.width) if (place, lane) in self._tenants]
            found = overlapping(pen, {lane: self._allowed[self._tenants[place, lane]] for lane in lanes})
            for lane, status in found.items():
                self._end(self._tenants[place, lane], unborn(status))
                pen.park(lane)
            if found:
                pen.refresh()

    @property
    def _crew(self) -> int:
        return max(1, min(self.herd.workers, len(self.pens)))

    def _load(self, number: int, state: State | None) -> State:
        creature, herd = self.herd.creatures[number], self.herd
        place, lane = self.places[number]
        key = (place, id(creature.model))
        state = birth(herd, number, state)
        self._fits[key] = self.pens[place].load(lane, creature, state, self._fits.get(key))
        return state

    def _gather_pens(self) -> None:
        """All numbers of all pens in one array."""
        starts = np.cumsum([0, *(-(-len(pen.data) // LINE) * LINE for pen in self.pens)])
        self.data = aligned_zeros(int(starts[-1]), self.herd.dtype)
        self._starts = starts
        for start, pen in zip(starts, self.pens, strict=False):
            own = self.data[start : start + len(pen.data)]
            own[:] = pen.data
            pen.data, pen.fields = own, own.reshape(-1, pen.width)

    def _index(self) -> None:
        """Where coordinates, velocities and commands of all creatures lie; what one has not, lies nowhere."""
        models = self.herd.models
        shape = (len(models), max((m.nq for m in models), default=0))
        self._q, self._has_q = np.zeros(shape, np.int64), np.zeros(shape, bool)
        shape = (len(models), max((m.nv for m in models), default=0))
        self._dof, self._has_v = np.zeros(shape, np.int64), np.zeros(shape, bool)
        self._cause, self._step = np.zeros(len(models), np.int64), np.zeros(len(models), np.int64)
        for number, (place, lane) in enumerate(self.places):
            pen = self.pens[place]
            resident = pen.resident(lane)
            offsets = np.array(pen.layout.q_offsets, np.int64)
            q = [first + k for link, first in zip(resident.fit.links, _firsts(pen, resident), strict=True)
                 for k in range(at.Q_COUNT[pen.kinds[link]])]  # fmt: skip
            self._q[number, : len(q)] = self._starts[place] + offsets[q] * pen.width + lane
            self._has_q[number, : len(q)] = True
            dofs = pen.dof_offsets[resident.fit.dofs] * pen.width + lane
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
            self._bury(place)

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
        scratch, run, halted = self._scratch[worker], self._slices[worker].run, halt.is_set
        for number in range(worker, len(self.pens), self._crew):
            if halted():
                return
            pen = self.pens[number]
            if self._layouts[worker] != pen.kinds or pen.scratch is not scratch:
                pen.take_scratch(scratch)
                self._layouts[worker] = pen.kinds
            left = asked[number]
            left -= run(partial(advance, pen), left, halted)
            while left > 0 and not halted():
                self._bury(number)
                left -= run(partial(advance, pen), left, halted)

    def _bury(self, place: int) -> None:
        pen = self.pens[place]
        for lane in pen.dead():
            number = self._tenants[place, lane]
            self._end(number, life_in(pen, lane, final_state(pen, lane, self.herd.controllers[number])))
            pen.park(lane)
        pen.refresh()

    def _end(self, number: int, life: Life) -> None:
        self.ended[number], self._alive[number] = life, False

    def reset(self, number: int, state: State | None = None) -> None:
        """Let a creature begin anew."""
        if not 0 <= number < len(self.places):
            raise UsageError(f"creature {number} is out of range; there are {len(self.places)}.")
        self.reset_all({number: state})

    def reset_all(self, states: Mapping[int, State | None]) -> None:
        """Let several creatures begin anew, each in its state, or in its neutral one."""
        for number, state in states.items():
            self._load(number, state)
            self.ended[number], self._alive[number] = None, True
        for place in {self.places[number][0] for number in states}:
            self.pens[place].refresh()

    def resume(self, states: Mapping[int, State | None], ended: Mapping[int, Life]) -> None:
        """Let some go on in their states, whatever they did before; the lives of others have ended.

        Args:
            states: of who goes on, by number.
            ended: how the lives of others have ended.
        """
        self.reset_all(states)
        for number, life in ended.items():
            place, lane = self.places[number]
            self._end(number, life)
            if self.pens[place].residents[lane] is not None:
                self.pens[place].park(lane)
                self.pens[place].refresh()

    def depths(self, numbers: Sequence[int]) -> Floats:
        """How deep shapes of these creatures are in the ground or in each other [m]; nothing moves."""
        found = np.zeros(len(self.places))
        for place in {self.places[number][0] for number in numbers}:
            pen = self._looked_at(place)
            for lane, depth in enumerate(pen.depths()):
                if (place, lane) in self._tenants:
                    found[self._tenants[place, lane]] = depth
            forget_look(pen)
        return found[np.asarray(numbers, np.int64)]

    def _looked_at(self, place: int) -> Pen:
        """A pen in whose scratch are the poses and contacts of this moment; forget_look must follow."""
        pen = self.pens[place]
        pen.take_scratch(self._scratch[0])
        self._layouts[0] = pen.kinds
        look(pen)
        return pen

    def body_poses(self) -> tuple[Floats, Floats]:
        """(R_WB, p_WB) of all bodies of who lives, the ground first, shapes (n, bodies, 3, 3) and (n, bodies, 3).

        Who does not live has zeros, and so have bodies that one creature has less than another.
        """
        most = max((model.body_count for model in self.herd.models), default=0)
        R_WB, p_WB = np.zeros((len(self.places), most, 3, 3)), np.zeros((len(self.places), most, 3))
        for place, pen in enumerate(self.pens):
            self._looked_at(place)
            for alike in self._alike(place):
                fit, numbers = alike[0][1].fit, [self._tenants[place, lane] for lane, _ in alike]
                places = np.array(pen.layout.scratch_offsets)[fit.links]
                lanes = [lane for lane, _ in alike]
                R, p = (pen.work[places[:, None] + first + np.arange(count)][:, :, lanes].astype(float)
                        for first, count in ((at.WORLD_R, 9), (at.WORLD_P, 3)))  # fmt: skip
                bodies = fit.model.bodies
                R_WL = R[bodies.link].transpose(2, 0, 1).reshape(len(lanes), -1, 3, 3)
                p_WL = p[bodies.link].transpose(2, 0, 1)
                R_WB[numbers, : len(bodies.link)] = R_WL @ bodies.R_LB
                p_WB[numbers, : len(bodies.link)] = p_WL + np.einsum("lnij,nj->lni", R_WL, bodies.p_LB)
            forget_look(pen)
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
        most = max((model.body_count for model in self.herd.models), default=0)
        total = np.zeros((len(self.places), most, 3))
        for place, pen in enumerate(self.pens):
            head = pen.contact.memory
            deepest = int(pen.fields[head].max())
            records = pen.fields[head + 1 : head + 1 + deepest * cl.MEMORY_RECORD]
            records = records.reshape(deepest, cl.MEMORY_RECORD, pen.width).astype(float)
            for alike in self._alike(place) if deepest else []:
                lanes = np.array([lane for lane, _ in alike])
                numbers = np.array([self._tenants[place, lane] for lane in lanes])
                keys = records[:, cl.MEMORY_KEY, lanes]
                forces = records[:, cl.MEMORY_FORCE : cl.MEMORY_FORCE + 3, lanes]
                # What resists turning has a key between whole ones, and is no force.
                real = (np.arange(deepest)[:, None] < pen.fields[head, lanes]) & (keys >= 0.0)
                rank, column = np.nonzero(real & (keys == np.floor(keys)))
                first, second = bodies_in_contact(alike[0][1], keys[rank, column])
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
        W = self.herd.lanes
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
        found = np.where(self._has_v, self.data[self._dof + at.VELOCITY * self.herd.lanes], 0.0)
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
        return final_state(self.pens[place], lane, self.herd.controllers[number])


def _firsts(pen: Pen, resident: Any) -> list[int]:
    """Number of the first coordinate of each of a creature's links among all of the pen."""
    return [int(pen.first_q[link]) for link in resident.fit.links]
