"""The arithmetic of contact benchmarks: whose time counts, and what quality is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from zoophyte.bench.contact.duel import Duel, duel_row, guarded
from zoophyte.bench.contact.sides import Coordinates, Reading, Timer, Watch, apart, is_no_worse, race
from zoophyte.bench.harness import Quality, Row
from zoophyte.errors import UsageError
from zoophyte.model.model import Floats

DT = 0.01


class Slider:
    """A body whose place and energy follow tables; driven, it goes on by its orders."""

    def __init__(self, ways: list[float], energies: list[float], depths: list[float]) -> None:
        self.name, self.step, self.driven = "slider", 0, 0.0
        self.ways, self.energies, self.depths = ways, energies, depths

    def keep(self) -> None:
        raise NotImplementedError

    def restart(self) -> None:
        self.step = 0

    def advance(self, steps: int, orders: Floats | None = None) -> None:
        self.step += steps
        self.driven += 0.0 if orders is None else float(np.sum(orders))

    def coordinates(self) -> list[Coordinates]:
        n = self.step
        return [(np.array([self.ways[n] + self.driven]), np.array([self.energies[n], self.depths[n]]))]

    def timers(self, steps: int, orders: Floats | None = None) -> list[Timer]:
        raise NotImplementedError


class Table:
    """Reads what the slider wrote."""

    def read(self, coordinates: Coordinates) -> Reading:
        (way,), (energy, depth) = coordinates
        return Reading(depth, energy, np.array([[way, 0.0, -5.0 * way]]), np.ones(1), 1)


def test_quality_is_what_was_seen() -> None:
    """Oracle: counted by hand; the way up or down is no creep, and a loss is no gain."""
    side = Slider([0.0, 0.0, 0.0, 0.1, 0.3], [9.0, 4.0, 3.0, 3.5, 2.0], [0.7, 0.01, 0.02, 0.0, 0.0])
    watch = Watch(side, [Table()], 1)
    watch.drive(1)
    watch.release(1)
    found = watch.stand(2, DT)
    assert found == Quality("slider", 0.02, found.creep, 2 * DT, -1.0, 0.5)
    assert found.creep == pytest.approx(0.3)


def test_energy_that_motors_put_in_is_no_gain() -> None:
    side = Slider([0.0] * 3, [0.0, 7.0, 7.0], [0.0] * 3)
    watch = Watch(side, [Table()], 1)
    watch.drive(1, np.zeros((1, 1, 1)))
    assert watch.stand(1, DT).energy_gain == 0.0


def test_twins_are_apart_by_what_orders_changed() -> None:
    one, other = (Slider([0.0, 0.0, 0.0], [0.0] * 3, [0.0] * 3) for _ in range(2))
    other.driven = 0.25
    orders = np.ones((2, 1, 1))
    assert apart(one, other, (Table(), Table()), 2, orders) == pytest.approx(0.25 * np.sqrt(26.0))
    assert one.driven == 2.0


def test_the_fastest_round_of_the_fastest_timer_counts() -> None:
    times = iter([9.0, 5.0, 3.0, 8.0, 7.0, 1.0, 6.0, 2.0, 4.0])

    def timer() -> float:
        return next(times)

    # The first call of each timer warms up and does not count: 9, 5, 3; then 8 | 7, 1 and 6 | 2, 4.
    assert race([timer], [timer, timer], rounds=2) == [6.0, 1.0]


OURS = Quality("us", 1e-5, 1e-6, 1.0, -1e-3, 1e-7)
PEER = Quality("them", 1e-3, 1e-3, 1.0, -1e-1, 0.0)


def test_no_worse_means_every_figure() -> None:
    assert is_no_worse(OURS, PEER, energy=1e-6)
    changes: list[dict[str, Any]] = [
        {"penetration": 2e-3},
        {"creep": 2e-3},
        {"energy_drift": -0.2},
        {"energy_drift": 0.2},
    ]
    for change in changes:
        assert not is_no_worse(replace(OURS, **change), PEER, energy=1e-6)
    assert is_no_worse(replace(OURS, energy_drift=5e-7), replace(PEER, energy_drift=0.0), energy=1e-6)


DUEL = Duel(1e-6, 4e-6, 1e-4, 0.0, (OURS, PEER), 10.0)
NAMES = ("bench", "a body", "Peer")


def test_a_row_reaches_its_bar_by_speed_and_quality() -> None:
    assert duel_row(NAMES, DUEL, 3.0, 1e-3).reached is True
    assert duel_row(NAMES, DUEL, 5.0, 1e-3).reached is False
    worse = duel_row(NAMES, replace(DUEL, quality=(PEER, OURS)), 3.0, 1e-3)
    assert worse.reached is False and worse.ratio == pytest.approx(4.0) and "WORSE" in worse.checked


@pytest.mark.parametrize("change", [{"apart": 2e-3}, {"apart": float("nan")}, {"spread": 1.0}])
def test_without_agreement_there_is_no_ratio(change: dict[str, Any]) -> None:
    row = duel_row(NAMES, replace(DUEL, **change), 3.0, 1e-3)
    assert (row.ours, row.peer, row.ratio, row.reached) == (None, None, None, False)
    assert "apart" in row.checked and row.quality == DUEL.quality


def test_a_scene_that_diverges_is_a_row() -> None:
    def rows() -> Iterator[Row]:
        yield Row("bench", "first", 1.0, None, "", "µs", None)
        raise UsageError("ant: the motion diverged.")

    first, last = guarded("bench", rows())
    assert first.workload == "first"
    assert last.reached is False and last.checked == "stopped: ant: the motion diverged."
