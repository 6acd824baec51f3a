"""The claims about evolution are in the catalogue as slow claims, and what they count with counts right."""

from __future__ import annotations

import math

import numpy as np
import pytest

from zoophyte.evolution.genomes.limbed import Limbed
from zoophyte.evolution.genomes.limbed.body import body_of
from zoophyte.model import State, compile
from zoophyte.physics import body_poses
from zoophyte.validation import catalogue
from zoophyte.validation.checks.evolution.claims_fontijne import falls, half_way, inventions
from zoophyte.validation.checks.evolution.conditions import Downhill, Fixed
from zoophyte.validation.checks.evolution.gaits import longest_run, owner, rolls, shares
from zoophyte.validation.checks.evolution.odds import rank_test, share_interval, sign_test, trend, two_sided

CLAIMS = [f"ARN-C{n}" for n in range(38, 50)] + [f"FON-E{n}" for n in range(1, 9)]


@pytest.mark.parametrize("id", CLAIMS)
def test_a_claim_is_declared_and_slow(id: str) -> None:
    found = catalogue()[id]
    assert (found.kind, found.slow) == ("claim", True)
    assert id.split("-")[1][1:] in found.source  # names its number in the specification


def test_rank_test_counts_orders() -> None:
    # Of the 20 ways to call three of six values "a", one has U = 9, one U = 8, two U = 7.
    assert rank_test([4, 5, 6], [1, 2, 3]) == 1 / 20
    assert rank_test([3, 5, 6], [1, 2, 4]) == 2 / 20
    assert rank_test([2, 5, 6], [1, 3, 4]) == 4 / 20
    assert rank_test([1, 2, 3], [4, 5, 6]) == 1.0
    assert rank_test([1, 1], [1, 1]) == 1.0  # ties favour nobody
    assert two_sided([4, 5, 6], [1, 2, 3]) == two_sided([1, 2, 3], [4, 5, 6]) == 2 / 20
    assert rank_test([5, 6, 7, 8], [1, 2, 3, 4]) == 1 / math.comb(8, 4)


def test_share_interval_is_wilsons() -> None:
    # 0 of n: 0 to z²/(n + z²); and both ends solve (p − s)² = z² p (1 − p)/n, which defines them.
    z = 1.959963984540054
    assert share_interval(0, 10) == pytest.approx((0.0, z * z / (10 + z * z)), abs=1e-15)
    for end in share_interval(8, 10):
        assert (end - 0.8) ** 2 == pytest.approx(z * z * end * (1 - end) / 10, rel=1e-12)
    with pytest.raises(ValueError, match="no share"):
        share_interval(3, 2)


def test_sign_test_and_trend() -> None:
    assert sign_test(5, 5) == 1 / 32
    assert sign_test(4, 5) == 6 / 32
    assert sign_test(0, 5) == 1.0
    assert trend([1.0, 3.0, 5.0, 7.0]) == pytest.approx(2.0, rel=1e-12)


def test_curves_are_read() -> None:
    best = [1.0, 0.9, 1.2, 1.1, 1.0, 0.0, 0.5]
    assert (inventions(best), falls(best)) == (2, 4)
    assert half_way([0.0, 1.0, 4.0, 8.0, 3.0]) == 2
    assert longest_run([True, False, True, True, True, False]) == 3
    assert shares({"a": 3.0, "b": 1.0}) == {"a": 0.75, "b": 0.25}
    assert shares({"a": 0.0}) == {"a": 0.0}


@pytest.mark.parametrize("pairs", [2, 3])
@pytest.mark.parametrize("bit", [True, False])
def test_what_is_fixed_does_not_evolve(pairs: int, bit: bool) -> None:
    rng = np.random.default_rng(93)
    for breed, stays in ((Fixed(pairs=pairs, alternating=bit), True), (Limbed(), False)):
        genomes = [breed.random(rng) for _ in range(20)]
        (operator,) = breed.operators()
        for _ in range(60):
            genomes.append(operator([genomes[-1], genomes[-2]], rng))
        kinds = {(len(genome.limbs), limb.alternates) for genome in genomes for limb in genome.limbs}
        assert (kinds == {(pairs, bit)}) == stays  # the plain breed shows that the check could fail


def test_a_touching_point_belongs_to_the_nearest_pair_of_legs() -> None:
    genome = Fixed(pairs=3).random(np.random.default_rng(45))
    description = body_of(genome)
    model = compile(description)
    turns, places = (part[1:] for part in body_poses(model, State.neutral(model)))
    for index, body in enumerate(description.bodies):
        if body.name.endswith("lower"):
            shape = body.shapes[0]
            tip = places[index] + turns[index] @ np.array([0.0, 0.0, -shape.length - shape.radius_end])  # type: ignore[union-attr]
            assert owner(description, (turns, places), tip) == body.name.split("_")[0]
    assert owner(description, (turns, places), np.array([0.0, 0.0, -genome.trunk[2]])) == "trunk"


@pytest.mark.parametrize(
    ("turn", "way", "rolling"), [(0.02, 0.002, True), (0.0, 0.002, False), (0.02, 0.0, False)]
)
def test_a_wheel_rolls_where_it_neither_slides_nor_spins(turn: float, way: float, rolling: bool) -> None:
    # Radius 0.1 m in steps of 10 ms: 0.2 m/s and 2 rad/s; its lowest point stands where way = radius · turn.
    c, s = math.cos(turn), math.sin(turn)
    after = np.array([[[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]]), np.array([[way, 0.0, 0.1]])
    before = np.eye(3)[None], np.array([[0.0, 0.0, 0.1]])
    assert rolls(before, after, np.array([way, 0.0, 0.0]), 0.01) is rolling


def test_gravity_leans_forward_and_keeps_its_size() -> None:
    gravity = Downhill(tilt=0.1).habitat(0.0, np.random.default_rng(7)).gravity
    assert math.hypot(*gravity) == pytest.approx(9.81, rel=1e-12)
    assert gravity[0] == pytest.approx(9.81 * math.sin(0.1), rel=1e-12)
    assert gravity[2] < 0.0
