"""The breed tune: any body with a few free numbers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from farms import Rower
from zoophyte import zoo
from zoophyte.control import Oscillators, Sine
from zoophyte.errors import FileError, UsageError
from zoophyte.evolution.evaluation import Order, evaluate
from zoophyte.evolution.genomes.free import Parameter
from zoophyte.evolution.genomes.tune import Tune, Tuned
from zoophyte.evolution.protocols import Breed, Genome
from zoophyte.evolution.registry import breed as registered
from zoophyte.evolution.wire import pack, unpack
from zoophyte.model import compile as compile_model

ROWER = Rower(0.5, 0.0, 0.2).develop().description
BOTH = {
    "paths": ["bodies.left.shapes.0.size.2", "bodies.right.shapes.0.size.2"],
    "low": 0.1,
    "high": 0.4,
    "scale": "log",
}


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_body_alone_is_enough() -> None:
    """Claim: actuated joints get sines with free amplitude, phase and offset, and one frequency."""
    breed = Tune(ROWER)
    names = ["control.frequency"] + [
        f"control.{what}.{dof}" for dof in ("left", "right") for what in ("amplitude", "phase", "offset")
    ]
    assert [parameter.name for parameter in breed.free] == names
    grown = breed.random(rng()).develop()
    assert isinstance(grown.controller, Sine) and grown.description is breed.description
    assert isinstance(breed, Breed) and isinstance(breed.random(rng()), Genome)


def test_ranges_come_from_limits_and_actuators() -> None:
    """Claim: an amplitude is at most half of a joint's range, and a motor's command at most 1."""
    ranges = {parameter.name: (parameter.low, parameter.high) for parameter in Tune(zoo.get("ant")).free}
    assert {high for name, (_, high) in ranges.items() if "amplitude" in name} == {1.0}
    limited = ROWER.copy()
    limited.body("left").joint.limits = (-0.2, 0.6)
    found = {parameter.name: (parameter.low, parameter.high) for parameter in Tune(limited).free}
    assert found["control.amplitude.left"] == pytest.approx((0.0, 0.4), rel=1e-15)
    assert found["control.offset.left"] == pytest.approx((0.0, 0.4), abs=1e-15)


def test_paths_set_numbers_of_the_body() -> None:
    breed = Tune(
        ROWER, parameters={"arm": BOTH, "bodies.trunk.joint.position.2": [0.0, 2.0], "surface.friction": 0.3}
    )
    genome = breed.random(rng())
    body = genome.develop().description
    named = genome.named()
    for name in ("left", "right"):
        assert body.body(name).shapes[0].size == (0.05, 0.05, named["arm"])  # type: ignore[union-attr]
    assert body.body("trunk").joint.position == (0.0, 0.0, named["bodies.trunk.joint.position.2"])
    assert body.surface is not None and body.surface.friction == 0.3
    assert ROWER.body("left").shapes[0].size == (0.05, 0.05, 0.2), "the body given stays as it was"  # type: ignore[union-attr]
    assert len(breed.free) == 7 + 2 and len(named) == 7 + 3
    compile_model(body)


def test_a_log_scale_has_equal_factors() -> None:
    parameter = Parameter("x", 0.1, 0.4, "log")
    assert parameter.value(0.5) == pytest.approx(0.2, rel=1e-14)
    assert (parameter.value(0.0), parameter.value(1.0)) == pytest.approx((0.1, 0.4), rel=1e-15)


def test_vectors_are_what_cma_needs() -> None:
    breed = Tune(ROWER)
    genome = breed.random(rng())
    vector = genome.vector()
    assert vector.shape == (7,) and np.all((vector >= 0.0) & (vector <= 1.0))
    assert genome.with_vector(vector) == genome
    beyond = genome.with_vector(np.full(7, 1.25)).vector()
    circles = np.array([parameter.scale == "circle" for parameter in breed.free])
    assert np.array_equal(beyond, np.where(circles, 0.25, 1.0))
    with pytest.raises(UsageError, match="7 finite numbers"):
        genome.with_vector([0.5])


def test_spectra_and_oscillators_give_the_signals_that_are_named() -> None:
    """Law: h = offset + Σ a_k cos + b_k sin at the samples of the table. Oracle: NumPy's cosine. Tolerance: rounding."""
    model = compile_model(ROWER)
    breed = Tune(ROWER, "spectral")
    genome = breed.random(rng(3))
    named, controller = genome.named(), genome.develop().controller
    table = controller.samples(model)  # type: ignore[union-attr]
    phase = 2.0 * np.pi * np.arange(len(table)) / len(table)
    wanted = named["control.offset.left"] + sum(
        named[f"control.cosine.{k}.left"] * np.cos(k * phase)
        + named[f"control.sine.{k}.left"] * np.sin(k * phase)
        for k in (1, 2, 3)
    )
    assert table[:, model.dof_index("left")] == pytest.approx(wanted, abs=1e-14)
    assert controller.step * len(table) == pytest.approx(1.0 / named["control.frequency"], rel=1e-14)  # type: ignore[union-attr]


