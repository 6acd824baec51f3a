"""Our side: a block of creatures in the solver's kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from zoophyte.bench.contact.sides import Coordinates, Timer, timed
from zoophyte.errors import UsageError
from zoophyte.model import Block, ContactSettings, Model, State
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.model import Floats
from zoophyte.physics.living import advance

if TYPE_CHECKING:
    from zoophyte.bench.contact.mujoco import Twin


class Ours:
    """Creatures side by side, or one world.

    Args:
        models: one per lane.
        contact: ground and solver.
        dt: step [s].
        mixed: whether the form for different topologies is used.
        states: to start from, one per lane; as born if left out.
    """

    def __init__(
        self, models: Sequence[Model], contact: ContactSettings, dt: float, *, mixed: bool = False,
        states: Sequence[State] | None = None,
    ) -> None:  # fmt: skip
        self.name = "Zoophyte"
        self.models, self.width = models, len(models)
        self.block = Block(models, contact=contact, mixed=mixed)
        for lane, state in enumerate(states or ()):
            self.block.set_state(lane, state)
        self.block.set_step(dt)
        self.block.set_integrator("implicit")
        self.twins: list[Twin] = []
        self._is_driven = False
        self.keep()

    def keep(self) -> None:
        """Take the present state as the one to go back to."""
        self._kept = (self.block.data.copy(), self.block.ints.copy(), self.block.scratch)

    def restart(self) -> None:
        """Go back to the kept state."""
        self.block.data[:], ints, scratch = self._kept
        if scratch is self.block.scratch:  # else there is more room now, as the integers tell
            self.block.ints[:] = ints
        self._is_driven = False

    def advance(self, steps: int, orders: Floats | None = None) -> None:
        """Step.

        Args:
            steps: how many.
            orders: values of the commands, shape (steps, nv, lanes).

        Raises:
            UsageError: when the life ends before its time; a time or a figure of it would mean nothing.
        """
        if orders is None and self._is_driven:  # the last order would hold on
            for lane in range(self.width):
                self.block.set_dofs(at.COMMAND, 0.0, lane)
        self._is_driven = orders is not None
        advance(self.block, steps, None if orders is None else np.ravel(orders[:, :, : self.width]))
        self.check()

    def check(self) -> None:
        """Refuse a life that diverged or ran out of slots.

        Raises:
            UsageError: when it did.
        """
        assert self.block.contact is not None
        head = self.block.contact.head
        if np.any(self.block.fields[head + cl.OVERFLOW] > 0.0):
            raise UsageError(
                f"{self.models[0].name}: more contacts than slots ({self.block.contact.capacity})."
            )
        if np.any(self.block.fields[at.FAILED_LINK] >= 0.0) or not np.all(np.isfinite(self.block.q())):
            raise UsageError(f"{self.models[0].name}: the motion diverged.")

    def coordinates(self) -> list[Coordinates]:
        """All creatures in MuJoCo's coordinates."""
        return [twin.there(self.block.q(n), self.block.v(n)) for n, twin in enumerate(self.twins)]

    def timers(self, steps: int, orders: Floats | None = None) -> list[Timer]:
        """One call of the kernel."""
        flat = self.block.orders if orders is None else np.ravel(orders[:steps, :, : self.width])

        def run() -> float:
            self.restart()
            seconds = timed(lambda: advance(self.block, steps, flat))
            self.check()
            return seconds / (steps * self.width)

        return [run]

    @property
    def contacts(self) -> float:
        """Points that were solved in the last step, on average over the lanes."""
        return float(np.mean(self._head(cl.SLOT_COUNT)))

    @property
    def sweeps(self) -> float:
        """Sweeps of the last step, on average over the lanes."""
        return float(np.mean(self._head(cl.SWEEPS_DONE)))

    def _head(self, field: int) -> Floats:
        assert self.block.contact is not None
        return np.asarray(self.block.fields[self.block.contact.head + field], float)


def random_orders(model: Model, steps: int, lanes: int, seed: int = 0) -> Floats:
    """Commands of all motors, drawn anew from −1 … 1 for every step and lane, shape (steps, nv, lanes)."""
    orders = np.random.default_rng(seed).uniform(-1.0, 1.0, (steps, model.nv, lanes))
    orders[:, model.dofs.motor_strength == 0.0] = 0.0
    return orders
