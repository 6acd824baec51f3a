"""The family tree of a champion: the line of first parents as a trunk, other parents as branches that join it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from zoophyte.errors import UsageError
from zoophyte.evolution.report.curves import COLOURS, safe, score
from zoophyte.evolution.report.data import Birth

ROW, HEAD, ROOTS = 27.0, 30.0, 34.0  # pixels
TRUNK_TOP, TRUNK_ROOT = 4.0, 13.0  # width of the trunk
STEP_LIMIT = 2000  # of a trunk that is drawn
NAME_LENGTH = 26
MILESTONES = 4

FOUNDERS = ("random", "given")
"""Operators of those that have no parents."""
COPY = "copy"
"""The operator that changes nothing; on the trunk, copies are counted and not drawn."""


@dataclass(frozen=True)
class Step:
    """One birth on the way to the champion.

    Args:
        birth: the child.
        others: its parents beside the first, as far as the run still knows them.
        copies: how often it was copied and judged anew before the next step.
    """

    birth: Birth
    others: tuple[Birth, ...] = ()
    copies: int = 0


@dataclass(frozen=True)
class Columns:
    """Where the parts of a row stand, in pixels."""

    width: int
    generation: float
    branch: float
    trunk: float
    name: float
    name_length: int
    bar: float
    bar_width: float


WIDE_COLUMNS = Columns(740, 40, 122, 172, 192, NAME_LENGTH, 396, 270)
NARROW_COLUMNS = Columns(360, 30, 56, 80, 94, 17, 222, 76)


def trunk_of(births: Mapping[int, Birth], champion: int) -> list[Step]:
    """The line of first parents, from the champion back to its founder.

    The first parent is the one that operators copy most of.

    Args:
        births: by number.
        champion: number of the individual to begin with.

    Raises:
        UsageError: when the run has no such individual.
    """
    if champion not in births:
        raise UsageError(f"family tree: the run has no individual {champion}.")
    steps: list[Step] = []
    seen: set[int] = set()
    number, copies = champion, 0
    while number in births and number not in seen and len(steps) < STEP_LIMIT:
        seen.add(number)
        birth = births[number]
        others = tuple(
            births[other] for other in birth.parents[1:] if other in births and other != birth.parents[0]
        )
        if birth.operator == COPY and birth.parents and birth.parents[0] in births and steps:
            copies += 1
        else:
            steps.append(Step(birth, others, copies))
            copies = 0
        if not birth.parents:
            break
        number = birth.parents[0]
    return steps


def ancestors_of(births: Mapping[int, Birth], champion: int) -> set[int]:
    """All whose genes may have come down to the champion, itself not counted."""
    found: set[int] = set()
    waiting = [champion]
    while waiting:
        for parent in births[waiting.pop()].parents:
            if parent in births and parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found - {champion}


def milestones(steps: Sequence[Step], count: int = MILESTONES) -> list[Birth]:
    """Ancestors that are worth seeing: the founder, and those after the largest rises in fitness, the oldest first."""
    line = [step.birth for step in reversed(steps[1:])]
    if not line:
        return []
    rises = [
        (child.fitness - parent.fitness, n + 1)
        for n, (parent, child) in enumerate(pairwise(line))
        if child.fitness > parent.fitness
    ]
    largest = sorted(rises, key=lambda rise: (-rise[0], rise[1]))[: count - 1]
    return [line[0], *(line[n] for _, n in sorted(largest, key=lambda rise: rise[1]))]


def operator_colours(steps: Sequence[Step]) -> dict[str, int]:
    """Numbers of colours: the commonest operators have their own, founders none (0), the rest the last."""
    counts = Counter(step.birth.operator for step in steps if step.birth.operator not in FOUNDERS)
    return {operator: min(n, COLOURS) for n, (operator, _) in enumerate(counts.most_common(), start=1)}


def told_steps(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """What a page tells of each step when it is clicked."""

    def number_or_none(value: float) -> float | None:
        return value if math.isfinite(value) else None

    told = []
    for n, step in enumerate(steps):
        birth = step.birth
        before = steps[n + 1].birth.fitness if n + 1 < len(steps) else math.nan
        told.append(
            {
                "number": birth.number,
                "generation": birth.generation,
                "operator": birth.operator,
                "fitness": number_or_none(birth.fitness),
                "gain": number_or_none(birth.fitness - before),
                "parents": [
                    {"number": parent, "fitness": next((number_or_none(o.fitness) for o in
                     [*step.others, *(s.birth for s in steps[n + 1 : n + 2])] if o.number == parent), None)}
                    for parent in dict.fromkeys(birth.parents)
                ],
                "copies": step.copies,
                "status": birth.status,
                "reason": birth.reason,
                "descriptors": {k: number_or_none(v) for k, v in sorted(birth.descriptors.items())},
            }
        )  # fmt: skip
    return told


def tree_drawing(
    steps: Sequence[Step], *, columns: Columns = WIDE_COLUMNS, playable: Sequence[int] = ()
) -> str:
    """The trunk as SVG: the champion on top, its founder at the root, one row for each birth.

    Args:
        steps: from the champion back.
        columns: where things stand.
        playable: numbers of individuals that can be played on the page, which get a sign for it.
    """
    colours = operator_colours(steps)
    best = max((s.birth.fitness for s in steps if math.isfinite(s.birth.fitness)), default=0.0)
    height = HEAD + ROW * len(steps) + ROOTS
    body = [*_headings(columns), _bark(len(steps), columns)]
    for n, step in enumerate(steps):
        before = steps[n + 1] if n + 1 < len(steps) else None
        number = colours.get(step.birth.operator, 0)
        body += _row(n, step, before, columns, (number, best, step.birth.number in playable))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tree curves" viewBox="0 0 {columns.width} {height:.0f}" '
        f'width="{columns.width}" height="{height:.0f}" role="group" aria-label="Family tree of individual '
        f'{steps[0].birth.number}">\n' + "\n".join(body) + "\n</svg>\n"
    )


def _headings(columns: Columns) -> list[str]:
    names = [
        (columns.generation, "end", "gen."),
        (columns.name, "start", "made by"),
        (columns.bar, "start", "fitness"),
    ]
    return [f'<text x="{x:.0f}" y="14" text-anchor="{anchor}">{name}</text>' for x, anchor, name in names]


def _bark(count: int, columns: Columns) -> str:
    """The trunk itself: a long wedge that ends in roots."""
    x, top, foot = columns.trunk, HEAD + 0.5 * ROW, HEAD + ROW * count - 0.5 * ROW
    a, b = 0.5 * TRUNK_TOP, 0.5 * TRUNK_ROOT
    y = foot + ROOTS - 4
    return (
        f'<path class="bark" d="M{x - a} {top:.1f}L{x - b} {foot:.1f}Q{x - b} {y - 8:.1f} {x - 26} {y:.1f}'
        f"Q{x - 6} {y - 9:.1f} {x} {y - 3:.1f}Q{x + 6} {y - 9:.1f} {x + 26} {y:.1f}"
        f'Q{x + b} {y - 8:.1f} {x + b} {foot:.1f}L{x + a} {top:.1f}Z"/>'
    )


def _row(
    n: int, step: Step, before: Step | None, columns: Columns, look: tuple[int, float, bool]
) -> list[str]:
    number, best, is_playable = look
    birth, x = step.birth, columns.trunk
    y = HEAD + ROW * (n + 0.5)
    parts = [
        f'<g class="step" data-step="{n}" tabindex="0" role="button" aria-label="Individual {birth.number}">'
    ]
    parts.append(
        f'<rect class="row" x="2" y="{y - ROW / 2 + 1:.1f}" width="{columns.width - 4}" height="{ROW - 2}" rx="7"/>'
    )
    if before is None or before.birth.generation != birth.generation:
        parts.append(
            f'<text x="{columns.generation:.0f}" y="{y + 4:.1f}" text-anchor="end">{birth.generation}</text>'
        )
    for k, other in enumerate(step.others[:1]):
        bx, by = columns.branch - 14 * k, y + 0.3 * ROW
        parts.append(
            f'<path class="twig" d="M{bx} {by:.1f}C{bx + 26} {by:.1f} {x - 26} {y:.1f} {x} {y:.1f}"/>'
        )
        parts.append(
            f'<circle class="bud" cx="{bx}" cy="{by:.1f}" r="3.5"><title>{_other(other)}</title></circle>'
        )
        if columns is WIDE_COLUMNS:
            parts.append(
                f'<text class="small" x="{bx - 9}" y="{by + 3.5:.1f}" text-anchor="end">#{other.number}</text>'
            )
    radius = 9 if n == 0 else 5.5
    parts.append(f'<circle class="node n{number}" cx="{x}" cy="{y:.1f}" r="{radius}"/>')
    if is_playable:
        size = 4.2 if n == 0 else 2.8
        parts.append(
            f'<path class="play" d="M{x - 0.7 * size:.1f} {y - size:.1f}v{2 * size:.1f}l{1.9 * size:.1f} {-size:.1f}z"/>'
        )
    name = (
        birth.operator
        if len(birth.operator) <= columns.name_length
        else birth.operator[: columns.name_length - 1] + "…"
    )
    parts.append(f'<text class="what" x="{columns.name}" y="{y + 4:.1f}">{safe(name)}</text>')
    parts += _bar(birth, before, columns, y, best)
    what = f"individual {birth.number}, generation {birth.generation}: {birth.operator}, fitness {score(birth.fitness)}"
    parts.append(f"<title>{safe(what)}</title></g>")
    return parts


def _bar(birth: Birth, before: Step | None, columns: Columns, y: float, best: float) -> list[str]:
    share = birth.fitness / best if best > 0.0 and birth.fitness > 0.0 else 0.0
    width = max(1.5, columns.bar_width * share)
    way = "rise" if before is None or birth.fitness >= before.birth.fitness else "fall"
    parts = [f'<rect class="{way}" x="{columns.bar}" y="{y - 4:.1f}" width="{width:.1f}" height="8" rx="2"/>']
    parts.append(
        f'<text class="value" x="{columns.bar + width + 8:.1f}" y="{y + 4:.1f}">{score(birth.fitness)}</text>'
    )
    return parts


def _other(birth: Birth) -> str:
    return safe(
        f"other parent: individual {birth.number}, generation {birth.generation}, {birth.operator}, "
        f"fitness {score(birth.fitness)}"
    )
