"""How fast pictures are drawn, on one core and without any graphics hardware."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from zoophyte import zoo
from zoophyte.bench.harness import Row, benchmark, fastest
from zoophyte.export.picture import film_of
from zoophyte.export.scene import Scene, scene_of_pose
from zoophyte.model import compile as compile_model

SIZE = (640, 360)
FRAMES = 10
LEAST = 10.0  # frames per second
BODIES = ("humanoid", "ref4", "sapling")


def film(scene: Scene) -> Callable[[], int]:
    """Draw the same frame again and again."""

    def run() -> int:
        return sum(1 for _ in film_of(scene, [0] * FRAMES, size=SIZE))

    return run


@benchmark("render")
def render() -> Iterator[Row]:
    """Frames per second of our software renderer at 640 × 360, shadows and smooth edges included."""
    for name in BODIES:
        scene = scene_of_pose(compile_model(zoo.get(name)))
        first, second = film_of(scene, [0, 0], size=SIZE)
        is_same = bool(np.array_equal(first, second)) and int(np.ptp(first)) > 0
        (seconds,) = fastest(film(scene), rounds=5)
        rate = 1.0 / seconds
        # The bar is for a creature of fifteen bodies, the humanoid.
        is_measured = name == "humanoid"
        yield Row(
            name="render",
            workload=f"{name}, {len(scene.body_names)} bodies, 640 × 360",
            ours=rate,
            peer=None,
            peer_name="",
            unit="frames/s",
            ratio=None,
            bar=f"at least {LEAST:g} frames/s" if is_measured else "",
            reached=rate >= LEAST if is_measured else None,
            checked="two pictures of one frame are equal, and not blank"
            if is_same
            else "the pictures differ",
        )
