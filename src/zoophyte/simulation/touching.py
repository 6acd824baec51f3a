"""Contacts as they are right now: who touches whom, where, and how hard; and who begins or ends to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zoophyte.description import Description
from zoophyte.model import Block
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.model import Floats
from zoophyte.numbers.forms import compiled
from zoophyte.physics.contact.touch import LOOK
from zoophyte.physics.dynamics.kinematics import poses
from zoophyte.physics.lives.lives import lives


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

    def among(self, bodies: frozenset[int]) -> Contacts:
        """Those whose two bodies are both among `bodies`."""
        chosen = np.array([a in bodies and b in bodies for a, b in self.bodies.tolist()], bool)
        return Contacts(
            self.bodies[chosen], self.points[chosen], self.normals[chosen], self.forces[chosen], self.gaps[chosen]
        )  # fmt: skip

    def with_(self, others: Contacts) -> Contacts:
        """These, and after them the others."""
        return Contacts(
            np.concatenate([self.bodies, others.bodies]), np.concatenate([self.points, others.points]),
            np.concatenate([self.normals, others.normals]), np.concatenate([self.forces, others.forces]),
            np.concatenate([self.gaps, others.gaps]),
        )  # fmt: skip


@dataclass(frozen=True)
class Event:
    """Two bodies begin or end to touch, or a spring between them breaks.

    Args:
        time: of the first recorded frame in which it is so [s].
        kind: "begin", "end" or "break".
        bodies: their names; the second may be ground.
        impulse: along the normals: in the frame of the beginning, or over the whole touch [N·s]; 0 of a spring.
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
    count = int(block.fields[tables.head + cl.SLOT_COUNT, lane])
    first = tables.slots
    slots = block.work[first : first + count * tables.slot_size, lane].reshape(count, tables.slot_size)
    slots = slots[(slots[:, cl.SLOT_KEY] >= 0.0) & (slots[:, cl.SLOT_KIND] < 0.5)] if count else slots
    if not len(slots):
        return Contacts(np.zeros((0, 2), np.int64), empty, empty, empty, np.zeros(0))
    compiled(poses)(block.ints, block.data, block.scratch, block.spec)
    frames = slots[:, cl.SLOT_FRAME : cl.SLOT_FRAME + 9].reshape(-1, 3, 3)
    impulses = (
        slots[:, cl.SLOT_IMPULSE : cl.SLOT_IMPULSE + 3] + slots[:, cl.SLOT_BOUNCED : cl.SLOT_BOUNCED + 3]
    )
    force = np.einsum("ni,nij->nj", impulses, frames) / float(block.fields[at.DT, lane])
    points = np.array([
        _on_link(block, int(slot[cl.SLOT_B]) // block.width, slot[cl.SLOT_POINT_B : cl.SLOT_POINT_B + 3], lane)
        for slot in slots
    ])  # fmt: skip
    bodies = np.array([_bodies(block, int(key)) for key in slots[:, cl.SLOT_KEY]], np.int64)
    return Contacts(bodies, points, frames[:, 0], force, slots[:, cl.SLOT_GAP].copy())


def sleepers(block: Block) -> frozenset[int]:
    """The bodies that sleep; none where nothing ever does."""
    tables = block.contact
    if tables is None or not block.ints[block.ints[at.CONTACT] + cl.FEATURES] & cl.FEATURE_SLEEP:
        return frozenset()
    records = tables.sleep + np.arange(tables.island_count) * cl.SLEEP_RECORD
    asleep = block.fields[records + cl.SLEEP_ASLEEP, 0] > 0.0
    if not asleep.any():
        return frozenset()
    trees = np.array(tables.islands)[block.models[0].bodies.link]
    return frozenset(np.flatnonzero((trees >= 0) & asleep[trees]).tolist())


def broken(block: Block) -> frozenset[int]:
    """The constraints that have broken, counted as in the description."""
    assert block.contact is not None
    places = enumerate(block.contact.hold_data)
    return frozenset(n for n, start in places if block.fields[start + cl.HOLD_BROKEN, 0] > 0.5)


def breaking(description: Description, index: int, time: float) -> Event:
    """The event of a spring that breaks.

    Args:
        description: what it belongs to.
        index: of the spring among the constraints.
        time: of the first recorded frame in which it is broken [s].
    """
    spring = description.constraints[index]
    return Event(time, "break", (spring.body, spring.other), 0.0, spring.name or f"constraints[{index}]")


def scenery(block: Block) -> frozenset[int]:
    """The bodies that never move, the ground first of all."""
    return frozenset(np.flatnonzero(block.models[0].bodies.link == 0).tolist())


def remembered_contacts(block: Block) -> Contacts:
    """The contacts of a state, those of sleepers too, with the forces that it remembers; the block stays as it is."""
    assert block.contact is not None
    before = block.data.copy()
    block.fields[
        block.contact.sleep + np.arange(block.contact.island_count) * cl.SLEEP_RECORD + cl.SLEEP_ASLEEP
    ] = 0.0
    compiled(lives)(block.ints, block.data, block.scratch, block.terrain, block.orders, LOOK, block.spec)
    contacts = read_contacts(block)
    block.data[:] = before
    return contacts


def remembered_forces(block: Block, lane: int = 0) -> Floats:
    """Sum of the contact forces of the last step on each body, shape (bodies, 3) [N].

    They come from the state, so that a controller that feels them goes on bit for bit after a life was saved.
    """
    total = np.zeros((block.models[lane].body_count, 3))
    tables = block.contact
    if tables is None:
        return total
    column = block.fields[:, lane]
    for n in range(int(column[tables.memory])):
        record = tables.memory + 1 + n * cl.MEMORY_RECORD
        key = float(column[record + cl.MEMORY_KEY])
        if key >= 0.0 and key == int(key):
            force = column[record + cl.MEMORY_FORCE : record + cl.MEMORY_FORCE + 3]
            a, b = _bodies(block, int(key))
            total[a] += force
            total[b] -= force
    total[0] = 0.0
    return total


def _on_link(block: Block, record: int, point: Floats, lane: int) -> Floats:
    R = block.work[record + at.WORLD_R : record + at.WORLD_R + 9, lane].reshape(3, 3)
    moved: Floats = block.work[record + at.WORLD_P : record + at.WORLD_P + 3, lane] + (R * point).sum(axis=1)
    return moved


def _bodies(block: Block, key: int) -> tuple[int, int]:
    assert block.contact is not None
    meetings = block.contact.meetings
    shapes = meetings.shapes[0]
    beyond = key - len(shapes) * cl.KEYS_PER_SHAPE
    if beyond < 0:
        return shapes[key // cl.KEYS_PER_SHAPE].body, 0
    pair = beyond // cl.KEYS_PER_PAIR
    i, j = divmod(pair, len(shapes)) if meetings.broad else meetings.pairs[pair]
    return shapes[i].body, shapes[j].body


class TouchRecorder:
    """Collects contact forces and events, frame by frame.

    Args:
        names: of the bodies, the ground first.
        still: bodies that never move.
    """

    def __init__(self, names: tuple[str, ...], still: frozenset[int] = frozenset({0})) -> None:
        self._names, self._still = names, still
        self._frames: list[Contacts] = []
        self._touching: dict[tuple[int, int], float] = {}
        self.events: list[Event] = []

    def keep(
        self, contacts: Contacts, time: float, span: float, asleep: frozenset[int] = frozenset()
    ) -> None:
        """Keep a frame.

        Args:
            contacts: of the frame.
            time: of the frame [s].
            span: time that it stands for [s].
            asleep: bodies that sleep.
        """
        if asleep and self._frames:
            # Contacts of sleepers are not solved: they stay as they were, but for who fell asleep in this very step.
            quiet = asleep - frozenset(contacts.bodies.ravel().tolist())
            contacts = contacts.with_(self._frames[-1].among(quiet | self._still))
        self._frames.append(contacts)
        pressing: dict[tuple[int, int], float] = {}
        for (a, b), normal, force in zip(contacts.bodies, contacts.normals, contacts.forces, strict=True):
            pressure = float(normal @ force)
            if pressure > 0.0:
                pair = (int(a), int(b))
                pressing[pair] = pressing.get(pair, 0.0) + pressure * span
        for pair in sorted(set(self._touching) - set(pressing)):
            self._tell(time, "end", pair, self._touching.pop(pair))
        for pair, impulse in sorted(pressing.items()):
            if pair not in self._touching:
                self._tell(time, "begin", pair, impulse)
            self._touching[pair] = self._touching.get(pair, 0.0) + impulse

    def _tell(self, time: float, kind: str, pair: tuple[int, int], impulse: float) -> None:
        self.events.append(Event(time, kind, (self._names[pair[0]], self._names[pair[1]]), impulse))

    def channels(self) -> dict[str, Floats]:
        """`contact_forces`: point and force of each contact, six columns each; zeros where there are fewer."""
        most = max((len(c.points) for c in self._frames), default=0)
        rows = np.zeros((len(self._frames), 6 * most))
        for row, contacts in zip(rows, self._frames, strict=True):
            pairs = np.concatenate([contacts.points, contacts.forces], axis=1).ravel()
            row[: len(pairs)] = pairs
        return {"contact_forces": rows}
