"""What is kept of a life: states at every n-th step, and sums over all bodies as channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from zoophyte.description import Attach
from zoophyte.model import Block, Model, State
from zoophyte.model import layout as at
from zoophyte.model.model import Floats
from zoophyte.numbers.forms import compiled
from zoophyte.physics.dynamics import totals
from zoophyte.physics.step import evaluate
from zoophyte.simulation.habitat import Habitat
from zoophyte.simulation.lifetime.actuation import Actuation
from zoophyte.simulation.lifetime.sinking import Sinking
from zoophyte.simulation.overlaps import OPEN, open_holds
from zoophyte.simulation.status import Status, fallen_through
from zoophyte.simulation.touching import (
    Event,
    TouchRecorder,
    breaking,
    broken,
    sleepers,
    spring_energy_of,
)


class Recorder:
    """Keeps a frame now and then.

    Args:
        block: the creature that is recorded, in the state in which its life begins.
        stride: steps between two frames.
    """

    def __init__(self, block: Block, stride: int) -> None:
        self.block, self.stride = block, stride
        self.steps_to_next = stride
        self._times: list[float] = []
        self._q: list[Floats] = []
        self._v: list[Floats] = []
        self._totals: list[Floats] = []
        sums = np.zeros(totals.TOTALS_SIZE)
        self._driven = np.flatnonzero(block.models[0].dofs.driven)
        self._driven_forces: list[Floats] = []
        self._actuation = Actuation(block)
        self._touch = None if block.contact is None else TouchRecorder(block)
        self._sinking = None if block.contact is None else Sinking(block)
        springs = [each for each in block.models[0].constraints if isinstance(each, Attach)]
        self._sprung = bool(springs) and block.contact is not None
        self._can_break = any(each.break_length < np.inf for each in springs)
        self._broken = frozenset() if block.contact is None else broken(block)
        self._kernel = compiled(totals.totals).ready(block.ints, block.data, block.scratch, sums, block.spec)

    def advance(self, steps: int, time: float) -> None:
        """Count steps; keep a frame when it is due."""
        self.steps_to_next -= steps
        if self.steps_to_next == 0:
            self.steps_to_next = self.stride
            self.keep(time)

    @property
    def watches(self) -> bool:
        """Whether every step must be seen, recorded or not."""
        return self._touch is not None and (bool(self.block.models[0].shapes) or self._can_break)

    def watch(self, time: float) -> None:
        """Collect the events of the step that ends now."""
        if self._touch is None:
            return
        self._touch.watch(time)
        if self._can_break:
            before, self._broken = self._broken, broken(self.block)
            description = self.block.models[0].description
            self._touch.events += [breaking(description, n, time) for n in sorted(self._broken - before)]

    def keep(self, time: float) -> None:
        """Keep the present state."""
        block, sums = self.block, np.zeros(totals.TOTALS_SIZE)
        if len(self._driven):
            self._keep_driven_forces()
        self._kernel(block.ints, block.data, block.scratch, sums, block.spec)
        self._times.append(time)
        self._q.append(block.q())
        self._v.append(block.v())
        self._totals.append(sums)
        self._actuation.keep()
        if self._sprung:
            sums[totals.ELASTIC] += spring_energy_of(block)
        if self._touch is not None and self._sinking is not None:
            if len(self._times) == 1:  # before the first step nothing has been solved
                self._touch.begin(time)
            else:
                self._sinking.look(self._touch.keep(sleepers(block)), time)

    @property
    def events(self) -> list[Event]:
        """Who began or ended to touch whom, and which springs broke."""
        return [] if self._touch is None else self._touch.events

    @property
    def sunken(self) -> str:
        """What to tell of shapes that sweeps left in each other; nothing if there were none."""
        return "" if self._sinking is None else self._sinking.told

    def _keep_driven_forces(self) -> None:
        """The forces that driven joints need right now, for the motion as it is (no implicit terms)."""
        block = self.block
        implicit = bool(block.ints[at.FLAGS] & at.FLAG_IMPLICIT)
        block.set_flags(at.FLAG_IMPLICIT, False)
        compiled(evaluate)(block.ints, block.data, block.scratch, block.spec)
        block.set_flags(at.FLAG_IMPLICIT, implicit)
        self._driven_forces.append(block.dofs(at.TAU)[self._driven])

    def arrays(self) -> dict[str, Any]:
        """times, q, v and the channels."""
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is told as a status
            return self._arrays()

    def _arrays(self) -> dict[str, Any]:
        sums = np.array(self._totals)
        mass = np.maximum(sums[:, totals.TOTAL_MASS, None], np.finfo(float).tiny)  # nothing may move
        linear, com = (
            sums[:, totals.LINEAR : totals.LINEAR + 3],
            sums[:, totals.MASS_COM : totals.MASS_COM + 3] / mass,
        )
        angular = sums[:, totals.ANGULAR : totals.ANGULAR + 3] - np.cross(com, linear)
        kinetic, potential, elastic = (
            sums[:, totals.KINETIC],
            sums[:, totals.POTENTIAL],
            sums[:, totals.ELASTIC],
        )
        times, q, v = np.array(self._times), np.array(self._q), np.array(self._v)
        return {
            "times": times, "q": q, "v": v,
            "channels": {
                "energy": kinetic + potential + elastic, "kinetic": kinetic, "potential": potential,
                "elastic": elastic, "com": com, "momentum": linear, "angular_momentum": angular,
                **({"driven_force": np.array(self._driven_forces)} if len(self._driven) else {}),
                **self._actuation.channels(times, q, v),
                **(self._touch.channels() if self._touch is not None and self.block.models[0].shapes else {}),
            },
        }  # fmt: skip


def ended(time: float, model: Model, habitat: Habitat, arrays: dict[str, Any], *, sunken: str = "") -> Status:
    """The status of a life that was lived to its end.

    Args:
        time: of the end [s].
        model: of the body.
        habitat: where it lived.
        arrays: channels of the life.
        sunken: what its record tells of shapes that sweeps left in each other.
    """
    com = arrays["channels"]["com"]
    reason = fallen_through(model, habitat.ground, com[0], com[-1])
    opened = open_holds(model, State.neutral(model).at(arrays["q"][-1]), OPEN)
    if opened and not reason:
        name, gap = opened[0]
        reason = f"{name} is open by {gap}: other constraints, driven joints or limits contradict it, or loads are strong"
    return Status("ended", time, "", reason or sunken)


def beyond_numbers(arrays: dict[str, Any]) -> Status | None:
    """The status of a life whose motion is sound, but of which some channel is not finite; None when all are.

    Args:
        arrays: times and channels of the life.
    """
    found = [
        (int(np.argwhere(~np.isfinite(values))[0, 0]), name)
        for name, values in arrays["channels"].items()
        if not np.all(np.isfinite(values))
    ]
    if not found:
        return None
    frame, name = min(found, key=lambda item: item[0])
    reason = f"its channel '{name}' is beyond the largest number there is; use smaller masses or speeds"
    return Status("diverged", float(arrays["times"][max(frame - 1, 0)]), "", reason)
