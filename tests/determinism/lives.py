"""Controllers and bodies for the tests of determinism; a module of its own, so that other processes can import it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import zoophyte as zp
from bodies import GROUND, Floats, Plan, build
from zoophyte.control import Command, Senses

DT = 1e-3


def body(seed: int = 0) -> zp.Model:
    """A free trunk with a hinge, a ball joint and a slide on it, servos and motors, and a driven hinge beside it."""
    plans = [
        Plan("free"),
        Plan("hinge", 0, springs=True, actuator="servo"),
        Plan("ball", 0, springs=True, actuator="motor"),
        Plan("slide", 1, springs=True, actuator="servo"),
        Plan("hinge", GROUND, driven=True),
    ]
    return zp.compile(build(plans, np.random.default_rng(seed)))


@dataclass(frozen=True)
class Restless:
    """Commands that depend on the time, on what it senses and on how often it was asked, which it remembers.

    Args:
        period: as the protocol says.
        alarms: seconds to the next call, one after the other; the period counts if there are none.
    """

    period: float | None
    alarms: Sequence[float] = ()

    def begin(self, model: zp.Model) -> Floats:
        return np.array([0.0, 0.25])

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        calls, mood = memory
        nv = senses.model.nv
        signals = np.zeros((nv, 7))
        signals[:, 0] = mood * np.cos(np.arange(nv))
        signals[:, 1] = 0.5
        signals[:, 3] = senses.time
        signals[:, 4:] = (0.1, 20.0, mood)
        command = Command(signals, torque=0.01 * np.sin(calls + np.arange(nv)))
        if self.alarms:
            command = replace(command, next_call=senses.time + self.alarms[int(calls) % len(self.alarms)])
        return command, np.array([calls + 1.0, np.cos(calls + 3.0 * senses.v[6] + senses.time)])


CONTROLLERS = {
    "none": None,
    "once": Restless(None),
    "each_evaluation": Restless(0.0),
    "multiple_of_dt": Restless(0.004),
    "not_a_multiple": Restless(0.0037),
    "shorter_than_dt": Restless(0.00037),
    "alarms": Restless(0.005, (0.0011, 0.0032, 0.0007, 0.0004)),
}


def life(seed: int, integrator: str, controller: str, seconds: float = 0.04) -> zp.Trajectory:
    world = zp.World(body(seed), controller=CONTROLLERS[controller], dt=DT, integrator=integrator)
    return world.simulate(seconds)


def digest(trajectory: zp.Trajectory) -> str:
    """Of every recorded number and of the final state."""
    final, text = trajectory.final, hashlib.sha256()
    for array in (trajectory.times, trajectory.q, trajectory.v, *trajectory.channels.values(),
                  final.q, final.v, np.array(final.clock), final.command, final.applied, final.memory,
                  np.array(final.alarm)):  # fmt: skip
        text.update(np.ascontiguousarray(array).tobytes())
    return text.hexdigest()


def digest_of_life(task: tuple[int, str, str]) -> str:
    """For other processes."""
    return digest(life(*task))
