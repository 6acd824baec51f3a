"""Checks of Arnold 1997, chapter 3: spectral controllers, mirrored limbs and the limbed genome (ARN-C31 … C37)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from zoophyte.control import Senses, Spectral
from zoophyte.evolution.genomes.limbed import Limbed, LimbedGenome, Mutation, Recombination
from zoophyte.evolution.genomes.limbed.genome import SIZE_HIGH, SIZE_LOW, VOLUME
from zoophyte.evolution.genomes.limbed.motions import HARMONICS, SAMPLES, SpectralMotion, shifted
from zoophyte.evolution.genomes.limbed.motions import SPECTRUM as DEVIATIONS
from zoophyte.model import Model, State, compile
from zoophyte.model.model import Floats
from zoophyte.physics import body_poses
from zoophyte.simulation import Habitat, World
from zoophyte.validation.catalogue import Measurement, at_most, check, compare, holds
from zoophyte.validation.running import slope
from zoophyte.zoo import pendulum

SPECTRUM = (0.8, 2.0 - 1.0j, 0.5 + 0.5j, 0.0)
STEP = 0.125
PRINTED = "ten printed decimals"
SIGNAL = (
    0.725, 0.4017766953, -0.275, -0.5553300859, -0.275, 0.0482233047, 0.225, 0.5053300859,
)  # fmt: skip
LATER = (
    0.5711998700, 0.7122447429, 0.2718933178, -0.3826485065, -0.5317097505, -0.1972263652, 0.0886165627, 0.2676301288,
)  # fmt: skip
SEED = 1997


def source(place: str, number: int) -> str:
    """Where a check of §5.4 comes from."""
    return f"Arnold 1997, {place}; spec arnold §5.4 C-{number}"


def generator(*words: int) -> np.random.Generator:
    """A generator of its own for each check."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((SEED, *words))))


def one_joint() -> Model:
    """A body with one hinge."""
    return compile(pendulum())


def signal(spectrum: Any) -> Floats:
    """One period of samples."""
    return Spectral({0: spectrum}, STEP).samples(one_joint())[:, 0]


def value_at(controller: Spectral, time: float) -> float:
    """What the controller asks for at a time."""
    model = one_joint()
    command, _ = controller.command(Senses(model, time, np.zeros(1), np.zeros(1)), np.zeros(0))
    value, rate, _, start = command.signals[0, :4].tolist()
    return float(value + rate * (time - start))


@check("ARN-C31", kind="golden", title="Spectral synthesis", source=source("3.2.2", 31))
def synthesis() -> Iterator[Measurement]:
    """h_k = (1/N) Σ H_n e^(−2πi k n/N) with N = 8, H_0 = 0.8, H_1 = 2 − i, H_2 = ½ + ½i, and H_(N−n) = conj(H_n).

    The full sum over all eight complex numbers must be real, and equal to what the controller makes of the first four.
    """
    half = np.array(SPECTRUM)
    whole = np.concatenate([half, [0.0], np.conj(half[:0:-1])])
    full = np.fft.fft(whole) / len(whole)
    yield compare(signal(SPECTRUM), SIGNAL, absolute=5e-11, why=PRINTED, what="h_0 … h_7")
    yield at_most(np.abs(full.imag), 1e-14, why="asked for: rounding", what="imaginary parts of the full sum")
    yield at_most(np.abs(full.real - signal(SPECTRUM)), 1e-14, why="rounding", what="against the full sum")


@check("ARN-C32", kind="golden", title="Between samples, and round again", source=source("3.2.2", 32))
def interpolation() -> Measurement:
    """Straight lines between samples, from the last one to the first; a partner half a period late; period N·step = 1 s."""
    plain, partner = Spectral({0: SPECTRUM}, STEP), Spectral({0: SPECTRUM}, STEP, {0: 0.5})
    found = [
        value_at(plain, 0.3),
        value_at(plain, 0.95),
        value_at(partner, 0.3),
        value_at(plain, 7.3),
    ]
    expected = (-0.3871320344, 0.6371320344, 0.3371320344, -0.3871320344)
    return compare(
        found, expected, absolute=5e-11, why=PRINTED, what="h(0.3), h(0.95), partner at 0.3, h(7.3 s)"
    )


