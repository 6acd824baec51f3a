"""Lives with contact for the checks: the same creatures alone, each in a block of one, and side by side in lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoophyte.model import STANDARD_GRAVITY, Block, ContactSettings, Model, State
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.model import Floats
from zoophyte.numbers.forms import compiled
from zoophyte.physics.contact.touch import NO_ORDERS, touching_life
from zoophyte.physics.dynamics import totals
from zoophyte.simulation.habitat import STANDARD_HABITAT, Habitat
from zoophyte.simulation.touching import Contacts, read_contacts

FORMS = {"one world": 1, "8 lanes": 8}
"""Both ways to live, by the name that a row shows, and the width of their blocks."""
DT = 1e-3


@dataclass(frozen=True)
class Lived:
    """What was recorded of one creature: `times` (T,), `q` (T, nq), `v` (T, nv), contacts, the state at the end.

    `sweeps` and `residuals` are the solver's own account at every recorded step.
    """

    model: Model
    times: Floats
    q: Floats
    v: Floats
    contacts: tuple[Contacts, ...]
    sweeps: Floats
    residuals: Floats
    end: State
    sound: bool

    def energies(self, gravity: Any = STANDARD_GRAVITY) -> Floats:
        """Kinetic, potential and elastic energy together at every recorded time [J]."""
        block = Block([self.model], gravity=gravity)
        kernel, sums, found = compiled(totals.totals), np.zeros(totals.TOTALS_SIZE), []
        state = State.neutral(self.model)
        for q, v in zip(self.q, self.v, strict=True):
            block.set_state(0, state.at(q=q, v=v))
            sums[:] = 0.0
            kernel(block.ints, block.data, block.scratch, sums, block.spec)
            found.append(sums[totals.KINETIC] + sums[totals.POTENTIAL] + sums[totals.ELASTIC])
        return np.array(found)


def live(
    models: Sequence[Model], states: Sequence[State], *, width: int, seconds: float, dt: float = DT,
    habitat: Habitat = STANDARD_HABITAT, every: int = 0, contacts: bool = False, sweeps: int = 60,
) -> list[Lived]:  # fmt: skip
    """Advance every creature by `seconds`, in blocks of `width`; contacts solved.

    Args:
        models: what lives.
        states: where each starts.
        width: creatures in a block; the last one is repeated where a block is not full.
        seconds: rounded to whole steps.
        dt: step [s].
        habitat: gravity and what is below.
        every: record every so many steps, the start and the end included; 0 records only these two.
        contacts: whether to record contacts too.
        sweeps: Gauss–Seidel sweeps in a step, at most.
    """
    found: list[Lived] = []
    for first in range(0, len(models), width):
        group = list(models[first : first + width])
        starts = list(states[first : first + width])
        missing = width - len(group)
        lived = _block_lives(
            group + group[-1:] * missing, starts + starts[-1:] * missing, round(seconds / dt), dt, habitat, every,
            contacts, sweeps,
        )  # fmt: skip
        found += lived[: len(group)]
    return found


def _block_lives(
    models: list[Model], states: list[State], steps: int, dt: float, habitat: Habitat, every: int, contacts: bool,
    sweeps: int,
) -> list[Lived]:  # fmt: skip
    block = block_of(models, states, dt, habitat, sweeps)
    head = block.contact.head if block.contact else 0
    marks = [*range(0, steps, every or max(steps, 1)), steps]
    lanes = range(block.width)
    q: Any = [[] for _ in lanes]
    v: Any = [[] for _ in lanes]
    touched: Any = [[] for _ in lanes]
    account = np.zeros((len(marks), 2, block.width))
    for n, mark in enumerate(marks):
        if n:
            advance(block, mark - marks[n - 1])
        account[n] = block.fields[[head + cl.SWEEPS_DONE, head + cl.RESIDUAL]]
        for lane in lanes:
            q[lane].append(block.q(lane))
            v[lane].append(block.v(lane))
            if contacts:
                touched[lane].append(read_contacts(block, lane))
    sound = (block.fields[at.FAILED_LINK] < 0.0) & (block.fields[head + cl.OVERFLOW] == 0.0)
    return [
        Lived(models[lane], np.array(marks) * dt, np.array(q[lane]), np.array(v[lane]), tuple(touched[lane]),
              account[:, 0, lane], account[:, 1, lane], block.state(lane), bool(sound[lane]))
        for lane in lanes
    ]  # fmt: skip


def block_of(
    models: Sequence[Model], states: Sequence[State], dt: float = DT, habitat: Habitat = STANDARD_HABITAT, sweeps: int = 60
) -> Block:
    """Creatures ready to live."""
    settings = ContactSettings(habitat.ground, habitat.surface, sweeps)
    block = Block(models, gravity=habitat.gravity, contact=settings)
    for lane, state in enumerate(states):
        block.set_state(lane, state)
    block.set_step(dt)
    block.set_flags(at.FLAG_IMPLICIT, True)
    return block


def advance(block: Block, steps: int) -> None:
    """That many steps of all lanes."""
    compiled(touching_life)(block.ints, block.data, block.scratch, block.terrain, NO_ORDERS, steps, block.spec)


def together(measure: Callable[[int], Any]) -> dict[str, Any]:
    """`measure`(width) for both forms."""
    return {name: measure(width) for name, width in FORMS.items()}
