"""Operators of the limbed genome: children are valid, inherit what they should, and drift nowhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from zoophyte.evolution.genomes.limbed import Limbed, LimbedGenome, Mutation, Recombination
from zoophyte.evolution.genomes.limbed.genome import SIZE_HIGH, SIZE_LOW, problem_of
from zoophyte.evolution.genomes.limbed.poses import angle_between, mean_pose, mutated_pose, turned_by

CONTROLLERS = ("spectral", "sine", "oscillators", "neurons")
HOWS: tuple[Any, ...] = ("limbs", "discrete", "intermediate", "pool")


def generator(*words: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((56, *words))))


def apply_often(breed: Limbed, times: int, population: int = 12) -> None:
    """Children replace members of a population at random, so that errors could pile up."""
    members = [breed.random(generator(0, n)) for n in range(population)]
    operators = breed.operators()
    for n in range(times):
        rng = generator(1, n)
        operator = operators[n % len(operators)]
        chosen = rng.integers(0, population, operator.parents)
        child = operator([members[k] for k in chosen], rng)
        assert problem_of(child) == ""
        members[int(rng.integers(population))] = child


@pytest.mark.parametrize("controller", CONTROLLERS)
@pytest.mark.parametrize("how", HOWS)
def test_children_are_valid(controller: str, how: Any) -> None:
    """Large self-adapting steps, so that bounds are met all the time."""
    apply_often(Limbed(controller, recombination=how, adaptation="self", mutants=0.5, step=3.0), 100)


@pytest.mark.slow
@pytest.mark.parametrize("controller", CONTROLLERS)
def test_children_are_valid_a_hundred_thousand_times(controller: str) -> None:
    for how in HOWS:
        apply_often(Limbed(controller, recombination=how, adaptation="self", mutants=0.5, step=3.0), 6250)


def two_parents(controller: str = "spectral") -> tuple[LimbedGenome, LimbedGenome]:
    """With two and with three pairs of limbs."""
    drawn = [Limbed(controller).random(generator(2, n)) for n in range(20)]
    return next(g for g in drawn if len(g.limbs) == 2), next(g for g in drawn if len(g.limbs) == 3)


def test_operators_leave_their_parents_alone_and_repeat_themselves() -> None:
    for controller in CONTROLLERS:
        mother, father = two_parents(controller)
        kept = Limbed(controller).restore(mother.record()), Limbed(controller).restore(father.record())
        for how in HOWS:
            first, second = (Recombination(how)((mother, father), generator(3)) for _ in range(2))
            assert first == second
        assert (mother, father) == kept


def test_limbs_are_inherited_as_units() -> None:
    """ARN-55, 51: identical objects; the third pair, where there is one, from the parent that has it."""
    mother, father = two_parents()
    sources = set()
    for n in range(100):
        child = Recombination("limbs", None)((mother, father), generator(4, n))
        for slot, limb in enumerate(child.limbs):
            owners = [k for k, parent in enumerate((mother, father)) if limb in parent.limbs[slot : slot + 1]]
            assert len(owners) == 1
            sources.add((slot, owners[0]))
        assert child.period in (mother.period, father.period)
    assert sources == {(0, 0), (0, 1), (1, 0), (1, 1), (2, 1)}


def test_intermediate_children_lie_half_way() -> None:
    mother, father = two_parents()
    child = Recombination("intermediate", None)((mother, father), generator(5))
    pair = [parent.limbs[0] for parent in (mother, father)]
    assert np.array_equal(child.limbs[0].sizes, 0.5 * (pair[0].sizes + pair[1].sizes))
    assert np.array_equal(child.limbs[0].motion, 0.5 * (pair[0].motion + pair[1].motion))
    to_one, to_other = (angle_between(child.limbs[0].hip, limb.hip) for limb in pair)
    assert to_one == pytest.approx(to_other, abs=1e-7)
    assert to_one == pytest.approx(0.5 * angle_between(pair[0].hip, pair[1].hip), abs=1e-7)
    assert child.period == 0.5 * (mother.period + father.period)


def test_discrete_children_take_every_number_from_a_parent() -> None:
    mother, father = two_parents()
    child = Recombination("discrete", None)((mother, father), generator(6))
    for got, *pair in zip(child.limbs[0].sizes, mother.limbs[0].sizes, father.limbs[0].sizes, strict=True):
        assert got in pair
    assert np.all(
        (child.limbs[0].motion == mother.limbs[0].motion) | (child.limbs[0].motion == father.limbs[0].motion)
    )


def test_a_pool_mixes_more_than_two() -> None:
    parents = [replace(two_parents()[1], period=1.0 + 0.01 * n, step=1.0 + n) for n in range(8)]
    sizes = [limb.sizes for limb in parents[0].limbs]
    marked = [
        replace(
            p, limbs=tuple(replace(limb, sizes=s + 1e-6 * n) for limb, s in zip(p.limbs, sizes, strict=True))
        )
        for n, p in enumerate(parents)
    ]
    child = Recombination("pool", None)(marked, generator(7))
    owners = {
        round(float(d) * 1e6) for limb, s in zip(child.limbs, sizes, strict=True) for d in limb.sizes - s
    }
    assert len(owners) > 2


def test_step_sizes_scale_mutation() -> None:
    """The genome's own factors and the operator's multiply: steps are proportional to them, with the same chance."""
    genome = replace(two_parents()[0], period=1.0)
    middle = 0.5 * (SIZE_LOW + SIZE_HIGH)
    genome = replace(genome, limbs=tuple(replace(limb, sizes=middle) for limb in genome.limbs))

    def step(mutation: Mutation, parent: LimbedGenome) -> Any:
        return mutation((parent,), generator(8)).limbs[0].sizes - middle

    plain = step(Mutation(), genome)
    assert step(Mutation(step=0.5), genome) == pytest.approx(0.5 * plain, rel=1e-9)
    assert step(Mutation(), replace(genome, step=0.5)) == pytest.approx(0.5 * plain, rel=1e-9)
    doubled = replace(genome, steps=np.array([2.0, 1.0, 1.0, 1.0]))
    assert step(Mutation(), doubled) == pytest.approx(2.0 * plain, rel=1e-9)


def test_step_sizes_are_inherited_and_mutate_only_where_asked() -> None:
    mother, father = (replace(p, step=s) for p, s in zip(two_parents(), (0.5, 1.5), strict=True))
    assert Recombination()((mother, father), generator(9)).step == 1.0
    child = Recombination(mutation=Mutation(adapts=True))((mother, father), generator(9))
    assert child.step != 1.0
    assert not np.array_equal(child.steps, np.ones(4))


def test_sizes_drift_nowhere_without_selection() -> None:
    """From a corner of the range, 40 mutations and nothing else: 100 lines are spread evenly, as reflection promises.

    Steps of 15 % of the range forget where they began at a rate of π²·0.15²/2 = 0.11 each, so 1 % is left. Mean 1/2 within
    4 standard errors of √(1/12/100), ten sizes; deviation √(1/12) to 10 %.
    """
    genome = two_parents()[0]
    genome = replace(genome, limbs=tuple(replace(limb, sizes=SIZE_LOW) for limb in genome.limbs))
    mutation, last = Mutation(step=3.0), []
    for line in range(100):
        child, rng = genome, generator(10, line)
        for _ in range(40):
            child = mutation((child,), rng)
        last.append(
            np.concatenate([(limb.sizes - SIZE_LOW) / (SIZE_HIGH - SIZE_LOW) for limb in child.limbs])
        )
    assert np.max(np.abs(np.mean(last, axis=0) - 0.5)) < 4.0 * np.sqrt(1.0 / 12.0 / 100.0)
    assert np.mean(np.std(last, axis=0)) == pytest.approx(np.sqrt(1.0 / 12.0), rel=0.1)


def test_poses_turn_by_as_much_as_asked() -> None:
    """Angle steps of 0.05 rad about a fixed axis: rms of 2000 within 4·0.05/√4000; an axis appears where there was none."""
    start = turned_by((0.0, 0.9, 0.0))
    angles = [angle_between(start, mutated_pose(start, generator(11, n), 0.0, 0.05)) for n in range(2000)]
    assert np.sqrt(np.mean(np.square(angles))) == pytest.approx(0.05, abs=4.0 * 0.05 / np.sqrt(4000))
    still = np.array([1.0, 0.0, 0.0, 0.0])
    axes = np.array([mutated_pose(still, generator(12, n), 0.05, 0.05)[1:] for n in range(500)])
    assert np.max(np.abs(axes.mean(axis=0))) < 4.0 * 0.025 / np.sqrt(3.0 * 500.0)
    assert (
        np.array_equal(mean_pose(start, start), start) or angle_between(mean_pose(start, start), start) < 1e-7
    )
