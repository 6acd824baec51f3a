"""Tables through key frames: the curves between keys, rounds that repeat, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.control import Table
from zoophyte.description import Body, Box, Description, Joint
from zoophyte.errors import UsageError
from zoophyte.simulation.herd import Herd

TIMES = [0.0, 0.4, 1.0]
VALUES = {"arm": [0.0, 1.0, -0.5]}


def arm() -> zp.Model:
    """A hinge that moves as it is told."""
    joint = Joint(kind="hinge", axis=(0, 0, 1), driven=True)
    return zp.compile(
        Description(name="arm", bodies=[Body(name="arm", joint=joint, shapes=[Box(size=(0.4, 0.1, 0.1))])])
    )


def curve(easing: Any, **options: Any) -> Any:
    """(times, values) of the samples of the arm."""
    table = Table.keys(TIMES, VALUES, easing, **options)
    samples = np.asarray(table.samples["arm"])
    return np.arange(len(samples)) / table.rate, samples


@pytest.mark.parametrize("easing", ["linear", "ease", "ease_in", "ease_out", "hold", "spline"])
def test_curves_pass_through_their_keys(easing: str) -> None:
    times, samples = curve(easing)
    assert [samples[round(50.0 * t)] for t in TIMES] == pytest.approx(VALUES["arm"], abs=1e-12)
    assert times[-1] == 1.0 and samples.max() <= 1.0 and samples.min() >= -0.5


def test_curves_are_what_their_names_say() -> None:
    """Oracle: the polynomials of each name, with u from 0 to 1 between the first two keys. Tolerance: rounding."""
    u = np.arange(20) / 20.0
    for easing, expected in {
        "linear": u, "ease": 3 * u**2 - 2 * u**3, "ease_in": u**2, "ease_out": 1 - (1 - u) ** 2, "hold": 0 * u,
    }.items():  # fmt: skip
        assert np.abs(curve(easing)[1][:20] - expected).max() < 1e-14, easing


def test_each_way_may_have_its_own_easing() -> None:
    mixed, linear, held = (curve(easing)[1] for easing in (["linear", "hold"], "linear", "hold"))
    assert mixed[:20].tolist() == linear[:20].tolist()
    assert mixed[20:].tolist() == held[20:].tolist()


def test_splines_do_not_stop_at_keys_that_lie_on_the_way() -> None:
    """Of keys on a straight line a spline is that line in the middle; with `ease` the curve stands still at each key."""
    way = Table.keys([0.0, 1.0, 2.0, 3.0], {"arm": [0.0, 1.0, 2.0, 3.0]}, "spline", rate=100.0).samples["arm"]
    assert np.diff(way[100:201]) == pytest.approx(0.01, abs=1e-12)
    eased = Table.keys([0.0, 1.0, 2.0, 3.0], {"arm": [0.0, 1.0, 2.0, 3.0]}, rate=100.0).samples["arm"]
    assert np.diff(eased)[100] < 1e-3


def test_keys_that_begin_late_end_late_and_fall_between_samples() -> None:
    """Before the first key its value holds, after the last one that of the last, wherever they lie."""
    table = Table.keys([0.11, 0.333], {"arm": [0.2, 0.7]}, "linear", rate=10.0)
    assert table.samples["arm"][:2].tolist() == [0.2, 0.2]
    assert table.samples["arm"][-1] == 0.7
    assert Table.keys([0.5], {"arm": [0.3]}).samples["arm"].tolist() == [0.3] * 26


def test_a_round_repeats_in_worlds_and_herds() -> None:
    """The second round is the first one, and a herd has the bits of a world."""
    keys = {"arm": [0.2, 1.0, -0.5, 0.2]}
    table = Table.keys([0.0, 0.2, 0.5, 0.8], keys, "spline", repeats=True)
    model = arm()
    world = zp.World(model, controller=table, dt=5e-3, habitat=zp.Habitat(ground=None))
    life = world.simulate(2.0)
    assert life.q[160:321, 0] == pytest.approx(life.q[:161, 0], abs=1e-12)
    found = Herd([model], controllers=[table], dt=5e-3, habitat=zp.Habitat(ground=None)).simulate(2.0)[0]
    assert (found.final.q == life.final.q).all() and (found.final.v == life.final.v).all()
    steps = Table({"arm": [0.0, 1.0]}, rate=10.0, interpolation="hold", repeats=True)
    held = zp.World(model, controller=steps, dt=5e-3).simulate(0.45)
    assert held.q[[5, 25, 45, 65, 85], 0].tolist() == [0.0, 1.0, 0.0, 1.0, 0.0]


def test_the_rate_divides_a_round() -> None:
    table = Table.keys([0.0, 0.33], {"arm": [0.1, 0.1]}, repeats=True, rate=50.0)
    assert len(table.samples["arm"]) == 16
    assert table.rate * 0.33 == pytest.approx(16.0)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0.0, 1.0, 1.0], {}), {}, "key 2 is at 1 s and key 3 at 1 s"),
        (([-1.0], {}), {}, r"times is \[-1.0\], must be a list of finite times"),
        (([], {}), {}, r"times is \[\], must be a list"),
        (([0.0, 1.0], {"arm": [1.0]}), {}, "values of 'arm' has 1 number; there are 2 keys"),
        (([0.0, 1.0], {"arm": [1.0, np.inf]}), {}, "values of 'arm' holds a number that is not finite"),
        (([0.0, 1.0], [1.0, 2.0]), {}, "values is .* must be a mapping"),
        (([0.0, 1.0], {}, "eas"), {}, r"easing is 'eas', must be one of .* Did you mean 'ease'\?"),
        (([0.0, 1.0], {}, 3), {}, "easing is 3, must be one of"),
        (([0.0], {}, "eas"), {}, "easing is 'eas'"),
        (([0.0, 1.0], {}, ["ease", "ease"]), {}, "easing has 2 names; there is 1 way from key to key"),
        (([0.0, 1.0], {}), {"rate": 0.0}, "rate is 0.0, must be a positive number"),
        (([0.0, 1e9], {}), {}, "more than 1000000 samples at 50 Hz"),
        (([0.0, 1.0], {"arm": [0.0, 1.0]}), {"repeats": True}, "begins with 0 and ends with 1"),
        (([0.5, 1.0], {}), {"repeats": True}, "keys that repeat begin at 0"),
    ],
)  # fmt: skip
def test_keys_that_make_no_sense_are_refused(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Table.keys(*arguments, **options)


def test_channels_have_keys_of_their_own() -> None:
    """All channels had to have a value at every time."""
    pairs = Table.keys(
        {"a": [(0, 0), (0.2, 1.0)], "b": [(0.1, 0.5), (0.4, -1.0)]}, easing={"b": "linear"}, rate=10.0
    )
    assert np.allclose(pairs.samples["a"], [0.0, 0.5, 1.0, 1.0, 1.0])
    assert np.allclose(pairs.samples["b"], [0.5, 0.5, 0.0, -0.5, -1.0])
    sparse = Table.keys(
        [0.0, 0.2, 0.4], {"a": [0.0, None, 1.0], "b": [None, 3.0, None]}, ["linear", "hold"], rate=10.0
    )
    assert np.allclose(sparse.samples["a"], [0.0, 0.25, 0.5, 0.75, 1.0])
    assert np.allclose(sparse.samples["b"], 3.0)


@pytest.mark.parametrize(
    ("times", "values", "options", "told"),
    [
        (None, {"a": [0.0, 1.0]}, {}, "without times for all"),
        ({"a": [(0.3, 0.0), (0.2, 1.0)]}, None, {}, "values of 'a': times must grow"),
        ([0.0, 1.0], {"a": [None, None]}, {}, "has no key at all"),
        ([0.0, 1.0], {"a": [None, 1.0, 2.0]}, {}, "has 3 entries; there are 2 keys"),
        ([0.0, 1.0], {"a": [None, 1.0]}, {"repeats": True}, "lacks the first or the last key"),
        ({"a": [(0, 0), (1, 0)], "b": [(0, 0), (2, 0)]}, None, {"repeats": True}, "end together"),
        ([0.0, 1.0], {"a": [0.0, 1.0]}, {"easing": {"b": "ease"}}, "easing names 'b', for which"),
        ([0.0, 1.0], {"a": [0.0, 1.0]}, {"easing": {"a": "smooth"}}, "easing of 'a' is 'smooth'"),
        ([0.0, 1.0], {"a": [(0.0, 0.0), (0.5, 1.0)]}, {"easing": ["ease"]}, "has times of its own"),
        ({}, None, {}, "give at least one channel"),
    ],
)
def test_keys_that_do_not_fit_their_channel_are_refused(
    times: Any, values: Any, options: Any, told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        Table.keys(times, values, **options)
