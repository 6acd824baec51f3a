"""Scene: what every picture of a life needs, in one place: shapes, names, poses over time, joints, channels.

Pages, pictures and glTF files are made from a scene and nothing else, so that they show the same thing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.description import Attach, Description, Shape
from zoophyte.errors import UsageError, counted
from zoophyte.export.look import USUAL, Look, checked_look
from zoophyte.model import Model, Plane, State, Terrain
from zoophyte.physics import body_poses
from zoophyte.simulation.posing import poses_over

if TYPE_CHECKING:
    from zoophyte.simulation import Trajectory

Floats = NDArray[np.float64]
Triple = tuple[float, float, float]

PALETTE = (
    (0.00, 0.45, 0.70), (0.90, 0.62, 0.00), (0.00, 0.62, 0.45), (0.80, 0.47, 0.65),
    (0.34, 0.71, 0.91), (0.84, 0.37, 0.00), (0.94, 0.89, 0.26), (0.45, 0.45, 0.45),
)  # fmt: skip
"""Okabe and Ito's colours, which people with any kind of colour vision can tell apart; sRGB from 0 to 1."""
FARTHEST = 1e9
"""From the origin that anything is drawn [m]; there, single precision tells 64 m apart, and pages whole micrometres."""
LEVEL = Plane()


@dataclass(frozen=True)
class SceneJoint:
    """A joint to be drawn: its body, kind, and axes in the body frame (none for fixed and free joints)."""

    body: int
    kind: str
    axes: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True)
class Thread:
    """A spring between two points, drawn as a thread until it breaks.

    Args:
        bodies: numbers of its two bodies; −1 for the ground.
        points: where it holds each, in the body's frame [m].
        until: when it breaks [s]; infinite if it does not.
    """

    bodies: tuple[int, int]
    points: tuple[Triple, Triple]
    until: float


@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """One life, ready to be drawn.

    Args:
        name: of the description.
        body_names: without the ground.
        parents: index of each body's parent in `body_names`; −1 for the ground.
        shapes: for each body its shapes, placed in the body frame, with colours filled in.
        joints: for each body its joint.
        times: of the frames, shape (T,) [s].
        positions: of the bodies' origins, shape (T, n, 3) [m].
        quaternions: body to world, (w, x, y, z), shape (T, n, 4), neighbours in time on the same half of the sphere.
        channels: recorded figures over the same times.
        com: centre of mass, shape (T, 3).
        ground: of the habitat; None where there is only sky.
        is_felt: whether any shape can touch the ground; else it is only looked at, and may be drawn where it suits.
        threads: springs between bodies.
        look: colours of ground and sky, and how many ghosts.
    """

    name: str
    body_names: tuple[str, ...]
    parents: tuple[int, ...]
    shapes: tuple[tuple[Shape, ...], ...]
    joints: tuple[SceneJoint, ...]
    times: Floats
    positions: Floats
    quaternions: Floats
    channels: dict[str, Floats]
    com: Floats
    ground: Plane | Terrain | None = field(default_factory=Plane)
    is_felt: bool = False
    threads: tuple[Thread, ...] = ()
    look: Look = USUAL

    def __repr__(self) -> str:
        bodies, frames = counted(len(self.body_names), "body", "bodies"), counted(self.frame_count, "frame")
        return f"Scene({self.name!r}: {bodies}, {frames})"

    @property
    def frame_count(self) -> int:
        """Number of frames."""
        return len(self.times)

    def thread_ends(self, frame: int) -> Floats:
        """Where the threads that hold at a frame begin and end in the world, shape (threads, 2, 3) [m]."""
        held = [thread for thread in self.threads if self.times[frame] < thread.until]
        ends = np.array([thread.points for thread in held]).reshape(-1, 2, 3)
        for row, thread in zip(ends, held, strict=True):
            for end, body in enumerate(thread.bodies):
                if body >= 0:
                    w, u = self.quaternions[frame, body, 0], self.quaternions[frame, body, 1:]
                    across = np.cross(u, row[end])
                    row[end] += 2.0 * (w * across + np.cross(u, across)) + self.positions[frame, body]
        return ends

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lowest and highest corner of all shapes over all frames [m], each shape taken as its bounding ball."""
        reach = np.array([max((_reach(shape) for shape in shapes), default=0.0) for shapes in self.shapes])
        if not len(reach):
            return np.zeros(3), np.zeros(3)
        low = (self.positions - reach[None, :, None]).min(axis=(0, 1))
        return low, (self.positions + reach[None, :, None]).max(axis=(0, 1))


def shape_radius(shape: Any) -> float:
    """Distance from a shape's own origin to its farthest point [m], or a little more."""
    sizes: dict[str, Any] = {
        "sphere": lambda s: s.radius,
        "box": lambda s: 0.5 * float(np.linalg.norm(s.size)),
        "capsule": lambda s: s.radius + 0.5 * s.length,
        "cylinder": lambda s: float(np.hypot(s.radius, 0.5 * s.length)),
        "ellipsoid": lambda s: max(s.semi_axes),
        "frustum": lambda s: float(np.hypot(max(s.radius_start, s.radius_end), s.length)),
        "tapered_capsule": lambda s: max(s.radius_start, s.length + s.radius_end),
        "polyhedron": lambda s: float(np.linalg.norm(np.asarray(s.vertices), axis=1).max()),
    }
    return float(sizes[shape.kind](shape))


