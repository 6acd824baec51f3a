"""Motion as the replay page carries it, read back by a decoder written from the format's description alone."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import zoophyte as zp
from zoophyte.export import Scene, scene_of_pose
from zoophyte.export.arrows import ARROWS
from zoophyte.export.packing import ROTATION_STEP, integers, pack, page_channels, track
from zoophyte.export.scene import continuous, quaternions_of
from zoophyte.physics import body_poses

Floats = NDArray[np.float64]


def read_integers(data: bytes) -> Iterator[int]:
    value, shift = 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield -(value + 1) // 2 if value % 2 else value // 2
            value, shift = 0, 0
    assert shift == 0, "the last integer is cut off"


class Reader:
    """The tracks of a packed life, one after the other."""

    def __init__(self, motion: bytes, frames: int) -> None:
        self.data, self.frames = zlib.decompress(motion), frames

    def next(self) -> NDArray[np.int64]:
        order, rest = self.data[0], self.data[1:]
        values: list[int] = []
        used = 0
        for missed in read_integers(rest):
            used += len(integers(np.array([missed])))
            guess = 0 if not values else values[-1]
            if order == 2 and len(values) > 1:
                guess += values[-1] - values[-2]
            values.append(guess + missed)
            if order == 0 or len(values) == self.frames:
                break
        self.data = rest[used:]
        return np.array(values * (self.frames if order == 0 else 1), dtype=np.int64)

    def block(self, columns: int) -> NDArray[np.int64]:
        return np.stack([self.next() for _ in range(columns)], axis=1)


def moving_scene(name: str, frames: int = 40) -> Scene:
    """A body of the zoo that swings through its joints' coordinates; no physics needed."""
    model = zp.compile(zp.zoo.get(name))
    neutral = zp.State.neutral(model)
    rotations, positions = [], []
    times = np.linspace(0.0, 1.3, frames)
    for time in times:
        state = zp.State.neutral(model)
        q = neutral.q.copy()
        for body, first in zip(model.description.bodies, first_coordinates(model.description), strict=True):
            if body.joint.kind == "hinge":
                q[first] += np.sin(3.0 * time + first)
            if body.joint.kind in ("free", "ball"):
                q[first : first + 4] = np.array(
                    [np.cos(2.0 * time), 0.6 * np.sin(2.0 * time), 0.0, 0.8 * np.sin(2.0 * time)]
                )
            if body.joint.kind == "free":
                q[first + 4 : first + 7] += (5.0 * time, 0.0, 0.2)
        R, p = body_poses(model, state.at(q, state.v))
        rotations.append(R[1:])
        positions.append(p[1:])
    still = scene_of_pose(model)
    return replace(
        still,
        times=times,
        positions=np.array(positions),
        quaternions=continuous(quaternions_of(np.array(rotations))),
        com=np.array(positions).mean(axis=1),
        channels={"energy": np.cos(times), "com": np.array(positions).mean(axis=1)},
    )


def first_coordinates(description: zp.description.Description) -> list[int]:
    counts = [body.joint.coordinate_count for body in description.bodies]
    return [sum(counts[:n]) for n in range(len(counts))]


def product(a: Floats, b: Floats) -> Floats:
    w = a[..., 0] * b[..., 0] - np.sum(a[..., 1:] * b[..., 1:], axis=-1)
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w[..., None], v], axis=-1)


def turned(q: Floats, v: Floats) -> Floats:
    pure = np.concatenate([np.zeros_like(v[..., :1]), v], axis=-1)
    return product(product(q, pure), q * np.array([1.0, -1.0, -1.0, -1.0]))[..., 1:]


@given(st.lists(st.integers(-(2**52), 2**52), min_size=1, max_size=50))
def test_integers_read_back(values: list[int]) -> None:
    assert list(read_integers(integers(np.array(values)))) == values


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=50))
def test_tracks_read_back(values: list[int]) -> None:
    made = track(np.array(values))
    assert Reader(zlib.compress(made), len(values)).next().tolist() == values


@pytest.mark.parametrize(
    ("values", "order", "size"), [([7] * 90, 0, 2), ([7, 9] * 45, 1, 91), (list(range(0, 9000, 100)), 2, 92)]
)
def test_the_better_prediction_is_taken(values: list[int], order: int, size: int) -> None:
    made = track(np.array(values))
    assert (made[0], len(made)) == (order, size)


