"""Work: a run in progress: births, and what is known of those who came before."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from zoophyte.errors import OwnCodeError
from zoophyte.evolution.chance import Purpose, generator
from zoophyte.evolution.evaluation.clock import Clock
from zoophyte.evolution.populations import Moment, Outcome, Plan, Scheme
from zoophyte.evolution.populations.schemes import bred
from zoophyte.evolution.protocols import Breed, Individual, Score, Task, is_changing, unit_of
from zoophyte.evolution.run.cells import genome_in, restored
from zoophyte.evolution.run.interruption import Interruption
from zoophyte.evolution.run.store import Closed, Row, Store
from zoophyte.evolution.wire import pack

PAIRS = 50
"""That are compared for the diversity of a generation, at most."""
FAILED = "failed"


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Args:
        generation: in hand, from 0.
        generations: of the run.
        done: creatures of it that have been judged.
        births: in it.
        best: fitness so far; in this generation, where the task changes.
        mean: of the last complete generation, without the faulty.
        diversity: of it.
        lives: judged since the work began.
        seconds: since then, without those in which kernels were compiled.
        ended: whether the generation is complete now.
        unit: of fitness.
        changes: whether the task does over the generations, and `best` is of this one alone.
    """

    generation: int
    generations: int
    done: int
    births: int
    best: float
    mean: float
    diversity: float
    lives: int
    seconds: float
    ended: bool = False
    unit: str = ""
    changes: bool = False


@dataclass(frozen=True, eq=False)
class Birth:
    """A creature that is to be judged.

    Args:
        individual: without its score.
        data: its genome as wire bytes.
    """

    individual: Individual
    data: bytes


class Judges(Protocol):
    """Who judges creatures: in this process, in others, or on a cluster."""

    def begin(
        self, births: Iterable[Birth], count: int, generation: int, stage: float
    ) -> Iterator[list[tuple[int, Score, float]]]:
        """Hand `count` births over; then number, score and seconds of each come back, chunk by chunk, in any order."""
        ...


