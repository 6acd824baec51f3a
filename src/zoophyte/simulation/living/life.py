"""Life: what is left of a life in a herd."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.errors import UsageError
from zoophyte.model import State, layout
from zoophyte.model.herd import life_layout as at
from zoophyte.model.herd.lanes import slots_for
from zoophyte.model.herd.pen import Pen
from zoophyte.model.model import Floats
from zoophyte.physics.step import SPEED_LIMIT
from zoophyte.simulation.lifetime.units import as_depth
from zoophyte.simulation.living.keeping import Kept
from zoophyte.simulation.status import Status, fallen_through, too_many_contacts

HOW = "Herd.simulate(…, keep=['{0}']); a function for evolve asks by @zp.Samples(per_second=…, keep=['{0}'])"
"""How to ask for what only some lives keep."""


@dataclass(frozen=True, eq=False)
class Life:
    """How a life went. One who is born with shapes in each other does not live: it has a status, and no samples.

    Args:
        status: how it ended.
        times: of the samples: birth, when settled, then regularly, and the end [s].
        com: centre of mass of the creature, the first tree, at these times, shape (n, 3) [m]; a ball beside it does not
            count.
        root: origin of the root link at these times, shape (n, 3) [m].
        upright: cosine of the root's tilt from how it was born, at these times.
        work: of the actuators since birth, at these times [J].
        path: length of the way of the centre of mass over the ground, from check to check [m].
        highest: place of the centre of mass at any check [m].
        lowest: likewise.
        effort: sum of the magnitudes of all actuators' work [J].
        energy_gain: the most energy that was there without work [J].
        top_speed: of any link at any check [m/s].
        deepest: contact at any check [m].
        leap: the highest rise of the lowest point of its shapes above where that had settled, at checks at which the
            creature touched nothing; 0 if it was never airborne [m].
        airborne: share of the checks after settling at which the creature touched nothing.
        settled: number of the sample from which distances count.
        final: last state; a World goes on with it bit for bit. None if not asked for.
        kept: joints, bodies and contacts at these times, if they were asked for; `q`, `joint`, `position`, `touches` and the
            others read it.
    """

    status: Status
    times: Floats
    com: Floats
    root: Floats
    upright: Floats
    work: Floats
    path: float
    highest: float
    lowest: float
    effort: float
    energy_gain: float
    top_speed: float
    deepest: float
    leap: float
    airborne: float
    settled: int
    final: State | None
    kept: Kept | None = None

    @property
    def q(self) -> Floats:
        """Coordinates at the samples, shape (n, nq), if joints were asked for."""
        found = self._asked("joints").q
        assert found is not None
        return found

    @property
    def v(self) -> Floats:
        """Velocities at the samples, shape (n, nv), if joints were asked for."""
        found = self._asked("joints").v
        assert found is not None
        return found

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of all bodies, the ground first, if joints, bodies or contacts were asked for."""
        if self.kept is None:
            raise UsageError(
                f"this life kept no joints, bodies or contacts, for nobody asked: {HOW.format('contacts')}."
            )
        return self.kept.bodies

    def joint(self, name: str) -> Floats:
        """Coordinate of a joint at the samples, shape (n,) [rad or m]; of a ball, universal or free joint (n, k).

        Args:
            name: of the joint: that of its body.

        Raises:
            UsageError: when there is no such joint, or joints were not asked for.
        """
        first, end, _, _ = self._asked("joints").place(name)
        return self.q[:, first] if end == first + 1 else self.q[:, first:end]

    def joint_velocity(self, name: str) -> Floats:
        """Velocity of a joint at the samples, shape (n,) [rad/s or m/s]; of several degrees of freedom (n, k).

        Args:
            name: of the joint: that of its body.
        """
        _, _, first, end = self._asked("joints").place(name)
        return self.v[:, first] if end == first + 1 else self.v[:, first:end]

    def position(self, body: str) -> Floats:
        """Where the origin of a body is at the samples, in the world, shape (n, 3) [m].

        Args:
            body: its name.

        Raises:
            UsageError: when there is no such body, or bodies were not asked for.
        """
        kept = self._asked("bodies")
        assert kept.p is not None
        return kept.p[:, kept.body(body)]

    def rotation(self, body: str) -> Floats:
        """How a body is turned at the samples: R_WB, from its axes to the world's, shape (n, 3, 3).

        Args:
            body: its name.
        """
        kept = self._asked("bodies")
        assert kept.R is not None
        return kept.R[:, kept.body(body)]

    def touches(self, body: str, other: str | None = None) -> NDArray[np.bool_]:
        """At which samples a body presses on another: in the step that ends there; shape (n,).

        Args:
            body: its name.
            other: whom it touches, another body or "ground"; anybody if left out.

        Raises:
            UsageError: when there is no such body, both are one, or contacts were not asked for.
        """
        kept = self._asked("contacts")
        found = np.zeros(kept.count, bool)
        found[kept.forces(body, other)[0]] = True
        return found

    def contact_force(self, body: str, other: str | None = None) -> Floats:
        """Sum of the contact forces on a body at the samples, world axes, shape (n, 3) [N].

        Args:
            body: its name; "ground" for what the ground feels.
            other: who presses on it; everybody if left out.
        """
        kept = self._asked("contacts")
        found = np.zeros((kept.count, 3))
        samples, forces = kept.forces(body, other)
        np.add.at(found, samples, forces)
        return found

    def _asked(self, what: str) -> Kept:
        """What was kept.

        Raises:
            UsageError: when it was not asked for.
        """
        kept = self.kept
        if kept is None or {"joints": kept.q, "contacts": kept.touches, "bodies": kept.p}[what] is None:
            raise UsageError(f"this life kept no {what}, for nobody asked: {HOW.format(what)}.")
        return kept

    @property
    def distance(self) -> float:
        """Over the ground, of the centre of mass, from when it had settled to the end [m]; 0 if there is none."""
        if len(self.com) <= self.settled:
            return 0.0
        x, y = (self.com[-1] - self.com[self.settled])[:2]
        return math.sqrt(float(x * x + y * y))

    def __repr__(self) -> str:
        if not len(self.times):
            return f"Life({self.status}; it did not live, so there are no samples)"
        return f"Life({self.status}, {len(self.times)} samples, {self.distance:.6g} m)"


