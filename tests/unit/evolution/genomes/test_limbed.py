"""The limbed genome: it grows into a valid body with a working controller, is kept and read back, and differs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.control import Neurons, Oscillators, Sine, Spectral
from zoophyte.errors import FileError, UsageError
from zoophyte.evolution.genomes.limbed import Limbed, LimbedGenome
from zoophyte.evolution.genomes.limbed.body import KAPPA, LIMIT
from zoophyte.evolution.genomes.limbed.genome import PERIOD_HIGH, PERIOD_LOW, VOLUME, problem_of
from zoophyte.evolution.genomes.limbed.motions import MOTIONS, SIGNAL_RMS
from zoophyte.evolution.protocols import Breed, Genome, Operator
from zoophyte.evolution.wire import pack, unpack
from zoophyte.zoo.standing import standing

CONTROLLERS = {"spectral": Spectral, "sine": Sine, "oscillators": Oscillators, "neurons": Neurons}
everyone = pytest.mark.parametrize("controller", CONTROLLERS)


def generator(*words: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((53, *words))))


def drawn(n: int, **breed: Any) -> LimbedGenome:
    return Limbed(**breed).random(generator(n))


def test_they_keep_to_the_protocols() -> None:
    assert isinstance(Limbed(), Breed)
    assert isinstance(drawn(0), Genome)
    assert all(isinstance(operator, Operator) for operator in Limbed(mutants=0.5).operators())


@everyone
@pytest.mark.parametrize("designed", [False, True])
def test_random_genomes_are_valid_and_grow_valid_bodies(controller: str, designed: bool) -> None:
    """What `develop` builds without checks passes all checks unchanged; 4 legs have 14 degrees of freedom, 6 have 18."""
    counts = set()
    for n in range(12):
        genome = drawn(n, controller=controller, designed=designed)
        assert problem_of(genome) == ""
        grown = genome.develop()
        assert grown.description == grown.description.checked()
        assert isinstance(grown.controller, CONTROLLERS[controller])
        counts.add((len(genome.limbs), zp.compile(grown.description).nv))
    assert counts == {(2, 14), (3, 18)}


@everyone
def test_development_is_the_same_every_time(controller: str) -> None:
    genome = drawn(3, controller=controller)
    first, second = genome.develop(), genome.develop()
    assert first.description == second.description
    assert repr(first.controller) == repr(second.controller)


def test_bodies_are_as_the_source_says() -> None:
    """Volume V0, one density, knees without a step, stiffness κ·D, limits as springs ten times as stiff (ARN-46, 47, 53)."""
    genome = drawn(4)
    body = genome.develop().description
    trunk = body.body("trunk").shapes[0]
    assert trunk.kind == "ellipsoid"
    assert trunk.volume() == pytest.approx(VOLUME, rel=1e-15)
    assert {shape.density for part in body.bodies for shape in part.shapes} == {1000.0}
    for side in ("left", "right"):
        upper, lower = body.body(f"rear_{side}_upper"), body.body(f"rear_{side}_lower")
        above, below = upper.shapes[0], lower.shapes[0]
        assert above.kind == below.kind == "tapered_capsule"
        assert above.radius_end == below.radius_start
        for part, diameter in ((upper, 2.0 * above.radius_start), (lower, 2.0 * below.radius_start)):
            servo = part.joint.actuator
            assert servo is not None
            assert servo.kind == "servo"
            assert servo.stiffness == KAPPA * diameter
            assert part.joint.limit_stiffness == 10.0 * servo.stiffness
            assert part.joint.limits == (-LIMIT, LIMIT)
        x, y, z = (a / b for a, b in zip(upper.joint.position, trunk.semi_axes, strict=True))
        assert x * x + y * y + z * z == pytest.approx(1.0, abs=1e-14), "hips sit on the trunk"


def test_designed_bodies_are_variations_of_the_reference_creatures() -> None:
    """Total masses of REF4 and REF6 are 12.59 and 13.85 kg with plain frusta; round ends and variation add some per cent."""
    for n in range(10):
        body = zp.compile(drawn(n, designed=True).develop().description)
        reference = zp.compile(zp.zoo.ref4() if body.nv == 14 else zp.zoo.ref6())
        assert body.total_mass == pytest.approx(reference.total_mass, rel=0.15)
        assert body.nv == reference.nv


def test_random_signals_have_the_size_asked_for() -> None:
    """rms 0.5 rad over 300 limb pairs: the mean square has a relative error of about 1/√(300·2·4)."""
    squares = [
        float(np.sum(_samples(MOTIONS["spectral"].random(generator(5, n))) ** 2)) / 32.0 for n in range(300)
    ]
    assert np.mean(squares) == pytest.approx(SIGNAL_RMS**2, rel=0.1)


def _samples(motion: Any) -> Any:
    half = motion[..., 0] + 1j * motion[..., 1]
    whole = np.concatenate([half, np.zeros((2, 1)), np.conj(half[:, :0:-1])], axis=1)
    return np.fft.fft(whole, axis=1).real / 16.0


@pytest.mark.parametrize("controller", ["spectral", "sine", "oscillators"])
def test_alternating_legs_are_half_a_period_apart(controller: str) -> None:
    """ARN-49: the right hip does what the left one did half a period before (spectra, sines; oscillators once locked)."""
    genome = replace(drawn(6, controller=controller), period=0.8)
    limbs = [replace(limb, alternates=True) for limb in genome.limbs]
    if controller == "oscillators":  # equal frequencies and strong pulls, so that they lock
        locked = np.array([0.5, 0.5, 0, 0, 1, 1, 0.3, 0.2, 8, 8, 8], float)
        limbs = [replace(limb, motion=locked) for limb in limbs]
    grown = replace(genome, limbs=tuple(limbs)).develop()
    model = zp.compile(grown.description)
    left, right = model.dof_index("front_left_upper"), model.dof_index("front_right_upper")

    mind = grown.controller
    assert mind is not None

    def command(time: float) -> Any:
        senses = zp.control.Senses(model, time, np.zeros(model.nq), np.zeros(model.nv))
        held, rate, _, start, amplitude, frequency, phase = mind.command(senses, np.zeros(0))[0].signals.T
        return held + rate * (time - start) + amplitude * np.sin(frequency * time + phase)

    for time in (9.0, 9.16, 9.38):
        assert command(time + 0.4)[right] == pytest.approx(command(time)[left], abs=1e-9)
    assert abs(command(9.0)[right] - command(9.0)[left]) > 1e-3


@everyone
def test_they_live_in_a_herd(controller: str) -> None:
    """Two seconds of sixteen random creatures: none blows up or cheats, and most of them move a joint."""
    grown = [drawn(n, controller=controller).develop() for n in range(16)]
    bodies = [zp.compile(standing(each.description)) for each in grown]
    lives = zp.Herd(bodies, controllers=[each.controller for each in grown], dt=5e-3, sweeps=4).simulate(2.0)
    assert {life.status.kind for life in lives} == {"ended"}
    assert np.median([life.effort for life in lives]) > 1.0


@everyone
def test_records_come_back_equal(controller: str) -> None:
    """Also through bytes; the restored genome grows into the same creature."""
    breed = Limbed(controller)
    genome = breed.random(generator(7))
    again = breed.restore(unpack(pack(genome.record())))
    assert again == genome
    assert hash(again) == hash(genome)
    assert again.develop().description == genome.develop().description
    assert repr(again.develop().controller) == repr(genome.develop().controller)
    assert replace(again, period=again.period * 1.01) != genome


def test_damaged_records_are_refused() -> None:
    breed, genome = Limbed(), drawn(8)
    good = genome.record()
    limb = good["limbs"][0]
    damaged: list[tuple[dict[str, Any], str]] = [
        ({}, "not the record"),
        (good | {"version": 99}, "format 99"),
        (good | {"trunk": genome.trunk * 1.1}, "volume|semi-axes"),
        (good | {"period": float("nan")}, "period is nan"),
        (good | {"limbs": good["limbs"][:1]}, "1 limb pairs"),
        (good | {"limbs": 3}, "damaged"),
        (good | {"steps": np.zeros(4)}, "step sizes"),
        (good | {"limbs": [limb | {"hip": np.ones(4)}] * 2}, "unit quaternion"),
        (good | {"limbs": [limb | {"sizes": np.ones(5)}] * 2}, "sizes are"),
        (good | {"limbs": [limb | {"place": 2.0}] * 2}, "place is"),
        (good | {"limbs": [limb | {"motion": np.ones((2, 8, 3))}] * 2}, "does not fit the controller"),
        (good | {"controller": "springs"}, "must be one of"),
        ({key: value for key, value in good.items() if key != "period"}, "KeyError"),
    ]
    for record, word in damaged:
        with pytest.raises(FileError, match=word):
            breed.restore(record)
    with pytest.raises(FileError, match="`--controller sine`"):
        breed.restore(drawn(8, controller="sine").record())


@everyone
def test_difference_is_a_distance_of_order_one(controller: str) -> None:
    """0 for equals, the same both ways, about 1 between strangers, small between parent and child."""
    breed = Limbed(controller)
    genomes = [breed.random(generator(9, n)) for n in range(40)]
    strangers = [breed.difference(a, b) for a, b in zip(genomes[:20], genomes[20:], strict=True)]
    assert strangers == [breed.difference(b, a) for a, b in zip(genomes[:20], genomes[20:], strict=True)]
    assert 0.7 < np.mean(strangers) < 1.3
    assert breed.difference(genomes[0], breed.restore(genomes[0].record())) == 0.0
    (mutation,) = Limbed(controller, recombination="none").operators()
    children = [breed.difference(g, mutation([g], generator(10, n))) for n, g in enumerate(genomes[:20])]
    assert 0.0 < np.mean(children) < 0.3 * np.mean(strangers)


def test_periods_are_even_on_a_logarithmic_scale() -> None:
    """A third of 600 in each third of the range: 200 ± 4·√(600·2/9)."""
    parts = [np.log(drawn(n).period / PERIOD_LOW) / np.log(PERIOD_HIGH / PERIOD_LOW) for n in range(600)]
    assert np.max(np.abs(np.histogram(parts, 3, (0.0, 1.0))[0] - 200)) < 4.0 * np.sqrt(600 * 2 / 9)


def test_settings_make_the_same_breed_again() -> None:
    breed = Limbed("sine", designed=True, recombination="pool", adaptation="self", mutants=0.2, step=0.5)
    assert Limbed(**breed.settings()) == breed
    assert breed.random(generator(11)) == Limbed(**breed.settings()).random(generator(11))


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"controller": "spectal"}, "Did you mean 'spectral'"),
        ({"recombination": "both"}, "how is 'both'"),
        ({"adaptation": "fast"}, "adaptation is 'fast'"),
        ({"adaptation": "success"}, "must be one of none, self.*--set-scheme success_rule=true"),
        ({"mutants": 1.5}, "share from 0 to 1"),
        ({"step": 0.0}, "step is 0.0"),
    ],
)
def test_unknown_options_are_refused(wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        Limbed(**wrong)


def test_legs_touch_each_other_where_the_breed_says_so() -> None:
    """The breed says it, not the genome: whoever is bred or read back there has it, and the record stays the same."""
    breed = Limbed(self_contact=True)
    plain, genome = drawn(3), drawn(3, self_contact=True)
    assert plain.record().keys() == genome.record().keys() and plain == genome
    assert not plain.develop().description.self_contact and "self_contact" not in Limbed().settings()
    (both,) = breed.operators()
    child = both([genome, breed.restore(plain.record())], generator(4))
    for one in (genome, child, breed.restore(unpack(pack(plain.record())))):
        description = one.develop().description
        assert description.self_contact and description == description.checked()
        zp.World(description)  # refuses shapes that may meet and cannot touch, as the trunk and lower legs
    assert Limbed(**breed.settings()) == breed
    with pytest.raises(UsageError, match="self_contact is 1, must be true or false"):
        Limbed(self_contact=1)  # type: ignore[arg-type]
