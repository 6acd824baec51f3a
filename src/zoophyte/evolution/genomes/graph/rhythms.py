"""Rhythms: spectral, sine and oscillator controllers on the bodies of graph creatures.

All three read the same genes: of each degree of freedom the mean H₀ and the harmonics H₁, H₂, H₃ of its target angle, in
parts of half the joint's range, and of the whole creature one tempo.  A part lags behind its parent by the `lag` of the
connection, so chains of copies carry waves and mirrored limbs can alternate.

    spectral      mean and three harmonics
    sine          mean and first harmonic
    oscillators   the same, each with a frequency of its own (Im H₀) and pulled into step (Re H₂) by its parent's
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from zoophyte.control import Controller, Sine, Spectral
from zoophyte.evolution.genomes.graph.body import axis_names
from zoophyte.evolution.genomes.graph.form import Form
from zoophyte.evolution.genomes.graph.genes import HARMONICS, Node
from zoophyte.evolution.genomes.graph.growth import Part
from zoophyte.numbers.functions import atan2

SAMPLES = 16
"""In one period of a spectral rhythm: straight lines between them are 2 % off a first harmonic."""
DETUNING = 0.25
"""By how much an oscillator's own frequency may differ from the tempo."""
PULL = 4.0
"""Weight of a coupling whose gene is 0 [1/s]; from 0 to twice that."""


@dataclass(frozen=True)
class Beat:
    """The rhythm of one degree of freedom.

    Args:
        dof: name of it.
        part: number of its part.
        middle: of its range [rad].
        half: of its range [rad].
        harmonics: H₀ …; their sizes sum up to 1 at most, so that targets stay within the limits.
        genes: the same as inherited.
        lag: behind the root [periods].
    """

    dof: str
    part: int
    middle: float
    half: float
    harmonics: tuple[complex, ...]
    genes: tuple[complex, ...]
    lag: float

    @property
    def offset(self) -> float:
        """Mean target [rad]."""
        return self.middle + self.half * self.harmonics[0].real

    @property
    def amplitude(self) -> float:
        """Of the first harmonic [rad]."""
        return self.half * _size(self.harmonics[1])

    @property
    def phase(self) -> float:
        """φ in sin(ω t + φ) = Re H₁ cos ω t + Im H₁ sin ω t, less the lag [rad]."""
        first = self.harmonics[1]
        turn: float = atan2(first.real, first.imag)
        return turn - 2.0 * math.pi * self.lag


def beats(parts: Sequence[Part], nodes: Sequence[Node]) -> list[Beat]:
    """One for each degree of freedom, in the order of the parts."""
    found = []
    for number, part in enumerate(parts):
        node, freedom = nodes[part.node], len(part.axes)
        for k in range(freedom):
            low, high = node.limits[k]
            genes = node.rhythm[k]
            whole = abs(genes[0].real)
            for gene in genes[1:]:
                whole += _size(gene)
            share = 1.0 / max(1.0, whole)
            harmonics = tuple(share * gene for gene in genes)
            name, middle, half = axis_names(number, freedom)[k], 0.5 * (low + high), 0.5 * (high - low)
            found.append(Beat(name, number, middle, half, harmonics, genes, part.lag))
    return found


def _size(z: complex) -> float:
    return math.sqrt(z.real * z.real + z.imag * z.imag)


def rhythm(parts: Sequence[Part], nodes: Sequence[Node], tempo: float, form: Form) -> Controller:
    """The controller that the form asks for."""
    found = beats(parts, nodes)
    if form.controller == "spectral":
        return _spectral(found, tempo)
    if form.controller == "sine":
        return Sine(
            amplitude={beat.dof: beat.amplitude for beat in found},
            frequency={beat.dof: tempo for beat in found},
            phase={beat.dof: beat.phase for beat in found},
            offset={beat.dof: beat.offset for beat in found},
        )
    return _oscillators(found, parts, tempo)


def _spectral(found: Sequence[Beat], tempo: float) -> Spectral:
    """h = (1/N)·[Re H₀ + 2 Σ Re(H_n e^…)], so H₀ is N times the mean and the others N/2 times their part."""
    spectra: dict[str | int, list[complex]] = {}
    for beat in found:
        mean = complex(SAMPLES * beat.offset)
        rest = [0.5 * SAMPLES * beat.half * number for number in beat.harmonics[1:]]
        spectra[beat.dof] = [mean, *rest, *[0j] * (SAMPLES // 2 - HARMONICS)]
    delays: dict[str | int, float] = {beat.dof: beat.lag for beat in found}
    return Spectral(spectra, 1.0 / (tempo * SAMPLES), delays)


def _oscillators(found: Sequence[Beat], parts: Sequence[Part], tempo: float) -> Controller:
    """An axis is pulled by the one before it in its joint, a first one by its parent's, at the root by one before it."""
    from zoophyte.control.oscillators import Coupling, Oscillator, Oscillators

    quarter = 0.5 * math.pi
    oscillators: dict[str | int, Oscillator] = {}
    couplings: list[Coupling] = []
    first: dict[int, Beat] = {}
    before: Beat | None = None
    for beat in found:
        frequency = tempo * (1.0 + DETUNING * beat.genes[0].imag)
        oscillators[beat.dof] = Oscillator(frequency, beat.amplitude, beat.offset, beat.phase - quarter)
        source = (
            before if before is not None and before.part == beat.part else first.get(parts[beat.part].parent)
        )
        if source is None and before is not None:
            source = next(
                b for b in reversed(list(first.values())) if parts[b.part].parent == parts[beat.part].parent
            )
        if source is not None:
            weight = PULL * (1.0 + beat.genes[2].real)
            couplings.append(Coupling(beat.dof, source.dof, weight, source.phase - beat.phase))
        first.setdefault(beat.part, beat)
        before = beat
    return Oscillators(oscillators, couplings)
