"""How a life ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zoophyte.description import GROUND
from zoophyte.errors import UsageError, nearest
from zoophyte.model import Model, Plane, Terrain

STATUS_KINDS = ("ended", "diverged", "overflowed", "overlapping", "fell", "strayed", "idle", "interrupted",
                "cheated")  # fmt: skip
"""How a life can end.

ended: lived as long as asked; diverged: blew up; overflowed: more contacts at once than there was room for.  In a herd also
overlapping: born with shapes in each other; fell, strayed, idle: stopped early, as asked; interrupted: under way at
Ctrl-C; cheated: an audit caught it.
"""
SOUND_KINDS = ("ended", "fell", "strayed", "idle", "interrupted")
STABLE = ("implicit", "ros2")
"""Integrators that take springs and dampers linearly implicit."""


@dataclass(frozen=True)
class Status:
    """How a life ended; a life that blows up is a status, never an exception.

    Args:
        kind: one of `STATUS_KINDS`.
        time: simulated time of the last sound state [s].
        body: the body to which it happened, where there is one.
        reason: what happened, in words.
    """

    kind: str
    time: float
    body: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        if self.kind not in STATUS_KINDS:
            known, how = ", ".join(STATUS_KINDS), nearest(self.kind, STATUS_KINDS)
            raise UsageError(f"status kind {self.kind!r} is unknown. Known: {known}. {how}".rstrip())

    @property
    def is_sound(self) -> bool:
        """Whether the life can be believed to its end."""
        return self.kind in SOUND_KINDS

    def __str__(self) -> str:
        body = f" in body '{self.body}'" if self.body else ""
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.kind} at {self.time:.6g} s{body}{reason}"


def fallen_through(
    model: Model, ground: Plane | Terrain | None, first: Sequence[float], last: Sequence[float]
) -> str:
    """What to tell of a body that nothing holds and that fell through the ground, which it cannot touch; else nothing.

    Args:
        model: of the body.
        ground: where it lives.
        first: its centre of mass when life began [m].
        last: when it ended [m].
    """
    if ground is None or len(model.touching):
        return ""
    bodies = model.description.bodies
    is_free = any(body.parent == GROUND and body.joint.kind == "free" and body.shapes for body in bodies)
    start, end = (float(z) - float(ground.height_at(float(x), float(y))) for x, y, z in (first, last))
    if not (is_free and start >= 0.0 > end):
        return ""
    return (
        f"it is {-end:.3g} m below the ground, which it cannot touch: none of its shapes has a surface; give the "
        "description one: surface=Surface() (--friction on the command line)"
    )


def too_many_contacts(slots: int, keeper: str) -> str:
    """What to tell of a life that met more contacts than there was room for.

    Args:
        slots: contacts for which there was room.
        keeper: what has the option: "World" or "Herd".
    """
    option = f"{keeper}(…, slots={2 * slots})"
    shell = " (--slots on the command line)" if keeper == "World" else ""
    return f"more than {slots} contacts at one time; make room for more: {option}{shell}"


def advice(integrator: str, *, touching: bool) -> str:
    """What to try after a life that blew up.

    Args:
        integrator: with which it did.
        touching: whether contacts were solved, which only two integrators can.
    """
    if integrator in STABLE:
        return "try a smaller dt, or more damping"
    known = STABLE[:1] if touching else STABLE
    return f"try a smaller dt or a linearly implicit integrator ({', '.join(map(repr, known))})"
