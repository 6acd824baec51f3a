"""Motion for the replay page: whole numbers, predicted from frame to frame, compressed.

A pose is stored relative to the parent body, where most of it is constant: a hinge moves no position and only two of four
quaternion components.  Every number becomes a whole multiple of a step; a *track* is one such number over time:

==========  ====================================================================================
one byte    how it is predicted: 0 constant, 1 like the value before, 2 going on at the same rate
integers    the first value, then what each prediction missed (none for a constant)
==========  ====================================================================================

Integers have seven bits a byte, lowest first; 0, −1, 1, −2 … are written 0, 1, 2, 3 ….  All tracks of a life follow each
other (times, centre of mass, seven for each body, channels, arrows) and are packed by zlib.  Behind them come the heights
of a terrain, one track for each row: the first row, then what each row has more than the one before.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.algebra.many import inverses, products, turned
from zoophyte.export.arrows import ARROWS, LARGEST, NEAR_POINTS, arrows_in, steady, usual_force, usual_length
from zoophyte.export.framing import lasting, side_of_slope
from zoophyte.export.grounds import drawn_ground, grid_of
from zoophyte.export.scene import FARTHEST, Scene
from zoophyte.model import Plane
from zoophyte.simulation.channels import ACTUATION, UNITS, column_labels
from zoophyte.simulation.touching import CONTACT_BODIES

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROTATION_STEP = 2.0**-15
POSITION_PARTS = 2**17  # steps over the size of the creature
CHANNEL_PARTS = 2**16 - 1  # steps over the range of a channel
HEIGHT_PARTS, RANGE_PARTS = (
    2**13,
    2**20,
)  # steps of a terrain over the size of the creature, at most over its own height
TIME_STEP = 1e-6
WHOLE_LIMIT = 2**50  # of steps: JavaScript's numbers count to 2**53, and predictions need a little room
FORCE_PARTS, POINT_STEPS = (
    2**10,
    8,
)  # steps over the usual force; steps of positions in one of points of contact
AZIMUTH = -58.7  # degrees; from where the player looks if nothing asks for another side
ENERGIES = ("energy", "kinetic", "potential", "elastic")


@dataclass(frozen=True, eq=False)
class Packed:
    """A life as the page carries it.

    Args:
        data: everything but the motion, ready for JSON.
        motion: the tracks, compressed.
    """

    data: dict[str, Any]
    motion: bytes


def pack(scene: Scene) -> Packed:
    """The motion of a scene, quantised: positions to 1/131072 of its size, rotations to 3e-5.

    Args:
        scene: one frame or more.
    """
    scene = replace(scene, channels={name: _sound(values) for name, values in scene.channels.items()})
    time_step = _time_step(scene.times)
    farthest = float(np.abs(scene.positions).max(initial=0.0))
    position_step = max(max(size_of(scene), 1e-9) / POSITION_PARTS, farthest / WHOLE_LIMIT)
    tracks = [whole(scene.times, time_step), *_columns(scene.com, position_step)]
    positions, quaternions = relative_poses(scene)
    for body in range(len(scene.body_names)):
        tracks += _columns(positions[:, body], position_step)
        tracks += _columns(quaternions[:, body], ROTATION_STEP)
    channels = []
    for channel in page_channels(scene):
        values = channel.pop("values")
        low, step = values.min(axis=0), np.ptp(values, axis=0) / CHANNEL_PARTS
        step[step == 0.0] = 1.0
        tracks += [whole(values[:, n] - low[n], float(step[n])) for n in range(values.shape[1])]
        channels.append({**channel, "low": low.tolist(), "step": step.tolist()})
    recorded = scene.channels.get(ARROWS, np.zeros((scene.frame_count, 0)))
    arrows = steady(arrows_in(recorded, scene.name), NEAR_POINTS * size_of(scene))
    usual, hardest = usual_force(arrows), float(np.abs(arrows[..., 3:]).max(initial=0.0))
    force_step = max(min(hardest, usual) / FORCE_PARTS, hardest / WHOLE_LIMIT) or 1.0
    point_step = POINT_STEPS * position_step
    for arrow in range(arrows.shape[1]):
        tracks += _columns(arrows[:, arrow, :3], point_step) + _columns(arrows[:, arrow, 3:], force_step)
    ground, rows = _ground(scene)
    tracks += rows
    data = {
        "name": scene.name,
        "frames": scene.frame_count,
        "bodies": _bodies(scene),
        "time_step": time_step,
        "position_step": position_step,
        "rotation_step": ROTATION_STEP,
        "channels": channels,
        "arrows": {
            "count": arrows.shape[1],
            "step": force_step,
            "point_step": point_step,
            "usual_force": usual,
            "usual_length": usual_length(scene, size_of(scene)),
        },
        "ground": ground,
        "view": _view(scene),
        "threads": [
            {"bodies": thread.bodies, "points": thread.points, "until": _until(thread.until)}
            for thread in scene.threads
        ],
        "look": {"colours": scene.look.inks(), "ghosts": scene.look.ghosts},
    }
    return Packed(data, zlib.compress(b"".join(map(track, tracks)), 9))


def _view(scene: Scene) -> dict[str, float | None]:
    """From when on all shall be in the picture [s], and the azimuth to look from, if the ground asks for one [degrees]."""
    frames = np.arange(scene.frame_count)
    shown = lasting(scene, frames)
    return {
        "since": float(scene.times[shown[0]]),
        "azimuth": side_of_slope(scene, shown, drawn_ground(scene), AZIMUTH),
    }


def _until(time: float) -> float | None:
    """When a thread breaks, as JSON can say it: null for never."""
    return None if time == np.inf else max(time, -FARTHEST)


def _ground(scene: Scene) -> tuple[dict[str, Any] | None, list[Integers]]:
    """What the page is told about the ground, and the tracks of a terrain's heights."""
    ground = drawn_ground(scene)
    if ground is None:
        return None, []
    if isinstance(ground, Plane):
        return {"kind": "plane", "normal": list(ground.normal), "height": ground.height}, []
    grid = grid_of(scene, ground)
    low, spread = float(grid.heights.min()), float(np.ptp(grid.heights))
    step = max(size_of(scene) / HEIGHT_PARTS, spread / RANGE_PARTS)
    heights = whole(grid.heights - low, step)
    rows = [heights[0], *np.diff(heights, axis=0)]
    told = {"kind": "terrain", "x": grid.x.tolist(), "y": grid.y.tolist(), "low": low, "step": step}
    return told, rows


