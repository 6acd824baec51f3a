"""The benchmarks of evolution, made tiny: their rows can be formed, and both sides of each are what they claim to be."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.bench import chosen_names
from zoophyte.bench.contact import mujoco
from zoophyte.bench.evolution import arnold, fontijne, revolve2, store
from zoophyte.evolution.protocols import Score
from zoophyte.evolution.run import evolve
from zoophyte.evolution.run.store import Row as Stored
from zoophyte.evolution.wire import unpack

RUN = arnold.Effort(population=4, generations=2, seconds=1.0, settle=0.5)
FEW = fontijne.Effort(
    population=8, generations=1, seconds=1.2, settle=0.4, sample=3, rounds=1, correlation=-1.0, precisions=("double",)
)  # fmt: skip


def test_they_are_listed() -> None:
    assert {"evolve-arnold", "evolve-fontijne", "evolve-revolve2", "store"} <= set(chosen_names())


def test_a_whole_run_is_timed() -> None:
    """Oracle: 6n births in each generation; 96 000 simulated seconds at 1.6 times real time are 16.7 hours (ARN-82)."""
    (row,) = arnold.arnold_rows(RUN)
    assert row.ours is not None and row.ours > 0.0 and row.peer is not None
    assert row.ratio == row.peer / row.ours and row.reached is None
    assert "n = 4, 24 born in each of 2 generations" in row.workload and "of 48 lives faulty" in row.checked
    full = arnold.Effort()
    lives = 6 * full.population * full.generations
    assert (
        lives * full.seconds == arnold.WHOLE
        and full.seconds * lives * arnold.SLOWNESS / 3600.0 == pytest.approx(16.7, abs=0.05)
    )


def test_the_thesis_of_fontijne_took_42_hours() -> None:
    """Oracle: FON-E9, 100 generations of 300 at 5 s each."""
    assert fontijne.GENERATIONS * fontijne.Effort().population * fontijne.THESIS / 3600.0 == pytest.approx(
        42.0, abs=0.5
    )


def test_without_mujoco_the_run_is_still_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mujoco, "available", lambda: False)
    thesis, peer = fontijne.fontijne_rows(FEW)
    assert thesis.ratio == thesis.peer / thesis.ours  # type: ignore[operator]
    assert thesis.peer == pytest.approx(100 * 8 * 5.0) and "1 generations were lived" in thesis.workload
    assert (
        peer.ours is None
        and peer.ratio is None
        and peer.reached is None
        and "not installed" in peer.peer_name
    )


@pytest.mark.slow
@pytest.mark.engines
def test_every_precision_has_rows_of_its_own() -> None:
    """Claim: a run is timed in each, and the sample of the first is lived in both, against one measurement of the peer."""
    pytest.importorskip("mujoco")
    both = replace(FEW, precisions=("double", "single"))
    rows = list(fontijne.fontijne_rows(both))
    assert ["float64" in row.workload for row in rows] == [True, False, True, False]
    assert ["float32" in row.workload for row in rows] == [False, True, False, True]
    assert rows[2].peer == rows[3].peer is not None and rows[2].ours != rows[3].ours
    assert rows[2].ratio is not None and rows[3].ratio is not None
    run = evolve("move", genome="graph", population=8, generations=1, workers=1, task_settings=FEW.task)
    lives = fontijne.sample_of(run, both).lives
    apart = [abs(a.distance - b.distance) for a, b in zip(lives["double"], lives["single"], strict=True)]
    assert 0.0 < max(apart) < 0.01  # each has its own roundings, and is the same creature


@pytest.mark.engines
def test_creatures_live_on_both_sides() -> None:
    """Claim: the commands that are played are those of the neurons in the loop, and only the ground is touched.

    Oracle: the state in which the life with neurons ended.  Tolerance: the same steps of the same engine give the same bits.
    """
    pytest.importorskip("mujoco")
    run = evolve("move", genome="graph", population=8, generations=1, workers=1, task_settings=FEW.task)
    sample = fontijne.sample_of(run, FEW)
    assert len(sample.pieces) == FEW.sample == len(sample.order) == len(sample.lives["double"])
    grown = [sample.order.breed.restore(unpack(genome)).develop() for genome in sample.order.genomes]
    # Joints of several axes have bodies without mass, which MuJoCo has not.
    assert any("/" in body.name for one in grown for body in one.description.bodies)
    driven = 0
    for piece in sample.pieces:
        assert sum(piece.lengths) == round(FEW.seconds / sample.order.task.dt)
        data = piece.play()
        assert np.array_equal(data.qpos[:3], piece.life.root[-1])
        driven += bool(np.any(piece.orders))
        assert not any(both.geom1 and both.geom2 for both in data.contact)  # geom 0 is the ground
    assert driven
    rows = list(fontijne._mujoco_rows(run, FEW))
    (none,) = fontijne._mujoco_rows(run, replace(FEW, correlation=1.1))
    assert none.ours is None and none.ratio is None and none.reached is False
    assert rows[0].ratio == rows[0].peer / rows[0].ours and "rank correlation" in rows[0].checked  # type: ignore[operator]


def test_the_modular_spider_has_eight_hinges_and_swings_within_its_limits() -> None:
    """Oracle: opposite weights keep Σ(x² + y²), so that no command can leave √8 amplitudes, and none passes the limit."""
    model = zp.compile(revolve2.spider())
    assert model.nv == 6 + 8 and len(model.description.bodies) == 9
    assert float(np.sum(model.links.mass)) == pytest.approx(0.25 + 8 * 0.12)
    signals = revolve2.generator_of(3).signals()
    assert signals.shape == (601, 8) and np.max(np.abs(signals)) <= revolve2.SWING
    assert np.std(signals[300:], axis=0).min() > 0.05  # still swinging in the second half
    assert not np.array_equal(signals, revolve2.generator_of(4).signals())


def test_modular_robots_are_timed() -> None:
    usual, fine = revolve2.revolve2_rows(revolve2.Effort(count=3, seconds=0.5, rounds=1))
    for row in (usual, fine):
        assert row.ours is not None and row.peer is not None and row.peer == pytest.approx(1.15 / 60.0)
        assert row.ratio == row.peer / row.ours and "3 of 3 lives sound" in row.checked
    assert usual.bar == "≥ 10" and usual.reached is not None
    assert fine.bar == "" and fine.reached is None


def test_copies_are_a_run() -> None:
    """Law: numbers are the order of birth; parents are survivors of the generation before, of four the first."""
    rows = [Stored(40 + n, 5, (30 + n, 31), "mutation", 0, Score(float(n)), 0.1, b"x") for n in range(4)]
    found = list(store.copies(rows, 10))
    assert [len(generation) for generation in found] == [4, 4, 2]
    everyone = [row for generation in found for row in generation]
    assert [row.number for row in everyone] == list(range(10))
    for row in everyone:
        assert row.generation == row.number // 4
        assert all(parent == 4 * (row.generation - 1) for parent in row.parents)
        assert bool(row.parents) == (row.generation > 0)


def test_what_is_written_is_found_again() -> None:
    (row,) = store.store_rows(store.Effort(count=100, run=RUN))
    assert row.ours is not None and math.isfinite(row.ours) and row.reached == (row.ours < 2.0)
    assert row.unit == "%" and "all found again" in row.checked
