"""The numbers of a report: tallies, trunk and conditions, each against a count that can be made by hand."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from runs import made_run
from zoophyte.errors import UsageError
from zoophyte.evolution.report import Birth, Generation, sections
from zoophyte.evolution.report.ancestry import ancestors_of, milestones, told_steps, trunk_of
from zoophyte.evolution.report.comparing import bootstrap_interval, conditions_of, contests, distinct
from zoophyte.evolution.report.tallies import (
    alike,
    as_generation,
    best_births,
    operator_tallies,
    status_tallies,
)

FAMILY = (
    Birth(0, 0, (), "random", 1.0),
    Birth(1, 0, (), "random", 2.0),
    Birth(2, 0, (), "random", -1.0, "cheated", "energy of 3.2 J came from nowhere"),
    Birth(3, 1, (0,), "mutate", 1.5),
    Birth(4, 1, (1, 0), "cross", 3.0),
    Birth(5, 1, (1,), "mutate", 1.0),
    Birth(6, 2, (4,), "copy", 3.0),
    Birth(7, 3, (6,), "copy", 3.0),
    Birth(8, 4, (7, 3), "cross", 4.0),
    Birth(9, 4, (4,), "mutate", -1.0, "cheated", "energy of 17 J came from nowhere"),
)
BY_NUMBER = {birth.number: birth for birth in FAMILY}


def test_operators_are_counted() -> None:
    tallies = {tally.name: tally for tally in operator_tallies(FAMILY, [8, 4, 1])}
    mutate, cross = tallies["mutate"], tallies["cross"]
    assert (mutate.children, mutate.failed, mutate.improved, mutate.on_trunk) == (3, 1, 1, 0)
    assert mutate.mean_gain == pytest.approx(((1.5 - 1.0) + (1.0 - 2.0)) / 2, abs=1e-15)
    assert (cross.children, cross.improved, cross.success, cross.best, cross.on_trunk) == (2, 2, 1.0, 4.0, 2)
    assert math.isnan(tallies["random"].mean_gain)  # founders have no parents to be compared with


def test_a_child_that_equals_its_parent_is_no_success() -> None:
    copied = next(tally for tally in operator_tallies(FAMILY) if tally.name == "copy")
    assert (copied.children, copied.improved, copied.mean_gain) == (2, 0, 0.0)


def test_reasons_that_differ_by_numbers_are_one() -> None:
    ended, cheated = status_tallies(FAMILY)
    assert (ended.status, ended.count, ended.faulty, ended.reasons) == ("ended", 8, 0, ())
    assert (cheated.count, cheated.faulty, cheated.share) == (2, 2, 0.2)
    assert cheated.reasons == (("made energy out of nothing", 2),)


def test_reasons_are_told_in_words() -> None:
    """Every pair of parts was a group of its own, with its numbers blanked: 'part2 in part6, … mm deep; … · 1×'."""
    births = [
        Birth(n, 0, (), "random", -1.0, "overlapping", f"overlapping at 0 s: part{n} in part6, {n}.5 mm deep")
        for n in range(14)
    ]
    births += [
        Birth(20 + n, 0, (), "random", -1.0, "failed", f"wall {n} of 9 fell: see page {n}") for n in range(2)
    ]
    tallies = {tally.status: tally.reasons for tally in status_tallies(births)}
    assert tallies["overlapping"] == (("born with parts in each other", 14),)
    assert tallies["failed"] == (("wall 0 of 9 fell: see page 0", 2),)  # words of others are told as they are


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("hit a wall at 1.2e+03 m/s", "hit a wall at … m/s"),
        ("body leg2 fell", "body leg2 fell"),  # a name keeps its number
        ("-3 of\n  4", "… of …"),
        ("x" * 500, "x" * 139 + "…"),
    ],
)
def test_numbers_are_left_out_of_reasons(reason: str, shown: str) -> None:
    assert alike(reason) == shown


def test_the_trunk_follows_first_parents_and_counts_copies() -> None:
    steps = trunk_of(BY_NUMBER, 8)
    assert [(step.birth.number, step.copies) for step in steps] == [(8, 0), (4, 2), (1, 0)]
    assert [[other.number for other in step.others] for step in steps] == [[3], [0], []]
    assert ancestors_of(BY_NUMBER, 8) == {7, 6, 4, 3, 1, 0}


def test_what_is_told_of_a_step_is_what_was_born() -> None:
    top, middle, root = told_steps(trunk_of(BY_NUMBER, 8))
    assert (top["fitness"], top["gain"], top["operator"]) == (4.0, 1.0, "cross")
    assert {parent["number"] for parent in top["parents"]} == {7, 3}
    assert middle["gain"] == 1.0
    assert root["gain"] is None and root["parents"] == []


def test_a_family_in_a_circle_has_an_end() -> None:
    """A damaged run may call two creatures each other's parents."""
    births = {0: Birth(0, 0, (1,), "mutate", 1.0), 1: Birth(1, 0, (0,), "mutate", 1.0)}
    assert [step.birth.number for step in trunk_of(births, 0)] == [0, 1]
    assert ancestors_of(births, 0) == {1}


