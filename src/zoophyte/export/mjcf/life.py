"""A life as MJCF: the body where life began, in its habitat, and beside it a table of what its actuators were told.

The table has a row for every step that MuJoCo is to make: the time at which the step begins, then one number per control,
in the order of `data.ctrl`.  Our implicit step takes commands at its end, so a row holds the commands at the end of its
step; a life that was recorded at every step is thus told to MuJoCo exactly as it was told to us.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zoophyte.description import Servo
from zoophyte.description.files import write_text
from zoophyte.export.mjcf import MJCF_ENDINGS, Control, mjcf_document, softness
from zoophyte.model.model import Floats
from zoophyte.simulation import Habitat, Trajectory
from zoophyte.simulation.channels import APPLIED_FORCE, COMMAND, actuation_names
from zoophyte.simulation.exporters import register_exporter, write_table

TABLE_ENDING = ".ctrl.csv"
SAME_TIME = 1e-6
"""Part of a step by which two times may differ and be the same."""


@dataclass(frozen=True, eq=False)
class LifeFile:
    """A life for MuJoCo.

    Args:
        text: of the MJCF file.
        warnings: what MuJoCo cannot say.
        names: of the controls, in the order of `data.ctrl`.
        rows: a row for every step: the time at which it begins, then one number per control; none without controls.
    """

    text: str
    warnings: tuple[str, ...]
    names: tuple[str, ...]
    rows: Floats


def life_document(life: Trajectory, table: str = "the table of commands") -> LifeFile:
    """A life as MJCF text and as a table.

    Args:
        life: what was recorded.
        table: what the table is called, for the notes.
    """
    forces = life.channels.get(APPLIED_FORCE)
    dofs = [name for name, _ in actuation_names(life.description, APPLIED_FORCE)]
    applied = (
        [dof for dof, column in zip(dofs, forces.T, strict=True) if column.any()]
        if forces is not None
        else []
    )
    habitat = Habitat(life.gravity, life.ground, life.surface, life.medium)
    document = mjcf_document(
        life.description, timestep=life.dt, habitat=habitat, integrator=life.integrator, start=life.frame(0),
        applied=applied, notes=_notes(life, table),
    )  # fmt: skip
    told = document.controls if _is_told(life) else ()
    return LifeFile(document.text, document.warnings, tuple(each.name for each in told), _rows(life, told))


def write_life(life: Trajectory, path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write a life as MJCF; beside it, in ``NAME.ctrl.csv``, what its actuators were told, if it has any.

    Args:
        life: what was recorded.
        path: of the MJCF file.

    Returns:
        What MuJoCo cannot say.

    Raises:
        FileError: when a file cannot be written.
    """
    beside = table_beside(path)
    found = life_document(life, beside.name)
    write_text(path, found.text)
    if found.names:
        write_table(beside, ["time", *found.names], found.rows)
    return found.warnings


def table_beside(path: str | os.PathLike[str]) -> Path:
    """Where the table of a life lies: ``walk.ctrl.csv`` for ``walk.xml``.

    Args:
        path: of the MJCF file.
    """
    return Path(path).with_suffix(TABLE_ENDING)


def _is_told(life: Trajectory) -> bool:
    """Whether commands or joint forces were recorded: lives of earlier versions have none."""
    return COMMAND in life.channels or APPLIED_FORCE in life.channels


def _notes(life: Trajectory, table: str) -> list[str]:
    """What MuJoCo cannot say about a life, beside what it cannot say about a body."""
    notes = softness(life.model)
    joints = [body.joint for body in life.description.bodies]
    if any(joint.kind == "ball" and isinstance(joint.actuator, Servo) for joint in joints):
        notes.append(
            "servos of ball joints pull along the gradient of ½k·|h − φ|² here and about each axis by itself there; the two "
            "agree to first order in the angles, and wherever the command h is 0."
        )
    if not _is_told(life) and any(joint.actuator is not None for joint in joints):
        notes.append("the life is from before commands were recorded: there is no table of them.")
    if _is_told(life):
        notes.append(
            f"what a controller that feels would answer there; {table} holds what the actuators were told in this life."
        )
        between = np.diff(life.times)
        most = float(between.max(initial=0.0))
        if (
            most <= (1.0 + SAME_TIME) * life.dt
            and float(between.min(initial=life.dt)) < (1.0 - SAME_TIME) * life.dt
        ):
            notes.append(
                "some steps were shortened, for the controller to be asked at its time: commands change up to one step "
                "earlier there."
            )
        if most > (1.0 + SAME_TIME) * life.dt:
            notes.append(
                f"commands were recorded every {most:.3g} s and are joined by straight lines; record every step (leave "
                "record_rate out) to have them as they were."
            )
    return notes


def _rows(life: Trajectory, controls: Sequence[Control]) -> Floats:
    """Time and controls of every step."""
    start, dt = float(life.times[0]), life.dt
    steps = round((float(life.times[-1]) - start) / dt)
    begins = np.asarray(start + dt * np.arange(steps), float)
    columns: dict[tuple[str, str], Floats] = {}
    for channel in {each.channel for each in controls} & set(life.channels):
        names = actuation_names(life.description, channel)
        for (dof, _), column in zip(names, life.channels[channel].T, strict=True):
            columns[channel, dof] = _at_ends(life.times, column, begins, dt)
    nothing = np.zeros(steps)
    rows = np.column_stack([begins, *(columns.get((each.channel, each.dof), nothing) for each in controls)])
    sound = np.all(np.isfinite(rows), axis=1)  # of a life that diverged, only what was before
    return rows if sound.all() else rows[: int(np.argmin(sound))]


def _at_ends(times: Floats, column: Floats, begins: Floats, dt: float) -> Floats:
    """The values of a column at the ends of steps."""
    ends = begins + dt
    if np.diff(times).max(initial=0.0) > (1.0 + SAME_TIME) * dt:
        return np.asarray(np.interp(ends, times, column), float)
    # A frame tells of the step that it ends: where steps were shortened, the one in which an end falls.
    return column[np.minimum(np.searchsorted(times, ends - SAME_TIME * dt), len(times) - 1)]


for _ending in MJCF_ENDINGS:
    register_exporter(_ending, write_life)
