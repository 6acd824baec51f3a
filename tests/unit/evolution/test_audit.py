"""The honesty audit: champions lived again in other ways (ARN-C49)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from farms import Rower, rowers
from zoophyte import zoo
from zoophyte.control import Neuron, Neurons, Sensor
from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Description,
    Ellipsoid,
    Frustum,
    Joint,
    Polyhedron,
    Sphere,
    Surface,
    TaperedCapsule,
)
from zoophyte.evolution import mujoco_lives
from zoophyte.evolution.audit import _verdict, audit, audit_all
from zoophyte.evolution.evaluation.chunks import compiled_models
from zoophyte.evolution.genomes.limbed import Limbed
from zoophyte.evolution.mujoco_lives import Twin, mujoco_life
from zoophyte.evolution.protocols import Individual, Trial
from zoophyte.evolution.retold import CHECK, Frames, creature, world_life
from zoophyte.evolution.tasks import HitBall, Walk, make_task
from zoophyte.model import State
from zoophyte.model import compile as compile_model
from zoophyte.physics import body_poses
from zoophyte.simulation import Habitat
from zoophyte.simulation.herd import Herd

TASK = Walk(seconds=4.0, settle=1.0)
NEEDS_MUJOCO = pytest.mark.skipif(
    not mujoco_lives.available(), reason="MuJoCo is not installed (extra 'peers')"
)


def walker() -> Rower:
    """One that goes a third of a metre, nearly as far whatever the step."""
    return rowers(6)[3]


def first_trial(task: Any, rower: Rower) -> Trial:
    trial: Trial = task.trials(rower.develop(), 0.0, np.random.default_rng(0))[0]
    return trial


def test_a_life_in_a_world_is_told_as_in_a_herd() -> None:
    """Claim: ways and heights are those that a herd tells, at the same times. Tolerance: rounding of sums, 1e-12 m."""
    trial = first_trial(TASK, walker())
    (model,) = compiled_models([trial], {})
    (lived,) = Herd([model], trial.habitat, trial.controller, dt=TASK.dt, sweeps=TASK.sweeps).simulate(
        trial.seconds, settle=trial.settle, sample_every=0.1
    )
    told = world_life(trial, model, TASK.dt, TASK.sweeps)
    places = [int(np.argmin(np.abs(told.times - time))) for time in lived.times]
    assert told.times[places] == pytest.approx(lived.times, abs=1e-12)
    assert told.com[places] == pytest.approx(lived.com, abs=1e-12)
    assert told.root[places] == pytest.approx(lived.root, abs=1e-12)
    assert told.upright[places] == pytest.approx(lived.upright, abs=1e-12)
    assert told.path == pytest.approx(lived.path, abs=1e-9)
    assert (told.leap, told.airborne) == pytest.approx((lived.leap, lived.airborne), abs=1e-9)


@pytest.mark.parametrize(
    "shape",
    [
        Sphere(radius=0.1), Box(size=(0.1, 0.2, 0.3)), Capsule(radius=0.1, length=0.3), Cylinder(radius=0.1, length=0.3),
        TaperedCapsule(radius_start=0.1, radius_end=0.05, length=0.3), Ellipsoid(semi_axes=(0.1, 0.2, 0.3)),
        Frustum(radius_start=0.1, radius_end=0.05, length=0.3),
        Polyhedron(
            vertices=((0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0, 0, 0.1)), faces=((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
        ),
    ],
    ids=lambda shape: shape.kind,
)  # fmt: skip
def test_the_lowest_point_of_every_shape(shape: Any) -> None:
    """Claim: the kernel's lowest point is that of the description's shapes, which are exact. Tolerance: rounding.

    A body that tumbles upwards in space leaps by all that its lowest point has risen.
    """
    placed = shape.altered(position=(0.1, 0.2, 0.3), rotation=(0.5, 0.5, 0.5, 0.5))
    joint = Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, 1.0))
    body = Description(
        name="body", bodies=[Body(name="body", joint=joint, shapes=[placed])], surface=Surface()
    )
    model = compile_model(body)
    born = State.neutral(model).at(v=(1.0, 2.0, 0.5, 0.0, 0.0, 0.2))
    herd = Herd([model], Habitat(gravity=(0.0, 0.0, 0.0)), dt=TASK.dt)
    (lived,) = herd.simulate(1.0, [born], check_every=CHECK)
    life, frames = herd.world(0).simulate(1.0, born, record_rate=1.0 / CHECK), Frames(model)
    for n, time in enumerate(life.times):
        turns, places = body_poses(model, life.frame(n))
        frames.add(float(time), np.asarray(places)[1:], np.asarray(turns)[1:], False)
    assert lived.leap > 0.005
    assert frames.life(lived.status, 0.0, None).leap == pytest.approx(lived.leap, abs=1e-9)


def test_who_only_may_touch_within_a_step_is_in_the_air() -> None:
    """Claim: a World counts looks in the air as a herd does; exact.

    Half a millimetre up, with hardly any weight, a contact is looked for and bears nothing.
    """
    joint = Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, 0.1005))
    ball = Body(name="ball", joint=joint, shapes=[Sphere(radius=0.1, density=100.0)])
    trial = Trial(
        Description(name="ball", bodies=[ball]), None, Habitat(gravity=(0.0, 0.0, -1e-4)), seconds=1.0
    )
    (model,) = compiled_models([trial], {})
    (lived,) = Herd([model], trial.habitat, dt=TASK.dt).simulate(trial.seconds)
    told = world_life(trial, model, TASK.dt, 30)
    assert (told.airborne, lived.airborne) == (1.0, 1.0)


def test_an_honest_walker_holds() -> None:
    """Claim (ARN-C49): within 20 % with half the step; in the World the same to the last bit."""
    found = audit(walker().develop(), TASK, number=5, peers=False)
    assert found.at_step > 0.2 and not found.is_exploit
    assert found.in_world == found.at_step
    assert found.at_half_step == pytest.approx(found.at_step, rel=0.2)
    assert found.in_mujoco is None and found.unit == "m"


@NEEDS_MUJOCO
@pytest.mark.engines
def test_mujoco_agrees_with_an_honest_walker() -> None:
    """Claim: a walker that does not slip walks as far in MuJoCo. Tolerance: a quarter, for softer contacts."""
    found = audit(walker().develop(), TASK)
    assert found.in_mujoco == pytest.approx(found.at_step, rel=0.25)


def test_one_that_lives_on_the_step_is_marked() -> None:
    """Claim: what half the step takes away is an exploit. Oracle: a task that pays for the step itself.

    The task stands for a fault of the simulator: it counts samples, which half the step would not change, times dt, which
    it does.
    """

    def pays(life: Any) -> float:
        return float(life.final.clock[2]) * 100.0

    found = audit(walker().develop(), make_task(pays, seconds=0.2), peers=False)
    assert (found.at_step, found.at_half_step) == (0.5, 0.25)
    assert found.is_exploit and "less with half the step" in found.note


@pytest.mark.parametrize(
    ("usual", "halved", "is_exploit", "words"),
    [
        ([1.0, 1.1, 0.9], [0.95, 1.0, 0.9], False, ""),
        ([1.0, 1.1, 0.9], [0.5, 0.4, 0.6], True, "less"),
        ([1.0, 0.2, 0.3], [0.4, 0.3, 0.9], False, "sensitive to how it begins"),
        ([1.0, 1.0, 1.0], [1.5, 1.6, 1.5], False, "more"),
        ([1.0, 1.0, 1.0], [0.9, 0.1, 0.2], True, "less"),
    ],
)
def test_chaos_is_told_from_exploits(
    usual: list[float], halved: list[float], is_exploit: bool, words: str
) -> None:
    """Claim: where starts a micrometre apart differ as much as steps do, their means decide."""
    found, note = _verdict(usual, halved)
    assert found == is_exploit and (words in note if words else not note)


def test_all_champions_of_a_run_are_audited() -> None:
    members = [Individual(n, n, rower) for n, rower in enumerate(rowers(2))]
    found = audit_all(
        members, Walk(seconds=1.0, settle=0.5), stage=lambda generation: 0.5 * generation, seed=1, peers=False
    )
    assert [one.number for one in found] == [0, 1]


def test_a_ball_is_no_part_of_the_creature() -> None:
    trial = first_trial(HitBall(seconds=1.0), walker())
    assert creature(trial.description).tolist() == [0, 1, 2]


@NEEDS_MUJOCO
@pytest.mark.engines
@pytest.mark.parametrize("name", ["ant", "ragdoll", "humanoid", "double_pendulum"])
def test_coordinates_in_mujoco_are_read_as_ours(name: str) -> None:
    """Claim: reading MuJoCo's start gives our neutral state. Tolerance: the exporter's nine digits and rounding."""
    body = zoo.get(name)
    model = compile_model(body)
    twin = Twin(Trial(body, None), model, 0.005)
    q, v = twin.coordinates()
    assert q == pytest.approx(State.neutral(model).q, abs=1e-8)
    assert v == pytest.approx(np.zeros(model.nv), abs=1e-12)


@NEEDS_MUJOCO
@pytest.mark.engines
def test_velocities_in_mujoco_are_read_as_ours() -> None:
    """Law: a thrown body keeps its velocity in the world. Oracle: v_W = R v_B from what is read. Tolerance: rounding."""
    body = walker().develop().description
    model = compile_model(body)
    twin = Twin(Trial(body, None), model, 0.005)
    twin.data.qvel[:6] = (0.3, -0.2, 0.1, 0.5, 0.4, -0.3)
    twin.data.qpos[3:7] = np.array([0.8, 0.0, 0.6, 0.0])
    q, v = twin.coordinates()
    w, x, y, z = q[:4]
    R = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    assert R @ v[3:6] == pytest.approx((0.3, -0.2, 0.1), abs=1e-15)
    assert v[:3] == pytest.approx((0.5, 0.4, -0.3), abs=1e-15)


@NEEDS_MUJOCO
@pytest.mark.engines
def test_walkers_live_in_mujoco_at_our_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Claim: with servos taken implicitly, as ours are, MuJoCo has a second opinion on random walkers.

    Oracle: by its usual integrator some of the same diverge; it prints nothing then, and leaves no log. Tolerance: none.
    """
    monkeypatch.chdir(tmp_path)
    rng, breed = np.random.default_rng(0), Limbed()
    found = []
    for _ in range(6):
        (trial,) = Walk(seconds=2.0, settle=0.0).trials(breed.random(rng).develop(), 0.0, rng)
        (model,) = compiled_models([trial], {})
        found.append([mujoco_life(trial, model, 0.005, implicit=way).status.kind for way in (True, False)])
    assert [ours for ours, _ in found] == ["ended"] * 6
    assert "diverged" in [usual for _, usual in found]
    assert not list(tmp_path.iterdir()) and not any(capfd.readouterr())


@NEEDS_MUJOCO
@pytest.mark.engines
def test_neurons_think_in_mujoco_too() -> None:
    """Claim: a controller that feels touch and angles commands a body in MuJoCo: its arms move, and it does not diverge."""
    net = Neurons(
        {"wave": Neuron("wave", (None, None, None), (1.5, 0.0, 0.6)), "sum": Neuron("add", ("wave", "down"), (1.0, 0.2))},
        {"down": Sensor("touch", "left")},
        {"left": "sum", "right": "wave"},
    )  # fmt: skip
    grown = replace(walker().develop(), controller=net)
    (trial,) = Walk(seconds=1.0, settle=0.0).trials(grown, 0.0, np.random.default_rng(0))
    (model,) = compiled_models([trial], {})
    life = mujoco_life(trial, model, 0.005)
    assert life.status.kind == "ended" and life.final is not None
    assert abs(float(life.final.q[-1])) > 0.05 and life.path > 0.01
