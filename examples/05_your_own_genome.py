"""A genome of your own: inchworms, evolved until they crawl.

Run it with ``python 05_your_own_genome.py [FOLDER]``; the replay page goes to FOLDER, or to a new temporary one.
A breed needs no base class: it draws genomes, says how they vary, and reads them back
(`zoophyte.evolution.protocols`).
"""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import zoophyte as zp
from zoophyte.control import Sine
from zoophyte.description import Body, Capsule, Joint, Servo
from zoophyte.errors import FileError
from zoophyte.evolution.protocols import Grown

LOW, HIGH = np.array([0.1, 0.0, 0.0]), np.array([0.3, 1.0, 2.0 * np.pi])  # length, amplitude, phase


@dataclass(frozen=True, eq=False)
class Inchworm:
    """One row of genes for each segment, and a frequency for all of them."""

    segments: np.ndarray
    frequency: float

    def develop(self):
        """A chain of capsules; servos at the joints follow sines."""
        bodies, swing, phase, place = [], {}, {}, 0.0
        for n, (length, amplitude, shift) in enumerate(self.segments):
            joint = Joint(kind="free")
            if n:
                servo = Servo(stiffness=20.0, damping=1.0, max_force=15.0)
                joint = Joint(kind="hinge", axis=(0, 1, 0), position=(place, 0, 0), actuator=servo)
                swing[f"segment{n}"], phase[f"segment{n}"] = amplitude, shift
            tube = Capsule(
                radius=0.05, length=length, position=(0.5 * length, 0, 0), rotation=(0.5**0.5, 0, 0.5**0.5, 0)
            )
            bodies.append(
                Body(
                    name=f"segment{n}",
                    parent=f"segment{n - 1}" if n else "ground",
                    joint=joint,
                    shapes=[tube],
                )
            )
            place = length
        worm = zp.Description(name="inchworm", bodies=bodies, surface=zp.Surface())
        return Grown(worm, Sine(amplitude=swing, frequency=self.frequency, phase=phase))

    def record(self):
        """All of it as plain values."""
        return {"segments": self.segments, "frequency": self.frequency}


@dataclass(frozen=True)
class Mutation:
    """A normal step of a tenth of each range; values stay inside. Sometimes a segment is doubled or lost."""

    name, parents, share = "mutation", 1, 1.0

    def __call__(self, parents, rng):
        """A child of one parent, which stays as it is."""
        genes, n = parents[0].segments, int(rng.integers(len(parents[0].segments)))
        if rng.random() < 0.1 and len(genes) < 8:
            genes = np.insert(genes, n, genes[n], axis=0)
        elif rng.random() < 0.1 and len(genes) > 2:
            genes = np.delete(genes, n, axis=0)
        genes = np.clip(genes + 0.1 * (HIGH - LOW) * rng.standard_normal(genes.shape), LOW, HIGH)
        return Inchworm(genes, float(np.clip(parents[0].frequency + 0.1 * rng.standard_normal(), 0.3, 2.0)))


@dataclass(frozen=True)
class Inchworms:
    """The breed. Its settings are its arguments: a run that is resumed makes it again from them."""

    most: int = 6
    name = "inchworm"

    def random(self, rng):
        """A worm of 3 segments or more."""
        count = int(rng.integers(3, self.most + 1))
        return Inchworm(rng.uniform(LOW, HIGH, (count, 3)), float(rng.uniform(0.3, 2.0)))

    def restore(self, record):
        """The genome whose record this is."""
        if set(record) != {"segments", "frequency"}:
            raise FileError(f"this is no inchworm: {sorted(record)}.")
        return Inchworm(record["segments"], record["frequency"])

    def operators(self):
        """Ways to make a child."""
        return [Mutation()]

    def settings(self):
        """What makes this breed what it is."""
        return {"most": self.most}

    def difference(self, a, b):
        """0 for equal genomes, about 1 for unrelated ones."""
        same = min(len(a.segments), len(b.segments))
        apart = np.abs(a.segments[:same] - b.segments[:same]) / (HIGH - LOW)
        return float(3.0 * apart.mean() + abs(len(a.segments) - len(b.segments)) / self.most)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="zoophyte_"))
    settings = {"seconds": 8.0, "settle": 2.0}
    run = zp.evolve("walk", genome=Inchworms(), population=8, generations=8, seed=1, task_settings=settings)
    for row in run.history():
        print(f"generation {row.number}: best {row.best:.2f} m")

    champion = run.best()
    run.relive(champion).export(folder / "inchworm.html")
    print(f"a worm of {len(champion.genome.segments)} segments went {champion.fitness:.2f} m; see {folder}")

    # The check: crawling was learnt, and a life lived again is the same life.
    assert champion.fitness > 1.5 * run.history()[0].best
    life = run.relive(champion, record_rate=None)
    assert np.isfinite(life.q).all()