def _reach(shape: Any) -> float:
    """Distance from the body's origin to the farthest point of a shape, or a little more."""
    return float(np.linalg.norm(shape.position)) + shape_radius(shape)


def scene_of(life: Trajectory, *, rate: float | None = 60.0, look: Look | None = None) -> Scene:
    """The scene of a recorded life.

    Args:
        life: the trajectory; frames with values that are not finite, or farther away than `FARTHEST` (the end of a
            diverged life), are left out.
        rate: frames per second to keep at most [Hz]; None keeps all.
        look: colours of ground and sky, and how many ghosts; the usual one if left out.

    Raises:
        UsageError: when no frame is left.
    """
    model = life.model
    chosen = _chosen_frames(life.times, rate)
    chosen = [i for i in chosen if np.all(np.isfinite(life.q[i])) and np.all(np.isfinite(life.v[i]))]
    if not chosen:
        raise UsageError(
            f"{life.description.name}: no frame of the trajectory is finite; there is nothing to draw."
        )
    turns, places = poses_over(model, life.q[chosen])
    near = np.all(np.abs(places) <= FARTHEST, axis=(1, 2)).tolist()
    if not any(near):
        raise UsageError(
            f"{life.description.name}: every frame of the trajectory is farther away than {FARTHEST:g} m; there is "
            "nothing to draw."
        )
    chosen, rotations, positions = list(compress(chosen, near)), turns[near, 1:], places[near, 1:]
    com = _centres(life, chosen, positions)
    return Scene(
        name=life.description.name,
        body_names=tuple(model.body_names[1:]),
        parents=tuple(int(p) - 1 for p in model.bodies.parent[1:]),
        shapes=coloured_shapes(life.description),
        joints=_joints(model),
        times=np.asarray(life.times[chosen], float),
        positions=positions,
        quaternions=continuous(quaternions_of(rotations)),
        channels={name: np.asarray(values[chosen], float) for name, values in life.channels.items()},
        com=np.asarray(com, float),
        ground=life.ground,
        is_felt=has_touch(life.description),
        threads=threads_of(model, life),
        look=checked_look(look),
    )


def _centres(life: Trajectory, chosen: list[int], positions: Floats) -> Floats:
    """The recorded centre of mass; where there is none that is finite, the middle of the bodies."""
    middle = positions.mean(axis=1) if positions.shape[1] else np.zeros((len(chosen), 3))
    recorded = life.channels.get("com")
    if recorded is None or recorded.shape != (len(life), 3):
        return np.asarray(middle, float)
    rows = recorded[chosen]
    sound = np.all(np.abs(rows) <= FARTHEST, axis=1, keepdims=True)
    return np.asarray(np.where(sound, rows, middle), float)


def scene_of_pose(
    model: Model,
    state: State | None = None,
    *,
    ground: Plane | Terrain | None = LEVEL,
    look: Look | None = None,
) -> Scene:
    """A scene of one frame: a model in a state (its neutral one if left out).

    Args:
        model: what is shown.
        state: its pose.
        ground: that it stands on.
        look: colours of ground and sky; the usual one if left out.
    """
    state = State.neutral(model) if state is None else state
    R, p = body_poses(model, state)
    mass = max(float(model.bodies.mass.sum()), np.finfo(float).tiny)
    centres = p + np.einsum("nij,nj->ni", R, model.bodies.com)
    return Scene(
        name=model.name,
        body_names=tuple(model.body_names[1:]),
        parents=tuple(int(p) - 1 for p in model.bodies.parent[1:]),
        shapes=coloured_shapes(model.description),
        joints=_joints(model),
        times=np.zeros(1),
        positions=p[None, 1:],
        quaternions=quaternions_of(R[None, 1:]),
        channels={},
        com=(model.bodies.mass[:, None] * centres).sum(axis=0, keepdims=True) / mass,
        ground=ground,
        is_felt=has_touch(model.description),
        threads=threads_of(model),
        look=checked_look(look),
    )


