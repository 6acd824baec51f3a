"""Setting: which body lives, where, by whose commands, and in what steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from zoophyte.control import Controller
from zoophyte.description import Description
from zoophyte.errors import UsageError
from zoophyte.model import Block, ContactSettings, Law, Model, State, needs_contact
from zoophyte.model import layout as at
from zoophyte.physics.entries import PLACE, compile_ahead, forms_of
from zoophyte.simulation.habitat import STANDARD_HABITAT, Habitat
from zoophyte.simulation.lifetime.lived import lived_number
from zoophyte.simulation.record import Recorder
from zoophyte.simulation.status import Status
from zoophyte.simulation.trajectory import Trajectory

AUTO = "auto"
SOLVING = ("implicit", "semi_implicit")
"""Integrators with which contacts are solved."""
BLUR = 0.01
"""Part of a step to which clocks must be exact."""
KEPT = 2**18
"""Numbers that a World keeps at most for the lives to come: 2 MiB."""
ENTRIES = ("live", "look", "note")
"""What the life of every World calls."""


@dataclass(frozen=True, eq=False)
class Setting:
    """What a World is made of, and all that the loops of its life know of it; `zoophyte.World` says what each is."""

    body: Model | Description
    habitat: Habitat = STANDARD_HABITAT
    controller: Controller | None = None
    dt: float = 1e-3
    integrator: str = AUTO
    overlap: str = "refuse"
    slots: int | None = None
    sweeps: int = 30
    sleep: bool | None = None
    dtype: Any = np.float64
    laws: tuple[Law, ...] = ()
    response: Law | None = None

    @property
    def contact(self) -> ContactSettings | None:
        """Ground and solver, if contacts are solved."""
        if self.integrator not in SOLVING or not needs_contact(self.model):
            return None
        sleep = (
            self.dtype == np.float64 and not (self.laws or self.response)
            if self.sleep is None
            else self.sleep
        )
        return ContactSettings(
            self.habitat.ground, self.habitat.surface, self.sweeps, slots=self.slots, sleep=sleep
        )

    @property
    def model(self) -> Model:
        """The compiled body."""
        assert isinstance(self.body, Model)
        return self.body


_unborn: WeakKeyDictionary[Setting, Block] = WeakKeyDictionary()


def begin(setting: Setting, state: State, record_rate: float | None) -> Recorder:
    """The block of one in which a life begins, and its record; no frame is kept yet.

    Args:
        setting: what lives, and where.
        state: in which.
        record_rate: frames per second to keep; every step if None.
    """
    block = (_unborn.get(setting) or _unborn_block(setting)).copied()
    block.set_state(0, state)
    block.fields[at.DT] = setting.dt
    return Recorder(block, 1 if record_rate is None else max(1, round(1.0 / (record_rate * setting.dt))))


def _unborn_block(setting: Setting) -> Block:
    """What all lives of a setting have in common, with the code that they call; kept where it is small."""
    habitat = setting.habitat
    block = Block(
        [setting.model], gravity=habitat.gravity, contact=setting.contact, medium=habitat.medium, laws=setting.laws,
        response=setting.response,
    )  # fmt: skip
    block.set_step(setting.dt)
    block.set_integrator(setting.integrator)
    block.set_flags(at.FLAG_NOTED, True)
    needed = forms_of(block, *ENTRIES)
    compile_ahead((PLACE, *needed))
    for form in needed:
        if form.kernel in ENTRIES:
            kernel, types = form.code()
            kernel.connect(block.ints, types)
    if len(block.data) + block.scratch_size <= KEPT:
        _unborn[setting] = block
    return block


def trajectory_of(
    setting: Setting, record: Recorder, arrays: dict[str, Any], status: Status, final: State
) -> Trajectory:
    """A life that is over.

    Args:
        setting: of the life.
        record: what was seen of it.
        arrays: times and channels of the record.
        status: how it ended.
        final: its last state.
    """
    habitat = setting.habitat
    life = Trajectory(
        **arrays, status=status, final=final, description=setting.model.description, dt=setting.dt,
        integrator=setting.integrator, gravity=habitat.gravity, ground=habitat.ground, surface=habitat.surface,
        events=tuple(record.events), medium=habitat.medium, lived=lived_number(setting.model, habitat.ground, arrays["q"]),
    )  # fmt: skip
    vars(life)["model"] = setting.model  # it need not be compiled again
    return life


def refuse_blurred(whose: str, time: float, dt: float) -> None:
    """Refuse times at which the clock cannot tell one step from the next.

    Args:
        whose: life it is.
        time: up to which it is to last [s].
        dt: step [s].

    Raises:
        UsageError: says what to do.
    """
    if math.ulp(time) > BLUR * dt:
        raise UsageError(
            f"{whose}: at {time:g} s the clock cannot tell steps of {dt:g} s apart; raise dt, or start at an earlier time."
        )
