"""Lives for the checks: a model advanced by one integrator at a fixed step, recorded when asked.

Thin on purpose: it calls the compiled `life` on a block of one, so that a check measures the step itself
and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from zoophyte.model import STANDARD_GRAVITY, Block, Model, State
from zoophyte.model import layout as at
from zoophyte.model.model import Floats
from zoophyte.physics import energy
from zoophyte.physics.living import advance

FIXED_STEP = ("semi_implicit", "rk4", "rkf45", "implicit", "ros2")
ORDER = {"semi_implicit": 1, "rk4": 4, "rkf45": 5, "implicit": 1, "ros2": 2}
NO_GRAVITY = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Life:
    """What was recorded: `times` (T,), `q` (T, nq), `v` (T, nv), and the state at the end."""

    times: Floats
    q: Floats
    v: Floats
    end: State
    diverged: bool

    def state(self, index: int) -> State:
        """The recorded state at `index`."""
        return self.end.at(q=self.q[index], v=self.v[index])


def run(
    model: Model,
    state: State,
    *,
    seconds: float,
    dt: float,
    integrator: str,
    gravity: Any = STANDARD_GRAVITY,
    every: int = 0,
) -> Life:
    """Advance `state` by `seconds` in steps of `dt`.

    Args:
        model: the body.
        state: where it starts.
        seconds: rounded to whole steps.
        dt: step [s].
        integrator: one of `FIXED_STEP`.
        gravity: [m/s²].
        every: record every so many steps, the start and the end included; 0 records only these two.
    """
    block = Block([model], gravity=gravity)
    block.set_state(0, state)
    block.fields[at.DT] = dt
    block.set_flags(at.FLAG_SINE, bool(state.command.size and np.any(state.command[:, 4])))
    block.set_integrator(integrator)
    steps = round(seconds / dt)
    marks = [*range(0, steps, every or max(steps, 1)), steps]
    q, v = np.empty((len(marks), model.nq)), np.empty((len(marks), model.nv))
    for n, mark in enumerate(marks):
        if n:
            advance(block, mark - marks[n - 1])
        q[n], v[n] = block.q(), block.v()
    diverged = bool(block.fields[at.FAILED_LINK, 0] >= 0.0)
    return Life(np.array(marks) * dt + state.time, q, v, block.state(), diverged)


def energies(model: Model, lived: Life, gravity: Any = STANDARD_GRAVITY) -> Floats:
    """Total energy at every recorded time [J]."""
    return np.array([energy(model, lived.state(n), gravity).total for n in range(len(lived.times))])


def slope(x: Any, y: Any) -> float:
    """Slope of log y on log x, by least squares."""
    return float(np.polyfit(np.log(np.asarray(x, float)), np.log(np.abs(np.asarray(y, float))), 1)[0])