@check("ARN-C33", kind="golden", title="A shift in time", source=source("3.2.2, mutation", 33))
def time_shift() -> Measurement:
    """H_n ← H_n e^(+2πi n s/(NΔ)) delays the signal by s = 0.1 s, also between samples."""
    numbers = np.array([[(z.real, z.imag) for z in map(complex, SPECTRUM)]])
    later = shifted(numbers, np.array([0.1 / (2 * len(SPECTRUM) * STEP)]))[0]
    found = signal([complex(re, im) for re, im in later.tolist()])
    return compare(found, LATER, absolute=5e-11, why=PRINTED, what="h_0 … h_7, later by 0.1 s")


@check("ARN-C34", kind="golden", title="One harmonic is a sinusoid", source=source("3.2.2", 34))
def sinusoid() -> Measurement:
    """H_1 = N/2 gives cos(2πt/NΔ) at the times of samples, H_1 = iN/2 the sine (Ventrella's controllers)."""
    turns = 2.0 * np.pi * np.arange(8) / 8.0
    found = [signal((0.0, 4.0, 0.0, 0.0)), signal((0.0, 4.0j, 0.0, 0.0))]
    return compare(
        found, [np.cos(turns), np.sin(turns)], absolute=1e-15, why="rounding", what="cosine and sine"
    )


def synthesised(spectra: Floats) -> Floats:
    """Signals of hip and knee, shape (2, N), by the transform of another library."""
    half = spectra[..., 0] + 1j * spectra[..., 1]
    whole = np.concatenate([half, np.zeros((len(half), 1)), np.conj(half[:, :0:-1])], axis=1)
    return np.asarray(np.fft.fft(whole, axis=1).real / whole.shape[1], float)


@check("ARN-C35", kind="golden", title="Mutants stay close", source=source("3.2.2, figure 3.3", 35))
def mutants_stay_close() -> Iterator[Measurement]:
    """Small changes of a spectrum make small changes of the signal, and the smaller the step the smaller the change.

    Five mutants of one function with the default steps hug it (the figure's dashed curves): each is nearer to it than any of
    a hundred random functions is.  How near follows from the steps: H′ = (H + ε) e^(iφ) with normal ε and φ gives
    E|ΔH_n|² = 2 |H_n|² (1 − e^(−s²/2)) + E|ε_n|², s = 2π n σ_shift; the mean square over 400 mutants must be that.  At small
    steps the rms distance is proportional to the step.  Parseval: Σ|Δh|² = (1/N) Σ|ΔH|² for each mutant.
    """
    motion, default = SpectralMotion(), Mutation()
    first = motion.random(generator(35, 0))
    five = [motion.mutated(first, generator(35, 1, n), default.noise, default.shift) for n in range(5)]
    changes = [synthesised(mutant) - synthesised(first) for mutant in five]
    others = [synthesised(motion.random(generator(35, 3, n))) - synthesised(first) for n in range(100)]
    nearest = min(float(np.mean(other**2)) for other in others)
    farthest = max(float(np.mean(change**2)) for change in changes)
    yield holds(farthest < nearest, what="five mutants are nearer than any of 100 random functions")
    weights = np.array([1.0] + [2.0] * (HARMONICS - 1))  # H_n but H_0 stands for itself and its conjugate
    steps, distances = (1.0 / 16.0, 1.0 / 8.0, 1.0 / 4.0, 1.0), []
    for step in steps:
        noise, shift = step * default.noise, step * default.shift
        mutants = (motion.mutated(first, generator(35, 2, n), noise, shift) for n in range(400))
        squares = [np.mean((synthesised(mutant) - synthesised(first)) ** 2) for mutant in mutants]
        distances.append(float(np.sqrt(np.mean(squares))))
    turn = 1.0 - np.exp(-0.5 * (2.0 * np.pi * np.arange(HARMONICS) * default.shift) ** 2)
    strewn = (default.noise * DEVIATIONS) ** 2 * np.array([1.0] + [2.0] * (HARMONICS - 1))
    expected = (
        np.mean(np.sum(weights * (2.0 * np.sum(first**2, axis=-1) * turn + strewn), axis=-1)) / SAMPLES**2
    )
    yield compare(
        float(np.mean(squares)), float(expected), absolute=3.0 * float(np.std(squares)) / 20.0,
        why="three standard errors of 400 mutants", what="mean square distance with the default steps [rad²]",
    )  # fmt: skip
    yield compare(
        slope(steps[:3], distances[:3]), 1.0, absolute=0.02, why="next term: (2π·7·0.005)²/6", what="order in the step"
    )  # fmt: skip
    balance = [
        float(np.sum(change**2)) - float(np.sum(weights * np.sum((mutant - first) ** 2, axis=-1))) / SAMPLES
        for change, mutant in zip(changes, five, strict=True)
    ]
    yield at_most(balance, 1e-13, why="rounding", what="Σ|Δh|² − (1/N) Σ|ΔH|²")


