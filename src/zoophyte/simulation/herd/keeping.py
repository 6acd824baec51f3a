"""Keeping: what a life keeps at its samples beside the usual numbers, when it is asked to: joints and contacts.

The kernel samples by itself and knows nothing of this.  Where something is to be kept, a worker lets its pen run from one
sample to the next and reads the lane in between; stretches of a life have the bits of the whole.  Lives that are asked for
nothing run as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from zoophyte.errors import UsageError, brief, nearest
from zoophyte.model import Model
from zoophyte.model import contact_layout as cl
from zoophyte.model.herd import life_layout as at
from zoophyte.model.herd.pen import Pen, Resident
from zoophyte.model.model import Floats
from zoophyte.simulation.herd.life import Life

JOINTS, CONTACTS = "joints", "contacts"
KEPT = (JOINTS, CONTACTS)
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
        raise UsageError(f"keep is {brief(given)}, must be a list of {' and '.join(KEPT)}.")
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
    """

    bodies: tuple[str, ...]
    places: dict[str, tuple[int, int, int, int]]
    count: int
    q: Floats | None
    v: Floats | None
    touches: Floats | None

    @classmethod
    def of(cls, model: Model, samples: Sequence[Sample], keep: Sequence[str]) -> Kept:
        """What was read of a creature, put together.

        Args:
            model: of the creature.
            samples: in their order.
            keep: what was asked for.
        """
        q = v = touches = None
        if JOINTS in keep:
            q = np.array([sample.q for sample in samples], float).reshape(-1, model.nq)
            v = np.array([sample.v for sample in samples], float).reshape(-1, model.nv)
        if CONTACTS in keep:
            rows = [(n, *row) for n, sample in enumerate(samples) for row in sample.touches]
            touches = np.array(rows, float).reshape(-1, 6)
        return cls(model.body_names, _places(model), len(samples), q, v, touches)

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
        """
        assert self.touches is not None
        number, sample = self.body(body), self.touches[:, 0].astype(int)
        first, second = self.touches[:, 1], self.touches[:, 2]
        sign = np.where(first == number, 1.0, np.where(second == number, -1.0, 0.0))
        if other is not None:
            partner = self.body(other)
            sign = np.where((first == partner) | (second == partner), sign, 0.0)
        there = sign != 0.0
        return sample[there], sign[there, None] * self.touches[there, 3:]


@dataclass(frozen=True, eq=False)
class Sample:
    """One creature at one sample.

    Args:
        q: coordinates; None where they are not kept.
        v: velocities.
        touches: two bodies and a force on the first, for every contact that pressed.
    """

    q: Floats | None = None
    v: Floats | None = None
    touches: Sequence[Sequence[float]] = ()


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


class Keeper:
    """Reads the creatures of a pen at their samples.

    Args:
        keep: what to keep, of `KEPT`.
    """

    def __init__(self, keep: Sequence[str]) -> None:
        self.keep = tuple(keep)
        self._samples: dict[int, list[Sample]] = {}

    def steps(self, pen: Pen) -> int:
        """How many steps it is to the next sample of anybody in the pen; 0 where somebody was just born."""
        heads = pen.fields[pen.life.head : pen.life.head + at.LIFE_HEAD_SIZE]
        there = [n for n, resident in enumerate(pen.residents) if resident is not None]
        return max(0, int((heads[at.NEXT_SAMPLE, there] - heads[at.STEP, there]).min()))

    def look(self, pen: Pen) -> None:
        """Read those whose lives have taken a sample since the last look."""
        taken = pen.fields[pen.life.head + at.SAMPLES]
        for lane, resident in enumerate(pen.residents):
            if resident is not None:
                samples = self._samples.setdefault(lane, [])
                if int(taken[lane]) > len(samples):
                    samples.append(sample_of(pen, lane, resident, self.keep))

    def give(self, life: Life, pen: Pen, lane: int) -> Life:
        """A life that has ended in a lane, with what it has kept."""
        resident = pen.residents[lane]
        assert resident is not None
        samples = self._samples.pop(lane, [])[: len(life.times)]
        return replace(life, kept=Kept.of(resident.creature.model, samples, self.keep))


def sample_of(pen: Pen, lane: int, resident: Resident, keep: Sequence[str]) -> Sample:
    """What is to be kept of a creature as it is now.

    Args:
        pen: where it lives.
        lane: its place there.
        resident: the creature.
        keep: what to keep.
    """
    column, fit = pen.fields[:, lane], resident.fit
    q = v = None
    if JOINTS in keep:
        state = fit.read(column, pen.tables.memory)
        q, v = state.q, state.v
    return Sample(q, v, _touches(pen, lane, resident) if CONTACTS in keep else ())


def _touches(pen: Pen, lane: int, resident: Resident) -> list[tuple[float, ...]]:
    """The contacts of the step that has just ended, as it remembers them; who pressed on nothing is none."""
    start = pen.tables.memory
    count = int(pen.fields[start, lane])
    rows = np.array(pen.fields[start + 1 : start + 1 + count * cl.MEMORY_RECORD, lane], float)
    seat, body = resident.fit.seat, resident.creature.body
    owners = resident.creature.model.touching.bodies
    found = []
    for key, *force in rows.reshape(-1, cl.MEMORY_RECORD).tolist():
        if key < 0.0 or key != int(key) or not any(force):
            continue
        if key < seat.bound:
            shape = seat.from_shape[int(key) // cl.KEYS_PER_SHAPE]
            found.append((owners[shape], 0, *force))
        else:
            i, j = body.pairs[seat.from_pair[(int(key) - seat.bound) // cl.KEYS_PER_PAIR]]
            found.append((owners[i], owners[j], *force))
    return found
