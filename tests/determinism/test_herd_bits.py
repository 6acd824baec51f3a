"""A life has the same bits in every herd: alone, in any lane, among any company, on any number of threads, in a World."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from determinism.test_contact_bits import free, scene, start
from herds import DT, bits, controller, model
from zoophyte.control import Hold, Sine
from zoophyte.description import Sphere
from zoophyte.model.layout import FREE
from zoophyte.simulation.herd import Herd

SECONDS = 1.2
COUNT = 40


@cache
def creatures() -> tuple[tuple[zp.Model, ...], tuple[Any, ...]]:
    models = tuple(model(seed) for seed in range(COUNT))
    return models, tuple(controller(m, seed) for seed, m in enumerate(models))


def herd(numbers: Any = range(COUNT), **options: Any) -> Herd:
    models, controllers = creatures()
    options = {"workers": 1, **options}
    return Herd(
        [models[n] for n in numbers], zp.Habitat(), [controllers[n] for n in numbers], dt=DT, **options
    )


def told(life: zp.Life) -> bytes:
    """All that is left of a life."""
    sums = (
        life.path, life.highest, life.lowest, life.effort, life.energy_gain, life.top_speed, life.deepest, life.leap,
        life.airborne,
    )  # fmt: skip
    rest = (life.times, life.com, life.root, life.upright, life.work, np.array(sums))
    return (
        str(life.status).encode()
        + bits(life.final)
        + b"".join(np.ascontiguousarray(x).tobytes() for x in rest)
    )


@cache
def lived() -> tuple[zp.Life, ...]:
    lives = tuple(herd().simulate(SECONDS, guards=zp.Guards(energy=None)))
    kinds = Counter(life.status.kind for life in lives)
    assert kinds["ended"] >= 0.8 * COUNT
    assert kinds["overlapping"] >= 1
    return lives


def lived_by(numbers: Any, **options: Any) -> list[zp.Life]:
    return herd(numbers, **options).simulate(SECONDS, guards=zp.Guards(energy=None))


def test_a_herd_equals_worlds() -> None:
    """Law: one source, one arithmetic (design §3). Every creature of the herd alone in a World, to the last bit."""
    moved = 0
    for number, life in enumerate(lived()):
        if life.status.kind == "ended":
            alone = herd().world(number).simulate(SECONDS)
            assert alone.status.kind == "ended"
            assert bits(life.final) == bits(alone.final), number
            moved += life.distance > 1e-3
    assert moved > COUNT // 3  # bodies at rest would prove little


@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)]
)
def test_company_order_and_threads_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(COUNT)[: int(rng.integers(9, COUNT))].tolist()
    for number, life in zip(numbers, lived_by(numbers, workers=2 + seed), strict=True):
        assert told(life) == told(lived()[number]), number


def test_alone_in_a_register() -> None:
    """No neighbour at all, and thus no padding: still the same."""
    for number in (0, 1, 5, 10):
        (life,) = lived_by([number, number])[:1]
        assert told(life) == told(lived()[number])


def test_one_that_explodes_harms_nobody() -> None:
    """A creature thrown at 2·10⁸ m/s diverges at once; all others are as they were."""
    models, controllers = creatures()
    numbers = list(range(12))
    bomb = zp.compile(zp.zoo.ant())
    states: list[zp.State | None] = [None] * 13
    states[6] = zp.State.neutral(bomb).at(v=np.full(bomb.nv, 2e8))
    mixed = Herd(
        [*(models[n] for n in numbers[:6]), bomb, *(models[n] for n in numbers[6:])], zp.Habitat(),
        [*(controllers[n] for n in numbers[:6]), None, *(controllers[n] for n in numbers[6:])], dt=DT, workers=1,
    )  # fmt: skip
    lives = mixed.simulate(SECONDS, states, guards=zp.Guards(energy=None, speed=None))
    assert lives.pop(6).status.kind == "diverged"
    for number, life in zip(numbers, lives, strict=True):
        assert told(life) == told(lived()[number]), number


def test_a_life_goes_on_in_a_world() -> None:
    """The final state of a herd, carried on by a World, is what the World alone would have reached."""
    first, carried = herd(range(16)).simulate(0.6, guards=zp.Guards(energy=None)), 0
    for number, life in enumerate(first):
        world = herd().world(number)
        try:
            rest = world.simulate(0.6, state=life.final) if life.status.kind == "ended" else None
        except (
            zp.UsageError
        ):  # a World refuses states in which anything is deeper than a thousandth of its size
            continue
        if rest is not None:
            carried += 1
            assert bits(rest.final) == bits(world.simulate(1.2).final), number
    assert carried >= 8


def test_on_terrain() -> None:
    """Balls, boxes, capsules and ellipsoids dropped on bumps of a few centimetres, their neighbours larger or smaller."""
    models, controllers = creatures()
    ground = zp.Terrain.bumps(seed=3, height=0.15, length=0.3, spacing=0.05)
    states = []
    for body in models[:16]:
        state = zp.State.neutral(body)
        lifted = state.q.copy()
        for link in np.flatnonzero(body.links.kind == FREE):
            lifted[body.q_start[link] + 6] += 0.35
        states.append(state.at(q=lifted))
    flock = Herd(models[:16], zp.Habitat(ground=ground), controllers[:16], dt=DT, workers=1)
    lives = flock.simulate(SECONDS, states, guards=zp.Guards(energy=None))
    ended = [number for number, life in enumerate(lives) if life.status.kind == "ended"]
    assert len(ended) >= 13
    for number in ended:
        alone = flock.world(number).simulate(SECONDS, states[number])
        assert bits(lives[number].final) == bits(alone.final), number


def test_with_constraints() -> None:
    """Loops, welds and springs that break, among creatures with one body more and among such without constraints."""
    models = [scene(seed) for seed in range(5)]
    for seed in range(5, 8):
        larger = scene(seed).description.copy()
        models.append(
            zp.compile(larger.add(free("more", Sphere(radius=0.05 + 0.01 * seed), (-1.0, 0.0, 0.4))))
        )
    models += [creatures()[0][n] for n in (0, 9)]
    states = [start(body, seed) for seed, body in enumerate(models)]
    flock = Herd(models, zp.Habitat(), dt=DT, workers=1)
    lives = flock.simulate(0.6, states, guards=zp.Guards(energy=None))
    for number, life in enumerate(lives):
        assert life.status.kind == "ended"
        assert bits(life.final) == bits(flock.world(number).simulate(0.6, states[number]).final), number


def test_equal_bodies_share_registers() -> None:
    """Lanes of one topology need no gathers (another kernel) and give the same bits as a World."""
    ants = [zp.compile(zp.zoo.ant()) for _ in range(11)]
    controllers = [Sine(dict.fromkeys(range(6, 14), 0.7), frequency=1.0 + 0.1 * k) for k in range(10)]
    flock = Herd(ants, zp.Habitat(), [*controllers, Hold(0.0)], dt=DT, workers=2)
    assert not any(queue.mixed for queue in flock.queues())
    lives = flock.simulate(0.7)
    for number in (0, 7, 8, 10):
        assert lives[number].status.kind == "ended"
        assert bits(lives[number].final) == bits(flock.world(number).simulate(0.7).final)


@pytest.mark.slow
@pytest.mark.parametrize("width", [4, 16])
def test_width_changes_nothing(width: int) -> None:
    for number, life in enumerate(lived_by(range(COUNT), width=width)):
        assert told(life) == told(lived()[number]), number


@pytest.mark.slow
def test_single_precision_tells_the_same_story() -> None:
    """float32 lanes: after 0.3 s, before chaos speaks, everybody is within 5 mm of where float64 has it."""
    exact, rough = lived_for(0.3), lived_for(0.3, dtype=np.float32)
    assert [life.status.kind for life in rough] == [life.status.kind for life in exact]
    away = [
        float(np.abs(a.com[-1] - b.com[-1]).max()) for a, b in zip(exact, rough, strict=True) if len(a.com)
    ]
    assert np.median(away) < 1e-4
    assert np.quantile(away, 0.8) < 5e-3


def lived_for(seconds: float, **options: Any) -> list[zp.Life]:
    return herd(**options).simulate(seconds, guards=zp.Guards(energy=None))
