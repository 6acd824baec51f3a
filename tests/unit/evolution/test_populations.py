"""Populations: who breeds with whom, and who survives where (ARN-58..65, FON-68)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from toys import Hopeless, Near, ToyGenome, Toys
from zoophyte.errors import UsageError
from zoophyte.evolution.chance import generator
from zoophyte.evolution.genomes.limbed import Limbed
from zoophyte.evolution.populations import (
    SCHEMES,
    Elites,
    Generational,
    Islands,
    Lattice,
    Moment,
    Novelty,
    Steady,
    scheme,
)
from zoophyte.evolution.populations.schemes import COPY, Scheme, at, with_step
from zoophyte.evolution.protocols import Individual, Score
from zoophyte.evolution.selection import Comma, Proportional, Tournament


def one(
    number: int, fitness: float, *, place: int = 0, generation: int = 0, **descriptors: float
) -> Individual:
    genome = ToyGenome(np.full(4, fitness))
    return Individual(number, generation, genome, place=place, score=Score(fitness, descriptors=descriptors))


def moment(members: Sequence[Individual], generation: int = 1, **notes: Any) -> Moment:
    return Moment(generation, 0.5, Toys(), tuple(members), notes)


def plans(made: Scheme, now: Moment) -> list[Any]:
    return [
        made.plan(now, index, generator(1, now.generation, index))
        for index in range(made.births(now.generation))
    ]


def test_comma_bears_six_per_survivor_and_takes_two_different_parents() -> None:
    made = Generational(4)
    found = plans(made, moment([one(n, 1.0) for n in range(4)]))
    assert len(found) == 24 == made.births(0)
    pairs = [[parent.number for parent in plan.parents] for plan in found if plan.operator.name == "mix"]
    assert pairs and all(a != b for a, b in pairs)
    assert all(len(plan.parents) == 1 for plan in found if plan.operator.name == "nudge")


def test_the_only_sound_one_is_both_parents_and_none_means_random() -> None:
    alone = plans(Generational(4), moment([one(0, 1.0), one(1, -1.0), one(2, -1.0)]))
    assert {parent.number for plan in alone for parent in plan.parents} == {0}
    assert any(len(plan.parents) == 2 for plan in alone)
    assert {plan.operator for plan in plans(Generational(4), moment([one(0, -1.0)]))} == {None}


def test_elites_are_copied_first() -> None:
    made = Generational(4, Proportional(elites=2))
    found = plans(made, moment([one(0, 0.1), one(1, 0.9), one(2, 0.5)]))
    assert [plan.operator for plan in found[:3]] == [COPY, COPY, found[2].operator] and found[
        2
    ].operator is not COPY
    assert [plan.parents[0].number for plan in found[:2]] == [1, 2]


def test_operators_are_chosen_by_their_shares() -> None:
    """Toys nudge twice as often as they mix: 600 draws, five standard errors of 0.02."""
    found = plans(Generational(100), moment([one(n, 1.0) for n in range(100)]))
    assert abs(np.mean([plan.operator.name == "nudge" for plan in found]) - 2 / 3) < 0.1


def test_islands_breed_apart() -> None:
    made = Islands(8, islands=4)
    found = plans(made, moment([one(n, 1.0, place=n // 2) for n in range(8)]))
    assert {plan.place for plan in found} == {0, 1, 2, 3}
    assert all({parent.place for parent in plan.parents} == {plan.place} for plan in found)


def test_the_best_migrate_around_the_ring_when_it_is_time(rng: np.random.Generator) -> None:
    made = Islands(6, Comma(brood=1), islands=3, every=2, migrants=1)
    offspring = [one(n, float(n), place=n // 2, generation=1) for n in range(6)]
    apart = made.select(moment([], 2), offspring, rng).members
    assert [(each.number, each.place) for each in apart] == [(1, 0), (0, 0), (3, 1), (2, 1), (5, 2), (4, 2)]
    moved = made.select(moment([], 3), offspring, rng).members
    assert [(each.number, each.place) for each in moved] == [(1, 0), (5, 0), (3, 1), (1, 1), (5, 2), (3, 2)]


def test_neighbours_on_a_torus() -> None:
    made = Lattice(12, rows=3)
    assert sorted(made.neighbours(0)) == [0, 1, 3, 4, 5, 7, 8, 9, 11]
    assert sorted(Lattice(2).neighbours(0)) == [0, 1]
    assert Lattice(12).rows == 3 and Lattice(7).rows == 1


def test_lattice_breeds_with_neighbours_and_replaces_only_what_is_worse(rng: np.random.Generator) -> None:
    made = Lattice(25)
    holders = [one(n, 1.0, place=n) for n in range(25)]
    for index, plan in enumerate(plans(made, moment(holders))):
        assert plan.place == index
        assert {parent.place for parent in plan.parents} <= set(made.neighbours(index))
    children = [one(25 + n, f, place=n, generation=1) for n, f in enumerate([2.0, 1.0, 0.5])]
    kept = made.select(moment(holders), children, rng).members
    assert [each.number for each in kept[:4]] == [25, 26, 2, 3]


def test_what_is_good_spreads_over_the_lattice_no_faster_than_a_cell_a_generation(
    rng: np.random.Generator,
) -> None:
    """ARN-65: diffusion. Copying alone; after g generations the best is at most g cells away."""
    made = Lattice(81, rows=9)
    members = [one(n, 1.0 if n == 40 else 0.5, place=n) for n in range(81)]
    for generation in range(1, 4):
        now = moment(members, generation)
        children = []
        for index, plan in enumerate(plans(made, now)):
            best = max(parent.fitness for parent in plan.parents)
            children.append(one(81 * generation + index, best, place=index, generation=generation))
        members = made.select(now, children, rng).members
        reached = [each.place for each in members if each.fitness == 1.0]
        assert max(max(abs(p // 9 - 4), abs(p % 9 - 4)) for p in reached) <= generation
        assert len(reached) > 1


def test_steady_takes_newcomers_in_the_order_of_birth(rng: np.random.Generator) -> None:
    made = Steady(2, block=3)
    pool = [one(0, 1.0), one(1, 0.5)]
    kept = made.select(
        moment(pool), [one(2, 0.7, generation=1), one(3, 0.7, generation=1), one(4, -1.0)], rng
    )
    assert [each.number for each in kept.members] == [0, 2]  # of equals, the older stays
    assert [made.births(g) for g in (0, 1, 5)] == [2, 3, 3]


def test_map_elites_keeps_the_best_of_every_niche(rng: np.random.Generator) -> None:
    made = Elites(4, descriptors=["x"], bins=4)
    first = [
        one(0, 1.0, x=0.0),
        one(1, 2.0, x=0.1),
        one(2, 1.0, x=1.0),
        one(3, -1.0, x=0.5),
        one(4, 1.0, x=float("nan")),
    ]
    found = made.select(moment([], 0), first, rng)
    assert found.notes == {
        "axes": [["x", -0.5, 1.5]]
    }  # what the founders spanned, and half of it on both sides
    assert [(each.number, each.place) for each in found.members] == [(1, 1), (2, 3)]
    later = made.select(
        moment(found.members, 1, **found.notes),
        [one(5, 1.5, x=0.2), one(6, 3.0, x=9.0), one(7, 0.1, x=-9.0)],
        rng,
    )
    assert [(each.number, each.place) for each in later.members] == [(7, 0), (1, 1), (6, 3)]


def test_niches_of_what_is_never_negative_begin_at_nought(rng: np.random.Generator) -> None:
    """The axis of distance began at -0.64 m: niches in which nobody can ever be were counted as not covered."""
    founders = [
        one(0, 1.0, distance=0.1, upright=-0.9, cold=0.0),
        one(1, 1.0, distance=1.1, upright=1.0, cold=1.0),
    ]
    made = Elites(4, descriptors=["distance", "upright", "cold"])
    axes = made.select(moment([], 0), founders, rng).notes["axes"]
    assert axes == [["distance", 0.0, 1.6], ["upright", -1.0, 1.0], ["cold", -0.5, 1.5]]
    founders.append(one(2, 1.0, distance=-0.4))  # a distance of somebody's own, with a sign
    assert (
        Elites(4, descriptors=["distance"]).select(moment([], 0), founders, rng).notes["axes"][0][1] == -1.15
    )


def test_ranges_of_niches_can_be_asked_for(rng: np.random.Generator) -> None:
    """Good walkers shared the last column, for founders hardly move, and nothing could be said about it."""
    founders = [one(0, 1.0, distance=0.1, height=0.1), one(1, 1.0, distance=0.2, height=0.2)]
    made = Elites(4, ranges={"distance": (0, 10)}, bins=5)
    found = made.select(moment([], 0), founders, rng)
    assert found.notes["axes"] == [["distance", 0.0, 10.0]]
    later = made.select(
        moment(found.members, 1, **found.notes), [one(2, 1.0, distance=4.5), one(3, 1.0, distance=7.0)], rng
    )
    assert [each.place for each in later.members] == [0, 2, 3]
    assert scheme("elites", 4, **made.settings()).settings() == made.settings()


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"ranges": 3}, "ranges is 3, must give two numbers"),
        ({"ranges": {"distance": [1, 1]}}, "distance is .*the smaller first"),
        ({"ranges": {"distance": "ab"}}, "must be two numbers"),
        ({"ranges": {"distanse": [0, 1]}, "descriptors": ["distance"]}, "Did you mean 'distance'"),
    ],
)
def test_ranges_that_are_none_are_told(settings: dict[str, Any], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        scheme("elites", 4, **settings)


def test_novelty_keeps_who_is_unlike_all_others_and_remembers(rng: np.random.Generator) -> None:
    made = Novelty(2, nearest=1, remembered=1)
    crowd = [one(n, 1.0, x=0.01 * n) for n in range(3)]
    found = made.select(moment([], 0), [*crowd, one(3, 0.0, x=5.0), one(4, -1.0, x=99.0)], rng)
    living = [each.number for each in found.members if each.place == 0]
    assert living[0] == 3 and len(living) == 2
    assert [each.number for each in found.members if each.place == 1] == [3]
    later = made.select(
        moment(found.members, 1, **found.notes),
        [one(5, 1.0, generation=1, x=5.0), one(6, 1.0, generation=1, x=2.5)],
        rng,
    )
    assert [each.number for each in later.members if each.place == 1] == [3, 6]  # 5 does what 3 did
    assert 6 in [each.number for each in later.members if each.place == 0]


def test_who_is_remembered_is_no_neighbour_of_its_own(rng: np.random.Generator) -> None:
    """Who lived on and was remembered too found itself in the archive, at the distance 0, and was never novel again."""
    made = Novelty(2, nearest=1, remembered=1)
    lonely = one(1, 1.0, x=5.0)
    members = [one(0, 1.0, x=0.0), lonely, at(lonely, 1)]
    children = [one(2, 1.0, generation=1, x=0.1), one(3, 1.0, generation=1, x=0.2)]
    notes = {"axes": [["x", 0.0, 10.0]]}
    living = made.select(moment(members, 1, **notes), children, rng).members[:2]
    assert living[0].number == 1
    assert made.novelty([(lonely, np.array([0.5]))], [(lonely, np.array([0.5]))]) == [
        0.0
    ]  # nobody else is there


@pytest.mark.parametrize("name", sorted(SCHEMES))
def test_every_scheme_makes_toys_better(name: str) -> None:
    """A toy is worth 1 at the target.

    Novelty does not look for worth, and MAP-Elites for much else: they only must not lose what they found.
    """
    if name == "cma":
        pytest.importorskip("cma")
    run = zp.evolve(Near(), genome=Toys(), population=16, generations=20, seed=5, scheme=name, workers=1)
    history = run.history()
    assert len(history) == 20 and len(run) == sum(row.lives for row in history)
    assert run.best().fitness >= history[0].best
    if name not in ("novelty", "elites"):
        assert run.best().fitness > history[0].best
    assert scheme(name, 16, **run.scheme.settings()).settings() == run.scheme.settings()


def test_the_success_rule_moves_the_step() -> None:
    """ARN-63: early, many children beat their parents and steps grow; near the target few do, and steps shrink."""
    settings = {"success_rule": True}
    run = zp.evolve(
        Near(), genome=Toys(0.01), population=8, generations=20, seed=1, scheme_settings=settings, workers=1
    )
    steps = [closed.notes["step"] for closed in run.store.generations()]
    assert steps[0] == 1.0
    assert max(steps) > 1.5 and steps[-1] < max(steps)
    other = zp.evolve(Near(), genome=Toys(0.01), population=8, generations=20, seed=1, workers=1)
    assert run.best().genome.values.tolist() != other.best().genome.values.tolist()


def test_the_success_rule_stops_at_the_largest_step_of_a_breed() -> None:
    """`Limbed(step=5)` times 4.1 was refused in the middle of a run: step is 20.5."""
    assert with_step(Limbed(step=5.0), 4.1).settings()["step"] == 20.0
    assert with_step(Limbed(step=5.0, self_contact=True), 0.5) == Limbed(step=2.5, self_contact=True)


@pytest.mark.parametrize(
    ("name", "population", "settings", "what"),
    [
        ("generational", 1, {}, "population is 1, must be a whole number from 2"),
        ("generational", 2.5, {}, "population is 2.5"),
        ("islnds", 8, {}, "Did you mean 'islands'"),
        ("islands", 9, {}, "must be 4 times a whole number"),
        ("islands", 8, {"every": 0}, "every is 0"),
        ("islands", 8, {"evry": 1}, "was given evry; its settings are islands, every"),
        ("lattice", 9, {"rows": 2}, "rows is 2, must divide the population, 9"),
        ("steady", 9, {"block": 0}, "block is 0"),
        ("cma", 9, {"sigma": -1.0}, "sigma is -1.0"),
    ],
)
def test_wrong_schemes_are_told(name: str, population: Any, settings: dict[str, Any], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        scheme(name, population, **settings)


def test_a_selection_goes_only_with_schemes_that_take_one() -> None:
    with pytest.raises(UsageError, match="brings its own selection"):
        scheme("lattice", 9, Comma())


def test_schemes_of_behaviour_need_descriptors(rng: np.random.Generator) -> None:
    with pytest.raises(UsageError, match="it gives none"):
        Elites(4).select(moment([], 0), [one(0, 1.0)], rng)
    with pytest.raises(
        UsageError, match=r"descriptor 'spede' is unknown; the task gives speed\. Did you mean 'speed'"
    ):
        Elites(4, descriptors=["spede"]).select(moment([], 0), [one(0, 1.0, speed=1.0)], rng)
    with pytest.raises(UsageError, match="differs between creatures"):
        Novelty(4).select(moment([], 0), [one(0, 1.0, speed=1.0)], rng)


@pytest.mark.parametrize("name", sorted(set(SCHEMES) - {"cma"}))
def test_where_all_are_faulty_the_next_are_random(name: str, rng: np.random.Generator) -> None:
    made = scheme(name, 8)
    faulty = [one(n, -1.0, place=made.place(n), x=1.0) for n in range(made.births(0))]
    outcome = made.select(moment([], 0), faulty, rng)
    now = moment(outcome.members, 1, **outcome.notes)
    assert {plan.operator for plan in plans(made, now)} == {None}


@pytest.mark.parametrize("chosen", [Proportional(), Tournament(), Comma(elites=2)])
@pytest.mark.parametrize("kind", [Generational, Islands])
def test_a_faulty_creature_is_not_even_copied(kind: Any, chosen: Any) -> None:
    """Where all were faulty the first of them was copied, and so was a parent against FON-68."""
    made = kind(8, chosen)
    faulty = [one(n, -1.0, place=made.place(n)) for n in range(8)]
    assert {(plan.operator, plan.parents) for plan in plans(made, moment(faulty))} == {(None, ())}


def test_cma_names_no_faulty_parent() -> None:
    pytest.importorskip("cma")
    run = zp.evolve(Hopeless(), genome=Toys(), population=4, generations=3, seed=1, scheme="cma", workers=1)
    assert [row.parents for row in run.births()] == [()] * 12
    assert {row.operator for row in run.births()[4:]} == {"cma"}


def test_cma_needs_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cma")
    monkeypatch.delattr(ToyGenome, "with_vector")
    with pytest.raises(UsageError, match="needs genomes that are vectors of real numbers"):
        zp.evolve(Near(), genome=Toys(), population=4, generations=2, scheme="cma", workers=1)
