"""Claims of Arnold 1997 about what evolves (ARN-C38 … C49), measured over several seeds with stated odds.

They are claims, not laws: each is reported as reproduced or not.  `conditions` says by how much the runs are smaller.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from zoophyte.evolution.audit import TOLERANCE, audit
from zoophyte.evolution.genomes.limbed import Limbed
from zoophyte.evolution.run import Kept, Run, evolve
from zoophyte.evolution.selection import Comma, Roulette, takeover_time
from zoophyte.validation.catalogue import Measurement, Rows, check
from zoophyte.validation.checks.evolution.conditions import (
    ALTERNATING,
    DESIGNED,
    FEW,
    FOUR,
    RANDOM,
    ROULETTE,
    SEEDS,
    SHORT,
    SIX,
    TOGETHER,
    WALK,
)  # fmt: skip
from zoophyte.validation.checks.evolution.gaits import Gait, gait_of
from zoophyte.validation.checks.evolution.odds import (
    ODDS,
    Condition,
    curve,
    evolved,
    finals,
    rank_test,
    share_interval,
    told,
    two_sided,
    words,
)  # fmt: skip

LEVEL = "three seeds; 16 parents, 96 offspring, 16 generations (document: 16 to 64, 50 to 100)"
VERSUS = "four seeds each; 8 parents, 48 offspring, 12 generations, way from 3 to 6 s"
STILL = 0.5
"""Fewer body lengths than this in 10 s count as none."""
MERGED_GENERATIONS = 6
MORE = 1.05
"""A single run must be so many times as good as another to count as better."""
FLYING = 0.05
"""Share of time without any contact from which a gait has flight phases."""


def claim(number: int, title: str, place: str) -> Callable[[Callable[[], Rows]], Callable[[], Rows]]:
    """Enter a claim of §5.5; all of them are slow."""
    source = f"Arnold 1997 ({place}); spec arnold §5.5 C-{number}"
    return check(f"ARN-C{number}", kind="claim", title=title, source=source, slow=True)


def body_length(genome: Any) -> float:
    """The longest axis of the trunk [m]."""
    return 2.0 * float(np.max(genome.trunk))


def champions(condition: Condition) -> list[tuple[Run, Kept]]:
    """The best of each seed, with its run."""
    seeds = FEW if condition == WALK else SEEDS
    return [(run := evolved(condition, seed), run.best()) for seed in seeds]


def gaits(condition: Condition) -> list[Gait]:
    """How the champions go."""
    return [gait_of(run, one.number) for run, one in champions(condition)]


def described(condition: Condition, name: str) -> list[float]:
    """A descriptor of every champion."""
    return [one.score.descriptors[name] for _, one in champions(condition) if one.score is not None]


def spread(genomes: Sequence[Any]) -> float:
    """Mean difference of all pairs."""
    breed = Limbed()
    return float(np.mean([breed.difference(a, b) for a, b in itertools.combinations(genomes, 2)]))


@claim(38, "Random creatures", "ARN-89")
def random_creatures() -> Iterator[Measurement]:
    """Of 1002 random creatures most get nowhere between 10 and 20 s, many on their backs; the best about five body lengths.

    A body length is the longest axis of the trunk.  The specification accepts 2 to 8 body lengths for the best, because the
    strength of muscles is not given.  Nowhere is less than half a body length.
    """
    run = evolved(RANDOM, 0)
    births = [birth for birth in run.births() if birth.fitness >= 0.0]
    lengths = {one.number: body_length(one.genome) for one in run.survivors()}
    lengths |= {
        n: body_length(run.individual(n).genome) for n in (b.number for b in births) if n not in lengths
    }
    ways = [birth.fitness / lengths[birth.number] for birth in births]
    still = sum(way < STILL for way in ways)
    low, high = share_interval(still, len(ways))
    yield told(
        f"{still / len(ways):.1%} of {len(ways)}", "most", low > 0.5, what="get less than half a body length",
        odds=f"95 % interval {low:.1%} to {high:.1%}",
    )  # fmt: skip
    backs = sum(birth.descriptors["upright"] < 0.0 for birth in births)
    low, high = share_interval(backs, len(births))
    yield told(
        f"{backs / len(births):.1%}", "most", low > 0.5, what="lie on their backs (mean cosine of tilt below 0)",
        odds=f"95 % interval {low:.1%} to {high:.1%}",
    )  # fmt: skip
    yield told(
        f"{max(ways):.2f}", "about 5; 2 to 8 accepted", 2.0 <= max(ways) <= 8.0, what="best [body lengths in 10 s]",
        odds=f"one sample of {len(ways)}",
    )  # fmt: skip


@claim(39, "Evolution beats chance", "ARN-86")
def beats_chance() -> Iterator[Measurement]:
    """The best that evolved gets about five times as far as the best of the random ones, about 25 body lengths in 10 s.

    The specification accepts three times.  The document's runs are three to six times as long as these.  The best of
    the last generation, which may be worse than others, must clearly exceed the best of generation 0, by the rank test.
    """
    best_random = evolved(RANDOM, 0).best().fitness
    found = finals(WALK, FEW)
    factor = max(found) / best_random
    lengths = [one.fitness / body_length(one.genome) for _, one in champions(WALK)]
    yield told(
        f"{factor:.2f} (runs: {words([f / best_random for f in found])})", "about 5; at least 3 accepted", factor >= 3.0,
        what="best of all over the best of 1002 random ones", odds=LEVEL,
    )  # fmt: skip
    yield told(
        f"{max(lengths):.1f} (runs: {words(lengths)})", "about 25", max(lengths) >= 15.0,
        what="best [body lengths in 10 s], at least three fifths of the figure accepted", odds=LEVEL,
    )  # fmt: skip
    curves = [curve(evolved(WALK, seed)) for seed in FEW]
    first, last = [float(values[0]) for values in curves], [float(values[-1]) for values in curves]
    chance = rank_test(last, first)
    yield told(
        f"median {np.median(last):.2f} m, generation 0 {np.median(first):.2f} m", "clearly above generation 0",
        chance <= ODDS, what="median best of the last generation", odds=f"{LEVEL}; rank test p = {chance:.3f}",
    )  # fmt: skip


@claim(40, "Random or designed beginners", "ARN-57, 87")
def random_or_designed() -> Iterator[Measurement]:
    """Runs from random bodies end at least as well as runs from designed ones, and more diverse.

    Diversity is the mean difference of the champions of the runs, and of the creatures with which they began.
    """
    free, made = finals(SHORT, SEEDS), finals(DESIGNED, SEEDS)
    worse = rank_test(made, free)
    yield told(
        f"random {words(free)}; designed {words(made)} m", "random at least as good",
        bool(np.median(free) >= np.median(made)) or worse >= ODDS, what="best of run",
        odds=f"{VERSUS}; chance that designed leads so by luck {worse:.3f}",
    )  # fmt: skip
    yield told(
        f"random {np.median(free):.2f}, designed {np.median(made):.2f} m; p = {rank_test(free, made):.3f}", "random better",
        rank_test(free, made) <= ODDS, what="random bodies more successful, as a difference", odds=VERSUS,
    )  # fmt: skip
    ends = [spread([one.genome for _, one in champions(c)]) for c in (SHORT, DESIGNED)]
    yield told(
        f"random {ends[0]:.2f}, designed {ends[1]:.2f}", "random more diverse", ends[0] > ends[1],
        what="mean difference of the champions", odds="six pairs of four champions each",
    )  # fmt: skip


@claim(41, "Deterministic or proportional selection", "ARN-88, 61")
def selection_kinds() -> Iterator[Measurement]:
    """No significant difference of the final fitness; deterministic selection takes over sooner.

    Takeover is measured by selection alone, without variation, on ranks 1 to 6n.  A draw in proportion to fitness may lose
    the best: such a takeover never ends, and counts as the limit of 200 generations.
    """
    times = [
        [takeover_time(kind, 16, np.random.default_rng(seed), limit=200) for seed in range(6)]
        for kind in (Comma(), Roulette())
    ]
    chance = rank_test(times[1], times[0])
    yield told(
        f"deterministic {np.mean(times[0]):.2f}, proportional {np.median(times[1]):.0f} (median)", "deterministic sooner",
        chance <= ODDS, what="takeover [generations], n = 16", odds=f"six seeds each; rank test p = {chance:.4f}",
    )  # fmt: skip
    comma, roulette = finals(SHORT, SEEDS), finals(ROULETTE, SEEDS)
    chance = two_sided(comma, roulette)
    yield told(
        f"deterministic {words(comma)}; proportional {words(roulette)} m; p = {chance:.3f}", "no significant difference",
        chance >= ODDS, what="best of run", odds=f"{VERSUS}; two-sided rank test",
    )  # fmt: skip


@claim(42, "Four legs or six", "ARN-93")
def four_or_six() -> Iterator[Measurement]:
    """Four-legged hoppers win: rear legs hop, front legs support; six-legged creatures evolve more slowly.

    The speed of evolution is the best so far, averaged over the generations.
    """
    four, six = finals(FOUR, SEEDS), finals(SIX, SEEDS)
    chance = rank_test(four, six)
    yield told(
        f"four {words(four)}; six {words(six)} m", "four legs get farther", chance <= ODDS, what="best of run",
        odds=f"{VERSUS}; rank test p = {chance:.3f}",
    )  # fmt: skip
    rises = [
        [float(np.mean(np.maximum.accumulate(curve(evolved(c, seed))))) for seed in SEEDS]
        for c in (FOUR, SIX)
    ]
    chance = rank_test(*rises)
    yield told(
        f"four {words(rises[0])}; six {words(rises[1])} m", "six legs evolve more slowly", chance <= ODDS,
        what="best so far, mean over the generations", odds=f"{VERSUS}; rank test p = {chance:.3f}",
    )  # fmt: skip
    found = gaits(FOUR)
    hop = [g.drive["rear"] > g.drive["front"] and g.flight > FLYING for g in found]
    yield told(
        f"{sum(hop)} of {len(hop)}; flight {words([g.flight for g in found])}; drive of rear legs "
        f"{words([g.drive['rear'] for g in found])}",
        "most", sum(hop) > len(hop) / 2, what="four-legged champions that hop with their rear legs",
        odds=f"95 % interval {words(share_interval(sum(hop), len(hop)))}",
    )  # fmt: skip


@claim(43, "Alternating gaits", "ARN-92, 93")
def alternating() -> Iterator[Measurement]:
    """Without feedback alternating gaits are slower and less stable than hopping, in which both sides do the same.

    The bit is fixed on or off in every limb of every creature.  Stability is the mean cosine of the trunk's tilt.
    """
    off, on = finals(TOGETHER, SEEDS), finals(ALTERNATING, SEEDS)
    chance = rank_test(off, on)
    yield told(
        f"together {words(off)}; alternating {words(on)} m", "alternating slower", chance <= ODDS, what="best of run",
        odds=f"{VERSUS}; rank test p = {chance:.3f}",
    )  # fmt: skip
    level = [described(c, "upright") for c in (TOGETHER, ALTERNATING)]
    chance = rank_test(*level)
    yield told(
        f"together {words(level[0])}; alternating {words(level[1])}", "alternating less stable", chance <= ODDS,
        what="mean cosine of tilt of champions", odds=f"four each; rank test p = {chance:.3f}",
    )  # fmt: skip


@cache
def merged(alone: bool) -> Run:
    """The runs' last survivors together, or those of the best run alone, evolved for some generations more."""
    runs = [evolved(WALK, one) for one in FEW]
    sources = [max(runs, key=lambda run: run.best().fitness)] if alone else runs
    genomes = [one.genome for run in sources for one in run.survivors()]
    return evolve(
        "walk", genome="limbed", population=WALK.population, generations=MERGED_GENERATIONS, seed=100,
        from_=genomes, workers=1,
    )  # fmt: skip


