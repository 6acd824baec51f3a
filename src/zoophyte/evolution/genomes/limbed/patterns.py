"""Coupled oscillators on limbs: one per joint; hips pull at knees, left at right, and each pair at the one before it."""

from __future__ import annotations

import numpy as np

from zoophyte.control import Controller, Coupling, Oscillator, Oscillators
from zoophyte.evolution.genomes.limbed.body import SIDES, in_place, joint_names
from zoophyte.evolution.genomes.limbed.genome import LimbedGenome
from zoophyte.evolution.genomes.limbed.ranged import RangedMotion

GENES = (
    ("amplitude of the hip", 0.0, 1.0), ("amplitude of the knee", 0.0, 1.0),
    ("offset of the hip", -0.6, 0.6), ("offset of the knee", -0.6, 0.6),
    ("frequency of the hip, over that of the gait", 0.85, 1.15), ("of the knee", 0.85, 1.15),
    ("phase from hip to knee", -np.pi, np.pi), ("phase from the pair before", -np.pi, np.pi),
    ("pull between hip and knee", 0.0, 8.0), ("pull between the sides", 0.0, 8.0),
    ("pull between this pair and the one before", 0.0, 8.0),
)  # fmt: skip
"""Genes of a limb pair's oscillators with their bounds [rad, 1/s]; the front pair's last phase and pull are junk."""
ANGLES = (6, 7)


class OscillatorMotion(RangedMotion):
    """Amplitudes, offsets, frequencies, phases and pulls of a limb pair, shape (11,); see `GENES`."""

    def __init__(self) -> None:
        super().__init__(
            [low for _, low, _ in GENES],
            [high for _, _, high in GENES],
            [n in ANGLES for n in range(len(GENES))],
        )

    def controller(self, genome: LimbedGenome) -> Controller:
        """Two oscillators per leg, coupled in both directions."""
        oscillators: dict[str | int, Oscillator] = {}
        couplings: list[Coupling] = []
        before: str | None = None
        for pair, limb in in_place(genome):
            genes = limb.motion.tolist()
            late = np.pi if limb.alternates else 0.0
            for side, sign in SIDES:
                hip, knee = joint_names(pair, side)
                for n, name in enumerate((hip, knee)):
                    phase = late if sign < 0.0 else 0.0
                    frequency = genes[4 + n] / genome.period
                    oscillators[name] = Oscillator(frequency, genes[n], genes[2 + n], phase + n * genes[6])
                couplings += both_ways(hip, knee, genes[8], genes[6])
                if before is not None:
                    couplings += both_ways(joint_names(before, side)[0], hip, genes[10], genes[7])
            left, right = (joint_names(pair, side)[0] for side, _ in SIDES)
            couplings += both_ways(left, right, genes[9], late)
            before = pair
        return Oscillators(oscillators, tuple(couplings))


def both_ways(first: str, second: str, weight: float, bias: float) -> list[Coupling]:
    """Each pulls at the other, to the same difference: the second's phase is the first's plus the bias."""
    return [Coupling(second, first, weight, -bias), Coupling(first, second, weight, bias)]
