"""Channels: everything in a trajectory that has a name and a value at each recorded time.

===================  =============================================================================
``energy``, …        what the world recorded; ``com.z`` is one component of ``com``
``q:NAME``           a coordinate; a ball or free joint has ``NAME.qw``, ``.qx``, ``.qy``, ``.qz``,
                     a free one also ``NAME.x``, ``.y``, ``.z``; ``q:BODY`` is all of them
``v:NAME``           a velocity, by the name of its degree of freedom; ``v:BODY`` is all of them
``command:NAME``     what the actuator of a degree of freedom was told in the step that ends at that time: a coordinate
                     for a servo, a share of its strength (from −1 to 1) for a motor; ``command:BODY`` is all of them
``actuator_force:NAME``  its force by its law at that time, limits of force and speed included; likewise. How near that
                     is to what acted in the step: `zoophyte.simulation.lifetime.actuation`
``applied_force:NAME``   joint forces that a controller gave itself (``Command.torques``), if any did; likewise
``position:BODY``    where the body's origin is in the world, and ``x:BODY``, ``y:BODY``, ``height:BODY``
===================  =============================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from zoophyte.description import Description, Joint, Servo
from zoophyte.errors import UsageError, nearest

if TYPE_CHECKING:
    from zoophyte.simulation.trajectory import Trajectory

Floats = NDArray[np.float64]

UNITS = {
    "energy": "J", "kinetic": "J", "potential": "J", "elastic": "J",
    "com": "m", "momentum": "kg·m/s", "angular_momentum": "kg·m²/s",
}  # fmt: skip
COMMAND, ACTUATOR_FORCE, APPLIED_FORCE = ACTUATION = ("command", "actuator_force", "applied_force")
AXES = ("x", "y", "z")
POSITION_KINDS = {"x": 0, "y": 1, "height": 2}
NAME_LIMIT = 12  # names listed in a message


@dataclass(frozen=True, eq=False)
class Channel:
    """One named quantity over time.

    Args:
        name: as it was asked for.
        unit: of the values; empty when not known.
        labels: names of the columns.
        values: shape (times, columns).
    """

    name: str
    unit: str
    labels: tuple[str, ...]
    values: Floats


def coordinate_names(description: Description) -> list[tuple[str, str]]:
    """(name, unit) of every coordinate in q, in order."""
    return [
        (body.name + suffix, unit) for body in description.bodies for suffix, unit in _coordinates(body.joint)
    ]


def velocity_names(description: Description) -> list[tuple[str, str]]:
    """(name, unit) of every velocity in v, in order; names as in ``Model.dof_names``."""
    return [
        (body.name + suffix, unit) for body in description.bodies for suffix, unit in _velocities(body.joint)
    ]


def actuation_names(description: Description, channel: str) -> list[tuple[str, str]]:
    """(name, unit) of every column of a channel of actuators; empty for any other channel.

    Args:
        description: of the body.
        channel: its name.
    """
    if channel not in ACTUATION:
        return []
    found = []
    for body in description.bodies:
        actuator = body.joint.actuator
        if actuator is None and channel != APPLIED_FORCE:
            continue
        for suffix, speed in _velocities(body.joint):
            place, force = ("rad", "N·m") if speed == "rad/s" else ("m", "N")
            told = place if isinstance(actuator, Servo) else ""
            found.append((body.name + suffix, told if channel == COMMAND else force))
    return found


def _coordinates(joint: Joint) -> list[tuple[str, str]]:
    turn = [(f".q{axis}", "") for axis in ("w", *AXES)]
    return {
        "fixed": [],
        "hinge": [("", "rad")],
        "slide": [("", "m")],
        "universal": [(".0", "rad"), (".1", "rad")],
        "ball": turn,
        "free": [*turn, *((f".{axis}", "m") for axis in AXES)],
    }[joint.kind]


def _velocities(joint: Joint) -> list[tuple[str, str]]:
    return {
        "fixed": [],
        "hinge": [("", "rad/s")],
        "slide": [("", "m/s")],
        "universal": [(".0", "rad/s"), (".1", "rad/s")],
        "ball": [(f".{axis}", "rad/s") for axis in AXES],
        "free": [*((f".turn_{axis}", "rad/s") for axis in AXES), *((f".{axis}", "m/s") for axis in AXES)],
    }[joint.kind]


def column_labels(name: str, values: Floats) -> tuple[str, ...]:
    """Names of a recorded channel's columns: x, y, z for three of them, else numbers."""
    count = 1 if values.ndim == 1 else values.shape[1]
    if values.ndim == 1:
        return (name,)
    suffixes = AXES if count == 3 else tuple(str(column) for column in range(count))
    return tuple(f"{name}.{suffix}" for suffix in suffixes)


