"""Shapes that overlap when a life begins: told with pairs and depths, or pushed apart."""

from __future__ import annotations

from collections.abc import Iterable

from zoophyte.errors import UsageError
from zoophyte.model import Block
from zoophyte.model.contact_layout import SLOP
from zoophyte.numbers.forms import compiled
from zoophyte.physics.contact.touch import LOOK, PART
from zoophyte.physics.lives.lives import lives
from zoophyte.simulation.touching import read_contacts

TOLERANCE = 1e-3
"""Part of the smallest touching shape's size that counts as touching, not overlapping."""
MAX_ROUNDS = 400
TOLD = 5
"""Pairs that a message names."""

Overlaps = list[tuple[tuple[str, str], float]]


def part_overlaps(block: Block, *, resolve: bool) -> None:
    """Refuse a block of one creature whose shapes overlap, or push them apart.

    Raises:
        UsageError: names the pairs and their depths.
    """
    assert block.contact is not None
    shapes = block.contact.meetings.shapes[0]
    allowed = TOLERANCE * min((shape.reach for shape in shapes), default=1.0)
    found = deepest_overlaps(block, allowed)
    rounds = 0
    slop = block.fields[block.contact.head + SLOP].copy()
    block.fields[block.contact.head + SLOP] = (
        0.5 * allowed
    )  # the slop goes with the largest shape, this with the smallest
    while resolve and found and rounds < MAX_ROUNDS:
        _run(block, PART)
        found = deepest_overlaps(block, allowed)
        rounds += 1
    block.fields[block.contact.head + SLOP] = slop
    if found:
        how = (
            "they could not be pushed apart; move them by hand."
            if resolve
            else 'move them apart, or give World overlap="resolve" (--overlap resolve on the command line).'
        )
        name = block.models[0].name
        raise UsageError(f"{name}: shapes overlap when life begins: {told_overlaps(found)}; {how}")


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
