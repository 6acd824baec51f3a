"""Variation on plain numbers: reflection, recombination, Gray code, step sizes."""

from __future__ import annotations

import numpy as np
import pytest

from zoophyte.errors import UsageError
from zoophyte.evolution.variation import (
    STEP_BOUNDS,
    SuccessRule,
    adapted,
    discrete,
    either,
    flipped,
    from_gray,
    gaussian,
    gray,
    intermediate,
    parent_pair,
    reflected,
)


def generator(*words: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((62, *words))))


@pytest.mark.parametrize(
    ("value", "thrown"),
    [(0.3, 0.3), (1.2, 0.8), (-0.2, 0.2), (2.3, 0.3), (-1.4, 0.6), (0.0, 0.0), (1.0, 1.0)],
)
def test_reflection_is_that_of_two_mirrors(value: float, thrown: float) -> None:
    assert float(reflected(value, 0.0, 1.0)) == pytest.approx(thrown, abs=1e-15)


def test_reflected_steps_spread_evenly() -> None:
    """A walk with reflection has the even distribution as its own: counts in ten bins, 3.5σ of 20 000 walkers."""
    rng = generator(1)
    walkers = rng.random(20_000)
    for _ in range(20):
        walkers = gaussian(walkers, 0.2, rng, 0.0, 1.0)
    counts = np.histogram(walkers, 10, (0.0, 1.0))[0]
    assert np.max(np.abs(counts - 2000)) < 3.5 * np.sqrt(2000 * 0.9)


def test_steps_have_mean_zero_and_the_deviation_asked_for() -> None:
    """Mean of 40 000 steps of 0.3: within 4 standard errors; deviation likewise (its error is σ/√2n)."""
    steps = gaussian(np.zeros(40_000), 0.3, generator(2))
    assert abs(steps.mean()) < 4.0 * 0.3 / 200.0
    assert steps.std() == pytest.approx(0.3, abs=4.0 * 0.3 / np.sqrt(80_000))


def test_recombination_takes_from_both() -> None:
    a, b = np.zeros(1000), np.ones(1000)
    mixed = discrete(a, b, generator(3))
    assert set(np.unique(mixed)) == {0.0, 1.0}
    assert abs(mixed.mean() - 0.5) < 4.0 * 0.5 / np.sqrt(1000)
    assert np.array_equal(intermediate(a, b), np.full(1000, 0.5))
    assert {either("mother", "father", generator(4, n)) for n in range(20)} == {"mother", "father"}


def test_a_pool_gives_two_different_parents() -> None:
    pairs = {parent_pair("abcd", generator(5, n)) for n in range(200)}
    assert len(pairs) == 12
    assert parent_pair("a", generator(5)) == ("a", "a")


def test_gray_codes_of_neighbours_differ_in_one_bit() -> None:
    assert [from_gray(gray(n)) for n in range(300)] == list(range(300))
    assert {(gray(n) ^ gray(n + 1)).bit_count() for n in range(300)} == {1}
    with pytest.raises(UsageError, match="0 or more"):
        gray(-1)
    with pytest.raises(UsageError, match="0 or more"):
        from_gray(-1)


def test_flipped_numbers_stay_in_their_bits() -> None:
    """Every number of three bits can be reached, and each bit flips with its probability (4σ of 4000)."""
    found = [flipped(5, 3, 0.25, generator(6, n)) for n in range(4000)]
    assert set(found) == set(range(8))
    flips = np.mean([(gray(n) ^ gray(5)).bit_count() for n in found]) / 3.0
    assert flips == pytest.approx(0.25, abs=4.0 * np.sqrt(0.25 * 0.75 / 12_000))
    with pytest.raises(UsageError, match="from 0 to 7"):
        flipped(8, 3, 0.1, generator(6))


def test_self_adapted_steps_walk_without_bias_within_bounds() -> None:
    """Logarithms of step factors change by mean 0 and deviation 1/√2n, 1/√(2√n) (Schwefel): 4σ of 4000."""
    changes = [adapted(1.0, np.ones(4), 50, generator(7, n)) for n in range(1000)]
    overall = np.log([change[0] for change in changes])
    own = np.log([change[1] for change in changes]).ravel()
    for found, deviation in ((overall, 0.1), (own, 1.0 / np.sqrt(2.0 * np.sqrt(50.0)))):
        assert abs(found.mean()) < 4.0 * deviation / np.sqrt(len(found))
        assert found.std() == pytest.approx(deviation, abs=4.0 * deviation / np.sqrt(2.0 * len(found)))
    common, steps = 1.0, np.ones(4)
    for n in range(2000):
        common, steps = adapted(common, steps, 1, generator(8, n))
        assert np.all((steps >= STEP_BOUNDS[0]) & (steps <= STEP_BOUNDS[1]))
        assert STEP_BOUNDS[0] <= common <= STEP_BOUNDS[1]


def test_the_success_rule_grows_and_shrinks_steps() -> None:
    rule = SuccessRule()
    assert rule.step(1.0, 5, 10) == pytest.approx(1.0 / 0.85)
    assert rule.step(1.0, 1, 10) == pytest.approx(0.85)
    assert rule.step(1.0, 2, 10) == 1.0
    assert rule.step(1.0, 0, 0) == 1.0
    assert rule.step(STEP_BOUNDS[0], 0, 10) == STEP_BOUNDS[0]
    assert rule.step(STEP_BOUNDS[1], 10, 10) == STEP_BOUNDS[1]
    with pytest.raises(UsageError, match="between 0 and 1"):
        SuccessRule(target=1.5)