@claim(44, "Diversity", "ARN-94")
def diversity() -> Iterator[Measurement]:
    """Genotypes become alike within a run; runs end in different strategies; merging their populations helps.

    A merged run begins with the last survivors of all three; the same number of generations more, from the best run's own
    survivors, shows what merging itself is worth.
    """
    runs = [evolved(WALK, seed) for seed in FEW]
    first, last = ([float(curve(run, "diversity")[n]) for run in runs] for n in (0, -1))
    chance = rank_test(first, last)
    yield told(
        f"from {words(first)} to {words(last)}", "collapses",
        chance <= ODDS and bool(np.median(last) < 0.6 * np.median(first)), what="diversity, first and last generation",
        odds=f"{LEVEL}; rank test p = {chance:.3f}",
    )  # fmt: skip
    between = spread([run.best().genome for run in runs])
    yield told(
        f"{between:.2f} between champions of runs, {np.median(last):.2f} within a run", "different strategies",
        between > 1.5 * float(np.median(last)), what="mean difference of genomes", odds="three pairs of champions",
    )  # fmt: skip
    before = max(run.best().fitness for run in runs)
    together, alone = (merged(kind).best().fitness for kind in (False, True))
    yield told(
        f"{together:.2f} m, from {before:.2f}", "better than before", together > before,
        what="best after merging", odds=f"one seed, {MERGED_GENERATIONS} generations more",
    )  # fmt: skip
    yield told(
        f"merged {together:.2f}, alone {alone:.2f} m", "merged better", together > MORE * alone,
        what="the best run goes on alone as long", odds="one seed each, no test: less than 5 % more is none",
    )  # fmt: skip


