"""State: exactly what must be saved to resume bit for bit; everything else is recomputed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from zoophyte.errors import UsageError, brief, is_number, real_numbers
from zoophyte.model.layout import Q_COUNT
from zoophyte.model.model import Floats, Model

SIGNAL_FIELDS = ("value", "rate", "curve", "start", "amplitude", "frequency", "phase")
"""A command: value + rate·s + ½ curve·s² + amplitude·sin(frequency·t + phase), s = t − start."""


@dataclass(frozen=True, eq=False)
class State:
    """Configuration, velocity, clock, commands and controller memory of one creature.

    Args:
        q: configuration, shape (nq,).
        v: velocity, shape (nv,) [rad/s or m/s].
        clock: (start, steps, dt): the time is ``start + steps·dt``, so that it does not drift.
        command: one signal per degree of freedom, shape (nv, 7); see `SIGNAL_FIELDS`.
        applied: joint forces held from outside, shape (nv,).
        memory: what a controller remembers.
        alarm: when the controller is asked next [s]; infinite for never again.
        signature: which controller left memory and alarm; another one begins anew.
        contact: what the solver remembers: broken springs, forces of axes, keys and forces of contacts.
        lived: a number for this `q`, for the bodies and for the ground, if a step of a life left it; else 0. Who changes
            `q`, or goes on elsewhere, does not fit the number any more, and is asked again whether life can begin so.
    """

    q: Floats
    v: Floats
    clock: tuple[float, int, float] = (0.0, 0, 0.0)
    command: Floats = field(default_factory=lambda: np.zeros((0, 7)))
    applied: Floats = field(default_factory=lambda: np.zeros(0))
    memory: Floats = field(default_factory=lambda: np.zeros(0))
    alarm: float = 0.0
    signature: float = 0.0
    contact: Floats = field(default_factory=lambda: np.zeros(0))
    lived: float = 0.0

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        start, steps, dt = self.clock
        return start + steps * dt

    @classmethod
    def neutral(cls, model: Model) -> State:
        """The initial configuration of the description, at rest, at time 0."""
        command = np.zeros((model.nv, len(SIGNAL_FIELDS)))
        for dof in np.flatnonzero(
            model.dofs.driven
        ):  # a driven coordinate stays where it begins until told otherwise
            link = int(model.dofs.link[dof])
            if Q_COUNT[model.links.kind[link]] == 1:
                command[dof, 0] = model.q_initial[model.q_start[link]]
        return cls(
            q=model.q_initial.copy(), v=np.zeros(model.nv), command=command, applied=np.zeros(model.nv)
        )

    def at(self, q: Any = None, v: Any = None) -> State:
        """The same with other coordinates or velocities; what it remembers of contacts, and sleep, is forgotten.

        Raises:
            UsageError: where there are more or fewer of them than before.
        """
        return replace(
            self,
            contact=self.contact if q is None and v is None else np.zeros(0),
            q=self.q if q is None else _as_many(q, "q", self.q),
            v=self.v if v is None else _as_many(v, "v", self.v),
        )

    def checked(self, model: Model) -> State:
        """Self, if it fits the model and is finite with unit quaternions.

        Raises:
            UsageError: says which part does not fit.
        """
        for name, given, length in (("q", self.q, model.nq), ("v", self.v, model.nv)):
            array = real_numbers(given, f"{model.name}: state.{name}")
            if array.shape != (length,):
                raise UsageError(f"{model.name}: state.{name} has shape {array.shape}, must be ({length},).")
            if not np.isfinite(array).all():
                index = int(np.flatnonzero(~np.isfinite(array))[0])
                whose = model.dof_names[index] if name == "v" else _body_of_coordinate(model, index)
                raise UsageError(
                    f"{model.name}: state.{name} holds a value that is not finite, at index {index}, of {whose!r}."
                )
        shapes = {"command": (model.nv, 7), "applied": (model.nv,)}
        for name in ("command", "applied", "contact"):
            array = real_numbers(getattr(self, name), f"{model.name}: state.{name}")
            if array.size and array.shape != shapes.get(name, array.shape):
                raise UsageError(
                    f"{model.name}: state.{name} has shape {array.shape}, must be {shapes[name]}."
                )
            if not np.isfinite(array).all():
                row = int(np.argwhere(~np.isfinite(array))[0, 0])
                whose = f", of {model.dof_names[row]!r}" if name in shapes else ""
                raise UsageError(f"{model.name}: state.{name} holds a value that is not finite{whose}.")
        self._check_numbers(model)
        sizes = np.linalg.norm(self.q[model.quaternions], axis=1)
        for n in np.flatnonzero(np.abs(sizes - 1.0) > 1e-6)[:1].tolist():
            start = int(model.quaternions[n, 0])
            raise UsageError(
                f"{model.name}: body {_body_of_coordinate(model, start)!r}: the quaternion state.q[{start}:{start + 4}] has "
                f"length {sizes[n]:.9g}, must be 1. Divide it by its length."
            )
        return self

    def _check_numbers(self, model: Model) -> None:
        """What is one number, and the clock."""
        if not _is_clock(self.clock):
            raise UsageError(
                f"{model.name}: state.clock is {brief(self.clock)}, must be (start, steps, dt): finite numbers, steps whole "
                "and 0 or more, dt 0 or more."
            )
        for name in ("alarm", "signature", "lived"):
            value = getattr(self, name)
            if not is_number(value) or math.isnan(value):
                raise UsageError(f"{model.name}: state.{name} is {brief(value)}, must be a number.")


def _is_clock(clock: Any) -> bool:
    if not (isinstance(clock, tuple | list) and len(clock) == 3 and all(map(is_number, clock))):
        return False
    return all(map(math.isfinite, clock)) and clock[1] >= 0 and clock[1] == int(clock[1]) and clock[2] >= 0.0


def _as_many(given: Any, name: str, before: Floats) -> Floats:
    found = real_numbers(given, name)
    if found.shape != before.shape:
        raise UsageError(f"state.at: {name} has shape {found.shape}, must be {before.shape}, as before.")
    return found


def _body_of_coordinate(model: Model, index: int) -> str:
    """The body whose joint has the coordinate q[index]."""
    link = int(np.searchsorted(model.q_start, index, side="right")) - 1
    return str(model.bodies.names[model.links.body[link]])
