"""Draw docs/images/picture-zoo.png: inhabitants of the zoo and evolved creatures, together on one lawn.

python tools/draw_zoo.py
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

import zoophyte as zp
from zoophyte.description import Description
from zoophyte.evolution import showcase
from zoophyte.export import Camera, Scene, picture_of, png_bytes, scene_of, scene_of_pose

TARGET = Path(__file__).parents[1] / "docs/images/picture-zoo.png"
SIZE = (960, 480)
CAMERA = Camera(eye=(0.35, -5.6, 1.75), target=(0.0, 0.5, 0.62))


def moved(scene: Scene, x: float, y: float, turn: float = 0.0) -> Scene:
    """The last frame of a scene, its centre of mass over a point of the ground, turned about the vertical."""
    sine, cosine = math.sin(turn), math.cos(turn)
    rotation = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    com = scene.com[-1] * (1.0, 1.0, 0.0)
    w, z = math.cos(0.5 * turn), math.sin(0.5 * turn)
    a, b, c, d = scene.quaternions[-1].T
    quaternions = np.stack([w * a - z * d, w * b - z * c, w * c + z * b, w * d + z * a], axis=1)
    return replace(
        scene, times=np.zeros(1), positions=((scene.positions[-1] - com) @ rotation.T + (x, y, 0.0))[None],
        quaternions=quaternions[None], com=np.array([[x, y, scene.com[-1, 2]]]), channels={},
    )  # fmt: skip


def still(description: Description, x: float, y: float, turn: float = 0.0) -> Scene:
    """A body as it is described."""
    return moved(scene_of_pose(zp.compile(description)), x, y, turn)


def evolved(name: str, seconds: float, x: float, y: float, turn: float) -> Scene:
    """An evolved creature in the midst of its motion."""
    return moved(scene_of(showcase.life(name, seconds), rate=60.0), x, y, turn)


def together(scenes: list[Scene]) -> Scene:
    """One scene of one frame with everybody in it."""
    first = np.cumsum([0, *(len(scene.parents) for scene in scenes)])
    return Scene(
        name="zoo",
        body_names=tuple(name for scene in scenes for name in scene.body_names),
        parents=tuple(
            parent if parent < 0 else int(parent + start)
            for start, scene in zip(first, scenes, strict=False)
            for parent in scene.parents
        ),
        shapes=tuple(shapes for scene in scenes for shapes in scene.shapes),
        joints=tuple(joint for scene in scenes for joint in scene.joints),
        times=np.zeros(1),
        positions=np.concatenate([scene.positions for scene in scenes], axis=1),
        quaternions=np.concatenate([scene.quaternions for scene in scenes], axis=1),
        channels={},
        com=np.mean([scene.com for scene in scenes], axis=0),
        is_felt=True,
    )


def main() -> None:
    """Draw it."""
    ant = scene_of(zp.zoo.scene("walking_ant").simulate(2.3), rate=60.0)
    places = ((-1.75, 1.9, 0.0), (2.6, 0.5, 1.1), (0.95, 2.5, 2.2), (-3.1, 1.7, 0.6))
    scene = together([
        still(zp.zoo.humanoid(), 0.0, 0.35, -1.62), moved(ant, 1.5, -0.7, -1.9),
        evolved("crawler", 3.0, -1.35, -0.75, -1.2), evolved("strider", 2.7, 0.95, 0.85, 2.9),
        evolved("frog", 3.0, -2.4, 0.5, -0.9), still(zp.zoo.brick_wall(), -0.3, 2.6, 0.12),
        still(zp.zoo.box_stack(6, edge=0.16), -0.75, 1.35), still(zp.zoo.rolling_ball(), 0.55, -1.0, 0.4),
        *(still(zp.zoo.sapling(), *place) for place in places),
    ])  # fmt: skip
    TARGET.write_bytes(png_bytes(picture_of(scene, size=SIZE, camera=CAMERA)))
    print(f"wrote {TARGET} ({TARGET.stat().st_size} bytes)")  # noqa: T201


if __name__ == "__main__":
    main()
