"""Lives told anew: what a task needs to know of a life, from a World's trajectory or from another engine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from zoophyte.description import GROUND, Description
from zoophyte.evolution.precision import DOUBLE, PRECISIONS
from zoophyte.evolution.protocols import Trial
from zoophyte.model import Model, State
from zoophyte.model.model import Floats
from zoophyte.physics import body_poses
from zoophyte.physics.lives.creature import HIGH
from zoophyte.simulation import Trajectory, World
from zoophyte.simulation.herd import Life
from zoophyte.simulation.living.keeping import BODIES, CONTACTS, JOINTS, Kept
from zoophyte.simulation.living.life import unborn
from zoophyte.simulation.status import Status
from zoophyte.simulation.touching import CONTACT_BODIES, CONTACT_FORCES
from zoophyte.zoo.standing import lowest_of

CHECK = 0.05
"""From look to look [s], as in a herd."""


@dataclass
class Frames:
    """What was seen of a life, look by look.

    Args:
        model: of the body.
        times: of the looks [s].
        places: of the bodies' origins, without the ground, shape (bodies, 3) each [m].
        turns: of the bodies, shape (bodies, 3, 3) each.
        touching: whether anything touched.
    """

    model: Model
    times: list[float] = field(default_factory=list)
    places: list[Floats] = field(default_factory=list)
    turns: list[Floats] = field(default_factory=list)
    touching: list[bool] = field(default_factory=list)

    def add(self, time: float, places: Floats, turns: Floats, touching: bool) -> None:
        """One look."""
        self.times.append(time)
        self.places.append(np.array(places, float))
        self.turns.append(np.array(turns, float))
        self.touching.append(touching)

    def life(self, status: Status, settle: float, final: State | None) -> Life:
        """A life of a herd, as far as ways and heights go; efforts and audits are left out."""
        members = creature(self.model.description)
        mass = np.asarray(self.model.bodies.mass, float)[members + 1]
        places, turns = np.array(self.places), np.array(self.turns)
        centres = places[:, members] + np.einsum(
            "tbij,bj->tbi", turns[:, members], np.asarray(self.model.bodies.com)[members + 1]
        )
        com = np.einsum("tbi,b->ti", centres, mass) / mass.sum()
        times = np.array(self.times)
        settled = int(np.searchsorted(times, settle - 1e-9))
        lowest = self._lowest(members)
        airborne = ~np.array(self.touching)[settled:]
        rises = (lowest[settled:] - lowest[settled])[airborne] if settled < len(times) else np.zeros(0)
        steps = np.diff(com[:, :2], axis=0)
        told: dict[str, Any] = {
            "status": status, "times": times, "com": com, "root": places[:, 0], "final": final, "settled": settled,
            "upright": turns[:, 0, 2] @ turns[0, 0, 2], "work": np.zeros(len(times)),
            "path": float(np.sqrt((steps**2).sum(axis=1)).sum()), "highest": float(com[:, 2].max()),
            "lowest": float(com[:, 2].min()), "leap": max(0.0, float(rises.max(initial=0.0))),
            "airborne": float(airborne.mean()) if len(airborne) else 0.0,
        }  # fmt: skip
        return replace(unborn(status), **told)

    def _lowest(self, members: Any) -> Floats:
        """Height of the lowest point of what may touch of some bodies, at every look [m]."""
        description = self.model.description
        found = np.full(len(self.times), HIGH)
        for n in members:
            for shape in description.bodies[n].shapes:
                if shape.contact and (shape.surface or description.surface):
                    views = zip(self.places, self.turns, strict=True)
                    heights = [
                        lowest_of(shape, (places[n, 2], tuple(turns[n, 2]))) for places, turns in views
                    ]
                    found = np.minimum(found, heights)
        return found


def creature(description: Description) -> Any:
    """Numbers of the bodies of the first tree: what else is there, a ball or a target, is not the creature."""
    root: dict[str, str] = {}
    for body in description.bodies:
        root[body.name] = body.name if body.parent == GROUND else root[body.parent]
    first = description.bodies[0].name
    return np.array([n for n, body in enumerate(description.bodies) if root[body.name] == first])


def world_life(
    trial: Trial, model: Model, dt: float, sweeps: int, slots: int = 128, precision: str = DOUBLE
) -> Life:
    """The life in a World: the same bits as in a herd, where something touches or is limited."""
    world = World(
        model,
        trial.habitat,
        trial.controller,
        dt,
        integrator="implicit",
        slots=slots,
        sweeps=sweeps,
        sleep=False,
        dtype=PRECISIONS[precision],
    )
    # Whoever asks for more is told of it as often as in the herd, and of all the rest at the same times.
    lived = world.simulate(trial.seconds, record_rate=1.0 / (trial.sample_every if trial.keep else CHECK))
    forces = lived.channels.get("contact_forces")
    frames = Frames(model)
    for n, time in enumerate(lived.times):
        if not np.all(np.isfinite(lived.q[n])):
            break
        turns, places = body_poses(model, lived.frame(n))
        # Of each contact its place and its force are told: one that may only come to touch has a place.
        touching = forces is not None and bool(np.any(forces[n].reshape(-1, 6)[:, 3:]))
        frames.add(float(time), np.asarray(places)[1:], np.asarray(turns)[1:], touching)
    life = frames.life(lived.status, trial.settle, lived.final)
    return replace(life, kept=kept_of(lived, trial.keep, len(frames.times))) if trial.keep else life


def kept_of(lived: Trajectory, keep: Sequence[str], count: int) -> Kept:
    """What a life in a herd would have kept, of the same life in a World.

    Args:
        lived: with its frames at the samples.
        keep: what was asked for.
        count: of the frames, from the first on.
    """
    q, v = (lived.q[:count], lived.v[:count]) if JOINTS in keep else (None, None)
    touches: list[tuple[float, ...]] | None = None
    if CONTACTS in keep:
        touches = []
        for n in range(count if CONTACT_BODIES in lived.channels else 0):
            pairs = lived.channels[CONTACT_BODIES][n].reshape(-1, 2).tolist()
            forces = lived.channels[CONTACT_FORCES][n].reshape(-1, 6)[:, 3:].tolist()
            touches += [(n, *pair, *force) for pair, force in zip(pairs, forces, strict=True) if any(force)]
    return Kept.of(lived.model, count, q, v, touches, lived.q[:count] if BODIES in keep else None)


def next_call(command: Any, period: float | None, time: float) -> float:
    """When a controller is asked again [s]."""
    if command.next_call is not None:
        return float(command.next_call)
    if period is None:
        return math.inf
    return (math.floor(time / period + 1e-9) + 1) * period if period > 0.0 else time


def names_of(model: Model) -> Sequence[str]:
    """Of the bodies, without the ground."""
    return model.body_names[1:]