@check("ARN-C36", kind="golden", title="Left and right are mirror images", source=source("3.2.1", 36))
def mirror_images() -> Iterator[Measurement]:
    """A creature whose legs move in phase stays its own mirror image: feet at (x, y, z) and (x, −y, z).

    Random creatures in free flight for 1 s at 1 ms, without ground.  Rounding grows only slowly there: nothing is struck.
    """
    worst, reach = [], []
    for number in range(4):
        genome = Limbed().random(generator(36, number))
        limbs = tuple(replace(limb, alternates=False) for limb in genome.limbs)
        grown = replace(genome, limbs=limbs).develop()
        world = World(grown.description, Habitat(ground=None), grown.controller, dt=1e-3)
        life = world.simulate(1.0, record_rate=20)
        model = world.model
        for q in life.q:
            R, p = body_poses(model, State.neutral(model).at(q=q))
            worst.append(max(_asymmetry(model, genome, R, p)))
        reach.append(float(np.ptp(np.asarray(life.q)[:, 7:], axis=0).max()))
    yield at_most(max(worst), 1e-9, why="asked for", what="distance of a foot from its partner's image [m]")
    yield holds(min(reach) > 0.5, what="legs swing by half a radian and more meanwhile")


def _asymmetry(model: Model, genome: LimbedGenome, R: Floats, p: Floats) -> Iterator[float]:
    for pair, limb in zip(("front", "rear", "middle"), genome.limbs, strict=False):
        tip = np.array([0.0, 0.0, -limb.sizes[3]])
        left, right = (
            p[n] + R[n] @ tip
            for n in (model.body_index(f"{pair}_{side}_lower") for side in ("left", "right"))
        )
        yield float(np.max(np.abs(left - right * (1.0, -1.0, 1.0))))


CHILDREN = 1000


