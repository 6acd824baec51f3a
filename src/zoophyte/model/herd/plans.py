"""What a controller becomes inside the kernel: signals, a table of samples, or a graph of nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from zoophyte.model.herd import life_layout as at
from zoophyte.model.model import Floats

NOTHING, OUTPUT, JOINT, SPEED = 0, 1, 2, 3
"""What an input reads: nothing (then it is its weight), a node's output, a coordinate, a velocity."""


@dataclass(frozen=True)
class NodePlan:
    """One node of a graph.

    Args:
        kind: as in `zoophyte.model.herd.life_layout`.
        inputs: up to three (what, number) pairs: OUTPUT of a node, JOINT or SPEED of a degree of freedom.
        weights: of the inputs.
        parameters: two numbers that depend on the kind.
        dof: of an effector.
        body: of a sensor on a body, or that it looks for.
        axis: of a sensor on a body, 0 to 2.
        quantity: of a sensor of poses: "up", "spin" or "speed".
        noise: of a sensor: standard deviation.
        delay: of a sensor: calls.
        chance: of a sensor: where its noise begins, three whole numbers.
    """

    kind: int
    inputs: tuple[tuple[int, int], ...] = ()
    weights: tuple[float, ...] = ()
    parameters: tuple[float, float] = (0.0, 0.0)
    dof: int = 0
    body: int = 0
    axis: int = 0
    quantity: str = ""
    noise: float = 0.0
    delay: int = 0
    chance: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class LifePlan:
    """A controller as the kernel runs it.

    Args:
        signals: commands at birth, shape (nv, 7); None leaves those of the state.
        period: seconds between calls of a controller that ticks; 0 for none.
        samples: table, shape (n, nv); none if empty.
        rate: of the samples [Hz].
        repeats: whether the table begins anew after its end.
        holds: whether samples are held instead of joined by lines.
        flows: whether the table is looked up at every step instead of at every period.
        nodes: graph.
        begin: time from which it acts [s]; until then all commands are 0.
    """

    signals: Floats | None = None
    period: float = 0.0
    samples: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    rate: float = 1.0
    repeats: bool = False
    holds: bool = False
    flows: bool = False
    nodes: tuple[NodePlan, ...] = ()
    begin: float = 0.0

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """How many nodes there are of each kind."""
        return tuple(np.bincount([n.kind for n in self.nodes], minlength=at.NODE_KINDS).tolist())

    def order(self) -> list[int]:
        """Nodes sorted by kind; those of one kind keep their order."""
        return sorted(range(len(self.nodes)), key=lambda n: self.nodes[n].kind)


def needs_poses(plan: LifePlan) -> bool:
    """Whether any sensor reads poses or velocities of links."""
    posed = (at.SENSE_POSE, at.SENSE_ACCELERATION, at.SENSE_RANGE, at.SENSE_TOWARD)
    return any(plan.kinds[kind] for kind in posed)


@dataclass(frozen=True)
class Terms:
    """What is asked of a life, in steps and SI units; what is not asked is infinite.

    Args:
        steps: how long it is to be.
        check_every: steps from one look to the next.
        settle: step from which distances count.
        sample_every: steps from one sample to the next.
        fall_height: of the root, below which it has fallen [m].
        fall_upright: cosine of the root's tilt, below which it has fallen.
        range: distance from the place of birth that ends it [m].
        least_motion: way in a window, below which it idles [m].
        window: steps of that window.
        gain: energy that may come from nowhere, in parts of what lifts the body by its own size.
        gain_share: the same, in parts of what the actuators have done.
        speed: of any link, at most [m/s].
        depth: of any contact, at most, in parts of the smallest shape's size.
    """

    steps: int
    check_every: int = 10
    settle: int = 0
    sample_every: int = 10**9
    fall_height: float = -math.inf
    fall_upright: float = -math.inf
    range: float = math.inf
    least_motion: float = -math.inf
    window: int = 10**9
    gain: float = math.inf
    gain_share: float = 0.0
    speed: float = math.inf
    depth: float = math.inf

    @property
    def sample_room(self) -> int:
        """Samples of a whole life: at birth, when settled, then regularly, and at the end."""
        return 3 + max(0, self.steps - self.settle) // self.sample_every
