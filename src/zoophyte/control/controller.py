"""The controller protocol: senses in, command out, memory in the state.

A controller is asked at the times of its `period`: every so many seconds (a step ends exactly there), at every force
evaluation (`period = 0.0`), or only at the start (`period = None`).  It may also set its own alarm with
:attr:`Command.next_call`.  What it remembers between calls is an array that lives in the :class:`~zoophyte.model.State`,
so that a saved world goes on bit for bit.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from zoophyte.errors import UsageError, brief, is_number, nearest, real_numbers
from zoophyte.model import STANDARD_GRAVITY, Ground, Model
from zoophyte.model.layout import Q_COUNT
from zoophyte.model.model import Floats
from zoophyte.model.state import SIGNAL_FIELDS

NAMES_TOLD = 12
END_TOLERANCE = 1e-9
"""Of the end of a life, in parts of it."""
VALUE, RATE, CURVE, START, AMPLITUDE, FREQUENCY, PHASE = range(len(SIGNAL_FIELDS))


@dataclass(frozen=True)
class Senses:
    """What a controller may know.

    Args:
        model: of the body.
        time: now [s].
        q: configuration, shape (nq,).
        v: velocity, shape (nv,).
        touch: sum of the contact forces on each body in the last step, shape (bodies, 3), world axes [N].
        ground: below the body: a plane, a terrain, or None.
        gravity: in world axes [m/s²].
    """

    model: Model
    time: float
    q: Floats
    v: Floats
    touch: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    ground: Ground | None = None
    gravity: tuple[float, float, float] = STANDARD_GRAVITY

    def force_on(self, body: str | int) -> Floats:
        """Sum of the contact forces on a body in the last step, world axes [N].

        Args:
            body: its name, or its number in `Model.body_names`.

        Raises:
            UsageError: when there is no such body; the message names those that there are.
        """
        names = self.model.body_names
        if not (body in names if isinstance(body, str) else isinstance(body, int | np.integer)):
            how = nearest(body, names) if isinstance(body, str) else ""
            raise UsageError(
                f"{self.model.name}: force_on({brief(body)}): there is no such body. Bodies: {_some(names)}. {how}".rstrip()
            )
        index = self.model.body_index(body)
        return self.touch[index] if len(self.touch) else np.zeros(3)

    def position(self, dof: str | int) -> float:
        """Coordinate of a hinge or slide [rad or m]."""
        index = self.model.dof_index(dof)
        link = int(self.model.dofs.link[index])
        if Q_COUNT[self.model.links.kind[link]] != 1:
            raise UsageError(
                f"{self.model.name}: {self.model.dof_names[index]!r} belongs to a joint with a quaternion and has no "
                f"coordinate of its own; read senses.q[{self.model.q_start[link]}:{self.model.q_start[link] + 4}]."
            )
        return float(self.q[self.model.q_start[link]])

    def velocity(self, dof: str | int) -> float:
        """Velocity of a degree of freedom [rad/s or m/s]."""
        return float(self.v[self.model.dof_index(dof)])


@dataclass(frozen=True)
class Command:
    """What a controller asks for: one signal per degree of freedom.

    A servo follows its signal, a motor takes it as its input (±1), a driven coordinate moves along it.

    Args:
        signals: shape (nv, 7), columns value, rate, curve, start, amplitude, frequency [rad/s], phase [rad]; the signal is
            value + rate·s + ½ curve·s² + amplitude·sin(frequency·t + phase) with s = t − start.
        next_call: ask again at this time [s] instead of after the period.
        torque: joint forces added to everything else, shape (nv,).
    """

    signals: Floats
    next_call: float | None = None
    torque: Floats = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def hold(cls, values: Any) -> Command:
        """Constant signals."""
        values = _row(values, "Command.hold")
        signals = np.zeros((len(values), len(SIGNAL_FIELDS)))
        signals[:, VALUE] = values
        return cls(signals)

    @classmethod
    def ramp(cls, values: Any, rates: Any, start: float) -> Command:
        """Signals that are `values` at time `start` and change by `rates` per second."""
        command = cls.hold(values)
        command.signals[:, RATE] = real_numbers(rates, "Command.ramp: rates")
        command.signals[:, START] = start
        return command

    @classmethod
    def torques(cls, values: Any) -> Command:
        """Plain joint forces [N·m or N], no actuator needed."""
        values = _row(values, "Command.torques")
        return cls(np.zeros((len(values), len(SIGNAL_FIELDS))), torque=values)


def signal_values(signals: Floats, time: Any) -> Floats:
    """Signals at a time: value + rate·s + ½ curve·s² + amplitude·sin(frequency·t + phase), s = t − start.

    Args:
        signals: of commands, shape (…, 7), as in :class:`Command`.
        time: [s], a number or an array that goes with shape (…).
    """
    value, rate, curve, start, amplitude, frequency, phase = np.moveaxis(np.asarray(signals, float), -1, 0)
    s = time - start
    found: Floats = value + rate * s + 0.5 * curve * s * s + amplitude * np.sin(frequency * time + phase)
    return found


@runtime_checkable
class Controller(Protocol):
    """Anything with a period, a first memory and a command."""

    @property
    def period(self) -> float | None:
        """Seconds between calls; 0.0 for every force evaluation, None for the start only."""
        ...

    def begin(self, model: Model) -> Floats:
        """The memory at birth; also the place to check that the model fits."""
        ...

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        """The command from now on, and the new memory."""
        ...


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMES_TOLD]) + (", …" if len(names) > NAMES_TOLD else "")


def _row(values: Any, what: str) -> Floats:
    """One number per degree of freedom, in a row."""
    array = real_numbers(values, what)
    if array.ndim != 1:
        raise UsageError(
            f"{what} is given {brief(values)}, must be given a list or array with one number per degree of freedom: "
            f"{what}([0.5, …])."
        )
    return array


def _spread(model: Model, values: dict[Any, Any], name: str) -> list[Any]:
    """A mapping of names to numbers as a list, in the order of the degrees of freedom."""
    known, full = model.dof_names, [0.0] * model.nv
    for dof, value in values.items():
        if isinstance(dof, str) and dof not in known:
            own = [word for word in known if word.startswith(f"{dof}.")]
            how = f"Those of body {dof}: {_some(own)}." if own else nearest(dof, known)
            told = how or f"Known: {_some(known)}."
            raise UsageError(
                f"{model.name}: there is no degree of freedom {dof!r}, which {name} names. {told}"
            )
        full[model.dof_index(dof)] = value
    return full


def dof_values(model: Model, values: Any, name: str) -> Floats:
    """One number per degree of freedom from a number, an array, or a mapping of names to numbers (others 0).

    An array has one number for each degree of freedom, or one for each that obeys commands, in the same order.
    """
    acting = np.flatnonzero(obeying(model))
    wanted = (
        f"one number, ({model.nv},), or a mapping of names; one for every degree of freedom, with an actuator or "
        f"without: {_some(model.dof_names)}"
    )
    if 0 < len(acting) < model.nv:
        wanted += f"; or ({len(acting)},), one for each that is driven or has an actuator"
    spread = _spread(model, values, name) if isinstance(values, dict) else values
    array = real_numbers(spread, f"{model.name}: {name}", wanted)
    if len(acting) and array.shape == (len(acting),):
        full = np.zeros(model.nv)
        full[acting] = array
    elif array.shape in ((), (model.nv,)):
        full = np.broadcast_to(array, (model.nv,)).astype(float)
    else:
        raise UsageError(f"{model.name}: {name} has shape {array.shape}, must be {wanted}.")
    refuse_not_finite(model, full, name)
    return full


def refuse_not_finite(model: Model, values: Floats, name: str) -> None:
    """Refuse numbers that are not finite, and name the degree of freedom.

    Args:
        model: whose degrees of freedom they are for.
        values: shape (nv,) or (nv, columns).
        name: of the numbers.

    Raises:
        UsageError: when some are not.
    """
    if not np.all(np.isfinite(values)):
        dof = model.dof_names[int(np.argwhere(~np.isfinite(values))[0, 0])]
        raise UsageError(f"{model.name}: {name} holds a value that is not finite, for {dof!r}.")


def refuse_strange(controller: Any, whose: str = "") -> None:
    """Refuse what has the names of a controller's parts, but is none: a text as period, say.

    Args:
        controller: anything.
        whose: it is, as the beginning of the message: ``"creature 3 (ant): "``.

    Raises:
        UsageError: says what is wrong, and what it must be.
    """
    kind = type(controller).__name__
    if not isinstance(controller, Controller):
        raise UsageError(
            f"{whose}controller {kind} lacks one of: period, begin(model), command(senses, memory)."
        )
    for name, told in (("begin", "begin(model)"), ("command", "command(senses, memory)")):
        if not callable(getattr(controller, name)):
            given = brief(getattr(controller, name))
            raise UsageError(f"{whose}{name} of the controller {kind} is {given}, must be a method: {told}.")
    period = controller.period
    if period is not None and not (is_number(period) and math.isfinite(period) and period >= 0.0):
        raise UsageError(
            f"{whose}the controller's period is {brief(period)}, must be None, 0.0 or a positive number of seconds."
        )


def answer_of(controller: Controller, answer: Any) -> tuple[Command, Floats]:
    """What a controller returned, if it is a command and a memory.

    Args:
        controller: who returned it.
        answer: what it returned.

    Raises:
        UsageError: says what it is instead, and what to return.
    """
    kind = type(controller).__name__
    if not (isinstance(answer, list | tuple) and len(answer) == 2 and isinstance(answer[0], Command)):
        raise UsageError(
            f"{kind}.command returned {brief(answer)}, must return a Command and the memory: "
            "return Command.hold(values), memory (or Command.torques), with one value per degree of freedom."
        )
    return answer[0], real_numbers(answer[1], f"the memory that {kind}.command returned")


def obeying(model: Model) -> NDArray[np.bool_]:
    """Which degrees of freedom obey commands: they are driven or have an actuator, shape (nv,).

    Args:
        model: whose they are.
    """
    dofs = model.dofs
    return np.asarray(dofs.driven | (dofs.servo_stiffness > 0.0) | (dofs.motor_strength > 0.0), bool)


def refuse_idle(model: Model, signals: Floats) -> None:
    """A command that nothing obeys is a mistake: say so instead of letting the body hang.

    Args:
        model: that is commanded.
        signals: of a command, shape (nv, 7).

    Raises:
        UsageError: when some are not zero, and no joint of theirs has an actuator or is driven.
    """
    asked = np.any(signals[:, : CURVE + 1], axis=1) | (signals[:, AMPLITUDE] != 0.0)
    if np.any(asked) and not np.any(asked & obeying(model)):
        name = model.dof_names[int(np.flatnonzero(asked)[0])]
        raise UsageError(
            f"{model.name}: the controller commands {name!r}, but no joint that it commands has an actuator or is "
            "driven, so nothing would happen. Give the joint a servo or a motor, or command torques."
        )


def lasting(controller: Any, seconds: float) -> Any:
    """The controller with commands for a whole life, where it knows them for a while only; any other as it is.

    Args:
        controller: one that knows when its commands end has a number `lasts` [s] and a method `lasting(seconds)`.
        seconds: length of the life [s].
    """
    return controller.lasting(seconds) if hasattr(controller, "lasting") else controller


def refuse_outliving(controller: Controller | None, seconds: float, whose: str) -> None:
    """Refuse a life that goes on when its controller has no commands left: it would freeze.

    Args:
        controller: as in `lasting`.
        seconds: when the life ends [s].
        whose: it is.

    Raises:
        UsageError: says how long there are commands, and how to have more.
    """
    lasts = getattr(controller, "lasts", math.inf)
    if is_number(lasts) and seconds > lasts * (1.0 + END_TOLERANCE):
        raise UsageError(
            f"{whose}: its life lasts until {seconds:g} s, but its {type(controller).__name__} has commands for "
            f"{lasts:g} s. Give it more, by controller.lasting({seconds:g}), or let it live shorter."
        )


class Held:
    """Objects as one key of a cache: equal if all are the same objects."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.parts)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and all(a is b for a, b in zip(self.parts, other.parts, strict=True))


def signature_of(controller: Controller | None) -> float:
    """A number that tells one controller from another, the same in every process.

    It is made from what the controller prints, where its class says how (as dataclasses do), else from its class alone.
    """
    if controller is None:
        return 0.0
    kind = type(controller)
    told = repr(controller) if kind.__repr__ is not object.__repr__ else ""
    return float(zlib.crc32(f"{kind.__module__}.{kind.__qualname__}|{controller.period}|{told}".encode()))