def test_parents_who_are_not_there_end_the_trunk() -> None:
    steps = trunk_of({5: Birth(5, 3, (2, 3), "cross", 1.0)}, 5)
    assert [(step.birth.number, step.others) for step in steps] == [(5, ())]
    with pytest.raises(UsageError, match="no individual 6"):
        trunk_of(BY_NUMBER | {}, 66)


def test_milestones_are_the_founder_and_the_largest_rises() -> None:
    line = [
        Birth(n, n, (n - 1,) if n else (), "mutate", f)
        for n, f in enumerate([1.0, 1.1, 3.0, 2.9, 5.0, 5.1, 6.0])
    ]
    steps = trunk_of({birth.number: birth for birth in line}, 6)
    assert [birth.number for birth in milestones(steps, 3)] == [0, 2, 4]
    assert milestones(steps[:1]) == []


def test_the_best_are_sound_and_no_twins() -> None:
    assert [birth.number for birth in best_births(FAMILY, 3)] == [8, 4, 1]  # 6 and 7 are copies of 4


def test_rows_of_other_makes_are_read() -> None:
    row = {"generation": 3, "best": 2.0, "mean": 1.0, "lower": 0.5, "median": 1.0, "upper": 1.5, "births": 9}
    found = as_generation(row)
    assert (found.number, found.best, found.upper, found.lives) == (3, 2.0, 1.5, 9)
    assert math.isnan(found.diversity)
    with pytest.raises(UsageError, match=r"lacks something: .*'mean'"):
        as_generation({"number": 1, "best": 2.0})


# --------------------------------------------------------------------------------------------------- comparisons


def test_conditions_are_told_by_what_differs() -> None:
    runs = [
        made_run(seed=seed, generations=4, controller=name)
        for name, seed in product(("sine", "spectral"), (1, 2))
    ]
    found = conditions_of([run.configuration for run in runs], [run.rows for run in runs])
    assert [(each.label, each.members) for each in found] == [
        ("controller sine", (0, 1)),
        ("controller spectral", (2, 3)),
    ]
    finals = [max(row.best for row in run.rows) for run in runs]
    assert [value for each in found for value in each.finals] == finals
    assert found[0].mean == pytest.approx(sum(finals[:2]) / 2, rel=1e-15)


def test_names_of_parts_are_conditions_and_seeds_and_software_are_not() -> None:
    asked = {"task": {"name": "walk"}, "seed": 1, "version": "1", "created": "now"}
    other = {"task": {"name": "jump"}, "seed": 1, "version": "1", "created": "now"}
    same = {"task": {"name": "walk"}, "seed": 2, "version": "2", "created": "then"}
    rows = made_run(generations=2).rows
    assert [each.label for each in conditions_of([asked, other, same], [rows] * 3)] == [
        "walk",
        "jump",
    ]


def test_choices_by_eye_are_told_in_words() -> None:
    """Their record was printed as Python has it. Conditions that differ in whom they chose have numbers."""
    picks = [{"generation": 19, "parents": [n, 2], "keep": [], "delete": []} for n in (1, 5)]
    asked = [{"seed": 1}, *({"seed": 1, "picks": made} for made in (picks[:1], picks[1:], picks))]
    rows = made_run(generations=2).rows
    assert [each.label for each in conditions_of(asked, [rows] * 4)] == [
        "no choice by eye", "1 choice by eye", "1 choice by eye #2", "2 choices by eye",
    ]  # fmt: skip
    assert "<dt>choices by eye</dt><dd>generation 19</dd>" in sections.asked(asked[1])


