"""Tasks of users' own that ask for joints and contacts of lives, and how often they see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import zoophyte as zp
from farms import Rowers, rowers
from zoophyte.evolution.audit import audit
from zoophyte.evolution.registry import found_task
from zoophyte.evolution.tasks import Own, Samples, Walk, make_task

FEW: dict[str, Any] = {
    "genome": Rowers(),
    "population": 3,
    "generations": 1,
    "seed": 2,
    "selection": "tournament",
}
SHORT = {"seconds": 0.6, "settle": 0.2}


@Samples(per_second=50, keep=["contacts", "joints"])
def rowing(life: zp.Life) -> float:
    """How far the arms swing apart, in radians, and how often anything touches the ground."""
    assert np.allclose(np.diff(life.times[life.settled : -1]), 0.02)
    assert life.joint("left").shape == life.touches("trunk", "ground").shape == life.times.shape
    apart = np.abs(life.joint("left") - life.joint("right")).mean()
    return float(apart + life.touches("ground").mean() + 1e-3 * np.abs(life.contact_force("trunk")).max())


rowing.unit = "rad"  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Swinging(Walk):
    name: ClassVar[str] = "swinging"
    samples: ClassVar[Samples] = Samples(20, keep="joints")  # type: ignore[arg-type]

    def measure(self, grown: Any, trial: Any, life: zp.Life) -> float:
        return float(np.abs(life.joint_velocity("left")).mean())


def fitnesses(task: Any, **options: Any) -> list[float]:
    run = zp.evolve(task, task_settings=SHORT if callable(task) else None, **{**FEW, **options})
    assert all(row.status == "ended" for row in run.births()), [row.reason for row in run.births()]
    return [row.fitness for row in run.births()]


def test_a_function_sees_joints_and_contacts_on_any_number_of_workers() -> None:
    """A Life told of the centre of mass and the root alone: no gait could be judged."""
    alone = fitnesses(rowing, workers=1)
    assert len(set(alone)) > 1 and alone == fitnesses(rowing, workers=8)
    assert len(fitnesses(rowing, workers=2, precision="single")) == len(alone)
    assert len(fitnesses(Swinging(seconds=0.6, settle=0.2), workers=1)) == len(alone)


def test_the_audit_tells_a_world_of_them_too() -> None:
    """Claim: what the function says of the life in a World, where contacts are read another way. Tolerance: rounding."""
    task = make_task(rowing, **SHORT)
    found = audit(rowers(4)[1].develop(), task, peers=True)
    assert found.unit == "rad" and not found.is_exploit
    assert found.in_mujoco is None and "keep no joints and no contacts" in found.note
    alone = audit(rowers(4)[1].develop(), Swinging(seconds=0.6, settle=0.2), peers=False)
    assert alone.in_world == pytest.approx(
        alone.at_step, rel=0.3
    )  # a World's samples begin at birth, not when settled


@Samples(per_second=20, keep="bodies")
def lifted(life: zp.Life) -> float:
    """How high the last body is, on the average."""
    return float(life.position(life.bodies[-1])[:, 2].mean())


def test_the_audit_tells_a_world_of_bodies() -> None:
    """Claim: the function is told of the same bodies in a Herd and in a World."""
    found = audit(rowers(4)[1].develop(), make_task(lifted, **SHORT), peers=False)
    assert found.in_world == pytest.approx(found.at_step, rel=0.1)


def test_tasks_that_ask_for_nothing_are_sampled_as_ever() -> None:
    trial = make_task("walk").trials(rowers(1)[0].develop(), 0.0, np.random.default_rng(0))[0]
    assert (trial.sample_every, trial.keep) == (0.1, ())
    mine = make_task(lambda life: 1.0).trials(rowers(1)[0].develop(), 0.0, np.random.default_rng(0))[0]
    assert (mine.sample_every, mine.keep) == (0.1, ())


def test_an_own_task_has_the_name_and_the_unit_of_its_function() -> None:
    task = make_task(rowing, **SHORT)
    assert isinstance(task, Own) and (task.title, task.unit, task.name) == ("rowing", "rad", "own")
    assert make_task(lambda life: 1.0).title == "<lambda>" and make_task("jump").unit == ""
    place = f"{__file__}:rowing"
    again = found_task({"name": "own", "settings": make_task(place).settings(), "place": "?"}, trust=[place])
    assert isinstance(again, Own) and again.title == "rowing" and again.samples.keep == ("joints", "contacts")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: Samples(rowing), r"per_second is .*written with parentheses"),  # type: ignore[arg-type]
        (lambda: Samples(0.0), "per_second is 0.0, must be a positive number"),
        (lambda: Samples(10, keep=["joint"]), "keep names 'joint'.*Did you mean 'joints'"),  # type: ignore[arg-type]
        (lambda: Samples(10)(3), "Samples goes above a function of a life, and 3 is none"),  # type: ignore[type-var]
        (lambda: make_task(_with(samples=50)), "task f: its samples is 50, must be a zp.Samples"),
        (lambda: make_task(_with(unit=3)), "task f: its unit is 3, must be a text"),
    ],
)
def test_wrong_wishes_are_told(made: Any, words: str) -> None:
    with pytest.raises(zp.UsageError, match=words):
        made()


def _with(**attributes: Any) -> Any:
    def f(life: zp.Life) -> float:
        return 1.0

    for name, value in attributes.items():
        setattr(f, name, value)
    return f


def test_a_function_that_forgot_to_ask_is_told_how() -> None:
    run = None
    with pytest.raises(
        zp.OwnCodeError, match=r"kept no joints, for nobody asked: .*@zp\.Samples\(per_second"
    ):
        run = zp.evolve(lambda life: life.q[0, 0], task_settings=SHORT, workers=1, **FEW)
    assert run is None