def unborn(status: Status) -> Life:
    """The life of one that could not be born."""
    none, rows = np.zeros(0), np.zeros((0, 3))
    return Life(status, none, rows, rows, none, none, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, None)


def life_in(pen: Pen, lane: int, final: State | None, keeper: str = "Herd") -> Life:
    """Read the life in a lane that has ended, or was interrupted.

    Args:
        pen: where it was lived.
        lane: its place.
        final: its last state, if it is kept.
        keeper: whose options its status names: a Herd's, or a World's.
    """
    terms = pen.life.terms
    count = min(int(pen.head(lane, at.SAMPLES)), pen.life.sample_room)
    start = pen.life.samples
    rows = np.array(pen.fields[start : start + count * at.SAMPLE_SIZE, lane], float).reshape(
        count, at.SAMPLE_SIZE
    )
    steps = int(pen.head(lane, at.STEP))
    birth = [0] if terms.settle and steps else []  # else it is the first of the regular ones, or the end
    regular = range(terms.settle, min(steps, terms.steps + 1), terms.sample_every)
    when = np.array([*birth, *regular, steps][:count], float) * pen.dt
    settled = int(np.searchsorted(when, terms.settle * pen.dt - 1e-12)) if terms.settle else 0
    return Life(
        _status(pen, lane, rows, keeper), when, rows[:, at.SAMPLE_COM : at.SAMPLE_COM + 3],
        rows[:, at.SAMPLE_ROOT : at.SAMPLE_ROOT + 3], rows[:, at.SAMPLE_UPRIGHT], rows[:, at.SAMPLE_WORK],
        pen.head(lane, at.PATH), pen.head(lane, at.HIGHEST), pen.head(lane, at.LOWEST), pen.head(lane, at.EFFORT),
        pen.head(lane, at.GAIN), pen.head(lane, at.TOP_SPEED), pen.head(lane, at.DEEPEST), pen.head(lane, at.LEAP),
        pen.head(lane, at.LOOKS_AIRBORNE) / max(pen.head(lane, at.LOOKS), 1.0), settled, final,
    )  # fmt: skip


def _status(pen: Pen, lane: int, rows: Floats, keeper: str) -> Status:
    cause = int(pen.head(lane, at.CAUSE))
    time = pen.head(lane, at.STEP) * pen.dt
    resident = pen.resident(lane)
    slots = slots_for(resident.creature.body, pen.settings)
    if cause == at.DIVERGED:
        model = resident.creature.model
        link = resident.fit.links.tolist().index(int(pen.fields[layout.FAILED_LINK, lane]))
        body = model.bodies.names[model.links.body[link]]
        reason = f"its velocity is not finite or beyond {SPEED_LIMIT:g}; try a smaller dt"
        return Status("diverged", time - pen.dt, body, reason)
    model, com = resident.creature.model, rows[:, at.SAMPLE_COM : at.SAMPLE_COM + 3]
    told: dict[int, Any] = {
        at.ENDED: ("ended", fallen_through(model, pen.settings.ground, *com[[0, -1]]) if len(com) else ""),
        at.LIVING: ("interrupted", ""),
        at.OVERFLOWED: ("overflowed", too_many_contacts(slots, keeper)),
        at.FELL: ("fell", ""),
        at.STRAYED: ("strayed", ""),
        at.IDLE: ("idle", ""),
        at.GAINED: ("cheated", f"energy of {pen.head(lane, at.GAIN):.3g} J came from nowhere"),
        at.RACED: ("cheated", f"a link moved at {pen.head(lane, at.TOP_SPEED):.3g} m/s"),
        at.SANK: ("cheated", f"a shape was {as_depth(pen.head(lane, at.DEEPEST))} deep in another"),
    }
    kind, reason = told[cause]
    return Status(kind, time, "", reason)