@claim(45, "Six legs, driven from behind", "ARN-90")
def six_from_behind() -> Measurement:
    """There is a six-legged creature that rear legs and trunk drive, while the other legs keep the balance.

    Drive is a share in the forward impulse of the ground; support, one in the upward impulse.  Of the champions with six
    legs at least one must have most of its drive from rear legs and trunk.
    """
    found = gaits(SIX)
    drives = [g.drive["rear"] + g.drive["trunk"] for g in found]
    support = [g.support["front"] + g.support["middle"] for g in found]
    hits = sum(d > 0.5 and s > 0.1 for d, s in zip(drives, support, strict=True))
    return told(
        f"{hits} of {len(found)}; drive {words(drives)}; support by the others {words(support)}", "at least one", hits > 0,
        what="driven by rear legs and trunk, supported by others", odds=VERSUS,
    )  # fmt: skip


@claim(46, "Frog-like jumpers", "ARN-91")
def frogs() -> Measurement:
    """A four-legged jumper has flight phases: all contacts are open during part of a cycle.

    Of the four-legged champions at least one is in the air for 5 % of the time, in flights of 50 ms at least.
    """
    found = gaits(FOUR)
    hits = sum(g.flight > FLYING and g.longest >= 0.05 for g in found)
    return told(
        f"{hits} of {len(found)}; share of flight {words([g.flight for g in found])}; longest "
        f"{words([g.longest for g in found])} s",
        "at least one", hits > 0, what="with flight phases", odds=VERSUS,
    )  # fmt: skip