# ----------------------------------------------------------------------------------------------------- numbers


def whole(values: Floats, step: float) -> Integers:
    """The nearest whole multiples of a step."""
    return np.rint(np.asarray(values, float) / step).astype(np.int64)


def track(values: Integers) -> bytes:
    """The bytes of one track; of both predictions the one that misses by less."""
    if np.all(values == values[0]):
        return b"\0" + integers(values[:1])
    first = np.diff(values)
    second = np.diff(first, prepend=0)
    order, missed = (1, first) if _cost(first) <= _cost(second) else (2, second)
    return bytes([order]) + integers(np.concatenate([values[:1], missed]))


def _cost(missed: Integers) -> float:
    return float(np.log2(1.0 + np.abs(missed)).sum())


def integers(values: Integers) -> bytes:
    """Whole numbers with as many bytes as each needs."""
    folded = np.where(values < 0, -2 * values - 1, 2 * values).astype(np.uint64)
    groups = [folded >> np.uint64(7 * n) for n in range(10)]
    used = max(1, sum(bool(group.any()) for group in groups))
    parts = np.stack([(group & np.uint64(127)).astype(np.uint8) for group in groups[:used]], axis=1)
    needed = np.stack([np.ones(len(folded), bool), *(group > 0 for group in groups[1:used])], axis=1)
    parts[:, :-1][needed[:, 1:]] |= 128
    return bytes(parts[needed].tobytes())


