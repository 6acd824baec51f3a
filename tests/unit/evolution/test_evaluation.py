"""Chunks: from genomes to scores, each on its own."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from farms import QUICK, Deadly, Rower, order_of, rowers
from zoophyte.errors import UsageError
from zoophyte.evolution.evaluation import Order, evaluate, evaluate_timed
from zoophyte.evolution.evaluation.chunks import _needs_final
from zoophyte.evolution.protocols import Grown, Score, Trial
from zoophyte.evolution.tasks import HitBall, Move, Walk
from zoophyte.evolution.wire import pack
from zoophyte.simulation import World
from zoophyte.simulation.herd import Life
from zoophyte.zoo.standing import standing

COUNT = 19


@pytest.fixture(scope="module")
def scores() -> list[Score]:
    """Of all rowers in one chunk on one thread."""
    return evaluate(order_of(rowers(COUNT)))


@pytest.mark.parametrize("size", [1, 2, 5, 8, 18])
def test_scores_have_the_same_bits_in_any_chunk(scores: list[Score], size: int) -> None:
    """Claim: scores do not depend on chunking. Oracle: one chunk of all. Tolerance: none."""
    order = order_of(rowers(COUNT))
    assert [score for part in order.split(size) for score in evaluate(part)] == scores


def test_scores_have_the_same_bits_in_any_order_and_on_any_threads(scores: list[Score]) -> None:
    """Claim: neither neighbours nor threads matter. Oracle: the chunk in its first order. Tolerance: none."""
    places = np.random.default_rng(5).permutation(COUNT)
    genomes = rowers(COUNT)
    mixed = order_of([genomes[n] for n in places], workers=3)
    assert evaluate(mixed) == [scores[n] for n in places]


def test_a_score_is_that_of_a_world(scores: list[Score]) -> None:
    """Claim: walk is the displacement of the trunk. Oracle: the same life in a World, frame by frame. Tolerance: none."""
    grown, task = rowers(COUNT)[4].develop(), Walk(**QUICK)
    world = World(
        standing(grown.description),
        controller=grown.controller,
        dt=task.dt,
        sweeps=task.sweeps,
        sleep=False,
        slots=128,
    )
    life = world.simulate(task.seconds)
    q = life.q
    start = round(task.settle / task.dt)
    way = q[-1, 4:6] - q[start, 4:6]
    assert scores[4].fitness == float(np.sqrt(way[0] * way[0] + way[1] * way[1]))
    assert scores[4].fitness > 0.0


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("undeveloped", "ZeroDivisionError: no such body"),
        ("misshapen", "size"),
        ("misled", "third"),
        ("raise", "RuntimeError: what a task may raise"),
        ("nan", "fitness is nan"),
    ],
)
def test_one_that_fails_harms_no_other(scores: list[Score], deed: str, reason: str) -> None:
    """Claim: faults stay with their creature. Oracle: the others' scores without it. Tolerance: none."""
    found = evaluate(order_of(rowers(COUNT, n3=deed), Deadly()))
    assert (found[3].status, found[3].fitness) == ("failed", -1.0)
    assert reason in found[3].reason
    assert [s for n, s in enumerate(found) if n != 3] == [s for n, s in enumerate(scores) if n != 3]


def test_damaged_genomes_fail_alone(scores: list[Score]) -> None:
    order = order_of(rowers(3))
    damaged = order.genomes[1][:-1] + bytes([order.genomes[1][-1] ^ 1])
    found = evaluate(replace(order, genomes=(order.genomes[0], damaged, order.genomes[2])))
    assert found[1].status == "failed" and "checksum" in found[1].reason
    assert [found[0], found[2]] == [scores[0], scores[2]]


def test_time_is_told_for_each() -> None:
    assert all(seconds > 0.0 for _, seconds in evaluate_timed(order_of(rowers(2))))


def test_chances_are_those_of_the_generation() -> None:
    """Claim: noise is the same for all creatures of a generation, and another in the next one.

    Oracle: equal genomes. Tolerance: none.
    """
    order = order_of([Rower(0.8, 2.0, 0.2)] * 2, Move(**QUICK, passive=False, noise=0.2))
    first, second = evaluate(order)
    later = evaluate(replace(order, generation=order.generation + 1))[0]
    assert first == second
    assert first.descriptors["height"] != later.descriptors["height"]


def test_orders_are_small_and_can_be_sent() -> None:
    order = order_of(rowers(4))
    assert pickle.loads(pickle.dumps(order)).genomes == order.genomes
    assert len(pickle.dumps(order)) < 2000 + sum(map(len, order.genomes))


def test_named_tasks_are_made_by_the_worker(scores: list[Score]) -> None:
    order = replace(order_of(rowers(2)), task=("walk", QUICK))
    assert evaluate(order) == scores[:2]


def test_orders_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UsageError, match="2 numbers for 1 genomes"):
        Order(None, None, 0.0, 1, 1, (1, 2), (pack({}),))
    with pytest.raises(UsageError, match="install the same one everywhere"):
        evaluate(replace(order_of(rowers(1)), version="0.0.1"))
    with pytest.raises(UsageError, match="Did you mean 'walk'"):
        evaluate(replace(order_of(rowers(1)), task=("wlak", {})))


class Finishing(Walk):
    """A task of one's own that looks at last states."""

    def measure(self, grown: Grown, trial: Trial, life: Life) -> float:
        assert life.final is not None
        return float(abs(life.final.q[4]))


class Noted(Move):
    """Tells whether last states were kept."""


@pytest.mark.parametrize(
    ("task", "kept"), [(Walk(), False), (Move(), False), (HitBall(), True), (Noted(), True)]
)
def test_last_states_are_kept_for_who_may_look(task: Any, kept: bool) -> None:
    """Claim: a task of one's own always gets them, of ours those that say so."""
    assert _needs_final(task) is kept


def test_a_task_of_ones_own_gets_last_states() -> None:
    found = evaluate(order_of(rowers(2), Finishing(**QUICK)))
    assert [score.status for score in found] == ["ended", "ended"]
    assert all(score.fitness > 0.0 for score in found)