def recorded(life: Trajectory) -> Iterator[Channel]:
    """The channels that the world recorded, each with all its columns."""
    for name, kept in life.channels.items():
        values = kept.reshape(len(life), -1)
        columns = _actuation(life, name)
        if columns:
            yield _chosen(name, name, columns, values)
        else:
            yield Channel(name, UNITS.get(name, ""), column_labels(name, kept), values)


def _actuation(life: Trajectory, name: str) -> list[tuple[str, str]]:
    """Names and units of the columns of a channel of actuators; none for another, or one of another body's."""
    columns = actuation_names(life.description, name)
    return columns if name in life.channels and life.channels[name].shape == (len(life), len(columns)) else []


def _chosen(name: str, kind: str, columns: list[tuple[str, str]], values: Floats) -> Channel:
    """Columns of a table, each with its own name behind that of the table."""
    units = {unit for _, unit in columns}
    labels = tuple(f"{kind}:{column}" for column, _ in columns)
    return Channel(name, units.pop() if len(units) == 1 else "", labels, values)


def channel_names(life: Trajectory) -> list[str]:
    """Every name that :func:`find_channel` knows."""
    names = []
    for channel in recorded(life):
        names.append(channel.name)
        names += [label for label in channel.labels if label != channel.name]
    names += [f"q:{name}" for name, _ in coordinate_names(life.description)]
    names += [f"v:{name}" for name, _ in velocity_names(life.description)]
    names += [
        f"{kind}:{body.name}" for body in life.description.bodies for kind in ("position", *POSITION_KINDS)
    ]
    return names


def find_channel(life: Trajectory, name: str) -> Channel:
    """The channel of that name.

    Args:
        life: where to look.
        name: as listed at the head of this module.

    Raises:
        UsageError: when there is none; the message gives the nearest name.
    """
    for channel in recorded(life):
        if name == channel.name:
            return channel
        if name in channel.labels and channel.name not in ACTUATION:  # whose columns have units of their own
            column = channel.labels.index(name)
            return Channel(name, channel.unit, (name,), channel.values[:, column : column + 1])
    kind, _, rest = name.partition(":")
    named, values = {
        "q": (coordinate_names(life.description), life.q),
        "v": (velocity_names(life.description), life.v),
    }.get(kind) or (_actuation(life, kind), life.channels.get(kind, life.q))
    columns = [n for n, (known, _) in enumerate(named) if rest in (known, known.rpartition(".")[0])]
    if columns:
        return _chosen(name, kind, [named[n] for n in columns], values[:, columns])
    bodies = [body.name for body in life.description.bodies]
    if kind in ("position", *POSITION_KINDS) and rest in bodies:
        positions = life.positions[:, bodies.index(rest)]
        if kind == "position":
            return Channel(name, "m", tuple(f"{name}.{axis}" for axis in AXES), positions)
        column = POSITION_KINDS[kind]
        return Channel(name, "m", (name,), positions[:, column : column + 1])
    raise _unknown(life, name)


def _unknown(life: Trajectory, name: str) -> UsageError:
    known = channel_names(life)
    shown = ", ".join(known[:NAME_LIMIT]) + (", …" if len(known) > NAME_LIMIT else "")
    kind = name.partition(":")[0] if ":" in name else ""
    alike = [word for word in known if word.startswith(f"{kind}:")] if kind else []
    how = nearest(name[:200], alike) or nearest(name[:200], known)
    return UsageError(
        f"{life.description.name}: there is no channel {name[:200]!r}. Known: {shown}. {how}".rstrip()
    )
