"""Repeat a kernel inside compiled code: in many states, or so that a benchmark times the kernel and not the call."""

from __future__ import annotations

from zoophyte.model.layout import (
    CONFIGURATION,
    LINK_COUNT,
    NQ,
    OWN,
    Q_COUNT,
    ROW_DATA,
    ROW_KIND,
    ROW_Q,
    ROW_SCRATCH,
    WORLD_R,
)
from zoophyte.numbers import Array, Spec
from zoophyte.physics.dynamics.forward import forward_dynamics
from zoophyte.physics.dynamics.kinematics import poses, row


def repeat_forward(ints: Array, data: Array, scratch: Array, repeats: int, spec: Spec) -> None:
    """Forward dynamics of the same block, `repeats` times."""
    for _ in range(repeats):
        forward_dynamics(ints, data, scratch, spec)


def repeat_poses(ints: Array, data: Array, scratch: Array, q: Array, out: Array, spec: Spec) -> None:
    """Rotation (9) and origin (3) of every link of one creature, for all rows of coordinates in `q`."""
    links, size = ints[LINK_COUNT], OWN - WORLD_R
    for n in range(len(out) // (links * size)):
        for link in range(1, links):
            i = row(ints, link)
            for k in range(Q_COUNT[ints[i + ROW_KIND]]):
                data[ints[i + ROW_DATA] + CONFIGURATION + k] = q[n * ints[NQ] + ints[i + ROW_Q] + k]
        poses(ints, data, scratch, spec)
        for link in range(links):
            pose = ints[row(ints, link) + ROW_SCRATCH] + WORLD_R
            for k in range(size):
                out[(n * links + link) * size + k] = scratch[pose + k]