@pytest.mark.parametrize("name", ["chain", "ref6", "sapling", "humanoid", "book"])
def test_poses_read_back(name: str) -> None:
    """Law: composing the relative poses from the root gives the world poses back.

    Tolerance: each joint adds at most √3 half steps of position and a rotation of 2·√4 half steps, and the rotation's
    error swings whatever lies beyond the joint, at most the size of the body.
    """
    scene = moving_scene(name)
    made = pack(scene)
    reader = Reader(made.motion, scene.frame_count)
    times = reader.next() * made.data["time_step"]
    assert np.abs(times - scene.times).max() <= 0.5001e-6
    step = made.data["position_step"]
    assert np.abs(reader.block(3) * step - scene.com).max() <= 0.501 * step
    positions, quaternions = np.zeros_like(scene.positions), np.zeros_like(scene.quaternions)
    depth = np.zeros(len(scene.parents))
    for body, parent in enumerate(scene.parents):
        p, q = reader.block(3) * step, reader.block(4) * ROTATION_STEP
        q /= np.linalg.norm(q, axis=1, keepdims=True)
        if parent >= 0:
            p = positions[:, parent] + turned(quaternions[:, parent], p)
            q = product(quaternions[:, parent], q)
            depth[body] = depth[parent] + 1
        positions[:, body], quaternions[:, body] = p, q
    size = step * 2**17
    joints = depth.max() + 1
    angle = 2.0 * 2.0 * 0.5 * ROTATION_STEP * joints
    assert np.abs(positions - scene.positions).max() <= joints * (0.87 * step + angle * size)
    overlap = np.abs(np.sum(quaternions * scene.quaternions, axis=-1))
    assert 2.0 * np.arccos(np.clip(overlap, 0.0, 1.0)).max() <= angle + 1e-7


def test_channels_read_back_to_a_part_of_their_range() -> None:
    scene = moving_scene("chain")
    made = pack(scene)
    reader = Reader(made.motion, scene.frame_count)
    reader.block(4 + 7 * len(scene.body_names))
    for shown, stored in zip(page_channels(scene), made.data["channels"], strict=True):
        values = stored["low"] + reader.block(len(stored["low"])) * np.array(stored["step"])
        assert np.all(np.abs(values - shown["values"]) <= 0.501 * np.array(stored["step"]))
    assert reader.data == b""


def test_what_is_true_or_false_becomes_bars() -> None:
    scene = moving_scene("pendulum")
    steps = (np.arange(scene.frame_count) % 8 < 4).astype(float)
    scene = replace(scene, channels={"feet": np.stack([steps, 1.0 - steps], axis=1), "elastic": 0.0 * steps})
    bars = {channel["name"]: channel["bars"] for channel in page_channels(scene)}
    assert bars["feet"] and not bars["elastic"] and not bars["height"]


def test_contact_forces_become_arrows_and_no_chart() -> None:
    scene = moving_scene("pendulum")
    forces = np.tile([0.0, 0.1, 0.2, 0.0, 0.0, 30.0], (scene.frame_count, 2))
    made = pack(replace(scene, channels={ARROWS: forces}))
    assert made.data["arrows"]["count"] == 2
    assert ARROWS not in [channel["name"] for channel in made.data["channels"]]
    reader = Reader(made.motion, scene.frame_count)
    reader.block(4 + 7 + 2)  # times and centre of mass, one body, height and speed
    arrows = reader.block(12)
    assert np.allclose(arrows[:, 5] * made.data["arrows"]["step"], 30.0, atol=made.data["arrows"]["step"])


def test_values_that_are_not_finite_are_left_out_of_channels() -> None:
    scene = moving_scene("pendulum")
    energy = np.where(np.arange(scene.frame_count) > 30, np.nan, 1.0)
    made = pack(replace(scene, channels={"energy": energy}))
    assert np.all(np.isfinite([each["low"] + each["step"] for each in made.data["channels"]]))


def test_terrain_reads_back_behind_the_motion() -> None:
    """Rows add up from the first; heights are whole steps of at most 1/8192 of the creature's size."""
    hills = zp.Terrain.bumps(seed=6, size=(6.0, 4.0), height=0.4)
    scene = replace(moving_scene("pendulum"), ground=hills, channels={})
    made = pack(scene)
    told = made.data["ground"]
    rows, columns = hills.heights.shape
    assert (told["kind"], len(told["x"]), len(told["y"])) == ("terrain", columns, rows)
    reader = Reader(made.motion, scene.frame_count)
    reader.block(4 + 7 + 2)  # times and centre of mass, one body, height and speed
    reader.frames = columns
    heights = np.cumsum([reader.next() for _ in range(rows)], axis=0)
    assert reader.data == b""
    step = told["step"]
    assert step <= made.data["position_step"] * 2**17 / 2**13 * (1.0 + 1e-12)
    assert np.abs(told["low"] + step * heights - hills.heights).max() <= 0.501 * step


@pytest.mark.parametrize("ground", [None, zp.Plane((0.1, 0.2, 1.0), -0.3)])
def test_other_grounds_are_told_in_a_few_words(ground: zp.Plane | None) -> None:
    told = pack(replace(moving_scene("pendulum"), ground=ground)).data["ground"]
    expected = None if ground is None else {"kind": "plane", "normal": list(ground.normal), "height": -0.3}
    assert told == expected


def test_one_frame_is_enough() -> None:
    scene = scene_of_pose(zp.compile(zp.zoo.get("pendulum")))
    assert pack(scene).data["frames"] == 1
