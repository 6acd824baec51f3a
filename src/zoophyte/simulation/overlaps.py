"""What cannot be as life begins: shapes that overlap, constraints that are open; told with sizes, or mended."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from zoophyte.description import Attach
from zoophyte.errors import UsageError
from zoophyte.model import Block, Model, State
from zoophyte.model.contact_layout import SLOP
from zoophyte.model.model import Floats
from zoophyte.numbers.forms import compiled
from zoophyte.physics import body_poses
from zoophyte.physics.contact.touch import LOOK, PART
from zoophyte.physics.lives.lives import lives
from zoophyte.simulation.touching import read_contacts

TOLERANCE = 1e-3
"""Part of the smallest touching shape's size that counts as touching, not overlapping."""
MAX_ROUNDS = 400
TOLD = 5
"""Pairs that a message names."""

Overlaps = list[tuple[tuple[str, str], float]]
Gaps = list[tuple[str, str]]
Poses = tuple[Floats, Floats]


def part_overlaps(block: Block, *, resolve: bool, newborn: bool) -> None:
    """Refuse a block of one creature whose shapes overlap or whose constraints are open, or move them where they belong.

    Args:
        block: of one creature.
        resolve: whether to move them.
        newborn: whether it has not lived yet; what loads have pulled apart in a life before, its next steps close.

    Raises:
        UsageError: names the pairs and their depths, or the constraints and their gaps.
    """
    assert block.contact is not None
    shapes = block.contact.meetings.shapes[0]
    allowed = TOLERANCE * min((shape.reach for shape in shapes), default=1.0)
    found, opened = deepest_overlaps(block, allowed), _opened(block, newborn)
    rounds = 0
    slop = block.fields[block.contact.head + SLOP].copy()
    block.fields[block.contact.head + SLOP] = (
        0.5 * allowed
    )  # the slop goes with the largest shape, this with the smallest
    while resolve and (found or opened) and rounds < MAX_ROUNDS:
        _run(block, PART)
        found, opened = deepest_overlaps(block, allowed), _opened(block, newborn)
        rounds += 1
    block.fields[block.contact.head + SLOP] = slop
    if opened:
        raise _refusal(block.models[0], opened, could_not=resolve)
    if found:
        how = (
            "they could not be pushed apart; move them by hand."
            if resolve
            else 'move them apart, or give World overlap="resolve" (--overlap resolve on the command line).'
        )
        name = block.models[0].name
        raise UsageError(f"{name}: shapes overlap when life begins: {told_overlaps(found)}; {how}")


def _opened(block: Block, newborn: bool) -> Gaps:
    return open_holds(block.models[0], block.state()) if newborn else []


def open_holds(model: Model, state: State, part: float = TOLERANCE) -> Gaps:
    """(constraint, how far it is open) of all connects and welds that are open, the first first.

    Args:
        model: whose constraints they are; springs hold at any length.
        state: in which.
        part: of the smaller body's radius of gyration, and of a radian, that counts as closed.
    """
    holds = [(n, held) for n, held in enumerate(model.constraints) if not isinstance(held, Attach)]
    if not holds:
        return []
    born, now = body_poses(model, State.neutral(model)), body_poses(model, state)
    found: Gaps = []
    for n, held in holds:
        first, second = model.body_index(held.body), model.body_index(held.other)
        points = held_points(model, held, born, now)
        gap = float(np.linalg.norm(points[0] - points[1]))
        if gap > part * min(_size(model, first), _size(model, second)):
            found.append((_hold_name(held, n), f"{gap:.3g} m"))
        elif held.kind == "weld":
            turn = now[0][first] @ (now[0][second] @ born[0][second].T @ born[0][first]).T
            angle = _angle(turn)
            if angle > part:
                found.append((_hold_name(held, n), f"{math.degrees(angle):.3g}°"))
    return found


def held_points(model: Model, held: Any, born: Poses, now: Poses) -> tuple[Floats, Floats]:
    """Where a constraint holds its two bodies, in the world.

    Args:
        model: whose constraint it is.
        held: the constraint.
        born: poses of all bodies in the neutral state, in which a point that is left out is found.
        now: poses of all bodies.
    """
    first, second = model.body_index(held.body), model.body_index(held.other)
    other = held.other_point
    if other is None:
        other = born[0][second].T @ (born[0][first] @ np.array(held.point) + born[1][first] - born[1][second])
    return (
        now[0][first] @ np.array(held.point) + now[1][first],
        now[0][second] @ np.asarray(other, float) + now[1][second],
    )


def refuse_open(model: Model, state: State | None) -> None:
    """Refuse a life that would begin with constraints that are open: they would snap shut in one step.

    Args:
        model: whose constraints they are.
        state: in which life begins; the neutral one if left out.  One that has lived is not asked.

    Raises:
        UsageError: names the constraints and their gaps.
    """
    if model.constraints and (state is None or not state.contact.size):
        opened = open_holds(model, State.neutral(model) if state is None else state)
        if opened:
            raise _refusal(model, opened, could_not=False)


def _refusal(model: Model, opened: Gaps, *, could_not: bool) -> UsageError:
    more = f" and {len(opened) - TOLD} more" if len(opened) > TOLD else ""
    told = "; ".join(f"{name} by {gap}" for name, gap in opened[:TOLD]) + more
    how = (
        "they could not be closed: they contradict each other, or joints do not let them."
        if could_not
        else "move the bodies together, leave other_point out to hold them as they are, or give World "
        'overlap="resolve" (--overlap resolve on the command line) to close them first.'
    )
    return UsageError(f"{model.name}: constraints are open when life begins: {told}; {how}")


def _hold_name(held: Any, number: int) -> str:
    return f"{held.kind} {held.name or f'constraints[{number}]'} between {held.body} and {held.other}"


def _size(model: Model, body: int) -> float:
    """A body's radius of gyration [m]: that of the ground is endless."""
    mass = float(model.bodies.mass[body])
    return math.sqrt(float(np.trace(model.bodies.inertia[body])) / mass) if mass > 0.0 else math.inf


def _angle(R: Floats) -> float:
    sine = 0.5 * math.hypot(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    return math.atan2(sine, 0.5 * (float(np.trace(R)) - 1.0))


def told_overlaps(found: Overlaps) -> str:
    """The deepest few in words."""
    deepest = "; ".join(f"{a} in {b}, {1e3 * depth:.3g} mm deep" for (a, b), depth in found[:TOLD])
    return deepest + (f" and {len(found) - TOLD} more" if len(found) > TOLD else "")


def deepest_overlaps(block: Block, allowed: float) -> Overlaps:
    """(names of two bodies, depth [m]) of all overlaps deeper than `allowed`, the deepest first."""
    _run(block, LOOK)
    contacts = read_contacts(block)
    names = block.models[0].body_names
    pairs = [(names[a], names[b]) for a, b in contacts.bodies]
    return deepest(pairs, contacts.gaps, allowed)


def deepest(pairs: Iterable[tuple[str, str]], gaps: Iterable[float], allowed: float) -> Overlaps:
    """Of contacts, by the names of their bodies and their gaps, each pair that is deeper than `allowed` once."""
    depths: dict[tuple[str, str], float] = {}
    for pair, gap in zip(pairs, gaps, strict=True):
        depths[pair] = max(depths.get(pair, 0.0), -float(gap))
    deep = [(pair, depth) for pair, depth in depths.items() if depth > allowed]
    return sorted(deep, key=lambda item: (-item[1], item[0]))


def _run(block: Block, mode: int) -> None:
    compiled(lives)(block.ints, block.data, block.scratch, block.terrain, block.orders, mode, block.spec)
