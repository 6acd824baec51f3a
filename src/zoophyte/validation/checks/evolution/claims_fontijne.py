"""Claims of Fontijne 2000 about what evolves (FON-E1 … E8), measured over a few seeds with stated odds.

They are claims, not laws: each is reported as reproduced or not.  `conditions` says by how much the runs are smaller.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from zoophyte.evolution.run import Run
from zoophyte.model.model import Floats
from zoophyte.validation.catalogue import Measurement, Rows, check
from zoophyte.validation.checks.evolution.conditions import (
    AWAY,
    DOWNHILL,
    FEW,
    JUMP,
    JUMP_SPHERES,
    MOVE,
    RECEDING,
    SCATTERED,
)  # fmt: skip
from zoophyte.validation.checks.evolution.odds import (
    ODDS,
    Condition,
    curve,
    evolved,
    rank_test,
    share_interval,
    sign_test,
    told,
    trend,
    words,
)  # fmt: skip

SIZE = "30 creatures, 16 generations, lives of 6 s (document: 300, 100 to 200)"
SUDDEN = 1.25
"""A best that is so many times as good as the one before is an invention."""
LEAST_RISE = 1e-3
"""Of the last value in a generation: less is rounding."""
HIT = 0.01
"""A ball that flies less far, per part of the creature, was not hit [m]."""
TWO = range(2)
STRATEGY = ("leap", "airborne", "height", "upright", "parts", "effort", "mass")
"""Descriptors that tell how a creature jumps, and with what body."""


def claim(number: int, title: str, place: str) -> Callable[[Callable[[], Rows]], Callable[[], Rows]]:
    """Enter a claim of §5.4; all of them are slow."""
    source = f"Fontijne 2000 ({place}); spec fontijne §5.4 E{number}"
    return check(f"FON-E{number}", kind="claim", title=title, source=source, slow=True)


def inventions(best: Sequence[float]) -> int:
    """How often the best of a generation is suddenly better than that of the one before."""
    pairs = itertools.pairwise(best)
    return sum(after > max(SUDDEN * before, HIT) for before, after in pairs)


def falls(best: Sequence[float]) -> int:
    """How often the best of a generation is worse than that of the one before."""
    return sum(after < before for before, after in itertools.pairwise(best))


def leaders(run: Run) -> list[dict[str, float]]:
    """Fitness and descriptors of the best of each generation."""
    found: dict[int, Any] = {}
    for birth in run.births():
        if birth.fitness >= 0.0 and (
            birth.generation not in found or birth.fitness > found[birth.generation].fitness
        ):
            found[birth.generation] = birth
    return [{"fitness": one.fitness, **one.descriptors} for _, one in sorted(found.items())]


def half_way(values: Sequence[float]) -> int:
    """The first place at which half of the rise from the first value to the greatest is made."""
    middle = 0.5 * (values[0] + max(values))
    return next(n for n, value in enumerate(values) if value >= middle)


def strategies(condition: Condition, seeds: Sequence[int]) -> Floats:
    """Descriptors of the last generation's best, one row per run; a ramp makes earlier ones incomparable."""
    rows = []
    for seed in seeds:
        last = leaders(evolved(condition, seed))[-1]
        rows.append(
            [
                last[name] if name in ("airborne", "upright") else np.log(last[name] + 1e-3)
                for name in STRATEGY
            ]
        )
    return np.array(rows)


