"""Grounds: planes, and terrain from formulas and seeds."""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.errors import UsageError
from zoophyte.model import Plane, Terrain
from zoophyte.model.terrain import MAX_HEIGHTS


def test_a_plane_is_as_high_as_its_equation_says() -> None:
    """Law: n·p = h for every point p of the plane; two roundings of numbers of size 1."""
    plane = Plane((1.0, -2.0, 3.0), 0.7)
    x, y = np.array([0.0, 1.5, -2.0]), np.array([0.3, 0.0, 4.0])
    points = np.stack([x, y, plane.height_at(x, y)], axis=1)
    assert np.abs(points @ np.array(plane.normal) - 0.7).max() < 1e-15 * 8
    assert not np.isfinite(Plane((1.0, 0.0, 0.0)).height_at(0.0, 0.0))


def test_a_plane_made_of_a_planes_normal_keeps_its_bits() -> None:
    rng = np.random.default_rng(3)
    for normal in rng.normal(size=(200, 3)):
        once = Plane(tuple(normal))
        assert Plane(once.normal).normal == once.normal


def test_a_slope_rises_between_two_levels() -> None:
    """Law: height = (x − start) tan angle on the slope; level before and behind, wherever across."""
    terrain = Terrain.slope(math.radians(20.0), length=3.0, start=-1.0)
    x = np.array([-50.0, -1.0, 0.5, 2.0, 80.0])
    expected = np.clip(x + 1.0, 0.0, 3.0) * math.tan(math.radians(20.0))
    for y in (-100.0, 0.0, 1.3, 100.0):
        assert terrain.height_at(x, np.full(5, y)) == pytest.approx(expected, abs=1e-15)


def test_steps_are_level_where_one_stands() -> None:
    """Law: behind the k-th front the height is k·rise; a front takes one cell of 16."""
    terrain = Terrain.steps(5, rise=0.2, run=0.32, start=2.0)
    front = 0.32 / 16
    for k in range(5):
        begin = 2.0 + 0.32 * k
        assert terrain.height_at(begin, 0.0) == pytest.approx(0.2 * k, abs=1e-12)
        treads = np.linspace(begin + 1.001 * front, begin + 0.3199, 7)
        assert terrain.height_at(treads, 0.0 * treads) == pytest.approx(0.2 * (k + 1), abs=1e-12)
        assert terrain.height_at(begin + 0.5 * front, 9.0) == pytest.approx(0.2 * k + 0.1, abs=1e-9)
    assert terrain.height_at([-9.0, 99.0], [0.0, 0.0]).tolist() == [0.0, pytest.approx(1.0)]
    assert Terrain.steps(3, rise=-0.1).heights.min() == pytest.approx(-0.3)


def test_bumps_are_within_their_height_and_smooth() -> None:
    """Law: values from 0 to 1 joined by 6u⁵ − 15u⁴ + 10u³ have slopes of at most 15/8·height/length along x or y.

    With one octave only; the tolerance is for rounding.
    """
    terrain = Terrain.bumps(seed=5, size=(6.0, 4.0), height=0.3, length=1.0, octaves=1, spacing=0.02)
    assert terrain.heights.min() >= 0.0 and 0.15 < terrain.heights.max() <= 0.3
    for axis in (0, 1):
        assert np.abs(np.diff(terrain.heights, axis=axis)).max() <= 15.0 / 8.0 * 0.3 * 0.02 * (1.0 + 1e-9)
    assert terrain.size == pytest.approx((6.0, 4.0)) and terrain.origin == pytest.approx((-3.0, -2.0))


def test_a_masked_array_is_refused() -> None:
    """What a mask hides is no height: it is told, and where. An empty mask hides nothing."""
    heights = np.ma.masked_less(np.array([[0.0, 1.0, 2.0], [3.0, -1.0, 5.0]]), 0.0)
    with pytest.raises(
        UsageError, match=r"masked array with 1 values left out, the first at \[1, 1\].*filled"
    ):
        Terrain(heights, (1.0, 1.0))
    whole = Terrain(np.ma.masked_less(heights.filled(0.0), -1.0), (1.0, 1.0))
    assert whole.heights.tolist() == [[0.0, 1.0, 2.0], [3.0, 0.0, 5.0]]


