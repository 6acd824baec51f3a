"""Contact forces as arrows of the replay page: which contact is which, how hard it pressed, how long its arrow is.

A page has fewer frames than a life, and an impact lasts for a step or two: each frame of the page shows the strongest force
of every contact since the frame before, so that no impact that was recorded is lost.  How long an arrow is follows from two
figures, :func:`usual_force` and :func:`usual_length`: an arrow of the usual force has the usual length, and lengths are in
proportion up to there; beyond, the player lets them grow with the logarithm.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zoophyte.errors import UsageError
from zoophyte.export.scene import FARTHEST, Scene, shape_radius
from zoophyte.simulation.touching import CONTACT_FORCES

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ARROWS = CONTACT_FORCES
"""Channel of point and force [m, N] of each contact, six columns each, that the page draws as arrows."""

NEAR_POINTS = 0.05  # of the creature's size: a contact that moves farther from frame to frame is another one
LARGEST = 1e300  # force that is kept [N]
USUAL = 2.0 / 3.0  # of all force is in contacts that press no harder than the usual one
IMPACT = 5.0  # times the median force: what an impact counts for at most
LONG, ALONE = 0.6, 0.8  # of an arrow: see usual_length


def arrows_in(values: Floats, name: str) -> Floats:
    """Points and forces of contacts, shape (T, contacts, 6); what is not finite becomes zero.

    Args:
        values: of the channel, shape (T, 6·contacts).
        name: of the life, for the error.

    Raises:
        UsageError: when there are not six columns for each contact.
    """
    values = np.asarray(values, float).reshape(len(values), -1)
    if values.shape[1] % 6:
        raise UsageError(
            f"{name}: the channel '{ARROWS}' has {values.shape[1]} columns, must be six for each contact: point "
            "[m] and force [N]."
        )
    finite = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    arrows = np.clip(finite, -LARGEST, LARGEST).reshape(len(values), values.shape[1] // 6, 6)
    arrows[..., :3] = np.clip(arrows[..., :3], -FARTHEST, FARTHEST)
    return arrows


def steady(arrows: Floats, near: float) -> Floats:
    """The same arrows in an order in which a contact keeps its place as long as it lasts.

    Contacts are recorded in the order in which they were found.  Each takes the place of the nearest one in the frame
    before, if that is near, else a free one; a place without force keeps its last point.  So tracks change little, and
    the page may interpolate them.

    Args:
        arrows: point and force, shape (T, n, 6).
        near: how far a contact may move from one frame to the next [m].
    """
    made = np.zeros_like(arrows)
    points, held = np.zeros((arrows.shape[1], 3)), np.zeros(arrows.shape[1], bool)
    for now, frame in zip(made, arrows, strict=True):
        active = frame[np.any(frame[:, 3:] != 0.0, axis=1)]
        places = _places(active[:, :3], points, held, near)
        points[places] = active[:, :3]
        now[places, 3:] = active[:, 3:]
        now[:, :3] = points
        held = np.zeros(len(points), bool)
        held[places] = True
    return made


def _places(contacts: Floats, points: Floats, held: NDArray[np.bool_], near: float) -> Integers:
    """The place that each contact takes: what goes on comes first, then places that were free, then any."""
    taken = np.full(len(contacts), -1, np.int64)
    if not len(contacts):
        return taken
    gaps = np.linalg.norm(contacts[:, None] - points[None], axis=2)
    cost = np.where(held & (gaps <= near), gaps, np.where(held, 4.0, 2.0) * FARTHEST + gaps)
    # Who is nearest to each other goes together, whatever others do; that is nearly everybody.
    best, suitors = np.argmin(cost, axis=1), np.argmin(cost, axis=0)
    numbers = np.arange(len(contacts))
    mutual = (suitors[best] == numbers) & (cost[numbers, best] <= near)
    taken[mutual] = best[mutual]
    used = np.zeros(len(points), bool)
    used[best[mutual]] = True
    others = numbers[~mutual]
    for contact in others[np.argsort(cost[others].min(axis=1, initial=np.inf), kind="stable")]:
        place = int(np.argmin(np.where(used, np.inf, cost[contact])))
        taken[contact], used[place] = place, True
    return taken


def strongest(arrows: Floats, rows: Integers) -> Floats:
    """Of each contact the strongest force since the frame before, with its point, shape (frames, n, 6).

    Args:
        arrows: point and force, steady, shape (T, n, 6).
        rows: the frames that are kept, rising.
    """
    # Squares of forces may be beyond all numbers.
    hardest = float(np.abs(arrows[..., 3:]).max(initial=0.0)) or 1.0
    force = np.linalg.norm(arrows[..., 3:] / hardest, axis=2)
    kept = arrows[rows].copy()
    columns = np.arange(arrows.shape[1])
    for frame, (before, row) in enumerate(zip([-1, *rows[:-1]], rows, strict=True)):
        if row > before + 1:
            peak = row - np.argmax(force[before + 1 : row + 1][::-1], axis=0)  # of equals the latest
            stronger = force[peak, columns] > force[row]
            kept[frame, stronger] = arrows[peak[stronger], columns[stronger]]
    return kept


def usual_force(arrows: Floats) -> float:
    """A force to compare others with [N]: two thirds of all force is in contacts that press no harder.

    So many that hardly touch do not lower it, nor do impacts raise it much: they count for five times the median.

    Args:
        arrows: point and force, shape (T, n, 6).
    """
    hardest = float(np.abs(arrows[..., 3:]).max(initial=0.0)) or 1.0
    forces = np.sort(np.linalg.norm(arrows[..., 3:] / hardest, axis=2).ravel())
    forces = forces[forces > 0.0]
    if not len(forces):
        return 1.0
    sums = np.cumsum(np.minimum(forces, IMPACT * float(np.median(forces))))
    return hardest * float(forces[np.searchsorted(sums, USUAL * sums[-1])])


def usual_length(scene: Scene, size: float) -> float:
    """How long the arrow of the usual force is [m]: little more than half of one that moves, so that crowds stay readable.

    Args:
        scene: what is shown.
        size: of everything at one time [m].
    """
    moves: list[bool] = []
    for parent, joint in zip(scene.parents, scene.joints, strict=True):
        moves.append(joint.kind != "fixed" or (parent >= 0 and moves[parent]))
    radii = [
        max(map(shape_radius, shapes))
        for shapes, moved in zip(scene.shapes, moves, strict=True)
        if shapes and moved
    ]
    own = min(2.0 * float(np.median(radii)), size) if radii else size
    return float(LONG * size ** (1.0 - ALONE) * own**ALONE)
