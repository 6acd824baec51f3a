"""Short soaks by the same code as the long ones of the catalogue, and proofs that the watch sees what it looks for."""

from __future__ import annotations

import numpy as np
import pytest

from zoophyte.model import State
from zoophyte.model import layout as at
from zoophyte.model.contact_layout import SLOP_PART
from zoophyte.validation.catalogue import Measurement
from zoophyte.validation.checks.contact_rest import creature_rows, pile_rows
from zoophyte.validation.soak import (
    CREATURE_DT,
    Pile,
    creature_block,
    soak_creatures,
    soak_pile,
)
from zoophyte.validation.watching import Watched

STEPS = 4000


def failed(rows: list[Measurement]) -> list[str]:
    return [
        f"{row.what}: {row.measured} is not {row.expected} ± {row.tolerance}"
        for row in rows
        if not row.passed
    ]


def test_random_creatures_hold_what_the_long_soak_asks() -> None:
    """Law: contact takes energy, limits hold, nothing sinks. Oracle and tolerances: LAW-soak-creatures.

    One block, of one topology: worlds of unlike bodies side by side are a kernel that nothing else here needs.
    """
    assert failed(list(creature_rows(soak_creatures(2 * STEPS, blocks=1)))) == []


@pytest.mark.parametrize("sleep", [False, True])
def test_a_stirred_pile_holds_what_the_long_soak_asks(sleep: bool) -> None:
    """Law: contact takes energy, nothing sinks or passes another. Oracle and tolerances: LAW-soak-pile."""
    assert failed(list(pile_rows(soak_pile(2 * 2500, count=30, sleep=sleep), ""))) == []


BLOW = (
    [-0.687363, 0.690801, 0.163276, 0.15384, -3.046684, 0.654089, 0.08257, -0.916856, -0.631269, 0.498943],
    [-0.181852, 0.173425, 2.1608, -0.308974, 0.464493, -0.069974, 0.0, -4.713272, -0.908356],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.585003, -0.844898, -0.088489],
)
"""Coordinates, velocities and orders of a creature of the soak, just before a blow."""


def test_a_blow_elsewhere_does_not_push_a_limb_into_the_ground() -> None:
    """Law: nothing sinks, also what moves along the ground, 2.1 mm above it, when a limit and another limb turn it down.

    Oracle: poses.  Tolerance: the slop, which is never corrected.  Where points counted that could get deeper than the whole
    margin, were they turned, this one was left out and got 2.0 mm deep.
    """
    model = creature_block(7, 0)[3]
    watched, (q, v, orders) = Watched([model], CREATURE_DT), (np.array(x) for x in BLOW)
    watched.block.set_state(0, State.neutral(model).at(q=q, v=v))
    watched.advance(1, orders[None, :, None])
    watched.sums()
    assert watched.clearances().min() > -SLOP_PART * max(shape.reach for shape in model.shapes if shape.link)


@pytest.fixture
def watched() -> Watched:
    """Eight creatures that have come down."""
    found = Watched(creature_block(0, 0), CREATURE_DT)
    found.advance(600)
    found.look("at rest")
    return found


def test_the_watch_sees_depth(watched: Watched) -> None:
    before = watched.account.depth
    watched.block.fields[watched.block.layout.q_offsets[6], 3] -= 0.05
    watched.look("pushed down")
    assert before < 1e-3
    assert watched.account.depth > 0.03


def test_the_watch_sees_energy(watched: Watched) -> None:
    watched.look("still at rest")
    before = watched.account.gain
    watched.block.fields[np.array(watched.block.layout.dof_offsets[5]) + at.VELOCITY, 2] += 1.0
    watched.look("pushed up")
    assert before < 1.0 < watched.account.gain
    assert "creature 0.2" in watched.account.worst


def test_the_watch_sees_what_is_not_finite(watched: Watched) -> None:
    assert watched.is_sound("before")
    watched.block.fields[watched.block.layout.q_offsets[4], 1] = np.nan
    assert not watched.is_sound("after")
    assert "creature 0.1, after: not finite" in watched.account.faults


def test_the_watch_sees_overrun_limits_and_pops(watched: Watched) -> None:
    watched.look("before", calm=True)
    before = watched.account.beyond
    upper = watched.models[4].dofs.upper[6]
    watched.block.fields[watched.block.layout.q_offsets[7], 4] = upper + 0.5
    watched.look("after", calm=True)
    assert before < 1e-3
    assert max(watched.account.beyond, watched.account.pop) > 0.05


def test_the_watch_sees_bodies_in_one_another_and_in_walls() -> None:
    heap = Pile(20, sleep=False)
    heap.look("before")
    assert heap.account.overlap < 1e-3
    places = np.array(heap.block.layout.q_offsets).reshape(-1, 7)[:, 4:]
    heap.block.fields[places[1]] = heap.block.fields[places[0]] + 0.01
    heap.block.fields[places[5, 0]] = 0.6
    heap.look("after")
    assert heap.account.overlap > 0.02
    assert heap.account.depth > 0.05
