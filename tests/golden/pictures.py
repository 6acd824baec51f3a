"""The golden pictures: what they show, how they are read back, and how to draw them anew.

Run ``python tests/golden/pictures.py`` after a change that is meant to change pictures, and look at them.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import zoophyte as zp
from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Description,
    Ellipsoid,
    Frustum,
    Joint,
    Polyhedron,
    Sphere,
    TaperedCapsule,
)
from zoophyte.export import Scene, picture_of, png_bytes, scene_of_pose
from zoophyte.export.extent import reaches

FOLDER = Path(__file__).parent
SIZE = (200, 112)

Picture = np.ndarray[Any, np.dtype[np.uint8]]

CORNERS = [(0.2, 0.0, -0.14), (-0.1, 0.17, -0.14), (-0.1, -0.17, -0.14), (0.0, 0.0, 0.22)]
TETRAHEDRON = Polyhedron(vertices=CORNERS, faces=[(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])
TILT = (math.cos(0.3), math.sin(0.3), 0.0, 0.0)

SOLIDS = (
    Sphere(radius=0.15),
    Box(size=(0.2, 0.3, 0.25), rotation=TILT),
    Capsule(radius=0.08, length=0.2, rotation=TILT),
    Cylinder(radius=0.12, length=0.25),
    Ellipsoid(semi_axes=(0.2, 0.1, 0.14), rotation=TILT),
    Frustum(radius_start=0.16, radius_end=0.05, length=0.28),
    TETRAHEDRON,
    TaperedCapsule(radius_start=0.13, radius_end=0.05, length=0.22, rotation=TILT),
)
"""One of each kind."""


def row_of_solids() -> Description:
    """One body of each kind of shape, side by side, and one without any."""
    bodies = [
        Body(name=shape.kind, joint=Joint(position=(0.0, 0.42 * number, 0.16)), shapes=[shape])
        for number, shape in enumerate(SOLIDS)
    ]
    return Description(name="solids", bodies=[*bodies, Body(name="bare")])


def scene(description: Description) -> Scene:
    return scene_of_pose(zp.compile(description))


def standing(ground: zp.Terrain | zp.Plane | None, x: float = 0.0, y: float = 0.0) -> Scene:
    """A creature of four legs on some ground, its feet as high as the ground below its middle."""
    still = scene(zp.zoo.ref4())
    height = 0.0 if ground is None else float(ground.height_at(x, y))
    feet = -float(reaches(still, np.array([[0.0, 0.0, -1.0]]), np.array([0]))[0, 0])
    shift = np.array([x, y, height - feet])
    return replace(
        still, positions=still.positions + shift, com=still.com + shift, ground=ground, is_felt=True
    )


GOLDEN: dict[str, Callable[[], Picture]] = {
    "solids": lambda: picture_of(scene(row_of_solids()), size=SIZE, camera="front"),
    "humanoid": lambda: picture_of(scene(zp.zoo.humanoid()), size=SIZE),
    "sapling": lambda: picture_of(scene(zp.zoo.sapling()), size=SIZE, camera="side"),
    "ref4": lambda: picture_of(scene(zp.zoo.ref4()), size=SIZE, camera="top"),
    "bumps": lambda: picture_of(
        standing(zp.Terrain.bumps(seed=7, size=(20, 20), height=0.8, length=2.5)), size=SIZE
    ),
    "steps": lambda: picture_of(standing(zp.Terrain.steps(8, rise=-0.12, run=0.4), 1.35), size=SIZE),
    "tilted": lambda: picture_of(standing(zp.Plane((0.2, 0.1, 1.0))), size=SIZE),
    "space": lambda: picture_of(standing(None), size=SIZE),
}


def read_png(data: bytes) -> Picture:
    """The picture in an RGB file of 8 bits without interlace, by the book (ISO/IEC 15948, clause 9)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, width, height = 8, b"", 0, 0
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        (check,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert zlib.crc32(kind + content) == check
        if kind == b"IHDR":
            width, height, *form = struct.unpack(">IIBBBBB", content)
            assert form == [8, 2, 0, 0, 0]
        packed += content if kind == b"IDAT" else b""
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 3 * width)
    before = [0] * (3 * width)
    result = []
    for row in rows.tolist():
        before = _row(row[0], row[1:], before)
        result.append(before)
    return np.array(result, np.uint8).reshape(height, width, 3)


def _row(kind: int, rest: list[int], above: list[int]) -> list[int]:
    now: list[int] = []
    for i, value in enumerate(rest):
        left, up, corner = (now[i - 3], above[i], above[i - 3]) if i >= 3 else (0, above[i], 0)
        near = min((left, up, corner), key=lambda guess: abs(left + up - corner - guess))
        now.append((value + (0, left, up, (left + up) // 2, near)[kind]) % 256)
    return now


if __name__ == "__main__":
    for name, draw in GOLDEN.items():
        (FOLDER / f"{name}.png").write_bytes(png_bytes(draw()))
