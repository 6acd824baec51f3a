"""In float32, too, a life has the same bits alone, in any lane and company, on any number of threads, and in a World.

Slow: forms of the kernel for float32 are compiled for nothing else.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from determinism.test_herd_bits import COUNT, SECONDS, creatures, herd, told
from herds import DT, bits
from zoophyte.control import Hold, Sine
from zoophyte.simulation.herd import Herd

pytestmark = pytest.mark.slow

UNAUDITED = zp.Guards(energy=None)


def lived_by(numbers: Any, seconds: float = SECONDS, **options: Any) -> list[zp.Life]:
    return herd(numbers, dtype=np.float32, **options).simulate(seconds, guards=UNAUDITED)


@cache
def lived() -> tuple[zp.Life, ...]:
    lives = tuple(lived_by(range(COUNT)))
    assert sum(life.status.kind == "ended" for life in lives) >= 0.8 * COUNT
    return lives


def test_a_herd_equals_worlds() -> None:
    """Oracle: the World of each, graphs of neurons, spectra, tables and sines among their controllers; exact."""
    flock, moved = herd(dtype=np.float32), 0
    for number, life in enumerate(lived()):
        if life.status.kind == "ended":
            alone = flock.world(number).simulate(SECONDS, record_rate=60.0)
            assert alone.status.kind == "ended"
            assert bits(life.final) == bits(alone.final), number
            assert np.array_equal(alone.q[-1], alone.q[-1].astype(np.float32))
            moved += life.distance > 1e-3
    assert moved > COUNT // 3


def test_how_often_it_is_recorded_changes_nothing() -> None:
    world = herd(dtype=np.float32).world(0)
    assert bits(world.simulate(0.4).final) == bits(world.simulate(0.4, record_rate=10.0).final)


def test_company_order_and_threads_change_nothing() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.permutation(COUNT)[:23].tolist()
    for number, life in zip(numbers, lived_by(numbers, workers=3), strict=True):
        assert told(life) == told(lived()[number]), number
    for number in (0, 1, 5, 10):
        assert told(lived_by([number, number])[0]) == told(lived()[number])


def test_equal_bodies_share_registers_of_sixteen() -> None:
    """Claim: lanes of one topology, eight or sixteen, give the bits of a World, which lives among unlike bodies."""
    ants = [zp.compile(zp.zoo.ant())] * 18
    sines = [Sine(dict.fromkeys(range(6, 14), 0.7), frequency=1.0 + 0.1 * k) for k in range(17)]
    wide, narrow = (
        Herd(ants, zp.Habitat(), [*sines, Hold(0.0)], dt=DT, workers=2, dtype=np.float32, width=width)
        for width in (None, 8)
    )
    assert (wide.lanes, narrow.lanes) == (16, 8)
    lives = wide.simulate(0.7)
    assert [told(life) for life in lives] == [told(life) for life in narrow.simulate(0.7)]
    for number in (0, 7, 16, 17):
        assert bits(lives[number].final) == bits(wide.world(number).simulate(0.7).final)


def test_a_life_goes_on() -> None:
    """Oracle: the life that was not broken off; for controllers without a rate, in a herd and in a World; exact."""
    _, controllers = creatures()
    numbers = [n for n in range(COUNT) if isinstance(controllers[n], Sine) or controllers[n] is None]
    first, whole = lived_by(numbers, 0.6), lived_by(numbers, 1.2)
    states = [life.final for life in first]
    again = herd(numbers, dtype=np.float32).simulate(0.6, states, guards=UNAUDITED)
    flock, carried = herd(numbers, dtype=np.float32), 0
    for n, state in enumerate(states):
        if state is not None and whole[n].status.kind == "ended" and len(state.contact):
            assert bits(again[n].final) == bits(whole[n].final), n
            assert bits(flock.world(n).simulate(0.6, state).final) == bits(whole[n].final), n
            carried += 1
    assert carried >= 5


def test_an_ant_stands_still() -> None:
    """Law: what stands stays, for a minute.

    Tolerances: creep a hundredth of a millimetre, where a rounding of float32 is 3e-8 m a step and 12 000 of them with one
    sign would be 0.4 mm; energy the ant's weight times that; and the ground bears the weight to a thousandth, always.
    """
    flock = Herd([zp.zoo.ant()], zp.Habitat(), Hold(0.0), dt=DT, dtype=np.float32)
    life = flock.world(0).simulate(70.0, record_rate=10.0)
    stands, weight = life.times >= 10.0, 9.81 * flock.models[0].total_mass
    places, energy = life.q[stands, 4:6], life.channels["energy"][stands]
    forces = life.channels["contact_forces"][stands].reshape(len(places), -1, 3).sum(axis=1)
    assert np.abs(places - places[0]).max() < 1e-5
    assert np.abs(energy - energy[0]).max() < 1e-5 * weight
    assert np.abs(forces - [0.0, 0.0, weight]).max() < 1e-3 * weight


def test_one_that_diverges_is_told_as_in_its_herd() -> None:
    ant = zp.compile(zp.zoo.ant())
    bomb = zp.State.neutral(ant).at(v=np.full(ant.nv, 2e8))
    flock = Herd([ant], zp.Habitat(), dt=DT, dtype=np.float32)
    (life,) = flock.simulate(0.5, [bomb], guards=zp.Guards(energy=None, speed=None))
    alone = flock.world(0).simulate(0.5, bomb)
    assert life.status.kind == alone.status.kind == "diverged"
    assert (life.status.time, life.status.body) == (alone.status.time, alone.status.body)
    assert len(alone.times) == 1


def test_born_inside_each_other() -> None:
    numbers = [n for n, life in enumerate(lived()) if life.status.kind == "overlapping"]
    assert numbers
    with pytest.raises(zp.UsageError, match=r"shapes overlap when life begins: .* mm deep"):
        herd(dtype=np.float32).world(numbers[0]).simulate(0.1)
