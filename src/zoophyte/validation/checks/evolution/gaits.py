"""How a limbed champion goes, told by its contacts: flight, drive and support of each pair of legs, rolling on the trunk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from zoophyte.description import Description
from zoophyte.evolution.protocols import Individual
from zoophyte.evolution.run import Run
from zoophyte.model.model import Floats
from zoophyte.physics import body_poses
from zoophyte.simulation import Trajectory

RATE = 100.0
"""Frames that are looked at [1/s]."""
SLIP = 0.1
"""Below this speed a touching point counts as standing [m/s]."""
TURNING = 0.5
"""Above this a trunk counts as turning [rad/s]."""
GROUPS = ("trunk", "front", "middle", "rear")


@dataclass(frozen=True)
class Gait:
    """What the contacts of a life tell, from when it had settled to its end.

    Args:
        flight: share of frames in which nothing touched.
        longest: flight [s].
        drive: share of each group of `GROUPS` in all forward impulse of the ground.
        support: share of each in all upward impulse.
        trunk: share of frames in which the trunk touched.
        rolling: share of frames in which it touched, its lowest point stood, and it turned.
    """

    flight: float
    longest: float
    drive: dict[str, float]
    support: dict[str, float]
    trunk: float
    rolling: float


@cache
def gait_of(run: Run, number: int) -> Gait:
    """Of an individual of a run, which lives once more."""
    one: Individual = run.individual(number)
    settle = run.trials(one)[0].settle
    return gait(run.relive(one, record_rate=RATE), settle)


def gait(lived: Trajectory, settle: float) -> Gait:
    """What the contacts of a limbed creature's life tell.

    Args:
        lived: with the channel `contact_forces`.
        settle: time from which it is looked at [s].
    """
    first = int(np.searchsorted(lived.times, settle))
    poses = [creature_poses(lived, n) for n in range(first, len(lived.times))]
    count = len(poses)
    forces = lived.channels.get("contact_forces")
    rows = np.zeros((count, 0, 6)) if forces is None else forces[first:].reshape(count, -1, 6)
    way = poses[-1][1][0] - poses[0][1][0]
    ahead = np.array([way[0], way[1], 0.0]) / max(float(np.hypot(way[0], way[1])), 1e-9)
    drive, support = dict.fromkeys(GROUPS, 0.0), dict.fromkeys(GROUPS, 0.0)
    touched, rolled, free = 0, 0, np.zeros(count, bool)
    for n, row in enumerate(rows):
        there = row[np.any(row[:, 3:] != 0.0, axis=1)]
        free[n] = not len(there)
        owners = [owner(lived.description, poses[n], point[:3]) for point in there]
        for group, contact in zip(owners, there, strict=True):
            drive[group] += max(0.0, float(contact[3:] @ ahead))
            support[group] += max(0.0, float(contact[5]))
        if "trunk" in owners:
            touched += 1
            point = there[owners.index("trunk")][:3]
            rolled += n > 0 and rolls(
                poses[n - 1], poses[n], point, float(np.diff(lived.times[first + n - 1 :][:2])[0])
            )
    return Gait(
        float(free.mean()), longest_run(free) / RATE, shares(drive), shares(support), touched / count, rolled / count
    )  # fmt: skip


def creature_poses(lived: Trajectory, index: int) -> tuple[Floats, Floats]:
    """Orientations and places of all bodies but the ground in one frame."""
    turns, places = body_poses(lived.model, lived.frame(index))
    return turns[1:], places[1:]


def owner(description: Description, poses: Any, point: Floats) -> str:
    """The group whose surface is the nearest to a point."""
    turns, places = poses
    gaps = []
    for index, body in enumerate(description.bodies):
        local = turns[index].T @ (point - places[index])
        gaps.append(abs(_gap(body.shapes[0], local)))
    return description.bodies[int(np.argmin(gaps))].name.split("_")[0]


def _gap(shape: Any, local: Floats) -> float:
    """Distance of a point to an ellipsoid, nearly, or to a leg that points along −z."""
    if shape.kind == "ellipsoid":
        axes = np.array(shape.semi_axes)
        return float((np.sqrt(np.sum((local / axes) ** 2)) - 1.0) * axes.min())
    part = min(max(-float(local[2]) / shape.length, 0.0), 1.0)
    radius = shape.radius_start + part * (shape.radius_end - shape.radius_start)
    return float(np.linalg.norm(local + np.array([0.0, 0.0, part * shape.length])) - radius)


def rolls(before: Any, now: Any, point: Floats, step: float) -> bool:
    """Whether the trunk turns over a point of it that stands: rolling without slip.

    Args:
        before: poses one frame earlier.
        now: poses.
        point: where the trunk touches now.
        step: between the two [s].
    """
    turn, place = now[0][0], now[1][0]
    earlier_turn, earlier_place = before[0][0], before[1][0]
    was = earlier_turn @ (turn.T @ (point - place)) + earlier_place
    slip = float(np.hypot(*(point - was)[:2])) / step
    cosine = 0.5 * (float(np.trace(turn @ earlier_turn.T)) - 1.0)
    return slip < SLIP and float(np.arccos(np.clip(cosine, -1.0, 1.0))) / step > TURNING


def longest_run(flags: Any) -> int:
    """Length of the longest stretch of true values."""
    best = current = 0
    for flag in flags:
        current = current + 1 if flag else 0
        best = max(best, current)
    return best


def shares(parts: dict[str, float]) -> dict[str, float]:
    """Each over their sum; all 0 where that is 0."""
    total = sum(parts.values())
    return {name: value / total if total > 0.0 else 0.0 for name, value in parts.items()}
