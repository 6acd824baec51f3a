"""Which pens share a multiprocessor."""

from __future__ import annotations

import pytest

from zoophyte.simulation.herd.blocks import GROWTH, WARPS, block_sizes, done_after

UNLIKE = [float(bodies) for bodies in range(12, 4, -1) for _ in range(128)]
"""1 024 pens of creatures with five to twelve bodies."""
PROCESSORS = 132


def time_of(weights: list[float], sizes: list[int]) -> float:
    """When all are done."""
    return done_after([weight**GROWTH for weight in weights], sizes, PROCESSORS)


def full(weights: list[float]) -> list[int]:
    """All blocks as full as can be."""
    return [WARPS] * -(-len(weights) // WARPS)


@pytest.mark.parametrize("waiting", [True, False])
@pytest.mark.parametrize("weights", [UNLIKE, [27.0] * 1024, [3.0, 2.0], [1.0] * 5000, [0.0, 0.0], []])
def test_every_pen_has_a_place(weights: list[float], waiting: bool) -> None:
    """Law: blocks hold all pens, none is empty or too large, and it takes no longer than with full ones."""
    sizes = block_sizes(weights, PROCESSORS, waiting=waiting)
    assert sum(sizes) >= len(weights) > sum(sizes[:-1]) or not weights
    assert all(1 <= size <= WARPS for size in sizes)
    assert time_of(weights, sizes) <= time_of(weights, full(weights))
    if not waiting:
        assert len(sizes) <= max(PROCESSORS, len(full(weights)))


def test_the_largest_share_with_few() -> None:
    """Law: unlike creatures are done at about the same time. Oracle: the bound that no division of the work can beat."""
    sizes = block_sizes(UNLIKE, PROCESSORS)
    assert sizes == sorted(sizes) and sizes[0] < WARPS == sizes[-1]
    times = [weight**GROWTH for weight in UNLIKE[::WARPS]]
    assert time_of(UNLIKE, sizes) < 0.92 * max(times)
    assert time_of(UNLIKE, sizes) > sum(times) / PROCESSORS


def test_alike_creatures_fill_blocks_and_few_have_one_each() -> None:
    """Law: where all multiprocessors are needed once, blocks are full; where they are not, nobody shares one."""
    assert block_sizes([27.0] * 1024, PROCESSORS) == [WARPS] * 128
    assert block_sizes([27.0] * 64, PROCESSORS) == [1] * 64