@claim(1, "A ball that recedes", "FON-72, 77")
def receding_ball() -> Iterator[Measurement]:
    """The best falls slowly while the ball recedes, and rises suddenly at inventions, several times: a saw-tooth.

    An invention is a hit a quarter better than the generation before.  Of a saw-tooth there are two inventions at least,
    and the best falls in at least a quarter of all generations.
    """
    curves = [curve(evolved(RECEDING, seed)) for seed in FEW]
    rises, drops = [inventions(c) for c in curves], [falls(c) for c in curves]
    toothed = sum(r >= 2 and d >= len(c) // 4 for r, d, c in zip(rises, drops, curves, strict=True))
    yield told(
        f"{toothed} of {len(curves)} runs; inventions {words(rises)}; falls {words(drops)}; best "
        f"{' | '.join(words(c) for c in curves)}",
        "saw-tooth", toothed > len(curves) / 2, what="runs that rise suddenly twice and fall in between",
        odds=f"three seeds; {SIZE}; interval {words(share_interval(toothed, len(curves)))}",
    )  # fmt: skip


@claim(2, "A ball at a random place", "FON-73")
def scattered_ball() -> Iterator[Measurement]:
    """Early generations hit the ball; later ones fail as it recedes.  The document reports this as a failure.

    The worst of three lives counts.  Success is a best fitness of 1 cm per part; the first third of the run is compared
    with the last.
    """
    shares = []
    for seed in TWO:
        best = curve(evolved(SCATTERED, seed))
        third = max(1, len(best) // 3)
        shares.append([float(np.mean(best[part] > HIT)) for part in (slice(0, third), slice(-third, None))])
    early, late = [s[0] for s in shares], [s[1] for s in shares]
    hit = [max(curve(evolved(SCATTERED, seed))) for seed in TWO]
    yield told(
        f"early {words(early)}, late {words(late)}; best ever {words(hit)} m per part", "hits early, fails late",
        min(early) > 0.0 and max(late) < min(early), what="share of generations whose best hits in all three lives",
        odds="two seeds; 30 creatures, 10 generations, lives of 6 s: no test",
    )  # fmt: skip


@claim(3, "Jumping while gravity grows", "FON-74, 77")
def gravity_ramp() -> Iterator[Measurement]:
    """Fitness is very high at first, when gravity is nearly 0; it falls as gravity grows, then recovers after a discovery.

    Gravity goes from 0.2 to 9.81 m/s².  High at first: the first third's mean is twice the last third's.  Recovered: the
    last best is a tenth above the least one, and that lies before the last two generations.
    """
    curves = [curve(evolved(JUMP, seed)) for seed in FEW]
    third = len(curves[0]) // 3
    ratios = [float(c[:third].mean() / max(float(c[-third:].mean()), 1e-9)) for c in curves]
    yield told(
        f"{words(ratios)}", "very high at first", min(ratios) > 2.0, what="best, first third over last third",
        odds=f"three seeds; {SIZE}",
    )  # fmt: skip
    recovered = [float(c[-1]) > 1.1 * float(c.min()) and int(c.argmin()) < len(c) - 2 for c in curves]
    yield told(
        f"{sum(recovered)} of {len(curves)}; best {' | '.join(words(c) for c in curves)}", "recovers after a discovery",
        sum(recovered) > len(curves) / 2, what="runs that recover",
        odds=f"three seeds; interval {words(share_interval(sum(recovered), len(curves)))}",
    )  # fmt: skip


@claim(4, "Equal parameters, equal strategies", "FON-74")
def equal_strategies() -> Measurement:
    """Three runs with equal parameters end in nearly the same strategy; with bodies of spheres in a different one.

    A strategy is leap, time in the air, height, tilt, number of parts, effort and mass of the last generation's best; scales
    as logarithms, each over its deviation among all runs.  Same means: the distance of two runs with boxes is less than half
    of the distance of one with boxes from one with spheres.
    """
    boxes, spheres = strategies(JUMP, FEW), strategies(JUMP_SPHERES, TWO)
    scale = np.concatenate([boxes, spheres]).std(axis=0) + 1e-9
    within = [float(np.linalg.norm((a - b) / scale)) for a, b in itertools.combinations(boxes, 2)]
    between = [float(np.linalg.norm((a - b) / scale)) for a in boxes for b in spheres]
    return told(
        f"same parameters {words(within)}; boxes from spheres {words(between)}", "same within, different between",
        float(np.mean(within)) < 0.5 * float(np.mean(between)), what="distance of strategies",
        odds=f"three runs of boxes, two of spheres; {SIZE}; rank test p = {rank_test(between, within):.3f}",
    )  # fmt: skip


@claim(5, "Jumping away", "FON-75")
def jump_away() -> Measurement:
    """At low gravity creatures first learn to jump high, then win by speed along the ground when they land.

    Of the best of each generation the leap has made half of its rise before the distance has.  Whether the limbs move
    erratically is not measured.
    """
    found = []
    for seed in TWO:
        rows = leaders(evolved(AWAY, seed))
        found.append([half_way([row[name] for row in rows]) for name in ("leap", "distance")])
    first = sum(leap < way for leap, way in found)
    return told(
        f"{first} of {len(found)}; half of the rise of leap and of distance in generations "
        f"{'; '.join(f'{a} and {b}' for a, b in found)}",
        "leap first", first == len(found), what="runs in which leaping comes first",
        odds=f"two seeds, 2 m/s²; {SIZE}: no test",
    )  # fmt: skip


@claim(6, "Walking with the parameters of jumping", "FON-76")
def walking() -> Measurement:
    """Creatures of the order of metres get only a few metres far."""
    ways = [max(row["distance"] for row in leaders(evolved(MOVE, seed))) for seed in FEW]
    return told(
        f"{words(ways)} m", "a few metres: less than 5", max(ways) < 5.0, what="farthest leader of a generation",
        odds=f"three seeds; {SIZE}; 4.5 s of walking",
    )  # fmt: skip


@claim(7, "Walking made easier", "FON-76")
def easier_walking() -> Iterator[Measurement]:
    """With three times the strength, parts that do not collide, and gravity that leans forward there is some locomotion.

    The tilt is 0.1 rad, and friction holds at up to 0.79 rad.  Some is half a metre in 4.5 s, in each run.
    """
    eased, plain = (
        [max(row["distance"] for row in leaders(evolved(c, seed))) for seed in FEW] for c in (DOWNHILL, MOVE)
    )
    yield told(
        f"{words(eased)} m", "some locomotion in every run", min(eased) > 0.5, what="farthest leader of a generation",
        odds=f"three seeds; {SIZE}",
    )  # fmt: skip
    chance = rank_test(eased, plain)
    yield told(
        f"eased {words(eased)}, plain {words(plain)} m", "farther than without", chance <= ODDS, what="against FON-E6",
        odds=f"three seeds each; rank test p = {chance:.3f}",
    )  # fmt: skip


@claim(8, "Still rising at the end", "all curves")
def still_rising() -> Iterator[Measurement]:
    """Best and mean fitness still rise at the end of all runs of tasks that stay the same.

    Counted are the runs whose least-squares line through the second half of the generations rises by a thousandth of the
    last value in a generation.  The best is copied unchanged and cannot fall, so that the mean says more.
    """
    runs = [evolved(c, seed) for c, seeds in ((MOVE, FEW), (DOWNHILL, FEW), (AWAY, TWO)) for seed in seeds]
    for what in ("best", "mean"):
        curves = [curve(run, what) for run in runs]
        slopes = [trend(values[len(values) // 2 :]) / float(values[-1]) for values in curves]
        rising = sum(slope > LEAST_RISE for slope in slopes)
        chance = sign_test(rising, len(runs))
        yield told(
            f"{rising} of {len(runs)}; slopes {words(slopes)} of the last value per generation", "all rising",
            rising == len(runs),
            what=f"{what}, second half", odds=f"sign test p = {chance:.4f}; {SIZE}",
        )  # fmt: skip
