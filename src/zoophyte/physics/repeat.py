"""Repeat a kernel inside compiled code, so that a benchmark times the kernel and not the call."""

from __future__ import annotations

from zoophyte.numbers import Array, Spec
from zoophyte.physics.dynamics.forward import forward_dynamics


def repeat_forward(ints: Array, data: Array, scratch: Array, repeats: int, spec: Spec) -> None:
    """Forward dynamics of the same block, `repeats` times."""
    for _ in range(repeats):
        forward_dynamics(ints, data, scratch, spec)