@dataclass(eq=False)
class Work:
    """A run in progress.

    Args:
        store: where it is kept.
        breed: of all its creatures.
        task: what they are asked to do.
        scheme: how the population lives on.
        judges: who lets them live.
        seed: of all chance.
        generations: how many there will be.
        progress: told after every chunk and every generation.
        interruption: asks to stop.
    """

    store: Store
    breed: Breed
    task: Task
    scheme: Scheme
    judges: Judges
    seed: int
    generations: int
    progress: Callable[[Progress], None] | None = None
    interruption: Interruption = field(default_factory=Interruption)

    def __post_init__(self) -> None:
        self.known: dict[int, Individual] = {}
        self.clock, self.lap = Clock(), time.perf_counter()
        self.lives = 0
        closed = self.store.generations()
        self.done = len(closed)
        self.mean, self.diversity = math.nan, closed[-1].diversity if closed else math.nan
        self.best = self.best_in("1")

    def best_in(self, those: str) -> float:
        """The largest fitness so far of those for whom a condition in SQL holds."""
        return self.store.largest_fitness(those)

    # ------------------------------------------------------------------------------------ who is there to breed from

    def source(self, generation: int) -> int:
        """The generation whose survivors this one is bred from; −1 for founders."""
        return -1 if generation == 0 else max(0, generation - 1 - self.scheme.delay)

    def stage(self, generation: int) -> float:
        """Of the task, for who is born in a generation."""
        return planned_stage(generation, self.generations)

    def pressure_stage(self, generation: int) -> float:
        """Of selection, where a generation is bred: 0 for the first that has parents, 1 for the last.

        FON-69 has its s fall from the first generation that is selected from to the last; nobody is bred from the very last.
        """
        return planned_stage(max(0, generation - 1), self.generations - 1)

    def moment(self, generation: int, after: int) -> Moment:
        """What the scheme may know when it breeds or selects a generation.

        Args:
            generation: that is bred or selected.
            after: the generation whose survivors it sees.
        """
        closed = self.store.generations(after)
        notes = closed[0].notes if closed else {}
        chance = partial(generator, self.seed)
        return Moment(
            generation,
            self.pressure_stage(generation),
            self.breed,
            self.members(after),
            notes,
            self.members,
            chance,
        )

    def members(self, generation: int) -> tuple[Individual, ...]:
        """Who survived a generation, with genomes as they are stored, whether the run was broken off or not."""
        closed = self.store.generations(generation)
        if not closed:
            return ()
        wanted = {number for number, _ in closed[0].survivors}
        missing = sorted(wanted - self.known.keys())
        for start in range(0, len(missing), 500):
            part = missing[start : start + 500]
            marks = ", ".join("?" * len(part))
            for row in self.store.rows(f"number IN ({marks})", part, genomes=True):
                self.known[row.number] = restored(row, self.breed, self.store.path)
        return tuple(replace(self.known[number], place=place) for number, place in closed[0].survivors)

    def forget(self, keep: Sequence[Individual]) -> None:
        """Keep only those in memory who may still have children."""
        wanted = {one.number for one in keep}
        self.known = {number: one for number, one in self.known.items() if number in wanted}

    # ------------------------------------------------------------------------------------------------------- births

    def births(self, generation: int) -> Iterator[Birth]:
        """The creatures of a generation: parents chosen, recombined, mutated. The same whenever they are bred again."""
        first = sum(self.scheme.births(before) for before in range(generation))
        moment = self.moment(generation, self.source(generation))
        given = self.given() if generation == 0 else []
        count = self.scheme.births(generation)
        return (self.birth(moment, first + index, index, given) for index in range(count))

    def birth(self, moment: Moment, number: int, index: int, given: Sequence[Individual]) -> Birth:
        """One of them; all its chance comes from the seed, the generation and its index."""
        rng = generator(self.seed, moment.generation, index)
        founding = moment.generation == 0
        plan = self.founder(moment, index, given, rng) if founding else self.scheme.plan(moment, index, rng)
        parents = [one.genome for one in plan.parents]
        if plan.operator is None:
            genome, operator = self.breed.random(rng), "random"
        else:
            genome, operator = plan.operator(parents, rng), plan.operator.name
        numbers = tuple(one.number for one in plan.parents) if operator != "given" else ()
        made = Individual(number, moment.generation, genome, numbers, operator, plan.place)
        return Birth(made, pack(genome.record()))

    def founder(self, moment: Moment, index: int, given: Sequence[Individual], rng: Any) -> Plan:
        """At random; or those that were given, and children of theirs."""
        place = self.scheme.place(index)
        if not given:
            return Plan(None, (), place)
        if index < len(given):
            return Plan(_Given(), (given[index],), place)
        return bred(moment, given, [1.0 / len(given)] * len(given), rng, place)

    def given(self) -> list[Individual]:
        """The genomes that the first generation is bred from, if any were given."""
        return [
            Individual(
                slot,
                0,
                genome_in(data, self.breed, f"{self.store.path}: table founder, row {slot}, column genome"),
            )
            for slot, data in enumerate(self.store.given())
        ]

    # --------------------------------------------------------------------------------------------------- bookkeeping

    def begin(self, generation: int, births: Iterator[Birth]) -> Judging:
        """Hand those over that have not been judged yet, as they are born."""
        judged = {
            row[0]
            for row in self.store.query("SELECT number FROM individual WHERE generation = ?", (generation,))
        }
        if is_changing(self.task):  # who had another task is no match for these
            self.best = self.best_in(f"generation = {generation}")
        count, born = self.scheme.births(generation), list[Birth]()
        waiting = _unjudged(births, born, judged)
        chunks = self.judges.begin(waiting, count - len(judged), generation, self.stage(generation))
        return Judging(generation, count, born, waiting, chunks, len(judged))

    def keep(self, judging: Judging, chunk: list[tuple[int, Score, float]]) -> None:
        """Write a chunk of creatures that have been judged."""
        by_number = {birth.individual.number: birth for birth in judging.births}
        rows = []
        for number, score, seconds in chunk:
            one, data = by_number[number].individual, by_number[number].data
            score = sane(score)
            rows.append(Row.of(one, score, seconds, data))
            self.best = score.fitness if math.isnan(self.best) else max(self.best, score.fitness)
        self.store.add(rows)
        self.lives += len(rows)
        judging.done += len(rows)
        self.tell(judging)

    def offspring(self, judging: Judging) -> list[Individual]:
        """All creatures of a generation, judged, in the order of birth."""
        deque(
            judging.waiting, maxlen=0
        )  # those that were judged before the run was broken off are born again, too
        rows = {row.number: row for row in self.store.rows("generation = ?", (judging.generation,))}
        found = []
        for birth in judging.births:
            one = birth.individual
            row = rows[one.number]
            found.append(replace(one, score=row.score, seconds=row.seconds))
        if judging.generation == 0 and all(
            one.score is not None and one.score.status == FAILED for one in found
        ):
            reason = "" if found[0].score is None else found[0].score.reason
            self.store.forget(0)  # so that a mended task judges them anew when the run is resumed
            raise OwnCodeError(
                f"every creature of the first generation failed, the first with: {reason.rstrip('.')}.{self.store.way_on()}"
            )
        return found

    def end(self, judging: Judging, offspring: Sequence[Individual], outcome: Outcome) -> None:
        """Write that a generation is complete, and who survived."""
        now = time.perf_counter()
        survivors = [(one.number, one.place) for one in outcome.members]
        diversity = self.differences(judging.generation, outcome.members)
        seeds = [self.seed, judging.generation, self.stage(judging.generation)]
        self.store.end(
            Closed(
                judging.generation,
                survivors,
                outcome.notes,
                seeds,
                judging.count,
                diversity,
                now - self.lap,
            )
        )
        self.lap, self.diversity, self.done = now, diversity, judging.generation + 1
        good = [one.fitness for one in offspring if one.fitness >= 0.0]
        self.mean = math.fsum(good) / len(good) if good else math.nan
        self.forget(outcome.members)
        self.tell(judging, ended=True)

    def differences(self, generation: int, members: Sequence[Individual]) -> float:
        """Mean difference of the genomes of two survivors: all pairs, or a sample of them."""
        count = len(members)
        pairs = (
            [(a, b) for a in range(count) for b in range(a)] if count * (count - 1) // 2 <= PAIRS else None
        )
        if pairs is None:
            rng = generator(self.seed, generation, 0, Purpose.DIVERSITY)
            drawn = [rng.choice(count, 2, replace=False) for _ in range(PAIRS)]
            pairs = [(int(a), int(b)) for a, b in drawn]
        if not pairs:
            return math.nan
        return math.fsum(self.breed.difference(members[a].genome, members[b].genome) for a, b in pairs) / len(
            pairs
        )

    def tell(self, judging: Judging, *, ended: bool = False) -> None:
        """Say how far the run is, to who asked."""
        if self.progress is not None:
            self.progress(
                Progress(
                    judging.generation, self.generations, judging.done, judging.count, self.best, self.mean,
                    self.diversity, self.lives, self.clock.seconds, ended, unit_of(self.task),
                    is_changing(self.task),
                )
            )  # fmt: skip


