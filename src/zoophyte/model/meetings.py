"""Who can touch whom: pairs of shapes that are worth a test, and constraints, over the lanes of a block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model import contact_layout as at
from zoophyte.model.model import Ints, Model
from zoophyte.model.shapes import TouchingShape

BROAD_PAIRS = 400
"""Above this many pairs one world sorts its shapes in space at every step instead of testing all of them."""
HOLD_KINDS = {"connect": at.CONNECT_HOLD, "weld": at.WELD_HOLD, "attach": at.ATTACH_HOLD}
PAIR_SHAPES = (
    (at.BALL_SHAPE, at.BALL_SHAPE),
    (at.BALL_SHAPE, at.ROUND_SHAPE),
    (at.BALL_SHAPE, at.BOX_SHAPE),
    (at.ROUND_SHAPE, at.ROUND_SHAPE),
    (at.ROUND_SHAPE, at.BOX_SHAPE),
    (at.BOX_SHAPE, at.BOX_SHAPE),
)
"""Kinds of shapes that can touch each other; `zoophyte.physics.contact.detect.pairs` finds the points of each."""
NOBODY = -(10**9)
LISTED_AT_ONCE = 2**20
"""Pairs that are looked at in one go."""

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
        filters: who a shape is, for the broad phase; else none.
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

    @cached_property
    def _owners(self) -> Ints:
        return np.array([shape.body for shape in self.shapes[0]], np.int64)

    def bodies_of(self, keys: Any) -> Ints:
        """The two bodies of contacts in the first lane, by their keys, shape (contacts, 2); the second may be the ground."""
        owners, keys = self._owners, np.asarray(keys, np.int64)
        beyond, found = keys - len(owners) * at.KEYS_PER_SHAPE, np.zeros((len(keys), 2), np.int64)
        alone = beyond < 0
        found[alone, 0] = owners[keys[alone] // at.KEYS_PER_SHAPE]
        if not alone.all():
            pair = beyond[~alone] // at.KEYS_PER_PAIR
            shapes = np.stack(divmod(pair, len(owners)), axis=1) if self.broad else np.array(self.pairs)[pair]
            found[~alone] = owners[shapes]
        return found

    @cached_property
    def _known(self) -> dict[float, Pair]:
        return {}

    def by_key(self, keys: Sequence[float]) -> dict[float, Pair]:
        """The same by key, of these contacts and of all that were asked for before."""
        known = self._known
        if not all(key in known for key in keys):
            known |= {key: (a, b) for key, (a, b) in zip(keys, self.bodies_of(keys).tolist(), strict=True)}
        return known

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
        if broad := len(models) == 1 and has_crowd(first):
            refuse_untouchable(first)
            pairs, parted = _named_pairs(first, _filters(first))
            allowed = [frozenset(pairs) - parted]
        else:
            known: dict[int, frozenset[Pair]] = {}
            for model in models:
                if id(model) not in known:
                    known[id(model)] = frozenset(allowed_pairs(model))
            allowed = [known[id(model)] for model in models]
            pairs = tuple(sorted(frozenset().union(*known.values())))
        return cls(
            shapes=tuple(model.shapes for model in models), pairs=pairs, allowed=tuple(allowed),
            overrides=tuple(pair_overrides(model) for model in models),
            ground_overrides=tuple(ground_overrides(model) for model in models),
            hold_kinds=tuple(HOLD_KINDS[kind] for kind in holds),
            hold_links=tuple(tuple(_hold_links(model)) for model in models),
            filters=tuple(zip(*_filters(first).tolist(), strict=True)) if broad else (), broad=broad,
        )  # fmt: skip


def _filters(model: Model) -> Ints:
    """Who a shape is, one row for each thing that is asked, one column for each shape.

    What moves as one with its body: its link; scenery, which does not move, is told apart by body, below zero.  The same of
    what that hangs on.  The first link of its tree.  Whether trees meet themselves.  Groups.  Mask.
    """
    shapes, links = model.touching, model.links
    root = [0] * len(links.parent)
    for n, parent in enumerate(links.parent.tolist()):
        root[n] = root[parent] if parent else n
    parts = np.where(model.bodies.link > 0, model.bodies.link, -np.arange(model.body_count))
    body, link, number = (
        np.array(column, np.int64) for column in (shapes.bodies, shapes.links, shapes.surface)
    )
    # The joint of the body whose joint made the link leads to the parent, past the middle of a universal joint.
    carrier = np.where(link > 0, model.bodies.parent[links.body[link]], 0)
    above = np.where(carrier > 0, parts[carrier], NOBODY)
    group, mask = (np.array([getattr(s, of) for s in shapes.surfaces], np.int64) for of in ("group", "mask"))
    itself = np.full(len(body), model.self_contact, np.int64)
    return np.stack([parts[body], above, np.array(root)[link], itself, group[number], mask[number]])


def filters_meet(a: Any, b: Any) -> Any:
    """Whether two shapes may touch at all, by what `_filters` says of them; or arrays of shapes."""
    near = (a[0] == b[0]) | (a[0] == b[1]) | (b[0] == a[1]) | ((a[0] < 0) & (b[0] < 0))
    own = (a[2] == b[2]) & (a[2] != 0) & (a[3] * b[3] == 0)
    return ((near | own) == 0) & ((a[4] & b[5]) != 0) & ((b[4] & a[5]) != 0)


def _partners(model: Model, filters: Ints, *, touching: bool) -> Ints:
    """How many other shapes each shape may meet, or of these only those that it cannot touch; no pairs are listed.

    Shapes of the same groups, mask and kind meet alike, but for those of their own tree (or link, where trees meet
    themselves), and those of the bodies that they hang on or carry.

    Args:
        model: whose shapes.
        filters: of them.
        touching: whether those count that it can touch, too.
    """
    part, above, root, itself = filters[:4]
    kinds = np.array(model.touching.kinds, np.int64)
    rows, alike = np.unique(np.stack([*filters[4:], kinds]), axis=1, return_inverse=True)
    meet = ((rows[0] & rows[1, :, None]) != 0) & ((rows[0, :, None] & rows[1]) != 0)
    if not touching:
        meet &= ~_touch_table()[rows[2], rows[2, :, None]]
    alike, still = alike.ravel(), part < 0
    parts, first, where = np.unique(part, return_index=True, return_inverse=True)
    met = np.zeros((len(parts), len(meet)))  # of each part so many shapes by those that are alike
    np.add.at(met, (where, alike), 1.0)
    met = met @ meet
    block = np.where(still, 0, np.where(itself > 0, part, root))
    blocks, of_shape = np.unique(block, return_inverse=True)
    own, near = np.zeros((len(blocks), len(meet))), np.zeros_like(met)
    np.add.at(own, of_shape[first], met)
    carrier = above[first]
    place = np.minimum(np.searchsorted(parts, carrier), max(len(parts) - 1, 0))
    child = np.flatnonzero((parts[place] == carrier) & ((itself[first] > 0) | (carrier < 0)))
    near[child] = met[place[child]]
    np.add.at(near, place[child], met[child])
    found = met.sum(axis=0)[alike] - own[of_shape, alike] - near[where, alike]
    counts: Ints = found.astype(np.int64)
    return counts


def _touch_table() -> Any:
    """For two kinds of shapes whether they can touch each other."""
    table = np.zeros((len(at.POINT_COUNT),) * 2, bool)
    first, second = np.transpose(PAIR_SHAPES)
    table[first, second] = table[second, first] = True
    return table


def has_crowd(model: Model) -> bool:
    """Whether so many shapes may meet that a world looks for near ones at every step."""
    filters = _filters(model)
    moving = int((filters[0] > 0).sum())
    if moving * (filters.shape[1] - 1) // 2 <= BROAD_PAIRS:
        return False
    return int(_partners(model, filters, touching=True).sum()) // 2 > BROAD_PAIRS


def allowed_pairs(model: Model) -> list[Pair]:
    """Pairs of shapes of a model that may touch, in ascending order.

    Raises:
        UsageError: when shapes may meet that cannot touch each other.
    """
    refuse_untouchable(model)
    filters = _filters(model)
    social = np.flatnonzero(_partners(model, filters, touching=True)) if filters.size else filters[0]
    own, count = filters[:, social], max(len(social), 1)
    _, parted = _named_pairs(model, filters)
    found: list[Pair] = []
    step = max(1, LISTED_AT_ONCE // count)
    for start in range(0, len(social), step):
        rows = slice(start, start + step)
        i, j = np.nonzero(filters_meet(own[:, rows, None], own[:, None, start:]))
        later = j > i
        found += zip(social[i[later] + start].tolist(), social[j[later] + start].tolist(), strict=True)
    return [pair for pair in found if pair not in parted] if parted else found


def refuse_untouchable(model: Model) -> None:
    """Refuse shapes that may meet but cannot touch each other.

    Raises:
        UsageError: names them, and says what to do.
    """
    shapes, table = model.touching, _touch_table()
    kinds = np.array(sorted(set(shapes.kinds)), np.int64)
    if table[kinds[:, None], kinds].all():
        return
    filters = _filters(model)
    strangers = _partners(model, filters, touching=False)
    for pair in _named_pairs(model, filters)[1]:
        strangers[list(pair)] -= not table[shapes.kinds[pair[0]], shapes.kinds[pair[1]]]
    if strangers.any():
        choice = np.where(strangers > 0, table.sum(axis=1)[list(shapes.kinds)], len(table))
        names = sorted({shapes.names[n] for n in np.flatnonzero(choice == choice.min())})
        raise UsageError(
            f"{model.name}: {', '.join(names[:3])}{', …' * (len(names) > 3)} may meet other shapes, but only spheres, "
            "capsules, tapered capsules and boxes can touch each other; cylinders, frusta, ellipsoids and polyhedra only "
            "the ground. Use one of the former, or put one inside the shape to touch for it, and say contact: false on the "
            "shape; for bodies read from MJCF and URDF, proxies=True (--proxies) does that. Or part those that meet, by "
            "group and mask, or by a pair with contact: false."
        )


def _named_pairs(model: Model, filters: Ints) -> tuple[tuple[Pair, ...], frozenset[Pair]]:
    """Pairs of shapes of the pairs of bodies that a description names, in ascending order; and those that it parts."""
    named = {
        (i, j): pair.contact
        for pair, i, j in _shapes_of_pairs(model)
        if filters_meet(filters[:, i], filters[:, j])
    }
    return tuple(sorted(named)), frozenset(pair for pair, meets in named.items() if not meets)


def _shapes_of_pairs(model: Model) -> Iterator[tuple[Any, int, int]]:
    """Pairs of bodies that a description names, each with two shapes of theirs, the lower number first, in all ways."""
    places: dict[str, list[int]] = {}
    for n, body in enumerate(model.touching.bodies if model.pairs else ()):
        places.setdefault(model.body_names[body], []).append(n)
    for pair in model.pairs:
        for i, j in product(*(places.get(name, ()) for name in pair.bodies)):
            yield pair, min(i, j), max(i, j)


def pair_overrides(model: Model) -> dict[Pair, Any]:
    """Friction and restitution of pairs of shapes that have their own."""
    return {
        (i, j): (pair.friction, pair.restitution)
        for pair, i, j in _shapes_of_pairs(model)
        if pair.contact and (pair.friction is not None or pair.restitution is not None)
    }


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
