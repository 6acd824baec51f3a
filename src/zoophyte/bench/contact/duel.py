"""One creature, or one scene, on our side and on a peer's: agreement, time, quality."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from zoophyte.bench.contact.mujoco import MuJoCo
from zoophyte.bench.contact.ours import Ours
from zoophyte.bench.contact.sides import Effort, Ruler, Side, Watch, apart, is_no_worse, race
from zoophyte.bench.harness import Quality, Row
from zoophyte.errors import UsageError
from zoophyte.model.model import Floats

AGREE_STEPS = 5
"""Steps after which two sides that began in one state, under the same orders, are compared."""
SAME_LANES = 1e-4
"""Distance of settled creatures of different lanes [m]: where bodies have another order, contacts have, too."""
NO_ENERGY = 1e-6
"""Part of weight × 1 m: a drift of energy below it counts as none."""


@dataclass(frozen=True)
class Duel:
    """What was measured.

    Args:
        ours: seconds per step and creature.
        peer: likewise.
        apart: greatest distance of a body from its twin after AGREE_STEPS [m].
        spread: greatest distance of a body from the same body of another lane, after all settled alike [m].
        quality: ours, then the peer's.
        weight: of all bodies [N].
    """

    ours: float
    peer: float
    apart: float
    spread: float
    quality: tuple[Quality, Quality]
    weight: float

    @property
    def ratio(self) -> float:
        """How many times faster we are."""
        return self.peer / self.ours

    @property
    def is_no_worse(self) -> bool:
        """Whether our contact holds at least as well."""
        return is_no_worse(*self.quality, NO_ENERGY * self.weight)


def settled_duel(
    ours: Ours, peer: MuJoCo, rulers: Sequence[Ruler], effort: Effort, dt: float, *, orders: Floats | None = None
) -> Duel:  # fmt: skip
    """A creature that settles, is compared, timed, moved by its orders, released and watched standing.

    Args:
        ours: as born, or as it stands.
        peer: the same body.
        rulers: one for each of our creatures.
        effort: how long.
        dt: of both [s].
        orders: for both; none for a creature at rest.
    """
    ours.advance(effort.settle)
    ours.keep()
    spread = lanes_apart(ours, rulers)
    peer.place(ours.coordinates()[0])
    distance = apart(ours, peer, (rulers[0], rulers[0]), AGREE_STEPS, orders)
    ours.restart()
    peer.place(ours.coordinates()[0])
    peer.advance(effort.settle)
    peer.keep()
    steps = effort.steps
    mine, theirs = race(ours.timers(steps, orders), peer.timers(steps, orders), rounds=effort.rounds)
    qualities = []
    side: Side
    for side, measures in ((ours, rulers), (peer, rulers[:1])):
        watch = Watch(side, measures, effort.stride)
        if orders is not None:
            watch.drive(steps, orders)
            watch.release(effort.release)
        qualities.append(watch.stand(effort.standing, dt))
    weight = 9.81 * float(np.sum(ours.models[0].links.mass))
    return Duel(mine, theirs, distance, spread, (qualities[0], qualities[1]), weight)


def lanes_apart(ours: Ours, rulers: Sequence[Ruler]) -> float:
    """How far bodies of different lanes are from each other [m]."""
    places = [ruler.read(each).places for ruler, each in zip(rulers, ours.coordinates(), strict=True)]
    return max(float(np.max(np.linalg.norm(each - places[0], axis=1))) for each in places)


def guarded(name: str, rows: Iterator[Row]) -> Iterator[Row]:
    """The rows; a scene that cannot be simulated to its end makes a last row that says so.

    Args:
        name: of the benchmark.
        rows: of it.
    """
    try:
        yield from rows
    except UsageError as reason:
        yield Row(name, "", None, None, "", "µs", None, "", False, f"stopped: {reason}")


def duel_row(names: tuple[str, str, str], duel: Duel, bar: float, tolerance: float, *, more: str = "") -> Row:
    """The row of a duel; without a ratio if the sides did not agree.

    Args:
        names: of the benchmark, the workload and the peer.
        duel: what was measured.
        bar: ratio to reach, at no more penetration, creep and drift of energy than the peer.
        tolerance: of the distance of twins [m].
        more: words to add to what was checked.
    """
    name, workload, peer = names
    wanted = f"≥ {bar:g}, holding no worse"
    if not (duel.apart <= tolerance and duel.spread <= SAME_LANES):
        return Row(name, workload, None, None, peer, "µs", None, wanted, False,
                   f"bodies are {duel.apart:.1e} m apart after {AGREE_STEPS} steps, lanes {duel.spread:.1e} m",
                   duel.quality)  # fmt: skip
    checked = (
        f"same masses; from one state, bodies are at most {duel.apart:.1e} m apart after {AGREE_STEPS} steps"
    )
    verdict = "we hold no worse" if duel.is_no_worse else "we hold WORSE"
    return Row(name, workload, duel.ours * 1e6, duel.peer * 1e6, peer, "µs", duel.ratio, wanted,
               duel.ratio >= bar and duel.is_no_worse, "; ".join(filter(None, (checked, more, verdict))),
               duel.quality)  # fmt: skip
