"""Keeping: what a life keeps at its samples beside the usual numbers, when it is asked to: joints, bodies, contacts.

The kernel samples by itself and knows nothing of this.  Where something is to be kept, a worker lets its pen run from one
sample to the next and reads the lane in between; stretches of a life have the bits of the whole.  Lives that are asked for
nothing run as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zoophyte.errors import UsageError, brief, nearest
from zoophyte.model import Model, State, layout
from zoophyte.model import contact_layout as cl
from zoophyte.model.herd import life_layout as at
from zoophyte.model.herd.pen import Pen, Resident
from zoophyte.model.model import Floats
from zoophyte.physics import body_poses

JOINTS, CONTACTS, BODIES = "joints", "contacts", "bodies"
KEPT = (JOINTS, CONTACTS, BODIES)
"""What a life can keep."""


def checked_keep(given: Any) -> tuple[str, ...]:
    """The words for what is to be kept, each once, in the order of `KEPT`.

    Args:
        given: one word, or several.

    Raises:
        UsageError: for any other word.
    """
    words = (given,) if isinstance(given, str) else given
    if not isinstance(words, Sequence | set | frozenset):
        raise UsageError(f"keep is {brief(given)}, must be a list, of {', '.join(KEPT)}.")
    for word in words:
        if word not in KEPT:
            hint = nearest(word, KEPT) if isinstance(word, str) else ""
            raise UsageError(
                f"keep names {brief(word)}, which no life can keep. Known: {', '.join(KEPT)}. {hint}".rstrip()
            )
    return tuple(word for word in KEPT if word in words)


@dataclass(frozen=True, eq=False)
class Kept:
    """What one life has kept, sample by sample.

    Args:
        bodies: names of all bodies, the ground first.
        places: of every joint, by the name of its body: where its part of q begins and ends, and that of v.
        count: of the samples.
        q: shape (count, nq); None where joints were not asked for.
        v: shape (count, nv).
        touches: of every contact that pressed: number of the sample, numbers of the two bodies, force on the first of them
            in world axes [N]; shape (n, 6). None where contacts were not asked for.
        R: R_WB of every body, shape (count, bodies, 3, 3); None where bodies were not asked for.
        p: p_WB likewise, shape (count, bodies, 3) [m].
    """

    bodies: tuple[str, ...]
    places: dict[str, tuple[int, int, int, int]]
    count: int
    q: Floats | None
    v: Floats | None
    touches: Floats | None
    R: Floats | None = None
    p: Floats | None = None

    @classmethod
    def of(cls, model: Model, count: int, q: Any, v: Any, touches: Any, rows: Any = None) -> Kept:
        """What was read of a creature, put together.

        Args:
            model: of the creature.
            count: of the samples.
            q: coordinates at each; None where they were not asked for.
            v: velocities at each; likewise.
            touches: as above, in the order of the samples; likewise.
            rows: coordinates at each, where poses of bodies were asked for: these are computed as those of a trajectory are.
        """
        R = p = None
        if rows is not None:
            neutral, bodies = State.neutral(model), model.body_count
            found = [body_poses(model, neutral.at(np.array(row, float))) for row in rows]
            R = np.array([R for R, _ in found], float).reshape(-1, bodies, 3, 3)
            p = np.array([p for _, p in found], float).reshape(-1, bodies, 3)
        told = (_rows(q, model.nq), _rows(v, model.nv), _rows(touches, 6))
        return cls(model.body_names, _places(model), count, *told, R, p)

    def place(self, joint: str) -> tuple[int, int, int, int]:
        """Where the coordinates and the velocities of a joint begin and end.

        Raises:
            UsageError: when there is no such joint.
        """
        if joint not in self.places:
            known = [name for name, (first, end, _, _) in self.places.items() if end > first]
            raise UsageError(f"there is no joint {joint!r}. {_listed(joint, known)}")
        return self.places[joint]

    def body(self, name: str) -> int:
        """The number of a body.

        Raises:
            UsageError: when there is no such body.
        """
        if name not in self.bodies:
            raise UsageError(f"there is no body {name!r}. {_listed(name, self.bodies)}")
        return self.bodies.index(name)

    def forces(self, body: str, other: str | None) -> tuple[Any, Floats]:
        """Of every contact of a body the number of its sample, and the force on the body.

        Args:
            body: its name.
            other: whom it touches; anybody if None.

        Raises:
            UsageError: when there is no such body, or both are one.
        """
        assert self.touches is not None
        if other == body:
            raise UsageError(
                f"both bodies are {body!r}, and no body touches itself; name another body, or leave it out for anybody."
            )
        number, sample = self.body(body), self.touches[:, 0].astype(int)
        first, second = self.touches[:, 1], self.touches[:, 2]
        sign = np.where(first == number, 1.0, np.where(second == number, -1.0, 0.0))
        if other is not None:
            partner = self.body(other)
            sign = np.where((first == partner) | (second == partner), sign, 0.0)
        there = sign != 0.0
        return sample[there], sign[there, None] * self.touches[there, 3:]


def _rows(numbers: Any, columns: int) -> Floats | None:
    return None if numbers is None else np.array(numbers, float).reshape(-1, columns)


def _places(model: Model) -> dict[str, tuple[int, int, int, int]]:
    found, q, v = {}, 0, 0
    for body in model.description.bodies:
        joint = body.joint
        found[body.name] = (q, q + joint.coordinate_count, v, v + joint.dof_count)
        q, v = q + joint.coordinate_count, v + joint.dof_count
    return found


def _listed(name: str, known: Sequence[str]) -> str:
    names = ", ".join(known[:12]) + ", …" * (len(known) > 12)
    return f"Known: {names}. {nearest(name, known)}".rstrip()


@dataclass(eq=False)
class Reading:
    """What was read of the creature in a lane, sample by sample.

    Args:
        q: its coordinates.
        v: its velocities.
        memory: its contacts in the step before, as the lane remembers them: key and force of each.
    """

    q: list[Floats] = field(default_factory=list)
    v: list[Floats] = field(default_factory=list)
    memory: list[Floats] = field(default_factory=list)
    count: int = 0


class Keeper:
    """Reads the creatures of a pen at their samples.

    Args:
        keep: what to keep, of `KEPT`.
    """

    def __init__(self, keep: Sequence[str]) -> None:
        self.joints, self.contacts, self.bodies = (word in keep for word in KEPT)
        self._readings: dict[int, Reading] = {}

    def steps(self, pen: Pen) -> int:
        """How many steps it is to the next sample of anybody in the pen; 0 where somebody was just born."""
        left = pen.fields[pen.life.head + at.NEXT_SAMPLE] - pen.fields[pen.life.head + at.STEP]
        return max(
            0, int(min(left[lane] for lane, resident in enumerate(pen.residents) if resident is not None))
        )

    def look(self, pen: Pen) -> None:
        """Read those whose lives have taken a sample since the last look."""
        taken = pen.fields[pen.life.head + at.SAMPLES].tolist()
        for lane, resident in enumerate(pen.residents):
            if resident is not None:
                reading = self._readings.setdefault(lane, Reading())
                if int(taken[lane]) > reading.count:
                    self.read(pen, lane, resident, reading)

    def read(self, pen: Pen, lane: int, resident: Resident, reading: Reading) -> None:
        """Read a creature as it is now."""
        column, places = pen.fields[:, lane], resident.fit.places
        if self.joints or self.bodies:
            reading.q.append(column[places.q])
            reading.v.append(column[places.dofs + layout.VELOCITY])
        if self.contacts:
            start = pen.contact.memory
            end = start + 1 + int(column[start]) * cl.MEMORY_RECORD
            reading.memory.append(column[start + 1 : end].copy())
        reading.count += 1

    def kept(self, pen: Pen, lane: int) -> Kept:
        """What a life that has ended in a lane has kept."""
        resident = pen.resident(lane)
        reading = self._readings.pop(lane, None) or Reading()
        q, v = (reading.q, reading.v) if self.joints else (None, None)
        touches = _touches(resident, reading.memory) if self.contacts else None
        rows = reading.q if self.bodies else None
        return Kept.of(resident.creature.model, reading.count, q, v, touches, rows)


def _touches(resident: Resident, memory: Sequence[Floats]) -> Floats:
    """Sample, bodies and force of every contact that was remembered; who pressed on nothing is none."""
    counts = [len(each) // cl.MEMORY_RECORD for each in memory]
    rows = np.concatenate([np.zeros(0), *memory]).astype(float).reshape(-1, cl.MEMORY_RECORD)
    samples, keys, forces = np.repeat(np.arange(len(memory)), counts), rows[:, 0], rows[:, 1:]
    there = (keys >= 0.0) & (keys == np.floor(keys)) & forces.any(axis=1)
    samples, keys, forces = samples[there], keys[there], forces[there]
    first, second = resident.bodies_of(keys)
    return np.column_stack([samples, first, second, forces])
