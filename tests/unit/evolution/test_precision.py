"""The precision of a run: asked for, kept, sent to workers, taken up again, and that of its lives in all that is shown."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from determinism.broken_runs import digest
from toys import Near, Toys
from zoophyte.errors import FileError, UsageError
from zoophyte.evolution.audit import audit
from zoophyte.evolution.evaluation import Order, evaluate
from zoophyte.evolution.report.comparing import conditions_of
from zoophyte.evolution.run.store import Store
from zoophyte.evolution.wire import pack


class Listening(ThreadPoolExecutor):
    """An executor that notes in which precision it is asked to judge."""

    def __init__(self) -> None:
        super().__init__(1)
        self.heard: list[str] = []

    def submit(self, function: Any, /, *given: Any, **named: Any) -> Any:
        self.heard += [each.precision for each in given if isinstance(each, Order)]
        return super().submit(function, *given, **named)


def toy_run(store: Path | None = None, **options: Any) -> zp.Run:
    return zp.evolve(
        Near(), genome=Toys(), population=4, generations=1, seed=2, workers=1, store=store, **options
    )


def test_it_is_kept_sent_and_taken_up_again(tmp_path: Path) -> None:
    first, second = Listening(), Listening()
    run = toy_run(tmp_path / "run.db", precision="single", executor=first)
    assert run.configuration["precision"] == run.precision == "single"
    again = zp.Run(tmp_path / "run.db", task=Near(), genome=Toys()).resume(generations=2, executor=second)
    assert again.precision == "single"
    assert set(first.heard) == set(second.heard) == {"single"}


def test_double_if_nothing_is_said(tmp_path: Path) -> None:
    """Claim: also for runs of old, which do not say it."""
    heard = Listening()
    run = toy_run(tmp_path / "run.db", executor=heard)
    assert run.precision == "double" and set(heard.heard) == {"double"}
    old = tmp_path / "old.db"
    asked = {key: value for key, value in run.configuration.items() if key != "precision"}
    Store(old, "create", configuration=asked).close()
    assert zp.Run(old).precision == "double"


def test_an_unknown_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"precision is 'singel'; there are: double, single\. Did you mean 'single'"
    ):
        toy_run(precision="singel")
    with pytest.raises(UsageError, match=r"precision is .*float32.*; there are: double, single"):
        toy_run(precision=np.float32)
    asked = {**toy_run().configuration, "precision": "half"}
    Store(tmp_path / "odd.db", "create", configuration=asked).close()
    with pytest.raises(FileError, match=r"odd\.db: damaged: its precision is 'half'"):
        _ = zp.Run(tmp_path / "odd.db").precision


def test_runs_of_two_precisions_are_two_conditions() -> None:
    """Claim: and a run of old is one of the double ones."""
    double = toy_run().configuration
    old = {key: value for key, value in double.items() if key != "precision"}
    history = toy_run().history()
    found = conditions_of([double, {**double, "precision": "single"}, old], [history] * 3)
    assert [each.members for each in found] == [(0, 2), (1,)]
    assert [each.label for each in found] == ["precision double", "precision single"]


# ------------------------------------------------------------------------------------------------ lives in float32

WALK = {"seconds": 2.0, "settle": 0.5}


def walked(store: Path | None = None, **options: Any) -> zp.Run:
    asked = {"genome": "limbed", "population": 3, "generations": 2, "seed": 1, "workers": 2, **options}
    return zp.evolve("walk", task_settings=WALK, store=store, **{"precision": "single", **asked})


@pytest.mark.slow
@pytest.mark.parametrize("genome", ["limbed", "graph"])
def test_a_judged_life_is_lived_again_bit_for_bit(genome: str) -> None:
    """Oracle: the final state of the life by which it was judged; exact. And its World achieves what the run says."""
    run = walked(genome=genome, selection="comma")
    for one in run.best(3):
        (trial,) = run.trials(one)
        herd = zp.Herd(
            [trial.description], trial.habitat, trial.controller, dt=run.task.dt, sweeps=run.task.sweeps, dtype=np.float32
        )  # fmt: skip
        (life,) = herd.simulate(trial.seconds, settle=trial.settle, guards=trial.guards)
        assert life.final is not None
        shown = run.relive(one)
        assert np.array_equal(shown.final.q, life.final.q) and np.array_equal(shown.final.v, life.final.v)
        found = audit(
            one.develop(), run.task, number=one.number, generation=one.generation, seed=1, stage=one.generation / 1.0,
            peers=False, precision=run.precision,
        )  # fmt: skip
        assert found.at_step == found.in_world == one.fitness
        assert "fault of the simulator" not in found.note


@pytest.mark.slow
def test_workers_and_a_break_change_nothing(tmp_path: Path) -> None:
    whole = digest(walked(workers=1))
    assert digest(walked(workers=3)) == whole
    walked(tmp_path / "run.db", generations=1)
    assert digest(zp.Run(tmp_path / "run.db").resume(generations=2)) == whole
    assert digest(walked(precision="double")) != whole


@pytest.mark.slow
def test_both_precisions_judge_alike() -> None:
    """Law: before chaos speaks, roundings do not show. Oracle: float64. Tolerance: 1 mm in the median, after a second."""
    from zoophyte.evolution.registry import breed

    limbed, rng = breed("limbed"), np.random.default_rng(3)
    genomes = tuple(pack(limbed.random(rng).record()) for _ in range(24))
    task = ("walk", {"seconds": 1.0, "settle": 0.2})
    order = Order(("limbed", {}), task, 1.0, 0, 0, tuple(range(24)), genomes)
    double, single = evaluate(order), evaluate(replace(order, precision="single"))
    apart = [abs(a.fitness - b.fitness) for a, b in zip(double, single, strict=True)]
    assert 0.0 < np.median(apart) < 1e-3
