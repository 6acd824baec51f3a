"""Who can touch whom: pairs of shapes that are worth a test, and constraints, over the lanes of a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from zoophyte.errors import UsageError
from zoophyte.model import contact_layout as at
from zoophyte.model.model import Model
from zoophyte.model.shapes import TouchingShape

BROAD_PAIRS = 400
"""Above this many pairs one world sorts its shapes in space at every step instead of testing all of them."""
HOLD_KINDS = {"connect": at.CONNECT_HOLD, "weld": at.WELD_HOLD, "attach": at.ATTACH_HOLD}
PAIR_SHAPES = (at.BALL_SHAPE, at.ROUND_SHAPE, at.BOX_SHAPE)
"""Shapes that can meet each other."""
NOBODY = -(10**9)

Pair = tuple[int, int]


@dataclass(frozen=True)
class Meetings:
    """Shapes, pairs and constraints of a block.

    Args:
        shapes: of each lane, the same kinds in the same order.
        pairs: shapes that may touch in at least one lane, in ascending order; where `broad`, only those that the description
            names, to part them or to give them friction and restitution of their own.
        allowed: in each lane those of `pairs` that it has.
        overrides: in each lane friction and restitution of pairs that have their own.
        ground_overrides: in each lane for bodies: friction, restitution, whether they meet the ground.
        hold_kinds: of the constraints.
        hold_links: in each lane the two links of each constraint.
        filters: who a shape is, for the broad phase.
        broad: whether near pairs are looked for at every step.
    """

    shapes: tuple[tuple[TouchingShape, ...], ...]
    pairs: tuple[Pair, ...]
    allowed: tuple[frozenset[Pair], ...]
    overrides: tuple[dict[Pair, Any], ...]
    ground_overrides: tuple[dict[int, Any], ...]
    hold_kinds: tuple[int, ...]
    hold_links: tuple[tuple[Pair, ...], ...]
    filters: tuple[tuple[int, ...], ...]
    broad: bool

    @property
    def hold_count(self) -> int:
        """Number of constraints."""
        return len(self.hold_kinds)

    @classmethod
    def of(cls, models: Sequence[Model]) -> Meetings:
        """What the models of a block have in common.

        Raises:
            UsageError: when their shapes or constraints do not fit into one block.
        """
        first = models[0]
        kinds = first.touching.kinds
        holds = [held.kind for held in first.constraints]
        for lane, model in enumerate(models):
            if model.touching.kinds != kinds or [held.kind for held in model.constraints] != holds:
                raise UsageError(
                    f"lane {lane} ({model.name}) has other touching shapes or constraints than lane 0 ({first.name}); "
                    "creatures in one block must have the same kinds in the same order."
                )
        filters = tuple(_filters(first))
        broad = False
        if len(models) == 1:
            moving = sum(1 for f in filters if f[0] > 0)
            many = moving * (len(filters) - 1) // 2 > BROAD_PAIRS and _count(filters) > BROAD_PAIRS
            broad = many
        if broad:
            _refuse_in_crowd(first, filters)
            pairs, parted = _named_pairs(first, filters)
            allowed = [frozenset(pairs) - parted]
        else:
            known: dict[int, frozenset[Pair]] = {}
            allowed = []
            for model in models:
                if id(model) not in known:
                    known[id(model)] = frozenset(allowed_pairs(model))
                allowed.append(known[id(model)])
            pairs = tuple(sorted(frozenset().union(*allowed)))
        return cls(
            shapes=tuple(model.shapes for model in models), pairs=pairs, allowed=tuple(allowed),
            overrides=tuple(pair_overrides(model) for model in models),
            ground_overrides=tuple(ground_overrides(model) for model in models),
            hold_kinds=tuple(HOLD_KINDS[kind] for kind in holds),
            hold_links=tuple(tuple(_hold_links(model)) for model in models), filters=filters, broad=broad,
        )  # fmt: skip


def _filters(model: Model) -> list[tuple[int, ...]]:
    shapes, owner, meets_itself = model.touching, model.links.body.tolist(), int(model.self_contact)
    root = [0] * len(owner)
    for link, parent in enumerate(model.links.parent.tolist()):
        root[link] = root[parent] if parent else link
    # What moves as one with a body: its link; scenery, which does not move, is told apart by body, below zero.
    parts = [link or -body for body, link in enumerate(model.bodies.link.tolist())]
    parents = model.bodies.parent.tolist()
    rows: list[tuple[int, ...]] = []
    for body, link, number in zip(shapes.bodies, shapes.links, shapes.surface, strict=True):
        # The joint of the body whose joint made the link leads to the parent, past the middle of a universal joint.
        parent = parents[owner[link]] if link else 0
        above, surface = parts[parent] if parent else NOBODY, shapes.surfaces[number]
        rows.append((parts[body], above, root[link], meets_itself, surface.group, surface.mask))
    return rows


def filters_meet(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether two shapes may touch at all, by what `_filters` says of them."""
    if a[0] == b[0] or a[0] == b[1] or b[0] == a[1] or (a[0] < 0 and b[0] < 0):
        return False
    if a[2] == b[2] and a[2] and not (a[3] and b[3]):
        return False
    return bool(a[4] & b[5]) and bool(b[4] & a[5])


