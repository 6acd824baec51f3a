"""Controllers that begin later, bodies in a medium and sensors of places: the same bits in a World and in every herd."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from determinism.test_herd_bits import told
from herds import DT, bits, controller, joints, model
from zoophyte.control import After, Hold, Neuron, Neurons, Sensor, Sine
from zoophyte.model import Block, ContactSettings
from zoophyte.model.model import Floats
from zoophyte.numbers import Spec
from zoophyte.numbers.forms import compiled
from zoophyte.physics.lives.lives import live
from zoophyte.simulation.herd import Herd

WATER = zp.Habitat(medium=zp.Medium(density=300.0, viscosity=0.01, wind=(0.4, -0.2, 0.1)))
SEEDS = (0, 1, 2, 6, 7, 8, 9, 10, 11, 12)
BEGIN = 0.2
SECONDS = 0.6


def seeing(body: zp.Model, seed: int) -> Neurons:
    """A graph that looks where the last body is, and says so to all joints."""
    sensors = {
        f"to{n}": Sensor("toward", body.body_names[-1], axis=n, noise=0.01 * n, delay=0.04 * n)
        for n in range(3)
    }
    neurons = {"sum": Neuron("add", ("to0", "to1", "to2"), (1.0, -2.0, 0.5 + 0.1 * seed))}
    return Neurons(neurons, sensors, dict.fromkeys(joints(body), "sum"), seed=seed)


@cache
def creatures() -> tuple[tuple[zp.Model, ...], tuple[Any, ...]]:
    """All four kinds of controllers, each late; two that look at others; one that is not late."""
    models = [model(seed) for seed in SEEDS]
    controllers: list[Any] = [
        After(BEGIN, controller(m, seed)) for seed, m in zip(SEEDS, models, strict=True)
    ]
    controllers += [seeing(models[0], 1), After(BEGIN, seeing(models[2], 2)), controller(models[4], 7)]
    models += [models[0], models[2], models[4]]
    return tuple(models), tuple(controllers)


def herd(numbers: Any = None, **options: Any) -> Herd:
    models, controllers = creatures()
    chosen = range(len(models)) if numbers is None else numbers
    options = {"workers": 1, **options}
    return Herd([models[n] for n in chosen], WATER, [controllers[n] for n in chosen], dt=DT, **options)


@cache
def lived() -> tuple[zp.Life, ...]:
    lives = tuple(herd().simulate(SECONDS, settle=0.1, guards=zp.Guards(energy=None)))
    assert sum(life.status.kind == "ended" for life in lives) >= len(lives) - 2
    return lives


@pytest.mark.parametrize("seconds", [0.1, BEGIN, SECONDS])
def test_a_herd_equals_worlds(seconds: float) -> None:
    """Law: one source, one arithmetic: before the controllers begin, just when they do, and after it."""
    lives = herd().simulate(seconds, guards=zp.Guards(energy=None))
    acted = 0
    for number, life in enumerate(lives):
        if life.status.kind == "ended":
            alone = herd().world(number).simulate(seconds)
            assert bits(life.final) == bits(alone.final), number
            acted += bool(np.any(alone.final.command))
    # The graph and the sines that are not late act from the start.
    assert acted == 2 if seconds <= BEGIN else acted >= len(lives) - 2


def test_company_and_threads_change_nothing() -> None:
    numbers = np.random.default_rng(5).permutation(len(creatures()[0]))[:9].tolist()
    lives = herd(numbers, workers=2).simulate(SECONDS, settle=0.1, guards=zp.Guards(energy=None))
    for number, life in zip(numbers, lives, strict=True):
        assert told(life) == told(lived()[number]), number


@pytest.mark.slow
@pytest.mark.parametrize("width", [4, 16])
def test_width_changes_nothing(width: int) -> None:
    lives = herd(width=width).simulate(SECONDS, settle=0.1, guards=zp.Guards(energy=None))
    for number, life in enumerate(lives):
        assert told(life) == told(lived()[number]), number


def test_a_life_goes_on_in_a_world() -> None:
    """Broken off before its controller begins, just when it does, and later; carried on by a World."""
    numbers = (0, 1, 2, 4, 5, 11)  # one of each kind, and one that looks
    for seconds in (0.1, BEGIN, 0.25):
        first, carried = herd(numbers).simulate(seconds, guards=zp.Guards(energy=None)), 0
        for number, life in enumerate(first):
            world = herd(numbers).world(number)
            try:
                rest = (
                    world.simulate(0.3 - seconds, state=life.final) if life.status.kind == "ended" else None
                )
            except zp.UsageError:  # something is deeper than a World takes at a beginning
                continue
            if rest is not None:
                carried += 1
                assert bits(rest.final) == bits(world.simulate(0.3).final), (number, seconds)
        assert carried >= 4


def test_equal_bodies_in_water() -> None:
    """Lanes of one topology, another kernel; one leaves early, so that a lane is parked in the wind."""
    ants = [zp.compile(zp.zoo.ant()) for _ in range(9)]
    controllers = [
        After(0.1, Sine(dict.fromkeys(range(6, 14), 0.7), frequency=1.0 + 0.1 * k)) for k in range(8)
    ]
    flock = Herd(ants, WATER, [*controllers, Hold(0.0)], dt=DT, workers=1)
    assert not any(queue.mixed for queue in flock.queues())
    states: list[zp.State | None] = [None] * 9
    states[2] = zp.State.neutral(ants[2]).at(v=np.full(ants[2].nv, 2e8))
    lives = flock.simulate(0.4, states, guards=zp.Guards(energy=None, speed=None))
    assert lives[2].status.kind == "diverged"
    for number in (0, 7, 8):
        assert lives[number].status.kind == "ended"
        assert bits(lives[number].final) == bits(flock.world(number).simulate(0.4).final)


def test_the_interpreter_makes_the_same_bits() -> None:
    """Three steps in water, amid contacts, by the plain functions on lists."""
    body = model(1)
    settings = ContactSettings(zp.Plane(), sleep=False)

    def block() -> Block:
        made = Block([body], contact=settings, medium=WATER.medium)
        made.set_step(DT)
        made.set_state(0, touching)
        return made

    touching = zp.World(body, WATER, dt=DT, sleep=False).simulate(0.5).final
    plain, fast = block(), block()
    data = plain.data.tolist()
    live(plain.ints.tolist(), data, plain.scratch.tolist(), plain.terrain.tolist(), [], 3, Spec(1))
    compiled(live)(fast.ints, fast.data, fast.scratch, fast.terrain, fast.orders, 3, Spec(1))
    found: Floats = np.array(data)
    assert found.tobytes() == fast.data.tobytes()
