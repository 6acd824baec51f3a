"""The limbed genome: an ellipsoid trunk with two or three mirrored pairs of two-segment legs (Arnold 1997, ARN-53, 54).

::

    trunk      semi-axes (x, y, z), of fixed volume V0: nobody wins by being light
    period     of the gait [s], one for all limbs
    limbs      front, rear and perhaps middle pair; each is inherited as one unit
        sizes      upper length, radius at the hip, at the knee, lower length, radius at the foot [m]
        hip, knee  rest poses, quaternions (w, x, y, z) relative to the part above
        place      of the hips along the trunk, in semi-axes; inherited, never mutated
        alternates whether the right leg is half a period behind the left one
        motion     what moves hip and knee; its form depends on the controller
    step, steps    step sizes of mutation, inherited too

The segments of a leg point along −z of their own frames and turn about y; a leg with the poses (1, 0, 0, 0) hangs straight
down and swings forwards and backwards.  The genes are those of the left leg; the right one is its mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zoophyte.errors import FileError, UsageError, brief, counted
from zoophyte.evolution.genomes import nets
from zoophyte.evolution.protocols import Grown
from zoophyte.evolution.variation import STEP_BOUNDS, Floats

RECORD_VERSION = 1
PAIRS = ("front", "rear", "middle")
"""Slots of limb pairs: the first two are always there, so that a child's pair has a counterpart in either parent."""

DENSITY = 1000.0
VOLUME = 4.0 / 3.0 * 3.141592653589793 * 0.25 * 0.12 * 0.08
"""V0, the trunk of Arnold's reference creatures [m³]; it weighs 10 kg."""
TRUNK_LOW, TRUNK_HIGH = 0.065, 0.32
"""Bounds of every semi-axis [m]."""

SIZE_NAMES = ("upper length", "radius at the hip", "radius at the knee", "lower length", "radius at the foot")
SIZE_LOW = np.array([0.10, 0.022, 0.016, 0.10, 0.008])
SIZE_HIGH = np.array([0.34, 0.050, 0.038, 0.38, 0.026])
"""Bounds of the sizes of a leg [m]."""
PERIOD_LOW, PERIOD_HIGH = 0.4, 2.0
PLACES = (0.64, -0.64, 0.0)
"""Of the hips of each slot, unless a designed body says otherwise."""
STEP_CLASSES = ("sizes", "poses", "motion", "timing")
"""What has a step-size factor of its own."""


@dataclass(frozen=True, eq=False)
class Limb:
    """A pair of legs and what moves it: one heritable unit; see the top of this module."""

    sizes: Floats
    hip: Floats
    knee: Floats
    place: float
    alternates: bool
    motion: Any

    def record(self) -> dict[str, Any]:
        """All of it as plain values."""
        motion = self.motion.record() if isinstance(self.motion, nets.Net) else self.motion
        return {
            "sizes": self.sizes, "hip": self.hip, "knee": self.knee, "place": self.place,
            "alternates": self.alternates, "motion": motion,
        }  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Limb) and same(self.record(), other.record())

    def __hash__(self) -> int:
        return hash((self.sizes.tobytes(), self.hip.tobytes(), self.knee.tobytes()))


@dataclass(frozen=True, eq=False, repr=False)
class LimbedGenome:
    """A limbed creature's inheritance; see the top of this module.

    Args:
        controller: "spectral", "sine", "oscillators" or "neurons"; says what the motions of the limbs are.
        trunk: semi-axes x, y, z [m].
        limbs: two or three.
        period: of the gait [s].
        step: factor of all mutation steps, which a success rule may set (ARN-63).
        steps: factors of sizes, poses, motion and timing, for self-adaptation (ARN-63).
        self_contact: whether its legs touch each other; said by the breed, and no part of the record.
        world: names of bodies that nets of neurons feel; likewise.
    """

    controller: str
    trunk: Floats
    limbs: tuple[Limb, ...]
    period: float
    step: float = 1.0
    steps: Floats = field(default_factory=lambda: np.ones(len(STEP_CLASSES)))
    self_contact: bool = False
    world: tuple[str, ...] = ()

    def __repr__(self) -> str:
        sizes = " × ".join(f"{axis:.3g}" for axis in self.trunk)
        limbs = counted(len(self.limbs), "pair of legs", "pairs of legs")
        return f"LimbedGenome(trunk {sizes} m, {limbs}, {self.controller}, period {self.period:.3g} s)"

    def develop(self) -> Grown:
        """The body and its controller."""
        from zoophyte.evolution.genomes.limbed.body import body_of
        from zoophyte.evolution.genomes.limbed.motions import MOTIONS

        return Grown(body_of(self), MOTIONS[self.controller].controller(self))

    def record(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "kind": "limbed", "version": RECORD_VERSION, "controller": self.controller, "trunk": self.trunk,
            "period": self.period, "limbs": [limb.record() for limb in self.limbs], "step": self.step,
            "steps": self.steps,
        }  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LimbedGenome) and same(self.record(), other.record())

    def __hash__(self) -> int:
        return hash((self.controller, self.period, self.trunk.tobytes(), self.limbs))


