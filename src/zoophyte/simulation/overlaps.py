"""Shapes that overlap when a life begins: told with pairs and depths, or pushed apart."""

from __future__ import annotations

from zoophyte.errors import UsageError
from zoophyte.model import Block
from zoophyte.model.contact_layout import SLOP
from zoophyte.numbers.forms import compiled
from zoophyte.physics.contact.touch import LOOK, NO_ORDERS, PART, touching_life
from zoophyte.simulation.touching import read_contacts

TOLERANCE = 1e-3
"""Part of the smallest touching shape's size that counts as touching, not overlapping."""
MAX_ROUNDS = 400


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
        told = "; ".join(f"{a} in {b}, {1e3 * depth:.3g} mm deep" for (a, b), depth in found[:5])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        how = (
            "they could not be pushed apart; move them by hand."
            if resolve
            else 'move them apart, or give World overlap="resolve" (--overlap resolve on the command line).'
        )
        raise UsageError(f"{block.models[0].name}: shapes overlap when life begins: {told}{more}; {how}")


def deepest_overlaps(block: Block, allowed: float) -> list[tuple[tuple[str, str], float]]:
    """(names of two bodies, depth [m]) of all overlaps deeper than `allowed`, the deepest first."""
    _run(block, LOOK)
    contacts = read_contacts(block)
    names = block.models[0].body_names
    depths: dict[tuple[str, str], float] = {}
    for (a, b), gap in zip(contacts.bodies, contacts.gaps, strict=True):
        pair = (names[a], names[b])
        depths[pair] = max(depths.get(pair, 0.0), -float(gap))
    deep = [(pair, depth) for pair, depth in depths.items() if depth > allowed]
    return sorted(deep, key=lambda item: (-item[1], item[0]))


def _run(block: Block, mode: int) -> None:
    compiled(touching_life)(block.ints, block.data, block.scratch, block.terrain, NO_ORDERS, mode, block.spec)