@check(
    "ARN-C37", kind="golden", title="Recombination and mutation of limbed genomes", source=source("3.2.1", 37)
)
def variation() -> Iterator[Measurement]:
    """A thousand children of a parent with two and one with three pairs of limbs.

    The number of pairs follows a coin, 500 ± 3·√250.  Trunks have the volume V0.  Before mutation every limb pair is one of
    a parent's, its spectra included.  After mutation (of one genome, well within all bounds) mean displacements vanish
    within three standard errors.  They are measured where steps are taken: sizes in metres, trunks by their logarithms,
    poses as rotation vectors from the parent's pose, spectra without the shift in time (which turns all phases), the shift
    as the phase of the first harmonic, and the period.
    """
    breed, mother, father = Limbed(), *two_parents()
    mix = Recombination(mutation=None)
    children = [mix((mother, father), generator(37, 1, n)) for n in range(CHILDREN)]
    three = sum(len(child.limbs) == 3 for child in children)
    yield compare(
        three, 0.5 * CHILDREN, absolute=3.0 * np.sqrt(0.25 * CHILDREN), why="3σ", what="with three pairs"
    )
    mutants = [Mutation()((child,), generator(37, 2, n)) for n, child in enumerate(children)]
    volumes = [4.0 / 3.0 * np.pi * float(np.prod(g.trunk)) / VOLUME - 1.0 for g in (*children, *mutants)]
    yield at_most(max(map(abs, volumes)), 1e-15 * 4, why="rounding", what="volume of trunks over V0, less 1")
    units = all(
        limb in _at(slot, mother, father) for child in children for slot, limb in enumerate(child.limbs)
    )
    yield holds(units, what="every limb pair is one parent's, with its spectra")
    middle = well_inside(breed.random(generator(37, 3)))
    still = replace(Mutation(), shift=0.0)
    moved = [still((middle,), generator(37, 4, n)) for n in range(CHILDREN)]
    turned = [replace(Mutation(), noise=0.0)((middle,), generator(37, 5, n)) for n in range(CHILDREN)]
    for what, found in displacements(middle, moved, turned).items():
        error = float(np.max(np.abs(found.mean(axis=0)) / (found.std(axis=0, ddof=1) / np.sqrt(len(found)))))
        yield at_most(
            error, 3.0, why="three standard errors", what=f"mean displacement of {what}, in its errors"
        )


def two_parents() -> tuple[LimbedGenome, LimbedGenome]:
    """One with two pairs of limbs, one with three."""
    drawn = [Limbed().random(generator(37, 0, n)) for n in range(20)]
    return next(g for g in drawn if len(g.limbs) == 2), next(g for g in drawn if len(g.limbs) == 3)


def _at(slot: int, *parents: LimbedGenome) -> list[Any]:
    return [parent.limbs[slot] for parent in parents if len(parent.limbs) > slot]


def well_inside(genome: LimbedGenome) -> LimbedGenome:
    """The same genome with sizes, trunk and period in the middle of their ranges, and small spectra."""
    middle = 0.5 * (SIZE_LOW + SIZE_HIGH)
    limbs = tuple(replace(limb, sizes=middle, motion=0.5 * limb.motion) for limb in genome.limbs)
    radius = (VOLUME / (4.0 / 3.0 * np.pi)) ** (1.0 / 3.0)
    return replace(genome, limbs=limbs, trunk=np.full(3, radius), period=1.0)


def displacements(
    parent: LimbedGenome, moved: list[LimbedGenome], turned: list[LimbedGenome]
) -> dict[str, Floats]:
    """What mutants differ by, one row each; of those in `turned` only the first harmonic is looked at."""
    limb = parent.limbs[0]
    harmonic = limb.motion[:, 1, 0] + 1j * limb.motion[:, 1, 1]
    return {
        "sizes": np.array([g.limbs[0].sizes - limb.sizes for g in moved]),
        "trunks": np.array([np.log(g.trunk / parent.trunk)[:2] for g in moved]),
        "hips": np.array([_rotation(limb.hip, g.limbs[0].hip) for g in moved]),
        "knees": np.array([_rotation(limb.knee, g.limbs[0].knee) for g in moved]),
        "spectra": np.array([(g.limbs[0].motion - limb.motion).ravel()[_FREE] for g in moved]),
        "shifts": np.array([
            np.angle((g.limbs[0].motion[:, 1, 0] + 1j * g.limbs[0].motion[:, 1, 1]) / harmonic) for g in turned
        ]),
        "period": np.array([[g.period - parent.period] for g in moved]),
    }  # fmt: skip


_FREE = np.array([n for n in range(2 * HARMONICS * 2) if n % (2 * HARMONICS) != 1])
"""All numbers of two spectra but the imaginary parts of H_0, which are 0."""


def _rotation(old: Floats, new: Floats) -> Floats:
    """The rotation vector from one pose to another, in the axes of the first, for angles far below π."""
    w, v = old[0], -old[1:]
    imaginary = w * new[1:] + new[0] * v + np.cross(v, new[1:])
    real = w * new[0] - float(v @ new[1:])
    return np.asarray(2.0 * imaginary * (1.0 if real >= 0.0 else -1.0), float)
