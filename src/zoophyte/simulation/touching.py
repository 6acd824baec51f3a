"""Contacts as they are right now: who touches whom, where, and how hard; and who begins or ends to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zoophyte.description import Description
from zoophyte.model import Block
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.model import Floats
from zoophyte.physics import notes
from zoophyte.physics.living import enter, look

Meeting = tuple[int, int]
AWAKE: frozenset[int] = frozenset()
CONTACT_FORCES, CONTACT_BODIES = "contact_forces", "contact_bodies"
"""Channels of contacts: point and force; numbers of the two bodies, as in `Model.body_names`."""
NOBODY = -1.0
NO_FORCE = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Contacts:
    """The contacts of one step.

    Args:
        bodies: indices of the two bodies of each, shape (n, 2); 0 is the ground.
        points: where they touch, world axes, shape (n, 3) [m].
        normals: from the second body to the first, shape (n, 3).
        forces: on the first body, shape (n, 3) [N].
        gaps: distance when the step began; negative for a depth, shape (n,) [m].
    """

    bodies: NDArray[np.int64]
    points: Floats
    normals: Floats
    forces: Floats
    gaps: Floats


@dataclass(frozen=True)
class Touch:
    """One contact in a recorded frame.

    Args:
        bodies: names of the two; the second may be ground.
        point: where they touch, world axes [m].
        force: on the first of them, world axes [N]; the second feels its opposite.
    """

    bodies: tuple[str, str]
    point: tuple[float, float, float]
    force: tuple[float, float, float]


@dataclass(frozen=True)
class Event:
    """Two bodies begin or end to touch, or a spring between them breaks.

    Args:
        time: at the end of the first step in which it is so [s], recorded or not.
        kind: "begin", "end" or "break".
        bodies: their names; the second may be ground.
        impulse: along the normals: of the blow, in the step of the beginning and the one behind it, since what arrives
            within a step is slowed down to just that and stopped in the next; or over the whole touch [N·s]; 0 of a spring.
            Each life counts its own steps: one that goes on does not begin the touches that it finds, and where they end
            tells what they pressed in it.
        name: of the spring, or its place: constraints[2].
    """

    time: float
    kind: str
    bodies: tuple[str, str]
    impulse: float
    name: str = ""


def read_contacts(block: Block, lane: int = 0) -> Contacts:
    """What the last step of a block solved; poses are computed anew."""
    tables = block.contact
    empty = np.zeros((0, 3))
    if tables is None:
        return Contacts(np.zeros((0, 2), np.int64), empty, empty, empty, np.zeros(0))
    slots = block.slots_of(lane)
    if not len(slots):
        return Contacts(np.zeros((0, 2), np.int64), empty, empty, empty, np.zeros(0))
    enter("poses", block)
    frames = slots[:, cl.SLOT_FRAME : cl.SLOT_FRAME + 9].reshape(-1, 3, 3)
    impulses = (
        slots[:, cl.SLOT_IMPULSE : cl.SLOT_IMPULSE + 3] + slots[:, cl.SLOT_BOUNCED : cl.SLOT_BOUNCED + 3]
    )
    force = np.einsum("ni,nij->nj", impulses, frames) / float(block.fields[at.DT, lane])
    links = (slots[:, cl.SLOT_B].astype(np.int64) // block.width)[:, None]
    R = block.work[links + at.WORLD_R + np.arange(9), lane].reshape(-1, 3, 3)
    point = slots[:, None, cl.SLOT_POINT_B : cl.SLOT_POINT_B + 3]
    points = block.work[links + at.WORLD_P + np.arange(3), lane] + (R * point).sum(axis=2)
    bodies = tables.meetings.bodies_of(slots[:, cl.SLOT_KEY])
    return Contacts(bodies, points, frames[:, 0], force, slots[:, cl.SLOT_GAP].copy())


def breaking(description: Description, index: int, time: float) -> Event:
    """The event of a spring that breaks.

    Args:
        description: what it belongs to.
        index: of the spring among the constraints.
        time: at the end of the first step in which it is broken [s].
    """
    spring = description.constraints[index]
    return Event(time, "break", (spring.body, spring.other), 0.0, spring.name or f"constraints[{index}]")


def scenery(block: Block) -> frozenset[int]:
    """The bodies that never move, the ground first of all."""
    return frozenset(np.flatnonzero(block.models[0].bodies.link == 0).tolist())


def remembered_contacts(block: Block) -> tuple[Contacts, dict[Meeting, float]]:
    """The contacts of a state, those of sleepers too, with the forces that it remembers; the block stays as it is.

    Returns:
        The contacts; and who pressed on whom in the last step, with what force along the normals [N].  Those are among the
        latter, too, who have parted within that step, and have no point of contact any more.
    """
    assert block.contact is not None
    memory = dict(_memory(block, 0))
    with looking(block):
        contacts, keys = read_contacts(block), block.slots_of(0)[:, cl.SLOT_KEY].astype(np.int64).tolist()
    forces = np.array([memory.get(key, NO_FORCE) for key in keys]).reshape(-1, 3)
    normals = dict(zip(keys, contacts.normals, strict=True))
    pairs, pressures = block.contact.meetings.by_key([*memory]), dict[Meeting, float]()
    for key, force in memory.items():
        pressure = float(normals[key] @ force if key in normals else np.linalg.norm(force))
        if pressure > 0.0:
            pair = pairs[key]
            pressures[pair] = pressures.get(pair, 0.0) + pressure
    return replace(contacts, forces=forces), pressures


@contextmanager
def looking(block: Block) -> Iterator[None]:
    """The slots of a block are those of its state, with the forces that it remembers; then it is as it was."""
    assert block.contact is not None
    before = block.data.copy()
    block.fields[
        block.contact.sleep + np.arange(block.contact.island_count) * cl.SLEEP_RECORD + cl.SLEEP_ASLEEP
    ] = 0.0
    look(block)
    yield
    block.data[:] = before


def remembered_forces(block: Block, lane: int = 0) -> Floats:
    """Sum of the contact forces of the last step on each body, shape (bodies, 3) [N].

    They come from the state, so that a controller that feels them goes on bit for bit after a life was saved.
    """
    total = np.zeros((block.models[lane].body_count, 3))
    if block.contact is None:
        return total
    memory = list(_memory(block, lane))
    pairs = block.contact.meetings.by_key([key for key, _ in memory])
    for key, force in memory:
        a, b = pairs[key]
        total[a] += force
        total[b] -= force
    total[0] = 0.0
    return total


def _memory(block: Block, lane: int) -> Iterator[tuple[int, Floats]]:
    """Key and force of every contact that a state remembers; what resists turning has a key between whole ones."""
    assert block.contact is not None
    column, start = block.fields[:, lane], block.contact.memory
    end = start + 1 + int(column[start]) * cl.MEMORY_RECORD
    records = column[start + 1 : end].reshape(-1, cl.MEMORY_RECORD)
    keys = records[:, cl.MEMORY_KEY]
    records = records[(keys >= 0.0) & (keys == np.floor(keys))]
    forces = records[:, cl.MEMORY_FORCE : cl.MEMORY_FORCE + 3]
    return zip(records[:, cl.MEMORY_KEY].astype(np.int64).tolist(), forces, strict=True)


class TouchRecorder:
    """Contact forces at recorded frames, and who begins or ends to touch: told of what the kernel has noted.

    Args:
        block: of one creature, with contact.
    """

    def __init__(self, block: Block) -> None:
        assert block.contact is not None
        self._block, self._names, self._meetings = block, block.models[0].body_names, block.contact.meetings
        self._still = scenery(block)
        self._counts: list[int] = []  # of contacts that the steps of frames have solved
        self._noted: list[Floats] = []  # these contacts
        self._asleep: list[Floats] = []  # the trees that sleep then
        self._touching: dict[Meeting, float] = {}
        self._resting: dict[Meeting, float] = {}  # forces of sleepers [N], booked until then
        self._booked = 0.0
        self._begun: dict[Meeting, int] = {}  # the places, among the events, of what began in the last step
        self._run = [0.0] * notes.RUN_TREES
        self.events: list[Event] = []

    def begin(self, time: float) -> None:
        """The first frame, before any step.

        Nobody presses as a life begins, but in one that goes on; there the life before has told of it, and booked it.

        Args:
            time: of the frame [s].
        """
        first, self._resting = remembered_contacts(self._block)
        self._touching, self._booked = dict.fromkeys(self._resting, 0.0), time
        self._first = np.column_stack([first.bodies, first.gaps, first.points, first.forces])

    def keep(self, counts: list[int], contacts: Floats, asleep: Floats) -> None:
        """Frames of the log.

        Args:
            counts: of contacts that their steps solved.
            contacts: all these, one after the other.
            asleep: of each frame and each tree that may sleep, whether it does.
        """
        self._counts += counts
        self._noted.append(contacts)
        self._asleep.append(asleep)

    def take(self, run: list[float]) -> None:
        """A run of the log, from its first step on; and again when it has grown."""
        if not run[notes.RUN_TOLD]:
            self._change(run)
        self._run = run
        if self._begun and run[notes.RUN_STEPS] > 1.0:
            self._complete(self._presses(run, notes.PRESS_SECOND))

    def _change(self, run: list[float]) -> None:
        """Tell what is new in the first step of a run, and book what was pressed up to there."""
        time, now = run[notes.RECORD_TIME], self._presses(run, notes.PRESS_FIRST)
        self._complete(now)
        self._book(time - run[notes.RUN_SPAN])
        asleep = self._sleepers(run[notes.RUN_TREES : self._ends(run)[0]])
        if asleep:
            # Contacts of sleepers are not solved: they press as they did last, but for who fell asleep in this very step.
            touching = self._meetings.bodies_of(run[self._ends(run)[1] :])
            solved = set(touching.ravel().tolist())
            quiet = (asleep - solved) | self._still
            span = self._run[notes.RUN_LAST_SPAN]
            last = {pair: n / span for pair, n in self._presses(self._run, notes.PRESS_LAST).items()}
            both = {**self._resting, **last}.items()
            self._resting = {
                pair: f for pair, f in both if pair not in now and pair[0] in quiet and pair[1] in quiet
            }
        else:
            self._resting = {}
        self._tell(time, now)

    def _book(self, time: float) -> None:
        """Add the impulses up to now to the touches that they belong to."""
        rested = {pair: force * (time - self._booked) for pair, force in self._resting.items()}
        for sums in (rested, self._presses(self._run, notes.PRESS_SUM)):
            for pair, impulse in sums.items():
                self._touching[pair] = self._touching.get(pair, 0.0) + impulse
        self._booked = time

    def _tell(self, time: float, now: dict[Meeting, float]) -> None:
        """Events of a step, by the impulses of those who press in it; who sleeps goes on to touch."""
        for pair in sorted(set(self._touching) - set(now) - set(self._resting)):
            self._event(time, "end", pair, self._touching.pop(pair))
        for pair, impulse in sorted(now.items()):
            if pair not in self._touching:
                self._begun[pair] = len(self.events)
                self._event(time, "begin", pair, impulse)
            self._touching[pair] = self._touching.get(pair, 0.0) + impulse

    def _complete(self, now: dict[Meeting, float]) -> None:
        """Add the impulses of this step to the blows that began in the last one."""
        for pair, place in self._begun.items():
            begun = self.events[place]
            self.events[place] = replace(begun, impulse=begun.impulse + now.get(pair, 0.0))
        self._begun = {}

    def _event(self, time: float, kind: str, pair: Meeting, impulse: float) -> None:
        self.events.append(Event(time, kind, (self._names[pair[0]], self._names[pair[1]]), impulse))

    def _sleepers(self, trees: Sequence[float]) -> frozenset[int]:
        """The bodies of the trees that sleep."""
        if not any(trees):
            return AWAKE
        assert self._block.contact is not None
        tree = np.array(self._block.contact.islands)[self._block.models[0].bodies.link]
        return frozenset(np.flatnonzero((tree >= 0) & (np.array(trees) > 0.0)[tree]).tolist())

    @staticmethod
    def _ends(run: list[float]) -> tuple[int, int]:
        """Where in a run the trees end, and where who presses."""
        presses = len(run) - int(run[notes.RUN_TOUCHING])
        return presses - int(run[notes.RUN_KEYS]) * notes.PRESS_SIZE, presses

    def _presses(self, run: list[float], field: int) -> dict[Meeting, float]:
        """Who presses on whom in a run, with impulses of one field."""
        (first, end), sums = self._ends(run), dict[Meeting, float]()
        keys = run[first + notes.PRESS_KEY : end : notes.PRESS_SIZE]
        pairs = self._meetings.by_key(keys)
        for key, impulse in zip(keys, run[first + field : end : notes.PRESS_SIZE], strict=True):
            sums[pairs[key]] = sums.get(pairs[key], 0.0) + impulse
        return sums

    @cached_property
    def solved(self) -> tuple[list[int], Floats]:
        """Of each frame but the first, how many contacts its step solved; all: two bodies, gap, point (3), force (3)."""
        noted = np.concatenate([np.zeros(0), *self._noted]).reshape(-1, notes.CONTACT_SIZE)
        bodies = self._meetings.bodies_of(noted[:, notes.FRAME_KEY])
        return self._counts, np.column_stack([bodies, noted[:, notes.FRAME_GAP :]])

    def channels(self) -> dict[str, Floats]:
        """Of each contact point and force, six columns, and its two bodies, two columns; where there are fewer, 0 and −1."""
        counts, contacts = self.solved
        asleep = np.concatenate(self._asleep) if self._asleep else np.zeros((0, 0))
        if asleep.any():
            counts, contacts = self._with_sleepers(counts, contacts, asleep)
        counts, contacts = [len(self._first), *counts], np.concatenate([self._first, contacts])
        most = max(counts)
        there = np.arange(most) < np.array(counts)[:, None]
        rows, whose = np.zeros((len(counts), most, 6)), np.full((len(counts), most, 2), NOBODY)
        rows[there], whose[there] = contacts[:, 3:], contacts[:, :2]
        return {CONTACT_FORCES: rows.reshape(len(counts), -1), CONTACT_BODIES: whose.reshape(len(counts), -1)}

    def _with_sleepers(self, counts: list[int], contacts: Floats, asleep: Floats) -> tuple[list[int], Floats]:
        """Contacts of sleepers are not solved: they stay as they were, but for who fell asleep in this very step."""
        frames = [self._first]
        for solved, trees in zip(np.split(contacts, np.cumsum(counts)[:-1]), asleep, strict=True):
            if resting := self._sleepers(trees):
                quiet = (resting - {int(body) for body in solved[:, :2].ravel()}) | self._still
                stay = np.isin(frames[-1][:, :2], list(quiet)).all(axis=1)
                solved = np.concatenate([solved, frames[-1][stay]])
            frames.append(solved)
        return [len(frame) for frame in frames[1:]], np.concatenate(frames[1:])
