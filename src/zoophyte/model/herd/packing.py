"""Who can share a block: common sequences of links and shapes, and the order in which creatures are taken.

Lanes share the kind of every link, so creatures with unlike bodies share a *common supersequence* of kinds: each finds its
own links in it, in its own order, and leaves the others empty.  Since the order is kept, every sum over links, dofs, shapes
or contacts is made in the order in which the creature alone makes it, and empty links add nothing: bits stay the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model.layout import HINGE, SLIDE
from zoophyte.model.meetings import HOLD_KINDS, Pair, allowed_pairs, has_crowd
from zoophyte.model.model import Model

if TYPE_CHECKING:
    from zoophyte.model.herd.plans import LifePlan

Item = TypeVar("Item", bound=Hashable)
LinkToken = tuple[int, bool]
"""Kind of a link, and whether it has a limit, dry friction or a weak servo: such a row is solved for the whole block."""


@dataclass(frozen=True)
class Body:
    """What a model needs of a block.

    Args:
        links: token of every link but the ground.
        parents: of these, 0 for the ground.
        shapes: kind and link of every touching shape.
        corners: of every shape that is a polyhedron, else 0.
        pairs: of shapes that may touch.
        holds: kinds of the constraints.
        hold_links: the two links of each.
        driven: whether any coordinate is driven.
        bounces: whether any surface is springy; likewise the next.
        turns: resists rolling or spinning.
        grains: has a grain.
        sticks: pulls.
    """

    links: tuple[LinkToken, ...]
    parents: tuple[int, ...]
    shapes: tuple[tuple[int, int], ...]
    corners: tuple[int, ...]
    pairs: tuple[Pair, ...]
    holds: tuple[int, ...]
    hold_links: tuple[Pair, ...]
    driven: bool
    bounces: bool
    turns: bool
    grains: bool
    sticks: bool

    @classmethod
    def of(cls, model: Model) -> Body:
        """Read off a model.

        Raises:
            UsageError: when more of its shapes may meet than a herd can hold, or shapes that cannot touch each other.
        """
        d, shapes = model.dofs, model.touching
        held = (d.hard_limit | (d.friction > 0.0) | np.isfinite(d.servo_max_force)) & ~d.driven
        axes = set(d.link[held].tolist())
        kinds, parents = model.links.kind.tolist()[1:], model.links.parent.tolist()[1:]
        surfaces = shapes.surfaces
        own = [pair.restitution or 0.0 for pair in model.pairs]
        name = model.body_index
        link = model.bodies.link
        # With more than one tree, or scenery, shapes may meet though no tree meets itself.
        meets = model.self_contact or parents.count(0) > 1 or 0 in shapes.links
        if meets and has_crowd(model):
            raise UsageError(
                f"{model.name} has so many shapes that may meet that a herd cannot hold it; switch self_contact off, part "
                "shapes by group and mask, or let it live in a World."
            )
        return cls(
            links=tuple(
                [(kind, i in axes and kind in (HINGE, SLIDE)) for i, kind in enumerate(kinds, start=1)]
            ),
            parents=tuple(parents),
            shapes=tuple(zip(shapes.kinds, shapes.links, strict=True)),
            corners=tuple(map(len, shapes.corners)),
            pairs=tuple(allowed_pairs(model)) if meets else (),
            holds=tuple(HOLD_KINDS[held.kind] for held in model.constraints),
            hold_links=tuple(
                (int(link[name(held.body)]), int(link[name(held.other)])) for held in model.constraints
            ),
            driven=bool(d.driven.any()),
            bounces=any(s.restitution > 0.0 for s in surfaces) or any(e > 0.0 for e in own),
            turns=any(s.rolling > 0.0 or s.torsion > 0.0 for s in surfaces),
            grains=any(s.friction_across is not None for s in surfaces),
            sticks=any(s.adhesion > 0.0 for s in surfaces),
        )

    @property
    def topology(self) -> Hashable:
        """Equal for creatures that share registers: the same links, parents, shapes and pairs."""
        return (self.links, self.parents, self.shapes, self.corners, self.pairs, self.holds, self.hold_links)

    @property
    def order(self) -> tuple[int, Hashable, Hashable]:
        """Creatures next to each other in this order need little padding."""
        return (len(self.links), self.links, self.shape_kinds)

    @cached_property
    def shape_kinds(self) -> tuple[int, ...]:
        """Kind of every touching shape."""
        return tuple([kind for kind, _ in self.shapes])


def places_in(sequence: Sequence[Item], part: Sequence[Item]) -> list[int] | None:
    """Where the items of `part` lie in `sequence`, in order, each as early as it can; None if they do not fit."""
    places: list[int] = []
    start = 0
    for item in part:
        while start < len(sequence) and sequence[start] != item:
            start += 1
        if start == len(sequence):
            return None
        places.append(start)
        start += 1
    return places


def common_supersequence(a: Sequence[Item], b: Sequence[Item]) -> list[Item]:
    """A shortest sequence that holds both, in their order."""
    rows, columns = len(a), len(b)
    length = [[0] * (columns + 1) for _ in range(rows + 1)]  # of the longest common part of a[i:] and b[j:]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            length[i][j] = (
                length[i + 1][j + 1] + 1 if a[i] == b[j] else max(length[i + 1][j], length[i][j + 1])
            )
    merged: list[Item] = []
    i = j = 0
    while i < rows and j < columns:
        if a[i] == b[j]:
            merged.append(a[i])
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            merged.append(a[i])
            i += 1
        else:
            merged.append(b[j])
            j += 1
    return [*merged, *a[i:], *b[j:]]


def sequence_for(parts: Sequence[Sequence[Item]]) -> list[Item]:
    """A short sequence that holds all parts: the longest first, what does not fit merged in."""
    whole: list[Item] = []
    for part in sorted(parts, key=len, reverse=True):
        if places_in(whole, part) is None:
            whole = common_supersequence(whole, part)
    return whole


@dataclass(frozen=True)
class Creature:
    """One life to be lived: what it is, and what its controller is.

    Args:
        model: its body.
        body: what that needs.
        plan: of its controller.
    """

    model: Model
    body: Body
    plan: LifePlan