def test_one_run_counts_once() -> None:
    """Law: a run in two files is one sample. Oracle: by hand; the file that got farthest counts."""
    run, other = made_run(seed=1, generations=6), made_run(seed=2, generations=6)
    asked = run.configuration
    assert distinct([asked, asked], [run.rows, run.rows]) == [0]
    assert distinct([asked, other.configuration, asked], [run.rows[:3], other.rows, run.rows]) == [2, 1]
    assert distinct([asked, {**asked, "created": "then"}], [run.rows, run.rows[:2]]) == [0]
    assert distinct([asked, {**asked, "kind": 2}], [run.rows, run.rows]) == [0, 1]  # two conditions
    assert distinct([asked, asked], [run.rows, other.rows]) == [0, 1]  # other founders
    assert distinct([{}, {}], [run.rows, run.rows]) == [0, 1]  # no seed: who knows


def test_the_curve_is_the_best_so_far() -> None:
    rows = [Generation(n, best, 0.0, 0.0, 0.0, 0.0) for n, best in enumerate([1.0, 3.0, 2.0])]
    longer = [Generation(n, best, 0.0, 0.0, 0.0, 0.0) for n, best in enumerate([2.0, 2.0, 2.0, 6.0])]
    (only,) = conditions_of([{}, {}], [rows, longer])
    assert only.curve.tolist() == [1.5, 2.5, 2.5, 6.0]
    assert np.isfinite(only.low).tolist() == [True, True, True, False]  # one run alone has no interval


def test_the_interval_of_two_values_is_known() -> None:
    """Resamples of {0, 1} have means 0, ½, 1 with chances ¼, ½, ¼: both tails of 2.5 % lie at the ends."""
    assert bootstrap_interval(np.array([0.0, 1.0])) == (0.0, 1.0)
    assert all(map(math.isnan, bootstrap_interval(np.array([1.0]))))


def test_the_interval_agrees_with_the_normal_one() -> None:
    """Oracle: mean ± 1.96 s/√n. Tolerance: the sample is skewed a little, and 10 000 resamples leave 1 % of the width."""
    values = np.random.default_rng(3).normal(5.0, 2.0, 200)
    low, high = bootstrap_interval(values)
    half = 1.96 * values.std() / math.sqrt(200)
    assert low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert high == pytest.approx(values.mean() + half, abs=0.1 * half)
    assert bootstrap_interval(values) == (low, high)  # always the same


def test_the_rank_test_is_exact_for_small_samples() -> None:
    """Oracle: of the C(8, 4) = 70 ways to rank four against four, two are as extreme as complete separation."""
    runs = [(f"{kind}", 10.0 * kind + n) for kind in (0, 1) for n in range(4)]
    histories = [[Generation(0, best, best, best, best, best)] for _, best in runs]
    groups = conditions_of([{"kind": kind} for kind, _ in runs], histories)
    (contest,) = contests(groups)
    assert (contest.u, contest.superiority) == (0.0, 0.0)  # no run of the first beats one of the second
    assert contest.p == pytest.approx(2 / 70, rel=1e-12)
    assert contest.adjusted == contest.p


def test_holm_multiplies_by_the_number_of_pairs_left() -> None:
    runs = [(kind, 10.0 * kind + n) for kind in (0, 1, 2) for n in range(4)]
    groups = conditions_of(
        [{"kind": kind} for kind, _ in runs],
        [[Generation(0, best, best, best, best, best)] for _, best in runs],
    )
    found = contests(groups)
    assert [(each.first, each.second) for each in found] == [(0, 1), (0, 2), (1, 2)]
    assert [each.adjusted for each in found] == pytest.approx([6 / 70] * 3, rel=1e-12)  # 3p, then never less


def test_single_runs_are_not_tested() -> None:
    groups = conditions_of([{"k": 1}, {"k": 2}], [made_run(generations=2).rows] * 2)
    assert contests(groups) == []