@claim(47, "Alternating walkers, led by the front legs", "ARN-92")
def front_walkers() -> Iterator[Measurement]:
    """There is a four-legged alternating walker that its front legs lead; it is slower than the hoppers.

    Among the champions of runs in which all limbs alternate: four legs, and more drive from the front legs than the rear.
    """
    pairs = [(run, one) for run, one in champions(ALTERNATING) if len(one.genome.limbs) == 2]
    led = [(one, g) for run, one in pairs if (g := gait_of(run, one.number)).drive["front"] > g.drive["rear"]]
    yield told(
        f"{len(led)} of {len(pairs)} with four legs; drive of front legs {words([g.drive['front'] for _, g in led]) or '–'}",
        "at least one", bool(led), what="alternating, led by the front legs", odds=VERSUS,
    )  # fmt: skip
    hoppers = [f for f, g in zip(finals(FOUR, SEEDS), gaits(FOUR), strict=True) if g.flight > FLYING]
    slower = bool(led and hoppers) and max(one.fitness for one, _ in led) < float(np.median(hoppers))
    yield told(
        f"walkers {words([one.fitness for one, _ in led]) or 'none'}; hoppers {words(hoppers) or 'none'} m",
        "every walker slower than the median hopper", slower, what="way in 3 s", odds=VERSUS,
    )  # fmt: skip


@claim(48, "Rolling on the trunk", "ARN-95")
def rolling() -> Measurement:
    """Some creatures roll on their trunk for part of the cycle: it touches, does not slip, and turns.

    No slip is less than 0.1 m/s of the touching point over the ground, turning more than 0.5 rad/s.  Looked at are the
    champions of four- and six-legged runs and of the longer runs; at least one must roll for 2 % of the time.
    """
    found = [g for condition in (FOUR, SIX, WALK) for g in gaits(condition)]
    hits = sum(g.rolling > 0.02 for g in found)
    return told(
        f"{hits} of {len(found)}; trunk touches {words([g.trunk for g in found])}; rolls "
        f"{words([g.rolling for g in found])}",
        "at least one", hits > 0, what="champions that roll on the trunk",
        odds=f"share {words(share_interval(hits, len(found)))}",
    )  # fmt: skip


@claim(49, "Champions are honest", "the warning of the document")
def honest() -> Iterator[Measurement]:
    """Champions that live again with half the step keep their fitness within 20 %.

    Evolution finds and uses any error of a simulator, so this is asked of every champion of the longer runs.  Chaos alone
    can move a single life by more; the audit tells that apart by nine starts that differ by micrometres.
    """
    audits = [
        audit(one.genome.develop(), run.task, number=one.number, generation=one.generation, seed=seed, peers=False)
        for seed, (run, one) in zip(FEW, champions(WALK), strict=True)
    ]  # fmt: skip
    changes = [float(a.at_half_step or 0.0) / a.at_step - 1.0 for a in audits]
    steady = sum(abs(change) <= TOLERANCE for change in changes)
    yield told(
        f"{steady} of {len(audits)}; changes {words(changes)}", "all", steady == len(audits),
        what="one life within 20 % at half the step",
        odds=f"{LEVEL}; interval {words(share_interval(steady, len(audits)))}",
    )  # fmt: skip
    exploits = sum(a.is_exploit for a in audits)
    notes = "; ".join(a.note for a in audits if a.note) or "no remarks"
    yield told(
        f"{exploits} of {len(audits)}: {notes}", "none", exploits == 0,
        what="that half the step takes away (mean of nine starts)", odds=LEVEL,
    )  # fmt: skip
