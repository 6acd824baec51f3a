"""Together: several bodies in one scene, each with a controller of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from zoophyte.control.controller import (
    AMPLITUDE,
    RATE,
    VALUE,
    Command,
    Controller,
    Held,
    Senses,
    answer_of,
    lasting,
    refuse_strange,
)
from zoophyte.description import Description
from zoophyte.description.bodies import GROUND
from zoophyte.errors import UsageError, brief, hinting
from zoophyte.model import Model
from zoophyte.model import compile as compiled
from zoophyte.model.herd.plans import LifePlan
from zoophyte.model.layout import Q_COUNT
from zoophyte.model.model import Floats
from zoophyte.model.state import SIGNAL_FIELDS

COLUMNS = len(SIGNAL_FIELDS)
TIME_TOLERANCE = 1e-9
"""Part of a period, or of a second, below which two times are the same."""
NEVER = 1e300
"""A time that does not come [s]; memories hold finite numbers."""


@dataclass(frozen=True)
class _Part:
    """One body of a scene: its own model, and where its numbers are among those of the scene."""

    controller: Controller
    model: Model
    dofs: Any
    coordinates: Any
    bodies: Any

    def senses(self, senses: Senses) -> Senses:
        """What it may know."""
        touch = senses.touch[self.bodies] if len(senses.touch) else senses.touch
        return replace(
            senses, model=self.model, q=senses.q[self.coordinates], v=senses.v[self.dofs], touch=touch
        )

    def ask(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        """Its command, with joint forces whether it gives some or not, and its memory."""
        own = self.senses(senses)
        command, memory = answer_of(self.controller, self.controller.command(own, memory))
        shape = (self.model.nv, COLUMNS)
        if np.shape(command.signals) != shape:
            raise UsageError(
                f"{self.model.name}: {type(self.controller).__name__} commands signals of shape "
                f"{np.shape(command.signals)}, must be {shape}."
            )
        torque = command.torque if len(command.torque) else np.zeros(self.model.nv)
        return replace(command, torque=torque), memory

    def next_call(self, command: Command, now: float) -> float:
        """When it is to be asked again [s]."""
        if command.next_call is not None:
            return command.next_call
        period = self.controller.period
        return NEVER if not period else (math.floor(now / period + TIME_TOLERANCE) + 1) * period


@hinting
@dataclass(frozen=True)
class Together:
    """A controller for each body of a scene: every one commands the joints whose names begin with its prefix.

    Each controller is written for its body alone, with names without the prefix, and feels its body alone.  A joint belongs
    to the longest prefix that its name begins with; joints with none of the prefixes are not commanded.

    Args:
        controllers: mapping of prefixes, as they were given to :meth:`zoophyte.Description.add`, to controllers; ``""`` is
            for the body that was there first.
    """

    controllers: Mapping[str, Controller]

    def __post_init__(self) -> None:
        given: Any = self.controllers
        if not isinstance(given, Mapping) or not given:
            raise UsageError(
                f"Together: controllers is {brief(self.controllers)}, must be a mapping of prefixes to controllers, as "
                "Together({'': one, 'b_': other})."
            )
        for prefix, controller in self.controllers.items():
            if not isinstance(prefix, str):
                raise UsageError(f"Together: the prefix {brief(prefix)} must be a text, as 'b_'.")
            refuse_strange(controller, f"Together: {prefix!r}: ")

    @property
    def period(self) -> float | None:
        """0.0 if one of them is asked at every force evaluation; else they are asked by alarms."""
        return 0.0 if self._always else None

    @property
    def lasts(self) -> float:
        """How long there are commands of all [s]."""
        return min(float(getattr(each, "lasts", math.inf)) for each in self.controllers.values())

    def lasting(self, seconds: float) -> Together:
        """The same, whose controllers have commands until then.

        Args:
            seconds: since birth [s].
        """
        return Together({prefix: lasting(each, seconds) for prefix, each in self.controllers.items()})

    def begin(self, model: Model) -> Floats:
        """What all of them remember, and, unless they are asked always, their last commands and next calls."""
        memories = []
        for part in self._parts_of(model):
            memory = np.asarray(part.controller.begin(part.model), float)
            if self._always and part.controller.period and len(memory):
                raise UsageError(
                    f"{model.name}: Together: a {type(part.controller).__name__} remembers from call to call, every "
                    f"{part.controller.period:g} s, and cannot be beside a controller whose period is 0.0."
                )
            kept = [] if self._always else [-NEVER, *np.zeros(part.model.nv * (COLUMNS + 1))]
            memories += [np.array([float(len(memory))]), np.array(kept), memory]
        return np.concatenate(memories)

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        """The commands of all; who is not to be asked yet keeps the last one."""
        nv = senses.model.nv
        signals, torque, after = np.zeros((nv, COLUMNS)), np.zeros(nv), np.array(memory, float)
        soonest, at = NEVER, 0
        for part in self._parts_of(senses.model):
            count, own = int(memory[at]), part.model.nv
            kept = 0 if self._always else 1 + own * (COLUMNS + 1)
            middle, end = at + 1 + kept, at + 1 + kept + count
            if self._always or memory[at + 1] <= senses.time + TIME_TOLERANCE * max(1.0, senses.time):
                command, after[middle:end] = part.ask(senses, memory[middle:end])
                now, force = command.signals, command.torque
                if kept:
                    again = part.next_call(command, senses.time)
                    after[at + 1 : middle] = np.concatenate([[again], np.ravel(now), force])
            else:
                now, force = (
                    memory[at + 2 : middle - own].reshape(own, COLUMNS),
                    memory[middle - own : middle],
                )
            signals[part.dofs], torque[part.dofs] = now, force
            soonest = min(soonest, after[at + 1] if kept else NEVER)
            at = end
        return Command(signals, soonest if soonest < NEVER else None, torque), after

    def life_plan(self, model: Model) -> LifePlan:
        """The same for a herd, where all are signals, or tables that are looked up at the same times.

        Raises:
            UsageError: when they cannot be one plan; they still can live in a World.
        """
        parts = self._parts_of(model)
        plans = []
        for part in parts:
            inner: Any = part.controller
            if not hasattr(inner, "life_plan"):
                raise self._no_plan(model, f"a {type(inner).__name__} cannot run inside a herd")
            plan: LifePlan = inner.life_plan(part.model)
            if plan.nodes:
                raise self._no_plan(model, f"a {type(inner).__name__} has nodes")
            plans.append(plan)
        if len({plan.begin for plan in plans}) > 1:
            raise self._no_plan(model, "they begin at different times")
        tables = [plan for plan in plans if len(plan.samples)]
        if not tables:
            signals = np.zeros((model.nv, COLUMNS))
            for part, plan in zip(parts, plans, strict=True):
                signals[part.dofs] = 0.0 if plan.signals is None else plan.signals
            return LifePlan(signals=signals, begin=plans[0].begin)
        return replace(tables[0], samples=self._samples(model, parts, plans, tables))

    def _samples(
        self, model: Model, parts: list[_Part], plans: list[LifePlan], tables: list[LifePlan]
    ) -> Floats:
        """One table of all."""
        first, length = tables[0], max(len(plan.samples) for plan in tables)
        for plan in tables[1:]:
            for name in ("rate", "repeats", "holds", "flows"):
                if getattr(plan, name) != getattr(first, name):
                    raise self._no_plan(model, f"the {name} of their tables differ")
            if first.repeats and len(plan.samples) != length:
                raise self._no_plan(model, "their tables repeat after different times")
        samples = np.zeros((length, model.nv))
        for part, plan in zip(parts, plans, strict=True):
            if len(plan.samples):
                rows = np.minimum(np.arange(length), len(plan.samples) - 1)
                samples[:, part.dofs] = plan.samples[rows]
            elif plan.signals is not None:
                if np.any(plan.signals[:, RATE]) or np.any(plan.signals[:, AMPLITUDE]):
                    raise self._no_plan(model, "one is a table and another moves by itself")
                samples[:, part.dofs] = plan.signals[:, VALUE]
        return samples

    @property
    def _always(self) -> bool:
        return any(each.period == 0.0 for each in self.controllers.values())

    def _no_plan(self, model: Model, why: str) -> UsageError:
        return UsageError(
            f"{model.name}: Together cannot run inside a herd: {why}. In a herd all are Hold or Sine, or all are tables "
            "with the same rate that begin and repeat together (Hold goes with them); a World takes any."
        )

    def _parts_of(self, model: Model) -> list[_Part]:
        return _parts(Held(self.controllers, model))


@lru_cache(maxsize=16)
def _parts(held: Held) -> list[_Part]:
    """The bodies of a scene."""
    controllers, model = held.parts
    return [_part(model, prefix, controllers) for prefix in controllers]


def _part(model: Model, prefix: str, controllers: Mapping[str, Controller]) -> _Part:
    """The body with that prefix."""
    names = [body.name for body in model.description.bodies]
    mine = {name for name in names if _prefix_of(name, controllers) == prefix}
    if not mine:
        known = ", ".join(names[:12])
        raise UsageError(
            f"{model.name}: Together: no body has a name that begins with {prefix!r} (and with no longer prefix). "
            f"Bodies: {known}."
        )
    cut, bodies = len(prefix), []
    for body in model.description.bodies:
        if body.name not in mine:
            continue
        is_root = body.parent == GROUND
        if not is_root and body.parent not in mine:
            raise UsageError(
                f"{model.name}: Together: {body.name!r} hangs on {body.parent!r}, which has another prefix; a controller "
                "needs a whole tree of bodies."
            )
        parent = GROUND if is_root else body.parent[cut:]
        bodies.append(body.model_copy(update={"name": body.name[cut:], "parent": parent}))
    whole = model.description
    own = compiled(Description(name=f"{whole.name} {prefix}".strip(), bodies=bodies, surface=whole.surface))
    dofs = np.array([model.dof_index(prefix + name) for name in own.dof_names], int)
    coordinates = np.zeros(own.nq, int)
    for dof, at in enumerate(dofs):
        mine_at, link = own.dofs.link[dof], model.dofs.link[at]
        steps = np.arange(Q_COUNT[own.links.kind[mine_at]])
        coordinates[own.q_start[mine_at] + steps] = model.q_start[link] + steps
    places = np.array(
        [model.body_index(name if name == GROUND else prefix + name) for name in own.body_names], int
    )
    return _Part(controllers[prefix], own, dofs, coordinates, places)


def _prefix_of(name: str, prefixes: Mapping[str, Any]) -> str | None:
    """The longest of the prefixes that a name begins with."""
    fitting = [prefix for prefix in prefixes if name.startswith(prefix)]
    return max(fitting, key=len) if fitting else None
