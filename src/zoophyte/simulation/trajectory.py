"""Trajectory: one life, as it was recorded."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from zoophyte import __version__
from zoophyte.description import Description, Surface
from zoophyte.errors import UsageError, brief, counted, nearest
from zoophyte.model import STANDARD_GRAVITY, Medium, Model, Plane, State, Terrain, compile
from zoophyte.model.layout import INTEGRATORS
from zoophyte.simulation.channels import channel_names, find_channel
from zoophyte.simulation.exporters import export_folder, export_trajectory
from zoophyte.simulation.lifetime.lived import lived_number
from zoophyte.simulation.plot import Figure, plot_trajectories
from zoophyte.simulation.status import Status
from zoophyte.simulation.storage import read_trajectory, write_trajectory
from zoophyte.simulation.touching import CONTACT_BODIES, CONTACT_FORCES, NOBODY, Event, Touch

Floats = NDArray[np.float64]

MOST_STEPS = 2**53  # that a clock can count exactly


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """One life: times, coordinates, channels, how it ended, and what is needed to go on or to do it again.

    Only a life that diverged may hold values that are not finite.  The arrays cannot be written to.

    Args:
        times: when a state was recorded [s], shape (T,), rising.
        q: coordinates, shape (T, nq).
        v: velocities, shape (T, nv) [rad/s or m/s].
        channels: what else was recorded, each of shape (T,) or (T, columns).
        status: how the life ended.
        final: the exact last state; a world goes on from it as if it had never stopped.
        description: what lived.
        dt: step [s].
        integrator: name of the integrator.
        gravity: [m/s²].
        ground: of the habitat; None in open space.
        surface: of the ground; the usual one for files from before it was kept.
        events: who began or ended to touch whom, and which springs broke, in every step, recorded or not.
        version: of Zoophyte that made it.
        seed: of whatever was left to chance, if anything was.
        medium: that filled the habitat; None for empty space, and for files from before it was kept.
        lived: a number for all of `q`, which tells that frames are as steps left them; 0 in files from before it was kept.
    """

    times: Floats
    q: Floats
    v: Floats
    channels: Mapping[str, Floats]
    status: Status
    final: State
    description: Description
    dt: float
    integrator: str
    gravity: tuple[float, float, float] = STANDARD_GRAVITY
    ground: Plane | Terrain | None = field(default_factory=Plane)
    surface: Surface = field(default_factory=Surface)
    events: tuple[Event, ...] = ()
    version: str = field(default=__version__)
    seed: int | None = None
    medium: Medium | None = None
    lived: float = 0.0

    def __post_init__(self) -> None:
        bodies = self.description.bodies
        nq, nv = sum(b.joint.coordinate_count for b in bodies), sum(b.joint.dof_count for b in bodies)
        count = np.size(self.times)
        self._keep("times", (count,))
        self._keep("q", (count, nq))
        self._keep("v", (count, nv))
        kept = {
            name: self._checked(f"channel '{name}'", values, count) for name, values in self.channels.items()
        }
        object.__setattr__(self, "channels", kept)
        object.__setattr__(self, "gravity", tuple(float(part) for part in self.gravity))
        if not isinstance(self.ground, Plane | Terrain | None):
            raise UsageError(
                f"Trajectory: ground is {brief(self.ground)}, must be a Plane, a Terrain or None."
            )
        if not isinstance(self.surface, Surface):
            raise UsageError(
                f"Trajectory: surface is {brief(self.surface)}, must be a Surface: Surface(friction=0.8)."
            )
        if not isinstance(self.medium, Medium | None):
            raise UsageError(f"Trajectory: medium is {brief(self.medium)}, must be a Medium or None.")
        if count == 0 or not np.all(np.diff(self.times) > 0.0) or not np.isfinite(self.times[0]):
            raise UsageError(
                "Trajectory: times must be one or more finite numbers, each larger than the one before."
            )
        self._check_settings()
        self._check_final({"q": (nq,), "v": (nv,), "command": (nv, 7), "applied": (nv,)})

    def _check_settings(self) -> None:
        """The step, the integrator and the clock, which say how to go on."""
        if not (math.isfinite(self.dt) and self.dt > 0.0):
            raise UsageError(f"Trajectory: dt is {self.dt!r}, must be a positive number of seconds.")
        if self.integrator not in INTEGRATORS:
            known, how = ", ".join(INTEGRATORS), nearest(self.integrator[:80], INTEGRATORS)
            given = brief(self.integrator)
            raise UsageError(f"Trajectory: integrator {given} is unknown. Known: {known}. {how}".rstrip())
        start, steps, dt = self.final.clock
        if not (math.isfinite(start) and 0 <= steps <= MOST_STEPS and math.isfinite(dt) and dt >= 0.0):
            raise UsageError(
                f"Trajectory: final.clock is {brief(self.final.clock)}, must be (start, steps, dt): finite, and neither "
                "steps nor dt below 0."
            )

    def _check_final(self, shapes: dict[str, tuple[int, ...]]) -> None:
        for name, shape in shapes.items():
            array = np.asarray(getattr(self.final, name))
            if array.shape != shape and (array.size or name in ("q", "v")):
                raise UsageError(f"Trajectory: final.{name} has shape {array.shape}, must be {shape}.")
            if self.status.is_sound and not np.isfinite(array).all():
                raise UsageError(f"Trajectory: final.{name} holds a value that is not finite.")

    def _keep(self, name: str, shape: tuple[int, ...]) -> None:
        values = self._checked(name, getattr(self, name), shape[0])
        if values.shape != shape:
            raise UsageError(f"Trajectory: {name} has shape {values.shape}, must be {shape}.")
        object.__setattr__(self, name, values)

    def _checked(self, name: str, values: Floats, count: int) -> Floats:
        array = np.ascontiguousarray(values, dtype=np.float64)
        if array.ndim not in (1, 2) or array.shape[0] != count:
            raise UsageError(
                f"Trajectory: {name} has shape {array.shape}, must have {count} rows, one per time."
            )
        if self.status.is_sound and not np.isfinite(array).all():
            row = int(np.argwhere(~np.isfinite(array))[0, 0])
            raise UsageError(
                f"Trajectory: {name} holds a value that is not finite in row {row}, "
                "but the life has not diverged."
            )
        array = array.view()
        array.flags.writeable = False
        return array

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        return (
            f"Trajectory({self.description.name!r}: {counted(len(self), 'state')} "
            f"from {self.times[0]:.6g} to {self.times[-1]:.6g} s, "
            f"{self.integrator} with dt {self.dt:g} s, {self.status})"
        )

    @cached_property
    def model(self) -> Model:
        """What lived, compiled."""
        return compile(self.description)

    @cached_property
    def positions(self) -> Floats:
        """Where every body's origin is in the world, shape (T, bodies, 3); the ground is left out [m]."""
        # Loads the compiler, which few uses of a trajectory need.
        from zoophyte.simulation.posing import positions_over

        return positions_over(self.model, self.q)[:, 1:]

    def frame(self, index: int) -> State:
        """The recorded state of that index: coordinates, velocities and time, without commands.

        A life may go on from it, but only from `final` bit for bit: what the solver and the controller remembered is not
        recorded.

        Args:
            index: from 0; negative ones count from the end.

        Raises:
            UsageError: when there is no such frame.
        """
        self._check_frame(index)
        state = State.neutral(self.model).at(self.q[index].copy(), self.v[index].copy())
        lived = lived_number(self.model, self.ground, state.q) if self._is_as_lived else 0.0
        return replace(state, clock=(float(self.times[index]), 0, self.dt), lived=lived)

    @property
    def _is_as_lived(self) -> bool:
        """Whether nobody has moved the body in a frame since."""
        return self.final.lived != 0.0 and self.lived == lived_number(self.model, self.ground, self.q)

    def at(self, time: float) -> State:
        """The recorded state nearest to a time.

        Args:
            time: [s], between the first and the last recorded one.

        Raises:
            UsageError: when it lies outside.
        """
        first, last = float(self.times[0]), float(self.times[-1])
        if not first - 0.5 * self.dt <= time <= last + 0.5 * self.dt:
            raise UsageError(
                f"time {time:g} s lies outside of the life, which was recorded from {first:g} to {last:g} s."
            )
        return self.frame(int(np.argmin(np.abs(self.times - time))))

    def contacts(self, index: int) -> tuple[Touch, ...]:
        """Who touches whom in a recorded frame, where, and how hard.

        Args:
            index: of the frame, from 0; negative ones count from the end.

        Raises:
            UsageError: when there is no such frame, or contacts were not recorded.
        """
        bodies, points, forces = self._contact_channels()
        self._check_frame(index)
        names = ("ground", *(body.name for body in self.description.bodies))
        there = bodies[index, :, 0] > NOBODY
        return tuple(
            Touch((names[a], names[b]), tuple(point), tuple(force))
            for (a, b), point, force in zip(
                bodies[index, there].tolist(),
                points[index, there].tolist(),
                forces[index, there].tolist(),
                strict=True,
            )
        )

    def contact_force(self, body: str) -> Floats:
        """Sum of all contact forces on a body in every recorded frame, shape (T, 3), world axes [N].

        Args:
            body: its name; "ground" for what the ground feels.

        Raises:
            UsageError: when there is no such body, or contacts were not recorded.
        """
        bodies, _, forces = self._contact_channels()
        number = self.model.body_index(body)
        sides = (bodies == number).astype(float)
        return np.asarray(((sides[..., 0] - sides[..., 1])[..., None] * forces).sum(axis=1), float)

    def _contact_channels(self) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Bodies, points and forces of all contacts in all frames, shapes (T, n, 2) and (T, n, 3) twice."""
        if CONTACT_FORCES not in self.channels or CONTACT_BODIES not in self.channels:
            raise UsageError(
                f"{self.description.name}: no contacts were recorded: none of its shapes has a surface, or the file is from "
                "before contacts knew their bodies."
            )
        bodies, both = self.channels[CONTACT_BODIES], self.channels[CONTACT_FORCES]
        count = bodies.shape[-1] // 2
        known = np.all((bodies >= NOBODY) & (bodies <= len(self.description.bodies)))
        if bodies.shape != (len(self), 2 * count) or both.shape != (len(self), 6 * count) or not known:
            raise UsageError(
                f"{self.description.name}: the channels '{CONTACT_BODIES}' and '{CONTACT_FORCES}' do not belong together: "
                "of each contact there must be two bodies, a point and a force."
            )
        both = both.reshape(len(self), count, 6)
        return bodies.reshape(len(self), count, 2).astype(np.int64), both[..., :3], both[..., 3:]

    def _check_frame(self, index: int) -> None:
        if not -len(self) <= index < len(self):
            raise UsageError(f"frame {index} is out of range; there are {len(self)} (0 to {len(self) - 1}).")

    def channel_names(self) -> list[str]:
        """Every name that :meth:`channel` and :meth:`plot` take."""
        return channel_names(self)

    def channel(self, name: str) -> Floats:
        """The values of one channel, shape (T,), or (T, columns) where it has several.

        Args:
            name: ``energy``, ``com.z``, ``q:knee``, ``v:knee``, ``height:head``, or another of :meth:`channel_names`.

        Raises:
            UsageError: when there is none of that name.
        """
        values = find_channel(self, name).values
        return values[:, 0] if values.shape[1] == 1 else values

    def plot(
        self,
        channels: str | Sequence[str] = "energy",
        *,
        compare: Sequence[Trajectory] = (),
        path: str | os.PathLike[str] | None = None,
        title: str | None = None,
    ) -> Figure:
        """Channels over time as an SVG picture; channels of different units get panels of their own.

        Args:
            channels: one name or several.
            compare: other lives to draw into the same picture.
            path: where to save it, if anywhere.
            title: instead of the description's name.

        Raises:
            UsageError: when a life has no such channel.
        """
        names = [channels] if isinstance(channels, str) else list(channels)
        figure = plot_trajectories([self, *compare], names, title)
        if path is not None:
            figure.save(path)
        return figure

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to an ``.npz`` file, which is replaced whole or not at all.

        Args:
            path: of the file.

        Raises:
            FileError: when it cannot be written.
        """
        write_trajectory(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The life that :meth:`save` wrote, bit for bit.

        Args:
            path: of the file.

        Raises:
            FileError: says what is wrong with the file.
        """
        return read_trajectory(cls, path)

    def export(self, path: str | os.PathLike[str], **settings: Any) -> tuple[str, ...]:
        """Write the life in the format that the file's ending names (``.html``, ``.csv``, ``.mp4``, ``.xml``, …).

        Args:
            path: of the file.
            settings: of that format; of pictures and films `look`, `camera` and `size`, of pages `look` and `compare`.

        Returns:
            What of the life the format cannot hold, in words; nothing where it holds all that it should.

        Raises:
            UsageError: when no exporter knows the ending, or it has no such setting.
            FileError: when the file cannot be written.
            MissingExtraError: when the format needs a package that is not installed.
        """
        return export_trajectory(self, path, **settings)

    def show(self, *, compare: Trajectory | None = None) -> Path:
        """Open the replay of the life in the browser.

        Args:
            compare: another life, drawn as a ghost.

        Returns:
            The page: one temporary file that needs no network.
        """
        shown = export_folder("zoophyte.export.page").show_replay(self, compare=compare)
        return Path(shown)

    def _repr_html_(self) -> str:
        """The player, in a notebook."""
        return str(export_folder("zoophyte.export.page").embedded_replay(self))