def threads_of(model: Model, life: Trajectory | None = None) -> tuple[Thread, ...]:
    """The springs of a model.

    Args:
        model: whose they are.
        life: in which they may break, or have broken before.
    """
    springs = [(n, held) for n, held in enumerate(model.constraints) if isinstance(held, Attach)]
    if not springs:
        return ()
    R, p = body_poses(model, State.neutral(model))
    breaks = (
        {} if life is None else {event.name: event.time for event in life.events if event.kind == "break"}
    )
    broken = np.zeros(0) if life is None else life.final.contact[: len(model.constraints)]
    threads = []
    for n, held in springs:
        first, second = model.body_index(held.body), model.body_index(held.other)
        other = held.other_point
        if other is None:  # where the first point is when life begins
            other = _triple(R[second].T @ (R[first] @ np.array(held.point) + p[first] - p[second]))
        before = -np.inf if len(broken) > n and broken[n] > 0.5 else np.inf
        until = breaks.get(held.name or f"constraints[{n}]", before)
        threads.append(Thread((first - 1, second - 1), (_triple(held.point), _triple(other)), until))
    return tuple(threads)


def _triple(values: Any) -> Triple:
    x, y, z = (float(value) for value in values)
    return x, y, z


def has_touch(description: Description) -> bool:
    """Whether any shape can touch the ground: one without a surface is a ghost."""
    whole = description.surface is not None
    shapes = [shape for body in description.bodies for shape in body.shapes]
    return any(shape.contact and (whole or shape.surface is not None) for shape in shapes)


def coloured_shapes(description: Description) -> tuple[tuple[Shape, ...], ...]:
    """Shapes by body; those without a colour take the palette's next one, body by body."""
    result = []
    for number, body in enumerate(description.bodies):
        colour = PALETTE[number % len(PALETTE)]
        shapes = [s if s.colour is not None else s.model_copy(update={"colour": colour}) for s in body.shapes]
        result.append(tuple(shapes))
    return tuple(result)


def _joints(model: Model) -> tuple[SceneJoint, ...]:
    joints = []
    for number, body in enumerate(model.description.bodies):
        kind = body.joint.kind
        axes: tuple[Any, ...] = ()
        if kind in ("hinge", "slide"):
            axes = (body.joint.axis,)
        elif kind == "universal":
            axes = tuple(body.joint.axes)
        elif kind == "ball":
            axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        joints.append(SceneJoint(number, kind, axes))
    return tuple(joints)


def _chosen_frames(times: Floats, rate: float | None) -> list[int]:
    """Frames nearest to a regular grid of times, first and last included."""
    if rate is None or len(times) < 3:
        return list(range(len(times)))
    count = int(np.floor((times[-1] - times[0]) * rate + 1e-9)) + 1
    grid = times[0] + np.arange(count) / rate
    nearest = np.unique(np.clip(np.searchsorted(times, grid - 1e-9), 0, len(times) - 1))
    return sorted({*nearest.tolist(), len(times) - 1})


def quaternions_of(R: Floats) -> Floats:
    """Unit quaternions (w, x, y, z) of rotation matrices, shape (…, 3, 3) → (…, 4).

    Each of four formulas is exact where its own component is large; the largest is taken (Shepperd, "Quaternion from
    rotation matrix", 1978).
    """
    trace = R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2]
    squares = np.stack([trace, *(2.0 * R[..., i, i] - trace + 0.0 for i in range(3))], axis=-1)
    largest = np.argmax(squares, axis=-1)
    q = np.empty((*R.shape[:-2], 4))
    w_part = np.stack(
        [1 + trace, R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], -1
    )
    parts = [w_part]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        part = np.empty_like(w_part)
        part[..., 0] = R[..., k, j] - R[..., j, k]
        part[..., 1 + i] = 1 + R[..., i, i] - R[..., j, j] - R[..., k, k]
        part[..., 1 + j] = R[..., j, i] + R[..., i, j]
        part[..., 1 + k] = R[..., k, i] + R[..., i, k]
        parts.append(part)
    for choice, part in enumerate(parts):
        q[largest == choice] = part[largest == choice]
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True), float)


def continuous(q: Floats) -> Floats:
    """The same rotations with signs chosen so that neighbours in time (axis 0) are close."""
    q = q.copy()
    for t in range(1, len(q)):
        flip = np.einsum("...i,...i->...", q[t], q[t - 1]) < 0.0
        q[t][flip] *= -1.0
    return q
