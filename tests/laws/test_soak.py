"""Short soaks by the same code as the long ones of the catalogue, and proofs that the watch sees what it looks for."""

from __future__ import annotations

import numpy as np
import pytest

from zoophyte.model import layout as at
from zoophyte.validation.catalogue import Measurement
from zoophyte.validation.checks.contact_rest import creature_rows, pile_rows
from zoophyte.validation.soak import CREATURE_DT, Pile, creature_blocks, soak_creatures, soak_pile
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


@pytest.fixture
def watched() -> Watched:
    """Eight creatures that have come down."""
    found = Watched(creature_blocks(1, 0)[0], CREATURE_DT)
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
