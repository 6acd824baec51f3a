"""Selection: who becomes a parent and who survives (ARN-58..61, FON-68, 69)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from zoophyte.errors import UsageError
from zoophyte.evolution.protocols import Individual, Score
from zoophyte.evolution.selection import (
    Comma,
    Proportional,
    Roulette,
    Tournament,
    drawn,
    offset_at,
    proportional_weights,
    ranked,
    selection,
    settings_of,
    takeover_expected,
    takeover_time,
    tournament_weights,
)


def members(*fitness: float) -> list[Individual]:
    return [Individual(n, 0, None, score=Score(f)) for n, f in enumerate(fitness)]


def numbers(found: list[Individual]) -> list[int]:
    return [one.number for one in found]


def test_the_best_come_first_and_of_equals_the_older() -> None:
    assert numbers(ranked(members(1.0, 3.0, 1.0, 2.0))) == [1, 3, 0, 2]


def test_comma_keeps_the_best_of_the_offspring_and_never_the_faulty(rng: np.random.Generator) -> None:
    assert numbers(Comma().survivors(members(1.0, -1.0, 3.0, 2.0), 2, 0.0, rng)) == [2, 3]
    assert numbers(Comma().survivors(members(1.0, -1.0, -1.0), 2, 0.0, rng)) == [0]
    assert Comma().weights([1.0, -1.0, 0.0], 0.0).tolist() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize("n", [2, 10, 300])
def test_a_zero_among_many_has_a_third_of_an_even_chance(n: int) -> None:
    """FON-E15: with s = 1/2, s/((1 + s)·N) = 1/(3N), whatever the others have. Rounding: a few ulp of 1/N."""
    fitness = np.arange(n, dtype=float)
    weights = proportional_weights(fitness, 0.5)
    assert weights[0] == pytest.approx(1.0 / (3.0 * n), rel=1e-14)
    assert weights.sum() == pytest.approx(1.0, rel=1e-14)
    assert np.all(np.diff(weights) > 0.0)


def test_the_offset_shrinks_to_nothing() -> None:
    assert [offset_at(stage) for stage in (0.0, 0.5, 1.0)] == [0.5, 0.25, 0.0]
    assert Proportional().weights([0.0, 1.0], 1.0).tolist() == [0.0, 1.0]


def test_faulty_ones_are_never_parents_and_count_for_nothing() -> None:
    with_fault, without = proportional_weights([2.0, -5.0, 1.0], 0.5), proportional_weights([2.0, 1.0], 0.5)
    assert with_fault[1] == 0.0
    assert with_fault[[0, 2]].tolist() == without.tolist()
    assert proportional_weights([-1.0, -2.0], 0.5).tolist() == [0.0, 0.0]
    assert tournament_weights([-1.0, 4.0], 3).tolist() == [0.0, 1.0]


def test_where_nobody_achieved_anything_all_have_the_same_chance() -> None:
    assert proportional_weights([0.0, 0.0, -1.0, 0.0], 0.0).tolist() == pytest.approx(
        [1 / 3, 1 / 3, 0.0, 1 / 3]
    )


def test_chances_are_kept_by_drawing(rng: np.random.Generator) -> None:
    """30000 draws: a share's standard error is at most 0.003; five of them are allowed."""
    weights = [0.5, 0.0, 0.3, 0.2]
    counts = Counter(drawn("abcd", weights, 30_000, rng))
    assert counts["b"] == 0
    for letter, weight in zip("abcd", weights, strict=True):
        assert abs(counts[letter] / 30_000 - weight) < 0.015


def test_tournament_chances_are_those_of_tournaments(rng: np.random.Generator) -> None:
    """Oracle: 30000 tournaments played out; five standard errors of at most 0.003."""
    fitness = [0.3, 2.0, 1.0, 0.1]
    wins = Counter(max(rng.integers(0, 4, 3), key=lambda n: fitness[n]) for _ in range(30_000))
    for place, weight in enumerate(tournament_weights(fitness, 3)):
        assert abs(wins[place] / 30_000 - weight) < 0.015
    assert tournament_weights(fitness, 3).sum() == pytest.approx(1.0, rel=1e-14)


def test_roulette_draws_survivors_by_fitness(rng: np.random.Generator) -> None:
    found = Counter(numbers(Roulette().survivors(members(1.0, 3.0, -1.0, 0.0), 20_000, 0.0, rng)))
    assert found[2] == found[3] == 0
    assert abs(found[1] / 20_000 - 0.75) < 0.016  # five standard errors
    assert Roulette().survivors(members(-1.0, -1.0), 2, 0.0, rng) == []


@pytest.mark.parametrize("population", [16, 64])
def test_takeover_by_truncation_takes_as_long_as_theory_has_it(population: int) -> None:
    """ARN-61: ln(6n)/ln 6; generations are whole and copies are drawn, so the mean of 20 runs lies within one of it."""
    times = [takeover_time(Comma(), population, np.random.default_rng(seed)) for seed in range(20)]
    assert abs(np.mean(times) - takeover_expected(population)) < 1.0
    assert takeover_expected(16) == pytest.approx(2.55, abs=0.005)  # as printed in the spec
    assert takeover_expected(64) == pytest.approx(3.32, abs=0.005)


def test_truncation_takes_over_faster_than_tournament_and_that_than_proportion() -> None:
    """ARN-88: the pressure of deterministic selection is the highest; the medians of 9 runs are far apart."""

    def middle(chosen: Comma | Tournament | Proportional) -> float:
        return float(
            np.median([takeover_time(chosen, 32, np.random.default_rng(s), limit=500) for s in range(9)])
        )

    assert middle(Comma()) < middle(Tournament()) < middle(Proportional())


def test_selections_by_name_keep_their_settings() -> None:
    made = selection("tournament", size=5, elites=2)
    assert made == Tournament(5, 2)
    assert selection(made.name, **settings_of(made)) == made


@pytest.mark.parametrize(
    ("name", "settings", "what"),
    [
        ("coma", {}, "Did you mean 'comma'"),
        ("comma", {"size": 3}, "it has brood, elites"),
        ("comma", {"brood": 0}, "brood is 0, must be a whole number, 1 or more"),
        ("tournament", {"size": 1.5}, "size is 1.5"),
        ("proportional", {"offset": -1.0}, "offset is -1.0"),
    ],
)
def test_wrong_selections_are_told(name: str, settings: dict[str, float], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        selection(name, **settings)