@dataclass(eq=False)
class Judging:
    """A generation that is being judged.

    Args:
        generation: of it.
        count: of its creatures.
        births: those that have been born.
        waiting: those that are still to be born, and then to be judged.
        chunks: results as they come.
        done: how many have been judged.
    """

    generation: int
    count: int
    births: list[Birth]
    waiting: Iterator[Birth]
    chunks: Iterator[list[tuple[int, Score, float]]]
    done: int


def planned_stage(generation: int, generations: int) -> float:
    """0 in the first of so many generations, 1 in the last; 0 where there is only one.

    Args:
        generation: from 0.
        generations: how many there will be.
    """
    return min(1.0, generation / max(1, generations - 1))


def _unjudged(births: Iterator[Birth], born: list[Birth], judged: set[int]) -> Iterator[Birth]:
    """Those who have not been judged yet; all are noted in `born`."""
    for birth in births:
        born.append(birth)
        if birth.individual.number not in judged:
            yield birth


class _Given:
    """The operator that takes a genome as it was given."""

    name, parents, share = "given", 1, 0.0

    def __call__(self, parents: Sequence[Any], rng: Any) -> Any:
        return parents[0]


def sane(score: Score) -> Score:
    """A score that can be stored and compared: what is no number is a failure, and never wins."""
    fitness = float(score.fitness)
    if math.isfinite(fitness):
        return score
    reason = score.reason or f"the task returned {fitness} as fitness"
    return Score(-1.0, FAILED, reason, score.descriptors)
