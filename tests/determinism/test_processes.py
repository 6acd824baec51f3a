"""The same lives in one and in several processes, one after the other and side by side, give the same bits."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from determinism.lives import digest_of_life

TASKS = [
    (seed, integrator, controller)
    for seed in range(2)
    for integrator in ("semi_implicit", "ros2")
    for controller in ("none", "alarms", "each_evaluation")
]


def test_the_number_of_processes_does_not_show() -> None:
    """Law: equal inputs, equal bits, whoever computes. Oracle: this process; 1 and 3 others, started afresh; exact."""
    expected = [digest_of_life(task) for task in TASKS]
    assert len(set(expected)) == len(TASKS)
    context = multiprocessing.get_context("spawn")
    for workers in (1, 3):
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            assert list(pool.map(digest_of_life, TASKS)) == expected


def test_the_order_of_lives_does_not_show() -> None:
    """Law: nothing is left behind by one life for the next. Oracle: the same lives the other way round; exact."""
    forwards = [digest_of_life(task) for task in TASKS]
    backwards = [digest_of_life(task) for task in reversed(TASKS)]
    assert forwards == backwards[::-1]
