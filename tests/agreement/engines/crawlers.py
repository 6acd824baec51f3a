"""Two hundred random trees of boxes as MJCF, the workload of the benchmarks against MuJoCo.

Seed 0 to 199 give 5 to 12 boxes each, on hinges with limits, dampers and position actuators, below one free box.  The
order in which random numbers are drawn is part of the definition: figures elsewhere refer to these trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np

COUNT = 200


def three(values: Any) -> str:
    return " ".join(f"{value:.3f}" for value in values)


def crawler(seed: int) -> str:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(5, 13))
    parents = [-1] + [int(rng.integers(0, index)) for index in range(1, count)]
    halves = [rng.uniform(0.05, 0.2, 3) for _ in range(count)]
    actuators: list[str] = []

    def element(index: int) -> str:
        half = halves[index]
        text = f'<geom type="box" size="{three(half)}" density="1000"/>'
        for child in [c for c in range(count) if parents[c] == index]:
            side, sign = int(rng.integers(0, 3)), 1 if rng.random() < 0.5 else -1
            own, other = np.zeros(3), np.zeros(3)
            own[side], other[side] = sign * half[side], sign * halves[child][side]
            axis = np.eye(3)[int(rng.integers(0, 3))]
            text += f'<body pos="{three(own + other)}">'
            text += (
                f'<joint name="j{child}" type="hinge" axis="{" ".join(f"{x:g}" for x in axis)}" pos="{three(-other)}" '
                'limited="true" range="-60 60" damping="0.5"/>'
            )
            actuators.append(f'<position joint="j{child}" kp="30" ctrlrange="-1 1"/>')
            text += element(child) + "</body>"
        return text

    tree = element(0)
    return (
        '<mujoco><option timestep="0.005"/><worldbody><geom type="plane" size="50 50 1"/><body pos="0 0 1"><freejoint/>'
        f"{tree}</body></worldbody><actuator>{''.join(actuators)}</actuator></mujoco>"
    )