def test_a_clearing_is_level() -> None:
    terrain = Terrain.bumps(seed=5, size=(8.0, 8.0), height=0.3, clearing=1.5)
    angle = np.linspace(0.0, 6.0, 40)
    assert np.all(terrain.height_at(1.3 * np.cos(angle), 1.3 * np.sin(angle)) == 0.0)
    assert terrain.height_at(3.5 * np.cos(angle), 3.5 * np.sin(angle)).max() > 0.1


def digest(terrain: Terrain) -> str:
    return hashlib.sha256(terrain.heights.tobytes()).hexdigest()[:16]


def test_seeds_decide_the_bits_everywhere() -> None:
    """The same bits in another process, and those that every machine must give.

    Only products, sums, our own tangent and the raw output of PCG64 are used.  The digests were made when this was written.
    """
    code = (
        "import hashlib, zoophyte as zp; t = zp.Terrain.bumps(seed=11, octaves=3);"
        "print(hashlib.sha256(t.heights.tobytes()).hexdigest()[:16])"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == digest(Terrain.bumps(seed=11, octaves=3)) == "97ee0281b1e605c1"
    assert digest(Terrain.slope(0.4)) == "f130ca30d6711961"
    assert digest(Terrain.bumps(seed=12, octaves=3)) != digest(Terrain.bumps(seed=11, octaves=3))


def test_the_global_generator_is_left_alone() -> None:
    before = np.random.get_state()[1].tolist()  # type: ignore[index]
    Terrain.bumps(seed=1)
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Terrain.slope(1.5), "between -1.3963 and 1.3963 rad"),
        (lambda: Terrain.slope(math.nan), "slope angle is nan"),
        (lambda: Terrain.slope(0.1, length=0.0), "slope length is 0.0, must be greater than 0"),
        (lambda: Terrain.slope(0.1, start=math.inf), "terrain origin"),
        (lambda: Terrain.steps(0), "count of steps is 0, must be a whole number, 1 to 10,000"),
        (lambda: Terrain.steps(2.5), "count of steps is 2.5"),
        (lambda: Terrain.steps(3, cells=1), "at least 2 cells"),
        (lambda: Terrain.steps(3, rise=math.inf), "rise of a step is inf"),
        (lambda: Terrain.bumps(seed=-1), "seed is -1, must be a whole number, 0 or more"),
        (lambda: Terrain.bumps(seed=1, octaves=9), "count of octaves is 9, must be a whole number, 1 to 8"),
        (lambda: Terrain.bumps(seed=1, size=(1e4, 1e4)), "at most 4,194,304 in all. Give a larger spacing"),
        (lambda: Terrain.bumps(seed=1, size=(1.0, "x")), "terrain size is"),
        (lambda: Terrain.bumps(seed=1, clearing=-1.0), "clearing is -1.0, must be a radius"),
        (lambda: Terrain.bumps(seed=1, height=-1.0), "height of bumps is -1.0, must be 0 or more"),
        (lambda: Terrain(np.zeros(5), (1.0, 1.0)), r"shape \(5,\), must be \(rows, columns\)"),
        (
            lambda: Terrain([[0.0, 1.0], [np.nan, 0.0]], (1.0, 1.0)),
            "1 values that are not finite, the first at row 1",
        ),
        (lambda: Terrain(np.zeros((2, MAX_HEIGHTS)), (1.0, 1.0)), "at most 4,194,304"),
        (lambda: Terrain(np.zeros((2, 2)), (1.0, 0.0)), "must be positive along x and y"),
    ],
)
def test_nonsense_is_refused_with_its_reason(make, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()


def test_the_public_names_are_the_same_things() -> None:
    assert zp.Terrain is Terrain and zp.Plane is Plane
    assert zp.Habitat(ground=zp.Terrain.steps(2), surface=zp.Surface(friction=0.3)).surface.friction == 0.3


@pytest.mark.parametrize(("x", "y"), [(math.nan, 0.0), ("a", 0.0), (0.0, [0.0, math.inf])])
def test_heights_are_asked_for_at_finite_places(x: object, y: object) -> None:
    with pytest.raises(UsageError, match=r"height_at: [xy] is .*, must be one or many finite numbers \[m\]"):
        Terrain.slope(0.2).height_at(x, y)
