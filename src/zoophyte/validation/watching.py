"""Watching a block of creatures for all that contact could do wrong: depth, pops, overrun limits, speed, energy.

Depths and overruns are measured from poses, sizes and limits, and not taken from the solver's own detection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from zoophyte.description import Box, Capsule
from zoophyte.model import Block, ContactSettings, Model
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.model import Floats
from zoophyte.numbers.forms import compiled
from zoophyte.physics.dynamics import totals
from zoophyte.physics.living import advance
from zoophyte.validation.scenes import G


@dataclass
class Account:
    """The worst that was seen.

    Args:
        steps: lived, of all creatures together.
        depth: below the ground or into a wall [m].
        overlap: of balls inside two bodies [m].
        beyond: of a hard limit [rad].
        pop: of a joint in a step, beside what its velocity moves it [rad].
        speed: of any free body or trunk [m/s].
        turning: of any joint, free body or trunk [rad/s].
        gain: rise of the energy above an earlier value, as a share of what steps may make.
        rise: the same [J].
        faults: whatever ended a life, in words.
        worst: where the greatest gain was.
    """

    steps: int = 0
    depth: float = 0.0
    overlap: float = 0.0
    beyond: float = 0.0
    pop: float = 0.0
    speed: float = 0.0
    turning: float = 0.0
    gain: float = 0.0
    rise: float = 0.0
    faults: list[str] = field(default_factory=list)
    worst: str = ""

    def join(self, other: Account) -> None:
        """Take over what was worse elsewhere."""
        self.worst = other.worst if other.gain > self.gain else self.worst
        self.steps += other.steps
        self.faults += other.faults
        for each in fields(self):
            if each.type == "float":
                setattr(self, each.name, max(getattr(self, each.name), getattr(other, each.name)))


class Watched:
    """A block that lives on and is looked at.

    Args:
        models: one per lane.
        dt: step [s].
        sleep: whether what rests may sleep.
        mixed: whether lanes may have different parents.
    """

    def __init__(
        self, models: Sequence[Model], dt: float, *, sleep: bool = False, mixed: bool = False
    ) -> None:
        self.models, self.dt, self.width = models, dt, len(models)
        self.block = b = Block(models, contact=ContactSettings(sleep=sleep), mixed=mixed)
        b.set_step(dt)
        b.set_integrator("implicit")
        self._sums = np.zeros(totals.TOTALS_SIZE * self.width)
        self._totals = compiled(totals.totals).ready(b.ints, b.data, b.scratch, self._sums, b.spec)
        layout, first = b.layout, models[0]
        self._dofs = np.array(layout.dof_offsets)
        self._hinges = np.flatnonzero(first.links.kind == at.HINGE)
        self._angles = np.array(layout.q_offsets)[np.array(first.q_start)[self._hinges]]
        self._joints = np.array(first.v_start)[self._hinges]
        roots = np.array(first.v_start)[np.flatnonzero(first.links.kind == at.FREE)]
        self._linear = (roots[:, None] + np.arange(3, 6)).ravel()
        self._angular = np.setdiff1d(np.arange(first.nv), self._linear)
        points = [_points(model) for model in models]
        self._links, self._radii = points[0][0], np.stack([radii for _, _, radii in points], axis=1)
        self._places = np.stack([places for _, places, _ in points], axis=2)
        starts = np.array(layout.scratch_offsets)[self._links, None]
        self._turns = starts + np.arange(at.WORLD_R, at.WORLD_R + 9)
        self._origins = starts + np.arange(at.WORLD_P, at.WORLD_P + 3)
        self._state = np.concatenate([layout.q_offsets, self._dofs + at.VELOCITY])
        limits = [(m.dofs.lower[self._joints], m.dofs.upper[self._joints], m.dofs.hard_limit[self._joints])
                  for m in models]  # fmt: skip
        self._lower, self._upper, self._hard = (np.stack(part, axis=1) for part in zip(*limits, strict=True))
        self._weight = np.array([G * model.total_mass for model in models])
        # Depth that is left uncorrected [m].
        self._slop = cl.SLOP_PART * np.array([max(s.reach for s in m.shapes if s.link) for m in models])
        self.account = Account()
        self.forget()

    def forget(self) -> None:
        """Follow the energy from here on."""
        self._low: Floats = np.full(self.width, np.inf)
        self._kinetic, self._fastest, self._deepest = np.zeros((3, self.width))

    def advance(self, steps: int, orders: Floats | None = None) -> None:
        """Live on, by orders (steps, nv, lanes) if there are any."""
        advance(self.block, steps, None if orders is None else np.ravel(orders))
        self.account.steps += steps * self.width

    def is_sound(self, when: str) -> bool:
        """Whether all lanes live; if not, the account tells."""
        b, tables = self.block, self.block.contact
        assert tables is not None
        overflow = tables.head + cl.OVERFLOW
        if (
            np.isfinite(b.fields[self._state]).all()
            and (b.fields[at.FAILED_LINK] < 0.0).all()
            and (b.fields[overflow] <= 0.0).all()
        ):
            return True
        for lane, model in enumerate(self.models):
            failed = b.fields[at.FAILED_LINK, lane]
            if failed >= 0.0:
                self.account.faults.append(f"{model.name}, {when}: diverged at link {failed:.0f}")
            elif not (np.all(np.isfinite(b.q(lane))) and np.all(np.isfinite(b.v(lane)))):
                self.account.faults.append(f"{model.name}, {when}: not finite")
            elif b.fields[overflow, lane] > 0.0:
                self.account.faults.append(f"{model.name}, {when}: more contacts than slots")
        return not self.account.faults

    def velocities(self) -> Floats:
        """Of all degrees of freedom, shape (nv, lanes)."""
        return np.asarray(self.block.fields[self._dofs + at.VELOCITY])

    def angles(self) -> Floats:
        """Of all hinges, shape (hinges, lanes)."""
        return np.asarray(self.block.fields[self._angles])

    def sums(self) -> Floats:
        """Sums over the links of each lane, shape (sums, lanes); poses are up to date afterwards."""
        b = self.block
        self._totals(b.ints, b.data, b.scratch, self._sums, b.spec)
        return self._sums.reshape(-1, self.width)

    def points(self) -> Floats:
        """Where the corners, ends and centres of all shapes are, as the last sums left them, shape (points, 3, lanes)."""
        R = self.block.work[self._turns].reshape(-1, 3, 3, self.width)
        return np.asarray(self.block.work[self._origins] + np.einsum("nijw,njw->niw", R, self._places))

    def clearances(self) -> Floats:
        """Of every point over the ground."""
        return np.asarray(self.points()[:, 2] - self._radii)

    def look(self, when: str, *, calm: bool = False) -> None:
        """Take a step, and measure it.

        Velocities stand half a step ahead of places, so that kinetic energy goes with the potential energy half-way:
        T + ½ (P + P before) stays what it was in free flight.

        Args:
            when: for the account.
            calm: whether joints should hardly move.
        """
        account = self.account
        before, angles = potential(self.sums()), self.angles()
        self.advance(1)
        S = self.sums()
        T, P, v, q = S[totals.KINETIC], potential(S), self.velocities(), self.angles()
        turning = np.abs(v[self._angular]).max(axis=0)
        account.speed = max(account.speed, float(np.abs(v[self._linear]).max()))
        account.turning = max(account.turning, float(turning.max()))
        depth = np.maximum(-self.clearances().min(axis=0), 0.0)
        account.depth = max(account.depth, float(depth.max()))
        if len(q):
            excess = np.maximum(self._lower - q, q - self._upper)
            account.beyond = max(account.beyond, float(np.where(self._hard, excess, 0.0).max()))
            moved = float(np.abs(q - angles - self.dt * v[self._joints]).max())
            account.pop = max(account.pop, moved) if calm else account.pop
        self._kinetic, self._fastest = np.maximum(self._kinetic, T), np.maximum(self._fastest, turning)
        self._deepest = np.maximum(self._deepest, depth)
        E = T + 0.5 * (before + P)
        rise = np.maximum(E - self._low, 0.0)
        gain = rise / self.allowance()
        worst = int(gain.argmax())
        if gain[worst] > account.gain:
            account.gain, account.rise = float(gain[worst]), float(rise[worst])
            account.worst = f"{self.models[worst].name}, {when}, kinetic energy {T[worst]:.3g} J"
        fell = self._low > E
        self._low, self._kinetic = np.where(fell, E, self._low), np.where(fell, T, self._kinetic)
        self._fastest = np.where(fell, turning, self._fastest)
        self._deepest = np.where(fell, depth, self._deepest)

    def allowance(self) -> Floats:
        """Energy that steps may make of each lane since its lowest [J]; see LAW-soak-creatures."""
        return np.asarray(
            self.dt * self._fastest * self._kinetic + (self._slop + self._deepest) * self._weight
        )


def potential(sums: Floats) -> Floats:
    """Energy of places [J], copied."""
    return np.asarray(sums[totals.POTENTIAL] + sums[totals.ELASTIC])


def _points(model: Model) -> tuple[Any, Floats, Floats]:
    """(links, places in link axes, radii): balls whose hulls are the shapes; one shape per body, unturned in it."""
    links, places, radii = [], [], []
    for index, body in enumerate(model.description.bodies, start=1):
        shape: Any = body.shapes[0]
        if not model.bodies.link[index]:
            continue
        if isinstance(shape, Box):
            around = 0.5 * np.array(shape.size) * np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, 8).T
        else:
            half = 0.5 * shape.length if isinstance(shape, Capsule) else 0.0
            around = np.array([(0.0, 0.0, -half), (0.0, 0.0, half)])
        R_LB, p_LB = model.bodies.R_LB[index], model.bodies.p_LB[index]
        links += [int(model.bodies.link[index])] * len(around)
        places += [p_LB + R_LB @ (np.array(shape.position) + place) for place in around]
        radii += [0.0 if isinstance(shape, Box) else float(shape.radius)] * len(around)
    return np.array(links), np.array(places), np.array(radii)