def same(a: Any, b: Any) -> bool:
    """Whether two records hold the same values."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(np.array_equal(a, b)) if isinstance(a, np.ndarray) else bool(a == b)


def problem_of(genome: LimbedGenome) -> str:
    """What is wrong with a genome, in words; empty if it is valid."""
    from zoophyte.evolution.genomes.limbed.motions import MOTIONS

    if genome.controller not in MOTIONS:
        return f"controller is {genome.controller!r}, must be one of {', '.join(MOTIONS)}"
    if len(genome.limbs) not in (2, 3):
        return f"it has {len(genome.limbs)} limb pairs, must have 2 or 3"
    if genome.trunk.shape != (3,) or not _within(genome.trunk, TRUNK_LOW, TRUNK_HIGH):
        return f"the trunk's semi-axes are {genome.trunk.tolist()}, must lie between {TRUNK_LOW} and {TRUNK_HIGH} m"
    volume = 4.0 / 3.0 * np.pi * float(np.prod(genome.trunk))
    if abs(volume - VOLUME) > 1e-12:
        return f"the trunk's volume is {volume!r}, must be {VOLUME!r} m³"
    if not PERIOD_LOW <= genome.period <= PERIOD_HIGH:
        return f"period is {genome.period!r}, must lie between {PERIOD_LOW} and {PERIOD_HIGH} s"
    if genome.steps.shape != (len(STEP_CLASSES),) or not _within(
        np.append(genome.steps, genome.step), *STEP_BOUNDS
    ):
        return f"step sizes are {genome.step!r} and {genome.steps.tolist()}, must lie within {STEP_BOUNDS}"
    for slot, limb in enumerate(genome.limbs):
        if wrong := _limb_problem(limb):
            return f"{PAIRS[slot]} limbs: {wrong}"
        if not MOTIONS[genome.controller].is_valid(limb.motion):
            return f"{PAIRS[slot]} limbs: their motion does not fit the controller {genome.controller!r}"
    return ""


def _limb_problem(limb: Limb) -> str:
    if limb.sizes.shape != SIZE_LOW.shape or not _within(limb.sizes, SIZE_LOW, SIZE_HIGH):
        return f"sizes are {limb.sizes.tolist()}, must lie between {SIZE_LOW.tolist()} and {SIZE_HIGH.tolist()} m"
    for name, turn in (("hip", limb.hip), ("knee", limb.knee)):
        if turn.shape != (4,) or not abs(float(np.sum(turn * turn)) - 1.0) <= 1e-12:
            return f"{name} is {turn.tolist()}, must be a unit quaternion"
    if not -0.95 <= limb.place <= 0.95:
        return f"place is {limb.place!r}, must lie between −0.95 and 0.95"
    return ""


def _within(values: Floats, low: Any, high: Any) -> bool:
    return bool(np.all((values >= low) & (values <= high)))  # false where one is not a number


def restored(record: Any) -> LimbedGenome:
    """The genome whose `record()` this is.

    Raises:
        FileError: says what does not fit.
    """
    if not isinstance(record, dict) or record.get("kind") != "limbed":
        raise FileError(f"this is not the record of a limbed genome: {brief(record)}.")
    if record.get("version") != RECORD_VERSION:
        raise FileError(
            f"this limbed genome has format {record.get('version')!r}; this version of Zoophyte reads {RECORD_VERSION}."
        )
    try:
        limbs = tuple(
            Limb(
                _floats(limb["sizes"]), _floats(limb["hip"]), _floats(limb["knee"]), float(limb["place"]),
                bool(limb["alternates"]),
                nets.restored(limb["motion"]) if isinstance(limb["motion"], dict) else _floats(limb["motion"]),
            )
            for limb in record["limbs"]
        )  # fmt: skip
        genome = LimbedGenome(
            str(record["controller"]), _floats(record["trunk"]), limbs, float(record["period"]), float(record["step"]),
            _floats(record["steps"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise FileError(
            f"the record of a limbed genome is damaged: {type(problem).__name__} {problem}."
        ) from None
    if wrong := problem_of(genome):
        raise FileError(f"the record of a limbed genome is damaged: {wrong}.")
    return genome


def _floats(values: Any) -> Floats:
    if np.iscomplexobj(values):
        raise TypeError("complex numbers where real ones belong")
    return np.array(values, float)


def checked(genome: LimbedGenome) -> LimbedGenome:
    """The same genome.

    Raises:
        UsageError: says what is wrong with it.
    """
    if wrong := problem_of(genome):
        raise UsageError(f"this limbed genome is not valid: {wrong}.")
    return genome