def _columns(values: Floats, step: float) -> list[Integers]:
    return [whole(values[:, n], step) for n in range(values.shape[1])]


def _time_step(times: Floats) -> float:
    gap = float(np.diff(times).min()) if len(times) > 1 else 1.0
    return max(min(TIME_STEP, gap / 100.0), float(np.abs(times).max()) / WHOLE_LIMIT)


def size_of(scene: Scene) -> float:
    """How large the creature is at one time, in metres; how far it gets does not count."""
    if not scene.body_names:
        return 1.0
    spread = np.linalg.norm(np.ptp(scene.positions, axis=1), axis=1).max()
    low, high = replace(scene, positions=np.zeros_like(scene.positions[:1])).bounds
    return float(spread + np.linalg.norm(high - low))


# ------------------------------------------------------------------------------------------------------- poses


def relative_poses(scene: Scene) -> tuple[Floats, Floats]:
    """Positions and quaternions of the bodies in the frames of their parents, shapes (T, n, 3) and (T, n, 4)."""
    positions, quaternions = scene.positions.copy(), scene.quaternions.copy()
    for body, parent in enumerate(scene.parents):
        if parent >= 0:
            back = inverses(scene.quaternions[:, parent])
            positions[:, body] = turned(back, scene.positions[:, body] - scene.positions[:, parent])
            quaternions[:, body] = products(back, scene.quaternions[:, body])
    return positions, quaternions


# ------------------------------------------------------------------------------------------------ what is shown


def page_channels(scene: Scene) -> list[dict[str, Any]]:
    """The channels of the page: height and speed of the centre of mass, energies in one, then all others.

    What actuators are told and do has as many columns as a body has joints, and is left out so that pages stay small.
    """
    found = [_channel("height", "m", ("height",), scene.com[:, 2:])]
    if scene.frame_count > 1:
        speed = np.linalg.norm(np.gradient(scene.com, scene.times, axis=0), axis=1)
        found.append(_channel("speed", "m/s", ("speed",), speed[:, None]))
    if all(name in scene.channels for name in ENERGIES):
        names = [name for name in ENERGIES if name == "energy" or scene.channels[name].any()]
        labels = tuple("total" if name == "energy" else name for name in names)
        found.append(_channel("energy", "J", labels, np.column_stack([scene.channels[n] for n in names])))
    taken = {channel["name"] for channel in found} | {ARROWS, CONTACT_BODIES, *ACTUATION}
    if "energy" in taken:
        taken |= set(ENERGIES)
    for name, values in scene.channels.items():
        if name not in taken and values.size:
            unit = UNITS.get(name, "rad" if name.startswith("q:") else "")
            columns = values.reshape(scene.frame_count, -1)
            found.append(_channel(name, unit, column_labels(name, values), columns))
    return found


def _channel(name: str, unit: str, labels: Iterable[str], values: Floats) -> dict[str, Any]:
    bars = not unit and bool(np.all((values == 0.0) | (values == 1.0)) and values.any())
    return {"name": name, "unit": unit, "labels": list(labels), "bars": bars, "values": values}


def _sound(values: Floats) -> Floats:
    """Values with those that are not finite replaced by zero: the last frames of a life that diverged.

    Others are kept where their differences are numbers, too.
    """
    finite = np.nan_to_num(np.asarray(values, float), nan=0.0, posinf=0.0, neginf=0.0)
    return np.asarray(np.clip(finite, -LARGEST, LARGEST))


def _bodies(scene: Scene) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "parent": parent,
            "shapes": [shape.model_dump(mode="json", exclude={"name", "density"}) for shape in shapes],
            "joint": joint.kind,
            "axes": [list(axis) for axis in joint.axes],
        }
        for name, parent, shapes, joint in zip(
            scene.body_names, scene.parents, scene.shapes, scene.joints, strict=True
        )
    ]
