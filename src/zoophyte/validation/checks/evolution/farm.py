"""Fontijne 2000, chapter 4: what a farm does with a worker that dies or falls silent (FON-E11)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from zoophyte.description import Body, Description
from zoophyte.evolution.evaluation import Farm, Order, evaluate
from zoophyte.evolution.protocols import Grown, Score
from zoophyte.evolution.selection import proportional_weights
from zoophyte.evolution.wire import pack
from zoophyte.validation.catalogue import Measurement, check, compare, holds

PATIENCE = 1.0
"""Seconds without an answer after which a worker counts as hung."""
DEEDS = ["live"] * 5 + ["die"] + ["live"] * 5 + ["hang"] + ["live"] * 4
EXACT = "the same computation"


@dataclass(frozen=True)
class Doer:
    """A genome that says what to do to its worker."""

    deed: str

    def record(self) -> dict[str, Any]:
        """All of it."""
        return {"deed": self.deed}

    def develop(self) -> Grown:
        """A body whose name is the deed."""
        return Grown(Description(name=self.deed, bodies=[Body(name="dot")]), None)


class Doers:
    """Their breed; none is born, they are made."""

    name = "doers"

    def restore(self, record: dict[str, Any]) -> Doer:
        """As recorded."""
        return Doer(record["deed"])


class Deeds:
    """A task without lives: what is done is done when it is judged."""

    name, dt, sweeps = "deeds", 0.005, 1

    def trials(self, grown: Grown, stage: float, rng: Any) -> Sequence[Any]:
        """None, but a chance, which must not depend on the worker."""
        self.draw = float(rng.random())
        return []

    def score(self, grown: Grown, trials: Sequence[Any], lives: Sequence[Any]) -> Score:
        """The draw, for those who live."""
        if grown.description.name == "die":
            os._exit(9)
        if grown.description.name == "hang":
            time.sleep(100.0 * PATIENCE)
        return Score(self.draw)

    def settings(self) -> dict[str, Any]:
        """None."""
        return {}


def order(deeds: Sequence[str]) -> Order:
    """All of them, to be judged."""
    packed = tuple(pack(Doer(deed).record()) for deed in deeds)
    return Order(Doers(), Deeds(), 0.0, 2000, 4, tuple(range(len(deeds))), packed)


@check(
    "FON-E11",
    kind="law",
    title="A worker that dies or hangs is replaced",
    source="Fontijne 2000, 4.6.2; spec fontijne §5.4 E11",
)
def lost_workers() -> Iterator[Measurement]:
    """Sixteen genomes are judged by two processes; the sixth ends its process, the twelfth never answers.

    The proxy of the thesis replaces a slave that falls silent and reports a negative fitness for its creature, which then
    has no offspring; the run goes on.  Here a chunk is split and tried again first, since a machine may fail without
    anybody's fault: a genome is given up when it has stopped two workers alone.  All others must have the scores that they
    have when nothing happens, to the last bit.
    """
    wanted = [score.fitness for score in evaluate(order(["live"] * len(DEEDS)))]
    with Farm("processes", workers=2, timeout=PATIENCE) as farm:
        scores = [score for part in farm.scores(order(DEEDS).split(8)) for score, _ in part]
    faulty = [n for n, deed in enumerate(DEEDS) if deed != "live"]
    yield compare([scores[n].fitness for n in faulty], -1.0, why=EXACT, what="fitness of the two")
    yield holds(all(scores[n].status == "failed" and scores[n].reason for n in faulty), what="with a reason")
    kept = [n for n in range(len(DEEDS)) if n not in faulty]
    yield compare(
        [scores[n].fitness for n in kept], [wanted[n] for n in kept], why=EXACT, what="of all others"
    )
    weights = proportional_weights([score.fitness for score in scores], 0.5)
    yield compare([float(weights[n]) for n in faulty], 0.0, why="exact", what="chances to be a parent")
