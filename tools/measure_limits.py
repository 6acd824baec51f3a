"""Measure how far thrown trees of limbs go beyond hard limits, and how deep into the ground (`docs/concepts/contact.md`).

    python tools/measure_limits.py [--trees N]

The trees are those of `tests/laws/test_hard_limits.py`, eight throws each, at a step of 5 ms for 1.5 s.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DT, SECONDS = 5e-3, 1.5
BEYOND, DEEP = 2e-3, 2e-3  # rad, m: what is counted


def overruns(trees: int) -> tuple[list[float], list[float]]:
    """For each life, how far a joint went beyond its limit [rad], and how deep a shape was in the ground [m], at worst."""
    sys.path.insert(0, str(ROOT / "tests"))
    from laws.test_hard_limits import thrown_tree
    from zoophyte.validation.scenes import live, on

    beyond, depths = [], []
    for seed in range(trees):
        model, states = thrown_tree(seed)
        lower, upper = model.dofs.lower[6:], model.dofs.upper[6:]
        for life in live(
            [model] * 8, states, width=8, seconds=SECONDS, dt=DT, every=1, habitat=on(0.8), contacts=True
        ):
            q = life.q[:, 7:]
            beyond.append(float(np.maximum(lower - q, q - upper).max()))
            depths.append(
                -min((float(each.gaps.min()) for each in life.contacts if len(each.gaps)), default=0.0)
            )
    return beyond, depths


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=60)
    beyond, depths = (np.array(found) for found in overruns(parser.parse_args().trees))
    sys.stdout.write(
        f"{len(beyond)} lives\n"
        f"more than 2 mrad beyond a limit: {(beyond > BEYOND).sum()}, the worst {1e3 * beyond.max():.1f} mrad\n"
        f"more than 2 mm deep in the ground: {(depths > DEEP).sum()}, the worst {1e3 * depths.max():.1f} mm\n"
    )


if __name__ == "__main__":
    main()