def _count(filters: Sequence[Sequence[int]]) -> int:
    """How many pairs may touch, counted until there are many."""
    count = 0
    for j, b in enumerate(filters):
        for a in filters[:j]:
            count += filters_meet(a, b)
        if count > BROAD_PAIRS:
            break
    return count


def allowed_pairs(model: Model) -> list[Pair]:
    """Pairs of shapes of a model that may touch.

    Raises:
        UsageError: when shapes may meet that cannot touch each other.
    """
    filters, shapes = _filters(model), model.touching
    parted = {frozenset(pair.bodies) for pair in model.pairs if not pair.contact}
    names = [model.body_names[body] for body in shapes.bodies]
    kinds = shapes.kinds
    found, unknown = [], set()
    for j, b in enumerate(filters):
        for i, a in enumerate(filters[:j]):
            if not filters_meet(a, b):
                continue
            if parted and frozenset((names[i], names[j])) in parted:
                continue
            if kinds[i] in PAIR_SHAPES and kinds[j] in PAIR_SHAPES:
                found.append((i, j))
            else:
                unknown.add(min(shapes.names[n] for n in (i, j) if kinds[n] not in PAIR_SHAPES))
    _refuse(model, unknown)
    return found


def _refuse(model: Model, unknown: set[str]) -> None:
    if unknown:
        raise UsageError(
            f"{model.name}: {', '.join(sorted(unknown)[:3])} may meet other shapes, but only spheres, capsules, tapered "
            "capsules and boxes can touch each other; cylinders, frusta, ellipsoids and polyhedra only the ground. Use "
            "another shape, or part them by group and mask, a pair with contact: false, or contact: false on the shape; "
            "in bodies read from MJCF and URDF, proxies=True (--proxies) lets a capsule or box meet the others instead."
        )


def _named_pairs(model: Model, filters: Sequence[Sequence[int]]) -> tuple[tuple[Pair, ...], frozenset[Pair]]:
    """Pairs of shapes of the pairs of bodies that a description names, in ascending order; and those that it parts."""
    places: dict[str, list[int]] = {}
    for n, body in enumerate(model.touching.bodies):
        places.setdefault(model.body_names[body], []).append(n)
    named: dict[Pair, bool] = {}
    for pair in model.pairs:
        first, second = (places.get(name, []) for name in pair.bodies)
        for i in first:
            for j in second:
                if filters_meet(filters[i], filters[j]):
                    named[min(i, j), max(i, j)] = pair.contact
    return tuple(sorted(named)), frozenset(pair for pair, meets in named.items() if not meets)


def _refuse_in_crowd(model: Model, filters: Sequence[Sequence[int]]) -> None:
    """As `allowed_pairs` does, for scenes whose pairs are not listed."""
    odd = [n for n, kind in enumerate(model.touching.kinds) if kind not in PAIR_SHAPES]
    if not odd:
        return
    _, parted = _named_pairs(model, filters)
    meeting = {
        n for n in odd for m, other in enumerate(filters)
        if filters_meet(filters[n], other) and (min(n, m), max(n, m)) not in parted
    }  # fmt: skip
    _refuse(model, {model.touching.names[n] for n in meeting})


def pair_overrides(model: Model) -> dict[Pair, Any]:
    """Friction and restitution of pairs of shapes that have their own."""
    own = {
        frozenset(pair.bodies): (pair.friction, pair.restitution)
        for pair in model.pairs
        if pair.contact and (pair.friction is not None or pair.restitution is not None)
    }
    if not own:
        return {}
    names = [model.body_names[body] for body in model.touching.bodies]
    found = {}
    for j, second in enumerate(names):
        for i, first in enumerate(names[:j]):
            if (values := own.get(frozenset((first, second)))) is not None:
                found[i, j] = values
    return found


def ground_overrides(model: Model) -> dict[int, Any]:
    """For bodies that touch the ground differently: friction, restitution, and whether they touch it at all."""
    found = {}
    for pair in model.pairs:
        if "ground" in pair.bodies:
            body = pair.bodies[0] if pair.bodies[1] == "ground" else pair.bodies[1]
            found[model.body_index(body)] = (pair.friction, pair.restitution, pair.contact)
    return found


def _hold_links(model: Model) -> list[Pair]:
    link = model.bodies.link
    return [
        (int(link[model.body_index(held.body)]), int(link[model.body_index(held.other)]))
        for held in model.constraints
    ]