def test_oscillators_swing_in_the_phases_that_are_named() -> None:
    """Law: couplings whose biases fit the phases do not pull. Oracle: free cosines. Tolerance: RK4's, 1e-4 in a second."""
    genome = Tune(ROWER, "oscillators").random(rng(3))
    named, controller = genome.named(), genome.develop().controller
    assert isinstance(controller, Oscillators)
    for dof in ("left", "right"):
        column = list(controller.oscillators).index(dof)
        turns = 2.0 * np.pi * named["control.frequency"] * 1.0 + named[f"control.phase.{dof}"]
        wanted = named[f"control.offset.{dof}"] + named[f"control.amplitude.{dof}"] * math.cos(turns)
        assert controller.signals()[50, column] == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("controller", ["sine", "oscillators", "spectral", "none"])
def test_settings_and_records_round_trip(controller: str) -> None:
    """Claim: a run that kept settings and records finds the same creatures again. Tolerance: none."""
    breed = Tune(ROWER, controller, {"arm": BOTH, "surface.friction": [0.2, 1.0]})
    again = registered("tune", **unpack(pack(breed.settings())))
    assert isinstance(again, Tune) and again.settings() == breed.settings()
    genome = breed.random(rng())
    back = again.restore(unpack(pack(genome.record())))
    assert back == genome and back.named() == genome.named()
    assert back.develop().description == genome.develop().description
    assert repr(back.develop().controller) == repr(genome.develop().controller)


def test_a_controller_may_be_a_function_of_the_numbers() -> None:
    breed = Tune(ROWER, lambda values: Sine({"left": values["control.swing"]}), {"control.swing": [0.1, 0.9]})
    genome = breed.random(rng())
    assert genome.develop().controller == Sine({"left": genome.named()["control.swing"]})


def test_operators_keep_genomes_valid_and_parents_as_they_are() -> None:
    """Claim: 1000 random applications stay within 0 … 1; a mutation changes something; parents do not change."""
    breed, chances = Tune(ROWER), rng(1)
    pool = [breed.random(chances) for _ in range(6)]
    assert sum(operator.share for operator in breed.operators()) == 1.0
    for _ in range(1000):
        operator = breed.operators()[int(chances.integers(3))]
        parents = [pool[int(chances.integers(6))] for _ in range(operator.parents)]
        before = [parent.vector() for parent in parents]
        child = operator(parents, chances)
        assert breed.restore(child.record()) == child
        assert all(np.array_equal(a, b.values) for a, b in zip(before, parents, strict=True))
        assert operator.parents == 2 or child != parents[0]
        pool[int(chances.integers(6))] = child


def test_mutation_is_unbiased() -> None:
    """Law: reflected steps leave the even distribution as it is. Oracle: its mean 1/2 and variance 1/12.

    Tolerance: four standard errors of 2000 draws of 7 numbers each, after 30 steps.
    """
    breed, chances = Tune(ROWER, changes=7.0, step=0.3), rng(2)
    mutate = breed.operators()[0]
    ends = []
    for _ in range(2000):
        genome = breed.random(chances)
        for _ in range(3):
            genome = mutate([genome], chances)
        ends.append(genome.values)
    values = np.array(ends)
    error = math.sqrt(1.0 / 12.0 / values.size)
    assert abs(values.mean() - 0.5) < 4.0 * error
    assert abs(values.var() - 1.0 / 12.0) < 4.0 * math.sqrt(1.0 / 180.0 / values.size)


def test_the_middle_of_two_phases_is_on_the_shorter_way() -> None:
    breed = Tune(ROWER)
    a, b = (Tuned(breed, np.full(7, value)) for value in (0.1, 0.9))
    child = breed.operators()[2]([a, b], rng())
    circles = np.array([parameter.scale == "circle" for parameter in breed.free])
    assert np.array_equal(np.round(child.values, 12) % 1.0, np.where(circles, 0.0, 0.5))


def test_difference_is_0_for_equal_and_about_1_for_unrelated() -> None:
    breed, chances = Tune(ROWER), rng(4)
    genomes = [breed.random(chances) for _ in range(400)]
    assert breed.difference(genomes[0], genomes[0]) == 0.0
    found = np.mean([breed.difference(a, b) for a, b in zip(genomes[::2], genomes[1::2], strict=True)])
    assert 0.9 < found < 1.1


def test_tuned_creatures_live_in_the_herd(tmp_path: Path) -> None:
    """Claim: a body from a file, parameters from another; workers make the breed from its settings."""
    ROWER.save(tmp_path / "rower.yaml")
    (tmp_path / "free.yaml").write_text(
        "control.frequency: [1.0, 2.0]\nsurface.friction: 0.9\n", encoding="utf-8"
    )
    breed = Tune(tmp_path / "rower.yaml", parameters=tmp_path / "free.yaml")
    assert breed.free[-1].scale == "log" and breed.free[-1].name == "control.frequency"
    genomes = tuple(pack(breed.random(rng(n)).record()) for n in range(4))
    order = Order(
        ("tune", breed.settings()),
        ("walk", {"seconds": 1.0, "settle": 0.5}),
        0.0,
        1,
        0,
        (0, 1, 2, 3),
        genomes,
    )
    scores = evaluate(order)
    assert all(score.status == "ended" and score.fitness > 0.0 for score in scores)
    assert len({score.fitness for score in scores}) == 4


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"body": 3}, "must be a description"),
        ({"body": "no_such.yaml"}, "does not exist"),
        ({"controller": "sines"}, "Did you mean 'sine'"),
        ({"parameters": {"bodies.lefd.joint.stiffness": [0, 1]}}, "Did you mean 'left'"),
        ({"parameters": {"bodies.left.joint.stifness": [0, 1]}}, "Did you mean 'stiffness'"),
        ({"parameters": {"bodies.left.joint": [0, 1]}}, "must lead to a number"),
        ({"parameters": {"bodies.left.joint.stiffness": [1, 0]}}, "low first"),
        ({"parameters": {"bodies.left.joint.stiffness": [0, 1, "log"]}}, "more than 0"),
        ({"parameters": {"bodies.left.joint.stiffness": "much"}}, "must be .low, high."),
        ({"parameters": {"control.frequenzy": [1, 2]}}, "Did you mean 'control.frequency'"),
        ({"parameters": {"x": {"low": 0, "high": 1, "path": "y"}}}, "Did you mean 'paths'"),
        ({"parameters": 3}, "must be a mapping"),
        ({"step": 0.0}, "more than 0"),
        ({"controller": "none"}, "0 free parameters"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, FileError), match=message):
        Tune(**{"body": ROWER, **given})


def test_foreign_records_are_refused() -> None:
    breed = Tune(ROWER)
    for record in ({}, {"values": np.zeros(3)}, {"values": np.full(7, 2.0)}, {"values": np.full(7, np.nan)}):
        with pytest.raises(FileError):
            breed.restore(record)
    with pytest.raises(UsageError, match="needs a body"):
        registered("tune")
